"""A figure as one module: it does what its files do, is never stale, and refuses what it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from qlearn.course import widgets
from qlearn.course.widgets import Saturation
from qlearn.course.widgets.shared.bundle import BundleError, bundle, joined
from qlearn.course.widgets.shared.figure import SHARED, bundle_all
from tests.course.widgets.examples import EXAMPLES
from tests.course.widgets.figures import call, markup

FORMS = {
    "a.js": 'import { one, two as second } from "./b.js";\nimport b from "./b.js";\n'
    'import * as all from "./b.js";\n'
    "const local = 1;\nexport const answer = () => [one, second(), b, local, all.one];\n",
    "b.js": "const local = 2;\nexport const one = local - 1;\n"
    "function two() {\n  return local;\n}\nexport { two };\nexport default [local];\n",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / next(iter(files))


def bundled(folder: Path, entry: Path) -> Path:
    path = folder / "bundle.mjs"
    path.write_text(bundle(entry), encoding="utf-8")
    return path


def test_each_figure_has_an_example() -> None:
    assert sorted(EXAMPLES) == widgets.__all__


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_bundle_draws_what_its_files_draw(node: str, tmp_path: Path, name: str) -> None:
    figure = EXAMPLES[name]()
    module = tmp_path / "bundle.mjs"
    module.write_text(figure._esm, encoding="utf-8")
    drawn = markup(node, module, figure.state())
    assert 'class="qb-widget' in drawn[0]
    assert drawn == markup(node, figure.entry(), figure.state())


def test_a_function_makes_what_the_module_exports(node: str, tmp_path: Path) -> None:
    figure = EXAMPLES["Saturation"]()
    module = tmp_path / "called.mjs"
    module.write_text(f"export default ({joined(figure.entry()).function()})();", encoding="utf-8")
    drawn = markup(node, module, figure.state())
    assert drawn == markup(node, figure.entry(), figure.state())


def test_names_belong_to_their_file_in_every_form(node: str, tmp_path: Path) -> None:
    entry = write(tmp_path, FORMS)
    wanted = [[1, 2, [2], 1, 1]]
    assert call(node, entry.rename(entry.with_suffix(".mjs")), [["answer"]]) == wanted
    assert call(node, bundled(tmp_path, entry.with_suffix(".mjs")), [["answer"]]) == wanted


def test_a_changed_file_is_seen_by_the_next_widget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = write(tmp_path, {"a.js": "export const a = 1;\n"})
    monkeypatch.setattr(Saturation, "entry", lambda: entry)
    assert "a = 1" in Saturation()._esm
    write(tmp_path, {"a.js": "export const a = 2;\n"})
    assert "a = 2" in Saturation()._esm


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('import "./b.js";', r"a\.js:2: the bundler does not know this form: 'import"),
        ('import { h } from "preact";', "does not know this form"),
        ('import { one } from "./b.js"', "does not know this form"),
        ('const b = await import("./b.js");', "does not know this form"),
        ('export * from "./b.js";', "does not know this form"),
        ('export { one } from "./b.js";', "does not know this form"),
        ("export let a = 1;", "does not know this form"),
        ("export const { a } = {};", "does not know this form"),
        ("export default function a() {}", "does not know this form"),
        ('import { three } from "./b.js";', r"a\.js:2: \./b\.js exports nothing named three"),
        ('import { one } from "./c.js";', r"a\.js:2: there is no \./c\.js"),
        ('import { answer } from "./a.js";', r"a\.js imports a\.js: move what they share"),
    ],
)
def test_an_unknown_form_is_refused_with_file_and_line(
    tmp_path: Path, line: str, message: str
) -> None:
    entry = write(tmp_path, {"a.js": f"// A comment\n{line}\n", "b.js": FORMS["b.js"]})
    with pytest.raises(BundleError, match=message):
        bundle(entry)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SHARED / "vendor" / "preact.mjs", "preact/dist/preact.mjs"),
        (SHARED / "vendor" / "htm.mjs", "htm/dist/htm.mjs"),
        (
            Path("site_builder/strings/preact-render-to-string.mjs"),
            "preact-render-to-string/dist/index.mjs",
        ),
    ],
    ids=["preact", "htm", "preact-render-to-string"],
)
def test_vendored_files_are_the_published_ones(ours: Path, theirs: str) -> None:
    from site_checks.npm import installed

    assert ours.read_bytes() == installed(theirs).read_bytes()


def test_to_import_a_widget_bundles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def bundled_too_early(entry: Path) -> str:
        raise AssertionError(f"{entry} was bundled before a widget was made")

    monkeypatch.setattr("qlearn.course.widgets.shared.figure.bundle", bundled_too_early)
    later = type("Later", (Saturation,), {"__module__": Saturation.__module__})
    with pytest.raises(AssertionError, match=r"saturation\.js was bundled"):
        later()


def test_what_was_bundled_for_all_is_not_bundled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def again(path: Path, *_: object) -> None:
        raise AssertionError(f"{path} is read and bundled again")

    bundle_all()
    monkeypatch.setattr("qlearn.course.widgets.shared.bundle._add", again)
    for name in EXAMPLES:
        assert "export default" in EXAMPLES[name]()._esm
