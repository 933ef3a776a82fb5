"""Three remedies for an outlier channel: against torchao, bitsandbytes and float64."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

import proofs.torchao_quietly  # noqa: F401 - imports torchao without its log
from proofs.draw import Draw
from proofs.inputs import BIAS, activations
from proofs.per_token import draw_rows
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import hadamard, linear_llm_int8, rotate, smooth_scales

CHAPTER = "language/activations"
WEIGHT = torch.tensor([[0.5, 1.0, 0.125], [-1.0, 0.25, 2.0]])
OF_BITSANDBYTES = 6.200124e-05  # where 1/127² is 6.2000124e-05


# ------------------------------------------------------------------------------------ SmoothQuant


@proof("smooth_scales", "torchao's SmoothQuantObserver", package="torchao")
def factors_of_torchao(draw: Draw) -> tuple[Any, Any]:
    """Compare the factors, with loud, silent and constant channels, and all strengths."""
    from torchao.prototype.smoothquant.core import SmoothQuantObserver

    n, k = draw.integer(1, 20), draw.integer(1, 40)
    weight = draw_rows(draw, k, n).T.contiguous()
    inputs = draw_rows(draw, k, draw.integer(1, 30)).T.contiguous()
    alpha = draw.choice([0.0, 0.25, 0.5, 0.75, 1.0])
    observer = SmoothQuantObserver(weight, alpha)
    observer(inputs)
    return smooth_scales(weight, inputs, alpha=alpha), observer.calculate_qparams()[0]


# ------------------------------------------------------------------------------------- LLM.int8()


def draw_layer(draw: Draw) -> tuple[Tensor, Tensor, Tensor | None, float]:
    """Return inputs of which some channels are loud, a weight, a bias or none, a threshold."""
    m, k, n = draw.integer(1, 40), draw.integer(2, 70), draw.integer(1, 40)
    x, weight = draw.normal(m, k), draw.normal(n, k) * draw.scale(3)
    loud = torch.randperm(k, generator=draw.generator)[: draw.integer(0, 3)]
    x[:, loud] *= 20
    bias = draw.normal(n) if draw.chance(0.5) else None
    return x, weight, bias, draw.choice([0.0, 1.0, 6.0, 20.0])


# Layers with one input have no place here: for a transposed weight of one column torch._int_mm
# writes nothing, and bitsandbytes returns what lay in memory.
@proof(
    "linear_llm_int8",
    "bitsandbytes' int8_vectorwise_quant and int8_mixed_scaled_mm on a CPU, with its 6.200124e-05",
    package="bitsandbytes",
)
def layer_of_bitsandbytes(draw: Draw) -> tuple[Any, Any]:
    """Compare every output, once 1/127² has bitsandbytes' digits."""
    import bitsandbytes  # noqa: F401 - registers the operators

    x, weight, bias, threshold = draw_layer(draw)
    operators: Any = torch.ops.bitsandbytes
    codes, sizes, columns = operators.int8_vectorwise_quant(x.clone(), threshold)
    of_weight, weight_sizes, _ = operators.int8_vectorwise_quant(weight.clone(), 0.0)
    theirs, _ = operators.int8_mixed_scaled_mm(
        x, codes, of_weight, sizes, weight_sizes, columns, bias
    )
    with patch("qlearn.language.llm_int8.OF_PRODUCT", OF_BITSANDBYTES):
        return linear_llm_int8(x, weight, bias, threshold=threshold), theirs


@proof(
    "linear_llm_int8",
    "its rule in float64",
    tolerance=16 * 2.0**-24,
    why="float32 rounds each output at most eight times on its way; the largest is made 1",
)
def layer_in_float64(draw: Draw) -> tuple[Any, Any]:
    """Compare the outputs, divided by the largest of them."""
    x, weight, bias, threshold = draw_layer(draw)
    wanted = in_float64(x, weight, threshold or torch.inf)
    if bias is not None:
        wanted += bias
    ours = linear_llm_int8(x, weight, bias, threshold=threshold)
    return ours.double() / wanted.abs().max(), wanted / wanted.abs().max()


def in_float64(x: Tensor, weight: Tensor, threshold: float) -> Tensor:
    """Return the layer's outputs: each a sum over quiet columns, and one over loud columns."""
    loud = (x.abs() >= threshold).any(0)
    codes, sizes = codes_of(x, threshold)
    meant, weight_sizes = codes_of(weight, torch.inf)
    quiet = (codes[:, ~loud] @ meant[:, ~loud].T) * sizes * weight_sizes.T / 127**2
    return quiet + x.double()[:, loud] @ (meant * weight_sizes / 127)[:, loud].T


def codes_of(rows: Tensor, threshold: float) -> tuple[Tensor, Tensor]:
    """Return the codes of each row in float64, and the largest size of its quiet numbers."""
    quiet = rows.masked_fill(rows.abs() >= threshold, 0.0)
    largest = quiet.abs().amax(1, keepdim=True)
    steps = torch.where(largest == 0, 0.0, 1 / largest * 127)  # rounded to float32, as in the rule
    return torch.round(quiet * steps).double(), largest.double()


# ---------------------------------------------------------------------------------------- rotation


@proof(
    "hadamard",
    "torchao's matmul_hadU_slow, which adds and subtracts in log₂ n steps",
    package="torchao",
    tolerance=1e-5,
    why="sums of up to 512 float32 products of normal numbers, in another order",
)
def rotated_rows(draw: Draw) -> tuple[Any, Any]:
    """Compare rows of 1 to 512 numbers, rotated."""
    from torchao.prototype.spinquant.hadamard_utils import matmul_hadU_slow

    x = draw.normal(draw.integer(1, 5), 2 ** draw.integer(0, 9))
    return x @ hadamard(x.shape[-1]), matmul_hadU_slow(x, None, 1)


class SmallLlama(nn.Module):
    """A decoder with Llama's parts and names, in which each token looks at the one before it."""

    def __init__(self, draw: Draw, vocabulary: int, width: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(SmallLayer(width, hidden) for _ in range(layers))
        self.norm = nn.RMSNorm(width, eps=1e-5)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(draw.normal(*parameter.shape))
        self.double()

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits after each token."""
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x)
        logits: Tensor = self.lm_head(self.norm(x))
        return logits


class SmallLayer(nn.Module):
    """Gates in place of attention, then the MLP of Llama."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = (
            nn.RMSNorm(width, eps=1e-5) for _ in range(2)
        )
        names = {"q_proj": width, "k_proj": width, "v_proj": width}
        self.self_attn = nn.ModuleDict({n: nn.Linear(width, w) for n, w in names.items()})
        self.self_attn["o_proj"] = nn.Linear(width, width)
        self.mlp = nn.ModuleDict({n: nn.Linear(width, hidden) for n in ("gate_proj", "up_proj")})
        self.mlp["down_proj"] = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return the state after both."""
        part, normed = self.self_attn, self.input_layernorm(x)
        gate = torch.sigmoid(part["q_proj"](normed) * part["k_proj"](normed).roll(1, 0))
        x = x + part["o_proj"](gate * part["v_proj"](normed))
        part, normed = self.mlp, self.post_attention_layernorm(x)
        inside = nn.functional.silu(part["gate_proj"](normed)) * part["up_proj"](normed)
        state: Tensor = x + part["down_proj"](inside)
        return state


@proof(
    "rotate",
    "the same model, not rotated, in float64",
    quick=20,
    tolerance=1e-10,
    why="float64 sums in another order; logits reach some tens",
)
def function_unchanged(draw: Draw) -> tuple[Any, Any]:
    """Compare the logits of small decoders, with biases, of widths 1 to 32."""
    width, hidden = 2 ** draw.integer(0, 5), 2 ** draw.integer(0, 6)
    model = SmallLlama(draw, 7, width, hidden, draw.integer(1, 2))
    tokens = torch.randint(0, 7, (5,), generator=draw.generator)
    with torch.no_grad():
        return rotate(model)(tokens), model(tokens)


# ---------------------------------------------------------------------------------------- registry


def large_layer(n: int) -> tuple[Tensor, Tensor]:
    """Return the inputs of a linear layer, and its weight."""
    rows = activations(n)[0]
    return rows, rows[:1].T @ rows[:1] / 10 + torch.eye(rows.shape[1])


public(
    "smooth_scales",
    CHAPTER,
    {"weight": WEIGHT, "inputs": torch.tensor([[20.0, 0.5, 1.0]]), "alpha": 0.75},
    Large("", large_layer, lambda rows, weight: smooth_scales(weight, rows)),
)
public(
    "linear_llm_int8",
    CHAPTER,
    {
        "x": torch.tensor([[1.0, -0.5, 60.0], [0.25, 1.0, -2.0]]),
        "weight": WEIGHT,
        "bias": torch.tensor([1.0, -1.0]),
        "threshold": 5.0,
    },
    Large("", large_layer, lambda rows, weight: linear_llm_int8(rows, weight, BIAS)),
)
public("hadamard", CHAPTER, {"n": 8}, not_large="its input is one integer")
public(
    "rotate",
    CHAPTER,
    {"model": SmallLlama(Draw(0), 7, 4, 8, 1)},
    not_large="its input is a model, and its time that of products of that model's weights",
)
