"""Worlds in which the answer is known: what several tests of generalizability compare with."""

import math

import numpy as np
from scipy import stats


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
