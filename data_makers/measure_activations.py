"""Measure what rounded inputs do to the language model; write its data/activations.json.

    .venv/bin/python -m data_makers.measure_activations

takes some eight minutes on one core. All figures are bits for each byte of the first 16,384 bytes
of held-out text, and once more, as "short", of the first 4,096, short enough for a cell to compute
again. Lists have an entry for each of three calibration texts, seeds 0, 1 and 2. "plain" is
the model as it was trained, "loud" the one with four channels behind each norm 64 times as large.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from qlearn.course.language.activations import (
    kept_in_float,
    smoothed,
    smoothed_norms,
)
from qlearn.course.language.layers import calibration_text, layer_inputs, with_products
from qlearn.course.language.net import LanguageModel
from qlearn.course.language.outliers import with_outliers
from qlearn.course.language.shipped import load_language_model
from qlearn.course.language.text import load_language_text
from qlearn.language import decomposed_product, linear_llm_int8, rotate, rounded_product
from qlearn.language.bits import bits_per_byte

TARGET = Path(__file__).resolve().parents[1] / "qlearn/course/language/data/activations.json"
TEXT = load_language_text("held_out")[:16384]
SHORT = 4096
SEEDS = (0, 1, 2)
FACTOR = 64.0  # a power of two: the float function stays in every bit
FACTORS = (1, 16, 32, 64, 128)
ALPHAS = (0.0, 0.25, 0.5, 0.65, 0.75, 0.85, 1.0)
THRESHOLDS = (1.0, 3.0, 6.0, 10.0, 20.0, math.inf)
# Bits of the weights and of the inputs; with 16 there is next to no error.
IN_FOUR_BITS = {
    "W4A4": rounded_product(4),
    "A4": rounded_product(4, weight_bits=16),
    "W4": rounded_product(16, weight_bits=4),
}


Bits = Callable[[nn.Module, Callable[[Tensor, Tensor], Tensor]], float]


def bits_of(text: bytes) -> Bits:
    """Return what measures the bits of a model whose layers compute a product, in six decimals."""
    return lambda model, product: round(bits_per_byte(with_products(model, product), text), 6)


def in_int8(model: nn.Module, bits: Bits) -> dict[str, Any]:
    """Return the figures of int8 and of the three remedies."""
    token, tensor = rounded_product(8), rounded_product(8, scales="tensor")
    smooth = [smoothed(model, calibration_text(seed)) for seed in SEEDS]
    turned = rotate(model)
    return {
        "token": bits(model, token),
        "tensor": bits(model, tensor),
        "weights alone": bits(model, rounded_product(16, 8)),
        "LLM.int8()": bits(model, decomposed_product(6.0)),
        "LLM.int8(), weights in codes": bits(model, partial(linear_llm_int8, threshold=6.0)),
        "SmoothQuant": [bits(each, token) for each in smooth],
        "SmoothQuant, tensor": [bits(each, tensor) for each in smooth],
        "rotated": bits(turned, token),
        "rotated, tensor": bits(turned, tensor),
    }


def in_four_bits(model: nn.Module, bits: Bits) -> dict[str, dict[str, Any]]:
    """Return the figures of four bits for weights, inputs and both."""
    smooth = [smoothed(model, calibration_text(seed)) for seed in SEEDS]
    turned, found = rotate(model), {}
    for name, product in IN_FOUR_BITS.items():
        found[name] = {
            "token": bits(model, product),
            "LLM.int8()": bits(model, decomposed_product(6.0, bits=4)) if name == "W4A4" else None,
            "SmoothQuant": [bits(each, product) for each in smooth],
            "rotated": bits(turned, product),
        }
    return found


def by_place(model: nn.Module, bits: Bits) -> dict[str, dict[str, list[float]]]:
    """Return the figures of four bits with SmoothQuant in some layers alone."""
    found = {}
    changes: dict[str, Callable[[nn.Module, bytes], nn.Module]] = {
        "behind norms": smoothed_norms,
        "before o": partial(smoothed, only="o_proj"),
        "before down": partial(smoothed, only="down_proj"),
    }
    for name, change in changes.items():
        smooth = [change(model, calibration_text(seed)) for seed in SEEDS]
        found[name] = {
            width: [bits(each, product) for each in smooth]
            for width, product in IN_FOUR_BITS.items()
        }
    return found


@contextmanager
def some_rotations(*, state: bool, down: bool) -> Iterator[None]:
    """Let ``rotate`` leave out the rotation of the state, or the one before ``down_proj``."""
    module: Any = import_module("qlearn.language.rotate")
    whole = module.turn_of

    def chosen(n: int) -> Tensor:
        rotated: Tensor = whole(n)
        return rotated if (state if n == 128 else down) else torch.eye(n, dtype=torch.float64)

    with patch.object(module, "turn_of", chosen):
        yield


def by_rotation(model: nn.Module, bits: Bits) -> dict[str, dict[str, float]]:
    """Return the figures with the norms' gains folded, and with each of the two rotations."""
    kinds = {
        "gains folded": (False, False),
        "state": (True, False),
        "down": (False, True),
        "both": (True, True),
    }
    found = {}
    for name, (state, down) in kinds.items():
        with some_rotations(state=state, down=down):
            turned = rotate(model)
        found[name] = {
            "W8A8": bits(turned, rounded_product(8)),
            "W8A8, tensor": bits(turned, rounded_product(8, scales="tensor")),
        } | {width: bits(turned, product) for width, product in IN_FOUR_BITS.items()}
    return found


def by_alpha(model: nn.Module, bits: Bits) -> list[dict[str, Any]]:
    """Return the figures of SmoothQuant at several strengths."""
    rows = []
    for alpha in ALPHAS:
        smooth = [smoothed(model, calibration_text(seed), alpha=alpha) for seed in SEEDS]
        token, tensor = rounded_product(8), rounded_product(8, scales="tensor")
        rows.append(
            {
                "alpha": alpha,
                "token": [bits(each, token) for each in smooth],
                "tensor": [bits(each, tensor) for each in smooth],
            }
        )
    return rows


def by_threshold(model: nn.Module, bits: Bits) -> list[dict[str, Any]]:
    """Return for each threshold the bits, and the share of products that stay in float."""
    inputs = layer_inputs(model, TEXT[:4096])
    layers = dict(model.named_modules())
    weights: dict[str, Any] = {name: layers[name].weight for name in inputs}
    every = sum(weight.numel() for weight in weights.values())
    rows = []
    for threshold in THRESHOLDS:
        shares = {}
        for at_once in (1, 256, 4096):
            kept = [
                kept_in_float(x, threshold, at_once=at_once) * len(weights[name])
                for name, x in inputs.items()
            ]
            shares[str(at_once)] = round(sum(kept) / every, 6)
        found = bits(model, decomposed_product(threshold))
        name = "none" if math.isinf(threshold) else threshold
        rows.append({"threshold": name, "bits": found, "in float": shares})
    return rows


def by_factor(model: LanguageModel, bits: Bits) -> list[dict[str, float]]:
    """Return the figures of int8 with the four channels louder and louder."""
    token, tensor = rounded_product(8), rounded_product(8, scales="tensor")
    return [
        {"factor": factor, "token": bits(each, token), "tensor": bits(each, tensor)}
        for factor in FACTORS
        for each in [with_outliers(model, factor)]
    ]


def figures(text: bytes) -> dict[str, Any]:
    """Return the bits of this text by every method."""
    plain, bits = load_language_model(), bits_of(text)
    models = {"plain": plain, "loud": with_outliers(plain, FACTOR)}
    measures = {
        "int8": in_int8,
        "four bits": in_four_bits,
        "places": by_place,
        "rotations": by_rotation,
        "alphas": by_alpha,
        "thresholds": by_threshold,
    }
    return {
        "float": round(bits_per_byte(plain, text), 6),
        "factors": by_factor(plain, bits),
        **{
            name: {kind: measure(model, bits) for kind, model in models.items()}
            for name, measure in measures.items()
        },
    }


def main() -> None:
    """Measure, write the file, and say how long it took."""
    torch.set_num_threads(1)
    began = time.perf_counter()
    found = figures(TEXT)
    found["short"] = figures(TEXT[:SHORT])
    TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{TARGET.name}, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
