"""One self-contained JavaScript module for a widget, from the small files it imports.

A widget must be a single module, in JupyterLab and on the static page alike, and a bundler
would be more machinery than the widgets have code. So the local imports are replaced by the
imported files themselves. All of them then share one scope, so no two may use one name.
"""

from __future__ import annotations

import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"

_LOCAL_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(?P<file>[\w-]+\.js)";\n', re.MULTILINE)


def bundle(name: str) -> str:
    """Return ``static/name`` as one module, each file that it needs once and before its use."""
    return "\n".join(_modules(name, seen=set()))


def styles(*names: str) -> str:
    """Return the styles that all widgets share, then those of ``static/`` with these names."""
    return "".join((STATIC / name).read_text(encoding="utf-8") for name in ("widget.css", *names))


def _modules(name: str, seen: set[str]) -> list[str]:
    """Return the text of the modules that ``name`` imports, then its own without the imports."""
    if name in seen:
        return []
    seen.add(name)
    source = (STATIC / name).read_text(encoding="utf-8")
    imported = [
        text for match in _LOCAL_IMPORT.finditer(source) for text in _modules(match["file"], seen)
    ]
    return [*imported, _LOCAL_IMPORT.sub("", source)]
