"""Every rounding, and every operator on codes, that passes torch's dispatcher."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.ao.nn.quantized import QFunctional
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from qlearn.models.diagnosis.kernels import Kernel, compared, ends, expected_codes, on_floats
from qlearn.models.diagnosis.places import WHOLE, Places
from qlearn.models.diagnosis.roundings import Rounding, rounding
from qlearn.models.simulated_layer import SimulatedLayer
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.quantize import quantize
from qlearn.numbers.rules.kernel import dynamic_qparams

RELUS = ("aten::relu", "aten::relu_")
DYNAMIC = ("quantized::linear_dynamic", "quantized::linear_relu_dynamic")
FAKE = "aten::fake_quantize_per_tensor_affine"
# Where these operators have scale, zero point, first and last code among their arguments
ROUNDINGS = {
    FAKE: (1, 2, 3, 4),
    f"{FAKE}_cachemask": (1, 2, 3, 4),
    "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams": (1, 2, 4, 5),
    "aten::_fused_moving_avg_obs_fq_helper": (5, 6, 8, 9),
    "quantized_decomposed::quantize_per_tensor": (1, 2, 3, 4),
}


class Watch(TorchDispatchMode):
    """Measures, inside this block, what is rounded, and what is computed with codes.

    Attributes:
        roundings: of activations, in the order of the calls.
        kernels: from codes to codes, in the order of the calls.
        nan: the place that first put out NaN; "" for none.
        in_float: whether a graph rounds, goes back and computes with floats.
    """

    supports_higher_order_operators = True

    def __init__(self, places: Places, inputs: Any = ()) -> None:
        """Begin with nothing seen; the inputs are those that the model will get."""
        super().__init__()
        self.places = places
        self._inputs = {_memory(x) for x in pytree.tree_leaves(inputs) if isinstance(x, Tensor)}
        self.roundings: list[Rounding] = []
        self.kernels: list[Kernel] = []
        self.nan = ""
        self.in_float = False
        self._before_relu: tuple[Any, ...] = (None,)  # the last codes, and how they were measured
        self._cut: tuple[Tensor, int, Rounding] | None = None  # what a ReLU cut, and as it was
        self._functions: dict[tuple[float, int], str] = {}  # of FloatFunctionals: by their rulers

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Be no part of what operators like torch.cond trace."""
        return True

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the operator, and look at what went in and came out."""
        result, named = func(*args, **(kwargs or {})), kwargs or {}
        name = func._schema.name if hasattr(func, "_schema") else ""
        if name in RELUS and args[0] is self._before_relu[0]:
            self._without_negatives()
        elif self._cut and any(x is self._cut[0] for x in pytree.tree_leaves(args)):
            self._with_negatives(*self._cut)
        if name in ROUNDINGS:
            self._fake(result, args, *(args[at] for at in ROUNDINGS[name]))
        elif name == "aten::quantize_per_tensor" and not isinstance(args[0], nn.Parameter):
            self._quantized(args[0], result)
        elif name in DYNAMIC:
            self._dynamic(args[0], bool(args[2] if len(args) > 2 else named.get("reduce_range")))
        elif _is_plain_codes(result) and (y := on_floats(func, args, named)) is not None:
            self._computed(name, y, result)
        self.in_float = self.in_float or name == "quantized_decomposed::dequantize_per_tensor"
        self.nan = self.nan or (self.places.now() if _has_nan(result) else "")
        return result

    @contextmanager
    def simulated(self, model: nn.Module) -> Iterator[None]:
        """Measure, inside this block, what :class:`qlearn.SimulatedLayer` rounds, too."""

        def before(layer: nn.Module, args: tuple[Tensor, ...]) -> None:
            qparams = cast(SimulatedLayer, layer).input_qparams
            if qparams is not None and qparams.axis is None:
                x, ends = args[0].detach(), (qparams.quant_min, qparams.quant_max)
                numbers = float(qparams.scale), int(qparams.zero_point), ends
                self._rounded(x, fake_quantize(x, qparams), *numbers)

        functions = [
            (k, part) for k, part in model.named_modules() if isinstance(part, QFunctional)
        ]
        self._functions = {(part.scale, part.zero_point): name for name, part in functions}
        with ExitStack() as hooks:
            for part in model.modules():
                if isinstance(part, SimulatedLayer):
                    hooks.callback(part.register_forward_pre_hook(before).remove)
            yield

    def _rounded(self, x: Tensor, *numbers: Any, place: str = "", is_dynamic: bool = False) -> None:
        place, is_input = place or self.places.now(), _memory(x) in self._inputs
        if found := rounding(place, x, *numbers, is_input=is_input, is_dynamic=is_dynamic):
            self.roundings.append(found)

    def _fake(self, result: Any, args: tuple[Any, ...], *numbers: Any) -> None:
        """Measure a rounding whose result is floats, or the codes of a graph."""
        several = any(isinstance(number, Tensor) and number.numel() > 1 for number in numbers)
        if several or isinstance(args[0], nn.Parameter) or self.places.is_weight:
            return
        scale, zero_point, first, last = (float(number) for number in numbers)
        rounded = result[0] if isinstance(result, tuple) else result
        if not rounded.is_floating_point():
            rounded = (rounded.float() - zero_point) * scale
        self._rounded(args[0], rounded, scale, int(zero_point), (int(first), int(last)))

    def _quantized(self, x: Tensor, codes: Tensor) -> None:
        self._rounded(x, codes.dequantize(), codes.q_scale(), codes.q_zero_point(), ends(codes))

    def _computed(self, operator: str, y: Tensor, codes: Tensor) -> None:
        """Compare a kernel's codes with those of y, and measure the rounding of y."""
        if y.shape[1:] != codes.shape[1:]:
            return
        scale, zero_point = codes.q_scale(), codes.q_zero_point()
        expected, place = expected_codes(y, codes), self.places.now()
        if place == WHOLE:  # as of a function between two layers
            place = self._functions.get((scale, zero_point), operator)
        self.kernels.append(compared(place, operator, expected, codes))
        rounded = (expected - zero_point) * scale
        seen = len(self.roundings)
        self._rounded(y, rounded, scale, zero_point, ends(codes), place=place)
        self._before_relu = codes, seen, y, rounded, scale, zero_point, place

    def _without_negatives(self) -> None:
        """Measure a rounding that clips again, behind the ReLU, which would cut as much."""
        codes, seen, y, rounded, scale, zero_point, place = self._before_relu
        if len(self.roundings) != seen + 1 or not self.roundings[seen].is_short:
            return
        self._cut = codes, seen, self.roundings.pop()
        self._rounded(y.relu(), rounded.relu(), scale, zero_point, ends(codes), place=place)

    def _with_negatives(self, _: Tensor, seen: int, before: Rounding) -> None:
        """Take back what the ReLU excused, since another operator reads the same codes."""
        self.roundings[seen : seen + 1] = [before]
        self._cut = None

    def _dynamic(self, x: Tensor, reduce_range: bool) -> None:
        """Measure the rounding that a dynamic kernel does inside."""
        if not x.numel() or not bool(torch.isfinite(x).all()):
            return
        qnnpack = torch.backends.quantized.engine == "qnnpack"
        qparams = dynamic_qparams(x.detach(), reduce_range=reduce_range and not qnnpack)
        codes = quantize(x.detach(), qparams, rounding="fma")
        scale, zero_point = float(qparams.scale), int(qparams.zero_point)
        rounded = (codes.float() - zero_point) * scale
        self._rounded(x, rounded, scale, zero_point, (0, 255), is_dynamic=True)


def _memory(x: Tensor) -> tuple[int, torch.Size]:
    """Return where a tensor's numbers begin, and its shape, by which a graph's input is known."""
    is_dense = x.layout == torch.strided and not x.is_nested
    return (x.data_ptr(), x.shape) if is_dense else (0, torch.Size())


def _is_plain_codes(result: Any) -> bool:
    """Say whether an operator put out codes of one scale."""
    return (
        isinstance(result, Tensor)
        and result.is_quantized
        and result.qscheme() == torch.per_tensor_affine
        and result.numel() > 0
        and result.ndim > 0
    )


def _has_nan(x: Any) -> bool:
    return (
        isinstance(x, Tensor)
        and x.is_floating_point()
        and not (x.is_quantized or x.is_nested or x.is_meta)
        and x.layout == torch.strided
        and bool(torch.isnan(x).any())
    )
