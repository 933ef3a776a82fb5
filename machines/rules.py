"""What a notebook must not do where another machine would print something else.

The runs on other machines see what differs on those machines; these rules refuse what none of
them may happen to show. Each takes a notebook and yields a sentence for each broken place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from decimal import Decimal

from nbformat import NotebookNode

from machines.marks import MARKS, mark_of
from notebook_pipeline.cells import code_cells, tags
from notebook_pipeline.notebook_rules import Rule
from notebook_pipeline.outputs import texts

MOST_DIGITS = 6
EXACT = "exact-digits"  # the tag of a cell whose digits come from single IEEE operations
# A unit or a full stop may follow a number; in 2.13.0, a version, another part does.
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*\.\d+(?:e[+-]?\d+)?(?!\d|\.\d)")

DRAWS = {
    "torch.randn": r"\brandn(?:_like)?\b",
    "torch.normal": r"\btorch\.normal\b|\b\w*normal_\b|\.(?:exponential|cauchy|geometric)_\b",
    "torch.distributions": r"\btorch\.distributions\b",
    "numpy's normal numbers": r"\bstandard_normal\b|(?<!torch)\.normal\(|\.exponential\(",
    "Python's normal numbers": r"\.gauss\(|\bnormalvariate\b",
}
ENGINES = {
    "sets an engine by name": r"\.engine\s*=[^=]|\bsetattr\(.*[\"']engine[\"']|\b_set_qengine\b",
    "trusts the list of engines": r"\.supported_engines\b",
}
PACK = {"quantize_dynamic", "convert_fx", "tq.convert", "linear_prepack", "conv2d_prepack"}
CHOOSE = {"use_engine", "working_engines"}


def draws_are_the_same_everywhere(notebook: NotebookNode) -> Iterator[str]:
    """Normal numbers come from qlearn.course: torch's depend on the processor's instructions."""
    for index, cell in code_cells(notebook):
        for what, pattern in DRAWS.items():
            if re.search(pattern, cell.source):
                yield f"cell {index} draws by {what}: use normal of qlearn.course"


def engines_are_tried(notebook: NotebookNode) -> Iterator[str]:
    """An engine is one that was found to work: a list promises too much, a name may not exist."""
    for index, cell in code_cells(notebook):
        for what, pattern in ENGINES.items():
            if re.search(pattern, cell.source):
                yield f"cell {index} {what}: use_engine and working_engines of qlearn.machine try"


def engines_are_chosen(notebook: NotebookNode) -> Iterator[str]:
    """An engine is chosen before weights are packed: on a Mac none is set when torch starts."""
    for index, cell in code_cells(notebook):
        used = set(names(cell.source))
        if used & CHOOSE:
            return
        for name in sorted(used & PACK):
            yield f"cell {index} calls {name}, and no cell before it use_engine of qlearn.machine"


def names(source: str) -> Iterator[str]:
    """Yield the names in code, but none that it imports; an attribute with and without its owner.

    >>> list(names("from a import b; c(d.e)"))
    ['c', 'e', 'd.e', 'd']
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield from (node.attr, ast.unparse(node))


def digits_hold(notebook: NotebookNode) -> Iterator[str]:
    """A number has six digits at most, unless it is exact, or its cell says that they are."""
    for index, cell in code_cells(notebook):
        if EXACT in tags(cell):
            continue
        for text in (text for output in cell.outputs for text in texts(output)):
            for number in NUMBER.findall(text):
                if len(significant(number)) > MOST_DIGITS and not is_short_binary(number):
                    yield (
                        f"cell {index} prints {number}: print {MOST_DIGITS} digits, or give the "
                        f"cell the tag {EXACT} if no sum and no library has a part in it"
                    )


def significant(number: str) -> str:
    """Return the significant digits of a number in print.

    >>> significant("-0.0120e-07")
    '120'
    """
    return number.lstrip("-").partition("e")[0].replace(",", "").replace(".", "").lstrip("0")


def is_short_binary(number: str) -> bool:
    """Tell whether all digits are printed of a binary number of at most twelve bits.

    >>> is_short_binary("0.99609375"), is_short_binary("0.10000000149011612")
    (True, False)
    """
    exact = Decimal(number.replace(",", ""))
    numerator, denominator = float(exact).as_integer_ratio()
    return Decimal(numerator) / denominator == exact and numerator.bit_length() <= 12


def marks_have_reasons(notebook: NotebookNode) -> Iterator[str]:
    """Each mark of a machine is one that machines.marks explains."""
    for index, cell in code_cells(notebook):
        mark = mark_of(tags(cell))
        if mark and mark not in MARKS:
            yield (
                f"cell {index} has the mark {mark}, and the reasons are for {', '.join(MARKS)}: "
                "take one of these, or add its reason to machines/marks.py"
            )


RULES: tuple[Rule, ...] = (
    draws_are_the_same_everywhere,
    engines_are_tried,
    engines_are_chosen,
    digits_hold,
    marks_have_reasons,
)
