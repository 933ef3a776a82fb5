from __future__ import annotations

import pytest
import torch
from torch import nn

from measure import torch_methods
from measure.methods import Method, said
from measure.subjects import SUBJECTS, Subject
from measure.worker import METHODS, measure, methods_for
from qlearn import sqnr


def test_a_message_keeps_its_words_and_loses_the_paths() -> None:
    error = FileNotFoundError("no file at /home/someone/x/libc.so: stop\n\nMore below")
    assert said(error) == "FileNotFoundError: no file at …/libc.so: stop"


def test_a_method_and_a_way_are_there_once() -> None:
    keys = [(method.name, method.how) for method in METHODS]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_network_has_a_baseline_and_the_same_numbers_each_time(name: str) -> None:
    if name == "token":
        return  # half a gigabyte
    subject = SUBJECTS[name]
    x = subject.inputs(2)
    assert torch.equal(subject.made()(x), subject.made()(x))
    assert "float32" in [method.name for method in methods_for(subject, "eager")]


def small() -> Subject:
    return Subject(
        "small",
        "one layer",
        (3,),
        lambda: nn.Sequential(nn.Linear(64, 32)),
        lambda rows: torch.linspace(-1, 1, rows * 64).reshape(rows, 64),
        True,
    )


@pytest.mark.parametrize("name", ["int8 weights", "int8 dynamic", "int8 static, PT2E"])
def test_what_is_timed_computes_the_model_with_fewer_bytes(name: str) -> None:
    subject = small()
    model, x = subject.made(), subject.inputs(3)
    method = next(m for m in METHODS if (m.name, m.how) == (name, torch_methods.EAGER))
    with torch.no_grad():
        ready = method.build(model, x)
        assert sqnr(model(x), ready.call()) > 30
    assert ready.bytes < 4 * 64 * 32 / 2


def test_an_error_is_a_row_and_the_others_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(model: nn.Module, x: torch.Tensor) -> object:
        raise ImportError("Requires another machine")

    float32 = next(m for m in METHODS if (m.name, m.how) == ("float32", "eager"))
    both = (float32, Method("refused", "eager", refuses))  # type: ignore[arg-type]
    monkeypatch.setattr("measure.worker.METHODS", both)
    with torch.no_grad():
        first, second = measure(small(), 3, "eager", "cpu")
    assert first["speed"] > 0 and "error" not in first
    assert second["error"] == "ImportError: Requires another machine"
