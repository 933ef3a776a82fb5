"""Loud channels of keys: they are loud, and the model computes what it did."""

from __future__ import annotations

import pytest
import torch

from qlearn.course.language.loud_keys import loud_rows, with_loud_keys
from qlearn.course.language.memory import KeyValueCache

TOKENS = torch.randint(256, (2, 30), generator=torch.Generator().manual_seed(1))


def test_with_a_power_of_two_every_bit_stays(model) -> None:
    with torch.no_grad():
        assert torch.equal(with_loud_keys(model, 8)(TOKENS), model(TOKENS))
        near = {"rtol": 0, "atol": 1e-5}  # 1/10 is rounded
        torch.testing.assert_close(with_loud_keys(model, 10)(TOKENS), model(TOKENS), **near)


def test_chosen_channels_are_loud_behind_rotary_positions_too(model) -> None:
    caches = KeyValueCache(), KeyValueCache()
    with torch.no_grad():
        model(TOKENS, caches[0])
        with_loud_keys(model, 8)(TOKENS, caches[1])
    for plain, loud in zip(caches[0].keys, caches[1].keys, strict=True):
        factors = (loud / plain).nan_to_num(nan=1.0).flatten(0, 2)
        expected = torch.ones(32)
        expected[[3, 11, 19, 27]] = 8
        assert torch.equal(factors, expected.expand_as(factors))
    assert torch.equal(caches[0].values[3], caches[1].values[3])


def test_the_model_itself_is_not_changed(model) -> None:
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    with_loud_keys(model, 8)
    assert all(torch.equal(before[name], t) for name, t in model.state_dict().items())


def test_rows_are_those_of_each_head() -> None:
    assert loud_rows((0, 5)) == [0, 16, 5, 21, 32, 48, 37, 53, 64, 80, 69, 85, 96, 112, 101, 117]


def test_a_pair_that_is_not_there_is_refused(model) -> None:
    with pytest.raises(ValueError, match="a head has the pairs 0 to 15"):
        with_loud_keys(model, 8, pairs=(16,))
