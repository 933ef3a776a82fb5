"""Buttons that lead away from a page: all from one address, and none without it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sphinx_book_theme.header_buttons.launch import add_launch_buttons

from site_builder import addresses

GITHUB = {"Repository": "https://github.com/Ann/book"}
# What Jupyter Book says where _config.yml says nothing
DEFAULTS = {
    "repository_url": "https://github.com/executablebooks/jupyter-book",
    "repository_branch": "master",
    "launch_buttons": {"binderhub_url": "", "colab_url": ""},
    "home_page_in_toc": True,
}


def written(folder: Path, urls: dict[str, str]) -> Path:
    lines = [f'{name} = "{url}"' for name, url in urls.items()]
    table = ["[project.urls]", *lines] if urls else []
    path = folder / "pyproject.toml"
    path.write_text("\n".join(['[project]\nname = "x"', *table]))
    return path


def configured(monkeypatch: pytest.MonkeyPatch, urls: dict[str, str], version: str = "") -> Any:
    """Return the theme's options as a build with these addresses has them."""
    monkeypatch.setattr(addresses, "configured_urls", lambda: urls)
    monkeypatch.setenv(addresses.VERSION, version)
    config = SimpleNamespace(html_theme_options=dict(DEFAULTS))
    addresses.configure(None, config)  # type: ignore[arg-type]
    return config.html_theme_options


def buttons(options: dict[str, Any]) -> dict[str, str]:
    """Return the launch buttons, by name, that the theme puts on a chapter's page."""
    notebook = {"book/numbers/x": {"kernelspec": {"name": "python3"}}}
    environment = SimpleNamespace(doc2path=lambda name: f"{name}.ipynb", metadata=notebook)
    app = SimpleNamespace(env=environment, config={"html_theme_options": options})
    context: dict[str, Any] = {
        "header_buttons": [],
        "pagename": "book/numbers/x",
        "sourcename": "book/numbers/x.ipynb",
    }
    if options.get("repository_url"):
        owner, name = options["repository_url"].split("/")[-2:]
        context |= {"github_url": "https://github.com", "github_user": owner, "github_repo": name}
    add_launch_buttons(app, "book/numbers/x", "page.html", context, None)
    groups = context["header_buttons"]
    return {b["text"]: b["url"] for group in groups for b in group["buttons"]}


def test_without_an_address_no_page_has_a_button(monkeypatch: pytest.MonkeyPatch) -> None:
    options = configured(monkeypatch, {}, "v1.0.0")
    assert options == {"home_page_in_toc": True}
    assert buttons(options) == {}


def test_with_an_address_a_chapter_opens_in_binder_and_colab(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = configured(monkeypatch, GITHUB)
    assert options["use_repository_button"] and options["repository_url"] == GITHUB["Repository"]
    assert "switcher" not in options
    assert buttons(options) == {
        "Binder": "https://mybinder.org/v2/gh/Ann/book/main?urlpath=lab/tree/book/numbers/x.ipynb",
        "Colab": "https://colab.research.google.com/github/Ann/book/blob/main/book/numbers/x.ipynb",
    }


def test_a_hub_has_a_button_where_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    options = configured(monkeypatch, GITHUB | {"JupyterHub": "https://hub.example.edu"})
    assert buttons(options)["JupyterHub"].startswith("https://hub.example.edu/hub/user-redirect/")


def test_colab_reads_from_github_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    options = configured(monkeypatch, {"Repository": "https://gitlab.com/ann/book"})
    assert "colab_url" not in options["launch_buttons"]


def test_the_page_for_wrong_addresses_links_from_where_the_site_lies() -> None:
    own = GITHUB | {"Documentation": "https://ann.example"}
    assert addresses.root_of_links({}, "main") == addresses.root_of_links(GITHUB) == "/"
    assert addresses.root_of_links(GITHUB, "v1.0.0") == "/book/v1.0.0/"
    assert addresses.root_of_links(own, "main") == "/main/"


def test_a_deployed_version_lists_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    options = configured(monkeypatch, GITHUB, "v1.0.0")
    listed = "https://ann.github.io/book/switcher.json"
    assert options["switcher"] == {"json_url": listed, "version_match": "v1.0.0"}
    assert options["repository_branch"] == "v1.0.0"
    assert "version-switcher" in options["article_header_start"]


def test_another_host_must_say_where_the_site_is() -> None:
    elsewhere = {"Repository": "https://gitlab.com/ann/book"}
    with pytest.raises(ValueError, match=r"gitlab\.com, which says nothing .* set Documentation"):
        addresses.site_address(elsewhere)
    documentation = {"Documentation": "https://ann.example/book/"}
    assert addresses.site_address(elsewhere | documentation) == "https://ann.example/book"


def test_addresses_are_those_of_pyproject(tmp_path: Path) -> None:
    assert addresses.configured_urls(written(tmp_path, {})) == {}
    assert addresses.configured_urls(written(tmp_path, GITHUB)) == GITHUB


@pytest.mark.parametrize(
    ("urls", "says"),
    {
        "no https": ({"Repository": "git@github.com:a/b"}, "must be an address that starts with"),
        "a query": ({"JupyterHub": "https://hub.example.edu/?a=b"}, "JupyterHub in pyproject.toml"),
        "a page": ({"Repository": "https://github.com/a/b/issues"}, "nothing after the name"),
    }.values(),
)
def test_an_address_that_cannot_be_used_is_named(
    urls: dict[str, str], says: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=says):
        addresses.configured_urls(written(tmp_path, urls))


def test_logos_stay_where_a_button_shows_them(tmp_path: Path) -> None:
    images = tmp_path / "_static" / "images"
    images.mkdir(parents=True)
    for name in ("logo_binder.svg", "logo_colab.png", "logo_deepnote.svg"):
        (images / name).touch()
    config = SimpleNamespace(html_theme_options=addresses.theme_options(GITHUB))
    app: Any = SimpleNamespace(outdir=str(tmp_path), config=config)
    addresses.drop_logos(app, None)
    assert {p.name for p in images.iterdir()} == {"logo_binder.svg", "logo_colab.png"}
    config.html_theme_options = {}
    addresses.drop_logos(app, None)
    assert not list(images.iterdir())
