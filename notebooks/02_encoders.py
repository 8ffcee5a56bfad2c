# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["slide"]
# # Case study: a benchmark of categorical encoders
#
# *Executable companion to* Generalizability of Experimental Studies, *both versions: Section 5.1, Figures 2 and 3.*
#
# A published benchmark compared 32 ways to encode categorical data on 50 datasets and concluded which ones are best.
# Had the authors picked 50 *other* datasets, would they have found similar results?
# This notebook answers with a number: how many datasets a study needs so that two independent studies of that size agree.
#
# **You will learn** why a benchmark can be sure of an answer that the next one contradicts; how to describe a benchmark as a *study*;
# how n\*, the number of experiments that makes it *generalizable*, is estimated from a table of results, with which uncertainty;
# and how to tell which parts of a benchmark need more datasets.
#
# **You need** notebook 01 for the definitions (study, kernel, MMD, n\*), and to know what a quantile is.
#
# **Time** 40 minutes to read, 100 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
source: str = "auto"  # results table: original (published), bundled (this project's own runs), or auto
alternative: str = "OHE"  # encoder whose rank the Borda question asks about
k: int = 1  # how many top tiers the Jaccard question looks at
alpha: float = 0.95  # generalizability wanted: probability that two studies agree, in (0, 1)
delta: float = 0.05  # tolerance: how different results may be and still agree, in (0, 1]
confidence: float = 0.95  # of the intervals, in (0, 1)
alphas: list[float] = [0.7, 0.8, 0.9, 0.95, 0.99]  # values of alpha in the overview
deltas: list[float] = [0.01, 0.05, 0.1, 0.2, 0.3]  # values of delta in the overview
configuration: dict = {}  # levels of model, tuning and scoring to look at closely; empty: the one with the largest n*
n_resamples: int = 1000  # resamples per study size in the published estimate
n_reruns: int = 56  # of this project's prediction tasks are run again with encoded columns as they are, 2 to 56
seed: int = 0  # seed of everything random

# %% [markdown]
# ## Setup

# %%
import warnings

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import encoders
from genexpy_nb.chapters import shared as summaries
from genexpy_nb.common import exercises, page
from genexpy_nb.common.checks import check_count
from genexpy_nb.common.prose import PHRASES, percent, say, span, verbatim
from genexpy_nb.datasets.tasks import SPECS, load_task

gx.plots.use_style()

# %% [markdown]
# ## The results
#
# One row is one evaluation: an encoder, followed by a model (with or without tuning), on one dataset, scored by
# cross-validation.

# %%
results = gx.datasets.load_encoders(source)
gx.datasets.notice(results)

# %%
page.show_table(
    results.head(3), "results", "The first three of the evaluations.", {"cv_score": "score"}, {"cv_score": 3}
)

# %% [markdown] tags=["slide"]
# ## The same question on two tables
#
# *Is target encoding (TE) better than one-hot encoding (OHE)?* A benchmark answers with the mean difference of their scores over datasets.
# The question goes to the published benchmark, if this run has read it, and to this project's own runs.

# %% tags=["subslide"]
original = results.attrs["source"] == "original"
ours = gx.datasets.load_encoders("bundled")
tables = {"own runs": ours, "published": results} if original else {"own runs": ours}
roles = {"alternatives": "encoder", "target": "cv_score", "condition": "dataset"}
roles |= {"design": ["model", "tuning", "scoring"], "higher_is_better": True, "confidence": confidence, "rng": seed}
twice = summaries.compare_on_tables(tables, "TE", "OHE", **roles)
page.show_table(
    twice.drop(columns="halves").rename_axis("table"),
    "two-tables",
    f"TE minus OHE: mean over datasets of the mean over models, tunings and scorings, with its interval (nominal {percent(confidence)}) and the p-value of Wilcoxon's test. "
    "Both take the datasets for independent; tasks that are cut from one table are not.",
    {
        "n_conditions": "datasets",
        "low": "interval from",
        "high": "to",
        "n_first": "TE better",
        "n_second": "OHE better",
    },
    dict.fromkeys(["estimate", "low", "high"], "{:+.3f}") | {"p": 3},
)

# %% tags=["subslide"]
pairs = summaries.side_by_side(ours, ["TE", "OHE"], **{name: roles[name] for name in list(roles)[:4]})
by_source = (pairs["TE"] - pairs["OHE"]).groupby(pairs.index.str.partition(":").get_level_values(0)).mean()
contradiction = original and bool(twice["estimate"].prod() < 0 and (twice["low"] * twice["high"] > 0).all())
say(
    f"Two random halves of the datasets name the same winner in {span(100 * twice['halves'], '{:.0f}', ' %')} of 1000 splits. Our tasks are cut from {len(by_source)} "
    f"tables. If each table counts once, TE minus OHE is {by_source.mean():+.3f} there.",
    "**Both intervals leave zero out, and they contradict each other.** More datasets of the same kind would hardly reverse either."
    if contradiction
    else "The published table says the opposite of our own runs: with `source=original` the two stand side by side.",
)

# %% [markdown]
# **Why?** Large studies agree if they sample from one distribution. These two do not. Three possible reasons can be checked:
#
# - *Models and tunings.* The comparison below takes only those that both have.
# - *Preprocessing.* Our runs standardize all columns. Then the column of a rare category counts as much as that of a frequent one, and
#   one-hot encoding has many of them. The published code scales numeric columns only. Our tasks are run again like that, without tuning; on another processor the third decimal may differ.
# - *Leaks.* TE replaces the category of a row by the mean target of the training rows that share it, its own label included. CV5TE takes the mean over *other*
#   rows, of which there are fewer. Where it still does better than TE, the own label is the likely reason.

# %% tags=["nbval-ignore-output"]
common = (["DTC", "KNC", "LR", "SVC"], ["no", "model"])
shared = {
    name: table[table["model"].isin(common[0]) & table["tuning"].isin(common[1])] for name, table in tables.items()
}
every = list(SPECS)
tasks = [every[i] for i in np.linspace(0, len(every) - 1, check_count("n_reruns", n_reruns, 2, len(every))).astype(int)]
untuned = {name: table[table["tuning"] == "no"] for name, table in shared.items()}
untuned["own runs"] = untuned["own runs"][untuned["own runs"]["dataset"].isin(tasks)]
again = pd.concat(encoders.run_task(load_task(t), ["OHE", "TE"], common[0], scaled="numeric") for t in tasks)
steps = {
    "everything": ("TE", tables),
    "same models and tunings": ("TE", shared),
    "same models and tunings, CV5TE for TE": ("CV5TE", shared),
    "same models, untuned": ("TE", untuned),
    "same models, untuned, only numeric columns scaled": ("TE", {**untuned, "own runs": again}),
}
answers = {step: summaries.compare_on_tables(which, first, "OHE", **roles) for step, (first, which) in steps.items()}
answers = pd.concat(answers, names=["compared", "table"])
gaps = answers["estimate"].unstack("table").reindex(steps)
spans = answers.apply("{0[estimate]:+.3f} [{0[low]:+.3f}, {0[high]:+.3f}]".format, axis=1).str.replace("-", "−")
page.show_table(
    spans.unstack("table").reindex(steps)[list(tables)],
    "gap",
    f"TE (or CV5TE) minus OHE, the mean difference and its interval (nominal {percent(confidence)}), with more and more held equal.",
)

# %%
models, crossed, before, after = (gaps["own runs"][step] for step in list(steps)[1:])
say(
    f"*Models.* Without GNB, which the published benchmark lacks, the difference of our runs is {models:+.3f} instead of {gaps['own runs'].iloc[0]:+.3f}.",
    f"*Preprocessing.* On {len(tasks)} of our tasks the difference is {before:+.3f} with all columns scaled, and {after:+.3f} with the numeric ones only.",
    f"*Leaks.* On our tasks CV5TE minus OHE is {crossed:+.3f}, where TE minus OHE is {models:+.3f}.",
)

# %%
if original:
    gap = gaps["own runs"] - gaps["published"]
    pair = summaries.side_by_side(shared["published"], ["TE", "CV5TE"], **{n: roles[n] for n in list(roles)[:4]})
    leaks = (pair["CV5TE"] - pair["TE"]).sort_values(ascending=False)
    text = say(
        f"*The gap* between the tables is {gap.iloc[0]:.3f} with everything, {gap.iloc[1]:.3f} with the same models and tunings; untuned it is "
        f"{gap.iloc[3]:.3f} with our scaling and {gap.iloc[4]:.3f} with theirs. On the published table CV5TE is more than 0.05 better than TE on {(leaks > 0.05).sum()} "
        f"of {len(leaks)} datasets, most of all ({leaks.iloc[0]:.2f}) on {verbatim(leaks.index[0])}.",
        "What is left of the gap lies in the datasets themselves, of which the tables hold names only, and in details of the code that were not tried here.",
    )
text if original else None

# %% [markdown] tags=["slide"]
# **What to take along.** A level that is held constant, such as the scaling, is held constant for *all* datasets, so more datasets do not average it
# out. The n\* of this notebook says how many datasets make two studies agree that draw *the same kind* of datasets and keep everything else.

# %% [markdown]
# ## From a table to a study
#
# The encoders are the alternatives. Everything else that may change a result is a factor, and the question gives each factor a role (notebook 01):
#
# | role | what happens to it | here |
# |---|---|---|
# | design | each combination of levels is a *configuration*, analysed on its own | model, tuning, scoring |
# | generalizability | its levels are a sample; conclusions should hold for levels that were not seen | dataset |
# | stochasticity | averaged out before anything else | cross-validation fold (the table holds the averages) |
# | held constant | fixed to one level | everything that the benchmark did not vary |
#
# So one configuration has one experiment per dataset: an evaluation of all encoders.

# %%
study_roles = {
    "alternatives": "encoder",
    "target": "cv_score",
    "generalize_over": "dataset",
    "design": ["model", "tuning", "scoring"],
    "higher_is_better": True,
    "missing": "worst-rank",
}
with warnings.catch_warnings(action="ignore", category=gx.StudyWarning):  # a study shows its warnings itself
    study = gx.Study(results, **study_roles)
study

# %% [markdown]
# > Aside: Scores of an easy and a difficult dataset lie far apart whatever the encoders do; ranks do not.
#
# The result of an experiment is a **ranking with ties**: tier 0 holds the best encoders.
# An encoder without a score on a dataset (it crashed, or took too long) shares the worst tier there, as in the papers.

# %% [markdown] tags=["slide"]
# ## Four research questions, four kernels
#
# Whether two results *agree* depends on the question, and a kernel is the question.

# %% tags=["subslide"]
kernels = [gx.BordaKernel(alternative), gx.JaccardKernel(k), gx.MallowsKernel(), gx.RBFKernel()]
n_alternatives = results["encoder"].nunique()
page.show_table(
    summaries.kernel_table(kernels, delta, n_alternatives),
    "kernels",
    "The four questions of this notebook, and the distance of two studies up to which they count as the same answer.",
    {"epsilon": "threshold ε"},
    {"epsilon": 3},
)

# %% [markdown]
# Two whole studies agree if the MMD of their results is at most $\varepsilon$. The threshold follows from the tolerance $\delta$: for the questions about rankings
# as in notebook 01; for raw scores (RBF) $\delta$ is the mean squared difference of the scores, as in the authors' program; the papers give no threshold for it.
# So the same $\delta$ is no equally strict demand for all questions.
#
# > Aside: Suppose that all results of a study are the same, and those of another are all the same, too. If the two results differ by δ, the studies are exactly at the threshold.

# %% [markdown]
# ## One configuration, step by step

# %%
nstar = study.nstar(kernels, alpha=alphas, delta=deltas, method="moments")
asked = study.nstar(kernels, alpha=alpha, delta=delta, method="moments", confidence=confidence)
jaccard = asked[asked["kernel"] == kernels[1].name]
configuration = configuration or jaccard.loc[jaccard["nstar"].idxmax(), study.design].to_dict()
named = " / ".join(map(str, configuration.values()))
say(
    f"The configuration is **{verbatim(named)}**. [Figure](#figure-ranks) shows how its rankings vary over the datasets."
)

# %%
rankings = study.rankings(configuration)
first_tier = (rankings == 0).mean()
page.show_figure(
    gx.plots.rank_distribution(rankings),
    "ranks",
    "Share of the datasets on which an encoder lands in each tier; encoders sorted by mean tier. If the same encoders won everywhere, the left column would be dark.",
    f"The encoder that is in the first tier most often, {first_tier.idxmax()}, is there on {percent(first_tier.max())} of the datasets.",
)

# %% [markdown]
# The published estimate of n* (Figure 2 of the second version) goes like this.
# Draw two disjoint sets of $n$ experiments each at random, compute their MMD, repeat: that gives
# n-generalizability for every $n \le N/2$ (left in [figure](#figure-power-law)). The quantiles of the MMD shrink with $n$ along a power law,
# $\log n \approx -2 \log q_n + \beta$ (Theorem 4.1), so a line through them is extrapolated down to $\varepsilon$ (right).

# %%
gram = kernels[1].gram(rankings)
epsilon = kernels[1].epsilon(delta, rankings.shape[1])
law = gx.generalization.power_law(gram, alpha, epsilon, n_resamples=n_resamples, rng=seed)
moments = gx.estimate_nstar(gram, alpha, epsilon, confidence=confidence)
page.show_figure(
    gx.plots.power_law(law, moments.estimate),
    "power-law",
    "Left: each curve is a study size; where it crosses the dotted line is the probability that two such studies agree. Right: n\\* is where the line reaches the threshold (square). The circle is our estimate.",
    f"The extrapolated line reaches the threshold at {law.nstar:.0f} datasets; our own estimate is {moments.estimate:.0f}.",
)

# %% [markdown]
# The extrapolation has two weak points: the studies that it resamples hold half of the data at most, and it comes without an interval.
# Our default, `moments`, needs neither random draws nor a line, and uses *all* experiments; notebook 11 derives it. Notebook 04 counts how often
# its interval holds n\*.

# %%
say(
    f"The published method says {law.nstar:.1f} datasets. `moments` says {moments.estimate:.1f}, with an interval from {moments.low:.1f} to "
    f"{moments.high:.1f}. {moments.n_experiments} were run.",
    f"**Enough for what?** {verbatim(PHRASES['generalizability', 'enough'].why)} Notebook 10 asks how likely two studies are to name the same winner.",
)

# %% [markdown]
# ## All configurations: the paper's Figure 3
#
# How many datasets does it take, depending on what one asks, and how strictly?

# %% tags=["slide"]
table = asked.groupby("kernel", sort=False)["nstar"].agg(["min", "median", "max"])
medians = table["median"].sort_values()
shown = {"alpha": min(alphas, key=lambda a: abs(a - alpha)), "delta": min(deltas, key=lambda d: abs(d - delta))}
page.show_figure(
    gx.plots.nstar_overview(nstar, **shown),
    "overview",
    "n\\* over α (left) and δ (right), the other one held. A box holds the configurations. Logarithmic scale.",
    f"n* rises with α and falls with δ. Its median at α = {alpha:g}, δ = {delta:g} is {medians.iloc[0]:.0f} for {medians.index[0]} and {medians.iloc[-1]:.0f} for {medians.index[-1]}.",
)

# %% [markdown]
# Asking for more agreement (larger α) or more similar results (smaller δ) never takes fewer datasets. **Do design factors matter more, the stricter one
# is?** The second version concludes so from its figure. On its logarithmic scale a box is as high as the ratio of its quartiles.

# %%
boxes = {}
for over, other, ends in (("alpha", "delta", [min, max]), ("delta", "alpha", [max, min])):
    at_other = nstar[nstar[other] == shown[other]]
    quartiles = at_other.groupby(["kernel", over])["nstar"].quantile([0.25, 0.75]).unstack()
    ratio = (quartiles[0.75] / quartiles[0.25]).unstack(over)
    boxes[over] = ratio[[end(ratio) for end in ends]].set_axis(["mildest", "strictest"], axis=1)
page.show_table(
    pd.concat(boxes, names=["over", "question"]).reset_index(),
    "boxes",
    "Upper over lower quartile of n\\* over the configurations, at the mildest and at the strictest level.",
    forms=dict.fromkeys(["mildest", "strictest"], 2),
)

# %%
page.show_table(
    table.rename_axis("question"),
    "questions",
    f"Datasets needed at α = {alpha:g} and δ = {delta:g}, over all configurations.",
    {"min": "smallest n*", "median": "median n*", "max": "largest n*"},
    dict.fromkeys(table, 1),
)

# %% [markdown]
# **And raw scores?** The RBF question compares whole vectors of scores, so first of all it compares datasets, easy ones with
# difficult ones. Take the mean of each dataset away, and ask again.

# %%
distances = pd.DataFrame([encoders.score_distances(study.scores(c, impute=True)) for c in study.configurations])
means = results.groupby(["dataset", *study.design])["cv_score"].transform("mean")
centred = results.assign(cv_score=results["cv_score"] - means)
with warnings.catch_warnings(action="ignore", category=gx.StudyWarning):  # of missing evaluations, as above
    alone = gx.Study(centred, **study_roles).nstar(kernels[3], alpha, delta)["nstar"]
say(
    f"Two datasets differ by {distances['between'].median():.2f} in the score of an encoder (root mean square, median over configurations); "
    f"{percent(distances['means'].median())} of the square is due to the datasets' means. Without these, the median n\\* of raw scores is {alone.median():.1f} "
    f"instead of {table.loc['RBF', 'median']:.1f}. Where it is near 1, one dataset is as good as another: the question is too mild to be informative about encoders.",
)

# %% [markdown]
# ## Published numbers beside ours
#
# The papers name four configurations, all for the Jaccard question with α = 0.95 and δ = 0.05. Ours is by `moments`, with its interval; the last column
# has what their own method, `resampling`, gives on all experiments.

# %%
if original:
    beside, *reseeded = (
        summaries.beside_published(
            study,
            gx.generalization.published_nstar("encoders"),
            gx.JaccardKernel(1),
            ["moments", "resampling"],
            n_resamples=n_resamples,
            confidence=confidence,
            rng=seed + i,
        )
        for i in range(5)  # resampling depends on its seed
    )
    near = (beside["published"] / beside["resampling"] - 1).abs() < 0.1
    seeds = np.array([each["resampling"] for each in (beside, *reseeded)]).T
    for row, close, of_seeds in zip(beside.itertuples(), near, seeds, strict=True):
        where_printed = [row.model, row.tuning, row.scoring]
        page.key_number(
            "-".join([*where_printed, f"v{'12'[row.paper.startswith('second')]}"]).lower(),
            f"n* of {' / '.join(where_printed)} ({row.paper})",
            row.moments,
            row.low,
            row.high,
            unit="datasets",
            published=row.published,
            source=f"Matteucci et al., {row.paper}, Section 5.1",
            reason=f"ours is by moments; their method on all {row.n_experiments} datasets gives {span(of_seeds, '{:.1f}')} (five seeds)"
            + ("" if close else "; the published number comes from a draw of some of them"),
        )
    of_rankings = nstar[nstar["kernel"].isin([kernel.name for kernel in kernels if kernel.on == "rankings"])]
    for name, level in (("alpha", 0.7), ("delta", 0.3)):
        other = {"alpha": f"delta == {shown['delta']}", "delta": f"alpha == {shown['alpha']}"}[name]
        found = of_rankings[of_rankings[name] == level].query(other)
        if (shown["alpha"], shown["delta"]) != (0.95, 0.05) or found.empty:
            continue
        most = found.loc[found["nstar"].idxmax()]
        above = found[found["nstar"] >= 10].groupby("kernel").size()
        page.key_number(
            f"mildest-{name}",
            f"largest n* of rankings at {'α' if name == 'alpha' else 'δ'} = {level}",
            most["nstar"],
            most["low"],
            most["high"],
            unit="datasets",
            published=10,
            source="Matteucci et al., second version, Section 5.1, text on Figure 3",
            reason="“even less than 10”: so it is for all configurations and questions"
            if above.empty
            else "“even less than 10”: not so for "
            + ", ".join(
                f"{question} in {n} of {len(study.configurations)} configurations" for question, n in above.items()
            ),
        )
    page.show_published("published", "The published numbers beside those of this run.")
else:
    display(say("The papers' numbers belong to the published table; this run used the bundled results."))

# %% [markdown]
# In the second version's case studies n\* was not estimated from all experiments: a few of them were drawn *with replacement* first.
# A draw with replacement holds repetitions, and few experiments make a noisy line. With the published table, the figure below repeats the draw behind the published 47 many times.

# %%
if original:
    c2_rankings = study.rankings({"model": "LR", "tuning": "full", "scoring": "F1"})
    c2_gram, c2_epsilon = gx.JaccardKernel(1).gram(c2_rankings), gx.JaccardKernel(1).epsilon(0.05, c2_rankings.shape[1])
    draws = {
        size: gx.generalization.redrawn_estimates(c2_gram, size, 0.95, c2_epsilon, n_studies=500, rng=seed)
        for size in (10, 20)
    }
    everything = float(beside.loc[beside["published"] == 47, "resampling"].iloc[0])
    shares = [np.mean(estimates >= 47) for estimates in draws.values()]
    page.show_figure(
        gx.plots.estimate_histogram(draws[10], {"published": 47, "all 30 experiments": everything}),
        "draws",
        "The published method on 10 of the 30 experiments, drawn with replacement, 500 times; the lines are the published number, and what the method gives with all 30.",
        f"Estimates from ten experiments spread widely around {everything:.0f}, the estimate from all 30; {percent(shares[0])} are 47 or more.",
    )
    display(
        say(
            f"A value of 47 or more turns up in {percent(shares[0], 1)} of the draws of 10, and in {percent(shares[1], 1)} of those of 20: "
            "it is a property of the draw, not of the benchmark. "
            f"By the same method, from all experiments, {near.sum()} of the {len(near)} published numbers are within 10 % of ours."
        )
    )

# %% [markdown]
# ## Which configurations need more datasets, and how many?
#
# For the Jaccard question, at the α and δ of this report. A configuration has *enough* datasets if no part of its interval lies
# above the number at hand, needs *more* if the whole interval does, and is *undecided* in between: the estimate says one thing, but
# the interval does not exclude the other.

# %%
planned = gx.plan(jaccard)
verdicts = planned["verdict"].value_counts()
counted = ", ".join(f"{verdicts.get(verdict, 0)} {verdict}" for verdict in ("enough", "undecided", "more needed"))
page.show_figure(
    gx.plots.nstar_forest(planned, study.design),
    "forest",
    f"n\\* with its interval of nominal {percent(confidence)}, against the datasets at hand (black tick). Up to 30 configurations, the most demanding on top.",
    f"Datasets needed against datasets at hand, configuration by configuration: {counted}.",
)

# %%
needy = planned[planned["more"] > 0].sort_values(["more", *study.design], ascending=[False, True, True, True])
say(
    f"Of the {len(planned)} configurations: {counted}. The estimate is above the number of datasets at hand in {len(needy)}."
)

# %%
if len(needy):
    page.show_table(
        needy[[*study.design, "n_experiments", "nstar", "low", "high", "more"]].head(15).set_index(study.design),
        "more",
        "Configurations whose estimate is above the number of datasets at hand; at most 15, those that miss the most first.",
        {"n_experiments": "datasets", "nstar": "n*", "low": "interval from", "high": "to", "more": "missing"},
        {"nstar": 1, "low": 1, "high": 1, "more": 0},
    )

# %% [markdown]
# ## What this number is good for, and what not
#
# n\* of "who wins, and how often" hardly depends on how sure the winner is. The threshold ε follows from δ alone, and what is compared with it grows with the chance that two datasets have
# different winners. That chance is near 1 for most benchmarks. Suppose one of ten encoders wins a share of the datasets, and the others share the rest. Take α = 0.95 and δ = 0.05, as the paper does.

# %%
winners = summaries.nstar_of_winners((0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9), 0.95, 0.05)
page.show_table(
    winners.rename_axis("the leader wins"),
    "shares",
    r"n\* of who wins, and how often, by how many datasets the leader wins; 10 alternatives, α = 0.95, δ = 0.05.",
    {"different": "two datasets have different winners", "nstar": "n*"},
    {"different": "{:.0%}", "nstar": 1},
)

# %%
say(
    rf"From a leader that wins {percent(winners.index[0])} of the datasets to one that wins {percent(winners.index[3])}, n\* stays between {winners['nstar'].iloc[:4].min():.0f} and {winners['nstar'].iloc[:4].max():.0f}. "
    f"So it answers whether the *shares of wins* are known well enough, which is the paper's question. It does not say which encoder is best, nor how sure that is. For these, notebook 09 asks who may be the best and what it costs to rely on that."
)

# %% [markdown]
# ## The answer in short

# %%
most = planned.loc[planned["nstar"].idxmax()]
n_enough = verdicts.get("enough", 0)
page.key_number("largest", "n* of the most demanding configuration", *most[["nstar", "low", "high"]], unit="datasets")
for name, value in medians.items():
    label = f"median n* over the configurations, {name}"
    page.key_number(f"median-{name.split('(')[0].lower()}", label, value, unit="datasets")
page.key_number("enough", "share of the configurations that have enough datasets", n_enough / len(planned), decimals=2)
page.key_number(
    "difference", "TE minus OHE on our own runs", *twice.loc["own runs", ["estimate", "low", "high"]], decimals=3
)

# %% tags=["hero", "slide"]
asked_about = "which encoders win" if k == 1 else f"the best {k} tiers"
page.show_figure(
    gx.plots.nstar_hero(planned, study.design),
    "answer",
    f"Datasets until two studies agree on {asked_about}, and how often (α = {alpha:g}, δ = {delta:g}), with intervals of nominal {percent(confidence)}; the black tick is what was run. "
    "One line per model, tuning and score, the most demanding on top; [figure](#figure-forest) has up to 30.",
    f"Intervals of the number of datasets needed, against the datasets at hand. Of all {len(planned)} configurations: {counted}.",
)

# %% tags=["findings", "slide"]
ratio = table.loc[kernels[1].name, "median"] / table.loc["Mallows", "median"]
findings = [
    page.Finding(
        f"{most['nstar']:.0f}",
        f"datasets until two studies agree on *{asked_about}, and how often*, in the most demanding of {len(planned)} combinations of model, tuning and score; "
        f"{n_enough} of the {len(planned)} have enough",
        f"nominal {percent(confidence)} interval {most['low']:.0f} to {most['high']:.0f} · {most['n_experiments']:.0f} were run",
    ),
    page.Finding(
        f"{ratio:.1f} times",
        f"as many datasets to agree on {asked_about} as on *the order of all encoders* (medians over the combinations)",
        f"{table.loc[kernels[1].name, 'median']:.0f} and {table.loc['Mallows', 'median']:.0f} datasets",
    ),
]
if original:
    text = "datasets that one combination needs: as published, and by the same method from all 30 experiments. From ten drawn at random, it says 47 or more"
    text += f" in {percent(shares[0])} of the draws"
    findings.append(page.Finding(f"47 → {everything:.0f}", text, f"published → computed · {len(draws[10])} draws"))
page.show_findings(*findings)

# %% [markdown]
# ## Checks

# %%
where = [*study.design, "kernel"]
for held_one, strict in (("delta", nstar.sort_values("alpha")), ("alpha", nstar.sort_values("delta", ascending=False))):
    assert (strict.groupby([*where, held_one])["nstar"].diff().dropna() > -1e-6).all()  # stricter questions take more
assert twice.loc["own runs", "estimate"] > 0 and twice.loc["own runs", "halves"] > 0.9
assert set(ours["tuning"]) == {"no", "model"} and set(ours["model"]) == {*common[0], "GNB"}
assert distances["means"].median() > 0.5  # raw scores compare datasets first of all
assert before > after  # scaling encoded columns is to the disadvantage of OHE
assert not original or contradiction or confidence > 0.95
assert len(nstar) == len(study.configurations) * len(kernels) * len(alphas) * len(deltas)
assert (nstar["low"] <= nstar["nstar"]).all() and (nstar["nstar"] <= nstar["high"]).all()
if original:
    from_all_experiments = {28: [28.6, 28.0], 34: [34.3], 47: [32.4]}  # n* by the published method on all experiments
    for value, group in beside.groupby("published", sort=False):
        if n_resamples >= 1000:  # fewer leave more noise
            np.testing.assert_allclose(group["resampling"], from_all_experiments[value], rtol=0.05)
            np.testing.assert_allclose(group["moments"], group["resampling"], rtol=0.10)
    assert not near[beside["published"] == 47].any()
    assert len(study.configurations) == 48 and (study.accounting["n_experiments"] == 50).sum() == 23
    assert set(results["model"]) == {*common[0], "LGBMC"} and set(results["tuning"]) == {"no", "model", "full"}
    assert gaps["published"].iloc[2] > gaps["published"].iloc[1]  # statistics of other rows are better there
    assert shares[0] > 0.1 > 0.05 > shares[1] and (near.sum() == 3 or n_resamples < 1000)
    assert np.quantile(draws[10], 0.05) < 47 < np.quantile(draws[10], 0.95)
    np.testing.assert_allclose(twice["estimate"], [0.029, -0.025], atol=0.001)

# %% [markdown]
# ## Summary
#
# - A benchmark is a sample of experiments. Whether its conclusion generalizes depends on the question: the kernel.
# - n* says how many experiments it takes for two studies to agree; an estimate without an interval says too little.
# - n* is about studies that draw the same kind of experiments. What a benchmark holds constant can turn its conclusion round, and no number of
#   datasets shows it.

# %%
page.show_key_numbers()

# %% [markdown]
# ## Exercises
#
# All but the first two use this project's own runs, which are there without a network: the untuned models, scored by the area under the ROC curve (AUC).

# %% [markdown] tags=["exercise", "slide"]
# ### 1. More datasets
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
exercises.check(
    "02-1",
    answer_1,
    "py3dimwvblu5ity",
    hint="From which distribution do the two studies in the definition of n* draw their results? What do A and B draw from?",
    wrong={
        "p3eipsemhvakktq": "That would be so for two benchmarks that do the same with other datasets. Do these?",
        "pyfrizj5uvxcs3a": "n* promises it for two studies that draw from one distribution of results. Do these?",
        "pyv4gqxn2esthgy": "Significance is about a difference being zero. Two studies of one population agree better and better as they grow.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** Scaling is held constant in each benchmark, at another level. It shifts the results of *all* datasets, so more of them only make each benchmark surer of its own answer. It is one of the things in which
# the two tables at the beginning differ. Whoever wants an answer for both scalings makes scaling a design factor (two answers), or a generalizability factor (one answer for all).

# %% [markdown] tags=["exercise"]
# ### 2. Enough?
#
# *Understanding · 5 minutes.* A benchmark has run 30 datasets in each of four configurations. Their estimates of n\*, with intervals, are 12 [9, 29.8], 22 [15, 38], 28 [24, 30.4] and 34 [31, 60]. What is
# the verdict on each? Assign the list of four words, in this order, each `"enough"`, `"undecided"` or `"more needed"`, to `answer_2`.

# %% tags=["solution"]
estimates_of_four = pd.DataFrame(
    {"n_experiments": 30, "nstar": [12, 22, 28, 34], "low": [9, 15, 24, 31], "high": [29.8, 38, 30.4, 60]}
)
answer_2 = gx.plan(estimates_of_four)["verdict"]

# %% tags=["check"]
exercises.check(
    "02-2",
    answer_2,
    "nwi77j7ur4qqzyi",
    hint="Compare the whole interval with 30, not the estimate.",
    wrong={
        "nxhxhjsv7u4plha": "That compares the estimates with 30. They are uncertain, and the intervals say how much.",
        "nuzq7zln6ndh6ei": "In the third configuration n* may be 30.4, and then 31 datasets are needed.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** Enough: no part of the interval lies above 30. More needed: all of it does. Else the data leave it open, whatever side the estimate is on. "Undecided" is a result, too: it says that this table
# cannot tell, and a few datasets more may.

# %% [markdown] tags=["exercise"]
# ### 3. The best one, or the best three?
#
# *Application · 10 minutes.* In the cell for your answer, `own` is the study of this project's own runs. Take logistic regression (`"LR"`). What is n\* for Jaccard with $k = 1$ and with $k = 3$, by the
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
exercises.check(
    "02-3",
    answer_3,
    "e6ovwenwpflcm435ua",
    decimals=1,
    hint="own.nstar takes a list of kernels and returns a row per model and kernel; take those of LR.",
    wrong={"e6nv3nlzv4b25yjf7y": "These are the two numbers, in the other order: first k = 1."},
)

# %% [markdown] tags=["explanation"]
# **Why.** For $k = 1$ most pairs of datasets have winners with nothing in common, and the kernel is 0; for $k = 3$ the sets are larger and often share a member. Results that are more alike on average
# scatter less around their mean, so fewer of them suffice, here 28.1 instead of 31.9. A look at `gx.JaccardKernel(3).gram(own.rankings({"model": "LR"}))` shows it: fewer zeros.

# %% [markdown] tags=["exercise"]
# ### 4. Whose rank is hardest to pin down?
#
# *Application · 10 minutes.* Again logistic regression. For each of the 22 encoders estimate n\* for "where does it rank?" (Borda). For which encoder is it largest? Guess first: the best one, a
# mediocre one, the worst one? Assign the name of the encoder to `answer_4`.

# %% tags=["solution"]
positions = own.nstar([gx.BordaKernel(encoder) for encoder in own.alternatives])
positions = positions[positions["model"] == "LR"].set_index("kernel")["nstar"]
answer_4 = positions.idxmax().removeprefix("Borda(").removesuffix(")")

# %% tags=["check"]
exercises.check(
    "02-4",
    answer_4,
    "5zv6jmmgycbdjgy",
    hint="A kernel for each name in own.alternatives. Then compare with mean and standard deviation of the tiers in own.rankings.",
    wrong={
        "53yzdhio2hyihra": "That one has the best mean rank. Is it also the one whose rank varies most?",
        "5zha7fqvihdytiq": "That one has the worst mean rank. Is it also the one whose rank varies most?",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** What counts is how much the position varies, not where it is on average. Ordinal encoding (OE) is in one of the first three tiers on 20 % of the tasks, and in tier 18 or worse on 43 %: its tiers have the largest
# standard deviation of all encoders, as `own.rankings({"model": "LR"}).std()` shows. (It numbers the categories in an arbitrary order, and a linear model takes the numbers at their word.) A mean in the middle can hide an encoder that is hardly ever there.

# %% [markdown] tags=["exercise"]
# ### 5. What are related datasets worth?
#
# *Project · 30 minutes.* The 56 tasks of our own runs are cut from 23 tables: `gx.datasets.with_source_tables(own_runs)` adds the column `table`. Make a second study that holds one task of each table, the
# first one in alphabetical order. For Jaccard with $k = 1$ and all five models: in how many of the five configurations are there enough datasets, with all tasks, and with one task of each table? Assign the list
# of the two counts to `answer_5`. Then compare the estimates of n\* themselves. What has changed, and what would you report? (`own.design_effect` needs the study with `cluster="table"`; notebook 10 explains it.)

# %% tags=["solution"]
with_tables = gx.datasets.with_source_tables(own_runs)
one_of_each = with_tables.sort_values("dataset").drop_duplicates("table")["dataset"]
fewer = gx.Study(own_runs[own_runs["dataset"].isin(one_of_each)], **own_roles)
planned_both = [gx.plan(each.nstar(gx.JaccardKernel(1))) for each in (own, fewer)]
answer_5 = [int((each["verdict"] == "enough").sum()) for each in planned_both]

# %% tags=["check"]
exercises.check(
    "02-5",
    answer_5,
    "kplrseiisybchpy",
    hint="drop_duplicates('table') after sorting by dataset keeps one task of each table; gx.plan gives the verdicts.",
    wrong={
        "ko3clpygmp34lgy": "n* hardly changes, but what is it compared with? The second study has 23 experiments.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** The estimates of n\* hardly change: from 32 to 33 datasets with all tasks, from 30 to 33 with one of each table. What changes is the number at hand, 56 or 23, and with it the verdict: from "enough" in all five
# configurations to "more needed" in all five. n\* counts *independent* datasets, and 56 tasks that were cut from 23 tables are not 56 independent ones. The truth may lie between the two: notebook 10 estimates
# how many independent datasets related ones are worth.

# %% [markdown]
# ## Further reading
#
# - [Matteucci et al., 2023, *A benchmark of categorical encoders for binary classification*](https://openreview.net/forum?id=YJ4ioRbxNb), NeurIPS, Datasets and Benchmarks Track: the benchmark analysed here, its encoders, datasets and conclusions.
# - [Gretton et al., 2012, *A Kernel Two-Sample Test*](https://jmlr.org/papers/v13/gretton12a.html), Journal of Machine Learning Research 13, 723-773: the MMD, with which two studies are compared.
# - [McGinnis et al., 2018, *Category Encoders: a scikit-learn-contrib package of transformers for encoding categorical data*](https://github.com/scikit-learn-contrib/category_encoders), Journal of Open Source Software 3 (21), 501: the package that most encoders of our own runs come from.
