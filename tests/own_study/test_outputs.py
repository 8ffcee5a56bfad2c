"""Files of a study: all of them or none, tables that read back as they were, LaTeX that LaTeX takes."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.page_tables import latex_table
from genexpy_nb.own_study.outputs import MADE_BY, check_folder, default_folder, staged, write_tables
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.study.answers import MAIN_TABLES

NAMES = ["a_b & c", "50 %", "$x$", "{é}", "[tag]", "*", "a\\b", "#1~^", "<i>", "| \n"]


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"dataset": np.repeat(range(8), len(NAMES)), "method": NAMES * 8})
    frame["auc"] = rng.random(len(frame))
    frame = frame.drop(index=[3, 14])
    request = StudyRequest("a.csv", ["method"], ["auc=higher"], ["dataset"])
    return request.answers(request.study(frame)), request, frame


# --- LaTeX, read as LaTeX would ---------------------------------------------------------------------------------------


def check_latex(text):
    """Environments nest, braces match, every row has as many cells as the table has columns; return the cells."""
    text = re.sub(r"(?m)(?<!\\)%.*$", "", text)
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
    plain = re.sub(r"\\[{}]", "", text)
    depth = 0
    for character in plain:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0 and not re.search(r"(?<!\\)[#~^]", re.sub(r"\$[^$]*\$", "", text))
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    (columns,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", text)
    body = text[text.index(r"\toprule") : text.index(r"\bottomrule")].replace(r"\toprule", "").replace(r"\midrule", "")
    rows = [row.strip() for row in body.split(r" \\" + "\n") if row.strip()]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)&", row)] for row in rows]
    assert {len(row) for row in cells} == {len(columns)}
    assert not any(re.match(r"[\[*]", row[0]) for row in cells[1:])
    return cells


def unescaped(cell):
    words = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^"}
    words |= {"textless": "<", "textgreater": ">", "textbar": "|"}
    cell = re.sub(r"\\(text\w+)\{\}", lambda found: f"\0{list(words).index(found[1])}\0", cell.removeprefix("{}"))
    cell = re.sub(r"\\([{}$&#%_])", r"\1", cell)
    return re.sub("\0(\\d)\0", lambda found: list(words.values())[int(found[1])], cell)


@given(
    st.lists(st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=9), min_size=1, max_size=5)
)
def test_names_come_back_from_latex(names):
    cells = check_latex(latex_table(pd.DataFrame({"model": names, "x_y": 1.5}), "ranking", "Ranks of 50 %"))
    assert [unescaped(row[0]) for row in cells[1:]] == names
    assert cells[0] == ["model", "x y"]


def test_numbers_in_latex():
    frame = pd.DataFrame(
        {"n": [3, 40000], "x": [np.inf, -0.5], "y": [np.nan, 1.5e-9], "ok": [True, False], "note": ["long", ""]}
    )
    cells = check_latex(latex_table(frame, "t", "T"))
    assert cells == [
        ["n", "x", "y", "ok"],
        ["3", r"$\infty$", "--", "yes"],
        ["40000", "$-0.5$", r"$1.5 \cdot 10^{-9}$", "no"],
    ]


def test_long_tables_are_cut_and_say_so():
    text = latex_table(pd.DataFrame({"a": range(1234)}), "pairs", "Pairs")
    assert len(check_latex(text)) == 51 and "% The first 50 of 1,234 rows; all are in pairs.csv." in text


# --- files ------------------------------------------------------------------------------------------------------------


def test_every_table_is_written_and_reads_back(found, tmp_path):
    answers, request, frame = found
    names = write_tables(answers, request, frame, tmp_path, {"summary.txt": "all is well\n"})
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for name, table in answers.tables().items():
        back = pd.read_csv(tmp_path / f"{name}.csv", keep_default_na=False, na_values=[""])
        assert len(back) == len(table)
        for column in table.columns.intersection(back.columns):
            if pd.api.types.is_float_dtype(table[column]) and len(table):
                np.testing.assert_allclose(back[column].astype(float), table[column])
    assert set(pd.read_csv(tmp_path / "ranking.csv")["alternative"]) == set(NAMES)
    for name in MAIN_TABLES:
        if len(answers.tables()[name]):
            check_latex((tmp_path / f"{name}.tex").read_text())
    said = json.loads((tmp_path / "answers.json").read_text())
    assert said["made_by"] == MADE_BY and said["files"] == names and said["sentences"] == answers.sentences
    assert said["request"]["target"] == ["auc=higher"]


def made(folder, **files):
    with staged(folder) as waiting:
        listed = [f"{name}.csv" for name in files]
        for name, text in files.items():
            (waiting / f"{name}.csv").write_text(text)
        (waiting / "answers.json").write_text(json.dumps({"made_by": MADE_BY, "files": [*listed, "answers.json"]}))


def content(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != "answers.json"}


def test_a_folder_of_ours_is_renewed_and_what_others_put_there_stays(tmp_path):
    folder = tmp_path / "deep" / "study"
    made(folder, one="1", two="2")
    (folder / "notes.txt").write_text("mine")
    made(folder, one="3")
    assert content(folder) == {"one.csv": "3", "notes.txt": "mine"}
    assert [path.name for path in folder.parent.iterdir()] == ["study"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_others_may_read_a_new_folder(tmp_path):
    made(tmp_path / "study", one="1")
    assert (tmp_path / "study").stat().st_mode & 0o777 == 0o755


def test_an_empty_folder_is_one_to_write_to(tmp_path):
    (tmp_path / "study").mkdir()
    made(tmp_path / "study", one="1")
    assert content(tmp_path / "study") == {"one.csv": "1"}


def test_what_says_that_all_is_there_comes_last(tmp_path, monkeypatch):
    folder = tmp_path / "study"
    made(folder, one="1")
    before, move = (folder / "answers.json").read_text(), Path.replace

    def fails(path, target):
        if path.name == "two.csv":
            raise OSError("no space left")
        return move(path, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(DataError, match="cannot be written"):
        made(folder, one="3", two="2")
    assert (folder / "answers.json").read_text() == before


def test_what_fails_leaves_all_as_it_was(tmp_path):
    made(tmp_path / "study", one="1")
    with pytest.raises(RuntimeError), staged(tmp_path / "study") as waiting:
        (waiting / "one.csv").write_text("half of")
        raise RuntimeError
    assert content(tmp_path / "study") == {"one.csv": "1"}
    with pytest.raises(RuntimeError), staged(tmp_path / "a" / "b"):
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["study"]


@pytest.mark.parametrize("said", [None, "{", "[]", '{"made_by": "somebody"}', "\0"])
def test_a_folder_of_others_is_not_touched_without_force(tmp_path, said):
    (tmp_path / "thesis.tex").write_text("years of work")
    if said is not None:
        (tmp_path / "answers.json").write_text(said)
    with pytest.raises(DataError, match="not made by this command"):
        check_folder(tmp_path)
    with staged(tmp_path, force=True) as waiting:
        (waiting / "new.csv").write_text("1")
    assert content(tmp_path) == {"thesis.tex": "years of work", "new.csv": "1"}


def test_files_that_a_foreign_manifest_names_outside_stay(tmp_path):
    folder = tmp_path / "study"
    made(folder, one="1")
    (tmp_path / "mine.txt").write_text("mine")
    files = ["../mine.txt", str(tmp_path / "mine.txt"), 3, "one.csv"]
    (folder / "answers.json").write_text(json.dumps({"made_by": MADE_BY, "files": files}))
    made(folder, two="2")
    assert (tmp_path / "mine.txt").read_text() == "mine" and content(folder) == {"two.csv": "2"}


@pytest.mark.parametrize(
    ("results", "folder"),
    [("a.csv", "study-a"), ("x/y.tar.gz", "study-y"), ("runs", "study-runs"), (".hidden", "study-.hidden")],
)
def test_the_folder_is_called_like_the_file(results, folder):
    assert str(default_folder(results)) == folder
