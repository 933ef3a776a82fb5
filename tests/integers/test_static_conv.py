"""The static convolution: edges and refusals; the proofs compare random ones with torch."""

import sys

import numpy as np
import pytest
import torch
import torch.nn.functional

from proofs.inputs import IMAGE, KERNELS
from qlearn import QParams, QTensor, conv2d_static, dynamic_qparams, quantize
from qlearn.integers import static_conv
from qlearn.machine import working_engines
from tests.bits import same_bits

ENGINES = ["fbgemm", "x86", "onednn", "qnnpack"]
OUTPUT = QParams(0.5, 30, 0, 255, torch.uint8)


def image(*shape, zero_point=5):
    codes = torch.arange(torch.Size(shape).numel()).reshape(shape) % 11
    return QTensor(codes.to(torch.uint8), QParams(0.5, zero_point, 0, 255, torch.uint8))


def kernels(*shape, zero_point=0):
    codes = torch.arange(torch.Size(shape).numel()).reshape(shape) % 5 - 2
    return QTensor(codes.to(torch.int8), QParams(1.0, zero_point, -128, 127, torch.int8))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("x_shape", "w_shape", "options"),
    [
        ((1, 1, 1, 1), (1, 1, 1, 1), {}),
        ((2, 3, 6, 5), (4, 3, 3, 2), {"stride": (2, 1), "padding": (1, 0)}),
        ((1, 4, 7, 7), (6, 2, 2, 3), {"groups": 2, "dilation": (3, 2)}),
        ((1, 8, 4, 4), (16, 1, 3, 3), {"groups": 8, "padding": 1}),
        ((1, 1, 2, 2), (1, 1, 3, 3), {"padding": 3}),
    ],
)
def test_equals_the_real_convolution_where_nothing_need_be_rounded(
    engine, x_shape, w_shape, options
):
    x, weight = image(*x_shape), kernels(*w_shape)
    bias = torch.arange(w_shape[0]) * 0.5
    real = torch.nn.functional.conv2d(x.dequantize(), weight.dequantize(), bias, **options)
    ours = conv2d_static(x, weight, bias, OUTPUT, engine=engine, **options)
    assert torch.equal(ours.dequantize(), real.clamp(-15, 112.5))
    rectified = conv2d_static(x, weight, bias, OUTPUT, relu=True, engine=engine, **options)
    assert torch.equal(rectified.dequantize(), real.clamp(0, 112.5))


def test_padding_means_zero_also_for_a_weight_with_a_zero_point():
    x, weight = image(1, 2, 3, 3), kernels(3, 2, 3, 3, zero_point=7)
    real = torch.nn.functional.conv2d(x.dequantize(), weight.dequantize(), padding=2)
    ours = conv2d_static(x, weight, None, QParams(0.5, 128, 0, 255, torch.uint8), padding=2)
    assert torch.equal(ours.dequantize(), real.clamp(-64, 63.5))


def test_an_empty_batch_gives_one():
    ours = conv2d_static(image(0, 2, 5, 4), kernels(3, 2, 2, 2), None, OUTPUT)
    assert ours.values.shape == (0, 3, 4, 3)


def test_the_inputs_stay_as_they_are():
    x, weight, bias = image(1, 2, 4, 4), kernels(3, 2, 2, 2), torch.ones(3)
    before = x.values.clone(), weight.values.clone(), bias.clone()
    conv2d_static(x, weight, bias, OUTPUT, padding=1)
    assert all(map(torch.equal, (x.values, weight.values, bias), before))


@pytest.mark.parametrize(
    ("platform", "vnni", "groups", "zero_point", "expected"),
    [
        ("linux", True, 100, 0, "onednn"),
        ("linux", True, 101, 0, "fbgemm"),
        ("linux", True, 1, 1, "fbgemm"),
        ("linux", False, 1, 0, "fbgemm"),
        ("win32", True, 1, 0, "fbgemm"),
    ],
)
def test_x86_chooses_as_torch_does(monkeypatch, platform, vnni, groups, zero_point, expected):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_vnni": vnni})
    weight = kernels(1, 1, 1, 1, zero_point=zero_point)
    assert static_conv._engine_of_x86(weight, groups) == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_torchs_dynamic_convolution_is_this_one_with_the_inputs_qparams(engine, monkeypatch):
    if engine not in working_engines():
        pytest.skip(f"no layer runs on {engine} here")
    monkeypatch.setattr(torch.backends.quantized, "engine", engine)
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        values = torch.randn(4, 3, 3, 3, generator=generator)
        weight = torch.quantize_per_tensor(values, values.abs().max() / 127, 0, torch.qint8)
        bias, x = (torch.randn(size, generator=generator) for size in ([4], [2, 3, 6, 6]))
        packed = torch.ops.quantized.conv2d_prepack(weight, bias, [1, 1], [1, 1], [1, 1], 1)
        expected = torch.ops.quantized.conv2d_dynamic(x, packed, reduce_range=True)
        qparams = dynamic_qparams(x, reduce_range=engine != "qnnpack")
        found = conv2d_static(
            QTensor(quantize(x, qparams, rounding="fma"), qparams),
            QTensor(weight.int_repr(), QParams(weight.q_scale(), 0, -128, 127, torch.int8)),
            bias,
            qparams,
            padding=1,
            engine=engine,
        )
        assert same_bits(found.dequantize(), expected)


X, W = image(1, 4, 5, 5), kernels(6, 2, 3, 3)


@pytest.mark.parametrize(
    ("x", "weight", "options", "error", "message"),
    [
        (X, kernels(6, 4, 6, 1), {}, ValueError, "reaches over 6 codes along axis 2.* 5 there"),
        (X, kernels(6, 4, 1, 3), {"dilation": 4}, ValueError, "over 9 codes along axis 3"),
        (image(1, 4, 0, 5), kernels(6, 4, 1, 1), {}, ValueError, "over 1 codes along axis 2"),
        (X, W, {}, ValueError, r"\(1, 4, 5, 5\), weight \(6, 2, 3, 3\) and groups is 1"),
        (image(4, 5, 5), W, {"groups": 2}, ValueError, "x must be"),
        (X, kernels(5, 2, 3, 3), {"groups": 2}, ValueError, "groups is 2.*must divide"),
        (X, W, {"groups": 0}, ValueError, "groups must be an integer of at least 1, not 0"),
        (X, W, {"groups": 2.0}, TypeError, "groups must be an integer.*not 2.0"),
        (X, kernels(0, 2, 3, 3), {"groups": 2}, ValueError, "no size may be 0"),
        (X, W, {"groups": 2, "stride": 0}, ValueError, "stride is 0: .* from 1 to"),
        (X, W, {"groups": 2, "padding": (0, -1)}, ValueError, r"padding is \(0, -1\).* from 0"),
        (X, W, {"groups": 2, "padding": 2**40}, ValueError, "padding is 1099511627776"),
        (X, W, {"groups": 2, "dilation": (1, 1, 1)}, ValueError, "a tuple of two"),
        (X, W, {"groups": 2, "dilation": None}, ValueError, "dilation is None"),
        (X, kernels(6, 2), {}, ValueError, r"must be \(n, c/groups, height, width\)"),
        (kernels(1, 4, 5, 5), W, {"groups": 2}, TypeError, "x is torch.int8"),
    ],
)
def test_bad_input_is_named(x, weight, options, error, message):
    with pytest.raises(error, match=message):
        conv2d_static(x, weight, None, OUTPUT, **options)


@pytest.mark.parametrize("value", [np.int64(2), (np.uint8(2), 2)], ids=["one", "two"])
def test_integers_of_numpys_say_how_a_window_moves(value):
    for name in ("stride", "padding"):
        found = conv2d_static(IMAGE, KERNELS, None, OUTPUT, **{name: value}).values
        assert torch.equal(found, conv2d_static(IMAGE, KERNELS, None, OUTPUT, **{name: 2}).values)
