"""SmoothQuant: what is large in the inputs is moved into the weights, channel by channel."""

from __future__ import annotations

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_number
from qlearn.checks.layer_inputs import check_rows, check_weight

EPS = torch.finfo(torch.float32).eps  # so that a channel of zeros divides nothing by zero


def smooth_scales(
    weight: Float32[Tensor, "n k"], inputs: Float32[Tensor, "*rows k"], *, alpha: float = 0.5
) -> Float32[Tensor, " k"]:
    """Return a factor for each input channel: the layer of ``weight · s`` takes ``inputs / s``.

    ``s = (max|x| + eps)^alpha / (max|w| + eps)^(1 − alpha)`` over the channel, with eps = 2^−23.
    The outputs stay the same, up to rounding. With alpha = 1 all channels of ``inputs / s`` reach
    1, with 0 all columns of ``weight · s`` do, and with ½ both reach as far, as long as their
    numbers are far above eps.

    Args:
        weight: of a linear layer, (outputs, inputs).
        inputs: what reaches the layer, a row for each token.
        alpha: 0 to 1.

    Raises:
        TypeError: weight or inputs are not float32, or alpha is no number.
        ValueError: infinities or NaN; shapes that do not fit; alpha outside 0 … 1.

    Source: Xiao et al., arXiv 2211.10438, equation 4; ``SmoothQuantObserver`` of torchao, bit for
    bit.

    >>> weight = torch.tensor([[0.5, 0.5]])
    >>> scales = smooth_scales(weight, torch.tensor([[200.0, 2.0]]))
    >>> scales
    tensor([20.0000,  2.0000])
    >>> torch.tensor([200.0, 2.0]) / scales, weight * scales
    (tensor([10.0000,  1.0000]), tensor([[10.0000,  1.0000]]))
    """
    check_weight(weight)
    check_rows(inputs, "inputs", weight)
    check_number(alpha, "alpha")
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha is {alpha}, but must lie from 0 to 1: 0.5 is usual")
    rows = inputs.detach().reshape(-1, inputs.shape[-1])
    of_inputs, of_weight = rows.abs().amax(0), weight.detach().abs().amax(0)
    return (of_inputs + EPS).pow(alpha) / (of_weight + EPS).pow(1 - alpha)
