"""installed_rounding: what the probe finds, and what it says when it finds nothing."""

import platform
import warnings

import pytest
import torch

from proofs.codes import QUANTIZED
from qlearn import QParams, installed_rounding, quant_range, quantize
from qlearn.machine import rounding as installed
from qlearn.machine.rounding import installed_nan_code, qnnpack_rounding

QINT8 = QParams(0.5, 1, -128, 127, torch.int8)


def test_it_names_what_torch_does_at_ties():
    x = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.25, -0.25, -0.75])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torchs = torch.quantize_per_tensor(x, 0.5, 1, torch.qint8).int_repr()
    assert torch.equal(quantize(x, QINT8, rounding=installed_rounding()), torchs)


KERNELS = [(dtype, per_channel) for dtype in QUANTIZED for per_channel in (False, True)]
X86 = ["fma", "add", "fma", "add", "add", "add"]
X86_WITHOUT_FMA = ["add"] * 6
LINUX_ARM = ["fma", "fma", "fma", "nearest", "fma", "fma"]


@pytest.mark.skipif(
    not torch.__version__.startswith("2.13.") or platform.system() != "Linux",
    reason="the table is about torch 2.13 on Linux",
)
def test_torch_213_has_a_rounding_for_each_kernel():
    found = [installed_rounding(dtype, per_channel=whole) for dtype, whole in KERNELS]
    if platform.machine() == "aarch64":
        assert found == LINUX_ARM
    else:
        oldest = torch.backends.cpu.get_cpu_capability() == "DEFAULT"
        assert found == (X86_WITHOUT_FMA if oldest else X86)


@pytest.mark.parametrize("zero_points", [(7,), (7, 3)], ids=["per tensor", "per channel"])
@pytest.mark.parametrize("dtype", QUANTIZED, ids=str)
def test_nan_becomes_what_torch_makes_of_it(dtype, zero_points):
    per_channel = len(zero_points) > 1
    scale, zero_point = (0.5, 7) if not per_channel else ([0.5, 0.25], zero_points)
    qparams = QParams(
        scale, zero_point, *quant_range(dtype), dtype, axis=0 if per_channel else None
    )
    found = installed_nan_code(qparams).tolist()
    if platform.machine() == "aarch64":
        expected = list(zero_points) if per_channel and dtype == torch.uint8 else 0
    else:
        expected = quantize(
            torch.full((len(zero_points), 1), torch.nan),
            qparams,
            rounding=installed_rounding(dtype, per_channel=per_channel),
        )[0].item()
    assert found == (expected if isinstance(expected, list) or not per_channel else [expected] * 2)


def test_an_unknown_dtype_is_refused():
    with pytest.raises(ValueError, match=r"dtype is torch\.int16.*pass torch\.int8"):
        installed_rounding(torch.int16)


def test_qnnpack_without_quantized_tensors_is_that_of_213(monkeypatch):
    def gone(dtype):
        raise RuntimeError("no quantized tensors")

    monkeypatch.setattr(installed, "installed_rounding", gone)
    assert qnnpack_rounding() == "fma"


@pytest.mark.parametrize(
    ("rounding", "codes"), [("fma", (2, 9)), ("nearest", (1, 8)), ("add", (2, 8))]
)
def test_the_probes_tell_the_three_roundings_apart(rounding, codes):
    for (value, scale, zero_point), code in zip(installed._PROBES, codes, strict=True):
        qparams = QParams(scale, zero_point, -128, 127, torch.int8)
        assert quantize(torch.tensor([value]), qparams, rounding=rounding).tolist() == [code]


def test_no_warning_of_torchs_leaks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        installed._found_rounding.__wrapped__(torch.int8, False)


def test_a_third_rule_is_reported(monkeypatch):
    monkeypatch.setattr(installed, "_torchs_code", lambda *probe: 7)
    with pytest.raises(RuntimeError, match=r"to \(7, 7\).*compare away from ties"):
        installed._found_rounding.__wrapped__(torch.int8, False)


@pytest.mark.parametrize("gone", ["function", "kernel"])
def test_a_torch_without_quantized_tensors_is_reported(monkeypatch, gone):
    def no_kernel(*arguments):
        raise NotImplementedError("no kernel")

    if gone == "function":
        monkeypatch.delattr(torch, "quantize_per_tensor")
    else:
        monkeypatch.setattr(torch, "quantize_per_tensor", no_kernel)
    with pytest.raises(RuntimeError, match=r"no quantized tensors.*rounds to \"nearest\""):
        installed._found_rounding.__wrapped__(torch.int8, False)
