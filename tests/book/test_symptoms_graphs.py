"""The page of symptoms on graphs of PT2E and on training: what it says happens, and helps."""

from __future__ import annotations

import copy
import io
import re

import pytest
import torch
import torch.ao.quantization as old
import torchao.quantization.pt2e as pt2e
from torch import nn
from torchao.quantization import IntxWeightOnlyConfig, PerAxis, quantize_
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e
from torchao.quantization.qat import QATConfig

from qlearn import sqnr
from tests.book.provoked import (
    IMAGES,
    UNANNOUNCED,
    X,
    calibrated,
    for_x86,
    into_onnx,
    linear,
    prepared_for_training,
    with_one_row,
)

pytestmark = UNANNOUNCED


def small() -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(2, 3, 3, padding=1), nn.ReLU(), nn.Conv2d(3, 2, 3)).eval()


def test_a_graph_keeps_the_scales_of_its_activations_out_of_its_state() -> None:
    model, other = small(), small()
    first = calibrated(copy.deepcopy(model), 5 * IMAGES)
    second = calibrated(other, IMAGES / 5)
    stored = io.BytesIO()
    torch.save(first.state_dict(), stored)
    converted, wrong = convert_pt2e(copy.deepcopy(first)), convert_pt2e(copy.deepcopy(second))
    assert str(wrong.load_state_dict(converted.state_dict())) == "<All keys matched successfully>"
    x = 5 * IMAGES
    expected = converted(x)
    assert sqnr(expected, wrong(x)) < 15
    stored.seek(0)
    second.load_state_dict(torch.load(stored))  # before it is converted
    assert torch.equal(convert_pt2e(second)(x), expected)


class Detector(nn.Module):
    """A model of which one part is a graph."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = calibrated(small(), IMAGES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.backbone(x)


def test_a_model_around_a_graph_may_be_moved_if_the_graph_may() -> None:
    message = re.escape("Calling train() or eval() is not supported for exported models")
    for graph in (
        calibrated(small(), IMAGES),
        convert_pt2e(calibrated(small(), IMAGES)),
        Detector(),
    ):
        with pytest.raises(NotImplementedError, match=message):
            graph.eval()
    moved = calibrated(small(), IMAGES)
    pt2e.move_exported_model_to_eval(moved)
    with pytest.raises(NotImplementedError, match=message):
        moved.eval()
    detector = Detector()
    pt2e.allow_exported_model_train_eval(detector.backbone)
    before = detector(IMAGES)
    assert torch.equal(detector.eval()(IMAGES), before)


class Pyramid(nn.Module):
    """A head that serves two levels."""

    def __init__(self, *, shared: bool) -> None:
        super().__init__()
        self.head = nn.Conv2d(2, 3, 3, padding=1)
        self.copy = None if shared else copy.deepcopy(self.head)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.head(x), (self.copy or self.head)(x[..., ::2, ::2])


def test_a_convolution_called_twice_needs_a_strict_export_or_a_copy() -> None:
    with pytest.raises(ValueError, match="conv partition has more than one output node"):
        for_x86(Pyramid(shared=True))
    for graph in (for_x86(Pyramid(shared=True), strict=True), for_x86(Pyramid(shared=False))):
        graph(IMAGES)
        assert "quantize_per_tensor" in convert_pt2e(graph).code


def test_a_graph_that_was_cast_says_so_and_runs_under_autocast() -> None:
    graph = convert_pt2e(calibrated(small(), IMAGES))
    expected = graph(IMAGES)
    with torch.autocast("cpu", torch.bfloat16):
        assert sqnr(expected, graph(IMAGES).float()) > 30
    message = "Input type (float) and bias type (c10::BFloat16) should be the same"
    with pytest.raises(RuntimeError) as raised:
        graph.to(torch.bfloat16)(IMAGES)
    assert message in str(raised.value)


@pytest.mark.parametrize("mode", ["same", "replicate"])
def test_the_old_api_takes_padding_in_numbers_and_of_zeros(mode: str) -> None:
    options = {"padding": "same"} if mode == "same" else {"padding": 1, "padding_mode": mode}
    model = nn.Sequential(old.QuantStub(), nn.Conv2d(2, 2, 3, **options)).eval()
    model.qconfig = old.default_qconfig
    observed = old.prepare(model)
    observed(IMAGES)
    said = {
        "same": "Expected a value of type 'List[int]' for argument 'padding'",
        "replicate": "'padding_mode' replicate is not supported by quantized convolution",
    }[mode]
    with pytest.raises((RuntimeError, NotImplementedError, ValueError)) as raised:
        old.convert(observed)(IMAGES)
    assert said in str(raised.value)


def test_under_autocast_the_fused_fake_quantization_stops() -> None:
    with torch.autocast("cpu", torch.bfloat16), pytest.raises(RuntimeError, match="found BFloat16"):
        prepared_for_training(small(), IMAGES)(IMAGES)
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Conv2d(3, 2, 3)).train()
    for version, stops in ((1, True), (0, False)):
        model.qconfig = old.get_default_qat_qconfig("x86", version=version)
        training = old.prepare_qat(model)
        with torch.autocast("cpu", torch.bfloat16):
            if stops:
                with pytest.raises(RuntimeError, match="found BFloat16"):
                    training(IMAGES)
            else:
                training(IMAGES).sum().backward()
    model = linear().train()
    quantize_(model, QATConfig(IntxWeightOnlyConfig(torch.int4, PerAxis(0)), step="prepare"))
    with torch.autocast("cpu", torch.bfloat16):
        model(X).sum().backward()


def test_training_needs_a_qconfig_that_rounds() -> None:
    model = nn.Sequential(old.QuantStub(), nn.Linear(8, 4)).train()
    for get, rounds in ((old.get_default_qconfig, False), (old.get_default_qat_qconfig, True)):
        model.qconfig = get("x86")
        training = old.prepare_qat(model)
        found = [m for m in training.modules() if isinstance(m, old.FakeQuantizeBase)]
        assert bool(found) is rounds


def test_the_old_switches_do_nothing_to_a_graph() -> None:
    graph = prepared_for_training(small(), IMAGES)
    graph(IMAGES)
    rounding = [m for m in graph.modules() if hasattr(m, "observer_enabled")]
    graph.apply(old.disable_observer)
    assert {int(m.observer_enabled) for m in rounding} == {1}
    graph.apply(pt2e.disable_observer)
    assert {int(m.observer_enabled) for m in rounding} == {0}


def test_a_file_with_free_rows_takes_one() -> None:
    model = linear().eval()
    file = into_onnx(model, input_names=["x"], dynamic_axes={"x": {0: "rows"}})
    assert torch.allclose(with_one_row(file), model(X[:1]), atol=1e-6)
