"""The tests of this room on several completions of one table: each is tested, and the answers are combined.

`genexpy_nb.Study` with ``missing="complete"`` draws the completions; `genexpy_nb.common.pooling` holds the rules. They
are cautious: docs/accuracy.md says how often they erred, and what they cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import chdtri

from genexpy_nb.common.checks import check_choice, check_count, check_level
from genexpy_nb.common.pooling import pool_chi_squared, pool_intervals, pool_p_values
from genexpy_nb.common.random import seed_of
from genexpy_nb.significance.matrices import square
from genexpy_nb.significance.multiple import ADJUSTMENTS, adjust_pvalues
from genexpy_nb.significance.pairs import compare_pairs
from genexpy_nb.significance.rank_tests import Best, Friedman, conover_iman, friedman, nemenyi
from genexpy_nb.significance.tiers import TESTS, as_tiers
from genexpy_nb.significance.wilcoxon import signed_rank_tests

_FEWEST_RESAMPLES = 1000  # of a completion's interval
_FEWEST_TABLES, _MOST_DIFFERENCES = 4, 10_000_000  # of all pairs of alternatives, over all completions


def friedman_of_completions(tables: Sequence[pd.DataFrame], *, higher_is_better: bool) -> Friedman:
    """Test whether all alternatives perform alike, by several completions of one table."""
    found = [friedman(table, higher_is_better=higher_is_better) for table in tables]
    first = found[0]
    degrees = first.n_alternatives - 1
    smallest = min(each.smallest_p for each in found)
    by_f = chdtri(degrees, np.maximum([each.p_f for each in found], 1e-300))
    return replace(
        first,
        chi2=float(np.mean([each.chi2 for each in found])),
        p=pool_chi_squared(np.array([each.chi2 for each in found]), degrees),
        f=float(np.mean([each.f for each in found])),
        p_f=max(pool_chi_squared(by_f, degrees), smallest),
        mean_ranks=sum((each.mean_ranks for each in found[1:]), first.mean_ranks) / len(found),
        smallest_p=smallest,
        note=_common([each.note for each in found]),
    )


class PairTests(NamedTuple):
    """Tests of all pairs of alternatives in several completions, before any correction."""

    names: pd.Index
    p: np.ndarray
    direction: np.ndarray
    note: str


def compare_completions(tables: Sequence[pd.DataFrame], test: str) -> PairTests:
    """Compare all pairs of alternatives in several completions of one table: what takes long, whatever the level."""
    check_choice("test", test, (*TESTS, "nemenyi"))
    tables = _as_many_as_fit(tables)
    names = tables[0].columns
    i, j = np.triu_indices(len(names), 1)
    p, directions, notes = zip(*(_of_one(table, test, i, j) for table in tables), strict=True)
    return PairTests(names, *pool_p_values(np.stack(p), np.stack(directions)), _common(notes))


def p_values_of_completions(
    tables: Sequence[pd.DataFrame], test: str, adjust: str = "none", *, tested: PairTests | None = None
) -> tuple[pd.DataFrame, np.ndarray]:
    """Compare all pairs of alternatives in several completions of one table."""
    check_choice("adjust", adjust, ADJUSTMENTS)
    names, p, leads, note = compare_completions(tables, test) if tested is None else tested
    k = len(names)
    i, j = np.triu_indices(k, 1)
    matrix = pd.DataFrame(square(adjust_pvalues(p, adjust), k), names, names)
    matrix.attrs["note"] = note
    ahead = np.zeros((k, k), dtype=int)
    ahead[i, j], ahead[j, i] = leads, -leads
    return matrix, ahead


def _of_one(table: pd.DataFrame, test: str, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray, str]:
    """Return p, 1 where i has the higher values (-1 where j has), and a note."""
    if test == "wilcoxon":
        return *signed_rank_tests(table.to_numpy(dtype=float), i, j), ""
    p_values = nemenyi(table, higher_is_better=True).p_values if test == "nemenyi" else conover_iman(table)
    ranks = friedman(table, higher_is_better=True).mean_ranks.to_numpy()
    return p_values.to_numpy()[i, j], np.sign(ranks[j] - ranks[i]), p_values.attrs.get("note", "")


def _as_many_as_fit(tables: Sequence[pd.DataFrame]) -> Sequence[pd.DataFrame]:
    """Return the first completions, all of them unless there are very many pairs."""
    n, k = tables[0].shape
    return tables[: max(_FEWEST_TABLES, _MOST_DIFFERENCES // (n * max(k * (k - 1) // 2, 1)))]


def best_of_completions(
    tables: Sequence[pd.DataFrame], level: float = 0.05, adjust: str = "none", *, higher_is_better: bool
) -> Best:
    """Find the best alternative by several completions of one table, and say whether it is significantly better."""
    level = check_level("level", level)
    overall = friedman_of_completions(tables, higher_is_better=higher_is_better)
    ranks = overall.mean_ranks
    names = tuple(ranks.index[np.isclose(ranks, ranks.min(), rtol=0, atol=1e-9)])
    p_values, _ = p_values_of_completions(tables, "conover-iman", adjust)
    p_others = 1.0 if len(names) > 1 else float(p_values.loc[names[0]].drop(names[0]).max())
    significant = overall.p <= level and p_others <= level
    return Best(names, significant, overall.p, p_others, p_values.attrs["note"])


def tiers_of_completions(
    tables: Sequence[pd.DataFrame],
    level: float = 0.05,
    test: str = "wilcoxon",
    *,
    higher_is_better: bool,
    tested: PairTests | None = None,
) -> pd.DataFrame:
    """Group the alternatives into tiers by several completions of one table."""
    level = check_level("level", level)
    overall = friedman_of_completions(tables, higher_is_better=higher_is_better)
    p_values, ahead = p_values_of_completions(tables, test, "holm", tested=tested)
    note = overall.note
    better = np.where((ahead if higher_is_better else -ahead) > 0, p_values.to_numpy(), 1.0)
    if test == "conover-iman":
        better = p_values.to_numpy()
        if overall.p > level:
            better = np.ones(better.shape)
            note = f"Friedman's test does not reject (p = {overall.p:.3g}): one tier"
    return as_tiers(overall.mean_ranks, better, level, note, 0)


def pairs_of_completions(tables: Sequence[pd.DataFrame], *, higher_is_better: bool, **options: Any) -> pd.DataFrame:
    """Compare all pairs of alternatives by several completions of one table of scores."""
    adjust, confidence = options.pop("adjust", "holm"), options.get("confidence", 0.95)
    check_choice("adjust", adjust, ADJUSTMENTS)
    n_resamples = check_count("n_resamples", options.pop("n_resamples", 10_000))
    tables = _as_many_as_fit(tables)
    options["n_resamples"] = min(n_resamples, max(_FEWEST_RESAMPLES, -(-n_resamples // len(tables))))
    options["rng"] = seed_of(options.get("rng", 0))  # the same for all: the intervals differ by the cells only
    found = [compare_pairs(table, higher_is_better=higher_is_better, adjust="none", **options) for table in tables]
    pairs = found[0].copy()
    for names in (("estimate", "low", "high"), ("probability_of_improvement", "poi_low", "poi_high")):
        estimates, low, high = (np.stack([each[name].to_numpy() for each in found]) for name in names)
        for name, values in zip(names, pool_intervals(estimates, low, high, confidence), strict=True):
            pairs[name] = values
    for name in ("poi_low", "poi_high"):
        pairs[name] = pairs[name].clip(0, 1)
    for name in ("d_z", "d_av"):
        pairs[name] = np.mean([each[name] for each in found], axis=0)
    direction = np.stack([_favoured(each) for each in found])
    p, leads = pool_p_values(np.stack([each["p"].to_numpy() for each in found]), direction)
    pairs["p"], pairs["p_adjusted"] = p, adjust_pvalues(p, adjust)
    pairs["favours"] = np.select([leads > 0, leads < 0], [pairs["a"], pairs["b"]], "")
    same = np.logical_and.reduce([each["note"] == pairs["note"] for each in found])
    pairs["note"] = pairs["note"].where(same, "")
    pairs.attrs = {**found[0].attrs, "adjust": adjust}
    return pairs


def _favoured(pairs: pd.DataFrame) -> np.ndarray:
    """Return 1 where a pair favours a, -1 where it favours b, else 0."""
    return (pairs["favours"] == pairs["a"]).to_numpy().astype(int) - (pairs["favours"] == pairs["b"]).to_numpy()


def _common(notes: Sequence[str]) -> str:
    """Return the note if all completions have the same, else none: it is not true of all."""
    return notes[0] if len(set(notes)) == 1 else ""
