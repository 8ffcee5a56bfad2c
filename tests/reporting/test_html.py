"""html: the page of a report is safe, complete, the same each time, and loads nothing."""

from hashlib import sha256
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from genexpy_nb.datasets import Located
from genexpy_nb.reporting.execute import Failure
from genexpy_nb.reporting.html import BUNDLED_NOTICE, Page, to_html
from genexpy_nb.reporting.index import Entry, to_index
from genexpy_nb.reporting.pairing import NotebookFile, normalise
from genexpy_nb.reporting.parameters import Parameter
from genexpy_nb.reporting.spec import Report

PAIR = NotebookFile("01_a", Path("01_a.py"), Path("01_a.ipynb"))
NASTY = "<script>alert(1)</script> & \"quotes\" 'single'"


def make_page(title="A title", failure=None, **report):
    report = Report("a", title, report.pop("description", ""), PAIR, report.pop("declared", ()), {}, **report)
    return Page(report, [("Commit", NASTY)], "2026-01-01 00:00 UTC, in 1.0 s", failure)


def code(source="x", **data):
    outputs = [new_output("display_data", data={mime.replace("_", "/"): value for mime, value in data.items()})]
    return new_code_cell(source, outputs=outputs if data else [], execution_count=1)


def convert(*cells, page=None):
    html, problems = to_html(normalise(new_notebook(cells=list(cells))), page or make_page())
    return BeautifulSoup(html, "html.parser"), problems


def test_every_text_of_a_user_is_escaped():
    declared = (Parameter("alpha", "str", NASTY, NASTY),)
    failure = Failure(NASTY, 3, NASTY, NASTY, NASTY)
    data = (Located("encoders", "bundled", Path("a.parquet"), "0" * 64, NASTY),)
    soup, _ = convert(page=make_page(NASTY, failure, description=NASTY, declared=declared, data=data))
    assert not soup.find_all("script")
    assert soup.title.string == soup.h1.get_text().removesuffix("#") == NASTY
    assert soup.select_one(".lead").get_text() == NASTY
    assert soup.select_one(".banner.failed pre").get_text() == NASTY
    assert soup.select_one(".parameters td[data-label=meaning]").get_text() == NASTY
    assert soup.select_one(".provenance td").get_text() == NASTY
    entry = Entry("a", NASTY, NASTY, NASTY, "FAILED", {NASTY: NASTY}, {NASTY: NASTY}, 1.0, NASTY)
    index = BeautifulSoup(to_index([entry], NASTY), "html.parser")
    assert not index.find_all("script") and index.title.string == NASTY
    assert index.select_one(".card pre").get_text() == NASTY


def test_page_says_when_numbers_are_bundled():
    for source, expected in (("bundled", 1), ("original", 0)):
        data = (Located("encoders", source, Path("a.parquet"), "0" * 64, ""),)
        soup, _ = convert(page=make_page(data=data))
        assert len(soup.find_all(string=BUNDLED_NOTICE)) == expected


def test_parameters_that_changed_are_marked():
    declared = (Parameter("alpha", "float", 0.95, "wanted"), Parameter("k", "int", 1, "tiers"))
    report = Report("a", "A", "", PAIR, declared, {"alpha": 0.9, "k": 1})
    soup, _ = convert(page=Page(report, [], "now"))
    rows = [[c.get_text(" ", strip=True) for c in row.find_all(["th", "td"])] for row in soup.select(".parameters tr")]
    assert rows == [
        ["name", "value", "default", "meaning"],
        ["alpha", "0.9 changed", "0.95", "wanted"],
        ["k", "1", "1", "tiers"],
    ]


def test_headings_make_the_contents_list():
    soup, _ = convert(
        new_markdown_cell("# Title of the notebook"),
        new_markdown_cell("## Twice\n\n## Twice\n\n### The kernel $k(x)$ & <b>more</b>\n\n#### deep"),
    )
    links = soup.select("nav.toc a")
    texts = [" ".join(link.get_text().split()) for link in links]
    assert texts == ["Twice", "Twice", "The kernel & more", "Provenance"]
    assert [link["href"] for link in links] == ["#twice", "#twice-2", "#the-kernel-k-x-more", "#provenance"]
    for link in links:
        assert soup.find(id=link["href"][1:]).name in ("h2", "h3")
    assert soup.find(id="deep").name == "h4"
    ids = [element["id"] for element in soup.find_all(id=True)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(("title", "left"), [("The Title", 0), ("Another title", 1)])
def test_the_notebooks_own_title_is_not_repeated(title, left):
    soup, _ = convert(new_markdown_cell("# The title\n\ntext"), page=make_page(title))
    assert len(soup.find_all("h1")) == 1
    assert len(soup.select(".notebook-title")) == left


def test_formulas_in_markdown_outputs_and_table_headers():
    frame = pd.DataFrame({"$n^*$": [3], "price": ["$5 and $6"]})
    soup, problems = convert(
        new_markdown_cell(r"inline $n^* \le 3$ and `$code$`" + "\n\n" + r"\begin{align} a &= b < c \end{align}"),
        code(text_html=frame.to_html()),
        code(text_latex=r"$\displaystyle x_1$"),
        code(text_markdown="a $\\delta$"),
    )
    assert problems == []
    labels = [svg["aria-label"] for svg in soup.select("svg[aria-label]")]
    assert labels == [
        r"n^* \le 3",
        r"\begin{align} a &= b < c \end{align}",
        "n^*",
        r"\displaystyle x_1",
        r"\delta",
    ]
    assert all(svg.find("path") for svg in soup.select("svg[aria-label]"))
    assert soup.find("code", string="$code$") and soup.find("td", string="$5 and $6")


def test_bad_tex_is_named():
    soup, problems = convert(new_markdown_cell(r"fine $x$ and bad $\frc{1}{2}$"))
    assert problems == [r"formula '\\frc{1}{2}': Undefined control sequence \frc"]
    assert soup.select_one(".tex-error").get_text() == r"\frc{1}{2}"
    assert len(soup.select("svg[aria-label]")) == 1


def test_nothing_is_loaded_from_elsewhere():
    html = '<img src="https://a.org/i.png"><script src="//b.org/x.js">1</script><p onclick="f()">text</p>'
    soup, problems = convert(
        new_markdown_cell("![far](http://c.org/i.png) and a [link](https://d.org)"),
        code(text_html=html),
        code(text_html="<style>@import url('https://e.org/s.css');</style>"),
    )
    assert len(problems) == 3
    for address in ("https://a.org/i.png", "http://c.org/i.png", "https://e.org/s.css"):
        assert any(address in problem for problem in problems)
    assert not soup.find_all("script") and not soup.select("img") and not soup.select("[onclick]")
    assert soup.find("a", href="https://d.org")


def test_local_image_is_embedded(tmp_path):
    (tmp_path / "dot.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    pair = NotebookFile("01_a", tmp_path / "01_a.py", tmp_path / "01_a.ipynb")
    soup, problems = convert(
        new_markdown_cell("## Dots\n\n![](dot.svg)"), page=Page(Report("a", "A", "", pair, (), {}), [], "now")
    )
    assert problems == []
    assert soup.img["src"].startswith("data:image/svg+xml;base64,") and soup.img["alt"] == "Figure: Dots"


def test_figures_have_a_text():
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    soup, _ = convert(new_markdown_cell("## Size & $n^*$"), code(image_png=png))
    assert soup.img["alt"] == "Figure: Size & n^*"


def test_numbers_are_aligned_to_the_right_and_text_is_not():
    frame = pd.DataFrame({"name": ["a", "b"], "score": [1.5, float("nan")], "mixed": ["1", "x"]})
    soup, _ = convert(code(text_html=frame.to_html()))
    marked = {cell.get_text() for cell in soup.select(".table-scroll .num")}
    assert marked == {"score", "1.5", "NaN"}
    grouped = frame.assign(group=["g", "g"]).set_index(["group", "name"])
    soup, _ = convert(code(text_html=grouped.to_html()))
    assert {cell.get_text() for cell in soup.select(".num")} - {""} == {"score", "1.5", "NaN"}
    assert soup.select_one("table").parent["class"] == ["table-scroll"]


def test_code_is_folded_and_a_traceback_is_coloured():
    error = new_output("error", ename="ValueError", evalue="no", traceback=["\x1b[31mValueError\x1b[0m: <no>"])
    failing = new_code_cell("raise ValueError('<no>')", outputs=[error], execution_count=1)
    soup, _ = convert(code("1 + 1"), failing)
    first, second = soup.select("details.code")
    assert not first.has_attr("open") and first.summary.get_text(strip=True) == "code"
    assert second.has_attr("open") and second["id"] == "failed"
    assert soup.select_one(".traceback .ansi-red-fg").get_text() == "ValueError"
    assert "\x1b" not in soup.get_text() and "<no>" in soup.select_one(".traceback").get_text()


def test_page_has_language_title_and_no_address_to_load():
    soup, _ = convert(new_markdown_cell("text"))
    assert soup.html["lang"] == "en" and soup.title.string == "A title"
    assert not soup.select("link, script, iframe")
    for style in soup.find_all("style"):
        assert "http" not in style.string and "url(" not in style.string


def test_stylers_random_ids_become_positional():
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    htmls = [frame.style.background_gradient().to_html() for _ in range(2)]
    assert htmls[0] != htmls[1]
    nodes = [normalise(new_notebook(cells=[code(text_html=html), code(text_html=html)])) for html in htmls]
    first, second = [[cell.outputs[0].data["text/html"] for cell in node.cells] for node in nodes]
    assert first == second and first[0] != first[1]
    assert 'id="T_c000x0x0"' in first[0] and "#T_c000x0x0_row0_col0" in first[0]


def test_html_is_the_same_for_the_same_notebook():
    node = normalise(new_notebook(cells=[new_markdown_cell("## A $x$"), code("1", text_html="<b>1</b>")]))
    before = nbformat.writes(node)
    hashes = {sha256(to_html(node, make_page())[0].encode()).hexdigest() for _ in range(2)}
    assert len(hashes) == 1 and nbformat.writes(node) == before


def test_money_is_no_formula_and_three_ways_to_write_one_are():
    soup, _ = convert(code(text_html=r"<p>$5/$6 or \$7$ but \(a\), $b$, \[c\], $$d$$</p>"))
    found = [(box.svg["aria-label"], box.get("display") == "true") for box in soup.select("mjx-container")]
    assert found == [("a", False), ("b", False), ("c", True), ("d", True)]
    assert soup.select_one(".jp-RenderedHTML p").get_text().startswith(r"$5/$6 or \$7$ but ")


@pytest.mark.parametrize("html", ["<code>$x$</code>", "<pre>$x$</pre>", '<div class="tex2jax_ignore"><b>$x$</b></div>'])
def test_what_is_code_or_marked_is_not_typeset(html):
    soup, _ = convert(code(text_html=f"{html}<b>$y$</b>"))
    assert [svg["aria-label"] for svg in soup.select("mjx-container > svg")] == ["y"] and html in str(soup)


def test_a_fault_that_comes_twice_is_said_once():
    _, problems = convert(new_markdown_cell(r"$\frc$"), new_markdown_cell(r"$\frc$ and $\frd$"))
    assert [problem.split(":")[0] for problem in problems] == [r"formula '\\frc'", r"formula '\\frd'"]


def test_no_element_loads_anything():
    html = '<object data="https://f.org/o.svg">1</object><video poster="//g.org/p.png"></video><a href="https://h.org">h</a>'
    soup, problems = convert(code(text_html=html))
    assert [problem.split()[4] for problem in problems] == ["https://f.org/o.svg:", "//g.org/p.png:"]
    assert not soup.select("object, video") and soup.find("a", href="https://h.org")


def test_tables_lose_what_pandas_says_about_their_style():
    soup, _ = convert(code(text_html=pd.DataFrame({"a": [1]})._repr_html_()))
    assert not soup.select("style[scoped]") and not soup.select("table[border]") and not soup.select("tr[style]")
    assert len(soup.select(".table-scroll > table.dataframe")) == 1


def test_a_table_in_a_table_scrolls_with_it():
    inner = "<table><tbody><tr><td>1</td></tr></tbody></table>"
    soup, _ = convert(code(text_html=f"<table><tbody><tr><td>{inner}</td></tr></tbody></table>"))
    assert len(soup.select(".jp-RenderedHTMLCommon table")) == 2 and len(soup.select(".table-scroll")) == 1


def aligned(frame, **options):
    soup, _ = convert(code(text_html=frame.to_html(**options)))
    return [cell.get_text() for cell in soup.select("td.num, th.num")]


def test_columns_that_are_cut_short_are_still_numbers():
    assert aligned(pd.DataFrame({"n": range(10), "s": list("abcdefghij")}), max_rows=2) == ["n", "0", "...", "9"]


def test_a_dash_stands_for_a_missing_number():
    assert aligned(pd.DataFrame({"n": ["1.5", "—", "-3 %"], "s": ["—", "a", "1"]})) == ["n", "1.5", "—", "-3 %"]


def test_a_head_above_several_columns_is_not_aligned():
    frame = pd.DataFrame([[1, "a"]], columns=pd.MultiIndex.from_tuples([("group", "n"), ("group", "s")]))
    assert aligned(frame) == ["n", "1"]


def test_a_cell_keeps_its_classes():
    soup, _ = convert(code(text_html='<table><tbody><tr><td class="a b">1</td></tr></tbody></table>'))
    assert soup.td["class"] == ["a", "b", "num"]


def test_a_link_in_a_heading_is_text_in_the_contents():
    soup, _ = convert(new_markdown_cell("## See [there](https://a.org) now"))
    link = soup.select_one("nav.toc a")
    assert link.get_text() == "See there now" and not link.find("a")
    assert soup.select_one("main h2 a")["href"] == "https://a.org"
