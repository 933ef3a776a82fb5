"""Margins: how far a printed number is from reading otherwise."""

import ast

import pytest

from machines.margins import NOTE, Notes, margin


@pytest.mark.parametrize(
    ("number", "spec", "expected"),
    [
        (42.55018, ".1f", 0.00018 / 42.55018),
        (0.0293314978, ".6f", 2.2e-9 / 0.0293314978),
        (1 / 3, ".2f", (0.335 - 1 / 3) / (1 / 3)),
        (-1 / 3, ".2f", (0.335 - 1 / 3) / (1 / 3)),
        (0.12345, ".1%", 0.00005 / 0.12345),
    ],
)
def test_it_is_the_share_to_the_nearest_boundary(number, spec, expected):
    assert margin(number, spec) == pytest.approx(expected, rel=0.02)


def test_exact_ties_and_zero_cannot_move():
    assert margin(0.125, ".2f") == float("inf")
    assert margin(2.5, ".0f") == float("inf")
    assert margin(0.0, ".3f") == 1.0
    assert margin(0.12500001, ".2f") < 1e-6


def test_only_formats_with_decimals_are_noted():
    notes = Notes()
    tree = notes.visit(ast.parse("text = f'{a:.2f} {b} {c:>5} {d:6.1%} {a:.{n}f}'"))
    names = {NOTE: notes.note, "a": 1.5, "b": 2, "c": 3, "d": 0.25, "n": 1}
    exec(compile(tree, "cell", "exec"), names)
    assert names["text"] == "1.50 2     3  25.0% 1.5"
    assert [(number, spec) for number, spec, _ in notes.taken()] == [(1.5, ".2f"), (0.25, "6.1%")]
    assert list(notes.taken()) == []
