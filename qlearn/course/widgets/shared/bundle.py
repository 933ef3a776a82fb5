"""One self-contained JavaScript module out of the files that a widget imports.

A widget must be a single module, in JupyterLab and on the static page alike. Each file becomes a
function that is called once, so its names are its own; what it exports is what the function
returns, and each import takes from that. Nothing is written to disk, so nothing can be stale,
and neither a reader nor the build needs a JavaScript tool for it.

The forms of import and export that are known are those that the widgets and the two vendored
libraries use. Any other raises an error that names the file and the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

START = r"(?:^|(?<=;))"  # of a statement; in a minified file many share a line
NAMES = r"\{(?P<names>[^{}]*)\}"
BOUND = rf"(?:{NAMES}|\* as (?P<all>\w+)|(?P<name>\w+))"
IMPORT = re.compile(START + rf'import ?{BOUND} ?from ?"(?P<path>\.[^"]+)";', re.M)
EXPORT = re.compile(
    START + r"export (?=(?:const|class|(?:async )?function) (?P<name>[A-Za-z_]\w*))", re.M
)
EXPORT_NAMES = re.compile(START + rf"export ?{NAMES};", re.M)
EXPORT_DEFAULT = re.compile(START + r"export default (?!(?:async |function \w|class \w))", re.M)
KNOWN = (IMPORT, EXPORT, EXPORT_NAMES, EXPORT_DEFAULT)
ANY_FORM = re.compile(r"(?:^|;)[ \t]*(?:import|export)\b|\bimport\s*\(|\bimport\.meta\b", re.M)
COMMENT = re.compile(r"^[ \t]*(?://.*\n?|/\*\*[\s\S]*?\*/\n)", re.M)  # of whole lines


class BundleError(ValueError):
    """A file imports or exports in a way that cannot be bundled."""


@dataclass(frozen=True)
class Module:
    """A file as a function that was called: the constant of its exports, their names, its text.

    Its source is what the file held.
    """

    source: str
    constant: str
    exports: frozenset[str]
    text: str


@dataclass(frozen=True)
class Joined:
    """A file and all that it imports: the modules in their order, each after what it needs."""

    modules: dict[Path, Module]

    @property
    def entry(self) -> Module:
        """Return the file that was asked for, which comes last."""
        return list(self.modules.values())[-1]

    def module(self) -> str:
        """Return them as one module with the exports of the entry."""
        named = ", ".join(sorted(self.entry.exports - {"default"}))
        ends = [f"export const {{ {named} }} = {self.entry.constant};"] if named else []
        if "default" in self.entry.exports:
            ends.append(f"export default {self.entry.constant}.default;")
        return self._text(*ends)

    def function(self) -> str:
        """Return them as a function that returns the default export of the entry.

        A page can call it without waiting, as it cannot a module that is made of a text.
        """
        start, end = '() => {\n"use strict"; // as in a module', "}"
        return f"{start}\n{self._text(f'return {self.entry.constant}.default;')}{end}"

    def _text(self, *ends: str) -> str:
        return "\n".join([*(module.text for module in self.modules.values()), *ends, ""])


_LAST: dict[Path, Joined] = {}  # by entry


def bundle(entry: Path) -> str:
    """Return ``entry`` and all that it imports as one module with the exports of ``entry``.

    Raises:
        BundleError: see :func:`joined`.
    """
    return joined(entry).module()


def joined(entry: Path) -> Joined:
    """Return ``entry`` and all that it imports.

    As long as none of the files has changed, it is that of the last time: traitlets asks for
    it several times when a widget is made.

    Raises:
        BundleError: naming file and line of an import or export of a form that is not known, or
            of one that finds nothing; or the files that import each other in a circle.
    """
    entry = entry.resolve()
    last = _LAST.get(entry, Joined({}))
    sources = {path: module.source for path, module in last.modules.items()}
    if not sources or _read(sources) != sources:
        modules: dict[Path, Module] = {}
        _add(entry, modules, ())
        _LAST[entry] = Joined(modules)
    return _LAST[entry]


def _read(paths: Iterable[Path]) -> dict[Path, str]:
    """Return the text of each file that is there."""
    return {path: path.read_text(encoding="utf-8") for path in paths if path.is_file()}


def _add(path: Path, modules: dict[Path, Module], importers: tuple[Path, ...]) -> Module:
    """Add the file to the modules, after those that it imports, unless it is there."""
    if path in importers:
        circle = " imports ".join(file.name for file in (*importers, path))
        raise BundleError(f"{circle}: move what they share to a file that imports neither")
    if path in modules:
        return modules[path]
    source = path.read_text(encoding="utf-8")
    _check_forms(path, source)
    stem = re.sub(r"\W", "_", path.stem)
    body = _with_imports(path, source, modules, importers)
    name = f"{path.parent.name}/{path.name}"
    modules[path] = _scoped(source, name, f"${stem}{len(modules)}", body)
    return modules[path]


def _with_imports(
    path: Path, source: str, modules: dict[Path, Module], importers: tuple[Path, ...]
) -> str:
    """Return the source in which each import takes from the constant of the imported file."""

    def taken(found: re.Match[str]) -> str:
        file = (path.parent / found["path"]).resolve()
        if not file.is_file():
            raise BundleError(f"{_place(path, source, found.start())}: there is no {found['path']}")
        module = _add(file, modules, (*importers, path))
        if found["all"]:
            return f"const {found['all']} = {module.constant};"
        names = _names(found["names"]) if found["names"] is not None else {"default": found["name"]}
        for missing in names.keys() - module.exports:
            place = _place(path, source, found.start())
            raise BundleError(f"{place}: {found['path']} exports nothing named {missing}")
        pairs = ", ".join(k if k == v else f"{k}: {v}" for k, v in names.items())
        return f"const {{ {pairs} }} = {module.constant};"

    return IMPORT.sub(taken, source)


def _scoped(source: str, name: str, constant: str, body: str) -> Module:
    """Return the body in a scope of its own, whose constant holds what the module exports."""
    exports = {found["name"]: found["name"] for found in EXPORT.finditer(body)}
    for found in EXPORT_NAMES.finditer(body):
        exports |= {there: here for here, there in _names(found["names"]).items()}
    body, defaults = EXPORT_DEFAULT.subn("const $default = ", body)
    exports |= {"default": "$default"} if defaults else {}
    body = COMMENT.sub("", EXPORT.sub("", EXPORT_NAMES.sub("", body))).strip()
    returned = ", ".join(f"{there}: {here}" for there, here in exports.items())
    text = f"const {constant} = (() => {{ // {name}\n{body}\nreturn {{ {returned} }};\n}})();"
    return Module(source, constant, frozenset(exports), text)


def _check_forms(path: Path, source: str) -> None:
    """Raise an error for an import or export that none of the known patterns finds."""
    known = {found.start() for pattern in KNOWN for found in pattern.finditer(source)}
    for found in ANY_FORM.finditer(source):
        at = found.end() - len(found[0].lstrip("; \t"))
        if at not in known:
            line = source[at:].partition("\n")[0][:60]
            raise BundleError(
                f"{_place(path, source, at)}: the bundler does not know this form: {line!r}. Use "
                '`import { a } from "./b.js";`, `export const`, `export function` or '
                "`export default` and an expression"
            )


def _place(path: Path, source: str, at: int) -> str:
    return f"{path}:{source.count(chr(10), 0, at) + 1}"


def _names(listed: str) -> dict[str, str]:
    """Return the names in the braces of an import or export, each with its name after `as`."""
    pairs = (name.split(" as ") for name in listed.split(",") if name.strip())
    return {pair[0].strip(): pair[-1].strip() for pair in pairs}
