"""The Sphinx extension: its pure functions, and the files of the site that it built."""

import base64
import json
import re
import shutil
from functools import cache
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont
from sphinx.builders.html._assets import _JavaScript
from sphinx.errors import ExtensionError
from sphinx.search.en import SearchEnglish
from sphinx_external_toc.parsing import parse_toc_yaml
from sphinxcontrib import katex

from site_builder import contents, icons, mathematics, pages, widgets
from site_builder.ways import FOLDER, Way, stops, ways
from site_checks.links import broken_links
from site_checks.site import built_site

ROOT = Path(__file__).resolve().parents[2]
ESM = "export default { render({ el }) { el.textContent = '</script>'; } };"
CDN = re.compile(r"unpkg|jsdelivr|cdnjs|googleapis|mathjax@", re.IGNORECASE)


@pytest.fixture(scope="session")
def site() -> Path:
    return built_site()


def texts(site: Path, pattern: str) -> dict[str, str]:
    return {str(p.relative_to(site)): p.read_text() for p in site.rglob(pattern)}


# ------------------------------------------------------------------ widgets


def anywidget_entry(esm: str = ESM, **traits: object) -> dict[str, object]:
    boilerplate = {
        "_anywidget_id": "qlearn.course.widgets.Toy",
        "_view_name": "AnyView",
        "layout": "x",
    }
    return {
        "model_name": "AnyModel",
        "state": {"_esm": esm, "_css": ".toy {}", "tooltip": None, **boilerplate, **traits},
        "buffers": [
            {
                "encoding": "base64",
                "path": ["sample"],
                "data": base64.b64encode(b"abc").decode(),
            }
        ],
    }


STATE = {
    "state": {
        "a": anywidget_entry(scale=0.1),
        "b": anywidget_entry(scale=0.2),
        "x": {"model_name": "LayoutModel", "state": {"width": None}},
    }
}


def test_models_keep_their_own_traits_and_share_their_class() -> None:
    models, classes = widgets.split_state(STATE)
    assert [widget.name for widget in classes] == ["Toy"]
    assert models["a"] == {
        "class": classes[0].key,
        "state": {"scale": 0.1},
        "buffers": [{"path": ["sample"], "data": "YWJj"}],
    }
    assert models.keys() == {"a", "b"}


def test_another_source_is_another_class() -> None:
    state = {"state": {"a": anywidget_entry(), "b": anywidget_entry(esm=ESM + "//")}}
    _, classes = widgets.split_state(state)
    assert len({widget.key for widget in classes}) == 2


def test_script_of_a_class_registers_its_source() -> None:
    widget = widgets.WidgetClass("Toy", ESM, ".toy {}")
    key, _, source = widget.script().rstrip(";\n").partition(" = ")
    assert key.endswith(f'["{widget.key}"]')
    assert json.loads(source) == {"esm": ESM, "css": ".toy {}"}


def test_script_of_a_figure_makes_it_without_waiting() -> None:
    _, classes = widgets.split_state(figure_state())
    figure, toy = sorted(classes, key=lambda widget: widget.entry is None)
    assert figure.script().startswith(
        f'(globalThis.qbWidgets ??= {{}})["{figure.key}"] = {{ widget: () => {{\n"use strict";'
    )
    assert "widget:" not in toy.script()


def test_views_become_hosts() -> None:
    view = '{"model_id": "a", "version_major": 2}'
    body = f'<p><script type="application/vnd.jupyter.widget-view+json">{view}</script></p>'
    assert widgets.viewed_models(body) == {"a"}
    hosts = widgets.with_hosts(body, {})
    assert 'data-model="a"' in hosts and "needs JavaScript" in hosts
    assert "<script" not in hosts
    assert "<svg></svg></div>" in widgets.with_hosts(body, {"a": "<svg></svg>"})


def figure_state() -> dict[str, object]:
    """Return the state of a figure, and of a toy beside it, as notebooks store them."""
    traits = {"activations": [255, 255], "weights": [127, 127], "reduce_range": False}
    name = {"_anywidget_id": "qlearn.course.widgets.saturation.Saturation"}
    figure = {"model_name": "AnyModel", "state": name | traits}
    return {"state": {"figure": figure, "toy": anywidget_entry()}}


def test_a_figure_is_drawn_from_the_class_in_the_package(tmp_path: Path) -> None:
    models, classes = widgets.split_state(figure_state())
    markup = widgets.drawn(models, classes)
    assert markup.keys() == {"figure"}
    assert "Lost <b>32,003, 49.4 %</b>" in markup["figure"]
    for widget in classes:
        widgets.write_files(tmp_path, widget)
    names = {path.name.partition(".")[0] + path.suffix for path in tmp_path.rglob("*.*s")}
    assert names == {"Saturation.js", "Saturation.css", "Toy.js"}


def test_a_figure_that_cannot_be_drawn_stops_the_build() -> None:
    models, classes = widgets.split_state(figure_state())
    del models["figure"]["state"]["weights"]
    with pytest.raises(ExtensionError, match=r"(?s)could not draw .*saturation.js"):
        widgets.drawn(models, classes)


@pytest.mark.parametrize("name", ["qlearn.course.widgets.gone.Gone", "qlearn.QParams"])
def test_what_is_no_figure_of_the_package_stops_the_build(name: str) -> None:
    with pytest.raises((ImportError, AttributeError)):
        widgets.widget_class({"_anywidget_id": name})


def test_embedded_state_cannot_end_its_script_early() -> None:
    models = {"a": {"state": {"text": "</script><!-- <script>"}}}
    embedded = widgets.embedded(models)
    inside = embedded[embedded.index(">") + 1 : embedded.rindex("<")]
    assert "<" not in inside
    assert json.loads(inside) == models


# ------------------------------------------------------------------ icons

CSS = r'.fa-sun:before{content:"\f185"}.fa-cog:before,.fa-gear:before{content:"\f013"}p{color:red}'


def test_style_sheet_keeps_the_icons_in_use() -> None:
    slim = icons.slim_style_sheet(CSS, {"fa-gear"})
    assert slim == r'.fa-gear:before{content:"\f013"/""}p{color:red}'
    assert icons.code_points(slim) == {0xF013}


def test_style_sheet_names_the_font_that_is_written() -> None:
    css = 'src:url(a.woff2) format("woff2"),url(a.ttf) format("truetype")'
    assert icons.slim_style_sheet(css, set()) == 'src:url(a.woff) format("woff")'


def test_font_keeps_the_glyphs_in_use() -> None:
    path = icons.THEME / icons.FONTS / "fa-solid-900.ttf"
    small = icons.subset_font(path, frozenset({0xF013}))
    assert set(TTFont(BytesIO(small)).getBestCmap()) == {0xF013}
    assert len(small) < 2000 < path.stat().st_size


def undrawn_icons(site: Path) -> set[str]:
    """The icons that the pages name and the site's style sheet or font cannot draw."""
    css = (site / "_static" / icons.STYLE_SHEET).read_text()
    glyphs = TTFont(site / "_static" / icons.FONTS / "fa-solid-900.woff").getBestCmap()
    # The rest of the `fa-…` classes are sizes and styles.
    original = (icons.THEME / icons.STYLE_SHEET).read_text()
    exist = {m[1:] for rule in icons.ICON_RULE.findall(original) for m in icons_of(rule[0])}
    drawn = {
        m[1:]
        for rule in icons.ICON_RULE.findall(css.replace('/""', ""))
        for m in icons_of(rule[0])
        if icons.code_points(rule[1]) <= glyphs.keys()
    }
    return (icons.icon_names("".join(texts(site, "*.html").values())) & exist) - drawn


def icons_of(selectors: str) -> list[str]:
    return re.findall(r"\.fa-[\w-]+", selectors)


def test_every_icon_of_the_site_can_be_drawn(site: Path) -> None:
    assert undrawn_icons(site) == set()


def test_an_icon_that_cannot_be_drawn_is_found(site: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(site, tmp_path / "site")
    page = copy / "book" / "intro.html"
    page.write_text(page.read_text().replace("</article>", '<i class="fas fa-horse"></i>'))
    assert undrawn_icons(copy) == {"fa-horse"}


# ------------------------------------------------------------------ mathematics


def test_vendored_katex_is_the_version_that_renders() -> None:
    folder = ROOT / "site_builder" / "static" / "katex"
    css = (folder / "katex.min.css").read_text()
    assert f'content:"{katex.katex_version}"' in css
    assert f"KaTeX {katex.katex_version}:" in (folder / "README.md").read_text()
    assert set(re.findall(r"fonts/[\w-]+\.\w+", css)) == {
        f"fonts/{font.name}" for font in (folder / "fonts").iterdir()
    }


def test_node_comes_with_the_requirements() -> None:
    assert mathematics.node_binary().is_file()


def test_a_bad_formula_stops_the_build_and_says_where() -> None:
    def refuse(translator: object, node: object) -> None:
        raise katex.KaTeXError("KaTeX parse error")

    node = SimpleNamespace(source="book/a.ipynb", line=7, astext=lambda: r"\frac{")
    with pytest.raises(ExtensionError, match=r"book/a.ipynb:7: KaTeX parse error.*frac"):
        mathematics.located(refuse)(None, node)  # type: ignore[arg-type]


@pytest.mark.parametrize("latex", [r"\frac{", r"\nosuchcommand", "x_1_2", "é"])
def test_katex_is_strict(latex: str) -> None:
    mathematics.configure_katex()
    with pytest.raises(katex.KaTeXError):
        katex.render_latex(latex)


def test_katex_draws_for_eyes_and_for_screen_readers() -> None:
    mathematics.configure_katex()
    drawn = katex.render_latex(r"\frac{x}{s}")
    assert "katex-html" in drawn
    assert "<mfrac>" in drawn


def test_a_node_that_does_not_start_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mathematics.configure_katex()
    monkeypatch.setattr(katex, "NODEJS_BINARY", "false")
    with pytest.raises(katex.KaTeXError, match="did not came up"):
        katex.KaTeXServer.start_server_process(tmp_path, 5)


# ------------------------------------------------------------------ pages


def test_scripts_come_once_and_deferred() -> None:
    inline = _JavaScript(None, priority=500, body="var x;")
    again = _JavaScript(None, priority=600, body="var x;")
    file = _JavaScript("a.js", priority=500, **{"async": "async"})
    first = _JavaScript(pages.NEVER_DEFERRED, priority=500)
    kept = pages.deferred_once([first, inline, file, again])
    assert [script.filename for script in kept] == [pages.NEVER_DEFERRED, None, "a.js"]
    assert kept[0].attributes == {}
    assert kept[2].attributes == {"defer": "defer"}


def test_viewport_tag_of_docutils_goes() -> None:
    tags = '<meta name="viewport" content="x" />\n<meta name="author" content="y" />'
    assert pages.without_viewport(tags) == '\n<meta name="author" content="y" />'


def test_each_page_has_one_viewport_and_no_script_twice(site: Path) -> None:
    for name, page in texts(site, "*.html").items():
        if 'http-equiv="Refresh"' in page:
            continue
        assert page.count('name="viewport"') == 1, name
        loaded = re.findall(r'(?:src|href)="([^"]+\.(?:js|css)[^"]*)"', page)
        assert len(loaded) == len(set(loaded)), name


def waiting_scripts(head: str) -> list[str]:
    """Return the scripts that wait for a style sheet above them, while the page waits for them."""
    _, _, after = head.partition('<link rel="stylesheet"')
    return [tag for tag in re.findall(r"<script[^>]*>", after) if "defer" not in tag]


def test_no_page_waits_for_its_styles_to_be_read(site: Path) -> None:
    for name, page in texts(site, "*.html").items():
        head, _, body = page.partition("</head>")
        assert waiting_scripts(head) == [], name
        assert '<link rel="stylesheet"' not in body, name


def test_a_script_that_waits_is_found() -> None:
    style, script = '<link rel="stylesheet" href="a.css">', "<script>1</script>"
    assert waiting_scripts(script + style + '<script defer src="a.js">') == []
    assert waiting_scripts(style + script) == ["<script>"]


def test_a_page_is_first_painted_with_its_first_picture(site: Path) -> None:
    with_pictures = 0
    for page in (site / "book").rglob("*.html"):
        soup = soup_of(page)
        first = soup.select_one(".qb-widget-host:has(.qb-widget:not(.qb-question))")
        awaited = [link["href"] for link in soup.select("link[rel=expect][blocking=render]")]
        assert awaited == ([f"#{first.get('id')}"] if first else []), page
        with_pictures += first is not None
    assert with_pictures > 20


def test_folds_and_references_are_named_for_screen_readers() -> None:
    fold = '<summary aria-label="Toggle hidden content">\n<p>Show code cell source</p>'
    reference = '<div role="list" class="citation-list">\n<div id="a" role="doc-biblioentry">'
    assert pages.accessible(fold) == "<summary>\n<p>Show code cell source</p>"
    assert pages.accessible(reference).endswith('<div id="a" role="listitem">')


def test_only_long_code_may_break_in_a_table():
    code = '<code class="docutils literal notranslate"><span class="pre">{}</span></code>'
    short, long = code.format("int8_weight_only"), code.format("Float8WeightOnlyConfig(version=2)")
    assert pages.with_long_code(short) == short
    assert '"docutils literal notranslate long"' in pages.with_long_code(long)


def test_a_fold_of_the_contents_is_named_for_screen_readers() -> None:
    below = "<details><summary><i></i></summary><ul><li><a>Deeper</a></li></ul></details>"
    shown = BeautifulSoup(f"<ul><li><a> A chapter</a>{below}</li></ul>", "html.parser")
    assert '<summary aria-label="Pages below A chapter"><i>' in str(pages.named_folds(shown))


# Most of a page, in which no test looks for anything: its code, and formulas and pictures as drawn
INSIDE = re.compile(
    r"(?<=<pre>).*?(?=</pre>)|(?<=<script>).*?(?=</script>)|<svg\b.*?</svg>|<math\b.*?</math>",
    re.DOTALL,
)


@cache
def parsed(text: str) -> BeautifulSoup:
    """Parse a page once, without what is inside its code, formulas and pictures."""
    return BeautifulSoup(INSIDE.sub("", text), "html.parser")


def soup_of(path: Path) -> BeautifulSoup:
    """Read a page; no test may change what it gets."""
    return parsed(path.read_text())


def shown_below(page: Path) -> dict[str, list[str]]:
    """Return the pages that the contents beside a page show in each fold, by the fold's name."""
    soup = soup_of(page)
    return {
        str(fold.select_one("summary")["aria-label"]): [
            str((page.parent / str(link["href"])).resolve()) for link in fold.select("a")
        ]
        for fold in soup.select("nav.bd-links details")
    }


def test_a_page_to_the_bit_stands_in_the_fold_of_its_chapter(site: Path) -> None:
    folds = shown_below(site / "book" / "intro.html")
    deep = [page for page in contents.chapters() if page.endswith("_to_the_bit")]
    assert deep
    toc = parse_toc_yaml(ROOT / "_toc.yml")
    above = {below: page for page in contents.pages() for below in toc[page].child_files()}
    for page in deep:
        core = soup_of(site / f"{above[page]}.html")
        title = core.select_one("h1").find(string=True)
        assert str(site / f"{page}.html") in folds[f"Pages below {title}"]


# ------------------------------------------------------------------ from page to page


def linked(site: Path, page: str, selector: str) -> str:
    """Return the page that the first link of a kind leads to from a page, or an empty string."""
    path = site / f"{page}.html"
    link = soup_of(path).select_one(selector)
    if link is None:
        return ""
    target = (path.parent / str(link["href"])).resolve()
    return str(target.relative_to(site).with_suffix(""))


def followed(site: Path, page: str, selector: str) -> list[str]:
    """Return the pages that one comes through from a page by one kind of link, and that page."""
    seen = [page]
    while (after := linked(site, seen[-1], selector)) and after not in seen:
        seen.append(after)
    return [*seen, after] if after else seen  # a ring would show as a page that comes twice


def test_the_arrow_at_the_foot_leads_through_the_contents(site: Path) -> None:
    assert followed(site, "book/intro", "a.right-next")[1:] == list(contents.pages())


def next_on(way: Way) -> str:
    return (
        f"ul.page-head li:has(> p > a:first-child:-soup-contains('{way.name.capitalize()}')) a + a"
    )


@pytest.mark.parametrize("way", ways().values(), ids=ways())
def test_the_heads_lead_from_the_first_page_of_a_way_to_its_last(way: Way, site: Path) -> None:
    pages_of_way = [f"{FOLDER}{page}" for page in way.pages]
    assert followed(site, pages_of_way[0], next_on(way)) == pages_of_way


def test_a_way_that_leads_back_is_seen(site: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(site, tmp_path / "site").resolve()
    way = ways()["debug_it"]
    last = copy / f"{FOLDER}{way.pages[-1]}.html"
    back = f'<a href="../{way.pages[0]}.html">back</a>'
    last.write_text(last.read_text().replace("This way ends here.", back))
    assert len(followed(copy, f"{FOLDER}{way.pages[0]}", next_on(way))) == len(way.pages) + 1


def test_a_head_names_the_ways_that_its_page_is_on_and_what_a_chapter_needs(site: Path) -> None:
    for page in contents.pages():
        soup = soup_of(site / f"{page}.html")
        lines = [line.get_text() for line in soup.select("h1 + ul.page-head > li")]
        if page in contents.chapters():
            said = re.match(
                r"Reading takes about \d+ minutes, without quiz and exercises\. You need ",
                lines.pop(0),
            )
            assert said, f"{page}: no paragraph of its opening begins with 'You need'"
        names = [stop.way.name.capitalize() for stop in stops(page.removeprefix(FOLDER))]
        assert [line.partition(",")[0] for line in lines] == names, page


# ------------------------------------------------------------------ what leads elsewhere


def test_no_page_names_a_cdn(site: Path) -> None:
    named = {name: CDN.findall(text) for name, text in texts(site, "*.html").items()}
    assert {name: found for name, found in named.items() if found} == {}


def test_a_cdn_would_be_found() -> None:
    assert CDN.search('<script src="https://cdn.jsdelivr.net/npm/mathjax@3/a.js"></script>')


# ------------------------------------------------------------------ links


def test_links_of_the_site_lead_somewhere(site: Path) -> None:
    assert broken_links(site) == []


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("no-such-page.html", "no such file"),
        ("notation.html#no-such-place", "no such place in notation.html"),
        ("#no-such-place", "no such place in intro.html"),
    ],
)
def test_a_broken_link_is_found(link: str, problem: str, site: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(site, tmp_path / "site")
    page = copy / "book" / "intro.html"
    page.write_text(page.read_text().replace("</article>", f'<a href="{link}">x</a></article>'))
    assert broken_links(copy) == [f"book/intro.html: {link}: {problem}"]


# ------------------------------------------------------------------ search


def test_the_page_that_searches_alone_loads_the_index(site: Path) -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert [name for name, text in texts.items() if "searchindex.js" in text] == ["search.html"]


@pytest.mark.parametrize("word", ["reduce_range", "vpmaddubsw"])
def test_the_search_leads_from_a_name_in_code_to_its_chapter(site: Path, word: str) -> None:
    text = (site / "searchindex.js").read_text("utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    pages = {index["docnames"][page] for page in index["terms"][SearchEnglish({}).stem(word)]}
    assert "book/calibration/reduce_range" in pages
