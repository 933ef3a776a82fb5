"""The core pages of the book, which are taught: notebooks that are not to the bit."""

from __future__ import annotations

from typing import NamedTuple

from sphinx_external_toc.parsing import parse_toc_yaml

from site_builder.contents import ROOT

NOT_TAUGHT = "Reference"  # the part whose pages are looked up


class CorePage(NamedTuple):
    """A core page: the caption of its part, and its name as in ``book/start/tonight``."""

    part: str
    name: str

    @property
    def short(self) -> str:
        """The name below book/, as in ``start/tonight``."""
        return self.name.removeprefix("book/")


def core_pages() -> list[CorePage]:
    """Return the pages that stand directly in a part of the book, and are notebooks."""
    root = parse_toc_yaml(ROOT / "_toc.yml").root
    return [
        CorePage(str(part.caption), str(page))
        for part in root.subtrees
        if part.caption != NOT_TAUGHT
        for page in part.files()
        if (ROOT / f"{page}.ipynb").is_file()
    ]
