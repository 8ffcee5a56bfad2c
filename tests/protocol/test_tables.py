"""Tables and checklist: escaped, stable, and filled in from what was run."""

import numpy as np
import pandas as pd
import pytest
from made_up_trials import IRIS, WINE, made_up, quick
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.tree import DecisionTreeClassifier

from genexpy_nb.protocol import (
    checklist,
    compare,
    make_splits,
    paper_tables,
    set_determinism,
    to_latex,
    write_tables,
)


def test_tables_are_escaped_and_stable(tmp_path):
    X, y = IRIS
    models = {"a_b & 50% {x}": GaussianNB(), "#2 $\\alpha$^~": NearestCentroid()}
    trials = quick(models, X, y, make_splits(X, y), seeds=[7], metric="f1_macro")
    result = compare(trials, n_resamples=500)
    paths = write_tables(result, tmp_path / "tables")
    assert [path.name for path in paths] == [
        f"{name}.{suffix}" for name in ("estimates", "pairs", "settings") for suffix in ("tex", "csv")
    ]
    tex = paths[0].read_text()
    assert all(rule in tex for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
    assert r"a\_b \& 50\% \{x\}" in tex
    assert r"\#2 \$\textbackslash " in tex or r"\#2 \$\textbackslash{}" in tex
    assert r"Mean f1\_macro with 95 \% BCa" in tex
    numbers = pd.read_csv(tmp_path / "tables" / "pairs.csv", keep_default_na=False)
    np.testing.assert_array_equal(numbers["estimate"], result.pairs["estimate"])
    before = [path.read_bytes() for path in paths]
    write_tables(compare(trials, n_resamples=500), tmp_path / "tables")
    assert [path.read_bytes() for path in paths] == before


def test_scores_outside_the_unit_interval_are_not_percentages():
    scores = -np.random.default_rng(0).random((2, 1, 2, 5)) * 30
    shown = paper_tables(compare(made_up(scores), n_resamples=200))
    assert shown["estimates"].loc[0, "model"] == "accuracy"
    mean, rest = shown["estimates"].loc[0, "m0"].split(" ", 1)
    assert float(mean) == pytest.approx(scores[0].mean(), abs=5e-4)
    assert rest.startswith("[-")


def test_caption_is_plain_text():
    assert r"\caption{50\% of A\_B \& C\textasciicircum{}2 \textbackslash{}}" in to_latex(
        pd.DataFrame({"x": [1]}), "50% of A_B & C^2 \\", "tab:x"
    )


def test_checklist_fills_itself_in(tmp_path, clean_environment):
    X, y = WINE
    path = tmp_path / "splits.json"
    splits = make_splits(X, y, path=path)
    models = {"near": KNeighborsClassifier(3), "tree": DecisionTreeClassifier()}
    trials = quick(models, X, y, splits, seeds=[7, 13])
    table = checklist(trials, compare(trials), set_determinism(7), [path, tmp_path / "gone"]).set_index("item")
    assert splits.sha256 in table.loc["splits", "answer"]
    assert table.loc["seeds", "answer"] == "7, 13; the seed changes nothing for near"
    assert table.loc["hyperparameters: near", "answer"] == "KNeighborsClassifier(n_neighbors=3)"
    assert table.loc["files with splits and results", "status"] == "attention"
    assert "gone" in table.loc["files with splits and results", "answer"]
    assert table.loc["determinism: PYTHONHASHSEED", "status"] == "attention"
    assert "10,000 paired resamples of 10 folds" in table.loc["intervals", "answer"]
    assert table.loc["tuning after the results were seen", "status"] == "open"
    assert f"numpy {np.__version__}" in table.loc["versions", "answer"]
    assert table.loc["threads of each fit", "answer"] == "1"
    assert " s on this machine" in table.loc["cost", "answer"]
    assert checklist(trials, times=False).set_index("item").loc["cost", "answer"] == "40 trials"
    bare = checklist(trials).set_index("item")
    assert bare.loc["determinism flags", "status"] == bare.loc["intervals and tests", "status"] == "open"


def test_checklist_names_warnings_and_failures():
    X, y = WINE
    trials = quick({"lr": LogisticRegression(max_iter=1)}, X, y, make_splits(X, y, n_repeats=1), seeds=[7])
    answers = checklist(trials).set_index("item")
    assert answers.loc["warnings of the fits", "answer"] == "lr: ConvergenceWarning in 5 trials"
    assert answers.loc["warnings of the fits", "status"] == "attention"
