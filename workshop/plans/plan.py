"""What a plan is made of: steps, blocks, and what is no section of a page, such as a break."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple


class Way(Enum):
    """What is done with a section in the room, in a word for each."""

    TELL = "Tell"  # you say it in your own words
    SHOW = "Show"  # you show the page and go through it
    ASK = "Ask"  # you show the page up to the block's question, and then ask
    DO = "All do"  # each does it, with a pencil or on the page: a browser is enough
    RUN = "All run"  # each runs or changes cells: it takes a kernel


class Step(NamedTuple):
    """A section of a page, what is done with it, and whether it can be left out."""

    way: Way
    section: str  # as in "start/tonight#four-bits-in-groups"
    how: str = ""  # a sentence, where the page does not say what to do
    can_wait: bool = False  # what to skip when you are late
    code: str = ""  # a new cell, behind the cells of the section
    begins_above: bool = False  # with what its chapter's section has before its first subsection
    finds: str = ""  # what comes of it, in a sentence for you; the students' edition has none

    @property
    def page(self) -> str:
        """The page of the section, below book/."""
        return self.section.partition("#")[0]


class Block(NamedTuple):
    """Some sections with one goal, and one question for the room."""

    key: str  # in addresses
    title: str
    goal: str  # what each person then has done, knows or can: it goes on from "each"
    question: str  # the name of a Question in the section of the step that asks
    steps: tuple[Step, ...]
    can_wait: bool = False  # no later block needs it

    @property
    def asks(self) -> Step:
        """The step in which the room is asked."""
        [step] = [step for step in self.steps if step.way is Way.ASK]
        return step


class Pause(NamedTuple):
    """Minutes that belong to no page: arriving, a break, work of one's own."""

    title: str
    minutes: int
    what: str = ""


class Day(NamedTuple):
    """What comes one after the other, and how many minutes there are for it."""

    title: str
    minutes: int
    items: tuple[Block | Pause, ...]


class Plan(NamedTuple):
    """One day or several."""

    key: str
    days: tuple[Day, ...]

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks in their order."""
        for day in self.days:
            yield from (item for item in day.items if isinstance(item, Block))
