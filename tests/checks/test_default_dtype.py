"""Torch's default dtype is the caller's: no result depends on it, and nothing that is kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor

import qlearn
from proofs.collection import all_public
from proofs.inputs import WEIGHT, X, growing
from qlearn import machine
from qlearn.integers.arm_compute import scaled_back
from qlearn.machine import variants
from qlearn.machine.engines import PREFERENCE

PUBLIC = all_public()

# Their large calls make tensors of their own, in the default dtype.
OWN_TENSORS = (
    "folded_weight",
    "learnable_fake_quantize",
    "lstm_dynamic",
    "requantize",
    "scaled_groups",
)
DTYPES = [torch.bfloat16, torch.float16, torch.float64]
WINDOW = machine.Window((1, 1, 3, 3), (1, 1, 3, 3))
WITH_ARGUMENTS: dict[str, Callable[[], Any]] = {
    "installed_nan_code": lambda: machine.installed_nan_code(WEIGHT.qparams),
    "linear_variant": lambda: machine.linear_variant(x_zero_point=3),
    "convolution_variant": lambda: [
        variants._convolution_joins(WINDOW, False, False),
        variants._convolution_divides(WINDOW, True),
    ],
    "fbgemm_variant": lambda: variants._fbgemm_adds(WINDOW),
}
PROBES: dict[str, Callable[[], Any]] = {
    name: getattr(machine, name) for name in machine.__all__ if name not in ("Variant", "Window")
} | WITH_ARGUMENTS


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """Forget what was found, before and after, and leave torch's engine as it was."""
    before = torch.backends.quantized.engine
    forget()
    yield
    forget()
    if before != "none":
        torch.backends.quantized.engine = before


def forget() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("qlearn.") and not name.startswith("qlearn.course"):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@contextmanager
def default(dtype: torch.dtype) -> Iterator[None]:
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


def bits(result: Any) -> Any:
    """Return a result in parts that are equal only if each bit is."""
    if isinstance(result, Tensor):
        whole = result.detach().contiguous()
        return result.dtype, tuple(result.shape), whole.reshape(-1).view(torch.uint8).tolist()
    if isinstance(result, tuple | list):
        return [bits(part) for part in result]
    if hasattr(result, "__dict__") and not isinstance(result, type) and vars(result):
        return {name: bits(part) for name, part in vars(result).items()}
    return repr(result) if isinstance(result, int | float | str | bytes | torch.dtype) else None


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
@pytest.mark.parametrize("name", [name for name in PUBLIC if callable(getattr(qlearn, name, None))])
def test_no_result_depends_on_it(name: str, dtype: torch.dtype) -> None:
    calls = [(getattr(qlearn, name), (), PUBLIC[name].good)]
    if name not in OWN_TENSORS:
        calls += [(large.call, large.inputs(1000), {}) for large in PUBLIC[name].large]
    expected = [bits(call(*args, **options)) for call, args, options in calls]
    forget()
    with default(dtype):
        found = [bits(call(*args, **options)) for call, args, options in calls]
    assert found == expected


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
@pytest.mark.parametrize(
    "name", [name for name in PUBLIC if name.endswith(("Observer", "Quantize"))]
)
def test_nothing_that_an_observer_sees_depends_on_it(name: str, dtype: torch.dtype) -> None:
    def seen() -> Any:
        observer = getattr(qlearn, name)(**PUBLIC[name].good)
        results = [observer(batch) for batch in batches]
        return bits([results, vars(observer), observer.qparams()])

    batches = growing(1000)
    expected = seen()
    forget()
    with default(dtype):
        assert seen() == expected


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
@pytest.mark.parametrize("name", PROBES)
def test_no_answer_of_a_probe_depends_on_it(name: str, dtype: torch.dtype) -> None:
    machine.use_engine()
    expected = bits(PROBES[name]())
    forget()
    with default(dtype):
        assert bits(PROBES[name]()) == expected


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
@pytest.mark.parametrize("engine", PREFERENCE)
def test_no_layer_of_an_engine_depends_on_it(engine: str, dtype: torch.dtype) -> None:
    def results() -> list[Any]:
        return [
            bits(getattr(qlearn, name)(**PUBLIC[name].good | {"engine": engine}))
            for name in ("linear_dynamic", "linear_static", "conv2d_static", "lstm_dynamic")
        ]

    expected = results()
    with default(dtype):
        assert results() == expected


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
def test_numbers_of_python_are_read_whole(dtype: torch.dtype) -> None:
    scale = 0.10009765625  # a float32, and nothing shorter
    with default(dtype):
        qparams = qlearn.QParams(scale, 0, -128, 127, torch.int8)
        low, high, step = qlearn.nudged_range(-scale, 1.1)
        y = qlearn.tensorflow_fake_quantize(X, -1.1, 2.3, bits=16, axis=None)
    assert qparams.scale.item() == scale
    assert torch.equal(low, qlearn.nudged_range(-scale, 1.1)[0])
    assert torch.equal(y, qlearn.tensorflow_fake_quantize(X, -1.1, 2.3, bits=16, axis=None))
    assert {part.dtype for part in (high, step)} == {torch.float32}


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
def test_without_a_bias_the_sums_of_arm_compute_begin_at_zero(dtype: torch.dtype) -> None:
    codes, scale = torch.tensor([[3, -4, 5]], dtype=torch.int8), torch.tensor(0.3)
    expected = scaled_back(codes, 1, WEIGHT, scale, None)
    with default(dtype):
        assert torch.equal(scaled_back(codes, 1, WEIGHT, scale, None), expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
def test_the_search_through_many_bins_does_not_depend_on_it(dtype: torch.dtype) -> None:
    batches = growing(5000)

    def found() -> Any:
        observer = qlearn.HistogramObserver(bins=100)
        for batch in batches:
            observer(batch)
        return bits([observer.best_range(), observer.histogram, observer._error(1, 98)])

    expected = found()
    with default(dtype):
        assert found() == expected
