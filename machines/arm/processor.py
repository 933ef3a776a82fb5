"""The processor that is emulated, and the files in which Linux would describe it.

Without them torch's cpuinfo reads those of the real computer, finds no ARM there, and crashes.
"""

from __future__ import annotations

from pathlib import Path

# Of 2019, in many rented servers. It has no SVE, which torch's emulated kernels do not need.
NAME = "neoverse-n1"
IDENTIFIER = "0x00000000413fd0c1"
DESCRIPTION = """\
processor	: 0
BogoMIPS	: 50.00
Features	: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc \
dcpop asimddp ssbs
CPU implementer	: 0x41
CPU architecture: 8
CPU variant	: 0x3
CPU part	: 0xd0c
CPU revision	: 1

"""


def describe(root: Path) -> None:
    """Write into the folder that the emulated programs see as their root."""
    cpu = root / "sys" / "devices" / "system" / "cpu"
    files = {root / "proc" / "cpuinfo": DESCRIPTION}
    files |= {cpu / name: "0\n" for name in ("possible", "present", "online", "kernel_max")}
    files[cpu / "cpu0" / "regs" / "identification" / "midr_el1"] = f"{IDENTIFIER}\n"
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
