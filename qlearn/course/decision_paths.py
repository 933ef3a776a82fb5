"""Ways through the decision guide: followed by answers, listed, and as a table for print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from qlearn.course.decisions import LEAVES, QUESTIONS, ROOT, Answer, Leaf

# The titles of the pages that leaves name
PAGES = {
    "formats/float8_and_microscaling": "Float8 and microscaling",
    "formats/four_bits": "Four bits",
    "language/activations": "The activations of a language model",
    "language/weights": "The weights of a language model",
    "models/dynamic_quantization": "Dynamic quantization of a model",
    "models/qat": "Quantization-aware training",
    "models/static_quantization": "Static quantization",
    "running/running": "Does it run faster?",
    "start/tonight": "Quantize a model tonight",
    "start/which_one": "Which one?",
}
HERE = "start/which_one"  # the page that shows the tables


class Step(NamedTuple):
    """A question and the answer that was given."""

    question: str
    answer: Answer


class Path(NamedTuple):
    """Steps from the first question, and the question or leaf where they end."""

    steps: tuple[Step, ...]
    end: str

    @property
    def leaf(self) -> Leaf | None:
        """The leaf at the end, or None where a question is still open."""
        return LEAVES.get(self.end)

    def __str__(self) -> str:
        """Say the answers, and the method."""
        said = " → ".join(step.answer.text for step in self.steps)
        return f"{said}: {self.leaf.method if self.leaf else QUESTIONS[self.end].text}"


def follow(answers: Mapping[str, str]) -> Path:
    """Return the path that these answers take; those that no question asks for do not matter.

    Args:
        answers: names of answers by names of questions; the path ends where one is missing.

    Raises:
        ValueError: there is no such question, or it has no such answer.

    >>> print(follow({"device": "processor", "weights": "embedding"}))
    processor, PyTorch → an embedding table: int8 rows in the table
    """
    for name, given in answers.items():
        if name not in QUESTIONS:
            raise ValueError(f"there is no question {name!r}: they are {', '.join(QUESTIONS)}")
        names = [answer.name for answer in QUESTIONS[name].answers]
        if given not in names:
            raise ValueError(f"{name} has no answer {given!r}: it takes {', '.join(names)}")
    steps: list[Step] = []
    at = ROOT
    while at in QUESTIONS and at in answers:
        answer = next(a for a in QUESTIONS[at].answers if a.name == answers[at])
        steps.append(Step(at, answer))
        at = answer.to
    return Path(tuple(steps), at)


def paths(start: str = ROOT) -> Iterator[Path]:
    """Yield each path from a question to a leaf, in the order of the answers.

    >>> len({path.end for path in paths()}) == len(LEAVES)
    True
    """
    if start in LEAVES:
        yield Path((), start)
        return
    for answer in QUESTIONS[start].answers:
        for rest in paths(answer.to):
            yield Path((Step(start, answer), *rest.steps), rest.end)


class Table(NamedTuple):
    """The paths from one answer to the first question, as rows for print."""

    rows: tuple[Path, ...]

    def __str__(self) -> str:
        """Return a line for each path."""
        return "\n".join(map(str, self.rows))

    def __repr__(self) -> str:
        """Name the table; a notebook shows it as Markdown."""
        return f"Table({self.rows[0].steps[0].answer.text}: {len(self.rows)} ways)"

    def _repr_markdown_(self) -> str:
        """Return a table with links to the pages."""
        lines = ["| you have | method and config | page |", "|---|---|---|"]
        for path in self.rows:
            leaf = LEAVES[path.end]
            had = " → ".join(step.answer.text for step in path.steps[1:])
            place = "" if leaf.runs == "here" else f" *({leaf.needs.partition(';')[0]})*"
            link = f"[{PAGES[leaf.page]}](../{leaf.page}.ipynb)"
            if leaf.page == HERE:
                link = "this page"
            lines.append(f"| {had} | {leaf.method}{place}: `{leaf.call}` | {link} |")
        return "\n".join(lines)


def table(device: str) -> Table:
    """Return the paths of one device.

    Raises:
        ValueError: the first question has no such answer.

    >>> print(table("phone"))
    phone → convolutions: static int8 for XNNPACK
    phone → linear layers: four bits, dynamic int8 inputs
    """
    follow({ROOT: device})
    return Table(tuple(path for path in paths() if path.steps[0].answer.name == device))
