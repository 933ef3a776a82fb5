"""The saturating product by hand; that it equals fbgemm's is proven in proofs/saturation.py."""

import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import torch

from machines.run import environment
from machines.settings import BY_NAME
from machines.workplace import ROOT
from proofs.saturation import older_processor, without_vnni
from proofs.torch_engine import torch_engine
from qlearn import saturating_matmul
from qlearn.integers.matmul import integer_matmul
from qlearn.machine import working_engines

on_x86 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="vpmaddubsw is an x86 instruction"
)
by_fbgemm = pytest.mark.skipif(
    "fbgemm" not in working_engines(), reason="fbgemm runs no layer on this machine"
)


@by_fbgemm
@on_x86
def test_the_probe_without_vnni():
    """Half of two full products is lost in fbgemm; qnnpack's kernel is another."""
    x, codes = torch.ones(1, 64), torch.full((1, 64), 127, dtype=torch.int8)
    saturates, output = without_vnni("fbgemm", x, codes)
    assert saturates and output.item() < 0.51 * 64 * 1.27
    saturates, output = without_vnni("qnnpack", x, codes)
    assert not saturates and output.item() == pytest.approx(64 * 1.27)


def largest_sum(inputs: int, outputs: int) -> int:
    """Return fbgemm's sum of a 3 × 3 convolution of 255s by 127s; 200 if nothing is lost."""
    scale = inputs * 9 * 255 * 127 / 200
    with torch_engine("fbgemm"):
        weight = torch.full((outputs, inputs, 3, 3), 127, dtype=torch.int8)
        weight = torch._make_per_tensor_quantized_tensor(weight, 1.0, 0)
        packed = torch.ops.quantized.conv2d_prepack(weight, None, [1, 1], [1, 1], [1, 1], 1)
        x = torch.full((1, inputs, 8, 8), 255, dtype=torch.uint8)
        x = torch._make_per_tensor_quantized_tensor(x, 1.0, 0)
        result = torch.ops.quantized.conv2d(x, packed, scale, 0)
    return int(result.int_repr()[0, 0, 4, 4])


SIZES = [(1, 16), (16, 16), (16, 32)]


@by_fbgemm
@on_x86
def test_a_variable_does_not_reach_every_convolution():
    """From 16 channels to 16 fbgemm asks the processor itself, and so goes on using VNNI."""
    pool = older_processor()
    whole = 200 if torch.cpu._is_vnni_supported() else 101
    found = [pool.submit(largest_sum, *size).result() for size in SIZES]
    assert found == [112, whole, 101]


def on_a_laptop(expression: str) -> str:
    """Return what an expression prints on a processor with AVX2 and nothing newer."""
    code = f"from tests.integers.test_saturation import *; print({expression})"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        env=environment(BY_NAME["AVX2"], ROOT, Path(tempfile.gettempdir())),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@by_fbgemm
@on_x86
def test_on_a_laptop_every_convolution_saturates():
    assert on_a_laptop(f"[largest_sum(*size) for size in {SIZES}]") == "[112, 101, 101]"


def image_and_weight() -> tuple[torch.Tensor, torch.Tensor]:
    """Return large codes, such that some pairs of products saturate and others do not."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(128, 256, (2, 16, 6, 6), dtype=torch.uint8, generator=generator)
    return x, torch.randint(-128, 128, (16, 16, 3, 3), dtype=torch.int8, generator=generator)


def convolved() -> list[int]:
    """Return fbgemm's codes for them, in steps of 10,000 around the code 128."""
    with torch_engine("fbgemm"):
        x, weight = (torch._make_per_tensor_quantized_tensor(t, 1.0, 0) for t in image_and_weight())
        packed = torch.ops.quantized.conv2d_prepack(weight, None, [1, 1], [1, 1], [1, 1], 1)
        return torch.ops.quantized.conv2d(x, packed, 10_000.0, 128).int_repr().flatten().tolist()


@by_fbgemm
@on_x86
def test_a_convolution_pairs_neighbouring_channels():
    """As the chapter on static quantization does; with neighbouring places codes would differ."""
    x, weight = image_and_weight()
    cut = torch.nn.functional.unfold(x.float(), 3, padding=1).to(torch.uint8)
    rows = cut.unflatten(1, (16, 9)).permute(0, 3, 2, 1).flatten(2).flatten(0, 1)
    by_place = cut.transpose(1, 2).flatten(0, 1)
    found = []
    for windows, kernels in ((rows, weight.movedim(1, -1)), (by_place, weight)):
        sums = saturating_matmul(windows, kernels.flatten(1).T)
        codes = (sums.double() / 10_000).round().int() + 128
        found.append(codes.reshape(2, 36, 16).transpose(1, 2).flatten().tolist())
    assert on_a_laptop("convolved()") == str(found[0])
    assert found[0] != found[1]


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
