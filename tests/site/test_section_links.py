"""A link to a section: where it leads, and what it says."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from site_builder.section_links import SectionLink

PAGE = "book/reference/workshop"


def linked(name: str) -> tuple[str, str]:
    """Return the address and the words of a link from the page."""

    def relative(page: str, other: str) -> str:
        return f"{other} seen from {page}"

    env = SimpleNamespace(docname=PAGE, app=SimpleNamespace())
    env.app.builder = SimpleNamespace(get_relative_uri=relative)
    role = SectionLink()
    role.text = role.rawtext = name
    role.inliner = SimpleNamespace(document=SimpleNamespace(settings=SimpleNamespace(env=env)))
    [link], _ = role.run()
    return link["refuri"], link.astext()


def test_a_link_leads_to_a_section() -> None:
    address = f"book/start/tonight seen from {PAGE}"
    slug = "four-bits-in-groups"
    assert linked(f"start/tonight#{slug}") == (f"{address}#{slug}", "Four bits, in groups")
    assert linked("start/tonight") == (address, "Quantize a model tonight")
    with pytest.raises(KeyError, match="no section 'none'"):
        linked("start/tonight#none")
