"""What a link brings: all that a reader can come to, and nothing that no field takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.examples import EXAMPLES
from tests.course.widgets.figures import call

LINKED = {"DynamicLinear": {"followed": [0, 0]}, "Journey": {"followed": 0}}
LINKED |= {"StraightThrough": {"walk": []}}

# For a widget its `canShow` by name, and a walk of a reader who uses whatever control there is.
MODULE = """
import * as right from {entry};
import figure from {entry};
import {{ canShow }} from {arrival};
import {{ addressOf, stateIn }} from {link};

const view = figure.opening;
export const shows = (state, given) => {{
  const begun = performance.now();
  const found = canShow(view, state, {{ ...state, ...given }});
  return [found, performance.now() - begun];
}};

function* controlsIn(part) {{
  if (Array.isArray(part)) for (const each of part) yield* controlsIn(each);
  if (!part?.props) return;
  if (["input", "select", "button"].includes(part.type)) yield part;
  yield* controlsIn(part.props.children);
}}

const literal = (text) => {{
  if (text === "true" || text === "false") return text === "true";
  return `${{text}}`.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
}};

/** What a reader may do with a control, by a share of its way: [name, value]. */
function use({{ type, props }}, share) {{
  if (type === "button") return [props.name, literal(props.value)];
  if (type === "select") {{
    const options = [props.children].flat(Infinity).filter((each) => each?.props);
    return [props.name, literal(options[Math.floor(share * options.length)].props.value)];
  }}
  if (props.type === "checkbox") return [props.name, share < 0.5];
  if (props.type === "radio") return [props.name, literal(props.value)];
  if (props.type === "text") return [props.name, share < 0.5 ? "1, -2, 3.5" : ""];
  const [low, high, step] = [props.min ?? -9, props.max ?? 9, props.step];
  const steps = Math.floor(share * ((high - low) / step + 1)); // NaN where any number is taken
  const value = steps >= 0 ? low + steps * step : low + share * (high - low);
  return [props.name, props["data-whole"] === "true" ? Math.round(value) : value];
}}

/** What a walk comes to that its link would not show. */
export function lost(opening, linked, seed) {{
  let random = seed;
  const next = () => (random = (random * 16807) % 2147483647) / 2147483647;
  const begun = {{ ...opening, ...linked }};
  let [state, before, moved, missed] = [begun, begun, 0, []];
  for (let i = 0; i < 60; i++) {{
    const controls = [...controlsIn(view(state))].filter(
      ({{ props }}) => props.name && !props.disabled && props["aria-disabled"] !== "true",
    );
    const [name, value] = use(controls[Math.floor(next() * controls.length)], next());
    const locals = {{ playing: false, pointing: next() < 0.5, speed: 1 }};
    const changes = right.changed({{ ...locals, ...state }}, name, value, begun);
    const known = Object.entries(changes).filter(([name]) => name in begun);
    if (known.length === 0) continue;
    state = {{ ...state, ...Object.fromEntries(known) }};
    if (moved++ % 7 === 0) before = state; // where a reader is when the link is pressed
    const address = addressOf("a", state, begun);
    const given = stateIn(address, "a", begun);
    const arrives = (from, to) => canShow(view, from, {{ ...from, ...to }});
    const arrived = given && [begun, before].every((from) => arrives(from, given));
    if (!arrived || addressOf("a", given, begun) !== address || !arrives(state, begun))
      if (missed.length < 3) missed.push([name, value, decodeURIComponent(address)]);
  }}
  return [moved, missed];
}}
"""


def module(folder: Path, kind: type) -> Path:
    entry = kind.entry()
    files = {"entry": entry, "arrival": SHARED / "arrival.js", "link": SHARED / "link.js"}
    path = folder / f"{kind.__name__}.js"
    path.write_text(
        MODULE.format(**{name: json.dumps(file.as_uri()) for name, file in files.items()}),
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_link_shows_all_that_a_reader_can_come_to(node: str, tmp_path: Path, kind: str) -> None:
    widget = EXAMPLES[kind]()
    state, linked = widget.state(), LINKED.get(kind, {})
    found = call(
        node, module(tmp_path, type(widget)), [["lost", state, linked, seed] for seed in (1, 2, 3)]
    )
    assert [missed for _, missed in found] == [[], [], []]
    assert sum(moved for moved, _ in found) > 30


def shown(node: str, folder: Path, widget: Any, *given: dict) -> list[bool]:
    """Return for each of these whether a link to it is shown; it says so at once."""
    state = widget.state() | LINKED.get(type(widget).__name__, {})
    found = call(node, module(folder, type(widget)), [["shows", state, each] for each in given])
    assert max(taken for _, taken in found) < 2000
    return [is_shown for is_shown, _ in found]


REFUSED: list[tuple[str, dict]] = [
    ("Quantizer", {"bits": 30}),
    ("Quantizer", {"bits": None}),
    ("Quantizer", {"bits": 3.5}),
    ("Quantizer", {"scale": -1}),
    ("Quantizer", {"zero_point": 200}),
    ("Quantizer", {"own": ["a"]}),
    ("Quantizer", {"format": "E4M3FN", "bits": 4, "parts": ["format"]}),
    ("Quantizer", {"rounding": "up", "parts": ["rounding"]}),
    ("StraightThrough", {"rate": 0}),
    ("ObserverStream", {"observer": "none"}),
    ("ObserverStream", {"averaging_constant": 7}),
    ("GroupedRow", {"group_size": 7}),
    ("GPTQSteps", {"bits": 1000}),
    ("DynamicLinear", {"x": [[1e9, 0, 0], [0, 1, 0], [0, 0, 1]]}),
    ("SwappedLayers", {"batch": 0}),
    ("Journey", {"step": 77}),
]


@pytest.mark.parametrize(("kind", "given"), REFUSED, ids=lambda part: json.dumps(part))
def test_what_no_field_takes_is_not_shown(
    node: str, tmp_path: Path, kind: str, given: dict
) -> None:
    assert shown(node, tmp_path, EXAMPLES[kind](), given, {}) == [False, True]


def test_values_that_fit_together_alone_are_shown(node: str, tmp_path: Path) -> None:
    unsigned = {"zero_point": 200, "signed": False, "bits": 8}
    given = [unsigned, {"scale": None}, {"scale": 0.07}, {"format": "NF4", "bits": 4}]
    assert shown(node, tmp_path, EXAMPLES["Quantizer"](), *given) == [True] * 4
