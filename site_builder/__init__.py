"""A Sphinx extension that makes the site whole without a network, over http and from file://.

Mathematics is rendered while the site is built, icons come from a font of the few glyphs in use,
and widgets are drawn by a small host script instead of the Jupyter widget manager.
"""

from sphinx.application import Sphinx

from site_builder import icons, mathematics, pages, plain_selectors, widgets


def setup(app: Sphinx) -> dict[str, bool]:
    """Register every part of the extension with Sphinx."""
    for part in (mathematics, pages, widgets, icons, plain_selectors):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
