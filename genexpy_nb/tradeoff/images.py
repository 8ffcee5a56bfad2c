"""Images to be classified, some classes of which a network has seen, and less and less that is left of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import brentq
from skimage.metrics import structural_similarity
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from genexpy_nb.common.checks import check_count, check_number
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


# --- noise: reconstructions by a linear autoencoder, at a stated similarity -------------------------------------------


def mean_ssim(images: np.ndarray, others: np.ndarray, win_size: int = 5) -> float:
    """Average the structural similarity of images with others, pair by pair."""
    if win_size % 2 == 0 or win_size > min(images.shape[1:3]):
        raise ParameterError(f"win_size must be odd and at most {min(images.shape[1:3])}, got {win_size}")
    # one below the other, as one tall image: one call for each would take twenty times as long
    tall, other = (stack.reshape(-1, *stack.shape[2:]) for stack in (images, others))
    options = {"win_size": win_size, "data_range": 1.0, "channel_axis": -1 if images.ndim == 4 else None}
    similarity = structural_similarity(tall, other, full=True, **options)[1].reshape(images.shape)
    edge = win_size // 2  # nearer to it, a window would reach beyond the image
    return float(similarity[:, edge : images.shape[1] - edge, edge : images.shape[2] - edge].mean(dtype=float))


@dataclass(eq=False)
class PCANoise:
    """Noise by reconstruction from few principal components, as many as give the similarity that is wanted."""

    win_size: int = 5
    n_calibrate: int = 300
    _pca: PCA = field(init=False, repr=False)

    def fit(self, images: np.ndarray) -> PCANoise:
        """Find the principal components of training images."""
        self._pca = PCA(svd_solver="covariance_eigh").fit(images.reshape(len(images), -1))
        return self

    def reconstruct(self, images: np.ndarray, rank: float) -> np.ndarray:
        """Keep the first ``rank`` components, a share of the last one if the rank is not whole."""
        scores = self._pca.transform(images.reshape(len(images), -1))
        kept = np.clip(rank - np.arange(scores.shape[1]), 0, 1).astype(scores.dtype)  # keeps float32
        return np.clip(self._pca.inverse_transform(scores * kept), 0, 1).reshape(images.shape)

    def degrade(self, images: np.ndarray, ssim: float) -> np.ndarray:
        """Return reconstructions whose mean similarity to the images is the one wanted."""
        check_number("ssim", ssim, 0, 1, "(]")
        if ssim == 1:
            return images
        some = images[: self.n_calibrate]
        lowest = mean_ssim(some, self.reconstruct(some, 0), self.win_size)

        def excess(rank: float) -> float:
            return mean_ssim(some, self.reconstruct(some, rank), self.win_size) - ssim

        most = float(self._pca.n_components_)
        highest = excess(most) + ssim
        if not lowest < ssim < highest:
            raise ParameterError(f"ssim must be in ({lowest:.3f}, {highest:.3f}) for these images, or 1; got {ssim}")
        return self.reconstruct(images, brentq(excess, 0.0, most, xtol=0.01))
