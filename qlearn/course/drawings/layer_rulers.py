"""The drawing of a table of layers: two errors each, and what their ruler is used for."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, text
from qlearn.models.rows import LayerRow, LayerTable

TOP, ROW = 46, 34  # pixels: of the heads, of a layer
ERRORS, RULER, CLIPPED = (20.0, 54.0), (62.0, 84.0), (87.0, 100.0)  # percent
LEAST, MOST = -10.0, 60.0  # decibels; what lies beyond is drawn at the end


def draw_layers(table: LayerTable) -> Drawing:
    """Draw for each layer its own error and the error leaving, its ruler, and what is clipped.

    >>> from torch import nn, ones
    >>> from qlearn import layer_table, simulate
    >>> model = nn.Sequential(nn.Linear(1, 1)).eval()
    >>> draw_layers(layer_table(model, simulate(model, ones(2, 1)), ones(2, 1))).height
    110
    """
    foot = TOP + ROW * len(table)
    parts = [*_heads(), *_scale(foot)]
    for number, row in enumerate(table):
        parts += _row(row, TOP + ROW * number + ROW // 2)
    said = (
        f"{row.name}: own error {row.own:.0f} dB, leaving {row.leaving:.0f} dB, ruler "
        f"{row.used:.0%} used, {row.clipped:.0%} clipped"
        for row in table
    )
    return Drawing("; ".join(said) + ".", tuple(parts), foot + 30)


def box(start: float, end: float, y: float, ink: str, *, filled: bool) -> str:
    """Return a bar between two percentages, 12 pixels high around y."""
    fill = f'fill="{ink}"' if filled else f'fill="none" stroke="{ink}"'
    return f'<rect x="{start:.1f}%" y="{y - 6}" width="{end - start:.1f}%" height="12" {fill}/>'


def _between(ends: tuple[float, float], share: float) -> float:
    return ends[0] + round(share, 2) * (ends[1] - ends[0])


def _decibels(value: float) -> float:
    """Return the place of an SQNR in percent; whole decibels are the same on every machine."""
    whole = round(min(MOST, max(LEAST, value)))
    return _between(ERRORS, (whole - LEAST) / (MOST - LEAST))


def _heads() -> Iterator[str]:
    yield dot(ERRORS[0] + 1, 12, CODE)
    yield text(ERRORS[0] + 4, 16, "own", anchor="start")
    yield dot(ERRORS[0] + 15, 12, REAL, filled=False)
    yield text(ERRORS[0] + 18, 16, "leaving", anchor="start")
    yield text(RULER[0], 16, "ruler used", anchor="start", ink=CODE)
    yield text(CLIPPED[1], 16, "clipped", anchor="end", ink=LOST)


def _scale(foot: float) -> Iterator[str]:
    for decibels in (0, 20, 40, 60):
        x = _decibels(decibels)
        yield line((x, TOP - 14), (x, foot), REAL, width=0.5, dashed=True)
        yield text(x, foot + 16, f"{decibels} dB" if decibels == 0 else str(decibels))


def _row(row: LayerRow, y: float) -> Iterator[str]:
    own, leaving = _decibels(row.own), _decibels(row.leaving)
    yield text(0, y + 4, row.name, anchor="start")
    yield line((own, y), (leaving, y), REAL, width=1)
    yield dot(leaving, y, REAL, filled=False)
    yield dot(own, y, CODE, radius=4)
    yield box(RULER[0], _between(RULER, row.used), y, CODE, filled=True)
    yield box(*RULER, y, REAL, filled=False)
    yield box(CLIPPED[0], _between(CLIPPED, row.clipped), y, LOST, filled=True)
    yield box(*CLIPPED, y, REAL, filled=False)
