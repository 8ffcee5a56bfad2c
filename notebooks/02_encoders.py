# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How many datasets does a benchmark of encoders need?
#
# *Executable companion to* Generalizability of Experimental Studies, *both versions: Section 5.1, Figures 2 and 3.*
#
# **You will learn** when two benchmarks look alike, how many datasets this takes, and what more datasets cannot settle.
#
# **You need** notebook 01 for the definitions (study, kernel, MMD, n\*).
#
# **Time** 10 minutes to read, 70 with the exercises.

# %% tags=["parameters"]
source: str = "auto"  # results table: original (published), bundled (this project's own runs), or auto
alternative: str = "OHE"  # encoder whose rank the Borda question asks about
k: int = 1  # how many top tiers the Jaccard question looks at
alpha: float = 0.95  # probability with which two benchmarks should look alike, in (0, 1)
delta: float = 0.05  # how different two benchmarks may be and still look alike, in (0, 1]
confidence: float = 0.95  # of the intervals, in (0, 1)
configuration: dict = {}  # model, tuning and scoring to look at closely; empty: the one that needs most datasets
seed: int = 0  # seed of everything random

# %%
import warnings

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import encoders as chapter

gx.plots.use_style()
results, ours = gx.datasets.load_encoders(source), gx.datasets.load_encoders("bundled")
files = gx.datasets.with_source_tables(ours)["table"].nunique()
gx.datasets.notice(results)

# %% [markdown]
# ## One question, two benchmarks
#
# Is target encoding (TE) better than one-hot encoding (OHE)? Target encoding replaces a category by the mean outcome of its rows. One-hot encoding gives each category a column. We ask the published benchmark of Matteucci et al. (2023), and our own runs ({eval}`ours["dataset"].nunique()` small prediction tasks, made from {eval}`files` tables).

# %%
tables = chapter.tables_to_ask(results, ours)
gap = chapter.compare(tables, confidence, seed, once=True)  # related datasets count once, by their mean
both = chapter.is_published(results)
of_theirs = chapter.shared.side_by_side(results, once=True)
lead = (of_theirs["TE"] - of_theirs["OHE"]).sort_values()
by_student, by_bootstrap = (
    gx.significance.compare_pairs(
        of_theirs, higher_is_better=True, confidence=confidence, interval=name, rng=seed
    ).iloc[0]
    for name in ("t", "studentized")
)
depends = both and bool(by_student["high"] < 0 < by_bootstrap["high"])

# %%
ends = ["{:.3f} to {:.3f}".format(*each[["low", "high"]]).replace("-", "−") for each in (by_bootstrap, by_student)]
includes = f"The {chapter.percent(confidence)} interval of the published difference includes zero by the symmetric bootstrap-t ({ends[0]}), but not by Student's t ({ends[1]}). "

# %% [markdown]
# {eval}`"On average, target encoding scores higher in our runs, and lower in the published ones. " + includes * depends if both else f"On average, the score of target encoding minus that of one-hot encoding is {chapter.beside_recorded(gap, 'difference_once')}. "`More datasets cannot settle this, so we make the two benchmarks more alike ([Figure 2](#figure-gap)):
#
# - **Models and tunings.** We keep those that both benchmarks have.
# - **Scaling.** Our runs scale all columns to the same spread, so rare categories count as much as frequent ones. The published code scales only the numeric columns. We ran our untuned models once more in this way.
# - **Formula.** The two target encodings differ: ours smooths the means of rare categories, the published one does not. Both benchmarks also have a *cross-fitted* version: in training, the mean for a row comes from other rows, so it does not give the row's outcome away.

# %%
both_have = "model in ['DTC', 'KNC', 'LR', 'SVC'] and (tuning == 'no' or tuning == 'model' and model != 'SVC')"
shared = {name: table.query(both_have) for name, table in tables.items()}
untuned = {name: table[table["tuning"] == "no"] for name, table in shared.items()}
rescaled = untuned | {chapter.OWN: gx.datasets.load_encoders_unscaled()}
crossed = {name: each.query("encoder != 'TE'").replace({"encoder": {"CV5TE": "TE"}}) for name, each in rescaled.items()}
steps = {
    "as they were run": gap,
    "same models and tunings": chapter.compare(shared, confidence, seed, once=True),
    "same models, untuned": chapter.compare(untuned, confidence, seed, once=True),
    "untuned, same scaling": chapter.compare(rescaled, confidence, seed, once=True),
    "same scaling, cross-fitted": chapter.compare(crossed, confidence, seed, once=True),
}
gaps = pd.concat(steps)

# %%
plain, cross_fitted = (
    -steps[each]["estimate"].iloc[-1] for each in ("untuned, same scaling", "same scaling, cross-fitted")
)
assert not both or 0 < cross_fitted < 0.4 * plain
# %%
chapter.show_gaps(gaps, confidence)

# %% [markdown]
# With the published scaling, the lead of target encoding in our runs vanishes on average. {eval}`f"In the published runs, one-hot encoding leads by {plain:.3f} if target encoding is plain, and by {cross_fitted:.3f} if it is cross-fitted." if both else ""` But models differ: with cross-fitting, the difference ranges from {eval}`" in our runs, and from ".join(map(chapter.by_model, crossed.values()))` in {eval}`"the published ones" if both else "our runs"`. From here on, two benchmarks differ only in which datasets they contain.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: More datasets
#
# *Understanding · 5 minutes.* Benchmark A scales all columns, benchmark B only the numeric ones. Both ask whether target encoding beats one-hot encoding. Each has 10,000 datasets,
# drawn at random from one population. Suppose that n\* of this question is 30: two benchmarks of 30 datasets look alike with probability 0.95. Will A and B agree?
#
# - **a** Yes, almost certainly: both have many more datasets than n\*.
# - **b** With probability 0.95: n\* promises this.
# - **c** Not necessarily: n\* is about studies with the same scaling.
# - **d** No: with so many datasets, every difference is significant.
#
# Assign the letter to `answer_1`.

# %% tags=["solution"]
answer_1 = "c"

# %% tags=["check"]
gx.check("02-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** Both benchmarks hold scaling constant, but they scale different columns. More datasets only make each benchmark more certain of its own answer. If both scalings matter to you, vary the scaling, and report an answer for each.

# %% [markdown]
# ## From a table to a study
#
# To count datasets, we have to say what a result is, and when two results look alike. We use {eval}`"the published table, as Matteucci et al. (2025) do" if both else "our own runs"`. Each combination of model, tuning and metric is a *configuration*.

# %%
warnings.simplefilter("ignore", gx.errors.StudyWarning)  # of missing evaluations, which share the worst tier
roles = {
    "alternatives": "encoder",
    "target": "cv_score",
    "generalize_over": "dataset",
    "design": ["model", "tuning", "scoring"],
    "higher_is_better": True,
    "missing": "worst-rank",
}
study = gx.Study(results, **roles)
sizes = study.accounting

# %% [markdown]
# There are {eval}`len(sizes)` configurations, with {eval}`chapter.span(sizes.n_experiments, "{:.0f}")` datasets each. One *experiment* ranks all {eval}`results["encoder"].nunique()` encoders on one dataset, in *tiers*: tier 0 contains the best one, or several if they tie. An encoder without a score shares the worst tier, as in Matteucci et al. (2025), *the paper*.

# %% [markdown]
# A *kernel* is a question, written as the similarity of two results:
#
# - **Borda** compares the rank of one encoder, here {eval}`alternative`.
# - **Jaccard** compares the winners. Jaccard({eval}`k`) counts the encoders in {eval}`"tier 0" if k == 1 else f"the first {k} tiers"` as winners. If two benchmarks look alike by Jaccard, they find *similar shares of wins*.
# - **Mallows** compares the order of all encoders.
# - **RBF** (radial basis function) compares the scores themselves: the similarity shrinks as they differ.

# %%
kernels = [gx.BordaKernel(alternative), gx.JaccardKernel(k), gx.MallowsKernel(), gx.RBFKernel()]
n_encoders = results["encoder"].nunique()
firsts = [study.rankings(each) == 0 for each in study.configurations]
largest = [first.div(first.sum(axis=1), axis=0).mean().max() for first in firsts]  # ties split
coarse = delta**0.5 > np.median(largest)

# %% [markdown]
# Two benchmarks *look alike* if the distance between their results (the [MMD](../docs/vocabulary.md#mmd)) is at most a threshold. We choose a tolerance δ = {eval}`chapter.as_written(delta)`; the threshold follows. For Jaccard, for example, one encoder's share of wins may be larger by √δ = {eval}`f"{delta**0.5:.2f}"` in one of them, if another encoder loses as much (and each dataset has one winner). {eval}`"This is wide: if" if coarse else "If"` ties are divided among the winners, the most frequent winner of a configuration takes {eval}`f"{100 * min(largest):.0f} to {100 * max(largest):.0f}"` % of the datasets.
#
# <details><summary>What δ allows</summary>
#
# The tolerance δ says how much two benchmarks of *one* dataset each may differ. For Borda, δ = {eval}`chapter.as_written(delta)` lets the encoder move by this share of the list, which is {eval}`f"{delta * n_encoders:.1f}"` places. For Jaccard, the similarity of two sets of winners is the number that they share, divided by the number that win in either. With δ, a similarity of 1 − δ is enough. For Mallows, δ is the share of pairs of encoders that may change their order. For RBF, it is the mean squared difference of the scores, as in the authors' code.
#
# For larger benchmarks, the MMD compares how often each result occurs. If one encoder's share of wins is larger by *d*, and another's is smaller by *d*, the squared MMD is *d*² + *d*². The squared threshold is 2δ, because two single datasets with similarity 1 − δ have a squared MMD of 1 + 1 − 2(1 − δ). So *d* may be at most √δ.
#
# </details>

# %%
needed = study.nstar(kernels, alpha, delta, confidence=confidence)
winners = needed[needed["kernel"] == kernels[1].name]
configuration = configuration or winners.loc[winners["nstar"].idxmax(), study.design].to_dict()
rankings = study.rankings(configuration)

# %% [markdown]
# We look for n\*, the smallest number of datasets with which two benchmarks look alike with probability α = {eval}`chapter.as_written(alpha)`. The paper draws pairs of small sets, and extrapolates. [Our method](11_methods.ipynb) computes how the distance is distributed, and gives an [interval](04_preliminary_experiments.ipynb).

# %%
gram = kernels[1].gram(rankings)
epsilon = kernels[1].epsilon(delta, rankings.shape[1])
law = gx.generalization.power_law(gram, alpha, epsilon, rng=seed)
moments = gx.estimate_nstar(gram, alpha, epsilon, confidence=confidence)
chapter.show_power_law(law, moments.estimate, f"{kernels[1].name}, {chapter.in_words(configuration)}")

# %% [markdown]
# ## Which configurations need more datasets, and how many?
#
# [Figure 1](#figure-answer) compares the interval of n\* with the number of datasets that were run.

# %%
planned = gx.plan(winners)
verdicts = planned["verdict"].value_counts().reindex(["enough", "undecided", "more needed"], fill_value=0)
sources = gx.datasets.with_source_tables(results)
by_source = gx.Study(sources, **roles, cluster="table").nstar(kernels[1], alpha, delta, confidence=confidence)
planned_once = gx.plan(by_source)

# %%
estimates = chapter.span(np.ceil(planned["nstar"]), "{:.0f}")  # n* counts whole datasets
most, reach = np.ceil(planned[["nstar", "high"]].max())
more_run = planned["n_experiments"] > planned["nstar"].max()
by_size = [chapter.how_many_enough(part) for part in (planned[more_run], planned[~more_run]) if len(part)]
once = planned_once["verdict"].value_counts()
changes = [f"{once.get(each, 0)} (instead of {verdicts[each]})" for each in ("enough", "more needed")]
assert planned_once["nstar"].median() < planned["nstar"].median()

# %%
fewer_run = planned[~more_run]
sizes = [chapter.span(planned.loc[part, "n_experiments"], "{:.0f}") for part in (more_run, ~more_run) if part.any()]
leave_open = (fewer_run["verdict"] == "undecided").mean() > 0.5 and by_size[0].startswith("All")
title = f"{sizes[0]} datasets are enough, {sizes[-1]} often leave it open." if leave_open else by_size[0]

# %% tags=["hero"]
chapter.show_plan(planned, verdicts, title)

# %%
epsilon_1 = gx.JaccardKernel(1).epsilon(delta, n_encoders)
nstar_if_all = gx.generalization.definition(np.eye(n_encoders), alpha, epsilon_1, rng=seed)  # win equally often
little = abs(np.log(planned["nstar"] / nstar_if_all)).max() < 0.25

# %% [markdown]
# The estimates of n\* are {eval}`estimates` datasets. {eval}`f"These numbers say little about the encoders: even if all {n_encoders} won equally often, {nstar_if_all:.0f} datasets would be needed." if little else ""` {eval}`" ".join(by_size[1:])`
#
# n\* counts *independent* datasets, but {eval}`"some are related: three come from one competition (KDD Cup 2009)" if both else "many of ours are related, because we made them from the same table"`. If each of the {eval}`sources["table"].nunique()` sources (tables or competitions) counts as one experiment, there are enough for {eval}`" configurations, and too few for ".join(changes)`.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: Enough?
#
# *Understanding · 5 minutes.* A benchmark has 30 datasets in each of four configurations. Their estimates of n\*, with intervals, are 12 [9, 29.8], 22 [15, 38], 28 [24, 30.4] and 34 [31, 60]. Assign the list of four verdicts to `answer_2`: `"enough"`, `"undecided"` or `"more needed"`.

# %% tags=["solution"]
estimates_of_four = pd.DataFrame(
    {"n_experiments": 30, "nstar": [12, 22, 28, 34], "low": [9, 15, 24, 31], "high": [29.8, 38, 30.4, 60]}
)
answer_2 = gx.plan(estimates_of_four)["verdict"]

# %% tags=["check"]
gx.check("02-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The verdict is "enough" if no part of the interval lies above 30, and "more needed" if the whole interval lies above 30. Otherwise the data do not say, whatever the estimate is.

# %% [markdown]
# ## What you ask, and how strictly

# %%
alphas = sorted({0.7, 0.8, 0.9, 0.95, 0.99, alpha})
deltas = sorted({0.01, 0.05, 0.1, 0.2, 0.3, delta})
nstar = study.nstar(kernels, alpha=alphas, delta=deltas)
medians = needed.groupby("kernel")["nstar"].median().sort_values()
of_winners = nstar[nstar["kernel"] == kernels[1].name].groupby(["alpha", "delta"])["nstar"]
strict, mild = (of_winners.get_group((alpha, each)) for each in (min(deltas), max(deltas)))
ratio = of_winners.max() / of_winners.min()  # of configurations
spread = study.scores(configuration, impute=True).mean(axis=1).std()
assert spread < delta**0.5
chapter.show_overview(nstar, medians, alpha, delta)

# %% [markdown]
# {eval}`medians.index[-1]` takes the most datasets, {eval}`medians.index[0]` the fewest (medians). With a smaller δ, every n\* grows: with δ = {eval}`chapter.as_written(max(deltas))`, n\* of {eval}`kernels[1].name` is {eval}`chapter.span(np.ceil(mild), "{:.0f}")`, with {eval}`chapter.as_written(min(deltas))` (√δ = {eval}`f"{min(deltas) ** 0.5:.2f}"`) it is {eval}`chapter.span(np.ceil(strict), "{:.0f}")`. For each δ, the most demanding configuration needs {eval}`chapter.span(ratio[alpha], "{:.1f}")` times as many datasets as the least demanding. With α = {eval}`chapter.as_written(max(alphas))`, it needs {eval}`f"{ratio[max(alphas), delta]:.1f}"` times as many.
#
# <details><summary>Are the scores similar, because n* of RBF is small?</summary>
#
# The paper takes this as a hint that they are. But with δ = {eval}`chapter.as_written(delta)`, every score may be {eval}`f"{delta**0.5:.2f}"` (√δ) higher in one benchmark than in the other. The mean scores of datasets vary less than that: in the configuration of Figure 3, their standard deviation is {eval}`f"{spread:.2f}"`.
#
# </details>

# %% [markdown] tags=["exercise"]
# ### Exercise 3: The best one, or the best three?
#
# *Application · 10 minutes.* In the cell for your answer, `own` is a study of our own untuned runs, scored by AUC. Is n\* of logistic regression (`"LR"`) larger for Jaccard with $k = 1$ or with $k = 3$? Guess first. Then estimate both, with the default α and δ. Assign the list of the two numbers, to one decimal, to `answer_3`.

# %% tags=["solution"]
own_runs = gx.datasets.load_encoders("bundled").query("tuning == 'no' and scoring == 'AUC'")
own_roles = {"alternatives": "encoder", "target": "cv_score", "generalize_over": "dataset", "design": ["model"]}
own_roles |= {"higher_is_better": True, "missing": "worst-rank"}
own = gx.Study(own_runs, **own_roles)
### BEGIN SOLUTION
of_own = own.nstar([gx.JaccardKernel(1), gx.JaccardKernel(3)])
answer_3 = of_own.loc[of_own["model"] == "LR", "nstar"]
### END SOLUTION

# %% tags=["check"]
gx.check("02-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** For $k = 1$, most pairs of datasets have no winner in common, and the kernel is 0. For $k = 3$, the sets of winners are larger and often share an encoder: `gx.JaccardKernel(3).gram(own.rankings({"model": "LR"}))` has fewer zeros. Results that are more similar scatter less around their mean, so fewer datasets are enough.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Whose rank is hardest to pin down?
#
# *Application · 10 minutes.* Take logistic regression again. Which encoder's rank (Borda) has the largest n\* in our runs? Guess first: one-hot (OHE), ordinal (OE), target (TE) or binary encoding (BE)? Then assign its name to `answer_4`.

# %% tags=["solution"]
positions = own.nstar([gx.BordaKernel(encoder) for encoder in own.alternatives])
positions = positions[positions["model"] == "LR"].set_index("kernel")["nstar"]
answer_4 = positions.idxmax().removeprefix("Borda(").removesuffix(")")

# %% tags=["check"]
gx.check("02-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** n\* depends on how much the rank varies, not on its mean. The tiers of ordinal encoding (OE) have the largest standard deviation, as `own.rankings({"model": "LR"}).std()` shows. (OE numbers the categories in an arbitrary order, and a linear model takes these numbers at face value.)

# %% [markdown]
# ## Published numbers and ours
#
# The two versions of the paper print n\* of Jaccard(1) for two configurations each. Both say that fewer than ten datasets are enough for all questions about rankings if α is 0.7 or δ is 0.3. We agree, except for Jaccard(1) at α = 0.7, where the authors' own method gives more, too.

# %%
chapter.show_printed(study, nstar, both, confidence, seed)
of_47 = next(of for of in chapter.shared.recorded_numbers()["02_encoders"] if of["published"] == 47)

# %% [markdown]
# Three of the paper's four n\* lie in our intervals. The fourth is 47 (logistic regression with full tuning, scored by F1). It lies above our interval ({eval}`f"{of_47['low']:.0f} to {of_47['high']:.0f}"`). The paper compares its estimates with 30 datasets. We compare intervals, so we confirm one of its four verdicts (boosted trees have enough datasets), and leave three open.
#
# The paper computed 47 from twenty of the 30 datasets, drawn *with replacement*: the [authors' notebook](https://github.com/DrCohomology/genexpy) prints 46.6. It is the largest of their 48 estimates. To see how such estimates scatter, we draw twenty again and again, with their method and 200 repetitions.

# %%
looked_at = chapter.closest(configuration, study)
tiers = study.rankings(looked_at)
gram = gx.JaccardKernel(k=1).gram(tiers)
epsilon = gx.JaccardKernel(k=1).epsilon(0.05, tiers.shape[1])
draws = gx.generalization.redrawn_estimates(gram, 20, 0.95, epsilon, n_studies=500, rng=seed)
theirs_of_ten, ours_of_ten = (
    gx.generalization.redrawn_estimates(gram, 10, 0.95, epsilon, n_studies=500, method=each, rng=seed)
    for each in ("resampling", "moments")
)
everything, moments_of_all = (
    gx.estimate_nstar(gram, 0.95, epsilon, each, rng=seed).estimate for each in ("resampling", "moments")
)
chapter.show_draws(draws, everything, looked_at)

# %% [markdown]
# Of these estimates from twenty datasets, {eval}`chapter.percent((draws >= 47).mean())` are 47 or more, and 90 % are {eval}`chapter.ends(draws)`.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: What are related datasets worth?
#
# *Project · 30 minutes.* `gx.datasets.with_source_tables(own_runs)` names the table that each dataset was made from, in the column `table`. Make a second study with one dataset from each table, the first in alphabetical order. How many of the five configurations have enough datasets for Jaccard with $k = 1$, first in `own` from Exercise 3, then in the second study? Assign the list of the two counts to `answer_5`. What would you report?

# %% tags=["solution"]
with_tables = gx.datasets.with_source_tables(own_runs)
one_of_each = with_tables.sort_values("dataset").drop_duplicates("table")["dataset"]
fewer = gx.Study(own_runs[own_runs["dataset"].isin(one_of_each)], **own_roles)
planned_both = [gx.plan(each.nstar(gx.JaccardKernel(1))) for each in (own, fewer)]
answer_5 = [int((each["verdict"] == "enough").sum()) for each in planned_both]

# %% tags=["check"]
gx.check("02-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** The estimates of n\* hardly change. But the number of datasets falls from 56 to 23, so the verdict changes from "enough" to "more needed" in all five configurations. The 56 datasets are probably worth something between 23 and 56 *independent* ones. Notebook 10 estimates this number with `study.design_effect`.

# %%
chapter.check_results(gaps, study, draws)
chapter.keep_key_numbers(planned, verdicts, medians, gap)

# %%
assert not depends or 0.4 < lead.iloc[:2].sum() / lead.sum() < 0.5
in_published = f"In the published runs, one-hot encoding scores higher on {(lead < 0).sum()} of the {len(lead)} sources (tables, competitions). Two of these make up nearly half of the difference."
theirs = gap.iloc[1] if both else pd.Series(chapter.shared.recorded_numbers()["difference_once"])
more, less = (f"{abs(each):.3f}" for each in (gap.iloc[0]["estimate"], theirs["estimate"]))

# %% [markdown] tags=["findings"]
# - **With {eval}`f"{most:.0f}"` datasets each, two benchmarks roughly agree on how often each encoder wins.** For example, one encoder's share of wins may be up to {eval}`f"{100 * delta**0.5:.0f}"` percentage points larger in one benchmark, if another encoder loses as much. For agreement within {eval}`f"{100 * min(deltas) ** 0.5:.0f}"` points, they need about {eval}`f"{np.ceil(strict.max()):.0f}"` datasets. So decide first how closely benchmarks should agree. *Two such benchmarks agree this closely in {eval}`chapter.percent(alpha)` of the cases. Both numbers are for the most demanding of {eval}`len(planned)` combinations of model, tuning and metric. {eval}`f"If all encoders won equally often, the first would be {nstar_if_all:.0f}. " if little else ""`They need not name the same best encoder.*
# - **Whether target encoding beats one-hot encoding can depend on preprocessing.** Target encoding scores {eval}`more` higher in our runs, and {eval}`less` lower in the published ones. With the published scaling, and with target encoding *cross-fitted* (the mean for a row comes from other rows), neither encoder leads clearly on average over models{eval}`"" if both else " in our runs"`. *Scores are means over models, tunings and metrics; the last comparison is of untuned models. {eval}`in_published if depends else chapter.sides_of_zero(gap)`*
# - **With the method of Matteucci et al. (2025), ten datasets are too few to say how many you need.** Its estimates from ten datasets range from {eval}`chapter.ends(theirs_of_ten)`. The estimates of our method from the same datasets range from {eval}`chapter.ends(ours_of_ten)`. *Each time, we draw ten of {eval}`len(tiers)` datasets with replacement. From all, both methods give {eval}`chapter.span([everything, moments_of_all], "{:.0f}")`. Ranges contain 90 % of {eval}`len(draws)` estimates for {eval}`chapter.in_words(looked_at)`, with their method as we implemented it.*

# %% [markdown]
# ## Summary
#
# Decide first how closely benchmarks should agree, and what they should vary. Then count datasets.

# %% [markdown]
# ## Further reading
#
# - [Matteucci et al., 2023, *A benchmark of categorical encoders for binary classification*](https://openreview.net/forum?id=YJ4ioRbxNb): the benchmark analysed here.
# - [Gretton et al., 2012, *A Kernel Two-Sample Test*](https://jmlr.org/papers/v13/gretton12a.html): the MMD, with which we compare two studies.
