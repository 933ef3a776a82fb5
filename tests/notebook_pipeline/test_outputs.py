"""What a notebook shows under its cells is found in order, and by its kind."""

from __future__ import annotations

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from notebook_pipeline.outputs import outputs, texts

PRINTED = new_output("stream", text="1\n")
DRAWN = new_output("display_data", {"image/png": "", "text/plain": "<Figure>"})
FAILED = new_output("error", ename="E", evalue="no", traceback=["\x1b[0;31mE\x1b[0m: no"])
NOTEBOOK = new_notebook(
    cells=[
        new_code_cell("print(1)", outputs=[PRINTED]),
        new_markdown_cell("Text has no outputs."),
        new_code_cell("draw()", outputs=[DRAWN, FAILED]),
    ]
)


def test_all_outputs_come_in_order() -> None:
    assert outputs(NOTEBOOK) == [PRINTED, DRAWN, FAILED]


def test_outputs_of_a_kind_are_those_with_such_data() -> None:
    assert outputs(NOTEBOOK, "image/png") == [DRAWN]
    assert outputs(NOTEBOOK, "image/svg+xml") == []


def test_each_kind_of_output_has_its_text() -> None:
    assert [list(texts(output)) for output in outputs(NOTEBOOK)] == [
        ["1\n"],
        ["<Figure>"],
        ["no", "E: no"],
    ]
