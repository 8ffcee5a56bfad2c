"""Measure what intervals of average effects cover, study by study, on data whose truth is known.

Run with ``OMP_NUM_THREADS=1 python benchmarks/bench_causal.py --n-studies 1000 --seed 1``; about three minutes. Every
table has the 95 % Monte-Carlo interval of its coverage beside it. The intervals are those of the package, through
`clustered_mean`, `crossed_mean`, `effects_by_level` and `plan_systems`; where another method stands beside them, it is
the one that they replaced.
"""

import argparse

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal import Runs, plan_systems
from genexpy_nb.causal.between_systems import effects_by_level
from genexpy_nb.causal.intervals import clustered_mean, crossed_mean
from genexpy_nb.causal.resampling import bca_interval


def row(held: list[bool], **about) -> dict:
    """Return a coverage with its Monte-Carlo interval."""
    interval = stats.binomtest(int(np.sum(held)), len(held)).proportion_ci()
    return {**about, "coverage": np.mean(held), "mc_low": interval.low, "mc_high": interval.high}


def runs_of(effects: np.ndarray, compositions: str, levels: np.ndarray | None = None) -> Runs:
    """Paired runs with given effects, shape (n_systems, n_compositions); losses under b are 0."""
    s, c = effects.shape
    system, column = np.divmod(np.arange(s * c), c)
    about = {"system": system, "composition": column if compositions == "shared" else np.arange(s * c)}
    about |= {"v": (np.zeros(s, int) if levels is None else levels)[system].astype(str), "error_message": ""}
    sides = [
        pd.DataFrame({**about, "method": m, "loss": x}) for m, x in (("A", effects.ravel()), ("B", np.zeros(s * c)))
    ]
    return Runs(pd.concat(sides, ignore_index=True), ("loss",), "t", "A", "B", "paired", ("v",), compositions)


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


def crossed(n_studies: int, rng: np.random.Generator) -> pd.DataFrame:
    """Shared compositions, few or many, that matter little or much: the t interval of the crossed design."""
    rows = []
    for s in (10, 50):
        for c in (2, 3, 4, 5, 10, 20):
            for luck in (0.1, 0.4, 1.0):
                held = []
                for _ in range(n_studies):
                    x = rng.normal(size=(s, 1)) + luck * rng.normal(size=(1, c)) + 0.5 * rng.normal(size=(s, c))
                    mean = crossed_mean(x, 0.95, 10.0)
                    held.append(mean.low <= 0 <= mean.high)
                rows.append(row(held, systems=s, compositions=c, sd_of_compositions=luck))
    return pd.DataFrame(rows)


def levels(n_studies: int, rng: np.random.Generator) -> pd.DataFrame:
    """`effects_by_level` on shared compositions; beside it, taking every system's compositions for its own."""
    rows = []
    for s, c in ((30, 5), (30, 20), (90, 10)):
        held: dict[str, list[bool]] = {"shared": [], "taken for own": []}
        for _ in range(n_studies // 4):
            x = 0.5 * rng.normal(size=(s, 1)) + 0.5 * rng.normal(size=(1, c)) + rng.normal(size=(s, c))
            for label, compositions in (("shared", "shared"), ("taken for own", "own")):
                table = effects_by_level(runs_of(x, compositions, np.arange(s) % 3), "v")
                held[label].extend((table["low"] <= 0) & (table["high"] >= 0))
        rows += [row(h, systems=s, compositions=c, method=label) for label, h in held.items()]
    return pd.DataFrame(rows)


def plans(n_studies: int, rng: np.random.Generator) -> pd.DataFrame:
    """Pilots on shared compositions; is the planned study, with compositions of its own, as narrow as asked for?"""
    rows = []
    for s, c, luck, wanted in ((20, 5, 0.3, 0.2), (20, 10, 0.8, 0.2), (60, 20, 0.8, 0.2)):
        held, widths, planned = [], [], []
        for _ in range(n_studies // 2):
            x = 0.3 * rng.normal(size=(s, 1)) + luck * rng.normal(size=(1, c)) + 0.5 * rng.normal(size=(s, c))
            n = int(plan_systems(runs_of(x, "shared"), [wanted])["n_systems_paired"].iloc[0])
            noise = np.hypot(luck, 0.5) / np.sqrt(c)
            d = 0.3 * rng.normal(size=n) + noise * rng.normal(size=n)
            interval = stats.ttest_1samp(d, 0).confidence_interval(0.95)
            held.append(interval.low <= 0 <= interval.high)
            widths.append(interval.high - interval.low)
            planned.append(n)
        about = {"pilot": f"{s} x {c}", "sd_of_compositions": luck, "wanted": wanted, "n_median": np.median(planned)}
        rows.append(row(held, **about, width=np.mean(widths)))
    return pd.DataFrame(rows)


def bootstrap(n_studies: int, rng: np.random.Generator) -> pd.DataFrame:
    """BCa over systems, normal and skewed effects, beside t."""
    rows = []
    for skewed in (False, True):
        for n in (3, 5, 10, 20, 50):
            held: dict[str, list[bool]] = {"BCa": [], "t": []}
            for _ in range(n_studies):
                d = rng.gamma(4, 0.5, n) - 2 if skewed else rng.normal(size=n)
                low, high = bca_interval([[d]], np.positive, 0.95, 999, 10.0, rng)
                held["BCa"].append(low <= 0 <= high)
                mean = clustered_mean(d, np.arange(n), 0.95, 10.0)
                held["t"].append(mean.low <= 0 <= mean.high)
            about = {"effects": "gamma(4)" if skewed else "normal", "systems": n}
            rows += [row(h, **about, method=method) for method, h in held.items()]
    return pd.DataFrame(rows)


TABLES = {table.__name__: table for table in (clusters, crossed, levels, plans, bootstrap)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=list(TABLES), help=", ".join(TABLES))
    parser.add_argument("--n-studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for place, name in enumerate(TABLES):
        if name in arguments.tables:
            table = TABLES[name](arguments.n_studies, np.random.default_rng([arguments.seed, place]))
            print(f"\n{TABLES[name].__doc__}\n\n{table.round(3).to_string(index=False)}")


if __name__ == "__main__":
    main()
