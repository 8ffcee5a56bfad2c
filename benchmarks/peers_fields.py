"""Ask other packages and this one about the same items, games and votes: the third table of docs/peers.md.

The others live in environments of their own, never in this project's (see peers.py, which this continues):

    ONE/bin/pip install evalstats==0.3.3 arch==8.0.0 choix==0.4.1 scikit-learn
    THREE/bin/pip install rliable==1.2.0 "pandas<3"
    python -m venv FOUR && FOUR/bin/pip install --pre bencheval
    python benchmarks/peers_fields.py --python ONE/bin/python THREE/bin/python FOUR/bin/python --write

What is skipped keeps the row that it has in the page. About four minutes.
"""

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from peers import LEVEL, PAGE, csranks_method, put

MARKS = ("<!-- items, games, votes: made by benchmarks/peers_fields.py -->", "<!-- end of items, games, votes -->")
REPS = 2_000
#: Who may be the best (None: it does not say), and what else it says.
Said = tuple[list[str] | None, str]


def tables() -> dict[str, pd.DataFrame]:
    """Return the bundled answers, runs and votes."""
    import genexpy_nb as gx

    runs = gx.datasets.load_agents()
    runs["scaled"] = (runs["score"] - runs["random"]) / (runs["best"] - runs["random"])
    return {"items": gx.datasets.load_cloze(), "games": runs, "votes": gx.datasets.load_cloze_votes()}


# --- this package, and what is computed here --------------------------------------------------------------------------


def our_items(answers: pd.DataFrame) -> Said:
    """Return the contenders, the two in front, and how many pairs hold in the next package."""
    import genexpy_nb as gx

    found = gx.fields.items(
        answers, "model", "item", "score", sample="sample", cluster="passage", benchmark="benchmark"
    )
    pair, rows = found.pairs.iloc[0], found.benchmarks.contrasts
    again = int(((rows["next_low"] > 0) | (rows["next_high"] < 0)).sum())
    return _contenders(found.models), (
        f"{_lead(found.models)}; ahead of the next by {_interval(*pair[['estimate', 'low', 'high']])}, "
        f"{found.items_needed:,.0f} items to separate them; prediction intervals are sure of {again} of "
        f"{len(rows)} pairs in the next package"
    )


def our_games(runs: pd.DataFrame) -> Said:
    """Return the contenders, and the highest interquartile mean with both intervals."""
    import genexpy_nb as gx

    of = gx.fields.games(runs, reference=["random", "best"]).algorithms
    best = of.loc[of["estimate"].idxmax()]
    seeds, games = (_interval(best["estimate"], best[low], best[high]) for low, high in _ENDS)
    return _contenders(of), f"IQM of {best.name}: {seeds} for other seeds, {games} for other games, too"


def our_votes(votes: pd.DataFrame) -> Said:
    """Return the contenders, the leader's strength as ratings write it, and whether another panel would agree."""
    import genexpy_nb as gx

    found = gx.fields.preferences(votes, cluster=["judge", "passage"])
    rating = 1000 + 400 / np.log(10) * found.models.iloc[0][["estimate", "low", "high"]].astype(float)
    again = _interval(*found.agreement[["estimate", "low", "high"]])
    return _contenders(found.models), (
        f"{found.models.index[0]}: {_interval(*rating, digits=0)}; two panels have the same in front with probability "
        f"{again}"
    )


_ENDS = [("low", "high"), ("games_low", "games_high")]


def csranks_items(answers: pd.DataFrame) -> Said:
    """Return the confidence set of the best by csranks' method, over items."""
    return csranks_method(answers.groupby(["item", "model"])["score"].mean().unstack(), "score")


def _contenders(models: pd.DataFrame) -> list[str]:
    return models.index[models["may_be_best"]].tolist()


def _lead(models: pd.DataFrame) -> str:
    return f"{models.index[0]}: {_interval(*models.iloc[0][['estimate', 'low', 'high']])}"


def _interval(estimate: float, low: float, high: float, digits: int = 3) -> str:
    return " ".join([f"{estimate:.{digits}f}", f"({low:.{digits}f} to {high:.{digits}f})"]).replace("-", "−")


# --- the others -------------------------------------------------------------------------------------------------------


def evalstats_items(answers: pd.DataFrame) -> Said:
    """Return the first band, its verdict, and how many items a gap of that size takes, by its own estimate."""
    import evalstats

    rows = answers.rename(columns={"sample": "run"})[["model", "item", "run", "score"]]
    gap = rows.groupby("model")["score"].mean().nlargest(2).diff().abs().iloc[-1]
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        result = evalstats.compare(evalstats.load_from(rows), factors="model", min_meaningful_diff=float(gap))
        result.summary()
    said = result.to_dict()
    first = said["order"][0]
    of = said["entities"][first]
    pair = next(p for p in said["pairwise"] if {p["a"], p["b"]} == set(said["order"][:2]))
    sign = 1 if pair["a"] == first else -1
    ends = sorted(sign * pair[end] for end in ("ci_low", "ci_high"))
    needed = next(
        (line.split("~")[1].split()[0] for line in shown.getvalue().splitlines() if "~" in line and "inputs" in line),
        "?",
    )
    return [name for name in said["order"] if said["entities"][name]["band"] == 1], (
        f'{first}: {_interval(of["mean"], of["ci_low"], of["ci_high"])}, "{of["verdict_text"]}"; ahead of the next by '
        f"{_interval(sign * pair['diff'], *ends)}, all pairs at once; roughly {needed} items for a gap of {gap:.3f}"
    )


def arch_items(answers: pd.DataFrame) -> Said:
    """Return the model confidence set of Hansen, Lunde and Nason, with items for periods."""
    from arch.bootstrap import MCS

    losses = 1 - answers.groupby(["item", "model"])["score"].mean().unstack()
    found = MCS(losses, size=LEVEL, reps=REPS, block_size=1, method="R", seed=0)
    found.compute()
    p = found.pvalues["Pvalue"]
    near = p[p < 1].sort_values(ascending=False)
    return list(
        found.included
    ), f"p-values of the sequence: {near.index[0]} {near.iloc[0]:.2f}, then {near.iloc[1]:.2f}"


def rliable_games(runs: pd.DataFrame) -> Said:
    """Return the highest interquartile mean with intervals over runs and, on request, over tasks, too."""
    from rliable import library, metrics

    scores = {
        name: part.pivot(index="seed", columns="game", values="scaled").to_numpy()
        for name, part in runs.groupby("algorithm")
    }

    def iqm(x: np.ndarray) -> np.ndarray:
        return np.array([metrics.aggregate_iqm(x)])

    said = []
    for task_bootstrap in (False, True):
        np.random.seed(0)  # noqa: NPY002  # its bootstrap over tasks draws from there
        points, ends = library.get_interval_estimates(scores, iqm, reps=REPS, task_bootstrap=task_bootstrap)
        best = max(points, key=lambda name: points[name][0])
        said.append(_interval(points[best][0], *np.ravel(ends[best])))
    return None, f"IQM of {best}: {said[0]}; {said[1]} with `task_bootstrap=True`"


def bencheval_games(runs: pd.DataFrame) -> Said:
    """Return the first of the leaderboard, its Elo with the bootstrap's interval over tasks, and its mean rank."""
    from bencheval.evaluator import BenchmarkEvaluator

    rows = runs.rename(columns={"algorithm": "method", "game": "task"})
    rows = rows.assign(metric_error=(1 - rows["scaled"]).clip(lower=0))
    board = BenchmarkEvaluator(seed_column="seed", columns_to_agg_extra=[]).leaderboard(
        rows[["method", "task", "seed", "metric_error"]], average_seeds=True
    )
    of = board.iloc[0]
    return None, (
        f"{board.index[0]}: Elo {of['elo']:.0f} (+{of['elo+']:.0f}/−{of['elo-']:.0f}), mean rank {of['rank']:.2f}, "
        f"win rate {of['winrate']:.2f}"
    )


def _sides(votes: pd.DataFrame) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    names = sorted({*votes["model_a"], *votes["model_b"]})
    first, second = (votes[side].map(names.index).to_numpy() for side in ("model_a", "model_b"))
    return names, first, second, (votes["winner"] == "model_a").to_numpy()


def arena_votes(votes: pd.DataFrame) -> Said:
    """Return ratings as notebooks of arenas compute them: logistic regression, and votes drawn anew."""
    from sklearn.linear_model import LogisticRegression

    names, first, second, won = _sides(votes)
    rows = np.arange(len(votes))
    design = np.zeros((len(votes), len(names)))
    design[rows, first], design[rows, second] = 1, -1

    def ratings(of: np.ndarray) -> np.ndarray:
        fit = LogisticRegression(fit_intercept=False, C=1e6, tol=1e-8, max_iter=1000).fit(design[of], won[of])
        return 1000 + 400 / np.log(10) * (fit.coef_[0] - fit.coef_[0].mean())

    rng, found = np.random.default_rng(0), ratings(rows)
    again = np.array([ratings(rng.integers(len(votes), size=len(votes))) for _ in range(100)])
    low, high = np.quantile(again, [LEVEL / 2, 1 - LEVEL / 2], axis=0)
    best = int(found.argmax())
    behind = int((high >= low[best]).sum()) - 1
    return None, (
        f"{names[best]}: {_interval(found[best], low[best], high[best], digits=0)}; intervals of {behind} others reach "
        "its own"
    )


def choix_votes(votes: pd.DataFrame) -> Said:
    """Return the strengths of the iterative spectral algorithm, on the scale of ratings."""
    import choix

    names, first, second, won = _sides(votes)
    pairs = [(a, b) if w else (b, a) for a, b, w in zip(first.tolist(), second.tolist(), won.tolist(), strict=True)]
    strengths = choix.ilsr_pairwise(len(names), pairs)
    best = int(strengths.argmax())
    return None, f"{names[best]}: {1000 + 400 / np.log(10) * (strengths[best] - strengths.mean()):.0f}; no interval"


Driver = Callable[[pd.DataFrame], Said]
#: Computed here: the file, the title, the function.
HERE: list[tuple[str, str, Driver]] = [
    ("items", "genexpy_nb", our_items),
    ("items", "csranks' method, computed here", csranks_items),
    ("games", "genexpy_nb", our_games),
    ("votes", "genexpy_nb", our_votes),
]
#: Asked in their environments: name -> the file, the title, the distribution, the module, the function.
PEERS: dict[str, tuple[str, str, str, str, Driver]] = {
    "evalstats": ("items", "evalstats", "evalstats", "evalstats", evalstats_items),
    "arch": ("items", "arch: model confidence set", "arch", "arch", arch_items),
    "rliable": ("games", "rliable", "rliable", "rliable.library", rliable_games),
    "bencheval": ("games", "bencheval", "bencheval", "bencheval", bencheval_games),
    "arena": ("votes", "scikit-learn as arenas use it", "scikit-learn", "arch", arena_votes),
    "choix": ("votes", "choix", "choix", "choix", choix_votes),
}


def row(file: str, title: str, said: Sequence[Any]) -> str:
    """Return a row of the table."""
    who, more = said
    return f"| {file} | {title} | {'does not say' if who is None else '; '.join(sorted(who))} | {more} |"


def our_rows() -> list[str]:
    """Return the rows of what is computed here."""
    of = tables()
    return [row(file, title, driver(of[file])) for file, title, driver in HERE]


def answer(name: str, folder: Path) -> dict[str, Any]:
    """Return what a package says; called by its own Python."""
    from importlib.metadata import version

    file, _, distribution, _, driver = PEERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"version": version(distribution), "said": driver(pd.read_csv(folder / f"{file}.csv"))}


def ask(name: str, pythons: Sequence[str], folder: Path) -> str | None:
    """Return the row of a package, from the first environment that has it, or the one that the page has."""
    file, title, distribution, module, _ = PEERS[name]
    for python in pythons:
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            command = [python, __file__, "--answer", name, "--tables", str(folder)]
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"MPLBACKEND": "Agg"})
            if done.returncode:
                raise SystemExit(f"{name}: {done.stderr.strip()[-2000:]}")
            found = json.loads(done.stdout.splitlines()[-1])
            return row(file, title.replace(distribution, f"{distribution} {found['version']}", 1), found["said"])
    kept = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| {file} | {distribution}")]
    return kept[0] if len(kept) == 1 else None


def rows(pythons: Sequence[str], folder: Path) -> list[str]:
    """Return the whole table, files in order, this package first."""
    found = [*our_rows(), *filter(None, (ask(name, pythons, folder) for name in PEERS))]
    head = ["| file | package | who may be the best | what it says of the one in front |", "|---|---|---|---|"]
    return [*head, *(line for file in ("items", "games", "votes") for line in found if line.startswith(f"| {file} |"))]


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
    with tempfile.TemporaryDirectory() as folder:
        for file, table in tables().items():
            table.to_csv(Path(folder, f"{file}.csv"), index=False)
        lines = rows(given.python, Path(folder))
    print("\n".join(lines))
    if given.write:
        put(lines, MARKS)


if __name__ == "__main__":
    sys.exit(main())
