"""A small model with PyTorch's attention, whose last layer is linear in name only."""

from __future__ import annotations

import torch
from torch import nn


class Attention(nn.Module):
    """Attention over so many channels, and a layer behind it."""

    def __init__(self, channels: int = 8, heads: int = 2, outputs: int = 4) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(channels, heads, batch_first=True)
        self.layer = nn.Linear(channels, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(self.attention(x, x, x)[0])
