"""Whole models: simulated, and measured layer by layer."""

from __future__ import annotations

import torch
from torch import nn

from proofs.inputs import BYTES, X
from proofs.public import public
from qlearn import simulate

CHAPTER = "models/debugging"
_LAYER = nn.Linear(3, 2)
_MODEL = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 2)).eval()
_WHY = "its roundings are fake_quantize's, which has proofs; its tests compare it with torch's"

with torch.no_grad():
    _LAYER.weight.copy_(X)

public(
    "SimulatedLayer",
    CHAPTER,
    {"layer": _LAYER, "input_qparams": BYTES, "weight_qparams": None},
    not_large="it only holds a layer and qparams",
    not_proven=_WHY,
)
public(
    "simulate",
    CHAPTER,
    {"model": _MODEL, "calibration": X, "weight_bits": 4, "per_channel": False, "layers": ["0"]},
    not_large="its time is the model's",
    not_proven=_WHY,
)
public(
    "layer_table",
    CHAPTER,
    {"model": _MODEL, "quantized": simulate(_MODEL, X), "inputs": X},
    not_large="its time is the model's",
    not_proven="it puts sqnr, clipped_share and means into rows; its tests work a table by hand",
)
public(
    "diagnose",
    CHAPTER,
    {"quantized": simulate(_MODEL, X), "inputs": X, "model": _MODEL},
    not_large="its time is the model's",
    not_proven="it says in sentences what sqnr and others measure; its tests give it broken models",
)
