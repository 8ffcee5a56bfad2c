"""Averages and counts against loops; at the ends of the band."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from genexpy_nb.chapters.tradeoff import VERDICTS, averaged_sign_errors, count_verdicts
from genexpy_nb.tradeoff.signerror import null_band, sign_error

SIZES = [1, 2, 4, 8, 16, 32]


def tables(seed, families=("a", "b"), slices=("ssim", "zero_shot"), n_seeds=3):
    rng = np.random.default_rng(seed)
    rows = [
        (family, s, size, measure, rng.random() + 0.05 * slope * size)
        for family, s, size in product(families, range(n_seeds), SIZES)
        for measure, slope in (("up", 1), ("down", -1), ("flat", 0))
    ]
    measures = pd.DataFrame(rows, columns=["family", "seed", "size", "measure", "value"])
    twice = measures[measures["measure"] == "up"].assign(measure="twice", value=lambda t: 2 * t["value"])
    rows = [
        (family, which, s, size, rng.random() - 0.02 * size)
        for family, which, s, size in product(families, slices, range(n_seeds), SIZES)
    ]
    return pd.concat([measures, twice]), pd.DataFrame(rows, columns=["family", "slice", "seed", "size", "estimate"])


def test_one_sign_error_of_the_median_measure_and_the_mean_target():
    measures, target = tables(0)
    table = averaged_sign_errors(measures, target, level=0.1)
    assert len(table) == 2 * 2 * 4 and "seed" not in table
    for row in table.itertuples():
        of = measures[(measures["family"] == row.family) & (measures["measure"] == row.measure)]
        values = [np.median(of.loc[of["size"] == size, "value"]) for size in SIZES]
        of = target[(target["family"] == row.family) & (target["slice"] == row.slice)]
        errors = [np.mean(of.loc[of["size"] == size, "estimate"]) for size in SIZES]
        assert row.sign_error == sign_error(values, errors)
        assert (row.band_low, row.band_high) == null_band(6, level=0.1)
        # scipy's test of all permutations says whether it is outside, the sign-error on which side
        p = kendalltau(values, errors, method="exact").pvalue
        expected = "like chance" if p > 0.1 else "right" if row.sign_error < 0.5 else "reversed"
        assert row.verdict == expected
    assert set(table["verdict"]) == set(VERDICTS)


@pytest.mark.parametrize(("order", "verdict"), [([1, 2, 3, 4, 5], "right"), ([5, 4, 3, 2, 1], "reversed")])
def test_the_ends_of_the_band_belong_to_the_verdicts(order, verdict):
    """Five sizes: only 0 and 1 are outside, and they are the ends of the band."""
    measures = pd.DataFrame({"size": range(5), "measure": "m", "value": [1, 2, 3, 4, 5]})
    target = pd.DataFrame({"size": range(5), "estimate": order})
    row = averaged_sign_errors(measures, target).iloc[0]
    assert row["sign_error"] in (row["band_low"], row["band_high"]) and row["verdict"] == verdict
    target["estimate"] = order[1::-1] + order[2:]
    assert averaged_sign_errors(measures, target)["verdict"].item() == "like chance"


def test_fewer_sizes_have_no_band_and_one_has_no_verdict():
    measures = pd.DataFrame({"size": [1, 2, 3] * 2, "measure": ["m"] * 3 + ["n"] * 3})
    measures["value"] = [1.0, 2.0, 3.0, np.nan, np.nan, 1.0]
    target = pd.DataFrame({"size": [1, 2, 3], "estimate": [1, 2, 3]})
    table = averaged_sign_errors(measures, target).set_index("measure")
    assert table.loc["m", "verdict"] == "like chance"
    assert pd.isna(table.loc["n", "verdict"])


def test_groups_count_once():
    measures, target = tables(0)
    table = averaged_sign_errors(measures, target)
    counts = count_verdicts(table)
    assert len(counts) == 4
    for (family, which), row in counts.iterrows():
        part = table[(table["family"] == family) & (table["slice"] == which) & (table["measure"] != "twice")]
        assert row["measures"] == len(part) == 3
        assert row["above 1/2"] == (part["sign_error"] > 0.5).sum()
        counted = {name: (part["verdict"] == name).sum() for name in VERDICTS}
        assert {name: row.get(name, 0) for name in VERDICTS} == counted


def test_exactly_one_half_is_not_above():
    table = pd.DataFrame({"family": "f", "slice": "s", "group": ["a", "b"], "sign_error": [0.5, 0.6]})
    assert count_verdicts(table.assign(verdict="like chance"))["above 1/2"].item() == 1
