"""Other units, the other direction, other names, other orders: the same conclusions, from every public analysis."""

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.significance import best_alternative, compare_pairs, friedman, rank_tiers
from genexpy_nb.significance.coverage import INTERVALS
from genexpy_nb.significance.intervals import mean_intervals
from genexpy_nb.significance.rank_tests import conover_iman
from genexpy_nb.significance.wilcoxon import pairwise_wilcoxon

FACTORS = [1 / 114, 1e-9]
NAMES = ["svm", "forest", "tree", "chance"]
OF_PAIRS = [name for name in INTERVALS if name != "auto"]


def whole(seed=0, n=19):
    """Correct answers out of 114: many ties, and after a division by 3 or 114 hardly any number is exact."""
    rng = np.random.default_rng(seed)
    base = rng.integers(60, 100, (n, 1))
    return pd.DataFrame(base + rng.integers(-6, 7, (n, 4)) + np.array([0, 3, 4, -3]), columns=NAMES).astype(float)


TABLES = {"whole": whole(), "few": whole(3, 6)}
SHARES = ["p", "p_adjusted", "d_z"]
LENGTHS = ["estimate", "low", "high"]


def analyses(scores, higher_is_better):
    """The conclusions of every public analysis, by the names of the alternatives."""
    overall = friedman(scores, higher_is_better=higher_is_better)
    best = best_alternative(scores, higher_is_better=higher_is_better)
    names = sorted(scores.columns)
    found = {
        "friedman": [overall.chi2, overall.p, overall.p_f, overall.smallest_p, *overall.mean_ranks[names]],
        "best": (set(best.best), best.significant),
        "p_best": [best.p_friedman, best.p_others],
        "conover": conover_iman(scores).loc[names, names].to_numpy(),
        "wilcoxon": pairwise_wilcoxon(scores).loc[names, names].to_numpy(),
    }
    tiers = rank_tiers(scores, 0.2, higher_is_better=higher_is_better).loc[names]
    found["tier"] = tiers["tier"].tolist()
    found["p of tiers"] = tiers["p_adjusted"].to_numpy()
    return found


def same(found, expected):
    assert found.keys() == expected.keys()
    for what, value in found.items():
        if isinstance(value, tuple) or what.startswith("tier"):
            assert value == expected[what], what
        else:
            np.testing.assert_allclose(value, expected[what], rtol=1e-9, err_msg=what)


def in_order(pairs):
    """The rows by the names in alphabetical order, differences turned around where the names are."""
    swap = (pairs["a"] > pairs["b"]).to_numpy()
    turned = pairs.copy()
    turned.loc[swap, ["a", "b"]] = pairs.loc[swap, ["b", "a"]].to_numpy()
    turned.loc[swap, ["estimate", "d_z"]] *= -1
    turned.loc[swap, ["low", "high"]] = -pairs.loc[swap, ["high", "low"]].to_numpy()
    return turned.sort_values(["a", "b"], ignore_index=True)


def same_pairs(found, expected, factor=1.0, direction=1):
    unit = factor * np.abs(expected[LENGTHS].to_numpy()).max()
    swapped = expected if direction == 1 else expected.rename(columns={"low": "high", "high": "low"})
    for name in LENGTHS:
        np.testing.assert_allclose(found[name], direction * factor * swapped[name], atol=1e-9 * unit, err_msg=name)
    for name in SHARES:
        sign = direction if name.startswith("d_") else 1
        np.testing.assert_allclose(found[name], sign * expected[name], rtol=1e-8, atol=1e-9, err_msg=name)
    assert found["favours"].tolist() == expected["favours"].tolist()
    assert found["note"].tolist() == expected["note"].tolist()


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("name", TABLES)
def test_other_units_change_nothing_but_the_unit(name, factor):
    scores = TABLES[name]
    scaled = scores * factor
    for higher_is_better in (True, False):
        same(analyses(scaled, higher_is_better), analyses(scores, higher_is_better))
    for interval in OF_PAIRS:
        options = {"interval": interval, "n_resamples": 499, "higher_is_better": True}
        same_pairs(compare_pairs(scaled, **options), compare_pairs(scores, **options), factor)
        theirs = mean_intervals(scores, interval=interval, n_resamples=499)
        ours = mean_intervals(scaled, interval=interval, n_resamples=499)
        largest = factor * np.abs(theirs[LENGTHS].to_numpy()).max()
        np.testing.assert_allclose(ours[LENGTHS], factor * theirs[LENGTHS], atol=1e-9 * largest)
        assert ours["note"].tolist() == theirs["note"].tolist()


@pytest.mark.parametrize("name", TABLES)
def test_shuffled_rows_and_renamed_or_reordered_alternatives_change_nothing(name):
    scores = TABLES[name]
    rng = np.random.default_rng(5)
    shuffled = scores.iloc[rng.permutation(len(scores))]
    new_names = dict(zip(NAMES, rng.permutation(["a", "b", "zeta", "m"]), strict=True))
    moved = shuffled[rng.permutation(NAMES)]
    renamed = moved.rename(columns=new_names)
    back = {new: old for old, new in new_names.items()}
    for other in (shuffled, moved, renamed.rename(columns=back)):
        same(analyses(other, True), analyses(scores, True))
    for interval in OF_PAIRS:
        options = {"interval": interval, "n_resamples": 499, "higher_is_better": True}
        expected = in_order(compare_pairs(scores, **options))
        same_pairs(in_order(compare_pairs(shuffled, **options)), expected)
        same_pairs(in_order(compare_pairs(moved, **options)), expected)
        found = compare_pairs(renamed, **options)
        found[["a", "b", "favours"]] = found[["a", "b", "favours"]].replace(back)
        same_pairs(in_order(found), expected)
        means = mean_intervals(scores, interval=interval, n_resamples=499)
        again = mean_intervals(renamed, interval=interval, n_resamples=499).rename(index=back)
        np.testing.assert_allclose(again.loc[NAMES, LENGTHS], means[LENGTHS], rtol=1e-9)
    expected = pairwise_wilcoxon(scores)
    for row in compare_pairs(moved, higher_is_better=True, n_resamples=99).itertuples():
        np.testing.assert_allclose(row.p_adjusted, expected.loc[row.a, row.b])
