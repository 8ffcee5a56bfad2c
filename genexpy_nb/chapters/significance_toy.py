"""What notebook 05 needs: a toy study whose few possible samples are listed, and false claims of tests of pairs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Hashable, Mapping, Sequence
from math import comb
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import ArrayLike
from scipy.special import comb as combinations
from scipy.stats import multinomial
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.common.checks import check_count, similar
from genexpy_nb.common.random import generator, seed_of
from genexpy_nb.generalization.discrepancy import mmd_from_counts
from genexpy_nb.generalization.exact import compositions, definition
from genexpy_nb.generalization.kernels import JaccardKernel, Kernel
from genexpy_nb.generalization.resampling import generalizability
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.plots.layout import legend_above, name_curves, panels, share_interval
from genexpy_nb.plots.style import COLOURS, HERO_HEIGHT, INK, WIDTH, Look, plain
from genexpy_nb.significance import (
    Best,
    adjust_pvalues,
    best_alternative,
    conover_iman,
    friedman,
    paired_differences,
    wilcoxon_pratt,
)

# Generalizability of Experimental Studies, second version, Eqs. 11 and 12: alternative 0 is best in 55 % of all cases.
TOY = RankingDistribution(np.array([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]]), np.array([0.55, 0.45]))

# The same paper, Table 1: 1,000 simulated samples.
PUBLISHED_TOY = pd.DataFrame(
    {
        "significant": ["no", "no", "no", "yes", "yes", "all"],
        "best": ["{0}", "{0, 1}", "{1}", "{0}", "{1}", ""],
        "count": [335.0, 150.0, 182.0, 276.0, 57.0, 1000.0],
        "generalizability": [0.73, 0.82, 0.71, 0.74, 0.72, 0.74],
        "sd": [0.10, 0.03, 0.10, 0.11, 0.09, 0.10],
    }
)


def exact_toy(
    distribution: RankingDistribution = TOY,
    n: int = 20,
    k_gen: int = 10,
    level: float = 0.05,
    delta: float = 0.05,
    kernel: Kernel | None = None,
) -> pd.DataFrame:
    """Enumerate all samples of the toy study, with their probabilities."""
    kernel, epsilon = _check(distribution, n, k_gen, delta, kernel)
    n_atoms = len(distribution.probabilities)
    counts = compositions(n, n_atoms)[::-1]  # the first ranking most often first
    halves = compositions(k_gen, n_atoms)
    first, second = np.repeat(halves, len(halves), axis=0), np.tile(halves, (len(halves), 1))
    gram = kernel.gram(distribution.rankings)
    alike = similar(mmd_from_counts(gram, (first - second) / k_gen), epsilon)
    first, second = first[alike], second[alike]
    ways = comb(n, k_gen) * comb(n - k_gen, k_gen)
    # Multivariate hypergeometric: choose the first study from the sample, then the second from what is left.
    gen = [
        float(np.prod(combinations(c, first) * combinations(np.maximum(c - first, 0), second), axis=1).sum() / ways)
        for c in counts
    ]
    tests = [_test(distribution, c, level) for c in counts]
    return _samples(counts, multinomial.pmf(counts, n, distribution.probabilities), tests, np.array(gen))


def simulate_toy(
    distribution: RankingDistribution = TOY,
    n: int = 20,
    k_gen: int = 10,
    level: float = 0.05,
    delta: float = 0.05,
    kernel: Kernel | None = None,
    n_studies: int = 1000,
    n_resamples: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate the toy study as the paper does, from any finite distribution."""
    kernel, epsilon = _check(distribution, n, k_gen, delta, kernel)
    rng = generator(rng)
    counts = rng.multinomial(n, distribution.probabilities, size=n_studies)
    gram = kernel.gram(distribution.rankings)
    rows = [np.repeat(np.arange(len(c)), c) for c in counts]
    gen = [generalizability(gram[np.ix_(r, r)], k_gen, epsilon, n_resamples=n_resamples, rng=rng) for r in rows]
    known = {tuple(c): _test(distribution, c, level) for c in np.unique(counts, axis=0)}
    return _samples(counts, np.full(n_studies, 1 / n_studies), [known[tuple(c)] for c in counts], np.array(gen))


def toy_table(samples: pd.DataFrame, n_studies: int = 1000) -> pd.DataFrame:
    """Summarize the toy study as the paper's Table 1 does."""

    def row(significant: str, best: str, part: pd.DataFrame) -> dict[str, object]:
        weight = part["probability"].to_numpy()
        gen = part["generalizability"].to_numpy()
        mean = np.average(gen, weights=weight)
        sd = np.sqrt(np.average((gen - mean) ** 2, weights=weight))
        count = n_studies * weight.sum()
        return {"significant": significant, "best": best, "count": count, "generalizability": mean, "sd": sd}

    possible = samples[samples["probability"] > 0]
    groups = possible.groupby([possible["significant"], possible["best"].str.strip("{}")])
    rows = [row("yes" if significant else "no", f"{{{best}}}", part) for (significant, best), part in groups]
    return pd.DataFrame([*rows, row("all", "", possible)])


def variance_explained(samples: pd.DataFrame, groups: pd.Series) -> float:
    """Say how much of the variance of generalizability lies between groups of samples."""
    gen, weight = samples["generalizability"], samples["probability"]
    mean = np.average(gen, weights=weight)
    total = np.average((gen - mean) ** 2, weights=weight)
    of_group = (gen * weight).groupby(groups).transform("sum") / weight.groupby(groups).transform("sum")
    return float(np.average((of_group - mean) ** 2, weights=weight) / total) if total > 0 else float("nan")


def toy_claims(
    probabilities: Sequence[float],
    n: int = 20,
    k_gen: int = 10,
    level: float = 0.05,
    delta: float = 0.05,
) -> pd.DataFrame:
    """Say how often the toy study claims what, if the first of its two rankings has another probability."""
    rows: list[tuple[float, str, float]] = []
    for p in probabilities:
        samples = exact_toy(RankingDistribution(TOY.rankings, np.array([p, 1 - p])), n, k_gen, level, delta)
        claimed = samples["probability"].groupby([samples["significant"], samples["best"]]).sum()
        mean = np.average(samples["generalizability"], weights=samples["probability"])
        rows += [
            (p, "claim: 0 is significantly best", float(claimed.get((True, "{0}"), 0.0))),
            (p, "claim: 1 is significantly best", float(claimed.get((True, "{1}"), 0.0))),
            (p, f"{k_gen}-generalizability (mean)", float(mean)),
        ]
    return pd.DataFrame(rows, columns=["probability", "claim", "share"])


def compare_worlds(
    worlds: Mapping[str, RankingDistribution],
    n: int = 20,
    k_gen: int = 10,
    level: float = 0.05,
    alpha: float = 0.95,
    delta: float = 0.05,
    kernel: Kernel | None = None,
    n_studies: int = 400,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate the toy study in several worlds, and say what tests and generalizability make of each."""
    seed, rows = seed_of(rng), []
    for distribution in worlds.values():
        chosen, epsilon = _check(distribution, n, k_gen, delta, kernel)
        samples = simulate_toy(
            distribution, n, k_gen, level, delta, chosen, n_studies=n_studies, n_resamples=n_resamples, rng=seed
        )
        best = samples.loc[samples["significant"], "best"]
        gram = chosen.gram(distribution.rankings)
        # with a single possible result, any two studies agree
        one = len(gram) == 1
        rows.append(
            {
                "friedman_rejects": (samples["p_friedman"] <= level).mean(),
                "significant": samples["significant"].mean(),
                "same_best": best.value_counts(normalize=True).max(),
                "generalizability": samples["generalizability"].mean(),
                "nstar": 1.0 if one else definition(gram, alpha, epsilon, distribution.probabilities, rng=seed),
            }
        )
    return pd.DataFrame(rows, index=pd.Index(worlds, name="world"))


def _check(
    distribution: RankingDistribution, n: int, k_gen: int, delta: float, kernel: Kernel | None
) -> tuple[Kernel, float]:
    """Return the kernel and its threshold."""
    check_count("k_gen", k_gen, at_most=n // 2)  # two disjoint studies of this size
    chosen: Kernel = JaccardKernel(k=1) if kernel is None else kernel
    return chosen, float(chosen.epsilon(delta, distribution.rankings.shape[1]))


def _test(distribution: RankingDistribution, counts: np.ndarray, level: float) -> Best:
    return best_alternative(np.repeat(distribution.rankings, counts, axis=0), level, "none", higher_is_better=False)


def _samples(counts: np.ndarray, probability: np.ndarray, tests: list[Best], gen: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "counts": [tuple(c) for c in counts.tolist()],
            "probability": probability,
            "p_friedman": [test.p_friedman for test in tests],
            "p_others": [test.p_others for test in tests],
            "best": ["{" + ", ".join(map(str, test.best)) + "}" for test in tests],
            "significant": [test.significant for test in tests],
            "generalizability": gen,
        }
    )


# --- how often tests find a difference between equal alternatives -----------------------------------------------------

PAIR_TESTS = ("Friedman, then Conover-Iman with Holm", "Wilcoxon with Holm")


def familywise_errors(
    location: ArrayLike,
    scale: ArrayLike = 1.0,
    n_conditions: int = 20,
    *,
    noise: str = "normal",
    level: float = 0.05,
    n_studies: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate tables of scores, test all pairs, and count the tables with a false difference: a row per test."""
    location = np.asarray(location, dtype=float)
    i, j = np.triu_indices(len(location), 1)
    equal = location[i] == location[j]
    rng, size = generator(rng), (n_studies, n_conditions, len(location))
    drawn = rng.normal(size=size) if noise == "normal" else rng.exponential(size=size) - 1
    tables = location + np.asarray(scale) * drawn
    # One call for the signed-rank tests of all tables: the distribution of the rank sum is then counted once.
    p = wilcoxon_pratt(np.concatenate([paired_differences(scores, i, j) for scores in tables]))
    n_false = np.zeros(len(PAIR_TESTS), dtype=int)
    for scores, raw in zip(tables, p.reshape(n_studies, -1), strict=True):
        if friedman(scores, higher_is_better=True).p <= level:
            n_false[0] += (conover_iman(scores, "holm").to_numpy()[i, j][equal] <= level).any()
        n_false[1] += (adjust_pvalues(raw, "holm")[equal] <= level).any()
    low, high = proportion_confint(n_false, n_studies, method="wilson")
    return pd.DataFrame(
        {"test": PAIR_TESTS, "n_false": n_false, "estimate": n_false / n_studies, "low": low, "high": high}
    )


# --- figures ---------------------------------------------------------------------------------------------------------


def _of_alternatives(names: list[Hashable]) -> dict[Hashable, Look]:
    """Return how claims about alternatives of the toy look: by the alternative, wherever it is named."""
    chosen: dict[Hashable, Look] = {}
    shown = list(COLOURS.values())
    for name in names:
        inside = re.search(r"\{([^{}]*)\}|(?<!\d)(\d+) is ", str(name))
        numbers = re.findall(r"\d+", inside.group(0)) if inside else []
        if len(numbers) == 1:
            i = int(numbers[0])
            chosen[name] = Look(shown[i % len(shown)], "osD^vPXd"[i % 8])
        else:
            chosen[name] = Look("0.45", "h", "-.") if numbers else Look(INK, "s", "--")
    return chosen


def toy_samples(samples: pd.DataFrame, k_gen: int = 10) -> Figure:
    """Draw every possible sample of the toy study: how likely it is, what it says, and how generalizable it looks."""
    how: dict[str, Any] = {"sharex": True, "height_ratios": [1, 1.5], "layout": "constrained"}
    fig, (above, below) = plt.subplots(2, 1, figsize=(WIDTH, HERO_HEIGHT), **how)
    first = np.array([counts[0] for counts in samples["counts"]])
    height = np.zeros(first.max() + 1)  # several samples share a count of the first ranking if there are three or more
    entries: dict[str, Patch] = {}
    for best, look in _of_alternatives(sorted(samples["best"].unique())).items():
        part = samples[samples["best"] == best]
        at = first[samples.index.get_indexer(part.index)]
        for significant in (False, True):
            chosen = (part["significant"] == significant).to_numpy()
            if not chosen.any():
                continue
            face = look.color if significant else "white"
            label = f"{best}, {'significantly best' if significant else 'not significantly'}"
            mass = np.bincount(at[chosen], part["probability"][chosen], minlength=len(height))
            bars = np.flatnonzero(mass)
            edge: dict[str, Any] = {"edgecolor": look.color, "linewidth": 1.5}
            above.bar(bars, mass[bars], bottom=height[bars], color=face, label=label, **edge)
            height += mass
            points = look.of_points(hollow=not significant)
            below.scatter(at[chosen], part["generalizability"][chosen], s=55, **points)
            entries[label] = Patch(facecolor=face, **edge)
    above.set(ylabel="probability")
    below.set(
        xlabel=f"how many of the {sum(samples['counts'].iloc[0])} results are the first ranking",
        ylabel=f"{k_gen}-generalizability",
        ylim=(None, 1.03),
    )
    legend_above(fig, list(entries.values()), list(entries))
    return plain(fig)


def toy_generalizability(samples: pd.DataFrame, k_gen: int = 10) -> Figure:
    """Draw the distribution of generalizability over the samples of the toy study (second version, Figure 6)."""
    fig, axes = panels(2, 4.2, sharey=True)
    claim = np.where(samples["significant"], "significant", "not significant")
    colours = _of_alternatives(sorted(samples["best"].unique()))
    by_claim = samples.groupby(claim)["generalizability"]
    for name, values in by_claim:
        style = "-" if name == "significant" else "--"
        axes[0].ecdf(values, label=f"{name} ({len(values):,})", color=INK, linestyle=style, linewidth=1.8)
        _band(axes[0], values.to_numpy())
    for (best, name), values in samples.groupby(["best", claim])["generalizability"]:
        line: dict[str, Any] = {"color": colours[best].color, "linestyle": "-" if name == "significant" else "--"}
        axes[1].ecdf(values, label=f"{best}, {name} ({len(values):,})", linewidth=1.8, **line)
    for ax, title in zip(axes, ("By significance", "By significance and best alternative"), strict=True):
        ax.set(xlabel=f"{k_gen}-generalizability", title=title)
        n_lines = len(ax.get_legend_handles_labels()[1])
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2 if n_lines > 2 else n_lines)
    axes[0].set_ylabel("share of the samples")
    return plain(fig)


def _band(ax: plt.Axes, values: np.ndarray) -> None:
    """Shade Wilson's intervals of the shares that a curve shows: it was simulated."""
    places, counts = np.unique(values, return_counts=True)
    low, high = share_interval(np.cumsum(counts) / len(values), len(values))
    ax.fill_between(places, low, high, step="post", color=INK, alpha=0.15, linewidth=0)


def claims_over_probability(claims: pd.DataFrame, n: int, k_gen: int = 10) -> Figure:
    """Draw how often a sample of the toy study claims what, over the probability of the first ranking."""
    fig, (ax,) = panels(1, 3.6)
    ax.set(xlabel="probability of the first ranking", ylabel="probability", ylim=(-0.02, 1.02))
    ax.set_title(f"Samples of {n} results, studies of {k_gen}")
    ends = []
    for claim, look in _of_alternatives(list(claims["claim"].unique())).items():
        part = claims[claims["claim"] == claim].sort_values("probability")
        ax.plot(part["probability"], part["share"], markersize=5, label=str(claim), **look.of_line())
        ends.append((part["share"].iloc[-1], textwrap.fill(str(claim), 20), look.color))
    name_curves(fig, ax, ends, gap_lines=max(name.count("\n") + 1 for _, name, _ in ends))
    return plain(fig)
