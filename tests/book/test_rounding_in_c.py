"""Kernels in C that round by a large number, and what a compiler makes of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.book.provoked import SEEN_ON_X86

KERNEL = """
#include <math.h>
#include <stdint.h>
void quantize(const float *x, int8_t *codes, int n) {{
  for (int i = 0; i < n; i++) codes[i] = (int8_t){rounded};
}}
"""
# In a process of its own, which such a library changes
CALL = """
import ctypes, sys, torch
kernel = ctypes.CDLL(sys.argv[1])
x, codes = torch.arange(-50, 51) / 10, torch.empty(101, dtype=torch.int8)
kernel.quantize(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(codes.data_ptr()), 101)
tiny = torch.tensor(2.0**-127)
print(int((codes != x.round()).sum()), int(tiny * 1 == 0))
torch.set_flush_denormal(False)
assert tiny * 1 == tiny
"""
ADDED, LIBRARY = "((x[i] + 12582912.f) - 12582912.f)", "nearbyintf(x[i])"


def told(library: Path) -> tuple[int, bool]:
    """Return how many codes are others, and whether the smallest floats have become 0."""
    command = [sys.executable, "-c", CALL, str(library)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return int(said[0]), said[1] == "1"


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
    assert told(library)[0] == others


@SEEN_ON_X86
@pytest.mark.parametrize("fast", [False, True])
def test_a_library_that_was_linked_so_changes_the_whole_process(fast: bool, tmp_path: Path) -> None:
    source, library = tmp_path / "kernel.c", tmp_path / "kernel.so"
    source.write_text(KERNEL.format(rounded=LIBRARY), "utf-8")
    options = ["-ffast-math"] if fast else []
    subprocess.run(["cc", "-shared", "-fPIC", *options, source, "-o", library, "-lm"], check=True)
    version = subprocess.run(["cc", "-dumpversion"], capture_output=True, text=True, check=True)
    assert told(library)[1] == (fast and int(version.stdout.partition(".")[0]) < 13)
