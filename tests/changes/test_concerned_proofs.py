"""A proof is concerned by what computes in it, and by nothing else."""

import pytest

from changes.concerned_proofs import concerned, node_of
from proofs.collection import all_proofs
from proofs.fingerprint import source_of

MODULE = "qlearn.numbers.metrics"


def test_a_proof_is_concerned_by_what_it_computes_and_by_no_words() -> None:
    now = source_of(MODULE)
    assert concerned({}) == []
    assert concerned({MODULE: now.replace('"""', '"""Formerly: ', 1) + "\n# A comment\n"}) == []
    changed = concerned({MODULE: now.replace("def mse(", "def mse(unused, ")})
    assert any(name.startswith("mse:") for name in changed)
    assert not any(name.startswith("quant_range") for name in changed)


@pytest.mark.parametrize("name", [name for name in all_proofs() if not name.isascii()] + ["a: b"])
def test_pytest_finds_a_proof_by_the_name_that_it_is_given(name, request) -> None:
    assert request.node.nodeid.rpartition("[")[2] == node_of(name).rpartition("[")[2]
