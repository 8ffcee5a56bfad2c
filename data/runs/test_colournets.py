"""Networks for colour images: against layers of torch, scipy's cross-entropy and scikit-learn's probe."""

from dataclasses import replace

import numpy as np
import pytest
from made_up_colours import colour_task, made_up_colours
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.signerror import MEASURES
from runs.colournets import (
    AUGMENTED,
    COMPOUND,
    DECAYED,
    PLAIN,
    RESIDUAL,
    ColourFamily,
    ColourNet,
    FineTuning,
    Head,
    colour_record,
    fine_tune,
    moved,
    pixels,
    train_colour,
)
from runs.complexity import complexity_measures
from runs.grid import linear_probe
from runs.torchrecords import module_record

torch = pytest.importorskip("torch", reason="needs torch, which is not among the dependencies")

SMALL = {"max_epochs": 40, "step": 0.01, "device": "cpu"}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def task():
    return colour_task()


@pytest.fixture(scope="module")
def model(task):
    seen = np.isin(task.train_labels, task.seen)
    return ColourFamily("residual", (4,), **SMALL).pretrain(
        "width 4", task.train_images[seen], task.train_labels[seen], 0
    )


class Block(torch.nn.Module):
    def __init__(self, first, second, shortcut):
        super().__init__()
        self.branch = torch.nn.Sequential(as_layer(first), torch.nn.ReLU(), as_layer(second))
        self.shortcut = shortcut

    def forward(self, x):
        y = self.branch(x)
        if self.shortcut:
            y[:, : x.shape[1]] += x
        return y.relu()


def as_layer(kernel):
    layer = torch.nn.Conv2d(kernel.shape[1], kernel.shape[0], 3, padding="same", bias=False)
    layer.weight.data = torch.from_numpy(kernel)
    return layer


def as_module(weights, shortcuts, blocks=1):
    """The same architecture from torch's own layers."""
    w = weights
    chain = [Block(w[i], w[i + 1], shortcuts) for i in range(1, 4 * blocks, 2)]
    return torch.nn.Sequential(
        *(as_layer(w[0]), torch.nn.ReLU(), torch.nn.AvgPool2d(4)),
        *(*chain[:blocks], torch.nn.AvgPool2d(2), *chain[blocks:]),
        *(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()),
    )


@pytest.mark.parametrize(("shortcuts", "blocks"), [(False, 1), (True, 1), (True, 3)])
def test_features_are_those_of_torchs_layers(shortcuts, blocks):
    net = ColourNet(5, 3, shortcuts, blocks)
    weights = net.initial_weights(np.random.default_rng(0))
    images = np.random.default_rng(1).random((3, 16, 24, 3), np.float32)
    x = torch.from_numpy((images - 0.5) / 0.25).permute(0, 3, 1, 2)
    with torch.no_grad():
        wanted = as_module(weights, shortcuts, blocks)(x)
        found = net.features([torch.from_numpy(w) for w in weights], pixels(images, "cpu"))
        logits = net.logits([torch.from_numpy(w) for w in weights], pixels(images, "cpu"))
    assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert_allclose(logits, wanted.numpy() @ weights[-1].T, rtol=1e-5, atol=1e-6)
    assert (wanted > 0).any() and wanted.shape == (3, net.n_features)


def test_both_families_have_the_same_sizes_which_about_double():
    sizes = [ColourNet(width, 5, False).n_weights for width in PLAIN.widths]
    assert sizes == [270 * w**2 + 47 * w for w in RESIDUAL.widths]
    ratios = np.divide(sizes[1:], sizes[:-1])
    assert ratios.min() > 1.7 and ratios.max() < 2.3


def test_compound_networks_grow_in_depth_too():
    networks = [COMPOUND.network(member, 20) for member in COMPOUND.members]
    assert [net.blocks for net in networks] == [1, 1, 2, 2, 2, 3]
    for net in networks:  # a block on the first scale has 2 x 9 x (2w)^2 weights, one on the second four times as many
        wide = 270 * net.width**2 + 27 * net.width + 80 * net.width
        assert net.n_weights == wide + (net.blocks - 1) * 18 * (4 + 16) * net.width**2
    alike = [replace(family, max_epochs=1, device="cpu") for family in (RESIDUAL, COMPOUND)]
    images, labels = made_up_colours(2, 5, 32, 0)
    one, other = (family.pretrain("width 6", images, labels, 3).weights for family in alike)
    for a, b in zip(one, other, strict=True):  # where one block is all, they are the same network
        assert_array_equal(a, b)


def test_moved_images_keep_their_edges_and_change_their_contrast():
    images = torch.from_numpy(np.random.default_rng(0).normal(size=(20, 3, 8, 16)).astype(np.float32))
    found = moved(images, 3, np.random.default_rng(1)).numpy()
    for before, after in zip(images.numpy(), found, strict=True):
        padded = np.pad(before, ((0, 0), (3, 3), (3, 3)), mode="edge")
        tried = [padded[:, top : top + 8, left : left + 16] for top in range(7) for left in range(7)]
        contrasts = [np.mean(after / some) for some in tried]
        fits = [np.allclose(after, c * some, rtol=1e-5) for c, some in zip(contrasts, tried, strict=True)]
        assert sum(fits) == 1 and 0.75 <= contrasts[fits.index(True)] <= 1.25
    assert len({image.tobytes() for image in found}) == 20


def test_moved_images_change_what_a_network_learns():
    images, labels = made_up_colours(2, 5, 32, 0)
    few = {"widths": (3,), "max_epochs": 4, "device": "cpu"}
    plain, augmented, again = (
        replace(family, **few).pretrain("width 3", images, labels, 0).training
        for family in (RESIDUAL, AUGMENTED, AUGMENTED)
    )
    assert_array_equal(plain.initial[0], augmented.initial[0])  # they start alike
    assert not np.array_equal(plain.weights[0], augmented.weights[0])
    assert_array_equal(again.weights[0], augmented.weights[0])


def test_decay_pulls_weights_towards_zero():
    images, labels = made_up_colours(2, 5, 32, 0)
    few = {"widths": (3,), "max_epochs": 4, "device": "cpu"}
    plain, decayed = (
        replace(family, **few).pretrain("width 3", images, labels, 0).training for family in (RESIDUAL, DECAYED)
    )
    assert_array_equal(plain.initial[0], decayed.initial[0])
    for one, smaller in zip(plain.weights, decayed.weights, strict=True):
        assert 0 < np.linalg.norm(smaller) < np.linalg.norm(one)


def test_training_stops_at_the_loss_and_is_the_same_again(task):
    positions = np.searchsorted(task.classes(2), task.train_labels)
    net = ColourNet(4, 4, False)
    options = {"loss": 0.3, **SMALL}
    trained = train_colour(net, task.train_images, positions, np.random.default_rng(3), **options)
    again = train_colour(net, task.train_images, positions, np.random.default_rng(3), **options)
    other = train_colour(net, task.train_images, positions, np.random.default_rng(4), **options)
    assert trained.converged and trained.loss <= 0.3 and 1 < trained.epochs < 40
    for one, same in zip(trained.weights, again.weights, strict=True):
        assert_array_equal(one, same)
    assert not np.array_equal(trained.weights[0], other.weights[0])
    with torch.no_grad():
        logits = net.logits([torch.from_numpy(w) for w in trained.weights], pixels(task.train_images, "cpu")).numpy()
    rows = np.arange(len(positions))
    assert_allclose(trained.loss, -log_softmax(logits.astype(float), axis=1)[rows, positions].mean(), rtol=1e-5)
    assert trained.accuracy == (logits.argmax(axis=1) == positions).mean()
    early = train_colour(net, task.train_images, positions, np.random.default_rng(3), loss=1e-9, max_epochs=1)
    assert not early.converged and early.epochs == 1


def test_members_draw_numbers_of_their_own(task):
    few = {"max_epochs": 1, "device": "cpu"}
    alone = ColourFamily("plain", (4,), **few).pretrain("width 4", task.train_images, task.train_labels, 1)
    among = ColourFamily("plain", (3, 4), **few).pretrain("width 4", task.train_images, task.train_labels, 1)
    assert_array_equal(alone.weights[0], among.weights[0])
    assert alone.size == 270 * 16 + 27 * 4 + 4 * 16  # four classes
    with pytest.raises(ParameterError, match="member must be one of"):
        ColourFamily("plain", (4,)).pretrain("width 5", task.train_images, task.train_labels, 1)
    with pytest.raises(ParameterError, match="name must be one of"):
        ColourFamily("deep")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_head_says_what_the_probe_says(n_classes):
    rng = np.random.default_rng(n_classes)
    x, y = rng.normal(3, [1, 5, 0.1], size=(90, 3)), np.array(["a", "b", "c"])[np.arange(90) % n_classes]
    probe = linear_probe().fit(x + 0.5 * (y == "b")[:, None], y)
    head = Head.of(probe)
    scores = x @ head.weights.T + head.biases
    assert_allclose(np.exp(log_softmax(scores, axis=1)), probe.predict_proba(x), atol=1e-10)
    assert_array_equal(head.classes, probe.classes_)


def test_fine_tuning_starts_from_the_probe_and_learns_unseen_classes(task, model):
    features = model.features(task.train_images)
    head = Head.of(linear_probe().fit(features, task.train_labels))

    def loss(of, with_head):
        scores = of.features(task.train_images) @ with_head.weights.T + with_head.biases
        truth = np.searchsorted(with_head.classes, task.train_labels)
        return -log_softmax(scores, axis=1)[np.arange(len(truth)), truth].mean()

    before = [w.copy() for w in model.weights]
    still, same = fine_tune(
        model, head, task.train_images, task.train_labels, np.random.default_rng(0), FineTuning(1, step=1e-12)
    )
    assert_allclose(loss(still, same), loss(model, head), rtol=1e-5)
    tuned, moved = fine_tune(
        model, head, task.train_images, task.train_labels, np.random.default_rng(0), FineTuning(3, step=1e-3)
    )
    assert loss(tuned, moved) < 0.9 * loss(model, head)
    assert tuned.size == model.size + 2 * model.network.n_features  # outputs for two more classes
    for old, new, kept in zip(before, tuned.weights[:-1], model.weights, strict=False):
        assert not np.array_equal(old, new)
        assert_array_equal(old, kept)


@pytest.mark.filterwarnings("ignore:sigma")  # so few perturbations say little, and nothing is made of them
def test_record_is_what_the_measures_look_at(task, model):
    seen = np.isin(task.train_labels, task.seen)
    images, labels = task.train_images[seen], task.train_labels[seen]
    record = colour_record(model.network, model.weights, model.training.initial, images, labels, "cpu")
    assert record.accuracy(record.weights) == model.training.accuracy  # fewer than 256 images: all of them
    assert (record.margins > 0).mean() == model.training.accuracy
    net = as_module([w.astype(np.float32) ** 2 for w in model.weights], shortcuts=True)
    with torch.no_grad():
        paths = net(torch.ones(1, 3, 16, 16)).numpy() @ model.weights[-1].T ** 2
    measures = complexity_measures(record, n_perturbations=2)
    assert_allclose(measures["path_norm"], paths.sum(), rtol=1e-5)
    assert measures["params"] == model.size
    moved = sum(((a - b) ** 2).sum() for a, b in zip(model.weights, model.training.initial, strict=True))
    assert_allclose(measures["fro_dist"], moved, rtol=1e-6)

    # The same network as a module, through the adapter for any of them.
    modules = []
    for weights in (model.weights, model.training.initial):
        last = torch.nn.Linear(16, 2, bias=False)
        last.weight.data = torch.from_numpy(weights[-1])
        modules.append(torch.nn.Sequential(*as_module(weights, shortcuts=True), last))
    other = module_record(*modules, images, labels, mean=(0.5,) * 3, std=(0.25,) * 3)
    adapted = complexity_measures(other, n_perturbations=2)
    assert_allclose([adapted[name] for name in MEASURES], [measures[name] for name in MEASURES], rtol=1e-4)


def test_images_that_do_not_fit():
    for shape in ((2, 32, 32), (2, 32, 32, 1), (2, 12, 16, 3)):
        with pytest.raises(ParameterError, match=r"shape \(n, height, width, 3\).*multiples of 8"):
            pixels(np.zeros(shape), "cpu")


def test_made_up_images_are_of_their_class():
    images, labels = made_up_colours(3, 5, 16, 0)
    assert images.shape == (15, 16, 16, 3) and 0 <= images.min() < images.max() <= 1
    assert sorted(set(labels)) == ["class 0", "class 1", "class 2"]
