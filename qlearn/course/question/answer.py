"""What an author may give as the answer of a question, and how the browser gets it.

Each kind has a function that returns an :class:`Answer`; :data:`KINDS` names them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Sentences = Mapping[Any, str]
Known = list[tuple[list[Any], str]]  # wrong answers, None for any number, and what each shows
Ends = tuple[float, float]

MOST_OPTIONS = 9


@dataclass(frozen=True)
class Answer:
    """The right answer and the known wrong ones: numbers, or places of options from 1 on."""

    right: list[Any]
    known: Known
    shown: str  # the right answer, in words
    wanted: str  # what the reader is to do
    options: list[str] = field(default_factory=list)
    within: list[float] = field(default_factory=list)  # how far off each number is still right
    line: dict[str, float] = field(default_factory=dict)


def need(fact: object, rule: str) -> None:
    """Tell the author what is wrong, unless the fact holds."""
    if not fact:
        raise ValueError(rule)


def listed(given: Any) -> list[Any]:
    """Return a number, a list, a tensor or an array as a list."""
    given = given.tolist() if hasattr(given, "tolist") else given
    each = given if isinstance(given, list | tuple) else [given]
    return [value.tolist() if hasattr(value, "tolist") else value for value in each]


def printed(number: float, margin: float = 0) -> str:
    """Return a number as the pages print it, with the decimals that count beside the margin.

    >>> printed(-2679), printed(4 / 15, 0.001)
    ('−2,679', '0.267')
    """
    decimals = math.ceil(-math.log10(margin)) if 0 < margin < 1 else 0
    text = f"{round(number, decimals) + 0.0:,.{decimals}f}"  # with no minus before 0
    return (text.rstrip("0").rstrip(".") if decimals else text).replace("-", "−")


def close(wanted: float, given: float, margin: float) -> bool:
    """Whether a number is off by no more than so much, but for the last bits of a sum.

    In binary 0.75 − 0.7 is a little more than 0.05. `answers.js` has this too.

    >>> abs(0.75 - 0.7) <= 0.05, close(0.75, 0.7, 0.05)
    (False, True)
    """
    last_bits = 4 * sys.float_info.epsilon * abs(wanted)
    return abs(wanted - given) <= margin * (1 + 1e-9) + last_bits


def _all_printed(right: list[Any], margins: Sequence[float]) -> str:
    return ", ".join(printed(*pair) for pair in zip(right, margins, strict=True))


# ------------------------------------------------------------------ numbers


def number(given: Any, wrong: Sentences, within: Any = 0) -> Answer:
    """A number or several, each right within so much."""
    right = _numbers(given)
    margins = _margins(within) * (1 if isinstance(within, list | tuple) else len(right))
    need(len(margins) == len(right), f"within has {len(margins)} numbers, the answer {len(right)}")
    for value, margin in zip(right, margins, strict=True):
        need(margin > 0 or float(value).is_integer(), f"{value} is not whole: say within=")
    known = _known_numbers(wrong, right, margins)
    wanted = _wanted(len(right), "number")
    return Answer(right, known, _all_printed(right, margins), wanted, within=margins)


def codes(given: Any, wrong: Sentences) -> Answer:
    """A code or a list of codes: whole numbers."""
    right = [int(value) for value in _numbers(given)]
    need(right == listed(given), f"{given!r} are no codes, which are whole")
    margins = [0.0] * len(right)
    known = _known_numbers(wrong, right, margins)
    wanted = _wanted(len(right), "whole number")
    return Answer(right, known, _all_printed(right, margins), wanted, within=margins)


def place(given: Any, wrong: Sentences, line: Ends, step: float, within: float) -> Answer:
    """A place on a number line from one end to the other, which the reader's mark starts at."""
    need(len(_numbers(given)) == 1, f"{given!r} is not one place")
    need(len(_numbers(line)) == 2, f"{line!r} is no line, which has two ends")
    need(len(_numbers(step)) == 1, f"{step!r} is not one step")
    need(len(_margins(within)) == 1, f"within={within!r} is not one number")
    [right], (start, end), [step], [within] = map(listed, (given, line, step, within))
    need(start < right < end, f"{right} does not lie within the line {line}")
    need(within >= step / 2 > 0, f"with steps of {step} a place can be {step / 2} off: say within=")
    need(
        not close(right, start, within),
        f"{right} is where the mark starts: let the line begin elsewhere",
    )
    known = _known_numbers(wrong, [right], [within])
    for [value], _ in known:
        need(start <= value <= end, f"{value} does not lie on the line {line}")
    ends = {"start": float(start), "end": float(end), "step": float(step)}
    wanted = "Drag the blue mark, tap a place, or use the arrow keys."
    return Answer([right], known, printed(right, within), wanted, within=[within], line=ends)


def _wanted(count: int, what: str) -> str:
    return f"Write {count} {what}s, with spaces." if count > 1 else f"Write a {what}."


def _numbers(given: Any) -> list[Any]:
    values = listed(given)
    need(values and all(map(_finite, values)), f"{given!r} is no number and no list of numbers")
    return values


def _finite(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value)


def _margins(within: Any) -> list[Any]:
    margins = listed(within)
    sound = all(_finite(margin) and margin >= 0 for margin in margins)
    need(margins and sound, f"within={within!r} is not how far off is still right")
    return margins


def _known_numbers(wrong: Sentences, right: list[Any], margins: Sequence[float]) -> Known:
    known = []
    for key, why in wrong.items():
        sound = all(value is ... or _finite(value) for value in listed(key))
        need(sound, f"{key!r} is no number and no list of numbers")
        those = [None if value is ... else value for value in listed(key)]
        need(len(those) == len(right), f"{key!r} is not as long as {right}")
        same = all(
            value is None or close(wanted, value, margin)
            for value, wanted, margin in zip(those, right, margins, strict=True)
        )
        need(not same, f"{key!r} is right, and has a sentence for who is wrong: {why!r}")
        known.append((those, why))
    return known


# ------------------------------------------------------------------ options


def one_of(given: Mapping[str, Any], wrong: Sentences) -> Answer:
    """One option: a dict of them, True for the right one, else the sentence for who takes it."""
    answer = _chosen(given, wrong, "Choose one.")
    need(len(answer.right) == 1, f"one option is True, not {len(answer.right)}")
    return answer


def any_of(given: Mapping[str, Any], wrong: Sentences) -> Answer:
    """Several options: a dict of them, True for each right one, else the sentence."""
    answer = _chosen(given, wrong, "Choose one or more.")
    need(answer.right, "at least one option is True")
    return answer


def _chosen(given: Mapping[str, Any], wrong: Sentences, wanted: str) -> Answer:
    need(isinstance(given, Mapping), "options are a dict: each True, or the sentence for it")
    need(not wrong, "the sentences of options stand beside them: leave wrong= out")
    options = _options(given)
    right = [i for i, each in enumerate(options, 1) if given[each] is True]
    known: Known = [([i], given[o]) for i, o in enumerate(options, 1) if given[o] is not True]
    shown = [options[i - 1] for i in right]
    between = " " if all(each.endswith(".") for each in shown) else "; "
    return Answer(right, known, between.join(shown), wanted, options)


def order(given: Sequence[str], wrong: Sentences) -> Answer:
    """An order: a list; a known wrong one is a pair, whose first comes too early."""
    need(isinstance(given, list | tuple), f"{given!r} is no list of steps")
    options = sorted(_options(given))
    at = {each: options.index(each) + 1 for each in given}
    known: Known = []
    for pair, why in wrong.items():
        need(isinstance(pair, tuple) and len(pair) == 2, f"{pair!r} is no pair of steps")
        for each in pair:
            need(each in at, f"{each!r} is none of the steps {list(given)}")
        first, second = (given.index(each) for each in pair)
        need(first > second, f"{pair!r} is right, and has a sentence for who is wrong: {why!r}")
        known.append(([at[each] for each in pair], why))
    wanted = "Tap the steps, the first one first. A second tap takes a step back."
    return Answer([at[each] for each in given], known, " → ".join(given), wanted, options)


def _options(given: Iterable[str]) -> list[str]:
    options = list(given)
    need(all(isinstance(each, str) and each for each in options), f"{options} are no texts")
    need(len(set(options)) == len(options), f"two options of {options} are the same")
    need(2 <= len(options) <= MOST_OPTIONS, f"a question has 2 to {MOST_OPTIONS} options")
    return options


KINDS: dict[str, Callable[..., Answer]] = {
    "number": number,
    "codes": codes,
    "one_of": one_of,
    "any_of": any_of,
    "order": order,
    "place": place,
}
TAKES = {"number": {"within"}, "place": {"line", "step", "within"}}


def answer_of(wrong: Sentences, given: Mapping[str, Any]) -> tuple[str, Answer]:
    """Return the kind among what an author gave, and its answer."""
    kinds = [kind for kind in KINDS if kind in given]
    need(len(kinds) == 1, f"give one of {', '.join(KINDS)}, not {', '.join(kinds) or 'none'}")
    [kind] = kinds
    rest = {name: value for name, value in given.items() if name != kind}
    unknown = sorted(rest.keys() - TAKES.get(kind, set()))
    need(not unknown, f"a question takes no {', '.join(unknown)} beside {kind}")
    lacking = {"line", "step", "within"} - rest.keys() if kind == "place" else set()
    need(not lacking, f"a place needs {', '.join(sorted(lacking))}")
    return kind, KINDS[kind](given[kind], wrong, **rest)
