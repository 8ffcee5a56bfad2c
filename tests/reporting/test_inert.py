"""inert: what pandas and an author need stays, formulas are set or named, odd input costs neither an error nor time."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from genexpy_nb.common import page
from genexpy_nb.plots.style import COLOURS, VERDICTS, tint
from genexpy_nb.reporting.inert import TexError, clean_html, dark_colours, drawing, mathml, printable


def test_a_table_of_pandas_keeps_its_cells_and_says_that_its_style_is_gone():
    frame = pd.DataFrame({"a < b": [1.5, -2], "c": ["<b>", "&amp;"]})
    styled = frame.style.background_gradient(subset=["a < b"]).format(escape="html").to_html()
    fragment = clean_html(styled)
    assert fragment.left_out == ("<style>",) and fragment.not_embedded == ()
    soups = [BeautifulSoup(html, "html.parser") for html in (fragment.html, styled)]
    cells = [[c.get_text() for c in soup.select("th, td")] for soup in soups]
    assert cells[0] == cells[1] and not re.search("style|id=|class=", fragment.html)
    plain = clean_html(frame._repr_html_())
    assert plain.left_out == () and '<table class="dataframe">' in plain.html


def test_an_array_of_xarray_loses_nothing_that_is_said():
    xarray = pytest.importorskip("xarray")
    html = xarray.DataArray(np.zeros((2, 3)), dims=["x", "y"], coords={"x": [1, 2]}, name="u")._repr_html_()
    fragment = clean_html(html)
    soup, before = (BeautifulSoup(text, "html.parser") for text in (fragment.html, html))
    for left_out in before.find_all(["style", "svg"]):
        left_out.decompose()
    assert soup.get_text().split() == before.get_text().split()
    assert {"<style>", "<svg>"} <= set(fragment.left_out)
    assert all(box["type"] == "checkbox" and box.has_attr("disabled") for box in soup.select("input"))


@pytest.mark.parametrize(
    ("address", "stays"),
    [
        ("https://a.org/b?c=d#e", True),
        ("mailto:a@b.org", True),
        ("02_other.html#part", True),
        ("#part", True),
        ("javascript:f()", False),
        ("data:text/html,1", False),
        ("file:///etc/passwd", False),
    ],
)
def test_only_addresses_that_a_reader_may_follow_stay(address, stays):
    soup = BeautifulSoup(clean_html(f'<a href="{address}">1</a>').html, "html.parser")
    assert soup.a.get_text() == "1" and soup.a.get("href") == (address if stays else None)


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        ("color: red; text-align: right", "color:red;text-align:right"),
        ("position: fixed; transform: none; z-index: 1; inset: 0; margin: -9px; width: 9999px; float: left", None),
        ("background: url(#a); content: 'a'; --x: url(a); box-shadow: 0 0 9px red", None),
        ("color: red; } p { color: blue", "color:red"),
        ("color", None),
    ],
)
def test_styles_only_dress_what_they_stand_at(css, kept):
    assert BeautifulSoup(clean_html(f'<b style="{css}">1</b>').html, "html.parser").b.get("style") in (kept, kept or "")


def test_classes_are_those_of_tables_and_of_highlighted_code():
    html = '<table class="dataframe toc"></table><span class="kn figure">a</span><p class="jp-Cell banner">b</p>'
    soup = BeautifulSoup(clean_html(html).html, "html.parser")
    assert soup.table["class"] == ["dataframe"] and soup.span["class"] == ["kn"] and not soup.p.get("class")


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 3000,
        '<b style="color:' + "(" * 20_000 + '">1</b>',
        "<style>p{color:" + "(" * 20_000 + "}</style>",
        "<![if x]><![CDATA[ <![foo <!DOCTYPE [ <!ENTITY a 'b'>]>",
        '<a href="http://' + "a" * 500_000 + '">1',
        "\ud800<b title='\udfff\x00'>\x00",
        "<style",
        "<",
    ],
)
def test_odd_input_is_no_error_and_stays_as_it_is_when_cleaned_again(html):
    once = clean_html(html).html
    assert clean_html(once).html == once == printable(once)


def test_what_only_some_parsers_take_for_the_end_of_a_style_sheet_ends_none():
    html = "<style></style\u00a0><img src=x></style><svg><style><b></style></svg><!--><p>--><i title='`<u>'>1</i>"
    soup = BeautifulSoup(clean_html(html).html, "html.parser")
    assert not soup.select("img, style, svg") and soup.i["title"] == "`<u>"


def formula(tex, display=False):
    root = ElementTree.fromstring(mathml(tex, display))
    assert root.tag == "math" and root.attrib["alttext"] == " ".join(tex.split())
    return root


@pytest.mark.parametrize(
    ("tex", "read"),
    [
        (r"\alpha_n < 3", "αn<3"),
        (r"\bigl\{ x : \|y\| \bigr\}", "{x:‖y‖}"),
        (r"\text{a < b & c}", "a\u00a0<\u00a0b\u00a0&\u00a0c"),
        (r"\operatorname{sign} - x^*", "sign−x∗"),
        (r"\frac{1}{n} \sum_{i=1}^n D_i \ne \mathbb{E} Y", "1n∑i=1nDi≠𝔼Y"),
        (r"X \sim \mathbb{P}^n, \; \sqrt{2 \kappa_{\sup}}", "X∼ℙn,2κsup"),
        (r"\begin{array}{c|r} 1 & 2 \\ 3 & 4 \end{array}", "1234"),
    ],
)
def test_a_formula_says_what_its_tex_says(tex, read):
    assert "".join(formula(tex).itertext()) == read
    assert mathml(tex, False) == mathml(tex, False)


def test_a_formula_is_set_as_tex_would():
    assert [each.get("lspace") for each in formula("|a| / b").iter("mo")] == ["0"] * 3  # not operators with room around
    minus = [each.attrib for each in formula("a - b = -c").iter("mo") if each.text == "−"]
    assert minus == [{}, {"lspace": "0", "rspace": "0"}]
    spaces = [each.get("width") for each in formula(r"2 \log n + \log(n) \log |n|").iter("mspace")]
    assert spaces == ["0.167em"] * 4  # around names, but not before a parenthesis
    assert formula(r"\min_x f", True).find(".//munder") is not None
    assert formula(r"\Phi \phi").find(".//mi").get("mathvariant") == "normal"
    power = formula(r"\bigl( x \bigr)^2").find(".//msup")
    assert power[0].tag == "mrow" and power[0][0].get("minsize")  # as large as the one that opens
    cells = formula(r"\begin{array}{lr} 1 & 2 \end{array}").iter("mtd")
    assert [each.get("style") for each in cells] == ["text-align:left", "text-align:right"]


def test_only_long_formulas_say_how_wide_they_are():
    assert formula("x + y").get("style") is None
    widths = [int(formula(" + ".join(["x"] * n)).get("style").removeprefix("--w: ")) for n in (12, 24)]
    assert 15 < widths[0] < widths[1] < 2.2 * widths[0]


@pytest.mark.parametrize(
    "tex",
    [
        r"\nosuch x",
        r"\frac{1}{",
        "a & b",
        r"\operatorname{arg\,max} x",
        r"\boldsymbol{\beta}",
        r"\href{https://a.org}{x}",
        r"\style{color:red}{x}",
        r"\color{red}{x}",
        r"\hspace{-900em}x",
        r"\rule{1800em}{1800em}",
        r"\def\x{\x\x}\x",
        r"\newcommand{\mine}{m}\mine",
    ],
)
def test_what_a_page_cannot_show_is_an_error_that_names_the_formula(tex):
    with pytest.raises(TexError, match=re.escape(f"formula {tex!r}: ")):
        mathml(tex, True)
    assert mathml("x", False)  # and the next one is set


def test_what_a_formula_holds_is_text():
    root = formula(r'\text{<img src=x onerror="f()">} < \text{&lt;b&gt;}')
    assert {each.tag for each in root.iter()} <= {"math", "mrow", "mtext", "mo"}


def drawn(figure):
    return drawing(page._svg(figure)[0], "fig-1-", 'Rises "<1>"')


def test_a_drawing_is_text_and_lines_in_the_ink_of_the_page_and_refers_to_itself():
    figure = Figure(figsize=(3, 2), dpi=300)
    ax = figure.subplots()
    ax.plot([1, 2], [0.123456, 2], color="#0a5fa5", marker="o", markerfacecolor="white")
    ax.set_title("two < three", color="#1b1f24")
    svg = ElementTree.fromstring(drawn(figure))
    assert svg.get("role") == "img" and svg.get("aria-label") == 'Rises "<1>"' and svg.get("class") == "inked"
    assert 288 < float(svg.get("width")) < 346  # 3 inches without the margins, of 115 pixels
    title = next(each for each in svg.iter("text") if each.text == "two < three")
    assert "fill:currentcolor" in title.get("style") and "font-family" not in title.get("style")
    styles = " ".join(each.get("style", "") for each in svg.iter())
    assert "stroke:var(--c-0a5fa5,#0a5fa5)" in styles and "fill:var(--paper)" in styles
    ids = {each.get("id") for each in svg.iter()} - {None}
    used = {each.get("href")[1:] for each in svg.iter("use")}
    clips = {each.get("clip-path") for each in svg.iter() if each.get("clip-path")}
    assert used and used <= ids and clips and {clip[5:-1] for clip in clips} <= ids
    assert all(each.startswith("fig-1-") for each in ids)


def test_a_hatched_bar_keeps_its_colour():
    figure = Figure(figsize=(3, 2))
    figure.subplots().bar([0], [1], hatch="//", facecolor="#d3993b")
    (pattern,) = ElementTree.fromstring(drawn(figure)).iter("pattern")
    assert "d3993b" in pattern.find("rect").get("style")


def test_what_a_map_of_colours_paints_is_pixels_and_keeps_its_colours():
    figure = Figure(figsize=(3, 2))
    shown = figure.subplots().pcolormesh(np.arange(6).reshape(2, 3))
    figure.colorbar(shown)
    svg = ElementTree.fromstring(drawn(figure))
    assert svg.get("class") == "pixels" and len(list(svg.iter("image"))) == 2
    assert "var(--" not in " ".join(each.get("style", "") for each in svg.iter())


def test_a_very_large_drawing_becomes_pixels_but_for_its_text(monkeypatch):
    def figure():
        made = Figure(figsize=(3, 2))
        made.subplots().scatter(np.arange(500), np.arange(500) % 7)
        return made

    assert "<image" not in page._svg(figure())[0]
    monkeypatch.setattr(page, "MOST_DRAWN", 20_000)
    large = page._svg(figure())[0]
    assert "<image" in large and "<use" in large and ">400</text>" in large and len(large) < 40_000


@pytest.mark.parametrize("svg", ["", "<svg>", "<p/>", '<svg xmlns="http://www.w3.org/2000/svg"/>', "<g>" * 5000])
def test_what_is_no_drawing_is_none(svg):
    assert drawing(svg, "a-", "alt") is None


def contrast(one, other):
    def luminance(colour):
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
        return np.dot([0.2126, 0.7152, 0.0722], parts)

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


COLOURED = [*COLOURS.values(), *(look.color for look in VERDICTS.values()), *map(tint, COLOURS.values()), "#ebebeb"]


@pytest.mark.parametrize("colour", COLOURED)
def test_a_colour_is_as_strong_on_dark_paper_as_on_white(colour):
    rules = dark_colours(f"fill:var(--c-{colour[1:]},{colour})")
    (dark,) = re.findall(rf"--c-{colour[1:]}:(#[0-9a-f]{{6}})", rules)
    wanted = min(contrast(colour, "#ffffff"), contrast("#14171a", "#ffffff"))
    assert contrast(dark, "#14171a") == pytest.approx(wanted, rel=0.02)
