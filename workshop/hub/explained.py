"""Say in a sentence which limit of the room a cell met; the system's own words name none.

IPython loads this into each student's kernel, because `make hub` writes a line into its settings.
"""

from __future__ import annotations

import errno
import sys
import threading
from types import TracebackType
from typing import Any

from workshop.hub.limits import PROCESSES

FULL = (
    "What you write to is full: your disk, or /tmp, which holds 256 MB. Delete files there that "
    "you do not need, and run the cell again."
)
CROWDED = (
    f"In this room you can run {PROCESSES} processes and threads at once, and these are running. "
    "Choose Restart Kernel: those that this notebook started end with it."
)


def sentence(error: BaseException) -> str:
    """Return what the room says to an error, or nothing if it is none of a limit.

    >>> sentence(OSError(errno.ENOSPC, "No space left on device")) == FULL
    True
    >>> sentence(BlockingIOError(errno.EAGAIN, "a socket has nothing to read"))
    ''
    """
    number = error.errno if isinstance(error, OSError) else None
    if number in {errno.ENOSPC, errno.EDQUOT}:
        return FULL
    refused = number == errno.EAGAIN or str(error) == "can't start new thread"
    return CROWDED if refused and not can_start() else ""


def can_start() -> bool:
    """Return whether one more thread starts; the limit counts it as it counts a process."""
    try:
        threading.Thread(target=lambda: None).start()
    except RuntimeError:
        return False
    return True


def explain(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> None:
    """Show the error as always, and the sentence below it."""
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    if said := sentence(error):
        print(said, file=sys.stderr)


def load_ipython_extension(shell: Any) -> None:
    """Let a shell explain the errors that a limit raises."""
    shell.set_custom_exc((OSError, RuntimeError), explain)
