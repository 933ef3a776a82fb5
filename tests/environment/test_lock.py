"""The pins are what pip resolves, and serve the oldest Python that the course allows."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, metadata

import pytest
from packaging.specifiers import SpecifierSet

from environment.lock import OLDEST, ROOT, check_python, open_requirements, options, pinned


def closed_to(python: str, pins: list[str]) -> list[str]:
    """Return the pins whose package, as installed here, does not want this Python."""
    closed = []
    for pin in pins:
        name, _, version = pin.partition("==")
        try:
            found = metadata(name)
        except PackageNotFoundError:
            continue  # what the proofs alone need
        wants = SpecifierSet(found.get("Requires-Python") or "")
        if found["Version"].partition("+")[0] == version and python not in wants:
            closed.append(pin)
    return closed


def test_requirements_are_read_without_includes_and_comments() -> None:
    text = "-c constraints.txt\n-r requirements.txt\n# why\nnumpy==2.4.6  # arrays\n\n-e .\n"
    assert open_requirements(text) == ["numpy==2.4.6"]


def test_the_report_becomes_sorted_pins_without_builds_and_platforms() -> None:
    found = [("torch", "2.13.0+cpu"), ("Jinja2", "3.1.6"), ("nvidia-cublas", "1"), ("a.b", "1")]
    report = {"install": [{"metadata": {"name": n, "version": v}} for n, v in found]}
    assert pinned(report) == ["a-b==1", "jinja2==3.1.6", "torch==2.13.0"]


def test_pip_resolves_for_the_oldest_python() -> None:
    said = options("/empty")
    assert said[said.index("--python-version") + 1] == "3.11.0"
    assert "--dry-run" in said


def test_the_oldest_python_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == f">={OLDEST[0]}.{OLDEST[1]}"


def test_another_python_may_not_make_the_pins() -> None:
    check_python((3, 11))
    with pytest.raises(RuntimeError, match=r"this is Python 3\.13.*PYTHON=python3\.11"):
        check_python((3, 13))


def test_no_pin_is_closed_to_debians_python() -> None:
    pins = open_requirements((ROOT / "constraints.txt").read_text("utf-8"))
    assert closed_to("3.11.0", pins) == []
    assert len(closed_to("3.5.0", pins)) > 50  # so a closed one is seen


def test_nothing_builds_a_grammar_when_it_is_imported() -> None:
    """Jsonschema imports rfc3987-syntax if it is there: 1.7 s in each process that imports both."""
    for name in ("constraints.txt", "workshop/hub/requirements.txt"):
        pins = open_requirements((ROOT / name).read_text("utf-8"))
        found = {pin.partition("==")[0] for pin in pins} & {"jsonschema", "rfc3987-syntax"}
        assert found == {"jsonschema"}, f"{name}: pin jsonschema below 4.25"
