"""Ask other packages and this one the same questions about the same tables: every number of docs/peers.md.

The others live in environments of their own, never in this project's:

    python -m venv ONE && ONE/bin/pip install autorank==1.3.0 scikit-posthocs==0.17.1 evalstats==0.3.3 \\
        evalconfidence==0.1.1
    python -m venv TWO && TWO/bin/pip install multi_comp_matrix==0.0.4
    python benchmarks/peers.py --python ONE/bin/python TWO/bin/python --write

Each package runs in the first of these environments that has it; one that none has is skipped, and the table says so.
``--write`` puts the table into the page.
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
LEVEL = 0.05
#: The pair that is looked at in each table.
PAIRS = {"encoders": ("CV5TE", "WOEE"), "best six": ("CV5TE", "WOEE"), "ties": ("net", "net, 1 - error")}

Pairs = dict[tuple[str, str], float]


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


# --- this package -----------------------------------------------------------------------------------------------------


def ours(scores: pd.DataFrame) -> dict[str, Pairs]:
    """Return the p-values of the pairs by this package: its default, and Nemenyi's test on request."""
    import genexpy_nb as gx

    study = gx.Study.from_wide(scores)
    return {
        "genexpy_nb: Wilcoxon, Holm": _upper(study.critical_difference().p_values),
        "genexpy_nb: Nemenyi, on request": _upper(study.critical_difference(test="nemenyi").p_values),
    }


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
    import evalstats

    rows = scores.reset_index().melt("dataset", var_name="model", value_name="score")
    rows = rows.rename(columns={"dataset": "item"})
    result = evalstats.compare(evalstats.load_from(rows), factors="model").to_dict()
    about = result["methods"]["p_values"]
    how = f"{about['test']['name']}, {about['correction']['name']}"
    found = {frozenset((row["a"], row["b"])): row["p_value"] for row in result["pairwise"]}
    return how, {(a, b): found[frozenset((a, b))] for a, b in itertools.combinations(scores.columns, 2)}


def evalconfidence_pairs(scores: pd.DataFrame) -> tuple[str, Pairs]:
    import evalconfidence as package

    items = {
        name: [package.ItemResult(model_id=name, item_id=str(item), score=float(value)) for item, value in col.items()]
        for name, col in scores.items()
    }
    pairs = itertools.combinations(scores.columns, 2)
    return "paired t, uncorrected", {(a, b): float(package.compare(items[a], items[b]).p_value) for a, b in pairs}


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


def answer(name: str, folder: Path) -> dict[str, Any]:
    """Return what a package says of the tables in a folder; called by its own Python."""
    from importlib.metadata import version

    distribution, _, driver = PEERS[name]
    said: dict[str, Any] = {"version": version(distribution), "tables": {}}
    for table in PAIRS:
        scores = pd.read_csv(folder / f"{table}.csv", index_col="dataset", float_precision="round_trip")
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            how, pairs = driver(scores)
        said["tables"][table] = _facts(how, pairs, table)
    return said


def _facts(how: str, pairs: Pairs, table: str) -> dict[str, Any]:
    found = sum(p <= LEVEL for p in pairs.values())
    return {"how": how, "found": found, "n_pairs": len(pairs), "p": pairs[PAIRS[table]]}


def ask(name: str, pythons: list[str], folder: Path) -> dict[str, Any] | None:
    """Return what a package says, from the first environment that has it, or None."""
    for python in pythons:
        there = subprocess.run([python, "-c", f"import {PEERS[name][1]}"], capture_output=True)
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
    return [
        row(name, {table: _facts(name.partition(": ")[2], said[table][name], table) for table in PAIRS})
        for name in said["ties"]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=[], help="Python of environments that hold the other packages")
    parser.add_argument("--write", action="store_true", help="put the table into docs/peers.md")
    parser.add_argument("--answer", choices=PEERS, help=argparse.SUPPRESS)
    parser.add_argument("--tables", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.answer:
        print(json.dumps(answer(given.answer, given.tables)))
        return
    (first, second), (one, other) = PAIRS["encoders"], PAIRS["ties"]
    lines = [
        f"| package | tests | 1: pairs that differ | 1: {first}, {second} | 2: {first}, {second} | 3: {one}; {other} |",
        "|---|---|---|---|---|---|",
        *our_rows(),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for table, scores in tables().items():
            scores.to_csv(Path(folder, f"{table}.csv"))
        for name in PEERS:
            said = ask(name, given.python, Path(folder))
            if said is None:
                lines.append(f"| {name} | not run: in none of the environments given | | | | |")
                continue
            distribution = name.partition(":")[0].partition(",")[0]
            title = name.replace(distribution, f"{distribution} {said['version']}", 1)
            lines.append(row(title, said["tables"]))
    print("\n".join(lines))
    if given.write:
        before, _, rest = PAGE.read_text().partition(MARKS[0])
        PAGE.write_text("\n".join([before + MARKS[0], *lines, MARKS[1] + rest.partition(MARKS[1])[2]]))


if __name__ == "__main__":
    sys.exit(main())
