"""Networks that got worse when they were quantized, each for another reason."""

from __future__ import annotations

from functools import cache

from qlearn.course.broken.arithmetic import bias_in_wrong_steps, saturating_kernel, signed_codes
from qlearn.course.broken.data import batch_mate, dim_calibration, hot_pixel, white_paper
from qlearn.course.broken.patient import Patient
from qlearn.course.broken.rulers import few_bits, one_observer, outlier_channels, uneven_channels
from qlearn.course.broken.scales import layer_names, with_own_scales
from qlearn.models.layer_table import layer_table
from qlearn.models.rows import LayerTable

__all__ = ["CAUSES", "Patient", "layer_names", "patients", "with_own_scales", "worst_layers"]

# In an order that tells nothing
CAUSES = {
    "A": dim_calibration,
    "B": bias_in_wrong_steps,
    "C": uneven_channels,
    "D": white_paper,
    "E": saturating_kernel,
    "F": hot_pixel,
    "G": few_bits,
    "H": batch_mate,
    "I": signed_codes,
    "J": outlier_channels,
    "K": one_observer,
}


@cache
def patients() -> dict[str, Patient]:
    """Return the broken networks, each under a letter; ``CAUSES`` says what broke them.

    >>> patients()["A"].promised, patients()["A"].right()
    (348, 219)
    """
    return {letter: make() for letter, make in CAUSES.items()}


def worst_layers(letters: str) -> LayerTable:
    """Return the row of the layer with the largest own error of each of these patients.

    >>> [row.name for row in worst_layers("AJ")]
    ['A conv1', 'J dw1']
    """
    rows = []
    for letter in letters:
        patient = patients()[letter]
        table = layer_table(patient.net, patient.quantized, patient.images)
        row = min(table, key=lambda row: row.own)
        rows.append(row._replace(name=f"{letter} {row.name}"))
    return LayerTable(rows)
