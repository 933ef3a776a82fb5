"""Models of known shapes: published counts, and torchao's own files as the oracle of the bytes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torchao.quantization import Int8WeightOnlyConfig, quantize_

from qlearn.course import number_bytes, trained_digits_net
from qlearn.course.known_models import (
    FLOAT16,
    INT4,
    INT8,
    Form,
    bytes_stored,
    llama_7b,
    mobilenet_v2,
    shares,
    tagger,
    work,
)


def test_llama_has_the_published_parameters() -> None:
    norms = (2 * 32 + 1) * 4096
    assert sum(p.numel() for p in llama_7b().parameters()) + norms == 6_738_415_616


def test_mobilenet_has_the_published_parameters() -> None:
    # torchvision's model has 3,504,872: a batch norm has two numbers a channel, a bias one.
    channels = sum(m.out_channels for m in mobilenet_v2() if isinstance(m, nn.Conv2d))
    assert sum(p.numel() for p in mobilenet_v2().parameters()) + channels == 3_504_872


def test_the_models_run_on_shapes_alone() -> None:
    with torch.device("meta"):
        words = tagger()["words"](torch.zeros(1, 12, dtype=torch.int64))
    states, _ = tagger()["lstm"](words)
    assert tagger()["tags"](states).shape == (1, 12, 17)


@pytest.mark.parametrize("model", [trained_digits_net(), nn.LSTM(3, 5), nn.Embedding(7, 2)])
def test_float_bytes_are_those_of_the_file(model: nn.Module) -> None:
    kept = {name: t for name, t in model.state_dict().items() if "running" in name}
    counts = sum(8 for name in model.state_dict() if name.endswith("tracked"))
    buffers = sum(t.numel() * 4 for t in kept.values()) + counts
    assert bytes_stored(model) + buffers == number_bytes(model)


def test_int8_bytes_are_those_of_torchaos_file() -> None:
    model = nn.Sequential(nn.Linear(64, 48), nn.Linear(48, 10))
    expected = bytes_stored(model, {nn.Linear: INT8})
    quantize_(model, Int8WeightOnlyConfig())
    assert number_bytes(model) == expected


def test_groups_have_scales_of_their_own() -> None:
    layer = nn.Linear(64, 10, bias=False)
    assert bytes_stored(layer, {nn.Linear: INT4}) == 640 // 2 + 20 * 2
    assert bytes_stored(layer, rest=FLOAT16) == 1280
    assert bytes_stored(layer, {nn.Linear: Form(4.5, scale_bytes=0)}) == 360
    with pytest.raises(ValueError, match="groups of 32 do not divide a row of 48"):
        bytes_stored(nn.Linear(48, 10), {nn.Linear: INT4})


def test_shares_are_of_all_parameters() -> None:
    assert list(shares(tagger())) == ["Embedding", "LSTM", "Linear"]
    assert sum(shares(mobilenet_v2()).values()) == pytest.approx(1)
    with pytest.raises(ValueError, match="ReLU has no parameters"):
        shares(nn.ReLU())


def test_work_is_the_published_one() -> None:
    # Sandler et al., table 4: 300 million multiply-adds; the widest output is 112 x 112 x 96.
    found = work(mobilenet_v2(), torch.zeros(1, 3, 224, 224, device="meta"))
    assert found.largest == 96 * 112 * 112
    assert round(found.products / 1e6) == 301


@pytest.mark.parametrize("count", [bytes_stored, shares], ids=lambda function: function.__name__)
def test_parameters_without_shapes_are_not_counted(count: Callable[[nn.Module], object]) -> None:
    with pytest.raises(ValueError, match="0.weight has no shape yet: call the model once on a"):
        count(nn.Sequential(nn.LazyLinear(2)))
    with pytest.raises(TypeError, match="model is a type: pass a torch.nn.Module"):
        count(nn.Linear)  # type: ignore[arg-type]
