# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["course", "slide"]
# # Your own study
#
# You have a table of results, and a deadline. What may you conclude beyond the experiments that were run? `genexpy-nb study RESULTS` makes a report of a table, and this notebook is that report. Run
# without a table, it shows a published leaderboard.
#
# **You will learn** what to ask of a table of results, which call answers, and what each answer does and does not say.
#
# **You need** a table with a row per evaluation, or a matrix, and to know which column plays which part; for your own, `genexpy-nb study RESULTS` guesses the roles, and asks or shows the command where something is open. Notebook 02 says what n\* is, notebook 05 what
# the tests do, notebook 10 what agreement is.
#
# **Time** 30 minutes to read, 120 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
results: str | list = ""  # file, files or folder with results; empty: the bundled leaderboard of MTEB
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
confidence: float = 0.95  # of the intervals, in (0, 1)
configuration: list[
    str
] = []  # levels of the configuration to look at closely, as "column=level"; empty: the largest one
rank_incomplete: bool = False  # are alternatives with fewer than half of the experiments ranked, too?
budget: int = 0  # experiments that can still be run; 0: not said
kernels: list[str] = []  # questions, each as "file.py:Class" or "module:Class(name=value)"; empty: winners and order
sep: str = ""  # of a text file: character between columns; empty: found
encoding: str = ""  # of a text file; empty: found
decimal: str = ""  # decimal mark; empty: found
sheet: str = ""  # of an Excel file; empty: the only one with values
max_size: str = ""  # the largest file that is read; empty: 200MB
missing_code: list[str] = []  # what stands for no value among numbers, besides NA, None, ? and the like

# %% [markdown]
# ## Setup

# %%
import warnings

import numpy as np

import genexpy_nb as gx
from genexpy_nb.common import exercises, page
from genexpy_nb.common.prose import as_written, in_markdown, percent, say, verbatim
from genexpy_nb.own_study import alts, in_short
from genexpy_nb.own_study import request as asked
from genexpy_nb.own_study.tables import show_readable
from genexpy_nb.plots import second_study
from genexpy_nb.plots import significance as comparisons
from genexpy_nb.plots import study as figures

gx.plots.use_style()

# %%
request = asked.StudyRequest.from_parameters(
    results=results, alternatives=alternatives, target=target, higher_is_better=higher_is_better, over=over, design=design,
    average=average, fixed=fixed, cluster=cluster, wide=wide, without=without, alternative=alternative, pair=pair, missing=missing,
    alpha=alpha, delta=delta, level=level, confidence=confidence, configuration=configuration, budget=budget, kernels=kernels,
    rank_incomplete=rank_incomplete,
    sep=sep, encoding=encoding, decimal=decimal, sheet=sheet, max_size=max_size, missing_code=missing_code,
)  # fmt: skip
leaderboard = gx.datasets.load_mteb()
n_run = leaderboard.groupby("model")["task"].nunique()
whole = leaderboard[leaderboard["model"].isin(n_run.index[n_run == n_run.max()])]
table = request.read() if results else whole
study = request.study(table)
found = request.answers(study)
score = found.configuration["metric"] if len(study.targets) > 1 else study.target
n = len(study.scores(found.configuration))
who = str(study.alternatives_column)
shown_in = verbatim(", ".join(f"{name} = {found.configuration[name]}" for name in study.design))
in_configuration = f" Of {shown_in}." if study.design else ""
by_question = [*((str(name), name) for name in study.design), ("question", "kernel")]

# %% [markdown]
# ## The answer in short

# %%
say(
    "The table here is the English benchmark of [MTEB](https://github.com/embeddings-benchmark/results) "
    f"([Muennighoff et al., 2023](https://aclanthology.org/2023.eacl-main.148)): the {table['model'].nunique()} text embedding models that ran all {table['task'].nunique()} tasks."
    if not results
    else ""
)

# %% tags=["findings", "slide"]
page.show_findings(*in_short.findings(found))

# %%
say(*found.paragraphs)

# %% tags=["hero", "slide"]
if found.ranking["low"].notna().any():  # the tests of very many are left out
    page.show_figure(
        figures.rank_positions(found.ranking.set_index("alternative"), most=12),
        "positions",
        f"Points: places by mean rank. Lines: the places that an alternative can have, all of them at once at the level {level:g}. Who can have "
        f"the first place, may be the best.{in_configuration} All alternatives: [table](#table-ranking).",
        alts.of_positions(found),
    )

# %%
say(
    "**What else to do.**" if len(found.next_steps) > 1 else "",
    "\n".join(f"- {in_markdown(step)}" for step in found.next_steps[1:]),
)

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
if len(found.missing):
    page.show_figure(
        figures.missing_cells(study.condition_scores(found.configuration)),
        "missing",
        "Dark: there is a score. Whole pale rows or columns are alternatives or experiments that were hardly run, and about which "
        f"little can be said.{in_configuration}",
        alts.of_missing(found),
    )

# %% [markdown]
# ## Who is best, and by how much
#
# Who is best is asked of each alternative against all others. Nobody is dropped unless another one is better beyond what chance makes of the largest of so
# many differences. The gap is the distance to the best of the others. If you choose an alternative, its low end is the most that
# you lose, and its high end the most by which it leads. They are made to hold all at once, so you may choose after looking.
#
# > Aside: Two alternatives are compared over the experiments that were run for both. What is missing carries no significance.

# %%
if len(found.gaps):
    show_readable(
        found.gaps,
        [
            (who, "alternative"),
            ("may be best", "may_be_best"),
            ("p", "p"),
            ("ahead of the best other one", ("estimate", "low", "high")),
            ("first place", "place_low"),
            ("last place", "place_high"),
        ],
        "contenders",
        f"Who may be the best by mean rank. Gaps are in mean ranks, with intervals that are made to hold all at once (level {level:g}). "
        + ("Places: of the one that was named, by itself." if alternative else "Places: of all, at once."),
        most=15,
        whole="contenders.csv",
    )

# %%
if not results:
    with_gaps = gx.Study(leaderboard, alternatives="model", target="score", generalize_over="task", missing="complete")
    crowned, ranked = with_gaps.best(rank_incomplete=True), with_gaps.best()
    lost = len(with_gaps.alternatives) - len(with_gaps.ranking(tests=False))
    display(
        say(
            f"**What gaps do.** The whole leaderboard has {len(with_gaps.alternatives)} models, and most did not run everything. Ranked all the same, with guesses for what is missing, "
            f"{verbatim(crowned.best[0])} would lead, after {n_run[crowned.best[0]]} of {n} tasks, and {len(crowned.contenders)} models could be the best, many for want of a common "
            f"task. If the {lost} models with fewer than half of the tasks are listed without a rank, {verbatim(ranked.best[0])} leads, and {len(ranked.contenders)} can be the best."
        )
    )

# %% [markdown]
# ## What it costs to rely on the table
#
# Each experiment is left out once. The others choose a leader, and what it is worth on the one left out was never looked at. That is what you can expect
# of it elsewhere. A shortlist keeps the best few, tries them all on the new experiment, and keeps the best of them.

# %%
if len(found.regret):
    show_readable(
        found.regret,
        [
            ("of the first", "top"),
            ("places behind", "regret"),
            (f"behind in {score}", "score_regret"),
            ("ahead of the second", "lead"),
            ("one of the contenders", "of_contender"),
            ("one at random", "of_alternative"),
            ("worst on", "worst"),
        ],
        "regret",
        "What the best of the first 1, 2 or 3 loses against the best of all on an experiment that was left out, on average, in places; beside it what one "
        "drawn from the contenders, or from all, would lose; and the experiments where it loses most.",
        whole="regret.csv",
    )

# %% [markdown]
# ## The ranking, and how stable it is
#
# An alternative stands behind those that are significantly better, and before those that are significantly worse. Among the others its place is open.
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
        ("run in", "n_experiments"),
        ("position", ("position", "low", "high")),
        ("tier", "tier"),
    ],
    "ranking",
    "The best alternatives by mean rank (1 is best). On top: share of the experiments. In brackets: an interval of nominal confidence "
    f"{found.nominal} for each mean by itself, and the places that an alternative can have (all at once, level {level:g}).",
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

# %% [markdown] tags=["slide"]
# ## Would another study conclude the same?
#
# That is agreement: how far two studies of n new experiments each would conclude the same, here by mean ranks. Where an interval is wide, the table says nothing
# about it, and the contenders and the cost above carry the answer.

# %%
say("\n".join(f"- {verbatim(text)}" for text in found.agreement_in_words))

# %%
if len(found.agreement):
    page.show_figure(
        second_study.agreement_curves(found.agreement, observed=n),
        "agreement",
        f"How far two studies agree, by their size. The band (nominal {found.nominal}) holds every agreement of worlds in which a study would look like this one. A line "
        "is an estimate, drawn where it lies in the band.",
        alts.of_agreement(found),
    )

# %% [markdown]
# ## How many experiments are needed, by question and configuration

# %% [markdown]
# A question of its own: how many experiments make two studies find *similar shares* of winners, or of orders? It does not say who is best.

# %%
say(
    found.enough_in_words,
    f"n\\* is the number of experiments at which two independent studies have, with probability {as_written(alpha)} (α), distributions of results that differ by "
    f"{as_written(delta)} (δ) at most. There are enough if the whole interval of n\\* lies at or below the number of experiments at hand.",
    f"What differs, a kernel says: {'; '.join(f'{verbatim(kernel.name)} asks {verbatim(in_short.about(kernel))}' for kernel in found.kernels)}.",
)

# %%
if len(found.nstar):
    columns = [*by_question, ("experiments", "n_experiments"), ("n*", ("nstar", "low", "high"))]
    columns += [("verdict", "verdict"), ("still to run", "more")] + [("note", "note")] * bool(found.nstar["note"].any())
    show_readable(
        found.nstar,
        columns,
        "needs",
        f"n\\* with its interval of nominal confidence {found.nominal}, beside the number of experiments at hand.",
        whole="nstar.csv",
    )

if np.isfinite(found.nstar["nstar"]).any():
    page.show_figure(
        gx.plots.nstar_forest(found.nstar, [*study.design, "kernel"]),
        "needs",
        f"n\\* and its interval (nominal {found.nominal}); the black tick is what was run. Left of the tick there are enough.",
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
#
# Questions that have enough experiments by the estimate of n\* are not listed here.

# %%
if len(found.extend):
    columns = [*by_question, ("more experiments", ("more", "low_more", "high_more")), ("in all", "cumulative")]
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

# %% [markdown]
# ## Which pairs differ
#
# All pairs are compared at once, by mean ranks. The interval of a pair and its p-value come from the same test: the interval leaves out 0 where the pair differs.
#
# > Aside: A difference that is not significant may still be there: these experiments do not show it.

# %%
if len(found.tiers):
    ranks, p_values, _ = study.critical_difference(found.configuration, level, rank_incomplete=rank_incomplete)
    page.show_figure(
        comparisons.ranks_figure(ranks, p_values, level, found.tiers.set_index("alternative")["tier"]),
        "tiers",
        f"Mean ranks, and what the tests (all pairs at once, level {level:g}) cannot tell apart.",
        alts.of_tiers(found),
    )

# %%
if len(found.pairs):
    page.show_figure(
        comparisons.pairwise_matrix(found.pairs, level=level, higher_is_better=True),
        "pairs",
        f"By how many mean ranks the row is ahead of the column; framed cells are significant at the level {level:g}, all pairs at once. Details: [table](#table-pairs).",
        alts.of_pairs(found),
    )
    show_readable(
        found.pairs.sort_values("p_adjusted", kind="stable"),
        [
            ("one", "a"),
            ("another", "b"),
            ("ahead by ranks", ("estimate", "low", "high")),
            (f"difference of {score}", "mean_difference"),
            ("better", "better"),
            ("p", "p_adjusted"),
            ("probability of improvement", "probability_of_improvement"),
            ("in common", "n_common"),
        ],
        "pairs",
        "The clearest differences: by how many mean ranks the one is ahead of the other (negative: behind), with intervals and p-values for all pairs at once. The "
        "probability of improvement is the share of experiments in which the one is better, ties counting half.",
        most=12,
        whole="pairs.csv",
    )
    page.show_figure(
        figures.win_tie_loss(found.pairs),
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

# %% [markdown] tags=["course", "slide"]
# ## Summary
#
# - A table answers first who may be the best, and what it costs to rely on that; then which pairs differ, whether another study would draw the same conclusion (agreement), and how many experiments make results alike (n\*). No answer stands for another.
# - Read intervals before estimates: those of a gap, of a place, of an agreement, of n\*.
# - "Enough" is said of a question, of α and δ, and of experiments like these.
# - What is missing, averaged or related, and which direction is better, decides what comes out. The page says what was done; whether that is right, only somebody who knows the table can say.

# %% [markdown] tags=["course"]
# ## Exercises
#
# On reading such answers rightly. All are about tables that come with this project; their answers are the same whatever table the page above is about.

# %% [markdown] tags=["exercise", "slide"]
# ### 1. What may be written?
#
# *Understanding · 5 minutes.* On the leaderboard 7 of 183 models can be the best (95 % confidence). n\* of "who wins, and how often" is 31 (29 to 33), and 41 tasks were run. The probability that a second study of 41 tasks has the same winner
# by mean rank is between 0.10 and 1.00. Which sentence may be written? Assign its letter to `answer_1`.
#
# - a. "41 tasks are enough to know which model is best."
# - b. "The first model of the table is the best one."
# - c. "In another study of 41 tasks, about the same models would win tasks, about as often. Which of seven models is the best on average is open."
# - d. "Since the interval goes from 0.10 to 1.00, the method fails on this table, and nothing can be said about it."

# %% tags=["solution"]
answer_1 = "c"

# %% tags=["check"]
exercises.check(
    "09-1",
    answer_1,
    "kyimucsk5y6iuby",
    hint="Three numbers answer three questions. Which is about results, and which about the best?",
    wrong={
        "k3texqejgq7dt6q": "n\\* is about how often each model wins a task. It does not ask which one is best on average.",
        "k3wcp7hh7r2gcua": "It leads. Six others may be better, as far as these tasks can tell.",
        "kzt63gcv4rq5iwi": "A wide interval is an answer to one question. Who may be the best has a narrow one: 176 models are ruled out.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** n\* compares distributions of results: 33, the high end, is below 41, so the shares of tasks that the models win would be alike. n\* of this question is 30 to 35 for nearly every table (notebook 02 shows why), and says nothing about
# the best. That is for the contenders, and for the cost of choosing one of them.

# %% [markdown] tags=["exercise"]
# ### 2. In, and out
#
# *Application · 10 minutes.* Encoders of categories, our own runs: `of_encoders` is `gx.Study(gx.datasets.load_encoders("bundled"), alternatives="encoder", target="cv_score", generalize_over="dataset", fixed={"model": "LR",
# "tuning": "no", "scoring": "AUC"}, higher_is_better=True)`. How many of the 22 encoders may be the best, by `of_encoders.contenders()`? TE1 is one of them, RHE is not. Which sentence is right? Assign a list of the number and the letter to `answer_2`.
#
# - a. "TE1 is better than RHE."
# - b. "RHE is worse than every contender."
# - c. "Some encoder is significantly better than RHE, and none than TE1; which of the two is better is not decided."
# - d. "All contenders are equally good."

# %% tags=["solution"]
encoders = gx.datasets.load_encoders("bundled")
untuned = {"model": "LR", "tuning": "no", "scoring": "AUC"}
roles = {"alternatives": "encoder", "target": "cv_score", "generalize_over": "dataset", "fixed": untuned}
of_encoders = gx.Study(encoders, **roles, higher_is_better=True)
### BEGIN SOLUTION
answer_2 = [int(of_encoders.contenders()["may_be_best"].sum()), "c"]
### END SOLUTION

# %% tags=["check"]
exercises.check(
    "09-2",
    answer_2,
    "twrjce5mozlcdry",
    hint="A contender is compared with all others: is anybody better? Look the pair up in `of_encoders.pairs()`.",
    wrong={
        "tvoi5xyujjr5zey": "The number is right. But is the difference of the two significant?",
        "txn6qmwmjp3jfia": "The number is right. But it takes only one better encoder to leave the contenders.",
        "tu2wsrs3kuqlqna": "The number is right. But a difference that was not found may still be there.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** The mean ranks of TE1 and RHE are 9.57 and 9.89, and nothing tells them apart. Against the best of the others, TE1 has p = 0.053 and RHE has 0.040. "Significantly worse than somebody" and "not significantly worse" is no
# significant difference between the two. Nor are the eight equally good: WOEE may be up to 5.3 mean ranks behind the best.

# %% [markdown] tags=["exercise"]
# ### 3. How many more?
#
# *Application · 10 minutes.* The study of exercise 2 has 56 datasets. Somebody wants a stricter tolerance, δ = 0.02, at α = 0.95, for "who wins?", `gx.JaccardKernel(k=1)`. How many datasets are still to be run, by the estimate of n\*, by the low end of its
# interval and by the high end? A study has a whole number of datasets. Assign the three numbers as a list to `answer_3`.

# %% tags=["solution"]
strict = of_encoders.nstar(gx.JaccardKernel(k=1), 0.95, 0.02).iloc[0]
answer_3 = [int(np.ceil(strict[name])) - 56 for name in ("nstar", "low", "high")]

# %% tags=["check"]
exercises.check(
    "09-3",
    answer_3,
    "z3g2rc7phdf7cgy",
    hint="`of_encoders.nstar` takes the kernel, α and δ. 79.2 datasets are needed: how many is that?",
    wrong={"z26jijm2i5itu7i": "These are the datasets in all. Some of them were run already."},
)

# %% [markdown] tags=["explanation"]
# **Why.** n\* is 79.9 (76.3 to 83.1), and the smallest whole numbers that are not smaller are 80, 77 and 84. A plan takes the high end: with 28 more datasets the whole interval, as it is now, is covered. With δ = 0.05
# n\* is 32, and the same table has enough. So "enough" is no property of a table: say for which question, α and δ.

# %% [markdown] tags=["exercise"]
# ### 4. The wrong direction
#
# *Application · 10 minutes.* By mistake the study of exercise 2 is made with `higher_is_better=False`. Which of these stay what they were? Assign a set of letters to `answer_4`.
#
# - a. which encoder has the best mean rank
# - b. n\* of "who wins?", `gx.JaccardKernel(k=1)`
# - c. n\* of "in which order?", `gx.MallowsKernel()`
# - d. the adjusted p-values of all pairs

# %% tags=["solution"]
mistaken = gx.Study(encoders, **roles, higher_is_better=False)


def answers_of(one):
    """First by mean rank, both n*, and all p-values in order of size."""
    kernels = [gx.JaccardKernel(k=1), gx.MallowsKernel()]
    return [one.rankings().mean().idxmin(), *one.nstar(kernels, 0.95, 0.05)["nstar"], sorted(one.pairs()["p_adjusted"])]


(first_a, *numbers), (first_b, *others) = answers_of(of_encoders), answers_of(mistaken)
same = [first_a == first_b, *(np.allclose(x, y) for x, y in zip(numbers, others, strict=True))]
answer_4 = {letter for letter, stays in zip("abcd", same, strict=True) if stays}

# %% tags=["check"]
exercises.check(
    "09-4",
    answer_4,
    "4pe577ujfym3mda",
    hint="What does a kernel compare: the first places of two experiments, or all pairs? Make the mistaken study, and look.",
    wrong={
        "4ntnrsm2b5bqdza": "The first places of the mistaken study are the last places of the right one. Do experiments agree on the last as they do on the first?",
        "4prcwktghfs5zqa": "Then the direction would not matter at all: who has the best mean rank in the mistaken study?",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** If every ranking is turned around, each pair of alternatives is still ordered alike or not alike in two experiments: the Mallows kernel sees no difference. Two-sided p-values do not, either. So a wrong direction leaves much of a
# report as it was, significant differences included, and turns its conclusion around: DE would win, which is last. No number of the page gives the mistake away. That is why the direction must be said, and is printed on each page.

# %% [markdown] tags=["exercise"]
# ### 5. 560 experiments
#
# *Application · 15 minutes.* In `gx.datasets.load_replicates()` each of 56 datasets was split anew ten times. One study averages over the splits (`generalize_over="dataset", average_over="split"`), another one counts every split as an experiment
# (`generalize_over=["dataset", "split"]`). Alternatives are the encoders, the target is `score`, higher is better, and the model is LR. How many of the 28 pairs are significant at the level 0.05, by `pairs()`, in the first and in the second? Assign both numbers as a list to
# `answer_5`. Which of them may a paper report?

# %% tags=["solution"]
replicates = gx.datasets.load_replicates()
roles_5 = {"alternatives": "encoder", "target": "score", "fixed": {"model": "LR"}, "higher_is_better": True}
of_datasets = gx.Study(replicates, **roles_5, generalize_over="dataset", average_over="split")
with warnings.catch_warnings(action="ignore", category=gx.StudyWarning):  # splits as experiments: the package objects
    of_splits = gx.Study(replicates, **roles_5, generalize_over=["dataset", "split"])
answer_5 = [int((one.pairs()["p_adjusted"] < 0.05).sum()) for one in (of_datasets, of_splits)]

# %% tags=["check"]
exercises.check(
    "09-5",
    answer_5,
    "tp2pprgdjjy2uqa",
    hint='Both studies take `fixed={"model": "LR"}`. The column to compare with the level is `p_adjusted`.',
    wrong={"tptoqidjhfnnpua": "The other way round: ten times the experiments make p-values smaller, or seem to."},
)

# %% [markdown] tags=["explanation"]
# **Why.** The second study takes 560 related evaluations for 560 independent experiments. Ten more pairs become significant, without one more dataset; the package warns of it. A reader has other datasets, not other splits of these; so the dataset is the experiment, and
# the splits are averaged. Strictly, even that counts too much: the 56 datasets were cut from 23 tables, and `cluster="table"` counts these. Notebook 06 has the same mistake with folds, and notebook 10 says what splits are worth.

# %% [markdown] tags=["exercise"]
# ### 6. A paragraph of results
#
# *Project · 40 minutes.* `gx.datasets.load_bigbench("bundled")` has few-shot classifiers (`model_family_model_name`) with a `score_value`, higher is better, in the subtasks (`subtask_description`) of tasks (`task_name`). With `missing="worst-rank"`, take the task
# wine_features with 5 solved examples (`number_of_shots`), and the task docstrings with 2. For each, find the low end of the interval for the probability that another study of as many subtasks names the same winner by mean rank, `study.agreement("winner", n, rng=0)`.
# Assign both as a list to `answer_6`, to two decimals. Then make a report on each, or on a table of your own, with `genexpy-nb study` or `gx.report(study, "mine.html")`, and write the paragraph of results: who leads, from whom that can be told, what another study would say. Let somebody
# else mark every sentence as "the page says so" or "it does not".

# %% tags=["solution"]
fewshot = gx.datasets.load_bigbench("bundled")
roles_6 = {"alternatives": "model_family_model_name", "target": "score_value", "generalize_over": "subtask_description"}
answer_6 = []
for task, shots in (("wine_features", 5), ("docstrings", 2)):
    held = {"task_name": task, "number_of_shots": shots}
    of_task = gx.Study(fewshot, **roles_6, fixed=held, higher_is_better=True, missing="worst-rank")
    answer_6.append(of_task.agreement("winner", len(of_task.rankings()), rng=0)["low"].iloc[0])

# %% tags=["check"]
exercises.check(
    "09-6",
    answer_6,
    "2hghkkbhbekzqttqke",
    decimals=2,
    hint='Task and shots are held constant: `fixed={"task_name": ..., "number_of_shots": ...}`. `len(study.rankings())` is the number of subtasks at hand.',
)

# %% [markdown] tags=["explanation"]
# **Why.** For wine_features the low end is 0.93: the winner, a quadratic discriminant, is the only contender and may be named, for this task and 5 examples. For docstrings it is 0.14: eight classifiers may be the best, and the paragraph should name them. Both have
# enough subtasks by n\*. Which sentence a table supports is not seen from its size.

# %% [markdown]
# ## Further reading
#
# - [Matteucci et al., 2025, *Generalizability of Experimental Studies*](https://arxiv.org/abs/2406.17374v3): what n\* is, and the questions that the kernels
#   stand for.
# - [Hsu, 1984, *Constrained Simultaneous Confidence Intervals for Multiple Comparisons with the Best*](https://doi.org/10.1214/aos/1176346732): who may be the best, and by how much.
# - [Demšar, 2006, *Statistical Comparisons of Classifiers over Multiple Data Sets*](https://jmlr.org/papers/v7/demsar06a.html): how to test over many
#   datasets, Wilcoxon's test for a pair among them.
# - [Mogstad et al., 2024, *Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across
#   Countries*](https://doi.org/10.1093/restud/rdad006): what can be said about positions in a ranking.
