"""What leads away from the page: links to the source, launch buttons, the list of versions.

All of it comes from one address, the repository's, in the table `project.urls` of pyproject.toml.
While that is not set, the theme gets none of it, and no page has a button that would lead nowhere.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.config import Config

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
LOGOS = {"binderhub_url": "binder", "colab_url": "colab", "jupyterhub_url": "jupyterhub"}

# `make pages` names the version that it builds; a site for this machine has no name, and no list.
VERSION = "BOOK_VERSION"


def configured_urls(pyproject: Path = PYPROJECT) -> dict[str, str]:
    """Return the addresses that pyproject.toml sets.

    Raises:
        ValueError: one is no https address, or the repository's has not the form that launch
            buttons are made from.
    """
    with pyproject.open("rb") as file:
        urls: dict[str, str] = tomllib.load(file)["project"].get("urls", {})
    for name, url in urls.items():
        if not re.fullmatch(r"https://[\w.-]+(/[\w.~-]+)*/?", url):
            raise ValueError(
                f"{name} in pyproject.toml's project.urls is {url!r}, and must be an address "
                "that starts with https:// and has no query; write it as a browser shows it"
            )
    repository = urls.get("Repository")
    if repository and not re.fullmatch(r"https://[^/]+/[^/]+/[^/]+", repository):
        raise ValueError(
            f"Repository in pyproject.toml's project.urls is {repository!r}, and must be "
            "https://HOST/OWNER/NAME, with nothing after the name"
        )
    return urls


def launch_buttons(urls: dict[str, str]) -> dict[str, str]:
    """Return the theme's launch buttons: JupyterHub where one is named, Colab for GitHub alone.

    >>> sorted(launch_buttons({"Repository": "https://github.com/a/b"}))
    ['binderhub_url', 'colab_url', 'notebook_interface']
    """
    buttons = {"notebook_interface": "jupyterlab", "binderhub_url": "https://mybinder.org"}
    if urls["Repository"].startswith("https://github.com/"):
        buttons["colab_url"] = "https://colab.research.google.com"
    if hub := urls.get("JupyterHub"):
        buttons["jupyterhub_url"] = hub
    return buttons


def site_address(urls: dict[str, str]) -> str:
    """Return where the site is deployed: Documentation, or else GitHub's pages of the repository.

    >>> site_address({"Repository": "https://github.com/Ann/book"})
    'https://ann.github.io/book'
    """
    if "Documentation" in urls:
        return urls["Documentation"].rstrip("/")
    host, owner, name = urls["Repository"].removeprefix("https://").split("/")
    if host != "github.com":
        raise ValueError(
            f"the repository is on {host}, which says nothing about where the site will be: "
            "set Documentation in pyproject.toml's project.urls"
        )
    return f"https://{owner.lower()}.github.io/{name}"


def theme_options(urls: dict[str, str], version: str = "") -> dict[str, Any]:
    """Return what the theme is to be told of the repository: nothing without its address."""
    if not urls.get("Repository"):
        return {}
    options: dict[str, Any] = {
        "repository_url": urls["Repository"],
        "repository_branch": version or "main",
        "use_repository_button": True,
        "use_issues_button": True,
        "launch_buttons": launch_buttons(urls),
    }
    if version:
        listed = f"{site_address(urls)}/switcher.json"
        options["switcher"] = {"json_url": listed, "version_match": version}
        options["check_switcher"] = False  # it is not there yet while the first site is built
        options["article_header_start"] = ["toggle-primary-sidebar", "version-switcher"]
    return options


def root_of_links(urls: dict[str, str], version: str = "") -> str:
    """Return what the links of the page for a wrong address begin with: where the site lies.

    That page is shown in place of any other, so its links cannot be relative. A site that is not
    built to be deployed is taken to lie at the top of its server.

    >>> root_of_links({"Repository": "https://github.com/Ann/book"}, "main")
    '/book/main/'
    """
    if not urls.get("Repository") or not version:
        return "/"
    return f"{urlsplit(site_address(urls)).path}/{version}/"


def configure(app: Sphinx, config: Config) -> None:
    """Put the repository's options in place of those that Jupyter Book has for its own."""
    config.notfound_urls_prefix = root_of_links(configured_urls(), os.environ.get(VERSION, ""))
    for name in ("launch_buttons", "repository_url", "repository_branch", "path_to_docs"):
        config.html_theme_options.pop(name, None)
    config.html_theme_options |= theme_options(configured_urls(), os.environ.get(VERSION, ""))


def drop_logos(app: Sphinx, exception: Exception | None) -> None:
    """Remove the logos of services that no button leads to."""
    buttons = app.config.html_theme_options.get("launch_buttons", {})
    kept = {f"logo_{LOGOS[name]}" for name in buttons if name in LOGOS}
    for path in (Path(app.outdir) / "_static" / "images").glob("logo_*"):
        if path.stem not in kept:
            path.unlink()


def setup(app: Sphinx) -> None:
    """Set the options before the theme reads them, and clean up after it."""
    app.connect("config-inited", configure)
    app.connect("build-finished", drop_logos)
