# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Does a careful protocol keep you from false winners?
#
# *Executable companion to* A Deterministic Protocol for Reliable Model Comparison in Machine Learning.
#
# You compared a few models on one dataset. You fixed the seeds, cross-validated more than once, and a significance test named a winner. Would it also have named one if all your models were equally good?
#
# A paper (an anonymous manuscript, for which we know no link) proposes such a careful procedure, and promises stable rankings and few false winners. The numbers of its results are placeholders, as it says itself: they stand where measurements are to go. So this notebook follows the procedure on real data first. Then it tests the promises on simulated models that are equally good: every declared winner is a false one.
#
# **You will learn** how to run such a comparison, why the folds of one dataset are not independent observations, how often a test that ignores this finds a winner among equals, and what to use instead.
#
# **You need** to know what cross-validation and a p-value are; no other notebook. Notebook 05 has the tests over many datasets.
#
# **Time** 20 minutes to read, 125 with the exercises.

# %% tags=["parameters"]
data_sets: list[str] = [
    "breast cancer",
    "digits",
    "docstrings",
]  # what models are compared on; the first is shown in detail
seeds: list[int] = [7, 13, 21, 42, 31415]  # seeds of each model; these are the paper's
k: int = 5  # folds
n_repeats: int = 2  # how often the folds are drawn
level: float = 0.05  # share of comparisons that may end with a false winner, in (0, 1)
seed: int = 7  # of splits and intervals

# %% [markdown]
# ## The protocol on real data
#
# The paper's protocol has seven steps:
#
# 1. Draw all splits before any training, with the same shares of the classes in each part, keep groups of rows together where there are any, and save the splits in a file.
# 2. Draw them for cross-validation: 5 folds, drawn twice unless a study says otherwise.
# 3. For each fold and repeat, fix the seed of everything random.
# 4. Make computations repeatable where the libraries allow it, and record their settings.
# 5. Train and evaluate every model on every fold. (We keep no test part besides the folds.)
# 6. Compare the models in pairs over the folds: effect sizes, intervals, tests corrected for the number of pairs.
# 7. Report estimates, intervals, p-values, and how often the order of two models changes.
#
# Step 3 can be read in several ways. The paper lists five seeds, and counts over seeds *and* folds how often an order changes (Section 3.2, step 7). So we run **all five seeds on each fold**, and average them. Read literally, step 3 may also mean **one seed per fold**, another on each or the same on all. The simulation below tests all three.
#
# We compare models on data that need no download: small images of digits, a table of medical measurements, and docstrings, each of which a model has to assign to the Python package it comes from. The paper names deep networks, from ResNet-18 to DistilBERT, which take a graphics card. This notebook follows the steps with small models on a laptop, and then, with trials that were recorded, with small networks on photographs.

# %%
import tempfile

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import protocol as chapter

gx.plots.use_style()
tasks = {name: chapter.load_comparison(name) for name in data_sets}
chapter.show_data(tasks)

# %% [markdown]
# Models that search for hyperparameters do so within each training part. So does *tuned threshold*, the logistic model with another threshold than one half.
#
# ### Fixed splits and seeds
#
# In cross-validation the rows of a dataset are cut into parts, the **folds**. Each fold judges models that were trained on the other rows. We draw {eval}`chapter.how_many(k, "fold")` {eval}`chapter.how_many(n_repeats, "time")`
# and write them to a file so that every model meets the same ones. Docstrings of one module stay together. The file also holds a fingerprint of the data. If rows are people, do not publish the file, which says who was in which part. Publish the seed, which makes the same file again.

# %%
folder = tempfile.mkdtemp()
splits = {
    name: gx.protocol.make_splits(
        task.X, task.y, task.groups, k=k, n_repeats=n_repeats, seed=seed, path=f"{folder}/{name} splits.json"
    )
    for name, task in tasks.items()
}
determinism = gx.protocol.set_determinism(seed)

# %% [markdown]
# A [seed](../docs/vocabulary.md) is an integer that fixes what is random in a run. Our function `set_determinism` sets it, together with the switches of Python and of the libraries, and records which of them should have been set before Python started.
#
# ### A plan before the run
#
# Choosing the metric or the models after seeing the scores can produce a winner where there is none. So, outside of its steps, the paper (Section 7) recommends to preregister metrics, seeds and stopping criteria: one writes them down, and publishes the hash of that file. (Our trials existed before this plan, which has no stopping criteria: it only shows how it works.)

# %%
look, metrics = data_sets[0], ["accuracy", "balanced_accuracy"]
models = tasks[look].models
plan = gx.protocol.preregister(f"{folder}/plan.json", models, metrics, seeds, splits[look], level, n_resamples=10_000)

# %% [markdown]
# The plan for {eval}`look` has {eval}`len(plan.plan["hypotheses"])` hypotheses, one for each pair of its {eval}`len(models)` models and each of {eval}`len(metrics)` metrics: accuracy, and balanced accuracy (the mean of the accuracies in each class). Where we name no metric, it is accuracy.
#
# ### Trials
#
# A **trial** is one training and evaluation: one model, one seed, one fold. Each is kept in a file as soon as it is finished, so an interrupted run continues where it stopped.
#
# With these settings we read trials that we recorded; with other settings they are run.

# %%
scored = {}
for name, task in tasks.items():
    kept_in = {"groups": task.groups, "folder": f"{folder}/{name}"}
    scored[name] = chapter.run_trials(task.models, task.X, task.y, splits[name], seeds, metrics, **kept_in)
trials = {name: found.only("accuracy") for name, found in scored.items()}

# %%
n_trials = sum(len(found.scores) for found in trials.values())
n_failed = sum(len(found.failed) for found in trials.values())

# %% [markdown]
# We ran {eval}`n_trials` trials, of which {eval}`n_failed` failed. Is the run deterministic? We train the models once more with the first seed, without looking into the files.

# %%
task = tasks[look]
again = gx.protocol.run_trials(task.models, task.X, task.y, splits[look], seeds[:1], groups=task.groups)
before = trials[look].scores[trials[look].scores["seed"] == seeds[0]].reset_index(drop=True)
assert again.scores.equals(before)

# %% [markdown]
# All of these scores are the same, to the last digit. So this part of the protocol works as promised on the first dataset and one kind of processor: another may round differently. We reran nothing else.
#
# ### Which differences are real?
#
# To compare two models we take the difference of their scores on each fold, averaged over the seeds. A fold is a block: what makes it hard is hard for both models, and cancels. The paper tests these differences with Wilcoxon's test, which ranks them by size and compares the ranks of gains and losses, and adds a bootstrap interval (BCa), which redraws the folds many times with replacement.
# It corrects the p-values for several pairs by Holm's method: the smallest is multiplied by the number of pairs, the next by one less, and so on. Both the test and the interval treat the folds as independent observations. The paper names this assumption among its limitations, and asks for splits by group where data have clusters.
#
# But folds are never independent, because a row that judges one fold has trained the models of the others. If the differences on any two of the $n$ folds (all folds of all repeats) have the correlation $\rho$, their mean varies by
#
# $$\operatorname{Var}(\bar{\Delta}) = \Bigl( \frac{1}{n} + \frac{\rho}{1 - \rho} \Bigr) s^2_\Delta,$$
#
# where $s^2_\Delta$ is the variance between the folds. The second term does not shrink, however often you draw the folds again. For splits drawn at random, Nadeau and Bengio put for $\rho$ the share of the rows that judge. Bouckaert and Frank took this over to repeated folds, where
# the share is $1/k$, with $k$ folds in a repeat. The t-test with this variance is called the **corrected t-test**. We run it next to the paper's test.

# %%
comparisons = {name: gx.protocol.compare(found, level=level, rng=seed) for name, found in trials.items()}
chapter.show_pairs(comparisons[look], look)

# %%
disagree, of_table = (chapter.disagreements(some) for some in (comparisons, {look: comparisons[look]}))
still = {name: found.seed_changes_nothing for name, found in trials.items()}
n_still, n_models = sum(map(len, still.values())), sum(len(task.models) for task in tasks.values())

# %% [markdown]
# Over all datasets there are {eval}`disagree["pairs"]` pairs of models, and the two tests disagree on {eval}`disagree["disagree"]` of them{eval}`disagree["where"]`. The paper's intervals exclude zero for {eval}`disagree["exclude zero, paper"]`
# pairs, {eval}`of_table["exclude zero, paper"] or "none"` of them in the table, the corrected ones for {eval}`disagree["exclude zero, corrected"]`, {eval}`of_table["exclude zero, corrected"] or "none"` of them in the table. The simulation below shows how often each of the tests is wrong when models are equal.
#
# The **effect size** $d$ is the mean difference divided by the standard deviation over the folds. In simulations the paper's intervals of $d$ cover the true one in 67 to 83 % of the comparisons and the corrected ones in 91 to 98 %, where both promise 95 % ([accuracy page](../docs/accuracy.md)).

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Ten folds, and more
#
# *Understanding · 10 minutes.* In 5 folds, drawn twice, model A is ahead of model B by 1.0 points on average; the 10 differences have a standard deviation of 1.5 points. What is the statistic of the ordinary paired
# t-test? Of the corrected one, with $\rho = 1/k$? And what does the corrected statistic approach with more and more repeats of the 5 folds, if mean and standard deviation stay the same? Assign the three numbers as a list to
# `answer_1`, to two decimals.

# %% tags=["solution"]
shared_part = (1 / 5) / (1 - 1 / 5)
answer_1 = [1.0 / (1.5 * np.sqrt(variance)) for variance in (1 / 10, 1 / 10 + shared_part, shared_part)]

# %% tags=["check"]
gx.check("06-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** The standard errors are $1.5\sqrt{0.1} = 0.474$, $1.5\sqrt{0.1 + 0.25} = 0.887$ and $1.5\sqrt{0.25} = 0.75$, which makes 2.11, 1.13 and 1.33. The last number is the lesson. With many folds, significance at the level 0.05 takes about 1.96,
# so no number of repeats would make this lead significant: five folds of this one dataset do not contain enough evidence.

# %% [markdown]
# ### Was the plan kept?
#
# Each metric is another chance to win. So the plan corrects for all pairs and both metrics. We check two comparisons against the plan: one with both metrics, and that of the table, which has accuracy only.

# %%
several = gx.protocol.compare(scored[look], level=level, rng=seed)
kept = gx.protocol.check_preregistration(plan.path, several, sha256=plan.sha256, models=models, metrics=metrics)
alone = gx.protocol.check_preregistration(plan.path, comparisons[look], sha256=plan.sha256, differences="list")
dropped = list(alone.loc[alone["status"] == "differs", "item"])
assert "differs" not in set(kept["status"])
written = gx.protocol.write_tables(comparisons[look], f"{folder}/tables")

# %% [markdown]
# With both metrics, nothing differs from the plan. With one metric, the check names what differs: {eval}`chapter.together(dropped)`.
#
# ## How stable is the order of two models?
#
# The paper measures stability by the **ranking instability** of two models: the share of all seeds and folds on which their order differs from their order on average. The order becomes more stable if we first average the trials of one repeat (*one seed, k folds*), or all trials of one seed (*one seed, all folds*).

# %%
unstable = pd.concat([gx.protocol.instability(found).assign(data=name) for name, found in trials.items()])
of_unit = unstable.groupby("unit")["instability"]
changed, tied = chapter.of_most_unstable(unstable, trials)
chapter.show_instability(unstable, changed, tied)
n_fits = k * n_repeats * len(seeds)

# %% [markdown]
# The most unstable pair has another order than on average on {eval}`chapter.percent(changed)` of all seeds and folds. This counts ties: on {eval}`chapter.percent(tied)` the two are equal, on {eval}`chapter.percent(changed - tied)` their order is reversed. Averaged over all folds of a seed, a pair differs in at most {eval}`chapter.percent(of_unit.max()["one seed, all folds"])`. The paper promises less than 4 %.
# We cannot test that: with {eval}`chapter.how_many(len(seeds), "seed")` the share moves in steps of {eval}`chapter.percent(1 / len(seeds))`. For {eval}`int((of_unit.get_group("one seed, all folds") == 0).sum())` of {eval}`int(of_unit.size()["one trial"])` pairs we saw no change, and for {eval}`n_still` of the {eval}`n_models` models the seed changes nothing anyway.
#
# All of these means come from the same rows. One dataset cannot tell whether *new data* would change the order.
#
# What does the protocol cost? The paper's placeholder says that it takes 1.3 times as long as training once. But {eval}`k` folds, {eval}`chapter.how_many(n_repeats, "repeat")` and {eval}`chapter.how_many(len(seeds), "seed")` make
# {eval}`n_fits` fits of each model instead of one. With one seed per fold there are {eval}`k * n_repeats`.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: The higher score on one split
#
# *Application · 15 minutes.* Of two trained models, A alone is right on 6 % of the rows, and B alone on 4 %; on all others both are right, or both are wrong. We
# judge them on 100 test rows, drawn at random. How likely is B, the worse one, to have the higher accuracy? And how likely are both to be equal? Assign both probabilities as a list to `answer_2`, to two decimals.
# (Calculate, or simulate.)

# %% tags=["solution"]
alone_6 = np.random.default_rng(0).multinomial(100, [0.06, 0.04, 0.9], size=200_000)
answer_2 = [np.mean(alone_6[:, 1] > alone_6[:, 0]), np.mean(alone_6[:, 1] == alone_6[:, 0])]

# %% tags=["check"]
gx.check("06-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** About ten rows tell the two models apart, and among ten such rows a share of 6 to 4 is often reversed. Summed over the multinomial distribution, B is ahead with probability 0.212, and both are equal with 0.105: the better one wins in 68 % of
# the splits. And the training parts did not even vary here. Whatever the true lead, the higher score belongs to the better model more often than not. How much more often depends on the lead and on the number of rows, and no score alone can tell.

# %% [markdown]
# ## Subgroups and a checklist
#
# The paper asks to look at subgroups. Here is the accuracy on small and large tumours, by the mean radius of their cell nuclei.


# %%
def accuracy_where(chosen):
    return lambda model, X, y: np.mean(model.predict(X[chosen(X)]) == y[chosen(X)])


tumours = chapter.load_comparison("breast cancer")
middle = np.median(tumours.X[:, 0])
parts = {"small": lambda X: X[:, 0] <= middle, "large": lambda X: X[:, 0] > middle}
folds = gx.protocol.make_splits(tumours.X, tumours.y, k=k, seed=seed)
by_part = {name: accuracy_where(chosen) for name, chosen in parts.items()}
of_parts = gx.protocol.run_trials(tumours.models, tumours.X, tumours.y, folds, seeds[:1], by_part)
mean_of_parts = of_parts.scores.groupby(["model", "metric"])["score"].mean().unstack()

# %% [markdown]
# The models get {eval}`chapter.span(100 * mean_of_parts["large"], "{:.0f}", " %")` of the large tumours right, and {eval}`chapter.span(100 * mean_of_parts["small"], "{:.0f}", " %")` of the small ones. No mean over all rows shows that.
#
# The paper ends with a checklist of its own study (Section 8). Ours follows it, and the run fills it in for {eval}`look`: *attention* marks what a reader must know, and *open* marks what no program can answer.

# %% tags=["nbval-ignore-output"]
files = [f"{folder}/{look} splits.json", *written]
answers = gx.protocol.checklist(trials[look], comparisons[look], determinism, files)
chapter.show_checklist(answers, look)

# %% [markdown]
# ## The same steps with networks on photographs
#
# The paper's Table 1 is about networks on CIFAR-10, small photographs of ten classes. We ran it on a small scale, with three networks. *Residual* has shortcuts and batch normalization, like ResNet-18. In *compound* width and depth grow together, as in EfficientNet. *Attention* cuts an image into patches, like ViT. Folds, repeats and seeds are the paper's; its numbers in this table are placeholders, so we compare none. We made the fits beforehand, with `data/make_photographs.py`, and read here which photographs each network gets right.

# %%
answers, photos = chapter.load_photographs()
of_photos = gx.protocol.compare(photos, level=level, rng=seed)
chapter.show_photographs(of_photos, answers)

# %%
by_class = answers.groupby(["class", "model"])["right"].mean().unstack()
overall = of_photos.estimates.set_index("model")["estimate"]
others_lead = list(by_class.index[by_class.idxmax(axis=1) != overall.idxmax()])
n_photos, n_weights = answers["image"].nunique(), photos.about["n_weights"].values()
minutes = photos.seconds["cpu_seconds"].sum() / 60
of_d = of_photos.pairs
wider = (of_d["d_high"] - of_d["d_low"]) / (of_d["d_bca_high"] - of_d["d_bca_low"])

# %% [markdown]
# There are {eval}`f"{n_photos:,}"` photographs, and each network has {eval}`chapter.span([n / 1000 for n in n_weights], "{:.0f}")` thousand weights and a short training. Guessing would get {eval}`chapter.percent(1 / len(by_class))` right, the networks get {eval}`chapter.span(100 * overall, "{:.0f}", " %")`. This says nothing about the large networks after which we named them.
#
# In single classes they get {eval}`chapter.percent(by_class.min().min())` to {eval}`chapter.percent(by_class.max().max())` right. On {eval}`chapter.together(others_lead)` another network is ahead than over all classes, which may be chance: we have no intervals for classes. Of the pairs, the corrected intervals of the effect size are {eval}`chapter.span(wider, "{:.1f}")` times as wide as the paper's.

# %%
chapter.show_pairs(of_photos, "photographs", "pairs-photographs")

# %% [markdown]
# ### What would fewer fits have said?
#
# These trials hold cheaper studies. Ten have one seed per fold: five the same on all folds, five another on each fold of a repeat. And each seed and fold is a comparison on one split. There the higher score wins, or McNemar's test decides. It looks at the rows on which only one of two networks is right, and asks whether it is the same one too often for chance.

# %%
n_seeds = len(photos.about["seeds"])
number = photos.scores["seed"].map(photos.about["seeds"].index)


def with_seeds(chosen):
    one = gx.protocol.Trials(photos.scores[chosen].assign(seed=0), photos.seconds, {**photos.about, "seeds": [0]})
    return gx.protocol.compare(one, level=level, rng=seed).pairs


same = pd.concat([with_seeds(number == s) for s in range(n_seeds)], keys=range(n_seeds))
turn = (number + photos.scores["fold"]) % n_seeds
other = pd.concat([with_seeds(turn == s) for s in range(n_seeds)], keys=range(n_seeds))

# %%
from scipy import stats

split = ["seed", "repeat", "fold"]
right = answers.pivot(index=[*split, "image"], columns="model", values="right").astype(int)
ahead = pd.DataFrame({f"{row.a}, {row.b}": right[row.a] - right[row.b] for row in of_d.itertuples()})
only_a, only_b = (ahead > 0).groupby(split).sum(), (ahead < 0).groupby(split).sum()
higher = np.sign(only_a - only_b)
p_mcnemar = 2 * stats.binom.cdf(np.minimum(only_a, only_b), only_a + only_b, 0.5)
by_mcnemar = higher.where(p_mcnemar <= level, 0)

# %%
won = {"higher": (higher != 0).sum(axis=1), "McNemar": (by_mcnemar != 0).sum(axis=1)}
for name, pairs in (("same", same), ("other", other)):
    for test in ("winner", "winner_corrected"):
        won[name, test] = (pairs[test] != "").groupby(level=0).sum()
said = {name: f"{n.mean():.2f} ({n.min():.0f} to {n.max():.0f})" for name, n in won.items()}
by_paper, by_corrected = (int((of_d[test] != "").sum()) for test in ("winner", "winner_corrected"))
fits = len(photos.scores) // len(photos.models)
few, one = fits // n_seeds, minutes / fits

# %% [markdown]
# On one split the higher score names a winner for {eval}`said["higher"]` of the {eval}`len(of_d)` pairs (mean and range over {eval}`len(higher)` splits and seeds), and McNemar's test, uncorrected, for {eval}`said["McNemar"]`. That takes one fit of each network, {eval}`f"{one:.1f}"` minutes of one processor core for all. Over the folds:
#
# | seeds | studies | winners, paper's test | winners, corrected t-test | fits of each network | minutes for all |
# |-|-|-|-|-|-|
# | the same on all folds | {eval}`n_seeds` | {eval}`said["same", "winner"]` | {eval}`said["same", "winner_corrected"]` | {eval}`few` | {eval}`f"{one * few:.1f}"` |
# | another on each fold | {eval}`n_seeds` | {eval}`said["other", "winner"]` | {eval}`said["other", "winner_corrected"]` | {eval}`few` | {eval}`f"{one * few:.1f}"` |
# | all on each fold | 1 | {eval}`by_paper` | {eval}`by_corrected` | {eval}`fits` | {eval}`f"{minutes:.1f}"` |

# %%
closest = of_d["estimate"].abs().idxmin()
of_closest = pd.concat([pairs.xs(closest, level=1) for pairs in (same, other)])
lead, (first, second) = of_d.loc[closest, "estimate"], of_d.loc[closest, ["a", "b"]]
against = (np.sign(lead) * by_mcnemar.iloc[:, closest] < 0).mean()
rest = (pd.concat([same, other]).drop(closest, level=1)[["winner", "winner_corrected"]] != "").all(axis=1)
cost = {name: np.array(found["ratios"]) for name, found in photos.about["determinism"].items()}
assert all(found["different weights in all"] == 1 for found in photos.about["determinism"].values())

# %% [markdown]
# With one seed per fold, both tests find a winner in {eval}`chapter.of_all(rest.sum(), len(rest))` of the pairs but the closest. There {eval}`first` is ahead of {eval}`second` by {eval}`chapter.in_points(lead)` points. The paper's test finds that in {eval}`int((of_closest["winner"] != "").sum())` of {eval}`len(of_closest)` studies, the corrected test in {eval}`int((of_closest["winner_corrected"] != "").sum())` of them. On {eval}`chapter.percent(of_d.loc[closest, "instability"])` of the single splits the order is another one (ties included), and on {eval}`chapter.percent(against)` McNemar's test even names the other network. Averaged over all folds of a seed, it changes with {eval}`chapter.of_all(int(n_seeds * of_d.loc[closest, "instability_protocol"]), n_seeds)` of the {eval}`n_seeds` seeds.
#
# More seeds find more, but can also make a test less cautious (exercise 6). Real data cannot tell which verdict is right, so the simulation below counts errors where the truth is known.
#
# What does repeatability cost (step 4)? With deterministic computations only, a fit took {eval}`chapter.span([np.median(each) for each in cost.values()])` times as long as without that switch (medians over {eval}`min(map(len, cost.values()))` pairs of fits of each network; single pairs {eval}`chapter.span(np.concatenate([*cost.values()]))`). Fits with the same seed ended with the same weights, to the last bit, with the switch and without it. This was one core of a processor. Of graphics cards, for which the paper prints at most 5 % (a placeholder), we measured nothing.

# %% [markdown]
# ## Are false winners rare?
#
# The paper promises a **family-wise error rate** of at most 5 %: in at most 5 % of the comparisons of equal models, at least one of them is declared better than another. On real data nobody knows which models are equal, so we simulate. In each comparison we draw fresh data and compare three models. Each sorts rows into two classes by the nearer class mean. Each has eight features of its own, which tell the classes apart equally well, and its seed picks the four that it uses. So none is better. What we simulate, with its number of rows, models and folds, we call a **world**.
#
# We ran the simulation beforehand, with `data/runs/simulation.py`, and read here what it found. Unless a section says otherwise, each dataset has 200 rows, each model has 5 seeds and is judged on 5 folds, drawn 2 times, and the level of the tests is 5 %. *One split* is one trial of each model: one fold judges with 40 rows, and 160 rows train.

# %%
simulated = dict(list(chapter.made("simulated_rates").groupby("simulation")))
worlds = chapter.made("simulated_worlds")
null = simulated["equal models"]
rates = null.set_index("procedure")
paper, corrected, mcnemar = (
    rates.loc[name] for name in ("folds, Wilcoxon", "folds, corrected t", "one trial, McNemar")
)
one_fit = simulated["one fit a fold"].set_index(["procedure", "n_repeats"])
same_seed, other_seeds = (one_fit.loc[f"one fit a fold, {which}, Wilcoxon"] for which in ("same seed", "other seeds"))

# %% tags=["hero"]
chapter.show_false_winners(pd.concat([null, one_fit.xs(2, level="n_repeats").reset_index()]))

# %% [markdown]
# With five seeds averaged on each fold, the paper's test declares a false winner in {eval}`chapter.rate(paper)` of the comparisons. The corrected t-test, with the same 50 fits per model, comes to {eval}`chapter.rate(corrected)`.
#
# What if step 3 means one seed per fold? With another seed on each fold, the paper's test declares a false winner in {eval}`chapter.rate(other_seeds.loc[2])`: the luck of the seed, which counts for much in this world, makes the folds differ more, and the test more cautious. With ten repeats it is {eval}`chapter.rate(other_seeds.loc[10])`. With the same seed on all folds it is {eval}`chapter.rate(same_seed.loc[2])`.
#
# If every seed of a fold counts as one more observation, it is {eval}`chapter.rate(rates.loc["folds x seeds, Wilcoxon"])`.
#
# A simple alternative is McNemar's test, which needs one split and one fit per model: it asks on which test rows only one of two models is right. It declares a false winner in {eval}`chapter.rate(mcnemar)` of the comparisons with
# Holm's correction, and in {eval}`chapter.rate(rates.loc["one trial, McNemar, unadjusted"])` pair by pair, without it. The paper does not say how a single seed declares winners at a level of 5 %. We put its numbers beside the test without correction. (A win by McNemar's test is a claim about two *trained* models, one of which may really be better. It is false as a claim about two ways to train.)
#
# Is the test programmed right? We try it where the answer is known. Where scores are normal and two folds have exactly the correlation that Nadeau and Bengio assume, their test must declare a false winner in 5 % of the comparisons.

# %%
exact = simulated["textbook"].set_index("procedure").loc["folds, corrected t"]

# %% [markdown]
# Between two equal models of this world, it declares one in {eval}`chapter.rate(exact)`.
#
# ### Do more repeats help?
#
# Every repeat of the cross-validation reuses the same rows. A test that treats each fold as new data becomes more certain with every repeat, right or wrong.

# %%
over_repeats = simulated["repeats"]
chapter.show_repeats(over_repeats)

# %%
equals = over_repeats[(over_repeats["quantity"] == "FWER") & (over_repeats["effect"] == 0)]
by_repeats = equals.pivot(index="n_repeats", columns="procedure", values="estimate")
leads = over_repeats[(over_repeats["quantity"] == "power") & (over_repeats["procedure"] == "folds, corrected t")]
leads_found = leads.set_index("n_repeats")["estimate"]
assert leads_found.is_monotonic_increasing
of_wilcoxon, of_corrected = by_repeats["folds, Wilcoxon"], by_repeats["folds, corrected t"]

# %% [markdown]
# From one repeat to ten, the false winners of the paper's test go from {eval}`chapter.percent(of_wilcoxon.iloc[0])` to {eval}`chapter.percent(of_wilcoxon.iloc[-1])`, those of the corrected test from {eval}`chapter.percent(of_corrected.iloc[0])` to
# {eval}`chapter.percent(of_corrected.iloc[-1])`. The first number has a simple reason: with one repeat, no p-value of that test can be below 0.0625.
#
# With more repeats the paper's test finds more true leads, too, but pays with these false winners. The corrected test pays little: it finds a true lead of {eval}`chapter.in_points(leads["mean_difference"].mean())` points in {eval}`chapter.percent(leads_found[2])` of the comparisons with 2 repeats, and in {eval}`chapter.percent(leads_found[10])` with 10. A part of this gain is lost caution, as its false winners become more, too. We tried this in one world only.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Too many models
#
# *Application · 10 minutes.* All pairs of $K$ models are compared over 10 folds, by the exact two-sided Wilcoxon test with Holm's correction, at a family-wise level of 0.05. What is the smallest $K$ with which the test
# can declare no winner, even if each model is ahead of the next one in every fold? Assign the whole number to `answer_3`.

# %% tags=["solution"]
smallest_p = 2 * 0.5**10  # all ten differences have the same sign, one way or the other
answer_3 = next(number for number in range(2, 100) if smallest_p * number * (number - 1) / 2 > 0.05)

# %% tags=["check"]
gx.check("06-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** Of the $2^{10}$ patterns of signs, equally likely between equals, two are as extreme as possible: $p = 2/1024 = 0.00195$. Holm compares the smallest p-value with $0.05 / m$ for $m$ pairs, and if that fails it stops. 7 models make 21 pairs, and
# $21 \cdot 0.00195 = 0.041$; 8 make 28, and 0.055. It is tempting to buy smaller p-values with more folds. The next two exercises show what you get.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Believing in the folds
#
# *Application · 20 minutes.* Two models are equal. The differences of their scores on $n$ splits are normal with mean 0, the same variance, and a correlation of $\rho = 0.2$ between any two of them. How often does an *ordinary* t-test at the level 0.05 declare a winner, with
# $n$ = 5, 10 and 50 splits? Assign the three shares as a list to `answer_4`, to two decimals. (Draw a part that all splits share, and a separate one for each.)

# %% tags=["solution"]
from scipy import stats

answer_4 = []
for n_splits in (5, 10, 50):
    inflated = np.sqrt(1 + n_splits * 0.2 / (1 - 0.2))  # standard error: true by claimed
    answer_4.append(2 * stats.t.sf(stats.t.ppf(0.975, n_splits - 1) / inflated, n_splits - 1))

# %% tags=["check"]
gx.check("06-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** The shared part moves the mean and leaves the spread as it is. The variance of the mean is $1 + n \rho / (1 - \rho)$ times what the t-test assumes: 2.25, 3.5 and 13.5 times. Mean and spread are independent of each other, so the statistic is a $t$ with
# $n - 1$ degrees of freedom times the root of that, and the shares are 0.14, 0.26 and 0.59; 100,000 simulated rows agree to within 0.01. With more splits the test is more certain, and wrong more often: it measures the same shared part better and better.

# %% [markdown]
# ### Do the intervals cover the true difference?
#
# The paper's intervals resample the folds as if they were independent. Between equal models the true difference is zero, so we can count for how many pairs of models an interval misses it.

# %%
intervals = chapter.made("simulated_intervals").set_index(["quantity", "interval"]).sort_index()
missed = 1 - intervals.loc["difference", "estimate"]
n_intervals = 3 * intervals["n_studies"].iloc[0]  # three pairs in each comparison
chapter.show_intervals(intervals)

# %% [markdown]
# The paper's interval misses zero for {eval}`chapter.percent(missed["folds, BCa"], 1)` of the pairs, the corrected one for {eval}`chapter.percent(missed["folds, corrected t"], 1)`. Shared rows are not the only reason. An ordinary t interval, which ignores them as well, misses for {eval}`chapter.percent(missed["folds, t"], 1)`: the rest comes from a bootstrap of only ten values.
#
# ### Does it hold in other worlds?
#
# We repeat the simulation with other numbers of rows, models and folds, with models that err on the same rows (*models alike*), and with the nearest neighbour, a model that a single row easily upsets. Its seed, too, picks the features that it uses.

# %%
of_tests = worlds[worlds["quantity"] == "FWER"].pivot(index="world", columns="method", values="estimate")
eager, careful = of_tests["folds, Wilcoxon"], of_tests["folds, corrected t"]

# %%
chapter.show_worlds(worlds)

# %% [markdown]
# In {eval}`len(of_tests)` worlds the paper's test declares a false winner in {eval}`chapter.span(100 * eager, "{:.0f}", " %")` of the comparisons, the corrected test in {eval}`chapter.span(100 * careful, "{:.0f}", " %")`. The corrected test declares fewer in {eval}`chapter.of_all((careful < eager).sum(), len(of_tests))` of them. It
# exceeds its level in {eval}`chapter.of_all(len(chapter.above(worlds, "folds, corrected t")), len(of_tests))` of them ({eval}`chapter.together(list(chapter.above(worlds, "folds, corrected t")))`), McNemar's test on one split in {eval}`chapter.of_all(len(chapter.above(worlds, "one trial, McNemar")), len(of_tests))`.
#
# No estimate of the variance of a cross-validation is unbiased for all data (Bengio and Grandvalet). How much two folds have in common depends on the model. So the corrected test rests on a guess, $1/k$, and can exceed its level. McNemar's test needs no guess, and pays for that with fewer rows and little power, as the next section shows.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: Two cures
#
# *Application · 10 minutes.* Somebody proposes to cure the Wilcoxon test over folds: (a) by 2 folds and 5 repeats, so that no two training parts of a repeat share rows; (b) by ten times the rows. How often does it declare a false winner then? Guess first. We simulated 200 comparisons of
# equal models with each cure: in the table `simulated["cures"]`, `k` is 2 for (a) and `n_rows` is 2000 for (b). The rates of the procedure `folds, Wilcoxon` are in the rows `FWER` (family-wise error rate). Assign both as a list to `answer_5`, to two decimals.

# %% tags=["solution"]
cures = simulated["cures"].query("procedure == 'folds, Wilcoxon'")
answer_5 = [cures.loc[cures["k"] == 2, "estimate"].item(), cures.loc[cures["n_rows"] == 2000, "estimate"].item()]

# %% tags=["check"]
gx.check("06-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** Neither is a cure. With two folds each test part is half of all rows, and two repeats judge the models on much the same rows: by the rule of Nadeau and Bengio the correlation is 1/2 instead of 1/5, and the
# false winners are not fewer but three times as many. More rows shrink both the shared part of the differences and their spread. The test looks at their ratio only, and the ratio stays the same.

# %% [markdown] tags=["exercise"]
# ### Exercise 6: More seeds
#
# *Project · 40 minutes.* Scores are averaged over $s$ seeds before folds are compared. In a simple model, the difference of two models on a fold has three parts: one that all folds share, with variance 0.15; one of each fold, 0.45; and the noise of the seeds, $0.40 / s$. The corrected test assumes a correlation of 1/5 between two folds. How many seeds does it take before the true correlation is larger than that? Assign the whole
# number to `answer_6`. Then look at `simulated["seeds"]`, for which we compared two equal nearest neighbours whose seeds pick their features. Their scores are averaged over 1, 5 and 20 seeds (`n_seeds`). Explain what happens to the corrected test. What would you report of
# such a model?

# %% tags=["solution"]
answer_6 = next(s for s in range(1, 100) if 0.15 / (0.15 + 0.45 + 0.40 / s) > 1 / 5)

# %% tags=["check"]
gx.check("06-6", answer_6)

# %% [markdown] tags=["explanation"]
# **Why.** $0.15 / (0.60 + 0.40 / s) > 0.2$ means $0.40 / s < 0.15$, so $s \ge 3$. Averaging takes the noise of the seeds out of the spread between the folds, and leaves what the folds have in common. The mean becomes
# better, but the spread by which the test judges it shrinks, too. In the simulation the corrected test declares a false winner in 6 % of 1,000 comparisons with 1 seed, in 9 % with 5, and in 13 % with 20. No number of
# seeds or folds replaces rows.

# %% [markdown]
# ## Are true winners found?
#
# A test that never declares anything has no false winners either. So now the first of the three models really is better than the two others, by its *lead*. The **power** of a test is the share of comparisons in which it declares the first model better than the second. Only tests with equally few false winners can be compared by that: the corrected test and McNemar's test on one split have {eval}`chapter.percent(corrected["estimate"])` each, the paper's test has {eval}`chapter.percent(paper["estimate"])`.

# %%
found = simulated["leads"]
power = chapter.half_found(found)
gaps = found[(found["procedure"] == "one trial, McNemar") & (found["quantity"] == "power")].iloc[-1]
chapter.show_power(found)

# %% [markdown]
# The corrected test finds a lead of {eval}`chapter.in_points(power["mean_difference"].iloc[0])` points in {eval}`chapter.rate(power.loc["folds, corrected t"], 0)` of
# the comparisons, McNemar's test in {eval}`chapter.rate(power.loc["one trial, McNemar"], 0)`. For large gaps a single evaluation may suffice, the paper says. The largest lead here is {eval}`chapter.in_points(gaps["mean_difference"])` points, and McNemar's test finds it in
# {eval}`chapter.percent(gaps["estimate"])`: the test part of one split has 40 rows.

# %% [markdown]
# ### Two folds, drawn five times
#
# Dietterich proposed two folds, drawn five times, because the two training parts of a repeat then share no rows. Alpaydin (1999, *Combined 5 × 2 cv F Test*, Neural Computation 11) compares the squares of all ten differences with their spread within the repeats, which is an F-test.

# %%
halves = simulated["halves"]
halves = halves[(halves["quantity"] == "FWER") == (halves["effect"] == 0)]
of_halves = halves.set_index(["procedure", "quantity"])["estimate"]
chapter.show_halves(halves)

# %% [markdown]
# Alpaydin's test declares a false winner in {eval}`chapter.percent(of_halves["5 x 2 folds, F", "FWER"], 1)` of the comparisons, and the corrected t-test in {eval}`chapter.percent(of_halves["folds, corrected t", "FWER"], 1)`. They find the lead in {eval}`chapter.percent(of_halves["5 x 2 folds, F", "power"])` and in
# {eval}`chapter.percent(of_halves["folds, corrected t", "power"])`. With 5 folds, drawn twice, the corrected test has fewer false winners, {eval}`chapter.percent(corrected["estimate"], 1)`. It finds the lead, {eval}`chapter.in_points(power["mean_difference"].iloc[0])` points on average with these folds, in {eval}`chapter.percent(power.loc["folds, corrected t", "estimate"])` of the comparisons. Over halves the corrected test finds more leads, but also declares more false winners, so this does not say which design is better. We tried halves in this one world only.

# %% [markdown]
# ## What to do instead
#
# | what people do | what goes wrong | what to do instead |
# |---|---|---|
# | compare scores on one split | any difference makes a winner | McNemar's test; with few test rows it finds almost nothing |
# | test several pairs | their errors add up | Holm's correction |
# | test over folds as if they were independent | folds share data | the corrected t-test, and its interval |
# | add repeats to such a test | it becomes sure of *these rows* | the corrected t-test: in one world, more repeats found more true leads with it |
# | speak of new data | all folds come from these rows | more datasets, and a test over them (notebook 05) |
#
# ## The paper's numbers
#
# Of our numbers, error rates come from the simulation, instability and winners from our datasets without the photographs (means over pairs, then over datasets), which differ from the paper's. Costs count fits.

# %%
chapter.keep_published(null, comparisons, n_fits, len(seeds))

# %% [markdown]
# No run can declare 3.1 winners among 3 pairs.

# %% [markdown] tags=["findings"]
# - **Does a careful protocol avoid false winners?** Three models were equally good. With five seeds averaged on each fold, the paper's test declared a false winner in {eval}`chapter.percent(paper["estimate"])` of the comparisons. With another seed on each fold, which the paper may mean as well, it was {eval}`chapter.percent(other_seeds.loc[2, "estimate"])`. The paper promises at most 5 %. *{eval}`f"{null['n_studies'].iloc[0]:,}"` simulated comparisons; 5 folds, drawn twice. With five seeds averaged it is {eval}`chapter.percent(of_wilcoxon.iloc[0])` if the folds are drawn once, {eval}`chapter.percent(of_wilcoxon.iloc[-1])` if drawn ten times ({eval}`int(over_repeats["n_studies"].iloc[0])` comparisons each), and {eval}`chapter.span(100 * eager, "{:.0f}", " %")` over {eval}`len(eager)` kinds of data and models ({eval}`int(worlds["n_studies"].iloc[0])` each). Another seed on each fold was tried for one kind only.*
# - **Do its intervals cover the true difference?** Where models were equally good, the paper's intervals missed the true difference, zero, for {eval}`chapter.percent(missed["folds, BCa"])` of the pairs. *{eval}`f"{n_intervals:,}"` pairs in {eval}`f"{intervals['n_studies'].iloc[0]}"` simulated comparisons of 200 rows, with five seeds on each fold; at most 5 % may miss.*
# - **What should one use instead?** The corrected t-test, which allows for shared rows, declared a false winner in {eval}`chapter.percent(corrected["estimate"])` of the same comparisons. Where one model led by {eval}`chapter.in_points(power["mean_difference"].iloc[0])` points, it found that in {eval}`chapter.percent(power.loc["folds, corrected t", "estimate"])`. *False winners over the {eval}`len(careful)` kinds of data and models: {eval}`chapter.span(100 * careful, "{:.0f}", " %")`, above the promised rate in {eval}`chapter.of_all(len(chapter.above(worlds, "folds, corrected t")), len(careful))` of them.*

# %%
chapter.check_run(trials, comparisons, null, worlds)

# %% [markdown]
# ## Summary
#
# - Fixed splits and seeds, a public plan and repeatable trials are worth having.
# - Averaging over folds makes the order of models more stable on these data, and says nothing about new data.
# - Folds are not independent. A test that treats them so becomes more certain with every repeat, and wrong more often.
# - Over folds use the corrected t-test and its interval. It is cautious in most of our worlds, but declares up to {eval}`chapter.percent(careful.max())` false winners among models that a single row upsets.

# %%
chapter.keep_key_numbers(null, intervals, found, worlds)

# %% [markdown]
# ## Further reading
#
# - [Nadeau and Bengio, 2003, *Inference for the Generalization Error*](https://doi.org/10.1023/A:1024068626366): the correction, for splits drawn at random.
# - [Dietterich, 1998, *Approximate Statistical Tests for Comparing Supervised Classification Learning Algorithms*](https://doi.org/10.1162/089976698300017197): five tests on one dataset, and which of them find too much.
# - [Bouckaert and Frank, 2004, *Evaluating the Replicability of Significance Tests for Comparing Learning Algorithms*](https://doi.org/10.1007/978-3-540-24775-3_3): the corrected t-test over repeated folds, as it is used here, and whether a test on the same data, split anew, decides the same.
# - [Bengio and Grandvalet, 2004, *No Unbiased Estimator of the Variance of K-Fold Cross-Validation*](https://jmlr.org/papers/v5/grandvalet04a.html): the proof.
# - [Benavoli et al., 2017, *Time for a Change: a Tutorial for Comparing Multiple Classifiers Through Bayesian Analysis*](https://jmlr.org/papers/v18/16-305.html): the same comparisons with posteriors.
