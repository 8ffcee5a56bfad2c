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
# In this notebook, you estimate how many subtasks each task of a benchmark needs. You will meet three traps: missing results, rows that are averages of other rows, and an estimate that changes with its random seed.
#
# **You will learn** what to do when many results are missing; why you should look at the rows of a table before you count them; what it means if all experiments agree; and why the published estimate depends on the random seed.
#
# **You need** the definitions of experiment, kernel and n\* from notebook 01. Notebook 02 asks the same question about a benchmark with fewer difficulties.
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
# The table has {eval}`results["task_name"].nunique()` tasks and {eval}`results["model_family_model_name"].nunique()` models. A *task* is a family of *subtasks*. The number of *shots* says how many solved examples a model sees before it answers. {eval}`"In the published table, the models are language models, and a shot is an example in the prompt." if results.attrs["source"] == "original" else "In our own runs, the models are classifiers that learn from these examples, and the score is their accuracy."`

# %% [markdown]
# ## What to do about missing results
#
# A task with a number of shots is one [configuration](../docs/vocabulary.md), and we analyse each configuration separately. Each of its subtasks is one experiment.
#
# {eval}`chapter.told("missing", f"{chapter.percent(chapter.share_missing(results))} of the possible evaluations have no result.", results)` Too many results are missing from the published table to rank a model last wherever it has none. So the papers first keep only the subtasks on which at least 80 % of the models were run, and then the models that were run on at least 80 % of these subtasks. We do the same. Models that are still missing rank last. The notes below say what we dropped. In these notes, a *condition* is a subtask with a number of shots, and an *alternative* is a model.

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
single, of_them = (study.accounting["n_experiments"] == 1).mean(), f"of the {len(study.configurations)} configurations"
have_one = f"{chapter.percent(single)} {of_them} have" if single else f"Not one {of_them} has"
filtered = f"{' '.join(study.notes)} {have_one} only one subtask."

# %% [markdown]
# {eval}`chapter.told("filtered", filtered, results)`
#
# A few subtasks say little about others. So we continue with the {eval}`len(large)` configurations (of {eval}`large["task_name"].nunique()` tasks) that have more than ten subtasks.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: The filter by hand
#
# *Application · 10 minutes.* Six models, A to F, were run on six subtasks. Some models are missing: F on subtasks 2 and 3; E and F on subtask 4; A and B on subtask 6. The papers' filter first drops the subtasks on which more than 20 % of the models are missing. Then it drops the models that are missing on more than 20 % of the remaining subtasks. How many subtasks and how many models are left? Assign the two numbers as a list, subtasks first, to
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
# **Why.** On subtasks 4 and 6, two of six models are missing, so the filter drops these subtasks. On subtasks 2 and 3, only F is missing, so they stay. F is missing on two of the four remaining subtasks, so the filter drops F. The other models are complete. If you begin with the models, you drop F first. Then only one of five models (20 %) is missing on subtask 4, so this subtask stays. Five subtasks and five models are left. A policy for missing results is part of the question, down to the order of its steps.

# %% [markdown]
# ## Look at the rows before you count them
#
# In what follows, each row is one subtask, with the scores of all models. Some rows carry the name of the whole task. We compare such a row with the mean of the task's other rows.

# %%
tasks = large.drop_duplicates("task_name")[study.design].to_dict("records")
named_like = chapter.rows_named_like(study, "task_name", tasks)
chapter.show_named_like(named_like)
n_averages = int((named_like["correlation"] > 0.99).sum())
many = f"{n_averages or 'Not one'} of the {len(tasks)} tasks {'has' if n_averages < 2 else 'have'}"
many = f"All {len(tasks)} tasks have" if n_averages == len(tasks) else many

# %% [markdown]
# {eval}`chapter.told("averages", f"{many} a row that carries the task's name and follows the mean of the other rows (correlation above 0.99).", results)` If the ratio in the table is near 1, such a row looks like an average of the other rows, not like an experiment. If the ratio is near 100, the row is an average in per cent, and the other rows are shares.
#
# To see how much such rows matter, we estimate n\* with and without them. Each *kernel* is one question: Does one model keep its rank (Borda)? Do the same models win (Jaccard)? Is the whole order similar (Mallows)? Are the scores
# similar (RBF)?

# %%
kernels = [gx.BordaKernel(chapter.well_known(results)), gx.JaccardKernel(1), gx.MallowsKernel(), gx.RBFKernel()]
asked = study.nstar(kernels, alpha, delta, confidence=confidence).query("n_experiments > 10")
several = results.groupby("task_name")["subtask_description"].transform("nunique") > 1
averages = several & (results["subtask_description"] == results["task_name"])
without = gx.Study(results[~averages], **roles).nstar(kernels, alpha, delta, confidence=confidence)
both = asked.merge(without, on=[*study.design, "kernel"], suffixes=("", " without"))
ratio = both["nstar without"] / both["nstar"]
changed = np.ceil(1000 * (ratio.groupby(both["kernel"]).median() - 1).abs().max()) / 10  # rounded up

# %% [markdown]
# {eval}`chapter.told("changed", f"For the median configuration, leaving out these rows changes n* by at most {changed:g} %, whatever the question. {chapter.most_changed(both, ratio, named_like)}", results)` From here on, we keep the rows, because the papers keep them.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: One row in per cent
#
# *Understanding · 5 minutes.* On one subtask, all scores are in per cent. On the other subtasks, they are shares between 0 and 1. Somebody divides the row in per cent by 100. For which of the four questions, `"Borda"`, `"Jaccard"`, `"Mallows"` and `"RBF"`, is n\*
# certain to stay the same? Assign the set of their names to `answer_2`.

# %% tags=["solution"]
answer_2 = {"Borda", "Jaccard", "Mallows"}

# %% tags=["check"]
gx.check("03-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The row is an experiment. Dividing it by 100 does not change its ranking, and three kernels see only the ranking. RBF compares the scores. As long as this row is in per cent, it is unlike all the others, whatever the models do. After the division, all rows have the same scale. A question about rankings forgives rows on different scales, but a question about scores does not.

# %% [markdown]
# ## How many subtasks does it take?
#
# The answer depends on your question and on how strict you are. We vary how likely two studies should be to look alike (α), and how different they may be (the tolerance δ).

# %%
alphas, deltas = sorted({0.7, 0.8, 0.9, 0.99, alpha}), sorted({0.01, 0.1, 0.2, 0.3, delta})
strictness = study.nstar(kernels, alphas, deltas).query("n_experiments > 10")
needed = asked.groupby("kernel", sort=False)["nstar"].agg(["min", "median", "max"])
medians = needed["median"].dropna().sort_values()
chapter.show_strictness(strictness, alpha, delta)

# %% [markdown]
# For α = {eval}`chapter.as_written(alpha)` and δ = {eval}`chapter.as_written(delta)` the median n\* over the configurations ranges from {eval}`f"{medians.iloc[0]:.1f}"` subtasks ({eval}`medians.index[0]`) to {eval}`f"{medians.iloc[-1]:.1f}"` ({eval}`medians.index[-1]`). Read the number for RBF, {eval}`f"{needed['median']['RBF']:.1f}"`, with care. If one subtask is scored as a share and another in per cent, their raw scores have nothing in common, whatever the models do.

# %%
nothing_in_common = gx.estimate_nstar(np.eye(50), alpha, kernels[3].epsilon(delta, len(study.alternatives))).estimate

# %% [markdown]
# If no two results had anything in common, n\* for RBF would be {eval}`f"{nothing_in_common:.1f}"` subtasks. An n\* near this number says more about the scales than about the models. Put the scores on one scale before you ask this question.

# %% [markdown]
# ## When all experiments agree
#
# In the paper's first example (`arithmetic` with two shots), the same model wins all subtasks. We look for more such cases.

# %%
winners = gx.plan(asked[asked["kernel"] == kernels[1].name])
unanimous = chapter.unanimous(study, kernels[1], winners)
same = f"{len(unanimous) or 'Not one'} of the {len(winners)} configurations {'has' if len(unanimous) < 2 else 'have'} the same winner in all subtasks{chapter.in_brackets(unanimous)}."

# %% [markdown]
# {eval}`chapter.told("same", same, results)` In such a case, the estimate of n\* is 1, and its interval has no upper end. If there are no exceptions, one experiment is indeed enough. But experiments that all agree cannot say how rare exceptions are.
#
# They do set a limit. In the published table, `arithmetic` has 20 subtasks and one row that is their average. Suppose that another model wins a share $p$ of all subtasks that one could think of. Then the first model wins all 20 with probability $(1 - p)^{20}$. At what share is this probability still 5 %? And how many subtasks must agree to show that one experiment is enough?

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
# After {eval}`seen` subtasks with the same winner, a rival may still win {eval}`chapter.percent(largest_share)` of all subtasks, and then n\* would be {eval}`f"{worst:.0f}"`. One experiment is enough if the rival wins at most {eval}`chapter.percent(harmless, 1)`. To show this, we would need {eval}`must_agree` subtasks with the same winner. If nearly every exception has a different winner, the limit is {eval}`chapter.percent(harmless_if_many, 1)`, and {eval}`must_agree_if_many` subtasks must agree.
#
# The paper rules out coincidence: if all 44 models were equally likely to win, a given model would win 21 times in a row with probability {eval}`chapter.written_number(chapter.COINCIDENCE, 1)`. So the models are not equal. But the paper also calls the results (1, 0)-generalizable, which means that any two studies find exactly the same results. Twenty subtasks that agree cannot show this, because another model may win other subtasks. The paper itself warns that nobody should trust an n\* that rests on a single experiment.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Unanimous
#
# *Understanding · 5 minutes.* The same model is best in all 20 independent subtasks of a task. The estimate of n\* for "who is the best?" is 1. What follows?
#
# - **a** That model is the best on every subtask that one could think of.
# - **b** One subtask is enough if hardly any subtask has a different winner, but the 20 subtasks do not show that.
# - **c** 20 subtasks are more than n\*, so there are enough of them.
# - **d** It is nearly impossible that all 20 agree by chance, so one subtask is enough.
#
# Assign the letter to `answer_3`.

# %% tags=["solution"]
answer_3 = "b"

# %% tags=["check"]
gx.check("03-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** If another model wins a share $p$ of all subtasks, the first model wins all 20 with probability $(1 - p)^{20}$. This exceeds 5 % for all $p$ up to 0.139. If another model wins 14 % of the subtasks, two single experiments agree with a probability of only 0.76, and n\* is not 1. (c) overlooks that the interval
# reaches from 1 to infinity. (d) answers a question about coincidence that was not asked.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: A stricter promise
#
# *Application · 10 minutes.* All $N$ independent subtasks agree on the winner. At $\alpha = 0.95$ it takes 116 subtasks to show n\* = 1 with 95 % confidence. How many does it take at $\alpha = 0.99$? If a second model wins a share $p$ of the subtasks, two studies of one experiment agree with probability $1 - 2 p (1 - p)$. Assign the smallest such $N$ to `answer_4`.

# %% tags=["solution"]
harmless_at_99 = chapter.harmless_share(0.99)
answer_4 = int(chapter.n_to_exclude(harmless_at_99))

# %% tags=["check"]
gx.check("03-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** $2 p (1 - p) = 0.01$ gives $p = 0.005025$, about half of $1 - \alpha$, because two experiments have two chances of meeting the exception. Then $N \ge \ln 0.05 / \ln(1 - p) = 594.7$. (The rule of three gives $3 / p = 597$.) It takes hundreds of experiments to show that one is enough.

# %% [markdown]
# ## One configuration in detail
#
# The published method draws small studies from the results and measures their distances. It fits a line to size and distance on logarithmic axes, and extends the line to the threshold. ([Notebook 02](02_encoders.ipynb) has the figure.)

# %%
chosen = chapter.to_look_at(configuration, study, winners)
rankings = study.rankings(chosen)
gram = kernels[1].gram(rankings)
epsilon = kernels[1].epsilon(delta, rankings.shape[1])
law = gx.generalization.power_law(gram, alpha, epsilon, rng=seed)
moments = gx.estimate_nstar(gram, alpha, epsilon, confidence=confidence)

# %% [markdown]
# We look at {eval}`chapter.named(chosen)`, which has {eval}`len(rankings)` rows. With one random seed, the published method asks for {eval}`f"{law.nstar:.0f}"` subtasks. Our method draws nothing at random and asks for {eval}`f"{moments.estimate:.0f}"`. What do other seeds give?

# %%
by_seed = np.array([gx.generalization.power_law(gram, alpha, epsilon, rng=each).nstar for each in range(n_seeds)])
draws = gx.generalization.redrawn_estimates(gram, 10, alpha, epsilon, n_studies=500, rng=seed)
quantiles = np.quantile(draws, [0.05, 0.5, 0.95])
most_seeds = np.quantile(by_seed, [0.05, 0.95])

# %%
chapter.show_seeds(by_seed, moments, chosen)

# %% [markdown]
# Across {eval}`n_seeds` seeds, the estimates lie between {eval}`f"{by_seed.min():.1f}"` and {eval}`f"{by_seed.max():.1f}"`, and their median is {eval}`f"{np.median(by_seed):.1f}"`. Only the method's random draws cause this spread. (Each estimate uses 1,000 resamples.) The distances between small studies take only a few values, like the steps of a staircase. A few draws decide whether a quantile lies on one step or on the next.
#
# The authors' code for the second version also samples the subtasks that it uses: ten, or a multiple of ten, with replacement. We drew ten subtasks {eval}`len(draws)` times. The median estimate is {eval}`f"{quantiles[1]:.1f}"`, and nine in ten estimates are between {eval}`f"{quantiles[0]:.1f}"` and {eval}`f"{quantiles[2]:.1f}"`.

# %%
of_slope = gx.estimate_nstar(gram, alpha, epsilon, "resampling-slope-2", rng=seed).estimate
of_these = gx.estimate_nstar(gram, alpha, epsilon, "definition", n_resamples=10_000, rng=seed).estimate

# %%
chapter.show_beside_published(study, by_seed, draws, chosen, confidence)

# %% [markdown]
# The slope of the line matters, too. With this seed, the fitted slope is {eval}`f"{law.slope:.2f}".replace("-", "−")`. With the slope −2 of Theorem 4.1, the same method gives {eval}`f"{of_slope:.1f}"`. If the task had no rows but these {eval}`len(rankings)`, n\* would be {eval}`f"{of_these:.1f}"`.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: A staircase
#
# *Project · 30 minutes.* In the cell for your answer, `own` is a study of this project's own runs on one task with 13 subtasks, and `gram` is the Gram matrix of Jaccard with $k = 1$ at two shots. The published method is `gx.generalization.power_law(gram, 0.95, epsilon, n_resamples=..., rng=seed).nstar`. Estimate n\* with the seeds 0 to 9, and divide the largest estimate by the smallest. Do this with 1,000 resamples and with 10,000. Guess first what happens to the ratio. Assign the two ratios as a list to `answer_5`, to two decimals.
# Then do the same for Mallows, look at the quantiles (`.quantiles`), and explain the difference.

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
# **Why.** More resamples do not help: the ratio is 1.17 both times. With 13 subtasks, the Jaccard MMD of two small studies takes few values. The draw decides which of two neighbouring values is the quantile. The largest and the smallest estimate come from the same values in both cases. The Mallows MMD takes many values, so its quantile moves smoothly. The ratio falls from 1.04 to 1.01, about as the square root of ten predicts. More resamples remove the noise only if there is no staircase.

# %% [markdown]
# ## Which tasks are worth extending?
#
# We ask which model wins, and compare the interval of n\* with the number of subtasks. A configuration has *enough* subtasks if the whole interval lies at or below that number, and needs *more* if the whole interval lies above it.

# %% tags=["hero"]
chapter.show_answer(winners, study.design, confidence)

# %% [markdown]
# A new subtask can be used with any number of shots, so we plan by task. We compare the rows that a task has with the rows that its most demanding number of shots needs.

# %%
sums = {"rows": ("n_experiments", "max"), "needed": ("required", "max"), "missing": ("more", "max")}
effort = winners.groupby("task_name").agg(**sums, highest=("high", "max"))
effort = effort.sort_values(["missing", "highest"], ascending=False).rename_axis("task")
caption = "How many rows each task has, needs and lacks, and the highest upper end of its intervals."
chapter.show_table(effort, "effort", caption, forms={"missing": 0, "needed": 0, "highest": 1})

# %% [markdown]
# If the estimates are right, {eval}`int((effort.missing == 0).sum())` of {eval}`len(effort)` tasks have enough rows. If n\* lies at the upper ends of the intervals, {eval}`int((effort.highest <= effort.rows).sum())` tasks have enough. If the highest end is infinite, the results do not limit n\*, and only more subtasks could find an exception. With enough rows, another study finds similar shares of wins, but it need not name the same best model ([notebook 10](10_second_study.ipynb)).

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
# - **Does each task have enough subtasks?** With enough subtasks, a second study finds similar shares of wins. We looked at {eval}`len(winners)` configurations, each a task with a number of shots (solved examples that a model sees). Of these, {eval}`int(verdicts["enough"]) or "none"` have enough subtasks, {eval}`int(verdicts["more needed"]) or "none"` have too few, and the data leave {eval}`int(verdicts["undecided"]) or "none"` undecided. *Each configuration has {eval}`chapter.span(winners.n_experiments, "{:.0f}")` subtasks and its own {eval}`chapter.percent(confidence)` interval. {eval}`chapter.told("apart", "The three counts are the same without the rows that are averages." if verdicts.equals(apart) else f"Without the rows that are averages, the three counts are {chapter.together(apart)}.", results)`*
# - **An estimate may depend on its random seed.** We ran the published method with {eval}`n_seeds` seeds on {eval}`chapter.named(chosen)`. The median estimate is {eval}`f"{np.median(by_seed):.1f}"` subtasks, and nine in ten estimates are between {eval}`f"{most_seeds[0]:.1f}"` and {eval}`f"{most_seeds[1]:.1f}"`. Our method has no seed and asks for {eval}`f"{moments.estimate:.1f}"` subtasks. *Each estimate uses 1,000 resamples. With other subtasks, both estimates would change: our {eval}`chapter.percent(confidence)` interval is {eval}`f"{moments.low:.1f}"` to {eval}`f"{moments.high:.1f}"`.*
# - **Unanimous results do not show that one experiment is enough.** Even if {eval}`seen` subtasks have the same winner, another model may win {eval}`chapter.percent(largest_share)` of all subtasks. To show that one subtask is enough, {eval}`must_agree` subtasks must have the same winner. *This holds with 95 % confidence if the subtasks are independent and there is one rival. With many rivals, it takes {eval}`must_agree_if_many` subtasks. {eval}`same`*

# %% [markdown]
# ## Summary
#
# - Choose a policy that fits the reason why results are missing, and say what the policy removed.
# - Look at the rows before you count them: one of the "subtasks" may be an average of the others.
# - If all experiments agree, the estimate of n\* is 1. The next experiment may still disagree, and the interval says so.
# - For a small configuration, the published estimate changes with the seed and with the draw of experiments.
# - Plan with intervals, and plan for whole tasks, because a new subtask can be run with any number of shots.

# %% [markdown]
# ## Further reading
#
# - [Srivastava et al., 2023, *Beyond the Imitation Game: Quantifying and extrapolating the capabilities of language models*](https://openreview.net/forum?id=uyTL5Bvosj), Transactions on Machine Learning Research: the benchmark analysed here, its tasks and its models.
# - [Hanley and Lippman-Hand, 1983, *If Nothing Goes Wrong, Is Everything All Right?*](https://doi.org/10.1001/jama.1983.03330370053031), JAMA 249 (13), 1743-1745: what zero events say about their rate, which is the question behind n\* = 1.
