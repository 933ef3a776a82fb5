"""From sums to codes in JavaScript: each engine's roundings and fixed point against qlearn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from proofs.draw import Draw
from qlearn import QParams, fixed_point_multiplier, fixed_point_product, requantize
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "requantization.js"
# Of many sums at once. The numbers arrive as Python has them; the widgets round them to float32.
CODES = """({ sums, rule, relu, ...given }) => {
  for (const name of ["xScale", "weightScale", "bias"]) given[name] = Math.fround(given[name]);
  given.output.scale = Math.fround(given.output.scale);
  const prepared = right.requantizer(given);
  const least = relu ? given.output.zeroPoint : 0;
  return sums.map((sum) => {
    const { code } = right.RULES[rule](sum, prepared);
    return Math.min(Math.max(code, least), 255);
  });
}"""


def drawn_layer(i: int, draw: Draw) -> dict[str, Any]:
    """Return scales, bias and bits; every third multiplier is a power of two, full of ties."""
    scales = [2.0**-7, 2.0 ** -draw.integer(5, 9), 2.0 ** -draw.integer(0, 6)]
    if i % 3:
        x_scale, weight_scale, output_scale = draw.normal(3).abs().mul(0.3).clamp(max=1).tolist()
        scales = [0.001 + 0.099 * x_scale, 0.001 + 0.049 * weight_scale, 0.01 + output_scale * 0.99]
    return {
        "x_scale": scales[0],
        "weight_scale": scales[1],
        "output_scale": scales[2],
        "zero_point": draw.integer(0, 255),
        "bias": draw.normal(1).item() if i % 2 else 0.0,
        "relu": i % 5 == 0,
        "bits": (31, draw.integer(4, 31))[i % 2],
    }


def codes_by_engine(
    sums: torch.Tensor, s: dict[str, Any], *, per_output: bool = False
) -> dict[str, torch.Tensor]:
    """Return qlearn's codes of the sums by each engine.

    The page has one order of scales for onednn, that of processors with AVX-512 or AVX-VNNI.
    """
    x_scale, weight_scale = torch.tensor(s["x_scale"]), torch.tensor(s["weight_scale"])
    output = QParams(s["output_scale"], s["zero_point"], 0, 255, torch.uint8)
    scales = x_scale, weight_scale[None] if per_output else weight_scale
    given = (sums[:, None], *scales, torch.tensor([s["bias"]]), output)
    variants = {"fbgemm": "fused", "qnnpack": None, "onednn": "apart"}
    return {
        engine: requantize(*given, relu=s["relu"], engine=engine, variant=variant).flatten().long()
        for engine, variant in variants.items()
    }


def all_codes(sums: torch.Tensor, s: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Return qlearn's codes of the sums by each rule, fixed point among them."""
    step = torch.tensor(s["x_scale"]) * torch.tensor(s["weight_scale"])
    parts = fixed_point_multiplier((step / torch.tensor(s["output_scale"])).item(), s["bits"])
    bias = torch.round(torch.tensor([s["bias"]]) * (1 / step)).int()
    fixed = fixed_point_product(sums + bias, *parts) + s["zero_point"]
    clamped = fixed.clamp(s["zero_point"] if s["relu"] else 0, 255)
    return codes_by_engine(sums, s) | {"fixed": clamped}


def near_ties(i: int, s: dict[str, Any]) -> torch.Tensor:
    """Return sums from all over the range and a little beyond, each close to a tie."""
    step = s["x_scale"] * s["weight_scale"]
    codes = torch.randint(-6, 262, (60,), generator=torch.Generator().manual_seed(i)) + 0.5
    near = (codes.double() - s["zero_point"]) / (step / s["output_scale"]) - s["bias"] / step
    return torch.cat([near.floor(), near.floor() + 1]).int()


def as_given(sums: torch.Tensor, rule: str, s: dict[str, Any], **more: Any) -> list[Any]:
    """Return the call for these sums."""
    output = {"scale": s["output_scale"], "zeroPoint": s["zero_point"]}
    named = {"xScale": s["x_scale"], "weightScale": s["weight_scale"], "output": output}
    same = {name: s[name] for name in ("bias", "relu", "bits")}
    return ["codes", named | same | more | {"rule": rule, "sums": sums.tolist()}]


def cases() -> Iterator[tuple[list[Any], str, list[int]]]:
    """Yield calls, what each is about, and qlearn's codes."""
    draw = Draw(0)
    for i in range(150):
        layer = drawn_layer(i, draw)
        sums = near_ties(i, layer)
        for rule, codes in all_codes(sums, layer).items():
            yield as_given(sums, rule, layer), rule, codes.tolist()
        own = codes_by_engine(sums, layer, per_output=True)["fbgemm"].tolist()
        yield as_given(sums, "fbgemm", layer, perOutput=True), "fbgemm per output", own
        huge = layer | {"output_scale": 1e-6}
        beyond = codes_by_engine(sums, huge)["fbgemm"].tolist()
        yield as_given(sums, "fbgemm", huge), "beyond int32", beyond


def rules_that_differ(node: str, folder: Path, module: Path) -> set[str]:
    """Return the rules by which the module gives any sum another code than qlearn."""
    calls, rules, wanted = zip(*cases(), strict=True)
    found = call(node, with_other(folder, module, "codes", CODES), list(calls))
    triples = zip(rules, found, wanted, strict=True)
    return {rule for rule, codes, right in triples if codes != right}


def test_every_code_equals_qlearns(node: str, tmp_path: Path) -> None:
    assert rules_that_differ(node, tmp_path, MODULE) == set()


def test_a_bias_that_is_left_out_is_seen(node: str, tmp_path: Path) -> None:
    without = "(given) => ({ ...right.requantizer(given), wholeBias: 0 })"
    broken = with_other(tmp_path, MODULE, "requantizer", without)
    assert rules_that_differ(node, tmp_path, broken) == {"qnnpack", "fixed"}


def test_a_scale_for_all_outputs_is_seen(node: str, tmp_path: Path) -> None:
    joined = "(given) => right.requantizer({ ...given, perOutput: false })"
    broken = with_other(tmp_path, MODULE, "requantizer", joined)
    assert rules_that_differ(node, tmp_path, broken) == {"fbgemm per output"}
