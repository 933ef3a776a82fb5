"""The machines that the course is run on: what each changes, and how that is done here."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from machines.newest import NEWEST, is_installed

# What stays the same unless a setting says otherwise. Threads that wait leave the processor to
# those that compute: with more of them than processors, a run still ends in minutes.
ALWAYS = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class Setting:
    """A machine of some kind.

    ``variables`` are read by torch's libraries, or by Python; ``hooks`` names functions of
    machines/hooks/sitecustomize.py; ``place`` is the folder that the checkout is copied to, or
    "read-only" for one in which nothing can be written; ``times`` says how many run at once.
    ``needs`` is what this machine's processor must have, as ``torch.cpu.get_capabilities`` names
    it, where no variable can add it. ``torch`` is a release to run with in place of the course's.
    """

    name: str
    means: str
    variables: dict[str, str] = field(default_factory=dict)
    hooks: str = ""
    place: str = ""
    times: int = 1
    needs: str = ""
    torch: str = ""

    @property
    def about_processors(self) -> bool:
        """Tell whether it leaves place, locale, torch and how many run at once as they are."""
        elsewhere = self.place or self.torch or "LC_ALL" in self.variables
        return not elsewhere and self.times == 1

    @property
    def possible(self) -> bool:
        """Tell whether this machine's processor has what it needs, and its torch is here."""
        if self.torch and not is_installed(self.torch):
            return False
        return not self.needs or bool(torch.cpu.get_capabilities().get(self.needs))


def instructions(aten: str, onednn: str, fbgemm: str, **others: str) -> dict[str, str]:
    """Return the variables by which the three libraries of kernels are told what to use."""
    return {
        "ATEN_CPU_CAPABILITY": aten,
        "ONEDNN_MAX_CPU_ISA": onednn,
        "FBGEMM_ENABLE_INSTRUCTIONS": fbgemm,
        **others,
    }


SETTINGS = (
    Setting("as it is", "this machine, one thread"),
    Setting("AMX", "a server with AMX, in which oneDNN rounds otherwise", needs="amx_int8"),
    Setting(
        "AVX2",
        "a laptop: AVX2, nothing newer",
        instructions("avx2", "AVX2", "AVX2", MKL_ENABLE_INSTRUCTIONS="AVX2"),
        "avx2",
    ),
    Setting(
        "AVX-512",
        "a server of before VNNI",
        instructions("avx512", "AVX512_CORE", "AVX512"),
        "no_vnni",
    ),
    Setting(
        "SSE4.1",
        "a processor of before AVX, on which FBGEMM does not run",
        instructions("default", "SSE41", "AVX2", MKL_CBWR="COMPATIBLE"),
        "sse4",
    ),
    Setting(
        "oldest kernels",
        "the libraries' oldest code, with FBGEMM",
        instructions("default", "SSE41", "AVX2", MKL_CBWR="COMPATIBLE"),
        "avx2",
    ),
    Setting("MKL limited", "MKL's AVX2 code for float32", {"MKL_CBWR": "AVX2"}),
    Setting("no oneDNN", "float convolutions by torch's own code", hooks="no_float_onednn"),
    Setting("Mac's engines", "qnnpack alone, and none selected", hooks="mac"),
    *(
        Setting(f"{n} threads", f"torch computes with {n} threads", {"OMP_NUM_THREADS": str(n)})
        for n in (2, 4, 8)
    ),
    Setting(
        "locale",
        "German numbers, Shanghai's time, a terminal of 40 columns",
        {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "Asia/Shanghai", "COLUMNS": "40"},
    ),
    Setting("locale C", "no locale at all", {"LC_ALL": "C", "LANG": "C"}),
    Setting("spaces", "a path with spaces", place="a path with spaces"),
    Setting("letters", "a path with letters that are not ASCII", place="Übung und 量化"),
    Setting("read-only", "a checkout in which nothing can be written", place="read-only"),
    Setting("two at once", "two runs of the same notebook at once", times=2),
    Setting("newest torch", f"torch {NEWEST} in place of the course's", torch=NEWEST),
)

BY_NAME = {setting.name: setting for setting in SETTINGS}


def possible() -> list[str]:
    """Return the names of those that this machine can run."""
    return [setting.name for setting in SETTINGS if setting.possible]
