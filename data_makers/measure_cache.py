"""Measure what caches of few bits do to the language model; write its data/cache.json.

    .venv/bin/python -m data_makers.measure_cache

takes some ten minutes on one core. All figures are bits for each byte of held-out text; lists
have one for each of three texts of 16,384 bytes, with a piece of each of the eight messages, and
"positions" are means over all of the text. As "short" stand some figures of the first 4,096 bytes,
short enough for a cell to compute again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from qlearn.course.language.attention_parts import attention_parts
from qlearn.course.language.by_position import bits_by_position
from qlearn.course.language.key_changes import before_rotary, in_codes, in_float8, in_groups
from qlearn.course.language.loud_keys import with_loud_keys
from qlearn.course.language.memory import KeyValueCache
from qlearn.course.language.net import LanguageModel
from qlearn.course.language.rounded_cache import ByteByByte, Change, WithCache, with_changes
from qlearn.course.language.shipped import load_language_model
from qlearn.course.language.text import load_language_text
from qlearn.language.bits import bits_per_byte
from qlearn.language.quantized_cache import Cache, QuantizedCache

TARGET = Path(__file__).resolve().parents[1] / "qlearn/course/language/data/cache.json"
TEXT, SIZE = load_language_text("held_out"), 16384
TEXTS = [TEXT[start : start + SIZE] for start in range(0, 3 * SIZE, SIZE)]
SHORT = 4096
BITS, LOUDER, BIN = (8, 4, 3, 2), (8, 64), 32


def measured(model: nn.Module, new_cache: Callable[[], Cache], how: Any) -> list[float]:
    """Return the bits of a model that reads each text through such caches."""
    return [round(bits_per_byte(how(model, new_cache), text), 6) for text in TEXTS]


def changed(
    model: nn.Module, texts: Sequence[bytes], keys: Change | None, values: Change | None = None
) -> list[float]:
    """Return the bits of each text, of a model with changed keys and values, all tokens at once."""
    read = with_changes(model, keys, values)
    return [round(bits_per_byte(read, text), 6) for text in texts]


def axes(
    model: nn.Module, texts: Sequence[bytes] = TEXTS, *, values: bool = False
) -> dict[str, Any]:
    """Return the figures of both axes and all bits, for keys alone or values alone."""
    found: dict[str, Any] = {}
    for axis in ("token", "channel"):
        for bits in BITS:
            change = in_codes(bits, axis)
            both = (None, change) if values else (change, None)
            found.setdefault(axis, {})[str(bits)] = changed(model, texts, *both)
    return found


def eight_bits(model: nn.Module, texts: Sequence[bytes] = TEXTS) -> dict[str, list[float]]:
    """Return the figures of keys and values in eight bits, of several kinds."""
    kinds = {
        "int8, each token": in_codes(8, "token"),
        "int8, whole tensor": lambda x: in_groups(8, x.numel())(x.reshape(1, -1, 1)).view_as(x),
        "float8, whole tensor": in_float8(),
        "float8, no scale": in_float8(scaled=False),
    }
    return {name: changed(model, texts, change, change) for name, change in kinds.items()}


def kept(bits: int) -> QuantizedCache:
    """Return the cache of the chapter: as KIVI's, with zero points."""
    return QuantizedCache(bits=bits, symmetric=False)


def caches(how: Any, model: nn.Module) -> dict[str, list[float]]:
    """Return the figures of QuantizedCache, by its bits."""
    return {str(bits): measured(model, partial(kept, bits), how) for bits in BITS}


def positions(how: Any, model: nn.Module) -> dict[str, list[float]]:
    """Return the means of places 0 … 31, 32 … 63 and so on of a window, over all held-out text."""
    found = {"float": model}
    for bits in BITS[1:]:
        found[str(bits)] = how(model, partial(kept, bits))
    means = {name: bits_by_position(m, TEXT).view(-1, BIN).mean(1) for name, m in found.items()}
    return {name: [round(mean, 6) for mean in each.tolist()] for name, each in means.items()}


def variants(model: nn.Module, texts: Sequence[bytes] = TEXTS) -> dict[str, Any]:
    """Return the figures of keys in groups of other sizes, with zero points, before rotary."""
    groups = {
        str(size): {str(bits): changed(model, texts, in_groups(bits, size)) for bits in BITS[1:]}
        for size in (8, 16, 32, 64, 256)
    }
    affine = {str(b): changed(model, texts, in_groups(b, 32, symmetric=False)) for b in BITS[1:]}
    before = {str(b): changed(model, texts, before_rotary(in_groups(b, 32))) for b in BITS[1:]}
    return {"groups": groups, "affine": affine, "before rotary": before}


def head(model: Any) -> dict[str, list[list[float]]]:
    """Return what one head computes with on 32 bytes, in four decimals: the numbers of a figure.

    The figure shows what is stored, because their last bits differ between processors.
    """
    parts = attention_parts(model, load_language_text("held_out")[:32], layer=2)
    rows = {name: getattr(parts, name)[0, 2].double().tolist() for name in parts._fields}
    return {name: [[round(x, 4) for x in row] for row in each] for name, each in rows.items()}


def short(model: LanguageModel, text: bytes) -> dict[str, Any]:
    """Return figures of a short text, some of which the pages compute again."""
    loud = with_loud_keys(model, LOUDER[0])
    return {
        "float": [round(bits_per_byte(model, text), 6)],
        "eight": {"1": eight_bits(model, [text])},
        "loud keys": {"factor": LOUDER[0], **axes(loud, [text])},
        **variants(model, [text]),
    }


def main() -> None:
    """Measure all, and write it."""
    torch.set_num_threads(1)
    began, model = time.perf_counter(), load_language_model()
    found: dict[str, Any] = {"float": measured(model, KeyValueCache, WithCache)}
    found["head"] = head(model)
    found["keys"], found["values"] = axes(model), axes(model, values=True)
    found["eight"] = {"1": eight_bits(model)}
    for factor in LOUDER:
        loud = with_loud_keys(model, factor)
        found["eight"][str(factor)] = eight_bits(loud)
    found["loud keys"] = {"factor": LOUDER[0], **axes(with_loud_keys(model, LOUDER[0]))}
    print(f"axes and eight bits, {time.perf_counter() - began:.0f} s", flush=True)
    found |= variants(model)
    found["cache"] = caches(WithCache, model)
    found["positions"] = positions(WithCache, model)
    print(f"variants and positions, {time.perf_counter() - began:.0f} s", flush=True)
    found["short"] = short(model, TEXT[:SHORT])
    found["decoded"] = caches(ByteByByte, model)
    found["positions decoded"] = positions(ByteByByte, model)
    TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{TARGET.name}, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
