"""What a reader needs to know of the machine, and how fast it reads and multiplies."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import torch

from measure.rounds import seconds
from measure.subjects import SUBJECTS, TOKEN_LAYERS

PACKAGES = ("torch", "torchao", "onnxruntime", "onnx", "onnxscript", "executorch", "safetensors")
INSTRUCTIONS = ("avx2", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_int8",
                "asimddp", "i8mm", "bf16", "sve")  # fmt: skip
READ_BYTES = 2**28  # far more than a cache holds
TOKENS = (1, 2, 4, 8, 16, 32, 64)


def described(device: str) -> dict[str, Any]:
    """Return the machine's name, instructions, cores and versions, without its host name."""
    return {
        "machine": torch.cuda.get_device_name() if device == "cuda" else processor(),
        "device": device,
        "instructions": [] if device == "cuda" else instructions(),
        "cores": os.cpu_count(),
        "cache_mb": 0 if device == "cuda" else largest_cache_mb(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := installed(name))},
    }


def processor() -> str:
    """Return the processor's name, with family and model where the name says little."""
    lines = cpuinfo()
    found = dict(re.findall(r"^(model name|cpu family|model|CPU part)\s*: (.+)$", lines, re.M))
    name = found.get("model name", platform.processor() or platform.machine())
    if "cpu family" in found:
        name += f", family {found['cpu family']}, model {found['model']}"
    return name


def cpuinfo() -> str:
    """Return what Linux says of its processors, or nothing elsewhere."""
    path = Path("/proc/cpuinfo")
    return path.read_text("utf-8") if path.exists() else ""


def instructions() -> list[str]:
    """Return those of the instruction sets that matter here which this processor has."""
    flags = set(re.findall(r"^(?:flags|Features)\s*: (.+)$", cpuinfo(), re.M)[:1])
    words = {word for line in flags for word in line.split()}
    return [name for name in INSTRUCTIONS if name in words]


def largest_cache_mb() -> float:
    """Return the size of the largest cache in MB of 2²⁰ bytes, 0 where the system does not say."""
    sizes = Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    found = [re.fullmatch(r"(\d+)K", path.read_text().strip()) for path in sizes]
    return max((int(one[1]) / 1024 for one in found if one), default=0.0)


def installed(package: str) -> str | None:
    """Return a package's version, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def rates(device: str) -> dict[str, float]:
    """Return how many GB are read in a second, and how many 10⁹ products of each dtype are made."""
    x = torch.ones(READ_BYTES // 4, device=device)
    found = {"read_gb": READ_BYTES / 1e9 / fastest(lambda: torch.dot(x, x), device)}
    n = 1024 if device == "cpu" else 8192
    for name, dtype in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
        square = torch.ones(n, n, dtype=dtype, device=device)
        found[name] = n**3 / 1e9 / fastest(partial(torch.mm, square, square), device)
    codes = torch.ones(n, n, dtype=torch.int8, device=device)
    found["int8"] = n**3 / 1e9 / fastest(lambda: torch._int_mm(codes, codes), device)
    return {name: round(rate, 1) for name, rate in found.items()}


def token_sweep() -> dict[str, float]:
    """Return the ms of one float32 layer of the token's, for several numbers of tokens at once."""
    subject = SUBJECTS["token"]
    model, found = subject.made(), {}
    for rows in TOKENS:
        x = subject.inputs(rows)
        took = fastest(partial(model, x))
        found[str(rows)] = round(took * 1e3 / TOKEN_LAYERS, 3)
    return found


def fastest(call: Callable[[], object], device: str = "cpu") -> float:
    """Return the seconds of a call: the median of the fastest third, since others disturb."""
    times = [seconds(call, 1, device)]
    while len(times) < 9 or sum(times) < 1:
        times.append(seconds(call, 1, device))
    return median(sorted(times)[: len(times) // 3])
