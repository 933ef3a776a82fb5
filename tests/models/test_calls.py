"""What the layers of a model are given and put out: each call, in order, however it is written."""

import pytest
import torch
from torch import nn

from qlearn.models.calls import layer_calls, run_model


class Twice(nn.Module):
    """Calls a layer twice, once by the name of its argument, and another one not at all."""

    def __init__(self):
        super().__init__()
        self.layer, self.idle = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(input=self.layer(x))


def test_each_call_is_kept_in_order_with_its_input_and_output():
    model, x = Twice().eval(), torch.rand(2, 3)
    calls = layer_calls(model, x, ["layer", "idle"])
    once, again = calls["layer"]
    assert calls["idle"] == []
    assert torch.equal(once.x, x) and torch.equal(once.y, model.layer(x))
    assert torch.equal(again.x, once.y) and torch.equal(again.y, model(x))
    assert not again.y.requires_grad


def test_no_hook_is_left_even_after_an_error():
    model = Twice().eval()
    with pytest.raises(ValueError, match=r"does not run on inputs of shape \(2, 4\)"):
        layer_calls(model, torch.rand(2, 4), ["layer"])
    assert len(model.layer._forward_hooks) == 0


@pytest.mark.parametrize("error", [RuntimeError, IndexError, KeyError, TypeError, AssertionError])
def test_what_torch_says_comes_with_what_to_pass(error):
    class Refuses(nn.Module):
        def forward(self, x):
            raise error("no such size")

    with pytest.raises(
        ValueError, match=r"the copy does not run.*such inputs \(.?no such size.?\)"
    ):
        run_model(Refuses(), torch.rand(1), "the copy")


class Residual(nn.Module):
    """Adds a layer's output to its input in place."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        x = x.clone()
        x += self.layer(x)
        return x.relu_()


@pytest.mark.parametrize(
    "model", [Residual(), nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))], ids=["+=", "relu"]
)
def test_what_later_layers_write_in_place_changes_no_call(model):
    x = torch.rand(4, 3)
    [layer] = [name for name, module in model.named_modules() if isinstance(module, nn.Linear)]
    [call] = layer_calls(model.eval(), x, [layer])[layer]
    assert torch.equal(call.x, x)
    assert torch.equal(call.y, model.get_submodule(layer)(x))
