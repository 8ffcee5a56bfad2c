# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Does the method cause the improvement?
#
# *Executable companion to* Drawing Causal Inferences About Performance Effects in NLP (S. Wankmüller): *all of it. The paper argues without data; the numbers below are from experiments run for this notebook, except for one case study, a benchmark.*
#
# You replaced one part of your system with another, say word counts with tf-idf weights, and the error fell by two points. It fell in *your* system, on *your* split of the data. Would it also fall for the next person
# who tries the same in another system?
#
# Like the paper, this notebook borrows the language of medicine. Systems are the patients, and a method is the treatment. So we say which systems could be built, draw some of them at random, and treat them.
#
# **You will learn** how to estimate the average effect of a method over a population of systems, what goes wrong when one system on one split speaks for all, and how many systems a study needs.
#
# **You need** to know what a paired t test and a train-test split are. One case study uses the results of notebook 02.
#
# **Time** 15 minutes to read, 120 with the exercises.

# %% tags=["parameters"]
n_systems: int = 50  # systems in each sample that is run here, at least 20
source: str = "auto"  # encoder results: original (published), bundled (this project's own runs), or auto
confidence: float = 0.95  # of the intervals, in (0, 1)
seed: int = 0  # of everything random

# %% [markdown]
# ## A population of systems
#
# Like the paper, we study one task. Our task is small and needs no download: a classifier must tell which Python package a docstring comes from. We blanked out the names of packages.

# %%
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import causal as chapter

gx.plots.use_style()
task = chapter.text_task()

# %% [markdown]
# There are {eval}`f"{len(task.corpus):,}"` docstrings. A random split takes {eval}`task.n_train` of them for training, {eval}`task.n_validation` for validation and {eval}`task.n_test` for testing.
#
# A **processing system** is a combination of methods, one for each step from text to prediction. As in the paper, all combinations are equally likely. People do not build all of them equally often, so an average over this population is not an average over the systems in use.

# %%
population = chapter.text_population()
weighting = population.compare("weighting", "tf-idf", "counts")
chapter.show_population(population)

# %% [markdown]
# ## The effect of one method
#
# Does it help to weigh words by their rarity (tf-idf) instead of counting them? The **expected generalization error** of a method is its error on new documents, averaged over training data and over all systems that use it
# (Equation 5). The **average treatment effect** of tf-idf against counts is the error of tf-idf minus the error of counts.
#
# From here on, we call everything but the compared method a *system*. There are {eval}`f"{len(weighting.contexts()):,}"` systems, and each can take either weighting. We draw {eval}`n_systems` of them, each with its own random split. On this split, we run the system twice, with tf-idf and with counts. This is the *paired* design. (Figure 1 is about a smaller population, which we ran in full.)

# %%
options = {"confidence": confidence, "rng": seed}
paired = gx.causal.run_paired(weighting, task, n_systems, seed=seed, progress=True)
effect = gx.causal.average_treatment_effect(paired, "error", **options)
effect.errors.set_index("method")[["estimate", "low", "high"]].round(3)

# %% [markdown]
# If tf-idf replaces counts, the error changes on average by {eval}`chapter.stated(effect)`. An interval that covers zero does not show that there is no effect, only which effects are still possible.
#
# If systems were patients, we would assign each of them to one of the methods at random. This *independent* design covers twice the number of systems with the same number of training runs.

# %%
independent = gx.causal.run_independent(weighting, task, 2 * n_systems, seed=seed, progress=True)
unpaired = gx.causal.average_treatment_effect(independent, "error", **options)
wider = (unpaired.high - unpaired.low) / (effect.high - effect.low)

# %% [markdown]
# The independent design finds an effect of {eval}`chapter.stated(unpaired)`. Its interval is {eval}`f"{wider:.1f}"` times as wide. Pairing removes whatever makes a system good or bad under both methods, and systems differ a lot.
#
# For patients, one of the two outcomes is always missing, because nobody can both take a drug and not take it. Holland calls this the **fundamental problem of causal inference**. But we can run a system twice, because we can build it twice. Its two errors differ by the effect of the method if two conditions hold. **Temporal stability** means that it does not matter when a method is measured. **Causal transience** means that the first run does not affect the second, for example by learned parameters. The paper assumes both. Here they hold, because we train every system from scratch, with a fixed seed.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Two populations
#
# *Understanding · 10 minutes.* Four systems make up a population. These are their expected errors, in per cent:
#
# | system | with tf-idf | with counts |
# |---|---|---|
# | linear, SVM | 20 | 24 |
# | linear, ridge | 22 | 24 |
# | naive Bayes, multinomial | 31 | 26 |
# | naive Bayes, complement | 28 | 25 |
#
# What is the average treatment effect of tf-idf against counts, in points, if all four are equally likely? What is it if nine in ten systems are linear, and the two systems of an approach are still equally likely? Assign both effects as a list to `answer_1`, to one decimal.

# %% tags=["solution"]
effects_1 = np.array([20, 22, 31, 28]) - np.array([24, 24, 26, 25])
answer_1 = [np.average(effects_1, weights=weights) for weights in ([1, 1, 1, 1], [9, 9, 1, 1])]

# %% tags=["check"]
gx.check("08-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** The individual effects are −4, −2, +5 and +3 points. Their mean is +0.5; the weighted mean is 0.9 · (−3) + 0.1 · 4 = −2.3. No system has changed, but the sign has. Both numbers are right, each for its population. A paper that does not say over which systems it averages has reported nothing.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: What pairing buys
#
# *Application · 10 minutes.* Under either method, the errors of systems have a standard deviation of 0.10. The difference between the two errors of a system has a standard deviation of 0.05. What is the correlation of the two errors? For an interval of the same width, the independent design needs more *training runs* than the paired design. By what factor? (Ignore degrees of freedom.) Assign both numbers as a list to `answer_2`, to three decimals.

# %% tags=["solution"]
correlation = 1 - 0.05**2 / (2 * 0.10**2)
n_paired = 0.05**2  # systems for a variance of 1, each trained twice
n_each = 2 * 0.10**2  # systems under each method for the same variance, each trained once
answer_2 = [correlation, (2 * n_each) / (2 * n_paired)]

# %% tags=["check"]
gx.check("08-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** 0.0025 = 2 · 0.01 · (1 − r) gives r = 0.875. If n systems run twice, the variance is 0.0025 / n for 2n training runs. If n systems run under each method, it is 0.02 / n for the same number of training runs. The ratio is 1 / (1 − r) = 8. Without correlation, the two designs cost the same. With a negative correlation, pairing would hurt. To learn how much you gain, run some systems both ways in a pilot.

# %% [markdown]
# ### A whole approach
#
# An approach, such as linear classifiers or naive Bayes, is not one value of a variable but a *set* of variables. We average its error over all their values (Equation 10). Settings of two approaches do not come in pairs. So we run each sampled system (say, words with tf-idf) twice, with random settings of a linear classifier and with random settings of naive Bayes.

# %%
approaches = population.compare("approach", "linear", "naive Bayes")
composite = gx.causal.run_paired(approaches, task, n_systems, seed=seed, progress=True)
composite_effect = gx.causal.average_treatment_effect(composite, "error", **options)

# %% [markdown]
# With linear classifiers instead of naive Bayes, the error changes by {eval}`chapter.stated(composite_effect)`.
#
# Every system of a population must be able to take both methods. If a system cannot, no effect is defined for it. Then restrict the claim to systems that can take both.
#
# ### Pretraining as a treatment
#
# The paper's first examples are about *pretraining*. Should a language model learn to predict hidden words, or the next word? If we draw systems at random, each system must pretrain its own encoder. Large encoders are too expensive for that, so ours are small tables of word vectors, made from docstrings without labels (`data/runs/pretraining.py`). An encoder predicts a hidden word from three words on each side, or the next word from the word before. So this treatment also widens the context, from one word to six.

# %%
pretrained = chapter.made("simulated_pretraining").rename(columns={"composition": "split"})
parts = ["split", "read", "width", "mean", "tuning", "head"]
objectives = gx.causal.from_results(pretrained, "method", "hidden word", "next word", parts, ["error"])
objective_effect = gx.causal.average_treatment_effect(objectives, "error", **options)

# %% [markdown]
# If the encoders of {eval}`objective_effect.n_used` random systems predict hidden words instead of the next word, the mean error changes by {eval}`chapter.stated(objective_effect)`. In {eval}`chapter.percent(gx.causal.heterogeneity(objectives).share_opposite)` of the systems, the effect has the opposite sign. Larger encoders, such as Transformers, may behave differently.
#
# ## When the whole population is known
#
# The paper says that with unlimited resources, we could analyse the entire population. For a population like the one above, but with fewer choices, we did: we ran all its systems on the same {eval}`chapter.N_COMPOSITIONS` splits. So we know the true average effect, and can see how close samples come to it.

# %%
table = chapter.load_text_population()
small = chapter.small_text_population()
recorded = gx.causal.Recorded(table, small.names, table.attrs["about"]["losses"])
small_weighting = small.compare("weighting", "tf-idf", "counts")
ideal = chapter.ideal_study(small_weighting, recorded, range(chapter.N_COMPOSITIONS))
tfidf, counts = ideal.arrays("error")
truth = tfidf.mean() - counts.mean()

# %%
from scipy import stats

of_systems = np.concatenate([tfidf, counts]).mean(axis=1)  # Equation 4: each system on average over the splits
of_population = of_systems.mean()  # Equation 3: all systems, with either method

# %% [markdown]
# The population has {eval}`small.size // 2` systems, each with counts and with tf-idf. The paper defines three kinds of expected error. The error of *one system* with one weighting (Equation 4) ranges from {eval}`f"{of_systems.min():.2f}"` to {eval}`f"{of_systems.max():.2f}"`. The error of the *whole population* with both methods (Equation 3) is {eval}`f"{of_population:.3f}"`. The error of *a method* (Equation 5) is {eval}`f"{tfidf.mean():.4f}"` for tf-idf and {eval}`f"{counts.mean():.4f}"` for counts. The effect is the difference between these two errors.

# %%
once = gx.causal.run_independent(small_weighting, recorded, 2 * n_systems, seed=seed)
twice = gx.causal.run_paired(small_weighting, recorded, n_systems, seed=seed)
known = {f"{n_systems} systems run twice": twice, f"{2 * n_systems} systems run once": once}
known = {name: gx.causal.average_treatment_effect(runs, "error", **options) for name, runs in known.items()}
sampled = known[f"{n_systems} systems run twice"]

# %% tags=["hero"]
chapter.show_answer(known, truth)

# %% [markdown]
# Does the interval of a sample cover the truth as often as it should? Beforehand, we drew 10,000 samples of 20, of 50 and of 100 systems with each of three designs (`data/runs/repeated_studies.py`).

# %%
covered = chapter.made("simulated_samples").set_index(["study", "n_systems"])

# %% [markdown]
# Depending on size and design, {eval}`chapter.span(100 * covered["coverage"], "{:.1f}", " %")` of the 95 % intervals cover the truth. If effects are very skewed, 20 systems give only 87 to 92 % (`docs/accuracy.md`).
#
# ## Problem 1: one split
#
# A common test does not sample systems. It takes two trained models and resamples the *test documents* with replacement. So it accounts for the luck of the test set, but not for the luck of the training set.
#
# How often is this test wrong? Beforehand, the same script trained {eval}`len(chapter.EIGHT)` classifiers on 100 random splits each: four systems, each with tf-idf and with counts. The true difference between two classifiers is their mean difference over all splits, and the test is wrong on a split if it rejects this difference.

# %%
rates = chapter.made("simulated_tests")
overall = rates[rates["pair"] == "all"].set_index("error")
n_pairs = int(overall["n_pairs"].iloc[0])
chapter.show_pairs(rates[rates["pair"] != "all"])

# %% [markdown]
# Across all {eval}`n_pairs` pairs of classifiers, the test at 5 % rejects the true difference on {eval}`chapter.rate(overall.loc["false_positive"])` of the splits.
#
# Would more test documents help? For two of the pairs, we compare the standard deviation that resampling claims with the actual one between splits.

# %%
spreads = chapter.made("simulated_spreads").set_index(["pair", "test documents"])
underrated = spreads["ratio"].unstack().loc[:, [100, 800]]
assert (underrated[800] > underrated[100]).all()

# %% [markdown]
# They would not: with 100 test documents, the actual standard deviation is {eval}`chapter.span(underrated[100], "{:.2f}")` times what resampling claims, and with 800 it is {eval}`chapter.span(underrated[800], "{:.2f}")` times. A larger test set makes the interval narrower, but the interval never includes the luck of the training set.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: More test documents
#
# *Application · 15 minutes.* On one split, a bootstrap of the test documents claims a standard deviation of 0.02 for the effect. The luck of the training set adds a standard deviation of 0.015, which the bootstrap does not see. Both kinds of luck are normally distributed. How often does the interval of ± 1.96 claimed standard deviations miss the expected effect? And how often does it miss with four times the test documents? Assign both shares as a list to `answer_3`, to two decimals.

# %% tags=["solution"]
from scipy.stats import norm

answer_3 = [2 * norm.sf(1.96 * claimed / np.hypot(claimed, 0.015)) for claimed in (0.02, 0.01)]

# %% tags=["check"]
gx.check("08-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** The actual standard deviations are 0.025 and 0.018. So the intervals reach 1.57 and 1.09 actual standard deviations to either side, not 1.96. They miss the expected effect 12 % and 28 % of the time. With the larger test set, the estimate is better but its interval is wrong more often, because the luck of the training set does not shrink.

# %% [markdown]
# ## Problem 2: one system
#
# Suppose that somebody runs enough splits, but only one system. They measure the **individual effect** of the method in this system.

# %%
individual = gx.causal.individual_effects(ideal, "error")
spread = gx.causal.heterogeneity(ideal, "error")
in_each = stats.ttest_1samp(tfidf - counts, 0, axis=1).confidence_interval(confidence)
surely_opposite = np.mean(in_each.low > 0 if truth < 0 else in_each.high < 0)

# %%
chapter.show_individual(individual, spread)

# %% [markdown]
# Across systems, the effect has a standard deviation of {eval}`f"{100 * spread.sd_systems:.1f}"` percentage points, around an average of {eval}`chapter.points(truth)`. Some opposite signs may be due to the luck of the {eval}`chapter.N_COMPOSITIONS` splits. But in {eval}`chapter.percent(surely_opposite)` of the systems, the whole {eval}`f"{100 * confidence:g}"` % t interval over the splits has the opposite sign. A researcher who uses such a system truthfully reports the opposite effect.
#
# Which variables of a system change the effect? An analysis of variance of the individual effects ranks them. For the first two variables, the table shows the average effect in percentage points.

# %%
moderators = gx.causal.moderators(ideal, "error")
most, next_most = moderators.replace({"variable": chapter.CALLED}).head(2).itertuples()
levels = pd.concat([chapter.effects_by_level(ideal, name, "error") for name in moderators["variable"].head(2)])
levels = levels.replace({"variable": chapter.CALLED, "level": {"True": "yes", "False": "no"}})
levels = levels.assign(effect=levels["estimate"].map(chapter.points))
levels.set_index(["variable", "level"])[["n_systems", "effect"]]

# %% [markdown]
# The variable *{eval}`most.variable`* explains {eval}`chapter.percent(most.share)` of the variance of the effect between systems, and *{eval}`next_most.variable`* explains {eval}`chapter.percent(next_most.share)`.
#
# How often does a comparison have the wrong sign, or find no difference?

# %%
rng = np.random.default_rng(seed)
first, second = rng.integers(len(tfidf), size=(2, 100_000))
split = rng.integers(chapter.N_COMPOSITIONS, size=100_000)
of_two = np.mean((tfidf[first, split] - counts[second, split]) * truth <= 0)
of_one = np.mean((tfidf - counts) * truth <= 0)
of_twenty = covered.loc[("tf-idf, paired", 20), "wrong_sign"]

# %% [markdown]
# On one split, {eval}`chapter.percent(of_two)` of the comparisons of two unrelated systems do, and {eval}`chapter.percent(of_one)` of those within one system. Of averages over 20 random systems, each on its own split, {eval}`chapter.percent(of_twenty)` do.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: The average and the typical
#
# *Application · 15 minutes.* In the population that we ran in full, what does scaling to unit length do to the error (`normalise`, `True` against `False`)? Average the effect of each system over the splits. Assign a list of two numbers to `answer_4`, to one decimal. The first is the average over the systems, in points, and the second is the share of systems with the opposite sign, in per cent. From above, you need only `small` and `recorded`.

# %% tags=["solution"]
scaled, unscaled = chapter.ideal_study(
    small.compare("normalise", True, False), recorded, range(chapter.N_COMPOSITIONS)
).arrays("error")
of_systems = (scaled - unscaled).mean(axis=1)
answer_4 = [100 * of_systems.mean(), 100 * np.mean(of_systems * of_systems.mean() < 0)]

# %% tags=["check"]
gx.check("08-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** Scaling raises the error by 3.0 points on average, but lowers it in 51 % of the systems. The median system gains 0.2 points, and a quarter of the systems lose more than 8. The average is not wrong, but it is not typical. Ask separately what to expect of a random system, and what to recommend for all.

# %% [markdown]
# ## A benchmark as a population
#
# Often, somebody else has already run the systems. In the encoder results of notebook 02, a system is a combination of dataset, model, encoder and metric. Does **tuning** help?

# %%
results = gx.datasets.load_encoders(source)
gx.datasets.notice(results)

# %%
with_tuning = "full" if "full" in set(results["tuning"]) else "model"
system = ["dataset", "model", "encoder", "scoring"]
tuning = gx.causal.from_results(results, "tuning", with_tuning, "no", system, ["cv_score"])
tuning_effect = gx.causal.average_treatment_effect(tuning, cluster="dataset", **options)
naive = gx.causal.average_treatment_effect(tuning, cluster="system", n_resamples=100, **options)

# %% [markdown]
# Across {eval}`f"{tuning_effect.n_used:,}"` systems that were run both ways, tuning changes the score by {eval}`chapter.stated_score(tuning_effect)`. (Notebook 02 calls the two ways *{eval}`with_tuning`* and *no*.) Higher scores are better. We left out the {eval}`f"{tuning.n_systems - tuning_effect.n_used:,}"` systems that were run one way only.
#
# Nobody drew these systems at random. If you make a claim about these systems only, they *are* the population, and you need no interval. If your claim is about other datasets, you must assume that these datasets are like a random draw. The interval above assumes this, and treats each dataset as one sampled unit, a *cluster*. If we wrongly treat all systems as independent, we get {eval}`chapter.stated_score(naive)`.
#
# Is the average typical of the datasets?

# %%
per_dataset = gx.causal.individual_effects(tuning).groupby("dataset")["effect"].mean()
trimmed = per_dataset.drop(per_dataset.abs().idxmax()).mean()

# %% [markdown]
# Over the {eval}`len(per_dataset)` datasets, the mean effect is {eval}`chapter.signed(per_dataset.mean(), 3)`, and the median is {eval}`chapter.signed(per_dataset.median(), 3)`. Without the dataset that has the largest effect, the mean is {eval}`chapter.signed(trimmed, 3)`.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: How many datasets?
#
# *Application · 15 minutes.* We compare two encoders of the same family, CV5TE and TE, in this project's own runs: `of_family` is `gx.causal.from_results(our_runs, "encoder", "CV5TE", "TE", ["dataset", "model", "tuning", "scoring"], ["cv_score"])`, with `our_runs = gx.datasets.load_encoders("bundled")`. How many datasets must we have for a 95 % interval of the average effect that is 0.005 wide from end to end? Average the effect within each dataset, and take the standard deviation $s$ of the averages. With the normal quantile, $n = (2 \cdot 1.96\, s / 0.005)^2$. Assign
# $n$ to `answer_5`, to two significant digits. Also compare the intervals of `gx.causal.average_treatment_effect(of_family, cluster=...)` for `"dataset"` and `"system"`. Which interval may a paper report?

# %% tags=["solution"]
our_runs = gx.datasets.load_encoders("bundled")
of_family = gx.causal.from_results(
    our_runs, "encoder", "CV5TE", "TE", ["dataset", "model", "tuning", "scoring"], ["cv_score"]
)
### BEGIN SOLUTION
of_datasets = gx.causal.individual_effects(of_family).groupby("dataset")["effect"].mean()
answer_5 = (2 * 1.96 * of_datasets.std() / 0.005) ** 2
### END SOLUTION

# %% tags=["check"]
gx.check("08-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** The standard deviation between the 56 datasets is 0.0239, so $n$ is 351. If datasets are clusters, the interval goes from −0.0122 to +0.0006. If all systems count as independent, it goes from −0.0074 to −0.0042. That is a quarter of the width, and excludes zero. But forty systems share each dataset. If your claim is about other datasets, you have sampled 56 units, not 2,240.

# %% [markdown] tags=["exercise"]
# ### Exercise 6: All systems on one split
#
# *Project · 40 minutes.* A split is one more variable of a system, and a study on one split holds it constant. A group draws 50 systems at random, with replacement. They run each system with tf-idf and with counts, all on *the same* split, and report a 95 % t interval over the systems. How often does this interval cover the average effect over all systems and splits? Simulate 40,000 such studies from `tfidf - counts` (one row per system, one column per split). First, all systems share one random split. Then each study draws five different splits, and each system gets one of them at random. Finally, draw a split for each system separately. Assign the three shares as a list to `answer_6`, to two decimals. What would you write in the methods section of each study?

# %% tags=["solution"]
from scipy.stats import t as student

individual_6, rng_6 = tfidf - counts, np.random.default_rng(0)
size, reach = (40_000, 50), student.ppf(0.975, 49) / np.sqrt(50)
answer_6 = []
for n_compositions_6 in (1, 5, None):
    at = rng_6.integers(individual_6.shape[1], size=size)
    if n_compositions_6:
        some = rng_6.permuted(np.tile(np.arange(individual_6.shape[1]), (size[0], 1)), axis=1)
        at = np.take_along_axis(some, rng_6.integers(n_compositions_6, size=size), axis=1)
    effects_6 = individual_6[rng_6.integers(len(individual_6), size=size), at]
    missed_by = np.abs(effects_6.mean(axis=1) - individual_6.mean())
    answer_6.append(np.mean(missed_by <= reach * effects_6.std(axis=1, ddof=1)))

# %% tags=["check"]
gx.check("08-6", answer_6)

# %% [markdown] tags=["explanation"]
# **Why.** The interval knows how systems differ. If there is only one split, it cannot know how splits differ. If all systems share one split, the interval covers the truth in 77 % of the studies. With five splits, it does so in 92 %. With a separate split for each system, it does so in 95 %. All three kinds of study cost the same 100 training runs. Vary what systems share, or say that it is fixed.

# %%
spent = chapter.made("simulated_spending")
n_spent = int(spent["n_systems"].max())
plans = spent[spent["n_systems"] == n_spent].set_index("plan")

# %% [markdown]
# ## How to spend the next training runs
#
# The paper recommends spending training runs on resampling rather than on tuning. With {eval}`2 * n_spent` training runs, we can tune both methods across {eval}`n_spent` systems on one split, and compare the two winners. Or we can average over {eval}`n_spent` untuned systems, each on its own split. We simulated both ways beforehand (`data/runs/repeated_studies.py`).
#
# Between such studies, the estimate has a standard deviation of {eval}`f"{100 * plans.loc['tuned', 'sd']:.1f}"` percentage points with tuning, and of {eval}`f"{100 * plans.loc['untuned', 'sd']:.1f}"` without. However long you tune, in the end you compare one pair of systems on one test set. But the two ways answer different questions: the average effect is {eval}`chapter.signed(100 * plans.loc["untuned", "truth"], 1)` over all systems, and {eval}`chapter.signed(100 * plans.loc["tuned", "truth"], 1)` between tuned ones. To learn about tuned systems, repeat the tuning on many splits.
#
# How many systems does a study need? Our first sample can serve as a pilot.

# %%
one_point = gx.causal.plan_systems(paired, [0.01], "error", confidence=confidence).iloc[0]

# %% [markdown]
# For an interval that is one percentage point wide, a study needs about {eval}`int(one_point["n_systems_paired"])` systems, each run twice. If it may be twice as wide, about a quarter of them is enough. The pilot estimates the standard deviation only roughly, so the {eval}`f"{100 * confidence:g}"` % interval for the {eval}`int(one_point["n_systems_paired"])` is {eval}`int(one_point["n_systems_low"])` to {eval}`int(one_point["n_systems_high"])`. The independent design needs {eval}`f"{one_point['ratio']:.1f}"` times the training runs.

# %% [markdown] tags=["findings"]
# - **Does weighing words by rarity lower the error?** We replaced word counts with tf-idf (weights by rarity) in all {eval}`spread.n_systems` text classifiers of a small population. The error changed by {eval}`chapter.points(truth)` percentage points on average. *We ran each classifier on {eval}`chapter.N_COMPOSITIONS` splits. A sample of {eval}`n_systems` of them gives {eval}`chapter.stated(sampled)`. A sample of {eval}`n_systems` from a larger population gives {eval}`chapter.stated(effect)`.*
# - **Can one system speak for a method?** In {eval}`chapter.percent(spread.share_opposite)` of these classifiers, the mean effect over {eval}`chapter.N_COMPOSITIONS` splits has the opposite sign. In {eval}`chapter.percent(surely_opposite)`, its whole {eval}`f"{100 * confidence:g}"` % interval has the opposite sign. *All {eval}`spread.n_systems` classifiers solve the same task. Other methods and tasks can differ.*
# - **Is one split of the data enough?** A common test resamples the test documents of one split. It rejects the true difference between two classifiers on {eval}`chapter.percent(overall.loc["false_positive", "estimate"])` of the splits, although it promises 5 %. *This is an average over {eval}`n_pairs` pairs of classifiers (Figure 2 shows each pair) and 100 splits. Its 95 % interval is {eval}`chapter.ends(overall.loc["false_positive"])`.*

# %%
chapter.check_run(paired, composite, effect)

# %% [markdown]
# ## Summary
#
# - A method has an effect only in a population of systems. Say which population, and draw from it.
# - Run each random system both ways, on its own split, and take a t interval over systems.
# - Ask *where* a method helps. In your system, its effect may even have the opposite sign.

# %%
values = {"truth": truth, "opposite": spread.share_opposite, "spread": spread.sd_systems}
values |= {"one-system": of_one, "independent-width": wider}
effects = {"weighting": effect, "approach": composite_effect, "tuning": tuning_effect}
chapter.keep_key_numbers(effects, overall, one_point, values)

# %% [markdown]
# ## Further reading
#
# - [Holland, 1986, *Statistics and Causal Inference*](https://doi.org/10.1080/01621459.1986.10478354): why we can know average effects, but not individual ones.
# - [Bouthillier et al., 2021, *Accounting for Variance in Machine Learning Benchmarks*](https://proceedings.mlsys.org/paper_files/paper/2021/hash/0184b0cd3cfb185989f858a1d9f5c1eb-Abstract.html): data, seeds and tuning as sources of variance, measured on five tasks.
# - [Dror et al., 2017, *Replicability Analysis for Natural Language Processing: Testing Significance with Multiple Datasets*](https://doi.org/10.1162/tacl_a_00074): on how many of several datasets does an effect hold?
