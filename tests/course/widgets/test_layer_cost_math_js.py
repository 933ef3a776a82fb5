"""The widget's JavaScript formulas against qlearn's, which equal what torch saves."""

import json
from pathlib import Path

import pytest
import torch

from qlearn.course.layer_costs import KINDS, layer_cost
from qlearn.course.widgets.bundle import STATIC
from qlearn.course.widgets.swapped_layers import CALLS, MAX_CALL, MAX_SIZE
from tests.course.widgets.javascript import broken, compare, wrong

CASES = 40


def numbers(generator: torch.Generator) -> list[int]:
    """Return two sizes, a batch and a number of steps, small and large ones alike."""
    ends = torch.tensor([MAX_SIZE, MAX_SIZE, MAX_CALL, MAX_CALL]).log2()
    return (2 ** (ends * torch.rand(4, generator=generator))).int().tolist()


def write_cases(path: Path) -> None:
    """Write layers of every kind under every spec, and qlearn's answers, for the Node script."""
    generator = torch.Generator().manual_seed(0)
    sizes = [numbers(generator) for _ in range(CASES)] + [[MAX_SIZE, MAX_SIZE, MAX_CALL, MAX_CALL]]
    cases = [
        {
            "layer": {"kind": kind, "inputs": inputs, "outputs": outputs},
            "call": [spec, batch, steps],
            "expected": layer_cost(
                kind, inputs, outputs, CALLS[spec], batch=batch, steps=steps
            )._asdict(),
        }
        for kind in KINDS
        for spec in CALLS
        for inputs, outputs, batch, steps in sizes
    ]
    path.write_text(json.dumps({"specs": list(CALLS), "cases": cases}))


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    path = tmp_path_factory.mktemp("costs") / "cases.json"
    write_cases(path)
    return path


def test_every_count_equals_qlearns(node, cases):
    report = compare(node, "compare_costs.mjs", STATIC / "layer_cost_math.js", cases)
    assert report["compared"] == 6 * (CASES + 1) * len(KINDS) * len(CALLS)
    assert wrong(report) == {}


@pytest.mark.parametrize(
    ("right", "replacement", "part"),
    [
        ("12 : 0;", "8 : 0;", "file_after"),
        ("8 * outputs, products", "4 * outputs, products", "file_before"),
        ("steps * eachStep", "eachStep", "fetched_before"),
        ("8 * batch * steps", "0", "fetched_after"),
        ("CONV_WIDTH : 1", "1 : 1", "products"),
        ('swaps: ["embedding"]', "swaps: []", "swapped"),
    ],
)
def test_a_broken_formula_is_seen(node, cases, tmp_path, right, replacement, part):
    module = broken(tmp_path, "layer_cost_math.js", right, replacement)
    assert part in wrong(compare(node, "compare_costs.mjs", module, cases))
