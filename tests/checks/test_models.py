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
        (net(ONES.to("meta")), ValueError, "the weight of 1 has a shape and no numbers yet: load"),
        (
            net(ONES.cfloat()),
            TypeError,
            r"complex64, .*: put \.real and \.imag into layers of their",
        ),
        (nn.LazyLinear(2).eval(), ValueError, "the weight of net has no shape yet: call the model"),
        (net(ONES.double()), TypeError, r"the weight of 1 has .*float64.*deepcopy\(net\)\.float"),
        (nn.Linear(1, 1).half().eval(), TypeError, "the weight of net has dtype torch.float16"),
    ],
    ids=["list", "train", "no layer", "wrapped", "meta", "complex", "lazy", "float64", "alone"],
)
def test_a_model_has_float32_layers_and_is_in_eval_mode(model, error, message):
    for good in (net(), net()[0], nn.Sequential(nn.ReLU().double(), net()).eval()):
        check_model(good, "net")
    with pytest.raises(error, match=message):
        check_model(model, "net")


class Noisy(nn.Module):
    """Has a mask and a mean as buffers, and computes in another way while it is trained."""

    def __init__(self, mean=0.0, mask=-torch.inf):
        super().__init__()
        self.register_buffer("mask", torch.tensor([0.0, mask]))
        self.register_buffer("mean", torch.tensor([0.0, mean]))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            net(ONES * torch.inf),
            r"1\.weight holds .* \(0, 0\), and so will .*: look",
        ),
        (
            nn.Sequential(net(), Noisy(torch.nan)),
            r"1\.mean holds NaN, as at index \(1,\), .*: look",
        ),
        (nn.Sequential(net(), nn.LazyBatchNorm1d()), r"1\.running_mean has no shape yet: call the"),
        (
            nn.Sequential(net(), nn.PReLU(device="meta")),
            r"1\.weight has a shape and no numbers yet",
        ),
    ],
    ids=["infinite", "NaN in a buffer", "lazy", "meta"],
)
def test_the_numbers_of_all_parts_are_looked_at(model, message):
    check_model(nn.Sequential(net(), Noisy()).eval())
    bytes_of_floats = nn.Embedding.from_pretrained(ONES.to(torch.float8_e5m2))
    check_model(nn.Sequential(net(), bytes_of_floats).eval())  # which torch cannot look through
    with pytest.raises(ValueError, match=message):
        check_model(model.eval())


def test_a_part_in_training_mode_is_found_unless_that_changes_nothing():
    model = nn.Sequential(net(), nn.Sequential(Noisy()), nn.ReLU()).eval()
    model[1].training, model[2] = True, nn.Identity()
    check_model(model), check_eval(model, "it would stay so")
    model[1].train()
    with pytest.raises(ValueError, match=r"1\.0 is in train mode, .*: call model\.eval\(\) first"):
        check_model(model)
    with pytest.raises(ValueError, match="1.0 is in training mode, and it would stay so: pass mod"):
        check_eval(model, "it would stay so")


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
