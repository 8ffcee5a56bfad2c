"""The testbed on handwritten digits: two families of small networks that two cores train in seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from genexpy_nb.common.checks import check_choice
from genexpy_nb.tradeoff.images import ImageTask
from runs.complexity import NetworkRecord, complexity_measures
from runs.networks import MLP, ConvNet, Network, Training, n_weights, train

#: Numbers of classes that the networks have not seen: ZeroShot 0, .167, .286, .375, .444, .5, as in the paper.
N_UNSEEN = (0, 1, 2, 3, 4, 5)
_N_NOISY = 256  # images with which the accuracy under noise on the weights is found; the most expensive number of all


@dataclass(frozen=True)
class TrainedBackbone:
    """A network of this package after its training."""

    training: Training

    @property
    def size(self) -> int:
        """Number of weights."""
        return n_weights(self.training.network)

    def features(self, images: np.ndarray) -> np.ndarray:
        """Return what the last layer gets to see, shape (n, n_features)."""
        return self.training.network.forward(self.training.weights, np.asarray(images, np.float32))[-2]

    def record(self, images: np.ndarray, labels: np.ndarray) -> NetworkRecord:
        """Return what the complexity measures look at."""
        network, weights = self.training.network, self.training.weights
        images = np.asarray(images, np.float32)
        _, positions = np.unique(labels, return_inverse=True)

        def logits(others: Sequence[np.ndarray], of: np.ndarray) -> np.ndarray:
            return network.forward([layer.astype(np.float32) for layer in others], of)[-1]

        scores = logits(weights, images)
        rows = np.arange(len(images))
        right = scores[rows, positions]
        scores[rows, positions] = -np.inf
        return NetworkRecord(
            weights,
            self.training.initial,
            right - scores.max(axis=1),
            lambda others: float((logits(others, images[:_N_NOISY]).argmax(axis=1) == positions[:_N_NOISY]).mean()),
            lambda others: logits(others, np.ones_like(images[:1])),
        )


_ARCHITECTURES: dict[str, Callable[[int, int, int], Network]] = {
    "perceptrons": lambda side, width, n_classes: MLP(side * side, width, n_classes),
    "convolutions": ConvNet,
}


@dataclass(frozen=True)
class NetworkFamily:
    """Networks of one kind in several widths, for grey images."""

    name: str
    widths: tuple[int, ...]

    def __post_init__(self) -> None:
        check_choice("name", self.name, _ARCHITECTURES)

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the networks."""
        return tuple(f"width {width}" for width in self.widths)

    def network(self, member: str, side: int, n_classes: int) -> Network:
        """Return the architecture of a member for square images."""
        check_choice("member", member, self.members)
        return _ARCHITECTURES[self.name](side, self.widths[self.members.index(member)], n_classes)

    def pretrain(self, member: str, images: np.ndarray, labels: np.ndarray, seed: int) -> TrainedBackbone:
        """Train a member on images of the seen classes."""
        classes, positions = np.unique(labels, return_inverse=True)
        network = self.network(member, images.shape[1], len(classes))
        rng = np.random.default_rng([seed, list(_ARCHITECTURES).index(self.name), n_weights(network)])
        return TrainedBackbone(train(network, images, positions, rng))


def measure_family(task: ImageTask, family: NetworkFamily, seed: int = 0) -> pd.DataFrame:
    """Train the networks of a family as the testbed does, and compute their complexity measures."""
    seen = np.isin(task.train_labels, task.seen)
    images, labels = task.train_images[seen], task.train_labels[seen]
    rows = []
    for member in family.members:
        with threadpool_limits(1):  # as in the testbed
            model = family.pretrain(member, images, labels, seed)
            measures = complexity_measures(model.record(images, labels), rng=seed)
        training = model.training
        rows.append(
            {
                "family": family.name,
                "seed": seed,
                "member": member,
                "size": model.size,
                "loss": training.loss,
                "epochs": training.epochs,
                "converged": training.converged,
                **measures,
            }
        )
    return pd.DataFrame(rows)


PERCEPTRONS = NetworkFamily("perceptrons", (12, 22, 38, 62, 98, 150, 222, 327))
CONVOLUTIONS = NetworkFamily("convolutions", (6, 9, 14, 20, 29, 41, 59, 84))
FAMILIES = (PERCEPTRONS, CONVOLUTIONS)
