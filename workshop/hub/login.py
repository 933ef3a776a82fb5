"""Who is let in: the room's own users with their passwords, and after ten wrong ones nobody.

Passwords lie where the system keeps its own, hashed, and the system checks them (PAM). The hub's
database then holds none. The service that PAM is asked through admits the room's group alone.
"""

from __future__ import annotations

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
        """Return the name if the password is right, and nobody tried too often."""
        name = self.normalize_username(data.get("username", ""))[:64]
        address = handler.request.remote_ip if handler else ""
        now = time.monotonic()
        if self.patience.over(name, address, now):
            self.log.warning("Too many wrong passwords for %r from %s: not asked", name, address)
            return None
        if not name.startswith(self.prefix):
            self.log.warning("%r from %s is not of this room: not asked", name, address)
            self.patience.count(name, address, now)
            return None
        found = await super().authenticate(handler, data | {"username": name})
        if not found:
            self.patience.count(name, address, now)
        return found
