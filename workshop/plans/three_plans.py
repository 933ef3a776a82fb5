"""Three plans, for 90 minutes, half a day and two days."""

from __future__ import annotations

from workshop.plans import blocks
from workshop.plans.plan import Day, Pause, Plan

ARRIVE = Pause(
    "Arrive",
    5,
    "Everyone opens the address on the board, and on it *Quantize a model tonight*.",
)
ARRIVE_WITH_PYTHON = Pause(
    "Arrive",
    10,
    "Everyone opens the address on the board. Whoever is to run cells starts JupyterLab. If it "
    "does not start, an archive says why, and so does `make doctor` in the folder of the course. "
    "What takes longer goes on while you begin.",
)
BREAK = Pause("Break", 20)
LUNCH = Pause("Lunch", 60)
CLOSE = Pause(
    "Close",
    5,
    "Each writes down one model of their own, what holds most of its bytes, and which number will "
    "tell them that it got worse.",
)

TRY_IT = Pause(
    "Try it",
    15,
    "Whoever has Python puts the lines below *Your own model* of the first chapter into a new "
    "notebook. Whoever has no model writes these before them: `import logging`, "
    "`logging.disable(logging.WARNING)`, `from qlearn.course import "
    "split_digits`, `from qlearn.course.digits.vit import trained_digits_vit`, `digits, model = "
    "split_digits(), trained_digits_vit()`, `inputs, labels = digits.test_images, "
    "digits.test_labels`. The others answer the quiz of that chapter.",
)
PRACTICE = Pause(
    "Practice",
    40,
    "The exercises of *Scale and zero point* and of *Quantize a model tonight*: first those for a "
    "pencil, and then, for whoever has Python, those in code. They check themselves, and nobody "
    "has to do all.",
)
RECALL = Pause(
    "Yesterday",
    10,
    "Each answers the quiz of *Scale and zero point*, alone, before anybody looks anything up.",
)
YOUR_OWN_MODEL = Pause(
    "Your own model",
    60,
    "Alone or in pairs, each takes a model of their own through the steps of *Your own model*. "
    "Whoever has none takes the one on the page.",
)
REPORTS = Pause("Reports", 15, "Three of them show what they found, in five minutes each.")

NINETY_MINUTES = Plan(
    "90-minutes",
    (
        Day(
            "90 minutes",
            90,
            (ARRIVE, blocks.ONE_MODEL, blocks.ONE_NUMBER, blocks.WORST_ROW, CLOSE),
        ),
    ),
)

HALF_A_DAY = Plan(
    "half-a-day",
    (
        Day(
            "Half a day",
            210,
            (
                ARRIVE_WITH_PYTHON,
                blocks.ONE_MODEL,
                blocks.ONE_NUMBER,
                blocks.WORST_ROW,
                BREAK,
                blocks.FROM_DATA,
                blocks.GOT_WORSE,
                blocks.WHICH_ONE,
                TRY_IT,
                CLOSE,
            ),
        ),
    ),
)

TWO_DAYS = Plan(
    "two-days",
    (
        Day(
            "The first day",
            420,
            (
                ARRIVE_WITH_PYTHON,
                blocks.ONE_MODEL,
                blocks.ONE_NUMBER,
                BREAK,
                blocks.WORST_ROW,
                blocks.NO_ZERO,
                blocks.RULER_END,
                LUNCH,
                blocks.FROM_DATA,
                blocks.ONE_LAYER,
                BREAK,
                blocks.JOURNEY,
                blocks.WHOLE_NETWORK,
                PRACTICE,
                CLOSE,
            ),
        ),
        Day(
            "The second day",
            420,
            (
                RECALL,
                blocks.GOT_WORSE,
                blocks.REPAIRS,
                blocks.PROCESSORS,
                BREAK,
                blocks.WHICH_ONE,
                blocks.STEP_BY_STEP,
                LUNCH,
                blocks.FOUR_BITS,
                blocks.LANGUAGE,
                BREAK,
                blocks.FASTER,
                YOUR_OWN_MODEL,
                REPORTS,
                CLOSE,
            ),
        ),
    ),
)

PLANS = (NINETY_MINUTES, HALF_A_DAY, TWO_DAYS)
