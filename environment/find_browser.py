"""Print the path of a Chromium, or of a Firefox, that starts; install one where there is none.

Looks at $CHROMIUM, then on PATH, then for playwright's own. Installs Debian's package as root,
else playwright's build for this user, else says what to install. Chromium's headless shell comes
first: the same engine without windows, in which the tests take half the work. A Firefox is one as
its makers ship it, found by $FIREFOX or on PATH: playwright's own build is another browser.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class Kind(NamedTuple):
    """A browser to test with: where it may be, and what installs it."""

    name: str
    programs: tuple[str, ...]
    on_a_mac: Path
    packages: tuple[str, ...]
    elsewhere: str
    playwright_has_it: bool

    @property
    def variable(self) -> str:
        """The name of the environment variable that chooses one."""
        return self.name.upper()

    @property
    def advice(self) -> str:
        """What to do where there is none."""
        return (
            f"No {self.name} that starts was found, and none could be installed. Install one "
            f"(on Debian: apt-get install {self.packages[0]}; elsewhere: {self.elsewhere}), or set "
            f"{self.variable} to the path of one, and run the command again."
        )


CHROMIUM = Kind(
    name="Chromium",
    programs=(
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
    ),
    on_a_mac=Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    packages=("chromium-headless-shell", "chromium"),  # older systems have the second alone
    elsewhere=".venv/bin/python -m playwright install chromium",
    playwright_has_it=True,
)
FIREFOX = Kind(
    name="Firefox",
    programs=("firefox-esr", "firefox"),
    on_a_mac=Path("/Applications/Firefox.app/Contents/MacOS/firefox"),
    packages=("firefox-esr",),
    elsewhere="https://www.mozilla.org/firefox/",
    playwright_has_it=False,
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


def candidates(kind: Kind) -> Iterator[str]:
    """Yield the paths worth trying, the likeliest first."""
    for name in kind.programs:
        if path := shutil.which(name):
            yield path
    if kind.on_a_mac.exists():
        yield str(kind.on_a_mac)
    if kind.playwright_has_it and (path := playwright_path()) and Path(path).exists():
        yield path


def find_browser(kind: Kind = CHROMIUM) -> str:
    """Return the path of a browser that starts.

    Raises:
        NoBrowserError: if there is none, or if the environment names one that does not start.
    """
    if chosen := os.environ.get(kind.variable):
        if starts(chosen):
            return chosen
        raise NoBrowserError(f"{kind.variable}={chosen} does not start; correct it or unset it.")
    for path in candidates(kind):
        if starts(path):
            return path
    raise NoBrowserError(kind.advice)


def run(*command: str) -> bool:
    """Run `command` with its output on stderr, since stdout is for the path; tell if it worked."""
    print("+", *command, file=sys.stderr)
    try:
        return subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0
    except OSError:
        return False


def install_browser(kind: Kind = CHROMIUM) -> str:
    """Install a browser and return its path.

    Raises:
        NoBrowserError: if no way of installing one worked.
    """
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if is_root and shutil.which("apt-get"):
        run("apt-get", "update")
        for package in kind.packages:
            run("apt-get", "install", "--yes", "--no-install-recommends", package)
            with suppress(NoBrowserError):  # Ubuntu's package is a stub: go on
                return find_browser(kind)
    if kind.playwright_has_it:
        # Only root may install the system libraries that playwright's build needs.
        options = ["--with-deps"] if is_root else []
        run(sys.executable, "-m", "playwright", "install", *options, "chromium")
    return find_browser(kind)


def main() -> None:
    """Print the path, or end with a sentence that says what to install."""
    kind = FIREFOX if sys.argv[1:] == ["firefox"] else CHROMIUM
    try:
        try:
            print(find_browser(kind))
        except NoBrowserError:
            if os.environ.get(kind.variable):
                raise
            print(install_browser(kind))
    except NoBrowserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
