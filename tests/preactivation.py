"""A block of a pre-activation ResNet: the sum and the batch norm both read the convolution."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Preactivation(nn.Module):
    """With ``copies`` the norm reads a copy of what the convolution puts out."""

    def __init__(self, *, copies: bool) -> None:
        super().__init__()
        self.conv, self.norm, self.copies = nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2), copies
        self.norm.running_mean.copy_(torch.tensor([-1.0, 1]))
        self.eval()

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x)
        return y + self.norm(y.clone() if self.copies else y).relu()
