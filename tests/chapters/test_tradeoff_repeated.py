"""Findings of several data sets beside each other, against the functions that find them."""

import numpy as np
import pandas as pd
import pytest
from example_cells import example_table

from genexpy_nb.chapters.tradeoff import finding_verdicts, repeated_findings
from genexpy_nb.tradeoff import to_array, tradeoff_point, tradeoff_points_by_seed
from genexpy_nb.tradeoff.compare import family_differences, kappa_correlations


def editions(rng):
    families = {name: example_table(n_seeds=4, rng=rng + i) for i, name in enumerate("ab")}
    for table in families.values():
        table["conflict"] = -np.cos(5 * table["kappa"])
    return {kappa: {name: to_array(t, kappa=kappa) for name, t in families.items()} for kappa in ("conflict", "kappa")}


def test_findings_are_those_of_the_functions_behind_them():
    arrays = {"one": editions(1), "two": editions(7)}
    share = float(arrays["one"]["kappa"]["a"]["zero_shot"][-1])
    table = repeated_findings(arrays, share)
    assert list(table) == ["one", "two"] and table.notna().all(axis=None)
    for data, of in arrays.items():
        low, high = kappa_correlations(of).loc["conflict"].agg(["min", "max"])
        told = table.loc["error and conflict correlate at", data].split(" to ")
        assert [float(number) for number in told] == pytest.approx(sorted({round(low, 2), round(high, 2)}))
        ssim = {edition: [tradeoff_point(a).ssim for a in families.values()] for edition, families in of.items()}
        apart = np.ptp(ssim["conflict"])
        assert float(table.loc["families lie apart by (conflict)", data]) == pytest.approx(apart, abs=0.005)
        moved = np.abs(np.subtract(ssim["conflict"], ssim["kappa"])).max()
        assert float(table.loc["edition moves a point by up to", data]) == pytest.approx(moved, abs=0.005)
        for edition, families in of.items():
            seeds = max(np.ptp(tradeoff_points_by_seed(a)["ssim"]) for a in families.values())
            assert float(table.loc[f"seeds move a point by up to ({edition})", data]) == pytest.approx(seeds, abs=0.005)
        for where, at in (("mean over ZeroShot", None), (f"ZeroShot {share:.3g}", share)):
            clean = family_differences(*of["conflict"].values(), at).iloc[-1]
            told = table.loc[f"error, first minus second family, cleanest images, {where}", data]
            assert told.replace("−", "-").startswith(f"{clean['estimate']:+.3f} [")


def families(clean, noisy, kappa_of_error, n_seeds=4):
    """Two families whose errors differ so much on the clean and on the noisy images, seed by seed a little more."""
    rows = []
    for seed in range(n_seeds):
        for size in (10, 20, 40):
            for ssim, difference in ((0.6, noisy), (1.0, clean)):
                error = 0.5 - 0.3 * ssim + 0.001 * size
                first = error + difference + (0.01 if difference else 0.02) * (-1) ** seed
                rows += [("b", seed, size, ssim, error), ("a", seed, size, ssim, first)]
    table = pd.DataFrame(rows, columns=["family", "seed", "size", "ssim", "error_rate"])
    table = table.assign(zero_shot=0.0, **{"class": 0})
    table["cohen_like"] = kappa_of_error(table["error_rate"])
    return {name: to_array(part, kappa="cohen_like") for name, part in table.groupby("family")}


def test_a_finding_repeats_only_where_each_dataset_says_yes():
    turn, steady, level = (families(*ends, lambda e: e) for ends in ((-0.1, 0.1), (0.1, 0.1), (0.0, 0.0)))
    name = "noise turns the order of the families"

    def told(**arrays):
        return finding_verdicts({data: {"cohen": each} for data, each in arrays.items()}).loc[name]

    assert told(x=turn, y=turn)["verdict"] == "repeats"
    assert told(x=turn, y=steady)["verdict"] == "does not repeat"
    assert told(x=turn, y=level)["verdict"] == "open"
    assert told(x=steady, y=steady)["verdict"] == "not found"
    assert [told(x=each)["x"].split(":")[0] for each in (turn, steady, level)] == ["yes", "no", "open"]


def test_one_measurement_or_two_is_a_matter_of_the_correlation():
    one, two = (families(-0.1, 0.1, kappa) for kappa in (lambda e: 2 * e, lambda e: np.cos(40 * e)))
    table = finding_verdicts({"x": {"cohen": one, "other": one}, "y": {"cohen": two, "other": two}})
    assert table.loc["cohen and the error are one measurement"].str.split(":").str[0].tolist() == [
        *("yes", "no", "does not repeat")
    ]
    assert table.loc["other is another measurement than the error"].str.split(":").str[0].tolist() == [
        *("no", "yes", "does not repeat")
    ]
