"""Measure error rates of tests over folds, and what intervals over folds hold, in several worlds.

Run with ``PYTHONPATH=data OMP_NUM_THREADS=1 python benchmarks/coverage_folds.py``, half a minute. What notebook 06
shows, with more studies and other seeds; and the coverage where one learner is better, which the notebook leaves out,
also that of intervals of the effect size, mean difference by standard deviation over folds.
"""

import argparse

import numpy as np
import pandas as pd
from runs.simulation import over_worlds, simulate_coverage
from runs.worlds import CHUNK, RANGE_OF_WORLDS, World, correlated_scores, learners_scores
from scipy import stats

from genexpy_nb.protocol.analysis import effect_size_ends
from genexpy_nb.significance.intervals import standardized_ends


def shown(frame: pd.DataFrame) -> str:
    text = [f"{row.estimate:.3f} [{row.low:.3f}, {row.high:.3f}]" for row in frame.itertuples()]
    wide = frame.assign(text=text).pivot(index="world", columns="method", values="text")
    return wide.loc[frame["world"].unique(), frame["method"].unique()].to_string()


def of_effect_size(effect: float, n_studies: int, rng: int, **like) -> dict[str, str]:
    """Return how often intervals hold the effect size of the first learner to the second, over fresh data."""
    drawn, source = World(**like), np.random.default_rng(rng)
    parts = []
    for _ in range(-(-n_studies // CHUNK)):
        scores = (
            learners_scores(source, drawn, effect)[0]
            if drawn.world == "learners"
            else correlated_scores(source, drawn, effect)
        )
        parts.append((scores[:, 0] - scores[:, 1]).mean(axis=1).reshape(CHUNK, -1))
    d = np.concatenate(parts)
    truth = d.mean() / np.sqrt(d.var(axis=1, ddof=1).mean())
    found, n = d.mean(axis=1) / d.std(axis=1, ddof=1), d.shape[1]
    ends = {
        "noncentral t, corrected": effect_size_ends(found, n, 1 / drawn.k, 0.95),
        "noncentral t": effect_size_ends(found, n, 0.0, 0.95),
        "BCa": standardized_ends(d, 2000, 0.95, rng),
    }
    said = {"effect size": f"{truth:.2f}"}
    for name, (low, high) in ends.items():
        hits = int(np.sum((low <= truth) & (truth <= high)))
        interval = stats.binomtest(hits, len(d)).proportion_ci(method="wilson")
        said[name] = f"{hits / len(d):.3f} [{interval.low:.3f}, {interval.high:.3f}]"
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n-studies", type=int, default=1000, help="simulated comparisons per world")
    parser.add_argument("--seed", type=int, default=20_001)
    parser.add_argument("--effect", type=float, default=0.1, help="lead of the first learner in the last table")
    asked = parser.parse_args()
    options = {"n_studies": asked.n_studies, "rng": asked.seed}
    found = over_worlds(**options)
    for quantity, title in (
        ("FWER", "False winners between equals"),
        ("difference", "Coverage of a difference of two"),
        ("mean", "Coverage of the mean of one"),
    ):
        print(f"{title}, nominal {0.05 if quantity == 'FWER' else 0.95}, with 95 % Monte-Carlo intervals")
        print(shown(found[found["quantity"] == quantity]), end="\n\n")
    leads = [
        simulate_coverage(asked.effect, **options, **like).assign(world=name) for name, like in RANGE_OF_WORLDS.items()
    ]
    led = pd.concat(leads, ignore_index=True).rename(columns={"interval": "method"})
    print(f"Coverage of a difference of two where the first learner is better by {asked.effect:g}, nominal 0.95")
    print(shown(led[led["quantity"] == "difference"]), end="\n\n")
    print("Coverage of the effect size of the first learner to the second, nominal 0.95")
    textbook = {"folds as Nadeau and Bengio assume": {"world": "correlated-folds"}}
    effects = {
        name: of_effect_size(effect, **options, **like)
        for worlds, effect in ((RANGE_OF_WORLDS, asked.effect), (textbook, 0.5))
        for name, like in worlds.items()
    }
    print(pd.DataFrame(effects).T.to_string())


if __name__ == "__main__":
    main()
