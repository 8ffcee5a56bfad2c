"""Findings of several data sets beside each other, against the functions that find them."""

import numpy as np
import pytest
from example_cells import example_table

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff import (
    family_differences,
    kappa_correlations,
    repeated_findings,
    to_array,
    tradeoff_point,
    tradeoff_points_by_seed,
)


def editions(rng):
    families = {name: example_table(n_seeds=4, rng=rng + i) for i, name in enumerate("ab")}
    for table in families.values():
        table["conflict"] = -np.cos(5 * table["kappa"])
    return {kappa: {name: to_array(t, kappa=kappa) for name, t in families.items()} for kappa in ("conflict", "kappa")}


def test_findings_are_those_of_the_functions_behind_them():
    arrays = {"one": editions(1), "two": editions(7)}
    table = repeated_findings(arrays)
    assert list(table) == ["one", "two"] and table.notna().all(axis=None)
    for data, of in arrays.items():
        low, high = kappa_correlations(of).loc["conflict"].agg(["min", "max"])
        told = table.loc["error and conflict correlate at", data].split(" to ")
        assert [float(number) for number in told] == pytest.approx(sorted({round(low, 2), round(high, 2)}))
        ssim = {edition: [tradeoff_point(a).ssim for a in families.values()] for edition, families in of.items()}
        apart = np.ptp(ssim["conflict"])
        assert float(table.loc["families lie apart by", data]) == pytest.approx(apart, abs=0.005)
        moved = np.abs(np.subtract(ssim["conflict"], ssim["kappa"])).max()
        assert float(table.loc["edition moves a point by up to", data]) == pytest.approx(moved, abs=0.005)
        seeds = max(np.ptp(tradeoff_points_by_seed(a)["ssim"]) for a in of["conflict"].values())
        assert float(table.loc["seeds move a point by up to", data]) == pytest.approx(seeds, abs=0.005)
        clean = family_differences(*of["conflict"].values()).iloc[-1]
        assert (
            table.loc["error, first minus second family, cleanest images", data]
            .replace("−", "-")
            .startswith(f"{clean['estimate']:+.3f} [")
        )


def test_one_family_is_nothing_to_compare():
    with pytest.raises(ParameterError, match="two families"):
        repeated_findings({"one": {"kappa": {"a": to_array(example_table(2))}}})
    with pytest.raises(ParameterError, match="one dataset"):
        repeated_findings({})
