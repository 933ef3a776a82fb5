"""Names of parts, as findings list them."""

from __future__ import annotations

from collections.abc import Iterable


def listed(names: Iterable[str], most: int = 4) -> str:
    """Return the first names, and how many more there are.

    >>> listed("abcdef")
    '"a", "b", "c", "d" and 2 more'
    """
    names = list(names)
    shown = ", ".join(f'"{name}"' for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def also(places: Iterable[str]) -> str:
    """Return a sentence of the places behind the first one, each once.

    >>> also("aba")
    ' The same at "b".'
    """
    others = list(dict.fromkeys(places))[1:]
    return f" The same at {listed(others)}." if others else ""
