"""The paper's tables, in LaTeX and CSV, and its reproducibility checklist, filled in from the run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from genexpy_nb.common.files import write_atomically
from genexpy_nb.common.page_tables import as_csv, latex_table
from genexpy_nb.protocol.analysis import Comparison
from genexpy_nb.protocol.determinism import DeterminismRecord
from genexpy_nb.protocol.trials import KEY, Trials

Row = tuple[str, str, str]  # of the checklist: item, answer, status


def paper_tables(comparison: Comparison) -> dict[str, pd.DataFrame]:
    """Return the paper's tables for people: estimates (Tables 1 and 2), pairs, settings (3); in % if all are shares."""
    if len(comparison.metrics) > 1:
        of_each = [paper_tables(comparison.only(metric)) for metric in comparison.metrics]
        for tables in of_each:
            for name in ("pairs", "settings"):
                tables[name].insert(0, "metric", tables["estimates"]["model"].item())
        return {name: pd.concat([tables[name] for tables in of_each], ignore_index=True) for name in of_each[0]}
    table = comparison.estimates
    percent = bool((table["bca_low"] >= 0).all() and (table["bca_high"] <= 1).all())  # means of scores, no more
    scale, decimals = (100, 1) if percent else (1, 3)

    def interval(middle: float, low: float, high: float) -> str:
        return "{:.{d}f} [{:.{d}f}, {:.{d}f}]".format(middle * scale, low * scale, high * scale, d=decimals)

    by_name = table.set_index("model").loc[list(comparison.about["models"])]
    estimates = {"model": comparison.about["metric"] + (" (%)" if percent else "")}
    estimates |= {row.Index: interval(row.estimate, row.low, row.high) for row in by_name.itertuples()}
    bca = (scale * comparison.pairs[["bca_low", "bca_high"]]).map(f"{{:.{decimals}f}}".format)
    of_d = comparison.pairs[["d_z", "d_low", "d_high", "d_bca_low", "d_bca_high"]] + 0.0  # no minus zero
    pairs = pd.DataFrame(
        {
            "A": comparison.pairs["a"],
            "B": comparison.pairs["b"],
            "A - B": [interval(*row) for row in comparison.pairs[["estimate", "low", "high"]].to_numpy()],
            "BCa over folds": [f"[{low}, {high}]" for low, high in bca.to_numpy()],
            "d": ["{:.2f} [{:.2f}, {:.2f}]".format(*row) for row in of_d[["d_z", "d_low", "d_high"]].to_numpy()],
            "BCa of d": ["[{:.2f}, {:.2f}]".format(*row) for row in of_d[["d_bca_low", "d_bca_high"]].to_numpy()],
            "Wilcoxon, Holm": comparison.pairs["p_adjusted"].map("{:.3f}".format),
            "corrected t, Holm": comparison.pairs["p_corrected_adjusted"].map("{:.3f}".format),
            "instability (%)": (100 * comparison.pairs["instability"]).map("{:.1f}".format),
        }
    )
    settings = pd.DataFrame(
        {
            "setting": comparison.settings["setting"],
            "instability (%)": (100 * comparison.settings["instability"]).map("{:.1f}".format),
            "declared wins": [f"{row.wins:.1f} / {row.n_pairs}" for row in comparison.settings.itertuples()],
        }
    )
    return {"estimates": pd.DataFrame([estimates]), "pairs": pairs, "settings": settings}


def write_tables(comparison: Comparison, folder: str | os.PathLike) -> list[Path]:
    """Write the paper's tables as LaTeX, and the full numbers behind them as CSV: the same bytes for the same trials.

    Parameters
    ----------
    comparison : Comparison
    folder : path-like
        Made if it is not there; files of the same name are replaced.

    Returns
    -------
    list of Path
        ``estimates`` (Tables 1 and 2: the mean with its interval, one column per model), ``pairs`` (each difference
        with its interval; beside it the paper's BCa interval over folds) and ``settings`` (Table 3), each as .tex and
        .csv; in per cent if all scores of a metric are in [0, 1]. Intervals are the corrected ones unless a column says
        BCa.
    """
    about = comparison.about
    n_seeds = len(about["seeds"])
    design = f"{about['n_repeats']} x {about['k']}-fold cross-validation, {n_seeds} seed{'s' * (n_seeds > 1)}"
    family = " and metrics, one family" if len(comparison.metrics) > 1 else ""
    confidence = f"{100 * about['confidence']:g} % intervals of the corrected resampled t-test"
    captions = {
        "estimates": f"Mean {about['metric']} with {confidence}; {design}",
        "pairs": f"Differences in {about['metric']} with {confidence}; beside them BCa over folds "
        f"({about['n_resamples']:,} paired resamples), which takes folds for independent and tends to be too short; "
        f"effect size d (mean / standard deviation over folds), with intervals of noncentral t for folds that share "
        f"rows and of BCa; p-values adjusted over all pairs{family}; "
        f"intervals are not adjusted; {design}. Instability: share of trials with another order",
        "settings": f"Instability and declared wins at level {about['level']:g}; {design}",
    }
    full = {"estimates": comparison.estimates, "pairs": comparison.pairs, "settings": comparison.settings}
    written = []
    for name, shown in paper_tables(comparison).items():
        for suffix, text in ((".tex", latex_table(shown, name, captions[name])), (".csv", as_csv(full[name]))):
            written.append(Path(folder, name + suffix))
            write_atomically(written[-1], text)
    return written


# --- the checklist ----------------------------------------------------------------------------------------------------


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
