"""The proofs: a quick part of each, and the ways in which they and their page can fail."""

import dataclasses
import importlib.util
import re

import pytest
import torch

import qlearn
from changes.concerned_proofs import node_of
from proofs import collection, record
from proofs.__main__ import main
from proofs.collection import all_proofs, all_public, run_by_name
from proofs.fingerprint import fingerprint
from proofs.proof import CASES, DisproofError, Outcome, Proof, compare, run
from proofs.record import outdated, row_of, unproven
from proofs.surroundings import Surroundings, commit, package_version, processor, surroundings
from proofs.torch_engine import NoSuchEngineError
from site_builder import proofs_page as page

PROOFS = all_proofs()
LARGE = {  # and the names they import by
    "tensorflow": "tensorflow",
    "scikit-learn": "sklearn",
    "bitsandbytes": "bitsandbytes",
    "transformers": "transformers",
}
MSE = "mse: math.fsum, which sums exactly"
# As many cases as there are
TABLES = {
    "quant_range",
    "kernels_saturate",
    "load_digits",
    "FloatFormat",
    "nf4_levels",
    "dynamic_levels",
}


# With an id of its own: to a long one that it makes itself pytest gives a number instead.
@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in PROOFS])
def test_the_first_cases(name, request):
    assert request.node.nodeid == node_of(name)  # as make check asks for it
    proof = PROOFS[name]
    if proof.package in LARGE and importlib.util.find_spec(LARGE[proof.package]) is None:
        pytest.skip(f"{proof.package} is installed by `make prove` alone")
    try:
        outcome = run(proof, proof.quick)
    except NoSuchEngineError as error:
        pytest.skip(str(error))
    assert outcome.values > 0


def test_each_public_name_is_proven_on_enough_cases():
    for name in unproven(PROOFS, qlearn.__all__):
        pytest.fail(f"{name} has no proof: write one with @proof(…) beside its public(…)")
    assert {proof.of for proof in PROOFS.values()} <= set(qlearn.__all__)
    few = {proof.of for proof in PROOFS.values() if proof.cases < CASES}
    assert few <= TABLES
    explained = {name for name, entry in all_public().items() if entry.not_proven}
    assert not explained & {proof.of for proof in PROOFS.values()}


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


def test_a_disproof_says_how_to_see_it_again():
    with pytest.raises(DisproofError, match=r"--only 'mse: an oracle' --cases 1$"):
        run(proof_of(lambda draw: (1, 2)), 3)


def test_floats_of_one_byte_differ_in_their_bits():
    codes = torch.tensor([0x00, 0x80, 0x38], dtype=torch.uint8).view(torch.float8_e4m3fn)
    assert compare(codes, codes) == (3, 0, 0.0)
    assert compare(codes, codes.float().abs().to(codes.dtype)) == (3, 1, 0.0)


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


HERE = Surroundings(
    "2026-11-22", "abc", {"torch": package_version("torch")}, "a processor", "an OS"
)


def test_what_makes_a_row_one_of_another_day():
    proof = dataclasses.replace(PROOFS[MSE], cases=5)
    row = row_of(proof, Outcome(5, 5, 0, 0.0), fingerprint(proof), HERE)
    assert outdated(proof, row) == ""
    assert outdated(proof, None) == "not run yet"
    assert outdated(proof, dataclasses.replace(row, code="x")) == "changed"
    assert outdated(proof, dataclasses.replace(row, cases=4)) == "5 cases today"
    assert "1e-13 is allowed" in outdated(proof, dataclasses.replace(row, largest=1e-6))
    other = dataclasses.replace(HERE, versions={"torch": "1.0"})
    assert outdated(proof, dataclasses.replace(row, run=other)).startswith("torch 2.")
    # Of another oracle, too; not where it is not installed, and not for a release of ours.
    older = dataclasses.replace(HERE, versions=HERE.versions | {"onnxruntime": "1.0"})
    assert outdated(proof, dataclasses.replace(row, run=older)).startswith("onnxruntime 1.")
    unseen = HERE.versions | {"no-such-package": "1.0", "qlearn": "0.0.1"}
    run_then = dataclasses.replace(HERE, versions=unseen)
    assert outdated(proof, dataclasses.replace(row, run=run_then)) == ""


def test_a_name_without_proof_is_found():
    assert unproven(PROOFS, ["quantize", "unheard_of"]) == ["unheard_of"]


def test_the_record_keeps_what_was_run(tmp_path, monkeypatch):
    proof = PROOFS[MSE]
    row = row_of(proof, Outcome(5, 5, 0, 0.0), "a fingerprint", surroundings(proof))
    monkeypatch.setattr(record, "RECORD", tmp_path / "record.json")
    assert record.load() == {}
    record.save({proof.name: row})
    assert record.load() == {proof.name: row}


def test_a_run_names_commit_versions_and_instructions(tmp_path, monkeypatch):
    run = surroundings(next(one for one in PROOFS.values() if one.package == "onnxruntime"))
    assert list(run.versions) == ["qlearn", "torch", "onnxruntime"]
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"cpu_name": "P", "avx2": True})
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    assert re.fullmatch(
        r"P \(\S+: avx2; ATen takes \w+, .*ONEDNN_MAX_CPU_ISA=AVX2.*\)", processor()
    )
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict)
    assert "none that the kernels ask for" in processor()
    assert commit(tmp_path) == ""  # no repository
    assert str(HERE).startswith("2026-11-22: commit abc, torch ")


# The page


def test_the_page_says_what_the_full_run_is_worth_today():
    (today,) = page.parts().values()
    assert "**`quantize`**" in today
    proof = PROOFS[MSE]
    row = row_of(proof, Outcome(proof.cases, 5, 0, 0.0), fingerprint(proof), HERE)
    one = {proof.name: proof}
    assert "All 1 proofs were run in full on today's code" in page.proven(one, {MSE: row}, ["mse"])
    changed = page.proven(one, {MSE: dataclasses.replace(row, code="x")}, ["mse"])
    assert "0 of 1 proofs" in changed and " – **changed** | " in changed
    assert " – **not run yet** | – | – | – | – |" in page.proven(one, {}, ["mse"])


def test_the_page_is_built_without_a_proof_and_says_so():
    assert "No proof yet" not in page.proven(PROOFS, {}, ["quantize"])
    proven = page.proven(PROOFS, {}, ["quantize", "unheard_of"])
    assert "**No proof yet** is about `unheard_of`." in proven


def test_a_difference_is_shown_with_its_reason():
    proof = proof_of(lambda draw: (1, 1), tolerance=1e-13, why="the order of a sum")
    assert page.equals(proof) == "an oracle; 1e-13 is allowed, for the order of a sum"
    assert page.equals(Proof("mse", "a_b", proof.case)) == r"a\_b"
    row = row_of(proof, Outcome(1, 1, 1, 2e-16), "", HERE)
    assert page.difference(row) == "2.0e-16"
    assert page.difference(dataclasses.replace(row, differing=0, largest=0.0)) == "0"


# The full run


def test_a_full_run_writes_its_row_and_then_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(record, "RECORD", tmp_path / "record.json")
    monkeypatch.setattr("sys.argv", ["proofs", "--only", "quant_range: torch"])
    assert main() == 0
    (row,) = record.load().values()
    proof = PROOFS[f"{row.of}: {row.oracle}"]
    assert (row.cases, outdated(proof, row)) == (proof.cases, "")
    assert main() == 0
    assert "0 proofs to run; the others stand." in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["proofs", "--only", "quant_range: torch", "--cases", "3"])
    assert main() == 0
    assert ": 3 cases" in capsys.readouterr().out
    assert list(record.load().values()) == [row]


def test_a_disproved_proof_loses_its_row_in_a_full_run_alone(tmp_path, monkeypatch, capsys):
    name, row = next(iter(record.load().items()))
    monkeypatch.setattr(record, "RECORD", tmp_path / "record.json")
    record.save({name: row})
    monkeypatch.setattr("proofs.__main__._outcomes", lambda *_: [(name, "case 3 differs", 0.1)])
    for options, left in ((["--cases", "3"], [name]), ([], [])):
        monkeypatch.setattr("sys.argv", ["proofs", "--all", "--only", name, *options])
        assert main() == 1 and list(record.load()) == left
    assert "DISPROVED case 3 differs" in capsys.readouterr().out


def test_a_proof_whose_engine_runs_no_layer_here_keeps_its_row(tmp_path, monkeypatch, capsys):
    name, row = next(iter(record.load().items()))
    monkeypatch.setattr(record, "RECORD", tmp_path / "record.json")
    record.save({name: row})

    def no_engine(proof: Proof, cases: int | None) -> Outcome:
        raise NoSuchEngineError("x86 runs no layer here")

    monkeypatch.setattr("proofs.collection.run", no_engine)
    monkeypatch.setattr("proofs.__main__._outcomes", lambda *_: [run_by_name(name, None)])
    monkeypatch.setattr("sys.argv", ["proofs", "--all", "--only", name])
    assert main() == 0 and list(record.load()) == [name]
    assert f"not run here: {name}: x86 runs no layer here" in capsys.readouterr().out


def test_a_name_that_is_not_exported_is_named(monkeypatch):
    def broken(module):
        raise ImportError("cannot import name 'half_step' from 'qlearn'", name="qlearn")

    monkeypatch.setattr(collection, "import_module", broken)
    with pytest.raises(
        ImportError, match=r"'half_step' from 'qlearn'. Import that name in qlearn/__init__.py"
    ):
        all_proofs()
