"""What the chapter on the reduced range says of torch's layers, and does not show."""

import os
import platform
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
from torch.ao.nn.quantized import dynamic

from qlearn.machine import use_engine

ROOT = Path(__file__).resolve().parents[2]
X = torch.linspace(-1, 3, 32).reshape(2, 16)


@pytest.fixture
def engine():
    """Use the course's engine, and set again the one that was set before."""
    before = torch.backends.quantized.engine
    yield use_engine()
    if before != "none":
        torch.backends.quantized.engine = before


def loaded_layer(version: int) -> torch.nn.Module:
    """Return a dynamic layer whose state dict has this version."""
    codes = torch.arange(-24, 24, dtype=torch.int8).reshape(3, 16)
    with warnings.catch_warnings(action="ignore"):
        layer = dynamic.Linear(16, 3)
        layer.set_weight_bias(torch._make_per_tensor_quantized_tensor(codes, 0.1, 0), None)
    state = layer.state_dict()
    state._metadata[""]["version"] = version
    layer.load_state_dict(state)
    return layer


def by_operator(layer: torch.nn.Module, reduce_range: bool) -> torch.Tensor:
    packed = layer._packed_params._packed_params
    return torch.ops.quantized.linear_dynamic(X, packed, reduce_range=reduce_range)


def test_a_layer_reduces_the_range_from_version_4_on(engine):
    old, new = loaded_layer(3), loaded_layer(4)
    assert torch.equal(old(X), by_operator(old, reduce_range=False))
    assert torch.equal(new(X), by_operator(new, reduce_range=True))
    # or the two could not be told apart; qnnpack ignores the option
    assert torch.equal(old(X), new(X)) == (engine == "qnnpack")


def test_qnnpack_ignores_the_option(engine):
    use_engine("qnnpack")
    layer = loaded_layer(4)
    assert torch.equal(by_operator(layer, True), by_operator(layer, False))


PRODUCTS = """
import torch
a = torch.full((4, 64), 127, dtype=torch.int8)
print(torch._int_mm(a, a.T).unique().tolist(), torch.cpu._is_vnni_supported())
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the flags are x86's")
def test_int_mm_is_exact_where_the_processor_lacks_vnni():
    hooks = {"PYTHONPATH": str(ROOT / "machines" / "hooks"), "COURSE_MACHINE": "no_vnni"}
    done = subprocess.run(
        [sys.executable, "-c", PRODUCTS],
        env={**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2", **hooks},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[1032256] False"


@pytest.mark.skipif(not torch.cpu._is_vnni_supported(), reason="oneDNN is called with VNNI only")
def test_int_mm_saturates_where_onednn_alone_may_not_use_vnni(probe):
    assert probe(PRODUCTS, ONEDNN_MAX_CPU_ISA="AVX2").strip() == "[8160] True"
