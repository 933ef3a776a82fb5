"""A wrong answer that a question knows, in words: for the notes, for the key, for the plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def in_words(
    asked: Mapping[str, Any],
    answer: Sequence[Any],
    *,
    text: Callable[[str], str],
    number: Callable[[float, float], str],
    before: str = " before ",
    whichever: str = "any",
) -> str:
    """Return a known wrong answer as a reader gives it: an option, or numbers.

    Args:
        asked: what the page or the notebook stores of the question.
        answer: places of options from 1, or numbers; None stands for any number.
        text: how an option is written.
        number: how a number is written, with the margin in which it counts.
        before: stands between two options of which one comes too early.
        whichever: stands for any number.
    """
    if asked["options"]:
        joined = before if asked["kind"] == "order" else "; "
        return joined.join(text(asked["options"][place - 1]) for place in answer)
    margins = asked["within"] or [0.0] * len(answer)
    return ", ".join(
        whichever if value is None else number(value, margin)
        for value, margin in zip(answer, margins, strict=True)
    )
