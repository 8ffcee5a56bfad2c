"""The encoder benchmark: categorical encoders x models x metrics on the tasks cut from bundled tables."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from genexpy_nb.common.errors import DataError, load_extra
from genexpy_nb.common.hashing import fingerprint
from runs.tasks import Task

ce = load_extra("testbed", "category_encoders")

COLUMNS = ("dataset", "model", "tuning", "scoring", "encoder", "cv_score", "time")
SCORINGS = ("ACC", "AUC", "BACC", "F1")
TUNINGS = ("no", "model")
INNER_FOLDS = 3

#: Short name -> encoder of the categorical columns; None drops them. Short names follow the published study where it
#: has the same encoder.
ENCODERS: dict[str, BaseEstimator | None] = {
    "BDE": ce.BackwardDifferenceEncoder(),
    "BE": ce.BinaryEncoder(),
    "CBE": ce.CatBoostEncoder(),
    "CE": ce.CountEncoder(handle_unknown=0),
    "CV5TE": TargetEncoder(cv=5, shuffle=True, random_state=0),
    "DE": None,
    "HE": ce.HelmertEncoder(),
    "HSE": ce.HashingEncoder(n_components=16, max_process=1),
    "JSE": ce.JamesSteinEncoder(),
    "LOOE": ce.LeaveOneOutEncoder(),
    "ME01E": ce.MEstimateEncoder(m=0.1),
    "ME1E": ce.MEstimateEncoder(m=1),
    "ME10E": ce.MEstimateEncoder(m=10),
    "OE": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    "OHE": OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    "QE": ce.QuantileEncoder(quantile=0.5),
    "RHE": ce.RankHotEncoder(),
    "SE": ce.SumEncoder(),
    "TE": ce.TargetEncoder(smoothing=10),
    "TE1": ce.TargetEncoder(min_samples_leaf=1, smoothing=1),
    "TE100": ce.TargetEncoder(min_samples_leaf=20, smoothing=100),
    "WOEE": ce.WOEEncoder(),
}


#: Train features, train classes, test features, test classes.
Fold = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Model:
    """A classifier, its main hyperparameter, and the values that tuning tries, the simplest model first."""

    estimator: BaseEstimator
    parameter: str
    grid: tuple[Any, ...]

    @property
    def default(self) -> Any:
        """The value of the hyperparameter without tuning; it is always part of the grid."""
        return self.estimator.get_params()[self.parameter]


MODELS: dict[str, Model] = {
    "DTC": Model(DecisionTreeClassifier(random_state=0), "max_depth", (2, 5, None)),
    "GNB": Model(GaussianNB(), "var_smoothing", (1.0, 1e-2, 1e-9)),
    "KNC": Model(KNeighborsClassifier(), "n_neighbors", (20, 5, 1)),
    "LR": Model(LogisticRegression(max_iter=500), "C", (0.1, 1.0, 10.0)),
    "SVC": Model(SVC(), "C", (0.1, 1.0, 10.0)),
}


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence what category_encoders and scikit-learn say about their own future, and nothing else."""
    with warnings.catch_warnings(), sklearn.config_context(skip_parameter_validation=True):
        for category in (FutureWarning, DeprecationWarning, PendingDeprecationWarning):
            warnings.filterwarnings("ignore", category=category, module=r"(category_encoders|sklearn)\.")
        yield


@_quiet()
def encode(
    encoder: BaseEstimator | None, task: Task, train: np.ndarray, test: np.ndarray, scaled: str = "all"
) -> tuple[np.ndarray, np.ndarray]:
    """Encode the categorical columns and standardize all columns; nothing is learned from the test rows."""
    numeric = task.X[list(task.numeric)].to_numpy()
    if scaled == "numeric":
        numeric = StandardScaler().fit(numeric[train]).transform(numeric)
    train_features, test_features = numeric[train], numeric[test]
    if encoder is not None:
        categorical, fitted = task.X[list(task.categorical)], clone(encoder)
        # fit_transform is not fit, then transform: some encoders treat the rows that they learn from differently
        encoded = fitted.fit_transform(categorical.iloc[train], task.y[train]), fitted.transform(categorical.iloc[test])
        train_encoded, test_encoded = (np.asarray(part, dtype=float) for part in encoded)
        train_features = np.hstack([train_encoded, train_features])
        test_features = np.hstack([test_encoded, test_features])
    if not (np.isfinite(train_features).all() and np.isfinite(test_features).all()):
        raise DataError("the encoder returned missing or infinite values")
    if scaled == "numeric":
        return train_features, test_features
    scaler = StandardScaler().fit(train_features)
    return scaler.transform(train_features), scaler.transform(test_features)


def evaluate(truth: np.ndarray, margin: np.ndarray, cut: float) -> dict[str, float]:
    """Score predictions by all metrics at once."""
    predicted = margin > cut
    positives, n = int(truth.sum()), len(truth)
    hits = int(truth[predicted].sum())
    false_alarms = int(predicted.sum()) - hits
    negatives = n - positives
    rank_sum = float(rankdata(margin)[truth == 1].sum())
    return {
        "ACC": (hits + negatives - false_alarms) / n,
        "AUC": (rank_sum - positives * (positives + 1) / 2) / (positives * negatives),
        "BACC": (hits / positives + (negatives - false_alarms) / negatives) / 2,
        "F1": 2 * hits / (hits + false_alarms + positives),
    }


def _fit_score(model: Model, value: Any, fold: Fold) -> tuple[dict[str, float], float]:
    """Scores and CPU seconds of one fit."""
    start = process_time()
    train_features, train_y, test_features, test_y = fold
    fitted = clone(model.estimator).set_params(**{model.parameter: value}).fit(train_features, train_y)
    if hasattr(fitted, "predict_proba"):
        margin, cut = fitted.predict_proba(test_features)[:, 1], 0.5
    else:
        margin, cut = fitted.decision_function(test_features), 0.0
    return evaluate(test_y, margin, cut), process_time() - start


def _tune(model: Model, features: np.ndarray, y: np.ndarray, seed: int) -> dict[str, Any]:
    """The best value of the grid for each metric, by cross-validation inside the training rows."""
    inner = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed).split(features, y)
    folds = [(features[train], y[train], features[test], y[test]) for train, test in inner]
    means = [pd.DataFrame([_fit_score(model, value, fold)[0] for fold in folds]).mean() for value in model.grid]
    # idxmax takes the first of equals: the simplest model
    return {scoring: model.grid[int(np.argmax([mean[scoring] for mean in means]))] for scoring in SCORINGS}


def _run_model(
    model: Model, folds: list[Fold], tunings: Iterable[str], seed: int
) -> tuple[dict[tuple[str, str], tuple[float, float]], int]:
    """(tuning, scoring) -> (mean score, CPU seconds) over the folds of one encoder; then the number of model fits."""
    results: dict[tuple[str, str], list[tuple[float, float]]] = {}
    n_fits = 0
    for fold in folds:
        fits = {}  # a value of the hyperparameter is fitted once, whichever metrics chose it
        for tuning in tunings:
            start = process_time()
            if tuning == "no":
                chosen = dict.fromkeys(SCORINGS, model.default)
            else:
                chosen = _tune(model, fold[0], fold[1], seed)
                n_fits += len(model.grid) * INNER_FOLDS
            spent = process_time() - start
            for scoring, value in chosen.items():
                if value not in fits:
                    fits[value] = _fit_score(model, value, fold)
                scores, seconds = fits[value]
                results.setdefault((tuning, scoring), []).append((scores[scoring], spent + seconds))
        n_fits += len(fits)
    means = {key: (float(np.mean([s for s, _ in pairs])), sum(t for _, t in pairs)) for key, pairs in results.items()}
    return means, n_fits


def task_key(task: Task, **options: Any) -> str:
    """Fingerprint of all that a task's results depend on, code included; options are those of `run_task`."""
    return fingerprint(task.X, task.y, task.categorical, ENCODERS, MODELS, INNER_FOLDS, options, run_task)


def run_task(
    task: Task,
    encoders: Iterable[str] = tuple(ENCODERS),
    models: Iterable[str] = tuple(MODELS),
    scorings: Iterable[str] = SCORINGS,
    tunings: Iterable[str] = ("no",),
    n_folds: int = 5,
    seed: int = 0,
    scaled: str = "all",
) -> pd.DataFrame:
    """Cross-validate every encoder with every model on one task."""
    splits = list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(task.X, task.y))
    rows: list[tuple] = []
    failures: list[dict[str, str | None]] = []
    n_fits = 0
    # the fits are small: threads only get in each other's way, and can change last digits
    with _quiet(), threadpool_limits(1):
        for encoder in encoders:
            start = process_time()
            try:
                encoded = [encode(ENCODERS[encoder], task, train, test, scaled) for train, test in splits]
            except Exception as error:  # third-party encoders raise all sorts; a failed fit is a missing row
                failures.append(_failure(task, encoder, None, error))
                continue
            spent = process_time() - start
            folds: list[Fold] = [
                (features, task.y[train], held_out, task.y[test])
                for (features, held_out), (train, test) in zip(encoded, splits, strict=True)
            ]
            for model in models:
                try:
                    results, fits = _run_model(MODELS[model], folds, tunings, seed)
                except Exception as error:
                    failures.append(_failure(task, encoder, model, error))
                    continue
                n_fits += fits
                rows += [
                    (task.name, model, tuning, scoring, encoder, round(score, 9), round(spent + seconds, 3))
                    for (tuning, scoring), (score, seconds) in results.items()
                    if scoring in scorings
                ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).sort_values(list(COLUMNS[:5]), ignore_index=True)
    frame.attrs |= {"model_fits": n_fits, "failures": failures}
    return frame


def _failure(task: Task, encoder: str, model: str | None, error: Exception) -> dict[str, str | None]:
    reason = f"{type(error).__name__}: {str(error)[:200]}"
    return {"dataset": task.name, "encoder": encoder, "model": model, "reason": reason}
