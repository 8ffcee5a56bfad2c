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
# *Beyond* [Generalizability of Experimental Studies](https://arxiv.org/abs/2406.17374v3)*: the paper asks about results. We also ask about conclusions, with our own methods.*
#
# Your benchmark has a winner, and you would like to recommend it. Would somebody with other tasks crown the same winner? What if they also used other models or another random split?
#
# **You will learn** for which conclusions a benchmark is large enough, what makes two studies differ, and what a larger budget should buy.
#
# **You need** to know n\* and kernels (from notebook 01 or the first half of notebook 02), and the analysis of variance.
#
# **Time** 15 minutes to read, 120 with the exercises.

# %% tags=["parameters"]
source: str = "auto"  # encoders and BIG-bench: original (published), bundled (this project's own runs), or auto
alpha: float = 0.95  # probability wanted that two studies look alike, in (0, 1)
delta: float = 0.05  # how different results may be and still count as alike, in (0, 1]
confidence: float = 0.95  # of the intervals, in (0, 1)
model_price: float = 5.0  # of one more model; one more dataset costs 1
seed: int = 0  # seed of everything random

# %%
import warnings

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import second_study as chapter

gx.plots.use_style()
warnings.simplefilter("ignore", gx.errors.StudyWarning)  # what they say, a study says itself when it is shown
options = {"confidence": confidence, "rng": seed}

# %% [markdown]
# ## Who may be the best?
#
# A leaderboard invites its readers to take the first model. Is it the best? MTEB (version 2) compares models that turn English texts into numbers. We keep those that have a score on every task.

# %%
leaderboard = gx.datasets.load_mteb().dropna(subset="score")
n_tasks = leaderboard["task"].nunique()
leaderboard = leaderboard[leaderboard.groupby("model")["task"].transform("nunique") == n_tasks]
roles = {"alternatives": "model", "target": "score", "generalize_over": "task", "higher_is_better": True}
mteb = gx.Study(leaderboard, **roles)
n_models = len(mteb.alternatives)
contenders = mteb.contenders()
n_contenders = int(contenders["may_be_best"].sum())
assert n_contenders > 1

by_type = gx.Study(leaderboard, **roles, cluster="task_type")
n_by_type = int(by_type.contenders()["may_be_best"].sum())
places = mteb.regret(1).iloc[0]

# %% [markdown]
# Of these models, {eval}`n_contenders` may be the best. For each of these [contenders](../docs/vocabulary.md#contender), a test at the 5 % level finds no model with a better mean rank.
#
# This test treats tasks as independent, but they belong to types, such as retrieval or classification. If a second study draws other types, each type is a *cluster* of related tasks, and {eval}`n_by_type` models may be the best.
#
# What do you lose if you take the leader? We leave out each task in turn, and let the others choose. On average, their leader is {eval}`f"{places.regret:.0f}"` places behind the best model of the left-out task. A random contender is {eval}`f"{places.of_contender:.0f}"` places behind.
#
# ## Results or conclusions?
#
# Is it enough that a second study, with other tasks, finds similar *results*? This is what n\* asks, for example about the shares of tasks that each model wins. But readers want to know which model to take, and two studies with similar shares may still crown different models. They differ in their *conclusions*.
#
# The *agreement* of two independent studies of the same size is the probability that they name the same winner, the model with the best mean rank. For the order of all models, it is Kendall's tau: 1 for equal orders, 0 for unrelated ones.

# %%
jaccard = gx.JaccardKernel(k=1)
enough = gx.plan(mteb.nstar(jaccard, alpha, delta, confidence=confidence)).iloc[0]
covered = chapter.measured_methods().groupby("method")["coverage"].min()[chapter.OURS]
sizes = [5, 10, n_tasks // 2, n_tasks, 2 * n_tasks, 4 * n_tasks]
winner = mteb.agreement("winner", sizes, **options)
order = mteb.agreement("order", sizes, **options)

# %% tags=["hero"]
chapter.show_agreement({"same winner": winner, "same order": order}, n_tasks, n_models)

# %%
same_winner, same_order = (frame.set_index("n").loc[n_tasks] for frame in (winner, order))

# %% [markdown]
# Two studies need {eval}`chapter.written(np.ceil(enough.nstar))` tasks each to find similar shares of wins with a probability of {eval}`chapter.as_written(alpha)`. (*Similar*: with the tolerance δ = {eval}`chapter.as_written(delta)`, one share may be {eval}`chapter.written(100 * np.sqrt(delta))` percentage points larger if another is that much smaller.) This leaderboard has {eval}`n_tasks`. Would as many other tasks also name the same winner? The interval of this probability is {eval}`chapter.between(same_winner)`, so the data cannot say. On the order of all models, two studies would agree well (Figure 1).

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Equals
#
# *Understanding · 5 minutes.* Ten methods are equally good: each wins an experiment with probability 1/10, and experiments are independent. Two studies run $n$ experiments each, and $n$ grows without bound. For any δ > 0, what is the limit of the probability that their *results* are similar? And that they name the same *winner*, the method with the most wins? Assign both limits as a list to `answer_1`, to two decimals.

# %% tags=["solution"]
answer_1 = [1.0, 1 / 10]

# %% tags=["check"]
gx.check("10-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** In a large study, each method wins close to a tenth of the experiments. So two large studies look alike, and the probability that their results are similar tends to 1. Still, some method is a few
# wins ahead. By symmetry, each of the ten methods is equally likely to be ahead. The studies are independent, so they name the same winner with probability
# 10 · (1/10)² = 1/10. A study that is large enough for n\* may be too small to name a winner. Here, every study is too small.

# %% [markdown]
# ## Several random factors
#
# Studies differ in more than their datasets. A benchmark evaluates encoders of categorical columns on datasets, together with models. What if a reader has another model, too? We take the runs without tuning, scored by balanced accuracy, and the datasets on which all models have results.

# %%
encoders = gx.datasets.load_encoders(source)
gx.datasets.notice(encoders)

# %%
untuned = encoders[(encoders["tuning"] == "no") & (encoders["scoring"] == "BACC")]
n_behind = untuned["model"].nunique()
crossed = untuned[untuned.groupby("dataset")["model"].transform("nunique") == n_behind]
n_datasets = crossed["dataset"].nunique()
roles = {"alternatives": "encoder", "target": "cv_score", "generalize_over": "dataset", "design": ["model"]}
fixed = {"tuning": "no", "scoring": "BACC"}
encoding = gx.Study(crossed, **roles, fixed=fixed, higher_is_better=True, missing="worst-rank")

# %% [markdown]
# A second study draws $n$ other datasets and $m$ other models. Its $n \cdot m$ evaluations are not independent. The expected squared distance between two such studies (MMD, notebook 01) is
#
# $$\mathbb{E}\,\mathrm{MMD}^2 = 2 \left( \frac{V_A}{n} + \frac{V_B}{m} + \frac{V_{AB}}{n\,m} \right).$$
#
# $V_A$ is the variance component of the datasets, $V_B$ that of the models, and $V_{AB}$ that of their interaction: an encoder may do well on one dataset with one model only. Each pair has a single run, so noise counts as interaction, too. `components` estimates all three, as in an analysis of variance.

# %%
who_wins = encoding.components(jaccard, ["dataset", "model"], **options)
share = who_wins.table.set_index("component")["share"]
both = {"dataset": n_datasets, "model": n_behind}
again = encoding.agreement("winner", both, factors=["dataset", "model"], **options).iloc[0]
assert share["dataset x model"] > 0.5

# %% [markdown]
# For the question "who wins?", interaction and noise are {eval}`chapter.percent(share["dataset x model"])` of the variance. More datasets or more models reduce this part. The part of the models is divided by $m$ only, so more datasets do not reduce it.
#
# Suppose that two studies are as large as this benchmark, but have new datasets and models. How likely are they to name the same winner? The interval is {eval}`chapter.between(again)`, because {eval}`n_behind` models say little about other models.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: The same number of cells
#
# *Application · 10 minutes.* The components are $V_A = 0.3$ (datasets), $V_B = 0.1$ (models) and $V_{AB} = 0.6$, and each model runs on each dataset. Two studies draw their own datasets and models. What is their expected squared distance if each has 40 datasets × 1 model? And with 10 datasets × 4 models? Which value does it approach with one model and more and more datasets?
# Assign the three numbers as a list to `answer_2`, to three decimals.


# %% tags=["solution"]
def squared_distance(n, m):
    return 2 * (0.3 / n + 0.1 / m + 0.6 / (n * m))


answer_2 = [squared_distance(40, 1), squared_distance(10, 4), 2 * 0.1]

# %% tags=["check"]
gx.check("10-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** 2 (0.3/40 + 0.1 + 0.6/40) = 0.245, and 2 (0.3/10 + 0.1/4 + 0.6/40) = 0.140: both designs have 40 evaluations, and both divide the interaction by 40. With one model, the component of the models (0.1) is divided by 1, so
# 0.2 remains with any number of datasets. The largest component need not limit a study. Here, the smallest component limits the study, because the number that divides it is the smallest.

# %% [markdown]
# ### What should a larger budget buy?
#
# Suppose that a dataset costs 1 and a model {eval}`chapter.as_written(model_price)`. Which design is the cheapest whose whole interval is enough for similar shares of wins?

# %%
prices = {"dataset": 1.0, "model": model_price}
cheapest = who_wins.cheapest(alpha, delta, prices).set_index("by")

# %% [markdown]
# The cheapest design has {eval}`chapter.design_in_words(cheapest.loc["low"], prices)`. For the same winner, studies may need more.

# %% [markdown]
# ## What fixed factors hide
#
# What does a study of one task with many subtasks say to a reader who has another task? We take the benchmark of notebook 03, in which a task is a set of subtasks. A second study may draw other subtasks of the same task, or a different task.

# %%
bigbench = gx.datasets.load_bigbench(source)
gx.datasets.notice(bigbench)

# %%
rows = bigbench[bigbench["number_of_shots"] == 2].dropna(subset="score_value")
rows = rows.rename(columns={"task_name": "task", "subtask_description": "subtask"})
rows = rows[rows["subtask"] != rows["task"]]  # rows with the name of their task are averages
matrix = rows.pivot(index=["task", "subtask"], columns="model_family_model_name", values="score_value")
matrix = matrix[matrix.groupby("task").transform("size") >= 10]
matrix = matrix[matrix.columns[matrix.notna().mean() >= 0.95]].dropna()
matrix = matrix[matrix.groupby("task").transform("size") >= 10]
by_task = matrix.groupby("task").size()
balanced = matrix.sample(frac=1, random_state=seed).groupby("task").head(by_task.min()).sort_index()

# %%
in_tasks = gx.Study.from_wide(balanced).components(jaccard, ["task", "subtask"], nested=True, **options)
per_task = int(by_task.min())
n_subtasks = per_task * len(by_task)
more_subtasks = [{"task": 1, "subtask": n_subtasks // part} for part in (16, 8, 4, 2, 1)]
own_task = in_tasks.generalizability(more_subtasks, delta).rename(columns={"subtask": "n", "estimate": "predicted"})
same_task = in_tasks.generalizability(more_subtasks, delta, same=["task"])
own_task["one_factor"] = same_task["estimate"]
spread = in_tasks.generalizability({"task": len(by_task), "subtask": per_task}, delta).iloc[0]

# %%
chapter.show_one_task(own_task, len(by_task))

# %%
last = own_task.iloc[-1]

# %% [markdown]
# With {eval}`n_subtasks` subtasks of the same task, two studies find similar winners with a probability {eval}`chapter.of_probability(last.one_factor)`. With subtasks of different tasks, the probability is {eval}`f"{last.predicted:.2f}"`. But if each draws {eval}`per_task` subtasks of each of {eval}`len(by_task)` tasks, it is {eval}`f"{spread.estimate:.2f}"`. So the same number of subtasks says more if it is spread over tasks.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: More prompts, or more datasets?
#
# *Application · 15 minutes.* Four methods are scored on datasets with prompts, and each prompt suits some methods better than others. Over $n$ datasets with $m$ prompts, the mean score of a method is normal, independent of the other methods. Its mean is the method's merit (0.45, 0.30, 0.15 or 0), and its variance is
# $0.8^2/m + 0.4^2/n + 0.6^2/(nm)$. How likely are two studies to name the same winner by mean score, with (a) 3 prompts and 100 datasets, (b) 20 prompts and 100 datasets, and (c)
# 3 prompts and 10,000 datasets? Assign the three probabilities as a list to `answer_3`, to two decimals. (Draw these means for 100,000 pairs of studies or more.)


# %% tags=["solution"]
def same_name(n, m, n_pairs=200_000):
    draws = np.random.default_rng(0).normal(size=(2, n_pairs, 4))
    means = np.array([0.45, 0.3, 0.15, 0]) + draws * np.sqrt(0.8**2 / m + 0.4**2 / n + 0.6**2 / (n * m))
    return np.equal(*means.argmax(axis=-1)).mean()


answer_3 = [same_name(100, 3), same_name(100, 20), same_name(10_000, 3)]

# %% tags=["check"]
gx.check("10-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** With 3 prompts and 100 datasets, the prompts contribute 0.213 to the variance of a mean, and everything else contributes 0.003. So a hundred times as many datasets change almost nothing, and 20 prompts change a lot. Numerical
# integration gives 0.306, 0.505 and 0.307.

# %% [markdown]
# ## The split or the dataset: what is the noise?
#
# Most benchmarks split each dataset once into training and test data. Does the noise in who wins come from the split, or from the dataset? In our own runs, we split each dataset ten times. Splits are *nested* in datasets: the first split of one dataset has nothing to do with the first split of another.

# %%
replicates = gx.datasets.load_replicates()
roles = {"alternatives": "encoder", "target": "score", "design": ["model"], "higher_is_better": True}
by_split = gx.Study(replicates, generalize_over=["dataset", "split"], **roles)
nested = {
    model: by_split.components(jaccard, ["dataset", "split"], nested=True, configuration={"model": model}, **options)
    for model in sorted(replicates["model"].unique())
}
split_shares = pd.Series(
    {m: each.table.set_index("component")["share"]["split in dataset"] for m, each in nested.items()}
)
assert split_shares.min() > 0.5

# %% [markdown]
# The split explains {eval}`chapter.shares(split_shares)` of the variance in who wins, depending on the model, and the dataset explains the rest. So several splits of each dataset remove most of the noise, and they pay off if a split costs less than another dataset.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Splits or datasets
#
# *Application · 15 minutes.* The datasets have the component $V_A = 0.2$, and the splits of a dataset $V_{B(A)} = 0.8$. A dataset costs 1, and each of its splits 0.1, including the first. The budget is fixed and pays for many datasets. How many splits of each dataset make the expected squared distance smallest? Assign a whole number to `answer_4`.

# %% tags=["solution"]
splits = np.arange(1, 101)
answer_4 = int(splits[np.argmin((0.2 + 0.8 / splits) * (1 + 0.1 * splits))])

# %% tags=["check"]
gx.check("10-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** A budget $B$ pays for $n = B / (1 + 0.1\,m)$ datasets, so the squared distance is proportional to $(0.2 + 0.8/m)(1 + 0.1\,m)$, whatever the budget. This product is 1.10 for one split, 0.533 for 6, 0.534 for 7 and 0.56 for 10. Setting its
# derivative to zero gives $m = \sqrt{(V_{B(A)} / V_A) \cdot (1 / 0.1)} = \sqrt{40} \approx 6.3$: the square root of the ratio of the components times the ratio of the prices.

# %% [markdown]
# ## What does an interval from 0.2 to 1 mean?
#
# Why are intervals for the same winner so wide? To see why, compare two worlds of ten methods and 30 experiments. In the first world, all methods are equal, so one of them leads by luck. In the second world, one method is better by 0.6 standard deviations.

# %%
rng = np.random.default_rng([seed, 1])
seen = {}
for name, lead in (("all equal", 0.0), ("one is ahead", 0.6)):
    merit = lead * (np.arange(10) == 0)
    means = merit + rng.normal(0, 30**-0.5, (2, 20_000, 10))  # of two studies, again and again
    truth_here = np.equal(*means.argmax(axis=-1)).mean() if lead else 1 / 10
    tables = [gx.Study.from_wide(pd.DataFrame(rng.normal(0, 1, (30, 10)) + merit)) for _ in range(12)]
    found_here = pd.concat([table.agreement("winner", 30, by="score", **options) for table in tables])
    seen[name] = {"true probability": truth_here, "interval from": found_here["low"].mean()}
    seen[name]["to"] = found_here["high"].mean()
caption = "How likely are two studies of 30 experiments to name the same winner by mean score? Ends of 95 % intervals"
caption += f" are means over {len(tables)} simulated tables."
worlds = pd.DataFrame(seen).T.rename_axis("world")
chapter.show_table(worlds, "worlds", caption.replace("95", f"{100 * confidence:g}"), forms=dict.fromkeys(worlds, 2))

# %% [markdown]
# A lucky leader among equals looks like a leader by merit. So a wide interval says that two things are possible: nearly every other study would confirm the winner, or the winner is one of several equals.
#
# In eight simulated worlds, such 95 % intervals covered the truth (within 0.01) in at least {eval}`chapter.percent(covered)` of the studies ([settings](../docs/second_study.md)).

# %% [markdown] tags=["exercise"]
# ### Exercise 5: The top of the leaderboard
#
# *Application · 15 minutes.* Is a shorter list of leaders harder to confirm? For the best $k$ models, the agreement is the overlap of two lists. For $k = 3$ and for $k = 10$, take the low end of the interval that
# `mteb.agreement("top-k", 41, k=k, rng=0)` gives for two studies of 41 tasks. Longer lists overlap more by chance, so subtract the expected overlap in two random orders of all models. Assign both differences as a list to `answer_5`, to two decimals.

# %% tags=["solution"]
n_all = len(mteb.alternatives)
lows_5 = {size: mteb.agreement("top-k", 41, k=size, rng=0)["low"].iloc[0] for size in (3, 10)}
answer_5 = [low - size / n_all for size, low in lows_5.items()]

# %% tags=["check"]
gx.check("10-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** A random choice of $k$ out of 183 models contains each of the first $k$ models with probability $k / 183$. So by chance alone we expect an overlap of 0.016 for $k = 3$ and 0.055 for $k = 10$. The low ends are 0.31 and 0.70, so
# 0.29 and 0.65 remain. The shorter list is harder to confirm here. If you choose $k$ after seeing such numbers, you choose the claim, too. So name $k$ beforehand.

# %% [markdown] tags=["exercise"]
# ### Exercise 6: Fifty more evaluations
#
# *Project · 45 minutes.* A benchmark has ten datasets from each of five domains, and there is money for fifty more datasets. Method A is ahead of method B by 0.3 on average. The lead is normal, with a standard deviation of 0.5 between domains and 1 between datasets of a domain. The plans are: (a) ten more datasets from each of the five domains; (b) one dataset from each of fifty new domains; (c) ten datasets
# from each of five new domains. A study names the method whose plain mean over all 100 datasets is higher. Another study follows the same plan, with other domains and datasets. How likely are both to name the same
# method? Simulate or calculate the three probabilities, and assign them as a list to `answer_6`, to two decimals. Then write down which of these numbers you would need for your own benchmark, and how `study.design_effect` and `study.components` help to get them.

# %% tags=["solution"]
from scipy.stats import norm

plans = {"a": [20] * 5, "b": [10] * 5 + [1] * 50, "c": [10] * 10}  # datasets of each domain
variances = np.array([0.5**2 * np.sum(np.square(n)) / np.sum(n) ** 2 + 1 / np.sum(n) for n in plans.values()])
ahead = norm.cdf(0.3 / np.sqrt(variances))
answer_6 = list(ahead**2 + (1 - ahead) ** 2)

# %% tags=["check"]
gx.check("10-6", answer_6)

# %% [markdown] tags=["explanation"]
# **Why.** A domain that holds a share $w$ of the datasets contributes $0.25\,w^2$ to the variance of the mean, and the 100 datasets together contribute 1/100. So the variance $\sigma^2$ is 0.060 for (a), 0.02375 for (b) and 0.035 for (c). A study
# names A with probability $p = \Phi(0.3 / \sigma)$, so both name the same method with probability $p^2 + (1 - p)^2$. This probability is 0.80 for (a), 0.95 for (b) and 0.90 for (c). (A simulation of 20,000 pairs of studies agrees with these to within 0.01.) The fifty old datasets give 0.78, so fifty more datasets of the old domains
# add almost nothing. You need to know both standard deviations. One domain alone cannot tell you how much domains differ.

# %% [markdown] tags=["findings"]
# - **The leaderboard cannot say which model other tasks would put first.** Of {eval}`n_models` models that turn texts into numbers, {eval}`n_contenders` may be the best. If a second study has other types of tasks, {eval}`n_by_type` may. So recommend the leader as one of several. *A model may be the best if a test finds no better one. Here each task counts by itself. Notebook 09 counts related tasks once, which leaves more models. Two studies of {eval}`n_tasks` tasks of the same types put the same model first with a probability of {eval}`chapter.between(same_winner)` ({eval}`chapter.percent(confidence)` interval).*
# - **Many subtasks do not replace a second task.** Two studies with many subtasks of one task each, but of different tasks, find similar winners with a probability of {eval}`f"{last.predicted:.2f}"`. If each study spreads as many subtasks over {eval}`len(by_task)` tasks, the probability is {eval}`f"{spread.estimate:.2f}"`. *Each study has {eval}`n_subtasks` subtasks. The {eval}`chapter.percent(confidence)` intervals are {eval}`chapter.between(last)` and {eval}`chapter.between(spread)`. We extrapolate from {eval}`per_task` subtasks in each task of one benchmark.*
# - **In our runs, who wins depends more on the random split than on the dataset.** The split into training and test data explains {eval}`chapter.shares(split_shares)` of the variance in who wins. So run several splits of each dataset. *Shares range over {eval}`len(nested)` models, with {eval}`replicates.split.nunique()` splits of {eval}`replicates.dataset.nunique()` datasets. The datasets come from {eval}`replicates.table.nunique()` tables, but we treat them as independent.*

# %%
ends = ["estimate", "low", "high"]
of_mteb = {"nstar-winners": enough[["nstar", "low", "high"]], "mteb-contenders-types": n_by_type}
of_mteb |= {"mteb-winner": same_winner[ends], "mteb-order": same_order[ends]}
of_mteb |= {"mteb-contenders": n_contenders, "mteb-regret": places["regret"]}
of_both = dict(zip(chapter.DESIGNS, cheapest.loc["low", ["dataset", "model"]], strict=True))
of_both["encoders-winner"] = again[ends]
of_both |= {"same-task": last["one_factor"], "own-task": last[["predicted", "low", "high"]]}
of_both |= {"more-tasks": spread[ends]}
of_both |= {"split-share": [split_shares.median(), split_shares.min(), split_shares.max()]}
chapter.keep_key_numbers(of_mteb | of_both)

# %% [markdown]
# ## Summary
#
# You can generalize over what your study varied, but not over what it fixed.
#
# | you want to claim | report |
# |---|---|
# | "A is best" | `study.contenders()`, if it names A only; else `study.regret()` |
# | "another study names the same winner" | `study.agreement("winner")` with its interval |
# | "for other models (prompts, judges), too" | `study.components`, `study.agreement(..., factors=[...])` |
# | "on other domains, too" | `Study(..., cluster="domain")`, `study.design_effect` |

# %% [markdown]
# ## Further reading
#
# - [Brennan, 2001, *Generalizability Theory*](https://doi.org/10.1007/978-1-4757-3456-0): variance components for tests and judges, and the cheapest design.
# - [Muennighoff et al., 2023, *MTEB: Massive Text Embedding Benchmark*](https://aclanthology.org/2023.eacl-main.148): the leaderboard, and why no model is the best at all tasks.
