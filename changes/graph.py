"""Which definitions use which, in all modules of the course, and so what a changed one reaches.

A notebook is a module of its code cells, a test file one of its tests. What the graph does not
see: an attribute fetched by a computed name, and a name put together at run time. A module that is
used as a whole, as by ``getattr(qlearn, name)``, counts as a use of all its names, a package's
``__path__`` as one of all its modules, and ``f"tests.book.{name}"`` as one of those directly in it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping

from changes.definitions import EXAMPLES, ON_IMPORT, Definition, definitions_of, words_of
from changes.files import module_at
from proofs.bindings import Place

WORDS = "(docstrings)"  # of a module, and of those whose names a package gives out
PATH = "__path__"


class Graph:
    """The definitions of some modules, given as their Python by path."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.paths = {module_at(path): path for path in sources}
        self.modules = {module_at(path): definitions_of(text) for path, text in sources.items()}
        self.users: defaultdict[Place, set[Place]] = defaultdict(set)
        for place, definition in self.places():
            for used in self._used(place.module, definition):
                self.users[used].add(place)
            if place.name.startswith("test_"):
                for used in self._automatic(place.module):
                    self.users[used].add(place)
        for module in self.modules:
            for whole, part in self._parts(module):
                self.users[part].add(whole)

    def places(self) -> Iterator[tuple[Place, Definition]]:
        """Yield every definition with its place."""
        for module, definitions in self.modules.items():
            for name, definition in definitions.items():
                yield Place(module, name), definition

    def reached_from(self, places: Iterable[Place]) -> dict[Place, int]:
        """Return the places themselves, all that uses them, and so on; with the number of steps."""
        reached = dict.fromkeys(places, 0)
        waiting = deque(reached)
        while waiting:
            place = waiting.popleft()
            for user in self.users.get(place, set()) - reached.keys():
                reached[user] = reached[place] + 1
                waiting.append(user)
        return reached

    def _used(self, module: str, definition: Definition) -> Iterator[Place]:
        """Yield the places that a definition uses."""
        here = self.modules[module]
        yield Place(module, ON_IMPORT)
        for dotted in definition.uses:
            first, _, rest = dotted.partition(".")
            if dotted == PATH:
                yield Place(module, PATH)
            if first not in here:
                yield from self._fixture(module, first)
                continue
            yield Place(module, first)
            # Of a module, what is asked of it; the module as a whole, if it is passed on.
            for origin in here[first].origins & self.modules.keys():
                yield from self._find(f"{origin}.{rest}" if rest else origin)
        for origin in definition.origins - self.modules.keys():
            yield from self._find(origin)
        for dotted in definition.named:
            yield from self._find(dotted)
        for package in definition.packages:
            yield from self._directly_in(package)

    def _find(self, dotted: str) -> Iterator[Place]:
        """Yield the place that a full name stands for, and the packages that are run for it."""
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            module, rest = ".".join(parts[:length]), parts[length:]
            if module in self.modules:
                known = rest and (rest[0] == PATH or rest[0] in self.modules[module])
                yield Place(module, rest[0] if known else "")
                for depth in range(1, length + 1):
                    yield Place(".".join(parts[:depth]), ON_IMPORT)
                return

    def _directly_in(self, package: str) -> Iterator[Place]:
        """Yield the modules that lie in a package, or in a folder like one; none imports a test."""
        for module in self.modules:
            folder, _, name = module.rpartition(".")
            if folder == package and not name.startswith("test_"):
                yield Place(module, "")

    def _fixture(self, module: str, name: str) -> Iterator[Place]:
        """Yield the fixture of that name that a test of the module is given."""
        for shared in self._conftests(module):
            if name in self.modules[shared]:
                yield Place(shared, name)
                return

    def _conftests(self, module: str) -> Iterator[str]:
        """Yield the modules whose fixtures a test module may ask for, the nearest first."""
        parts = module.split(".")
        for depth in range(len(parts) - 1, 0, -1):
            shared = ".".join([*parts[:depth], "conftest"])
            if shared in self.modules:
                yield shared

    def _automatic(self, module: str) -> Iterator[Place]:
        """Yield the fixtures that each test of a module is given without asking."""
        for shared in [module, *self._conftests(module)]:
            for name, definition in self.modules[shared].items():
                if "autouse=True" in definition.text or name == ON_IMPORT:
                    yield Place(shared, name)

    def _parts(self, module: str) -> Iterator[tuple[Place, Place]]:
        """Yield the parts of a module as a whole: its names and words, and a package's modules."""
        whole, words = Place(module, ""), Place(module, WORDS)
        yield whole, words
        for name, definition in self.modules[module].items():
            yield whole, Place(module, name)
            if self.paths[module].endswith("__init__.py"):
                for origin in definition.origins:
                    yield words, Place(origin.rpartition(".")[0], WORDS)
        package = module.rpartition(".")[0]
        if package in self.modules:
            yield Place(package, PATH), whole
            yield Place(package, PATH), Place(module, PATH)


def changed_places(module: str, old: str, new: str) -> set[Place]:
    """Return what differs between two texts of a module, as what uses it would notice.

    A docstring matters to its examples, and to what asks for the module as a whole.
    """
    before, after = definitions_of(old), definitions_of(new)
    names = {
        name
        for name in before.keys() | after.keys()
        if name not in before or name not in after or before[name].text != after[name].text
    }
    places = {Place(module, name) for name in names}
    if before.keys() - after.keys():
        places.add(Place(module, ""))  # which stands for a name that is no longer there
    if words_of(old) != words_of(new):
        places |= {Place(module, WORDS), Place(module, EXAMPLES)}
    return places
