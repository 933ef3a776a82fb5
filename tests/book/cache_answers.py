"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

EVEN, FOR_KEYS = "3 bits for keys, 3 for values", "4 bits for keys, 2 for values"
FOR_VALUES = "2 bits for keys, 4 for values"
HEADS, FLOAT8 = "half as many heads with keys", "float8 in place of float16"
TOKENS, QUERIES = "half as many tokens", "half as many heads with queries"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Heads that share, keys and values, bytes of a number; the price of scales.
    ("bytes-of-a-token", "2,621,440", "Eight heads share"),
    ("bytes-of-a-token", "163 840", "keys and values"),
    ("bytes-of-a-token", "655,360", "two bytes"),
    ("bytes-of-a-token", "4096", "in one block"),
    ("bytes-of-a-token", "5242880", "What counts is not the weights"),
    ("price-of-channel-scales", "0", "The codes take as many bytes"),
    ("price-of-channel-scales", "72", "Each takes two bytes"),
    ("price-of-channel-scales", "96", "scales the keys have now"),
    ("price-of-channel-scales", "48 bytes", "their scales had before"),
    ("price-of-channel-scales", "192", "had scales before"),
    ("price-of-channel-scales", "1,008", "How many more"),
    ("price-of-channel-scales", "864", "had that many before. How many"),
    ("price-of-channel-scales", "288", "values stay"),
    ("price-of-channel-scales", "-144", "Look at the sign"),
    # With pencil and paper, and in code.
    ("four-bits-for-a-book", "84,480 11.1", "32 keys share"),
    ("four-bits-for-a-book", "92160 12.1", "the 128 numbers of its head"),
    ("four-bits-for-a-book", "81920 10.7", "scales as well"),
    ("four-bits-for-a-book", "46,080 6.0", "the keys alone"),
    ("four-bits-for-a-book", "706,560 92.6", "Those are bits"),
    ("four-bits-for-a-book", "88320 10.8", "a billion bytes"),
    ("six-bits-for-two", (FOR_KEYS, EVEN, FOR_VALUES), "what two bits cost the values"),
    ("six-bits-for-two", (EVEN, FOR_VALUES, FOR_KEYS), "Keys lose more"),
    ("six-bits-for-two", (FOR_VALUES, EVEN, FOR_KEYS), "Keys lose more"),
    ("scales-of-a-colleague", "8,192 1,024", "with groups of 32"),
    ("scales-of-a-colleague", "128 8,192", "The other way round"),
    ("scales-of-a-colleague", "1024 128", "for each token"),
    ("scales-of-a-colleague", "32,768 128", "how many numbers the keys"),
    ("scales-of-a-colleague", "8192 32", "Each head has its own"),
    ("scales-of-a-colleague", "8192 64", "at a little more than four"),
    # Full groups, and what waits, before they are written in code.
    ("full-groups-of-250", "7 6", "how many groups are full"),
    ("full-groups-of-250", "256 0", "The eighth group is not full"),
    ("full-groups-of-250", "250 6", "The eighth group is not full"),
    ("full-groups-of-250", "218 32", "fill no group"),
    ("full-groups-of-250", "224 26", "how many wait"),
    ("full-groups-of-250", "26 6", "how many wait"),
    ("full-groups-of-250", "224 32", "26 are there already"),
    ("bytes-of-the-keys", "560 576", "fill no group"),
    ("bytes-of-the-keys", "496 576", "fill no group"),
    ("bytes-of-the-keys", "1984 2048", "becomes codes"),
    ("bytes-of-the-keys", "1984 512", "their scales"),
    ("bytes-of-the-keys", "1984 514", "for each channel"),
    ("bytes-of-the-keys", "15872 4608", "Those are bits"),
    ("bytes-of-the-keys", "992 1024", "two bytes"),
    ("bytes-of-the-keys", "2542 1152", "with the values"),
    ("bytes-of-the-keys", "3968 576", "How many keys wait"),
    # The quiz.
    ("report-in-float8", "0.41", "keys and values"),
    ("report-in-float8", "1.64", "one byte"),
    ("report-in-float8", "0.102", "8 heads"),
    ("report-in-float8", "0.02", "40 blocks"),
    ("report-in-float8", "0.763", "a billion bytes"),
    ("report-in-float8", "819.2", "megabytes"),
    ("report-in-float8", "819", "megabytes"),
    ("half-the-cache", (HEADS, FLOAT8, TOKENS, QUERIES), "Queries are not kept"),
    ("half-the-cache", (HEADS, FLOAT8, TOKENS, "weights of four bits"), "made while it runs"),
    ("half-the-cache", (HEADS, FLOAT8, TOKENS, "half as many weights"), "fewer weights can have"),
    ("half-the-cache", (HEADS, FLOAT8), "Look for a third one"),
    ("codes-of-a-key", "8 0 5", "There is no code 8"),
    ("codes-of-a-key", "7 1 5", "an eighth of a step"),
    ("codes-of-a-key", "7 0 0", "a ruler of its own"),
    ("codes-of-a-key", "7 0 7", "0.75 is the largest"),
    ("keys-that-wait", "4 4", "need not wait"),
    ("keys-that-wait", "28 0", "are missing"),
    ("keys-that-wait", "0 0", "not full"),
    ("keys-that-wait", "96 0", "are in codes"),
    ("keys-that-wait", "3 0", "groups are full"),
    ("keys-that-wait", "4 100", "at once"),
    ("keys-that-wait", "32 0", "are codes by then"),
    ("step-of-a-server", ("weights with 4.5 bits",), "9.7 GB less"),
    ("step-of-a-server", ("weights with 8 bits",), "6.8 GB less"),
    ("step-of-a-server", ("activations with 8 bits",), "fetched as before"),
    ("rotated-keys", ("Each product stays.",), "Each product changes"),
    ("rotated-keys", ("Scales undo it.",), "all channels of a token alike"),
    ("rotated-keys", ("Keys keep their size.",), "another direction"),
]
