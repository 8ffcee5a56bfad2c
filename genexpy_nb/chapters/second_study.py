"""What notebook 10 shows: agreement, one task against many; what notebooks 13 and 14 show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from genexpy_nb.chapters.shared import made, shares
from genexpy_nb.common import page
from genexpy_nb.common.page import show_table
from genexpy_nb.common.prose import as_written, how_many, percent, span, together, two_digits, written_number
from genexpy_nb.fields import Items
from genexpy_nb.plots.layout import (
    count_ticks,
    curve_with_band,
    legend_above,
    name_lines,
    name_rows,
    named_rows,
    panels,
)
from genexpy_nb.plots.study import agreement_curves
from genexpy_nb.plots.style import ACCENT, COLOURS, INK, LOOKS, REFERENCE, plain

#: What the benchmark calls the estimator of this package.
OURS = "ours"

_NEARLY_ONE = 0.995  # what two digits would write as 1.00


def measured_methods() -> pd.DataFrame:
    """Return how good nine ways were to estimate the agreement of two studies, in simulated worlds."""
    return made("methods")


def between(row: pd.Series) -> str:
    """Write the interval of an agreement."""
    if row["low"] >= _NEARLY_ONE:
        return "above 0.99"
    return f"{two_digits(row['low'])} to {two_digits(row['high'])}".replace("-", "−")


def of_probability(value: float) -> str:
    """Write a probability behind its name; no estimate is certain."""
    return "above 0.99" if value >= _NEARLY_ONE else f"of {value:.2f}"


def design_in_words(design: pd.Series, factors: Iterable[str]) -> str:
    """Write the sizes of a design, such as "13 datasets × 4 models"."""
    if not np.isfinite(design["price"]):
        return "more than 1,000 levels of a factor"
    return " × ".join(how_many(int(design[factor]), factor) for factor in factors)


def written(value: float) -> str:
    """Write a number of experiments."""
    return written_number(value, 0)


def one_task(frame: pd.DataFrame) -> Figure:
    """Draw how likely two studies are to find similar winners, on the same task and on different ones."""
    fig, (ax,) = panels(1, 3.1)
    lines = {"one_factor": ("same task", LOOKS["one factor"]), "predicted": ("different\ntasks", LOOKS["predicted"])}
    for column, (_, look) in lines.items():
        curve_with_band(ax, frame, look, column, band=column == "predicted")
    ax.set(xscale="log", ylim=(-0.02, 1.05), xlabel="subtasks in a study", ylabel="probability of similar winners")
    count_ticks(ax, frame["n"])
    ends = [(frame[column].iloc[-1], name, look.color) for column, (name, look) in lines.items()]
    name_lines(ax, ends, 2)
    return plain(fig)


# --- what the notebook shows ------------------------------------------------------------------------------------------


def show_agreement(asked: Mapping[str, pd.DataFrame], n_tasks: int, n_models: int) -> None:
    """Show how far two studies of new tasks agree, over their size."""
    found = pd.concat([frame.assign(conclusion=name) for name, frame in asked.items()])
    here = found[found["n"] == n_tasks].set_index("conclusion")
    page.show_figure(
        agreement_curves(found.assign(estimate=np.nan), observed=n_tasks),
        "agreement",
        "Two conclusions from one leaderboard are not equally certain. Two studies draw n new tasks each. The upper "
        "band is an interval for the probability that they name the same winner, and the lower band for Kendall's tau "
        f"of their orders (1: equal). Data: {n_models} models on the {n_tasks} English tasks of MTEB, the Massive Text "
        "Embedding Benchmark.",
        f"With {n_tasks} tasks: " + "; ".join(f"{name}, {between(row)}" for name, row in here.iterrows()) + ".",
    )


def show_one_task(lines: pd.DataFrame, n_tasks: int) -> None:
    """Show how likely two studies of one task are to find similar winners, on the same task and on different ones."""
    last = lines.iloc[-1]
    page.show_figure(
        one_task(lines),
        "one-task",
        "Subtasks of the same task do not replace other tasks. How likely are two studies to find similar winners if "
        "they take the same task (squares, means over tasks) or different tasks (crosses, with intervals)? Data: "
        f"{n_tasks} tasks of the benchmark of notebook 03.",
        f"With {last['n']:.0f} subtasks: {last['one_factor']:.2f} for the same task, {last['predicted']:.2f} for "
        "different tasks.",
    )


# --- numbers that are kept --------------------------------------------------------------------------------------------

_CHEAPEST = "in the cheapest design whose whole interval is enough"
_LABELS = {
    "nstar-winners": ('MTEB: n* of "who wins a task?"', "tasks", 1),
    "mteb-winner": ("MTEB: probability of the same winner by mean rank", "", 2),
    "mteb-order": ("MTEB: Kendall's tau of the orders", "", 2),
    "encoders-winner": ("encoders, for new models and datasets: probability of the same winner", "", 2),
    "mteb-contenders": ("MTEB: models that may be the best, by mean rank", "", 0),
    "mteb-contenders-types": ("MTEB: the same, if a second study has other types of tasks", "", 0),
    "mteb-regret": ("MTEB: places lost by choosing the leader, on a left-out task", "", 2),
    "design-encoders-datasets": (f"encoders: datasets {_CHEAPEST}", "datasets", 0),
    "design-encoders-models": (f"encoders: models {_CHEAPEST}", "models", 0),
    "same-task": ("BIG-bench: probability of similar winners, both studies with the same task", "", 2),
    "own-task": ("BIG-bench: probability of similar winners, each study with a different task", "", 2),
    "more-tasks": ("BIG-bench: probability of similar winners, each study with as many tasks as ours", "", 2),
    "split-share": ("own runs: share of the split in the variance, median over models, smallest and largest", "", 2),
}


#: Key numbers with the sizes of the cheapest designs.
DESIGNS = [name for name in _LABELS if name.startswith("design-")]


def keep_key_numbers(numbers: Mapping[str, Any]) -> None:
    """Keep the numbers that others quote, each alone or with the ends of its interval, and show all of them."""
    for name, (label, unit, decimals) in _LABELS.items():
        page.key_number(name, label, *np.atleast_1d(numbers[name]).tolist(), unit=unit, decimals=decimals)
    page.show_key_numbers(
        "All key numbers of this page, also in the JSON file next to it. An agreement has an estimate only if the "
        "estimate lies in its interval."
    )


# --- notebooks 13 and 14: items, judges, games ------------------------------------------------------------------------


def of_contenders(found: pd.DataFrame) -> str:
    """Name those that may be the best."""
    names = together(found.index[found["may_be_best"]]).rsplit(" and ", 1)
    return f"the best may be {' or '.join(names)}" if names[1:] else f"only {names[0]} may be the best"


def accuracies(models: pd.DataFrame, confidence: float) -> Figure:
    """Draw the accuracy of each model with its interval, darker if it may be the best."""
    fig, (ax,) = named_rows(models.index, 0.9)
    _shares(ax, models, 25, f"right answers, % (with {percent(confidence)} intervals)")
    ax.text(25.5, 0, "guessing: 25 %", va="center")  # of four options
    return plain(fig)


def _shares(ax: Axes, models: pd.DataFrame, beside: float, label: str) -> None:
    """Draw shares (first column) with their ends (next two), blue if they may be the best, beside a dashed line."""
    at, colours = np.arange(len(models)), np.where(models.iloc[:, 3], ACCENT, REFERENCE)
    ax.hlines(at, 100 * models.iloc[:, 1], 100 * models.iloc[:, 2], color=colours, linewidth=4, alpha=0.4)
    ax.scatter(100 * models.iloc[:, 0], at, color=colours, s=34, zorder=3)
    ax.axvline(beside, color=INK, linestyle="--", linewidth=1)
    ax.set(xlabel=label, xlim=(min(ax.get_xlim()[0], beside - 5), None))


def show_accuracies(models: pd.DataFrame, confidence: float) -> None:
    """Show the accuracies of the models."""
    page.show_figure(
        accuracies(models, confidence),
        "accuracies",
        f"**Of {len(models)} models, {of_contenders(models)}.** Lines are intervals for questions on other texts of "
        "the same packages. The models had read other texts of three of these packages. Those that may be the best are "
        "blue. Data: our own runs.",
        "; ".join(f"{name} {percent(of['estimate'])}" for name, of in models.iterrows()),
    )


def show_samples(samples: pd.DataFrame, n_items: int, n_samples: int) -> None:
    """Show the standard error of a difference for several numbers of samples."""
    page.show_table(
        100 * samples,
        "samples",
        "Standard errors of the difference between two models, in percentage points. On the left, "
        f"there are {n_items} questions. On the right, each model gives {n_items * n_samples:,} answers, and further "
        "questions come from further texts.",
        {"same_items": "same questions", "same_cost": "same number of answers"},
        {"same_items": 2, "same_cost": 2},
    )


def right_and_preferred(models: pd.DataFrame) -> Figure:
    """Draw how often each model is right beside how often it is preferred, with their intervals."""
    fig, axes = panels(2, 0.9 + 0.22 * len(models), 2, sharey=True)
    name_rows(axes[0], models.index, 50)
    _shares(axes[0], models[["right", "right_low", "right_high", "right_may_be_best"]], 25, "right answers, %")
    _shares(axes[1], models[["wins", "wins_low", "wins_high", "may_be_best"]], 50, "preferred to an\naverage model, %")
    axes[1].grid(visible=False, axis="y")
    return plain(fig)


def show_right_and_preferred(models: pd.DataFrame, n_votes: int, confidence: float) -> None:
    """Show whether those are preferred who are right."""
    right = of_contenders(models.assign(may_be_best=models["right_may_be_best"]))
    page.show_figure(
        right_and_preferred(models),
        "right-and-preferred",
        f"**By votes, {of_contenders(models)}; by right answers, {right}.** Those that may be the best are blue. Lines "
        f"are {percent(confidence)} intervals for other texts, on the right also for other judges. Dashed: guessing "
        f"(left) and an average model (right). Data: our {n_votes:,} votes.",
        "; ".join(f"{n}: right {percent(m['right'])}, preferred {percent(m['wins'])}" for n, m in models.iterrows()),
    )


def show_leads(leads: pd.DataFrame, confidence: float) -> None:
    """Show how far those in front are ahead of each one behind, on average over packages and in one more."""
    shown = 100 * leads.set_index(["first", "second"])[["estimate", "smallest", "low", "high", "next_low", "next_high"]]
    ends = [(of, end) for of in ("mean over packages", "one more package") for end in ("from", "to")]
    page.show_table(
        shown.set_axis(pd.MultiIndex.from_tuples([("lead", "mean"), ("lead", "smallest"), *ends]), axis=1),
        "leads",
        f"Leads in percentage points, with two {percent(confidence)} intervals: for the mean over packages like these, "
        "and for the true lead in one more package. *Smallest* is the lead in the package that is worst for the "
        "leader. The mean gives more weight to packages in which a lead is more certain.",
        {"first": "leader", "second": "ahead of"},
        dict.fromkeys(("mean", "smallest", "from", "to"), 1),
        csv=leads,
        folded="Leads over the others, with intervals",
    )


def two_intervals(algorithms: pd.DataFrame) -> Figure:
    """Draw interquartile means with two intervals: for other seeds (thick), and for other games (thin)."""
    shown = algorithms.sort_values("estimate", ascending=False, kind="stable")
    fig, (ax,) = named_rows(shown.index, 1.0)
    at = np.arange(len(shown))
    ax.hlines(at, shown["games_low"], shown["games_high"], color=COLOURS["orange"], linewidth=1.6)
    ax.hlines(at, shown["low"], shown["high"], color=ACCENT, linewidth=5)
    ax.scatter(shown["estimate"], at, color="white", edgecolors=INK, s=30, zorder=4)
    ax.set_xlabel("interquartile mean (0: random, 1: best possible)")
    lines = [Line2D([], [], color=ACCENT, linewidth=5), Line2D([], [], color=COLOURS["orange"], linewidth=1.6)]
    legend_above(fig, lines, ["other seeds", "other games, too"])
    return plain(fig)


def show_two_intervals(algorithms: pd.DataFrame, confidence: float, n_games: int) -> None:
    """Show how much wider intervals for other games are."""
    page.show_figure(
        two_intervals(algorithms),
        "two-intervals",
        f"**Intervals are {written_number(wider(algorithms), 1)} times as wide for other games as for other seeds.** "
        f"This is the median over algorithms. Dots are interquartile means over {n_games} games. Lines are "
        f"{percent(confidence)} intervals: thick for other seeds, and thin for other games with their runs. "
        "Hopeful Q is Q-learning that begins with high hopes. Data: our own runs.",
        "; ".join(
            f"{name} {two_digits(of['estimate'])}, {two_digits(of['games_low'])} to {two_digits(of['games_high'])}"
            for name, of in algorithms.iterrows()
        ),
    )


def wider(algorithms: pd.DataFrame) -> float:
    """How many times as wide intervals for other games are, in the median over algorithms."""
    ratio = (algorithms["games_high"] - algorithms["games_low"]) / (algorithms["high"] - algorithms["low"])
    return float(ratio.median())


def profiles(found: pd.DataFrame, chosen: Sequence[str]) -> Figure:
    """Draw which share of runs is above each threshold: chosen algorithms in colour and named, others in grey."""
    fig, (ax,) = panels(1, 3.2)
    ends = []
    colours = dict(zip(chosen, COLOURS.values(), strict=False))
    better = found[(found["threshold"] >= 0) & (found["threshold"] < 1)]
    for name, part in better.groupby("algorithm", sort=False):
        look: dict[str, Any] = {"color": colours.get(name, "0.75"), "linewidth": 2.2 if name in colours else 1.2}
        ax.plot(part["threshold"], 100 * part["estimate"], **look)
        if name in colours:
            ends.append((100 * part["estimate"].iloc[-1], str(name), colours[name]))
    ax.set(xlabel="normalized score (0: random, 1: best possible)", ylabel="runs above it, %")
    ax.set(xlim=(0, 1), ylim=(0, 100))
    name_lines(ax, ends)
    return plain(fig)


def show_profiles(found: pd.DataFrame, chosen: Sequence[str]) -> None:
    """Show the performance profiles of some algorithms beside those of the others."""
    half = found[found["threshold"] <= 0.5].groupby("algorithm")["estimate"].last()
    first = half.idxmax()
    page.show_figure(
        profiles(found, chosen),
        "profiles",
        f"**{first} most often scores above 0.5, in {percent(half[first])} of its runs.** A score of 0.5 is "
        "halfway from random to the best possible. Lines show what share of the runs is above each "
        "normalized score. Grey lines are the other algorithms. Data: our own runs.",
        "Runs above one half: " + "; ".join(f"{name} {percent(share)}" for name, share in half.items()),
    )


def show_contenders(algorithms: pd.DataFrame, level: float) -> None:
    """Show who may be the best."""
    page.show_table(
        algorithms[["wins", "p"]].assign(best=np.where(algorithms["may_be_best"], "yes", "no")),
        "contenders",
        f"The algorithms with p above {as_written(level)} may be the best over games like these.",
        {"best": "may be the best"},
        {"wins": 3, "p": 3},
    )


def keep_numbers_of_items(found: Items, again: int, right: float, agreement: pd.Series) -> None:
    """Keep the key numbers of notebook 13, and show them."""
    share, front = found.noise["samples"] / found.noise.sum(), found.models.index[0]
    accuracy = 100 * found.models.iloc[0][["estimate", "low", "high"]].astype(float)
    page.key_number("accuracy", "accuracy of the model in front", *accuracy, unit="%")
    page.key_number("contenders", "models that may be the best", found.models["may_be_best"].sum(), decimals=0)
    page.key_number("samples-share", "variance of a difference due to samples", 100 * share, unit="%", decimals=0)
    page.key_number("pairs-again", f"sure leads of {front} in one more package (each alone)", again, decimals=0)
    page.key_number("judges-right", "votes for the right answer, if one was right", 100 * right, unit="%", decimals=0)
    page.key_number(
        "same-front", "probability that two panels like the same model best", *agreement, unit="%", decimals=0
    )
    page.show_key_numbers()


def keep_numbers_of_games(algorithms: pd.DataFrame, crowned: float) -> None:
    """Keep the key numbers of notebook 14, and show them."""
    best = algorithms.loc[algorithms["estimate"].idxmax()]
    label = "highest interquartile mean, interval for other"
    page.key_number("iqm-seeds", f"{label} seeds", *best[["estimate", "low", "high"]], decimals=2)
    page.key_number("iqm-games", f"{label} games", *best[["estimate", "games_low", "games_high"]], decimals=2)
    page.key_number("wider", "how many times as wide intervals for other games are", wider(algorithms))
    share, wins = 100 * algorithms["of_games"].mean(), 100 * crowned
    page.key_number("of-games", "variance that no number of seeds reduces", share, unit="%", decimals=0)
    page.key_number("contenders", "algorithms that may be the best", algorithms["may_be_best"].sum(), decimals=0)
    page.key_number("crowned", "draws of games that the most frequent winner leads", wins, unit="%", decimals=0)
    page.show_key_numbers()
