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
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from genexpy_nb.chapters.shared import simulate_estimates
from genexpy_nb.common import page
from genexpy_nb.common.checks import similar
from genexpy_nb.common.page import show_table
from genexpy_nb.common.prose import as_written, percent
from genexpy_nb.common.random import generator
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.plots.layout import legend_above, name_curves, panels
from genexpy_nb.plots.style import ACCENT, CONTRAST, INK, REFERENCE, WIDTH, looks, plain


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


# --- in words ---------------------------------------------------------------------------------------------------------


def tolerance(delta: float) -> str:
    """What a tolerance is called in a figure."""
    return f"δ = {as_written(delta)}"


# --- what the page shows ----------------------------------------------------------------------------------------------


def show_example(alike: Mapping[str, float], kernels: Sequence[Kernel]) -> None:
    """Show how alike the results of the papers' example are, next to the printed numbers, and keep these."""
    for kernel, printed in zip(kernels, [1, 0.33, 0.72], strict=True):
        page.key_number(
            f"kernel-{kernel.name.split('(')[0].lower()}",
            f"similarity of r and s, {kernel.name}",
            alike[kernel.name],
            published=printed,
            source="Matteucci et al. (2025), Example 4.1",
            reason="equal, up to rounding",
            decimals=3,
        )
    caption = "The similarity of the results r and s depends on the question."
    page.show_published("example", caption, folded="Published numbers, and ours")


def show_two_studies(
    studies: Sequence[pd.DataFrame], observed: float, distances: np.ndarray, chances: np.ndarray, epsilon: float
) -> None:
    """Show two studies, and how far apart two such studies can be: the papers' Figure 1."""
    alike = chances[similar(distances, epsilon)].sum()
    page.show_figure(
        two_studies(studies[0], studies[1], observed, distances, chances, epsilon),
        "two-studies",
        "Our version of the papers' Figure 1. Left: two studies, with the tiers of the models. Right: how likely each "
        "distance between two such studies is. The triangle marks the pair on the left.",
        f"Two studies of {len(studies[0])} positions look alike with probability {alike:.2f}.",
    )


def show_curves(curves: pd.DataFrame, enough: Mapping[float, int], alpha: float) -> None:
    """Show how the probability that two studies look alike grows with them."""
    said = "; ".join(f"with {tolerance(delta)}, {n}" for delta, n in enough.items())
    page.show_figure(
        generalizability_curves(curves.rename(columns=tolerance), alpha),
        "curves",
        "Large studies look alike with high probability. The curves show the exact probability for studies of n "
        f"positions, at two tolerances δ. A star marks n*, the smallest n that reaches {as_written(alpha)}.",
        f"Positions that two studies need to look alike with probability {as_written(alpha)}: {said}.",
    )


def keep_key_numbers(
    enough: Mapping[float, int], near: pd.Series, held: pd.Series, by_question: Mapping[str, int]
) -> None:
    """Keep the key numbers of the page, and show them."""
    for (delta, number), key in zip(enough.items(), ("tolerant", "strict"), strict=False):
        label = f"exact n* for the Borda question, {tolerance(delta)}"
        page.key_number(f"nstar-{key}", label, number, unit="positions", decimals=0)
    many = near.index.get_level_values("size").max()
    for method, name, by in (("moments", "moments", "the default"), ("resampling", "published", "published method")):
        label = f"share of estimates within a factor of 2, {by}, N = {many}"
        page.key_number(f"near-{name}", label, near[method, many].min(), decimals=2)
    page.key_number("coverage", "lowest share of intervals that contain the exact n*", held.min(), decimals=2)
    for name, number in by_question.items():
        label = f"n* of two equally likely results, {name}"
        page.key_number(f"question-{name.split('(')[0].lower()}", label, number, unit="experiments", decimals=0)
    page.show_key_numbers()


def check_results(truth: RankingDistribution, by_question: Mapping[str, int]) -> None:
    """See that what the text says without computing it holds."""
    assert len(truth.rankings) == 7  # of success or failure
    assert by_question["Borda(a1)"] == 1 < by_question["Mallows"] < by_question["Jaccard(1)"]  # as the papers conclude


# --- figures ---------------------------------------------------------------------------------------------------------


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
    fig = plt.figure(figsize=(WIDTH, 3.2), layout="constrained")
    grid = fig.add_gridspec(2, 2, width_ratios=[1, 2.2])
    axes = [fig.add_subplot(place) for place in (grid[0, 0], grid[1, 0], grid[:, 1])]
    n_tiers = int(max(first.to_numpy().max(), second.to_numpy().max())) + 1
    for ax, name, study in zip(axes[:2], "xy", (first, second), strict=True):
        ax.imshow(study.to_numpy(), cmap="cividis_r", vmin=0, vmax=max(n_tiers, 2) - 0.5, aspect="auto")
        for (row, column), tier in np.ndenumerate(study.to_numpy()):
            ax.text(column, row, tier, ha="center", va="center", color="black" if tier == 0 else "white")
        ax.set_xticks(range(study.shape[1]), study.columns if name == "y" else [""] * study.shape[1])
        ax.set_yticks(range(len(study)), [str(row + 1) for row in range(len(study))])
        ax.set(title=f"Study {name}", ylabel="position")
        ax.tick_params(length=0)
        ax.grid(visible=False)
    ax = axes[2]
    agree = similar(distances, epsilon)
    for shown, colour, style, label in ((agree, ACCENT, "-", "look alike"), (~agree, CONTRAST, "--", "differ")):
        ax.vlines(distances[shown], 0, probabilities[shown], color=colour, linestyle=style, linewidth=5, label=label)
    ax.axvline(epsilon, color=REFERENCE, linestyle=":", linewidth=1.2, label=f"threshold ε = {epsilon:.3f}")
    nearest = int(np.argmin(np.abs(distances - observed)))
    ax.scatter(observed, probabilities[nearest], color=INK, marker="v", s=60, zorder=3, label="studies x and y")
    ax.set(xlabel=f"distance between two studies\nof {len(first)} positions", ylabel="probability", ylim=(0, None))
    ax.set_title(f"They look alike with\nprobability {min(probabilities[agree].sum(), 1):.3f}")
    legend_above(fig, *ax.get_legend_handles_labels())
    return plain(fig)


def generalizability_curves(curves: pd.DataFrame, alpha: float) -> Figure:
    """Draw n-generalizability over the size of a study, a column of the frame for each curve."""
    fig, (ax,) = panels(1, 3.0)
    ends = []
    for label, look in looks(curves.columns).items():
        ax.plot(curves[label], markersize=4, linewidth=1.5, label=label, **look.of_line())
        enough = curves.index[curves[label] >= alpha]
        said = str(label)
        if len(enough):
            ax.scatter(enough[0], curves.loc[enough[0], label], marker="*", s=190, color=look.color, zorder=3)
            said = f"{label}\nn* = {enough[0]:g}"
        ends.append((curves[label].iloc[-1], said, look.color))
    ax.axhline(alpha, color=REFERENCE, linestyle="--", linewidth=1)
    ax.set(xlabel="positions per study, n", ylabel="probability of looking alike", ylim=(0, 1.06))
    ax.set_xlim(0.5, curves.index.max() + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
    wanted: dict[str, Any] = {"textcoords": "offset points", "color": "0.3", "ha": "right", "va": "top"}
    ax.annotate(f"wanted: {alpha:g}", (1, alpha), (-4, -4), xycoords=("axes fraction", "data"), **wanted)
    name_curves(fig, ax, ends, gap_lines=2)
    return plain(fig)
