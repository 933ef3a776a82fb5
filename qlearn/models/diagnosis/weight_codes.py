"""Whether codes of weights pile up at their ends, stay near 0, or are the float ones rounded."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.names import also
from qlearn.models.diagnosis.weights import has_row_scales

LONG = 16  # numbers of a row: of fewer, the one that sets the range is a large share
PILED = 0.2  # share of a row's codes: healthy weights have a tenth there at most
FEW_BITS = range(3, 9)  # different codes: of two or three bits many are the outermost
END = 127  # which the largest weight gets, or its negative
ROUNDED = 0.999  # share of the codes: a number between two may be rounded either way
LOW, MANY_LOW = 4, 0.25  # codes, and the share of rows that reach no further: two bits are left


def piled_up(case: Case) -> Iterator[Finding]:
    """Find weights of which many stand at the ends, since their range was set before they grew."""
    if case.is_right:
        return
    exact = case.float_weights
    codes = {name: codes for name, codes in _signed(case) if name in exact}
    meant = {name for name in codes if _is_meant(codes[name], exact[name])}
    shares = {name: at_ends(codes[name] / END) for name in codes if name not in meant}
    if found := [name for name, share in shares.items() if share > PILED]:
        yield Finding(
            symptoms.TRAINING,
            f'{shares[found[0]]:.0%} of the codes of "{found[0]}" stand at the ends: its range was '
            "set before its weights were trained. Calibrating anew does not repair that."
            f"{also(found)}",
        )


def _is_meant(codes: Tensor, exact: Tensor) -> bool:
    """Say whether many codes may well be the outermost ones."""
    is_short = codes.numel() < LONG * len(codes)
    has_few_bits = codes.unique().numel() in FEW_BITS
    return is_short or has_few_bits or at_ends(exact / largest(exact)) >= PILED


def low_rows(case: Case) -> Iterator[Finding]:
    """Find weights with one scale, of which many rows use but the codes around 0."""
    if case.is_right:
        return
    known = case.weights.codes
    shares = {
        name: (codes.int().abs().flatten(1).amax(1) < LOW).float().mean().item()
        for name, codes in _signed(case)
        if not has_row_scales(known[name])
    }
    if found := [name for name, share in shares.items() if share > MANY_LOW]:
        yield Finding(
            symptoms.WORSE,
            f'{shares[found[0]]:.0%} of the rows of "{found[0]}" have no code beyond {LOW - 1}, '
            f"since larger ones share their scale. Give each channel its own.{also(found)}",
        )


def are_rounded(case: Case) -> bool:
    """Say whether torch's own codes are those of the float weights, which no training has moved."""
    exact = case.float_weights
    ours = [(name, codes) for name, codes in _signed(case) if name in exact]
    return bool(ours) and all(
        codes.shape == exact[name].shape
        and (codes == _rounded(exact[name], case.weights.codes[name], codes)).double().mean()
        > ROUNDED
        for name, codes in ours
    )


def _rounded(exact: Tensor, weight: Tensor, codes: Tensor) -> Tensor:
    """Return the codes that a float weight gets by the scales of a quantized one, and its ends."""
    if weight.qscheme() in (torch.per_channel_affine, torch.per_channel_symmetric):
        scales, zeros = weight.q_per_channel_scales(), weight.q_per_channel_zero_points()
        axis = weight.q_per_channel_axis()
        found = torch.quantize_per_channel(exact, scales, zeros, axis, torch.qint8)
    else:
        qparams = weight.q_scale(), weight.q_zero_point()
        found = torch.quantize_per_tensor(exact, *qparams, torch.qint8)
    return found.int_repr().clamp(int(codes.min()), int(codes.max()))


def _signed(case: Case) -> Iterator[tuple[str, Tensor]]:
    """Yield the names of torch's own int8 weights, and their codes."""
    for name, weight in case.weights.codes.items():
        if weight.is_quantized and weight.dtype == torch.qint8:
            yield name, weight.int_repr()


def largest(weight: Tensor) -> Tensor:
    """Return the largest size in each row."""
    return weight.detach().abs().flatten(1).amax(1).reshape(-1, *[1] * (weight.ndim - 1))


def at_ends(weight: Tensor) -> float:
    """Return the share of a row that stands at 1 or -1, or beyond, of the median row.

    >>> at_ends(torch.tensor([[1.0, 0.5], [-1.0, 1.0], [0.2, 0.3]]))
    0.5
    """
    return (weight.detach().flatten(1).abs() >= 1).float().mean(1).median().item()
