"""What the chapter on static quantization says beside its outputs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache

import pytest
import torch
from torch import Tensor, nn
from torch.ao import quantization as tq
from torch.ao.quantization import quantize_fx
from torch.nn.utils.fusion import fuse_conv_bn_weights

from qlearn import HistogramObserver, choose_qparams, layer_table, simulate, sqnr
from qlearn.course import digits_right, split_digits, trained_digits_net
from qlearn.course.broken.nets import fold_batch_norms
from qlearn.course.exercises.chapters.static_quantization import (
    FOLD,
    Ends,
    calibrations,
    fold,
    watched,
    wider,
)
from qlearn.course.exercises.exercise import Case
from qlearn.course.static_graph import static_graph
from qlearn.machine import use_engine
from qlearn.models.simulate import replaced
from qlearn.models.simulated_layer import SimulatedLayer, weight_qparams

IMAGES = split_digits().test_images
CALIBRATION = split_digits().train_images[:100]
PER_TENSOR = "quantized_decomposed.quantize_per_tensor"


@cache
def folded() -> nn.Module:
    """Return the float network without batch norms."""
    return fold_batch_norms(trained_digits_net())


def simulated(**options: object) -> nn.Module:
    """Return it with rounded tensors, calibrated as on the page."""
    return simulate(folded(), CALIBRATION, observer=HistogramObserver, **options)  # type: ignore[arg-type]


def at(model: nn.Module, name: str) -> Tensor:
    """Return what a module puts out for the test images."""
    seen: list[Tensor] = []
    hook = model.get_submodule(name).register_forward_hook(lambda _, __, y: seen.append(y))
    with torch.no_grad():
        model(IMAGES)
    hook.remove()
    return seen[0]


def test_the_simulation_is_about_as_exact_as_the_graph() -> None:
    exact = at(folded(), "fc")
    with torch.no_grad():
        graph = sqnr(exact, static_graph(trained_digits_net(), [CALIBRATION])(IMAGES))
    assert graph == pytest.approx(41.7, abs=0.1)
    assert sqnr(exact, at(simulated(), "fc")) == pytest.approx(42.0, abs=0.1)


def test_pooling_and_flattening_keep_the_step() -> None:
    graph = static_graph(trained_digits_net(), [CALIBRATION])
    steps = [node.args[1] for node in graph.graph.nodes if str(node.target).startswith(PER_TENSOR)]
    assert len(steps) == 5
    assert len(set(steps[2:])) == 1


def test_the_error_of_conv1_grows_on_its_way() -> None:
    alone = {name: simulated(layers=[name]) for name in ("conv1", "conv2")}
    behind = [sqnr(at(folded(), "conv2"), at(model, "conv2")) for model in alone.values()]
    in_logits = [sqnr(at(folded(), "fc"), at(model, "fc")) for model in alone.values()]
    assert behind == pytest.approx([39.4, 38.6], abs=0.2)
    assert in_logits == pytest.approx([45.8, 49.1], abs=0.2)


def test_input_and_weight_have_about_equal_parts_in_the_error_of_conv2() -> None:
    parts = []
    for option in ("weight_bits", "activation_bits"):
        model = simulated(**{option: None})
        parts.append(layer_table(folded(), model, IMAGES)[1].own)
    assert abs(parts[0] - parts[1]) < 2


def test_with_one_image_the_first_ruler_does_most_harm() -> None:
    one, hundred = (
        simulate(folded(), CALIBRATION[:n], observer=HistogramObserver) for n in (1, 100)
    )
    exact, found = at(folded(), "fc"), {}
    for mended in ("none", "conv1", "conv2", "fc"):
        model = copy.deepcopy(one)
        if mended != "none":
            replaced(model, mended, hundred.get_submodule(mended))
        found[mended] = sqnr(exact, at(model, "fc"))
    assert found["conv1"] > found["none"] + 10
    assert max(found["conv2"], found["fc"]) < found["none"] + 1


def test_the_last_batch_alone_is_a_bad_calibration() -> None:
    net, batches = calibrations()[1].args
    right = [digits_right(with_ends(net, batches, keep)) for keep in (lambda old, new: new, wider)]
    first = digits_right(with_ends(net, batches[:1], wider))
    assert [*right, first] == [76, 348, 348]


def with_ends(
    net: nn.Module, batches: list[Tensor], keep: Callable[[Ends, Ends], Ends]
) -> nn.Module:
    """Return the network with the rulers that the exercise's calibration chooses."""
    model = copy.deepcopy(net)
    for name, ends in watched(keep)(net, batches).items():
        layer = model.get_submodule(name)
        ruler = choose_qparams(*ends, dtype=torch.uint8)
        per_channel = weight_qparams(layer.weight, 8, per_channel=True)
        replaced(model, name, SimulatedLayer(layer, ruler, per_channel))
    return model


@pytest.mark.parametrize("case", FOLD.tried(), ids=lambda case: case.about)
def test_the_exercise_folds_as_torch_does(case: Case) -> None:
    weight, bias, mean, variance, gamma, beta, eps = case.args
    folded = fuse_conv_bn_weights(weight, bias, mean, variance, eps, gamma, beta)
    assert all(map(torch.allclose, fold(*case.args), folded))


def test_the_first_image_is_not_the_brightest() -> None:
    assert CALIBRATION[0].max() == 15 / 16
    assert CALIBRATION.max() == 1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (nn.Linear, (4, 4), "mat1 and mat2 must have the same dtype, but got QUInt8 and Float"),
        (nn.Conv2d, (4, 4, 1), r"Input type \(c10::quint8\) and bias type \(float\) should be"),
    ],
    ids=["linear", "convolution"],
)
def test_a_float_layer_that_gets_codes_names_the_types(
    kind: type[nn.Module], arguments: tuple[int, ...], message: str
) -> None:
    model = tq.QuantWrapper(nn.Sequential(kind(*arguments), kind(*arguments))).eval()
    model.qconfig = tq.get_default_qconfig(use_engine())
    model.get_submodule("module.1").qconfig = None  # type: ignore[assignment]
    x = torch.ones(1, *([4] if kind is nn.Linear else [4, 2, 2]))
    prepared = tq.prepare(model)
    prepared(x)
    with pytest.raises(RuntimeError, match=message):
        tq.convert(prepared)(x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("operator", "in_codes"), [(nn.Hardswish, True), (nn.SiLU, False)], ids=["kernel", "none"]
)
def test_none_does_not_keep_an_operator_with_a_kernel_in_float(
    operator: type[nn.Module], in_codes: bool
) -> None:
    model = nn.Sequential(nn.Linear(4, 4), operator(), nn.Linear(4, 4)).eval()
    mapping = tq.get_default_qconfig_mapping(use_engine()).set_object_type(operator, None)
    prepared = quantize_fx.prepare_fx(model, mapping, (torch.ones(2, 4),))
    prepared(torch.ones(2, 4))
    graph = quantize_fx.convert_fx(prepared).graph
    called = [node.name for node in graph.nodes if node.op.startswith("call")]
    assert sum(name.startswith("dequantize") for name in called) == (1 if in_codes else 2)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (nn.PReLU(), "Got QUInt8 and Float"),
        (nn.ConvTranspose2d(3, 2, 1), "from the 'QuantizedCPU' backend"),
        (nn.Conv2d(3, 2, 1, bias=False), "from the 'QuantizedCPU' backend"),
    ],
    ids=["prelu", "transposed", "no bias"],
)
def test_other_float_layers_that_get_codes_name_types_or_a_backend(
    layer: nn.Module, message: str
) -> None:
    codes = torch.quantize_per_tensor(torch.ones(1, 3, 4, 4), 0.1, 0, torch.quint8)
    with pytest.raises(RuntimeError, match=message):
        layer(codes)
