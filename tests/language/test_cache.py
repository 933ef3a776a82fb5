"""Quantized caches: what a scale belongs to, and what a loud channel does to the others."""

from __future__ import annotations

import pytest
import torch

from qlearn import quantize_groups
from qlearn.course import normal
from qlearn.language import quantize_cache


def test_a_scale_for_each_channel_or_token() -> None:
    keys = normal(2, 4, 24, 16, generator=torch.Generator().manual_seed(0))
    channel = quantize_cache(keys, bits=4, axis="channel")
    token = quantize_cache(keys, bits=4, axis="token")
    assert channel.scales.shape == (2, 4, 1, 16)
    assert token.scales.shape == (2, 4, 24, 1)
    assert torch.equal(token.codes, quantize_groups(keys, group_size=16).codes)
    turned = quantize_groups(keys.transpose(-1, -2), group_size=24)
    assert torch.equal(channel.codes, turned.codes.transpose(-1, -2))
    assert torch.equal(channel.dequantize(), turned.dequantize().transpose(-1, -2))


def test_a_loud_channel_spoils_tokens_and_no_other_channel() -> None:
    keys = normal(64, 32, generator=torch.Generator().manual_seed(1))
    keys[:, 5] *= 30
    errors = {
        axis: (quantize_cache(keys, bits=4, axis=axis).dequantize() - keys)[:, :5].norm()
        for axis in ("channel", "token")
    }
    assert errors["channel"] < errors["token"] / 5


def test_a_new_token_changes_no_other() -> None:
    values = normal(9, 16, generator=torch.Generator().manual_seed(2))
    before = quantize_cache(values[:8], bits=8, axis="token")
    after = quantize_cache(values, bits=8, axis="token")
    assert torch.equal(after.codes[:8], before.codes)


def test_what_does_not_fit_is_said() -> None:
    keys = torch.ones(4, 8)
    with pytest.raises(ValueError, match="axis must be 'channel' or 'token', not 'head'"):
        quantize_cache(keys, bits=4, axis="head")  # type: ignore[arg-type]
    for empty in (keys[:0], keys[0]):
        with pytest.raises(ValueError, match=r"holds one token at least"):
            quantize_cache(empty, bits=4, axis="token")
    with pytest.raises(ValueError, match="x holds infinities or NaN"):
        quantize_cache(keys * torch.nan, bits=4, axis="channel")
    with pytest.raises(TypeError, match="x is a list"):
        quantize_cache([[1.0]], bits=4, axis="token")  # type: ignore[arg-type]
