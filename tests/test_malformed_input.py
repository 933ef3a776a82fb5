"""Malformed input, drawn by hypothesis: a sentence that helps, or a result; never a crash."""

import copy
import inspect
import math
import traceback
from functools import cache
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import given, settings

import qlearn
from proofs.collection import all_public
from proofs.inputs import CODES, FEW, ROWS, WEIGHT, X
from qlearn import QTensor

pytestmark = pytest.mark.filterwarnings("ignore")

PACKAGE = Path(qlearn.__file__).parent
PUBLIC = all_public()

DTYPES = [
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.int8,
    torch.uint8,
    torch.int32,
    torch.int64,
    torch.bool,
    torch.complex64,
]
SHAPES = [(), (0,), (1,), (2,), (3,), (2, 3), (3, 2), (0, 3), (2, 0), (1, 2, 3, 1), (2, 3, 1)]
HARD = [0.0, 1.0, -3.0, 127.0, 300.0, 1e-45, 3e38, math.inf, -math.inf, math.nan]


@st.composite
def tensors(draw):
    """Draw a tensor of any dtype and a small shape, with values that are hard."""
    shape = draw(st.sampled_from(SHAPES))
    dtype = draw(st.sampled_from(DTYPES))
    values = draw(st.lists(st.sampled_from(HARD), min_size=1, max_size=3))
    n = math.prod(shape)
    flat = torch.tensor((values * n)[:n], dtype=torch.float64)
    if not dtype.is_floating_point:
        flat = flat.nan_to_num(nan=1, posinf=100, neginf=0).clamp(-100, 100)
    x = flat.reshape(shape).to(dtype)
    return draw(st.sampled_from([x, x.mT if x.ndim > 1 else x, x.to_sparse() if n else x]))


JUNK = st.one_of(
    tensors(),
    st.none(),
    st.booleans(),
    st.text(max_size=3),
    st.floats(),
    st.integers(-(2**70), 2**70),
    st.lists(st.one_of(st.floats(), st.integers(-(2**40), 2**40)), max_size=3),
    st.sampled_from(
        [*DTYPES, torch.qint8, torch.quint8, "float32", int, FEW, ROWS, WEIGHT, CODES, X]
    ),
    st.sampled_from([1j, {}, b"x", np.float32(1.5), np.arange(3), np.float64("nan"), object]),
    st.builds(lambda: torch.quantize_per_tensor(X, 0.1, 0, torch.qint8)),
    st.builds(lambda: X.to("meta")),
)


@pytest.mark.parametrize("name", [name for name in PUBLIC if callable(getattr(qlearn, name, None))])
def test_the_good_call_is_one(name):
    getattr(qlearn, name)(**PUBLIC[name].good)


def same(a, b) -> bool:
    """Say whether an argument is still what it was."""
    if isinstance(a, torch.Tensor) and a.layout == torch.strided and a.device.type != "meta":
        if a.is_quantized:
            a, b = a.int_repr(), b.int_repr()
        return a.dtype == b.dtype and torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))
    if isinstance(a, QTensor):
        return same(a.values, b.values) and a.qparams == b.qparams
    return True


def is_a_sentence_of_ours(error: BaseException) -> bool:
    """Say whether qlearn itself raised it, with the rule, or a way out after a colon."""
    frames = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
    called_wrongly = isinstance(error, TypeError) and "argument" in str(error) and len(frames) == 1
    ours = frames[-1].is_relative_to(PACKAGE) and len(str(error)) > 30
    return called_wrongly or (ours and any(mark in str(error) for mark in (":", ";", " must be ")))


def check(call, arguments):
    """Call, and see that a refusal is a sentence and that the arguments are left alone."""
    before = copy.deepcopy(arguments)
    try:
        result = call(**arguments)
    except (ValueError, TypeError) as error:
        assert is_a_sentence_of_ours(error), (arguments, repr(error))
        result = None
    for name, value in arguments.items():
        assert same(value, before[name]), name
    return result


@pytest.mark.parametrize("name", [name for name, entry in PUBLIC.items() if entry.good])
@settings(max_examples=60)
@given(data=st.data())
def test_a_bad_argument_is_refused_with_a_sentence(name, data):
    arguments = dict(PUBLIC[name].good)
    for changed in data.draw(st.lists(st.sampled_from(sorted(arguments)), min_size=1, max_size=2)):
        arguments[changed] = data.draw(JUNK)
    result = check(getattr(qlearn, name), arguments)
    if (
        not PUBLIC[name].keeps_nan
        and isinstance(result, torch.Tensor)
        and result.dtype.is_floating_point
    ):
        assert not result.isnan().any(), arguments


OBSERVERS = [name for name in PUBLIC if name.endswith("Observer")] + [
    "FusedMovingAverageFakeQuantize"
]


@cache
def qparams_of_one_batch(name):
    observer = getattr(qlearn, name)(**PUBLIC[name].good)
    observer(X)
    return observer.qparams()


@pytest.mark.parametrize("name", OBSERVERS)
@settings(max_examples=60)
@given(bad=JUNK)
def test_an_observer_survives_a_bad_batch(name, bad):
    observer = getattr(qlearn, name)(**PUBLIC[name].good)
    observer(X)
    before = qparams_of_one_batch(name)
    parameter = next(iter(inspect.signature(observer).parameters))
    try:
        observer(**{parameter: bad})
    except (ValueError, TypeError) as error:
        assert is_a_sentence_of_ours(error), (bad, repr(error))
        assert observer.qparams() == before
    observer(X)
    assert torch.isfinite(observer.qparams().scale).all()


def test_the_check_can_fail():
    def crashes(x):
        return torch.zeros(2) + torch.zeros(3) if x is None else x

    def changes(x):
        x.zero_()

    with pytest.raises(RuntimeError, match="size of tensor"):
        check(crashes, {"x": None})
    with pytest.raises(AssertionError):
        check(lambda x: int(x), {"x": "a"})
    with pytest.raises(AssertionError):
        check(changes, {"x": X.clone()})
