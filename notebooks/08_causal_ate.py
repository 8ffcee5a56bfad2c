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
# **You will learn** how to estimate the average effect of a method over many systems, and what goes wrong when one system on one split speaks for all.
#
# **You need** to know what a paired t test and a train-test split are.
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
# A claim about a method is a claim about systems, so we first say which systems we mean. Like the paper, we study one task. Ours is small: a classifier must tell which Python package a docstring comes from. We blanked out the names of packages.

# %%
import numpy as np

import genexpy_nb as gx
from genexpy_nb.chapters import causal as chapter

gx.plots.use_style()
task = chapter.text_task()

# %% [markdown]
# A random *split* takes {eval}`task.n_train` of the {eval}`f"{len(task.corpus):,}"` docstrings for training and {eval}`task.n_test` others for testing.
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
# (Equation 5). The **average treatment effect** of tf-idf is this error with tf-idf minus the same error with counts.
#
# From here on, a *system* is everything but the compared method. We draw {eval}`n_systems` of the {eval}`f"{len(weighting.contexts()):,}"` systems, each with its own random split. We run each system twice on its split, with tf-idf and with counts. This is the *paired* design.

# %%
paired = gx.causal.run_paired(weighting, task, n_systems, seed=seed, progress=True)
effect = gx.causal.average_treatment_effect(paired, "error", confidence=confidence)

# %% [markdown]
# If tf-idf replaces counts, the error changes on average by {eval}`chapter.stated(effect)`. All effects in an interval are still possible, so one that covers zero does not show that there is no effect.
#
# If systems were patients, each would take only one of the two methods. The paper names this *independent* design, too.

# %%
independent = gx.causal.run_independent(weighting, task, 2 * n_systems, seed=seed, progress=True)
unpaired = gx.causal.average_treatment_effect(independent, "error", confidence=confidence)
wider = (unpaired.high - unpaired.low) / (effect.high - effect.low)

# %% [markdown]
# With the same number of training runs, its interval is {eval}`f"{wider:.1f}"` times as wide, because pairing removes whatever makes a system good or bad under both methods.
#
# For patients, one of the two outcomes is missing, which Holland calls the **fundamental problem of causal inference**. A system can be run twice, under two conditions that the paper assumes. **Temporal stability** means that it does not matter when a method is measured. **Causal transience** means that the first run does not affect the second. Here both hold, because we train every system from scratch, with a fixed seed.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Two populations
#
# *Understanding · 10 minutes.* Four systems make up a population. Their expected errors, in per cent, are:
#
# | system | with tf-idf | with counts |
# |---|---|---|
# | linear, SVM | 20 | 24 |
# | linear, ridge | 22 | 24 |
# | naive Bayes, multinomial | 31 | 26 |
# | naive Bayes, complement | 28 | 25 |
#
# What is the average treatment effect of tf-idf, in points, if all four are equally likely? What is it if nine in ten systems are linear, and the two systems of an approach are still equally likely? Assign both effects as a list to `answer_1`, to one decimal.

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
# *Application · 10 minutes.* Under either method, the errors of systems have a standard deviation of 0.10. The difference between the two errors of a system has a standard deviation of 0.05. What is the correlation of the two errors? How many times as many *training runs* does the independent design need for an interval of the same width? (Ignore degrees of freedom.) Assign both numbers as a list to `answer_2`, to three decimals.

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
# ### Larger treatments: approaches and pretraining
#
# A method can be more than one value of one variable. An approach, such as linear classifiers or naive Bayes, is a *set* of variables, and its error is an average over all their values (Equation 10). So we run each sampled system with random settings of both approaches.

# %%
approaches = population.compare("approach", "linear", "naive Bayes")
composite = gx.causal.run_paired(approaches, task, n_systems, seed=seed, progress=True)
composite_effect = gx.causal.average_treatment_effect(composite, "error", confidence=confidence)

# %% [markdown]
# With linear classifiers instead of naive Bayes, the error changes by {eval}`chapter.stated(composite_effect)`. No effect is defined for a system that cannot take both methods, so restrict the claim to systems that can.
#
# The paper's first examples are about *pretraining*. Should a language model learn to predict hidden words, or the next word? Each sampled system must pretrain its own encoder, so ours are small: tables of word vectors. They predict a hidden word from three words on each side, or the next word from the word before.

# %%
pretrained = chapter.made("simulated_pretraining").rename(columns={"composition": "split"})
parts = ["split", "read", "width", "mean", "tuning", "head"]
objectives = gx.causal.from_results(pretrained, "method", "hidden word", "next word", parts, ["error"])
objective_effect = gx.causal.average_treatment_effect(objectives, "error", confidence=confidence)

# %% [markdown]
# With hidden words instead of the next word, in {eval}`objective_effect.n_used` random systems, the error changes by {eval}`chapter.stated(objective_effect)`. The wider context may be the reason, and larger encoders may behave differently.
#
# ## When the whole population is known
#
# How close do samples come to the truth? The paper says that with unlimited resources, we could analyse the entire population. For a population with fewer choices, we did: we ran all its systems, with counts and with tf-idf, on the same {eval}`chapter.N_COMPOSITIONS` splits.

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

# %% [markdown]
# The average over the {eval}`small.size // 2` systems is a change of {eval}`chapter.points(truth)` percentage points. The error of one system (Equation 4) ranges from {eval}`chapter.percent(of_systems.min())` to {eval}`chapter.percent(of_systems.max())`, which is why pairing gains so much. Figure 1 shows a sample of this population in each design.

# %%
once = gx.causal.run_independent(small_weighting, recorded, 2 * n_systems, seed=seed)
twice = gx.causal.run_paired(small_weighting, recorded, n_systems, seed=seed)
known = {f"{n_systems} systems run twice": twice, f"{2 * n_systems} systems run once": once}
known = {name: gx.causal.average_treatment_effect(runs, "error", confidence=confidence) for name, runs in known.items()}
sampled = known[f"{n_systems} systems run twice"]

# %% tags=["hero"]
chapter.show_answer(known, truth)

# %% [markdown]
# Do such intervals cover the truth as often as they should? We drew 10,000 samples of several sizes in each design beforehand (`data/runs/repeated_studies.py`).

# %%
covered = chapter.made("simulated_samples").set_index(["study", "n_systems"])

# %% [markdown]
# Of the 95 % intervals, {eval}`chapter.span(100 * covered["coverage"], "{:.0f}", " %")` cover the truth. (If effects are very skewed, small samples do less well: `docs/accuracy.md`.)
#
# ## Problem 1: one split
#
# Suppose that somebody trains two models once and compares them on one split. A common test resamples the *test documents* with replacement. Wankmüller objects that this accounts for the luck of the test set, but not for the luck of the training set. How often does the test go wrong?
#
# The same script trained {eval}`len(chapter.EIGHT)` classifiers on 100 random splits each, with 800 test documents. The true difference between two classifiers is their mean difference over all splits. The test is wrong on a split if it rejects this difference.

# %%
rates = chapter.made("simulated_tests")
overall = rates[rates["pair"] == "all"].set_index("error")
n_pairs = int(overall["n_pairs"].iloc[0])
of_pairs = rates.loc[(rates["pair"] != "all") & (rates["error"] == "false_positive"), "estimate"]

# %% [markdown]
# The test should be wrong on 5 % of the splits. Across {eval}`n_pairs` pairs of classifiers, it is wrong on {eval}`chapter.percent(overall.loc["false_positive", "estimate"])`. So Wankmüller's objection matters here. More test documents do not help, because the test never sees another training set.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: More test documents
#
# *Application · 15 minutes.* On one split, resampling the test documents claims a standard deviation of 0.02 for the effect. The luck of the training set adds a standard deviation of 0.015, which resampling does not see. Both kinds of luck are normal. How often does the interval of ± 1.96 claimed standard deviations miss the expected effect? And with four times the test documents? Assign both shares as a list to `answer_3`, to two decimals.

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
# Suppose that somebody runs enough splits, but only one system. Wankmüller's second objection is that the **individual effect** in one system need not be the average effect. How different are they?

# %%
individual = gx.causal.individual_effects(ideal, "error")
spread = gx.causal.heterogeneity(ideal, "error")
in_each = stats.ttest_1samp(tfidf - counts, 0, axis=1).confidence_interval(confidence)
surely_opposite = np.mean(in_each.low > 0 if truth < 0 else in_each.high < 0)

# %%
chapter.show_individual(individual, spread)

# %% [markdown]
# Some opposite signs may be due to the luck of the splits. But in {eval}`chapter.percent(surely_opposite)` of the systems, the whole {eval}`f"{100 * confidence:g}"` % t interval over the splits has the opposite sign. A researcher who uses such a system truthfully reports the opposite effect.
#
# Where does tf-idf help? For each variable that all systems have, we average the effects of the systems with the same method.

# %%
of_all = individual.dropna(axis=1).drop(columns=["system", "n_compositions"])
apart = {name: np.ptp(of_all.groupby(name)["effect"].mean()) for name in of_all if name != "effect"}
assert max(apart, key=apart.get) == "selection"
by_level = of_all.groupby("selection")["effect"].mean().map(chapter.points)

# %% [markdown]
# How many features are kept matters most. If all are kept, the average effect is {eval}`by_level["all"]` points. If a tenth is kept, it is {eval}`by_level["tenth"]`.
#
# How often does a study get the sign wrong, or find no difference?

# %%
rng = np.random.default_rng(seed)
first, second = rng.integers(len(tfidf), size=(2, 100_000))
split = rng.integers(chapter.N_COMPOSITIONS, size=100_000)
of_two = np.mean((tfidf[first, split] - counts[second, split]) * truth <= 0)
of_one = np.mean((tfidf - counts) * truth <= 0)
of_twenty = covered.loc[("tf-idf, paired", 20), "wrong_sign"]

# %% [markdown]
# On one split, this happens in {eval}`chapter.percent(of_two)` of the comparisons of two unrelated systems, and in {eval}`chapter.percent(of_one)` of those within one system. With averages over 20 random systems, as Wankmüller recommends, it happens in {eval}`chapter.percent(of_twenty)`.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: The average and the typical
#
# *Application · 15 minutes.* In the population that we ran in full, what does scaling to unit length do to the error (`normalise`, `True` against `False`)? Average the effect of each system over the splits. Assign two numbers as a list to `answer_4`, to one decimal: the average over the systems, in points, and the share of systems with the opposite sign, in per cent. You need only `small` and `recorded`.

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
# What may we claim if somebody else ran the systems? In the encoder results of notebook 02, a system is a combination of dataset, model, encoder and metric. Does **tuning** raise the score?

# %%
results = gx.datasets.load_encoders(source)
gx.datasets.notice(results)

# %%
with_tuning = "full" if "full" in set(results["tuning"]) else "model"
system = ["dataset", "model", "encoder", "scoring"]
tuning = gx.causal.from_results(results, "tuning", with_tuning, "no", system, ["cv_score"])
tuning_effect = gx.causal.average_treatment_effect(tuning, cluster="dataset", confidence=confidence)
naive = gx.causal.average_treatment_effect(tuning, cluster="system", confidence=confidence)

# %% [markdown]
# Across {eval}`f"{tuning_effect.n_used:,}"` systems that were run both ways, tuning changes the score by {eval}`chapter.stated_score(tuning_effect)`.
#
# Nobody drew these systems at random. If your claim is about these systems only, they *are* the population, and you need no interval. If it is about other datasets, you must assume that these are like a random draw. The interval assumes this, and treats each dataset as one sampled unit, a *cluster*. If we wrongly treat all systems as independent, the interval is only {eval}`chapter.signed(naive.low, 4)` to {eval}`chapter.signed(naive.high, 4)`.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: How many datasets?
#
# *Application · 15 minutes.* We compare two encoders of one family, CV5TE and TE, in our own runs: `of_family` is `gx.causal.from_results(our_runs, "encoder", "CV5TE", "TE", ["dataset", "model", "tuning", "scoring"], ["cv_score"])`, with `our_runs = gx.datasets.load_encoders("bundled")`. How many datasets give a 95 % interval of the average effect that is 0.005 wide from end to end? Average the effect within each dataset, and take the standard deviation $s$ of the averages. With the normal quantile, $n = (2 \cdot 1.96\, s / 0.005)^2$. Assign
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
# **Why.** The standard deviation between the 56 datasets is 0.0239, so $n$ is 351. If datasets are clusters, the interval goes from −0.0122 to +0.0006. If all systems count as independent, it goes from −0.0074 to −0.0042. The second interval is a quarter as wide, and excludes zero. But forty systems share each dataset. If your claim is about other datasets, you have sampled 56 units, not 2,240.

# %% [markdown] tags=["exercise"]
# ### Exercise 6: All systems on one split
#
# *Project · 40 minutes.* A group draws 50 systems at random, with replacement. They run each system with tf-idf and with counts, all on *the same* split, and report a 95 % t interval over the systems. How often does it cover the average effect over all systems and splits? Simulate 40,000 such studies from `tfidf - counts` (one row per system, one column per split). First, all systems share one random split. Then each study draws five different splits, and each system gets one of them at random. Finally, draw a split for each system separately. Assign the three shares as a list to `answer_6`, to two decimals. What would you write in the methods section of each study?

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
# What should a small budget buy? Wankmüller prefers resampling to tuning. With {eval}`2 * n_spent` training runs, we can tune both methods across {eval}`n_spent` systems on one split, and compare the two winners. Or we can average over {eval}`n_spent` untuned systems, each on its own split. Between simulated studies, the estimate has a standard deviation of {eval}`f"{100 * plans.loc['tuned', 'sd']:.1f}"` percentage points with tuning, and of {eval}`f"{100 * plans.loc['untuned', 'sd']:.1f}"` without. So resampling gives the surer answer, but to another question: between tuned systems, the average effect is {eval}`chapter.signed(100 * plans.loc["tuned", "truth"], 1)` points. Wankmüller finds the average over all settings more interesting. If you want to know about tuned systems, repeat the tuning on many splits.
#
# How many systems does a study need? Our first sample serves as a pilot.

# %%
one_point = gx.causal.plan_systems(paired, [0.01], "error", confidence=confidence).iloc[0]

# %% [markdown]
# For an interval that is one percentage point wide, a study needs about {eval}`int(one_point["n_systems_paired"])` systems, each run twice. (The {eval}`f"{100 * confidence:g}"` % interval for this number is {eval}`int(one_point["n_systems_low"])` to {eval}`int(one_point["n_systems_high"])`.) If the first interval may be twice as wide, about a quarter of these systems are enough.

# %% [markdown] tags=["findings"]
# - **Weighing words by rarity lowered the error, on average.** When all {eval}`spread.n_systems` text classifiers of a small population weighed words instead of counting them, their average error fell by {eval}`f"{-100 * truth:.1f}"` percentage points. In a larger population, draw systems at random and run each both ways. *The error is the share of texts that are put into the wrong class, averaged over {eval}`chapter.N_COMPOSITIONS` splits. A random sample of {eval}`n_systems` classifiers gives a change of {eval}`chapter.stated(sampled)`.*
# - **One system cannot speak for a method.** In {eval}`chapter.percent(spread.share_opposite)` of these classifiers, weighing words by rarity raised the error. So a gain in your system does not promise a gain in the next one. *Means over {eval}`chapter.N_COMPOSITIONS` splits. In {eval}`chapter.percent(surely_opposite)` of the classifiers, the whole {eval}`f"{100 * confidence:g}"` % interval shows a higher error. All solve the same task, and other tasks can differ.*
# - **One split of the data is not enough.** A common test on one split should be wrong about the true difference between two classifiers on 5 % of the splits. It was wrong on {eval}`chapter.percent(overall.loc["false_positive", "estimate"])`. It cannot see the luck of the training set, so train on several splits. *The average over {eval}`n_pairs` pairs of classifiers and 100 splits (95 % interval {eval}`chapter.ends(overall.loc["false_positive"])`). Single pairs range from {eval}`chapter.span(100 * of_pairs, "{:.0f}", " %")`.*

# %% [markdown]
# ## Summary
#
# Say over which systems you average. Run each random system both ways, on its own split, and take a t interval over systems.

# %%
chapter.check_run(paired, composite, truth)
values = {"truth": truth, "opposite": spread.share_opposite, "one-system": of_one, "independent-width": wider}
effects = {"weighting": effect, "approach": composite_effect, "tuning": tuning_effect}
chapter.keep_key_numbers(effects, overall, one_point, values)

# %% [markdown]
# ## Further reading
#
# - [Holland, 1986, *Statistics and Causal Inference*](https://doi.org/10.1080/01621459.1986.10478354): why we can know average effects, but not individual ones.
# - [Bouthillier et al., 2021, *Accounting for Variance in Machine Learning Benchmarks*](https://proceedings.mlsys.org/paper_files/paper/2021/hash/0184b0cd3cfb185989f858a1d9f5c1eb-Abstract.html): data, seeds and tuning as sources of variance.
