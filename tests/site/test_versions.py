"""What is deployed, tried with a repository of its own and a bare one to push to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from site_builder.addresses import VERSION
from site_builder.versions import (
    ROOT,
    collect,
    deploy,
    git,
    in_order,
    preferred,
    switcher,
    this_version,
)

SITE = "https://ann.github.io/book"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with one commit, whose origin is a bare one beside it."""
    monkeypatch.delenv(VERSION, raising=False)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ann@example.org")
    folder = tmp_path / "checkout"
    folder.mkdir()
    git("init", "-q", "--bare", str(tmp_path / "origin"), folder=tmp_path)
    git("init", "-q", folder=folder)
    git("remote", "add", "origin", str(tmp_path / "origin"), folder=folder)
    git("commit", "-q", "--allow-empty", "-m", "Begin", folder=folder)
    return folder


def built(folder: Path, *names: str) -> Path:
    """Return a folder with a site of these files."""
    site = folder / "html"
    (site / "_static").mkdir(parents=True)
    for name in ("index.html", "404.html", "_static/x.css", *names):
        (site / name).write_text(name)
    return site


def deployed(checkout: Path) -> set[str]:
    origin = checkout.parent / "origin"
    return set(git("ls-tree", "-r", "--name-only", "gh-pages", folder=origin).split())


def test_a_commit_is_main_until_it_is_tagged_as_a_release(checkout: Path) -> None:
    git("tag", "draft", folder=checkout)
    assert this_version(checkout) == "main"
    git("tag", "v0.2.0", folder=checkout)
    assert this_version(checkout) == "v0.2.0"


@pytest.mark.parametrize("pushed", ["main", "v0.2.0"])
def test_a_commit_with_a_tag_is_what_was_pushed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, pushed: str
) -> None:
    git("tag", "v0.2.0", folder=checkout)
    monkeypatch.setenv(VERSION, pushed)
    assert this_version(checkout) == pushed


def test_a_version_that_the_commit_is_not_is_refused(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VERSION, "v0.3.0")
    with pytest.raises(ValueError, match=r"BOOK_VERSION is 'v0\.3\.0', and this commit is main"):
        this_version(checkout)


def test_the_workflow_says_what_was_pushed() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/pages.yml").read_text("utf-8"))
    assert workflow["env"][VERSION] == "${{ github.ref_name }}"


def test_the_list_leads_to_the_newest_release() -> None:
    entries = switcher(SITE, in_order(["v0.2.0", "v0.10.0"]))
    assert [e["version"] for e in entries] == ["main", "v0.10.0", "v0.2.0"]
    assert [e["version"] for e in entries if e["preferred"]] == ["v0.10.0"]
    assert entries[0]["url"] == f"{SITE}/main/"


def test_a_version_is_collected_beside_the_list(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    versions = ["main", "v0.1.0"]
    collect(built(tmp_path), pages, "main", versions, SITE)
    assert (pages / "main" / "_static" / "x.css").is_file() and (pages / ".nojekyll").is_file()
    assert (pages / "404.html").is_file()
    assert json.loads((pages / "switcher.json").read_text()) == switcher(SITE, versions)
    assert f"url={preferred(versions)}/index.html" in (pages / "index.html").read_text()


def test_without_a_site_there_is_nothing_to_collect(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no site; run make pages"):
        collect(tmp_path / "html", tmp_path / "pages", "main", ["main"], SITE)


def test_a_version_replaces_its_older_self_and_no_other(checkout: Path, tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    collect(built(first, "old.html"), first / "pages", "main", ["main"], SITE)
    deploy(first / "pages", "main", checkout)
    collect(built(second), second / "pages", "v0.1.0", ["main", "v0.1.0"], SITE)
    deploy(second / "pages", "v0.1.0", checkout)
    collect(built(third, "new.html"), third / "pages", "main", ["main", "v0.1.0"], SITE)
    deploy(third / "pages", "main", checkout)
    assert deployed(checkout) == {
        ".nojekyll",
        "404.html",
        "index.html",
        "main/404.html",
        "main/_static/x.css",
        "main/index.html",
        "main/new.html",
        "switcher.json",
        "v0.1.0/404.html",
        "v0.1.0/_static/x.css",
        "v0.1.0/index.html",
    }
    log = git("log", "--format=%s", "gh-pages", folder=tmp_path / "origin").splitlines()
    assert log == ["Deploy main", "Deploy v0.1.0", "Deploy main"]
    assert git("status", "--porcelain", folder=checkout) == ""


def test_what_was_not_collected_is_not_deployed(checkout: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no main; run make pages first"):
        deploy(tmp_path / "pages", "main", checkout)


def test_gits_own_words_are_passed_on(checkout: Path, tmp_path: Path) -> None:
    git("remote", "set-url", "origin", str(tmp_path / "nowhere"), folder=checkout)
    collect(built(tmp_path), tmp_path / "pages", "main", ["main"], SITE)
    with pytest.raises(RuntimeError, match=r"`git ls-remote .*` failed: .*nowhere"):
        deploy(tmp_path / "pages", "main", checkout)
