"""Keys with loud channels, made without changing what the model computes in float."""

from __future__ import annotations

import copy
from typing import Any

import torch

from qlearn.course.language.net import HEADS, WIDTH, LanguageModel

SIZE = WIDTH // HEADS  # channels of a head
PAIRS = (3, 11)  # of the 16 in a head; any others would do


def with_loud_keys(
    model: LanguageModel, factor: float, *, pairs: tuple[int, ...] = PAIRS
) -> LanguageModel:
    """Return a copy in which some channels of each head's keys are ``factor`` times as large.

    The queries' channels that meet them are divided, so no score changes: in float the outputs stay
    the same, with a power of two in every bit. Rotary positions turn channels i and i + 16 of a
    head into each other, so both of a pair get the factor: a turn and a factor may then change
    places.

    Raises:
        ValueError: a head has no such pair.

    Large models have such channels by themselves (Hooper et al., KVQuant, arXiv 2401.18079).
    """
    half = SIZE // 2
    if not set(pairs) <= set(range(half)):
        raise ValueError(f"pairs are {pairs}, but a head has the pairs 0 to {half - 1}")
    rows = loud_rows(pairs)
    changed: Any = copy.deepcopy(model)
    with torch.no_grad():
        for layer in changed.layers:
            layer.self_attn.k_proj.weight[rows] *= factor
            layer.self_attn.q_proj.weight[rows] /= factor
    return changed


def loud_rows(pairs: tuple[int, ...] = PAIRS) -> list[int]:
    """Return the rows of the projections that make these pairs' channels, head by head.

    >>> loud_rows((3,))[:4]
    [3, 19, 35, 51]
    """
    half = SIZE // 2
    places = [place for pair in pairs for place in (pair, pair + half)]
    return [head * SIZE + place for head in range(HEADS) for place in places]
