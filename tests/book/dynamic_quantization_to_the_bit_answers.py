"""Wrong answers to the questions of the page to the bit, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

TAKEN_BACK, CONV = "`{nn.Linear: D, 'fc': None}`", "`{nn.Conv1d}`"
MISSPELLED, TABLES = "`{'fcc'}`", "`None, torch.quint8`"
NOTHING = (TAKEN_BACK, CONV, MISSPELLED, TABLES)

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("swapped-by-one-call", ("`conv`", "`lstm`", "`fc`"), "no convolution is swapped"),
    ("swapped-by-one-call", ("`relu`", "`lstm`", "`fc`"), "no weights"),
    ("swapped-by-one-call", ("`lstm`", "`fc`", "the model itself"), "keeps its class"),
    ("swapped-by-one-call", ("`fc`",), "Look for another one"),
    # Which of the twelve calls do nothing, in silence.
    ("calls-that-swap-nothing", ("`{nn.LSTM: D}`", *NOTHING), "can be swapped"),
    ("calls-that-swap-nothing", (TAKEN_BACK, "`{'': D}`", CONV), "The empty name"),
    ("calls-that-swap-nothing", (CONV, MISSPELLED, "`None, torch.float16`"), "Weights in half"),
    ("calls-that-swap-nothing", (*NOTHING, "`None, torch.int8`"), "that is an error"),
    ("calls-that-swap-nothing", (CONV, "`{nn.Linear: D}, torch.float16`"), "dtype is ignored"),
    ("calls-that-swap-nothing", (CONV, MISSPELLED), "Look for another one"),
    ("pixels-by-sixteen", ("as many as before",), "So does the float model"),
    ("pixels-by-sixteen", ("about 300",), "Where does their ruler end"),
    ("pixels-by-sixteen", ("none",), "one of ten"),
    ("input-of-eight-steps", ("each step by itself",), "wait for the step before"),
    ("input-of-eight-steps", ("both",), "so do the codes"),
    ("input-of-eight-steps", ("neither",), "must be left"),
    ("file-with-a-script-object", ("It loads everything.",), "neither a tensor"),
    ("file-with-a-script-object", ("It loads everything but the LSTM.",), "no way to leave"),
    (
        "file-with-a-script-object",
        ("It refuses, because of quantized tensors.",),
        "its file was loaded",
    ),
    ("layers-that-get-faster", ("all four",), "in each call"),
    ("layers-that-get-faster", ("the two with one row",), "whatever the size"),
    ("layers-that-get-faster", ("the three linear layers",), "to use it once"),
    # In the exercises.
    ("factor-of-three-and-a-half", "1 84", "3.25"),
    ("factor-of-three-and-a-half", "2 42", "left of KN"),
    ("factor-of-three-and-a-half", "2, 12", "= 2"),
    ("factor-of-three-and-a-half", "2 24", "2.7"),
    ("factor-of-three-and-a-half", "64 84", "does not depend on the outputs"),
    ("cell-and-sequence", ("the LSTM that gets all rows at once",), "With which range"),
    ("cell-and-sequence", ("both",), "differ from each other"),
    ("cell-and-sequence", ("neither",), "ranges of the inputs"),
    ("plain-checkpoint", ("its codes", "its scale", "its zero point"), "the zero point 0"),
    ("plain-checkpoint", ("its float weights",), "rounded away"),
    ("plain-checkpoint", ("its codes", "its scale", "its tiles for FBGEMM"), "makes them again"),
    ("plain-checkpoint", ("its codes",), "Look for another one"),
]
