"""Does the set of the best hold the best one, do gaps and places hold, and are left-out costs what they say?

    python benchmarks/held_out.py [FOLDER] [--out held_out.jsonl] [--all] [--sizes 10 20] [--only NAME ...]
    python benchmarks/held_out.py --show held_out.jsonl
    python benchmarks/held_out.py [FOLDER] --nstar [--only NAME ...]

The last one prints how often the interval of n* from ten experiments holds the whole n* of the table, by kernel.

Each results table is taken for the whole population: its complete rows are drawn anew, with replacement, to studies of
5, 10, 20 and 40 experiments, and what a study says is compared with what the whole table is. Tables: those that come
with the package; in the folder ``GENEXPY_NB_DATA``, if set, a configuration of BIG-bench; and those of FOLDER,
``NAME.csv`` (first column the experiment, then one per alternative) with ``NAME.clusters.csv`` beside some (experiment,
cluster: whole clusters are drawn, and their mean scores are the rows). Those of names that end in rmse, mase and sql
are losses.
By rank within the experiment, and by score where experiments are on one scale (`mixed_scales`); the best twelve
alternatives, and with ``--all`` all of them (at most 40). What stands in the file is not measured again.

Made-up worlds (ten alternatives; a population of 20,000 rows each):

- equal: all alike, Student's t with 4 degrees of freedom
- leader: the same, one of them ahead by .8 standard deviations
- right or wrong: shares from .3 to .8, half of what makes a task hard shared by all (correlation of the latent ones)
- few right or wrong: the same, shares from .02 to .1
- best has rare losses, best has rare wins: exponential, standard deviations from .5 to 2, the best ahead by .3, whose
  tail is long below or above
- clusters: five rows each, intraclass correlation .5, means from 0 to .5; of cluster means, and of rows as if they were
  independent
- three complete tables with a fifth of the cells deleted, at random or where results are in the lower half of their row

Measured, each in 200 studies of 10 and 20 experiments and 100 of the others (level .05; standard error of a share near
.95: .015 and .022): see `KEYS`. What a left-out number should be is simulated: 4,000 studies of one experiment less.
"""

import argparse
import json
import os
import re
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from zlib import crc32

import numpy as np
import pandas as pd
from scipy.special import ndtri

from genexpy_nb.common.random import stream
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.conclusions.contenders import compare_all, rows_of
from genexpy_nb.conclusions.regret import mixed_scales, regret_of_table
from genexpy_nb.datasets import load_bigbench, load_encoders, load_mteb, load_replicates
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel
from genexpy_nb.generalization.nstar import estimate_nstar
from genexpy_nb.significance import wilcoxon_pratt
from genexpy_nb.significance.multiple import holm_adjusted
from genexpy_nb.significance.wilcoxon import paired_differences, signed_rank_direction

LEVEL, TOP, MOST, FAMILIES = 0.05, 12, 40, 20
STUDIES = {5: 100, 10: 200, 20: 200, 40: 100}
TRUTHS, ROWS = 4_000, 20_000
EQUAL = 1e-9
LOSSES = re.compile(r"(rmse|mase|sql)$")
KEYS = {
    "held": "the best one is in the set",
    "size": "mean size of the set",
    "holm": "alternatives that no other one beats by Wilcoxon's test of all pairs with Holm's correction",
    "flips": "the same by flips over all pairs",
    "lead": "what the chosen one is ahead is at most the upper end",
    "regret": "what the chosen one is behind is at most the lower end",
    "bound": "mean of that lower end (median where some are infinite)",
    "gaps": "all gaps hold at once",
    "places": "all places hold at once, equals in any order",
    "left_score, left_1, left_3": "bias of the left-out score, and of the regret of one and of the best of three, in "
    "standard errors",
}


@dataclass(frozen=True)
class Population:
    """Scores, higher is better, of experiments x alternatives; rows of one cluster have one number."""

    name: str
    scores: np.ndarray
    clusters: np.ndarray | None = None
    comparable: bool = True
    apart: bool = False  # rows of clusters are drawn as if they were independent
    missing: str = ""  # how cells go

    def rows(self, by):
        """Return what is drawn, (clusters, rows in each, alternatives), and scores for signed ranks."""
        scores = self.scores
        if self.clusters is not None:
            codes = pd.factorize(self.clusters)[0]
            if not self.apart:
                scores = pd.DataFrame(scores).groupby(codes).mean().to_numpy()
            else:  # of one size
                scores = scores[np.argsort(codes, kind="stable")]
        rows = rows_of(scores, by, True)
        tested = scores if self.comparable else rows
        shape = (codes.max() + 1 if self.apart else len(rows), -1, rows.shape[1])
        return rows.reshape(shape), tested.reshape(shape)


# --- populations ------------------------------------------------------------------------------------------------------


def table(name, frame, clusters=None, lower=False):
    """Return a population of the complete rows."""
    frame = frame.dropna(axis=1, how="all")
    kept = frame.notna().all(axis=1).to_numpy()
    scores = frame.to_numpy(dtype=float)[kept] * (-1 if lower else 1)
    order = np.argsort(-rows_of(scores, "rank", True).mean(axis=0), kind="stable")
    clusters = None if clusters is None else clusters.reindex(frame.index[kept]).to_numpy()
    return Population(name, scores[:, order], clusters, not mixed_scales(scores))


def ours():
    """Return the tables that come with the package, and BIG-bench where it is."""
    mteb = load_mteb().pivot(index="task", columns="model", values="score")
    yield table("mteb", mteb.loc[:, mteb.notna().all()])
    encoders = load_encoders(source="bundled")
    for model in ("LR", "DTC"):
        one = encoders[encoders[["model", "tuning", "scoring"]].eq([model, "no", "AUC"]).all(axis=1)]
        yield table(f"encoders {model}", one.pivot(index="dataset", columns="encoder", values="cv_score"))
    runs = load_replicates()
    means = runs.groupby(["dataset", "encoder"])["score"].mean().unstack()
    yield table("encoders, ten splits", means, runs.groupby("dataset")["table"].first())
    if os.environ.get("GENEXPY_NB_DATA"):
        shots = load_bigbench(source="original").query("number_of_shots == 0")
        key = ["task_name", "subtask_description"]
        scores = shots.pivot_table(index=key, columns="model_family_model_name", values="score_value")
        scores = scores.loc[:, scores.notna().mean() > 0.8]
        yield table("bigbench", scores, pd.Series(scores.index.get_level_values(0), scores.index))


def others(folder):
    """Return the tables of a folder."""
    for path in sorted(Path(folder).glob("*.csv")):
        if "." in path.stem or path.stem.endswith("references"):
            continue
        frame = pd.read_csv(path, index_col=0)
        if path.stem.startswith("gift_eval"):  # one of each family of models, and none that saw the answers
            family = frame.columns.str.split(r"[-_]| ").str[0].str.lower()
            frame = frame.loc[:, ~family.duplicated() & ~frame.columns.str.contains("leak", case=False)]
            frame = frame.iloc[:, :FAMILIES]
        beside = path.with_name(f"{path.stem}.clusters.csv")
        clusters = pd.read_csv(beside, index_col=0).iloc[:, 0] if beside.exists() else None
        yield table(path.stem, frame, clusters, bool(LOSSES.search(path.stem)))


def made_up():
    """Return populations of our own making."""
    rng, k = np.random.default_rng(2026), 10

    def steady(x):
        return x - x.mean(axis=0)

    tails = steady(rng.standard_t(4, (ROWS, k)))
    yield Population("equal", tails)
    yield Population("leader", tails + 0.8 * tails.std() * (np.arange(k) == 0))
    for name, ends in (("right or wrong", (0.8, 0.3)), ("few right or wrong", (0.1, 0.02))):
        latent = np.sqrt(0.5) * (rng.normal(size=(ROWS, 1)) + rng.normal(size=(ROWS, k)))
        yield Population(name, (latent < ndtri(np.linspace(*ends, k))).astype(float))
    skewed = steady(rng.exponential(size=(ROWS, k))) * np.linspace(2, 0.5, k)
    yield Population("best has rare wins", skewed + 0.3 * (np.arange(k) == 0))
    yield Population("best has rare losses", 0.3 * (np.arange(k) == 0) - skewed)
    shared = np.repeat(rng.normal(size=(ROWS // 5, k)), 5, axis=0)
    noise = steady(np.sqrt(0.5) * (shared + rng.normal(size=(ROWS, k)))) + np.linspace(0.5, 0, k)
    clusters = np.repeat(np.arange(ROWS // 5), 5)
    yield Population("clusters", noise, clusters)
    yield Population("clusters as rows", noise, clusters, apart=True)


def incomplete(populations):
    """Return three tables, a fifth of whose cells go from each study."""
    for name in ("mteb", "talent_binary_accuracy", "tabzilla_accuracy_final"):
        for one in populations:
            if one.name == name:
                for missing in ("at random", "if bad"):
                    yield Population(f"{name}, missing {missing}", one.scores, None, one.comparable, missing=missing)


def without(rows, how, rng):
    """Return rows without a fifth of their cells."""
    if how == "at random":
        return np.where(rng.random(rows.shape) < 0.2, np.nan, rows)
    places = (-rows).argsort(axis=1).argsort(axis=1)
    return np.where((places >= rows.shape[1] // 2) & (rng.random(rows.shape) < 0.4), np.nan, rows)


# --- one question each ------------------------------------------------------------------------------------------------


def set_of_the_best(found, best, tested):
    """Who may be the best, and whom all pairs leave."""
    i, j = np.triu_indices(tested.shape[1], 1)
    left = np.ones(tested.shape[1], dtype=bool)
    if not np.isnan(tested).any():
        d = paired_differences(tested, i, j)
        ahead = np.where(holm_adjusted(wilcoxon_pratt(d)) <= LEVEL, signed_rank_direction(d), 0)
        left[j[ahead > 0]], left[i[ahead < 0]] = False, False
    flips = ~found.better.any(axis=0)
    kept = {"size": found.contend.sum(), "holm": left.sum(), "flips": flips.sum()}
    return {"held": found.contend[best], "held_holm": left[best]} | kept


def gaps_of_the_chosen(found, chosen, truth):
    """Lead and regret of the one that the study would choose, and the gaps of all."""
    _, low, high = found.gaps()
    gaps = np.array([truth[i] - np.delete(truth, i).max() for i in range(len(truth))])
    ok = (gaps <= high + EQUAL) & (-np.minimum(gaps, 0) <= -low + EQUAL)
    lead, regret = gaps[chosen] <= high[chosen] + EQUAL, -min(gaps[chosen], 0) <= -low[chosen] + EQUAL
    return {"lead": lead, "regret": regret, "bound": -low[chosen], "gaps": ok.all()}


def all_places(found, truth):
    """Whether the places of all hold a true order; of equals, in any order among themselves."""
    low, high = found.places()
    free = list(range(len(truth)))
    for place in range(1, len(truth) + 1):
        level = max(truth[i] for i in free)
        fits = [i for i in free if truth[i] >= level - EQUAL and low[i] <= place <= high[i]]
        if not fits:
            return {"places": False}
        free.remove(min(fits, key=lambda i: high[i]))
    return {"places": True}


def left_out(rows):
    """What `regret_of_table` says."""
    frame = regret_of_table(pd.DataFrame(rows), [1, 3], by="score")
    return {"left_score": frame["score"][0], "left_1": frame["regret"][0], "left_3": frame["regret"][1]}


def left_out_truth(population, n, rng):
    """Return what studies of n - 1 experiments choose, worth and regret; means and standard errors."""
    rows, regrets = population, population.max(axis=1, keepdims=True) - population
    each, shortlists = regrets.mean(axis=0), {}
    worth = rows.mean(axis=0)
    found = np.empty((TRUTHS, 3))
    for draw in found:
        means = rows[rng.integers(len(rows), size=n - 1)].mean(axis=0)
        order = np.lexsort((rng.random(len(means)), -means.round(10)))[:3]
        key = tuple(sorted(order.tolist()))
        if key not in shortlists:
            shortlists[key] = regrets[:, key].min(axis=1).mean()
        draw[:] = worth[order[0]], each[order[0]], shortlists[key]
    keys = ("left_score", "left_1", "left_3")
    return dict(zip(keys, found.mean(axis=0), strict=True)), dict(zip(keys, found.var(axis=0) / TRUTHS, strict=True))


# --- cells ------------------------------------------------------------------------------------------------------------


def measure(population, by, n, k, seed, studies):
    """Draw studies of n experiments of the first k alternatives from a population, and ask all questions."""
    start = process_time()
    population = Population(**{**vars(population), "scores": population.scores[:, :k]})
    rng = stream(seed, crc32(f"{population.name} {by} {n} {k}".encode()))
    blocks, tested = population.rows(by)
    truth = blocks.mean(axis=(0, 1))
    best = int((truth > truth.max() - EQUAL).argmax())
    asked = []
    for study in range(studies):
        drawn = rng.integers(len(blocks), size=n // blocks.shape[1])
        rows, scores = blocks[drawn].reshape(-1, k), tested[drawn].reshape(-1, k)
        if population.missing:
            scores = without(scores, population.missing, rng)
            rows = rows_of(scores, by, True)
        found = compare_all(rows, LEVEL, study)
        chosen = int(np.nanmean(rows, axis=0).argmax())
        answers = set_of_the_best(found, best, scores) | gaps_of_the_chosen(found, chosen, truth)
        if not population.missing and not population.apart:
            answers |= left_out(rows)
        asked.append(answers | all_places(found, truth))
    frame = pd.DataFrame(asked).astype(float)
    result = {"population": population.name, "rows": len(blocks), "by": by, "n": n, "k": k, "studies": studies}
    result |= frame.drop(columns=[c for c in frame if c.startswith("left")]).mean().round(4).to_dict()
    result["bound"] = float(frame["bound"].mean() if np.isfinite(frame["bound"]).all() else frame["bound"].median())
    if "left_1" in frame:
        expected, error = left_out_truth(blocks[:, 0], n, rng)
        for key, value in expected.items():
            bias = frame[key].mean() - value
            spread = np.sqrt(frame[key].var() / studies + error[key])
            result |= {
                key: round(bias / spread, 2) if spread > EQUAL else 0.0,
                f"{key}_is": round(frame[key].mean(), 5),
            }
            result[f"{key}_true"] = round(value, 5)
    return result | {"seconds": round(process_time() - start, 1)}


def cells(populations, sizes, everybody, bys):
    """Yield what is measured."""
    for n in sizes:
        for one in populations:
            k = one.scores.shape[1]
            if (one.missing and (n == 5 or everybody)) or (everybody and k <= TOP):
                continue
            for by in bys if one.comparable else ["rank"]:
                yield one, by, n, min(k, MOST if everybody else TOP)


def nstar_held(population, n=10, studies=300):
    """Return how often the interval of n* of a study holds the whole n* of the table, by kernel."""
    rankings = rank_scores(population.scores[:, :TOP], higher_is_better=True)
    k, held = rankings.shape[1], {}
    for kernel in (*(BordaKernel(i) for i in range(k)), JaccardKernel(k=1), MallowsKernel()):
        epsilon, rng = kernel.epsilon(0.05, k), stream(1)
        truth = estimate_nstar(kernel.gram(np.tile(rankings, (8, 1))), 0.95, epsilon).estimate
        found = [
            estimate_nstar(kernel.gram(rankings[rng.integers(len(rankings), size=n)]), 0.95, epsilon)
            for _ in range(studies)
        ]
        ends = np.ceil(np.array([(one.low, one.high) for one in found]) - 1e-9)
        held[kernel.name] = np.mean((ends[:, 0] <= np.ceil(truth - 1e-9)) & (np.ceil(truth - 1e-9) <= ends[:, 1]))
    return held


def show(path):
    """Print what was measured."""
    frame = pd.DataFrame(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    with pd.option_context("display.width", 250, "display.max_rows", None, "display.max_columns", None):
        print(frame.drop(columns=[c for c in frame if c.endswith(("_is", "_true"))]).to_string(index=False))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--out", type=Path, default=Path("held_out.jsonl"))
    parser.add_argument("--show", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--only", nargs="*", default=[], help="parts of names")
    parser.add_argument("--sizes", nargs="*", type=int, default=list(STUDIES))
    parser.add_argument("--by", nargs="*", default=["rank", "score"])
    parser.add_argument("--all", action="store_true", help="up to 40 alternatives instead of twelve")
    parser.add_argument("--nstar", action="store_true", help="only how often intervals of n* hold")
    parser.add_argument("--quick", action="store_true", help="five studies of each")
    given = parser.parse_args()
    if given.show:
        return show(given.show)
    tables = [*ours(), *(others(given.folder) if given.folder else [])]
    if given.nstar:
        for one in tables:
            if not given.only or any(part in one.name for part in given.only):
                print(one.name, {kernel: round(share, 3) for kernel, share in nstar_held(one).items()}, flush=True)
        return None
    populations = [*made_up(), *tables, *incomplete(tables)]
    populations = [one for one in populations if not given.only or any(part in one.name for part in given.only)]
    key = ["population", "by", "n", "k"]
    known = [json.loads(line) for line in given.out.open(encoding="utf-8")] if given.out.exists() else []
    known = {tuple(row[part] for part in key) for row in known}
    with ProcessPoolExecutor(given.processes) as pool, given.out.open("a", encoding="utf-8") as out:
        jobs = [
            pool.submit(measure, *cell, given.seed, 5 if given.quick else STUDIES[cell[2]])
            for cell in cells(populations, given.sizes, given.all, given.by)
            if (cell[0].name, *cell[1:]) not in known
        ]
        for done, job in enumerate(as_completed(jobs), 1):
            row = job.result()
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(
                f"{done}/{len(jobs)}", *(f"{key}={value}" for key, value in row.items() if "_" not in key), flush=True
            )


if __name__ == "__main__":
    main()
