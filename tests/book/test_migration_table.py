"""The migration tables know every old call that the book and its notes make.

The chapter has them in short, by hand. Its page to the bit has them as cells, which measure. What
the chapter calls equal is equal there.
"""

import ast
import re
from pathlib import Path

import nbformat
import pytest

from notebook_pipeline.outputs import outputs

BOOK = Path(__file__).resolve().parents[2] / "book"
CHAPTER = BOOK / "today" / "torchao_and_pt2e.ipynb"
MEASURED = BOOK / "today" / "torchao_and_pt2e_to_the_bit.ipynb"
OLD_MODULES = ("torch.ao.quantization", "torch.quantization", "torch.ao.nn.quantized")
OLD_FUNCTIONS = re.compile(
    r"quantize_per_\w+|_make_per_\w+|_empty_\w*quantized|fake_quantize_per\w+"
)
# Not calls but the modules that they are in
MODULES = {"observer", "quantize_fx", "utils", "qconfig", "functional", "dynamic", "quantization"}
# Calls whose row bears another name
SAME_ROW = {
    "MovingAveragePerChannelMinMaxObserver": "MovingAverageMinMaxObserver",
    "PerChannelMinMaxObserver": "default_per_channel_weight_observer",
    "default_observer": "MinMaxObserver",
    "default_histogram_observer": "HistogramObserver",
    "PlaceholderObserver": "default_dynamic_quant_observer",
    "get_default_qconfig_mapping": "get_default_qconfig",
    "get_default_qat_qconfig_mapping": "get_default_qat_qconfig",
    "fuse_modules_qat": "fuse_modules",
    "linear_relu": "linear",
    "linear_relu_dynamic": "linear_dynamic",
    "conv2d": "linear",
    "conv2d_relu": "linear",
    "conv2d_prepack": "linear_prepack",
    "qconfig_equals": "QConfig",
    "fake_quantize_per_tensor_affine_cachemask": "fake_quantize_per_tensor_affine",
    "_make_per_channel_quantized_tensor": "_make_per_tensor_quantized_tensor",
    "with_args": "QConfig",
    "save": "saved_and_loaded",
}
# Here a call has the same name in the chapter's table
IN_SHORT = SAME_ROW | {
    "PerChannelMinMaxObserver": "PerChannelMinMaxObserver",
    "save": "torch.save",
    "get_default_qat_qconfig_mapping": "get_default_qat_qconfig",
}
# Equal by the cell of the five observers, and by the file that is saved and loaded
MEASURED_ELSEWHERE = {
    "PerChannelMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "torch.save",
    "save",
}
# What the notes call that the book grew from; 000 to 004 in its tests of the seeds
NOTES = re.findall(
    r"\S+",
    """
quantize_per_tensor quantize_per_channel quantize_per_tensor_dynamic int_repr dequantize q_scale
q_zero_point _empty_affine_quantized _make_per_tensor_quantized_tensor permute copy_ save
QuantStub DeQuantStub get_default_qconfig fuse_modules prepare convert functional.linear
MinMaxObserver MovingAverageMinMaxObserver HistogramObserver default_weight_observer
weight_observer_range_neg_127_to_127 default_dynamic_quant_observer QConfig quantize_dynamic
default_dynamic_qconfig prepare_fx convert_fx nn.LSTM from_float linear_dynamic linear_prepack
prepare_qat float16
""",
)


def table(notebook) -> str:
    """What the tables show of the old stack: their first column and their remarks."""
    shown = [output.data["text/markdown"] for output in outputs(notebook, "text/markdown")]
    rows = [line.split(" | ") for line in "\n".join(shown).splitlines()]
    return "\n".join(f"{row[0]} {row[-1]}" for row in rows)


def old_calls(source: str) -> set[str]:
    """The names of the old stack that a piece of code uses."""
    found, aliases = set(), set(OLD_MODULES)
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(OLD_MODULES):
            found |= {alias.name for alias in node.names}
            aliases |= {alias.asname or alias.name for alias in node.names if alias.name in MODULES}
        if isinstance(node, ast.Import):
            named = [alias for alias in node.names if alias.name.startswith(OLD_MODULES)]
            aliases |= {alias.asname or alias.name for alias in named}
        if isinstance(node, ast.ImportFrom) and node.module == "torch.ao":
            aliases |= {alias.asname or alias.name for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            old = owner in aliases or owner == "torch.ops.quantized"
            if old or OLD_FUNCTIONS.fullmatch(node.attr):
                found.add(node.attr)
    return {name for name in found - MODULES if not name.startswith("__")}


def others() -> dict[str, Path]:
    """The chapters that are not one of these two."""
    paths = sorted(BOOK.rglob("*.ipynb"))
    return {
        path.stem: path
        for path in paths
        if path not in (CHAPTER, MEASURED) and ".ipynb_checkpoints" not in path.parts
    }


def calls_of(path: Path) -> set[str]:
    """The old calls of a chapter."""
    cells = nbformat.read(path, as_version=4).cells
    return old_calls("\n".join(cell.source for cell in cells if cell.cell_type == "code"))


def missing(names, text: str, rows=SAME_ROW) -> list[str]:
    wanted = {rows.get(name, name) for name in names}
    return sorted(n for n in wanted if not re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text))


def rows_in_short(markdown: str) -> list[list[str]]:
    """The rows of three columns, old, new and what changes, without their heads."""
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    rows = [[part.strip() for part in line.strip("|").split("|")] for line in lines]
    assert markdown.count("| old | new | compared |") == 3
    return [row for row in rows if len(row) == 3 and row[0] != "old"]


def names_in(cell: str) -> set[str]:
    """The last parts of the names in code, such as `add` for `torch.ops.quantized.add`."""
    return {found.split(".")[-1] for found in re.findall(r"`([\w.]+)`", cell)}


@pytest.fixture(scope="module")
def text() -> str:
    return table(nbformat.read(MEASURED, as_version=4))


@pytest.fixture(scope="module")
def short() -> list[list[str]]:
    (found,) = (
        cell.source
        for cell in nbformat.read(CHAPTER, as_version=4).cells
        if "(migrate-table)=" in cell.source
    )
    return rows_in_short(found)


@pytest.mark.parametrize("chapter", others())
def test_each_old_call_of_a_chapter_is_in_both_tables(text, short, chapter):
    calls = calls_of(others()[chapter])
    assert missing(calls, text) == []
    assert missing(calls, "\n".join(row[0] for row in short), IN_SHORT) == []


def test_each_old_call_of_the_notes_is_in_both_tables(text, short):
    assert missing(NOTES, text) == []
    assert missing(NOTES, "\n".join(row[0] for row in short), IN_SHORT) == []


def measured_as_equal() -> set[str]:
    """The old names of all measured rows that say that the two are equal, or but for ties."""
    shown = outputs(nbformat.read(MEASURED, as_version=4), "text/markdown")
    text = "\n".join(output.data["text/markdown"] for output in shown)
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()]
    equal = [row[0] for row in rows if re.search(r"\bequal\b|less than 1 % differ", row[-1])]
    return {name for old in equal for name in re.findall(r"\w+", old)}


def test_what_the_chapter_calls_equal_was_measured_so(short):
    measured = measured_as_equal()
    claimed = [row for row in short if row[2].startswith("equal")]
    assert len(claimed) > 6
    for old, _, _ in claimed:
        unmeasured = {IN_SHORT.get(name, name) for name in names_in(old)} - measured
        assert unmeasured <= MEASURED_ELSEWHERE, f"{old}: {sorted(unmeasured)}"


def test_a_call_that_is_not_there_is_seen(text):
    code = "from torch.ao.quantization import quantize_all as q\ntorch.ops.quantized.cube(1)"
    assert missing(old_calls(code), text) == ["cube", "quantize_all"]
    assert old_calls("from torch.ao import quantization as t\nt.prepare(1)") == {"prepare"}
    assert old_calls("import torch.ao.quantization as t\nt.convert(1)") == {"convert"}
    assert old_calls("torch.quantize_per_tensor(x).int()") == {"quantize_per_tensor"}


def test_a_measured_difference_is_no_equality():
    measured = measured_as_equal()
    assert "linear_dynamic" not in measured and "MinMaxObserver" in measured
