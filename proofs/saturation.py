"""The saturating product against the real kernels, in a process that may not use VNNI."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing.util import Finalize
from typing import Any
from unittest import mock

import numpy as np
import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import MATRIX, quantized
from proofs.proof import proof
from proofs.public import Large, public
from proofs.torch_engine import to_torch, torch_engine
from qlearn import QParams, QTensor, dynamic_qparams, kernels_saturate, quantize, saturating_matmul

# Set before torch is imported, each makes a kernel do with the instructions of before VNNI.
WITHOUT_VNNI = {"FBGEMM_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"}
WEIGHT = QParams(0.01, 0, -128, 127, torch.int8)


@cache
def older_processor() -> ProcessPoolExecutor:
    """Return a pool of one process whose torch was told to do without VNNI."""
    pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    with mock.patch.dict(os.environ, WITHOUT_VNNI):
        pool.submit(torch.get_num_threads).result()  # starts the process, which imports torch
    # A process that was itself started by multiprocessing waits for its children when it ends,
    # and nothing else would tell this one to end; nor could, once queues are closed (at 10).
    Finalize(None, pool.shutdown, exitpriority=20)
    return pool


def without_vnni(engine: str, x: Tensor, codes: Tensor) -> tuple[bool, Tensor]:
    """Return whether the engine saturates there, and the layer's output at full range."""
    saturates, output = older_processor().submit(_layer, engine, x.numpy(), codes.numpy()).result()
    return saturates, torch.from_numpy(output)


def _layer(engine: str, x: np.ndarray, codes: np.ndarray) -> tuple[bool, np.ndarray]:
    with torch_engine(engine):
        weight = to_torch(QTensor(torch.from_numpy(codes), WEIGHT))
        packed = torch.ops.quantized.linear_prepack(weight, None)
        output = torch.ops.quantized.linear_dynamic(torch.from_numpy(x), packed, reduce_range=False)
        return kernels_saturate(), output.numpy()


def large_codes(draw: Draw) -> tuple[Tensor, Tensor]:
    """Return a layer whose pairs saturate: activations near the top, weights at the ends."""
    m, k, n = draw.integer(1, 5), draw.integer(1, 97), draw.integer(1, 33)
    x = torch.rand(m, k, generator=draw.generator).sqrt().sqrt()
    codes = draw.codes((n, k), torch.int8, -128, 127)
    if draw.chance(0.3):
        codes = torch.where(codes < 0, -128, 127).to(torch.int8)
    return (x - 0.3 if draw.chance(0.5) else x), codes


def _rest_of_the_layer(product: Tensor, qparams: QParams, codes: Tensor) -> Tensor:
    """Take the zero point's share off and return to float32, as fbgemm does."""
    total = product - qparams.zero_point * codes.sum(dim=1, dtype=torch.int32)
    return total.to(torch.float32) * (qparams.scale * WEIGHT.scale)


@proof("saturating_matmul", "fbgemm's kernel for AVX2, in a process without VNNI", quick=60)
def fbgemm(draw: Draw) -> tuple[Any, Any]:
    """Compare whole layers at full range, where the kernel's pairs saturate."""
    x, codes = large_codes(draw)
    qparams = dynamic_qparams(x, reduce_range=False)
    product = saturating_matmul(quantize(x, qparams, rounding="fma"), codes.T)
    _, theirs = without_vnni("fbgemm", x, codes)
    return _rest_of_the_layer(product, qparams, codes), theirs


@proof("kernels_saturate", "the real kernels with and without VNNI", cases=200, quick=20)
def probe(draw: Draw) -> tuple[Any, Any]:
    """Compare the answer with whether a layer of large codes loses anything."""
    engine = draw.choice(["fbgemm", "x86", "qnnpack"])
    n = 2 * draw.integer(16, 99)
    x, codes = torch.ones(1, n), torch.full((1, n), 127, dtype=torch.int8)
    exact = 0.99 * 127 * WEIGHT.scale * n
    saturates, output = without_vnni(engine, x, codes)
    here, ours = _layer(engine, x.numpy(), codes.numpy())
    return (saturates, here), (bool(output.item() < exact), bool(ours.item() < exact))


public(
    "saturating_matmul",
    "calibration/reduce_range",
    {
        "a": torch.tensor([[255, 255]], dtype=torch.uint8),
        "b": torch.tensor([[127], [127]], dtype=torch.int8),
    },
    Large("", quantized, lambda x: saturating_matmul(x.values, MATRIX.values.T)),
)
public("kernels_saturate", "calibration/reduce_range", {}, not_large="it runs a layer of its own")
