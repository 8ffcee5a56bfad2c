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
from genexpy_nb.common.choices import levels_around, show_choices
from genexpy_nb.common.page_tables import written_number
from genexpy_nb.common.prose import percent, say, span, verbatim
from genexpy_nb.common.verdicts import PHRASES
from genexpy_nb.plots import choices as drawings
from genexpy_nb.plots import formalization as figures

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

# %%
original = results.attrs["source"] == "original"
levels = results.nunique()
say(
    f"The rows are of {levels['model_family_model_name']} models on {levels['task_name']} tasks, with {levels['number_of_shots']} numbers of shots; the "
    f"subtasks have {levels['subtask_description']:,} names."
)

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
n_conditions = len(results[["task_name", "number_of_shots", "subtask_description"]].drop_duplicates())
n_models = results["model_family_model_name"].nunique()
filled = results["score_value"].notna().sum() / (n_conditions * n_models)
say(
    f"Of all pairs of a condition and one of the {n_models} models in this table, {percent(1 - filled)} have no result."
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
sizes_there = study.accounting["n_experiments"]
say(
    *(f"**Warning:** {verbatim(warning)}." for warning in study.warnings),
    f"That leaves a study of {len(study.alternatives)} models in {len(study.configurations)} configurations, with {span(sizes_there, '{:.0f}')} experiments each. "
    "In its own words, where *alternatives* are models and *conditions* are subtasks with a task and a number of shots:",
    "\n".join(f"- {verbatim(note)}" for note in study.notes),
)

# %% [markdown]
# Nothing can be said about generalizing over a single subtask, and little over a few. [Table](#table-tasks) lists what is left.

# %%
large = study.accounting[study.accounting["n_experiments"] > minimum]
lacking = chapter.absent_alternatives(study).replace("", "none")
by_task = large.groupby("task_name")
fewest = by_task["n_alternatives"].idxmin()
overview = pd.DataFrame(
    {
        "shots": by_task["number_of_shots"].agg(lambda column: ", ".join(map(str, column))),
        "subtasks": by_task["n_experiments"].max(),
        "models, at least": by_task["n_alternatives"].min(),
        "models without results": lacking[fewest].set_axis(fewest.index),
    }
)
page.show_table(
    overview.rename_axis("task"),
    "tasks",
    f"Tasks with more than {minimum} subtasks. The models without results are those of the configuration with the fewest models. Models that a "
    "configuration lacks altogether are left out there; a question about such a model has no answer there.",
)

# %%
single = (study.accounting["n_experiments"] == 1).mean()
say(
    f"Of {len(study.accounting)} configurations, {len(large)} have more than {minimum} subtasks; {percent(single)} have a single one. "
    f"{len(study.alternatives)} models pass the filter.",
    "The paper speaks of 44 models where it discusses `arithmetic`, and the column of models in [table](#table-tasks) explains the difference."
    if original and "arithmetic" in by_task.groups
    else "",
)

# %% [markdown] tags=["slide"]
# ## Look at the rows before counting them
#
# What are these subtasks? One of them may carry the name of the task itself.

# %% tags=["subslide"]
aggregate = results["subtask_description"] == results["task_name"]
of_each_task = large.drop_duplicates("task_name")[study.design].to_dict("records")
named_like = chapter.rows_named_like(study, "task_name", of_each_task)
if len(named_like):
    page.show_table(
        named_like.set_index("task_name")[["n_experiments", "correlation", "ratio"]],
        "averages",
        "One row of each of these tasks has the name of the task. Its scores, over the models, beside the mean of the task's other rows.",
        {
            "task_name": "task",
            "n_experiments": "rows",
            "correlation": "correlation with the mean of the others",
            "ratio": "how many times that mean",
        },
        {"correlation": 3, "ratio": "{:.3g}"},
    )
else:
    display(say("No row of these tasks is named like its task."))

# %% [markdown]
# A row with the name of its task, whose scores are those of the mean of the other rows, is no experiment but an **average of the other subtasks**.

# %%
exact_means = named_like["correlation"] > 0.9995
near_means = ~exact_means & (named_like["correlation"] > 0.99)
in_percent = named_like[named_like["ratio"].sub(100).abs() < 1]
if len(named_like):
    nearly = ", ".join(map(verbatim, named_like.loc[near_means, "task_name"]))
    listed = ", ".join(map(verbatim, in_percent["task_name"]))
    text = say(
        f"So it is in {exact_means.sum()} of {len(of_each_task)} tasks"
        + (f", and nearly so in {nearly}" if nearly else "")
        + ". "
        + (
            f"The row is a hundred times the mean, in per cent where the others are shares, in {listed}. "
            if listed
            else ""
        )
        + "Such a task has one subtask less than rows. "
        + ("The 21 subtasks of arithmetic in the paper are 20. " if original else "")
        + "How much does that matter? Leave out the rows that are named like their task, and compare n\\*:"
    )
else:
    text = say("Nothing of that kind is among these tasks, so nothing is left out.")
text

# %%
if not alternative:
    counts = results.dropna(subset="score_value")["model_family_model_name"].value_counts().sort_index()
    alternative = "GPT GPT-3 200B" if "GPT GPT-3 200B" in counts else counts.idxmax()
kernels = [gx.BordaKernel(alternative), gx.JaccardKernel(k), gx.MallowsKernel(), gx.RBFKernel()]
with warnings.catch_warnings(action="ignore", category=gx.StudyWarning):  # the text on raw scores says it
    asked = study.nstar(kernels, alpha, delta)
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
        "n\\* without the rows that are named like their task, as a multiple of n\\* with them, over the configurations.",
        {"min": "smallest", "max": "largest"},
        dict.fromkeys(["min", "median", "max"], 2),
    )
    changed = both[(both["ratio"] - 1).abs() > 0.2]
    if len(changed):
        page.show_table(
            changed.set_index(study.design)[["kernel", "nstar", "nstar without"]].head(15),
            "changed",
            "Where leaving out that row changes n\\* by more than 20 %; at most 15 of these cases.",
            {
                **{"task_name": "task", "number_of_shots": "shots", "kernel": "question"},
                **{"nstar": "n* with the row", "nstar without": "n* without it"},
            },
            {"nstar": 1, "nstar without": 1},
        )

# %%
if len(named_like):
    of_ranks = both.loc[both["kernel"] != "RBF", "ratio"].dropna()
    tasks_changed = ", ".join(map(verbatim, changed.loc[changed["kernel"] == "RBF", "task_name"].unique()))
    display(
        say(
            f"For the questions about rankings n\\* changes by {100 * (of_ranks - 1).abs().max():.0f} % at most. For raw scores "
            + (
                f"it changes by more than 20 % in {tasks_changed}. "
                if tasks_changed
                else "it changes by no more than 20 %. "
            )
            + "**Below, the rows stay in**, so that our numbers can be compared with the papers', whose counts include them."
        )
    )

# %% [markdown]
# ## Four research questions
#
# As in notebook 02, a question is a kernel, and the tolerance δ turns into a threshold on the distance of two studies.

# %%
n_alternatives = len(study.alternatives)
questions = summaries.kernel_table(kernels, delta, n_alternatives)
questions["configurations"] = questions["kernel"].map(asked.groupby("kernel")["nstar"].count())
page.show_table(
    questions,
    "kernels",
    "The four questions, the distance of two studies up to which they count as the same answer, and how many configurations have an answer.",
    {"epsilon": "threshold ε"},
)

# %% [markdown]
# ## All configurations: the paper's Figure 4
#
# How many subtasks does it take, depending on what one asks, and how strictly?

# %%
nstar = study.nstar(kernels, alphas, deltas)
nstar = nstar[nstar["n_experiments"] > minimum]
ranges = asked.groupby("kernel", sort=False)["nstar"].agg(["min", "median", "max"])
medians = ranges["median"].dropna().sort_values()
page.show_figure(
    gx.plots.nstar_overview(
        nstar, alpha=min(alphas, key=lambda a: abs(a - alpha)), delta=min(deltas, key=lambda d: abs(d - delta))
    ),
    "overview",
    "n\\* over α (left) and δ (right), the other one held. A box holds the configurations. Logarithmic scale.",
    f"n* rises with α and falls with δ; at α = {alpha:g} and δ = {delta:g} its median is from {medians.iloc[0]:.1f} for {medians.index[0]} to "
    f"{medians.iloc[-1]:.1f} for {medians.index[-1]}.",
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
# As with the encoders (notebook 02), a stricter question never needs fewer experiments.

# %%
hardest = ranges["median"].drop("RBF").idxmax()
several_hardest = ranges["median"].drop("RBF").round(1).eq(round(ranges.loc[hardest, "median"], 1)).sum() > 1
say(
    f"By the medians, {verbatim(hardest)} is {'among the hardest questions' if several_hardest else 'the hardest question'} about rankings. Its n\\* over the configurations: "
    f"{span(ranges.loc[hardest, ['min', 'max']], '{:.0f}')}."
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
points = [c for c in saturated[study.design].to_dict("records") if study.scores(c).abs().median(axis=None) > 1]
say(
    f"Fifty results with nothing in common give n\\* = {nothing_in_common:.1f}. The number of configurations in which most pairs of experiments are that "
    f"different (kernel below 0.05) is {len(saturated)} of {len(rbf)}"
    + (
        f", with n\\* of {span(saturated['nstar'], '{:.1f}')}: in {', '.join(map(verbatim, saturated['task_name'].unique()))}. "
        if len(saturated)
        else "."
    )
    + (
        f"In {len(points)} of these {len(saturated)}, most scores are beyond 1. Put the scores of a study on one scale before asking this question."
        if points
        else ""
    )
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
            **{"task_name": "task", "number_of_shots": "shots", "n_experiments": "rows", "nstar": "n*"},
            **{"low": "interval from", "high": "to"},
        },
        {"nstar": 0, "low": 0, "high": 0},
    )
say(
    f"The number of configurations in which all experiments agree on the top is {len(unanimous)} of {len(answered)}."
    + (
        ""
        if len(unanimous)
        else " So this section has no example in this run; what it says holds wherever there is one."
    )
)

# %%
if len(unanimous):
    paper = unanimous[(unanimous["task_name"] == "arithmetic") & (unanimous["number_of_shots"] == 2)]
    agreed = (paper if len(paper) else unanimous).iloc[0]
    tiers = study.rankings(agreed[study.design].to_dict())
    always = tiers.columns[(tiers < k).all()]
    display(
        say(
            f"In all {len(tiers)} rows of {verbatim(agreed['task_name'])} with {agreed['number_of_shots']} shot{'' if agreed['number_of_shots'] == 1 else 's'}, {', '.join(map(verbatim, always))} "
            f"{'is' if len(always) == 1 else 'are'} {'first' if k == 1 else f'in the top {k} tiers'}."
        )
    )

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
    averages = int(agreed["task_name"] in set(named_like["task_name"]))
    independent = int(agreed["n_experiments"]) - averages
    largest_share = chapter.largest_unseen_share(independent)
    worst = gx.definition(np.eye(2), alpha, agreed["epsilon"], [1 - largest_share, largest_share], rng=seed)
    harmless = chapter.harmless_share(alpha)  # solves 1 - 2 p (1 - p) = alpha
    needed = chapter.n_to_exclude(harmless)
    display(
        say(
            f"{independent} subtasks agree"
            + ("; the row that is named like the task is not counted. " if averages else ". ")
            + f"Another {'winner' if k == 1 else 'top, with no model in common,'} could still have a share of up to {percent(largest_share)}; n\\* would then be {worst:.0f}. "
            f"n\\* = 1 is right if that share is at most {percent(harmless, 1)}; **to show that takes {needed} subtasks that all agree**."
        )
    )

# %% [markdown]
# The paper argues with another number: were all 44 models equally likely to win, the same one would hardly ever win 21 times.

# %%
coincidence = 44**-21.0
say(
    f"For one model, given beforehand, the probability is {written_number(coincidence, 1)}; for whichever model, {written_number(44 * coincidence, 1)} "
    "(published: about 10⁻³⁵)."
)

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
first = (rankings < k).sum().sort_values(ascending=False, kind="stable")
tops = [f"{verbatim(name)} ({count})" for name, count in first[first > 0].items()]
where_first = "first" if k == 1 else f"in the top {k} tiers"
say(
    f"The configuration is **{verbatim(configuration['task_name'])}** with {configuration['number_of_shots']} shot{'' if configuration['number_of_shots'] == 1 else 's'}; it has {len(rankings)} rows. How often a model is {where_first}: "
    f"{', '.join(tops[:9])}{f'; {len(tops) - 9} others, none of them more often' if len(tops) > 9 else ''}. [Figure](#figure-ranks) has all tiers."
)

# %%
page.show_figure(
    gx.plots.rank_distribution(rankings),
    "ranks",
    "Share of the experiments in which a model lands in each tier; models sorted by mean tier. A column of dark cells on the left would mean that the same "
    "models win every subtask.",
    f"No model is {where_first} more often than {first.index[0]}: in {first.iloc[0]} of {len(rankings)} rows.",
)

# %% [markdown]
# Now the published estimate, step by step: quantiles of the MMD between disjoint parts of the data (left in [figure](#figure-power-law)), and the line
# through them (right).

# %%
gram = kernels[1].gram(rankings)
epsilon = kernels[1].epsilon(delta, rankings.shape[1])
law = gx.power_law(gram, alpha, epsilon, n_resamples=n_resamples, rng=seed)
moments = gx.estimate_nstar(gram, alpha, epsilon)
page.show_figure(
    gx.plots.power_law(law, moments.estimate),
    "power-law",
    "Left: each curve is a study size; where it crosses the dotted line, the threshold, is the probability that two such studies agree. Right: n\\* is where "
    "the fitted line reaches the threshold (square). The circle is our estimate, `moments`.",
    f"With this seed the extrapolated line reaches the threshold at {law.nstar:.0f} experiments; our own estimate is {moments.estimate:.0f}.",
)

# %%
sizes = [len(rankings), 2 * len(rankings)]
agreeing = {
    which: [
        f"[{row.low:.2f}, {row.high:.2f}]"
        for row in study.agreement(which, sizes, configuration, rng=seed).itertuples()
    ]
    for which in ("winner", "order")
}
say(
    f"**Enough for what?** {verbatim(PHRASES['generalizability', 'enough'].why)}",
    f"The probability that two studies of {sizes[0]} subtasks name the same model as the best by mean rank is in {agreeing['winner'][0]}, and with {sizes[1]} subtasks "
    f"in {agreeing['winner'][1]}; Kendall's tau of their orders (1 if they are equal, 0 if unrelated) is in {agreeing['order'][0]} and in {agreeing['order'][1]} (nominal 95 %). Notebook 10 says what such intervals mean.",
)

# %% [markdown] tags=["slide"]
# ### The published estimate depends on the seed
#
# With few experiments and few different winners, the MMD of two small studies takes few values, and its distribution is a staircase. A
# quantile of a staircase jumps: if a step ends close to the level $\alpha$, a few resamples more or less decide between two steps.
# Repeat the estimate with other random seeds, with everything else as it was:

# %%
laws = [gx.power_law(gram, alpha, epsilon, n_resamples=n_resamples, rng=s) for s in range(n_seeds)]
by_seed = np.array([each.nstar for each in laws])
quantiles = np.array([each.quantiles for each in laws])
say(
    f"One estimate per seed, the first {min(8, n_seeds)} of {n_seeds}: {', '.join(f'{value:.1f}' for value in by_seed[:8])}. The median of all is "
    f"{np.median(by_seed):.1f}; "
    + (
        f"they go from {by_seed.min():.1f} to {by_seed.max():.1f} and take {len(np.unique(by_seed.round(6)))} different values."
        if np.ptp(by_seed) > 1e-6
        else "no two differ, so what follows shows no spread in this run."
    )
)

# %% tags=["subslide"]
published = {"published, first version": 44, "published, second version": 65} if is_paper else {}
page.show_figure(
    gx.plots.estimate_histogram(by_seed, {**published, "moments": round(moments.estimate, 1)}),
    "seeds",
    "The published estimate from all rows, once per random seed (a draw is a seed here). Everything else is the same for all of them. "
    + ("Lines: our estimate, and the published numbers." if published else "Line: our estimate."),
    f"Over {n_seeds} seeds the published estimate is {span(by_seed, '{:.1f}')}; our own estimate, which has no seed, is {moments.estimate:.1f}.",
)

# %% [markdown]
# Where does the spread come from? [Figure](#figure-quantiles) shows what each seed extrapolates.

# %%
n_values = [len(np.unique(column.round(9))) for column in quantiles.T]
page.show_figure(
    figures.quantiles_over_seeds(laws[0].n, quantiles, alpha, epsilon),
    "quantiles",
    "Quantiles of the MMD, one dot per value, as large as the share of the seeds that gave it; one faint line per seed. Where a size has several dots, the "
    "seed decides; lines that differ fan out where they are extrapolated.",
    f"For one size of studies the {n_seeds} seeds give {span(n_values, '{:.0f}')} different quantiles; extrapolated, the lines reach the threshold at "
    f"{span(by_seed, '{:.1f}')} experiments.",
)

# %% [markdown]
# Do more resamples help? The spread of an average of independent draws would shrink by the root of ten with ten times as many. A staircase stays one.

# %%
more = np.array(
    [gx.power_law(gram, alpha, epsilon, n_resamples=10 * n_resamples, rng=s).nstar for s in range(min(n_seeds, 10))]
)
same_seeds = by_seed[: len(more)]
before, after = (float(np.ptp(np.log(each))) for each in (same_seeds, more))
say(
    f"The first {len(more)} of the seeds with {10 * n_resamples:,} resamples: {span(more, '{:.1f}')}; with {n_resamples:,}: {span(same_seeds, '{:.1f}')}. "
    + (
        f"On a logarithmic scale that is narrower by a factor of {before / after:.1f}; the root of ten is 3.2. "
        if before > after > 1e-9
        else "That is no narrower. "
        if after > 1e-9
        else ""
    )
    + f"With more resamples the largest value is {100 * (more.max() / more.min() - 1):.0f} % above the smallest."
)

# %% [markdown]
# There are other ways to estimate. `moments` has no seed. The slope that Theorem 4.1 proves, −2 (notebook 11), leaves only the height of
# the line to be estimated. The last row takes the rows at hand for the whole truth and searches n\* by its definition.

# %%
ways = {
    "published method (resampling), median over seeds": np.median(by_seed),
    "resampling, slope −2": gx.estimate_nstar(
        gram, alpha, epsilon, "resampling-slope-2", n_resamples=n_resamples, rng=seed
    ).estimate,
    "moments": moments.estimate,
    "definition, the data being the truth": gx.estimate_nstar(
        gram, alpha, epsilon, "definition", n_resamples=10_000, rng=seed
    ).estimate,
}
page.show_table(
    pd.Series(ways, name="n*").rename_axis("estimate").to_frame(),
    "ways",
    f"n\\* of this configuration, estimated in four ways. The interval of `moments` is {moments.low:.1f} to {moments.high:.1f} (nominal 95 %).",
    forms={"n*": 1},
)

# %%
two = [
    gx.estimate_nstar(gram, alpha, epsilon, "resampling-slope-2", n_resamples=n_resamples, rng=s).estimate
    for s in range(len(same_seeds))
]
say(
    f"Over the first {len(two)} of the seeds, with {n_resamples:,} resamples, the largest value is {100 * (max(two) / min(two) - 1):.0f} % above the smallest with slope −2, "
    f"and {100 * (same_seeds.max() / same_seeds.min() - 1):.0f} % with a fitted slope."
)

# %% [markdown]
# ### And on which experiments were drawn
#
# The second version's case study first drew 10 experiments *with replacement* and estimated n\* from these. [Figure](#figure-draws) shows what 500 such
# draws give, beside all rows.

# %%
draws = gx.redrawn_estimates(gram, n_redrawn, alpha, epsilon, n_studies=500, rng=seed)
low, middle, high = np.quantile(draws, [0.05, 0.5, 0.95])
page.show_figure(
    gx.plots.estimate_histogram(draws, {**published, "moments, all rows": round(moments.estimate, 1)}),
    "draws",
    f"Published estimate from {n_redrawn} experiments, drawn with replacement; the last bin holds everything above 100 times the median.",
    f"Half of the draws of {n_redrawn} experiments give {middle:.0f} or less; 5 % give at most {low:.0f}, and 5 % at least {high:.0f}.",
)

# %%
say(
    f"Half of the draws of {n_redrawn} give {middle:.0f} or less; 5 % give at most {low:.0f}, and 5 % at least {high:.0f}.",
    *(
        f"{label[0].upper() + label[1:]}: {value}. Of the draws, {percent(np.mean(draws >= value))} are as large or larger; of the seeds with all rows, "
        f"{percent(np.mean(by_seed >= value))}."
        for label, value in published.items()
    ),
    "A number that moves so far with the draw is no property of the benchmark." if published else "",
)

# %% [markdown]
# ## Published numbers beside ours
#
# n\* is for the Jaccard question with α = 0.95 and δ = 0.05, by `moments`. The papers also count models and subtasks, and state how many
# subtasks are missing.

# %%
if original:
    beside = summaries.beside_published(study, gx.published_nstar("bigbench"), gx.JaccardKernel(1))
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
            reason=(
                f"their method gives {span(by_seed, '{:.0f}')} on all {row.n_experiments} rows, depending on the seed; a draw of ten moves it further"
                if is_paper
                else "their method depends on the seed, and on the ten experiments that were drawn"
            )
            if row.published > 1
            else "the same estimate; experiments that all agree leave the upper end open",
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
        reason=f"theirs is 44 less the {first_conlang['stated']} that they state; the table has {in_table} rows",
        decimals=0,
    )
    sums = study.rankings({"task_name": "arithmetic", "number_of_shots": 2})
    is_average = sums.index == "arithmetic"
    page.key_number(
        "arithmetic-subtasks",
        "subtasks of arithmetic, 2 shots",
        len(sums) - is_average.sum(),
        unit="subtasks",
        published=21,
        source="Matteucci et al., second version, Section 5.2",
        reason=f"{is_average.sum()} of {len(sums)} rows has the name of the task, and is the average of the others",
        decimals=0,
    )
    page.key_number(
        "arithmetic-models",
        "models compared on arithmetic, 2 shots",
        sums.shape[1],
        unit="models",
        published=44,
        source="Matteucci et al., second version, Section 5.2",
        reason=f"the same; {n_alternatives} models pass the filter for all tasks",
        decimals=0,
    )
    page.key_number(
        "coincidence",
        "probability that one of 44 equal models, given beforehand, wins 21 times",
        coincidence,
        published=1e-35,
        source="Matteucci et al., second version, Section 5.2",
        reason="the same power of ten",
    )
    page.show_published(
        "published",
        "What the papers print, beside the numbers of this run; the last column says in which sense they agree, or why they differ.",
    )
else:
    display(say("The papers' numbers belong to the published table; this run used the bundled results."))

# %%
if original:
    least, most = first_conlang["low"], first_conlang["high"]
    display(
        say(
            f"The papers say that `conlang_translation` was evaluated on {first_conlang['stated']} subtasks, which is the size of the draw. The published table "
            f"has {in_table - 1}, and the average. "
            + (
                "The conclusion stays: these are not enough."
                if least > in_table
                else "By the interval, these are enough."
                if most <= in_table
                else "By the interval, it is undecided whether these are enough."
            )
        )
    )

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
    "n\\* with its interval of nominal 95 % for the Jaccard question; square, circle and diamond say whether the subtasks at hand, the black tick, are enough. Up to 30 configurations, the most demanding on top.",
    f"Subtasks needed against subtasks at hand, configuration by configuration: {counted}.",
)

# %%
needy = planned[planned["more"] > 0].sort_values(["more", *study.design], ascending=[False, True, True])
say(
    f"Of the {len(planned)} configurations in [figure](#figure-forest): {counted}.",
    "" if len(needy) else "No estimate is above the number of subtasks at hand.",
)

# %%
if len(needy):
    columns = ["n_experiments", "nstar", "low", "high", "more", "verdict"]
    page.show_table(
        needy.set_index(study.design)[columns].head(15),
        "more",
        "Configurations whose estimate is above the number of subtasks at hand; at most 15, those that miss the most first.",
        {
            **{"task_name": "task", "number_of_shots": "shots", "n_experiments": "rows", "nstar": "n*"},
            **{"low": "interval from", "high": "to", "more": "missing"},
        },
        {"nstar": 1, "low": 1, "high": 1},
    )

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
unbounded = effort.index[np.isinf(effort["highest"])]
if len(unbounded):
    all_agreed = [name for name in unbounded if name in set(unanimous["task_name"])]
    display(
        say(
            f"The upper end is infinite in {', '.join(map(verbatim, unbounded))}: the experiments do not bound n\\* there, whatever the estimate."
            + (
                f" In {', '.join(map(verbatim, all_agreed))} all experiments agreed in some configuration: only more subtasks could find an exception."
                if all_agreed
                else ""
            )
        )
    )

# %%
lacking_tasks, full_tasks = effort[effort["more"] > 0], effort[effort["more"] == 0]
say(
    f"The number of tasks with as many rows as estimated, whatever the shots, is {len(full_tasks)} of {len(effort)}"
    + (f"; they have {span(full_tasks['subtasks'], '{:.0f}')} rows. " if len(full_tasks) else ". ")
    + (
        f"Where rows are lacking, there are {span(lacking_tasks['subtasks'], '{:.0f}')}, and {span(lacking_tasks['more'] / lacking_tasks['subtasks'])} times as many again are lacking."
        if len(lacking_tasks)
        else ""
    )
)

# %% [markdown]
# ### Another question, stricter or milder
#
# The verdicts hold for one question at one α and δ. Choose others in [figure](#figure-needs-by-question): the shapes move, and so does the answer to "are these enough?".

# %%
choices = {
    "question": dict(
        zip(
            [f"rank of {alternative}", "winners" if k == 1 else f"best {k} tiers", "order", "scores"],
            [kernel.name for kernel in kernels],
            strict=True,
        )
    ),
    "generalizability α": levels_around(alphas, alpha),
    "tolerance δ": levels_around(deltas, delta),
}
many = study.nstar(kernels, choices["generalizability α"], choices["tolerance δ"])
many = gx.plan(many[many["n_experiments"] > minimum])
end = drawings.needs_end(many)
states = dict(list(many.groupby(["kernel", "alpha", "delta"])))
n_enough = many["verdict"].eq("enough").groupby([many["kernel"], many["alpha"], many["delta"]]).sum()
show_choices(
    "needs-by-question",
    choices,
    lambda *state: drawings.needs_strip(states[state], end, "subtasks"),
    caption="Subtasks needed, one line per configuration, the most demanding on top: n\\* with its interval of nominal 95 %, and as a "
    "tick the rows at hand. An arrow leaves the axis.",
    alt=f"Depending on question, α and δ, from {n_enough.min()} to {n_enough.max()} of {len(large)} configurations have enough subtasks.",
    start={"question": kernels[1].name, "generalizability α": alpha, "tolerance δ": delta},
)

# %% [markdown]
# ## The answer in short

# %%
known = planned[np.isfinite(planned["nstar"])]
hardest_one = known.loc[known["nstar"].idxmax()]
page.key_number(
    "largest",
    "n* of the most demanding configuration",
    *hardest_one[["nstar", "low", "high"]],
    unit="subtasks",
)
for name, value in medians.items():
    page.key_number(
        f"median-{name.split('(')[0].lower()}", f"median n* over the configurations, {name}", value, unit="subtasks"
    )
page.key_number(
    "enough",
    "share of the configurations that have enough subtasks",
    verdicts.get("enough", 0) / len(planned),
    decimals=2,
)
page.key_number("tasks-enough", "tasks with as many rows as estimated", len(full_tasks), unit="tasks", decimals=0)
page.key_number(
    "closely",
    "n* of the configuration looked at closely",
    moments.estimate,
    moments.low,
    moments.high,
    unit="subtasks",
)
page.key_number(
    "seeds-ratio",
    "published estimate of that configuration: largest over smallest of all random seeds",
    by_seed.max() / by_seed.min(),
    decimals=2,
)
page.key_number(
    "draws-median",
    f"published estimate from draws of {n_redrawn}: median, 5 % and 95 % quantile",
    middle,
    low,
    high,
    unit="subtasks",
)
if len(unanimous) and delta < 1:
    page.key_number(
        "unseen", "largest share that an unseen winner may have where all experiments agree", largest_share, decimals=2
    )
    page.key_number(
        "to-exclude", "experiments that all agree until n* = 1 is shown", needed, unit="subtasks", decimals=0
    )

# %% tags=["hero", "slide"]
asked_about = "the winners" if k == 1 else f"the best {k} tiers"
page.show_figure(
    gx.plots.nstar_hero(planned, study.design),
    "answer",
    f"Subtasks until two studies agree on {asked_about}, and how often (α = {alpha:g}, δ = {delta:g}), with intervals of nominal 95 %; the black tick is what the benchmark "
    "has. One line per task and number of solved examples"
    + (
        f": the most demanding of {len(planned)}, some in the middle, and the least demanding. All of them: [figure](#figure-forest)."
        if len(planned) > 12
        else ", the most demanding on top."
    ),
    f"Intervals of the number of subtasks needed against the subtasks at hand. Of all {len(planned)} configurations: {counted}.",
)

# %% tags=["findings", "slide"]
lacking_ones, open_ones = verdicts.get("more needed", 0), verdicts.get("undecided", 0)
findings = [
    page.Finding(
        f"{verdicts.get('enough', 0)} of {len(planned)}",
        f"combinations of a task and a number of solved examples have enough subtasks for two studies to agree on *{'which model wins' if k == 1 else asked_about}, and how often*; "
        f"{lacking_ones} {'needs' if lacking_ones == 1 else 'need'} more, and {open_ones} {'is' if open_ones == 1 else 'are'} undecided",
        f"by intervals of nominal 95 % · needed: {span(known['nstar'], '{:.0f}')} · at hand: {span(known['n_experiments'], '{:.0f}')}",
    )
]
if original:
    now = f"{first_conlang['nstar']:.0f}"
    by_chance = (
        f". With another random seed alone, the published method says {span(by_seed, '{:.0f}')}"
        if is_paper and np.ptp(by_seed) > 1
        else ""
    )
    findings.append(
        page.Finding(
            f"44, 65 → {now}",
            f"subtasks that the task `conlang_translation` needs, as two versions of the paper print it and as its data say{by_chance}",
            f"published → computed · nominal 95 % interval {least:.0f} to {most:.0f}",
        )
    )
else:
    findings.append(
        page.Finding(
            span(by_seed, "{:.0f}"),
            "is what the published method says one configuration needs, depending on its random seed alone"
            if np.ptp(by_seed) > 1
            else "is what the published method says one configuration needs, whatever its random seed",
            f"{n_seeds} seeds · without a seed: {moments.estimate:.0f}, nominal 95 % interval {moments.low:.0f} to {moments.high:.0f}",
        )
    )
if len(unanimous) and delta < 1:
    findings.append(
        page.Finding(
            f"{independent} of {needed}" if independent < needed else f"{independent}",
            (
                f"subtasks that would all have to agree on {'the winner' if k == 1 else asked_about} before a single one could be called enough for the task "
                f"`{agreed['task_name']}`{', as the paper does' if original and len(paper) else ''}; these {independent} do agree"
                if independent < needed
                else f"subtasks of `{agreed['task_name']}` agree on {'the winner' if k == 1 else asked_about}; from {needed} on, a single one may be called enough"
            ),
            f"{'another winner' if k == 1 else 'another top'} could still have up to {percent(largest_share)} of all subtasks (95 % confidence)",
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
assert (
    unanimous.empty or ((unanimous["nstar"] == 1) & np.isinf(unanimous["high"])).all()
)  # the interval is the whole line
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
    assert lacking.loc[large.index[large["task_name"] == "arithmetic"]].str.contains("GPT GPT-3 200B").all()
    assert len(named_like) == 8 and exact_means.sum() == 7
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
# *Project · 30 minutes.* In the cell for your answer, `own` is the study of this project's own runs on one task with 13 subtasks, and `gram` the Gram matrix of Jaccard with $k = 1$ at two shots. Estimate n\* by the published method (`gx.power_law(gram, 0.95, epsilon, n_resamples=..., rng=seed).nstar`) with the
# seeds 0 to 9, and divide the largest of the ten estimates by the smallest. Do that with 1,000 resamples and with 10,000. Guess first what happens to the ratio. Assign the list of the two ratios, to two decimals, to `answer_5`.
# Then do the same for Mallows, draw the quantiles (`figures.quantiles_over_seeds`), and explain the difference.

# %% tags=["solution"]
star = gx.datasets.load_bigbench("bundled").query("task_name == 'star98_attributes'")
own = gx.Study(star, **roles)
of_two_shots = own.rankings({"task_name": "star98_attributes", "number_of_shots": 2})
gram = gx.JaccardKernel(1).gram(of_two_shots)
epsilon = gx.JaccardKernel(1).epsilon(0.05, of_two_shots.shape[1])
### BEGIN SOLUTION
answer_5 = []
for resamples in (1_000, 10_000):
    ten = [gx.power_law(gram, 0.95, epsilon, n_resamples=resamples, rng=each).nstar for each in range(10)]
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
