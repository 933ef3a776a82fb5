"""The norms of a Llama's block, and the layers that read each."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from torch import nn

QUERIES_KEYS_VALUES = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
GATE_AND_UP = ("mlp.gate_proj", "mlp.up_proj")
READERS = {"input_layernorm": QUERIES_KEYS_VALUES, "post_attention_layernorm": GATE_AND_UP}


def norms_and_readers(block: nn.Module) -> Iterator[tuple[nn.RMSNorm, list[nn.Linear]]]:
    """Yield each norm of a block with the linear layers that read it."""
    for norm, readers in READERS.items():
        yield getattr(block, norm), [attrgetter(reader)(block) for reader in readers]
