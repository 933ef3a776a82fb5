"""The pages on the weights of language models: what they say by hand, and of other libraries."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
import torch
from torch import nn

from proofs.torchao_quietly import torchao
from qlearn import awq_scales, load_language_model, pack, quantize_groups, unpack
from qlearn.course import normal
from qlearn.course.language.layers import linear_layers
from qlearn.course.language.outliers import CHANNELS, with_outliers
from qlearn.course.language.recorded import recorded

FIRST, SECOND = torch.tensor([1.0, 2, 1]), torch.tensor([1.0, 1, 2])


def layer() -> tuple[nn.Sequential, torch.Tensor]:
    """Return a layer, and inputs with a loud channel."""
    generator = torch.Generator().manual_seed(0)
    linear = nn.Sequential(nn.Linear(64, 32, bias=False)).requires_grad_(False)
    linear[0].weight.copy_(normal(32, 64, generator=generator))
    inputs = normal(50, 64, generator=generator)
    inputs[:, 3] *= 30
    return linear, inputs


# ------------------------------------------------------------------ by hand


def test_two_weights_by_hand() -> None:
    share = (FIRST @ SECOND / (SECOND @ SECOND)).item()
    assert share == pytest.approx(5 / 6)
    nearest, moved = 0.4 * FIRST + 0.4 * SECOND, 0.4 * FIRST - 0.6 * SECOND
    assert nearest.tolist() == pytest.approx([0.8, 1.2, 1.2])
    assert moved.tolist() == pytest.approx([-0.2, 0.2, -0.8])
    assert nearest.square().sum().item() == pytest.approx(3.52)
    assert moved.square().sum().item() == pytest.approx(0.72)


def test_the_weights_of_llama_2_and_the_file_of_36_6_gigabytes() -> None:
    def counted(width: int, layers: int, hidden: int, keys: int) -> tuple[int, int]:
        each = 2 * width * width + 2 * width * keys + 3 * width * hidden
        return layers * each, 2 * 32_000 * width

    norms = (2 * 32 + 1) * 4096, (2 * 80 + 1) * 8192
    small, large = counted(4096, 32, 11008, 4096), counted(8192, 80, 28672, 1024)
    assert sum(small) + norms[0] == 6_738_415_616
    assert sum(large) + norms[1] == 68_976_648_192
    assert (large[0] * (4 + 20 / 128) + large[1] * 16) / 8e9 == pytest.approx(36.6, abs=0.05)
    # NF4 has a scale for each 64 weights, in QLoRA of 8 bits, with one in float32 for each 256.
    nested = 4 + 8 / 64 + 32 / (64 * 256)
    assert (small[0] * nested + small[1] * 16) / 8e9 == pytest.approx(3.9, abs=0.05)
    assert small[0] * 2 / 1e12 * 1000 == pytest.approx(13.0, abs=0.1)  # ms at 1 TB a second


def test_what_the_text_says_of_the_record() -> None:
    found = recorded("weights")
    exact, grid = found["float"], {(b, s): f for b, s, f in found["grid"]}
    assert round((grid[4, "tensor"] - exact) / (grid[4, 32] - exact)) == 16
    assert 5 < (grid[3, 8] - exact) / (grid[4, 16] - exact) < 6
    assert f"{grid[4, 16]:.3f}" == f"{grid[4, 32]:.3f}" == "1.318"
    for bits in ("4", "3"):
        for kind in found["methods"][bits].values():
            assert max(kind["GPTQ"]) < min(kind["clipped"], kind["nearest"], *kind["AWQ"])
            assert kind["clipped"] < min(kind["AWQ"])
    assert (
        min(found["methods"]["4"]["channel"]["AWQ"]) > (found["methods"]["4"]["channel"]["nearest"])
    )
    loud = found["outliers"]["4"]["32"]
    assert max(loud["AWQ"]) < min(loud["GPTQ"]) < max(loud["GPTQ"]) < loud["clipped"]


def test_a_weight_that_is_the_largest_of_its_group_lowers_the_step() -> None:
    weight, inputs = torch.tensor([[0.4, 7.0]]), torch.tensor([[9.0, 0.1]])
    steps, outputs = [], []
    for s in (torch.ones(2), torch.tensor([2.0, 1.0]), awq_scales(weight, inputs, group_size=2)):
        grouped = quantize_groups(weight * s, group_size=2)
        steps.append(round(grouped.scales.item(), 2))
        outputs.append(round((inputs / s @ grouped.dequantize().T).item(), 2))
    assert steps == [0.93, 0.93, 0.3]
    assert outputs == [0.65, 4.85, 4.2]


def test_beside_loud_channels_weights_become_0() -> None:
    model = load_language_model()
    shares = []
    for each in (model, with_outliers(model, 30)):
        layers = [f"layers.{i}.mlp.{part}" for i in range(4) for part in ("gate_proj", "up_proj")]
        found = [quantize_groups(linear_layers(each)[n].weight).codes[:, CHANNELS] for n in layers]
        shares.append((torch.cat(found) == 0).double().mean().item())
    assert shares[0] < 0.2
    assert shares[1] > 0.99


def test_the_model_has_the_numbers_that_the_page_says() -> None:
    model = load_language_model()
    assert sum(p.numel() for p in model.parameters()) == 1_115_264
    assert sum(p.numel() for n, p in model.named_parameters() if "proj" in n) == 1_048_576
    share = 47_104 * 16 / 1_048_576
    assert round(share, 2) == 0.72


# ------------------------------------------------------------------ torchao


def test_awq_converts_to_the_prototype_and_not_to_intx() -> None:
    from torchao.prototype.awq import AWQConfig
    from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig

    linear, inputs = layer()
    right = linear(inputs)
    errors = []
    for awq in (False, True):
        one, base = copy.deepcopy(linear), PrototypeInt4WeightOnlyConfig(group_size=32)
        if awq:
            torchao.quantize_(one, AWQConfig(base, step="prepare"))
            one(inputs)
        torchao.quantize_(one, AWQConfig(base, step="convert") if awq else base)
        errors.append((one(inputs) - right).norm().item())
    assert errors[1] < 0.7 * errors[0]
    base = torchao.IntxWeightOnlyConfig(torch.int4, torchao.PerGroup(32))
    torchao.quantize_(linear, AWQConfig(base, step="prepare"))
    linear(inputs)
    with pytest.raises(AssertionError, match="must support activation scaling"):
        torchao.quantize_(linear, AWQConfig(base, step="convert"))


@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
def test_gptq_of_torchao_wants_a_card(capsys: pytest.CaptureFixture[str]) -> None:
    from torchao.prototype.gptq import GPTQConfig

    linear, inputs = layer()
    base = torchao.Int8WeightOnlyConfig()
    torchao.quantize_(linear, GPTQConfig(step="observe", base_config=base))
    linear(inputs)
    with pytest.raises(AssertionError, match="GPTQ only supports CUDA"):
        torchao.quantize_(linear, GPTQConfig(step="convert", base_config=base))
    capsys.readouterr()  # it prints how far it is


# ------------------------------------------------------- files that are read otherwise


def off(read: torch.Tensor, weight: torch.Tensor) -> float:
    """Return the error of a weight in percent, as the page of symptoms measures it."""
    return 100 * ((read - weight).norm() / weight.norm()).item()


def test_a_zero_point_less_one_shows_in_the_error_of_a_weight() -> None:
    weight = normal(256, 512, generator=torch.Generator().manual_seed(0))
    grouped = quantize_groups(weight, symmetric=False)
    less = replace(grouped, zero_points=grouped.zero_points - 1)
    assert off(grouped.dequantize(), weight) == pytest.approx(8, abs=0.5)
    assert off(less.dequantize(), weight) == pytest.approx(29, abs=0.5)


@pytest.mark.parametrize(("spread", "right", "wrong"), [(0.0, 9.5, 27), (1.0, 13, 59)])
def test_groups_that_ignore_the_order_show_in_the_error_of_a_weight(
    spread: float, right: float, wrong: float
) -> None:
    generator = torch.Generator().manual_seed(0)
    sizes = torch.logspace(-spread, spread, 512)[torch.randperm(512, generator=generator)]
    weight = sizes * normal(256, 512, generator=generator)
    order = torch.randperm(512, generator=generator)  # that of the sizes of the inputs
    grouped = quantize_groups(weight[:, order])
    back = order.argsort()
    assert off(grouped.dequantize()[:, back], weight) == pytest.approx(right, abs=1)
    ignored = replace(grouped, codes=grouped.codes[:, back])
    assert off(ignored.dequantize(), weight) == pytest.approx(wrong, abs=1.5)


@pytest.mark.parametrize(("written", "read"), [("onnx", "bitsandbytes"), ("onnx", "awq")])
def test_another_order_of_codes_shows_in_the_error_of_a_weight(written: str, read: str) -> None:
    weight = normal(256, 512, generator=torch.Generator().manual_seed(0))
    grouped = quantize_groups(weight)
    packed = pack(grouped.codes + 8, 4, order=written)
    words = packed.view(torch.int32) if read == "awq" else packed
    codes = unpack(words, 4, order=read).to(torch.int8) - 8
    assert 120 < off(replace(grouped, codes=codes).dequantize(), weight) < 150


def test_a_lower_factor_corrects_nothing() -> None:
    inputs = torch.randn(50, 8)
    inverse = torch.linalg.inv(inputs.T @ inputs)
    lower, upper = (torch.linalg.cholesky(inverse, upper=up) for up in (False, True))
    assert not lower.triu(1).any() and upper.triu(1)[:-1].any(1).all()


# ------------------------------------------------------------------ of the page on activations


def test_rotations_undo_what_makes_channels_loud_and_no_rotation_does_not() -> None:
    figures = recorded("activations")
    assert figures["rotations"]["plain"] == figures["rotations"]["loud"]
    plain, loud = (figures["int8"][kind]["token"] for kind in ("plain", "loud"))
    assert loud > plain + 0.1
