"""The table of what was measured of the layers, as text."""

import pytest
import torch

from qlearn.models.rows import COLUMNS, LayerRow, LayerTable

FIRST = LayerRow("conv1", 41.6, 40.0, 0.0123, 0.5, 0.25, 3.0, 2.0, torch.zeros(2))
SECOND = FIRST._replace(name="head.classifier", own=9.4)


def test_a_row_for_each_layer_in_columns_of_one_width():
    title, *rows = str(LayerTable([FIRST, SECOND])).splitlines()
    assert title.split() == " ".join(COLUMNS).split()
    assert [row.split() for row in rows] == [
        ["conv1", "42", "40", "1.2%", "50%", "25%", "3", "2"],
        ["head.classifier", "9", "40", "1.2%", "50%", "25%", "3", "2"],
    ]
    assert len({len(line) for line in (title, *rows)}) == 1


def test_columns_and_form_are_chosen():
    table = LayerTable([FIRST])
    assert table.text(lambda number, spec: "x", ["clipped"]) == "       clipped\nconv1        x"
    with pytest.raises(ValueError, match="a column .*'bits'"):
        table.text(columns=["bits"])


def test_no_layers_leave_the_titles():
    assert str(LayerTable()).split() == " ".join(COLUMNS).split()
