"""overviews: the files beside pages, index and published numbers; made again only on a change."""

import json

import pytest
from mini_project import here, make_project, soup

from genexpy_nb.reporting import execute
from genexpy_nb.reporting.execute import Made, render
from genexpy_nb.reporting.overviews import write_documents
from genexpy_nb.reporting.references import Site, read_numbers
from genexpy_nb.reporting.state import Target, read_page_data

NUMBERS = """# %% tags=["parameters"]
n: int = 1  # how many
k: int = 1  # tiers
source: str = "a"  # of something

# %% tags=["findings"]
from genexpy_nb.common.page import Finding, key_number, show_findings, show_key_numbers

show_findings(Finding("How many?", f"There are {n}.", "sure"))

# %%
if n == 3:
    raise RuntimeError("three <b>is</b> too many")

# %%
key_number("largest", "n* of the largest", 2.5 * n, 2 * n, 3 * n, published=47, source="P (2025), Figure 2")
key_number("tiers", "tiers", k, decimals=0)
show_key_numbers()
"""
PLAIN = "notebook: 01_numbers\ntitle: Plain\n"
REPORTS = {"plain": PLAIN, **{f"size-{n}": f"{PLAIN}parameters: {{n: {n}}}\n" for n in (2, 3)}}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("project"), {"01_numbers": NUMBERS}, REPORTS)


@pytest.fixture(scope="module")
def rendered(project):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execute, "apart", here())
        return render(project, say=lambda line: None).index.parent


@pytest.fixture
def ran(monkeypatch):
    """Gives what reports would have made, without running them; a list of their names."""
    names = []

    def make(task):
        names.append(task.report.name)
        n, k = task.report.values["n"], task.report.values["k"]
        numbers = [{"name": "largest", "label": "L", "value": 2.5 * n + k, "published": 47, "source": "P (2025)"}]
        data = json.dumps({"findings": [], "numbers": numbers, "hero": None})
        return Made("{}", f"page of {n} {k}", "", 1.0, data, {"read": {}, "packages": {}})

    monkeypatch.setattr(execute, "apart", here(make))
    return names


def test_the_file_beside_a_page_has_findings_and_numbers(rendered):
    data = read_page_data(rendered / "size-2.json")
    assert data["changed"] == {"n": "2"} and data["findings"][0]["found"] == "There are 2."
    assert [(each.name, each.value, each.low, each.high) for each in read_numbers(data)] == [
        ("largest", 5.0, 4.0, 6.0),
        ("tiers", 1.0, None, None),
    ]


def test_published_numbers_are_those_of_all_complete_reports(rendered):
    page = soup(rendered / "published.html")
    rows = [[cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in page.select("tbody tr")]
    what = ["n* of the largest", "(2025), Figure 2", "47"]
    assert rows == [[*what, "2.5 2.0 to 3.0", "–", "plain"], [*what, "5.0 4.0 to 6.0", "–", "size-2 n = 2"]]
    assert page.select_one("#missing").parent.li.get_text() == "Plain (FAILED)"


def test_of_what_is_done_only_the_index_is_made_again(rendered, project, ran):
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in rendered.iterdir()}
    outcome = render(project, ["size-2", "plain"], say=lambda line: None)
    assert ran == [] and soup(outcome.index).select_one("#plain .status").get_text() == "unchanged"
    written = {file for file in rendered.iterdir() if before[file] != (file.read_bytes(), file.stat().st_mtime_ns)}
    assert {file.name for file in written} == {"index.html"}


def fresh(folder, plain=PLAIN):
    return make_project(folder, {"01_numbers": NUMBERS}, {"plain": plain, "size-2": REPORTS["size-2"]})


def test_without_numbers_there_is_no_page_of_them(tmp_path, ran, monkeypatch):
    root = fresh(tmp_path)
    outcome = render(root, ["plain"], say=lambda line: None)
    html = outcome.index.parent
    assert {file.name for file in html.iterdir()} == {"index.html", "plain.html", "plain.json", "published.html"}
    (html / "plain.json").write_text("{}")
    with pytest.raises(ZeroDivisionError):
        monkeypatch.setattr(execute, "apart", lambda *rest, **more: 1 / 0)
        render(root, ["plain"], say=lambda line: None)
    assert not soup(outcome.index).select(".beside")  # it was stopped: the index alone is made
    monkeypatch.setattr(execute, "apart", here(lambda task: Made("{}", "", "", 1.0)))
    render(root, ["plain"], say=lambda line: None)
    assert {file.name for file in html.iterdir()} == {"index.html", "plain.html"}


def test_the_head_of_the_index_is_that_of_the_project(tmp_path, ran):
    root = fresh(tmp_path)
    (root / "pyproject.toml").write_text('[project]\nname = "mine"\ndescription = "What <b>for</b>?"\n')
    page = soup(render(root, ["plain"], say=lambda line: None).index)
    assert (page.h1.get_text(), page.select_one(".lead").get_text()) == ("mine: reports", "What <b>for</b>?")
    for text in ("[project]\n", "[", "project = 1", "[project]\nname = 1\n"):
        (root / "pyproject.toml").write_text(text)
        assert soup(render(root, ["plain"], say=lambda line: None).index).h1.get_text() in ("Reports", "1: reports")


def test_papers_and_readers_come_from_the_yaml(tmp_path, ran):
    more = "paper: A paper\nplace: Section 5\nreaders: [paper, teach]\n"
    root = fresh(tmp_path, PLAIN + more)
    page = soup(render(root, ["plain"], say=lambda line: None).index)
    assert "Section 5" in page.select_one("#plain").get_text()
    assert [each.h2.get_text() for each in page.select("main > section")] == ["A paper", "Beyond the papers"]
    assert [each.h2.get_text() for each in page.select(".paths section")] == ["I read the paper", "I teach"]


def test_texts_of_docs_are_pages_and_link_each_other(tmp_path):
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    links = "[b](b.md#there), [one](../notebooks/01_a.ipynb), [no page](../README.md), [far](https://example.org)"
    (root / "docs" / "a.md").write_text(f"# First <b>text</b>\n\n{links}\n\n| x |\n|---|\n| 1 |\n", encoding="utf-8")
    (root / "docs" / "b.md").write_text("# B\n\n## There\n", encoding="utf-8")
    write_documents(Target(tmp_path / "out"), root, Site((("01_a", "first", "First"),)))
    page = soup(tmp_path / "out" / "html" / "doc-a.html")
    assert page.h1.get_text() == "First <b>text</b>" and page.td.get_text() == "1"
    found = [(link.get_text(), link["href"]) for link in page.select(".document a")]
    assert found == [("b", "doc-b.html#there"), ("one", "first.html"), ("far", "https://example.org")]
    other = soup(tmp_path / "out" / "html" / "doc-b.html")
    assert other.select_one("h2#there") is not None
