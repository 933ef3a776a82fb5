"""Print the path of a Chromium that starts; install one where there is none.

Looks at $CHROMIUM, then on PATH, then for playwright's own. Installs Debian's package as root,
else playwright's build for this user, else says what to install.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
ADVICE = (
    "No Chromium that starts was found, and none could be installed. Install one "
    "(on Debian: apt-get install chromium; elsewhere: .venv/bin/python -m playwright install "
    "chromium), or set CHROMIUM to the path of one, and run the command again."
)


class NoBrowserError(RuntimeError):
    """There is no browser to test with."""


def starts(path: str) -> bool:
    """Tell whether the program at `path` runs; Ubuntu's chromium-browser may be an empty stub."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def playwright_path() -> str | None:
    """Return where playwright keeps its Chromium, if playwright is installed."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def candidates() -> Iterator[str]:
    """Yield the paths worth trying, the likeliest first."""
    for name in NAMES:
        if path := shutil.which(name):
            yield path
    if MAC.exists():
        yield str(MAC)
    if (path := playwright_path()) and Path(path).exists():
        yield path


def find_browser() -> str:
    """Return the path of a Chromium that starts.

    Raises:
        NoBrowserError: if there is none, or if $CHROMIUM names one that does not start.
    """
    if chosen := os.environ.get("CHROMIUM"):
        if starts(chosen):
            return chosen
        raise NoBrowserError(f"CHROMIUM={chosen} does not start; correct it or unset it.")
    for path in candidates():
        if starts(path):
            return path
    raise NoBrowserError(ADVICE)


def run(*command: str) -> bool:
    """Run `command` with its output on stderr, since stdout is for the path; tell if it worked."""
    print("+", *command, file=sys.stderr)
    try:
        return subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0
    except OSError:
        return False


def install_browser() -> str:
    """Install a Chromium and return its path.

    Raises:
        NoBrowserError: if no way of installing one worked.
    """
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if is_root and shutil.which("apt-get"):
        run("apt-get", "update")
        run("apt-get", "install", "--yes", "--no-install-recommends", "chromium")
        try:
            return find_browser()
        except NoBrowserError:
            pass  # Ubuntu's package of that name is a stub: go on with playwright's
    # Only root may install the system libraries that playwright's build needs.
    options = ["--with-deps"] if is_root else []
    run(sys.executable, "-m", "playwright", "install", *options, "chromium")
    return find_browser()


def main() -> None:
    """Print the path, or end with a sentence that says what to install."""
    try:
        try:
            print(find_browser())
        except NoBrowserError:
            if os.environ.get("CHROMIUM"):
                raise
            print(install_browser())
    except NoBrowserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
