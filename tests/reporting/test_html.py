"""html: the page of a report is safe, complete, the same each time, and loads nothing."""

from pathlib import Path

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from genexpy_nb.datasets.locating import Located
from genexpy_nb.reporting.html import Page, to_html
from genexpy_nb.reporting.overviews import to_index
from genexpy_nb.reporting.pairing import NotebookFile, as_metadata, normalise
from genexpy_nb.reporting.parameters import Parameter
from genexpy_nb.reporting.spec import Report
from genexpy_nb.reporting.state import Failure

PAIR = NotebookFile("01_a", Path("01_a.py"), Path("01_a.ipynb"))
NASTY = "<script>alert(1)</script> & \"quotes\" 'single'"


def make_page(title="A title", failure=None, pair=PAIR, **report):
    report = Report("a", title, report.pop("description", ""), pair, report.pop("declared", ()), {}, **report)
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
    assert soup.select_one(".facts td").get_text() == NASTY


def test_page_says_when_numbers_are_bundled():
    said = "Instead of the published results (encoders), this page shows this project's own runs."
    for source, expected in (("bundled", [said]), ("original", [])):
        data = (Located("encoders", source, Path("a.parquet"), "0" * 64, ""),)
        soup, _ = convert(page=make_page(data=data))
        assert [each.get_text(strip=True) for each in soup.select(".banner.bundled")] == expected


def test_headings_make_the_contents_list():
    soup, _ = convert(
        new_markdown_cell("# Title of the notebook"),
        new_markdown_cell("## Twice\n\n1\n\n## Twice\n\n### The kernel $k(x)$ & <b>more</b>\n\n#### deep\n\n2"),
    )
    links = soup.select("nav.toc a")
    texts = [" ".join(link.get_text().split()) for link in links]
    assert texts == ["Twice", "Twice", "The kernel k(x) & more", "Provenance"]
    assert [link["href"] for link in links] == ["#twice", "#twice-2", "#the-kernel-k-x-more", "#provenance"]
    for link in links:
        assert soup.find(id=link["href"][1:]).name in ("h2", "h3")
    assert soup.find(id="deep").name == "h4"
    ids = [element["id"] for element in soup.find_all(id=True)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("title", ["The Title", "Another title"])
def test_a_page_has_no_second_title(title):
    soup, _ = convert(new_markdown_cell("# The title\n\ntext"), page=make_page(title))
    assert [heading.get_text() for heading in soup.find_all("h1")] == [title] and soup.find("p", string="text")
    assert not soup.find(string="The title")


def test_formulas_of_markdown_are_typeset_and_what_a_cell_puts_out_is_not():
    frame = pd.DataFrame({"$n^*$": [3], "price": ["$5 and $6"]})
    soup, problems = convert(
        new_markdown_cell(r"inline $n^* \le 3$ and `$code$`" + "\n\n" + r"\begin{align} a &= b < c \end{align}"),
        code(text_html=frame.to_html()),
        code(text_latex=r"$\displaystyle x_1$"),
        code(text_markdown=r"a $\frc$, \(x\), $$y$$ and *more* for $6"),
    )
    assert problems == []
    labels = [math["alttext"] for math in soup.select("math")]
    assert labels == [r"n^* \le 3", r"\begin{align} a &= b < c \end{align}"]
    assert [math.get_text() for math in soup.select("math")] == ["n∗≤3", "a=b<c(1)"]
    assert soup.select_one("math[display=block] mtable")
    assert soup.find("code", string="$code$")
    assert soup.find("td", string="$5 and $6") and soup.find("th", string="$n^*$")
    assert soup.find("pre", string=r"$\displaystyle x_1$")
    said = soup.select_one(".jp-OutputArea .jp-RenderedMarkdown")
    assert said.get_text(strip=True) == r"a $\frc$, (x), $$y$$ andmorefor $6" and said.em.string == "more"


def test_the_mark_of_a_formula_cannot_be_made_by_data():
    mark = '<span data-formula="0">1</span><span data-formula="٣">2</span>'
    soup, _ = convert(new_markdown_cell("$x$ " + mark.replace("0", "99")), code(text_html=mark, text_markdown=mark))
    assert len(soup.select("math")) == 1 and not soup.select("[data-formula]")


def test_bad_tex_is_named_once():
    bad = r"fine $x$ and bad $\frc{1}{2}$"
    soup, problems = convert(new_markdown_cell(bad), new_markdown_cell(r"$\frc{1}{2}$ and $\frd$"))
    assert problems[0] == r"formula '\\frc{1}{2}': undefined control sequence \frc"
    assert [problem.split(":")[0] for problem in problems[1:]] == [r"formula '\\frd'"]
    assert soup.select_one(".tex-error").get_text() == r"\frc{1}{2}"
    assert len(soup.select("math")) == 1


def test_nothing_is_loaded_from_elsewhere():
    html = '<img src="https://a.org/i.png"><script src="//b.org/x.js">1</script><p onclick="f()">text</p>'
    soup, problems = convert(
        new_markdown_cell("![far](http://c.org/i.png) and a [link](https://d.org)"),
        code(text_html=html),
        code(text_html="<style>@import url('https://e.org/s.css');</style>"),
    )
    what = "it must be an image in the notebook's folder"
    assert problems == [f"the page would load {a}: {what}" for a in ("http://c.org/i.png", "https://a.org/i.png")]
    assert [code.string for code in soup.select("code.tex-error")] == ["http://c.org/i.png", "https://a.org/i.png"]
    assert not soup.find_all("script") and not soup.select("img") and not soup.select("[onclick]")
    assert soup.find("a", href="https://d.org")
    notes = [note.string.split(": ", 1)[1] for note in soup.select(".left-out")]
    assert notes == ["<script>, onclick=", "<style>"]


@pytest.mark.parametrize(
    "name", ["https://a.org/x.png", "../x.png", "x.txt", ".", "none.png", "x" * 300 + ".png", "%00.png"]
)
def test_what_is_no_image_of_the_folder_is_named(tmp_path, name):
    for file in ("x.png", "notebooks/x.txt"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("1")
    folder = tmp_path / "notebooks"
    page = make_page(pair=NotebookFile("01_a", folder / "01_a.py", folder / "01_a.ipynb"))
    for cell in (
        new_markdown_cell(f"![]({name})"),
        code(text_html=f"<img src={name}>"),
        code(text_markdown=f"![]({name})"),
    ):
        soup, problems = convert(cell, page=page)
        assert problems == [f"the page would load {name[:200]}: it must be an image in the notebook's folder"]
        assert not soup.img and soup.select_one("code.tex-error").string == name


def test_a_missing_attachment_is_named():
    attached = {"a.png": {"image/png": "iVBORw0KGgo="}}
    cell = new_markdown_cell("![](attachment:a.png) ![](attachment:b.png)", attachments=attached)
    soup, problems = convert(cell, code(text_markdown="![](attachment:a.png)"))
    assert [problem.split(": ")[0] for problem in problems] == [
        "the page would load attachment:b.png",
        "the page would load attachment:a.png",
    ]
    assert soup.img["src"] == "data:image/png;base64,iVBORw0KGgo="


def test_local_image_is_embedded(tmp_path):
    (tmp_path / "a dot.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    pair = NotebookFile("01_a", tmp_path / "01_a.py", tmp_path / "01_a.ipynb")
    soup, problems = convert(
        new_markdown_cell("## Dots\n\n![](a%20dot.svg)"),
        code(text_html='<img src="a dot.svg">'),
        page=make_page(pair=pair),
    )
    assert problems == [] and len(soup.select("img")) == 2
    for image in soup.select("img"):
        assert image["src"].startswith("data:image/svg+xml;base64,") and image["alt"] == "Figure: Dots"


def test_code_is_shown_by_one_switch_but_for_what_failed_and_a_traceback_is_coloured():
    error = new_output("error", ename="ValueError", evalue="no", traceback=["\x1b[31mValueError\x1b[0m: <no>"])
    failing = new_code_cell("raise ValueError('<no>')", outputs=[error], execution_count=1)
    soup, _ = convert(code("1 + 1"), failing)
    first, second = soup.select(".code")
    assert first["class"] == ["code"] and second["class"] == ["code", "shown"] and second["id"] == "failed"
    assert [box["id"] for box in soup.select("header input[type=checkbox]")] == ["show-code"]
    assert not convert(new_markdown_cell("text"))[0].input
    assert soup.select_one(".traceback .ansi-red-fg").get_text() == "ValueError"
    assert "\x1b" not in soup.get_text() and "<no>" in soup.select_one(".traceback").get_text()


def test_stylers_random_ids_become_positional():
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    htmls = [frame.style.background_gradient().to_html() for _ in range(2)]
    assert htmls[0] != htmls[1]
    nodes = [normalise(new_notebook(cells=[code(text_html=html), code(text_html=html)])) for html in htmls]
    first, second = [[cell.outputs[0].data["text/html"] for cell in node.cells] for node in nodes]
    assert first == second and first[0] != first[1]
    assert 'id="T_c000x0x0"' in first[0] and "#T_c000x0x0_row0_col0" in first[0]


def test_every_page_says_that_nothing_may_be_loaded():
    soup, _ = convert(new_markdown_cell("text"))
    assert soup.html["lang"] == "en" and not soup.select("link, script, iframe")
    for page in (soup, BeautifulSoup(to_index([]), "html.parser")):
        (policy,) = page.select('head > meta[http-equiv="Content-Security-Policy"]')
        rules = dict(rule.split(" ", 1) for rule in policy["content"].split("; "))
        assert rules == {
            "default-src": "'none'",
            "img-src": "data:",
            "style-src": "'unsafe-inline'",
            "font-src": "data:",
            "base-uri": "'none'",
            "form-action": "'none'",
        }
        assert policy.find_previous_sibling().name == "meta"  # nothing but the encoding comes before it


def test_control_characters_are_left_out_wherever_they_stand():
    bad = "a\x00\x08\x1b\x7f\x85\ufffe\ud800b"
    stream = new_output("stream", name="stdout", text=bad + "\x1b[31mred\x1b[0m")
    shown = new_output("display_data", data={"text/html": bad + "&#27;&#1;", "text/markdown": bad, "text/plain": bad})
    cells = [new_markdown_cell(bad + " $x$"), new_code_cell(bad, outputs=[stream, shown], execution_count=1)]
    node = new_notebook(cells=cells)
    html, problems = to_html(node, make_page("A \x00\x1b title", description=bad))
    assert problems == [] and not set(html) & set("\x00\x01\x08\x1b\x7f\x85\ufffe\ud800")
    assert html.encode("utf-8").count("a\ufffdb".encode()) >= 3
    assert BeautifulSoup(html, "html.parser").select_one(".ansi-red-fg").string == "red"
    assert node.cells[0].source == bad + " $x$"


def test_a_heading_keeps_its_address_when_data_has_the_same():
    soup, _ = convert(new_markdown_cell("## Part one"), code(text_html='<b id="part-one">1</b>'))
    link = soup.select_one("nav.toc a")
    assert soup.find(id=link["href"].removeprefix("#")).name == "h2"


def test_tables_lose_what_pandas_says_about_their_style():
    soup, _ = convert(code(text_html=pd.DataFrame({"a": [1]})._repr_html_()))
    assert not soup.select("style[scoped]") and not soup.select("table[border]") and not soup.select("tr[style]")
    assert len(soup.select(".table-fit > table.dataframe")) == 1


def test_a_table_in_a_table_is_a_part_of_it():
    inner = "<table><tbody><tr><td>1</td></tr></tbody></table>"
    soup, _ = convert(code(text_html=f"<table><tbody><tr><td>{inner}</td></tr></tbody></table>"))
    assert len(soup.select(".jp-RenderedHTMLCommon table")) == 2 and len(soup.select(".table-fit")) == 1


PLAIN = pd.DataFrame({"name": ["a", "b"], "score": [1.5, float("nan")], "mixed": ["1", "x"]})
MISSING = pd.DataFrame({"n": ["1.5", "—", "-3 %", "> 9", "less than 1 %"], "s": ["—", "a", "1", "> a", "2"]})
GROUPED = pd.DataFrame([[1, "a"]], columns=pd.MultiIndex.from_tuples([("group", "n"), ("group", "s")]))


@pytest.mark.parametrize(
    ("html", "numbers"),
    [
        (PLAIN.to_html(), ["score", "1.5", "–"]),
        (PLAIN.assign(group=["g", "g"]).set_index(["group", "name"]).to_html(), ["score", "1.5", "–"]),
        (pd.DataFrame({"n": range(10), "s": list("abcdefghij")}).to_html(max_rows=2), ["n", "0", "...", "9"]),
        (MISSING.to_html(), ["n", *MISSING["n"]]),
        (GROUPED.to_html(), ["n", "1"]),  # a head above several columns is not aligned
    ],
)
def test_numbers_are_aligned_to_the_right_also_where_some_are_missing_and_text_is_not(html, numbers):
    soup, _ = convert(code(text_html=html))
    assert [text for cell in soup.select(".table-fit .num") if (text := cell.get_text())] == numbers


def test_a_link_in_a_heading_is_text_in_the_contents():
    soup, _ = convert(new_markdown_cell("## See [there](https://a.org) now\n\ntext"))
    link = soup.select_one("nav.toc a")
    assert link.get_text() == "See there now" and not link.find("a")
    assert soup.select_one("main h2 a")["href"] == "https://a.org"


def tagged(tag, **data):
    cell = code(**data)
    cell.metadata["tags"] = [tag]
    return cell


def test_findings_and_hero_stand_below_the_title():
    spoof = '<div class="jp-CodeCell celltag_findings"><div class="jp-OutputArea findings">3</div></div>'
    value = {"status": "ok", "data": {"text/plain": "7"}}
    soup, _ = convert(
        new_markdown_cell("# A title\n\nAbout."),
        new_markdown_cell("## The answer"),
        new_markdown_cell(
            "- **One?** {eval}`n` of *two*. *Quite sure.*\n- **Two?** No.\n- Three.",
            metadata={"tags": ["findings"], "user_expressions": as_metadata([("n", value)])},
        ),
        new_markdown_cell("## More"),
        tagged("hero", image_png="iVBORw0KGgo="),
        code(text_html=spoof),
    )
    findings, hero = soup.select("header.page-head > section")
    assert [
        [part.get_text(strip=True) for part in item.find_all(class_=["finding-asked", "finding-text", "finding-sure"])]
        for item in findings.select(".finding-list > li")
    ] == [["One?", "7 oftwo.", "Quite sure."], ["Two?", "No."], []]
    assert findings["class"] == ["findings"] and hero["class"] == ["hero"] and hero.img["alt"] == "Figure: More"
    assert len(soup.select(".findings")) == len(soup.find_all(string="One?")) == len(soup.select("main img")) == 1
    contents = [link.get_text() for link in soup.select("nav.toc a")]
    assert contents == ["More", "Provenance"]  # nothing is left under the heading of the answer
    before, _ = convert(new_markdown_cell("## More"), code(text_markdown="One."))
    assert not before.select("header.page-head > section")


def test_a_heading_under_which_nothing_is_shown_is_gone_and_opening_code_is_at_the_end():
    soup, _ = convert(
        new_markdown_cell("# A title\n\nAbout."),
        new_markdown_cell("## Parameters"),
        code("alpha = 1"),
        new_markdown_cell("## Setup\n\n### Imports"),
        code("import numpy"),
        new_markdown_cell("## Part\n\n### Sub"),
        code("1", text_plain="1"),
        new_markdown_cell("## Hidden"),
        code("beta = 2"),
        new_markdown_cell("## Last\n\ntext"),
        new_markdown_cell("## Nothing at all"),
    )
    kept = [heading.get_text().removesuffix("#") for heading in soup.select("main h2, main h3")]
    assert kept == ["Part", "Sub", "Last", "Provenance"]
    assert [link.get_text() for link in soup.select("nav.toc a")] == kept
    setup = soup.select_one("footer > details.setup")
    assert setup.summary.string == "Code that runs first: Parameters, Setup, Imports"
    assert [pre.get_text().strip() for pre in setup.select("pre")] == ["alpha = 1", "import numpy"]
    assert [pre.get_text().strip() for pre in soup.select(".code pre")] == ["1", "beta = 2"]


def test_cells_carry_the_names_of_their_columns_and_heads_their_scope():
    labels = [("time", "first"), ("time", "last"), ("score", "best")]
    columns = pd.MultiIndex.from_tuples(labels, names=["what", "which"])
    frame = pd.DataFrame([[1, 2, 3], [4, 5, 6]], index=pd.Index(["a", "b"], name="model"), columns=columns)
    soup, _ = convert(code(text_html=frame.to_html()), new_markdown_cell("| $n^*$ |\n|---|\n| 1 |"))
    labels = [cell["data-label"] for cell in soup.select(".dataframe tbody tr:first-child > *")]
    assert labels == ["model", "time · first", "time · last", "score · best"]
    assert {head["scope"] for head in soup.select(".dataframe tbody th")} == {"row"}
    assert soup.find("th", string="time")["scope"] == "colgroup" and soup.find("th", string="best")["scope"] == "col"
    assert all(head.get_text() for head in soup.select(".dataframe th"))  # an empty corner is no head
    assert soup.select_one(".jp-MarkdownCell td")["data-label"] == "n*"


def test_a_cell_over_several_rows_leaves_the_others_in_their_columns():
    frame = pd.DataFrame({"g": list("aab"), "h": list("xyz"), "n": [1, 2, 3]}).set_index(["g", "h"])
    soup, _ = convert(code(text_html=frame.to_html()))
    rows = [[cell["data-label"] for cell in row.find_all(["th", "td"])] for row in soup.select("tbody tr")[:3]]
    assert rows == [["g", "h", "n"], ["h", "n"], ["g", "h", "n"]]


def test_a_page_says_how_wide_its_tables_must_be():
    def need(frame):
        soup, _ = convert(code(text_html=frame.to_html(index=False)))
        return soup.select_one(".table-fit")["data-fit"]

    narrow, wide = pd.DataFrame({"a": [1]}), pd.DataFrame([range(12)], columns=[f"column_{i}" for i in range(12)])
    assert int(need(narrow)) < 10 < int(need(wide))
    assert need(pd.concat([wide] * 4, axis=1)) == "lists"
    text = pd.DataFrame({"text": ["word " * 50]})
    assert int(need(text)) < 15  # it wraps
    phone = pd.DataFrame({"what it is": ["a mean of five seeds"], "value": ["0.753"], "interval": ["0.668 to 0.838"]})
    assert int(need(phone.assign(unit="%", n=12))) <= 22  # rem that a phone has
    assert need(pd.DataFrame({"t": ["x" * 500]})) == need(pd.DataFrame({"t": ["x" * 50]}))  # it breaks anywhere


@pytest.mark.parametrize(
    ("values", "said", "alpha", "k"),
    [
        ({"alpha": 0.95, "k": 1}, "default parameters", "0.95", "1"),
        ({"alpha": 0.9, "k": 1}, "changed from default: alpha = 0.9", "0.9 changed", "1"),
        ({"alpha": "x" * 80, "k": 2}, "changed from default: 2 parameters", f"'{'x' * 80}' changed", "2 changed"),
    ],
)
def test_what_was_changed_stands_above_the_title_and_folds_at_the_end(values, said, alpha, k):
    declared = (Parameter("alpha", "float", 0.95, "wanted"), Parameter("k", "int", 1, "tiers"))
    soup, _ = convert(page=Page(Report("a", "A", "", PAIR, declared, values), [], "now"))
    tag = soup.select_one(".page-head .tag")
    assert (tag and tag.get_text()) == said
    folded = soup.select_one("footer > details#parameters")
    assert not folded.has_attr("open") and not soup.select(".page-head table")
    rows = [[c.get_text(" ", strip=True) for c in row.find_all(["th", "td"])] for row in folded.select("tr")]
    assert rows[0] == ["name", "value", "default", "meaning"]
    assert rows[1:] == [["alpha", alpha, "0.95", "wanted"], ["k", k, "1", "tiers"]]


def test_a_page_without_an_index_does_not_link_to_one():
    links = []
    for index in (True, False):
        soup, _ = convert(page=Page(Report("a", "A", "", PAIR, (), {}), [], "now", index=index))
        links.append(len(soup.select('a[href="index.html"]')))
    assert links == [1, 0]


def test_long_output_can_be_scrolled_by_keyboard():
    soup, _ = convert(code(text_plain="1\n" * 100), code(text_html=pd.DataFrame({"n": range(50)}).to_html()))
    assert [each["tabindex"] for each in soup.select("main [role=region]")] == ["0", "0"]
    soup, _ = convert(code(text_plain="1"), code(text_html=pd.DataFrame({"n": range(5)}).to_html()))
    assert not soup.select("main [role=region]")


def test_a_box_to_tick_has_a_name_and_an_empty_head_is_none():
    frame = pd.DataFrame({"n": [1, 2]}, index=["", "b"])
    table = frame.to_html().replace("<th>", '<th scope="col">')
    soup, _ = convert(new_markdown_cell("- [x] $x$ is done"), code(text_html=table))
    assert soup.select_one(".jp-Cell input")["aria-label"] == "x is done" and not soup.select("td[scope]")
    assert [head.get_text() for head in soup.select(".dataframe th")] == ["n", "b"]


def test_heads_that_a_table_shows_once_stand_in_each_row_of_the_lists_it_becomes():
    rows = "<tr><th>a</th><th>1</th><td>x</td></tr><tr><td></td><th>2</th><td></td></tr>"
    table = f"<table><thead><tr><th>m</th><th>k</th><th>v</th></tr></thead><tbody>{rows}</tbody></table>"
    soup, _ = convert(code(text_html=table))
    second = soup.select("main tbody tr")[1].find_all(["th", "td"])
    assert [cell.get_text() for cell in second] == ["a", "2", ""]
    assert second[0]["class"] == ["again"] and second[0]["scope"] == "row" and second[0]["data-label"] == "m"


@pytest.mark.parametrize("said", ['"><script>alert(1)</script>', 7, None, {"kind": 3}, ["figure"]])
def test_metadata_that_are_not_ours_mark_nothing(said):
    output = new_output("display_data", data={"text/markdown": "text"}, metadata={"genexpy": said})
    soup, problems = convert(new_code_cell("1", outputs=[output], execution_count=1))
    assert not problems and not soup.select("[data-object], script") and "text" in soup.main.get_text()


def test_a_table_may_be_folded_below_a_sentence():
    said = {"kind": "table", "name": "pairs", "csv": "", "folded": "All <b>pairs</b>"}
    data = {"text/html": "<table><tr><td>1</td></tr></table>"}
    cells = [
        new_code_cell("1", outputs=[new_output("display_data", data=data, metadata={"genexpy": each})])
        for each in (said, {**said, "name": "few", "folded": ""})
    ]
    soup, problems = convert(*cells)
    assert not problems and len(soup.select("main figure.table-object")) == 2
    (folded,) = soup.select("main details:has(figure)")
    assert folded.summary.string == "Table 1. All <b>pairs</b>" and folded.figure["id"] == "table-pairs"
