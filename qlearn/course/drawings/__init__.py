"""The drawings of mechanisms: SVG by code, in the inks that the widgets have."""

from qlearn.course.drawings.svg import Drawing
from qlearn.course.drawings.there_and_back import there_and_back

__all__ = ["Drawing", "there_and_back"]
