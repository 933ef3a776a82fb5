"""Count wrong passwords, and answer the more slowly the more there were."""

from __future__ import annotations

from collections import deque

FREE, SECONDS, SLOWEST = 10, 300.0, 10.0
NAMES = 10_000


class Patience:
    """Counts the wrong passwords for each name, and says how long the answer to another one waits.

    A right password is let in at once, however many wrong ones there were: else everybody who
    knows a name could lock it out. A password of the sheet has 59 bits, and needs no lock.
    """

    def __init__(self, free: int = FREE, seconds: float = SECONDS, slowest: float = SLOWEST):
        self.free, self.seconds, self.slowest = free, seconds, slowest
        self.wrong: dict[str, deque[float]] = {}

    def wait(self, name: str, now: float) -> float:
        """Count a wrong password; return how many seconds its answer waits."""
        # The name goes to the end, so that many other names do not make this one forgotten.
        times = self.wrong.pop(name, deque(maxlen=self.free + int(self.slowest)))
        while times and now - times[0] > self.seconds:
            times.popleft()
        times.append(now)
        self.wrong[name] = times
        if len(self.wrong) > NAMES:
            self.wrong.pop(next(iter(self.wrong)))
        return min(max(0.0, float(len(times) - self.free)), self.slowest)
