"""An address that was right once leads somewhere, and a wrong one to the page that says so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from site_checks.site import ROOT, built_site, served

PUBLISHED = (ROOT / "site_checks" / "published.txt").read_text("utf-8").splitlines()
MOVED = ROOT / "site_builder" / "templates" / "moved.html"


@pytest.fixture(scope="module")
def site() -> Path:
    return built_site()


def lost(site: Path, addresses: list[str]) -> list[str]:
    """Return the addresses at which the site has nothing."""
    return [a for a in addresses if not a.startswith("#") and not (site / a).is_file()]


def test_every_published_address_leads_somewhere(site: Path) -> None:
    assert lost(site, PUBLISHED) == [], "give each of these a line in _config.yml's redirects"


def test_a_lost_address_is_found(site: Path) -> None:
    assert lost(site, [*PUBLISHED, "book/gone.html"]) == ["book/gone.html"]


def test_the_page_for_wrong_addresses_links_to_what_there_is_from_any_depth(site: Path) -> None:
    page = (site / "404.html").read_text("utf-8")
    assert "There is no such page" in page
    links = re.findall(r'(?:href|src)="([^"#][^"]*)"', page)
    assert "/book/intro.html" in links
    wanted = [link.partition("?")[0] for link in links if not link.startswith("data:")]
    assert [link for link in wanted if not link.startswith("/")] == []
    assert [link for link in wanted if not (site / link[1:]).is_file()] == []


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site whose page `old` has moved to `new/place`."""
    tmp_path = tmp_path_factory.mktemp("moved")
    source = tmp_path / "source"
    (source / "new").mkdir(parents=True)
    (source / "index.rst").write_text("Top\n===\n\n.. toctree::\n\n   new/place\n")
    (source / "new" / "place.rst").write_text("Place\n=====\n\nText.\n\nSecond\n------\n")
    (source / "conf.py").write_text(
        "extensions = ['sphinx_reredirects']\n"
        "redirects = {'old': 'new/place.html'}\n"
        f"redirect_html_template_file = {str(MOVED)!r}\n"
    )
    command = [sys.executable, "-m", "sphinx", "-q", "-W", source, tmp_path / "site"]
    subprocess.run(command, check=True)
    return tmp_path / "site"


def test_an_old_address_leads_to_the_new_one_and_to_the_place_in_it(moved: Path, browser) -> None:
    with served(moved) as top:
        page = browser.new_page()
        page.goto(f"{top}old.html#second")
        page.wait_for_url(f"{top}new/place.html#second")
        page.close()


def test_without_a_script_too(moved: Path, browser) -> None:
    with served(moved) as top:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{top}old.html")
        page.wait_for_url(f"{top}new/place.html")
        context.close()
