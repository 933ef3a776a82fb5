"""A matrix as shaded squares: the place and the shade of each, and the lines between blocks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch import Tensor

from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import markup, with_other

MODULE = SHARED / "matrix.js"
ALONE = "{ opening: ({ numbers, ...given }) => right.matrix('Weights', numbers, given) }"
X = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))


def shades(svg: str, height: int, width: int) -> Tensor:
    """Return a map's squares: the opacity of each, less than 0 where it is smaller."""
    found = torch.zeros(height, width)
    whole, inset = r"M(\d+),(\d+)h1v1h-1z", r"M(\d+)\.15,(\d+)\.15h\.7v\.7h-\.7z"
    for squares, opacity in re.findall(r'<path d="(\S+z)" fill="\S+" \S+="(\S+)"', svg):
        above = re.findall(whole, squares)
        for x, y in above or re.findall(inset, squares):
            found[int(y), int(x)] = float(opacity) * (1 if above else -1)
    return found


def drawn(node: str, folder: Path, module: Path, **given: object) -> str:
    """Return the markup of X, in one block unless it is given another size."""
    alone = with_other(folder, module, "alone", ALONE)
    alone.write_text(f"{alone.read_text()}export default alone;\n")
    state = {"numbers": X.flatten().tolist(), "of": "a layer", "size": [5, 7], **given}
    (shown,) = markup(node, alone, state)
    return shown


def test_zeros_alone_are_called_so(node: str, tmp_path: Path) -> None:
    shown = drawn(node, tmp_path, MODULE, numbers=[0.0] * 35)
    assert "35 numbers, all 0" in shown and "Weights: all 0" in shown and "colour" not in shown


@pytest.mark.parametrize(("down", "across"), [(5, 7), (1, 7), (5, 1), (1, 1)])
def test_blocks_are_a_line_apart(node: str, tmp_path: Path, down: int, across: int) -> None:
    blocks = X.unflatten(0, (-1, down)).unflatten(2, (-1, across)).transpose(1, 2)
    numbers = blocks.flatten().tolist()
    shown = drawn(node, tmp_path, MODULE, numbers=numbers, size=[down, across], across=7 // across)
    rows = torch.arange(5) + torch.arange(5) // down
    columns = torch.arange(7) + torch.arange(7) // across
    height, width = int(rows[-1]) + 1, int(columns[-1]) + 1
    wanted = torch.zeros(height, width)
    wanted[rows[:, None], columns] = X / X.abs().max()
    assert f'viewBox="0 0 {width} {height}"' in shown
    assert torch.allclose(shades(shown, height, width), wanted, atol=0.5 / 24 + 0.01)
    free = [
        set(range(end)) - set(each.tolist()) for end, each in ((height, rows), (width, columns))
    ]
    assert {float(at) - 0.5 for at in re.findall(r"M0,([\d.]+)H", shown)} == free[0]
    assert {float(at) - 0.5 for at in re.findall(r"M([\d.]+),0V", shown)} == free[1]


def test_a_line_takes_the_room_that_it_is_given(node: str, tmp_path: Path) -> None:
    shown = drawn(node, tmp_path, MODULE, size=[1, 7], gap=0.25)
    assert 'viewBox="0 0 7 6"' in shown and 'stroke-width="0.25"' in shown
    assert [float(at) for at in re.findall(r"M0,([\d.]+)H", shown)] == [1.125, 2.375, 3.625, 4.875]
    tops = {float(y) for y in re.findall(r"M\d+,([\d.]+)h1v1", shown)}
    assert tops == {0.0, 1.25, 2.5, 3.75, 5.0}


def test_the_reach_is_given_or_that_of_the_largest(node: str, tmp_path: Path) -> None:
    largest = f"{X.abs().max().item():.2g}"
    shown = drawn(node, tmp_path, MODULE)
    assert f'aria-label="Weights, a layer: 35 numbers, full colour from size {largest} on"' in shown
    assert f"Weights: full colour is {largest}; negative: small squares<" in shown
    assert "full colour is 1.0<" in drawn(node, tmp_path, MODULE, numbers=[1.0] * 35)
    half = drawn(node, tmp_path, MODULE, reach=0.5)
    assert "full colour is 0.50;" in half and "35 numbers, full colour from size 0.50 on" in half
    wanted = (X / 0.5).clamp(-1, 1)
    assert torch.allclose(shades(half, 5, 7), wanted, atol=0.5 / 24 + 0.01)


@pytest.mark.parametrize("ink", ["var(--qb-lost)", "currentColor"])
def test_one_ink_on_both_sides_of_0(node: str, tmp_path: Path, ink: str) -> None:
    shown = drawn(node, tmp_path, MODULE, fill=ink)
    assert set(re.findall(r'<path[^>]* fill="([^"]+)"', shown)) == {ink}
    assert "; negative: small squares<" in shown
    assert torch.allclose(shades(shown, 5, 7), X / X.abs().max(), atol=0.5 / 24 + 0.01)


def test_a_matrix_on_its_side_is_seen(node: str, tmp_path: Path) -> None:
    turned = """(title, numbers, { size, ...given }) =>
      right.matrix(title, numbers, { size: size.toReversed(), ...given })"""
    broken = with_other(tmp_path, MODULE, "matrix", turned)
    assert 'viewBox="0 0 5 7"' in drawn(node, tmp_path, broken)
