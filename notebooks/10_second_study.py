# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Would a second study conclude the same?
#
# *Beyond* Generalizability of Experimental Studies: *several random factors, and the agreement of conclusions. The questions are the paper's, the
# methods of this notebook are ours.*
#
# The paper's number n\* says how many experiments make two studies find similar *results*. Two questions stay open. Would the second study also draw the same
# *conclusion*, and crown the same winner? And what if it differs in more than its datasets: in its models, its prompts, its tasks?
#
# **You will learn** what "enough experiments" is enough for; how to tell what datasets, models, tasks and seeds each contribute to the difference between two
# studies; what a larger budget should buy; how sure a study can be, wrongly, if it counts one factor of two; and what an interval from .2 to 1 says.
#
# **You need** n\* and kernels, from notebook 01 or the first half of notebook 02.

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

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.common.checks import check_count
from genexpy_nb.common.prose import as_written, percent, say, span, verbatim
from genexpy_nb.generalization.agreement.compared import OURS, measured_methods
from genexpy_nb.plots import second_study as figures
from genexpy_nb.reporting.own_study.tables import readable

gx.plots.use_style()
warnings.simplefilter("ignore", gx.StudyWarning)  # a study says them itself when it is shown
prompts, n_tables = check_count("prompts", prompts, 2), check_count("n_tables", n_tables, 2)


# %%
def interval(row):
    """An interval of agreements as text."""
    return f"[{row['low']:.2f}, {row['high']:.2f}]"


def holds(low, high, truth):
    """Whether intervals hold a truth that is simulated, to within .01."""
    return (low <= truth + 0.01) & (truth - 0.01 <= high)


def conclusions(study, asked, sizes, **options):
    """Agreement of several conclusions, one below the other: a label, the conclusion, its options."""
    frames = [
        study.agreement(which, sizes, **more, **options, rng=seed).assign(conclusion=label)
        for label, (which, more) in asked.items()
    ]
    return pd.concat(frames, ignore_index=True)


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
original = encoders.attrs["source"] == "original"
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
# | table | alternatives | random factors |
# |---|---|---|
# | MTEB, English benchmark: a leaderboard | text embedding models | tasks, in task types |
# | the encoder benchmark of the papers | categorical encoders | datasets x models |
# | BIG-bench, second case study of the papers | language models | subtasks, in tasks |
# | own runs of encoders, with new random splits | categorical encoders | splits, in datasets |
#
# The leaderboard and our own runs are in this repository. The other two are the published tables, or this project's own runs of the same shape; the notices above say which.
# Of MTEB only models with a score in every task count. Of the encoders only untuned runs count, on datasets with results of all models. Of
# BIG-bench: tasks with at least `minimum` subtasks, models with results in 95 % of these or more, and rows in which all of them have one; where tasks are compared, as many
# subtasks of each, drawn at random.

# %%
say(
    f"So MTEB has {len(mteb.alternatives)} models, {leaderboard['task'].nunique()} tasks, {leaderboard['task_type'].nunique()} task types; the encoder table "
    f"{len(encoding.alternatives)} encoders, {len(crossed)} datasets x {untuned['model'].nunique()} models; BIG-bench {balanced.shape[1]} models, {n_tasks} tasks with {each} subtasks "
    f"each; our own runs {replicates['encoder'].nunique()} encoders, {n_datasets} datasets with {n_splits} splits each, behind each of {replicates['model'].nunique()} models."
)

# %%
N = leaderboard["task"].nunique()
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
enough = mteb.nstar([jaccard, mallows], alpha, delta).set_index("kernel")
renamed = {
    "best by mean score": "winner by mean score",
    "best by mean rank": "winner by mean rank",
    "order by mean rank (tau-b)": "whole order (tau)",
}
halves = mteb.halves(rng=seed).set_index("conclusion")["estimate"].rename(renamed)
points = halves[list(renamed.values())].rename_axis("conclusion").reset_index().assign(n=N // 2)
at_hand = of_mteb[of_mteb["n"] == N].set_index("conclusion")

# %%
in_tasks = subtasks.components(jaccard, ["task", "subtask"], nested=True, rng=seed)
more_subtasks = [{"task": 1, "subtask": n} for n in (5, 10, 20, 50, 100, 200)]
with_new_task = in_tasks.generalizability(more_subtasks, delta)
with_same_task = in_tasks.generalizability(more_subtasks, delta, same=["task"])
worst = pd.DataFrame(
    {
        "n": with_new_task["subtask"],
        "one_factor": with_same_task["estimate"],
        **{"predicted": with_new_task["estimate"], "low": with_new_task["low"], "high": with_new_task["high"]},
    }
)

# %%
nested = {
    model: by_split.components(jaccard, ["dataset", "split"], nested=True, configuration={"model": model}, rng=seed)
    for model in sorted(replicates["model"].unique())
}
of_splits = pd.concat({model: found.table for model, found in nested.items()}, names=["group"]).reset_index("group")
split_shares = of_splits.loc[of_splits["component"] == "split in dataset", "share"]

# %% [markdown]
# ## The answer in short
#
# What this run found, in three paragraphs and one figure; a page shows them at its top. The rest of the notebook says how, and how far it can be trusted.

# %% tags=["findings"]
winner, order, last = at_hand.loc["winner by mean score"], at_hand.loc["whole order (tau)"], worst.iloc[-1]
star = enough.loc[jaccard.name]
verdict = "enough" if star["high"] <= N else "too few" if star["low"] > N else "perhaps enough"
say(
    f'**"Enough" of what?** On a leaderboard of {len(mteb.alternatives)} models, n\\* of "who wins a task?" is {star["nstar"]:.0f}: its {N} tasks are {verdict}. But two halves of the tasks '
    f"name the same model as the best, by mean score, in {percent(halves['winner by mean score'])} of splits, and that {N} other tasks would has a probability anywhere in {interval(winner)}. "
    f"The order of all models is another matter: tau of two such studies is in {interval(order)}.",
    f"**Count both factors.** In BIG-bench, {last['n']:.0f} subtasks of one task make studies agree with a probability of {last['one_factor']:.2f}, if only subtasks are counted. With another task in "
    f"the second study it is {last['predicted']:.2f} {interval(last)}."
    + " More subtasks hardly help."
    * bool(worst["predicted"].iloc[-3] + 0.1 > last["predicted"] < 0.9),
    f'**One split is a noisy look at a dataset.** In our own runs the random split makes {span(100 * split_shares, "{:.0f}", " %")} of the variance of "who wins?" in a single '
    "experiment. More splits average it out."
    if (split_shares > 0.5).all()
    else "",
)

# %% tags=["hero"]
figures.agreement_curves(of_mteb, points, observed=N)
plt.show()

# %% [markdown]
# *The main figure. MTEB: how far two studies of n new tasks each draw the same conclusion. Winner: the probability. Overlap: the share of the best that both have. Tau: 1 for equal orders, 0 for
# unrelated ones. Verdicts: the share of pairs of which the tests say the same; with five tasks no test can be significant, so that they all agree. Band: every agreement that the table does
# not rule out (nominal 95 %). Diamonds: disjoint halves of the table.*

# %% [markdown]
# ## Two questions, not one
#
# n\* compares *distributions of results*. If every task has another winner, a second study with other tasks will also find that every task has another winner: the
# results are alike, and n\* is moderate. A reader who asks *which model should I take?* wants something else. For a conclusion $T$, such as the alternative with
# the best mean, two independent studies $X$ and $Y$ of $n$ experiments agree with probability
#
# $$A_n = \Pr\bigl(T(X) = T(Y)\bigr), \qquad X, Y \sim \mathbb{P}^n .$$
#
# Not all conclusions are all or nothing: of the best $k$ it is the overlap that counts, of a whole order Kendall's tau, of tests the share of pairs with the same verdict.
# The agreement is estimated from one table. *Halves* of the table are two studies, of half the size: their agreement needs no model, and is noisy. The
# *estimate* carries it to larger studies, and is noisier. The *interval* holds the agreement in every world in which studies would look like the one that was run. It is
# the interval that counts.

# %% [markdown]
# ### The leaderboard

# %%
question = {jaccard.name: "who wins a task?", mallows.name: "in which order?"}
shown = enough.reset_index().assign(question=lambda frame: frame["kernel"].map(question))
readable(shown, {"n* asks": "question", "experiments": "n_experiments", "n*": ("nstar", "low", "high")})

# %%
table = of_mteb[of_mteb["n"].isin([N, 2 * N])].assign(interval=lambda frame: frame.apply(interval, axis=1))
table = table.set_index(["conclusion", "n"]).unstack("n").reindex(asked)
columns = {f"two studies of {n} tasks": table["interval", n] for n in (N, 2 * N)}
pd.DataFrame(
    {
        "what is counted": table["measure", N],
        f"halves ({N // 2} tasks)": halves.reindex(asked).map("{:.2f}".format, na_action="ignore").fillna("-"),
        f"estimate ({N})": table["estimate", N].map("{:.2f}".format),
        **columns,
    }
).rename_axis(None)

# %% [markdown]
# *Agreement on MTEB, nominal 95 % intervals. The halves are taken by mean score and by mean rank; there are none of the overlap of the best k and of tests. The
# estimate has no bias up to half of the tasks, and is noisy: it may lie outside of the interval.*

# %%
top, ranked = at_hand.loc[f"top {k} (overlap)"], at_hand.loc["winner by mean rank"]
leader = {
    by: mteb.scores().mean().idxmax() if by == "score" else mteb.rankings().mean().idxmin() for by in ("score", "rank")
}
say(
    f"The {N} tasks of this table put {verbatim(leader['score'])} first, by mean score as well as by mean rank."
    if leader["score"] == leader["rank"]
    else f"The {N} tasks of this table put {verbatim(leader['score'])} first by mean score, and {verbatim(leader['rank'])} by mean rank: already the choice of the mean decides who wins.",
    f"Would {N} other tasks name the same winner? By mean score {interval(winner)}, by mean rank {interval(ranked)}: the table does not say. "
    f"The best {k} overlap by {interval(top)}, and the order has a tau of {interval(order)}. So a paper may state the order, may give the top group with its overlap, "
    f"and should not state that one model is best. "
    + "n\\* does not contradict that: it never asked."
    * (verdict == "enough")
    if winner["low"] < 0.5 and order["low"] > 0.5
    else "",
)

# %% [markdown]
# Are tasks independent experiments? They belong to types, such as retrieval or semantic textual similarity, and a study that draws other *types* may differ from this one by
# more than a study with other tasks of the same types.

# %%
worth = by_type.design_effect([jaccard, mallows], alpha, delta).assign(
    question=lambda frame: frame["kernel"].map(question)
)
readable(
    worth,
    {
        "n* asks": "question",
        "tasks": "n_conditions",
        "types": "n_clusters",
        "worth so many independent tasks": ("n_effective", "n_effective_low", "n_effective_high"),
        "n* in types": ("nstar", "nstar_low", "nstar_high"),
    },
)

# %%
n_types = int(worth["n_clusters"].iloc[0])
few_types = conclusions(
    by_type, {name: asked[name] for name in list(asked)[:2] + list(asked)[3:4]}, [n_types, 2 * n_types]
)
few_types = few_types.assign(interval=lambda frame: frame.apply(interval, axis=1))
few_types.pivot(index="conclusion", columns="n", values="interval").rename_axis(None).rename(
    columns="two studies of {} task types".format
).rename_axis(None, axis=1)

# %%
of_order = worth.set_index("kernel").loc[mallows.name]
say(
    f"For the order, the {N} tasks are worth {of_order['n_effective']:.0f} independent ones [{of_order['n_effective_low']:.0f}, {of_order['n_effective_high']:.0f}]. "
    + f"n\\* in types is not known to be below {n_types}, for either question. "
    * bool((worth["nstar_high"] > n_types).all())
    + f"{n_types} groups are few for any interval."
)

# %% [markdown]
# ### The encoder benchmark: one model at a time, and for new models
#
# Notebook 02 asks for each model how many datasets are needed. Here is the answer again, with the agreement beside it.

# %%
n_crossed, n_models = len(crossed), untuned["model"].nunique()
of_models = encoding.nstar(jaccard, alpha, delta).set_index("model")
asked_of_encoders = {"winner": ("winner", {}), "top 3": ("top-k", {"k": 3}), "order": ("order", {})}
one_model = pd.concat(
    {
        model: conclusions(encoding, asked_of_encoders, [n_crossed], configuration={"model": model})
        for model in of_models.index
    },
    names=["model"],
).reset_index("model")
both = conclusions(
    encoding, asked_of_encoders, [{"dataset": n_crossed, "model": n_models}], factors=["dataset", "model"]
)
texts = pd.concat([one_model, both.assign(model="any (drawn anew)")])
texts = texts.assign(interval=texts.apply(interval, axis=1))
beside = texts.pivot(index="model", columns="conclusion", values="interval")[list(asked_of_encoders)]
stars = of_models.apply("{0[nstar]:.0f} [{0[low]:.0f}, {0[high]:.0f}]".format, axis=1)
beside.insert(0, f"n* ({n_crossed} datasets at hand)", stars.reindex(beside.index).fillna("-"))
beside.rename_axis(None, axis=1).rename_axis(None)

# %% [markdown]
# *n\* of "who wins?" and, right of it, how far two studies of as many datasets agree: the same winner (probability), the best three (overlap), the whole order (tau), by mean rank.
# In the last row the second study draws its models anew, too, as many as this one.*

# %%
at = one_model.set_index(["conclusion", "model"])
pair = both.set_index("conclusion")
sufficient = int((of_models["high"] <= n_crossed).sum())
open_winners = int(((at.loc["winner", "low"] < 0.5) & (at.loc["winner", "high"] > 0.5)).sum())
say(
    f"By n\\*, {sufficient} of {len(of_models)} models have enough datasets. The same winner again: the interval holds one half, so that it is open, for {open_winners} of {len(of_models)} models.",
    f"For new models and new datasets the winner is in {interval(pair.loc['winner'])}, tau in {interval(pair.loc['order'])}.",
)

# %% [markdown]
# ### BIG-bench: one task with many subtasks, or many tasks

# %%
sizes_of_task = [len(matrix.loc[largest])]
of_task = conclusions(one_task, asked_of_encoders, sizes_of_task)
of_tasks = conclusions(tasks, asked_of_encoders, [n_tasks, 2 * n_tasks])
star_of_task, star_of_tasks = (study.nstar(jaccard, alpha, delta).iloc[0] for study in (one_task, tasks))
names = {1: f"{sizes_of_task[0]} subtasks of {largest}"}
names |= {n: f"{n} tasks, {each} subtasks each" for n in (n_tasks, 2 * n_tasks)}
lines = pd.concat([of_task.assign(study=names[1]), of_tasks.assign(study=of_tasks["n"].map(names))])
lines = lines.assign(interval=lines.apply(interval, axis=1))
lines = lines.pivot(index="study", columns="conclusion", values="interval").reindex(names.values())
stars = {names[1]: (star_of_task, "subtasks"), names[n_tasks]: (star_of_tasks, "tasks")}
stars = {
    name: f"{star['nstar']:.0f} [{star['low']:.0f}, {star['high']:.0f}] {unit}" for name, (star, unit) in stars.items()
}
lines = lines[list(asked_of_encoders)]
lines.insert(0, "n*", pd.Series(stars).reindex(lines.index).fillna("-"))
lines.rename_axis(None, axis=1).rename_axis(None)

# %% [markdown]
# *As above, for BIG-bench; n\* of "who wins?".*

# %%
alone, together = (frame.set_index(["conclusion", "n"]) for frame in (of_task, of_tasks))
say(
    f"In {verbatim(largest)} alone, two studies of {sizes_of_task[0]} subtasks have a tau of {interval(alone.loc[('order', sizes_of_task[0])])}. Over tasks, {n_tasks} of "
    f"them, it is {interval(together.loc[('order', n_tasks)])}. These are answers to two questions, and only the second is about more than one task."
)

# %% [markdown]
# ## Several random factors
#
# A benchmark of encoders evaluates them on datasets, *behind* models. A reader has other datasets and perhaps another model. Then $n$ datasets times $m$ models are not $n \cdot m$
# experiments. Two studies that draw both anew differ, in the feature space of the kernel, by
#
# $$\mathbb{E}\,\mathrm{MMD}^2 = 2 \left( \frac{V_A}{n} + \frac{V_B}{m} + \frac{V_{AB}}{n\,m} \right),$$
#
# with a variance component for each factor and one for their interaction. Nested factors, such as subtasks in tasks, have two components, $2\,(V_A / n + V_{B(A)} / (n m))$. The components are those
# of an analysis of variance, computed from the Gram matrix: for any question that has a kernel. They give $n$-generalizability for every $n$ and $m$.

# %%
kernels = {"who wins?": jaccard, "in which order?": mallows, f"where is {alternative}?": borda}
over_models = {
    asking: encoding.components(kernel, ["dataset", "model"], rng=seed) for asking, kernel in kernels.items()
}
parts = pd.concat({asking: found.table for asking, found in over_models.items()}, names=["group"]).reset_index("group")
figures.component_bars(parts)
plt.show()

# %% [markdown]
# *The encoder benchmark: what makes the results of two experiments differ that share neither dataset nor model.*

# %%
shares = parts.set_index(["group", "component"])["share"]
interaction = shares.xs("dataset x model", level="component")
notes = [found.note for found in over_models.values() if found.note]
say(
    f"The interaction of dataset and model makes {span(100 * interaction, '{:.0f}', ' %')} of the sum. Of two factors it is divided by both sizes: a study with more levels of either reduces it. "
    "The model's own part is divided by the number of models only, and no number of datasets reduces it.",
    f"About the estimates: {verbatim('; '.join(dict.fromkeys(notes)))}." if notes else "",
)

# %% [markdown]
# ### What a larger budget should buy
#
# With prices, the cheapest design is a matter of search. The map shows generalizability for every number of datasets and models; solid, where it reaches α, and dashed, where the low
# end of its interval does.

# %%
prices = {"dataset": dataset_price, "model": model_price}
crossed_found = over_models["who wins?"]
cheapest = crossed_found.cheapest(alpha, delta, prices)
chart = crossed_found.map([5, 8, 10, 12, 15, 20, 30, 40, 60], range(1, 11), delta)
figures.design_map(chart, ["dataset", "model"], alpha, crossed_found.sizes, prices, cheapest)
plt.show()

# %% [markdown]
# *Encoders, "who wins?", α and δ of this report; dotted lines join designs of the same price.*

# %%
nested_prices = {"task": task_price, "subtask": 1.0}
cheapest_tasks = in_tasks.cheapest(alpha, delta, nested_prices)
chart = in_tasks.map([2, 3, 4, 6, 8, 10, 15, 20, 30], [2, 4, 6, 8, 11, 16, 25, 40], delta)
figures.design_map(chart, ["task", "subtask"], alpha, in_tasks.sizes, nested_prices, cheapest_tasks, nested=True)
plt.show()

# %% [markdown]
# *BIG-bench, "who wins?": tasks, and subtasks in each of them.*

# %%
designs = pd.concat(
    {
        "encoders": cheapest.rename(columns={"dataset": "first", "model": "second"}),
        "BIG-bench": cheapest_tasks.rename(columns={"task": "first", "subtask": "second"}),
    },
    names=["table"],
).reset_index("table")
sure = designs[designs["by"] == "low"].set_index("table")
sentences = {
    "encoders": f"{{0[first]:.0f}} datasets x {{0[second]:.0f}} models (there are {n_crossed} x {n_models})",
    "BIG-bench": f"{{0[first]:.0f}} tasks x {{0[second]:.0f}} subtasks of each (there are {n_tasks} x {each})",
}
say(
    "The cheapest design whose interval lies above α: "
    + "; ".join(
        f"{name}, {text.format(sure.loc[name])}"
        if np.isfinite(sure.loc[name, "price"])
        else f"{name}, none within 1,000 levels of each"
        for name, text in sentences.items()
    )
    + "."
)

# %% [markdown]
# That is about distributions of results. Does a larger budget also decide who is *best*?

# %%
doubled = [
    {"dataset": n_crossed, "model": n_models},
    {"dataset": 2 * n_crossed, "model": n_models},
    {"dataset": n_crossed, "model": 2 * n_models},
    {"dataset": 4 * n_crossed, "model": 4 * n_models},
]
buys = conclusions(encoding, asked_of_encoders, doubled, factors=["dataset", "model"])
buys = buys.assign(
    interval=buys.apply(interval, axis=1),
    design=[f"{row.dataset:.0f} datasets x {row.model:.0f} models" for row in buys.itertuples()],
)
bought = buys.pivot(index="design", columns="conclusion", values="interval").reindex(buys["design"].unique())
bought[list(asked_of_encoders)].rename_axis(None).rename_axis(None, axis=1)

# %%
by_design = buys.set_index(["conclusion", "design"])
first_design, last_design = buys["design"].iloc[0], buys["design"].unique()[-1]
then = by_design.loc[("winner", last_design)]
say(
    f"Sixteen times as many cells, and two studies would name the same winner with a probability of {interval(then)}; of tau, {interval(by_design.loc[('order', first_design)])} becomes "
    f"{interval(by_design.loc[('order', last_design)])}. "
    + (
        "The study at hand does not know which encoder leads, or by how much; so it cannot promise that a larger one would settle it."
        if then["low"] < 0.5
        else ""
    )
)

# %% [markdown]
# ## What fixed factors hide
#
# A study that uses three prompts, or one model, and a hundred datasets, and counts the datasets, answers: *would other datasets, with these prompts, say the same?* A reader who
# has other prompts asks something else. In a simulated world the truth is known: four methods, scored on datasets with prompts, where a prompt suits one method more than another.


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
        pair_of_studies = [gx.rank_scores(simulated(rng, n, prompts), higher_is_better=True) for _ in range(2)]
        gram = mallows.gram(np.vstack(pair_of_studies))
        cut = n * prompts
        similar[i] += gx.mmd(gram[:cut, :cut], gram[cut:, cut:], gram[:cut, cut:]) <= epsilon
        first, second = (study.mean(axis=0).argmin() for study in pair_of_studies)
        same_winner[i] += first == second
similar, same_winner = similar / n_pairs, same_winner / n_pairs

# %% [markdown]
# Now one table of 40 datasets with as many prompts, several times. What does each predict for studies of other sizes, counting datasets only, and counting both?

# %%
wanted = [{"dataset": n, "prompt": prompts} for n in counts]
index = pd.MultiIndex.from_product([range(40), range(prompts)], names=["dataset", "prompt"])
said, winners = [], []
for number in range(n_tables):
    study = gx.Study.from_wide(pd.DataFrame(simulated(rng, 40, prompts), index, columns=list("abcd")))
    found = study.components(mallows, ["dataset", "prompt"], rng=seed)
    only = found.generalizability(wanted, delta, same=["prompt"])["estimate"]
    said.append(found.generalizability(wanted, delta).assign(one_factor=only, table=number))
    averaged = gx.Study.from_wide(pd.DataFrame(study.rankings()).groupby("dataset").mean(), higher_is_better=False)
    one = averaged.agreement("winner", counts[-1:], by="score", rng=seed).iloc[0]
    two = study.agreement("winner", wanted[-1:], factors=["dataset", "prompt"], rng=seed).iloc[0]
    winners.append(
        {"one": one["estimate"], "one_low": one["low"], "one_high": one["high"], "low": two["low"], "high": two["high"]}
    )
said, winners = pd.concat(said), pd.DataFrame(winners)

# %%
typical = said.groupby("dataset")[["one_factor", "estimate"]].mean()
lines_of_world = pd.DataFrame(
    {"n": counts, "one_factor": typical["one_factor"].array, "predicted": typical["estimate"].array, "truth": similar}
)
figures.fixed_factor(lines_of_world, ["dataset", "prompt"], prompts)
plt.show()

# %% [markdown]
# *"In which order?" in the simulated world. Squares and circles: means over the simulated tables; black: the truth, from simulated pairs of studies.*

# %%
end = said[said["dataset"] == counts[-1]]
held = holds(end["low"], end["high"], similar[-1]).mean()
held_one, held_both = (
    holds(winners[low], winners[high], same_winner[-1]).mean()
    for low, high in (("one_low", "one_high"), ("low", "high"))
)
say(
    f"With {counts[-1]} datasets and {prompts} prompts, counting datasets promises {lines_of_world['one_factor'].iloc[-1]:.2f}; the truth is {similar[-1]:.2f}. Counting both, a table predicts "
    f"{lines_of_world['predicted'].iloc[-1]:.2f} on average, and the interval holds the truth in {percent(held)} of {n_tables} tables. Its ends are {end['low'].mean():.2f} and "
    f"{end['high'].mean():.2f} on average: that is what {prompts} prompts tell about prompts.",
    f"The winner is the same in {percent(same_winner[-1])} of the pairs of studies with {counts[-1]} datasets. The interval that counts datasets only holds that in {percent(held_one)} of the tables, "
    f"the one that counts both in {percent(held_both)}.",
)

# %% [markdown]
# On a real table the truth is not known, but both answers can be computed. One task of BIG-bench, with more and more subtasks:

# %%
figures.fixed_factor(worst, ["subtask", "task"], 1)
plt.show()

# %% [markdown]
# *BIG-bench, "who wins?": studies of one task. Squares: both studies take the same task. Circles, with interval: each draws its own.*

# %%
one_of_models = [{"dataset": n, "model": 1} for n in (10, 20, n_crossed, 100)]
of_one = crossed_found.generalizability(one_of_models, delta)
of_same = crossed_found.generalizability(one_of_models, delta, same=["model"])
largest_study = of_one.iloc[-1]
say(
    "A fixed factor need not hide much. "
    * bool(of_same["estimate"].iloc[-1] - largest_study["estimate"] < 0.05)
    + f'In the encoder benchmark, "who wins?" with one model and {largest_study["dataset"]:.0f} datasets has an n-Gen of {of_same["estimate"].iloc[-1]:.2f} for that model, and '
    f"of {largest_study['estimate']:.2f} {interval(largest_study)} if the second study takes another one. "
    "How much a factor matters is seen only in a study that has several levels of it."
)

# %% [markdown]
# ## The split or the dataset: what is the noise?
#
# Most benchmarks evaluate once per dataset: one split, one seed. In our own runs each dataset was split anew ten times, the same splits for all encoders. Split 3 of one dataset has nothing
# to do with split 3 of another: splits are nested in datasets.

# %%
figures.component_bars(of_splits)
plt.show()

# %% [markdown]
# *"Who wins?" behind each of the models.*

# %%
price_of_split = {"dataset": dataset_price, "split": split_price}
design_rows = []
for model, found in nested.items():
    one = found.cheapest(alpha, delta, price_of_split, fixed={"split": 1}).iloc[0]
    best = found.cheapest(alpha, delta, price_of_split).iloc[0]
    design_rows.append(
        {
            "model": model,
            "with one split": one["dataset"],
            "datasets": best["dataset"],
            "splits": best["split"],
            "price_one": one["price"],
            "price": best["price"],
        }
    )
design_rows = pd.DataFrame(design_rows)
readable(
    design_rows,
    {
        "model": "model",
        "datasets, one split each": "with one split",
        "price": "price_one",
        "cheapest: datasets": "datasets",
        "splits of each": "splits",
        "its price": "price",
    },
)

# %%
averages = gx.Study(replicates, generalize_over=["dataset"], average_over=["split"], **roles)
single = gx.Study(replicates[replicates["split"] == 0].drop(columns="split"), generalize_over=["dataset"], **roles)
compared_orders = pd.DataFrame(
    {
        name: [study.agreement("order", n_datasets, {"model": model}, rng=seed).iloc[0] for model in nested]
        for name, study in (("one split", single), (f"mean of {n_splits} splits", averages))
    },
    index=list(nested),
)
lows = compared_orders.map(lambda row: row["low"])
compared_orders.map(interval)

# %% [markdown]
# *Kendall's tau of two studies with as many datasets as ours, one split per dataset or the mean of ten: intervals.*

# %%
saved = (1 - design_rows["price"] / design_rows["price_one"]).max()
higher = int((lows.iloc[:, 1] > lows.iloc[:, 0]).sum())
say(
    f'In a single evaluation the split is {span(100 * split_shares, "{:.0f}", " %")} of the variance of "who wins?", depending on the model. '
    + (
        f"If one more split costs {as_written(split_price)} and one more dataset {as_written(dataset_price)}, several splits of fewer datasets are up to {percent(saved)} cheaper than one split of many. "
        if saved > 0
        else ""
    )
    + "The part of the datasets is left, whatever the number of splits: a study of few datasets stays one.",
    f"For the order, the low end with {n_splits} splits is above that with one split behind {higher} of {len(nested)} models.",
)

# %%
related = gx.Study(replicates, generalize_over=["dataset"], average_over=["split"], cluster="table", **roles)
effects = related.design_effect([mallows], alpha, delta)
n_clusters = int(effects["n_clusters"].iloc[0])
say(
    f"The {n_datasets} datasets were cut from {n_clusters} tables, and are related. For the order of the encoders they are worth {span(effects['n_effective'], '{:.0f}')} independent datasets, depending on "
    "the model. Experiments that are related must be counted by their groups: `cluster=` does that."
)

# %% [markdown]
# ## What an interval from .2 to 1 means
#
# The interval of a winner is often as wide as that. It is no failure of the method. Ten methods, 30 experiments: in one world all methods are equal and somebody has to be first, in
# the other one method is ahead by .6 standard deviations. Some tables from either, with the truth beside the interval:


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
        gx.agreement_of_table(table_of(rng, n, n_methods, lead), "winner", n, by="score", rng=seed)
        for _ in range(n_tables)
    ]
    seen[name] = pd.concat(frames).assign(truth=truth)
    inside = holds(seen[name]["low"], seen[name]["high"], truth)
    summary[name] = {
        "truth": f"{truth:.2f}",
        "lowest and highest estimate": f"{seen[name]['estimate'].min():.2f}, {seen[name]['estimate'].max():.2f}",
        "interval, mean ends": f"[{seen[name]['low'].mean():.2f}, {seen[name]['high'].mean():.2f}]",
        "holds the truth": percent(inside.mean()),
    }
pd.DataFrame(summary).T

# %% [markdown]
# *The same winner, by mean score, in two studies of that size. An interval that misses the truth by less than .01 counts as holding it.*

# %%
equal, leading = seen["all equal"], seen["one leader"]
lucky = int((equal["high"] > leading["truth"].iloc[0]).sum())
more, fewer = seen["one leader, four times the experiments"], seen["one leader, three methods"]
width = {name: (frame["high"] - frame["low"]).mean() for name, frame in seen.items()}
say(
    f"In the first world the winner is luck, and a second study confirms it in {percent(equal['truth'].iloc[0])} of cases; in the second it does in {percent(leading['truth'].iloc[0])}. Yet in {lucky} of {n_tables} tables of the "
    "first world the interval reaches the truth of the second: a lucky leader among equals looks like one that is really ahead. **An interval like [.2, 1] says: this table is what a study would look like "
    "whose winner will be confirmed nearly always, and also what a study would look like whose winner is one of several equals.** A single number between these would be a guess.",
    f"What makes it shorter? More experiments: with four times as many its width is {width['one leader, four times the experiments']:.2f} on average, instead of {width['one leader']:.2f}. Fewer alternatives in the race: with three methods it is "
    f"{width['one leader, three methods']:.2f}, if the three were named before the data were seen. And a question that does not hang on one place: the overlap of the best, the order, or two alternatives that somebody has to choose between.",
)

# %% [markdown]
# ### Which estimator, and why this one
#
# Nine ways to estimate the agreement from one table were compared in eight worlds: halves held constant, an extrapolation of smaller parts, the bootstrap (plug-in), posteriors with a
# normal, a t, a horseshoe and a nonparametric prior, the projection of a joint confidence set, and the one used here. `benchmarks/bench_agreement.py` simulates, the package keeps what it found for 10 alternatives and 30 experiments;
# `docs/second_study.md` has the derivations, the other settings, and the limits.

# %% tags=["hide-input"]
methods = measured_methods()
shown = methods[(methods["conclusion"] == "winner by mean rank") & (methods["n"] == 30)]
figures.agreement_by_method(shown)
plt.show()

# %% [markdown]
# *The same winner by mean rank in two studies of 30 experiments, from one study of 30. Bias and root mean square error of the estimate, how often the nominal 95 % interval held, and how long it was. Bold: more than .05 too seldom.*

# %%
lowest = methods.groupby("method")["coverage"].min()
good = lowest.index[lowest >= 0.85]
typical = methods[methods["n"] == 30].groupby("method")[["rms", "width"]].median()
failing = lowest.drop(good)
say(
    f"Over all worlds, conclusions and sizes, the coverage of {len(failing)} of the {len(lowest)} intervals falls below 85 % somewhere, to {span(failing, '{:.2f}')} at worst. "
    f"Above it stay{'s' if len(good) == 1 else ''}: {', '.join(map(verbatim, good))} ({span(lowest[good], '{:.2f}')} at worst). Of the projection the search over the confidence set finds too little for some orders ({lowest['projection']:.2f}); its intervals have a median width of "
    f"{typical.loc['projection', 'width']:.2f} for two studies of 30 experiments, those used here {typical.loc[OURS, 'width']:.2f}. "
    f"The price is a noisy estimate: a root mean square error of {typical.loc[OURS, 'rms']:.2f} in the middle, where a normal prior has {typical.loc['normal', 'rms']:.2f}. So this page reads the interval.",
)

# %%
best_two = mteb.scores().mean().nlargest(2).index.tolist()
race = mteb.agreement("pair", N, pair=best_two, by="score", rng=seed).iloc[0]
need = {
    "the order with a tau of .95": mteb.experiments_for("order", 0.95, rng=seed),
    f"nine tenths of the top {k}": mteb.experiments_for("top-k", 0.9, k=k, rng=seed),
    "the same winner by mean score, in 90 % of studies": mteb.experiments_for("winner", 0.9, by="score", rng=seed),
}
counted = pd.DataFrame(need).T
heads = {"low": "by the upper end", "n": "by the estimate", "high": "by the low end"}
counted[list(heads)].map(lambda n: f"{n:,.0f}" if np.isfinite(n) else f"not by {100 * N:,}").rename(columns=heads)

# %% [markdown]
# *MTEB: tasks that two studies need to agree so far, by both ends of the interval and by the estimate.*

# %%
say(
    f"Two models alone, {verbatim(best_two[0])} and {verbatim(best_two[1])}, the first two by mean score: the probability that {N} other tasks have the same one of them ahead is in {interval(race)}. "
    "(One half is a coin. The two were chosen by the table itself, and the interval does not know that.)"
)

# %% [markdown]
# ## Advice: which number for which claim
#
# | you want to claim | report | beware of |
# |---|---|---|
# | "on experiments like these, results look like this" | n\* with its interval, `study.nstar` | it says nothing about who is best on average |
# | "A is best" | `study.agreement("winner")`, its interval and the halves | a lead that one experiment decides; `study.influence` |
# | "A is better than B", named beforehand | a paired test, `study.pairs`, and `study.agreement("pair")` | pairs that were chosen because they differ |
# | "these are the leading methods" | `study.agreement("top-k")`, `study.tiers` | a k that was chosen to look good |
# | "this is the order" | `study.agreement("order")`: tau | a tau of .9 still exchanges neighbours |
# | "for other models (prompts, judges), too" | `study.components`, `study.agreement(..., factors=[...])` | two or three levels: the interval is wide, and that is the finding |
# | "on other domains, too" | `Study(..., cluster="domain")`, `study.design_effect` | counting related datasets one by one |
# | "we need more experiments" | `components.cheapest`, `study.experiments_for` | more datasets where more models, tasks or prompts are needed |

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
np.testing.assert_allclose(halves["winner by mean score"], 0.06, atol=0.04)  # MTEB: recorded before this notebook was
if (alpha, delta) == (0.95, 0.05):
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
# - A winner is the most fragile conclusion. Its interval is wide because the data do not know more.

# %% [markdown]
# ## On your own
#
# 1. Set `k = 3`. Is the top of the leaderboard harder to confirm if it is smaller? What if it holds half of the models?
# 2. Set `prompts = 20`. Does the one-factor answer come closer to the truth, and the interval closer to a point?
# 3. Your benchmark has ten datasets from each of five domains, and money for fifty more evaluations. Which components would you need to know to spend it?
#
# ## Further reading
#
# Searle, Casella, McCulloch, *Variance Components*, 1992: the analysis of variance for random factors. Brennan, *Generalizability Theory*, 2001: the same thought
# for tests and judges, with the cheapest design. Chuang and Lai, *Hybrid resampling methods for confidence intervals*, Statistica Sinica 2000: the intervals of the agreement. Mogstad, Romano, Shaikh, Wilhelm, *Inference
# for Ranks*, Review of Economic Studies 2024: what can be said about positions. Muennighoff et al., *MTEB: Massive Text Embedding Benchmark*, EACL 2023: the leaderboard.
