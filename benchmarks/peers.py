"""Ask other packages and this one the same questions about the same tables: the two tables of docs/peers.md.

The others live in environments of their own, never in this project's:

    python -m venv ONE && ONE/bin/pip install autorank==1.3.0 scikit-posthocs==0.17.1 evalstats==0.3.3 \\
        evalconfidence==0.1.1
    python -m venv TWO && TWO/bin/pip install multi_comp_matrix==0.0.4
    python -m venv THREE && THREE/bin/pip install rliable==1.2.0 "pandas<3"
    python benchmarks/peers.py --python ONE/bin/python TWO/bin/python THREE/bin/python --write

Each package runs in the first of these environments that has it; one that none has is skipped, and the table says so.
``--write`` puts the tables into the page; what was skipped keeps the row that it has there. About twenty minutes.
"""

import argparse
import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

PAGE = Path(__file__).resolve().parent.parent / "docs" / "peers.md"
MARKS = ("<!-- made by benchmarks/peers.py -->", "<!-- end -->")
BEST_MARKS = ("<!-- who is best: made by benchmarks/peers.py -->", "<!-- end of who is best -->")
LEVEL = 0.05
#: The pair that is looked at in each table.
PAIRS = {"encoders": ("CV5TE", "WOEE"), "best six": ("CV5TE", "WOEE"), "ties": ("net", "net, 1 - error")}
#: The tables in which the best one is asked for; the fourth is drawn anew for the last two columns.
OF_THE_BEST = ("encoders", "two tie", "ties", "ties, without boosted")
#: Two alternatives share the best mean; the others are worse by .8 to 2.2 standard deviations of a score's noise.
MEANS = {"best": 0.70, "as good": 0.70, "third": 0.66, "fourth": 0.65, "fifth": 0.64, "sixth": 0.63} | {
    "seventh": 0.62, "eighth": 0.61, "ninth": 0.60, "tenth": 0.59
}  # fmt: skip
#: How often that table is drawn, for what answers in tenths of a second and for what takes seconds.
DRAWS, FEW_DRAWS = 200, 30

Pairs = dict[tuple[str, str], float]
#: The names of those that may be the best, and what else is said of them.
Best = tuple[list[str], str]


# --- the tables -------------------------------------------------------------------------------------------------------


def tables() -> dict[str, pd.DataFrame]:
    """Return the tables: datasets in rows, alternatives in columns, higher is better."""
    import genexpy_nb as gx

    study = gx.Study(
        gx.datasets.load_encoders(source="bundled"),
        alternatives="encoder",
        target="cv_score",
        generalize_over="dataset",
        fixed={"model": "LR", "tuning": "no", "scoring": "AUC"},
    )
    encoders = study.scores({}).rename_axis(index="dataset", columns=None)
    best = study.friedman({}).mean_ranks.sort_values(kind="stable").index[:6]
    return {"encoders": encoders, "best six": encoders[sorted(best)], "ties": with_ties()}


def with_ties() -> pd.DataFrame:
    """Return accuracies of 100 predictions; the second column is the first one, reported as one minus the error.

    In exact arithmetic the two are equal. In floating point they differ in the last digit: the counts were chosen so
    that the second one is always the smaller one.
    """
    right = np.array([7, 8, 9, 10, 11, 19, 20, 21, 22, 23, 32, 33, 34, 44, 45, 46])
    more = np.array([3, 2, 0, 1, 4, 2, -1, 0, 3, 1, 2, 5, 0, -1, 2, 1])
    less = np.array([4, 0, 2, 6, -1, 3, 5, 0, 2, 4, -1, 3, 7, 2, 0, 5])
    scores = {
        "net": right / 100,
        "net, 1 - error": 1 - (100 - right) / 100,
        "boosted": (right + more) / 100,
        "pruned": (right - less) / 100,
    }
    return pd.DataFrame(scores, index=pd.Index([f"d{i}" for i in range(16)], name="dataset"))


def two_tie(seed: int) -> pd.DataFrame:
    """Return scores in 30 experiments, some of which are easier than others, of ten alternatives with known means."""
    rng = np.random.default_rng([2025, seed])
    noise = rng.normal(0, 0.05, (30, 1)) + rng.normal(0, 0.05, (30, len(MEANS)))
    scores = pd.DataFrame(np.array(list(MEANS.values())) + noise, columns=list(MEANS))
    return scores.set_axis(pd.Index([f"d{i}" for i in range(30)], name="dataset"))


def tables_of_the_best() -> dict[str, pd.DataFrame]:
    """Return the tables in which the best one is asked for."""
    ties = with_ties()
    return dict(zip(OF_THE_BEST, (tables()["encoders"], two_tie(0), ties, ties.drop(columns="boosted")), strict=True))


# --- this package -----------------------------------------------------------------------------------------------------


def ours(scores: pd.DataFrame) -> dict[str, tuple[str, Pairs]]:
    """Return the p-values of the pairs by this package: sign flips."""
    import genexpy_nb as gx

    study = gx.Study.from_wide(scores)
    rows = study.pairs().itertuples()
    return {"genexpy_nb": ("sign flips of mean ranks, all pairs at once", {(r.a, r.b): r.p_adjusted for r in rows})}


def our_best(scores: pd.DataFrame, by: str) -> Best:
    """Return the contenders, the bounds of the first one's lead and regret, and its regret where it was not chosen."""
    import genexpy_nb as gx

    study = gx.Study.from_wide(scores)
    found = study.contenders(by=by)
    first, digits = found.iloc[0], 2 if by == "rank" else 4
    left_out = study.regret(1, by=by)["regret"].iloc[0]
    says = f"{found.index[0]}: lead at most {_decimal(first['high'], digits)}, loss at most "
    says += f"{_decimal(-first['low'], digits)}; loss on a dataset left out {_decimal(left_out, digits)}"
    return found.index[found["may_be_best"]].tolist(), says


def csranks_method(scores: pd.DataFrame, by: str) -> Best:
    """Return the confidence set of the best that csranks' `cstaubest` describes, with tau 1; not its code, nor R.

    One-sided bounds for all differences of means at once, from normal draws with the estimated covariance. Pairs that
    the bounds tell apart are set aside, and the bounds of the others are computed anew. Who is below nobody, stays.
    """
    rows = scores.to_numpy() if by == "score" else -scores.rank(axis=1, ascending=False).to_numpy()
    means, covariance = rows.mean(axis=0), np.atleast_2d(np.cov(rows, rowvar=False)) / len(rows)
    variances = np.diag(covariance)
    spread = np.sqrt(np.maximum(variances[:, None] + variances - 2 * covariance, 0.0))
    drawn = np.random.default_rng(0).multivariate_normal(np.zeros(len(means)), covariance, 10_000, method="eigh")
    open_, below = ~np.eye(len(means), dtype=bool), np.zeros((len(means), len(means)), dtype=bool)
    while open_.any():
        i, k = np.nonzero(open_)
        if (spread[i, k] < 1e-12).any():
            return [], "a difference without spread"
        critical = np.quantile(((drawn[:, k] - drawn[:, i]) / spread[i, k]).max(axis=1), 1 - LEVEL)
        new = open_ & (means[:, None] - means + critical * spread < 0)
        if not new.any():
            break
        open_, below = open_ & ~new, below | new
    return scores.columns[~below.any(axis=1)].tolist(), "nothing else"


def _upper(matrix: pd.DataFrame) -> Pairs:
    return {(a, b): float(matrix.loc[a, b]) for a, b in itertools.combinations(matrix.columns, 2)}


# --- the others: each takes a table and returns what it reports of every pair -----------------------------------------


def autorank_default(scores: pd.DataFrame) -> tuple[str, Pairs]:
    return _autorank(scores)


def autorank_nonparametric(scores: pd.DataFrame) -> tuple[str, Pairs]:
    return _autorank(scores, force_mode="nonparametric")


def _autorank(scores: pd.DataFrame, **options: Any) -> tuple[str, Pairs]:
    """Autorank gives no p-value of a pair, but says when two differ: 0 and 1 stand for yes and no."""
    from autorank import autorank

    result = autorank(scores.reset_index(drop=True), alpha=LEVEL, order="descending", **options)
    frame = result.rankdf
    if result.cd is None:  # "Populations are significantly different if their confidence intervals are not overlapping"
        low, high = frame["ci_lower"], frame["ci_upper"]
        differ = {(a, b): low[a] > high[b] or low[b] > high[a] for a, b in itertools.combinations(scores.columns, 2)}
    else:
        ranks = frame["meanrank"]
        differ = {(a, b): abs(ranks[a] - ranks[b]) > result.cd for a, b in itertools.combinations(scores.columns, 2)}
    tests = {"anova": "ANOVA", "friedman": "Friedman", "tukeyhsd": "Tukey", "nemenyi": "Nemenyi"}
    how = f"{tests[result.omnibus]} (p {_short(result.pvalue)}), {tests[result.posthoc]}"
    return how, {pair: float(not yes) for pair, yes in differ.items()}


def posthocs_nemenyi(scores: pd.DataFrame) -> tuple[str, Pairs]:
    import scikit_posthocs

    matrix = scikit_posthocs.posthoc_nemenyi_friedman(scores.to_numpy())
    return "Nemenyi", _upper(matrix.set_axis(scores.columns, axis=0).set_axis(scores.columns, axis=1))


def posthocs_wilcoxon(scores: pd.DataFrame) -> tuple[str, Pairs]:
    import scikit_posthocs

    rows = scores.melt(var_name="model", value_name="score")
    options = {"val_col": "score", "group_col": "model", "p_adjust": "holm"}
    return "Wilcoxon, Holm", _upper(scikit_posthocs.posthoc_wilcoxon(rows, **options))


def mcm(scores: pd.DataFrame) -> tuple[str, Pairs]:
    import matplotlib

    matplotlib.use("Agg")
    from multi_comp_matrix import MCM

    with tempfile.TemporaryDirectory() as folder:
        MCM.compare(df_results=scores.reset_index(drop=True), output_dir=f"{folder}/", png_savename="matrix")
        found = json.loads(Path(folder, "analysis.json").read_text())
    pairs = itertools.combinations(scores.columns, 2)
    return "Wilcoxon, uncorrected", {(a, b): found[f"{a}-vs-{b}"]["pvalue"] for a, b in pairs}


def evalstats_default(scores: pd.DataFrame) -> tuple[str, Pairs]:
    result = _evalstats(scores).to_dict()
    about = result["methods"]["p_values"]
    how = f"{about['test']['name']}, {about['correction']['name']}"
    found = {frozenset((row["a"], row["b"])): row["p_value"] for row in result["pairwise"]}
    return how, {(a, b): found[frozenset((a, b))] for a, b in itertools.combinations(scores.columns, 2)}


def _evalstats(scores: pd.DataFrame) -> Any:
    import evalstats

    rows = scores.reset_index().melt("dataset", var_name="model", value_name="score")
    return evalstats.compare(evalstats.load_from(rows.rename(columns={"dataset": "item"})), factors="model")


def evalconfidence_pairs(scores: pd.DataFrame) -> tuple[str, Pairs]:
    import evalconfidence as package

    items = {
        name: [package.ItemResult(model_id=name, item_id=str(item), score=float(value)) for item, value in col.items()]
        for name, col in scores.items()
    }
    pairs = itertools.combinations(scores.columns, 2)
    return "paired t, uncorrected", {(a, b): float(package.compare(items[a], items[b]).p_value) for a, b in pairs}


# --- the same of the best one: each takes a table and returns who may be the best, and what else it says --------------


def autorank_best(scores: pd.DataFrame, **options: Any) -> Best:
    """Return who cannot be told from the best mean rank (or mean, with ANOVA), by autorank's own critical distance."""
    from autorank import autorank

    result = autorank(scores.reset_index(drop=True), alpha=LEVEL, order="descending", **options)
    frame = result.rankdf
    if result.pvalue > LEVEL:
        return frame.index.tolist(), "no difference"
    if result.cd is None:
        frame = frame.sort_values("mean", ascending=False, kind="stable")
        half = (frame["ci_upper"] - frame["ci_lower"]).iloc[0] / 2
        grouped = (frame["mean"].iloc[0] - frame["mean"] <= half).sum()  # as its report and its diagram do
        words = f"each mean to within {_decimal(half, 3)}; its report groups {grouped}"
        return frame.index[frame["ci_upper"] >= frame["ci_lower"].iloc[0]].tolist(), words
    frame = frame.sort_values("meanrank", kind="stable")
    near = frame["meanrank"] - frame["meanrank"].iloc[0] <= result.cd
    return frame.index[near].tolist(), f"critical distance {result.cd:.2f} ranks; groups without differences"


def autorank_nonparametric_best(scores: pd.DataFrame) -> Best:
    return autorank_best(scores, force_mode="nonparametric")


def evalstats_best(scores: pd.DataFrame) -> Best:
    """Return the first band, which is that of the verdict "tied as best"; `unbeaten` is the same or smaller."""
    result = _evalstats(scores)
    said = result.to_dict()
    band = [name for name in said["order"] if said["entities"][name]["band"] == 1]
    words = f'{band[0]}: "{said["entities"][band[0]]["verdict_text"]}"'
    unbeaten = result.unbeaten
    if set(band if unbeaten is None else unbeaten) != set(band):
        words += f"; `unbeaten` has {len(unbeaten)}"
    return band, words


def rliable_best(scores: pd.DataFrame) -> Best:
    """Return whose interval overlaps that of the best interquartile mean; one run per task, so tasks are redrawn."""
    from rliable import library, metrics

    np.random.seed(0)  # noqa: NPY002  # its bootstrap draws from there, whatever random_state is
    runs = {name: column.to_numpy()[None, :] for name, column in scores.items()}
    points, intervals = library.get_interval_estimates(
        runs, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=1_000, task_bootstrap=True
    )
    order = sorted(runs, key=lambda name: -points[name][0])
    low, high = (float(end) for end in np.ravel(intervals[order[0]]))
    words = f"{order[0]}: {_decimal(points[order[0]][0], 3)}, interval {_decimal(low, 3)} to {_decimal(high, 3)}"
    return [name for name in order if float(np.ravel(intervals[name])[1]) >= low], words


Driver = Callable[[pd.DataFrame], tuple[str, Pairs]]
#: What is run: the title, the distribution, the module, the function.
PEERS: dict[str, tuple[str, str, Driver]] = {
    "autorank": ("autorank", "autorank", autorank_default),
    "autorank, nonparametric": ("autorank", "autorank", autorank_nonparametric),
    "scikit-posthocs: Nemenyi": ("scikit-posthocs", "scikit_posthocs", posthocs_nemenyi),
    "scikit-posthocs: Wilcoxon": ("scikit-posthocs", "scikit_posthocs", posthocs_wilcoxon),
    "MCM": ("multi_comp_matrix", "multi_comp_matrix", mcm),
    "evalstats": ("evalstats", "evalstats", evalstats_default),
    "evalconfidence": ("evalconfidence", "evalconfidence", evalconfidence_pairs),
}
#: Who is asked for the best one: the title, the distribution, the module, the function, how many draws, what is best.
BEST_PEERS: dict[str, tuple[str, str, Callable[[pd.DataFrame], Best], int, str]] = {
    "autorank: best": ("autorank", "autorank", autorank_best, FEW_DRAWS, "mean"),
    "autorank, nonparametric: best": ("autorank", "autorank", autorank_nonparametric_best, DRAWS, "mean rank"),
    "evalstats: best": ("evalstats", "evalstats", evalstats_best, FEW_DRAWS, "mean"),
    "rliable: best": ("rliable", "rliable.library", rliable_best, FEW_DRAWS, "interquartile mean"),
}


def answer(name: str, folder: Path) -> dict[str, Any]:
    """Return what a package says of the tables in a folder; called by its own Python."""
    from importlib.metadata import version

    if name in BEST_PEERS:
        distribution, _, best, n_draws, _ = BEST_PEERS[name]
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            said = {table: best(_read(folder, table)) for table in OF_THE_BEST}
            sets = [best(two_tie(draw))[0] for draw in range(n_draws)]
        return {"version": version(distribution), "tables": said, "draws": sets}
    distribution, _, driver = PEERS[name]
    said: dict[str, Any] = {"version": version(distribution), "tables": {}}
    for table in PAIRS:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            how, pairs = driver(_read(folder, table))
        said["tables"][table] = _facts(how, pairs, table)
    return said


def _read(folder: Path, table: str) -> pd.DataFrame:
    return pd.read_csv(folder / f"{table}.csv", index_col="dataset", float_precision="round_trip")


def _facts(how: str, pairs: Pairs, table: str) -> dict[str, Any]:
    found = sum(p <= LEVEL for p in pairs.values())
    return {"how": how, "found": found, "n_pairs": len(pairs), "p": pairs[PAIRS[table]]}


def ask(name: str, pythons: list[str], folder: Path) -> dict[str, Any] | None:
    """Return what a package says, from the first environment that has it, or None."""
    module = (PEERS | BEST_PEERS)[name][1]
    for python in pythons:
        there = subprocess.run([python, "-c", f"import {module}"], capture_output=True)
        if there.returncode == 0:
            command = [python, __file__, "--answer", name, "--tables", str(folder)]
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"MPLBACKEND": "Agg"})
            if done.returncode:
                raise SystemExit(f"{name}: {done.stderr.strip().splitlines()[-1]}")
            return json.loads(done.stdout.splitlines()[-1])
    return None


# --- the page ---------------------------------------------------------------------------------------------------------


def _short(p: float) -> str:
    return "< .0001" if p < 1e-4 else f"{p:.4f}".lstrip("0") if p < 1 else "1"


def _decimal(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def row(name: str, facts: dict[str, dict[str, Any]]) -> str:
    """Return a row of the table in the page."""
    only_verdicts = name.startswith("autorank")
    p = [
        ("differ" if f["p"] <= LEVEL else "not") if only_verdicts else _short(f["p"])
        for f in (facts[table] for table in PAIRS)
    ]
    hows = list(dict.fromkeys(f["how"] for f in facts.values()))
    found = f"{facts['encoders']['found']} of {facts['encoders']['n_pairs']}"
    return f"| {name} | {'; '.join(hows)} | {found} | {p[0]} | {p[1]} | {p[2]} |"


def our_rows() -> list[str]:
    """Return the rows of this package."""
    said = {table: ours(scores) for table, scores in tables().items()}
    return [row(name, {table: _facts(*said[table][name], table) for table in PAIRS}) for name in said["ties"]]


def best_row(title: str, what: str, said: dict[str, Best], draws: list[list[str]]) -> str:
    """Return a row of the table of who is best; without draws, its beginning."""
    encoders, tie, *ties = (said[table][0] for table in OF_THE_BEST)
    both = {"best", "as good"} <= set(tie)
    more = len(set(tie) - {"best", "as good"})
    cells = [title, what, f"{len(encoders)} of 22", f"{'both' if both else 'not both'}, {more} more"]
    cells += [
        "all" if len(names) == n else "; ".join(sorted(names)) or "no answer"
        for names, n in zip(ties, (4, 3), strict=True)
    ]
    start = "| " + " | ".join([*cells, said["encoders"][1]]) + " |"
    if not draws:
        return start
    held = np.mean([{"best", "as good"} <= set(names) for names in draws])
    return f"{start} {_decimal(float(held))} of {len(draws)} | {np.mean([len(names) for names in draws]):.1f} |"


def our_best_rows(n_draws: int = DRAWS) -> list[str]:
    """Return the rows of what runs here: this package, and csranks' method."""
    drawn = [two_tie(draw) for draw in range(n_draws)]
    rows = []
    for title, best in (("genexpy_nb", our_best), ("csranks' method, computed here", csranks_method)):
        for by, what in (("rank", "mean rank"), ("score", "mean")):
            said = {table: best(scores, by) for table, scores in tables_of_the_best().items()}
            rows.append(best_row(title, what, said, [best(scores, by)[0] for scores in drawn]))
    return rows


def kept(start: str, what: str = "") -> str | None:
    """Return the row that the page has, of a package that was not run."""
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| {start} ") and what in line]
    return rows[0] if len(rows) == 1 else None


def _titles(name: str, version: str) -> str:
    distribution = name.partition(":")[0].partition(",")[0]
    return name.replace(distribution, f"{distribution} {version}", 1)


def rows_of_pairs(pythons: list[str], folder: Path) -> list[str]:
    """Return the table of pairs."""
    (first, second), (one, other) = PAIRS["encoders"], PAIRS["ties"]
    lines = [
        f"| package | tests | 1: pairs that differ | 1: {first}, {second} | 2: {first}, {second} | 3: {one}; {other} |",
        "|---|---|---|---|---|---|",
        *our_rows(),
    ]
    for name in PEERS:
        said = ask(name, pythons, folder)
        if said is None:
            distribution, _, rest = name.partition(": ")
            missing = f"| {name} | not run: in none of the environments given | | | | |"
            lines.append(kept(distribution, rest) or missing)
            continue
        lines.append(row(_titles(name, said["version"]), said["tables"]))
    return lines


def rows_of_the_best(pythons: list[str], folder: Path) -> list[str]:
    """Return the table of who is best."""
    lines = [
        "| package | best by | 1: encoders | 4: two tie | 3: ties | 3, without boosted | what else it says of 1 "
        "| 4 drawn anew: both are in | size |",
        "|---|---|---|---|---|---|---|---|---|",
        *our_best_rows(),
    ]
    for name in BEST_PEERS:
        title, what = name.partition(":")[0], BEST_PEERS[name][-1]
        said = ask(name, pythons, folder)
        if said is None:
            lines.append(f"| {title} | not run: in none of the environments given | | | | | | | |")
            continue
        lines.append(best_row(_titles(title, said["version"]), what, said["tables"], said["draws"]))
    return lines


def put(lines: list[str], marks: tuple[str, str]) -> None:
    """Put a table into the page."""
    before, _, rest = PAGE.read_text().partition(marks[0])
    PAGE.write_text("\n".join([before + marks[0], *lines, marks[1] + rest.partition(marks[1])[2]]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=[], help="Python of environments that hold the other packages")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/peers.md")
    parser.add_argument("--answer", choices=PEERS | BEST_PEERS, help=argparse.SUPPRESS)
    parser.add_argument("--tables", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.answer:
        print(json.dumps(answer(given.answer, given.tables)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for table, scores in (tables() | tables_of_the_best()).items():
            scores.to_csv(Path(folder, f"{table}.csv"))
        for make, marks in ((rows_of_the_best, BEST_MARKS), (rows_of_pairs, MARKS)):
            lines = make(given.python, Path(folder))
            print("\n".join(lines), flush=True)
            if given.write:
                put(lines, marks)


if __name__ == "__main__":
    sys.exit(main())
