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
# Suppose you compared many ways of encoding categories on a few dozen datasets, and one of them came out on top. A colleague repeats the comparison on other datasets. Will she find the same?
#
# In this notebook you estimate how many datasets it takes for two such benchmarks to look alike. Before that, you will see two benchmarks disagree, and why more datasets alone need not settle it.
#
# **You will learn** how to describe a benchmark as a study; how many datasets make two benchmarks agree, and how uncertain that number is; and what more datasets cannot settle.
#
# **You need** notebook 01 for the definitions (study, kernel, MMD, n\*), and to know what a quantile is.
#
# **Time** 15 minutes to read, 75 with the exercises.

# %% tags=["parameters"]
source: str = "auto"  # results table: original (published), bundled (this project's own runs), or auto
alternative: str = "OHE"  # encoder whose rank the Borda question asks about
k: int = 1  # how many top tiers the Jaccard question looks at
alpha: float = 0.95  # probability with which two benchmarks should look alike, in (0, 1)
delta: float = 0.05  # how different two benchmarks may be and still look alike, in (0, 1]
confidence: float = 0.95  # of the intervals, in (0, 1)
configuration: dict = {}  # levels of model, tuning and scoring to look at closely; empty: the one that needs most
seed: int = 0  # seed of everything random

# %%
import warnings

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import encoders as chapter

gx.plots.use_style()
results = gx.datasets.load_encoders(source)
gx.datasets.notice(results)

# %%
rows = results[results["encoder"].isin(["TE", "OHE"])].drop(columns="time").sample(4, random_state=1)
heads = {"scoring": "metric", "cv_score": "score"}
chapter.show_table(
    rows, "rows", "Four rows of the table: what an encoder with a model scores on a dataset.", heads, {"cv_score": 3}
)

# %% [markdown]
# Each row is one evaluation: an encoder followed by a model, trained and scored on one dataset by cross-validation. Tuning is *no* (default settings), *model* (first the data are encoded, then the model is tuned) or *full* (encoder and model are tuned together). There are {eval}`results["encoder"].nunique()` encoders and {eval}`results["dataset"].nunique()` datasets.

# %% [markdown]
# ## The same question on two tables
#
# Is target encoding (TE) better than one-hot encoding (OHE)? Target encoding replaces a category by the mean outcome of its rows. One-hot encoding gives each category a column. We ask the benchmark that Matteucci et al. (2023) published, and one that we ran ourselves.

# %%
ours = gx.datasets.load_encoders("bundled")
tables = chapter.tables_to_ask(results, ours)
gap = chapter.compare(tables, confidence, seed)
of_files = gx.datasets.with_source_tables(ours).drop(columns="dataset").rename(columns={"table": "dataset"})
of_files = of_files.groupby(["dataset", "encoder", "model", "tuning", "scoring"], as_index=False)["cv_score"].mean()
by_file = chapter.compare({"our files": of_files}, confidence, seed)

# %% [markdown]
# We average over models, tunings and metrics, wherever both encoders have a score, so that each dataset gives one difference: target encoding minus one-hot encoding. Its mean over datasets is {eval}`chapter.beside_recorded(gap)`. In brackets are {eval}`chapter.percent(confidence)` intervals: they say how far the
# mean might move with other datasets of the same kind. {eval}`chapter.sides_of_zero(gap)` Our {eval}`int(gap["n_datasets"].iloc[0])` datasets were cut from only {eval}`int(by_file["n_datasets"].iloc[0])` data files, so some are related. With one mean per file, our difference is {eval}`chapter.each(by_file).removesuffix(" on our files")`. All other intervals on this page count datasets, so those of our runs are too narrow.
#
# The two benchmarks use the same four metrics, but hold different things constant. Two of these we can make equal:
#
# - **Models and tunings.** Both have a decision tree (DTC), nearest neighbours (KNC), logistic regression (LR) and support vectors (SVC), which we keep, the last one untuned. Only our runs include naive Bayes, and only the published ones include boosted trees (LGBMC) and *full* tuning.
# - **Scaling.** Our runs scale all columns to the same spread, so the column of a rare category counts as much as that of a frequent one. The published code scales only the numeric columns, so we ran our datasets once more like that, without tuning.

# %%
both_have = "model in ['DTC', 'KNC', 'LR', 'SVC'] and (tuning == 'no' or tuning == 'model' and model != 'SVC')"
shared = {name: table.query(both_have) for name, table in tables.items()}
untuned = {name: table[table["tuning"] == "no"] for name, table in shared.items()}
rescaled = untuned | {chapter.OWN: gx.datasets.load_encoders_unscaled()}
steps = {
    "as they were run": gap,
    "same models and tunings": chapter.compare(shared, confidence, seed),
    "of these, untuned": chapter.compare(untuned, confidence, seed),
    "untuned and scaled alike": chapter.compare(rescaled, confidence, seed),
}
gaps = pd.concat(steps)
on_ours = gaps.xs(chapter.OWN, level=1)
both = chapter.is_published(results)
the_gap = "gap between the two benchmarks" if both else "difference on our own runs"

# %%
chapter.show_gaps(gaps, confidence)

# %% [markdown]
# The {eval}`the_gap` is {eval}`chapter.how_far_apart(tables, confidence)` at first. With the models and tunings that both have it is smaller by {eval}`chapter.how_far_apart(tables, confidence, shared)`. Scaling could only be tested without tuning: there it falls from
# {eval}`chapter.how_far_apart(untuned, confidence)` to {eval}`chapter.how_far_apart(rescaled, confidence)`, by {eval}`chapter.how_far_apart(untuned, confidence, rescaled)`.
# So scaling is one of the reasons. {eval}`"We cannot explain what remains. It may be the datasets. The published table names them only by a number, and the numbers look like those of OpenML, a public collection; we have not run these datasets." if both else ""`

# %% [markdown]
# **What to remember.** A benchmark that holds the scaling constant does so for *all* its datasets, so more datasets cannot average its effect out. From here on we compare benchmarks that draw the *same kind* of datasets
# and keep everything else the same.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: More datasets
#
# *Understanding · 5 minutes.* Two benchmarks ask whether target encoding beats one-hot encoding. Benchmark A standardizes all columns, benchmark B the numeric ones only. Each has 10,000 datasets, drawn from
# the same population, and n\* for its question is about 30. Will they agree?
#
# - **a** Yes, nearly surely: both have many more datasets than n\*.
# - **b** With probability 0.95: that is what n\* promises.
# - **c** Not necessarily: n\* compares studies that keep the scaling, and these two do not.
# - **d** No: with so many datasets every difference becomes significant, so benchmarks never agree.
#
# Assign the letter to `answer_1`.

# %% tags=["solution"]
answer_1 = "c"

# %% tags=["check"]
gx.check("02-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** Each benchmark holds scaling constant, but at a different level. It shifts the results of *all* datasets, so more of them only make each benchmark more certain of its own answer. This is one of the differences between the two tables at the beginning. If you want an answer for both scalings, vary the scaling: report one answer for each, or treat it as datasets are treated, and report one answer for all.

# %% [markdown]
# ## From a table to a study
#
# From here on we use {eval}`"the published table" if both else "the table of our own runs"`. (Exercises 3 to 5 use our own runs.) A [study](../docs/vocabulary.md) gives each of its columns a role. The encoders are the *alternatives*, which we compare. Models, tunings and metrics are *design* factors: each combination of them is a *configuration*, with a separate answer.
# The datasets are a sample, and conclusions should hold for datasets that nobody has tried yet. One *experiment* evaluates all encoders on one dataset.

# %%
warnings.simplefilter("ignore", gx.errors.StudyWarning)  # of missing evaluations, which are counted below
study = gx.Study(
    results,
    alternatives="encoder",
    target="cv_score",
    generalize_over="dataset",
    design=["model", "tuning", "scoring"],
    higher_is_better=True,
    missing="worst-rank",
)
sizes = study.accounting

# %% [markdown]
# Not every model was run with every tuning: the study has {eval}`len(sizes)` configurations of {eval}`chapter.span(sizes.n_experiments, "{:.0f}")` datasets each. {eval}`chapter.where_fewer(sizes)`
#
# The result of an experiment is a ranking in *tiers*: tier 0 contains the encoder with the best score, or several with the same score. An encoder without a score on a dataset, because it crashed or took too long, shares the worst tier there, as in Matteucci et al. (2025), from here on *the paper*.
# No score is there for {eval}`chapter.percent(sizes.n_imputed.sum() / (sizes.n_imputed + sizes.n_evaluations).sum(), 1)` of the evaluations.

# %% [markdown]
# ## Four questions
#
# Whether two results agree depends on what you ask. A *kernel* is a question, written as the similarity of two results:
#
# - **Borda** compares the rank of one encoder, here {eval}`alternative`.
# - **Jaccard** compares the winners: how many winners both results share, divided by how many either has. Jaccard({eval}`k`) counts {eval}`"tier 0" if k == 1 else f"the first {k} tiers"` as winners. If two benchmarks agree by Jaccard, we say that they find *similar shares of wins*.
# - **Mallows** compares the order of all encoders.
# - **RBF** compares the scores themselves, by the mean of their squared differences. (It is named after the radial basis function, a bell-shaped curve.)

# %%
kernels = [gx.BordaKernel(alternative), gx.JaccardKernel(k), gx.MallowsKernel(), gx.RBFKernel()]
n_encoders = results["encoder"].nunique()
last_on = gx.BordaKernel(alternative).epsilon(delta, n_encoders) / (2 * (1 - np.exp(1 / n_encoders - 1))) ** 0.5

# %% [markdown]
# Two benchmarks agree if the distance of their results, the MMD, is at most a threshold ε. It follows from the tolerance δ, which says what may differ between two benchmarks of *one* dataset each. For Borda {eval}`chapter.as_written(delta)` allows the encoder to move by this share of the list, {eval}`f"{delta * n_encoders:.1f}"` places. For Mallows it is the share of the pairs in another order, and for RBF the mean squared difference of scores, as in the authors' code.
#
# Larger benchmarks are compared by how often each result occurs, and then δ is generous. For Borda, {eval}`alternative` may be first everywhere in one benchmark, and last on {eval}`chapter.percent(last_on)` of the datasets in the other. For Jaccard, suppose that in the second benchmark one encoder wins on a larger share of the datasets, and another on a smaller one, each by *d*. If no dataset has two winners, the squared MMD is *d*² + *d*², and the squared threshold is 2δ. So the benchmarks agree as long as *d* is at most √δ, here {eval}`f"{100 * delta**0.5:.0f}"` percentage points.

# %% [markdown]
# ## One configuration, step by step
#
# We now estimate n\*, the smallest number of datasets with which two benchmarks agree with probability {eval}`chapter.as_written(alpha)`. We look closely at one configuration, by default the one that needs the most.

# %%
needed = study.nstar(kernels, alpha, delta, confidence=confidence)
winners = needed[needed["kernel"] == kernels[1].name]
most = winners.loc[winners["nstar"].idxmax()]
configuration = configuration or most[study.design].to_dict()
rankings = study.rankings(configuration)
largest = (rankings == 0).mean().max()

# %% [markdown]
# This is {eval}`chapter.named(configuration)`. The rank of an encoder depends on the dataset: no encoder is in tier 0 on more than {eval}`chapter.percent(largest)` of them. So another sample of datasets gives other rankings. (By Jaccard(1) two benchmarks may agree although this share is {eval}`chapter.percent(largest)` in one and {eval}`chapter.percent(max(largest - delta**0.5, 0))` in the other: that is what δ allows.)
#
# The paper's method draws two separate sets of n datasets at random, computes the distance of their results, and repeats. A share α of these distances is at most some number, the α-quantile, which shrinks as n grows. On logarithmic axes the quantiles lie near a straight line (a power law). Followed to the threshold ε, the line gives n\*.

# %%
gram = kernels[1].gram(rankings)
epsilon = kernels[1].epsilon(delta, rankings.shape[1])
law = gx.generalization.power_law(gram, alpha, epsilon, rng=seed)
moments = gx.estimate_nstar(gram, alpha, epsilon, confidence=confidence)
chapter.show_power_law(law, moments.estimate)

# %% [markdown]
# Two separate sets hold at most half of the datasets each, so this method must extrapolate. It gives no interval. Our default uses all datasets and draws nothing at random. It computes mean, variance and skewness of the squared distance, which are called its *moments*; notebook 11 derives it, and notebook 04 measures how often its interval covers
# the true value. Both estimates are in the figure. By moments n\* is {eval}`f"{moments.estimate:.1f}"`, with the {eval}`chapter.percent(confidence)` interval {eval}`f"{moments.low:.1f} to {moments.high:.1f}"`, and {eval}`moments.n_experiments` datasets were run.
#
# **Enough for what?** n\* asks whether two benchmarks have similar distributions of results. These can be similar even if nearly every dataset has a different winner. So n\* does not say which encoder is best, nor how likely two benchmarks are to name the
# same one. These questions are answered in notebook 09, for your own table, and in notebook 10.

# %% [markdown]
# ## Which configurations need more datasets, and how many?
#
# A configuration has *enough* datasets if no part of its interval lies above the number that was run, and needs *more* if the whole interval does. In between it is *undecided*.
#
# n\* counts *independent* datasets. Whether those of the published table are independent we do not know. Those that are cut from one data file, as in our own runs, count for less, and then *enough* can turn into *more needed*. Exercise 5 counts them both ways.

# %%
planned = gx.plan(winners)
verdicts = planned["verdict"].value_counts().reindex(["enough", "undecided", "more needed"], fill_value=0)
estimates = chapter.span(planned["nstar"], "{:.1f}")
ran_more = planned["n_experiments"] > planned["nstar"].max()
enough, others = (planned["verdict"] == "enough")[ran_more], (planned["verdict"] == "enough")[~ran_more]
epsilon_1 = gx.JaccardKernel(1).epsilon(delta, n_encoders)
invented = {"two": [0.5, 0.5], "all": np.full(n_encoders, 1 / n_encoders), "one": [0.9, 0.1]}  # shares of wins
nstar_of = {
    name: gx.generalization.definition(np.eye(len(shares)), alpha, epsilon_1, shares, rng=seed)
    for name, shares in invented.items()
}

# %% tags=["hero"]
chapter.show_plan(planned, verdicts, alpha, delta, confidence)

# %% [markdown]
# For similar shares of wins the verdict is *enough* for {eval}`int(verdicts["enough"])` of {eval}`len(planned)` configurations, *undecided* for {eval}`int(verdicts["undecided"])` and *more needed* for {eval}`int(verdicts["more needed"])`. Each interval is for one configuration alone, so among {eval}`len(planned)` some verdicts may be wrong by chance.
#
# All estimates lie close together: {eval}`estimates`. So the verdict depends on how many datasets were run. It is *enough* for {eval}`int(enough.sum())` of the {eval}`len(enough)` that ran more datasets than the largest estimate{eval}`f", and for {int(others.sum())} of the other {len(others)}" if len(others) else ""`.
#
# **This number says little about encoders.** If two of them won on half of the datasets each, n\* of Jaccard(1) would be {eval}`f"{nstar_of['two']:.0f}"`. If all {eval}`n_encoders` won equally often, it would be {eval}`f"{nstar_of['all']:.0f}"`. It is much smaller only where one wins nearly always: {eval}`f"{nstar_of['one']:.0f}"` if it wins on 90 % of the datasets, and another one on the rest. (These three are simulated. Each is the smallest number with which two benchmarks agree often enough, and with a few more they may agree less often again.) So read it as a rule of thumb for the size of a benchmark.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: Enough?
#
# *Understanding · 5 minutes.* A benchmark has run 30 datasets in each of four configurations. Their estimates of n\*, with intervals, are 12 [9, 29.8], 22 [15, 38], 28 [24, 30.4] and 34 [31, 60]. What is
# the verdict on each? Assign the list of four words, in this order, each `"enough"`, `"undecided"` or `"more needed"`, to `answer_2`.

# %% tags=["solution"]
estimates_of_four = pd.DataFrame(
    {"n_experiments": 30, "nstar": [12, 22, 28, 34], "low": [9, 15, 24, 31], "high": [29.8, 38, 30.4, 60]}
)
answer_2 = gx.plan(estimates_of_four)["verdict"]

# %% tags=["check"]
gx.check("02-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** Enough: no part of the interval lies above 30. More needed: all of it does. Otherwise the data leave it open, whichever side the estimate is on. "Undecided" is a result, too: it says that this table
# cannot tell, and a few more datasets may.

# %% [markdown]
# ## What you ask, and how strictly
#
# The paper's Figure 3 asks all questions at several strengths. Asking for more agreement (larger α) or more similar results (smaller δ) never takes fewer datasets.

# %%
alphas = sorted({0.7, 0.8, 0.9, 0.95, 0.99, alpha})
deltas = sorted({0.01, 0.05, 0.1, 0.2, 0.3, delta})
nstar = study.nstar(kernels, alpha=alphas, delta=deltas)
medians = needed.groupby("kernel")["nstar"].median().sort_values()
spread = study.scores(configuration, impute=True).mean(axis=1).std()
assert spread < delta**0.5
chapter.show_overview(nstar, medians, alpha, delta)

# %% [markdown]
# At α = {eval}`chapter.as_written(alpha)` and δ = {eval}`chapter.as_written(delta)` the median over configurations ranges from {eval}`f"{medians.iloc[0]:.0f}"` datasets ({eval}`medians.index[0]`) to {eval}`f"{medians.iloc[-1]:.0f}"` ({eval}`medians.index[-1]`).
#
# **And raw scores?** The RBF question takes few datasets, and the paper sees in this a hint that encoders score alike on different datasets. The tolerance is another reason: δ = {eval}`chapter.as_written(delta)` lets all scores differ by √δ, here {eval}`f"{delta**0.5:.2f}"`. For comparison: in {eval}`chapter.named(configuration)` the mean score of a dataset varies with a standard deviation of {eval}`f"{spread:.2f}"`. So the question is easy to answer alike, even if encoders do not score alike.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: The best one, or the best three?
#
# *Application · 10 minutes.* In the cell for your answer, `own` is the study of this project's own runs, which need no network: the untuned models, scored by the area under the ROC curve (AUC). Take logistic regression (`"LR"`). What is n\* for Jaccard with $k = 1$ and with $k = 3$, by the
# default method, at the default $\alpha = 0.95$ and $\delta = 0.05$? Guess first which one is larger. Assign the list of the two numbers, to one decimal, to `answer_3`.

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
# **Why.** For $k = 1$ most pairs of datasets have winners with nothing in common, and the kernel is 0; for $k = 3$ the sets are larger and often share a member. Results that are more alike on average
# scatter less around their mean, so fewer of them suffice, here 28.1 instead of 31.9. A look at `gx.JaccardKernel(3).gram(own.rankings({"model": "LR"}))` shows it: fewer zeros.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Whose rank is hardest to pin down?
#
# *Application · 10 minutes.* Again logistic regression. For each of the 22 encoders estimate n\* for "where does it rank?" (Borda). For which encoder is it largest? Guess first: the best one, a
# mediocre one, the worst one? Assign the name of the encoder to `answer_4`.

# %% tags=["solution"]
positions = own.nstar([gx.BordaKernel(encoder) for encoder in own.alternatives])
positions = positions[positions["model"] == "LR"].set_index("kernel")["nstar"]
answer_4 = positions.idxmax().removeprefix("Borda(").removesuffix(")")

# %% tags=["check"]
gx.check("02-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** What counts is how much the position varies, not where it is on average. Ordinal encoding (OE) is in one of the first three tiers on 20 % of the datasets, and in tier 18 or worse on 43 %: its tiers have the largest
# standard deviation of all encoders, as `own.rankings({"model": "LR"}).std()` shows. (It numbers the categories in an arbitrary order, and a linear model takes these numbers at face value.) A mean in the middle can hide an encoder that is hardly ever there.

# %% [markdown]
# ## Published numbers beside ours
#
# The paper has a first version (2024) and a second (2025). Each names two configurations, for Jaccard(1) with α = 0.95 and δ = 0.05. The second adds that fewer than ten datasets are enough for all questions on rankings if α is 0.7, or δ is 0.3 (the table enters this as 10). The table puts our estimates from the published table beside theirs.

# %%
chapter.show_printed(study, nstar, both, confidence, seed)

# %% [markdown]
# Two published numbers are far from ours. At α = 0.7 Jaccard(1) takes more than ten datasets. And why is the 47 for LR / full / F1 so large? The paper does not say. The authors' code for the second version first draws ten of the datasets, or a multiple of ten, *with replacement*, so some of them count twice and others not at all. We suspect such a draw, and make 500 draws of ten to see how noisy they are.

# %%
looked_at = chapter.closest(configuration, study)
tiers = study.rankings(looked_at)
gram = gx.JaccardKernel(k=1).gram(tiers)
epsilon = gx.JaccardKernel(k=1).epsilon(0.05, tiers.shape[1])
draws = gx.generalization.redrawn_estimates(gram, 10, 0.95, epsilon, n_studies=500, rng=seed)
of_twenty = gx.generalization.redrawn_estimates(gram, 20, 0.95, epsilon, n_studies=500, rng=seed)
everything = gx.estimate_nstar(gram, 0.95, epsilon, "resampling", rng=seed).estimate
chapter.show_draws(draws, everything, looked_at)

# %% [markdown]
# From ten draws of {eval}`chapter.named(looked_at)`, nine of ten estimates lie between {eval}`chapter.ends(draws)`. From all {eval}`len(tiers)` datasets the same method gives {eval}`f"{everything:.1f}"`. The paper prints 47 for LR / full / F1:
# {eval}`chapter.percent((draws >= 47).mean())` of the draws give that or more, and of 500 draws of twenty {eval}`chapter.percent((of_twenty >= 47).mean())`. So never report n\* from a few datasets without an interval.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: What are related datasets worth?
#
# *Project · 30 minutes.* The 56 datasets of our own runs are cut from 23 data files: `gx.datasets.with_source_tables(own_runs)` names the file in the column `table`. Make a second study that keeps one dataset of each file, the first in alphabetical order. For Jaccard with $k = 1$ and all five models: in how many of the five configurations are there enough datasets, with all of them, and with one of each file? Assign the list
# of the two counts to `answer_5`. Then compare the estimates of n\* themselves. What has changed, and what would you report? (`own.design_effect` needs the study with `cluster="table"`; notebook 10 explains it.)

# %% tags=["solution"]
with_tables = gx.datasets.with_source_tables(own_runs)
one_of_each = with_tables.sort_values("dataset").drop_duplicates("table")["dataset"]
fewer = gx.Study(own_runs[own_runs["dataset"].isin(one_of_each)], **own_roles)
planned_both = [gx.plan(each.nstar(gx.JaccardKernel(1))) for each in (own, fewer)]
answer_5 = [int((each["verdict"] == "enough").sum()) for each in planned_both]

# %% tags=["check"]
gx.check("02-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** The estimates of n\* hardly change: they are 32 to 33 with all datasets, and 30 to 33 with one of each file. What changes is the number of datasets, 56 or 23, and with it the verdict: from "enough" in all five
# configurations to "more needed" in all five. n\* counts *independent* datasets, and 56 that were cut from 23 files are not 56 independent ones. The truth may lie between the two: notebook 10 estimates
# how many independent datasets related ones are worth.

# %%
chapter.check_results(nstar, gaps, study, draws)
chapter.keep_key_numbers(planned, verdicts, medians, gap)

# %% [markdown] tags=["findings"]
# - **How many datasets are enough?** Between {eval}`estimates.replace(" to ", " and ")`: the number is nearly the same for all {eval}`len(planned)` combinations of model, tuning and metric. With so many, a second benchmark finds similar shares of wins, but it need not name the same best encoder. If all {eval}`n_encoders` encoders won equally often, the number would be {eval}`f"{nstar_of['all']:.0f}"`, so it says little about them. Enough were run for {eval}`int(verdicts["enough"])` combinations and too few for {eval}`int(verdicts["more needed"])`; {eval}`int(verdicts["undecided"])` are undecided. *Similar with probability {eval}`chapter.as_written(alpha)`; δ = {eval}`chapter.as_written(delta)` lets shares of wins move by {eval}`f"{100 * delta**0.5:.0f}"` percentage points. The verdicts take the datasets as independent.*
# - **A benchmark's answer can depend on what it never varies.** Matteucci et al. (2023) published a benchmark, and we ran another. Target encoding minus one-hot encoding is {eval}`chapter.beside_recorded(gap)`. Our runs scale all columns, the published code only the numeric ones. Without tuning, and with the models that both have, the difference is {eval}`chapter.signed(on_ours.estimate.iloc[2], 3)` on our own runs, and {eval}`chapter.signed(on_ours.estimate.iloc[3], 3)` if we scale as the published code does. {eval}`f"The published table still differs from that by {chapter.how_far_apart(rescaled, confidence)}, and we cannot say why." if both else ""` *{eval}`chapter.percent(confidence)` intervals over datasets, some of ours related; untuned: {eval}`chapter.interval(on_ours.iloc[2])` and {eval}`chapter.interval(on_ours.iloc[3])`.*
# - **Ten datasets, drawn with replacement, were too few here to say how many you need.** Nine of ten estimates lie between {eval}`chapter.ends(draws)`; all {eval}`len(tiers)` datasets give {eval}`f"{everything:.1f}"`. *{eval}`len(draws)` draws of ten, as in the authors' code, for {eval}`chapter.named(looked_at)`, by the published method.*

# %% [markdown]
# ## Summary
#
# - A benchmark is a sample of experiments. Whether its conclusion generalizes depends on the question.
# - n\* says how many experiments two benchmarks need before they look alike. An estimate without an interval says too little.
# - n\* is about benchmarks that draw the same kind of experiments. What a benchmark holds constant can make its conclusion vanish, and no number of datasets shows it.

# %% [markdown]
# ## Further reading
#
# - [Matteucci et al., 2023, *A benchmark of categorical encoders for binary classification*](https://openreview.net/forum?id=YJ4ioRbxNb), NeurIPS, Datasets and Benchmarks Track: the benchmark analysed here, its encoders, datasets and conclusions.
# - [Gretton et al., 2012, *A Kernel Two-Sample Test*](https://jmlr.org/papers/v13/gretton12a.html), Journal of Machine Learning Research 13, 723-773: the MMD, with which two studies are compared.
# - [McGinnis et al., 2018, *Category Encoders: a scikit-learn-contrib package of transformers for encoding categorical data*](https://github.com/scikit-learn-contrib/category_encoders), Journal of Open Source Software 3 (21), 501: the package that most encoders of our own runs come from.
