"""The picture in a drawing's markup."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from qlearn.course.drawings.svg import Drawing


def svg_of(drawing: Drawing) -> ET.Element:
    """Return the picture's element; the markup must be well-formed."""
    found = ET.fromstring(drawing._repr_html_()).find("svg")
    assert found is not None, "the markup holds no svg"
    return found
