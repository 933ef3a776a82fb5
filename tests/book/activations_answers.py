"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

APART, DIVIDED, TURNED = "LLM.int8()", "SmoothQuant", "Hadamard"
TOKENS, WHOLE = "nothing, a scale for each token", "nothing, one scale for the input"
ONES, SIGNS = "1 1 1 1 1 1 1 1", "1 −1 1 −1 1 −1 1 −1"
GPTQ, OBSERVER = "GPTQ", "the range of an observer"
INSERT, CALIBRATE = "insert observers", "run a calibration text"
MULTIPLY, ROUND = "multiply the weights by the factors", "round the weights to codes"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # What saves a loud channel, and what one large number sets apart.
    ("above-40-decibels", (APART,), "Look for a second one"),
    ("above-40-decibels", (APART, DIVIDED, TURNED), "4 times smaller"),
    ("above-40-decibels", (APART, DIVIDED, TOKENS), "in every token"),
    ("above-40-decibels", (WHOLE, DIVIDED), "all tokens share"),
    ("share-in-float", ("0.4 %, as before",), "for all of them"),
    ("share-in-float", ("about 2 %",), "With 256 tokens"),
    ("share-in-float", ("nearly all",), "behind the norms"),
    # With pencil and paper.
    ("with-and-without-the-loud", "0.7825 0.781", "That is the exact output"),
    ("with-and-without-the-loud", "0.9325 0.781", "rounded down"),
    ("with-and-without-the-loud", "1.318 1.416", "lies below 0"),
    ("with-and-without-the-loud", "1.0 0.781", "counts, too"),
    ("with-and-without-the-loud", "0.683 1.098", "add its product"),
    ("with-and-without-the-loud", "0.683 0.683", "a step of their own"),
    ("with-and-without-the-loud", "0.683 0.7825", "are still rounded"),
    ("rows-that-gather", (ONES,), "Look for a second row"),
    ("rows-that-gather", (ONES, SIGNS, "1 1 1 −1 1 1 1 1"), "all eight"),
    ("rows-that-gather", (ONES, SIGNS, "1 0 0 0 0 0 0 0"), "spreads it"),
    ("rows-that-gather", (ONES, SIGNS, "1 1 −1 −1 1 −1 1 −1"), "four numbers stay"),
    ("what-ruins-it", ("`x * s` in place of `x / s`",), "even louder"),
    ("what-ruins-it", ("`w / s` in place of `w`",), "divided twice"),
    ("what-ruins-it", ("another `alpha` for `s`",), "With any"),
    ("factor-of-a-factor", "2.83", "part of the inputs"),
    ("factor-of-a-factor", "0.125", "below the line"),
    ("factor-of-a-factor", "22.6", "part of the weights"),
    ("factor-of-a-factor", "8", "the root of 64"),
    ("factor-of-a-factor", "16", "a power, and not a factor"),
    ("factor-of-a-factor", "4096", "The exponents"),
    # What is set apart, and where the sizes of a channel go.
    ("rounded-beside-a-loud-column", "11 0.01", "for all tokens"),
    ("rounded-beside-a-loud-column", "8 0.01", "of its column"),
    ("rounded-beside-a-loud-column", "12 0.5", "which stay in float"),
    ("rounded-beside-a-loud-column", "3 0.01", "And all others"),
    ("rounded-beside-a-loud-column", "9 0.0157", "2.0 stays in float"),
    ("rounded-beside-a-loud-column", "9 0.5", "a scale of its own"),
    ("rounded-beside-a-loud-column", "9 1.27", "one of 127 steps"),
    ("sizes-by-alpha", "16 2", "That is the factor"),
    ("sizes-by-alpha", "4 2", "an alpha of 0"),
    ("sizes-by-alpha", "1 8", "That is the factor"),
    ("sizes-by-alpha", "1 4", "left out the weights"),
    ("sizes-by-alpha", "1 128", "The inputs are divided"),
    ("sizes-by-alpha", "2 1", "The other way round"),
    ("sizes-by-alpha", "256 2", "The inputs are divided"),
    ("sizes-by-alpha", "3 3", "First the two factors"),
    # The quiz.
    ("spread-by-rotation", "1,024", "the square root"),
    ("spread-by-rotation", "2", "with four channels"),
    ("spread-by-rotation", "10", "2¹⁰"),
    ("codes-of-a-token", "2 −1 127 0", "0.65 steps"),
    ("codes-of-a-token", "2, −1, 128, 1", "There is no code 128"),
    ("codes-of-a-token", "2 1 127 1", "lies below 0"),
    ("codes-of-a-token", "127 −64 127 41", "has to reach 25.4"),
    ("scale-for-each-channel", ("Activations differ from text to text.",), "while the model runs"),
    ("scale-for-each-channel", ("There are too many channels.",), "few numbers"),
    ("scale-for-each-channel", ("It does not protect the others.",), "It would"),
    ("look-at-a-text-first", (DIVIDED, GPTQ, OBSERVER, APART), "as they come"),
    ("look-at-a-text-first", (DIVIDED, GPTQ, OBSERVER, TURNED), "the same for all texts"),
    ("look-at-a-text-first", (DIVIDED, GPTQ, "a scale for each token"), "of the token itself"),
    ("look-at-a-text-first", (DIVIDED,), "Look for another one"),
    ("decibels-of-the-others", "4", "Those are bits"),
    ("decibels-of-the-others", "16", "so many times as wide"),
    ("decibels-of-the-others", "12", "Count the doublings"),
    ("decibels-of-the-others", "6", "one bit"),
    ("order-of-smoothquant", (CALIBRATE, INSERT, MULTIPLY, ROUND), "takes note"),
    ("order-of-smoothquant", (INSERT, MULTIPLY, CALIBRATE, ROUND), "come from"),
    ("order-of-smoothquant", (INSERT, CALIBRATE, ROUND, MULTIPLY), "not yet multiplied"),
]
