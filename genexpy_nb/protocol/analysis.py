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
from sklearn.metrics import get_scorer_names

from genexpy_nb.common.checks import TOLERANCE, check_choice, check_level, check_number
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import seed_of
from genexpy_nb.common.rankings import SIGNIFICANT_DIGITS, round_significant
from genexpy_nb.protocol.trials import Trials
from genexpy_nb.significance import adjust_pvalues, compare_pairs, effective_size, paired_differences
from genexpy_nb.significance.intervals import mean_differences
from genexpy_nb.significance.multiple import holm_adjusted

#: What may become of failed trials.
FAILURES = ("error", "drop")

#: What is averaged before the models are put in order, and the columns that tell one such unit from the next.
UNITS = {
    "one trial": ["seed", "repeat", "fold"],
    "one seed, k folds": ["seed", "repeat"],
    "one seed, all folds": ["seed"],
}

#: Rows of the paper's Table 3, each with the procedure of the same kind in `genexpy_nb.protocol.simulation.PROCEDURES`.
SETTINGS = {
    "one trial, the higher score wins": "one trial, higher score",
    "one seed, k folds, paired t, unadjusted": "one seed, k folds, t, unadjusted",
    "one seed, k folds, paired t, Holm": "one seed, k folds, t",
    "protocol: Wilcoxon over folds, Holm": "folds, Wilcoxon",
    "protocol with the corrected t-test, Holm": "folds, corrected t",
}

_UNIT_OF = dict(zip(SETTINGS, [list(UNITS)[position] for position in (0, 1, 1, 2, 2)], strict=True))
_BETWEEN_0_AND_1 = (
    "accuracy",
    "average_precision",
    "balanced_accuracy",
    "f1",
    "jaccard",
    "precision",
    "recall",
    "roc_auc",
    "top_k_accuracy",
)
#: scikit-learn's scorers whose scores lie between 0 and 1: an interval of their mean ends there, too.
_SHARES = [name for name in get_scorer_names() if name.startswith(_BETWEEN_0_AND_1)]

_EQUAL = 10.0**-SIGNIFICANT_DIGITS  # relative difference of what is equal but for rounding


# --- one pair ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CorrectedTest:
    """Result of the corrected resampled t-test.

    Attributes
    ----------
    estimate, low, high : float
        Mean difference, with its interval.
    statistic : float
        Student's t; infinite if all differences are equal and not 0.
    df : int
        Its degrees of freedom.
    p : float
        Two-sided.
    note : str
        Why a value is degenerate; mostly empty.
    """

    estimate: float
    low: float
    high: float
    statistic: float
    df: int
    p: float
    note: str


def corrected_standard_error(differences: np.ndarray, test_share: float) -> np.ndarray:
    """Return the standard error of mean differences over resampled splits, whose training sets overlap."""
    return differences.std(axis=-1, ddof=1) / np.sqrt(effective_size(differences.shape[-1], test_share))


def without_spread(n: int, test_share: float) -> float:
    """Return the two-sided p-value of n equal differences: a few that agree do not make a difference certain."""
    m = int(effective_size(n, test_share) * (1 + TOLERANCE))
    return float(min(1.0, 2.0 ** (1 - m)))


def nadeau_bengio(differences: ArrayLike, test_share: float, confidence: float = 0.95) -> CorrectedTest:
    """Test a mean difference over resampled splits, whose training sets overlap: the corrected resampled t-test.

    An ordinary paired t-test, but for the standard error, see `corrected_standard_error`.

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
        If all differences are equal there is no variance to test against, and the interval is a point: ``note`` says
        so. p is 1 without any difference, else that of the sign test, 2^(1 - m), with m the `effective_size` of the
        folds.

    Raises
    ------
    ParameterError
        If there are fewer than two differences, one is missing or infinite, or a number is out of range.

    References
    ----------
    Nadeau and Bengio, Inference for the Generalization Error, Machine Learning 2003, Section 3, item 3.

    Examples
    --------
    >>> test = nadeau_bengio([0.01, 0.03, 0.02, 0.00, 0.04], test_share=0.2)
    >>> round(test.statistic, 3), round(test.p, 3)
    (1.886, 0.132)
    """
    d = np.asarray(differences, dtype=float)
    if d.ndim != 1 or len(d) < 2:
        raise ParameterError(
            f"differences must be at least two numbers, got shape {d.shape}: a single fold says nothing about chance"
        )
    if not np.isfinite(d).all():
        position = int((~np.isfinite(d)).argmax())
        raise ParameterError(f"differences must be finite, got {d[position]} at position {position}")
    check_number("test_share", test_share, 0, 1, "[)")
    check_level("confidence", confidence)
    df = len(d) - 1
    if np.ptp(d) <= _EQUAL * np.abs(d).max():  # subtraction leaves the last bits different
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
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    estimates : DataFrame, one row per model, best first
        model, estimate (mean score), low, high (the corrected interval, `nadeau_bengio`), bca_low, bca_high (BCa over
        the folds, as if they were independent), sd (between folds), n_folds, seed_matters.
    pairs : DataFrame, one row per pair
        The columns of `genexpy_nb.significance.compare_pairs`, whose conditions are the folds, but ``low`` and ``high``
        are the corrected interval of `nadeau_bengio`, with ``bca_low``, ``bca_high`` (BCa over the folds, as if they
        were independent) beside, and the probability of improvement has none, which would need independent folds; then
        ``p_corrected``, ``p_corrected_adjusted`` (`nadeau_bengio`), ``instability`` (one trial) and
        ``instability_protocol`` (one seed, all folds), ``winner`` by Wilcoxon and Holm and ``winner_corrected`` by the
        corrected test and Holm: a model, or empty. A winner is declared if p <= level, and is the model that the
        tested statistic favours: the sum of the signed ranks (as in ``favours``), or the mean.
    settings : DataFrame
        The paper's Table 3 without its error rates: setting, instability, wins (declared), n_pairs.
    notes : list of str
        What a reader should know: failures, identical models, seeds that change nothing.
    about : dict
        `Trials.about`, and ``n_resamples``, ``level``, ``failures`` and ``n_folds`` of the comparison.

    With several metrics, each table has the rows of one metric after those of the other, and metric as first column.
    The adjusted p-values, and the winners and wins that follow from them, are over all pairs of all metrics.
    """

    estimates: pd.DataFrame
    pairs: pd.DataFrame
    settings: pd.DataFrame
    notes: list[str]
    about: dict[str, Any]

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics, in the order in which they were given."""
        return list(self.about.get("metrics") or [self.about.get("metric", "")])

    def only(self, metric: str) -> Comparison:
        """Return the rows of one metric, still adjusted over all of them.

        Raises
        ------
        ParameterError
            If there is no such metric.
        """
        check_choice("metric", metric, self.metrics)
        if "metrics" not in self.about:
            return self

        def part(table: pd.DataFrame) -> pd.DataFrame:
            return table[table["metric"] == metric].drop(columns="metric").reset_index(drop=True)

        about = {**{name: value for name, value in self.about.items() if name != "metrics"}, "metric": metric}
        return Comparison(part(self.estimates), part(self.pairs), part(self.settings), self.notes, about)


def compare(
    trials: Trials,
    *,
    n_resamples: int = 10_000,
    level: float = 0.05,
    rng: np.random.Generator | int = 0,
    failures: str = "error",
    pairs: Sequence[tuple[str, str]] | None = None,
) -> Comparison:
    """Compare all models, fold by fold, as the protocol asks for.

    The scores are averaged over the seeds first: a fold is one observation, however many seeds it was fitted with.
    With several metrics, all pairs of all metrics are one family of hypotheses: who may choose the metric afterwards
    has made all of these tests.

    Parameters
    ----------
    trials : Trials
        Of at least two models on at least two folds.
    n_resamples : int
        Paired resamples of the folds for the BCa intervals, >= 1.
    level : float
        Family-wise level, in (0, 1); each interval has the confidence 1 - level for itself.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    failures : {"error", "drop"}
        What becomes of failed trials: ``error`` raises, ``drop`` leaves out the folds in which any model failed, for
        all models and metrics.
    pairs : sequence of (str, str), optional
        The pairs of models that there are hypotheses about, by default all. Fewer tests are adjusted less: that holds
        for pairs that were chosen before the scores were seen (`genexpy_nb.protocol.preregister`).

    Returns
    -------
    Comparison

    Raises
    ------
    StudyError
        If trials failed and ``failures="error"``, or no two complete folds are left.
    ParameterError
        If there is a single model, or a parameter is out of range.

    Notes
    -----
    The paper's intervals are BCa over folds. Folds share training rows and, from repeat to repeat, test rows, and these
    intervals are too short: `simulate_coverage` finds that they miss the true difference of two stable learners in
    about 25 % of the cases instead of 5 %, the corrected ones in about 2 %. The variance of k-fold cross-validation
    has no unbiased estimator (Bengio and Grandvalet), so no interval over folds holds its confidence for all learners:
    of two nearest-neighbour rules, the corrected one misses in about 9 %. The same is true of the mean of one model.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in Machine Learning, Section 3.2; Nadeau and Bengio, Machine
    Learning 2003; Bengio and Grandvalet, JMLR 2004.

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
    chosen = check_pairs(trials.models, pairs)
    seed = seed_of(rng)
    trials, notes = _usable(trials, failures)
    found = [_of_one_metric(trials.only(name), n_resamples, level, seed, failures, chosen) for name in trials.metrics]
    estimates, tests, orders = (_joined(trials, list(tables)) for tables in zip(*found, strict=True))
    tests = tests.assign(  # of all metrics: one family
        p_adjusted=adjust_pvalues(tests["p"], "holm"),
        p_corrected_adjusted=adjust_pvalues(tests["p_corrected"], "holm"),
    )
    by_mean = np.select([tests["estimate"] > 0, tests["estimate"] < 0], [tests["a"], tests["b"]], "")
    tests["winner"] = np.where(tests["p_adjusted"] <= level, tests["favours"], "")
    tests["winner_corrected"] = np.where(tests["p_corrected_adjusted"] <= level, by_mean, "")
    settings = declared_wins(trials, tests, level, failures)
    settings.insert(settings.columns.get_loc("setting") + 1, "instability", orders["instability"])
    n_folds = int(estimates["n_folds"].iloc[0])
    notes += [*_smallest_p(n_folds, len(tests), level), *_notes(trials, tests)]
    about = {**trials.about, "n_resamples": n_resamples, "level": level, "failures": failures, "n_folds": n_folds}
    return Comparison(estimates, tests, settings, notes, about)


def check_pairs(models: Sequence[str], pairs: Sequence[tuple[str, str]] | None = None) -> list[tuple[str, str]]:
    """Return pairs of models, each as and where it stands among all pairs, or raise `ParameterError`."""
    every = list(combinations(models, 2))
    if not every:
        raise ParameterError(f"there is a single model, {models[0]!r}: nothing to compare it with")
    if pairs is None:
        return every
    asked = {frozenset(pair) for pair in pairs}
    for pair in pairs:
        for name in pair:
            check_choice("pairs", name, models)
        if len(pair) != 2 or len(frozenset(pair)) < 2:
            raise ParameterError(f"pairs must be of two different models, got {pair!r}")
    if not asked or len(asked) < len(pairs):
        raise ParameterError("pairs must be at least one, each once")
    return [pair for pair in every if frozenset(pair) in asked]


def _of_one_metric(
    trials: Trials, n_resamples: int, level: float, seed: int, failures: str, chosen: list[tuple[str, str]]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return estimates, pairs, and the instability of each setting: all that the other metrics do not change."""
    folds, _ = _complete(trials, failures)
    k = trials.about["k"]
    bca_of_pairs, bca_of_means = _bca(folds, n_resamples, level, seed)
    # Its intervals and what it notes of them are for independent conditions: neither is used.
    pairs = compare_pairs(folds, higher_is_better=True, interval="t")
    pairs = _with_corrected_tests(pairs, folds, k, bca_of_pairs, level)
    orders = instability(trials, failures)
    for column, unit in (("instability", "one trial"), ("instability_protocol", "one seed, all folds")):
        pairs[column] = orders.loc[orders["unit"] == unit, "instability"].to_numpy()
    pairs, orders = _chosen(pairs, chosen), _chosen(orders, chosen)
    means = orders.groupby("unit", sort=False)["instability"].mean()
    of_settings = pd.DataFrame({"instability": means[[_UNIT_OF[setting] for setting in SETTINGS]].to_numpy()})
    return _estimates(trials, folds, bca_of_means, level), pairs, of_settings


def _chosen(table: pd.DataFrame, pairs: list[tuple[str, str]]) -> pd.DataFrame:
    kept = [pair in pairs for pair in zip(table["a"], table["b"], strict=True)]
    return table if all(kept) else table[kept].reset_index(drop=True)


def _joined(trials: Trials, tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the tables of all metrics as one, with a column metric if there are several."""
    if len(tables) == 1:
        return tables[0]
    for name, table in zip(trials.metrics, tables, strict=True):
        table.insert(0, "metric", name)
    return pd.concat(tables, ignore_index=True)


def _with_corrected_tests(
    pairs: pd.DataFrame, folds: pd.DataFrame, k: int, bca: np.ndarray, level: float
) -> pd.DataFrame:
    tests = [nadeau_bengio(d, 1 / k, 1 - level) for d in _fold_differences(folds)]
    ends = {"low": [t.low for t in tests], "high": [t.high for t in tests], "bca_low": bca[0], "bca_high": bca[1]}
    # What `compare_pairs` says of a share of the conditions takes them for independent, too.
    pairs = pairs.drop(columns=["low", "high", "poi_low", "poi_high"])
    for position, (name, values) in enumerate(ends.items(), start=pairs.columns.get_loc("estimate") + 1):
        pairs.insert(position, name, values)
    p = [test.p for test in tests]
    return pairs.assign(p_corrected=p, p_corrected_adjusted=adjust_pvalues(p, "holm"))


def _bca(folds: pd.DataFrame, n_resamples: int, level: float, rng: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the BCa intervals over folds: of differences, shape (2, n_pairs), of means, (2, n_models)."""
    n_models = folds.shape[1]
    # A mean is the mean difference to a model that always scores 0.
    values = np.column_stack([folds.to_numpy(), np.zeros(len(folds))])
    i, j = np.triu_indices(n_models, 1)
    left, right = np.append(i, range(n_models)), np.append(j, [n_models] * n_models)
    found = mean_differences(values, left, right, n_resamples, 1 - level, rng)
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


def _pairs(trials: Trials) -> list[tuple[str, str]]:
    return list(combinations(trials.models, 2))


def _fold_differences(scores: pd.DataFrame) -> np.ndarray:
    """Return a - b for every pair, shape (n_pairs, n_folds), equal ones bitwise equal."""
    return paired_differences(scores.to_numpy(), *np.triu_indices(scores.shape[1], 1))


def _complete(trials: Trials, failures: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the scores of the complete folds, averaged over the seeds, shape (n_folds, n_models), and what to note."""
    check_choice("failures", failures, FAILURES)
    wide = trials.wide()
    notes = []
    if len(trials.failed):
        said = _said_of_failures(trials, failures)
        complete = wide.dropna()
        notes.append(f"{said}. Left out {len(wide) - len(complete)} of {len(wide)} folds for all models.")
        wide = complete
    if len(wide) < 2:
        raise StudyError(
            f"at least two complete folds are needed, there are {len(wide)}: a single one says nothing about chance"
        )
    return wide, notes


def _said_of_failures(trials: Trials, failures: str) -> str:
    failed = trials.failed
    first = failed.iloc[0]
    metric = f", {first['metric']}" if "metrics" in trials.about else ""
    what = "scores" if metric else "trials"
    said = (
        f"{len(failed)} of {len(trials.scores)} {what} failed, the first is {first['model']!r} with seed "
        f"{first['seed']}, repeat {first['repeat']}, fold {first['fold']}{metric}: {first['error']}"
    )
    if failures == "error":
        raise StudyError(f"{said}; repair the model, or leave such folds out with failures='drop'")
    return said


def _usable(trials: Trials, failures: str) -> tuple[Trials, list[str]]:
    """Return the trials without the folds that one of several metrics lacks, and what to note."""
    if "metrics" not in trials.about:
        return trials, _complete(trials, failures)[1]
    check_choice("failures", failures, FAILURES)
    if trials.failed.empty:
        return trials, []
    said = _said_of_failures(trials, failures)
    fold = pd.MultiIndex.from_frame(trials.scores[["repeat", "fold"]])
    lacking = pd.MultiIndex.from_frame(trials.failed[["repeat", "fold"]]).unique()
    if len(fold.unique()) - len(lacking) < 2:
        raise StudyError(f"{said}: fewer than two folds are complete, which says nothing about chance")
    kept = trials.scores[~fold.isin(lacking)].reset_index(drop=True)
    note = f"{said}. Left out {len(lacking)} of {len(fold.unique())} folds for all models and metrics."
    return Trials(kept, trials.seconds, trials.about), [note]


def _estimates(trials: Trials, folds: pd.DataFrame, bca: np.ndarray, level: float) -> pd.DataFrame:
    bounded = trials.about["metric"] in _SHARES and folds.stack().between(0, 1).all()
    least, most = (0.0, 1.0) if bounded else (-np.inf, np.inf)
    found = [nadeau_bengio(folds[name], 1 / trials.about["k"], 1 - level) for name in folds.columns]
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


def _every_trial(trials: Trials, failures: str) -> pd.DataFrame:
    """Return the scores of all trials on complete folds, index (seed, repeat, fold), one column per model."""
    folds, _ = _complete(trials, failures)
    every = trials.wide(average_seeds=False)
    return every[every.index.droplevel("seed").isin(folds.index)]


def _orders(scores: pd.DataFrame, unit: list[str] | np.ndarray) -> np.ndarray:
    """Return the sign of the mean difference a - b for every unit and pair, shape (n_units, n_pairs)."""
    means = scores.groupby(unit).mean().to_numpy()
    largest = scores.abs().groupby(unit).max().to_numpy()
    i, j = np.triu_indices(scores.shape[1], 1)
    d = means[:, i] - means[:, j]
    return np.sign(np.where(np.abs(d) <= _EQUAL * np.maximum(largest[:, i], largest[:, j]), 0.0, d))


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
        unit, a, b, instability (in [0, 1]), n_units. Unit ``one trial`` is the paper's definition, over seeds and
        folds; the others order the models by a mean of trials: over the k folds of one repeat and seed, or over all
        folds of one seed. A tie is another order than a difference, so it counts. All trials share one dataset and
        its splits: this is not the probability that new data would turn the order around. With several metrics, a
        column metric stands first.

    Raises
    ------
    StudyError, ParameterError
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
            unit  a  b  instability  n_units
    0  one trial  A  B          0.5        2
    """
    trials, _ = _usable(trials, failures)
    return _joined(trials, [_instability(trials.only(metric), failures) for metric in trials.metrics])


def _instability(trials: Trials, failures: str) -> pd.DataFrame:
    every = _every_trial(trials, failures)
    overall = _orders(every, np.zeros(len(every)))
    rows = []
    for unit, columns in UNITS.items():
        orders = _orders(every, columns)
        differs = (orders != overall).mean(axis=0)
        rows += [(unit, a, b, share, len(orders)) for (a, b), share in zip(_pairs(trials), differs, strict=True)]
    return pd.DataFrame(rows, columns=["unit", "a", "b", "instability", "n_units"])


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
        only), n_pairs. A p-value that equals the level wins. McNemar's test on one split is not among the settings: it
        needs predictions, and trials keep scores. With several metrics there is a column metric, and every
        adjustment is over the pairs of all of them.

    Raises
    ------
    StudyError, ParameterError
        As `compare`.

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
    [0.5, 0.0, 0.0, 0.0, 0.0]
    """
    check_level("level", level)
    trials, _ = _usable(trials, failures)
    every = [_every_trial(trials.only(metric), failures) for metric in trials.metrics]
    tests = set(zip(pairs["a"], pairs["b"], strict=True)) if "a" in pairs else set(_pairs(trials))
    chosen = [pair in tests for pair in _pairs(trials)]
    units = [list(scores.groupby(UNITS["one seed, k folds"])) for scores in every]
    tested = []
    for same_unit in zip(*units, strict=True):  # of each metric
        if len(same_unit[0][1]) >= 2:
            p = np.array(
                [[nadeau_bengio(d, 0.0).p for d in _fold_differences(folds)[chosen]] for _, folds in same_unit]
            )
            adjusted = holm_adjusted(p.ravel()).reshape(p.shape)
            tested.append([(p <= level).sum(axis=1), (adjusted <= level).sum(axis=1)])
    habits = np.mean(tested, axis=0) if tested else np.zeros((2, len(every)))
    n_pairs = len(pairs) // len(every)
    tables = []
    for position, scores in enumerate(every):
        of_metric = pairs.iloc[position * n_pairs : (position + 1) * n_pairs]
        wins = [
            np.abs(_orders(scores, UNITS["one trial"])[:, chosen]).sum(axis=1).mean(),
            *habits[:, position],
            float((of_metric["p_adjusted"] <= level).sum()),
            float((of_metric["p_corrected_adjusted"] <= level).sum()),
        ]
        tables.append(pd.DataFrame({"setting": list(SETTINGS), "wins": wins, "n_pairs": n_pairs}))
    return _joined(trials, tables)
