"""The digits' network prepared for training with fake quantization, and trained that way."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import torch
import torch.ao.nn.intrinsic.qat as nniqat
import torch.ao.quantization as tq
from jaxtyping import Float32, Int64
from torch import Tensor, nn
from torch.ao.quantization._learnable_fake_quantize import _LearnableFakeQuantize

from qlearn.checks import check_choice
from qlearn.course.digits.net import split_digits, trained_digits_net
from qlearn.course.digits.shipped import shipped_tensors
from qlearn.numbers.ranges import quant_range

Kind = Literal["plain", "fused", "learned"]

LAYERS = ("conv1", "conv2", "fc")
# torch's classes take their factory method from a base class that mypy cannot see.
_FAKE_QUANTIZE: dict[str, Any] = {
    "plain": tq.FakeQuantize,
    "fused": tq.FusedMovingAvgObsFakeQuantize,
    "learned": _LearnableFakeQuantize,
}


def low_bit_qconfig(bits: int, kind: Kind = "plain") -> tq.QConfig:
    """Return a QConfig with ``bits``-bit weights, one scale a tensor, and uint8 activations.

    Args:
        bits: of the weights, 2 to 8; their codes are those of ``quant_range``.
        kind: which of torch's modules fake-quantizes the weights: "plain" and "fused" follow
            their range, and "learned" makes the scale a parameter (LSQ). Activations are "fused"
            where the weights are, else "plain".

    Raises:
        ValueError: ``kind`` is not one of these, or ``bits`` is not from 2 to 8.

    >>> make = low_bit_qconfig(2).weight
    >>> make().quant_min, make().quant_max
    (-2, 1)
    """
    check_choice(kind, "kind", get_args(Kind))
    low, high = quant_range(torch.int8, bits=bits)
    observed = tq.MovingAverageMinMaxObserver
    activation = _FAKE_QUANTIZE["fused" if kind == "fused" else "plain"].with_args(
        observer=observed, quant_min=0, quant_max=255, dtype=torch.quint8
    )
    weight = _FAKE_QUANTIZE[kind].with_args(
        observer=observed,
        averaging_constant=1.0,  # the weights' range now, not an average over time
        quant_min=low,
        quant_max=high,
        dtype=torch.qint8,
        qscheme=torch.per_tensor_symmetric,
        **({"use_grad_scaling": True} if kind == "learned" else {}),
    )
    return tq.QConfig(activation=activation, weight=weight)


def prepare_digits_net(qconfig: tq.QConfig) -> nn.Module:
    """Return the trained float network with torch's eager QAT modules in it, in train mode.

    The network is put between stubs. Convolution, batch norm and ReLU are fused, and the QConfig
    says how to fake-quantize. torch warns that this part of it is deprecated.
    """
    net: Any = tq.QuantWrapper(trained_digits_net()).train()
    for names in (["conv1", "bn1", "relu1"], ["conv2", "bn2", "relu2"]):
        tq.fuse_modules_qat(net.module, names, inplace=True)
    net.qconfig = qconfig
    return tq.prepare_qat(net)


def calibrate(net: nn.Module) -> nn.Module:
    """Show all training images to the observers of a prepared network, and return it in eval mode.

    Batch-norm statistics and weights stay, so this is post-training quantization.
    """
    net.eval()
    with torch.no_grad():
        for images in split_digits().train_images.split(64):
            net(images)
    return net


def freeze(net: nn.Module) -> nn.Module:
    """Stop the observers and the batch-norm statistics of a prepared network, and return it."""
    for module in net.modules():
        if isinstance(module, _LearnableFakeQuantize):
            module.toggle_observer_update(False)
        elif isinstance(module, tq.FakeQuantize):
            module.disable_observer()
    return net.apply(nniqat.freeze_bn_stats)


def trained_digits_qat(kind: Kind = "plain") -> nn.Module:
    """Return the 2-bit network as ``data_makers.train_digits_qat`` left it: eval mode, frozen.

    Raises:
        ValueError: ``kind`` is not one of :func:`low_bit_qconfig`'s.
    """
    net = prepare_digits_net(low_bit_qconfig(2, kind))
    prefix = f"{kind}/"
    stored = {
        name.removeprefix(prefix): tensor
        for name, tensor in shipped_tensors("digits_qat").items()
        if name.startswith(prefix)
    }
    net.load_state_dict(stored)
    return freeze(net).eval()


class Training(NamedTuple):
    """What was recorded while the "plain" network was trained, once every few steps.

    ``positions`` are the weights of the first convolution in units of their step, so that
    rounding them gives codes. ``losses`` are means since the record before; the first is of the
    calibrated network, over all training images. ``right`` counts test images. ``frozen`` is the
    first record after the observers and the batch-norm statistics were frozen.
    """

    steps: Int64[Tensor, " frames"]
    positions: Float32[Tensor, "frames 144"]
    losses: Float32[Tensor, " frames"]
    right: Int64[Tensor, " frames"]
    frozen: int


def recorded_training() -> Training:
    """Return the record of the training by ``data_makers/train_digits_qat.py``.

    >>> recorded_training().positions.shape
    torch.Size([47, 144])
    """
    stored = shipped_tensors("digits_qat")
    steps, positions, losses, right = (
        stored[name] for name in ("steps", "positions", "losses", "right")
    )
    return Training(steps, positions, losses, right, int(stored["frozen"]))
