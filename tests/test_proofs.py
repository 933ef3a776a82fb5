"""The proofs: a quick part of each, and the ways in which they and their page can fail."""

import importlib.util
import inspect
from pathlib import Path

import pytest
import torch

import qlearn
from proofs import page, record
from proofs.collection import all_proofs
from proofs.draw import Draw
from proofs.fingerprint import code_of, fingerprint
from proofs.proof import CASES, DisproofError, Outcome, Proof, compare, run
from proofs.record import Row, outdated, row_of, what_is_missing

PROOFS = all_proofs()
LARGE = {"tensorflow": "tensorflow", "scikit-learn": "sklearn"}  # and the names they import by
TABLES = {"quant_range", "kernels_saturate", "load_digits"}  # as many cases as there are


@pytest.mark.parametrize("name", PROOFS)
def test_the_first_cases(name):
    proof = PROOFS[name]
    if proof.package in LARGE and importlib.util.find_spec(LARGE[proof.package]) is None:
        pytest.skip(f"{proof.package} is installed by `make prove` alone")
    outcome = run(proof, proof.quick)
    assert outcome.values > 0


def test_each_public_name_is_proven_on_enough_cases():
    assert {proof.of for proof in PROOFS.values()} == set(qlearn.__all__)
    few = {proof.of for proof in PROOFS.values() if proof.cases < CASES}
    assert few <= TABLES


def test_the_record_is_of_this_code():
    assert what_is_missing(PROOFS, record.load(), qlearn.__all__) == []


# The checks can fail


def proof_of(case, **options) -> Proof:
    return Proof("mse", "an oracle", case, **options)


def test_a_single_bit_disproves():
    one = torch.tensor([1.0, 2.0])
    other = torch.nextafter(one, torch.tensor(9.0))
    with pytest.raises(DisproofError, match="case 0: 2 of 2 values differ"):
        run(proof_of(lambda draw: (one, other)), 3)
    assert run(proof_of(lambda draw: (one, other), tolerance=1e-6), 3) == Outcome(
        3, 6, 6, (other - one).max().item()
    )


def test_zeros_of_different_sign_and_nan_differ():
    zero, nan = torch.tensor(0.0), torch.tensor(torch.nan)
    assert compare(zero, -zero) == (1, 1, 0.0)
    assert compare(nan, nan) == (1, 0, 0.0)
    assert compare(nan, zero) == (1, 1, torch.inf)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (torch.zeros(2), torch.zeros(2, 1)),
        (torch.zeros(2), torch.zeros(2, dtype=torch.float64)),
        ((torch.zeros(1),), (torch.zeros(1), torch.zeros(1))),
    ],
    ids=["shape", "dtype", "number"],
)
def test_results_of_another_form_disprove(ours, theirs):
    with pytest.raises(DisproofError, match="against"):
        run(proof_of(lambda draw: (ours, theirs)), 1)


def test_a_case_is_the_same_each_time():
    for number in range(20):
        a, b = Draw(number).hard_tensor(0.5), Draw(number).hard_tensor(0.5)
        assert torch.equal(a.nan_to_num(), b.nan_to_num())


def test_code_counts_and_words_do_not():
    source = (
        '"""Doc."""\nx = 1  # why\n\n\ndef f():\n    """Return 1."""\n    return "# no comment"\n'
    )
    assert code_of(source) == 'x = 1\ndef f():\n    return "# no comment"'


def test_a_changed_function_outdates_its_proofs_and_no_others(monkeypatch):
    mse, matmul = (
        next(proof for proof in PROOFS.values() if proof.of == of)
        for of in ("mse", "saturating_matmul")
    )
    before = fingerprint(mse), fingerprint(matmul)
    file = inspect.getfile(qlearn.mse)
    changed = Path(file).read_text().replace("square().mean()", "square().median()")
    monkeypatch.setattr("proofs.fingerprint.Path", _Edited.of(file, changed))
    assert fingerprint(mse) != before[0]
    assert fingerprint(matmul) == before[1]


class _Edited:
    """A stand-in for Path that reads another text for one file."""

    def __init__(self, path):
        self.path = path

    @classmethod
    def of(cls, file, text):
        return lambda path: type("Edited", (cls,), {"file": file, "text": text})(path)

    def read_text(self, encoding):
        return self.text if self.path == self.file else Path(self.path).read_text(encoding)


def test_what_makes_a_row_worthless():
    proof = proof_of(lambda draw: (1, 1), cases=5)
    row = row_of(proof, Outcome(5, 5, 0, 0.0), fingerprint(proof))
    assert outdated(proof, row) == ""
    fields = vars(row)
    assert "changed since" in outdated(proof, Row(**fields | {"code": "x"}))
    assert "4 cases only" in outdated(proof, Row(**fields | {"cases": 4}))
    assert "not run with torch" in outdated(proof, Row(**fields | {"run": "torch 1.0, x"}))
    assert what_is_missing({}, {}, ["mse"]) == ["mse has no proof"]
    assert "never been run" in what_is_missing({proof.name: proof}, {}, [])[0]
    assert "no such proof" in what_is_missing({}, {proof.name: row}, [])[0]


def test_the_page_is_not_built_without_a_proof(monkeypatch):
    source = [page.MARK]
    page.fill_in(None, "book/intro", source)
    assert source == [page.MARK]
    page.fill_in(None, page.PAGE, source)
    assert "| **`quantize`** |" in source[0] and page.MARK not in source[0]
    monkeypatch.setattr(qlearn, "__all__", [*qlearn.__all__, "unproven"])
    with pytest.raises(page.ExtensionError, match="unproven has no proof"):
        page.fill_in(None, page.PAGE, [page.MARK])


def test_a_difference_is_shown_with_its_reason():
    row = Row("mse", "an oracle", 1, 1, 1, 2e-16, 1e-13, "the order of a sum", "", "")
    assert page.equals(row) == "an oracle; 1e-13 is allowed, for the order of a sum"
    assert page.difference(row) == "2.0e-16"
    exact = Row("max_error", "a_b", 1, 1, 0, 0.0, 0.0, "", "", "")
    assert (page.equals(exact), page.difference(exact)) == (r"a\_b", "0")
