"""Made-up colour images of some classes, for the tests of networks that are trained on them."""

import numpy as np

from genexpy_nb.tradeoff.images import ImageTask


def made_up_colours(n_classes: int, n_per_class: int, side: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Smooth images in [0, 1], each class around one of its own; shuffled, labels are texts."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:side, :side] / (side - 1)
    waves = np.array([np.cos(np.pi * (i * x + j * y)) for i in range(4) for j in range(4)])
    labels = rng.permutation(np.repeat(np.arange(n_classes), n_per_class))
    centres = np.random.default_rng(99).normal(size=(n_classes, 3, 16))
    weights = centres[labels] + 0.5 * rng.normal(size=(len(labels), 3, 16))
    images = np.clip(0.5 + 0.06 * np.einsum("ncw,wyx->nyxc", weights, waves), 0, 1)
    return images.astype(np.float32), np.array([f"class {label}" for label in labels])


def colour_task(n_classes: int = 4, n_seen: int = 2, n_train: int = 30, n_test: int = 12, side: int = 16) -> ImageTask:
    """A task on them."""
    names = tuple(f"class {number}" for number in range(n_classes))
    train, test = made_up_colours(n_classes, n_train, side, 1), made_up_colours(n_classes, n_test, side, 2)
    return ImageTask("made up", *train, *test, names[:n_seen], names[n_seen:])
