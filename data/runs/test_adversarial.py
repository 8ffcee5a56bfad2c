"""The fast gradient sign method, against gradients by hand and by differences."""

import numpy as np
import pytest
from made_up_colours import made_up_colours
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax

from genexpy_nb.common.errors import ParameterError
from runs.adversarial import FGSM_LEVELS, attack_directions, fgsm, head_probabilities
from runs.colournets import ColourBackbone, ColourNet, Head

pytest.importorskip("torch", reason="needs torch, which is not among the dependencies")

CLASSES = np.array(["cat", "cow", "dog"])


def head(n_features, seed=0):
    rng = np.random.default_rng(seed)
    return Head(rng.normal(size=(3, n_features)), rng.normal(size=3), CLASSES)


def at_the_centre(channels):
    """A 3 x 3 kernel that looks at one pixel."""
    kernel = np.zeros((*channels.shape, 3, 3), np.float32)
    kernel[:, :, 1, 1] = channels
    return kernel


@pytest.mark.parametrize("shortcuts", [False, True])
def test_directions_of_a_network_whose_gradient_is_known_by_hand(shortcuts):
    """Positive pixels and weights: no ReLU cuts, so features are a matrix times the mean pixel."""
    rng = np.random.default_rng(1)
    net = ColourNet(2, 3, shortcuts)
    layers = [rng.random(shape[:2]) for shape in net.shapes[:-1]]
    model = ColourBackbone(net, (*map(at_the_centre, layers), np.zeros(net.shapes[-1], np.float32)))
    images = rng.uniform(0.6, 1, (6, 16, 16, 3)).astype(np.float32)
    y = CLASSES[[0, 1, 2, 2, 1, 0]]
    plain = [layers[2] @ layers[1], layers[4] @ layers[3]]
    both = [block + shortcuts * np.eye(*block.shape) for block in plain]  # channels beyond the input's get nothing
    through = both[1] @ both[0] @ layers[0]
    mean_pixel = (images.mean(axis=(1, 2)) - 0.5) / 0.25
    assert_allclose(model.features(images), mean_pixel @ through.T, rtol=1e-4)
    on = head(net.n_features)
    chances = np.exp(log_softmax(mean_pixel @ through.T @ on.weights.T + on.biases, axis=1))
    slope = (chances - (y[:, None] == CLASSES)) @ on.weights @ through  # of the loss in the mean pixel
    directions = attack_directions(model, on, images, y)
    assert_array_equal(directions, np.broadcast_to(np.sign(slope)[:, None, None], images.shape))


def test_directions_are_those_of_differences():
    net = ColourNet(3, 3, True)
    model = ColourBackbone(net, net.initial_weights(np.random.default_rng(0)))
    images = np.random.default_rng(2).random((2, 8, 8, 3), np.float32)
    y, on = CLASSES[[2, 0]], head(net.n_features)

    def losses(some):
        scores = model.features(some).astype(float) @ on.weights.T + on.biases
        return -log_softmax(scores, axis=1)[range(2), [2, 0]]

    directions = attack_directions(model, on, images, y)
    clear = 0
    for place in np.ndindex(3, 3, 3):
        moved = []
        for sign in (1, -1):
            other = images.copy()
            other[(slice(None), *place)] += np.float32(sign * 0.01)
            moved.append(losses(other))
        differ = moved[0] - moved[1]
        for one in np.flatnonzero(np.abs(differ) > 1e-5):  # single precision tells no smaller ones apart
            assert directions[(one, *place)] == np.sign(differ[one])
            clear += 1
    assert clear > 30


def test_attack_moves_every_number_by_the_step_within_the_range():
    net = ColourNet(3, 3, False)
    model = ColourBackbone(net, net.initial_weights(np.random.default_rng(0)))
    images, _ = made_up_colours(3, 4, 16, 5)
    images[0, :4], images[1, :4] = 0, 1
    y, on = np.repeat(CLASSES, 4), head(net.n_features)
    directions = attack_directions(model, on, images, y)
    attacked = fgsm(model, on, images, y, FGSM_LEVELS)
    assert list(attacked) == list(FGSM_LEVELS) and attacked[0.0] is images
    for step in FGSM_LEVELS[1:]:
        assert attacked[step].dtype == np.float32
        assert attacked[step].min() >= 0 and attacked[step].max() <= 1
        assert_allclose(attacked[step], np.clip(images + step * directions, 0, 1), atol=1e-7)
    truth = np.repeat(range(3), 4)
    right = [head_probabilities(on, model.features(some))[range(12), truth].mean() for some in attacked.values()]
    assert right[-1] < right[0] - 0.01 and all(np.diff(right) < 0)


def test_what_cannot_be_attacked():
    net = ColourNet(3, 3, False)
    model = ColourBackbone(net, net.initial_weights(np.random.default_rng(0)))
    images = np.zeros((1, 8, 8, 3), np.float32)
    with pytest.raises(ParameterError, match="'pig' is not"):
        attack_directions(model, head(12), images, np.array(["pig"]))
    with pytest.raises(ParameterError, match="epsilons must be"):
        fgsm(model, head(12), images, np.array(["cat"]), [1.5])
