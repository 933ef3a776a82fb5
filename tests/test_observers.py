"""The minimum and maximum observers against torch's, in every bit, on streams of batches."""

import math
import warnings

import pytest
import torch
from torch.ao.quantization import observer as torch_observers

import qlearn
from tests.hard_values import random_code, same_bits

KINDS = {
    "MinMaxObserver": {},
    "MovingAverageMinMaxObserver": {"averaging_constant": 0.013},
    "PerChannelMinMaxObserver": {"axis": 1},
    "MovingAveragePerChannelMinMaxObserver": {"axis": 1, "averaging_constant": 0.3},
}
OPTIONS = {
    "plain": {"dtype": torch.uint8},
    "int8-symmetric": {"dtype": torch.int8, "symmetric": True},
    "reduced": {"dtype": torch.uint8, "reduce_range": True},
    "int32": {"dtype": torch.int32, "symmetric": True},
    "-127..127": {"dtype": torch.int8, "symmetric": True, "quant_min": -127, "quant_max": 127},
}
STREAMS = 25


def torch_twin(kind, own, options):
    """Make torch's observer of the same name with the same options."""
    per_channel = "PerChannel" in kind
    scheme = "symmetric" if options.get("symmetric") else "affine"
    translated = {"ch_axis" if name == "axis" else name: value for name, value in own.items()}
    rest = {name: value for name, value in options.items() if name != "symmetric"}
    qscheme = getattr(torch, f"{'per_channel' if per_channel else 'per_tensor'}_{scheme}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # reduce_range warns that it will go
        return getattr(torch_observers, kind)(qscheme=qscheme, **translated, **rest)


def stream(seed, channels=3):
    """Yield batches: growing, shrinking, constant, one-sided, with outliers, one empty."""
    generator = torch.Generator().manual_seed(seed)
    magnitude = 10.0 ** random_code(-5, 4, generator)
    growth = [0.5, 1.0, 2.0][seed % 3]
    for i in range(random_code(1, 6, generator)):
        rows = random_code(1, 7, generator)
        x = torch.randn(rows, channels, 4, generator=generator) * magnitude * growth**i
        kind = random_code(0, 5, generator)
        if kind == 0:
            x = x.abs()
        elif kind == 1:
            x = -x.abs()
        elif kind == 2:
            x = torch.full_like(x, x[0, 0, 0].item())
        elif kind == 3:
            x[0, 0, 0] *= 1000
        yield x.transpose(0, 2).transpose(0, 2) if kind == 4 else x
    yield torch.zeros(0, channels, 4)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_qparams_equal_torchs_after_every_batch(kind, options):
    for seed in range(STREAMS):
        ours = getattr(qlearn, kind)(**KINDS[kind], **options)
        torchs = torch_twin(kind, KINDS[kind], options)
        for x in stream(seed):
            assert ours(x) is x
            torchs(x)
            scale, zero_point = torchs.calculate_qparams()
            qparams = ours.qparams()
            assert same_bits(qparams.scale.reshape(-1), scale), (seed, x)
            assert torch.equal(qparams.zero_point.reshape(-1).long(), zero_point.long())


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_batch_leaves_the_state_whole(kind):
    observer = getattr(qlearn, kind)(**KINDS[kind])
    observer(torch.tensor([[-1.0, 2.0], [0.5, 3.0]]))
    before = observer.qparams()
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="1 values that are infinite or NaN"):
            observer(torch.tensor([[9.0, bad], [0.0, 9.0]]))
    with pytest.raises(TypeError, match="float64"):
        observer(torch.zeros(2, 2, dtype=torch.float64))
    if observer.axis is not None:
        with pytest.raises(ValueError, match=r"3 channels .* has seen 2"):
            observer(torch.ones(2, 3))
        with pytest.raises(ValueError, match="axis 1 does not exist"):
            observer(torch.ones(2))
    assert observer.qparams() == before


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_seen_is_no_range(kind):
    observer = getattr(qlearn, kind)(**KINDS[kind])
    observer(torch.zeros(0, 3))
    with pytest.raises(ValueError, match="seen no values"):
        observer.qparams()


def test_the_batch_is_not_kept():
    """A later change of the batch must not change what was observed."""
    observer = qlearn.PerChannelMinMaxObserver()
    x = torch.tensor([[1.0], [2.0]])
    observer(x)
    x.zero_()
    assert observer.max_val.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("constant", [0.0, -0.1, 1.1, math.nan, "x"])
def test_bad_averaging_constants(constant):
    with pytest.raises(ValueError, match="averaging_constant is"):
        qlearn.MovingAverageMinMaxObserver(averaging_constant=constant)


def test_bad_options_are_refused_when_the_observer_is_made():
    with pytest.raises(ValueError, match="both or neither"):
        qlearn.MinMaxObserver(quant_min=0)
    with pytest.raises(ValueError, match="zero point 128"):
        qlearn.MinMaxObserver(symmetric=True, reduce_range=True)
    with pytest.raises(TypeError, match="axis is 'x'"):
        qlearn.PerChannelMinMaxObserver(axis="x")
