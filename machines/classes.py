"""Which processors the notebooks are run on here: each class once, this machine's among them.

python -m machines.classes      prints the targets of make

An older processor is played on Linux on x86 alone, and by a processor that is newer alone. The
oldest comes first: one notebook takes it long, and others had better follow than wait for that. In
one of the classes each notebook has a kernel of its own, which shows what it imports.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping

import torch

OWN, AVX2, OLDEST = "notebooks", "notebooks-avx2", "notebooks-oldest"
ANEW = "notebooks-anew"  # AVX2, each by a kernel that starts anew
NEWER_THAN_AVX2 = ("avx512_f", "avx_vnni", "amx_tile", "avx10_1")


def targets(able: Mapping[str, object], system: str) -> list[str]:
    """Return the targets for a processor that is able to do this, under this system.

    >>> targets({"architecture": "x86_64", "avx2": True}, "Linux")
    ['notebooks-oldest', 'notebooks-anew']
    """
    if system != "Linux" or able.get("architecture") != "x86_64" or not able.get("avx2"):
        return [OWN]
    newer = any(able.get(instructions) for instructions in NEWER_THAN_AVX2)
    return [OLDEST, AVX2, OWN] if newer else [OLDEST, ANEW]


if __name__ == "__main__":
    print(*targets(torch.cpu.get_capabilities(), platform.system()))
