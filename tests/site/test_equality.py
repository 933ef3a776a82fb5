"""The mark of a cell that compares qlearn with torch: its words, its place, its link."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

from proofs.collection import all_proofs
from proofs.proof import Proof
from proofs.record import load
from site_builder.equality import says, set_marks


def page_with_a_cell(metadata: dict[str, list[str]]) -> nodes.document:
    document = new_document("page")
    cell = nodes.container("", nb_element="cell_code", cell_metadata=metadata)
    document += [nodes.paragraph("", "Before."), cell]
    app = SimpleNamespace(
        env=SimpleNamespace(docname="book/numbers/x"),
        builder=SimpleNamespace(get_relative_uri=lambda _, page: f"../../{page}.html"),
    )
    set_marks(app, document)
    return document


def test_a_mark_stands_above_its_cell_and_leads_to_the_proofs():
    _, mark, cell = page_with_a_cell({"equals": ["quantize"]}).children
    assert mark["classes"] == ["equality"]
    assert mark.astext().startswith("= torch in ")
    assert mark[0]["refuri"] == "../../book/proofs.html#proofs-of-quantize"
    assert cell["prompt_show"] == "Show the check"


def test_a_cell_without_the_word_has_no_mark():
    assert len(page_with_a_cell({}).children) == 2


def test_the_cases_are_those_of_the_proofs_against_torch():
    proofs, rows = all_proofs(), load()
    counted = [
        rows[name].cases
        for name, proof in proofs.items()
        if proof.of in ("quantize", "dequantize") and proof.package is None
    ]
    assert says(["quantize", "dequantize"], proofs, rows) == f"= torch in {sum(counted):,} cases"


def test_a_function_of_torchao_is_not_said_to_be_torch():
    assert says(["quantize_cache"], all_proofs(), load()) == "= torchao in 10,000 cases"


def test_each_of_the_two_has_its_own_number():
    proofs = {
        str(n): Proof(of, oracle, lambda _: ((), ()), quick=n)
        for n, of, oracle in ((100, "f", "torch.f"), (20, "g", "torchao's g"), (3, "h", "numpy"))
    }
    assert says(["g", "f"], proofs, {}) == "= torch in 100 and torchao in 20 cases"
    assert says(["g", "h"], proofs, {}) == "= an independent program in 23 cases"


def test_functions_of_torch_are_torch_by_their_names_alone():
    assert says(["winning_rules"], all_proofs(), load()).startswith("= torch in ")


def test_without_torch_as_its_oracle_a_mark_does_not_name_it():
    assert says(["fma"], all_proofs(), load()) == "= an independent program in 10,000 cases"


def test_a_function_whose_bits_differ_gets_no_mark():
    with pytest.raises(ValueError, match="marks 'sqnr' as equal, and its proofs found bits"):
        says(["sqnr"], all_proofs(), load())


def test_a_function_without_a_proof_gets_no_mark():
    with pytest.raises(ValueError, match="checks 'quantise', of which there is no proof"):
        says(["quantise"], all_proofs(), load())


def test_until_the_full_run_those_cases_count_that_the_tests_compare():
    (fma,) = (proof for proof in all_proofs().values() if proof.of == "fma")
    assert says(["fma"], all_proofs(), {}) == f"= an independent program in {fma.quick:,} cases"
