"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

FROM, OLD = "subtract the old zero point", "multiply by the old scale"
NEW = "divide by the new scale"
ROUND, ADD, CLAMP = "round", "add the new zero point", "clamp"
TURNED = "reversing the rows of codes and not their scales"
CUT = "cutting off rows of codes together with their scales"
ZERO = "reading codes with the zero point 0 though they were made with 10"
AGAIN = "dequantizing, and quantizing with the same qparams"
COPIED = "copying codes and qparams into a file"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # The forgotten zero point, a byte that runs over, the end of the codes.
    ("code-of-twenty", "210 127 12.7", "You read it from 0"),
    ("code-of-twenty", "210; −46; −5,6", "would run over"),
    ("code-of-twenty", "200 127 11.7", "Begin to count at 10"),
    ("code-of-twenty", "210 210 20", "There is no code 210"),
    ("code-of-twenty", "210 128 11.8", "they end at 127"),
    ("code-of-twenty", "210 127 20", "What does code 127 mean?"),
    ("code-of-twenty", "210", "Write 3 numbers"),
    # Copied codes, other steps.
    ("codes-in-coarse-steps", "−2 4 7", "You left out the zero point"),
    ("codes-in-coarse-steps", "-16, 40, 70", "Copying them was the mistake"),
    ("codes-in-coarse-steps", "-1 5 8", "add it, do not subtract it"),
    ("codes-in-coarse-steps", "-2 3 6", "−1.6 is nearer to −2 than to −1"),
    ("codes-in-coarse-steps", "-17 39 69", "A step is worth 1 now"),
    ("longer-ruler", ("It rises all the way.",), "nothing is gained any more"),
    ("longer-ruler", ("It falls all the way.",), "counts far more"),
    ("longer-ruler", ("It stays the same until 20 fits, then it jumps.",), "comes back nearer"),
    ("row-nobody-touched", "1", "its codes stayed"),
    ("row-nobody-touched", "12,5", "the largest number of the whole weight"),
    ("row-nobody-touched", "0.086", "It is the other way round"),
    # With pencil and paper.
    ("reach-by-hand", "11.7 20 -1", "half a step"),
    ("reach-by-hand", "12.65 20 -1", "You forgot the zero point"),
    ("reach-by-hand", "11.65 20 -3.1", "which means −1"),
    ("reach-by-hand", "11,65; 20; 0", "Code 0 does not mean 0 here"),
    ("reach-by-hand", "11.65 11.7 -1", "reach to 255"),
    ("codes-left", "102", "How many marks"),
    ("codes-left", "256", "256 codes went in"),
    ("codes-left", "640", "Wider steps need fewer codes"),
    # The quiz.
    ("read-a-code", "-1.5", "You forgot the zero point"),
    ("read-a-code", "-2.2", "You added the zero point"),
    ("read-a-code", "0.8", "to the left of code −14"),
    ("other-meaning", (CUT, TURNED, ZERO), "each row keeps its own"),
    ("other-meaning", (TURNED,), "Another one changes"),
    ("other-meaning", (COPIED, TURNED, ZERO), "the file has both"),
    ("other-meaning", (TURNED, AGAIN, ZERO), "the code that it had"),
    ("quarter-of-the-error", "46", "half the error"),
    ("quarter-of-the-error", "28", "Smaller errors are more decibels"),
    ("quarter-of-the-error", "160", "Decibels are added"),
    ("quarter-of-the-error", "43", "squared"),
    ("order-of-requantizing", (OLD, FROM, NEW, ROUND, ADD, CLAMP), "is counted in steps"),
    ("order-of-requantizing", (FROM, OLD, NEW, ROUND, CLAMP, ADD), "leave the ruler"),
    ("order-of-requantizing", (FROM, OLD, ROUND, NEW, ADD, CLAMP), "no longer whole"),
    ("bits-with-groups", "4.5", "groups of 32"),
    ("bits-with-groups", "4", "The scale has to be stored"),
    ("bits-with-groups", "20", "64 weights share it"),
    ("right-or-decibels", ("The second: it has one right answer more.",), "chance"),
    ("right-or-decibels", ("Neither: 346 and 347 are nearly the same.",), "shows only large"),
    ("right-or-decibels", ("You cannot know without the labels.",), "needs no labels"),
    # What a learner wrote.
    ("code-of-twenty", "210 127 13.7", "You added 10"),
    ("code-of-twenty", "210 127 8.3", "That is the error"),
    ("quarter-of-the-error", "12 dB", "how many are added"),
    ("codes-left", "102.4", "256 codes times 0.4"),
    ("codes-left", "52", "Which code does"),
    # The exercise in code: which scale reads which codes.
    ("first-row-turned", "-6 2", "So it should be"),
    ("first-row-turned", "5.5 1", "the first row before"),
    ("first-row-turned", "22 4", "the second row"),
    ("first-row-turned", "−3 1", "Those are the codes"),
    ("first-row-turned", "0.5 -1.5", "not the columns"),
]
