"""The text of the page of symptoms, and its entries by name."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "book" / "reference" / "symptoms.md"
SECTION = re.compile(r"^\(symptom-([\w-]+)\)=\n### (.+)$", re.MULTILINE)
TEXT = PAGE.read_text(encoding="utf-8")
HEADINGS = dict(SECTION.findall(TEXT))
ENTRIES = {part.partition(")")[0]: part for part in TEXT.split("\n(symptom-")[1:]}
