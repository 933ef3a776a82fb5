"""What the hub starts for a student: the chapters are brought, then the server takes over.

This runs as the student, so a link that a student laid leads nowhere that the student may not go.
"""

from __future__ import annotations

import os
from pathlib import Path

from workshop.hub.notebooks import bring

SOURCE = "QUANTIZATION_NOTEBOOKS"


def main() -> None:
    """Bring the chapters, whatever comes of it, and become the server."""
    try:
        print(f"chapters: {bring(Path(os.environ[SOURCE]), Path.home() / 'course')}", flush=True)
    except OSError as error:
        print(f"chapters: not all were brought, because {error}", flush=True)
    from jupyterhub.singleuser import main as serve

    serve()


if __name__ == "__main__":
    main()
