"""Run any command as on another machine.

python -m machines.within AVX2 -- python -m pytest tests/numbers/test_quantize.py
"""

from __future__ import annotations

import subprocess
import sys

from machines.run import environment, missing
from machines.settings import BY_NAME
from machines.workplace import ROOT


def main(arguments: list[str]) -> int:
    """Run the command after "--" in the setting before it, and return its exit status."""
    if len(arguments) < 3 or arguments[1] != "--" or arguments[0] not in BY_NAME:
        names = ", ".join(repr(name) for name in BY_NAME)
        return complain(f"usage: python -m machines.within SETTING -- COMMAND; settings: {names}")
    setting = BY_NAME[arguments[0]]
    if setting.place or setting.times > 1:
        return complain(f"{setting.name!r} is about where notebooks lie; run python -m machines")
    if reason := missing(setting):
        return complain(reason)
    scratch = ROOT / "_build" / "machines"
    scratch.mkdir(parents=True, exist_ok=True)
    return subprocess.run(arguments[2:], env=environment(setting, ROOT, scratch)).returncode


def complain(sentence: str) -> int:
    """Say what is wrong, and return the exit status for it."""
    print(sentence, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
