"""Does it run faster: a prediction from two rates, and the layers that become integer kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from torch import ops
from torch.fx import Graph, Node

from qlearn.course.exercises.exercise import Case, Exercise, nowhere, one_number

Cost = Callable[[float, float], float]  # of reading and of arithmetic, for a weight
FLOAT, BYTE = 4, 8  # the bytes of a float, and the bits of a byte


def times(
    rows: float, bits: float, read: float, floats: float, products: float, cost: Cost = max
) -> float:
    """Return the time of a layer in float32, divided by that of its quantized copy."""
    before = cost(FLOAT / read, rows / floats)
    return before / cost(bits / BYTE / read, rows / products)


TIMES_AS_FAST = Exercise(
    name="times_as_fast",
    call="times_as_fast(rows, bits, read, floats, products)",
    task="one number, the time in float32 divided by the time of the quantized layer",
    drive=one_number("speed"),
    right=times,
    cases=(
        Case("one row, in int8", (1, 8, 50, 100, 600)),
        Case("one row, four bits with their scales", (1, 4.5, 50, 100, 100)),
        Case("64 rows, int8 in the weights alone", (64, 8, 50, 100, 100)),
        Case("64 rows, products of int8", (64, 8, 50, 100, 600)),
        Case("7 rows, which wait for memory only in float32", (7, 4.5, 50, 100, 100)),
        Case("a machine that multiplies slowly", (1, 8, 50, 10, 20)),
    ),
    mistakes={
        "You add reading and arithmetic. A processor does both at the same time, so the longer "
        "one counts.": partial(times, cost=lambda reading, multiplying: reading + multiplying),
        "You take the shorter one of reading and arithmetic, and the layer waits for the longer.": (
            partial(times, cost=min)
        ),
        "You read bits as if they were bytes: eight bits are a byte.": (
            lambda rows, bits, *rates: times(rows, BYTE * bits, *rates)
        ),
        "A float has 32 bits, and four bytes.": lambda rows, bits, read, floats, products: (
            max(32 / read, rows / floats) / max(bits / BYTE / read, rows / products)
        ),
        "You count bits on both sides, and `read` says how many bytes are read.": (
            lambda rows, bits, read, *products: times(rows, bits, read / BYTE, *products)
        ),
        "Turned round: above 1 the quantized layer is the faster one.": (
            lambda *given: 1 / times(*given)
        ),
        "Your speed knows the bytes alone, and arithmetic can take longer than reading.": (
            lambda rows, bits, *rates: 32 / bits
        ),
        "Your speed knows arithmetic alone, and one row waits for memory.": (
            lambda rows, bits, read, floats, products: products / floats
        ),
        "You read a weight as often as you multiply it. It is read once for all rows, and each "
        "row multiplies it.": lambda rows, *rest: times(1, *rest),
        "The float layer makes `floats` products, and not `products`.": (
            lambda rows, bits, read, floats, products: times(rows, bits, read, products, products)
        ),
        "The quantized layer makes `products`, and not `floats`.": (
            lambda rows, bits, read, floats, products: times(rows, bits, read, floats, floats)
        ),
    },
    hints=(
        "For one weight: how long does it take to read, and how long to multiply it by all rows?",
        "In float32 reading takes 4 / read, and arithmetic rows / floats. The longer one counts.",
    ),
    praise="So three numbers of a machine say what fewer bits can gain at most.",
    place=nowhere,
    last_bits=False,
)


LAYERS = ("linear", "conv2d")


def calls(graph: Graph, names: Sequence[str] = LAYERS) -> list[Node]:
    """Return the calls of these operations."""
    called = (node for node in graph.nodes if node.op == "call_function")
    return [node for node in called if node.name.startswith(tuple(names))]


def back(node: Node) -> bool:
    """Return whether codes were turned back into floats here."""
    return node.name.startswith("dequantize")


def integer_layers(graph: Graph) -> int:
    """Count the layers of which both inputs are results of dequantize."""
    return sum(all(map(back, node.all_input_nodes[:2])) for node in calls(graph))


def with_parameters(graph: Graph) -> int:
    """Count parameters, too, that are named like a layer."""
    named = [node for node in graph.nodes if node.name.startswith(LAYERS)]
    return sum(all(map(back, node.all_input_nodes[:2])) for node in named)


def graph_of(*layers: str, between: bool = False, called: str = "net") -> Graph:
    """Return a graph of layers in a row, as PT2E makes it; it is never run.

    Args:
        layers: as in "linear x w": an operation, and which of its inputs were codes.
        between: whether a relu stands between an input's dequantize and its layer.
        called: the name of the layers in the model, which their parameters have in their names.
    """
    graph = Graph()
    value = graph.placeholder("x")
    for place, layer in enumerate(layers):
        kind, *codes = layer.split()
        weight, bias = (
            graph.create_node("get_attr", f"{called}.{place}.{of}", name=f"{called}_{of}")
            for of in ("weight", "bias")
        )
        if "x" in codes:
            value = call(graph, "quantize_per_tensor", value)
            value = call(graph, "dequantize_per_tensor", value)
            value = call(graph, "relu", value) if between else value
        if "w" in codes:
            weight = call(graph, "dequantize_per_channel", weight)
        value = call(graph, kind, value, weight, bias)
    graph.output(value)
    return graph


def call(graph: Graph, name: str, *inputs: Node) -> Node:
    """Add a call to a graph, by the name that it has in PT2E's."""
    from torch.ao.quantization.fx import _decomposed  # noqa: F401, it registers the operations

    of_codes = "quantize" in name
    target = getattr(ops.quantized_decomposed if of_codes else ops.aten, name).default
    return graph.create_node(
        "call_function", target, inputs, name=f"{name}_default" if of_codes else name
    )


def sum_in_codes() -> Graph:
    """Return a graph of a layer whose input is a sum of two, each of which was codes."""
    graph = Graph()
    pair = [call(graph, "dequantize_per_tensor", graph.placeholder(name)) for name in "xy"]
    added = graph.create_node("call_function", ops.aten.add.Tensor, tuple(pair), name="add")
    weight = call(graph, "dequantize_per_channel", graph.get_attr("net.weight"))
    graph.output(call(graph, "linear", added, weight))
    return graph


INTEGER_LAYERS = Exercise(
    name="integer_layers",
    call="integer_layers(graph)",
    task="one number, of the layers that an integer kernel can take over",
    drive=one_number("count"),
    right=integer_layers,
    cases=lambda: (
        Case("one linear layer, its input and its weight quantized", (graph_of("linear x w"),)),
        Case("a network that is not quantized", (graph_of("conv2d", "linear"),)),
        Case("a weight in codes and an input in floats", (graph_of("linear w"),)),
        Case("an input in codes and a weight in floats", (graph_of("linear x"),)),
        Case("a convolution before a linear layer", (graph_of("conv2d x w", "linear x w"),)),
        Case(
            "three layers, the last one in floats",
            (graph_of("conv2d x w", "conv2d x w", "linear"),),
        ),
        Case("a relu behind the dequantize", (graph_of("linear x w", between=True),)),
        Case("a sum before the layer", (sum_in_codes(),)),
        Case("a model with a layer called linear", (graph_of("linear x w", called="linear"),)),
    ),
    mistakes={
        "You count all layers. One that reads floats on a side stays a product of floats.": (
            lambda graph: len(calls(graph))
        ),
        "One side in codes is not enough: an integer kernel multiplies codes with codes.": (
            lambda graph: sum(any(map(back, n.all_input_nodes)) for n in calls(graph))
        ),
        "You look at the input alone, and the weight may be in floats.": (
            lambda graph: sum(back(node.all_input_nodes[0]) for node in calls(graph))
        ),
        "You look at the weight alone: so weight-only quantization would count, too.": (
            lambda graph: sum(back(node.all_input_nodes[1]) for node in calls(graph))
        ),
        "The bias is the third input, and stays float: look at the first two.": (
            lambda graph: sum(all(map(back, n.all_input_nodes)) for n in calls(graph))
        ),
        "You count what is turned back, which are two for each layer.": (
            lambda graph: len(calls(graph, ["dequantize"]))
        ),
        "You leave out convolutions.": lambda graph: sum(
            all(map(back, node.all_input_nodes[:2])) for node in calls(graph, ["linear"])
        ),
        "You leave out linear layers.": lambda graph: sum(
            all(map(back, node.all_input_nodes[:2])) for node in calls(graph, ["conv2d"])
        ),
        "A parameter can have the name of a layer. Count calls, as `operations` does.": (
            with_parameters
        ),
    },
    hints=(
        "Print node.name and node.all_input_nodes of each layer. Which inputs are there?",
        "The first two inputs of a layer are what it reads and its weight. Both names begin with "
        "dequantize.",
    ),
    praise="These are the patterns for which a compiler with `freezing` looks.",
    place=nowhere,
)

EXERCISES = (TIMES_AS_FAST, INTEGER_LAYERS)
