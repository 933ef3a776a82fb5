"""Widgets without a kernel: what myst-nb embeds of each anywidget, cut down to what is drawn.

The source of a class is the package's, and becomes one script that all pages share;
`static/host.js` puts class and state together again. The script is a classic one, because ES
modules do not load from file://. A :class:`Figure` is drawn here already, by the same JavaScript
in Node, so that its picture is there without a script and before one has run.
"""

import hashlib
import importlib
import json
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from notebook_pipeline.outputs import WIDGET_STATE, WIDGET_VIEW
from qlearn.course.widgets.shared.bundle import joined
from qlearn.course.widgets.shared.figure import SHARED, Figure
from site_builder.mathematics import drawn_formulas, node_binary
from site_builder.static_files import write_static

logger = logging.getLogger(__name__)

VIEW = re.compile(rf'<script type="{re.escape(WIDGET_VIEW)}">(.*?)</script>', re.DOTALL)
HOST = '<div class="qb-widget-host" data-model="{model}">{content}</div>'
# The first that shows something besides a question; see layout.html.
PICTURE = re.compile(r'<div class="qb-widget-host"(?=[^>]*><div class="qb-widget (?!qb-question))')
STILL = "<noscript><p>Without JavaScript, all pictures on this page stand still.</p></noscript>"
NAMED = STILL + r'\g<0> id="first-picture"'
NOT_DRAWN = "<noscript>This interactive figure needs JavaScript.</noscript>"
STRINGS = Path(__file__).parent / "strings" / "strings.mjs"
PREACT = SHARED / "vendor" / "preact.mjs"
# Traits of every ipywidget, of no use without a widget manager; so are those that begin with "_".
BOILERPLATE = {"layout", "tabbable", "tooltip"}
AFTER_MYST_NB = 600


@dataclass(frozen=True)
class WidgetClass:
    """The source of one anywidget class; a figure has the file that Node draws it by."""

    name: str
    esm: str
    css: str
    entry: Path | None = None

    @property
    def key(self) -> str:
        """A name that changes with the source."""
        digest = hashlib.sha256(f"{self.esm}\0{self.css}".encode()).hexdigest()
        return f"{self.name}.{digest[:12]}"

    def script(self) -> str:
        """Return a classic script that registers the class.

        A figure's is a function that makes it, and its style is a file; a class that a cell has
        defined is the text of a module, for which a page has to wait.
        """
        if self.entry:
            source = f"{{ widget: {joined(self.entry).function()} }}"
        else:
            source = json.dumps({"esm": self.esm, "css": self.css}, ensure_ascii=False)
        return f"(globalThis.qbWidgets ??= {{}})[{json.dumps(self.key)}] = {source};\n"


def widget_class(state: dict[str, Any]) -> WidgetClass | None:
    """Return the class of a model: from its own source, as of one defined in a cell, or a figure.

    Raises:
        ImportError, AttributeError: the class that the notebook names is no figure of the package.
    """
    module, _, name = state.get("_anywidget_id", "").rpartition(".")
    if "_esm" in state:
        return WidgetClass(name, state["_esm"], state.get("_css", ""))
    if not module:
        return None
    figure: type[Figure] = getattr(importlib.import_module(module), name)
    return WidgetClass(name, figure.source(".js"), figure.source(".css"), figure.entry())


def split_state(document: dict[str, Any]) -> tuple[dict[str, Any], list[WidgetClass]]:
    """Split myst-nb's widget state into the models of the page and the classes they are of."""
    models: dict[str, Any] = {}
    classes: dict[str, WidgetClass] = {}
    for model_id, entry in document["state"].items():
        state = entry["state"]
        widget = widget_class(state)
        if widget is None:
            continue
        classes[widget.key] = widget
        models[model_id] = {
            "class": widget.key,
            "state": {
                key: value
                for key, value in state.items()
                if not key.startswith("_") and key not in BOILERPLATE
            },
            "buffers": [
                {"path": buffer["path"], "data": buffer["data"]}
                for buffer in entry.get("buffers", [])
            ],
        }
    return models, list(classes.values())


def viewed_models(body: str) -> set[str]:
    """Return the ids of the models that have a view on the page."""
    return {json.loads(view)["model_id"] for view in VIEW.findall(body)}


def drawn(models: dict[str, Any], classes: Iterable[WidgetClass], *what: str) -> dict[str, Any]:
    """Return the markup of each figure among the models, all drawn by one run of Node.

    With ``"pictures"`` these are the pictures alone: of each its ``svg``, ``height``, ``viewBox``,
    ``label``, and the ``margins`` of the stage on which it stands.
    """
    entries = {widget.key: str(widget.entry) for widget in classes if widget.entry}
    figures = {id_: model for id_, model in models.items() if model["class"] in entries}
    if not figures:
        return {}
    order = [
        {"entry": entries[model["class"]], "state": model["state"], "buffers": model["buffers"]}
        for model in figures.values()
    ]
    done = subprocess.run(
        [str(node_binary()), str(STRINGS), str(PREACT), *what],
        input=json.dumps(order),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise ExtensionError(f"Node could not draw the widgets {list(entries)}: {done.stderr}")
    return dict(zip(figures, json.loads(done.stdout), strict=True))


def with_hosts(body: str, markup: dict[str, str]) -> str:
    """Return the page with an element in the place of every view, its picture inside if drawn."""

    def host(view: re.Match[str]) -> str:
        model = json.loads(view[1])["model_id"]
        return HOST.format(model=model, content=markup.get(model, NOT_DRAWN))

    return VIEW.sub(host, body)


def embedded(models: dict[str, Any]) -> str:
    """Return the models as a script element that no content can close early."""
    text = json.dumps(models, ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")
    return f'<script type="application/json" id="qb-widget-models">{text}</script>'


def prepare_page(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], _: object
) -> None:
    """Replace the page's widget state and views by what the host script draws from."""
    scripts = context["script_files"]
    states = [script for script in scripts if script.attributes.get("type") == WIDGET_STATE]
    scripts[:] = [script for script in scripts if script not in states]
    viewed = viewed_models(context.get("body", ""))
    if not viewed:
        return
    models: dict[str, Any] = {}
    classes: list[WidgetClass] = []
    for script in states:
        models, classes = split_state(json.loads(script.attributes["body"]))
    for model_id in viewed - models.keys():
        logger.warning("%s: the view of %s has no anywidget state", pagename, model_id)
    models = {model_id: models[model_id] for model_id in models if model_id in viewed}
    for model in models.values():
        if formulas := model["state"].get("formulas"):  # a question's, until here as they are read
            model["state"]["formulas"] = drawn_formulas(formulas, pagename)
    used = {model["class"] for model in models.values()}
    for widget in classes:
        if widget.key in used:
            write_files(Path(app.outdir), widget)
            app.add_js_file(f"widgets/{widget.key}.js")
            if widget.entry:
                app.add_css_file(f"widgets/{widget.key}.css")
    app.add_js_file("host.js", priority=600)
    body = with_hosts(context["body"], drawn(models, classes))
    body, context["has_picture"] = PICTURE.subn(NAMED, body, count=1)
    context["body"] = body + embedded(models)


def write_files(outdir: Path, widget: WidgetClass) -> None:
    """Write the script of a class, and a figure's style, among the site's static files."""
    write_static(outdir, f"widgets/{widget.key}.js", widget.script())
    if widget.entry:
        write_static(outdir, f"widgets/{widget.key}.css", widget.css)


def setup(app: Sphinx) -> None:
    """Connect to the moment when myst-nb has handed over the page's widget state."""
    app.connect("html-page-context", prepare_page, priority=AFTER_MYST_NB)
