"""The drawings of mechanisms: SVG by code, in the inks that the widgets have."""

from qlearn.course.drawings.moved_ruler import moved_ruler
from qlearn.course.drawings.row_and_output import row_and_output
from qlearn.course.drawings.ruler_and_error import ruler_and_error
from qlearn.course.drawings.rulers import rulers
from qlearn.course.drawings.svg import Drawing
from qlearn.course.drawings.there_and_back import there_and_back

__all__ = [
    "Drawing",
    "moved_ruler",
    "row_and_output",
    "ruler_and_error",
    "rulers",
    "there_and_back",
]
