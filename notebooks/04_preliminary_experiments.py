# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["slide"]
# # How many preliminary experiments does it take?
#
# *Executable companion to* Generalizability of Experimental Studies: *Section 5.3 and Figure 4 of the first version, Section 5.3 and
# Figure 5 of the second, and Algorithms 1 and 2.*
#
# To know how many experiments a study needs, n\*, one has to run some first: N preliminary experiments. n\* is then an *estimate*, and
# the fewer experiments it comes from, the worse it is. This notebook measures how much worse: against estimates from many real
# experiments, and against the truth where the truth is known. It ends with a study that asks for experiments until it has enough.
#
# **You will learn** how to judge an estimator by simulation; that "the same figure" can answer two questions; which way of estimating n\*
# to use; when to believe an interval, and when not; and how to plan a study whose size is decided on the way.
#
# **You need** notebook 01 for the definitions, and to know what bias, standard error and a confidence interval are.
#
# **Time** 45 minutes to read, 105 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
source: str = "auto"  # results tables: original (published), bundled (this project's own runs), or auto
alpha: float = 0.95  # generalizability wanted: probability that two studies agree, in (0, 1)
delta: float = 0.05  # tolerance: how different results may be and still agree, in (0, 1]
encoder: str = "OHE"  # encoder that the Borda question asks about
model: str = ""  # language model that the Borda question asks about; empty: the one with the most results
reference: int = 50  # experiments of the estimate that counts as the truth for real studies
subsizes: list[int] = [10, 20, 30, 40]  # preliminary experiments drawn from real studies
n_redraws: int = 8  # how often they are drawn
most: int = 25  # look at so many configurations of a real study at most, drawn at random
alternatives: list[int] = [2, 4, 8, 16]  # numbers of alternatives of the simulated studies
sizes: list[int] = [10, 20, 40, 80]  # preliminary experiments of the simulated studies
n_studies: int = 40  # simulated studies per case
n_studies_methods: int = 20  # simulated studies per case where all estimators are compared
n_studies_intervals: int = 200  # simulated studies per case where intervals are checked
n_simulated: int = 8000  # pairs of studies per n from which the true n* is found
n_resamples: int = 100  # resamples per study size in the published estimate; the papers took 100
batch: int = 5  # experiments per batch of the live study, at least 4
budget: int = 40  # experiments that the live study may take
seed: int = 0  # seed of everything random

# %% [markdown]
# ## Setup

# %%
import warnings
from itertools import islice

import numpy as np
import pandas as pd
from scipy import stats

import genexpy_nb as gx
from genexpy_nb.chapters import encoders
from genexpy_nb.chapters import preliminary as chapter
from genexpy_nb.common import exercises, page
from genexpy_nb.common.checks import check_count
from genexpy_nb.common.prose import percent, say, span
from genexpy_nb.datasets.tasks import SPECS, load_task
from genexpy_nb.generalization.nstar import METHODS
from genexpy_nb.generalization.samplers import RankingDistribution, sample_mallows, sample_noisy, sample_plackett_luce

gx.plots.use_style()
batch = check_count("batch", batch, 4)

# %% [markdown]
# ## Against many real experiments: the first version's Figure 4
#
# The first version takes the configurations of its two studies that have at least 50 experiments, calls the estimate from 50 the truth,
# and looks at the relative error $|n^*_N - n^*_{50}| / n^*_{50}$ of the estimate from N of them.

# %%
tables = [gx.datasets.load_encoders(source), gx.datasets.load_bigbench(source)]
for table in tables:
    display(gx.datasets.notice(table))
of_models = "BIG-bench" if tables[1].attrs["source"] == "original" else "few-shot runs"
results = dict(zip(["encoders", of_models], tables, strict=True))
original = all(table.attrs["source"] == "original" for table in tables)

# %%
models = results[of_models]["model_family_model_name"].value_counts()
if not model:
    model = "GPT GPT-3 200B" if "GPT GPT-3 200B" in models else models.index[0]
roles = {
    "encoders": {
        "alternatives": "encoder",
        "target": "cv_score",
        "generalize_over": "dataset",
        "design": ["model", "tuning", "scoring"],
        "missing": "worst-rank",
    },
    of_models: {
        "alternatives": "model_family_model_name",
        "target": "score_value",
        "generalize_over": "subtask_description",
        "design": ["task_name", "number_of_shots"],
        "missing": "drop",
    },
}
asked = {"encoders": encoder, of_models: model}
with warnings.catch_warnings(action="ignore", category=gx.StudyWarning):  # of missing evaluations: notebooks 02 and 03
    studies = {name: gx.Study(results[name], higher_is_better=True, **roles[name]) for name in results}

# %%
errors = chapter.subsampling_errors_of_studies(
    studies,
    {name: [gx.BordaKernel(asked[name]), gx.JaccardKernel(1), gx.MallowsKernel()] for name in studies},
    subsizes,
    ("resampling", "moments"),
    alpha,
    delta,
    reference=reference,
    most=most,
    n_studies=n_redraws,
    n_resamples=n_resamples,
    rng=seed,
)

counts = {name: study.accounting["n_experiments"] >= reference for name, study in studies.items()}
say(
    f"Configurations with {reference} experiments or more: "
    + "; ".join(f"{name}, {enough.sum()} of {len(enough)}" for name, enough in counts.items())
    + "."
)

# %%
medians = errors.groupby(["study", "kernel", "size", "method"], sort=False)["relative_error"].median()
of_published, of_default = (medians.xs(method, level="method") for method in ("resampling", "moments"))
page.show_figure(
    chapter.relative_errors(errors),
    "real-studies",
    f"Relative error of n\\* against the estimate from {reference} experiments by the same method. A box holds configurations and draws, the whiskers are "
    "the 5 % and 95 % quantiles. `resampling` is the published estimate, `moments` our default.",
    f"Median errors are {span(of_published, '{:.0%}')} for the published method and {span(of_default, '{:.0%}')} for the default.",
)

# %% [markdown]
# The first version reads from its figure that for the Mallows question even N = 10 is close for most configurations, while the Borda question takes 20 to 30.

# %%
least = min(subsizes)
at_least = medians.xs(least, level="size").unstack("method")
say(
    f"At N = {least} the median errors of the published method are "
    + ", ".join(f"{percent(error)} for {kernel} ({name})" for (name, kernel), error in at_least["resampling"].items())
    + f". The default has the smaller median in {(at_least['moments'] < at_least['resampling']).sum()} of {len(at_least)} cases."
)

# %% [markdown]
# > Aside: Few experiments make few points: of 10, the published method compares studies of 2, 3, 4 and 5, and fits a line to the four.
#
# Where one result is rare, another thing decides: whether the N experiments hold it. No method can help that.
#
# A caution about this figure. Its truth is an estimate too, and the N experiments are among those that it is made from: the larger N, the more of what is drawn is
# the truth itself. Such a figure cannot show a bias that both estimates share. For that, the truth must be known.

# %% [markdown] tags=["slide"]
# ## Against a known truth: the second version's Figure 5
#
# Let all rankings with ties of $n_a$ alternatives be equally likely. Then n\* follows from its definition by simulation, and studies of any
# size can be drawn. The **text** of the paper draws N experiments and resamples *these*, as one would with a real study. The
# published **code** resamples a pool of 5000 experiments instead, with $n = 2, 4, \dots \le N/2$. This is another question: it leaves out that N
# experiments are a sample, and asks only how good a line through few points is.

# %%
questions = [gx.BordaKernel(0), gx.JaccardKernel(1), gx.MallowsKernel()]
uniform = chapter.uniform_estimates(
    alternatives,
    questions,
    sizes,
    ("resampling", "pool", "moments"),
    alpha,
    delta,
    n_studies={"resampling": n_studies, "pool": n_studies, "moments": n_studies_intervals},
    n_resamples=n_resamples,
    n_simulated=n_simulated,
    rng=seed,
)
truth = uniform.groupby(["kernel", "n_alternatives"], sort=False)["true"].first().unstack()
named_truth = truth.rename(columns=lambda number: f"{number} alternatives").rename_axis(columns=None)
page.show_table(
    named_truth,
    "truth",
    f"The true n\\* of uniform rankings, α = {alpha:g}, δ = {delta:g}, from its definition by simulation.",
    {"kernel": "question"},
    dict.fromkeys(named_truth, 1),
)

# %%
shown = uniform[uniform["method"] != "moments"]
spread = uniform[uniform["size"] == sizes[0]].groupby("method")["ratio"].quantile([0.05, 0.95]).unstack()
page.show_figure(
    chapter.estimate_ratios(
        shown.replace({"method": {"resampling": "as the text says", "pool": "as the code does (pool)"}})
    ),
    "two-ways",
    "Published estimate divided by the true n\\*, done in two ways. Grey: within a factor of 2 of the truth. Boxes may leave the frame.",
    f"At N = {sizes[0]}, nine of ten estimates by the text lie between {spread.loc['resampling', 0.05]:.2f} and {spread.loc['resampling', 0.95]:.2f} times the truth, "
    f"by the code between {spread.loc['pool', 0.05]:.2f} and {spread.loc['pool', 0.95]:.2f}.",
)

# %% [markdown]
# At N = 10 the code's version has just two points, n = 2 and 4, so that the noise of its quantiles goes straight into the slope, although it has 5000 experiments
# to resample.

# %%
by_way = chapter.summarise_errors(uniform, by=("kernel", "method", "size"))
shares = by_way["within_2"].unstack("size").rename(columns=lambda size: f"N = {size}").rename_axis(columns=None)
page.show_table(
    shares,
    "within",
    "Share of the estimates within a factor of 2 of the true n\\*, all numbers of alternatives together.",
    {"kernel": "question"},
    dict.fromkeys(shares, "{:.0%}"),
)

# %% [markdown]
# The paper concludes that from N = 20 on an estimate usually is within a factor of 2 of the truth. The same figure for the default, beside the published estimate:

# %%
page.show_figure(
    chapter.estimate_ratios(uniform[uniform["method"] != "pool"]),
    "default",
    "As in [figure](#figure-two-ways): `resampling` is the published estimate, from the N experiments, `moments` the default, from the same ones.",
    f"At N = {sizes[0]}, nine of ten default estimates lie between {spread.loc['moments', 0.05]:.2f} and {spread.loc['moments', 0.95]:.2f} times the truth, of the "
    f"published ones between {spread.loc['resampling', 0.05]:.2f} and {spread.loc['resampling', 0.95]:.2f}.",
)

# %% [markdown]
# ## Every estimator
#
# The package has these ways to estimate n\*. Notebook 11 derives them; the documentation of `estimate_nstar` says where each is from.

# %%
page.show_table(
    pd.Series(METHODS, name="what it does").rename_axis("method").to_frame(),
    "methods",
    "The ways to estimate n\\* that one can ask for by name.",
)

# %%
methods = [*METHODS, "pool"]
all_ways = chapter.uniform_estimates(
    [8],
    questions,
    sizes,
    methods,
    alpha,
    delta,
    n_studies=n_studies_methods,
    n_resamples=n_resamples,
    n_simulated=n_simulated,
    rng=seed + 1,
)
by_method = chapter.summarise_errors(all_ways)
largest_errors = by_method["rmse"].xs(sizes[-1], level="size").groupby(level="method").max().sort_values()
page.show_figure(
    chapter.errors_by_method(by_method.reset_index()),
    "methods",
    f"Root mean squared error of log(estimate / true n\\*) on uniform rankings of 8 alternatives, from {n_studies_methods} studies each; 0.1 is about 10 %.",
    f"At N = {sizes[-1]} the largest error over the questions is smallest for {largest_errors.index[0]} ({largest_errors.iloc[0]:.2f}) and largest for "
    f"{largest_errors.index[-1]} ({largest_errors.iloc[-1]:.2f}).",
)

# %%
smallest = by_method.xs(sizes[0], level="size")[["bias", "rmse", "within_2"]].unstack("kernel").swaplevel(axis=1)
page.show_table(
    smallest[[kernel.name for kernel in questions]].rename_axis(columns=[None, None]),
    "by-method",
    f"Errors at N = {sizes[0]}. Bias: mean of log(estimate / true n\\*), negative if n\\* is underestimated.",
    {"rmse": "error (RMSE)", "within_2": "within a factor of 2"},
    {"within_2": "{:.0%}"},
)

# %% [markdown]
# Why they differ:
#
# - `resampling` has few points for its line when N is small. A slope is what few noisy points know least about; `resampling-slope-2` fixes it at -2, as Theorem 4.1
#   has it.
# - `closed-form` and `definition` treat the N experiments as if there were no others. This makes two errors. An experiment agrees with itself, so
#   results look more alike than they are, by a share of 1/N; and N results differ in fewer directions than all of them do, so the MMD looks more
#   variable. The two have opposite signs. `definition` gives whole numbers, too, and so keeps an error of rounding up.
# - `bound` holds for any distribution. It does not look at the data.
# - `moments` estimates without bias what the distribution of the MMD depends on.

# %% [markdown]
# ## Does the interval hold what it promises?
#
# The papers leave intervals to future work. `moments` comes with one: how much n\* changes when one experiment is left out says how uncertain it is, with corrections
# for single experiments that decide, for results that are nearly as diverse as the kernel allows, and for studies with two results only. A 95 % interval should hold the
# true n\* in 95 of 100 studies.

# %% tags=["slide"]
checked = uniform[uniform["method"] == "moments"]
intervals = chapter.summarise_errors(checked, by=("kernel", "n_alternatives", "size")).reset_index()
page.show_figure(
    chapter.coverage_and_width(intervals, n_studies_intervals),
    "coverage",
    "Left: share of the intervals that hold the true n\\*, with its Monte Carlo interval. Grey: 92 % to 98 %. Right: median of upper / lower end.",
    f"Coverage of the nominal 95 % intervals is from {percent(intervals['coverage'].min())} to {percent(intervals['coverage'].max())} on uniform rankings.",
)

# %% [markdown]
# Below 92 % an interval promises too much, above 98 % it holds more than it promises. The true n\* is taken as the real number at which n-generalizability reaches α;
# the definition rounds it up, and plans are rounded up, too. It is itself simulated, so where an interval is narrow its coverage tells of the simulation as well.

# %%
standard_error = np.sqrt(0.95 * 0.05 / n_studies_intervals)
too_low = 0.95 - 3 * standard_error
lowest = intervals.loc[intervals["coverage"].idxmin()]
say(
    f"With {n_studies_intervals} studies, a share of 95 % has a standard error of {percent(standard_error, 1)}. Of {len(intervals)} cases, the number below 95 % by more "
    f"than three of these is {(intervals['coverage'] < too_low).sum()}. The lowest share is {percent(lowest['coverage'], 1)} ({lowest['kernel']}, {lowest['n_alternatives']} "
    f"alternatives, N = {lowest['size']}).",
)

# %% [markdown]
# Two alternatives are a special case for Borda. There are two distinct results only, "nobody is better" and "the other one is", with probabilities 2/3 and 1/3. The
# MMD moves in steps, and n\* with it; a smooth estimate can miss it by half a step. So where a study saw two results only, the ends of the interval take in the exact n\* of
# worlds with two results. (For Jaccard and Mallows a tie is a third result.)
#
# Uniform rankings are a gentle case. These are not:

# %%
population = 1000  # a sample of so many stands for a distribution with too many rankings to list
rng = np.random.default_rng(seed + 3)
two = [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]]
hard = {
    "Plackett-Luce, far apart": RankingDistribution.empirical(
        sample_plackett_luce(np.exp(np.linspace(0, 5, 10)), population, rng)
    ),
    "Mallows model, narrow": RankingDistribution.empirical(sample_mallows(range(10), 0.3, population, rng)),
    "one ranking, 10 % noise": RankingDistribution.empirical(sample_noisy(range(8), 0.1, population, rng)),
    "two rankings, .9/.1": RankingDistribution(two, [0.9, 0.1]),
}

# %%
difficult = chapter.estimates_of_distributions(
    hard, questions, sizes, ["moments"], alpha, delta, n_studies=n_studies_intervals, rng=seed + 4
)
by_case = chapter.summarise_errors(difficult, by=("distribution", "kernel", "size"))
covered = by_case["coverage"].unstack("size").rename(columns=lambda size: f"N = {size}").rename_axis(columns=None)
page.show_table(
    covered,
    "hard",
    f"Share of {n_studies_intervals} intervals that hold the true n\\* on distributions that are harder; ▼ marks less than 92 %.",
    {"kernel": "question"},
    dict.fromkeys(covered, lambda share: f"{share:.0%}" + (" ▼" if share < 0.92 else "")),
)

# %%
cases = by_case.reset_index()
lowest = cases.loc[cases["coverage"].idxmin()]
fewest = round(lowest["coverage"] * n_studies_intervals)
by_chance = min(1.0, len(cases) * stats.binom.cdf(fewest, n_studies_intervals, 0.95))  # at most, by Bonferroni
say(
    f"Of these {len(cases)} cases, the number below 95 % by more than three standard errors is {(cases['coverage'] < too_low).sum()}, and above 98 % "
    f"{(cases['coverage'] > 0.98).sum()}. The lowest share is {percent(lowest['coverage'], 1)} ({lowest['distribution']}, {lowest['kernel']}, N = {lowest['size']}). If every "
    f"interval held n\\* in 95 % of all studies, one case of {len(cases)} would be as low with a probability of up to {percent(by_chance)}.",
)

# %% [markdown]
# Where a study has two distinct results, the `note` of `Study.nstar` says that its interval is mostly too wide. How often the interval holds n\* for other α and δ depends on
# them: for an α of .99, or one below the share of pairs of equal results, it can be far less. `benchmarks/bench_accuracy.py --part grid` measures it.

# %%
noise = difficult[(difficult["distribution"] == "one ranking, 10 % noise") & (difficult["size"] == sizes[0])]
noise = noise[noise["kernel"] == "Mallows"]
ones = noise[noise["nstar"] == 1]
say(
    f"With 10 % noise, n\\* of the whole order is {noise['true'].iloc[0]:.1f}. In {len(ones)} of {n_studies_intervals} studies with N = {sizes[0]} it is estimated to be 1. Of the "
    f"intervals of these, {(ones['high'] >= ones['true']).sum()} reach the true n\\*, and {np.isinf(ones['high']).sum()} have no upper end.",
)

# %%
page.show_table(
    by_case[["rmse", "within_2", "width"]].xs(sizes[0], level="size"),
    "hard-errors",
    f"Error of log n\\* and median width (upper / lower end) at N = {sizes[0]}. ∞: half of the studies or more have no upper end.",
    {"kernel": "question", "rmse": "error (RMSE)", "within_2": "within a factor of 2", "width": "upper / lower end"},
    {
        "within_2": "{:.0%}",
        "width": lambda ratio: f"{ratio:,.1f}" if ratio < 100 else f"{ratio:,.0f}" if ratio < np.inf else "∞",
    },
)

# %% [markdown]
# ## What was tried for the default
#
# `moments` is what was left of a longer list: two moments instead of three, no correction for two distinct results, no lower end for rare results, corrections of bias by the jackknife,
# and prior values for the variance of the MMD. On ten distributions, three kernels and three values of α each of these made some cases better and others worse, by a factor of up to 34.
# `docs/accuracy.md` has the numbers, and `benchmarks/bench_accuracy.py` makes them anew.

# %% [markdown] tags=["slide"]
# ## A study that asks for more: Algorithm 1, live
#
# Why fix N in advance? Algorithm 1 of the second version runs a batch of experiments, estimates n\*, and goes on until N ≥ n\*. `run_generalizable_study` does
# that with any function that runs *further* experiments. Here it is real: each experiment cross-validates a decision tree behind four ways to encode categories on a
# prediction task that the published benchmark does not have. Tasks come in random order; the question is whether the order of the
# encoders (Mallows) generalizes over tasks.

# %%
chosen = ["OHE", "OE", "CV5TE", "DE"]
order = np.random.default_rng(seed).permutation(list(SPECS))
finished: dict[str, pd.Series] = {}


def run_task(name):
    if name not in finished:
        task = load_task(name)
        frame = encoders.run_task(task, encoders=chosen, models=["DTC"], scorings=["AUC"], n_folds=3, seed=seed)
        finished[name] = frame.set_index("encoder")["cv_score"].reindex(chosen)
    return finished[name]


def fresh_study():
    upcoming = iter(order)
    return lambda n: pd.DataFrame({name: run_task(name) for name in islice(upcoming, n)}).T


# %%
live = {
    stop: gx.run_generalizable_study(
        fresh_study(), gx.MallowsKernel(), alpha, delta, batch, budget, stop=stop, higher_is_better=True
    )
    for stop in ("estimate", "interval")
}
page.show_table(
    live["interval"].results.head().rename_axis("task"),
    "live-results",
    "The first experiments of the live study: area under the ROC curve of a decision tree behind each encoder.",
    forms=dict.fromkeys(chosen, 3),
)

# %% tags=["subslide"]
ends = "; ".join(
    f"{rule}, it ended after {len(live[stop].results)} experiments (reason: {live[stop].reason})"
    for stop, rule in (("estimate", "with the published rule"), ("interval", "with the upper end"))
)
page.show_figure(
    chapter.sequential_histories(
        {
            "stop when N ≥ n* (as published)": live["estimate"].history,
            "stop when N ≥ upper end": live["interval"].history,
        }
    ),
    "live",
    "The estimate after each batch, with its interval; a star is the last one of a study that ended. Above the dotted line n\\* is larger than N: more experiments are needed.",
    f"The live study under two rules: {ends}.",
)

# %%
say(f"The live study: {ends}.")

# %% [markdown]
# The published rule stops at the first batch whose estimate is not above N. Looking again after every batch favours estimates that are too low:
# the rule stops at the first one that *happens* to be. The second rule asks for more, the whole interval below N. It also gives up early if the whole interval
# lies above the budget, which spares the experiments of a study that cannot be afforded.

# %% [markdown]
# ## Advice: how many for which question?
#
# The smallest N that was good enough for all of the simulated distributions above, uniform or hard, except for the two in which one
# result decides nearly everything (10 % noise, .9/.1):

# %% tags=["slide"]
everything = pd.concat(
    [
        checked.assign(distribution="uniform, " + checked["n_alternatives"].astype(str)),
        difficult[~difficult["distribution"].isin(["one ranking, 10 % noise", "two rankings, .9/.1"])],
    ]
)
cells = chapter.summarise_errors(everything, by=("kernel", "size", "distribution"))
advice = chapter.smallest_sizes(
    cells,
    {
        "within a factor of 2 in 95 % of studies": ("within_2", "at least", 0.95),
        "typical error 25 % (RMSE)": ("rmse", "at most", np.log(1.25)),
        "typical error 10 %": ("rmse", "at most", np.log(1.10)),
        "interval from n to 2 n or narrower": ("width", "at most", 2),
    },
)
page.show_table(
    advice.rename_axis("question"),
    "advice",
    "The smallest N that was good enough, by question and by what is wanted; after >, the largest N that was looked at, which was not enough.",
)

# %% [markdown] tags=["subslide"]
# - **The table:** read along a row what each question takes: one position (Borda), the set of winners (Jaccard), the whole order (Mallows).
# - **If all results agree**, or all but one or two: no estimate from few experiments is worth much, whatever the question. Look at the upper end of the
#   interval, and run more.
# - **In any case:** do not fix N beforehand. Start with 10, look at the interval, and go on while it is too wide for the decision at hand. The preliminary
#   experiments are not lost: they belong to the study.

# %% [markdown]
# ## The published counts, and the answer in short

# %%
within = by_way["within_2"].unstack("method")
reached = within.xs(sizes[0], level="size")
n_later = sizes[min(1, len(sizes) - 1)]
for kernel in questions:
    key = kernel.name.split("(")[0].lower()
    for method in ("resampling", "moments", "pool"):
        page.key_number(
            f"within-{key}-{method}",
            f"share within a factor of 2 of the true n*, {kernel.name}, {method}, N = {sizes[0]}",
            reached.loc[kernel.name, method],
            decimals=2,
        )
page.key_number(
    "coverage-uniform", "lowest coverage of the interval on uniform rankings", intervals["coverage"].min(), decimals=3
)
page.key_number(
    "coverage-hard", "lowest coverage of the interval on harder distributions", cases["coverage"].min(), decimals=3
)
for name, enough in counts.items():
    printed = {"encoders": 23, "BIG-bench": 9}.get(name) if reference == 50 else None
    equal = {
        "BIG-bench": f"equal; the paper's 24 in all have more than 10 subtasks (notebook 03), the table has {len(enough)} with fewer"
    }
    page.key_number(
        f"configurations-{'encoders' if name == 'encoders' else 'models'}",
        f"configurations of {name} with {reference} experiments or more",
        int(enough.sum()),
        unit="configurations",
        published=printed,
        source="Matteucci et al., first version, Section 5.3" if printed else "",
        reason=equal.get(name, "equal") if printed == enough.sum() else "another table" if printed else "",
        decimals=0,
    )
conclusion = within.xs(n_later, level="size")["resampling"].min()
page.key_number(
    "rule-of-thumb",
    f"lowest share of published estimates within a factor of 2, N = {n_later}",
    conclusion,
    decimals=2,
)
if original and reference == 50:
    page.show_published("published", "What the first version says of its data, and what this run finds in them.")

# %% tags=["hero", "slide"]
page.show_figure(
    chapter.ratio_intervals(uniform[uniform["method"].isin(["resampling", "moments"])]),
    "answer",
    "Estimates of n\\*, the number of experiments that a study needs, from N preliminary ones, divided by the true n\\*: nine of ten lie on the line, the mark is "
    "the median. Circle: `moments`, the default here; square: `resampling`, the published method. The band is a factor of 2. "
    "All questions and numbers of alternatives together.",
    f"From {sizes[0]} experiments, nine of ten estimates by the default lie between {spread.loc['moments', 0.05]:.2f} and {spread.loc['moments', 0.95]:.2f} times the "
    f"truth, by the published method between {spread.loc['resampling', 0.05]:.2f} and {spread.loc['resampling', 0.95]:.2f}.",
)

# %% tags=["findings", "slide"]
page.show_findings(
    page.Finding(
        f"{percent(reached['moments'].min())}",
        f"of this toolkit's estimates from {sizes[0]} experiments are within a factor of 2 of the truth, for the question where that is rarest; of the published method's, "
        f"{percent(reached['resampling'].min())}",
        f"{n_studies_intervals} and {n_studies} simulated studies per case",
    ),
    page.Finding(
        f"{percent(intervals['coverage'].min())} to {percent(intervals['coverage'].max())}".replace(" % to", " to"),
        f"of the intervals that come with these estimates hold the true number where all rankings are equally likely; on harder distributions {percent(cases['coverage'].min())} in the worst case",
        f"nominal 95 %; {n_studies_intervals} studies per case",
    ),
    page.Finding(
        f"{len(live['estimate'].results)} → {len(live['interval'].results)}",
        "experiments that a live study ran: under the published rule, which stops at the first estimate that looks good enough, and under one that waits for its whole interval",
        f"one study of each kind, at most {budget} experiments",
    ),
)

# %% [markdown]
# ## Checks

# %%
small, few = sizes[0], by_way["rmse"].xs(sizes[0], level="size")
if (alpha, delta, sizes[0], alternatives) == (0.95, 0.05, 10, [2, 4, 8, 16]) and n_studies >= 20:
    for kernel in questions:
        assert few[kernel.name, "moments"] < few[kernel.name, "resampling"]  # the default is better at the smallest N
        assert few[kernel.name, "moments"] < few[kernel.name, "pool"]
        assert few[kernel.name, "resampling"] < few[kernel.name, "pool"] * 1.25
if (alpha, delta, sizes[0]) == (0.95, 0.05, 10):
    assert (ones["high"] > 5).all()  # an estimate of 1 does not claim to be certain
if (alpha, delta, sizes) == (0.95, 0.05, [10, 20, 40, 80]) and n_studies >= 20:
    late = by_way["within_2"].drop(small, level="size")
    assert (late > 0.95).all()  # from N = 20 on, the paper's conclusion
    if 8 in alternatives:
        # n* of uniform weak orders of 8 alternatives from fresh samples without a pool: benchmarks/bench_accuracy.py
        for name, fresh in (("Borda(0)", 14.11), ("Jaccard(1)", 31.74), ("Mallows", 12.41)):
            np.testing.assert_allclose(truth.loc[name, 8], fresh, rtol=0.06)
if original and reference == 50:
    assert {name: enough.sum() for name, enough in counts.items()} == {
        "encoders": 23,
        "BIG-bench": 9,
    }  # first version, Section 5.3
for study in live.values():
    assert study.reason != "enough" or len(study.results) >= study.history["nstar"].iloc[-1]

# %% [markdown]
# ## Summary
#
# - An estimate of n\* is a statistic: it has a bias, a variance, and deserves an interval.
# - Resampling a pool instead of the N experiments looks like the same figure and is another question.
# - An interval is to be believed where its coverage was measured; with rare or few-valued results look twice.
# - A study can be run until it is large enough. Stopping at the upper end of the interval can cost more experiments, and guards against stopping on a lucky batch.

# %%
page.show_key_numbers()

# %% [markdown]
# ## Exercises
#
# On judging an estimator, and on planning with it.

# %% [markdown] tags=["exercise", "slide"]
# ### 1. A figure that looks good
#
# *Understanding · 5 minutes.* A team has 50 experiments. It draws 40 of them without replacement, estimates n\* from these, and compares with the estimate from all 50. It does so 100 times. The relative errors are
# small, and the team concludes that 40 experiments determine n\* well. What is wrong with the conclusion?
#
# - **a** Nothing: 100 repetitions are enough to measure an error.
# - **b** The 40 are most of the 50, so both estimates share most of their error, and the comparison cannot show it.
# - **c** The estimate from 50 experiments is the true n\*, so the comparison is fair, but 40 of 50 is too easy a case.
# - **d** The draws should have been made with replacement.
#
# Assign the letter to `answer_1`.

# %% tags=["solution"]
answer_1 = "b"

# %% tags=["check"]
exercises.check(
    "04-1",
    answer_1,
    "myzhz3ba7udjvyi",
    hint="What is the truth in this figure made of?",
    wrong={
        "mzzr4exfd23b5ca": "More repetitions measure the same thing more exactly. Is it the right thing?",
        "myboankfp6br36a": "An estimate from 50 experiments has an error of its own. Who knows how large?",
        "myfby3bounjdq3a": "Draws with replacement come from the same 50 experiments, too.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** If the 50 experiments happen to hold no rare result, the 40 hold none either, and both estimates are wrong in the same direction and by nearly the same amount. The figure shows how much ten experiments more change
# the estimate, not how far it is from the truth. Fresh samples from a known distribution show that, and this is why the second half of this notebook uses them.

# %% [markdown] tags=["exercise"]
# ### 2. Is the interval too short?
#
# *Understanding · 5 minutes.* In 200 simulated studies, 183 intervals of nominal 95 % hold the true n\*. By how many standard errors is that share below 95 %, if the interval held n\* in exactly 95 % of all
# studies? Assign the number to `answer_2`, positive, to two decimals.

# %% tags=["solution"]
answer_2 = (0.95 - 183 / 200) / np.sqrt(0.95 * 0.05 / 200)

# %% tags=["check"]
exercises.check(
    "04-2",
    answer_2,
    "kdq7pt7ne3fcacz5",
    decimals=2,
    hint="The standard error of a share of 200, computed under the assumption that is to be examined.",
    wrong={
        "kdxq3mpmgw33ohks": "That is the standard error at a coverage of 91.5 %. What is the coverage under the assumption?"
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** The standard error of a share of 0.95 among 200 is $\sqrt{0.95 \cdot 0.05 / 200} = 0.0154$, and $0.035 / 0.0154 = 2.27$. For one case, named beforehand, that is a good reason to doubt. In a table of 48 cases it is not:
# 183 or fewer have a probability of 0.024 in each case (binomial), so about one such case in 48 is expected. This is why the text counts three standard errors, and corrects for the number of cases.

# %% [markdown] tags=["exercise"]
# ### 3. An experiment agrees with itself
#
# *Application · 10 minutes.* Two results are equally likely and have nothing in common: $\kappa = 1$ for equal results, else 0. So two fresh results are alike by 1/2 on average. Draw $N = 10$ experiments and take the
# mean of all 100 entries of their Gram matrix, as `closed-form` and `definition` do. What is its expectation? Assign it to `answer_3`, to two decimals.

# %% tags=["solution"]
answer_3 = 1 / 10 * 1 + 9 / 10 * 1 / 2

# %% tags=["check"]
exercises.check(
    "04-3",
    answer_3,
    "wfirknmqieutbjb6",
    decimals=2,
    hint="Treat the entries on the diagonal and the others separately.",
    wrong={
        "wfpufkm764mknufu": "That is so for two different experiments. Ten of the 100 entries compare an experiment with itself.",
        "wfipn5vyryqbb342": "The share of the diagonal is 1/N, and the other entries have the rest of the weight only.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** Ten of the 100 entries are on the diagonal and always 1; the other 90 are 1/2 on average: $0.1 + 0.9 / 2 = 0.55$. The results look more alike than they are, by a share of $1/N$ of what they lack. `moments` leaves the diagonal
# out, and so estimates 1/2 without bias. To see it by simulation: the mean of `(x[:, None] == x).mean()` over many draws `x = rng.integers(0, 2, 10)`.

# %% [markdown] tags=["exercise"]
# ### 4. A rare result
#
# *Application · 10 minutes.* One ranking has probability 0.9; all other results together have 0.1. With how many preliminary experiments is the probability that they *all* show the one ranking at most 5 %? Assign the smallest such
# number to `answer_4`.

# %% tags=["solution"]
answer_4 = next(n for n in range(1, 100) if 0.9**n <= 0.05)

# %% tags=["check"]
exercises.check(
    "04-4",
    answer_4,
    "ixeorx5jh57lzeq",
    hint="How probably do n independent experiments all show the one ranking?",
    wrong={
        "iwzufnlbcxg2vyq": "Is the probability with 28 really at most 0.05? Round to the right side.",
        "iukaf765pkmenty": "That is the rule of three, 3 / 0.1, a good approximation. The exact number is asked for.",
        "ivr43ya5xkavqfa": "With ten experiments one exception is *expected*. How probably is there none?",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** $0.9^{28} = 0.052$ and $0.9^{29} = 0.047$. Ten experiments all agree with probability $0.9^{10} = 0.35$, and then every estimate that looks at the data only says n\* = 1. No method can see what is not in the sample. The upper end of
# the interval of `moments` can stay infinite there, and it is right to.

# %% [markdown] tags=["exercise"]
# ### 5. Stopping early
#
# *Project · 30 minutes.* How often does a study that looks again after every batch stop too early? Take the world `favourite` of the cell for your answer, in which 0, 1, 2 are ranked in this order with probability 0.6, and else any of the 12 other rankings with ties is
# equally likely. For Mallows at $\alpha = 0.95$ and $\delta = 0.05$ its n\* is 14. Run 100 studies with `gx.run_generalizable_study`, in batches of 5 and with a budget of 60; number $i = 0, \dots, 99$ draws its experiments by `favourite.sample(n, rng)` with
# `rng = np.random.default_rng(i)`. Which share of them ends with *fewer than 14* experiments, with the published rule (`stop="estimate"`) and with the upper end of the interval (`stop="interval"`)? Assign the list of the
# two shares, to two decimals, to `answer_5`. What does the safer rule cost?

# %% tags=["solution"]
from genexpy_nb.generalization.exact import weak_orders

all_orders = weak_orders(3)
in_order = (all_orders == [0, 1, 2]).all(axis=1)
favourite = RankingDistribution(all_orders, np.where(in_order, 0.6, 0.4 / 12))


### BEGIN SOLUTION
def experiments_run(i, stop):
    own_rng = np.random.default_rng(i)
    ran = gx.run_generalizable_study(
        lambda n: favourite.sample(n, own_rng), gx.MallowsKernel(), 0.95, 0.05, 5, 60, stop=stop
    )
    return len(ran.results)


numbers_run = {stop: np.array([experiments_run(i, stop) for i in range(100)]) for stop in ("estimate", "interval")}
answer_5 = [float((numbers < 14).mean()) for numbers in numbers_run.values()]
### END SOLUTION

# %% tags=["check"]
exercises.check(
    "04-5",
    answer_5,
    "jno6gs3tobmyvaa26u",
    decimals=2,
    hint="A function that gets n and returns favourite.sample(n, rng), with one generator for the whole study. len(study.results) says how many experiments were run.",
    wrong={"jno6hpvcowxi2nopqe": "These are the two shares, in the other order: first the published rule."},
)

# %% [markdown] tags=["explanation"]
# **Why.** The published rule looks at an estimate after every batch and stops at the first that is low enough. 16 of the 100 studies stop after five experiments, eight of them because all five agree; 15 more stop after ten. The rule that waits for the
# upper end stops too early once in 100 studies. It costs experiments: 23 on average, against 14.4. Whoever tests a hypothesis after every batch, and stops at the first p-value below 0.05, makes the same mistake (Siegmund, below).

# %% [markdown]
# ## Further reading
#
# - [Efron and Stein, 1981, *The Jackknife Estimate of Variance*](https://doi.org/10.1214/aos/1176345462), Annals of Statistics 9 (3), 586-596: the jackknife, from which the intervals of `moments` come, and why it is rather too wide than too short.
# - [Buckley and Eagleson, 1988, *An approximation to the distribution of quadratic forms in normal random variables*](https://doi.org/10.1111/j.1467-842X.1988.tb00471.x), Australian Journal of Statistics 30A, 150-159: the shifted and scaled chi-squared distribution that `moments` matches.
# - [Siegmund, 1985, *Sequential Analysis: Tests and Confidence Intervals*](https://doi.org/10.1007/978-1-4757-1862-1), Springer: what looking again and again at growing data does to error rates.
