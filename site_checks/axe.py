"""axe-core, the accessibility checker, as npm has installed it."""

from pathlib import Path

from site_checks.npm import FOLDER, installed


def axe_script(folder: Path = FOLDER) -> str:
    """Return the JavaScript of axe-core.

    Raises:
        NoPackageError: if it has not been installed.
    """
    return installed("axe-core/axe.min.js", folder).read_text(encoding="utf-8")
