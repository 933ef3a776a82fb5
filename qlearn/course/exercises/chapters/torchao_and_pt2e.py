"""From torch.ao to torchao: where old kernels and graphs clamp, and weights measured anew."""

from __future__ import annotations

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, one, several

Both = tuple[Tensor, Tensor]


def read(codes: Tensor, scale: float, zero_point: int, last: int) -> Tensor:
    """Return what comes back from codes that are clamped to 0 … last."""
    return (codes.clamp(0, last) - zero_point) * scale


def came_back(x: Tensor, scale: float, zero_point: int, last: int) -> Both:
    """Return what comes back from the old kernel, and from the graph."""
    codes = torch.round(x / scale) + zero_point
    return read(codes, scale, zero_point, 255), read(codes, scale, zero_point, last)


def both_narrow(x: Tensor, scale: float, zero_point: int, last: int) -> Both:
    """Clamp both where the observer was told."""
    _, narrow = came_back(x, scale, zero_point, last)
    return narrow, narrow


def both_wide(x: Tensor, scale: float, zero_point: int, last: int) -> Both:
    """Clamp both at the end of the dtype."""
    wide, _ = came_back(x, scale, zero_point, last)
    return wide, wide


def turned_around(x: Tensor, scale: float, zero_point: int, last: int) -> Both:
    """Return the graph's numbers first."""
    wide, narrow = came_back(x, scale, zero_point, last)
    return narrow, wide


def steps_clamped(x: Tensor, scale: float, zero_point: int, last: int) -> Both:
    """Clamp the steps from 0, before the zero point is added."""
    steps = torch.round(x / scale)
    return steps.clamp(0, 255) * scale, steps.clamp(0, last) * scale


def unshifted(x: Tensor, scale: float, zero_point: int, last: int) -> Both:
    """Read the codes without subtracting the zero point."""
    codes = torch.round(x / scale) + zero_point
    return read(codes, scale, 0, 255), read(codes, scale, 0, last)


def open_below(x: Tensor, scale: float, zero_point: int, last: int) -> Both:
    """Clamp on the right alone."""
    codes = torch.round(x / scale) + zero_point
    wide, narrow = ((codes.clamp(max=end) - zero_point) * scale for end in (255, last))
    return wide, narrow


def open_kernel(x: Tensor, scale: float, zero_point: int, last: int) -> Both:
    """Do not clamp for the kernel."""
    codes = torch.round(x / scale) + zero_point
    return (codes - zero_point) * scale, read(codes, scale, zero_point, last)


def never_added(x: Tensor, scale: float, zero_point: int, last: int) -> Both:
    """Subtract the zero point, without adding it before."""
    steps = torch.round(x / scale)
    return read(steps, scale, zero_point, 255), read(steps, scale, zero_point, last)


def cut_off(x: Tensor, scale: float, zero_point: int, last: int) -> Both:
    """Cut the fraction of a step off."""
    codes = torch.trunc(x / scale) + zero_point
    return read(codes, scale, zero_point, 255), read(codes, scale, zero_point, last)


CAME_BACK = Exercise(
    name="came_back",
    call="came_back(x, scale, zero_point, last)",
    task="two tensors in the shape of x: what comes back from the old kernel, and what from the "
    "graph",
    drive=several("numbers of the kernel", "numbers of the graph"),
    right=came_back,
    cases=(
        Case("numbers in the calibrated range", (torch.tensor([0.52, 3.09, 6.18]), 0.05, 0, 127)),
        Case("a number beyond the range", (torch.tensor([0.52, 7.01]), 0.05, 0, 127)),
        Case("a number beyond 255 steps", (torch.tensor([1.01, 30.0]), 0.05, 0, 127)),
        Case("a zero point of 40", (torch.tensor([-1.54, 0.0, 3.52, 9.02]), 0.05, 40, 127)),
        Case("a number below the range", (torch.tensor([-3.02, 0.0]), 0.05, 40, 127)),
        Case("all 256 codes", (torch.tensor([2.02, 13.0]), 0.05, 0, 255)),
    ),
    mistakes={
        "You clamp in both where the observer was told. The old kernel did not know of it, and "
        "clamped at 255.": both_narrow,
        "You clamp both at 255. In the graph the range belongs to the operator.": both_wide,
        "You do not clamp for the kernel. It has more codes than the graph, and still ends at "
        "255.": open_kernel,
        "The kernel comes first, and the graph second.": turned_around,
        "You clamp the steps from 0: add the zero point first, and clamp the codes.": steps_clamped,
        "You subtract the zero point, and never added it: a code is the steps plus the zero "
        "point.": never_added,
        "You forgot to subtract the zero point before you multiply.": unshifted,
        "You clamp on the right alone: there is no code below 0.": open_below,
        "You cut the fraction off: the nearest code may be the next one.": cut_off,
    },
    hints=(
        "Both round in the same way and add the zero point. Where does each of them clamp?",
        "codes.clamp(0, 255) is the old kernel's. From codes to numbers: subtract the zero point, "
        "then multiply by the scale.",
    ),
    praise="In the calibrated range the two agree. Beyond it the old kernel had codes left.",
    place=lambda args, index: f"x = {args[0][index].item():.7g}",
    last_bits=False,
)


def factor_if_measured(codes: Tensor, bits: int) -> Tensor:
    """Return by which factor a new symmetric scale of each row is wider than the old one."""
    return codes.float().abs().amax(dim=1) / ((2**bits - 1) / 2)


def to_the_last_code(codes: Tensor, bits: int) -> Tensor:
    """Let the largest size lie at the last code."""
    return codes.float().abs().amax(dim=1) / (2 ** (bits - 1) - 1)


def to_half_the_codes(codes: Tensor, bits: int) -> Tensor:
    """Let the largest size lie at half of the number of codes."""
    return codes.float().abs().amax(dim=1) / 2 ** (bits - 1)


def on_the_right_alone(codes: Tensor, bits: int) -> Tensor:
    """Look for the largest code, and not for the largest size."""
    return codes.float().amax(dim=1) / ((2**bits - 1) / 2)


def on_the_left_alone(codes: Tensor, bits: int) -> Tensor:
    """Look at the first code alone."""
    return -codes.float().amin(dim=1) / ((2**bits - 1) / 2)


def in_int8(codes: Tensor, bits: int) -> Tensor:
    """Take sizes in int8, where −128 has none."""
    return codes.abs().amax(dim=1).float() / ((2**bits - 1) / 2)


def of_the_whole(codes: Tensor, bits: int) -> Tensor:
    """Measure the whole weight, and not each row."""
    return factor_if_measured(codes, bits).amax().expand(len(codes))


def narrower(codes: Tensor, bits: int) -> Tensor:
    """Divide the old scale by the new one."""
    return 1 / factor_if_measured(codes, bits)


def of_both_ends(codes: Tensor, bits: int) -> Tensor:
    """Measure from end to end, as for an affine ruler."""
    low, high = codes.float().aminmax(dim=1)
    return (high - low) / (2**bits - 1)


FACTOR_IF_MEASURED = Exercise(
    name="factor_if_measured",
    call="factor_if_measured(codes, bits)",
    task="one factor for each row: its new scale, divided by the old one",
    drive=one("factors"),
    right=factor_if_measured,
    cases=(
        Case("8 bits", (torch.tensor([[127, -90, 3], [-14, 127, -80]], dtype=torch.int8), 8)),
        Case("a largest size on the left", (torch.tensor([[-127, 90, 3]], dtype=torch.int8), 8)),
        Case("a code of −128", (torch.tensor([[-128, 90, 3]], dtype=torch.int8), 8)),
        Case(
            "rows that shared one scale",
            (torch.tensor([[127, -90, 3], [14, -9, 0], [60, -61, 7]], dtype=torch.int8), 8),
        ),
        Case("2 bits", (torch.tensor([[-2, 1, 0], [1, -1, 0]], dtype=torch.int8), 2)),
    ),
    mistakes={
        "You let the largest size lie at the last code. The observer lets it lie half a step "
        "farther, at 127.5 with eight bits.": to_the_last_code,
        "You let the largest size lie at 128 with eight bits. The observer lets it lie half a step "
        "nearer, at 127.5.": to_half_the_codes,
        "You look for the largest code, but the largest size may lie on the left.": (
            on_the_right_alone
        ),
        "You look at the first code alone: the largest size may lie on the right.": (
            on_the_left_alone
        ),
        "You take sizes in int8, which has no 128: the size of −128 comes out as −128. Convert "
        "first.": in_int8,
        "You measure the whole weight: each row has a scale of its own.": of_the_whole,
        "You divided the old scale by the new one: the other way round.": narrower,
        "You measure from end to end, as for an affine ruler: a symmetric one goes by the largest "
        "size.": of_both_ends,
    },
    hints=(
        "In units of the old scale a row's largest size is a whole number. At how many steps does "
        "the observer put it?",
        "A symmetric scale is the largest size, divided by half of the distance from the first "
        "code to the last one.",
    ),
    praise="A factor of 1 would leave the scale as it was, and no row has that.",
    place=lambda args, index: f"row {index[0]}",
    last_bits=False,
)

EXERCISES = (CAME_BACK, FACTOR_IF_MEASURED)
