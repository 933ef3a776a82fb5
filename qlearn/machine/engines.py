"""Which of torch's engines run here, and what they and the processor do."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import torch
from torch import Tensor

from qlearn.checks import check_choice

# The course prefers fbgemm, because its tables were made with it; qnnpack is on every machine.
PREFERENCE = ("fbgemm", "x86", "qnnpack", "onednn")


@cache
def working_engines() -> tuple[str, ...]:
    """Return the quantized engines that run linear layers and a convolution on this machine.

    They come in the order in which the course prefers them. Each is found by running three tiny
    int8 layers, because ``torch.backends.quantized.supported_engines`` promises too much: on
    Linux ARM it lists fbgemm and x86, and no layer of theirs runs there.

    The engine that was set before is set again afterwards. On a Mac that is "none", which torch
    does not set back; there the first engine that works stays set.

    >>> "qnnpack" in working_engines()
    True
    """
    before = torch.backends.quantized.engine
    supported = torch.backends.quantized.supported_engines
    working = tuple(name for name in PREFERENCE if name in supported and _runs_layers(name))
    if before != "none":
        torch.backends.quantized.engine = before
    elif working:
        torch.backends.quantized.engine = working[0]
    return working


def use_engine(*wanted: str) -> str:
    """Make the first engine that works here the one that torch uses, and return its name.

    Args:
        wanted: names of engines, the best one first; without them, the course's preference.

    Raises:
        ValueError: a name is not one of torch's.
        RuntimeError: no wanted engine runs a layer on this machine.

    >>> engines, before = working_engines(), torch.backends.quantized.engine
    >>> use_engine("qnnpack")
    'qnnpack'
    >>> torch.backends.quantized.engine = before
    """
    for name in wanted:
        check_choice(name, "wanted", PREFERENCE)
    working = working_engines()
    for name in wanted or PREFERENCE:
        if name in working:
            torch.backends.quantized.engine = name
            return name
    raise RuntimeError(_nothing_works(wanted or PREFERENCE, working))


@contextmanager
def engine_set(name: str) -> Iterator[None]:
    """Make a working engine the one that torch uses, for a while.

    >>> with engine_set("qnnpack"):
    ...     torch.backends.quantized.engine
    'qnnpack'
    """
    working_engines()  # which selects one on a Mac: what is set there at first cannot be set back
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = name
    try:
        yield
    finally:
        torch.backends.quantized.engine = before


def _runs_layers(engine: str) -> bool:
    """Set the engine, and tell whether the three layers run on it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch announces the end of its quantized tensors
        try:
            torch.backends.quantized.engine = engine
            _run_linear()
            _run_dynamic_linear()
            _run_convolution()
        except (AttributeError, RuntimeError):  # torch lacks the layers or the engine
            return False
    return True


# Each layer packs a weight for itself: onednn crashes where one packed weight meets first the
# static and then the dynamic layer.
def _packed_linear() -> torch.ScriptObject:
    weight = torch.quantize_per_tensor(_ones(2, 3), 0.5, 0, torch.qint8)
    return torch.ops.quantized.linear_prepack(weight, None)


def _ones(*shape: int) -> Tensor:
    """Return ones in float32, whatever torch's default dtype is: the layers read no other."""
    return torch.ones(shape, dtype=torch.float32)


def _run_linear() -> None:
    x = torch.quantize_per_tensor(_ones(1, 3), 0.5, 0, torch.quint8)
    torch.ops.quantized.linear(x, _packed_linear(), 0.5, 0)


def _run_dynamic_linear() -> None:
    torch.ops.quantized.linear_dynamic(_ones(1, 3), _packed_linear())


def _run_convolution() -> None:
    weight = torch.quantize_per_tensor(_ones(2, 3, 1, 1), 0.5, 0, torch.qint8)
    packed = torch.ops.quantized.conv2d_prepack(weight, None, [1, 1], [0, 0], [1, 1], 1)
    x = torch.quantize_per_tensor(_ones(1, 3, 2, 2), 0.5, 0, torch.quint8)
    torch.ops.quantized.conv2d(x, packed, 0.5, 0)


def _nothing_works(wanted: tuple[str, ...], working: tuple[str, ...]) -> str:
    if working:
        way_out = f"pass one of those that do: {', '.join(working)}"
    else:
        way_out = (
            "the chapters need a torch with one; install torch from its own wheels, as "
            "requirements.txt does"
        )
    return (
        f"no layer runs on the engines {', '.join(wanted)} here, where torch {torch.__version__} "
        f"lists {', '.join(torch.backends.quantized.supported_engines)}; {way_out}"
    )


@cache
def int32_saturates() -> bool:
    """Say whether the processor converts a float that int32 cannot hold to the nearest end.

    ARM does: 2^31 becomes 2^31 − 1, and NaN 0. x86-64 makes −2^31 of all of them. C++ leaves it
    open; torch's conversion, on which this is tried, uses the processor's instruction.

    >>> int32_saturates() in (True, False)
    True
    """
    return bool(torch.full((34,), 2.0**31, dtype=torch.float32).to(torch.int32)[0] > 0)


def onednn_uses_arm_compute() -> bool:
    """Say whether this torch hands oneDNN's linear layers to the Arm Compute Library.

    It does on Linux ARM, where the weight has one scale: see :mod:`qlearn.integers.arm_compute`.
    There PyTorch gives the activations of every dynamic layer to oneDNN as int8, too.

    >>> onednn_uses_arm_compute() in (True, False)
    True
    """
    return bool(getattr(torch._C, "_has_mkldnn_acl", False))


def x86_calls_onednn() -> bool:
    """Say whether the engine x86 hands convolutions to oneDNN here, as ATen's source has it.

    It does on Linux, if the processor has AVX512-VNNI, for weights whose zero points are all 0
    and at most 100 groups. Its linear layers are always FBGEMM's.

    >>> x86_calls_onednn() in (True, False)
    True
    """
    vnni = torch.cpu.get_capabilities().get("avx512_vnni", False)
    return sys.platform == "linux" and bool(vnni)
