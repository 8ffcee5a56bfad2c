"""Time the deterministic protocol against training and evaluating each model once, on the datasets of its notebook.

Run with ``PYTHONPATH=data OMP_NUM_THREADS=1 python benchmarks/bench_protocol.py``. Seconds depend on the machine and on
what else it does; the factors hardly do: both sides come from the same run.
"""

import time

import pandas as pd
from runs.simulation import simulate_error_rates

from genexpy_nb.chapters.protocol import COMPARISONS, load_comparison
from genexpy_nb.protocol import compare, make_splits, run_trials


def seconds(action) -> tuple[float, object]:
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def overhead(trials) -> pd.DataFrame:
    """Compare the measured cost of all trials with that of fitting and scoring once, on the same share of the rows."""
    spent = trials.seconds["fit_seconds"] + trials.seconds["score_seconds"]
    frame = spent.groupby(trials.seconds["model"], sort=False).agg(["median", "count", "sum"]).loc[trials.models]
    frame.loc["all"] = frame.sum()
    frame = frame.rename_axis("model").reset_index().set_axis(["model", "one_trial", "n_trials", "total"], axis=1)
    return frame.assign(factor=frame["total"] / frame["one_trial"])


def main() -> None:
    tables = []
    for name in COMPARISONS:
        task = load_comparison(name)
        splits = make_splits(task.X, task.y, task.groups, seed=7)

        def trials(task=task, splits=splits):
            return run_trials(task.models, task.X, task.y, splits, groups=task.groups, progress=False)

        whole, outcome = seconds(trials)
        statistics, _ = seconds(lambda outcome=outcome: compare(outcome))
        table = overhead(outcome)
        # What is spent beside fitting and scoring: seeds, clones, files; and on intervals and tests.
        table.loc[table["model"] == "all", ["bookkeeping", "statistics"]] = whole - table["total"].iloc[-1], statistics
        tables.append(table.assign(data=name))
    frame = pd.concat(tables).set_index(["data", "model"])
    frame = frame.rename(columns={"one_trial": "one trial, s", "total": "all trials, s"})
    print(frame.round(3).to_string(na_rep=""))
    simulation, _ = seconds(lambda: simulate_error_rates(0.0, n_studies=1000))
    print(f"\n1,000 simulated comparisons of 3 learners, 5 seeds, 2 x 5 folds, 200 rows: {simulation:.1f} s")


if __name__ == "__main__":
    main()
