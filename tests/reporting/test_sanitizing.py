"""sanitizing: what pandas, xarray and an author need stays, and odd input costs neither an error nor much time."""

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from genexpy_nb.reporting.sanitizing import clean_declarations, clean_html, clean_stylesheet, printable


def test_a_table_of_pandas_keeps_its_cells_and_its_colours():
    frame = pd.DataFrame({"a < b": [1.5, -2], "c": ["<b>", "&amp;"]})
    styled = frame.style.background_gradient(subset=["a < b"]).bar(subset=["a < b"]).format(escape="html")
    fragment = clean_html(styled.to_html(table_uuid="u"), "s")
    assert fragment.left_out == fragment.not_embedded == ()
    soup, before = (BeautifulSoup(html, "html.parser") for html in (fragment.html, styled.to_html(table_uuid="u")))
    assert [c.get_text() for c in soup.select("th, td")] == [c.get_text() for c in before.select("th, td")]
    assert [c.get("id") for c in soup.select("td")] == [
        "T_u_row0_col0",
        "T_u_row0_col1",
        "T_u_row1_col0",
        "T_u_row1_col1",
    ]
    assert (
        "#s #T_u_row0_col0 {background-color:#023858;color:#f1f1f1;width:10em;background:linear-gradient("
        in fragment.html
    )


def test_an_array_of_xarray_loses_nothing_that_is_said():
    xarray = pytest.importorskip("xarray")
    html = xarray.DataArray(np.zeros((2, 3)), dims=["x", "y"], coords={"x": [1, 2]}, name="u")._repr_html_()
    fragment = clean_html(html, "s")
    soup, before = (BeautifulSoup(text, "html.parser") for text in (fragment.html, html))
    for parsed in (soup, before):
        for style in parsed.find_all(["style", "title"]):
            style.decompose()
    assert fragment.left_out == () and soup.get_text().split() == before.get_text().split()
    assert len(soup.select("use")) == len(before.select("use")) > 0 and len(soup.select("input")) == len(
        before.select("input")
    )


def test_a_drawing_keeps_its_shapes():
    drawing = (
        '<svg viewBox="0 0 9 9" width="9"><defs><linearGradient id="g"><stop offset="0"></stop></linearGradient></defs>'
        '<g transform="scale(1 -1)"><path d="M0 0L9 9" fill="url(#g)" style="stroke:red"></path>'
        '<text font-size="3">t</text></g></svg>'
    )
    soup = BeautifulSoup(clean_html(drawing, "s").html, "html.parser")
    assert soup.path.attrs == {"d": "M0 0L9 9", "fill": "url(#g)", "style": "stroke:red"}
    assert soup.svg["viewbox"] == "0 0 9 9" and soup.find("lineargradient")["id"] == "g" and soup.text == "t"


def test_references_cannot_multiply():
    html = '<svg><symbol id="a"><path/></symbol><g id="b"><use href="#a"/><use href="#a"/></g><use href="#b"/></svg>'
    assert BeautifulSoup(clean_html(html, "s").html, "html.parser").select("use") == [
        BeautifulSoup('<use href="#b"></use>', "html.parser").use
    ]


@pytest.mark.parametrize(
    ("address", "stays"),
    [
        ("https://a.org/b?c=d#e", True),
        ("mailto:a@b.org", True),
        ("02_other.html#part", True),
        ("#part", True),
        ("javascript:f()", False),
        (" java\tscript:f()", False),
        ("data:text/html,1", False),
        ("file:///etc/passwd", False),
        ("blob:https://a.org", False),
    ],
)
def test_only_addresses_that_a_reader_may_follow_stay(address, stays):
    soup = BeautifulSoup(clean_html(f'<a href="{address}">1</a>', "s").html, "html.parser")
    assert soup.a.get_text() == "1" and soup.a.get("href") == (address if stays else None)


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        ("color: red !important; width: calc(1em + 2px)", "color:red !important;width:calc(1em + 2px)"),
        ("background: linear-gradient(90deg, red 5%, var(--x))", "background:linear-gradient(90deg, red 5%, var(--x))"),
        ("content: 'a'; color: 'a'", 'content:"a"'),
        ("margin: 1em -1em; margin: 1em auto; margin: calc(0px - 9px)", "margin:1em auto"),
        ("text-decoration: underline 900px; text-decoration: underline", "text-decoration:underline"),
        ("overflow: visible; overflow: auto", "overflow:auto"),
        ("position: fixed; transform: none; z-index: 1; inset: 0; all: unset; animation: a 1s", ""),
        ("background: url(#a); src: src('a'); background: image-set('a' 1x); --x: url(a)", ""),
        ("content: '</style>'; color: red", "color:red"),
        ("color: red; } p { color: blue", "color:red"),
        ("color", ""),
    ],
)
def test_declarations(css, kept):
    assert clean_declarations(css)[0] == kept


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        ("td, th > b {color: red}", "#s td, #s th > b {color:red}"),
        ("html body td, body, :root {color: red}", "#s td, #s, #s {color:red}"),
        ("+ p, ~ p, > p, body + p, body ~ p {color: red}", ""),
        ("td:nth-child(2n+1):not(.a):hover, [href^='a'] {color: red}", None),
        ("bodyguard, html-x {color: red}", "#s bodyguard, #s html-x {color:red}"),
        ("body.dark td, html[data-theme=dark] td {color: red}", ""),
        ("@media all {p {color: red}} @font-face {src: url(a)} p {color: red}", "#s p {color:red}"),
        ("p { & b {color: red} color: blue }", "#s p {color:blue}"),
        ("<!-- p {color: red} -->", "#s p {color:red}"),
        ("p{", ""),
        ("}", ""),
    ],
)
def test_rules_hold_inside_their_element_only(css, kept):
    text, _ = clean_stylesheet(css, "#s")
    assert text == kept if kept is not None else text.count("#s ") == 2 and "<" not in text


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 3000,
        '<b style="color:' + "(" * 20_000 + '">1</b>',
        "<style>p{color:" + "(" * 20_000 + "}</style>",
        "<style>" + ":not(" * 5000 + "p {color: red}</style>",
        "<![if x]><![CDATA[ <![foo <!DOCTYPE [ <!ENTITY a 'b'>]>",
        "<svg>" * 2000 + '<use href="#a"/>',
        "<b><i>" * 300 + "<p>" * 300,
        '<a href="http://' + "a" * 500_000 + '">1',
        "\ud800<b title='\udfff\x00'>\x00",
        "<style",
        "<",
    ],
)
def test_odd_input_is_no_error_and_stays_as_it_is_when_cleaned_again(html):
    once = clean_html(html, "s").html
    assert clean_html(once, "s").html == once == printable(once)


def test_what_only_some_parsers_take_for_the_end_of_a_style_sheet_ends_none():
    html = "<style></style\u00a0><img src=x></style><svg><style><b></style></svg><!--><p>--><i title='`<u>'>1</i>"
    assert clean_html(html, "s").html == '<svg></svg><b><p>--&gt;<i title="`&lt;u&gt;">1</i></p></b>'
