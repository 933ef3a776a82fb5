"""One start at a time: a second one, from another double click, waits for the first."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Hold a lock on a file; it ends with its process, however that ends."""
    with file.open("a+") as lock:
        if not _taken(lock):
            print("Another start is at work in this folder; this one waits for it.", flush=True)
            while not _taken(lock):
                time.sleep(0.5)
        yield


def _taken(lock: IO[str]) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            lock.seek(0)
            msvcrt.locking(  # type: ignore[attr-defined,unused-ignore]
                lock.fileno(),
                msvcrt.LK_NBLCK,  # type: ignore[attr-defined,unused-ignore]
                1,
            )
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return os.name != "nt"  # a file system without locks
    return True
