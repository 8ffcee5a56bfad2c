"""What notebook 01 needs: checkmate in one, the papers' running example, and its figures.

The papers give no probabilities. Here each model finds the mate in a position with a probability of its own,
independently of the others, which is an assumption made to have a distribution of results that is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import similar
from genexpy_nb.common.random import generator
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.exact import definition, exact_generalizability, exact_nstar
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.generalization.theory import bound, closed_form
from genexpy_nb.plots.layout import legend_above, name_curves, panels
from genexpy_nb.plots.style import ACCENT, CONTRAST, INK, LOOKS, REFERENCE, SMALL, WIDTH, log_counts, looks, plain, tint


def checkmate_distribution(success: Sequence[float]) -> RankingDistribution:
    """Return the distribution of the ranking of the models on a random position."""
    p = np.asarray(success, dtype=float)
    solved = np.array(list(product([0, 1], repeat=len(p))))
    weights = np.prod(np.where(solved, p, 1 - p), axis=1)
    rankings, group = np.unique(rank_scores(solved, higher_is_better=True), axis=0, return_inverse=True)
    return RankingDistribution(rankings, np.bincount(group.ravel(), weights=weights))


def checkmate_results(
    success: Mapping[int, Sequence[float]], n_positions: int, rng: np.random.Generator | int
) -> pd.DataFrame:
    """Simulate a table of results: models on positions, with some examples in the prompt or none."""
    rng = generator(rng)
    frames = []
    for shots, probabilities in success.items():
        p = np.asarray(probabilities, dtype=float)
        frame = pd.DataFrame(
            list(product(range(1, n_positions + 1), [shots], [f"a{i + 1}" for i in range(len(p))])),
            columns=["position", "shots", "model"],
        )
        frames.append(frame.assign(solved=(rng.random((n_positions, len(p))) < p).astype(int).ravel()))
    return pd.concat(frames, ignore_index=True)


def exact_curves(
    gram: ArrayLike, probabilities: ArrayLike, epsilons: Mapping[str, float], sizes: Sequence[int]
) -> pd.DataFrame:
    """Compute n-generalizability of a known distribution for several sizes and thresholds, without simulation."""
    return pd.DataFrame(
        [
            {"n": n, "curve": name, "generalizability": exact_generalizability(gram, n, epsilon, probabilities)}
            for name, epsilon in epsilons.items()
            for n in sizes
        ]
    )


def known_nstar(
    gram: ArrayLike,
    alpha: float,
    epsilons: Mapping[str, float],
    probabilities: ArrayLike,
    *,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Compute n* of a known distribution in four ways."""
    return pd.DataFrame(
        {
            name: {
                "exact": exact_nstar(gram, alpha, epsilon, probabilities),
                "definition": definition(gram, alpha, epsilon, probabilities, rng=rng),
                "closed-form": closed_form(gram, alpha, epsilon, probabilities),
                "bound": bound(alpha, epsilon),
            }
            for name, epsilon in epsilons.items()
        }
    )


# --- figures ---------------------------------------------------------------------------------------------------------


def ranking_label(ranking: Sequence[int], names: Sequence[str] | None = None) -> str:
    """Write a ranking as text, best tier first."""
    tiers = np.asarray(ranking)
    labels = [str(i + 1) for i in range(len(tiers))] if names is None else list(names)
    tied = [[labels[i] for i in np.flatnonzero(tiers == tier)] for tier in range(int(tiers.max()) + 1)]
    return " > ".join("=".join(alike) for alike in tied)


def kernel_matrices(rankings: pd.DataFrame, kernels: Sequence[Kernel]) -> Figure:
    """Draw how similar rankings are to each other, one heat map per kernel."""
    labels = [ranking_label(row) for row in rankings.to_numpy()]
    fig, axes = panels(len(kernels), 0.6 + 0.16 * max(len(labels), 8))
    for i, (ax, kernel) in enumerate(zip(axes, kernels, strict=True)):
        image = ax.imshow(kernel.gram(rankings), vmin=0, vmax=1, cmap="viridis", aspect="auto")
        ax.set_title(kernel.name)
        lowest = i >= len(axes) - 2  # only they have names below
        ax.set_xticks(range(len(labels)), labels if lowest else [""] * len(labels), rotation=90, fontsize=SMALL)
        ax.set_yticks(range(len(labels)), labels if i % 2 == 0 else [""] * len(labels), fontsize=SMALL)
        ax.tick_params(length=0)
        ax.grid(visible=False)
    fig.colorbar(image, ax=axes, label="kernel (1: alike)", shrink=0.8)
    return plain(fig)


def two_studies(
    first: pd.DataFrame,
    second: pd.DataFrame,
    observed: float,
    distances: ArrayLike,
    probabilities: ArrayLike,
    epsilon: float,
) -> Figure:
    """Draw two realizations of a study, and where their distance lies among all that could be observed."""
    distances, probabilities = np.asarray(distances), np.asarray(probabilities)
    fig = plt.figure(figsize=(WIDTH, 3.8), layout="constrained")
    grid = fig.add_gridspec(2, 2, width_ratios=[1, 2.6])
    axes = [fig.add_subplot(place) for place in (grid[0, 0], grid[1, 0], grid[:, 1])]
    n_tiers = int(max(first.to_numpy().max(), second.to_numpy().max())) + 1
    for ax, name, study in zip(axes[:2], "xy", (first, second), strict=True):
        ax.imshow(study.to_numpy(), cmap="cividis_r", vmin=0, vmax=max(n_tiers, 2) - 0.5, aspect="auto")
        for (row, column), tier in np.ndenumerate(study.to_numpy()):
            ax.text(column, row, tier, ha="center", va="center", color="black" if tier == 0 else "white")
        ax.set_xticks(range(study.shape[1]), study.columns if name == "y" else [""] * study.shape[1])
        ax.set_yticks(range(len(study)), study.index)
        ax.set(title=f"Study {name}", ylabel=study.index.name)
        ax.tick_params(length=0)
        ax.grid(visible=False)
    ax = axes[2]
    agree = similar(distances, epsilon)
    for shown, colour, style, label in ((agree, ACCENT, "-", "agree"), (~agree, CONTRAST, "--", "do not agree")):
        ax.vlines(distances[shown], 0, probabilities[shown], color=colour, linestyle=style, linewidth=5, label=label)
    ax.axvline(epsilon, color=REFERENCE, linestyle=":", linewidth=1.2, label=f"threshold ε = {epsilon:.3f}")
    nearest = int(np.argmin(np.abs(distances - observed)))
    ax.scatter(observed, probabilities[nearest], color=INK, marker="v", s=60, zorder=3, label="studies x and y")
    ax.set(xlabel=f"MMD between two studies of {len(first)} experiments", ylabel="probability", ylim=(0, None))
    ax.set_title(f"They agree with probability {min(probabilities[agree].sum(), 1):.3f}")
    ax.legend(loc="upper right", frameon=True, framealpha=1, edgecolor="none")
    return plain(fig)


def generalizability_curves(curves: pd.DataFrame, alpha: float) -> Figure:
    """Draw n-generalizability over the size of a study."""
    fig, (ax,) = panels(1, 3.6)
    groups = dict(list(curves.groupby("curve", sort=False)))
    ends = []
    for label, look in looks(groups).items():
        part = groups[label].sort_values("n")
        ax.plot(part["n"], part["generalizability"], markersize=4, linewidth=1.5, label=label, **look.of_line())
        enough = part[part["generalizability"] >= alpha]
        said = str(label)
        if len(enough):
            first = enough.iloc[0]
            ax.scatter(first["n"], first["generalizability"], marker="*", s=190, color=look.color, zorder=3)
            said = f"{label}\nn* = {first['n']:g}"
        ends.append((part["generalizability"].iloc[-1], said, look.color))
    ax.axhline(alpha, color=REFERENCE, linestyle="--", linewidth=1)
    ax.set(xlabel="experiments per study, n", ylabel="n-generalizability", ylim=(0, 1.06))
    ax.set_xlim(0.5, curves["n"].max() + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    wanted: dict[str, Any] = {"textcoords": "offset points", "fontsize": 9, "color": "0.3", "ha": "right", "va": "top"}
    ax.annotate(f"wanted, α = {alpha:g}", (1, alpha), (-4, -4), xycoords=("axes fraction", "data"), **wanted)
    name_curves(fig, ax, ends, gap_lines=2)
    return plain(fig)


def estimates_by_size(estimates: pd.DataFrame, truths: Mapping[str, float]) -> Figure:
    """Draw how estimates of n* scatter around the truth, over the number of experiments they were made from."""
    colours = {name: tint(look.color, 0.4) for name, look in looks(estimates["method"].unique()).items()}
    fig, axes = panels(len(truths), 3.6 if len(truths) <= 2 else 2.8)
    for i, (ax, (case, truth)) in enumerate(zip(axes, truths.items(), strict=True)):
        part = estimates[estimates["case"] == case]
        ax.axhline(truth, color=LOOKS["truth"].color, linestyle=LOOKS["truth"].line, linewidth=1.4)
        box: dict[str, Any] = {"hue": "method", "hue_order": list(colours), "palette": colours, "saturation": 1}
        box |= {"legend": False, "width": 0.7, "linewidth": 0.9, "showfliers": False, "whis": (5, 95)}
        sns.boxplot(part, x="size", y="nstar", ax=ax, **box)
        ax.set_yscale("log")
        log_counts(ax.yaxis)
        ax.set(xlabel="preliminary experiments, N", title=f"{case}: n* = {truth:g}")
        ax.set_ylabel("" if i % 2 else "estimated n*")
    legend_above(fig, [Patch(facecolor=colour, edgecolor="0.3") for colour in colours.values()], [*map(str, colours)])
    return plain(fig)
