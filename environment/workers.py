"""How many processes a part of a check starts: as many as this machine has processors for.

    python -m environment.workers       prints the number

`make test` runs two parts at once, so that one computes while the other waits for a browser.
WORKERS=3 chooses another number.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

FEWEST, MOST = 2, 8
MEMORY_OF_ONE = 4 * 2**30  # bytes; a process with torch and a browser, and there are two parts


def workers(processors: int, memory: int, variables: Mapping[str, str] | None = None) -> int:
    """Return how many, for a machine with so many processors and bytes of memory.

    Raises:
        ValueError: WORKERS is no whole number from 1 on.

    >>> workers(2, 24 * 2**30), workers(16, 128 * 2**30), workers(8, 16 * 2**30)
    (2, 8, 4)
    """
    asked = (variables or {}).get("WORKERS", "")
    if not asked:
        return max(FEWEST, min(MOST, processors, memory // MEMORY_OF_ONE))
    if not (asked.isascii() and asked.isdigit() and int(asked)):
        raise ValueError(f"WORKERS is {asked!r}: give a whole number from 1 on, as WORKERS=2")
    return int(asked)


def workers_here() -> int:
    """Return how many, for this machine."""
    may_use = getattr(os, "sched_getaffinity", None)  # Linux tells what this process may use
    processors = len(may_use(0)) if may_use else os.cpu_count() or FEWEST
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return workers(processors, memory, os.environ)


if __name__ == "__main__":
    try:
        print(workers_here())
    except ValueError as error:
        sys.exit(str(error))
