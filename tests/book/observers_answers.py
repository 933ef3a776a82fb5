"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

HALF, TWICE, HOT = "images half as bright", "images twice as bright", "one pixel set to 255"
FIRST_ALONE = "It costs some, in the first layer alone."
FEWER, CLAMPED = "64 images instead of 256", "one pixel set to 255, all clamped to 0 … 1"
GRAPH, WATCH = "write the network as a graph", "put observers into it"
RUN, CONVERT = "run typical inputs through it", "replace the observers by rulers"
EIGHT, SIXTY_FOUR = "average, batches of 8", "average, batches of 64"
MANY, EVER = "average, batches of 256", "MinMax, batches of 8"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # MinMax forgets; the average takes the whole step, the wrong way, from the wrong place.
    ("fifth-batch", "5 5,41", "MinMax never forgets"),
    ("fifth-batch", "16 5", "a tenth of the way"),
    ("fifth-batch", "16; 5.50", "5 lies below 5.45"),
    ("fifth-batch", "16 5.05", "nine tenths of the way"),
    ("fifth-batch", "16 4.35", "You left out the fourth batch"),
    ("fifth-batch", "16 16", "That is the end of MinMax"),
    ("fifth-batch", "16", "Write 2 numbers"),
    # The average forgets the outlier, so it must be better.
    ("beats-minmax", ("Yes, a small one.",), "moves slowly"),
    ("beats-minmax", ("Yes, a large one.",), "every single batch"),
    ("beats-minmax", ("Yes, one in between.",), "the best that we tried"),
    # Rounding and clipping cost the same; finer steps must help.
    ("wide-or-narrow", ("The one that is too wide.",), "costs one bit"),
    ("wide-or-narrow", ("Both cost the same.",), "has no bound"),
    ("wide-or-narrow", ("Neither: the narrow one even gains.",), "in reach"),
    # The quiz.
    ("ruler-of-three-batches", "51 102", "You counted from 0"),
    ("ruler-of-three-batches", "−77 25", "from 0 to 255"),
    ("ruler-of-three-batches", "33 144", "the last batch alone"),
    ("ruler-of-three-batches", "28, 170", "the first batch alone"),
    ("ruler-of-three-batches", "-51 153", "is itself a code"),
    ("place-of-the-average", "11", "the end of MinMax"),
    ("place-of-the-average", "3", "One more batch"),
    ("place-of-the-average", "9.5", "three quarters of the way"),
    ("place-of-the-average", "6.3", "the mean of all three"),
    ("steps-of-pt2e", (GRAPH, WATCH, CONVERT, RUN), "seen nothing"),
    ("steps-of-pt2e", (GRAPH, RUN, WATCH, CONVERT), "Nobody watches"),
    ("steps-of-pt2e", (WATCH, GRAPH, RUN, CONVERT), "places in the graph"),
    ("bad-data", (HALF,), "Look for a second one"),
    ("bad-data", (HALF, TWICE, HOT), "cost no answer"),
    ("bad-data", (HALF, FEWER), "the worst of twelve tries"),
    ("bad-data", (HALF, HOT, CLAMPED), "comes back to 1"),
    ("four-times-too-wide", "6", "twice too wide"),
    ("four-times-too-wide", "24", "for each doubling"),
    ("four-times-too-wide", "2 ", "Those are the bits"),
    ("four-times-too-wide", "−12", "Look at the sign"),
    ("four-times-too-wide", "18 dB", "Three doublings make eight times"),
    ("four-times-too-wide", "4 times", "how many times as long"),
    ("four-times-too-wide", "18 dollars", "Write a number"),
    ("sixteen-codes", ("Too far in.",), "clips too little"),
    ("sixteen-codes", ("At the best end.",), "best for 256 codes"),
    ("sixteen-codes", ("At the largest number seen.",), "two of the three rulers"),
    # With pencil and paper.
    ("outlier-forgotten", "449 0.92", "still a little above 9"),
    ("outlier-forgotten", "459 0,92", "92 above the others"),
    ("outlier-forgotten", "99 0.92", "of what is left"),
    ("outlier-forgotten", "450 1", "From 8 to 100"),
    ("outlier-forgotten", "450 8.92", "That is where the end is"),
    ("outlier-forgotten", "450 92", "That is how far MinMax rises"),
    ("percentile-on-clean-images", ("Nothing: no number is far out.",), "even if they are not"),
    ("percentile-on-clean-images", ("It gains some, with finer steps.",), "costs more than"),
    ("percentile-on-clean-images", (FIRST_ALONE,), "all layers alike"),
    # More batches reach farther; an observer without data fails, or guesses all digits.
    ("size-of-the-batches", (SIXTY_FOUR, EIGHT, MANY, EVER), "8 images or 64"),
    ("size-of-the-batches", (EIGHT, MANY, SIXTY_FOUR, EVER), "64 images or 256"),
    ("size-of-the-batches", (EVER, EIGHT, SIXTY_FOUR, MANY), "never forgets"),
    ("size-of-the-batches", (EIGHT, EVER, SIXTY_FOUR, MANY), "However small its batches"),
    ("size-of-the-batches", (EIGHT, SIXTY_FOUR, EVER, MANY), "However small its batches"),
    ("no-image-seen", "0.0039 0 1", "the ruler of pixels"),
    ("no-image-seen", "0 0 1", "divide by a scale of 0"),
    ("no-image-seen", "1/255 0 1", "the ruler of pixels"),
    ("no-image-seen", "1 128 1", "the middle of the codes"),
    ("no-image-seen", "1 0 10", "all ten"),
    ("no-image-seen", "1 0 0", "PyTorch only warns"),
    ("no-image-seen", "1; 0; 36", "About as many are right"),
    ("no-image-seen", "1 0 2", "depends on the image"),
    ("no-image-seen", "1 1 1", "Print what"),
    # The exercises in code: both ends move; where the lower end of a ReLU lies.
    ("both-ends-of-two-batches", "-2 5", "does not keep the lowest"),
    ("both-ends-of-two-batches", "−2,25 5", "so the end moves up"),
    ("both-ends-of-two-batches", "-1.75 8", "So MinMax would have it"),
    ("both-ends-of-two-batches", "-0.625 2.75", "You began at 0"),
    ("both-ends-of-two-batches", "-1.25 7", "three quarters"),
    ("both-ends-of-two-batches", "-1.5 6", "the middle of the two"),
    ("both-ends-of-two-batches", "-0.25 2", "of the second batch's ends"),
    ("both-ends-of-two-batches", "0.25 1", "Where are they then"),
    ("beyond-the-ends-of-a-relu", "20 0", "belongs to the other side"),
    ("beyond-the-ends-of-a-relu", "10 10", "Where does the lower end lie"),
    ("beyond-the-ends-of-a-relu", "10 600", "not below it"),
    ("beyond-the-ends-of-a-relu", "4 0", "count all 1,000"),
    ("beyond-the-ends-of-a-relu", "1 1", "0.02 of all numbers"),
]
