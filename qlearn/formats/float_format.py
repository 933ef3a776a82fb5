"""A float of at most eight bits: how it is built, and the eight formats in use."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from qlearn.checks import check_choice, check_integer

Specials = Literal["ieee", "fn", "fnuz", "fnu", "none"]


@dataclass(frozen=True, repr=False)
class FloatFormat:
    """A small float format: a sign s, an exponent e and a mantissa m in a code of 2 to 8 bits.

    A code means ``(−1)^s · 2^(max(e, 1) − bias) · (m/2^mantissa_bits + [e > 0])``: with e = 0 a
    subnormal number, or zero. Some codes mean no number. Which ones, the letters at the end of a
    format's name say:

    * "ieee": e all ones is infinity where m = 0, and NaN elsewhere;
    * "fn", finite and NaN: e and m all ones are NaN, and there is no infinity;
    * "fnuz", with an unsigned zero besides: what would be −0 is NaN, and the only one;
    * "fnu", unsigned: neither sign, mantissa nor zero; a code means ``2^(e − bias)``, and all
      ones is NaN;
    * "none": every code is a number. The formats of four and six bits have "FN" in their names.

    What follows from these parts are the format's ``bits``, ``max`` and ``min``, the
    ``smallest_positive`` and ``smallest_normal`` numbers, the ``max_exponent`` of its largest
    number, its ``nan_code`` and ``infinity_code`` or None, and ``value(code)``.

    Attributes:
        name: what messages call the format.
        exponent_bits: how many bits e has.
        mantissa_bits: how many bits m has.
        bias: what is subtracted from e.
        specials: one of the five words.

    Raises:
        TypeError: the name is no text, or another attribute no integer.
        ValueError: an unknown word; a code has less than 2 or more than 8 bits; the specials ask
            for other bits; the format has numbers beyond float32's end, or below its normal ones,
            of which 2^−127 alone is allowed.

    Source: OCP 8-bit Floating Point Specification 1.0 (E4M3FN, E5M2), OCP Microscaling Formats 1.0
    (six bits, four bits, E8M0FNU), Noune et al., arXiv 2206.02915 (FNUZ).

    >>> ieee = FloatFormat("E4M3", exponent_bits=4, mantissa_bits=3, bias=7, specials="ieee")
    >>> ieee.max, E4M3FN.max
    (240.0, 448.0)
    """

    name: str
    exponent_bits: int
    mantissa_bits: int
    bias: int
    specials: Specials = "none"

    def __post_init__(self) -> None:
        """Check that the parts make a format."""
        if not isinstance(self.name, str):
            raise TypeError(f"name must be text, as 'E4M3FN', not {self.name!r}")
        check_choice(self.specials, "specials", get_args(Specials))
        check_integer(self.exponent_bits, "exponent_bits", 0, 8)
        check_integer(self.mantissa_bits, "mantissa_bits", 0, 7)
        check_integer(self.bias, "bias")
        if not 2 <= self.bits <= 8:
            raise ValueError(
                f"{self.name} has {self.bits} bits in all: a code needs 2 to 8, so add or take some"
            )
        self._check_specials()
        if self.bias + self.mantissa_bits > 127 or self._top_exponent > 127:
            raise ValueError(
                f"with the bias {self.bias}, {self.name} has numbers below float32's normal ones, "
                f"or beyond its end: move the bias towards {max(2**self.exponent_bits // 2 - 1, 0)}"
            )

    def _check_specials(self) -> None:
        """Raise ValueError unless the specials find the bits that they need."""
        e, m = self.exponent_bits, self.mantissa_bits
        if self.specials == "ieee" and not (e and m):
            raise ValueError(
                f"{self.name} has {e} bits of exponent and {m} of mantissa, but 'ieee' tells "
                "infinity from NaN by both: give it one of each at least"
            )
        if self.specials == "fnu" and m:
            raise ValueError(
                f"{self.name} has {m} bits of mantissa, but 'fnu' is a power of two: give it none"
            )
        if self._largest_code < 1:
            raise ValueError(f"{self.name} has no number but 0 beside its NaN: add a bit")

    def __repr__(self) -> str:
        """Return the name."""
        return self.name

    def value(self, code: int) -> float:
        """Return what a code means; raise ValueError if it has more bits than the format.

        >>> [E2M1FN.value(code) for code in range(8)]
        [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
        """
        check_integer(code, "code", 0, 2**self.bits - 1)
        sign, magnitude = divmod(code, self._magnitudes)
        if magnitude == self.infinity_code:
            return -math.inf if sign else math.inf
        if code == self.nan_code or magnitude > self._largest_code:
            return math.nan
        e, m = divmod(magnitude, 2**self.mantissa_bits)
        if not self.signed:
            return 2.0 ** (e - self.bias)
        significand = m / 2**self.mantissa_bits + (e > 0)
        return (-1.0) ** sign * 2.0 ** (max(e, 1) - self.bias) * significand

    @property
    def signed(self) -> bool:
        """Say whether there are negative numbers."""
        return self.specials != "fnu"

    @property
    def bits(self) -> int:
        """Return how many bits a code has."""
        return self.signed + self.exponent_bits + self.mantissa_bits

    @property
    def infinity_code(self) -> int | None:
        """Return the code of infinity, if there is one."""
        return self._largest_code + 1 if self.specials == "ieee" else None

    @property
    def nan_code(self) -> int | None:
        """Return the code of NaN, if there is one: of several the one that torch writes."""
        if self.specials == "none":
            return None
        return self._magnitudes if self.specials == "fnuz" else self._magnitudes - 1

    @property
    def max(self) -> float:
        """Return the largest number."""
        return self.value(self._largest_code)

    @property
    def min(self) -> float:
        """Return the lowest number: ``−max``, or with "fnu" the least power of two."""
        return -self.max if self.signed else self.value(0)

    @property
    def smallest_normal(self) -> float:
        """Return 2^(1 − bias), the least number with e > 0, if the specials leave one."""
        return 2.0 ** (1 - self.bias)

    @property
    def smallest_positive(self) -> float:
        """Return the least positive number, a subnormal one where there is a mantissa."""
        return self.value(1 if self.signed else 0)

    @property
    def max_exponent(self) -> int:
        """Return the exponent of the largest number, ``⌊log2 max⌋``."""
        return math.frexp(self.max)[1] - 1

    @property
    def _magnitudes(self) -> int:
        """Return how many codes there are without the sign: 2 to the power of the other bits."""
        return 2 ** (self.exponent_bits + self.mantissa_bits)

    @property
    def _largest_code(self) -> int:
        """Return the code of the largest number; above it stand infinity and NaN."""
        taken = {"ieee": 2**self.mantissa_bits, "fn": 1, "fnu": 1}
        return self._magnitudes - taken.get(self.specials, 0) - 1

    @property
    def _top_exponent(self) -> int:
        """Return the exponent of the largest number, from its code alone."""
        return max(self._largest_code >> self.mantissa_bits, 1) - self.bias


E4M3FN = FloatFormat("E4M3FN", exponent_bits=4, mantissa_bits=3, bias=7, specials="fn")
"""OCP's E4M3, to 448, with NaN and without infinity; ``torch.float8_e4m3fn``."""

E5M2 = FloatFormat("E5M2", exponent_bits=5, mantissa_bits=2, bias=15, specials="ieee")
"""OCP's E5M2, to 57344, with the infinities of IEEE 754; ``torch.float8_e5m2``."""

E4M3FNUZ = FloatFormat("E4M3FNUZ", exponent_bits=4, mantissa_bits=3, bias=8, specials="fnuz")
"""Graphcore's and AMD's E4M3, to 240, with a bias of 8; ``torch.float8_e4m3fnuz``."""

E5M2FNUZ = FloatFormat("E5M2FNUZ", exponent_bits=5, mantissa_bits=2, bias=16, specials="fnuz")
"""Graphcore's and AMD's E5M2, to 57344, with a bias of 16; ``torch.float8_e5m2fnuz``."""

E3M2FN = FloatFormat("E3M2FN", exponent_bits=3, mantissa_bits=2, bias=3)
"""Six bits, to 28, an element of MXFP6."""

E2M3FN = FloatFormat("E2M3FN", exponent_bits=2, mantissa_bits=3, bias=1)
"""Six bits, to 7.5, an element of MXFP6."""

E2M1FN = FloatFormat("E2M1FN", exponent_bits=2, mantissa_bits=1, bias=1)
"""Four bits, to 6, the element of MXFP4 and NVFP4; two in a byte, ``torch.float4_e2m1fn_x2``."""

E8M0FNU = FloatFormat("E8M0FNU", exponent_bits=8, mantissa_bits=0, bias=127, specials="fnu")
"""A power of two, 2^−127 to 2^127, or NaN, the scale of MX; ``torch.float8_e8m0fnu``."""
