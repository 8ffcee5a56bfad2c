"""Three networks on photographs: weights counted by hand, fits that repeat, the script, and the recorded trials."""

import io
import runpy

import numpy as np
import pandas as pd
import pytest
from bundled_results import DATA, bundled, check_bundled
from click.testing import CliRunner
from made_up_colours import made_up_colours
from PIL import Image
from sklearn.base import clone

from genexpy_nb.datasets.locating import read_verified_results
from genexpy_nb.protocol import make_splits
from genexpy_nb.protocol.trials import KEY, SEEDS
from runs import photographs
from runs.cifar import load_cifar10
from runs.photographs import NETWORKS, PhotographClassifier, attention_network, compound_network, residual_network

torch = pytest.importorskip("torch", reason="needs torch, which is not among the dependencies")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before[0])
    torch.use_deterministic_algorithms(before[1])


def n_weights(module):
    return sum(weights.numel() for weights in module.parameters())


def normed(into, out, size):
    """Weights of a convolution without biases, and scale and shift of each of its channels."""
    return out * (into * size**2 + 2)


@pytest.mark.parametrize("width", [4, 16])
def test_weights_of_the_residual_network(width):
    blocks = 2 * normed(width, width, 3)
    for into in (width, 2 * width):  # the next block is twice as wide; its shortcut, too
        blocks += normed(into, 2 * into, 3) + normed(2 * into, 2 * into, 3) + normed(into, 2 * into, 1)
    wanted = normed(3, width, 3) + blocks + 7 * (4 * width + 1)
    assert n_weights(residual_network(7, width)) == wanted


@pytest.mark.parametrize(("growth", "width", "depth"), [(0, 16, 1), (1, 24, 2), (3, 24, 2), (4, 24, 3), (5, 32, 3)])
def test_the_compound_network_becomes_wider_and_deeper(growth, width, depth):
    def block(into, out):
        return normed(into, 2 * into, 1) + normed(1, 2 * into, 3) + normed(2 * into, out, 1)

    module, blocks, into = compound_network(7, growth), 0, width
    for out in (width, 2 * width, 4 * width):
        blocks, into = blocks + block(into, out) + (depth - 1) * block(out, out), out
    assert n_weights(module) == normed(3, width, 3) + blocks + 7 * (4 * width + 1)


def test_weights_of_the_network_with_attention():
    patches = 64 * (3 * 8**2 + 1) + (32 // 8) ** 2 * 64
    layer = (
        4 * 64 * (64 + 1) + 128 * (64 + 1) + 64 * (128 + 1) + 2 * 2 * 64
    )  # query, key, value, output; two more; norms
    assert n_weights(attention_network(7)) == patches + 2 * layer + 2 * 64 + 7 * (64 + 1)
    counted = {"residual": residual_network, "compound": compound_network, "attention": attention_network}
    assert photographs.n_weights(7) == {name: n_weights(make(7)) for name, make in counted.items()}


@pytest.mark.parametrize("make", [residual_network, compound_network, attention_network])
def test_an_image_has_a_number_for_each_class_and_no_part_in_those_of_others(make):
    module, images = make(7).eval(), torch.rand(5, 3, 32, 32)
    with torch.no_grad():
        scores, alone = module(images), module(images[2:3])
    assert scores.shape == (5, 7)
    torch.testing.assert_close(scores[2:3], alone, rtol=1e-4, atol=1e-5)


def test_attention_sees_where_a_patch_is():
    module, images = attention_network(7).eval(), torch.rand(1, 3, 32, 32)
    with torch.no_grad():
        assert not torch.allclose(module(images), module(images.roll(8, dims=3)), atol=1e-4)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_fit_learns_what_its_seed_makes_of_it(name):
    images, labels = made_up_colours(3, 40, 32, 1)
    model = clone(NETWORKS[name]).set_params(epochs=15, batch=16)
    before = torch.get_rng_state()
    fits = [clone(model).set_params(random_state=seed).fit(images, labels) for seed in (3, 3, 4)]
    assert torch.equal(before, torch.get_rng_state())
    first, again, other = map(photographs.weights_hash, fits)
    assert first == again != other
    new, truth = made_up_colours(3, 40, 32, 2)
    assert min(fit.score(new, truth) for fit in fits) > 0.8


def test_answers_are_those_of_fits_by_hand(monkeypatch):
    monkeypatch.setitem(photographs.NETWORKS, "residual", PhotographClassifier(epochs=2, batch=16))
    images, labels = made_up_colours(3, 10, 32, 1)
    found = photographs.run_network("residual", 13, images, labels)
    assert tuple(found) == photographs.COLUMNS and len(found) == 2 * len(labels)
    train, test = make_splits(images, labels, k=5, n_repeats=2, seed=7).split(1, 3)
    model = PhotographClassifier(epochs=2, batch=16, random_state=13).fit(images[train], labels[train])
    rows = found.query("repeat == 1 and fold == 3")
    assert rows["image"].tolist() == list(test) and rows["class"].tolist() == list(labels[test])
    assert rows["right"].tolist() == list(model.predict(images[test]) == labels[test])


def test_cost_of_determinism():
    runs = [(0, False, 2.0, "x"), (0, True, 3.0, "y"), (1, True, 2.0, "y"), (1, False, 4.0, "z")]
    measured = pd.DataFrame(runs, columns=["pair", "deterministic", "cpu_seconds", "weights"]).assign(model="m")
    found = photographs.cost_of_determinism(measured)["m"]
    assert found["ratios"] == [1.5, 0.5]
    assert [found[f"different weights {how}"] for how in ("with", "without", "in all")] == [1, 2, 3]


def test_the_script_on_made_up_images(tmp_path, monkeypatch):
    rows = []
    for split, n in (("train", 5), ("test", 1)):
        for image, label in zip(*made_up_colours(3, n, 32, n), strict=True):
            Image.fromarray((255 * image).astype(np.uint8)).save(file := io.BytesIO(), format="PNG")
            rows.append({"split": split, "label": label, "jpeg": file.getvalue()})
    pd.DataFrame(rows).to_parquet(tmp_path / "images.parquet")
    for name in NETWORKS:
        monkeypatch.setitem(photographs.NETWORKS, name, clone(NETWORKS[name]).set_params(epochs=1))
    main = runpy.run_path(str(DATA / "make_photographs.py"))["main"]
    options = ["--images", tmp_path / "images.parquet", "--per-class", 5, "--output", tmp_path]
    done = CliRunner().invoke(main, [*map(str, options)], catch_exceptions=False)
    assert done.exit_code == 0 and "450 rows" in done.output
    table = read_verified_results(tmp_path / "photographs.parquet")
    assert len(table) == 3 * 5 * 2 * 15 and set(table.attrs["about"]["determinism"]) == set(NETWORKS)
    runs = table.attrs["about"]["determinism"].values()
    assert all(len(each["ratios"]) == 6 and each["different weights with"] == 1 for each in runs)


def test_the_recorded_trials_are_complete():
    check_bundled("photographs", photographs.COLUMNS, 100_000)
    table, about = bundled("photographs")
    sizes = table.groupby(KEY).size()
    assert len(sizes) == 3 * 5 * 10 and set(sizes) == {400} and set(table["seed"]) == set(SEEDS)
    assert table.groupby(["repeat", "image"]).size().eq(3 * 5).all()  # the same folds for all networks and seeds
    assert table.groupby(["repeat", "image"])["fold"].nunique().eq(1).all()
    assert table.groupby([*KEY, "class"]).size().eq(40).all()
    assert about["n_weights"] == photographs.n_weights(10)


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_a_recorded_fit_anew(name, cifar10):
    """Ten seconds each. On the machine of the recorded run, all answers are the same."""
    table, about = bundled("photographs", reproduce=True)
    drawn = load_cifar10(cifar10, 200, 1, about["seed"])
    images, labels = drawn.train_images, drawn.train_labels
    splits = make_splits(images, labels, k=about["k"], n_repeats=about["n_repeats"], seed=about["split_seed"])
    train, test = splits.split(1, 2)
    model = clone(NETWORKS[name]).set_params(random_state=42).fit(images[train], labels[train])
    recorded = table.query("model == @name and seed == 42 and repeat == 1 and fold == 2").set_index("image")["right"]
    assert (recorded[test] == (model.predict(images[test]) == labels[test])).mean() > 0.9
