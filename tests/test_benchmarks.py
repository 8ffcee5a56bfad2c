"""The benchmarks work, compare equals with equals, and docs/scale.md shows what was recorded. None depends on speed."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import mutants, operations, run, sizing, timing
from benchmarks.operations import LARGE, OPERATIONS, Operation, Skipped, Work

RECORD = json.loads((run.ROOT / "benchmarks" / "scale.json").read_text(encoding="utf-8"))
PAGE = run.PAGE.read_text(encoding="utf-8")
ALL = OPERATIONS | LARGE


@pytest.fixture(autouse=True)
def little_work_without_the_authors(monkeypatch):
    encoders = operations.gx.datasets.load_encoders(source="bundled")
    few = encoders[encoders["dataset"].isin(encoders["dataset"].unique()[:14])]
    monkeypatch.setattr(operations.gx.datasets, "load_encoders", lambda source: few)
    monkeypatch.setattr(operations, "FEW_RESAMPLES", {"afresh": 2, "looked up": 20})
    monkeypatch.delenv(operations.AUTHORS, raising=False)
    monkeypatch.setattr(timing, "ENOUGH_SECONDS", 0)
    monkeypatch.setattr(run, "product_speed", lambda dtype: 1e9)


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
@pytest.mark.parametrize("name", ALL)
def test_ours_and_the_yardstick_agree(name):
    row = run.run_both(name, ALL[name], ALL[name].quick)
    assert row["cpu_seconds"] >= 0 and row["peak_mb"] >= row["peak_before_mb"] > 0
    assert ("yardstick" in row) == bool(ALL[name].yardstick)
    if ALL[name].yardstick:
        same = not name.startswith("table to n*")
        assert ("difference" in row) == same
        assert row.get("difference", 0) <= 1e-9


def test_results_that_differ_are_an_error():
    wrong = Operation(1, 1, "{}", "loops", lambda size: Work(lambda: 1.0, lambda: 1.1, difference=lambda a, b: b - a))
    with pytest.raises(run.Different, match=r"wrong: ours .* differ by 0\.1"):
        run.run_both("wrong", wrong, 1)


def test_the_time_of_a_part_is_multiplied():
    def work(size):
        return Work(lambda: None, lambda: 2.0, times=3, part="1 of 3", apart=True)

    row = run.run_both("part", Operation(1, 1, "{}", "another package", work), 1)
    assert row["yardstick_cpu_seconds"] == 6 and row["part"] == "1 of 3"
    assert row["ratio"] == pytest.approx(6 / row["cpu_seconds"])


def test_a_yardstick_that_is_not_there_is_named_with_the_reason():
    def work(size):
        def theirs():
            raise Skipped("it is not installed")

        return Work(lambda: None, theirs)

    row = run.run_both("missing", Operation(1, 1, "{}", "a package", work), 1)
    assert "not run: it is not installed" in run.cells(row)


def test_the_command_writes_figures_and_keeps_those_of_others(tmp_path, monkeypatch, capsys):
    file, started = tmp_path / "figures.json", []
    other = {"operation": "conover_iman", "size": "50 x 5", "cpu_seconds": 1.0, "peak_mb": 2.0}
    file.write_text(json.dumps({"about": {}, "rows": [other]}), encoding="utf-8")

    def here(name, size, half):
        started.append((name, size, half))
        return run.run_ours(ALL[name], size) if half else run.run_both(name, ALL[name], size)

    monkeypatch.setattr(run, "run_apart", here)
    monkeypatch.setattr("sys.argv", ["run", "--quick", "--only", "Gram matrix, B", "--json", str(file)])
    run.main()
    written = json.loads(file.read_text(encoding="utf-8"))
    assert [row["operation"] for row in written["rows"]] == ["Gram matrix, Borda", "conover_iman"]
    assert written["rows"][1] == other and written["about"]["cores"] >= 1
    assert started == [("Gram matrix, Borda", 12, False)]
    shown = capsys.readouterr()
    assert "1 of 1: Gram matrix, Borda ..." in shown.err
    assert shown.out.splitlines()[1].startswith("Gram matrix, Borda")


def test_an_operation_runs_in_a_process_of_its_own():
    row = run.run_apart("friedman", 5, half=False)
    assert row["size"] == "50 x 5" and row["difference"] <= 1e-9


def test_the_table_of_the_page_is_that_of_the_record():
    lines = PAGE.splitlines()
    table = lines[lines.index(run.MARKS[0]) + 1 : lines.index(run.MARKS[1])]
    assert table == run.markdown(RECORD["rows"])
    assert run.written_page(RECORD, PAGE) == PAGE


def test_the_record_is_whole():
    rows = {row["operation"]: row for row in RECORD["rows"]}
    assert list(rows) == list(ALL)
    for name, row in rows.items():
        assert row["size"] == ALL[name].shape.format(ALL[name].size)
        assert row.get("yardstick", "") == ALL[name].yardstick and "skipped" not in row
        assert row["growth"] > 0 and row.get("difference", 0) <= run.ROUNDING
    assert RECORD["about"]["date"] in PAGE and RECORD["about"]["threads"] == "1"


# --- sizing -----------------------------------------------------------------------------------------------------------


def test_the_sizing_on_the_page_is_that_of_the_record():
    lines = PAGE.splitlines()
    table = lines[lines.index("<!-- sizing -->") + 1 : lines.index("<!-- end of sizing -->")]
    assert table == sizing.markdown(pd.read_csv(run.ROOT / "benchmarks" / "sizing.csv"))
    assert len(table) == 2 + len(sizing.STEPS) + len(sizing.PAIRS)


@pytest.mark.parametrize("power", [1, 2])
def test_a_line_through_two_measurements(power):
    cost = [3 + 2 * k**power for k in (10, 20, 1000)]
    assert sizing.at(1000, (10, 20), (cost[0], cost[1]), power) == pytest.approx(cost[2])


def test_a_step_is_measured_and_recorded(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sizing, "N_TASKS", 20)
    small = {name: step._replace(measured_at=(3, 6)) for name, step in sizing.STEPS.items()}
    monkeypatch.setattr(sizing, "STEPS", small)
    file = tmp_path / "sizing.csv"
    for _ in range(2):  # the second time what is not measured again is read
        monkeypatch.setattr("sys.argv", ["sizing", "--only", "friedman", "--out", str(file)])
        sizing.main()
    monkeypatch.setattr("sys.argv", ["sizing", "--only", "pairs with", "--out", str(file)])
    sizing.main()
    found = pd.read_csv(file)
    assert found["step"].tolist() == ["friedman"] * 2 + ["pairs with intervals"] * 2
    assert (found["seconds"] >= 0).all() and (found["megabytes"] > 0).all()
    assert "| pairs with intervals: 49,995,000 | 3 and 6 pairs |" in capsys.readouterr().out


# --- mutants ----------------------------------------------------------------------------------------------------------


def test_every_module_that_computes_is_changed_and_has_tests(monkeypatch):
    monkeypatch.chdir(run.ROOT)
    found = mutants.modules(mutants.EVERYTHING)
    for room in mutants.ROOMS:
        expected = {Path(folder, name) for folder, _, names in os.walk(f"genexpy_nb/{room}") for name in names}
        assert {path for path in expected if path.suffix == ".py"} <= set(found), room
    assert {path.stem for path in found if path.parts[1] == "common"} == set(mutants.GROUND)
    paths = Path("genexpy_nb").glob("*/*.py")
    computing = {path.parts[1] for path in paths if "import numpy" in path.read_text("utf-8")}
    assert computing - {"plots", "chapters", "own_study", "reporting", "datasets"} == set(mutants.EVERYTHING)
    for path in found:
        places = mutants.places_of_tests(path)
        assert Path("tests", path.parts[1]) in places and all(place.exists() for place in places), path
    assert mutants.places_of_tests(Path("genexpy_nb/generalization/moments.py"))[0].name == "test_moments.py"
    assert Path("tests/significance") in mutants.places_of_tests(Path("genexpy_nb/common/rankings.py"))
