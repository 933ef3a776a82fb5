"""``python -m qlearn doctor``: say whether this machine can run the course."""

from __future__ import annotations

import sys

from qlearn.doctor import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
