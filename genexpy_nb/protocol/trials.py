"""Run trials: every model, seed, repeat and fold is fitted and scored once, and what is finished stays finished."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import platform
import random
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils import _safe_indexing

from genexpy_nb.common.checks import check_choice, check_count, suggest
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.hashing import check_key, describe, versions, write_about
from genexpy_nb.common.parallel import run_resumable, thread_pools
from genexpy_nb.common.rankings import negligible
from genexpy_nb.protocol.determinism import global_seed
from genexpy_nb.protocol.splits import Splits, check_data

#: The seeds that the paper fixes in advance, Section 3.3.
SEEDS = (7, 13, 21, 42, 31415)
KEY = ["model", "seed", "repeat", "fold"]
_REMEDY = "give key=, a text that says what the models and the metric are"
CLOCK = ["fit_seconds", "score_seconds"]
_SETTINGS = ("assume_finite", "transform_output", "enable_metadata_routing", "array_api_dispatch")  # of scikit-learn

#: The name of a scikit-learn scorer, or a function (estimator, X, y) -> float. Higher is better.
Metric = str | Callable[[Any, Any, Any], float]


class OfMetrics:
    """What trials and comparisons have in common: one or several metrics."""

    about: dict[str, Any]

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics, in the order in which they were given."""
        return list(self.about.get("metrics") or [self.about.get("metric", "")])

    def about_only(self, metric: str) -> dict[str, Any]:
        """Return what there is to know about one of the metrics."""
        check_choice("metric", metric, self.metrics)
        return {name: value for name, value in self.about.items() if name != "metrics"} | {"metric": metric}


def of_metric(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows of one metric."""
    if "metric" not in table:
        return table
    return table[table["metric"] == metric].drop(columns="metric").reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class Trials(OfMetrics):
    """The outcome of all trials; `run_trials` says what is in it."""

    scores: pd.DataFrame
    seconds: pd.DataFrame
    about: dict[str, Any]

    @property
    def models(self) -> list[str]:
        """Names of the models, in the order in which they were given."""
        return list(self.about["models"])

    def only(self, metric: str) -> Trials:
        """Return the trials with one of their metrics: what `run_trials` would have returned with this one alone."""
        return Trials(of_metric(self.scores, metric), self.seconds, self.about_only(metric))

    @property
    def failed(self) -> pd.DataFrame:
        """The trials that failed, with their errors."""
        return self.scores[self.scores["error"] != ""].reset_index(drop=True)

    @property
    def seed_changes_nothing(self) -> list[str]:
        """Models whose scores are the same with every seed, but for rounding: more seeds add no information."""
        trial = ["model", "repeat", "fold", *(["metric"] if "metrics" in self.about else [])]
        scores = self.scores.groupby(trial, sort=False)["score"].agg(["min", "max"]).dropna()
        same = negligible(scores["max"] - scores["min"], scores.abs().max(axis=1)).groupby("model").all()
        return [model for model in self.models if len(self.about["seeds"]) > 1 and same.get(model, False)]

    def wide(self, average_seeds: bool = True) -> pd.DataFrame:
        """Return the scores of one metric: a column per model, a row per fold (mean over seeds) or seed and fold."""
        if len(self.metrics) > 1:
            raise ParameterError(f"there are several metrics, {self.about['metric']}: choose one, trials.only(...)")
        index = ["repeat", "fold"] if average_seeds else ["seed", "repeat", "fold"]
        scores = self.scores.assign(missing=self.scores["score"].isna()).groupby([*index, "model"], sort=False)
        wide = scores["score"].mean().where(~scores["missing"].any()).unstack("model")
        return wide[self.models].sort_index()


def with_seed(model: BaseEstimator, seed: int) -> tuple[BaseEstimator, bool]:
    """Return a fresh copy of an estimator with every ``random_state`` in it set, and whether there was one."""
    model = clone(model)
    changes: dict[str, Any] = {}
    for name, value in model.get_params(deep=True).items():
        if name.rpartition("__")[2] == "random_state":
            changes[name] = seed
        elif hasattr(value, "random_state") and not hasattr(value, "get_params") and getattr(value, "shuffle", True):
            value.random_state = seed  # a splitter, cloned with the rest: no estimator, so set_params does not reach it
            changes[name] = value
    model.set_params(**changes)  # what it returns need not be the model: a frozen one returns nothing
    return model, bool(changes)


def run_trials(
    models: Mapping[str, BaseEstimator],
    X: Any,
    y: ArrayLike,
    splits: Splits,
    seeds: Sequence[int] | int = SEEDS,
    metric: Metric | Sequence[Metric] | Mapping[str, Metric] = "accuracy",
    *,
    groups: ArrayLike | None = None,
    folder: str | os.PathLike | None = None,
    n_jobs: int | None = None,
    retry_failed: bool = False,
    key: str | None = None,
    progress: bool = True,
) -> Trials:
    """Fit and score every model with every seed on every fold (Section 3.1, steps 2 to 5).

    Parameters
    ----------
    models : mapping of str to estimator
        Of scikit-learn; pipelines, searches (nested tuning) and thresholds tuned in inner folds included: all that they
        tune, they tune on the training part. They are cloned, never changed.
    X, y, groups
        The data that the splits were made for, or `DataError`; a nested search does not see the groups.
    seeds : int or sequence of int
        Each is set as ``random_state`` wherever a model has one, and as the seed of the global generators before
        each fit. A model that draws nothing gets the same score with each of them, see `Trials.seed_changes_nothing`.
    metric : str, callable, or a sequence or mapping of them
        Name of a scikit-learn scorer, or a function (estimator, X, y) -> float. Higher is better: an error is negated,
        and called ``neg_...``. Several metrics score the same fitted models; a mapping gives them their names.
    folder : path-like, optional
        Where finished trials are kept: the same call continues there. Models and metric count by their parameters and
        the source of your own functions and classes; change ``key`` when code that your model calls changes.
    n_jobs : int, optional
        Worker processes. Each fit has one thread of the numerical libraries (BLAS, OpenMP).
    retry_failed : bool
        Run trials again that failed before; otherwise their failure is a result like any other.
    key : str, optional
        Stands for models and metric in ``folder``, where they cannot be told apart (an open file in them, a function
        without source): give another one whenever they change.
    progress : bool
        Show a bar.

    Returns
    -------
    Trials
        ``scores``, a row per trial: model, seed, repeat, fold, score (NaN if and only if it failed), error (why, or
        empty), warnings; the same bytes for any number of workers and however often the run was interrupted. With
        several metrics a row per trial and metric, and a column metric before score. ``seconds``: fit_seconds and
        score_seconds by the wall clock. ``about``: what was run, with which versions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
    >>> from genexpy_nb.protocol import make_splits
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {"centroid": NearestCentroid(), "5 neighbours": KNeighborsClassifier(5)}
    >>> run_trials(models, X, y, make_splits(X, y), [7], progress=False).wide().mean().round(3).to_dict()
    {'centroid': 0.927, '5 neighbours': 0.963}
    """
    seeds = check_seeds(seeds)
    y = check_data(splits, X, y, groups)
    scorers = scorers_of(metric)
    names, several = list(scorers), len(scorers) > 1
    prepared = {(name, seed): with_seed(model, seed) for name, model in check_models(models).items() for seed in seeds}
    copies = {pair: model for pair, (model, _) in prepared.items()}
    shared: dict[str, Any] = {
        "splits": splits.sha256,
        "metric": names if several else names[0],
        "versions": versions(["numpy", "scipy"]),
    }
    made_of: dict[tuple[str, int], Any] = dict.fromkeys(copies)
    if folder is not None:
        shared |= {"X": describe(X, "X", _REMEDY), "y": describe(y, "y", _REMEDY)}
        settings = {name: str(value) for name, value in get_config().items() if name in _SETTINGS}
        shared |= {"scikit-learn": settings, "key": check_key(key)}
        if key is None:
            described = {name: describe(scorer, "the metric", _REMEDY) for name, scorer in scorers.items()}
            shared["scorer"] = described if several else described[names[0]]
            made_of = {pair: describe(model, f"models[{pair[0]!r}]", _REMEDY) for pair, model in copies.items()}
        models_about = {name: made_of[name, seeds[0]] for name in models}
        write_about(folder, {"what": "run_trials", **shared, "seeds": seeds, "models": models_about})
    cells = _fingerprints(made_of, splits, shared)
    keys = dict.fromkeys(cells, "trial")  # the name of a trial is its fingerprint already

    def run(name: str) -> pd.DataFrame:
        model, seed, repeat, fold = cells[name]
        with thread_pools().limit(limits=1):
            outcomes = _one_trial(copies[model, seed], X, y, *splits.split(repeat, fold), scorers, seed)
        trial = {"model": model, "seed": seed, "repeat": repeat, "fold": fold}
        return pd.DataFrame([{**trial, **({"metric": name} if several else {}), **outcomes[name]} for name in names])

    with TemporaryDirectory() as temporary:
        place = Path(folder or temporary)
        failed = (lambda trial: bool((trial["error"] != "").any())) if retry_failed else None
        table = run_resumable(run, keys, place, n_jobs, progress, again=failed)
    table.attrs = {}
    about = {
        "metric": ", ".join(names),
        **({"metrics": names} if several else {}),
        "seeds": seeds,
        "split_seed": splits.seed,
        **{name: getattr(splits, name) for name in ("k", "n_repeats", "stratified", "grouped", "n_rows", "data")},
        "splits": splits.sha256,
        "models": {name: parameters_of(model) for name, model in models.items()},
        "seeded": [name for name in models if prepared[name, seeds[0]][1]],
        "versions": {**splits.versions, "python": platform.python_version(), **versions(["numpy", "scipy"])},
    }
    seconds = table[[*KEY, *CLOCK]]
    if several:  # a trial is fitted once; its metrics share the time
        times = {"fit_seconds": "first", "score_seconds": lambda spent: spent.sum(min_count=1)}
        seconds = table.groupby(KEY, sort=False, as_index=False).agg(times)
    return Trials(table.drop(columns=CLOCK), seconds, about)


def _fingerprints(
    made_of: Mapping[tuple[str, int], Any], splits: Splits, shared: Mapping[str, Any]
) -> dict[str, tuple[str, int, int, int]]:
    """Return (model, seed, repeat, fold) of every trial under the hash of all that its score depends on."""
    common = {pair: json.dumps([model, pair, shared]) for pair, model in made_of.items()}
    return {
        hashlib.sha256(f"{common[pair]} {repeat} {fold}".encode()).hexdigest()[:24]: (*pair, repeat, fold)
        for pair, repeat, fold in product(made_of, range(splits.n_repeats), range(splits.k))
    }


def _one_trial(
    model: BaseEstimator,
    X: Any,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    scorers: Mapping[str, Callable],
    seed: int,
) -> dict[str, dict[str, Any]]:
    """Fit once, and return what each metric says of it, as if it were the only one."""
    error, fitted = "", np.nan
    with global_seed(seed), warnings.catch_warnings(record=True, action="always") as caught:
        start = perf_counter()
        try:
            model = clone(model).fit(_safe_indexing(X, train), y[train])
            fitted = perf_counter() - start
        except Exception as problem:  # whatever a model raises is the outcome of its trial, not the end of the run
            error = _said(problem)
        drawn, last = (random.getstate(), np.random.get_state()), start + fitted  # noqa: NPY002
        of_fit, outcomes = _names(caught), {}
        for name, scorer in scorers.items():
            score, failure, warned, scored = np.nan, error, of_fit, np.nan
            if not error:
                random.setstate(drawn[0])
                np.random.set_state(drawn[1])  # noqa: NPY002
                with warnings.catch_warnings(record=True, action="always") as caught:
                    score, failure = _scored(scorer, model, X, y, test)
                scored, last = (now := perf_counter()) - last, now
                warned = of_fit | _names(caught)
            said = {"error": failure, "warnings": ", ".join(sorted(warned))}
            outcomes[name] = {"score": score, **said, "fit_seconds": fitted, "score_seconds": scored}
    return outcomes


def _scored(scorer: Callable, model: BaseEstimator, X: Any, y: np.ndarray, test: np.ndarray) -> tuple[float, str]:
    """Return the score on the test part, or why there is none."""
    try:
        score = float(scorer(model, _safe_indexing(X, test), y[test]))
    except Exception as problem:  # as of the fit
        return np.nan, _said(problem)
    return (score, "") if np.isfinite(score) else (np.nan, f"the metric is {score}")


def _said(problem: Exception) -> str:
    return f"{type(problem).__name__}: {str(problem)[:500]}"


def _names(caught: list[warnings.WarningMessage]) -> set[str]:
    return {warning.category.__name__ for warning in caught}


def check_models(models: Mapping[str, BaseEstimator]) -> Mapping[str, BaseEstimator]:
    """Return the models, or raise `ParameterError` if they are not estimators with names."""
    if not isinstance(models, Mapping) or not models:
        raise ParameterError("models must be a dict {name: estimator} with at least one model")
    for name, model in models.items():
        if not isinstance(name, str) or not name:
            raise ParameterError(f"models: names must be non-empty strings, got {name!r}")
        if isinstance(model, type) or not hasattr(model, "fit") or not hasattr(model, "get_params"):
            raise ParameterError(f"models: {name!r} is no scikit-learn estimator but {model!r}")
    return models


def check_seeds(seeds: Sequence[int] | int) -> list[int]:
    """Return the seeds as a list, or raise `ParameterError` if there is none, one twice, or one out of range."""
    given: list[Any] = [seeds] if isinstance(seeds, (int, np.integer)) else list(seeds)
    checked = [check_count("each of the seeds", seed, 0, 2**32 - 1) for seed in given]
    if not checked or len(set(checked)) < len(checked):
        raise ParameterError(f"seeds must be at least one, each once, got {checked}")
    return checked


def scorers_of(metric: Metric | Sequence[Metric] | Mapping[str, Metric]) -> dict[str, Callable[[Any, Any, Any], float]]:
    """Return one or several metrics as functions (estimator, X, y) -> float, higher is better, each under its name."""
    if isinstance(metric, Mapping):
        wrong = [name for name in metric if not isinstance(name, str) or not name]
        if wrong:
            raise ParameterError(f"metric: names must be non-empty strings, got {wrong[0]!r}")
        pairs = [(name, _scorer(one)[1]) for name, one in metric.items()]
    else:
        given = [metric] if isinstance(metric, str) or not isinstance(metric, Sequence) else metric
        pairs = [_scorer(one) for one in given]
    scorers = dict(pairs)
    if not scorers or len(scorers) < len(pairs):
        twice = [name for name, _ in pairs]
        raise ParameterError(
            "metric must be at least one, each under a name of its own, "
            f"got {', '.join(twice) or 'none'}; a dict {{name: metric}} gives names"
        )
    return scorers


def _scorer(metric: Metric) -> tuple[str, Callable]:
    if isinstance(metric, str):
        if metric not in get_scorer_names():
            raise ParameterError(
                f"metric: scikit-learn has no scorer {metric!r}{suggest(metric, get_scorer_names())}; "
                "sklearn.metrics.get_scorer_names() lists them"
            )
        return metric, get_scorer(metric)
    if not callable(metric):
        raise ParameterError(f"metric must be the name of a scorer or a function, got {metric!r}")
    if inspect.isfunction(metric) and metric.__module__.startswith("sklearn.metrics"):
        raise ParameterError(
            f"metric: {metric.__name__} takes (y_true, y_pred) and has no direction; make a scorer of it: "
            f"sklearn.metrics.make_scorer({metric.__name__}, greater_is_better=...)"
        )
    name = getattr(getattr(metric, "_score_func", metric), "__name__", type(metric).__name__)
    return ("neg_" if getattr(metric, "_sign", 1) < 0 else "") + name, metric


def parameters_of(model: BaseEstimator) -> str:
    """Return an estimator as one line, all of its parameters included that are not at their default."""
    return " ".join(model.__repr__(N_CHAR_MAX=10_000).split())
