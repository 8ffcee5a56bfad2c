"""Worlds in which the answer is known: what several tests of generalizability compare with."""

import math

import numpy as np
import pandas as pd
from scipy import integrate, stats


def crossed(**levels):
    """All combinations of the levels of some columns, a row each."""
    return pd.MultiIndex.from_product(levels.values(), names=levels).to_frame(index=False)


def random_gram(n, rng, dimensions=3):
    """Kernel values between n random points, all different."""
    points = rng.normal(size=(n, dimensions))
    return np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2) / 2)


def eigenvalues(gram, p):
    """Of the covariance operator: ``diag(sqrt p) (I - 1p') K (I - p1') diag(sqrt p)``."""
    centre = np.eye(len(p)) - np.outer(np.ones(len(p)), p)
    root = np.sqrt(np.asarray(p))
    return np.linalg.eigvalsh(root[:, None] * (centre @ gram @ centre.T) * root)


def two_atom_generalizability(n, p, k, epsilon):
    """Exactly: the difference of two binomial counts decides."""
    pmf = stats.binom.pmf(np.arange(n + 1), n, p)
    difference = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
    similar = math.sqrt(2 * (1 - k)) * difference / n <= epsilon * (1 + 1e-9)
    return float((np.outer(pmf, pmf) * similar).sum())


def imhof(weights, value):
    """P(sum_j w_j X_j <= value), X_j chi-squared of one degree, by Imhof's integral (Biometrika 1961)."""

    u = np.linspace(1e-9, 2000, 200_001) / weights.max()
    angle = (np.arctan(weights[:, None] * u).sum(axis=0) - value * u) / 2
    size = np.prod((1 + (weights[:, None] * u) ** 2) ** 0.25, axis=0)
    return 0.5 - integrate.simpson(np.sin(angle) / (u * size), x=u) / math.pi


def scores_of_clusters(sizes, icc=0.5, k=4, rng=0, spacing=0.5):
    """Scores, (N, k), whose clusters have the share ``icc`` of the variance, and the number of each condition's."""
    rng, codes = np.random.default_rng(rng), np.repeat(np.arange(len(sizes)), sizes)
    effects = np.sqrt(icc) * rng.normal(size=(len(sizes), k))
    return spacing * np.arange(k) + effects[codes] + np.sqrt(1 - icc) * rng.normal(size=(len(codes), k)), codes


def pooled_pvalue(observed, shares):
    """Of the chi-squared test, with what is expected fewer than five times counted as one."""
    expected = observed.sum() * shares
    rare = expected < 5
    counts = [np.append(each[~rare], each[rare].sum()) for each in (observed, expected)]
    return stats.chisquare(*(each[: len(each) - (not rare.any())] for each in counts)).pvalue
