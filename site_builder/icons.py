"""Icons from a font of the few glyphs that the site uses, in place of 700 KB of all of them.

The theme draws an icon twice over: a script of 540 KB turns `<i class="fa-solid fa-sun">` into an
SVG, and its style sheet can draw the same icon from a font. `templates/` leaves the script out;
here the fonts are cut down to what pages and style sheets name, and the rules for the rest go.
"""

import re
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from pathlib import Path

import pydata_sphinx_theme
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
STYLE_SHEET = Path("styles", "pydata-sphinx-theme.css")
FONTS = Path("vendor", "fontawesome", "webfonts")

# The rules `.fa-gear:before,.fa-cog:before{content:"\f013"}`, one for each glyph.
ICON_RULE = re.compile(r'((?:\.fa-[\w-]+:before,?)+)\{content:"(\\?[^"]+)"\}')
FONT_SOURCES = re.compile(
    r'url\(([^)]+)\.woff2\) format\("woff2"\),url\(\1\.ttf\) format\("truetype"\)'
)
ICON_NAME = re.compile(r"\bfa-[\w-]+")
PRIVATE_USE = re.compile("[\ue000-\uf8ff]|" + r"\\([ef][0-9a-f]{3})\b")


def icon_names(text: str) -> set[str]:
    """Return every `fa-…` class that a page or a script names."""
    return set(ICON_NAME.findall(text))


def slim_style_sheet(css: str, names: set[str]) -> str:
    """Drop the rules of all icons but the named ones, and name the fonts that we write."""

    def keep(rule: re.Match[str]) -> str:
        used = [s for s in rule[1].split(",") if s.removesuffix(":before")[1:] in names]
        # The empty text after the slash keeps screen readers from reading the glyph out.
        return f'{",".join(used)}{{content:"{rule[2]}"/""}}' if used else ""

    css = ICON_RULE.sub(keep, css)
    return FONT_SOURCES.sub(r'url(\1.woff) format("woff")', css)


def code_points(css: str) -> set[int]:
    """Return the code points of every icon that a style sheet draws."""
    return {int(match[1], 16) if match[1] else ord(match[0]) for match in PRIVATE_USE.finditer(css)}


@cache
def subset_font(path: Path, codes: frozenset[int]) -> bytes:
    """Return the font with only the glyphs of these code points, as woff.

    Woff2 would be a few hundred bytes less, and needs a package more.
    """
    font = TTFont(path, recalcTimestamp=False)
    subsetter = Subsetter(Options(name_IDs=["*"], notdef_outline=True))
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    font.flavor = "woff"
    buffer = BytesIO()
    font.save(buffer)
    return buffer.getvalue()


def texts(paths: Iterable[Path]) -> str:
    """Return the contents of all these files, one after the other."""
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def write_icons(app: Sphinx, exception: Exception | None) -> None:
    """Write the style sheet and the fonts for the icons of all pages, rebuilt now or not."""
    if exception or app.builder.format != "html":
        return
    site, static = Path(app.outdir), Path(app.outdir) / "_static"
    names = icon_names(texts([*site.rglob("*.html"), *static.rglob("*.js")]))
    css = slim_style_sheet((THEME / STYLE_SHEET).read_text(encoding="utf-8"), names)
    (static / STYLE_SHEET).write_text(css, encoding="utf-8")
    codes = frozenset(code_points(css + texts(static.rglob("sphinx-book-theme.css"))))
    for font in (THEME / FONTS).glob("*.ttf"):
        (static / FONTS / f"{font.stem}.woff").write_bytes(subset_font(font, codes))


def setup(app: Sphinx) -> None:
    """Connect to the end of the build, when every page has been written."""
    app.connect("build-finished", write_icons)
