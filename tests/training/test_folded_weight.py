"""The folded weight is what torch converts; proofs/folded_weight.py has what torch rounds."""

import pytest
import torch
from torch import nn
from torch.ao.quantization import convert

from qlearn import folded_weight
from qlearn.course.digits.qat import trained_digits_qat


@pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated")
@pytest.mark.filterwarnings("ignore:torch.quantize_per")
def test_the_folded_weight_is_what_is_converted():
    net = trained_digits_qat()
    weights = {name: folded_weight(net.module.get_submodule(name)) for name in ("conv2", "fc")}
    converted = convert(net)
    for name, weight in weights.items():
        stored = converted.module.get_submodule(name).weight()
        codes = torch.round(weight / stored.q_scale()).clamp(-2, 1)
        assert (codes - stored.int_repr()).abs().sum() <= 1


def with_norm(norm: nn.Module) -> nn.Conv2d:
    layer = nn.Conv2d(2, 3, 1)
    layer.bn = norm
    return layer


def test_gradients_flow_to_the_weight_and_to_the_factor():
    layer = with_norm(nn.BatchNorm2d(3))
    folded_weight(layer).sum().backward()
    assert (layer.weight.grad != 0).all()
    assert layer.bn.weight.grad.shape == (3,)


def test_without_a_batch_norm_it_is_the_weight_itself():
    layer = nn.Linear(2, 3)
    assert folded_weight(layer) is layer.weight


@pytest.mark.parametrize(
    ("layer", "error", "said"),
    [
        (torch.ones(2), TypeError, "layer is a Tensor: pass a torch.nn.Module"),
        (nn.ReLU(), TypeError, "layer.weight is a NoneType"),
        (nn.Linear(2, 3).double(), TypeError, "layer.weight has dtype torch.float64"),
        (with_norm(nn.ReLU()), TypeError, "layer.bn is a ReLU, but must be a batch norm"),
        (
            with_norm(nn.BatchNorm2d(3, dtype=torch.float64)),
            TypeError,
            "layer.bn.weight has dtype torch.float64",
        ),
        (with_norm(nn.LazyBatchNorm2d()), TypeError, "layer.bn.weight belongs to a lazy module"),
        (with_norm(nn.BatchNorm2d(4)), ValueError, "layer.bn has 4 channels and the weight 3"),
        (with_norm(nn.BatchNorm2d(3, affine=False)), ValueError, "layer.bn has no weight or no"),
        (
            with_norm(nn.BatchNorm2d(3, track_running_stats=False)),
            ValueError,
            "layer.bn has no weight or no running variance",
        ),
    ],
)
def test_what_has_no_fixed_factor_is_refused(layer, error, said):
    with pytest.raises(error, match=said):
        folded_weight(layer)
