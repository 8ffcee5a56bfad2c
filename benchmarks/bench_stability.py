"""How often the positions that `Study.ranks` gives hold those of the truth, all at once; how far `Study.halves` is off.

    python benchmarks/bench_stability.py [--draws 1000] [--seed 0] [--only n_alternatives] [--part positions]
    python benchmarks/bench_stability.py --part halves [--draws 200] [--seed 0] [--only n_alternatives]
    python benchmarks/bench_stability.py --part noise [--draws 2000] [--seed 0]

Worlds (scores per experiment; the unit is the standard deviation of a score):

- equal: all alternatives alike
- means: expected scores drawn anew for every study, normal with standard deviation .5
- leader: one alternative is better than all others, which are alike, by .6
- ties: half of the alternatives alike, the others .5 apart; scores are rounded to whole numbers
- spreads: the same expected score, exponential, with standard deviations 1 to 4: not symmetric about zero

with normal errors, or those of Student's t with three degrees of freedom (heavy tails), but for the last. An interval
of a position is right if it holds all positions that the alternative can have in the truth: among equals, any of
theirs. Three tests of all pairs, each with Holm's correction at the level .05: Wilcoxon's signed ranks, which
`Study.ranks` takes; paired t-tests of scores; paired t-tests of ranks within the experiments. Printed: the share of
studies in which all intervals are right, and their mean length over that of knowing nothing.

Halves, normal errors: of each world one study of 30 experiments is drawn again and again, and split 200 times. Printed:
the share of 4,000 pairs of studies of 15 experiments with the same winner by mean rank and their mean Kendall's tau,
and the mean error and the root mean square error of the estimates. In the world "means" they are drawn once.

Noise, of runs and of experiments, both normal and independent: the share of the variance of a mean that is due to runs,
as `Study.noise` estimates it, against the true one. Printed: mean, median, and the 10th and 90th of 100 parts.
"""

import argparse
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb import Study
from genexpy_nb.common.random import stream
from genexpy_nb.significance import adjust_pvalues, paired_differences, wilcoxon_pratt
from genexpy_nb.significance.wilcoxon import signed_rank_direction
from genexpy_nb.study.positions import kendall_taus, spreads

WORLDS = ("equal", "means", "leader", "ties", "spreads")
LEVEL = 0.05


def draw(world, tails, n, k, rng):
    """Return the expected scores, (k,), and scores, (n, k)."""
    if world == "spreads":
        spread = np.linspace(1, 4, k)
        return np.zeros(k), (rng.exponential(size=(n, k)) - 1) * spread
    means = np.zeros(k)
    if world == "means":
        means = rng.normal(0, 0.5, k)
    elif world == "leader":
        means[0] = 0.6
    elif world == "ties":
        means[k // 2 :] = 0.5 * np.arange(1, k - k // 2 + 1)
    errors = rng.normal(size=(n, k)) if tails == "normal" else rng.standard_t(3, (n, k)) / np.sqrt(3)
    scores = means + errors
    return means, np.rint(scores) if world == "ties" else scores


def ends(p, direction, i, j, k):
    """Return the ends of all positions from adjusted p-values and which of the pair each test points to."""
    low, high = np.ones(k, dtype=int), np.full(k, k)
    for a, b, towards in zip(i, j, np.where(p <= LEVEL, direction, 0), strict=True):
        if towards:
            winner, loser = (a, b) if towards > 0 else (b, a)
            low[loser] += 1
            high[winner] -= 1
    return low, high


def tests(scores):
    """Yield the name of each test, its p-values over all pairs, adjusted, and its directions."""
    i, j = np.triu_indices(scores.shape[1], 1)
    d = paired_differences(scores, i, j)
    yield "wilcoxon", adjust_pvalues(wilcoxon_pratt(d), "holm"), signed_rank_direction(d)
    ranks = stats.rankdata(scores, axis=1)
    for name, values in (("t of scores", d), ("t of ranks", (ranks[:, i] - ranks[:, j]).T)):
        spread = values.std(axis=1, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = values.mean(axis=1) / (spread / np.sqrt(values.shape[1]))
        p = np.where(np.isnan(t), 1.0, 2 * stats.t.sf(np.abs(t), values.shape[1] - 1))
        yield name, adjust_pvalues(p, "holm"), np.sign(values.mean(axis=1))


def cell(world, tails, n, k, draws, seed):
    """Return a row per test."""
    rng = stream(seed, WORLDS.index(world), tails == "heavy", n, k)
    i, j = np.triu_indices(k, 1)
    right, length = {}, {}
    for study in range(draws):
        means, scores = draw(world, tails, n, k, rng)
        first = 1 + (means > means[:, None]).sum(axis=1)
        last = k - (means < means[:, None]).sum(axis=1)
        for name, p, direction in tests(scores):
            low, high = ends(p, direction, i, j, k)
            if study < 2 and name == "wilcoxon":
                ranks = Study.from_wide(pd.DataFrame(scores)).ranks(level=LEVEL).sort_index()
                assert ranks["low"].tolist() == low.tolist() and ranks["high"].tolist() == high.tolist()
            right.setdefault(name, []).append(np.all((low <= first) & (last <= high)))
            length.setdefault(name, []).append(np.mean(high - low) / (k - 1))
    where = {"world": world, "tails": tails, "n": n, "k": k}
    return [{**where, "test": name, "right": np.mean(right[name]), "length": np.mean(length[name])} for name in right]


def halves(world, k, draws, seed):
    """Return the truth and the errors of `Study.halves` in one world."""
    rng = stream(seed, 1, WORLDS.index(world), k)
    means = draw(world, "normal", 1, k, rng)[0]

    def study(n):
        scores = means + rng.normal(size=(n, k))
        return np.rint(scores) if world == "ties" else scores

    def sums(n):
        return stats.rankdata(-study(n), axis=1).sum(axis=0)

    pairs = [(sums(15), sums(15)) for _ in range(4000)]
    truth = (
        np.mean([np.array_equal(a == a.min(), b == b.min()) for a, b in pairs]),
        np.mean(kendall_taus(*map(np.array, zip(*pairs, strict=True)))),
    )
    chosen = ["best by mean rank", "order by mean rank (tau-b)"]
    found = [
        Study.from_wide(pd.DataFrame(study(30))).halves(n_splits=200).set_index("conclusion").loc[chosen, "estimate"]
        for _ in range(draws)
    ]
    error = np.array(found) - truth
    row = {"world": world, "k": k}
    for i, name in enumerate(("winner", "tau")):
        bias, off = error[:, i].mean(), np.sqrt((error[:, i] ** 2).mean())
        row |= {f"{name}: true": truth[i], f"{name}: bias": bias, f"{name}: rms": off}
    return row


def noise(n, n_runs, share, draws, seed):
    rng = stream(seed, n, n_runs, round(100 * share))
    scores = rng.normal(0, np.sqrt(1 - share), (draws, n, 1)) + rng.normal(
        0, np.sqrt(share * n_runs), (draws, n, n_runs)
    )
    study, experiment, _ = np.indices(scores.shape).reshape(3, -1)
    largest = np.abs(scores).max(axis=(1, 2))
    found = spreads(scores.ravel(), experiment, study, draws, largest)["share_of_variance"]
    ends = dict(zip(("10 %", "90 %"), found.quantile([0.1, 0.9]), strict=True))
    return {"n": n, "runs": n_runs, "true": share, "mean": found.mean(), "median": found.median()} | ends


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, choices=(4, 10, 40), nargs="*", default=(4, 10, 40))
    parser.add_argument("--part", choices=("positions", "halves", "noise"), default="positions")
    given = parser.parse_args()
    if given.part == "halves":
        rows = [halves(world, k, given.draws, given.seed) for k, world in product(given.only, WORLDS[:4])]
        print(pd.DataFrame(rows).round(3).to_string(index=False))
        return
    if given.part == "noise":
        rows = [noise(*one, given.draws, given.seed) for one in product((10, 30), (3, 5, 10), (0.05, 0.2, 0.5, 0.8))]
        print(pd.DataFrame(rows).round(3).to_string(index=False))
        return
    rows = []
    for k, world, n in product(given.only, WORLDS, (10, 20, 40)):
        for tails in ("normal", "heavy") if world != "spreads" else ("exponential",):
            rows += cell(world, tails, n, k, given.draws, given.seed)
    table = pd.DataFrame(rows).pivot(index=["world", "tails", "k", "n"], columns="test", values=["right", "length"])
    print(table.swaplevel(axis=1).sort_index(axis=1).round(3).to_string())


if __name__ == "__main__":
    main()
