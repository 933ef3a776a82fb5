"""Style rules of others that ask for `:has` above what they change, said without that.

Where one such rule stands, Chromium looks at each change in a figure which elements above it may
now have something: a third and more of the time that a key on a slider takes for its styles.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from site_builder.icons import STYLE_SHEET

AFTER_ICONS = 900  # which writes the theme's style sheet
HAS_TWO = "div.cell:has(> *:nth-child(2)) "
# A part of a cell of two parts and more lies in one of them, or is one.
IN_ONE_OF_TWO = "div.cell > :not(:only-child):is({0}), div.cell > :not(:only-child) {0}"
PARTS = [
    f"{part}:{end}-child" for end in ("first", "last") for part in ("div.cell_input", "details")
]
TOGGLE, TITLE = ".bd-content .dropdown.admonition.toggle", ".admonition-title"
# By the style sheet, what a selector is replaced by. The button that shows and hides a box stands
# in its title; the theme would outline that also where a link further down has the focus.
PLAIN = {
    "mystnb.*.css": {HAS_TWO + part: IN_ONE_OF_TWO.format(part) for part in PARTS},
    str(STYLE_SHEET): {
        f"{TOGGLE}:has(:focus-visible){state} {TITLE}:before": (
            f"{TOGGLE}{state} {TITLE}:has(:focus-visible):before"
        )
        for state in ("", ":not(.toggle-hidden)")
    },
}


def plain(css: str, selectors: dict[str, str]) -> str:
    """Return a style sheet with these selectors replaced, if they are not already.

    Raises:
        ExtensionError: one of them is not there: who wrote the style sheet has changed it.
    """
    for selector, replacement in selectors.items():
        if selector not in css and replacement not in css:
            raise ExtensionError(f"No style sheet has the selector {selector!r} any more.")
        css = css.replace(selector, replacement)
    return css


def write_plain(app: Sphinx, exception: Exception | None) -> None:
    """Write the site's style sheets with the selectors replaced."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    for pattern, selectors in PLAIN.items():
        (path,) = static.glob(pattern)
        path.write_text(plain(path.read_text("utf-8"), selectors), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect to the end of the build, when the style sheets have been written."""
    app.connect("build-finished", write_plain, priority=AFTER_ICONS)
