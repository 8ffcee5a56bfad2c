"""Whether findings repeat on another dataset, in worlds where the answer is known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from genexpy_nb.chapters.tradeoff import made
from genexpy_nb.datasets import load_tradeoff_cifar10
from genexpy_nb.tradeoff import MEASURES, to_array
from runs.cifar_findings import (
    arrays_by_kind,
    errors_by_kind,
    finding_verdicts,
    load_measures,
    load_rotated,
    make_tables,
)


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
    name = "noise reverses the order of the families"

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
    assert table.loc["Kappa as disagreement measures the same as the error"].str.split(":").str[0].tolist() == [
        *("yes", "no", "does not repeat")
    ]
    assert table.loc["Kappa as other measures something else than the error"].str.split(":").str[0].tolist() == [
        *("no", "yes", "does not repeat")
    ]


def test_errors_by_kind_of_noise_are_means_over_cells():
    cells = load_tradeoff_cifar10()
    table = errors_by_kind(arrays_by_kind(cells))
    assert len(table) == 6
    some = cells.query("training == 'probe' and noise == 'fgsm'")
    shares = set.intersection(
        *(set(part["zero_shot"]) for _, part in cells.groupby(["training", "noise"], observed=True))
    )
    some = some[some["zero_shot"].isin(shares)]
    by_cell = some.groupby(["family", "seed", "zero_shot", "level", "size"], observed=True)["error_rate"].mean()
    expected = by_cell.groupby("level").mean()
    assert table.loc[("attack", "probe"), "cleanest"] == pytest.approx(expected.iloc[0])
    assert table.loc[("attack", "probe"), "noisiest"] == pytest.approx(expected.iloc[-1])
    assert cells.query("noise == 'fgsm'")["level"].min() == 0


def test_every_network_has_its_measures():
    cells, measures = load_tradeoff_cifar10(), load_measures()
    keys = ["family", "seed", "size"]
    assert not measures.duplicated(keys).any()
    assert set(measures[keys].itertuples(index=False)) == set(cells[keys].drop_duplicates().itertuples(index=False))
    assert {*MEASURES} <= {*measures.columns} and np.isfinite(measures[[*MEASURES]]).all(axis=None)
    assert measures["converged"].all() and (measures["loss"] <= 0.1).all()


def test_the_tables_of_the_notebook_are_what_these_give():
    tables = make_tables()
    for name, table in tables.items():
        pd.testing.assert_frame_equal(made(f"cifar10_{name}"), table, check_dtype=False, rtol=1e-9)
    for row in tables["errors"].itertuples():
        noise = {"attack": "fgsm", "principal components": "pca"}.get(row.noise, "autoencoder")
        assert row.lowest_ssim == load_tradeoff_cifar10(training=row.training, noise=noise)["ssim"].min()


def test_what_notebook_07_says_of_forty_classes():
    cells = load_rotated()
    assert cells["class"].nunique() == 40 and {*cells["family"]} == {"augmented", "compound", "decayed", "residual"}
    some = cells.query("training == 'probe' and noise == 'pca' and zero_shot == 0.5")
    means = some.groupby(["ssim", "seed", "family"], observed=True)["error_rate"].mean().unstack()
    for family in ("augmented", "decayed", "compound"):
        apart = (means[family] - means["residual"]).unstack()
        t = stats.ttest_1samp(apart, 0, axis=1)
        found = made("cifar10_families").set_index(["family", "images"]).loc[family]
        for images, at in (("noisiest", 0), ("cleanest", -1)):
            expected = [apart.iloc[at].mean(), *(ends[at] for ends in t.confidence_interval(0.95))]
            np.testing.assert_allclose(found.loc[images, ["estimate", "low", "high"]].astype(float), expected)
        assert found.loc["cleanest", "low"] > 0 if family == "compound" else found.loc["cleanest", "high"] < 0
        noisy = found.loc["noisiest"]
        assert noisy["high"] < 0 if family == "decayed" else noisy["low"] < 0 < noisy["high"]
    t = stats.ttest_1samp(apart, 0, axis=1)
    low, high = t.confidence_interval(0.95)
    assert low[-1] > 0 and low[0] < 0 < high[0]  # compound networks err more on the cleanest images; else open
    told = made("cifar10_verdicts").set_index("finding")["CIFAR-10, turned"]
    clean, noisy = (f"{apart.loc[at].mean():+.3f} [{low[i]:+.3f}, {high[i]:+.3f}]" for at, i in ((1.0, -1), (0.6, 0)))
    assert told.iloc[-1].replace("−", "-") == f"open: {clean} and {noisy}"
    networks = pd.DataFrame(cells.attrs["about"]["networks"]).query("size > 140_000")
    assert set(networks["epochs"]) == {20} and set(networks["seed"]) == {0, 1, 2}
    known = networks.groupby("family")["accuracy"].agg(["min", "max"])
    assert known.loc["compound", "max"] < known.loc["residual", "min"]  # of their training images, the larger networks
    assert known.loc["augmented", "max"] < known.loc["compound", "min"]
