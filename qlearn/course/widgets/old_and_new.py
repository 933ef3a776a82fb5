"""Old and new: one scale for a matrix of tokens, or one for each token."""

from __future__ import annotations

from typing import Any

import anywidget
import torch
import traitlets
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_choice, check_float32
from qlearn.course.widgets.bundle import bundle, styles
from qlearn.integers.per_token import token_qparams
from qlearn.numbers.metrics import sqnr
from qlearn.numbers.quantize import dequantize, quantize
from qlearn.numbers.rules.kernel import dynamic_qparams
from qlearn.numbers.rules.torchao import Mapping

MOST_TOKENS = 12
MOST_FEATURES = 512
MOST_OCTAVES = 8
LARGEST = 1e30
MAPPINGS = ("symmetric", "asymmetric")


class OldAndNew(anywidget.AnyWidget):
    """Show how well each token comes out of the old dynamic layer's codes and of torchao's.

    The old rule takes one scale and one zero point for the whole input, as ``quantize_dynamic``;
    the new one takes a pair for each row, as ``Int8DynamicActivationInt8WeightConfig`` does. One
    row can be made larger. The browser computes everything; in a live notebook each choice
    arrives in the traits below.

    Args:
        x: float32 activations, a row for each of 2 to 12 tokens, at most 512 features.
        token: which row is made larger, from 0.
        octaves: how often it is doubled, 0 to 8.
        mapping: the new rule, "symmetric" or "asymmetric".
        reduce_range: let the old rule spare one bit, as it does by default.

    Attributes:
        token, octaves, mapping, reduce_range: as above.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` has another shape, or numbers that are not finite or beyond 1e30; an
            unknown mapping, or a row that is not there. Assignments raise likewise.

    >>> OldAndNew(torch.tensor([[1.0, -0.5], [0.25, 0.1]]), octaves=3)
    OldAndNew(2 tokens, token 1 ×8): weakest 18.0 dB old, 48.1 dB new
    """

    _esm = bundle("old_and_new.js")
    _css = styles("old_and_new.css")

    values = traitlets.Bytes().tag(sync=True)
    rows = traitlets.Int(1).tag(sync=True)
    token = traitlets.Int(0).tag(sync=True)
    octaves = traitlets.Int(0, min=0, max=MOST_OCTAVES).tag(sync=True)
    mapping = traitlets.Unicode("symmetric").tag(sync=True)
    reduce_range = traitlets.Bool(True).tag(sync=True)

    def __init__(
        self,
        x: Float32[Tensor, "m k"],
        *,
        token: int = 0,
        octaves: int = 0,
        mapping: str = "symmetric",
        reduce_range: bool = True,
    ) -> None:
        """Start with these tokens."""
        check_float32(x)
        if x.ndim != 2 or not 2 <= len(x) <= MOST_TOKENS or not 1 <= x.shape[1] <= MOST_FEATURES:
            raise ValueError(
                f"x has shape {tuple(x.shape)}, but the page has room for 2 to {MOST_TOKENS} "
                f"rows of 1 to {MOST_FEATURES}: pass a part, as x[:8, :64]"
            )
        if not bool((x.abs() <= LARGEST).all()):
            raise ValueError(
                f"x holds numbers that are not finite or beyond {LARGEST:g}: scale them down"
            )
        super().__init__(
            values=x.detach().contiguous().numpy().astype("<f4").tobytes(),
            rows=len(x),
            token=token,
            octaves=octaves,
            mapping=mapping,
            reduce_range=reduce_range,
        )

    @property
    def x(self) -> Float32[Tensor, "m k"]:
        """The tokens as they are now, one of them enlarged."""
        x = torch.frombuffer(bytearray(self.values), dtype=torch.float32).reshape(self.rows, -1)
        x = x.clone()
        x[self.token] *= 2.0**self.octaves
        return x

    @property
    def old(self) -> list[float]:
        """The SQNR of each token under the old rule, in dB."""
        qparams = dynamic_qparams(self.x, reduce_range=self.reduce_range)
        return self._sqnrs(dequantize(quantize(self.x, qparams, rounding="fma"), qparams))

    @property
    def new(self) -> list[float]:
        """The SQNR of each token under the new rule, in dB."""
        # A trait holds any text; the validator below lets these two through.
        mapping: Mapping = "asymmetric" if self.mapping == "asymmetric" else "symmetric"
        qparams = token_qparams(self.x, mapping=mapping)
        return self._sqnrs(dequantize(quantize(self.x, qparams), qparams))

    def _sqnrs(self, restored: Tensor) -> list[float]:
        return [sqnr(row, again) for row, again in zip(self.x, restored, strict=True)]

    @traitlets.validate("token")
    def _check_token(self, proposal: dict[str, Any]) -> int:
        """Refuse a row that is not there."""
        if not 0 <= proposal["value"] < self.rows:
            raise ValueError(
                f"token is {proposal['value']}, but there are {self.rows}: "
                f"pass 0 to {self.rows - 1}"
            )
        return int(proposal["value"])

    @traitlets.validate("mapping")
    def _check_mapping(self, proposal: dict[str, Any]) -> str:
        """Refuse a rule that torchao does not have for activations."""
        check_choice(proposal["value"], "mapping", MAPPINGS)
        return str(proposal["value"])

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        size = f", token {self.token + 1} ×{2**self.octaves}" if self.octaves else ""
        return (
            f"OldAndNew({self.rows} tokens{size}): "
            f"weakest {min(self.old):.1f} dB old, {min(self.new):.1f} dB new"
        )
