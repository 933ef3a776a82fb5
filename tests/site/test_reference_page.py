"""The reference of qlearn is complete, and each entry leads to a chapter and to proofs."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

import qlearn
from proofs.collection import all_proofs
from site_builder import proofs_page, reference_page
from site_builder.contents import pages
from site_builder.reference_page import PARTS, entry, part_of, reference


def test_every_public_name_has_its_entry_and_only_these():
    headings = re.findall(r"^### `(\w+)`$", reference(qlearn.__all__), re.MULTILINE)
    assert sorted(headings) == sorted(qlearn.__all__)


def two_orders(parts: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the parts that the book has too: in their own order, and in that of _toc.yml."""
    of_the_book = list(dict.fromkeys(Path(page).parent.name for page in pages()))
    return (
        [part for part in parts if part in of_the_book],
        [part for part in of_the_book if part in parts],
    )


def test_its_parts_stand_in_the_order_of_the_book_s():
    ours, the_books = two_orders(PARTS)
    assert len(the_books) > 1
    assert ours == the_books, "order PARTS in site_builder/reference_page.py as _toc.yml has them"


def test_another_order_is_seen():
    ours, the_books = two_orders(["formats", "training", "numbers"])
    assert ours == ["formats", "numbers"]
    assert the_books == ["numbers", "formats"]


def test_an_entry_leads_to_the_first_chapter_that_imports_it_and_to_its_proofs():
    text = entry("quantize")
    assert "First used in [](./start/tonight.ipynb)." in text
    assert 'href="proofs.html#proofs-of-quantize"' in text
    assert ".. autofunction:: qlearn.quantize" in text


def test_the_table_of_proofs_has_the_places_that_entries_lead_to():
    table = proofs_page.proven(all_proofs(), {}, qlearn.__all__)
    led_to = re.findall(r'proofs\.html#([\w-]+)"', reference(qlearn.__all__))
    assert led_to
    assert set(led_to) <= set(re.findall(r"\{#([\w-]+)\}", table))


def test_what_no_chapter_imports_leads_to_the_one_that_tells_of_it():
    assert "Taught in [](./models/qat" in entry("nudged_range")


def test_without_a_proof_of_its_own_an_entry_says_why():
    assert "It has no proof of its own: it holds what lstm_dynamic takes" in entry("LSTMWeights")


@pytest.mark.parametrize("name", qlearn.__all__)
def test_every_entry_speaks_of_a_chapter_and_of_proofs(name):
    said = entry(name).splitlines()[2]
    to_do = f"register {name} by public(…) in a module of proofs/, and prove it by @proof(…)"
    assert said.startswith(("First used in [](./", "Taught in [](./")), to_do
    assert "proof" in said, to_do


def test_a_class_is_shown_as_one():
    assert ".. autoclass:: qlearn.QParams" in entry("QParams")


def test_a_value_is_shown_with_the_docstring_at_its_definition():
    assert ".. autodata:: qlearn.formats.float_format.E4M3FN" in entry("E4M3FN")


def test_a_name_without_chapter_or_proof_has_no_empty_sentence(monkeypatch):
    monkeypatch.setattr(reference_page, "chapters", list)
    monkeypatch.setattr(reference_page, "all_proofs", dict)
    monkeypatch.setattr(reference_page, "all_public", dict)
    assert entry("quantize").startswith("### `quantize`\n\n```{eval-rst}")


def test_a_folder_without_a_title_is_named(monkeypatch):
    monkeypatch.setattr(qlearn.quantize, "__module__", "qlearn.sketches.float8")
    with pytest.raises(ValueError, match=r"qlearn\.quantize is of qlearn\.sketches\.float8: give"):
        part_of("quantize")
