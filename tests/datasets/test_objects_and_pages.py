"""Results in forms that no program names: objects in objects, folders of objects, pages in HTML, tables with titles."""

import gzip
import itertools
import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import genexpy_nb as gx
from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets.describing import Column, TableRoles, may_be_compared
from genexpy_nb.datasets.opening import parts_of
from genexpy_nb.datasets.pages import parted_cells
from genexpy_nb.datasets.roles import guess_roles
from genexpy_nb.datasets.texttables import Cells
from genexpy_nb.datasets.votes import votes_of, won_by_first

SCORES = {(m, d): (7 * i + 3 * j) % 11 + 0.5 for i, m in enumerate("abc") for j, d in enumerate("uvwxyz")}


def read(folder, content, name):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return gx.read_results(path)


def as_scores(frame, model, dataset, score):
    return {(row[model], row[dataset]): row[score] for _, row in frame.iterrows()}


def test_objects_in_objects_are_rows_with_the_keys_above_them(tmp_path):
    nested = {m: {d: {"acc": SCORES[m, d], "n": 9} for d in "uvwxyz"} for m in "abc"}
    frame = read(tmp_path, nested, "nested.json")
    assert [*frame] == ["key 1", "key 2", "acc", "n"]
    assert as_scores(frame, "key 1", "key 2", "acc") == SCORES
    with_runs = {d: {m: [{"acc": SCORES[m, d] + run} for run in range(2)] for m in "abc"} for d in "uvwxyz"}
    frame = read(tmp_path, with_runs, "runs.json")
    assert len(frame) == 36 and as_scores(frame[::2], "key 2", "key 1", "acc") == SCORES
    runs = {m: [{d: {"f1": SCORES[m, d] + run} for d in "uvw"} for run in range(1 + (m == "a"))] for m in "abc"}
    frame = read(tmp_path, runs, "submissions.json")
    assert frame["name"].tolist() == ["a", "a", "b", "c"] and frame["w.f1"][3] == SCORES["c", "w"]


def test_methods_of_tasks_with_measures_of_their_own_are_rows(tmp_path):
    tasks = {d: {m: {"f1" if d in "uvw" else "auc": {"mean": SCORES[m, d]}} for m in "abc"} for d in "uvwxyz"}
    more = {d: {**methods, "folds": [0.5, 0.25]} for d, methods in tasks.items()}
    frame = read(tmp_path, {**more, "overall": {"a": 1}}, "tasks.json")
    assert [*frame] == ["key 1", "key 2", "f1.mean", "auc.mean"] and len(frame) == 18
    found = as_scores(frame[frame["key 1"] > "w"], "key 2", "key 1", "auc.mean")
    assert found == {k: SCORES[k] for k in SCORES if k[1] > "w"}
    assert "what is no object with measures was left out: 'overall', 'folds'" in frame.attrs["notes"]


def test_the_one_long_list_of_objects_is_read(tmp_path):
    rows = [{"model": m, "task": i, "acc": i / 20} for m in "ab" for i in range(11)]
    frame = read(tmp_path, {"dates": [{"year": 2024}, {"year": 2025}], "runs": rows}, "site.json")
    assert len(frame) == 22 and frame.attrs["notes"][0] == "what is in 'runs' was read, and not 'dates'"


def test_long_texts_are_no_names_in_votes():
    words = [f"{'a long answer, and one more ' * 4}{i}" for i in range(6)]
    frame = pd.DataFrame({"response1": words, "response2": words[::-1], "annotator1": [1, 2, 0] * 2})
    assert votes_of(frame.assign(annotator2=frame["annotator1"])) is None


def test_a_table_as_pandas_writes_it_in_json_is_read(tmp_path):
    table = pd.DataFrame({"model": list("abc"), "u": [0.5, 0.25, 1.5], "v": [1, 2, 3]})
    pd.testing.assert_frame_equal(read(tmp_path, table.to_json(), "p.json"), table, check_dtype=False)


def test_settings_beside_measures_are_columns_of_one_row(tmp_path):
    parts = {m: {"config": {"lr": i, "layers": 2}, "metrics": {"acc": i / 4, "f1": 0}} for i, m in enumerate("abc")}
    frame = read(tmp_path, parts, "parts.json")
    assert frame["name"].tolist() == ["a", "b", "c"] and frame["metrics.acc"].tolist() == [0, 0.25, 0.5]


@pytest.mark.parametrize("where", ["results", "by_model"])
def test_rows_below_a_key_beside_settings_are_read_and_that_is_said(tmp_path, where):
    rows = [{"model": m, "dataset": d, "acc": score} for (m, d), score in SCORES.items()]
    body = {"date": "2024", where: rows if where == "results" else {m: {"acc": 1.5 * i} for i, m in enumerate("abc")}}
    frame = read(tmp_path, body, "with_date.json")
    assert frame.attrs["notes"][0] == f"what is in {where!r} was read, and not 'date'"
    if where == "results":
        assert as_scores(frame, "model", "dataset", "acc") == SCORES
    else:
        assert frame["name"].tolist() == ["a", "b", "c"]


def test_a_folder_of_objects_has_a_row_for_each_file(tmp_path):
    for (m, d), score in SCORES.items():
        read_or_not = tmp_path / "runs" / m / f"{d}.json"
        read_or_not.parent.mkdir(parents=True, exist_ok=True)
        read_or_not.write_text(json.dumps({"scores": {"acc": score}, "dataset": d, "seconds": 3}))
    frame = gx.read_results(tmp_path / "runs")
    assert as_scores(frame, "folder", "dataset", "scores.acc") == SCORES
    with pytest.raises(gx.errors.DataError, match=r"u\.json is JSON, but of no known form"):
        gx.read_results(tmp_path / "runs" / "a" / "u.json")


def as_markdown(frame):
    rows = [frame.columns, ["-"] * frame.shape[1], *frame.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def html_of(frame):
    table = frame.to_html(index=False)
    return f"<!DOCTYPE html>\n<html><body><h1>Board</h1><p>of {len(frame)}</p>{table}</body></html>"


def test_a_table_of_a_page_in_html_is_read(tmp_path):
    wide = pd.DataFrame([{"model": m, **{d: SCORES[m, d] for d in "uvwxyz"}} for m in "abc"])
    frame = read(tmp_path, html_of(wide), "board.html")
    pd.testing.assert_frame_equal(frame, wide, check_dtype=False)
    assert frame.attrs["notes"] == ["the table in HTML that begins in row 2, below 'Board'"]
    two = f"{html_of(wide)}\n{wide.assign(model=['p', 'q', 'r']).to_html(index=False)}"
    for page, row in ((two, 2), (two.replace("\n", ""), 1)):
        with pytest.raises(
            gx.errors.DataError, match=rf"2 tables in HTML: to read one, pass sheet='{row}' \('Board'\)"
        ):
            read(tmp_path, page, "two.html")
    four = "".join(f"## On {name}\n\n{as_markdown(wide[['model', 'u']])}\n\n" for name in ("data p", "q", "data r"))
    (tmp_path / "four.md").write_text(four)
    both = gx.read_results(tmp_path / "four.md", sheet="3 / 19")
    assert both["section"].tolist() == 3 * ["On data p"] + 3 * ["On data r"]
    assert both["u"].tolist() == 2 * wide["u"].tolist()
    markdown = f"<div align='center'>\n<h1>Board</h1>\n</div>\n\n{as_markdown(wide)}"
    assert read(tmp_path, markdown, "README.md")["u"].tolist() == wide["u"].tolist()
    assert [*read(tmp_path, f"# Board\n\n{html_of(wide).replace('th>', 'td>')}", "board.md")["u"]] == [*wide["u"]]
    assert [*read(tmp_path, f"|p|\n|-|\n|![](p.png)|\n\n{html_of(wide)}", "README.md")["u"]] == [*wide["u"]]
    assert [*read(tmp_path, html_of(pd.concat([wide, wide])), "two.html")["section"].unique()] == ["block 1", "block 2"]
    open_tags = "<table><tr><th>m<th colspan=2>d &amp; e<tr><th><th>u<th>v<tr><td>a<td>1<td>2"
    open_tags += "<tr><td>b<td>4<td>5<tr><td>c<td>7<td>8"
    for page in (open_tags, f"<table><tr><td>{open_tags}</table></table>"):  # also in a cell of another table
        assert read(tmp_path, page, "open.htm")["d & e u"].tolist() == [1, 4, 7]
    spans = open_tags.replace("<th>m", "<th rowspan=2>m").replace("<tr><th><th>u", "<tr><th>u").replace("<td>c", "")
    spans = spans.replace("<td>b", "<td rowspan=2>b") + "<tr><td colspan=3>big"
    told = read(tmp_path, spans, "spans.htm").to_numpy().tolist()
    assert told == [["a", 1, 2], ["b", 4, 5], ["b", 7, 8]]


def test_tables_in_html_stand_beside_those_in_markdown(tmp_path):
    wide = pd.DataFrame([{"model": m, **{d: SCORES[m, d] for d in "uvwxyz"}} for m in "abc"])
    html = html_of(wide).partition("<h1>")[2].partition("</p>")[2]
    sizes = pd.DataFrame({"data": ["u", "v", "w", "x"], "videos": [10, 20, 30, 40]})
    page = f"## Data\n\n{as_markdown(sizes)}\n\n## Scores\n\n{html}"
    assert read(tmp_path, page, "README.md").attrs["heading"] == "Scores", "the other one holds no results"
    with pytest.raises(gx.errors.DataError, match=r"2 tables .*'3' \('Main'\), '13' \('Scores'\)"):
        read(tmp_path, f"## Main\n\n{as_markdown(wide)}\n\n\n\n## Scores\n\n{html}", "README.md")


def test_cells_are_parted_by_what_their_header_names(tmp_path):
    page = "| m | err (3 / 5 days) [K] | n (right/all) | a/b |\n|-|-|-|-|\n| p | 154 / 334 | 1/4 | 3.5/1 |\n"
    frame = read(tmp_path, f"{page}| q | 816 | 3/4 | 4/2.5 |\n| r | 268 / 463 | 2/4 | 7/2 |\n", "README.md")
    assert [*frame] == ["m", "err (3) [K]", "err (5 days) [K]", "n (right/all)", "(a)", "(b)"]
    assert frame.iloc[:, 1].tolist() == [154, 816, 268], "a number alone is meant for each"
    assert frame.iloc[:, 2].tolist() == [334, 816, 463]
    assert frame.iloc[:, 3].tolist() == [0.25, 0.75, 0.5], "a share is one number"


def test_a_corner_may_say_what_two_rows_of_names_are(tmp_path):
    rows = [f"<tr><td>{m}<td>{i}.5e-1<br>(1.5e-2)<td>{i + 3}" + f"<td>{i}.25<td>{i}" for i, m in enumerate("abc")]
    head = "<tr><td>Problem<td colspan=2>p<td colspan=2>q<tr><td>metric<td>gap<td>n<td>gap<td>n<tr><td><td><td><td><td>"
    page = f"Text.\n<table> <!--Start--> <colgroup></colgroup><tbody>{head}{''.join(rows)}</table>"
    frame = read(tmp_path, page, "easy.md")
    assert [*frame] == ["name", "p gap", "p n", "q gap", "q n"]
    assert frame["p gap"].tolist() == [0.05, 0.15, 0.25]
    assert "'Problem' and 'metric' were taken for names of the two rows of names" in frame.attrs["read_as"]


def test_many_tables_of_the_same_columns_are_one_and_their_headings_are_columns(tmp_path):
    table = "| m | u |\n|-|-|\n| a | {i}.5 |\n| b | {i} |\n| note |\n"
    parts = [f"## Seed {s}\n\n### `{d}`\n\n{table.format(i=i)}" for s in (1, 2) for i, d in enumerate("pqr")]
    frame = [read(tmp_path, "\n".join(parts), f"of/{name}.md") for name in ("svm", "knn")][1]
    assert frame.iloc[[0, 11]].to_numpy().tolist() == [["a", 0.5, "Seed 1", "p"], ["b", 2.0, "Seed 2", "r"]]
    said = "6 tables in Markdown with the same columns are read as one; the headings above them became 'Seed', 'sect"
    assert frame.attrs["notes"][0].startswith(said) and len(gx.read_results(tmp_path / "of")) == 24
    with pytest.raises(DataError, match="holds 5 tables in Markdown: to read one"):  # of measures
        read(tmp_path, "\n".join(f"# {d}\n{table.format(i=i)}" for i, d in enumerate(["r2", "mse", *"pqr"])), "t.md")
    head = r"\begin{table}\caption{On %s}\begin{tabular}{lrr} & \multicolumn{2}{c}{acc} \\ m & u & v \\"
    pages = [f"{head % d} a & 1 & 2 \\\\ b & 2 & {d} \\\\ \\end{{tabular}}\\end{{table}}" for d in range(5)]
    frame = read(tmp_path, "\n".join(pages), "t.tex")
    assert [*frame] == ["m", "acc u", "acc v", "section"] and frame["acc v"][::2].tolist() == [2] * 5
    assert frame["section"][1::2].tolist() == [f"On {d}" for d in frame["acc v"][1::2]]


def test_lines_of_comment_above_the_header_are_left_out(tmp_path):
    texts = {
        '#{"start": 1.28, "env": "H"}\nr,l\n1,2\n3,4\n': ("r", 1),
        "# one\n\n% two, three\nr;l\n1;2\n3;4\n": ("r", 2),
        "# Results, 2024\nr,l\n1,2\n3,4\n": ("r", 1),
        "# made by us\n# r l\n1 2\n3 4\n": ("r", 1),
        "#r,l\n1,2\n3,4\n": ("#r", 0),
        "# r | l\n1 | 2\n3|4\n": ("# r", 0),
    }
    for text, (first, n) in texts.items():
        frame = read(tmp_path, text, "monitor.csv")
        assert frame.to_dict("list") == {first: [1, 3], "l": [2, 4]}
        assert frame.attrs["notes"] == [f"lines of comment above the header were left out: {n}"] * (n > 0)


def test_titles_above_the_header_are_left_out(tmp_path):
    text = "Results of the challenge\n\nmodel,u,v\na,1.5,2\nb,3,4\nc,5,6\n"
    frame = read(tmp_path, text, "titled.csv")
    assert [*frame] == ["model", "u", "v"] and frame["u"].tolist() == [1.5, 3, 5]
    assert "rows above the header were left out: 1" in frame.attrs["notes"]
    frame.to_excel(tmp_path / "titled.xlsx", index=False, startrow=2)
    import openpyxl

    book = openpyxl.load_workbook(tmp_path / "titled.xlsx")
    book.active["B1"] = "Results of the challenge"
    book.save(tmp_path / "titled.xlsx")
    again = gx.read_results(tmp_path / "titled.xlsx")
    pd.testing.assert_frame_equal(again, frame, check_dtype=False)
    assert "rows above the header were left out: 1" in again.attrs["notes"]


def test_a_name_above_rows_tells_rows_of_one_name_apart(tmp_path):
    head, parts = "| model | u | v | w | x |\n|-|-|-|-|-|\n", ["zero-shot", "**few-shot**", "tuned"]
    cells = [[f"| {m} | {' | '.join(str(SCORES[m, d] + i / 8) for d in 'uvwx')} |\n" for m in "abc"] for i in range(3)]
    rows = ["".join(each) for each in cells]
    pages = [f"| {part} |\n{below}" for part, below in zip(parts, rows, strict=True)]
    frame = read(tmp_path, head + "".join(pages), "sections.md")
    assert frame["section"].tolist() == [part for part in ("zero-shot", "few-shot", "tuned") for _ in "abc"]
    roles = guess_roles(frame, TableRoles()).roles
    assert (roles.alternatives, roles.design) == (("model",), ("section",))
    frame = read(tmp_path, f"{head}| small |\n{rows[0]}| large |\n| d | 1 | 2 | 3 | 4 |\n", "groups.md")
    assert [*frame] == ["model", "u", "v", "w", "x"]


def test_several_numbers_in_a_cell_are_a_column_each(tmp_path):
    frame = read(tmp_path, "model,MNLI,SST\na,84.6/83.4,93.5\nb,**86.7**/85.9,94.9\nc,,90.1\n", "glue.csv")
    assert frame["MNLI 1"].tolist()[:2] == [84.6, 86.7] and frame["MNLI 2"].tolist()[:2] == [83.4, 85.9]
    assert frame[["MNLI 1", "MNLI 2"]].iloc[2].isna().all()
    said = "columns with several numbers in a cell became one for each: 'MNLI'; what does each measure?"
    assert said in frame.attrs["notes"]
    named = read(tmp_path, "metric,a(PLCC/SRCC),b\nx,0.5/0.4,1\ny,-0.2/0.1,2\n", "iqa.csv")
    assert named["a (PLCC)"].tolist() == [0.5, -0.2] and named["a (SRCC)"].tolist() == [0.4, 0.1]
    wins = read(tmp_path, "model,wins\na,3/10\nb,7/10\n", "wins.csv")
    assert [*wins] == ["model", "wins"]


def long(**more):
    rows = [{"model": m, "item_id": i, "round": r} for m in "abc" for i in range(101, 113) for r in ("x", "y")]
    return pd.DataFrame(rows).assign(**more)


def test_what_all_have_in_common_is_an_experiment_and_a_right_answer_a_score():
    right = [(i * 7) % 5 < 3 for i in range(72)]
    roles = guess_roles(long(solved=right, costUsd=[i / 7 for i in range(72)]), TableRoles()).roles
    assert (roles.alternatives, roles.over, roles.target) == (("model",), ("item_id",), ("solved",))
    own = long(task_id=[f"t{i}" for i in range(72)], accuracy=[(i * 7) % 11 / 11 for i in range(72)])
    assert guess_roles(own, TableRoles()).roles.over == ("item_id",)


def test_a_best_known_value_is_no_method_and_its_count_no_instance():
    frame = pd.DataFrame({"Instance": [*"pqrstuvw", "# BEST"], "Ours": range(9), "Theirs": [5, 3, 8, 1, 9, 2, 7, 4, 6]})
    frame = frame.assign(Third=[4, 4, 9, 2, 8, 1, 7, 5, 6], OPT=range(3, 12))
    made = guess_roles(frame, TableRoles())
    assert made.roles.without == ("OPT", "Instance=# BEST") and "seem to sum up others" in " ".join(made.doubts)


def test_votes_in_which_several_columns_may_say_who_won_are_asked_about():
    sides = {"Model_A_Name": [*"abcabc"], "Model_B_Name": [*"xyzxyz"], "Swapped": [True, False] * 3}
    frame = pd.DataFrame(sides).assign(Winner_Position=["Left", "Right"] * 3, Winner_Source=["one", "other"] * 3)
    assert "'COLUMN THAT SAYS WHO WON'" in guess_roles(frame, TableRoles()).problem


def test_a_header_that_stands_among_the_values_below_it_is_missing(tmp_path):
    lines = [f"eng1,sys{i % 3},{90 + i},TGT,2.{i}" for i in range(9)]
    with pytest.raises(DataError, match=r"row 1 holds results \('eng1', 'sys0', .*header with names is missing"):
        read(tmp_path, "\n".join([*lines, lines[0]]), "scores.csv")
    parts = "iris,acc,auc\na,1,2\nb,3,4\nwine,acc,auc\na,5,6\n"
    read(tmp_path, parts, "scores.csv")
    pd.DataFrame([line.split(",") for line in parts.split()]).to_excel(tmp_path / "t.xlsx", header=False, index=False)
    for name in ("scores.csv", "t.xlsx"):  # a header with a name of its own above each part
        told = gx.read_results(tmp_path / name)[["name", "section", "acc"]].astype(str).to_numpy().tolist()
        assert told == [["a", "iris", "1"], ["b", "iris", "3"], ["a", "wine", "5"]]
    corner = read(tmp_path, "dataset/model,svm,knn\niris,1,2\nwine,3,4\n", "corner.csv")
    assert guess_roles(corner, TableRoles()).roles.over == ("dataset",)
    frame = read(tmp_path, "\n".join(["login,system,score,kind,time", *lines]), "scores.csv")
    assert list(frame) == ["login", "system", "score", "kind", "time"]


def test_two_measures_of_several_files_are_no_matrix(tmp_path):
    for name in ("one", "two", "three"):
        rows = [f"text {i},{(i * len(name)) % 5},{(i + len(name)) % 11}" for i in range(12)]
        read(tmp_path, "\n".join(["words,plain score,weighted score", *rows]), f"{name}.csv")
    made = guess_roles(gx.read_results(tmp_path), TableRoles())
    assert (made.roles.alternatives, made.roles.over, made.roles.wide) == (("file",), ("words",), False)
    assert any("'weighted score' could be, too" in doubt for doubt in made.doubts)


def test_measures_of_other_data_in_each_file_are_kept(tmp_path):
    for name, data in (("dev", ["a", "b", "DROP"]), ("test", [*"def"])):
        rows = [{"team": team, "created": 1571197652 + len(team)} for team in ("ant", "bear", "eagle", "hyena")]
        rows = [row | {f"{d}_{m}": 0.5 + i / 9 for d in data for m in ("f1", "em")} for i, row in enumerate(rows)]
        read(tmp_path, json.dumps({"leaderboard": rows}), f"{name}.json")
    made = guess_roles(found := gx.read_results(tmp_path), TableRoles())
    assert (
        len(found) == 8
        and found["a_f1"].isna().sum() == 4 == found["d_em"].isna().sum() == found["DROP_f1"].isna().sum()
    )
    assert (
        made.roles.wide
        and made.roles.alternatives == ("team",)
        and any("--target '*_f1'?" in doubt for doubt in made.doubts)
    )


def test_objects_in_each_of_many_objects_are_rows_with_two_keys_and_p_values_are_no_scores(tmp_path):
    one = {"n": 9, "corr": {"pearson": 0.5, "kendall": 0.25}, "p_value": {"pearson": 0.01, "kendall": 0.02}}
    for name, n in (("cola", 12), ("qags", 1)):
        body = {judge: {f"part {i}": one for i in range(n)} for judge in ("ant", "bee", "cat")}
        read(tmp_path, json.dumps(body), f"{name}.json")
    made = guess_roles(found := gx.read_results(tmp_path), TableRoles())
    assert len(found) == 39 and {"key 1", "key 2"} < {*found} and not made.roles.wide
    assert not any("p_value" in name for name in (*made.roles.target, *(c.name for c in made.rivals)))


def test_a_frame_with_two_rows_of_names_as_pandas_writes_it_has_columns_of_these(tmp_path):
    columns = pd.MultiIndex.from_product([["MLP", "CNN"], ["1", "2", "mean", "std"]], names=["model", "train"])
    index = pd.MultiIndex.from_product([["Chart", "Lang"], [2, 3]], names=["program", "version"])
    pd.DataFrame(0.5, index, columns).to_csv(tmp_path / "raw.csv", sep=";")
    found = gx.read_results(tmp_path / "raw.csv")
    assert [*found] == ["program", "version", "model", "train", "value"] and len(found) == 32
    assert "became columns 'model', 'train'" in found.attrs["read_as"]
    assert guess_roles(found, TableRoles()).roles.fixed == ("train=mean",)


def test_folders_of_different_depth_are_columns_counted_from_the_end_and_shares_are_numbers(tmp_path):
    for data, judge, prompt in itertools.product(("Natural", "Hard/Near", "Hard/Far"), ("ant", "bee"), ("CoT", "Swap")):
        (folder := tmp_path / "all" / data / "evaluators" / judge / prompt).mkdir(parents=True)
        body = {"correct": f"{len(judge)} / 8 = {len(judge) / 0.08}%", "both": "77.0%", "kappa": len(data) / 9}
        (folder / "statistics.json").write_text(json.dumps(body))
    found = gx.read_results(tmp_path / "all")
    levels = [{*found[f"folder {i}"]} for i in (1, 2, 3)]
    assert levels == [{"Natural", "Hard/Near", "Hard/Far"}, {"ant", "bee"}, {"CoT", "Swap"}]
    assert {*found["correct"]} == {37.5} and {*found["both"]} == {77.0}


def test_json_in_a_script_and_names_in_three_rows_of_html_are_read(tmp_path):
    rows = [
        {"system": name, "seconds": i, "tries": [[1, None], [2, 3]], "set": [7, [1, 2]]} for i, name in enumerate("abc")
    ]
    found = read(tmp_path, f"const data = {json.dumps(rows)};\n", "data.js")
    assert found["seconds"].tolist() == [0, 1, 2] and found.attrs["read_as"].count("its numbers the scores") == 1
    head = "<tr><th rowspan=3>Model<th colspan=2>MP</tr><tr><th>A<th>B</tr><tr><th>8<th>2</tr>"
    body = "".join(f"<tr><td>m{i}</td><td>0.{i}</td><td>0.5</td></tr>" for i in range(1, 5))
    found = read(tmp_path, f"<table><thead>{head}</thead><tbody>{body}</tbody></table>", "page.html")
    assert [*found] == ["Model", "MP A 8", "MP B 2"] and len(found) == 4


def test_votes_without_a_pair_say_what_they_need():
    frame = pd.DataFrame({"worker": [*"abcdef"], "aspect": ["x", "y"] * 3, "winner": ["p", "q", "tie"] * 2})
    problem = guess_roles(frame, TableRoles()).problem
    assert "If 'winner' says who won: genexpy_nb.fields.preferences(results, " in problem


@pytest.mark.parametrize(("one", "two"), [("white_model", "black_model"), ("home", "guest")])
def test_games_are_votes_and_their_moves_are_no_rows(tmp_path, one, two):
    games = [{"id": i, one: "xy"[i % 2], two: "yx"[i % 2], "winner": ["x", "y", None][i % 3]} for i in range(9)]
    moves = [{"color": "white", "move": "e4"}, {"color": "black", "move": "e5"}]
    frame = read(tmp_path, json.dumps({"games": [{**game, "moves": moves} for game in games]}), "games.json")
    assert len(frame) == 9 and "each object with a list 'moves' is a row" in frame.attrs["read_as"]
    assert f"preferences(results, {one!r}, {two!r}, 'winner')" in guess_roles(frame, TableRoles()).problem


@pytest.mark.parametrize("mark", [",", " vs "])
def test_a_pair_in_one_column_is_split(mark):
    pairs = [("x", "y"), ("y", "z"), ("x", "z")] * 4
    frame = pd.DataFrame({"options": [mark.join(pair) for pair in pairs], "overall": ["x", "same", "z"] * 4})
    assert votes_of(frame).rows[["a", "b"]].to_numpy().tolist() == [*map(list, pairs)]
    frame = frame.assign(options=["_vs_".join(pair) for pair in pairs], overall=["agent1", "draw", "agent2"] * 4)
    problem = guess_roles(frame, TableRoles()).problem
    assert "preferences(genexpy_nb.datasets.votes.votes_of(results).rows, 'a', 'b', 'overall')" in problem


def test_tasks_with_measures_of_their_own_in_brackets_are_experiments():
    names = ["CoLA (mcc)", "SST-2 (acc)", "MRPC (F1)", "STS-B (spearman)"]
    frame = pd.DataFrame({"model": [*"abc"], **{name: [0.5 + i / 9, 0.7, 0.6 + i / 8] for i, name in enumerate(names)}})
    made = guess_roles(frame, TableRoles())
    assert made.roles.wide and made.roles.alternatives == ("model",) and made.roles.without == ()
    measures = frame.rename(columns=dict(zip(names, ["acc", "f1 (macro)", "mcc", "auc"], strict=True)))
    assert not guess_roles(measures, TableRoles()).roles.wide


def test_runs_in_models_and_lists_of_scores_are_rows(tmp_path):
    rng = np.random.default_rng(0)
    runs = [{"seed": i, "items": [{"item": f"i{j}", "s": {"acc": rng.random()}} for j in range(9)]} for i in (1, 2)]
    nested = read(tmp_path, json.dumps({"results": [{"model": m, "runs": runs} for m in "abc"]}), "nested.json")
    roles = guess_roles(nested, TableRoles()).roles
    assert (roles.alternatives, roles.over, roles.average) == (("model",), ("runs.items.item",), ("runs.seed",))
    rows = [(m, d, rng.random(3).round(2).tolist()) for m in "abc" for d in "vwxyz"]
    lists = read(tmp_path, [dict(zip(("model", "data", "acc"), row, strict=True)) for row in rows], "l.json")
    cells = read(tmp_path, "model;data;acc\n" + "\n".join(f"{m};{d};{acc}" for m, d, acc in rows), "cells.csv")
    pd.testing.assert_frame_equal(lists, cells)
    made = guess_roles(cells, TableRoles())
    assert made.roles.average == ("run",) and any(doubt.endswith("are they repetitions?") for doubt in made.doubts)
    assert "run" not in read(tmp_path, 'model,acc,ci\na,0.5,"[0.4, 0.6]"\nb,0.6,"[0.5, 0.7]"\n', "ci.csv")


def test_names_of_files_that_are_all_pairs_are_two_columns(tmp_path):
    for name in [f"{m}-{d}_seed{i}" for m in ("random_forest", "svm", "mlp") for d in "vwxyz" for i in (1, 2)]:
        (tmp_path / f"{name}.json").write_text(json.dumps({"accuracy": len(name) / 99, "f1": 0.5}))
    frame = gx.read_results(tmp_path)
    assert list(frame) == ["method", "file 2", "seed", "accuracy", "f1"] and frame["file 2"].nunique() == 5
    roles = guess_roles(frame, TableRoles()).roles
    assert (roles.alternatives, roles.over, roles.average) == (("method",), ("file 2",), ("seed",))


def test_sentences_may_name_the_better_one():
    first, second = pd.Series(["gpt-4", "llama"] * 4), pd.Series(["gpt-4o", "gpt-4"] * 4)
    said = ["Model A is better", "B wins", "It is a tie", "A is better than B", "gpt-4o is better than gpt-4"]
    said = pd.Series([*said, "I prefer llama", "not gpt-4", "gpt-4 wins over llama"])
    assert won_by_first(said, first, second).fillna(-1).tolist() == [1, 0, 0.5, 1, 0, 1, -1, 0]


def test_parts_of_the_data_totals_costs_and_words_of_other_languages():
    names = [f"{task} {part} acc" for task in ("A", "B", "C") for part in ("dev", "test")]
    frame = pd.DataFrame({"model": [*"pqrs"], **{n: [0.5, 0.6, 0.55, 0.7 + i / 50] for i, n in enumerate(names)}})
    assert guess_roles(frame, TableRoles()).roles.without == ("A dev acc", "B dev acc", "C dev acc")
    costs = [f"{system}-{cost}" for system in ("base", "new", "own") for cost in ("memory", "time")]
    frame = pd.DataFrame({"instance": [*"pqrs"], **{n: [5.5, 6, 5, 7 + i / 5] for i, n in enumerate(costs)}})
    assert guess_roles(frame, TableRoles()).roles.without == ("base-memory", "new-memory", "own-memory")
    other = pd.DataFrame({"modelo": [*"ab"] * 4, "conjunto": [*"vvwwxxyy"], "acurácia": [i / 9 for i in range(8)]})
    assert guess_roles(other, TableRoles()).sure


def test_totals_identifiers_pairs_in_cells_and_what_is_beside_a_model():
    frame = pd.DataFrame({"model": [*"pqrs"], "OPT": [4, 3, 2, 5.5], "FA": [3.5, 4, 1, 5], "CC": [2, 5, 1.5, 4]})
    total = frame.assign(Score=[19.5, 22, 14, 24])
    assert guess_roles(total, TableRoles()).roles.without == ("Score",)
    asked = [(m, p) for m in "ab" for p in [*range(40), *(f"erp_{i}" for i in range(9))] for _ in range(12)]
    asked = pd.DataFrame(asked, columns=["model", "prompt"]).assign(success=[i % 3 == 0 for i in range(len(asked))])
    assert guess_roles(asked, TableRoles()).roles.over == ("prompt",)
    cells = Cells(["model", "SQuAD EM/F1"], [["a", "b"], ["80.1/85.2", "79.0/84.5"]], [2, 3])
    assert parted_cells(cells)[0].header == ["model", "SQuAD (EM)", "SQuAD (F1)"]
    moves = [Column(name, "text", 3, 0, ("a",)) for name in ("model_move", "model_name")]
    assert [column.name for column in may_be_compared(moves)] == ["model_name"]
    tried = [(m, i, f"q{i}", i / 7) for m in "ab" for i in range(6)]
    tried = pd.DataFrame(tried, columns=["m", "trial_idx", "q", "acc"])
    for frame, n in ((tried, 0), (tried.drop(columns="q"), 1)):
        with warnings.catch_warnings(record=True):
            study = gx.Study(frame, alternatives="m", target="acc", generalize_over="trial_idx")
        assert sum("sounds like repetitions" in text for text in study.warnings) == n


def test_names_of_files_with_a_gap_are_parted():
    called = [f"{a}_dev_{b}" for a in ("maya", "ute", "hopi") for b in ("big_gpt", "small_gpt", "big_own", "tiny")]
    assert [len({*part}) for _, part in parts_of(called[1:])] == [3, 4]


def test_what_stands_beside_the_rows_of_json_files_says_which_model_it_is(tmp_path):
    rows = [{"name": f"q{i}", "right": i % 2 == 0} for i in range(4)]
    for model in ("ant", "bee"):
        head = {"model": model, "prompt": "long " * 99, "seed": 3, "tokens": 900}
        read(tmp_path, json.dumps({"header": head, "questions": rows}), f"{model}.json")
    frame = gx.read_results(tmp_path)
    assert {*frame} == {"file", "header.model", "header.seed", "name", "right"} and len(frame) == 8


def test_one_number_in_a_file_for_each_run_is_a_score(tmp_path):
    for method, run, data in itertools.product(("svm", "knn"), range(3), ("iris", "wine", "zoo", "abalone")):
        (folder := tmp_path / method / f"run_{run}" / data).mkdir(parents=True)
        read(folder, f"accuracy\n0.{len(data)}{run}\n", "metric.csv")
    made = guess_roles(gx.read_results(tmp_path), TableRoles())
    assert (made.roles.over, made.roles.average, made.roles.target) == (("folder 3",), ("run",), ("accuracy",))


def test_of_curves_in_folders_the_last_row_is_taken_and_seeds_are_repetitions(tmp_path):
    for method, game, seed in itertools.product(("sac", "td3"), ("ant", "hopper", "walker"), range(20, 23)):
        (folder := tmp_path / method / f"{method}-{game}" / f"{method}-{game}_s{seed}").mkdir(parents=True)
        rows = [f"{9 * k + seed}\t{k * 1000}\n" for k in range(1, 30 + seed)]
        (folder / "progress.txt").write_text("".join(["AverageTestEpRet\tTotalEnvInteracts\n", *rows]))
    made = guess_roles(gx.read_results(tmp_path), TableRoles())
    assert (made.roles.over, made.roles.average, made.roles.target) == (("folder 2",), ("seed",), ("AverageTestEpRet",))
    assert len(made.frame) == 18 and {*made.frame["AverageTestEpRet"]} == {461, 471, 481}
    assert any("steps of a curve" in doubt for doubt in made.doubts)


def test_curves_without_a_header_and_tables_of_steps_that_end_at_others_are_read_by_their_ends(tmp_path):
    for method, game, seed in itertools.product(("sac", "td3"), ("ant", "hopper"), range(3)):
        (folder := tmp_path / "bare" / method / game).mkdir(parents=True, exist_ok=True)
        (folder / f"{seed}.txt").write_text("".join(f"{k * 500} {k}.5\n" for k in range(1, 30)))
        (folder := tmp_path / "named" / method / game).mkdir(parents=True, exist_ok=True)
        rows = "".join(f"{k * 500},{k}.5\n" for k in range(1, 30 + seed))
        (folder / f"{seed}.csv").write_text(f"step,reward\n{rows}")
    assert {*gx.read_results(tmp_path / "bare")["score"]} == {29.5}
    assert {*gx.read_results(tmp_path / "named")["reward"]} == {29.5, 30.5, 31.5}


def test_settings_that_only_some_files_have_make_experiments_and_one_unit_is_taken(tmp_path):
    for vm, parameter in itertools.product(("one", "two"), ("size", "mode", "")):
        (tmp_path / vm).mkdir(exist_ok=True)
        rows = [f"{parameter}_{k},{k + len(vm)}.5,{'ns/op' if k < 3 else 'ops/s'}" for k in range(4)]
        rows = [f"{row},{level}" for row in rows for level in (1, 2)] if parameter else rows
        header = f"Benchmark,Score,Unit,{parameter}".rstrip(",")
        read(tmp_path / vm, "\n".join([header, *rows]), f"{parameter or 'plain'}.csv")
    made = guess_roles(gx.read_results(tmp_path), TableRoles())
    assert "file settings" in made.roles.over and made.roles.fixed == ("Unit=ns/op",) and not made.sure
    assert {*made.frame["file settings"]} == {"size=1", "size=2", "mode=1", "mode=2", "none"}


def test_scores_below_one_key_of_json_are_the_matrix(tmp_path):
    def scores(i):
        return {f"{task}_{metric}": i + k for k, task in enumerate("pqr") for metric in ("f1", "em")}

    rows = [{"job": {"time": 3.5 * i}, "scores": scores(i), "submission": {"by": f"team {i}"}} for i in range(6)]
    frame = read(tmp_path, json.dumps({"board": rows, "updated": "now"}), "board.json")
    made = guess_roles(frame, TableRoles())
    assert made.roles.wide and made.roles.alternatives == ("submission.by",) and made.roles.higher_is_better == "higher"
    assert [c.name for c in made.free() if c.kind != "text"] == ["scores.p_f1", "scores.q_f1", "scores.r_f1"]


def test_a_reference_beside_a_score_numbers_of_runs_and_ragged_rows(tmp_path):
    rows = [
        f"{a},g{g},{s},{30 + g + s * (a == 'z')}.5 ± 2 (n=10),{1 + (a == 'x')}{g}.{s}{i % 9} ± 1 (n=9)"
        for i, (a, g, s) in enumerate(itertools.product("xyz", range(5), (1, 2)))
    ]
    frame = read(tmp_path, "\n".join(["algo,env,seed,expert_return,imit_return", *rows]), "runs.csv")
    assert guess_roles(frame, TableRoles()).roles.target == ("imit_return",)
    page = "|Approach|P|Q\n|--|--|--\n|a|0.1|0.2|-|\n|b|0.3|-\n|c|0.5|0.4|\n"
    assert read(tmp_path, page, "page.md").shape == (3, 3)


def test_numbered_data_sets_are_the_rows_and_a_sheet_of_all_is_not_read_twice(tmp_path):
    frame = pd.DataFrame({"Dataset": range(1, 9), "EDA": np.arange(8) / 9, "PSO": np.arange(8) / 8})
    assert guess_roles(frame, TableRoles()).roles.over == ("Dataset",)
    parts = {name: frame.assign(team=name, EDA=frame["EDA"] + i) for i, name in enumerate(("EN", "ES"))}
    with pd.ExcelWriter(tmp_path / "t.xlsx") as file:
        for name, part in (*parts.items(), ("all", pd.concat(parts.values(), ignore_index=True))):
            part.to_excel(file, sheet_name=name, index=name == "all")
    with pytest.raises(gx.errors.DataError, match=r"sheet='EN / ES'$"):
        gx.read_results(tmp_path / "t.xlsx")


def test_curves_in_folders_end_markdown_in_cells_is_no_table_and_coloured_numbers_stay(tmp_path):
    for name in "ab":
        rows = [{"task": t, "method": name, "xs": [0, 10, 20], "ys": [0.5, 0.1, i + 0.3]} for i, t in enumerate("xyz")]
        (tmp_path / f"{name}.json.gz").write_bytes(gzip.compress(json.dumps(rows).encode()))
    results = gx.read_results(tmp_path)
    assert results["ys"].tolist() == 2 * [0.3, 1.3, 2.3] and "xs" not in results and len(results) == 6
    text = "model,answer,score\n" + "".join(f'{m},"see\n|p|q|\n|-|-|\n|{m}|1|\n",0.{i}\n' for i, m in enumerate("abc"))
    (tmp_path / "answers.csv").write_text(text)
    assert gx.read_results(tmp_path / "answers.csv")["score"].tolist() == [0.0, 0.1, 0.2]
    cells = ["a & 1 & 2", r"b & \textcolor{red}{\textbf{0.5}} & 3", r"c & \colorbox[HTML]{FF0000}{7} & \color{red}{4}"]
    cells += [r"d & 0.7 & \ding{55}"]
    (tmp_path / "t.tex").write_text(r"\begin{tabular}{lll} & x & y\\" + r"\\".join(cells) + r"\end{tabular}")
    assert gx.read_results(tmp_path / "t.tex")[["x", "y"]][:3].to_numpy().tolist() == [[1, 2], [0.5, 3], [7, 4]]
    assert gx.read_results(tmp_path / "t.tex")["y"].isna().tolist() == [False, False, False, True]


@pytest.mark.parametrize("before", ["a\rb\n\n", '"' + 140_000 * "x" + "\n\n"])
def test_a_page_that_is_no_csv_is_read_as_markdown(tmp_path, before):
    page = f"{before}| model | accuracy |\n|---|---|\n| ant | 0.5 |\n| bee | 0.6 |\n"
    assert read(tmp_path, page, "page.md").shape == (2, 2)


def test_rankings_of_three_in_a_row_are_votes_for_the_lower_rank():
    names, ranks = {f"sys{i}Id": [n, n] for i, n in enumerate("abc")}, {"sys0rank": [1, 2], "sys1rank": [2, 2]}
    votes = votes_of(pd.DataFrame({"judge": ["p", "q"], **names, **ranks, "sys2rank": [3, 1]}))
    found = votes.rows.groupby(["a", "b"])[votes.winners[0]].apply(list).to_dict()
    assert found == {("a", "b"): [1, 0.5], ("a", "c"): [1, 0], ("b", "c"): [1, 0]} and "judge" in votes.rows


def test_keys_below_several_measures_are_rows_and_a_refusal_says_what_a_file_holds(tmp_path):
    own = {m: {f"O{k}": (7 * k * k + 3 * i + 1) % 13 / 13 for k in range(3)} for i, m in enumerate("abc")}
    runs = {m: {"run_rate": own[m], "build_rate": {key: 1 - rate / 2 for key, rate in own[m].items()}} for m in own}
    body = [{"model": m, "total_rate": 0.5, "num_run": {"O0": 1, "O1": 2, "O2": 3}, **runs[m]} for m in runs]
    frame = read(tmp_path, "\n".join(map(json.dumps, body)), "rates.jsonl")
    assert {*frame} == {"model", "key", "run_rate", "build_rate", "num_run"} and len(frame) == 9
    assert frame["build_rate"].tolist() == [rate for each in runs.values() for rate in each["build_rate"].values()]
    parts = [{"model": m, "train": {"loss": 0.1, "auc": 0.2}, "test": {"loss": 0.3, "auc": 0.4}} for m in "abc"]
    assert "test.auc" in read(tmp_path, "\n".join(map(json.dumps, parts)), "parts.jsonl")
    many = [{"model": m, **{f"d{i}": {"x": i, "in": {"y": 1}} for i in range(800)}} for m in "abc"]
    refused = {
        "a.jsonl": ('<<<<<<< HEAD\n{"a": 1}\n=======\n{"a": 2}\n>>>>>>> main\n', "rows 1, 5 are marks of Git"),
        "b.md": ("---\nlayout: results\ndivision: QF\nparallel:\n- name: x\n---\n", "this is YAML: if there is"),
        "c.json": (json.dumps(many), "a row for each method and data set"),
    }
    for name, (text, said) in refused.items():
        with pytest.raises(DataError, match=said):
            read(tmp_path, text, name)


def test_yaml_is_read_as_the_same_objects_in_json(tmp_path):
    rows = [{"m": m, "day": "2024-01-02", "id": "007", "on": "no", "s": {"acc": i / 4}} for i, m in enumerate("abc")]
    lines = [f"- m: {m}\n  day: 2024-01-02\n  id: 007\n  on: no\n  s: {{acc: {i / 4}}}\n" for i, m in enumerate("abc")]
    frame = read(tmp_path, "# ours\n" + "".join(lines), "board.yml")
    pd.testing.assert_frame_equal(frame, read(tmp_path, rows, "board.json"))
    few = "---\n- {m: a, c: &c {lr: 1e-1}, s: '1', t: .inf}\n- {m: b, c: *c, s: x, s: y, t: true}\n---\n"
    frame = [read(tmp_path, few, f"of/{name}.yaml") for name in "pq"][1]
    assert frame.to_numpy().tolist() == [["a", 0.1, "1", np.inf], ["b", 0.1, "y", True]]
    assert len(gx.read_results(tmp_path / "of")) == 4
    bomb = "a: &a [x]\n" + "".join(f"{n}: &{n} [{', '.join(9 * [f'*{chr(ord(n) - 1)}'])}]\n" for n in "bcdefghij")
    wrong = {"- {m: a\n- b": "row 3, character 1: did not find", bomb: "row 2, .* more than 5", "[" * 3000: "recursion"}
    wrong |= {"- m: &a [*a]": "unknown", "- 200000\n" * 10**6: "bytes of YAML", "x": "no row"}
    for text, said in wrong.items():
        with pytest.raises(DataError, match=said):
            read(tmp_path, text, "wrong.yml")


def test_many_json_files_of_the_same_keys_are_read_as_one_by_one_would_be(tmp_path):
    """Each is a row, also one with other settings; lists of several numbers are not taken for lists of one."""
    for i, (m, d) in enumerate(itertools.product(["mlp", "gbdt"], ["iris", "wine", "adult"])):
        config = {"lr": 0.1, "layers": [8] * (i + 1), "wd": 0, "bs": 1} if m == "mlp" else {"depth": i}
        body = {"config": config, "test": {"accuracy": i / 10, "auc": None if d == "wine" else 0.5}, "epochs": 3}
        (tmp_path / m).mkdir(exist_ok=True)
        (tmp_path / m / f"{d}.json").write_text(json.dumps(body))
    frame = gx.read_results(tmp_path)
    assert frame[["folder", "file"]].agg("/".join, axis=1).tolist()[:4] == [
        "gbdt/adult",
        "gbdt/iris",
        "gbdt/wine",
        "mlp/adult",
    ]
    assert frame["test.accuracy"].tolist() == [0.5, 0.3, 0.4, 0.2, 0.0, 0.1] and frame["test.auc"].isna().sum() == 2
    assert "'config.lr'" in frame.attrs["read_as"] and "left out: " not in frame.attrs["read_as"].split(";")[0]


def test_keys_of_which_some_have_no_rows_are_left_out_and_are_tasks_where_a_list_names_what_is_compared(tmp_path):
    lists = {f"t{i}": [{"model_name": m, "speedup": i / 7} for m in "abc"[: i % 4]] for i in range(9)}
    frame = read(tmp_path, lists, "lists.json")
    assert frame["task"].nunique() == 6 and len(frame) == 12
    assert "3 keys with empty lists were left out: 't0', 't4', 't8'" in frame.attrs["read_as"]
    runs = {m: [{"data": d, "acc": 0.5} for d in "xy"] for m in ("a", "b", "c")}
    assert [*read(tmp_path, runs, "runs.json")] == ["name", "data", "acc"]


def test_of_an_object_that_holds_a_table_somewhere_the_largest_part_with_rows_is_read(tmp_path):
    for model, lead in (("ant", 0.2), ("bee", 0.0)):
        scores = {f"q{i}": {"answer": "x" * 200, "first_score": lead + i / 100} for i in range(60)}
        scores["q7"] = {"answer": "", "first_score": None}
        about = {"meta": {"model": model, "engine": {"name": "fast"}}, "total": 3.5}
        (tmp_path / f"{model}.json").write_text(json.dumps({"run": {**about, "raw": {"1": {"items": scores}}}}))
    frame = gx.read_results(tmp_path)
    assert len(frame) == 120 and frame["first_score"].isna().sum() == 2 and {*frame["run.meta.model"]} == {"ant", "bee"}
    assert "what is in 'run.raw.1.items' was read" in frame.attrs["read_as"]
    roles = guess_roles(frame, TableRoles()).roles
    assert (roles.alternatives, roles.over, roles.target) == (("run.meta.model",), ("key",), ("first_score",))


def test_numbers_of_different_sizes_in_lists_are_measures_and_files_of_spreads_are_left_out(tmp_path):
    for name, scale in (("short_results", 1), ("long_results", 2), ("short_errors", 1), ("long_std", 1), ("lsd", 1)):
        lists = {model: [scale + i, -70 * i, 0.01] for i, model in enumerate(("ant", "bee", "cat"), start=1)}
        (tmp_path / f"{name}.json").write_text(json.dumps({"chess": lists, "go": lists}))
    made = guess_roles(found := gx.read_results(tmp_path), TableRoles())
    assert {*found["file"]} == {"short_results", "long_results", "lsd"} and len(found) == 3 * 18
    assert made.roles.fixed == ("metric=position 1",) and not made.roles.average and not made.sure
    assert any("-210 to -70 at position 2" in doubt and doubt.endswith("?") for doubt in made.doubts)
    assert any("long_std.json, short_errors.json. Are they no scores?" in doubt for doubt in made.doubts)


def test_lists_of_runs_below_several_keys_are_rows_and_one_file_of_many_may_be_broken(tmp_path):
    games = {"chess": [1, 2], "go": [], "tetris": [30, 10, None]}
    body = {model: {"tools": games, "none": games | {"go": [5]}} for model in ("ant", "bee")}
    found = read(tmp_path, json.dumps(body), "runs.json")
    assert [*found] == ["key 1", "key 2", "key 3", "run", "value"] and len(found) == 2 * (5 + 6)
    (folder := tmp_path / "many").mkdir()
    for i in range(12):
        (folder / f"m{i}.csv").write_text(f"dataset,acc\na,0.{i}\nb,0.5\n")
    (folder / "m3.csv").write_text("dataset,acc\na,0.1\nb,0.2,7\n")
    found = gx.read_results(folder)
    assert len(found) == 22 and "files that cannot be read were left out: m3.csv, as " in found.attrs["read_as"]
    for i in range(11):
        (folder / f"m{i}.csv").write_text("dataset,acc\na,0.1\nb,0.2,7\n")
    with pytest.raises(gx.errors.DataError, match=r"row 3 has 3 cells.*; 11 of 12 files cannot be read") as error:
        gx.read_results(folder)
    assert error.value.readings == [{"results": str(folder / "m11.csv")}]


def test_texts_with_a_number_in_a_line_are_rows_and_their_folders_say_what_of(tmp_path):
    for data, model, run in itertools.product(("hau", "ibo", "lug"), ("ant", "bee"), (1, 2)):
        (folder := tmp_path / f"{data}_{model}").mkdir(exist_ok=True)
        text = f"f1 = 0.{run}{len(model)}\nloss: 1e-{run}\nreport =   precision\n  LOC  0.7\n"
        (folder / f"test_result{run}.txt").write_text(text)
    made = guess_roles(gx.read_results(tmp_path), TableRoles())
    assert len(made.frame) == 12 and {"f1", "loss"} <= {*made.frame} and made.roles.average == ("file",)
    assert {made.roles.alternatives, made.roles.over} == {("folder 1",), ("folder 2",)} and not made.sure
    for text in tmp_path.rglob("*.txt"):
        text.write_text("f1 = 0.1\nf1 = 0.2\n")  # which one is not said
    with pytest.raises(gx.errors.DataError, match="no results that are known here"):
        gx.read_results(tmp_path)


def test_of_pages_with_several_tables_a_heading_takes_one_of_each(tmp_path):
    table = "| model | score |\n|-|-|\n| a | 0.5 |\n| b | 0.{} |\n| c | 0.25 |\n"
    for i, game in enumerate(["chess", "go", "hex"]):
        parts = [f"## {part}\n\n{table.format(i)}\n" for part in ("Slow", "Fast")[: 1 + (game != "go")]]
        (tmp_path / f"{game}.md").write_text(f"Of {game}.\n" * i + "\n".join(parts))
    with pytest.raises(gx.errors.DataError, match="2 of 3 files hold several tables") as error:
        gx.read_results(tmp_path)
    assert error.value.readings == [{"sheet": "Slow"}, {"sheet": "Fast"}]
    found = gx.read_results(tmp_path, sheet="fast")
    assert found["file"].unique().tolist() == ["chess", "hex"] and found["score"].tolist()[1::3] == [0.0, 0.2]
    assert "left out: go.md" in found.attrs["read_as"]


def test_titles_in_a_log_say_what_the_numbers_below_are_of_and_what_holds_all_rows_is_not_read_twice(tmp_path):
    def log(team, runs):
        each = "--[ run{0} ]--\n> {1} \n  hits = {0}9\n  f1 ~ 0.{0}{2}{3}\n"
        parts = [each.format(r, d, len(team), i) for r in runs for i, d in enumerate("xyz")]
        return f"=====\n:: {team} ::\n=====\nDone in 3 s.\n{''.join(parts)}"

    teams = {"ant": [1, 2, 3], "beetle": [2], "cricket": [1, 2]}
    for team, runs in teams.items():
        (tmp_path / team).mkdir()
        (tmp_path / team / "scores.log").write_text(log(team, runs))
    (tmp_path / "all.log").write_text("".join(log(*each) for each in teams.items()))
    frame = gx.read_results(tmp_path / "all.log")
    assert [*frame] == ["section 1", "run", "section 3", "hits", "f1"] and len(frame) == 18
    assert frame.iloc[-1].tolist() == ["cricket", "run2", "z", 29.0, 0.272]
    found = gx.read_results(tmp_path)
    assert len(found) == 18 and "left out: all.log, which holds the rows of all others" in found.attrs["read_as"]
    (tmp_path / "all.log").write_text("acc = 0.5\nacc = 0.6\n")  # steps, perhaps
    with pytest.raises(DataError):
        gx.read_results(tmp_path / "all.log")


@pytest.mark.parametrize(
    "text",
    [
        "+--+--+--+\n| m | u | v |\n+==+==+==+\n| a | 1 | 2 |\n+--+--+--+\n| b | 3 | 4.5 |\n+--+--+--+\nDone",
        " m | u | v\n---+---+-----\n a | 1 | 2\n b | 3 | 4.5\n(2 rows)",
        "┏━━━┳━━━┳━━━━━┓\n┃ m ┃ u ┃ v   ┃\n┡━━━╇━━━╇━━━━━┩\n│ a │ 1 │ 2   │\n│ b │ 3 │ 4.5 │\n└───┴───┴─────┘",
        '= Run\n\n[options="header"]\n|===\n|m |u |v\n\n|a\n|1\n|2\n|b |3 |4.5\n|===\n',
        "m,u,v\na 1 2\nb  3  4.5\n",
        "m  u v\na\t1\t2\nb\t3\t4.5\n",
    ],
)
def test_drawn_tables_and_names_that_are_separated_otherwise(tmp_path, text):
    frame = read(tmp_path, text, "t.txt")
    assert [*frame] == ["m", "u", "v"] and frame.to_numpy().tolist() == [["a", 1, 2], ["b", 3, 4.5]]


def test_games_of_a_few_of_many_players_are_votes(tmp_path):
    names = [f"bot-{i}" for i in range(8)] + ["bot-8.5"]
    games = [[names[(i * k + k) % 9] for k in (1, 2, 4)] for i in range(1, 60) if i % 3]
    games = [each for each in games if len({*each}) == 3] + [names[:3], names[3:6], names[6:]] * 2
    lines = [{"id": i, "points": dict.fromkeys(each, 0.0) | {max(each): 1.0}} for i, each in enumerate(games)]
    for line in lines:
        line["places"] = {name: 3 - line["points"][name] for name in line["points"]}
    votes = votes_of(read(tmp_path, "\n".join(map(json.dumps, lines)), "games.jsonl"))
    assert votes.winners == ["points"] and votes.sure and len(votes.rows) == 3 * len(games)
    shares = {(a, b): won for a, b, won in votes.rows[["a", "b", "points"]].to_numpy().tolist()}
    assert shares["bot-0", "bot-2"] == 0 and shares["bot-0", "bot-1"] == 0.5
    assert votes.rows.groupby("row or game").size().eq(3).all()
    few = pd.DataFrame(
        [(f"t{i}", m, i % 5) for i, each in enumerate(games) for m in each], columns=["task", "model", "score"]
    )
    assert votes_of(few) is not None
    assert votes_of(few.assign(prompt=[*"ab"] * (len(few) // 2) + ["c"] * (len(few) % 2))) is None
    whole = pd.DataFrame([(t, m, (t * m) % 7) for t in range(30) for m in range(4)], columns=["task", "model", "score"])
    assert votes_of(whole.astype({"task": str, "model": str})) is None  # all have all tasks


def test_of_files_with_other_keys_inside_one_table_is_made_and_what_a_larger_file_repeats_is_there_once(tmp_path):
    for model in ("ant", "bee"):
        trials = [{"task_id": f"t{i}", "trial_name": f"t{i}.{model}", "is_resolved": i % 2 == 0} for i in range(6)]
        tests = [{f"test_{model}_{i}_{k}": "passed" for k in range(20)} for i in range(6)]
        trials = [{**trial, "tests": own} for trial, own in zip(trials, tests, strict=True)]
        for trial in trials:
            folder = tmp_path / "all" / model / "run" / trial["task_id"]
            folder.mkdir(parents=True)
            (folder / "results.json").write_text(json.dumps(trial))
        (tmp_path / "all" / model / "run" / "results.json").write_text(json.dumps({"n": 6, "results": trials}))
    frame = gx.read_results(tmp_path / "all")
    assert frame.groupby("folder").size().to_dict() == {"ant": 6, "bee": 6}
    assert "12 files with one row were left out" in frame.attrs["read_as"] and len(frame.attrs["read_as"]) < 1500
    roles = guess_roles(frame, TableRoles()).roles
    assert (roles.alternatives, roles.over, roles.target) == (("folder",), ("task_id",), ("is_resolved",))


def test_votes_on_two_that_the_names_of_files_say_are_read_with_two_scores_or_a_code(tmp_path):
    names = ["ant", "bee-7b", "cat"]
    for one, other in itertools.combinations(names, 2):
        (tmp_path / "scores").mkdir(exist_ok=True)
        (tmp_path / "codes").mkdir(exist_ok=True)
        rows = [{"question_id": q, "answer1_id": f"{one}{q}", "answer2_id": f"{other}{q}"} for q in range(1, 31)]
        said = [row | {"score": [5, 4 + q % 2]} for q, row in enumerate(rows)]
        (tmp_path / "scores" / f"review_{one}_{other}.jsonl").write_text("\n".join(map(json.dumps, said)))
        said = [row | {"score": 1 + q % 3} for q, row in enumerate(rows)]
        (tmp_path / "codes" / f"{one}-vs-{other}.jsonl").write_text("\n".join(map(json.dumps, said)))
    scored, coded = (votes_of(gx.read_results(tmp_path / kind)) for kind in ("scores", "codes"))
    assert scored.winners == ["won"] and {*scored.rows["a"]} | {*scored.rows["b"]} == {*names}
    assert scored.rows.groupby(["a", "b"])["won"].mean().tolist() == [0.75, 0.75, 0.75]
    assert coded.winners == ["score"] and {*coded.rows["a"]} | {*coded.rows["b"]} == {*names}


def test_escapes_and_medals_are_no_part_of_a_name_and_tables_that_stand_twice_are_offered_once(tmp_path):
    page = "## {0}\n\n| Model | {1}a\\(x\\) | b{2} |\n|---|---|---|\n| p | 0.{3}1 | 0.2 |\n"
    page += "| q | 0.3 | 0.4 |\n| r | 0.5 | 0.6 |\n\n"
    tables = [("One", "🥇", "", 1), ("Two", "", " 🥉", 2), ("Again", "", "", 1)]
    (tmp_path / "t.md").write_text("".join(page.format(*each) for each in tables))
    with pytest.raises(DataError, match=r"pass sheet='11 / 19'"):
        gx.read_results(tmp_path / "t.md")
    assert list(gx.read_results(tmp_path / "t.md", sheet="One")) == ["Model", "a(x)", "b"]


def test_a_first_name_that_differs_names_a_table_and_settings_are_not_joined_with_results(tmp_path):
    rows = "\n".join(f"| {name} | 0.{i}1 | 0.{i}2 |" for i, name in enumerate("uvwx"))
    page = "\n\n".join(f"| {learner}-learner | a | b |\n|-|-|-|\n{rows}" for learner in "TSXRZ")
    frame = read(tmp_path, f"# Results\n\n{page}\n", "learners.md")
    assert [*frame] == ["name", "a", "b", "section"] and frame["section"].nunique() == 5
    part = "## {}\n\n### Settings\n\n{}\n\n### Results\n\n{}\n\n"
    table, held = (
        f"| m | a | b |\n|-|-|-|\n{rows}",
        "| m | a | b |\n|-|-|-|\n| u | lr=0.1 | lr=0.2 |\n| v | lr=1 | lr=2 |",
    )
    with pytest.raises(DataError, match=r"pass sheet='12 / 30'") as error:
        read(tmp_path, part.format("iris", held, table) + part.format("wine", held, table.replace("0.", "0.5")), "s.md")
    assert "'iris: Results'" in str(error.value)
    shares = re.sub(r"0\.(\d+)", r"\1%", table)
    with pytest.raises(DataError, match="pass sheet='12 / 30'"):
        read(tmp_path, part.format("iris", held, shares) + part.format("wine", held, shares.replace("1", "5")), "p.md")


def levels(names):
    return {called or i: len({*part}) for i, (called, part) in enumerate(parts_of(names))}


def test_names_of_files_are_parted_at_key_words_at_runs_of_some_or_where_parts_are_fewest():
    games = ["cart-pole", "finger-turn_hard", "hopper", "walker-run"]
    runs = [f"exp_{a}_env_name_{g}_max_steps_{n}" for a, n in (("old", 10), ("new_v2", "20_reset_8")) for g in games]
    assert levels(runs) == {0: 2, "env_name": 4, "max_steps": 2}
    assert levels([f"topic_{t}_cycle_{i}" for i in range(1, 9) for t in "abc"[: 1 + i % 3]]) == {0: 3, "cycle": 8}
    some = [*(f"{m}-run{i}" for m in ("ppg", "ppo") for i in range(3)), "aux-1", "aux-2"]
    assert levels(some) == {"configuration": 4, "run": 4}
    some = [
        f"{m}-{chr(97 + i)}Game-v{i % 3}" for j, m in enumerate(("dqn", "a2c", "sac")) for i in range(20) if i % 5 != j
    ]
    assert levels(some) == {0: 3, 1: 20}
    # what says no more than the name, numbers of cases, and models of few makers are no parts
    cases = [f"{m}_{i}" for m in ("cup", "pan") for i in range(2 + (m == "pan"))]
    models = [f"{maker}-{model}" for maker, model in zip("aabbccdd", "stuvwxyz", strict=True)]
    for names in (cases, models, [f"log_id{i}_cv{i % 4}_x" for i in range(8)]):
        assert len(parts_of(names)) == 1


def test_a_folder_deeper_than_others_is_read_by_what_all_names_say(tmp_path):
    for method, budget in (("old", 5), ("new", 9)):
        for game in ("hop-a", "run_b", "fly"):
            folder = tmp_path / ("baselines" * (method == "old")) / f"exp_{method}_env_name_{game}_max_steps_{budget}"
            folder.mkdir(parents=True)
            for seed in range(2):
                (folder / f"{seed}.txt").write_text("".join(f"{10 * i} {i + seed}.5\n" for i in range(30)))
    frame = gx.read_results(tmp_path)
    assert {*frame} >= {"env_name", "max_steps", "seed", "score"} and frame["env_name"].nunique() == 3
    assert guess_roles(frame, TableRoles()).roles.over == ("env_name",)


def test_of_a_folder_of_curves_the_last_value_is_taken_and_of_episodes_the_mean_return(tmp_path):
    for method in ("ant", "bee"):
        for game in ("hop", "run", "fly"):
            for folder in ("curves", "episodes"):
                (tmp_path / folder / method).mkdir(parents=True, exist_ok=True)
            rows = "\n".join(map(str, [*np.linspace(0, 8, 40), 7.5]))
            (tmp_path / "curves" / method / f"{game}.csv").write_text(f"Return\n{rows}\n")
            rows = "".join(f"{i % 3},{50 + i},{i}.5\n" for i in range(30))
            (tmp_path / "episodes" / method / f"{game}.csv").write_text(f'#{{"t_start": 1}}\nr,l,t\n{rows}')
    ends, means = (gx.read_results(tmp_path / folder) for folder in ("curves", "episodes"))
    assert ends["Return"].tolist() == [7.5] * 6 and "the last one is taken: is it so?" in ends.attrs["read_as"]
    assert means["return"].tolist() == [1.0] * 6 and "'l', the length" in means.attrs["read_as"]
    assert not {"r", "l", "t"} & {*means}
    noise = "\n".join(map(str, np.random.default_rng(0).normal(size=40)))  # scores of items, rather
    (tmp_path / "items").mkdir()
    for name in ("ant", "bee"):
        (tmp_path / "items" / f"{name}.csv").write_text(f"Return\n{noise}\n")
    with pytest.raises(DataError, match="one column only"):
        gx.read_results(tmp_path / "items")


def test_of_json_files_whose_parts_share_no_measure_each_is_a_row_of_a_matrix(tmp_path):
    for i, model in enumerate(("ant-7b", "bee-7b", "cat-7b", "dog-7b")):
        (tmp_path / model).mkdir()
        sets = {"Sorting": {"u": {"macro_f1": 0.5}, "v": {"macro_f1": 0.6}}, "Pairs": {"w": {"spearman": 0.7 + i / 50}}}
        sets |= {"Groups": {"x": {"v_measure_score": 0.4 + i / 90}, "y": {"v_measure_score": 0.3}}}
        sets = {k: {d: {m: n + i / 99 for m, n in each.items()} for d, each in own.items()} for k, own in sets.items()}
        (tmp_path / model / "summary.json").write_text(json.dumps(sets))
    made = guess_roles(gx.read_results(tmp_path), TableRoles())
    assert made.roles.wide and made.roles.higher_is_better == "higher" and not made.roles.without
    assert len(made.frame) == 4 and {"Sorting.u.macro_f1", "Groups.y.v_measure_score"} <= {*made.frame}
