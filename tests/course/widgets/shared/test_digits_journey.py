"""The journey in JavaScript: its numbers against qlearn's, and what each of them is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from qlearn.course.digits.journey import STEPS, Step, journey
from qlearn.course.digits.layers import folded_layers
from qlearn.course.digits.net import split_digits, trained_digits_net
from qlearn.course.digits.trail import made_of, trail
from qlearn.course.widgets.shared.figure import SHARED
from qlearn.course.widgets.shared.values import stored
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "digits_journey.js"
RANGES = {"input": (0.0, 1.0), "conv1": (-0.4, 3.7), "conv2": (0.0, 6.85), "fc": (-14.5, 12.0)}
FOLDED = folded_layers(trained_digits_net())
IMAGES = split_digits().test_images[:4]
NUMBERS = stored(numbers=torch.cat([part.flatten() for pair in FOLDED.values() for part in pair]))
# For each image all numbers, and for each sum what its products add up to.
COMPUTED = """(network, images, ranges) => {
  const total = (list, key) => list.reduce((sum, term) => sum + term[key], 0);
  return images.map((pixels) => {
    const steps = right.journey(network, Float32Array.from(pixels), ranges);
    const added = (number, at) => {
      const all = right.terms(steps, number, at);
      return [total(all, "whole"), total(all, "real")];
    };
    return steps.map(({ name, does, real, codes }, number) => ({
      name,
      real: [...real],
      codes: [...codes],
      added: does === "add" ? Array.from(real, (_, at) => added(number, at)) : [],
    }));
  });
}"""


def steps_that_differ(node: str, folder: Path, module: Path) -> int:
    """Return how many steps of all images have other numbers than qlearn's, or other products."""
    computed = with_other(folder, module, "computed", COMPUTED)
    order = ["computed", NUMBERS, IMAGES.flatten(1).tolist(), RANGES]
    (found,) = call(node, computed, [order])
    wanted = [journey(FOLDED, image[None], RANGES) for image in IMAGES]
    return sum(
        differs(step, right[step["name"]])
        for steps, right in zip(found, wanted, strict=True)
        for step in steps
    )


def differs(found: dict[str, Any], wanted: Step) -> bool:
    """Say whether a step is another one: integers in any bit, real numbers by more than float32."""
    real = torch.tensor(found["real"])
    sums = torch.tensor(found["added"], dtype=torch.float64).reshape(-1, 2)
    return (
        found["codes"] != wanted.integers.tolist()
        or not torch.allclose(real, wanted.real, rtol=1e-4, atol=1e-4)
        or (len(sums) > 0 and sums[:, 0].tolist() != wanted.integers.tolist())
        or (len(sums) > 0 and not torch.allclose(sums[:, 1].float(), real, rtol=1e-4, atol=1e-4))
    )


def test_every_number_is_qlearns_and_made_of_its_products(node: str, tmp_path: Path) -> None:
    assert steps_that_differ(node, tmp_path, MODULE) == 0


def test_windows_of_another_place_are_seen(node: str, tmp_path: Path) -> None:
    moved = """(steps, number, at) =>
      right.terms(steps, number, (at + 1) % steps[number].real.length)"""
    broken = with_other(tmp_path, MODULE, "terms", moved)
    twice = tmp_path / "twice"
    twice.mkdir()
    assert steps_that_differ(node, twice, broken) == 3 * len(IMAGES)


def test_steps_have_the_names_of_qlearns(node: str, tmp_path: Path) -> None:
    names = with_other(tmp_path, MODULE, "names", "() => right.STEPS.map(({ name }) => name)")
    assert call(node, names, [["names"]]) == [list(STEPS)]


def reached(at: int, step: str) -> dict[str, torch.Tensor]:
    """Return for each earlier step which of its real numbers this one depends on, by a gradient."""
    x = torch.full((1, 1, 8, 8), 0.5, dtype=torch.float64, requires_grad=True)
    ones = {name: torch.ones_like(layer.weight).double() for name, layer in FOLDED.items()}
    kept = {"pixels": x}
    for name, before in [("conv1", "pixels"), ("conv2", "conv1: codes")]:
        kept[f"{name}: sums"] = torch.nn.functional.conv2d(kept[before], ones[name], padding=1)
        kept[f"{name}: codes"] = kept[f"{name}: sums"] * 1
    pooled = torch.nn.functional.avg_pool2d(kept["conv2: codes"], 2)
    kept["pool: codes"] = pooled
    kept["fc: sums"] = torch.nn.functional.linear(pooled.flatten(1), ones["fc"])
    kept["fc: codes"] = kept["fc: sums"] * 1
    earlier = list(STEPS)[: list(STEPS).index(step)]
    slopes = torch.autograd.grad(kept[step].flatten()[at], [kept[name] for name in earlier])
    return {name: slope[0] != 0 for name, slope in zip(earlier, slopes, strict=True)}


def test_frames_hold_what_a_gradient_reaches(node: str) -> None:
    chosen = [(name, at) for name in list(STEPS)[1:] for at in (0, 5, STEPS[name] - 1)]
    calls = [["sources", list(STEPS).index(name), at] for name, at in chosen]
    for (name, at), found in zip(chosen, call(node, MODULE, calls), strict=True):
        for (earlier, depends), boxes in zip(reached(at, name).items(), found[:-1], strict=True):
            size = (2, 5) if earlier == "fc: sums" else depends.shape[-2:]
            framed = torch.zeros_like(depends.reshape(-1, *size))
            for channel, top, left, rows, columns in boxes:
                framed[channel, top : top + rows, left : left + columns] = True
            assert torch.equal(framed, depends.reshape(framed.shape)), (name, at, earlier)


def test_most_comes_from_the_largest_product_or_code(node: str, tmp_path: Path) -> None:
    most = """(network, pixels, ranges, places) => {
      const steps = right.journey(network, Float32Array.from(pixels), ranges);
      return places.map(([number, at]) => right.mostOf(steps, number, at));
    }"""
    module = with_other(tmp_path, MODULE, "most", most)
    steps = journey(FOLDED, IMAGES[:1], RANGES)
    pool = list(STEPS).index("pool: codes")
    order = [NUMBERS, IMAGES[0].flatten().tolist(), RANGES, [[pool, 0], [pool - 1, 77]]]
    ((of_four, same),) = call(node, module, [["most", *order]])
    four = [0, 1, 8, 9]
    codes = steps["conv2: codes"].integers
    assert of_four == max(four, key=lambda place: codes[place]) and same == 77


def test_a_number_is_made_of_the_same_places_as_in_python(node: str) -> None:
    numbered = list(enumerate(STEPS.items()))
    chosen = [(i, name, at) for i, (name, n) in numbered for at in (0, n // 3, n - 1)]
    found = call(node, MODULE, [["madeOf", i, at] for i, _, at in chosen])
    for (_, name, at), places in zip(chosen, found, strict=True):
        assert list(places) == made_of(name, at), (name, at)


BACK = """(network, images, ranges) =>
  images.map((pixels) => {
    const steps = right.journey(network, Float32Array.from(pixels), ranges);
    const last = steps.length - 1;
    const way = [steps[last].codes.indexOf(Math.max(...steps[last].codes))];
    for (let number = last; number > 0; number--) {
      way.push(right.mostOf(steps, number, way.at(-1)));
    }
    return way;
  })"""


def trails_that_differ(node: str, folder: Path, module: Path) -> int:
    """Return how many ways from a digit to a pixel are not those that Python finds."""
    back = with_other(folder, module, "back", BACK)
    images = torch.cat([IMAGES, torch.zeros(1, 1, 8, 8)])  # the last has nothing but equal products
    (found,) = call(node, back, [["back", NUMBERS, images.flatten(1).tolist(), RANGES]])
    wanted = [[stop.place for stop in trail(FOLDED, image[None], RANGES)] for image in images]
    return sum(way != right for way, right in zip(found, wanted, strict=True))


def test_the_way_back_to_a_pixel_is_the_one_in_python(node: str, tmp_path: Path) -> None:
    assert trails_that_differ(node, tmp_path, MODULE) == 0


def test_another_way_back_is_seen(node: str, tmp_path: Path) -> None:
    smallest = "(steps, number, at) => right.madeOf(number, at).find((place) => place >= 0)"
    broken = with_other(tmp_path, MODULE, "mostOf", smallest)
    twice = tmp_path / "twice"
    twice.mkdir()
    assert trails_that_differ(node, twice, broken) >= len(IMAGES)
