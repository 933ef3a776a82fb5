"""The saturating product against the real kernels, made to do without VNNI in a subprocess."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from qlearn import QParams, dynamic_qparams, quantize, saturating_matmul
from qlearn.integer_matmul import integer_matmul
from tests.hard_values import same_bits

# Set before torch is imported, each makes a kernel do with the instructions of before VNNI.
WITHOUT_VNNI = {"FBGEMM_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"}

RUN_KERNELS = """
import sys, torch
from qlearn.saturation import kernels_saturate
cases, engine = torch.load(sys.argv[1]), sys.argv[2]
torch.backends.quantized.engine = engine
outputs = []
for x, codes, scale in cases:
    weight = torch._make_per_tensor_quantized_tensor(codes, scale, 0)
    packed = torch.ops.quantized.linear_prepack(weight, None)
    outputs.append(torch.ops.quantized.linear_dynamic(x, packed, reduce_range=False))
torch.save((kernels_saturate(), outputs), sys.argv[3])
"""


def cases(n=60):
    """Make layers whose codes are large: activations near the top, weights at the ends."""
    generator = torch.Generator().manual_seed(8)
    for case in range(n):
        m, k, outputs = 1 + case % 5, 1 + case * 3 % 97, 1 + case * 7 % 33
        x = torch.rand(m, k, generator=generator) ** 0.25
        x = x - 0.3 if case % 2 else x
        codes = torch.randint(-128, 128, (outputs, k), generator=generator)
        if case % 3 == 0:
            codes = torch.where(codes < 0, -128, 127)
        yield x, codes.to(torch.int8), 0.01


def run_kernels(engine: str, folder: Path) -> tuple[bool, list[torch.Tensor]]:
    torch.save(list(cases()), folder / "cases")
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN_KERNELS, "cases", engine, "outputs"],
        env=os.environ | WITHOUT_VNNI | {"PYTHONPATH": os.getcwd()},
        cwd=folder,
        check=True,
        timeout=120,
    )
    return torch.load(folder / "outputs")


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="vpmaddubsw is an x86 instruction"
)
def test_equals_fbgemms_kernel_without_vnni(tmp_path):
    saturates, outputs = run_kernels("fbgemm", tmp_path)
    assert saturates
    lost = 0
    for (x, w, scale), output in zip(cases(), outputs, strict=True):
        qparams = dynamic_qparams(x, reduce_range=False)
        codes = quantize(x, qparams, rounding="fma")
        product = saturating_matmul(codes, w.T)
        lost += int((product != integer_matmul(codes, w.T)).sum())
        total = product - qparams.zero_point * w.sum(dim=1, dtype=torch.int32)
        weight_scale = QParams(scale, 0, -128, 127, torch.int8).scale
        assert same_bits(total.to(torch.float32) * (qparams.scale * weight_scale), output)
    assert lost > 100  # the cases do saturate


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="qnnpack stands for ARM's kernels here"
)
def test_qnnpack_never_saturates(tmp_path):
    saturates, _ = run_kernels("qnnpack", tmp_path)
    assert not saturates


def test_two_products_by_hand():
    a = torch.tensor([[255, 255], [128, 127], [255, 0]], dtype=torch.uint8)
    b = torch.tensor([[127, -128], [127, -128]], dtype=torch.int8)
    assert saturating_matmul(a, b).tolist() == [
        [32767, -32768],
        [32385, -32640],
        [32385, -32640],
    ]


def test_reduced_codes_are_exact():
    generator = torch.Generator().manual_seed(9)
    a = torch.randint(0, 129, (20, 301), dtype=torch.uint8, generator=generator)
    b = torch.randint(-128, 128, (301, 30), dtype=torch.int8, generator=generator)
    assert torch.equal(saturating_matmul(a, b), integer_matmul(a, b))


def test_an_odd_length_leaves_the_last_product_alone():
    a = torch.full((1, 3), 255, dtype=torch.uint8)
    b = torch.full((3, 1), 127, dtype=torch.int8)
    assert saturating_matmul(a, b).item() == 32767 + 255 * 127


def test_signed_activations_are_refused():
    with pytest.raises(TypeError, match=r"multiply torch\.uint8 by torch\.int8"):
        saturating_matmul(*(torch.zeros(1, 1, dtype=torch.int8) for _ in "ab"))
