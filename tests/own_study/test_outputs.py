"""Files of a study: all of them or none, tables that read back as they were, LaTeX that LaTeX takes."""

import csv
import errno
import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import with_checksum
from genexpy_nb.common.page_tables import latex_table
from genexpy_nb.own_study.outputs import MADE_BY, check_folder, default_folder, json_text, staged, write_tables
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.study.answers import MAIN_TABLES

NAMES = ["a_b & c", "50 %", "{é}", "| \n"]
#: Names that a spreadsheet would take for a formula, or that turn what is read, and how tables show them.
ODD = {"=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "+aug": "'+aug", "-1.5": "-1.5", "@b": "'@b", 'x,"y"': 'x,"y"'}
ODD |= {"a\u202e80.1": r"a\u202e80.1", "b\u200bc": r"b\u200bc", "http://a.org/b_c": "http://a.org/b_c"}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Answers about methods with such names, where their files are, and how these are called."""
    names, folder = [*NAMES, *ODD, "\t=1"], tmp_path_factory.mktemp("written")
    frame = pd.DataFrame({"dataset": np.repeat(range(8), len(names)), "method": names * 8})
    frame["auc"] = np.random.default_rng(0).random(len(frame))
    frame = frame.drop(index=[3, 24])
    request = StudyRequest("a.csv", ["method"], ["auc=higher"], ["dataset"])
    answers = request.answers(request.study(frame))
    return answers, folder, write_tables(answers, request, frame, folder, {"summary.txt": f"{answers.summary()}"})


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
    assert [unescaped(head) for head in cells[0]] == ["model", "x_y"]


def test_numbers_in_latex():
    columns = {"n": [3, 40000], "x": [np.inf, -0.5], "y": [np.nan, 1.5e-9], "ok": [True, False]}
    frame = pd.DataFrame({**columns, "note": ["long", ""]})
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


def test_every_table_is_written_and_reads_back(written):
    answers, folder, names = written
    assert sorted(path.name for path in folder.iterdir()) == names
    for name, table in answers.tables().items():
        back = pd.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values=[""])
        assert len(back) == len(table)
        for column in table.columns.intersection(back.columns):
            if pd.api.types.is_float_dtype(table[column]) and len(table):
                np.testing.assert_allclose(back[column].astype(float), table[column])
    for name in MAIN_TABLES:
        if len(answers.tables()[name]):
            heads = check_latex((folder / f"{name}.tex").read_text())[0]
            assert not any("_" in head for head in heads)
    said = json.loads((folder / "answers.json").read_text())
    assert said["made_by"] == MADE_BY and sorted([*said["files"], "answers.json"]) == names
    assert said["sentences"] == answers.sentences and said["request"]["target"] == ["auc=higher"]


def test_names_are_shown_as_they_are_and_no_spreadsheet_takes_them_for_a_formula(written):
    """Joined with the table they come from after one apostrophe is taken away; JSON holds them as they are."""
    _, folder, _ = written
    ranking = pd.read_csv(folder / "ranking.csv", dtype={"alternative": str})["alternative"]
    assert {*NAMES, *ODD.values()} < set(ranking) and len(ranking) == len(NAMES) + len(ODD) + 1
    for file in (*folder.glob("*.tex"), folder / "summary.txt", *folder.glob("*.csv")):
        text = file.read_text(encoding="utf-8")
        assert not re.search("[\u200b\u202e]", text), file
        for row in csv.reader(text.splitlines()) if file.suffix == ".csv" else ():
            assert not [cell for cell in row if re.match(r"\s*[=+@-]", cell) and not is_number(cell)], file
    said = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    assert {*NAMES, *ODD, "\t=1"} == {row["alternative"] for row in said["tables"]["ranking"]}


def is_number(cell):
    with suppress(ValueError):
        return isinstance(float(cell), float)
    return False


def made(folder, results=(), force=False, **files):
    """Write a folder as the command does."""
    with staged(folder, results, force) as waiting:
        contents = {f"{name}.csv": text.encode() for name, text in files.items()}
        contents["answers.json"] = manifest(contents)
        for name, text in contents.items():
            (waiting / name).write_bytes(text)


def manifest(contents):
    files = {name: sha256(text).hexdigest() for name, text in contents.items()}
    return json.dumps(with_checksum({"made_by": MADE_BY, "files": files})).encode()


def content(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != "answers.json"}


def test_a_folder_of_ours_is_renewed_and_what_others_put_there_stays(tmp_path):
    folder = tmp_path / "deep" / "study"
    made(folder, one="1", two="2")
    (folder / "notes.txt").write_text("mine")
    (folder / "mine" / "deep").mkdir(parents=True)
    (folder / "mine" / "deep" / "link").symlink_to("../nowhere")
    (folder / "mine" / "one.csv").write_text("mine, too")
    inode = (folder / "notes.txt").stat().st_ino
    made(folder, one="3")
    assert (folder / "mine" / "one.csv").read_text() == "mine, too"
    assert os.readlink(folder / "mine" / "deep" / "link") == "../nowhere"
    assert (folder / "notes.txt").stat().st_ino == inode  # who has it open, goes on with it
    shutil.rmtree(folder / "mine")
    assert content(folder) == {"one.csv": "3", "notes.txt": "mine"}
    assert [path.name for path in folder.parent.iterdir()] == ["study"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_permissions_are_as_the_umask_has_them_and_those_of_a_folder_stay(tmp_path, umask):
    before = os.umask(umask)
    try:
        made(tmp_path / "study", one="1")
        assert (tmp_path / "study").stat().st_mode & 0o777 == 0o777 & ~umask
        assert (tmp_path / "study" / "one.csv").stat().st_mode & 0o777 == 0o666 & ~umask
        (tmp_path / "study").chmod(0o710)
        made(tmp_path / "study", one="1")
        assert (tmp_path / "study").stat().st_mode & 0o777 == 0o710
    finally:
        os.umask(before)


def test_an_empty_folder_is_one_to_write_to(tmp_path):
    (tmp_path / "study").mkdir()
    made(tmp_path / "study", one="1")
    assert content(tmp_path / "study") == {"one.csv": "1"}


def test_a_link_to_a_folder_stays_one(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    made(tmp_path / "link", one="1")
    assert os.readlink(tmp_path / "link") == "real" and content(tmp_path / "real") == {"one.csv": "1"}


def test_a_folder_that_cannot_be_replaced_as_a_whole_is_refused(tmp_path, monkeypatch):
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    for folder, said in ((".", "runs in it"), ("..", "runs in it"), ("/", "a disk begins there")):
        with pytest.raises(DataError, match=said):
            check_folder(Path(folder), force=True)
    assert [path.name for path in tmp_path.rglob("*")] == ["a", "b"]


def whole(folder):
    """What a folder holds, if it is what one run wrote, with what others put there."""
    (number,) = {text for name, text in content(folder).items() if name != "notes.txt"}
    assert content(folder) == {"one.csv": number, f"only{number}.csv": number, "notes.txt": "mine"}
    contents = {"one.csv": number.encode(), f"only{number}.csv": number.encode()}
    assert (folder / "answers.json").read_bytes() == manifest(contents)
    return int(number)


class Killed(BaseException):
    """Nothing that follows happens, as after kill -9."""


class Disk:
    """The calls of the system that change names: one of them fails, or none from there on happens."""

    def __init__(self, patch, last, error):
        self.last, self.error, self.count = last, error, 0
        for name in ("mkdir", "rename", "link", "unlink", "rmdir", "chmod"):
            patch.setattr(os, name, partial(self.step, getattr(os, name)))

    def step(self, call, *arguments, **options):
        self.count += 1
        if self.count == self.last or (self.count > self.last and isinstance(self.error, Killed)):
            raise self.error
        return call(*arguments, **options)


@pytest.mark.parametrize("error", [Killed(), OSError(errno.EIO, "Input/output error")])
def test_whatever_happens_at_whichever_step_the_folder_is_old_or_new(tmp_path, error):
    for last in range(1, 100):
        folder = tmp_path / str(last) / "study"
        made(folder, one="1", only1="1")
        (folder / "notes.txt").write_text("mine")
        with pytest.MonkeyPatch.context() as patch:
            disk, problem = Disk(patch, last, error), None
            try:
                made(folder, one="2", only2="2")
            except (Killed, DataError) as raised:
                problem = raised
        if isinstance(problem, Killed) and not folder.exists():  # between two renames; the old one is beside it
            assert whole(folder.with_name("study.replaced.tmp")) == 1
        else:
            assert whole(folder) in ([1, 2] if problem else [2])
        made(folder, one="3", only3="3")
        assert whole(folder) == 3 and [path.name for path in folder.parent.iterdir()] == ["study"]
        if disk.count < last:
            break
    assert 8 < last < 99


def test_of_two_at_once_one_comes_after_the_other(tmp_path):
    folder = tmp_path / "study"
    made(folder, one="0", only0="0")
    (folder / "notes.txt").write_text("mine")

    def write(number):
        for _ in range(25):
            made(folder, one=number, **{f"only{number}": number})

    seen = set()
    with ThreadPoolExecutor() as threads:  # the lock is of who opened the file, not of the process
        writers = [threads.submit(write, number) for number in "12"]
        while not all(writer.done() for writer in writers):
            with suppress(OSError):  # it is not there for a moment
                at = os.open(folder, os.O_RDONLY)
                try:  # what is opened is one folder, whatever takes its place
                    seen.add(frozenset(os.listdir(at)) - {"notes.txt", "answers.json", "one.csv"})
                finally:
                    os.close(at)
    assert [writer.result() for writer in writers] == [None, None]
    assert max(map(len, seen)) == 1
    assert whole(folder) in (1, 2) and [path.name for path in tmp_path.iterdir()] == ["study"]


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
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    if said is not None:
        (folder / "answers.json").write_text(said)
    with pytest.raises(DataError, match="not made by this command"):
        check_folder(folder)
    made(folder, force=True, new="1")
    assert content(folder) == {"thesis.tex": "years of work", "new.csv": "1"}


def test_what_somebody_changed_is_replaced_with_force_only(tmp_path):
    folder = tmp_path / "study"
    made(folder, one="1", two="2")
    (folder / "two.csv").write_text("corrected")
    with pytest.raises(DataError, match=r"two\.csv changed since this command wrote it"):
        made(folder, one="3")
    assert content(folder) == {"one.csv": "1", "two.csv": "corrected"}
    made(folder, force=True, one="3")  # which writes no such file
    assert content(folder) == {"one.csv": "3", "two.csv": "corrected"}
    made(folder, two="4", force=True)
    assert content(folder) == {"two.csv": "4"}
    said = json.loads((folder / "answers.json").read_text()) | {"note": "mine"}
    (folder / "answers.json").write_text(json.dumps(said))
    with pytest.raises(DataError, match=r"answers\.json changed"):
        made(folder, two="5")


@pytest.mark.parametrize("name", ["answers.json", "deep/x.csv", "."])
@pytest.mark.parametrize("how", ["there", "symlink there", "symlink to it", "hard link"])
def test_the_results_are_never_in_the_way(tmp_path, name, how):
    folder, source = tmp_path / "study", tmp_path / "study" / name
    (source if name == "." else source.parent).mkdir(parents=True)
    results = source
    if how == "hard link" and name in (".", "deep/x.csv"):
        pytest.skip("no folder has two names, and a name further down is left alone")
    if name != ".":
        source.write_text("a,b\n1,2\n")
    if how == "symlink to it":
        results = tmp_path / "x.csv"
        results.symlink_to(source)
    elif how == "hard link":
        results = tmp_path / "x.csv"
        os.link(source, results)
    elif how == "symlink there" and name != ".":
        source.rename(tmp_path / "x.csv")
        source.symlink_to(tmp_path / "x.csv")
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    with pytest.raises(DataError, match="the results themselves"):
        made(folder, [str(results)], force=True, one="1")
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_files_that_a_foreign_manifest_names_outside_stay(tmp_path):
    folder = tmp_path / "study"
    made(folder, one="1")
    (tmp_path / "mine.txt").write_text("mine")
    mine = sha256(b"mine").hexdigest()
    said = {"made_by": MADE_BY, "files": {"../mine.txt": mine, str(tmp_path / "mine.txt"): mine, "one.csv": 3}}
    (folder / "answers.json").write_text(json.dumps(with_checksum(said)))
    made(folder, two="2", force=True)
    assert (tmp_path / "mine.txt").read_text() == "mine" and content(folder) == {"one.csv": "1", "two.csv": "2"}


@pytest.mark.parametrize("name", ["n" * 255, "é" * 127])
def test_a_name_that_leaves_no_room_beside_it_is_refused(tmp_path, name):
    with pytest.raises(DataError, match="File name too long"):
        made(tmp_path / name, one="1")
    assert list(tmp_path.iterdir()) == []
    made(tmp_path / default_folder(f"{name}"), one="1")


@pytest.mark.parametrize(
    ("results", "folder"),
    [("a.csv", "study-a"), ("x/y.tar.gz", "study-y"), ("runs", "study-runs"), (".hidden", "study-.hidden")],
)
def test_the_folder_is_called_like_the_file(results, folder):
    assert str(default_folder(results)) == folder


def test_json_shows_no_turned_text_and_means_the_same():
    body = {"name": "a\u202eb\u2066\u200f", "n": 1}
    text = json_text(body)
    assert json.loads(text) == body and text.isascii()
