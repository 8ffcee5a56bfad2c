# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Your own study
#
# *What `genexpy-nb study RESULTS` makes of a results table: how far its conclusions can be trusted beyond the experiments that were run.*

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
import matplotlib.pyplot as plt
import numpy as np

import genexpy_nb as gx
from genexpy_nb.common.prose import say, verbatim
from genexpy_nb.plots import second_study
from genexpy_nb.plots import significance as comparisons
from genexpy_nb.plots import study as figures
from genexpy_nb.reporting.own_study import request as asked
from genexpy_nb.reporting.own_study.tables import readable

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

# %% [markdown]
# ## The question and the answer

# %%
say(
    "This notebook was run without a table of its own. It shows what it does on a published leaderboard, the English benchmark of "
    f"[MTEB](https://github.com/embeddings-benchmark/results): {table['model'].nunique()} text embedding models, {table['task'].nunique()} tasks. "
    "**You will learn** what to ask of a table of results, and which call answers. **You need** a table with a row per evaluation, or a matrix, and to "
    "know which column plays which part; for your own, `genexpy-nb study RESULTS` shows the columns and proposes the roles."
    if not results
    else ""
)

# %%
say(f"**{verbatim(found.question)}**")

# %% tags=["findings"]
say(*map(verbatim, found.sentences))

# %% tags=["hero"]
if found.ranking["low"].notna().any():  # the tests of very many pairs are left out
    figures.rank_positions(found.ranking.set_index("alternative"))
    plt.show()

# %%
say("**What to do next.**", "\n".join(f"- {verbatim(step)}" for step in found.next_steps))

# %% [markdown]
# ## What the data are

# %%
say(*(f"**Warning:** {verbatim(text)}." for text in study.warnings))

# %%
readable(found.data, {"role": "role", "column": "column", "levels": "levels", "": "note"})

# %%
say("\n".join(f"- {verbatim(note)}" for note in [table.attrs.get("read_as"), *study.notes, *found.left_out] if note))

# %%
readable(found.averaged, {name: name for name in found.averaged.columns}, most=5, whole="averaged.csv") if len(
    found.averaged
) else None

# %%
say(f"**Clusters.** {verbatim(' '.join(found.clusters_in_words))}" if found.clusters_in_words else "")

# %%
say(f"**Noise across runs.** {verbatim(' '.join(found.noise_in_words))}" if found.noise_in_words else "")

# %%
readable(
    found.noise,
    {
        str(study.alternatives_column): "alternative",
        "runs each": ("fewest_runs", "most_runs"),
        "sd of runs": "sd_runs",
        "of experiments": "sd_conditions",
        "due to runs: mean": "share_of_variance",
        "difference from the first": "share_of_difference",
    },
    most=8,
    whole="noise.csv",
) if found.noise_in_words else None

# %%
say(
    "*sd: standard deviation of single runs within an experiment, and of the means over the experiments. Due to runs: share of the variance of the mean score, "
    "and of its mean difference from the first alternative, in which what makes experiments easy or hard cancels.*"
    if found.noise_in_words
    else ""
)

# %%
if len(found.missing):
    figures.missing_cells(study.condition_scores(found.configuration))
    plt.show()

# %% [markdown]
# ## The ranking, and how stable it is
#
# The position of an alternative has an interval: it stands behind those that the tests show to be better, and before those that they show to be worse;
# among the others its place is open. A tier holds what the tests cannot tell from its first member.

# %%
say(
    f"Shown in detail: {verbatim(', '.join(f'{name} = {found.configuration[name]}' for name in study.design))}. {verbatim(found.why_configuration)}"
    * bool(study.design)
)

# %%
readable(
    found.ranking,
    {
        str(study.alternatives_column): "alternative",
        "mean rank": "mean_rank",
        f"mean {score}": ("mean_score", "score_low", "score_high"),
        "on top in": "share_best",
        "position": ("position", "low", "high"),
        "tier": "tier",
    },
    whole="ranking.csv",
)

# %%
gx.plots.rank_distribution(study.rankings(found.configuration))
plt.show()

# %% [markdown]
# ## Would another study conclude the same?
#
# The question has two readings, and each has its own answer. *Would another study find results like these*, the same winners as often, and the same orders as
# often? For that n\*, below, counts experiments; enough is enough for similar distributions of results, and not for the same winner. *Would it draw the same
# conclusion*, and crown the same winner, say? That is agreement: how far two studies of n new experiments each would conclude the same. Here it is about
# mean ranks.

# %%
say("\n".join(f"- {verbatim(text)}" for text in found.agreement_in_words))

# %%
if len(found.agreement):
    second_study.agreement_curves(
        found.agreement, found.agreement_of_halves, observed=len(study.scores(found.configuration))
    )
    plt.show()

# %%
say(
    "Two disjoint halves of the experiments are two studies, of half the size: what they agree in needs no assumption, and is noisy. Beyond them, the curve is "
    "extrapolated. The interval holds every agreement of worlds in which a study would look like this one; where it is long, no estimate can be relied on."
    if len(found.agreement)
    else ""
)

# %%
readable(
    found.halves,
    {
        "conclusion": "conclusion",
        "experiments in each half": "n",
        "do halves agree?": "estimate",
        "what is counted": "measure",
    },
)

# %%
if found.agreement.empty:
    figures.halves(found.halves)
    plt.show()

# %% [markdown]
# ## How many experiments are needed, by question and configuration
#
# n\* is the number of experiments at which two independent studies have, with probability α, results that differ by δ at most. There are enough if the whole
# interval of n\* lies at or below the number of experiments at hand.

# %%
columns = {name: name for name in study.design} | {
    "question": "kernel",
    "experiments": "n_experiments",
    "n*": ("nstar", "low", "high"),
}
columns |= {"verdict": "verdict", "still to run": "more"} | ({"": "note"} if found.nstar["note"].any() else {})
readable(found.nstar, columns, whole="nstar.csv")

# %%
if np.isfinite(found.nstar["nstar"]).any():
    gx.plots.nstar_forest(found.nstar, [*study.design, "kernel"])
    plt.show()

# %%
if len(found.curves):
    figures.generalizability_curves(found.curves, len(study.rankings(found.configuration)), alpha, delta)
    plt.show()

# %% [markdown]
# ## What to run first

# %%
readable(found.extend, {name: name for name in found.extend.columns}, whole="extend.csv") if len(found.extend) else say(
    "By the estimates, every question that has an answer has enough experiments."
)

# %%
if len(found.extend):
    figures.budget(found.extend)
    plt.show()

# %% [markdown]
# ## Which differences are significant

# %%
if len(study.alternatives) > 1 and len(found.tiers):
    ranks, p_values, _ = study.critical_difference(found.configuration, level, impute=True)
    comparisons.ranks_figure(ranks, p_values, level, found.tiers.set_index("alternative")["tier"])
    plt.show()

# %%
comparisons.pairwise_matrix(found.pairs, level=level, higher_is_better=study.direction(found.configuration))
plt.show()

# %%
readable(
    found.pairs.sort_values("p_adjusted", kind="stable"),
    {
        "alternative": "a",
        "against": "b",
        f"mean difference of {score}": ("estimate", "low", "high"),
        "better": "favours",
        "p": "p_adjusted",
        "probability of improvement": ("probability_of_improvement", "poi_low", "poi_high"),
    },
    most=12,
    whole="pairs.csv",
)

# %% [markdown]
# *p after Holm's correction, by Wilcoxon's signed-rank test; in brackets nominal 95 % intervals of each difference by itself. The probability of improvement
# is that of being better in an experiment, ties counting half.*

# %%
figures.win_tie_loss(found.wins)
plt.show()

# %%
first, second = request.chosen_pair(study) or found.ranking["alternative"].head(2)
figures.pair_scatter(study.scores(found.configuration), first, second, study.direction(found.configuration))
plt.show()

# %% [markdown]
# ## How much depends on choices, and on single experiments

# %%
if np.isfinite(found.sensitivity["nstar"]).any():
    figures.sensitivity(found.sensitivity, alpha, delta)
    plt.show()

# %%
if np.isfinite(found.influence["nstar"]).any():
    figures.influence(found.influence, alpha=alpha, delta=delta)
    plt.show()

# %% [markdown]
# ## Limits

# %%
say("\n".join(f"- {verbatim(text)}" for text in found.limits))

# %% [markdown]
# ## For your paper

# %%
say(verbatim(found.methods))

# %% [markdown]
# **How to cite.** The toolkit: `CITATION.cff` in its repository. n\* and n-generalizability: Matteucci, Arzamasov, Cribeiro-Ramallo, Heyden, Ntounas, Böhm,
# *Generalizability of Experimental Studies*. Comparison over data sets: Demšar, *Statistical Comparisons of Classifiers over Multiple Data Sets*, JMLR 2006, and
# Holm, *A Simple Sequentially Rejective Multiple Test Procedure*, Scandinavian Journal of Statistics 1979. Intervals of positions: Mogstad, Romano, Shaikh,
# Wilhelm, *Inference for Ranks*, Review of Economic Studies 2024.
