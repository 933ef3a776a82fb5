"""The order of the two scales: what is found for a shape is what torch's layer of it then does."""

import platform
from collections.abc import Iterator
from itertools import product

import pytest
import torch

from proofs.draw import Draw
from proofs.draw_layers import as_onednn_can, draw_conv_shapes, draw_layer, draw_linear_shapes
from proofs.torch_engine import torch_engine
from qlearn.machine import (
    Window,
    convolution_joins_scales,
    joins_scales,
    scale_order,
    working_engines,
)

LAYERS = torch.ops.quantized
on_x86 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="these are x86-64 instructions"
)
with_onednn = pytest.mark.skipif(
    "onednn" not in working_engines() or platform.machine() not in ("x86_64", "AMD64"),
    reason="this machine has no oneDNN, or its layers are the Arm Compute Library's",
)


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    """Let each test try for itself."""
    caches = scale_order._linear_joins, scale_order._convolution_joins
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def of_torch(codes: torch.Tensor, zero_point: int) -> torch.Tensor:
    return torch._make_per_tensor_quantized_tensor(codes, 0.04, zero_point)


def weight(shape: tuple[int, ...], place: tuple[int, ...], *, per_channel: bool) -> torch.Tensor:
    """Return weights of 0, and one of 17.5 for each output, as torch has them."""
    codes = torch.zeros(shape, dtype=torch.int8)
    codes[(slice(None), 0, *place)] = 1
    if not per_channel:
        return torch._make_per_tensor_quantized_tensor(codes, 17.5, 0)
    scales = torch.full((len(codes),), 17.5, dtype=torch.float64)
    none = torch.zeros(len(codes), dtype=torch.int64)
    return torch._make_per_channel_quantized_tensor(codes, scales, none, 0)


@with_onednn
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("number", range(40))
def test_torchs_convolution_takes_the_order_that_was_found(number: int) -> None:
    """5 · (0.04 · 17.5) is 3.5 and becomes 4; (5 · 0.04) · 17.5 is less and becomes 3."""
    draw = Draw(number)
    shapes = draw_conv_shapes(draw, onednn=True)
    layer = draw_layer(draw, shapes.image, shapes.kernels, highest=255, symmetric=True)
    window = Window(*as_onednn_can(layer, shapes)[1])
    if 0 in window.image:
        return
    *moves, groups = window[2:]
    for bias, zero_point, scale, per_channel in product(
        (None, torch.zeros(window.kernels[0])), (0, 100), (1.0, 4.0), (False, True)
    ):
        codes = torch.full(window.image, int(zero_point + 5 * scale), dtype=torch.uint8)
        kernel = weight(window.kernels, scale_order._tap(window), per_channel=per_channel)
        with torch_engine("onednn"):
            packed = LAYERS.conv2d_prepack(kernel, bias, *moves, groups)
            result = LAYERS.conv2d(of_torch(codes, zero_point), packed, scale, 0)
        order = {"x_zero_point": zero_point, "output_scale": scale}
        joined = convolution_joins_scales(window, **order)
        assert result.int_repr().max() == (4 if joined else 3), (window, order)


@with_onednn
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("number", range(40))
def test_torchs_linear_layer_takes_the_order_that_was_found(number: int) -> None:
    x_shape, (n, k) = draw_linear_shapes(Draw(number))
    m = torch.Size(x_shape[:-1]).numel()
    if m == 0:
        return
    for bias, per_channel in product((None, torch.zeros(n)), (False, True)):
        codes = torch.zeros(m, k, dtype=torch.uint8)
        codes[:, 0] = 10
        with torch_engine("onednn"):
            packed = LAYERS.linear_prepack(weight((n, k), (), per_channel=per_channel), bias)
            result = LAYERS.linear(of_torch(codes, 0), packed, 2.0, 0)
        assert result.int_repr()[0, 0] == (4 if joins_scales(m, n, k) else 3), (m, n, k)


@on_x86
@pytest.mark.parametrize(("limit", "answer"), [("AVX2", "True"), ("AVX512_CORE_VNNI", "False")])
def test_the_answer_changes_with_the_instructions_that_onednn_may_use(
    probe, limit: str, answer: str
) -> None:
    if limit != "AVX2" and not torch.cpu.get_capabilities().get("avx512_vnni"):
        pytest.skip("this processor has no AVX512-VNNI")
    program = "from qlearn.machine import joins_scales; print(joins_scales(64, 64, 64))"
    assert probe(program, ONEDNN_MAX_CPU_ISA=limit).strip() == answer


@pytest.mark.parametrize("decides", [False, True], ids=["elsewhere", "AMX"])
def test_only_with_amx_each_shape_is_tried(monkeypatch, decides: bool) -> None:
    tried = []
    monkeypatch.setattr(scale_order, "shape_decides", lambda: decides)
    monkeypatch.setattr(scale_order, "_linear_joins", lambda *shape: tried.append(shape))
    monkeypatch.setattr(scale_order, "_convolution_joins", lambda *given: tried.append(given))
    window = Window((1, 2, 8, 8), (3, 2, 3, 3))
    joins_scales(64, 32, 16)
    convolution_joins_scales(window, x_zero_point=7, output_scale=0.5)
    assert tried == ([(64, 32, 16), (window, True, False)] if decides else [(1, 1, 1)] * 2)


@pytest.mark.parametrize("empty", [(0, 3, 4), (2, 0, 4), (2, 3, 0)])
def test_an_empty_product_is_not_tried(monkeypatch, empty: tuple[int, int, int]) -> None:
    monkeypatch.setattr(torch, "zeros", None)
    assert scale_order._linear_joins(*empty) is False
    assert scale_order._convolution_joins(Window((*empty, 9), (3, 2, 1, 1)), False, False) is False


def test_without_onednn_nothing_is_tried(monkeypatch) -> None:
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    monkeypatch.setattr(torch.ops, "onednn", None)
    assert scale_order._linear_joins(1, 1, 1) is False
    window = Window((1, 2, 8, 8), (3, 2, 3, 3))
    assert scale_order._convolution_joins(window, False, False) is False


@pytest.mark.parametrize(
    ("size", "kernel", "padding", "dilation", "place"),
    [(8, 3, 0, 1, 0), (8, 3, 1, 1, 1), (8, 4, 3, 2, 2), (8, 1, 0, 2, 0), (8, 2, 5, 1, 1)],
)
def test_the_one_weight_meets_the_image(
    size: int, kernel: int, padding: int, dilation: int, place: int
) -> None:
    where = {"padding": (padding,) * 2, "dilation": (dilation,) * 2}
    window = Window((1, 1, size, size), (1, 1, kernel, kernel), **where)
    assert scale_order._tap(window) == (place, place)
