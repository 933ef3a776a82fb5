"""What a reader's own model is refused for, and the batch and the names given with it."""

import pytest
import torch
from torch import nn

from qlearn.checks.models import check_eval, check_inputs, check_layer_names, check_model

ONES = torch.ones(2, 2)


class Wrapped(torch.Tensor):
    """A kind of tensor of its own, as weights are that torchao has quantized."""

    device = torch.device("cuda")  # so it says; a machine without one runs this too


def net(weight=ONES):
    """Return a model in eval mode, whose last layer has that weight."""
    model = nn.Sequential(nn.Conv2d(1, 1, 1), nn.Linear(2, 2)).eval()
    model[1].weight = nn.Parameter(weight)
    return model


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        ([nn.Linear(2, 2)], TypeError, r"net is a list: pass a torch\.nn\.Module"),
        (net().train(), ValueError, r"net is in train mode, where dropout .*: call net\.eval\(\)"),
        (nn.ReLU().eval(), ValueError, "net has no nn.Linear and no nn.Conv2d, .*: pass a model"),
        (net(Wrapped(ONES)), TypeError, "the weight of 1 is a Wrapped: pass the net from before"),
        (net(ONES.to("meta")), ValueError, r"the weight of 1 is on meta.*deepcopy\(net\)\.cpu"),
        (net(ONES.double()), TypeError, r"the weight of 1 has .*float64.*deepcopy\(net\)\.float"),
        (nn.Linear(1, 1).half().eval(), TypeError, "the weight of net has dtype torch.float16"),
    ],
    ids=["list", "train", "no layer", "wrapped", "meta", "float64", "a layer alone"],
)
def test_a_model_has_float32_layers_and_is_in_eval_mode(model, error, message):
    for good in (net(), net()[0], nn.Sequential(nn.ReLU().double(), net()).eval()):
        check_model(good, "net")
    with pytest.raises(error, match=message):
        check_model(model, "net")


def test_training_mode_is_refused_with_what_would_come_of_it():
    check_eval(nn.ReLU().eval(), "it would stay so")
    with pytest.raises(TypeError, match="model is a type: pass a torch.nn.Module"):
        check_eval(nn.ReLU, "it would stay so")
    with pytest.raises(ValueError, match=r"ReLU is in .*, and it would stay so: pass model\.eval"):
        check_eval(nn.ReLU().train(), "it would stay so")


@pytest.mark.parametrize(
    ("inputs", "error", "message"),
    [
        ([ONES], TypeError, "x is a list: pass a batch of inputs"),
        (ONES[:0], ValueError, "x is empty, and no range follows from nothing: pass a batch"),
        (Wrapped(ONES), ValueError, r"x is on cuda: pass x\.cpu\(\), with a model there"),
        (ONES.byte(), TypeError, "x has dtype torch.uint8, .*: convert it as in training"),
        (-ONES * torch.inf, ValueError, r"x holds .*index \(0, 0\), .* leave them out"),
    ],
)
def test_a_batch_holds_finite_numbers_or_tokens(inputs, error, message):
    check_inputs(ONES * torch.finfo(torch.float32).max, "x"), check_inputs(ONES.long(), "x")
    with pytest.raises(error, match=message):
        check_inputs(inputs, "x")


@pytest.mark.parametrize(
    ("layers", "error", "message"),
    [
        ("ab", TypeError, r"layers is 'ab': pass a list of names, such as \['a', 'b'\]"),
        ({"a"}, TypeError, r"layers is \{'a'\}: pass a list"),
        (b"a", TypeError, "layers is b'a': pass a list"),
        (["a", "d"], ValueError, "there is no layer 'd': the layers are a, b, c"),
    ],
)
def test_names_are_those_of_layers(layers, error, message):
    check_layer_names([], ["a"]), check_layer_names(("c", "a"), ["a", "b", "c"])
    with pytest.raises(error, match=message):
        check_layer_names(layers, ["a", "b", "c"])
