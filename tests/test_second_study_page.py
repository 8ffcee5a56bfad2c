"""The table of methods in docs/second_study.md is that of the recorded measurements."""

import re
from pathlib import Path

import pytest

from genexpy_nb.chapters.second_study import measured_methods

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "second_study.md").read_text(encoding="utf-8")
ROWS = {
    "split halves": "split halves, held constant beyond N/2",
    "m-out-of-n": "halves and smaller parts, extrapolated by a logit",
    "plug-in": 'bootstrap of two tables ("plug-in")',
    "normal": "posterior, normal prior",
    "t": "posterior, t prior (4 degrees of freedom)",
    "horseshoe": "posterior, horseshoe prior",
    "nonparametric": "posterior, nonparametric prior (deconvolution)",
    "projection": "projection of a joint confidence set",
    "ours": "**ours**",
}


@pytest.mark.parametrize("method", ROWS)
def test_a_row_is_that_of_the_record(method):
    (row,) = re.findall(rf"^\| {re.escape(ROWS[method])} \|(.*)\|$", PAGE, re.MULTILINE)
    measured = measured_methods()
    measured = measured[measured["method"] == method]
    question = measured["conclusion"].str.split().str[0]
    for cell, name in zip(row.split("|"), ("winner", "overlap", "order"), strict=True):
        of_it = measured[question == name]
        rms, coverage, width = of_it["rms"], of_it["coverage"], of_it["width"]
        numbers = [rms.median(), coverage.min(), coverage.median(), width.median()]
        said = [float(number) for number in re.findall(r"[\d.]+", cell)]
        assert said == pytest.approx(numbers, abs=0.0051), name


def test_the_record_is_whole():
    measured = measured_methods()
    assert set(measured["method"]) == set(ROWS)
    assert len(measured) == 9 * 8 * 8 * 3  # methods, worlds, conclusions by score and by rank, sizes
    assert not measured.isna().to_numpy().any()
    assert measured["coverage"].between(0, 1).all()
    assert (measured["n_samples"] >= 56).all()
