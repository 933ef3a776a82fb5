"""The registry of public functions: an entry for each name, and what an entry must say."""

import json
import re
import textwrap
from pathlib import Path

import pytest

import qlearn
from proofs import proof as proof_module
from proofs import public as registry
from proofs import ranges
from proofs.collection import all_public
from proofs.inputs import values
from proofs.public import Large, public

PUBLIC = all_public()
ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
LARGE = Large("", values, lambda x: x)


@pytest.fixture
def empty(monkeypatch):
    monkeypatch.setattr(registry, "_PUBLIC", {})


def test_every_public_name_has_an_entry():
    exported, registered = set(qlearn.__all__), set(PUBLIC)
    for name in exported - registered:
        pytest.fail(f"{name} has no entry: register it by public(…) in a module of proofs/")
    for name in registered - exported:
        pytest.fail(f"import {name} in qlearn/__init__.py, and add it to __all__")


@pytest.mark.parametrize("name", qlearn.__all__)
def test_its_idea_has_a_test_of_its_own(name):
    _, *folders, idea = getattr(qlearn, name).__module__.split(".")
    path = Path("tests", *folders, f"test_{idea}.py")
    assert (ROOT / path).exists(), f"there is no {path}, which would test {name}"


@pytest.mark.parametrize("name", PUBLIC)
def test_its_chapter_names_it(name):
    notebook = json.loads((BOOK / f"{PUBLIC[name].chapter}.ipynb").read_text(encoding="utf-8"))
    named = any(name in "".join(cell["source"]) for cell in notebook["cells"])
    assert named, (
        f"book/{PUBLIC[name].chapter}.ipynb, which public({name!r}, …) names, has no {name}"
    )


@pytest.mark.parametrize("name", [name for name, entry in PUBLIC.items() if entry.large])
def test_a_large_call_is_a_call(name):
    for large in PUBLIC[name].large:
        large.call(*large.inputs(1000))


def test_the_recipe_of_a_function_runs(empty, monkeypatch):
    monkeypatch.setattr(proof_module, "_PROOFS", {})
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    recipe = text.partition("### A function")[2].partition("\n### ")[0]
    function, entry = re.findall(r"   ```python\n(.*?)   ```", recipe, re.DOTALL)
    namespace = dict(vars(ranges))
    for block in (function, entry):
        exec(textwrap.dedent(block), namespace)
    assert registry.registered_names()["half_step"].not_large
    [proof] = proof_module.registered().values()
    assert proof_module.run(proof, 200).differing == 0


def test_an_entry_measures_or_says_why_not(empty):
    with pytest.raises(ValueError, match="f needs a large call, or else a reason"):
        public("f", "numbers/x", {})
    with pytest.raises(ValueError, match="f needs a large call, or else a reason"):
        public("f", "numbers/x", {}, LARGE, not_large="it takes no tensor")


def test_a_name_has_one_entry(empty):
    public("f", "numbers/x", {}, LARGE)
    with pytest.raises(ValueError, match="f has two entries: leave one out"):
        public("f", "numbers/x", {}, LARGE)
