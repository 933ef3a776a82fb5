"""Where a measurement stops to count: what varies too little, lies too far, or agrees too badly."""

from __future__ import annotations

import math

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn

from qlearn import diagnose
from qlearn.models.diagnosis.folded import _eps
from qlearn.models.diagnosis.rows import _by_row
from qlearn.models.diagnosis.runs import output_sqnr
from tests.book.provoked import UNANNOUNCED, made_static
from tests.models.diagnosis.test_beside_float import FOR_X86, drawn, normed, said

pytestmark = UNANNOUNCED


def test_a_column_that_hardly_varies_is_judged_by_its_size() -> None:
    good = 300 + 0.001 * drawn(64, 1)
    assert output_sqnr(good, good + 0.5) == pytest.approx(20 * math.log10(600), abs=0.01)
    assert output_sqnr(300 + drawn(64, 1), 300.5 + drawn(64, 1)) < 10


def test_a_column_without_an_error_does_not_count() -> None:
    good = torch.stack([drawn(64), drawn(64, seed=1)], 1)
    ours = good + torch.tensor([0.0, 3.0])
    assert output_sqnr(good, good) == math.inf
    assert -12 < output_sqnr(good, ours) < -8


def test_a_small_row_is_no_wrong_one() -> None:
    good = torch.ones(9, 4, dtype=torch.float64)
    good[0], good[1] = 1e-6, 100
    assert _by_row(good, good + 0.01) == pytest.approx([40, 80, *[40] * 7], abs=1e-6)


@pytest.mark.parametrize(("largest", "is_asked"), [(99.0, True), (101.0, False)])
def test_a_long_ruler_is_a_masks_where_all_else_is_small(largest: float, is_asked: bool) -> None:
    model = nn.Sequential(old.QuantStub(), nn.Identity(), old.DeQuantStub()).eval()
    x = drawn(16, 8, seed=3).clamp(-2, 2) / 2
    x[0, 0] = largest
    far = x.clone()
    far[1, 1] = -1e5
    found = said(diagnose(made_static(model, far, FOR_X86), x, model))
    assert ("Was a mask there" in found) is is_asked


@pytest.mark.parametrize(("agreeing", "eps"), [(8, 1e-5), (7, 1e-5), (4, None)])
def test_most_channels_agree_on_an_eps(agreeing: int, eps: float | None) -> None:
    norm = normed()[1]
    exact: Tensor = drawn(8, 3, 3, 3)
    factors = norm.weight.detach() / (norm.running_var + 1e-5).sqrt()
    factors[agreeing:] *= 0.5
    found = _eps(exact * factors[:, None, None, None], exact, norm)
    assert (found is None) if eps is None else found == pytest.approx(eps, rel=0.01)
