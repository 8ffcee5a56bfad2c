"""Index and published numbers as a browser shows them: nothing is cut off at any width, or in print."""

from base64 import b64encode
from pathlib import Path

import pytest
from chromium import PAPER, WIDTHS

from genexpy_nb.common.page import KeyNumber
from genexpy_nb.reporting.overviews import Beside, Printed, to_index, to_published
from genexpy_nb.reporting.pairing import NotebookFile
from genexpy_nb.reporting.spec import Report
from genexpy_nb.reporting.state import Entry

pytestmark = pytest.mark.notebooks

LONG = "Donaudampfschiffahrtsgesellschaft" * 4
TEXTS = ["n* of the most demanding configuration", f"{LONG} and `code_{LONG}`", "a <b> & c " * 12]
LOOKS = [*((width, False) for width in WIDTHS), (PAPER, True)]


def numbers(i, n=9):
    return tuple(
        KeyNumber(
            f"k-{k}", TEXTS[k % 3], 10.0**k * (i + 1), 0.5, 10.0**k * 9, "datasets", 47, f"{TEXTS[k % 3]}, p", LONG
        )
        for k in range(n)
    )


def index():
    picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 460 200"><path d="M 0 0 L 460 200"/></svg>'
    image = f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"
    findings = [
        {"asked": asked, "sure": LONG, "found": text}
        for asked, text in zip(["33", "47 → 32", LONG], TEXTS, strict=True)
    ]
    names = [f"a{i}" for i in range(6)]
    reports, entries = {}, []
    for i, name in enumerate(names):
        pair = NotebookFile(f"0{i}", Path("a.py"), Path("a.ipynb"))
        more = {"paper": TEXTS[i % 2], "place": LONG, "readers": ("paper", "table", "teach")}
        reports[name] = Report(name, TEXTS[i % 3], LONG, pair, (), {}, **more)
        changed = {LONG: LONG, "n": "3"} if i % 2 else {}
        entries.append(
            Entry(
                name,
                TEXTS[i % 3],
                LONG,
                f"0{i % 2}",
                "FAILED" if i == 1 else "ok",
                changed,
                {"encoders": "bundled"},
                1.0,
            )
        )
    entries = [
        Entry(**{**vars(entry), "page": "0f", "problem": LONG if entry.status == "FAILED" else ""}) for entry in entries
    ]
    data = {name: {"findings": findings, "hero": {"image": image, "alt": LONG, "caption": LONG}} for name in names}
    pages = tuple((f"api-{i}.html", LONG) for i in range(4))
    return to_index(entries, "genexpy_nb: reports", Beside(LONG, reports, data, {}, True, pages))


def published():
    entry = Entry("a", LONG, "", "01_a", "ok", {LONG: LONG}, page="0f")
    return to_published([Printed(entry, number) for number in numbers(3)], [entry])


@pytest.mark.parametrize("make", [index, published])
def test_nothing_is_cut_off_or_scrolls_sideways(make, tab, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(make(), encoding="utf-8")
    tab.visit(file)
    found = {look: tab.cut_off(look[0], printed=look[1]) for look in LOOKS}
    tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    found |= {(*look, "open"): tab.cut_off(look[0], printed=look[1]) for look in LOOKS}
    assert {look: cut for look, cut in found.items() if cut} == {}
    assert tab.complaints() == []


def test_folded_variants_are_printed(tab, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(index(), encoding="utf-8")
    tab.visit(file)
    for printed in (False, True):
        tab.look(PAPER, printed=printed)
        assert tab.evaluate("document.querySelector('.more li').checkVisibility()") is printed
