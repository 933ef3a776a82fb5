"""What the chapter on requantization says beside its outputs."""

from __future__ import annotations

import platform
import re
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
import torch
from torch import fx

from qlearn import (
    QParams,
    QTensor,
    fixed_point_multiplier,
    fixed_point_product,
    linear_static,
    quantize,
    requantize,
)
from qlearn.course import split_digits
from qlearn.course.broken.nets import plain_net
from qlearn.course.graphs import node_results
from qlearn.course.static_graph import static_graph
from qlearn.course.widgets import Requantizer
from tests.book.test_snippets import BOOK

X, W, Y = (Fraction(1, 20), 20), (Fraction(1, 100), 0), (Fraction(1, 20), 60)  # scale, zero point
INPUTS = [[1.0, -0.5, 2.0], [-0.5, 1.5, 0.5]]
WEIGHTS, BIAS = [0.5, -1.0, 0.29], 0.1


def exact_codes(numbers: list[float], scale: Fraction, zero_point: int) -> list[int]:
    """Return the codes of numbers by exact arithmetic."""
    return [round(Fraction(str(x)) / scale) + zero_point for x in numbers]


@pytest.fixture(scope="module")
def graph() -> fx.GraphModule:
    return static_graph(plain_net(), [split_digits().train_images[:256]])


@pytest.mark.parametrize(
    ("inputs", "codes", "total", "code"),
    [(INPUTS[0], [40, 10, 60], 3360, 94), (INPUTS[1], [10, 50, 30], -3010, 30)],
    ids=["first", "second"],
)
def test_the_layer_by_hand(inputs: list[float], codes: list[int], total: int, code: int) -> None:
    assert exact_codes(inputs, *X) == codes
    weights = exact_codes(WEIGHTS, *W)
    assert weights == [50, -100, 29]
    products = sum((q - X[1]) * w for q, w in zip(codes, weights, strict=True))
    assert products + Fraction(str(BIAS)) / (X[0] * W[0]) == total
    assert round(total * X[0] * W[0] / Y[0]) + Y[1] == code
    assert ((total * 655 + 2**15) >> 16) + Y[1] == code  # fixed point with 16 bits, by hand


def test_qlearn_computes_the_layer_by_hand() -> None:
    x, w = torch.tensor(INPUTS), torch.tensor([WEIGHTS])
    of_x, of_y = (QParams(0.05, zero, 0, 255, torch.uint8) for zero in (20, 60))
    of_w = QParams(0.01, 0, -128, 127, torch.int8)
    layer = QTensor(quantize(x, of_x), of_x), QTensor(quantize(w, of_w), of_w)
    bias = torch.tensor([BIAS])
    assert linear_static(*layer, bias, of_y).values.tolist() == [[94], [30]]
    assert linear_static(*layer, bias, of_y, relu=True).values.tolist() == [[94], [60]]


def by_hand(total: int, **options: Any) -> Requantizer:
    rulers = {"x_scale": 0.05, "weight_scale": 0.01, "output_scale": 0.05, "zero_point": 60}
    return Requantizer(total, bias=0.1, **rulers, **options)


def test_the_figure_answers_what_the_page_asks() -> None:
    assert [by_hand(total).code("fbgemm") for total in (3160, -3210)] == [94, 30]
    assert by_hand(-3210, relu=True).code("fbgemm") == 60
    assert [by_hand(total).code("fbgemm") for total in (19_240, 19_260, 30_000)] == [254, 255, 255]


def test_two_sums_of_the_layer_have_another_code_in_fixed_point() -> None:
    figure, rulers = by_hand(0), [torch.tensor(0.05), torch.tensor(0.01)]
    sums = torch.arange(-7000, 20_500, dtype=torch.int32)
    output = QParams(0.05, 60, 0, 255, torch.uint8)
    layer = [*rulers, torch.tensor([0.1]), output]
    floats = requantize(sums[:, None], *layer, relu=False, engine="fbgemm").flatten()
    parts = fixed_point_multiplier(figure.multiplier)
    fixed = (fixed_point_product(sums + 200, *parts) + 60).clamp(0, 255)
    apart = (fixed - floats.int()).abs()
    assert sums[apart > 0].tolist() == [-150, 50] and apart.max() == 1
    for total in (-150, 50):
        assert by_hand(total).code("fbgemm") != by_hand(total).code("fixed")


def test_the_folded_cell_takes_the_codes_out_of_any_graph_of_pt2e() -> None:
    cells = nbformat.read(BOOK / "integers" / "requantization.ipynb", as_version=4).cells
    model = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(), torch.nn.Linear(5, 3))
    inputs = torch.linspace(-1, 2, 60).reshape(10, 6)
    names = {
        "graph": static_graph(model.eval(), [inputs]),
        "digits": SimpleNamespace(test_images=inputs),
        **{each.__name__: each for each in (node_results, QParams, QTensor)},
        "torch": torch,
    }
    (folded,) = [cell.source for cell in cells if cell.source.startswith("computed = ")]
    exec(folded, names)
    codes, weights = names["codes"], names["weights"]
    assert [tuple(weight.values.shape) for weight in weights] == [(5, 6), (3, 5)]
    bias = model[0].bias.detach()
    mine = linear_static(codes[0], weights[0], bias, codes[1].qparams, relu=True).values
    (line,) = {
        line
        for cell in cells
        if cell.cell_type == "markdown"
        for line in re.findall(r"`(\(a\.int.*?)`", cell.source)
    }
    theirs = codes[1].values
    assert eval(line, {"a": mine, "b": theirs})
    assert not eval(line, {"a": mine + 2, "b": theirs})
    assert eval(line, {"a": torch.tensor(0).byte(), "b": torch.tensor(1).byte()})


def test_x86s_quantizer_fuses_a_convolution_and_its_relu(graph: fx.GraphModule) -> None:
    convs = [node for node in graph.graph.nodes if node.name.startswith("conv2d")]
    assert len(convs) == 2
    for conv in convs:
        (relu,) = conv.users
        assert relu.name.startswith("relu")
        (after,) = relu.users
        assert after.name.startswith("quantize_per_tensor")
        assert after.args[2:5] == (0, 0, 255)  # the zero point is 0, and all codes are in use


def test_the_graph_computes_in_floats_between_the_pairs(graph: fx.GraphModule) -> None:
    conv = next(node for node in graph.graph.nodes if node.name == "conv2d")
    x, weight = conv.args[:2]
    assert x.name.startswith("dequantize_per_tensor")
    assert weight.name.startswith("dequantize_per_channel")
    assert conv.target is torch.ops.aten.conv2d.default


def test_the_multipliers_of_the_first_layer(graph: fx.GraphModule) -> None:
    nodes = {node.name: node for node in graph.graph.nodes}
    scale = nodes["dequantize_per_channel_default"].args[1].target
    image, output = nodes["quantize_per_tensor_default"], nodes["quantize_per_tensor_default_1"]
    multipliers = image.args[1] * getattr(graph, scale) / output.args[1]
    assert round(multipliers.min().item(), 4) >= 0.0023
    assert round(multipliers.max().item(), 4) <= 0.0055
    assert multipliers.min() < 1 / 256 < multipliers.max()  # so a shift makes some too large


def test_the_last_layer_leaves_its_output_in_float(graph: fx.GraphModule) -> None:
    output = next(node for node in graph.graph.nodes if node.op == "output")
    (last,) = output.all_input_nodes
    assert last.target is torch.ops.aten.linear.default


FROZEN = """
import torch
from torch._inductor import config, freezing
from qlearn.course import split_digits
from qlearn.course.broken.nets import plain_net
from qlearn.course.static_graph import static_graph
from tests.probes import Fork

class Enough(Exception): ...

def stop(*args, **options):
    nodes = freeze(*args, **options)[0].graph.nodes
    print(*(node.target for node in nodes if node.op == "call_function"), sep="\\n")
    raise Enough  # before anything is compiled

images = split_digits().train_images[:64]
graph = static_graph(plain_net(), [images])
freeze, freezing.freeze = freezing.freeze, stop
with torch.no_grad(), config.patch(freezing=True):
    torch.compile(graph)(images)
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="oneDNN's int8 kernels are for x86")
def test_freezing_makes_one_kernel_of_each_layer(fork_with_torchao: Fork) -> None:
    ended = fork_with_torchao(FROZEN)
    assert "Enough" in ended.died
    called = ended.said.split("\n")
    assert called.count("onednn.qconv_pointwise.default") == 2
    assert called.count("onednn.qlinear_pointwise.default") == 1
    assert not [name for name in called if name.startswith("aten.conv")]
