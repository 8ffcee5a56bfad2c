"""The script of the CIFAR-10 tables on made-up images; and, where the real ones are at hand, two networks anew."""

import io
import json
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from made_up_colours import made_up_colours
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

from genexpy_nb.datasets import load_tradeoff_cifar10
from genexpy_nb.datasets.locating import read_verified_results
from genexpy_nb.tradeoff.images import PCANoise
from runs.adversarial import FGSM_LEVELS
from runs.cifar import cifar10_task
from runs.colourgrid import ColourGrid, degraded_images, run_member, train_member
from runs.colournets import PLAIN, RESIDUAL, FineTuning

pytest.importorskip("torch", reason="needs torch, which is not among the dependencies")

SCRIPT = Path(__file__).resolve().parents[2] / "data" / "run_cifar10.py"
TINY = ("--n-train", 6, "--n-test", 2, "--widths", 2, "--widths", 3, "--max-epochs", 1, "--tuning-epochs", 1)


class Fog:
    """Noise of no particular similarity."""

    def fit(self, images):
        return self

    def degrade(self, images, ssim):
        return ssim * images + (1 - ssim) * np.float32(0.5)


@pytest.fixture(scope="module")
def script():
    spec = spec_from_file_location("run_cifar10", SCRIPT)
    spec.loader.exec_module(script := module_from_spec(spec))
    # To find the similarities takes seconds, which the script itself has no part in.
    script.PCANoise, script.AutoencoderNoise = Fog, lambda **_: Fog()
    return script


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    rows = []
    for split, n, seed in (("train", 6, 1), ("test", 2, 2)):
        for image, label in zip(*made_up_colours(10, n, 32, seed), strict=True):
            Image.fromarray((255 * image).astype(np.uint8)).save(file := io.BytesIO(), format="PNG")
            rows.append({"split": split, "label": label, "jpeg": file.getvalue()})
    pd.DataFrame(rows).to_parquet(path := tmp_path_factory.mktemp("images") / "images.parquet")
    return path


def run(script, *arguments):
    options = [*map(str, (*TINY, "--coder-epochs", 1, "--device", "cpu", *arguments))]
    return CliRunner().invoke(script.main, options, catch_exceptions=False)


@pytest.mark.filterwarnings("ignore:sigma")  # there is little accuracy to lose
def test_an_interrupted_run_goes_on_where_it_stopped(script, images, tmp_path):
    result = run(script, "--images", images, "--seeds", 1, "--output", tmp_path)
    assert result.exit_code == 0, result.output
    assert result.output.count("accuracy") == 4
    assert "not defined in all rows, and left out: inverse_margin, " in result.output  # after one epoch
    table = read_verified_results(tmp_path / "tradeoff_cifar10.parquet")
    about = table.attrs["about"]
    assert [(n["family"], n["seed"], n["size"]) for n in about["networks"]] == [
        (family, 0, 270 * width**2 + 47 * width) for width in (2, 3) for family in ("plain", "residual")
    ]
    # Per network: 45 classes of 6 shares x 18 levels with the probe, 22 of 3 shares x 5 steps; 22 x 23 fine-tuned.
    assert about["rows"] == len(table) == 4 * (45 * 18 + 22 * 5 + 22 * 23)
    measures = read_verified_results(tmp_path / "tradeoff_cifar10_measures.parquet")
    assert len(measures) == 4 and (measures["params"] == measures["size"]).all() and "l2_dist" in measures

    saved = {path: path.stat().st_mtime_ns for path in (tmp_path / ".partial").rglob("*.parquet")}
    assert len(saved) == 3 * 4  # networks, cells, measures
    (tmp_path / "tradeoff_cifar10.parquet").unlink()
    cells, network = (
        next(path for path in saved if path.parent.name == kind and f"residual-width-{width}" in path.name)
        for kind, width in (("cells", 3), ("networks", 2))
    )
    for gone, trained in ((cells, []), (network, ["residual, width 2, seed 0"])):
        gone.unlink()
        result = run(script, "--images", images, "--seeds", 1, "--output", tmp_path)
        said = [line.split(": ")[0].split("\r")[-1] for line in result.output.splitlines() if "accuracy" in line]
        assert [line[line.index("residual") :] for line in said] == trained
        assert (
            gone.is_file() and json.loads((tmp_path / "tradeoff_cifar10.json").read_text())["sha256"] == about["sha256"]
        )
    assert {path for path, time in saved.items() if path.stat().st_mtime_ns != time} == {cells, network}


def test_weights_in_a_table_come_back(script):
    weights = tuple(np.random.default_rng(i).normal(size=(2, i + 1)).astype(np.float32) for i in range(12))
    initial = tuple(2 * some for some in weights)
    for found, given in zip(script.from_bytes(script.as_bytes(weights, initial)), (weights, initial), strict=True):
        for one, same in zip(found, given, strict=True):
            assert_array_equal(one, same)
            assert one.dtype == same.dtype


def test_four_rotations(script, images, tmp_path):
    result = run(script, "--rotated", "--images", images, "--seeds", 1, "--output", tmp_path)
    assert result.exit_code == 0, result.output
    table = read_verified_results(tmp_path / "tradeoff_cifar10_rotated.parquet")
    # Of two widths and four families, at 2 x 5 levels: 180 classes of 6 shares, with the probe and fine-tuned.
    assert len(table) == 8 * 2 * 180 * 10
    assert table["class"].nunique() == 40
    assert set(table["family"]) == {"residual", "compound", "augmented", "decayed"}
    assert not (tmp_path / "tradeoff_cifar10_measures.parquet").exists()


def test_what_cannot_be_run_is_said(script, images, tmp_path):
    result = run(script, "--images", tmp_path / "nowhere", "--output", tmp_path)
    assert result.exit_code == 1 and "there is no such file or folder" in result.output
    result = run(script, "--images", images, "--n-train", 7, "--output", tmp_path)
    assert result.exit_code == 1 and "must hold 7 images of every class" in result.output
    assert not (tmp_path / "tradeoff_cifar10.parquet").exists()


# ---------------------------------------------------------------- the recorded run


#: Of a cell's mean over its classes: twice what differed between a recorded network and one from other initial weights.
TOLERANCE = {"error_rate": 0.06, "kappa": 0.07, "conflict": 0.03, "conflict_abs": 0.05, "gap": 0.08, "ssim": 0.01}


@pytest.mark.slow
@pytest.mark.parametrize("family", [PLAIN, RESIDUAL], ids=["plain", "residual"])
def test_a_network_of_each_family_anew(family, cifar10):
    """Half a minute each. On the machine of the recorded run, the numbers are the same to their last digit."""
    recorded = load_tradeoff_cifar10()
    about = recorded.attrs["about"]
    assert about["task"] == "CIFAR-10: 800 images of each class for training, 200 for the test"
    (settings,) = (settings for settings in about["families"] if settings["name"] == family.name)
    task = cifar10_task(cifar10, 5, 800, 200, seed=0)
    grid = ColourGrid((0, 2, 5), (5,), (0.7, 1.0), FGSM_LEVELS, FineTuning(**about["grid"]["fine_tuning"]))
    family = replace(family, widths=(16,), loss=settings["loss"], max_epochs=settings["max_epochs"])
    model = train_member(task, family, "width 16", 0)
    degraded = degraded_images(task, {"pca": PCANoise()}, grid)
    found = run_member(task, degraded, model, {"family": family.name, "seed": 0}, grid)

    (training,) = (n for n in about["networks"] if (n["family"], n["seed"], n["size"]) == (family.name, 0, model.size))
    assert model.training.converged == training["converged"] is True
    assert abs(model.training.epochs - training["epochs"]) <= 8
    keys = ["family", "seed", "size", "training", "noise", "level", "zero_shot", "class"]
    both = found.assign(level=found["level"].round(6)).merge(recorded, on=keys, suffixes=("", "_recorded"))
    assert len(both) == len(found)
    cells = both.groupby(["training", "noise", "level", "zero_shot"]).mean(numeric_only=True)
    for metric, tolerance in TOLERANCE.items():
        assert_allclose(cells[metric], cells[f"{metric}_recorded"], rtol=0, atol=tolerance, err_msg=metric)
