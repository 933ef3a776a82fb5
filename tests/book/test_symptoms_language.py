"""The page of symptoms on language models that were broken before they were rounded, or read so."""

from __future__ import annotations

import copy
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor, nn

from qlearn import load_language_model, nf4_quantize, quantize_groups, sqnr
from qlearn.course.language.layers import linear_layers
from qlearn.course.language.net import HEADS
from qlearn.formats.nf4 import NF4_LEVELS

WEIGHTS = ("self_attn.q_proj", "mlp.up_proj", "mlp.down_proj")


@pytest.fixture(scope="module")
def model() -> nn.Module:
    return load_language_model()


@pytest.fixture(scope="module")
def weights(model: nn.Module) -> list[Tensor]:
    found = linear_layers(model)
    return [layer.weight.detach() for name, layer in found.items() if name.endswith(WEIGHTS)]


def shares(read: list[Tensor], weights: list[Tensor]) -> tuple[float, float]:
    """Return the page's measure of a file's weights, the smallest and the largest of them."""
    found = [((r - w).norm() / w.norm()).item() for r, w in zip(read, weights, strict=True)]
    return min(found), max(found)


def test_nf4_without_the_mean_of_its_scales(weights: list[Tensor]) -> None:
    read = []
    for weight in weights:
        stored = nf4_quantize(weight, double=True)
        assert stored.quantized_scales is not None
        wrong = stored.scales - stored.quantized_scales.offset
        blocks = stored.dequantize().unflatten(-1, (-1, 64)) * (wrong / stored.scales)[..., None]
        read.append(blocks.flatten(-2))
    low, high = shares(read, weights)
    assert 0.94 < low < high < 1.04


def test_low_halves_without_their_sign(weights: list[Tensor]) -> None:
    read = []
    for weight in weights:
        groups = weight.reshape(-1, 32)
        scale = groups.abs().amax(1, keepdim=True) / 7
        codes = torch.round(groups / scale)
        codes[:, 0::2] %= 16  # as `& 15` gives them
        read.append((codes * scale).view_as(weight))
    low, high = shares(read, weights)
    assert 2.4 < low < high < 2.9
    right = [quantize_groups(w, bits=4, group_size=32).dequantize() for w in weights]
    assert 0.07 < shares(right, weights)[0] < shares(right, weights)[1] < 0.14


def test_a_scale_along_the_other_axis_fits_a_square_weight_alone(model: nn.Module) -> None:
    found = [layer.weight.detach() for layer in linear_layers(model).values()]
    square = [w for w in found if w.shape[0] == w.shape[1]]
    oblong = next(w for w in found if w.shape[0] != w.shape[1])
    assert len(square) > 4
    for axis, (least, most) in ((0, (0.15, 0.45)), (1, (0.0, 0.01))):
        read = []
        for weight in square:
            scale = weight.abs().amax(1) / 127
            codes = torch.round(weight / scale[:, None])
            read.append(codes * (scale[:, None] if axis else scale))
        low, high = shares(read, square)
        assert least < low < high < most
    with pytest.raises(RuntimeError, match="must match the size"):
        torch.round(oblong) * oblong.abs().amax(1)


def test_the_zero_of_the_int4_kernel_is_a_number(weights: list[Tensor]) -> None:
    read: dict[str, list[Tensor]] = {"(8 - z) * s": [], "-z * s": [], "z": []}
    for weight in weights:
        groups = weight.reshape(-1, 32)
        low, high = groups.amin(1, keepdim=True), groups.amax(1, keepdim=True)
        scale = (high - low) / 15
        zero_point = torch.round(-low / scale)
        codes = torch.clamp(torch.round(groups / scale + zero_point), 0, 15)
        zeros = (8 - zero_point) * scale, -zero_point * scale, zero_point
        for name, zero in zip(read, zeros, strict=True):
            read[name].append(((codes - 8) * scale + zero).view_as(weight))
    low, high = shares(read["(8 - z) * s"], weights)
    assert 0.07 < low < high < 0.13
    low, high = shares(read["-z * s"], weights)
    assert 2.1 < low < high < 2.7
    assert shares(read["z"], weights)[0] > 25


def test_nf4_by_its_levels_in_the_place_of_the_middles(weights: list[Tensor]) -> None:
    levels = torch.tensor(NF4_LEVELS)
    middles = (levels[1:] + levels[:-1]) / 2
    for edges, (least, most) in ((levels, (0.17, 0.22)), (middles, (0.07, 0.13))):
        read = []
        for weight in weights:
            groups = weight.reshape(-1, 64)
            scale = groups.abs().amax(1, keepdim=True)
            codes = torch.bucketize(groups / scale, edges).clamp(max=15)
            read.append((levels[codes] * scale).view_as(weight))
        low, high = shares(read, weights)
        assert least < low < high < most


def test_factors_turned_upside_down_change_no_float() -> None:
    x, layer = torch.rand(64, 16) + 0.5, nn.Linear(16, 8).requires_grad_(False)
    x[:, 3] *= 30
    factors = x.abs().amax(0).sqrt()

    def ratio(x: Tensor) -> float:
        sizes = x.abs().amax(0)
        return (sizes.max() / sizes.median()).item()

    for s, better in ((factors, True), (1 / factors, False)):
        smooth = nn.functional.linear(x / s, layer.weight * s, layer.bias)
        assert sqnr(layer(x), smooth) > 100
        assert (ratio(x / s) < ratio(x)) == better


def test_rotary_positions_pass_one_factor_for_both_numbers_that_they_turn(model: nn.Module) -> None:
    tokens = torch.arange(64)[None] % 256
    mixed = torch.linspace(0.5, 4, 128)
    width = mixed.numel() // HEADS // 2
    pairs = mixed.unflatten(0, (-1, 2, width))
    for factors, passes in ((mixed, False), (pairs.amax(1, keepdim=True).expand_as(pairs), True)):
        smoothed = copy.deepcopy(model).requires_grad_(False)
        for layer in smoothed.layers:
            layer.self_attn.q_proj.weight *= factors.flatten()[:, None]
            layer.self_attn.k_proj.weight /= factors.flatten()[:, None]
        assert (sqnr(model(tokens), smoothed(tokens)) > 100) == passes


class Own(nn.Module):
    """A layer of one's own, with codes in its state and a scale beside it."""

    def __init__(self, layer: nn.Linear, *, stored: bool) -> None:
        super().__init__()
        scale = layer.weight.detach().abs().amax(1, keepdim=True) / 127
        self.register_buffer("codes", torch.round(layer.weight.detach() / scale).to(torch.int8))
        if stored:
            self.register_buffer("scale", scale)
        else:
            self.scale = scale


@pytest.mark.parametrize("stored", [False, True])
def test_a_plain_attribute_is_in_no_state_dict(stored: bool) -> None:
    saved, other = (nn.Sequential(Own(nn.Linear(8, 4), stored=stored)) for _ in range(2))
    assert not torch.equal(saved[0].scale, other[0].scale)
    assert str(other.load_state_dict(saved.state_dict())) == "<All keys matched successfully>"
    assert torch.equal(saved[0].scale, other[0].scale) == stored
    lost = [k for m in saved.modules() for k, v in vars(m).items() if isinstance(v, Tensor)]
    assert lost == ([] if stored else ["scale"])


class TiedPair(nn.Module):
    """An embedding, a layer and a head that is the embedding, around one state."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(16, 8), nn.Linear(8, 16, bias=False)
        self.head.weight = self.embed.weight
        self.layer = nn.Linear(8, 8, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.layer(self.embed(x)))


@pytest.mark.parametrize("untied", [False, True])
@torch.no_grad()
def test_a_rotation_turns_a_tied_weight_twice(untied: bool) -> None:
    model, tokens = TiedPair(), torch.arange(16)
    rotated = copy.deepcopy(model)
    if untied:
        rotated.head.weight = nn.Parameter(rotated.head.weight.clone())
    turn = torch.linalg.qr(torch.randn(8, 8, dtype=torch.float64))[0]
    for part in (rotated.embed, rotated.head):
        part.weight.copy_(part.weight.double() @ turn)
    rotated.layer.weight.copy_(turn.T @ rotated.layer.weight.double() @ turn)
    assert (sqnr(model(tokens), rotated(tokens)) > 100) == untied


def test_positions_counted_in_bfloat16_are_few() -> None:
    layer = nn.Module()
    layer.register_buffer("inv_freq", torch.ones(4), persistent=False)
    layer.to(torch.bfloat16)
    assert layer.inv_freq.dtype == torch.bfloat16
    positions = torch.arange(512, 768, dtype=layer.inv_freq.dtype)
    assert len(positions.unique()) == 65


class Shared(nn.Module):
    """Keeps its scale in itself, and waits between two lines until another call has come."""

    def __init__(self) -> None:
        super().__init__()
        self.meet: threading.Barrier | None = None
        self.scale = torch.ones(())

    def forward(self, x: Tensor) -> Tensor:
        self.scale = x.abs().max() / 127
        if self.meet:
            self.meet.wait(60)
        return torch.round(x / self.scale) * self.scale


def test_threads_share_what_a_layer_keeps() -> None:
    layer, inputs = Shared(), [torch.tensor([0.3, 0.1]), torch.tensor([30.0, 11.0])]
    alone = [layer(x) for x in inputs]
    assert all(torch.equal(layer(x), y) for x, y in zip(inputs, alone, strict=True))
    layer.meet = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(layer, inputs))
    assert not all(torch.equal(x, y) for x, y in zip(together, alone, strict=True))
