"""Images to be classified, some classes of which a network has seen: the handwritten digits, or anybody's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import ParameterError

#: Noise levels of the paper; 1 is the clean image.
SSIM_LEVELS = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


@dataclass(frozen=True, eq=False)
class ImageTask:
    """Images to be classified, some classes of which were there when the models were pretrained, and some not."""

    name: str
    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray
    seen: tuple[Any, ...]
    unseen: tuple[Any, ...]

    def __post_init__(self) -> None:
        for part, images, labels in (
            ("train", self.train_images, self.train_labels),
            ("test", self.test_images, self.test_labels),
        ):
            if len(images) != len(labels):
                got = f"got {len(labels)} for {len(images)}"
                raise ParameterError(f"{part}_labels must be as many as {part}_images, {got}")
            if not np.isfinite(images).all() or images.min() < 0 or images.max() > 1:
                raise ParameterError(f"{part}_images must be in [0, 1], got {images.min():g} .. {images.max():g}")
            absent = [c for c in (*self.seen, *self.unseen) if not (labels == c).any()]
            if absent:
                raise ParameterError(f"class {absent[0]!r} has no image in {part}_images")
        if len({*self.seen, *self.unseen}) != len(self.seen) + len(self.unseen):
            raise ParameterError("a class must be either seen or unseen, and named once")
        if len(self.seen) < 2:
            raise ParameterError(f"seen must have at least two classes, got {self.seen}")

    def zero_shot(self, n_unseen: int) -> float:
        """Return the share of classes that the models have not seen, u / (s + u)."""
        return n_unseen / (len(self.seen) + n_unseen)

    def classes(self, n_unseen: int) -> tuple[Any, ...]:
        """Return the seen classes and the first unseen ones, or raise `ParameterError` if there are not as many."""
        check_count("n_unseen", n_unseen, 0, len(self.unseen))
        return self.seen + self.unseen[:n_unseen]


def digits_task(seed: int = 0) -> ImageTask:
    """Split the digits into training and test images, and the classes into seen and unseen ones."""
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)
    train_images, test_images, train_labels, test_labels = train_test_split(
        images, digits.target, test_size=0.3, stratify=digits.target, random_state=seed
    )
    order = [int(c) for c in np.random.default_rng(seed).permutation(10)]
    seen, unseen = tuple(order[:5]), tuple(order[5:])
    return ImageTask("digits", train_images, train_labels, test_images, test_labels, seen, unseen)
