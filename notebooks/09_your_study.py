# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["course"]
# # What may you conclude from your own table?
#
# For your own table, type `genexpy-nb study results.csv` ([how to get it](../docs/commands.md)), and check what it guesses: what each column is, and which direction is better.
#
# <details><summary>The same in Python</summary>
#
# ```python
# import genexpy_nb as gx
#
# results = gx.read_results("results.csv")
# columns = {"alternatives": "model", "target": "score", "generalize_over": "task"}
# study = gx.Study(results, **columns, higher_is_better=True)
# gx.report(study, "mine.html")
# ```
#
# </details>
#
# **You will learn** what to ask of a table of results, and what each answer does and does not say.
#
# **You need** to know what a confidence interval and a significant difference are. Notebook 02 explains n\*.
#
# **Time** 8 minutes to read, 83 with the exercises.

# %% tags=["parameters"]
results: str | list = ""  # file, files or folder with results; empty: the bundled leaderboard of MTEB
alternatives: str | list[str] = "model"  # column with what is compared; several columns together name an alternative
target: str | list[str] = "score"  # column with the score; several, each with its direction: "auc=higher"
higher_is_better: str = "higher"  # direction of the target, higher or lower; empty: said in target
over: list[str] = ["task"]  # columns whose levels are the experiments
alpha: float = 0.95  # probability with which two studies should look alike, in (0, 1)
delta: float = 0.05  # how different two studies may be and still look alike, in (0, 1]
options: dict = {}  # all else, by the names that `genexpy-nb study --help` gives its options, such as {"design": ["metric"]}

# %%
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.own_study import shown as chapter

gx.plots.use_style()

# %% tags=["ours"]
leaderboard = gx.datasets.load_mteb()
about = leaderboard.attrs["about"]
short = leaderboard["model"].str.rsplit("/", n=1).str[-1]  # where no two models share it
twice = leaderboard["model"].groupby(short).transform("nunique") > 1
leaderboard["model"] = short.where(~twice, leaderboard["model"])
n_run = leaderboard.groupby("model")["task"].nunique()
source = leaderboard["task"].str.replace("^(?:CQADupstack|AskUbuntu)", "StackExchange", regex=True)  # its forums
of_several = source.str.extract("^(ArXiv|Massive|Medrxiv|STS|StackExchange)", expand=False)
leaderboard["source"] = of_several.fillna(source)
whole = leaderboard[leaderboard["model"].isin(n_run.index[n_run == n_run.max()])]
if not results:
    options = {"cluster": "source", **options}

# %%
request = chapter.StudyRequest.from_parameters(
    results=results, alternatives=alternatives, target=target, higher_is_better=higher_is_better, over=over,
    alpha=alpha, delta=delta, options=options,
)  # fmt: skip
table = request.read() if results else whole
study = request.study(table)
found = request.answers(study)

# %% tags=["ours"]
n_incomplete = int((n_run < n_run.max()).sum())
roles = {"alternatives": "model", "target": "score", "generalize_over": "task"}
trained = "Some models may have been trained on these tasks."
left_out = f"{n_incomplete} other models did not run all tasks, and are left out."
if not results:
    study.notes += [left_out, trained]
related = f" The best means on sources like these. A source is a task, or several related ones. {left_out} {trained}"
tasks_of = whole.groupby("source", sort=False)["task"].unique()
listed = [f"{name} ({len(tasks)} tasks)" if len(tasks) > 1 else tasks[0] for name, tasks in tasks_of.items()]

# %% [markdown]
# ## The table, and what it says
#
# In each *experiment*, such as a task or a dataset, we rank all *alternatives*. Rank 1 is the best, and ties share the mean of their ranks. The *mean rank* of an alternative is the average of its ranks over the experiments. The order by mean rank gives each a *place*.

# %% [markdown] tags=["ours"]
# Here, the alternatives are the {eval}`whole["model"].nunique()` models (of {eval}`len(n_run)`) that ran all {eval}`whole["task"].nunique()` English tasks of the Massive Text Embedding Benchmark, [MTEB](https://github.com/embeddings-benchmark/results), by {eval}`about["date"]` ([Muennighoff et al., 2023](https://aclanthology.org/2023.eacl-main.148); [Enevoldsen et al., 2025](https://arxiv.org/abs/2502.13595)).
#
# Tasks of one *source*, such as the forums of StackExchange, are related, and tell us less than independent tasks would. So each of the {eval}`whole["source"].nunique()` sources is one experiment, and its score is the mean over its tasks (`cluster="source"`), which may have different measures. We formed the sources from the names of the tasks. Some are still related, such as FEVER and ClimateFEVER, so more than {eval}`len(found.contenders)` models may be the best.
#
# <details><summary>The sources and their tasks</summary>
#
# {eval}`", ".join(listed)`.
#
# </details>

# %% tags=["findings"]
chapter.show_in_short(found, "" if results else related)

# %% tags=["hero"]
chapter.show_positions(found)

# %%
chapter.show_warnings(found)

# %% [markdown]
# ## Who is best, and by how much
#
# The first of a table need not be the best. A [contender](../docs/vocabulary.md#contender) may be the best: no other alternative is shown to be better. A contender need not stand near the top if its ranks vary much.

# %% tags=["ours"]
late = int(found.ranking.set_index("alternative")["position"][found.contenders].max())
near = found.gaps.loc[(found.gaps["p"] - found.level).abs() < 0.01, "alternative"].tolist()

# %% [markdown] tags=["ours"]
# <details><summary>The {eval}`len(found.contenders)` models that may be the best</summary>
#
# {eval}`", ".join(found.contenders)`. {eval}`f"The last of them is only at place {late}. Models above it are ruled out, but its ranks vary more." if late > len(found.contenders) else ""`{eval}`f" It was close for {chapter.together(near)}: the p-value is within 0.01 of the level, {found.level:g}." if near else ""`
#
# </details>

# %%
ranking, gaps = found.ranking, found.gaps
if len(gaps):
    columns = {"estimate": "gap", "low": "gap_low", "high": "gap_high"}
    ranking = ranking.merge(gaps[["alternative", *columns]].rename(columns=columns), how="left", on="alternative")

# %%
chapter.show_ranking(found, ranking)

# %%
pairs = found.pairs.sort_values("p_adjusted", kind="stable")
chapter.show_pairs(found, pairs)

# %% tags=["ours"]
by_task = gx.Study(whole, **roles).best()
with_gaps = gx.Study(leaderboard, **roles, cluster="source", missing="complete")
crowned = with_gaps.best(rank_incomplete=True)

# %% [markdown] tags=["ours"]
# **What related tasks do.** If we counted each task as one experiment, {eval}`len(by_task.contenders)` models might be the best instead of {eval}`len(found.contenders)`. That would look more certain than it is.
#
# **What missing scores do.** A statistical model can fill in missing scores (`missing="complete"`). If we then rank all models, {eval}`crowned.best[0]` leads although it ran only {eval}`int(n_run[crowned.best[0]])` of {eval}`int(n_run.max())` tasks. So a paper must say which models it left out.

# %% [markdown]
# ## What it costs to rely on the table
#
# How much may you lose in an experiment where nobody tried the leader? We leave out each experiment, let the others choose a leader, and count how many places it is behind the best on the one left out.

# %%
regret = found.regret if results else found.regret.assign(score_regret=np.nan)  # scores are of different measures
chapter.show_regret(found, regret)

# %% [markdown]
# ## Would another study conclude the same?
#
# *Kendall's tau* compares the orders of two studies by mean rank: it is 1 if they are the same, 0.9 if they differ on 5 % of all pairs, and 0 if they are unrelated.

# %%
agreement = found.agreement
chapter.show_agreement(found, agreement)

# %%
needs, curves = found.nstar, found.curves
within = chapter.verbatim(" x ".join(study.within_clusters)) if study.cluster else ""
stricter = 0.4 * delta if found.even_is_alike and not study.design else None
if stricter:
    more = gx.plan(study.nstar(gx.JaccardKernel(k=1), alpha, stricter)).replace(
        "Jaccard(1)", f"Jaccard(1), δ = {stricter:g}"
    )
    needs = pd.concat([needs, more])

# %% [markdown]
# ## How many experiments are needed?
#
# If two studies have n\* experiments each, their results are *similar* with probability α = {eval}`chapter.as_written(alpha)`: they differ by no more than the tolerance δ = {eval}`chapter.as_written(delta)`. Take the *shares of wins*: how often each alternative is the best. Half the sum of their squared differences may be δ. So one share may be {eval}`chapter.written_number(100 * delta**0.5, digits=2)` percentage points larger, if another is that much smaller. {eval}`"This is coarse: even equal wins for all would count as similar to these" * found.even_is_alike`{eval}`f". {'We keep 0.05, as Matteucci et al. (2025) do, and' if delta == 0.05 else 'We also'} show {stricter:g} beside it." if stricter else ", so choose a smaller δ." * found.even_is_alike` A study has enough experiments if the whole interval of n\* lies at or below their number.{eval}`f" For this, we do not average within a {chapter.verbatim(study.cluster)} first: we compare every {within} of one with every {within} of another." if study.cluster else ""`

# %%
chapter.show_needs(found, needs, curves)

# %% tags=["ours"]
few, order = found.estimate_of(gx.MallowsKernel()), found.experiments_for.iloc[0]

# %% [markdown] tags=["ours"]
# n\* = {eval}`f"{np.ceil(few['nstar']):.0f}"` for all rankings asks whether two studies see the same mixture of rankings. Rankings differ so much from source to source that two mixtures soon look alike. The order by mean rank needs more: a tau of {eval}`f"{order['agreement']:g}"` takes about {eval}`f"{round(order['n'], -1):.0f}"` sources.

# %%
extend = found.extend
chapter.show_plan(found, extend)

# %%
chapter.show_answers(found)

# %% [markdown]
# In Python, ask `study.contenders()`, `study.ranking()`, `study.regret()`, `study.agreement("winner", n)` (or `"order"`, for tau) and `study.nstar([gx.JaccardKernel(k=1), gx.MallowsKernel()])`.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: What may you write?
#
# *Understanding · 5 minutes.* Suppose that all 41 tasks of the leaderboard are independent. Then 8 of 183 models may be the best. Two studies need 31 tasks each (29 to 33) to find similar shares of wins. Another study of 41 tasks has the same winner with a probability between 0.1 and 1.0. Which sentence may you write? Assign its letter to `answer_1`.
#
# - **a** "41 tasks are enough to know which model is best."
# - **b** "The first model of the table is the best one."
# - **c** "With a probability of at least 0.95, another study of 41 tasks would find similar shares of wins (δ = 0.05, which is coarse). Which of eight models is the best, the data do not say."
# - **d** "Since the interval goes from 0.1 to 1.0, nothing can be said about this table."

# %% tags=["solution"]
answer_1 = "c"

# %% tags=["check"]
gx.check("09-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** n\* compares distributions of results. Its high end, 33, is below 41, so the shares of tasks that the models win would be similar. n\* says nothing about the best.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: In, and out
#
# *Application · 10 minutes.* Exercises 2 to 5 use other tables, for practice. In the cell for your answer, `of_encoders` is our study of 22 encoders, which turn categories into numbers (our own runs). How many may be the best, by `of_encoders.contenders()`? TE1 is one of them, and RHE is not. Which sentence is right? Assign a list of the number and the letter to `answer_2`.
#
# - **a** "TE1 is better than RHE."
# - **b** "RHE is worse than every contender."
# - **c** "Some encoder is significantly better than RHE, but none is significantly better than TE1. The data do not say which of these two is better."
# - **d** "All contenders are equally good."

# %% tags=["solution"]
encoders = gx.datasets.load_encoders("bundled")
untuned = {"model": "LR", "tuning": "no", "scoring": "AUC"}
roles = {"alternatives": "encoder", "target": "cv_score", "generalize_over": "dataset", "fixed": untuned}
of_encoders = gx.Study(encoders, **roles, higher_is_better=True)
### BEGIN SOLUTION
answer_2 = [int(of_encoders.contenders()["may_be_best"].sum()), "c"]
### END SOLUTION

# %% tags=["check"]
gx.check("09-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The mean ranks of TE1 and RHE are 9.57 and 9.89, and the difference is not significant. We test whether some encoder is better. The *p-value* says how likely such a difference is by chance alone. It is 0.055 for TE1 and 0.040 for RHE. So RHE is significantly worse than some encoder, and TE1 is not. But this does not make the difference between RHE and TE1 significant. Nor does it show that they are equally good: TE1 may be up to 5.6 mean ranks behind the best.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: How many more?
#
# *Application · 10 minutes.* The study of exercise 2 has 56 datasets. Somebody wants two studies to find similar shares of wins (`gx.JaccardKernel(k=1)`) with α = 0.95 and a stricter δ = 0.02. How many more datasets does it take by the estimate of n\*, by the low end of its interval, and by the high end? Assign the list of these whole numbers to `answer_3`.

# %% tags=["solution"]
strict = of_encoders.nstar(gx.JaccardKernel(k=1), 0.95, 0.02).iloc[0]
answer_3 = [int(np.ceil(strict[name])) - 56 for name in ("nstar", "low", "high")]

# %% tags=["check"]
gx.check("09-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** n\* is 79.9 (76.3 to 83.1). Rounded up, these are 80, 77 and 84. A plan should use the high end: 28 more datasets are enough, wherever in this interval n\* lies. With δ = 0.05,
# n\* is 32, and the same table has enough datasets.

# %% [markdown]
# ## What the data are
#
# All this depends on what was averaged, left out or missing, so check it.

# %%
missing = found.missing
chapter.show_data(found, table, missing)

# %% [markdown] tags=["exercise"]
# ### Exercise 4: The wrong direction
#
# *Application · 10 minutes.* By mistake, somebody makes the study of exercise 2 with `higher_is_better=False`. Which of these stay the same? Assign a set of letters to `answer_4`.
#
# - **a** which encoder has the best mean rank
# - **b** n\* for the shares of wins, `gx.JaccardKernel(k=1)`
# - **c** n\* for the ranking of all encoders, `gx.MallowsKernel()`
# - **d** the p-values of all pairs

# %% tags=["solution"]
mistaken = gx.Study(encoders, **roles, higher_is_better=False)


def answers_of(one):
    """First by mean rank, both n*, and all p-values in order of size."""
    kernels = [gx.JaccardKernel(k=1), gx.MallowsKernel()]
    return [one.ranking().index[0], *one.nstar(kernels, 0.95, 0.05)["nstar"], sorted(one.pairs()["p_adjusted"])]


(first_a, *numbers), (first_b, *others) = answers_of(of_encoders), answers_of(mistaken)
same = [first_a == first_b, *(np.allclose(x, y) for x, y in zip(numbers, others, strict=True))]
answer_4 = {letter for letter, stays in zip("abcd", same, strict=True) if stays}

# %% tags=["check"]
gx.check("09-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** If every ranking is reversed, two experiments that agreed on a pair of alternatives still agree on it, so the Mallows kernel sees no difference. Neither do two-sided p-values. So a wrong direction leaves
# much of a report as it was, even which differences are significant. But the conclusion is reversed: the report would name the last encoder, DE, as the winner. No number reveals the mistake, so each page prints the direction.

# %% [markdown]
# ## Limits

# %%
chapter.show_limits(found)

# %% [markdown]
# Your paper may say what follows (`study.summary()`), together with these limits.

# %%
chapter.show_paper(found)

# %%
chapter.keep_key_numbers(found)

# %% [markdown] tags=["exercise"]
# ### Exercise 5: A results paragraph
#
# *Project · 40 minutes.* `gx.datasets.load_bigbench("bundled")` has scores (`score_value`, higher is better) of classifiers that learn from a few solved examples (`model_family_model_name`), in the subtasks (`subtask_description`) of tasks (`task_name`). Take wine_features with 5 examples (`number_of_shots`) and docstrings with 2, and `missing="worst-rank"` (missing scores share the worst rank).
# What is the low end of the interval of `study.agreement("winner", n, rng=0)`, for another study with as many subtasks? Assign the list of both to `answer_5`, to two decimals. Then write the results paragraph for each, or for your own table.

# %% tags=["solution"]
fewshot = gx.datasets.load_bigbench("bundled")
roles_5 = {"alternatives": "model_family_model_name", "target": "score_value", "generalize_over": "subtask_description"}
answer_5 = []
for task, shots in (("wine_features", 5), ("docstrings", 2)):
    held = {"task_name": task, "number_of_shots": shots}
    of_task = gx.Study(fewshot, **roles_5, fixed=held, higher_is_better=True, missing="worst-rank")
    answer_5.append(of_task.agreement("winner", len(of_task.rankings()), rng=0)["low"].iloc[0])

# %% tags=["check"]
gx.check("09-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** For wine_features, the low end is 0.93. The winner, a quadratic discriminant, is the only contender, so you may call it the best for this task with 5 examples. For docstrings, the low end is 0.14. Eight classifiers may be the best,
# and the paragraph should name them. According to n\*, both studies have enough subtasks. So the size of a table does not show which sentence it supports.

# %% [markdown] tags=["course"]
# ## Summary
#
# - Experiments that are enough for one question and one tolerance need not be enough for others.
# - Name all contenders, not only the leader.
# - Check the direction, and what is missing, averaged or related: the answers depend on it.

# %% [markdown]
# ## Further reading
#
# - [Matteucci et al., 2025](https://arxiv.org/abs/2406.17374v3): what n\* is, and which questions it answers.
# - [Hsu, 1984](https://doi.org/10.1214/aos/1176346732): who may be the best, and by how much.
# - [Mogstad et al., 2024](https://doi.org/10.1093/restud/rdad006): which place each may have.
