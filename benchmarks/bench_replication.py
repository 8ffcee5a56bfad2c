"""Do the lower limits from t statistics hold: that a leader wins again, and that a difference has the same sign again?

    GENEXPY_NB_DATA=... OMP_NUM_THREADS=1 python benchmarks/bench_replication.py [--part leader|interval|pair]

Populations are made-up worlds with normal errors, and the rows of real tables, from which studies draw with
replacement: the encoders (AUC, LGBM), zero-shot BIG-bench and English MTEB, the alternatives with a score everywhere,
the best and others drawn at random. The truth is that of 20,000 simulated studies.

"leader": `least_share_with_same_top` alone, by mean score and by mean rank, against the agreement of winners. In how
many studies of N experiments does it promise no more than there is? "interval": both ends of the whole interval.
"pair": both rows of `replication`. An end within .01 of the truth counts as holding, as in bench_agreement.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.conclusions.contenders import rows_of
from genexpy_nb.conclusions.replications import least_share_with_same_top, replication
from genexpy_nb.conclusions.tables import agreement_of_rows, as_question
from genexpy_nb.datasets import load_bigbench, load_encoders, load_mteb

OBSERVED, TIMES, NEAR, N_TRUTH = (10, 30), (1, 4), 0.01, 20_000
FAILS = 0.1
N_ROWS = 4000  # of a made-up world, which stand for all of it


def worlds(n_alternatives: int) -> dict[str, np.ndarray]:
    """Return expected scores, in standard deviations of an error."""
    place = np.arange(n_alternatives)
    leads = {"all equal": (0, 0), "one leader": (1, 0.6), "two leaders": (2, 0.8), "clear leader": (1, 1.2)}
    return {name: ahead * (place < how_many) for name, (how_many, ahead) in leads.items()}


def real_tables() -> dict[str, np.ndarray]:
    """Return complete tables, the alternatives with the best means first."""
    encoders, bigbench = load_encoders("original"), load_bigbench("original")
    one = encoders[(encoders["model"] == "LGBMC") & (encoders["tuning"] == "no") & (encoders["scoring"] == "AUC")]
    shots = bigbench[bigbench["number_of_shots"] == 0]
    tables = {
        "encoders": one.pivot(index="dataset", columns="encoder", values="cv_score"),
        "bigbench": shots.pivot_table(
            index="subtask_description", columns="model_family_model_name", values="score_value"
        ),
        "mteb": load_mteb().pivot(index="task", columns="model", values="score"),
    }
    found = {}
    for name, table in tables.items():
        table = table.loc[:, table.notna().mean() > 0.9].dropna().to_numpy()
        found[name] = table[:, np.argsort(-table.mean(axis=0))]
    return found


def populations(sizes: list[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield worlds and tables with so many alternatives, shape (M, A)."""
    rng = np.random.default_rng(2026)
    for k in sizes:
        for name, expected in worlds(k).items():
            errors = rng.standard_normal((N_ROWS, k))
            yield f"{name}, {k}", expected + errors - errors.mean(axis=0)
        failing = expected + errors - errors.mean(axis=0)  # of the last world, with a leader that fails at times
        failing[:, 0] = np.where(rng.random(N_ROWS) < FAILS, -3.0, failing[:, 0] + 0.8)
        yield f"failing leader, {k}", failing
    for name, table in real_tables().items():
        for k in sizes:
            if k <= table.shape[1]:
                others = np.sort(rng.choice(np.arange(1, table.shape[1]), k - 1, replace=False))
                yield f"{name}, {k}", table[:, [0, *others]]


def by_rank(rows: np.ndarray) -> np.ndarray:
    return -stats.rankdata(-rows, axis=1)


def true_agreement(rows: np.ndarray, n: int, rng: np.random.Generator) -> float:
    """Return how often two studies of n rows have the same winner, ties broken by chance."""
    counts, step = np.zeros(rows.shape[1]), max(1, 4_000_000 // (n * rows.shape[1]))
    for start in range(0, N_TRUTH, step):
        drawn = rows[rng.integers(len(rows), size=(min(step, N_TRUTH - start), n))].mean(axis=1)
        drawn += 1e-9 * rng.standard_normal(drawn.shape)
        counts += np.bincount(drawn.argmax(axis=1), minlength=len(counts))
    return float((counts * (counts - 1)).sum() / (N_TRUTH * (N_TRUTH - 1)))


def of_leaders(n_studies: int, counts: list[int], whole: bool) -> Iterator[dict[str, object]]:
    """Yield how often the limit, or both ends of the interval, hold the agreement of winners."""
    for name, population in populations(counts):
        for by, n in ((by, n) for by in ("score", "rank") for n in OBSERVED):
            rng, sizes = np.random.default_rng([n, len(name)]), [n * times for times in TIMES]
            values = population if by == "score" else by_rank(population)
            truth = np.array([true_agreement(values, size, rng) for size in sizes])
            ends = np.array([
                interval(population[drawn], sizes, by) if whole else limit(values[drawn], sizes)
                for drawn in (rng.integers(len(values), size=n) for _ in range(n_studies))
            ])  # fmt: skip
            low, high, bare = np.moveaxis(ends, 2, 0)
            row: dict[str, object] = {"population": name, "by": by, "N": n}
            for i, times in enumerate(TIMES):
                row[f"truth {times} N"] = truth[i]
                row[f"low holds {times} N"] = (low[:, i] <= truth[i] + NEAR).mean()
                row[f"mean low {times} N"] = low[:, i].mean()
                if whole:
                    held = (low[:, i] <= truth[i] + NEAR) & (truth[i] - NEAR <= high[:, i])
                    row[f"both hold {times} N"] = held.mean()
                    row[f"by limit {times} N"] = (bare[:, i] >= low[:, i]).mean()
            yield row


def limit(rows: np.ndarray, sizes: list[int]) -> np.ndarray:
    k = rows.shape[1]
    again = np.maximum(least_share_with_same_top(rows, 1, np.array(sizes) / len(rows), 0.95), 1 / k)
    low = again**2 + (1 - again) ** 2 / (k - 1)
    return np.stack([low, np.ones_like(low), low], axis=1)


def interval(rows: np.ndarray, sizes: list[int], by: str) -> np.ndarray:
    question = as_question("winner", range(rows.shape[1]), by=by)
    found = agreement_of_rows(rows_of(rows, by, True), question, sizes)[["low", "high"]].to_numpy()
    bare = limit(rows if by == "score" else by_rank(rows), sizes)[:, :1]
    return np.concatenate([found, bare], axis=1)


def differences() -> Iterator[tuple[str, np.ndarray]]:
    """Yield differences: three shapes with three standardized means, pairs of real alternatives, a long losing tail."""
    rng = np.random.default_rng(7)
    for effect in (0.0, 0.3, 0.8):
        normal = rng.standard_normal(20_000)
        yield f"normal, {effect}", effect + (normal - normal.mean()) / normal.std()
        heavy = rng.standard_t(4, 20_000)
        yield f"t(4), {effect}", effect + (heavy - heavy.mean()) / heavy.std()
        right = 0.5 + effect / 4 * np.array([1, -1])  # of two, with 0/1 scores
        zero_one = (rng.random((20_000, 2)) < right).astype(float)
        yield f"0/1, {effect}", zero_one[:, 0] - zero_one[:, 1]
    for name, table in real_tables().items():
        for other in (1, 3, table.shape[1] // 2):
            yield f"{name}, 1st and {other + 1}th", table[:, 0] - table[:, other]
    for effect in (0.3, 0.8):
        yield f"losing tail, {effect}", effect + 1 - rng.standard_exponential(20_000)


def of_pairs(n_studies: int) -> Iterator[dict[str, object]]:
    """Yield how often the limits hold how often another study finds the same sign, and finds it significantly."""
    for name, population in differences():
        for n in OBSERVED:
            rng = np.random.default_rng([n, len(name)])
            studies = population[rng.integers(len(population), size=(N_TRUTH, n))]
            mean, spread = studies.mean(axis=1), studies.std(axis=1, ddof=1)
            sign = np.where(np.abs(mean) < 1e-12, 0.0, np.sign(mean))
            t = np.divide(mean * np.sqrt(n), spread, out=1e9 * sign, where=spread > 0)
            significant = np.abs(t) > stats.t.isf(0.025, n - 1)
            held, lows, shown = np.zeros(2), np.zeros(2), np.zeros(2)
            chosen = [i for i in range(len(studies)) if sign[i] and spread[i] > 0][:n_studies]
            for i in chosen:
                same = (sign == sign[i]) + 0.5 * (sign == 0)
                truth = np.array([same.mean(), ((sign == sign[i]) & significant).mean()])
                found = replication(studies[i])
                held += found["low"].to_numpy() <= truth + NEAR
                lows, shown = lows + found["low"].to_numpy(), shown + found["estimate"].notna().to_numpy()
            count = len(chosen)
            yield {
                "differences": name, "N": n, "sign: holds": held[0] / count, "mean low": lows[0] / count,
                "ahead": max((sign > 0).mean(), (sign < 0).mean()), "significant: holds": held[1] / count,
                "mean low ": lows[1] / count, "power": significant.mean(), "shown": shown.min() / count,
            }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("leader", "interval", "pair"), default="leader")
    parser.add_argument("--studies", type=int)
    parser.add_argument("--alternatives", nargs="+", type=int, default=[4, 10, 40])
    asked = parser.parse_args()
    rows = {
        "leader": lambda: of_leaders(asked.studies or 1000, asked.alternatives, whole=False),
        "interval": lambda: of_leaders(asked.studies or 100, asked.alternatives, whole=True),
        "pair": lambda: of_pairs(asked.studies or 1000),
    }[asked.part]()
    for i, row in enumerate(rows):
        print(pd.DataFrame([row]).round(3).to_csv(index=False, header=i == 0), end="", flush=True)


if __name__ == "__main__":
    main()
