"""Live in JupyterLab: moves arrive in Python, Python moves the widget, a question is answered."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

WIDGET = """
import json, os, pathlib, torch
from qlearn.course.widgets import Quantizer
x = torch.randn(1000, generator=torch.Generator().manual_seed(0))
w = Quantizer(x, symmetric=False)
def save(_=None):
    shown = {"bits": w.bits, "symmetric": w.symmetric, "scale": w.qparams.scale.item()}
    shown |= {"zero_point": int(w.qparams.zero_point)} | w.errors
    text = json.dumps(shown)
    pathlib.Path("traits.tmp").write_text(text)
    os.replace("traits.tmp", "traits.json")
save()
w.observe(save, names=list(w.state()))
w
"""
SET_FROM_PYTHON = "w.bits = 4; w.scale = 0.5"
QUESTION = """
from qlearn.course.question import Question
q = Question("live-code", "Which code, with $s_x = 2$?", codes=78, because="21 + 57 = 78.",
             wrong={57: "Count from the zero point."})
def heard(_):
    pathlib.Path("traits.tmp").write_text(json.dumps({"solved": q.solved, "tries": q.tries}))
    os.replace("traits.tmp", "traits.json")
q.observe(heard, "tries")
q
"""
RUN_CELL = """index => {
  jupyterapp.shell.currentWidget.content.activeCellIndex = index;
  return jupyterapp.commands.execute("notebook:run-cell");
}"""
KERNEL_IDLE = """() => {
  const { sessionContext } = jupyterapp.shell.currentWidget ?? {};
  return sessionContext?.session?.kernel?.status === "idle";
}"""
STARTED_WITHIN_SECONDS = 60
ARRIVED_WITHIN_SECONDS = 20


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Serve a folder with one notebook by JupyterLab on a free port, and yield both."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text) for text in (WIDGET, SET_FROM_PYTHON, QUESTION)],
        metadata={"kernelspec": {"name": "python3", "display_name": "python3"}},
    )
    nbformat.write(notebook, tmp_path / "live.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    options += ["--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True"]
    options += ["--LabApp.news_url=", f"--ServerApp.root_dir={tmp_path}"]
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(tmp_path / "config")}
    with (tmp_path / "lab.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            stdout=log,
            stderr=log,
            env=environment,
        )
        try:
            wait_for_server(f"http://127.0.0.1:{port}/api", tmp_path / "lab.log")
            yield f"http://127.0.0.1:{port}/", tmp_path
        finally:
            server.terminate()
            server.wait(timeout=20)


def wait_for_server(url: str, log: Path) -> None:
    deadline = time.monotonic() + STARTED_WITHIN_SECONDS
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while True:
        try:
            direct.open(url, timeout=5).close()
            return
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > deadline:
                pytest.fail(f"JupyterLab did not start:\n{log.read_text()}")
            time.sleep(0.2)


def traits_after(folder: Path, condition) -> dict:
    """Return the traits as the kernel saved them, once they satisfy the condition."""
    deadline = time.monotonic() + ARRIVED_WITHIN_SECONDS
    path = folder / "traits.json"
    traits: dict = {}
    while time.monotonic() < deadline:
        if path.exists():
            traits = json.loads(path.read_text())
            if condition(traits):
                return traits
        time.sleep(0.1)
    pytest.fail(f"the kernel still has {traits}")


def run_cell(page: Page, index: int) -> None:
    page.evaluate(RUN_CELL, index)


def open_notebook(page: Page, url: str) -> None:
    page.goto(f"{url}lab/tree/live.ipynb")
    page.locator(".jp-Notebook").wait_for(timeout=STARTED_WITHIN_SECONDS * 1000)
    page.wait_for_function(KERNEL_IDLE, timeout=STARTED_WITHIN_SECONDS * 1000)


def move_the_ruler(widget: Locator, folder: Path) -> None:
    """Move each control, and see the kernel's traits follow."""
    start = traits_after(folder, lambda traits: traits["bits"] == 8)
    widget.get_by_label("Right end of the ruler", exact=True).press("ArrowLeft")
    smaller = traits_after(folder, lambda traits: traits["scale"] < start["scale"])
    assert smaller["clipped_share"] > 0 and smaller["sqnr"] != start["sqnr"]

    widget.get_by_label("Middle of the ruler", exact=True).press("ArrowUp")
    moved = start["zero_point"] + 1
    traits_after(folder, lambda traits: traits["zero_point"] == moved)

    widget.get_by_label("Scheme").select_option("true")
    symmetric = traits_after(folder, lambda traits: traits["zero_point"] == 0)
    assert symmetric["symmetric"] is True


def answer(question: Locator, folder: Path) -> None:
    """Answer wrongly and then right, and see the kernel hear of both."""
    field, said = question.get_by_role("textbox"), question.get_by_role("status")
    field.fill("57")
    field.press("Enter")
    expect(said).to_have_text("Not 57. Count from the zero point.")
    expect(question.locator("legend")).to_contain_text("with s_x = 2?")
    field.fill("78")
    field.press("Enter")
    expect(said).to_have_text("✓ Right. 21 + 57 = 78. You can open the solution below.")
    solved = traits_after(folder, lambda traits: traits.get("solved"))
    assert solved["tries"] == ["57", "78"]


def test_moves_arrive_in_python_and_python_moves_the_widget(
    lab: tuple[str, Path], browser: Browser
) -> None:
    url, folder = lab
    with browser.new_context(viewport={"width": 1280, "height": 1200}) as context:
        page = context.new_page()
        open_notebook(page, url)
        run_cell(page, 0)
        widget = page.locator(".qb-widget")
        widget.wait_for(timeout=STARTED_WITHIN_SECONDS * 1000)
        move_the_ruler(widget, folder)

        run_cell(page, 1)
        few_bits = traits_after(folder, lambda traits: traits["scale"] == 0.5)
        assert few_bits["bits"] == 4
        assert "−8 … 7" in widget.locator("output").inner_text()

        run_cell(page, 2)
        answer(page.locator(".qb-question"), folder)
