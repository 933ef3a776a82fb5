"""The page of symptoms on graphs and files that are another model than the one they came from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnxruntime import GraphOptimizationLevel as Level
from onnxruntime.quantization import CalibrationDataReader, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import Tensor, nn

from qlearn import sqnr
from tests.book.gemm import write_gemm
from tests.book.provoked import UNANNOUNCED

pytestmark = UNANNOUNCED
X = torch.randn(8, 32, generator=torch.Generator().manual_seed(0))


class TwoInputs(nn.Module):
    """A layer for each of two inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(32, 16), nn.Linear(32, 16)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.a(x) - self.b(y)


@pytest.mark.parametrize("strict", [False, True])
@torch.no_grad()
def test_one_tensor_as_two_examples_makes_one_input_of_both(strict: bool) -> None:
    model, example = TwoInputs().eval(), torch.ones(8, 32)
    for second, unread in ((example, ["x"]), (example.clone(), [])):
        program = torch.export.export(model, (example, second), strict=strict)
        inputs = [n for n in program.graph.nodes if n.op == "placeholder"]
        assert [n.name for n in inputs if not n.users] == unread
        graph = program.module()
        assert sqnr(model(example, example), graph(example, example)) > 100
        assert (sqnr(model(X, -X), graph(X, -X)) > 100) == (not unread)


class OwnScale(nn.Module):
    """Rounds its input, with a scale that it takes from it."""

    def __init__(self, item: bool) -> None:
        super().__init__()
        self.item = item

    def forward(self, x: Tensor) -> Tensor:
        largest = x.abs().max()
        scale = max(largest.item(), 1e-8) / 127 if self.item else largest.clamp(min=1e-8) / 127
        return torch.clamp(torch.round(x / scale), -128, 127) * scale


@pytest.mark.parametrize("item", [True, False])
def test_a_scale_that_item_reads_is_that_of_the_example(item: bool, tmp_path: Path) -> None:
    model, file = OwnScale(item).eval(), tmp_path / "model.onnx"
    small, warned = X / 100, "Converting a tensor to a Python number might cause the trace to be"
    with pytest.warns() as caught:  # the older exporter says in any case that it is old
        torch.onnx.export(model, (small,), file, dynamo=False, input_names=["x"])
    assert any(warned in str(warning.message) for warning in caught) == item
    traced = onnxruntime.InferenceSession(file)
    for x, right in ((small, True), (X, not item)):
        (found,) = traced.run(None, {"x": x.numpy()})
        assert (sqnr(model(x), torch.from_numpy(found)) > 60) == right


class Counting(nn.Module):
    """One step of a model whose cache is a list."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Tensor] = []

    def forward(self, x: Tensor) -> Tensor:
        self.seen.append(x)
        return torch.cat(self.seen).sum(0)


def test_a_cache_that_is_a_list_stays_as_it_was_at_the_export() -> None:
    program = torch.export.export(Counting(), (torch.ones(1, 4),), strict=False)
    assert program.graph_signature.buffers_to_mutate == {}
    step, graph = Counting(), program.module()
    first, second = torch.ones(1, 4), torch.full((1, 4), 2.0)
    assert torch.equal(step(first), graph(first))
    assert not torch.equal(step(second), graph(second))


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    write_gemm(tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def operators(file: Path) -> Counter[str]:
    return Counter(node.op_type for node in onnx.load(file).graph.node)


def test_onnx_runtime_quantizes_a_gemm_once_it_is_prepared(rows: Path, tmp_path: Path) -> None:
    ready, codes = tmp_path / "ready.onnx", tmp_path / "codes.onnx"
    quant_pre_process(rows, ready)
    quantize_dynamic(ready, codes)
    assert operators(codes)["MatMulInteger"] == 1
    x = torch.randn(4, 256).numpy()
    exact, found = (
        torch.from_numpy(onnxruntime.InferenceSession(file).run(None, {"x": x})[0])
        for file in (rows, codes)
    )
    assert sqnr(exact, found) > 30


class OneBatch(CalibrationDataReader):
    """One batch to calibrate by."""

    def __init__(self) -> None:
        self.batches = iter([{"x": torch.ones(4, 256).numpy()}])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.batches, None)


@pytest.mark.parametrize(
    ("level", "integers"),
    [
        (Level.ORT_DISABLE_ALL, False),
        (Level.ORT_ENABLE_BASIC, False),
        (Level.ORT_ENABLE_EXTENDED, True),
        (Level.ORT_ENABLE_ALL, True),
    ],
)
def test_onnx_runtime_multiplies_integers_where_it_may_optimize(
    level: Level, integers: bool, rows: Path, tmp_path: Path
) -> None:
    ready, codes, seen = (tmp_path / name for name in ("ready.onnx", "codes.onnx", "seen.onnx"))
    quant_pre_process(rows, ready)
    quantize_static(ready, codes, OneBatch())
    assert operators(codes)["DequantizeLinear"] > 1
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.optimized_model_filepath = str(seen)
    onnxruntime.InferenceSession(codes, options)
    found = operators(seen)
    assert (found["QGemm"], found["Gemm"]) == ((1, 0) if integers else (0, 1))
