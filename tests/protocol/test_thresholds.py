"""Thresholds tuned inside the folds: what tunes them never sees a row of the test part."""

from typing import ClassVar

import numpy as np
import pytest
from made_up_trials import quick
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, TunedThresholdClassifierCV
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
