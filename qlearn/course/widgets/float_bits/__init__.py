"""A number's bits to flip: float32, bfloat16, float16, float8 in five forms, and int8."""

from __future__ import annotations

from typing import Any

from traitlets import Enum, Int, TraitError, validate

from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.traits import Number

BITS = {"float32": 32, "bfloat16": 16, "float16": 16}
EIGHT = ("E4M3FN", "E4M3", "E5M2", "E4M3FNUZ", "E5M2FNUZ", "int8")


class FloatBits(Figure):
    """Show the bits of a number in a format, its neighbours, and the end of the format.

    Args:
        number: what is rounded to the format, finite.
        format: E4M3FN, E4M3 (as IEEE 754 would have it), E5M2, E4M3FNUZ, E5M2FNUZ, float16,
            bfloat16, float32 or int8.
        more: ``overflow``, what becomes of a number beyond the end: "saturate" or "special";
            ``scale``, of int8; ``code``, the bits as an integer, in place of the number's.

    >>> FloatBits(0.3)
    FloatBits(0.3): E4M3FN, saturate
    """

    format = Enum([*EIGHT, *BITS], default_value="E4M3FN").tag(sync=True)
    number = Number(0.0, min=-3.4028234663852886e38, max=3.4028234663852886e38).tag(sync=True)
    code = Int(None, allow_none=True, min=0).tag(sync=True)
    overflow = Enum(["saturate", "special"], default_value="saturate").tag(sync=True)
    scale = Number(1.0, min=1e-6, max=1e6).tag(sync=True)

    def __init__(self, number: float, format: str = "E4M3FN", **more: Any) -> None:
        super().__init__(number=number, format=format, **more)

    @validate("code", "format")
    def _check_code(self, proposal: dict[str, Any]) -> Any:
        """Refuse a code with more bits than the format has; traitlets asks once both are set."""
        state = self.state() | {proposal["trait"].name: proposal["value"]}
        code, bits = state["code"], BITS.get(state["format"], 8)
        if code is not None and code >= 2**bits:
            raise TraitError(f"code is {code}, but {state['format']} has {bits} bits")
        return proposal["value"]

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        shown = f"{self.number:.6g}" if self.code is None else f"code 0x{self.code:02x}"
        how = f"scale {self.scale:.6g}" if self.format == "int8" else self.overflow
        return f"FloatBits({shown}): {self.format}, {how}"
