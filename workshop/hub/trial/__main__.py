"""Run a trial with the Python of the hub's environment, which has what the trial's programs need.

python -m workshop.hub.trial load 30 [--not-forked] [--record]
python -m workshop.hub.trial faults [--record]
"""

from __future__ import annotations

import os
import sys

from workshop.hub import install
from workshop.hub.services import PLAIN
from workshop.hub.settings import read


def main() -> None:
    """Install the environment if it is not there, and become the trial."""
    if os.geteuid() != 0:
        sys.exit("A trial makes users of its own and starts servers as them: sudo make ...")
    if sys.argv[1:2] not in (["load"], ["faults"]):
        sys.exit(__doc__)
    settings = read()
    install.folders(settings)
    install.environment(settings)
    os.chdir(install.ROOT)
    command = [str(settings.python), "-m", f"workshop.hub.trial.{sys.argv[1]}", *sys.argv[2:]]
    os.execve(
        settings.python,
        command,
        PLAIN | {"PYTHONPATH": str(install.ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )


if __name__ == "__main__":
    main()
