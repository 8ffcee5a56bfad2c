"""The networks against finite differences, plain convolutions, and what training promises."""

import numpy as np
import pytest
from scipy.signal import correlate2d
from scipy.special import softmax
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss

from genexpy_nb.common.errors import ParameterError
from runs.networks import MLP, ConvNet, cross_entropy, initial_weights, train

NETWORKS = [MLP(64, 7, 3), ConvNet(8, 3, 3)]


def example(network, n=6, seed=0):
    rng = np.random.default_rng(seed)
    weights = [rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:])) for shape in network.shapes]
    return weights, rng.random((n, 8, 8)), rng.integers(3, size=n)


@pytest.mark.parametrize("network", NETWORKS)
def test_gradients_are_those_of_finite_differences(network):
    weights, images, labels = example(network)
    _, gradients = cross_entropy(network, weights, images, labels)
    for layer, gradient in enumerate(gradients):
        assert gradient.shape == network.shapes[layer]
        numeric = np.empty_like(gradient)
        for place in np.ndindex(gradient.shape):
            losses = []
            for shift in (1e-6, -1e-6):
                moved = [w.copy() for w in weights]
                moved[layer][place] += shift
                losses.append(cross_entropy(network, moved, images, labels)[0])
            numeric[place] = (losses[0] - losses[1]) / 2e-6
        np.testing.assert_allclose(gradient, numeric, atol=2e-8)


def test_convolution_is_the_plain_one():
    network = ConvNet(8, 3, 3)
    weights, images, _ = example(network)

    def layer(maps, kernels):
        convolved = [
            sum(correlate2d(m, k, mode="same") for m, k in zip(maps, kernel, strict=True)) for kernel in kernels
        ]
        rectified = np.maximum(convolved, 0)
        return [
            [[m[i : i + 2, j : j + 2].mean() for j in range(0, len(m), 2)] for i in range(0, len(m), 2)]
            for m in rectified
        ]

    *_, features, logits = network.forward(weights, images)
    for image, found, scores in zip(images, features, logits, strict=True):
        maps = np.array(layer(layer([image], weights[0]), weights[1]))  # channel, row, column
        expected = np.moveaxis(maps, 0, -1).ravel()
        np.testing.assert_allclose(found, expected, atol=1e-12)
        np.testing.assert_allclose(scores, weights[2] @ expected, atol=1e-12)


@pytest.mark.parametrize("network", NETWORKS)
def test_loss_is_that_of_scikit_learn(network):
    weights, images, labels = example(network, n=40)
    probabilities = softmax(network.forward(weights, images)[-1], axis=1)
    loss, _ = cross_entropy(network, weights, images, labels)
    assert loss == pytest.approx(log_loss(labels, probabilities, labels=[0, 1, 2]), rel=1e-12)


@pytest.mark.parametrize("network", NETWORKS)
def test_training_reaches_the_loss_and_depends_on_the_seed_only(network):
    images, labels = load_digits(n_class=3, return_X_y=True)
    images = images[:60].reshape(-1, 8, 8) / 16
    labels = labels[:60]
    one, again, other = (train(network, images, labels, seed) for seed in (3, 3, 4))
    assert one.converged and one.loss <= 0.01
    loss, _ = cross_entropy(network, one.weights, images.astype(np.float32), labels)
    assert loss == one.loss
    for a, b, c in zip(one.weights, again.weights, other.weights, strict=True):
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(a, c)
    for a, b in zip(one.initial, initial_weights(network, 3), strict=True):
        np.testing.assert_array_equal(a, b)


def adam(network, images, labels, seed, n_epochs):
    """Algorithm 1 of Kingma and Ba (2015) with their beta 1, beta 2 and epsilon, in double precision."""
    rng = np.random.default_rng(seed)
    theta = [w.astype(float) for w in initial_weights(network, rng)]
    m, v, t = [np.zeros_like(w) for w in theta], [np.zeros_like(w) for w in theta], 0
    for _ in range(n_epochs):
        order = rng.permutation(len(images))
        for batch in np.split(order, range(32, len(order), 32)):
            t += 1
            gradient = cross_entropy(network, theta, images[batch], labels[batch])[1]
            m = [0.9 * old + (1 - 0.9) * g for old, g in zip(m, gradient, strict=True)]
            v = [0.999 * old + (1 - 0.999) * g**2 for old, g in zip(v, gradient, strict=True)]
            hats = [(a / (1 - 0.9**t), b / (1 - 0.999**t)) for a, b in zip(m, v, strict=True)]
            theta = [w - 0.003 * a / (np.sqrt(b) + 1e-8) for w, (a, b) in zip(theta, hats, strict=True)]
    return theta


@pytest.mark.parametrize("network", NETWORKS)
def test_training_is_adam_as_published(network):
    _, images, labels = example(network, n=80)
    trained = train(network, images, labels, 5, max_epochs=2)
    for found, start, expected in zip(
        trained.weights, trained.initial, adam(network, images, labels, 5, 2), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=2e-6)  # single precision
        assert np.abs(expected - start).max() > 0.005  # it has moved


def test_training_stops_at_the_loss_that_is_wanted():
    _, images, labels = example(NETWORKS[0], n=80)
    ten = train(NETWORKS[0], images, labels, 5, max_epochs=10)
    same = train(NETWORKS[0], images, labels, 5, loss=ten.loss, max_epochs=20)
    assert (same.epochs, same.converged, same.loss) == (10, True, ten.loss)


def test_training_that_is_cut_short_says_so():
    _, images, labels = example(NETWORKS[0], n=30)
    short = train(NETWORKS[0], images, labels, max_epochs=1)
    assert not short.converged and short.epochs == 1 and short.loss > 0.01


def test_bad_input():
    _, images, labels = example(NETWORKS[0], n=30)
    for wrong in (np.where(labels == 0, 3, labels), np.where(labels == 0, -1, labels)):
        with pytest.raises(ParameterError, match=r"labels must be in 0 \.\. 2"):
            train(NETWORKS[0], images, wrong)
    with pytest.raises(ParameterError, match="as many as images"):
        train(NETWORKS[0], images, labels[1:])
    with pytest.raises(ParameterError, match="max_epochs"):
        train(NETWORKS[0], images, labels, max_epochs=0)
    with pytest.raises(ParameterError, match="multiple of 4"):
        ConvNet(10, 3, 3)
