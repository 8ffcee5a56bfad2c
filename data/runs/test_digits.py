"""The recorded runs: complete, in part reproduced, and saying what the notebook says of them."""

import numpy as np
import pytest
from scipy.special import softmax

from genexpy_nb import tradeoff
from genexpy_nb.datasets.locating import load_tradeoff_cells, load_tradeoff_measures
from genexpy_nb.tradeoff.images import SSIM_LEVELS, digits_task
from genexpy_nb.tradeoff.signerror import MEASURES
from runs.digits import FAMILIES, N_UNSEEN, NetworkFamily, measure_family
from runs.grid import run_family

CELL = ["zero_shot", "ssim", "size", "class"]


@pytest.fixture(scope="module")
def cells():
    return load_tradeoff_cells()


@pytest.fixture(scope="module")
def arrays(cells):
    return {name: tradeoff.to_array(part) for name, part in cells.groupby("family")}


@pytest.fixture(scope="module")
def measures():
    return load_tradeoff_measures()


def test_the_table_is_complete(cells, arrays, measures):
    assert cells.attrs["about"]["script"] == measures.attrs["about"]["script"] == "data/make_tradeoff.py"
    for family in FAMILIES:
        array = arrays[family.name]
        assert dict(array.sizes) == {"seed": 10, "zero_shot": 6, "ssim": 9, "size": 8}
        np.testing.assert_array_equal(array["ssim"], SSIM_LEVELS)
        expected = [len(digits_task(0).seen) + u for u in N_UNSEEN]
        assert (array["n_classes"] == np.array(expected)[:, None, None]).all()
    networks = cells[["family", "seed", "size"]].drop_duplicates()
    assert len(networks.merge(measures, on=["family", "seed", "size"])) == len(networks) == len(measures) == 160
    assert measures["converged"].all() and (measures["loss"] <= 0.01).all()
    assert list(MEASURES) == [column for column in measures if column in MEASURES]


@pytest.mark.parametrize(("name", "width", "seed"), [("perceptrons", 22, 1), ("convolutions", 9, 4)])
def test_cells_can_be_made_again(cells, name, width, seed):
    family = NetworkFamily(name, (width,))
    again = run_family(digits_task(seed), family, [0, 5], [0.75, 1.0], seed=seed).set_index(CELL)
    recorded = cells[(cells["family"] == name) & (cells["seed"] == seed)].set_index(CELL)
    recorded = recorded.loc[again.index]
    assert len(again) == 2 * (5 + 10)
    assert (recorded["n"] == again["n"]).all()
    # The last bits of a matrix product differ between machines, and training carries them on: an image here or there
    # may change sides, not more.
    images = ((recorded["error_rate"] - again["error_rate"]) * again["n"]).abs()
    assert images.max() <= 2.01 and images.mean() < 0.2


def test_measures_can_be_made_again(measures):
    again = measure_family(digits_task(2), NetworkFamily("perceptrons", (22,)), seed=2).iloc[0]
    recorded = measures[(measures["family"] == "perceptrons") & (measures["seed"] == 2)]
    recorded = recorded.set_index("size").loc[again["size"]]
    for name in MEASURES:
        assert again[name] == pytest.approx(recorded[name], rel=0.1 if "pacbayes" in name else 0.01)


def test_the_network_that_is_measured_is_the_one_that_was_trained():
    task = digits_task(0)
    seen = np.isin(task.train_labels, task.seen)
    images, labels = task.train_images[seen], task.train_labels[seen]
    model = NetworkFamily("convolutions", (6,)).pretrain("width 6", images, labels, 0)
    record = model.record(images, labels)
    scores = model.training.network.forward(model.training.weights, images)[-1].astype(float)
    chances, positions = softmax(scores, axis=1), np.searchsorted(sorted(task.seen), labels)
    assert -np.log(chances[np.arange(len(labels)), positions]).mean() == pytest.approx(model.training.loss, rel=1e-4)
    for row in range(0, len(labels), 50):
        right = scores[row, positions[row]]
        assert record.margins[row] == pytest.approx(right - np.delete(scores[row], positions[row]).max(), rel=1e-4)
    assert record.accuracy(record.weights) == (scores[:256].argmax(axis=1) == positions[:256]).mean()
    assert record.n_weights == model.size
    ones = model.training.network.forward(record.weights, np.ones((1, 8, 8)))[-1]
    np.testing.assert_allclose(record.outputs(record.weights), ones, rtol=1e-4)
