"""A diagnosis changes nothing, and says what it cannot look at."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn

from qlearn import diagnose
from tests.book.provoked import UNANNOUNCED, dynamic

pytestmark = UNANNOUNCED


def in_training() -> nn.Module:
    """Return a model with observers, and with a batch norm that learns from each batch."""
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU()).train()
    model.qconfig = old.get_default_qat_qconfig("x86")
    prepared = old.prepare_qat(model)
    prepared(torch.ones(3, 4))
    return prepared


def state(model: nn.Module) -> dict[str, Any]:
    """Return what a diagnosis could change."""
    parts = list(model.modules())
    return {
        "numbers": {name: (x.data_ptr(), x.tolist()) for name, x in model.state_dict().items()},
        "leaves": [x.is_leaf for x in model.parameters()],
        "modes": [part.training for part in parts],
        "hooks": [(len(part._forward_hooks), len(part._forward_pre_hooks)) for part in parts],
        "attributes": [sorted(vars(part)) for part in parts],
    }


@pytest.mark.parametrize("fails", [False, True])
def test_models_stay_as_they_were(fails: bool) -> None:
    quantized, model = in_training(), nn.Sequential(nn.Linear(4, 4)).eval()
    before = state(quantized), state(model)
    if fails:
        with pytest.raises(ValueError, match="quantized does not run on these inputs"):
            diagnose(quantized, torch.ones(3, 5), model)
    else:
        diagnose(quantized, torch.ones(3, 4), model)
    assert (state(quantized), state(model)) == before
    assert torch.is_grad_enabled()
    copy.deepcopy(model)
    torch.export.export(model, (torch.ones(3, 4),)).module()


def test_inputs_stay_as_they_were() -> None:
    model = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 4)).eval()
    x = torch.linspace(-1, 1, 12).reshape(3, 4)
    found = diagnose(dynamic(model), x, model)
    assert x.min() == -1
    assert found.sqnr is not None
    assert found.sqnr > 20


class Two(nn.Module):
    """Takes two arguments, and returns a dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor, mask: Tensor) -> dict[str, Tensor]:
        return {"rows": mask, "logits": self.layer(x) * mask}


@pytest.mark.parametrize("by_name", [False, True])
def test_several_arguments_come_in_a_tuple_or_by_name(by_name: bool) -> None:
    model = Two().eval()
    x, mask = torch.linspace(-1, 1, 12).reshape(3, 4), torch.ones(3, 1, dtype=torch.int64)
    found = diagnose(dynamic(model), {"mask": mask, "x": x} if by_name else (x, mask), model)
    assert found.sqnr is not None
    assert found.sqnr > 20


@pytest.mark.parametrize("inputs", [None, [1.0], 3])
def test_other_inputs_are_refused(inputs: Any) -> None:
    with pytest.raises(TypeError, match=f"inputs is a {type(inputs).__name__}: pass a batch as"):
        diagnose(dynamic(nn.Sequential(nn.Linear(4, 4))), inputs)


@pytest.mark.parametrize("name", ["quantized", "model"])
def test_something_else_than_a_module_is_refused(name: str) -> None:
    models: dict[str, Any] = {"quantized": nn.Linear(4, 4), "model": nn.Linear(4, 4), name: "a.pt"}
    with pytest.raises(TypeError, match=f"{name} is a str: pass a torch.nn.Module"):
        diagnose(inputs=torch.ones(3, 4), **models)


def test_a_float_model_that_does_not_run_is_named() -> None:
    with pytest.raises(ValueError, match="model does not run on these inputs"):
        diagnose(nn.Linear(4, 4), torch.ones(3, 4), nn.Linear(5, 4))
