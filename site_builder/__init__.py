"""A Sphinx extension that makes the site whole without a network, over http and from file://.

Mathematics is rendered while the site is built, icons come from a font of the few glyphs in use,
and widgets are drawn by a small host script instead of the Jupyter widget manager.
"""

from importlib import import_module

from sphinx.application import Sphinx

# Imported only when a site is built: the notebooks' tools use some of them, and some use those.
PARTS = (
    "mathematics",
    "pages",
    "widgets",
    "icons",
    "plain_selectors",
    "addresses",
    "page_head",
    "equality",
    "slide_types",
    "terms",
    "progress",
    "symptom_finder",
    "filled_pages",
    "section_links",
    "saved_notebooks",
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register every part of the extension with Sphinx."""
    for part in PARTS:
        import_module(f"{__name__}.{part}").setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
