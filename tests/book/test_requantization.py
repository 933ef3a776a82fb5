"""What the chapter on requantization says beside its outputs."""

from __future__ import annotations

import platform
import subprocess
import sys
from fractions import Fraction

import pytest
import torch
from torch import fx

from qlearn import QParams, QTensor, linear_static, quantize
from qlearn.course import split_digits
from qlearn.course.broken.nets import plain_net
from qlearn.course.static_graph import static_graph

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
def test_freezing_makes_one_kernel_of_each_layer() -> None:
    command = [sys.executable, "-W", "ignore", "-c", FROZEN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Enough" in done.stderr
    called = done.stdout.split("\n")
    assert called.count("onednn.qconv_pointwise.default") == 2
    assert called.count("onednn.qlinear_pointwise.default") == 1
    assert not [name for name in called if name.startswith("aten.conv")]
