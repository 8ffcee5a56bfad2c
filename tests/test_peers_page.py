"""docs/peers.md: the numbers of this package are those that it gives today; the others' were run where they are."""

import importlib.util
import re
from operator import attrgetter
from pathlib import Path

import pytest

import genexpy_nb as gx

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def peers():
    spec = importlib.util.spec_from_file_location("peers", ROOT / "benchmarks" / "peers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_our_rows_stand_in_the_page(peers):
    lines = peers.PAGE.read_text().splitlines()
    rows = peers.our_rows()
    assert len(rows) == 2 and all(row in lines for row in rows)


def test_every_package_has_a_row_with_its_version(peers):
    lines = peers.PAGE.read_text().splitlines()
    table = lines[lines.index(peers.MARKS[0]) + 1 : lines.index(peers.MARKS[1])]
    assert len(table) == 2 + 2 + len(peers.PEERS)
    for name, (distribution, _, _) in peers.PEERS.items():
        title, _, rest = name.partition(",") if "," in name else name.partition(":")
        assert any(row.startswith(f"| {title} ") and rest in row for row in table), (name, distribution)


def test_the_two_equal_columns_are_equal_but_for_the_last_digit(peers):
    scores = peers.with_ties()
    gap = scores["net"] - scores["net, 1 - error"]
    assert (gap > 0).all() and (gap < 1.2e-16).all()
    assert scores.round(12)["net"].equals(scores.round(12)["net, 1 - error"].rename("net"))


def test_a_package_that_is_nowhere_is_said_to_be_missing(peers, tmp_path):
    assert peers.ask("MCM", [], tmp_path) is None


def test_the_page_names_functions_that_there_are(peers):
    names = set(re.findall(r"gx\.([a-z_.]+)", peers.PAGE.read_text()))
    assert len(names) >= 5
    for name in names:
        assert callable(attrgetter(name)(gx))
