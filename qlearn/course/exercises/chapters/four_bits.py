"""Four bits: read a block of Q4_0, and put five codes of three values into a byte."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, one
from qlearn.course.normal import normal
from qlearn.formats.gguf import gguf_dequantize, gguf_quantize


def read_q4_0(block: Tensor) -> Tensor:
    """Return the 32 weights of a block."""
    return gguf_dequantize(bytes(block.tolist()), "Q4_0", (32,))


def scale_of(block: Tensor) -> Tensor:
    """Return d, a float16 number whose lower byte comes first."""
    return block[:2].clone().view(torch.float16).float()


def low_and_high(block: Tensor) -> tuple[Tensor, Tensor]:
    """Return the lower and the upper halves of the sixteen bytes of codes."""
    return block[2:] & 15, block[2:] >> 4


def codes_of(block: Tensor) -> Tensor:
    """Return the 32 codes in the order of Q4_0."""
    return torch.cat(low_and_high(block)).float()


def as_neighbours(block: Tensor) -> Tensor:
    """Give the two halves of a byte to neighbours."""
    return scale_of(block) * (torch.stack(low_and_high(block), 1).flatten().float() - 8)


def upper_half_first(block: Tensor) -> Tensor:
    """Give the upper half to the first sixteen."""
    return scale_of(block) * (torch.cat(low_and_high(block)[::-1]).float() - 8)


def not_moved(block: Tensor) -> Tensor:
    """Take the codes for steps, without the 8."""
    return scale_of(block) * codes_of(block)


def wrapped(block: Tensor) -> Tensor:
    """Subtract the 8 in uint8, which knows no number below 0."""
    return scale_of(block) * (torch.cat(low_and_high(block)) - 8).float()


def with_a_sign(block: Tensor) -> Tensor:
    """Read a code as a signed number of four bits."""
    codes = codes_of(block)
    return scale_of(block) * codes.where(codes < 8, codes - 16)


def upper_byte_first(block: Tensor) -> Tensor:
    """Read d with its upper byte first."""
    return scale_of(block[:2].flip(0)) * (codes_of(block) - 8)


def block_of(x: Tensor) -> Tensor:
    """Return the bytes of 32 weights in Q4_0."""
    return torch.tensor(list(gguf_quantize(x, "Q4_0")), dtype=torch.uint8)


def drawn_block() -> Tensor:
    """Return a block of normal weights."""
    return block_of(normal(32, generator=torch.Generator().manual_seed(0)))


READ_Q4_0 = Exercise(
    name="read_q4_0",
    call="read_q4_0(block)",
    task="the 32 weights of the block, in float32",
    drive=one("weights"),
    right=read_q4_0,
    cases=lambda: (
        Case("the block of this chapter", (block_of(torch.arange(-8, 8, 0.5)),)),
        Case("a scale below 0", (block_of(torch.arange(8, -8, -0.5)),)),
        Case("normal weights", (drawn_block(),)),
    ),
    mistakes={
        "You give the two halves of a byte to neighbours. In Q4_0 the upper half belongs to the "
        "weight 16 places on.": as_neighbours,
        "You give the upper halves to the first sixteen weights. The lower halves come first.": (
            upper_half_first
        ),
        "You take a code for the number of steps. The code 8 means 0.": not_moved,
        "Your codes wrapped around when you subtracted 8: uint8 has no number below 0. Turn them "
        "into another type first.": wrapped,
        "You read the codes as numbers with a sign. Here they count from 0 to 15, and 8 means 0.": (
            with_a_sign
        ),
        "You read d with its upper byte first. In a GGUF file the lower byte comes first.": (
            upper_byte_first
        ),
    },
    hints=(
        "First d, the float16 number in the first two bytes: block[:2].view(torch.float16).",
        "For the rest: & 15 gives the lower half of a byte, and >> 4 the upper half. All lower "
        "halves come first.",
    ),
    praise="Your weights are those of `gguf_dequantize`.",
    place=lambda args, index: f"weight {index[0]}",
    last_bits=False,
)


def in_base(base: int, first_is_least: bool = True, moved: int = 1) -> Callable[[Tensor], Tensor]:
    """Return a packing in which a place counts so many times as much as the one before it."""
    powers = torch.tensor([base**i for i in range(5)])
    powers = powers if first_is_least else powers.flip(0)

    def packed(codes: Tensor) -> Tensor:
        return ((codes.view(-1, 5).long() + moved) * powers).sum(1).to(torch.uint8)

    return packed


five_in_a_byte = in_base(3)


def every_fifth(codes: Tensor) -> Tensor:
    """Put codes together that do not lie side by side."""
    return five_in_a_byte(codes.view(5, -1).T.reshape(-1))


def drawn_codes() -> Tensor:
    """Return a hundred codes."""
    rng = torch.Generator().manual_seed(0)
    return torch.randint(-1, 2, (100,), generator=rng, dtype=torch.int8)


FIVE_IN_A_BYTE = Exercise(
    name="five_in_a_byte",
    call="five_in_a_byte(codes)",
    task="a uint8 tensor with a byte for five codes each",
    drive=one("bytes"),
    right=five_in_a_byte,
    cases=lambda: (
        Case("the codes 1, 0, 0, −1, −1", (torch.tensor([1, 0, 0, -1, -1], dtype=torch.int8),)),
        Case("five codes 1", (torch.ones(5, dtype=torch.int8),)),
        Case("five codes −1", (-torch.ones(5, dtype=torch.int8),)),
        Case("100 codes", (drawn_codes(),)),
    ),
    mistakes={
        "Your codes begin at −1, and a byte holds no number below 0: add 1 to each.": (
            in_base(3, moved=0)
        ),
        "You turn the order around: the first code of the five counts once, and the last 81 "
        "times.": in_base(3, first_is_least=False),
        "You give each code two bits, and five times two bits are no byte. Each place counts three "
        "times as much as the one before it.": in_base(4),
        "You put codes together that do not lie side by side: the first five make the first "
        "byte.": every_fifth,
    },
    hints=(
        "With 1 added the codes are 0, 1 and 2, the digits of a number in base three. What does "
        "each of five digits count?",
        "codes.view(-1, 5) has five codes in each row; multiply by [1, 3, 9, 27, 81] and add up "
        "each row.",
    ),
    praise="The largest byte that you can make is 242: 13 of the 256 are left over.",
    place=lambda args, index: f"byte {index[0]}",
)

EXERCISES = (READ_Q4_0, FIVE_IN_A_BYTE)
