"""Double quantization hands on its own record of the scales, or None."""

import pytest
import torch

from qlearn import NF4Tensor
from qlearn.checks.nf4 import check_quantized_scales
from qlearn.formats.double_quantization import QuantizedScales, quantize_scales

SCALES = torch.tensor([1.0, 2.0])
RECORD = quantize_scales(SCALES)


class OwnScales(QuantizedScales):
    """A reader's own kind of them."""


@pytest.mark.parametrize(
    "scales",
    [None, RECORD, OwnScales(RECORD.codes, RECORD.amax, RECORD.offset)],
    ids=["none", "what quantize_scales returns", "a class made from it"],
)
def test_quantized_scales_or_none_pass(scales):
    check_quantized_scales(scales, SCALES)


@pytest.mark.parametrize(
    ("scales", "kind"),
    [
        (SCALES, "Tensor"),
        (RECORD.codes, "Tensor"),
        ((RECORD.codes, RECORD.amax, RECORD.offset), "tuple"),
        (QuantizedScales, "type"),
        (False, "bool"),
        (0, "int"),
    ],
    ids=["scales", "codes", "parts", "the class", "false", "zero"],
)
def test_other_kinds_are_named_also_where_they_count_as_false(scales, kind):
    message = f"quantized_scales is a {kind}: pass what quantize_scales returns, or None"
    with pytest.raises(TypeError, match=message):
        check_quantized_scales(scales, SCALES)


def test_quantized_scales_are_as_many_as_scales():
    message = r"quantized_scales has shape \(2,\) and scales \(2, 1\): they come in pairs"
    with pytest.raises(ValueError, match=message):
        check_quantized_scales(RECORD, SCALES[:, None])


def test_a_tensor_of_nf4_is_not_made_with_plain_scales_for_quantized_ones():
    codes = torch.zeros(4, dtype=torch.uint8)
    assert NF4Tensor(codes, SCALES, 2, RECORD).quantized_scales is RECORD
    with pytest.raises(TypeError, match="quantized_scales is a Tensor: pass what"):
        NF4Tensor(codes, SCALES, 2, SCALES)
    with pytest.raises(ValueError, match=r"quantized_scales has shape \(1,\) and scales \(2,\)"):
        NF4Tensor(codes, SCALES, 2, quantize_scales(SCALES[:1]))
