"""What the protocol costs: fits, which can be counted; seconds depend on the machine."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.model_selection import (
    GridSearchCV,
    ParameterGrid,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    check_cv,
)

from genexpy_nb.protocol.trials import KEY, Trials


def fit_counts(trials: Trials, models: Mapping[str, BaseEstimator]) -> pd.DataFrame:
    """Count the fits that the protocol takes, against one training of each model (Section 4.3)."""
    count = trials.scores.drop_duplicates(KEY)["model"].value_counts()  # however many metrics score a fit
    n_seeds = len(trials.about["seeds"])
    rows = []
    for name, model in models.items():
        needed = count[name] // n_seeds if name in trials.seed_changes_nothing else count[name]
        rows.append((name, _inner_fits(model), int(count[name]), int(needed)))
    frame = pd.DataFrame(rows, columns=["model", "n_fits_per_trial", "n_trials", "n_trials_needed"])
    frame.insert(3, "n_fits", frame["n_fits_per_trial"] * frame["n_trials"])
    needed = frame["n_fits_per_trial"] * frame["n_trials_needed"]
    total = {name: frame[name].sum() for name in frame.columns.drop("model")}
    frame = pd.concat([frame, pd.DataFrame([{"model": "all", **total}])], ignore_index=True)
    frame.insert(4, "factor", frame["n_fits"] / frame["n_fits_per_trial"])
    frame["factor_needed"] = [*needed, needed.sum()] / frame["n_fits_per_trial"]
    return frame


def _inner_fits(model: BaseEstimator) -> int:
    """Return how many times the model at the heart of an estimator is fitted when the estimator is."""
    fits = 1
    for part in {id(value): value for value in [model, *model.get_params().values()]}.values():
        if isinstance(part, GridSearchCV):
            candidates = len(ParameterGrid(part.param_grid))
        elif isinstance(part, RandomizedSearchCV):
            candidates = part.n_iter
        elif isinstance(part, TunedThresholdClassifierCV):
            # Thresholds are tried without a fit of their own; a share of the rows is one split.
            inner = 1 if isinstance(part.cv, (float, str)) else check_cv(part.cv).get_n_splits()
            fits *= 0 if part.cv == "prefit" else inner + 1
            continue
        else:
            continue
        fits *= candidates * check_cv(part.cv).get_n_splits() + bool(part.refit)
    return fits
