"""The flags that an older processor is played with: each is where torch reads it."""

import platform
from pathlib import Path

import pytest

HOOKS = Path(__file__).resolve().parents[2] / "machines" / "hooks"
FLIP_EACH = """
import ctypes, os, sys
from pathlib import Path
import torch
sys.path.insert(0, os.environ["HOOKS"])
from sitecustomize import FLAGS

library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
library.cpuinfo_initialize()
table = (ctypes.c_bool * len(FLAGS)).in_dll(library, "cpuinfo_isa")

def say(flag):
    able = torch.cpu.get_capabilities()  # which a process is told once
    names = (name.replace("_", "") for name, each in able.items() if each is True)
    print(flag, *names, flush=True)

for i, flag in enumerate(("none", *FLAGS)):
    child = os.fork()
    if child == 0:
        if i > 0:
            table[i - 1] = not table[i - 1]
        say(flag)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="other processors are played on Linux on x86-64 alone",
)
def test_each_flag_is_the_one_that_torch_tells_of(probe):
    lines = (line.split() for line in probe(FLIP_EACH, HOOKS=str(HOOKS)).splitlines())
    able = {flag: set(names) for flag, *names in lines}
    usual = able.pop("none")
    changed = {flag: usual ^ names for flag, names in able.items()}
    for flag, names in changed.items():
        assert names <= {flag.replace("_", "")}
    assert all(changed[flag] for flag in ("avx2", "avx512vnni", "avxvnni", "amx_int8", "avx10_1"))
    assert sum(map(bool, changed.values())) > 20
