"""The page that leads to a method: what its sentences count and compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import nbformat
import pytest
import torchao.quantization as ao
from torch import nn
from torchao.core.config import AOBaseConfig

from qlearn import load_language_model
from qlearn.course import digits_right, trained_digits_net
from qlearn.course.decisions import LEAVES, QUESTIONS
from qlearn.course.guide_runs import guide_run
from qlearn.course.known_models import INT8, bytes_stored, llama_7b, mobilenet_v2, tagger

PAGE = Path(__file__).parents[2] / "book" / "start" / "which_one.ipynb"
TEXT = "\n".join(
    cell.source for cell in nbformat.read(PAGE, as_version=4).cells if cell.cell_type == "markdown"
)


# One class has three names, and only says which layers get which other config.
QUANTIZING = [
    name
    for name in ao.__all__
    if isinstance(kind := getattr(ao, name), type)
    and issubclass(kind, AOBaseConfig)
    and kind not in (ao.FqnToConfig, ao.intx_quantization_aware_training)
]


def rows_of(model: nn.Module) -> Iterator[int]:
    """Yield how many numbers each row of a model's matrices has."""
    for parameter in model.parameters():
        if parameter.dim() == 2:
            yield from [parameter.shape[1]] * parameter.shape[0]


def says(sentence: str) -> bool:
    """Tell whether the page's prose has these words."""
    return sentence in TEXT


@pytest.mark.parametrize(
    ("sentence", "true"),
    [
        ("torchao has ten configs that quantize", len(QUANTIZING) == 10),
        (
            "Thirteen configs do their work here",
            Counter(r.runs for r in LEAVES.values())["here"] == 13,
        ),
        (
            "Two of torchao's three configs for cards stop",
            Counter(r.runs for n, r in LEAVES.items() if "card" in n) == {"stops": 2, "here": 1},
        ),
        ("The six configs for other", Counter(r.runs for r in LEAVES.values())["elsewhere"] == 6),
        ("a weight takes 5.71 of them", "(5.71 BPW)" in guide_run("gguf_4").said),
        ("For 25 of its 39 tensors", "25 of 39 tensor(s)" in guide_run("gguf_4").said),
        (
            "The small Llama is too narrow for Q4_K_M",
            median(rows_of(load_language_model())) == 128
            and {n % 256 for n in rows_of(llama_7b())} == {0},
        ),
        ("holds eight of the ten megabytes", bytes_stored(tagger()["words"]) == 8_000_000),
        ("The float network has 348 right", digits_right(trained_digits_net()) == 348),
        ("2.1 GB for 4,096 tokens", round(2 * 32 * 4096 * 4096 * 2 / 1e9, 1) == 2.1),
        ("one of 17 tags", tagger()["tags"].out_features == 17),
    ],
)
def test_a_sentence_is_there_and_true(sentence: str, true: bool) -> None:
    assert says(sentence) and true


def test_the_taggers_file_shrinks_as_the_page_says() -> None:
    layers = {nn.LSTM: INT8, nn.Linear: INT8}
    whole = bytes_stored(tagger())
    assert round(whole / bytes_stored(tagger(), layers), 1) == 1.2
    assert round(whole / bytes_stored(tagger(), layers | {nn.Embedding: INT8}), 1) == 3.8
    assert says("Only 1.2 times") and says("3.8 times smaller")


def test_quantize_saves_a_quarter_of_mobilenet() -> None:
    saved = 1 - bytes_stored(mobilenet_v2(), {nn.Linear: INT8}) / bytes_stored(mobilenet_v2())
    assert 0.2 < saved < 0.3


def test_the_five_questions_are_those_of_the_guide() -> None:
    asked = {question.text for question in QUESTIONS.values()}
    assert says("**Where will it run?**") and says("**What may be lost?**")
    assert {"Where will it run?", "What may be lost?", "What holds most of the weights?"} <= asked


def test_a_sentence_that_is_not_there_is_noticed() -> None:
    assert not says("torchao has fifteen configs")
