"""Notebook 02: how many datasets a benchmark of encoders needs, and what more datasets cannot settle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import ttest_1samp, ttest_ind

from genexpy_nb.chapters import shared
from genexpy_nb.chapters.shared import beside_recorded as beside_recorded
from genexpy_nb.chapters.shared import each
from genexpy_nb.chapters.shared import in_words as in_words
from genexpy_nb.chapters.shared import sides_of_zero as sides_of_zero
from genexpy_nb.common import page
from genexpy_nb.common.prose import as_written as as_written
from genexpy_nb.common.prose import percent, span
from genexpy_nb.common.prose import together as together
from genexpy_nb.generalization.kernels import JaccardKernel
from genexpy_nb.generalization.resampling import PowerLaw
from genexpy_nb.generalization.theory import published_nstar
from genexpy_nb.plots import nstar as figures
from genexpy_nb.plots.layout import legend_above, panels
from genexpy_nb.plots.style import REFERENCE, looks, plain
from genexpy_nb.study.study import Study

OWN, PUBLISHED = "our own runs", "the published table"
#: The configuration whose published n* is far from what all of its experiments give.
PRINTED = {"model": "LR", "tuning": "full", "scoring": "F1"}
_NSTAR_PRINTED = 47


def tables_to_ask(results: pd.DataFrame, ours: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Our own runs, and the published table if that is what was read."""
    return {OWN: ours} | ({PUBLISHED: results} if is_published(results) else {})


def is_published(results: pd.DataFrame) -> bool:
    """Whether a table is the published one."""
    return bool(results.attrs["source"] == "original")


def compare(tables: Mapping[str, pd.DataFrame], *args: Any, **options: Any) -> pd.DataFrame:
    """Ask each table what target encoding scores more than one-hot encoding."""
    return shared.compare(tables, *args, **options).rename_axis("table")


def closest(configuration: Mapping[str, str], study: Study) -> dict[str, str]:
    """The configuration that the paper prints, where the study has it; else the given one."""
    return PRINTED if PRINTED in study.configurations else dict(configuration)


def how_far_apart(
    tables: Mapping[str, pd.DataFrame], confidence: float, after: Mapping[str, pd.DataFrame] | None = None
) -> str:
    """How far the tables are apart, or how much less they are afterwards, with Welch's interval over sources."""
    moved = []
    for name in tables:
        of = [shared.side_by_side(step[name], once=True) for step in (tables, after) if step]
        first, second = (of[0]["TE"] - of[0]["OHE"], of[-1]["TE"] - of[-1]["OHE"])
        moved.append((first - second if after else first).dropna())
    test = ttest_ind(*moved, equal_var=False) if len(moved) > 1 else ttest_1samp(moved[0], 0)
    low, high = test.confidence_interval(confidence)
    return f"{(low + high) / 2:.3f} ({low:.3f} to {high:.3f})".replace("-", "−")


# --- in words ---------------------------------------------------------------------------------------------------------


def ends(numbers: np.ndarray) -> str:
    """Between which whole numbers 90 % lie."""
    return "{:.0f} and {:.0f}".format(*np.quantile(numbers, [0.05, 0.95]))


# --- what the page shows ----------------------------------------------------------------------------------------------


def show_gaps(gaps: pd.DataFrame, confidence: float) -> None:
    """Show the difference of two encoders on each table, with more held equal."""
    page.show_figure(
        gaps_by_step(gaps),
        "gap",
        "How much higher target encoding scores than one-hot encoding. From row to row, the benchmarks have more in "
        f"common. Marks are mean differences, with {percent(confidence)} intervals.",
        "Differences on each table: "
        + "; ".join(f"{step}, {each(part.droplevel(0))}" for step, part in gaps.groupby(level=0, sort=False)),
    )


def gaps_by_step(gaps: pd.DataFrame) -> Figure:
    """Draw differences with their intervals: a row for each step, a mark for each table."""
    steps, tables = (list(gaps.index.unique(level)) for level in (0, 1))
    fig, (ax,) = panels(1, 0.7 + 0.45 * len(steps))
    ax.axvline(0, color=REFERENCE, linewidth=1)
    for i, (table, look) in enumerate(looks(tables).items()):
        rows = gaps.xs(table, level=1).loc[steps]
        height = np.arange(len(steps)) + 0.22 * (i - (len(tables) - 1) / 2)
        ax.hlines(height, rows["low"], rows["high"], color=look.color, linewidth=2.6)
        ax.scatter(rows["estimate"], height, s=44, zorder=3, label=str(table), **look.of_points())
    ax.set_yticks(range(len(steps)), steps)
    ax.set_ylim(len(steps) - 0.5, -0.5)
    fig.supxlabel("← one-hot better · difference in score · target better →")
    ax.grid(visible=False, axis="y")
    legend_above(fig, *ax.get_legend_handles_labels())
    return plain(fig)


def show_power_law(law: PowerLaw, nstar: float, kernel: str) -> None:
    """Show the published estimate of n*, next to ours."""
    page.show_figure(
        figures.power_law(law, nstar),
        "power-law",
        f"Larger studies look alike more often ({kernel}). In the upper panel, each curve is a study size n. Its "
        "height at the dotted line, the threshold ε, is the n-generalizability: how likely two such studies are to "
        "look alike. In the lower panel, each dot is the α-quantile of the distances of one size. On logarithmic axes, "
        "the dots lie near a straight line (a power law), which reaches the threshold at n\\* (square). Each of two "
        "disjoint sets has at most half of the datasets, so the line is extrapolated. The circle is our estimate.",
        f"The extrapolated line reaches the threshold at {law.nstar:.0f} datasets; our own estimate is {nstar:.0f}.",
        folded="The paper's method and ours for one configuration",
    )


def show_plan(planned: pd.DataFrame, verdicts: pd.Series, confidence: float) -> None:
    """Show the datasets needed against those that there are, for some of the configurations."""
    fig = figures.nstar_hero(planned, shared.DESIGN, unit="datasets")
    furthest = " / ".join(planned.loc[planned["high"].idxmax(), shared.DESIGN])
    hidden = furthest not in [label.get_text() for label in fig.axes[0].get_yticklabels()]
    page.show_figure(
        fig,
        "answer",
        "How many datasets two benchmarks need to find similar shares of wins (logarithmic scale): the two largest, "
        f"two middle and two smallest of {len(planned)} combinations of model, tuning and metric. Bars are "
        f"{percent(confidence)} intervals. Ticks show how many datasets were run. Enough: the whole bar lies at or "
        "left of the tick. More needed: it lies right of it. Undecided: it crosses it. "
        + f"The bar that ends at {np.ceil(planned['high'].max()):.0f} is not shown ({furthest}). "
        * hidden
        + f"Tuning: {'full (encoder and model), ' * ('full' in set(planned['tuning']))}model, no. Models: "
        f"{', '.join(f'{m} ({shared.MODELS[m]})' for m in sorted(set(planned['model'])))}. Metrics: ACC (accuracy), "
        "BACC (balanced accuracy), AUC (how well the classes are ranked), F1 (precision and recall).",
        f"Datasets needed against datasets run. Of {len(planned)} configurations: "
        + ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items() if n),
    )


def show_overview(nstar: pd.DataFrame, medians: pd.Series, alpha: float, delta: float) -> None:
    """Show how n* depends on what is asked, and how strictly."""
    page.show_figure(
        figures.nstar_overview(nstar, alpha, delta),
        "overview",
        "The stricter the question, the more datasets it takes (logarithmic scale). A box contains the middle half of "
        "the configurations. Whiskers and points show the others.",
        f"Datasets needed rise with α and fall with δ. At α = {alpha:g}, δ = {delta:g} the median is "
        f"{medians.min():.0f} for {medians.idxmin()} and {medians.max():.0f} for {medians.idxmax()}.",
    )


def show_draws(draws: np.ndarray, everything: float, of: Mapping[str, str]) -> None:
    """Show estimates of n* from ten datasets each."""
    printed = {"published": float(_NSTAR_PRINTED)} if of == PRINTED else {}
    page.show_figure(
        figures.estimate_histogram(draws, printed | {"all datasets": round(everything, 1)}),
        "draws",
        f"Estimates of n\\* from ten datasets scatter widely (logarithmic scale): {len(draws)} draws with replacement, "
        f"published method, {in_words(of)}.",
        f"90 % of the estimates lie between {ends(draws)}; all datasets give {everything:.1f}.",
        folded="How estimates from ten datasets scatter",
    )


def show_printed(study: Study, nstar: pd.DataFrame, published: bool, confidence: float, seed: int) -> None:
    """Show the published numbers beside ours, and keep them; without the published table those that were recorded."""
    if not published:
        shared.show_recorded("02_encoders")
        return
    printed, methods = published_nstar("encoders"), ["moments", "resampling"]
    beside, *others = (
        shared.beside_published(study, printed, JaccardKernel(1), methods, confidence=confidence, rng=seed + i)
        for i in range(5)
    )
    seeds = np.array([table["resampling"] for table in (beside, *others)]).T
    for row, by_seed in zip(beside.itertuples(), seeds, strict=True):
        where = [row.model, row.tuning, row.scoring]
        near = abs(row.published / row.resampling - 1) < 0.1
        page.key_number(
            "-".join([*where, f"v{'12'[row.paper.startswith('second')]}"]).lower(),
            f"n* of {' / '.join(where)} ({row.paper})",
            *(row.moments, row.low, row.high),
            unit="datasets",
            published=row.published,
            source=f"Matteucci et al., {row.paper}, Section 5.1",
            reason=f"ours is by moments; their method on all {row.n_experiments} datasets "
            + f"(the paper says there are {row.stated}) " * (row.n_experiments != row.stated)
            + f"gives {span(by_seed, '{:.1f}')} (five seeds)"
            + ("" if near else "; the published number may come from a draw of some datasets"),
        )
    # on all experiments, the published method gives what it gave when this was written
    from_all_experiments = {28: [28.6, 28.0], 34: [34.3], 47: [32.4]}
    for value, group in beside.groupby("published", sort=False):
        np.testing.assert_allclose(group["resampling"], from_all_experiments[value], rtol=0.05)
        np.testing.assert_allclose(group["moments"], group["resampling"], rtol=0.10)
    of_rankings = nstar[~nstar["kernel"].str.startswith("RBF")]
    of_all = f"{len(study.configurations)} configurations"
    for name, level, other in (("alpha", 0.7, "delta == 0.05"), ("delta", 0.3, "alpha == 0.95")):
        found = of_rankings[of_rankings[name] == level].query(other)
        most, above = found.loc[found["nstar"].idxmax()], found[found["nstar"] >= 10].groupby("kernel").size()
        page.key_number(
            f"mildest-{name}",
            f"largest n* of Borda, Jaccard, Mallows at {'α' if name == 'alpha' else 'δ'} = {level}",
            *most[["nstar", "low", "high"]],
            unit="datasets",
            published=10,
            source="Matteucci et al., both versions, Section 5.1, text on Figures 2 and 3",
            reason="the paper says “even less than 10”; "
            + (
                ", ".join(f"{asked} takes 10 or more in {n} of {of_all}" for asked, n in above.items())
                or "all take less"
            ),
        )
    page.show_published("published", "The published numbers next to those of this run.", "Published numbers, and ours")


def keep_key_numbers(planned: pd.DataFrame, verdicts: pd.Series, medians: pd.Series, gap: pd.DataFrame) -> None:
    """Keep the key numbers of the page, and show them."""
    most = planned.loc[planned["nstar"].idxmax(), ["nstar", "low", "high"]]
    page.key_number("largest", "n* of the most demanding configuration", *most, unit="datasets")
    for name, value in medians.items():
        label = f"median n* over the configurations, {name}"
        page.key_number(f"median-{str(name).split('(')[0].lower()}", label, value, unit="datasets")
    share = verdicts["enough"] / len(planned)
    page.key_number("enough", "share of the configurations that have enough datasets", share, decimals=2)
    row = gap.loc[OWN, ["estimate", "low", "high"]]
    page.key_number("difference", "TE minus OHE on our own runs", *row, decimals=3)
    page.show_key_numbers()


# --- what must hold ---------------------------------------------------------------------------------------------------


def check_results(nstar: pd.DataFrame, gaps: pd.DataFrame, study: Study, draws: np.ndarray) -> None:
    """See that what the text says without computing it holds."""
    where = [*study.design, "kernel"]
    mild_first = {"delta": nstar.sort_values("alpha"), "alpha": nstar.sort_values("delta", ascending=False)}
    for held, strict in mild_first.items():  # stricter questions take more datasets
        assert (strict.groupby([*where, held])["nstar"].diff().dropna() > -1e-6).all()
    assert nstar["nstar"].between(nstar["low"], nstar["high"]).all()
    own = gaps.xs(OWN, level=1)["estimate"]
    assert own.iloc[0] > own.iloc[1] > 0 and abs(own.iloc[3]) < own.iloc[2] / 4
    if PUBLISHED not in gaps.index.unique(1):
        return
    theirs = gaps.xs(PUBLISHED, level=1)
    between = (own - theirs["estimate"]).to_numpy()
    assert (theirs["estimate"] < 0).all() and (between[[0, 2]] > between[[1, 3]]).all()
    assert 0.45 < between[3] / between[2] < 0.55  # "about half"
    np.testing.assert_allclose([own.iloc[0], theirs["estimate"].iloc[0]], [0.030, -0.026], atol=0.001)
    assert len(study.configurations) == 48 and (study.accounting["n_experiments"] == 50).sum() == 23
    boosted, tuned = {"model": "LGBMC", "tuning": "no", "scoring": "AUC"}, {**PRINTED, "scoring": "AUC"}
    assert set(study.rankings(boosted).index) == set(study.rankings(tuned).index)
    assert np.quantile(draws, 0.05) < _NSTAR_PRINTED < np.quantile(draws, 0.95)
