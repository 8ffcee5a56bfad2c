"""Notebook 00: one comparison of two encoders, as five papers read it; notebook 12: what goes wrong before that."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from genexpy_nb.chapters import shared
from genexpy_nb.chapters.shared import beside_recorded, compare, difference, each, p_value, side_by_side, sides_of_zero
from genexpy_nb.common import page
from genexpy_nb.common.errors import StudyWarning
from genexpy_nb.common.prose import as_written, how_many, percent
from genexpy_nb.plots.layout import panels
from genexpy_nb.plots.style import ACCENT, INK, REFERENCE, plain, signed
from genexpy_nb.study.study import Study

_OWN = "our own runs"
_SIZES, _PAIRS = (6, 12, 24, 48), 10  # of the studies that readers draw


# --- two encoders on several tables -----------------------------------------------------------------------------------


def target_minus_one_hot(table: pd.DataFrame) -> pd.Series:
    """What target encoding scores more than one-hot encoding on each dataset."""
    return side_by_side(table)["TE"] - side_by_side(table)["OHE"]


def study_of(table: pd.DataFrame) -> Study:
    """All encoders over datasets, averaged over the rest; an encoder without a score is ranked last."""
    roles: dict[str, Any] = {"alternatives": "encoder", "target": "cv_score", "average_over": shared.DESIGN}
    with warnings.catch_warnings(action="ignore", category=StudyWarning):
        return Study(table, generalize_over="dataset", higher_is_better=True, missing="worst-rank", **roles)


def in_family(pairs: pd.DataFrame) -> dict[str, Any]:
    """The p-value of the two encoders alone, the corrected one, and of how many pairs."""
    pair = pairs[pairs[["a", "b"]].isin(shared.PAIR).all(axis=1)].iloc[0]
    return {"alone": p_value(pair["p"]), "among all pairs": p_value(pair["p_adjusted"]), "pairs": len(pairs)}


def small_among_opposite(table: pd.DataFrame, keys: Sequence[str], below: float) -> float:
    """Which share of the systems that are worse with target encoding is worse by less than ``below``."""
    wide = table.pivot(index=list(keys), columns="encoder", values="cv_score")
    loss = wide["OHE"] - wide["TE"]
    return float((loss[loss > 0] < below).mean())


def by_number_of_categories(table: pd.DataFrame, n_bands: int, confidence: float, rng: int) -> pd.DataFrame:
    """Compare the two in parts of the datasets: from few to many categories in the widest column."""
    widest = pd.read_csv(Path(__file__).with_name("categories.csv"), index_col="dataset")["n_categories"]
    bands = pd.qcut(widest, n_bands, labels=False)
    parts = {f"{part.min()} to {part.max()} categories": part.index for _, part in widest.groupby(bands)}
    return compare({name: table[table["dataset"].isin(part)] for name, part in parts.items()}, confidence, rng)


# --- in words ---------------------------------------------------------------------------------------------------------


def likely(probability: float) -> str:
    """A probability with two digits, none of which rounding makes certain."""
    return "at least 0.995" if probability >= 0.995 else f"{probability:.2f}"


def datasets(row: pd.Series) -> str:
    """An n* with its interval, in whole datasets that are enough."""
    nstar, low, high = np.ceil(row[["nstar", "low", "high"]].astype(float))
    return f"{nstar:.0f} datasets ({low:.0f} to {high:.0f})"


def alone_and_picked(in_family: pd.DataFrame) -> str:
    """The p-values of the two encoders on each table, chosen in advance and picked out of all pairs."""
    return " ".join(
        f"On {name}, the p-value is {row['alone']} if you chose the pair in advance. If you picked the pair out of all "
        f"{row['pairs']} pairs, the p-value is {row['among all pairs']}."
        for name, row in in_family.iterrows()
    )


# --- what the page shows ----------------------------------------------------------------------------------------------


def show_two_tables(differences: Mapping[str, pd.Series], compared: pd.DataFrame, confidence: float) -> None:
    """Show the differences on each table, with their means."""
    page.show_figure(
        differences_on_tables(differences, compared),
        "two-tables",
        "How much higher does target encoding score than one-hot encoding? Each dot is a dataset. (Its height means "
        f"nothing.) Diamonds are means, and black bars are their {percent(confidence)} intervals.",
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
        ax.hlines(row, of["low"], of["high"], color=INK, linewidth=8, zorder=3)
        ax.plot(of["estimate"], row, "D", color="white", markersize=3, zorder=4)
    ax.set_yticks(range(len(differences)), [f"{table}\n{len(v)} datasets" for table, v in differences.items()])
    ax.set_ylim(len(differences) - 0.45, -0.55)
    fig.supxlabel("← one-hot better · difference in score · target better →")
    return plain(fig)


def show_two_studies(table: pd.DataFrame, deltas: Sequence[float], alpha: float, seed: int) -> None:
    """Let readers draw pairs of studies of one model, and see whether their shares of winners are alike."""
    wins = target_minus_one_hot(table[table["model"] == "LR"]).to_numpy() > 0
    drawn = np.random.default_rng(seed).choice(wins, (2, _PAIRS, _SIZES[-1]))
    tolerances = [delta**0.5 for delta in deltas]  # of two alternatives: MMD is the difference of shares, times root 2
    chances = {(n, most): shared.alike(n, most, wins.mean(), wins.mean()) for n in _SIZES for most in tolerances}
    page.show_play(
        pd.DataFrame(
            {f"at most {100 * most:.0f} points apart": [chances[n, most] for n in _SIZES] for most in tolerances},
            index=pd.Index(_SIZES, name="datasets in each study"),
        ).map(percent),
        "two-studies",
        "**Draw two studies, and see whether they look alike.** Each study tries both encodings with logistic "
        "regression on new datasets. The blue part of its bar is the share of datasets on which target encoding is "
        f"ahead. The last bar shows the share of all pairs that look alike, with a mark at {percent(alpha)}. Try more "
        f"datasets, or a larger tolerance. Data: {len(wins)} datasets of our own runs, drawn with replacement.",
        {
            "Datasets in each study": [str(n) for n in _SIZES],
            "Their shares may differ by": [
                f"{100 * most:.0f} points (δ = {as_written(delta)})"
                for delta, most in zip(deltas, tolerances, strict=True)
            ],
            "Pair of studies": [str(pair + 1) for pair in range(_PAIRS)],
        },
        states=[
            [*drawn[:, pair, :n].sum(axis=1).tolist(), n, most, chances[n, most]]
            for n, most, pair in product(_SIZES, tolerances, range(_PAIRS))
        ],
        won="target ahead",
        of="datasets",
        wanted=alpha,
    )


def show_along(along: pd.DataFrame, confidence: float) -> None:
    """Show the difference in each part of the datasets."""
    page.show_table(
        along[["n_datasets", "estimate", "low", "high"]].rename_axis("largest column"),
        "along",
        "We grouped the datasets of our own runs by the number of categories in their largest column. Each row has the "
        f"mean difference between target and one-hot encoding, with its {percent(confidence)} interval.",
        {"n_datasets": "datasets", "estimate": "mean difference", "low": "interval from", "high": "to"},
        dict.fromkeys(["estimate", "low", "high"], 3),
    )


def show_readings(
    compared: pd.DataFrame,
    shares: Mapping[str, float],
    needed: pd.DataFrame,
    in_family: pd.DataFrame,
    winners: tuple[float, float],
    along: pd.DataFrame,
    spreads: Mapping[str, float],
    again: pd.DataFrame,
) -> None:
    """Show what each paper reads from each table."""
    ends = f"{signed(along['estimate'].min(), 3)} to {signed(along['estimate'].max(), 3)}"
    same = {name: (likely(row["estimate"]), likely(row["low"])) for name, row in again.iterrows()}
    readings = {
        name: {
            "mean difference": difference(row),
            "target encoding wins on": f"{percent(shares[name])} of {row['n_datasets']:.0f} datasets",
            "datasets needed for similar shares": datasets(needed.loc[name]),
            "p, chosen in advance; picked from all": "; ".join(in_family.loc[name, ["alone", "among all pairs"]]),
            "comparisons with a winner, Wilcoxon; corrected": f"{percent(winners[0])}; {percent(winners[1])}",
            "mean in four groups, lowest to highest": ends,
            "systems with the opposite sign": percent(spreads[name]),
            "probability of the same winner in another study": "{} (low end {})".format(*same[name]),
        }
        for name, row in compared.iterrows()
    }
    for name in set(readings) - {_OWN}:
        readings[name] |= dict.fromkeys(
            ["comparisons with a winner, Wilcoxon; corrected", "mean in four groups, lowest to highest"], "–"
        )
    page.show_table(
        pd.DataFrame(readings).rename_axis("asked"),
        "readings",
        "Each paper asks a different question about the same comparison."
        + " We have no splits and no numbers of categories for the published benchmark (–)." * (len(readings) > 1),
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
        page.key_number(f"difference-{key}", f"TE minus OHE, {where}", *row[["estimate", "low", "high"]], decimals=3)
        counted = needed.loc[name, ["nstar", "low", "high"]]
        page.key_number(f"nstar-{key}", f"n* for the winner, {where}", *counted, unit="datasets")
    label = "share of datasets and models with a winner, "
    page.key_number("winners-wilcoxon", label + "Wilcoxon over splits", wilcoxon.mean(), decimals=2)
    page.key_number("winners-corrected", label + "corrected test", corrected.mean(), decimals=2)
    label = "share of systems with the opposite effect, own runs"
    page.key_number("opposite-own", label, spreads[_OWN], decimals=2)
    page.show_key_numbers()


# --- notebook 12 ------------------------------------------------------------------------------------------------------


def points(difference: float) -> str:
    """A difference of two shares."""
    return f"{signed(100 * difference, 1)} percentage points"


def show_looked_at(scores: pd.DataFrame) -> None:
    """Show the scores of the chosen setting, on the rows that chose it and on others."""
    ends = [f"{percent(row['test'], 1)} and {percent(row['vault'], 1)}" for _, row in scores.iloc[[0, -1]].iterrows()]
    names = {"test": "on the test set that chose it", "vault": "on rows that nobody saw"}
    page.show_figure(
        curves(scores.rename(columns=names), "settings that were tried", "accuracy of the best setting"),
        "looked-at",
        f"The best of {scores.index[-1]} settings scores {percent(scores['test'].iloc[-1], 1)} on the test set that "
        f"chose it, and {percent(scores['vault'].iloc[-1], 1)} on rows that nobody saw.",
        f"Accuracy on the test set and on other rows: {ends[0]} for one setting, {ends[1]} for {scores.index[-1]}.",
    )


def show_metrics(by_metric: pd.DataFrame, winners: pd.Series) -> None:
    """Show the scores of models by several metrics, and who wins by each."""
    table = by_metric.round(3).assign(winner=winners).rename_axis("metric")
    page.show_table(table, "metrics", "Each score of a model is a mean over five folds. Higher is better.")


def show_budgets(tuned: pd.DataFrame) -> None:
    """Show the test score of the best setting by the number of settings tried."""
    spans = {name: (percent(column.iloc[0]), percent(column.iloc[-1])) for name, column in tuned.items()}
    ends = " and ".join(f"{low} to {high} for {name}" for name, (low, high) in spans.items())
    page.show_figure(
        curves(tuned, "budget: settings that were tried", "accuracy on test rows"),
        "budgets",
        f"With the smallest budget, {tuned.iloc[0].idxmax()} win. With the largest budget, {tuned.iloc[-1].idxmax()} "
        "win. Lines show the mean accuracy, on test rows, of the setting that was best on validation rows.",
        f"From the smallest budget to the largest: {ends}.",
    )


def show_crowned(shares: pd.Series, n_drawn: int) -> None:
    """Show how often each alternative wins a benchmark that is drawn."""
    fig, (ax,) = panels(1, 0.7 + 0.24 * len(shares))
    ax.barh(range(len(shares)), 100 * shares, color=ACCENT)
    ax.set_yticks(range(len(shares)), list(shares.index))
    ax.set(xlabel=f"% of benchmarks of {n_drawn} datasets", ylim=(len(shares) - 0.4, -0.6))
    page.show_figure(
        plain(fig),
        "crowned",
        f"How often does each encoder come first? {shares.index[0]} wins most often. Each benchmark draws {n_drawn} of "
        "the same datasets, and ranks encoders by mean rank. Encoders with TE or ME in their names are kinds of target "
        "encoding.",
        f"{len(shares)} encoders win; {shares.index[0]} most often, in {percent(shares.iloc[0])}.",
    )


def curves(values: pd.DataFrame, xlabel: str, ylabel: str) -> Figure:
    """Draw a curve for each column, over counts."""
    fig, (ax,) = panels(1, 3.2)
    for name, line, marker, colour in zip(values, ("-", "--"), "os", (ACCENT, INK), strict=False):
        ax.plot(values.index, values[name], line, marker=marker, color=colour, label=name)
    ax.set_xscale("log", base=2)
    ax.set_xticks(values.index, [str(n) for n in values.index])
    ax.minorticks_off()
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()
    return plain(fig)


def keep_numbers_of_comparisons(
    looked_at: pd.DataFrame, selected: pd.Series, related: pd.Series, tuned: pd.DataFrame, crowned: pd.Series
) -> None:
    """Keep the key numbers of notebook 12, and show them."""
    for name, label, share in (
        ("test", "accuracy of the best setting on the rows that chose it", looked_at["test"].iloc[-1]),
        ("vault", "accuracy of the same setting on rows that nobody saw", looked_at["vault"].iloc[-1]),
        ("selected-before", "nothing to learn: columns chosen before the split", selected.iloc[0]),
        ("selected-inside", "nothing to learn: columns chosen inside each training part", selected.iloc[1]),
        ("related-rows", "related rows on both sides", related.iloc[0]),
        ("related-apart", "related rows on one side", related.iloc[1]),
        ("machines-untuned", "support vector machines, one setting", tuned.iloc[0, 0]),
        ("machines-tuned", "support vector machines, largest budget", tuned.iloc[-1, 0]),
        ("neighbours-untuned", "nearest neighbours, one setting", tuned.iloc[0, 1]),
        ("neighbours-tuned", "nearest neighbours, largest budget", tuned.iloc[-1, 1]),
        ("crowned", "benchmarks that the most frequent winner wins", crowned.iloc[0]),
    ):
        page.key_number(name, label, 100 * share, unit="%", decimals=0 if name == "crowned" else 1)
    page.key_number("winners", "encoders that win at least one benchmark", len(crowned), decimals=0)
    page.show_key_numbers()
