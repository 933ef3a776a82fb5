"""Models that torch itself runs: eager, compiled, and compiled with freezing."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, nn

from measure.methods import Build, Method, Ready
from qlearn.course import number_bytes
from qlearn.course.static_graph import static_graph

EAGER, COMPILED, FROZEN = "eager", "compiled", "compiled, frozen"
Make = Callable[[nn.Module, Tensor], tuple[Any, Tensor]]


def in_float(dtype: torch.dtype) -> Make:
    """Return how to make the model and its input in this dtype."""
    return lambda model, x: (copy.deepcopy(model).to(dtype), x.to(dtype))


def by_torchao(config: str, dtype: torch.dtype = torch.float32, **options: Any) -> Make:
    """Return how to quantize the linear layers by a config of torchao's."""

    def make(model: nn.Module, x: Tensor) -> tuple[nn.Module, Tensor]:
        module = quietly_imported()
        model = copy.deepcopy(model).to(dtype)
        module.quantize_(model, getattr(module, config)(**options))
        return model, x.to(dtype)

    return make


def quietly_imported() -> Any:
    """Return torchao.quantization, with two configs for four bits under names of their own."""
    logging.disable(logging.WARNING)
    import torchao.quantization as quantization

    int4 = import_module("torchao.prototype.quantization.int4")
    logging.disable(logging.NOTSET)
    quantization.PrototypeInt4WeightOnlyConfig = int4.PrototypeInt4WeightOnlyConfig
    quantization.FourBits = lambda: quantization.IntxWeightOnlyConfig(
        weight_dtype=torch.int4,  # type: ignore[attr-defined]  # torch makes it at run time
        granularity=quantization.PerGroup(32),
    )
    return quantization


def by_pt2e(model: nn.Module, x: Tensor) -> tuple[Any, Tensor]:
    """Quantize the whole graph to int8, with ranges from the inputs themselves."""
    return static_graph(model, [x]), x


def run_by(how: str, make: Make) -> Build:
    """Return how to make the model ready to be run eagerly, compiled or frozen."""

    def build(model: nn.Module, x: Tensor) -> Ready:
        made, x = make(model, x)
        size = number_bytes(made)
        if how != EAGER:
            torch._inductor.config.freezing = how == FROZEN
            made = torch.compile(made)
        return Ready(lambda: made(x), size)

    return build


BF16 = torch.bfloat16
FLOAT8_BOTH = "Float8DynamicActivationFloat8WeightConfig"
INT8_BOTH = "Int8DynamicActivationInt8WeightConfig"
TILES = {"int4_packing_format": "tile_packed_to_4d"}  # torch's own kernel: it needs no mslk
MAKES: dict[str, tuple[Make, str]] = {  # and which of the three ways to run it
    "float32": (in_float(torch.float32), "ecf"),
    "float32 again": (in_float(torch.float32), "e"),
    "bfloat16": (in_float(BF16), "ecf"),
    "int8 weights": (by_torchao("Int8WeightOnlyConfig"), "ec"),
    "int8 weights, bfloat16": (by_torchao("Int8WeightOnlyConfig", BF16), "ec"),
    "int8 dynamic": (by_torchao(INT8_BOTH), "ecf"),
    "int8 dynamic, bfloat16": (by_torchao(INT8_BOTH, BF16), "c"),
    "int8 static, PT2E": (by_pt2e, "ecf"),
    "four bits": (by_torchao("FourBits"), "ec"),
    "int4 weights, prototype": (by_torchao("PrototypeInt4WeightOnlyConfig", BF16), "ec"),
    "int4 weights": (by_torchao("Int4WeightOnlyConfig", BF16), "ec"),
    "int4 weights, tiles": (by_torchao("Int4WeightOnlyConfig", BF16, **TILES), "ec"),
    "float8 weights, bfloat16": (by_torchao("Float8WeightOnlyConfig", BF16), "ec"),
    "float8 dynamic": (by_torchao(FLOAT8_BOTH, BF16), "ec"),
}
HOWS = {"e": EAGER, "c": COMPILED, "f": FROZEN}
EVERYWHERE = {"float32", "float32 again", "bfloat16", "int8 static, PT2E"}

METHODS = tuple(
    Method(
        name,
        HOWS[letter],
        run_by(HOWS[letter], make),
        (lambda subject: True) if name in EVERYWHERE else (lambda subject: subject.linear),
    )
    for name, (make, letters) in MAKES.items()
    for letter in letters
)
