"""Findings, figures, tables and key numbers from the call in a notebook to the page and the file beside it."""

import base64
import json

import nbformat
import pytest
from bs4 import BeautifulSoup
from mini_project import make_project
from nbformat.v4 import new_notebook

from genexpy_nb.reporting.execute import run
from genexpy_nb.reporting.html import Page, to_html
from genexpy_nb.reporting.pairing import find_notebook, normalise
from genexpy_nb.reporting.references import read_numbers
from genexpy_nb.reporting.spec import load_reports
from genexpy_nb.reporting.state import as_json, page_data

NOTEBOOK = """
# %% [markdown]
# # Objects

# %%
import pandas as pd
from matplotlib.figure import Figure
from genexpy_nb.common import page

# %% tags=["findings"]
page.show_findings(page.Finding("Are 33 enough?", "For *winners*.", "32 to 35"), page.Finding("Is it <b>?", "Yes."))

# %% [markdown]
# ## Body
#
# Text.

# %%
fig = Figure(figsize=(2, 1)); fig.subplots().plot([1, 2])
page.show_figure(fig, "second", "What to *see*.", "Rises <1>")

# %% tags=["hero"]
fig = Figure(figsize=(2, 1)); fig.subplots().plot([2, 1])
page.show_figure(fig, "main", "The main one.", "Falls")

# %%
table = pd.DataFrame({"name": ["<i>a</i>", "b"], "n_star": [1 / 3, None]}).set_index("name")
page.show_table(table, "numbers", "Two.", {"n_star": "n*"}, {"n_star": 1})

# %%
more = {"published": 0.47, "source": "A (2020), Table 1", "reason": "x", "decimals": 2}
page.key_number("share", "a share", 0.5, 0.25, float("inf"), **more)
page.key_number("share", "the share", 0.5, 0.25, float("inf"), **more)
page.key_number("other", "another", 3)
page.show_published("published", "Beside.")
page.show_key_numbers()
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The executed notebook, its report, its page."""
    root = make_project(
        tmp_path_factory.mktemp("objects"),
        {"01_objects": NOTEBOOK},
        {"objects": "notebook: 01_objects\ntitle: Objects\n"},
    )
    node, failure = run(find_notebook(root, "01_objects"), {})
    assert failure is None, failure
    report = load_reports(root)["objects"]
    html, problems = to_html(node, Page(report, [], "now"))
    assert problems == []
    return node, report, BeautifulSoup(html, "html.parser")


def test_figures_are_numbered_as_they_stand_on_the_page_with_the_hero_first(made):
    _, _, soup = made
    figures = soup.select("main figure.figure-object")
    assert [figure["id"] for figure in figures] == ["figure-main", "figure-second"]
    assert [figure.figcaption.get_text(" ", strip=True) for figure in figures] == [
        "Figure 1. The main one.",
        "Figure 2. What to see .",
    ]
    assert [figure.svg["aria-label"] for figure in figures] == ["Falls", "Rises <1>"]
    assert figures[0].find_parent(class_="hero") and int(figures[0].svg["width"]) < 250


def test_a_figure_leads_to_itself_enlarged_and_back(made):
    _, _, soup = made
    large = soup.select_one("#figure-main #large-figure-main")
    assert large.select_one("a.drawing")["href"] == "#large-figure-main" and large.select_one("a.drawing svg")
    assert large.select_one("a.close")["href"] == "#figure-main"


def test_tables_have_heads_a_caption_and_their_values_as_csv(made):
    _, _, soup = made
    table = soup.select_one("#table-numbers")
    assert [cell.get_text() for cell in table.select("thead th")] == ["name", "n*"]
    assert [cell.get_text() for cell in table.select("tbody tr > *")] == ["<i>a</i>", "0.3", "b", "–"]
    assert [cell["scope"] for cell in table.select("th")] == ["col", "col", "row", "row"]
    link = table.select_one("a.csv")
    text = base64.b64decode(link["href"].partition("base64,")[2]).decode("utf-8-sig")
    assert link["download"] == "objects-table-numbers.csv"
    assert text == "name,n_star\n<i>a</i>,0.3333333333333333\nb,\n"
    assert soup.select_one("#table-published td:nth-of-type(3)").get_text() == "0.47"


def test_findings_stand_on_top_each_with_its_number_and_how_sure_it_is(made):
    _, _, soup = made
    items = soup.select("header .findings li")
    assert [item.select_one(".finding-asked").get_text() for item in items] == ["Are 33 enough?", "Is it <b>?"]
    assert [item.select_one(".finding-text").get_text() for item in items] == [" For winners. ", " Yes."]
    assert [sure.get_text() for sure in soup.select(".finding-sure")] == ["32 to 35"]
    assert items[0].select_one(".finding-text em").get_text() == "winners"


def test_the_file_beside_the_page_holds_findings_numbers_and_the_hero(made):
    node, report, _ = made
    data = json.loads(as_json(page_data(node, report)))
    assert data["findings"] == [
        {"asked": "Are 33 enough?", "found": "For *winners*.", "sure": "32 to 35"},
        {"asked": r"Is it \<b\>?", "found": "Yes.", "sure": ""},
    ]
    share, other = read_numbers(data)
    assert (share.label, share.high, share.published, other.value) == ("the share", float("inf"), 0.47, 3.0)
    assert (data["hero"]["alt"], data["hero"]["caption"]) == ("Falls", "The main one.")
    assert data["hero"]["image"].startswith("data:image/svg+xml;base64,")


def test_what_a_notebook_says_survives_being_saved_and_normalised(made, tmp_path):
    node, report, _ = made
    nbformat.write(node, tmp_path / "a.ipynb")
    again = normalise(nbformat.read(tmp_path / "a.ipynb", as_version=4))
    assert page_data(again, report) == page_data(node, report)


def test_a_name_given_twice_is_a_failure(made):
    node, report, _ = made
    figure = next(cell for cell in node.cells if "'second'" in cell.source or '"second"' in cell.source)
    _, problems = to_html(normalise(new_notebook(cells=[figure, figure])), Page(report, [], "now"))
    assert problems == ["two of the page's figures or tables are called 'figure-second'; each needs a name of its own"]
