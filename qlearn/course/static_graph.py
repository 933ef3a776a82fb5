"""PT2E's five steps in one function: export, prepare, calibrate, convert, and drop what is left."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.utils._pytree import tree_leaves

from qlearn.checks.models import check_eval, check_loaded
from qlearn.checks.tensors import check_tensor
from qlearn.course.unused_weights import drop_unused_weights


def static_graph(
    model: nn.Module, batches: Sequence[Tensor], quantizer: Any = None
) -> fx.GraphModule:
    """Return the model's graph, statically quantized to int8; the model stays as it is.

    The number of rows of an input stays free where the model allows it. The float weights, which
    ``convert_pt2e`` leaves behind, are dropped.

    Args:
        model: a float model in eval mode on the CPU, whose forward takes one tensor.
        batches: inputs such as it will see; ranges are chosen from them. The first one is also
            the example for the export, so give it two rows or more.
        quantizer: what says where codes go; None for torchao's for x86, int8 with a scale for
            each output channel.

    Raises:
        TypeError: ``model`` is not an ``nn.Module``, or a batch is not a tensor.
        ValueError: the model is in training mode, the model or a batch is not on the CPU or holds
            floats that are not float32, there is nothing in the batches, a batch norm was folded
            into a convolution that others read, or the quantizer found nothing to quantize.

    >>> from qlearn.course import split_digits, trained_digits_net
    >>> graph = static_graph(trained_digits_net(), [split_digits().train_images[:64]])
    >>> graph(split_digits().test_images).shape
    torch.Size([360, 10])
    """
    _check(model, batches)
    pt2e, _ = _torchao()
    rows = ({0: torch.export.Dim.AUTO},)
    exported = torch.export.export(model, (batches[0],), dynamic_shapes=rows)
    prepared = pt2e.prepare_pt2e(exported.module(), quantizer or for_x86())
    with torch.no_grad():
        _check_folding(model, prepared, batches[0])
        for batch in batches[1:]:
            prepared(batch)
    converted: fx.GraphModule = pt2e.convert_pt2e(prepared)
    if not quantizes(converted):
        raise ValueError(
            f"the quantizer found nothing to quantize in {type(model).__name__}: the one for x86 "
            "looks for nn.Conv2d, nn.Conv1d before a ReLU, and linear layers"
        )
    drop_unused_weights(converted)
    return converted


def quantizes(graph: fx.GraphModule) -> bool:
    """Tell whether a graph quantizes anything.

    >>> quantizes(fx.symbolic_trace(nn.Sequential(nn.ReLU())))
    False
    """
    return any("quantize_per" in str(node.target) for node in graph.graph.nodes)


def for_x86() -> Any:
    """Return torchao's quantizer for x86 with its default config."""
    _, x86 = _torchao()
    return x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config())


def _torchao() -> tuple[Any, Any]:
    """Return torchao's modules, imported without the messages about graphics cards."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(action="ignore"):
            from torchao.quantization.pt2e import quantize_pt2e
            from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer
    finally:
        logging.disable(logging.NOTSET)
    return quantize_pt2e, x86_inductor_quantizer


def _check(model: nn.Module, batches: Sequence[Tensor]) -> None:
    """Raise unless the model can be exported and there is something to calibrate with."""
    check_eval(model, "the graph would keep its dropout and batch norms so")
    for name, parameter in model.named_parameters():
        check_loaded(parameter, f"{type(model).__name__}'s {name}")
        _check_numbers(parameter, f"{type(model).__name__}'s {name}", "model")
    if isinstance(batches, Tensor):
        raise TypeError("batches is a Tensor: pass a list of them, such as [batch]")
    if len(batches) == 0:
        raise ValueError("there are no batches: ranges are chosen from inputs, so pass some")
    for batch in batches:
        check_tensor(batch, "a batch", "tensors, without labels")
        if batch.numel() == 0:
            raise ValueError("a batch is empty, and no range follows from nothing: leave it out")
        _check_numbers(batch, "a batch", "batch")


def _check_folding(model: nn.Module, prepared: nn.Module, batch: Tensor) -> None:
    """Let the prepared graph observe a batch, and raise where folding made it wrong.

    It only observes, so it answers as the model does, unless that answers otherwise each time.
    """
    found = prepared(batch)
    if not any(isinstance(layer, nn.modules.batchnorm._BatchNorm) for layer in model.modules()):
        return
    exact = model(batch)
    if not _alike(exact, found) and _alike(exact, model(batch)):
        raise ValueError(
            "the graph is wrong before anything is rounded: prepare_pt2e folded a batch norm into "
            "a convolution that something else reads, too. Let the norm read a copy, "
            "norm(y.clone()), and give each part that shares both a copy.deepcopy of them"
        )


def _alike(one: Any, other: Any) -> bool:
    """Tell whether all tensors of two answers are the same, up to the roundings of floats."""
    pairs = zip(tree_leaves(one), tree_leaves(other), strict=True)
    both = [(a.double(), b.double()) for a, b in pairs if isinstance(a, Tensor)]
    return all(bool((a - b).norm() <= 1e-3 * a.norm()) for a, b in both)


def _check_numbers(numbers: Tensor, place: str, owner: str) -> None:
    """Raise unless the numbers are on the CPU, and float32 if they are floats."""
    if numbers.device.type != "cpu":
        raise ValueError(
            f"{place} is on {numbers.device}, and the quantizer for x86 is for the CPU: pass "
            f"{owner}.cpu()"
        )
    if numbers.is_floating_point() and numbers.dtype != torch.float32:
        raise ValueError(
            f"{place} is {numbers.dtype}, and the quantizer for x86 takes float32: pass "
            f"{owner}.float()"
        )
