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
# In this notebook you will estimate the same number again and again, from real studies and from invented studies whose right answer is known. You will see how widely the estimates vary, whether their intervals show this, and where estimates and intervals fail.
#
# **You will learn** how to judge an estimator by simulation, which estimator to use, when to believe an interval, and how to plan a study that decides on its size while it runs.
#
# **You need** the definitions of notebook 01, and to know what bias, a standard error and a confidence interval are.
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
# We look for n\*, the number of experiments that two studies need before their results look alike. You decide what counts as [alike](../docs/vocabulary.md): a *question* says what is compared, and a *tolerance* δ says how much may differ. Two studies should look alike with probability α. We estimate n\* from the N *preliminary* experiments that have been run so far.
#
# The first version of the paper looks at two tables of results. One compares encoders of categories on datasets (notebook 02), and the other compares few-shot learners on the tasks of BIG-bench (notebook 03). If a configuration has at least 50 experiments, the paper treats the estimate from 50 as the truth. It asks how much estimates from fewer experiments differ from this one.

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
# We ask three questions about the alternatives, which are encoders in one table and learners in the other. Does one alternative keep its position (Borda)? Is the best alternative the same (Jaccard)? Is the whole order similar (Mallows)?
#
# We try two methods. The published method, `resampling`, draws small studies from the available experiments, and measures how far apart these studies are. Then it fits a line to the logarithms of size and distance, and extends the line. Our default, `moments`, draws nothing. It approximates the distribution of the distance by three of its moments (notebook 11).

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
chapter.show_relative_errors(errors, reference)

# %% [markdown]
# From {eval}`parts[0]` experiments, the median error of the published method is {eval}`chapter.share_span(from_few["resampling"])`, depending on the question and the table. The median error of the default is {eval}`chapter.share_span(from_few["moments"])`. The first version concludes that 10 experiments usually give a close estimate for the whole order, and that the position of one alternative takes 20 to 30 experiments.
#
# But be careful with this figure. The estimate that it treats as the truth also uses the N experiments. So the figure hides every bias that both estimates share. To see such a bias, we need worlds whose true n\* is known.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: A figure that looks good
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
# **Why.** If the 50 experiments happen to contain no rare result, the 40 contain none either, and both estimates are wrong in the same direction by nearly the same amount. The figure shows how much ten more experiments
# change the estimate, not how far it is from the truth. So the second half of this notebook uses fresh samples from a known distribution.

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
# Borda(0) asks for the position of alternative 0, and Jaccard(1) asks for the best alternative. With {eval}`chapter.span(alternatives, "{:.0f}")` alternatives, the true n\* of the three questions is between {eval}`f"{truth.min():.1f}"` and {eval}`f"{truth.max():.1f}"`. (We interpolate n\*, so it has decimals. A study needs the next whole number.) Now we estimate n\* from N experiments, and divide the estimate by the truth. Figure 1 shows these ratios.

# %% tags=["hero"]
chapter.show_ratios(uniform)

# %%
by_way = chapter.summarise_errors(uniform, by=("kernel", "method", "size"))
within = by_way["within_2"].unstack("size")
typical = np.exp(by_way["bias"]).unstack("size")
each = uniform[uniform["n_alternatives"] == alternatives[0]]
within_each = chapter.summarise_errors(each[each["size"] == sizes[0]])["within_2"].unstack("method")
at_last = each.query("kernel == @questions[0].name and size == @sizes[-1]").groupby("method")["ratio"].median()

# %% [markdown]
# We ask how many estimates are within a factor of 2 of the truth. With {eval}`sizes[0]` experiments, {eval}`chapter.share_span(within[sizes[0]].xs("moments", level="method"))` of our estimates are within this factor, depending on the question. With the published method, the share is {eval}`chapter.share_span(within[sizes[0]].xs("resampling", level="method"))`. These shares are averages over studies of {eval}`chapter.span(alternatives, "{:.0f}")` alternatives. With only {eval}`alternatives[0]` alternatives, they are {eval}`chapter.share_span(within_each["moments"])` for the default and {eval}`chapter.share_span(within_each["resampling"])` for the published method. The second version concludes that 20 experiments are usually enough to come within a factor of 2.
#
# The second version also finds that n\* is harder to estimate for Borda, and that the estimates are too low. From {eval}`sizes[0]` experiments, the published method's estimates for Borda are on average {eval}`f"{typical.loc[(questions[0].name, 'resampling'), sizes[0]]:.2f}"` times the truth (geometric mean). The default's estimates are {eval}`f"{typical.loc[(questions[0].name, 'moments'), sizes[0]]:.2f}"` times the truth. With {eval}`alternatives[0]` alternatives and {eval}`sizes[-1]` experiments, the median estimate is {eval}`f"{at_last['resampling']:.2f}"` times the truth with the published method. With the default, the median is {eval}`f"{at_last['moments']:.2f}"` times the truth.
#
# ### The same figure, made in two ways
#
# The second version shows such ratios in its Figure 5. According to the text, N experiments are drawn, and *these* are resampled, as in a real study. But the code for the figure resamples a *pool* of 5000 experiments. It uses N only to choose the number of points on its line. So the code ignores that N experiments are a sample.

# %%
chapter.show_two_ways(uniform)

# %% [markdown]
# With N = 10, the code fits its line to two points only, from studies of 2 and of 4 experiments. So the slope of the line is as noisy as these two points. If you reproduce a published figure, read its text and its code.
#
# ## Does the interval keep its promise?
#
# The papers leave intervals to future work. Our default leaves out one experiment at a time, and computes an interval from how much the estimate changes. A 95 % interval should cover the true n\* in 95 of 100 studies. We count how often it does, and call this share its *coverage*.

# %%
moments = uniform[uniform["method"] == "moments"]
intervals = chapter.summarise_errors(moments, by=("kernel", "n_alternatives", "size")).reset_index()
covered = intervals.pivot(index=["kernel", "n_alternatives"], columns="size", values="coverage").astype(float)
covered = covered.rename_axis(["question", "alternatives"])
caption = "What share of the 95 % intervals covers the true n\\*? Each column is a number of experiments, N."
chapter.show_table(covered, "coverage", caption, forms=dict.fromkeys(sizes, 3))

# %%
standard_error = np.sqrt(0.95 * 0.05 / (5 * n_studies))
too_low = int((intervals["coverage"] < 0.95 - 3 * standard_error).sum())
too_high = int((intervals["coverage"] > 0.95 + 3 * standard_error).sum())

# %% [markdown]
# Depending on the case, the intervals cover the truth in {eval}`chapter.share_span(intervals["coverage"])` of the studies. A share of 95 % has a standard error of {eval}`chapter.percent(standard_error, 1)` here, so some shares must be lower by chance. The share is more than three standard errors too high in {eval}`too_high or "none"` of the {eval}`len(intervals)` cases, and as much too low in {eval}`too_low or "none"`. A share that is too high suggests intervals wider than needed.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: Is the interval too short?
#
# *Understanding · 5 minutes.* In 200 simulated studies, 183 of the 95 % intervals contain the true n\*. Suppose that exactly 95 % of all intervals do. How many standard errors below 95 % is the share in these 200 studies? Assign the number to `answer_2`, without a sign, to two decimals.

# %% tags=["solution"]
answer_2 = (0.95 - 183 / 200) / np.sqrt(0.95 * 0.05 / 200)

# %% tags=["check"]
gx.check("04-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** A share of 0.95 among 200 has a standard error of $\sqrt{0.95 \cdot 0.05 / 200} = 0.0154$, and $0.035 / 0.0154 = 2.27$. If you named one case beforehand, this is a good reason to doubt the interval. In a table of 48 cases, it is not. In each case, 183 or fewer intervals contain n\* with probability 0.024 (binomial), so we expect about one such case among 48. This is why the text uses three standard errors, as a rough correction for the number of cases.

# %% [markdown]
# ## An experiment resembles itself
#
# Could we treat the N experiments as the whole world, and compute n\* for this world? Then we would also compare each experiment with itself. Results would look more alike than they are, and n\* would be too small. So the default compares different experiments only.

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
# out, so it estimates 1/2 without bias. To see it by simulation, average `(x[:, None] == x).mean()` over many draws `x = rng.integers(0, 2, 10)`.

# %% [markdown]
# ## Harder worlds
#
# If all rankings are equally likely, every experiment tells us something new. In a real study, a few rankings may dominate. We simulate four worlds in which they do. In the first, strength and luck decide the ranking of ten alternatives, and their strengths are far apart (Plackett-Luce). In the second, rankings scatter narrowly around a central ranking (Mallows model). In the third, the ranking is random one time in ten, and otherwise always the same. The last world has two rankings, with probabilities 0.9 and 0.1.

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
from_few_hard = by_case.xs(sizes[0], level="size")[["within_2", "coverage", "width"]]
chapter.show_hard(from_few_hard, sizes[0])

# %%
close = from_few_hard["within_2"].groupby(level="distribution", sort=False).min()
dominated = close.iloc[2:].min()  # the worlds in which one result decides nearly everything
hard_low = int((by_case["coverage"] < 0.95 - 3 * standard_error).sum())

# %% [markdown]
# In the first two worlds, at least {eval}`chapter.percent(close.iloc[:2].min())` of the estimates are within a factor of 2, whatever the question. In the last two, one result decides nearly everything, and as few as {eval}`chapter.percent(dominated)` are that close. (We did not try the published method here.)
#
# In each case that we simulated, at least {eval}`chapter.percent(by_case["coverage"].min())` of the intervals cover the truth. In {eval}`hard_low or "none"` of {eval}`len(by_case)` cases, the share is more than three standard errors below 95 %. A high share is worth little if the upper end is a hundred times the lower end, because such an interval excludes hardly anything.

# %%
noise = difficult.query("distribution == 'one ranking, 10 % noise' and kernel == 'Mallows' and size == @sizes[0]")
ones = noise[noise["nstar"] == 1]
no_end = int(np.isinf(ones["high"]).sum())

# %% [markdown]
# In the world of one ranking with 10 % noise, the true n\* of the whole order is {eval}`chapter.roughly(noise["true"].iloc[0])`. But {eval}`len(ones)` of {eval}`len(noise)` studies with {eval}`sizes[0]` experiments estimate 1, because they saw hardly any exceptions. In {eval}`"all" if no_end == len(ones) else no_end` of these studies, the interval has no upper end. That is honest, because a study cannot know what it has not seen.
#
# With a different α, such as 0.99, or a different tolerance, the coverage can be lower. [The accuracy page](../docs/accuracy.md) lists every case that was measured.

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
# Why fix the number of experiments in advance? Algorithm 1 of the second version runs a batch of experiments, estimates n\*, and continues until it has run that many experiments.

# %% [markdown]
# `gx.run_generalizable_study` does this with any function that runs further experiments. Our function reads our own runs of logistic regression with four encoders of categories, on prediction tasks in random order. How many tasks are enough for similar orders of the encoders? A batch has five tasks, and a study has at most 40. We compare two rules for stopping. The published rule stops once the number of tasks has reached the *estimate*. The other rule waits until the number has reached the *upper end of the interval*.

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
world, who_wins = hard["one ranking, 10 % noise"], questions[1]
enough = difficult.query("distribution == 'one ranking, 10 % noise' and kernel == @who_wins.name")["true"].iloc[0]
all_agree = chapter.chance_of_one_winner(world, 5)
stopped = chapter.stopped_before(enough, world, who_wins, 20, alpha=alpha, delta=delta, step=5, budget=40)

# %% [markdown]
# We ran the same study with four other models: a decision tree, naive Bayes, nearest neighbours and support vector machines. For {eval}`5 - differ` of the 5 models, both rules stopped at the same point.
#
# With the published rule, a study stops as soon as all its experiments have the same result, because it then estimates n\* = 1. In the world of one ranking with 10 % noise, the first five experiments all have the same winner with probability {eval}`f"{all_agree:.2f}"`. But the true n\* of this question (Jaccard) is {eval}`chapter.roughly(enough)`. We simulated 20 studies in this world. The published rule stopped {eval}`chapter.too_early(stopped["estimate"], 20)`. The other rule stopped {eval}`chapter.too_early(stopped["interval"], 20)`. If you look again after every batch, every look is another chance to stop at an estimate that is too low (exercise 5). An interval, too, promises 95 % for one look only. Looking again lowers this confidence, but we have not measured by how much.

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
# **Why.** The published rule looks at an estimate after every batch and stops at the first estimate that is low enough. It stops 16 of the 100 studies after five experiments (eight of them because all five have the same result), and another 15 after ten. The rule that waits for the upper end stops one study in 100 too early. But its studies run 23 experiments on average, instead of 14.4. People who test a hypothesis after every batch, and stop at the first p-value below
# 0.05, make the same mistake (Siegmund, below).

# %% [markdown]
# ## How many experiments for which question?
#
# The next table shows the smallest N for which the default was good enough in all simulated worlds. It leaves out the two worlds in which one result decides nearly everything.

# %%
gentle = difficult[~difficult["distribution"].isin(["one ranking, 10 % noise", "two rankings, .9/.1"])]
equally_likely = moments.assign(distribution="uniform, " + moments["n_alternatives"].astype(str))
cells = chapter.summarise_errors(pd.concat([equally_likely, gentle]), by=("kernel", "size", "distribution"))
wanted = {
    "within a factor of 2 in 95 % of studies": ("within_2", "at least", 0.95),
    "typical error of 25 % or less": ("rmse", "at most", np.log(1.25)),
    "typical error of 10 % or less": ("rmse", "at most", np.log(1.10)),
    "interval from n to 2 n or narrower": ("width", "at most", 2),
}

# %%
smallest = chapter.smallest_sizes(cells, wanted).rename_axis("question")
chapter.show_table(
    smallest,
    "smallest",
    "What is the smallest N that was enough in all of these worlds? The sign > means that no N that we tried was enough. "
    "A typical error is the root mean square of the logarithm of estimate / truth.",
)

# %% [markdown]
# You do not know which world you are in, so do not fix N beforehand. Start with ten experiments, look at the interval, and go on while it is too wide for your decision. (Each further look lowers its confidence.) You lose nothing, because the preliminary experiments belong to the study. If all results are the same, or all but one, do not trust the estimate. Look at the upper end of the interval, and run more experiments.
#
# ## The answer in short

# %%
at_first = within[sizes[0]].unstack("method")
chapter.keep_key_numbers(uniform, difficult)
chapter.check_estimates(uniform, difficult, alpha, delta)

# %% [markdown] tags=["findings"]
# - **Can you trust an estimate from a few experiments?** If all rankings are equally likely, {eval}`chapter.share_span(at_first["moments"])` of our estimates from {eval}`sizes[0]` experiments are within a factor of 2 of the truth, depending on the question. With the published method, {eval}`chapter.share_span(at_first["resampling"])` are that close. With only {eval}`alternatives[0]` alternatives, {eval}`chapter.share_span(within_each["moments"])` of our estimates and {eval}`chapter.share_span(within_each["resampling"])` of the published ones are that close. If one result dominates, as few as {eval}`chapter.percent(dominated)` of our estimates are that close. *We averaged simulations over {eval}`chapter.span(alternatives, "{:.0f}")` alternatives, with {eval}`5 * n_studies` studies per case for our method and {eval}`n_studies` for the published one. We did not try the published method on worlds that one result dominates.*
# - **Does the interval say how uncertain an estimate is?** When all rankings were equally likely, 95 % intervals covered the truth in {eval}`chapter.share_span(intervals["coverage"])` of the studies, depending on the case. In harder worlds, they covered it in at least {eval}`chapter.percent(by_case["coverage"].min())` of the studies. *We simulated {eval}`5 * n_studies` studies for each of {eval}`len(intervals) + len(by_case)` cases, with one α and one tolerance. In {eval}`too_low + hard_low or "none"` of these cases, the share is more than three standard errors below 95 %.*
# - **When may a running study stop?** The published rule stops a study once it has run the estimated number of experiments. We simulated 20 studies, and this rule stopped {eval}`chapter.too_early(stopped["estimate"], 20)`. Another rule waits until the study has as many experiments as the upper end of the interval. It stopped {eval}`chapter.too_early(stopped["interval"], 20)`. *In the simulated world, one result dominates. In {eval}`5 - differ` of 5 studies of our own runs, both rules stopped at the same point.*

# %% [markdown]
# ## Summary
#
# - An estimate of n\* is a statistic: it has a bias and a variance, and it deserves an interval.
# - The text and the code for a published figure can differ. Read both.
# - Believe an interval where its coverage was measured. Be more careful if some results are rare.
# - A study can run until it is large enough. Waiting for the whole interval costs experiments, but guards against a lucky batch.

# %%
chapter.show_key_numbers()

# %% [markdown]
# ## Further reading
#
# - [Efron and Stein, 1981, *The Jackknife Estimate of Variance*](https://doi.org/10.1214/aos/1176345462), Annals of Statistics 9 (3), 586-596: the jackknife, from which the intervals of `moments` come, and why it tends to be too wide rather than too short.
# - [Buckley and Eagleson, 1988, *An approximation to the distribution of quadratic forms in normal random variables*](https://doi.org/10.1111/j.1467-842X.1988.tb00471.x), Australian Journal of Statistics 30A, 150-159: the shifted and scaled chi-squared distribution that `moments` matches.
# - [Siegmund, 1985, *Sequential Analysis: Tests and Confidence Intervals*](https://doi.org/10.1007/978-1-4757-1862-1), Springer: what looking again and again at growing data does to error rates.
