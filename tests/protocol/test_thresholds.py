"""Thresholds tuned inside the folds: what tunes them never sees a row of the test part."""

from typing import ClassVar

import numpy as np
import pytest
from made_up_trials import quick
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, TunedThresholdClassifierCV, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from genexpy_nb.protocol import make_splits

X, y = load_breast_cancer(return_X_y=True)
NUMBERED = np.column_stack([np.arange(len(y)), X[:, :5]])  # each row carries its number


class Recording(GaussianNB):
    """Writes down the numbers of the rows that it is fitted to and asked about."""

    seen: ClassVar[list[set]] = []

    def fit(self, X, y):
        self.seen.append(set(X[:, 0]))
        return super().fit(X[:, 1:], y)

    def predict_proba(self, X):
        self.seen.append(set(X[:, 0]))
        return super().predict_proba(X[:, 1:])


@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: TunedThresholdClassifierCV(model, thresholds=5, scoring="balanced_accuracy"),
        lambda model: TunedThresholdClassifierCV(model, thresholds=5, cv=0.25),
        lambda model: TunedThresholdClassifierCV(
            model, cv=StratifiedKFold(3, shuffle=True), thresholds=5, scoring="f1"
        ),
        lambda model: GridSearchCV(TunedThresholdClassifierCV(model, cv=2), {"thresholds": [3, 5]}, cv=2),
    ],
)
def test_tuning_never_sees_a_test_row(wrap):
    splits = make_splits(NUMBERED, y, k=3)
    scored = []

    def metric(model, X, y):
        scored.append(set(X[:, 0]))
        before = [rows for rows in Recording.seen if rows]
        Recording.seen.clear()
        score = balanced_accuracy_score(y, model.predict(X))
        assert Recording.seen == [set(X[:, 0])]  # the test part is looked at now, and only now
        Recording.seen.clear()
        assert len(before) > 2 and not any(rows & set(X[:, 0]) for rows in before)
        return score

    Recording.seen.clear()
    trials = quick({"tuned": wrap(Recording())}, NUMBERED, y, splits, seeds=[7, 13], metric=metric)
    assert trials.failed.empty
    assert scored == 2 * [set(test) for _, test in splits]


def test_the_threshold_is_the_best_one_of_the_inner_folds():
    """Against a search by hand over the out-of-fold probabilities of the training rows."""
    splits = make_splits(X, y, k=3, n_repeats=1)
    grid = [0.1, 0.35, 0.6, 0.9]
    inner = StratifiedKFold(4)
    model = TunedThresholdClassifierCV(GaussianNB(), cv=inner, thresholds=grid, scoring="balanced_accuracy")
    found = []

    def metric(fitted, X, y):
        found.append((fitted.best_threshold_, fitted.score(X, y)))
        return found[-1][1]

    quick({"tuned": model}, X, y, splits, seeds=[7], metric=metric)
    for (train, test), (threshold, score) in zip(splits, found, strict=True):
        parts = [part for _, part in inner.split(X[train], y[train])]
        inside = cross_val_predict(GaussianNB(), X[train], y[train], cv=inner, method="predict_proba")[:, 1]
        means = [
            np.mean([balanced_accuracy_score(y[train][part], inside[part] >= one) for part in parts]) for one in grid
        ]
        assert threshold == grid[int(np.argmax(means))]
        outside = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        assert score == np.mean((outside >= threshold) == y[test])


def test_seeds_reach_the_tuning():
    splits = make_splits(X, y, k=3)
    model = TunedThresholdClassifierCV(LogisticRegression(solver="liblinear"), cv=0.2, refit=False, thresholds=9)
    trials = quick({"tuned": model}, X[:, :4], y, make_splits(X[:, :4], y, k=3), seeds=[7, 13])
    assert trials.about["seeded"] == ["tuned"]
    assert trials.seed_changes_nothing == []
    fixed = quick({"tuned": TunedThresholdClassifierCV(GaussianNB(), thresholds=5)}, X, y, splits, seeds=[7, 13])
    assert fixed.seed_changes_nothing == ["tuned"]  # inner folds without a shuffle draw nothing
