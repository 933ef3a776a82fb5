"""Run a command alone: no other one runs under the same lock. alone.py FILE COMMAND.

Two makes at once would install into one .venv, and the second would delete what the first has
half made. The lock is on an open file, so it ends with its process, however that ends.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys

try:
    import fcntl
except ImportError:  # Windows, where make is a guest
    fcntl = None  # type: ignore[assignment]

PATIENCE = 20  # seconds to end in, after Ctrl-C


def run_alone(file: str, command: list[str]) -> int:
    """Wait for the lock on a file, run the command, and return its exit status."""
    with open(file, "rb") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print("Another make is at work here; this one waits for it.", flush=True)
                fcntl.flock(lock, fcntl.LOCK_EX)
            except OSError:
                pass  # a file system without locks
        with subprocess.Popen(command) as process:
            try:
                return process.wait()
            except KeyboardInterrupt:  # the command had it too, and may put something back
                with contextlib.suppress(KeyboardInterrupt, subprocess.TimeoutExpired):
                    process.wait(PATIENCE)
                process.kill()
                return 130


if __name__ == "__main__":
    sys.exit(run_alone(sys.argv[1], sys.argv[2:]))
