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
confidence: float = 0.95  # of the intervals of n*, in (0, 1)
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

import genexpy_nb as gx
from genexpy_nb.chapters import significance_toy as toy
from genexpy_nb.common import exercises, page
from genexpy_nb.common.prose import percent, say, span, verbatim
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.plots import significance as figures

gx.plots.use_style()


def written_p(p, equals=""):
    return "< 0.001" if p < 0.001 else f"{equals}{p:.3f}"


def named(best):
    return best.strip("{}").replace(", ", " and ") or "any"


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
    toy.toy_samples(exact, k_gen),
    "samples",
    f"Every possible sample of {n} results from one small world, by how many of them are the first possible ranking. Above: how likely the sample is. "
    f"Below: how often two studies of {k_gen}, drawn from it, agree on who wins ({k_gen}-generalizability). Colour and shape: the alternative with the best mean "
    "rank (grey: a tie); filled: it is significantly best.",
    f"{len(exact)} possible samples. Significantly best is {shares_claimed or 'no alternative in any'} of the samples, weighted by how likely they are; "
    f"{k_gen}-generalizability lies between {exact['generalizability'].min():.2f} and {exact['generalizability'].max():.2f}.",
)

# %%
say(
    f"Significantly best is {shares_claimed or 'no alternative in any'} of the samples, and all of them come from the same world.",
    "**Samples of one world contradict each other**, and each is significant by itself." if len(claimed) > 1 else "",
)

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
if is_papers_world:
    expected = tables["exact"]["count"].to_numpy()[:5]
    off = np.abs(toy.PUBLISHED_TOY["count"][:5] - expected) / np.sqrt(expected * (1 - expected / 1000))
    assert toy.PUBLISHED_TOY[keys].equals(tables["exact"][keys])
    counts, others = [], []
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
            (counts if column == "count" else others).append(name)
    page.show_published(
        "published-counts", "How many of 1,000 samples say what: simulated in the paper, exact here.", counts
    )
    page.show_published(
        "published-generalizability",
        f"Mean and standard deviation of the {k_gen}-generalizability of samples, by what they say: simulated in the paper, exact here.",
        others,
    )
else:
    display(say("The printed numbers belong to the paper's world; this run has another one."))

# %% [markdown]
# ## The paper's Figure 6: does significance predict generalizability?
#
# If it did, the samples with and those without a significant winner would lie far apart on the left of [figure](#figure-curves).

# %%
by_claim = simulated.groupby("significant")["generalizability"].mean()
page.show_figure(
    toy.toy_generalizability(simulated, k_gen),
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
say(
    f"Significance explains {percent(shares['significance'])} of it, the best alternative {percent(shares['best alternative'])}, and whether the first result occurs an "
    f"even number of times {percent(of_parity)}: then {k_gen}-generalizability is {parity[0]:.2f} on average, and {parity[1]:.2f} otherwise."
    if np.isfinite(of_parity)
    else "All samples are equally generalizable: there is nothing to explain.",
)

# %% [markdown]
# With two possible results, a sample has the same k-generalizability if the two results swap their counts. So it does not matter *which* alternative leads, only by
# how much.

# %% [markdown] tags=["slide"]
# ## How often is the claim wrong?
#
# Take the paper's two rankings, and let the probability of the first one vary. On the right of [figure](#figure-claims), alternative 0
# really is better. At 0.5, 0 and 1 are equal.

# %% tags=["subslide"]
first_wins = np.round(np.arange(0.5, 0.951, 0.05), 2)
claims = toy.toy_claims(first_wins, n=n, k_gen=k_gen, level=level, delta=delta)
by_p = claims.pivot(index="probability", columns="claim", values="share")
page.show_figure(
    toy.claims_over_probability(claims, n, k_gen),
    "claims",
    f"Probability that a sample declares 0 or 1 significantly best, and mean {k_gen}-generalizability.",
    "From the first to the last probability: "
    + "; ".join(f"{claim}, {percent(ends.iloc[0])} to {percent(ends.iloc[-1])}" for claim, ends in by_p.items())
    + ".",
)

# %%
fair = claims[(claims["probability"] == 0.5) & claims["claim"].str.startswith("claim")]["share"].sum()
two_equal = RankingDistribution([[0, 1], [1, 0]], [0.5, 0.5])  # 0 and 1 of the same world, without the other three
alone = toy.exact_toy(two_equal, n=n, k_gen=k_gen, level=level, delta=delta)
fair_alone = alone.loc[alone["significant"], "probability"].sum()
say(
    f"At 0.5 there is no best alternative, so a test at the level {level:g} should declare one in at most {percent(level, 1)} of the samples. It does in "
    f"{percent(fair, 1)}, {fair / level:.1f} times the level.",
    "What do the alternatives that nobody doubts have to do with that? In Conover and Iman's test all pairs share *one* estimate of the variance of the ranks, and "
    "2, 3 and 4, which always have the same rank here, bring it down. Left alone with 0 and 1, the same test declares one of them best in "
    f"{percent(fair_alone, 1)} of the samples.",
)

# %% [markdown]
# Behind each point of these lines stands a whole distribution of samples. Choose the probability of the first ranking, and watch the
# samples move.

# %%
samples_at = {
    p: toy.exact_toy(RankingDistribution(toy.TOY.rankings, [p, 1 - p]), n=n, k_gen=k_gen, level=level, delta=delta)
    for p in by_p.index
}
tallest = max(samples["probability"].max() for samples in samples_at.values())
lowest = min(samples["generalizability"].min() for samples in samples_at.values())


def draw_samples(p):
    fig = toy.toy_samples(samples_at[p], k_gen)
    fig.axes[0].set_ylim(0, 1.05 * tallest)
    fig.axes[1].set_ylim(lowest - 0.03, 1.03)
    agree, zero, one = by_p.loc[p]
    return fig, (
        f"Alternative 0 is significantly best in {percent(zero)} of the samples, 1 in {percent(one)}. Two studies of {k_gen} agree with a mean probability of {agree:.2f}."
    )


page.show_choices(
    "claims-by-p",
    "probability of the first ranking, p",
    {f"{p:g}": draw_samples(p) for p in samples_at},
    f"All samples of {n} results. Above: how likely each is, filled where an alternative is significantly best at the level {level:g}. Below: how often two "
    f"studies of {k_gen}, drawn from it, agree. At 0.5, alternatives 0 and 1 are equal, and every claim is wrong; above, those of 1 are.",
    "The larger p, the more samples claim that 0 is best, and the fewer that 1 is.",
    start="0.55",
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
        name: toy.familywise_errors(**setting, n_conditions=20, level=level, n_studies=1000, rng=seed)
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
above = errors[errors["verdict"] == "above the level"]
found_wrong = "; ".join(f"*{row.test}* ({row.scores})" for row in above.itertuples())
say(f"**Wrong more often than the level allows:** {found_wrong or 'neither test, as far as 1,000 tables show'}.")

# %% [markdown]
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
winner = both_ways.index[(both_ways["significant"] >= 0.9) & needs_more]
agreed = both_ways.index[(both_ways["significant"] <= 0.1) & ~needs_more]
say(
    *(
        f"**A winner, and too little agreement** ({name}): {percent(row['significant'])} of the studies declare a significantly best alternative. But two studies of {k_gen} "
        f"agree on *who wins, and how often* in {percent(row['generalizability'])} of the cases, and n\\* is above {n}."
        for name, row in both_ways.loc[winner].iterrows()
    ),
    *(
        f"**Agreement, and hardly ever a winner** ({name}): {percent(row['significant'])} of the studies declare a significantly best alternative, and yet n\\* is at most {n}."
        for name, row in both_ways.loc[agreed].iterrows()
    ),
    "Neither number is wrong. They answer different questions, and the kernel says which one n\\* answers.",
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
with warnings.catch_warnings(action="ignore", category=gx.StudyWarning):  # missing evaluations are counted below
    study = gx.Study(
        results,
        alternatives="encoder",
        target="cv_score",
        generalize_over="dataset",
        design=["model", "tuning", "scoring"],
        higher_is_better=True,
        missing="worst-rank",
    )
planned = gx.plan(study.nstar(kernel, alpha=alpha, delta=delta, confidence=confidence))
up = {"higher_is_better": True}
tests = pd.DataFrame(
    {
        "p_f": gx.significance.friedman(study.rankings(c), higher_is_better=False).p_f,
        "p_others": (
            best := gx.significance.best_alternative(study.rankings(c), level, higher_is_better=False)
        ).p_others,
        "significant": best.significant,
        "n_first_tier": (gx.significance.rank_tiers(study.scores(c, impute=True), level, **up)["tier"] == 0).sum(),
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
    f"{percent(n_missing / scores.size)} of the evaluations failed."
)

# %% [markdown]
# **Friedman** asks whether all encoders perform alike; Kendall's W, between 0 and 1, says how much the datasets agree on the ranking.
# **Tiers** compare each encoder with a leader, by Wilcoxon with Holm: a tier holds what is not significantly worse than its leader. The **critical-difference
# diagram** ([figure](#figure-ranks)) shows all pairs at once: what is joined is not significantly different. The **pairwise matrix** ([figure](#figure-pairs)) adds how
# large the differences are.

# %%
friedman = gx.significance.friedman(study.rankings(configuration), higher_is_better=False)
tiers = gx.significance.rank_tiers(scores, level, **up)
leader, mean_ranks = tiers.index[0], tiers["mean_rank"]
n_first = int((tiers["tier"] == 0).sum())
say(
    f"Friedman: F = {friedman.f:.1f}, p {written_p(friedman.p_f, '= ')}; Kendall's W = {friedman.kendall_w:.2f}. "
    f"The first tier, led by {verbatim(leader)}, holds {n_first} of {len(tiers)} encoders, and there are {tiers['tier'].nunique()} tiers."
)

# %%
page.show_figure(
    figures.critical_difference_diagram(mean_ranks, gx.significance.pairwise_wilcoxon(scores, adjust="holm"), level),
    "ranks",
    "Mean ranks; a bar joins encoders of which no two differ significantly (Wilcoxon, Holm), dots mark its members.",
    f"{leader} has the best mean rank of {len(mean_ranks)} encoders, {mean_ranks.min():.1f}; with it, the first tier holds {n_first} of them.",
)

# %%
pairs = gx.significance.compare_pairs(scores, **up, rng=seed)
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
asked = gx.plan(
    study.nstar([gx.BordaKernel(leader), kernel, gx.MallowsKernel()], alpha=alpha, delta=delta, confidence=confidence)
)
asked = asked[(asked[study.design] == pd.Series(configuration)).all(axis=1)].reset_index(drop=True)
questions = [f"where does {leader} rank?", "who wins?", "what is the order of all?"]
page.show_table(
    asked[["n_experiments", "nstar", "low", "high", "verdict"]].set_index(pd.Index(questions, name="question")),
    "nstar",
    f"Datasets at hand and n\\* for three questions, with a jackknife interval of nominal {percent(confidence)} (α = {alpha:g}, δ = {delta:g}).",
    {"n_experiments": "datasets at hand", "nstar": "n*", "low": "interval from", "high": "to"},
    dict.fromkeys(["nstar", "low", "high"], 1),
)

# %%
best = gx.significance.best_alternative(study.rankings(configuration), level, higher_is_better=False)
ours = study.best(configuration, level)
say(
    f"{n_different} of {len(pairs)} pairs differ significantly (Wilcoxon, Holm). The test of Conover and Iman calls {' and '.join(map(verbatim, best.best))} "
    f"{'better' if best.significant else 'not significantly better'} than every other encoder. That test borrows its variance from all encoders and leaves the p-values as they "
    f"are; Wilcoxon's with Holm does neither. `Study.contenders` asks only whether anybody is better than each encoder: {len(ours.contenders)} of {len(mean_ranks)} may be the best.",
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

# %% [markdown] tags=["slide"]
# ## No winner is a result
#
# "Not significantly different" is what one gets from equal encoders, and from too few datasets. To tell these apart, one has to say how large a difference would
# matter, *before* looking: the **region of practical equivalence**, `rope`. Then there are four outcomes instead of two. A pair is *equivalent* if both one-sided
# t-tests reject (TOST: the difference is above −rope, and below rope), *better* or *worse* if a two-sided t-test shows a difference of more than rope, else *undecided*.

# %% tags=["subslide"]
shown = list(tiers.index[:4])
four = scores.loc[:, scores.columns.isin(shown)]
of_all = gx.significance.equivalent_pairs(scores, rope, level=level, higher_is_better=True)
equivalence = of_all[of_all["a"].isin(shown) & of_all["b"].isin(shown)]
in_words = ", ".join(f"{count} {word}" for word, count in equivalence["verdict"].value_counts().items())
page.show_figure(
    figures.equivalence_intervals(equivalence),
    "equivalence",
    "The leader and the three next best mean ranks. Mean difference of the scores with the interval that TOST looks at; shaded: the region of practical equivalence.",
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
views = equivalence.set_index(["a", "b"])[["estimate", "p_different_adjusted", "p_equivalent_adjusted", "verdict"]]
views = views.join(beliefs.set_index(["a", "b"])[["worse", "equivalent", "better", "verdict"]], rsuffix=" (posterior)")
page.show_table(
    views.rename_axis(["first", "second"]),
    "two-views",
    "The first encoder against the second: mean difference, p-values and verdict of the t-tests (Holm, all pairs of the benchmark); then what the Bayesian signed-rank test "
    "believes, and its verdict at a probability of .95.",
    {"estimate": "difference", "p_different_adjusted": "p, different", "p_equivalent_adjusted": "p, equivalent"},
    {
        **{"estimate": "{:+.3f}", "p_different_adjusted": written_p, "p_equivalent_adjusted": written_p},
        **dict.fromkeys(["worse", "equivalent", "better"], "{:.0%}"),
    },
)

# %%
quiet = of_all[of_all["difference"] == ""]
shown_equivalent = int((quiet["verdict"] == "equivalent").sum())
say(
    f"With rope = {rope:g}, the two verdicts agree on {(views['verdict'] == views['verdict (posterior)']).sum()} of {len(views)} pairs. They ask different questions: a few "
    "datasets with large differences move the mean, and hardly the average of two typical ones.",
    f"**Not different is not equal.** {len(quiet)} of all {len(of_all)} pairs of encoders do not differ significantly (t-tests, Holm). Of these, those shown to be equivalent "
    f"within {rope:g} are {shown_equivalent}; for the others the datasets do not suffice to say.",
)

# %% [markdown]
# **How many datasets would it take?** That depends on the spread of the differences, and on how many pairs are tested together. The spread is itself an estimate:
# its upper limit (by the chi-squared distribution, with 80 % confidence) shows how far a plan may be off ([table](#table-plan)).

# %%
d = (scores[shown[0]] - scores[shown[1]]).to_numpy()
plan = gx.significance.plan_comparison(d, rope, len(scores), power=power, level=level, n_pairs=len(of_all))
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

# %% [markdown]
# ## All configurations
#
# For every configuration: is there a significantly best encoder, and are there enough datasets for n\*?

# %%
rejects = int((both["p_f"] <= level).sum())
without = both[~both["significant"]]
generalizable = without[without["verdict"] == "enough"]
say(
    f"Friedman's test rejects in {rejects} of {len(both)} configurations, and a significantly best encoder is found in {both['significant'].sum()}. The first tier holds "
    f"{span(both['n_first_tier'], '{:.0f}')} encoders.",
    f"Of the {len(without)} configurations without a significant winner, {len(generalizable)} have enough datasets for two benchmarks to agree about the *distribution* "
    "of winners. A significant winner is not needed for a generalizable conclusion."
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
        percent(contradicting) if len(claimed) else "none",
        "of the studies that find a significantly best method name *another one* than the rest do, though all are samples of one small, invented world",
        f"exact, all {len(exact)} possible samples of {n}"
        + (f" · {percent(of_paper.min() / of_paper.sum())} in the paper's simulation" if is_papers_world else ""),
    ),
    page.Finding(
        percent(fair),
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
            f"with probability {percent(alpha)}, by nominal {percent(confidence)} intervals",
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
if two_results:
    np.testing.assert_allclose(exact["generalizability"], exact["generalizability"][::-1], atol=1e-9)
if is_papers_world:
    assert len(exact) == 21 and rejected == 21
    assert off.max() < 3 and len(counts) == 5 and len(others) == 12
    np.testing.assert_allclose(fair, 0.263, atol=0.0005)
    assert shares["significance"] < 0.01 and of_parity > 0.9 and len(claimed) == 2
    assert abs(both_ways["nstar"].iloc[0] / both_ways["nstar"].iloc[1] - 1) < 0.1
    assert fair_alone < level < fair / 5

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
    f"- Significantly best is {shares_claimed or 'no alternative in any'} of the samples of one world. Significance describes the sample.",
    f"- Where 0 and 1 are equal, and better than three others, Conover and Iman's test declares one of them best in {percent(fair)} of the samples, at the level {level:g}; "
    f"without the others in {percent(fair_alone)}.",
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
