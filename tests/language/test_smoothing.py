"""SmoothQuant's factors against torchao's observer."""

from __future__ import annotations

import pytest
import torch

import proofs.torchao_quietly  # noqa: F401 - imports torchao without its log
from qlearn.course import normal
from qlearn.language import smooth_scales


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 1.0])
def test_factors_are_those_of_torchao(alpha: float) -> None:
    from torchao.prototype.smoothquant.core import SmoothQuantObserver

    generator = torch.Generator().manual_seed(0)
    for _ in range(5):
        weight, inputs = normal(24, 48, generator=generator), normal(30, 48, generator=generator)
        inputs[:, 5] *= 40
        inputs[:, 6] = 0
        weight[:, 7] = 0
        observer = SmoothQuantObserver(weight, alpha)
        observer(inputs)
        theirs, _, _ = observer.calculate_qparams()
        assert torch.equal(smooth_scales(weight, inputs, alpha=alpha), theirs)


def test_outputs_stay_and_maxima_meet() -> None:
    generator = torch.Generator().manual_seed(1)
    weight, inputs = normal(24, 48, generator=generator), normal(3, 10, 48, generator=generator)
    scales = smooth_scales(weight, inputs)
    smoothed, multiplied = inputs / scales, weight * scales
    torch.testing.assert_close(smoothed @ multiplied.T, inputs @ weight.T, rtol=1e-4, atol=1e-4)
    of_inputs, of_weight = smoothed.abs().amax((0, 1)), multiplied.abs().amax(0)
    torch.testing.assert_close(of_inputs, of_weight, rtol=1e-5, atol=0)


def test_what_does_not_fit_is_said() -> None:
    weight, inputs = torch.ones(2, 3), torch.ones(4, 3)
    with pytest.raises(ValueError, match=r"alpha is 1\.5, but must lie from 0 to 1"):
        smooth_scales(weight, inputs, alpha=1.5)
    with pytest.raises(ValueError, match="alpha is nan"):
        smooth_scales(weight, inputs, alpha=float("nan"))
    with pytest.raises(TypeError, match="alpha must be an int or a float, not '0.5'"):
        smooth_scales(weight, inputs, alpha="0.5")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="inputs has 2 features"):
        smooth_scales(weight, inputs[:, :2])
