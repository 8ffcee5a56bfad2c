"""The paper's reproducibility checklist, filled in from the run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from genexpy_nb.protocol.analysis import Comparison
from genexpy_nb.protocol.determinism import DeterminismRecord
from genexpy_nb.protocol.trials import KEY, Trials

Row = tuple[str, str, str]  # item, answer, status


def checklist(
    trials: Trials,
    comparison: Comparison | None = None,
    determinism: DeterminismRecord | None = None,
    files: Sequence[str | os.PathLike] = (),
) -> pd.DataFrame:
    """Fill in a reproducibility checklist from the run, after that of the paper (Section 8).

    Parameters
    ----------
    trials : Trials
    comparison : Comparison, optional
        Without it, the items on statistics stay open.
    determinism : DeterminismRecord, optional
        From `set_determinism`; without it, the items on flags stay open.
    files : sequence of path-like
        Where the splits and the results are kept. Each is looked for.

    Returns
    -------
    DataFrame
        item, answer, status: ``done``, ``attention`` (the reader must know this) or ``open`` (nothing in the run
        answers it; a person has to).
    """
    about = trials.about
    failed, still = trials.failed, trials.seed_changes_nothing
    n_failed, n_trials = (len(table[KEY].drop_duplicates()) for table in (failed, trials.scores))
    kind = " and ".join(word for word in ("stratified", "grouped") if about[word]) or "plain"
    seeds = ", ".join(map(str, about["seeds"]))
    versions = {**about["versions"], **(determinism.versions if determinism else {})}
    of = f", of {', '.join(failed['model'].unique())}" if len(failed) else ""
    rows = [
        ("data", f"{about['n_rows']:,} rows; SHA-256 of X {about['data']['X']}, of y {about['data']['y']}", "done"),
        ("splits", f"{about['n_repeats']} x {about['k']} folds, {kind}; SHA-256 {about['splits']}", "done"),
        _files(files),
        ("seed of the splits", str(about["split_seed"]), "done"),
        ("seeds", seeds + (f"; the seed changes nothing for {', '.join(still)}" if still else ""), "done"),
        *_flags(determinism),
        ("seeds of workers", "each trial seeds its process with its own seed", "done"),
        ("threads of each fit", "1", "done"),
        ("versions", ", ".join(f"{name} {value}" for name, value in versions.items()), "done"),
        ("metric", f"{about['metric']}, higher is better", "done"),
        *((f"hyperparameters: {name}", parameters, "done") for name, parameters in about["models"].items()),
        ("tuning after the results were seen", "only the authors know", "open"),
        ("failed trials", f"{n_failed} of {n_trials}{of}", "attention" if n_failed else "done"),
        _warnings(trials),
        *_statistics(comparison),
        ("cost", f"{n_trials} trials", "done"),
    ]
    return pd.DataFrame(rows, columns=["item", "answer", "status"])


def _files(files: Sequence[str | os.PathLike]) -> Row:
    item = "files with splits and results"
    absent = [str(path) for path in files if not Path(path).exists()]
    if absent:
        return item, f"not there: {', '.join(absent)}", "attention"
    return (item, ", ".join(Path(path).name for path in files), "done") if files else (item, "none named", "open")


def _flags(determinism: DeterminismRecord | None) -> list[Row]:
    if determinism is None:
        unknown = "set_determinism was not called, or its record not handed on"
        return [(item, unknown, "open") for item in ("determinism flags", "GPU", "GPU driver")]
    done = ", ".join(f"{name} = {value}" for name, value, status, _ in determinism.settings if status == "set")
    attention = [
        (f"determinism: {name}", f"{status}: {note}", "attention")
        for name, _, status, note in determinism.settings
        if name in determinism.not_set
    ]
    hardware = [(name, value, "done") for name, value in determinism.hardware.items()]
    loaders = [  # if torch is there: who uses its loaders has to seed them, which this run cannot see
        (name, f"only the authors know: {note}", "open")
        for name, _, status, note in determinism.settings
        if (name, status) == ("seeds of data loaders", "recorded")
    ]
    return [("determinism flags", done, "done"), *attention, *loaders, *hardware]


def _warnings(trials: Trials) -> Row:
    warned = trials.scores[trials.scores["warnings"] != ""].drop_duplicates([*KEY, "warnings"])
    if warned.empty:
        return "warnings of the fits", "none", "done"
    counts = warned.groupby(["model", "warnings"], sort=False).size()
    said = "; ".join(f"{model}: {text} in {count} trials" for (model, text), count in counts.items())
    return "warnings of the fits", said, "attention"


def _statistics(comparison: Comparison | None) -> list[Row]:
    if comparison is None:
        return [("intervals and tests", "not compared yet", "open")]
    about, pairs = comparison.about, comparison.pairs
    intervals = (
        f"corrected t-test, {about['confidence']:.0%}, unadjusted; beside it BCa, {about['n_resamples']:,} paired "
        f"resamples of {about['n_folds']} folds"
    )
    metrics = comparison.metrics
    family = f"{len(pairs) // len(metrics)} pairs" + (f" x {len(metrics)} metrics" if len(metrics) > 1 else "")
    tests = f"Wilcoxon signed-rank (Pratt) and corrected t-test, Holm over {family} at {about['level']:g}"
    rows = [("intervals", intervals, "done"), ("tests", tests, "done")]
    differ = pairs[pairs["winner"] != pairs["winner_corrected"]]
    if len(differ):
        of = " (" + differ["metric"] + ")" if len(metrics) > 1 else pd.Series("", differ.index)
        names = ", ".join(differ["a"] + " against " + differ["b"] + of)
        said = f"Wilcoxon and the corrected test disagree on {names}; folds share training rows"
        rows.append(("conclusions that depend on the test", said, "attention"))
    return rows
