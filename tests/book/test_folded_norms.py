"""What a graph of PT2E, and `fuse`, make of a batch norm whose convolution has two readers."""

from __future__ import annotations

import copy

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn
from torch.ao.quantization.quantize_fx import prepare_fx
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e

from qlearn import sqnr
from tests.book.provoked import UNANNOUNCED, for_x86
from tests.preactivation import Preactivation

SAME, WRONG = 100, 10  # decibels: above the one all but last bits are alike
IMAGE = torch.randn(2, 2, 8, 8, generator=torch.Generator().manual_seed(0))

pytestmark = UNANNOUNCED


def normed(*, bias: bool = False) -> nn.ModuleList:
    """Return a convolution and a batch norm that has seen other numbers than 0 and 1."""
    norm = nn.BatchNorm2d(2)
    for values in (norm.running_mean, norm.bias.data):
        values.copy_(torch.tensor([-1.0, 1]))
    for values in (norm.running_var, norm.weight.data):
        values.copy_(torch.tensor([0.5, 2]))
    return nn.ModuleList([nn.Conv2d(2, 2, 3, padding=1, bias=bias), norm]).eval()


def fused(model: nn.Module) -> nn.Module:
    from torch.fx.experimental.optimization import fuse  # which warns

    return fuse(copy.deepcopy(model))


class Levels(nn.Module):
    """A head that serves two levels."""

    def __init__(self, first: nn.ModuleList, second: nn.ModuleList) -> None:
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.first[1](self.first[0](x)), self.second[1](self.second[0](x[..., ::2]))


class Once(nn.Module):
    """A convolution that is called with its norm and without."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = normed(bias=True)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.norm(self.conv(x)), self.conv(x[..., ::2])


def decibels(model: nn.Module, changed: nn.Module) -> list[float]:
    """Return the SQNR of each output."""
    with torch.no_grad():
        each = model(IMAGE), changed(IMAGE)
    pairs = [(y,) if isinstance(y, Tensor) else y for y in each]
    return [float(sqnr(*pair)) for pair in zip(*pairs, strict=True)]


@pytest.mark.parametrize("strict", [False, True])
def test_a_shared_convolution_without_bias_is_folded_wrongly(strict: bool) -> None:
    head = normed()
    shared = Levels(head, head)
    assert max(decibels(shared, for_x86(shared, strict=strict))) < WRONG
    for model in (
        Levels(head, copy.deepcopy(head)),
        Levels(*2 * [old.fuse_modules(copy.deepcopy(head), [["0", "1"]])]),
    ):
        assert min(decibels(shared, model)) > SAME
        prepared = for_x86(model, strict=strict)
        assert min(decibels(model, prepared)) > SAME
        assert min(decibels(model, convert_pt2e(prepared))) > 30


@pytest.mark.parametrize("shared", [True, False])
def test_two_norms_of_one_convolution_are_folded_wrongly(shared: bool) -> None:
    (conv, first), (other, second) = normed(bias=True), normed(bias=True)
    second.weight.data *= -3
    other.load_state_dict(conv.state_dict())
    levels = nn.ModuleList([conv, first]), nn.ModuleList([conv if shared else other, second])
    model = Levels(*levels).eval()
    found = decibels(model, for_x86(model, strict=True))
    assert min(found) < WRONG if shared else min(found) > SAME


@pytest.mark.usefixtures("never_trained")
@pytest.mark.parametrize("copies", [False, True])
def test_a_convolution_that_two_read_needs_a_clone(copies: bool) -> None:
    model = Preactivation(copies=copies)
    prepared = for_x86(model)
    [found] = decibels(model, prepared)
    assert found > SAME if copies else found < WRONG
    if copies:
        assert decibels(model, convert_pt2e(prepared))[0] > 30


@pytest.mark.parametrize("bias", [False, True])
def test_fuse_is_wrong_where_a_convolution_is_called_twice(bias: bool) -> None:
    head = normed(bias=bias)
    shared = Levels(head, head)
    assert max(decibels(shared, fused(shared))) < WRONG
    alone = Levels(head, copy.deepcopy(head))
    assert min(decibels(alone, fused(alone))) > SAME


def test_fuse_is_wrong_where_one_of_two_calls_has_no_norm() -> None:
    model = Once()
    with_norm, without = decibels(model, fused(model))
    assert with_norm > SAME > WRONG > without


def test_fx_folds_only_what_one_module_reads() -> None:
    model = Preactivation(copies=False)
    mapping = old.get_default_qconfig_mapping("x86")
    with torch.no_grad():
        prepared = prepare_fx(copy.deepcopy(model), mapping, (IMAGE,))
    assert decibels(model, prepared)[0] > SAME
