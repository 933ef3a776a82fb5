"""Write the decks of all plans and core pages, or of named pages, into _build/slides/."""

from __future__ import annotations

import sys

from site_builder.contents import ROOT
from site_checks.site import NoSiteError, built_site
from workshop.core_pages import core_pages
from workshop.plans.three_plans import PLANS
from workshop.slides.deck import write_decks
from workshop.slides.page import NoSlideError


def main(*names: str) -> str | None:
    """Write them; return a sentence if that was not possible."""
    pages = [page for page in core_pages() if not names or page.short in names]
    if unknown := set(names) - {page.short for page in pages}:
        return f"No core page has the name {', '.join(sorted(unknown))}; one is start/tonight."
    target = ROOT / "_build" / "slides"
    try:
        counts = write_decks(built_site(), target, pages, () if names else PLANS)
    except (NoSiteError, NoSlideError) as error:
        return str(error)
    print(f"{len(counts)} decks, {sum(counts.values())} slides: open {target / 'index.html'}")
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
