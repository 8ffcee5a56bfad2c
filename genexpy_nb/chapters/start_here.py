"""Notebook 00: one comparison of two encoders, as five papers read it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from genexpy_nb.chapters import shared
from genexpy_nb.common import page
from genexpy_nb.common.errors import StudyWarning
from genexpy_nb.common.page_tables import written_number
from genexpy_nb.common.prose import as_written as as_written
from genexpy_nb.common.prose import percent as percent
from genexpy_nb.datasets.tasks import load_tasks
from genexpy_nb.plots.layout import panels
from genexpy_nb.plots.style import ACCENT, INK, REFERENCE, plain
from genexpy_nb.plots.style import signed as signed
from genexpy_nb.study.study import Study

_PAIR = ("TE", "OHE")
_DESIGN = ["model", "tuning", "scoring"]
_ROLES: dict[str, Any] = {"alternatives": "encoder", "target": "cv_score"}
_OWN = "our own runs"


# --- two encoders on several tables -----------------------------------------------------------------------------------


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """Mean scores of the two encoders on each dataset, over what both have."""
    return shared.side_by_side(table, _PAIR, condition="dataset", design=_DESIGN, **_ROLES)


def target_minus_one_hot(table: pd.DataFrame) -> pd.Series:
    """What target encoding scores more than one-hot encoding on each dataset."""
    return side_by_side(table)["TE"] - side_by_side(table)["OHE"]


def compare(tables: Mapping[str, pd.DataFrame], confidence: float, rng: int) -> pd.DataFrame:
    """Ask each table which of the two is better on average."""
    return shared.compare_on_tables(
        tables,
        *_PAIR,
        alternatives=_ROLES["alternatives"],
        target=_ROLES["target"],
        condition="dataset",
        design=_DESIGN,
        higher_is_better=True,
        confidence=confidence,
        rng=rng,
    )


def study_of(table: pd.DataFrame) -> Study:
    """All encoders over datasets, averaged over the rest; an encoder without a score is ranked last."""
    more: dict[str, Any] = {"average_over": _DESIGN, "higher_is_better": True, "missing": "worst-rank"}
    with warnings.catch_warnings(action="ignore", category=StudyWarning):
        return Study(table, generalize_over="dataset", **_ROLES, **more)


def of_pair(pairs: pd.DataFrame) -> pd.Series:
    """The row of the two encoders in a table of all pairs."""
    return pairs[pairs[["a", "b"]].isin(_PAIR).all(axis=1)].iloc[0]


def by_number_of_categories(table: pd.DataFrame, n_bands: int, confidence: float, rng: int) -> pd.DataFrame:
    """Compare the two in parts of the datasets: from few to many categories in the widest column."""
    widest = pd.Series(
        {name: max(task.X[column].nunique() for column in task.categorical) for name, task in load_tasks().items()}
    )
    bands = pd.qcut(widest.rank(method="first"), n_bands, labels=False)
    parts = {f"{part.min()} to {part.max()} categories": part.index for _, part in widest.groupby(bands)}
    return compare({name: table[table["dataset"].isin(part)] for name, part in parts.items()}, confidence, rng)


# --- in words ---------------------------------------------------------------------------------------------------------


def written(row: pd.Series) -> str:
    """A difference with its interval."""
    return f"{signed(row['estimate'], 3)} ({signed(row['low'], 3)} to {signed(row['high'], 3)})"


def each(compared: pd.DataFrame) -> str:
    """The difference on each table."""
    return " and ".join(f"{written(row)} on {name}" for name, row in compared.iterrows())


def in_each_part(along: pd.DataFrame) -> str:
    """The difference in each part of an axis."""
    return "; ".join(f"{signed(row['estimate'], 3)} ({band})" for band, row in along.iterrows())


def datasets(row: pd.Series) -> str:
    """An n* with its interval."""
    return f"{row['nstar']:.0f} datasets ({row['low']:.0f} to {row['high']:.0f})"


def p_value(p: float) -> str:
    """A p-value in the text."""
    return written_number(p, 3)


# --- what the page shows ----------------------------------------------------------------------------------------------


def show_two_tables(differences: Mapping[str, pd.Series], compared: pd.DataFrame, confidence: float) -> None:
    """Show the differences on each table, with their means."""
    page.show_figure(
        differences_on_tables(differences, compared),
        "two-tables",
        "What target encoding scores more than one-hot encoding. Each dot is a dataset (its height means nothing); "
        f"the diamond is the mean, the bar its {percent(confidence)} interval.",
        f"Target encoding minus one-hot encoding: {each(compared)}.",
    )


def differences_on_tables(differences: Mapping[str, pd.Series], means: pd.DataFrame) -> Figure:
    """Draw the differences of two alternatives on each of several tables, with their means."""
    fig, (ax,) = panels(1, 0.8 + 1.0 * len(differences))
    ax.axvline(0, color=REFERENCE, linewidth=1)
    for row, (table, values) in enumerate(differences.items()):
        spread = np.arange(len(values)) * 0.6180339887498949 % 1  # neighbors apart, without chance
        ax.scatter(np.sort(values), row + 0.6 * spread - 0.3, s=26, color=ACCENT, alpha=0.55, linewidths=0)
        of = means.loc[table]
        ax.hlines(row, of["low"], of["high"], color=INK, linewidth=5, zorder=3)
        ax.plot(of["estimate"], row, "D", color=INK, markeredgecolor="white", markersize=9, zorder=4)
    ax.set_yticks(range(len(differences)), [f"{table}\n{len(v)} datasets" for table, v in differences.items()])
    ax.set_ylim(len(differences) - 0.45, -0.55)
    fig.supxlabel("← one-hot better · difference in score · target better →")
    return plain(fig)


def show_readings(
    compared: pd.DataFrame,
    shares: Mapping[str, float],
    needed: pd.DataFrame,
    in_family: Mapping[str, float],
    winners: tuple[float, float],
    along: pd.DataFrame,
    spreads: Mapping[str, float],
    again: pd.DataFrame,
) -> None:
    """Show what each paper reads from each table."""
    ends = f"{signed(along['estimate'].min(), 3)} to {signed(along['estimate'].max(), 3)}"
    readings = {
        name: {
            "mean difference": written(row),
            "target encoding wins on": f"{percent(shares[name])} of {row['n_conditions']:.0f} datasets",
            "datasets needed for similar shares": datasets(needed.loc[name]),
            "p alone; among all pairs": f"{p_value(row['p'])}; {p_value(in_family[name])}",
            "single datasets with a winner; corrected": f"{percent(winners[0])}; {percent(winners[1])}",
            "along the number of categories": ends,
            "systems with the other sign": percent(spreads[name]),
            "another study has the same winner": f"{again.loc[name, 'low']:.2f} to {again.loc[name, 'high']:.2f}",
        }
        for name, row in compared.iterrows()
    }
    for name in set(readings) - {_OWN}:
        readings[name] |= dict.fromkeys(
            ["single datasets with a winner; corrected", "along the number of categories"], "–"
        )
    page.show_table(
        pd.DataFrame(readings).rename_axis("asked"),
        "readings",
        "One comparison, read by each paper. Of the published benchmark only averages over splits are known (–).",
        {"asked": "target against one-hot encoding"},
    )


def keep_key_numbers(
    compared: pd.DataFrame,
    needed: pd.DataFrame,
    wilcoxon: np.ndarray,
    corrected: np.ndarray,
    spreads: Mapping[str, float],
) -> None:
    """Keep the key numbers of the page, and show them."""
    for name, row in compared.iterrows():
        key, where = ("own", "own runs") if name == _OWN else ("published", "published benchmark")
        difference = row[["estimate", "low", "high"]]
        page.key_number(f"difference-{key}", f"TE minus OHE, {where}", *difference, decimals=3)
        counted = needed.loc[name, ["nstar", "low", "high"]]
        page.key_number(f"nstar-{key}", f"n* for the winner, {where}", *counted, unit="datasets")
    label = "share of datasets and models with a winner, "
    page.key_number("winners-wilcoxon", label + "Wilcoxon over splits", wilcoxon.mean(), decimals=2)
    page.key_number("winners-corrected", label + "corrected test", corrected.mean(), decimals=2)
    label = "share of systems with the opposite effect, own runs"
    page.key_number("opposite-own", label, spreads[_OWN], decimals=2)
    page.show_key_numbers()
