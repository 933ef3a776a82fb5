"""The order in which oneDNN multiplies by the two scales."""

import os
import subprocess
import sys

import pytest
import torch

from qlearn.integers import onednn

THREE = torch.tensor([[3]], dtype=torch.int32)
SCALES = torch.tensor(0.1), torch.tensor([0.013])


@pytest.mark.parametrize("joined", [True, False])
def test_both_orders_round_differently(joined, monkeypatch):
    monkeypatch.setattr(onednn, "joins_scales", lambda: joined)
    first, second = SCALES
    expected = 3.0 * (first * second) if joined else 3.0 * first * second
    assert torch.equal(onednn.scaled(THREE, *SCALES), expected[None])
    assert (3.0 * (first * second) != 3.0 * first * second).all()


@pytest.mark.skipif(not torch.backends.cpu.get_cpu_capability().startswith("AVX"), reason="x86-64")
def test_its_older_kernels_join_the_scales():
    code = "from qlearn.integers.onednn import joins_scales; print(joins_scales())"
    environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2"}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "True"


def test_without_onednn_nothing_is_tried(monkeypatch):
    onednn.joins_scales.cache_clear()
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert onednn.joins_scales() is False
    onednn.joins_scales.cache_clear()
