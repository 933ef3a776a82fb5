"""The Arm Compute Library's rules by hand, and where they run beside torch's own layers."""

import pytest
import torch

from proofs.torch_engine import to_torch, torch_engine
from qlearn import QParams, QTensor, linear_dynamic, linear_static
from qlearn.integers import arm_compute, onednn
from qlearn.machine import onednn_uses_arm_compute
from tests.bits import same_bits

ONE = torch.tensor(1.0)
INT8 = QParams(0.5, 0, -128, 127, torch.int8)
ROWS = QParams([0.5, 0.5], [0, 0], -128, 127, torch.int8, axis=0)
CODES = torch.tensor([[1, -2, 3], [4, 5, -6]], dtype=torch.int8)
OUTPUT = QParams(4.0, 9, 0, 255, torch.uint8)

only_there = pytest.mark.skipif(
    not onednn_uses_arm_compute(), reason="torch has no Arm Compute Library here"
)


@pytest.fixture
def on_arm(monkeypatch):
    for module in (arm_compute, onednn):
        monkeypatch.setattr(module, "onednn_uses_arm_compute", lambda: True)


def codes(total, scale, bias=None, relu=False):
    sums = torch.tensor([total], dtype=torch.int32)
    output = QParams(scale, 9, 0, 255, torch.uint8)
    bias = None if bias is None else torch.tensor(bias)
    return arm_compute.requantize(sums, ONE, ONE, bias, output, relu=relu)[0].tolist()


def test_halves_go_up_where_there_is_a_shift():
    # 5.75, -0.5, -1.5 and -1.75 steps of 4 from the zero point 9
    assert codes([23, -2, -6, -7], 4.0) == [15, 9, 8, 7]


def test_a_multiplier_of_a_half_or_more_rounds_down():
    # 0.5, 1.5 and -0.5 steps of 2; 0.8, 1.6 and -0.8 steps of 1.25
    assert codes([1, 3, -1], 2.0) == [9, 10, 8]
    assert codes([1, 2, -1], 1.25) == [9, 10, 8]


def test_almost_nothing_is_left_of_a_sum():
    assert codes([2**31 - 1, -(2**31)], 2.0**100) == [9, 9]


def test_the_bias_goes_away_from_zero_at_halves():
    assert codes([0, 0, 0, 0], 2.0, bias=[1.5, -1.5, 4.5, -4.5]) == [10, 8, 11, 6]


def test_codes_are_clamped_and_relu_starts_at_the_zero_point():
    assert codes([-99, 999], 2.0) == [0, 255]
    assert codes([-99, 999], 2.0, relu=True) == [9, 255]


@pytest.mark.parametrize("scale", [0.5, 1.0])
def test_a_multiplier_of_one_or_more_is_refused(scale):
    with pytest.raises(ValueError, match="is [12], but onednn on ARM.*larger scale for the output"):
        codes([1], scale)


def test_the_last_few_numbers_are_divided():
    """10.5 steps of this scale, by division; by its rounded reciprocal a little less."""
    step = torch.tensor(0.7)
    x = step * torch.arange(0.5, 20.5)
    by_reciprocal, by_division = x * (1 / step), x / step
    assert not torch.equal(by_reciprocal, by_division)
    found = arm_compute._steps(x.reshape(4, 5), step).flatten()
    assert torch.equal(found[:16], by_reciprocal[:16])
    assert torch.equal(found[16:], by_division[16:])


@pytest.mark.parametrize("reduce_range", [False, True])
def test_the_dynamic_layer_is_exact_where_nothing_need_be_rounded(on_arm, reduce_range):
    x = torch.tensor([[-64.0, 0.0, 63.0], [5.0, -7.0, 2.0]]) * (1 if reduce_range else 2)
    x[1, 2] = 63.0 if reduce_range else 127.0
    x[0, 0] = -64.0 if reduce_range else -128.0
    for bias in (None, torch.tensor([1.0, -2.5])):
        real = x @ (CODES * 0.5).T + (0 if bias is None else bias)
        options = {"engine": "onednn", "reduce_range": reduce_range}
        assert torch.equal(linear_dynamic(x, QTensor(CODES, INT8), bias, **options), real)
        assert torch.equal(linear_dynamic(x, QTensor(CODES, ROWS), bias, **options), real)


def test_onednn_hands_a_single_row_on(on_arm):
    """The codes and the zero point are then scaled back one after the other, not together."""
    x = torch.linspace(-0.3, 2.0, 300).reshape(100, 3)
    one = QTensor(CODES[:1], QParams([0.3], [0], -128, 127, torch.int8, axis=0))
    several = QTensor(CODES, QParams([0.3, 0.3], [0, 0], -128, 127, torch.int8, axis=0))
    alone = linear_dynamic(x, one, engine="onednn")
    assert not torch.equal(alone, linear_dynamic(x, several, engine="onednn")[:, :1])
    torch.testing.assert_close(alone, linear_dynamic(x, one, engine="fbgemm"))
    by_rows = QTensor(CODES[:1], QParams([0.3], [0], -128, 127, torch.int8, axis=-2))
    assert torch.equal(alone, linear_dynamic(x, by_rows, engine="onednn"))


@pytest.mark.parametrize(
    "qparams",
    [INT8, QParams([0.5], [0], -128, 127, torch.int8, axis=0)],
    ids=["one scale", "one row"],
)
def test_longer_sums_are_refused(on_arm, qparams):
    def layer(inputs):
        weight = QTensor(torch.ones(1, inputs, dtype=torch.int8), qparams)
        return linear_dynamic(torch.ones(1, inputs), weight, engine="onednn")

    assert layer(1364).item() == pytest.approx(682)
    with pytest.raises(ValueError, match="has 1,365 inputs.*take the engine qnnpack"):
        layer(1365)


def test_a_weight_with_a_scale_per_row_stays_with_onednn(on_arm, monkeypatch):
    for name in ("dynamic_layer", "scaled_back", "requantize"):
        monkeypatch.delattr(arm_compute, name)
    x = QTensor(torch.ones(1, 3, dtype=torch.uint8), QParams(1.0, 0, 0, 255, torch.uint8))
    linear_static(x, QTensor(CODES, ROWS), None, OUTPUT, engine="onednn")
    linear_dynamic(torch.ones(1, 3), QTensor(CODES, ROWS), engine="onednn")


@pytest.mark.parametrize(("on_linux_arm", "found"), [(False, 2.0), (True, 1.0)])
def test_onednn_itself_takes_int8_there_which_decides_beside_a_tie(
    on_linux_arm, found, monkeypatch
):
    """129.4999999 is 129.5 in float32 and rounds up; 1.4999999 is not 1.5."""
    monkeypatch.setattr(onednn, "onednn_uses_arm_compute", lambda: on_linux_arm)
    x = torch.tensor([[-128.0, 127.0, 1.4999999]])
    each = QParams([1.0] * 3, [0] * 3, -128, 127, torch.int8, axis=0)
    weight = QTensor(torch.eye(3, dtype=torch.int8), each)
    y = linear_dynamic(x, weight, engine="onednn", reduce_range=False)
    assert y.tolist() == [[-128.0, 127.0, found]]


def test_the_static_layer_takes_the_librarys_rule(on_arm):
    x = QTensor(torch.tensor([[23, 0, 0]], dtype=torch.uint8), QParams(2.0, 0, 0, 255, torch.uint8))
    weight = QTensor(CODES, INT8)
    ours = linear_static(x, weight, None, OUTPUT, engine="onednn")
    assert ours.values.tolist() == [[15, 32]]  # 5.75 and 23 steps of 4
    away = linear_static(x, weight, None, OUTPUT, engine="fbgemm")
    assert away.values.tolist() == [[15, 32]]


@only_there
@pytest.mark.parametrize("qparams", [INT8, ROWS], ids=["one scale", "a scale per row"])
def test_torchs_layers_on_arm(qparams):
    x = torch.tensor([[-1.0, 0.3, 2.0], [0.1, 0.2, 0.7]])
    weight, bias = QTensor(CODES, qparams), torch.tensor([1.0, -2.5])
    with torch_engine("onednn"):
        packed = torch.ops.quantized.linear_prepack(to_torch(weight), bias)
        theirs = torch.ops.quantized.linear_dynamic(x, packed, reduce_range=False)
    assert same_bits(linear_dynamic(x, weight, bias, engine="onednn", reduce_range=False), theirs)
