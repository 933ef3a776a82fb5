"""How torch adds and multiplies here: what the probes say is what its kernels then do."""

import platform

import pytest
import torch

from qlearn import fma
from qlearn.machine import (
    fuses_averages,
    int_mm_is_exact,
    kernels_saturate,
    products,
    torch_fuses,
    use_engine,
)

on_x86 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="these are x86-64 instructions"
)


@pytest.fixture
def an_engine():
    before = torch.backends.quantized.engine
    use_engine()
    yield
    if before != "none":
        torch.backends.quantized.engine = before


@on_x86
@pytest.mark.parametrize(
    ("name", "variables", "answer"),
    [
        ("torch_fuses", {"ATEN_CPU_CAPABILITY": "default"}, "False"),
        ("kernels_saturate", {"FBGEMM_ENABLE_INSTRUCTIONS": "AVX2"}, "True"),
    ],
)
def test_the_answers_change_with_the_instructions_that_torch_may_use(
    probe, name, variables, answer
):
    program = f"from qlearn.machine import {name}, use_engine; use_engine(); print({name}())"
    assert probe(program, **variables).strip() == answer


@pytest.mark.parametrize("found", [64 * 127.0, 32767 / 255 * 32])
def test_saturation_is_told_by_the_lost_half(monkeypatch, found):
    monkeypatch.setattr(products, "_product_of_full_codes", lambda: found)
    assert kernels_saturate() is (found < 8000)


def test_a_product_that_loses_a_bit_is_not_fused(monkeypatch):
    monkeypatch.setattr(torch, "addcmul", lambda c, a, b: c + a * b)
    assert torch_fuses.__wrapped__() is False


def test_a_product_that_saturates_is_not_exact(monkeypatch):
    monkeypatch.setattr(torch, "_int_mm", lambda a, b: torch.tensor([[32 * 32767]]))
    assert int_mm_is_exact.__wrapped__() is False


def test_an_engine_that_runs_nothing_is_named(monkeypatch):
    def refuse():
        raise RuntimeError("unknown architecure")

    monkeypatch.setattr(products, "_product_of_full_codes", refuse)
    with pytest.raises(RuntimeError, match=r"no layer on this machine: call qlearn\.machine\.use_"):
        kernels_saturate()


def test_a_torch_without_quantized_tensors_is_named(monkeypatch, an_engine):
    monkeypatch.delattr(torch, "quantize_per_tensor")
    with pytest.raises(RuntimeError, match="has no quantized linear layer .*: install torch 2.13"):
        kernels_saturate()


@pytest.mark.parametrize("once", [False, True])
def test_a_fused_average_keeps_its_last_bit(monkeypatch, once):
    def observer(batch, _on, _off, low, _high, _scale, _zero_point, share, *_rest):
        joined = fma(batch - low, torch.tensor(share), low)
        low.copy_(joined if once else low + share * (batch - low))

    monkeypatch.setattr(torch, "fused_moving_avg_obs_fake_quant", observer)
    assert fuses_averages.__wrapped__() is once
