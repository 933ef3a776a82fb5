"""Old and new: one scale for a matrix of tokens, or one for each token."""

from __future__ import annotations

from typing import Any

from jaxtyping import Float32
from torch import Tensor
from traitlets import Bool, Bytes, Enum, Int

from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.traits import present
from qlearn.course.widgets.shared.values import loaded, stored
from qlearn.integers.per_token import token_qparams
from qlearn.numbers.metrics import sqnr
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, quantize
from qlearn.numbers.rounding import Rounding
from qlearn.numbers.rules.kernel import dynamic_qparams
from qlearn.numbers.rules.torchao import Mapping

MOST_TOKENS = 12
MAPPINGS: tuple[Mapping, ...] = ("symmetric", "asymmetric")


class OldAndNew(Figure):
    """Show how well each token comes out of the old dynamic layer's codes and of torchao's.

    The old rule takes one scale and one zero point for the whole input, as ``quantize_dynamic``;
    the new one takes a pair for each row, as ``Int8DynamicActivationInt8WeightConfig`` does. One
    row can be made larger.

    Args:
        x: float32 activations, a row for each of 2 to 12 tokens, at most 10,000 numbers.
        settings: which ``token`` is made larger, from 0; how many ``octaves``, that is how often
            it is doubled, 0 to 8; the ``mapping`` of the new rule, "symmetric" or "asymmetric";
            and ``reduce_range``, by which the old rule spares one bit, as it does by default.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` has another shape, or numbers that are not finite or beyond 1e30.

    >>> from torch import tensor
    >>> OldAndNew(tensor([[1.0, -0.5], [0.25, 0.1]]), octaves=3)
    OldAndNew(2 tokens, token 1 ×8): weakest 18.0 dB old, 48.1 dB new
    """

    values = Bytes().tag(sync=True)
    rows = Int(2, min=2, max=MOST_TOKENS).tag(sync=True)
    token = Int(0, min=0).tag(sync=True)
    octaves = Int(0, min=0, max=8).tag(sync=True)
    mapping = Enum(MAPPINGS, "symmetric").tag(sync=True)
    reduce_range = Bool(True).tag(sync=True)
    _check_token = present("token", lambda self: range(self.rows))

    def __init__(self, x: Float32[Tensor, "m k"], **settings: Any) -> None:
        values = stored(x=x)
        if x.ndim != 2 or not 2 <= len(x) <= MOST_TOKENS:
            raise ValueError(
                f"x has shape {tuple(x.shape)}, but the page has room for a matrix of 2 to "
                f"{MOST_TOKENS} rows, one for each token: pass a part, as x[:8]"
            )
        super().__init__(values=values, rows=len(x), **settings)

    @property
    def x(self) -> Float32[Tensor, "m k"]:
        """The tokens as they are now, one of them enlarged."""
        x = loaded(self.values).reshape(self.rows, -1)
        x[self.token] *= 2.0**self.octaves
        return x

    @property
    def old(self) -> list[float]:
        """The SQNR of each token under the old rule, in dB."""
        return self._sqnrs(dynamic_qparams(self.x, reduce_range=self.reduce_range), "fma")

    @property
    def new(self) -> list[float]:
        """The SQNR of each token under the new rule, in dB."""
        return self._sqnrs(token_qparams(self.x, mapping=self.mapping), "nearest")

    def _sqnrs(self, qparams: QParams, rounding: Rounding) -> list[float]:
        restored = dequantize(quantize(self.x, qparams, rounding=rounding), qparams)
        return [sqnr(row, again) for row, again in zip(self.x, restored, strict=True)]

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        size = f", token {self.token + 1} ×{2**self.octaves}" if self.octaves else ""
        return (
            f"OldAndNew({self.rows} tokens{size}): "
            f"weakest {min(self.old):.1f} dB old, {min(self.new):.1f} dB new"
        )
