"""What each page loads: the theme's own files, once each, deferred, and nothing from a CDN.

`templates/` holds the other half: the parts of the theme's templates that name files themselves.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.builders.html._assets import _JavaScript
from sphinx.config import Config

HERE = Path(__file__).parent
AFTER_ALL_OTHERS = 900
# The theme's inline scripts read what this one defines, so it cannot wait.
NEVER_DEFERRED = "_static/documentation_options.js"
LONG_CODE = re.compile(
    r'(<code class="docutils literal notranslate)"(><span class="pre">[^<]{25,})'
)
UNUSED = (
    "**/*.map",
    "**/webpack-macros.html",
    "**/sbt-webpack-macros.html",
    "locales",
    "scripts/fontawesome.js*",
    "vendor/fontawesome/webfonts/*.ttf",
    "vendor/fontawesome/webfonts/*.woff2",
)


def deferred_once(scripts: list[_JavaScript]) -> list[_JavaScript]:
    """Return the scripts without repetitions, those in files deferred."""
    kept: dict[str, _JavaScript] = {}
    for script in scripts:
        if script.filename and script.filename != NEVER_DEFERRED:
            attributes = {k: v for k, v in script.attributes.items() if k not in ("async", "defer")}
            script = _JavaScript(
                script.filename, priority=script.priority, defer="defer", **attributes
            )
        kept.setdefault(f"{script.filename} {script.attributes}", script)
    return list(kept.values())


def without_viewport(metatags: str) -> str:
    """Drop the viewport tag that docutils adds to the one in the theme's template."""
    return re.sub(r'<meta name="viewport"[^>]*>', "", metatags)


def accessible(body: str) -> str:
    """Mend what would stop a keyboard or a screen reader in the body of a page."""
    # The role that docutils gives a reference is deprecated, and not one of a list's.
    body = body.replace('role="doc-biblioentry"', 'role="listitem"')
    # The words on a fold are its name (WCAG 2.5.3), which myst-nb's label would replace.
    body = body.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    # The theme's script lets the keyboard reach wide tables; with their class, formulas too.
    scroller = "pst-scrollable-table-container"
    return body.replace('class="katex-display"', f'class="katex-display {scroller}"')


def with_long_code(body: str) -> str:
    """Mark the names and calls that are longer than a line of a table should have to be."""
    return LONG_CODE.sub(r'\1 long"\2', body)


def named_folds(contents: BeautifulSoup) -> BeautifulSoup:
    """Give each fold of the contents a name; the theme leaves it an arrow without a word."""
    for fold in contents.select("li > a + details > summary"):
        page = fold.find_previous("a")
        assert page is not None, "the selector wants one"
        fold["aria-label"] = f"Pages below {page.get_text(strip=True)}"
    return contents


def with_named_folds(contents: Callable[..., Any]) -> Callable[..., Any]:
    """Return the theme's function for the contents of the book, with named folds."""

    def named(*arguments: Any, **options: Any) -> Any:
        found = contents(*arguments, **options)
        return named_folds(found) if isinstance(found, BeautifulSoup) else found

    return named


def clean_page(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], _: object
) -> None:
    """Edit what the page's template is about to be given."""
    context["script_files"][:] = deferred_once(context["script_files"])
    # The styles come after all scripts; see layout.html.
    context["style_files"] = sorted(context["css_files"], key=lambda style: style.priority)
    context["css_files"] = []
    context["metatags"] = without_viewport(context.get("metatags", ""))
    context["body"] = with_long_code(accessible(context.get("body", "")))
    context["generate_toctree_html"] = with_named_folds(context["generate_toctree_html"])


def drop_unused_files(app: Sphinx, exception: Exception | None) -> None:
    """Remove from the site what no page loads: half of it by count, most of it by weight."""
    static = Path(app.outdir) / "_static"
    for pattern in UNUSED:
        for path in static.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def add_templates(app: Sphinx, config: Config) -> None:
    """Put our templates before the theme's."""
    config.templates_path.insert(0, str(HERE / "templates"))


def add_static_path(app: Sphinx) -> None:
    """Serve the files of `static/`."""
    app.config.html_static_path.append(str(HERE / "static"))


def setup(app: Sphinx) -> None:
    """Connect the page's cleaning to Sphinx."""
    app.connect("config-inited", add_templates)
    app.connect("builder-inited", add_static_path)
    app.connect("html-page-context", clean_page, priority=AFTER_ALL_OTHERS)
    app.connect("build-finished", drop_unused_files)
    app.add_css_file("book.css", priority=AFTER_ALL_OTHERS)
    app.add_js_file("keyboard.js")
