"""Write qlearn/course/digits/data/digits.npz from scikit-learn's copy of the digits.

scikit-learn is no requirement of the course: importing it costs every notebook's kernel 90 MiB,
and the file is 45 kB. To make it anew, run in an environment that has scikit-learn:

    python data_makers/make_digits.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

TARGET = Path(__file__).resolve().parents[1] / "qlearn/course/digits/data/digits.npz"


def main() -> None:
    """Store images (0 … 16) and labels as bytes; the same arrays give the same file."""
    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.uint8)
    if not (images == digits.images).all():
        raise SystemExit("scikit-learn's pixels are no longer whole numbers from 0 to 255")
    np.savez_compressed(TARGET, images=images, labels=labels)


if __name__ == "__main__":
    main()
