"""The ways through the course: which pages belong to each, in the order in which they are read.

The first page says how long each takes, and the head of a page says which ways it is on and what
comes next. Both read it here; the words of the first page name the same ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from site_builder.contents import chapters

FOLDER = "book/"


class Way(NamedTuple):
    """A way: what the first page calls it, and its pages as they are named below book/."""

    name: str
    pages: tuple[str, ...]


class Stop(NamedTuple):
    """A page on a way: the how manyth it is, and the one after it, or none at the end."""

    way: Way
    number: int
    after: str | None

    @property
    def page(self) -> str:
        """The page itself."""
        return self.way.pages[self.number - 1]


USE_IT = Way(
    "use it",
    (
        "start/tonight",
        "start/which_one",
        "numbers/scale_and_zero_point",
        "numbers/rounding_and_clipping",
        "calibration/observers",
        "integers/journey",
        "models/static_quantization",
        "formats/float8_and_microscaling",
        "formats/four_bits",
        "language/weights",
        "running/running",
        "models/your_own_model",
    ),
)
DEBUG_IT = Way("debug it", ("reference/symptoms", "models/debugging"))


def ways() -> dict[str, Way]:
    """Return the ways, by the names that the first page has for their minutes.

    Who wants to know every bit reads all chapters as the contents have them.
    """
    every = tuple(page.removeprefix(FOLDER) for page in chapters())
    return {"use_it": USE_IT, "debug_it": DEBUG_IT, "every_bit": Way("know every bit", every)}


def stops(page: str) -> Iterator[Stop]:
    """Yield a stop for each way that a page is on.

    >>> [(stop.way.name, stop.number, stop.after) for stop in stops("models/debugging")][0]
    ('debug it', 2, None)
    """
    for way in ways().values():
        if page in way.pages:
            number = way.pages.index(page) + 1
            yield Stop(way, number, (*way.pages, None)[number])
