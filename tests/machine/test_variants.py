"""The variants of the engines: what is found for a layer is what torch's layer then does."""

from collections.abc import Iterator
from itertools import product

import pytest
import torch
from torch.nn.functional import conv2d

from proofs.draw import Draw
from proofs.draw_layers import as_onednn_can, draw_conv_shapes, draw_linear_shapes
from proofs.torch_engine import torch_engine
from qlearn import QParams, requantize
from qlearn.machine import (
    Window,
    convolution_variant,
    fbgemm_variant,
    linear_variant,
    onednn_uses_arm_compute,
    variants,
    working_engines,
)

LAYERS = torch.ops.quantized
WINDOW = Window((1, 2, 8, 8), (3, 2, 3, 3))
# The scales of x and of the weight, a sum, the scale of the output; and the code in each variant.
# In steps of the output, 5 · (0.04 · 17.5) is 3.5 and becomes 4; (5 · 0.04) · 17.5 is less.
TRIALS = [
    (0.04, 17.5, 10, 2.0, {"joined": 4, "apart": 3, "divided": 3}),
    (0.04, 17.5, 5, 1.0, {"joined": 4, "apart": 3, "divided": 3}),
    (0.5, 2.0, 9, 1.2, {"joined": 8, "apart": 8, "divided": 7}),
]
with_onednn = pytest.mark.skipif(
    "onednn" not in working_engines() or onednn_uses_arm_compute(),
    reason="this machine has no oneDNN, or its layers are the Arm Compute Library's",
)
with_fbgemm = pytest.mark.skipif(
    "fbgemm" not in working_engines(), reason="this machine has no FBGEMM"
)
quietly = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    """Let each test try for itself."""
    caches = (
        variants._linear_divides,
        variants._convolution_joins,
        variants._convolution_divides,
        variants._fbgemm_adds,
    )
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def of_torch(codes: torch.Tensor, scale: float, zero_point: int, *, rows: bool) -> torch.Tensor:
    """Return torch's tensor with one scale, or with one for each row."""
    if not rows:
        return torch._make_per_tensor_quantized_tensor(codes, scale, zero_point)
    scales = torch.full((len(codes),), scale, dtype=torch.float64)
    none = torch.full((len(codes),), zero_point, dtype=torch.int64)
    return torch._make_per_channel_quantized_tensor(codes, scales, none, 0)


@with_onednn
@quietly
@pytest.mark.parametrize("number", range(40))
def test_torchs_convolution_takes_the_variant_that_was_found(number: int) -> None:
    window = Window(*as_onednn_can(draw_conv_shapes(Draw(number), onednn=True)))
    if 0 in window.image:
        return
    *moves, groups = window[2:]
    for (x_scale, weight_scale, total, scale, expected), bias, zero_point, rows in product(
        TRIALS, (None, torch.zeros(window.kernels[0])), (0, 100), (False, True)
    ):
        codes = torch.full(window.image, zero_point + total, dtype=torch.uint8)
        kernels = of_torch(variants.one_weight(window), weight_scale, 0, rows=rows)
        with torch_engine("onednn"):
            packed = LAYERS.conv2d_prepack(kernels, bias, *moves, groups)
            result = LAYERS.conv2d(
                of_torch(codes, x_scale, zero_point, rows=False), packed, scale, 0
            )
        variant = convolution_variant(window, x_zero_point=zero_point, output_scale=scale)
        assert result.int_repr().max() == expected[variant], (window, zero_point)


@with_onednn
@quietly
@pytest.mark.parametrize("number", range(40))
def test_torchs_linear_layer_takes_the_variant_that_was_found(number: int) -> None:
    x_shape, (n, k) = draw_linear_shapes(Draw(number))
    m = torch.Size(x_shape[:-1]).numel()
    if m == 0:
        return
    weight = torch.zeros(n, k, dtype=torch.int8)
    weight[:, 0] = 1
    for (x_scale, weight_scale, total, scale, expected), bias, zero_point, rows in product(
        TRIALS, (None, torch.zeros(n)), (0, 100), (False, True)
    ):
        codes = torch.full((m, k), zero_point, dtype=torch.uint8)
        codes[:, 0] += total
        with torch_engine("onednn"):
            packed = LAYERS.linear_prepack(of_torch(weight, weight_scale, 0, rows=rows), bias)
            result = LAYERS.linear(
                of_torch(codes, x_scale, zero_point, rows=False), packed, scale, 0
            )
        variant = linear_variant(m, n, k, x_zero_point=zero_point)
        assert result.int_repr()[0, 0] == expected[variant], (m, n, k, zero_point)


@with_fbgemm
@quietly
@pytest.mark.parametrize("number", range(40))
def test_fbgemms_convolution_takes_the_variant_that_was_found(number: int) -> None:
    """Half of the codes come from ties, where one rounding of the bias and two differ."""
    window = Window(*draw_conv_shapes(Draw(number), onednn=True))
    if depthwise := number % 4 == 0:
        window = variants.DEPTHWISE._replace(image=(2, 8, 9 + number, 7))
    if 0 in window.image:
        return
    generator = torch.Generator().manual_seed(number)
    kernels = torch.randint(-2, 3, window.kernels, generator=generator, dtype=torch.int8)
    image = torch.randint(0, 20, window.image, generator=generator, dtype=torch.uint8)
    x_scale, weight_scale = torch.rand(2, generator=generator) / 20 + 0.01
    step = x_scale * weight_scale
    steps = torch.randint(-50, 50, window.kernels[:1], generator=generator)
    bias, output = steps * step, QParams(step * 2, 101, 0, 255, torch.uint8)
    with torch_engine("fbgemm"):
        packed = LAYERS.conv2d_prepack(
            of_torch(kernels, weight_scale.item(), 0, rows=False), bias, *window[2:]
        )
        x = of_torch(image, x_scale.item(), 7, rows=False)
        theirs = LAYERS.conv2d(x, packed, output.scale.item(), 101).int_repr().movedim(1, -1)
    *moves, groups = window[2:]
    total = conv2d(image.double() - 7, kernels.double(), None, *moves, groups).movedim(1, -1)
    given = total.to(torch.int32), x_scale, weight_scale, bias, output
    ours = {
        variant: requantize(*given, relu=False, engine="fbgemm", variant=variant)
        for variant in ("fused", "added")
    }
    assert torch.equal(ours[fbgemm_variant(window)], theirs)
    assert not (depthwise and torch.equal(*ours.values()))


def test_a_layer_that_divides_does_so_where_x_has_a_zero_point(monkeypatch) -> None:
    monkeypatch.setattr(variants, "joins_scales", lambda *shape: shape == (2, 3, 4))
    monkeypatch.setattr(variants, "_linear_divides", lambda: True)
    assert linear_variant(2, 3, 4, x_zero_point=1) == "divided"
    assert linear_variant(2, 3, 4) == "joined"
    assert linear_variant(1, 1, 1) == "apart"


@pytest.mark.parametrize(
    ("joins", "divides", "variant"),
    [(True, True, "joined"), (False, True, "divided"), (False, False, "apart")],
)
def test_a_convolution_is_asked_whether_it_joins_before_whether_it_divides(
    monkeypatch, joins: bool, divides: bool, variant: str
) -> None:
    monkeypatch.setattr(variants, "_convolution_joins", lambda *given: joins)
    monkeypatch.setattr(variants, "_convolution_divides", lambda *given: divides)
    assert convolution_variant(WINDOW, x_zero_point=5) == variant


def test_only_where_fbgemms_depthwise_convolution_adds_each_shape_is_tried(monkeypatch) -> None:
    for adds in (False, True):
        tried = []
        monkeypatch.setattr(variants, "_fbgemm_adds", lambda w, a=adds, t=tried: t.append(w) or a)
        assert fbgemm_variant(WINDOW) == ("added" if adds else "fused")
        assert tried == [variants.DEPTHWISE, WINDOW][: 1 + adds]


def test_what_is_empty_is_not_tried(monkeypatch) -> None:
    empty = WINDOW._replace(image=(0, 2, 8, 8))
    monkeypatch.setattr(torch, "full", None)
    assert convolution_variant(empty) == "apart"
    assert variants._fbgemm_adds(empty) is False


def test_without_the_engines_nothing_is_tried(monkeypatch) -> None:
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    monkeypatch.setattr(variants, "working_engines", lambda: ())
    monkeypatch.setattr(torch, "full", None)
    assert convolution_variant(WINDOW) == "apart"
    assert variants._linear_divides() is False
    assert variants._fbgemm_adds(variants.DEPTHWISE) is False
