"""Try every entry point with the torch and torchao of this Python, and record what happened.

``make api-status`` does it for the pinned versions. For others, from the project's folder:
``path/to/another/python -m api_status``; that Python needs nothing but torch and torchao.
"""

from __future__ import annotations

from api_status.entries import NEW, OLD
from api_status.probe import probe
from api_status.record import keep


def main() -> None:
    """Try, record, and print what is not as one would wish."""
    run = keep(probe(OLD + NEW))
    print(f"torch {run['torch']}, torchao {run['torchao']}")
    for name, row in run["rows"].items():
        print(f"{row['status']:5}  {name}", *row["says"], sep="\n         ")


if __name__ == "__main__":
    main()
