"""Networks of torch for colour images, trained here: stacks of convolutions, with shortcuts and without.

The weights are kept outside of the network, one array per layer, as in `runs.networks`. There are no
biases and no batch normalization: the complexity measures are about a network that is nothing but its weights, and
say other things where running statistics scale each layer. torch is imported when a network is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from genexpy_nb.common.checks import check_choice, check_count, check_number
from genexpy_nb.common.errors import ParameterError
from runs.complexity import NetworkRecord
from runs.torchmodels import load_torch, torch_device

if TYPE_CHECKING:
    import torch

Weights = Sequence[Any]  # of arrays, or of tensors

_BRANCH = 0.5  # what a branch beside a shortcut starts with, as a share of the weights of the plain network
_BATCH = 500  # images per pass where nothing is learned
_N_NOISY = 256  # images with which the accuracy under noise on the weights is found


@dataclass(frozen=True)
class ColourNet:
    """A 3 x 3 convolution, blocks of two on each of two scales, a linear layer; ReLU, means of 2 x 2, no biases."""

    width: int
    n_classes: int
    shortcuts: bool
    blocks: int = 1

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shape of the weights of each layer, output unit first."""
        w = self.width
        scales = (((out, out // 2), *((out, out),) * (2 * self.blocks - 1)) for out in (2 * w, 4 * w))
        channels = ((w, 3), *chain.from_iterable(scales))
        return (*((out, into, 3, 3) for out, into in channels), (self.n_classes, self.n_features))

    @property
    def n_features(self) -> int:
        """How many numbers the last layer gets to see."""
        return 4 * self.width

    @property
    def n_weights(self) -> int:
        """Number of weights: the size."""
        return sum(int(np.prod(shape)) for shape in self.shapes)

    def initial_weights(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Draw weights of variance 2 / (number of inputs) (He et al., 2015); behind a shortcut, of half the size."""
        drawn = []
        for position, shape in enumerate(self.shapes):
            scale = np.sqrt((2 if len(shape) == 4 else 1) / np.prod(shape[1:]))
            second = position > 0 and position % 2 == 0  # of a block, which starts near what its shortcut hands on
            if self.shortcuts and second:
                scale *= _BRANCH
            drawn.append((rng.standard_normal(shape) * scale).astype(np.float32))
        return tuple(drawn)

    def features(self, weights: Weights, x: torch.Tensor) -> torch.Tensor:
        """Return what the last layer gets to see, shape (n, n_features), of images as `pixels` gives them."""
        f = load_torch().nn.functional
        x = f.relu(f.conv2d(x, weights[0], padding=1))
        for block in range(2 * self.blocks):
            if block % self.blocks == 0:
                x = f.avg_pool2d(x, 2 if block else 4)
            y = f.relu(f.conv2d(x, weights[2 * block + 1], padding=1))
            y = f.conv2d(y, weights[2 * block + 2], padding=1)
            if self.shortcuts:
                y = y + f.pad(x, (0, 0, 0, 0, 0, y.shape[1] - x.shape[1]))
            x = f.relu(y)
        return x.mean(dim=(2, 3))

    def logits(self, weights: Weights, x: torch.Tensor) -> torch.Tensor:
        """Return the outputs for the classes of the training, shape (n, n_classes)."""
        return self.features(weights, x) @ weights[-1].T


def pixels(images: np.ndarray | torch.Tensor, device: str) -> torch.Tensor:
    """Return images as the networks take them: (n, 3, height, width), in [-2, 2]."""
    torch = load_torch()
    if images.ndim != 4 or images.shape[3] != 3 or images.shape[1] % 8 or images.shape[2] % 8:
        raise ParameterError(
            f"images must have shape (n, height, width, 3), height and width multiples of 8, got {tuple(images.shape)}"
        )
    x = torch.as_tensor(images, dtype=torch.float32, device=device)
    # Seen as (n, 3, height, width), the memory stays channel by channel of a pixel, which is the faster order.
    return ((x - 0.5) / 0.25).permute(0, 3, 1, 2)


def _tensors(weights: Weights, device: str) -> list[torch.Tensor]:
    """Return copies of weights that torch can learn."""
    torch = load_torch()
    tensors = [torch.tensor(np.asarray(w), dtype=torch.float32, device=device) for w in weights]
    faster = torch.channels_last
    return [w.contiguous(memory_format=faster) if w.ndim == 4 else w for w in tensors]


def _arrays(tensors: Weights) -> tuple[np.ndarray, ...]:
    return tuple(np.ascontiguousarray(w.detach().cpu().numpy()) for w in tensors)


@dataclass(frozen=True, eq=False)
class ColourTraining:
    """A trained network."""

    network: ColourNet
    weights: tuple[np.ndarray, ...]
    initial: tuple[np.ndarray, ...]
    loss: float
    accuracy: float
    epochs: int
    converged: bool
    seconds: float


def train_colour(
    network: ColourNet,
    images: np.ndarray,
    labels: np.ndarray,
    rng: np.random.Generator,
    *,
    loss: float = 0.1,
    max_epochs: int = 80,
    step: float = 0.002,
    batch: int = 32,
    shift: int = 0,
    decay: float = 0.0,
    device: str = "auto",
) -> ColourTraining:
    """Train a network with AdamW until its cross-entropy is low enough; images move by up to `shift` pixels."""
    torch = load_torch()
    max_epochs, batch = check_count("max_epochs", max_epochs), check_count("batch", batch)
    check_number("loss", loss, 0)
    start, device = process_time(), torch_device(device)
    initial = network.initial_weights(rng)
    weights = [w.requires_grad_() for w in _tensors(initial, device)]
    x, y = pixels(images, device), torch.as_tensor(labels, device=device)
    optimizer = torch.optim.AdamW(weights, lr=step, betas=(0.9, 0.99), weight_decay=decay)
    reached, accuracy, epochs = np.inf, 0.0, 0

    def logits(some: torch.Tensor) -> torch.Tensor:
        return network.logits(weights, moved(some, shift, rng) if shift else some)

    while reached > loss and epochs < max_epochs:
        epochs += 1
        _epoch(logits, optimizer, x, y, rng, batch)
        reached, accuracy = _fit(network, weights, x, y)
    done = process_time() - start
    return ColourTraining(network, _arrays(weights), initial, reached, accuracy, epochs, reached <= loss, done)


def moved(images: torch.Tensor, shift: int, rng: np.random.Generator) -> torch.Tensor:
    """Move each image by at most `shift` pixels along both sides, and change its contrast by up to a quarter."""
    torch = load_torch()
    n, _, height, width = images.shape
    down, right = torch.as_tensor(rng.integers(-shift, shift + 1, (2, n, 1)), device=images.device)
    rows = (torch.arange(height, device=images.device) + down).clamp(0, height - 1)
    columns = (torch.arange(width, device=images.device) + right).clamp(0, width - 1)
    contrast = torch.as_tensor(rng.uniform(0.75, 1.25, (n, 1, 1, 1)), dtype=images.dtype, device=images.device)
    picked = images[torch.arange(n, device=images.device)[:, None, None], :, rows[:, :, None], columns[:, None, :]]
    return contrast * picked.permute(0, 3, 1, 2)


def _epoch(logits: Any, optimizer: Any, x: Any, y: Any, rng: np.random.Generator, batch: int) -> None:
    torch = load_torch()
    for chosen in torch.as_tensor(rng.permutation(len(x)), device=x.device).split(batch):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(logits(x[chosen]), y[chosen]).backward()
        optimizer.step()


def _fit(network: ColourNet, weights: Weights, x: Any, y: Any) -> tuple[float, float]:
    """Return the cross-entropy and the share that is right."""
    torch = load_torch()
    with torch.no_grad():
        # In double precision, which not every GPU has.
        scores, y = torch.cat([network.logits(weights, some) for some in x.split(_BATCH)]).cpu().double(), y.cpu()
        loss = torch.nn.functional.cross_entropy(scores, y)
        return float(loss), float((scores.argmax(dim=1) == y).double().mean())


@dataclass(frozen=True, eq=False)
class Head:
    """A linear layer on the features: the probe, seen as a part of the network."""

    weights: np.ndarray
    biases: np.ndarray
    classes: np.ndarray

    @classmethod
    def of(cls, probe: Any) -> Head:
        """Fold the standardization of a fitted `runs.grid.linear_probe` into its weights."""
        scale, regression = probe[0], probe[-1]
        coefficients, biases = regression.coef_, regression.intercept_
        if len(coefficients) == 1:
            coefficients, biases = np.vstack([-coefficients, coefficients]) / 2, np.hstack([-biases, biases]) / 2
        weights = coefficients / scale.scale_
        return cls(weights, biases - weights @ scale.mean_, regression.classes_)


@dataclass(frozen=True, eq=False)
class ColourBackbone:
    """A network of which only the features are used."""

    network: ColourNet
    weights: tuple[np.ndarray, ...]
    device: str = "cpu"
    training: ColourTraining | None = None

    @property
    def size(self) -> int:
        """Number of weights."""
        return self.network.n_weights

    def features(self, images: np.ndarray) -> np.ndarray:
        """Return what the last layer gets to see."""
        torch = load_torch()
        weights = _tensors(self.weights, self.device)
        with torch.no_grad():
            parts = [images[start : start + _BATCH] for start in range(0, len(images), _BATCH)]
            rows = [self.network.features(weights, pixels(part, self.device)) for part in parts]
            return torch.cat(rows).cpu().numpy()


def colour_record(
    network: ColourNet, weights: Weights, initial: Weights, images: np.ndarray, labels: np.ndarray, device: str = "auto"
) -> NetworkRecord:
    """Return what the complexity measures look at."""
    torch = load_torch()
    device = torch_device(device)
    _, positions = np.unique(labels, return_inverse=True)

    def logits(others: Weights, x: Any) -> np.ndarray:
        with torch.no_grad():
            return network.logits(_tensors(others, device), x).cpu().double().numpy()

    starts = range(0, len(images), _BATCH)
    scores = np.concatenate([logits(weights, pixels(images[start : start + _BATCH], device)) for start in starts])
    rows = np.arange(len(images))
    right = scores[rows, positions]
    scores[rows, positions] = -np.inf
    some, truth = pixels(images[:_N_NOISY], device), positions[:_N_NOISY]
    ones = torch.ones((1, 3, *images.shape[1:3]), device=device)
    return NetworkRecord(
        tuple(weights),
        tuple(initial),
        right - scores.max(axis=1),
        lambda others: float((logits(others, some).argmax(axis=1) == truth).mean()),
        lambda others: logits(others, ones),
    )


@dataclass(frozen=True)
class FineTuning:
    """How all weights of a network, and those of the probe on it, learn the classes of a cell."""

    epochs: int = 2
    step: float = 5e-4
    batch: int = 32


def fine_tune(
    backbone: ColourBackbone,
    head: Head,
    images: np.ndarray,
    labels: np.ndarray,
    rng: np.random.Generator,
    how: FineTuning,
) -> tuple[ColourBackbone, Head]:
    """Train all weights further, together with a head that starts as the fitted probe."""
    torch = load_torch()
    device = backbone.device
    weights = [w.requires_grad_() for w in _tensors((*backbone.weights[:-1], head.weights, head.biases), device)]
    x = pixels(images, device)
    y = torch.as_tensor(np.searchsorted(head.classes, labels), device=device)
    optimizer = torch.optim.Adam(weights, lr=how.step, betas=(0.9, 0.99))

    def logits(some: Any) -> Any:
        return backbone.network.features(weights, some) @ weights[-2].T + weights[-1]

    for _ in range(how.epochs):
        _epoch(logits, optimizer, x, y, rng, how.batch)
    *layers, last, biases = _arrays(weights)
    network = replace(backbone.network, n_classes=len(head.classes))
    return ColourBackbone(network, (*layers, last), device), Head(last, biases, head.classes)


_SHORTCUTS = {"plain": False, "residual": True, "compound": True, "augmented": True, "decayed": True}
_WIDTH_OF_A_BLOCK = 6  # compound networks gain a block with so many channels, the others only channels


@dataclass(frozen=True)
class ColourFamily:
    """Networks of one kind in several sizes, for colour images."""

    name: str
    widths: tuple[int, ...] = (6, 8, 12, 16, 24, 32)
    loss: float = 0.1
    max_epochs: int = 80
    step: float = 0.002
    batch: int = 32
    shift: int = 0
    decay: float = 0.0
    device: str = "auto"

    def __post_init__(self) -> None:
        check_choice("name", self.name, _SHORTCUTS)

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the networks."""
        return tuple(f"width {width}" for width in self.widths)

    def network(self, member: str, n_classes: int) -> ColourNet:
        """Return the architecture of a member."""
        check_choice("member", member, self.members)
        width = self.widths[self.members.index(member)]
        blocks = max(1, round(width / _WIDTH_OF_A_BLOCK)) if self.name == "compound" else 1
        return ColourNet(width, n_classes, _SHORTCUTS[self.name], blocks)

    def pretrain(self, member: str, images: np.ndarray, labels: np.ndarray, seed: int) -> ColourBackbone:
        """Train a member on images of the seen classes."""
        classes, positions = np.unique(labels, return_inverse=True)
        network, device = self.network(member, len(classes)), torch_device(self.device)
        training = train_colour(
            network,
            images,
            positions,
            np.random.default_rng([seed, network.shortcuts, network.width, network.blocks - 1]),
            loss=self.loss,
            max_epochs=self.max_epochs,
            step=self.step,
            batch=self.batch,
            shift=self.shift,
            decay=self.decay,
            device=device,
        )
        return ColourBackbone(training.network, training.weights, device, training)


PLAIN = ColourFamily("plain")
RESIDUAL = ColourFamily("residual")
COMPOUND = ColourFamily("compound", (6, 8, 9, 12, 15, 16))
AUGMENTED = ColourFamily("augmented", shift=4)  # residual networks that never see the same version of an image twice
DECAYED = ColourFamily("decayed", decay=0.1)  # residual networks whose weights shrink by decay x step at each step
