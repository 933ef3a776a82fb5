"""The scale and zero point of a dynamic layer's input, in JavaScript against qlearn."""

from __future__ import annotations

from pathlib import Path

import torch

from proofs.draw import Draw
from qlearn.course.widgets.shared.figure import SHARED
from qlearn.numbers.rules.kernel import choose_dynamic, dynamic_qparams
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "dynamic_range.js"


def drawn_range(i: int, draw: Draw) -> tuple[float, float]:
    """Return a range from 1e-44 to 1e36; one-sided, symmetric and empty ones are among them."""
    size = 10.0 ** draw.integer(-44, 35) if i % 3 else 10.0 ** draw.integer(-6, 1)
    pair = (draw.normal(2) * size).to(torch.float32).sort().values
    pairs = [pair, pair.abs().sort().values, -pair.abs().sort(descending=True).values]
    low, high = pairs[i % 3]
    return (-high.abs().item(), high.abs().item()) if i % 5 == 0 else (low.item(), high.item())


def ranges_that_differ(node: str, module: Path) -> int:
    """Return for how many ranges the module chooses otherwise than qlearn."""
    draw = Draw(0)
    given = [(*drawn_range(i, draw), bool(i % 2)) for i in range(5000)]
    found = call(node, module, [["chooseDynamic", *each] for each in given])
    wanted = [choose_dynamic(low, high, reduce_range=reduced) for low, high, reduced in given]
    pairs = zip(found, wanted, strict=True)
    return sum((float(each["scale"]), each["zeroPoint"]) != right for each, right in pairs)


def test_the_range_is_chosen_as_qlearn_chooses_it(node: str) -> None:
    assert ranges_that_differ(node, MODULE) == 0


def test_the_scale_is_kept_as_float32(node: str) -> None:
    values = [[-1.0, 0.5, 3.0], [0.25], [-2.0]]
    calls = [["dynamicQParams", x, reduced] for x in values for reduced in (True, False)]
    for (_, x, reduced), found in zip(calls, call(node, MODULE, calls), strict=True):
        wanted = dynamic_qparams(torch.tensor(x), reduce_range=reduced)
        assert found == {
            "scale": wanted.scale.item(),
            "zeroPoint": wanted.zero_point.item(),
            "quantMin": wanted.quant_min,
            "quantMax": wanted.quant_max,
        }


def test_a_wider_range_is_seen(node: str, tmp_path: Path) -> None:
    wider = "(low, high, reduced) => right.chooseDynamic(low, 1.001 * high, reduced)"
    assert ranges_that_differ(node, with_other(tmp_path, MODULE, "chooseDynamic", wider)) > 0
