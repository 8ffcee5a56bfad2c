"""The command ``genexpy-nb study``: what is wrong is one sentence, exit code 2, and nothing is written."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from genexpy_nb.cli import main
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.fields import games, items, preferences
from genexpy_nb.own_study.page import StudyPage
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.study.study import MISSING_POLICIES, Study
from tests.agreement_asked import few_draws  # noqa: F401
from tests.made_up_results import crossed

ROLES = ["--alternatives", "model", "--target", "auc", "--higher-is-better", "--over", "dataset"]


def table(n_datasets=12, n_models=4, seed=0):
    """Scores of models on data sets, the first model best."""
    rng = np.random.default_rng(seed)
    names = [f"model {chr(97 + i)}" for i in range(n_models)]
    frame = crossed(dataset=[f"data {i}" for i in range(n_datasets)], model=names)
    frame["auc"] = 0.9 - 0.05 * frame["model"].str[-1].map(ord).sub(97) + rng.normal(0, 0.03, len(frame))
    frame["loss"] = 1 - frame["auc"]
    return frame


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")  # whatever terminal the tests run in
    table().to_csv("good.csv", index=False)
    return tmp_path


def raising(error):
    def raises(*_, **__):
        raise error

    return raises


def call(*arguments):
    return CliRunner().invoke(main, ["study", *map(str, arguments)])


def files(folder):
    return {str(path.relative_to(folder)): path.is_file() and path.read_bytes() for path in folder.rglob("*")}


def text(content):
    return lambda path: path.write_text(content, encoding="utf-8")


def changed(**columns):
    def write(path):
        frame = table()
        for name, change in columns.items():
            frame[name] = change(frame)
        frame.to_csv(path, index=False)

    return write


def with_cell(column, value):
    """Put a value into the sixth row below the header."""

    def write(path):
        frame = table().astype(object)
        frame.loc[5, column] = value
        frame.to_csv(path, index=False)

    return write


def excel(**sheets):
    def write(path):
        with pd.ExcelWriter(path) as book:
            for name, frame in sheets.items():
                frame.to_excel(book, sheet_name=name, index=False)

    return write


LINES = "dataset,model,auc\nx,a,0.5\nx,b,0.25\ny,a,0.75\ny,b,0.5\n"
VALUES = LINES.replace("auc", "value")
VOTES = "model_a,model_b,winner,prompt\nx,y,x,1\ny,z,z,1\nz,x,z,2\n"
MATRIX = "dataset,a,b\nx,0.5,0.25\ny,0.75,0.5\nz,0.5,0.75\n"
WIDE = ["--wide", "--over", "dataset", "--higher-is-better"]

# What is in the file, the options beside it, and what the sentence must hold.
BROKEN = {
    # the file; more of it in tests/datasets/test_reading.py
    "no file": (None, ROLES, ["No such file", "results.csv"]),
    "no decimal mark": (text(LINES), [*ROLES, "--decimal", "x"], ["--decimal", "'x'"]),
    "sheet of a CSV": (text(LINES), [*ROLES, "--sheet", "first"], ["sheet", "no meaning"]),
    "no such sheet": (excel(one=table()), [*ROLES, "--sheet", "on"], ["--sheet", "'on'", "'one'"]),
    # roles
    "no such column": (text(LINES), [*ROLES[:-1], "datset"], ["--over", "did you mean 'dataset'"]),
    "a column twice": (text(LINES), [*ROLES, "--design", "model"], ["'model'", "--alternatives", "--design"]),
    "twice in a role": (text(LINES), [*ROLES, "--over", "dataset"], ["'dataset'", "twice with --over"]),
    "roles missing": (text(VALUES), ROLES[:2], ["--target", "--over", "a guess: genexpy-nb study"]),
    "no direction": (text(VALUES), [*ROLES[:3], "value", *ROLES[5:]], ["or --lower-is-better is missing"]),
    "nothing sure, in JSON": (text(VALUES), ["--json"], ["--alternatives", "a guess", "--lower-is-better"]),
    "files of votes": (text(VOTES), ["-o", "out"], ["-o", "--json prints all tables"]),
    "votes for a third": (text("model_a,model_b,winner\nx,y,z\ny,x,x\n"), [], ["holds 'z' for 'x' against 'y'"]),
    "scores with ranks": (text("dataset,a,b\nx,0.5 / 1,1\ny,0.7 / 2,2\n"), [], ["several numbers", "'a'", "0.5 / 1"]),
    "points of most": (text("model,task,score\nx,a,3;3/4\ny,a,1;2/4\n"), [], ["several numbers, as '3;3/4' in"]),
    "both directions": (text(LINES), [*ROLES, "--lower-is-better"], ["exclude each other"]),
    "direction twice": (text(LINES), [*ROLES[:3], "auc=lower", *ROLES[4:]], ["leave --higher-is-better out"]),
    "metrics without directions": (text(LINES), [*ROLES, "--target", "x"], ["--target auc=higher"]),
    "a metric twice": (text(LINES), ["--target", "auc=higher", "--target", "auc=lower"], ["--target", "'auc' twice"]),
    "a fix without a level": (text(LINES), [*ROLES, "--fix", "model"], ["--fix", "COLUMN=LEVEL", "'model'"]),
    "a fix of no column": (text(LINES), [*ROLES, "--fix", "colour=red"], ["--fix", "'colour'"]),
    # the table and its roles
    "evaluations twice": (text(LINES + "x,a,0.5\n"), ROLES, ["2 rows", "dataset=x", "--average"]),
    "text as target": (with_cell("auc", "failed"), ROLES, ["'auc'", "row 6 below the header", "'failed'"]),
    "names as target": (text(LINES), [*ROLES[:3], "model", *ROLES[4:], "--design", "auc"], ["'model'"]),
    "one alternative": (changed(model=lambda f: ["a"] * len(f)), [*ROLES, "--average", "loss"],
                        ["'model'", "single alternative"]),
    "one experiment": (changed(site=lambda f: ["x"] * len(f)), [*ROLES[:-1], "site", "--average", "dataset"],
                       ["single experiment", "--over"]),
    "a dataset missing": (with_cell("dataset", None), ROLES, ["'dataset'", "row 6 below the header"]),
    "missing and error": (text("dataset,model,auc\nx,a,1\nx,b,2\ny,a,1\n"), [*ROLES, "--missing", "error"],
                          ["1 evaluations are missing", "--missing worst-rank"]),
    "all dropped": (text("dataset,model,auc\nx,a,1\ny,b,2\nz,c,3\n"), [*ROLES, "--missing", "drop"],
                    ["--missing drop"]),
    "clusters that overlap": (changed(site=lambda f: f["model"]), [*ROLES, "--cluster", "site"],
                              ["--cluster", "several levels of 'site'"]),
    "a reserved name": (changed(nstar=lambda f: f["dataset"]), [*ROLES, "--design", "nstar"], ["'nstar'"]),
    "a single experiment each": (changed(seed=lambda f: f["dataset"]), [*ROLES, "--design", "seed"],
                                 ["single experiment per configuration"]),
    # matrices
    "a matrix of one column": (text("dataset,a\nx,1\ny,2\n"), WIDE, ["--wide", "'a'"]),
    "a matrix of text": (text("dataset,a,b\nx,u,v\ny,w,z\n"), WIDE, ["--wide", "none has numbers"]),
    "without what": (text(MATRIX), [*WIDE, "--without", "c"], ["--without", "'c'"]),
    "without, no matrix": (text(LINES), [*ROLES, "--without", "auc"], ["--without", "--wide"]),
    "metrics of a matrix": (text(MATRIX), [*WIDE[:3], "--target", "u=lower", "--target", "v=lower"], ["--wide"]),
    "clusters of columns": (text(MATRIX), [*WIDE[:1], *WIDE[3:], "--alternatives", "dataset", "--cluster", "a"],
                            ["--cluster", "--wide", "--alternatives"]),
    # numbers and names
    "alpha": (text(LINES), [*ROLES, "--alpha", "95"], ["--alpha", "(0, 1)", "95"]),
    "delta": (text(LINES), [*ROLES, "--delta", "-0.1"], ["--delta", "(0, 1]", "-0.1"]),
    "level": (text(LINES), [*ROLES, "--level", "0"], ["--level", "(0, 1)"]),
    "budget": (text(LINES), [*ROLES, "--budget", "-3"], ["--budget", "-3"]),
    "no such policy": (text(LINES), [*ROLES, "--missing", "worst_rank"], ["--missing", "did you mean 'worst-rank'"]),
    "no such alternative": (changed(), [*ROLES, "--alternative", "model x"], ["--alternative", "'model x'"]),
    "no such option": (text(LINES), [*ROLES, "--desing", "x"], ["--desing", "--design"]),
    "an option without its value": (text(LINES), [*ROLES, "--design"], ["--design"]),
    "a file twice": (text(LINES), [*ROLES, "results.csv"], ["results.csv is named twice"]),
    "too large": (text(LINES), [*ROLES, "--max-size", "20"], ["results.csv has", "pass --max-size 1MB"]),
    "no size": (text(LINES), [*ROLES, "--max-size", "big"], ["--max-size must be a size", "'big'"]),
    "a word for a score": (with_cell("auc", "OOM"), ROLES, ["'OOM'", "pass --missing-code 'OOM'"]),
    "no such code": (text(LINES), [*ROLES, "--missing-code", "OMO"], ["--missing-code", "'omo'"]),
    "configurations of nothing": (changed(), [*ROLES, "--configuration", "a=b"], ["--configuration", "--design"]),
    "no such configuration": (
        changed(site=lambda f: ["x"] * len(f)), [*ROLES, "--design", "site", "--configuration", "site=z"],
        ["--configuration", "'site'", "'z'"],
    ),
    # where to write
    "output is a file": (text(LINES), [*ROLES, "-o", "good.csv"], ["good.csv", "is a file"]),
    "output below a file": (text(LINES), [*ROLES, "-o", "good.csv/there"], ["-o", "good.csv"]),
    "output is another's": (text(LINES), [*ROLES, "-o", "others"], ["others", "not made by this command", "--force"]),
    "output cannot be": (text(LINES), [*ROLES, "-o", "/proc/study"], ["/proc/study"]),
    # names that a terminal would obey
    "escapes": (text(LINES), [*ROLES, "--design", "\x1b[31mred\x07"], ["--design", "red"]),
}  # fmt: skip


def test_votes_between_pairs_are_answered(tmp_path):
    rng, file = np.random.default_rng(0), tmp_path / "votes.csv"
    one, judge = rng.integers(0, 3, 300), rng.integers(0, 9, 300)
    other = (one + rng.integers(1, 3, 300)) % 3
    won = rng.choice(["model_a", "model_b", "tie"], 300)
    frame = pd.DataFrame({"model_a": [f"m{i}" for i in one], "model_b": [f"m{i}" for i in other], "winner": won})
    frame.assign(judge=judge).to_csv(file, index=False)
    shown = call(file)
    assert shown.exit_code == 0 and not shown.exception
    expected = str(preferences(frame.assign(judge=judge), cluster="judge"))
    assert shown.stdout.endswith(f"\n\n{expected}\n") and "cluster=['judge']" in shown.stdout
    found = json.loads(call(file, "--json").stdout)
    assert len(found["models"]) == len(found["pairs"]) == 3 and found["sentences"] == expected.splitlines()


def test_which_column_says_who_won_is_named_by_target_and_pairs_in_a_cell_are_votes(here):
    frame = pd.DataFrame({"pair": ["x vs y", "y vs z", "z vs x"] * 4, "better": ["x", "z", "tie"] * 4})
    frame.to_csv("votes.csv", index=False)
    shown = call("votes.csv").stdout
    assert "'pair' names two, parted by ' vs '" in shown and "votes_of(results).rows, first='a'" in shown
    frame.assign(overall=["y", "z", "z"] * 4).to_csv("votes.csv", index=False)
    refused = call("votes.csv")
    assert refused.exit_code == 2 and "\ngenexpy-nb study votes.csv --target overall\ngenexpy-nb" in refused.stderr
    assert "'better' says which of" in call("votes.csv", "--target", "better").stdout


def test_only_what_can_be_read_is_offered_and_what_averages_lack_is_said(here):
    pages = [f"## {name}\n\n| m | a | b |\n|-|-|-|\n" for name in ("Good", "Bad")]
    rows = "".join(f"| m{i} | 0.{i} | {i}.5 |\n" for i in range(1, 4))
    Path("t.md").write_text(pages[0] + rows + "\n" + pages[1] + rows.replace("0.3 |", "0.3 | 2 |"))
    refused = call("t.md").stderr.strip().split("\n")
    assert refused[0].endswith(". Run one of") and refused[1] == "genexpy-nb study t.md --sheet 3"
    assert len(refused) == 3 and re.match(r"not readable: t.md: row 15 has 4 cells", refused[2])
    Path("t.md").write_text(Path("t.md").read_text().replace("0.2 |", "0.2 | 2 |"))
    refused = call("t.md").stderr.strip().split("\n")
    assert [line[:12] for line in refused[1:]] == ["not readable"] * 2 and "--sheet" not in refused[0]
    runs = [(f"m{m}", f"d{d}", s, (m + d + s) % 5) for m in range(3) for d in range(6) for s in range(5)]
    pd.DataFrame(runs[:-2], columns=["method", "dataset", "seed", "score"]).to_csv("runs.csv", index=False)
    assert "none missing after averaging, 2 of 90 before it" in " ".join(call("runs.csv", "--no-page").stdout.split())


def test_votes_on_models_of_their_own_are_asked_for_by_group(here):
    rows = [(lang, f"{lang}-{a}", f"{lang}-{b}") for lang in ("cs", "de") for a, b in ("xy", "yz", "zx") * 9]
    votes = pd.DataFrame(rows, columns=["lang", "left", "right"]).assign(
        winner=["left", "right", "tie", "left"] * 13 + ["tie"] * 2
    )
    votes.assign(segment=[i % 9 for i in range(54)]).to_csv("votes.csv", index=False)
    refused = call("votes.csv")
    assert refused.exit_code == 2 and "of others at each level of 'lang'. Run one of\n" in refused.stderr
    tried = refused.stderr.strip().split("\n")[1:]
    assert tried == [f"genexpy-nb study votes.csv --fix lang={lang}" for lang in ("cs", "de")]
    shown = call("votes.csv", "--fix", "lang=de").stdout
    assert "one level of 'segment' are alike" in shown and "results[results['lang'] == 'de']" in shown
    assert "of 3 models" in shown and "cs-" not in shown


def answers(models=("ant", "bee", "cat"), n=40, **more):
    frame, rng = crossed(model=models, question=range(n), **more), np.random.default_rng(0)
    frame["topic"] = (frame["question"] // 4).map("topic {}".format)
    frame["output"] = [f"answer {i}" for i in range(len(frame))]
    return frame.assign(correct=(rng.random(len(frame)) < 0.8 - 0.2 * (frame["model"] == "cat")).astype(int))


def plays(scale=1.0):
    frame = crossed(agent=["a", "b", "c"], env=[f"game {i}" for i in range(8)], seed=range(3))
    rng = np.random.default_rng(0)
    size = np.where(frame["env"] == "game 0", scale, 1.0)
    return frame.assign(**{"return": size * (rng.random(len(frame)) + (frame["agent"] == "b"))})


FIELDS = {
    "items": (answers(), items, {"model": "model", "item": "question", "score": "correct"}),
    "items, samples, clusters": (
        answers(sample=[0, 1]).rename(columns={"topic": "passage"}),
        items,
        {"model": "model", "item": "question", "score": "correct", "sample": "sample", "cluster": "passage"},
    ),
    "items of benchmarks, graded": (
        answers().assign(benchmark=lambda f: "b" + (f["question"] % 2).astype(str), f1=lambda f: f["correct"] * 0.9)[
            ["model", "question", "benchmark", "f1"]
        ],
        items,
        {"model": "model", "item": "question", "score": "f1", "benchmark": "benchmark"},
    ),
    "games": (plays(), games, {"algorithm": "agent", "game": "env", "seed": "seed", "score": "return"}),
    "games of other scales": (
        plays(1000),
        games,
        {"algorithm": "agent", "game": "env", "seed": "seed", "score": "return", "reference": "min-max"},
    ),
}


@pytest.mark.parametrize("case", FIELDS)
def test_items_and_games_are_answered(tmp_path, case):
    (frame, function, arguments), file = FIELDS[case], tmp_path / "results.jsonl"
    frame.to_json(file, orient="records", lines=True)
    shown, expected = call(file), str(function(frame, **arguments))
    assert shown.exit_code == 0 and shown.stdout.endswith(f"\n\n{expected}\n")
    call_shown = f"genexpy_nb.fields.{function.__name__}(results, "
    call_shown += ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    assert f"{call_shown})" in shown.stdout and len(shown.stdout.partition("\n\n")[0].splitlines()) == 2
    found = json.loads(call(file, "--json").stdout)
    assert found["taken"] == arguments and len(found["pairs"]) == 3


@pytest.mark.parametrize(
    "frame",
    [
        answers(n=12),  # few items
        answers(judge=["x", "y"]),  # who is no sample
        answers().rename(columns={"correct": "error"}),
        answers().assign(correct=lambda f: 3 * f["correct"]),  # no share
        answers().assign(f1=0.5 * answers()["correct"] + 0.1),  # two scores
        plays().iloc[1:],  # a run is missing
        plays().query("seed == 0"),
        plays().rename(columns={"env": "dataset"}),
    ],
)
def test_what_may_be_something_else_is_a_study_as_ever(here, monkeypatch, frame):
    monkeypatch.setattr("genexpy_nb.own_study.command._completed", raising(StudyError("its roles are guessed")))
    frame.to_csv("results.csv", index=False)
    assert "its roles are guessed" in call("results.csv").stderr


def test_items_with_roles_are_a_study(here):
    answers().to_csv("items.csv", index=False)
    roles = ["--alternatives", "model", "--target", "correct", "--over", "question", "--higher-is-better"]
    shown = call("items.csv", *roles, "--no-page", "-o", "answer")
    assert shown.exit_code == 0 and (here / "answer" / "answers.json").exists()


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(here, case):
    make, options, wanted = BROKEN[case]
    (here / "others").mkdir()
    (here / "others" / "thesis.tex").write_text("years of work")
    path = here / "results.csv"
    if make is not None:
        if case.endswith(("sheet", "sheets")):
            path = here / "results.xlsx"
        make(path)
    before = files(here)
    result = call(path.name, *options)
    said = result.stderr.splitlines()
    assert result.exit_code == 2 and len(said) == 1, result.output
    assert said[0].startswith("error: ") and said[0].isprintable(), said
    assert "Traceback" not in result.output and not re.search(r"generalize_over|average_over|higher_is_better", said[0])
    for words in wanted:
        assert words in said[0], said[0]
    assert files(here) == before


# --- what works -------------------------------------------------------------------------------------------------------


def commands(shown):
    """The commands that are printed, as lists of words."""
    lines = shown.replace("\\\n", "").splitlines()
    return [shlex.split(line)[2:] for line in lines if line.strip().startswith("genexpy-nb study")]


def test_a_sure_guess_is_answered_at_once_and_says_what_it_took(here):
    result = call("good.csv", "--no-page")
    assert result.exit_code == 0, result.output
    taken, answered = result.stdout.split("\n\n", 2)[0], " ".join(result.stdout.split())
    assert "model a is the only one of the 4 models that can be the best" in answered and "Taken from names" in taken
    (printed,) = commands(result.stdout)
    assert printed[1:] == ["--alternatives", "model", "--target", "auc", "--higher-is-better", "--over", "dataset"]
    before = files(here)
    assert call(*printed, "--no-page").exit_code == 0 and files(here) == before
    said = json.loads(call("good.csv", "--json").stdout)
    assert said["request"]["over"] == ["dataset"] and said["request"]["higher_is_better"] == "higher"


def test_without_a_direction_both_commands_are_shown_and_run_as_they_are(here):
    table().rename(columns={"auc": "value"}).drop(columns="loss").to_csv("value.csv", index=False)
    before = files(here)
    shown = call("value.csv")
    assert shown.exit_code == 0 and shown.stderr == "" and files(here) == before
    assert "\nChoose the direction, and run\n" in shown.stdout
    for printed, best in zip(commands(shown.stdout), ["model a", "model d"], strict=True):
        done = call(*printed, "--no-page")
        assert done.exit_code == 0 and f"{best} is the only one" in " ".join(done.stdout.split()), done.output


MADE = {  # columns of a table that is not sure, what is answered to the questions, and the roles that follow
    "cases in tasks": (["task", "case"], ["", "", "", "", "lower"], "--over case --design task"),
    "averaged": (["dataset", "kind"], ["", "system", "", "a"], "--over dataset --average kind"),
    "another column": (["dataset", "kind"], ["", "nobody", "kind", "", ""], "--alternatives kind"),
}


@pytest.mark.parametrize("case", MADE)
def test_at_a_terminal_one_question_comes_after_the_other(here, monkeypatch, case):
    monkeypatch.setattr("genexpy_nb.own_study.command._at_a_terminal", lambda: True)
    columns, answers, roles = MADE[case]
    levels = {columns[0]: list("uvw"), columns[1]: range(12 if columns[1] == "case" else 2), "system": list("xyz")}
    frame = crossed(**levels)
    score = "value" if columns[1] == "case" else "f1"
    frame[score] = np.random.default_rng(0).random(len(frame))
    frame.to_csv("open.csv", index=False)
    result = CliRunner().invoke(main, ["study", "open.csv", "--no-page"], input="\n".join(answers) + "\n" * 9)
    assert result.exit_code == 0, result.output
    (printed,) = commands(result.stdout)
    assert roles in " ".join(printed) and "The same without questions" in result.stdout
    assert ("there is no column 'nobody'" in result.output) == ("nobody" in answers)
    assert json.loads((here / "study-open" / "answers.json").read_text())["request"]["target"] == [score]


def test_at_a_terminal_a_matrix_is_asked_about(here, monkeypatch):
    monkeypatch.setattr("genexpy_nb.own_study.command._at_a_terminal", lambda: True)
    rows = [f"m{i},{i},{i + 1.5},{i + 0.5},{9 * i}\n" for i in range(6)]
    (here / "m.csv").write_text("".join(["name,a,b,c,params\n", *rows]))
    for answers, roles in ((["", "", "", "", "h"], "--alternatives name"), (["", "c", "name", "", "l"], "--over name")):
        result = CliRunner().invoke(main, ["study", "m.csv", "--no-page"], input="\n".join([*answers, "", ""]))
        assert result.exit_code == 0, result.output
        (printed,) = commands(result.stdout)
        assert {"--wide", *roles.split(), "--without", "params"} <= set(printed)


def test_everything_is_written_and_said(here):
    result = call("good.csv", *ROLES, "--no-page")
    assert result.exit_code == 0, result.output
    folder = here / "study-good"
    assert {"answers.json", "ranking.csv", "ranking.tex", "nstar.csv", "summary.txt"} <= {
        p.name for p in folder.iterdir()
    }
    summary, said = (folder / "summary.txt").read_text(), " ".join(result.stdout.split())
    answers = json.loads((folder / "answers.json").read_text())["sentences"]
    assert all(sentence in said for sentence in answers) and all(sentence in summary for sentence in answers[:3])
    assert "study-good/answers.json" in said and len(result.stdout.splitlines()) <= 40
    ranking = pd.read_csv(folder / "ranking.csv")
    expected = Study(table(), alternatives="model", target="auc", generalize_over="dataset").ranking()
    np.testing.assert_allclose(ranking["mean_rank"], expected["mean_rank"])
    assert not [name for name in os.listdir(here) if name.startswith(".study")]


def test_several_files_are_one_table(here):
    Path("results").mkdir()
    frame = table().assign(auc=lambda rows: rows["auc"].astype(object).where(rows["dataset"] != "data 1", "OOM"))
    for model, rows in frame.groupby("model"):
        rows.drop(columns="model").to_csv(f"results/{model.replace(' ', '-')}.csv", index=False)
    names = sorted(map(str, Path("results").iterdir()))
    assert "--missing-code 'OOM'" in call(*names).stderr
    shown = call(*names, "--missing-code", "OOM").stdout
    command = shlex.split(shown.partition("genexpy-nb study ")[2].partition("\n\n")[0].replace("\\\n", ""))
    assert command[: len(names)] == names
    roles = ["--alternatives", "file", "--target", "auc", "--over", "dataset", "--higher-is-better"]
    result = call(*names, *roles, "--missing-code", "OOM", "--no-page")
    assert result.exit_code == 0, result.output
    said = json.loads(Path("study-results/answers.json").read_text())
    assert said["request"]["results"] == [Path(name).name for name in names]
    assert said["request"]["missing_code"] == ["OOM"]
    assert set(pd.read_csv("study-results/ranking.csv")["alternative"]) == {Path(name).stem for name in names}


def test_of_a_large_table_it_is_said_what_reading_takes(here, monkeypatch):
    monkeypatch.setattr("genexpy_nb.own_study.command._LARGE", 100)
    said = call("good.csv").stderr
    assert re.search(r"good\.csv: about \S+ x \d; to read it takes about 0\.0 minutes", said)


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_full_disk_is_one_sentence_and_leaves_all_as_it_was(here):
    """Each file may have 300 bytes."""
    import resource

    assert call("good.csv", *ROLES, "--no-page").exit_code == 0
    most, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for folder in ("study-good", "new/deep"):
        before = files(here)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, hard))
            done = call("good.csv", *ROLES, "--no-page", "-o", folder)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        assert done.exit_code == 2
        assert done.stderr == f"error: good.csv: -o {folder} cannot be written (File too large)\n"
        assert files(here) == before


def test_nothing_says_where_files_lie_and_what_others_put_there_is_said(here):
    (here / "mine.py").write_text("from genexpy_nb.generalization.kernels import JaccardKernel as Mine\n")
    for _ in range(2):
        given = [here / "good.csv", *ROLES, "--no-page", "--kernel", f"{here / 'mine.py'}:Mine(k=2)"]
        result = call(*given)
        assert result.exit_code == 0, result.output
        assert ("kept" in result.stdout) == (here / "study-good" / "notes").exists()
        (here / "study-good" / "notes").write_text("mine")
    assert not [name for name, text in files(here / "study-good").items() if str(here).encode() in text]
    request = json.loads((here / "study-good" / "answers.json").read_text())["request"]
    assert request["results"] == "good.csv" and request["kernels"][-1] == "mine.py:Mine(k=2)"


def test_the_folder_of_the_results_is_not_written_to(here):
    (here / "own").mkdir()
    table().to_csv(here / "own" / "answers.json", index=False)
    before = files(here)
    result = call("own/answers.json", *ROLES, "--no-page", "-o", "own", "--force")
    assert result.exit_code == 2 and len(result.stderr.splitlines()) == 1 and files(here) == before


def test_json_is_all_that_is_printed_and_nothing_is_written(here):
    before = files(here)
    result = call("good.csv", *ROLES, "--json")
    said = json.loads(result.stdout)
    assert result.exit_code == 0 and result.stderr == "" and files(here) == before
    assert len(said["sentences"]) == 4 and said["request"]["over"] == ["dataset"]
    result = call("good.csv", *ROLES, "--json", "--no-page", "-o", "there")
    assert json.loads(result.stdout) == said and (here / "there" / "answers.json").is_file()


def test_the_answer_comes_first_and_all_is_everything(here):
    first, everything = (call("good.csv", *ROLES, "--no-page", *option).stdout for option in ([], ["--all"]))
    sentences = json.loads((here / "study-good" / "answers.json").read_text())["sentences"]
    for text in (first, everything):
        words = " ".join(text.split())
        assert all(sentence in words for sentence in sentences) and "study-good" in words
    for words, shown in (("mean rank  ", [first]), ("\npairs", [everything]), ("\nNext", [everything])):
        assert [text for text in (first, everything) if words in text] == shown


def test_who_has_less_than_half_is_ranked_on_request(here):
    frame = table().query("model != 'model b' or dataset < 'data 3'")
    frame.to_csv("good.csv", index=False)
    for option, n_ranked in (([], 3), (["--rank-incomplete"], 4)):
        result = call("good.csv", *ROLES, "--no-page", *option)
        assert result.exit_code == 0, result.output
        assert ("of 12) is not ranked" in " ".join(result.stdout.split())) == (n_ranked == 3)
        assert len(pd.read_csv("study-good/ranking.csv")) == n_ranked


def made_page(monkeypatch, html="<p>page", problem=""):
    from genexpy_nb.own_study import page

    asked = []

    def make_page(parameters, name, title, description="", *, shown):
        assert description.startswith("Which of the ") and title.startswith("Your own study: ")
        asked.append(parameters)
        return page.StudyPage(html, "{}", problem)

    monkeypatch.setattr(page, "make_page", make_page)
    return asked


def test_the_page_is_made_from_the_same_request(here, monkeypatch):
    asked = made_page(monkeypatch)
    result = call("good.csv", *ROLES, "--alpha", "0.9", "--design", "loss", "--configuration", "loss=0")
    assert result.exit_code == 2 and asked == []
    result = call("good.csv", *ROLES, "--alpha", "0.9")
    assert result.exit_code == 0 and (here / "study-good" / "report.html").read_text() == "<p>page"
    (parameters,) = asked
    assert parameters["alpha"] == 0.9 and parameters["results"] == str(here / "good.csv")
    assert StudyRequest.from_parameters(**parameters).directions() == {"auc": "higher"}
    assert "study-good/report.html" in result.stdout


def test_a_page_that_fails_is_said_and_the_tables_are_there(here, monkeypatch):
    made_page(monkeypatch, html=None, problem="cell 3:\n no memory")
    result = call("good.csv", *ROLES)
    assert result.exit_code == 1 and "error: the page is not complete: cell 3: no memory" in result.stderr
    assert (here / "study-good" / "ranking.csv").is_file() and "report.html" not in result.stdout


def test_the_screen_comes_after_what_a_kernel_says_and_before_what_only_the_files_need(here, monkeypatch):
    (here / "mine.py").write_text("from genexpy_nb.generalization.kernels import JaccardKernel as Mine\n")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = files(here)
    monkeypatch.setattr("genexpy_nb.own_study.page.make_page", lambda *_, **__: pytest.fail("a kernel started"))
    monkeypatch.setattr(Study, "curves", raising(StudyError("later")))
    result = call("good.csv", *ROLES)
    assert result.exit_code == 2 and "settle who is best?" in result.stdout and "later" in result.stderr
    assert call("good.csv", *ROLES, "--all").stdout == call("good.csv", *ROLES, "--json").stdout == ""
    monkeypatch.setattr(Study, "nstar", raising(ParameterError("a kernel of theirs")))
    result = call("good.csv", *ROLES)
    assert result.exit_code == 2 and "settle who is best?" in result.stdout and "a kernel of theirs" in result.stderr
    result = call("good.csv", *ROLES, "--kernel", "mine.py:Mine(k=2)")
    assert result.exit_code == 2 and result.stdout == "" and "a kernel of theirs" in result.stderr
    monkeypatch.setattr(Study, "regret", raising(ZeroDivisionError()))
    assert isinstance(call("good.csv", *ROLES).exception, ZeroDivisionError)
    assert files(here) == before


def test_help_says_all_policies_and_the_default():
    text = " ".join(call("--help").stdout.split())
    assert all(policy in text for policy in MISSING_POLICIES) and f"[default: {StudyRequest('').missing}]" in text


@pytest.mark.parametrize("earlier", [False, True])
def test_stopped_while_the_page_is_made_nothing_is_written(here, monkeypatch, earlier):
    if earlier:
        assert call("good.csv", *ROLES, "--no-page").exit_code == 0
    before = files(here)
    monkeypatch.setattr("genexpy_nb.own_study.page.make_page", raising(KeyboardInterrupt()))
    result = call("good.csv", *ROLES)
    assert result.exit_code == 130
    assert result.stderr == "stopped (SIGINT): nothing half-written stays\n"
    assert files(here) == before


def test_while_answers_are_computed_no_folder_is_there(here, monkeypatch):
    """A process that is killed then, leaves nothing behind."""
    seen = []
    make_page = "genexpy_nb.own_study.page.make_page"
    monkeypatch.setattr(make_page, lambda *_, **__: seen.append(files(here)) or StudyPage("page", "{}", ""))
    assert call("good.csv", *ROLES).exit_code == 0
    assert [list(found) for found in seen] == [["good.csv"]]
    assert (here / "study-good" / "report.html").read_text(encoding="utf-8") == "page"


def test_a_guess_that_fails_is_no_command(here):
    frame = crossed(model=["a", "b", "c"], dataset=["u", "v", "w", None]).assign(accuracy=np.arange(12) / 12)
    frame.to_csv("results.csv", index=False)
    refused = call("results.csv")
    assert refused.exit_code == 2 and "that is the best guess, --alternatives model" in refused.stderr
    assert "genexpy-nb study" not in refused.output
