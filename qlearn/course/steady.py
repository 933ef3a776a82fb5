"""Numbers in print: with as many digits as hold on every machine, and no more."""

from __future__ import annotations

MARGIN = 1e-5  # of the number; sums of float32 numbers differ by less from library to library


def steady(value: float, spec: str, *, margin: float = MARGIN) -> str:
    """Return ``format(value, spec)``, if every number within the margin reads the same.

    Libraries add floating-point numbers in different orders and so differ in the last bits.
    A page prints what all of them give. Where two of them could round to different digits,
    this raises, and the page has to say less: fewer digits, or a bound.

    Args:
        value: the number to print.
        spec: a format, such as ".2f" or ".1%".
        margin: how far another machine's number may be, as a share of ``value``.

    Raises:
        ValueError: a number within the margin would be printed otherwise; or ``margin`` is
            negative.

    >>> steady(27.8549, ".1f")
    '27.9'
    """
    if not margin >= 0:
        raise ValueError(f"margin is {margin}: it is a share of the value, so 0 or more")
    texts = {format(value * (1 + sign * margin), spec) for sign in (-1, 0, 1)}
    if len(texts) > 1:
        raise ValueError(
            f"{value!r} within a margin of {margin:g} reads {' or '.join(sorted(texts))}: print "
            "fewer digits or a bound; to try something out on one machine, pass margin=0"
        )
    return texts.pop()
