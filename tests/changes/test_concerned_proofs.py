"""A proof is concerned by what computes in it and how it is registered, and by nothing else."""

from changes.concerned_proofs import concerned
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


def test_a_proof_is_concerned_by_what_it_is_registered_with() -> None:
    now = source_of("proofs.ranges")
    (name,) = (name for name in all_proofs() if name.startswith("sqnr:"))
    assert now.count("tolerance=1e-11") == 1
    assert concerned({"proofs.ranges": now.replace("tolerance=1e-11", "tolerance=0.0")}) == [name]
