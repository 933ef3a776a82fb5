"""The one file of JavaScript that each widget becomes."""

import json
import subprocess

import pytest

from qlearn.course.widgets.bundle import STATIC, bundle

WIDGETS = sorted(
    path.name for path in STATIC.glob("*.js") if "export default" in path.read_text("utf-8")
)


@pytest.mark.parametrize("name", WIDGETS)
def test_a_bundle_is_one_valid_module(node, tmp_path, name):
    module = tmp_path / "bundle.mjs"
    module.write_text(bundle(name), encoding="utf-8")
    assert "import {" not in module.read_text(encoding="utf-8")
    check = (
        f"const module = await import({json.dumps(module.as_uri())});"
        "console.log(typeof module.default.render)"
    )
    done = subprocess.run(
        [node, "--input-type=module", "-e", check], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "function", done.stderr
