# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["slide"]
# # Start here: one comparison, five papers
#
# *Ten minutes through everything that the other notebooks do, on one question: does target encoding beat one-hot encoding?*
#
# An experimental study compares methods on some datasets and concludes. This toolkit asks what the conclusion is worth beyond the experiments
# that were run. Would other datasets show the same, and how many does it take? Is a difference more than chance, and chance of what? Where does a model
# break? What does a method change in systems that nobody has built yet? Five papers ask these questions, each with words of its own. Here each of them
# looks at the same comparison, and each sees something that the others do not.
#
# **You will learn** which question each paper answers, and what it says about one comparison; which notebook, function and command belongs to your own
# question; what the words mean, and which of them mean something else in another paper.
#
# **You need** to know what a mean, a p-value and cross-validation are. No other notebook.
#
# **Time** 10 minutes to read, 30 with the exercises. The tables after *Side by side* are for looking things up, and not counted.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
source: str = "auto"  # results table: original (published), bundled (this project's own runs), or auto
alpha: float = 0.95  # generalizability wanted: probability that two studies agree, in (0, 1)
delta: float = 0.05  # tolerance: how different results may be and still agree, in (0, 1]
level: float = 0.05  # level of the tests, in (0, 1)
confidence: float = 0.95  # of the intervals, in (0, 1)
n_bands: int = 4  # parts into which the axis of difficulty is cut, 2 to 8
chapters: list[str] = [
    "01_formalization.ipynb",
    "02_encoders.ipynb",
    "03_bigbench.ipynb",
    "04_preliminary_experiments.ipynb",
    "05_significance_toy.ipynb",
    "06_deterministic_protocol.ipynb",
    "07_tradeoff_point.ipynb",
    "08_causal_ate.ipynb",
    "09_your_study.ipynb",
    "10_second_study.ipynb",
    "11_methods.ipynb",
]  # notebooks that the map shows, and whose recorded numbers are quoted
glossary: str = "glossary.yaml"  # words and what they mean
seed: int = 0  # seed of everything random

# %% [markdown]
# ## Setup

# %%
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import shared as summaries
from genexpy_nb.chapters import start_here as chapter
from genexpy_nb.common import exercises, page
from genexpy_nb.common.checks import check_count
from genexpy_nb.common.page_tables import written_number
from genexpy_nb.common.prose import as_written, percent, say
from genexpy_nb.datasets.tasks import load_tasks
from genexpy_nb.reporting.pairing import find_root
from genexpy_nb.reporting.references import chapter_map, read_abbreviations, read_chapters, read_glossary

gx.plots.use_style()
folder = find_root(Path.cwd()) / "notebooks"
recorded = {each.number: each for each in read_chapters(folder, chapters)}


def signed(value, digits=3):
    return f"{value:+.{digits}f}".replace("-", "−")


def with_interval(row):
    return f"{signed(row['estimate'])} ({signed(row['low'])} to {signed(row['high'])})"


# %% [markdown]
# ## One question, two tables
#
# *Target encoding* (TE) replaces a category by the mean target of its rows, *one-hot encoding* (OHE) by a column of its own. Two benchmarks hold the
# scores of both: a published one, and this project's own runs. In each, a dataset has one number: TE minus OHE, averaged over models, tunings and metrics.

# %%
results = gx.datasets.load_encoders(source)
gx.datasets.notice(results)

# %%
original = results.attrs["source"] == "original"
ours = gx.datasets.load_encoders("bundled")
tables = {"the published benchmark": results, "our own runs": ours} if original else {"our own runs": ours}
design = ["model", "tuning", "scoring"]
roles = {"alternatives": "encoder", "target": "cv_score", "condition": "dataset", "design": design}
scores = {name: summaries.side_by_side(table, ["TE", "OHE"], **roles) for name, table in tables.items()}
differences = {name: pair["TE"] - pair["OHE"] for name, pair in scores.items()}
compared = summaries.compare_on_tables(
    tables, "TE", "OHE", **roles, higher_is_better=True, confidence=confidence, rng=seed
)

# %% tags=["hero", "slide"]
page.show_figure(
    chapter.differences_on_tables(differences, compared, ("TE", "OHE")),
    "two-tables",
    f"TE minus OHE, one point per dataset (heights only keep them apart). The diamond is the mean, the bar its interval of nominal {percent(confidence)}.",
    "; ".join(f"On {name}, TE minus OHE is {with_interval(row)} over {row['n_conditions']:.0f} datasets" for name, row in compared.iterrows()) + ".",
)  # fmt: skip

# %%
elsewhere = recorded["08"].numbers["effect-encoder"]
contradiction = original and bool(compared["estimate"].prod() < 0 and (compared["low"] * compared["high"] > 0).all())
say(
    "Both intervals leave zero out, on opposite sides: the two benchmarks contradict each other. [Notebook 02](02_encoders.ipynb) looks for the reason."
    if contradiction
    else f"From the published table, notebook 08 recorded an average effect of {signed(elsewhere.value)}, the opposite of what our own runs say.",
    "Here we ask what each paper would have told us, had we seen one table only.",
)

# %% [markdown]
# ## Five papers look at it
#
# ### The formal model: what is an experiment?
#
# *Generalizability of Experimental Studies, first version.* The alternatives are TE and OHE. What the conclusion should hold for beyond what was run, the datasets,
# is the *generalizability factor*. Models, tunings and metrics are averaged out here; notebook 02 takes them as *design factors* instead. An experiment
# is one dataset, and its result a ranking. The question is a *kernel*: "who wins?" compares the sets of winners (Jaccard), "where does TE rank?"
# compares its position (Borda). Two studies *agree* if their distributions of results are close; the tolerance δ says how close. The probability
# that they do is the generalizability of the study.

# %%
studies = {name: gx.Study.from_wide(pair, higher_is_better=True) for name, pair in scores.items()}
kernels = [gx.JaccardKernel(k=1), gx.BordaKernel("TE")]
winner = kernels[0]
halves = {
    name: gx.generalizability(winner.gram(study.rankings()), len(pair) // 2, winner.epsilon(delta, 2), rng=seed)
    for (name, study), pair in zip(studies.items(), scores.values(), strict=True)
}
say(
    *(
        f"On {name}, TE wins on {percent((differences[name] > 0).mean())} of the {len(pair)} datasets. Two disjoint halves of {len(pair) // 2} have, "
        f"within δ = {as_written(delta)}, similar shares of winners in {percent(halves[name])} of 1,000 draws."
        for name, pair in scores.items()
    )
)

# %% [markdown]
# ### n\*: how many datasets does it take?
#
# *The second version* estimates the number of experiments, n\*, at which two studies agree with probability α; the toolkit adds an interval.

# %%
needed = {name: gx.plan(study.nstar(kernels, alpha, delta, confidence=confidence)) for name, study in studies.items()}
needed = pd.concat(needed, names=["table"]).reset_index("table").set_index(["table", "kernel"])
page.show_table(
    needed[["n_experiments", "nstar", "low", "high", "verdict"]],
    "needed",
    f"Datasets until two studies agree with probability α = {as_written(alpha)} within δ = {as_written(delta)}, with intervals of nominal {percent(confidence)}.",
    {"n_experiments": "datasets at hand", "nstar": "n*", "low": "interval from", "high": "to"},
    dict.fromkeys(["nstar", "low", "high"], 1),
)

# %%
of_winner = needed.xs(winner.name, level="kernel")
say(
    "Enough means: another study *that draws the same kind of datasets and keeps everything else* finds a similar distribution of winners. It does not mean that the answer is right: "
    "two tables can both be large enough, and name different winners."
)

# %% [markdown]
# ### Significant, and in which family?
#
# *Appendix A of the second version* sets significance beside generalizability. Wilcoxon's test asks whether the differences are symmetric around zero. Who
# picks one pair out of a table of encoders has looked at all pairs, and Holm's correction pays for that.

# %%
named, pairs = {"alternatives": "encoder", "target": "cv_score"}, {}
for name, table in tables.items():
    with warnings.catch_warnings(action="ignore", category=gx.StudyWarning):  # missing scores: the worst rank
        whole = gx.Study(table, **named, generalize_over="dataset", average_over=design, missing="worst-rank")
        of_all = gx.significance.compare_pairs(whole.scores(impute=True), higher_is_better=True)
    pairs[name] = of_all[of_all[["a", "b"]].isin(["TE", "OHE"]).all(axis=1)].iloc[0].to_dict()
    pairs[name]["n_pairs"] = len(of_all)
tests = pd.DataFrame(pairs).T
say(
    *(
        f"On {name} the pair alone has p = {written_number(row['p'], 3)}. Among all {row['n_pairs']} pairs of encoders, it has p = {written_number(row['p_adjusted'], 3)} "
        f"after Holm's correction, {'above' if row['p_adjusted'] >= level else 'below'} the level {as_written(level)}."
        for name, row in tests.iterrows()
    ),
    "An interval of one pair that was chosen beforehand can leave zero out where a correction for all pairs finds nothing. These are two questions.",
    "A p-value speaks of datasets of one kind, all of them together. It does not say that TE or OHE wins on the next dataset, nor that another benchmark agrees; and no significance is not equality.",
)

# %% [markdown]
# ### Folds are not datasets
#
# *A Deterministic Protocol for Reliable Model Comparison in ML* fixes splits, seeds and flags, and tests over folds of one dataset. Our own runs have the means
# to see what such a test claims: ten random splits of each dataset, for each model. Wilcoxon's test takes the ten for independent, though they share
# training data; the corrected t-test of Nadeau and Bengio does not.

# %%
runs = gx.datasets.load_replicates()
wide = runs[runs["encoder"].isin(["TE", "OHE"])].pivot(
    index=["dataset", "model", "split"], columns="encoder", values="score"
)
by_split = (wide["TE"] - wide["OHE"]).unstack("split")
winners = by_split.to_numpy()
found = {
    "Wilcoxon": gx.significance.wilcoxon_pratt(winners) < level,
    "corrected": np.array([gx.protocol.nadeau_bengio(row, test_share=0.3).p for row in winners]) < level,
}
against = winners.mean(axis=1) * winners.mean() < 0
shares = {name: percent(has.mean()) for name, has in found.items()}
say(
    f"Of the {len(winners)} combinations of dataset and model, {shares['Wilcoxon']} have a winner by Wilcoxon's test over the ten splits, and {shares['corrected']} by the corrected test, "
    f"both at the level {as_written(level)}. Of Wilcoxon's winners, {percent(against[found['Wilcoxon']].mean())} are not the one that wins on average over all datasets: "
    "a winner on one dataset is a statement about that dataset.",
)

# %% [markdown]
# ### Where along the axis?
#
# *A practical generalization metric for deep networks benchmarking* does not average over conditions. It asks up to which noise, and which share of unseen
# classes, the error of a model stays low. Our tables have no noise to turn up, so this is an analogy, no application: the axis here is the number of categories
# in the widest column of a dataset. One-hot encoding makes a column of each.

# %%
widest = pd.Series(
    {name: max(task.X[column].nunique() for column in task.categorical) for name, task in load_tasks().items()}
)
bands = pd.qcut(widest.rank(method="first"), check_count("n_bands", n_bands, 2, 8), labels=False)
parts = {f"{part.min()} to {part.max()}": part.index for _, part in widest.groupby(bands)}
along = summaries.compare_on_tables(
    {name: ours[ours["dataset"].isin(part)] for name, part in parts.items()}, "TE", "OHE", **roles, higher_is_better=True, confidence=confidence, rng=seed
)  # fmt: skip
say(
    f"With more and more categories, TE minus OHE is {'; '.join(f'{with_interval(row)} from {band}' for band, row in along.iterrows())}. "
    "What distinguishes the two tables is the same within each of these parts: "
    "[notebook 02](02_encoders.ipynb) tries one of these axes, which columns are scaled. A mean over conditions hides such an axis, and so does a mean along another one.",
)

# %% [markdown]
# ### The effect in a population of systems
#
# *Drawing Causal Inferences About Performance Effects in NLP* takes a method for a treatment, and systems for the patients. A system here is a dataset, model,
# tuning and metric. Its individual effect is its own TE minus OHE; the average over the population is the *average treatment effect*. Each system counts
# once, so a dataset with more systems weighs more than in the mean over datasets above.

# %%
treated = {
    name: gx.causal.from_results(table, "encoder", "TE", "OHE", ["dataset", *design], ["cv_score"])
    for name, table in tables.items()
}
effects = {
    name: gx.causal.average_treatment_effect(each, cluster="dataset", confidence=confidence, rng=seed)
    for name, each in treated.items()
}
spreads = {name: gx.causal.heterogeneity(each) for name, each in treated.items()}
say(
    *(
        f"On {name} the average effect is {signed(effect.estimate)} ({signed(effect.low)} to {signed(effect.high)}) over {effect.n_used:,} systems. "
        f"In {percent(spreads[name].share_opposite)} of them the effect has the other sign."
        for name, effect in effects.items()
    ),
    "The average may be used to choose a default. It is no promise to the one system that you build.",
)

# %% [markdown]
# ### Side by side
#
# > Aside: The last row is ours, and in no paper: whether a second study would crown the same winner by mean rank (notebook 10).

# %%
second = {
    name: study.agreement("winner", n=len(scores[name]), confidence=confidence).iloc[0]
    for name, study in studies.items()
}
readings = {}
for name in tables:
    row, few, again, own = of_winner.loc[name], tests.loc[name], second[name], name == "our own runs"
    readings[name] = {
        "mean difference": with_interval(compared.loc[name]),
        "formal model: TE wins on": f"{percent((differences[name] > 0).mean())} of {len(scores[name])} datasets",
        "n* for the winner": f"{row['nstar']:.0f} ({row['low']:.0f} to {row['high']:.0f}); {row['n_experiments']:.0f} at hand",
        "Wilcoxon's test: alone, and with Holm": f"p = {written_number(few['p'], 3)}, {written_number(few['p_adjusted'], 3)}",
        "protocol: single datasets with a winner": f"{shares['Wilcoxon']}; corrected {shares['corrected']}"
        if own
        else "–",
        "trade-off: along the number of categories": f"{signed(along['estimate'].min())} to {signed(along['estimate'].max())}"
        if own
        else "–",
        "causal: systems with the other sign": f"{percent(spreads[name].share_opposite)} of {effects[name].n_used:,}",
        "second study: same winner": f"{again['estimate']:.2f} ({again['low']:.2f} to {again['high']:.2f})",
    }

# %% tags=["slide"]
page.show_table(
    pd.DataFrame(readings).rename_axis("asked"),
    "readings",
    f"One comparison, as each paper reads it. Intervals have nominal {percent(confidence)}. Of the published benchmark only averages are known (–).",
    {"asked": "TE against OHE"},
)

# %% [markdown]
# No row makes the others unnecessary, and none can see what a benchmark holds constant. So the first thing to write down is what varies, what is averaged, and what is held constant. The second is the question. The number comes third.

# %% [markdown]
# ## Where to go
#
# Find what you have and what you want to know. δ is the tolerance of the question, N the number of experiments at hand; where the last column names no test,
# the answer is an estimate with an interval, and needs none.
#
# | I have … and want to know … | read | call | kernel and δ | N, and test |
# |---|---|---|---|---|
# | a file with results, and no idea where to begin | [09](09_your_study.ipynb) | `genexpy-nb study results.csv` | chosen: winners and order, δ = .05 | from 4; Wilcoxon with Holm |
# | a benchmark, and whether other datasets have similar shares of winners | [02](02_encoders.ipynb) | `gx.Study`, `study.nstar` | `gx.JaccardKernel`: distance of the sets of winners | from 4 |
# | the same, about the rank of my method, the whole order, or the scores themselves | [02](02_encoders.ipynb), [03](03_bigbench.ipynb) | `study.nstar` | `gx.BordaKernel`: share of positions; `gx.MallowsKernel`: share of pairs; `gx.RBFKernel`: mean squared difference | from 4 |
# | too few experiments, and a budget | [09](09_your_study.ipynb) | `gx.plan`, `gx.answers` | as asked | from 4 |
# | experiments that come one by one, and when to stop | [04](04_preliminary_experiments.ipynb) | `gx.run_generalizable_study` | as asked | from 4 |
# | a winner, and whether another study crowns the same one | [10](10_second_study.ipynb) | `study.agreement`, `study.experiments_for` | none: a conclusion, not a distribution | from 5 |
# | datasets *and* models (prompts, judges) that could be others | [10](10_second_study.ipynb) | `study.components` | as asked | several levels of each factor |
# | tasks cut from the same tables | [10](10_second_study.ipynb) | `study.design_effect` | as asked | from 3 groups |
# | a leaderboard as a matrix, with gaps | [09](09_your_study.ipynb) | `genexpy-nb study leaderboard.csv --wide` | chosen | Wilcoxon with Holm |
# | two methods on many datasets, and whether one is better | [05](05_significance_toy.ipynb) | `gx.significance.compare_pairs` | none | from 6, or no p-value is below .05; Wilcoxon with Holm |
# | no significant difference, and whether it is equality | [05](05_significance_toy.ipynb) | `gx.significance.equivalent_pairs` | none; say first which difference matters | two one-sided tests |
# | a mean of few datasets, and which interval to trust | [05](05_significance_toy.ipynb) | `gx.significance.interval_advice` | none | coverage was measured from 3 to 100 |
# | a pilot, and how many datasets a test takes | [05](05_significance_toy.ipynb) | `gx.significance.plan_comparison` | none | from the pilot |
# | models on one dataset, with folds and seeds | [06](06_deterministic_protocol.ipynb) | `gx.protocol.preregister`, `gx.protocol.run_trials`, `gx.protocol.compare` | none | all folds; corrected t-test |
# | an ablation, and whether the part helps in general | [08](08_causal_ate.ipynb) | `gx.causal.run_paired`, `gx.causal.average_treatment_effect` | none | systems drawn at random; paired t-test |
# | a benchmark, and the effect of one of its factors | [08](08_causal_ate.ipynb) | `gx.causal.from_results`, `gx.causal.heterogeneity` | none | datasets as clusters; t-test |
# | an effect, and how many systems to build | [08](08_causal_ate.ipynb) | `gx.causal.plan_systems` | none | from a pilot |
# | deep networks under noise and unseen classes | [07](07_tradeoff_point.ipynb) | `gx.tradeoff.tradeoff_point`, `genexpy-nb render tradeoff -p results=mine.csv` | none | a full grid of cells, several seeds |
# | a complexity measure, and whether it orders models | [07](07_tradeoff_point.ipynb) | `gx.tradeoff.sign_error_table` | none | from 5 sizes of models; exact band of chance |
# | doubts about a formula | [11](11_methods.ipynb) | `gx.generalization.closed_form`, `gx.generalization.bound`, `gx.generalization.definition` | all | any |
# | students | [01](01_formalization.ipynb), [05](05_significance_toy.ipynb) | `genexpy-nb lessons` | – | – |

# %% [markdown]
# ## A map of the notebooks
#
# Each notebook stands alone but for what its "You need" asks. 01 has the definitions, 09 is for your own table, 11 derives the formulas.

# %%
page.show_table(
    chapter_map(recorded.values()).set_index("notebook"),
    "map",
    "What the notebooks ask of a reader, as they say it themselves: minutes to read, and with the exercises.",
    {"need": "you need", "reading": "minutes to read", "with_exercises": "with exercises"},
)

# %% [markdown]
# ## What goes wrong in published studies
#
# Habits that one of the five papers warns of, or has. Each number was computed in the notebook beside it, when that was last executed.


# %%
def of(chapter, name):
    return recorded[chapter].numbers[name]


def share(chapter, name, unit=1):
    return percent(of(chapter, name).value / unit)


wrong = [
    ("compare two methods on one benchmark", f"TE minus OHE is {signed(of('02', 'difference').value)} on one, {signed(elsewhere.value)} on another", "02, 08"),
    ("report one random draw as a property of the data", f"printed: {of('02', 'lr-full-f1-v2').published:.0f} datasets and {of('03', 'conlang-translation-0-v2').published:.0f} subtasks; from all experiments {of('02', 'lr-full-f1-v2').as_text} and {of('03', 'conlang-translation-0-v2').as_text}", "02, 03"),
    ("take agreement of all experiments for proof", f"after {of('03', 'arithmetic-subtasks').value:.0f} experiments with one winner, another may still win {share('03', 'unseen')} of all; it takes {of('03', 'to-exclude').value:.0f} to exclude that n* is more than 1", "03"),
    ("expect significance to repeat", f"{share('05', 'contradicting')} of the samples with a significant winner contradict the others; significance explains {share('05', 'explained-significance')} of the variance of generalizability", "05"),
    ("take no difference for equality", f"of {of('05', 'not-different').value:.0f} pairs without a significant difference, {of('05', 'equivalent').value:.0f} were shown to be equivalent", "05"),
    ("compare mean ranks of all", f"a false difference in {share('05', 'false-differences-conover')} of the simulated tables; pair by pair (Wilcoxon, Holm) in {share('05', 'false-differences-wilcoxon')}", "05"),
    ("let the higher score of one trial win", f"a false winner among equal models in {share('06', 'false-winners-single-seed', 100)} of the studies", "06"),
    ("test over folds as if they were independent", f"a false winner in {share('06', 'false-winners-protocol', 100)} of the studies, with the corrected test in {share('06', 'false-winners-corrected', 100)}", "06"),
    ("bootstrap folds", f"{share('06', 'missed-bca', 100)} of the intervals of nominal 95 % miss the difference", "06"),
    ("condense a family of models into one point", f"the weights move it by {of('07', 'reach-weights').value:.2f} in SSIM, the choice of family by {of('07', 'reach-families').value:.2f}", "07"),
    ("count sign-errors above one half", f"{share('07', 'signs-chance')} of the comparisons cannot be told from chance", "07"),
    ("show a method's worth in one system", f"in {share('08', 'one-system')} of the systems, on one split, the sign is wrong or the effect zero", "08"),
    ("bootstrap one test set", f"{share('08', 'false-positive')} of the tests at 5 % reject what is true", "08"),
    ("take enough experiments for a safe winner", f"a leaderboard needs {of('10', 'nstar-winners').value:.0f} tasks for its distribution of winners, and {of('10', 'mteb-contenders').value:.0f} models can still be the best overall", "10"),
    ("count datasets only, with one prompt", f"the promised agreement is {of('10', 'prompts-claimed').value:.2f}, the true one {of('10', 'prompts-truth').value:.2f}", "10"),
]  # fmt: skip
page.show_table(
    pd.DataFrame(wrong, columns=["people", "what the notebooks computed", "in notebook"]).set_index("people"),
    "wrong",
    "What people do, and what becomes of it. Shares of studies and tests are of simulated ones, whose truth is known.",
    {"people": "people …"},
)

# %% [markdown]
# ## Say what was found, and no more
#
# Pages, summaries and notebooks of this project say their verdicts in one language. [Table](#table-verdicts) has its sentences, what is often written
# instead, and a case in which that is false; N, A, B, p and x stand for what a page puts in. Nearly all cases are small, invented worlds, and their numbers
# are computed here.

# %%
page.show_table(
    chapter.wrong_sentences(rng=seed)[["right", "wrong", "case", "notebook"]].set_index("right"),
    "verdicts",
    "What may be said, what is often said instead, and where that is false.",
    {"right": "what was found", "wrong": "what is often written", "case": "a case in which that is false"},
)

# %% [markdown]
# ## Words
#
# Papers from different fields use one word for several things, and several words for one. Here each has one meaning. What abbreviations stand for is said below the table.

# %%
words = [
    (each.term, each.symbol or "–", each.meaning, each.notebook, "; ".join(f"{paper}: {word}" for paper, word in each.elsewhere.items()) or "–")
    for each in read_glossary(folder / glossary)
]  # fmt: skip
page.show_table(
    pd.DataFrame(words, columns=["word", "symbol", "meaning", "notebook", "elsewhere"]).set_index("word"),
    "words",
    "The words of the notebooks; which notebook introduces each; and what the papers on generalizability, the protocol, the trade-off point and causal effects call it.",
)
say("; ".join(f"{short}: {meaning}" for short, meaning in read_abbreviations(folder)["all"].items()) + ".")

# %% [markdown]
# ## The answer in short

# %%
own = compared.loc["our own runs"]
ends = ["estimate", "low", "high"]
for name, key, where in (
    ("our own runs", "own", "own runs"),
    ("the published benchmark", "published", "published benchmark"),
)[: len(tables)]:
    page.key_number(f"difference-{key}", f"TE minus OHE, {where}", *compared.loc[name, ends], decimals=3)
    numbers = of_winner.loc[name, ["nstar", "low", "high"]]
    page.key_number(f"nstar-{key}", f"n* for the winner, {where}", *numbers, unit="datasets")
label = "share of datasets and models with a winner, "
page.key_number("winners-wilcoxon", label + "Wilcoxon over splits", found["Wilcoxon"].mean(), decimals=2)
page.key_number("winners-corrected", label + "corrected test", found["corrected"].mean(), decimals=2)
label = "share of systems with the opposite effect, own runs"
page.key_number("opposite-own", label, spreads["our own runs"].share_opposite, decimals=2)
page.show_key_numbers()

# %% tags=["findings", "slide"]
each_of = [compared.loc[name] for name in tables]
page.show_findings(
    page.Finding(
        " and ".join(signed(row["estimate"]) for row in each_of),
        f"is what target encoding scores more than one-hot encoding, on {' and on '.join(tables)}" + ": the two contradict each other" * contradiction,
        " · ".join(f"{signed(row['low'])} to {signed(row['high'])}" for row in each_of) + f" · nominal {percent(confidence)}",
    ),
    page.Finding(
        " and ".join(f"{row['nstar']:.0f}" for _, row in of_winner.iterrows()),
        "datasets until two studies agree on *who wins*; at hand are " + " and ".join(f"{row['n_experiments']:.0f}" for _, row in of_winner.iterrows()),
        " · ".join(f"{row['low']:.0f} to {row['high']:.0f}" for _, row in of_winner.iterrows()) + f" · nominal {percent(confidence)}",
    ),
    page.Finding(
        f"{shares['Wilcoxon']} → {shares['corrected']}",
        "of the comparisons on one dataset have a winner if ten splits count as independent, and by the test that knows that they share training data",
        f"{len(winners)} datasets and models · level {as_written(level)}",
    ),
)  # fmt: skip

# %% [markdown]
# ## Checks

# %%
assert own["estimate"] > 0 > elsewhere.high  # which is what the text calls opposite
assert not original or contradiction or confidence > 0.95
assert found["corrected"].sum() < found["Wilcoxon"].sum()
assert len(by_split.columns) == 10 and by_split.notna().all(axis=None)
assert all((row["low"] <= row["nstar"] <= row["high"]) for _, row in of_winner.iterrows())
assert {name[:2] for name in chapters} == set(recorded)

# %% [markdown]
# ## Summary
#
# - Say what varies, what is averaged and what is held constant; then the question; then the number.
# - A large study is sure of what *its* kind of experiments shows. What all its experiments share, it cannot see.
# - Folds, splits, systems and datasets are different things to be sure about. Test over what the conclusion is about.
# - An average over systems, a winner over datasets and a significant difference are three claims, and each needs its own evidence.

# %% [markdown]
# ## Exercises
#
# About what the numbers above do and do not say.

# %% [markdown] tags=["exercise", "slide"]
# ### 1. What "enough" is enough for
#
# *Understanding · 5 minutes.* A benchmark of 49 datasets has n\* = 30 for the question "who wins?", with the interval 21 to 40 (α = .95, δ = .05). Which sentence follows?
#
# - (a) A benchmark with other preprocessing will name the same winner.
# - (b) With probability .95 or more, a second study of 49 such datasets finds a similar distribution of winners over its datasets.
# - (c) With probability .95, the overall winner also wins on the next dataset.
# - (d) The overall winner is significantly better than the others.
#
# Assign the letter to `answer_1`.

# %% tags=["solution"]
answer_1 = "b"

# %% tags=["check"]
exercises.check(
    "00-1",
    answer_1,
    "j6jwtuvcjbqb66a",
    hint="n* compares distributions of results of two studies that draw the same kind of experiments.",
    wrong={
        "j5eh3izm4oafgka": "What all datasets share, such as the preprocessing, is held constant. No number of them says anything about it.",
        "j5yblmnfmczum6i": "On the published table OHE has the higher score on about three datasets in four, and n* is 30 all the same: n* is about shares of winners, not about one dataset.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** n\* is defined by two studies of n experiments, both drawn from one distribution. Then their distributions of results differ by at most δ, in the units of the
# question. (a) leaves that distribution, (c) speaks of a single experiment, (d) of the mean, which may be far from zero or not whatever n\* is. The two tables of this
# notebook are the counter-example to (a).

# %% [markdown] tags=["exercise"]
# ### 2. How many tables are these tasks?
#
# *Application · 10 minutes.* Our own 56 datasets are cut from fewer tables: the name of a dataset begins with that of its table, before the colon. Load the runs with
# `gx.datasets.load_encoders("bundled")` and count each *table* once, by the mean of TE minus OHE over its datasets (each the mean over models, tunings and metrics). On
# how many tables is OHE ahead? Assign the number of tables, and the number on which OHE is ahead, as a tuple of two whole numbers to `answer_2`.

# %% tags=["solution"]
own_rows = gx.datasets.load_encoders("bundled")
own_rows = own_rows[own_rows["encoder"].isin(["TE", "OHE"])]
by_dataset = own_rows.groupby(["dataset", "encoder"])["cv_score"].mean().unstack()
by_table = (by_dataset["TE"] - by_dataset["OHE"]).groupby(by_dataset.index.str.split(":").str[0]).mean()
answer_2 = (len(by_table), int((by_table < 0).sum()))

# %% tags=["check"]
exercises.check(
    "00-2",
    answer_2,
    "w4ouhy3bo37pbfq",
    hint="One mean per table, then count their signs. No score is missing for these two encoders.",
    wrong={
        "w567eyx3q6bbepy": "These are datasets. Several of them come from one table, and are no independent witnesses."
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** No score of the two is missing, so the mean of the differences is the difference of the means, and two `groupby` do. The result is even clearer than by datasets, but it rests on fewer
# independent witnesses, and an interval that counts 56 is too narrow. Notebook 10 says what related datasets are worth (`study.design_effect`).

# %% [markdown] tags=["exercise"]
# ### 3. Which notebook?
#
# *Understanding · 5 minutes.* Three colleagues ask for help. Assign the three numbers of the notebooks that fit best, as a list of texts such as `["01", "02", "03"]`, to `answer_3`.
#
# 1. "I ran three networks on one dataset, ten folds with five seeds each. Is the best one really the best there?"
# 2. "I took attention out of thirty differently built systems. Does attention help?"
# 3. "Our leaderboard has a clear leader on forty tasks. Had we taken forty other tasks, would it lead?"

# %% tags=["solution"]
answer_3 = ["06", "08", "10"]

# %% tags=["check"]
exercises.check(
    "00-3",
    answer_3,
    "6q2oydcquz2gwfa",
    hint="Ask what the conclusion is about: one dataset, a population of systems, or another study.",
    wrong={
        "6sikcfk277x5npy": "Enough experiments by n* do not make the overall winner safe; that is another question, with a notebook of its own."
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** (1) speaks of one dataset: folds and seeds are what varies, and folds share training data (06). (2) asks for the mean of thirty individual effects, an average treatment effect (08). (3) asks for a
# conclusion of a second study, the overall winner. n\* (02) would answer whether the distribution of winners over tasks is similar, which it can be while the leader changes.

# %% [markdown]
# ## Further reading
#
# The five papers:
#
# - [Matteucci et al., 2024, *Generalizability of experimental studies*](https://arxiv.org/abs/2406.17374v1), the first version.
# - [Matteucci et al., 2025, *Generalizability of Experimental Studies*](https://arxiv.org/abs/2406.17374v3), the second.
# - Anonymous, undated, *A Deterministic Protocol for Reliable Model Comparison in Machine Learning*, a manuscript.
# - [Huang et al., 2025, *A practical generalization metric for deep networks benchmarking*](https://doi.org/10.1038/s41598-025-93005-5).
# - [Wankmüller, 2022, *Drawing Causal Inferences About Performance Effects in NLP*](https://arxiv.org/abs/2209.06790).
#
# And what to test over, and why:
#
# - [Demšar, 2006, *Statistical Comparisons of Classifiers over Multiple Data Sets*](https://jmlr.org/papers/v7/demsar06a.html): tests over datasets.
# - [Nadeau and Bengio, 2003, *Inference for the Generalization Error*](https://doi.org/10.1023/A:1024068626366): why splits of one dataset are not independent, and the correction.
