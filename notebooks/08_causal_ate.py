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
# argues without data; the numbers below are from experiments run for this notebook, but for the last case study, a benchmark.*
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
# The report `causal_large` takes more systems; `genexpy-nb render causal -p n_systems=500` takes as many as you like.

# %% [markdown]
# ## Setup

# %%
from dataclasses import replace
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pingouin as pg

import genexpy_nb as gx
from genexpy_nb.common.prose import compared, percent, say, span, verbatim
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
# A **train-test composition** draws documents to train on, for validation and to test on, at random. The corpus
# plays the part of the distribution $p(d, y)$ that documents and labels come from.

# %%
say(
    f"Here {task.n_train} documents to train on, {task.n_validation} for validation and {task.n_test} to test on, of "
    f"{len(task.corpus):,}."
)

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
# effects at random.

# %%
p_flip = effect.tests["p"].iloc[2]
found = effect.p < 0.05
say(
    f"In these {n_systems} systems tf-idf {compared(effect.estimate, 0, 'lowers', 'does not change', 'raises')} the error, by "
    f"{abs(effect.estimate):.4f} on average. "
    + (
        f"The t test finds an effect (p = {effect.p:.2g})"
        if found
        else f"The t test finds no effect (p = {effect.p:.2g})"
    )
    + (", and so does" if found and p_flip < 0.05 else ", nor does" if not found and p_flip >= 0.05 else ", unlike")
    + f" the test of the signs (p = {p_flip:.2g})."
    + ("" if found else " That is no finding that there is none: the interval says which effects are left.")
)

# %% [markdown]
# The losses of a run are recorded together, so another loss costs nothing:

# %%
print(gx.causal.average_treatment_effect(paired, "f1_loss", rng=seed))

# %% [markdown]
# The **independent** design assigns each system to one of the methods by chance. For the same number of trainings it
# looks at twice as many systems:

# %%
independent = gx.causal.run_independent(weighting, task, 2 * n_systems, seed=seed)
unpaired = gx.causal.average_treatment_effect(independent, "error", rng=seed)
fig = figures.effect_forest({f"{n_systems} systems twice": effect, f"{2 * n_systems} systems once": unpaired})
plt.show()

# %% [markdown]
# *Average effect of tf-idf against counts on the error rate, 95 % intervals by t and by BCa, the same number of trainings in both designs.*
#
# Pairing takes out what systems differ by under either method.

# %%
between = paired.frame.groupby("method")["error"].std().mean()
within = gx.causal.individual_effects(paired, "error")["effect"].std()
widths = {name: of.high - of.low for name, of in (("paired", effect), ("unpaired", unpaired))}
narrower = widths["unpaired"] / widths["paired"]
say(
    f"The error of a method has a standard deviation of {between:.3f} between systems; the difference between the two "
    f"methods in a system has one of {within:.3f}. "
    + (
        f"So the independent design has an interval that is {narrower:.1f} times as wide, for the same number of trainings."
        if narrower > 1.05
        else f"Here the independent design has an interval that is {narrower:.2f} times as wide: pairing gains little or nothing."
    )
)

# %% [markdown]
# ### With pingouin
#
# Many will reach for `pingouin`. It gives the same t test, and more beside it; three things must be known. Its interval is rounded to two
# decimals unless an option says otherwise. `cohen_d` of a paired test has no sign, and divides by the standard deviation of the
# *losses*, $d_{av}$, not by that of the differences, $d_z$. And `tost` takes its bound in units of the data: 1 by default,
# which for error rates is everything.

# %%
pg.options["round.column.CI95"] = None
wide = paired.frame.pivot(index="system", columns="method", values="error")
margin = 0.02  # two points of error: a difference that we would not care about
t_test = pg.ttest(wide["tf-idf"], wide["counts"], paired=True).iloc[0]
tost = pg.tost(wide["tf-idf"], wide["counts"], bound=margin, paired=True).iloc[0]
differences = wide["tf-idf"] - wide["counts"]
d_z = differences.mean() / differences.std()
pd.Series(
    {
        "t test, p": t_test["p_val"],
        "d_av (cohen_d)": t_test["cohen_d"],
        "d_z": d_z,
        f"TOST within {margin}, p": tost["pval"],
    },
    name="pingouin",
).to_frame()

# %%
narrow = gx.causal.average_treatment_effect(paired, "error", confidence=0.9, n_resamples=99, rng=seed)
equivalent = -margin < narrow.low and narrow.high < margin
say(
    f"The two one-sided tests {'find' if equivalent else 'do not find'} the effect to be within {margin:g} of zero "
    f"(p = {tost['pval']:.2g}): the 90 % interval, {narrow.low:+.4f} to {narrow.high:+.4f}, "
    f"{'lies inside' if equivalent else 'does not lie inside'} these bounds. Equivalence is a finding of its own; a t test "
    "without one is not."
)

# %% [markdown]
# Does the effect depend on the approach? A mixed analysis of variance, methods within systems and approaches between
# them, answers with its interaction. With two methods that is the analysis of variance of the individual effects, `moderators`.
# (With more methods, look at the correction for sphericity; with missing runs, at how many systems pingouin left out.)

# %%
long = paired.frame[["system", "method", "approach", "error"]]
mixed = pg.mixed_anova(long, dv="error", within="method", between="approach", subject="system").set_index("Source")
moderated = gx.causal.moderators(paired, "error", variables=["approach"])
mixed[["SS", "DF1", "DF2", "F", "p_unc"]]

# %%
np.testing.assert_allclose([t_test["p_val"], t_test["T"]], [effect.p, effect.estimate / effect.standard_error])
np.testing.assert_allclose(t_test["CI95"], [effect.low, effect.high])
np.testing.assert_allclose(mixed.loc["Interaction", ["F", "p_unc"]].astype(float), moderated[["F", "p"]].iloc[0])
assert (tost["pval"] < 0.05) == equivalent and abs(t_test["cohen_d"]) != abs(d_z)
say(
    "The interaction "
    + ("is significant" if moderated["p"].iloc[0] < 0.05 else "is not significant")
    + f" (p = {moderated['p'].iloc[0]:.2g}). The t test, its interval and the interaction agree with our own numbers to seven digits."
)

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
# Nobody knows all rules beforehand. Features from a singular value decomposition can be negative, which most models of naive Bayes
# do not take. Where such runs fail, they are recorded with their error, and the estimate says what it does about them.

# %%
variables = {**population.variables, "selection": ("all", "SVD")}
fragile = replace(population, variables=variables).compare("weighting", "tf-idf", "counts")
failing = gx.causal.run_paired(fragile, task, 20, seed=seed)
if len(failing.failed):
    display(failing.failures())
else:
    print("No run failed: in none of these 20 systems such features meet a model that does not take them.")
print(gx.causal.average_treatment_effect(failing, "error", rng=seed))

# %% [markdown]
# ## The ideal study
#
# "In a world with unlimited resources ... the entire population could be analyzed." For a smaller population it can: the table
# that comes with this project holds all of its systems on the same compositions. It was recorded with the versions printed
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
print(gx.causal.average_treatment_effect(ideal, "error"))
small_approaches = small.compare("approach", "linear", "naive Bayes")
linear, bayes = gx.causal.ideal_study(small_approaches, recorded, range(N_COMPOSITIONS)).arrays("error")
print(f"linear against naive Bayes: effect {linear.mean() - bayes.mean():+.4f}")

# %% [markdown]
# There is no interval and no p-value here: nothing was sampled, so that there is no sampling error.
#
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
# How well a t interval does depends on how the individual effects are distributed. The same for effects that are very skewed, and for
# a population in which only five systems in a hundred show any effect:

# %%
draws = np.random.default_rng(seed)
worlds = {
    "exponential": draws.exponential(size=100_000),
    "log-normal": draws.lognormal(size=100_000),
    "few systems with an effect": np.repeat([1.0, 0.0], [5_000, 95_000]),
}
skewed = pd.concat(
    {
        name: gx.causal.coverage(d[:, None], np.zeros((len(d), 1)), [20, 100], n_studies=n_studies, rng=seed)
        for name, d in worlds.items()
    },
    names=["individual effects"],
)
skewed = skewed.droplevel(1).reset_index().pivot(index="individual effects", columns="n_systems", values="coverage")
skewed

# %%
ours = pd.concat(simulated)
kept = (ours["coverage"] + 3 * ours["coverage_se"]).min() > 0.95
say(
    f"In our population {span(100 * ours['coverage'], '{:.1f}', ' %')} of the intervals hold the truth"
    + (
        ": within simulation error, none is below the 95 % that they promise."
        if kept
        else ": not all of these sample sizes are large enough."
    )
    + f" With 20 systems and exponential effects it is {percent(skewed.loc['exponential', 20])}, with log-normal ones "
    f"{percent(skewed.loc['log-normal', 20])}, and where few systems have an effect {percent(skewed.loc['few systems with an effect', 20])}: "
    "twenty systems may then hold none of those, and no interval computed from them can know."
)

# %% [markdown]
# ## Problem 1: one split
#
# The usual test takes two trained models and resamples the *test documents*, with replacement. The differences in performance that come
# out are shifted until their mean is zero, and the p-value is the share of them that is at least as large as the difference
# that was measured (we count both sides). That accounts for the test set being finite, not for the training set being one of many.
#
# How often is it wrong? Eight systems give 28 pairs. Each is trained on many compositions, and the mean over them stands for the expected effect
# of a pair. (Each composition is part of that mean, so that the fewer there are, the more the errors below are understated.) The test is a **false
# positive** where it rejects what is true, that the effect is what it is.

# %%
words = {"lowercase": True, "analyser": "words", "ngrams": 1, "normalise": True, "selection": "all", "min_df": 1}
learners = {
    "SVM": {"approach": "linear", "learner": "SVM", "regularisation": "medium"},
    "ridge": {"approach": "linear", "learner": "ridge", "regularisation": "medium"},
    "multinomial": {"approach": "naive Bayes", "event_model": "multinomial", "smoothing": 0.1},
    "complement": {"approach": "naive Bayes", "event_model": "complement", "smoothing": 0.1},
}
systems = {(name, w): words | own | {"weighting": w} for name, own in learners.items() for w in ("tf-idf", "counts")}
large = replace(task, n_validation=1, n_test=max(test_sizes))
mistakes = {key: large.mistakes(system, range(n_compositions)) for key, system in systems.items()}
documents, differ = {}, {}
for (x, v), (y, w) in combinations(mistakes, 2):
    name = f"{x} {v} / {y} {w}"
    documents[name] = mistakes[x, v] - mistakes[y, w]
    differ[name] = "weighting" if x == y else "learner" if v == w else "both"
outcomes = gx.causal.shifted_bootstrap(documents, rng=seed)
outcomes["what differs"] = outcomes["pair"].map(differ)

# %%
fig = figures.error_rates_of_pairs(gx.causal.error_rates(outcomes, ["pair"]))
plt.show()

# %% [markdown]
# *Share of the compositions in which a bootstrap of the test documents rejects the truth: left by its p-value, right by its interval;
# bars are 95 % Monte-Carlo intervals (Clopper and Pearson). Dashed: what a test at 5 % promises.*
#
# By what the two systems of a pair differ in (`low` and `high`: 95 % t intervals over compositions, or Clopper and Pearson's where in each composition all pairs err or none):

# %%
rates = gx.causal.error_rates(outcomes, ["what differs"])
overall = gx.causal.error_rates(outcomes).set_index("error")
rates.pivot(index="error", columns="what differs", values=["estimate", "low", "high"]).swaplevel(axis=1).sort_index(
    axis=1
)

# %%
by_pair = gx.causal.error_rates(outcomes, ["pair"]).set_index(["error", "pair"])
too_often = int((by_pair.loc["false_positive", "low"] > 0.05).sum())
too_rarely = int((by_pair.loc["false_positive", "high"] < 0.05).sum())
wrong, missed_all = overall.loc["false_positive"], overall.loc["missed"]
agree = np.mean(outcomes["false_positive"] == outcomes["interval_misses"])
is_large = outcomes["effect"].abs() > outcomes["effect"].abs().median()
missed_by_size = outcomes.groupby(is_large)["missed"].mean()
say(
    f"Over all {len(documents)} pairs and {n_compositions} compositions the test at 5 % rejects the truth in "
    f"{percent(wrong['estimate'])} ({percent(wrong['low'])} to {percent(wrong['high'])}; compositions are what was sampled), with "
    f"{max(test_sizes)} test documents. In {too_often} of the {len(documents)} pairs the rate is above 5 % beyond Monte-Carlo error, in "
    f"{too_rarely} below, in the others it cannot be told from 5 %; the pairs' rates are {span(100 * by_pair.loc['false_positive', 'estimate'], '{:.0f}', ' %')}. "
    f"The interval says the same as the p-value in {percent(agree, 1)} of the cases.",
    f"The other error: in {percent(missed_all['estimate'])} ({percent(missed_all['low'])} to {percent(missed_all['high'])}) it does not "
    f"find the effect that is there: {percent(missed_by_size[False])} in the half of the pairs with the smaller effects, "
    f"{percent(missed_by_size[True])} in the other. It is significant with the wrong sign in "
    f"{percent(overall.loc['wrong_sign', 'estimate'], 1)}.",
)

# %% [markdown]
# Two of the pairs, for test sets of several sizes:

# %%
shown = {
    "tf-idf against counts in an SVM": documents["SVM tf-idf / SVM counts"],
    "SVM against naive Bayes": documents["SVM counts / multinomial counts"],
}
missed = pd.concat(
    [gx.causal.bootstrap_miss_rate(d, test_sizes, rng=seed).assign(pair=name) for name, d in shown.items()],
    ignore_index=True,
)
display(missed)
fig = figures.miss_rate(missed)
plt.show()

# %% [markdown]
# *Left: share of compositions whose bootstrap interval over test documents misses the expected effect, with 95 % intervals (Clopper and Pearson).
# Right: standard deviation of the effect that the bootstrap claims, and the one between compositions.*

# %%
most = missed[missed["n_test"] == max(test_sizes)].set_index("pair")
underrated = most["sd_actual"] / most["sd_claimed"]
of_kind = rates.set_index(["error", "what differs"]).loc["false_positive"]
shared = of_kind.loc["weighting", "high"] < of_kind.loc[["learner", "both"], "low"].min()
say(
    "More test documents make the interval narrower; the luck of the training set is not in it, however many there are. With "
    f"{max(test_sizes)} documents the standard deviation between compositions is {span(underrated, '{:.1f}')} times the one that the "
    "bootstrap claims. False positives by what differs in a pair: "
    + ", ".join(f"{kind} {percent(rate)}" for kind, rate in of_kind["estimate"].items())
    + (
        ". They are rarest where two systems share a learner: as if they shared some of that luck, too."
        if shared
        else ". Given the Monte-Carlo intervals, this does not say that sharing a learner helps."
    ),
    "(Test sets are drawn from one corpus and overlap, which makes compositions *more* alike: if anything, the errors "
    "are understated.)",
)

# %% [markdown]
# ## Problem 2: one system
#
# The effect inside one system is an individual effect. Here are all of them, each averaged over all compositions of the table.

# %%
individual = gx.causal.individual_effects(ideal, "error")
spread = gx.causal.heterogeneity(ideal, "error")
fig = figures.effect_distribution(individual, truth, "the error rate")
plt.show()
say(
    f"The standard deviation between systems is {spread.sd_systems:.3f}, the average effect {spread.mean:+.3f}; "
    f"of the variance of these averages, {percent(spread.reliability)} is no noise. In {percent(spread.share_opposite)} of the systems the "
    "effect has the other sign than the average."
)

# %% [markdown]
# *Individual effects of tf-idf against counts in all systems of the small population.*
#
# A researcher who happens to work with one of the systems on the right reports, truthfully, that tf-idf hurts, and with enough
# compositions it will be significant. It is a finding about that system.
# What makes the difference? An analysis of variance of the individual effects, and the effect within each level (again the whole
# population, and so without p-values and intervals):

# %%
shares = gx.causal.moderators(ideal, "error")
shares_of = shares["variable"]
display(shares[["variable", "n_levels", "share"]])
levels = pd.concat([gx.causal.effects_by_level(ideal, name, "error") for name in shares["variable"].head(6)])
fig = figures.level_forest(levels, truth, "average effect of tf-idf against counts on the error rate")
plt.show()

# %% [markdown]
# *Average effect within levels of the variables that matter most, at most six; a dash stands for systems without that variable.
# Dashed: the average over all.*
#
# Both mistakes at once: two systems that differ in several methods, on one split. Take two random systems of which one uses tf-idf and the other
# counts, run them on the same composition, and ask how often the difference does not have the sign of the average effect:

# %%
rng = np.random.default_rng(seed)
first, second = rng.integers(len(tfidf), size=(2, 100_000))
split = rng.integers(N_COMPOSITIONS, size=100_000)
say(
    f"The truth is {truth:+.4f}. Two unrelated systems on one composition have a wrong sign, or no difference, in "
    f"{percent(np.mean((tfidf[first, split] - counts[second, split]) * truth <= 0))} of the comparisons, one system with both methods on one composition in "
    f"{percent(np.mean((tfidf - counts) * truth <= 0))}, and the average over several systems, paired: "
    + ", ".join(
        f"{size} systems {percent(share, 1)}"
        for size, share in simulated["weighting, paired"].set_index("n_systems")["wrong_sign"].items()
    )
    + "."
)

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
# A study on one composition holds this variable constant, and its conclusions hold for that composition only. In the *effect* of a method, what
# a composition does to both methods cancels:

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

# %%
of_error = float(np.sqrt(table["error"].var(ddof=0) * carried.set_index("variable").loc["composition", "alone"]))
of_effect = float(np.sqrt(components.compositions))
say(
    f"From one composition to the next the error of all systems goes up and down together, with a standard deviation of {of_error:.4f}; "
    f"the effect of the method has one of {of_effect:.4f}"
    + (", less, since both methods share the composition." if of_effect < of_error else ", no less.")
)

# %% [markdown]
# ## How to spend resources
#
# **Resample instead of tune**, the paper advises. The same trainings can go into tuning both methods over k systems
# on one composition, comparing the winners on its test set, or into k untuned systems, each on a composition of its own. The table
# has validation errors too, so both can be repeated as often as we like.

# %%
validation = ideal.arrays("validation_error")
least = 0.005  # half a point of error: a truth nearer to zero has no sign that one could get wrong
spent = gx.causal.tuned_or_many(
    tfidf, counts, *validation, [2, 4, 8, 16, 32, 64], least=least, n_studies=n_studies, rng=seed
)
fig = figures.tuned_or_many_bars(spent)
plt.show()
spent.pivot(index="n_systems", columns="plan", values=["truth", "sd", "wrong_sign"])

# %% [markdown]
# *Left: standard deviation of the estimated effect over repetitions. Right: how often its sign is wrong, each plan judged by what it is about,
# its own truth, which stands beside the point: the average effect, or the mean over the repetitions of tuning. No point where that truth is within
# half a point of error of zero.*

# %%
by_plan = {name: part.set_index("n_systems") for name, part in spent.groupby("plan")}
tuned_plan, many_plan = by_plan["tuned, one composition"], by_plan["untuned, many"]
fewest, largest = spent["n_systems"].min(), spent["n_systems"].max()
sds = {name: f"{part.loc[fewest, 'sd']:.4f} to {part.loc[largest, 'sd']:.4f}" for name, part in by_plan.items()}
say(
    f"From {2 * fewest} to {2 * largest} trainings the standard deviation of the average over untuned systems goes from "
    f"{sds['untuned, many']}, that of the tuned comparison from {sds['tuned, one composition']}: however much is tuned, "
    "what is compared in the end is one pair on one test set.",
    f"But the two plans answer different questions. The average effect is {truth:+.4f}; between systems tuned on {largest} candidates it is "
    f"{tuned_plan.loc[largest, 'truth']:+.4f}"
    + (
        ", less than half a point: tuning picks, for each method, systems that suit it."
        if abs(tuned_plan.loc[largest, "truth"]) < least
        else "."
    ),
)

# %% [markdown]
# Whoever wants to know about tuned systems must repeat the *tuning* over compositions: then the tuned system is the individual.
#
# **How many systems?** The sample of the beginning serves as a pilot.

# %%
plan = gx.causal.plan_systems(paired, [0.005, 0.01, 0.015, 0.02, 0.03, 0.04], "error")
fig = figures.plan_curves(plan, [0.01])
plt.show()
plan

# %% [markdown]
# *Trainings needed for an interval of a given width. The band shows how well the pilot knows the standard deviation: its 95 % interval by the
# chi-squared distribution, for normal effects.*

# %%
row = plan.set_index("width").loc[0.01]
say(
    f"An interval of width 0.01 takes about {row['n_systems_paired']:,.0f} systems ({row['n_systems_low']:,.0f} to {row['n_systems_high']:,.0f}, "
    f"by what the pilot knows of the standard deviation), run twice each; the independent design takes {row['ratio']:.1f} times the trainings."
)

# %% [markdown]
# And how many compositions for each system? Several pay only if setting up a system is expensive, and then by the square root of the cost.

# %%
for cost in (0, 1, 10, 100):
    best = gx.causal.compositions_per_system(ideal, cost, "error")
    print(f"setting up a system costs {cost:3d} pairs of trainings: {best:.1f} compositions per system")

# %% [markdown]
# ## A benchmark as a population
#
# In the encoder results of notebook 02, a system is a combination of dataset, model, encoder and metric, and **tuning** is a treatment.

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
if len(tuning.failed):
    display(tuning.failed.groupby(["method", "model"]).size().rename("systems without this run").reset_index())

# %%
gone = tuning.n_systems - tuning_effect.n_used
say(
    "These are scores: higher is better. "
    + (
        f"{gone:,} of {tuning.n_systems:,} systems were only run one way; they tell nothing about the effect and are left out. The effect is "
        "that in the smaller population of systems that were exposed to both treatments."
        if gone
        else f"All {tuning.n_systems:,} systems were exposed to both treatments."
    )
)

# %% [markdown]
# **What must be assumed.** Nobody drew these systems at random: they are combinations of chosen models, encoders, metrics and datasets.
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
# Is the average typical of the datasets?

# %%
display(tuning_effect.tests)
of_each = gx.causal.individual_effects(tuning)
sums = of_each.groupby("dataset")["effect"].sum()
carrier = sums.abs().idxmax()
without = of_each.loc[of_each["dataset"] != carrier, "effect"].mean()
p_t, p_signs = tuning_effect.p, tuning_effect.tests["p"].iloc[2]
one_large = p_signs < min(0.05, p_t / 10) and abs(without) < 0.75 * abs(tuning_effect.estimate)
say(
    f"An average need not be typical. It is {tuning_effect.estimate:+.4f} over {len(sums)} datasets, {without:+.4f} without "
    f"dataset {verbatim(carrier)}, and the median over datasets is {per_dataset['effect'].median():+.4f}.",
    f"The t test has p = {p_t:.2g}, the test that flips the signs of whole datasets p = {p_signs:.2g}"
    + (
        ". They do not ask the same: one very large effect widens the t interval, while it is one sign among many for the other."
        if one_large
        else "."
    )
    + " No interval for a mean can say whether datasets that were not run hold larger effects.",
)

# %%
by_level = pd.concat([gx.causal.effects_by_level(tuning, name, cluster="dataset") for name in ("model", "scoring")])
fig = figures.level_forest(by_level, tuning_effect.estimate, "average effect of tuning on the score")
plt.show()
gx.causal.moderators(tuning)[["variable", "n_levels", "share"]]

# %% [markdown]
# *Effect of tuning for each model and metric, 95 % t intervals over datasets. The table: share of the variance of individual effects.*
#
# The same for one encoder against another. The encoder is now the treatment, and tuning is part of the system.

# %%
encoders = gx.causal.from_results(
    results, "encoder", encoder, against, ["dataset", "model", "tuning", "scoring"], ["cv_score"]
)
encoder_effect = gx.causal.average_treatment_effect(encoders, cluster="dataset", rng=seed)
encoder_spread = gx.causal.heterogeneity(encoders)
print(encoder_effect)
say(
    f"In {percent(encoder_spread.share_opposite)} of the systems the effect has the other sign than the average, in "
    f"{percent(encoder_spread.share_zero)} there is none."
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
# *Effect of one encoder against another for each model, tuning and metric, 95 % t intervals over datasets.*
#
# An average effect belongs to a population. The same two encoders in the other table that this project can read, where both have them:

# %%
tables = {results.attrs["source"]: results, "bundled": gx.datasets.load_encoders("bundled")}
elsewhere = {}
for name, frame in tables.items():
    if {encoder, against} <= set(frame["encoder"]):
        runs = gx.causal.from_results(
            frame, "encoder", encoder, against, ["dataset", "model", "tuning", "scoring"], ["cv_score"]
        )
        elsewhere[name] = gx.causal.average_treatment_effect(runs, cluster="dataset", n_resamples=99, rng=seed)
compared_tables = pd.DataFrame(
    [(name, of.estimate, of.low, of.high, of.n_used) for name, of in elsewhere.items()],
    columns=["table", "estimate", "low", "high", "n_systems"],
)
compared_tables

# %%
signs = {np.sign(of.estimate) for of in elsewhere.values()}
say(
    f"Only one table was read that has both {verbatim(encoder)} and {verbatim(against)}."
    if len(elsewhere) == 1
    else f"The two averages have {'the same sign' if len(signs) == 1 else 'opposite signs'}. "
    + (
        "Neither is wrong: datasets, models and tuning differ between the tables, and each average is that of its own population."
        if len(signs) > 1
        else "How large they are differs, and so do the populations: in datasets, models and tuning."
    )
)

# %% [markdown]
# ## Checks

# %%
assert population.size >= 500 and len(population.variables) >= 6
assert not rule({"analyser": "words", "ngrams": 3}) and not rule({"analyser": "characters", "ngrams": 1})
assert paired.failed.empty and composite.failed.empty
assert failing.failed["error_message"].str.contains("Negative values").all()
np.testing.assert_allclose(effect.errors["estimate"].iloc[0] - effect.errors["estimate"].iloc[1], effect.estimate)
groups = table.groupby("approach")["error"].mean()  # Eq. 10: each combination of an approach counts once
np.testing.assert_allclose([linear.mean(), bayes.mean()], [groups["linear"], groups["naive Bayes"]])
for name, frame in simulated.items():
    tolerance, enough = 4 * frame["coverage_se"], frame["n_systems"] >= 20
    assert (frame["coverage"] + tolerance > 0.93)[enough].all() and (frame["coverage"] - tolerance < 0.97)[
        enough
    ].all(), name
    assert (frame["bias"].abs() < 5 * frame["rmse"] / np.sqrt(n_studies)).all(), name
assert (individual["effect"] * truth < 0).mean() == spread.share_opposite
assert len(table["composition"].unique()) == N_COMPOSITIONS == tfidf.shape[1] and len(documents) == 28
for _, part in missed.groupby("pair"):  # more test documents make the interval narrower
    assert part.sort_values("n_test")["width"].is_monotonic_decreasing
best = [gx.causal.compositions_per_system(ideal, cost, "error") for cost in (100, 400)]
np.testing.assert_allclose(best[1], 2 * best[0])  # by the square root of the cost

# %% [markdown]
# ## Summary
#
# - A method has no effect as such, only an effect in a population of systems. Say which population, and draw from it.
# - Paired runs on random systems, each with a composition of its own: a t interval over systems. Independent runs are valid, too, and take
#   more trainings wherever systems differ more than effects do.
# - Bootstrapping the test documents of one split covers the luck of the test set only.
# - Ask *where* a method helps: the effect in your system need not be the average effect, nor have its sign.
# - Many untuned systems answer a question about the method. If it is about tuned systems, tuning has to be repeated.

# %%
say(
    f"- In this run the independent design took intervals {narrower:.1f} times as wide for the same trainings.",
    f"- A test at 5 % that resamples the test documents rejected the truth in {percent(wrong['estimate'])} of the cases.",
    f"- In {percent(spread.share_opposite)} of the systems the effect of tf-idf has the other sign than its average; of the variables, "
    + ", ".join(shares_of.head(3))
    + " carry the largest shares of what the effects vary by.",
)

# %% [markdown]
# ## On your own
#
# 1. Compare `"binary"` with `"counts"`, or `lowercase`. Which sample size would you plan first?
# 2. Give the approaches weights, `weights={"approach": {"linear": 9, "naive Bayes": 1}}`, in the population. Why does the average effect of
#    tf-idf change, and which of the two is right?
# 3. Run the paired study with `shared_compositions=True` and one composition, with two and with five. What do the notes say, and
#    what happens to the interval?
# 4. Compare two encoders of the same family. How many datasets would an interval of width 0.005 take?
#
# ## Further reading
#
# Holland, *Statistics and causal inference*, JASA 1986: individual effects, average effects, and why only the latter can be had.
# Bouthillier et al., *Accounting for variance in machine learning benchmarks*, MLSys 2021: composition, seeds and tuning as sources of
# variance. Dror et al., *Replicability analysis for natural language processing*, TACL 2017: conclusions over many datasets.
