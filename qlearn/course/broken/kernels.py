"""Layers that multiply codes, each with one line that is wrong."""

from __future__ import annotations

from collections.abc import Collection

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, unfold

from qlearn.course.broken.scales import change_layers
from qlearn.models.simulated_layer import SimulatedLayer
from qlearn.numbers.quantize import quantize


class IntegerLayer(SimulatedLayer):
    """A layer in codes: ``(Σ q·w − z·Σw) · scale_x · scale_w + bias``, which is right.

    >>> from qlearn.course.broken.nets import plain_net
    >>> from qlearn.models.simulate import simulate
    >>> x = torch.rand(2, 1, 8, 8)
    >>> layer = simulate(plain_net(), x).conv1
    >>> bool((by_kernel(layer, IntegerLayer)(x) - layer(x)).abs().max() < 1e-5)
    True
    """

    def codes(self, x: Tensor) -> Tensor:
        """Return the uint8 codes of the input."""
        assert self.input_qparams is not None
        return quantize(x, self.input_qparams)

    def sums(self, q: Tensor, w: Tensor) -> Tensor:
        """Return ``Σ q·w`` as integers, of q ``[groups, m, k]`` and w ``[groups, n, k]``."""
        return (q.double() @ w.double().mT).to(torch.int32)

    def added_bias(self) -> Tensor:
        """Return the bias in the units of the output."""
        bias: Tensor = self.layer.bias
        return bias

    def zero_point(self) -> Tensor:
        """Return the zero point of the input, which ``Σw`` is multiplied by."""
        assert self.input_qparams is not None
        return self.input_qparams.zero_point

    def forward(self, input: Tensor) -> Tensor:
        """Compute the layer from codes."""
        assert self.input_qparams is not None and self.weight_qparams is not None
        q, w = self.codes(input), quantize(self.layer.weight, self.weight_qparams)
        groups = getattr(self.layer, "groups", 1)
        shape, rows = self._rows(q)
        kernels = w.flatten(1).unflatten(0, (groups, -1))
        total = self.sums(rows.unflatten(1, (groups, -1)).movedim(1, 0), kernels)
        total = total - self.zero_point() * kernels.int().sum(2).unsqueeze(1)
        steps = self.input_qparams.scale * self.weight_qparams.scale
        y = total.movedim(0, 1).flatten(1) * steps + self.added_bias()
        return y.reshape(*shape, -1).movedim(-1, 1)

    def _rows(self, q: Tensor) -> tuple[tuple[int, ...], Tensor]:
        """Return the shape of the places of the output, and the codes that each place sees."""
        layer = self.layer
        if isinstance(layer, nn.Linear):
            return (len(q),), q
        assert self.input_qparams is not None
        (above, beside), zero = layer.padding, float(self.input_qparams.zero_point)
        padded = pad(q.float(), (beside, beside, above, above), value=zero)
        columns = unfold(padded, layer.kernel_size, stride=layer.stride)
        sizes = zip(padded.shape[2:], layer.kernel_size, layer.stride, strict=True)
        height, width = ((size - kernel) // stride + 1 for size, kernel, stride in sizes)
        return (len(q), height, width), columns.mT.flatten(0, 1).to(q.dtype)


class SaturatingLayer(IntegerLayer):
    """Adds pairs of products in 16 bits, as processors without VNNI do."""

    def sums(self, q: Tensor, w: Tensor) -> Tensor:
        """Return the sums of pairs that saturate, as ``saturating_matmul`` adds them."""
        odd = q.shape[-1] % 2  # then the last product has no neighbour
        q, w = (pad(codes.int(), (0, odd)) for codes in (q.unsqueeze(2), w.unsqueeze(1)))
        pairs = q[..., ::2] * w[..., ::2] + q[..., 1::2] * w[..., 1::2]
        limits = torch.iinfo(torch.int16)
        return pairs.clamp(limits.min, limits.max).sum(-1, dtype=torch.int32)


class BiasInWeightSteps(IntegerLayer):
    """Stores the bias in steps of the weight, and multiplies it by the input's scale as well."""

    def added_bias(self) -> Tensor:
        """Return the bias times the scale of the input."""
        assert self.input_qparams is not None
        return super().added_bias() * self.input_qparams.scale


class ZeroPointDropped(IntegerLayer):
    """Does not subtract ``z·Σw``."""

    def zero_point(self) -> Tensor:
        """Return 0."""
        return torch.tensor(0)


class SignedCodes(IntegerLayer):
    """Reads the bytes of the input as int8: 128 and more become negative."""

    def codes(self, x: Tensor) -> Tensor:
        """Return the same bytes, read with a sign."""
        return super().codes(x).view(torch.int8)


def by_kernel(layer: nn.Module, kind: type[SimulatedLayer]) -> SimulatedLayer:
    """Return a simulated layer, computed by the kernel of another class."""
    assert isinstance(layer, SimulatedLayer)
    return kind(layer.layer, layer.input_qparams, layer.weight_qparams)


def with_kernel(
    model: nn.Module, kind: type[SimulatedLayer], names: Collection[str] | None = None
) -> nn.Module:
    """Return a copy of a simulated model whose layers (or the named ones) are of that class."""

    def change(name: str, layer: SimulatedLayer) -> SimulatedLayer:
        return by_kernel(layer, kind) if names is None or name in names else layer

    return change_layers(model, change)
