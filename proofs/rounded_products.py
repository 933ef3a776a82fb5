"""Products of codes against NumPy's float32 and integers, and LLM.int8() of floats in float64."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.ao.quantization.fx._decomposed import choose_qparams_per_token

from proofs.draw import Draw
from proofs.inputs import activations
from proofs.outliers import large_layer
from proofs.per_token import draw_rows
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import codes_and_step, decomposed_product, rounded_product

CHAPTER = "language/activations"
TINY = np.finfo(np.float32).tiny
X = torch.tensor([[1.0, -0.5, 60.0], [0.25, 1.0, -2.0]])
# With at most 64 inputs, sums of products of these codes stay within 2^24.
BITS = [(8, 8), (8, 4), (4, 8), (4, 4), (2, 3), (3, 2), (7, 5), (16, 4), (4, 16), (12, 8)]


def by_numpy(x: Tensor, bits: int, *, rows: bool) -> tuple[Any, Any]:
    """Return codes and step, by NumPy's float32."""
    numbers = x.numpy()
    size = np.max(np.abs(numbers), axis=-1 if rows else None, keepdims=rows)
    step = np.maximum(size / np.float32(2 ** (bits - 1) - 1), TINY)
    return np.rint(numbers / step), step


@proof("codes_and_step", "NumPy's float32 quotients and rint")
def codes_by_numpy(draw: Draw) -> tuple[Any, Any]:
    """Compare codes and steps of 2 to 16 bits, for rows and for all, denormal numbers too."""
    x = draw_rows(draw, draw.integer(1, 9), draw.integer(1, 30)) * draw.choice([1.0, 1.0, 1e-32])
    bits, rows = draw.integer(2, 16), draw.chance(0.6)
    codes, step = by_numpy(x, bits, rows=rows)
    return codes_and_step(x, bits, rows=rows), (torch.from_numpy(codes), torch.as_tensor(step))


@proof("codes_and_step", "torch's quantized_decomposed.choose_qparams_per_token")
def steps_of_torch(draw: Draw) -> tuple[Any, Any]:
    """Compare the steps of tokens with a number of at least 1e-5, for eight bits."""
    x = draw_rows(draw, draw.integer(1, 20), draw.integer(2, 40))
    x[:, 0] = torch.tensor([draw.power_of_ten(-5, 9) for _ in x])
    theirs: Any = choose_qparams_per_token(x, torch.int8)
    return codes_and_step(x, 8, rows=True)[1], theirs[0]


@proof("rounded_product", "NumPy's codes, and their products summed in int64")
def product_by_integers(draw: Draw) -> tuple[Any, Any]:
    """Compare every output: a scale for each token or one, several pairs of bits."""
    k, (bits, weight_bits) = draw.integer(1, 64), draw.choice(BITS)
    x, weight = draw_rows(draw, draw.integer(1, 20), k), draw_rows(draw, draw.integer(1, 20), k)
    tokens = draw.chance(0.5)
    product = rounded_product(bits, weight_bits, scales="token" if tokens else "tensor")
    codes, step = by_numpy(x, bits, rows=tokens)
    weight_codes, weight_step = by_numpy(weight, weight_bits, rows=True)
    sums = codes.astype(np.int64) @ weight_codes.astype(np.int64).T
    wanted = sums.astype(np.float32) * (step * weight_step.T)
    # Integers have no −0.0, as a sum of products of codes may be in float32.
    return product(x, weight) + 0.0, torch.from_numpy(wanted) + 0.0


@proof(
    "decomposed_product",
    "its rule in float64, with NumPy's codes",
    tolerance=72 * 2.0**-24,
    why="float32 rounds sums of up to 70 products, and twice more; the largest sum of sizes is 1",
)
def columns_apart(draw: Draw) -> tuple[Any, Any]:
    """Compare the outputs, divided by the largest sum of sizes: no loud columns, or some."""
    m, k, n = draw.integer(1, 40), draw.integer(2, 70), draw.integer(1, 40)
    x, weight = draw.normal(m, k), draw.normal(n, k) * draw.scale(3)
    x[:, torch.randperm(k, generator=draw.generator)[: draw.integer(0, 3)]] *= 20
    threshold, bits = draw.choice([1.0, 6.0, 20.0, math.inf]), draw.integer(2, 8)
    loud = [(abs(column) >= threshold).any() for column in x.numpy().T]
    quiet = torch.tensor([0.0 if each else 1.0 for each in loud])
    codes, step = by_numpy(x * quiet, bits, rows=True)
    weight_codes, weight_step = by_numpy(weight * quiet, bits, rows=True)
    # Loud numbers as they are, quiet ones by their codes; in each column one of the two is 0.
    meant = torch.from_numpy(codes * np.float64(step)) + x.double() * (1 - quiet)
    of_weight = torch.from_numpy(weight_codes * np.float64(weight_step)) + weight.double() * (
        1 - quiet
    )
    size = (meant.abs() @ of_weight.abs().T).max()
    ours = decomposed_product(threshold, bits=bits)(x, weight)
    return ours.double() / size, meant @ of_weight.T / size


public(
    "codes_and_step",
    CHAPTER,
    {"x": X, "bits": 8, "rows": True},
    Large("rows", activations, lambda x: codes_and_step(x, 8, rows=True)),
    Large("all", activations, lambda x: codes_and_step(x, 8, rows=False)),
)
public(
    "rounded_product",
    CHAPTER,
    {"bits": 8, "weight_bits": 4, "scales": "tensor"},
    Large("tokens", large_layer, lambda rows, weight: rounded_product(8)(rows, weight)),
)
public(
    "decomposed_product",
    CHAPTER,
    {"threshold": 6.0, "bits": 8},
    Large("", large_layer, lambda rows, weight: decomposed_product(6.0)(rows, weight)),
)
