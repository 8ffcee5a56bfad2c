# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["slide"]
# # Case study: BIG-bench, a benchmark of language models
#
# *Executable companion to* Generalizability of Experimental Studies, *both versions: Section 5.2, Figures 4 (second version) and 3 (first).*
#
# BIG-bench compares language models on some two hundred tasks. A task is a family of subtasks: `arithmetic` has additions, subtractions, and
# so on, with one to five digits. Had the authors of a task thought of *other* subtasks, would the same models have won?
#
# **You will learn** what to do when many results are missing; what n\* = 1 means, and what it does not; why the published
# estimate depends on the random seed, and how much; how to tell from a table of intervals which tasks deserve more subtasks;
# and to look at the rows of a table before counting them.
#
# **You need** notebook 01 for the definitions: experiment, kernel, MMD, n\*. Notebook 02 has the same structure, with fewer difficulties.
#
# **Time** 45 minutes to read, 105 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
source: str = "auto"  # results table: original (published), bundled (this project's own runs), or auto
alternative: str = ""  # model that the Borda question asks about; empty: GPT-3 200B, or the one with the most results
task: str = ""  # task to look at closely; empty: the paper's, or the configuration with the largest n*
shots: int = 0  # number of shots to look at, if a task is given
minimum: int = 10  # leave out configurations with so many subtasks or fewer
k: int = 1  # how many top tiers the Jaccard question looks at
alpha: float = 0.95  # generalizability wanted: probability that two studies agree, in (0, 1)
delta: float = 0.05  # tolerance: how different results may be and still agree, in (0, 1]
confidence: float = 0.95  # of the intervals, in (0, 1)
alphas: list[float] = [0.7, 0.8, 0.9, 0.95, 0.99]  # values of alpha in the overview
deltas: list[float] = [0.01, 0.05, 0.1, 0.2, 0.3]  # values of delta in the overview
n_resamples: int = 1000  # resamples per study size in the published estimate
n_seeds: int = 100  # how many random seeds the published estimate is repeated with, at least 2
n_redrawn: int = 10  # size of the draws with replacement that are looked at, at least 6
seed: int = 0  # seed of everything else that is random

# %% [markdown]
# ## Setup

# %%
import warnings

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import bigbench as chapter
from genexpy_nb.chapters import shared as summaries
from genexpy_nb.common import exercises, page
from genexpy_nb.common.checks import check_count
from genexpy_nb.common.page_tables import written_number
from genexpy_nb.common.prose import PHRASES, percent, say, span, verbatim

gx.plots.use_style()
n_seeds, n_redrawn = check_count("n_seeds", n_seeds, 2), check_count("n_redrawn", n_redrawn, 6)

# %% [markdown]
# ## The results
#
# > Aside: "Zero shots" does not mean that nobody tried: the prompt holds the question, and no solved example.
#
# One row is one evaluation: a model on one subtask of a task, with some solved examples ("shots"). In the published table the examples are in the
# prompt of a language model, and the task's preferred score is reported. In this project's own runs a classifier learns from them, and the score is its
# accuracy. An infinite score is a failed evaluation, and is read as missing. A model is a family and a size: in the published table of GPT-3, PaLM,
# BIG-G and others.

# %%
results = gx.datasets.load_bigbench(source)
gx.datasets.notice(results)

# %% [markdown] tags=["slide"]
# ## From a table to a study: what to do about missing results
#
# Task and number of shots are **design** factors: each combination is a configuration, analysed on its own.
# The subtask is the **generalizability** factor: one experiment per subtask.
#
# In the encoder study (notebook 02) a missing result was a failure of the encoder and got the worst rank. Here a model that lacks a result
# may not have been run at all, so the worst rank would be unfair. The papers
# filter twice: they keep the conditions in which at least 80 % of the models have results, and then the models that have results in at
# least 80 % of those. What is still missing gets the worst rank.

# %%
original = results.attrs["source"] == "original"
levels = results.nunique()
n_models = levels["model_family_model_name"]
n_conditions = len(results[["task_name", "number_of_shots", "subtask_description"]].drop_duplicates())
filled = results["score_value"].notna().sum() / (n_conditions * n_models)
say(
    f"The table has {n_models} models on {levels['task_name']} tasks, with {levels['number_of_shots']} numbers of shots. Of all pairs of a condition and a "
    f"model, {percent(1 - filled)} have no result."
)

# %%
roles = {
    "alternatives": "model_family_model_name",
    "target": "score_value",
    "generalize_over": "subtask_description",
    "design": ["task_name", "number_of_shots"],
    "higher_is_better": True,
    "missing": "drop",
}
with warnings.catch_warnings(action="ignore", category=gx.StudyWarning):  # shown with the notes
    study = gx.Study(results, **roles)
say(
    *(f"**Warning:** {verbatim(warning)}." for warning in study.warnings),
    f"That leaves {len(study.alternatives)} models in {len(study.configurations)} configurations. In the study's own words, where *alternatives* are models "
    "and *conditions* are subtasks with a task and a number of shots:",
    "\n".join(f"- {verbatim(note)}" for note in study.notes),
)

# %% [markdown]
# Nothing can be said about generalizing over a single subtask, and little over a few. [Table](#table-tasks) lists what is left.

# %%
large = study.accounting[study.accounting["n_experiments"] > minimum]
by_task = large.groupby("task_name")
page.show_table(
    pd.DataFrame(
        {
            "shots": by_task["number_of_shots"].agg(lambda column: ", ".join(map(str, column))),
            "subtasks": by_task["n_experiments"].max(),
            "models, at least": by_task["n_alternatives"].min(),
        }
    ).rename_axis("task"),
    "tasks",
    f"Tasks with more than {minimum} subtasks. Models that a configuration lacks altogether are left out there.",
)

# %%
single = (study.accounting["n_experiments"] == 1).mean()
say(
    f"Of {len(study.accounting)} configurations, {len(large)} have more than {minimum} subtasks; {percent(single)} have a single one."
)

# %% [markdown] tags=["slide"]
# ## Look at the rows before counting them
#
# What are these subtasks? One of them may carry the name of the task itself.

# %% tags=["subslide"]
aggregate = results["subtask_description"] == results["task_name"]
named_like = chapter.rows_named_like(
    study, "task_name", large.drop_duplicates("task_name")[study.design].to_dict("records")
)
is_mean = named_like["correlation"] > 0.99
if len(named_like):
    page.show_table(
        named_like.set_index("task_name")[["n_experiments", "correlation", "ratio"]],
        "averages",
        "One row of each of these tasks has the name of the task. Its scores, over the models, beside the mean of the task's other rows.",
        {"task_name": "task", "n_experiments": "rows", "ratio": "how many times that mean"},
        {"correlation": 3, "ratio": "{:.3g}"},
    )

# %% [markdown]
# A row with the name of its task, whose scores are those of the mean of the other rows, is no experiment but an **average of the other subtasks**.
# Where it is a hundred times the mean, it is in per cent and the others are shares. Such a task has one subtask less than rows.

# %%
say(
    f"There are {len(named_like)} such rows in {len(by_task)} tasks, and {is_mean.sum()} of them are averages, or nearly.",
    "How much do they matter? Leave out the rows that are named like their task, and compare n\\*:"
    if len(named_like)
    else "",
)

# %%
if not alternative:
    counts = results.dropna(subset="score_value")["model_family_model_name"].value_counts().sort_index()
    alternative = "GPT GPT-3 200B" if "GPT GPT-3 200B" in counts else counts.idxmax()
kernels = [gx.BordaKernel(alternative), gx.JaccardKernel(k), gx.MallowsKernel(), gx.RBFKernel()]
with warnings.catch_warnings(action="ignore", category=gx.StudyWarning):  # the text on raw scores says it
    asked = study.nstar(kernels, alpha, delta, confidence=confidence)
asked = asked[asked["n_experiments"] > minimum]

# %%
if len(named_like):
    several = results.groupby("task_name")["subtask_description"].transform("nunique") > 1
    with warnings.catch_warnings(action="ignore", category=gx.StudyWarning):  # as above
        without = gx.Study(results[~(aggregate & several)], **roles).nstar(kernels, alpha, delta)
    both = asked.merge(without, on=[*study.design, "kernel"], suffixes=("", " without"))
    both["ratio"] = both["nstar without"] / both["nstar"]
    page.show_table(
        both.groupby("kernel", sort=False)["ratio"].agg(["min", "median", "max"]).rename_axis("question"),
        "without-averages",
        "n\\* without the rows that are named like their task, as a multiple of n\\* with them, over the configurations. **Below, the rows stay in**, so that our "
        "numbers can be compared with the papers', whose counts include them.",
        {"min": "smallest", "max": "largest"},
        dict.fromkeys(["min", "median", "max"], 2),
    )

# %% [markdown]
# ## Four research questions
#
# As in notebook 02, a question is a kernel, and the tolerance δ turns into a threshold on the distance of two studies.

# %%
n_alternatives = len(study.alternatives)
questions = summaries.kernel_table(kernels, delta, n_alternatives)
page.show_table(
    questions.assign(configurations=questions["kernel"].map(asked.groupby("kernel")["nstar"].count())),
    "kernels",
    "The four questions, the distance of two studies up to which they count as the same answer, and how many configurations have an answer.",
    {"epsilon": "threshold ε"},
)

# %% [markdown]
# ## All configurations: the paper's Figure 4
#
# How many subtasks does it take, depending on what one asks, and how strictly? As with the encoders, a stricter question never needs fewer experiments.

# %%
nstar = study.nstar(kernels, alphas, deltas)
nstar = nstar[nstar["n_experiments"] > minimum]
ranges = asked.groupby("kernel", sort=False)["nstar"].agg(["min", "median", "max"])
medians = ranges["median"].dropna().sort_values()
shown = {"alpha": min(alphas, key=lambda a: abs(a - alpha)), "delta": min(deltas, key=lambda d: abs(d - delta))}
page.show_figure(
    gx.plots.nstar_overview(nstar, **shown),
    "overview",
    "n\\* over α (left) and δ (right), the other one held. A box holds the configurations. Logarithmic scale.",
    f"n* rises with α and falls with δ. Its median at α = {alpha:g}, δ = {delta:g} is {medians.iloc[0]:.1f} for {medians.index[0]} and {medians.iloc[-1]:.1f} for {medians.index[-1]}.",
)

# %%
page.show_table(
    ranges.rename_axis("question"),
    "questions",
    f"Subtasks needed at α = {alpha:g} and δ = {delta:g}, over all configurations that have an answer.",
    {"min": "smallest n*", "median": "median n*", "max": "largest n*"},
    dict.fromkeys(ranges, 1),
)

# %% [markdown]
# > Aside: A look at the smallest and the largest score of each row finds percentages that stand beside shares.
#
# Raw scores (RBF) are compared as they are. Where some tasks score between 0 and 1 and others between 0 and 100, differences of many points are "nothing in
# common", whatever the tolerance. Then n\* no longer says how far results are apart: it is that of results that are all different.

# %%
rbf = asked[asked["kernel"] == "RBF"]
nothing_in_common = gx.estimate_nstar(np.eye(50), alpha, kernels[3].epsilon(delta, n_alternatives)).estimate
alike = [
    np.median(kernels[3].gram(scores)[np.triu_indices(len(scores), 1)])
    for scores in (study.scores(c, impute=True) for c in rbf[study.design].to_dict("records"))
]
saturated = rbf[np.array(alike) < 0.05]
say(
    f"Fifty results with nothing in common give n\\* = {nothing_in_common:.1f}. In {len(saturated)} of {len(rbf)} configurations, most pairs of experiments are that "
    "different (kernel below 0.05). Put the scores of a study on one scale before asking this question."
)

# %% [markdown]
# ## When all experiments agree: n\* = 1
#
# In the paper's first example, `arithmetic` with two shots, the same model wins every subtask.

# %%
jaccard = asked[asked["kernel"] == kernels[1].name]
answered = jaccard.dropna(subset="nstar")
agree = [kernels[1].gram(study.rankings(c)).min() > 1 - 1e-9 for c in answered[study.design].to_dict("records")]
unanimous = answered[agree].reset_index(drop=True)
if len(unanimous):
    page.show_table(
        unanimous.set_index(study.design)[["n_experiments", "nstar", "low", "high"]].head(15),
        "unanimous",
        "Configurations in which all experiments agree on the top; at most 15.",
        {
            **{"task_name": "task", "number_of_shots": "shots", "n_experiments": "rows"},
            **{"nstar": "n*", "low": "interval from", "high": "to"},
        },
        dict.fromkeys(["nstar", "low", "high"], 0),
    )
say(f"All experiments agree on the top in {len(unanimous)} of {len(answered)} configurations.")

# %% [markdown] tags=["slide"]
# Where all experiments agree, `moments` and `resampling` say n\* = 1: one experiment would have been enough, *if the truth is what was seen*. **The interval is the whole line, and means it.**
# Experiments that all agree say how often another result turned up: never. They cannot say how rare it is.
#
# > Aside: The *rule of three*: for many experiments the bound is about $3 / N$. After 300 flights without an accident, a rate of one in a hundred is still possible.
#
# They do bound it. If another model won a share $p$ of all conceivable subtasks, then $N$ independent subtasks would all agree with probability
# $(1 - p)^N$. That is 5 % for $p = 1 - 0.05^{1/N}$, so larger shares can be excluded with 95 % confidence, and smaller ones cannot.

# %%
if len(unanimous) and delta < 1:
    paper = unanimous[(unanimous["task_name"] == "arithmetic") & (unanimous["number_of_shots"] == 2)]
    agreed = (paper if len(paper) else unanimous).iloc[0]
    tiers = study.rankings(agreed[study.design].to_dict())
    # a row that is named like its task is not counted
    independent = len(tiers) - int(agreed["task_name"] in set(named_like["task_name"]))
    largest_share = chapter.largest_unseen_share(independent)
    worst = gx.generalization.definition(
        np.eye(2), alpha, agreed["epsilon"], [1 - largest_share, largest_share], rng=seed
    )
    harmless = chapter.harmless_share(alpha)  # solves 1 - 2 p (1 - p) = alpha
    needed = chapter.n_to_exclude(harmless)
    display(
        say(
            f"In all {independent} subtasks of {verbatim(agreed['task_name'])} (shots: {agreed['number_of_shots']}), the top is {', '.join(map(verbatim, tiers.columns[(tiers < k).all()]))}. "
            f"Another top could still have a share of up to {percent(largest_share)}; n\\* would then be {worst:.0f}. "
            f"n\\* = 1 is right if that share is at most {percent(harmless, 1)}; **to show that takes {needed} subtasks that all agree**."
        )
    )

# %% [markdown]
# The paper argues with another number: were all 44 models equally likely to win, the same one would hardly ever win 21 times.

# %%
coincidence = 44**-21.0
say(f"For one model, given beforehand, the probability is {written_number(coincidence, 1)} (published: about 10⁻³⁵).")

# %% [markdown]
# True, but that excludes a hypothesis that nobody holds. The question is not whether the winner is a coincidence; it is
# whether there are subtasks that somebody else wins. And subtasks that were thought up together, one to five digits, four operations, are no random
# sample of arithmetic, which makes them worth less than as many independent ones.

# %% [markdown]
# ## One configuration, closely

# %%
conlang = {"task_name": "conlang_translation", "number_of_shots": 0}
if task:
    configuration = {"task_name": task, "number_of_shots": shots}
elif conlang in study.configurations:
    configuration = conlang
else:
    configuration = jaccard.loc[jaccard["nstar"].idxmax(), study.design].to_dict()
is_paper = original and configuration == conlang and (k, alpha, delta) == (1, 0.95, 0.05)
rankings = study.rankings(configuration)
first = (rankings < k).sum()
named = f"{configuration['task_name']}, shots: {configuration['number_of_shots']}"
say(f"The configuration is **{verbatim(named)}**; it has {len(rankings)} rows. [Figure](#figure-ranks) has all tiers.")

# %%
page.show_figure(
    gx.plots.rank_distribution(rankings),
    "ranks",
    "Share of the experiments in which a model lands in each tier; models sorted by mean tier. If the same models won every subtask, the left column would be dark.",
    f"The model that is in the top tiers most often, {first.idxmax()}, is there in {first.max()} of {len(rankings)} rows.",
)

# %% [markdown]
# Now the published estimate, step by step: quantiles of the MMD between disjoint parts of the data (left in [figure](#figure-power-law)), and the line
# through them (right).

# %%
gram = kernels[1].gram(rankings)
epsilon = kernels[1].epsilon(delta, rankings.shape[1])
law = gx.generalization.power_law(gram, alpha, epsilon, n_resamples=n_resamples, rng=seed)
moments = gx.estimate_nstar(gram, alpha, epsilon, confidence=confidence)
page.show_figure(
    gx.plots.power_law(law, moments.estimate),
    "power-law",
    "Left: each curve is a study size; where it crosses the dotted line is the probability that two such studies agree. Right: n\\* is where the line reaches the threshold (square). The circle is our estimate, `moments`.",
    f"With this seed the extrapolated line reaches the threshold at {law.nstar:.0f} experiments; our own estimate is {moments.estimate:.0f}.",
)

# %%
say(
    f"**Enough for what?** {verbatim(PHRASES['generalizability', 'enough'].why)} Notebook 10 asks how likely two studies are to name the same winner."
)

# %% [markdown] tags=["slide"]
# ### The published estimate depends on the seed
#
# With few experiments and few different winners, the MMD of two small studies takes few values, and its distribution is a staircase. A
# quantile of a staircase jumps: if a step ends close to the level $\alpha$, a few resamples more or less decide between two steps.
# Repeat the estimate with other random seeds, with everything else as it was:

# %%
by_seed = np.array(
    [gx.generalization.power_law(gram, alpha, epsilon, n_resamples=n_resamples, rng=s).nstar for s in range(n_seeds)]
)
say(
    f"The median of the {n_seeds} estimates, one per seed, is {np.median(by_seed):.1f}; they are {span(by_seed, '{:.1f}')}, and take "
    f"{len(np.unique(by_seed.round(6)))} different values."
)

# %% tags=["subslide"]
published = {"published, first version": 44, "published, second version": 65} if is_paper else {}
page.show_figure(
    gx.plots.estimate_histogram(by_seed, {**published, "moments": round(moments.estimate, 1)}),
    "seeds",
    "The published estimate from all rows, once per random seed (a draw is a seed here). Everything else is the same for all of them.",
    f"Over {n_seeds} seeds the published estimate is {span(by_seed, '{:.1f}')}; our own estimate, which has no seed, is {moments.estimate:.1f}.",
)

# %% [markdown]
# Do more resamples help? The spread of an average of independent draws would shrink by the root of ten with ten times as many. A staircase stays one.

# %%
tenfold = [
    gx.generalization.power_law(gram, alpha, epsilon, n_resamples=10 * n_resamples, rng=s).nstar
    for s in range(min(n_seeds, 10))
]
say(
    f"The first {len(tenfold)} of the seeds give {span(by_seed[:10], '{:.1f}')} with {n_resamples:,} resamples, and {span(tenfold, '{:.1f}')} with ten times as many."
)

# %% [markdown]
# There are other ways to estimate. `moments` has no seed. The slope that Theorem 4.1 proves, −2 (notebook 11), leaves only the height of
# the line to be estimated. The last row takes the rows at hand for the whole truth and searches n\* by its definition.

# %%
of_truth = gx.estimate_nstar(gram, alpha, epsilon, "definition", n_resamples=10_000, rng=seed).estimate
fixed_slope = gx.estimate_nstar(gram, alpha, epsilon, "resampling-slope-2", n_resamples=n_resamples, rng=seed).estimate
ways = {
    "published method (resampling), median over seeds": np.median(by_seed),
    "resampling, slope −2": fixed_slope,
    "moments": moments.estimate,
    "definition, the data being the truth": of_truth,
}
page.show_table(
    pd.Series(ways, name="n*").rename_axis("estimate").to_frame(),
    "ways",
    f"n\\* of this configuration, estimated in four ways. The interval of `moments` is {moments.low:.1f} to {moments.high:.1f} (nominal {percent(confidence)}).",
    forms={"n*": 1},
)

# %% [markdown]
# ### And on which experiments were drawn
#
# The second version's case study first drew 10 experiments *with replacement* and estimated n\* from these. [Figure](#figure-draws) shows what 500 such
# draws give, beside all rows.

# %%
draws = gx.generalization.redrawn_estimates(gram, n_redrawn, alpha, epsilon, n_studies=500, rng=seed)
low, middle, high = np.quantile(draws, [0.05, 0.5, 0.95])
quantiles_drawn = f"Half of the draws of {n_redrawn} experiments give {middle:.0f} or less; 5 % give at most {low:.0f}, and 5 % at least {high:.0f}."
page.show_figure(
    gx.plots.estimate_histogram(draws, {**published, "moments, all rows": round(moments.estimate, 1)}),
    "draws",
    f"Published estimate from {n_redrawn} experiments, drawn with replacement; the last bin holds everything above 100 times the median.",
    quantiles_drawn,
)

# %%
say(
    quantiles_drawn,
    *(
        f"As large as the {value} that is {label}, or larger: {percent(np.mean(draws >= value))} of the draws, and {percent(np.mean(by_seed >= value))} of the seeds with all rows."
        for label, value in published.items()
    ),
)

# %% [markdown]
# ## Published numbers beside ours
#
# n\* is for the Jaccard question with α = 0.95 and δ = 0.05, by `moments`. The papers also count models and subtasks, and state how many
# subtasks are missing.

# %%
if original:
    beside = summaries.beside_published(
        study, gx.generalization.published_nstar("bigbench"), gx.JaccardKernel(1), confidence=confidence
    )
    by_theirs = f"ours is by moments; their method on all rows gives {np.median(by_seed):.0f}, and {span(by_seed, '{:.0f}')} over {n_seeds} seeds"
    why = {
        1: "the same estimate; experiments that all agree leave the upper end open",
        44: by_theirs,
        65: f"{by_theirs}; {percent(np.mean(draws >= 65))} of its draws of {n_redrawn} experiments give 65 or more",
    }
    for row in beside.itertuples():
        page.key_number(
            f"{row.task_name}-{row.number_of_shots}-v{'12'[row.paper.startswith('second')]}".replace("_", "-"),
            f"n* of {row.task_name}, {row.number_of_shots} shots ({row.paper})",
            row.moments,
            row.low,
            row.high,
            unit="subtasks",
            published=row.published,
            source=f"Matteucci et al., {row.paper}, Section 5.2",
            reason=why[row.published],
        )
    first_conlang = gx.plan(beside.rename(columns={"moments": "nstar"})).query("published == 44").iloc[0]
    in_table = first_conlang["n_experiments"]
    page.key_number(
        "conlang-translation-0-missing",
        "subtasks that conlang_translation, 0 shots, lacks",
        first_conlang["more"],
        *(max(first_conlang[end] - in_table, 0) for end in ("low", "high")),
        unit="subtasks",
        published=34,
        source="Matteucci et al., first version, Section 5.2",
        reason=f"theirs is 44 less the {first_conlang['stated']} that they state, which is the size of the draw; the table has {in_table} rows",
        decimals=0,
    )
    sums = study.rankings({"task_name": "arithmetic", "number_of_shots": 2})
    is_average = sums.index == "arithmetic"
    place = "Matteucci et al., second version, Section 5.2"
    for name, label, value, unit, printed, reason in (
        ("arithmetic-subtasks", "subtasks of arithmetic, 2 shots", len(sums) - is_average.sum(), "subtasks", 21, f"{is_average.sum()} of {len(sums)} rows has the name of the task, and is the average of the others"),
        ("arithmetic-models", "models compared on arithmetic, 2 shots", sums.shape[1], "models", 44, f"the same; {n_alternatives} models pass the filter for all tasks"),
        ("coincidence", "probability that one of 44 equal models, given beforehand, wins 21 times", coincidence, "", 1e-35, "the same power of ten"),
    ):  # fmt: skip
        digits = 0 if unit else 1
        page.key_number(name, label, value, unit=unit, published=printed, source=place, reason=reason, decimals=digits)
    page.show_published("published", "What the papers print, beside the numbers of this run, and why they differ.")
else:
    display(say("The papers' numbers belong to the published table; this run used the bundled results."))

# %% [markdown]
# ## Which tasks are worth extending?
#
# For the Jaccard question, at the α and δ of this report. *Enough*, *undecided* and *more needed* mean what they mean in notebook 02.

# %%
planned = gx.plan(jaccard)
verdicts = planned["verdict"].value_counts()
counted = ", ".join(f"{verdicts.get(verdict, 0)} {verdict}" for verdict in ("enough", "undecided", "more needed"))
page.show_figure(
    gx.plots.nstar_forest(planned, study.design),
    "forest",
    f"n\\* with its interval of nominal {percent(confidence)}, against the subtasks at hand (black tick). Up to 30 configurations, the most demanding on top.",
    f"Subtasks needed against subtasks at hand, configuration by configuration: {counted}.",
)

# %%
say(f"Of the {len(planned)} configurations in [figure](#figure-forest): {counted}.")

# %% [markdown]
# > Aside: A new subtask has to be run by every model, and a new model on every subtask. Notebook 10 puts prices on both.
#
# A new subtask serves all numbers of shots at once, so the unit of planning is the task ([table](#table-effort)).

# %%
effort = planned.groupby("task_name").agg(
    subtasks=("n_experiments", "max"),
    required=("required", "max"),
    more=("more", "max"),
    lowest=("low", "min"),
    highest=("high", "max"),
)
page.show_table(
    effort.sort_values(["more", "highest"], ascending=False),
    "effort",
    "The same by task: rows, what its most demanding number of shots requires, what is missing, and the lowest and the highest end of the intervals.",
    {"task_name": "task", "subtasks": "rows", "more": "missing", "lowest": "lowest end", "highest": "highest end"},
    {"lowest": 1, "highest": 1},
)

# %%
full_tasks = effort[effort["more"] == 0]
say(
    f"{len(full_tasks)} of {len(effort)} tasks have as many rows as estimated, whatever the shots. Where the highest end is infinite, the experiments do not bound n\\*, "
    "whatever the estimate: only more subtasks could find an exception."
)

# %% [markdown]
# ## The answer in short

# %%
known = planned[np.isfinite(planned["nstar"])]
hardest_one = known.loc[known["nstar"].idxmax()]
n_enough, n_lacking, n_open = (verdicts.get(verdict, 0) for verdict in ("enough", "more needed", "undecided"))
page.key_number(
    "largest", "n* of the most demanding configuration", *hardest_one[["nstar", "low", "high"]], unit="subtasks"
)
for name, value in medians.items():
    label = f"median n* over the configurations, {name}"
    page.key_number(f"median-{name.split('(')[0].lower()}", label, value, unit="subtasks")
page.key_number("enough", "share of the configurations that have enough subtasks", n_enough / len(planned), decimals=2)
page.key_number("tasks-enough", "tasks with as many rows as estimated", len(full_tasks), unit="tasks", decimals=0)
ends = (moments.estimate, moments.low, moments.high)
page.key_number("closely", "n* of the configuration looked at closely", *ends, unit="subtasks")
label = "published estimate of that configuration: largest over smallest of all random seeds"
page.key_number("seeds-ratio", label, by_seed.max() / by_seed.min(), decimals=2)
label = f"published estimate from draws of {n_redrawn}: median, 5 % and 95 % quantile"
page.key_number("draws-median", label, middle, low, high, unit="subtasks")
if len(unanimous) and delta < 1:
    label = "largest share that an unseen winner may have where all experiments agree"
    page.key_number("unseen", label, largest_share, decimals=2)
    label = "experiments that all agree until n* = 1 is shown"
    page.key_number("to-exclude", label, needed, unit="subtasks", decimals=0)

# %% tags=["hero", "slide"]
asked_about = "which model wins" if k == 1 else f"the best {k} tiers"
page.show_figure(
    gx.plots.nstar_hero(planned, study.design),
    "answer",
    f"Subtasks until two studies agree on {asked_about}, and how often (α = {alpha:g}, δ = {delta:g}), with intervals of nominal {percent(confidence)}; the black tick is what the benchmark "
    "has. One line per task and number of solved examples, the most demanding on top; [figure](#figure-forest) has up to 30.",
    f"Intervals of the number of subtasks needed against the subtasks at hand. Of all {len(planned)} configurations: {counted}.",
)

# %% tags=["findings", "slide"]
findings = [
    page.Finding(
        f"{n_enough} of {len(planned)}",
        f"combinations of a task and a number of solved examples have enough subtasks for two studies to agree on *{asked_about}, and how often*. "
        f"More needed: {n_lacking}; undecided: {n_open}",
        f"by intervals of nominal {percent(confidence)} · needed: {span(known['nstar'], '{:.0f}')} · at hand: {span(known['n_experiments'], '{:.0f}')}",
    )
]
if original:
    findings.append(
        page.Finding(
            "44 and 65",
            "subtasks are what the task `conlang_translation` needs, as the paper's two versions print it. "
            + f"On all {in_table} rows their method gives {np.median(by_seed):.0f}, and {span(by_seed, '{:.0f}')} with other random seeds: "
            * is_paper
            + f"the first number is what it gives, the second comes from {n_redrawn} rows that were drawn" * is_paper,
            f"by moments, which have no seed: {first_conlang['nstar']:.0f}, nominal {percent(confidence)} interval {first_conlang['low']:.0f} to {first_conlang['high']:.0f}",
        )
    )
else:
    findings.append(
        page.Finding(
            span(by_seed, "{:.0f}"),
            "is what the published method says one configuration needs, depending on its random seed alone",
            f"{n_seeds} seeds · without a seed: {moments.estimate:.0f}, nominal {percent(confidence)} interval {moments.low:.0f} to {moments.high:.0f}",
        )
    )
if len(unanimous) and delta < 1:
    findings.append(
        page.Finding(
            f"{needed}",
            f"subtasks have to agree on {asked_about} before a single one can be called enough for the task `{agreed['task_name']}`. It has {independent}, which do agree",
            f"another winner could still have up to {percent(largest_share)} of all subtasks (95 % confidence)",
        )
    )
page.show_findings(*findings)

# %% [markdown]
# ## Checks

# %%
estimated = nstar.dropna(subset="nstar")
where = [*study.design, "kernel"]
for held, strict in (
    ("delta", estimated.sort_values("alpha")),
    ("alpha", estimated.sort_values("delta", ascending=False)),
):
    assert (strict.groupby([*where, held])["nstar"].diff().dropna() > -1e-6).all()  # stricter questions take more
for method in ("moments", "resampling"):
    assert gx.estimate_nstar(np.ones((21, 21)), alpha, epsilon, method, n_resamples=50).estimate == 1
assert ((unanimous["nstar"] == 1) & np.isinf(unanimous["high"])).all()  # the interval is the whole line
assert (saturated["nstar"] > 0.5 * nothing_in_common).all()
assert len(nstar) == len(large) * len(kernels) * len(alphas) * len(deltas)
assert (estimated["low"] <= estimated["nstar"]).all() and (estimated["nstar"] <= estimated["high"]).all()
assert nstar.loc[nstar["nstar"].isna(), "note"].ne("").all()

# %%
if original and minimum == 10:
    assert len(large) == 24 and (large["n_experiments"] >= 50).sum() == 9 and n_alternatives == 45
    assert study.rankings({"task_name": "arithmetic", "number_of_shots": 2}).shape == (21, 44)
    assert set(large["task_name"]) <= set(results.loc[aggregate, "task_name"])
    assert k > 1 or tiers.columns[(tiers < 1).all()].tolist() == ["PaLM 535b"]  # as the paper says of arithmetic
    assert "GPT GPT-3 200B" not in sums
    assert len(named_like) == 8 == is_mean.sum() and (named_like["correlation"] > 0.9995).sum() == 7
if original:
    np.testing.assert_allclose(beside.loc[beside["published"] == 1, "moments"], 1.0)
    np.testing.assert_allclose(beside.loc[beside["published"] == 44, "moments"], 35.5, rtol=0.05)
if is_paper and n_resamples == 1000 and n_seeds >= 50:
    np.testing.assert_allclose(np.median(by_seed), 43.3, rtol=0.05)  # single seeds: from about 37 to 61
    assert by_seed.min() < 39 and by_seed.max() > 55
    assert 0.1 < np.mean(draws >= 65) < 0.4 or n_redrawn != 10
if is_paper:
    np.testing.assert_allclose(ways["resampling, slope −2"], moments.estimate, rtol=0.05)
    np.testing.assert_allclose(ways["definition, the data being the truth"], moments.estimate, rtol=0.10)

# %% [markdown]
# ## Summary
#
# - Missing results need a policy that fits their reason; the study says what the policy removed.
# - Look at the rows before counting them: one of the "subtasks" may be an average of the others.
# - Where all experiments agree, n\* = 1. That is no proof that the next one will, and the interval says so.
# - The published estimate of a small configuration is a random number: it can move with the seed, and with the draw of experiments.
# - Plan with intervals, and by task: a new subtask serves all numbers of shots.

# %%
page.show_key_numbers()

# %% [markdown]
# ## Exercises
#
# On missing results, odd rows, unanimous experiments, and estimates that move.

# %% [markdown] tags=["exercise", "slide"]
# ### 1. Unanimous
#
# *Understanding · 5 minutes.* In all 20 independent subtasks of a task the same model is the best. n\* for "who is the best?" is estimated to be 1. What follows?
#
# - **a** That model is the best on every subtask that one could think of.
# - **b** One subtask would have been enough if hardly any subtask has another winner; the 20 do not show that.
# - **c** 20 subtasks are more than n\*, so there are enough of them.
# - **d** That all 20 agree by chance is nearly impossible, so one subtask is enough.
#
# Assign the letter to `answer_1`.

# %% tags=["solution"]
answer_1 = "b"

# %% tags=["check"]
exercises.check(
    "03-1",
    answer_1,
    "l2w42nsvmtbjrmq",
    hint="Look at the interval of such an estimate. What do 20 unanimous experiments exclude, and what not?",
    wrong={
        "l3lunb2f2qaxvry": "What was not seen in 20 may be in the twenty-first. How large may its share be?",
        "ly3ljajnjjt4f3q": "That takes the estimate for n* itself. Its interval has no upper end.",
        "l3iygejixiprdgy": "That excludes that all models are equally likely to win, which nobody holds. Another one may still win a tenth of all subtasks.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** If another model wins a share $p$ of all subtasks, 20 agree with probability $(1 - p)^{20}$. That exceeds 5 % for all $p$ up to 0.139, and with another winner in 14 % of the subtasks two single experiments agree with probability 0.76 only, so that n\* is not 1. (c) overlooks that the interval
# reaches from 1 to infinity; (d) answers a question about coincidence that was not asked.

# %% [markdown] tags=["exercise"]
# ### 2. One row in per cent
#
# *Understanding · 5 minutes.* On one subtask the scores of all models are in per cent, on all others they are shares between 0 and 1. Somebody divides that row by 100. For which of the four questions, `"Borda"`, `"Jaccard"`, `"Mallows"` and `"RBF"`, is n\*
# certain to stay the same? Assign the set of their names to `answer_2`.

# %% tags=["solution"]
answer_2 = {"Borda", "Jaccard", "Mallows"}

# %% tags=["check"]
exercises.check(
    "03-2",
    answer_2,
    "m5t3wfaraamqlai",
    hint="What is the result of an experiment for each of the four: a ranking or a vector of scores?",
    wrong={
        "m7nqdn4cqo6hyna": "One of the four compares the scores themselves.",
        "m44vhhug27xkcdy": "Dividing by 100 leaves the order of the models as it is. Which kernels see nothing but the order?",
        "i6u5stpijsluqby": "Dividing by 100 leaves the order of the models as it is. Which kernels see nothing but the order?",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** The row is an experiment, and dividing it by a positive number does not change its ranking; three kernels see nothing else. RBF compares vectors of scores: before, this row was unlike all others whatever the models did,
# and after, it is compared on one scale with them. A question about rankings forgives a mixture of scales within rows; a question about scores does not.

# %% [markdown] tags=["exercise"]
# ### 3. The filter by hand
#
# *Application · 10 minutes.* Six models, A to F, on six subtasks. Missing are: F on subtasks 2 and 3; E and F on subtask 4; A and B on subtask 6. The papers' filter first drops the subtasks that more than 20 % of the models lack, and then the models that lack more than
# 20 % of the remaining subtasks. How many subtasks and how many models are left? Assign the list of the two numbers, subtasks first, to `answer_3`.

# %% tags=["solution"]
lacks = {2: "F", 3: "F", 4: "EF", 6: "AB"}
evaluated = [(subtask, name) for subtask in range(1, 7) for name in "ABCDEF" if name not in lacks.get(subtask, "")]
small_table = pd.DataFrame(evaluated, columns=["subtask", "model"]).assign(score=range(len(evaluated)))
filtered = gx.Study(
    small_table,
    alternatives="model",
    target="score",
    generalize_over="subtask",
    higher_is_better=True,
    missing="drop",
)
answer_3 = list(filtered.rankings().shape)

# %% tags=["check"]
exercises.check(
    "03-3",
    answer_3,
    "x4m4lzc5aas6udy",
    hint="One model of six is 17 %, two are 33 %. Count the second step on the subtasks that are left after the first.",
    wrong={
        "x5ivtuwct4d5i4i": "That is what is left if models are dropped first. The papers begin with the subtasks.",
        "x4nkwitck6kvahq": "The second step is missing: on how many of the four subtasks is F missing?",
        "x7lwvkecv5wjzga": "Only subtasks that lack *more than* 20 % of the models are dropped; one of six is less.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** Subtasks 4 and 6 lack two of six models, so they go; 2 and 3 lack one, so they stay. Of the four subtasks left F lacks two, so it goes; nobody else lacks any. Begin with the models and F goes first; then subtask 4 lacks one of five, which is not more than 20 %, and stays: five
# subtasks and five models. A policy for missing results is part of the question, down to the order of its steps.

# %% [markdown] tags=["exercise"]
# ### 4. A stricter promise
#
# *Application · 10 minutes.* All $N$ independent subtasks agree on the winner. At $\alpha = 0.95$ it takes 116 of them until n\* = 1 is shown with 95 % confidence. How many does it take at $\alpha = 0.99$? Two studies of one experiment agree with probability
# $1 - 2 p (1 - p)$ if a second winner has share $p$. Assign the smallest such $N$ to `answer_4`.

# %% tags=["solution"]
harmless_at_99 = chapter.harmless_share(0.99)
answer_4 = int(chapter.n_to_exclude(harmless_at_99))

# %% tags=["check"]
exercises.check(
    "03-4",
    answer_4,
    "yyqrk76rj7i2hca",
    hint="First the largest share p of a second winner with 1 - 2 p (1 - p) at least 0.99; then the smallest N with (1 - p)^N at most 0.05.",
    wrong={
        "y2jo42o7a62zcei": "That excludes a share of 0.01. Which share is harmless when two studies of one experiment must agree with probability 0.99?",
        "y254h44v4ipv4uy": "That is the rule of three. The exact number is asked for.",
        "y3jscdkklgkxkfq": "Is the probability that all agree really at most 0.05 then? Round to the right side.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** $2 p (1 - p) = 0.01$ gives $p = 0.005025$, about half of $1 - \alpha$: two experiments have two chances of meeting the exception. Then $N \ge \ln 0.05 / \ln(1 - p) = 594.7$. The rule of three says $3 / p = 597$. Showing that one experiment is enough takes hundreds.

# %% [markdown] tags=["exercise"]
# ### 5. A staircase
#
# *Project · 30 minutes.* In the cell for your answer, `own` is the study of this project's own runs on one task with 13 subtasks, and `gram` the Gram matrix of Jaccard with $k = 1$ at two shots. Estimate n\* by the published method (`gx.generalization.power_law(gram, 0.95, epsilon, n_resamples=..., rng=seed).nstar`) with the
# seeds 0 to 9, and divide the largest of the ten estimates by the smallest. Do that with 1,000 resamples and with 10,000. Guess first what happens to the ratio. Assign the list of the two ratios, to two decimals, to `answer_5`.
# Then do the same for Mallows, look at the quantiles (`.quantiles` beside `.nstar`), and explain the difference.

# %% tags=["solution"]
star = gx.datasets.load_bigbench("bundled").query("task_name == 'star98_attributes'")
own = gx.Study(star, **roles)
of_two_shots = own.rankings({"task_name": "star98_attributes", "number_of_shots": 2})
gram = gx.JaccardKernel(1).gram(of_two_shots)
epsilon = gx.JaccardKernel(1).epsilon(0.05, of_two_shots.shape[1])
### BEGIN SOLUTION
answer_5 = []
for resamples in (1_000, 10_000):
    ten = [
        gx.generalization.power_law(gram, 0.95, epsilon, n_resamples=resamples, rng=each).nstar for each in range(10)
    ]
    answer_5.append(max(ten) / min(ten))
### END SOLUTION

# %% tags=["check"]
exercises.check(
    "03-5",
    answer_5,
    "qijblijwx4nbpsw2la",
    decimals=2,
    hint="Two loops, over the numbers of resamples and over the seeds. Ratios, not differences.",
    wrong={
        "qijblwgfdjtmoneaoq": "That would be so if the spread shrank by the root of ten. Compute it.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** Nothing is gained: 1.17 both times. With 13 subtasks the Jaccard MMD of two small studies takes few values. Its quantile is one of two neighbouring steps, whichever the draw decides, and the largest and the smallest estimate come from the same steps in both cases. Mallows takes many values,
# so its quantile moves smoothly, and the ratio falls from 1.04 to 1.01, about as the root of ten has it. More resamples remove the noise of resampling only where there is no staircase.

# %% [markdown]
# ## Further reading
#
# - [Srivastava et al., 2023, *Beyond the Imitation Game: Quantifying and extrapolating the capabilities of language models*](https://openreview.net/forum?id=uyTL5Bvosj), Transactions on Machine Learning Research: the benchmark analysed here, its tasks and its models.
# - [Hanley and Lippman-Hand, 1983, *If Nothing Goes Wrong, Is Everything All Right?*](https://doi.org/10.1001/jama.1983.03330370053031), JAMA 249 (13), 1743-1745: what zero events say about their rate, which is the question behind n\* = 1.
