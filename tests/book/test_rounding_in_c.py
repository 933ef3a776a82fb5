"""Kernels in C that round by a large number, and what a compiler makes of them."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest
import torch

from tests.book.provoked import SEEN_ON_X86

KERNEL = """
#include <math.h>
#include <stdint.h>
void quantize(const float *x, int8_t *codes, int n) {{
  for (int i = 0; i < n; i++) codes[i] = (int8_t){rounded};
}}
"""
ADDED, LIBRARY = "((x[i] + 12582912.f) - 12582912.f)", "nearbyintf(x[i])"


@SEEN_ON_X86
@pytest.mark.parametrize(
    ("rounded", "options", "others"),
    [
        (ADDED, ["-O3"], 0),
        (ADDED, ["-O3", "-ffast-math"], 44),
        (ADDED, ["-O3", "-ffast-math", "-fno-associative-math"], 0),
        (LIBRARY, ["-O3", "-ffast-math"], 0),
    ],
)
def test_a_compiler_may_take_the_rounding_away(
    rounded: str, options: list[str], others: int, tmp_path: Path
) -> None:
    source, library = tmp_path / "kernel.c", tmp_path / "kernel.so"
    source.write_text(KERNEL.format(rounded=rounded), "utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", *options, source, "-o", library, "-lm"], check=True)
    x = (torch.arange(-50, 51) / 10).contiguous()
    codes = torch.empty(101, dtype=torch.int8)
    ctypes.CDLL(str(library)).quantize(
        ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(codes.data_ptr()), 101
    )
    assert (codes != x.round()).sum() == others
