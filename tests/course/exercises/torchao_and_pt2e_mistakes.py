"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

BACK = "return (kernel - zero_point) * scale, (graph - zero_point) * scale"
HALF = "(2**bits - 1) / 2"

WRONG = [
    ("came_back", "codes.clamp(0, 255)", "codes.clamp(0, last)", "You clamp in both where the"),
    ("came_back", "codes.clamp(0, last)", "codes.clamp(0, 255)", "You clamp both at 255"),
    ("came_back", "codes.clamp(0, 255)", "codes", "You do not clamp for the kernel"),
    ("came_back", "kernel, graph =", "graph, kernel =", "The kernel comes first"),
    ("came_back", " + zero_point", "", "never added it"),
    ("came_back", BACK, "return kernel * scale, graph * scale", "You forgot to subtract"),
    ("came_back", "torch.round", "torch.trunc", "You cut the fraction off"),
    ("came_back", "(0, ", "(None, ", "You clamp on the right alone"),
    ("came_back", BACK, "return (kernel - zero_point) * scale", "Return 2 results"),
    ("came_back", "codes = torch.round(x / scale) + zero_point",
     "codes, zero_point = torch.round(x / scale), 0", "add the zero point first"),
    ("factor_if_measured", HALF, "2 ** (bits - 1) - 1", "half a step farther"),
    ("factor_if_measured", HALF, "2 ** (bits - 1)", "half a step nearer"),
    ("factor_if_measured", ".abs()", "", "the largest size may lie on the left"),
    ("factor_if_measured", "codes.float().abs()", "codes.abs().float()", "Convert first"),
    ("factor_if_measured", ".amax(dim=1)", ".amax()", "should have the shape"),
    ("factor_if_measured", "largest / (" + HALF + ")", HALF + " / largest", "other way round"),
    ("factor_if_measured", ".float().abs().amax(dim=1)", ".float().aminmax(dim=1)[1]",
     "the largest size may lie on the left"),
]  # fmt: skip

RIGHT = [
    ("came_back", BACK, "return tuple(c * scale - zero_point * scale for c in (kernel, graph))"),
    ("factor_if_measured", HALF, "2 ** (bits - 1) - 0.5"),
]  # fmt: skip
