"""Bits for each place of a window: their mean is that of the text."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from qlearn.course.language.by_position import bits_by_position
from qlearn.language import bits_per_byte


class Better(nn.Module):
    """Foresees zeros, and with each byte that it has seen a little better."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the logits."""
        logits = torch.zeros(*tokens.shape, 256)
        logits[..., 0] = torch.arange(tokens.shape[1]) / 50
        return logits


def test_their_mean_is_the_bits_for_each_byte() -> None:
    text = bytes(256 * 17)
    places = bits_by_position(Better(), text)
    assert places.shape == (256,)
    assert (places.diff() < 0).all()
    assert places[0] == pytest.approx(8)
    assert places.mean().item() == pytest.approx(bits_per_byte(Better(), text), rel=1e-12)


def test_what_bits_per_byte_refuses_is_refused() -> None:
    class Broken(Better):
        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return super().forward(tokens) * torch.nan

    with pytest.raises(ValueError, match="logits that are infinite or NaN"):
        bits_by_position(Broken(), bytes(256))
    with pytest.raises(TypeError, match=r"text is of type str"):
        bits_by_position(Better(), "a" * 256)  # type: ignore[arg-type]


def test_a_window_is_needed() -> None:
    with pytest.raises(ValueError, match="the text has 255 bytes: a window has 256"):
        bits_by_position(Better(), bytes(255))
