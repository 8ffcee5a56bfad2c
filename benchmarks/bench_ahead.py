"""Before and during a study: how far off plans are, what looking costs, and whether fewer experiments say the same.

``OMP_NUM_THREADS=1 python benchmarks/bench_ahead.py [plan] [watch] [lite] [next]`` prints the tables of
docs/accuracy.md; all but watch need the published tables (``GENEXPY_NB_DATA`` or a network). Five minutes on one core.

plan: six tables, each left out once: is the number planned from the others within a factor of two of what studies drawn
from the table itself need, or their range around it? The same of further tables, planned from the six (``--fresh``
names a folder of CSV files: an experiment a row, a method a column, higher is better), and of what half of a table says
about the other half.
watch: 2,000 studies of 100 experiments, looked at after each.
lite: a quarter of the experiments and a third of the alternatives are kept away; is the number that is shown what is
found on these, which no choice has seen?
"""

import argparse
import itertools
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import genexpy_nb as gx
from genexpy_nb.common.random import stream
from genexpy_nb.conclusions.shortening import SMALLEST, shorten
from genexpy_nb.conclusions.watching import e_process, look_at
from genexpy_nb.study.planning import TABLES, of_a_new_table

N_STUDIES, N_EXPERIMENTS, LEVEL = 2000, 100, 0.05
QUESTIONS = (("winner", 0.5), ("winner", 0.8), ("regret", 0.9), ("order", 0.8), ("order", 0.9))
N_CLUSTERED = 5  # experiments in a cluster


def published() -> dict[str, gx.Study]:
    """Return studies of the two published tables."""
    encoders = gx.datasets.load_encoders("original")
    bigbench = gx.datasets.load_bigbench("original")
    return {
        "published encoders": gx.Study(
            encoders,
            alternatives="encoder",
            target="cv_score",
            generalize_over="dataset",
            design=["model", "tuning", "scoring"],
        ),
        "BIG-bench": gx.Study(
            bigbench,
            alternatives="model_family_model_name",
            target="score_value",
            generalize_over=["task_name", "subtask_description"],
            design=["number_of_shots"],
        ),
    }


def plans(n_alternatives: int = 6, fresh: str | None = None) -> pd.DataFrame:
    """Compare what is planned from five tables with what the sixth needs, and from all six with what others need."""
    own = published()
    others = {file.stem: gx.Study.from_wide(pd.read_csv(file)) for file in sorted(Path(fresh or "-").glob("*.csv"))}
    like = ["encoders", "fewshot", "mteb", "replicates", *own.values(), *others.values()]
    names, rows = [*like[:4], *own, *others], []
    for ask, probability in QUESTIONS:
        tables = gx.plan_study(like, n_alternatives, ask, probability).tables
        for i, name in enumerate(names):  # what `plan_study` says of the others, without drawing them again
            need, n_experiments = tables.loc[i, ["n", "n_experiments"]]
            planned, low, high = of_a_new_table(tables.iloc[:6].drop(index=i, errors="ignore"), SMALLEST[ask])
            row = {"ask": ask, "probability": probability, "fresh": i >= 6, "table": name, "needs": need}
            row |= {"n_experiments": n_experiments, "planned": planned, "low": low, "high": high}
            row["within_2"] = planned == need or max(planned / need, need / planned) <= 2
            rows.append(row | {"in_range": low <= need <= high, "drawn": tables["share"][i] >= probability})
    found = pd.DataFrame(rows)
    print(
        found.groupby(["fresh", "ask", "probability"])[["within_2", "in_range"]].agg(["sum", "size"]).to_string(), "\n"
    )
    return found


def pilots(n_alternatives: int = 6, n_repetitions: int = 2) -> pd.DataFrame:
    """Compare what is planned from half of a table with what the other half needs."""
    studies = {}
    for name, (loader, alternatives, target, over, design) in TABLES.items():
        frame = getattr(gx.datasets, loader)(*["bundled"] * (loader in ("load_encoders", "load_bigbench")))
        over, average = list(over), ["split"] if name == "replicates" else []
        roles = {"alternatives": alternatives, "target": target, "over": over, "average": average}
        studies[name] = gx.Study(frame, **roles, design=list(design))
    rows = []
    for name, study in (studies | published()).items():
        experiments = max((study.scores(one).index for one in study.configurations), key=len)
        for i in range(n_repetitions):
            mixed = experiments[stream(7, i).permutation(len(experiments))]
            halves = [study.select(experiments=list(part)) for part in (mixed[::2], mixed[1::2])]
            for ask, probability in (("winner", 0.5), ("regret", 0.9), ("order", 0.8)):
                first, second = (gx.plan_study(half, n_alternatives, ask, probability, rng=i) for half in halves)
                within = first.n == second.n or max(first.n / second.n, second.n / first.n) <= 2
                row = {"table": name, "ask": ask, "planned": first.n, "low": first.low, "high": first.high}
                row |= {"needs": second.n, "within_2": within, "in_range": first.low <= second.n <= first.high}
                rows.append(row)
    return pd.DataFrame(rows)


def draw(world: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Draw scores without effects, whose differences have variance 1, shape (..., N, k)."""
    if world == "t(3)":
        return rng.standard_t(3, shape) / np.sqrt(6)
    if world == "0/1":
        return rng.integers(0, 2, shape) * np.sqrt(2)
    if world.startswith("clusters"):
        n_clusters = -(-shape[-2] // N_CLUSTERED)
        shared = rng.normal(size=(*shape[:-2], n_clusters, shape[-1])).repeat(N_CLUSTERED, axis=-2)[..., : shape[-2], :]
        return (shared + rng.normal(size=shape)) / 2
    if world == "exponential":
        return rng.exponential(size=shape) / np.sqrt(2)
    return rng.normal(size=shape) / np.sqrt(2)


def watching(k: int = 6) -> pd.DataFrame:
    """Say how often anything false was said in studies of equals, and what was found where one leads."""
    rows = []
    for number, world in enumerate(("normal", "t(3)", "0/1", "clusters", "clusters, ignored")):
        for signs in (False, True):
            false = np.zeros((N_STUDIES, 2))
            for i in range(N_STUDIES):
                n = N_EXPERIMENTS * (1 if world != "clusters" else N_CLUSTERED)
                scores = draw(world, (n, k), stream(1, number, i))
                if world == "clusters":  # one value per cluster: the mean
                    scores = scores.reshape(-1, N_CLUSTERED, k).mean(axis=1)
                looks = look_at(scores, LEVEL, signs)
                false[i] = [not np.isnan(looks.left[0]), not np.isnan(looks.decided).all()]
            rows.append([world, "signs" if signs else "means", *false.mean(axis=0)])
    return pd.DataFrame(rows, columns=["world", "by", "best left", "a pair told apart"])


def skewed() -> pd.DataFrame:
    """Say how often differences with mean 0 and a long tail to the other side are taken for a lead."""
    rows = []
    for signs in (False, True):
        differences = 1 - stream(2).exponential(size=(N_EXPERIMENTS, N_STUDIES))
        differences -= 0 if not signs else 1 - np.log(2)  # median 0
        rows.append(
            [
                "signs, median 0" if signs else "means, mean 0",
                (e_process(differences, signs).max(axis=0) >= 1 / LEVEL).mean(),
            ]
        )
    return pd.DataFrame(rows, columns=["exponential differences", "false"])


def power(effects: tuple[float, ...] = (0.3, 0.5, 0.8)) -> pd.DataFrame:
    """Say how often, and when, a lead is found in a pair, beside one-sided t tests at fixed sizes."""
    rows = []
    for world in ("normal", "t(3)", "0/1"):
        for effect in effects:
            shape = (N_STUDIES, N_EXPERIMENTS, 2)
            differences = np.diff(draw(world, shape, stream(3)), axis=2)[..., 0].T + effect
            if world == "0/1":  # one is right more often, by the effect in standard deviations
                p = 0.5 + effect / (2 * np.sqrt(2))
                right = stream(3).random((2, N_EXPERIMENTS, N_STUDIES))
                differences = (right[0] < p).astype(float) - (right[1] < 1 - p)
            row: dict = {"world": world, "effect": effect}
            for signs in (False, True):
                reached = e_process(differences, signs) >= 1 / LEVEL
                found = reached.any(axis=0)
                when = np.where(found, reached.argmax(axis=0) + 1.0, np.inf)
                row |= {"signs" if signs else "means": found.mean(), f"median, {signs=}": np.median(when)}
            for n in (20, 40, N_EXPERIMENTS):
                p_values = stats.ttest_1samp(differences[:n], 0, alternative="greater").pvalue
                row[f"fixed {n}"] = (p_values <= LEVEL).mean()
            rows.append(row)
    return pd.DataFrame(rows)


def leader(n_studies: int = 200) -> pd.DataFrame:
    """Say how many contenders are left where one of ten leads by .8 standard deviations of a difference."""
    from genexpy_nb.conclusions.contenders import compare_all

    left = np.zeros((n_studies, 3, 2))
    for i in range(n_studies):
        scores = draw("normal", (N_EXPERIMENTS, 10), stream(4, i))
        scores[:, 0] += 0.8
        looks = look_at(scores, LEVEL)
        for j, n in enumerate((20, 40, N_EXPERIMENTS)):
            left[i, j] = (~(looks.left <= n)).sum(), compare_all(scores[:n], LEVEL).contend.sum()
    return pd.DataFrame(left.mean(axis=0), [20, 40, N_EXPERIMENTS], ["looked at after each", "fixed beforehand"])


def lites(n_repetitions: int = 40) -> pd.DataFrame:
    """Compare what is shown with what is found on experiments and alternatives that were kept away."""
    bundled, own = gx.datasets, published()
    encoders = bundled.load_encoders("bundled")
    encoders = encoders[(encoders["model"] == encoders["model"][0]) & (encoders["scoring"] == "AUC")]
    encoders = encoders[encoders["tuning"] == encoders["tuning"].iloc[0]]
    shots = own["BIG-bench"].scores({"number_of_shots": 0})
    shots = shots.loc[:, shots.notna().mean() > 0.8].dropna()
    tables = {
        "mteb, 183 models": (
            bundled.load_mteb().pivot(index="task", columns="model", values="score").dropna(axis=1),
            12,
        ),
        "encoders": (encoders.pivot(index="dataset", columns="encoder", values="cv_score").dropna(axis=1), 12),
        "BIG-bench, 120 subtasks": (shots.iloc[stream(5).permutation(len(shots))[:120]], 20),
    }
    rows = []
    for name, (table, k) in tables.items():
        values, found = table.to_numpy(), []
        for i in range(n_repetitions):
            rng = stream(6, i)
            rows_, columns = rng.permutation(len(values)), rng.permutation(values.shape[1])
            fresh, known = np.split(rows_, [len(rows_) // 4])
            new, old = np.split(columns, [len(columns) // 3])
            shown = shorten(values[np.ix_(known, old)], k, "rank", i)
            ranks = stats.rankdata(values[:, new], axis=1)

            def tau(some, ranks=ranks, fresh=fresh):
                return stats.kendalltau(ranks[some].mean(axis=0), ranks[fresh].mean(axis=0)).statistic

            at_random = np.mean([tau(rng.permutation(known)[:k]) for _ in range(20)])
            seen = stats.rankdata(values[np.ix_(known, old)], axis=1)
            own_table = stats.kendalltau(seen[shown.chosen].mean(axis=0), seen.mean(axis=0)).statistic
            found.append([own_table, shown.agreement, tau(known[shown.chosen]), shown.at_random, at_random])
        means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(n_repetitions)
        difference = np.subtract(*np.transpose(found)[1:3])
        rows.append([name, k, *means, errors[2], difference.mean(), difference.std() / np.sqrt(n_repetitions)])
    names = ["on its own table", "shown", "fresh", "random shown", "random fresh", "se fresh", "shown - fresh", "se"]
    return pd.DataFrame(rows, columns=["table", "k", *names])


def leads(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Return t of how far each row is ahead of each column, shape (k, k), for scores (n, k); and when it is enough."""
    n, k = rows.shape
    apart = rows[:, :, None] - rows[:, None, :]
    spread = np.maximum(apart.std(axis=0, ddof=1), 1e-9)
    return apart.mean(axis=0) / spread * np.sqrt(n), float(stats.t.ppf(1 - LEVEL / (k - 1), n - 1))


def gains(ranks: np.ndarray, known: np.ndarray, run: list[int], left: np.ndarray) -> np.ndarray:
    """Return how much each experiment that is left is expected to shrink the set of contenders.

    Expected from a ridge regression of the lead on what is known of the experiment: ranks of earlier methods.
    """
    t, enough = leads(ranks[run])
    contend = np.flatnonzero(t.max(axis=0) < enough)
    first = contend[ranks[run][:, contend].mean(axis=0).argmax()]
    apart = ranks[:, [first]] - ranks[:, contend[contend != first]]
    seen, n = apart[run], len(run)
    x = known - known[run].mean(axis=0)
    fit = x[run].T @ x[run] + n * np.trace(np.cov(known[run].T)) / x.shape[1] * np.eye(x.shape[1])
    slope = np.linalg.solve(fit, x[run].T @ (seen - seen.mean(axis=0)))
    told = seen.mean(axis=0) + x[left] @ slope
    error = (seen - seen.mean(axis=0) - x[run] @ slope).var(axis=0)
    mean = (seen.sum(axis=0) + told) / (n + 1)
    squares = ((seen - seen.mean(axis=0)) ** 2).sum(axis=0) + (told - seen.mean(axis=0)) ** 2 * n / (n + 1) + error
    then = mean / np.sqrt(np.maximum(squares / n, 1e-9)) * np.sqrt(n + 1)
    return (stats.norm.cdf(then - enough) - stats.norm.cdf(t[first, contend[contend != first]] - enough)).sum(axis=1)


def which_next(n_repetitions: int = 200, k: int = 10, n_first: int = 10) -> pd.DataFrame:
    """Spend the price of 15 experiments at random, on the cheapest, or where most contenders should fall per price.

    Also where all are made equal by taking off their means: each of these may be the best, and leaves wrongly.
    """
    own, bundled, rows = published(), gx.datasets.load_mteb(), []
    shots = own["BIG-bench"].scores({"number_of_shots": 0})
    shots = shots.loc[:, shots.notna().mean() > 0.8].dropna()
    encoders = own["published encoders"]
    tables = {
        "mteb": bundled.pivot(index="task", columns="model", values="score").dropna(axis=1),
        "BIG-bench, 120 subtasks": shots.iloc[stream(5).permutation(len(shots))[:120]],
        "published encoders": max(
            (encoders.scores(one).dropna(axis=1) for one in encoders.configurations), key=np.size
        ),
    }
    for seed, (name, table), unequal, same in itertools.product((8, 9), tables.items(), *[(False, True)] * 2):
        found = []
        for i in range(n_repetitions):
            rng = stream(seed, i)
            columns = rng.permutation(table.shape[1])
            ranks, known = (
                stats.rankdata(table.to_numpy()[:, some], axis=1) for some in (columns[:k], columns[k : 2 * k])
            )
            best = ranks.mean(axis=0).argmax()
            ranks -= same * ranks.mean(axis=0)
            order = rng.permutation(len(ranks))
            prices = np.exp(rng.normal(size=len(ranks))) if unequal else np.ones(len(ranks))
            for how in ("at random", "cheapest", "expected"):
                run, left, money = list(order[:n_first]), order[n_first:], 15 * prices.mean()
                while len(left):
                    t, enough = leads(ranks[run])
                    if (t.max(axis=0) < enough).sum() == 1:
                        break
                    worth = {"at random": -np.arange(len(left)), "cheapest": -prices[left]}
                    at = (worth[how] if how in worth else gains(ranks, known, run, left) / prices[left]).argmax()
                    money -= prices[left[at]]
                    if money < 0:
                        break
                    run.append(left[at])
                    left = np.delete(left, at)
                t, enough = leads(ranks[run])
                contend = t.max(axis=0) < enough
                found.append([how, contend.sum(), contend[best], len(run)])
        frame = pd.DataFrame(found, columns=["how", "contenders left", "best is one", "experiments"])
        means = frame.groupby("how", sort=False).mean(numeric_only=False).astype(float)
        means = means.assign(table=name, prices="unequal" if unequal else "equal", methods="equal" if same else "as is")
        rows.append(means.reset_index().assign(seed=seed))
    return pd.concat(rows).set_index(["table", "methods", "prices", "how", "seed"]).unstack("seed")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["plan", "watch", "lite", "next"])
    parser.add_argument("--fresh")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    pd.set_option("display.width", 200, "display.max_columns", 30)
    parts = {
        "plan": [partial(plans, fresh=asked.fresh), pilots],
        "watch": [watching, skewed, power, leader],
        "lite": [lites],
        "next": [which_next],
    }
    for part in asked.parts:
        for measure in parts[part]:
            print(measure().round(3).to_string(), "\n", flush=True)
