"""Numbers in print, for the line that says what a widget shows."""

from __future__ import annotations

import math


def noise(ratio: float) -> str:
    """Return a signal-to-noise ratio, given in dB; it is infinite where there is no error.

    >>> noise(38.588), noise(math.inf)
    ('SQNR 38.59 dB', 'no error')
    """
    return f"SQNR {ratio:.2f} dB" if math.isfinite(ratio) else "no error"


def counted(number: int, thing: str) -> str:
    """Return how many things there are.

    >>> counted(1, "outlier"), counted(0, "outlier")
    ('1 outlier', '0 outliers')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
