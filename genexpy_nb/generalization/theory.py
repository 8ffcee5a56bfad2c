"""n* from theory, by a closed form of the limiting distribution and a bound for any, and n* as the papers print it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from genexpy_nb.common.checks import check_choice, check_level, check_number, check_probabilities
from genexpy_nb.generalization.discrepancy import check_gram, support

_ALL_AGREE = 1e-12  # a sum of eigenvalues up to this is rounding noise: all results are equal to the kernel


def closed_form(
    gram: ArrayLike,
    alpha: float,
    epsilon: float,
    probabilities: ArrayLike | None = None,
    *,
    centring: str = "weighted",
    normal: str = "exact",
    cubes: int = 1,
) -> float:
    """Return n* from the limiting distribution of n MMD_n^2, a weighted sum of chi-squared variables.

    Generalizability of Experimental Studies, second version, Appendix C.1, Eqs. 42 to 52.

    Parameters
    ----------
    gram : array_like, shape (l, l)
        Kernel values between the distinct results, or between all observed ones.
    alpha, epsilon : float
        See `genexpy_nb.estimate_nstar`.
    probabilities : array_like, shape (l,), optional
        Probability of each result; without it, equal results are merged and counted.
    centring : {"weighted", "published"}
        The published centring ``H K H`` weighs all results alike, which is right only if they are equally likely.
    normal : {"exact", "lin", "printed"}
        Normal quantile: exact; by Lin's approximation, Eq. 46; or as Eq. 49 prints it, without c3, the square root of
        a negative number for every alpha above 1/2.
    cubes : {1, 3}
        Power of C in the result. Eq. 49 already cubes C, and Eqs. 48 and 52 cube it again: 3 is what is printed.

    Returns
    -------
    float
        n*, >= 0; 1 if the kernel does not tell any results apart; NaN where the printed formula has no value.

    Examples
    --------
    >>> round(closed_form(np.eye(2), alpha=0.95, epsilon=0.5, probabilities=[0.5, 0.5]), 1)
    15.0
    """
    check_choice("centring", centring, ("weighted", "published"))
    check_choice("normal", normal, ("exact", "lin", "printed"))
    check_choice("cubes", cubes, (1, 3))
    gram = check_gram(gram)
    alpha, epsilon = check_level("alpha", alpha), check_number("epsilon", epsilon, 0)
    if probabilities is None:
        gram, p = support(gram)
    else:
        p = check_probabilities("probabilities", probabilities, len(gram))
    weights = p if centring == "weighted" else np.full(len(p), 1 / len(p))
    centre = np.eye(len(p)) - np.outer(np.ones(len(p)), weights)
    root = np.sqrt(p)
    eigenvalues = np.linalg.eigvalsh(root[:, None] * (centre @ gram @ centre.T) * root)
    first, second = eigenvalues.sum(), (eigenvalues**2).sum()
    if first <= _ALL_AGREE:
        return 1.0
    d = first**2 / second  # Eq. 42, simplified: Lambda_2 - Lambda_1^2 = 2 sum lambda^2
    tail = np.log(2 * (1 - alpha))
    with np.errstate(invalid="ignore"):
        z = {
            "exact": stats.norm.ppf(alpha),
            "lin": -0.861779 + 0.00120192 * np.sqrt(514089 - 1664000 * tail),
            "printed": -0.861779 + 0.00120192 * np.sqrt(514089 * tail),
        }[normal]
    c = (np.sqrt(2 / (9 * d)) * z + 1 - 2 / (9 * d)) ** 3
    return float(2 * first * c**cubes / epsilon**2)


def bound(alpha: float, epsilon: float, kappa_sup: float = 1.0) -> float:
    """Return a number of experiments that is enough for any distribution: usually about ten times what is needed.

    Generalizability of Experimental Studies, second version, Proposition C.4, Eqs. 59 and 60 (Eq. 61 does not follow).

    Parameters
    ----------
    alpha, epsilon : float
        See `genexpy_nb.estimate_nstar`.
    kappa_sup : float
        Largest value of the kernel, > 0.

    Returns
    -------
    float
    """
    alpha, epsilon = check_level("alpha", alpha), check_number("epsilon", epsilon, 0)
    kappa_sup = check_number("kappa_sup", kappa_sup, 0)
    root = np.sqrt(-4 * kappa_sup * np.log(1 - alpha)) + np.sqrt(2 * kappa_sup)
    return float((root / epsilon) ** 2)


_FIRST, _SECOND = "first version", "second version"
_NSTAR = [
    # study, configuration, kernel, n*, experiments as stated, where
    ("encoders", ("DTC", "full", "ACC"), "Jaccard(1)", 28, 30, _FIRST),
    ("encoders", ("SVC", "full", "BACC"), "Jaccard(1)", 34, 30, _FIRST),
    ("encoders", ("LGBMC", "no", "BACC"), "Jaccard(1)", 28, 30, _SECOND),
    ("encoders", ("LR", "full", "F1"), "Jaccard(1)", 47, 30, _SECOND),
    ("bigbench", ("arithmetic", 2), "Jaccard(1)", 1, 21, _SECOND),
    ("bigbench", ("conlang_translation", 0), "Jaccard(1)", 44, 10, _FIRST),
    ("bigbench", ("conlang_translation", 0), "Jaccard(1)", 65, 10, _SECOND),
]
_DESIGN = {"encoders": ["model", "tuning", "scoring"], "bigbench": ["task_name", "number_of_shots"]}


def published_nstar(study: str) -> pd.DataFrame:
    """Return the published n* of a case study, ``published``, and the experiments that the paper states, ``stated``."""
    check_choice("study", study, _DESIGN)
    rows = [
        {**dict(zip(_DESIGN[study], configuration, strict=True)), "kernel": kernel}
        | {"published": nstar, "stated": stated, "paper": paper}
        for name, configuration, kernel, nstar, stated, paper in _NSTAR
        if name == study
    ]
    return pd.DataFrame(rows)
