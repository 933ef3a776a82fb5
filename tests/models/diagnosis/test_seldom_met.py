"""Models as one seldom meets them: each is looked at, and no healthy one is blamed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn
from torch.ao.nn.intrinsic import LinearReLU
from torch.ao.quantization.quantize_fx import convert_fx, convert_to_reference_fx
from torchao.quantization import Int8WeightOnlyConfig, quantize_

from proofs.torch_engine import torch_engine
from qlearn import diagnose
from qlearn.course import normal
from qlearn.machine import working_engines
from tests.book.provoked import (
    SEEN_ON_X86,
    UNANNOUNCED,
    dynamic,
    observed_by_fx,
    prepared_for_training,
    static,
)

pytestmark = UNANNOUNCED
WORSE = "Fewer right answers than in float"
PER_TENSOR = old.QConfig(
    activation=old.MinMaxObserver.with_args(dtype=torch.quint8), weight=old.default_weight_observer
)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return normal(*shape, generator=torch.Generator().manual_seed(seed))


def linear(*sizes: int) -> nn.Sequential:
    """Return linear layers with a ReLU between two, whose weights are always the same."""
    layers: list[nn.Module] = []
    for seed, (inputs, outputs) in enumerate(pairwise(sizes)):
        layer = nn.Linear(inputs, outputs, bias=False)
        with torch.no_grad():
            layer.weight.copy_(drawn(outputs, inputs, seed=seed) / inputs**0.5)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1]).eval()


def test_a_model_against_itself() -> None:
    model = linear(8, 8, 4)
    [found] = diagnose(model, drawn(5, 8), model)
    assert found.symptom == "quantize_ or PT2E changed nothing"


def test_layers_that_both_models_share() -> None:
    model = nn.Sequential(*linear(8, 8, 8), nn.Unflatten(1, (2, 2, 2)), nn.AvgPool2d(2))
    assert not diagnose(convert_fx(observed_by_fx(model, drawn(9, 8))), drawn(9, 8), model)


def test_a_program_of_torchscript() -> None:
    model = linear(8, 8, 4)
    traced = torch.jit.trace(dynamic(model), drawn(5, 8))
    assert not diagnose(traced, drawn(5, 8, seed=1), model).left_out


def test_layers_that_were_fused_with_the_next_one() -> None:
    model = linear(8, 8, 8, 4)
    fused = old.fuse_modules(model, [["0", "1"], ["2", "3"]])
    quantized = old.quantize_dynamic(fused, {nn.Linear, LinearReLU})
    assert not diagnose(quantized, drawn(9, 8), model)


def test_a_norm_that_was_folded_into_a_layer_in_float() -> None:
    conv, norm = nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3)
    norm.weight.data.mul_(torch.tensor([4.0, -3, 2]))
    model = nn.Sequential(conv, norm, nn.Flatten(), nn.Linear(48, 4)).eval()
    quantized = dynamic(old.fuse_modules(model, [["0", "1"]]))
    found = diagnose(quantized, drawn(9, 2, 6, 6), model)
    assert not [each for each in found if each.symptom == WORSE]


@pytest.mark.parametrize("engine", ["onednn", "x86", "qnnpack"])
def test_codes_with_a_sign_where_an_engine_has_them(engine: str) -> None:
    if engine not in working_engines():
        pytest.skip(f"{engine} does not run here")
    dtype = torch.qint8 if engine == "onednn" else torch.quint8
    signed = old.QConfig(  # seven bits, so that no kernel saturates
        activation=old.MinMaxObserver.with_args(dtype=dtype, reduce_range=True),
        weight=old.default_weight_observer,
    )
    model, x = linear(8, 8, 4), drawn(9, 8)
    with torch_engine(engine):
        quantized = static(old.QuantStub(), *model, old.DeQuantStub(), x=x / 2, qconfig=signed)
        found = diagnose(quantized, x / 2)
    assert found.looked_at["kernel"] >= 2
    assert not found


@SEEN_ON_X86
def test_a_transposed_convolution_of_x86() -> None:
    if "x86" not in working_engines():
        pytest.skip("x86 does not run here")
    x = drawn(4, 4, 6, 6)
    with torch_engine("x86"):
        layers = old.QuantStub(), nn.ConvTranspose2d(4, 3, 3), old.DeQuantStub()
        [found] = diagnose(static(*layers, x=x, qconfig=PER_TENSOR), x)
    assert found.text.startswith('At "1", quantized::conv_transpose2d gives ')


def test_a_simulation_of_fx() -> None:
    model = linear(8, 8, 4)
    reference = convert_to_reference_fx(observed_by_fx(model, drawn(9, 8)))
    found = diagnose(reference, drawn(9, 8), model)
    assert [each.symptom for each in found] == ["The file is not smaller"]
    assert not found.left_out


def test_a_hook_of_a_graph_counts() -> None:
    model = linear(8, 8, 4)
    quantized = convert_fx(observed_by_fx(model, drawn(9, 8)))
    quantized.register_forward_hook(lambda _, given, y: 3 * y)
    found = diagnose(quantized, drawn(9, 8), model)
    assert found.sqnr is not None
    assert found.sqnr < 0


def block() -> nn.Sequential:
    """Return a convolution with a batch norm, and one whose numbers a kernel of ours spoils."""
    layers = nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Conv2d(3, 3, 3), nn.Tanh()
    layers[1].weight.data.mul_(torch.tensor([4.0, 3, 2]))
    return nn.Sequential(*layers).eval()


def test_the_first_wrong_part_is_no_layer_that_holds_the_next() -> None:
    model = block()
    fused = old.fuse_modules(model, [["0", "1", "2"]])
    fused[4] = nn.Hardtanh(-0.01, 0.01)
    found, *_ = [
        each for each in diagnose(fused, drawn(9, 2, 8, 8), model) if each.symptom == WORSE
    ]
    assert found.text.startswith('Between "3" and "4" the numbers become others than in float')


def test_quantization_in_training_is_healthy_while_its_observers_move() -> None:
    model, x = block().train(), drawn(9, 2, 8, 8)
    graph: Any = prepared_for_training(model, x)
    graph(x)
    found = diagnose(graph, x)
    assert [each.symptom for each in found.faults] == ["The file is not smaller"]
    assert not found.left_out


def test_a_tensor_with_a_history_in_an_attribute() -> None:
    model = linear(8, 4)
    quantized = dynamic(model)
    quantized.seen = model(drawn(3, 8))
    assert not diagnose(quantized, drawn(3, 8), model)


@dataclass
class Answer:
    """What a model of transformers puts out, in short."""

    logits: Tensor
    loss: None = None


class Answering(nn.Module):
    """Puts out a dataclass."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = linear(8, 8, 4)

    def forward(self, x: Tensor) -> Answer:
        return Answer(self.layers(x))


def test_a_dataclass_holds_the_outputs() -> None:
    model = Answering().eval()
    found = diagnose(dynamic(model), drawn(5, 8), model)
    assert found.sqnr is not None
    assert found.sqnr > 25


class Heads(nn.Module):
    """Puts out two tensors, of which the second depends on small numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.large, self.small = linear(8, 4), linear(8, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.large(x), self.small(x)


def test_the_worst_output_counts() -> None:
    model = Heads().eval()
    quantized = dynamic(model)
    quantized.small = nn.Sequential(quantized.small[0], nn.Threshold(9.0, 0.0))
    found = diagnose(quantized, drawn(9, 8), model)
    assert found.sqnr == 0
    first, equal = found.faults
    assert equal.text == "All 9 rows of the output are equal."
    assert first.text.startswith('Between "small.0" and "small" the numbers become others')


class Steps(nn.Module):
    """Keeps what it was given, and branches by an operator."""

    def __init__(self) -> None:
        super().__init__()
        self.layers, self.kept, self.calls = linear(8, 8), [], 0

    def forward(self, x: Tensor) -> Tensor:
        self.kept.append(x)
        self.calls += 1
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (self.layers(x),))


def test_what_a_model_keeps_and_how_it_branches() -> None:
    model = Steps().eval()
    quantized = dynamic(model)
    found = diagnose(quantized, drawn(5, 8), model)
    assert not found.left_out
    assert (quantized.kept, quantized.calls, model.calls) == ([], 0, 0)


def test_ranges_of_quantization_in_training_are_measured() -> None:
    x = drawn(8, 2, 6, 6)
    model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3))
    graph: Any = prepared_for_training(model, x)
    graph(x / 50)
    for part in graph.modules():
        if hasattr(part, "disable_observer"):
            part.disable_observer()
    assert any("of the values lie beyond the ruler" in each.text for each in diagnose(graph, x))


def test_a_float_model_in_training_is_refused() -> None:
    model = nn.Sequential(nn.Linear(8, 4), nn.Dropout())
    quantized = nn.Sequential(nn.Linear(8, 4)).eval()
    quantize_(quantized, Int8WeightOnlyConfig())
    with pytest.raises(ValueError, match='model is in training mode, at "1", .* pass model.eval'):
        diagnose(quantized, drawn(3, 8), model)


def test_an_empty_batch_is_refused() -> None:
    with pytest.raises(ValueError, match="inputs has an empty tensor"):
        diagnose(dynamic(linear(8, 4)), torch.ones(0, 8))


def test_random_numbers_of_others_stay() -> None:
    model = nn.Sequential(nn.Linear(8, 4), nn.Dropout())
    before = torch.get_rng_state()
    diagnose(model, drawn(3, 8))
    assert torch.equal(before, torch.get_rng_state())


class Odd(nn.Module):
    """Fails while somebody listens to its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        if self.layers._forward_hooks:
            raise RuntimeError("no hooks, please")
        return self.layers(x)


def test_what_cannot_be_looked_at_is_said() -> None:
    found = diagnose(dynamic(Odd().eval()), drawn(5, 8))
    assert found.left_out == {"roundings": "RuntimeError: no hooks, please"}
    assert str(found).endswith("Not made: roundings (RuntimeError: no hooks, please)")


def test_a_sparse_input_has_no_place_in_memory() -> None:
    class Bag(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 4)

        def forward(self, x: Tensor) -> Tensor:
            return self.layer(x.to_dense())

    model, x = Bag().eval(), drawn(6, 8).relu().to_sparse()
    quantized = dynamic(model)
    found = diagnose(quantized, x, model)
    assert "roundings" not in found.left_out and found.looked_at["rounding"] == 1
