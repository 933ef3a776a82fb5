"""The page of symptoms on files that do not load, and on layers that a call passes by."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn
from torch.ao.quantization.quantize_fx import prepare_fx
from torchao.quantization import (
    Float8DynamicActivationFloat8WeightConfig,
    Float8Tensor,
    Float8WeightOnlyConfig,
    quantize_,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e
from torchao.quantization.quantize_.common import KernelPreference

from tests.book.provoked import IMAGE, UNANNOUNCED, X, calibrated, dynamic, linear, static
from tests.book.symptoms_page import ENTRIES
from tests.book.test_symptoms import plain, raised
from tests.probes import Fork

pytestmark = UNANNOUNCED


def stored(value: object) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return file


@pytest.mark.parametrize("layer", [nn.LSTM(8, 4), nn.GRU(8, 4)])
def test_a_recurrent_layers_file_needs_script_objects(layer: nn.Module) -> None:
    model = old.quantize_dynamic(nn.Sequential(layer))
    file = stored(model.state_dict())
    assert "Unsupported global: GLOBAL torch.ScriptObject" in raised(lambda: torch.load(file))
    file.seek(0)
    with torch.serialization.safe_globals([torch.ScriptObject]):
        model.load_state_dict(torch.load(file))


@pytest.mark.parametrize("imports", ["torch", "torchao, torch"])
def test_a_program_of_pt2e_needs_the_operators_of_torchao(
    imports: str, tmp_path: Path, fork: Fork, fork_with_torchao: Fork
) -> None:
    graph = convert_pt2e(calibrated(linear(), X))
    torch.export.save(torch.export.export(graph, (X,)), path := tmp_path / "program.pt2")
    beside = fork if imports == "torch" else fork_with_torchao
    ended = beside(f"import {imports}; torch.export.load({str(path)!r}).module()")
    for said in (
        "We failed to resolve torch.ops.quantized_decomposed",
        "We ran into an error when deserializing the saved file",
    ):
        assert (said in ended.said) is (imports == "torch")
        assert said in ENTRIES["global"]
    assert (ended.died == "") is (imports != "torch")


def test_an_early_python_3_11_stores_members_of_enums_by_getattr(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = nn.Sequential(nn.Linear(16, 16))
    quantize_(model, Float8WeightOnlyConfig())
    # As Enum has it in Python 3.11.3: from 3.11.7 on, and before 3.11, it is by value.
    monkeypatch.setattr(
        KernelPreference, "__reduce_ex__", lambda member, _: (getattr, (type(member), member.name))
    )
    file = stored(model.state_dict())
    monkeypatch.undo()
    assert "Unsupported global: GLOBAL getattr " in raised(lambda: torch.load(file))
    file.seek(0)
    with torch.serialization.safe_globals([getattr]):
        loaded = torch.load(file)
    assert isinstance(torch.load(stored(loaded))["0.weight"], Float8Tensor)


def test_a_whole_model_names_a_class_of_layers() -> None:
    file = stored(dynamic(nn.Sequential(nn.Linear(8, 4))))
    name = "torch.nn.modules.container.Sequential"
    assert f"Unsupported global: GLOBAL {name}" in raised(lambda: torch.load(file))
    assert f"`{name}`" in ENTRIES["global"]
    file.seek(0)
    assert torch.load(file, weights_only=False)(X).shape == (2, 4)


def make_whole(model: nn.Module) -> None:
    """Mend the layers of a loaded model, as the page says."""
    for layer in model._modules.values():
        assert layer is not None
        if "_modules" not in vars(layer):
            nn.Module.__init__(layer)
        make_whole(layer)


def test_convolutions_of_a_whole_model_come_back_broken_and_are_mended() -> None:
    model = static(old.QuantStub(), nn.Sequential(nn.Conv2d(2, 2, 3)), x=IMAGE)
    loaded = torch.load(stored(model), weights_only=False)
    broken = raised(lambda: list(loaded.modules()))
    assert broken == "'Conv2d' object has no attribute '_modules'"
    assert broken in plain(ENTRIES["global"])
    make_whole(loaded)
    assert torch.equal(loaded(IMAGE).int_repr(), model(IMAGE).int_repr())


class Augmented(nn.Module):
    """A layer, and a branch that an argument opens."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 4)

    def forward(self, x: Tensor, augment: bool = False) -> Tensor:
        if augment:
            x = x + 1
        return self.layer(x)


class Around(nn.Module):
    """A module that leaves an argument at its default."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Augmented()

    def forward(self, x: Tensor) -> Tensor:
        return self.model(x)


def test_fx_follows_a_default_one_call_further_down() -> None:
    mapping = old.get_default_qconfig_mapping("x86")
    said = "symbolically traced variables cannot be used as inputs to control flow"
    assert said in raised(lambda: prepare_fx(Augmented().eval(), mapping, (X,)))
    assert prepare_fx(Around().eval(), mapping, (X,))(X).shape == (2, 4)
    assert torch.export.export(Augmented(), (X,)).module()(X).shape == (2, 4)


def test_quantize_dynamic_takes_no_convolution() -> None:
    model = nn.Sequential(nn.Conv2d(1, 1, 1), nn.Linear(4, 4))
    changed = old.quantize_dynamic(model, {nn.Conv2d, nn.Linear})
    assert type(changed[0]) is nn.Conv2d
    assert type(changed[1]) is torch.ao.nn.quantized.dynamic.Linear


@pytest.mark.parametrize(("outputs", "is_left"), [(16, False), (24, True)])
def test_float8_leaves_out_what_is_no_multiple_of_sixteen(
    outputs: int, is_left: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The card is pretended: what torchao looks at is the shape."""
    monkeypatch.setattr("torchao.float8.inference.is_MI300", lambda: True)
    model = nn.Sequential(nn.Linear(16, outputs))
    quantize_(model, Float8DynamicActivationFloat8WeightConfig())
    assert (type(model[0].weight) is nn.Parameter) == is_left


def test_a_buffer_holds_codes_and_is_stored() -> None:
    layer = nn.Module()
    layer.register_buffer("codes", torch.ones(3, dtype=torch.int8))
    layer.same = nn.Parameter(torch.ones(3, dtype=torch.int8), requires_grad=False)
    assert list(layer.state_dict()) == ["same", "codes"]
