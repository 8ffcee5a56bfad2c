"""Tables as people have them: what can be found is found and said, all else is one sentence."""

import gzip
import io
import json
import pickle
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from mini_tables import put

import genexpy_nb as gx
from genexpy_nb.common import errors
from genexpy_nb.common.errors import DataError, MissingExtraError, ParameterError, StudyError
from genexpy_nb.datasets.describing import TableRoles
from genexpy_nb.datasets.roles import guess_roles
from genexpy_nb.datasets.texttables import bare_number

TABLE = pd.DataFrame(
    {
        "méthode": ["forêt", "arbre", "forêt", "arbre"],
        "data": ["iris", "iris", "wine", "wine"],
        "size": [150, 150, 178, 178],
        "score": [0.9512345678901234, 0.5, 0.1 + 0.2, 1e-17],
    }
)


def as_csv(table=TABLE, encoding="utf-8", **options):
    return table.to_csv(index=False, **options).encode(encoding)


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
@pytest.mark.parametrize("packed", [False, True])
def test_what_pandas_writes_is_read_to_the_last_bit(tmp_path, sep, decimal, encoding, packed):
    content = as_csv(encoding=encoding, sep=sep, decimal=decimal)
    frame = gx.read_results(put(tmp_path, gzip.compress(content) if packed else content))
    pd.testing.assert_frame_equal(frame, TABLE, check_exact=True, check_dtype=False)
    assert frame["score"].dtype == float and frame["size"].dtype == "int64"
    said = frame.attrs["read_as"]
    assert f"'{decimal}' as decimal mark" in said and "4 rows, 4 columns" in said
    assert ("tab between" if sep == "\t" else f"'{sep}' between") in said
    assert ("gzip" in said) == packed
    assert encoding.removesuffix("-sig").partition("-le")[0] in said


def test_the_sentence_is_whole(tmp_path):
    rows = "".join(f"m{i % 3};d{i};{i / 7:.4f};rösti;x\n".replace(".", ",") for i in range(1, 121))
    frame = gx.read_results(put(tmp_path, ("model;data;score;dish;note\n" + rows).encode("cp1252")))
    assert frame.attrs["read_as"] == (
        "CSV with ';' between columns, ',' as decimal mark, encoding cp1252 (no UTF-8; 'ö' read so), "
        "120 rows, 5 columns"
    )


@pytest.mark.parametrize(
    ("text", "options", "score"),
    [
        ("m;s\na;1,234\nb;0,5\n", {}, [1.234, 0.5]),
        ("m;s\na;1,234\nb;0.5\n", {}, [1234, 0.5]),  # one mark holds for the whole table
        ("m;s\na;1,234\nb;2,500\n", {"decimal": ","}, [1.234, 2.5]),
        ("m;s\na;1,234\nb;2,500\n", {"decimal": "."}, [1234, 2500]),
        ("m;s\na;1.234,5\nb;2,25\n", {}, [1234.5, 2.25]),
        ("m;s\na;1.234\nb;0,5\n", {}, [1234, 0.5]),
        ("m,t;u,s\n1,2;3,4\n", {}, [4]),  # of two separators, the one that gives more columns
        ('m,s\na,"1,234.5"\nb,"1,000,000"\n', {}, [1234.5, 1e6]),
        ("m,s\na,NA\nb,-inf\n", {}, [np.nan, -np.inf]),
        ("m,s\na,1e-3\nb,-\n", {}, [1e-3, np.nan]),
        ("m,s\na,0.5↑\nb,1.5 ± 0.3%\nc,⌛\n", {}, [0.5, 1.5, np.nan]),
        ("m   s \n a  1\nb 2\n", {}, [1, 2]),
        ("sep=;\nm;s\na;1,5\nb;2\n", {}, [1.5, 2]),
        ("m,s\r\na,1\r\n\r\n,\r\nb,2\r\n", {}, [1, 2]),
        ('m,s\n"a\nb",1\nb,2\n', {}, [1, 2]),
    ],
)
def test_numbers(tmp_path, text, options, score):
    frame = gx.read_results(put(tmp_path, text), **options)
    np.testing.assert_array_equal(frame["s"].to_numpy(float), np.array(score, float))


def test_names_stay_names(tmp_path):
    text = "task,tuning,id,on,score\na,None,007,True,1\nb,NA,010,False,2\nc,,012,True,3\n"
    frame = gx.read_results(put(tmp_path, text))
    assert frame["tuning"].tolist()[:2] == ["None", "NA"] and pd.isna(frame["tuning"][2])
    assert frame["id"].tolist() == ["007", "010", "012"]
    assert frame["on"].tolist() == [True, False, True]
    assert gx.read_results(put(tmp_path, "m,s,t\na,,1\nb,,2\n"))["s"].dtype == float


FAILED = "'failed' among numbers; if that means that there is no value, pass missing_codes='failed'"


@pytest.mark.parametrize(
    ("text", "columns", "said"),
    [
        (",m,s\n0,a,1\n1,b,2\n", ["m", "s"], "column 1, which only numbers the rows, was left out"),
        (",A,B\nt1,1,2\nt2,3,4\n", ["index", "A", "B"], "column 1 had no name and is called 'index'"),
        ("m,s,\na,1,\nb,2,\n", ["m", "s"], "column 3, without a name and without values, was left out"),
        ("m,s\na,1\n,\nb,2\n", ["m", "s"], "1 rows without any value were left out"),
        ("m,s\na,1\nm,s\nb,2\n", ["m", "s"], "rows that repeat the header were left out: 1"),
        ("m,s\na,1\nb,2\nc,3\nd,4\ne,failed\n", ["m", "s"], f"column 's' is text: row 6 holds {FAILED}"),
    ],
)
def test_what_is_left_out_is_said(tmp_path, text, columns, said):
    frame = gx.read_results(put(tmp_path, text))
    assert list(frame) == columns
    assert said in frame.attrs["notes"] and said in frame.attrs["read_as"]


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["90.1%", "7 %", "NA"], [90.1, 7, np.nan]),
        (["90,1%", "7%", ""], [90.1, 7, np.nan]),
        (["90.1%", "0.7", "1%"], None),  # is 0.7 a share, or 0.7 %?
        (["90.1%", "about 7%", "1%"], None),
    ],
)
def test_signs_of_percent_are_left_out_if_every_number_has_one(tmp_path, cells, read):
    frame = gx.read_results(put(tmp_path, "\n".join(["m;s", *(f"m{i};{cell}" for i, cell in enumerate(cells))])))
    said = "column 's': the sign % was left out, and 50% is 50"
    assert (said in frame.attrs["notes"]) == (read is not None)
    if read is None:
        assert frame["s"].tolist() == cells
    else:
        np.testing.assert_array_equal(frame["s"], read)


@pytest.mark.parametrize(
    "cell",
    [
        *["93.3 (about)", "93.3 ± about 1", r"\textbf{93.3}", "1_000", "1e", "2*3", "10 (b)", "2024-01-02"],
        *["1027_ESL", "007", "v1.5-small", "3-NN", ":arrow_down: 3", "best 6"],
    ],
)
def test_what_is_no_number_or_more_than_one_is_text(tmp_path, cell):
    frame = gx.read_results(put(tmp_path, f"m;s\na;{cell}\nb;{cell}\n"))
    assert frame["s"].tolist() == [cell, cell] and not frame.attrs["notes"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("手法,得点\n決定木,1\n", "shift_jis"), ("naïve,s\nrösti,1\n", "cp1252"), ("é,s\nß,1\n", "latin-1")],
)
def test_the_encoding_that_fits_best_is_taken_and_said(tmp_path, text, encoding):
    frame = gx.read_results(put(tmp_path, text.encode(encoding)))
    assert list(frame) == text.partition("\n")[0].split(",")
    assert re.search(r"encoding (cp932|cp1252) \(no UTF-8; '.', '.'.* read so\)", frame.attrs["read_as"])


def test_names_of_columns_in_several_lines_become_one(tmp_path):
    frame = gx.read_results(put(tmp_path, 'm,"Elo\n[Feb 2, 2024]"\na,1\nb,2\n'))
    assert list(frame) == ["m", "Elo [Feb 2, 2024]"]
    assert "the name of column 2 was in several lines and is called 'Elo [Feb 2, 2024]'" in frame.attrs["notes"]
    assert list(gx.read_results(put(tmp_path, 'm,"a\nb",a b\n1,2,3\n'))) == ["m", "a b", "a b.2"]


def test_columns_of_one_name_are_numbered_and_a_guess_with_them_is_doubtful(tmp_path):
    frame = gx.read_results(put(tmp_path, "model,task,acc,acc,acc.2\na,t,1,2,5\nb,t,3,4,6\n"))
    assert list(frame) == ["model", "task", "acc", "acc.3", "acc.2"] and frame["acc.3"].tolist() == [2, 4]
    (note,) = frame.attrs["notes"]
    assert "numbered, as name.2: 'acc' (2 times)" in note and note in guess_roles(frame, TableRoles()).doubts


def test_parquet_json_and_excel(tmp_path):
    pytest.importorskip("openpyxl")
    TABLE.to_parquet(tmp_path / "a")
    TABLE.to_excel(tmp_path / "a.xlsx", index=False)
    for name, said in (("a", "parquet, 4 rows, 4 columns"), ("a.xlsx", "Excel, sheet 'Sheet1', 4 rows, 4 columns")):
        frame = gx.read_results(tmp_path / name)
        pd.testing.assert_frame_equal(frame, TABLE, check_dtype=False, rtol=1e-14)
        assert frame.attrs["read_as"] == said and frame["size"].dtype == "int64"
    for options, said in (({"orient": "records", "lines": True}, "JSON lines"), ({"orient": "records"}, "JSON")):
        content = TABLE.to_json(double_precision=15, **options).encode()
        for packed in (content, gzip.compress(content)):
            frame = gx.read_results(put(tmp_path, packed, "b"))
            pd.testing.assert_frame_equal(frame, TABLE, check_dtype=False, rtol=1e-14)
            assert frame.attrs["read_as"].startswith(said)
    text = '{"m": "a", "score": {"auc": 0.5}}\n{"m": "b", "score": {"auc": NaN, "f1": 1}}\n'
    frame = gx.read_results(put(tmp_path, text))
    assert list(frame) == ["m", "score.auc", "score.f1"] and frame["score.f1"][1] == 1
    assert "rows that lack some of the keys: 1 (first row 1)" in frame.attrs["notes"]


def test_truth_values_among_texts_of_json_are_texts(tmp_path):
    """Answers such as "Yes" and true: texts and truth values have no order, and only one kind can be sorted."""
    rows = [
        {"model": m, "task": f"t{i}", "answer": [True, "yes", "no"][i % 3], "acc": i / 9}
        for m in "ab"
        for i in range(9)
    ]
    frame = gx.read_results(put(tmp_path, json.dumps(rows), "b"))
    assert frame["answer"][:3].tolist() == ["True", "yes", "no"]
    assert guess_roles(frame, TableRoles()).sure
    frame = gx.read_results(put(tmp_path, json.dumps([{"i": i, "p": [True, "nan"][i % 2]} for i in range(4)]), "c"))
    assert frame["p"].tolist() == [True, None] * 2
    frame = gx.read_results(put(tmp_path, "item,p,q\na,TRUE,False\nb,NA,True\nc,FALSE,True\n", "t.csv"))
    assert frame["p"].tolist() == [True, None, False] and guess_roles(frame, TableRoles()).roles.wide


def test_an_index_becomes_columns(tmp_path):
    TABLE.set_index(["data", "méthode"]).to_parquet(tmp_path / "a.parquet")
    frame = gx.read_results(tmp_path / "a.parquet")
    assert list(frame) == ["data", "méthode", "size", "score"]
    assert "the index became columns (data, méthode)" in frame.attrs["notes"]
    pd.DataFrame({"A": [1, 2], "B": [3, 4]}, index=["t1", "t2"]).to_parquet(tmp_path / "a.parquet")
    frame = gx.read_results(tmp_path / "a.parquet")
    assert frame["index"].tolist() == ["t1", "t2"] and "the index became columns (index)" in frame.attrs["notes"]


def wrong_parquet(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


LEVELS = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("auc", "mean"), ("auc", "std")]))
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ENCRYPTED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + "EncryptedPackage".encode("utf-16-le")

# Content, options, error, what the sentence says.
BROKEN = {
    "no bytes": (b"", {}, DataError, "is empty (0 bytes)"),
    "header only": (b"model,task,score\n", {}, DataError, "header only (model, task, score)"),
    "one column": (b"score\n1\n2\n", {}, DataError, "If rows are steps of a run, which are no experiments"),
    "spaces": (b"model score\na 1\nb c 2\n", {}, DataError, "'|': a table of results needs several"),
    "no header": (b"1,2,3\n4,5,6\n", {}, DataError, "row 1 holds numbers only (1, 2, 3)"),
    "merged header": (b"m,auc,,f1,\na,1,2,3,4\n", {}, DataError, "columns without a name: 3, 5; are there merged"),
    "title above": (b"Table 1,\nm,s\na,1\n", {}, DataError, "a title above the header"),
    "too long": (b"m,s\na,1\nb,2,3\nc,3\n", {}, DataError, "row 3 has 3 cells, the header has 2 (m, s)"),
    "too short": (b"m,t,s\na,x,1\nb,2\n", {}, DataError, "row 3 has 2 cells, the header has 3"),
    "unclosed quote": (b'm,s\na,1\n"b,2\nc,3\n', {}, DataError, "row that begins in line 3"),
    "thousand or decimal": (b"m;s\na;1,234\nb;2,345\n", {}, DataError, "column 's', row 2: '1,234' is 1.234 if"),
    "two marks": (b"m;s;t\na;0.5;0,5\n", {}, DataError, "'0.5' is a number with '.', column 't', row 2: '0,5'"),
    "wrong mark": (b"m;s\na;0,5\n", {"decimal": "."}, DataError, "column 's', row 2: '0,5' is no number with '.'"),
    "NUL": (b"m,s\na,1\nb\x00,2\n", {}, DataError, "row 3 holds a NUL byte"),
    "half of UTF-16": ("m,s\na,1\n".encode("utf-16")[:-1], {}, DataError, "is not utf-16"),
    "UTF-8 cut": ("m,s\né,1\nß".encode()[:-1], {}, DataError, "row 3: byte 0xC3 is no UTF-8"),
    "another encoding": ("m,s\né,1\n".encode("latin-1"), {"encoding": "utf-8"}, DataError, "byte 0xE9 is not utf-8"),
    "HTML": (b"<!DOCTYPE html>\n<html><body>404</body></html>", {}, DataError, "is an HTML or XML page"),
    "HTML in UTF-16": ("<html></html>".encode("utf-16"), {}, DataError, "is an HTML or XML page"),
    "LFS": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", {}, DataError, "git lfs pull"),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", {}, DataError, "or is no text"),
    "password": (ENCRYPTED, {}, DataError, "protected by a password, or from before 2007"),
    "gzip cut": (gzip.compress(as_csv())[:-9], {}, DataError, "compressed with gzip, but damaged"),
    "archive": (zipped(**{"a.csv": "m,s\na,1\n"}), {}, DataError, "is an archive of a.csv: unpack it"),
    "OpenDocument": (zipped(mimetype=ODS), {}, DataError, "is an OpenDocument file, which is not read: save it"),
    "drawn": (b"+---+---+\n| m | s |\n+---+---+\n", {}, DataError, "no row of results"),
    "parquet cut": (wrong_parquet(TABLE)[:-8], {}, DataError, "cannot be read as parquet"),
    "levels": (wrong_parquet(LEVELS), {}, StudyError, "columns have 2 levels; join them"),
    "no rows": (wrong_parquet(TABLE[:0]), {}, DataError, "has no row of results"),
    "JSON cut": (b'[{"m": "a"}, {"m": ', {}, DataError, "is no JSON: row 1, character"),
    "JSON list": (b'{"m": "a", "s": [1, "x"]}\n{"m": "b", "s": [1]}\n', {}, DataError, "column 's' holds a list"),
    "JSON columns": (b'{"m": ["a"], "s": [1]}', {}, DataError, "of no known form: ['m', 's'] are its keys"),
    "Markdown": (2 * b"|m|s|\n|-|-|\n|a|1|\n\n", {}, DataError, "2 tables in Markdown: to read one, pass sheet='1'"),
    "JSON Latin-1": ('{"m": "é"}\n{"m": "b"}\n'.encode("latin-1"), {}, DataError, "row 1 is no JSON: 'utf-8' codec"),
    "pickle": (pickle.dumps({"a": 1}), {}, DataError, "runs whatever code it contains"),
    "sep of two": (b"m,s\na,1\n", {"sep": ";;"}, ParameterError, "sep must be one character"),
    "no such encoding": (b"m,s\na,1\n", {"encoding": "utf8x"}, ParameterError, "did you mean 'utf-8'?"),
    "no such mark": (b"m,s\na,1\n", {"decimal": ";"}, ParameterError, "decimal must be '.' or ','"),
    "sheet of text": (b"m,s\na,1\n", {"sheet": "A"}, ParameterError, "sheet has no meaning"),
    "sep of parquet": (wrong_parquet(TABLE), {"sep": ";"}, ParameterError, "sep has no meaning"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_broken_input_is_one_clear_sentence(tmp_path, case):
    content, options, error, said = BROKEN[case]
    path = put(tmp_path, content, "broken.csv")
    with pytest.raises(error) as raised:
        gx.read_results(path, **options)
    message = str(raised.value)
    assert said in message and "\n" not in message
    assert type(raised.value) is error
    assert isinstance(raised.value, ParameterError) or "broken.csv" in message


def test_what_is_no_file(tmp_path):
    with pytest.raises(DataError, match=r"No such file or directory: .*gone\.csv"):
        gx.read_results(tmp_path / "gone.csv")
    said = r"no results that are known here.*MTEB.*HELM.*lm-evaluation-harness.*Inspect.*and no table \(.csv"
    with pytest.raises(DataError, match=said):
        gx.read_results(tmp_path)
    with pytest.raises(ParameterError, match="results must be a file, a folder, or the cv_results_"):
        gx.read_results(3)
    with pytest.raises(DataError, match="no cv_results_"):
        gx.read_results(TABLE)
    with pytest.raises(DataError, match="null"):
        gx.read_results("a\x00b")


def test_excel_without_openpyxl_names_what_brings_it(tmp_path, monkeypatch):
    monkeypatch.setattr(errors, "find_spec", lambda module: None)
    path = put(tmp_path, zipped(**{"[Content_Types].xml": "", "xl/workbook.xml": ""}), "a.xlsx")
    with pytest.raises(MissingExtraError, match=r'openpyxl is not installed; pip install "genexpy_nb\[excel\]"'):
        gx.read_results(path)


class TestExcel:
    @pytest.fixture(autouse=True)
    def openpyxl(self):
        self.openpyxl = pytest.importorskip("openpyxl")

    def book(self, folder, **sheets):
        book = self.openpyxl.Workbook()
        book.remove(book.active)
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        book.save(folder / "a.xlsx")
        return folder / "a.xlsx"

    def test_a_sheet(self, tmp_path):
        rows = [["m", "s", "text"], ["a", 0.5, "0,5"], [None, None, None], ["b", 2, "1,25"], ["c", None, "NA"]]
        frame = gx.read_results(self.book(tmp_path, Tabelle=[*rows, ["d", "NA", "2"]], leer=[]))
        said = "Excel, sheet 'Tabelle', ',' as decimal mark, 4 rows, 3 columns; 1 rows without any value were left out"
        assert frame.attrs["read_as"] == said
        np.testing.assert_array_equal(frame["s"].to_numpy(float), [0.5, 2, np.nan, np.nan])
        np.testing.assert_array_equal(frame["text"], [0.5, 1.25, np.nan, 2])

    def test_blocks_below_each_other_are_one_table(self, tmp_path):
        rows = [["METRIC", "dice"], ["model", "a", "b", "c"], ["x", 1, 2, 3], ["y", 4, 5, 6], []]
        rows += [["METRIC", "mcc"], ["model", "c", "a", "b"], ["x", 9, 7, 8], ["y", 6.5, 4.5, 5.5]]
        other = [["SIZE"], ["model", "n", "m", "k", "j"], ["x", 1, 2, 3, 4]]
        found = gx.read_results(self.book(tmp_path, A=[*rows, *other]))
        assert found["METRIC"].tolist() == ["dice", "dice", "mcc", "mcc"] and found["a"].tolist() == [1, 4, 7, 4.5]
        assert "what stands below 'SIZE', rows 11 to 12, has other columns" in found.attrs["read_as"]
        made = guess_roles(found, TableRoles())
        assert made.roles.fixed == ("METRIC=dice",) and made.roles.alternatives == ("model",)
        text = "\n".join(",".join(map(str, row)) for row in rows)
        for old, new in {"METRIC": "TRAIN", "dice": "one", "mcc": "two"}.items():
            text = text.replace(old, new)
        made = guess_roles(gx.read_results(put(tmp_path, text.encode())), TableRoles())
        assert made.frame.shape == (4, 5) and made.roles.over == ("TRAIN",) and not made.sure
        rows = [["", "f", "g"], ["x", 0.1, 0.2], ["y", 0.3, 0.4]]
        blocks = [each for what in ("mean", "std", "mean of most") for each in ([f"acc {what}"], *rows)]
        found = gx.read_results(self.book(tmp_path, A=[["", *row] for row in blocks]))
        assert found["section"].tolist() == ["acc mean"] * 2 + ["acc mean of most"] * 2 and next(iter(found)) == "name"
        assert "blocks of spreads were left out: 'acc std'" in found.attrs["notes"]

    def test_workbooks_with_a_sheet_for_each_experiment(self, tmp_path):
        for i, name in enumerate(("ant", "bee", "cat")):
            rows = [["steps", "time (us)", "", "note"], ["run 1", "", "run 2"]]
            rows += [[k, 10 * i + k + 0.5, "", *(["a remark"] * (k == 2))] for k in range(6)]
            tables = {f"size {n}": [*rows, [7, n]] for n in (2, 4, 8)}
            self.book(tmp_path, **tables, notes=[[1, 2], [3, 4]]).rename(tmp_path / f"{name}.xlsx")
        self.book(tmp_path, A=[[2, 4], [0.5, 0.25]])
        found = gx.read_results(tmp_path)
        assert found.groupby(["file", "sheet"]).size().tolist() == [7] * 9 and found["time (us)"].dtype == float
        said = found.attrs["read_as"]
        assert "cannot be read were left out: a.xlsx, as" in said and "with run 1, run 2 only, was left out" in said
        assert "or that cannot be read, were left out: 'notes'" in said
        for path in tmp_path.glob("[bc]*.xlsx"):
            path.unlink()
        with pytest.raises(DataError, match="row 1 holds numbers only") as error:
            gx.read_results(tmp_path)
        assert error.value.readings == [{"results": str(tmp_path / "ant.xlsx")}]

    def test_several_sheets(self, tmp_path):
        path = self.book(tmp_path, A=[["m", "s"], ["a", 1]], B=[["m", "t"], ["b", 2]], C=[["n", "s"], ["a", 3]])
        with pytest.raises(DataError, match=r"pass sheet='A', 'B', 'C'\. Some have .*, pass sheet='A / C'$"):
            gx.read_results(path)
        both = gx.read_results(path, sheet="A / C")
        assert both.to_dict("list") == {"m": ["a", "a"], "s": [1, 3], "section": ["A", "C"]}
        assert "column 'section' says which table a row is from" in both.attrs["notes"]
        with pytest.raises(DataError, match="tables 'A' and 'B': column 's' is in one of them only"):
            gx.read_results(path, sheet="A / B")
        assert gx.read_results(path, sheet="B")["m"].tolist() == ["b"]
        with pytest.raises(ParameterError, match="no sheet 'D'"):
            gx.read_results(path, sheet="D")
        with pytest.raises(ParameterError, match="sep has no meaning"):
            gx.read_results(path, sep=";")

    @pytest.mark.parametrize(("rows", "said"), [([["m", "s"]], "header only"), ([], "none holds a value")])
    def test_broken_sheets(self, tmp_path, rows, said):
        with pytest.raises(DataError, match=said):
            gx.read_results(self.book(tmp_path, A=rows))

    def test_a_broken_book(self, tmp_path):
        path = self.book(tmp_path, A=[["m", "s"], ["a", 1]])
        content = path.read_bytes()
        with pytest.raises(DataError, match="is a damaged archive"):
            gx.read_results(put(tmp_path, content[: len(content) // 2], "b.xlsx"))
        assert json.dumps(gx.read_results(put(tmp_path, gzip.compress(content))).attrs["read_as"])


def test_whole_numbers_that_are_too_long_are_identifiers(tmp_path):
    largest = 2**63 - 1
    content = f"long,longer,low\n{largest},{largest + 1},-{largest}\n1,2,3\n".encode()
    frame = gx.read_results(put(tmp_path, content))
    assert frame["long"].tolist() == [largest, 1] and frame["low"].tolist() == [-largest, 3]
    assert frame["longer"].tolist() == [str(largest + 1), "2"]


def test_utf_16_that_was_cut_within_a_letter_is_damaged(tmp_path):
    content = "m,s\na,1\nb,2\n".encode("utf-16-le")
    assert gx.read_results(put(tmp_path, content))["s"].tolist() == [1, 2]
    with pytest.raises(DataError, match="row 1 holds a NUL byte: the file is damaged"):
        gx.read_results(put(tmp_path, content[:-1]))


def test_a_column_without_a_name_is_no_second_index(tmp_path):
    with pytest.raises(DataError, match="columns without a name: 1"):
        gx.read_results(put(tmp_path, ",index,s\nx,a,2\ny,b,4\n"))


# --- tables of a shape that was met in public -------------------------------------------------------------------------


def test_a_plus_between_mean_and_spread_in_a_whole_column(tmp_path):
    rows = "| d1 | **0.8332+0.0067** | 0.5+0.1 |\n| d2 | *0.25+0.01* | nan+nan |\n| d3 | 0.5+0.0 | 0.75+0.5 |\n"
    frame = gx.read_results(put(tmp_path, "| Dataset | A | B |\n|---|---|---|\n" + rows, "t.md"))
    assert frame["A"].tolist() == [0.8332, 0.25, 0.5] and frame["B"].isna().tolist() == [False, True, False]
    assert any("0.8332" in note and "the number was read" in note for note in frame.attrs["notes"])
    frame = gx.read_results(put(tmp_path, "m,s\na,0.5+0.1\nb,0.5\nc,0.25\n"))
    assert frame["s"].tolist() == ["0.5+0.1", "0.5", "0.25"]  # of one cell, a plus may mean anything


def test_cells_of_markdown_that_are_not_shown_or_not_there(tmp_path):
    page = "| m | x | y |\n|---|---|---|\n| a | 1 | 2 | |\n| group |\n| b | 3 | 4 |\n"
    frame = gx.read_results(put(tmp_path, page, "t.md"))
    assert frame["m"].tolist() == ["a", "b"] and frame["x"].tolist() == [1, 3]
    assert "rows with a name and nothing else were left out: 'group'" in frame.attrs["notes"]
    ruled = page.replace("| group |", "|:--|---| --- |\t").replace("3 | 4", "3.5* | 4*")
    frame = gx.read_results(put(tmp_path, ruled, "t.md"))
    assert frame["m"].tolist() == ["a", "b"] and frame["x"].tolist() == [1, 3.5]
    assert "columns 'x', 'y': of 2 cells such as '3.5*' the number was read, 3.5" in frame.attrs["notes"]
    with pytest.raises(DataError, match=r"row 3 has 4 cells, the header has 3 .* perhaps not in quotation marks"):
        gx.read_results(put(tmp_path, "| m | x | y |\n|---|---|---|\n| a | 1 | 2 | 9 |\n", "t.md"))


def test_the_only_table_of_a_page_that_holds_results_is_read(tmp_path):
    rows = '| a "c | 1 | 2 |\n| [b](https://a.b/c_(d)) | 3* | **4.5*** |\n| c | 5 | 6† |\n'
    results = f"| m | x | y |\n|---|---|---|\n{rows}"
    page = f"# Usage\n\n| option | what |\n|---|---|\n| n | 3 |\n\n# Results\n\n{results}"
    frame = gx.read_results(put(tmp_path, page, "t.md"))
    assert frame.attrs["notes"][0] == "the table in Markdown that begins in row 9, below 'Results'"
    assert frame["m"].tolist() == ['a "c', "b", "c"]
    assert frame["x"].tolist() == [1, 3, 5]
    assert frame["y"].tolist() == [2, 4.5, 6]  # and marks of footnotes are left out
    assert gx.read_results(put(tmp_path, page, "t.md"), sheet="3")["option"].tolist() == ["n"]
    with pytest.raises(DataError, match="2 tables in Markdown"):
        gx.read_results(put(tmp_path, f"{results}\n{results}", "t.md"))


def test_tables_of_a_page_are_told_apart_by_their_sections_and_hold_numbers(tmp_path):
    table, links = "\n|m|x|\n|-|-|\n|a|1|\n|b|2|\n", "\n|m|where|\n|-|-|\n|a|[here](http://x.org/1.0)|\n"
    small = {"iris": table.replace("1", "3"), "wine": table.replace("1", "4")}
    parts = "".join(f"## {data}\n### Small\n{small[data]}\n```\n# run it\n```\n" for data in small)
    page = put(tmp_path, f"{parts}* <b>Tuned (Q8):</b><br/>\n{table}## Downloads\n{links}", "t.md")
    said = r"3 tables .*'4' \('iris: Small'\), .*'wine: Small'\), .*\('Tuned \(Q8\)'\)\. .* sheet='4 / 15 / 25'"
    with pytest.raises(DataError, match=said):
        gx.read_results(page)
    heads, names = "|data|x|y|\n|-|-|-|\n", (("avg", "mean", "rank"), "abc")
    parts = [heads + "".join(f"|{name}|1|2|\n" for name in of) for of in names]
    assert gx.read_results(put(tmp_path, "\n".join(parts), "t.md"))["data"].tolist() == [*"abc"]  # no averages


def test_formulas_in_markdown_that_show_a_number_are_numbers(tmp_path):
    rows = "".join(f"| m${i}$ | $\\mathbf{{7{i}.4}}\\pm 4$ | $\\color{{red}}{{\\textsf{{{i}}}}}$ |\n" for i in range(3))
    frame = gx.read_results(put(tmp_path, f"| m | s | gain |\n|---|---|---|\n{rows}", "t.md"))
    assert frame["m"].tolist() == ["m$0$", "m$1$", "m$2$"]
    assert frame["s"].tolist() == [70.4, 71.4, 72.4] and frame["gain"].tolist() == [0, 1, 2]


def test_a_heading_and_a_sentence_that_contradict_each_other_leave_the_direction_open(tmp_path):
    """A table of errors below "Accuracy", and "Lower error values are better" below it."""
    rows = "".join(f"| m{i} | {i}.5 | {2 * i}.25 | {i}.75 |\n" for i in range(5))
    table = f"| Model | d1 | d2 | d3 |\n|---|---|---|---|\n{rows}"
    says = "Lower error values are better."
    for page, better in ((f"{table}\n{says}", "lower"), (f"# Accuracy\n\n{table}\n{says}", "")):
        assert guess_roles(gx.read_results(put(tmp_path, page, "t.md")), TableRoles()).roles.higher_is_better == better


@pytest.mark.parametrize("start", ["[![build](https://a.b/c.svg)](https://a.b)\n\n", "[home](https://a.b)\n\n"])
def test_a_page_that_begins_with_a_link_is_no_json(tmp_path, start):
    frame = gx.read_results(put(tmp_path, start + "| m | s |\n|---|---|\n| a | 1 |\n| b | 2 |\n", "README.md"))
    assert frame["s"].tolist() == [1, 2]
    with pytest.raises(DataError, match="is no JSON"):
        gx.read_results(put(tmp_path, '[{"m": 1}, oops]', "r.json"))


def test_a_file_of_another_kind_is_named_and_folders_are_columns(tmp_path):
    for data in ("iris", "wine", "digits"):
        for model in ("svm", "tree"):
            (tmp_path / data).mkdir(exist_ok=True)
            put(tmp_path / data, "setting,acc\n1,0.5\n2,0.75\n", f"{model}.csv")
    put(tmp_path / "wine", "who,when\nx,y\n", "note.csv")
    frame = gx.read_results(tmp_path)
    assert list(frame) == ["folder", "file", "setting", "acc"] and len(frame) == 12
    pairs = {(d, m) for d in ("iris", "wine", "digits") for m in ("svm", "tree")}
    assert {*zip(frame["folder"], frame["file"], strict=True)} == pairs
    (said,) = [doubt for doubt in guess_roles(frame, TableRoles()).doubts if "left out" in doubt]
    assert said == "left out: note.csv, without the columns of the others"


def test_yes_and_no_are_scores_where_nothing_else_is(tmp_path):
    rows = pd.DataFrame({"doc": range(4), "system": [*"abab"], "is_factual": ["yes", "no", "NULL", "no"]})
    rows.to_csv(tmp_path / "a.csv", index=False)
    frame = gx.read_results(tmp_path / "a.csv")
    assert frame["is_factual"].tolist()[:2] == [True, False] and frame["is_factual"].isna().tolist()[2:] == [
        True,
        False,
    ]
    assert "column 'is_factual': 'yes' is read as 1, 'no' as 0" in frame.attrs["notes"]
    rows.assign(f1=[0.1, 0.2, 0.3, 0.5]).to_csv(tmp_path / "b.csv", index=False)
    assert gx.read_results(tmp_path / "b.csv")["is_factual"][0] == "yes"


def test_units_and_rows_without_a_name_at_the_end_are_told_apart(tmp_path):
    """The unit that all cells of a column have is left out; rows below the names are about these."""
    rows = [f"m{i},{i}.5 ms,{i}B,0.{i} ± nan" for i in range(1, 10)] + [", 3.5 ms,,0.5 ± 0.1"]
    (tmp_path / "a.csv").write_text("\n".join(["model,took,size,score", *rows]))
    frame = gx.read_results(tmp_path / "a.csv")
    assert frame["took"].tolist() == [i + 0.5 for i in range(1, 10)] and frame["size"][0] == "1B"
    assert frame["score"].tolist() == [i / 10 for i in range(1, 10)]
    said = " ".join(frame.attrs["notes"])
    assert "the unit ms was left out" in said and "a row without a name" in said


def test_a_unit_of_time_says_the_direction_and_a_word_among_measurements_is_no_number(tmp_path):
    rows = [f"q{i},{i}.5 ms,2.5E{i} ms" for i in range(1, 6)]
    (tmp_path / "a.csv").write_text("\n".join(["query,x,y", *rows, "q6,7.5 ms,Error"]))
    frame = gx.read_results(tmp_path / "a.csv", missing_codes="Error")
    assert frame["x"][0] == 1.5 and frame["y"][1] == 250 and frame["y"].isna().sum() == 1
    made = guess_roles(frame[["query", "x", "y"]], TableRoles(wide=True))
    assert made.roles.higher_is_better == "lower" and "'ms'" in " ".join(made.doubts)


@pytest.mark.parametrize(
    "cell", ["65.4<sup>±0.7</sup>", "$65.4_{\\pm 0.7}$", "65.4 ± 0.7¹", "65.4±0.7†", "*65.4*±*0.7*"]
)
def test_spreads_may_be_raised_lowered_or_have_a_mark(cell):
    assert bare_number(cell) == "65.4" and bare_number("10²") == "10²"


def test_each_of_three_that_a_row_names_and_scores_has_a_row_of_its_own(tmp_path):
    rows = [f"d{i},{a},{i},{b},{i + 1},{c},{i + 2}" for i, (a, b, c) in enumerate(["xyz", "zxy", "yzx"] * 2)]
    header = "document,text 1.model,text 1.score,text 2.model,text 2.score,text 3.model,text 3.score"
    (path := tmp_path / "judged.csv").write_text("\n".join([header, *rows]))
    found = gx.read_results(path)
    assert [*found] == ["document", "model", "score"] and len(found) == 18 and "became rows" in found.attrs["read_as"]
    assert found.query("document == 'd1'").set_index("model")["score"].to_dict() == {"z": 1, "x": 2, "y": 3}
    path.write_text("\n".join([header, *rows, "d9,x,1,x,2,x,3"]))  # one stands three times in a row
    assert len(gx.read_results(path).columns) == 7


def test_names_of_rows_need_no_name_and_sums_of_groups_at_the_end_are_no_rows(tmp_path):
    rows = ["Track,,A,B,", *(f"{'X' if i < 3 else 'Y'},t{i},{i},{9 - i}," for i in range(6))]
    rows += [",Total,15,39,", ",X,3,24,", ",Y,12,15,"]
    frame = gx.read_results(put(tmp_path, "\n".join(rows).encode(), "sat.csv"))
    assert [*frame] == ["Track", "column 2", "A", "B"] and frame["column 2"].tolist() == [f"t{i}" for i in range(6)]
    assert "column 2 had no name" in frame.attrs["read_as"] and "'Total' (" in frame.attrs["read_as"]


def test_of_several_tables_the_error_says_how_each_is_read(tmp_path):
    for name, of in ("aa", "ba", "cb", "db"):
        (tmp_path / f"{name}.csv").write_text(f"method,{of}1,{of}2\n{name}x,1,2\n{name}y,2,3\n")
    with pytest.raises(gx.errors.DataError, match="1 columns in common") as raised:
        gx.read_results(tmp_path)
    assert [[f[-5:] for f in each["results"]] for each in raised.value.readings] == [
        ["a.csv", "b.csv"],
        ["c.csv", "d.csv"],
    ]
    table = "\n\n".join(
        f"## {n}\n\n| m | d |\n|---|---|\n" + "\n".join(f"| {m}{n} | {n} |" for m in "xyzw") for n in (1, 2)
    )
    with pytest.raises(gx.errors.DataError, match="2 tables") as raised:
        gx.read_results(put(tmp_path, table.encode(), "page.md"))
    assert [each["sheet"] for each in raised.value.readings] == ["3 / 12", "3", "12"]


def test_attributes_of_arff_are_its_header(tmp_path):
    head = (
        "% runs\n@RELATION r\n\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE 'run time' NUMERIC\n@ATTRIBUTE s {ok, bad}\n"
    )
    (path := tmp_path / "runs.arff").write_text(f"{head}\n@DATA\n% first\na/1.cnf,1.5,ok\na/2.cnf,?,bad\n")
    found = gx.read_results(path)
    assert [*found] == ["instance_id", "run time", "s"] and found["run time"].iloc[0] == 1.5
    assert found["s"].tolist() == ["ok", "bad"] and found["run time"].isna().sum() == 1
