"""Who is let in: the room's own users with their passwords; wrong ones are answered ever later.

Passwords lie where the system keeps its own, hashed, and the system checks them (PAM). The hub's
database then holds none. The service that PAM is asked through admits the room's group alone.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from jupyterhub.auth import PAMAuthenticator
from traitlets import Unicode

from workshop.hub.patience import Patience


class RoomAuthenticator(PAMAuthenticator):
    """Asks the system for the password of a user whose name has the room's prefix."""

    prefix = Unicode("qbb-", config=True, help="how each name of the room begins")

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.patience = Patience()

    async def authenticate(self, handler: Any, data: dict[str, str]) -> str | None:
        """Return the name if the password is right; who guesses waits for the answer."""
        name = self.normalize_username(data.get("username", ""))[:64]
        address = handler.request.remote_ip if handler else ""
        if name.startswith(self.prefix):
            if found := await super().authenticate(handler, data | {"username": name}):
                return found
        else:
            self.log.warning("%r from %s is not of this room: not asked", name, address)
        wait = self.patience.wait(name, time.monotonic())
        if wait:
            self.log.warning("Too many wrong passwords for %r, now from %s", name, address)
        await asyncio.sleep(wait)
        return None
