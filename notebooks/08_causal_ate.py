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
# *Executable companion to* Drawing Causal Inferences About Performance Effects in NLP (S. Wankmüller): *all of it. The paper
# argues without data; every number below is from experiments run for this notebook.*
#
# "We replaced counts by tf-idf weights, and the error fell by two points." In *that* system, on *that* split. What we would
# like to say is: tf-idf lowers the error, on average, in the kind of system that people build.
# The paper takes over the language of medicine for this. Processing systems are the individuals, a method is a treatment, and
# the quantity of interest is the **average treatment effect** in a **population of systems**.
#
# **You will learn** how to define such a population and sample from it, how to estimate the effect of a single method and of
# a whole approach, what goes wrong when one system on one split speaks for all, how many systems a study needs,
# and how to read a published benchmark as a population that others have sampled.
#
# **You need** to know what a paired t test and a train-test split are.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
n_systems: int = 50  # processing systems in each sample that is run here, at least 20
n_compositions: int = 100  # train-test compositions on which two fixed systems are compared
test_sizes: list[int] = [50, 100, 200, 400, 800]  # test documents in the demonstration of the first problem
sample_sizes: list[int] = [20, 50, 100]  # systems per study, where the coverage of intervals is measured
n_studies: int = 10000  # simulated studies per sample size
source: str = "auto"  # encoder results: original (published), bundled (this project's own runs), or auto
encoder: str = "TE"  # encoder compared in the second case study
against: str = "OHE"  # encoder that it is compared with
seed: int = 0  # seed of everything random

# %% [markdown]
# The report `causal_large` takes four times as many systems; `genexpy-nb render causal -p n_systems=500` takes more.

# %% [markdown]
# ## Setup

# %%
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.experiments.text import (
    N_COMPOSITIONS,
    load_text_population,
    small_text_population,
    text_population,
    text_task,
)
from genexpy_nb.plots import causal as figures

gx.plots.use_style()
pd.set_option("display.precision", 4)
pd.set_option("display.max_colwidth", 90)

# %% [markdown]
# ## The task
#
# Which package does a docstring come from? Real text, real labels, and no download: the documents are read from the
# packages that this project depends on, with the packages' names blanked out.

# %%
task = text_task()
print(task.corpus.attrs["about"])
task.corpus.groupby("label").head(1)[["text", "label", "name"]].reset_index(drop=True)

# %% [markdown]
# A **train-test composition** draws 180 documents to train on, 100 for validation and 300 to test on, at random. The corpus
# plays the part of the distribution $p(d, y)$ that documents and labels come from.

# %% [markdown]
# ## A population of processing systems
#
# A system is a combination of methods, one for each variable, and a composition: $g(v_1, \dots, v_m, D_{train}, D_{test})$.
# Variables are independent and methods equally likely, except for combinations that make no sense, which a rule
# excludes: here, single characters as features, and word trigrams.

# %%
population = text_population()
rows = [(name, "all systems", methods) for name, methods in population.variables.items()]
rows += [(name, approach, methods) for approach, own in population.approaches.items() for name, methods in own.items()]
display(pd.DataFrame(rows, columns=["variable", "in", "methods"]))
print(f"{population.n_raw:,} combinations, {population.size:,} of them valid")

# %%
population.sample(4, seed=seed)

# %% [markdown]
# The linear and the naive Bayes approach have variables of their own. Each system has a seed of its own as well:
# ask for more systems, and the first ones stay the same.

# %% [markdown]
# ## The effect of one method: tf-idf against counts
#
# The **expected generalization error** of a method averages the loss over everything but the method (Eq. 5),
#
# $$\mathrm{EGE}(A) = \sum_{v_2, \dots, v_m} \iint L\bigl(y, g(A, v_2, \dots, v_m, d, y)\bigr)\, p(v_2, \dots, v_m, d, y)\, \mathrm{d}d\, \mathrm{d}y ,$$
#
# and the average treatment effect is $\mathrm{EGE}(A) - \mathrm{EGE}(B)$. Both are estimated from a random sample of systems,
# each with a composition of its own (Eq. 6). In the **paired** design every system is run twice, once with each method, on the same
# composition.

# %%
weighting = population.compare("weighting", "tf-idf", "counts")
paired = gx.causal.run_paired(weighting, task, n_systems, seed=seed)
effect = gx.causal.average_treatment_effect(paired, "error", rng=seed)
print(effect)
effect.errors

# %%
effect.tests

# %% [markdown]
# Three ways to the same question: a t interval, a BCa bootstrap over systems, and a test that flips the signs of the individual
# effects at random. The losses of a run are recorded together, so another loss costs nothing:

# %%
print(gx.causal.average_treatment_effect(paired, "f1_loss", rng=seed))

# %% [markdown]
# The **independent** design assigns each system to one of the methods by chance. For the same number of trainings it
# looks at twice as many systems, and yet:

# %%
independent = gx.causal.run_independent(weighting, task, 2 * n_systems, seed=seed)
unpaired = gx.causal.average_treatment_effect(independent, "error", rng=seed)
fig = figures.effect_forest({f"{n_systems} systems twice": effect, f"{2 * n_systems} systems once": unpaired})
plt.show()

# %% [markdown]
# *Average effect of tf-idf against counts on the error rate, 95 % intervals, the same number of trainings in both designs.*
#
# Systems differ far more from each other than the two methods do within a system. Pairing takes these differences out.

# %% [markdown]
# ## The effect of an approach: linear against naive Bayes
#
# An approach is a *set* of variables (Eq. 10). The linear approach has a learner and a strength of regularisation, naive Bayes a model of
# events and a smoothing constant: different variables, and nothing to pair within them. So each sampled context takes a random
# combination of the parts of each approach, every combination being equally likely.

# %%
approaches = population.compare("approach", "linear", "naive Bayes")
composite = gx.causal.run_paired(approaches, task, n_systems, seed=seed)
composite_effect = gx.causal.average_treatment_effect(composite, "error", rng=seed)
print(composite_effect)
display(composite_effect.errors)
composite.frame[
    ["system", "method", "analyser", "learner", "regularisation", "event_model", "smoothing", "error"]
].head(4)

# %% [markdown]
# ## When a system cannot take a method
#
# All individuals of a population must be exposable to both treatments. A rule that lets only one of the methods through is
# refused:

# %%
rule = population.valid
picky = replace(
    population, valid=lambda c: rule(c) and not (c["weighting"] == "tf-idf" and c["approach"] == "naive Bayes")
)
try:
    picky.compare("weighting", "tf-idf", "counts")
except gx.StudyError as error:
    print(error)

# %% [markdown]
# Nobody knows all rules beforehand. Features from a singular value decomposition can be negative, which naive Bayes
# does not take; such runs fail, are recorded with their error, and the estimate says what it does about them.

# %%
variables = {**population.variables, "selection": ("all", "SVD")}
fragile = replace(population, variables=variables).compare("weighting", "tf-idf", "counts")
failing = gx.causal.run_paired(fragile, task, 20, seed=seed)
display(failing.failures())
print(gx.causal.average_treatment_effect(failing, "error", rng=seed))

# %% [markdown]
# ## The ideal study
#
# "In a world with unlimited resources ... the entire population could be analyzed." For a smaller population it can: the table
# that comes with this project holds all of its systems on the same 20 compositions. It was recorded with the versions printed
# here; the test suite runs part of it again.

# %%
table = load_text_population()
small = small_text_population()
about = table.attrs["about"]
print(f"recorded {about['date']}: {small.size} systems x {N_COMPOSITIONS} compositions = {about['rows']:,} trainings")
print(about["corpus"])
print(
    ", ".join(
        f"{name} {version}" for name, version in about["versions"].items() if name in ("numpy", "scipy", "scikit-learn")
    )
)

# %%
recorded = gx.causal.Recorded(table, small.names, about["losses"])
small_weighting = small.compare("weighting", "tf-idf", "counts")
ideal = gx.causal.ideal_study(small_weighting, recorded, range(N_COMPOSITIONS))
tfidf, counts = ideal.arrays("error")
truth = tfidf.mean() - counts.mean()
print(f"expected generalization error: tf-idf {tfidf.mean():.4f}, counts {counts.mean():.4f}; effect {truth:+.4f}")
small_approaches = small.compare("approach", "linear", "naive Bayes")
linear, bayes = gx.causal.ideal_study(small_approaches, recorded, range(N_COMPOSITIONS)).arrays("error")
print(
    f"expected generalization error: linear {linear.mean():.4f}, naive Bayes {bayes.mean():.4f}; effect {linear.mean() - bayes.mean():+.4f}"
)

# %% [markdown]
# Now that the truth is known, intervals can be put to the test: draw systems and compositions from the table, compute the
# interval, see whether it holds the truth, repeat.

# %%
n_even = [n + n % 2 for n in sample_sizes]
simulated = {
    "weighting, paired": gx.causal.coverage(tfidf, counts, sample_sizes, n_studies=n_studies, rng=seed),
    "approach, paired": gx.causal.coverage(linear, bayes, sample_sizes, n_studies=n_studies, rng=seed),
    "weighting, independent": gx.causal.coverage(tfidf, counts, n_even, "independent", n_studies=n_studies, rng=seed),
}
display(pd.concat(simulated, names=["study"]).droplevel(1).reset_index())
fig = figures.coverage_and_width(simulated)
plt.show()

# %% [markdown]
# *Left: share of simulated studies whose 95 % interval holds the effect in the whole population; bars are simulation error. Right: width
# of the interval for the trainings that it costs.*
#
# Here the intervals keep their promise from 20 systems on. They would not if individual effects were very skewed (exponential: 92 % with 20
# systems, 94 % with 100; log-normal: 87 % and 92 %), and least of all if only a few systems in a hundred showed any
# effect: twenty systems may then hold none of them, and no interval can know.

# %% [markdown]
# ## Problem 1: one split
#
# The usual test takes two trained models and resamples the *test documents*. That accounts for the test set being finite,
# not for the training set being one of many. Two pairs of systems, each trained on many compositions, show what is missing:
# an interval per composition, and how often it misses the expected effect.

# %%
words = {"lowercase": True, "analyser": "words", "ngrams": 1, "normalise": True, "selection": "all", "min_df": 1}
svm = {**words, "approach": "linear", "learner": "SVM", "regularisation": "medium"}
nb = {**words, "approach": "naive Bayes", "event_model": "multinomial", "smoothing": 0.1}
pairs = {
    "tf-idf against counts in an SVM": (svm | {"weighting": "tf-idf"}, svm | {"weighting": "counts"}),
    "SVM against naive Bayes": (svm | {"weighting": "counts"}, nb | {"weighting": "counts"}),
}
large = replace(task, n_validation=1, n_test=max(test_sizes))
documents = {name: large.differences(a, b, range(n_compositions)) for name, (a, b) in pairs.items()}
missed = pd.concat(
    [gx.causal.bootstrap_miss_rate(d, test_sizes, rng=seed).assign(pair=name) for name, d in documents.items()],
    ignore_index=True,
)
display(missed)
fig = figures.miss_rate(missed)
plt.show()

# %% [markdown]
# *Left: share of compositions whose bootstrap interval over test documents misses the expected effect. Right: standard deviation of the effect
# that the bootstrap claims, and the one between compositions.*
#
# More test documents make the interval narrower, and the luck of the training set stays. How much it matters depends on the pair:
# two systems that share a learner also share most of that luck, two different learners do not. (Test sets are drawn from
# one corpus and overlap, which makes the compositions *more* alike: the misses are if anything understated.)

# %% [markdown]
# ## Problem 2: one system
#
# The effect inside one system is an individual effect. Here are all of them, each averaged over 20 compositions.

# %%
individual = gx.causal.individual_effects(ideal, "error")
spread = gx.causal.heterogeneity(ideal, "error")
fig = figures.effect_distribution(individual, truth, "the error rate")
plt.show()
print(f"standard deviation between systems {spread.sd_systems:.3f}, average effect {spread.mean:+.3f}")
print(f"share of what varies between systems that is no noise: {spread.reliability:.0%}")

# %% [markdown]
# *Individual effects of tf-idf against counts in all systems of the small population.*
#
# A researcher who happens to work with one of the systems on the right reports, truthfully, that tf-idf hurts, and with enough
# compositions it will be significant. It is a finding about that system.
# What makes the difference? An analysis of variance of the individual effects, and the effect within each level:

# %%
shares = gx.causal.moderators(ideal, "error")
display(shares[["variable", "n_levels", "share", "p_adjusted"]])
levels = pd.concat([gx.causal.effects_by_level(ideal, name, "error") for name in shares["variable"].head(6)])
fig = figures.level_forest(levels, truth, "average effect of tf-idf against counts on the error rate")
plt.show()

# %% [markdown]
# *Average effect within levels of the six variables that matter most; a dash stands for systems without that variable. Dashed:
# the average over all.*
#
# Both mistakes at once, two systems that differ in several methods on one split, and the comparison says nothing about
# any one method. Take two random systems of which one uses tf-idf and the other counts, and ask how often the
# better one uses the better method:

# %%
rng = np.random.default_rng(seed)
first, second = rng.integers(tfidf.size, size=(2, 100_000))
print(
    f"two unrelated systems: the sign is wrong in {np.mean((tfidf.ravel()[first] - counts.ravel()[second]) * truth <= 0):.0%} of the comparisons"
)
print(f"one system, one composition: in {np.mean((tfidf - counts) * truth <= 0):.0%}")
for size, share in simulated["weighting, paired"].set_index("n_systems")["wrong_sign"].items():
    print(f"{size} systems, paired: in {share:.1%}")

# %% [markdown]
# ## The first problem is a case of the second
#
# The composition is one more variable of a system. How much of the variance of the error does it carry?

# %%
parts = table[["approach", "learner", "regularisation", "smoothing"]].map(str).agg(" ".join, axis=1)
carried = gx.causal.variance_shares(
    table.assign(**{"learner and settings": parts}), [*small.variables, "learner and settings", "composition"], "error"
)
fig = figures.variance_bars(carried)
plt.show()
carried

# %% [markdown]
# *Share of the variance of the error that each variable carries on its own, and together with its interactions.*
#
# A study on one composition holds this variable constant, and its conclusions hold for that composition only. For the *effect* of a method the
# composition matters less than for the error itself, because both methods share it:

# %%
components = gx.causal.variance_components(tfidf - counts, crossed=True)
pd.Series(
    {
        "between systems": components.systems,
        "between compositions": components.compositions,
        "system x composition, and test noise": components.residual,
    },
    name="variance of the effect",
).to_frame().assign(share=lambda frame: frame / frame.sum())

# %% [markdown]
# ## How to spend resources
#
# **Resample instead of tune**, the paper advises. The same trainings can go into tuning both methods over k systems
# on one composition, comparing the winners on its test set, or into k untuned systems, each on a composition of its own. The table
# has validation errors too, so both can be repeated as often as we like.

# %%
validation = ideal.arrays("validation_error")
spent = gx.causal.tuned_or_many(tfidf, counts, *validation, [2, 4, 8, 16, 32, 64], n_studies=n_studies, rng=seed)
fig = figures.tuned_or_many_bars(spent)
plt.show()
spent.pivot(index="n_systems", columns="plan", values=["truth", "sd", "wrong_sign"])

# %% [markdown]
# *Standard deviation of the estimated effect over repetitions, and how often its sign is wrong, each plan judged by what it is
# about (column "truth").*
#
# The advice holds for what it promises. Averaging over systems gets more precise with every training; tuning on one split does not, since one
# comparison on one test set is all that is left in the end. But the two plans answer different questions: tuned, the methods are nearly
# equal (see "truth"), since whoever tunes picks the systems that suit each method. Whoever wants to know about tuned systems must
# repeat the *tuning* over compositions: then the tuned system is the individual.
#
# **How many systems?** The sample of the beginning serves as a pilot.

# %%
plan = gx.causal.plan_systems(paired, [0.005, 0.01, 0.015, 0.02, 0.03, 0.04], "error")
fig = figures.plan_curves(plan, [0.01])
plt.show()
plan

# %% [markdown]
# *Trainings needed for an interval of a given width. The band shows how well the pilot knows the standard deviation.*
#
# And how many compositions for each system? If a new system costs no more than a new composition: one. Several pay only if
# setting up a system is expensive, and then by the square root of the cost.

# %%
for cost in (0, 1, 10, 100):
    best = gx.causal.compositions_per_system(ideal, cost, "error")
    print(f"setting up a system costs {cost:3d} pairs of trainings: {best:.1f} compositions per system")

# %% [markdown]
# ## A published benchmark as a population
#
# In the encoder benchmark of notebook 02, a system is a combination of dataset, model, encoder and metric, and **tuning** is a treatment.

# %%
results = gx.datasets.load_encoders(source)
gx.datasets.notice(results)

# %%
tuned = "full" if "full" in set(results["tuning"]) else "model"
tuning = gx.causal.from_results(
    results, "tuning", tuned, "no", ["dataset", "model", "encoder", "scoring"], ["cv_score"]
)
tuning_effect = gx.causal.average_treatment_effect(tuning, cluster="dataset", rng=seed)
print(tuning_effect)
tuning.failed.groupby(["method", "model"]).size().rename("systems without this run").reset_index()

# %% [markdown]
# Scores: higher is better. Systems that were only run one way tell nothing about the effect and are left out; the note says how many. The effect
# is that in the smaller population of systems that were exposed to both treatments.
#
# **What must be assumed.** Nobody drew these systems at random: it is a full grid of chosen models, encoders, metrics and datasets.
# For these very models, encoders and metrics no assumption is needed: they *are* the population. To speak about other datasets, the
# datasets must be exchangeable with those one has in mind, as if drawn at random; the interval above does so by taking the
# dataset as the unit that was sampled (a cluster). Taking all systems for independent instead would give this:

# %%
naive = gx.causal.average_treatment_effect(tuning, cluster="system", n_resamples=100, rng=seed)
print(f"datasets as clusters: {tuning_effect.low:+.4f} to {tuning_effect.high:+.4f}")
print(f"all independent:      {naive.low:+.4f} to {naive.high:+.4f}")

# %%
per_dataset = gx.causal.individual_effects(tuning).groupby("dataset", as_index=False)["effect"].mean()
fig = figures.effect_distribution(per_dataset, tuning_effect.estimate, bins=60, unit="datasets")
fig.axes[0].set_xlabel("average effect of tuning on the score (above 0: tuning helps)")
plt.show()

# %% [markdown]
# *Effect of tuning, averaged over models, encoders and metrics within a dataset.*
#
# An average need not be typical. On the published table one dataset of thirty carries about half of the average effect. It
# widens the t interval until it nearly reaches zero, while the sign-flip test, which asks for the signs of most datasets rather than
# for the size of one, has no doubt. No interval for a mean can say whether other datasets hold more of that kind.

# %%
display(tuning_effect.tests)
print(f"median over datasets: {per_dataset['effect'].median():+.4f}")

# %%
by_level = pd.concat([gx.causal.effects_by_level(tuning, name, cluster="dataset") for name in ("model", "scoring")])
fig = figures.level_forest(by_level, tuning_effect.estimate, "average effect of tuning on the score")
plt.show()
gx.causal.moderators(tuning)[["variable", "n_levels", "share"]]

# %% [markdown]
# *Effect of tuning for each model and metric, 95 % intervals over datasets. The table: share of the variance of individual effects.*
#
# The same for one encoder against another. The encoder is now the treatment, and tuning is part of the system.

# %%
encoders = gx.causal.from_results(
    results, "encoder", encoder, against, ["dataset", "model", "tuning", "scoring"], ["cv_score"]
)
encoder_effect = gx.causal.average_treatment_effect(encoders, cluster="dataset", rng=seed)
encoder_spread = gx.causal.heterogeneity(encoders)
print(encoder_effect)
print(
    f"{encoder_spread.share_opposite:.0%} of the systems have an effect of the opposite sign, {encoder_spread.share_zero:.0%} none"
)

# %%
by_level = pd.concat(
    [gx.causal.effects_by_level(encoders, name, cluster="dataset") for name in ("model", "tuning", "scoring")]
)
fig = figures.level_forest(
    by_level, encoder_effect.estimate, f"average effect of {encoder} against {against} on the score"
)
plt.show()
gx.causal.moderators(encoders)[["variable", "n_levels", "share"]]

# %% [markdown]
# *Effect of one encoder against another for each model, tuning and metric, 95 % intervals over datasets.*

# %% [markdown]
# ## Checks

# %%
assert population.size >= 500 and len(population.variables) >= 6
assert paired.failed.empty and composite.failed.empty and len(failing.failed) > 0
np.testing.assert_allclose(effect.errors["estimate"].iloc[0] - effect.errors["estimate"].iloc[1], effect.estimate)
groups = table.groupby("approach")["error"].mean()  # Eq. 10: each combination of an approach counts once
np.testing.assert_allclose([linear.mean(), bayes.mean()], [groups["linear"], groups["naive Bayes"]])
for name, frame in simulated.items():
    tolerance = 4 * frame["coverage_se"]
    assert (frame["coverage"] + tolerance > 0.93).all() and (frame["coverage"] - tolerance < 0.97).all(), name
    assert (frame["bias"].abs() < 5 * frame["rmse"] / np.sqrt(n_studies)).all(), name
assert (individual["effect"] * truth < 0).mean() == spread.share_opposite

# %% [markdown]
# ## Summary
#
# - A method has no effect as such, only an effect in a population of systems. Say which population, and draw from it.
# - Paired runs on random systems, each with a composition of its own: a t interval over systems keeps its promise from 20
#   systems on. Independent runs are valid too, and take many times the trainings.
# - Bootstrapping the test documents of one split covers the luck of the test set only; with a large test set it may miss
#   the expected effect several times as often as promised.
# - In about a third of the systems here the effect of tf-idf has the other sign than its average. Ask *where* it
#   helps: selection of features, normalisation and smoothing decide.
# - For the same compute, many untuned systems beat one tuned comparison if the question is about the method. If it is about tuned systems,
#   tuning has to be repeated.
#
# ## On your own
#
# 1. Compare `"binary"` with `"counts"`, or `lowercase`. Which sample size would you plan first?
# 2. Give the approaches weights, `weights={"approach": {"linear": 9, "naive Bayes": 1}}`, in the population. Why does the average effect of
#    tf-idf change, and which of the two is right?
# 3. Run the paired study with `shared_compositions=True` and one composition, and with five. What do the notes say, and
#    what happens to the interval?
# 4. Compare two encoders of the same family. How many datasets would an interval of width 0.005 take?
#
# ## Further reading
#
# Holland, *Statistics and causal inference*, JASA 1986: individual effects, average effects, and why only the latter can be had.
# Bouthillier et al., *Accounting for variance in machine learning benchmarks*, MLSys 2021: composition, seeds and tuning as sources of
# variance. Dror et al., *Replicability analysis for natural language processing*, TACL 2017: conclusions over many datasets.
