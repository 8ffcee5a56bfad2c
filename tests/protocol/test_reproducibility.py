"""The checklist: filled in from what was run."""

import numpy as np
from made_up_trials import WINE, made_up, quick
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from genexpy_nb.protocol import checklist, compare, make_splits, set_determinism
from genexpy_nb.protocol.determinism import DeterminismRecord


def test_checklist_of_a_run(tmp_path, clean_environment):
    models = {"near": KNeighborsClassifier(3), "tree": DecisionTreeClassifier()}
    trials = quick(models, *WINE, make_splits(*WINE), seeds=[7, 13])
    table = checklist(trials, compare(trials), set_determinism(7), [tmp_path / "gone"]).set_index("item")
    assert table.loc["seeds", "answer"] == "7, 13; the seed changes nothing for near"
    assert table.loc["files with splits and results", "status"] == "attention"
    assert "gone" in table.loc["files with splits and results", "answer"]
    assert f"numpy {np.__version__}" in table.loc["versions", "answer"]
    assert table.loc["cost", "answer"] == "40 trials"
    bare = checklist(trials).set_index("item")
    assert bare.loc["determinism flags", "status"] == bare.loc["intervals and tests", "status"] == "open"


def test_checklist_names_warnings_and_failures():
    X, y = WINE
    trials = quick({"lr": LogisticRegression(max_iter=1)}, X, y, make_splits(X, y, n_repeats=1), seeds=[7])
    answers = checklist(trials).set_index("item")
    assert answers.loc["warnings of the fits", "answer"] == "lr: ConvergenceWarning in 5 trials"
    assert answers.loc["warnings of the fits", "status"] == "attention"


def test_checklist_of_made_up_trials_word_for_word(tmp_path):
    d = np.array([1, 1, 1, 1, 1, 1, 1, 9]).reshape(1, 2, 4) / 10  # the two tests disagree on them
    trials = made_up(np.stack([d, np.zeros_like(d)]))
    settings = (
        ("random.seed", "7", "set", ""),
        ("hash seed", "0", "partly", "too late"),
        ("kernels", "True", "not set", "an old library"),
        ("threads", "4", "recorded", ""),
        ("numpy.random.seed", "7", "set", ""),
        ("torch", "", "not installed", ""),
    )
    record = DeterminismRecord(7, settings, {"python": "3.14", "numpy": "2.0"}, {"GPU": "none"})
    (tmp_path / "there.csv").touch()
    table = checklist(trials, compare(trials, n_resamples=100, level=0.1), record, [tmp_path / "there.csv"])
    assert table.to_numpy().tolist() == [
        ["data", "1,234 rows; SHA-256 of X aa, of y bb", "done"],
        ["splits", "2 x 4 folds, stratified and grouped; SHA-256 dd", "done"],
        ["files with splits and results", "there.csv", "done"],
        ["seed of the splits", "3", "done"],
        ["seeds", "7", "done"],
        ["determinism flags", "random.seed = 7, numpy.random.seed = 7", "done"],
        ["determinism: hash seed", "partly: too late", "attention"],
        ["determinism: kernels", "not set: an old library", "attention"],
        ["GPU", "none", "done"],
        ["seeds of workers", "each trial seeds its process with its own seed", "done"],
        ["threads of each fit", "1", "done"],
        ["versions", "numpy 2.0, python 3.14", "done"],
        ["metric", "accuracy, higher is better", "done"],
        ["hyperparameters: m0", "Model(m0)", "done"],
        ["hyperparameters: m1", "Model(m1)", "done"],
        ["tuning after the results were seen", "only the authors know", "open"],
        ["failed trials", "0 of 16", "done"],
        ["warnings of the fits", "none", "done"],
        ["intervals", "corrected t-test, 90%, unadjusted; beside it BCa, 100 paired resamples of 8 folds", "done"],
        ["tests", "Wilcoxon signed-rank (Pratt) and corrected t-test, Holm over 1 pairs at 0.1", "done"],
        [
            "conclusions that depend on the test",
            "Wilcoxon and the corrected test disagree on m0 against m1; folds share training rows",
            "attention",
        ],
        ["cost", "16 trials", "done"],
    ]


def test_checklist_counts_failures():
    trials = made_up(np.full((2, 1, 2, 2), 0.5), failed=[(1, 0, 0, 0), (1, 0, 1, 0)])
    table = checklist(trials).set_index("item")
    assert table.loc["failed trials"].to_list() == ["2 of 8, of m1", "attention"]
    assert table.loc["files with splits and results"].to_list() == ["none named", "open"]
    agreed = compare(made_up(np.random.default_rng(0).random((2, 1, 2, 4))), n_resamples=50)
    assert "conclusions that depend on the test" not in set(checklist(trials, agreed)["item"])
