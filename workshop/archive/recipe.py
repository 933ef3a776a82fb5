"""What goes into the archives: where it lies, and under which names."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import yaml

from environment.lock import open_requirements
from workshop.archive.platforms import PLATFORMS, Platform
from workshop.archive.resolve import Sources, sources_of_pip
from workshop.lan.shared import archives_beside

ROOT = Path(__file__).resolve().parents[2]

# What the notebooks import, and what runs them; the rest of requirements.txt builds the site.
NEEDED = ("torch", "torchao", "numpy", "jaxtyping", "matplotlib", "anywidget", "ipywidgets",
          "ipykernel", "jupyterlab")  # fmt: skip


@dataclass(frozen=True)
class Recipe:
    """What the archives are made from."""

    title: str
    version: str
    requirements: list[str]  # what is installed besides our own wheels
    constraints: list[str]
    sources: Sources
    site: Path
    notebooks: Path
    first: str  # the notebook that opens
    own: tuple[Path, ...]  # wheels built from the tree
    cache: Path  # wheels fetched before
    target: Path
    edition: str = ""  # a word for the names of archives that do not hold the whole course

    @property
    def stem(self) -> str:
        """Return what all names of archives begin with."""
        words = "".join(letter for letter in self.title.lower() if letter not in ",.:")
        return "-".join([*words.split(), self.version, *self.edition.split()])

    def name(self, platform: Platform) -> str:
        """Return the name of a platform's archive."""
        return f"{self.stem}-{platform.name}{platform.suffix}"

    def names(self) -> dict[str, str]:
        """Return the name of the archive for each kind of laptop."""
        return {f"{p.system} {p.machine}": self.name(p) for p in PLATFORMS}


def of_the_course(site: Path, own: tuple[Path, ...]) -> Recipe:
    """Return the recipe of the course as this tree has it.

    Beside the students' site lie its notebooks, without solutions; beside the other one lie none.
    """
    without_solutions = site.parent / "notebooks"
    students = without_solutions.is_dir()
    return Recipe(
        title=str(yaml.safe_load((ROOT / "_config.yml").read_text())["title"]),
        version=str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]),
        requirements=requirements(),
        constraints=constraints(),
        sources=sources_of_pip(),
        site=site,
        notebooks=without_solutions if students else ROOT / "book",
        first=first_notebook(),
        own=own,
        cache=ROOT / "_build" / "wheels",
        target=archives_beside(site),
        edition="students" if students else "",
    )


def requirements() -> list[str]:
    """Return the pins of what is needed, and of uv."""
    pins = open_requirements((ROOT / "requirements.txt").read_text())
    uv = open_requirements((Path(__file__).parent / "requirements.txt").read_text())
    return [pin for pin in pins if pin.partition("==")[0] in NEEDED] + uv


def constraints() -> list[str]:
    """Return the pins of what these bring along."""
    tested = open_requirements((ROOT / "requirements-test.txt").read_text())
    tools = [pin for pin in tested if pin.startswith("setuptools==")]
    return open_requirements((ROOT / "constraints.txt").read_text()) + tools


def first_notebook() -> str:
    """Return the first chapter, below book/."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())
    file = str(contents["parts"][0]["chapters"][0]["file"])
    return file.removeprefix("book/") + ".ipynb"
