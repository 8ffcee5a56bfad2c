"""What notebook 04 needs: how good estimates of n* are, from few experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from genexpy_nb.chapters.shared import (
    as_frame,
    one_thread,
    pool_estimates,
    population,
    simulate_estimates,
    true_nstar,
)
from genexpy_nb.common.checks import (
    similar,
)
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.exact import weak_orders
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.nstar import estimate_each
from genexpy_nb.generalization.samplers import RankingDistribution, n_weak_orders, sample_weak_orders
from genexpy_nb.plots.layout import intervals, legend_above, panels, reach, share_interval
from genexpy_nb.plots.style import INK, LOOKS, REFERENCE, Look, log_counts, looks, plain, tint
from genexpy_nb.study.study import Study


def uniform_weak_orders(
    n_alternatives: int, n_atoms: int = 1000, rng: np.random.Generator | int = 0
) -> RankingDistribution:
    """Return the distribution in which all rankings with ties are equally likely, or a sample that stands for it."""
    if n_weak_orders(n_alternatives) <= n_atoms:
        every = weak_orders(n_alternatives)
        return RankingDistribution(every, np.full(len(every), 1 / len(every)))
    return RankingDistribution.empirical(sample_weak_orders(n_alternatives, n_atoms, rng))


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
    n_atoms: int = 1000,
    n_simulated: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Repeat the second version's Figure 5: estimates of n* where all rankings are equally likely."""
    seed = seed_of(rng)
    of = dict(n_studies) if isinstance(n_studies, Mapping) else dict.fromkeys(methods, n_studies)
    frames = []
    for n in n_alternatives:
        distribution = uniform_weak_orders(n, n_atoms, stream(seed, n))
        for kernel in kernels:
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
    methods: Sequence[str] = ("moments", "resampling"),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    reference: int = 50,
    most: int | None = None,
    n_studies: int = 20,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Compare n* estimated from few experiments of a real study with n* estimated from many."""
    seed = seed_of(rng)
    chosen = [c for c in study.configurations if len(study.rankings(c)) >= reference]
    if most is not None and len(chosen) > most:
        chosen = [chosen[i] for i in sorted(stream(seed, 0).choice(len(chosen), size=most, replace=False))]
    frames = []
    for configuration in chosen:
        for kernel in kernels:
            gram = study.gram(configuration, kernel)
            epsilon = float(kernel.epsilon(delta, study.results(configuration, kernel).shape[1]))
            draw = stream(seed, len(gram))  # the same draws for every configuration and kernel of this size
            kept = draw.choice(len(gram), size=reference, replace=False)
            gram = gram[np.ix_(kept, kept)]
            truth = {m: estimate_each([gram], alpha, epsilon, m, n_resamples, seed)[0, 0] for m in methods}
            for size in sizes:
                rows = [draw.choice(reference, size=size, replace=False) for _ in range(n_studies)]
                grams = [gram[np.ix_(row, row)] for row in rows]
                for method in methods:
                    values = estimate_each(grams, alpha, epsilon, method, n_resamples, seed)
                    frame = as_frame(values, size, method).assign(reference=truth[method])
                    of = {**configuration, "kernel": kernel.name}
                    frames.append(frame.assign(**of)[[*of, *frame.columns]])
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


def estimates_of_distributions(
    distributions: Mapping[str, RankingDistribution], kernels: Sequence[Kernel], *args: Any, **options: Any
) -> pd.DataFrame:
    """Estimate n* from simulated studies of several distributions and questions, as `simulate_estimates` does."""
    parts = [
        simulate_estimates(distribution, kernel, *args, **options).assign(distribution=name)
        for name, distribution in distributions.items()
        for kernel in kernels
    ]
    return pd.concat(parts, ignore_index=True)


def smallest_sizes(summary: pd.DataFrame, wanted: Mapping[str, tuple[str, str, float]]) -> pd.DataFrame:
    """Find the smallest number of experiments that was good enough in every case."""
    table = summary.reset_index()
    sizes, kernels = sorted(table["size"].unique().tolist()), table["kernel"].unique()
    result: dict[str, dict[str, Any]] = {}
    for name, (column, direction, value) in wanted.items():
        cases = table.groupby(["kernel", "size"], sort=False)[column]
        good = cases.min() >= value if direction == "at least" else cases.max() <= value
        enough = {kernel: [size for size in sizes if good.get((kernel, size), False)] for kernel in kernels}
        result[name] = {kernel: found[0] if found else f"> {sizes[-1]}" for kernel, found in enough.items()}
    return pd.DataFrame(result, dtype=object)


_BOX: dict[str, Any] = {"width": 0.75, "linewidth": 0.8, "showfliers": False, "whis": (5, 95), "saturation": 1}


def _boxes(frame: pd.DataFrame, x: str, y: str, of: Mapping[Any, Look], ax: plt.Axes, **options: Any) -> None:
    """Draw boxes of methods beside each other, each in its colour."""
    palette = {name: tint(look.color, 0.35) for name, look in of.items()}
    options |= _BOX | {"hue": "method", "hue_order": list(of), "palette": palette, "legend": False}
    sns.boxplot(frame, x=x, y=y, ax=ax, **options)


def _legend(fig: Figure, of: Mapping[Any, Look]) -> None:
    boxes = [Patch(facecolor=tint(look.color, 0.35), edgecolor="0.3") for look in of.values()]
    legend_above(fig, boxes, [str(name) for name in of])


def relative_errors(errors: pd.DataFrame) -> Figure:
    """Draw the relative error of n* from few experiments against n* from many (first version, Figure 4)."""
    studies, kernels = errors["study"].unique(), errors["kernel"].unique()
    of = looks(errors["method"].unique())
    n = len(kernels) * len(studies)
    fig, axes = panels(n, 0.15 + 1.75, len(studies), sharex=True, sharey=True)
    for i, ax in enumerate(axes):
        kernel, study = kernels[i // len(studies)], studies[i % len(studies)]
        _boxes(errors[(errors["study"] == study) & (errors["kernel"] == kernel)], "size", "relative_error", of, ax)
        ax.set(title=f"{study}: {kernel}", xlabel="", ylabel="", ylim=(0, 1.3))
    for ax in axes[-len(studies) :]:
        ax.set_xlabel("preliminary experiments, N")
    fig.supylabel("relative error of n*", fontsize=10)
    _legend(fig, of)
    return plain(fig)


def estimate_ratios(ratios: pd.DataFrame) -> Figure:
    """Draw estimated over true n* (second version, Figure 5)."""
    kernels, levels = ratios["kernel"].unique(), list(ratios["n_alternatives"].unique())
    sizes = sorted(ratios["size"].unique())
    of = looks(ratios["method"].unique())
    step = len(sizes) + 0.6  # a gap between the groups
    starts = step * np.arange(len(levels))
    places = ratios["n_alternatives"].map(dict(zip(levels, starts, strict=True))) + ratios["size"].map(sizes.index)
    ratios = ratios.assign(place=places.astype(float))
    fig, axes = panels(len(kernels), 1.9, 1, sharex=True, sharey=True)
    for ax, kernel in zip(axes, kernels, strict=True):
        ax.axhspan(0.5, 2, color="0.95", zorder=0)
        ax.axhline(1, color=LOOKS["truth"].color, linestyle=LOOKS["truth"].line, linewidth=1)
        _boxes(ratios[ratios["kernel"] == kernel], "place", "ratio", of, ax, native_scale=True)
        ax.set(xlabel="", ylabel="", yscale="log", ylim=(0.2, 5), title=str(kernel))
        log_counts(ax.yaxis)
        ax.grid(axis="x", visible=False)
        ends = [start + len(sizes) - 0.2 for start in starts[:-1]]
        ax.vlines(ends, 0.2, 5, color="0.8", linewidth=0.8)
        for start, number in zip(starts, levels, strict=True):
            where: dict[str, Any] = {"ha": "center", "va": "top", "fontsize": 9, "color": "0.3"}
            ax.annotate(
                f"{number} alternatives",
                (start + (len(sizes) - 1) / 2, 0.98),
                xycoords=("data", "axes fraction"),
                **where,
            )
    ticks = [(start + i, f"{size:g}") for start in starts for i, size in enumerate(sizes)]
    axes[-1].set_xticks([at for at, _ in ticks], [text for _, text in ticks])
    axes[-1].set(xlim=(-0.8, starts[-1] + len(sizes) - 0.2), xlabel="experiments, N")
    fig.supylabel("estimated / true n*", fontsize=10)
    _legend(fig, of)
    return plain(fig)


def ratio_intervals(ratios: pd.DataFrame) -> Figure:
    """Draw how far estimates of n* are from the truth, all settings together: the picture of a page."""
    of_cells = ratios.groupby(["method", "size"], sort=False)["ratio"]
    found = of_cells.quantile([0.05, 0.5, 0.95], interpolation="nearest").unstack()
    sizes = sorted(ratios["size"].unique())
    of = looks(ratios["method"].unique())
    fig, (ax,) = panels(1, 3.6)
    ax.axhspan(0.5, 2, color="0.95", zorder=0)
    ax.axhline(1, color=LOOKS["truth"].color, linestyle=LOOKS["truth"].line, linewidth=1)
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
    ax.set(xlabel="preliminary experiments, N; lines hold 90 % of the estimates")
    ax.set_ylabel("estimated / true n*")
    ax.grid(axis="x", visible=False)
    solid = {str(method): look.of_line() | {"linestyle": "-"} for method, look in of.items()}
    legend_above(fig, [Line2D([], [], markersize=7, linewidth=4, **line) for line in solid.values()], list(solid))
    return plain(fig)


def errors_by_method(summary: pd.DataFrame) -> Figure:
    """Draw the error of every estimator over the number of experiments."""
    kernels = summary["kernel"].unique()
    of = looks(summary["method"].unique())
    sizes = sorted(summary["size"].unique())
    fig, axes = panels(len(kernels), 2.55, sharex=True, sharey=True)
    for i, (ax, kernel) in enumerate(zip(axes, kernels, strict=True)):
        for method, look in of.items():
            part = summary[(summary["kernel"] == kernel) & (summary["method"] == method)].sort_values("size")
            if len(part):
                ax.plot(part["size"], part["rmse"], label=str(method), markersize=5.5, linewidth=1.5, **look.of_line())
        ax.set(xscale="log", yscale="log", title=str(kernel))
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.minorticks_off()
        log_counts(ax.yaxis)
        if i >= len(axes) - 2:
            ax.set_xlabel("experiments, N")
    fig.supylabel("RMSE of log(estimate / true n*)", fontsize=10)
    legend_above(fig, [Line2D([], [], markersize=6, **look.of_line()) for look in of.values()], [str(m) for m in of])
    return plain(fig)


def coverage_and_width(summary: pd.DataFrame, n_studies: int) -> Figure:
    """Draw how often intervals hold the truth, and how wide they are."""
    kernels, sizes = summary["kernel"].unique(), sorted(summary["size"].unique())
    of = looks(summary["n_alternatives"].unique())
    fig, axes = panels(2 * len(kernels), 1.9, sharex=True, sharey="col")
    for left, right, kernel in zip(axes[::2], axes[1::2], kernels, strict=True):
        left.axhspan(0.92, 0.98, color="0.93", zorder=0)
        left.axhline(0.95, color=REFERENCE, linestyle="--", linewidth=1)
        for i, (level, look) in enumerate(of.items()):
            shown = summary[(summary["kernel"] == kernel) & (summary["n_alternatives"] == level)].sort_values("size")
            coverage = shown["coverage"].to_numpy(dtype=float)
            ends = share_interval(coverage, n_studies)
            # side by side, or the Monte Carlo intervals would hide each other
            place = shown["size"] * 1.05 ** (i - (len(of) - 1) / 2)
            point: dict[str, Any] = {"color": look.color, "marker": look.marker, "linestyle": "", "label": str(level)}
            left.errorbar(place, coverage, [coverage - ends[0], ends[1] - coverage], markersize=4.5, **point)
            right.plot(shown["size"], shown["width"].astype(float), markersize=4.5, linewidth=1.2, **look.of_line())
        left.set(title=str(kernel), xscale="log", ylabel="coverage")
        right.set(yscale="log", ylabel="width, high / low")
        log_counts(right.yaxis)
    for ax in axes[-2:]:
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.set_xlim(sizes[0] / 1.2, sizes[-1] * 1.2)  # a single size alone would leave the axis no width
        ax.minorticks_off()
        ax.set_xlabel("experiments, N")
    axes[0].set_ylim(top=min(axes[0].get_ylim()[1], 1.005))
    handles = [Line2D([], [], markersize=6, **look.of_line()) for look in of.values()]
    legend_above(fig, handles, [str(level) for level in of], title="alternatives")
    return plain(fig)


def sequential_histories(histories: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw how the estimate of n* develops while experiments are run."""
    look = LOOKS["moments"]
    fig, axes = panels(len(histories), 3.6, sharex=True, sharey=True)
    longest = max(history["n_experiments"].max() for history in histories.values())
    ends = np.concatenate([history[["nstar", "low", "high"]].to_numpy().ravel() for history in histories.values()])
    limits = reach([1, longest], ends, log=True, share=0.9)
    for ax, (title, history) in zip(axes, histories.items(), strict=True):
        ax.set(xlim=(0, longest + 4), yscale="log", ylim=limits, title=str(title))
        diagonal = np.linspace(1, longest + 4, 200)  # a curve: only one of the axes is logarithmic
        ax.plot(diagonal, diagonal, color=REFERENCE, linestyle=":", linewidth=1)
        at, nstar = history["n_experiments"].to_numpy(), history["nstar"].to_numpy()
        seen = intervals(ax, at, nstar, history["low"], history["high"], look.color, upright=True, linewidth=2.4)
        ax.plot(at[seen], nstar[seen], markersize=6, **(look.of_line() | {"linestyle": ""}))
        if seen[-1]:
            ax.plot(at[-1], nstar[-1], "*", color=INK, markersize=15, markeredgecolor="white")
        log_counts(ax.yaxis)
    for i, ax in enumerate(axes):
        ax.set(ylabel="" if i % 2 else "n*", xlabel="experiments run, N" if i >= len(axes) - 2 else "")
    entries = {
        "n* = N": Line2D([], [], color=REFERENCE, linestyle=":", linewidth=1),
        "n*, interval of nominal 95 %": Line2D([], [], markersize=6, linewidth=2.4, **look.of_line()),
        "the study ends": Line2D([], [], marker="*", color=INK, markersize=13, linestyle=""),
    }
    legend_above(fig, list(entries.values()), list(entries))
    return plain(fig)
