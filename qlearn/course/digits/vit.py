"""A vision transformer that reads a digit as sixteen patches: most of it is linear layers."""

from __future__ import annotations

import torch
from jaxtyping import Float32
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from qlearn.course.digits.shipped import shipped_tensors

PATCH = 2  # pixels, so that 8 × 8 pixels are 4 × 4 patches
PATCHES = 16


class Attention(nn.Module):
    """Multi-head self-attention by two linear layers: queries, keys and values, and the output.

    ``nn.MultiheadAttention`` keeps the first of them as a bare parameter, which tools that look
    for linear layers do not find.
    """

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Float32[Tensor, "n tokens width"]) -> Float32[Tensor, "n tokens width"]:
        """Return for each token what it takes from all tokens."""
        n, tokens, width = x.shape
        parts = self.qkv(x).view(n, tokens, 3, self.heads, width // self.heads)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        mixed = scaled_dot_product_attention(queries, keys, values)
        return self.out(mixed.transpose(1, 2).reshape(n, tokens, width))


class Block(nn.Module):
    """One layer of the transformer: attention, then two linear layers, each added to its input."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Float32[Tensor, "n tokens width"]) -> Float32[Tensor, "n tokens width"]:
        """Return the tokens, each with what was found added to it."""
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class DigitsViT(nn.Module):
    """Tell which digit an image of 8 × 8 pixels shows, by ten logits.

    The architecture of Dosovitskiy et al., "An image is worth 16x16 words" (2021), made small:
    patches of 2 × 2 pixels become tokens, a class token goes before them, and its last state goes
    to the head.

    >>> DigitsViT()(torch.zeros(5, 1, 8, 8)).shape
    torch.Size([5, 10])
    """

    def __init__(self, width: int = 64, depth: int = 3, heads: int = 4):
        super().__init__()
        self.patches = nn.Conv2d(1, width, PATCH, stride=PATCH)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(0.02 * torch.randn(1, 1 + PATCHES, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 10)

    def forward(self, x: Float32[Tensor, "n 1 8 8"]) -> Float32[Tensor, "n 10"]:
        """Return the logits of ``n`` images."""
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        first = self.class_token.expand(len(x), -1, -1)
        tokens = torch.cat([first, tokens], dim=1) + self.positions
        return self.head(self.norm(self.blocks(tokens))[:, 0])


def trained_digits_vit() -> DigitsViT:
    """Return the network as ``data_makers/train_digits_vit.py`` trained it, in eval mode.

    >>> trained_digits_vit().training
    False
    """
    net = DigitsViT()
    stored = shipped_tensors("digits_vit")
    net.load_state_dict({name: tensor.to(torch.float32) for name, tensor in stored.items()})
    return net.eval()
