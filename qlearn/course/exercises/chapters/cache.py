"""The cache: keys that wait until their group is full, and its bytes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import (
    Case,
    Exercise,
    at_row_and_column,
    nowhere,
    one,
    one_number,
)
from qlearn.course.normal import normal
from qlearn.language.cache import Axis, quantize_cache


def restored(keys: Tensor, axis: Axis = "channel") -> Tensor:
    """Return what comes back from four bits; of no tokens nothing."""
    return quantize_cache(keys, bits=4, axis=axis).dequantize() if len(keys) else keys


def full_and_waiting(keys: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return the tokens in full groups, and the newest ones."""
    full = len(keys) // size * size
    return keys[:full], keys[full:]


def held_keys(keys: Tensor, size: int) -> Tensor:
    """Return the keys as the cache gives them."""
    full, waiting = full_and_waiting(keys, size)
    return torch.cat([*map(restored, full.split(size)), waiting])


def none_waits(keys: Tensor, size: int) -> Tensor:
    """Turn the last group into codes before it is full."""
    return torch.cat([*map(restored, keys.split(size))])


def one_scale_for_all_groups(keys: Tensor, size: int) -> Tensor:
    """Let all full groups share the scales of their channels."""
    full, waiting = full_and_waiting(keys, size)
    return torch.cat([restored(full), waiting])


def by_token(keys: Tensor, size: int) -> Tensor:
    """Give each token a scale."""
    full, waiting = full_and_waiting(keys, size)
    return torch.cat([restored(full, "token"), waiting])


def oldest_wait(keys: Tensor, size: int) -> Tensor:
    """Begin to count groups at the newest token."""
    first = len(keys) % size
    return torch.cat([keys[:first], *map(restored, keys[first:].split(size))])


def last_group_waits(keys: Tensor, size: int) -> Tensor:
    """Leave the last group in float, full or not."""
    return (
        held_keys(keys, size)
        if len(keys) % size
        else torch.cat([held_keys(keys[:-size], size), keys[-size:]])
    )


def some_keys(tokens: int, louder: dict[int, float] | None = None) -> Tensor:
    """Return keys of four channels, some tokens of which are louder."""
    keys = normal(tokens, 4, generator=torch.Generator().manual_seed(tokens))
    for token, factor in (louder or {}).items():
        keys[token] *= factor
    return keys


HELD_KEYS = Exercise(
    name="held_keys",
    call="held_keys(keys, size)",
    task="the keys in the shape of keys: those of full groups as they come back from four bits, "
    "with a scale for each channel of a group, and the newest as they are",
    drive=one("keys"),
    right=held_keys,
    cases=(
        Case("one full group", (some_keys(4), 4)),
        Case("two full groups", (some_keys(8, {6: 5.0}), 4)),
        Case("two full groups and two keys that wait", (some_keys(10), 4)),
        Case("a loud key that waits", (some_keys(11, {10: 20.0}), 4)),
        Case("fewer tokens than a group has", (some_keys(3), 4)),
    ),
    mistakes={
        "The last group stays in float with you, although it is full.": last_group_waits,
        "All tokens share the scales of their channels, so a new token would change the old ones: "
        "let each group have its own.": lambda keys, size: restored(keys),
        "You turn the last group into codes before it is full.": none_waits,
        "All full groups share the scales of their channels: let each group have its own.": (
            one_scale_for_all_groups
        ),
        "Your scales belong to tokens: give each channel of a group one.": by_token,
        "The oldest keys wait with you: count the groups from the first token on.": oldest_wait,
        "Your keys are all in float: no group becomes codes.": lambda keys, size: keys.clone(),
    },
    hints=(
        "How many tokens lie in full groups? The others wait.",
        "split(size) cuts tokens into groups, and torch.cat puts them together. What if no group "
        "is full?",
    ),
    praise="So does `QuantizedCache`, as its tokens come.",
    place=at_row_and_column,
    last_bits=False,
)

Bits = Callable[[int, int, int, int], float]


def keys_bits(tokens: int, channels: int, bits: int, size: int) -> float:
    """Return the bits of the keys: codes and scales of full groups, 16 for each that waits."""
    groups = tokens // size
    waiting = tokens - groups * size
    return channels * (groups * (size * bits + 16) + waiting * 16)


def values_bits(tokens: int, channels: int, bits: int, size: int) -> float:
    """Return the bits of the values, which do not wait."""
    return tokens * (channels * bits + 16)


def waiting_in_codes(tokens: int, channels: int, bits: int, size: int) -> float:
    """Count keys that wait as codes."""
    return channels * (tokens * bits + tokens // size * 16)


def in_bytes(keys: Bits, values: Bits = values_bits, per_byte: int = 8) -> Bits:
    """Return the count of bytes with these bits of keys and values."""
    return lambda *args: (keys(*args) + values(*args)) / per_byte


CACHE_BYTES = Exercise(
    name="cache_bytes",
    call="cache_bytes(tokens, channels, bits, size)",
    task="the bytes of the keys and values of one head",
    drive=one_number("bytes"),
    right=in_bytes(keys_bits),
    cases=(
        Case("full groups", (64, 32, 4, 32)),
        Case("keys that wait", (70, 32, 4, 32)),
        Case("fewer tokens than a group has", (20, 128, 4, 32)),
        Case("two bits", (1000, 64, 2, 32)),
    ),
    mistakes={
        "You count the keys that wait as codes: each of their numbers takes 16 bits.": in_bytes(
            waiting_in_codes
        ),
        "You give keys that wait codes and a share of a scale. Each of their numbers takes "
        "16 bits.": in_bytes(
            lambda tokens, channels, bits, size: tokens * channels * (bits + 16 / size)
        ),
        "You begin a scale for keys that wait. Only full groups have scales, and a number that "
        "waits takes 16 bits.": in_bytes(
            lambda tokens, channels, bits, size: (
                channels * (tokens * bits + -(-tokens // size) * 16)
            )
        ),
        "You count one scale for a full group of keys. Each of its channels has one.": in_bytes(
            lambda tokens, channels, bits, size: (
                tokens // size * (size * channels * bits + 16) + tokens % size * channels * 16
            )
        ),
        "You count codes alone. Each scale takes 16 bits.": in_bytes(
            lambda tokens, channels, bits, size: (
                channels * (tokens // size * size * bits + tokens % size * 16)
            ),
            lambda tokens, channels, bits, size: tokens * channels * bits,
        ),
        "You leave out the scales of the values: each token has one.": in_bytes(
            keys_bits, lambda tokens, channels, bits, size: tokens * channels * bits
        ),
        "You leave out the scales of the keys: each channel of a group has one.": in_bytes(
            lambda tokens, channels, bits, size: (
                channels * (tokens // size * size * bits + tokens % size * 16)
            ),
        ),
        "The values wait with you. They need not: each token has a scale of its own.": in_bytes(
            keys_bits,
            lambda tokens, channels, bits, size: (
                tokens // size * size * (channels * bits + 16) + tokens % size * channels * 16
            ),
        ),
        "You count the keys alone. The values are kept, too.": in_bytes(
            keys_bits, lambda *args: 0.0
        ),
        "You count bits. A byte has eight.": in_bytes(keys_bits, per_byte=1),
    },
    hints=(
        "Count keys and values each by itself. For the keys: how many groups are full, and how "
        "many tokens wait?",
        "A full group has size · channels codes and a scale for each channel. A value has a code "
        "for each channel and one scale.",
    ),
    praise="`QuantizedCache` counts as many, with a symmetric ruler.",
    place=nowhere,
)

EXERCISES = (HELD_KEYS, CACHE_BYTES)
