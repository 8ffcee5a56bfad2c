"""tradeoff_cifar10: the run on CIFAR-10 is whole, and is of the form that the analysis takes."""

import json

import numpy as np
import pytest

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.datasets import data_folder, load_tradeoff_cifar10, load_tradeoff_cifar10_measures
from genexpy_nb.tradeoff import MEASURES, to_array

N_SEEDS, N_SIZES = 3, 6
METRICS = ["error_rate", "kappa", "conflict", "conflict_abs"]
SHARES = np.round([u / (5 + u) for u in range(6)], 6)


@pytest.fixture(scope="module")
def cells():
    return load_tradeoff_cifar10()


def test_every_cell_is_there_once(cells):
    stated = json.loads((data_folder() / "tradeoff_cifar10.json").read_text(encoding="utf-8"))
    assert cells.attrs["about"] == {name: value for name, value in stated.items() if name != "checksum"}
    assert stated["rows"] == len(cells) == 2 * N_SEEDS * N_SIZES * (45 * 18 + 22 * 5 + 22 * 23)
    assert not cells.duplicated(["family", "seed", "size", "training", "noise", "level", "zero_shot", "class"]).any()
    sizes = {name: sorted(rows.unique()) for name, rows in cells.groupby("family")["size"]}
    assert sizes["plain"] == sizes["residual"] and len(sizes["plain"]) == N_SIZES
    for (training, noise), rows in cells.groupby(["training", "noise"]):
        wanted = SHARES if training == "probe" and noise != "fgsm" else SHARES[[0, 2, 5]]
        assert np.round(np.unique(rows["zero_shot"]), 6).tolist() == wanted.tolist()


def test_numbers_are_in_range(cells):
    assert cells["error_rate"].between(0, 1).all() and cells["gap"].between(-1, 1).all()
    assert cells["kappa"].between(0, 2).all() and cells["conflict"].between(-1, 1).all()
    assert cells["conflict_abs"].between(0, 1).all() and (cells["n"] == 200).all()
    assert (cells["level"] == cells["ssim"])[cells["noise"] != "fgsm"].all()
    # A share of 200 images.
    assert np.allclose(cells["error_rate"] * 200, (cells["error_rate"] * 200).round(), atol=2e-3)


@pytest.mark.parametrize("training", ["probe", "fine-tuned"])
@pytest.mark.parametrize("noise", ["pca", "autoencoder"])
def test_each_kind_is_an_array(training, noise):
    some = load_tradeoff_cifar10(training, noise)
    assert set(some["training"]) == {training} and set(some["noise"]) == {noise}
    for _, rows in some.groupby(["family", "seed"]):
        array = to_array(rows)
        assert array.sizes["ssim"] == 9 and array.sizes["size"] == N_SIZES


def test_noise_and_attacks_do_harm(cells):
    means = cells.groupby(["training", "noise", "level"])["error_rate"].mean()
    for training in ("probe", "fine-tuned"):
        assert means[training, "pca", 0.6] > means[training, "pca", 1.0]
        assert means[training, "autoencoder", 0.6] > means[training, "autoencoder", 1.0]
        assert np.all(np.diff(means[training, "fgsm"]) > 0)


def test_what_is_not_there_is_named():
    with pytest.raises(ParameterError, match="noise must be one of"):
        load_tradeoff_cifar10(noise="blur")
    with pytest.raises(ParameterError, match="training must be one of"):
        load_tradeoff_cifar10("tuned")


def test_every_network_has_its_measures(cells):
    measures = load_tradeoff_cifar10_measures()
    keys = ["family", "seed", "size"]
    assert not measures.duplicated(keys).any()
    assert set(measures[keys].itertuples(index=False)) == set(cells[keys].drop_duplicates().itertuples(index=False))
    assert {*MEASURES} <= {*measures.columns} and np.isfinite(measures[[*MEASURES]]).all(axis=None)
    assert measures["converged"].all() and (measures["loss"] <= 0.1).all()
