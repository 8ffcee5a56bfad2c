"""Test images with less and less left of them: reconstructions by a linear autoencoder, at a stated similarity."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.optimize import brentq
from skimage.metrics import structural_similarity
from sklearn.decomposition import PCA

from genexpy_nb.common.checks import check_count, check_number
from genexpy_nb.common.errors import ParameterError


class Noise(Protocol):
    """A way to make images less like themselves; fitted to the training images first."""

    def fit(self, images: np.ndarray) -> Noise:
        """Learn what is needed; return the noise itself."""

    def degrade(self, images: np.ndarray, ssim: float) -> np.ndarray:
        """Return the images with the mean structural similarity that is wanted."""


def mean_ssim(images: np.ndarray, others: np.ndarray, win_size: int = 5) -> float:
    """Average the structural similarity of images with others, pair by pair."""
    if images.shape != others.shape:
        raise ParameterError(f"images and others must have one shape, got {images.shape} and {others.shape}")
    if win_size % 2 == 0 or win_size > min(images.shape[1:3]):
        raise ParameterError(f"win_size must be odd and at most {min(images.shape[1:3])}, got {win_size}")
    channels = -1 if images.ndim == 4 else None
    pairs = zip(images, others, strict=True)
    options = {"win_size": win_size, "data_range": 1.0, "channel_axis": channels}
    return float(np.mean([structural_similarity(one, other, **options) for one, other in pairs]))


class PCANoise:
    """Noise by reconstruction from few principal components, as many as give the similarity that is wanted.

    Principal components are the linear autoencoder: no other one of the same rank has a smaller squared error. The rank
    need not be whole: of the last component a part is kept, so that the similarity is hit and not only approached.

    Parameters
    ----------
    win_size : int
        Window of the similarity, in pixels.
    n_calibrate : int
        How many images (the first ones) the rank is found with, at least 1.

    Raises
    ------
    ParameterError
        If ``n_calibrate`` is out of range.

    References
    ----------
    A practical generalization metric for deep networks benchmarking, *Data and Test Models*: an autoencoder, noise
    levels measured by SSIM.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> images = load_digits().images / 16
    >>> noise = PCANoise().fit(images[:1000])
    >>> degraded = noise.degrade(images[1000:1100], ssim=0.8)
    >>> round(mean_ssim(images[1000:1100], degraded), 3)
    0.8
    """

    def __init__(self, win_size: int = 5, n_calibrate: int = 300) -> None:
        self.win_size = win_size
        self.n_calibrate = check_count("n_calibrate", n_calibrate)
        self._pca: PCA | None = None

    def __repr__(self) -> str:
        return f"PCANoise(win_size={self.win_size}, n_calibrate={self.n_calibrate})"

    def fit(self, images: np.ndarray) -> PCANoise:
        """Find the principal components of training images.

        Parameters
        ----------
        images : ndarray, shape (n, height, width) or (n, height, width, channels)
            In [0, 1].

        Returns
        -------
        PCANoise
            Itself.
        """
        self._pca = PCA(svd_solver="covariance_eigh").fit(images.reshape(len(images), -1))
        return self

    def reconstruct(self, images: np.ndarray, rank: float) -> np.ndarray:
        """Keep the first ``rank`` components, a share of the last one if the rank is not whole.

        Parameters
        ----------
        images : ndarray, as in `fit`
        rank : float
            At least 0: every image is the mean of the training images.

        Returns
        -------
        ndarray
            Of the shape of ``images``, clipped to [0, 1].

        Raises
        ------
        ParameterError
            If `fit` has not been called.
        """
        pca = self._fitted()
        scores = pca.transform(images.reshape(len(images), -1))
        kept = np.clip(rank - np.arange(scores.shape[1]), 0, 1).astype(scores.dtype)  # keeps float32
        return np.clip(pca.inverse_transform(scores * kept), 0, 1).reshape(images.shape)

    def degrade(self, images: np.ndarray, ssim: float) -> np.ndarray:
        """Return reconstructions whose mean similarity to the images is the one wanted.

        Parameters
        ----------
        images : ndarray, as in `fit`
        ssim : float
            In (0, 1]; at 1, the images come back as they are.

        Returns
        -------
        ndarray

        Raises
        ------
        ParameterError
            If the similarity cannot be had: below that of the mean image, or above that of all components; or if `fit`
            has not been called.
        """
        check_number("ssim", ssim, 0, 1, "(]")
        if ssim == 1:
            return images
        some = images[: self.n_calibrate]
        lowest = mean_ssim(some, self.reconstruct(some, 0), self.win_size)

        def excess(rank: float) -> float:
            return mean_ssim(some, self.reconstruct(some, rank), self.win_size) - ssim

        most = float(self._fitted().n_components_)
        highest = excess(most) + ssim
        if not lowest < ssim < highest:
            raise ParameterError(f"ssim must be in ({lowest:.3f}, {highest:.3f}) for these images, or 1; got {ssim}")
        return self.reconstruct(images, brentq(excess, 0.0, most, xtol=0.01))

    def _fitted(self) -> PCA:
        if self._pca is None:
            raise ParameterError("call fit with the training images before")
        return self._pca
