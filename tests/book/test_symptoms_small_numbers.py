"""The page of symptoms on numbers that are small for the scale, or for what is added to them."""

from __future__ import annotations

import copy
import operator

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
from torch.nn import functional
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from qlearn import simulate, sqnr
from qlearn.course import digits_right, split_digits, trained_digits_net
from tests.book.provoked import SEEN_ON_X86, UNANNOUNCED, calibrated, observed_by_fx

pytestmark = [SEEN_ON_X86, UNANNOUNCED]


def in_small_units() -> tuple[nn.Module, Tensor]:
    """Return a layer, and inputs of which the largest is 1.2e-4."""
    x = torch.linspace(-1.2e-4, 1.2e-4, 64).reshape(8, 8)
    return nn.Sequential(nn.Linear(8, 4, bias=False)).eval(), x


class Enlarged(nn.Module):
    """Multiplies its inputs, and divides either its outputs or its weights."""

    def __init__(self, layer: nn.Linear, factor: float, *, behind: bool = False) -> None:
        super().__init__()
        self.layer, self.factor, self.behind = copy.deepcopy(layer), factor, behind
        if not behind:
            self.layer.weight.data /= factor

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x * self.factor)
        return y / self.factor if self.behind else y


def test_pt2e_gives_no_scale_below_its_eps() -> None:
    model, x = in_small_units()
    graph = convert_pt2e(calibrated(model, x))
    assert [n.args[1] for n in graph.graph.nodes if n.args[1:2] == (2**-12,)] == [2**-12] * 2
    assert len(graph(x).unique(dim=0)) == 1 < len(model(x).unique(dim=0)) == 8
    by_fx = convert_fx(observed_by_fx(model, x))
    assert sqnr(model(x), by_fx(x)) > 30
    for way, healthy in (
        (Enlarged(model[0], 1e4, behind=True), True),
        (Enlarged(model[0], 1e4), False),
    ):
        assert sqnr(model(x), way(x)) > 100
        assert (sqnr(model(x), convert_pt2e(calibrated(way, x))(x)) > 30) == healthy


def test_the_old_dynamic_layer_gives_no_scale_below_6e_5() -> None:
    model, x = in_small_units()
    dynamic = old.quantize_dynamic(model, {nn.Linear})
    assert sqnr(model(1e3 * x), dynamic(1e3 * x)) > 30
    assert sqnr(model(x), dynamic(x)) < 15
    assert len(dynamic(x / 5).unique(dim=0)) == 1 < len(model(x / 5).unique(dim=0))


@pytest.mark.parametrize(
    ("observer", "first", "healthy"),
    [
        (old.MovingAverageMinMaxObserver, True, False),
        (old.MovingAverageMinMaxObserver, False, True),
        (old.MinMaxObserver, True, True),
        (old.MovingAverageMinMaxObserver.with_args(averaging_constant=0.5), True, True),
    ],
    ids=["zeros first", "images alone", "MinMax", "a constant of 0.5"],
)
def test_a_moving_average_starts_from_the_first_batch(
    observer: type, first: bool, healthy: bool
) -> None:
    images = split_digits().train_images[:256]
    own = old.QConfig(
        observer.with_args(dtype=torch.quint8), old.default_per_channel_weight_observer
    )
    model, mapping = trained_digits_net().eval(), old.QConfigMapping().set_global(own)
    graph = prepare_fx(model, mapping, (images[:2],))
    for batch in ([torch.zeros_like(images[:8])] if first else []) + list(images.split(32)):
        graph(batch)
    end = graph.activation_post_process_0.max_val
    assert (end > 0.9 * images.max()) == healthy
    if first and not healthy:
        assert abs(end / images.max() - (1 - 0.99**8)) < 0.01
    assert (digits_right(convert_fx(graph)) > 330) == healthy


class Timed(nn.Module):
    """A number from 0 to 999, times a frequency, as a sine."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("frequencies", torch.tensor([1.0, 0.3, 0.1]))
        self.layer = nn.Linear(3, 3)

    def forward(self, t: Tensor) -> Tensor:
        return self.layer((t[:, None] * self.frequencies).sin())


def test_the_sine_of_a_rounded_time_is_noise() -> None:
    model, t = Timed().eval(), torch.linspace(0, 999, 1000)
    for kept, healthy in ((None, False), (operator.add, False), (operator.mul, True)):
        graph = convert_fx(observed_by_fx(model, t, in_float=kept))
        assert (sqnr(model(t), graph(t)) > 25) == healthy, kept


def test_colours_beside_coordinates_keep_two_or_three_levels() -> None:
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86  # which warns

    colours = torch.linspace(0, 1, 3 * 64).reshape(1, 3, 8, 8)
    places = torch.linspace(0, 126, 2 * 64).reshape(1, 2, 8, 8)
    x, model = torch.cat([colours, places], 1), nn.Sequential()
    model.add_module("stem", nn.Conv2d(5, 8, 3))
    model.stem.weight.data[:, 3:] /= 126  # as a trained one would have
    for engine, step, levels in (("x86", 1, 2), ("qnnpack", 0.5, 3)):
        mapping = old.get_default_qconfig_mapping(engine)
        observed = prepare_fx(copy.deepcopy(model.eval()), mapping, (x,))
        observed(x)
        scale, _ = observed.activation_post_process_0.calculate_qparams()
        assert abs(scale - step) < 0.01
        assert len((colours / scale).round().unique()) == levels
    assert sqnr(model(x), simulate(model, x)(x)) < 15  # which shows this cause
    by_name = old.get_default_qconfig_mapping("x86").set_module_name("stem", None)
    kept = convert_fx(prepare_fx(copy.deepcopy(model), by_name, (x,)))
    assert sqnr(model(x), kept(x)) > 100
    config = x86.get_default_x86_inductor_quantization_config()
    quantizer = x86.X86InductorQuantizer().set_global(config)
    quantizer.set_module_name_qconfig("stem", None)
    exported = prepare_pt2e(torch.export.export(model, (x,)).module(), quantizer)
    exported(x)
    assert sqnr(model(x), convert_pt2e(exported)(x)) > 100


def test_a_pressure_in_bfloat16_has_lost_what_varies() -> None:
    pressure = torch.linspace(101_000, 101_800, 9)
    assert len(pressure.bfloat16().unique()) <= 3
    assert torch.tensor([101_376.0]).bfloat16().nextafter(torch.tensor(1e6).bfloat16()) == 101_888
    exact, late = pressure - 101_325, pressure.bfloat16() - 101_325
    assert sqnr(exact, late.float()) < 10 < 40 < sqnr(exact, exact.bfloat16().float())


def test_codes_are_made_anew_when_their_scale_grows() -> None:
    quiet, loud = torch.linspace(-1, 1, 16), 20.0
    old, new = quiet.abs().max() / 127, torch.tensor(loud / 127)
    codes = (quiet / old).round()
    assert torch.allclose(codes * new, quiet * loud, atol=loud / 127)
    again = (codes * (old / new)).round()
    assert (again * new - quiet).abs().max() <= new / 2 + old / 2


class Onward(nn.Module):
    """The next state of a turning point: a small step is added to the state."""

    def __init__(self) -> None:
        super().__init__()
        self.step = nn.Linear(2, 2, bias=False)
        self.step.weight.data = torch.tensor([[-0.0001, -0.003], [0.003, -0.0001]])

    def forward(self, x: Tensor) -> Tensor:
        return x + self.step(x)


def test_a_step_below_half_a_code_is_never_made() -> None:
    model, angle = Onward().eval(), torch.linspace(0, 6.28, 256)
    states = torch.stack([angle.cos(), angle.sin()], 1)
    whole = convert_fx(observed_by_fx(model, states))
    inner = convert_fx(observed_by_fx(model.step, states))
    exact = rounded = added = states
    for _ in range(400):
        exact, rounded, added = model(exact), whole(rounded), added + inner(added)
    assert torch.equal(whole(rounded), rounded)  # it stands still
    assert sqnr(exact, rounded) < 5 < 20 < sqnr(exact, added)


def test_a_folded_normalization_meets_another_border() -> None:
    conv, x = nn.Conv2d(1, 4, 3, padding=1).eval(), torch.rand(4, 1, 8, 8)
    mean, std = 0.5, 0.25
    folded = nn.Conv2d(1, 4, 3, padding=1)
    folded.weight.data = conv.weight.data / std
    folded.bias.data = conv.bias.data - mean * folded.weight.data.sum((1, 2, 3))
    wanted, found = conv((x - mean) / std), folded(x)
    assert sqnr(wanted, found) < 20
    assert sqnr(wanted[..., 1:-1, 1:-1], found[..., 1:-1, 1:-1]) > 100
    folded.padding = (0, 0)
    assert sqnr(wanted, folded(functional.pad(x, (1, 1, 1, 1), value=mean))) > 100


def test_what_is_60_decibels_quieter_than_the_loudest_becomes_0() -> None:
    loud, quiet = 1.0, 10 ** (-60 / 20)
    for codes in (127, 255):  # of FX for x86, and of PT2E
        step = 2 * loud / codes
        assert round(quiet / step) == 0
    assert round(3000 / 255) == 12


def test_an_index_of_bytes_is_taken_for_a_mask() -> None:
    codes = torch.tensor([1, 0, 1, 0], dtype=torch.uint8)
    with pytest.warns(UserWarning, match="torch.uint8"):
        assert torch.arange(4)[codes].tolist() == [0, 2]
    assert torch.arange(4)[codes.long()].tolist() == [1, 0, 1, 0]
