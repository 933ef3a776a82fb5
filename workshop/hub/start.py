"""What the hub starts for a student: the chapters are brought, then the server takes over.

This runs as the student, so a link that a student laid leads nowhere that the student may not go.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from workshop.hub.notebooks import bring

SOURCE = "QUANTIZATION_NOTEBOOKS"


def main() -> None:
    """Bring the chapters, whatever comes of it, and become the server."""
    try:
        print(f"chapters: {bring(Path(os.environ[SOURCE]), Path.home() / 'course')}", flush=True)
    except OSError as error:
        print(f"chapters: not all were brought, because {error}", flush=True)
    import_lab()
    from jupyterhub.singleuser import main as serve

    serve()


def import_lab() -> None:
    """Import JupyterLab without Node.js in sight.

    Where it finds one it asks yarn for its settings, at once and each time: half a second of a
    processor, for extensions that nobody builds here.
    """
    path = os.environ.get("PATH")
    os.environ["PATH"] = "/nowhere"
    try:
        import_module("jupyterlab.labapp")
    finally:
        if path is None:
            del os.environ["PATH"]
        else:
            os.environ["PATH"] = path


if __name__ == "__main__":
    main()
