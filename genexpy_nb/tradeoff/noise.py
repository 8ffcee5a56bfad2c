"""Test images with less and less left of them: reconstructions by a linear autoencoder, at a stated similarity."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from skimage.metrics import structural_similarity
from sklearn.decomposition import PCA

from genexpy_nb.common.checks import check_count, check_number
from genexpy_nb.common.errors import ParameterError


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


class PCANoise:
    """Noise by reconstruction from few principal components, as many as give the similarity that is wanted."""

    _pca: PCA

    def __init__(self, win_size: int = 5, n_calibrate: int = 300) -> None:
        self.win_size = win_size
        self.n_calibrate = check_count("n_calibrate", n_calibrate)

    def __repr__(self) -> str:
        return f"PCANoise(win_size={self.win_size}, n_calibrate={self.n_calibrate})"

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
