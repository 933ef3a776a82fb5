"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

OF_32, OF_16 = (f"four bits, a scale of 16 bits for each {size} weights" for size in (32, 16))
LARGEST, SCALE = "take the largest size of a weight in the row", "divide it by 127.5"
STEPS, ROUND = "count each weight's steps: multiply by 1 / scale", "round to whole numbers"
BACK = "multiply a code by the scale"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # The number itself, the mark on the wrong side, a place between two marks.
    ("weight-comes-back", "-0.95", "the weight itself"),
    ("weight-comes-back", "-0.8", "4.75 steps"),
    ("weight-comes-back", "-0.9", "No mark lies there"),
    ("weight-comes-back", "1", "Look at the sign"),
    ("weight-comes-back", "-1.2", "nearer to the mark on its right"),
    ("weight-comes-back", "-0.5", "Divide by 0.2"),
    # Four bytes become one, so it must be four times; rounding must cost answers.
    ("int8-vit", ("4 times, and none",), "keep four bytes"),
    ("int8-vit", ("between 3 and 4 times, and about fifty",), "256 marks"),
    ("int8-vit", ("2 times, and none",), "with two bytes"),
    # Half the bits must be half the file.
    ("four-bit-file", ("half as large",), "still takes a byte"),
    ("four-bit-file", ("a little smaller",), "What else"),
    ("four-bit-file", ("just as large",), "How many scales"),
    # With pencil and paper: the sign, cutting off, multiplying, what is an error.
    ("pencil-code", "3 0.75 0.09", "lies below 0"),
    ("pencil-code", "-2 -0.5 0.16", "nearer to −3"),
    ("pencil-code", "-2.64 -0.66 0", "the whole number"),
    ("pencil-code", "-0.165 -0.66 0", "You multiplied"),
    ("pencil-code", "-3 -0.66 0", "not the weight itself"),
    ("pencil-code", "-3 0.75 0.09", "lies below 0"),
    ("pencil-code", "-3 -0.75 -0.09", "without a sign"),
    ("pencil-code", "-3 −0.75 0.36", "in steps"),
    ("pencil-code", "-3, -0.75, 0.125", "half a step at most"),
    ("pencil-code", "-3 -0.75", "Write 3 numbers"),
    ("where-it-is-clipped", "1.1", "the number itself"),
    ("where-it-is-clipped", "1", "the last code is 3"),
    ("where-it-is-clipped", "1.25", "the last code is 3"),
    ("where-it-is-clipped", "-1", "not begin again"),
    ("where-it-is-clipped", "0.5", "Where does the last mark lie"),
    # A scale for each row, and one for sixteen weights.
    ("bits-by-group", "4.01 4.06", "has 32 bits"),
    ("bits-by-group", "0.38 2", "takes four bits, too"),
    ("bits-by-group", "4.38 5", "groups of 32"),
    ("bits-by-group", "36 36", "share a scale"),
    ("bits-by-group", "6 4.38", "the scale for each row comes first"),
    ("bits-by-group", "4.19 5", "has 32 bits"),
    ("bits-by-group", "85 16", "how many weights share"),
    # Two codes in a byte.
    ("two-codes-in-a-byte", "77", "& 15"),
    ("two-codes-in-a-byte", "-43", "goes into the lower half"),
    ("two-codes-in-a-byte", "213", "goes into the lower half"),
    ("two-codes-in-a-byte", "18", "moves it up first"),
    ("two-codes-in-a-byte", "2", "moves it up first"),
    ("two-codes-in-a-byte", "80", "upper half alone"),
    ("two-codes-in-a-byte", "01011101", "Those are its bits"),
    ("two-codes-in-a-byte", "135", "makes 80 of it"),
    # The quiz.
    ("thirteen-billion", ("float32", "int8", OF_32, OF_16), "52 GB"),
    ("thirteen-billion", ("bfloat16", "int8", OF_32, OF_16), "26 GB"),
    ("thirteen-billion", ("int8", OF_32, OF_16), "13 GB"),
    ("thirteen-billion", (OF_32,), "Look for another one"),
    ("thirteen-billion", (OF_16,), "Look for another one"),
    ("codes-on-a-coarse-ruler", "2 0 7", "nearer to 3"),
    ("codes-on-a-coarse-ruler", "3 -1 7", "nearer to the mark at 0"),
    ("codes-on-a-coarse-ruler", "3 0 12", "end at 7"),
    ("codes-on-a-coarse-ruler", "3 0 8", "end at 7"),
    ("codes-on-a-coarse-ruler", "3 0 6", "first the steps"),
    ("codes-on-a-coarse-ruler", "1 0 3", "You multiplied"),
    ("codes-on-a-coarse-ruler", "2.6 -0.4 7", "A code is a whole number"),
    ("order-of-a-row", (LARGEST, SCALE, ROUND, STEPS, BACK), "nearly all of them become 0"),
    ("order-of-a-row", (SCALE, LARGEST, STEPS, ROUND, BACK), "Divide what"),
    ("order-of-a-row", (LARGEST, STEPS, SCALE, ROUND, BACK), "no scale yet"),
    ("order-of-a-row", (LARGEST, SCALE, STEPS, BACK, ROUND), "are no codes yet"),
    ("one-answer-more", ("Quantizing has made the network better.",), "by chance"),
    ("one-answer-more", ("Nothing is lost: it has as many right answers.",), "a third"),
    ("one-answer-more", ("Something is wrong with the count.",), "can be right by chance"),
    ("decibels-of-a-fortieth", "26", "half as large"),
    ("decibels-of-a-fortieth", "40", "a hundredth"),
    ("decibels-of-a-fortieth", "80", "add 6 dB"),
    ("decibels-of-a-fortieth", "8", "more decibels"),
    ("decibels-of-a-fortieth", "38", "divides it by eight"),
    ("decibels-of-a-fortieth", "22", "Six decibels"),
    ("share-that-is-left", "25", "leaves the convolutions"),
    ("share-that-is-left", "15", "linear layers alone"),
    ("share-that-is-left", "45", "are saved"),
    ("share-that-is-left", "40", "do not disappear"),
    ("share-that-is-left", "70", "Which part"),
    ("share-that-is-left", "0.55", "in percent"),
    ("share-that-is-left", "1.8", "times smaller"),
    # The exercise in code: half of the steps, and a tie.
    ("largest-of-a-group", "0.5 -7", "in the middle"),
    ("largest-of-a-group", "0,5 8", "Look at the sign"),
    ("largest-of-a-group", "0.536 -7", "What is half of them"),
    ("largest-of-a-group", "0.469 -8", "and not 16"),
    ("largest-of-a-group", "0.25 -8", "Only half of the steps"),
    ("largest-of-a-group", "-0.5 -8", "above 0"),
    ("largest-of-a-group", "0.5 -7.5", "a whole number"),
]
