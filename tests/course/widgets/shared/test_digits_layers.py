"""The digits network's layers in JavaScript, in real numbers and in codes, against qlearn's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from proofs.draw import Draw
from qlearn.course.digits.layers import (
    LAYERS,
    OBSERVED,
    WEIGHTED,
    Folded,
    float_outputs,
    folded_layers,
    integer_outputs,
    layer_errors,
)
from qlearn.course.digits.net import split_digits, trained_digits_net
from qlearn.course.widgets.shared.figure import SHARED
from qlearn.course.widgets.shared.values import stored
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "digits_layers.js"
RANGES = {"input": (0.0, 1.0), "conv1": (0.0, 3.7), "conv2": (0.0, 6.85), "fc": (-14.5, 12.0)}
IMAGES = split_digits().test_images
CASES = range(60)
COMPUTED = """(numbers, cases) => {
  const net = right.network(numbers);
  return cases.map(({ pixels, ...settings }) =>
    right.bothWays(net, Float32Array.from(pixels), settings).map((stage) => ({
      ...stage,
      exact: [...stage.exact],
      error: [...stage.error],
      codes: [...stage.codes],
      largest: right.largestAt(stage.codes),
    })),
  );
}"""


def network(huge: bool) -> dict[str, Folded]:
    """Return the layers, if asked for with logits that leave int32."""
    layers = folded_layers(trained_digits_net())
    fc = layers["fc"]
    return layers | {"fc": Folded(fc.weight * 1e10, fc.bias)} if huge else layers


def drawn(seed: int) -> dict[str, Any]:
    """Return an image with ranges and bits of its own, as the browser gets them."""
    draw = Draw(seed)
    ranges = {
        name: [end * (0.5 + draw.normal(1).abs().item()) for end in ends]
        for name, ends in RANGES.items()
    }
    if seed % 3 == 1:  # a range that begins below 0: a ReLU's 0 then has a code that is not 0
        ranges["conv1"][0] = -1.0
    if seed % 5 == 2:  # ties, as scales that are powers of two make them
        ranges |= {"input": [0.0, 127 / 128], "conv1": [0.0, 127 / 32]}
    return {
        "pixels": IMAGES[seed].flatten().tolist(),
        "ranges": ranges,
        "activation_bits": {name: 7 if seed % 2 else draw.integer(2, 8) for name in OBSERVED},
        "weight_bits": {name: 8 if seed % 4 else draw.integer(2, 8) for name in WEIGHTED},
    }


def expected(layers: dict[str, Folded], case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all that qlearn computes of a case, layer by layer; 7 stands for reduce_range."""
    image = torch.tensor(case["pixels"]).reshape(1, 1, 8, 8)
    codes = integer_outputs(
        layers,
        image,
        case["ranges"],
        activation_bits={name: own for name, own in case["activation_bits"].items() if own != 7},
        weight_bits=case["weight_bits"],
    )
    exact = float_outputs(layers, image)
    errors = layer_errors(layers, exact, codes)
    return [
        {
            "codes": codes[name].values.flatten().tolist(),
            "scale": codes[name].qparams.scale.item(),
            "zeroPoint": codes[name].qparams.zero_point.item(),
            "largest": codes[name].values.flatten().argmax().item(),
            "exact": exact[name].flatten().tolist(),
            "restored": codes[name].dequantize().flatten().tolist(),
            "ratios": errors[name],
        }
        for name in LAYERS
    ]


def differs(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Say whether a layer is another one: codes in any bit, and real numbers by more than float32.

    Those are float64 in the browser, and float32 in qlearn, summed in an order of its own.
    """
    exact, right = torch.tensor(found["exact"]), torch.tensor(wanted["exact"])
    errors, float64 = torch.tensor(found["error"]).double(), torch.float64
    restored = torch.tensor(wanted["restored"], dtype=float64)
    wanted_errors = restored - torch.tensor(found["exact"], dtype=float64)
    # Sums of 256 float32 products differ by a tenth of this; where they cancel, by a share of the
    # numbers that were added.
    near = 1e-5 * right.abs().max().clamp(min=10).item()
    return (
        found["codes"] != wanted["codes"]
        or found["largest"] != wanted["largest"]
        or any(found["qparams"][name] != wanted[name] for name in ("scale", "zeroPoint"))
        or not torch.allclose(exact, right, rtol=1e-4, atol=near)
        or not torch.allclose(errors, wanted_errors, rtol=1e-6, atol=0)
        or [float(found["sqnr"]), float(found["ownSqnr"])] != pytest.approx(wanted["ratios"], 1e-4)
    )


def layers_that_differ(node: str, folder: Path, module: Path, *, huge: bool = False) -> int:
    """Return how many layers of all cases the module computes otherwise than qlearn."""
    layers, cases = network(huge), [drawn(seed) for seed in CASES]
    numbers = torch.cat([part.flatten() for pair in layers.values() for part in pair])
    computed = with_other(folder, module, "computed", COMPUTED)
    (found,) = call(node, computed, [["computed", stored(numbers=numbers), cases]])
    pairs = [
        zip(f, expected(layers, case), strict=True) for f, case in zip(found, cases, strict=True)
    ]
    return sum(differs(layer, wanted) for pair in pairs for layer, wanted in pair)


@pytest.mark.parametrize("huge", [False, True], ids=["usual", "beyond int32"])
def test_every_layer_equals_qlearns(node: str, tmp_path: Path, huge: bool) -> None:
    assert layers_that_differ(node, tmp_path, MODULE, huge=huge) == 0


def test_a_scale_for_all_eight_bits_is_seen(node: str, tmp_path: Path) -> None:
    without_reduce_range = """(net, pixels, { activation_bits: { ...bits }, ...rest }) => {
      for (const name in bits) if (bits[name] === 7) bits[name] = 8;
      return right.bothWays(net, pixels, { activation_bits: bits, ...rest });
    }"""
    module = with_other(tmp_path, MODULE, "bothWays", without_reduce_range)
    assert layers_that_differ(node, tmp_path, module) > 0
