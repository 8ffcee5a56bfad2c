"""How often tests find a difference between alternatives that are equal, while others are not: a simulation."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.common.checks import check_choice, check_count, check_level, check_positives
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import generator
from genexpy_nb.significance.multiple import adjust_pvalues
from genexpy_nb.significance.rank_tests import conover_iman, friedman
from genexpy_nb.significance.wilcoxon import paired_differences, wilcoxon_pratt

TESTS = ("Friedman, then Conover-Iman with Holm", "Wilcoxon with Holm")
NOISE = ("normal", "exponential")

_BLOCK = 500  # tables held at once; the results do not depend on it


def familywise_errors(
    location: ArrayLike,
    scale: ArrayLike = 1.0,
    n_conditions: int = 20,
    *,
    noise: str = "normal",
    level: float = 0.05,
    n_studies: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate tables of scores, test all pairs, and count the tables with a false claim.

    Parameters
    ----------
    location : array_like, shape (n_alternatives,)
        Expected score of each alternative. Alternatives with the same one are equal: to find a difference between
        them is false.
    scale : float or array_like, shape (n_alternatives,)
        Standard deviation of the scores around it, > 0.
    n_conditions : int
        Independent conditions in a table, >= 2.
    noise : {"normal", "exponential"}
        ``normal`` is symmetric, and so are the differences. ``exponential`` is not; with different scales, neither are
        the differences.
    level : float
        Level that each test is asked to hold over all pairs, in (0, 1).
    n_studies : int
        Tables, >= 1. Each is given to both tests.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    DataFrame, one row per test
        ``test`` (Wilcoxon's, and that of Conover and Iman where Friedman's rejects; all pairs, corrected after Holm);
        ``n_false``, the number of tables in which it finds at least one difference that is none; ``estimate``,
        their share, with its 95 % interval (Wilson) ``low``, ``high``.

    Raises
    ------
    ParameterError
        If a parameter is out of range, or no two alternatives are equal.

    References
    ----------
    Demsar, JMLR 2006, Section 3.2; Garcia and Herrera, JMLR 2008, on the control of the family-wise error.

    Examples
    --------
    Five equal alternatives, and five others that are better and far from each other.

    >>> errors = familywise_errors([0] * 5 + [6, 9, 12, 15, 18], n_studies=100)
    >>> print(errors[["test", "n_false"]].to_string(index=False))
                                     test  n_false
    Friedman, then Conover-Iman with Holm       21
                       Wilcoxon with Holm        5
    """
    location = np.asarray(location, dtype=float)
    if location.ndim != 1 or not np.isfinite(location).all():
        raise ParameterError(f"location must be finite numbers, one per alternative, got {location.tolist()}")
    scale = check_positives("scale", scale)
    if scale.shape not in ((), location.shape):
        raise ParameterError(f"scale must be one number, or one per alternative, got {scale.tolist()}")
    n_conditions = check_count("n_conditions", n_conditions, at_least=2)
    check_choice("noise", noise, NOISE)
    level = check_level("level", level)
    n_studies = check_count("n_studies", n_studies)
    i, j = np.triu_indices(len(location), 1)
    equal = location[i] == location[j]
    if not equal.any():
        raise ParameterError("location must give at least two alternatives the same value: else no claim is false")
    rng = generator(rng)
    n_false = np.zeros(len(TESTS), dtype=int)
    for start in range(0, n_studies, _BLOCK):
        size = (min(_BLOCK, n_studies - start), n_conditions, len(location))
        drawn = rng.normal(size=size) if noise == "normal" else rng.exponential(size=size) - 1
        n_false += _false_claims(location + scale * drawn, equal, level)
    low, high = proportion_confint(n_false, n_studies, method="wilson")
    return pd.DataFrame({"test": TESTS, "n_false": n_false, "estimate": n_false / n_studies, "low": low, "high": high})


def _false_claims(tables: np.ndarray, equal: np.ndarray, level: float) -> np.ndarray:
    """Count the tables, shape (n_tables, n_conditions, k), in which each test tells two equal alternatives apart."""
    i, j = np.triu_indices(tables.shape[2], 1)
    # One call for the signed-rank tests of all tables: the distribution of the rank sum is then counted once.
    p = wilcoxon_pratt(np.concatenate([paired_differences(scores, i, j) for scores in tables]))
    n_false = np.zeros(len(TESTS), dtype=int)
    for scores, raw in zip(tables, p.reshape(len(tables), -1), strict=True):
        if friedman(scores, higher_is_better=True).p <= level:
            n_false[0] += (conover_iman(scores, "holm").to_numpy()[i, j][equal] <= level).any()
        n_false[1] += (adjust_pvalues(raw, "holm")[equal] <= level).any()
    return n_false
