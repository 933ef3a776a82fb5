"""What functions ask of their arguments, in one place.

Each check raises a TypeError for a wrong type and a ValueError for a wrong value (`check_choice` a
ValueError for both), with the argument's name, the rule and the value.
:mod:`qlearn.checks.codes` and :mod:`qlearn.checks.layers` are imported by their own names, because
they need QParams and QTensor, which need the checks here.
"""

from qlearn.checks.arguments import (
    check_choice,
    check_encloses_zero,
    check_finite_range,
    check_flag,
    check_integer,
    check_number,
    check_quant_range,
    check_sequence,
    check_storage_dtype,
)
from qlearn.checks.tensors import (
    check_axis,
    check_float32,
    check_same_shape,
    check_tensor,
    real_tensor,
)

__all__ = [
    "check_axis",
    "check_choice",
    "check_encloses_zero",
    "check_finite_range",
    "check_flag",
    "check_float32",
    "check_integer",
    "check_number",
    "check_quant_range",
    "check_same_shape",
    "check_sequence",
    "check_storage_dtype",
    "check_tensor",
    "real_tensor",
]
