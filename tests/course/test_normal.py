"""Numbers that are the same on every machine: their bits, and that they are normal."""

import hashlib
import platform
from statistics import NormalDist

import pytest
import torch

from qlearn.course.normal import ENTRIES, UNIT, normal, quantiles

ON_X86 = platform.machine() in ("x86_64", "AMD64")
# Found with AVX-512, with AVX2 and with older instructions
DIGEST = "55840a6860f5edd5"
PROGRAM = """
import hashlib, torch
from qlearn.course import normal
x = normal(1000, 33, generator=torch.Generator().manual_seed(5))
print(hashlib.sha256(x.numpy().tobytes()).hexdigest()[:16])
print(torch.backends.cpu.get_cpu_capability())
"""


def draw(*shape, seed=0):
    return normal(*shape, generator=torch.Generator().manual_seed(seed))


def test_the_bits_are_those_of_every_other_machine():
    x = draw(1000, 33, seed=5)
    assert hashlib.sha256(x.numpy().tobytes()).hexdigest()[:16] == DIGEST


@pytest.mark.parametrize("capability", ["default", *(["avx2"] if ON_X86 else [])])
def test_the_bits_do_not_depend_on_instructions(capability, probe):
    found = probe(PROGRAM, ATEN_CPU_CAPABILITY=capability)
    assert found.split() == [DIGEST, capability.upper()]


def test_no_quantile_is_close_to_a_boundary():
    inverse = NormalDist().inv_cdf
    exact = [inverse(0.5 + (i + 0.5) / ENTRIES) / UNIT for i in range(ENTRIES // 2)]
    distance = min(abs(q - int(q) - 0.5) for q in exact)
    assert distance > 1e-5 > 10_000 * max(exact) * 2.0**-53  # ten thousand last bits


def test_the_table_is_symmetric_and_rises():
    table = quantiles()
    assert torch.equal(table, -table.flip(0))
    assert (table.diff() > 0).all()


def test_mean_spread_and_tails_are_normal():
    x = draw(1_000_000).double()
    assert abs(x.mean()) < 0.004 and abs(x.std() - 1) < 0.003
    assert abs((x**4).mean() - 3) < 0.03
    for sigma in (1.0, 2.0, 3.0):
        expected = 2 * NormalDist().cdf(-sigma)
        share = (x.abs() > sigma).double().mean().item()
        assert abs(share - expected) < 4 * (expected / 1_000_000) ** 0.5


def test_shape_dtype_and_largest():
    assert draw(2, 3).shape == (2, 3) and draw(0).shape == (0,) and draw().ndim == 0
    assert draw(4).dtype == torch.float32
    assert quantiles().max() * 2 * UNIT / 2**0.5 < 6.12


def test_a_generator_is_needed():
    with pytest.raises(TypeError, match=r"pass torch.Generator\(\).manual_seed"):
        normal(3, generator=0)
