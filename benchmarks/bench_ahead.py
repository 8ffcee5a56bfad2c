"""Before and during a study: how far off plans are, what looking costs, and whether fewer experiments say the same.

``OMP_NUM_THREADS=1 python benchmarks/bench_ahead.py [plan] [watch] [lite]`` prints the tables of docs/accuracy.md; plan
and lite need the published tables (``GENEXPY_NB_DATA`` or a network). Four minutes on one core.

plan: six tables, each left out once: is the number planned from the others within a factor of two of what studies drawn
from the table itself need, or their range around it? The same of what half of a table says about the other half.
watch: 2,000 studies of 100 experiments, looked at after each.
lite: a quarter of the experiments and a third of the alternatives are kept away; is the number that is shown what is
found on these, which no choice has seen?
"""

import argparse
import warnings

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


def plans(n_alternatives: int = 6) -> pd.DataFrame:
    """Compare what is planned from five tables with what the sixth needs."""
    own = published()
    like = ["encoders", "fewshot", "mteb", "replicates", *own.values()]
    names, rows = [*like[:4], *own], []
    for ask, probability in QUESTIONS:
        tables = gx.plan_study(like, n_alternatives, ask, probability).tables
        for i, name in enumerate(names):  # what `plan_study` says of the others, without drawing them again
            need, others = tables["n"][i], tables.drop(index=i)
            planned, low, high = of_a_new_table(others, SMALLEST[ask])
            row = {"ask": ask, "probability": probability, "table": name, "needs": need, "planned": planned}
            row |= {"low": low, "high": high}
            row["within_2"] = planned == need or max(planned / need, need / planned) <= 2
            row["in_range"] = row["low"] <= need <= row["high"]
            rows.append(row | {"drawn": tables["share"][i] >= probability})
    return pd.DataFrame(rows)


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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["plan", "watch", "lite"])
    warnings.simplefilter("ignore")
    pd.set_option("display.width", 200, "display.max_columns", 30)
    parts = {"plan": [plans, pilots], "watch": [watching, skewed, power, leader], "lite": [lites]}
    for part in parser.parse_args().parts:
        for measure in parts[part]:
            print(measure().round(3).to_string(), "\n", flush=True)
