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
# You have a table of results, and a deadline. One method leads. May you call it the best, and would it lead on other data?
#
# This notebook reads your table and answers these questions from it. Without a table, it shows a published leaderboard. To run it on your results, type `genexpy-nb study results.csv`, a command of this toolkit ([how to get it](../docs/commands.md)). It guesses what each column is, and the direction if a name tells it, and prints the guess: check it. In Python, say it:
#
# ```python
# import genexpy_nb as gx
#
# results = gx.read_results("results.csv")
# columns = {"alternatives": "model", "target": "score", "generalize_over": "task"}
# study = gx.Study(results, **columns, higher_is_better=True)
# study.contenders()
# gx.report(study, "mine.html")
# ```
#
# Put your own columns there: what is compared, its score, and what it was tried on. A matrix, with a row for each dataset and a column for each method, is read by `gx.Study.from_wide(results, over="dataset", higher_is_better=True)`. The sections below name their calls.
#
# **You will learn** what to ask of a table of results, which call answers, and what each answer does and does not say.
#
# **You need** a table of results, and to know what each column is for. Notebook 02 says what n\* is, notebook 05 what the tests do, notebook 10 what agreement is.
#
# **Time** 15 minutes to read, 105 with the exercises.

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
import warnings

import numpy as np

import genexpy_nb as gx
from genexpy_nb.own_study import shown as chapter

gx.plots.use_style()

# %% tags=["ours"]
leaderboard = gx.datasets.load_mteb()
about = leaderboard.attrs["about"]
n_run = leaderboard.groupby("model")["task"].nunique()
whole = leaderboard[leaderboard["model"].isin(n_run.index[n_run == n_run.max()])]

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
sources = ["ArXiv", "CQADupstack", "Massive", "Medrxiv", "STS", "StackExchange"]
source = whole["task"].str.extract("^(" + "|".join(sources) + ")", expand=False).fillna(whole["task"])
clustered = gx.Study(whole.assign(source=source), **roles, cluster="source")
by_source = gx.Answers(clustered, gx.JaccardKernel(k=1), alpha, delta)
left_out = f"{n_incomplete} of the {len(n_run)} models of MTEB (English) did not run all tasks, and are left out."
clustered.notes.append(left_out)
if not results:
    study.notes.append(left_out)
n_all, n_few = len(by_source.names), len(by_source.contenders)
related = f"Cite this: {n_few} of the {n_all} models may be the best, if tasks of one source, such as two forums of one site, "
related += "count once. From here to the paragraph for your paper, each task counts. "
winning = found.ranking.loc[found.ranking["share_best"].idxmax()]

# %% [markdown]
# ## The table, and what it says
#
# In each experiment the alternatives are ranked, and 1 is the best. The *mean rank* of an alternative is the mean over the experiments.

# %% [markdown] tags=["ours"]
# Unless you give it another table, this page uses the English benchmark of [MTEB](https://github.com/embeddings-benchmark/results) ([Muennighoff et al., 2023](https://aclanthology.org/2023.eacl-main.148)) in its version 2 ([Enevoldsen et al., 2025](https://arxiv.org/abs/2502.13595)), called {eval}`about["benchmark"]`. The results are those of {eval}`about["date"]`, commit {eval}`about["source"].rpartition("/")[2][:7]`: {eval}`whole["model"].nunique()` models that turn texts into
# vectors, on all of its {eval}`whole["task"].nunique()` tasks. {eval}`n_incomplete` of the {eval}`len(n_run)` models of the leaderboard did not run all of them, and are left out.
#
# The tasks are of {eval}`whole["task_type"].nunique()` kinds, such as retrieval, classification and clustering. The *score* in a task is the measure of its kind: 1 is the best possible, and here scores go from {eval}`f"{whole['score'].min():.2f}"` to {eval}`f"{whole['score'].max():.2f}"`. Differences in score are in these units.

# %% tags=["findings"]
chapter.show_in_short(found, "" if results else related)

# %% tags=["hero"]
chapter.show_positions(found)

# %%
chapter.show_warnings(found)

# %% [markdown]
# ## Who is best, and by how much
#
# *Alternatives* are what you compare, and *experiments* what you compare them on, such as tasks or datasets. We ask of each alternative whether another one is better, and allow for the number of comparisons. Those that no other is shown to beat may be the best: they are the *contenders*. The other contenders are the *rivals* of the leader. The *place* of an alternative is its number when all are ordered by mean rank. The *gap* says by how many mean ranks an alternative is ahead of the best of the others; below 0, it is behind.
# You may pick any alternative after seeing the table: the intervals of the gaps allow for that. The calls are `study.ranking()` and `study.contenders()`.

# %%
ranking, gaps = found.ranking, found.gaps
if len(gaps):
    columns = {"estimate": "gap", "low": "gap_low", "high": "gap_high"}
    ranking = ranking.merge(gaps[["alternative", *columns]].rename(columns=columns), how="left", on="alternative")

# %%
chapter.show_ranking(found, ranking)

# %%
chapter.show_answers(found)

# %% [markdown] tags=["ours"]
# **To lead** means to have the best mean rank, and no more. {eval}`winning["alternative"]` wins the most tasks, {eval}`chapter.percent(winning["share_best"], 1)` of them, and has place {eval}`int(winning["position"])`.
#
# **What missing scores do.** We rank the models of the whole leaderboard twice: first all of them, then only those that ran at least half of the tasks. Missing scores are filled in (`missing="complete"`): a model of ranks learns from all scores how good each alternative is and which tasks order the alternatives alike, and draws what is missing ten times. An alternative that ran few tasks and did well there is taken to do well elsewhere.

# %% tags=["ours"]
with_gaps = gx.Study(leaderboard, **roles, missing="complete")
crowned = with_gaps.best(rank_incomplete=True)
ranked = with_gaps.best()

# %% [markdown] tags=["ours"]
# With all {eval}`len(with_gaps.alternatives)` models, {eval}`crowned.best[0]` leads although it ran only {eval}`int(n_run[crowned.best[0]])` of {eval}`int(n_run.max())` tasks, and {eval}`len(crowned.contenders)` may be the best. Among those with at least half, {eval}`ranked.best[0]`
# leads, and {eval}`len(ranked.contenders)` may be the best. The ranking above has only the models that ran all tasks, and {eval}`len(found.contenders)` may be the best. A paper must say how many it left out.

# %% [markdown]
# ## What it costs to rely on the table
#
# We leave each experiment out once, and let the others choose a leader. How far this leader falls behind on the left-out experiment hints at what to expect of it elsewhere. Within one experiment, the *place* is the rank. A shortlist keeps the first two or three and tries them all on the new experiment. The call is `study.regret()`.

# %% [markdown] tags=["ours"]
# Here {eval}`found.ranking["alternative"].iloc[0]` leads whichever task is left out. So its cost in places is its mean rank ({eval}`f"{found.ranking['mean_rank'].iloc[0]:.2f}"`) less 1; only its cost in score and the shortlist are new.

# %%
regret = found.regret
chapter.show_regret(found, regret)

# %% [markdown]
# ## Would another study conclude the same?
#
# Suppose somebody repeats the study with as many new experiments. How far would the two agree, by mean ranks? Where an interval is wide, the results leave the answer open, whatever the estimate. Kendall's tau compares two orders: it is 1 if they are the same, and 0 if they are unrelated. The call is `study.agreement("winner", n)`, or with `"order"` for tau.
#
# We can cut the table into two halves, and compare them. Two larger studies do not fit into it, so for them we extrapolate. The estimate starts from the differences that we see; the interval allows for chance in them. So the estimate may lie outside its interval, and then we leave it out.

# %%
agreement = found.agreement
chapter.show_agreement(found, agreement)

# %% [markdown]
# ## How many experiments are needed?
#
# This is a different question: how many experiments does it take until two studies are *similar*? They may be similar in how often each alternative wins, or in how they order all alternatives. It does not say who is best. n\* is the number at which two studies differ by {eval}`chapter.as_written(delta)` (δ) at most, with probability {eval}`chapter.as_written(alpha)` (α). There are enough if its whole interval lies at or below the number that was run. The call is `study.nstar(gx.JaccardKernel(k=1))`.
#
# δ is not a number of percentage points. For how often each alternative wins, and where no two share a win, it means this: take the difference between the two shares of wins of each alternative, and square it. The sum of all squares may be 2δ = {eval}`chapter.as_written(2 * delta)`. For the order of all, δ is the share of pairs that two orders may have the other way round. Orders in single experiments are compared, not those by mean rank: so n\* is not what a tau of 0.9 takes.

# %% tags=["ours"]
firsts = gx.Study(whole, **roles).rankings() == 0
shares = firsts.div(firsts.sum(axis=1), axis=0).mean()
from_even = ((shares - 1 / len(shares)) ** 2).sum()
by_order, n_tasks = gx.MallowsKernel(), len(firsts)
alike = (gx.Study(whole, **roles).gram(None, by_order).sum() - n_tasks) / (n_tasks * (n_tasks - 1))  # of two tasks
from_random = np.sqrt(max(alike - np.exp(-0.5), 0))  # two random orders differ in half of all pairs
allowed = by_order.epsilon(delta, len(shares))

# %% [markdown] tags=["ours"]
# Between this leaderboard and one where all {eval}`len(shares)` models win equally often, the sum is {eval}`f"{from_even:.2f}"`{eval}`f", and {2 * delta:g} is allowed. So here 'enough' says next to nothing about who wins" if from_even <= 2 * delta else ""`. {eval}`f"'Enough' does say something about the order: a leaderboard of random orders would differ from this one by {from_random:.2f} (a distance of two studies, the MMD), and {allowed:.2f} is allowed." if from_random > allowed else ""`

# %%
needs, curves = found.nstar, found.curves
chapter.show_needs(found, needs, curves)

# %% [markdown] tags=["ours"]
# **What related tasks do.** So far every task counts as independent. But some come from one source. We now count those whose names begin with {eval}`", ".join(sources[:-1])` or {eval}`sources[-1]` as one experiment for each source (`cluster="source"`). That leaves {eval}`by_source.n_experiments` experiments. {eval}`len(by_source.contenders)` models may then be the best instead of {eval}`len(found.contenders)`. Names do not say everything: CQADupstack and AskUbuntu are from Stack Exchange, too, so there are still fewer sources.

# %%
extend = found.extend
chapter.show_plan(found, extend)

# %% [markdown] tags=["exercise"]
# ### Exercise 1: What may you write?
#
# *Understanding · 5 minutes.* Take the tasks as independent. On the leaderboard 7 of 183 models can be the best (95 % confidence). n\*, the number of tasks with which two studies find similar shares of wins, is 31 (29 to 33), and 41 tasks were run. The probability that a second study of 41 tasks has the same winner
# by mean rank is between 0.10 and 1.00. Which sentence may you write? Assign its letter to `answer_1`.
#
# - a. "41 tasks are enough to know which model is best."
# - b. "The first model of the table is the best one."
# - c. "In another study of 41 tasks, the shares of tasks that the models win would be similar (δ = 0.05). Which of seven models is the best on average is open."
# - d. "Since the interval goes from 0.10 to 1.00, the method fails on this table, and nothing can be said about it."

# %% tags=["solution"]
answer_1 = "c"

# %% tags=["check"]
gx.check("09-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** n\* compares distributions of results: 33, the high end, is below 41, so the shares of tasks that the models win would be similar. This is a coarse statement: δ = 0.05 allows a single share to differ by 22 points, if another one makes up for it. n\* says nothing about the best. That is for the contenders, and for the cost of choosing one of them.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: In, and out
#
# *Application · 10 minutes.* `of_encoders` is a study of encoders, from our own runs: `gx.Study(gx.datasets.load_encoders("bundled"), alternatives="encoder", target="cv_score", generalize_over="dataset", fixed={"model": "LR",
# "tuning": "no", "scoring": "AUC"}, higher_is_better=True)`. How many of the 22 encoders may be the best, by `of_encoders.contenders()`? TE1 (a target encoding) is one of them, RHE (rank-hot encoding, a relative of one-hot encoding) is not. Which sentence is right? Assign a list of the number and the letter to `answer_2`.
#
# - a. "TE1 is better than RHE."
# - b. "RHE is worse than every contender."
# - c. "Some encoder is significantly better than RHE, but none is better than TE1. Which of these two is better is open."
# - d. "All contenders are equally good."

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
# **Why.** The mean ranks of TE1 and RHE are 9.57 and 9.89, and nothing tells them apart. Against the best of the others, TE1 has p = 0.053 and RHE has 0.040. One is significantly worse than some encoder and the other is not, but this is not a significant difference between the two. Nor are the eight equally good: WOEE may be up to 5.3 mean ranks behind the best.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: How many more?
#
# *Application · 10 minutes.* The study of exercise 2 has 56 datasets. Somebody wants two studies to find similar shares of wins (`gx.JaccardKernel(k=1)`) with probability α = 0.95, and with a stricter tolerance δ = 0.02 for what is similar. How many datasets must still be run, by the estimate of n\*, by the low end of its
# interval and by the high end? A study has a whole number of datasets. Assign the three numbers as a list to `answer_3`.

# %% tags=["solution"]
strict = of_encoders.nstar(gx.JaccardKernel(k=1), 0.95, 0.02).iloc[0]
answer_3 = [int(np.ceil(strict[name])) - 56 for name in ("nstar", "low", "high")]

# %% tags=["check"]
gx.check("09-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** n\* is 79.9 (76.3 to 83.1), which is 80, 77 and 84 when rounded up. A plan should take the high end: with 28 more datasets there are enough, wherever in this interval n\* lies. With δ = 0.05
# n\* is 32, and the same table has enough. So "enough" is not a property of a table: say for which question, α and δ.

# %% [markdown]
# ## Which pairs differ
#
# All pairs are compared at once, by mean ranks. A difference that is not significant may still be there: these experiments do not show it. To ask who may be the best takes fewer tests. So an alternative can be ruled out as the best, with places from 2 on, although no pair shows who beats it. The call is `study.pairs()`.

# %%
pairs = found.pairs.sort_values("p_adjusted", kind="stable")
chapter.show_pairs(found, pairs)

# %% [markdown]
# ## What the data are

# %%
missing = found.missing
chapter.show_data(found, table, missing)

# %% [markdown] tags=["exercise"]
# ### Exercise 4: The wrong direction
#
# *Application · 10 minutes.* By mistake the study of exercise 2 is made with `higher_is_better=False`. Which of these stay the same? Assign a set of letters to `answer_4`.
#
# - a. which encoder has the best mean rank
# - b. n\* of how often each encoder wins, `gx.JaccardKernel(k=1)`
# - c. n\* of how all encoders are ranked, `gx.MallowsKernel()`
# - d. the adjusted p-values of all pairs

# %% tags=["solution"]
mistaken = gx.Study(encoders, **roles, higher_is_better=False)


def answers_of(one):
    """First by mean rank, both n*, and all p-values in order of size."""
    kernels = [gx.JaccardKernel(k=1), gx.MallowsKernel()]
    return [one.rankings().mean().idxmin(), *one.nstar(kernels, 0.95, 0.05)["nstar"], sorted(one.pairs()["p_adjusted"])]


(first_a, *numbers), (first_b, *others) = answers_of(of_encoders), answers_of(mistaken)
same = [first_a == first_b, *(np.allclose(x, y) for x, y in zip(numbers, others, strict=True))]
answer_4 = {letter for letter, stays in zip("abcd", same, strict=True) if stays}

# %% tags=["check"]
gx.check("09-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** If every ranking is reversed, two experiments still order each pair of alternatives in the same way or not: the Mallows kernel sees no difference. Neither do two-sided p-values. So a wrong direction leaves
# much of a report as it was, significant differences included, and reverses its conclusion: the report would name DE, which is last, as the winner. No number on the page reveals the mistake. That is why the direction
# must be said, and is printed on each page.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: 560 experiments
#
# *Application · 15 minutes.* In `gx.datasets.load_replicates()` each of 56 datasets was split ten times. One study averages over the splits (`generalize_over="dataset", average_over="split"`), another one counts every split as an experiment
# (`generalize_over=["dataset", "split"]`). Alternatives are the encoders, the target is `score`, higher is better, and the model is LR. How many of the 28 pairs are significant at the level 0.05, by `pairs()`, in the first and in the second? Assign both numbers as a list to
# `answer_5`. Which of them may a paper report?

# %% tags=["solution"]
replicates = gx.datasets.load_replicates()
roles_5 = {"alternatives": "encoder", "target": "score", "fixed": {"model": "LR"}, "higher_is_better": True}
of_datasets = gx.Study(replicates, **roles_5, generalize_over="dataset", average_over="split")
with warnings.catch_warnings(
    action="ignore", category=gx.errors.StudyWarning
):  # splits as experiments: the package objects
    of_splits = gx.Study(replicates, **roles_5, generalize_over=["dataset", "split"])
answer_5 = [int((one.pairs()["p_adjusted"] < 0.05).sum()) for one in (of_datasets, of_splits)]

# %% tags=["check"]
gx.check("09-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** The second study treats 560 related evaluations as 560 independent experiments. Ten more pairs become significant, without one more dataset; the package warns of it. A reader has other datasets, not other splits of these; so the dataset is the experiment, and
# the splits are averaged. Strictly, even that counts too much: the 56 datasets were cut from 23 tables, and `cluster="table"` counts these. Notebook 06 has the same mistake with folds, and notebook 10 says what splits are worth.

# %% [markdown]
# ## For your paper
#
# This is what your results section may say, by `study.summary()`. Limits and methods belong to it.

# %% [markdown] tags=["ours"]
# Here it counts each source once, as tasks from one source are related. So its numbers differ from those above.

# %%
cited = found if results else by_source
cited.summary()

# %% [markdown]
# ## Limits

# %%
chapter.show_limits(cited)

# %% [markdown]
# ### Methods
#
# To *flip the signs* of an experiment is to reverse all differences in it, as chance might have done if nobody were better. *Skewness* says how lopsided a distribution is. [Other words](../docs/vocabulary.md) are in the vocabulary.

# %%
chapter.show_methods(cited)

# %% [markdown]
# **How to cite.** The toolkit: `CITATION.cff` in its repository. The methods: the works below.

# %% [markdown] tags=["exercise"]
# ### Exercise 6: A paragraph of results
#
# *Project · 40 minutes.* `gx.datasets.load_bigbench("bundled")` has few-shot classifiers (`model_family_model_name`) with a `score_value`, higher is better, in the subtasks (`subtask_description`) of tasks
# (`task_name`). With `missing="worst-rank"`, take the task wine_features with 5 solved examples (`number_of_shots`), and the task docstrings with 2. For each, find the low end of the interval for the probability that
# another study of as many subtasks names the same winner by mean rank, `study.agreement("winner", n, rng=0)`. Assign both as a list to `answer_6`, to two decimals. Then make a report on each, or on your own table, with
# `genexpy-nb study` or `gx.report(study, "mine.html")`, and write the paragraph of results: who leads, who may be just as good, and what another study would say. Let somebody else mark every sentence as "the page says
# so" or "it does not".

# %% tags=["solution"]
fewshot = gx.datasets.load_bigbench("bundled")
roles_6 = {"alternatives": "model_family_model_name", "target": "score_value", "generalize_over": "subtask_description"}
answer_6 = []
for task, shots in (("wine_features", 5), ("docstrings", 2)):
    held = {"task_name": task, "number_of_shots": shots}
    of_task = gx.Study(fewshot, **roles_6, fixed=held, higher_is_better=True, missing="worst-rank")
    answer_6.append(of_task.agreement("winner", len(of_task.rankings()), rng=0)["low"].iloc[0])

# %% tags=["check"]
gx.check("09-6", answer_6)

# %% [markdown] tags=["explanation"]
# **Why.** For wine_features the low end is 0.93: the winner, a quadratic discriminant, is the only contender and may be named, for this task and 5 examples. For docstrings it is 0.14: eight classifiers may be the best,
# and the paragraph should name them. Both have enough subtasks by n\*. The size of a table does not show which sentence it supports.

# %%
chapter.keep_key_numbers(found)

# %% [markdown] tags=["course"]
# ## Summary
#
# - Ask first who may be the best, and what it costs to rely on that. Then ask which pairs differ, and whether another study would conclude the same. No answer replaces another.
# - Read intervals before estimates.
# - "Enough" experiments are enough for one question, one strictness, and experiments like these.
# - What is missing, averaged or related, and which direction is better, decides the answer. The page says what was done. Only somebody who knows the table can say whether that is right.

# %% [markdown]
# ## Further reading
#
# - [Matteucci et al., 2025, *Generalizability of Experimental Studies*](https://arxiv.org/abs/2406.17374v3): what n\* is, and the questions that the kernels
#   stand for.
# - [Hsu, 1984, *Constrained Simultaneous Confidence Intervals for Multiple Comparisons with the Best*](https://doi.org/10.1214/aos/1176346732): who may be the best, and by how much.
# - [Demšar, 2006, *Statistical Comparisons of Classifiers over Multiple Data Sets*](https://jmlr.org/papers/v7/demsar06a.html): how to test over many
#   datasets, Wilcoxon's test for a pair among them.
# - [Mogstad et al., 2024, *Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across
#   Countries*](https://doi.org/10.1093/restud/rdad006): what can be said about places in a ranking.
