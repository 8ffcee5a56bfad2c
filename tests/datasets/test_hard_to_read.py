"""What people have on their disks: nothing hangs, nothing is dropped without a word, and an error is one sentence."""

import gzip
import io
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import zipfile
from pathlib import Path
from time import process_time
from unicodedata import normalize

import numpy as np
import pandas as pd
import patterns_on_long_input
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from mini_tables import put

import genexpy_nb as gx
from genexpy_nb.datasets.describing import TableRoles
from genexpy_nb.datasets.roles import guess_roles

GOOD = "model,dataset,acc\n" + "".join(f"m{i},d{j},{(7 * i + 3 * j) % 11}.5\n" for i in range(3) for j in range(6))


# --- nothing takes longer than it must --------------------------------------------------------------------------------


@pytest.mark.slow  # texts of two letters in turn: nine times as many as below
def test_every_pattern_of_the_package_takes_linear_time():
    script = Path(__file__).parents[1] / "patterns_on_long_input.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=3000, check=False)
    lines = done.stdout.splitlines()
    assert lines[-1] == "done", f"this pattern does not end: {lines[-1]}; {done.stderr}"
    assert [line for line in lines if line.startswith("SLOW")] == []
    assert sum(line.startswith("trying") for line in lines) > 80


def test_every_pattern_of_the_package_takes_linear_time_on_texts_of_one_letter(capsys):
    """Here, where the package is loaded already; what does not end is stopped, and is the last one that is printed."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(600)
    try:
        patterns_on_long_input.main(many=False)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    said = capsys.readouterr().out
    assert "SLOW" not in said and said.count("trying") > 80 and said.endswith("done\n")


def grown(make, path, n, factor=8):
    """Return by how much more of the processor's time a file takes that is several times as large."""
    seconds = []
    for size in (n, n, factor * n):
        put(path.parent, make(size), path.name)
        start = process_time()
        gx.read_results(path)
        seconds.append(process_time() - start)
    return seconds[2] / max(min(seconds[:2]), 0.02)


LONG = {
    "different numbers": lambda n: "m,s\n" + "".join(f"a,0.{i + 10**7}\n" for i in range(n)),
    "numbers and a word": lambda n: "m,s\n" + "".join(f"a,{-1000 - 173 * i}\n" for i in range(n)) + "b,OOM\n",
    "digits and a letter": lambda n: f"m,s\na,{'1' * (2 * n)}x\nb,2\n",
    "columns": lambda n: ",".join(f"c{i}" for i in range(n // 6)) + "\n" + ",".join(["1.5"] * (n // 6)) + "\n",
    "keys": lambda n: json.dumps([{f"k{i}": i for i in range(n // 6)}] * 2),
    "blank lines": lambda n: "m,s\n" + "\n,\n" * n + "a,1\n",
}


@pytest.mark.parametrize("case", [pytest.param(c, marks=[pytest.mark.slow] * (i > 0)) for i, c in enumerate(LONG)])
def test_time_grows_as_the_file_does(tmp_path, case):
    """Eight times as much takes eight times as long; what is quadratic takes 64 times."""
    assert grown(LONG[case], tmp_path / "a.csv", 4000) < 30


# --- regular files, up to a size --------------------------------------------------------------------------------------


def test_pipes_sockets_devices_and_loops_are_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    os.mkfifo("pipe.csv")
    Path("in").mkdir()
    os.mkfifo("in/pipe.csv")
    held = socket.socket(socket.AF_UNIX)
    held.bind("socket")
    os.symlink("loop", "loop")
    for name, said in {
        "pipe.csv": "is a pipe",
        "in": "in/pipe.csv is a pipe",
        "socket": "socket",
        "loop": "symbolic links: loop",
        "/dev/zero": "is a device",
        "/dev/null": "is a device",
    }.items():
        with pytest.raises(gx.errors.DataError, match=said):
            gx.read_results(name)
    held.close()


def zipped(n):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"\0" * n)
    return buffer.getvalue()


def parquet(n):
    buffer = io.BytesIO()
    pd.DataFrame({"m": np.zeros(n), "s": np.ones(n)}).to_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (GOOD * 20, r"has 0.00\d+ MB; 0.002 MB are read at most.*pass max_size='1MB'"),
        (gzip.compress(b"a,b\n" + b"1,2\n" * 9999), "or more when it is unpacked; 0.002 MB"),
        (zipped(10**6), "1 MB when it is unpacked; 0.002 MB"),
        (parquet(10_000), "MB when it is unpacked; 0.002 MB|MB; 0.002 MB"),
        ("".join(f'{{"k{i}": 1}}\n' for i in range(60)), "60 rows and 60 different keys; 0.002 MB"),
    ],
    ids=["text", "gzip", "workbook", "parquet", "keys"],
)
def test_a_limit_names_the_option_that_lifts_it(tmp_path, content, said):
    path = put(tmp_path, content)
    with pytest.raises(gx.errors.DataError, match=said) as raised:
        gx.read_results(path, max_size="2KB")
    wanted = re.search("max_size='(.*)'", str(raised.value))[1]
    if content[:1] in ("m", "{"):
        assert len(gx.read_results(path, max_size=wanted))


def test_columns_and_sizes_are_checked(tmp_path):
    path = put(tmp_path, ",".join(f"c{i}" for i in range(20_001)) + "\n" + ",".join("1" * 20_001))
    with pytest.raises(gx.errors.DataError, match=r"more than 20,000 columns.*pass max_size='401MB'"):
        gx.read_results(path)
    for wrong in ("much", "-1", "", 0, True, "1e3", None):
        with pytest.raises(gx.errors.ParameterError, match="max_size must be a size"):
            gx.read_results(path, max_size=wrong)
    assert gx.read_results(put(tmp_path, GOOD), max_size=10**6).shape == (18, 3)


# --- text as people have it -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "read", "said"),
    [
        (["72.6±3.5", "70 ± 1", "1"], [72.6, 70, 1], "of 2 cells such as '72.6±3.5' the number was read, 72.6"),
        (["72,6+/-3,5", "70+-1", "NA"], [72.6, 70, np.nan], "of 2 cells such as '72,6+/-3,5'"),
        (["**1.000**", "*0.5*", ".5"], [1, 0.5, 0.5], "of 2 cells such as '**1.000**' the number was read, 1.000"),
        (["**72.6** ± 1", "**70 ± 1**", "3"], [72.6, 70, 3], "of 2 cells such as '**72.6** ± 1'"),
        (["~6000", "\u22481.5", "**3** *"], [6000, 1.5, 3], "of 3 cells such as '~6000' the number was read, 6000"),
        (["\u22121.5", "2", "\u2014"], [-1.5, 2, np.nan], "of 1 cells such as '\u22121.5' the number was read, -1.5"),
        (["7.6 [7.1, 7.9]", "6.8% (30/47)", "0.7 (95% CI 0.6-0.8)"], [7.6, 6.8, 0.7], "of 3 cells such as '7.6 ["),
        (["~~7.6~~", "6.8", "~~**0.7**~~"], [7.6, 6.8, 0.7], "of 2 cells such as '~~7.6~~' the number was read, 7.6"),
        ([">85", "\u2264 7", "9"], [85, 7, 9], "of 2 cells such as '>85' the number was read, 85"),
        (["12/20", "1 / 4", "-"], [0.6, 0.25, np.nan], "of fractions the share was taken, and 12/20 is 0.6"),
        ([":mage: 6.1", "7 \U0001f525", "---"], [6.1, 7, np.nan], "of 2 cells such as ':mage: 6.1' the number was"),
    ],
)
def test_numbers_with_something_around_them(tmp_path, cells, read, said):
    frame = gx.read_results(put(tmp_path, "m;s\n" + "".join(f"m;{cell}\n" for cell in cells)))
    np.testing.assert_array_equal(frame["s"], read)
    assert any(note.startswith("column 's': ") and said in note for note in frame.attrs["notes"])


def test_rows_in_percent_beside_others_are_left_out_with_a_question(tmp_path):
    frame = gx.read_results(put(tmp_path, "m,x,y\na,.9,.8\nless,+18.5%,20%\nb,.7,.6\nless,4%,5%\nc,.1,.2\n"))
    assert [*frame["m"]] == ["a", "b", "c"] and [*frame["y"]] == [0.8, 0.6, 0.2]
    assert frame.attrs["notes"][-1] == "rows in percent were left out: 'less'. Are they no results?"


def coded(cells, form):
    frame = pd.DataFrame({"m": ["OOM", *"abcdefgh"][: len(cells)], "s": cells})
    buffer = io.BytesIO()
    if form == "csv":
        return frame.to_csv(index=False).encode()
    if form == "json":
        return frame.to_json(orient="records").encode()
    frame.to_excel(buffer, index=False)
    return buffer.getvalue()


@pytest.mark.parametrize("form", ["csv", "json", "xlsx"])
def test_missing_codes_are_declared_or_proposed(tmp_path, form):
    path = put(tmp_path, coded([0.5, "OOM", 1, 2.5, "timeout", 3, 4, 5.5, "oom "], form), f"a.{form}")
    frame = gx.read_results(path, missing_codes=["OOM", "timeout"])
    np.testing.assert_array_equal(frame["s"].to_numpy(float), [0.5, np.nan, 1, 2.5, np.nan, 3, 4, 5.5, np.nan])
    assert frame["m"][0] == "OOM"  # a name, in a column of text
    said = {"column 's': 'oom' is no value, 2 times", "column 's': 'timeout' is no value, 1 time"}
    assert said <= {*frame.attrs["notes"]}
    with pytest.raises(gx.errors.ParameterError, match="no column of numbers holds 'oops'"):
        gx.read_results(path, missing_codes=["OOM", "timeout", "oops"])
    assert gx.read_results(put(tmp_path, coded([0.5, 0.0], form), f"b.{form}"), missing_codes="0")["s"].isna()[1]


def test_a_word_that_stands_out_is_proposed(tmp_path):
    frame = gx.read_results(put(tmp_path, coded([1, "OOM", "OOM", 2, "OOM", 3, 4], "csv")))
    assert frame.attrs["notes"] == [
        "column 's' is text: row 3 holds 'OOM' among numbers; 3 rows hold 'OOM'; if that means that there is no value, "
        "pass missing_codes='OOM'"
    ]
    assert gx.read_results(tmp_path / "results.csv", missing_codes="OOM")["s"].isna().sum() == 3


def test_long_whole_numbers_are_read_exactly(tmp_path):
    long = 2**53 + 1
    rows = [{"id": long, "s": 1}, {"id": None, "s": 2}, {"id": 5, "s": 3}]
    frame = gx.read_results(put(tmp_path, f"id,s\n{long},1\n,2\n5,3\n"))
    assert frame["id"][0] == str(long) and "column 'id' is text" in frame.attrs["notes"][0]
    assert str(gx.read_results(put(tmp_path, json.dumps(rows), "a.json"))["id"][0]) == str(long)
    pq.write_table(pa.table({"id": [long, None, 5], "s": [1, 2, 3]}), tmp_path / "a.parquet")
    assert str(gx.read_results(tmp_path / "a.parquet")["id"][0]) == str(long)


def test_names_that_look_alike_are_one_and_that_is_said(tmp_path):
    names = ["caf\u00e9", normalize("NFD", "caf\u00e9"), "caf\u00e9\u200b", "cafe", "na\u200dme", "x"]
    frame = gx.read_results(put(tmp_path, "m,s\n" + "".join(f"{name},1\n" for name in names)))
    assert frame["m"].tolist() == ["caf\u00e9"] * 3 + names[3:]
    (note,) = frame.attrs["notes"]
    assert "'cafe\\u0301' and 'caf\\xe9'" in note
    with pytest.raises(gx.errors.StudyError, match="names that look alike"):
        gx.read_results(put(tmp_path, "s,s\u200b\n1,2\n"))


def test_several_tables_are_read_together(tmp_path):
    put(tmp_path, "dataset,acc,extra\na,1,9\nb,2,9\n", "results/rf.csv")
    put(tmp_path, "acc,dataset\n1,a\n2,b\n", "results/svm.csv")
    put(tmp_path, "not a table", "results/README.md")
    folder = tmp_path / "results"
    together = gx.read_results([folder / "rf.csv", folder / "svm.csv"])
    pd.testing.assert_frame_equal(together, gx.read_results(folder))
    assert together.to_numpy().tolist() == [["rf", "a", 1], ["rf", "b", 2], ["svm", "a", 1], ["svm", "b", 2]]
    assert together.attrs["notes"] == [
        "column 'file' says which file a row is from: 'rf' is rf.csv",
        "columns that not all files have were left out: 'extra'; svm.csv alone lacks 1 of them",
    ]
    assert "1 other files were not read (README.md)" in gx.read_results(folder).attrs["notes"]
    with pytest.raises(gx.errors.ParameterError, match="named twice"):
        gx.read_results([folder, folder / "rf.csv"])
    nothing = [put(tmp_path, "", f"nothing/{name}.csv") for name in "ab"]
    with pytest.raises(gx.errors.DataError, match=r"a\.csv is empty \(0 bytes\); 2 of 2 files cannot be read"):
        gx.read_results(nothing[0].parent)
    put(tmp_path, "dataset,auc\na,1\n", "results/x.csv")
    put(tmp_path, "dataset,auc\na,1\n", "results/y.csv")
    with pytest.raises(gx.errors.DataError, match="have 1 columns in common"):
        gx.read_results(folder)
    for i, name in enumerate(("svm", "knn", "mlp")):  # the columns are called as the folder is
        put(tmp_path, f"data,{name}-mean,{name}-std\na,.{i},.1\nb,.{i + 1},.2\n", f"own/{name}/accuracy.csv")
    beside = gx.read_results(tmp_path / "own")
    assert beside[["data", "knn-mean", "mlp-mean"]].to_numpy().tolist() == [["a", 0.1, 0.2], ["b", 0.2, 0.3]]
    assert guess_roles(beside, TableRoles()).roles.without == ("knn-std", "mlp-std", "svm-std")


def test_curves_are_no_results_and_what_was_not_read_is_named(tmp_path):
    for name in ("dqn", "ppo"):
        put(tmp_path, f",{name}\n" + "".join(f"{i},{i / 7}\n" for i in range(5)), f"{name}.csv")
    with pytest.raises(gx.errors.DataError, match="if rows are steps, which are no experiments"):
        gx.read_results(tmp_path)
    put(tmp_path, "Wall time,Step,Value\n1,1,0.5\n", "chart.csv")
    put(tmp_path, "{}", "runs/a.json")
    with pytest.raises(gx.errors.DataError, match=r"is a chart .*not read: .* pass their folders \(.*runs\)"):
        gx.read_results(tmp_path)
    put(tmp_path, "game,return\nx,1\ny,2\n", "dqn.csv")
    put(tmp_path, "game,return\nx,1\ny,2\n", "ppo.csv")
    assert "left out: chart.csv, without the columns of the others" in gx.read_results(tmp_path).attrs["notes"]


# --- workbooks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "value", "said"),
    [
        ("C3", "=AVERAGE(1)", r"sheet 'Sheet': cell C3 holds the formula '=AVERAGE\(1\)', which was never computed"),
        ("C3", "#DIV/0!", "cell C3 is #DIV/0!: mend its formula, or pass missing_codes='#DIV/0!'"),
        ("C3", "#N/A", None),
        ("XFD1048576", " ", None),
        ("XFD2", 0.5, "columns without a name: 16384"),
    ],
)
def test_a_cell_without_a_value_is_refused_and_named(tmp_path, cell, value, said):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    table = pd.read_csv(io.StringIO(GOOD))
    for row in [[*table], *table.to_numpy().tolist()]:
        book.active.append(row)
    book.active[cell] = value
    book.save(tmp_path / "a.xlsx")
    if said:
        with pytest.raises(gx.errors.DataError, match=said):
            gx.read_results(tmp_path / "a.xlsx")
        return
    frame = gx.read_results(tmp_path / "a.xlsx")
    assert frame.shape == (18, 3) and frame["acc"].isna().sum() == (value == "#N/A")
    assert len(frame.attrs["notes"]) == (value == "#N/A")


# --- malformed files --------------------------------------------------------------------------------------------------


def samples():
    table = pd.read_csv(io.StringIO(GOOD))
    book, columns = io.BytesIO(), io.BytesIO()
    table.to_excel(book, index=False)
    table.to_parquet(columns)
    score = {"hf_subset": "default", "main_score": 0.5}
    mteb = {"task_name": "T", "mteb_version": "1.12.0", "scores": {"test": [score]}}
    search = {"params": [{"k": 1}, {"k": 2}], "split0_test_score": [0.1, 0.2], "mean_test_score": [0.1, 0.2]}
    texts = [GOOD, GOOD.replace(",", ";"), table.to_json(orient="records"), json.dumps(mteb), json.dumps(search)]
    others = [GOOD.encode("utf-16"), gzip.compress(GOOD.encode()), book.getvalue(), columns.getvalue()]
    return [text.encode() for text in texts] + others


PIECES = [
    b"", b"\n", b'"', b"\x00", b"\xff", b"{", b"]", b"null", b"9" * 400, b"[" * 50, b"\xe2\x80\x8b", b"1e999",
    b"{}",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
def test_two_hundred_malformed_files_are_read_or_refused_in_a_sentence(tmp_path):
    draw = random.Random(0)
    originals, n_refused = samples(), 0
    for i in range(200):
        content = bytearray(originals[i % len(originals)])
        for _ in range(draw.choice([1, 2, 5])):
            at = draw.randrange(len(content) + 1)
            content[at : at + draw.choice([0, 1, 40])] = draw.choice(PIECES)
        try:
            gx.read_results(put(tmp_path, bytes(content)))
        except gx.errors.GenexpyError as error:
            n_refused += 1
            assert "\n" not in str(error) and len(str(error)) < 1500
    assert n_refused > 100


def test_objects_by_name_and_lists_of_objects_are_rows(tmp_path):
    forms = {
        '{"a": {"x": 1, "y": {"z": 2}}, "b": {"x": 3}}': [("a", 1, 2.0), ("b", 3, np.nan)],
        '{"a": [1, 2], "b": [3]}': [("a", 1, 1), ("a", 2, 2), ("b", 1, 3)],
        '[{"m": "a", "r": [{"d": 4, "s": 1}, {"d": 5, "s": 2}]}, {"m": 6}]': [("a", 4, 1), ("a", 5, 2)],
    }
    for text, rows in forms.items():
        (tmp_path / "t.json").write_text(text)
        found = gx.read_results(tmp_path / "t.json")
        pd.testing.assert_frame_equal(found.set_axis(range(3), axis=1), pd.DataFrame(rows), check_dtype=False)
    (tmp_path / "t.json").write_text('{"a": {"name": "other"}}')
    assert list(gx.read_results(tmp_path / "t.json")) == ["key", "name"]
    (tmp_path / "t.json").write_text('[{"m": "a", "r": ["d"], "s": ["x"]}]')
    with pytest.raises(gx.errors.DataError, match="holds a list"):
        gx.read_results(tmp_path / "t.json")


LATEX = r"""
\begin{table}\caption{Error, lower is better}
\begin{tabular*}{\textwidth}{@{}lr*{2}{r}@{}} \toprule
data set & SVM & \(k\)-NN \\[2pt] \midrule % a remark & more
a\_b & \textbf{1.5} & $2 \pm 0.1$ \\ \hline
R\&D & 50 & \underline{\textbf{3.25}}$_{\pm 0.2}$ \\
\bottomrule\end{tabular*}\end{table}
"""


def test_a_tabular_of_latex_is_read(tmp_path):
    (tmp_path / "t.tex").write_text(LATEX)
    found = gx.read_results(tmp_path / "t.tex")
    expected = pd.DataFrame({"data set": ["a_b", "R&D"], "SVM": [1.5, 50], "k-NN": [2, 3.25]})
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert found.attrs["notes"][:2] == [
        "the table in LaTeX that begins in row 3, below 'Error, lower is better'", "the page says: lower is better"
    ]  # fmt: skip
    section = "\\midrule\n\\multicolumn{3}{c}{$D = 30$} \\\\\n\\midrule\n"
    (tmp_path / "t.tex").write_text(LATEX.replace("R\\&D", section + "R\\&D"))
    found = gx.read_results(tmp_path / "t.tex")
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert "rows with a name and nothing else were left out: 'D = 30'" in found.attrs["notes"]
    head = r" & $t$ & \multicolumn{1}{c|}{$\sigma$} & $t$ & $\sigma$ \\ \hline" + "\n"
    rows = r"a & 1,5 & \cellcolor[HTML]{FFB3B3}0,1 & 2,5 & 0,2 \\ b & 3,5 & 0,1 & \text{-} & 0,2 \\" + "\n"
    machines = r"\begin{tabular}{l|cc|cc} & \multicolumn{2}{c}{M1} & \multicolumn{2}{c|}{M2} \\" + "\n"
    (tmp_path / "t.tex").write_text(machines + head + rows + "\\end{tabular}")
    found = gx.read_results(tmp_path / "t.tex")
    assert [*found] == ["index", "M1 t", "M1 σ", "M2 t", "M2 σ"] and found["M1 σ"].tolist() == [0.1, 0.1]
    parts = "".join(rf" & \multicolumn{{4}}{{c}}{{{p}}} \\ {head.replace('$t$', 'x', 1)}{rows}" for p in "PQ")
    (tmp_path / "t.tex").write_text("\\begin{tabular}{lcccc}" + parts + "\\end{tabular}")
    found = gx.read_results(tmp_path / "t.tex")
    assert found[["name", "section"]].to_numpy().tolist() == [["a", "P"], ["b", "P"], ["a", "Q"], ["b", "Q"]]
    lines = r"\begin{tabular}[c]{@{}c@{}}data\\ set\end{tabular} & \makecell{\textbf{SVM} \\ small}"
    (tmp_path / "t.tex").write_text(LATEX.replace("data set & SVM", lines))
    assert [*gx.read_results(tmp_path / "t.tex")] == ["data set", "SVM small", "k-NN"]
    two = r"\begin{tabular}{l} x \\ \end{tabular} \begin{tabular}{lr} m & s \\ a & 1 \\ \end{tabular}"
    (tmp_path / "t.tex").write_text(two)
    assert gx.read_results(tmp_path / "t.tex").to_dict("list") == {"m": ["a"], "s": [1]}  # of two in a row the last
    units = r"\textbf{Model} & Time & Mean & CNN & QA \\ \midrule & s & & F1 & EM \\ \midrule"
    units += r" \ours & 1.5 & 2 & 3 & 4 \\ \big-XL & 4 & 5 & 6 & 7 \\"
    (tmp_path / "t.tex").write_text("\\begin{tabular}{lcccc}" + units + "\\end{tabular}")
    found = gx.read_results(tmp_path / "t.tex")
    assert [*found] == ["Model", "Time s", "Mean", "CNN F1", "QA EM"] and found["Model"].tolist() == ["ours", "big-XL"]
    (tmp_path / "t.tex").write_text("data & SVM \\\\ \\hline\na & 1 \\\\\nb & 2 \\\\\n")
    assert gx.read_results(tmp_path / "t.tex").to_dict("list") == {"data": ["a", "b"], "SVM": [1, 2]}  # rows alone
    for text, why in ((2 * LATEX, "holds 2 tables in LaTeX"), (r"\begin{tabular}{cc} & \hline", "has rows of its own")):
        (tmp_path / "t.tex").write_text(text)
        with pytest.raises(gx.errors.DataError, match=why):
            gx.read_results(tmp_path / "t.tex")


def test_a_page_says_the_direction_and_its_numbers_have_spreads_and_changes_in_brackets(tmp_path):
    page = "| data | A | B |\n|-|-|-|\n"
    page += "".join(f"| d{i} | 0.{i}5 (0.01) (+{i}.20%) | _**0.{i}1**_ (±0.02) |\n" for i in range(1, 7))
    (tmp_path / "t.md").write_text(f"{page}\nLogloss: the lower the better.\n")
    found = gx.read_results(tmp_path / "t.md")
    assert found["A"].tolist() == [0.15, 0.25, 0.35, 0.45, 0.55, 0.65] and found["B"][5] == 0.61
    assert guess_roles(found, TableRoles()).roles.higher_is_better == "lower"
    (tmp_path / "t.md").write_text(f"{page}\nOf F1 higher is better, of loss lower is better.\n")
    assert not guess_roles(gx.read_results(tmp_path / "t.md"), TableRoles()).roles.higher_is_better


def test_lists_beside_scores_are_left_out(tmp_path):
    (tmp_path / "t.json").write_text('[{"m": "a", "s": 1, "bins": [1, 2]}, {"m": "b", "s": 2, "bins": []}]')
    found = gx.read_results(tmp_path / "t.json")
    assert list(found) == ["m", "s"] and found.attrs["notes"] == ["column 'bins', which holds lists, was left out"]


PAGE = """# Results
## Word error rate
| | Avg | Clean | Noisy |
|-|-|-|-|
| Open models |
| [one](https://x.org) | 2.5 | **2** | 3 |
| `two` | 4.5 | 4 | 5 |

<summary>Speed</summary>

| engine | n | fps |
|-|-|-|
| A | 10 | 1 |
| . | 20 | 2 |
| B | 10 | 3 |
| . | 20 | 4 |
"""


def test_of_a_page_with_several_tables_one_is_read_by_its_row(tmp_path):
    path = put(tmp_path, PAGE, "page.md")
    with pytest.raises(gx.errors.DataError, match=r"sheet='3' \('Word error rate'\), '11' \('Speed'\)"):
        gx.read_results(path)
    found = gx.read_results(path, sheet="3")
    expected = pd.DataFrame({"index": ["one", "two"], "Avg": [2.5, 4.5], "Clean": [2, 4], "Noisy": [3, 5]})
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert "the page says: lower is better, because 'error' is in that heading" in found.attrs["notes"]
    assert "rows with a name and nothing else were left out: 'Open models'" in found.attrs["notes"]
    assert gx.read_results(path, sheet="11")["engine"].tolist() == ["A", "A", "B", "B"]
    with pytest.raises(gx.errors.DataError, match="2 tables in Markdown"):
        gx.read_results(path, sheet="4")


def test_names_in_two_rows_are_joined_and_numbers_below_a_name_are_scores(tmp_path):
    upper = ",noise,noise,blur,blur\n,1,2,1,2\na,.5,.4,.3,.2\nb,.6,.5,.4,.3\n"
    assert list(gx.read_results(put(tmp_path, upper, "t.csv"))) == ["index", "noise 1", "noise 2", "blur 1", "blur 2"]
    merged = "model,test,,dev,\n,acc,f1,acc,f1\na,.5,.4,.3,.2\n"
    found = gx.read_results(put(tmp_path, merged, "t.csv"))
    assert list(found) == ["model", "test acc", "test f1", "dev acc", "dev f1"] and len(found) == 1
    shots = "model,MMLU,BBH\n,5-shot,3-shot\na,.5,.4\nb,.6,.7\n"
    assert list(gx.read_results(put(tmp_path, shots, "t.csv"))) == ["model", "MMLU 5-shot", "BBH 3-shot"]
    corners = "Method,acc,,f1,\nID,u,v,u,v\na,.5,.4,.3,.2\nb,.6,.5,.4,.3\n"
    assert list(gx.read_results(put(tmp_path, corners, "t.csv"))) == ["Method", "acc u", "acc v", "f1 u", "f1 v"]
    assert list(gx.read_results(put(tmp_path, ",acc,acc\na,1,2\nb,3,4\n", "t.csv"))) == ["index", "acc", "acc.2"]


def test_percent_beside_plain_numbers_and_averages_of_rows(tmp_path):
    rows = ["a,100%,40%,9%", "b,90%,80%,8%", "c,40,39,7", "d,50%,60%,8%", "Avg. Score,71.0%,54.0%,8.2%"]
    (tmp_path / "t.csv").write_text("\n".join(["task,x,y,z", *rows]))
    assert gx.read_results(tmp_path / "t.csv")["x"].tolist() == [100, 90, 40, 50]
    (tmp_path / "t.csv").write_text("task,x\na,0.5\nb,90%\nc,10%\n")  # a share of 1, or half a percent
    assert gx.read_results(tmp_path / "t.csv")["x"].tolist() == ["0.5", "90%", "10%"]
