"""One thing that the doctor looked at: whether it is as it should be, and what to do if not."""

from __future__ import annotations

from dataclasses import dataclass

YES, NOTE, NO = "yes", "note", "no"


@dataclass(frozen=True)
class Finding:
    """A topic, the verdict on it, a sentence, and for each "no" what to do.

    "yes" is as it should be; a "note" is worth knowing, and nothing fails because of it; with
    a "no" something of the course will fail.
    """

    topic: str
    verdict: str
    says: str
    do: str = ""

    def __post_init__(self) -> None:
        assert self.verdict in (YES, NOTE, NO), self.verdict
        assert self.do or self.verdict != NO, f"{self.topic}: a no without what to do"
