"""Judge the machine: its engines and instructions, threads, memory, disk, folders and browser."""

from __future__ import annotations

from qlearn.doctor.facts import Facts
from qlearn.doctor.finding import NO, NOTE, YES, Finding

GIB = 2**30
ARM = ("aarch64", "arm64")
SATURATES = "no VNNI: {} saturates; the chapter reduce_range shows it on your own machine"
SLOW = (
    " Compiled, torchao's dynamic int8 takes far longer here than float: the page Symptoms says "
    "why, and what to do."
)
ALL_ENGINES = ("fbgemm", "x86", "qnnpack", "onednn")


def judge_engines(facts: Facts) -> Finding:
    """Judge which quantized engines run a layer here."""
    torch = facts.torch
    if torch.engines is None:
        reason = torch.error or facts.unknown.get("torch", "torch does not start")
        return Finding("engines", NO, f"No engine could be tried: {reason}.",
                       "First mend torch; then run the doctor again")  # fmt: skip
    dead = [name for name in torch.listed or [] if name not in torch.engines]
    refused = f"; torch lists {', '.join(dead)} too, but no layer runs there" if dead else ""
    if not torch.engines:
        return Finding(
            "engines", NO, f"No quantized engine runs a layer{refused}.",
            "Install torch from its own wheels, as requirements.txt does; they have engines for "
            "x86-64 and ARM",
        )  # fmt: skip
    says = f"{', '.join(torch.engines)} run{'s' * (len(torch.engines) == 1)} a layer{refused}"
    missing = [name for name in ALL_ENGINES if name not in torch.engines]
    if missing:
        says += f". Cells about {', '.join(missing)} compute their numbers with qlearn alone"
    return Finding("engines", NOTE if missing else YES, says + ".")


def judge_processor(facts: Facts) -> Finding:
    """Say what the instruction set means for the course."""
    torch = facts.torch
    name = f"{facts.system} on {facts.processor}"
    if torch.capability and torch.capability != "DEFAULT":
        name += f", {torch.capability}"
    limits = ", ".join(f"{key}={value}" for key, value in facts.limits.items())
    limited = f" It is limited by {limits}." if limits else ""
    slow = SLOW if torch.slow_when_compiled else ""
    return Finding("instructions", NOTE, f"{name}; {_meaning(facts)}.{slow}{limited}")


def _meaning(facts: Facts) -> str:
    torch = facts.torch
    engine = (torch.engines or ["?"])[0]
    if torch.saturates:
        return SATURATES.format(engine)
    if facts.processor in ARM:
        return "int8 products are added in 32 bits, so no sum saturates; the pages say where ARM " \
            "differs from what they print"  # fmt: skip
    if torch.saturates is False and torch.vnni and engine == "fbgemm":
        return "VNNI: fbgemm adds int8 products in 32 bits, so no sum of a linear layer saturates"
    if torch.saturates is False:
        return f"{engine} adds int8 products in 32 bits, so no sum of it saturates"
    return "whether int8 sums saturate could not be tried"


def judge_threads(facts: Facts) -> Finding:
    """Say how many threads compute; the Makefile takes one."""
    says = f"{facts.cores or 'an unknown number of'} processors may be used"
    if facts.torch.threads is not None:
        says += f", and torch computes with {facts.torch.threads}"
    if facts.threads_variable:
        says += f" (OMP_NUM_THREADS={facts.threads_variable})"
    return Finding("threads", NOTE, says + ". make sets OMP_NUM_THREADS=1; with more, the last "
                   "bits of a float sum may differ.")  # fmt: skip


def judge_memory(facts: Facts) -> Finding:
    """Judge the memory: mypy takes 0.9 GiB, each notebook up to 0.5 and make test runs two."""
    if facts.memory is None:
        return _unknown("memory", facts)
    needed, what = 2.0, "two notebooks at a time, as make test runs them, need"
    if facts.checkout is None:
        needed, what = 0.7, "a notebook and JupyterLab need"
    found = facts.memory / GIB
    if found < needed:
        return Finding(
            "memory", NO, f"{_short(found)} GiB; {what} {needed:g}.",
            "Give the machine more; reading alone needs less",
        )  # fmt: skip
    return Finding("memory", YES, f"{_short(found)} GiB; {what} {needed:g}.")


def judge_disk(facts: Facts) -> Finding:
    """Judge the free disk: .venv and the site are large."""
    if facts.disk is None:
        return _unknown("disk", facts)
    needed, what = _space(facts)
    found = facts.disk / GIB
    there = f" in {facts.disk_at}" if facts.disk_at else ""
    says = f"{_short(found)} GiB are free{there}; {what} {needed:g}."
    if found >= needed:
        return Finding("disk", YES, says)
    if facts.checkout is None:
        return Finding("disk", NO, says, "Delete something there that you do not need")
    return Finding(
        "disk", NO, says,
        "Free some; where pip brings CUDA's packages, which the course does not use, README.md "
        "says how to get torch without them",
    )  # fmt: skip


def _short(number: float) -> str:
    """Return a number with one digit after the point; a small one with two."""
    return f"{number:.1f}" if number >= 1 else f"{number:.2f}"


def _space(facts: Facts) -> tuple[float, str]:
    """Return how many GiB are needed, and a clause that says for what."""
    if facts.checkout is None:
        return 0.1, "a chapter and its temporary files need up to"
    if facts.venv == "ready":
        return 1.0, "the site and its tests need"
    return 4.0, ".venv and the site need"


def judge_folders(facts: Facts) -> list[Finding]:
    """Judge whether there is write access wherever something is written."""
    found = []
    for folder in facts.folders:
        name = folder.path or "no folder"
        if folder.error is None:
            continue
        do = {
            "the course": "Copy the course to a folder that you may write to, and work there",
            "temporary files": "Set TMPDIR to a folder that you may write to and that has space",
        }.get(folder.purpose, "Set HOME to a folder that you may write to and that has space")
        says = f"{name} cannot be written ({folder.error}); it is for {folder.purpose}."
        found.append(Finding("write access", NO, says, do))
    if not found and not facts.folders:
        return [_unknown("write access", facts, "folders")]
    if not found:
        places = ", ".join(folder.path for folder in facts.folders)
        found = [Finding("write access", YES, f"{places} can be written.")]
    return found


def judge_browser(facts: Facts) -> Finding | None:
    """Judge the browser, where this is the course's folder; tests and the PDF alone need it."""
    if facts.checkout is None:
        return None
    if facts.browser:
        return Finding("browser", YES, f"{facts.browser} starts, for the tests.")
    reason = facts.browser_error or facts.unknown.get("browser", "none was found")
    return Finding("browser", NOTE, f"None for the tests and make pdf; all else works. {reason}",
                   "Run: make browser (it installs a Chromium where it can)")  # fmt: skip


def _unknown(topic: str, facts: Facts, name: str = "") -> Finding:
    reason = facts.unknown.get(name or topic, "no reason is known")
    return Finding(topic, NOTE, f"It could not be found out ({reason}).")
