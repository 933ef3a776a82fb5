"""Judge what is installed: Python, .venv, the pinned packages, torch, and the Jupyter kernel."""

from __future__ import annotations

from qlearn.doctor.facts import Facts, Package
from qlearn.doctor.finding import NO, NOTE, YES, Finding
from qlearn.doctor.pins import fits

OWN_FINDING = ("torch", "torchao")
SHOWN = 4  # of the packages that are not as they should be; --json has them all
VENV_WRONG = {
    "missing": "There is no {venv} yet.",
    "broken": "{venv} has no Python that starts: it is half made, or its Python was removed.",
    "unfinished": "{venv} is half made, or was made in another folder: it has no stamp `ready`.",
    "moved": "{venv} was made in another folder and does not work here.",
}

# torch/_dynamo/guards.py of torch 2.13 warns of this one release.
SLOWER = (3, 13, 0)


def judge_python(facts: Facts) -> Finding:
    """Judge the version of Python."""
    version = ".".join(map(str, facts.python))
    wanted = ".".join(map(str, facts.python_wanted))
    newest = ".".join(map(str, facts.python_newest))
    if facts.python[:2] < facts.python_wanted:
        return Finding(
            "Python", NO, f"{facts.executable} is Python {version}; the course needs {wanted}.",
            f"Install Python {wanted} or later and name it: make book PYTHON=python{wanted}",
        )  # fmt: skip
    if facts.python[:2] > facts.python_newest:
        return Finding(
            "Python", NO, f"{facts.executable} is Python {version}, for which some packages of the "
            f"course have no build; they have for {wanted} to {newest}.",
            f"Install Python {newest} and name it: make book PYTHON=python{newest}",
        )  # fmt: skip
    if facts.python == SLOWER:
        return Finding(
            "Python", NO, f"{facts.executable} is Python {version}, of which torch warns when it "
            "compiles: cells of the chapters print the warning, and make test fails.",
            "Install Python 3.13.1 or later and name it: make book PYTHON=python3.13",
        )  # fmt: skip
    return Finding("Python", YES, f"{version}, {facts.executable}")


def judge_venv(facts: Facts) -> Finding | None:
    """Judge .venv, where this is the course's folder."""
    if facts.checkout is None:
        return None
    if facts.venv in VENV_WRONG:
        says = VENV_WRONG[facts.venv].format(venv=f"{facts.checkout}/.venv")
        return Finding(".venv", NO, says, "Run: make book (it makes .venv from nothing)")
    if not facts.in_venv:
        return Finding(
            ".venv", NOTE, f"It is ready, but {facts.executable} is another Python, and what "
            "stands here is about that one; to ask about .venv, run: make doctor",
        )  # fmt: skip
    return Finding(".venv", YES, "It is ready, and its Python is the one that runs.")


def judge_torch(facts: Facts) -> Finding:
    """Judge whether torch is there, starts, and is the one that the course is about."""
    torch, package = facts.torch, _package(facts, "torch")
    if torch.version is None:
        if package and package.found is None and "No module named 'torch'" in str(torch.error):
            return Finding("torch", NO, f"{facts.executable} has no torch.", _install(facts))
        return Finding("torch", NO, f"torch does not start: {torch.error}.", _anew(facts))
    if package and not fits(torch.version, package.wanted):
        return Finding(
            "torch", NO, f"{torch.version} from {torch.file}; the course is about {package.asked}, "
            "and another torch computes other numbers.", _another_torch(facts, package),
        )  # fmt: skip
    return Finding("torch", YES, f"{torch.version}, as the course wants it")


def judge_torchao(facts: Facts) -> Finding | None:
    """Judge torchao, which chapters need and qlearn does not."""
    package = _package(facts, "torchao")
    if package is None:
        return None
    if package.found and fits(package.found, package.wanted):
        return Finding("torchao", YES, f"{package.found}, as the course wants it")
    if package.found is None:
        says = "There is none, so the chapters that call it cannot run."
    else:
        says = f"{package.found}; the course is about {package.asked}."
    return Finding("torchao", NO, says, _install(facts))


def judge_packages(facts: Facts) -> Finding:
    """Judge all other packages together."""
    others = [package for package in facts.packages if package.name not in OWN_FINDING]
    wrong = [p for p in others if p.found is None or not fits(p.found, p.wanted)]
    if not facts.packages:
        return Finding("packages", NO, "Which packages are needed could not be found out: "
                       f"{facts.unknown.get('packages', 'no list')}.", _install(facts))  # fmt: skip
    if wrong:
        listed = [f"{p.name} {p.found or 'missing'} (wanted: {p.asked})" for p in wrong[:SHOWN]]
        listed += [f"and {len(wrong) - SHOWN} more"] * (len(wrong) > SHOWN)
        return Finding("packages", NO, f"{len(wrong)} of {len(others)} are not as the course "
                       f"wants them: {', '.join(listed)}.", _install(facts))  # fmt: skip
    return Finding("packages", YES, f"all {len(others)} others are as the course wants them")


def judge_kernel(facts: Facts) -> Finding | None:
    """Judge whether a notebook would find a kernel."""
    if facts.checkout is None and "jupyter_client" in str(facts.kernel):
        return None  # a program that uses qlearn needs no notebooks
    if facts.kernel is None and "kernel" not in facts.unknown:
        return Finding("kernel", YES, "A Jupyter kernel starts and computes.")
    reason = facts.kernel or facts.unknown["kernel"]
    if "No module named" in reason:
        return Finding("kernel", NO, f"No Jupyter kernel starts: {reason}.", _install(facts))
    return Finding(
        "kernel", NO, f"No Jupyter kernel starts: {reason}.",
        "If a folder cannot be written, set HOME to one that can. Else: " + _anew(facts),
    )  # fmt: skip


def _package(facts: Facts, name: str) -> Package | None:
    return next((package for package in facts.packages if package.name == name), None)


def _install(facts: Facts) -> str:
    if facts.checkout is None:
        wrong = [p for p in facts.packages if p.found is None or not fits(p.found, p.wanted)]
        names = " ".join(f"'{p.name}{p.wanted}'" for p in wrong)
        return f"Run: {facts.executable} -m pip install {names or 'torch'}"
    if facts.venv == "ready" and not facts.in_venv:
        return "Use the Python of the course: .venv/bin/python, or make doctor"
    if facts.venv == "ready":
        return "Run: .venv/bin/python -m pip install -r requirements.txt"
    return "Run: make book (it installs all of them in .venv)"


def _anew(facts: Facts) -> str:
    if facts.checkout is None:
        return f"Run: {facts.executable} -m pip install --force-reinstall torch"
    return (
        "Run: rm -rf .venv && make book. If that changes nothing, this machine cannot run what "
        "the course is pinned to; every page can still be read"
    )


def _another_torch(facts: Facts, package: Package) -> str:
    if package.found and fits(package.found, package.wanted):
        return "Another torch hides the installed one: unset PYTHONPATH, or remove that folder"
    return _install(facts)
