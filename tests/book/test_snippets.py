"""The lines that pages give to a project of the reader run, on a model not of the course."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
import torch
import torch._inductor.config as inductor
from torch import nn

from qlearn.course import normal
from qlearn.course.static_graph import static_graph

BOOK = Path(__file__).parents[2] / "book"


def snippets(page: str) -> list[str]:
    """Return the blocks of Python in the text of a page."""
    cells = nbformat.read(BOOK / f"{page}.ipynb", as_version=4).cells
    texts = (cell.source for cell in cells if cell.cell_type == "markdown")
    return [block for text in texts for block in re.findall(r"```python\n(.*?)```", text, re.S)]


@pytest.fixture
def names() -> dict[str, object]:
    """Return what the snippets call the reader's model, inputs and labels."""
    images = normal(12, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Dropout(), nn.Linear(144, 5))
    return {"model": model, "inputs": images, "x": images, "labels": torch.arange(12) % 5}


def test_the_lines_of_tonight_quantize_and_measure(
    names: dict[str, object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = snippets("start/tonight")
    exec(block, names)
    decibels, exact, found, *files = capsys.readouterr().out.splitlines()
    assert 30 < float(re.findall(r"tensor\((.*)\) dB", decibels)[0]) < 70
    assert exact.endswith("right")
    assert found.endswith("right")
    assert [line.split()[0] for line in files] == ["float.pt", "int8.pt"]


def test_the_profile_names_the_kernels(
    names: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    profile, _ = snippets("running/running")
    exec(profile, {"torch": torch} | names)
    assert "aten::addmm" in capsys.readouterr().out


def test_the_lines_that_time_a_pair_time_each_of_them(
    names: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # What the compiler makes is tested elsewhere; it may be missing here.
    monkeypatch.setattr(torch, "compile", lambda model, dynamic: model)
    _, timed = snippets("running/running")
    with inductor.patch(freezing=False):  # and back to that afterwards
        exec(timed, {"torch": torch, "graph": names["model"]} | names)
    ways = ["float ", "float, compiled ", "int8, compiled "]
    lines = capsys.readouterr().out.splitlines()
    assert [line.startswith(way) for line, way in zip(lines, ways, strict=True)] == [True] * 3
    assert all(float(line.split()[-2]) > 0 for line in lines)


def test_the_lines_that_take_out_the_first_node_leave_a_graph_of_codes(
    names: dict[str, object],
) -> None:
    (lines,) = [b for b in snippets("today/torchao_and_pt2e_to_the_bit") if "erase_node" in b]
    x = names["x"]
    names["graph"] = graph = static_graph(names["model"].eval(), [x])
    expected = graph(x)
    exec(lines, names)
    codes = (x * (1 / names["scale"])).round() + names["zero_point"]
    assert torch.equal(graph(codes.clamp(0, 255).to(torch.uint8)), expected)


def test_a_division_can_give_another_code_than_the_first_node() -> None:
    x, scale = torch.tensor([3 / 255]), torch.tensor(2 / 255).item()
    node = torch.ops.quantized_decomposed.quantize_per_tensor(x, scale, 0, 0, 255, torch.uint8)
    codes = [(x * (1 / scale)).round(), (x / scale).round()]
    assert [node.item(), *(code.item() for code in codes)] == [1, 1, 2]
