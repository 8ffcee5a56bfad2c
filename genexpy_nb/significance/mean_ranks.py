"""Nemenyi's test of all pairs by mean ranks, and its critical distance: for comparison with papers that used it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from genexpy_nb.common.checks import check_count, check_level, check_scores
from genexpy_nb.significance.matrices import named_matrix, square
from genexpy_nb.significance.rank_tests import friedman


@dataclass(frozen=True, eq=False)
class Nemenyi:
    """Result of Nemenyi's test.

    Attributes
    ----------
    mean_ranks : Series, shape (n_alternatives,)
        Average ranks, 1 = best, ties share the mean of their ranks.
    p_values : DataFrame, shape (n_alternatives, n_alternatives)
        Two-sided, for all pairs at once: no further correction. 1 on the diagonal.
    critical_distance : float
        Two alternatives differ at ``level`` if their mean ranks are at least that far apart.
    level : float
    p_friedman : float
        Of Friedman's chi-square, which should be at most ``level`` before pairs are looked at (Demsar 2006).
    n_conditions, n_dropped : int
        Conditions compared, and incomplete ones that were left out.
    """

    mean_ranks: pd.Series
    p_values: pd.DataFrame
    critical_distance: float
    level: float
    p_friedman: float
    n_conditions: int
    n_dropped: int


def critical_distance(n_alternatives: int, n_conditions: int, level: float = 0.05) -> float:
    """Return how far apart two mean ranks must be to differ by Nemenyi's test.

    Parameters
    ----------
    n_alternatives, n_conditions : int
        At least two alternatives, and one condition.
    level : float
        Of all pairs together, in (0, 1).

    Returns
    -------
    float
        q sqrt(k (k + 1) / (6 N)), with k alternatives, N conditions, and q the upper quantile at ``level`` of the range
        of k standard normal variables, divided by sqrt(2).

    Raises
    ------
    ParameterError
        If a parameter is out of range.

    References
    ----------
    Nemenyi, Distribution-free multiple comparisons, PhD thesis, Princeton 1963; Demsar, JMLR 2006, Section 3.2.2.

    Examples
    --------
    Demsar's example, 4 alternatives and 14 datasets, where the paper prints 1.25 at .05 and 1.12 at .10:

    >>> round(critical_distance(4, 14), 3), round(critical_distance(4, 14, level=0.1), 3)
    (1.254, 1.118)
    """
    k = check_count("n_alternatives", n_alternatives, at_least=2)
    n = check_count("n_conditions", n_conditions)
    quantile = stats.studentized_range.isf(check_level("level", level), k, np.inf)
    return float(quantile * _scale(k, n))


def _scale(k: int, n: int) -> float:
    """Return the standard deviation of a mean rank if all orders are alike, as the range of independent ones
    needs it.
    """
    return np.sqrt(k * (k + 1) / (12 * n))


def nemenyi(
    scores: ArrayLike | pd.DataFrame, level: float = 0.05, *, higher_is_better: bool, missing: str = "error"
) -> Nemenyi:
    """Compare all pairs of alternatives by their mean ranks: the test of Nemenyi, on request.

    It is here to repeat what an older paper did. For a study of your own `pairwise_wilcoxon` with Holm's correction is
    the better choice, and the default everywhere.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        At least two of each.
    level : float
        Of all pairs together, in (0, 1).
    higher_is_better : bool
        Whether rank 1 goes to the highest score. The p-values do not depend on it.
    missing : {"error", "drop"}
        See `friedman`.

    Returns
    -------
    Nemenyi

    Raises
    ------
    StudyError, ParameterError
        As `friedman`.

    Notes
    -----
    The test is right for the question whether *any* pair differs: if all alternatives could change places, it holds
    ``level``. It makes no correction for ties, as Demsar's formula has none, and ties make it find less. It is no good
    guide to *which* pair differs: a gap between mean ranks grows and shrinks with the other alternatives of the table
    (Benavoli, Corani and Mangili 2016), and it sees ranks only, not by how much one alternative is better.

    Share of 5,000 simulated tables with a false difference between any two equal alternatives, and share of the true
    differences that were found; ten alternatives, level .05, standard errors up to .007, Nemenyi's test where
    Friedman's rejects (``benchmarks/nemenyi_errors.py``):

    =============================================  ====  =================  =================
    scores                                            N  false: Nemenyi,    found: Nemenyi,
                                                         Wilcoxon and Holm  Wilcoxon and Holm
    =============================================  ====  =================  =================
    all equal, normal                                20  .029  .038
    the same, rounded to whole numbers               20  .014  .022
    equal means, standard deviations .1 to 10        20  .061  .022
    five equal, five better by .4 to 1.2             10  .005  .000         .047  .000
    the same                                         20  .005  .013         .163  .150
    the same                                         50  .006  .015         .453  .501
    the same, exponential                            20  .010  .012         .298  .217
    five equal, five others far from each other      10  .000  .000         .464  .000
    the same                                         20  .000  .042         .680  1.000
    the same                                         50  .000  .039         .885  1.000
    =============================================  ====  =================  =================

    So neither finds more everywhere: with few conditions and many alternatives (10 and 10), Wilcoxon with Holm cannot
    find anything, and Nemenyi's test can. What speaks against it is the pool. Two alternatives that differ by .8, with
    20 conditions, are told apart in this share of the tables:

    =================================  =======  ==================  ===============
    others in the table                Nemenyi  Wilcoxon with Holm  Wilcoxon's test
    =================================  =======  ==================  ===============
    none                                  .469                .651             .651
    eight between the two                 .172                .134             .641
    eight far above both                  .000                .637             .637
    eight far apart, above and below      .000                .648             .648
    =================================  =======  ==================  ===============

    The p-value of Wilcoxon's test does not know the others; Holm's correction counts them. The gap of Nemenyi's two
    mean ranks itself is another one.

    References
    ----------
    Nemenyi (1963), see `critical_distance`; Demsar, JMLR 2006, Section 3.2.2; Benavoli, Corani and Mangili, Should we
    really use post-hoc tests based on mean-ranks?, JMLR 2016.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.6, 0.5, 0.4], [0.8, 0.9, 0.1], [0.4, 0.3, 0.2], [0.7, 0.6, 0.5]]
    >>> result = nemenyi(scores, higher_is_better=True)
    >>> round(result.critical_distance, 3), result.mean_ranks.tolist(), result.p_values.round(3).loc[0].tolist()
    (1.482, [1.2, 1.8, 3.0], [1.0, 0.609, 0.012])
    """
    level = check_level("level", level)
    overall = friedman(scores, higher_is_better=higher_is_better, missing=missing)
    ranks = overall.mean_ranks.to_numpy()
    n, k = overall.n_conditions, overall.n_alternatives
    doubled = np.rint(2 * n * ranks)  # whole numbers, so that gaps that are equal are so in every bit
    i, j = np.triu_indices(k, 1)
    places, gaps = pd.factorize(np.abs(doubled[i] - doubled[j]))  # each p-value is a numerical integral
    p = np.clip(stats.studentized_range.sf(gaps / (2 * n) / _scale(k, n), k, np.inf), 0.0, 1.0)
    return Nemenyi(
        mean_ranks=overall.mean_ranks,
        p_values=named_matrix(square(p[places], k), check_scores(scores, missing), overall.note),
        critical_distance=critical_distance(k, n, level),
        level=level,
        p_friedman=overall.p,
        n_conditions=n,
        n_dropped=overall.n_dropped,
    )
