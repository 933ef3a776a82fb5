"""A browser is found, or installed, or its absence is an error that says what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from environment import find_browser as module
from environment.find_browser import NoBrowserError, find_browser, install_browser

# A machine of this test's has no programs but those on its PATH.
NOWHERE = Path("/there/is/none")
CHROMIUM = module.CHROMIUM._replace(on_a_mac=NOWHERE)
FIREFOX = module.FIREFOX._replace(on_a_mac=NOWHERE)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that is the whole PATH, on a machine without any browser."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.delenv("FIREFOX", raising=False)
    monkeypatch.setattr(module, "playwright_path", lambda: None)
    return tmp_path


def program(file: Path, script: str) -> Path:
    """Write an executable shell script."""
    file.write_text("#!/bin/sh\n" + script)
    file.chmod(0o755)
    return file


def test_a_browser_on_path_is_found(path: Path) -> None:
    browser = program(path / "google-chrome", "exit 0")
    assert find_browser(CHROMIUM) == str(browser)


def test_the_shell_without_windows_comes_first(path: Path) -> None:
    program(path / "chromium", "exit 0")
    shell = program(path / "chromium-headless-shell", "exit 0")
    assert find_browser(CHROMIUM) == str(shell)


def test_one_that_does_not_start_is_passed_over(path: Path) -> None:
    program(path / "chromium", "exit 1")
    browser = program(path / "google-chrome", "exit 0")
    assert find_browser(CHROMIUM) == str(browser)


def test_the_environment_may_choose_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path / "chromium", "exit 0")
    chosen = program(path / "mine", "exit 0")
    monkeypatch.setenv("CHROMIUM", str(chosen))
    assert find_browser(CHROMIUM) == str(chosen)
    chosen.unlink()
    with pytest.raises(NoBrowserError, match="mine does not start; correct it or unset it"):
        find_browser(CHROMIUM)


def test_each_kind_has_its_programs_and_its_variable(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(path / "chromium", "exit 0")
    with pytest.raises(NoBrowserError, match="apt-get install firefox-esr"):
        find_browser(FIREFOX)
    browser = program(path / "firefox-esr", "exit 0")
    assert find_browser(FIREFOX) == str(browser)
    chosen = program(path / "nightly", "exit 0")
    monkeypatch.setenv("FIREFOX", str(chosen))
    assert find_browser(FIREFOX) == str(chosen)
    assert find_browser(CHROMIUM) == str(path / "chromium")


@pytest.mark.usefixtures("path")
def test_without_a_browser_it_says_what_to_install() -> None:
    with pytest.raises(NoBrowserError, match="apt-get install chromium-headless-shell;"):
        find_browser(CHROMIUM)


@pytest.mark.parametrize("package", CHROMIUM.packages)
def test_root_installs_the_package_that_debian_has(
    package: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.os, "geteuid", lambda: 0)
    browser = path / package
    write = f"printf '#!/bin/sh\\nexit 0' > {browser}; /bin/chmod 755 {browser}"
    program(path / "apt-get", f'[ "$4" != {package} ] || {{ {write}; }}')
    assert install_browser(CHROMIUM) == str(browser)


@pytest.mark.usefixtures("path")
def test_others_get_that_of_playwright(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[tuple[str, ...]] = []
    monkeypatch.setattr(module.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(module, "run", lambda *command: commands.append(command))
    with pytest.raises(NoBrowserError):
        install_browser(CHROMIUM)
    assert commands == [(sys.executable, "-m", "playwright", "install", "chromium")]


@pytest.mark.usefixtures("path")
def test_playwrights_own_firefox_is_another_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(module, "run", lambda *command: pytest.fail(f"it ran {command}"))
    with pytest.raises(NoBrowserError, match="or set FIREFOX to the path of one"):
        install_browser(FIREFOX)
