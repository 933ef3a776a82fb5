"""A reader's model and batches: what is taken, and a sentence for what is not."""

import copy

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from qlearn.course.own_model import OwnModel

X, Y = torch.arange(24.0).reshape(6, 4) / 24, torch.tensor([0, 1, 0, 1, 0, 1])


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval()


def one(model: nn.Module) -> float:
    return 1.0


class Returns(nn.Module):
    """Puts its logits into something else."""

    def __init__(self, wrap):
        super().__init__()
        self.inner, self.wrap = net(), wrap

    def forward(self, *args, **named):
        return self.wrap(self.inner(*args, **named))


@pytest.mark.parametrize(
    "batches",
    [
        X.split(3),
        [(X[:3], Y[:3]), (X[3:], Y[3:])],
        [[X[:3], Y[:3]], [X[3:], Y[3:]]],
        (batch for batch in X.split(3)),
        DataLoader(TensorDataset(X, Y), batch_size=3),
    ],
    ids=["tensors", "pairs", "lists", "generator", "loader"],
)
def test_batches_in_any_form_give_the_same_outputs(batches):
    model = net()
    own = OwnModel(model, batches, one)
    assert torch.equal(own.outputs, model(X).detach().flatten())
    assert own.error_of(copy.deepcopy(model)) == float("inf")


def test_batches_are_taken_once_and_no_more_than_asked():
    endless = iter(lambda: X, None)
    own = OwnModel(net(), endless, one, take=3)
    assert len(own.batches) == 3
    assert own.outputs.numel() == 36


def test_call_says_how_a_batch_goes_in_and_what_comes_out():
    model = Returns(lambda y: {"logits": y, "hidden": 0 * y}).eval()
    batches = [{"input": X}]
    own = OwnModel(model, batches, one, call=lambda model, batch: model(**batch)["logits"])
    assert torch.equal(own.outputs, model.inner(X).detach().flatten())


def test_the_metric_gets_the_model_and_may_return_a_tensor():
    model = net()
    own = OwnModel(model, [X], lambda m: (m(X).argmax(1) == Y).sum())
    assert own.value == (model(X).argmax(1) == Y).sum().item()


def half() -> nn.Module:
    return net().half()


def on_meta() -> nn.Module:
    with torch.device("meta"):
        return net()


def with_training_part() -> nn.Module:
    model = nn.Sequential(nn.Linear(4, 2), nn.Dropout()).eval()
    model[1].train()
    return model


def always_dropping() -> nn.Module:
    class Drops(nn.Linear):
        def forward(self, x):
            return nn.functional.dropout(super().forward(x))

    return Drops(4, 2).eval()


def with_nan() -> nn.Module:
    model = net()
    with torch.no_grad():
        model[0].weight[0, 0] = torch.nan
    return model


@pytest.mark.parametrize(
    ("model", "kind", "said"),
    [
        ([1], TypeError, "model is a list"),
        (half(), ValueError, "0.weight is torch.float16.*float"),
        (net().to(torch.bfloat16), ValueError, "bfloat16"),
        (net().double(), ValueError, "float64"),
        (net().train(), ValueError, r"the model is in training mode.*model.eval\(\)"),
        (with_training_part(), ValueError, "1 is in training mode"),
        (on_meta(), ValueError, "no numbers yet: load the state_dict"),
        (nn.Sequential(nn.LazyLinear(2)).eval(), ValueError, "no shape yet: call the model once"),
        (nn.Sequential(nn.ReLU()).eval(), ValueError, "no parameters"),
        (with_nan(), ValueError, "infinities or NaN"),
        (always_dropping(), ValueError, "two runs .* differ"),
        (torch.compile(net(), backend="eager"), ValueError, "compiled: pass model._orig_mod"),
        (Returns(lambda y: (y, y)).eval(), TypeError, r"returns a tuple.*model\(batch\)\[0\]"),
        (Returns(lambda y: {"out": y}).eval(), TypeError, r"returns a dict.*\['out'\]"),
        (Returns(lambda y: None).eval(), TypeError, "returns a NoneType"),
        (Returns(lambda y: y.argmax(1)).eval(), TypeError, "returns torch.int64.*logits"),
        (Returns(lambda y: y / 0).eval(), ValueError, "infinities or NaN in float already"),
        (Returns(lambda y: y[:0]).eval(), ValueError, "empty tensor"),
        (nn.Linear(5, 2).eval(), ValueError, "the float model stops at your batches"),
    ],
)
def test_a_model_that_does_not_fit_gets_a_sentence(model, kind, said):
    with pytest.raises(kind, match=said):
        OwnModel(model, [X], one)


def test_a_model_on_a_card_gets_a_sentence(monkeypatch):
    monkeypatch.setattr(nn.Parameter, "device", torch.device("cuda:0"), raising=False)
    with pytest.raises(ValueError, match=r"0.weight is on cuda:0.*\.cpu\(\)"):
        OwnModel(net(), [X], one)


def test_a_quantized_model_gets_a_sentence():
    from torchao.quantization import Int8WeightOnlyConfig, quantize_

    model = net()
    quantize_(model, Int8WeightOnlyConfig())
    with pytest.raises(ValueError, match="0.weight is a Int8Tensor already"):
        OwnModel(model, [X], one)


def used_up():
    batches = (batch for batch in [X])
    assert len(list(batches)) == 1
    return batches


@pytest.mark.parametrize(
    ("batches", "kind", "said"),
    [
        (X, TypeError, r"one tensor of shape \(6, 4\).*split"),
        (None, TypeError, "batches is a NoneType"),
        ([], ValueError, "batches is empty"),
        (used_up(), ValueError, "a generator that is used up"),
        ([{"x": X}], TypeError, "a batch is a dict with x.*call="),
        (["text"], TypeError, "a batch is a str"),
        ([X.half()], ValueError, "the float model stops at your batches"),
    ],
    ids=["tensor", "none", "empty", "used up", "dict", "text", "half"],
)
def test_batches_that_do_not_fit_get_a_sentence(batches, kind, said):
    with pytest.raises(kind, match=said):
        OwnModel(net(), batches, one)


@pytest.mark.parametrize(
    ("metric", "kind", "said"),
    [
        (3.0, TypeError, "metric is a float: pass a function"),
        (lambda model: "good", TypeError, "metric returns a str"),
        (lambda model: model(X), TypeError, "metric returns a Tensor"),
        (lambda model: float("nan"), ValueError, "metric returns nan"),
        (lambda model: len(str(model.train())), ValueError, "leaves the model in training mode"),
    ],
)
def test_a_metric_that_does_not_fit_gets_a_sentence(metric, kind, said):
    with pytest.raises(kind, match=said):
        OwnModel(net(), [X], metric)
