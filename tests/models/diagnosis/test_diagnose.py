"""Each check names a model that is broken in its way, and none names a healthy one."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn
from torch.ao.nn.quantized import FloatFunctional
from torch.ao.quantization.quantize_fx import convert_fx
from torchao.quantization import (
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    PerAxis,
    quantize_,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.testing.pt2e._xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)

from qlearn import diagnose, simulate
from qlearn.course import normal
from qlearn.machine import kernels_saturate
from qlearn.models.diagnosis import symptoms, watch
from tests.attention import Attention
from tests.book.provoked import (
    PER_CHANNEL,
    UNANNOUNCED,
    calibrated,
    dynamic,
    observed_by_fx,
    prepared,
    static,
)
from tests.preactivation import Preactivation

pytestmark = UNANNOUNCED
PAGE = Path(__file__).parents[3] / "book" / "reference" / "symptoms.md"
TIME = "The same input gets another answer each time"
SIZE = "The file is not smaller"
NOTHING = "quantize_ or PT2E changed nothing"
SLOW = "The quantized model is slower than float"
EQUAL = "All outputs are equal, or one class always wins"
WORSE = "Fewer right answers than in float"
KERNEL = "One layer of the old API puts out something else"
MACHINE = "Other results on another machine"
NO_DATA = "must run observer before calling calculate_qparams. Returning default values."
LOST = "A small input is lost beside a large one, or a mask makes all scores equal"


def images(seed: int = 1) -> Tensor:
    return normal(20, 2, 6, 6, generator=torch.Generator().manual_seed(seed))


def net() -> nn.Sequential:
    """Return a convolution and two linear layers, whose weights are the same on every machine."""
    model = nn.Sequential(
        nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 5)
    )
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(normal(*weight.shape, generator=generator) * 0.2)
    return model.eval()


def by_eager(x: Tensor, model: nn.Sequential | None = None) -> nn.Module:
    layers = old.QuantStub(), *(model or net()), old.DeQuantStub()
    return static(*layers, x=x, qconfig=PER_CHANNEL)


def by_fx(x: Tensor) -> nn.Module:
    return convert_fx(observed_by_fx(net(), x))


def by_pt2e(x: Tensor) -> nn.Module:
    return convert_pt2e(calibrated(net(), x))


def by_torchao(config: Any, model: nn.Module | None = None) -> nn.Module:
    result = copy.deepcopy(model or net()).eval()
    quantize_(result, config)
    return result


HEALTHY: dict[str, Callable[[], nn.Module]] = {
    "eager": lambda: by_eager(images()),
    "FX": lambda: by_fx(images()),
    "dynamic": lambda: dynamic(net()),
    "weights": lambda: by_torchao(Int8WeightOnlyConfig()),
    "four bits": lambda: by_torchao(IntxWeightOnlyConfig(torch.int4, PerAxis(0))),
    "rows": lambda: by_torchao(Int8DynamicActivationInt8WeightConfig()),
    "simulated": lambda: simulate(net(), images()),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_found_in_a_healthy_model(name: str) -> None:
    found = diagnose(HEALTHY[name](), images(2), net())
    assert not found, str(found)
    assert found.sqnr is not None
    assert found.sqnr > 15
    assert found.looked_at["weight"] == 3


def test_a_graph_computes_in_float_and_carries_the_old_weights() -> None:
    found = diagnose(by_pt2e(images()), images(2), net())
    assert not found.faults
    idle, slow = found
    assert idle.symptom == SIZE
    assert idle.text.startswith("The graph carries float weights along that no node reads: ")
    assert slow.symptom == SLOW


def test_what_was_compiled_is_looked_at() -> None:
    assert diagnose(torch.compile(by_fx(images() * 99)), images(), net())[0].symptom == EQUAL


class Draws(nn.Module):
    """Adds noise, in whatever mode it is."""

    def forward(self, x: Tensor) -> Tensor:
        return x + torch.rand_like(x)


class Units(nn.Module):
    """A layer whose first input is in another unit than the others."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x * torch.tensor([1000.0] + 7 * [1.0]))


def with_dropout() -> tuple[Any, ...]:
    model = by_torchao(Int8WeightOnlyConfig(), nn.Sequential(nn.Linear(8, 4), nn.Dropout()))
    return model.train(), torch.ones(4, 8)


def with_noise() -> tuple[Any, ...]:
    return nn.Sequential(*dynamic(net()), Draws()), images()


def only_prepared() -> tuple[Any, ...]:
    return calibrated(net(), images()), images(), net()


def folded_wrongly() -> tuple[Any, ...]:
    model = Preactivation(copies=False)
    return calibrated(model, images()), images(), model


def attention_of_another_class() -> tuple[Any, ...]:
    model, x = Attention().eval(), normal(6, 5, 8, generator=torch.Generator().manual_seed(3))
    model.qconfig = old.get_default_qconfig("x86")
    return old.prepare(model), x, model


def convolutions_alone() -> tuple[Any, ...]:
    return by_torchao(Int8WeightOnlyConfig(), nn.Sequential(nn.Conv2d(2, 4, 3))), images()


def mostly_convolutions() -> tuple[Any, ...]:
    layers = nn.Conv2d(2, 40, 3), nn.Flatten(), nn.Linear(640, 1)
    return by_torchao(Int8WeightOnlyConfig(), nn.Sequential(*layers)), images()


def never_loaded() -> tuple[Any, ...]:
    model = net()
    model[3].reset_parameters()
    return by_torchao(Int8WeightOnlyConfig(), model), images(), net()


def with_nan() -> tuple[Any, ...]:
    model = by_torchao(Int8WeightOnlyConfig())
    model[5].bias.data[0] = torch.nan
    return model, images(), net()


def without_data() -> tuple[Any, ...]:
    model = nn.Sequential(old.QuantStub(), *net(), old.DeQuantStub()).eval()
    model.qconfig = old.get_default_qconfig("x86")
    return old.convert(old.prepare(model)), images() / 2, net()


def dim_images() -> tuple[Any, ...]:
    return by_fx(images() / 5), images(), net()


def with_an_outlier() -> tuple[Any, ...]:
    return by_pt2e(images() * 300), images(), net()


def of_equal_rows() -> tuple[Any, ...]:
    return by_eager(images() * 3000), images(), net()


def in_other_units() -> tuple[Any, ...]:
    model = Units().eval()
    model.layer.weight.data[:, 0] *= 1e-3
    x = normal(20, 8, generator=torch.Generator().manual_seed(3))
    return simulate(model, x), x, model


def of_two_bits() -> tuple[Any, ...]:
    return by_torchao(IntxWeightOnlyConfig(torch.int2, PerAxis(0))), images(), net()


def with_a_shifted_bias() -> tuple[Any, ...]:
    model = by_torchao(Int8WeightOnlyConfig())
    model[3].bias.data += 3
    return model, images(), net()


class Frozen(nn.Module):
    """Switches gradients off by itself, as people write it to be on the safe side."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = net()

    @torch.no_grad()
    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


def without_gradients() -> tuple[Any, ...]:
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    graph = prepare_pt2e(torch.export.export(Frozen().eval(), (images(),)).module(), quantizer)
    graph(images())
    return convert_pt2e(graph), images()


def never_called() -> tuple[Any, ...]:
    graph = torch.export.export(net(), (images(),)).module()
    return convert_pt2e(prepared(graph, is_dynamic=True)), images(), net()


class Tied(nn.Module):
    """A table of rows that is the last layer's weight, too."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(9, 16), nn.Linear(16, 9, bias=False)
        self.head.weight = self.table.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.table(x))


def tied() -> tuple[Any, ...]:
    model = Tied().eval()
    return by_torchao(Int8WeightOnlyConfig(), model), torch.arange(9)[None], model


def of_uneven_rows() -> tuple[Any, ...]:
    model = net()
    model[3].weight.data[0] *= 5000
    model[5].weight.data[:, 0] /= 5000
    return dynamic(model), images(), model


def boxes_and_scores() -> tuple[Any, ...]:
    model = nn.Sequential(*net(), nn.Linear(5, 6)).eval()
    model[6].weight.data[:2] *= 3000
    return by_eager(images(), model), images(), model


class Sums(nn.Module):
    """One FloatFunctional for a small sum and for a large one."""

    def __init__(self) -> None:
        super().__init__()
        self.small, self.large = old.QuantStub(), old.QuantStub()
        self.sum, self.out = FloatFunctional(), old.DeQuantStub()

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        small, large = self.small(x), self.large(1000 * x)
        return self.out(self.sum.add(small, small)), self.out(self.sum.add(large, large))


def of_one_sum() -> tuple[Any, ...]:
    model, x = Sums().eval(), images().flatten(1)
    return static(model, x=x, qconfig=PER_CHANNEL), x, model


def with_a_loud_row() -> tuple[Any, ...]:
    x = images()
    x[3] *= 1000
    return dynamic(net()), x, net()


BROKEN: dict[Callable[[], tuple[Any, ...]], tuple[str, str]] = {
    with_dropout: (TIME, 'In training mode, or drawing random numbers: "1".'),
    with_noise: (TIME, "A second call gave other outputs."),
    only_prepared: (
        SIZE,
        'is not converted: .* holds observers or fake quantizers: "activation',
    ),
    folded_wrongly: ("A graph of PT2E is wrong before it is calibrated", "was only prepared"),
    attention_of_another_class: (
        KERNEL,
        "nothing is rounded, and -?[0-9]+ dB are left",
    ),
    convolutions_alone: (NOTHING, 'In float: "0.weight"'),
    mostly_convolutions: (SIZE, 'bytes are left. In float: "0.weight"'),
    never_loaded: (WORSE, 'not those of the float model: "3.weight". Were they loaded?'),
    with_nan: ("NaN comes out", 'NaN first comes out of "5"'),
    without_data: (NO_DATA, 'The scale is 1 and the zero point 0, .*: "0"'),
    dim_images: (WORSE, r'At "input_1", [0-9.]+% of the values lie beyond .* The same at "0"'),
    with_an_outlier: (EQUAL, r'At "input_1", the values get [0-9]+ of 256 codes of the ruler'),
    of_equal_rows: (EQUAL, "All 20 rows of the output are equal"),
    in_other_units: (LOST, 'At "layer", 88% of the channels have less than 6 dB when'),
    of_two_bits: (WORSE, 'On the same input, "3" has [0-9]+ dB .* The channels of its weight'),
    with_a_shifted_bias: (WORSE, "one number for each channel: look at bias and zero point"),
    without_gradients: (NOTHING, "Layers are hidden in"),
    never_called: (NO_DATA, "All scales of weights are 1: .* Was the prepared graph ever called"),
    tied: (SIZE, 'is stored more than once here: "table.weight", "head.weight"'),
    of_uneven_rows: (WORSE, '15 of 16 rows of "3.weight" became 0'),
    boxes_and_scores: (
        "One branch of a cat loses nearly everything",
        "67% of the columns of an output have less than 6 dB",
    ),
    of_one_sum: (LOST, "At .*, the values get [0-9]+ of 256 codes of the ruler"),
    with_a_loud_row: ("The same input gets other answers in another batch", "Rows by themselves"),
}


def test_a_kernel_that_multiplies_otherwise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    right = watch.expected_codes
    monkeypatch.setattr(watch, "expected_codes", lambda *given: right(*given) - 3)
    found = diagnose(by_eager(images()), images(2), net())
    [text] = [each.text for each in found if each.symptom in (KERNEL, MACHINE)]
    assert re.match('At "1", quantized::conv2d gives [0-9.]+% of its codes wrong, by up to', text)


def test_a_kernel_that_saturates_is_named() -> None:
    model, x = nn.Sequential(nn.Linear(64, 4, bias=False)).eval(), torch.ones(8, 64)
    with torch.no_grad():
        model[0].weight.fill_(1)
    wide = old.QConfig(
        activation=old.MinMaxObserver.with_args(dtype=torch.quint8),
        weight=old.MinMaxObserver.with_args(dtype=torch.qint8, qscheme=torch.per_tensor_symmetric),
    )
    quantized = static(old.QuantStub(), model[0], old.DeQuantStub(), x=x, qconfig=wide)
    found = {each.symptom for each in diagnose(quantized, x)}
    assert found == ({MACHINE} if kernels_saturate() else set())


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_model_is_named(broken: Callable[[], tuple[Any, ...]]) -> None:
    symptom, words = BROKEN[broken]
    found = diagnose(*broken())
    assert any(each.symptom == symptom and re.search(words, each.text) for each in found), str(
        found
    )


def test_the_titles_are_those_of_the_page() -> None:
    titles = re.findall(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), re.M)
    for symptom in [*(symptom for symptom, _ in BROKEN.values()), KERNEL, MACHINE, SLOW]:
        assert symptom in titles
    named = [title for name, title in vars(symptoms).items() if name.isupper() and name != "STORED"]
    assert len(named) >= 15
    assert set(named) <= set(titles)
