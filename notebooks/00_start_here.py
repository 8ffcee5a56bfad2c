# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # One comparison, read by five papers
#
# Suppose you must choose between two ways of feeding categories to a model. You find two benchmarks, and they disagree. Which benchmark do you trust, and what exactly did each of them show?
#
# Five papers ask how far the result of an experiment can be trusted. (One of them is a revision of another.) On this page, each paper looks at the same comparison. You will see what each paper adds, and which question is yours.
#
# **You will learn** which question each of the five papers answers, what it says about one comparison, and where to read on.
#
# **You need** to know what a mean, a p-value and cross-validation are. No other notebook is needed.
#
# **Time** 10 minutes to read, 30 with the exercises.

# %% tags=["parameters"]
source: str = "auto"  # results table: original (published), bundled (this project's own runs), or auto
alpha: float = 0.95  # probability with which two studies should look alike, in (0, 1)
delta: float = 0.05  # how different two studies may be and still look alike, in (0, 1]
level: float = 0.05  # level of the tests, in (0, 1)
confidence: float = 0.95  # of the intervals, in (0, 1)
seed: int = 0  # seed of everything random

# %%
import numpy as np
import pandas as pd
from scipy.stats import ttest_1samp

import genexpy_nb as gx
from genexpy_nb.chapters import start_here as chapter

gx.plots.use_style()
results = gx.datasets.load_encoders(source)
gx.datasets.notice(results)

# %% [markdown]
# ## Two benchmarks
#
# *Target encoding* replaces a category by the mean outcome of its rows. *One-hot encoding* makes a column for each category. One of the two benchmarks was published. We ran the other one ourselves.
# For each dataset, we compute the score with target encoding minus the score with one-hot encoding. We average this difference over metrics, models and tunings (default settings, or settings that a search found).

# %%
ours = gx.datasets.load_encoders("bundled")
tables = {"our own runs": ours}
if results.attrs["source"] == "original":
    tables["the published benchmark"] = results
differences = {name: chapter.target_minus_one_hot(table) for name, table in tables.items()}
compared = chapter.compare(tables, confidence, seed)
once = chapter.compare(tables, confidence, seed, once=True)  # related datasets count once, by their mean

# %% tags=["hero"]
chapter.show_two_tables(differences, compared, confidence)

# %% [markdown]
# The mean difference is {eval}`chapter.beside_recorded(compared)`. An interval in parentheses says how far the mean might move with other datasets of the same kind.
# Some datasets are related: we made ours from {eval}`int(once["n_datasets"].iloc[0])` tables. If related datasets count as one, the mean difference is {eval}`chapter.beside_recorded(once, "difference_once")`. {eval}`chapter.sides_of_zero(once)` From here on, we treat the datasets as independent.
#
# The benchmarks differ in their preprocessing and in their kind of dataset. More datasets of these kinds would not tell us which of these differences is the reason. [Notebook 02](02_encoders.ipynb) looks for it. On this page, we ask what each paper could have told us from one benchmark alone.

# %% [markdown]
# ## What is one experiment?
#
# *Generalizability of Experimental Studies, first version.* You compare *alternatives*, here the two encodings. An *experiment* evaluates all alternatives under the same circumstances, here on one dataset.
# The datasets are a sample, and you would like the conclusion to hold for datasets that nobody has tried yet.

# %%
shares = {name: (values > 0).mean() for name, values in differences.items()}
share_lr = (chapter.target_minus_one_hot(ours[ours["model"] == "LR"]) > 0).mean()

# %% [markdown]
# Target encoding wins on {eval}`chapter.percent(shares["our own runs"])` of our datasets. A colleague who draws other datasets of the same kind would find a different share. How different may her share be and still look like ours?
#
# In the paper, the answer follows from a *tolerance* δ. With two encodings, the shares may differ by √δ, so δ = {eval}`chapter.as_written(delta)` allows {eval}`f"{100 * delta**0.5:.0f}"` percentage points. ([Notebook 01](01_formalization.ipynb) explains the root.)
#
# With logistic regression alone, target encoding wins on {eval}`chapter.percent(share_lr)` of our datasets. In such a close race, chance matters more. Draw pairs of studies, and watch how often their shares look alike.

# %%
chapter.show_two_studies(ours, [delta / 5, delta, 3 * delta], alpha, seed)

# %% [markdown]
# ## How many datasets would be enough?
#
# *Both versions* of the paper ask how many experiments two studies need to look alike with probability {eval}`chapter.as_written(alpha)`. They call this number n\*. Our toolkit adds an interval.

# %%
two = {name: gx.Study.from_wide(chapter.side_by_side(table), higher_is_better=True) for name, table in tables.items()}
needed = pd.concat(
    {name: study.nstar(gx.JaccardKernel(k=1), alpha, delta, confidence=confidence) for name, study in two.items()}
)
needed = needed.droplevel(1)[["n_experiments", "nstar", "low", "high"]]

# %% [markdown]
# If we ask which encoding wins, n\* of our own runs is {eval}`chapter.datasets(needed.loc["our own runs"])` at δ = {eval}`chapter.as_written(delta)`. Our benchmark has {eval}`int(needed.n_experiments["our own runs"])` datasets. "Enough" means that another study finds similar shares *if it draws datasets of the same kind and
# changes nothing else*. It does not mean that the answer is right: two benchmarks can both be large enough and name different winners.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: What "enough" is enough for
#
# *Understanding · 5 minutes.* A benchmark of 49 datasets has n\* = 30 (interval: 21 to 40) for the question "who wins?". Which sentence follows?
#
# - (a) A benchmark with different preprocessing will name the same winner.
# - (b) With probability 0.95 or more, a second study of 49 such datasets finds similar shares of wins.
# - (c) With probability 0.95, the overall winner also wins on the next dataset.
# - (d) The overall winner is significantly better than the others.
#
# Assign the letter to `answer_1`.

# %% tags=["solution"]
answer_1 = "b"

# %% tags=["check"]
gx.check("00-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** If two studies each draw n\* experiments of the same kind, they look alike with probability α or more. Sentence (a) is about another kind of
# experiment, and our two benchmarks are a counter-example. Sentence (c) is about a single experiment. Sentence (d) is about the mean difference, which may be zero whatever n\* is.

# %% [markdown]
# ## Is the difference more than chance?
#
# *Appendix A of the second version* compares n\* with significance. We use Wilcoxon's test, which asks whether the differences lie symmetrically around zero. Our runs have {eval}`ours["encoder"].nunique()` encoders (ways to encode categories), so this pair is one of many. If you pick the pair because its difference is large, you have looked at all other pairs, too. Holm's
# correction allows for that by making the p-value larger.

# %%
studies = {name: chapter.study_of(table) for name, table in tables.items()}
pairs = {
    name: gx.significance.compare_pairs(study.scores(impute=True), higher_is_better=True)
    for name, study in studies.items()
}
in_family = pd.DataFrame({name: chapter.in_family(frame) for name, frame in pairs.items()}).T

# %% [markdown]
# {eval}`chapter.alone_and_picked(in_family)` A p-value does not say
# which encoding wins on your next dataset. And a difference that is not significant may still exist ([notebook 05](05_significance_toy.ipynb)).

# %% [markdown]
# ## Are splits of one dataset experiments, too?
#
# *A Deterministic Protocol for Reliable Model Comparison* fixes splits and seeds, and runs its tests on the splits of one dataset. We can try such tests, because our own runs have ten random splits of each dataset. Wilcoxon's test treats the ten splits as independent, although they share training data. The corrected t-test of Nadeau and Bengio allows for the shared data.

# %%
runs = gx.datasets.load_replicates()
runs = runs[runs["encoder"].isin(["TE", "OHE"])]
wide = runs.pivot(index=["dataset", "model", "split"], columns="encoder", values="score")
by_split = (wide["TE"] - wide["OHE"]).unstack("split")
wilcoxon = gx.significance.wilcoxon_pratt(by_split.to_numpy()) < level
uncorrected = ttest_1samp(by_split, 0, axis=1).pvalue < level
corrected = np.array([gx.protocol.nadeau_bengio(row, test_share=0.3).p < level for row in by_split.to_numpy()])
against = by_split.mean(axis=1).to_numpy() * by_split.to_numpy().mean() < 0

# %% [markdown]
# We compare the two encodings on {eval}`len(by_split)` combinations of a dataset and a model, at the {eval}`chapter.as_written(level)` level. Wilcoxon's test declares a winner in {eval}`chapter.percent(wilcoxon.mean())` of these comparisons, and the usual t-test in {eval}`chapter.percent(uncorrected.mean())`. The corrected t-test declares a winner in {eval}`chapter.percent(corrected.mean())`.
# Some winners that the correction takes away may be real, because a stricter test also misses more real differences. When Wilcoxon's test declares a winner, {eval}`chapter.percent(against[wilcoxon].mean())` of the time it is the encoding that loses on average over all datasets. A winner on one dataset need not win on others ([notebook 06](06_deterministic_protocol.ipynb)).

# %% [markdown]
# ## Where does the result hold?
#
# *A practical generalization metric for deep networks benchmarking* does not average over circumstances. It asks how much noise and how many new classes a network can stand before its error is too large. Our datasets have no such noise. As an
# analogy, we ask whether the difference changes with the number of categories, because one-hot encoding makes a column for each category.

# %%
along = chapter.by_number_of_categories(ours, n_bands=4, confidence=confidence, rng=seed)
chapter.show_along(along, confidence)

# %% [markdown]
# {eval}`"All intervals overlap, so the groups may be alike. We did not test for a trend." if along["low"].max() <= along["high"].min() else "Not all intervals overlap."` A mean over all datasets would hide a trend ([notebook 07](07_tradeoff_point.ipynb)).

# %% [markdown]
# ## What does target encoding change in a system that you build?
#
# *Drawing Causal Inferences About Performance Effects in NLP* treats a method like a medical treatment, and systems like patients. Here, a system is a dataset with a model, a tuning and a metric. The effect in a system is its score with target encoding minus
# its score with one-hot encoding. The mean effect over all systems is the *average treatment effect*.

# %%
keys = ["dataset", "model", "tuning", "scoring"]
treated = {
    name: gx.causal.from_results(table, "encoder", "TE", "OHE", keys, ["cv_score"]) for name, table in tables.items()
}
effect = gx.causal.average_treatment_effect(treated["our own runs"], cluster="dataset", confidence=confidence)
spreads = {name: gx.causal.heterogeneity(each).share_opposite for name, each in treated.items()}
small = chapter.small_among_opposite(ours, keys, 0.005)

# %% [markdown]
# Across the {eval}`f"{effect.n_used:,}"` systems of our own runs, the average effect is {eval}`chapter.signed(effect.estimate, 3)`. In {eval}`chapter.percent(spreads["our own runs"])` of these systems, the effect has the opposite sign. The average helps you choose a
# default, but it promises nothing about the one system that you build. Some opposite signs may be chance, because {eval}`chapter.percent(small)` of the opposite effects are smaller than 0.005. Also, the four metrics of a run count as four systems ([notebook 08](08_causal_ate.ipynb)).

# %% [markdown]
# ## Would another study crown the same winner?
#
# None of the five papers asks this, but our toolkit can answer it. Suppose that two colleagues each run both encodings on as many new datasets as we did. The winner is the encoding with the better mean rank (average place over the datasets). How likely are they to name the same winner?

# %%
again = pd.concat(
    {name: study.agreement("winner", n=len(differences[name]), confidence=confidence) for name, study in two.items()}
)
again = again.droplevel(1)

# %% [markdown]
# On our own runs, this probability is {eval}`chapter.likely(again.loc["our own runs", "low"])`, even at the lower end of its interval. With datasets of another kind, a colleague may name the other encoding.

# %%
chapter.show_readings(compared, shares, needed, in_family, (wilcoxon.mean(), corrected.mean()), along, spreads, again)

# %% [markdown]
# No answer replaces another, and no answer covers what a benchmark holds constant.

# %% [markdown]
# ## Where to go
#
# - If you have a table of results and a deadline, read [notebook 09](09_your_study.ipynb), or run `genexpy-nb study results.csv`. Before you run experiments, read [notebook 12](12_before_you_compare.ipynb) about what can spoil a comparison.
# - To understand the definitions, read [notebook 01](01_formalization.ipynb), then [02](02_encoders.ipynb) and [03](03_bigbench.ipynb) on two real benchmarks, [04](04_preliminary_experiments.ipynb) on experiments that come one by one, and [11](11_methods.ipynb) on where the formulas come from.
# - To test differences across datasets, read [notebook 05](05_significance_toy.ipynb). To test them on one dataset, read [notebook 06](06_deterministic_protocol.ipynb).
# - To find out whether a second study would agree, read [notebook 10](10_second_study.ipynb).
# - To see how networks cope with noise and new classes, read [notebook 07](07_tradeoff_point.ipynb). [Notebook 15](15_complexity_measures.ipynb) asks whether theory predicts their errors. To find out what a component does on average over systems, read [notebook 08](08_causal_ate.ipynb).
# - To compare models on a set of questions, or with judges, read [notebook 13](13_items_and_judges.ipynb). To compare agents over games and seeds, read [notebook 14](14_games_and_seeds.ipynb).
#
# The [vocabulary](../docs/vocabulary.md) explains the words.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: How many tables do these datasets come from?
#
# *Application · 10 minutes.* We made our 56 datasets from fewer tables. The name of a dataset begins with the name of its table and a colon. Load the runs with
# `gx.datasets.load_encoders("bundled")`. For each dataset, subtract the score with one-hot encoding (OHE) from the score with target encoding (TE), averaged over models, tunings and metrics. Then take the mean of these differences for each *table*. On
# how many tables is one-hot encoding ahead? Assign a tuple of two whole numbers to `answer_2`: the number of tables, and the number of tables on which one-hot encoding is ahead.

# %% tags=["solution"]
own_rows = gx.datasets.load_encoders("bundled")
own_rows = own_rows[own_rows["encoder"].isin(["TE", "OHE"])]
by_dataset = own_rows.groupby(["dataset", "encoder"])["cv_score"].mean().unstack()
by_table = (by_dataset["TE"] - by_dataset["OHE"]).groupby(by_dataset.index.str.split(":").str[0]).mean()
answer_2 = (len(by_table), int((by_table < 0).sum()))

# %% tags=["check"]
gx.check("00-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** No score of the two encodings is missing. So the mean of the differences is the difference of the means, and two calls of `groupby` are enough. Target encoding is ahead on every table. There are fewer tables than datasets, so the mean over tables has a slightly wider interval. Notebook 10 shows how many independent datasets a set of related datasets is worth (`study.design_effect`).

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Which notebook?
#
# *Understanding · 5 minutes.* Three colleagues ask for help. Which notebook fits each question best? Assign the three numbers as a list of texts, such as `["01", "02", "03"]`, to `answer_3`.
#
# 1. "I ran three networks on one dataset, with ten folds and five seeds each. Is the winner really the best network on this dataset?"
# 2. "I took attention out of thirty differently built systems. Does attention help?"
# 3. "Our leaderboard has a clear leader on forty tasks. Would it also lead on forty other tasks?"

# %% tags=["solution"]
answer_3 = ["06", "08", "10"]

# %% tags=["check"]
gx.check("00-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** Question 1 is about one dataset: folds and seeds vary, and folds share training data (06). Question 2 asks for the mean of thirty individual effects, which is an average treatment effect (08). Question 3 asks whether a second study names
# the same overall winner (10). Notebook 02 would say whether the shares of wins are similar, but two studies with similar shares can have different leaders.

# %%
chapter.keep_key_numbers(compared, needed, wilcoxon, corrected, spreads)

# %% [markdown] tags=["findings"]
# - **Two benchmarks can give different answers.** The mean score with target encoding minus the mean score with one-hot encoding is {eval}`chapter.beside_recorded(compared)`. *If related datasets count as one, it is {eval}`chapter.beside_recorded(once, "difference_once")`. {eval}`chapter.sides_of_zero(once)` The {eval}`chapter.percent(confidence)` intervals hold for other datasets of the same kind with the same preprocessing.*
# - **Whether a dataset has a winner depends on the test.** A test that treats ten splits of a dataset as independent declares a winner in {eval}`chapter.percent(wilcoxon.mean())` of our comparisons. A test that allows for the shared training data does so in {eval}`chapter.percent(corrected.mean())`. *We made {eval}`len(by_split)` comparisons, one for each dataset and model. We do not know which winners are real, but in the simulations of notebook 06 we do.*
# - **An average says little about your own system.** Target encoding changes the score by {eval}`chapter.signed(effect.estimate, 3)` on average. In {eval}`chapter.percent(spreads["our own runs"])` of {eval}`f"{effect.n_used:,}"` systems, the effect has the opposite sign. *A system is one of {eval}`len(differences["our own runs"])` datasets with a model, a tuning and a metric. Some opposite signs may be chance.*

# %% [markdown]
# ## Summary
#
# - First say what varies, what you average over and what you hold constant. Then ask your question. The number comes last.
# - A large study can say a lot about *its own* kind of experiments. It says nothing about what all its experiments share.
# - A conclusion about datasets needs a test across datasets. Folds or splits of one dataset are not enough.
# - An average over systems, a winner over datasets and a significant difference are three claims, and each claim needs its own evidence.

# %% [markdown]
# ## Further reading
#
# The five papers:
#
# - [Matteucci et al., 2024, *Generalizability of experimental studies*](https://arxiv.org/abs/2406.17374v1), the first version.
# - [Matteucci et al., 2025, *Generalizability of Experimental Studies*](https://arxiv.org/abs/2406.17374v3), the second version.
# - Anonymous, undated, *A Deterministic Protocol for Reliable Model Comparison in Machine Learning*, a manuscript.
# - [Huang et al., 2025, *A practical generalization metric for deep networks benchmarking*](https://doi.org/10.1038/s41598-025-93005-5).
# - [Wankmüller, 2022, *Drawing Causal Inferences About Performance Effects in NLP*](https://arxiv.org/abs/2209.06790).
#
# On what to test over, and why:
#
# - [Demšar, 2006, *Statistical Comparisons of Classifiers over Multiple Data Sets*](https://jmlr.org/papers/v7/demsar06a.html): tests over datasets.
# - [Nadeau and Bengio, 2003, *Inference for the Generalization Error*](https://doi.org/10.1023/A:1024068626366): why splits of one dataset are not independent, and how to correct for it.
