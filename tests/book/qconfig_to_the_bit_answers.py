"""Wrong answers to the questions of the page to the bit, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

CALIBRATED = ("`default_qconfig`", "`default_per_channel_qconfig`")
TRAINED = ("`default_qat_qconfig`", "`default_activation_only_qconfig`")

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Codes, steps, and half of either.
    ("largest-size-divided-by", "254", "the whole distance"),
    ("largest-size-divided-by", "255", "how many codes"),
    ("largest-size-divided-by", "128", "does this range end at"),
    ("largest-size-divided-by", "127.5", "one code is left out"),
    ("largest-size-divided-by", "126", "less the first one"),
    ("histogram-with-half-the-codes", "2", "Nearly"),
    ("histogram-with-half-the-codes", "0.498", "The other way round"),
    ("histogram-with-half-the-codes", "1", "by fewer steps"),
    ("histogram-with-half-the-codes", "1.99", "Count the steps"),
    ("histogram-with-half-the-codes", "4", "halves the codes once"),
    # In the exercise.
    ("recipes-of-128-codes", (*CALIBRATED, *TRAINED, "`default_qat_qconfig_v2`"), "successor"),
    ("recipes-of-128-codes", (*CALIBRATED, "`default_dynamic_qconfig`"), "0..255"),
    ("recipes-of-128-codes", (*TRAINED, "`default_quint8_weight_qconfig`"), "0..255"),
    ("recipes-of-128-codes", ("`default_debug_qconfig`",), "no range at all"),
    ("recipes-of-128-codes", (*CALIBRATED, "`default_weight_only_qconfig`"), "alone"),
    ("recipes-of-128-codes", CALIBRATED, "Look for another one"),
]
