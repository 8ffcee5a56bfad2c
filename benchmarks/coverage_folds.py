"""Measure error rates of tests over folds, and what intervals over folds hold, in several worlds.

Run with ``OMP_NUM_THREADS=1 python benchmarks/coverage_folds.py``, half a minute. What notebook 06 shows, with more
studies and other seeds; and the coverage where one learner is better, which the notebook leaves out.
"""

import argparse

import pandas as pd

from genexpy_nb.protocol import over_worlds, simulate_coverage
from genexpy_nb.protocol.worlds import RANGE_OF_WORLDS


def shown(frame: pd.DataFrame) -> str:
    text = [f"{row.estimate:.3f} [{row.low:.3f}, {row.high:.3f}]" for row in frame.itertuples()]
    wide = frame.assign(text=text).pivot(index="world", columns="method", values="text")
    return wide.loc[frame["world"].unique(), frame["method"].unique()].to_string()


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
    print(shown(led[led["quantity"] == "difference"]))


if __name__ == "__main__":
    main()
