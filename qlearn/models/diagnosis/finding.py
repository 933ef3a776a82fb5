"""What a diagnosis says."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.roundings import RIGHT

WIDTH = 76
ENOUGH = 15.0  # dB: below it, a sixth of the outputs' size is error


class Finding(NamedTuple):
    """What one check saw.

    Attributes:
        symptom: the title of an entry on the page of symptoms, which has causes and repairs.
        text: what was seen, and where.
        is_note: whether healthy models show it, too.
    """

    symptom: str
    text: str
    is_note: bool = False

    @property
    def is_hint(self) -> bool:
        """Whether it is a note that may say why numbers are wrong."""
        return self.is_note and self.symptom in (symptoms.WORSE, symptoms.LANGUAGE)


class Diagnosis(tuple[Finding, ...]):
    """The findings, in the order of the checks, those of bytes last where numbers are wrong.

    ``print`` shows them, and the notes after them.

    Attributes:
        sqnr: the least SQNR in dB of an output against the float model's, of one with up to three
            columns against what varies in each; None without a float model, and where the outputs
            cannot be compared.
        looked_at: how many things of each kind were looked at, by the name of one.
        left_out: checks that could not be made, and why.
        agrees: whether the outputs are those of a classifier, and nearly all answers the same.
    """

    sqnr: float | None
    looked_at: Mapping[str, int]
    left_out: Mapping[str, str]
    agrees: bool

    def __new__(
        cls,
        findings: Iterable[Finding],
        sqnr: float | None,
        looked_at: Mapping[str, int],
        left_out: Mapping[str, str],
        agrees: bool = False,
    ) -> Diagnosis:
        """Keep the findings, and what was measured beside them."""
        made = super().__new__(cls, findings)
        made.sqnr, made.looked_at, made.left_out = sqnr, looked_at, left_out
        made.agrees = agrees
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return what a copy is made of."""
        return tuple(self), self.sqnr, self.looked_at, self.left_out, self.agrees

    @property
    def faults(self) -> list[Finding]:
        """The findings without the notes."""
        return [finding for finding in self if not finding.is_note]

    @property
    def explains(self) -> bool:
        """Whether a fault says where numbers become wrong."""
        return any(each.symptom not in symptoms.STORED for each in self.faults)

    def __str__(self) -> str:
        """Say all of it."""
        counts = self.looked_at.items()
        looked = ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts)
        lines = [f"Looked at: {looked}."]
        if self.sqnr is not None:
            lines.append(f"The outputs have {whole(self.sqnr)} dB against the float model.")
        for number, finding in enumerate(self.faults, 1):
            lines += ["", *_described(f"{number}.", finding)]
        if self.sqnr is not None and self.sqnr < ENOUGH and not self.explains:
            hints = any(each.is_hint for each in self)
            why = "The notes may say why." if hints else "No check says why: see When it got worse."
            lost = "The numbers differ, and nearly all answers agree, as after a training."
            lines += ["", f"{lost if self.agrees else 'Much is lost.'} {why}"]
        elif not self.faults:
            which = "by the checks that were made" if self.left_out else ""
            found = f"No fault was found {which}".rstrip()
            if self.sqnr is not None and self.sqnr < RIGHT:
                found += "; four bits leave as much, and eight more"
            lines += ["", f"{found}. No check sees labels, thresholds, or how inputs were made."]
        for finding in self:
            lines += ["", *_described("Note:", finding)] if finding.is_note else []
        lines += ["", *(f"Not made: {name} ({why})" for name, why in self.left_out.items())]
        return "\n".join(lines).rstrip()

    __repr__ = __str__


def whole(decibels: float) -> str:
    """Return decibels in whole numbers, rounded down; those without an error are infinite.

    >>> whole(19.7), whole(-0.2), whole(math.inf)
    ('19', '-1', '∞')
    """
    return str(math.floor(decibels)) if math.isfinite(decibels) else "∞"


def _described(mark: str, finding: Finding) -> list[str]:
    """Return the lines of a finding."""
    inner = " " * 3
    text = textwrap.wrap(finding.text, WIDTH, initial_indent=f"{mark} ", subsequent_indent=inner)
    return [*text, f"{inner}See: {finding.symptom}"]
