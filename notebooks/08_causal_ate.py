# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["slide"]
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
# **You need** to know what a paired t test and a train-test split are. The last case study uses the results of notebook 02.
#
# **Time** 55 minutes to read, 160 with the exercises.

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
confidence: float = 0.95  # of the intervals, in (0, 1)
seed: int = 0  # seed of everything random

# %% [markdown]
# ## Setup

# %%
from dataclasses import replace
from itertools import combinations
from textwrap import shorten

import numpy as np
import pandas as pd
import pingouin as pg

import genexpy_nb as gx
from genexpy_nb.chapters import causal as chapter
from genexpy_nb.common import exercises, page
from genexpy_nb.common.page_tables import written_number
from genexpy_nb.common.prose import compared, percent, say, span, verbatim, verdict_sentence
from genexpy_nb.plots import causal as figures

gx.plots.use_style()
options, nominal = {"confidence": confidence, "rng": seed}, f"{100 * confidence:g} %"


def signed(value, digits=4):
    return f"{value:+.{digits}f}".replace("-", "−")


def one_digit(share):
    return percent(share, 1).replace("less than", "<").replace("more than", ">")


def stated(effect):
    interval = f"{100 * effect.confidence:g} % interval {signed(effect.low)} to {signed(effect.high)}"
    return f"{signed(effect.estimate)} ({interval})"


def on_average(effect, a, b, what):
    sentence = verdict_sentence("effect", "average", a=a, b=b, what=what, interval=stated(effect))
    return f"{sentence[0].upper()}{sentence[1:]}"


def ends_of(levels):
    least, most = (levels.loc[at] for at in (levels["estimate"].idxmin(), levels["estimate"].idxmax()))
    return (
        f"from {signed(least['estimate'])} for {least['variable']} = {least['level']} to "
        f"{signed(most['estimate'])} for {most['variable']} = {most['level']}"
    )


effect_columns = {"estimate": "effect", "low": "interval from", "high": "to"}

# %% [markdown]
# ## The task
#
# Which package does a docstring come from? Real text, real labels, and no download: the documents are read from the
# packages that this project depends on, with the packages' names blanked out. A **train-test composition** draws documents to train on, for validation
# and to test on, at random: the corpus plays the part of the distribution $p(d, y)$ that documents and labels come from.

# %%
task = chapter.text_task()
one_of_each = task.corpus.groupby("label").head(1)
page.show_table(
    one_of_each.set_index("label")[["text"]],
    "documents",
    "One document of each package. The question to a system: from which package does a text come?",
    {"label": "package", "text": "first sentence of a docstring"},
    {"text": lambda text: shorten(text, 90, placeholder=" …")},
)
say(
    f"The corpus: {verbatim(task.corpus.attrs['about'])} A composition has {task.n_train} documents to train on, {task.n_validation} for validation and "
    f"{task.n_test} to test on."
)

# %% [markdown] tags=["slide"]
# ## A population of processing systems
#
# A system is a combination of methods, one for each variable, and a composition: $g(v_1, \dots, v_m, D_{train}, D_{test})$.
# Variables are independent and methods equally likely, except for combinations that make no sense, which a rule
# excludes: here, single characters as features, and word trigrams.

# %%
population = chapter.text_population()
called = {  # variables, in words
    **{"lowercase": "lower case", "analyser": "unit of text", "ngrams": "longest sequence of units"},
    **{
        "normalise": "scaled to unit length",
        "selection": "features kept",
        "min_df": "documents with a feature, at least",
    },
    **{"event_model": "model of events", "smoothing": "smoothing constant"},
}
rows = [(name, "all systems", methods) for name, methods in population.variables.items()]
rows += [(name, approach, methods) for approach, own in population.approaches.items() for name, methods in own.items()]
page.show_table(
    pd.DataFrame(rows, columns=["variable", "in", "methods"]).set_index("variable").rename(index=called),
    "population",
    f"The variables of a system and the methods that each can take: {population.n_raw:,} combinations, of which the rule "
    f"leaves {population.size:,}.",
)

# %% [markdown] tags=["slide"]
# ## The effect of one method: tf-idf against counts
#
# > Aside: Each system has a seed of its own. Ask for more systems, and the first ones stay the same.
#
# The **expected generalization error** of a method averages the loss over everything but the method (Eq. 5),
#
# $$\mathrm{EGE}(A) = \sum_{v_2, \dots, v_m} \iint L\bigl(y, g(A, v_2, \dots, v_m, d, y)\bigr)\, p(v_2, \dots, v_m, d, y)\, \mathrm{d}d\, \mathrm{d}y ,$$
#
# and the average treatment effect is $\mathrm{EGE}(A) - \mathrm{EGE}(B)$. Documents and methods are drawn independently. Both are estimated from a random sample of systems,
# each with a composition of its own (Eq. 6). In the **paired** design every system is run twice, once with each method, on the same
# composition.

# %%
weighting = population.compare("weighting", "tf-idf", "counts")
paired = gx.causal.run_paired(weighting, task, n_systems, seed=seed)
effect = gx.causal.average_treatment_effect(paired, "error", **options)
each = [
    f"{row.estimate:.3f} ({row.low:.3f} to {row.high:.3f}) with {verbatim(row.method)}"
    for row in effect.errors.itertuples()
]
say(
    f"{on_average(effect, 'tf-idf', 'counts', 'error rate')}. The expected error is {' and '.join(each)}.",
    *map(verbatim, effect.notes),
)

# %% [markdown]
# ### Why both outcomes can be seen
#
# A patient takes the drug or does not; nobody sees both outcomes of one patient. This is the *fundamental problem of causal inference* (Holland, 1986). A system can be built twice, once
# with each method, and the difference is the **individual effect** on that system. The paper says what has to hold for that:
#
# - **temporal stability**: it does not matter when a method is measured;
# - **causal transience**: measuring one method leaves nothing behind for the other. That is so if the two versions are built apart from each other, and no learned parameter passes from
#   one to the other.
#
# Both can be checked on a computer. We measure tf-idf with naive Bayes, once more later, and once after counts; and a fourth time with a learner that keeps what it has learned from
# the counts.

# %%
twice = chapter.measured_twice(task, range(seed, seed + 10))
same = (twice[["later", "after counts"]].sub(twice["alone"], axis=0) == 0).all()
inherited = twice["heir of counts"] - twice["alone"]
say(
    f"In {len(twice)} compositions the error of tf-idf is {'the same' if same['later'] else 'not the same'} when it is measured again, and "
    f"{'the same' if same['after counts'] else 'not the same'} after counts were measured. Of the learner that keeps its parameters it differs in {np.count_nonzero(inherited)} "
    f"compositions, by {signed(inherited.mean())} on average: that difference is no effect of tf-idf.",
)

# %% [markdown]
# ### The same effect, three ways
#
# There are three ways to the same question: a t interval, a BCa bootstrap over systems, and a test that flips the signs
# of the individual effects at random.

# %%
found = effect.p < 0.05
say(
    f"In these {n_systems} systems tf-idf {compared(effect.estimate, 0, 'lowers', 'does not change', 'raises')} the error, by "
    f"{abs(effect.estimate):.4f} on average. The t test has p = {written_number(effect.p, 3)}, the test of the signs "
    f"p = {written_number(effect.tests['p'].iloc[2], 3)}.",
    "" if found else "That is no finding that there is no effect: the interval says which effects are left.",
)

# %% [markdown]
# The losses of a run are recorded together, so another loss costs nothing:

# %%
f1_effect = gx.causal.average_treatment_effect(paired, "f1_loss", **options)
say(f"With one minus the mean F1 of the packages as the loss, the average effect is {stated(f1_effect)}.")

# %% [markdown]
# The **independent** design assigns each system to one of the methods by chance. For the same number of trainings it
# looks at twice as many systems ([figure](#figure-designs)). Pairing takes out what systems differ by under either method.

# %%
independent = gx.causal.run_independent(weighting, task, 2 * n_systems, seed=seed)
unpaired = gx.causal.average_treatment_effect(independent, "error", **options)
page.show_figure(
    figures.effect_forest({f"{n_systems} systems twice": effect, f"{2 * n_systems} systems once": unpaired}),
    "designs",
    f"Average effect of tf-idf against counts on the error rate, {nominal} intervals by t and by BCa. Both designs take the same number of trainings. The systems are drawn from "
    f"{population.size:,}, whose true average is not known; that of the smaller population in [figure](#figure-answer) is.",
    f"By t, the paired design gives {stated(effect)}, the independent one {stated(unpaired)}.",
)

# %%
between = paired.frame.groupby("method")["error"].std().mean()
within = gx.causal.individual_effects(paired, "error")["effect"].std()
widths = {name: of.high - of.low for name, of in (("paired", effect), ("unpaired", unpaired))}
narrower = widths["unpaired"] / widths["paired"]
say(
    f"The error of a method has a standard deviation of {between:.3f} between systems; the difference between the two "
    f"methods in a system has one of {within:.3f}. The interval of the independent design is {narrower:.2f} times as wide, for the same number of trainings."
)

# %% [markdown]
# ### With pingouin
#
# Many will reach for `pingouin`. It gives the same t test, and more beside it. Notebook 06 [has met two of its habits](06_deterministic_protocol.ipynb#the-same-with-pingouin): numbers that are rounded to two
# decimals unless an option says otherwise, and a Cohen's $d$ by the standard deviation of the *losses*, $d_{av}$, not of the differences, $d_z$. Two more must be known: this $d$ has no sign, and `tost` takes its bound in units of the
# data, 1 by default, which for error rates is everything.

# %%
pg.options["round.column.CI95"] = None
wide = paired.frame.pivot(index="system", columns="method", values="error")
margin = 0.02  # two points of error: a difference that we would not care about
t_test = pg.ttest(wide["tf-idf"], wide["counts"], paired=True, confidence=confidence).iloc[0]
tost = pg.tost(wide["tf-idf"], wide["counts"], bound=margin, paired=True).iloc[0]
differences = wide["tf-idf"] - wide["counts"]
d_z = differences.mean() / differences.std()
narrow = gx.causal.average_treatment_effect(paired, "error", confidence=0.9, n_resamples=99, rng=seed)
equivalent = -margin < narrow.low and narrow.high < margin
say(
    f"The effect is {written_number(t_test['cohen_d'], 3)} standard deviations of the losses (Cohen's d of pingouin), and {written_number(d_z, 3)} of the differences.",
    f"The two one-sided tests {'find' if equivalent else 'do not find'} the effect to be within {margin:g} of zero "
    f"(p = {written_number(tost['pval'], 3)}): the 90 % interval, {signed(narrow.low)} to {signed(narrow.high)}, "
    f"{'lies inside' if equivalent else 'does not lie inside'} these bounds. Equivalence is a finding of its own; a t test "
    "without one is not.",
)

# %% [markdown]
# > Aside: With more than two methods, look at the correction for sphericity; with missing runs, at how many systems pingouin left out.
#
# Does the effect depend on the approach? A mixed analysis of variance, methods within systems and approaches between
# them, answers with its interaction. With two methods that is the analysis of variance of the individual effects, `moderators`.

# %%
long = paired.frame[["system", "method", "approach", "error"]]
mixed = pg.mixed_anova(long, dv="error", within="method", between="approach", subject="system").set_index("Source")
moderated = gx.causal.moderators(paired, "error", variables=["approach"]).iloc[0]
np.testing.assert_allclose([t_test["p_val"], t_test["T"]], [effect.p, effect.estimate / effect.standard_error])
np.testing.assert_allclose(t_test.filter(like="CI").iloc[0], [effect.low, effect.high])
np.testing.assert_allclose(mixed.loc["Interaction", ["F", "p_unc"]].astype(float), moderated[["F", "p"]].astype(float))
assert (tost["pval"] < 0.05) == equivalent and abs(t_test["cohen_d"]) != abs(d_z)
say(
    f"The interaction has F = {moderated['F']:.2f} and p = {written_number(moderated['p'], 3)}. The t test, its interval and the interaction agree with our own "
    "numbers to seven digits."
)

# %% [markdown]
# ## The effect of an approach: linear against naive Bayes
#
# An approach is a *set* of variables (Eq. 10). The linear approach has a learner and a strength of regularization, naive Bayes a model of
# events and a smoothing constant: different variables, and nothing to pair within them. So each sampled context takes a random
# combination of the parts of each approach, every combination being equally likely.

# %%
approaches = population.compare("approach", "linear", "naive Bayes")
composite = gx.causal.run_paired(approaches, task, n_systems, seed=seed)
composite_effect = gx.causal.average_treatment_effect(composite, "error", **options)
each = [
    f"{verbatim(row.method)} {row.estimate:.3f} ({row.low:.3f} to {row.high:.3f})"
    for row in composite_effect.errors.itertuples()
]
say(
    f"{on_average(composite_effect, 'the linear approach', 'naive Bayes', 'error rate')}. The expected errors: {', '.join(each)}.",
    *map(verbatim, composite_effect.notes),
)

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
    refusal = str(error).partition(", the first")[0]
say(f"The package refuses ({verbatim(refusal)}) and names the first of them.")

# %% [markdown]
# Then either the population is changed, or the study infers to those systems only that can take both methods (`unexposable="restrict"`).
#
# Nobody knows all rules beforehand. Features from a singular value decomposition can be negative, which most models of naive Bayes
# do not take. Where such runs fail, they are recorded with their error, and the estimate says what it does about them.

# %%
variables = {**population.variables, "selection": ("all", "SVD")}
fragile = replace(population, variables=variables).compare("weighting", "tf-idf", "counts")
failing = gx.causal.run_paired(fragile, task, 20, seed=seed)
failures = failing.failures()
survivors = gx.causal.average_treatment_effect(failing, "error", **options)
say(
    "\n".join(
        f"- {row.n_runs} runs with {row.method} failed: {verbatim(row.error_message)}" for row in failures.itertuples()
    ),
    f"The average effect of tf-idf against counts is {stated(survivors)}, over {survivors.n_used} of 20 systems.",
    *map(verbatim, survivors.notes),
)

# %% [markdown]
# ## The ideal study
#
# > Aside: The table was recorded with the versions named here. The test suite runs part of it again.
#
# "In a world with unlimited resources ... the entire population could be analyzed." For a smaller population it can: the table
# that comes with this project holds all of its systems on the same compositions.

# %%
table = chapter.load_text_population()
small = chapter.small_text_population()
about = table.attrs["about"]
say(
    f"Recorded on {about['date']}: {small.size} systems × {chapter.N_COMPOSITIONS} compositions = {about['rows']:,} trainings, with "
    f"scikit-learn {about['versions']['scikit-learn']}. The corpus: {verbatim(about['corpus'])}"
)

# %%
recorded = gx.causal.Recorded(table, small.names, about["losses"])
small_weighting = small.compare("weighting", "tf-idf", "counts")
ideal = chapter.ideal_study(small_weighting, recorded, range(chapter.N_COMPOSITIONS))
tfidf, counts = ideal.arrays("error")
truth = tfidf.mean() - counts.mean()
whole = gx.causal.average_treatment_effect(ideal, "error")
small_approaches = small.compare("approach", "linear", "naive Bayes")
linear, bayes = chapter.ideal_study(small_approaches, recorded, range(chapter.N_COMPOSITIONS)).arrays("error")
say(
    f"In the whole population tf-idf changes the error by {signed(whole.estimate)} on average against counts, and the linear approach by "
    f"{signed(linear.mean() - bayes.mean())} against naive Bayes.",
    *map(verbatim, whole.notes),
)

# %% [markdown]
# Now that the truth is known, intervals can be put to the test: draw systems and compositions from the table, compute the
# interval, see whether it holds the truth, repeat. [Figure](#figure-coverage) shows what comes out.

# %%
n_even = [n + n % 2 for n in sample_sizes]
simulated = {
    "weighting, paired": chapter.coverage(tfidf, counts, sample_sizes, n_studies=n_studies, **options),
    "approach, paired": chapter.coverage(linear, bayes, sample_sizes, n_studies=n_studies, **options),
    "weighting, independent": chapter.coverage(tfidf, counts, n_even, "independent", n_studies=n_studies, **options),
}
ours = pd.concat(simulated, names=["study"]).droplevel(1)
page.show_figure(
    figures.coverage_and_width(simulated, confidence),
    "coverage",
    f"Left: share of simulated studies whose {nominal} interval holds the effect in the whole population; bars are two standard errors of the simulation, the shaded band is two points wide on each side. Right: "
    "width of the interval for the trainings that it costs.",
    f"The intervals hold the truth in {span(100 * ours['coverage'], '{:.1f}', ' %')} of the simulated studies. "
    f"Their mean width is {span(ours['width'], '{:.3f}')}.",
)

# %% [markdown]
# How well a t interval does depends on how the individual effects are distributed. [Table](#table-skewed) has the same for effects that are
# very skewed, and for a population in which only five systems in a hundred show any effect: twenty systems may then hold none of those, and no
# interval computed from them can know.

# %%
draws = np.random.default_rng(seed)
worlds = {
    "exponential": draws.exponential(size=100_000),
    "log-normal": draws.lognormal(size=100_000),
    "few systems with an effect": np.repeat([1.0, 0.0], [5_000, 95_000]),
}
skewed = pd.concat(
    {
        name: chapter.coverage(d[:, None], np.zeros((len(d), 1)), [20, 100], n_studies=n_studies, **options)
        for name, d in worlds.items()
    },
    names=["individual effects"],
)
skewed = skewed.droplevel(1).reset_index().pivot(index="individual effects", columns="n_systems", values="coverage")
page.show_table(
    skewed.loc[list(worlds)],
    "skewed",
    f"Intervals of nominal {nominal} that hold the truth, where individual effects are far from normal.",
    {n: f"with {n} systems" for n in skewed},
    dict.fromkeys(skewed, one_digit),
)

# %%
say(
    f"In our population {span(100 * ours['coverage'], '{:.1f}', ' %')} of the intervals hold the truth, with a simulation error of "
    f"{100 * ours['coverage_se'].max():.1f} points at most. With 20 systems and exponential effects it is {percent(skewed.loc['exponential', 20])}, with log-normal ones "
    f"{percent(skewed.loc['log-normal', 20])}, and where few systems have an effect {percent(skewed.loc['few systems with an effect', 20])}."
)

# %% [markdown]
# ## Problem 1: one split
#
# The usual test takes two trained models and resamples the *test documents*, with replacement. The differences in performance that come
# out are shifted until their mean is zero, and the p-value is the share of them that is at least as large as the difference
# that was measured (we count both sides). That accounts for the test set being finite, not for the training set being one of many.
#
# > Aside: Each composition is part of the mean that it is held against. The fewer there are, the more the errors are understated.
#
# How often is it wrong? Eight systems give 28 pairs. Each is trained on many compositions, and the mean over them stands for the expected effect
# of a pair. The test is a **false positive** where it rejects what is true, that the effect is what it is.
# [Figure](#figure-pairs) has the pairs one by one.

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
outcomes = chapter.shifted_bootstrap(documents, rng=seed)
outcomes["what differs"] = outcomes["pair"].map(differ)

# %% tags=["slide"]
of_pairs = chapter.error_rates(outcomes, ["pair"], confidence)
by_pair = of_pairs.set_index(["error", "pair"])
rejecting = by_pair.loc["false_positive", "estimate"]
page.show_figure(
    figures.error_rates_of_pairs(of_pairs),
    "pairs",
    "Share of the compositions in which a bootstrap of the test documents rejects the truth: left by its p-value, right by its interval; "
    f"bars are {nominal} Monte-Carlo intervals (Clopper and Pearson). Dashed: what a test at 5 % promises.",
    f"The test rejects the truth in {span(100 * rejecting, '{:.0f}', ' %')} of the compositions, depending on the pair; it promises 5 %.",
)

# %%
rates = chapter.error_rates(outcomes, ["what differs"], confidence)
overall = chapter.error_rates(outcomes, confidence=confidence).set_index("error")

# %%
above = int((by_pair.loc["false_positive", "low"] > 0.05).sum())
wrong, missed_all = overall.loc["false_positive"], overall.loc["missed"]
agree = np.mean(outcomes["false_positive"] == outcomes["interval_misses"])
say(
    f"Over all {len(documents)} pairs and {n_compositions} compositions the test at 5 % rejects the truth in "
    f"{percent(wrong['estimate'])} ({percent(wrong['low'])} to {percent(wrong['high'])}; compositions are what was sampled), with "
    f"{max(test_sizes)} test documents. In {above} of the {len(documents)} pairs the rate is above 5 % beyond Monte-Carlo error. "
    f"The interval says the same as the p-value in {percent(agree, 1)} of the cases.",
    f"The other error: in {percent(missed_all['estimate'])} ({percent(missed_all['low'])} to {percent(missed_all['high'])}) it does not "
    f"find the effect that is there. It is significant with the wrong sign in {percent(overall.loc['wrong_sign', 'estimate'], 1)}.",
)

# %% [markdown]
# > Aside: Test sets are drawn from one corpus and overlap, which makes compositions *more* alike: if anything, the errors are understated.
#
# Does a larger test set help? [Figure](#figure-misses) shows two of the pairs, for test sets of several sizes: how often
# the interval misses, and how the standard deviation that the bootstrap claims compares with the actual one.

# %%
shown = {
    "tf-idf against counts in an SVM": documents["SVM tf-idf / SVM counts"],
    "SVM against naive Bayes": documents["SVM counts / multinomial counts"],
}
missed = pd.concat(
    [chapter.bootstrap_miss_rate(d, test_sizes, **options).assign(pair=name) for name, d in shown.items()],
    ignore_index=True,
)
most = missed[missed["n_test"] == max(test_sizes)].set_index("pair")
underrated = most["sd_actual"] / most["sd_claimed"]
page.show_figure(
    figures.miss_rate(missed, confidence),
    "misses",
    f"Left: share of compositions whose bootstrap interval over test documents misses the expected effect, with {nominal} intervals (Clopper and Pearson). "
    "Right: standard deviation of the effect that the bootstrap claims, and the one between compositions.",
    f"With {max(test_sizes)} test documents the intervals miss in {span(100 * most['miss'], '{:.0f}', ' %')} of the compositions.",
)

# %%
of_kind = rates.set_index(["error", "what differs"]).loc["false_positive"]
say(
    "More test documents make the interval narrower; the luck of the training set is not in it, however many there are. With "
    f"{max(test_sizes)} documents the standard deviation between compositions is {span(underrated, '{:.1f}')} times the one that the "
    "bootstrap claims. False positives by what differs in a pair: "
    + ", ".join(
        f"{row.Index} {percent(row.estimate)} ({percent(row.low)} to {percent(row.high)})"
        for row in of_kind.itertuples()
    )
    + "."
)

# %% [markdown]
# ## Problem 2: one system
#
# The effect inside one system is an individual effect. [Figure](#figure-individual) has all of them, each averaged over all compositions of
# the table.

# %% tags=["slide"]
individual = gx.causal.individual_effects(ideal, "error")
spread = gx.causal.heterogeneity(ideal, "error")
page.show_figure(
    figures.effect_distribution(individual, truth, "the error rate"),
    "individual",
    f"Individual effects of tf-idf against counts in all {spread.n_systems} systems of the small population that can be run either way. Dashed: their average; hatched: systems in which the sign is the "
    "opposite one.",
    f"Around an average of {signed(truth)}, the effect has the opposite sign in {percent(spread.share_opposite)} of the systems.",
)

# %%
say(
    f"The standard deviation between systems is {spread.sd_systems:.3f}, the average effect {signed(spread.mean, 3)}; "
    f"of the variance of these averages, {percent(spread.reliability)} is no noise. In {percent(spread.share_opposite)} of the systems the "
    "effect has the other sign than the average."
)

# %% [markdown]
# A researcher who happens to work with one of the systems on the right of [figure](#figure-individual) reports, truthfully, that tf-idf hurts, and with enough
# compositions it will be significant. It is a finding about that system.
# What makes the difference? [Table](#table-moderators) has an analysis of variance of the individual effects, [figure](#figure-levels) the effect
# within each level (again the whole population, and so without p-values and intervals).

# %%
shares = gx.causal.moderators(ideal, "error")
shares_of = shares["variable"].replace(called)
share_columns = {"n_levels": "levels", "share": "share of the variance"}
page.show_table(
    shares.set_index("variable")[list(share_columns)].rename(index=called),
    "moderators",
    "How much of the variance of the individual effects each variable carries.",
    share_columns,
    {"share": one_digit},
)
levels = pd.concat(
    [gx.causal.effects_by_level(ideal, name, "error") for name in shares["variable"].head(6)], ignore_index=True
)
levels = levels.replace({"variable": called, "level": {"True": "yes", "False": "no"}})
page.show_figure(
    figures.level_forest(levels, truth, "average effect of tf-idf against counts on the error rate"),
    "levels",
    "Average effect within levels of the variables that matter most, at most six; a dash stands for systems without that variable. Dashed: the average over all.",
    f"The average effect within a level goes {ends_of(levels)}.",
)

# %% [markdown]
# Both mistakes at once: two systems that differ in several methods, on one split. Take two random systems of which one uses tf-idf and the other
# counts, run them on the same composition, and ask how often the difference does not have the sign of the average effect:

# %%
rng = np.random.default_rng(seed)
first, second = rng.integers(len(tfidf), size=(2, 100_000))
split = rng.integers(chapter.N_COMPOSITIONS, size=100_000)
of_two = np.mean((tfidf[first, split] - counts[second, split]) * truth <= 0)
of_one = np.mean((tfidf - counts) * truth <= 0)
say(
    f"The truth is {signed(truth)}. Two unrelated systems on one composition have a wrong sign, or no difference, in {percent(of_two)} of the comparisons, "
    f"one system with both methods on one composition in {percent(of_one)}, and the average over several systems, paired: "
    + ", ".join(
        f"{size} systems {percent(share, 1)}"
        for size, share in simulated["weighting, paired"].set_index("n_systems")["wrong_sign"].items()
    )
    + "."
)

# %% [markdown]
# ## The first problem is a case of the second
#
# The composition is one more variable of a system. How much of the variance of the error does it carry ([figure](#figure-variance))?

# %%
parts = table[["approach", "learner", "regularisation", "smoothing"]].map(str).agg(" ".join, axis=1)
carried = gx.causal.variance_shares(
    table.assign(**{"learner and settings": parts}), [*small.variables, "learner and settings", "composition"], "error"
)
composition = carried.set_index("variable").loc["composition"]
page.show_figure(
    figures.variance_bars(carried.replace({"variable": called})),
    "variance",
    "Share of the variance of the error that each variable carries on its own, and together with its interactions.",
    f"The composition carries {percent(composition['alone'])} of the variance on its own and {percent(composition['with_interactions'])} with its interactions; "
    f"the largest share alone is that of {called.get(carried['variable'].iloc[0], carried['variable'].iloc[0])}, {percent(carried['alone'].max())}.",
)

# %% [markdown]
# A study on one composition holds this variable constant, and its conclusions hold for that composition only. In the *effect* of a method, what
# a composition does to both methods cancels.

# %%
components = gx.causal.variance_components(tfidf - counts, crossed=True)
parts_of_effect = np.array([components.systems, components.compositions, components.residual])
shares_of_effect = [percent(share) for share in parts_of_effect / parts_of_effect.sum()]
of_error = float(np.sqrt(table["error"].var(ddof=0) * composition["alone"]))
say(
    f"From one composition to the next the error of all systems goes up and down together, with a standard deviation of {of_error:.4f}; "
    f"the effect of the method has one of {np.sqrt(components.compositions):.4f}. Of what the effect in one system on one composition varies by, "
    f"{shares_of_effect[0]} is between systems, {shares_of_effect[1]} between compositions, and {shares_of_effect[2]} both together, with the noise of the test documents."
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
spent = chapter.tuned_or_many(
    tfidf, counts, *validation, [2, 4, 8, 16, 32, 64], least=least, n_studies=n_studies, rng=seed
)
by_plan = {name: part.set_index("n_systems") for name, part in spent.groupby("plan")}
tuned_plan, many_plan = by_plan["tuned, one composition"], by_plan["untuned, many"]
fewest, largest = spent["n_systems"].min(), spent["n_systems"].max()
page.show_figure(
    figures.tuned_or_many_bars(spent, n_studies=n_studies),
    "spending",
    "Left: standard deviation of the estimated effect over repetitions. Right: how often its sign is wrong, each plan judged by what it is about, its own truth, "
    "which stands beside the point: the average effect, or the mean over the repetitions of tuning. No point where that truth is within half a point of error of "
    "zero. Vertical bars: simulation error (two standard errors; Wilson's 95 % intervals for the shares).",
    f"With {2 * largest} trainings the standard deviations are {many_plan.loc[largest, 'sd']:.4f} untuned and {tuned_plan.loc[largest, 'sd']:.4f} tuned.",
)

# %%
sds = {name: f"{part.loc[fewest, 'sd']:.4f} to {part.loc[largest, 'sd']:.4f}" for name, part in by_plan.items()}
say(
    f"From {2 * fewest} to {2 * largest} trainings the standard deviation of the average over untuned systems goes from "
    f"{sds['untuned, many']}, that of the tuned comparison from {sds['tuned, one composition']}: however much is tuned, "
    "what is compared in the end is one pair on one test set.",
    f"But the two plans answer different questions. The average effect is {signed(truth)}; between systems tuned on {largest} candidates it is "
    f"{signed(tuned_plan.loc[largest, 'truth'])}: tuning picks, for each method, systems that suit it.",
)

# %% [markdown]
# Whoever wants to know about tuned systems must repeat the *tuning* over compositions: then the tuned system is the individual.
#
# **How many systems?** The sample of the beginning serves as a pilot for [figure](#figure-plan).

# %%
plan = gx.causal.plan_systems(paired, [0.005, 0.01, 0.015, 0.02, 0.03, 0.04], "error", confidence=confidence)
row = plan.set_index("width").loc[0.01]
page.show_figure(
    figures.plan_curves(plan, [0.01]),
    "plan",
    f"Trainings needed for an interval of a given width. The band shows how well the pilot knows the standard deviation: its {nominal} interval by the "
    "chi-squared distribution, for normal effects. Dotted: a width of one point of error.",
    f"A width of 0.01 takes {row['n_runs_paired']:,.0f} trainings in the paired design, and {row['n_runs_independent']:,.0f} in the independent one.",
)

# %%
say(
    f"An interval of width 0.01 takes about {row['n_systems_paired']:,.0f} systems ({row['n_systems_low']:,.0f} to {row['n_systems_high']:,.0f}, "
    f"by what the pilot knows of the standard deviation), run twice each; the independent design takes {row['ratio']:.1f} times the trainings."
)

# %% [markdown]
# And how many compositions for each system? Several pay only if setting up a system is expensive, and then by the square root of the cost.

# %%
best = {cost: gx.causal.compositions_per_system(ideal, cost, "error") for cost in (0, 1, 10, 100)}
say(
    "By what it costs to set up a system, in pairs of trainings, the best number of compositions for each system is "
    + ", ".join(f"{number:.1f} (cost {cost})" for cost, number in best.items())
    + "."
)

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
clustered = {"cluster": "dataset", "confidence": confidence}
tuning_effect = gx.causal.average_treatment_effect(tuning, **clustered, rng=seed)
gone = tuning.n_systems - tuning_effect.n_used
say(
    f"{on_average(tuning_effect, 'tuning', 'no tuning', 'score')}, measured on {tuning_effect.n_used:,} systems. These are scores: higher is better.",
    f"{gone:,} of {tuning.n_systems:,} systems were only run one way; they tell nothing about the effect and are left out.",
    *map(verbatim, tuning_effect.notes[bool(gone) :]),
)

# %% [markdown]
# **What must be assumed.** Nobody drew these systems at random: they are combinations of chosen models, encoders, metrics and datasets.
# For these very models, encoders and metrics no assumption is needed: they *are* the population. To speak about other datasets, the
# datasets must be exchangeable with those one has in mind, as if drawn at random; the interval above does so by taking the
# dataset as the unit that was sampled (a cluster). And if all systems are taken for independent instead?

# %%
naive = gx.causal.average_treatment_effect(tuning, cluster="system", n_resamples=100, **options)
say(
    f"With datasets as clusters, the interval goes from {signed(tuning_effect.low)} to {signed(tuning_effect.high)}; with all systems taken for independent, "
    f"from {signed(naive.low)} to {signed(naive.high)}."
)

# %%
per_dataset = gx.causal.individual_effects(tuning).groupby("dataset", as_index=False)["effect"].mean()
fig = figures.effect_distribution(per_dataset, tuning_effect.estimate, bins=60, unit="datasets")
fig.axes[0].set_xlabel("average effect of tuning on the score (above 0: tuning helps)")
page.show_figure(
    fig,
    "datasets",
    "Effect of tuning on the score, averaged over models, encoders and metrics within a dataset. Dashed: the average over all systems; hatched: datasets on which the "
    "sign is the opposite one.",
    f"Tuning raises the average score on {(per_dataset['effect'] > 0).sum()} of {len(per_dataset)} datasets; the average over all systems is "
    f"{signed(tuning_effect.estimate)}.",
)

# %% [markdown]
# Is the average typical of the datasets?

# %%
of_each = gx.causal.individual_effects(tuning)
carrier = of_each.groupby("dataset")["effect"].sum().abs().idxmax()
without = of_each.loc[of_each["dataset"] != carrier, "effect"].mean()
say(
    f"An average need not be typical. It is {signed(tuning_effect.estimate)} over {len(per_dataset)} datasets, {signed(without)} without "
    f"dataset {verbatim(carrier)}, and the median over datasets is {signed(per_dataset['effect'].median())}.",
    f"The t test has p = {written_number(tuning_effect.p, 3)}, the test that flips the signs of whole datasets p = "
    f"{written_number(tuning_effect.tests['p'].iloc[2], 3)}. They do not ask the same: one very large effect widens the t interval, "
    "while it is one sign among many for the other. No interval for a mean can say whether datasets that were not run hold larger effects.",
)

# %%
metric = {"scoring": "metric"}
by_level = pd.concat(
    [gx.causal.effects_by_level(tuning, name, **clustered) for name in ("model", "scoring")], ignore_index=True
).replace({"variable": metric})
metrics = by_level.loc[by_level["variable"] == "metric", "level"]
page.show_figure(
    figures.level_forest(by_level, tuning_effect.estimate, "average effect of tuning on the score"),
    "tuning-levels",
    f"Effect of tuning on the score for each model and each metric ({', '.join(map(verbatim, metrics))}), {nominal} t intervals over datasets. Dashed: the average over "
    "all.",
    f"The effect of tuning goes {ends_of(by_level)}.",
)

# %% [markdown]
# The same for one encoder against another. The encoder is now the treatment, and tuning is part of the system.

# %%
encoders = gx.causal.from_results(
    results, "encoder", encoder, against, ["dataset", "model", "tuning", "scoring"], ["cv_score"]
)
encoder_effect = gx.causal.average_treatment_effect(encoders, cluster="dataset", **options)
encoder_spread = gx.causal.heterogeneity(encoders)
say(
    f"{on_average(encoder_effect, verbatim(encoder), verbatim(against), 'score')}, measured on {encoder_effect.n_used:,} systems.",
    *map(verbatim, encoder_effect.notes),
    f"In {percent(encoder_spread.share_opposite)} of the systems the effect has the other sign than the average, in "
    f"{percent(encoder_spread.share_zero)} there is none.",
)

# %%
by_level = pd.concat(
    [gx.causal.effects_by_level(encoders, name, **clustered) for name in ("model", "tuning", "scoring")],
    ignore_index=True,
).replace({"variable": metric})
page.show_figure(
    figures.level_forest(
        by_level, encoder_effect.estimate, f"average effect of {encoder} against {against} on the score"
    ),
    "encoder-levels",
    f"Effect of {verbatim(encoder)} against {verbatim(against)} on the score for each model, tuning and metric, {nominal} t intervals over datasets. Dashed: the average over all.",
    f"The effect of {encoder} against {against} goes {ends_of(by_level)}.",
)

# %% [markdown]
# An average effect belongs to a population. [Table](#table-populations) has the same two encoders in each table that this project can read and that has
# both. Why the tables differ is asked in notebook 02, [on two tables](02_encoders.ipynb#the-same-question-on-two-tables).

# %%
tables = {results.attrs["source"]: results, "bundled": gx.datasets.load_encoders("bundled")}
elsewhere = {}
for name, frame in tables.items():
    if {encoder, against} <= set(frame["encoder"]):
        runs = gx.causal.from_results(
            frame, "encoder", encoder, against, ["dataset", "model", "tuning", "scoring"], ["cv_score"]
        )
        elsewhere[name] = gx.causal.average_treatment_effect(runs, cluster="dataset", n_resamples=99, **options)
table_names = {"original": "published table", "bundled": "this project's own runs"}
page.show_table(
    pd.DataFrame(
        [(table_names.get(name, name), of.n_used, of.estimate, of.low, of.high) for name, of in elsewhere.items()],
        columns=["table", "n_systems", "estimate", "low", "high"],
    ).set_index("table"),
    "populations",
    f"The average effect of {verbatim(encoder)} against {verbatim(against)} on the score, with {nominal} t intervals over datasets.",
    {"n_systems": "systems", **effect_columns},
    dict.fromkeys(effect_columns, signed),
)

# %%
say(
    "No average is wrong: datasets, models and tuning differ between tables, and each average is that of its own population."
)

# %% [markdown]
# ## The answer in short

# %%
known = {
    f"{n_systems} systems twice": gx.causal.run_paired(small_weighting, recorded, n_systems, seed=seed),
    f"{2 * n_systems} systems once": gx.causal.run_independent(small_weighting, recorded, 2 * n_systems, seed=seed),
}
known = {name: gx.causal.average_treatment_effect(runs, "error", **options) for name, runs in known.items()}
sampled, unpaired_known = known.values()
on_error, on_score = "on the error rate, random sample", "on the score, benchmark of encoders"
for name, label, of in (
    ("weighting", f"tf-idf against counts {on_error}", effect),
    ("approach", f"linear against naive Bayes {on_error}", composite_effect),
    ("tuning", f"tuning {on_score}", tuning_effect),
    ("encoder", f"{encoder} against {against} {on_score}", encoder_effect),
):
    page.key_number(f"effect-{name}", f"average effect of {label}", of.estimate, of.low, of.high, decimals=4)
for name, label in (
    ("false_positive", "share of tests at 5 % on one split that reject the truth"),
    ("missed", "share of tests at 5 % on one split that do not find the effect"),
):
    page.key_number(name.replace("_", "-"), label, *overall.loc[name, ["estimate", "low", "high"]], decimals=3)
page.key_number(
    "systems-for-one-point",
    "systems for an interval that is one point of error wide, paired",
    *row[["n_systems_paired", "n_systems_low", "n_systems_high"]],
    unit="systems",
    decimals=0,
)
carried_by_splits = "share of the variance of the error that splits carry, interactions included"
least_held = f"smallest coverage of an interval of nominal {nominal} in our population"
opposite = f"share of systems in which {encoder} against {against} has the opposite effect"
for name, label, value, decimals in (
    ("truth", "average effect of tf-idf against counts on the error rate, whole population", truth, 4),
    ("opposite", "share of systems in which tf-idf has the opposite effect", spread.share_opposite, 3),
    ("spread", "standard deviation of the effect of tf-idf between systems", spread.sd_systems, 4),
    ("one-system", "wrong sign or none in one system on one split, share", of_one, 3),
    ("least-coverage", least_held, ours["coverage"].min(), 3),
    ("composition", carried_by_splits, composition["with_interactions"], 3),
    ("encoder-opposite", opposite, encoder_spread.share_opposite, 3),
):
    page.key_number(name, label, value, decimals=decimals)
for name, label, value in (
    ("independent-width", "width of the interval, independent by paired design", narrower),
    ("underrated", "actual by claimed standard deviation on one split, largest", underrated.max()),
):
    page.key_number(name, label, value, unit="times", decimals=1)

# %% tags=["hero", "slide"]
page.show_figure(
    figures.effect_forest(known, truth),
    "answer",
    f"What words weighted by rarity (tf-idf) instead of by counts alone do to the error rate: the average over all {spread.n_systems} systems (dashed), and two random samples of them "
    f"with {nominal} intervals. {n_systems} systems run both ways take as many trainings as {2 * n_systems} that run one way. Left of zero tf-idf is better.",
    f"The average over all systems is {signed(truth)}. By t, systems run twice give {stated(sampled)}, systems run once {stated(unpaired_known)}.",
)

# %% tags=["findings", "slide"]
low, high = (signed(100 * end, 1) for end in (sampled.low, sampled.high))
page.show_findings(
    page.Finding(
        f"{signed(100 * truth, 1)} points",
        f"of error, on average, from weighting words by their rarity instead of by counts alone: the effect over all {spread.n_systems} text classifiers of "
        "a population that was run in full",
        f"all were run, none sampled · a sample of {n_systems} gives {signed(100 * sampled.estimate, 1)}, {nominal} interval {low} to {high}",
    ),
    page.Finding(
        percent(spread.share_opposite),
        "of these classifiers show the *opposite* effect: one system cannot speak for a method",
        f"all {spread.n_systems} of them, each on {chapter.N_COMPOSITIONS} splits of the data",
    ),
    page.Finding(
        percent(wrong["estimate"]),
        "of the usual tests on one split, which resample its test documents, reject what is true; 5 % is what they promise",
        f"{nominal} interval {percent(wrong['low'])} to {percent(wrong['high'])} · {len(documents)} pairs of systems, {n_compositions} splits",
    ),
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
    assert ((frame["coverage"] - confidence).abs() - tolerance < 0.02)[enough].all(), name
    assert (frame["bias"].abs() < 5 * frame["rmse"] / np.sqrt(n_studies)).all(), name
assert (individual["effect"] * truth < 0).mean() == spread.share_opposite
assert len(table["composition"].unique()) == chapter.N_COMPOSITIONS == tfidf.shape[1] and len(documents) == 28
for _, part in missed.groupby("pair"):  # more test documents make the interval narrower
    assert part.sort_values("n_test")["width"].is_monotonic_decreasing
np.testing.assert_allclose(
    best[100], 2 * gx.causal.compositions_per_system(ideal, 25, "error")
)  # by the square root of the cost

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
page.show_key_numbers()

# %% [markdown]
# ## Exercises
#
# On effects and their populations, on what pairing buys, and on studies that speak for more than they have sampled.

# %% [markdown] tags=["exercise", "slide"]
# ### 1. Two populations
#
# *Understanding · 10 minutes.* Four systems make up a population. Their expected errors, in per cent:
#
# | system | with tf-idf | with counts |
# |---|---|---|
# | linear, SVM | 20 | 24 |
# | linear, ridge | 22 | 24 |
# | naive Bayes, multinomial | 31 | 26 |
# | naive Bayes, complement | 28 | 25 |
#
# What is the average treatment effect of tf-idf against counts, in points, if all four are equally likely? And if nine in ten systems are linear, with the two systems of an approach still equally likely? Assign both as a list to `answer_1`, to one decimal.

# %% tags=["solution"]
effects_1 = np.array([20, 22, 31, 28]) - np.array([24, 24, 26, 25])
answer_1 = [np.average(effects_1, weights=weights) for weights in ([1, 1, 1, 1], [9, 9, 1, 1])]

# %% tags=["check"]
exercises.check(
    "08-1",
    answer_1,
    "lm6gmpuelob672fosa",
    decimals=1,
    hint="The individual effects come first, A minus B. Then an average over the population, each system with its probability.",
    wrong={
        "lm5gaz6f54uayp4uqa": "That is counts against tf-idf: the effect of A against B is the loss of A minus that of B.",
        "lm6gba6gipwnbrkb2m": "The systems are the same in both populations. Are they equally likely?",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** The individual effects are −4, −2, +5 and +3 points. Their mean is +0.5; with weights it is 0.9 · (−3) + 0.1 · 4 = −2.3. No system has changed, and the sign has. Both numbers are right, each for its population, so a paper that reports an average effect without saying over which systems has reported
# nothing. In this package the second population is `weights={"approach": {"linear": 9, "naive Bayes": 1}}`.

# %% [markdown] tags=["exercise"]
# ### 2. What pairing buys
#
# *Application · 10 minutes.* Under either method the losses of systems have a standard deviation of 0.10, and the difference of the two losses in a system has one of 0.05. What is the correlation of the two losses over systems? And how many times the *trainings* of the paired design does the independent one take, for an interval of the same
# width, if degrees of freedom do not matter? Assign both as a list to `answer_2`, to three decimals.

# %% tags=["solution"]
correlation = 1 - 0.05**2 / (2 * 0.10**2)
n_paired = 0.05**2  # systems for a variance of 1, each trained twice
n_each = 2 * 0.10**2  # systems under each method for the same variance, each trained once
answer_2 = [correlation, (2 * n_each) / (2 * n_paired)]

# %% tags=["check"]
exercises.check(
    "08-2",
    answer_2,
    "i5bmyrmf3sczzopqzi",
    decimals=3,
    hint="Var(X − Y) = Var X + Var Y − 2 Cov(X, Y). Then compare the variances of the two estimates for the same number of trainings.",
    wrong={
        "i5bmz6vcd4hexluvlq": "The correlation is right. The second number is how many times as wide the interval is; the question is about trainings.",
        "i5bm4wv4vpib3xtj3m": "The correlation is right. Those are systems: a system of the paired design is trained twice.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** 0.0025 = 2 · 0.01 · (1 − r) gives r = 0.875. With n systems twice, the variance is 0.0025 / n for 2n trainings; with n systems under each method it is 0.02 / n for as many trainings: the ratio is 1 / (1 − r) = 8. Without correlation the two designs
# cost the same, and with a negative one pairing would hurt. How much is gained is not known before some systems have been run both ways: a pilot tells.

# %% [markdown] tags=["exercise"]
# ### 3. More test documents
#
# *Application · 15 minutes.* On one split, a bootstrap of the test documents claims a standard deviation of 0.02 for the effect. The luck of the training set adds one of 0.015, which the bootstrap does not see. All is normal. How often does the interval of ± 1.96 claimed standard deviations miss the expected effect? And with
# four times the test documents? Assign both as a list to `answer_3`, to two decimals.

# %% tags=["solution"]
from scipy.stats import norm

answer_3 = [2 * norm.sf(1.96 * claimed / np.hypot(claimed, 0.015)) for claimed in (0.02, 0.01)]

# %% tags=["check"]
exercises.check(
    "08-3",
    answer_3,
    "ghkkxvokeuylvoxf4u",
    decimals=2,
    hint="The actual variance is the sum of two. Which of them shrinks with the number of test documents?",
    wrong={
        "ghn2kmdy3hb2tofp6i": "That holds if the claimed standard deviation is the actual one.",
        "ghkkvw5pydmhblppj4": "With four times the test documents, the claimed standard deviation is smaller, too.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** The actual standard deviations are 0.025 and 0.018, so the intervals reach 1.57 and 1.09 actual ones to either side instead of 1.96, and miss in 12 % and 28 %. The larger test set makes the estimate better and its interval wrong more often: the interval shrinks about a quantity that does not.
# It is the same as with folds in notebook 06, and with fixed factors in notebook 10.

# %% [markdown] tags=["exercise"]
# ### 4. The average and the typical
#
# *Application · 15 minutes.* In the population that was run in full: what does scaling to unit length (`normalise`, `True` against `False`) do to the error? Assign a list to `answer_4`, to one decimal: the average effect, in points, and the share of the systems, in per cent, whose own effect, averaged over the compositions, has the opposite sign. The names `small` and
# `recorded` of the notebook are all that you need.

# %% tags=["solution"]
scaled, unscaled = chapter.ideal_study(
    small.compare("normalise", True, False), recorded, range(chapter.N_COMPOSITIONS)
).arrays("error")
of_systems = (scaled - unscaled).mean(axis=1)
answer_4 = [100 * of_systems.mean(), 100 * np.mean(of_systems * of_systems.mean() < 0)]

# %% tags=["check"]
exercises.check(
    "08-4",
    answer_4,
    "juz5scia4acdwihw5q",
    decimals=1,
    hint="As for tf-idf in the section on the ideal study: `compare`, `ideal_study`, and the arrays of the error, one row per system.",
    wrong={"juz544vihwziikx7zm": "The share is the one with the sign of the average. Asked for is the other one."},
)

# %% [markdown] tags=["explanation"]
# **Why.** Scaling raises the error by 3.0 points on average, and lowers it in 51 % of the systems. The median system gains 0.2 points, and a quarter of the systems lose more than 8: the average is not wrong, it is not typical. Somebody who picks a system at random, and somebody who asks what to recommend for all, ask two questions. Draw the histogram
# as in [figure](#figure-individual), and let `gx.causal.moderators` say what the losing systems have in common.

# %% [markdown] tags=["exercise"]
# ### 5. How many datasets?
#
# *Application · 15 minutes.* Two encoders of the same family, CV5TE and TE, in this project's own runs: `of_family` is `gx.causal.from_results(our_runs, "encoder", "CV5TE", "TE", ["dataset", "model", "tuning", "scoring"], ["cv_score"])`, with `our_runs = gx.datasets.load_encoders("bundled")`. How many datasets does a 95 % interval for the average effect take if it is to be 0.005 wide in all? Take the standard deviation $s$ between datasets of the effect averaged within a dataset, and the normal quantile: $n = (2 \cdot 1.96\, s / 0.005)^2$. Assign
# $n$ to `answer_5`, to two significant digits. Compare also the intervals of `gx.causal.average_treatment_effect(of_family, cluster=...)` for `"dataset"` and `"system"`: which may a paper report?

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
exercises.check(
    "08-5",
    answer_5,
    "2ljlj53ok4jv3yny",
    digits=2,
    hint="`gx.causal.individual_effects(of_family)` has one row per system. Average within a dataset first.",
    wrong={"2lnj563f74lead22": "The interval reaches 1.96 standard errors to either side."},
)

# %% [markdown] tags=["explanation"]
# **Why.** The standard deviation between the 56 datasets is 0.0239, which makes 351. With datasets as clusters the interval goes from −0.0122 to +0.0006, with systems taken for independent from −0.0074 to −0.0042: the second one is a quarter as wide, and leaves out zero. But the forty systems of a dataset share the dataset, and who speaks about other
# datasets has sampled 56 units and not 2,240.

# %% [markdown] tags=["exercise"]
# ### 6. All systems on one split
#
# *Project · 40 minutes.* A group draws 50 systems at random, with replacement, and runs all of them both ways, tf-idf and counts, on *the same* composition. They report a 95 % t interval over the systems. How often does it hold the average effect over all systems and compositions? Simulate 40,000 such studies from `tfidf - counts` (one row per system, one column per composition): with one
# composition for all, drawn at random; with five different ones, of which each system gets one at random; and with a composition drawn for each system by itself. Assign the three shares as a list to `answer_6`, to two decimals. Then run the study of this notebook with `gx.causal.run_paired(..., shared_compositions=True)` and look what
# `average_treatment_effect` notes. What would you write in the methods section of each of the three?

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
exercises.check(
    "08-6",
    answer_6,
    "sqk4sof22rcfrjtbj53a",
    decimals=2,
    hint="Draw rows and columns of the table separately. The truth is the mean of the whole table.",
    wrong={
        "sqn4soemekp7ycn45twq": "That is what a t interval promises for independent observations. What do the 50 effects have in common if all are measured on one split?"
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** The interval knows how systems differ. It cannot know how compositions differ, if there is one: with one for all it holds the truth in 77 % of the studies, with five in 92 %, and with one for each system in 95 %. All three cost the same 100 trainings. A normal approximation composition by composition gives 0.78 for the first. What is shared must be varied, or named as fixed.

# %% [markdown]
# ## Further reading
#
# - [Holland, 1986, *Statistics and Causal Inference*](https://doi.org/10.1080/01621459.1986.10478354): individual effects, average effects, and why only the latter can be had.
# - [Bouthillier et al., 2021, *Accounting for Variance in Machine Learning Benchmarks*](https://proceedings.mlsys.org/paper_files/paper/2021/hash/0184b0cd3cfb185989f858a1d9f5c1eb-Abstract.html): data, seeds and tuning as sources of variance, measured on five tasks.
# - [Dror et al., 2017, *Replicability Analysis for Natural Language Processing: Testing Significance with Multiple Datasets*](https://doi.org/10.1162/tacl_a_00074): in how many of many datasets does an effect hold? Conclusions that count them.
