"""How often the interval of what clustered conditions are worth holds the truth, and that of n* of clusters.

    python benchmarks/bench_clusters.py [--draws 1000] [--seed 0] [--part worth]
    python benchmarks/bench_clusters.py --part nstar [--draws 300] [--seed 0]

Worlds: scores of six alternatives (or of one), normal, with heavy tails (Student's t with three degrees of freedom) or
skewed (exponential), are the sum of an effect of the cluster and one of the condition, which have a share ``icc`` and
``1 - icc`` of the variance. Kernels: the products of scores (of one alternative, and of six), for which the correlation
within clusters is ``icc``; Mallows, Jaccard and RBF, for which it is estimated from five times 1,500 clusters of two,
unless it is 0.

Sizes: 10 and 30 clusters of three; 7 clusters of two; 10 clusters of 1 to 6; and the sizes of the 23 tables from which
the 56 tasks of the bundled encoder results were cut.

Printed, of ``worth``: the mean error of the estimated correlation, the share of studies whose interval of n_effective
holds that of the true correlation, and the mean width of the interval as a share of n_conditions - n_clusters. Of
``nstar``: n* by simulation of studies of clusters from a population of 2,000, the geometric mean of its estimates, and
the share of intervals that hold it.
"""

import argparse
from itertools import product

import numpy as np

from genexpy_nb.common.random import stream
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.clusters import design_effect, mean_embeddings, worth
from genexpy_nb.generalization.kernels import JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.generalization.nstar import estimate_nstar

TAILS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "heavy": lambda rng, shape: rng.standard_t(3, shape) / np.sqrt(3),
    "skewed": lambda rng, shape: rng.exponential(size=shape) - 1,
}
KERNELS = ("one score", "six scores", "Mallows", "Jaccard", "RBF")
ICCS = (0.0, 0.3, 0.8)
SIZES = {
    "10 of 3": [3] * 10,
    "30 of 3": [3] * 30,
    "7 of 2": [2] * 7,
    "10, unequal": [6, 5, 4, 3, 2, 2, 2, 1, 1, 1],
    "23 tables": [6, 5, 4, 4, 4, 3, *[2] * 13, *[1] * 4],
}
ALPHA, DELTA = 0.95, 0.05


def draw(tails, kernel, icc, sizes, rng):
    """Return the Gram matrix of conditions, and the number of the cluster of each."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    k = 1 if kernel == "one score" else 6
    effects = np.sqrt(icc) * TAILS[tails](rng, (len(sizes), k))
    scores = np.linspace(0, 1, k) + effects[codes] + np.sqrt(1 - icc) * TAILS[tails](rng, (len(codes), k))
    return gram_of(kernel, scores), codes


def gram_of(kernel, scores):
    if kernel.endswith("scores") or kernel == "one score":
        return scores @ scores.T
    if kernel == "RBF":
        return RBFKernel(gamma=0.2).gram(scores)
    rankings = rank_scores(scores, higher_is_better=True)
    return (MallowsKernel() if kernel == "Mallows" else JaccardKernel(k=1)).gram(rankings)


def true_icc(tails, kernel, icc, seed):
    if icc == 0 or kernel in ("one score", "six scores"):
        return icc
    parts = [draw(tails, kernel, icc, [2] * 1500, stream(seed, 9, part)) for part in range(5)]
    return float(np.mean([design_effect([gram], codes).icc for gram, codes in parts]))


def report_worth(draws, seed):
    print(f"{'scores':8}{'kernel':12}{'icc':>5}{'true':>6} {'sizes':12}{'bias':>7}{'covers':>8}{'width':>7}")
    found = []
    for number, (tails, kernel, icc) in enumerate(product(TAILS, KERNELS, ICCS)):
        truth = true_icc(tails, kernel, icc, seed)
        for name, sizes in SIZES.items():
            rng = stream(seed, number)
            effects = [design_effect([gram], codes) for gram, codes in (
                draw(tails, kernel, icc, sizes, rng) for _ in range(draws)
            )]  # fmt: skip
            target, room = worth(truth, sizes), sum(sizes) - len(sizes)
            ends = np.array([effect.n_effective[1:] for effect in effects])
            known = ~np.isnan(ends).any(axis=1)
            covers = ((ends[:, 0] <= target + 1e-9) & (target <= ends[:, 1] + 1e-9))[known].mean()
            width = (ends[known, 1] - ends[known, 0]).mean() / room
            bias = np.nanmean([effect.icc for effect in effects]) - truth
            found.append(covers)
            print(f"{tails:8}{kernel:12}{icc:5}{truth:6.2f} {name:12}{bias:+7.3f}{covers:8.3f}{width:7.2f}", flush=True)
    shares = ", ".join(f"below {limit}: {np.mean(np.array(found) < limit):.2f}" for limit in (0.9, 0.92, 0.94))
    print(f"{len(found)} cells; coverage: least {min(found):.3f}, median {np.median(found):.3f}, {shares}")


def report_nstar(draws, seed):
    print(f"{'scores':8}{'kernel':9}{'icc':>5}{'n*':>7}{'estimate':>10}{'covers':>8}")
    for number, (tails, kernel, icc) in enumerate(product(("normal", "heavy"), ("Mallows", "Jaccard"), ICCS)):
        sizes = np.tile([1, 2, 3, 4], 500)
        population = mean_embeddings(*draw(tails, kernel, icc, sizes, stream(seed, number)))
        question = MallowsKernel() if kernel == "Mallows" else JaccardKernel(k=1)
        epsilon = float(question.epsilon(DELTA, 6))
        truth = estimate_nstar(population, ALPHA, epsilon, method="definition", n_resamples=4000, rng=seed).estimate
        rng, found = stream(seed, number, 1), []
        for _ in range(draws):
            rows = rng.choice(len(population), 25, replace=False)
            found.append(estimate_nstar(population[np.ix_(rows, rows)], ALPHA, epsilon))
        mean = np.exp(np.mean(np.log([each.estimate for each in found])))
        covers = np.mean([each.low <= truth <= np.ceil(each.high) for each in found])
        print(f"{tails:8}{kernel:9}{icc:5}{truth:7.1f}{mean:10.1f}{covers:8.3f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", choices=("worth", "nstar"), default="worth")
    arguments = parser.parse_args()
    if arguments.part == "worth":
        report_worth(arguments.draws or 1000, arguments.seed)
    else:
        report_nstar(arguments.draws or 300, arguments.seed)
