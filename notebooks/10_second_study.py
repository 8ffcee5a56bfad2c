# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["slide"]
# # Would a second study conclude the same?
#
# *Beyond* [Generalizability of Experimental Studies](https://arxiv.org/abs/2406.17374v3)*: several random factors, and the agreement of conclusions. The questions are the paper's, the
# methods of this notebook are ours.*
#
# The paper's number n\* says how many experiments make two studies find similar *results*. Two questions stay open. Would the second study also draw the same
# *conclusion*, and crown the same winner? And what if it differs in more than its datasets: in its models, its prompts, its tasks?
#
# **You will learn** what "enough experiments" is enough for; how to tell what datasets, models, tasks and seeds each contribute to the difference between two
# studies; what a larger budget should buy; how sure a study can be, wrongly, if it counts one factor of two; and what an interval from .2 to 1 says.
#
# **You need** n\* and kernels, from notebook 01 or the first half of notebook 02, and to know what an analysis of variance is. Notebook 11 has the derivations.
#
# **Time** 60 minutes to read, 165 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
source: str = "auto"  # encoders and BIG-bench: original (published), bundled (this project's own runs), or auto
alternative: str = "OHE"  # encoder whose rank the Borda question asks about
scoring: str = "BACC"  # metric of the encoder study: ACC, AUC, BACC or F1
shots: int = 2  # solved examples in BIG-bench
minimum: int = 10  # BIG-bench: take the tasks with so many subtasks or more
k: int = 10  # size of the top of the leaderboard
alpha: float = 0.95  # generalizability wanted: probability that two studies agree, in (0, 1)
delta: float = 0.05  # tolerance: how different results may be and still agree, in (0, 1]
confidence: float = 0.95  # of the intervals, in (0, 1)
dataset_price: float = 1.0  # of one more dataset, for the cheapest design
model_price: float = 5.0  # of one more model behind the encoders
task_price: float = 10.0  # of one more task; a subtask costs 1
split_price: float = 0.1  # of one more random split of a dataset; a dataset costs dataset_price
prompts: int = 3  # levels of the second factor in the simulated studies, at least 2
n_pairs: int = 400  # simulated pairs of studies per size
n_tables: int = 12  # simulated tables per world
seed: int = 0  # seed of everything random

# %% [markdown]
# ## Setup

# %%
import warnings

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters.second_study import OURS, agreement_by_method, fixed_factor, measured_methods
from genexpy_nb.common import exercises, page
from genexpy_nb.common.checks import check_count
from genexpy_nb.common.page_tables import written_number
from genexpy_nb.common.prose import WORDS, as_written, percent, say, span, verbatim
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.plots import second_study as figures

gx.plots.use_style()
warnings.simplefilter("ignore", gx.StudyWarning)  # a study says them itself when it is shown
prompts, n_tables = check_count("prompts", prompts, 2), check_count("n_tables", n_tables, 2)


# %%
def interval(row):
    """An interval of agreements as text."""
    low, high = (f"{round(float(row[end]), 2) + 0.0:.2f}" for end in ("low", "high"))  # adding 0 makes 0 of -0
    return f"{low} to {high}".replace("-", "−")


def with_interval(star):
    """An n* with its interval as text."""
    return "{} ({} to {})".format(*(written_number(star[name], 0) for name in ("nstar", "low", "high")))


def holds(low, high, truth):
    """Whether intervals hold a truth that is simulated, to within .01."""
    return (low <= truth + 0.01) & (truth - 0.01 <= high)


def conclusions(study, asked, sizes, **options):
    """Agreement of several conclusions, one below the other: a label, the conclusion, its options."""
    frames = [
        study.agreement(which, sizes, **more, **options, confidence=confidence, rng=seed).assign(conclusion=label)
        for label, (which, more) in asked.items()
    ]
    found = pd.concat(frames, ignore_index=True)
    return found.assign(interval=found.apply(interval, axis=1))


# %% [markdown]
# ## Four tables

# %%
leaderboard = gx.datasets.load_mteb()
tasks_of_model = leaderboard.dropna(subset="score").groupby("model")["task"].nunique()
complete = tasks_of_model.index[tasks_of_model == leaderboard["task"].nunique()]
leaderboard = leaderboard[leaderboard["model"].isin(complete)]
roles = {"alternatives": "model", "target": "score", "generalize_over": "task", "higher_is_better": True}
mteb = gx.Study(leaderboard, **roles)
by_type = gx.Study(leaderboard, **roles, cluster="task_type")

# %%
encoders = gx.datasets.load_encoders(source)
gx.datasets.notice(encoders)

# %%
untuned = encoders[(encoders["tuning"] == "no") & (encoders["scoring"] == scoring)]
models_of_dataset = untuned.groupby("dataset")["model"].nunique()
crossed = models_of_dataset.index[models_of_dataset == untuned["model"].nunique()]
roles = {"alternatives": "encoder", "target": "cv_score", "generalize_over": "dataset", "design": ["model"]}
roles |= {"fixed": {"tuning": "no", "scoring": scoring}, "higher_is_better": True, "missing": "worst-rank"}
encoding = gx.Study(untuned[untuned["dataset"].isin(crossed)], **roles)

# %%
bigbench = gx.datasets.load_bigbench(source)
gx.datasets.notice(bigbench)

# %%
rows = bigbench[bigbench["number_of_shots"] == shots].dropna(subset="score_value")
rows = rows[rows["subtask_description"] != rows["task_name"]]  # averages of the others: notebook 03
rows = rows.rename(columns={"task_name": "task", "subtask_description": "subtask"})
matrix = rows.pivot(index=["task", "subtask"], columns="model_family_model_name", values="score_value")
matrix = matrix[matrix.groupby("task").transform("size") >= minimum]
matrix = matrix[matrix.columns[matrix.notna().mean() >= 0.95]].dropna()
matrix = matrix[matrix.groupby("task").transform("size") >= minimum]
each = int(matrix.groupby("task").size().min())
balanced = matrix.sample(frac=1, random_state=seed).groupby("task").head(each).sort_index()
subtasks = gx.Study.from_wide(balanced)
tasks = gx.Study.from_wide(balanced.reset_index("task"), cluster="task")
n_tasks = balanced.index.get_level_values("task").nunique()
largest = matrix.groupby("task").size().idxmax()
one_task = gx.Study.from_wide(matrix.loc[largest])

# %%
replicates = gx.datasets.load_replicates()
roles = {"alternatives": "encoder", "target": "score", "design": ["model"], "higher_is_better": True}
by_split = gx.Study(replicates, generalize_over=["dataset", "split"], **roles)
n_datasets, n_splits = replicates["dataset"].nunique(), replicates["split"].nunique()

# %% [markdown]
# Everything here is computed from four tables of results ([table](#table-tables)). The leaderboard and our own runs are in this repository. The other two are the published tables, or
# this project's own runs of the same shape; the notices above say which.

# %%
N, n_mteb = leaderboard["task"].nunique(), len(mteb.alternatives)
n_crossed, n_models = len(crossed), untuned["model"].nunique()
published_bigbench = bigbench.attrs["source"] == "original"
bigbench_name = "BIG-bench" if published_bigbench else "our own runs of BIG-bench's shape"
systems = "language models" if published_bigbench else "few-shot classifiers"
repeated = f"{n_datasets} datasets, {n_splits} splits of each, behind each of {replicates['model'].nunique()} models"
names = [f"{n_mteb} text embedding models", f"{len(encoding.alternatives)} categorical encoders"]
names += [f"{balanced.shape[1]} {systems}", f"{replicates['encoder'].nunique()} categorical encoders"]
drawn = [f"{N} tasks, in {leaderboard['task_type'].nunique()} task types", f"{n_crossed} datasets × {n_models} models"]
drawn += [f"{n_tasks} tasks, {each} subtasks of each", repeated]
labels = ["MTEB, English: a leaderboard", "encoder benchmark", "BIG-bench", "own runs with new random splits"]
page.show_table(
    pd.DataFrame({"compared": names, "drawn": drawn}, index=pd.Index(labels, name="table")),
    "tables",
    "The four tables, as they are used here.",
    {"compared": "what is compared", "drawn": "drawn at random"},
)

# %% [markdown]
# Of MTEB only models with a score in every task count. Of the encoders only untuned runs count, on datasets with results of all models. Of BIG-bench: tasks with at least `minimum`
# subtasks, models with results in 95 % of these or more, and rows in which all of them have one; where tasks are compared, as many subtasks of each, drawn at random.

# %% [markdown] tags=["slide"]
# ## First: who may be the best, and what it costs to rely on that
#
# Before asking whether another study would agree, ask what this one can tell. Which models may be the best? And what do you lose if you take the one that leads? The first question is asked of each model
# against all others at once ([table](#table-contenders)). For the second, every task is left out in turn, and the others choose ([table](#table-regret)).

# %%
contenders = {"mean rank": mteb.contenders(), "mean score": mteb.contenders(by="score")}
places = mteb.regret([1, 3, k])
leaders = {by: frame.index[0] for by, frame in contenders.items()}
page.show_table(
    pd.DataFrame(
        {
            by: {
                "first": leaders[by],
                "may be the best": int(frame["may_be_best"].sum()),
                "the first is behind the best by at most": -frame["low"].iloc[0],
                "and ahead of the second by at most": frame["high"].iloc[0],
            }
            for by, frame in contenders.items()
        }
    ).T.rename_axis("by"),
    "contenders",
    f"MTEB, {n_mteb} models, {N} tasks: who may be the best (95 % confidence), and the gap of the first one to the best of the others, in mean ranks or in the score. By mean score, gaps hold less often than they should where a few tasks decide.",
    forms=dict.fromkeys(["the first is behind the best by at most", "and ahead of the second by at most"], 3),
)

# %%
page.show_table(
    places.set_index("top")[["regret", "of_contender", "of_alternative", "score_regret", "worst"]],
    "regret",
    "What the best of the first 1, 3 or 10 models loses against the best of all, on a task that was left out, in places. Beside it: one of the contenders, and any model, drawn at random.",
    {
        **{"top": "of the first", "regret": "places behind", "of_contender": "a contender at random"},
        **{"of_alternative": "any model at random", "score_regret": "behind in score", "worst": "worst on"},
    },
    {"regret": 1, "of_contender": 1, "of_alternative": 1, "score_regret": 3},
)

# %%
may = {by: int(frame["may_be_best"].sum()) for by, frame in contenders.items()}
say(
    f"{may['mean rank']} models may be the best by mean rank, {may['mean score']} by mean score; the other {n_mteb - may['mean rank']} are ruled out by mean rank. On a task that was left out, the model that leads the others is "
    f"{places['regret'].iloc[0]:.0f} places behind the best one there, and the best of the first {k} only {places['regret'].iloc[-1]:.0f}. Any model, taken at random, is {places['of_alternative'].iloc[0]:.0f} places behind. "
    "So the table is worth following, and no single model is worth naming."
)

# %% [markdown]
# ## Two questions, not one
#
# n\* compares *distributions of results*. If every task has another winner, a second study with other tasks will also find that every task has another winner: the
# results are alike, and n\* is moderate. A reader who asks *which model should I take?* wants something else. For a conclusion $T$, such as the alternative with
# the best mean, two independent studies $X$ and $Y$ of $n$ experiments agree with probability
#
# $$A_n = \Pr\bigl(T(X) = T(Y)\bigr), \qquad X, Y \sim \mathbb{P}^n .$$

# %% [markdown]
# > Aside: If studies are too small for any test to be significant, all their verdicts agree. Agreement alone is no merit.
#
# Not all conclusions are all or nothing: of the best $k$ it is the overlap that counts, of a whole order Kendall's tau, of tests the share of pairs with the same verdict.
# The agreement is known as an *interval*: it holds the agreement in every world in which studies would look like the one that was run. An *estimate* is shown where it lies inside.

# %% [markdown]
# ### The leaderboard

# %%
asked = {
    "winner by mean score": ("winner", {"by": "score"}),
    "winner by mean rank": ("winner", {}),
    f"top {k} (overlap)": ("top-k", {"k": k}),
    "whole order (tau)": ("order", {}),
    "verdicts of tests": ("tiers", {}),
}
sizes = sorted({5, 10, N // 2, N, 2 * N, 4 * N})
of_mteb = conclusions(mteb, asked, sizes)
jaccard, mallows, borda = gx.JaccardKernel(k=1), gx.MallowsKernel(), gx.BordaKernel(alternative)
enough = mteb.nstar([jaccard, mallows], alpha, delta, confidence=confidence).set_index("kernel")
at_hand = of_mteb[of_mteb["n"] == N].set_index("conclusion")
winner, order, star = at_hand.loc["winner by mean score"], at_hand.loc["whole order (tau)"], enough.loc[jaccard.name]
verdict = WORDS[gx.plan(enough.loc[[jaccard.name]])["verdict"].iloc[0]]

# %%
question = {jaccard.name: "who wins a task?", mallows.name: "in which order?"}
say(
    f'For "who wins a task?" n\\* is {with_interval(star)}, for "in which order?" {with_interval(enough.loc[mallows.name])} (nominal {percent(confidence)} intervals): the {N} tasks are {verdict} for alike '
    "*results* of the first kind. What two such studies *conclude* is in [figure](#figure-agreement), for studies of all sizes."
)

# %%
page.show_figure(
    figures.agreement_curves(of_mteb, observed=N),
    "agreement",
    "MTEB: how far two studies of n new tasks each draw the same conclusion. Winner: the probability. Overlap: the share of the best that both have. Tau: 1 for equal orders, 0 for "
    f"unrelated ones. Verdicts: the share of pairs of which the tests say the same. Band: every agreement that the table does not rule out (nominal {percent(confidence)}). Line: an estimate, where it lies in the band.",
    f"With {N} tasks the intervals are, "
    + "; ".join(f"for {name.replace(' (', ', ').rstrip(')')}, {interval(row)}" for name, row in at_hand.iterrows())
    + ".",
)

# %%
top, ranked = at_hand.loc[f"top {k} (overlap)"], at_hand.loc["winner by mean rank"]
say(
    f"Would {N} other tasks name the same winner? The probability is {interval(winner)} by mean score and {interval(ranked)} by mean rank. "
    f"The best {k} overlap by {interval(top)}, and the order has a tau of {interval(order)}. A paper may report a conclusion as far as the low end goes: the order with its tau, "
    "the top group with its overlap, a best model only if the table says so. n\\* does not contradict that: it never asked.",
)

# %% [markdown]
# Are tasks independent experiments? They belong to types, such as retrieval or semantic textual similarity, and a study that draws other *types* may differ from this one by
# more than a study with other tasks of the same types.

# %%
worth = by_type.design_effect([jaccard, mallows], alpha, delta, confidence=confidence)
n_types = int(worth["n_clusters"].iloc[0])
columns = ["n_effective", "n_effective_low", "n_effective_high", "nstar", "nstar_low", "nstar_high"]
page.show_table(
    worth.set_index(worth["kernel"].map(question).rename("n* asks"))[columns],
    "types",
    f"MTEB: what the {N} tasks are worth if they belong to {n_types} types, and how many types two studies need to find alike results. Intervals of nominal {percent(confidence)}.",
    {
        **{"n_effective": "worth, in independent tasks", "n_effective_low": "from", "n_effective_high": "to"},
        **{"nstar": "n*, in task types", "nstar_low": "from", "nstar_high": "to"},
    },
    dict.fromkeys(columns, 1),
)

# %%
few_types = by_type.agreement("winner", n_types, by="score", confidence=confidence, rng=seed).iloc[0]
of_order = worth.set_index("kernel").loc[mallows.name]
say(
    f"For the order, the {N} tasks are worth {of_order['n_effective']:.0f} independent ones (nominal {percent(confidence)} interval {of_order['n_effective_low']:.0f} to {of_order['n_effective_high']:.0f}). "
    f"Two studies of {n_types} other types name the same winner by mean score with a probability of {interval(few_types)}. {n_types} groups are few for any interval."
)

# %% [markdown]
# ### The encoder benchmark: one model at a time, and for new models
#
# Notebook 02 asks [for each model how many datasets are needed](02_encoders.ipynb#which-configurations-need-more-datasets-and-how-many). Here is the answer again, with the agreement beside it ([table](#table-encoders)).

# %%
of_models = encoding.nstar(jaccard, alpha, delta, confidence=confidence).set_index("model")
asked_of_encoders = {"winner": ("winner", {}), "top 3": ("top-k", {"k": 3}), "order": ("order", {})}
of_each = {
    model: conclusions(encoding, asked_of_encoders, [n_crossed], configuration={"model": model})
    for model in of_models.index
}
one_model = pd.concat(of_each, names=["model"]).reset_index("model")
both = conclusions(
    encoding, asked_of_encoders, [{"dataset": n_crossed, "model": n_models}], factors=["dataset", "model"]
)
texts = pd.concat([one_model, both.assign(model="any (drawn anew)")])
beside = texts.pivot(index="model", columns="conclusion", values="interval")[list(asked_of_encoders)]
beside.insert(0, "nstar", of_models.apply(with_interval, axis=1).reindex(beside.index))
page.show_table(
    beside.rename_axis(None, axis=1),
    "encoders",
    'n\\* of "who wins?" and, right of it, how far two studies of as many datasets agree: the same winner (probability), the best three (overlap), the whole order (tau), by mean rank. '
    f"Intervals of nominal {percent(confidence)}. In the last row the second study draws its models anew, too, as many as this one.",
    {"nstar": f"n* ({n_crossed} datasets at hand)"},
)

# %%
pair = both.set_index("conclusion")
say(
    f"By n\\*, {int((of_models['high'] <= n_crossed).sum())} of {len(of_models)} models have enough datasets; whether two studies name the same winner is another matter. "
    f"For new models and new datasets that probability is {pair.loc['winner', 'interval']}, and tau {pair.loc['order', 'interval']}."
)

# %% [markdown]
# ### BIG-bench: one task with many subtasks, or many tasks
#
# A task of BIG-bench is a set of subtasks. A second study may draw other subtasks of the same task, or other tasks. [Table](#table-bigbench) has both.

# %%
n_subtasks = len(matrix.loc[largest])
of_task = conclusions(one_task, asked_of_encoders, [n_subtasks])
of_tasks = conclusions(tasks, asked_of_encoders, [n_tasks, 2 * n_tasks])
stars = [
    with_interval(study.nstar(jaccard, alpha, delta, confidence=confidence).iloc[0]) for study in (one_task, tasks)
]
names = {n: f"{n} tasks, {each} subtasks each" for n in (n_tasks, 2 * n_tasks)}
one_name = f"{n_subtasks} subtasks of {largest}"
lines = pd.concat([of_task.assign(study=one_name), of_tasks.assign(study=of_tasks["n"].map(names))])
lines = lines.pivot(index="study", columns="conclusion", values="interval").loc[[one_name, *names.values()]]
lines = lines[list(asked_of_encoders)]
lines.insert(0, "nstar", [f"{stars[0]} subtasks", f"{stars[1]} tasks", None])
page.show_table(
    lines.rename_axis(None, axis=1),
    "bigbench",
    'As [table](#table-encoders), for BIG-bench: n\\* of "who wins?", and how far two studies of that size agree.',
    {"nstar": "n*"},
)

# %%
alone, together = (frame.set_index(["conclusion", "n"]) for frame in (of_task, of_tasks))
say(
    f"In `{largest}` alone, two studies of {n_subtasks} subtasks have a tau of {interval(alone.loc[('order', n_subtasks)])}. Over tasks, {n_tasks} of "
    f"them, tau is {interval(together.loc[('order', n_tasks)])}. These are answers to two questions, and only the second is about more than one task."
)

# %% [markdown] tags=["slide"]
# ## Several random factors
#
# A benchmark of encoders evaluates them on datasets, *behind* models. A reader has other datasets and perhaps another model. Then $n$ datasets times $m$ models are not $n \cdot m$
# experiments. Two studies that draw both anew have an expected squared distance (MMD, notebook 01) of
#
# $$\mathbb{E}\,\mathrm{MMD}^2 = 2 \left( \frac{V_A}{n} + \frac{V_B}{m} + \frac{V_{AB}}{n\,m} \right),$$
#
# > Aside: The components are those of an analysis of variance, computed from the Gram matrix: for any question that has a kernel.
#
# with a variance component for each factor and one for their interaction. Nested factors, such as subtasks in tasks, have two components, $2\,(V_A / n + V_{B(A)} / (n m))$. They give
# the probability that two studies find alike results, the $n$-generalizability, for every $n$ and $m$. [The figure](#figure-components) has them for the encoder benchmark.

# %%
kernels = {"who wins?": jaccard, "in which order?": mallows, f"where is {alternative}?": borda}
over_models = {
    asking: encoding.components(kernel, ["dataset", "model"], confidence=confidence, rng=seed)
    for asking, kernel in kernels.items()
}
parts = pd.concat({asking: found.table for asking, found in over_models.items()}, names=["group"]).reset_index("group")
shares = parts.set_index(["group", "component"])["share"]
interaction, of_model, of_dataset = (
    shares.xs(component, level="component") for component in ("dataset x model", "model", "dataset")
)
page.show_figure(
    figures.component_bars(parts),
    "components",
    f"The encoder benchmark: what makes the results of two experiments differ that share neither dataset nor model. Left: shares; right: variance components with intervals of nominal {percent(confidence)}.",
    f"The dataset makes {span(100 * of_dataset, '{:.0f}', ' %')} of the sum, the model {span(100 * of_model, '{:.0f}', ' %')}, their interaction the rest.",
)

# %%
notes = [found.note for found in over_models.values() if found.note]
say(
    f"The interaction of dataset and model makes {span(100 * interaction, '{:.0f}', ' %')} of the sum. Of two factors it is divided by both sizes: a study with more levels of either reduces it. "
    "The model's own part is divided by the number of models only, and no number of datasets reduces it.",
    f"About the estimates: {verbatim('; '.join(dict.fromkeys(notes)))}." if notes else "",
)

# %% [markdown]
# ### What a larger budget should buy
#
# With prices, the cheapest design is a matter of search. [Figure](#figure-design-encoders) shows generalizability for every number of datasets and models, solid where it reaches α,
# and dashed where the low end of its interval does; [figure](#figure-design-bigbench) does so for tasks, and subtasks in each of them.

# %%
prices = {"dataset": dataset_price, "model": model_price}
crossed_found = over_models["who wins?"]
cheapest = crossed_found.cheapest(alpha, delta, prices)
in_tasks = subtasks.components(jaccard, ["task", "subtask"], nested=True, confidence=confidence, rng=seed)
nested_prices = {"task": task_price, "subtask": 1.0}
cheapest_tasks = in_tasks.cheapest(alpha, delta, nested_prices)
by_low = {"encoders": cheapest, "BIG-bench": cheapest_tasks}
sure = {name: frame.set_index("by").loc["low"] for name, frame in by_low.items()}
sentences = {
    "encoders": f"{{dataset:.0f}} datasets × {{model:.0f}} models (there are {n_crossed} × {n_models})",
    "BIG-bench": f"{{task:.0f}} tasks × {{subtask:.0f}} subtasks of each (there are {n_tasks} × {each})",
}
design_texts = {
    name: text.format(**sure[name]) if np.isfinite(sure[name]["price"]) else "none within 1,000 levels of each"
    for name, text in sentences.items()
}

# %%
chart = crossed_found.map([5, 8, 10, 12, 15, 20, 30, 40, 60], range(1, 11), delta)
page.show_figure(
    figures.design_map(chart, ["dataset", "model"], alpha, crossed_found.sizes, prices, cheapest),
    "design-encoders",
    'The encoder benchmark, "who wins?": the probability that two studies of so many datasets and models find alike winners. Dotted lines join designs of the same price, '
    f"if a dataset costs {as_written(dataset_price)} and a model {as_written(model_price)}. The cheapest design whose interval lies above α: {design_texts['encoders']}.",
    f"The cheapest design is {design_texts['encoders']}.",
)

# %%
chart = in_tasks.map([2, 3, 4, 6, 8, 10, 15, 20, 30], [2, 4, 6, 8, 11, 16, 25, 40], delta)
page.show_figure(
    figures.design_map(chart, ["task", "subtask"], alpha, in_tasks.sizes, nested_prices, cheapest_tasks, nested=True),
    "design-bigbench",
    f'BIG-bench, "who wins?": the same over tasks, and subtasks in each of them, if a task costs {as_written(task_price)} and a subtask in it 1. '
    f"The cheapest design whose interval lies above α: {design_texts['BIG-bench']}.",
    f"The cheapest design is {design_texts['BIG-bench']}.",
)

# %% [markdown]
# That is about distributions of results. Does a larger budget also decide who is *best*? [The table](#table-budget) tries larger designs.

# %%
doubled = [
    {"dataset": n_crossed, "model": n_models},
    {"dataset": 2 * n_crossed, "model": n_models},
    {"dataset": n_crossed, "model": 2 * n_models},
    {"dataset": 4 * n_crossed, "model": 4 * n_models},
]
buys = conclusions(encoding, asked_of_encoders, doubled, factors=["dataset", "model"])
buys["design"] = [f"{row.dataset:.0f} datasets × {row.model:.0f} models" for row in buys.itertuples()]
bought = buys.pivot(index="design", columns="conclusion", values="interval").loc[buys["design"].unique()]
page.show_table(
    bought[list(asked_of_encoders)].rename_axis(None, axis=1),
    "budget",
    f"The encoder benchmark: agreement of two studies that draw datasets and models anew, by mean rank, with intervals of nominal {percent(confidence)}. The first row is the design at hand.",
)

# %%
now, then = bought.iloc[0], bought.iloc[-1]
say(
    f"With sixteen times as many cells, two studies would name the same winner with a probability of {then['winner']}; tau, now {now['order']}, would be "
    f"{then['order']}. What the study at hand does not know, such as which encoder leads and by how much, it cannot promise of a larger one."
)

# %% [markdown] tags=["slide"]
# ## What fixed factors hide
#
# A study that uses three prompts, or one model, and a hundred datasets, and counts the datasets, answers: *would other datasets, with these prompts, say the same?* A reader who
# has other prompts asks something else.
#
# > Aside: How much merit, prompts and datasets count in this world stands in the code.
#
# In a simulated world the truth is known: four methods, scored on datasets with prompts, where a prompt suits one method more than another.


# %%
def simulated(rng, n, m):
    """Scores of four methods on n datasets with m prompts, shape (n * m, 4)."""
    merit, of_prompt = np.linspace(0.45, 0, 4), rng.normal(0, 0.8, (1, m, 4))
    return (merit + of_prompt + rng.normal(0, 0.4, (n, 1, 4)) + rng.normal(0, 0.6, (n, m, 4))).reshape(-1, 4)


epsilon = mallows.epsilon(delta, 4)
counts = [5, 10, 20, 50, 100]
similar, same_winner = np.zeros((2, len(counts)))
rng = np.random.default_rng(seed)
for i, n in enumerate(counts):
    for _ in range(n_pairs):
        pair_of_studies = [rank_scores(simulated(rng, n, prompts), higher_is_better=True) for _ in range(2)]
        gram = mallows.gram(np.vstack(pair_of_studies))
        cut = n * prompts
        similar[i] += gx.generalization.mmd(gram[:cut, :cut], gram[cut:, cut:], gram[:cut, cut:]) <= epsilon
        first, second = (study.mean(axis=0).argmin() for study in pair_of_studies)
        same_winner[i] += first == second
similar, same_winner = similar / n_pairs, same_winner / n_pairs

# %% [markdown]
# Now one table of 40 datasets with as many prompts, several times. What does each predict for studies of other sizes, counting datasets only, and counting both?
# [Figure](#figure-prompts) has both answers, and the truth.

# %%
wanted = [{"dataset": n, "prompt": prompts} for n in counts]
index = pd.MultiIndex.from_product([range(40), range(prompts)], names=["dataset", "prompt"])
said, winners = [], []
for number in range(n_tables):
    study = gx.Study.from_wide(pd.DataFrame(simulated(rng, 40, prompts), index, columns=list("abcd")))
    found = study.components(mallows, ["dataset", "prompt"], confidence=confidence, rng=seed)
    only = found.generalizability(wanted, delta, same=["prompt"])["estimate"]
    said.append(found.generalizability(wanted, delta).assign(one_factor=only, table=number))
    averaged = gx.Study.from_wide(pd.DataFrame(study.rankings()).groupby("dataset").mean(), higher_is_better=False)
    one = averaged.agreement("winner", counts[-1:], by="score", confidence=confidence, rng=seed).iloc[0]
    two = study.agreement("winner", wanted[-1:], factors=["dataset", "prompt"], confidence=confidence, rng=seed).iloc[0]
    winners.append([holds(each["low"], each["high"], same_winner[-1]) for each in (one, two)])
said = pd.concat(said)

# %% tags=["slide"]
typical = said.groupby("dataset")[["one_factor", "estimate"]].mean()
lines_of_world = typical.rename(columns={"estimate": "predicted"}).rename_axis("n").reset_index().assign(truth=similar)
claimed, predicted = lines_of_world[["one_factor", "predicted"]].iloc[-1]
page.show_figure(
    fixed_factor(lines_of_world, ["dataset", "prompt"], prompts),
    "prompts",
    '"In which order?" in the simulated world. Squares: counting datasets only; crosses: counting both; means over the simulated tables. Diamonds: the truth, from simulated pairs of studies.',
    f"With {counts[-1]} datasets and {prompts} prompts, counting datasets says {claimed:.2f}, counting both {predicted:.2f}, and the truth is {similar[-1]:.2f}.",
)

# %%
end = said[said["dataset"] == counts[-1]]
held = holds(end["low"], end["high"], similar[-1]).mean()
held_one, held_both = np.mean(winners, axis=0)
say(
    f"With {counts[-1]} datasets and {prompts} prompts, counting datasets promises {claimed:.2f}; the truth is {similar[-1]:.2f}. Counting both, a table predicts "
    f"{predicted:.2f} on average, and the interval holds the truth in {percent(held)} of {n_tables} tables. Its ends are {end['low'].mean():.2f} and "
    f"{end['high'].mean():.2f} on average: that is what {prompts} prompts tell about prompts.",
    f"The winner is the same in {percent(same_winner[-1])} of the pairs of studies with {counts[-1]} datasets. The interval that counts datasets only holds that in {percent(held_one)} of the tables, "
    f"the one that counts both in {percent(held_both)}.",
)

# %% [markdown]
# On a real table the truth is not known, but both answers can be computed. [Figure](#figure-one-task) has them for one task of BIG-bench, with more and more subtasks.

# %%
more_subtasks = [{"task": 1, "subtask": n} for n in (5, 10, 20, 50, 100, 200)]
with_new_task = in_tasks.generalizability(more_subtasks, delta)
with_same_task = in_tasks.generalizability(more_subtasks, delta, same=["task"])
worst = with_new_task.rename(columns={"subtask": "n", "estimate": "predicted"})
worst = worst.assign(one_factor=with_same_task["estimate"])
last = worst.iloc[-1]
page.show_figure(
    fixed_factor(worst, ["subtask", "task"], 1),
    "one-task",
    f'BIG-bench, "who wins?": studies of one task. Squares: both studies take the same task. Crosses, with interval of nominal {percent(confidence)}: each draws its own.',
    f"With {last['n']:.0f} subtasks: {last['one_factor']:.2f} for the same task, {last['predicted']:.2f} for tasks of their own.",
)

# %%
say(
    f"{last['n']:.0f} subtasks of one task make two studies agree with a probability of {last['one_factor']:.2f}, if only subtasks are counted. With another task in the second study it is "
    f"{last['predicted']:.2f} (nominal {percent(confidence)} interval {interval(last)}); with {worst['n'].iloc[-3]:.0f} subtasks it is {worst['predicted'].iloc[-3]:.2f}."
)

# %% [markdown]
# ## The split or the dataset: what is the noise?
#
# Most benchmarks evaluate once per dataset: one split, one seed.
#
# > Aside: Split 3 of one dataset has nothing to do with split 3 of another: splits are nested in datasets.
#
# In our own runs each dataset was split anew ten times, the same splits for all encoders. [Figure](#figure-splits) shows
# how much of the difference between two experiments is due to the split.

# %% tags=["slide"]
nested = {
    model: by_split.components(
        jaccard, ["dataset", "split"], nested=True, configuration={"model": model}, confidence=confidence, rng=seed
    )
    for model in sorted(replicates["model"].unique())
}
of_splits = pd.concat({model: found.table for model, found in nested.items()}, names=["group"]).reset_index("group")
split_shares = of_splits.loc[of_splits["component"] == "split in dataset", "share"]
page.show_figure(
    figures.component_bars(of_splits),
    "splits",
    f'"Who wins?" behind each of the models: what is due to the dataset, and what to the split of it. Left: shares; right: variance components with intervals of nominal {percent(confidence)}.',
    f"Behind each of the models, the split makes {span(100 * split_shares, '{:.0f}', ' %')} of the variance.",
)

# %%
price_of_split = {"dataset": dataset_price, "split": split_price}
one = [found.cheapest(alpha, delta, price_of_split, fixed={"split": 1}).iloc[0] for found in nested.values()]
best = [found.cheapest(alpha, delta, price_of_split).iloc[0] for found in nested.values()]
one, best = (
    pd.DataFrame(rows, index=pd.Index(nested, name="model"))[["dataset", "split", "price"]] for rows in (one, best)
)
page.show_table(
    pd.concat({"one split of each": one.drop(columns="split"), "cheapest design": best}, axis=1),
    "split-designs",
    f"What it takes for two studies to find alike winners (α = {as_written(alpha)}, δ = {as_written(delta)}), by the estimate, if a dataset costs {as_written(dataset_price)} and each split "
    f"of it {as_written(split_price)}: with one split of each dataset, and the cheapest design.",
    {"dataset": "datasets", "split": "splits of each"},
    {"price": 1, "dataset": 0, "split": 0},
)

# %%
averages = gx.Study(replicates, generalize_over=["dataset"], average_over=["split"], **roles)
single = gx.Study(replicates[replicates["split"] == 0].drop(columns="split"), generalize_over=["dataset"], **roles)
lows = {
    name: [
        study.agreement("order", n_datasets, {"model": model}, confidence=confidence, rng=seed)["low"].iloc[0]
        for model in nested
    ]
    for name, study in (("single", single), ("averages", averages))
}
saved = (1 - best["price"] / one["price"]).max()
say(
    f'In a single evaluation the split is {span(100 * split_shares, "{:.0f}", " %")} of the variance of "who wins?", depending on the model ({", ".join(map(verbatim, nested))}). '
    f"If one more split costs {as_written(split_price)} and one more dataset {as_written(dataset_price)}, the cheapest design is up to {percent(saved)} cheaper than one split of many datasets. "
    "The part of the datasets is left, whatever the number of splits: a study of few datasets stays one.",
    f"For the order, the low end of Kendall's tau is {span(lows['averages'], '{:.2f}')} with {n_splits} splits, and {span(lows['single'], '{:.2f}')} with one.",
)

# %% [markdown]
# ## What an interval from .2 to 1 means
#
# The interval of a winner is often as wide as that. It is no failure of the method.
#
# > Aside: An interval that misses the truth by less than .01 counts as holding it, since the truth is simulated, too.
#
# Ten methods, 30 experiments: in one world all methods are equal and somebody has to be first; in
# the other, one method is ahead by .6 standard deviations. [The table](#table-worlds) has simulated tables from either, with the truth beside the interval.


# %%
def table_of(rng, n, n_methods, lead):
    """Scores in n experiments; the first method is ahead by so many standard deviations."""
    return pd.DataFrame(rng.normal(0, 1, (n, n_methods)) + lead * (np.arange(n_methods) == 0))


worlds = {
    "all equal": (30, 10, 0.0),
    "one leader": (30, 10, 0.6),
    "one leader, four times the experiments": (120, 10, 0.6),
    "one leader, three methods": (30, 3, 0.6),
}
rng = np.random.default_rng([seed, 1])
summary, seen = {}, {}
for name, (n, n_methods, lead) in worlds.items():
    means = lead * (np.arange(n_methods) == 0) + rng.normal(0, n**-0.5, (2, 20_000, n_methods))
    truth = np.equal(*means.argmax(axis=-1)).mean() if lead else 1 / n_methods
    frames = [
        gx.conclusions.agreement_of_table(
            table_of(rng, n, n_methods, lead), "winner", n, by="score", confidence=confidence, rng=seed
        )
        for _ in range(n_tables)
    ]
    seen[name] = pd.concat(frames).assign(truth=truth)
    inside = holds(seen[name]["low"], seen[name]["high"], truth)
    summary[name] = {
        "truth": truth,
        **{"least": seen[name]["estimate"].min(), "most": seen[name]["estimate"].max()},
        **{"low": seen[name]["low"].mean(), "high": seen[name]["high"].mean(), "inside": inside.mean()},
    }
page.show_table(
    pd.DataFrame(summary).T.rename_axis("world"),
    "worlds",
    f"The same winner, by mean score, in two studies of that size: the true probability, and what {n_tables} simulated tables of each world say. Ends of the intervals (nominal {percent(confidence)}) are means.",
    {
        **{"least": "lowest estimate", "most": "highest estimate", "low": "interval from", "high": "to"},
        "inside": "intervals that hold the truth",
    },
    {"inside": percent},
)

# %%
equal, leading = seen["all equal"], seen["one leader"]
lucky = int((equal["high"] > leading["truth"].iloc[0]).sum())
more, fewer = seen["one leader, four times the experiments"], seen["one leader, three methods"]
width = {name: (frame["high"] - frame["low"]).mean() for name, frame in seen.items()}
say(
    f"In the first world the winner is luck, and a second study confirms it in {percent(equal['truth'].iloc[0])} of cases; in the second it does in {percent(leading['truth'].iloc[0])}. Yet in {lucky} of {n_tables} tables of the "
    "first world the interval reaches the truth of the second: a lucky leader among equals looks like one that is really ahead. **An interval from .2 to 1 says: this table is what a study would look like "
    "whose winner will be confirmed nearly always, and also what a study would look like whose winner is one of several equals.**",
    f"What makes it shorter? More experiments: with four times as many its width is {width['one leader, four times the experiments']:.2f} on average, instead of {width['one leader']:.2f}. Fewer alternatives in the race: with three methods it is "
    f"{width['one leader, three methods']:.2f}, if the three were named before the data were seen. And a question that does not hang on one place: the overlap of the best, the order, or two alternatives that somebody has to choose between.",
)

# %% [markdown]
# ### Which estimator, and why this one
#
# Nine ways to estimate the agreement from one table were compared in eight worlds: halves held constant, an extrapolation of smaller parts, the bootstrap (plug-in), posteriors with a
# normal, a t, a horseshoe and a nonparametric prior, the projection of a joint confidence set, and the one used here. `benchmarks/bench_agreement.py` simulates, the package keeps what it found for 10 alternatives and 30 experiments;
# `docs/second_study.md` has the derivations, the other settings, and the limits. [The figure](#figure-methods) has one of the settings.

# %% tags=["hide-input"]
methods = measured_methods()
shown = methods[(methods["conclusion"] == "winner by mean rank") & (methods["n"] == 30)]
held_by = shown.groupby("method")["coverage"].min()
page.show_figure(
    agreement_by_method(shown),
    "methods",
    "The same winner by mean rank in two studies of 30 experiments, from one study of 30. Bias and root mean square error of the estimate, how often the nominal 95 % interval held, and how "
    "wide it was. Bold: it held in less than 90 %.",
    f"In the world that is worst for it, the interval used here holds in {percent(held_by[OURS])} of the simulated tables; those of the other methods in {span(100 * held_by.drop(OURS), '{:.0f}', ' %')}.",
)

# %%
lowest = methods.groupby("method")["coverage"].min()
good, failing = lowest[lowest >= 0.85], lowest[lowest < 0.85]
typical = methods[methods["n"] == 30].groupby("method")[["rms", "width"]].median()
say(
    f"Over all worlds, conclusions and sizes, the coverage of {len(failing)} of the {len(lowest)} intervals falls below 85 % somewhere, to {span(failing, '{:.2f}')} at worst. "
    f"The others are: {', '.join(map(verbatim, good.index))} ({span(good, '{:.2f}')} at worst). The intervals of the projection have a median width of "
    f"{typical.loc['projection', 'width']:.2f} for two studies of 30 experiments, those used here {typical.loc[OURS, 'width']:.2f}. "
    f"The price is a noisy estimate: a root mean square error of {typical.loc[OURS, 'rms']:.2f} at the median, where a normal prior has {typical.loc['normal', 'rms']:.2f}. So this page reads the interval.",
)

# %%
need = {
    "the order with a tau of .95": mteb.experiments_for("order", 0.95, confidence=confidence, rng=seed),
    f"nine tenths of the top {k}": mteb.experiments_for("top-k", 0.9, k=k, confidence=confidence, rng=seed),
    "the same winner by mean score, in 90 % of studies": mteb.experiments_for(
        "winner", 0.9, by="score", confidence=confidence, rng=seed
    ),
}
heads = {"low": "by the upper end", "n": "by the estimate", "high": "by the low end"}
page.show_table(
    pd.DataFrame(need).T[list(heads)].rename_axis("to agree on"),
    "needed",
    f"MTEB: tasks that two studies need to agree so far, by both ends of the interval and by the estimate. Sizes up to {100 * N:,} tasks were looked at.",
    heads,
    dict.fromkeys(heads, lambda n: f"{n:,.0f}" if np.isfinite(n) else f"> {100 * N:,}"),
)

# %% [markdown]
# ## Advice: which number for which claim
#
# | you want to claim | report | beware of |
# |---|---|---|
# | "on experiments like these, results look like this" | n\* with its interval, `study.nstar` | it says nothing about who is best on average |
# | "A is best" | `study.contenders()`: A alone; `study.regret()` | a lead that one experiment decides; `study.leave_one_out` |
# | "A is better than B", named beforehand | `study.compare("A", "B")`: the difference, and whether another study would find it, too | pairs that were chosen because they differ |
# | "these are the leading methods" | `study.agreement("top-k")`, `study.tiers` | a k that was chosen to look good |
# | "this is the order" | `study.agreement("order")`: tau | a tau of .9 still exchanges neighbours |
# | "for other models (prompts, judges), too" | `study.components`, `study.agreement(..., factors=[...])` | two or three levels: the interval is wide, and that is the finding |
# | "on other domains, too" | `Study(..., cluster="domain")`, `study.design_effect` | counting related datasets one by one |
# | "we need more experiments" | `components.cheapest`, `study.experiments_for` | more datasets where more models, tasks or prompts are needed |

# %% [markdown]
# ## The answer in short


# %%
def keep(name, label, *values, **more):
    """Keep an estimate with its interval, or a single number, with two decimals."""
    page.key_number(name, label, *values, **{"decimals": 2} | more)


ends = ["estimate", "low", "high"]
nstar, worth_ends = ["nstar", "low", "high"], ["n_effective", "n_effective_low", "n_effective_high"]
in_tasks_unit = {"unit": "tasks", "decimals": 1}
keep("nstar-winners", 'MTEB: n* of "who wins a task?"', *star[nstar], **in_tasks_unit)
keep("nstar-order", 'MTEB: n* of "in which order?"', *enough.loc[mallows.name, nstar], **in_tasks_unit)
independent = "MTEB: independent tasks that its tasks are worth, for the order"
keep("worth-order", independent, *of_order[worth_ends], **in_tasks_unit)
keep("mteb-winner-score", "MTEB: probability of the same winner by mean score", *winner[ends])
keep("mteb-top", f"MTEB: overlap of the best {k}", *top[ends])
keep("mteb-order", "MTEB: Kendall's tau of the orders", *order[ends])
for name, label in (("winner", "probability of the same winner"), ("order", "Kendall's tau")):
    keep(f"encoders-{name}", f"encoders, for new models and datasets: {label}", *pair.loc[name, ends])
keep("bigbench-one-task-order", "BIG-bench, its largest task: tau", *alone.loc[("order", n_subtasks), ends])
keep("bigbench-tasks-order", "BIG-bench, over tasks: Kendall's tau", *together.loc[("order", n_tasks), ends])
keep("mteb-contenders", "MTEB: models that may be the best, by mean rank", may["mean rank"], decimals=0)
keep("mteb-regret", "MTEB: places lost by choosing the leader, on a left-out task", places["regret"].iloc[0])
for name, factors in (("encoders", ["dataset", "model"]), ("BIG-bench", ["task", "subtask"])):
    for factor in factors:
        said = f"{name}: {factor}s of the cheapest design that is large enough by its low end"
        design = f"design-{name.replace('-', '').lower()}-{factor}s"
        keep(design, said, sure[name][factor], unit=f"{factor}s", decimals=0)
keep("same-task", "BIG-bench: probability that two studies of the same task agree", last["one_factor"])
keep("own-task", "BIG-bench: the same, each with a task of its own", *last[["predicted", "low", "high"]])
keep("prompts-claimed", "simulated world: agreement by counting datasets only", claimed)
keep("prompts-truth", "simulated world: true agreement", similar[-1])
of_split = "own runs: share of the split in the variance, median over models, smallest and largest"
keep("split-share", of_split, split_shares.median(), split_shares.min(), split_shares.max())

# %% tags=["hero", "slide"]
two = ["winner by mean score", "whole order (tau)"]
page.show_figure(
    figures.agreement_curves(of_mteb[of_mteb["conclusion"].isin(two)], observed=N),
    "answer",
    f"A leaderboard of {n_mteb} models: how far two studies of n new tasks each agree. Left: probability that they name the same winner. Right: Kendall's tau of their orders, 1 if they are equal, "
    f"0 if unrelated. Band: every agreement that the table does not rule out (nominal {percent(confidence)}); the line is an estimate, where it lies in the band. All five conclusions: [figure](#figure-agreement).",
    f"With {N} tasks the probability of the same winner may be anything from {interval(winner)}; tau of the orders is {interval(order)}.",
)

# %% tags=["findings", "slide"]
page.show_findings(
    page.Finding(
        f"{may['mean rank']} of {n_mteb}",
        f"models of a leaderboard may be the best; the one that leads is {places['regret'].iloc[0]:.0f} places behind the best on a task that was left out, one taken at random {places['of_alternative'].iloc[0]:.0f}",
        f"95 % confidence · {N} tasks · the same winner again: probability {interval(winner)} · the best of the first {k}: {places['regret'].iloc[-1]:.0f} places behind",
    ),
    page.Finding(
        f"{last['one_factor']:.2f} → {last['predicted']:.2f}",
        f"probability that two studies of {last['n']:.0f} subtasks of a task find alike winners: first if both use the same task, then if *each has a task of its own*"
        f"; with {worst['n'].iloc[-3]:.0f} subtasks the second is {worst['predicted'].iloc[-3]:.2f}",
        f"the second: nominal {percent(confidence)} interval {interval(last)}, from {n_tasks} tasks of {bigbench_name}",
    ),
    page.Finding(
        span(100 * split_shares, "{:.0f}", " %"),
        "of the variance of *which method wins* in a single experiment is due to the random split of a dataset, not to the dataset",
        f"our own runs: {replicates['encoder'].nunique()} encoders of categories behind {len(nested)} models, {n_datasets} datasets, {n_splits} splits of each",
    ),
)

# %% [markdown]
# ## Checks
#
# Numbers that matter, with the tolerance that each deserves, and what the text says without a number.

# %%
assert in_tasks.table["share"].sum() == 1 or np.isclose(in_tasks.table["share"].sum(), 1)
for frame in (of_mteb, one_model, both, of_task, of_tasks, buys):
    assert (frame["low"] <= frame["high"]).all()
assert last["one_factor"] >= last["predicted"]  # another task makes studies less alike
assert (split_shares > 0.5).all()  # the split is the larger part
assert n_splits == 10 and methods["method"].nunique() == 9 and methods["world"].nunique() == 8  # as the text says
assert may["mean rank"] < 0.1 * n_mteb and places["regret"].iloc[0] < places["of_alternative"].iloc[0] / 5
if (alpha, delta, confidence) == (0.95, 0.05, 0.95):
    np.testing.assert_allclose(enough.loc[jaccard.name, "nstar"], 31.1, atol=0.1)
    assert star["high"] <= N and winner["low"] < 0.5 < winner["high"]  # enough, and the winner is open
if prompts <= 3 and n_pairs >= 200:
    assert lines_of_world["one_factor"].iloc[-1] > 0.95 > similar[-1] + 0.1  # confident, and wrong
    assert abs(lines_of_world["predicted"].iloc[-1] - similar[-1]) < 0.2

# %% [markdown]
# ## Summary
#
# - n\* is about distributions of results, agreement is about conclusions. A study can have enough experiments for the one, and be far from the other.
# - What was varied can be generalized over; what was fixed cannot, however many experiments there are of the rest.
# - Components say what to buy. Most of the noise may be where nobody looks, in the split or in the task.
# - A winner is the most fragile conclusion. Who may be the best, and what it costs to take the one that leads, can be said even where its agreement is open.

# %%
page.show_key_numbers(
    "All key numbers of this page, as they stand in the file beside it. An agreement has an estimate only where it lies in its interval."
)

# %% [markdown]
# ## Exercises
#
# On what makes two studies agree, and on what to buy if they do not.

# %% [markdown] tags=["exercise", "slide"]
# ### 1. Equals
#
# *Understanding · 5 minutes.* Ten methods are equally good: in each experiment one of them wins, each with probability 1/10, whatever happened in the others. Two studies of
# $n$ experiments each are run, and $n$ grows without end. To what does the probability tend that their *results* are alike, whatever δ > 0? And the probability that they name the same *winner*, the
# method with the most wins? Assign both, in this order, as a list to `answer_1`, to two decimals.

# %% tags=["solution"]
answer_1 = [1.0, 1 / 10]

# %% tags=["check"]
exercises.check(
    "10-1",
    answer_1,
    "iczbpyu36au4gc6aju",
    decimals=2,
    hint="The first question is about two histograms of wins. The second is about which column of each is the highest.",
    wrong={
        "iczbo43ppgt7vn4jdi": "More experiments bring a leader out, but only if there is one. Which of ten equals is ahead, if only by a little?",
        "iczbojyru4hzcb3m7m": "The winners of two studies may differ while the shares of wins become as alike as one likes.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** In a large study each method wins close to a tenth of the experiments: two such studies are as alike as one likes, and n-generalizability tends to 1. Some method still has a few
# wins more than the others. By symmetry it is each of the ten with the same probability, in either study, and the studies are independent: they name the same one with probability
# 10 · (1/10)² = 1/10. A large enough study for n\* need not be large enough for a winner, and here no study is.

# %% [markdown] tags=["exercise"]
# ### 2. The same number of cells
#
# *Application · 10 minutes.* A question has the components $V_A = 0.3$ (datasets), $V_B = 0.1$ (models) and $V_{AB} = 0.6$, and the factors are crossed. What is the expected squared distance of two
# studies that draw both factors anew, with 40 datasets × 1 model each? With 10 datasets × 4 models? And to what does the first tend as the number of datasets grows without end, behind one model?
# Assign the three numbers as a list to `answer_2`, to three decimals.


# %% tags=["solution"]
def squared_distance(n, m):
    return 2 * (0.3 / n + 0.1 / m + 0.6 / (n * m))


answer_2 = [squared_distance(40, 1), squared_distance(10, 4), 2 * 0.1]

# %% tags=["check"]
exercises.check(
    "10-2",
    answer_2,
    "2ufn4dfelnozdkvlg2oq",
    decimals=3,
    hint="Each component is divided by the number of levels over which it is averaged, and there are two studies.",
    wrong={
        "2ue5ydrjmkq54f2233qa": "There are two studies, and both differ from the truth: which factor is missing?",
        "2ufn4d544flgmuaovuwq": "That takes 40 cells for 40 independent experiments. Those behind the same model are related.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** 2 (0.3/40 + 0.1 + 0.6/40) = 0.245, and 2 (0.3/10 + 0.1/4 + 0.6/40) = 0.140: 40 evaluations either way, and the interaction is divided by 40 either way. With one model its own part, 0.1, is divided by
# nothing, and 0.2 is left whatever the number of datasets. What limits a study need not be the largest component. Here it is the one that is divided by the smallest number.

# %% [markdown] tags=["exercise"]
# ### 3. More prompts, or more datasets?
#
# *Application · 15 minutes.* The simulated world of [figure](#figure-prompts) again. The mean score of each of its four methods, over $n$ datasets with $m$ prompts, is normal about its merit (0.45, 0.30, 0.15 or 0) with variance
# $0.8^2/m + 0.4^2/n + 0.6^2/(nm)$, independent of the others'. With which probability do two studies name the same winner by mean score, with 3 prompts and 100 datasets, with 20 prompts and 100 datasets, and
# with 3 prompts and 10,000 datasets? Assign the three probabilities as a list to `answer_3`, to two decimals. (Simulate 100,000 pairs of studies or more, from these means.)


# %% tags=["solution"]
def same_name(n, m, n_pairs=200_000):
    draws = np.random.default_rng(0).normal(size=(2, n_pairs, 4))
    means = np.array([0.45, 0.3, 0.15, 0]) + draws * np.sqrt(0.8**2 / m + 0.4**2 / n + 0.6**2 / (n * m))
    return np.equal(*means.argmax(axis=-1)).mean()


answer_3 = [same_name(100, 3), same_name(100, 20), same_name(10_000, 3)]

# %% tags=["check"]
exercises.check(
    "10-3",
    answer_3,
    "vyxhdzmbm3g22xwgay5a",
    decimals=2,
    hint="Draw four means for each of two studies, take the position of the largest in each, and count how often it is the same.",
)

# %% [markdown] tags=["explanation"]
# **Why.** With 3 prompts, the part of the prompts is 0.213 in the variance of a mean, all others together 0.003 (100 datasets): a hundred times the datasets change nothing that one would see, and 20 prompts change a lot. Numerical
# integration gives 0.306, 0.505 and 0.307. For the order, run the notebook again with `prompts = 10` and `n_pairs = 100`: with 100 datasets, the answer that counts datasets only is 1.00 as before, and now it is true; the interval that counts
# both, 0.08 to 0.97 on average with 3 prompts, is 0.92 to 1.00. The winner takes more prompts than the order.

# %% [markdown] tags=["exercise"]
# ### 4. Splits or datasets
#
# *Application · 15 minutes.* In a nested design the datasets have the component $V_A = 0.2$, the splits of a dataset $V_{B(A)} = 0.8$. A dataset costs 1, and each split of it, the first included, 0.1. The money is given, and it is
# enough for many datasets. How many splits of each dataset make the expected squared distance smallest? Assign a whole number to `answer_4`.

# %% tags=["solution"]
splits = np.arange(1, 101)
answer_4 = int(splits[np.argmin((0.2 + 0.8 / splits) * (1 + 0.1 * splits))])

# %% tags=["check"]
exercises.check(
    "10-4",
    answer_4,
    "e7c5ju5b7t2l5ey",
    hint="For m splits, how many datasets can be paid for? Put that number into the formula for nested factors, and compare several m.",
    wrong={
        "e7nngr3qowdmgpy": "One split of many datasets: but another split costs a tenth of another dataset, and has the larger component.",
        "e54n4my56wwtg7a": "Did you leave the prices out, or take the root of 0.8 / 0.2 alone?",
        "e64hp6iyz4qw7ta": "Many splits of few datasets: the part of the datasets is divided by the number of datasets only.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** A budget $B$ pays for $n = B / (1 + 0.1\,m)$ datasets, so the distance is proportional to $(0.2 + 0.8/m)(1 + 0.1\,m)$: 1.10 for one split, 0.533 for 6, 0.534 for 7, 0.56 for 10. The budget cancels. Setting the
# derivative to zero gives $m = \sqrt{(V_{B(A)} / V_A) \cdot (1 / 0.1)} = \sqrt{40} \approx 6.3$: the square root of the ratio of the components times the ratio of the prices. It is the rule by which notebook 08 finds how many compositions a
# system should get.

# %% [markdown] tags=["exercise"]
# ### 5. The top of the leaderboard
#
# *Application · 15 minutes.* Is a smaller top harder to confirm? The agreement on a top of $k$ models can also be large because $k$ is: two orders drawn at random overlap, too. For $k = 3$ and for $k = 10$, take the low end of the interval that
# `mteb.agreement("top-k", 41, k=k, rng=0)` gives for two studies of 41 tasks, and subtract the expected overlap of the best $k$ in two random orders of as many models. Assign both differences as a list to `answer_5`, to two decimals.

# %% tags=["solution"]
n_all = len(mteb.alternatives)
lows_5 = {3: mteb.agreement("top-k", 41, k=3, rng=0)["low"].iloc[0], 10: top["low"]}
answer_5 = [low - size / n_all for size, low in lows_5.items()]

# %% tags=["check"]
exercises.check(
    "10-5",
    answer_5,
    "qlod3mw2tyibnad5wq",
    decimals=2,
    hint="How many of my k models does a random choice of k from all contain? `len(mteb.alternatives)` says how many there are.",
    wrong={"qljdhfo7l6a4pujx6i": "These are the low ends themselves: what chance gives is still in them."},
)

# %% [markdown] tags=["explanation"]
# **Why.** Each of my $k$ models is among a random $k$ of 183 with probability $k / 183$: an overlap of 0.016 for 3, 0.055 for 10, and one half for half of all models, which would be no merit. The low ends are 0.31 and 0.70, so
# 0.29 and 0.65 remain: yes, here the smaller top is the harder one to confirm. Whoever chooses $k$ after seeing such numbers chooses the claim, too. Name it beforehand.

# %% [markdown] tags=["exercise"]
# ### 6. Fifty more evaluations
#
# *Project · 45 minutes.* A benchmark has ten datasets from each of five domains, and there is money for fifty more. On a dataset, method A is ahead of B by 0.3 in the mean over everything; the lead varies between domains with a
# standard deviation of 0.5, and between datasets of a domain with one of 1, both normal. Plans: (a) ten more datasets from each of the five domains; (b) one dataset from each of fifty new domains; (c) ten from each
# of five new domains. A study names the method whose plain mean over all 100 datasets is higher. Another study follows the same plan, with domains and datasets of its own. With which probability
# do both name the same method? Simulate or calculate the three, and assign them as a list to `answer_6`, to two decimals. Then write down, in three sentences, which of these numbers you would need for your own benchmark, and how
# `study.design_effect` and `study.components` help to get them.

# %% tags=["solution"]
from scipy.stats import norm

plans = {"a": [20] * 5, "b": [10] * 5 + [1] * 50, "c": [10] * 10}  # datasets of each domain
variances = np.array([0.5**2 * np.sum(np.square(n)) / np.sum(n) ** 2 + 1 / np.sum(n) for n in plans.values()])
ahead = norm.cdf(0.3 / np.sqrt(variances))
answer_6 = list(ahead**2 + (1 - ahead) ** 2)

# %% tags=["check"]
exercises.check(
    "10-6",
    answer_6,
    "rghep7zplpx3n3dsqwkq",
    decimals=2,
    hint="What is the variance of the mean lead? A domain with a tenth of the datasets has a weight of a tenth; there are as many such parts as domains.",
    wrong={
        "rgaet7uibjbe4bcmpilq": "That takes the 100 datasets for independent. Those of one domain share its part of the lead.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** A domain with the share $w$ of the datasets contributes $0.25\,w^2$ to the variance of the mean, and the datasets contribute 1/100. That makes 0.060 for (a), 0.02375 for (b) and 0.035 for (c). With
# $p = \Phi(0.3 / \sigma)$ for the right sign, both agree with probability $p^2 + (1 - p)^2$: 0.80, 0.95 and 0.90; 20,000 simulated pairs of studies say the same to within 0.01. Before, with fifty datasets, it was 0.78: fifty more datasets of the old domains
# buy almost nothing. The two standard deviations are the components to be known; with one domain in hand, the first of them is not.

# %% [markdown]
# ## Further reading
#
# - [Searle et al., 1992, *Variance Components*](https://doi.org/10.1002/9780470316856): the analysis of variance for random factors; Chapter 4 has the estimates that are used here for kernels.
# - [Brennan, 2001, *Generalizability Theory*](https://doi.org/10.1007/978-1-4757-3456-0): the same thought for tests and judges, with the cheapest design.
# - [Chuang and Lai, 2000, *Hybrid resampling methods for confidence intervals*](https://www3.stat.sinica.edu.tw/statistica/oldpdf/A10n11.pdf): the idea behind the intervals of the agreement.
# - [Mogstad et al., 2024, *Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across Countries*](https://doi.org/10.1093/restud/rdad006): what one study can say about positions in a ranking.
# - [Muennighoff et al., 2023, *MTEB: Massive Text Embedding Benchmark*](https://aclanthology.org/2023.eacl-main.148): the leaderboard, and why no model is the best at all tasks.
