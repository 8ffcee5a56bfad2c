"""What the trials say: estimates, intervals, tests, effect sizes, instability, declared wins and cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, ParameterGrid, RandomizedSearchCV, check_cv

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.protocol.trials import Trials
from genexpy_nb.significance.multiple import adjust_pvalues
from genexpy_nb.significance.pairs import compare_pairs
from genexpy_nb.significance.wilcoxon import paired_differences

__all__ = [
    "Comparison",
    "CorrectedTest",
    "compare",
    "declared_wins",
    "fit_counts",
    "instability",
    "nadeau_bengio",
    "overhead",
]

#: What is ordered again and again, and the columns that tell one time from the next.
LEVELS = {
    "one trial": ["seed", "repeat", "fold"],
    "one seed, k folds": ["seed", "repeat"],
    "one seed, all folds": ["seed"],
}


# --- one pair ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CorrectedTest:
    """Result of the corrected resampled t-test.

    Attributes
    ----------
    mean : float
        Mean difference.
    low, high : float
        Its interval.
    statistic, df : float
        Student's t and its degrees of freedom.
    p_value : float
        Two-sided.
    note : str
        Why a value is degenerate; mostly empty.
    """

    mean: float
    low: float
    high: float
    statistic: float
    df: int
    p_value: float
    note: str


def nadeau_bengio(differences: ArrayLike, test_share: float, confidence: float = 0.95) -> CorrectedTest:
    """Test a mean difference over resampled splits, whose training sets overlap: the corrected resampled t-test.

    The variance of the mean is ``(1 / n + rho / (1 - rho)) s^2`` instead of ``s^2 / n``, with the share ``rho`` of the
    rows in a test part taken for the correlation between two splits.

    Parameters
    ----------
    differences : array_like, shape (n,)
        One paired difference per split, n >= 2.
    test_share : float
        Share of the rows in a test part, in [0, 1): 1 / k for k folds. 0 gives the ordinary paired t-test.
    confidence : float
        Of the interval, in (0, 1).

    Returns
    -------
    CorrectedTest
        If all differences are equal there is no variance: p is 1 without any difference, else 0; ``note`` says so.

    Raises
    ------
    DataError
        If a difference is missing or infinite.
    ParameterError
        If there are fewer than two, or a share is out of range.

    References
    ----------
    Nadeau and Bengio, Inference for the Generalization Error, Machine Learning 2003, Section 3, item 3.

    Examples
    --------
    >>> test = nadeau_bengio([0.01, 0.03, 0.02, 0.00, 0.04], test_share=0.2)
    >>> round(test.statistic, 3), round(test.p_value, 3)
    (1.886, 0.132)
    """
    d = np.asarray(differences, dtype=float)
    if d.ndim != 1 or len(d) < 2:
        raise ParameterError(
            f"differences must be at least two numbers, got shape {d.shape}: a single fold says nothing about chance"
        )
    if not np.isfinite(d).all():
        position = int((~np.isfinite(d)).argmax())
        raise DataError(f"differences must be finite, got {d[position]} at position {position}")
    if not 0 <= test_share < 1:
        raise ParameterError(f"test_share must be in [0, 1), got {test_share!r}")
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must be in (0, 1), got {confidence!r}")
    n = len(d)
    if np.ptp(d) <= 1e-12 * np.abs(d).max():  # subtraction leaves the last bits different
        mean = float(d[0])
        same = mean == 0
        note = "no difference in any fold" if same else "the same difference in every fold: no variance to test against"
        return CorrectedTest(mean, mean, mean, 0.0 if same else np.copysign(np.inf, mean), n - 1, float(same), note)
    mean = d.mean()
    error = np.sqrt((1 / n + test_share / (1 - test_share)) * d.var(ddof=1))
    half = stats.t.ppf((1 + confidence) / 2, n - 1) * error
    p = 2 * stats.t.sf(abs(mean) / error, n - 1)
    return CorrectedTest(float(mean), float(mean - half), float(mean + half), float(mean / error), n - 1, float(p), "")


# --- all models -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    estimates : DataFrame, one row per model, best first
        model, mean, low, high (BCa interval over the folds), sd (between folds), n (folds), seed_matters.
    pairs : DataFrame, one row per pair
        The columns of `genexpy_nb.significance.pairs.compare_pairs`, then ``p_corrected``, ``p_corrected_adjusted``,
        ``low_corrected``, ``high_corrected`` (`nadeau_bengio`), ``instability`` (one trial) and
        ``instability_protocol`` (one seed, all folds), ``winner`` by Wilcoxon and Holm and ``winner_corrected`` by the
        corrected test and Holm: a model, or empty.
    settings : DataFrame
        The paper's Table 3 without its error rates: setting, instability, declared wins, of how many pairs.
    notes : list of str
        What a reader should know: failures, identical models, seeds that change nothing.
    about : dict
        `Trials.about` and the settings of the comparison.
    """

    estimates: pd.DataFrame
    pairs: pd.DataFrame
    settings: pd.DataFrame
    notes: list[str]
    about: dict[str, Any]


def compare(
    trials: Trials,
    *,
    n_resamples: int = 10_000,
    level: float = 0.05,
    rng: np.random.Generator | int = 0,
    failures: str = "error",
) -> Comparison:
    """Compare all models, fold by fold, as the protocol asks for.

    The scores are averaged over the seeds first: a fold is one observation, however many seeds it was fitted with.

    Parameters
    ----------
    trials : Trials
        Of at least two models on at least two folds.
    n_resamples : int
        Paired resamples of the folds for the BCa intervals, >= 1.
    level : float
        Family-wise level, in (0, 1); the intervals have the confidence 1 - level.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    failures : {"error", "drop"}
        What becomes of failed trials: an error, or the folds in which any model failed are left out for all models.

    Returns
    -------
    Comparison

    Raises
    ------
    DataError
        If trials failed and ``failures="error"``, or no two complete folds are left.
    ParameterError
        If there is a single model, or a parameter is out of range.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in Machine Learning, Section 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from genexpy_nb.protocol import make_splits, run_trials
    >>> X, y = load_wine(return_X_y=True)
    >>> models = {"near": KNeighborsClassifier(1), "wide": KNeighborsClassifier(50)}
    >>> trials = run_trials(models, X, y, make_splits(X, y), seeds=[7], progress=False)
    >>> compare(trials).pairs[["a", "b", "estimate", "p_adjusted", "p_corrected_adjusted"]].round(3)
          a     b  estimate  p_adjusted  p_corrected_adjusted
    0  near  wide            0.044   0.268             0.478
    """
    check_choice("failures", failures, ("error", "drop"))
    if not 0 < level < 1:
        raise ParameterError(f"level must be in (0, 1), got {level!r}")
    if len(trials.models) < 2:
        raise ParameterError(f"there is a single model, {trials.models[0]!r}: nothing to compare it with")
    wide, notes = _complete(trials, failures)
    seed = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else rng
    options = {"n_resamples": n_resamples, "confidence": 1 - level, "rng": seed}
    pairs = compare_pairs(wide, **options)
    notes += pairs.attrs.get("notes", [])

    tests = [nadeau_bengio(d, 1 / trials.about["k"], 1 - level) for d in _fold_differences(wide)]
    pairs["p_corrected"] = [test.p_value for test in tests]
    pairs["p_corrected_adjusted"] = adjust_pvalues(pairs["p_corrected"], "holm")
    pairs["low_corrected"] = [test.low for test in tests]
    pairs["high_corrected"] = [test.high for test in tests]
    orders = instability(trials, failures).set_index(["level", "a", "b"])["instability"]
    for column, level in (("instability", "one trial"), ("instability_protocol", "one seed, all folds")):
        pairs[column] = [orders[level, a, b] for a, b in _pairs(trials)]
    pairs["winner"] = _winners(pairs, "p_adjusted", level)
    pairs["winner_corrected"] = _winners(pairs, "p_corrected_adjusted", level)
    for row in pairs[pairs["note"] != ""].itertuples():
        notes.append(f"{row.a} against {row.b}: {row.note}.")
    for row in pairs[pairs["winner"] != pairs["winner_corrected"]].itertuples():
        notes.append(
            f"{row.a} against {row.b}: Wilcoxon and the corrected test disagree; folds share training rows, which only "
            "the latter allows for."
        )
    still = trials.seed_changes_nothing
    if still:
        notes.append(f"The seed changes nothing for {', '.join(still)}.")
    about = {**trials.about, "n_resamples": n_resamples, "level": level, "failures": failures, "folds used": len(wide)}
    return Comparison(_estimates(trials, wide, options), pairs, _settings(trials, pairs, failures, level), notes, about)


def _pairs(trials: Trials) -> list[tuple[str, str]]:
    return list(combinations(trials.models, 2))


def _fold_differences(scores: pd.DataFrame) -> np.ndarray:
    """Return a - b for every pair, shape (n_pairs, n_folds), equal ones bitwise equal."""
    return paired_differences(scores.to_numpy(), *np.triu_indices(scores.shape[1], 1))


def _complete(trials: Trials, failures: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the scores of the complete folds, averaged over the seeds, shape (n_folds, n_models)."""
    wide = trials.wide()
    failed = trials.failed
    notes = []
    if len(failed):
        first = failed.iloc[0]
        said = (
            f"{len(failed)} of {len(trials.scores)} trials failed, the first is {first['model']!r} with seed "
            f"{first['seed']}, repeat {first['repeat']}, fold {first['fold']}: {first['error']}"
        )
        if failures == "error":
            raise DataError(f"{said}; repair the model, or leave such folds out with failures='drop'")
        complete = wide.dropna()
        notes.append(f"{said}. Left out {len(wide) - len(complete)} of {len(wide)} folds for all models.")
        wide = complete
    if len(wide) < 2:
        raise DataError(f"at least two complete folds are needed, there are {len(wide)}: one says nothing about chance")
    return wide, notes


def _estimates(trials: Trials, wide: pd.DataFrame, options: dict[str, Any]) -> pd.DataFrame:
    # A mean is a mean difference to a model that always scores 0: one implementation of BCa for both.
    zero = "".join(trials.models) + "0"
    against = compare_pairs(wide.assign(**{zero: 0.0}), **options)
    against = against[against["b"] == zero].reset_index(drop=True)
    frame = pd.DataFrame(
        {
            "model": against["a"],
            "mean": wide.mean().to_numpy(),
            "low": against["low"],
            "high": against["high"],
            "sd": wide.std(ddof=1).to_numpy(),
            "n": len(wide),
            "seed_matters": [name not in trials.seed_changes_nothing for name in against["a"]],
        }
    )
    return frame.sort_values("mean", ascending=False, kind="stable", ignore_index=True)


def _winners(pairs: pd.DataFrame, column: str, level: float) -> np.ndarray:
    better = np.where(pairs["estimate"] > 0, pairs["a"], pairs["b"])
    return np.where((pairs[column] <= level) & (pairs["estimate"] != 0), better, "")


def _orders(scores: pd.DataFrame) -> np.ndarray:
    """Return sign(a - b) for every row and pair, shape (n_rows, n_pairs); equal to 12 digits is equal."""
    tiers = rank_scores(scores)
    i, j = np.triu_indices(tiers.shape[1], 1)
    return np.sign(tiers[:, j] - tiers[:, i])


def _levels(trials: Trials, failures: str) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    folds, _ = _complete(trials, failures)
    every = trials.wide(average_seeds=False)
    every = every[every.index.droplevel("seed").isin(folds.index)]
    return folds, {level: every.groupby(columns).mean() for level, columns in LEVELS.items()}


def instability(trials: Trials, failures: str = "error") -> pd.DataFrame:
    """Estimate how often two models come out in another order than their overall means.

    Parameters
    ----------
    trials : Trials
        Of at least two models.
    failures : {"error", "drop"}
        See `compare`.

    Returns
    -------
    DataFrame
        level, a, b, instability (in [0, 1]), n. Level ``one trial`` is the paper's definition, over seeds and folds;
        the others order the models by a mean of trials: over the k folds of one repeat and seed, or over all folds
        of one seed. A tie is another order than a difference, so it counts. All trials share one data set and its
        splits: this is not the probability that new data would turn the order around.

    Raises
    ------
    DataError
        As `compare`.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in Machine Learning, Section 3.2.

    Examples
    --------
    >>> scores = [("A", 0, 0, 0, 0.9), ("A", 0, 0, 1, 0.7), ("B", 0, 0, 0, 0.8), ("B", 0, 0, 1, 0.75)]
    >>> scores = pd.DataFrame(scores, columns=["model", "seed", "repeat", "fold", "score"]).assign(error="")
    >>> trials = Trials(scores, pd.DataFrame(), {"models": {"A": "", "B": ""}, "seeds": [0], "k": 2})
    >>> instability(trials).head(1)
           level  a  b  instability  n
    0  one trial  A  B          0.5  2
    """
    check_choice("failures", failures, ("error", "drop"))
    folds, levels = _levels(trials, failures)
    overall = _orders(folds.mean().to_frame().T)
    rows = []
    for level, means in levels.items():
        differs = (_orders(means) != overall).mean(axis=0)
        rows += [(level, a, b, share, len(means)) for (a, b), share in zip(_pairs(trials), differs, strict=True)]
    return pd.DataFrame(rows, columns=["level", "a", "b", "instability", "n"])


def declared_wins(trials: Trials, pairs: pd.DataFrame, level: float = 0.05, failures: str = "error") -> pd.DataFrame:
    """Count how many pairs get a winner, by single-seed habits and by the protocol.

    Parameters
    ----------
    trials : Trials
    pairs : DataFrame
        ``compare(trials).pairs``.
    level : float
        Level of the tests, in (0, 1).
    failures : {"error", "drop"}
        See `compare`.

    Returns
    -------
    DataFrame
        setting, wins (mean number over all trials, or over all seeds and repeats, where a habit looks at one of them
        only), pairs.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in Machine Learning, Table 3 (whose 3.1 wins of 3 pairs
    cannot be).

    Examples
    --------
    >>> scores = [("A", 0, 0, 0, 0.9), ("A", 0, 0, 1, 0.7), ("B", 0, 0, 0, 0.8), ("B", 0, 0, 1, 0.7)]
    >>> scores = pd.DataFrame(scores, columns=["model", "seed", "repeat", "fold", "score"]).assign(error="")
    >>> trials = Trials(scores, pd.DataFrame(), {"models": {"A": "", "B": ""}, "seeds": [0], "k": 2})
    >>> pairs = pd.DataFrame({"estimate": [0.05], "p_adjusted": [1.0], "p_corrected_adjusted": [1.0]})
    >>> declared_wins(trials, pairs)["wins"].to_list()
    [0.5, 0.0, 0.0, 0.0]
    """
    _, levels = _levels(trials, failures)
    trial = levels["one trial"]
    higher = np.abs(_orders(trial)).sum(axis=1).mean()
    tested = []
    for _, folds in trial.groupby(["seed", "repeat"]):
        if len(folds) >= 2:
            p = [nadeau_bengio(d, 0.0).p_value for d in _fold_differences(folds)]
            tested.append(sum(value <= level for value in p))
    wins = {
        "one trial, the higher score wins": higher,
        "one seed, k folds, paired t, unadjusted": float(np.mean(tested)) if tested else 0.0,
        "protocol: Wilcoxon over folds, Holm": float((pairs["p_adjusted"] <= level).sum()),
        "protocol with the corrected t-test, Holm": float((pairs["p_corrected_adjusted"] <= level).sum()),
    }
    return pd.DataFrame({"setting": list(wins), "wins": list(wins.values()), "pairs": len(pairs)})


def _settings(trials: Trials, pairs: pd.DataFrame, failures: str, level: float) -> pd.DataFrame:
    wins = declared_wins(trials, pairs, level, failures)
    mean = instability(trials, failures).groupby("level", sort=False)["instability"].mean()
    wins.insert(1, "instability", mean[[*LEVELS, "one seed, all folds"]].to_numpy())
    return wins


def overhead(trials: Trials) -> pd.DataFrame:
    """Compare the measured cost of all trials with that of fitting and scoring once.

    Parameters
    ----------
    trials : Trials

    Returns
    -------
    DataFrame
        model (``all`` in the last row), one_trial (median seconds of one fit and its scoring), trials, total (seconds),
        factor (total / one_trial). Machine-dependent. Fitting once on the same share of the rows is the baseline.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in Machine Learning, Section 4.3.

    Examples
    --------
    >>> seconds = pd.DataFrame({"model": ["A"] * 4, "fit_seconds": [1.0, 1.0, 2.0, 1.0], "score_seconds": 0.0})
    >>> overhead(Trials(pd.DataFrame(), seconds, {"models": {"A": ""}})).head(1)
      model  one_trial  trials  total  factor
    0     A        1.0       4    5.0     5.0
    """
    spent = trials.seconds.assign(spent=trials.seconds["fit_seconds"] + trials.seconds["score_seconds"])
    frame = spent.groupby("model", sort=False)["spent"].agg(["median", "count", "sum"]).loc[trials.models].reset_index()
    frame.columns = ["model", "one_trial", "trials", "total"]
    total = {name: frame[name].sum() for name in ("one_trial", "trials", "total")}
    frame = pd.concat([frame, pd.DataFrame([{"model": "all", **total}])], ignore_index=True)
    return frame.assign(factor=frame["total"] / frame["one_trial"])


def fit_counts(trials: Trials, models: Mapping[str, BaseEstimator]) -> pd.DataFrame:
    """Count the fits that the protocol takes, against one training and evaluation of each model.

    Parameters
    ----------
    trials : Trials
    models : mapping of str to estimator
        Those that the trials are of; a grid or random search in a model counts with all of its inner fits.

    Returns
    -------
    DataFrame
        model (``all`` in the last row), fits_per_trial, trials, fits, factor (fits of the protocol / fits of one
        trial), trials_needed and factor_needed (the same if a model that the seed does not change is run with one
        seed only). The same on any machine, unlike `overhead`.

    Raises
    ------
    ParameterError
        If the models are not those of the trials, or a model has a search of another kind in it.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in Machine Learning, Section 4.3.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> scores = pd.DataFrame({"model": "A", "seed": [0, 0], "repeat": 0, "fold": [0, 1], "score": [0.9, 0.7]})
    >>> trials = Trials(scores, pd.DataFrame(), {"models": {"A": ""}, "seeds": [0]})
    >>> search = GridSearchCV(LinearSVC(), {"C": [0.1, 1, 10]}, cv=3)
    >>> fit_counts(trials, {"A": search})[["fits_per_trial", "fits", "factor"]].iloc[0].to_list()
    [10.0, 20.0, 2.0]
    """
    if list(models) != trials.models:
        raise ParameterError(f"the trials are of the models {', '.join(trials.models)}, got {', '.join(models)}")
    count = trials.scores["model"].value_counts()
    n_seeds = len(trials.about["seeds"])
    rows = []
    for name, model in models.items():
        needed = count[name] // n_seeds if name in trials.seed_changes_nothing else count[name]
        rows.append((name, _inner_fits(name, model), int(count[name]), int(needed)))
    frame = pd.DataFrame(rows, columns=["model", "fits_per_trial", "trials", "trials_needed"])
    frame.insert(3, "fits", frame["fits_per_trial"] * frame["trials"])
    needed = frame["fits_per_trial"] * frame["trials_needed"]
    total = frame.drop(columns="model").sum().to_dict()
    frame = pd.concat([frame, pd.DataFrame([{"model": "all", **total}])], ignore_index=True)
    frame.insert(4, "factor", frame["fits"] / frame["fits_per_trial"])
    frame["factor_needed"] = [*needed, needed.sum()] / frame["fits_per_trial"]
    return frame


def _inner_fits(name: str, model: BaseEstimator) -> int:
    """Return how many times the model at the heart of an estimator is fitted when the estimator is."""
    fits = 1
    for part in {id(value): value for value in [model, *model.get_params().values()]}.values():
        if isinstance(part, GridSearchCV):
            candidates = len(ParameterGrid(part.param_grid))
        elif isinstance(part, RandomizedSearchCV):
            candidates = part.n_iter
        elif hasattr(part, "best_estimator_") or type(part).__name__.endswith("SearchCV"):
            raise ParameterError(f"models: the fits of {type(part).__name__} in {name!r} cannot be counted beforehand")
        else:
            continue
        fits *= candidates * check_cv(part.cv).get_n_splits() + bool(part.refit)
    return fits
