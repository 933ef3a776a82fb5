"""The two drawings of the report: what the methods weigh, and where the error comes from."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, text
from qlearn.course.own_model.by_layer import LayerErrors
from qlearn.course.own_model.layers import Layers
from qlearn.course.own_model.trials import Trial, Trials, decibels, kilo, short

TOP, ROW, BAR = 26, 22, 11  # pixels: of the heads, of a line, of a bar
NAMES, BARS = 34.0, 68.0  # percent: where bars begin, and where those of the sizes end
MOST = 14  # layers drawn; a page has no room for more
LONGEST = 34  # letters of a name


def draw_trials(found: Trials) -> Drawing:
    """Draw a bar for each file, an outline for float, with decibels and the metric beside it.

    >>> draw_trials(Trials([Trial("float32", 0, 4000, 4000, float("inf"), 90)]))
    Drawing: float32: 4.0 kB, metric 90.
    """
    ran = [trial for trial in found if not trial.error]
    most = max(trial.size for trial in ran)
    parts = [
        text(NAMES, 12, "kB in a file", anchor="start"),
        text(88, 12, "dB", anchor="end"),
        text(100, 12, "metric", anchor="end"),
    ]
    said = []
    for number, trial in enumerate(ran):
        y = TOP + ROW * number
        end = NAMES + (BARS - NAMES) * trial.size / most
        parts += [
            text(0, y + 10, shortened(trial.name), anchor="start"),
            bar(NAMES, end, y, CODE if trial.layers else REAL, filled=bool(trial.layers)),
            text(end + 1, y + 10, _sizes(trial), anchor="start"),
            text(88, y + 10, decibels(trial), anchor="end"),
            text(100, y + 10, short(trial.value), anchor="end", bold=True),
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
    shares = {each.name: each.share for each in errors}
    order = sorted(layers, key=lambda layer: (-shares.get(layer.name, 0.0), -layer.size))
    parts, said = list(_heads()), []
    for number, layer in enumerate(order[:MOST]):
        size, share = layer.size / layers.size, shares.get(layer.name)
        taken = not layer.reasons[method]
        parts += _line(layer.name, TOP + ROW * number, size, share, taken)
        error = "" if share is None else f", {share:.0%} of the error"
        kept = "quantized" if taken else "in float"
        said.append(f"{layer.name}: {size:.0%} of the bytes, {kept}{error}")
    foot = TOP + ROW * len(order[:MOST])
    if len(order) > MOST:
        parts.append(text(0, foot + 10, f"and {len(order) - MOST} more layers", anchor="start"))
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


def shortened(name: str) -> str:
    """Return a name without its middle, where it is long.

    >>> shortened("encoder.layers.11.attention.self.query.linear")
    'encoder.layers.…lf.query.linear'
    """
    return name if len(name) <= LONGEST else f"{name[:15]}…{name[-15:]}"


def _heads() -> Iterator[str]:
    yield text(36, 12, "share of the bytes", anchor="start", ink=CODE)
    yield text(70, 12, "share of the error", anchor="start", ink=LOST)


def _line(name: str, y: float, size: float, share: float | None, taken: bool) -> Iterator[str]:
    yield text(0, y + 10, shortened(name), anchor="start")
    yield bar(36, 36 + 24 * round(size, 2), y, CODE if taken else REAL, filled=taken)
    yield text(37 + 24 * round(size, 2), y + 10, f"{size:.0%}", anchor="start")
    if share is None:
        yield text(70, y + 10, "in float" if not taken else "", anchor="start", ink=REAL)
        return
    yield bar(70, 70 + 24 * round(share, 2), y, LOST, filled=True)
    yield text(71 + 24 * round(share, 2), y + 10, f"{share:.0%}", anchor="start")
