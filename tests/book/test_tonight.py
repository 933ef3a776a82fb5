"""What the chapter "Quantize a model tonight" says and its cells do not show."""

from __future__ import annotations

import copy
import logging
from pathlib import Path

import pytest
import torch
from torch import nn

from qlearn.course.digits.vit import DigitsViT, trained_digits_vit
from tests.probes import Probe

logging.disable(logging.WARNING)
from torchao.quantization import (  # noqa: E402 - its import logs
    Int4WeightOnlyConfig,
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    quantize_,
)

logging.disable(logging.NOTSET)

LOAD = """import torch{}
try:
    print(type(torch.load({!r}, weights_only=True)["head.weight"]))
except Exception as error:
    print(error)
"""


@pytest.fixture(scope="module")
def state() -> dict[str, torch.Tensor]:
    vit = trained_digits_vit()
    quantize_(vit, Int8WeightOnlyConfig())
    return vit.state_dict()


def test_a_file_is_loaded_where_torchao_was_imported(
    state: dict[str, torch.Tensor], tmp_path: Path, probe: Probe
) -> None:
    file = str(tmp_path / "vit.pt")
    torch.save(state, file)
    assert "<class 'torchao.quantization.Int8Tensor'>" in probe(LOAD.format(", torchao", file))
    refused = "Unsupported global: GLOBAL torchao.quantization.Int8Tensor"
    assert refused in probe(LOAD.format("", file))


def test_a_state_is_assigned_and_not_copied(state: dict[str, torch.Tensor]) -> None:
    with pytest.raises(RuntimeError, match="Error.* in loading state_dict"):
        DigitsViT().load_state_dict(state)
    DigitsViT().load_state_dict(state, assign=True)


def test_four_bits_are_packed_for_graphics_cards_alone() -> None:
    with pytest.raises((ImportError, AssertionError, RuntimeError, NotImplementedError)):
        quantize_(nn.Sequential(nn.Linear(128, 128)), Int4WeightOnlyConfig())


def test_last_bits_of_a_float_move_the_dynamic_vit_by_tenths_of_a_decibel() -> None:
    generator = torch.Generator().manual_seed(0)
    vit, images = trained_digits_vit(), torch.rand(8, 1, 8, 8, generator=generator)
    dynamic = copy.deepcopy(vit)
    quantize_(dynamic, Int8DynamicActivationInt8WeightConfig())
    with torch.no_grad():
        moved = (dynamic(images * (1 + 2**-22)) - dynamic(images)).abs().max()
        moved_in_float = (vit(images * (1 + 2**-22)) - vit(images)).abs().max()
    assert moved > 100 * moved_in_float
