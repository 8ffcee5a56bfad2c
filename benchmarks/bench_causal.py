"""Measure what intervals of average effects cover, study by study, on data whose truth is known.

Run with ``OMP_NUM_THREADS=1 python benchmarks/bench_causal.py --n-studies 1000 --seed 1``; about three minutes. Every
table has the 95 % Monte-Carlo interval of its coverage beside it. The intervals are those of the package, through
`clustered_mean`; where another method stands beside them, it is the one that they replaced.
"""

import argparse

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal.effects import clustered_mean


def row(held: list[bool], **about) -> dict:
    """Return a coverage with its Monte-Carlo interval."""
    interval = stats.binomtest(int(np.sum(held)), len(held)).proportion_ci()
    return {**about, "coverage": np.mean(held), "mc_low": interval.low, "mc_high": interval.high}


def sizes_of(kind: str, n_clusters: int) -> np.ndarray:
    """Numbers of systems: equal, one cluster ten times larger, or growing by a half each (up to the twelfth)."""
    if kind == "geometric":
        return np.round(2 * 1.5 ** np.minimum(np.arange(n_clusters), 12)).astype(int)
    return np.array([120 if kind == "one large" else 12] + [12] * (n_clusters - 1))


def clusters(n_studies: int, rng: np.random.Generator) -> pd.DataFrame:
    """Few or unequal clusters, normal or skewed effects of clusters: CR2 beside CR1 with (n_clusters - 1) df."""
    rows = []
    for skewed in (False, True):
        for n_clusters in (3, 5, 10, 30):
            for kind in ("equal", "one large", "geometric"):
                sizes = sizes_of(kind, n_clusters)
                codes, n = np.repeat(np.arange(n_clusters), sizes), sizes.sum()
                for icc in (0.0, 0.3, 1.0):
                    held: dict[str, list[bool]] = {"CR2": [], "CR1": []}
                    for _ in range(n_studies):
                        of_cluster = rng.gamma(4, 0.5, n_clusters) - 2 if skewed else rng.normal(size=n_clusters)
                        y = np.sqrt(icc) * of_cluster[codes] + np.sqrt(1 - icc) * rng.normal(size=n)
                        mean = clustered_mean(y, codes, 0.95, 10.0)
                        held["CR2"].append(mean.low <= 0 <= mean.high)
                        sums = np.bincount(codes, weights=y - y.mean())
                        se = np.sqrt(n_clusters / (n_clusters - 1) * np.sum(sums**2)) / n
                        held["CR1"].append(abs(y.mean()) <= stats.t.ppf(0.975, n_clusters - 1) * se)
                    about = {"effects": "gamma(4)" if skewed else "normal", "clusters": n_clusters, "sizes": kind}
                    rows += [row(h, **about, correlation=icc, method=method) for method, h in held.items()]
    return pd.DataFrame(rows)


def systems(n_studies: int, rng: np.random.Generator) -> pd.DataFrame:
    """Every system its own cluster, normal and skewed effects: the ordinary t."""
    rows = []
    for skewed in (False, True):
        for n in (3, 5, 10, 20, 50):
            held: list[bool] = []
            for _ in range(n_studies):
                d = rng.gamma(4, 0.5, n) - 2 if skewed else rng.normal(size=n)
                mean = clustered_mean(d, np.arange(n), 0.95, 10.0)
                held.append(mean.low <= 0 <= mean.high)
            rows.append(row(held, effects="gamma(4)" if skewed else "normal", systems=n))
    return pd.DataFrame(rows)


#: Name -> its place in the seeds of all tables, and what makes it.
TABLES = {"clusters": (0, clusters), "systems": (4, systems)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=list(TABLES), help=", ".join(TABLES))
    parser.add_argument("--n-studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name, (place, measure) in TABLES.items():
        if name in arguments.tables:
            table = measure(arguments.n_studies, np.random.default_rng([arguments.seed, place]))
            print(f"\n{measure.__doc__}\n\n{table.round(3).to_string(index=False)}")


if __name__ == "__main__":
    main()
