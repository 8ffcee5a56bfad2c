"""Several metrics of one fit: each as if it were alone, and all pairs of all metrics as one family."""

import random

import numpy as np
import pandas as pd
import pytest
from made_up_trials import IRIS, WINE, CountsFits, made_up, quick
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, make_scorer, mean_absolute_error, mean_squared_error
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.tree import DecisionTreeClassifier
from statsmodels.stats.multitest import multipletests

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.protocol import Trials, compare, instability, make_splits, nadeau_bengio
from genexpy_nb.protocol.analysis import declared_wins

MODELS = {"near": KNeighborsClassifier(3), "tree": DecisionTreeClassifier(max_features=2), "bayes": GaussianNB()}
METRICS = ["accuracy", "neg_log_loss", "f1_macro"]


@pytest.fixture(scope="module")
def several():
    return quick(MODELS, *WINE, make_splits(*WINE, k=4), seeds=[7, 13], metric=METRICS)


def with_metrics(tables, failed=()):
    """Made-up trials with the metrics m0, m1, ... , from one array of scores each."""
    alone = [made_up(scores, failed) for scores in tables]
    names = [f"metric{i}" for i in range(len(tables))]
    scores = []
    for name, trials in zip(names, alone, strict=True):
        scores.append(trials.scores.copy())
        scores[-1].insert(4, "metric", name)
    table = pd.concat(scores).sort_index(kind="stable").reset_index(drop=True)
    return Trials(table, alone[0].seconds, {**alone[0].about, "metric": ", ".join(names), "metrics": names}), alone


class Random(CountsFits):
    """Draws at random when it is fitted and when it predicts."""

    def fit(self, X, y):
        random.random()
        return super().fit(X, y)

    def predict(self, X):
        return np.random.permutation(super().predict(X))  # noqa: NPY002


def test_each_metric_scores_the_same_fits_as_if_it_were_alone(tmp_path):
    splits = make_splits(*IRIS, k=3, n_repeats=1)
    models = {"random": Random(), "near": KNeighborsClassifier()}
    Random.fits = 0
    options = {"seeds": [7, 13], "folder": tmp_path}
    trials = quick(models, *IRIS, splits, metric=METRICS, **options)
    assert Random.fits == 2 * 3
    assert trials.metrics == METRICS
    assert len(trials.scores) == 2 * 2 * 3 * 3
    assert len(trials.seconds) == 2 * 2 * 3
    again = quick(models, *IRIS, splits, metric=METRICS, **options)  # from the files
    pd.testing.assert_frame_equal(again.scores, trials.scores)
    for metric in METRICS:
        alone = quick(models, *IRIS, splits, seeds=[7, 13], metric=metric, folder=tmp_path)
        pd.testing.assert_frame_equal(trials.only(metric).scores, alone.scores)
        assert trials.only(metric).about == alone.about
        pd.testing.assert_frame_equal(alone.only(metric).scores, alone.scores)


def test_one_metric_is_one_metric_however_it_is_given(tmp_path):
    splits = make_splits(*IRIS, k=3)
    found = [
        quick(MODELS, *IRIS, splits, seeds=[7], metric=metric, folder=tmp_path)
        for metric in ("accuracy", ["accuracy"], {"accuracy": "accuracy"})
    ]
    assert len(list(tmp_path.glob("*.parquet"))) == 3 * 6  # one store for all three
    assert all(trials.about == found[0].about for trials in found)
    assert "metric" not in found[1].scores
    named = quick(MODELS, *IRIS, splits, seeds=[7], metric={"share of hits": "accuracy"})
    assert named.about["metric"] == "share of hits"


def test_errors_are_negated_and_named():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    error = make_scorer(mean_absolute_error, greater_is_better=False)
    models = {"weak": Ridge(1), "strong": Ridge(1e6)}
    trials = quick(models, X, y, make_splits(X, y, k=3), seeds=[7], metric=["r2", error, "neg_mean_squared_error"])
    assert trials.metrics == ["r2", "neg_mean_absolute_error", "neg_mean_squared_error"]
    part = trials.only("neg_mean_absolute_error").scores
    train, test = make_splits(X, y, k=3).split(0, 0)
    expected = -np.abs(y[test] - Ridge(1).fit(X[train], y[train]).predict(X[test])).mean()
    assert part["score"].iloc[0] == pytest.approx(expected)
    compared = compare(trials)
    best = {metric: compared.only(metric).estimates["model"].iloc[0] for metric in trials.metrics}
    smallest_error = trials.only("neg_mean_squared_error").wide().mean().idxmax()
    assert best["neg_mean_squared_error"] == smallest_error == best["r2"]


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ([], "metric must be at least one, each under a name of its own, got none"),
        (["r2", "r2"], "got r2, r2; a dict"),
        ({"": "r2"}, "names must be non-empty strings, got ''"),
        ({"a": "r3"}, "scikit-learn has no scorer 'r3'"),
        (["accuracy", 3], "must be the name of a scorer or a function, got 3"),
        (mean_squared_error, r"takes \(y_true, y_pred\) and has no direction; make a scorer of it"),
        (["accuracy", accuracy_score], "accuracy_score takes"),
    ],
)
def test_metrics_that_cannot_be_used(metric, message):
    with pytest.raises(ParameterError, match=message):
        quick(MODELS, *IRIS, make_splits(*IRIS), seeds=[7], metric=metric)


def test_scores_of_several_metrics_are_never_mixed(several):
    with pytest.raises(ParameterError, match="several metrics, accuracy, neg_log_loss, f1_macro: choose one"):
        several.wide()
    with pytest.raises(ParameterError, match="did you mean 'accuracy'"):
        several.only("acuracy")


def test_all_pairs_of_all_metrics_are_one_family(several):
    together = compare(several, n_resamples=500, level=0.2)
    assert together.metrics == METRICS
    assert len(together.pairs) == 3 * 3
    for raw, adjusted in (("p", "p_adjusted"), ("p_corrected", "p_corrected_adjusted")):
        expected = multipletests(together.pairs[raw], method="holm")[1]
        np.testing.assert_allclose(together.pairs[adjusted], expected, rtol=1e-12)
    depends = ["p_adjusted", "p_corrected_adjusted", "winner", "winner_corrected"]
    for metric in METRICS:
        alone, part = compare(several.only(metric), n_resamples=500, level=0.2), together.only(metric)
        pd.testing.assert_frame_equal(part.estimates, alone.estimates)
        pd.testing.assert_frame_equal(part.pairs.drop(columns=depends), alone.pairs.drop(columns=depends))
        assert (part.pairs["p_adjusted"] >= alone.pairs["p_adjusted"]).all()
        assert part.settings["instability"].to_list() == alone.settings["instability"].to_list()
        assert part.settings["wins"].iloc[:2].to_list() == alone.settings["wins"].iloc[:2].to_list()
        assert (part.settings["wins"] <= alone.settings["wins"]).all()
        assert part.about["metric"] == metric
    with pytest.raises(ParameterError, match="metric"):
        together.only("roc_auc")
    table = instability(several)
    assert list(table.columns)[:2] == ["metric", "unit"]
    pd.testing.assert_frame_equal(
        table[table["metric"] == "f1_macro"].drop(columns="metric").reset_index(drop=True),
        instability(several.only("f1_macro")),
    )


def test_wins_of_a_single_seed_are_adjusted_over_all_metrics():
    rng = np.random.default_rng(5)
    tables = 0.4 * rng.random((2, 3, 2, 2, 4)) + 0.35 * np.arange(3)[:, None, None, None]
    trials, alone = with_metrics(list(tables))
    pairs = compare(trials, n_resamples=50).pairs
    table = declared_wins(trials, pairs, 0.05).set_index(["metric", "setting"])["wins"]
    wins, unadjusted = np.zeros(2), np.zeros(2)
    for seed in range(2):
        for repeat in range(2):
            p = [
                nadeau_bengio(scores[a, seed, repeat] - scores[b, seed, repeat], 0).p
                for scores in tables
                for a, b in ((0, 1), (0, 2), (1, 2))
            ]
            wins += multipletests(p, method="holm")[0].reshape(2, 3).sum(axis=1) / 4
            unadjusted += (np.array(p) <= 0.05).reshape(2, 3).sum(axis=1) / 4
    assert wins.sum() > 0
    for position, metric in enumerate(["metric0", "metric1"]):
        assert table[metric, "one seed, k folds, paired t, Holm"] == pytest.approx(wins[position])
        assert table[metric, "one seed, k folds, paired t, unadjusted"] == pytest.approx(unadjusted[position])
    assert (wins <= [declared_wins(one, pairs[:3]).loc[2, "wins"] for one in alone]).all()


def test_a_fold_that_one_metric_lacks_is_named():
    def only_some(model, X, y):
        if X[0, 0] == WINE[0][0, 0]:
            raise ValueError("not this fold")
        return model.score(X, y)

    splits = make_splits(*WINE, k=4)
    trials = quick(MODELS, *WINE, splits, seeds=[7], metric={"accuracy": "accuracy", "some": only_some})
    assert set(trials.failed["metric"]) == {"some"}
    assert len(trials.failed) == 3 * 2
    with pytest.raises(StudyError, match=r"6 of 48 scores failed, .*, some: ValueError: not this fold; repair"):
        compare(trials)


def test_a_failed_fit_fails_every_metric():
    class Fails(NearestCentroid):
        def fit(self, X, y):
            raise RuntimeError("no")

    trials = quick({"fails": Fails()}, *IRIS, make_splits(*IRIS, k=2), seeds=[7], metric=["accuracy", "f1_macro"])
    assert trials.scores["error"].to_list() == ["RuntimeError: no"] * 8
    assert trials.seconds["fit_seconds"].isna().all()


def test_disagreement_of_the_tests_names_the_metric():
    d = np.array([1, 1, 1, 1, 1, 1, 1, 9]).reshape(1, 2, 4) / 10
    scores = np.stack([d, np.zeros_like(d)])
    trials, _ = with_metrics([scores, 0 * scores])
    found = compare(trials, n_resamples=50, level=0.1)
    assert any(note.startswith("metric0, m0 against m1: Wilcoxon and the corrected test") for note in found.notes)


def test_a_seed_that_changes_nothing_does_so_by_every_metric(several):
    assert several.seed_changes_nothing == ["near", "bayes"]
    first_same = with_metrics([np.full((2, 2, 2, 2), 0.5), np.arange(16.0).reshape(2, 2, 2, 2)])[0]
    assert first_same.seed_changes_nothing == []  # one metric is enough
