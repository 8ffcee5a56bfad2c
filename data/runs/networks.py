"""Small networks without biases, written out: two families, their gradients, and training to a given cross-entropy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import log_softmax

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import generator

Weights = Sequence[np.ndarray]


class Network(Protocol):
    """An architecture; its weights are kept outside, one array per layer, the output unit first."""

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shape of the weights of each layer."""

    def forward(self, weights: Weights, images: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return what `backward` needs, then the features (n, n_features), then the logits (n, n_classes)."""

    def backward(self, weights: Weights, states: tuple[np.ndarray, ...], slope: np.ndarray) -> list[np.ndarray]:
        """Return the gradient of each layer's weights, given the slope of the loss in the logits."""


@dataclass(frozen=True)
class MLP:
    """Two hidden layers of the same width, ReLU, no biases."""

    n_pixels: int
    width: int
    n_classes: int

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shape of the weights of each layer."""
        return (self.width, self.n_pixels), (self.width, self.width), (self.n_classes, self.width)

    def forward(self, weights: Weights, images: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the input, the first hidden layer, the features and the logits."""
        pixels = images.reshape(len(images), -1)
        hidden = np.maximum(pixels @ weights[0].T, 0)
        features = np.maximum(hidden @ weights[1].T, 0)
        return pixels, hidden, features, features @ weights[2].T

    def backward(self, weights: Weights, states: tuple[np.ndarray, ...], slope: np.ndarray) -> list[np.ndarray]:
        """Return the gradient of each layer's weights."""
        pixels, hidden, features, _ = states
        at_features = (slope @ weights[2]) * (features > 0)
        at_hidden = (at_features @ weights[1]) * (hidden > 0)
        return [at_hidden.T @ pixels, at_features.T @ hidden, slope.T @ features]


@dataclass(frozen=True)
class ConvNet:
    """Two 3 x 3 convolutions (zero padding, ReLU, means of 2 x 2), the second with twice the channels; no biases."""

    side: int
    channels: int
    n_classes: int

    def __post_init__(self) -> None:
        if self.side % 4:
            raise ParameterError(f"side must be a multiple of 4, got {self.side}")

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shape of the weights of each layer."""
        c, positions = self.channels, (self.side // 4) ** 2
        return (c, 1, 3, 3), (2 * c, c, 3, 3), (self.n_classes, positions * 2 * c)

    def forward(self, weights: Weights, images: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return patches and ReLU outputs of both convolutions, the features and the logits."""
        first = _patches(images[..., None])
        hidden = np.maximum(first @ _matrix(weights[0]).T, 0)
        second = _patches(_mean_pool(hidden))
        maps = np.maximum(second @ _matrix(weights[1]).T, 0)
        features = _mean_pool(maps).reshape(len(images), -1)
        return first, hidden, second, maps, features, features @ weights[2].T

    def backward(self, weights: Weights, states: tuple[np.ndarray, ...], slope: np.ndarray) -> list[np.ndarray]:
        """Return the gradient of each layer's weights."""
        first, hidden, second, maps, features, _ = states
        n, height, width, channels = maps.shape
        at_pooled = (slope @ weights[2]).reshape(n, height // 2, width // 2, channels)
        at_maps = _spread(at_pooled) * (maps > 0)
        at_hidden = _spread(_gather(at_maps @ _matrix(weights[1]), self.channels)) * (hidden > 0)
        return [
            _in_patches(at_hidden, first).reshape(weights[0].shape),
            _in_patches(at_maps, second).reshape(weights[1].shape),
            slope.T @ features,
        ]


def _matrix(kernel: np.ndarray) -> np.ndarray:
    return kernel.reshape(len(kernel), -1)


def _in_patches(slopes: np.ndarray, patches: np.ndarray) -> np.ndarray:
    """Sum over images and positions: (n, h, w, c) and (n, h, w, p) -> (c, p)."""
    return slopes.reshape(-1, slopes.shape[-1]).T @ patches.reshape(-1, patches.shape[-1])


def _patches(maps: np.ndarray) -> np.ndarray:
    """3 x 3 neighbourhoods, zero beyond the border: (n, h, w, c) -> (n, h, w, 9 c), channel first within a patch."""
    padded = np.pad(maps, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return sliding_window_view(padded, (3, 3), axis=(1, 2)).reshape(*maps.shape[:3], -1)


def _gather(patches: np.ndarray, channels: int) -> np.ndarray:
    """Transpose of `_patches`: every pixel sums what its patches say of it."""
    n, height, width, _ = patches.shape
    patches = patches.reshape(n, height, width, channels, 3, 3)
    padded = np.zeros((n, height + 2, width + 2, channels), patches.dtype)
    for i in range(3):
        for j in range(3):
            padded[:, i : i + height, j : j + width] += patches[..., i, j]
    return padded[:, 1:-1, 1:-1]


def _mean_pool(maps: np.ndarray) -> np.ndarray:
    n, height, width, channels = maps.shape
    return maps.reshape(n, height // 2, 2, width // 2, 2, channels).mean(axis=(2, 4))


def _spread(pooled: np.ndarray) -> np.ndarray:
    """Transpose of `_mean_pool`."""
    return pooled.repeat(2, axis=1).repeat(2, axis=2) / 4


def n_weights(network: Network) -> int:
    """Count the weights of a network: its size."""
    return sum(int(np.prod(shape)) for shape in network.shapes)


def initial_weights(network: Network, rng: np.random.Generator | int = 0) -> list[np.ndarray]:
    """Draw weights from normal distributions of variance 2 / (number of inputs of a unit) (He et al., 2015)."""
    rng = generator(rng)
    shapes = network.shapes
    return [(rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))).astype(np.float32) for shape in shapes]


def cross_entropy(
    network: Network, weights: Weights, images: np.ndarray, labels: np.ndarray
) -> tuple[float, list[np.ndarray]]:
    """Compute the mean cross-entropy of a network, and its gradient."""
    states = network.forward(weights, images)
    logs = log_softmax(states[-1], axis=1)
    rows = np.arange(len(labels))
    slope = np.exp(logs)
    slope[rows, labels] -= 1
    return float(-logs[rows, labels].mean()), network.backward(weights, states, slope / len(labels))


@dataclass(frozen=True, eq=False)
class Training:
    """A trained network."""

    network: Network
    weights: tuple[np.ndarray, ...]
    initial: tuple[np.ndarray, ...]
    loss: float
    epochs: int
    converged: bool


def train(
    network: Network,
    images: np.ndarray,
    labels: np.ndarray,
    rng: np.random.Generator | int = 0,
    *,
    loss: float = 0.01,
    max_epochs: int = 300,
    step: float = 0.003,
    batch: int = 32,
) -> Training:
    """Train a network with Adam until its cross-entropy is low enough."""
    max_epochs, batch = check_count("max_epochs", max_epochs), check_count("batch", batch)
    n_classes = network.shapes[-1][0]
    labels = np.asarray(labels)
    if not len(images) or len(images) != len(labels):
        raise ParameterError(f"labels must be as many as images, at least one; got {len(labels)} for {len(images)}")
    if labels.min() < 0 or labels.max() >= n_classes:
        raise ParameterError(f"labels must be in 0 .. {n_classes - 1}, got {labels.min()} .. {labels.max()}")
    rng = generator(rng)
    images = np.asarray(images, np.float32)
    initial = initial_weights(network, rng)
    weights = [array.copy() for array in initial]
    mean, square = ([np.zeros_like(array) for array in initial] for _ in range(2))
    steps, epochs, reached = 0, 0, np.inf
    while reached > loss and epochs < max_epochs:
        epochs += 1
        for start in range(0, len(order := rng.permutation(len(images))), batch):
            chosen = order[start : start + batch]
            _, gradients = cross_entropy(network, weights, images[chosen], labels[chosen])
            steps += 1
            for w, m, s, g in zip(weights, mean, square, gradients, strict=True):
                m += 0.1 * (g - m)
                s += 0.001 * (g * g - s)
                w -= step * (m / (1 - 0.9**steps)) / (np.sqrt(s / (1 - 0.999**steps)) + 1e-8)
        reached, _ = cross_entropy(network, weights, images, labels)
    return Training(network, tuple(weights), tuple(initial), reached, epochs, reached <= loss)
