"""What can be counted of the house style in the prose of a page.

    python -m notebook_pipeline.prose_rules              # each page's counts
    python -m notebook_pipeline.prose_rules observers    # the sentences themselves

Each rule takes a sentence and tells whether it breaks it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat

Rule = Callable[[str], bool]

BOOK = Path(__file__).parent.parent / "book"
LONGEST_SENTENCE = 35  # words
LONGEST_BRACKET = 8
# In place of these comes a word, so that the sentence stays one.
STANDS_FOR_A_WORD = re.compile(r"\$[^$\n]+\$|`[^`\n]+`|\{[a-z:]+\}`[^`]*`")
NOT_PROSE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})(?:\w+$|\{(?:math|code|table|tableofcontents|image)\b).*?^(?P=fence)"
    r"|^\$\$.*?^\$\$.*?$|^\|.*?$|^#.*?$|^(?:`{3,}|:{3,}).*?$|^:[a-z-]+:.*?$|^\([\w-]+\)=$|<[^>\n]*>",
    re.MULTILINE | re.DOTALL,
)
END = re.compile(
    r"(?:(?<=[.!?:])|(?<=[.!?:][)\"”]))\s+(?=[A-Z(*“\"0-9])"  # after a stop, before a capital
    r"|\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )"  # between paragraphs, and lines of a list
)
PRONOUN = "it|they|he|we|you|there|this|that|the|its|all|no"
VERB = "is|are|was|were|has|have|does|do|can|will|would|comes?|makes?|takes?|gives?"
FOR = re.compile(rf", for (?:{PRONOUN})\b.* (?:{VERB})\b")
WOULD = "can|could|may|might|must|has to|would|should|will|needs|wants|does|reads|sees|gets|takes"
ONE = re.compile(rf"\b[Oo]ne (?:{WOULD})\b")


def for_means_because(sentence: str) -> bool:
    """``, for`` before a clause, where ``because`` is meant."""
    return bool(FOR.search(sentence))


def begins_with_a_bracket(sentence: str) -> bool:
    """An exception in brackets has a sentence of its own, or a fold."""
    return sentence.startswith("(")


def is_long(sentence: str) -> bool:
    """More words than can be read aloud in a breath."""
    return len(re.findall(r"\w[\w.,'’·−+-]*", sentence)) > LONGEST_SENTENCE


def has_one_for_you(sentence: str) -> bool:
    """``one`` as a subject, where ``you`` is meant."""
    return bool(ONE.search(sentence))


def gives_up(sentence: str) -> bool:
    """An outlier is dropped, a bit lost, a training stopped."""
    return bool(re.search(r"\b(?:gives?|gave|given|giving) up\b", sentence))


def has_a_long_bracket(sentence: str) -> bool:
    """A bracket holds a few words, or is a sentence."""
    inside = re.findall(r"\(([^()]*)\)", sentence)
    return any(len(words.split()) > LONGEST_BRACKET for words in inside)


def speaks_of_the_notes(sentence: str) -> bool:
    """The text from which the course grew is nothing that the reader has seen."""
    return bool(re.search(r"\b(?:the|our|those) (?:old )?notes\b", sentence, re.IGNORECASE))


RULES: tuple[Rule, ...] = (
    for_means_because,
    begins_with_a_bracket,
    is_long,
    has_one_for_you,
    gives_up,
    has_a_long_bracket,
    speaks_of_the_notes,
)


def sentences(markdown: str) -> Iterator[str]:
    r"""Yield the sentences of a text, without its code, formulas, tables and headings.

    >>> list(sentences("# Title\n\nOne step is $s$. See [the *page*](x.ipynb).\n\n| a |"))
    ['One step is X.', 'See the page.']
    """
    text = re.sub(r"\[([^\]\n]*)\]\([^)\n]*\)", lambda link: link[1] or "X", markdown)
    text = STANDS_FOR_A_WORD.sub("X", NOT_PROSE.sub("\n\n", text)).replace("*", "")
    for sentence in END.split(text):
        joined = " ".join(sentence.split()).lstrip("- ")
        if re.search(r"\w", joined):
            yield joined


def prose_of(path: Path) -> str:
    """Return the Markdown of a page."""
    if path.suffix == ".md":
        return path.read_text("utf-8")
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def broken(path: Path) -> dict[str, list[str]]:
    """Return the sentences of a page that break each rule."""
    said = list(sentences(prose_of(path)))
    found = {rule.__name__: list(filter(rule, said)) for rule in RULES}
    return {rule: those for rule, those in found.items() if those}


def pages() -> list[Path]:
    """Return all pages of the book."""
    return sorted(path for path in BOOK.rglob("*") if path.suffix in (".md", ".ipynb"))


def main() -> int:
    """Print how often each page breaks each rule, or the sentences of some pages."""
    for path in pages():
        found = broken(path)
        counts = ", ".join(
            f"{len(those)} {rule.replace('_', ' ')}" for rule, those in found.items()
        )
        if not sys.argv[1:]:
            print(f"{sum(map(len, found.values())):4}  {path.relative_to(BOOK)}: {counts}")
        elif any(word in str(path) for word in sys.argv[1:]):
            for rule, those in found.items():
                print(f"\n{path.relative_to(BOOK)}: {rule.replace('_', ' ')}", *those, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
