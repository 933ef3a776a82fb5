"""The cell that installs the course on a hosted machine, as Colab is, from the configured address.

Colab brings an older torch and torchao than the chapters were written with, and imports torch
before anybody types. So the cell pins these and two more, and its last line asks for a restart.

python -m workshop.hub.hosted
"""

from __future__ import annotations

import sys

from environment.lock import ROOT, open_requirements
from site_builder.addresses import configured_urls

# What the chapters import and a hosted machine has in another version. numpy and matplotlib are
# new enough there, and much else stands on them.
PINNED = ("torch", "torchao", "jaxtyping", "anywidget")


def install_cell(urls: dict[str, str], version: str = "main") -> str:
    """Return the cell: the pins of requirements.txt, and qlearn from the repository.

    Raises:
        ValueError: no address of the repository is configured.
    """
    if "Repository" not in urls:
        raise ValueError(
            "pyproject.toml sets no Repository in its table project.urls, so there is nothing to "
            "install from: set it there, and the pages get their launch buttons too"
        )
    lines = open_requirements((ROOT / "requirements.txt").read_text())
    pins = dict(line.split("==") for line in lines if "==" in line)
    wanted = " ".join(f"{name}=={pins[name]}" for name in PINNED)
    return (
        f'%pip install --quiet {wanted} "qlearn @ git+{urls["Repository"]}@{version}"\n'
        "# Then, in the menu: Runtime, Restart session. After that, run the chapter."
    )


def main() -> None:
    """Print the cell, or say why there is none."""
    try:
        print(install_cell(configured_urls()))
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
