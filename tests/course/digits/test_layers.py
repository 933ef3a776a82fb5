"""The digits network layer by layer, against torch's own conversion."""

import math
import warnings

import pytest
import torch
import torch.ao.quantization as tq
from torch import nn
from torch.nn.functional import max_pool2d

from qlearn.course.digits.layers import (
    LAYERS,
    OBSERVED,
    float_outputs,
    folded_layers,
    integer_outputs,
    layer_errors,
    observed_ranges,
)
from qlearn.course.digits.net import split_digits, trained_digits_net
from qlearn.machine import working_engines

FUSED = [[f"module.{part}{n}" for part in ("conv", "bn", "relu")] for n in (1, 2)]
MODULES = dict(zip(LAYERS, ["quant", "conv1", "conv2", "pool", "fc"], strict=True))


@pytest.fixture(scope="module")
def prepared():
    """The fused network with minmax observers that have seen 100 images, and a converted copy."""
    if "fbgemm" not in working_engines():
        pytest.skip("these are FBGEMM's codes, and FBGEMM does not run on this machine")
    torch.backends.quantized.engine = "fbgemm"
    wrapped = tq.QuantWrapper(trained_digits_net()).eval()
    wrapped.qconfig = tq.QConfig(
        tq.MinMaxObserver.with_args(reduce_range=True), tq.default_per_channel_weight_observer
    )
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        fused = tq.fuse_modules(wrapped, FUSED)
        observed = tq.prepare(fused)
        observed(split_digits().train_images[:100])
        yield fused.module, observed, tq.convert(observed)


@pytest.fixture(scope="module")
def layers():
    return folded_layers(trained_digits_net())


@pytest.fixture(scope="module")
def images():
    return split_digits().test_images


def torchs_ranges(observed: nn.Module) -> dict[str, tuple[float, float]]:
    found = {}
    for name in OBSERVED:
        module = observed.quant if name == "input" else observed.module.get_submodule(name)
        seen = module.activation_post_process
        found[name] = seen.min_val.item(), seen.max_val.item()
    return found


def test_folding_is_fuse_modules(prepared, layers):
    fused = prepared[0]
    for name, module in {"conv1": fused.conv1[0], "conv2": fused.conv2[0], "fc": fused.fc}.items():
        assert torch.equal(layers[name].weight, module.weight)
        assert torch.equal(layers[name].bias, module.bias)


def test_the_float_layers_are_the_network(layers, images):
    outputs = float_outputs(layers, images)
    assert list(outputs) == list(LAYERS)
    with torch.no_grad():
        torch.testing.assert_close(outputs["fc"], trained_digits_net()(images))


def test_the_minmax_ranges_are_torchs(prepared, layers):
    expected = torchs_ranges(prepared[1])
    found = observed_ranges(layers, split_digits().train_images[:100], "minmax")
    for name in OBSERVED:
        assert found[name] == pytest.approx(expected[name], rel=1e-5)  # summed in another order


def test_the_histogram_clips_a_few(layers):
    images = split_digits().train_images[:100]
    least, best = (observed_ranges(layers, images, kind) for kind in ("minmax", "histogram"))
    assert 0.9 * least["conv1"][1] < best["conv1"][1] < least["conv1"][1]
    with pytest.raises(ValueError, match="observer must be .*'histogram'.*'median'"):
        observed_ranges(layers, images, "median")


def test_every_code_of_every_layer_is_torchs(prepared, layers, images):
    _, observed, converted = prepared
    codes = integer_outputs(layers, images, torchs_ranges(observed))
    seen = {}
    for name, path in MODULES.items():
        module = converted.quant if path == "quant" else converted.module.get_submodule(path)
        module.register_forward_hook(lambda m, i, out, name=name: seen.__setitem__(name, out))
    converted(images)
    for name in LAYERS:
        assert torch.equal(codes[name].values, seen[name].int_repr()), name
        assert codes[name].qparams.scale.item() == torch.tensor(seen[name].q_scale()).item()
    assert codes["conv1"].values.max() > 127  # a reduced range is no bound


def test_a_few_bits_are_a_bound(layers, images):
    ranges = dict.fromkeys(OBSERVED, (-1.0, 1.0))
    bits = {"conv1": 4, "fc": 2}
    codes = integer_outputs(layers, images, ranges, activation_bits=bits)
    assert codes["conv1"].values.max() == 15
    assert codes["fc"].values.max() == 3
    assert codes["conv2"].values.max() == 255


def test_reduce_range_halves_the_codes_that_a_scale_is_chosen_for(layers, images):
    ranges = dict.fromkeys(OBSERVED, (0.0, 1.0))
    last_codes = {
        reduced: integer_outputs(layers, images[:1], ranges, reduce_range=reduced)
        for reduced in (True, False)
    }
    for name in OBSERVED:
        assert last_codes[True][name].qparams.scale == torch.tensor(1 / 127)
        assert last_codes[False][name].qparams.scale == torch.tensor(1 / 255)


def test_bits_that_are_given_are_all_used(layers, images):
    ranges = dict.fromkeys(OBSERVED, (0.0, 1.0))
    codes = integer_outputs(layers, images, ranges, activation_bits={"conv1": 7, "conv2": 8})
    assert codes["conv1"].qparams.scale == torch.tensor(1 / 127)
    assert codes["conv1"].values.max() == 127
    assert codes["conv2"].qparams.scale == torch.tensor(1 / 255)


def test_weights_of_two_bits_cost_more_than_of_eight(layers, images):
    ranges = {"input": (0, 1), "conv1": (0, 4), "conv2": (0, 7), "fc": (-15, 12)}
    exact = float_outputs(layers, images)
    errors = {
        bits: layer_errors(
            layers, exact, integer_outputs(layers, images, ranges, weight_bits={"conv2": bits})
        )
        for bits in (2, 8)
    }
    assert errors[2]["conv1"] == errors[8]["conv1"]
    assert errors[2]["conv2"][1] < errors[8]["conv2"][1] - 20
    assert errors[2]["fc"][0] < errors[8]["fc"][0] - 10


def test_pool_adds_no_error_and_hands_on_what_it_got(layers, images):
    ranges = {"input": (0, 1), "conv1": (0, 4), "conv2": (0, 7), "fc": (-15, 12)}
    codes = integer_outputs(layers, images, ranges)
    errors = layer_errors(layers, float_outputs(layers, images), codes)
    assert errors["pool"][1] == math.inf
    assert errors["input"][0] == errors["input"][1]
    assert errors["fc"][0] < errors["fc"][1]
    restored = codes["conv2"].dequantize()
    assert torch.equal(max_pool2d(restored, 2), codes["pool"].dequantize())


def test_what_a_layer_adds_would_be_seen(layers, images):
    ranges = {"input": (0, 1), "conv1": (0, 4), "conv2": (0, 7), "fc": (-15, 12)}
    codes = integer_outputs(layers, images, ranges)
    exact = float_outputs(layers, images)
    before = layer_errors(layers, exact, codes)
    broken = layer_errors(layers, exact | {"conv2": exact["conv2"] + 1}, codes)
    assert broken["conv2"][0] < before["conv2"][0] - 10
    assert broken["conv2"][1] == before["conv2"][1]


@pytest.mark.parametrize("bits", [1, 9, 4.0, True])
@pytest.mark.parametrize("which", ["activation_bits", "weight_bits"])
def test_other_bits_are_refused(which, bits, layers, images):
    ranges = dict.fromkeys(OBSERVED, (0.0, 1.0))
    with pytest.raises(ValueError, match="bits is .*: pass an integer from 2 to 8"):
        integer_outputs(layers, images[:1], ranges, **{which: {"conv1": bits}})
