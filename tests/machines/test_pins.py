"""Pins without a wheel are found one by one, and another trouble is not taken for one."""

from __future__ import annotations

import pytest

from machines.pins import PLATFORMS, Ask, read_pins, table, unexplained, without_wheel

PINS = ["numpy==2.4.6", "torch==2.13.0", "six==1.17.0"]


def pip_without(*refused: str) -> Ask:
    """Return what stands in for pip, and refuses pins as it does: the first that it meets."""

    def ask(python: str, tags: list[str], pins: list[str]) -> str | None:
        for pin in pins:
            if pin in refused:
                return f"WARNING: x\nERROR: No matching distribution found for {pin}\n[notice] y\n"
        return None

    return ask


def test_all_pins_have_wheels() -> None:
    assert without_wheel("3.14", ["any"], PINS, pip_without()) == []


def test_each_pin_without_a_wheel_is_named() -> None:
    refuse = pip_without("six==1.17.0", "numpy==2.4.6")
    assert without_wheel("3.14", ["any"], PINS, refuse) == ["numpy==2.4.6", "six==1.17.0"]


def test_no_network_is_no_missing_wheel() -> None:
    with pytest.raises(RuntimeError, match="another reason than a pin: .*timed out"):
        without_wheel("3.14", ["any"], PINS, lambda *_: "ERROR: the connection timed out")


def test_each_platform_has_its_tensorflow() -> None:
    text = "# made by make lock\nnumpy==2.4.6\ntensorflow-cpu==2.21.0\n"
    assert read_pins(text, "Linux x86-64") == ["numpy==2.4.6", "tensorflow-cpu==2.21.0"]
    assert read_pins(text, "Linux ARM") == ["numpy==2.4.6", "tensorflow==2.21.0"]


def test_the_table_has_each_python_on_each_platform(capsys: pytest.CaptureFixture[str]) -> None:
    found = table(["3.12", "3.13"], pip_without("torch==2.13.0"))
    assert found == {(p, name): ["torch==2.13.0"] for p in ("3.12", "3.13") for name in PLATFORMS}
    assert "Python 3.13    Mac ARM       torch==2.13.0" in capsys.readouterr().out


def test_what_no_reason_is_known_for_is_red() -> None:
    found = {("3.13", "Mac ARM"): ["h5py==3.14.0"], ("3.14", "Mac ARM"): ["h5py==3.14.0"]}
    assert unexplained(found) == ["h5py==3.14.0"]
    assert unexplained({("3.14", "Mac ARM"): ["h5py==3.14.0"]}) == []
