"""What stands on pages without the published tables, marked as recorded; and what pages call published."""

import os
import re
import runpy
from pathlib import Path

import pandas as pd
import pytest

import genexpy_nb as gx
from genexpy_nb.chapters import encoders, shared
from genexpy_nb.common import page

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = runpy.run_path(str(ROOT / "data" / "make_published_numbers.py"))
PAPERS = Path(os.environ.get("GENEXPY_NB_DATA", "none/none")).parent / "papers"
#: What stands in a paper around a number (@), where it could be any; by the beginning of the number's name.
AROUND = {"kernel-b": "a value of @ and", "kernel": r"\approx @)", "dtc|svc|.*-0-v1": "n^* = @$ for (", "sd": " (@)\n"}
AROUND |= {"lgbmc|lr|.*-0-v2": "n^{*}=@ for C", "arithmetic-2": "n^{*}=@: For", "mildest": "less than @ data"}
AROUND |= {"configurations-e": "in @ out of 48", "configurations": "and @ out of 24", ".*-missing": "@ more subtasks"}
AROUND |= {".*-subtasks": "on all @ subtasks", ".*-models": "the @ evaluated", "instability": "& @ &", "win": "& @ /"}
AROUND |= {"generalizab": " @ (0.", "count": " @ 0.", "over": r"is $@\times$", "generali|diversity": "up to @"}


@pytest.mark.parametrize("name", SCRIPT["NOTEBOOKS"])
def test_recorded_numbers_are_those_of_the_committed_notebook(name):
    assert shared.recorded_numbers()[name] == SCRIPT["numbers_of"](name) != []
    assert shared.recorded_numbers().items() >= SCRIPT["said_of_tasks"]().items()


def test_two_of_the_published_numbers_of_encoders_do_not_fit():
    fits = {n["name"]: n["value"] / n["published"] for n in SCRIPT["numbers_of"]("02_encoders")}
    far = {name for name, ratio in fits.items() if ratio > 1.1 or (ratio < 0.9 and "mildest" not in name)}  # below 10
    assert len(fits) == 8 and far == {"lr-full-f1-v2", "mildest-jaccard"}


@pytest.mark.skipif(not PAPERS.is_dir(), reason="needs the papers: no folder 'papers' beside GENEXPY_NB_DATA")
def test_published_numbers_are_printed_in_the_papers():
    numbers = [each for file in sorted(ROOT.glob("notebooks/*.ipynb")) for each in SCRIPT["numbers_of"](file.stem)]

    def is_printed(number):
        paper = {"H": 2, "A": 3}.get(number["source"][0], int("first version" not in number["source"]))
        value = f"{number['published']:g}".replace("1e-35", "10^{-35}")
        whole = r"(?<![\d.]) *" + re.escape(value) + (r"0?(?!\d)" if "." in value else r"(\.0)?(?!\d)")
        around = next((words for name, words in AROUND.items() if re.match(name, number["name"])), "@")
        text = next(PAPERS.glob(f"00{paper}_*.txt")).read_text(encoding="utf-8")
        return re.search(re.escape(around).replace("@", whole), text)

    assert len(numbers) > 40 and [each["name"] for each in numbers if not is_printed(each)] == []


@pytest.mark.usefixtures("published_data")
def test_the_recorded_difference_is_that_of_the_published_table():
    tables = encoders.tables_to_ask(gx.datasets.load_encoders("original"), gx.datasets.load_encoders("bundled"))
    for name, once in (("difference", False), ("difference_once", True)):
        found = encoders.compare(tables, 0.95, 0, once).loc[encoders.PUBLISHED, ["estimate", "low", "high"]]
        assert shared.recorded_numbers()[name] == pytest.approx(found.to_dict())
    assert shared.beside_recorded(encoders.compare(tables, 0.95, 0)).count("published") == 1
    committed = (ROOT / "notebooks" / "00_start_here.ipynb").read_text(encoding="utf-8")
    assert "In the published table" not in committed  # it was there


def test_recorded_numbers_are_marked_and_kept(monkeypatch):
    kept = {}
    monkeypatch.setattr(page, "_KEPT", kept)
    shared.show_recorded("03_bigbench")
    when = shared.recorded_numbers()["when"]
    assert [number.published for number in kept.values()] == [1, 44, 65, 34, 21, 44, 1e-35]
    assert all(number.reason.endswith(f"(recorded {when})") for number in kept.values())
    ours = pd.DataFrame({"estimate": [0.029], "low": [0.02], "high": [0.038]}, index=[encoders.OWN])
    assert shared.beside_recorded(ours) == (
        f"+0.029 (+0.020 to +0.038) on our own runs. In the published table, it was −0.025 (−0.046 to −0.004), as "
        f"recorded {when}"
    )
