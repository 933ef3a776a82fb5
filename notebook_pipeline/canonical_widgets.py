"""Widget state in canonical form: the shown models only, under ids that never change."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode

from notebook_pipeline.outputs import WIDGET_STATE, WIDGET_VIEW, outputs

STILL_PICTURE = "image/svg+xml"  # of a widget, which still_pictures.py draws
MODEL_REFERENCE = "IPY_MODEL_"
SOURCES = ("_esm", "_css")


def strings(value: object) -> Iterator[str]:
    """Yield every string inside a JSON value, depth first, dictionaries in the order of keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from strings(value[key])
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def stored_models(notebook: NotebookNode) -> Any:
    """Return the widget models whose state is stored in the notebook, by their ids."""
    return notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})


def shown_models(notebook: NotebookNode) -> list[str]:
    """Return the ids of the widget models that outputs show, in order of first appearance.

    The models that a shown one refers to (its layout) follow it. All others are left out:
    every model that is kept is embedded in the page.
    """
    state = stored_models(notebook)
    waiting = [output.data[WIDGET_VIEW]["model_id"] for output in outputs(notebook, WIDGET_VIEW)]
    order: list[str] = []
    while waiting:
        model = waiting.pop(0)
        if model in state and model not in order:
            order.append(model)
            texts = [t for t in strings(state[model].state) if t.startswith(MODEL_REFERENCE)]
            waiting[:0] = [text.removeprefix(MODEL_REFERENCE) for text in texts]
    return order


def model_id(name: str, index: int) -> str:
    """Return the id of the `index`-th widget model of the notebook `name`, shaped as a UUID is."""
    return hashlib.sha256(f"{name}:{index}".encode()).hexdigest()[:32]


def renamed(value: object, ids: dict[str, str]) -> object:
    """Return `value` with each model id replaced, as a value, a key or a reference."""
    if isinstance(value, str):
        prefix = MODEL_REFERENCE if value.startswith(MODEL_REFERENCE) else ""
        rest = value.removeprefix(prefix)
        return prefix + ids.get(rest, rest)
    if isinstance(value, dict):
        return type(value)({ids.get(k, k): renamed(v, ids) for k, v in value.items()})
    if isinstance(value, list):
        return [renamed(item, ids) for item in value]
    return value


def without_defaults(model: NotebookNode) -> NotebookNode:
    """Leave out what is null in a layout or style: its JavaScript class fills that in."""
    if model.model_name.endswith(("LayoutModel", "StyleModel")):
        model.state = {k: v for k, v in model.state.items() if v is not None}
    return model


def stores_source_in_vain(state: dict) -> bool:
    """Tell whether a model stores the source of a class that can be imported."""
    class_name = state.get("_anywidget_id", "")
    importable = class_name and not class_name.startswith("__main__.")
    return bool(importable) and any(name in state for name in SOURCES)


def without_source(model: NotebookNode) -> NotebookNode:
    """Leave out JavaScript and CSS of a class in a package, where the build finds them.

    A notebook then changes with what it shows, and not with a helper that all widgets share.
    """
    if stores_source_in_vain(model.state):
        model.state = {k: v for k, v in model.state.items() if k not in SOURCES}
    return model


def canonical_widgets(notebook: NotebookNode, name: str) -> None:
    """Keep the models that are shown, under ids that depend on `name` and their order only."""
    order = shown_models(notebook)
    widgets = notebook.metadata.pop("widgets", {}).get(WIDGET_STATE)
    if not order:
        return
    ids = {old: model_id(name, index) for index, old in enumerate(order)}
    states = widgets["state"]
    widgets["state"] = {old: without_source(without_defaults(states[old])) for old in order}
    notebook.metadata.widgets = renamed({WIDGET_STATE: widgets}, ids)
    for output in outputs(notebook, WIDGET_VIEW):
        output.data[WIDGET_VIEW] = renamed(output.data[WIDGET_VIEW], ids)
