"""The reference of qlearn, written from its docstrings.

Each public name comes, in the order of the book's parts, with the chapter that first imports it,
or else tells of it, and with its proofs.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from pydoc import locate

from sphinx.application import Sphinx

import qlearn
from proofs.collection import all_proofs, all_public
from site_builder.contents import chapters
from site_builder.proofs_page import anchor

ROOT = Path(__file__).resolve().parent.parent
# A name's part is the folder of its module. Those of the book stand in its order; training is
# taught among the models, and the last two have no part in the book.
PARTS = {
    "numbers": "Numbers",
    "calibration": "Calibration",
    "integers": "Integer arithmetic",
    "models": "Whole models",
    "training": "Training",
    "formats": "Small formats",
    "language": "Language models",
    "machine": "This machine",
    "course": "Data of the course",
}
# What signatures and docstrings name, and chapters do not import
ALSO = {
    "calibration": ["calibration.observers.ObserverOptions", "calibration.qconfig.ModuleEntry"],
    "models": [
        "models.rows.LayerTable",
        "models.rows.LayerRow",
        "models.diagnosis.finding.Diagnosis",
        "models.diagnosis.finding.Finding",
    ],
    "machine": ["machine.rounding.installed_nan_code"],
    "formats": [
        "formats.double_quantization.QuantizedScales",
        "formats.double_quantization.quantize_scales",
    ],
}


def parts(_: Sphinx | None = None) -> dict[str, str]:
    """Return the reference, by the name of its mark."""
    return {"reference of qlearn": reference(qlearn.__all__)}


def reference(names: list[str]) -> str:
    """Return the Markdown of all names, part by part."""
    text = []
    for part, title in PARTS.items():
        here = [name for name in names if part_of(name) == part]
        also = [described(name, f"qlearn.{name}") for name in ALSO.get(part, [])]
        text += [f"## {title}", *map(entry, here), *also, *map(rules, modules(part))]
    return "\n\n".join(text)


def modules(part: str) -> list[str]:
    """Return the modules of a folder whose docstring is longer than a line: it states rules."""
    folder = ROOT / "qlearn" / part
    paths = sorted(path for path in folder.rglob("*.py") if part != "course")
    docs = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in paths}
    return [
        name.removesuffix(".__init__")
        for name, path in docs.items()
        if "\n\n" in (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "")
    ]


def rules(module: str) -> str:
    """Return the heading of a module and what it says of all that is in it."""
    file = module.split(".", 2)[-1]
    return f"### Rules in `{file}`\n\n```{{eval-rst}}\n.. automodule:: {module}\n```"


def part_of(name: str) -> str:
    """Return the folder of qlearn that a public name is defined in.

    Raises:
        ValueError: the folder has no title here.
    """
    module = getattr(qlearn, name).__module__
    part = module.split(".")[1]
    if part not in PARTS:
        raise ValueError(f"qlearn.{name} is of {module}: give its folder a title in {__name__}")
    return part


def entry(name: str) -> str:
    """Return the heading of a name, where it is taught and proven, and its docstring."""
    where = " ".join(filter(None, [taught(name), proven(name)]))
    return described(name, f"qlearn.{name}", where)


def described(name: str, path: str, where: str = "") -> str:
    """Return the heading of a name, a paragraph, and its docstring."""
    found = locate(path)
    directive = "autoclass" if isinstance(found, type) else "autofunction"
    if not callable(found):  # its docstring stands where it is assigned, and its value here
        directive, path = "autodata", f"{type(found).__module__}.{name}"
    rst = f"```{{eval-rst}}\n.. {directive}:: {path}\n```"
    return "\n\n".join(filter(None, [f"### `{name}`", where, rst]))


def taught(name: str) -> str:
    """Return a sentence with a link to the first chapter that imports a name, or tells of it."""
    for chapter in chapters():
        if name in imports(chapter):
            page = Path(chapter).relative_to("book").as_posix()
            return f"First used in [](./{page}.ipynb)."
    return f"Taught in [](./{public.chapter}.ipynb)." if (public := all_public().get(name)) else ""


def proven(name: str) -> str:
    """Return a sentence with a link to the proofs of a name, or why it has none."""
    count = Counter(proof.of for proof in all_proofs().values())[name]
    if not count:
        public = all_public().get(name)
        return f"It has no proof of its own: {public.not_proven}." if public else ""
    counted = "one proof" if count == 1 else f"{count} proofs"
    return f'<a href="proofs.html#{anchor(name)}">It has {counted}</a>.'


@cache
def imports(chapter: str) -> frozenset[str]:
    """Return the names that a chapter imports from qlearn."""
    cells = json.loads((ROOT / f"{chapter}.ipynb").read_text("utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    lines = re.findall(r"^from qlearn import (\([^)]*\)|.*)$", code, re.MULTILINE)
    return frozenset(re.findall(r"\w+", " ".join(lines)))
