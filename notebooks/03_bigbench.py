# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Would language models win as often on other questions?
#
# *Executable companion to* Generalizability of Experimental Studies, *both versions: Section 5.2, Figures 4 (second version) and 3 (first).*
#
# You pick a language model because it leads a benchmark. The benchmark asks what its authors happened to think of: additions with one digit, with two digits, and so on. Had they thought of other questions,
# would each model win as often?
#
# In this notebook you look at a benchmark with many tasks, estimate how many subtasks each of them needs, and find three traps on the way: missing results, rows that are averages of other rows, and an estimate that
# changes with its random seed.
#
# **You will learn** what to do when many results are missing; to look at the rows of a table before you count them; what it means that all experiments agree; and why the published estimate depends on the random seed.
#
# **You need** notebook 01 for the definitions: experiment, kernel, n\*. Notebook 02 asks the same of another benchmark, with fewer difficulties.
#
# **Time** 15 minutes to read, 75 with the exercises.

# %% tags=["parameters"]
source: str = "auto"  # results table: original (published), bundled (this project's own runs), or auto
configuration: dict = {}  # task_name and number_of_shots to look at closely; empty: the paper's, or the one with the largest n*
n_seeds: int = 100  # how many random seeds the published estimate is repeated with, at least 2
alpha: float = 0.95  # probability with which two studies should look alike, in (0, 1)
delta: float = 0.05  # how different two studies may be and still look alike, in (0, 1]
confidence: float = 0.95  # of the intervals, in (0, 1)
seed: int = 0  # seed of everything else that is random

# %%
import warnings

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import bigbench as chapter

gx.plots.use_style()
warnings.simplefilter("ignore", gx.errors.StudyWarning)  # on raw scores: a section below is about them
results = gx.datasets.load_bigbench(source)
gx.datasets.notice(results)

# %% [markdown]
# The table has {eval}`results["task_name"].nunique()` tasks and {eval}`results["model_family_model_name"].nunique()` models. A *task* is a family of *subtasks*. Each row is one evaluation of a model on one subtask. The number of *shots* says how many solved examples the model has seen. {eval}`"In this table, the published one, the models are language models, and a shot is an example in the prompt." if results.attrs["source"] == "original" else "In this table, our own runs, the models are classifiers that learn from the examples, and the score is their accuracy."`

# %% [markdown]
# ## What to do about missing results
#
# We analyse each task with each number of shots on its own, as one [configuration](../docs/vocabulary.md). Within a configuration, each subtask is one experiment.
#
# {eval}`chapter.told("missing", f"{chapter.percent(chapter.share_missing(results))} of the possible evaluations have no result.", results)` In the published table that is too many to rank all of them last, say the papers. They
# filter twice: they keep the subtasks on which at least 80 % of the models were run, and the models that were run on at least 80 % of these. We filter in this order, and rank last what is still missing. The notes below say what this did; in them, a *condition* is a subtask with a number of shots, and an *alternative* is a model.

# %%
roles = {
    "alternatives": "model_family_model_name",
    "target": "score_value",
    "generalize_over": "subtask_description",
    "design": ["task_name", "number_of_shots"],
    "higher_is_better": True,
    "missing": "drop",
}
study = gx.Study(results, **roles)
large = study.accounting.query("n_experiments > 10")
single = chapter.percent((study.accounting["n_experiments"] == 1).mean())
filtered = f"{' '.join(study.notes)} Of {len(study.configurations)} configurations, {single} have a single subtask."

# %% [markdown]
# {eval}`chapter.told("filtered", filtered, results)`
#
# One subtask says nothing about others, and few say little. So we go on with the configurations that have more than ten: {eval}`len(large)` configurations of {eval}`large["task_name"].nunique()` tasks.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: The filter by hand
#
# *Application · 10 minutes.* Six models, A to F, were run on six subtasks. Some results are missing: F on subtasks 2 and 3; E and F on subtask 4; A and B on subtask 6. The papers' filter first drops the subtasks that
# more than 20 % of the models lack, and then the models that lack more than 20 % of the remaining subtasks. How many subtasks and how many models are left? Assign the list of the two numbers, subtasks first, to
# `answer_1`.

# %% tags=["solution"]
lacks = {2: "F", 3: "F", 4: "EF", 6: "AB"}
evaluated = [(subtask, name) for subtask in range(1, 7) for name in "ABCDEF" if name not in lacks.get(subtask, "")]
small_table = pd.DataFrame(evaluated, columns=["subtask", "model"]).assign(score=range(len(evaluated)))
filtered = gx.Study(
    small_table,
    alternatives="model",
    target="score",
    generalize_over="subtask",
    higher_is_better=True,
    missing="drop",
)
answer_1 = list(filtered.rankings().shape)

# %% tags=["check"]
gx.check("03-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** Subtasks 4 and 6 lack two of six models, so they go; 2 and 3 lack one, so they stay. Of the four subtasks left F lacks two, so it goes; nobody else lacks any. Begin with the models and F goes first; then subtask 4 lacks one of five, which is not more than 20 %, and stays: five
# subtasks and five models. A policy for missing results is part of the question, down to the order of its steps.

# %% [markdown]
# ## Look at the rows before you count them
#
# What are these subtasks? One of them may carry the name of its task. We compare its scores with the mean of the task's other rows.

# %%
tasks = large.drop_duplicates("task_name")[study.design].to_dict("records")
named_like = chapter.rows_named_like(study, "task_name", tasks)
chapter.show_named_like(named_like)
n_averages = int((named_like["correlation"] > 0.99).sum())

# %% [markdown]
# {eval}`chapter.told("averages", f"In {n_averages} of {len(tasks)} tasks there is such a row, and its scores follow the mean of the other rows (correlation above 0.99).", results)` Where the ratio is near 1, such a row looks like an average of the others, not like an experiment. Where it is near a hundred, the row is in per cent and the others are shares.
#
# To see how much such rows matter, we estimate n\* with them and without them, and compare. Each *kernel* is one question: Does one model keep its rank (Borda)? Do the same models win (Jaccard)? Is the whole order similar (Mallows)? Are the scores
# similar (RBF)?

# %%
kernels = [gx.BordaKernel(chapter.well_known(results)), gx.JaccardKernel(1), gx.MallowsKernel(), gx.RBFKernel()]
asked = study.nstar(kernels, alpha, delta, confidence=confidence).query("n_experiments > 10")
several = results.groupby("task_name")["subtask_description"].transform("nunique") > 1
averages = several & (results["subtask_description"] == results["task_name"])
without = gx.Study(results[~averages], **roles).nstar(kernels, alpha, delta, confidence=confidence)
both = asked.merge(without, on=[*study.design, "kernel"], suffixes=("", " without"))
ratio = both["nstar without"] / both["nstar"]
medians = chapter.span(ratio.groupby(both["kernel"]).median())

# %% [markdown]
# We divide n\* without these rows by n\* with them. {eval}`chapter.told("changed", f"The median ratio for a question is {medians}. {chapter.most_changed(both, ratio, named_like)}", results)` From here on the rows stay in, so that our numbers can be compared with those of the papers.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: One row in per cent
#
# *Understanding · 5 minutes.* On one subtask the scores of all models are in per cent, on all others they are shares between 0 and 1. Somebody divides that row by 100. For which of the four questions, `"Borda"`, `"Jaccard"`, `"Mallows"` and `"RBF"`, is n\*
# certain to stay the same? Assign the set of their names to `answer_2`.

# %% tags=["solution"]
answer_2 = {"Borda", "Jaccard", "Mallows"}

# %% tags=["check"]
gx.check("03-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The row is an experiment, and dividing it by a positive number does not change its ranking; three kernels see nothing else. RBF compares vectors of scores: before, this row was unlike all others whatever the models did,
# and after, it is compared on one scale with them. A question about rankings forgives a mixture of scales within rows; a question about scores does not.

# %% [markdown]
# ## How many subtasks does it take?
#
# It depends on what you ask, and how strictly. We vary how likely two studies should be to look alike (α), and how different they may be (the tolerance δ).

# %%
alphas, deltas = sorted({0.7, 0.8, 0.9, 0.99, alpha}), sorted({0.01, 0.1, 0.2, 0.3, delta})
strictness = study.nstar(kernels, alphas, deltas).query("n_experiments > 10")
needed = asked.groupby("kernel", sort=False)["nstar"].agg(["min", "median", "max"])
chapter.show_strictness(strictness, alpha, delta)

# %% [markdown]
# For α = {eval}`chapter.as_written(alpha)` and δ = {eval}`chapter.as_written(delta)` the median n\* over the configurations is {eval}`", ".join(f"{value:.1f} ({kernel})" for kernel, value in needed["median"].dropna().items())`. Read the last one with care. Where some scores are shares and others per cent, raw scores of two subtasks have nothing
# in common whatever the models do.

# %%
nothing_in_common = gx.estimate_nstar(np.eye(50), alpha, kernels[3].epsilon(delta, len(study.alternatives))).estimate

# %% [markdown]
# For this question (RBF), a study would need {eval}`f"{nothing_in_common:.1f}"` subtasks if no two results were alike. A configuration whose n\* for raw scores comes near that says more about its scales than about its models. Put the scores on one scale before you ask this question.

# %% [markdown]
# ## When all experiments agree
#
# In the first example of the paper, `arithmetic` with two shots, the same model wins all subtasks. We look for more such cases.

# %%
winners = gx.plan(asked[asked["kernel"] == kernels[1].name])
unanimous = chapter.unanimous(study, kernels[1], winners)
same = f"{len(unanimous)} of {len(winners)} configurations have one winner in all subtasks{chapter.in_brackets(unanimous)}."

# %% [markdown]
# {eval}`chapter.told("same", same, results)` There n\* is estimated as 1, and the interval has no upper end. Both are right. If the truth is what was seen, one experiment is enough. But experiments that all agree
# cannot say how rare the exceptions are.
#
# They do bound it. In the published table, `arithmetic` has 20 subtasks beside the row that is their average. Suppose one other model wins a share $p$ of all subtasks that one could think of. Then 20 subtasks agree with probability $(1 - p)^{20}$. For what share is that still 5 %? And how many must agree before one
# experiment is shown to be enough?

# %%
seen = 20
largest_share = chapter.largest_unseen_share(seen)
shares = [1 - largest_share, largest_share]
worst = gx.generalization.definition(np.eye(2), alpha, kernels[1].epsilon(delta, 2), shares, rng=seed)
harmless = chapter.harmless_share(alpha)  # solves 1 - 2 p (1 - p) = alpha
must_agree = chapter.n_to_exclude(harmless)
harmless_if_many = 1 - alpha**0.5  # solves (1 - p)**2 = alpha: no two of the others agree
must_agree_if_many = chapter.n_to_exclude(harmless_if_many)

# %% [markdown]
# After {eval}`seen` subtasks with one winner, others may still win {eval}`chapter.percent(largest_share)` of all subtasks, and n\* would then be {eval}`f"{worst:.0f}"`. One experiment is enough if that share is at most {eval}`chapter.percent(harmless, 1)`. To show
# this, {eval}`must_agree` subtasks must agree. That is for one rival; if nearly every other subtask has another winner, it is {eval}`chapter.percent(harmless_if_many, 1)`, and {eval}`must_agree_if_many` must agree.
#
# The paper rules out coincidence: were all 44 models equally likely to win, one given model would win 21 times in a row with probability {eval}`chapter.written_number(chapter.COINCIDENCE, 1)`. So the models are not equal. But it also calls the results (1, 0)-generalizable, which 20 subtasks that agree cannot show: there may be
# subtasks that another model wins. It warns itself that nobody should trust an n\* that rests on a single experiment.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Unanimous
#
# *Understanding · 5 minutes.* In all 20 independent subtasks of a task the same model is the best. n\* for "who is the best?" is estimated to be 1. What follows?
#
# - **a** That model is the best on every subtask that one could think of.
# - **b** One subtask would have been enough if hardly any subtask has another winner; the 20 do not show that.
# - **c** 20 subtasks are more than n\*, so there are enough of them.
# - **d** That all 20 agree by chance is nearly impossible, so one subtask is enough.
#
# Assign the letter to `answer_3`.

# %% tags=["solution"]
answer_3 = "b"

# %% tags=["check"]
gx.check("03-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** If another model wins a share $p$ of all subtasks, 20 agree with probability $(1 - p)^{20}$. That exceeds 5 % for all $p$ up to 0.139, and with another winner in 14 % of the subtasks two single experiments agree with probability 0.76 only. So n\* is not 1. (c) overlooks that the interval
# reaches from 1 to infinity; (d) answers a question about coincidence that was not asked.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: A stricter promise
#
# *Application · 10 minutes.* All $N$ independent subtasks agree on the winner. At $\alpha = 0.95$ it takes 116 of them to show n\* = 1 with 95 % confidence. How many does it take at $\alpha = 0.99$? Two studies of one experiment agree with probability
# $1 - 2 p (1 - p)$ if a second winner has share $p$. Assign the smallest such $N$ to `answer_4`.

# %% tags=["solution"]
harmless_at_99 = chapter.harmless_share(0.99)
answer_4 = int(chapter.n_to_exclude(harmless_at_99))

# %% tags=["check"]
gx.check("03-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** $2 p (1 - p) = 0.01$ gives $p = 0.005025$, about half of $1 - \alpha$: two experiments have two chances of meeting the exception. Then $N \ge \ln 0.05 / \ln(1 - p) = 594.7$. The rule of three says $3 / p = 597$. Showing that one experiment is enough takes hundreds.

# %% [markdown]
# ## One configuration in detail
#
# What does the published method do? It draws small studies from the results, and measures how far apart they are. Through size and distance, on logarithmic axes, it draws a line and extends it to the threshold ([notebook 02](02_encoders.ipynb) has the figure).

# %%
chosen = chapter.to_look_at(configuration, study, winners)
rankings = study.rankings(chosen)
gram = kernels[1].gram(rankings)
epsilon = kernels[1].epsilon(delta, rankings.shape[1])
law = gx.generalization.power_law(gram, alpha, epsilon, rng=seed)
moments = gx.estimate_nstar(gram, alpha, epsilon, confidence=confidence)

# %% [markdown]
# The configuration is {eval}`chapter.named(chosen)`, with {eval}`len(rankings)` rows. With this random seed the published method gives {eval}`f"{law.nstar:.0f}"` subtasks. Our own estimate draws nothing at random and gives {eval}`f"{moments.estimate:.0f}"`. What do other seeds give?

# %%
by_seed = np.array([gx.generalization.power_law(gram, alpha, epsilon, rng=each).nstar for each in range(n_seeds)])
draws = gx.generalization.redrawn_estimates(gram, 10, alpha, epsilon, n_studies=500, rng=seed)
quantiles = np.quantile(draws, [0.05, 0.5, 0.95])
most_seeds = np.quantile(by_seed, [0.05, 0.95])

# %%
chapter.show_seeds(by_seed, moments, chosen)

# %% [markdown]
# Over {eval}`n_seeds` seeds, with everything else the same, the estimate is {eval}`chapter.span(by_seed, "{:.1f}")`, with a median of {eval}`f"{np.median(by_seed):.1f}"`; nine of ten are between {eval}`f"{most_seeds[0]:.1f}"` and {eval}`f"{most_seeds[1]:.1f}"`. This spread is noise of the method alone, from 1,000 resamples, our choice. Distances of small studies take few values, like the steps of a staircase, and whether a quantile
# lies on one step or on the next is decided by a few draws.
#
# The authors' code for the second version also draws which subtasks it uses: ten of them, or a multiple of ten, with replacement. We drew ten subtasks again and again. The median estimate is {eval}`f"{quantiles[1]:.1f}"`; one in twenty is at most {eval}`f"{quantiles[0]:.1f}"`, and one in twenty at
# least {eval}`f"{quantiles[2]:.1f}"`.

# %%
of_slope = gx.estimate_nstar(gram, alpha, epsilon, "resampling-slope-2", rng=seed).estimate
of_these = gx.estimate_nstar(gram, alpha, epsilon, "definition", n_resamples=10_000, rng=seed).estimate

# %%
chapter.show_beside_published(study, by_seed, draws, chosen, confidence)

# %% [markdown]
# Not only the seed matters, but also the slope of the line. Fitted, with this seed, it is {eval}`f"{law.slope:.2f}".replace("-", "−")`. With the −2 of Theorem 4.1 the
# same method gives {eval}`f"{of_slope:.1f}"`. If these rows were all subtasks that there are, n\* would be {eval}`f"{of_these:.1f}"`.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: A staircase
#
# *Project · 30 minutes.* In the cell for your answer, `own` is the study of this project's own runs on one task with 13 subtasks, and `gram` the Gram matrix of Jaccard with $k = 1$ at two shots. Estimate n\* by the published method (`gx.generalization.power_law(gram, 0.95, epsilon, n_resamples=..., rng=seed).nstar`) with the
# seeds 0 to 9, and divide the largest of the ten estimates by the smallest. Do that with 1,000 resamples and with 10,000. Guess first what happens to the ratio. Assign the list of the two ratios, to two decimals, to `answer_5`.
# Then do the same for Mallows, look at the quantiles (`.quantiles` beside `.nstar`), and explain the difference.

# %% tags=["solution"]
star = gx.datasets.load_bigbench("bundled").query("task_name == 'star98_attributes'")
own = gx.Study(star, **roles)
of_two_shots = own.rankings({"task_name": "star98_attributes", "number_of_shots": 2})
gram = gx.JaccardKernel(1).gram(of_two_shots)
epsilon = gx.JaccardKernel(1).epsilon(0.05, of_two_shots.shape[1])
### BEGIN SOLUTION
answer_5 = []
for resamples in (1_000, 10_000):
    ten = [
        gx.generalization.power_law(gram, 0.95, epsilon, n_resamples=resamples, rng=each).nstar for each in range(10)
    ]
    answer_5.append(max(ten) / min(ten))
### END SOLUTION

# %% tags=["check"]
gx.check("03-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** Nothing is gained: 1.17 both times. With 13 subtasks the Jaccard MMD of two small studies takes few values. Its quantile is one of two neighbouring steps, whichever the draw decides, and the largest and the
# smallest estimate come from the same steps in both cases. Mallows takes many values, so its quantile moves smoothly, and the ratio falls from 1.04 to 1.01, about as the square root of ten predicts. More resamples
# remove the noise of resampling only where there is no staircase.

# %% [markdown]
# ## Which tasks are worth extending?
#
# For the question which model wins, we compare the interval of n\* with the number of subtasks. A configuration has *enough* if the whole interval lies at or below that number, and needs *more* if it lies above.

# %% tags=["hero"]
chapter.show_answer(winners, study.design, confidence)

# %% [markdown]
# A new subtask serves all numbers of shots at once, so we plan by task: how many rows there are, and how many the most demanding number of shots needs.

# %%
sums = {"rows": ("n_experiments", "max"), "needed": ("required", "max"), "missing": ("more", "max")}
effort = winners.groupby("task_name").agg(**sums, highest=("high", "max"))
effort = effort.sort_values(["missing", "highest"], ascending=False).rename_axis("task")
caption = (
    "Rows that a task has, needs at its most demanding number of shots, and lacks; the highest end of its intervals."
)
chapter.show_table(effort, "effort", caption, forms={"missing": 0, "needed": 0, "highest": 1})

# %% [markdown]
# By the estimate, {eval}`int((effort.missing == 0).sum())` of {eval}`len(effort)` tasks have enough rows; by the upper end of the interval, {eval}`int((effort.highest <= effort.rows).sum())` have. Where the highest end is infinite, the results do not bound n\*, and only more subtasks could find an exception. "Enough" means that another study finds similar shares of
# winners, not that it names the same best model, which [notebook 10](10_second_study.ipynb) asks about.

# %%
kinds = ["enough", "more needed", "undecided"]
verdicts = winners["verdict"].value_counts().reindex(kinds, fill_value=0)
apart = gx.plan(without.query("kernel == @kernels[1].name and n_experiments > 10"))["verdict"]
apart = apart.value_counts().reindex(kinds, fill_value=0)
chapter.check_estimates(study, strictness, asked, unanimous)
chapter.check_published(
    study, large, named_like, by_seed, draws, (of_slope, moments.estimate, of_these), chosen, (alpha, delta)
)
chapter.keep_key_numbers(winners, needed, effort, moments, by_seed, quantiles, (largest_share, must_agree))

# %% [markdown] tags=["findings"]
# - **Does each task have enough subtasks?** We asked how often each model wins. For a second study to find similar shares of wins, {eval}`int(verdicts["enough"])` of {eval}`len(winners)` combinations of a task and a number of solved examples have enough. {eval}`int(verdicts["more needed"])` need more, and {eval}`int(verdicts["undecided"])` are undecided. *{eval}`chapter.percent(confidence)` intervals, not adjusted for their number; {eval}`chapter.span(winners.n_experiments, "{:.0f}")` rows each. {eval}`chapter.told("apart", f"In {n_averages} of {len(tasks)} tasks a row is an average of others. With such rows the three counts are {', '.join(map(str, verdicts))}, without them {', '.join(map(str, apart))}.", results)`*
# - **An estimate may depend on its random seed.** For {eval}`chapter.named(chosen)` (solved examples), the published method asks for {eval}`f"{np.median(by_seed):.1f}"` subtasks in the median over seeds, and nine of ten seeds give {eval}`f"{most_seeds[0]:.1f}"` to {eval}`f"{most_seeds[1]:.1f}"`. Our method has no seed and asks for {eval}`f"{moments.estimate:.1f}"`. With the slope of its line fixed at −2, the published method asks for {eval}`f"{of_slope:.1f}"`. *{eval}`n_seeds` seeds of 1,000 resamples, our choice. That other subtasks would give another number is not in this: the {eval}`chapter.percent(confidence)` interval of ours is {eval}`f"{moments.low:.1f}"` to {eval}`f"{moments.high:.1f}"`.*
# - **Unanimous results do not show that one experiment is enough.** {eval}`chapter.told("same", same, results)` If {eval}`seen` subtasks have the same winner, other models could still win {eval}`chapter.percent(largest_share)` of all subtasks. To show that one subtask is enough, {eval}`must_agree` of them must agree. *95 % confidence; independent subtasks, one rival ({eval}`must_agree_if_many` with many).*

# %% [markdown]
# ## Summary
#
# - Missing results need a policy that fits their reason, and the study says what the policy removed.
# - Look at the rows before you count them: one of the "subtasks" may be an average of the others.
# - Where all experiments agree, n\* is 1. The next one may still disagree, and the interval says so.
# - The published estimate of a small configuration moves with the seed, and with the draw of experiments.
# - Plan with intervals, and by task, because a new subtask serves all numbers of shots.

# %% [markdown]
# ## Further reading
#
# - [Srivastava et al., 2023, *Beyond the Imitation Game: Quantifying and extrapolating the capabilities of language models*](https://openreview.net/forum?id=uyTL5Bvosj), Transactions on Machine Learning Research: the benchmark analysed here, its tasks and its models.
# - [Hanley and Lippman-Hand, 1983, *If Nothing Goes Wrong, Is Everything All Right?*](https://doi.org/10.1001/jama.1983.03330370053031), JAMA 249 (13), 1743-1745: what zero events say about their rate, which is the question behind n\* = 1.
