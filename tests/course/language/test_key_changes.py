"""Changes of keys: each is what its name says, against the functions of qlearn and by hand."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from qlearn import E4M3FN, E5M2, quantize_groups
from qlearn.course import normal
from qlearn.course.language.key_changes import (
    before_rotary,
    in_codes,
    in_float8,
    in_groups,
    turned_back,
)
from qlearn.course.language.net import rotary


@pytest.fixture
def keys() -> Tensor:
    return normal(2, 3, 24, 8, generator=torch.Generator().manual_seed(0))


def test_codes_of_tokens_and_channels(keys) -> None:
    token = quantize_groups(keys, bits=3, group_size=8).dequantize()
    assert torch.equal(in_codes(3, "token")(keys), token)
    assert torch.equal(in_groups(3, 8, axis=-1)(keys), token)
    assert torch.equal(in_codes(3, "channel")(keys), in_groups(3, 24)(keys))
    assert not torch.equal(in_groups(3, 12)(keys), in_groups(3, 24)(keys))


def test_groups_may_have_a_zero_point(keys) -> None:
    shifted = keys + 10
    symmetric, affine = (in_groups(4, 12, symmetric=s)(shifted) for s in (True, False))
    assert (symmetric - shifted).abs().max() > 0.5 > (affine - keys - 10).abs().max()


@pytest.mark.parametrize("kind", [E4M3FN, E5M2])
def test_float8_is_torchs(keys, kind) -> None:
    dtype = {E4M3FN: torch.float8_e4m3fn, E5M2: torch.float8_e5m2}[kind]
    assert torch.equal(in_float8(scaled=False, kind=kind)(keys), keys.to(dtype).float())
    scale = keys.abs().max() / torch.finfo(dtype).max
    expected = (keys / scale).to(dtype).float() * scale
    assert torch.equal(in_float8(kind=kind)(keys), expected)


def test_turned_back_is_as_before(keys) -> None:
    torch.testing.assert_close(turned_back(rotary(keys, 0)), keys)
    torch.testing.assert_close(before_rotary(lambda x: x)(keys), keys)
    torch.testing.assert_close(before_rotary(torch.round)(rotary(keys, 0)), rotary(keys.round(), 0))
