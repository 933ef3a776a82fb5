"""Widgets that work on a static page, with no kernel, and in a live notebook alike."""

from qlearn.widgets.quantizer import Quantizer

__all__ = ["Quantizer"]
