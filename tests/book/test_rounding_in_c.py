"""Kernels in C that round by a large number, and what a compiler makes of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.book.provoked import SEEN_ON_X86

pytestmark = SEEN_ON_X86
KERNEL = """
#include <math.h>
#include <stdint.h>
void quantize(const float *x, int8_t *codes, int n) {{
  for (int i = 0; i < n; i++) codes[i] = (int8_t){rounded};
}}
"""
ADDED, LIBRARY = "((x[i] + 12582912.f) - 12582912.f)", "nearbyintf(x[i])"
# Each runs in a process of its own, because such a library may change the one that loads it.
COUNT = """
import ctypes, sys
x, codes = (ctypes.c_float * 101)(*(i / 10 for i in range(-50, 51))), (ctypes.c_int8 * 101)()
ctypes.CDLL(sys.argv[1]).quantize(x, codes, 101)
print(sum(code != round(number) for code, number in zip(codes, x)))
"""
SMALL = """
import ctypes, sys, torch
ctypes.CDLL(sys.argv[1])
small = torch.tensor(2.0**-127)
print(int(small * 1 == 0))
torch.set_flush_denormal(False)
assert small * 1 == small
"""


def compiled(rounded: str, folder: Path, *options: str) -> Path:
    source, library = folder / "kernel.c", folder / "kernel.so"
    source.write_text(KERNEL.format(rounded=rounded), "utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", *options, source, "-o", library, "-lm"], check=True)
    return library


def said(program: str, library: Path) -> int:
    command = [sys.executable, "-c", program, str(library)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


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
    assert said(COUNT, compiled(rounded, tmp_path, *options)) == others


def test_a_library_that_was_linked_so_changes_the_whole_process(tmp_path: Path) -> None:
    version = subprocess.run(["cc", "-dumpversion"], capture_output=True, text=True, check=True)
    before_13 = int(version.stdout.partition(".")[0]) < 13
    assert said(SMALL, compiled(LIBRARY, tmp_path, "-ffast-math")) == before_13
