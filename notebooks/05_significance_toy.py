# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["slide"]
# # Significant is not generalizable
#
# *Executable companion to* Generalizability of Experimental Studies, *second version, Appendix A: Table 1 and Figure 6.*
#
# "The difference is significant" and "the conclusion generalizes" sound like the same promise. They are answers to two
# questions. A test asks whether the differences within *this sample* could be chance. Generalizability asks
# whether *another sample*, of the same size, would find a similar distribution of answers to the research question.
# This notebook takes a world so small that both can be computed without error, looks for worlds in which they come apart, and
# ends with a real benchmark, a way to say "no difference that matters", and a list of what to report.
#
# **You will learn** what Friedman's test, the tests of Conover and Iman and of Wilcoxon, tiers, and n* each say about the same results;
# why a significant winner may be another one in the next sample; why a test can be wrong far more often than its
# level; why results without any significant winner can be perfectly generalizable; and how to show that a difference is too small to matter.
#
# **You need** p-values and the binomial distribution, and notebook 01 for kernels, n-generalizability and n\*.
#
# **Time** 60 minutes to read, 120 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
rankings: list[list[int]] = [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]]  # tiers in each possible result; 0 is best
probabilities: list[float] = [0.55, 0.45]  # probability of each; few enough results (three of 20) to enumerate
n: int = 20  # results in a sample
k_gen: int = 10  # size of the two studies whose agreement is asked for, at most n / 2
level: float = 0.05  # level of all tests, in (0, 0.5)
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
]  # first of your own worlds; by default, one with a significant winner in nearly every sample
claimed_probabilities: list[float] = [0.26, 0.26, 0.12, 0.12, 0.12, 0.12]  # probability of each of its results
tied_rankings: list[list[int]] = [[0, 0, 1, 2, 3], [0, 0, 3, 2, 1], [0, 1, 4, 3, 2], [1, 0, 2, 3, 4]]  # second: without
tied_probabilities: list[float] = [0.45, 0.45, 0.05, 0.05]  # probability of each of its results
source: str = "auto"  # encoder benchmark: original (published), bundled (this project's own runs), or auto
configuration: dict = {}  # its model, tuning and scoring to look at; empty: the one with the clearest winner
rope: float = 0.01  # difference of two scores up to which it does not matter; chosen before looking
power: float = 0.8  # probability wanted of finding a difference that does matter, above the level and below 1
seed: int = 0  # seed of everything random

# %% [markdown]
# ## Setup

# %%
import warnings

import numpy as np
import pandas as pd
import pingouin as pg

import genexpy_nb as gx
from genexpy_nb.chapters import significance_toy as toy
from genexpy_nb.common import exercises, page
from genexpy_nb.common.choices import show_choices
from genexpy_nb.common.prose import compared, percent, say, span, verbatim
from genexpy_nb.common.verdicts import verdict_sentence
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.plots import choices as drawings
from genexpy_nb.plots import significance as figures

gx.plots.use_style()


def written_p(p, equals=""):
    return "< 0.001" if p < 0.001 else f"{equals}{p:.3f}"


def named(best):
    return best.strip("{}").replace(", ", " and ") or "any"


def shortly(share):
    return percent(share).replace("less than ", "< ").replace("more than ", "> ")


# %% [markdown]
# ## A world with few results
#
# A condition is a dataset, say, and its result is a ranking of the alternatives. In this world only these results are possible:

# %%
world = RankingDistribution(rankings, probabilities)
n_alternatives = world.rankings.shape[1]
possible = pd.DataFrame(world.rankings).add_prefix("alternative ").assign(probability=world.probabilities)
possible.index += 1
page.show_table(
    possible.rename_axis("result"),
    "world",
    "All results that can occur: the tier of each alternative, 0 = best, and how often the result occurs.",
)

# %% [markdown]
# > Aside: Nothing has been measured here. The world is invented, and so small that what a study may find in it can be counted.
#
# The research question is the everyday one: *is there an alternative that is better than the others?* A study answers it by a sample of
# rankings:
#
# 1. **Friedman's test**: do the alternatives differ at all?
# 2. **The test of Conover and Iman**: is the one with the best mean rank significantly better than *each* of the others?
#    If so, call it *significantly best*.
# 3. **k-generalizability** of the sample: draw two disjoint studies of k results each from it. How often do they agree? Agreement is
#    measured with the Jaccard kernel on the winners.

# %%
kernel = gx.JaccardKernel(k=1)
epsilon = kernel.epsilon(delta, n_alternatives)
is_papers_world = (
    np.array_equal(world.rankings, toy.TOY.rankings)
    and np.allclose(world.probabilities, toy.TOY.probabilities)
    and (n, k_gen, level, delta) == (20, 10, 0.05, 0.05)
)
exact = toy.exact_toy(world, n=n, k_gen=k_gen, level=level, delta=delta)
simulated = toy.simulate_toy(world, n=n, k_gen=k_gen, level=level, delta=delta, n_studies=n_studies, rng=seed)
rejected = (exact["p_friedman"] <= level).sum()
say(
    f"Here a sample holds {n} rankings, and k is {k_gen}. Two studies of {k_gen} agree if their MMD is at most {epsilon:.3f} (δ = {delta:g}).",
    "The paper simulates samples. But a sample holds nothing that matters except *how often* each ranking occurs in it. That leaves "
    f"{len(exact)} possible samples of {n}, each with a multinomial probability, one outcome of the tests, and one {k_gen}-generalizability, "
    f"which is a hypergeometric sum. So the whole experiment can be enumerated. Friedman's test rejects in {rejected} of the {len(exact)} samples. "
    "The most probable ones are in [table](#table-samples), all of them in [figure](#figure-samples).",
)

# %%
shown_samples = ["counts", "probability", "p_others", "best", "significant", "generalizability"]
page.show_table(
    exact.sort_values("probability", ascending=False, kind="stable").head(5)[shown_samples],
    "samples",
    "The most probable samples, and what they say. p: of Conover and Iman's test, between the best alternative and the one that is hardest to tell from it.",
    {
        **{"counts": "how often each result occurs", "p_others": "p", "best": "best mean rank"},
        **{"significant": "significantly best", "generalizability": f"{k_gen}-generalizability"},
    },
    {"probability": 3, "p_others": written_p, "best": named, "generalizability": 3},
)

# %% tags=["hero", "slide"]
claimed = exact[exact["significant"]].groupby("best")["probability"].sum()
claimed = claimed[claimed > 0]
shares_claimed = ", ".join(f"alternative {named(best)} in {percent(share)}" for best, share in claimed.items())
page.show_figure(
    figures.toy_samples(exact, k_gen),
    "samples",
    f"Every possible sample of {n} results from one small world, by how many of them are the first possible ranking. Above: how likely the sample is. "
    f"Below: how often two studies of {k_gen}, drawn from it, agree on who wins ({k_gen}-generalizability). Colour and shape: the alternative with the best mean "
    "rank (grey: a tie); filled: it is significantly best.",
    f"{len(exact)} possible samples. Significantly best is {shares_claimed or 'no alternative in any'} of the samples, weighted by how likely they are; "
    f"{k_gen}-generalizability lies between {exact['generalizability'].min():.2f} and {exact['generalizability'].max():.2f}.",
)

# %%
if len(claimed) > 1:
    lesson = f"**Samples of one world contradict each other.** Significantly best is {shares_claimed} of the samples: each significant by itself, and all drawn from the same world."
elif len(claimed):
    lesson = f"Only one alternative is ever significantly best here: {shares_claimed} of the samples."
else:
    lesson = "No sample of this world has a significantly best alternative."
say(lesson)

# %% [markdown]
# ## The paper's Table 1: simulated, exact, published
#
# The paper draws 1,000 samples and groups them by what the tests say of them. [Table](#table-groups) does the same, and puts beside it what
# comes out on average, without any draw.

# %%
keys = ["significant", "best"]
tables = {"simulated": toy.toy_table(simulated), "exact": toy.toy_table(exact)}
beside = pd.concat({name: table.set_index(keys) for name, table in tables.items()}, axis=1).swaplevel(axis=1)
beside = beside.reindex(columns=["count", "generalizability", "sd"], level=0)
beside = beside.reindex(tables["exact"].set_index(keys).index)
beside["count"] = beside["count"].fillna(0)  # what no simulated sample shows; such samples have no mean
page.show_table(
    beside.rename(index=named, level="best"),
    "groups",
    f"Samples by what they say: how many in 1,000, and mean and standard deviation of their {k_gen}-generalizability; from {n_studies:,} simulated samples, "
    "and exactly.",
    {
        **{"significant": "significant winner", "best": "best mean rank", "count": "samples in 1,000"},
        **{"generalizability": f"mean {k_gen}-generalizability", "sd": "standard deviation"},
    },
    {"count": 1, "generalizability": "{:.2f}", "sd": "{:.2f}"},
)

# %%
kept = {"count": [], "generalizability": []}
if is_papers_world:
    expected = tables["exact"]["count"].to_numpy()[:5]
    off = np.abs(toy.PUBLISHED_TOY["count"][:5] - expected) / np.sqrt(expected * (1 - expected / 1000))
    assert toy.PUBLISHED_TOY[keys].equals(tables["exact"][keys])
    called = {
        "count": "samples in 1,000",
        "generalizability": f"mean {k_gen}-generalizability",
        "sd": f"standard deviation of {k_gen}-generalizability",
    }
    rows = list(zip(toy.PUBLISHED_TOY.to_dict("records"), tables["exact"].to_dict("records"), strict=True))
    for column, what in called.items():
        for i, (printed, ours) in enumerate(rows[: 5 if column == "count" else 6]):  # all samples are 1,000 in 1,000
            claim = {"no": "not significant", "yes": "significant", "all": "all samples"}[printed["significant"]]
            leads = f", {named(printed['best'])} {'lead' if ',' in printed['best'] else 'leads'}" * bool(
                printed["best"]
            )
            if column == "count":
                reason = f"apart by {off[i]:.1f} standard deviations of a draw of 1,000"
            elif f"{printed[column]:.2f}" == f"{ours[column]:.2f}":
                reason = "the same to two digits"
            elif column == "sd" and "," in printed["best"]:
                reason = "there is one such sample only"
            else:
                reason = f"the published one stands on {printed['count']:.0f} samples"
            name = "-".join([column, printed["significant"], *named(printed["best"]).split(" and ")])
            page.key_number(
                name,
                f"{what}: {claim}{leads}",
                round(ours[column], 9),  # no 1e-17 where it is nothing
                published=printed[column],
                source="Matteucci et al. (2025), Table 1",
                reason=reason,
                decimals=1 if column == "count" else 2,
            )
            kept["count" if column == "count" else "generalizability"].append(name)
    page.show_published(
        "published-counts", "How many of 1,000 samples say what: simulated in the paper, exact here.", kept["count"]
    )
    page.show_published(
        "published-generalizability",
        f"Mean and standard deviation of the {k_gen}-generalizability of samples, by what they say: simulated in the paper, exact here.",
        kept["generalizability"],
    )
else:
    display(say("The printed numbers belong to the paper's world; this run has another one."))

# %%
significant = exact["significant"]
after_holm = toy.exact_toy(world, n=n, k_gen=k_gen, level=level, delta=delta, adjust="holm")["significant"]
same_after_holm = significant.equals(after_holm)
assert not (after_holm & ~significant).any()  # the correction makes no p-value smaller
holm = "Correcting Conover and Iman's p-values after Holm " + (
    "makes the same samples significant."
    if same_after_holm
    else f"leaves {after_holm.sum()} of the {significant.sum()} possible samples significant that are so without it."
)
if is_papers_world:
    tie = exact[exact["best"] == "{0, 1}"]
    last = [float(t["generalizability"].iloc[4]) for t in (toy.PUBLISHED_TOY, tables["exact"])]
    notes = [
        f"The published counts deviate from the expected ones by up to {off.max():.1f} standard deviations of a draw of 1,000 samples.",
        f"Two entries deserve a footnote. Where 0 and 1 lead together, the paper has a standard deviation of {toy.PUBLISHED_TOY['sd'][1]:.2f}, but there is only one such "
        f"sample, whose true value is one number, {tie['generalizability'].iloc[0]:.3f}: the published spread can only come from how it was estimated. And the last mean, {last[0]:.2f} "
        f"for alternative 1, stands on {toy.PUBLISHED_TOY['count'][4]:.0f} samples; the exact value is {last[1]:.3f}.",
    ]
    holm += " Of the ten comparisons only that of 0 and 1 is in doubt, it has the largest p-value, and Holm's procedure leaves the largest one as it is."
say(*(notes if is_papers_world else []), holm if significant.any() else "No possible sample is significant.")

# %% [markdown]
# ## The paper's Figure 6: does significance predict generalizability?
#
# If it did, the samples with and those without a significant winner would lie far apart on the left of [figure](#figure-curves).

# %%
by_claim = simulated.groupby("significant")["generalizability"].mean()
page.show_figure(
    figures.toy_generalizability(simulated, k_gen),
    "curves",
    f"Share of the {n_studies:,} simulated samples up to a given {k_gen}-generalizability; in brackets, how many samples a curve holds. Left: by significance, "
    "with Monte Carlo intervals (95 %); right: by the best alternative, too.",
    f"Mean {k_gen}-generalizability of the simulated samples: "
    + ", ".join(
        f"{mean:.2f} {'with' if claim else 'without'} a significantly best alternative"
        for claim, mean in by_claim.items()
    )
    + ".",
)

# %% [markdown]
# The paper concludes that generalizability depends mainly on which alternative is best, and less on significance. With the exact values
# one can say how much of the variance of k-generalizability each property of a sample explains ([table](#table-variance)).

# %%
first = exact["counts"].str[0]
shares = {
    name: toy.variance_explained(exact, groups)
    for name, groups in {
        "significance": exact["significant"],
        "best alternative": exact["best"],
        "both": exact["best"] + exact["significant"].astype(str),
        "is there a single best": exact["best"].str.contains(","),
        "count of the first result, even or odd": first % 2,
    }.items()
}
page.show_table(
    pd.Series(shares, name="share of the variance").rename_axis("property of a sample").to_frame(),
    "variance",
    f"How much of the variance of {k_gen}-generalizability a property of a sample explains, over all possible samples.",
    forms={"share of the variance": "{:.1%}"},
)

# %%
two_results = len(world.probabilities) == 2
mass = exact["generalizability"] * exact["probability"]
parity = mass.groupby(first % 2).sum() / exact["probability"].groupby(first % 2).sum()
of_parity = shares["count of the first result, even or odd"]
if np.isnan(of_parity):
    lesson = ["All samples are equally generalizable: there is nothing to explain."]
else:
    lesson = [
        f"Significance explains {percent(shares['significance'])} of it, the best alternative {percent(shares['best alternative'])}; whether there is a "
        f"single best {percent(shares['is there a single best'])}.",
        f"Parity explains {percent(of_parity)}: if the first result occurs an even number of times, {k_gen}-generalizability is {parity[0]:.2f} on average, if an odd number of "
        f"times, {parity[1]:.2f}"
        + (
            ". That is the zigzag in [figure](#figure-samples), and the steps in [figure](#figure-curves)."
            if of_parity > 0.8
            else "."
        ),
    ]
if two_results:
    lesson.append(
        f"With two possible results, the value of a sample with c occurrences of the first equals that of a sample with {n} − c: it cannot depend on "
        "*which* alternative leads, only on by how much."
    )
say(
    *lesson,
    "So [figure](#figure-curves) is about small discrete samples more than about alternatives."
    if of_parity > max(0.5, shares["both"])
    else "",
    "Being significant and being generalizable have next to nothing to do with each other here."
    if shares["significance"] < 0.05 and 0 < claimed.sum() < 1
    else "",
)

# %% [markdown] tags=["slide"]
# ## How often is the claim wrong?
#
# Take the paper's two rankings, and let the probability of the first one vary. On the right of [figure](#figure-claims), alternative 0
# really is better. At 0.5, 0 and 1 are equal.

# %% tags=["subslide"]
first_wins = np.round(np.arange(0.5, 0.951, 0.05), 2)
claims = toy.toy_claims(first_wins, n=n, k_gen=k_gen, level=level, delta=delta)
at_ends = claims.pivot(index="probability", columns="claim", values="share").iloc[[0, -1]]
page.show_figure(
    figures.claims_over_probability(claims, n, k_gen),
    "claims",
    f"Probability that a sample declares 0 or 1 significantly best, and mean {k_gen}-generalizability.",
    f"From probability {at_ends.index[0]:g} of the first ranking to {at_ends.index[1]:g}: "
    + "; ".join(
        f"{claim.removeprefix('claim: ')}, {percent(ends.iloc[0])} to {percent(ends.iloc[1])}"
        for claim, ends in at_ends.items()
    )
    + ".",
)

# %%
fair = claims[(claims["probability"] == 0.5) & claims["claim"].str.startswith("claim")]["share"].sum()
two_equal = RankingDistribution([[0, 1], [1, 0]], [0.5, 0.5])  # 0 and 1 of the same world, without the other three
alone = toy.exact_toy(two_equal, n=n, k_gen=k_gen, level=level, delta=delta)
fair_alone = alone.loc[alone["significant"], "probability"].sum()
say(
    f"At 0.5 there is no best alternative, so a test at the level {level:g} should declare one in at most {percent(level, 1)} of the samples. It does in "
    f"{percent(fair, 1)}"
    + (f": {fair / level:.1f} times the level. That is too often." if fair > level else ", and keeps its level here."),
    "What do the alternatives that nobody doubts have to do with that? In Conover and Iman's test all pairs share *one* estimate of the variance of the ranks, and "
    "2, 3 and 4, which always have the same rank here, bring it down. Left alone with 0 and 1, the same test declares one of them best in "
    f"{percent(fair_alone, 1)} of the samples.",
)

# %% [markdown]
# > Aside: Benavoli, Corani and Mangili (2016) give other reasons to look at one pair at a time.
#
# Behind each point of these lines stands a whole distribution of samples. Choose the probability of the first ranking, and watch the
# samples move.

# %%
samples_at = {
    float(p): toy.exact_toy(
        RankingDistribution(toy.TOY.rankings, [p, 1 - p]), n=n, k_gen=k_gen, level=level, delta=delta
    )
    for p in first_wins
}
tallest = max(samples["probability"].max() for samples in samples_at.values())
claimed_by_1 = {p: s.loc[s["significant"] & (s["best"] == "{1}"), "probability"].sum() for p, s in samples_at.items()}
lowest_p, highest_p = float(first_wins[0]), float(first_wins[-1])
show_choices(
    "claims-by-p",
    {"probability of the first ranking, p": samples_at.keys()},
    lambda p: drawings.toy_bars(samples_at[p], p, tallest, k_gen),
    caption=f"All samples of {n} results: how likely each is, and what it claims at the level {level:g}. At 0.5, alternatives 0 and 1 are equal, and "
    "every claim is wrong; above, those of 1 are.",
    alt=f"As p grows from {lowest_p:g} to {highest_p:g}, the samples move towards claiming that 0 is best; the share that claims 1 goes from "
    f"{percent(claimed_by_1[lowest_p])} to {percent(claimed_by_1[highest_p])}.",
    start={"probability of the first ranking, p": 0.55},
)

# %% [markdown]
# Is that an oddity of toys? In [table](#table-errors), the alternatives have scores, and the same test stands beside the Wilcoxon signed-rank
# test, which looks at one pair at a time. In the second setting some alternatives are clearly apart, and the others equal.

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
errors = errors.reset_index("scores").reset_index(drop=True)
errors["verdict"] = np.select([errors["low"] > level, errors["high"] < level], ["above the level", "below"], "on it")
page.show_table(
    errors.drop(columns="n_false").set_index(["scores", "test"]),
    "errors",
    "Share of 1,000 simulated tables (20 conditions, 10 alternatives) with at least one false difference, after Holm's correction, with Wilson's interval "
    f"(95 %). It should not exceed the level, {level:g}.",
    {"estimate": "share with a false difference", "low": "interval from", "high": "to", "verdict": "the interval is"},
    dict.fromkeys(["estimate", "low", "high"], "{:.1%}"),
)

# %%
above = errors[errors["verdict"] == "above the level"].groupby("test", sort=False)["scores"].agg("; ".join)
say(
    "**Wrong more often than the level allows:** "
    + ". ".join(f"*{test}*: {where}" for test, where in above.items())
    + "."
    if len(above)
    else "In these three settings, 1,000 tables do not show either test to be wrong more often than the level allows."
)

# %% [markdown]
# > Aside: Why Holm, and not Bonferroni? Both hold the level whatever the p-values have to do with each other; Holm rejects at least as often.
#
# Wilcoxon's test asks whether differences are symmetric about zero. For two skewed scores with different spreads they are not, though the means are
# equal, and then "equal means" is not what this test is about. A test holds its level under its conditions, and they belong in the paper.

# %% [markdown]
# ## Both ways round
#
# Do the two ideas come apart in either direction? The four worlds of [table](#table-worlds) differ only in which rankings occur, and how often; two of
# them are the parameters `claimed_...` and `tied_...` of this notebook: change them.
#
# - **first of your own**: by default, alternative 0 is first in about half of the conditions and second in the others, where first
#   place goes to one of the four others at random. No mean rank comes near that of 0.
# - **second of your own**: by default, alternatives 0 and 1 share first place in nine of ten conditions. There is no single best, and
#   nearly all studies agree that these two are.

# %% tags=["slide"]
worlds = {
    "the world above": world,
    "the paper's, equally good": RankingDistribution(toy.TOY.rankings, [0.5, 0.5]),
    "first of your own": RankingDistribution(claimed_rankings, claimed_probabilities),
    "second of your own": RankingDistribution(tied_rankings, tied_probabilities),
}
both_ways = toy.compare_worlds(
    worlds, n=n, k_gen=k_gen, level=level, alpha=alpha, delta=delta, kernel=kernel, n_studies=400, rng=seed
)
page.show_table(
    both_ways,
    "worlds",
    "Four worlds: shares of 400 simulated samples, and n\\* from the known distribution.",
    {
        **{"friedman_rejects": "Friedman rejects", "significant": "has a significantly best one"},
        **{"same_best": "the same one among these", "generalizability": f"{k_gen}-generalizability"},
        "nstar": f"n* (α = {alpha:g})",
    },
    dict.fromkeys(both_ways.columns[:-1], "{:.0%}") | {"nstar": 0},
)

# %%
needs_more = both_ways["nstar"] > n
shown_nstar = both_ways["nstar"].map(lambda nstar: f"{nstar:.0f}" if np.isfinite(nstar) else "more than 100,000")
winner = both_ways.index[(both_ways["significant"] >= 0.9) & needs_more]
agreed = both_ways.index[(both_ways["significant"] <= 0.1) & ~needs_more]
sentences = [
    f"**A winner, and too little agreement** ({name}): {percent(both_ways.loc[name, 'significant'])} of the studies declare a significantly best alternative, the same one in "
    f"{percent(both_ways.loc[name, 'same_best'])} of these. But two studies of {k_gen} that are asked *who wins, and how often* agree in {percent(both_ways.loc[name, 'generalizability'])} of the "
    f"cases, and it would take studies of {shown_nstar[name]} conditions, more than the {n} of these samples, to make that {percent(alpha)}."
    for name in winner
] + [
    f"**Agreement, and hardly ever a winner** ({name}): a reviewer who looks for a significant winner finds one in {percent(both_ways.loc[name, 'significant'])} of the studies, and yet "
    f"n\\* is {shown_nstar[name]}, no more than the {n} of these samples."
    for name in agreed
]
say(
    *sentences,
    "Neither number is wrong. They answer different questions, and the kernel says which one n\\* answers."
    if len(winner) and len(agreed)
    else "With these parameters the worlds do not show both directions; the default ones do.",
    f"The first two worlds have n\\* {shown_nstar.iloc[0]} and {shown_nstar.iloc[1]}. Whether 0 is a little better than 1, or not at all, is what a test is made for; how much "
    "two studies differ hardly depends on it."
    if is_papers_world
    else "",
)

# %% [markdown]
# ## A real benchmark: everything side by side
#
# > Aside: A failed evaluation is a result: tests on ranks put it last in its dataset, tests on scores give it the worst observed score.
#
# The encoder benchmark of notebook 02: one configuration, one encoder per column, one dataset per row.

# %%
results = gx.datasets.load_encoders(source)
gx.datasets.notice(results)

# %%
with warnings.catch_warnings(
    action="ignore", category=gx.StudyWarning
):  # of missing evaluations, which are counted below
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
tests = pd.DataFrame(
    {
        "p_f": study.friedman(c).p_f,
        "p_others": (best := study.best(c, level)).p_others,
        "significant": best.significant,
        "n_first_tier": (study.tiers(c, level, impute=True)["tier"] == 0).sum(),
        "most_wins": (study.rankings(c) == 0).mean().max(),  # share of the datasets
    }
    for c in study.configurations
)
both = pd.concat([planned[[*study.design, "n_experiments", "nstar", "low", "high", "verdict"]], tests], axis=1)
if not configuration:
    configuration = both.loc[both["p_others"].idxmin(), study.design].to_dict()
scores = study.scores(configuration, impute=True)
n_missing = int(study.scores(configuration).isna().sum().sum())
say(
    f"Looked at: {' / '.join(map(verbatim, configuration.values()))}, with {scores.shape[0]} datasets and {scores.shape[1]} encoders; "
    f"{percent(n_missing / scores.size)} of the evaluations failed"
    + (", and what is concluded here rests on that, too." if n_missing > 0.2 * scores.size else ".")
)

# %% [markdown]
# **Friedman** asks whether all encoders perform alike; Kendall's W, between 0 and 1, says how much the datasets agree on the ranking.
# **Tiers** compare each encoder with a leader, by Wilcoxon with Holm: a tier holds what is not significantly worse than its leader.

# %%
friedman = study.friedman(configuration)
tiers = study.tiers(configuration, level, impute=True)
leader = tiers.index[0]
first_tier = tiers.index[tiers["tier"] == 0]
say(
    f"Friedman: F = {friedman.f:.1f}, p {written_p(friedman.p_f, '= ')}; Kendall's W = {friedman.kendall_w:.2f}. "
    f"The first tier, led by {verbatim(leader)}, holds {len(first_tier)} of {len(tiers)} encoders ([table](#table-tiers))."
)

# %%
summary = {"leader": ("leader", "first"), "encoders": ("leader", "size")}
summary |= {"best_mean_rank": ("mean_rank", "min"), "worst_mean_rank": ("mean_rank", "max")}
page.show_table(
    tiers.groupby("tier").agg(**summary),
    "tiers",
    "Tiers of encoders. A tier holds what is not significantly worse than its leader; of two tiers, mean ranks may overlap.",
    {"tier": "tier (0 = best)", "best_mean_rank": "best mean rank", "worst_mean_rank": "worst mean rank"},
    {"best_mean_rank": 1, "worst_mean_rank": 1},
)

# %% [markdown]
# The **critical-difference diagram** ([figure](#figure-ranks)) shows all pairs at once: what is joined is not significantly different.

# %%
mean_ranks = tiers["mean_rank"]
page.show_figure(
    figures.critical_difference_diagram(*study.critical_difference(configuration, level, impute=True)),
    "ranks",
    "Mean ranks; a bar joins encoders of which no two differ significantly (Wilcoxon, Holm), dots mark its members.",
    f"{leader} has the best mean rank of {len(mean_ranks)} encoders, {mean_ranks.min():.1f}; with it, the first tier holds {len(first_tier)} of them.",
)

# %% [markdown]
# The **pairwise matrix** ([figure](#figure-pairs)) adds what a diagram of ranks hides: how large the differences are.

# %%
pairs = study.pairs(configuration, impute=True, rng=seed)
n_different = int((pairs["p_adjusted"] <= level).sum())
page.show_figure(
    figures.pairwise_matrix(pairs, level=level, higher_is_better=True),
    "pairs",
    "Mean difference of the scores, row minus column; orange: the row is better; dot: significant after Holm.",
    f"{n_different} of {len(pairs)} pairs of encoders differ significantly; the largest mean difference is {pairs['estimate'].abs().max():.3f}.",
)

# %% [markdown]
# And **n\*** says how many datasets it takes for two independent benchmarks to agree. On what? That is the kernel
# ([table](#table-nstar); notebook 04 measures how often such intervals hold n\*).

# %%
asked = gx.plan(study.nstar([gx.BordaKernel(leader), kernel, gx.MallowsKernel()], alpha=alpha, delta=delta))
asked = asked[(asked[study.design] == pd.Series(configuration)).all(axis=1)].reset_index(drop=True)
questions = [f"where does {leader} rank?", "who wins?", "what is the order of all?"]
page.show_table(
    asked[["n_experiments", "nstar", "low", "high", "verdict"]].set_index(pd.Index(questions, name="question")),
    "nstar",
    f"Datasets at hand and n\\* for three questions, with a jackknife interval of nominal 95 % (α = {alpha:g}, δ = {delta:g}).",
    {"n_experiments": "datasets at hand", "nstar": "n*", "low": "interval from", "high": "to"},
    dict.fromkeys(["nstar", "low", "high"], 1),
)

# %%
best = study.best(configuration, level)
where, who = asked["nstar"].iloc[0], asked["nstar"].iloc[1]
say(
    f"{n_different} of {len(pairs)} pairs differ significantly (Wilcoxon, Holm).",
    f"The test of Conover and Iman calls {verbatim(best.best[0])} better than each of the others, and yet the first tier holds {len(first_tier)} encoders. That test borrows its "
    "variance from all encoders and leaves the p-values as they are; Wilcoxon's with Holm does neither."
    if best.significant and len(first_tier) > 1
    else "By the test of Conover and Iman, "
    + verdict_sentence(
        "significance",
        "better" if best.significant else "not better",
        a=" and ".join(map(verbatim, best.best)),
        b="every other encoder",
    )
    + ".",
    f"Which encoders *win* takes {compared(who, where, 'fewer', 'as many', 'more')} datasets {'as' if who == where else 'than'} where {verbatim(leader)} ranks: "
    f"{who:.1f} against {where:.1f}."
    if np.isfinite([who, where]).all()
    else "",
)

# %% [markdown]
# Four conclusions from the same table. Each has a computation of its own, and none can be read off the outcome of another:
#
# | statement | from |
# |---|---|
# | the encoders do not all perform alike | Friedman |
# | these encoders are not significantly worse than the leader | tiers |
# | this encoder scores higher than that one, by so much | pairwise matrix, effect size, interval |
# | another benchmark with as many datasets would find a similar distribution of answers | n* |
#
# A fifth, that another benchmark would *name the same winner*, has a computation of its own, too: notebook 10.

# %% [markdown]
# ## The same with pingouin
#
# [pingouin](https://pingouin-stats.org) has such tests ready for a long table, one row per dataset and encoder. Here the leader and the three next
# best mean ranks: first a repeated-measures ANOVA, which asks of scores what Friedman asks of ranks, then all pairs by paired t-tests.

# %%
shown = list(tiers.index[:4])
long = scores[shown].rename_axis(index="dataset", columns="encoder").stack().rename("score").reset_index()
roles = {"dv": "score", "within": "encoder", "subject": "dataset"}
anova = pg.rm_anova(long, **roles)
pingouins = pg.pairwise_tests(long, **roles, padjust="holm", effsize="cohen")
page.show_table(
    pingouins[["A", "B", "T", "dof", "p_unc", "p_corr", "cohen"]].set_index(["A", "B"]),
    "pingouin",
    "Paired t-tests of pingouin, first minus second encoder, corrected after Holm over the pairs in the table.",
    {
        **{"A": "first", "B": "second", "T": "t", "dof": "degrees of freedom"},
        **{"p_unc": "p", "p_corr": "p, Holm", "cohen": "Cohen's d"},
    },
    {"p_unc": written_p, "p_corr": written_p},
)

# %%
four = scores.loc[:, scores.columns.isin(shown)]
ours = gx.significance.compare_pairs(four, higher_is_better=True, interval="t").set_index(["a", "b"])
of_all = gx.significance.equivalent_pairs(scores, rope, level=level, higher_is_better=True)
equivalence = of_all[of_all["a"].isin(shown) & of_all["b"].isin(shown)]
by_pair = {frozenset((row.A, row.B)): row for row in pingouins.itertuples()}
sizes = []
for pair in equivalence.itertuples():
    theirs, mine = by_pair[frozenset((pair.a, pair.b))], ours.loc[(pair.a, pair.b)]
    tost = pg.tost(scores[pair.a], scores[pair.b], bound=rope, paired=True)["pval"].iloc[0]
    np.testing.assert_allclose(pair.p_different, theirs.p_unc, rtol=1e-6)
    assert theirs.p_corr <= pair.p_different_adjusted * (1 + 1e-9)
    np.testing.assert_allclose(pair.p_equivalent, tost, rtol=1e-6)
    np.testing.assert_allclose([abs(mine.d_av), abs(mine.d_z)], [abs(theirs.cohen), abs(theirs.T) / len(scores) ** 0.5])
    sizes.append((f"{pair.a}, {pair.b}", abs(theirs.cohen), abs(mine.d_z)))
two = long[long["encoder"].isin(shown[:2])]
t = by_pair[frozenset(shown[:2])].T
np.testing.assert_allclose(pg.rm_anova(two, **roles)["F"].iloc[0], t**2)
sizes = pd.DataFrame(sizes, columns=["pair", "pingouin's d", "d_z"]).set_index("pair")
say(
    f"ANOVA over the {len(shown)}: F = {anova['F'].iloc[0]:.2f}, uncorrected p {written_p(anova['p_unc'].iloc[0], '= ')}. For two encoders it is the paired t-test again (F = t²). The "
    f"uncorrected p-values of the {len(equivalence)} pairs agree with this package's."
)

# %%
page.show_table(
    sizes,
    "effects",
    "Two effect sizes of the same pairs: the mean difference in standard deviations of the scores, and of the differences.",
    {"pingouin's d": "of the scores (pingouin's d)", "d_z": "of the differences"},
    dict.fromkeys(sizes.columns, 3),
)

# %% [markdown]
# Three traps. These encoders were chosen *because* they rank first, and pingouin corrects over the pairs that it is given; the correction has to be over all pairs that
# were looked at, here those of the whole benchmark, as in the next section. pingouin's paired Cohen's *d* divides the mean difference by the standard deviation of the *scores* (*d*<sub>av</sub>), not by that of the *differences*
# (*d*<sub>z</sub>), which is the one that a paired test sees and a power analysis needs. And its bootstrap rounds to two decimals unless told:

# %%
d = (scores[shown[0]] - scores[shown[1]]).to_numpy()
boot = {"func": "mean", "method": "per", "confidence": 0.95, "seed": seed, "n_boot": 2000}
default, fine = pg.compute_bootci(d, **boot) + 0.0, pg.compute_bootci(d, **boot, decimals=12)  # 0, never -0
np.testing.assert_allclose(np.round(fine, 2), default)
width = np.ptp(fine)
say(
    f"Percentile interval (95 %) of the mean difference of {verbatim(shown[0])} and {verbatim(shown[1])}: {default[0]:.4f} to {default[1]:.4f} by default, {fine[0]:.4f} to {fine[1]:.4f} with "
    f"`decimals=12`. Rounding moves an end by up to {100 * np.abs(fine - default).max() / width:.0f} % of the width of the interval.",
    f"*d*<sub>z</sub> and pingouin's *d* differ by factors of {span(sizes['d_z'] / sizes[sizes.columns[0]], '{:.1f}')} in these pairs.",
)

# %% [markdown] tags=["slide"]
# ## No winner is a result
#
# "Not significantly different" is what one gets from equal encoders, and from too few datasets. To tell these apart, one has to say how large a difference would
# matter, *before* looking: the **region of practical equivalence**, `rope`. Then there are four outcomes instead of two. A pair is *equivalent* if both one-sided
# t-tests reject (TOST: the difference is above −rope, and below rope), *better* or *worse* if a two-sided t-test shows a difference of more than rope, else *undecided*.

# %% tags=["subslide"]
counted = equivalence["verdict"].value_counts()
in_words = ", ".join(f"{count} {word}" for word, count in counted.items())
page.show_figure(
    figures.equivalence_intervals(equivalence),
    "equivalence",
    "The encoders from above. Mean difference of the scores with the interval that TOST looks at; shaded: the region of practical equivalence.",
    f"Verdicts on {len(equivalence)} pairs: {in_words}. Their mean differences are {span(equivalence['estimate'], '{:+.3f}').replace('-', '−')}; up to {rope:g} would not matter.",
)

# %% [markdown]
# > Aside: The verdicts are corrected after Holm over all pairs of the benchmark, so a pair can be undecided although its interval lies
# > within the region, or beyond.
#
# The Bayesian signed-rank test puts probabilities on the same three regions, for the average of two differences on new datasets rather than for the mean.
# [Table](#table-two-views) has both.

# %%
beliefs = gx.significance.bayesian_pairs(four, rope, higher_is_better=True, threshold=0.95, rng=seed)
tested = equivalence[["a", "b", "estimate", "p_different_adjusted", "p_equivalent_adjusted", "verdict"]]
both_views = tested.merge(
    beliefs[["a", "b", "worse", "equivalent", "better", "verdict"]], on=["a", "b"], suffixes=["", " (posterior)"]
)
assert len(both_views) == len(equivalence) == len(beliefs)
views = both_views.set_index(["a", "b"]).rename_axis(["first", "second"])
views.columns = pd.MultiIndex.from_tuples(
    [
        *(("t-tests", what) for what in ("difference", "p, different", "p, equivalent", "verdict")),
        *(("posterior probability", what) for what in ("worse", "equivalent", "better", "its verdict")),
    ]
)
page.show_table(
    views,
    "two-views",
    "The first encoder against the second: mean difference and p-values (corrected after Holm over all pairs of the benchmark), and what the Bayesian "
    "signed-rank test believes.",
    forms={
        **{"difference": "{:+.3f}", "p, different": written_p, "p, equivalent": written_p},
        **{("posterior probability", what): "{:.0%}" for what in ("worse", "equivalent", "better")},
    },
)

# %%
believed = beliefs["verdict"].value_counts()
agree = int((both_views["verdict"] == both_views["verdict (posterior)"]).sum())
quiet = of_all[of_all["difference"] == ""]
shown_equivalent = int((quiet["verdict"] == "equivalent").sum())
say(
    f"With rope = {rope:g}, the verdicts of the t-tests on the {len(equivalence)} pairs are: {in_words}. The posterior's: "
    f"{', '.join(f'{count} {word}' for word, count in believed.items())} (at a probability of at least .95); the two agree on {agree}. They ask different questions: a few "
    "datasets with large differences move the mean, and hardly the average of two typical ones.",
    f"**Not different is not equal.** {len(quiet)} of all {len(of_all)} pairs of encoders do not differ significantly (t-tests, Holm). Of these, "
    f"{shown_equivalent} {'is' if shown_equivalent == 1 else 'are'} shown to be equivalent within {rope:g}"
    + (
        f"; for the other {len(quiet) - shown_equivalent} the datasets do not suffice to say."
        if len(quiet) > shown_equivalent
        else "."
    ),
)

# %% [markdown]
# **How many datasets would it take?** That depends on the spread of the differences, and on how many pairs are tested together. The spread is itself an estimate:
# its upper limit (by the chi-squared distribution, with 80 % confidence) shows how far a plan may be off ([table](#table-plan)).

# %%
n_pairs = len(of_all)
plan = gx.significance.plan_comparison(d, rope, len(scores), power=power, level=level, n_pairs=n_pairs)
np.testing.assert_allclose(
    gx.significance.comparison_power(rope, d.std(ddof=1), len(scores), level=level),
    pg.power_ttest(d=rope / d.std(ddof=1), n=len(scores), contrast="paired", alpha=level),
    atol=1e-6,
)
page.show_table(
    plan.set_index("spread_from"),
    "plan",
    f"{shown[0]} against {shown[1]}: what {len(scores)} datasets can find, and how many it takes to find a difference of {rope:g} with probability {power:g}.",
    {
        **{"spread_from": "spread taken from", "spread": "standard deviation of the differences"},
        "power": f"power at {len(scores)} datasets",
        **{"detectable": "smallest difference found", "n_conditions": "datasets needed"},
    },
    {"spread": 3, "power": "{:.1%}", "detectable": 3, "n_conditions": 0},
)

# %%
pilot, upper = plan.iloc[0], plan.iloc[1]
needed = [
    f"{row['n_conditions']:,.0f}" if np.isfinite(row["n_conditions"]) else "more than a million"
    for row in (pilot, upper)
]
say(
    f"{verbatim(shown[0])} against {verbatim(shown[1])}, one of {n_pairs} pairs (Bonferroni's bound): with {len(scores)} datasets a difference of {rope:g} is found with a "
    f"probability of {percent(pilot['power'])}, and the smallest one that is found in {percent(power)} of the studies is {pilot['detectable']:.3f}, "
    f"{pilot['detectable'] / rope:.1f} times rope. To find rope itself takes {needed[0]} datasets, or {needed[1]} if the spread is at its upper limit."
)

# %% [markdown]
# ## Which interval for a mean of few conditions?
#
# An interval is judged by how often it holds the truth. `benchmarks/coverage_intervals.py` drew studies from worlds of several kinds (normal, skewed, heavy tails, outliers, scores
# that are shares, grades, or right and wrong) and counted. [Table](#table-intervals) has the lowest coverage over the worlds of a kind, where 95 % is promised.

# %%
advice = gx.significance.interval_advice()
page.show_table(
    advice[advice["n_conditions"] != 50].set_index(["of", "n_conditions"]),
    "intervals",
    "How often nominal 95 % intervals of means, and of mean differences, over independent conditions held the truth, in their worst world. logit-t needs "
    "scores with known bounds. (`gx.significance.interval_advice()` has 50 conditions, too.)",
    {"of": "interval of", "n_conditions": "conditions", "auto": "taken here", "bca": "BCa"},
    dict.fromkeys(gx.significance.INTERVALS[1:], "{:.0%}"),
)

# %%
of_means = advice[advice["of"] == advice["of"].iloc[0]].set_index("n_conditions")
taken = pd.Series({n: row[row["auto"]] for n, row in of_means.iterrows()})
measured = gx.significance.measured_coverage()
cells = measured.query("n_conditions == 10 and interval == @of_means.auto[10] and not two_values")
answers = advice[advice["of"].str.endswith("two values")].set_index("n_conditions")
first = answers.index[0]
last = of_means.index[-1]
highest = of_means.loc[last].drop(["of", "auto"]).max()
assert answers.loc[first, answers.loc[first, "auto"]] < 0.9  # Wilson's holds .90 there: docstring of interval_advice
say(
    f"{measured['world'].nunique()} worlds, {measured['n_studies'].min():,} studies for each number of conditions. With 10 conditions, BCa held the truth in {percent(of_means.loc[10, 'bca'])} of the studies of its worst world, what is taken here in "
    f"{percent(taken[10])} (the world is called {cells.loc[cells['estimate'].idxmin(), 'world']}); with {taken.index[-1]}, in "
    f"{percent(of_means['bca'].iloc[-1])} and {percent(taken.iloc[-1])}.",
    f"Even with {last} conditions, the interval that did best in its worst world held the truth there in {percent(highest, 1)} of the studies.",
    f"Scores that are right or wrong are a case of their own: {first} of them are often all equal, and what is taken here held the truth in "
    f"{percent(answers.loc[first, answers.loc[first, 'auto']])} of the studies of its worst world. Of a share, Wilson's interval is a better one "
    "(`statsmodels.stats.proportion.proportion_confint`).",
)

# %% [markdown]
# ## All configurations
#
# For every configuration: is there a significantly best encoder, and are there enough datasets for n\*? [Table](#table-configurations) counts.

# %%
count = pd.crosstab(
    both["significant"].map({True: "a significantly best encoder", False: "none"}).rename("Conover and Iman find"),
    both["verdict"].rename("datasets for n*"),
)
page.show_table(
    count,
    "configurations",
    "Number of configurations, by what Conover and Iman's test says, and by whether the datasets at hand are enough for two benchmarks to agree on who wins, and how often.",
    {verdict: f"datasets: {verdict}" for verdict in count.columns},
)

# %%
rejects = int((both["p_f"] <= level).sum())
without = both[~both["significant"]]
generalizable = without[without["verdict"] == "enough"]
say(
    f"Friedman's test rejects in {rejects} of {len(both)} configurations"
    + (", which says nothing about who is best. " if rejects > len(both) / 2 else ". ")
    + "A "
    f"significantly best encoder is found in {int(both['significant'].sum())}, and the first tier holds {span(both['n_first_tier'], '{:.0f}')} encoders.",
    f"Of the configurations without a significant winner ({len(without)}), {len(generalizable)} {'has' if len(generalizable) == 1 else 'have'} enough datasets for two benchmarks to agree about the *distribution* "
    f"of winners. There the encoder that wins most often does so in {span(100 * generalizable['most_wins'], '{:.0f}', ' %')} of the datasets. A significant winner is not needed for a "
    "generalizable conclusion."
    if len(generalizable)
    else "",
)

# %% [markdown]
# ## The answer in short

# %% tags=["findings", "slide"]
contradicting = 1 - claimed.max() / claimed.sum() if len(claimed) else 0.0
of_paper = toy.PUBLISHED_TOY.query("significant == 'yes'")["count"]
findings = [
    page.Finding(
        shortly(contradicting),
        "of the studies that find a significantly best method name *another one* than the rest do, though all are samples of one small, invented world",
        f"exact, all {len(exact)} possible samples of {n}"
        + (f" · {percent(of_paper.min() / of_paper.sum())} in the paper's simulation" if is_papers_world else ""),
    )
    if len(claimed)
    else page.Finding(
        "none",
        "of the possible studies of one small, invented world finds a significantly best method",
        f"exact, all {len(exact)} possible samples of {n}",
    ),
    page.Finding(
        shortly(fair),
        f"of the studies declare one of two *equal* methods significantly best, next to three worse ones; the test, Conover and Iman's, promises at most {percent(level)}",
        f"exact · {percent(fair_alone)} if these three are left out",
    ),
]
if len(without):
    findings.append(
        page.Finding(
            f"{len(generalizable)} of {len(without)}",
            f"configurations of a real benchmark *without* a significantly best method {'has' if len(generalizable) == 1 else 'have'} enough datasets: two "
            "benchmarks of that size agree on who wins, and how often",
            f"with probability {percent(alpha)}, by nominal 95 % intervals",
        )
    )
page.show_findings(*findings)

# %%
page.key_number("significant", "share of the samples with a significantly best alternative", claimed.sum(), decimals=3)
page.key_number("contradicting", "share of these that name another one than most of them", contradicting, decimals=3)
for name, label in {
    "significance": "significance",
    "best": "best alternative",
    "parity": "count of the first result, even or odd",
}.items():
    page.key_number(
        f"explained-{name}", f"share of the variance of generalizability explained: {label}", shares[label], decimals=3
    )
page.key_number("false-claims", "share of the samples that call one of two equal ones best", fair, decimals=3)
page.key_number("false-claims-alone", "the same without the three others", fair_alone, decimals=3)
for test, row in errors[errors["scores"] == list(settings)[1]].set_index("test").iterrows():
    page.key_number(
        f"false-differences-{'wilcoxon' if 'Wilcoxon' in test else 'conover'}",
        f"share of tables with a false difference, {test}, {list(settings)[1]}",
        *row[["estimate", "low", "high"]],
        decimals=3,
    )
for name, row in zip(["first", "second"], both_ways.iloc[2:].itertuples(), strict=True):
    page.key_number(f"own-{name}-winner", f"{name} of your own: share with a winner", row.significant, decimals=3)
    page.key_number(f"own-{name}-nstar", f"{name} of your own: n*", row.nstar, unit="conditions", decimals=0)
for name, label, row in zip(["leader", "winners", "order"], questions, asked.itertuples(), strict=True):
    page.key_number(
        f"nstar-{name}", f"n* in the configuration looked at: {label}", row.nstar, row.low, row.high, unit="datasets"
    )
page.key_number("not-different", "pairs that do not differ significantly, by t-tests", len(quiet), decimals=0)
page.key_number("equivalent", "of these, shown to be equivalent", shown_equivalent, decimals=0)
page.key_number(
    "with-winner", "configurations with a significantly best encoder", both["significant"].sum(), decimals=0
)
page.key_number("enough", "configurations without one that have enough datasets", len(generalizable), decimals=0)

# %% [markdown]
# ## Checks

# %%
np.testing.assert_allclose(exact["probability"].sum(), 1)
np.testing.assert_allclose([len(simulated), simulated["probability"].sum()], [n_studies, 1])
if two_results:
    np.testing.assert_allclose(exact["generalizability"], exact["generalizability"][::-1], atol=1e-9)
if is_papers_world:
    assert len(exact) == 21 and rejected == 21 and same_after_holm
    table = toy.toy_table(exact)
    np.testing.assert_allclose(table["count"], [339.4, 159.3, 191.3, 252.0, 58.0, 1000], atol=0.05)
    np.testing.assert_allclose(table["generalizability"], [0.73, 0.82, 0.71, 0.74, 0.71, 0.74], atol=0.005)
    np.testing.assert_allclose(table["sd"], [0.10, 0.00, 0.10, 0.10, 0.09, 0.10], atol=0.005)
    assert off.max() < 3 and len(tie) == 1 and len(kept["count"]) == 5 and len(kept["generalizability"]) == 12
    np.testing.assert_allclose(fair, 0.263, atol=0.0005)
    assert shares["significance"] < 0.01 and of_parity > 0.9 and len(claimed) == 2
    assert abs(both_ways["nstar"].iloc[0] / both_ways["nstar"].iloc[1] - 1) < 0.1
    assert fair_alone < level < fair / 5
assert len(both) == len(study.configurations)
own = list(worlds.values())[2:]
are_defaults = [
    np.array_equal(w.rankings, d.rankings) and np.allclose(w.probabilities, d.probabilities)
    for w, d in zip(own, toy.BOTH_WAYS, strict=True)
]
if is_papers_world and alpha == 0.95 and all(are_defaults):
    assert list(winner) == ["first of your own"] and list(agreed) == ["second of your own"]
    assert np.diff(np.sort(own[0].probabilities @ own[0].rankings))[0] > 1.5
    assert both_ways["generalizability"].iloc[3] > 0.98

# %%
within = (equivalence["low"] > -rope) & (equivalence["high"] < rope)
assert within[equivalence["verdict"] == "equivalent"].all() and set(quiet["verdict"]) <= {"equivalent", "undecided"}
np.testing.assert_allclose(beliefs[["worse", "equivalent", "better"]].sum(axis=1), 1)
assert plan["power"].is_monotonic_decreasing and plan["n_conditions"].is_monotonic_increasing
if results.attrs["source"] == "original" and (level, alpha, delta) == (0.05, 0.95, 0.05):
    assert rejects == 48 and both["significant"].sum() == 2

# %% [markdown] tags=["slide"]
# ## What to report in a paper
#
# - [ ] **The question**, in words, before the numbers: who wins? where does this one rank? is the whole order alike?
# - [ ] **The population**: of which conditions are yours a sample, and what was held constant?
# - [ ] **Every difference with its size**: mean difference, 95 % interval and an effect size, and then the p-value.
# - [ ] **The name of the test, its conditions, and the correction**: Wilcoxon with Holm over *all* pairs looked at, zeros after Pratt,
#   say. Conover and Iman's test only where all alternatives could be equal; it can be wrong far too often among unequal ones.
# - [ ] **Tiers** instead of a strict ranking: the leader, and all that are not significantly worse.
# - [ ] **Missing results**: how many, and what was done about them.
# - [ ] **n\* with its interval**, its kernel, α and δ, beside the number of conditions that were run.
# - [ ] **The difference that matters**, chosen before looking, and the smallest one that the study could have found.
# - [ ] **No winner is a result**: "these five share the first tier, these two are equivalent, and n\* is below the number of datasets" is a finding.
# - [ ] **Not**: "significant, hence generalizable", nor "not significant, hence equal".

# %% [markdown]
# ## Summary

# %%
say(
    f"- The published counts deviate by up to {off.max():.1f} standard deviations from the exact ones, which need no simulation."
    if is_papers_world
    else "",
    f"- From one world come samples in which different alternatives are significantly best ({shares_claimed}). Significance describes the sample."
    if len(claimed) > 1
    else "",
    f"- Significance explains {percent(shares['significance'])} of the variance of {k_gen}-generalizability, whether a count is even {percent(of_parity)}."
    if not np.isnan(of_parity)
    else "",
    f"- Where 0 and 1 are equal, and better than three others, Conover and Iman's test declares one of them best in {percent(fair)} of the samples, at the level {level:g}; "
    f"without the others in {percent(fair_alone)}.",
    "- There are worlds with a significant winner in nearly every sample and too little agreement, and worlds with agreement and hardly ever a winner."
    if len(winner) and len(agreed)
    else "",
    f"- In the configuration looked at, {len(quiet)} of {len(of_all)} pairs do not differ significantly by t-tests with Holm; of these, {shown_equivalent} {'is' if shown_equivalent == 1 else 'are'} "
    f"shown to be equivalent within {rope:g}.",
)

# %%
page.show_key_numbers()

# %% [markdown]
# ## Exercises
#
# On what a test says, what it does not say, and what else can be said of the same results.

# %% [markdown] tags=["exercise", "slide"]
# ### 1. What a test says
#
# *Understanding · 5 minutes.* In a benchmark of ten methods on 20 datasets, Friedman's test rejects at the level 0.05, and the test of Conover and Iman finds
# method A significantly better than each of the others. Which statement is true?
#
# - **a** With probability 0.95 or more, A is the best of the ten methods.
# - **b** With probability 0.95 or more, another benchmark on 20 such datasets finds A significantly best, too.
# - **c** 20 datasets are at least as many as n\* for the question who wins.
# - **d** If all ten methods performed alike, Friedman's test would reject in about 5 % of such benchmarks.
#
# Assign the letter to `answer_1`.

# %% tags=["solution"]
answer_1 = "d"

# %% tags=["check"]
exercises.check(
    "05-1",
    answer_1,
    "y7iqzhmnjkru5ja",
    hint="Of what is the level of a test the probability, and under which assumption?",
    wrong={
        "y5zy73aylokqjeq": "A p-value is computed as if there were no difference. It is no probability that there is one.",
        "y52ofv2xzutcchq": "Look at the samples of the small world again: which alternatives do they call significantly best?",
        "y7xiwduxgk56g3y": "Look at the four worlds of 'Both ways round' again: a winner in nearly every sample, and n* above 20.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** A level is a promise about worlds without a difference, and (d) spells it out. (a) turns the condition round: from "such data are rare if all are equal" to "equality is improbable
# given such data". (b) and (c) are statements about other samples, and this notebook has a counter-example to each: samples of one world that
# contradict each other significantly, and a world with a significant winner in nearly every sample and too few conditions for n\*.

# %% [markdown] tags=["exercise"]
# ### 2. Sample or world?
#
# *Understanding · 5 minutes.* In another world the same two rankings occur with probabilities 0.7 and 0.3 instead of 0.55 and 0.45. Take a sample that holds the first ranking
# 12 times and the second one 8 times. Its row in the table of samples has these columns: `"probability"`, `"p"`, `"best mean rank"`, `"significantly best"` and
# `"10-generalizability"`. Which of the five values differ from those in the first world? Assign the set of their names to `answer_2`.

# %% tags=["solution"]
rows = [
    toy.exact_toy(RankingDistribution(toy.TOY.rankings, [p, 1 - p]), n=20, k_gen=10, level=0.05, delta=0.05)
    for p in (0.55, 0.7)
]
first_row, second_row = (row[row["counts"] == (12, 8)].iloc[0] for row in rows)
names = {
    **{"probability": "probability", "p_others": "p", "best": "best mean rank"},
    **{"significant": "significantly best", "generalizability": "10-generalizability"},
}
answer_2 = {name for column, name in names.items() if first_row[column] != second_row[column]}

# %% tags=["check"]
exercises.check(
    "05-2",
    answer_2,
    "c5ofr3zwpstjdna",
    hint="Which of the five are computed from the sample alone?",
    wrong={
        "c6fsmqilkequiny": "The two studies of 10 are drawn from the sample, not from the world.",
        "c66zysasmc27bzy": "A test sees the sample only, and the two studies of 10 are drawn from the sample, not from the world.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** Tests and k-generalizability are functions of the sample. The world decides only how often a sample turns up. This is why the zigzag of the figure stays where it is for any
# probabilities, and why a study that computes k-generalizability from its own data has an *estimate* of what another sample of the world would say.

# %% [markdown] tags=["exercise"]
# ### 3. Two teams
#
# *Application · 10 minutes.* Two teams draw a sample of 20 each from the paper's world with other probabilities, 0.6 and 0.4, independently. Both find a significantly best alternative. How
# probably do they name *different* ones? Assign the probability to `answer_3`, to two decimals.

# %% tags=["solution"]
other_world = RankingDistribution(toy.TOY.rankings, [0.6, 0.4])
samples = toy.exact_toy(other_world, n=20, k_gen=10, level=0.05, delta=0.05)
naming = samples[samples["significant"]].groupby("best")["probability"].sum()
naming = naming[naming > 0] / naming.sum()
answer_3 = 1 - (naming**2).sum()

# %% tags=["check"]
exercises.check(
    "05-3",
    answer_3,
    "6xlasz2ypfx5a4tb",
    decimals=2,
    hint="How often is 0 significantly best, and how often 1? It is given that both teams have found a winner.",
    wrong={
        "6xmzjdqr36yitdum": "That is how often *one* team names the rarer winner, given that it finds any. Here are two teams.",
        "6xm2ws2lk6l2rddw": "That is how often both teams find a winner *and* differ. It is given that both found one.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** Alternative 0 is significantly best in 41.6 % of the samples, 1 in 2.1 %. Given a winner, these are 95.2 % and 4.8 %, and two teams differ with probability
# $2 \cdot 0.952 \cdot 0.048 = 0.092$. In the paper's own world the two are closer, and two teams differ more often ([notebook 00](00_start_here.ipynb#say-what-was-found-and-no-more)). Both teams are significant at the level 0.05, and nobody has made a mistake.

# %% [markdown] tags=["exercise"]
# ### 4. Equal, better, or neither
#
# *Understanding · 5 minutes.* Higher scores are better, a difference of 0.01 does not matter (`rope = 0.01`), and there is one pair only, so nothing to correct. In four studies the interval that TOST looks at at
# the level 0.05 (90 %), of the mean difference A minus B, is: from −0.004 to 0.006; from −0.004 to 0.013; from 0.002 to 0.008; from 0.015 to 0.030 (in the two-sided test's 95 %: 0.014 to 0.031). Assign the list of the
# four verdicts on A, in this order, each `"equivalent"`, `"better"`, `"worse"` or `"undecided"`, to `answer_4`.


# %% tags=["solution"]
def verdict(low, high, rope=0.01):
    if -rope < low and high < rope:
        return "equivalent"
    return "better" if low > rope else "worse" if high < -rope else "undecided"


answer_4 = [verdict(low, high) for low, high in [(-0.004, 0.006), (-0.004, 0.013), (0.002, 0.008), (0.015, 0.030)]]

# %% tags=["check"]
exercises.check(
    "05-4",
    answer_4,
    "jxrtl7rip5z6uey",
    hint="Draw the region from −0.01 to 0.01 and the four intervals. Zero plays no part.",
    wrong={
        "jvnujx4soxe6ogi": "The third interval lies above zero, so A is significantly better. By how much, and does it matter?",
        "jvdhhwqjl4mfldy": "Whether zero is in the interval is the question of the usual test. Here the ends are compared with the region.",
        "jwbr2zxljbryzdy": "Not different from zero can still mean shown to be small: compare the ends with the region.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** Equivalent: the whole interval lies within ±0.01. Better: the two-sided test's interval, too, lies above 0.01 as a whole. Else the data leave it open. The third case is both *significantly different* and *equivalent*: a difference
# there is, and it is too small to matter. The first and the second are both "not significant", and only one of them is evidence.

# %% [markdown] tags=["exercise"]
# ### 5. The question that this world answers
#
# *Application · 10 minutes.* In the first of your own worlds, with its default rankings and probabilities, "which alternatives win, and how often?" takes an n\* of about 35. How many conditions does *where
# does alternative 0 rank?* take? Assign the exact n\* for `gx.BordaKernel(0)`, at $\alpha = 0.95$ and $\delta = 0.05$, to `answer_5`. (`exact_nstar` of notebook 01 is in
# `genexpy_nb.generalization.exact`.)

# %% tags=["solution"]
from genexpy_nb.generalization.exact import exact_nstar

where_is_0 = gx.BordaKernel(0)
own_world = RankingDistribution(claimed_rankings, claimed_probabilities)
answer_5 = int(
    exact_nstar(
        where_is_0.gram(own_world.rankings), 0.95, where_is_0.epsilon(0.05, n_alternatives), own_world.probabilities
    )
)

# %% tags=["check"]
exercises.check(
    "05-5",
    answer_5,
    "keqx47unpalcyjq",
    hint="gram takes the array of rankings; the threshold needs the number of alternatives, 5.",
    wrong={"kfqhzlmxk7yfxni": "That is n* of the winners. Another kernel asks another question."},
)

# %% [markdown] tags=["explanation"]
# **Why.** Alternative 0 is first with probability 0.52 and second with 0.48, so Borda sees two results, and they are alike: $\kappa = e^{-1/5}$. Two studies agree if their shares of first places differ by at most
# $\sqrt{(1 - e^{-0.05}) / (1 - e^{-0.2})} = 0.519$. For six conditions each, 3 of 6 in difference is the most that is allowed, and the binomial distribution gives that probability 0.96; for five it is 2 of 5, and
# 0.89. (For seven, 3 is still the most that is allowed, and it is 0.94 once more: n\* is the smallest number that is enough.) The same experiments are too few for one question and more than enough for another: n\* belongs to a question, not to a table.

# %% [markdown] tags=["exercise"]
# ### 6. Hopeless company
#
# *Project · 25 minutes.* Alternatives 0 and 1 are equally good: each beats the other with probability 1/2. Behind them stand m others, always in the same order. With m = 3 the test of Conover and Iman
# declares 0 or 1 significantly best in 26.3 % of the samples of 20, at the level 0.05, as computed above. Compute the share for m = 0, 1, ..., 10. Assign the one for m = 10 to `answer_6`, to two
# decimals. Then find the smallest lead, such as 15 to 5, that is called significant for each m, and say where the jumps come from. What would you write in a review of a paper that uses this test?

# %% tags=["solution"]
shares_of_claims = {}
for m in range(11):
    behind = list(range(2, 2 + m))
    fair_world = RankingDistribution([[0, 1, *behind], [1, 0, *behind]], [0.5, 0.5])
    fair_samples = toy.exact_toy(fair_world, n=20, k_gen=10, level=0.05, delta=0.05)
    shares_of_claims[m] = fair_samples.loc[fair_samples["significant"], "probability"].sum()
answer_6 = shares_of_claims[10]

# %% tags=["check"]
exercises.check(
    "05-6",
    answer_6,
    "6lvs5yazmpogateu",
    decimals=2,
    hint="toy.exact_toy of a RankingDistribution with 2 + m alternatives and two rankings; add the probabilities of the significant samples.",
    wrong={
        "6lvwjopnrutipgtt": "That is what the level promises. Compute what happens.",
        "6lsqtiiac3ktykqe": "That is the share for m = 0, without company.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** The wins of 0 are binomial, so each share is a sum of binomial probabilities from some lead on. With m = 0 the smallest significant lead is 15 to 5: $2 \Pr(B \ge 15) = 0.041$. With m = 1 it is 14 to 6, 0.115, with m = 2 or 3 it is 13 to 7, 0.263, and
# from m = 4 on 12 to 8: $2 \Pr(B \ge 12) = 0.503$. The test divides by a standard error that all alternatives share. Alternatives that nobody doubts always have the same rank, add nothing to it, and shrink it
# for the pair that is in doubt. A test of the pair alone does not know them: Wilcoxon's, or a sign test.

# %% [markdown]
# ## Further reading
#
# - [Demšar, 2006, *Statistical Comparisons of Classifiers over Multiple Data Sets*](https://jmlr.org/papers/v7/demsar06a.html), Journal of Machine Learning Research 7, 1-30: how to test over many datasets, and the diagram of mean ranks.
# - [Benavoli et al., 2016, *Should We Really Use Post-Hoc Tests Based on Mean-Ranks?*](https://jmlr.org/papers/v17/benavoli16a.html), Journal of Machine Learning Research 17 (5), 1-10: why a verdict on two methods should not depend on which others are in the table.
# - [Benavoli et al., 2017, *Time for a Change: a Tutorial for Comparing Multiple Classifiers Through Bayesian Analysis*](https://jmlr.org/papers/v18/16-305.html), Journal of Machine Learning Research 18 (77), 1-36: posteriors instead of p-values, and the region of practical equivalence.
# - [Lakens, 2017, *Equivalence Tests: A Practical Primer for t Tests, Correlations, and Meta-Analyses*](https://doi.org/10.1177/1948550617697177), Social Psychological and Personality Science 8 (4), 355-362: TOST in practice, and how to choose the region before looking.
# - [Conover, 1999, *Practical Nonparametric Statistics*](https://www.wiley.com/en-us/Practical+Nonparametric+Statistics%2C+3rd+Edition-p-9780471160687), Wiley, 3rd edition: Section 5.8 has Friedman's test and the comparisons after it.
