"""The chapter "Your own model" runs from top to bottom with other models than its example."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest

import qlearn.course.own_model.examples as examples
from qlearn.course.own_model import Report

PAGE = Path(__file__).resolve().parents[2] / "book" / "models" / "your_own_model.ipynb"
PART, LAST = "own-model", "own-make-report"  # the reader's cell, and the end of the steps

WORDS = """
data = split_digits()
x, y = as_words(data.test_images), data.test_labels
model = trained("words")
batches = [(words, digits) for words, digits in zip(x.split(90), y.split(90))]
counts, may_lose = "share of right answers", 0.01


def metric(model):
    return (model(x).argmax(1) == y).float().mean()
"""
ROWS = """
model = trained("rows")
batches = (image[None] for image in split_digits().test_images[:20])
counts, may_lose = "minus the mean size of the logits", 0.1


def metric(model):
    return -model(split_digits().test_images).abs().mean().item()
"""
CONVOLUTIONS = """
from qlearn.course import digits_right, trained_digits_net

model = nn.Sequential(*list(trained_digits_net().children())[:-2]).eval()
batches = [split_digits().test_images]
counts, may_lose = "nothing", 0


def metric(model):
    return 1.0
"""
TIED = """
torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(40, 32), nn.Linear(32, 32), nn.Linear(32, 40)).eval()
model[2].weight = model[0].weight
batches = list(torch.arange(40).view(4, 10))
counts, may_lose = "tokens that follow from themselves", 40


def metric(model):
    return (model(torch.arange(40)).argmax(-1) == torch.arange(40)).sum().item()
"""
ONE_LAYER = """
torch.manual_seed(0)
model = nn.Linear(64, 10).eval()
batches = split_digits().test_images.flatten(1).split(60)
counts, may_lose = "nothing", 0


def metric(model):
    return 1
"""


def run(part: str) -> dict[str, Any]:
    """Run the page's steps with another cell for the reader's part; return its names."""
    names: dict[str, Any] = {"__name__": "page"}
    for cell in nbformat.read(PAGE, as_version=4).cells:
        if cell.cell_type == "code":
            exec(part if cell.id == PART else cell.source, names)
        if cell.id == LAST:
            return names
    raise AssertionError(f"the page has no cell {LAST}")


@pytest.mark.parametrize(
    ("part", "taken", "said"),
    [
        (WORDS, "int8 weights", "three axes"),
        (ROWS, "float32", "recurrent"),
        (CONVOLUTIONS, "float32", "PT2E takes them"),
        (TIED, None, "as well, where the float would stay"),
        (ONE_LAYER, "int8 weights", "Take int8 weights"),
    ],
    ids=["words", "rows", "convolutions", "tied", "one layer"],
)
def test_the_steps_run_with_any_model(part, taken, said, capsys):
    names = run(part)
    report = names["report"]
    assert isinstance(report, Report)
    assert said in report.html().replace("&#x27;", "'")
    assert taken in (None, names["chosen"].method)
    assert capsys.readouterr().out.count("\n- ") == 5, "each mistake has its sentence"


@pytest.fixture(scope="module")
def cells() -> dict[str, str]:
    return {cell.id: cell.source for cell in nbformat.read(PAGE, as_version=4).cells}


@pytest.fixture(scope="module")
def names(cells: dict[str, str]) -> dict[str, Any]:
    """Run the page's steps with its example; return its names."""
    return run(cells[PART])


def test_what_the_page_says_of_the_example(names, cells):
    page = " ".join(cells.values())
    sizes = {trial.name: trial.size for trial in names["found"]}
    gains = list(sizes.values())[3:]
    grown = [round((after - before) / 1000) for before, after in pairwise(gains)]
    assert f"the first {grown[0]} kB, and the head {grown[1]} kB" in page
    shares = {each.name: each.share for each in names["errors"]}
    assert 0.45 < shares["encoder.layers.0.linear1"] < 0.55, "half of the error"
    assert 0.2 < shares["head"] < 0.3, "a quarter of it"
    assert 0.08 < sum(s for name, s in shares.items() if ".1." in name) < 0.13, "a tenth"
    assert f"Only {names['layers'].reached('int8 weights'):.0%}".replace("%", " %") in page


def test_what_the_questions_say_of_the_example(names, cells):
    layers = names["layers"]
    share = layers.reached("int8 weights")
    sizes = round(share * layers.size / 1000), round((1 - share) * layers.size / 1000)
    assert f"reached, left = {sizes[0]}, {sizes[1]}" in cells["own-q2"]
    attention = sum(layer.size for layer in layers if "self_attn" in layer.name) / layers.size
    assert 0.3 < attention < 0.36, "a third of them in nn.MultiheadAttention"
    assert 0.6 < share < 0.7, "two thirds"
    ran = {trial.name: trial for trial in names["found"]}
    lost = {name: ran["float32"].value - trial.value for name, trial in ran.items()}
    assert names["may_lose"] == lost["four bits, 2 layers in float"] == 2 and lost["four bits"] == 4
    assert names["chosen"].method == "int8 weights"
    assert ran["int8 weights"].size == pytest.approx(ran["dynamic int8"].size, rel=0.01)
    assert ran["int8 weights"].sqnr > ran["dynamic int8"].sqnr
    assert ran["int8 weights"].size < ran["four bits, 2 layers in float"].size


def test_the_gru_is_what_its_model_consists_of():
    model = examples.trained("rows")
    share = sum(p.numel() for p in model.gru.parameters()) / sum(
        p.numel() for p in model.parameters()
    )
    page = PAGE.read_text(encoding="utf-8")
    assert re.search(rf"The GRU holds {share:.0%}".replace("%", " %"), page)
