"""One process alone runs a hub's services: a second one would end those of the first, and so on."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator

from workshop.hub.settings import Settings


@contextlib.contextmanager
def alone(settings: Settings) -> Iterator[None]:
    """Hold the lock of this hub's services.

    It ends with the process, however that ends: the services do not inherit the open file.

    Raises:
        ValueError: another process holds it.
    """
    with open(settings.state / "services.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                "the hub runs already: end it by Ctrl-C in its terminal, and the students' servers "
                "go on, or run make hub-stop, which ends them too"
            ) from None
        yield
