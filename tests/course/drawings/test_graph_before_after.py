"""The graph drawn twice: what is blue passes codes, what is filled has int8 weights."""

from __future__ import annotations

from functools import cache
from xml.etree import ElementTree as ET

import torch
from torch import nn

from qlearn.course import split_digits, trained_digits_net
from qlearn.course.drawings.graph_before_after import graph_before_after, steps
from qlearn.course.drawings.svg import CODE, Drawing
from qlearn.course.static_graph import static_graph
from tests.course.drawings.drawn import svg_of

NAMES = [*2 * ["conv2d", "batch_norm", "relu"], "max_pool2d", "flatten", "linear"]


@cache
def drawn() -> Drawing:
    net, images = trained_digits_net(), split_digits().train_images[:100]
    before = torch.export.export(net, (images,)).module()
    return graph_before_after(before, static_graph(net, [images]))


def svg() -> ET.Element:
    return svg_of(drawn())


def test_the_batch_norms_have_no_box_after() -> None:
    texts = [each.text for each in svg().iter("text")]
    assert texts.count("batch_norm") == texts.count("folded") == 2
    assert all(texts.count(name) == 2 * NAMES.count(name) for name in set(NAMES) - {"batch_norm"})


def test_filled_boxes_are_the_layers_with_int8_weights() -> None:
    filled = [box for box in svg().iter("rect") if box.get("fill") == CODE]
    assert len(filled) == 3


def test_codes_enter_all_but_the_relus() -> None:
    blue = [each for each in svg().iter("line") if each.get("stroke") == CODE]
    assert len(blue) == len(list(svg().iter("circle"))) == 5


def test_a_float_graph_has_no_codes() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU()).eval()
    graph = torch.export.export(model, (torch.ones(3, 2),)).module()
    assert [(step.name, step.scale, step.int8_weight) for step in steps(graph)] == [
        ("linear", None, False),
        ("relu", None, False),
    ]
    assert "Folded away" not in graph_before_after(graph, graph).label


def test_its_words_say_the_same() -> None:
    said = drawn().label
    assert said.startswith(f"Before: {', '.join(NAMES)}, all in float. After: conv2d on codes of")
    assert said.endswith("Folded away: 2.")
    assert "; relu; " in said
