"""The migration table knows every old call that the book and its notes make."""

import ast
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest

BOOK = Path(__file__).resolve().parents[2] / "book"
CHAPTER = BOOK / "today" / "torchao_and_pt2e.ipynb"
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
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    shown = [out.data["text/markdown"] for out in outputs if "text/markdown" in out.get("data", {})]
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


@cache
def book_calls() -> dict[str, set[str]]:
    """The old calls of each chapter, which is not this one."""
    calls = {}
    for path in sorted(BOOK.rglob("*.ipynb")):
        if path != CHAPTER and ".ipynb_checkpoints" not in path.parts:
            cells = nbformat.read(path, as_version=4).cells
            code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
            calls[path.stem] = old_calls(code)
    return calls


def missing(names, text: str) -> list[str]:
    wanted = {SAME_ROW.get(name, name) for name in names}
    return sorted(n for n in wanted if not re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text))


@pytest.fixture(scope="module")
def text() -> str:
    return table(nbformat.read(CHAPTER, as_version=4))


@pytest.mark.parametrize("chapter", book_calls())
def test_each_old_call_of_a_chapter_is_in_the_table(text, chapter):
    assert missing(book_calls()[chapter], text) == []


def test_each_old_call_of_the_notes_is_in_the_table(text):
    assert missing(NOTES, text) == []


def test_a_call_that_is_not_there_is_seen(text):
    code = "from torch.ao.quantization import quantize_all as q\ntorch.ops.quantized.cube(1)"
    assert missing(old_calls(code), text) == ["cube", "quantize_all"]
    assert old_calls("from torch.ao import quantization as t\nt.prepare(1)") == {"prepare"}
    assert old_calls("import torch.ao.quantization as t\nt.convert(1)") == {"convert"}
    assert old_calls("torch.quantize_per_tensor(x).int()") == {"quantize_per_tensor"}
