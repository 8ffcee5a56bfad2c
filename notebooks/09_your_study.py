# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Your own study

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
results: str = ""  # file or folder with results; empty: the bundled leaderboard of MTEB
alternatives: str | list[str] = "model"  # column with what is compared; several columns together name an alternative
target: str | list[str] = "score"  # column with the score; several, each with its direction: "auc=higher"
higher_is_better: str = "higher"  # direction of the target, higher or lower; empty: said in target
over: list[str] = ["task"]  # columns whose levels are the experiments
design: list[str] = []  # columns whose combinations of levels are analysed one by one
average: list[str] = []  # columns to average over, such as seeds and folds
fixed: list[str] = []  # columns to hold constant, as "column=level"
cluster: str = ""  # column with groups of related experiments; empty: they are independent
wide: bool = False  # is the table a matrix, with a column per alternative?
without: list[str] = []  # columns of a matrix that hold no scores
alternative: str = ""  # one alternative to ask about in particular; empty: none
pair: list[str] = []  # two alternatives to draw against each other; empty: the best two
missing: str = "complete"  # what becomes of missing evaluations: complete, worst-rank, drop or error
alpha: float = 0.95  # generalizability wanted: probability that two studies agree, in (0, 1)
delta: float = 0.05  # tolerance: how different results may be and still agree, in (0, 1]
level: float = 0.05  # level of the tests, in (0, 1)
configuration: list[
    str
] = []  # levels of the configuration to look at closely, as "column=level"; empty: the largest one
budget: int = 0  # experiments that can still be run; 0: not said
sep: str = ""  # of a text file: character between columns; empty: found
encoding: str = ""  # of a text file; empty: found
decimal: str = ""  # decimal mark; empty: found
sheet: str = ""  # of an Excel file; empty: the only one with values

# %% [markdown]
# ## Setup

# %%
import numpy as np

import genexpy_nb as gx
from genexpy_nb.common import page
from genexpy_nb.common.prose import as_written, percent, say, verbatim
from genexpy_nb.plots import second_study
from genexpy_nb.plots import significance as comparisons
from genexpy_nb.plots import study as figures
from genexpy_nb.reporting.own_study import alts, in_short
from genexpy_nb.reporting.own_study import request as asked
from genexpy_nb.reporting.own_study.tables import show_readable

gx.plots.use_style()

# %%
request = asked.StudyRequest.from_parameters(
    results=results, alternatives=alternatives, target=target, higher_is_better=higher_is_better, over=over, design=design,
    average=average, fixed=fixed, cluster=cluster, wide=wide, without=without, alternative=alternative, pair=pair, missing=missing,
    alpha=alpha, delta=delta, level=level, configuration=configuration, budget=budget,
    sep=sep, encoding=encoding, decimal=decimal, sheet=sheet,
)  # fmt: skip
table = request.read() if results else gx.datasets.load_mteb()
study = request.study(table)
found = request.answers(study)
score = found.configuration["metric"] if len(study.targets) > 1 else study.target
n = len(study.scores(found.configuration))
who = str(study.alternatives_column)
shown_in = verbatim(", ".join(f"{name} = {found.configuration[name]}" for name in study.design))
in_configuration = f" Of {shown_in}." if study.design else ""

# %% [markdown]
# ## The answer in short

# %%
say(
    "`genexpy-nb study RESULTS` says how far the conclusions of a table of results can be trusted beyond the experiments that were run. This notebook was "
    "run without a table of its own. It shows what it does on a published leaderboard, the English benchmark of "
    f"[MTEB](https://github.com/embeddings-benchmark/results): {table['model'].nunique()} text embedding models, {table['task'].nunique()} tasks. "
    "**You will learn** what to ask of a table of results, and which call answers. **You need** a table with a row per evaluation, or a matrix, and to "
    "know which column plays which part; for your own, `genexpy-nb study RESULTS` shows the columns and proposes the roles."
    if not results
    else ""
)

# %% tags=["findings"]
page.show_findings(*in_short.findings(found))

# %% tags=["hero"]
if found.ranking["low"].notna().any():  # the tests of very many pairs are left out
    page.show_figure(
        figures.rank_positions(found.ranking.set_index("alternative"), most=12),
        "positions",
        f"Points: positions by mean rank. Lines: the positions that an alternative may have, by tests at the level {level:g}. The longer they are, the "
        f"less the order says.{in_configuration} All alternatives: [table](#table-ranking).",
        alts.of_positions(found),
    )

# %%
say(f"**{verbatim(found.question)}**", *map(verbatim, found.sentences))

# %%
say("**What to do next.**", "\n".join(f"- {in_short.in_markdown(step)}" for step in found.next_steps))

# %% [markdown]
# ## What the data are

# %%
if study.warnings:
    display(say(*(f"**Warning:** {verbatim(text)}." for text in study.warnings)))
show_readable(
    found.data,
    {"role": "role", "column": "column", "levels": "levels", "what it means": "note"},
    "data",
    "What each column of the results is for.",
)

# %%
notes = [note for note in [table.attrs.get("read_as"), *study.notes, *found.left_out] if note]
say(
    "\n".join(f"- {verbatim(note)}" for note in notes),
    f"**Clusters.** {verbatim(' '.join(found.clusters_in_words))}" if found.clusters_in_words else "",
    f"**Noise across runs.** {verbatim(' '.join(found.noise_in_words))}" if found.noise_in_words else "",
)

# %%
if len(found.averaged):
    factors = [name for name in found.averaged.columns if name not in ("n_averaged", "n_levels")]
    show_readable(
        found.averaged,
        [*((str(name), name) for name in factors), ("runs there", "n_averaged"), ("runs wanted", "n_levels")],
        "averaged",
        "Evaluations that lack some of the runs over which scores are averaged.",
        most=5,
        whole="averaged.csv",
    )
if found.noise_in_words:
    show_readable(
        found.noise,
        [
            (who, "alternative"),
            ("runs each", ("fewest_runs", "most_runs")),
            ("spread of runs", "sd_runs"),
            ("spread of experiments", "sd_conditions"),
            ("share of the mean", "share_of_variance"),
            ("share of the difference", "share_of_difference"),
        ],
        "noise",
        "Spread: standard deviation of single runs within an experiment, and of the means over the experiments. Shares: how much of the variance of the mean "
        "score is due to runs, and how much of that of its difference from the first alternative, in which what makes experiments easy or hard cancels.",
        most=8,
        whole="noise.csv",
        forms=dict.fromkeys(["share_of_variance", "share_of_difference"], percent),
    )
if len(found.missing):
    page.show_figure(
        figures.missing_cells(study.condition_scores(found.configuration)),
        "missing",
        "Dark: there is a score. Whole pale rows or columns are alternatives or experiments that were hardly run, and about which "
        f"little can be said.{in_configuration}",
        alts.of_missing(found),
    )

# %% [markdown]
# ## The ranking, and how stable it is
#
# The position of an alternative has an interval, in [table](#table-ranking): it stands behind those that the tests show to be better, and before those that
# they show to be worse; among the others its place is open.
#
# > Aside: A tier holds what the tests cannot tell from its first member.

# %%
if study.design:
    display(say(f"Shown in detail: {shown_in}. {verbatim(found.why_configuration)}"))
show_readable(
    found.ranking,
    [
        (who, "alternative"),
        ("mean rank", "mean_rank"),
        (f"mean {score}", ("mean_score", "score_low", "score_high")),
        ("on top in", "share_best"),
        ("position", ("position", "low", "high")),
        ("tier", "tier"),
    ],
    "ranking",
    "The best alternatives by mean rank (1 is best). On top: share of the experiments. In brackets: an interval of nominal confidence "
    f"{100 * (1 - level):g} % for each mean by itself, and the positions that an alternative may have (tests at the level {level:g}).",
    most=15,
    whole="ranking.csv",
    forms={"share_best": lambda share: percent(share, 1)},
)

# %%
page.show_figure(
    gx.plots.rank_distribution(study.rankings(found.configuration)),
    "ranks",
    "Share of the experiments in which an alternative lands in each tier of that experiment; the best by mean on top. A column of dark cells on the left "
    "would mean that the same ones win everywhere.",
    alts.of_ranks(found),
)

# %% [markdown]
# ## Would another study conclude the same?
#
# The question has two readings, and each has its own answer. *Would another study find results like these*, the same winners as often, and the same orders as
# often? For that n\* [counts experiments](#how-many-experiments-are-needed-by-question-and-configuration); enough is enough for similar distributions of
# results, and not for the same winner. *Would it draw the same conclusion*, and crown the same winner, say? That is agreement: how far two studies of n new
# experiments each would conclude the same. Here it is about mean ranks.
#
# > Aside: Two disjoint halves of the experiments are two studies, of half the size. What they agree in needs no assumption, and is noisy.

# %%
say("\n".join(f"- {verbatim(text)}" for text in found.agreement_in_words))

# %%
if len(found.agreement):
    page.show_figure(
        second_study.agreement_curves(found.agreement, found.agreement_of_halves, observed=n),
        "agreement",
        "How far two studies agree, by their size. Beyond the halves, the curve is extrapolated. The band (nominal 95 %) holds every agreement of worlds in "
        "which a study would look like this one; where it is wide, no estimate can be relied on.",
        alts.of_agreement(found),
    )

if len(found.halves):
    show_readable(
        found.halves,
        {
            "conclusion": "conclusion",
            "experiments in each half": "n",
            "agreement of halves": "estimate",
            "what is counted": "measure",
        },
        "halves",
        "What random halves of the experiments agree in, each a study by itself.",
    )

if found.agreement.empty and len(found.halves):
    page.show_figure(
        figures.halves(found.halves),
        "halves",
        "Agreement of halves; 1 means that both always conclude the same.",
        alts.of_halves(found),
    )

# %% [markdown]
# ## How many experiments are needed, by question and configuration

# %%
say(
    f"n\\* is the number of experiments at which two independent studies have, with probability {as_written(alpha)} (α), results that differ by "
    f"{as_written(delta)} (δ) at most. There are enough if the whole interval of n\\* lies at or below the number of experiments at hand.",
    f"What differs, a kernel says: {'; '.join(f'{verbatim(kernel.name)} asks {verbatim(in_short.asked_about(kernel))}' for kernel in found.kernels)}.",
)

# %%
if len(found.nstar):
    columns = [(str(name), name) for name in study.design]
    columns += [("question", "kernel"), ("experiments", "n_experiments"), ("n*", ("nstar", "low", "high"))]
    columns += [("verdict", "verdict"), ("still to run", "more")] + [("note", "note")] * bool(found.nstar["note"].any())
    show_readable(
        found.nstar,
        columns,
        "needs",
        "n\\* with its interval of nominal confidence 95 %, beside the number of experiments at hand.",
        whole="nstar.csv",
    )

if np.isfinite(found.nstar["nstar"]).any():
    page.show_figure(
        gx.plots.nstar_forest(found.nstar, [*study.design, "kernel"]),
        "needs",
        "n\\* and its interval (nominal 95 %); the black tick is what was run. Left of the tick there are enough.",
        alts.of_needs(found),
    )

if len(found.curves):
    page.show_figure(
        figures.generalizability_curves(found.curves, len(study.rankings(found.configuration)), alpha, delta),
        "curves",
        f"Probability that two studies agree within δ = {as_written(delta)}, by their size; where a curve crosses α = {as_written(alpha)} is n\\*."
        + in_configuration,
        alts.of_curves(found),
    )

# %% [markdown]
# ## What to run first

# %%
if len(found.extend):
    columns = [(str(name), name) for name in study.design]
    columns += [
        ("question", "kernel"),
        ("more experiments", ("more", "low_more", "high_more")),
        ("in all", "cumulative"),
    ]
    columns += [("questions with enough", "answered")] + [("within the budget", "within_budget")] * bool(budget)
    show_readable(
        found.extend,
        columns,
        "extend",
        "What answers most questions for the fewest experiments, first things first; in brackets what follows from the interval of n\\*.",
        most=15,
        whole="extend.csv",
    )
    page.show_figure(
        figures.budget(found.extend),
        "budget",
        "Questions that have enough experiments, by the estimates, after those in [table](#table-extend) were run from the top down.",
        alts.of_budget(found),
    )

if found.extend.empty:
    display(say("By the estimates, every question that has an answer has enough experiments."))

# %% [markdown]
# ## Which differences are significant
#
# Wilcoxon's signed-rank test compares two alternatives, experiment by experiment, and Holm's correction makes up for the number of pairs.
# [Table](#table-pairs) has the clearest differences.
#
# > Aside: A difference that is not significant may still be there: these experiments do not show it.

# %%
if len(study.alternatives) > 1 and len(found.tiers):
    ranks, p_values, _ = study.critical_difference(found.configuration, level, impute=True)
    page.show_figure(
        comparisons.ranks_figure(ranks, p_values, level, found.tiers.set_index("alternative")["tier"]),
        "tiers",
        f"Mean ranks, and what the tests (Wilcoxon's, with Holm's correction, level {level:g}) cannot tell apart.",
        alts.of_tiers(found),
    )

# %%
page.show_figure(
    comparisons.pairwise_matrix(found.pairs, level=level, higher_is_better=study.direction(found.configuration)),
    "pairs",
    f"Mean difference of each pair; framed cells are significant at the level {level:g} after Holm's correction. Details: [table](#table-pairs).",
    alts.of_pairs(found),
)

# %%
show_readable(
    found.pairs.sort_values("p_adjusted", kind="stable"),
    [
        ("one", "a"),
        ("another", "b"),
        (f"mean difference of {score}", ("estimate", "low", "high")),
        ("better", "favours"),
        ("p", "p_adjusted"),
        ("probability of improvement", ("probability_of_improvement", "poi_low", "poi_high")),
    ],
    "pairs",
    f"The clearest differences. p after Holm's correction, by Wilcoxon's signed-rank test; in brackets nominal {100 * (1 - level):g} % intervals of each difference by "
    "itself. The probability of improvement is that of the one being better in an experiment, ties counting half.",
    most=12,
    whole="pairs.csv",
)

# %%
page.show_figure(
    figures.win_tie_loss(found.wins),
    "wins",
    "Wins, ties and losses of an alternative against each other one in each experiment in which both have a score.",
    alts.of_wins(found),
)

# %%
first, second = request.chosen_pair(study) or found.ranking["alternative"].head(2)
drawn = figures.pair_scatter(study.scores(found.configuration), first, second, study.direction(found.configuration))
page.show_figure(
    drawn,
    "pair",
    f"Each point is an experiment in which both have a score: the {score} of {verbatim(in_short.named(first))} across, that of {verbatim(in_short.named(second))} upwards. On the line "
    "both are equal.",
    alts.of_pair(drawn),
)

# %% [markdown]
# ## How much depends on choices, and on single experiments
#
# n\* follows from choices that others may make otherwise, and from the experiments that happened to be run. Here one thing is changed at a time.
#
# > Aside: That an experiment has much influence says neither that it is wrong nor that it is important.

# %%
if np.isfinite(found.sensitivity["nstar"]).any():
    page.show_figure(
        figures.sensitivity(found.sensitivity, alpha, delta),
        "sensitivity",
        "n\\* under other settings than the chosen ones, which are filled. If the verdict turns with a choice that somebody else would make otherwise, it is a "
        f"verdict on that choice.{in_configuration}",
        alts.of_sensitivity(found),
    )

if np.isfinite(found.influence["nstar"]).any():
    page.show_figure(
        figures.influence(found.influence, alpha=alpha, delta=delta),
        "influence",
        f"n\\* without one experiment, for those that matter most; the vertical line is n\\* with all of them.{in_configuration}",
        alts.of_influence(found),
    )
if not np.isfinite([*found.sensitivity["nstar"], *found.influence["nstar"]]).any():
    display(say("There is nothing to draw: n\\* was not estimated, or is infinite."))

# %% [markdown]
# ## Limits

# %%
say("\n".join(f"- {verbatim(text)}" for text in found.limits))

# %% [markdown]
# ## Key numbers

# %%
in_short.keep_numbers(found)
page.show_key_numbers()

# %% [markdown]
# ## For your paper

# %%
say(verbatim(found.methods))

# %% [markdown]
# **How to cite.** The toolkit: `CITATION.cff` in its repository. The methods: the works below.
#
# ## Further reading
#
# - [Matteucci et al., 2025, *Generalizability of Experimental Studies*](https://arxiv.org/abs/2406.17374v3): what n\* is, and the questions that the kernels
#   stand for.
# - [Demšar, 2006, *Statistical Comparisons of Classifiers over Multiple Data Sets*](https://jmlr.org/papers/v7/demsar06a.html): how to test over many
#   datasets, Wilcoxon's test for a pair among them.
# - [Holm, 1979, *A Simple Sequentially Rejective Multiple Test Procedure*](https://www.jstor.org/stable/4615733): the correction for many pairs.
# - [Mogstad et al., 2024, *Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across
#   Countries*](https://doi.org/10.1093/restud/rdad006): what can be said about positions in a ranking.

# %%
say(
    "- [Muennighoff et al., 2023, *MTEB: Massive Text Embedding Benchmark*](https://aclanthology.org/2023.eacl-main.148): the leaderboard shown here, its "
    "tasks and how they are scored."
    if not results
    else ""
)
