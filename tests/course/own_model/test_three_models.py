"""The way of the chapter on three models that the course does not use elsewhere."""

import logging

import pytest
import torch

from data_makers.train_own_models import train
from qlearn.course import count_right, split_digits, steady
from qlearn.course.own_model import (
    Method,
    OwnModel,
    advice,
    by_layer,
    coarsest,
    look_at,
    trials,
    without_worst,
)
from qlearn.course.own_model.examples import MODELS, as_words, trained

logging.disable(logging.WARNING)
from torchao.quantization import (  # noqa: E402
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    PerGroup,
)

logging.disable(logging.NOTSET)

METHODS = [
    Method("int8 weights", Int8WeightOnlyConfig()),
    Method("dynamic int8", Int8DynamicActivationInt8WeightConfig()),
    Method("four bits", IntxWeightOnlyConfig(torch.int4, PerGroup(32))),
]
DATA = split_digits()


def inputs(name):
    return as_words(DATA.test_images) if name == "words" else DATA.test_images


def own_model(name):
    x = inputs(name)
    return OwnModel(trained(name), x.split(60), lambda m: count_right(m(x), DATA.test_labels))


@pytest.fixture(scope="module", params=MODELS)
def case(request):
    own = own_model(request.param)
    return request.param, own, trials(own, METHODS)


# Each model's right answers in float and by the three methods; None for a method that stops.
RIGHT = {
    "encoder": [347, 347, 347, 343],
    "rows": [341, 341, 341, None],
    "words": [338, 338, 338, 338],
}


def test_right_answers_are_those_of_the_page(case):
    name, own, found = case
    assert own.value == RIGHT[name][0]
    assert [None if trial.error else trial.value for trial in found] == RIGHT[name]


def test_decibels_in_print_are_the_same_on_other_machines(case):
    # Weights alone are rounded the same everywhere; activations move by about a tenth of a dB.
    for trial in case[2][1:]:
        if not trial.error:
            steady(trial.sqnr, ".0f", margin=2e-3 if "dynamic" in trial.name else 1e-4)


def test_eight_bits_lose_no_answer_and_little_of_the_outputs(case):
    _, own, found = case
    for trial in found[1:3]:
        assert trial.value == own.value
        assert 38 < trial.sqnr < 60


def test_what_nothing_quantizes_is_said():
    reasons = {name: look_at(own_model(name), METHODS).reasons() for name in MODELS}
    assert "in_proj_weight is a parameter and no linear layer" in reasons["encoder"]
    assert "4 inputs, and groups of 32 do not divide them" in reasons["encoder"]
    assert any("recurrent" in reason for reason in reasons["rows"])
    assert any("three axes" in reason for reason in reasons["words"])
    assert any("a parameter of its own" in reason for reason in reasons["words"])


def test_the_table_counts_every_byte_once(case):
    _, own, _ = case
    layers = look_at(own, METHODS)
    assert layers.size == sum(4 * p.numel() for p in own.model.parameters())


def test_the_advice_is_for_the_encoder_int8_and_for_the_others_what_gains():
    chosen = {}
    for name in MODELS:
        own = own_model(name)
        chosen[name] = advice(trials(own, METHODS), may_lose=2)
    assert chosen["encoder"].method == "int8 weights"
    assert chosen["rows"].method == "float32"
    assert "most of the bytes are in layers that no method takes" in chosen["rows"].reason
    assert chosen["words"].method == "int8 weights"


def test_the_layers_errors_add_up_and_the_worst_in_float_gains():
    own = own_model("encoder")
    found = trials(own, METHODS)
    four = coarsest(found, METHODS)
    assert four.name == "four bits"
    errors = by_layer(own, four)
    assert sum(each.share for each in errors) == pytest.approx(1)
    assert [each.name for each in errors[:2]] == ["encoder.layers.0.linear1", "head"]
    # Left in float one after the other, they gain decibels and cost bytes.
    one, two = trials(own, [without_worst(four, errors), without_worst(four, errors, 2)])[1:]
    assert found[3].sqnr < errors[0].without == one.sqnr < two.sqnr
    assert found[3].size < one.size < two.size
    for each in errors:
        steady(each.alone, ".0f", margin=1e-4)
        steady(each.without, ".0f", margin=1e-4)
        steady(each.share, ".0%", margin=1e-4)


def test_the_shipped_models_are_made_by_the_script():
    state = torch.random.get_rng_state()
    x, y = DATA.test_images, DATA.test_labels
    before, after = (count_right(train("rows", epochs)(x), y) for epochs in (0, 8))
    assert before < 100 < 180 < after
    assert torch.equal(torch.random.get_rng_state(), state)
