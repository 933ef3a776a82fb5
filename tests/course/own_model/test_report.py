"""The page to hand on: complete in itself, with what was found, and short."""

import html.parser
import math
import re

import pytest

from qlearn.course.own_model import LayerErrors, Layers, Trial, Trials, advice, make_report
from qlearn.course.own_model.by_layer import LayerError
from qlearn.course.own_model.layers import Layer
from qlearn.course.own_model.picture import MOST, draw_layers, draw_trials

FLOAT = Trial("float32", 0, 100_000, 100_000, math.inf, 0.9)
INT8 = Trial("int8", 2, 30_000, 30_000, 46.0, 0.9)
FOUR = Trial("four <bits>", 2, 30_000, 20_000, 22.0, 0.8)
STOPPED = Trial("stopped", 0, 0, 0, -math.inf, math.nan, "it takes no layer")
VOID = {"meta", "br", "img", "input", "link", "hr"}


def layers(count):
    taken = [Layer(f"body.{n}", "Linear", 4000, 8, {"four <bits>": ""}) for n in range(count)]
    return Layers([*taken, Layer("gru", "GRU", 4000, 0, {"four <bits>": "no kernel"})])


def errors(count):
    return LayerErrors(
        LayerError(f"body.{n}", 4000, 20.0 + n, 21.0, 1 / count) for n in range(count)
    )


def report(count=2, **changes):
    found = Trials([FLOAT, INT8, FOUR, STOPPED])
    options = {"debugged": "four <bits>", "metric": "accuracy"} | changes
    chosen = advice(found, 0.05)
    return make_report("A & B", found, layers(count), errors(count), chosen, **options)


class Tags(html.parser.HTMLParser):
    """Sees that each tag is closed by its like, and notes what the file would load."""

    def __init__(self):
        super().__init__()
        self.open, self.loads = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        self.loads += [value for name, value in attrs if name in ("src", "href")]

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_file_is_whole_and_loads_nothing():
    text = report().html()
    tags = Tags()
    tags.feed(text)
    assert tags.open == [] and tags.loads == []
    assert "http" not in text and "url(" not in text
    assert text.count("<svg") == 2
    assert "A4" in text


def test_it_says_what_was_found():
    text = report(notes="One batch takes 2 ms.").html()
    for part in (
        "<h1>A &amp; B</h1>",
        "Take int8.",
        "accuracy",
        "four &lt;bits&gt;",
        "stopped stops: it takes no layer.",
        "gru: no kernel",
        "One batch takes 2 ms.",
        "torch 2",
        "torchao 0",
    ):
        assert part in text, part
    assert "<bits>" not in text


def test_a_page_of_the_course_shows_it_without_versions():
    page = report()
    assert "torch 2" not in page._repr_html_()
    assert repr(page) == "Report: A & B"


def test_the_saved_file_is_the_html(tmp_path):
    page = report()
    page.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page.html()


def test_a_large_model_is_cut_to_a_page():
    page = report(count=200)
    drawing = draw_layers(layers(200), errors(200), "four <bits>")
    assert f"and {201 - MOST} more layers" in drawing.label
    assert drawing.height < 450
    assert page.html().count("<rect") < 30


def test_a_model_without_quantized_layers_has_a_report_too():
    found = Trials([FLOAT, STOPPED])
    page = make_report(
        "none", found, layers(0), LayerErrors(), advice(found, 0), debugged="four <bits>", metric=""
    )
    assert "No layer was quantized" in page.html()
    assert "Take float32." in page.html()


def test_bars_are_as_long_as_the_files():
    drawing = draw_trials(Trials([FLOAT, INT8, FOUR]))
    widths = [float(w) for w in re.findall(r'<rect[^>]*width="([\d.]+)%"', "".join(drawing.parts))]
    assert widths[1] / widths[0] == pytest.approx(0.3, abs=0.01)
    assert "packed 20" in "".join(drawing.parts)
    filled = re.findall(r'<rect[^>]*fill="(#?\w+)"', "".join(drawing.parts))
    assert filled == ["none", "#2f7de1", "#2f7de1"]
