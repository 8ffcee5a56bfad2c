"""Tables and checklist: escaped, stable, and filled in from what was run."""

import numpy as np
import pandas as pd
import pytest
from made_up_trials import IRIS, WINE, made_up, quick
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.tree import DecisionTreeClassifier

from genexpy_nb.protocol import checklist, compare, make_splits, set_determinism, write_tables
from genexpy_nb.protocol.determinism import DeterminismRecord
from genexpy_nb.protocol.tables import paper_tables


def test_tables_are_escaped_and_stable(tmp_path):
    X, y = IRIS
    models = {"a_b & 50% {x}": GaussianNB(), "#2 $\\alpha$^~": NearestCentroid()}
    trials = quick(models, X, y, make_splits(X, y), seeds=[7], metric="f1_macro")
    result = compare(trials, n_resamples=500)
    paths = write_tables(result, tmp_path / "tables")
    names = [f"{name}.{suffix}" for name in ("estimates", "pairs", "settings") for suffix in ("tex", "csv")]
    assert [path.name for path in paths] == names
    tex = paths[0].read_text()
    assert all(rule in tex for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
    assert r"a\_b \& 50\% \{x\}" in tex
    assert r"\#2 \$\textbackslash{}" in tex
    assert r"Mean f1\_macro with 95 \% intervals of the corrected" in tex
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


def test_tables_show_the_numbers_of_the_comparison():
    rng = np.random.default_rng(2)
    scores = rng.uniform(0.4, 0.9, size=(3, 2, 2, 4)) + 0.03 * np.arange(3)[:, None, None, None]
    result = compare(made_up(scores), n_resamples=200, level=0.3)
    shown = paper_tables(result)
    folds = scores.mean(axis=1).reshape(3, 8)
    estimates = result.estimates.set_index("model")
    assert list(shown["estimates"].columns) == ["model", "m0", "m1", "m2"]
    assert result.estimates["model"].to_list() != ["m0", "m1", "m2"]
    assert shown["estimates"].loc[0, "model"] == "accuracy (%)"
    for i, name in enumerate(["m0", "m1", "m2"]):
        low, high = estimates.loc[name, ["low", "high"]]
        assert shown["estimates"].loc[0, name] == f"{100 * folds[i].mean():.1f} [{100 * low:.1f}, {100 * high:.1f}]"
    for text, row in zip(shown["pairs"].to_dict("records"), result.pairs.itertuples(), strict=True):
        assert text == {
            "A": row.a,
            "B": row.b,
            "A - B": f"{100 * row.estimate:.1f} [{100 * row.low:.1f}, {100 * row.high:.1f}]",
            "BCa over folds": f"[{100 * row.bca_low:.1f}, {100 * row.bca_high:.1f}]",
            "d": f"{row.d_z:.2f} [{row.d_low:.2f}, {row.d_high:.2f}]",
            "BCa of d": f"[{row.d_bca_low:.2f}, {row.d_bca_high:.2f}]",
            "Wilcoxon, Holm": f"{row.p_adjusted:.3f}",
            "corrected t, Holm": f"{row.p_corrected_adjusted:.3f}",
            "instability (%)": f"{100 * row.instability:.1f}",
        }
    assert shown["pairs"]["Wilcoxon, Holm"].nunique() > 1
    assert (result.pairs["p_adjusted"] > result.pairs["p"]).any()
    for text, row in zip(shown["settings"].to_dict("records"), result.settings.itertuples(), strict=True):
        assert text == {
            "setting": row.setting,
            "instability (%)": f"{100 * row.instability:.1f}",
            "declared wins": f"{row.wins:.1f} / 3",
        }


def test_captions_name_the_design(tmp_path):
    scores = np.random.default_rng(0).random((2, 3, 2, 4))
    result = compare(made_up(scores), n_resamples=1500, level=0.1)
    texts = {path.name: path.read_text() for path in write_tables(result, tmp_path)}
    design = "2 x 4-fold cross-validation, 3 seeds"
    intervals = r"90 \% intervals of the corrected resampled t-test"
    assert rf"\caption{{Mean accuracy with {intervals}; {design}.}}" in texts["estimates.tex"]
    assert rf"Differences in accuracy with {intervals}; beside them BCa over folds (1,500 paired" in texts["pairs.tex"]
    assert rf"\caption{{Instability and declared wins at level 0.1; {design}.}}" in texts["settings.tex"]
    assert r"\label{tab:pairs}" in texts["pairs.tex"]
    assert r"\begin{tabular}{lllllllll}" in texts["pairs.tex"]
    (_, _, _, _, settings, _) = write_tables(compare(made_up(scores[:, :1]), n_resamples=50), tmp_path)
    assert "2 x 4-fold cross-validation, 1 seed." in settings.read_text()


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
