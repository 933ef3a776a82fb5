"""Requantization by hand: ties, overflow, the bias, the ReLU; the proofs compare it with torch."""

import re

import pytest
import torch

from qlearn import QParams
from qlearn.integers import requantization
from qlearn.integers.requantization import full_range, requantize

ENGINES = ["fbgemm", "x86", "onednn", "qnnpack"]
ONE = torch.tensor(1.0)


def codes(total, bias=None, scale=1.0, zero_point=0, per_row=False, relu=False, **how):
    sums = torch.tensor([total], dtype=torch.int32)
    weight_scale = torch.ones(len(total)) if per_row else ONE
    bias = None if bias is None else torch.tensor(bias)
    output = QParams(scale, zero_point, 0, 255, torch.uint8)
    result = requantize(
        sums, ONE, weight_scale, bias, output, relu=relu, **{"engine": "fbgemm", **how}
    )
    return result[0].tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_ties_go_to_even_steps_or_to_even_codes(engine):
    # 0.5, 1.5 and 2.5 steps from the zero point 3
    expected = [4, 4, 6] if engine == "onednn" else [3, 5, 5]
    assert codes([1, 3, 5], scale=2.0, zero_point=3, engine=engine) == expected


@pytest.mark.parametrize(("variant", "code"), [("joined", 8), ("apart", 8), ("divided", 7)])
def test_onednns_reference_code_divides(variant, code):
    # 9 / 1.2 is a little less than 7.5 in float32, 9 · (1 / 1.2) is 7.5
    assert codes([9], scale=1.2, engine="onednn", variant=variant) == [code]


@pytest.mark.parametrize(("variant", "code"), [("fused", 10), ("added", 8)])
def test_fbgemm_rounds_the_bias_with_the_sum_or_before(variant, code):
    # The bias is 10 + 10·2^-23 steps, in float32 10 + 8·2^-23; what is left counts steps of 2^-23
    ours = requantize(
        torch.tensor([[-10]], dtype=torch.int32),
        ONE,
        torch.tensor(0.1),
        torch.tensor([1 + 2.0**-23]),
        QParams(torch.tensor(0.1).item() * 2.0**-23, 0, 0, 255, torch.uint8),
        relu=False,
        engine="fbgemm",
        variant=variant,
    )
    assert ours.item() == code


@pytest.mark.parametrize(
    ("engine", "variant", "message"),
    [
        ("onednn", "fused", "the variant of onednn must be 'joined', 'apart' or 'divided'"),
        ("x86", "apart", "the variant of x86 must be 'fused' or 'added', not 'apart'"),
        ("qnnpack", "fused", "variant is 'fused', but qnnpack has none: leave it out"),
    ],
)
def test_a_variant_of_another_engine_is_refused(engine, variant, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        codes([1], engine=engine, variant=variant)


@pytest.mark.parametrize("engine", ENGINES)
def test_codes_are_clamped_and_relu_starts_at_the_zero_point(engine):
    assert codes([-9, -1, 0, 300], zero_point=7, engine=engine) == [0, 6, 7, 255]
    assert codes([-9, -1, 0, 300], zero_point=7, relu=True, engine=engine) == [7, 7, 7, 255]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("arm", [False, True], ids=["x86-64", "ARM"])
def test_what_int32_cannot_hold_becomes_the_smallest_code(monkeypatch, engine, arm):
    """Only qnnpack follows this machine; fbgemm and x86 run on x86-64 alone."""
    monkeypatch.setattr(requantization, "int32_saturates", lambda: arm)
    # 2^21 · 1000 fits int32, 2^22 · 1000 does not
    clamped = engine == "onednn" or (engine == "qnnpack" and arm)
    expected = [255, 255, 0] if clamped else [255, 0, 0]
    assert codes([2**21, 2**22, -(2**22)], scale=1e-3, engine=engine) == expected


@pytest.mark.parametrize("per_row", [False, True])
def test_the_bias_joins_as_a_real_number_or_as_an_integer(per_row):
    ours = {engine: codes([10], [0.4], 0.5, engine=engine, per_row=per_row) for engine in ENGINES}
    # 10.4 steps of 0.5 are 20.8; qnnpack rounds 0.4 to 0 first
    assert ours == {"fbgemm": [21], "x86": [21], "onednn": [21], "qnnpack": [20]}


def test_a_bias_that_qnnpack_cannot_hold_wraps_around():
    assert codes([1], [2.0**31], scale=2.0**31, zero_point=9, engine="qnnpack") == [8]


def test_the_range_of_the_dtype_counts_not_that_of_the_output():
    reduced = QParams(0.5, 3, 0, 127, torch.uint8)
    total = torch.tensor([[100]], dtype=torch.int32)
    result = requantize(total, ONE, ONE, None, reduced, relu=False, engine="fbgemm")
    assert result.tolist() == [[203]]
    assert full_range(reduced) == QParams(0.5, 3, 0, 255, torch.uint8)


SUMS = torch.tensor([[100, -3]], dtype=torch.int32)
OUTPUT = QParams(0.5, 3, 0, 255, torch.uint8)
GOOD = {"total": SUMS, "x_scale": ONE, "weight_scale": ONE, "bias": None, "output": OUTPUT}
EACH = torch.ones(2)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"total": SUMS.long()}, TypeError, "total is torch.int64 of shape .1, 2.*: pass a matrix"),
        ({"x_scale": EACH}, ValueError, r"x_scale has shape \(2,\), .*: pass one of \(\)"),
        ({"x_scale": -ONE}, ValueError, r"x_scale is -1.0 at index \(\): pass positive, finite"),
        ({"weight_scale": EACH.log()}, ValueError, r"weight_scale is 0.0 at index \(0,\): pass"),
        ({"bias": ONE}, ValueError, r"bias has shape \(\), .*: pass one of \(2,\)"),
        (
            {"bias": EACH / 0 * 0},
            ValueError,
            r"bias holds NaN, .* \(0,\), .*: pass finite",
        ),
        (
            {"output": QParams(1, 0, 0, 7, torch.int8)},
            ValueError,
            "torch.int8 and axis None, .*: p",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_does_not_fit_is_named(changed, error, message):
    requantize(**GOOD, relu=False, engine="fbgemm")
    with pytest.raises(error, match=message):
        requantize(**GOOD | changed, relu=False, engine="fbgemm")
