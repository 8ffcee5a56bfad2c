"""docs/peers.md: the numbers of this package are those that it gives today; the others' were run where they are."""

import importlib.util
import re
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import genexpy_nb as gx

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def peers():
    spec = importlib.util.spec_from_file_location("peers", ROOT / "benchmarks" / "peers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def lines(peers):
    return peers.PAGE.read_text().splitlines()


def between(lines, marks):
    return lines[lines.index(marks[0]) + 1 : lines.index(marks[1])]


def test_our_rows_stand_in_the_page(peers, lines):
    rows = peers.our_rows()
    assert len(rows) == 1 and all(row in lines for row in rows)


def test_what_we_say_of_the_best_stands_in_the_page(peers, lines):
    rows = peers.our_best_rows(n_draws=0)
    table = between(lines, peers.BEST_MARKS)
    assert len(table) == 2 + len(rows) + len(peers.BEST_PEERS)
    for start in rows:
        assert sum(line.startswith(start) for line in table) == 1


@pytest.mark.slow
def test_the_draws_of_what_runs_here_stand_in_the_page(peers, lines):
    assert all(row in lines for row in peers.our_best_rows())


def test_every_package_has_a_row_with_its_version(peers, lines):
    table = between(lines, peers.MARKS)
    assert len(table) == 2 + 1 + len(peers.PEERS)
    for name, (distribution, *_) in peers.PEERS.items():
        title, _, rest = name.partition(",") if "," in name else name.partition(":")
        assert any(row.startswith(f"| {title} ") and rest in row for row in table), (name, distribution)
    for name in peers.BEST_PEERS:
        title, _, rest = name.partition(":")[0].partition(",")
        assert any(row.startswith(f"| {title} ") and rest in row for row in between(lines, peers.BEST_MARKS)), name


def test_csranks_method_on_means_that_are_far_apart_and_close(peers):
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 1, (400, 4))
    far = pd.DataFrame(noise + np.array([3, 2, 1, 0]), columns=list("abcd"))
    equal = pd.DataFrame(noise - noise.mean(axis=0), columns=list("abcd"))
    for by in ("rank", "score"):
        assert peers.csranks_method(far, by)[0] == ["a"]
    assert peers.csranks_method(equal, "score")[0] == list("abcd")
    # two places at once: either may be below the other, so the bound is the two-sided one, 1.96 standard errors
    for gap, expected in ((1.85, ["a", "b"]), (2.05, ["a"])):
        d = np.tile([1.0, -1.0], 50)
        d = d / d.std(ddof=1) + gap / 10
        pair = pd.DataFrame({"a": d, "b": 0.0})
        assert peers.csranks_method(pair, "score")[0] == expected


def test_the_page_names_functions_that_there_are(peers):
    names = set(re.findall(r"gx\.([a-z_.]+)", peers.PAGE.read_text()))
    assert len(names) >= 3
    for name in names:
        assert callable(attrgetter(name)(gx))


@pytest.fixture(scope="module")
def fields():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        return importlib.import_module("peers_fields")


def test_what_we_say_of_items_games_and_votes_stands_in_the_page(fields, lines):
    table = between(lines, fields.MARKS)
    rows = fields.our_rows()
    assert len(rows) == 4 and all(row in table for row in rows)
    assert len(table) == 2 + len(rows) + len(fields.PEERS)
    for name, (file, title, distribution, *_) in fields.PEERS.items():
        start = re.compile(rf"\| {file} \| {title.replace(distribution, distribution + ' [0-9][^ ]*', 1)} \|")
        assert sum(bool(start.match(line)) for line in table) == 1, name


def test_who_may_be_the_best_of_the_items_is_what_the_page_says(fields, lines):
    """All four put the same two in front."""
    sets = [line.split(" | ")[2] for line in between(lines, fields.MARKS) if line.startswith("| items |")]
    assert sets == ["both-sides; topic-trigram"] * 4


def test_the_two_packages_have_the_same_interquartile_mean(fields, lines):
    means = [re.search(r"IQM of ([^:]+): ([\d.]+)", line) for line in between(lines, fields.MARKS) if "IQM" in line]
    assert len(means) == 2 and means[0].groups() == means[1].groups()
