"""Measure what fewer bits do to the language model; write qlearn/course/language/data/weights.json.

    .venv/bin/python -m data_makers.measure_weights

takes some eight minutes on one core. All figures are bits for each byte of the first 16,384 bytes
of held-out text, and once more, as "short", of the first 4,096, short enough for a cell to compute
again. Lists have an entry for each of three calibration texts, seeds 0, 1 and 2. The figures of
adapters are of those that train_language_adapters.py has written.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from qlearn import nf4_quantize, quantize_groups
from qlearn.course.language.adapter import Base, with_trained_adapters
from qlearn.course.language.layers import calibration_text, layer_inputs, with_weights
from qlearn.course.language.net import LanguageModel
from qlearn.course.language.outliers import with_outliers
from qlearn.course.language.sampling import sample
from qlearn.course.language.shipped import load_language_model
from qlearn.course.language.text import load_language_text
from qlearn.language import awq_scales, by_activation, clipped_groups, gptq, scaled_groups
from qlearn.language.bits import bits_per_byte

TARGET = Path(__file__).resolve().parents[1] / "qlearn/course/language/data/weights.json"
TEXT = load_language_text("held_out")[:16384]
SHORT = 4096
BITS = (8, 6, 4, 3, 2)
SIZES = ("tensor", "channel", 32, 16, 8)
PROMPT = "The new harbor "
SEEDS = (0, 1, 2)
FACTOR = 30.0  # of the made outliers
Change = Callable[[str, Tensor], Tensor]
Inputs = dict[str, Tensor]


def nearest(weight: Tensor, bits: int, size: str | int) -> Tensor:
    """Return the weight rounded to nearest, with a scale for all, for each row or each group."""
    shape = weight.shape
    rows = weight.reshape(1, -1) if size == "tensor" else weight
    width = size if isinstance(size, int) else rows.shape[1]
    return quantize_groups(rows, bits=bits, group_size=width).dequantize().reshape(shape)


def affine(size: int) -> Change:
    """Return the rounding to four bits with a zero point for each group."""
    return lambda _, w: quantize_groups(w, group_size=size, symmetric=False).dequantize()


def measured(model: nn.Module, change: Change, text: bytes) -> float:
    """Return the bits of a model whose weights are changed, with six decimals."""
    return round(bits_per_byte(with_weights(model, change), text), 6)


def width(weight: Tensor, size: str | int) -> int:
    """Return how many neighbours share a scale."""
    return size if isinstance(size, int) else weight.shape[1]


def with_data(inputs: Inputs, bits: int, size: str | int) -> Iterator[tuple[str, Change]]:
    """Yield the methods that look at inputs, with the change that each makes of a weight."""

    def awq(name: str, weight: Tensor) -> Tensor:
        kind = {"bits": bits, "group_size": width(weight, size)}
        return scaled_groups(weight, awq_scales(weight, inputs[name], **kind), **kind)

    def corrected(name: str, weight: Tensor) -> Tensor:
        kind = {"bits": bits, "group_size": width(weight, size)}
        return gptq(weight, inputs[name], **kind).dequantize()

    yield "AWQ", awq
    yield "GPTQ", corrected


def compared(model: nn.Module, bits: int, size: str | int, text: bytes) -> dict[str, Any]:
    """Return the figures of all methods at these bits and this size of groups."""
    found: dict[str, Any] = {
        "nearest": measured(model, rounded(bits, size), text),
        "clipped": measured(
            model,
            lambda _, w: clipped_groups(w, bits=bits, group_size=width(w, size)).dequantize(),
            text,
        ),
    }
    for seed in SEEDS:
        inputs = layer_inputs(model, calibration_text(seed))
        for method, change in with_data(inputs, bits, size):
            found.setdefault(method, []).append(measured(model, change, text))
    return found


def variants(model: nn.Module, text: bytes) -> dict[str, list[float]]:
    """Return figures of GPTQ with three bits for each row, varied in one way each."""
    found: dict[str, list[float]] = {}
    for seed in SEEDS:
        for windows in (1, 4, 16, 64):
            inputs = layer_inputs(model, calibration_text(seed, windows=windows))

            def plain(name: str, w: Tensor, inputs: Inputs = inputs, damp: float = 0.01) -> Tensor:
                return gptq(w, inputs[name], bits=3, damp=damp).dequantize()

            found.setdefault(f"{windows} windows", []).append(measured(model, plain, text))
            if windows != 16:
                continue
            for damp in (0.0001, 0.1, 1.0):

                def damped(name: str, w: Tensor, damp: float = damp, f: Any = plain) -> Tensor:
                    return f(name, w, damp=damp)

                found.setdefault(f"damp {damp:g}", []).append(measured(model, damped, text))

            def ordered(name: str, w: Tensor, inputs: Inputs = inputs) -> Tensor:
                return by_activation(w, inputs[name], bits=3)

            found.setdefault("loud columns first", []).append(measured(model, ordered, text))
    return found


def rounded(bits: int, size: str | int) -> Change:
    """Return the rounding to nearest."""
    return lambda _, w: nearest(w, bits, size)


def nf4(_: str, w: Tensor) -> Tensor:
    """Return the weight in NF4."""
    return nf4_quantize(w).dequantize()


def adapted(model: nn.Module, text: bytes) -> dict[str, float]:
    """Return the figures with the shipped adapters, by what they were trained beside."""
    bases: dict[Base, nn.Module] = {
        "nf4": with_weights(model, nf4),
        "float": model,
        "int2": with_weights(model, rounded(2, 32)),
    }
    return {
        name: round(bits_per_byte(with_trained_adapters(base, name), text), 6)
        for name, base in bases.items()
    }


def figures(model: LanguageModel, text: bytes) -> dict[str, Any]:
    """Return the bits of this text by every method."""
    loud = with_outliers(model, FACTOR)
    return {
        "float": round(bits_per_byte(model, text), 6),
        "grid": [
            [bits, size, measured(model, rounded(bits, size), text)]
            for bits in BITS
            for size in SIZES
        ],
        "nf4": measured(model, nf4, text),
        "affine": {str(size): measured(model, affine(size), text) for size in (64, 32)},
        "methods": {
            str(bits): {str(size): compared(model, bits, size, text) for size in ("channel", 32)}
            for bits in (4, 3, 2)
        },
        "outliers": {"factor": FACTOR, "4": {"32": compared(loud, 4, 32, text)}},
        "variants": variants(model, text),
        "adapters": adapted(model, text),
    }


def texts(model: nn.Module) -> list[list[Any]]:
    """Return what the model writes with its weights rounded to nearest."""
    return [
        [bits, size, PROMPT + sample(with_weights(model, rounded(bits, size)), PROMPT, length=90)]
        for bits in BITS
        for size in SIZES
    ]


def main() -> None:
    """Measure all, and write it."""
    torch.set_num_threads(1)
    began, model = time.perf_counter(), load_language_model()
    found = figures(model, TEXT)
    print(f"16,384 bytes, {time.perf_counter() - began:.0f} s", flush=True)
    found["short"] = figures(model, TEXT[:SHORT])
    found["texts"] = texts(model)
    TARGET.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{TARGET.name}, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
