"""Notebook 03: subtasks of BIG-bench, and what experiments that all agree tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log, sqrt
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.chapters.shared import beside_published, check_strictness, recorded_numbers, show_recorded, which_lines
from genexpy_nb.common import page
from genexpy_nb.common.page import show_table
from genexpy_nb.common.prose import as_written, percent, span, together, verbatim
from genexpy_nb.generalization.kernels import JaccardKernel, Kernel
from genexpy_nb.generalization.nstar import NStar
from genexpy_nb.generalization.theory import published_nstar
from genexpy_nb.plots import nstar as figures
from genexpy_nb.study.planning import plan
from genexpy_nb.study.study import Study

#: The probability that one of 44 equal models, given beforehand, wins 21 times.
COINCIDENCE = 44**-21.0
_PRINTED_COINCIDENCE = 1e-35

_PAPER = {"task_name": "conlang_translation", "number_of_shots": 0}
_SUMS = {"task_name": "arithmetic", "number_of_shots": 2}
_PRINTED = {"published, first version": 44, "published, second version": 65}


# --- the table --------------------------------------------------------------------------------------------------------


def told(name: str, said: str, results: pd.DataFrame) -> str:
    """Say what holds of a table and, where that is not the published one, what was recorded of that."""
    said_there, when = recorded_numbers()["said"][name], recorded_numbers()["when"]
    gave = f" On the published table, this page says: “{said_there}” (Recorded {when}, with default parameters.)"
    return said + gave * (results.attrs["source"] != "original")


def share_missing(results: pd.DataFrame) -> float:
    """Share of the pairs of a condition and a model that have no result."""
    conditions = results[["task_name", "number_of_shots", "subtask_description"]].drop_duplicates()
    return 1 - results["score_value"].notna().sum() / (len(conditions) * results["model_family_model_name"].nunique())


def well_known(results: pd.DataFrame) -> str:
    """Return a model that readers know, or the one with the most results."""
    counts = results.dropna(subset="score_value")["model_family_model_name"].value_counts().sort_index()
    return "GPT GPT-3 200B" if "GPT GPT-3 200B" in counts else counts.idxmax()


def rows_named_like(study: Study, factor: str, configurations: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Compare conditions that carry the name of their configuration with the mean of the other conditions."""
    rows = []
    for configuration in configurations:
        scores, name = study.scores(configuration), configuration[factor]
        if name in scores.index and len(scores) > 1:
            mean = scores.drop(name).mean()
            correlation = float(np.corrcoef(scores.loc[name], mean)[0, 1])
            ratio = float((scores.loc[name] / mean).median())
            rows.append({**configuration, "n_experiments": len(scores), "correlation": correlation, "ratio": ratio})
    return pd.DataFrame(rows, columns=[*study.design, "n_experiments", "correlation", "ratio"])


# --- experiments that all agree ---------------------------------------------------------------------------------------


def unanimous(study: Study, kernel: Kernel, estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the configurations in which all experiments have the same answer."""
    answered = estimates.dropna(subset="nstar")
    agree = [kernel.gram(study.rankings(c)).min() > 1 - 1e-9 for c in answered[study.design].to_dict("records")]
    assert ((answered["nstar"] == 1) & np.isinf(answered["high"]))[agree].all()  # as the text says
    return answered[agree].reset_index(drop=True)


def largest_unseen_share(n_experiments: int, confidence: float = 0.95) -> float:
    """Bound the share of results that did not turn up in any of the experiments."""
    return 1 - (1 - confidence) ** (1 / n_experiments)


def harmless_share(alpha: float) -> float:
    """Return how large the share of a second result may be for n* to be 1, where the two are not similar."""
    return (1 - sqrt(2 * alpha - 1)) / 2 if alpha > 0.5 else 0.5


def n_to_exclude(share: float, confidence: float = 0.95) -> int:
    """Return how many experiments that all agree it takes to exclude other results of a share."""
    return ceil(log(1 - confidence) / log(1 - share))


# --- one configuration ------------------------------------------------------------------------------------------------


def to_look_at(asked: Mapping[str, Any], study: Study, estimates: pd.DataFrame) -> dict[str, Any]:
    """Return the configuration that is asked for, the paper's, or the most demanding one."""
    if asked or _PAPER in study.configurations:
        return dict(asked) or dict(_PAPER)
    return estimates.loc[estimates["nstar"].idxmax(), study.design].to_dict()


def named(configuration: Mapping[str, Any]) -> str:
    """A configuration in a sentence."""
    shots = configuration["number_of_shots"]
    return f"{configuration['task_name']} with {shots} {'shot' if shots == 1 else 'shots'}"


# --- what the page shows ----------------------------------------------------------------------------------------------


def show_named_like(rows: pd.DataFrame) -> None:
    """Show how rows that carry the name of their task compare with the mean of its other rows, if there are any."""
    if not rows.empty:
        page.show_table(
            rows.set_index("task_name")[["correlation", "ratio"]],
            "named-like",
            "The row with the name of its task, compared with the mean of the task's other rows: the correlation over "
            "the models, and the median ratio. If the ratio is near 100, the row is in per cent.",
            {"task_name": "task"},
            {"correlation": 3, "ratio": 2},
            folded="The rows that carry the name of a task",
        )


def show_strictness(strictness: pd.DataFrame, alpha: float, delta: float) -> None:
    """Show how n* depends on what is asked, and how strictly: the papers' figure."""
    check_strictness(strictness)
    held = strictness[np.isclose(strictness["alpha"], alpha) & np.isclose(strictness["delta"], delta)]
    medians = held.groupby("kernel")["nstar"].median().dropna().sort_values()
    page.show_figure(
        figures.nstar_overview(strictness, alpha, delta),
        "overview",
        "A stricter demand never needs fewer subtasks. Each box shows n* of the configurations, on a log scale. "
        f"The upper panel varies α, the probability of looking alike, at δ = {as_written(delta)}. The lower panel "
        f"varies the tolerance δ, at α = {as_written(alpha)}.",
        f"n* rises with α and falls with δ. Its median is {medians.iloc[0]:.1f} for {medians.index[0]} and "
        f"{medians.iloc[-1]:.1f} for {medians.index[-1]}.",
    )


def show_seeds(by_seed: np.ndarray, moments: NStar, configuration: Mapping[str, Any]) -> None:
    """Show the published estimate once per random seed."""
    estimates, printed = span(by_seed, "{:.1f}"), _PRINTED if configuration == _PAPER else {}
    page.show_figure(
        figures.estimate_histogram(by_seed, {**printed, "moments": round(moments.estimate, 1)}),
        "seeds",
        f"The published estimate for {verbatim(named(configuration))} changes with the random seed, and nothing else "
        "changes. The scale of n* is logarithmic.",
        f"Over {len(by_seed)} seeds the published estimate is {estimates}; our own, without a seed, is "
        f"{moments.estimate:.1f}.",
    )


def show_answer(planned: pd.DataFrame, design: Sequence[str], confidence: float) -> None:
    """Show how many subtasks each configuration needs, and has."""
    counts = planned["verdict"].value_counts()
    counted = ", ".join(f"{counts.get(verdict, 0)} {verdict}" for verdict in ("enough", "undecided", "more needed"))
    page.show_figure(
        figures.nstar_hero(planned, list(design), unit="subtasks"),
        "answer",
        f"How many subtasks two studies need to find similar shares of wins. Each line is a task with a number of "
        f"shots (solved examples). {which_lines(planned)}Black ticks show how many subtasks the benchmark has.",
        f"Subtasks needed and subtasks there. Of {len(planned)} configurations: {counted}.",
    )


def show_beside_published(
    study: Study, by_seed: np.ndarray, draws: np.ndarray, configuration: Mapping[str, Any], confidence: float
) -> None:
    """Show what the papers print next to what comes out here, or on another table to what was recorded."""
    if _SUMS not in study.configurations:
        show_recorded("03_bigbench")
        return
    table = beside_published(study, published_nstar("bigbench"), JaccardKernel(1), confidence=confidence)
    table = plan(table.rename(columns={"moments": "nstar"}))
    theirs = f"their method, median of {len(by_seed)} seeds ({span(by_seed, '{:.1f}')})"
    of_draws = f"; {percent(float(np.mean(draws >= 65)))} of its draws of 10 subtasks give 65 or more"
    for row in table.itertuples():
        task, shots, paper = row.task_name, row.number_of_shots, row.paper
        ours = f"by moments {row.nstar:.1f} ({row.low:.1f} to {row.high:.1f})"
        computed, reason = (row.nstar, row.low, row.high), "by moments, not by their method"
        if row.published == 1:
            reason = "the same estimate; experiments that all agree leave the upper end open"
        elif configuration == _PAPER:
            computed = (float(np.median(by_seed)), None, None)
            reason = f"{theirs}{of_draws if row.published == 65 else ''}; {ours}"
        page.key_number(
            f"{task}-{shots}-v{'12'[paper.startswith('second')]}".replace("_", "-"),
            f"n* of {task}, {shots} shots ({paper})",
            *computed,
            unit="subtasks",
            published=row.published,
            source=f"Matteucci et al., {paper}, Section 5.2",
            reason=f"paper: {'' if row.published == 1 else 'not '}generalizable; ours: {row.verdict}; {reason}",
        )
    first = table.query("published == 44").iloc[0]
    there = first["n_experiments"]
    page.key_number(
        "conlang-translation-0-missing",
        "subtasks missing from conlang_translation, 0 shots",
        first["more"],
        *(max(first[end] - there, 0) for end in ("low", "high")),
        unit="subtasks",
        published=34,
        source="Matteucci et al., first version, Section 5.2",
        reason=f"theirs is 44 minus the {first['stated']} that they drew; ours is by moments, minus all {there} rows",
        decimals=0,
    )
    sums = study.rankings(_SUMS)
    n_averages = int((sums.index == "arithmetic").sum())
    n, place = len(sums) - n_averages, "Matteucci et al., second version, Section 5.2"
    why = f"{n_averages} of {len(sums)} rows has the name of the task, and is the average of the others"
    label = "probability that one of 44 equal models, given beforehand, wins 21 times"
    of: dict[str, Any] = {"source": place, "decimals": 0}
    subtasks = "subtasks of arithmetic, 2 shots"
    page.key_number("arithmetic-subtasks", subtasks, n, unit="subtasks", published=21, reason=why, **of)
    passing = f"the same; {len(study.alternatives)} models pass the filter for all tasks"
    models = "models compared on arithmetic, 2 shots"
    page.key_number("arithmetic-models", models, sums.shape[1], unit="models", published=44, reason=passing, **of)
    times = f"the paper gives the order of magnitude only: a factor of {COINCIDENCE / _PRINTED_COINCIDENCE:.0f}"
    page.key_number(
        "coincidence", label, COINCIDENCE, published=_PRINTED_COINCIDENCE, source=place, reason=times, decimals=1
    )
    caption = "The numbers that the papers print, the numbers of this run, and why they differ."
    page.show_published("published", caption, folded="Published numbers, and ours")


def keep_key_numbers(
    planned: pd.DataFrame, needed: pd.DataFrame, moments: NStar, quantiles: np.ndarray, agreed: tuple[float, int]
) -> None:
    """Keep the key numbers of the page, and show them."""
    hardest = planned.loc[planned["nstar"].where(np.isfinite(planned["nstar"])).idxmax(), ["nstar", "low", "high"]]
    page.key_number("largest", "n* of the most demanding configuration", *hardest, unit="subtasks")
    for name, value in needed["median"].dropna().sort_values().items():
        label = f"median n* over the configurations, {name}"
        page.key_number(f"median-{str(name).split('(')[0].lower()}", label, value, unit="subtasks")
    share = (planned["verdict"] == "enough").mean()
    page.key_number("enough", "share of the configurations that have enough subtasks", share, decimals=2)
    ends = (moments.estimate, moments.low, moments.high)
    page.key_number("closely", "n* of the configuration looked at closely", *ends, unit="subtasks")
    label, (low, middle, high) = "published estimate from draws of 10: median, 5 % and 95 % quantile", quantiles
    page.key_number("draws-median", label, middle, low, high, unit="subtasks")
    label = "largest share that an unseen winner may have if all experiments agree"
    page.key_number("unseen", label, agreed[0], decimals=2)
    label = "experiments that must all agree to show that n* = 1"
    page.key_number("to-exclude", label, agreed[1], unit="subtasks", decimals=0)
    page.show_key_numbers()


# --- what must hold ---------------------------------------------------------------------------------------------------


def check_published(
    study: Study,
    large: pd.DataFrame,
    named_like: pd.DataFrame,
    by_seed: np.ndarray,
    draws: np.ndarray,
    others: tuple[float, float],
    configuration: Mapping[str, Any],
    strictness: tuple[float, float],
) -> None:
    """Check, on the published table, what the papers say of it and what is said here."""
    if _SUMS not in study.configurations:
        return
    assert len(large) == 24 and (large["n_experiments"] >= 50).sum() == 9 and len(study.alternatives) == 45
    sums = study.rankings(_SUMS)
    assert sums.shape == (21, 44) and "GPT GPT-3 200B" not in sums
    assert sums.columns[(sums < 1).all()].tolist() == ["PaLM 535b"]  # as the paper says of arithmetic
    assert len(named_like) == 8 == large["task_name"].nunique() and (named_like["correlation"] > 0.99).all()
    if configuration == _PAPER and strictness == (0.95, 0.05):
        slope, moments = others
        np.testing.assert_allclose(moments, 35.5, rtol=0.05)
        np.testing.assert_allclose(slope, moments, rtol=0.05)
        assert 0.1 < np.mean(draws >= 65) < 0.4
        if len(by_seed) >= 50:
            np.testing.assert_allclose(np.median(by_seed), 43.3, rtol=0.05)  # single seeds: from about 37 to 61
            assert by_seed.min() < 39 and by_seed.max() > 55
