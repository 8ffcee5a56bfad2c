"""All cells of a network: the frozen ones against the testbed's own runner, the others against what they must be."""

import numpy as np
import pytest
from made_up_colours import colour_task
from pandas.testing import assert_frame_equal

from genexpy_nb.tradeoff.images import PCANoise
from runs.autoencoder import AutoencoderNoise
from runs.colourgrid import ColourGrid, degraded_images, run_member, train_member
from runs.colournets import ColourFamily, FineTuning
from runs.grid import run_family

torch = pytest.importorskip("torch", reason="needs torch, which is not among the dependencies")

FAMILY = ColourFamily("plain", (4,), max_epochs=15, step=0.01, device="cpu")
GRID = ColourGrid((0, 1, 2), (0, 2), (0.7, 0.9, 1.0), (0.0, 4 / 255, 16 / 255), FineTuning(2, step=2e-3))
NOISES = {"pca": PCANoise(), "autoencoder": AutoencoderNoise(4, epochs=3, device="cpu")}
LABELS = {"family": "plain", "seed": 5, "member": "width 4"}
KEYS = ["training", "noise", "level", "zero_shot", "class"]


@pytest.fixture(scope="module")
def task():
    return colour_task()


@pytest.fixture(scope="module")
def model(task):
    return train_member(task, FAMILY, "width 4", 5)


@pytest.fixture(scope="module")
def table(task, model):
    return run_member(task, degraded_images(task, NOISES, GRID), model, LABELS, GRID)


def test_every_cell_is_there_once(table):
    assert not table.duplicated(KEYS).any()
    # Classes of 2, 3 and 4 classes with the probe; of 2 and 4 for what is more work.
    counts = table.groupby(["training", "noise"]).size().to_dict()
    probe, few = 2 + 3 + 4, 2 + 4
    assert counts == {
        ("probe", "pca"): 3 * probe,
        ("probe", "autoencoder"): 3 * probe,
        ("probe", "fgsm"): 3 * few,
        ("fine-tuned", "pca"): 3 * few,
        ("fine-tuned", "autoencoder"): 3 * few,
        ("fine-tuned", "fgsm"): 3 * few,
    }
    assert (table["seed"] == 5).all() and (table["n"] == 12).all() and (table["size"] == table["size"][0]).all()
    assert {"error_rate", "kappa", "conflict", "conflict_abs", "gap"} <= {*table.columns}


def test_probe_under_pca_is_what_the_testbed_gives(task, table):
    wanted = run_family(task, FAMILY, (0, 1, 2), (0.7, 0.9, 1.0), seed=5)
    found = table[(table["training"] == "probe") & (table["noise"] == "pca")]
    order = ["zero_shot", "ssim", "class"]
    assert_frame_equal(
        found.sort_values(order, ignore_index=True)[wanted.columns], wanted.sort_values(order, ignore_index=True)
    )


def test_clean_images_give_one_result_whatever_the_noise(table):
    clean = table[(table["level"] == 1) & (table["noise"] != "fgsm") | (table["level"] == 0)]
    for _, rows in clean.groupby(["training", "zero_shot", "class"]):
        assert rows["error_rate"].nunique() == 1 and (rows["ssim"] == 1).all()


def test_attacks_do_harm_and_are_hardly_seen(table):
    attacked = table[table["noise"] == "fgsm"].groupby(["training", "level"])[["error_rate", "ssim"]].mean()
    for training in ("probe", "fine-tuned"):
        rows = attacked.loc[training]
        assert rows["error_rate"].iloc[-1] > rows["error_rate"].iloc[0]
        assert (np.diff(rows["ssim"]) < 0).all() and rows["ssim"].iloc[1] > 0.9


def test_fine_tuning_learns_what_the_probe_cannot(table):
    clean = table[(table["level"] == 0) & (table["zero_shot"] == 0.5)]
    training_error = (clean["error_rate"] - clean["gap"]).groupby(clean["training"]).mean()
    assert training_error["fine-tuned"] < training_error["probe"]


def test_same_seed_same_table_and_threads_are_given_back(task, table):
    before = torch.get_num_threads()
    model = train_member(task, FAMILY, "width 4", 5)
    again = run_member(task, degraded_images(task, NOISES, GRID), model, LABELS, GRID)
    assert_frame_equal(again, table, check_exact=True)
    assert torch.get_num_threads() == before and model.training.epochs <= 15
