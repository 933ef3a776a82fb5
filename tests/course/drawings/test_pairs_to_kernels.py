"""PT2E's pairs drawn: the graph is in floats but for its edges of codes, the kernels are filled."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from qlearn.course import split_digits
from qlearn.course.broken.nets import plain_net
from qlearn.course.drawings.pairs_to_kernels import pairs_to_kernels
from qlearn.course.drawings.svg import CODE
from qlearn.course.static_graph import static_graph
from tests.course.drawings.drawn import svg_of


def svg() -> ET.Element:
    """Return the picture's element."""
    return svg_of(pairs_to_kernels())


def test_the_operations_are_those_of_the_graph() -> None:
    graph = static_graph(plain_net(), [split_digits().train_images[:64]])
    called = [node.name for node in graph.graph.nodes if node.op == "call_function"]
    start = called.index("quantize_per_tensor_default")
    real = [name.split("_")[0] for name in called[start:] if "channel" not in name]
    drawn = [each.text for each in svg().iter("text")][2:11]
    assert drawn == real[:9]


def test_four_operations_become_one_kernel() -> None:
    boxes = list(svg().iter("rect"))
    filled = [box for box in boxes if box.get("fill") == CODE]
    assert (len(boxes), len(filled)) == (12, 2)
    tall = {float(box.get("height", 0)) for box in filled}
    assert tall == {3 * 30 + 22.0}  # from the first of four boxes to the end of the last


def test_codes_leave_each_quantize() -> None:
    thick = [each for each in svg().iter("line") if each.get("stroke-width") == "4"]
    assert {each.get("stroke") for each in thick} == {CODE}
    assert len(thick) == 2 + 2  # in the graph, the last quantize leads nowhere; and compiled


def test_its_words_say_the_same() -> None:
    assert "twice dequantize, conv2d, relu, quantize" in pairs_to_kernels().label
