# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Significant is not generalizable
#
# *Executable companion to* Generalizability of Experimental Studies, *second version, Appendix A: Table 1 and the question of Figure 6.*
#
# **You will learn** what a test of significance promises, how to show that a difference is too small to matter, and what to report.
#
# **You need** to know p-values, t-tests and the binomial distribution, and also kernels and n\*, from notebook 01.
#
# **Time** 10 minutes to read, 70 with the exercises.

# %% tags=["parameters"]
share: float = 0.55  # share of the datasets on which method 0 comes first; method 1 comes first on the others
n: int = 20  # datasets in a study
level: float = 0.05  # level of all tests, in (0, 0.5)
alpha: float = 0.95  # probability wanted that two studies look alike, in (0, 1)
delta: float = 0.05  # how different the winners of two studies may be and still count as alike
source: str = "auto"  # encoder benchmark: original (published), bundled (this project's own runs), or auto
rope: float = 0.01  # largest difference of two scores that does not matter
seed: int = 0  # seed of everything random

# %%
import itertools
import warnings

import numpy as np

import genexpy_nb as gx
from genexpy_nb.chapters import significance_toy as chapter

gx.plots.use_style()
warnings.simplefilter("ignore", gx.errors.StudyWarning)  # failed evaluations are spoken of below

# %% [markdown]
# ## A world so small that every study can be listed
#
# To judge what a study claims, we have to know the truth. So we take a *world* from Matteucci et al. (2025), *the paper*: an invented population of datasets. Five methods, 0 to 4, are ranked on each dataset. On {eval}`chapter.percent(share)` of the datasets, method 0 comes first and method 1 second; on the others they change places. The other three always follow in the same order.
#
# A study draws a *sample* of {eval}`n` datasets. Friedman's test asks whether the methods differ
# at all. The Conover–Iman test asks whether the method with the best mean rank is better than *each* of the others. If both say yes, this method is *significantly best*: the study has a *significant winner*. The
# [level](../docs/vocabulary.md#level) of a test is how often it may say yes if there is no difference.

# %%
rankings = [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]]  # the place of each alternative; 0 is the first
world = gx.generalization.RankingDistribution(rankings, [share, 1 - share])
samples = chapter.exact_toy(world, n, n // 2, level, delta)
apart = int(gx.JaccardKernel(k=1).epsilon(delta, 5) / np.sqrt(2) * (n // 2) + 1e-9)

# %% [markdown]
# What a study finds depends only on *how often* method 0 comes first. So there are only {eval}`len(samples)` different samples. Friedman's test says yes for {eval}`"all" if (samples["p_friedman"] <= level).all() else "most"` of them, as in the paper, because three methods always lose. So the Conover–Iman test decides.
#
# The lower panel of Figure 1 shows what the paper calls the *{eval}`n // 2`-generalizability* of each: how often two studies of {eval}`n // 2` datasets, drawn from the sample without overlap, find similar shares of wins. With a tolerance of {eval}`delta`, they are *similar* if method 0 wins at most {eval}`apart` datasets more in one of them ([why](02_encoders.ipynb#from-a-table-to-a-study)).

# %% tags=["hero"]
chapter.show_samples(samples, n // 2)

# %%
winners = samples[samples["significant"]].groupby("best")["probability"].sum()
zero, one = winners.get("{0}", 0.0), winners.get("{1}", 0.0)

# %% [markdown]
# Method 0 is significantly best in {eval}`chapter.percent(zero)` of the studies, and method 1 in {eval}`chapter.percent(one)`. So two significant studies can contradict each other, as the paper showed.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: What a test says
#
# *Understanding · 5 minutes.* Of ten methods on 20 datasets, Friedman's test and the Conover–Iman test at the 0.05 level find
# method A significantly best. Which statement is true?
#
# - **a** With probability 0.95 or more, A is the best of the ten methods.
# - **b** With probability 0.95 or more, A is significantly best on 20 other such datasets, too.
# - **c** For the question of who wins, n\* (how many datasets make two studies similar) is at most 20.
# - **d** If all ten were alike, Friedman's test would reject in about 5 % of such benchmarks.
#
# Assign the letter to `answer_1`.

# %% tags=["solution"]
answer_1 = "d"

# %% tags=["check"]
gx.check("05-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** A level is a promise about worlds without a difference, and (d) states this promise. Statement (a) reverses the condition: from "such data are rare if all are equal" to "equality is improbable
# given such data". Statements (b) and (c) are about other samples. Two samples of one world can
# contradict each other significantly, and nearly every sample can have a significant winner, but fewer datasets than n\*.

# %% [markdown]
# ## What does a significant winner say about the next study?
#
# How often do two studies name different winners? A colleague repeats your study on {eval}`n` other datasets. In two worlds, does she name the same winner? We use a second test, too: the sign test counts only who comes first.

# %%
shares = [share, 0.7 if share < 0.6 else 0.55]
both_tests = {"Conover–Iman": False, "sign test": True}
after = {
    (first, test): chapter.next_study(
        gx.generalization.RankingDistribution(rankings, [first, 1 - first]), n, level, sign
    )
    for first in shares
    for test, sign in both_tests.items()
}
chapter.show_next(after)

# %%
when = ["In a near tie" if abs(first - 0.5) < 0.06 else "If one method wins more clearly" for first in shares]
again = [after[first, "sign test"] for first in shares]
and_none = [
    ". Nearly always, it names none" if each["none"] > 0.9 else f", and none in {chapter.percent(each['none'])}"
    for each in again
]
contradict = [after[first, "Conover–Iman"][["another", "none"]] for first in shares]
contradict = [chapter.percent(each["another"] / (1 - each["none"])) for each in contradict]

# %%
of_mean, of_paper = chapter.toy_table(samples), (share, n, level, delta) == (0.55, 20, 0.05, 0.05)
of_leader = (
    of_mean[:-1].set_index(["best", "significant"])["generalizability"].unstack().drop("{0, 1}", errors="ignore")
)
of_ties = of_mean.loc[of_mean["best"] == "{0, 1}", "generalizability"].sum()
possible = samples[samples["probability"] > 0]
of_parity = [
    np.average(part["generalizability"], weights=part["probability"])
    for _, part in possible.groupby(possible["counts"].str[0] % 2)
]
assert not of_paper or of_parity[0] - of_parity[1] > 5 * of_leader.diff().abs().max().max()

# %%
in_halves = (
    f"That comes from the ties: their mean is {of_ties:.2f}. Among samples in which one method is ahead, it hardly "
    f"matters which one (the means differ by {of_leader.diff().abs().max().max():.2f}) or whether it is significant "
    f"({(of_leader['yes'] - of_leader['no']).max():.2f}). What matters most is an accident of counting: whether method "
    f"0 wins an even number of datasets ({of_parity[0]:.2f}) or an odd one ({of_parity[-1]:.2f}). With an even number, "
    f"the halves may differ by 0 or {apart}, with an odd one only by {apart - 1}. So do not read "
    f"{n // 2}-generalizability as a property of the winner."
)

# %% [markdown]
# If both studies find a winner by the Conover–Iman test, they contradict each other in {eval}`contradict[0]` of the cases in the first world, and in {eval}`contradict[1]` in the second.
#
# From 1,000 samples of its world, the paper concludes that {eval}`n // 2`-generalizability depends mainly on which method is best, and far less on significance. {eval}`in_halves if of_paper else ""`

# %%
chapter.show_groups(of_mean, n // 2, of_paper)

# %% [markdown] tags=["exercise"]
# ### Exercise 2: Sample or world?
#
# *Understanding · 5 minutes.* In another world method 0 comes first on 70 % of the datasets, and method 1 on the others. In a sample, method 0 is first
# 12 times and method 1 is first 8 times. It has five values: its `"probability"`, the `"p"` of the Conover–Iman test, who is `"ahead"`, whether this one is `"significantly best"`, and the `"10-generalizability"`. Which of these values would be different for the same sample in the first world? Assign the set of their names to `answer_2`.

# %% tags=["solution"]
rows = [
    chapter.exact_toy(
        gx.generalization.RankingDistribution(rankings, [p, 1 - p]), n=20, k_gen=10, level=0.05, delta=0.05
    )
    for p in (0.55, 0.7)
]
first_row, second_row = (row[row["counts"] == (12, 8)].iloc[0] for row in rows)
names = {
    **{"probability": "probability", "p_others": "p", "best": "ahead"},
    **{"significant": "significantly best", "generalizability": "10-generalizability"},
}
answer_2 = {name for column, name in names.items() if first_row[column] != second_row[column]}

# %% tags=["check"]
gx.check("05-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The tests and the 10-generalizability depend only on the sample. The world only determines how often each sample occurs. A study that computes the 10-generalizability of its own data only *estimates* that of the world.

# %% [markdown]
# ## How often is the claim wrong?
#
# Let methods 0 and 1 each come first on half of the datasets, so that any winner is false.

# %%
last = itertools.permutations([2, 3, 4])
in_any_order = [[*leaders, *others] for others in last for leaders in ([0, 1], [1, 0])]
false_claims, false_claims_alone, false_claims_free = (
    chapter.share_with_a_winner(
        gx.generalization.RankingDistribution(equals, np.full(len(equals), 1 / len(equals))), n, level, rng=seed
    )
    for equals in (rankings, [[0, 1], [1, 0]], in_any_order)  # the second without the other three
)
free, alone = chapter.percent(false_claims_free), chapter.percent(false_claims_alone)

# %% [markdown]
# The test of the paper's example names a winner in {eval}`chapter.percent(false_claims)` of the studies. Its level, {eval}`chapter.percent(level)`, is promised only for five equally good methods, and three are worse here. The harm comes from their never changing places. If their order were random (simulated), {eval}`f"the share would be about {free}, and if they were left out, {alone}" if free != alone else f"or if they were left out, the share would be about {free}"`.
# The test estimates *one* variance from the ranks of all methods, and ranks that never vary make it too small. A test of two methods only, such as Wilcoxon's signed-rank test, cannot go wrong in this way.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Two teams
#
# *Application · 10 minutes.* Change the first world: let method 0 come first with probability 0.6, and method 1 otherwise. Two teams draw 20 datasets each, and both find a significantly best method. How
# likely are they to name *different* winners? Assign the probability to `answer_3`, to two decimals.

# %% tags=["solution"]
other_world = gx.generalization.RankingDistribution(rankings, [0.6, 0.4])
theirs = chapter.exact_toy(other_world, n=20, k_gen=10, level=0.05, delta=0.05)
naming = theirs[theirs["significant"]].groupby("best")["probability"].sum()
naming = naming[naming > 0] / naming.sum()
answer_3 = 1 - (naming**2).sum()

# %% tags=["check"]
gx.check("05-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** Of the samples with a winner, 95.2 % name method 0, and 4.8 % name method 1. So two teams differ with probability
# $2 \cdot 0.952 \cdot 0.048 \approx 0.09$.

# %% [markdown]
# ## A real benchmark
#
# The benchmark of notebook 02 compares encoders, which turn categories into numbers, in many *configurations*: combinations of model, tuning (search for good settings) and metric.

# %%
results = gx.datasets.load_encoders(source)
gx.datasets.notice(results)

# %%
roles = {"alternatives": "encoder", "target": "cv_score", "generalize_over": "dataset"}
design = ["model", "tuning", "scoring"]
study = gx.Study(results, **roles, design=design, higher_is_better=True, missing="worst-rank")
found = gx.plan(study.nstar(gx.JaccardKernel(k=1), alpha, delta))
tests = [
    gx.significance.best_alternative(study.rankings(each), level, higher_is_better=False)
    for each in study.configurations
]
found = found.assign(significant=[test.significant for test in tests], p=[test.p_others for test in tests])

# %%
winners_of = found.assign(best=[test.best for test in tests])[found["significant"]]
n_winners = f"{len(winners_of)}" if len(winners_of) else "none"
claims = winners_of.drop_duplicates(["best", "model", "scoring"])
named = {"WOEE": "weight of evidence (WOEE)"}
same_one = [
    f": {named.get(row.best[0], row.best[0])}, with {chapter.MODELS[row.model]} and {row.scoring}"
    for row in claims.itertuples()
]
both_tunings = len(winners_of) > len(claims) and "no" in set(winners_of["tuning"])
n_enough = int((found["verdict"] == "enough").sum())
n_encoders = int(study.accounting["n_alternatives"].max())
if_equal = gx.generalization.definition(
    np.eye(n_encoders), alpha, gx.JaccardKernel(k=1).epsilon(delta, n_encoders), rng=seed
)

# %%
n_corrected = int((found["significant"] & (chapter.holm_adjusted(found["p"].to_numpy()) <= level)).sum())
corrected = f"{n_corrected} remain" if n_corrected else "even so, none remains"
least = min(study.rankings(each).std().min() for each in study.configurations)
moving = f"Does the distortion from above threaten here? Hardly: in all {len(found)} configurations, the rank of each encoder has a standard deviation of at least {int(least)} places."

complete = study.accounting.sort_values(["n_experiments", "n_imputed"], ascending=[False, True])
configuration = complete.iloc[0][design].to_dict()
scores = study.scores(configuration, impute=True)  # a failed evaluation gets the worst score of its dataset
failed = study.scores(configuration).isna()
where = chapter.in_words(configuration).replace("BACC", "balanced accuracy").replace("ACC", "accuracy")

# %% [markdown]
# By Friedman's and the Conover–Iman test, an encoder is significantly best in {eval}`n_winners` of the {eval}`len(found)` configurations{eval}`same_one[0] + ", without and with tuning" * both_tunings if len(claims) == 1 else ""`. That test can claim too many winners; {eval}`corrected` after [Holm's correction](../docs/vocabulary.md#holm). But {eval}`n_enough or "none"` have enough datasets for similar shares of wins. {eval}`moving if least > 3 else ""`
#
# ## No winner: equal, or too few datasets?
#
# Decide *before* you look at the results which difference in mean scores would matter. Here it is {eval}`rope` (the parameter `rope`, for *region of practical equivalence*).
# Two one-sided t-tests (*TOST*) ask: is A at most {eval}`rope` worse than B? At most {eval}`rope` better? If both say yes, the pair is *equivalent*. A is *better* if its mean is significantly more than {eval}`rope` above that of B, and *worse* if it is significantly more than {eval}`rope` below. Otherwise the pair is *undecided*. A failure gets the worst score. So we take the configuration with the most datasets. Where several have as many, we take the one with the fewest failures: {eval}`where`.

# %%
pairs = gx.significance.equivalent_pairs(scores, rope, level=level, higher_is_better=True)
quiet = pairs[pairs["difference"] == ""]
n_equivalent = int((quiet["verdict"] == "equivalent").sum())

first, second = gx.significance.rank_tiers(scores, level, higher_is_better=True).index[:2]
differences = scores[first] - scores[second]
plans = [
    gx.significance.plan_comparison(differences, rope, len(scores), level=level, n_pairs=number)
    for number in (len(pairs), 1)
]
needed = [f"{float(f'{plan.n_conditions.iloc[0]:.2g}'):,.0f}" for plan in plans]  # two digits of rough estimates

# %% [markdown]
# There, t-tests find a significant difference in {eval}`len(pairs) - len(quiet) or "none"` of the {eval}`len(pairs)` pairs{eval}`f" (the smallest corrected p-value is {pairs['p_different_adjusted'].min():.3g})" if len(quiet) == len(pairs) else ""`, and in {eval}`int((pairs["p_different"] <= level).sum()) or "none"` without a correction for the number of pairs. TOST finds {eval}`n_equivalent or "none"` of {eval}`"the others" if len(quiet) < len(pairs) else "the pairs"` equivalent. {eval}`f"For the others, {len(scores)} datasets are too few to tell." if n_equivalent < len(quiet) else ""` To find a difference of {eval}`rope` between the two encoders with the best mean ranks, with probability 0.8, such a t-test would need about {eval}`needed[0]` datasets, or about {eval}`needed[1]` if these two were the only pair.
#
# <details><summary>Failures, corrections and related datasets</summary>
#
# {eval}`f"An encoder may have failed on a dataset, because it crashed or took too long. Then it shares last place, and gets the worst score of the dataset. In the configuration above, {chapter.percent(failed.to_numpy().mean())} of the scores are missing." if failed.any(axis=None) else "In the configuration above, no encoder failed."` TOST is corrected for the number of pairs, too. A configuration has enough datasets if the [95 % interval](../docs/accuracy.md) of n\* ends at or below their number. n\* counts independent datasets, but some of these are related, as notebook 02 says.
#
# </details>

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Equal, better, or neither
#
# *Understanding · 5 minutes.* A difference of 0.01 does not matter (`rope = 0.01`). There is only one pair, so no correction is needed. At the 0.05 level, TOST uses the 90 % interval of the mean difference A minus B. In four studies it is [−0.004, 0.006], [−0.004, 0.013], [0.002, 0.008] and [0.015, 0.030]. (In the fourth, the 95 % interval is [0.014, 0.031].) Is A `"equivalent"`, `"better"` (higher), `"worse"` or `"undecided"`? Assign
# the list of the four verdicts to `answer_4`.


# %% tags=["solution"]
def verdict(low, high, rope=0.01):
    if -rope < low and high < rope:
        return "equivalent"
    return "better" if low > rope else "worse" if high < -rope else "undecided"


answer_4 = [verdict(low, high) for low, high in [(-0.004, 0.006), (-0.004, 0.013), (0.002, 0.008), (0.015, 0.030)]]

# %% tags=["check"]
gx.check("05-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** A and B are equivalent if the whole interval lies within ±0.01. A is better if the whole interval of the two-sided test lies above 0.01. Otherwise the data do not say. In the third study A and B are both *significantly different* and
# *equivalent*: there is a difference, and it is too small to matter. The first two studies both find "not significant", but only the first shows that the difference is too small to matter.

# %% [markdown]
# ## One without the other
#
# We invent two more worlds. In one, method 0 is first on about half of the datasets, and second to one of the others on the rest. In the other, methods 0 and 1 nearly always share first place.

# %%
often_first = [[0, 1, 2, 3, 4], [0, 4, 3, 2, 1], [1, 0, 2, 3, 4], [1, 4, 0, 2, 3], [1, 3, 4, 0, 2], [1, 2, 3, 4, 0]]
shared_first = [[0, 0, 1, 2, 3], [0, 0, 3, 2, 1], [0, 1, 4, 3, 2], [1, 0, 2, 3, 4]]
worlds = {
    f"the paper's ({chapter.percent(share)})": world,
    "method 0 is first on about half of the datasets": gx.generalization.RankingDistribution(
        often_first, [0.26] * 2 + [0.12] * 4
    ),
    "methods 0 and 1 share first place": gx.generalization.RankingDistribution(shared_first, [0.45] * 2 + [0.05] * 2),
}

# %%
both_ways = chapter.compare_worlds(worlds, n, level, alpha, delta, rng=seed)
often, never = (chapter.percent(part) for part in both_ways["significant"].iloc[1:])

# %% [markdown]
# Can a benchmark have a winner, but too few datasets? {eval}`"Yes. " if both_ways["nstar"].iloc[1] > n else ""`If method 0 is first on about half of the datasets, {eval}`"nearly all" if both_ways["significant"].iloc[1] > 0.95 else f"{often} of the"` simulated studies of {eval}`n` datasets have a significant winner{eval}`", nearly always the same one" if both_ways["same_best"].iloc[1] > 0.95 else ""`, but similar shares of wins take {eval}`f"{both_ways['nstar'].iloc[1]:.0f}"` datasets. If methods 0 and 1 share first place, {eval}`f"{never} have" if both_ways["significant"].iloc[2] else "no study has"` a winner, and {eval}`f"{both_ways['nstar'].iloc[2]:.0f}"` datasets are enough.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: The question that this world answers
#
# *Application · 10 minutes.* In the world in which method 0 is first on about half of the datasets, how many datasets does "where does method 0 rank?" need? Compute the exact n\* of `gx.BordaKernel(0)` for $\alpha = 0.95$ and $\delta = 0.05$, and assign it to `answer_5`. (`gx.generalization.exact_nstar`
# takes kernel values, $\alpha$, the threshold, and probabilities.)

# %% tags=["solution"]
where_is_0 = gx.BordaKernel(0)
gram, epsilon = where_is_0.gram(np.array(often_first)), where_is_0.epsilon(0.05, 5)
answer_5 = int(gx.generalization.exact_nstar(gram, 0.95, epsilon, [0.26] * 2 + [0.12] * 4))

# %% tags=["check"]
gx.check("05-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** Method 0 is first with probability 0.52 and second with 0.48, so Borda sees two results, with a similarity of $\kappa = e^{-1/5}$. Two studies look alike if their shares of first places differ by at most
# $\sqrt{(1 - e^{-0.05}) / (1 - e^{-0.2})} = 0.519$. With six datasets each, the studies may differ by 3 first places, which has a probability of 0.96. With five, they may differ by 2, and the probability is 0.89. So n\* belongs to a question, not to a table.

# %% [markdown]
# ## What to report in a paper
#
# - **The question**, and **the population**: of which datasets are yours a sample? What was held constant?
# - **Every difference with its interval**, and then the p-value: `gx.significance.compare_pairs`.
# - **The test, its conditions, and the correction**, over *all* pairs that were looked at.
# - **Tiers** (the best, and all that are not significantly worse) instead of a strict ranking: `gx.significance.rank_tiers`.
# - **Missing results**, and what you did about them: `study.accounting`.
# - **n\* with its interval**, next to the number of datasets: `gx.plan(study.nstar(kernel))`.
# - **The difference that matters**, chosen before looking: `gx.significance.equivalent_pairs`.

# %% [markdown] tags=["exercise"]
# ### Exercise 6: Hopeless company
#
# *Project · 25 minutes.* Methods 0 and 1 each beat the other with probability 1/2, and m others always follow in the same order. With m = 3, the Conover–Iman test at the 0.05 level
# declares method 0 or 1 significantly best in 26 % of the samples of 20, as computed above. Compute this share for m = 0, 1, ..., 10, and assign the one for m = 10 to `answer_6`, to two
# decimals. For each m, find the smallest lead (such as 15 to 5) that is significant. Where do the jumps come from?

# %% tags=["solution"]
shares_of_claims = {}
for m in range(11):
    behind = list(range(2, 2 + m))
    fair_world = gx.generalization.RankingDistribution([[0, 1, *behind], [1, 0, *behind]], [0.5, 0.5])
    fair_samples = chapter.exact_toy(fair_world, n=20, k_gen=10, level=0.05, delta=0.05)
    shares_of_claims[m] = fair_samples.loc[fair_samples["significant"], "probability"].sum()
answer_6 = shares_of_claims[10]

# %% tags=["check"]
gx.check("05-6", answer_6)

# %% [markdown] tags=["explanation"]
# **Why.** The number of wins of method 0 is binomial, so each share is the sum of the binomial probabilities of all leads above some threshold. With m = 0 the smallest significant lead is 15 to 5, and the share is $2 \Pr(B \ge 15) = 0.041$. With m = 1 this lead is 14 to 6 (0.115), and with m = 2 or 3 it is 13 to 7 (0.263).
# From m = 4 on it is 12 to 8: $2 \Pr(B \ge 12) = 0.503$. The test divides by a standard error that all methods share. Methods that always have the same rank add nothing to this standard error, so they shrink it
# for the pair that is in doubt.

# %% [markdown] tags=["findings"]
# - **A significant winner need not win again.** Suppose that a sign test, which counts who comes first, has found a significant winner. {eval}`when[0]`, the next study names the same winner in {eval}`chapter.percent(again[0]["same winner"])` of the cases{eval}`and_none[0]`. {eval}`when[1]`, the next study names the same winner in {eval}`chapter.percent(again[1]["same winner"])`{eval}`and_none[1]`. Significance does not tell you which case is yours. *Exact, for {eval}`n` datasets of an invented world in which one of two methods wins {eval}`' or '.join(map(chapter.percent, shares))` of them. The sign test keeps its level here. The Conover–Iman test of Figure 1 {eval}`"does not, and " if false_claims > level else ""`names the same winner in {eval}`chapter.together(chapter.percent(after[first, "Conover–Iman"]["same winner"]) for first in shares)`.*
# - **A test can be wrong far more often than it promises.** Take two equally good methods, and three worse ones that always follow in the same order. The Conover–Iman test declares one of the two the winner in {eval}`chapter.percent(false_claims)` of the studies, instead of {eval}`chapter.percent(level)`. So distrust it if some of your methods hardly change places. *Exact, for {eval}`n` datasets. The {eval}`chapter.percent(level)` is promised only if all five methods are equally good. Without the three worse ones, the share is {eval}`chapter.percent(false_claims_alone)`.*
# - **Enough datasets do not make a winner.** In a benchmark of encoders (they turn categories into numbers), {eval}`n_enough or "none"` of {eval}`len(found)` combinations of model, tuning and metric have enough datasets for a second benchmark to find similar shares of wins. An encoder is significantly best in {eval}`n_corrected or "none"` of them. So report whether there is a winner, and whether there are enough datasets. *If all encoders won equally often, {eval}`f"{if_equal:.0f}"` datasets would be enough. Shares count as similar if, for example, one encoder wins {eval}`f"{100 * delta**0.5:.0f}"` percentage points more often and another that much less. Winners are by Friedman's and the Conover–Iman test, corrected for {eval}`len(found)` combinations; uncorrected, there are {eval}`n_winners`.*

# %%
numbers = {
    "same-winner": after[share, "Conover–Iman"]["same winner"],
    "another-winner": after[share, "Conover–Iman"]["another"],
    "significant": winners.sum(),
    "contradicting": 1 - winners.max() / winners.sum(),
}
numbers |= {"false-claims": false_claims, "false-claims-alone": false_claims_alone, "not-different": len(quiet)}
numbers |= {"equivalent": n_equivalent, "with-winner": len(winners_of), "enough": n_enough}
chapter.keep_key_numbers(numbers, both_ways)

# %% [markdown]
# ## Summary
#
# - Do not write "significant, hence generalizable", or "not significant, hence equal".
# - Distrust a test of mean ranks if some methods never change places.
# - Report n\*, and the intervals of all differences.

# %% [markdown]
# ## Further reading
#
# - [Demšar, 2006, *Statistical Comparisons of Classifiers over Multiple Data Sets*](https://jmlr.org/papers/v7/demsar06a.html): how to test over many datasets.
# - [Benavoli et al., 2016, *Should We Really Use Post-Hoc Tests Based on Mean-Ranks?*](https://jmlr.org/papers/v17/benavoli16a.html): why the others in the table should not matter.
