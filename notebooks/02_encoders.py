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
# Suppose you compared many ways of encoding categories on a few dozen datasets, and one of them came out on top. A colleague repeats the comparison on different datasets. Will she find the same?
#
# First you will see two benchmarks disagree, and why more datasets need not settle that. Then you estimate how many datasets make two such benchmarks look alike.
#
# **You will learn** how to describe a benchmark as a study; how many datasets make two benchmarks look alike, and how uncertain that number is; and what more datasets cannot settle.
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
configuration: dict = {}  # model, tuning and scoring to look at closely; empty: the one that needs most datasets
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
chapter.show_table(rows, "rows", "Four rows of the table of results.", heads, {"cv_score": 3})

# %% [markdown]
# Each row is one evaluation: an encoder and a model are trained and scored on one dataset by cross-validation. Tuning is *no* (default settings), *model* (first the data are encoded, then the model is tuned) or *full* (encoder and model are tuned together). The table has {eval}`results["encoder"].nunique()` encoders and {eval}`results["dataset"].nunique()` datasets.

# %% [markdown]
# ## The same question on two tables
#
# Is target encoding (TE) better than one-hot encoding (OHE)? Target encoding replaces a category by the mean outcome of its rows. One-hot encoding gives each category a column. We ask the benchmark that Matteucci et al. (2023) published, and our own.

# %%
ours = gx.datasets.load_encoders("bundled")
tables = chapter.tables_to_ask(results, ours)
gap = chapter.compare(tables, confidence, seed)
of_files = gx.datasets.with_source_tables(ours).drop(columns="dataset").rename(columns={"table": "dataset"})
of_files = of_files.groupby(["dataset", "encoder", "model", "tuning", "scoring"], as_index=False)["cv_score"].mean()
by_file = chapter.compare({"our files": of_files}, confidence, seed)

# %% [markdown]
# For each dataset, we average the scores over the models, tunings and metrics for which both encoders have a score. Then we subtract the mean of one-hot encoding from that of target encoding. Over the datasets, this difference is on average {eval}`chapter.beside_recorded(gap)`. The {eval}`chapter.percent(confidence)` intervals in brackets say how far the mean might move with other datasets of the same kind. {eval}`chapter.sides_of_zero(gap)` Our {eval}`int(gap["n_datasets"].iloc[0])` datasets were cut from only {eval}`int(by_file["n_datasets"].iloc[0])` data files, so some are related. If each file counts once, our difference is {eval}`chapter.each(by_file).removesuffix(" on our files")`. Except in one plan below, all other intervals on this page treat the datasets as unrelated, so the intervals of our runs are too narrow.
#
# The two benchmarks use the same four metrics, but they hold different things constant. We can make two of these equal:
#
# - **Models and tunings.** We keep the models that both have: decision trees (DTC), nearest neighbours (KNC), logistic regression (LR) and, untuned, support vectors (SVC). Only our runs have naive Bayes. Only the published table has boosted trees (LGBMC) and *full* tuning.
# - **Scaling.** Our runs scale all columns to the same spread, so the column of a rare category counts as much as that of a frequent one. The published code scales only the numeric columns, so we ran our datasets once more, scaling only these and tuning nothing.

# %%
both_have = "model in ['DTC', 'KNC', 'LR', 'SVC'] and (tuning == 'no' or tuning == 'model' and model != 'SVC')"
shared = {name: table.query(both_have) for name, table in tables.items()}
untuned = {name: table[table["tuning"] == "no"] for name, table in shared.items()}
rescaled = untuned | {chapter.OWN: gx.datasets.load_encoders_unscaled()}
steps = {
    "as they were run": gap,
    "same models and tunings": chapter.compare(shared, confidence, seed),
    "same models, untuned": chapter.compare(untuned, confidence, seed),
    "untuned, same columns scaled": chapter.compare(rescaled, confidence, seed),
}
gaps = pd.concat(steps)
both = chapter.is_published(results)
the_gap = "gap between the two benchmarks" if both else "difference on our own runs"

# %%
chapter.show_gaps(gaps, confidence)

# %% [markdown]
# At first, the {eval}`the_gap` is {eval}`chapter.how_far_apart(tables, confidence)`. With the same models and tunings, it is smaller by {eval}`chapter.how_far_apart(tables, confidence, shared)`. We could test scaling only without tuning. There, scaling the same columns lowers it from
# {eval}`chapter.how_far_apart(untuned, confidence)` to {eval}`chapter.how_far_apart(rescaled, confidence)`, by {eval}`chapter.how_far_apart(untuned, confidence, rescaled)`. So scaling is one of the reasons. {eval}`"We cannot explain the rest, but we know more differences. Our runs use at most 800 rows of a table, and some of our categories were made from numbers. Ours scale by mean and standard deviation, theirs by median and quartiles. Our target encoding pulls the means of rare categories towards the overall mean (smoothing 10); theirs does not. And the datasets differ: the published table names them by their OpenML id; we have not run them." if both else ""`

# %% [markdown]
# **What to remember.** A benchmark that holds the scaling constant does so for *all* its datasets, so more datasets cannot average its effect out. From here on we compare benchmarks that draw the *same kind* of datasets
# and keep everything else the same.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: More datasets
#
# *Understanding · 5 minutes.* Two benchmarks ask whether target encoding beats one-hot encoding. Benchmark A standardizes all columns, benchmark B only the numeric ones. Each has 10,000 datasets, drawn from
# the same population, and n\* for its question is about 30. Will they agree?
#
# - **a** Yes, nearly surely: both have many more datasets than n\*.
# - **b** With probability 0.95: that is what n\* promises.
# - **c** Not necessarily: n\* compares studies with the same scaling, and these two differ.
# - **d** No: with so many datasets every difference becomes significant, so benchmarks never agree.
#
# Assign the letter to `answer_1`.

# %% tags=["solution"]
answer_1 = "c"

# %% tags=["check"]
gx.check("02-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** Each benchmark holds scaling constant, but at a different level. Scaling shifts the results of *all* datasets, so more datasets only make each benchmark more certain of its own answer. The two tables at the beginning differ in this way, too. If you want an answer for both scalings, vary the scaling. Report one answer for each, or treat scalings as you treat datasets and report one answer for all.

# %% [markdown]
# ## From a table to a study
#
# From here on we use {eval}`"the published table" if both else "the table of our own runs"`. (Exercises 3 to 5 use our own runs.) A [study](../docs/vocabulary.md) gives each of its columns a role. The encoders are the *alternatives*, which we compare. Models, tunings and metrics are *design* factors: each combination of them is a *configuration*, with a separate answer.
# The datasets are a sample, and conclusions should hold for datasets that nobody has tried yet. One *experiment* evaluates all encoders on one dataset.

# %%
warnings.simplefilter("ignore", gx.errors.StudyWarning)  # of missing evaluations, which are counted below
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
# Not every model was run with every tuning: the study has {eval}`len(sizes)` configurations of {eval}`chapter.span(sizes.n_experiments, "{:.0f}")` datasets each. {eval}`chapter.where_fewer(sizes)`
#
# The result of an experiment is a ranking in *tiers*: tier 0 contains the encoder with the best score, or several if they tie. An encoder may have no score on a dataset, because it crashed or took too long. Then it shares the worst tier, as in Matteucci et al. (2025). (From here on, this is *the paper*.) Scores are missing for {eval}`chapter.percent(sizes.n_imputed.sum() / (sizes.n_imputed + sizes.n_evaluations).sum(), 1)` of the evaluations.

# %% [markdown]
# ## Four questions
#
# Whether two results are similar depends on what you ask. A *kernel* is a question, written as the similarity of two results:
#
# - **Borda** compares the rank of one encoder, here {eval}`alternative`.
# - **Jaccard** compares the winners: it divides the number of common winners by the number of all winners of the two results. Jaccard({eval}`k`) counts {eval}`"tier 0" if k == 1 else f"the first {k} tiers"` as winners. If two benchmarks look alike by Jaccard, we say that they find *similar shares of wins*.
# - **Mallows** compares the order of all encoders.
# - **RBF** compares the scores themselves, by the mean of their squared differences. (It is named after the radial basis function, a bell-shaped curve.)

# %%
kernels = [gx.BordaKernel(alternative), gx.JaccardKernel(k), gx.MallowsKernel(), gx.RBFKernel()]
n_encoders = results["encoder"].nunique()
last_on = gx.BordaKernel(alternative).epsilon(delta, n_encoders) / (2 * (1 - np.exp(1 / n_encoders - 1))) ** 0.5

# %% [markdown]
# Two benchmarks *look alike* if the distance between their results (the MMD) is at most a threshold ε. The threshold follows from the tolerance δ, which says how much two benchmarks of *one* dataset each may differ. For Borda, δ = {eval}`chapter.as_written(delta)` allows the encoder to move by this share of the list, {eval}`f"{delta * n_encoders:.1f}"` places. For Mallows, δ is the share of pairs in a different order. For RBF, it is the mean squared difference of scores, as in the authors' code.
#
# For larger benchmarks, the MMD compares how often each result occurs, and then δ is generous. For Borda, {eval}`alternative` may be first on all datasets of one benchmark, and last on {eval}`chapter.percent(last_on)` of the datasets of the other. For Jaccard, suppose that one encoder's share of wins is larger by *d* in the second benchmark, and another's is smaller by *d*. If no dataset has two winners, the squared MMD is *d*² + *d*², and the squared threshold is 2δ. So the benchmarks look alike as long as *d* is at most √δ, here {eval}`f"{100 * delta**0.5:.0f}"` percentage points.

# %% [markdown]
# ## One configuration, step by step
#
# We now estimate n\*: the smallest number of datasets with which two benchmarks look alike with probability {eval}`chapter.as_written(alpha)`. We look closely at one configuration, by default the one that needs the most datasets.

# %%
needed = study.nstar(kernels, alpha, delta, confidence=confidence)
winners = needed[needed["kernel"] == kernels[1].name]
most = winners.loc[winners["nstar"].idxmax()]
configuration = configuration or most[study.design].to_dict()
rankings = study.rankings(configuration)
largest = (rankings == 0).mean().max()

# %% [markdown]
# This configuration is {eval}`chapter.named(configuration)`. The rank of an encoder depends on the dataset: no encoder is in tier 0 on more than {eval}`chapter.percent(largest)` of the datasets. So another sample of datasets gives different rankings. (Jaccard(1) with this tolerance may still call two benchmarks alike if the share is {eval}`chapter.percent(largest)` in one and {eval}`chapter.percent(max(largest - delta**0.5, 0))` in the other.)
#
# The paper's method draws two disjoint sets of n datasets at random and computes the distance between their results. It does this many times. A share α of these distances is at or below their α-quantile, which shrinks as n grows. On logarithmic axes, the quantiles lie near a straight line (a power law). The method extends the line to the threshold ε and reads off n\*.

# %%
gram = kernels[1].gram(rankings)
epsilon = kernels[1].epsilon(delta, rankings.shape[1])
law = gx.generalization.power_law(gram, alpha, epsilon, rng=seed)
moments = gx.estimate_nstar(gram, alpha, epsilon, confidence=confidence)
chapter.show_power_law(law, moments.estimate)

# %% [markdown]
# Disjoint sets contain at most half of the datasets each, so this method must extrapolate. It gives no interval. Our default method uses all datasets and draws nothing at random. It computes the mean, variance and skewness of the squared distance, which are called its *moments*. (Notebook 11 derives the method, and notebook 04 measures how often its interval covers the true value.) The figure shows both estimates. By moments, n\* is {eval}`f"{moments.estimate:.1f}"` ({eval}`chapter.percent(confidence)` interval {eval}`f"{moments.low:.1f} to {moments.high:.1f}"`). The configuration has {eval}`moments.n_experiments` datasets.
#
# **Enough for what?** n\* asks whether two benchmarks find similar distributions of results. Distributions can be similar even if nearly every dataset has a different winner. So n\* says neither which encoder is best, nor how likely two benchmarks are to name the same one. Notebook 10 answers these questions, and notebook 09 answers them for your own table.

# %% [markdown]
# ## Which configurations need more datasets, and how many?
#
# A configuration has *enough* datasets if its whole interval lies at or below the number that was run, and needs *more* if the whole interval lies above that number. Otherwise it is *undecided*.
#
# n\* counts *independent* datasets, and {eval}`"some of the published datasets are related: three come from one KDD Cup, for instance, and two from one file of IBM" if both else "many of our datasets are related, because they were cut from the same file"`. So we plan twice. In the second plan, related datasets count once: one experiment is a *source*, with all its datasets, and n\* counts such sources.

# %%
planned = gx.plan(winners)
verdicts = planned["verdict"].value_counts().reindex(["enough", "undecided", "more needed"], fill_value=0)
sources = gx.datasets.with_source_tables(results)
by_source = gx.Study(sources, **roles, cluster="table").nstar(kernels[1], alpha, delta, confidence=confidence)
planned_once = gx.plan(by_source)
once = planned_once["verdict"].value_counts().reindex(verdicts.index, fill_value=0)
said, said_once = (
    chapter.together(f"{verdict} for {n if n < len(planned) else 'all'}" for verdict, n in each.items() if n)
    for each in (verdicts, once)
)
estimates = f"{np.floor(planned['nstar'].min()):.0f} to {np.ceil(planned['nstar'].max()):.0f}"
ran_more = planned["n_experiments"] > planned["nstar"].max()
enough, others = (planned["verdict"] == "enough")[ran_more], (planned["verdict"] == "enough")[~ran_more]
assert planned_once["nstar"].median() < planned["nstar"].median()

# %% tags=["hero"]
chapter.show_plan(planned, verdicts, alpha, delta, confidence)

# %% [markdown]
# We have {eval}`len(planned)` configurations. For similar shares of wins, the verdict is {eval}`said`. Each interval is for one configuration alone, so some of the {eval}`len(planned)` verdicts may be wrong by chance.
#
# If related datasets count once, the {eval}`results["dataset"].nunique()` datasets come from {eval}`sources["table"].nunique()` sources. Then the verdict is {eval}`said_once`. The estimates are lower, too, {eval}`chapter.span(planned_once["nstar"], "{:.1f}")`, because a source averages over its datasets. (Exercise 5 keeps one dataset of each source instead.)
#
# The estimates of the first plan lie close together: {eval}`estimates`. So the verdict depends on how many datasets were run. It is *enough* for {eval}`f"all {len(enough)}" if enough.all() else f"{enough.sum() or 'none'} of the {len(enough)}"` configurations with more datasets than the largest estimate{eval}`f", and for {others.sum() or 'none'} of the other {len(others)}" if len(others) else ""`.

# %%
epsilon_1 = gx.JaccardKernel(1).epsilon(delta, n_encoders)
chance = gx.generalization.exact_generalizability
invented = {"two": [0.5, 0.5], "all": np.full(n_encoders, 1 / n_encoders), "one": [0.9, 0.1]}  # shares of wins
nstar_of = {
    name: gx.generalization.definition(np.eye(len(shares)), alpha, epsilon_1, shares, rng=seed)
    for name, shares in invented.items()
}
stays_from = {}  # the size after the last at which the two benchmarks look alike too rarely
for name in ("two", "one"):
    tried = range(int(nstar_of[name]), int(nstar_of[name] + 4 / delta**0.5))
    missed = [n for n in tried if chance(np.eye(2), n, epsilon_1, invented[name]) < alpha]
    stays_from[name] = max(missed, default=tried[0] - 1) + 1

# %% [markdown]
# **This number says little about encoders.** If two encoders won on half of the datasets each, n\* of Jaccard(1) would be {eval}`f"{nstar_of['two']:.0f}"`. If all {eval}`n_encoders` won equally often, it would be {eval}`f"{nstar_of['all']:.0f}"`. It is much smaller only if one encoder nearly always wins: {eval}`f"{nstar_of['one']:.0f}"` if it wins on 90 % of the datasets, and another one on the rest. (These three numbers are simulated.) Shares of wins move in steps of 1/n, so with a few more datasets, two benchmarks may look alike less often again. With two winners, they look alike often enough at every size only from {eval}`stays_from["two"]` datasets on if each wins half, and from {eval}`stays_from["one"]` on if one wins 90 %. Plan with these sizes, and read n\* as a rule of thumb for the size of a benchmark.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: Enough?
#
# *Understanding · 5 minutes.* A benchmark has 30 datasets in each of four configurations. Their estimates of n\*, with intervals, are 12 [9, 29.8], 22 [15, 38], 28 [24, 30.4] and 34 [31, 60]. What is the verdict on each configuration? Assign a list of four verdicts, in this order, to `answer_2`. Each is `"enough"`, `"undecided"` or `"more needed"`.

# %% tags=["solution"]
estimates_of_four = pd.DataFrame(
    {"n_experiments": 30, "nstar": [12, 22, 28, 34], "low": [9, 15, 24, 31], "high": [29.8, 38, 30.4, 60]}
)
answer_2 = gx.plan(estimates_of_four)["verdict"]

# %% tags=["check"]
gx.check("02-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The verdict is "enough" if no part of the interval lies above 30, and "more needed" if the whole interval lies above 30. Otherwise the data do not say, whichever side of 30 the estimate is on. "Undecided" is a result, too: this table cannot tell, but a few more datasets may.

# %% [markdown]
# ## What you ask, and how strictly
#
# The paper's Figure 3 asks all questions more or less strictly. A higher probability α or a smaller tolerance δ never takes fewer datasets.

# %%
alphas = sorted({0.7, 0.8, 0.9, 0.95, 0.99, alpha})
deltas = sorted({0.01, 0.05, 0.1, 0.2, 0.3, delta})
nstar = study.nstar(kernels, alpha=alphas, delta=deltas)
medians = needed.groupby("kernel")["nstar"].median().sort_values()
spread = study.scores(configuration, impute=True).mean(axis=1).std()
assert spread < delta**0.5
chapter.show_overview(nstar, medians, alpha, delta)

# %% [markdown]
# At α = {eval}`chapter.as_written(alpha)` and δ = {eval}`chapter.as_written(delta)` the median n\* over the configurations ranges from {eval}`f"{medians.iloc[0]:.0f}"` datasets ({eval}`medians.index[0]`) to {eval}`f"{medians.iloc[-1]:.0f}"` ({eval}`medians.index[-1]`).
#
# **And raw scores?** The RBF question takes few datasets. The paper takes this as a hint that encoders have similar scores on different datasets. The tolerance is another reason: δ = {eval}`chapter.as_written(delta)` lets all scores differ by √δ, here {eval}`f"{delta**0.5:.2f}"`. For comparison, the mean scores of the datasets have a standard deviation of {eval}`f"{spread:.2f}"` in {eval}`chapter.named(configuration)`. So two benchmarks easily look alike, even if encoders do not have similar scores.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: The best one, or the best three?
#
# *Application · 10 minutes.* In the cell for your answer, `own` is a study of this project's own runs: untuned models, scored by the area under the ROC curve (AUC). Take logistic regression (`"LR"`). Is n\* larger for Jaccard with $k = 1$ or with $k = 3$? Guess first. Then estimate both, with the default method, $\alpha = 0.95$ and $\delta = 0.05$. Assign the list of the two numbers, to one decimal, to `answer_3`.

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
# **Why.** For $k = 1$, most pairs of datasets have no winner in common, and the kernel is 0. For $k = 3$, the sets of winners are larger and often share an encoder: `gx.JaccardKernel(3).gram(own.rankings({"model": "LR"}))` has fewer zeros. If results are more similar on average, they scatter less around their mean. So fewer datasets are enough, here 28.1 instead of 31.9.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Whose rank is hardest to pin down?
#
# *Application · 10 minutes.* Take logistic regression again. For each of the 22 encoders, estimate n\* for "where does it rank?" (Borda). Which encoder has the largest n\*? Guess first: the best one, a mediocre one or the worst one? Assign the name of the encoder to `answer_4`.

# %% tags=["solution"]
positions = own.nstar([gx.BordaKernel(encoder) for encoder in own.alternatives])
positions = positions[positions["model"] == "LR"].set_index("kernel")["nstar"]
answer_4 = positions.idxmax().removeprefix("Borda(").removesuffix(")")

# %% tags=["check"]
gx.check("02-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** n\* depends on how much the rank varies, not on its mean. Ordinal encoding (OE) is in one of the first three tiers on 20 % of the datasets, and in tier 18 or worse on 43 %. Its tiers have the largest standard deviation of all encoders, as `own.rankings({"model": "LR"}).std()` shows. (OE numbers the categories in an arbitrary order, and a linear model takes these numbers at face value.) An encoder whose mean rank is in the middle may hardly ever be there.

# %% [markdown]
# ## Published numbers and ours
#
# The paper has a first version (2024) and a second version (2025). Each gives n\* for two configurations, for Jaccard(1) with α = 0.95 and δ = 0.05. Both say that fewer than ten datasets are enough for all questions about rankings if α is 0.7 or δ is 0.3. The table compares their numbers with our estimates from the published results, and lists "fewer than ten" as 10.

# %%
chapter.show_printed(study, nstar, both, confidence, seed)

# %% [markdown]
# Two published numbers are far from ours. At α = 0.7, Jaccard(1) takes more than ten datasets. And why is the number for LR / full / F1, 47, so large? The paper does not say. The authors' code for the second version first draws ten datasets, or a multiple of ten, *with replacement*, so some datasets count twice and others not at all. We suspect that 47 comes from such a draw. We make 500 draws of ten to see how noisy they are.

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
# With ten datasets for {eval}`chapter.named(looked_at)`, nine of ten estimates lie between {eval}`chapter.ends(draws)`. With all {eval}`len(tiers)` datasets, the estimate is {eval}`f"{everything:.1f}"`. The paper prints 47 for LR / full / F1;
# {eval}`chapter.percent((draws >= 47).mean())` of our draws give 47 or more. If we draw twenty datasets instead of ten, {eval}`chapter.percent((of_twenty >= 47).mean())` do. So always report n\* with an interval, above all from a few datasets.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: What are related datasets worth?
#
# *Project · 30 minutes.* The 56 datasets of our own runs were cut from 23 data files. `gx.datasets.with_source_tables(own_runs)` names the file in the column `table`. Make a second study that keeps one dataset of each file, the first in alphabetical order. For Jaccard with $k = 1$, how many of the five configurations have enough datasets: first with all datasets, then with one of each file? Assign the list of the two counts to `answer_5`. Then compare the estimates of n\*. What has changed, and what would you report? (`own.design_effect` needs the study with `cluster="table"`; notebook 10 explains it.)

# %% tags=["solution"]
with_tables = gx.datasets.with_source_tables(own_runs)
one_of_each = with_tables.sort_values("dataset").drop_duplicates("table")["dataset"]
fewer = gx.Study(own_runs[own_runs["dataset"].isin(one_of_each)], **own_roles)
planned_both = [gx.plan(each.nstar(gx.JaccardKernel(1))) for each in (own, fewer)]
answer_5 = [int((each["verdict"] == "enough").sum()) for each in planned_both]

# %% tags=["check"]
gx.check("02-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** The estimates of n\* hardly change: they are 32 to 33 with all datasets, and 30 to 33 with one of each file. But the number of datasets falls from 56 to 23, so the verdict changes from "enough" in all five configurations to "more needed" in all five. n\* counts *independent* datasets, and 56 datasets from 23 files are not all independent. The truth may lie between the two counts: notebook 10 estimates how many independent datasets our related datasets are worth.

# %%
chapter.check_results(nstar, gaps, study, draws)
chapter.keep_key_numbers(planned, verdicts, medians, gap)
if both:
    theirs = gap["estimate"].iloc[1]
    related = "Some datasets are related: three come from one KDD Cup, two from one file of IBM. "
    related += f"If related datasets count once, {once['more needed']} need more instead of {verdicts['more needed']}."
else:
    theirs = chapter.shared.recorded_numbers()["difference"]["estimate"]
    related = f"Many datasets are related: they come from {sources['table'].nunique()} files. "
    related += f"If each file counts once, the verdict is {said_once}."

# %% [markdown] tags=["findings"]
# - **How many datasets are enough?** About {eval}`estimates` by the estimates; the intervals reach {eval}`f"{planned['high'].max():.1f}"`. Two benchmarks of that size find similar shares of wins, but need not name the same best encoder. If all {eval}`n_encoders` encoders won equally often, the number would be {eval}`f"{nstar_of['all']:.0f}"`, so it says little about them. We looked at {eval}`len(planned)` combinations of model, tuning and metric. The verdict is {eval}`said`. {eval}`related` *Similar with probability {eval}`chapter.as_written(alpha)`; δ = {eval}`chapter.as_written(delta)` lets shares of wins move by {eval}`f"{100 * delta**0.5:.0f}"` percentage points.*
# - **A benchmark's answer can depend on what it never varies.** Target encoding scores {eval}`f"{gap['estimate'].iloc[0]:.3f}"` higher than one-hot encoding in our runs, and {eval}`f"{-theirs:.3f}"` lower in those of Matteucci et al. (2023). Scaling the same columns as they do removes {eval}`"about half of the untuned gap; the rest we cannot explain" if both else "most of the untuned difference in our runs"`. *Target minus one-hot encoding, with {eval}`chapter.percent(confidence)` intervals over datasets, some of them related: {eval}`chapter.beside_recorded(gap)`.*
# - **Ten datasets, drawn with replacement, were too few here to say how many you need.** Nine of ten estimates lie between {eval}`chapter.ends(draws)`; all {eval}`len(tiers)` datasets give {eval}`f"{everything:.1f}"`. *The published method, on {eval}`len(draws)` draws of ten for {eval}`chapter.named(looked_at)`, as in the authors' code.*

# %% [markdown]
# ## Summary
#
# - A benchmark is a sample of experiments. Whether its conclusion generalizes depends on the question.
# - n\* says how many experiments two benchmarks need before they look alike. An estimate without an interval says too little.
# - n\* is about benchmarks that draw the same kind of experiments. A benchmark's conclusion may depend on what it holds constant, and no number of datasets shows this.

# %% [markdown]
# ## Further reading
#
# - [Matteucci et al., 2023, *A benchmark of categorical encoders for binary classification*](https://openreview.net/forum?id=YJ4ioRbxNb), NeurIPS, Datasets and Benchmarks Track: the benchmark analysed here, its encoders, datasets and conclusions.
# - [Gretton et al., 2012, *A Kernel Two-Sample Test*](https://jmlr.org/papers/v13/gretton12a.html), Journal of Machine Learning Research 13, 723-773: the MMD, with which two studies are compared.
# - [McGinnis et al., 2018, *Category Encoders: a scikit-learn-contrib package of transformers for encoding categorical data*](https://github.com/scikit-learn-contrib/category_encoders), Journal of Open Source Software 3 (21), 501: the package that most encoders of our own runs come from.
