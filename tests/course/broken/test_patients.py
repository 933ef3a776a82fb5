"""The broken networks: really broken, told apart by the page's table, and healed by its repairs."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn

from qlearn import HistogramObserver, MinMaxObserver, layer_table, simulate
from qlearn.course.broken import CAUSES, layer_names, patients, with_own_scales
from qlearn.course.broken.arithmetic import dropped_zero_point
from qlearn.course.broken.kernels import IntegerLayer, with_kernel
from qlearn.course.broken.menu import menu
from qlearn.course.broken.repairs import made_again

FIVE_POINTS = 18  # answers of 360
LETTERS = list(CAUSES)


def cause(patient) -> str:
    """Follow the table of the chapter: name the cause by measurements alone."""
    enough = patient.promised - FIVE_POINTS // 2
    if patient.right(patient.net) < enough:
        return "white_paper"
    if patient.right() >= enough:
        return "none"
    if patient.right(alone=True) >= enough:
        return "batch_mate"
    rows = layer_table(patient.net, patient.quantized, patient.images)
    worst = min(rows, key=lambda row: row.own)
    if patient.right(with_own_scales(patient.quantized)) >= enough:
        if worst.mean_share > 0.5 and patient.right(menu(patient)["codes < 128"]()) < enough:
            zeros = [_codes(patient, row.name).zero_point.item() for row in rows]
            return "dropped_zero_point" if any(zeros) else "bias_in_wrong_steps"
        return "signed_codes" if worst.own < 5 else "saturating_kernel"
    if patient.right(with_own_scales(patient.quantized, inputs=False)) < enough:
        uneven = max(row.weight_spread for row in rows) > 10
        return "uneven_channels" if uneven else "few_bits"
    if max(row.clipped for row in rows) > 0.05:
        return "dim_calibration"
    if min(row.used for row in rows) < 0.05:
        scales = {_codes(patient, row.name).scale.item() for row in rows}
        return "one_observer" if len(scales) == 1 else "hot_pixel"
    return "outlier_channels" if max(row.input_spread for row in rows) > 50 else "unknown"


def _codes(patient, name):
    return patient.quantized.get_submodule(name).input_qparams


@pytest.mark.parametrize("letter", LETTERS)
def test_it_is_broken_by_five_points_and_named_by_measurements(letter):
    patient = patients()[letter]
    assert patient.promised - patient.right() >= FIVE_POINTS
    assert cause(patient) == CAUSES[letter].__name__


def test_layers_of_the_healthy_networks_have_36_decibels_and_more():
    lowest = min(
        row.own
        for p in (patients()["B"], patients()["E"])
        for observer in (MinMaxObserver, HistogramObserver)
        for row in layer_table(p.net, simulate(p.net, p.calibration, observer=observer), p.images)
    )
    assert 36 < lowest < 37


def test_a_forgotten_zero_point_is_broken_and_named():
    patient = dropped_zero_point()
    assert patient.promised - patient.right() >= FIVE_POINTS
    assert cause(patient) == "dropped_zero_point"


@pytest.mark.parametrize("letter", ["A", "C"])
def test_a_healthy_network_is_found_healthy(letter):
    patient = patients()[letter]
    well = replace(patient, quantized=simulate(patient.net, patient.trained_on[:256]))
    assert cause(well) == "none"
    assert well.promised - well.right() < FIVE_POINTS  # so that the test above can fail
    assert well.right(well.net) == well.promised


HEALS = {
    "A": ["right data"],
    "C": ["per channel", "equalized"],
    "E": ["codes < 128"],
    "F": ["right data", "percentile"],
    "G": ["eq. + bias"],
    "I": ["codes < 128"],
    "J": ["equalized", "layer float"],
    "K": ["right data"],
}


@pytest.mark.parametrize(
    ("letter", "name"), [(letter, name) for letter, names in HEALS.items() for name in names]
)
def test_the_right_repair_heals(letter, name):
    patient = patients()[letter]
    assert patient.promised - patient.right(menu(patient)[name]()) <= 5


def test_what_the_menu_does_not_heal_is_healed_by_the_exact_repair():
    ill = patients()
    inverted = replace(ill["D"], images=1 - ill["D"].images)
    assert inverted.right() == 347
    fixed = simulate(ill["H"].net, ill["H"].calibration)
    assert ill["H"].right(fixed) >= 345
    right_line = with_kernel(ill["B"].quantized, IntegerLayer)
    assert ill["B"].right(right_line) >= 345


def test_the_wrong_repair_does_not_heal():
    for letter, name in (("A", "histogram"), ("G", "layer float"), ("J", "per channel")):
        patient = patients()[letter]
        assert patient.promised - patient.right(menu(patient)[name]()) >= FIVE_POINTS


def test_bias_correction_hides_a_saturating_kernel_and_harms_an_exact_one():
    patient = patients()["E"]
    corrected = menu(patient)["bias"]()
    assert patient.right(corrected) > patient.right() + 3 * FIVE_POINTS
    healthy = with_own_scales(patient.quantized)
    assert patient.right(with_own_scales(corrected)) < patient.right(healthy) - FIVE_POINTS


def test_what_the_page_says_of_single_networks():
    ill = patients()
    assert [_codes(ill["B"], n).zero_point.item() for n in layer_names(ill["B"].quantized)] == [
        0
    ] * 3
    well = simulate(ill["D"].net, ill["D"].trained_on[:256])
    exact = layer_table(ill["D"].net, well, 1 - ill["D"].images)
    rows = layer_table(ill["D"].net, ill["D"].quantized, ill["D"].images)
    for healthy, row in zip(exact, rows, strict=True):
        assert abs(healthy.own - row.own) < 5


def test_the_float_networks_with_other_factors_are_the_same_networks():
    whole = patients()["E"]
    for letter in "CJ":
        same = patients()[letter].answers(patients()[letter].net)
        assert torch.allclose(same, whole.answers(whole.net), atol=1e-4)


def test_made_again_is_the_network_in_service():
    for letter in "ACEFG":
        patient = patients()[letter]
        assert torch.equal(patient.answers(made_again(patient)), patient.answers(patient.quantized))


def test_images_alone_and_in_batches_are_the_same_where_the_batch_does_not_matter():
    patient = patients()["F"]
    together, alone = (patient.answers(patient.quantized, alone=each) for each in (False, True))
    assert torch.allclose(together, alone, atol=1e-4)
    assert len(together) == 360


def test_a_network_without_simulated_layers_has_no_scales_to_take():
    with pytest.raises(ValueError, match="Linear has no SimulatedLayer, so there are no scales"):
        with_own_scales(nn.Linear(2, 2))
