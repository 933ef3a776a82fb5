"""A script: what torch says of itself and of this processor, one JSON object a line.

It runs in a process of its own, because a broken torch, or a kernel with an instruction that
this processor has not, ends the process. The first argument is sys.path as JSON; a second one is
the name of an engine, and then that one alone is tried.
"""

from __future__ import annotations

import json
import platform
import sys
from timeit import repeat
from typing import Any


def tell(**found: object) -> None:
    """Print what was found, at once."""
    print(json.dumps(found), flush=True)


def tell_of_torch() -> None:
    """Say which torch this is, and what it makes of the processor."""
    import torch

    tell(version=str(torch.__version__), file=torch.__file__)
    tell(threads=torch.get_num_threads(), capability=torch.backends.cpu.get_cpu_capability())
    vnni = getattr(torch.cpu, "_is_vnni_supported", None)
    if vnni is not None:
        tell(vnni=bool(vnni()))
    tell(listed=[e for e in torch.backends.quantized.supported_engines if e != "none"])


def tell_of_engines() -> None:
    """Say which engines run a layer, and whether the first of them saturates."""
    from qlearn.machine import kernels_saturate, use_engine, working_engines

    engines = list(working_engines())
    tell(engines=engines)
    if engines:
        use_engine(engines[0])
        tell(saturates=kernels_saturate())


def tell_of_signed_codes() -> None:
    """Say whether oneDNN has no kernel for what torchao's dynamic int8 hands it when compiled.

    That is codes with a sign on both sides, unless torch sees AVX512-VNNI. The reference code,
    which computes them then, takes a thousand times as long as a kernel.
    """
    import torch

    if platform.machine() not in ("x86_64", "AMD64") or not torch.backends.mkldnn.is_available():
        return
    if torch.cpu._is_vnni_supported():
        tell(slow_when_compiled=False)
        return
    seconds = [_seconds_of_a_product(dtype) for dtype in (torch.int8, torch.uint8)]
    tell(slow_when_compiled=seconds[0] > 30 * seconds[1])


def _seconds_of_a_product(dtype: Any) -> float:
    """Return the least of three times that oneDNN takes for a linear layer with such codes."""
    import torch

    codes, weight = torch.ones(64, 256, dtype=dtype), torch.ones(256, 256, dtype=torch.int8)
    packed = torch.ops.onednn.qlinear_prepack(weight, [64, 256])
    scales, zeros = torch.ones(256), torch.zeros(256, dtype=torch.int64)

    def multiply() -> None:
        torch.ops.onednn.qlinear_pointwise(
            codes, 1.0, 0, packed, scales, zeros, None, 1.0, 0, torch.float32, "none", [], ""
        )

    return min(repeat(multiply, number=1, repeat=3))


def tell_of_one(engine: str) -> None:
    """Say whether this one engine runs a layer."""
    from qlearn.machine.engines import _runs_layers

    tell(works=_runs_layers(engine))


if __name__ == "__main__":
    sys.path[:] = json.loads(sys.argv[1])
    if len(sys.argv) > 2:
        tell_of_one(sys.argv[2])
    else:
        tell_of_torch()
        tell_of_engines()
        tell_of_signed_codes()
