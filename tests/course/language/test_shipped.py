"""The shipped model: its file, its parameters, and what it foresees."""

from __future__ import annotations

import pytest
import torch

from qlearn import load_language_model, load_language_text
from qlearn.course.language.memory import KeyValueCache
from qlearn.course.language.rounded_cache import ByteByByte
from qlearn.course.language.shipped import TARGET, from_planes, planes
from qlearn.language import bits_per_byte

MOST = 2_500_000  # bytes of the file


def test_the_file_is_small() -> None:
    assert TARGET.stat().st_size <= MOST


def test_the_model_is_ready_to_use() -> None:
    model = load_language_model()
    assert not model.training
    assert sum(p.numel() for p in model.parameters()) == 1_115_264
    for name, tensor in model.state_dict().items():
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, tensor.bfloat16().float()), name
        assert tensor.isfinite().all(), name


def test_loading_leaves_random_numbers_alone() -> None:
    before = torch.get_rng_state()
    model = load_language_model()
    assert torch.equal(torch.get_rng_state(), before)
    assert all(p.device.type == "cpu" and p.requires_grad for p in model.parameters())


def test_two_calls_give_two_models() -> None:
    first, second = load_language_model(), load_language_model()
    with torch.no_grad():
        first.norm.weight.zero_()
    assert second.norm.weight.any()


def test_it_foresees_text_that_it_has_not_seen() -> None:
    model, text = load_language_model(), load_language_text("held_out")[:4096]
    assert 1.0 < bits_per_byte(model, text) < 1.6  # bz2 needs 2.3 for it
    assert bits_per_byte(model, bytes(reversed(text))) > 3


def test_byte_by_byte_it_says_the_same() -> None:
    model = load_language_model()
    tokens = torch.tensor(list(load_language_text("held_out")[:256]))[None]
    with torch.no_grad():
        found = ByteByByte(model, KeyValueCache)(tokens)
        # Logits reach 20; four layers of float32 sums in another order.
        torch.testing.assert_close(found, model(tokens), rtol=0, atol=1e-4)


def test_planes_hold_every_bit() -> None:
    codes = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16)
    numbers = codes.view(torch.bfloat16)
    kept = numbers[~numbers.isnan()]
    stored = planes(kept.float())
    assert stored.shape == (2, len(kept))
    assert torch.equal(from_planes(stored).bfloat16().view(torch.int16), kept.view(torch.int16))


@pytest.mark.parametrize("plane", [0, 1])
def test_a_changed_plane_is_another_number(plane) -> None:
    stored = planes(torch.ones(3))
    stored[plane, 1] ^= 1
    assert (from_planes(stored) == 1).tolist() == [True, False, True]
