"""Elsewhere than on one machine: Colab's cell, the values for Kubernetes, the image."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from environment.lock import open_requirements
from workshop.hub.hosted import PINNED, install_cell

ROOT = Path(__file__).resolve().parents[3]
KUBERNETES = ROOT / "workshop" / "hub" / "kubernetes"


def test_the_cell_pins_what_the_course_pins() -> None:
    cell = install_cell({"Repository": "https://github.com/ann/book"}, "v1.0.0")
    pins = set(open_requirements((ROOT / "requirements.txt").read_text()))
    assert {f"{name}=={version}" for name, version in re.findall(r"(\w+)==([\d.]+)", cell)} <= pins
    assert all(f" {name}==" in cell for name in PINNED)
    assert '"qlearn @ git+https://github.com/ann/book@v1.0.0"' in cell


def test_without_an_address_there_is_no_cell() -> None:
    with pytest.raises(ValueError, match="sets no Repository"):
        install_cell({})


def wrongly_open(values: dict) -> list[str]:
    """Return what would let strangers into the hub of these values."""
    config = values["hub"]["config"]
    kind = config["JupyterHub"].get("authenticator_class", "dummy")  # the chart's own choice
    wrong = [f"authenticator {kind}"] if kind in ("dummy", "null") else []
    wrong += ["allow_all"] * bool(config["Authenticator"].get("allow_all"))
    wrong += ["admin_access"] * bool(config["JupyterHub"].get("admin_access", True))
    wrong += ["no TLS"] * (not values["proxy"]["https"]["enabled"])
    return wrong


def test_the_values_for_kubernetes_let_nobody_in_by_default() -> None:
    values = yaml.safe_load((KUBERNETES / "values.yaml").read_text())
    assert wrongly_open(values) == []
    del values["hub"]["config"]["JupyterHub"]["authenticator_class"]
    values["hub"]["config"]["Authenticator"]["allow_all"] = True
    assert wrongly_open(values) == ["authenticator dummy", "allow_all"]


def test_the_image_copies_what_is_there_and_runs_as_nobody_special() -> None:
    lines = (KUBERNETES / "Dockerfile").read_text().splitlines()
    sources = [word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]]
    assert sources and [source for source in sources if not (ROOT / source).exists()] == []
    assert [line for line in lines if line.startswith("USER ")][-1] == "USER 1000"
    values = yaml.safe_load((KUBERNETES / "values.yaml").read_text())
    assert f"CMD {values['singleuser']['cmd']!s}".replace("'", '"') in lines
