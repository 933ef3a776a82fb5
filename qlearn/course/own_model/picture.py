"""The two drawings of the report: what the methods weigh, and where the error comes from."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, text
from qlearn.course.own_model.by_layer import LayerError, LayerErrors
from qlearn.course.own_model.layers import Layers, shortened
from qlearn.course.own_model.trials import Trial, Trials, decibels, kilo, short

TOP, ROW, BAR = 22, 32, 10  # pixels: of the heads, of a line, of a bar
LONG = 48.0  # percent: the longest bar of a file
SHARES, ERRORS, WIDE = 0.0, 50.0, 26.0  # percent: where shares begin, and how long 100 % is
MOST = 12  # layers drawn; a page has no room for more


def draw_trials(found: Trials) -> Drawing:
    """Draw a bar for each file, an outline for float, with decibels and the metric beside it.

    >>> draw_trials(Trials([Trial("float32", 0, 4000, 4000, float("inf"), 90)]))
    Drawing: float32: 4.0 kB, metric 90.
    """
    ran = [trial for trial in found if not trial.error]
    most = max(trial.size for trial in ran)
    parts = [
        text(0, 12, "kB in a file", anchor="start"),
        text(84, 12, "dB", anchor="end"),
        text(100, 12, "metric", anchor="end"),
    ]
    said = []
    for number, trial in enumerate(ran):
        y, end = TOP + ROW * number, LONG * trial.size / most
        parts += [
            text(0, y + 10, shortened(trial.name), anchor="start"),
            bar(0, end, y + 14, CODE if trial.layers else REAL, filled=bool(trial.layers)),
            text(end + 1, y + 24, _sizes(trial), anchor="start"),
            text(84, y + 24, decibels(trial), anchor="end"),
            text(100, y + 24, short(trial.value), anchor="end", bold=True),
        ]
        error = f" {trial.sqnr:.0f} dB," if decibels(trial) else ""
        said.append(f"{trial.name}: {kilo(trial.size)} kB,{error} metric {short(trial.value)}")
    return Drawing("; ".join(said) + ".", tuple(parts), TOP + ROW * len(ran))


def draw_layers(layers: Layers, errors: LayerErrors, method: str) -> Drawing:
    """Draw for each layer its share of the bytes, and of the error that a method makes.

    >>> from qlearn.course.own_model.layers import Layer
    >>> draw_layers(Layers([Layer("head", "Linear", 40, 1, {"int8": ""})]), LayerErrors(), "int8")
    Drawing: head: 100% of the bytes, quantized.
    """
    found = {each.name: each for each in errors}
    order = [layer for each in errors for layer in layers if layer.name == each.name]
    order += sorted((la for la in layers if la.name not in found), key=lambda la: -la.size)
    parts, said = list(_heads()), []
    for number, layer in enumerate(order[:MOST]):
        size, each = layer.size / layers.size, found.get(layer.name)
        taken = not layer.reasons[method]
        parts += _line(layer.name, TOP + ROW * number, size, each, taken)
        error = f", {each.share:.0%} of the error" if each else ""
        kept = "quantized" if taken else "in float"
        said.append(f"{layer.name}: {size:.0%} of the bytes, {kept}{error}")
    foot = TOP + ROW * len(order[:MOST])
    if len(order) > MOST:
        parts.append(text(0, foot + 12, f"and {len(order) - MOST} more layers", anchor="start"))
        said.append(f"and {len(order) - MOST} more layers")
        foot += ROW
    return Drawing("; ".join(said) + ".", tuple(parts), foot)


def _sizes(trial: Trial) -> str:
    """Return the bytes of a file, and those of one with packed codes where they are fewer."""
    packed = f", packed {kilo(trial.packed)}" if trial.packed != trial.size else ""
    return kilo(trial.size) + packed


def bar(start: float, end: float, y: float, ink: str, *, filled: bool) -> str:
    """Return a bar between two percentages: filled for codes, an outline for float."""
    fill = f'fill="{ink}"' if filled else f'fill="none" stroke="{ink}" stroke-width="1.5"'
    wide = max(0.3, end - start)
    return f'<rect x="{start:.1f}%" y="{y}" width="{wide:.1f}%" height="{BAR}" {fill}/>'


def _heads() -> Iterator[str]:
    yield text(SHARES, 12, "share of the bytes", anchor="start", ink=CODE)
    yield text(ERRORS, 12, "of the error; dB without it", anchor="start", ink=LOST)


def _line(name: str, y: float, size: float, error: LayerError | None, taken: bool) -> Iterator[str]:
    """Yield the name of a layer, and the two bars below it."""
    end = SHARES + WIDE * round(size, 2)
    yield text(0, y + 10, shortened(name), anchor="start")
    yield bar(SHARES, end, y + 14, CODE if taken else REAL, filled=taken)
    yield text(end + 1, y + 24, f"{size:.0%}" + ("" if taken else ", in float"), anchor="start")
    if error:
        end = ERRORS + WIDE * round(error.share, 2)
        yield bar(ERRORS, end, y + 14, LOST, filled=True)
        without = error.cells()[3]
        yield text(end + 1, y + 24, f"{error.share:.0%}; {without} dB", anchor="start")
