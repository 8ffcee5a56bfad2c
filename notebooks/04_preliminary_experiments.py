# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How many preliminary experiments does it take?
#
# *Executable companion to* Generalizability of Experimental Studies: *Section 5.3 and Figure 4 of the first version, Section 5.3 and Figure 5 of the second, and Algorithms 1 and 2.*
#
# You want to know how many datasets your benchmark needs. There is a formula, but it needs results, and so far you have results on ten datasets. Can you trust its answer, or will five more datasets change it?
#
# **You will learn** how to judge an estimator by simulation, when to believe an interval, and how to plan a study that decides on its size while it runs.
#
# **You need** to know the definitions from notebook 01, and what bias, a standard error and a confidence interval are.
#
# **Time** 15 minutes to read, 75 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
source: str = "auto"  # results tables: original (published), bundled (this project's own runs), or auto
alpha: float = 0.95  # generalizability wanted: probability that two studies look alike, in (0, 1)
delta: float = 0.05  # tolerance: how different results may be and still count as alike, in (0, 1]
reference: int = 50  # experiments of the estimate that stands for the truth in real studies
alternatives: list[int] = [2, 4, 8, 16]  # numbers of alternatives of the simulated studies
sizes: list[int] = [10, 20, 40, 80]  # preliminary experiments of the simulated studies
n_studies: int = 40  # simulated studies per case; intervals are checked in five times as many
seed: int = 0  # seed of everything random

# %%
import warnings

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import preliminary as chapter

gx.plots.use_style()
warnings.simplefilter("ignore", gx.errors.StudyWarning)  # about missing evaluations: notebooks 02 and 03

# %% [markdown]
# ## Against many real experiments
#
# We look for n\*, the number of experiments that two studies need before their results look alike. You decide what counts as [alike](../docs/vocabulary.md#tolerance): a *question* says what is compared, and a *tolerance* δ says how much may differ. Two studies should look alike with probability α. We estimate n\* from the N *preliminary* experiments that have been run so far.
#
# The first version of the paper looks at two tables of results: encoders of categories on datasets (notebook 02), and few-shot learners on the tasks of BIG-bench (notebook 03). If a configuration has at least 50 experiments, the paper treats the estimate from 50 as the truth. It asks how much estimates from fewer experiments differ from this one.

# %%
tables = {
    "encoders": gx.datasets.load_encoders(source),
    "few-shot learners": gx.datasets.load_bigbench(source),
}
display(*map(gx.datasets.notice, tables.values()))

# %%
compared_encoders = gx.Study(
    tables["encoders"],
    alternatives="encoder",
    target="cv_score",
    generalize_over="dataset",
    design=["model", "tuning", "scoring"],
    missing="worst-rank",
    higher_is_better=True,
)

# %%
compared_learners = gx.Study(
    tables["few-shot learners"],
    alternatives="model_family_model_name",
    target="score_value",
    generalize_over="subtask_description",
    design=["task_name", "number_of_shots"],
    missing="drop",
    higher_is_better=True,
)
studies = {"encoders": compared_encoders, "few-shot learners": compared_learners}
chapter.show_counts(studies, tables, reference)

# %% [markdown]
# We ask three questions about the alternatives, that is, about the encoders or the learners. Does one alternative keep its position (Borda)? Is the best alternative the same (Jaccard)? Is the whole order similar (Mallows)?
#
# The published method, `resampling`, draws small studies from the available experiments, and measures how far apart these studies are. Then it fits a line to the logarithms of size and distance, and extends the line. Our default, `moments`, draws nothing. It approximates the distribution of the distance by three of its moments (notebook 11).

# %%
learner = tables["few-shot learners"]["model_family_model_name"].mode()[0]
asked = {
    "encoders": [gx.BordaKernel("OHE"), gx.JaccardKernel(1), gx.MallowsKernel()],
    "few-shot learners": [gx.BordaKernel(learner), gx.JaccardKernel(1), gx.MallowsKernel()],
}

# %%
parts = [size for size in (10, 20, 30, 40) if size < reference]
errors = chapter.subsampling_errors_of_studies(
    studies, asked, parts, alpha=alpha, delta=delta, reference=reference, rng=seed
)
medians = errors.groupby(["study", "kernel", "size", "method"])["relative_error"].median().unstack("method")
from_few = medians.xs(parts[0], level="size")
chapter.show_relative_errors(medians, reference)

# %% [markdown]
# The first version concludes that 10 experiments usually give a close estimate for the whole order, and that the position of one alternative takes 20 to 30. Our default differs less: from {eval}`parts[0]` experiments, its median difference is {eval}`chapter.share_span(from_few["moments"])`. For the published method, it is {eval}`chapter.share_span(from_few["resampling"])`.
#
# But be careful. The estimate that stands for the truth uses the same N experiments and more, so the comparison hides every error that both estimates share. To see such an error, we need worlds whose true n\* is known.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: A comparison that looks good
#
# *Understanding · 5 minutes.* A team has 50 experiments. It draws 40 of them without replacement, estimates n\* from these, and compares this estimate with the estimate from all 50. It repeats this 100 times. The relative errors are small, so the team concludes that 40 experiments determine n\* well. What is wrong with the conclusion?
#
# - **a** Nothing: 100 repetitions are enough to measure an error.
# - **b** Both estimates share most of their experiments and most of their error, and the comparison cannot show a shared error.
# - **c** The estimate from 50 experiments is the true n\*, so the comparison is fair, but 40 of 50 is too easy a case.
# - **d** The draws should have been made with replacement.
#
# Assign the letter to `answer_1`.

# %% tags=["solution"]
answer_1 = "b"

# %% tags=["check"]
gx.check("04-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** If the 50 experiments happen to contain no rare result, the 40 contain none either, and both estimates are wrong in the same direction by nearly the same amount. The comparison shows how much ten more experiments change the estimate, not how far it is from the truth. So the next section uses fresh samples from a known distribution.

# %% [markdown]
# ## Against a known truth
#
# Suppose that all rankings of a few alternatives are equally likely, including rankings with ties. Then we can compute the true n\* by simulation, and draw any number of fresh studies.

# %%
questions = [gx.BordaKernel(0), gx.JaccardKernel(1), gx.MallowsKernel()]  # position of alternative 0; the best 1; all
ways = {"resampling": n_studies, "pool": n_studies, "moments": 5 * n_studies}  # studies for each way to estimate
uniform = chapter.uniform_estimates(alternatives, questions, sizes, list(ways), alpha, delta, n_studies=ways, rng=seed)
truth = uniform.groupby(["kernel", "n_alternatives"], sort=False)["true"].first()
# %% [markdown]
# Borda(0) asks for the position of alternative 0, and Jaccard(1) asks for the best alternative. With {eval}`chapter.span(alternatives, "{:.0f}")` alternatives, the true n\* is between {eval}`f"{truth.min():.1f}"` and {eval}`f"{truth.max():.1f}"`. (We interpolate n\*, so it has decimals.) Figure 1 shows estimates from N experiments, divided by the truth.

# %% tags=["hero"]
chapter.show_ratios(uniform)

# %%
by_way = chapter.summarise_errors(uniform, by=("kernel", "method", "size"))
within = by_way["within_2"].unstack("method")
typical = np.exp(by_way["bias"]).loc[questions[0].name].unstack("method").loc[sizes[0]]
each = chapter.summarise_errors(uniform, by=("kernel", "n_alternatives", "size", "method"))["within_2"]
each = each.unstack("method")
at_first = within.xs(sizes[0], level="size")
of_fewest = each.xs((alternatives[0], sizes[0]), level=("n_alternatives", "size"))
later = sizes[min(1, len(sizes) - 1)]
at_least = each.xs(later, level="size")[["moments", "resampling"]].min().min()

# %% [markdown]
# We ask how many estimates are within a factor of 2 of the truth, on average over the numbers of alternatives. From {eval}`sizes[0]` experiments, our default comes that close in {eval}`chapter.share_span(at_first["moments"])` of the studies, depending on the question, and the published method in {eval}`chapter.share_span(at_first["resampling"])`. With only {eval}`alternatives[0]` alternatives, our default does so in {eval}`chapter.share_span(of_fewest["moments"])`, and the published method in {eval}`chapter.share_span(of_fewest["resampling"])`. From {eval}`later` experiments, both do in at least {eval}`chapter.percent(at_least)`. The second version concludes that 20 experiments are usually enough.
#
# This version also finds that the estimates are too low for Borda. From {eval}`sizes[0]` experiments, those of the published method are on average {eval}`f"{typical['resampling']:.2f}"` times the truth (geometric mean), and those of our default {eval}`f"{typical['moments']:.2f}"` times.
#
# The second version shows such ratios in its Figure 5. Its text says that N experiments are drawn and *these* are resampled, as in a real study. But the code for the figure resamples a *pool* of 5000 experiments, and uses N only to choose the number of points on its line. With N = 10, these are two points, so the line is noisy. From {eval}`sizes[0]` experiments, {eval}`chapter.share_span(at_first["pool"])` of the estimates are then within a factor of 2, instead of {eval}`chapter.share_span(at_first["resampling"])`.
#
# ## Does the interval keep its promise?
#
# The papers leave intervals to future work. Our default leaves out one experiment at a time, and computes an interval from how much the estimate changes. A 95 % interval should cover the true n\* in 95 of 100 studies. We count how often it does, and call this share its *coverage*.

# %%
moments = uniform[uniform["method"] == "moments"]
coverage = chapter.summarise_errors(moments, by=("kernel", "n_alternatives", "size"))["coverage"].astype(float)
standard_error = np.sqrt(0.95 * 0.05 / (5 * n_studies))
too_low = int((coverage < 0.95 - 3 * standard_error).sum())

# %% [markdown]
# We simulated {eval}`len(coverage)` cases. The intervals cover the truth in {eval}`chapter.share_span(coverage)` of the studies. A share of 95 % has a standard error of {eval}`chapter.percent(standard_error, 1)` here, so some shares must be lower by chance. The share is more than three standard errors too low in {eval}`too_low or "none"` of the cases.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: Is the interval too short?
#
# *Understanding · 5 minutes.* In 200 simulated studies, 183 of the 95 % intervals contain the true n\*. Suppose that exactly 95 % of all intervals do. How many standard errors below 95 % is the share in these 200 studies? Assign the number to `answer_2`, without a sign, to two decimals.

# %% tags=["solution"]
answer_2 = (0.95 - 183 / 200) / np.sqrt(0.95 * 0.05 / 200)

# %% tags=["check"]
gx.check("04-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** A share of 0.95 among 200 has a standard error of $\sqrt{0.95 \cdot 0.05 / 200} = 0.0154$, and $0.035 / 0.0154 = 2.27$. If you named one case beforehand, this is a good reason to doubt the interval. Among 48 cases, it is not. In each case, 183 or fewer intervals contain n\* with probability 0.024 (binomial), so we expect about one such case. This is why the text uses three standard errors, as a rough correction for the number of cases.

# %% [markdown]
# ## An experiment resembles itself
#
# Could we treat the N experiments as the whole world, and compute n\* for this world? Then we would also compare each experiment with itself, results would look too similar, and n\* would be too small. So the default compares different experiments only.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: How much too alike?
#
# *Application · 10 minutes.* An experiment has one of two results, which are equally likely. The kernel $\kappa$ says how alike two results are: it is 1 for equal results and 0 otherwise. So the kernel of two fresh results is 1/2 on average. Draw $N = 10$ experiments. Their Gram matrix has the kernel values of all pairs. What is the expected mean of its 100 entries? Assign it to `answer_3`, to two decimals.

# %% tags=["solution"]
answer_3 = 1 / 10 * 1 + 9 / 10 * 1 / 2

# %% tags=["check"]
gx.check("04-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** Ten of the 100 entries are on the diagonal, and these are always 1. The other 90 are 1/2 on average. The mean is $0.1 + 0.9 / 2 = 0.55$, so it has moved $1/N$ of the way towards 1, and the results look more alike than they are. `moments` leaves the diagonal
# out, so it estimates 1/2 without bias.

# %% [markdown]
# ## Harder worlds
#
# In a real study, a few rankings may dominate. We simulate four such worlds. In the first, ten alternatives differ much in strength, and luck decides the rest (Plackett-Luce). In the second, rankings scatter narrowly around a central one (Mallows model). In the third, the ranking is always the same, except for a random one time in ten. The last world has two rankings, with probabilities 0.9 and 0.1.

# %%
worlds, rng = chapter.samplers, np.random.default_rng(seed + 3)
spread_out = worlds.sample_plackett_luce(np.exp(np.linspace(0, 5, 10)), 1000, rng)
narrow = worlds.sample_mallows(range(10), 0.3, 1000, rng)
noisy = worlds.sample_noisy(range(8), 0.1, 1000, rng)
hard = {
    "Plackett-Luce, far apart": worlds.RankingDistribution.empirical(spread_out),
    "Mallows model, narrow": worlds.RankingDistribution.empirical(narrow),
    "one ranking, 10 % noise": worlds.RankingDistribution.empirical(noisy),
    "two rankings, .9/.1": worlds.RankingDistribution([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]], [0.9, 0.1]),
}
difficult = chapter.estimates_of_distributions(
    hard, questions, sizes, ["moments"], alpha, delta, n_studies=5 * n_studies, rng=seed + 4
)

# %%
by_case = chapter.summarise_errors(difficult, by=("distribution", "kernel", "size"))
from_few_hard = by_case.xs(sizes[0], level="size")
chapter.show_hard(from_few_hard["within_2"], sizes[0])

# %%
several, dominated = (from_few_hard.loc[names] for names in (list(hard)[:2], list(hard)[2:]))
hard_low = int((by_case["coverage"] < 0.95 - 3 * standard_error).sum())

# %% [markdown]
# In the first two worlds, at least {eval}`chapter.percent(several["within_2"].min())` of the estimates are within a factor of 2. In the last two worlds, one result decides nearly everything. There, {eval}`chapter.share_span(dominated["within_2"])` of the estimates are that close, depending on the question.
#
# Whatever the world, the question and N, at least {eval}`chapter.percent(by_case["coverage"].min())` of the intervals cover the truth. In {eval}`hard_low or "none"` of {eval}`len(by_case)` cases, the share is more than three standard errors below 95 %. But some intervals exclude hardly anything. From {eval}`sizes[0]` experiments in the last two worlds, the upper end is over 100 times the lower end (median) in {eval}`int((dominated["width"] > 100).sum())` of {eval}`len(dominated)` cases. That is honest, because a study cannot know what it has not seen (exercise 4). In the first two worlds, the upper end is {eval}`chapter.span(several["width"], "{:.1f}")` times the lower end.
#
# With a different α or tolerance, or for an alternative that is first or last nearly everywhere, the coverage can be much lower. [The accuracy page](../docs/accuracy.md) says where.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: A rare result
#
# *Application · 10 minutes.* One ranking has probability 0.9, and all other results together have probability 0.1. How many preliminary experiments do you need until the probability that *all* of them show this ranking is 5 % or less? Assign the smallest number to `answer_4`.

# %% tags=["solution"]
answer_4 = next(n for n in range(1, 100) if 0.9**n <= 0.05)

# %% tags=["check"]
gx.check("04-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** $0.9^{28} = 0.052$ and $0.9^{29} = 0.047$. Ten experiments all show this ranking with probability $0.9^{10} = 0.35$, and then every estimate that looks only at the data says n\* = 1. No method can see what is not in the sample. The upper end of
# the interval of `moments` can stay infinite there, and rightly so.

# %% [markdown]
# ## A study that decides when it has enough
#
# Why fix the number of experiments in advance? Algorithm 1 of the second version runs a batch of experiments, estimates n\*, and continues until it has run that many. `gx.run_generalizable_study` does this with any function that runs further experiments. We compare two rules for stopping. The published rule stops once the number of experiments has reached the *estimate*. The other rule waits until it has reached the *upper end of the interval*.
#
# Our function reads our own runs of a model with four encoders of categories, on prediction tasks in random order. How many tasks are enough for similar orders of the encoders? A batch has five tasks, and a study has at most 40. We run one study for each of five models.

# %%
options = {"alpha": alpha, "delta": delta, "step": 5, "budget": 40, "higher_is_better": True}
ran = {
    (model, stop): gx.run_generalizable_study(chapter.next_tasks(seed, model), gx.MallowsKernel(), stop=stop, **options)
    for model in ("DTC", "GNB", "KNC", "LR", "SVC")
    for stop in ("estimate", "interval")
}
live = {stop: study for (model, stop), study in ran.items() if model == "LR"}
ended = pd.Series({key: len(study.results) for key, study in ran.items()}).unstack()
differ = int((ended["estimate"] != ended["interval"]).sum())

# %%
chapter.show_live(live)

# %%
true_nstar = difficult.groupby(["distribution", "kernel"])["true"].first()
n_stopped = n_studies // 2
early = chapter.stopped_early(
    hard, questions, true_nstar, n_stopped, alpha=alpha, delta=delta, step=5, budget=max(40, int(true_nstar.max()) + 5)
)
n_ended, too_early = n_stopped * len(early), early.sum().to_dict()

# %% [markdown]
# For {eval}`5 - differ` of the 5 models, both rules stopped at the same point. Figure 2 shows logistic regression. Did they stop too early? To find out, we ran {eval}`n_stopped` studies for each question in each of the four harder worlds. Under the published rule, {eval}`too_early["estimate"]` of the {eval}`n_ended` studies stopped before they had n\* experiments: {eval}`chapter.share_span(early["estimate"] / n_stopped)`, depending on the world and the question. (In {eval}`int((true_nstar <= 5).sum())` of the {eval}`len(early)` cases, the first batch is enough.) Under the other rule, {eval}`too_early["interval"] or "none"` stopped too early.
#
# Every look is another chance to stop at an estimate that is too low. For example, a study estimates n\* = 1 as long as all its experiments have the same result, so the published rule stops there. An interval, too, promises 95 % for one look only. Looking again lowers this confidence, but we have not measured by how much.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: Stopping early
#
# *Project · 30 minutes.* How often does a study that looks again after every batch stop too early? The cell for your answer defines the world `favourite`. In this world, alternatives 0, 1, 2 are ranked in this order with probability 0.6, and the 12 other rankings (with ties) are equally likely. With Mallows, $\alpha = 0.95$ and $\delta = 0.05$, the true n\* is 14. Run 100 studies with `gx.run_generalizable_study`, in batches of 5 and with a budget of 60. Study $i = 0, \dots, 99$ draws its experiments by `favourite.sample(n, rng)` with
# `rng = np.random.default_rng(i)`. What share of the studies ends with *fewer than 14* experiments under the published rule (`stop="estimate"`), and what share under the other rule (`stop="interval"`)? Assign both shares as a list to `answer_5`, to two decimals. What does the safer rule cost?

# %% tags=["solution"]
all_orders = gx.generalization.weak_orders(3)
in_order = (all_orders == [0, 1, 2]).all(axis=1)
favourite = gx.generalization.RankingDistribution(all_orders, np.where(in_order, 0.6, 0.4 / 12))


### BEGIN SOLUTION
def experiments_run(i, stop):
    own_rng = np.random.default_rng(i)
    ran = gx.run_generalizable_study(
        lambda n: favourite.sample(n, own_rng), gx.MallowsKernel(), 0.95, 0.05, 5, 60, stop=stop
    )
    return len(ran.results)


numbers_run = {stop: np.array([experiments_run(i, stop) for i in range(100)]) for stop in ("estimate", "interval")}
answer_5 = [float((numbers < 14).mean()) for numbers in numbers_run.values()]
### END SOLUTION

# %% tags=["check"]
gx.check("04-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** The published rule looks at an estimate after every batch and stops at the first estimate that is low enough. It stops 16 of the 100 studies after five experiments, and another 15 after ten. The rule that waits for the upper end stops one study in 100 too early. But its studies run 23 experiments on average, instead of 14.4. People who test a hypothesis after every batch, and stop at the first p-value below
# 0.05, make the same mistake (Siegmund, below).

# %% [markdown]
# ## Summary
#
# Do not fix N beforehand, because you do not know which world you are in. Start with ten experiments, look at the interval, and go on while it is too wide for your decision. You lose nothing, because the preliminary experiments belong to the study. If all results are the same, or all but one, do not trust the estimate. Look at the upper end of the interval, and run more experiments.

# %%
chapter.keep_key_numbers(uniform, difficult)
chapter.check_estimates(uniform, difficult, alpha, delta)

# %% [markdown] tags=["findings"]
# - **An estimate from {eval}`sizes[0]` experiments can be far off.** Where one result dominates, as few as {eval}`chapter.percent(dominated["within_2"].min())` of our estimates are within a factor of 2 of the truth, depending on the question. Where all rankings are equally likely, at least {eval}`chapter.percent(at_first["moments"].min())` are. *There, {eval}`chapter.share_span(at_first["resampling"])` of the published method's estimates are that close. From {eval}`later` experiments, at least {eval}`chapter.percent(at_least)` are, with either method. The second version of the paper says that 20 experiments are usually enough. We did not try its method where one result dominates.*
# - **Our 95 % intervals covered the truth in at least {eval}`chapter.percent(min(coverage.min(), by_case["coverage"].min()))` of the studies.** This is the lowest share in {eval}`len(coverage) + len(by_case)` simulated cases. In {eval}`too_low + hard_low or "none"` of them, the share is clearly below 95 %. *Clearly: by more than three standard errors. We simulated one α and one tolerance; with others, intervals can cover less.*
# - **{eval}`"A running study should wait for the upper end of the interval" if too_early["interval"] < too_early["estimate"] else "When may a running study stop?"`.** The published rule stops once the study has run the estimated number of experiments. That was too early in {eval}`too_early["estimate"]` of {eval}`n_ended` simulated studies. Of as many studies that waited for the upper end, {eval}`too_early["interval"] or "none"` stopped too early. *We asked three questions in four harder worlds. In each of these {eval}`len(early)` cases, the published rule stopped {eval}`chapter.share_span(early["estimate"] / n_stopped)` of the studies too early. In {eval}`5 - differ` of 5 studies of our own runs, both rules stopped at the same point.*

# %%
chapter.show_key_numbers()

# %% [markdown]
# ## Further reading
#
# - [Efron and Stein, 1981, *The Jackknife Estimate of Variance*](https://doi.org/10.1214/aos/1176345462), Annals of Statistics 9 (3), 586-596: the jackknife, from which the intervals of `moments` come.
# - [Siegmund, 1985, *Sequential Analysis: Tests and Confidence Intervals*](https://doi.org/10.1007/978-1-4757-1862-1), Springer: what looking again and again at growing data does to error rates.
