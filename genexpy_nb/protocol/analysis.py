"""What the trials say: estimates, intervals, tests, effect sizes, instability and declared wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import nctdtrinc
from sklearn.metrics import get_scorer_names

from genexpy_nb.common.checks import TOLERANCE, check_level, check_number
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import seed_of
from genexpy_nb.common.rankings import negligible, round_significant
from genexpy_nb.protocol.trials import OfMetrics, Trials, of_metric
from genexpy_nb.significance import compare_pairs
from genexpy_nb.significance.intervals import mean_differences, standardized_ends
from genexpy_nb.significance.multiple import holm_adjusted
from genexpy_nb.significance.wilcoxon import paired_differences

#: What is averaged before the models are put in order, and the columns that tell one such unit from the next.
UNITS = {
    "one trial": ["seed", "repeat", "fold"],
    "one seed, k folds": ["seed", "repeat"],
    "one seed, all folds": ["seed"],
}

#: Rows of the paper's Table 3, each with the unit that it averages over.
_UNIT_OF = {
    "one trial, the higher score wins": "one trial",
    "one seed, k folds, paired t, unadjusted": "one seed, k folds",
    "one seed, k folds, paired t, Holm": "one seed, k folds",
    "protocol: Wilcoxon over folds, Holm": "one seed, all folds",
    "protocol with the corrected t-test, Holm": "one seed, all folds",
}
_BETWEEN_0_AND_1 = "accuracy average_precision balanced_accuracy f1 jaccard precision recall roc_auc top_k_accuracy"
#: scikit-learn's scorers whose scores lie between 0 and 1: an interval of their mean ends there, too.
_SHARES = [name for name in get_scorer_names() if name.startswith(tuple(_BETWEEN_0_AND_1.split()))]


# --- one pair ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CorrectedTest:
    """Result of `nadeau_bengio`; the note says why a value is degenerate."""

    estimate: float
    low: float
    high: float
    statistic: float
    df: int
    p: float
    note: str


def effective_size(n: int, test_share: float) -> float:
    """Return how many independent conditions n splits are worth (Nadeau and Bengio, 2003, Section 3, item 3)."""
    return n / (1 + n * test_share / (1 - test_share))


def corrected_standard_error(differences: np.ndarray, test_share: float) -> np.ndarray:
    """Return the standard error of mean differences over resampled splits, whose training sets overlap."""
    return differences.std(axis=-1, ddof=1) / np.sqrt(effective_size(differences.shape[-1], test_share))


def effect_size_ends(effect: np.ndarray, n: int, test_share: float, confidence: float) -> np.ndarray:
    """Return the ends of intervals of mean / standard deviation over n splits that share training rows, shape (2, m).

    By the noncentral t distribution, as if the splits were as many independent ones as they are worth: exact for normal
    differences that correlate as `nadeau_bengio` assumes.
    """
    root = np.sqrt(effective_size(n, test_share))
    shares = np.array([[(1 + confidence) / 2], [(1 - confidence) / 2]])
    return nctdtrinc(n - 1, shares, effect * root) / root


def without_spread(n: int, test_share: float) -> float:
    """Return the two-sided p-value of n equal differences: a few that agree do not make a difference certain."""
    m = int(effective_size(n, test_share) * (1 + TOLERANCE))
    return float(min(1.0, 2.0 ** (1 - m)))


def nadeau_bengio(differences: ArrayLike, test_share: float, confidence: float = 0.95) -> CorrectedTest:
    """Test a mean difference over resampled splits, whose training sets overlap: the corrected resampled t-test.

    Parameters
    ----------
    differences : array_like, shape (n,)
        One paired difference per split, n >= 2.
    test_share : float
        Share of the rows in a test part, in [0, 1): 1 / k for k folds. 0 gives the ordinary paired t-test.

    Returns
    -------
    CorrectedTest
        ``estimate``, ``low``, ``high``, ``statistic``, ``df``, ``p`` (two-sided), ``note``. If all differences are
        equal, there is no variance to test against, and the interval is a point. p is 1 without any difference, else
        that of the sign test, 2^(1 - m), with m independent conditions that the folds are worth.

    Notes
    -----
    Nadeau and Bengio, Inference for the Generalization Error, Machine Learning 2003, Section 3, item 3.

    Examples
    --------
    >>> test = nadeau_bengio([0.01, 0.03, 0.02, 0.00, 0.04], test_share=0.2)
    >>> round(test.statistic, 3), round(test.p, 3)
    (1.886, 0.132)
    """
    d = np.asarray(differences, dtype=float)
    if d.ndim != 1 or len(d) < 2:
        why = "a single fold says nothing about chance"
        raise ParameterError(f"differences must be at least two numbers, got shape {d.shape}: {why}")
    if not np.isfinite(d).all():
        position = int((~np.isfinite(d)).argmax())
        raise ParameterError(f"differences must be finite, got {d[position]} at position {position}")
    check_number("test_share", test_share, 0, 1, "[)")
    check_level("confidence", confidence)
    df = len(d) - 1
    if negligible(np.ptp(d), np.abs(d).max()):  # subtraction leaves the last bits different
        mean = float(d[0])
        if mean == 0:
            return CorrectedTest(0.0, 0.0, 0.0, 0.0, df, 1.0, "no difference in any fold")
        note = "the same difference in every fold: no variance to test against"
        p = without_spread(len(d), test_share)
        return CorrectedTest(mean, mean, mean, float(np.copysign(np.inf, mean)), df, p, note)
    mean = d.mean()
    error = corrected_standard_error(d, test_share)
    half = stats.t.ppf((1 + confidence) / 2, df) * error
    p = 2 * stats.t.sf(abs(mean) / error, df)
    return CorrectedTest(float(mean), float(mean - half), float(mean + half), float(mean / error), df, float(p), "")


# --- all models -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Comparison(OfMetrics):
    """What `compare` found, which says what is in it."""

    estimates: pd.DataFrame
    pairs: pd.DataFrame
    settings: pd.DataFrame
    notes: list[str]
    about: dict[str, Any]

    def only(self, metric: str) -> Comparison:
        """Return the rows of one metric, still adjusted over all of them."""
        estimates, pairs, settings = (of_metric(each, metric) for each in (self.estimates, self.pairs, self.settings))
        return Comparison(estimates, pairs, settings, self.notes, self.about_only(metric))


def compare(
    trials: Trials,
    *,
    n_resamples: int = 10_000,
    level: float = 0.05,
    confidence: float | None = None,
    rng: np.random.Generator | int = 0,
) -> Comparison:
    """Compare all models, fold by fold, as the protocol asks for (Section 3.2).

    Scores are averaged over the seeds first: a fold is one observation, however many seeds it was fitted with. With
    several metrics, all pairs of all metrics are one family of hypotheses. docs/accuracy.md says how often the
    corrected intervals, and the paper's BCa over folds, missed the truth.

    Parameters
    ----------
    trials : Trials
        Of at least two models on at least two folds. A failed one is a `StudyError`.
    n_resamples : int
        Paired resamples of the folds for the BCa intervals, >= 1.
    level, confidence : float
        Family-wise level; confidence of each interval by itself, by default 1 - level.

    Returns
    -------
    Comparison
        With several metrics, tables have a column metric first. ``estimates``, a row per model, best first: model,
        estimate (mean score), low, high (the corrected interval, `nadeau_bengio`), bca_low, bca_high (BCa over the
        folds, as if independent), sd (between folds), n_folds, seed_matters. ``pairs``: the columns of
        `genexpy_nb.significance.compare_pairs` over the folds, but with corrected intervals, BCa ones beside; d_low,
        d_high of d_z by noncentral t with the same correction, and d_bca_low, d_bca_high; p_corrected,
        p_corrected_adjusted; instability (one trial) and instability_protocol (one seed, all folds); ``winner`` by
        Wilcoxon and ``winner_corrected`` by the corrected test, both after Holm. ``settings``: the paper's Table 3
        without error rates. ``notes``: identical models, seeds that change nothing. ``about``: all settings.

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
    0  near  wide     0.044       0.268                 0.478
    """
    check_level("level", level)
    confidence = 1 - level if confidence is None else check_level("confidence", confidence)
    check_several(trials.models)
    seed = seed_of(rng)
    _check_complete(trials)
    found = [_of_one_metric(trials.only(name), n_resamples, confidence, seed) for name in trials.metrics]
    estimates, tests, orders = (_joined(trials, list(tables)) for tables in zip(*found, strict=True))
    tests = tests.assign(  # of all metrics: one family
        p_adjusted=holm_adjusted(tests["p"].to_numpy()),
        p_corrected_adjusted=holm_adjusted(tests["p_corrected"].to_numpy()),
    )
    by_mean = np.select([tests["estimate"] > 0, tests["estimate"] < 0], [tests["a"], tests["b"]], "")
    tests["winner"] = np.where(tests["p_adjusted"] <= level, tests["favours"], "")
    tests["winner_corrected"] = np.where(tests["p_corrected_adjusted"] <= level, by_mean, "")
    settings = declared_wins(trials, tests, level)
    settings.insert(settings.columns.get_loc("setting") + 1, "instability", orders["instability"])
    n_folds = int(estimates["n_folds"].iloc[0])
    notes = [*_smallest_p(n_folds, len(tests), level), *_notes(trials, tests)]
    about = {**trials.about, "n_resamples": n_resamples, "level": level, "confidence": confidence}
    about |= {"failures": "error", "n_folds": n_folds}
    return Comparison(estimates, tests, settings, notes, about)


def check_several(models: Sequence[str]) -> None:
    """Raise `ParameterError` unless there are at least two models."""
    if len(models) < 2:
        raise ParameterError(f"there is a single model, {models[0]!r}: nothing to compare it with")


def _of_one_metric(
    trials: Trials, n_resamples: int, confidence: float, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return estimates, pairs, and the instability of each setting: all that the other metrics do not change."""
    folds, test_share = trials.wide(), 1 / trials.about["k"]
    differences = _fold_differences(folds)
    bca_of_pairs, bca_of_means = _bca(folds, n_resamples, confidence, seed)
    # Its intervals and what it notes of them are for independent conditions: neither is used.
    pairs = compare_pairs(folds, higher_is_better=True, interval="t").drop(columns=["low", "high"])
    tests = [nadeau_bengio(d, test_share, confidence) for d in differences]
    ends = np.stack([[t.low for t in tests], [t.high for t in tests], *bca_of_pairs])
    for name, values in zip(["bca_high", "bca_low", "high", "low"], ends[::-1], strict=True):
        pairs.insert(pairs.columns.get_loc("estimate") + 1, name, values)
    p = np.array([test.p for test in tests])
    pairs = pairs.assign(p_corrected=p, p_corrected_adjusted=holm_adjusted(p))
    resampled = standardized_ends(differences, n_resamples, confidence, seed)
    flat = resampled[0] == resampled[1]  # constant differences: a point
    corrected = effect_size_ends(np.where(flat, 0.0, pairs["d_z"]), len(folds), test_share, confidence)
    of_d = np.stack([*np.where(flat, resampled, corrected), *resampled])
    for name, values in zip(["d_bca_high", "d_bca_low", "d_high", "d_low"], of_d[::-1], strict=True):
        pairs.insert(pairs.columns.get_loc("d_z") + 1, name, values)
    orders = _instability(trials)
    for column, unit in (("instability", "one trial"), ("instability_protocol", "one seed, all folds")):
        pairs[column] = orders.loc[orders["unit"] == unit, "instability"].to_numpy()
    means = orders.groupby("unit", sort=False)["instability"].mean()
    of_settings = pd.DataFrame({"instability": means[list(_UNIT_OF.values())].to_numpy()})
    return _estimates(trials, folds, bca_of_means, confidence), pairs, of_settings


def _joined(trials: Trials, tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the tables of all metrics as one, with a column metric if there are several."""
    if len(tables) == 1:
        return tables[0]
    for name, table in zip(trials.metrics, tables, strict=True):
        table.insert(0, "metric", name)
    return pd.concat(tables, ignore_index=True)


def _bca(folds: pd.DataFrame, n_resamples: int, confidence: float, rng: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the BCa intervals over folds: of differences, shape (2, n_pairs), of means, (2, n_models)."""
    n_models = folds.shape[1]
    # A mean is the mean difference to a model that always scores 0.
    values = np.column_stack([folds.to_numpy(), np.zeros(len(folds))])
    i, j = np.triu_indices(n_models, 1)
    left, right = np.append(i, range(n_models)), np.append(j, [n_models] * n_models)
    found = mean_differences(values, left, right, n_resamples, confidence, rng)
    ends = np.stack([found.low, found.high])
    return ends[:, : len(i)], ends[:, len(i) :]


def _smallest_p(n_folds: int, n_pairs: int, level: float) -> list[str]:
    smallest = 2.0 ** (1 - n_folds)
    if smallest * n_pairs <= level:
        return []
    multiplied = f"; Holm's correction multiplies the smallest of {n_pairs:,} by {n_pairs:,}" if n_pairs > 1 else ""
    return [f"{n_folds} folds cannot make a Wilcoxon p-value smaller than {smallest:.2g}{multiplied}."]


def _notes(trials: Trials, pairs: pd.DataFrame) -> list[str]:
    if "metrics" in trials.about:
        pairs = pairs.assign(a=pairs["metric"] + ", " + pairs["a"])
    notes = [f"{row.a} against {row.b}: {row.note}." for row in pairs[pairs["note"] != ""].itertuples()]
    notes += [
        f"{row.a} against {row.b}: Wilcoxon and the corrected test disagree; folds share training rows, which only "
        "the latter allows for."
        for row in pairs[pairs["winner"] != pairs["winner_corrected"]].itertuples()
    ]
    still = trials.seed_changes_nothing
    return [*notes, f"The seed changes nothing for {', '.join(still)}."] if still else notes


def _fold_differences(scores: pd.DataFrame) -> np.ndarray:
    """Return a - b for every pair, shape (n_pairs, n_folds), equal ones bitwise equal."""
    return paired_differences(scores.to_numpy(), *np.triu_indices(scores.shape[1], 1))


def _check_complete(trials: Trials) -> None:
    """Raise `StudyError` if a trial failed."""
    failed, several = trials.failed, "metrics" in trials.about
    if len(failed):
        first = failed.iloc[0]
        raise StudyError(
            f"{len(failed)} of {len(trials.scores)} {'scores' if several else 'trials'} failed, the first is "
            f"{first['model']!r} with seed {first['seed']}, repeat {first['repeat']}, fold {first['fold']}"
            f"{', ' + first['metric'] if several else ''}: {first['error']}; repair the model, and run it again"
        )


def _estimates(trials: Trials, folds: pd.DataFrame, bca: np.ndarray, confidence: float) -> pd.DataFrame:
    bounded = trials.about["metric"] in _SHARES and folds.stack().between(0, 1).all()
    least, most = (0.0, 1.0) if bounded else (-np.inf, np.inf)
    found = [nadeau_bengio(folds[name], 1 / trials.about["k"], confidence) for name in folds.columns]
    frame = pd.DataFrame(
        {
            "model": folds.columns,
            "estimate": folds.mean().to_numpy(),
            "low": [max(one.low, least) for one in found],
            "high": [min(one.high, most) for one in found],
            "bca_low": bca[0],
            "bca_high": bca[1],
            "sd": folds.std(ddof=1).to_numpy(),
            "n_folds": len(folds),
            "seed_matters": [name not in trials.seed_changes_nothing for name in folds.columns],
        }
    )
    # Best first; means that are equal but for rounding stay in the order of the models.
    order = np.argsort(-round_significant(frame["estimate"]), kind="stable")
    return frame.iloc[order].reset_index(drop=True)


def _orders(scores: pd.DataFrame, unit: list[str] | np.ndarray) -> np.ndarray:
    """Return the sign of the mean difference a - b for every unit and pair, shape (n_units, n_pairs)."""
    means = scores.groupby(unit).mean().to_numpy()
    largest = scores.abs().groupby(unit).max().to_numpy()
    i, j = np.triu_indices(scores.shape[1], 1)
    d = means[:, i] - means[:, j]
    return np.sign(np.where(negligible(d, np.maximum(largest[:, i], largest[:, j])), 0.0, d))


def instability(trials: Trials) -> pd.DataFrame:
    """Estimate how often two models come out in another order than their overall means (Section 3.2).

    Parameters
    ----------
    trials : Trials
        Of at least two models, none failed.

    Returns
    -------
    DataFrame
        unit, a, b, instability (in [0, 1]), n_units; a column metric stands first if there are several. Unit ``one
        trial`` is the paper's definition, over seeds and folds; the others order the models by a mean of trials: over
        the k folds of one repeat and seed, or over all folds of one seed. A tie is another order than a difference. All
        trials share one dataset and its splits: this is not the probability that new data would turn the order around.
    """
    _check_complete(trials)
    return _joined(trials, [_instability(trials.only(metric)) for metric in trials.metrics])


def _instability(trials: Trials) -> pd.DataFrame:
    every = trials.wide(average_seeds=False)
    overall = _orders(every, np.zeros(len(every)))
    rows = []
    for unit, columns in UNITS.items():
        orders = _orders(every, columns)
        differs = (orders != overall).mean(axis=0)
        pairs = combinations(trials.models, 2)
        rows += [(unit, a, b, share, len(orders)) for (a, b), share in zip(pairs, differs, strict=True)]
    return pd.DataFrame(rows, columns=["unit", "a", "b", "instability", "n_units"])


def declared_wins(trials: Trials, pairs: pd.DataFrame, level: float = 0.05) -> pd.DataFrame:
    """Count how many pairs get a winner, by single-seed habits and by the protocol, as in the paper's Table 3."""
    every = [trials.only(metric).wide(average_seeds=False) for metric in trials.metrics]
    units = [list(scores.groupby(UNITS["one seed, k folds"])) for scores in every]
    tested = []
    for same_unit in zip(*units, strict=True):  # of each metric
        p = np.array([[nadeau_bengio(d, 0.0).p for d in _fold_differences(folds)] for _, folds in same_unit])
        adjusted = holm_adjusted(p.ravel()).reshape(p.shape)
        tested.append([(p <= level).sum(axis=1), (adjusted <= level).sum(axis=1)])
    habits = np.mean(tested, axis=0)
    n_pairs = len(pairs) // len(every)
    tables = []
    for position, scores in enumerate(every):
        of_metric = pairs.iloc[position * n_pairs : (position + 1) * n_pairs]
        wins = [
            np.abs(_orders(scores, UNITS["one trial"])).sum(axis=1).mean(),
            *habits[:, position],
            float((of_metric["p_adjusted"] <= level).sum()),
            float((of_metric["p_corrected_adjusted"] <= level).sum()),
        ]
        tables.append(pd.DataFrame({"setting": list(_UNIT_OF), "wins": wins, "n_pairs": n_pairs}))
    return _joined(trials, tables)
