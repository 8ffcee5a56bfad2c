"""What stands on pages without the published tables: what the notebooks found in them, marked as recorded."""

import runpy
from pathlib import Path

import pandas as pd
import pytest

import genexpy_nb as gx
from genexpy_nb.chapters import encoders, shared
from genexpy_nb.common import page

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = runpy.run_path(str(ROOT / "data" / "make_published_numbers.py"))


@pytest.mark.parametrize("name", SCRIPT["NOTEBOOKS"])
def test_recorded_numbers_are_those_of_the_committed_notebook(name):
    assert shared.recorded_numbers()[name] == SCRIPT["numbers_of"](name) != []


@pytest.mark.usefixtures("published_data")
def test_the_recorded_difference_is_that_of_the_published_table():
    tables = encoders.tables_to_ask(gx.datasets.load_encoders("original"), gx.datasets.load_encoders("bundled"))
    found = encoders.compare(tables, 0.95, 0).loc[encoders.PUBLISHED]
    assert shared.recorded_numbers()["difference"] == pytest.approx(found[["estimate", "low", "high"]].to_dict())
    assert shared.beside_recorded(encoders.compare(tables, 0.95, 0)).count("published table") == 1


def test_recorded_numbers_are_marked_and_kept(monkeypatch):
    kept = {}
    monkeypatch.setattr(page, "_KEPT", kept)
    shared.show_recorded("03_bigbench")
    when = shared.recorded_numbers()["when"]
    assert [number.published for number in kept.values()] == [1, 44, 65, 34, 21, 44, 1e-35]
    assert all(number.reason.endswith(f"(recorded {when})") for number in kept.values())
    ours = pd.DataFrame({"estimate": [0.029], "low": [0.02], "high": [0.038]}, index=[encoders.OWN])
    assert shared.beside_recorded(ours) == (
        f"+0.029 (+0.020 to +0.038) on our own runs; the published table gave −0.025 (−0.046 to −0.004) when it was "
        f"read ({when})"
    )
