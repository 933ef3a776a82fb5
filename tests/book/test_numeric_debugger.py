"""What PT2E's numeric debugger takes for a result, and what stops it."""

from __future__ import annotations

import copy
import logging
import warnings

import pytest
import torch
from torch import nn

from tests.book.provoked import prepared

logging.disable(logging.WARNING)  # of what the import of torchao says
with warnings.catch_warnings(action="ignore"):
    import torchao.quantization.pt2e as pt2e
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e
logging.disable(logging.NOTSET)

pytestmark = pytest.mark.filterwarnings("ignore")


class Sized(nn.Module):
    """It reads a size in forward."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x.view(x.size(0), -1))


class Chunked(nn.Module):
    """It cuts its output into pieces."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a, b = self.layer(x.flatten(1)).chunk(2, dim=1)
        return a + b


def logged(model: nn.Module) -> list[dict]:
    """Return what passes in a float graph, and in the quantized one."""
    x = torch.linspace(-1, 1, 32).reshape(4, 2, 4)
    rows = ({0: torch.export.Dim.AUTO},)
    graph = torch.export.export(model.eval(), (x,), dynamic_shapes=rows).module()
    quantized = prepared(copy.deepcopy(graph))
    quantized(x)
    both = graph, convert_pt2e(quantized)
    loggers = [pt2e.prepare_for_propagation_comparison(each) for each in both]
    for each in loggers:
        each(x)
    return [pt2e.extract_results_from_loggers(each) for each in loggers]


def test_a_number_stops_the_comparison_until_it_is_left_out() -> None:
    found = logged(Sized())
    with pytest.raises(ValueError, match="sym_size") as stopped:
        pt2e.compare_results(*found)
    assert "must be a Tensor, list, tuple or dict, got: 4" in str(stopped.value.__cause__)
    left = [{k: v for k, v in f.items() if isinstance(v[2][0], torch.Tensor)} for f in found]
    assert any("linear" in k.name for k in pt2e.compare_results(*left))


def test_pieces_have_a_list_of_results() -> None:
    compared = pt2e.compare_results(*logged(Chunked()))
    [pieces] = [s.results[0].sqnr for s in compared.values() if isinstance(s.results[0].sqnr, list)]
    assert len(pieces) == 2
