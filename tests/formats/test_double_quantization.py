"""Double quantization of scales, against bitsandbytes' levels and its stored results."""

import pytest
import torch

from qlearn import dynamic_levels
from qlearn.formats.double_quantization import QuantizedScales, quantize_scales


def test_there_are_256_dynamic_levels():
    levels = dynamic_levels()
    assert levels.shape == (256,) and torch.equal(levels, levels.sort().values)
    assert (levels[0].item(), levels[-1].item()) == (pytest.approx(-0.99296875), 1.0)
    assert levels.unique().numel() == 256 and 0.0 in levels


def test_a_scale_is_looked_up_near_its_level():
    scales = torch.rand(600) * 3
    quantized = quantize_scales(scales)
    levels = dynamic_levels()
    assert quantized.amax.shape == (3,)
    amax = quantized.amax.repeat_interleave(256)[:600]
    away = ((scales - quantized.offset)[:, None] / amax[:, None] - levels).abs()
    nearest = away.argmin(1)
    assert (quantized.codes.int() - nearest).abs().max() <= 4
    assert (quantized.dequantize() - scales).abs().max() < 0.02 * amax.max()


# How often bitsandbytes 0.50.2 gives each code, from 131 upwards, to 1/65536 … 255/65536, and from
# 123 downwards to the same below 0; 17 of the codes are not those of the nearest level.
ABOVE = [1, 2, 2, 2, 6, 8, 6, 8, 8, 6, 8, 14, 30, 38, 36, 36, 38, 6]
BELOW = [2, 2, 2, 2, 6, 8, 6, 8, 8, 6, 8, 14, 30, 38, 36, 36, 38, 5]


def test_the_codes_of_small_scales_are_bitsandbytes_s():
    few = torch.arange(1, 256) / 1024
    scales = torch.cat([torch.tensor([64.0]), few, torch.tensor([-64.0]), -few])  # their mean is 0
    codes = quantize_scales(scales).codes.int()
    assert (codes[0], codes[256]) == (255, 0)
    assert codes[1:256].bincount()[131:].tolist() == ABOVE
    assert codes[257:].bincount()[106:].flip(0).tolist() == BELOW
    nearest = (scales[:, None] / 64 - dynamic_levels()).abs().argmin(1)
    assert (codes != nearest).sum() == 17


def test_equal_scales_come_back_whole():
    quantized = quantize_scales(torch.full((3, 2), 0.75))
    assert quantized.codes.tolist() == [[0, 0]] * 3 and quantized.amax.item() == 0
    assert torch.equal(quantized.dequantize(), torch.full((3, 2), 0.75))


@pytest.mark.parametrize("shape", [(0,), (1,), (2, 128), (257,)], ids=str)
def test_each_256_scales_have_an_amax(shape):
    parts = vars(quantize_scales(torch.rand(shape)))
    QuantizedScales(**parts)
    for amax in (torch.cat([parts["amax"], torch.ones(1)]), parts["amax"][None]):
        with pytest.raises(ValueError, match=r"amax have shape .* groups: pass one for each"):
            QuantizedScales(**parts | {"amax": amax})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"codes": torch.zeros(3)}, TypeError, "codes have dtype torch.float32, but must be torch"),
        ({"amax": torch.ones(1).double()}, TypeError, "amax has dtype torch.float64"),
        ({"offset": 0.0}, TypeError, "offset is a float"),
        ({"offset": torch.zeros(1)}, ValueError, r"offset has shape \(1,\), .*: pass a single"),
        ({"offset": torch.tensor(torch.inf)}, ValueError, r"offset holds .* at index \(\)"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_parts_that_do_not_fit_are_refused(changed, error, message):
    with pytest.raises(error, match=message):
        QuantizedScales(**vars(quantize_scales(torch.rand(3))) | changed)
