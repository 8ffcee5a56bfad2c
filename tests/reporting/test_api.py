"""api: pages about the public names, and about nothing else; no script, no request, written only when they must be."""

from importlib import import_module
from inspect import ismodule

import pytest
from bs4 import BeautifulSoup

import genexpy_nb
from genexpy_nb.reporting import api
from genexpy_nb.reporting.html import POLICY

pytestmark = pytest.mark.notebooks  # some ten seconds for all pages


@pytest.fixture(scope="module")
def pages():
    return {name: BeautifulSoup(page, "html.parser") for name, page in api.to_pages().items()}


def test_each_public_name_has_its_place_and_no_other_has(pages):
    for file, soup in pages.items():
        room = genexpy_nb if file == "api.html" else import_module(f"genexpy_nb.{file[4:-5]}")
        found = {section["id"] for section in soup.select("main section[id]")}
        assert found == {name for name in room.__all__ if not ismodule(getattr(room, name))}, file
    assert "Study.nstar" in {each["id"] for each in pages["api.html"].select("[id]")}


def test_links_lead_somewhere_and_nothing_is_loaded(pages):
    places = {file: {element["id"] for element in soup.select("[id]")} for file, soup in pages.items()}
    for file, soup in pages.items():
        assert soup.select_one("meta[http-equiv=Content-Security-Policy]")["content"] == POLICY
        assert not soup.select("script, link, iframe") and "onclick=" not in str(soup)
        for link in soup.select("a[href]"):
            address, _, anchor = link["href"].partition("#")
            if address in pages or not address:
                assert not anchor or anchor.partition(".")[0] in places[address or file], (file, link["href"])
            else:
                assert address == "index.html" or address.startswith("https://"), (file, link["href"])


def test_a_page_fits_on_a_screen_and_on_a_phone(pages, tab, tmp_path):
    for name, page in pages.items():
        (tmp_path / name).write_text(str(page), encoding="utf-8")
        tab.visit(tmp_path / name)
        assert {width: tab.cut_off(width) for width in (1440, 390)} == {1440: [], 390: []}, name
        assert tab.complaints() == []


def test_pages_are_written_when_the_package_has_changed_and_only_then(tmp_path, monkeypatch):
    made = {api._file(room): f"{room} 1" for room in ("", *api.ROOMS)}
    monkeypatch.setattr(api, "to_pages", lambda: made)
    said, state = [], tmp_path / "state"
    (tmp_path / "api-gone.html").write_text("of a room that is gone")
    for _ in range(2):
        assert api.write_api(tmp_path, state, said.append)
    assert said == [f"reference: {len(made)} pages written"] and not (tmp_path / "api-gone.html").exists()
    (tmp_path / "api.html").unlink()
    assert api.write_api(tmp_path, state, said.append) and len(said) == 2
    monkeypatch.setattr(api, "folder_hash", lambda folder: "changed")
    monkeypatch.setattr(api, "to_pages", lambda: 1 / 0)
    assert not api.write_api(tmp_path, state, said.append)
    assert said[2] == "reference: not written: ZeroDivisionError: division by zero"
    assert (tmp_path / "api.html").read_text() == " 1"  # the pages that are there stay
