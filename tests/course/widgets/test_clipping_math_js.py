"""The clipping widget's JavaScript arithmetic against qlearn's, on vectors that qlearn makes."""

import json
from pathlib import Path

import pytest
import torch

from proofs.draw import Draw
from qlearn import choose_qparams, clipped_share, quant_range, split_mse
from qlearn.course.widgets.bundle import STATIC
from tests.course.widgets.javascript import as_json, broken, compare, wrong

POSITIONS = range(3, 126)  # of the widget's slider, in hundredths of the largest value


def tensors() -> list[torch.Tensor]:
    """Smooth and long-tailed values, ties of many scales, and a few outliers."""
    generator = torch.Generator().manual_seed(0)
    normal = torch.randn(4000, generator=generator)
    ties = Draw(0).hard_values(0.125, 500)
    outliers = torch.cat([normal[:500], torch.tensor([17.0, -20.0])])
    return [normal, normal.sign() * normal**4, ties[ties.abs() < 100], outliers, 1e-3 * normal]


def qparams_of(threshold: float, bits: int):
    low, high = quant_range(torch.int8, bits=bits)
    return choose_qparams(-threshold, threshold, symmetric=True, quant_min=low, quant_max=high)


def write_vectors(folder: Path) -> None:
    """Write the tensors, and for each threshold and number of bits what qlearn says of them."""
    values = tensors()
    (folder / "values").write_bytes(torch.cat(values).numpy().tobytes())
    cases = [
        case(i, x, bits, part)
        for i, x in enumerate(values)
        for bits in range(2, 9)
        for part in (0.05, 0.31, 0.5, 0.77, 1.0, 1.2)
    ]
    content = {"lengths": [x.numel() for x in values], "cases": cases}
    (folder / "cases.json").write_text(json.dumps(content))


def case(tensor: int, x: torch.Tensor, bits: int, part: float) -> dict:
    largest = x.abs().max().item()
    qparams = qparams_of(part * largest, bits)
    rounding, clipping = split_mse(x, qparams)
    found = {
        "name": f"tensor {tensor}, {bits} bits, {part}",
        "tensor": tensor,
        "bits": bits,
        "threshold": part * largest,
        "qparams": as_json(qparams),
        "parts": {
            "rounding": rounding,
            "clipping": clipping,
            "sum": rounding + clipping,
            "clippedShare": clipped_share(x, qparams),
        },
    }
    if part == 1.0:
        found["best"] = best(x, largest, bits)
    return found


def best(x: torch.Tensor, largest: float, bits: int) -> dict:
    thresholds = [position / 100 * largest for position in POSITIONS]
    sums = [sum(split_mse(x, qparams_of(threshold, bits))) for threshold in thresholds]
    least = min(sums)
    return {"largest": largest, "threshold": thresholds[sums.index(least)], "sum": least}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    write_vectors(folder)
    return folder


def test_errors_and_best_thresholds_equal_qlearns(node, vectors):
    report = compare(node, "compare_clipping.mjs", STATIC / "clipping_math.js", vectors)
    assert report["values"] >= 400_000
    assert wrong(report) == {}


@pytest.mark.parametrize(
    ("right", "replacement"),
    [
        ("rint(Math.fround(values[i] * inv))", "Math.round(Math.fround(values[i] * inv))"),
        ("rint(Math.fround(values[i] * inv))", "rint(values[i] / step)"),
        ("Math.fround(step * (code - zeroPoint))", "step * (code - zeroPoint)"),
        ("else {", "if (code !== wanted || code === quantMax) {"),
        ("clipped++", "clipped += 2"),
        ("signed: true", "signed: false"),
        ("b.sum < a.sum", "b.clipping < a.clipping"),
        ("(start += length)", "(start += length - 1)"),
    ],
    ids=["half-up", "division", "float64", "ends", "share", "unsigned", "best", "tensors"],
)
def test_broken_arithmetic_is_seen(node, tmp_path, vectors, right, replacement):
    module = broken(tmp_path, "clipping_math.js", right, replacement)
    assert wrong(compare(node, "compare_clipping.mjs", module, vectors))
