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
# You pick a language model because it leads a benchmark. The benchmark asks what its authors happened to think of: additions with one digit, with two digits, and so on. Had they thought of other questions, would each model win as often?
#
# **You will learn** what to do when many results are missing; why to look at rows before you count them; what it means if all experiments agree; and why the published estimate depends on the random seed.
#
# **You need** the definitions of experiment, kernel and n\* from notebook 01. Notebook 02 asks the same question about an easier benchmark.
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
# The table has {eval}`results["task_name"].nunique()` tasks and {eval}`results["model_family_model_name"].nunique()` models. A *task* is a family of *subtasks*, such as additions with one digit. The number of *shots* says how many solved examples a model sees before it answers. {eval}`"In the published table, the models are language models, and a shot is an example in the prompt." if results.attrs["source"] == "original" else "In our own runs, the models are classifiers that learn from these examples, and the score is their accuracy."`

# %% [markdown]
# ## What to do about missing results
#
# A task with a number of shots is one [configuration](../docs/vocabulary.md#configuration). Each of its subtasks is one experiment. Can we compare models that were not run on the same subtasks?
#
# {eval}`chapter.told("missing", f"{chapter.percent(chapter.share_missing(results))} of the possible results are missing.", results)` If so many are missing, we cannot rank a model last wherever it has no result. So, as in the papers, we first keep only the subtasks on which at least 80 % of the models were run, and then the models that were run on at least 80 % of these. Only a model that is still missing ranks last.

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
single = (study.accounting["n_experiments"] == 1).mean()
single = f"{chapter.percent(single)} of the {len(study.configurations)} configurations that are left"

# %% [markdown]
# <details><summary>What the filter drops</summary>
#
# {eval}`chapter.told("filtered", " ".join(study.notes), results)` (A *condition* is a subtask with a number of shots, and an *alternative* is a model.)
#
# </details>
#
# {eval}`chapter.told("single", f"{single} have only one subtask.", results)` A few subtasks say little about others. So we continue with the {eval}`len(large)` configurations (of {eval}`large["task_name"].nunique()` tasks) that have more than ten subtasks.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: The filter by hand
#
# *Application · 10 minutes.* Six models, A to F, were run on six subtasks. But F is missing on subtasks 2 and 3, E and F on subtask 4, and A and B on subtask 6. The filter first drops the subtasks on which more than 20 % of the models are missing, and then the models that are missing on more than 20 % of the subtasks that are left. How many subtasks and how many models remain? Assign the two numbers as a list, subtasks first, to `answer_1`.

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
# We want to count subtasks, but is each row one subtask? Some rows carry the name of the whole task, so we compare them with the mean of its other rows.

# %%
tasks = large.drop_duplicates("task_name")[study.design].to_dict("records")
named_like = chapter.rows_named_like(study, "task_name", tasks)
chapter.show_named_like(named_like)
n_averages = int((named_like["correlation"] > 0.99).sum())
many = f"{n_averages or 'Not one'} of the {len(tasks)} tasks {'has' if n_averages < 2 else 'have'}"
many = f"All {len(tasks)} tasks have" if n_averages == len(tasks) else many

# %% [markdown]
# {eval}`chapter.told("averages", f"{many} a row that carries the task's name and follows the mean of the other rows (correlation above 0.99).", results)` Such a row looks like an average, not like an experiment. It may even be in per cent where the others are shares. We keep these rows, as the papers do, and check at the end whether they matter.
#
# Whether they matter depends on the question. Each *kernel* is one question: Does one model keep its rank (Borda)? Do the same models win (Jaccard)? Is the whole order similar (Mallows)? Are the scores similar (RBF)?

# %% [markdown] tags=["exercise"]
# ### Exercise 2: One row in per cent
#
# *Understanding · 5 minutes.* On one subtask, all scores are in per cent. On the others, they are shares between 0 and 1. Somebody divides the row in per cent by 100. For which of the four questions, `"Borda"`, `"Jaccard"`, `"Mallows"` and `"RBF"`, is n\* certain to stay the same? Assign the set of their names to `answer_2`.

# %% tags=["solution"]
answer_2 = {"Borda", "Jaccard", "Mallows"}

# %% tags=["check"]
gx.check("03-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The row is an experiment. Dividing it by 100 does not change its ranking, and three kernels see only the ranking. RBF compares the scores. As long as this row is in per cent, it is unlike all the others, whatever the models do. After the division, all rows have the same scale. A question about rankings forgives rows on different scales, but a question about scores does not.

# %% [markdown]
# ## How many subtasks does it take?
#
# How many subtasks two studies need depends on the question and on how strict you are. As in the papers' figures, we vary how likely two studies should be to look alike (α), and how different they may be (the tolerance δ).

# %%
kernels = [gx.BordaKernel(chapter.well_known(results)), gx.JaccardKernel(1), gx.MallowsKernel(), gx.RBFKernel()]
alphas, deltas = sorted({0.7, 0.8, 0.9, 0.99, alpha}), sorted({0.01, 0.1, 0.2, 0.3, delta})
strictness = study.nstar(kernels, alphas, deltas).query("n_experiments > 10")
asked = study.nstar(kernels, alpha, delta, confidence=confidence).query("n_experiments > 10")
needed = asked.groupby("kernel", sort=False)["nstar"].agg(["min", "median", "max"])
of_winners = needed.loc[kernels[1].name]
chapter.show_strictness(strictness, alpha, delta)

# %% [markdown]
# The papers find that n\* for the same winners (Jaccard) depends greatly on the configuration. Here, it ranges from {eval}`f"{of_winners['min']:.0f}"` to {eval}`f"{of_winners['max']:.0f}"` subtasks, with a median of {eval}`f"{of_winners['median']:.1f}"`. For the same order of all models (Mallows), the median is {eval}`f"{needed['median']['Mallows']:.1f}"`. Do not trust n\* for RBF if some rows are in per cent: it then says more about the scales than about the models.

# %% [markdown]
# ## When all experiments agree
#
# In the paper's first example (`arithmetic` with two shots), the same model wins all subtasks. The paper concludes that one experiment is enough. Do the data show this?

# %%
winners = gx.plan(asked[asked["kernel"] == kernels[1].name])
unanimous = chapter.unanimous(study, kernels[1], winners)
same = f"In {len(unanimous)} of the {len(winners)} configurations, one model wins all subtasks."
same = same if len(unanimous) else f"In all {len(winners)} configurations, at least two models win subtasks."

# %% [markdown]
# {eval}`chapter.told("same", same, results)` In such a case, the estimate of n\* is 1, and its interval has no upper end, because experiments that all agree cannot say how rare exceptions are.
#
# But they do set a limit. In the published table, `arithmetic` has 20 subtasks and one row that is their average. Suppose that another model wins a share $p$ of all subtasks that one could think of. Then the first model wins all 20 with probability $(1 - p)^{20}$. At what share is this probability still 5 %?

# %%
seen = 20
largest_share = chapter.largest_unseen_share(seen)
harmless = chapter.harmless_share(alpha)  # solves 1 - 2 p (1 - p) = alpha
must_agree = chapter.n_to_exclude(harmless)

# %% [markdown]
# The answer is {eval}`chapter.percent(largest_share)`: a rival may still win this share of all subtasks. One experiment is enough only if the rival wins at most {eval}`chapter.percent(harmless, 1)`. (Exercise 4 shows why.) To show this, we would need {eval}`must_agree` subtasks with the same winner.
#
# The paper concludes more. It rules out that equal models would agree so often by chance, and rightly so. But it also calls the results (1, 0)-generalizable: any two studies find exactly the same results. Twenty subtasks that agree cannot show this, because another model may win other subtasks. (The paper itself warns that nobody should trust an n\* that rests on a single experiment.)

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
# *Application · 10 minutes.* All $N$ independent subtasks agree on the winner. To show n\* = 1 with 95 % confidence at $\alpha = 0.95$, it takes 116 subtasks. How many does it take at $\alpha = 0.99$? If a second model wins a share $p$ of the subtasks, two studies of one experiment agree with probability $1 - 2 p (1 - p)$. Assign the smallest such $N$ to `answer_4`.

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
# For `conlang_translation` without shots, the first version of the paper prints n\* = 44, and the second prints 65. Why do they differ?
#
# The published method draws small studies from the results and measures their distances. It fits a line to size and distance on logarithmic axes, and extends the line to the threshold. ([Notebook 02](02_encoders.ipynb) has the figure.) So its estimate depends on random draws, and we repeat it with {eval}`n_seeds` random seeds.

# %%
chosen = chapter.to_look_at(configuration, study, winners)
rankings = study.rankings(chosen)
gram = kernels[1].gram(rankings)
epsilon = kernels[1].epsilon(delta, rankings.shape[1])
moments = gx.estimate_nstar(gram, alpha, epsilon, confidence=confidence)
by_seed = np.array([gx.generalization.power_law(gram, alpha, epsilon, rng=each).nstar for each in range(n_seeds)])
draws = gx.generalization.redrawn_estimates(gram, 10, alpha, epsilon, n_studies=500, rng=seed)
quantiles = np.quantile(draws, [0.05, 0.5, 0.95])
most_seeds = np.quantile(by_seed, [0.05, 0.95])
of_slope = gx.estimate_nstar(gram, alpha, epsilon, "resampling-slope-2", rng=seed).estimate
chapter.show_seeds(by_seed, moments, chosen)

# %% [markdown]
# We look at {eval}`chapter.named(chosen)`, which has {eval}`len(rankings)` rows. The median of the repeated estimates is {eval}`f"{np.median(by_seed):.1f}"`. The estimates spread because the distances between small studies take only a few values, like the steps of a staircase. A few draws decide whether a quantile lies on one step or on the next.
#
# The code for the second version also samples the subtasks that it uses: ten, or a multiple of ten, with replacement. If we draw ten, nine in ten estimates are between {eval}`f"{quantiles[0]:.1f}"` and {eval}`f"{quantiles[2]:.1f}"`. This is a second reason why two published numbers may differ.
#
# Our method draws nothing at random and asks for {eval}`f"{moments.estimate:.1f}"` subtasks. The published method asks for {eval}`f"{of_slope:.1f}"` (with one seed) if its line has the slope −2 of Theorem 4.1 instead of a fitted one.

# %%
chapter.show_beside_published(study, by_seed, draws, chosen, confidence)

# %% [markdown] tags=["exercise"]
# ### Exercise 5: A staircase
#
# *Project · 30 minutes.* In the cell for your answer, `gram` is the Gram matrix of Jaccard with $k = 1$ for 13 subtasks of this project's own runs. The published method is `gx.generalization.power_law(gram, 0.95, epsilon, n_resamples=..., rng=seed).nstar`. Estimate n\* with the seeds 0 to 9, and divide the largest estimate by the smallest: once with 1,000 resamples, and once with 10,000. Guess first what happens to the ratio. Assign the two ratios as a list to `answer_5`, to two decimals. Then do the same for Mallows (from `own`, the study), look at the quantiles (`.quantiles`), and explain the difference.

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
# To say where more subtasks would help, we take the question of who wins, and compare the interval of n\* with the number of subtasks. A configuration has *enough* subtasks if the whole interval lies at or below that number, and needs *more* if it lies above. Otherwise, it is *undecided*.

# %% tags=["hero"]
chapter.show_answer(winners, study.design, confidence)

# %% [markdown]
# A new subtask can be used with any number of shots, so we plan by task.

# %%
sums = {"rows": ("n_experiments", "max"), "needed": ("required", "max"), "missing": ("more", "max")}
effort = winners.groupby("task_name").agg(**sums, highest=("high", "max"))
effort = effort.sort_values(["missing", "highest"], ascending=False).rename_axis("task").drop(columns="missing")
caption = "How many rows each task has, how many its most demanding number of shots needs, and the highest upper end of its intervals."
chapter.show_table(effort, "effort", caption, {"highest": "upper end"}, {"needed": 0, "highest": 1})

# %%
kinds = ["enough", "more needed", "undecided"]
verdicts = winners["verdict"].value_counts().reindex(kinds, fill_value=0)
several = results.groupby("task_name")["subtask_description"].transform("nunique") > 1
averages = several & (results["subtask_description"] == results["task_name"])
without = gx.Study(results[~averages], **roles).nstar(kernels[1], alpha, delta, confidence=confidence)
apart = gx.plan(without.query("n_experiments > 10"))["verdict"].value_counts().reindex(kinds, fill_value=0)

# %% [markdown]
# {eval}`int((effort.highest <= effort.rows).sum()) or "None"` of the {eval}`len(effort)` tasks have enough rows even if n\* lies at the upper end of each interval. If the upper end is infinite, only more subtasks could find an exception. With enough rows, another study finds similar shares of wins, but it need not name the same best model ([notebook 10](10_second_study.ipynb)).
#
# Do the averages matter? {eval}`chapter.told("apart", "Without them, the three counts stay the same: enough subtasks, too few, and undecided." if verdicts.equals(apart) else f"Without them, the verdicts are: {chapter.together(apart)}.", results)`

# %%
chapter.check_published(study, large, named_like, by_seed, draws, (of_slope, moments.estimate), chosen, (alpha, delta))
chapter.keep_key_numbers(winners, needed, moments, quantiles, (largest_share, must_agree))

# %% [markdown] tags=["findings"]
# - **Subtasks are enough in {eval}`int(verdicts["enough"]) or "none"` of {eval}`len(winners)` configurations.** A configuration is a task with a number of solved examples that a model sees. If it has enough subtasks, a second study with as many other subtasks would give each model a similar share of wins. Of the others, {eval}`int(verdicts["more needed"]) or "none"` have too few, and for {eval}`int(verdicts["undecided"]) or "none"` the data cannot tell. So look up the task before you trust its winner. *Similar means, for example, that one model's share is larger by at most {eval}`f"{100 * delta**0.5:.0f}"` percentage points, and another's is smaller by as much. Two studies are this similar with probability {eval}`chapter.as_written(alpha)`. We compare {eval}`chapter.percent(confidence)` intervals with the number of subtasks.*
# - **An estimate may depend on its random seed.** The paper estimates from random draws how many subtasks are needed. On one configuration, nine in ten of our repetitions give {eval}`f"{most_seeds[0]:.1f}"` to {eval}`f"{most_seeds[1]:.1f}"` subtasks, and only the seed of the draws differs. So report several seeds, or use a method without one: ours asks for {eval}`f"{moments.estimate:.1f}"`. *{eval}`n_seeds` seeds with 1,000 resamples each, on {eval}`chapter.named(chosen)`. With other subtasks, every estimate would change: our {eval}`chapter.percent(confidence)` interval is {eval}`f"{moments.low:.1f}"` to {eval}`f"{moments.high:.1f}"`.*
# - **Unanimous results do not show that one experiment is enough.** Even if one model wins all {eval}`seen` subtasks, another model may win {eval}`chapter.percent(largest_share)` of all subtasks that one could think of. It takes {eval}`must_agree` subtasks with the same winner to show that one would have been enough. *With 95 % confidence, for independent subtasks and one rival. The paper calls such results generalizable from a single experiment.*

# %% [markdown]
# ## Summary
#
# - Choose a policy that fits the reason why results are missing, and say what the policy removed.
# - Plan for whole tasks, because a new subtask can be run with any number of shots.

# %% [markdown]
# ## Further reading
#
# - [Srivastava et al., 2023, *Beyond the Imitation Game: Quantifying and extrapolating the capabilities of language models*](https://openreview.net/forum?id=uyTL5Bvosj): the benchmark analysed here.
# - [Hanley and Lippman-Hand, 1983, *If Nothing Goes Wrong, Is Everything All Right?*](https://doi.org/10.1001/jama.1983.03330370053031): what zero events say about their rate, which is the question behind n\* = 1.
