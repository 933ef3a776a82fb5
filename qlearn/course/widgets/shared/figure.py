"""The Python side of every widget: a class in a folder of its own, and what the browser runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anywidget

from qlearn.course.widgets.shared.bundle import bundle

SHARED = Path(__file__).parent


class _Source:
    """An attribute that is made of the class's files each time a widget is asked for it.

    A changed file is thus seen as soon as a cell has made its widget anew. The class gives only
    this: traitlets asks it for each of its attributes, several times for each widget.
    """

    def __init__(self, suffix: str) -> None:
        self.suffix = suffix

    def __get__(self, instance: object, owner: type[Figure]) -> str | _Source:
        return self if instance is None else owner.source(self.suffix)


class Figure(anywidget.AnyWidget):
    """A widget whose folder, ``name/``, holds ``name.js``, and ``name.css`` where it has a style.

    Its traits are its whole state: the page that the build makes is drawn from them by
    ``view(state)`` of that JavaScript, and the browser goes on from there, with no kernel. In a
    live notebook each move arrives in the traits, and a trait that is set moves the picture.

    Raises:
        TypeError: there is no such trait.
        TraitError: a trait gets what it does not take.
    """

    _esm = _Source(".js")
    _css = _Source(".css")

    def __init__(self, **traits: Any) -> None:
        """Start with these traits; traitlets alone would let a misspelt one pass."""
        unknown = traits.keys() - self.traits().keys()
        if unknown:
            known = ", ".join(self._own())
            raise TypeError(
                f"{type(self).__name__} takes no {', '.join(sorted(unknown))}: it has {known}"
            )
        super().__init__(**traits)

    @classmethod
    def entry(cls) -> Path | None:
        """Return the JavaScript that the class stands for; a class to build on has none."""
        folder = Path(sys.modules[cls.__module__].__file__ or "").parent
        return None if folder == SHARED else folder / f"{folder.name}.js"

    @classmethod
    def source(cls, suffix: str) -> str:
        """Return what the browser runs of the class, ``.js``, or its style, ``.css``."""
        entry = cls.entry()
        if entry is None:
            return ""
        if suffix == ".js":
            return bundle(entry)
        styles = (SHARED / "figure.css", entry.with_suffix(suffix))
        return "".join(path.read_text(encoding="utf-8") for path in styles if path.is_file())

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        own = ", ".join(f"{name}={value!r}" for name, value in self.state().items())
        return f"{type(self).__name__}({own})"

    def state(self) -> dict[str, Any]:
        """Return the widget's own traits, as ``view`` gets them."""
        return {name: getattr(self, name) for name in self._own()}

    def _own(self) -> list[str]:
        """Return the names of the traits that are not every widget's."""
        own = self.traits(sync=True).keys() - Figure.class_traits(sync=True).keys()
        return sorted(name for name in own if not name.startswith("_"))


def bundle_all() -> None:
    """Bundle what the browser runs of each figure imported so far: forks then find it done."""
    figures: list[type[Figure]] = [Figure]
    for figure in figures:  # it grows meanwhile
        figures += figure.__subclasses__()
        figure.source(".js")
