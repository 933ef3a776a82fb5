"""The style of JavaScript and CSS is checked, and the check can fail."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from site_checks.biome import ROOT, biome

# What others wrote
VENDORED = ("/vendor/", "/katex/", "/reveal/", "preact")


def test_our_javascript_and_css_are_in_style() -> None:
    status, output = biome()
    assert status == 0, output


def test_all_that_is_ours_is_looked_at() -> None:
    patterns = json.loads((ROOT / "biome.json").read_text(encoding="utf-8"))["files"]["includes"]
    looked_at = {path for pattern in patterns if pattern[0] != "!" for path in ROOT.glob(pattern)}
    listed = subprocess.run(
        ["git", "ls-files", "*.js", "*.mjs", "*.css"], cwd=ROOT, capture_output=True, text=True
    )
    ours = [name for name in listed.stdout.split() if not any(one in name for one in VENDORED)]
    assert ours and [name for name in ours if ROOT / name not in looked_at] == []


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.js", "export const a = 'x'\n", "format"),
        ("a.js", 'import { b } from "./b.js";\n\nexport const a = 1;\n', "noUnusedImports"),
        ("a.js", "export function a(b) {\n" + "  b();\n" * 31 + "}\n", "too many lines (31)"),
        ("a.css", ".a {\n  colour: red;\n}\n", "noUnknownProperty"),
    ],
    ids=["format", "unused import", "long function", "unknown property"],
)
def test_what_is_out_of_style_is_found(
    tmp_path: Path, name: str, text: str, complaint: str
) -> None:
    shutil.copy(ROOT / "biome.json", tmp_path)
    folder = tmp_path / "qlearn" / "course" / "widgets" / "new"
    folder.mkdir(parents=True)
    (folder / name).write_text(text, encoding="utf-8")
    status, output = biome(folder=tmp_path)
    assert status != 0
    assert complaint in output


def test_what_make_writes_meanwhile_is_not_looked_at(tmp_path: Path) -> None:
    """`make test` builds a site that is not there yet, beside this: files come and go."""
    shutil.copy(ROOT / "biome.json", tmp_path)
    ours = tmp_path / "qlearn" / "course" / "widgets" / "a.js"
    ours.parent.mkdir(parents=True)
    ours.write_text('export const a = "x";\n', encoding="utf-8")
    for folder in ("_build", ".venv"):
        (tmp_path / folder / "deep").mkdir(parents=True)
        (tmp_path / folder / "deep" / "biome.json").write_text("{", encoding="utf-8")
    status, output = biome(folder=tmp_path)
    assert status == 0, output
