"""GPTQ against the optimal-brain step, AWQ against torchao's observer, and bits for each byte."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from proofs.draw import Draw
from proofs.inputs import values
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import awq_scales, bits_per_byte, gptq
from qlearn.formats.groups import group_codes, group_qparams

CHAPTER = "language/weights"
WINDOW = 256


def layer(draw: Draw) -> tuple[Tensor, Tensor, int]:
    """Return a weight, inputs of which some channels are loud or depend on others, and a width."""
    groups, size = draw.integer(1, 4), draw.choice([2, 4, 8, 16])
    k = groups * size
    inputs = draw.normal(draw.integer(1, 3 * k), k)
    if draw.chance(0.5):
        inputs = inputs @ (torch.eye(k) + draw.normal(k, k) / k + 0.5)
    loud = draw.codes((k,), torch.int64, 0, 9) == 0
    inputs = torch.where(loud, inputs * draw.choice([0.0, 1.0, 30.0]), inputs)
    return draw.normal(draw.integer(1, 12), k) * draw.power_of_ten(-2, 1), inputs, size


def gram(inputs: Tensor) -> Tensor:
    """Return XᵀX in float64."""
    rows = inputs.double()
    return rows.T @ rows


def damped(hessian: Tensor, damp: float) -> Tensor:
    """Return it with a share of its diagonal's mean added, and 1 where that leaves a 0."""
    more = damp * hessian.diagonal().mean() * torch.eye(len(hessian), dtype=torch.float64)
    hessian = hessian + more
    return hessian + torch.diag((hessian.diagonal() == 0).double())


@proof(
    "gptq",
    "Hassibi and Stork's step for each column, with torch.linalg.inv of what is left",
    quick=60,
)
def codes_by_a_fresh_inverse(draw: Draw) -> tuple[Any, Any]:
    """Compare codes and scales: groups and whole rows, 1 to 8 bits, few rows, dead columns."""
    weight, inputs, size = layer(draw)
    bits, damp = draw.integer(1, 8), draw.choice([0.01, 0.1, 1.0])
    size = draw.choice([size, weight.shape[1]])
    found = gptq(weight, inputs, bits=bits, group_size=size, damp=damp)
    hessian = damped(gram(inputs), damp)
    rest, codes, scales = weight.double(), [], []
    for i in range(weight.shape[1]):
        if i % size == 0:
            ends = rest[:, i : i + size].float().aminmax(dim=1, keepdim=True)
            scale, zero = group_qparams(*ends, bits=bits, symmetric=True)
            scales.append(scale)
        inverse = torch.linalg.inv(hessian[i:, i:])
        code = group_codes(rest[:, i : i + 1].float(), scale, zero, bits=bits)
        error = (rest[:, i : i + 1] - code * scale) / inverse[0, 0]
        rest[:, i:] -= error * inverse[0]
        codes.append(code)
    return (found.codes, found.scales), (torch.cat(codes, 1), torch.cat(scales, 1))


@proof(
    "awq_scales",
    "torchao's AWQObserver with IntxWeightOnlyConfig",
    quick=20,
    package="torchao",
)
def scales_of_the_observer(draw: Draw) -> tuple[Any, Any]:
    """Compare the factors, all bits: loud, dead and ordinary channels, 2 to 8 bits."""
    from proofs.torchao_quietly import torchao

    # isort: split
    from torchao.prototype.awq.core import AWQObserver

    weight, inputs, size = layer(draw)
    bits = draw.integer(2, 8)
    dtype = getattr(torch, f"int{bits}")
    observer = AWQObserver(
        weight, None, torchao.IntxWeightOnlyConfig(dtype, torchao.PerGroup(size))
    )
    observer(inputs, inputs @ weight.T)
    return awq_scales(weight, inputs, bits=bits, group_size=size), observer.calculate_qparams()


class Running(nn.Module):
    """A model that adds up what each byte of a window says about the next."""

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.table = nn.Parameter(table)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return logits (batch, time, 256)."""
        return self.table[tokens].cumsum(1)


@proof(
    "bits_per_byte",
    "torch.nn.functional.cross_entropy in float64, window by window",
    quick=10,
    tolerance=1e-9,
    why="sums of up to 1,100 logarithms in another order",
)
def mean_surprise(draw: Draw) -> tuple[Any, Any]:
    """Compare texts of 1 byte to five windows, under a model that remembers its window."""
    model = Running(draw.normal(256, 256) / 16)
    text = bytes(draw.codes((draw.integer(1, 1100),), torch.int64, 0, 255).tolist())
    tokens, total = torch.tensor([10, *text]), 0.0
    for start in range(0, len(text), WINDOW):
        before = tokens[start : min(start + WINDOW, len(text))]
        with torch.no_grad():
            logits = model(before[None])[0].double()
        coming = tokens[start + 1 : start + 1 + len(before)]
        total += cross_entropy(logits, coming, reduction="sum").item()
    found = torch.tensor(bits_per_byte(model, text))
    return found, torch.tensor(total / len(text) / torch.log(torch.tensor(2.0).double()).item())


def with_inputs(n: int) -> tuple[Tensor, Tensor]:
    """Return a weight of n numbers in rows of 100, and inputs that make twice as many outputs."""
    return values(n)[0].reshape(-1, 100), values(20_000)[0].reshape(-1, 100)


SMALL = {
    "weight": torch.tensor([[0.4, 0.4, -7.5, 1.0], [0.3, -0.2, 0.1, 2.0]]),
    "inputs": torch.tensor([[1.0, 1.0, 0.0, 0.5], [0.0, 0.5, 1.0, -1.0]]),
    "bits": 4,
    "group_size": 2,
}
public("gptq", CHAPTER, {**SMALL, "damp": 0.01}, Large("a scale for each row", with_inputs, gptq))
public(
    "awq_scales",
    CHAPTER,
    SMALL,
    Large("groups of 20", with_inputs, lambda w, x: awq_scales(w, x, group_size=20), between=2),
)
public(
    "bits_per_byte",
    CHAPTER,
    {"model": Running(torch.zeros(256, 256)), "text": b"Fellow-Citizens"},
    not_large="its time is the model's",
)
