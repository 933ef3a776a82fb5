"""The drawing of rules that meet: which of them match a module, and which of these wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qlearn.calibration.qconfig import KINDS, ModuleEntry, Rule, winning_rules
from qlearn.course.drawings.svg import CODE, REAL, Drawing, text

LINE, ROW, BOX = 17, 29, 24  # pixels: a line of the legend, a module, a rule's box in it
FIRST, LAST = 30.0, 100.0  # percent: the columns of the rules
LETTERS = "ABCDEFGH"
UNREAD = {"fx": (), "eager": (KINDS[2], KINDS[4])}  # the kinds that a reader does not have


def rules_and_winners(
    modules: Sequence[ModuleEntry], rules: Sequence[Rule], *, mode: str = "fx"
) -> Drawing:
    """Draw a row for each leaf, with a box for each rule that matches it; the winner is filled.

    Args:
        modules: from ``module_entries``.
        rules: in the order of their columns.
        mode: who reads the rules, ``"fx"`` or ``"eager"``.

    Raises:
        ValueError: there are no rules, or more than eight.

    >>> from torch import nn
    >>> from qlearn import module_entries
    >>> rules = [Rule("global"), Rule("object_type", "Linear")]
    >>> rules_and_winners(module_entries(nn.Sequential(nn.Linear(1, 1), nn.GELU())), rules)
    Drawing: 0: A and B match, B wins; 1: A matches, A wins.
    """
    if not 1 <= len(rules) <= len(LETTERS):
        raise ValueError(f"{len(rules)} rules: draw one to {len(LETTERS)}")
    alone = [winning_rules(modules, [rule], mode=mode) for rule in rules]
    winners = winning_rules(modules, rules, mode=mode)
    top = 8 + LINE * len(rules)
    parts, said = [*_legend(rules, mode)], []
    for number, (name, winner) in enumerate(winners.items()):
        y = top + ROW * number
        matching = [at for at, found in enumerate(alone) if found[name] is not None]
        parts.append(text(0, y + 16, name, anchor="start"))
        parts += _boxes(matching, winner, y, len(rules))
        said.append(f"{name}: {_words(matching, winner)}")
    return Drawing("; ".join(said) + ".", tuple(parts), top + ROW * len(winners))


def _words(matching: Sequence[int], winner: int | None) -> str:
    if winner is None:
        return "no rule matches"
    verb = "matches" if len(matching) == 1 else "match"
    return f"{' and '.join(LETTERS[at] for at in matching)} {verb}, {LETTERS[winner]} wins"


def _legend(rules: Sequence[Rule], mode: str) -> Iterator[str]:
    """Yield a line for each rule: its letter, and what it is about, or that nobody reads it."""
    for place, (kind, key) in enumerate(rules):
        words = {
            "global": "all modules",
            "object_type": f"class {key}",
            "module_name_regex": f"pattern {key}",
            "module_name": f"name {key}",
        }
        about = words[kind] if kind in words else f"name {key[0]}, class {key[1]}, number {key[2]}"
        yield text(0, 14 + LINE * place, LETTERS[place], anchor="start", bold=True)
        if kind in UNREAD[mode]:
            about = "not in eager mode"
        yield text(6, 14 + LINE * place, about, anchor="start")


def _boxes(matching: Sequence[int], winner: int | None, y: int, columns: int) -> Iterator[str]:
    """Yield a box for each matching rule: filled for the winner, else an outline."""
    share = (LAST - FIRST) / columns
    for at in matching:
        x, wins = FIRST + share * at, at == winner
        fill = f'fill="{CODE}" fill-opacity="0.25"' if wins else 'fill="none"'
        ink = f'stroke="{CODE}" stroke-width="2"' if wins else f'stroke="{REAL}" stroke-width="1"'
        wide = 0.86 * share
        yield f'<rect x="{x:.2f}%" y="{y}" width="{wide:.2f}%" height="{BOX}" {fill} {ink}/>'
        yield text(x + wide / 2, y + 16, LETTERS[at], bold=wins)
