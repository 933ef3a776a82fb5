"""The drawing of a table of layers, by its numbers."""

import math
import re

import torch

from qlearn.course.drawings.layer_rulers import draw_layers
from qlearn.course.drawings.places_of_faults import PLACES, places_of_faults
from qlearn.models.rows import LayerRow, LayerTable

ROW = LayerRow("conv1", 20.0, -10.0, 0.5, 0.25, 0.0, 1.0, 1.0, torch.zeros(2))


def bars(drawing):
    """The bars of a drawing: where they begin, how wide they are, and their style."""
    pattern = r'<rect x="([\d.]+)%" y="[\d.]+" width="([\d.]+)%" height="12" (.*?)/>'
    found = re.findall(pattern, "".join(drawing.parts))
    return [(float(x), float(width), style) for x, width, style in found]


def test_the_used_part_and_the_clipped_share_are_bars_of_their_size():
    used, ruler, clipped, whole = bars(draw_layers(LayerTable([ROW])))
    for part, frame, share in ((used, ruler, 0.25), (clipped, whole, 0.5)):
        assert part[0] == frame[0] and abs(part[1] / frame[1] - share) < 0.01
        assert 'fill="none"' in frame[2]
    assert used[2] != clipped[2]


def test_decibels_beyond_the_scale_are_drawn_at_its_ends():
    far = ROW._replace(own=math.inf, leaving=-80.0)
    centres = re.findall(r'<circle cx="([\d.]+)%"', "".join(draw_layers(LayerTable([far])).parts))
    assert [float(x) for x in centres[-2:]] == [20.0, 54.0]


def test_its_words_say_the_same():
    label = draw_layers(LayerTable([ROW])).label
    assert label == "conv1: own error 20 dB, leaving -10 dB, ruler 25% used, 50% clipped."


def test_each_place_of_faults_is_drawn_with_its_question():
    drawing = places_of_faults()
    for what, question, step in PLACES:
        assert what in drawing.label and f">{question}<" in "".join(drawing.parts), step
