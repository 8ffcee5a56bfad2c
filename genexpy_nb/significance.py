"""Which differences between alternatives a set of experiments can tell apart, with effect sizes and intervals.

The input is always a table of scores, shape (n_conditions, n_alternatives): the alternatives are compared within each
condition (a dataset, a fold). Scores that agree to 12 significant digits are ties, as in `genexpy_nb.rankings`. An
incomplete row is an error unless ``missing="drop"`` is asked for, and then the result says how many rows went.

Three habits of the libraries underneath shaped this module: scikit-posthocs leaves out incomplete rows in silence and
answers all ties with NaN, statsmodels counts NaN among the hypotheses that it corrects for, and scipy's exact Wilcoxon
test does not know zeros. Here nothing returns NaN: a case without an answer has a defined value and a note, or raises.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import ndtr, ndtri
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.errors import ParameterError, StudyError, check_choice
from genexpy_nb.rankings import rank_scores, round_significant

__all__ = [
    "ADJUSTMENTS",
    "Best",
    "Friedman",
    "adjust_pvalues",
    "best_alternative",
    "compare_pairs",
    "conover_iman",
    "friedman",
    "paired_differences",
    "pairwise_wilcoxon",
    "rank_tiers",
    "to_matrix",
    "wilcoxon_pratt",
]

ADJUSTMENTS = ("none", "holm", "bonferroni", "sidak", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by")
MISSING = ("error", "drop")

_LARGEST_EXACT = 50  # 2^50 sign patterns are still counted exactly in a double
_CHUNK = 4_000_000  # numbers held at once while resampling: 32 MB per array
_ALL_TIE = "all alternatives tie in every condition"


# --- tests on ranks ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Friedman:
    """Result of the Friedman test.

    Attributes
    ----------
    chi2, chi2_pvalue : float
        Friedman's statistic, corrected for ties, and its p-value (chi-square, n_alternatives - 1 degrees of freedom).
    f, f_pvalue : float
        The statistic of Iman and Davenport, less conservative, and its p-value (F distribution with n_alternatives - 1
        and (n_alternatives - 1)(n_conditions - 1) degrees of freedom). Infinite if all conditions agree completely.
    mean_ranks : Series, shape (n_alternatives,)
        Average ranks, 1 = best, ties share the mean of their ranks.
    n_conditions, n_alternatives : int
        What was compared.
    n_dropped : int
        Incomplete conditions that were left out.
    note : str
        Why a value is degenerate; mostly empty.
    """

    chi2: float
    chi2_pvalue: float
    f: float
    f_pvalue: float
    mean_ranks: pd.Series
    n_conditions: int
    n_alternatives: int
    n_dropped: int
    note: str

    @property
    def kendall_w(self) -> float:
        """Agreement between the conditions, Kendall's W in [0, 1]."""
        return self.chi2 / (self.n_conditions * (self.n_alternatives - 1))


def friedman(scores: ArrayLike | pd.DataFrame, higher_is_better: bool = True, missing: str = "error") -> Friedman:
    """Test whether all alternatives perform alike: Friedman's chi-square, and the F of Iman and Davenport.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        At least two of each.
    higher_is_better : bool
        Whether rank 1 goes to the highest score.
    missing : {"error", "drop"}
        What becomes of conditions with a missing score.

    Returns
    -------
    Friedman

    Raises
    ------
    StudyError
        If the table is too small, not numeric, infinite, or incomplete with ``missing="error"``.

    References
    ----------
    Friedman (1937); Iman and Davenport (1980); Demsar, JMLR 2006, Section 3.2.2.

    Examples
    --------
    >>> result = friedman([[0.9, 0.8, 0.7], [0.6, 0.5, 0.5], [0.8, 0.9, 0.1], [0.4, 0.3, 0.2]])
    >>> round(result.chi2, 3), round(result.chi2_pvalue, 3), result.mean_ranks.tolist()
    (5.733, 0.057, [1.25, 1.875, 2.875])
    """
    table = _table(scores, missing)
    sums = _rank_sums(table.values, higher_is_better)
    n, k = table.values.shape
    # The sums are integers, so 0 means complete agreement (residual) or all ties (spread), not rounding.
    chi2 = (k - 1) * sums.between / sums.spread if sums.spread else 0.0
    agreed = np.inf if sums.spread else 0.0
    f = (n - 1) * sums.between / sums.residual if sums.residual else agreed
    return Friedman(
        chi2=float(chi2),
        chi2_pvalue=float(stats.chi2.sf(chi2, k - 1)),
        f=float(f),
        f_pvalue=float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        mean_ranks=pd.Series(sums.doubled / (2 * n), index=table.names, name="mean_rank"),
        n_conditions=n,
        n_alternatives=k,
        n_dropped=table.n_dropped,
        note=_agreement_note(sums),
    )


def conover_iman(
    scores: ArrayLike | pd.DataFrame,
    adjust: str = "none",
    higher_is_better: bool = True,
    missing: str = "error",
) -> pd.DataFrame:
    """Compare all pairs of alternatives by their rank sums, after Friedman: the t-test of Conover and Iman.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        At least two of each.
    adjust : str
        Correction over all pairs, one of `ADJUSTMENTS`.
    higher_is_better, missing
        See `friedman`.

    Returns
    -------
    DataFrame, shape (n_alternatives, n_alternatives)
        Two-sided p-values, 1 on the diagonal. Alternatives with the same rank sum have p = 1; if all conditions agree
        completely, all others have p = 0. ``attrs["note"]`` says so in both cases, ``attrs["n_dropped"]`` counts
        incomplete conditions.

    Raises
    ------
    StudyError
        As `friedman`.
    ParameterError
        If ``adjust`` is unknown.

    Notes
    -----
    One variance of the ranks is shared by all pairs. Alternatives that always take the same ranks shrink it, and then
    the test finds differences between others that are equal, far more often than the level says and with Holm's
    correction, too: with 20 conditions and 10 alternatives, five equal and five better ones far from each other,
    in 31 % of 10,000 simulated tables at the level .05. Nor does it help that all have the same expected score, if
    their spreads differ: with standard deviations from 0.1 to 10, normal, in 6 % (see
    `genexpy_nb.familywise.familywise_errors`). `pairwise_wilcoxon` looks at one pair at a time.

    References
    ----------
    Conover and Iman (1979), LA-7677-MS; Conover (1999), Practical Nonparametric Statistics, Section 5.8.

    Examples
    --------
    >>> conover_iman([[0.9, 0.8, 0.7], [0.6, 0.5, 0.5], [0.8, 0.9, 0.1], [0.4, 0.3, 0.2]]).round(3)
           0      1      2
    0  1.000  0.188  0.008
    1  0.188  1.000  0.055
    2  0.008  0.055  1.000
    """
    check_choice("adjust", adjust, ADJUSTMENTS)
    table = _table(scores, missing)
    sums = _rank_sums(table.values, higher_is_better)
    matrix = _conover_matrix(sums, len(table.values), adjust)
    return _named_matrix(matrix, table, _agreement_note(sums))


class _RankSums(NamedTuple):
    doubled: np.ndarray  # twice the rank sums, shape (n_alternatives,)
    between: int
    spread: int
    residual: int


def _rank_sums(values: np.ndarray, higher_is_better: bool) -> _RankSums:
    """Return the sums of squares of the doubled ranks, exactly: average ranks are multiples of one half."""
    n, k = values.shape
    ranks = np.rint(2 * stats.rankdata(rank_scores(values, higher_is_better), axis=1)).astype(np.int64)
    doubled = ranks.sum(axis=0)
    total = int((ranks**2).sum())
    of_sums = sum(int(r) ** 2 for r in doubled)
    expected = n * k * (k + 1) ** 2
    return _RankSums(doubled, of_sums - n * expected, total - expected, n * total - of_sums)


def _conover_matrix(sums: _RankSums, n: int, adjust: str) -> np.ndarray:
    k = len(sums.doubled)
    i, j = np.triu_indices(k, 1)
    gap = np.abs(sums.doubled[i] - sums.doubled[j])
    df = (n - 1) * (k - 1)
    p = np.where(gap == 0, 1.0, 0.0)
    if sums.residual:
        p = 2 * stats.t.sf(gap / np.sqrt(2 * sums.residual / df), df)
    return _square(adjust_pvalues(p, adjust), k)


def _agreement_note(sums: _RankSums) -> str:
    if not sums.spread:
        return _ALL_TIE
    return "" if sums.residual else "all conditions agree completely"


@dataclass(frozen=True)
class Best:
    """The best alternative of a table, and whether it is significantly better than all others.

    Attributes
    ----------
    best : tuple
        The alternatives with the best mean rank: several if they tie.
    significant : bool
        Whether Friedman's test rejects, there is a single best alternative, and the test of Conover and Iman finds it
        better than each of the others.
    p_friedman : float
        Of the chi-square.
    p_others : float
        Largest p-value of the best alternative against another one; 1 if several share the best mean rank.
    """

    best: tuple[Hashable, ...]
    significant: bool
    p_friedman: float
    p_others: float


def best_alternative(
    scores: ArrayLike | pd.DataFrame,
    alpha: float = 0.05,
    adjust: str = "none",
    higher_is_better: bool = True,
    missing: str = "error",
) -> Best:
    """Find the best alternative, and say whether it is significantly better than every other one.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        At least two of each.
    alpha : float
        Level of both tests, in (0, 1).
    adjust : str
        Correction of the p-values of Conover and Iman over all pairs, one of `ADJUSTMENTS`. The claim "better than
        every other one" is an intersection of claims, so it holds its level without one, given the best alternative;
        that it was chosen by looking at the same data, it does not account for.
    higher_is_better, missing
        See `friedman`.

    Returns
    -------
    Best

    Raises
    ------
    StudyError, ParameterError
        As `conover_iman`.

    References
    ----------
    Generalizability of Experimental Studies, second version, Appendix A ("Conover-Iman-significant").

    Examples
    --------
    >>> best = best_alternative([[0.9, 0.8, 0.1]] * 14 + [[0.8, 0.9, 0.1]] * 6)
    >>> best.best, best.significant, round(best.p_others, 3)
    ((0,), True, 0.011)
    """
    _check_level("alpha", alpha)
    check_choice("adjust", adjust, ADJUSTMENTS)
    table = _table(scores, missing)
    n, k = table.values.shape
    sums = _rank_sums(table.values, higher_is_better)
    best = np.flatnonzero(sums.doubled == sums.doubled.min())
    p_friedman = float(stats.chi2.sf((k - 1) * sums.between / sums.spread, k - 1)) if sums.spread else 1.0
    row = _conover_matrix(sums, n, adjust)[best[0]]
    p_others = float(np.delete(row, best[0]).max())
    significant = len(best) == 1 and p_friedman <= alpha and p_others <= alpha
    return Best(tuple(table.names[best]), significant, p_friedman, p_others)


# --- Wilcoxon ---------------------------------------------------------------------------------------------------------


def wilcoxon_pratt(differences: ArrayLike, method: str = "auto") -> np.ndarray:
    """Run the Wilcoxon signed-rank test, zeros after Pratt, on many samples at once.

    Zeros are ranked with the rest and then left out of the sum (Pratt). ``exact`` is the permutation distribution
    given the ranks at hand: all sign patterns of the nonzero differences are counted, so it is exact with ties and
    zeros, too, where scipy's ``method="exact"`` is not; without them, the two agree.

    Parameters
    ----------
    differences : array_like, shape (n_samples, n) or (n,)
        Paired differences, compared as they are: differences that should tie must be equal.
    method : {"auto", "exact", "asymptotic"}
        ``auto`` is exact up to 50 nonzero differences. ``asymptotic`` is the normal approximation, corrected for ties
        and zeros, without continuity correction, as scipy has it.

    Returns
    -------
    ndarray, shape (n_samples,)
        Two-sided p-values; 1 if all differences are zero.

    Raises
    ------
    ParameterError
        If a difference is missing or infinite, or ``exact`` is asked for beyond 50 nonzero differences.

    References
    ----------
    Pratt, JASA 1959; Cureton, JASA 1967.

    Examples
    --------
    >>> wilcoxon_pratt([[1, 2, 3, 4, 5, 6], [0, 0, 0, -1, 2, 3], [0, 0, 0, 0, 0, 0]])
    array([0.03125, 0.5    , 1.     ])
    """
    check_choice("method", method, ("auto", "exact", "asymptotic"))
    d = np.atleast_2d(np.asarray(differences, dtype=float))
    if not np.isfinite(d).all():
        sample, position = np.argwhere(~np.isfinite(d))[0]
        raise ParameterError(f"differences must be finite, got {d[sample, position]} in sample {sample}")
    doubled = _doubled_signed_ranks(d)
    smaller = np.minimum(np.where(d > 0, doubled, 0).sum(axis=1), -np.where(d < 0, doubled, 0).sum(axis=1))
    doubled = np.abs(doubled)
    total = doubled.sum(axis=1)
    count = (d != 0).sum(axis=1)
    exact = (count <= _LARGEST_EXACT) & (method != "asymptotic")
    if method == "exact" and not exact.all():
        raise ParameterError(
            f"method='exact' takes up to {_LARGEST_EXACT} nonzero differences, got {count.max()}; choose 'auto'"
        )
    # Given the ranks, the sum of the positive ones has mean total/2 and variance sum(rank^2)/4: no other correction.
    deviation = np.sqrt((doubled.astype(float) ** 2).sum(axis=1))
    z = np.divide(total - 2.0 * smaller, deviation, out=np.zeros(len(d)), where=deviation > 0)
    p = 2 * ndtr(-z)
    p[exact] = _exact_wilcoxon(doubled[exact], smaller[exact], count[exact])
    return np.minimum(p, 1.0)


def _doubled_signed_ranks(d: np.ndarray) -> np.ndarray:
    """Return twice the signed ranks after Pratt, integers: average ranks are multiples of one half; zeros have none."""
    return (np.sign(d) * np.rint(2 * stats.rankdata(np.abs(d), axis=1))).astype(np.int64)


def _exact_wilcoxon(doubled: np.ndarray, smaller: np.ndarray, count: np.ndarray) -> np.ndarray:
    p = np.ones(len(doubled))
    ranks, which = np.unique(np.sort(doubled, axis=1), axis=0, return_inverse=True)
    for u, row in enumerate(ranks):
        ways = np.zeros(row.sum() + 1)  # ways[s]: sign patterns whose positive doubled ranks sum to s
        ways[0] = 1
        for rank in row[row > 0]:
            ways[rank:] += ways[:-rank].copy()
        mine = which.ravel() == u
        p[mine] = 2 * np.cumsum(ways)[smaller[mine]] / 2.0 ** count[mine]
    return p


def pairwise_wilcoxon(
    scores: ArrayLike | pd.DataFrame, adjust: str = "holm", missing: str = "error", method: str = "auto"
) -> pd.DataFrame:
    """Compare all pairs of alternatives by Wilcoxon signed-rank tests on the raw scores.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        At least two of each. Scores of different conditions must be commensurable: their differences are ranked.
    adjust : str
        Correction over all pairs, one of `ADJUSTMENTS`.
    missing : {"error", "drop"}
        See `friedman`.
    method : {"auto", "exact", "asymptotic"}
        See `wilcoxon_pratt`.

    Returns
    -------
    DataFrame, shape (n_alternatives, n_alternatives)
        Two-sided p-values, 1 on the diagonal and for identical alternatives.

    Raises
    ------
    StudyError, ParameterError
        As `conover_iman`.

    Examples
    --------
    >>> pairwise_wilcoxon([[0.9, 0.8], [0.7, 0.6], [0.5, 0.4], [0.3, 0.2], [0.6, 0.5], [0.4, 0.3]]).loc[0, 1].item()
    0.03125
    """
    check_choice("adjust", adjust, ADJUSTMENTS)
    table = _table(scores, missing)
    k = len(table.names)
    p = wilcoxon_pratt(paired_differences(table.values, *np.triu_indices(k, 1)), method)
    return _named_matrix(_square(adjust_pvalues(p, adjust), k), table, "")


def adjust_pvalues(p_values: ArrayLike, method: str = "holm") -> np.ndarray:
    """Correct p-values for multiple testing.

    Parameters
    ----------
    p_values : array_like, shape (m,)
        In [0, 1]. A missing one is an error: statsmodels would count it among the m hypotheses.
    method : str
        One of `ADJUSTMENTS`; ``none`` returns them as they are.

    Returns
    -------
    ndarray, shape (m,)

    Raises
    ------
    ParameterError
        If a p-value is missing or no probability, or the method is unknown.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    check_choice("adjust", method, ADJUSTMENTS)
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1:
        raise ParameterError(f"p_values must have shape (m,), got {p.shape}")
    bad = ~((p >= 0) & (p <= 1))  # written so that NaN is bad
    if bad.any():
        raise ParameterError(f"p_values must be in [0, 1], got {p[bad.argmax()]} at position {bad.argmax()}")
    if method == "none" or not p.size:
        return p
    if method == "holm":
        # multipletests collects garbage on every call, a tenth of a second: too much for simulations of error rates.
        order = np.argsort(p, kind="stable")
        adjusted = np.empty_like(p)
        adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
        return adjusted
    with np.errstate(divide="ignore"):  # log(0) for p = 1 in Sidak's formula; the result is right
        return multipletests(p, method=method)[1]


# --- all pairs, with intervals and effect sizes -----------------------------------------------------------------------


def compare_pairs(
    scores: ArrayLike | pd.DataFrame,
    *,
    higher_is_better: bool = True,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
    missing: str = "error",
    method: str = "auto",
) -> pd.DataFrame:
    """Compare all pairs of alternatives: mean difference, BCa interval, Wilcoxon, Holm, effect sizes.

    The conditions are resampled once for all pairs, so that the pairing and the dependence between pairs are kept.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        At least two of each.
    higher_is_better : bool
        Only the probability of improvement depends on it; differences are always a minus b.
    n_resamples : int
        Bootstrap resamples, >= 1.
    confidence : float
        Of both intervals, in (0, 1).
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    missing : {"error", "drop"}
        What becomes of conditions with a missing score.
    method : {"auto", "exact", "asymptotic"}
        See `wilcoxon_pratt`.

    Returns
    -------
    DataFrame, one row per pair, in the order of the columns of ``scores``
        ``a``, ``b``, ``n`` (conditions compared), ``mean_difference`` (of a minus b) with its BCa interval ``low``,
        ``high``; ``p_wilcoxon`` (Pratt, two-sided) and ``p_holm`` (over all pairs); ``d_z`` = mean / standard
        deviation of the differences; ``d_av`` = mean difference / root of the mean of both variances;
        ``probability_of_improvement``, the share of conditions on which a is better than b, ties counting one half,
        with its Wilson interval ``poi_low``, ``poi_high`` (cautious where there are ties); ``note``:
        ``identical`` (p = 1, d = 0) or ``constant difference`` (a point interval, d_z infinite).
        ``attrs["notes"]`` lists what concerns the whole table, ``attrs["n_dropped"]`` counts incomplete conditions.

    Raises
    ------
    StudyError
        As `friedman`.
    ParameterError
        If ``n_resamples`` or ``confidence`` is out of range.

    Notes
    -----
    All p-values and intervals take the conditions for independent. Folds of one cross-validation are not: they share
    training data, and the tests become too eager.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in ML, Section 3.2; Efron and Tibshirani (1993), Section
    14.3; Holm (1979); Cumming (2012) for d_av; Agarwal et al., NeurIPS 2021, for the probability of improvement.

    Examples
    --------
    >>> pairs = compare_pairs(pd.DataFrame({"tree": [0.8, 0.7, 0.9, 0.6], "forest": [0.9, 0.7, 1.0, 0.8]}))
    >>> pairs[["a", "b", "mean_difference", "low", "high", "p_wilcoxon", "d_z", "d_av"]].round(3)
          a       b  mean_difference    low   high  p_wilcoxon    d_z   d_av
    0  tree  forest             -0.1 -0.175 -0.025        0.25 -1.225 -0.775
    """
    _check_level("confidence", confidence)
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, int | np.integer) or n_resamples < 1:
        raise ParameterError(f"n_resamples must be an integer of at least 1, got {n_resamples!r}")
    table = _table(scores, missing)
    n, k = table.values.shape
    i, j = np.triu_indices(k, 1)
    d = paired_differences(table.values, i, j)
    constant = (d == d[:, :1]).all(axis=1)
    mean = np.where(constant, d[:, 0], d.mean(axis=1))
    low, high = _bca(table.values, i, j, d, mean, constant, n_resamples, confidence, np.random.default_rng(rng))
    spread_z = np.where(constant, 0.0, d.std(axis=1, ddof=1))
    fixed = (table.values == table.values[0]).all(axis=0)
    variance = np.where(fixed, 0.0, table.values.var(axis=0, ddof=1))
    won = np.sum(d > 0, axis=1) if higher_is_better else np.sum(d < 0, axis=1)
    won = won + np.sum(d == 0, axis=1) / 2
    poi_low, poi_high = proportion_confint(won, n, alpha=1 - confidence, method="wilson")
    p = wilcoxon_pratt(d, method)
    pairs = pd.DataFrame(
        {
            "a": table.names[i],
            "b": table.names[j],
            "n": n,
            "mean_difference": mean,
            "low": low,
            "high": high,
            "p_wilcoxon": p,
            "p_holm": adjust_pvalues(p, "holm"),
            "d_z": _ratio(mean, spread_z),
            "d_av": _ratio(mean, np.sqrt((variance[i] + variance[j]) / 2)),
            "probability_of_improvement": won / n,
            "poi_low": poi_low,
            "poi_high": poi_high,
            "note": np.select([(d == 0).all(axis=1), constant], ["identical", "constant difference"], ""),
        }
    )
    pairs.attrs |= {"n_dropped": table.n_dropped, "notes": _pair_notes(table, len(pairs), 1 - confidence)}
    return pairs


def _bca(
    values: np.ndarray,
    i: np.ndarray,
    j: np.ndarray,
    d: np.ndarray,
    mean: np.ndarray,
    constant: np.ndarray,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the BCa interval of every mean difference, shapes (n_pairs,).

    A resample is a row of counts, how often each condition was drawn; the resampled means of all alternatives are then
    one matrix product, and a pair needs only a subtraction.
    """
    n = len(values)
    block = max(1, _CHUNK // n)
    means = np.concatenate(
        [
            rng.multinomial(n, np.full(n, 1 / n), size=min(block, n_resamples - start)) @ (values / n)
            for start in range(0, n_resamples, block)
        ]
    ).T.copy()
    # The jackknife of a mean leaves the centred differences themselves (Efron and Tibshirani, Eq. 14.15).
    centred = d - mean[:, None]
    squares = np.where(constant, 1.0, (centred**2).sum(axis=1))
    acceleration = (centred**3).sum(axis=1) / (6 * squares**1.5)
    # Discrete scores put many resampled means exactly on the observed one: count those as ties despite rounding.
    rounding = 4 * n * np.finfo(float).eps * np.abs(values).max(axis=0)
    z = ndtri([(1 - confidence) / 2, (1 + confidence) / 2])
    ends = np.empty((2, len(i)))
    step = max(1, _CHUNK // n_resamples)
    for start in range(0, len(i), step):
        part = slice(start, start + step)
        resampled = np.sort(means[i[part]] - means[j[part]], axis=1)
        tolerance = (rounding[i[part]] + rounding[j[part]])[:, None]
        centre = mean[part, None]
        below = (resampled < centre - tolerance).mean(axis=1) + (resampled <= centre + tolerance).mean(axis=1)
        with np.errstate(invalid="ignore"):  # a few resamples can all lie on one side: z0 is infinite
            z0 = ndtri(below / 2)
            for side in (0, 1):
                shifted = z0 + z[side]
                room = 1 - acceleration[part] * shifted
                level = np.where(room > 0, ndtr(z0 + shifted / room), shifted > 0)
                ends[side, part] = _quantile_of_sorted(resampled, np.where(np.isfinite(z0), level, z0 > 0))
    return np.where(constant, mean, ends[0]), np.where(constant, mean, ends[1])


def _quantile_of_sorted(ordered: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Return one quantile per row, at its own level, linear between order statistics."""
    position = level * (ordered.shape[1] - 1)
    floor = np.floor(position).astype(int)
    rows = np.arange(len(ordered))
    lower, upper = ordered[rows, floor], ordered[rows, np.minimum(floor + 1, ordered.shape[1] - 1)]
    return lower + (position - floor) * (upper - lower)


def paired_differences(values: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Subtract alternatives from each other within each condition, such that equal differences are equal in every bit.

    0.8 - 0.7 and 0.4 - 0.3 differ in the last bits, and a test on ranks would take them for different. A difference is
    only known as well as the scores are, to 12 significant digits of the larger one; after that rounding it is
    written with 12 digits of its own.

    Parameters
    ----------
    values : ndarray, shape (n_conditions, n_alternatives)
        Finite scores.
    i, j : ndarray of int, shape (n_pairs,)
        Columns of the alternatives; all pairs are ``np.triu_indices(n_alternatives, 1)``.

    Returns
    -------
    ndarray, shape (n_pairs, n_conditions)
        Scores of i minus scores of j.

    Examples
    --------
    >>> scores = np.array([[0.8, 0.7], [0.4, 0.3], [0.1 + 0.2, 0.3]])
    >>> paired_differences(scores, *np.triu_indices(2, 1)).tolist()
    [[0.1, 0.1, 0.0]]
    """
    a, b = values.T[i], values.T[j]
    larger = np.maximum(np.abs(a), np.abs(b))
    unit = 10.0 ** np.clip(np.floor(np.log10(np.where(larger > 0, larger, 1.0))) - 11, -300, 300)
    return round_significant(np.rint((a - b) / unit) * unit)


def _ratio(mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return mean / spread; without spread 0 for no difference, else infinite with the sign of the difference."""
    limit = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.divide(mean, spread, out=limit, where=spread > 0)


def _pair_notes(table: _Table, n_pairs: int, alpha: float) -> list[str]:
    n = len(table.values)
    notes = [f"Left out {table.n_dropped} incomplete conditions, {n} remain."] if table.n_dropped else []
    smallest = 2.0 ** (1 - n)
    if smallest * n_pairs > alpha:
        notes.append(
            f"{n} conditions cannot make a Wilcoxon p-value smaller than {smallest:.2g}; Holm's correction over "
            f"{n_pairs:,} pairs multiplies the smallest ones by up to {n_pairs:,}."
        )
    return notes


def to_matrix(pairs: pd.DataFrame, column: str, mirrored: float = 1.0, diagonal: float = np.nan) -> pd.DataFrame:
    """Turn a column of `compare_pairs` into a square table.

    Parameters
    ----------
    pairs : DataFrame
        With the columns ``a``, ``b`` and ``column``, every pair in one row.
    column : str
        What to show.
    mirrored : float
        Factor of the entry (b, a): -1 for differences, 1 for p-values.
    diagonal : float
        Value of the diagonal.

    Returns
    -------
    DataFrame, shape (n_alternatives, n_alternatives)
        Row a, column b.

    Raises
    ------
    ParameterError
        If a column or a pair is missing.

    Examples
    --------
    >>> to_matrix(pd.DataFrame({"a": ["x"], "b": ["y"], "p_holm": [0.2]}), "p_holm", diagonal=1.0)
         x    y
    x  1.0  0.2
    y  0.2  1.0
    """
    for name in ("a", "b", column):
        if name not in pairs.columns:
            raise ParameterError(f"pairs has no column {name!r}; it has {', '.join(map(str, pairs.columns))}")
    names = pd.Index(pd.unique(pd.concat([pairs["a"], pairs["b"]])))
    i, j = names.get_indexer(pairs["a"]), names.get_indexer(pairs["b"])
    filled = np.eye(len(names), dtype=bool)
    filled[i, j] = filled[j, i] = True
    if not filled.all() or len(pairs) != len(names) * (len(names) - 1) // 2:
        raise ParameterError(f"pairs must hold every pair of the {len(names)} alternatives in one row")
    matrix = np.full(filled.shape, float(diagonal))
    matrix[i, j] = pairs[column]
    matrix[j, i] = mirrored * pairs[column]
    return pd.DataFrame(matrix, index=names, columns=names)


# --- tiers ------------------------------------------------------------------------------------------------------------


def rank_tiers(
    scores: ArrayLike | pd.DataFrame,
    alpha: float = 0.05,
    test: str = "wilcoxon",
    higher_is_better: bool = True,
    missing: str = "error",
) -> pd.DataFrame:
    """Group the alternatives into tiers that the data can tell apart.

    The alternative with the best mean rank leads the first tier, and all that are not significantly worse than it
    belong there, too. The best of the others leads the next tier, and so on. So an alternative outside the first tier
    is significantly worse than the best one; two alternatives of one tier need not be equal, and neighbours in
    different tiers need not differ: each was compared with a leader.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        At least two of each.
    alpha : float
        Probability, at most, that any alternative is put below a leader that it equals, in (0, 1): every comparison
        that can be looked at is one of Holm's, over all pairs, whichever alternatives turn out to lead. What has to
        hold for it, the notes say.
    test : {"wilcoxon", "conover-iman"}
        ``wilcoxon`` ranks the differences of the scores. ``conover-iman`` uses ranks within conditions only, and finds
        more with few conditions, after Friedman's test has rejected.
    higher_is_better, missing
        See `friedman`.

    Returns
    -------
    DataFrame, one row per alternative, best mean rank first
        Index: the alternative. ``mean_rank``, ``tier`` (0 = best), ``leader`` (of its tier), ``p_best`` (adjusted
        p-value against the best alternative, 1 for itself). ``attrs["note"]`` says if Friedman's test did not reject.

    Raises
    ------
    StudyError, ParameterError
        As `conover_iman`.

    Notes
    -----
    ``wilcoxon`` holds ``alpha``, whichever alternatives are equal, if the conditions are independent and the difference
    of two equal alternatives is symmetric about zero. It is if the two could change places in every condition, or if
    each of them, independently, is symmetric about the same score, with whatever spread. Skewed scores with the same
    mean and different spreads are not equal in this sense. ``conover-iman`` holds ``alpha`` if all alternatives could
    change places, but not if only some of them could (see `conover_iman`). Share of 10,000 simulated tables with
    a false difference between any two of 10 alternatives, 20 conditions, level .05, standard errors up to .005
    (`genexpy_nb.familywise.familywise_errors`):

    ======================================================  ========  ============
    scores                                                  wilcoxon  conover-iman
    ======================================================  ========  ============
    all alike, normal                                           .039          .024
    all alike, exponential                                      .041          .027
    five alike, five others far from them and each other        .040          .308
    equal means, normal, standard deviations .1 to 10           .023          .063
    equal means, exponential, standard deviations 1 to 4        .095          .204
    the same with 50 conditions                                 .153          .597
    ======================================================  ========  ============

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = pd.DataFrame(rng.normal([0.9, 0.9, 0.5], 0.1, size=(20, 3)), columns=["svm", "forest", "chance"])
    >>> rank_tiers(scores)[["mean_rank", "tier", "leader"]].reset_index()
      alternative  mean_rank  tier  leader
    0         svm        1.5     0     svm
    1      forest        1.5     0     svm
    2      chance        3.0     1  chance
    """
    _check_level("alpha", alpha)
    check_choice("test", test, ("wilcoxon", "conover-iman"))
    overall = friedman(scores, higher_is_better, missing)
    note, k = overall.note, overall.n_alternatives
    order = np.argsort(overall.mean_ranks.to_numpy(), kind="stable")
    if test == "wilcoxon":
        values = _table(scores, missing).values
        p_values = pairwise_wilcoxon(scores, "holm", missing).to_numpy()
        pairs = paired_differences(values, *np.indices((k, k)).reshape(2, -1))
        lead = np.sum(_doubled_signed_ranks(pairs), axis=1).reshape(k, k)  # antisymmetric, as the differences are
        p_values = np.where((lead if higher_is_better else -lead) > 0, p_values, 1.0)
    elif overall.chi2_pvalue <= alpha:
        p_values = conover_iman(scores, "holm", higher_is_better, missing).to_numpy()
    else:
        p_values = np.ones((k, k))
        note = f"Friedman's test does not reject (p = {overall.chi2_pvalue:.3g}): one tier"
    # From here on: p-value of the row against the column, where the row is the better one of the two.
    p_values = p_values[np.ix_(order, order)]
    names = overall.mean_ranks.index[order]
    tier = np.full(len(order), -1)
    leader = np.empty(len(order), dtype=int)
    for level in range(len(order)):
        left = np.flatnonzero(tier < 0)
        if not left.size:
            break
        joins = left[p_values[left[0], left] > alpha]
        tier[joins], leader[joins] = level, left[0]
    tiers = pd.DataFrame(
        {
            "mean_rank": overall.mean_ranks.to_numpy()[order],
            "tier": tier,
            "leader": names[leader],
            "p_best": p_values[0],
        },
        index=names.rename("alternative"),
    )
    tiers.attrs |= {"note": note, "n_dropped": overall.n_dropped}
    return tiers


# --- what goes in, what comes out -------------------------------------------------------------------------------------


class _Table(NamedTuple):
    values: np.ndarray  # (n_conditions, n_alternatives), finite
    names: pd.Index
    n_dropped: int


def _table(scores: Any, missing: str) -> _Table:
    """Check a table of scores, and leave out incomplete rows if asked to."""
    check_choice("missing", missing, MISSING)
    frame = scores if isinstance(scores, pd.DataFrame) else _framed(scores)
    if not frame.columns.is_unique:
        raise StudyError(f"two alternatives are named {frame.columns[frame.columns.duplicated()][0]!r}")
    if frame.shape[1] < 2:
        raise StudyError(f"at least two alternatives are needed, got shape {frame.shape}")
    columns = []
    for name in frame.columns:
        try:
            columns.append(frame[name].to_numpy(dtype=float, na_value=np.nan))
        except (TypeError, ValueError) as error:
            raise StudyError(f"the scores of {name!r} must be numbers: {error}") from error
    values = np.stack(columns, axis=1)
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise StudyError(
            f"scores must be finite, got {values[row, column]} for alternative {frame.columns[column]!r} "
            f"in condition {frame.index[row]!r}"
        )
    absent = np.isnan(values)
    incomplete = absent.any(axis=1)
    if incomplete.any() and missing == "error":
        row, column = np.argwhere(absent)[0]
        raise StudyError(
            f"{int(absent.sum())} scores are missing in {int(incomplete.sum())} of {len(values)} conditions, the first "
            f"for alternative {frame.columns[column]!r} in condition {frame.index[row]!r}; choose missing='drop' to "
            "leave these conditions out, or impute them first (Study.scores(..., impute=True))"
        )
    values = values[~incomplete]
    if len(values) < 2:
        dropped = f", {int(incomplete.sum())} incomplete ones left out" if incomplete.any() else ""
        raise StudyError(
            f"at least two conditions are needed, got {len(values)}{dropped}: a single one says nothing about chance"
        )
    return _Table(values, frame.columns, int(incomplete.sum()))


def _framed(scores: Any) -> pd.DataFrame:
    values = np.asarray(scores)
    if values.ndim != 2:
        raise StudyError(f"scores must have shape (n_conditions, n_alternatives), got {values.shape}")
    return pd.DataFrame(values)


def _square(upper: np.ndarray, k: int) -> np.ndarray:
    matrix = np.ones((k, k))
    i, j = np.triu_indices(k, 1)
    matrix[i, j] = matrix[j, i] = upper
    return matrix


def _named_matrix(matrix: np.ndarray, table: _Table, note: str) -> pd.DataFrame:
    named = pd.DataFrame(matrix, index=table.names, columns=table.names)
    named.attrs |= {"n_dropped": table.n_dropped, "note": note}
    return named


def _check_level(parameter: str, value: float) -> None:
    if not (np.isscalar(value) and 0 < value < 1):
        raise ParameterError(f"{parameter} must be in (0, 1), got {value!r}")
