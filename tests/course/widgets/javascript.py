"""The widgets' JavaScript under Node, as it is and broken on purpose."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from qlearn import QParams
from qlearn.course.widgets.bundle import STATIC

SCRIPTS = Path(__file__).parent / "js"


def compare(node: str, script: str, module: Path, vectors: Path) -> dict[str, Any]:
    """Return what a comparison in js/ reports of a module on qlearn's vectors."""
    done = subprocess.run(
        [node, SCRIPTS / script, module, vectors], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def wrong(report: dict[str, Any]) -> dict[str, int]:
    """Return the parts of a report in which something differs, and how much."""
    return {name: count for name, count in report["differing"].items() if count}


def broken(folder: Path, name: str, right: str, replacement: str) -> Path:
    """Return a copy of a mathematical module in which ``right``, found once, is replaced."""
    for path in STATIC.glob("*math.js"):
        shutil.copy(path, folder)
    module = folder / name
    source = module.read_text(encoding="utf-8")
    assert source.count(right) == 1
    module.write_text(source.replace(right, replacement), encoding="utf-8")
    return module


def as_json(qparams: QParams) -> dict[str, float]:
    """Return per-tensor qparams under the names that the JavaScript gives them."""
    return {
        "scale": qparams.scale.item(),
        "zeroPoint": qparams.zero_point.item(),
        "quantMin": qparams.quant_min,
        "quantMax": qparams.quant_max,
    }
