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
# *Executable companion to* Generalizability of Experimental Studies, *second version, Appendix A: Table 1 and Figure 6.*
#
# "The difference is significant" and "the conclusion generalizes" sound like the same promise. They are answers to two
# questions. A test asks whether the differences within *this sample* could be chance. Generalizability asks
# whether *another sample*, of the same size, would answer the research question alike.
# This notebook takes a world so small that both can be computed without error, shows how they come apart in either direction, and
# ends with a real benchmark and a list of what to report.
#
# **You will learn** what Friedman's test, the tests of Conover and Iman and of Wilcoxon, tiers, and n* each say about the same results;
# why a significant winner may be another one in the next sample; why a test can be wrong far more often than its
# level; and why results without any significant winner can be perfectly generalizable.
#
# **You need** p-values and the binomial distribution. Kernels, n-generalizability and n* are introduced in notebook 01.

# %% [markdown]
# ## Parameters
#
# The text describes what the default values give; the numbers, tables and figures follow your own.

# %% tags=["parameters"]
rankings: list[list[int]] = [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]]  # tiers in each possible result; 0 is best
probabilities: list[float] = [0.55, 0.45]  # probability of each of these results; up to three can be enumerated
n: int = 20  # results in a sample
k_gen: int = 10  # size of the two studies whose agreement is asked for, at most n / 2
level: float = 0.05  # level of all tests, in (0, 1)
alpha: float = 0.95  # generalizability wanted: probability that two studies agree, in (0, 1)
delta: float = 0.05  # tolerance: Jaccard distance of the sets of winners that still counts as agreement
n_studies: int = 1000  # simulated samples
claimed_rankings: list[list[int]] = [
    [0, 1, 2, 3, 4],
    [0, 4, 3, 2, 1],
    [1, 0, 2, 3, 4],
    [1, 4, 0, 2, 3],
    [1, 3, 4, 0, 2],
    [1, 2, 3, 4, 0],
]  # first of your own worlds: always a significant winner
claimed_probabilities: list[float] = [0.26, 0.26, 0.12, 0.12, 0.12, 0.12]  # probability of each of its results
tied_rankings: list[list[int]] = [[0, 0, 1, 2, 3], [0, 0, 3, 2, 1], [0, 1, 4, 3, 2], [1, 0, 2, 3, 4]]  # second: never
tied_probabilities: list[float] = [0.45, 0.45, 0.05, 0.05]  # probability of each of its results
source: str = "auto"  # encoder benchmark: original (published), bundled (this project's own runs), or auto
configuration: dict = {}  # its model, tuning and scoring to look at; empty: the one with the clearest winner
seed: int = 0  # seed of everything random

# %% [markdown]
# ## Setup

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.generalization import toy
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.plots import significance as figures

gx.plots.use_style()
pd.set_option("display.precision", 3)

# %% [markdown]
# ## A world with two results
#
# Five alternatives are compared. In 55 % of all conditions alternative 0 comes first and 1 second, in 45 % the other way round;
# then 2, 3, 4, always in this order. The research question is the everyday one: *is there an alternative that is better than the
# others?* A study of 20 conditions answers it by a sample of 20 rankings:
#
# 1. **Friedman's test**: do the alternatives differ at all?
# 2. **The test of Conover and Iman**: is the one with the best mean rank significantly better than *each* of the others?
#    If so, call it *significantly best*.
# 3. **10-generalizability** of the sample: draw two disjoint studies of 10 from its 20 results. How often do they
#    agree? Agreement is measured with the Jaccard kernel on the winners ($k = 1$, $\delta = 0.05$).

# %%
world = RankingDistribution(rankings, probabilities)
kernel = gx.JaccardKernel(k=1)
n_alternatives = world.rankings.shape[1]
epsilon = kernel.epsilon(delta, n_alternatives)
is_papers_world = (
    np.array_equal(world.rankings, toy.TOY.rankings)
    and np.allclose(world.probabilities, toy.TOY.probabilities)
    and (n, k_gen, level, delta) == (20, 10, 0.05, 0.05)
)
print(f"two studies of {k_gen} agree if their MMD is at most {epsilon:.3f}")

# %% [markdown]
# The paper simulates 1,000 samples. But a sample holds nothing that matters except *how often* the first ranking occurs in it.
# That leaves 21 possible samples, each with a binomial probability, one outcome of the tests, and a 10-generalizability
# that is a hypergeometric sum. So the whole experiment can be enumerated.

# %%
exact = toy.exact_toy(world, n=n, k_gen=k_gen, level=level, delta=delta)
simulated = toy.simulate_toy(world, n=n, k_gen=k_gen, level=level, delta=delta, n_studies=n_studies, rng=seed)
print(f"{len(exact)} possible samples; Friedman's test rejects in {(exact['p_friedman'] <= level).sum()} of them")
exact.sort_values("probability", ascending=False, kind="stable").head(5)

# %%
fig = figures.toy_samples(exact, k_gen)
plt.show()

# %% [markdown]
# *Every possible sample: how likely it is (above), and its 10-generalizability (below). Colour: the alternative with the best mean
# rank. Filled: it is significantly best.*
#
# The first lesson is in the colours. Orange and green filled samples come from the *same* world: in one study 0 is
# significantly best, in another one 1 is. Both are significant, and they contradict each other.

# %% [markdown]
# ## Table 1: published, simulated, exact

# %%
keys = ["significant", "best"]
tables = {"simulated": toy.toy_table(simulated), "exact": toy.toy_table(exact)}
if is_papers_world:
    tables = {"published": toy.PUBLISHED_TOY, **tables}
beside = pd.concat({name: table.set_index(keys) for name, table in tables.items()}, axis=1).swaplevel(axis=1)
beside = beside.reindex(columns=["count", "generalizability", "sd"], level=0)
beside.round(2)

# %% [markdown]
# *Samples per 1,000 (`count`), and mean and standard deviation of their 10-generalizability.*
#
# The published counts are a fair draw from the exact ones. Two entries of the paper deserve a footnote.
# For {0, 1} it has a standard deviation of 0.03, but there is only one such sample, with ten of each ranking, and its true
# value is one number: the 0.03 is the error of resampling, not spread. And the last mean, 0.72 for alternative 1, stands on 57 samples;
# the exact value rounds to 0.71.
#
# Correcting Conover and Iman's p-values after Holm gives the identical table here: of the ten comparisons only that of 0
# and 1 is in doubt, it has the largest p-value, and Holm's procedure leaves the largest one as it is.

# %%
same_after_holm = exact["significant"].equals(
    toy.exact_toy(world, n=n, k_gen=k_gen, level=level, delta=delta, adjust="holm")["significant"]
)
print("the same samples are significant after Holm's correction:", same_after_holm)

# %% [markdown]
# ## Figure 6: does significance predict generalizability?

# %%
fig = figures.toy_generalizability(simulated, k_gen)
plt.show()

# %% [markdown]
# *Share of the simulated samples up to a given 10-generalizability; in brackets, how many samples a curve holds.*
#
# Every curve has two steps, one around 0.65 and one around 0.85, whether significant or not; their means are the ones in the table.
# The paper concludes that generalizability depends mainly on which alternative is best, and less on significance. With the exact values
# one can say how much of the variance of 10-generalizability each property of a sample explains:

# %%
first = exact["counts"].str[0]
shares = {
    name: toy.variance_explained(exact, groups)
    for name, groups in {
        "significance": exact["significant"],
        "best alternative": exact["best"],
        "both": exact["best"] + exact["significant"].astype(str),
        "count of the first ranking, even or odd": first % 2,
    }.items()
}
pd.Series(shares, name="share of the variance explained").map("{:.1%}".format).to_frame()

# %% [markdown]
# Significance explains next to nothing, as the paper says; the best alternative explains more, but not much, and nearly all of it is
# the one sample without a single best. Almost all of the variance is *parity*, the zigzag in the figure of all samples. If
# the first ranking occurs an even number of times, both halves can hold it equally often; if it occurs an odd number of
# times, they cannot. And the value of a sample with $c$ occurrences equals that of a sample with $20 - c$: it cannot depend on
# *which* alternative leads, only on by how much. So this figure is about small discrete samples more than about alternatives.
# The message of the appendix does not need it: the two columns "significant" and "10-generalizability" have nothing to do with each other.

# %% [markdown]
# ## How often is the claim wrong?
#
# Now let the probability of the first ranking vary. On the right, alternative 0 really is better. At 0.5, both are equal.

# %%
first_wins = np.round(np.arange(0.5, 0.951, 0.05), 2)
claims = toy.toy_claims(first_wins, n=n, k_gen=k_gen, level=level, delta=delta)
fig = figures.claims_over_probability(claims, n, k_gen)
plt.show()
fair = claims[(claims["probability"] == 0.5) & claims["claim"].str.startswith("claim")]["share"].sum()
print(f"both equally good: {fair:.0%} of the samples declare a significantly best alternative, at level {level:g}")

# %% [markdown]
# *Probability that a sample of 20 declares 0 or 1 significantly best, and mean 10-generalizability.*
#
# At 0.5 there is no best alternative, so a test at the level 0.05 should declare one in at most 5 % of the samples. It does so five
# times as often. The reason is a property of Conover and Iman's test that is easily overlooked: all pairs
# share *one* estimate of the variance of the ranks. Alternatives 2, 3 and 4 always have the same rank, their variance is zero, and they
# make the shared estimate too small for the two that do vary.
#
# That is no oddity of toys. Whenever some alternatives are clearly apart, as in most benchmarks, the equal ones among the rest
# suffer. The Wilcoxon signed-rank test looks at one pair at a time:

# %%
settings = {
    "ten equal alternatives": {"location": [0] * 10},
    "five equal, five others better and far apart": {"location": [0] * 5 + [6, 9, 12, 15, 18]},
    "ten with equal means, skewed, different spreads": {
        "location": [0] * 10,
        "scale": np.linspace(1, 4, 10),
        "noise": "exponential",
    },
}
errors = pd.concat(
    {
        name: gx.significance.familywise_errors(**setting, n_conditions=20, level=level, n_studies=1000, rng=seed)
        for name, setting in settings.items()
    },
    names=["scores", None],
)
errors.reset_index("scores").reset_index(drop=True).round(2)

# %% [markdown]
# *Share of 1,000 simulated tables (20 conditions, 10 alternatives) with at least one false difference, after Holm's correction, with 95 %
# interval. It should not exceed the level.*
#
# Wilcoxon with Holm keeps its promise in the first two cases, whichever alternatives are equal. In the third case neither does: the
# difference of two skewed scores with different spreads is not symmetric, and then "equal means" is not what Wilcoxon's
# test is about. A test holds its level under its conditions, and they belong into the paper.

# %% [markdown]
# ## Both ways round
#
# The two ideas come apart in either direction. The four worlds below differ only in which rankings occur, and how often; two of
# them are the parameters `claimed_...` and `tied_...` of this notebook: change them.
#
# - **always a winner, not generalizable**: alternative 0 is first in about half of the conditions and second in the others, where first
#   place goes to one of the four others at random. No mean rank comes near that of 0.
# - **never a winner, generalizable**: alternatives 0 and 1 nearly always share first place. There is no single best, and
#   all studies agree that these two are.

# %%
worlds = {
    "the toy study": world,
    "equally good": RankingDistribution(toy.TOY.rankings, [0.5, 0.5]),
    "always a winner, not generalizable": RankingDistribution(claimed_rankings, claimed_probabilities),
    "never a winner, generalizable": RankingDistribution(tied_rankings, tied_probabilities),
}
both_ways = toy.compare_worlds(worlds, n=n, k_gen=k_gen, level=level, alpha=alpha, delta=delta, kernel=kernel, rng=seed)
shares_of_samples = list(both_ways.columns[:-1])
both_ways[shares_of_samples] = both_ways[shares_of_samples].map("{:.0%}".format).replace("nan%", "–")
both_ways.columns = [
    "Friedman rejects",
    "a significantly best one",
    "the same one among these",
    f"{k_gen}-generalizability",
    f"n* (α = {alpha:g})",
]
both_ways.T

# %% [markdown]
# *Shares of 400 simulated samples of 20 results; n\* from the known distribution.*
#
# In the third world nearly every study declares the same winner, with confidence, and the claim "0 has the best mean rank" is true
# and reproducible. But studies that are asked *who wins, and how often* agree in about half of the cases only, and it would take more
# conditions than these samples have to change that. In the fourth world a reviewer who looks for a significant winner finds
# nothing, and yet a study of less than ten conditions would do.
# Neither number is wrong. They answer different questions, and the kernel says which one n\* answers.
#
# The first two worlds have the same n\*. Whether 0 is a little better than 1, or not at all, is what a test is made for; how much two
# studies differ hardly depends on it.

# %% [markdown]
# ## A real benchmark: everything side by side
#
# The encoder benchmark of notebook 02: one configuration, one encoder per column, one dataset per row. An encoder without a score gets
# the worst observed one of its dataset, so that all tests see complete rows.

# %%
results = gx.datasets.load_encoders(source)
gx.datasets.notice(results)

# %%
study = gx.Study(
    results,
    alternatives="encoder",
    target="cv_score",
    generalize_over="dataset",
    design=["model", "tuning", "scoring"],
    higher_is_better=True,
    missing="worst-rank",
)
planned = gx.plan(study.nstar(kernel, alpha=alpha, delta=delta))
tests = gx.significance.summarise_tests(
    (study.scores(c, impute=True) for c in study.configurations), level, higher_is_better=True
)
both = pd.concat([planned[[*study.design, "n_experiments", "nstar", "low", "high", "verdict"]], tests], axis=1)
if not configuration:
    configuration = both.loc[both["p_others"].idxmin(), study.design].to_dict()
scores = study.scores(configuration, impute=True)
print(" / ".join(map(str, configuration.values())), f"- {scores.shape[0]} datasets, {scores.shape[1]} encoders")

# %% [markdown]
# **Friedman** asks whether all encoders perform alike; Kendall's W, between 0 and 1, says how much the datasets agree on the ranking.
# **Tiers** compare each encoder with a leader, by Wilcoxon with Holm: a tier is what the data cannot tell from its leader.

# %%
friedman = gx.significance.friedman(scores, higher_is_better=True)
tiers = gx.significance.rank_tiers(scores, level, higher_is_better=True)
print(f"Friedman: F = {friedman.f:.1f}, p = {friedman.p_f:.2g}; Kendall's W = {friedman.kendall_w:.2f}")
tiers.groupby("tier").agg(
    leader=("leader", "first"),
    encoders=("leader", "size"),
    best_mean_rank=("mean_rank", "min"),
    worst_mean_rank=("mean_rank", "max"),
).round(1)

# %% [markdown]
# The **critical-difference diagram** shows all pairs at once: what is joined is not significantly different.

# %%
fig = figures.critical_difference_diagram(friedman.mean_ranks, gx.significance.pairwise_wilcoxon(scores), level)
plt.show()

# %% [markdown]
# *Mean ranks; a bar joins encoders of which no two differ significantly (Wilcoxon, Holm), dots mark its members.*
#
# The **pairwise matrix** adds what a diagram of ranks hides: how large the differences are.

# %%
pairs = gx.significance.compare_pairs(scores, rng=seed, higher_is_better=True)
fig = figures.pairwise_matrix(pairs, level=level, higher_is_better=True)
plt.show()
print(f"{(pairs['p_adjusted'] <= level).sum()} of {len(pairs)} pairs differ significantly after Holm's correction")

# %% [markdown]
# *Mean difference of the scores, row minus column; orange: the row is better; dot: significant after Holm.*
#
# And **n\*** says how many datasets it takes for two independent benchmarks to agree. On what? That is the kernel:

# %%
leader = tiers.index[0]
asked = gx.plan(study.nstar([gx.BordaKernel(leader), kernel, gx.MallowsKernel()], alpha=alpha, delta=delta))
asked = asked[(asked[study.design] == pd.Series(configuration)).all(axis=1)].reset_index(drop=True)
asked[["kernel", "n_experiments", "nstar", "low", "high", "verdict"]].round(1)

# %% [markdown]
# The first tier is wide even where the test of Conover and Iman calls the leader better than each of the others: that one borrows its
# variance from all encoders and leaves the p-values as they are, Wilcoxon's with Holm does neither. And which encoders *win* takes more
# datasets than where the leader ranks.
#
# Four statements about the same table, none of which implies another:
#
# | statement | from |
# |---|---|
# | the encoders do not all perform alike | Friedman |
# | these encoders are not distinguishable from the leader | tiers |
# | this encoder scores higher than that one, by so much | pairwise matrix, effect size, interval |
# | another benchmark with as many datasets would answer this question alike | n* |

# %% [markdown]
# ## All configurations
#
# For every configuration: is there a significantly best encoder (rows), and are there enough datasets for n\* (columns)?

# %%
count = pd.crosstab(
    both["significant"].map({True: "a significantly best encoder", False: "none"}).rename("Conover-Iman"),
    both["verdict"].rename("datasets for n*"),
)
rejects = (both["p_f"] <= level).sum()
print(f"Friedman's test rejects in {rejects} of {len(both)} configurations")
print(f"encoders in the first tier: {both['n_first_tier'].min()} to {both['n_first_tier'].max()}")
count

# %% [markdown]
# Friedman's test rejects everywhere: with dozens of alternatives it can hardly do anything else, and it says nothing about
# who is best. A significantly best encoder is the exception, if there is any. Yet most configurations have enough datasets for two
# benchmarks to agree about the *distribution* of winners: it is spread over many encoders, and it is reproducibly so.
# A significant winner is neither needed for a generalizable conclusion nor enough for one.

# %% [markdown]
# ## Checks

# %%
np.testing.assert_allclose(exact["probability"].sum(), 1)
np.testing.assert_allclose([len(simulated), simulated["probability"].sum()], [n_studies, 1])
if is_papers_world:
    assert len(exact) == 21 and (exact["p_friedman"] <= level).all() and same_after_holm
    table = toy.toy_table(exact)
    np.testing.assert_allclose(table["count"], [339.4, 159.3, 191.3, 252.0, 58.0, 1000], atol=0.05)
    np.testing.assert_allclose(table["generalizability"], [0.73, 0.82, 0.71, 0.74, 0.71, 0.74], atol=0.005)
    np.testing.assert_allclose(table["sd"], [0.10, 0.00, 0.10, 0.10, 0.09, 0.10], atol=0.005)
    # Published counts against the exact expectation: a draw of 1,000 deviates by a few standard deviations at most.
    expected = table["count"].to_numpy()[:5]
    assert (np.abs(toy.PUBLISHED_TOY["count"][:5] - expected) < 3 * np.sqrt(expected * (1 - expected / 1000))).all()
    np.testing.assert_allclose(fair, 0.263, atol=0.0005)
    assert shares["significance"] < 0.01 and shares["count of the first ranking, even or odd"] > 0.9
assert len(both) == len(study.configurations)
if results.attrs["source"] == "original" and (level, alpha, delta) == (0.05, 0.95, 0.05):
    assert rejects == 48 and both["significant"].sum() == 2

# %% [markdown]
# ## What to report in a paper
#
# - [ ] **The question**, in words, before the numbers: who wins? where does this one rank? is the whole order alike?
# - [ ] **The population**: of which conditions are yours a sample, and what was held constant?
# - [ ] **Every difference with its size**: mean difference, 95 % interval and an effect size, and then the p-value.
# - [ ] **The name of the test, its conditions, and the correction**: Wilcoxon with Holm over *all* pairs looked at, zeros after Pratt,
#   say. Conover and Iman's test only where all alternatives could be equal; it is wrong too often among unequal ones.
# - [ ] **Tiers** instead of a strict ranking: the leader, and all that the data cannot tell from it.
# - [ ] **Missing results**: how many, and what was done about them.
# - [ ] **n\* with its interval**, its kernel, α and δ, beside the number of conditions that were run.
# - [ ] **No winner is a result**: "these five share the first tier, and n\* is below the number of datasets" is a finding.
# - [ ] **Not**: "significant, hence generalizable", nor "not significant, hence equal".
#
# ## Summary
#
# - The published table comes back by simulation and, better, exactly: it is a sum over 21 samples.
# - From one world come samples in which 0 is significantly best and samples in which 1 is. Significance describes the sample.
# - 10-generalizability hardly depends on significance, and in this toy mostly on whether a count is even.
# - Conover and Iman's test declares a best one of two equal alternatives in a quarter of the samples; the signed-rank test with Holm holds
#   its level as long as differences of equal alternatives are symmetric.
# - There are worlds with a significant winner in every sample and little agreement, and worlds with agreement and no winner.
#
# ## On your own
#
# 1. Set `probabilities = [0.7, 0.3]`. Which of the 21 samples become likely? Does the zigzag change? Why not?
# 2. Find `claimed_...` such that a winner is significant in at least 95 % of the samples and 10-generalizability is lowest.
# 3. Add a third ranking to the world, [1, 2, 0, 3, 4], and set `probabilities = [0.45, 0.35, 0.2]`. How many possible samples are there
#    now? Write the number as a binomial coefficient.
# 4. Replace the Jaccard kernel by `gx.MallowsKernel()` in "Both ways round". Which worlds become reproducible, and what does that mean for
#    someone who wants to know the winner?
# 5. The third world has one reproducible conclusion, "0 has the best mean rank". For which kernel is its n\* small?
#
# ## Further reading
#
# Demšar, *Statistical comparisons of classifiers over multiple data sets*, JMLR 2006. Benavoli, Corani and Mangili, *Should we
# really use post-hoc tests based on mean-ranks?*, JMLR 2016: other reasons to compare one pair at a time. Conover,
# *Practical Nonparametric Statistics*, 1999, Section 5.8.
