"""installed_rounding: what the probe finds, and what it says when it finds nothing."""

import warnings

import pytest
import torch

from qlearn import QParams, installed, installed_rounding, quantize

QINT8 = QParams(0.5, 1, -128, 127, torch.int8)


def test_it_names_what_torch_does_at_ties():
    x = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.25, -0.25, -0.75])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torchs = torch.quantize_per_tensor(x, 0.5, 1, torch.qint8).int_repr()
    assert torch.equal(quantize(x, QINT8, rounding=installed_rounding()), torchs)


def test_torch_213_rounds_once():
    if torch.__version__.startswith("2.13.") and "USE_FBGEMM" in torch.__config__.show():
        assert installed_rounding() == "fma"


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
        installed_rounding.__wrapped__()


def test_a_third_rule_is_reported(monkeypatch):
    monkeypatch.setattr(installed, "_torchs_code", lambda *probe: 7)
    with pytest.raises(RuntimeError, match=r"to \(7, 7\).*compare away from ties"):
        installed_rounding.__wrapped__()


@pytest.mark.parametrize("gone", ["function", "kernel"])
def test_a_torch_without_quantized_tensors_is_reported(monkeypatch, gone):
    def no_kernel(*arguments):
        raise NotImplementedError("no kernel")

    if gone == "function":
        monkeypatch.delattr(torch, "quantize_per_tensor")
    else:
        monkeypatch.setattr(torch, "quantize_per_tensor", no_kernel)
    with pytest.raises(RuntimeError, match=r"no quantized tensors.*rounds to \"nearest\""):
        installed_rounding.__wrapped__()
