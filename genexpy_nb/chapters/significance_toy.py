"""What notebook 05 needs: a toy study whose few possible samples are listed, and what it shows."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from math import comb
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from scipy.special import comb as combinations
from scipy.stats import binomtest, multinomial

from genexpy_nb.chapters.shared import MODELS as MODELS
from genexpy_nb.chapters.shared import in_words as in_words
from genexpy_nb.common import page
from genexpy_nb.common.checks import check_count, similar
from genexpy_nb.common.prose import percent, span
from genexpy_nb.common.prose import together as together
from genexpy_nb.common.random import generator, seed_of
from genexpy_nb.generalization.discrepancy import mmd_from_counts
from genexpy_nb.generalization.exact import compositions, definition
from genexpy_nb.generalization.kernels import JaccardKernel
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.plots.layout import legend_above
from genexpy_nb.plots.style import COLOURS, WIDTH, Look, plain
from genexpy_nb.significance import Best, best_alternative
from genexpy_nb.significance.multiple import holm_adjusted as holm_adjusted

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
    distribution: RankingDistribution = TOY, n: int = 20, k_gen: int = 10, level: float = 0.05, delta: float = 0.05
) -> pd.DataFrame:
    """Enumerate all samples of the toy study, with their probabilities."""
    check_count("k_gen", k_gen, at_most=n // 2)  # two disjoint studies of this size
    gram, epsilon = _winners(distribution, delta)
    n_atoms = len(distribution.probabilities)
    counts = compositions(n, n_atoms)[::-1]  # the first ranking most often first
    halves = compositions(k_gen, n_atoms)
    first, second = np.repeat(halves, len(halves), axis=0), np.tile(halves, (len(halves), 1))
    alike = similar(mmd_from_counts(gram, (first - second) / k_gen), epsilon)
    first, second = first[alike], second[alike]
    ways = comb(n, k_gen) * comb(n - k_gen, k_gen)
    # Multivariate hypergeometric: choose the first study from the sample, then the second from what is left.
    gen = [
        float(np.prod(combinations(c, first) * combinations(np.maximum(c - first, 0), second), axis=1).sum() / ways)
        for c in counts
    ]
    tests = [_test(distribution, c, level) for c in counts]
    return pd.DataFrame(
        {
            "counts": [tuple(c) for c in counts.tolist()],
            "probability": multinomial.pmf(counts, n, distribution.probabilities),
            "p_friedman": [test.p_friedman for test in tests],
            "p_others": [test.p_others for test in tests],
            "best": ["{" + ", ".join(map(str, test.best)) + "}" for test in tests],
            "significant": [test.significant for test in tests],
            "generalizability": gen,
        }
    )


def toy_table(samples: pd.DataFrame) -> pd.DataFrame:
    """Summarize the toy study as the paper's Table 1 does."""

    def row(significant: str, best: str, part: pd.DataFrame) -> tuple[Any, ...]:
        weight, gen = part["probability"].to_numpy(), part["generalizability"].to_numpy()
        mean = np.average(gen, weights=weight)
        return significant, best, 1000 * weight.sum(), mean, np.sqrt(np.average((gen - mean) ** 2, weights=weight))

    possible = samples[samples["probability"] > 0]
    groups = possible.groupby([possible["significant"], possible["best"].str.strip("{}")])
    rows = [row("yes" if significant else "no", f"{{{best}}}", part) for (significant, best), part in groups]
    return pd.DataFrame([*rows, row("all", "", possible)], columns=PUBLISHED_TOY.columns)


def share_with_a_winner(distribution: RankingDistribution, n: int, level: float, rng: int = 0) -> float:
    """Say how many studies have a significant winner."""
    counts, weight = _studies(distribution, n, 2_000, rng)
    return float(weight @ [_test(distribution, c, level).significant for c in counts])


def next_study(distribution: RankingDistribution, n: int, level: float, sign: bool = False) -> pd.Series:
    """Say what the next study names after one with a significant winner, by the paper's test or by signs."""
    samples = exact_toy(distribution, n, n // 2, level)
    weight, significant = samples["probability"], samples["significant"]
    if sign:
        significant = pd.Series([binomtest(wins, n).pvalue <= level for wins, _ in samples["counts"]])
    best = weight[significant].groupby(samples["best"]).sum()
    same, found = (best**2).sum() / best.sum(), best.sum()
    return pd.Series({"same winner": same, "another": found - same, "none": 1 - found})


def compare_worlds(
    worlds: Mapping[str, RankingDistribution],
    n: int = 20,
    level: float = 0.05,
    alpha: float = 0.95,
    delta: float = 0.05,
    n_studies: int = 400,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Say how often studies of n have a winner, and how many datasets two need to agree, in several worlds."""
    seed, rows = seed_of(rng), []
    for distribution in worlds.values():
        gram, epsilon = _winners(distribution, delta)
        p = distribution.probabilities
        counts, weight = _studies(distribution, n, n_studies, seed)
        tests = [_test(distribution, c, level) for c in counts]
        winner = pd.Series([str(test.best) if test.significant else None for test in tests], dtype=object)
        best = pd.Series(weight).groupby(winner).sum()
        # with a single possible result, any two studies agree
        nstar = 1.0 if len(gram) == 1 else definition(gram, alpha, epsilon, p, rng=seed)
        rows.append((best.sum(), best.max() / best.sum(), nstar))
    return pd.DataFrame(rows, pd.Index(worlds, name="world"), ["significant", "same_best", "nstar"])


def _studies(distribution: RankingDistribution, n: int, n_studies: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """List the studies of two possible rankings with their probabilities, and simulate those of more."""
    p = distribution.probabilities
    if len(p) == 2:
        return compositions(n, 2), multinomial.pmf(compositions(n, 2), n, p)
    counts, times = np.unique(generator(seed).multinomial(n, p, size=n_studies), axis=0, return_counts=True)
    return counts, times / n_studies


def _winners(distribution: RankingDistribution, delta: float) -> tuple[np.ndarray, float]:
    """Return how alike the winners of any two results are, and the threshold."""
    kernel = JaccardKernel(k=1)
    return kernel.gram(distribution.rankings), float(kernel.epsilon(delta, distribution.rankings.shape[1]))


def _test(distribution: RankingDistribution, counts: np.ndarray, level: float) -> Best:
    return best_alternative(np.repeat(distribution.rankings, counts, axis=0), level, higher_is_better=False)


# --- figures ---------------------------------------------------------------------------------------------------------


def _of_alternatives(names: list[Hashable]) -> dict[Hashable, Look]:
    """Return how the best alternatives of samples look."""
    shown = [Look(*look) for look in zip(COLOURS.values(), "osD^vPXd", strict=False)]
    numbers = {name: re.findall(r"\d+", str(name)) for name in names}
    return {k: shown[int(v[0]) % len(shown)] if len(v) == 1 else Look("0.45", "h", "-.") for k, v in numbers.items()}


def toy_samples(samples: pd.DataFrame, k_gen: int = 10) -> Figure:
    """Draw every possible sample of the toy study: how likely it is, what it says, and how generalizable it looks."""
    how: dict[str, Any] = {"sharex": True, "height_ratios": [1, 1.3], "layout": "constrained"}
    fig, (above, below) = plt.subplots(2, 1, figsize=(WIDTH, 4.4), **how)
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
            so_far = " tied" if "," in str(best) else " ahead"
            label = f"{_named(str(best))}{', significant' if significant else so_far}"
            mass = np.bincount(at[chosen], part["probability"][chosen], minlength=len(height))
            bars = np.flatnonzero(mass)
            edge: dict[str, Any] = {"edgecolor": look.color, "linewidth": 1.5}
            above.bar(bars, mass[bars], bottom=height[bars], color=face, label=label, **edge)
            height += mass
            points = look.of_points(hollow=not significant)
            below.scatter(at[chosen], part["generalizability"][chosen], s=55, **points)
            entries[label] = Patch(facecolor=face, **edge)
    above.set(ylabel="probability\nof the sample")
    n = sum(samples["counts"].iloc[0])
    below.set(xlabel=f"on how many of the {n} datasets method 0 comes first", ylim=(None, 1.03))
    below.set_ylabel(f"probability that two\nstudies of {k_gen} look alike")
    legend_above(fig, list(entries.values()), list(entries))
    return plain(fig)


# --- what the notebook shows ------------------------------------------------------------------------------------------


def show_samples(samples: pd.DataFrame, k_gen: int) -> None:
    """Show all samples: how likely each is, what it claims, and how often its studies agree."""
    best = samples[samples["significant"]].groupby("best")["probability"].sum()
    claims = ", ".join(f"{_named(name)} in {percent(share)}" for name, share in best[best > 0].items())
    page.show_figure(
        toy_samples(samples, k_gen),
        "samples",
        "**Who is significantly best depends on the sample that a study happens to draw.** Each bar, with the point "
        "below it, is one possible sample of an invented population. Filled ones have a significantly best method. "
        "The lower panel shows how often two random halves of the sample look alike.",
        f"{len(samples)} possible samples. How often each method is significantly best: {claims or 'never'}. "
        f"Two studies of {k_gen} look alike with a probability of {span(samples['generalizability'])}.",
    )


def show_next(after: Mapping[tuple[float, str], pd.Series]) -> None:
    """Show what the next study finds after one with a significant winner."""
    table = pd.DataFrame(after).T.map(percent).rename(percent, level=0).rename_axis(["method 0 comes first on", "test"])
    page.show_table(table, "next", "**What a study names after one with a significant winner.** The numbers are exact.")


def show_groups(groups: pd.DataFrame, k_gen: int, published: bool) -> None:
    """Show samples by what they say; in the paper's world beside its Table 1, whose numbers are kept."""
    keys, numbers = ["significant", "best"], ["count", "generalizability", "sd"]
    tables = {"exact": groups.set_index(keys)[numbers]}
    if published:
        tables["paper"] = PUBLISHED_TOY.set_index(keys)[numbers]
        _keep_published(groups, k_gen)
        said = " *Paper*: Matteucci et al. (2025), Table 1. All tied samples are alike (10 wins each), so "
        said += "their deviation is 0; we suspect that the paper's 0.03 comes from random halves."
    beside = pd.concat(tables, axis=1).swaplevel(axis=1).reindex(columns=numbers, level=0)
    page.show_table(
        beside.rename(index=_named, level="best"),
        "groups",
        f"**Samples with and without a significant winner have about the same {k_gen}-generalizability.** Each row "
        "shows how many of 1,000 samples have this outcome, and the mean and deviation of their "
        f"{k_gen}-generalizability." + (said if published else ""),
        {"significant": "winner", "best": "ahead", "count": "samples in 1,000", "sd": "deviation"},
        {"count": 0, "generalizability": "{:.2f}", ("generalizability", "exact"): "{:.3f}", "sd": "{:.2f}"},
        csv=beside,
        folded=f"Samples with and without a significant winner, and their {k_gen}-generalizability",
    )


def _keep_published(groups: pd.DataFrame, k_gen: int) -> None:
    """Keep the numbers of the paper's Table 1 beside ours, and see that they are one draw of 1,000 from ours."""
    share = groups["count"].to_numpy()[:5] / 1000
    off = np.abs(PUBLISHED_TOY["count"][:5] - 1000 * share) / np.sqrt(1000 * share * (1 - share))
    assert off.max() < 3 and PUBLISHED_TOY[["significant", "best"]].equals(groups[["significant", "best"]])
    gen = f"{k_gen}-generalizability"
    called = {"count": "samples in 1,000", "generalizability": f"mean {gen}", "sd": f"standard deviation of {gen}"}
    rows = list(zip(PUBLISHED_TOY.to_dict("records"), groups.to_dict("records"), strict=True))
    for column, what in called.items():
        for i, (printed, ours) in enumerate(rows[: 5 if column == "count" else 6]):  # all samples are 1,000 in 1,000
            claim = {"no": "not significant", "yes": "significant", "all": "all samples"}[printed["significant"]]
            best = _named(printed["best"])
            leads = f", {best} {'lead' if ',' in printed['best'] else 'leads'}" * bool(printed["best"])
            reason = f"the published number rests on {printed['count']:.0f} samples"
            if column == "count":
                reason = f"differs by {off[i]:.1f} standard deviations of a draw of 1,000"
            elif f"{printed[column]:.2f}" == f"{ours[column]:.2f}":
                reason = "the same to two digits"
            elif column == "sd" and "," in printed["best"]:
                noise = np.sqrt(ours["generalizability"] * (1 - ours["generalizability"]) / 200)
                reason = f"such samples are all alike; the authors' 200 resamples alone give {noise:.3f}"
            page.key_number(
                "-".join([column, printed["significant"], *(re.findall(r"\d", best) or [best])]),
                f"{what}: {claim}{leads}",
                round(ours[column], 9),  # no 1e-17 where it is nothing
                published=printed[column],
                source="Matteucci et al. (2025), Table 1",
                reason=reason,
                decimals=1 if column == "count" else 2,
            )


def _named(best: str) -> str:
    """Write the best alternatives of a sample: "{0, 1}" is "methods 0 and 1"."""
    return f"method{'s' * (',' in best)} {best.strip('{}').replace(', ', ' and ')}" if best else "any"


# --- numbers that are kept --------------------------------------------------------------------------------------------


def keep_key_numbers(numbers: Mapping[str, float], worlds: pd.DataFrame) -> None:
    """Keep the numbers that others quote, and show all of them."""
    for name, (label, decimals) in _LABELS.items():
        page.key_number(name, label, numbers[name], decimals=decimals)
    for name, (world, row) in zip(("first", "second"), worlds.iloc[1:].iterrows(), strict=True):
        page.key_number(f"own-{name}-winner", f"{world}: studies with a winner", row["significant"], decimals=3)
        page.key_number(f"own-{name}-nstar", f"{world}: n*", row["nstar"], unit="datasets", decimals=0)
    page.show_key_numbers()


_LABELS = {
    "significant": ("share of the samples with a significantly best method", 3),
    "contradicting": ("share of these that name a different winner from the majority", 3),
    "same-winner": ("how often the next study names the same winner, after a significant one", 3),
    "another-winner": ("how often it names another", 3),
    "false-claims": ("share of the samples that call one of two equal methods best", 3),
    "false-claims-alone": ("the same without the three others", 3),
    "not-different": ("pairs of encoders that do not differ significantly, by t-tests", 0),
    "equivalent": ("of these, shown to be equivalent", 0),
    "with-winner": ("configurations with a significantly best encoder", 0),
    "enough": ("configurations that have enough datasets", 0),
}
