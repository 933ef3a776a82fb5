"""The texts: their lengths and sums, and that the model has never seen the held-out one."""

from __future__ import annotations

import hashlib

import pytest

from data_makers.make_language_text import PIECE, QUOTED, piece, quoted
from qlearn import load_language_text

SUMS = {  # length, and the beginning of its SHA-256
    "train": (4_465_740, "fdeaddba46b27002"),
    "held_out": (65_536, "0f0c88aaea7b9a88"),
}


@pytest.mark.parametrize("part", SUMS)
def test_the_texts_are_those_of_the_chapters(part) -> None:
    text = load_language_text(part)
    assert (len(text), hashlib.sha256(text).hexdigest()[:16]) == SUMS[part]
    text.decode("utf-8")


def test_no_piece_of_the_held_out_text_is_in_the_training_text() -> None:
    text, train = load_language_text("held_out"), load_language_text("train")
    starts = range(0, len(text) - QUOTED + 1, QUOTED // 2)
    assert not [start for start in starts if text[start : start + QUOTED] in train]


def test_a_quotation_is_noticed_and_passed_over() -> None:
    train = load_language_text("train")
    text = b"x" * PIECE + train[5000 : 5000 + PIECE] + b"y" * PIECE
    assert quoted(text[100 : 100 + 2 * PIECE], train)
    assert piece(text[PIECE:], 0, train) == b"y" * PIECE


def test_another_part_is_refused() -> None:
    with pytest.raises(ValueError, match="part must be 'train' or 'held_out', not 'test'"):
        load_language_text("test")  # type: ignore[arg-type]
