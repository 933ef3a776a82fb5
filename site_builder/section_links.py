"""Links to sections of pages, ``{section}`start/tonight#why-fewer-bits` ``, with their titles."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from site_builder.sections import section
from site_builder.ways import FOLDER


def setup(app: Sphinx) -> None:
    """Let pages link to sections."""
    app.add_role("section", SectionLink())


class SectionLink(SphinxRole):
    """A link to a section of a page, with the section's title; a wrong name stops the build."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the link."""
        found = section(self.text)
        builder = self.env.app.builder
        address = builder.get_relative_uri(self.env.docname, FOLDER + found.page)
        link = nodes.reference(self.rawtext, found.title, internal=True)
        link["refuri"] = f"{address}#{found.slug}" if found.slug else address
        return [link], []
