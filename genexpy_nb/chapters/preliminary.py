"""What notebook 04 needs: how good estimates of n* are, from few experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice, product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from genexpy_nb.chapters.shared import (
    as_frame,
    one_thread,
    pool_estimates,
    population,
    recorded,
    simulate_estimates,
    true_nstar,
)
from genexpy_nb.chapters.shared import shares as share_span
from genexpy_nb.common import page
from genexpy_nb.common.checks import similar
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.page import show_key_numbers, show_table
from genexpy_nb.common.parallel import bar
from genexpy_nb.common.prose import percent, span
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.datasets import load_encoders
from genexpy_nb.generalization import samplers
from genexpy_nb.generalization.exact import weak_orders
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.nstar import estimate_grid
from genexpy_nb.generalization.samplers import RankingDistribution, n_weak_orders, sample_weak_orders
from genexpy_nb.plots.layout import intervals, legend_above, panels, reach
from genexpy_nb.plots.style import INK, LOOKS, REFERENCE, log_counts, looks, plain
from genexpy_nb.study.planning import SequentialStudy, run_generalizable_study
from genexpy_nb.study.study import Study


def uniform_weak_orders(
    n_alternatives: int, n_atoms: int = 1000, rng: np.random.Generator | int = 0
) -> RankingDistribution:
    """Return the distribution in which all rankings with ties are equally likely, or a sample that stands for it."""
    if n_weak_orders(n_alternatives) <= n_atoms:
        every = weak_orders(n_alternatives)
        return RankingDistribution(every, np.full(len(every), 1 / len(every)))
    return RankingDistribution.empirical(sample_weak_orders(n_alternatives, n_atoms, rng))


@recorded
def uniform_estimates(
    n_alternatives: Sequence[int],
    kernels: Sequence[Kernel],
    sizes: Sequence[int] = (10, 20, 40, 80),
    methods: Sequence[str] = ("moments", "resampling", "pool"),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    n_studies: int | Mapping[str, int] = 100,
    n_resamples: int = 100,
    n_simulated: int = 8000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Repeat the second version's Figure 5: estimates of n* where all rankings are equally likely."""
    seed = seed_of(rng)
    of = dict(n_studies) if isinstance(n_studies, Mapping) else dict.fromkeys(methods, n_studies)
    frames = []
    worlds = {n: uniform_weak_orders(n, rng=stream(seed, n)) for n in n_alternatives}
    for n, kernel in bar(list(product(worlds, kernels)), "simulating studies"):
        distribution = worlds[n]
        gram, p = population(distribution, kernel)
        epsilon = float(kernel.epsilon(delta, n))
        truth = true_nstar(gram, p, alpha, epsilon, n_simulated, seed)
        asked = {"alpha": alpha, "delta": delta, "n_resamples": n_resamples, "rng": seed}
        parts = [
            simulate_estimates(distribution, kernel, sizes, [m], n_studies=of[m], truth=truth, **asked)
            for m in methods
            if m != "pool"
        ]
        if "pool" in methods:
            simulated = max(600, n_resamples)
            pool = pool_estimates(distribution, kernel, sizes, n_studies=of["pool"], n_simulated=simulated, **asked)
            unknown = pd.array([pd.NA] * len(pool), dtype="boolean")
            nothing = {"low": np.nan, "high": np.nan, "true": truth}
            parts.append(pool.assign(**nothing, ratio=pool["nstar"] / truth, covered=unknown))
        frames.append(pd.concat(parts).assign(n_alternatives=n))
    result = pd.concat(frames, ignore_index=True)
    result.insert(0, "n_alternatives", result.pop("n_alternatives"))
    return result


@one_thread
def subsampling_errors(
    study: Study,
    kernels: Sequence[Kernel],
    sizes: Sequence[int] = (10, 20, 30, 40),
    methods: Sequence[str] = ("resampling", "moments"),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    reference: int = 50,
    most: int = 25,
    n_studies: int = 8,
    n_resamples: int = 100,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Compare n* estimated from few experiments of a real study with n* estimated from many."""
    seed = seed_of(rng)
    chosen = [c for c in study.configurations if len(study.rankings(c)) >= reference]
    if len(chosen) > most:
        chosen = [chosen[i] for i in sorted(stream(seed, 0).choice(len(chosen), size=most, replace=False))]
    cells = list(product(kernels, chosen))
    drawn: list[dict[int, list[np.ndarray]]] = []
    for kernel, configuration in bar(cells, "drawing parts of studies"):
        gram = study.gram(configuration, kernel)
        draw = stream(seed, len(gram))  # the same draws for every configuration and kernel of this size
        kept = draw.choice(len(gram), size=reference, replace=False)
        rows = {
            size: [kept[draw.choice(reference, size=size, replace=False)] for _ in range(n_studies)] for size in sizes
        }
        drawn.append({size: [gram[np.ix_(row, row)] for row in of] for size, of in {reference: [kept], **rows}.items()})
    epsilons = [np.array([kernel.epsilon(delta, study.results(c, kernel).shape[1])]) for kernel, c in cells]

    def estimates(size: int, method: str) -> np.ndarray:
        """Return n* and its interval for all that was drawn of one size, cell after cell: (n_draws, 3)."""
        grams = [gram for of in drawn for gram in of[size]]
        each = [epsilon for epsilon in epsilons for _ in range(len(grams) // len(cells))]
        return np.reshape(estimate_grid(grams, np.array([alpha]), each, method, n_resamples, seed), (-1, 3))

    names = pd.DataFrame([{**configuration, "kernel": kernel.name} for kernel, configuration in cells])
    names = names.loc[names.index.repeat(n_studies)].reset_index(drop=True)
    frames, draws = [], np.tile(np.arange(n_studies), len(cells))
    for method in methods:
        truth = np.repeat(estimates(reference, method)[:, 0], n_studies)
        found = [as_frame(estimates(size, method), size, method) for size in sizes]
        frames += [names.join(frame.assign(draw=draws, reference=truth)) for frame in found]
    result = pd.concat(frames, ignore_index=True)
    return result.assign(relative_error=(result["nstar"] - result["reference"]).abs() / result["reference"])


def summarise_errors(errors: pd.DataFrame, by: Sequence[str] = ("kernel", "size", "method")) -> pd.DataFrame:
    """Summarize simulated estimates: bias, error, share within a factor of 2, coverage and width of the interval."""
    log_ratio = np.log(errors["ratio"].astype(float))
    table = errors.assign(
        bias=log_ratio,
        rmse=log_ratio**2,
        within_2=similar(log_ratio.abs(), np.log(2)),
        coverage=errors["covered"].astype("Float64"),
        width=errors["high"] / errors["low"],
    )
    grouped = table.groupby(list(by), sort=False)
    summary = grouped[["bias", "rmse", "within_2", "coverage"]].mean()
    return summary.assign(rmse=np.sqrt(summary["rmse"]), width=grouped["width"].median())


def subsampling_errors_of_studies(
    studies: Mapping[str, Study], kernels: Mapping[str, Sequence[Kernel]], *args: Any, reference: int, **options: Any
) -> pd.DataFrame:
    """Compare n* from few experiments with n* from many, as `subsampling_errors`, for each of several real studies."""
    frames = []
    for name, study in studies.items():
        if study.accounting["n_experiments"].max() >= reference:
            errors = subsampling_errors(study, kernels[name], *args, reference=reference, **options)
            kinds = errors["kernel"].str.partition("(")[0]
            frames.append(errors.drop(columns=study.design).assign(kernel=kinds, study=name))
    if not frames:
        raise ParameterError(f"reference={reference}: no configuration of any study has so many experiments")
    return pd.concat(frames, ignore_index=True)


@recorded
def estimates_of_distributions(
    distributions: Mapping[str, RankingDistribution], kernels: Sequence[Kernel], *args: Any, **options: Any
) -> pd.DataFrame:
    """Estimate n* from simulated studies of several distributions and questions, as `simulate_estimates` does."""
    cases = list(product(distributions.items(), kernels))
    parts = [
        simulate_estimates(distribution, kernel, *args, **options).assign(distribution=name)
        for (name, distribution), kernel in bar(cases, "simulating studies")
    ]
    return pd.concat(parts, ignore_index=True)


_FEW = ["OHE", "OE", "CV5TE", "DE"]  # encoders of the study that looks again


def next_tasks(seed: int, model: str) -> Callable[[int], pd.DataFrame]:
    """Return a function that gives our own runs of a few encoders on the next n prediction tasks, in random order."""
    runs = load_encoders("bundled").query("model == @model and tuning == 'no' and scoring == 'AUC'")
    scores = runs.pivot(index="dataset", columns="encoder", values="cv_score")[_FEW]
    upcoming = iter(np.random.default_rng(seed).permutation(len(scores)).tolist())
    return lambda n: scores.iloc[list(islice(upcoming, n))]


def stopped_early(
    worlds: Mapping[str, RankingDistribution], kernels: Sequence[Kernel], truth: pd.Series, n: int, **options: Any
) -> pd.DataFrame:
    """Count, of n studies of each world and question, those that end with fewer than n* experiments, by their rule."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for (name, world), kernel in product(worlds.items(), kernels):
        enough = truth[name, kernel.name]
        for stop in ("estimate", "interval"):
            draws = [partial(world.sample, rng=np.random.default_rng(i)) for i in range(n)]
            ended = [len(run_generalizable_study(draw, kernel, stop=stop, **options).results) for draw in draws]
            counts.setdefault((name, kernel.name), {})[stop] = sum(size < enough for size in ended)
    return pd.DataFrame.from_dict(counts, orient="index")


# --- what the notebook shows ------------------------------------------------------------------------------------------


def show_counts(studies: Mapping[str, Study], tables: Mapping[str, pd.DataFrame], reference: int) -> None:
    """Keep how many configurations have enough experiments, and show them beside what the first version prints."""
    original = all(table.attrs["source"] == "original" for table in tables.values())
    published = {"encoders": 23, "models": 9} if original and reference == 50 else {}
    for key, (name, study) in zip(("encoders", "models"), studies.items(), strict=True):
        n = study.accounting["n_experiments"]
        enough, printed = int((n >= reference).sum()), published.get(key)
        page.key_number(
            f"configurations-{key}",
            f"configurations of {name} with {reference} experiments or more",
            enough,
            unit="configurations",
            published=printed,
            source="Matteucci et al., first version, Section 5.3" if published else "",
            reason="equal" if printed == enough else "",
            decimals=0,
        )
        assert printed in (None, enough)
    if published:
        page.show_published("published", "The first version reports these numbers, and this run computes them again.")


def _ends(ratios: pd.DataFrame, method: str) -> str:
    """Between which multiples of the truth nine of ten estimates lie."""
    low, high = ratios.loc[ratios["method"] == method, "ratio"].quantile([0.05, 0.95])
    return f"{low:.2f} and {high:.2f} times the truth"


def show_relative_errors(medians: pd.DataFrame, reference: int) -> None:
    """Show how much estimates from part of a real study differ from those from more of it (first version, Figure 4)."""
    table = medians["resampling"].unstack("size").rename_axis(["table", "question"])
    page.show_table(
        table,
        "real-studies",
        f"How much does the published method's estimate from N experiments (columns) differ from its estimate from "
        f"{reference}? The numbers are medians.",
        forms=dict.fromkeys(table, percent),
    )


def show_ratios(uniform: pd.DataFrame) -> None:
    """Show how far the default and the published estimate are from the truth: the picture of the page."""
    smallest = uniform[uniform["size"] == uniform["size"].min()]
    page.show_figure(
        ratio_intervals(uniform[uniform["method"].isin(["resampling", "moments"])]),
        "answer",
        "How many times too large or too small are the estimates? Each line covers nine of ten estimates, and the mark "
        "is their median. Our default is `moments`, and the published method is `resampling`. Estimates in the grey "
        "band are within a factor of 2 of the truth. Data: simulated studies of all questions, in which all rankings "
        "are equally likely.",
        f"From the fewest experiments, nine of ten estimates by the default lie between {_ends(smallest, 'moments')}, "
        f"by the published method between {_ends(smallest, 'resampling')}.",
    )


def show_hard(within: pd.Series, size: int) -> None:
    """Show how good estimates are where some results are rare."""
    close = within.unstack("kernel", sort=False).rename_axis("world")
    page.show_table(
        close,
        "hard",
        f"What share of the default's estimates from {size} experiments is within a factor of 2 of the truth?",
        forms=dict.fromkeys(close, percent),
    )


def show_live(studies: Mapping[str, SequentialStudy]) -> None:
    """Show a study that looks again after every batch, and where each of two rules ends it."""
    ends = {stop: len(study.results) for stop, study in studies.items()}
    page.show_figure(
        sequential_history(studies["interval"].history, ends),
        "live",
        "Where do two rules stop one study? Each mark is the estimate after a batch, with its 95 % interval. Above the "
        "dotted line, the study needs more experiments than it has run. Data: our own runs of logistic regression with "
        "four encoders, on prediction tasks in random order.",
        f"The study ended after {ends['estimate']} experiments if it stopped when the estimate was reached, and after "
        f"{ends['interval']} if it waited for the whole interval.",
    )


def keep_key_numbers(uniform: pd.DataFrame, difficult: pd.DataFrame) -> None:
    """Keep the shares within a factor of 2, and how often intervals hold, for the file beside the page."""
    sizes = sorted(uniform["size"].unique())
    within = summarise_errors(uniform)["within_2"].unstack("method")
    for kernel, row in within.xs(sizes[0], level="size").iterrows():
        for method in ("resampling", "moments", "pool"):
            label = f"share within a factor of 2, {kernel}, {method}, N = {sizes[0]}"
            page.key_number(f"within-{str(kernel).split('(')[0].lower()}-{method}", label, row[method], decimals=2)
    held = uniform[uniform["method"] == "moments"].groupby(["kernel", "n_alternatives", "size"])["covered"].mean()
    hard = difficult.groupby(["distribution", "kernel", "size"])["covered"].mean()
    label = "lowest coverage of the interval on "
    page.key_number("coverage-uniform", label + "uniform rankings", held.min(), decimals=3)
    page.key_number("coverage-hard", label + "harder distributions", hard.min(), decimals=3)


def check_estimates(uniform: pd.DataFrame, difficult: pd.DataFrame, alpha: float, delta: float) -> None:
    """Check what the text says without computing it; most of it is about the settings of the papers."""
    n_studies = uniform.loc[uniform["method"] == "resampling", "draw"].max() + 1
    sizes, alternatives = sorted(uniform["size"].unique()), set(uniform["n_alternatives"])
    if (alpha, delta, sizes) != (0.95, 0.05, [10, 20, 40, 80]) or n_studies < 20 or alternatives != {2, 4, 8, 16}:
        return
    summary = summarise_errors(uniform)
    rmse = summary["rmse"].xs(10, level="size").unstack("method")
    assert (rmse["moments"] < rmse[["resampling", "pool"]].min(axis=1)).all()  # the default is better at the smallest N
    assert (summary["within_2"].drop(10, level="size") > 0.95).all()  # the paper's conclusion
    ones = difficult.query("distribution == 'one ranking, 10 % noise' and size == 10 and nstar == 1")
    assert (ones["high"] > 5).all()  # an estimate of 1 does not claim to be certain
    truth = uniform[uniform["n_alternatives"] == 8].groupby("kernel")["true"].first()
    # n* of uniform weak orders of 8 alternatives from fresh samples without a pool: benchmarks/bench_accuracy.py
    for name, fresh in (("Borda(0)", 14.11), ("Jaccard(1)", 31.74), ("Mallows", 12.41)):
        np.testing.assert_allclose(truth[name], fresh, rtol=0.06)


# --- figures ----------------------------------------------------------------------------------------------------------


def _band(ax: plt.Axes) -> None:
    """Mark the truth, and what is within a factor of 2 of it."""
    ax.axhspan(0.5, 2, color="0.95", zorder=0)
    ax.axhline(1, color=LOOKS["truth"].color, linestyle=LOOKS["truth"].line, linewidth=1)


def ratio_intervals(ratios: pd.DataFrame) -> Figure:
    """Draw how far estimates of n* are from the truth, all settings together: the picture of a page."""
    of_cells = ratios.groupby(["method", "size"], sort=False)["ratio"]
    found = of_cells.quantile([0.05, 0.5, 0.95], interpolation="nearest").unstack()
    sizes = sorted(ratios["size"].unique())
    of = looks(ratios["method"].unique())
    fig, (ax,) = panels(1, 3.0)
    _band(ax)
    ax.set(yscale="log", ylim=reach([0.4, 2.5], found.to_numpy(), log=True), xlim=(-0.6, len(sizes) - 0.4))
    log_counts(ax.yaxis)
    step = min(0.22, 0.7 / len(of))
    for i, (method, look) in enumerate(of.items()):
        part = found.loc[method].reindex(sizes)
        at = np.arange(len(sizes)) + step * (i - (len(of) - 1) / 2)
        low, middle, high = part.to_numpy().T
        seen = intervals(ax, at, middle, low, high, look.color, upright=True, linewidth=4)
        ax.scatter(at[seen], middle[seen], s=60, zorder=3, edgecolors="white", **look.of_points())
    ax.set_xticks(range(len(sizes)), [f"{size:g}" for size in sizes])
    ax.set(xlabel="experiments that the estimate comes from", ylabel="estimate / truth")
    ax.grid(axis="x", visible=False)
    solid = {str(method): look.of_line() | {"linestyle": "-"} for method, look in of.items()}
    legend_above(fig, [Line2D([], [], markersize=7, linewidth=4, **line) for line in solid.values()], list(solid))
    return plain(fig)


def sequential_history(history: pd.DataFrame, ends: Mapping[str, int]) -> Figure:
    """Draw how the estimate of n* develops while experiments are run, and where rules end the study."""
    look = LOOKS["moments"]
    marks = {"estimate": ("published rule stops", "P", 11), "interval": ("other rule stops", "*", 15)}
    fig, (ax,) = panels(1, 2.8)
    longest = history["n_experiments"].max()
    limits = reach([1, longest], history[["nstar", "low", "high"]].to_numpy().ravel(), log=True, share=0.9)
    ax.set(xlim=(0, longest + 4), yscale="log", ylim=limits, xlabel="experiments run", ylabel="experiments needed")
    diagonal = np.linspace(1, longest + 4, 200)  # a curve: only one of the axes is logarithmic
    ax.plot(diagonal, diagonal, color=REFERENCE, linestyle=":", linewidth=1)
    at, nstar = history["n_experiments"].to_numpy(), history["nstar"].to_numpy()
    seen = intervals(ax, at, nstar, history["low"], history["high"], look.color, upright=True, linewidth=2.4)
    ax.plot(at[seen], nstar[seen], markersize=6, **(look.of_line() | {"linestyle": ""}))
    entries = {}
    for stop, (name, marker, size) in marks.items():
        style: dict[str, Any] = {"marker": marker, "markersize": size, "color": INK, "markeredgecolor": "white"}
        here = seen & (at == ends[stop])
        ax.plot(at[here], nstar[here], linestyle="", **style)
        entries[name] = Line2D([], [], linestyle="", **style)
    log_counts(ax.yaxis)
    legend_above(fig, list(entries.values()), list(entries))
    return plain(fig)
