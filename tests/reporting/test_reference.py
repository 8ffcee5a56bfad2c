"""The reference: all that the package offers is described once, in pages that run and load nothing."""

import ast
import inspect
import os
import re
import subprocess
import sys
from collections import Counter
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from chromium import BROWSER, MISSING, PAPER, WIDTHS, chromium
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mini_project import SMALL, make_project

import genexpy_nb as gx
from genexpy_nb.reporting.html import POLICY
from genexpy_nb.reporting.reference import writing
from genexpy_nb.reporting.reference.collecting import ROOMS, collect
from genexpy_nb.reporting.reference.pages import to_pages
from genexpy_nb.reporting.reference.wording import described, text
from genexpy_nb.reporting.reference.writing import write_reference
from genexpy_nb.reporting.spec import load_reports

PACKAGE = Path(gx.__file__).parent


@pytest.fixture(scope="module")
def reference():
    return collect(PACKAGE)


@pytest.fixture(scope="module")
def html(reference):
    return to_pages(reference)


@pytest.fixture(scope="module")
def soups(html):
    """Some of the pages: to read all of them like that takes several seconds."""
    return {name: BeautifulSoup(html[name], "html.parser") for name in ("api.html", "api-significance.html")}


@pytest.fixture(scope="module")
def ids(html):
    return {file: re.findall(r' id="([^"]*)"', page) for file, page in html.items()}


@pytest.fixture(scope="module")
def addresses(html):
    return {file: [unescape(found) for found in re.findall(r' href="([^"]*)"', page)] for file, page in html.items()}


def declared(file):
    """Names in the ``__all__`` that a module writes down."""
    for statement in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return ast.literal_eval(statement.value)
    return []


def imported(file):
    """Names that a module has from others."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }


def shown(page, name, anchor, anchors):
    """Whether a page describes a name itself, or says on which page it is described."""
    lists = " ".join(re.findall(r'<p class="elsewhere">.*?</p>', page))
    return anchor in anchors or f"<code>{name}</code></a>" in lists


def test_every_room_of_the_package_has_a_page_but_those_that_make_pages():
    rooms = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    assert set(ROOMS) == rooms - {"reporting"} | {""}


def test_every_name_of_the_front_door_is_described_there(ids):
    rooms = {"causal", "datasets", "plots", "protocol", "significance", "tradeoff"}
    names = set(gx.__all__) - rooms - {"__version__"}
    assert len(names) > 30 and names <= set(ids["api.html"])
    assert set(gx.datasets.__all__) <= set(ids["api-datasets.html"])


@pytest.mark.parametrize("room", ["causal", "plots", "protocol", "significance", "tradeoff"])
def test_every_name_of_a_room_is_described_there(room, html, ids):
    names, file = declared(PACKAGE / room / "__init__.py"), f"api-{room}.html"
    assert len(names) > 5
    assert [name for name in names if not shown(html[file], name, name, ids[file])] == []


@pytest.mark.parametrize("room", [room for room, by_module in ROOMS.items() if by_module])
def test_every_name_of_modules_that_users_import_is_described(room, html, ids):
    file, handed_on = f"api-{room}.html", declared(PACKAGE / room / "__init__.py")
    missing, n_names = [], 0
    for module in (PACKAGE / room).glob("**/[a-z]*.py"):
        prefix = ".".join(module.relative_to(PACKAGE / room).with_suffix("").parts)
        for name in set(declared(module)) - imported(module):
            anchor = name if name in handed_on else f"{prefix}.{name}"
            missing += [] if shown(html[file], name, anchor, ids[file]) else [anchor]
            n_names += 1
    assert n_names > 20 and missing == []


def test_a_class_is_described_with_all_that_it_offers(ids):
    offered = {name for name in dir(gx.Study) if not name.startswith("_")}
    assert len(offered) > 25
    assert {f"Study.{name}" for name in offered} <= set(ids["api.html"])


def test_signatures_are_those_that_python_sees(soups, ids):
    compared = 0
    for name in sorted(set(gx.__all__) & set(ids["api.html"])):
        thing = getattr(gx, name)
        shown = soups["api.html"].find(id=name).parent.find("pre", class_="signature", recursive=False)
        if inspect.isfunction(thing) or (shown and not issubclass(thing, Exception)):
            assert [b.get_text() for b in shown.select("b")] == list(inspect.signature(thing).parameters), name
            compared += 1
    assert compared > 20


def words(text):
    return Counter(re.findall(r"\w{2,}", re.sub(r"# doctest:.*", "", text)))


def entries_of(page):
    """The text of each entry of a page, by its anchor."""
    for article in re.split(r'<article class="entry level-3"', page)[1:]:
        text = re.sub(r"</(p|dt|dd|h\d|li|pre|t[dh])>", " ", article.partition("</section>")[0])
        yield re.search(r' id="([^"]*)"', article)[1], unescape(re.sub(r"<[^>]*>", "", text))


def test_nothing_that_a_docstring_says_is_lost(html, reference):
    """Word by word against Python's own reading of the sources."""
    compared = 0
    for room in reference.rooms:
        found = dict(entries_of(html[room.file]))
        for group in room.groups:
            tree = ast.parse(Path(group.module.filepath).read_text(encoding="utf-8"))
            here = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
            for entry in group.entries:
                if entry.short in here:
                    said, seen = words(ast.get_docstring(here[entry.short])), words(found[entry.anchor])
                    lost = {word for word in said if seen[word] < said[word]}
                    assert not lost, (entry.name, lost)
                    compared += 1
    assert compared > 500


def test_links_lead_somewhere(addresses, ids):
    places = {f"{file}#{anchor}" for file in ids for anchor in ids[file]} | set(ids) | {"index.html"}
    whole = {
        file: [file + link if link.startswith("#") else link for link in links] for file, links in addresses.items()
    }
    assert sum(map(len, whole.values())) > 3000
    assert {link for links in whole.values() for link in links} - places - {f"{file}#content" for file in ids} == set()


def test_names_between_backticks_lead_to_what_they_name(soups):
    entry = soups["api.html"].find(id="Study").parent
    places = {link.get_text(): link["href"] for link in entry.select("dd a, p a")}
    assert places["from_wide"] == "#Study.from_wide"
    assert places["genexpy_nb.generalization.clusters"] == "api-generalization.html#module-generalization.clusters"
    friedman = soups["api-significance.html"].find(id="friedman").parent
    types = {link.get_text(): link["href"] for link in friedman.select("dt a, pre a")}
    assert types == {
        "Friedman": "#Friedman",
        "StudyError": "api.html#StudyError",
        "ParameterError": "api.html#ParameterError",
    }


def test_an_anchor_is_there_once(ids):
    assert {file: [name for name, n in Counter(found).items() if n > 1] for file, found in ids.items()} == {
        file: [] for file in ids
    }


def test_pages_run_and_load_nothing(html, soups):
    for file, page in html.items():
        assert not re.search(r"<(script|link|img|iframe|object|embed|form|base|svg)\b", page, re.IGNORECASE), file
        assert not re.search(r"<[^>]*\s(src|srcset|style|on\w+)=", page, re.IGNORECASE), file
        assert not re.search(r"url\(\s*['\"]?(?!data:)|@import", page.partition("</style>")[0]), file
        assert len(page.encode()) < 3_000_000
    for soup in soups.values():
        assert soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"] == POLICY


def test_headings_and_tables_are_in_order(html, soups):
    for file, page in html.items():
        levels = [int(level) for level in re.findall(r"<h([1-6])\b", page)]
        assert levels[0] == 1 and levels.count(1) == 1, file
        assert all(after <= before + 1 for before, after in pairwise(levels)), file
        assert re.findall(r"<th\b(?! scope=\"(?:row|col)\")", page) == [], file
    for soup in soups.values():
        assert soup.html["lang"] == "en" and soup.main["id"] == "content"
        assert soup.select_one("a.skip")["href"] == "#content"


HOSTILE = '''"""Module <script>alert(1)</script> & more."""

__all__ = ["LIMIT", "Thing", "act"]

#: At most <b>this</b>, see `Thing`.
LIMIT = "<img src=x onerror=alert(1)>"


class Thing:
    """A <i>thing</i> of `act`.

    Attributes
    ----------
    a"b, <u> : <script>
        Raw::

            <script>alert(2)</script>

        .. raw:: html

            <script>alert(3)</script>
    """


def act(x: "<b>" = "</code><script>") -> Thing:
    """Act & `<b>javascript:alert(4)</b>`, `click <javascript:alert(5)>`_.

    .. include:: /etc/passwd

    Returns
    -------
    Thing
        [x](javascript:alert(6)) http://example.org/a

    Examples
    --------
    >>> "<script>"
    '<script>'
    """
    raise SystemExit
'''


@pytest.fixture
def hostile(tmp_path):
    package = tmp_path / "hostile"
    package.mkdir()
    (package / "__init__.py").write_text('"""A <package>."""\n')
    (package / "one.py").write_text(HOSTILE + "\n\nraise SystemExit('nothing imports this')\n")
    return package


ONE_PAGE = {"": True}


def test_what_a_docstring_holds_stays_text(hostile):
    page = to_pages(collect(hostile, ONE_PAGE))["api.html"]
    soup = BeautifulSoup(page, "html.parser")
    assert not soup.select("script, img, i, u, body b b, [onerror]")
    assert {link["href"].partition("#")[0] for link in soup.select("a[href]")} == {"index.html", "api.html", ""}
    seen = soup.main.get_text()
    for said in ("<script>alert(1)</script>", "<img src=x", "<script>alert(2)", "<script>alert(3)", "/etc/passwd"):
        assert said in seen
    assert "root:" not in seen
    assert soup.find(id="one.act") and soup.find(id="one.LIMIT") and soup.find(id="one.Thing")


FUNCTIONS = [
    "def f(a, /, b, *args, c=1, **kw): pass",
    "def f(a: int, *, b: str = 'x', c: bool = False) -> list[int]: pass",
    "def f(): pass",
    "def f(a=1, /): pass",
    "def f(a, b=(1, 2), *, c: dict[str, int] | None = None): pass",
    "def f(a_long_name: list[str], another_long_name: dict[str, int], *, a_third_name: float = 0.5) -> str: pass",
]


@pytest.mark.parametrize("source", FUNCTIONS)
@pytest.mark.parametrize("place", ["function", "method", "classmethod", "staticmethod"])
def test_signatures_are_written_as_python_writes_them(source, place, tmp_path):
    described = source.replace("pass", '"""Do."""')
    if place != "function":
        first = {"method": "self, ", "classmethod": "cls, ", "staticmethod": ""}[place]
        mark = "" if place == "method" else f"    @{place}\n"
        described = f'class C:\n    """A."""\n\n{mark}    ' + described.replace("f(", "f(" + first)
    package = tmp_path / "small"
    package.mkdir()
    (package / "__init__.py").write_text('"""Small."""\n')
    (package / "m.py").write_text(f'"""M."""\n__all__ = ["{"f" if place == "function" else "C"}"]\n\n{described}\n')
    soup = BeautifulSoup(to_pages(collect(package, ONE_PAGE))["api.html"], "html.parser")
    entry = soup.find(id="m.f" if place == "function" else "m.C.f").parent
    kind = {"function": "function", "method": "method"}.get(place, place.removesuffix("method") + " method")
    assert entry.select_one(".kind").get_text() == kind
    shown = re.sub(r"\(\s+", "(", re.sub(r",\n\)", ")", entry.pre.get_text()))
    scope = {}
    exec(source, scope)
    assert re.sub(r",\s+", ", ", shown) == f"f{inspect.signature(scope['f'])}"
    assert ("\n" in entry.pre.get_text()) == (len(source) > 100)


TAGS = {"p", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "a", "dl", "dt", "dd"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"href", "class", "type", "start", "scope", "colspan", "rowspan"}


@settings(max_examples=150, deadline=None)
@example("a\n\n- b\n\n  .. image:: http://x.org/y.png\n\n|x| y_ `z`_ [1]_")
@given(st.text(alphabet="ab <>&\"'`*_|[]:.\\\n-=#", max_size=60))
def test_markup_of_any_kind_makes_known_tags_only(source):
    soup = BeautifulSoup(text(source, lambda name: "#" + name), "html.parser")
    assert {tag.name for tag in soup.find_all(True)} <= TAGS
    assert all(set(tag.attrs) <= ATTRIBUTES for tag in soup.find_all(True))


def test_sentences_after_a_list_of_attributes_are_no_attributes():
    html = described(
        "A.\n\nAttributes\n----------\nlow, high : float\n    Ends.\nBoth are wide.\nVery: wide.\n", {}.get
    )
    soup = BeautifulSoup(html, "html.parser")
    assert [term.get_text() for term in soup.select("dt")] == ["low, high float"]
    assert soup.select("p")[-1].get_text() == "Both are wide.\nVery: wide."


def test_a_table_in_a_docstring_is_a_table():
    source = "====  ==\nwho   n\n====  ==\na, b  .1\n====  ==\n"
    assert text(source, {}.get) == (
        '<table><thead><tr><th scope="col">who</th><th scope="col">n</th></tr></thead>'
        "<tbody><tr><td>a, b</td><td>.1</td></tr></tbody></table>"
    )


def test_sections_of_a_docstring_become_lists_and_sessions():
    source = (
        "Do.\n\nParameters\n----------\nx, y : Thing, shape (n,), optional\n    Both.\n\nExamples\n--------\n>>> 1\n1\n"
    )
    soup = BeautifulSoup(described(source, {"Thing": "#Thing"}.get), "html.parser")
    assert soup.dt.get_text() == "x, y Thing, shape (n,), optional" and soup.dt.a["href"] == "#Thing"
    assert soup.dd.get_text() == "Both."
    assert soup.select_one(".highlight .gp").get_text() == ">>> "


def stamps(folder):
    return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.glob("*.html")}


def test_pages_are_written_when_sources_changed_and_only_then(hostile, tmp_path):
    html, state, said = tmp_path / "html", tmp_path / ".state" / "api.json", []

    def write(**options):
        return write_reference(html, state, package=hostile, rooms=ONE_PAGE, say=said.append, **options)

    assert write() and said == ["reference: 1 pages written"]
    first = stamps(html)
    assert write() and stamps(html) == first and len(said) == 1

    (html / "api.html").write_text("damaged")
    assert write() and stamps(html)["api.html"][1] == first["api.html"][1]

    (hostile / "one.py").write_text(HOSTILE.replace("thing", "matter"))
    assert write() and b"&lt;i&gt;matter" in stamps(html)["api.html"][1]
    assert not [file.name for file in html.iterdir() if file.suffix != ".html"]


def test_the_page_of_a_room_that_is_gone_goes_too(hostile, tmp_path):
    html, state = tmp_path / "html", tmp_path / "api.json"
    inner = hostile / "inner"
    inner.mkdir()
    (inner / "__init__.py").write_text('"""Inner."""\n')
    (html).mkdir()
    (html / "mine.html").write_text("not of the reference")
    assert write_reference(html, state, package=hostile, rooms={"": True, "inner": True}, say=[].append)
    assert write_reference(html, state, package=hostile, rooms=ONE_PAGE, say=[].append)
    assert sorted(file.name for file in html.iterdir()) == ["api.html", "mine.html"]


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"key": 1, "pages": []}', '{"key": "a", "pages": {"../x": "b", "x": "b"}}']
)
def test_a_damaged_note_means_that_pages_are_made_again(damage, hostile, tmp_path):
    html, state = tmp_path / "html", tmp_path / "api.json"
    html.mkdir()
    others = [tmp_path / "x", html / "x"]
    for file in others:
        file.write_text("stays")
    state.write_text(damage)
    assert write_reference(html, state, package=hostile, rooms=ONE_PAGE, say=[].append)
    assert all(file.is_file() for file in [html / "api.html", *others])


def test_what_goes_wrong_is_one_line_and_leaves_the_pages_that_are_there(hostile, tmp_path, monkeypatch):
    html, state, said = tmp_path / "html", tmp_path / "api.json", []
    assert write_reference(html, state, package=hostile, rooms=ONE_PAGE, say=said.append)
    before = stamps(html)
    (hostile / "one.py").write_text("def broken(:\n")
    assert not write_reference(html, state, package=hostile, rooms={"": True, "none": False}, say=said.append)
    monkeypatch.setattr(writing, "write_atomically", lambda *_: (_ for _ in ()).throw(OSError(28, "No space\nleft")))
    (hostile / "one.py").write_text("x = 1\n")
    assert not write_reference(html, state, package=hostile, rooms=ONE_PAGE, say=said.append)
    assert len(said) == 3 and all(line.startswith("reference: not written: ") for line in said[1:])
    assert not any("\n" in line for line in said) and "No space left" in said[2]
    assert stamps(html) == before


def test_another_process_makes_the_same_bytes(hostile, tmp_path):
    """Sets have another order in it."""
    assert write_reference(tmp_path / "html", tmp_path / "api.json", package=hostile, rooms=ONE_PAGE, say=[].append)
    code = (
        "from pathlib import Path; from genexpy_nb.reporting.reference.writing import write_reference; "
        f"assert write_reference(Path('again'), Path('again.json'), package=Path({str(hostile)!r}), rooms={ONE_PAGE})"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(PACKAGE.parent)}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    for one, other in (("html/api.html", "again/api.html"), ("api.json", "again.json")):
        assert (tmp_path / one).read_bytes() == (tmp_path / other).read_bytes()


def test_no_report_can_take_the_place_of_a_page(html, tmp_path):
    for file in html:
        name = Path(file).stem
        root = make_project(tmp_path / name, {"01_small": SMALL}, {name: "notebook: 01_small\ntitle: A\n"})
        with pytest.raises(gx.ParameterError, match=f"a report cannot be called {name}: "):
            load_reports(root)


@pytest.mark.notebooks
@pytest.mark.skipif(BROWSER is None, reason=MISSING)
def test_nothing_is_cut_off_at_any_width_nor_in_print(html, tmp_path):
    with chromium() as tab:
        for name, page in html.items():
            (tmp_path / name).write_text(page, encoding="utf-8")
            tab.visit(tmp_path / name)
            assert [found for width in WIDTHS for found in tab.cut_off(width)] == [], name
            assert tab.cut_off(PAPER, printed=True) == [], name
            assert tab.complaints() == [], name
