"""Count wrong passwords, and say when it is enough."""

from __future__ import annotations

from collections import deque

MOST, SECONDS = 10, 300.0


class Patience:
    """Counts wrong passwords for a name from an address, and says when it is enough.

    By name and address together, so that nobody in the room can lock another one out. A password
    of the sheet has 59 bits, so a guesser who changes addresses gains nothing either.
    """

    def __init__(self, most: int = MOST, seconds: float = SECONDS):
        self.most, self.seconds = most, seconds
        self.wrong: dict[tuple[str, str], deque[float]] = {}

    def over(self, name: str, address: str, now: float) -> bool:
        """Return whether there were too many wrong passwords lately."""
        times = self.wrong.get((name, address), deque())
        while times and now - times[0] > self.seconds:
            times.popleft()
        return len(times) >= self.most

    def count(self, name: str, address: str, now: float) -> None:
        """Remember a wrong password, and forget old ones so that memory stays small."""
        if len(self.wrong) > 10_000:
            self.wrong.clear()
        self.wrong.setdefault((name, address), deque(maxlen=self.most)).append(now)
