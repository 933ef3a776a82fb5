"""Make torch see another processor, or other engines, as soon as it has been imported.

Python runs this file at its start when its folder is on PYTHONPATH; COURSE_MACHINE names
functions below, joined by "+". Where no variable of a library reaches, this does: FBGEMM's
grouped convolutions, the engine x86 and ``torch.cpu`` ask a table in libc10.
"""

import ctypes
import importlib.util
import os
import platform
import sys
from pathlib import Path

# cpuinfo's flags for x86 in torch 2.13, in the order in which they lie in memory
FLAGS = (
    *("rdtscp", "rdpid", "sysenter", "msr", "clzero", "clflush", "clflushopt", "mwait"),
    *("mwaitx", "fxsave", "xsave", "three_d_now", "three_d_now_plus", "prefetch"),
    *("prefetchw", "prefetchwt1", "sse3", "ssse3", "sse4_1", "sse4_2", "sse4a"),
    *("misaligned_sse", "avx", "avxvnni", "fma3", "fma4", "xop", "f16c", "avx2"),
    *("avx512f", "avx512pf", "avx512er", "avx512cd", "avx512dq", "avx512bw", "avx512vl"),
    *("avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq"),
    *("avx512vnni", "avx512bf16", "avx512fp16", "avx512vp2intersect", "avx512_4vnniw"),
    *("avx512_4fmaps", "avx10_1", "avx10_2", "amx_bf16", "amx_tile", "amx_int8", "amx_fp16"),
)
AMX = [flag for flag in FLAGS if flag.startswith("amx")]
AVX10 = [flag for flag in FLAGS if flag.startswith("avx10")]
NEWER_THAN_AVX512 = {
    *("avxvnni", "avx512vnni", "avx512bf16", "avx512fp16", "avx512ifma", "avx512vbmi"),
    *("avx512vbmi2", "avx512bitalg", "avx512vpopcntdq", "avx512vp2intersect", *AVX10, *AMX),
}
PACKING = (
    *("linear_prepack", "linear_prepack_fp16"),
    *("conv1d_prepack", "conv2d_prepack", "conv3d_prepack"),
)


def clear(torch, flags):
    """Tell all that asks cpuinfo that the processor lacks these instructions."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise RuntimeError(
            f"this is {platform.system()} on {platform.machine()}, and another processor is played "
            "on Linux on x86_64 alone: run the notebooks by make notebooks"
        )
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
    library.cpuinfo_initialize()
    table = (ctypes.c_bool * len(FLAGS)).in_dll(library, "cpuinfo_isa")
    for flag in flags:
        table[FLAGS.index(flag)] = False
    if torch.cpu._is_vnni_supported() or torch.cpu._is_amx_tile_supported():
        raise RuntimeError(
            "cpuinfo's flags lie elsewhere in this torch: machines/hooks is for 2.13"
        )


def no_vnni(torch):
    """A server with AVX-512 of before VNNI."""
    clear(torch, NEWER_THAN_AVX512)


def avx2(torch):
    """A laptop."""
    clear(torch, [flag for flag in FLAGS if flag.startswith("avx512")] + ["avxvnni", *AVX10, *AMX])


def sse4(torch):
    """A processor of before AVX, on which FBGEMM does not run."""
    clear(torch, [flag for flag in FLAGS if flag.startswith("avx")] + ["fma3", "f16c", *AMX])


def no_float_onednn(torch):
    """A build of torch whose float convolutions are its own."""
    torch.backends.mkldnn.set_flags(False)


def mac(torch):
    """The engines of a Mac: qnnpack, and none selected until somebody does."""
    torch.backends.quantized.engine = "qnnpack"
    originals = {name: getattr(torch.ops.quantized, name) for name in PACKING}
    engine = Engine(torch.ops.quantized, originals)
    kind = type(torch.backends.quantized)
    kind.engine, kind.supported_engines = engine, property(lambda module: ["qnnpack"])
    for name, operator in originals.items():
        setattr(torch.ops.quantized, name, Guarded(name, operator, engine))


class Engine:
    """The attribute `engine`: none, until qnnpack is chosen, which alone is there."""

    def __init__(self, operators, originals):
        self.operators, self.originals, self.chosen = operators, originals, "none"

    def __get__(self, module, kind):
        return self.chosen

    def __set__(self, module, name):
        if name != "qnnpack":
            label = {"none": "NoQEngine"}.get(name, name.upper())
            raise RuntimeError(f"quantized engine {label} is not supported")
        self.chosen = name
        for operator in PACKING:  # TorchScript compiles torch's own, and no function of ours
            setattr(self.operators, operator, self.originals[operator])


class Guarded:
    """Packs with an engine only; equal to torch's operator, which FX looks up in a set."""

    def __init__(self, name, operator, engine):
        self.name, self.operator, self.engine = name, operator, engine

    def __call__(self, *args, **kwargs):
        """Pack, if an engine was chosen."""
        if self.engine.chosen == "none":
            said = f"Didn't find engine for operation quantized::{self.name} NoQEngine"
            raise RuntimeError(said)
        return self.operator(*args, **kwargs)

    def __eq__(self, other):
        return other is self.operator or other is self

    def __hash__(self):
        return hash(self.operator)

    def __getattr__(self, name):  # torch.export lists each operator's overloads
        return getattr(self.operator, name)


class AfterTorch:
    """Finds torch as Python does, and runs the hooks when it has been imported."""

    def __init__(self, hooks):
        self.hooks = hooks

    def find_spec(self, name, path=None, target=None):
        """Return torch's specification, with the hooks behind its execution."""
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        if spec is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                for hook in self.hooks:
                    hook(module)

            spec.loader.exec_module = exec_module
        return spec


if os.environ.get("COURSE_MACHINE"):
    names = os.environ["COURSE_MACHINE"].split("+")
    sys.meta_path.insert(0, AfterTorch([globals()[name] for name in names]))
