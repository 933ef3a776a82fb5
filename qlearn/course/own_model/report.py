"""One page to hand on: what was tried, what it cost, where the error is, and what to take."""

from __future__ import annotations

import platform
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from qlearn.course.own_model.advice import Advice
from qlearn.course.own_model.by_layer import LayerErrors
from qlearn.course.own_model.layers import Layers
from qlearn.course.own_model.picture import draw_layers, draw_trials
from qlearn.course.own_model.trials import Trials

STYLE = """
@page { size: A4; margin: 14mm }
body { font: 12.5px/1.4 system-ui, sans-serif; color: #24292f; background: #fff;
  max-width: 182mm; margin: 0 auto; padding: 12px }
h1 { font-size: 20px; margin: 0 0 6px } h2 { font-size: 14px; margin: 14px 0 4px }
p { margin: 4px 0 } .take { border-left: 4px solid #2f7de1; padding: 4px 10px }
ul { margin: 4px 0; padding-left: 20px }
.foot { color: #57606a; font-size: 11px; margin-top: 10px }
.qb-drawing { break-inside: avoid }
"""


class Report(NamedTuple):
    """A page in HTML; ``save`` writes it with the versions below, and needs no other file."""

    title: str
    parts: tuple[str, ...]
    foot: str

    def __repr__(self) -> str:
        """Return its title; a notebook shows the page itself."""
        return f"Report: {self.title}"

    def _repr_html_(self) -> str:
        """Return the page without the versions, which are in the file alone."""
        return "\n".join(self.parts).replace("h2>", "h3>")

    def html(self) -> str:
        """Return the whole file."""
        body = "\n".join([f"<h1>{escape(self.title)}</h1>", *self.parts])
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            f'{body}\n<p class="foot">{escape(self.foot)}</p>\n</body>\n</html>\n'
        )

    def save(self, path: str | Path) -> None:
        """Write the file."""
        Path(path).write_text(self.html(), encoding="utf-8")


def make_report(
    title: str,
    found: Trials,
    layers: Layers,
    errors: LayerErrors,
    chosen: Advice,
    *,
    debugged: str,
    metric: str,
    notes: str = "",
) -> Report:
    """Return the page.

    Args:
        title: for example the model's name.
        found: the trials.
        layers: what each method takes.
        errors: by layer, of the method ``debugged``.
        chosen: what to take, and why.
        debugged: the name of the method whose errors were taken apart.
        metric: what the metric counts, in words.
        notes: a sentence more, such as the times on a machine that is named.
    """
    parts = [
        f'<p class="take"><strong>Take {escape(chosen.method)}.</strong> '
        f"{escape(chosen.reason)}</p>",
        f"<p>The metric is {escape(metric)}; more is better. dB compare the size of the outputs "
        "with that of their error: 20 dB are a tenth, 40 dB a hundredth.</p>",
        "<h2>What was tried</h2>",
        draw_trials(found)._repr_html_(),
        *(f"<p>{escape(line)}</p>" for line in found.stopped()),
        f"<h2>Where the error comes from: {escape(debugged)}</h2>",
        draw_layers(layers, errors, debugged)._repr_html_(),
        *([] if errors else ["<p>No layer was quantized, so none adds an error.</p>"]),
        *_left_out(layers, debugged),
    ]
    if notes:
        parts.append(f"<p>{escape(notes)}</p>")
    return Report(title, tuple(parts), versions())


def versions() -> str:
    """Return the versions that the numbers depend on.

    >>> versions().startswith("torch ")
    True
    """
    packages = (f"{name} {version(name)}" for name in ("torch", "torchao"))
    return ", ".join([*packages, f"Python {platform.python_version()}, {platform.machine()}"])


def _left_out(layers: Layers, method: str) -> list[str]:
    """Return why layers stay in float, each reason with the layers that it holds for."""
    reasons: dict[str, list[str]] = {}
    for layer in layers:
        if reason := layer.reasons[method]:
            reasons.setdefault(reason, []).append(layer.name)
    if not reasons:
        return []
    items = "".join(
        f"<li>{escape(_names(names))}: {escape(reason)}</li>" for reason, names in reasons.items()
    )
    return [f"<p>In float stay:</p><ul>{items}</ul>"]


def _names(names: list[str]) -> str:
    """Return some names in words."""
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return ", ".join(names[:2]) + more
