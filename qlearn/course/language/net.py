"""A small Llama: bytes in, for each of them the logits of the byte that follows."""

from __future__ import annotations

import torch
from jaxtyping import Float32, Int64
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention, silu

from qlearn.course.language.memory import KeyValueCache
from qlearn.language.quantized_cache import Cache

BYTES = 256  # what a byte can be: the vocabulary
CONTEXT = 256  # bytes that the model was trained to look at
WIDTH, LAYERS, HEADS, HIDDEN = 128, 4, 4, 512
BASE = 10_000.0  # of the rotary positions: how slowly the last pair of channels turns


class SelfAttention(nn.Module):
    """Each byte asks (queries) the bytes so far (keys), and takes from them (values)."""

    def __init__(self) -> None:
        super().__init__()
        self.q_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.k_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.v_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.o_proj = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(
        self, x: Float32[Tensor, "batch time width"], cache: Cache, layer: int
    ) -> Float32[Tensor, "batch time width"]:
        """Return for each byte what it takes from itself and the bytes before it."""
        batch, time, _ = x.shape
        split = (batch, time, HEADS, WIDTH // HEADS)
        q, k, v = (
            project(x).view(split).transpose(1, 2)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        start = cache.tokens(layer)
        q, k = rotary(q, start), rotary(k, start)
        k, v = cache.append(layer, k, v)
        allowed = torch.ones(time, start + time, dtype=torch.bool).tril(start)
        mixed = scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        return self.o_proj(mixed.transpose(1, 2).reshape(batch, time, WIDTH))


class MLP(nn.Module):
    """SwiGLU: one layer's output, bent by SiLU, opens and shuts the gates for another's."""

    def __init__(self) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.up_proj = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down_proj = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x: Float32[Tensor, "*batch width"]) -> Float32[Tensor, "*batch width"]:
        """Return what the layer adds to each byte's state."""
        return self.down_proj(silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    """Attention, then the MLP; each reads the state through a norm and adds to it."""

    def __init__(self) -> None:
        super().__init__()
        self.input_layernorm = nn.RMSNorm(WIDTH, eps=1e-5)
        self.self_attn = SelfAttention()
        self.post_attention_layernorm = nn.RMSNorm(WIDTH, eps=1e-5)
        self.mlp = MLP()

    def forward(
        self, x: Float32[Tensor, "batch time width"], cache: Cache, layer: int
    ) -> Float32[Tensor, "batch time width"]:
        """Return the state of each byte, with what this layer found added."""
        x = x + self.self_attn(self.input_layernorm(x), cache, layer)
        return x + self.mlp(self.post_attention_layernorm(x))


class LanguageModel(nn.Module):
    """Tell from bytes which byte comes next.

    The parts and their names are those of Llama (Touvron et al., arXiv 2302.13971): RMSNorm, rotary
    positions, SwiGLU, no biases; 1,115,264 parameters.

    >>> LanguageModel()(torch.tensor([list(b"Fellow-Citizens")])).shape
    torch.Size([1, 15, 256])
    """

    def __init__(self) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(BYTES, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH, eps=1e-5)
        self.lm_head = nn.Linear(WIDTH, BYTES, bias=False)

    def forward(
        self, tokens: Int64[Tensor, "batch time"], cache: Cache | None = None
    ) -> Float32[Tensor, "batch time 256"]:
        """Return the logits of the byte after each of ``tokens``.

        Args:
            tokens: bytes as numbers from 0 to 255.
            cache: keys and values of the bytes before these; those of these are appended.
        """
        cache = KeyValueCache() if cache is None else cache
        x = self.embed_tokens(tokens)
        for i, layer in enumerate(self.layers):
            x = layer(x, cache, i)
        return self.lm_head(self.norm(x))


def rotary(
    x: Float32[Tensor, "batch heads time channels"], start: int
) -> Float32[Tensor, "batch heads time channels"]:
    """Turn each pair of channels by an angle that grows with the byte's position.

    The scalar product of a query and a key then depends on how far apart the two are.
    """
    half = x.shape[-1] // 2
    slower = BASE ** (-torch.arange(half) / half)
    angles = torch.arange(start, start + x.shape[-2])[:, None] * slower
    first, second = x.chunk(2, -1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)
