"""Noise by a convolutional autoencoder whose bottleneck is as wide as the similarity that is wanted asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

from genexpy_nb.common.checks import check_count, check_number
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.images import mean_ssim
from runs.torchmodels import load_torch, torch_device

_BATCH = 250


class AutoencoderNoise:
    """Noise by reconstruction from few channels of a bottleneck, as many as give the similarity that is wanted."""

    def __init__(
        self,
        channels: int = 32,
        epochs: int = 6,
        win_size: int = 5,
        n_calibrate: int = 300,
        seed: int = 0,
        device: str = "auto",
    ) -> None:
        self.channels = check_count("channels", channels)
        self.epochs = check_count("epochs", epochs)
        self.win_size = win_size
        self.n_calibrate = check_count("n_calibrate", n_calibrate)
        self.seed = seed
        self.device = device
        self._coder: tuple[Any, Any] | None = None

    def __repr__(self) -> str:
        told = ("channels", "epochs", "win_size", "n_calibrate", "seed", "device")
        return f"AutoencoderNoise({', '.join(f'{name}={getattr(self, name)!r}' for name in told)})"

    def fit(self, images: np.ndarray) -> AutoencoderNoise:
        """Train the autoencoder, to a small squared error."""
        torch = load_torch()
        if images.ndim != 4 or images.shape[3] != 3 or images.shape[1] % 4 or images.shape[2] % 4:
            raise ParameterError(
                f"images must have shape (n, height, width, 3), both multiples of 4, got {images.shape}"
            )
        device = torch_device(self.device)
        rng = np.random.default_rng(self.seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            encoder, decoder = self._layers()
        encoder, decoder = (part.to(device, memory_format=torch.channels_last) for part in (encoder, decoder))
        optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=2e-3)
        x = self._pixels(images)
        for _ in range(self.epochs):
            for chosen in torch.as_tensor(rng.permutation(len(x)), device=device).split(32):
                kept = torch.as_tensor(rng.integers(1, self.channels + 1, len(chosen)), device=device)
                mask = (torch.arange(self.channels, device=device) < kept[:, None])[..., None, None]
                optimizer.zero_grad()
                torch.nn.functional.mse_loss(decoder(encoder(x[chosen]) * mask), x[chosen]).backward()
                optimizer.step()
        self._coder = encoder.eval(), decoder.eval()
        return self

    def _layers(self) -> tuple[Any, Any]:
        nn = load_torch().nn
        code, few, many = self.channels, 24, 48
        encoder = nn.Sequential(
            *(nn.Conv2d(3, few, 4, 2, 1), nn.ReLU()),
            *(nn.Conv2d(few, many, 4, 2, 1), nn.ReLU()),
            nn.Conv2d(many, code, 3, padding=1),
        )
        decoder = nn.Sequential(
            *(nn.Conv2d(code, many, 3, padding=1), nn.ReLU()),
            *(nn.ConvTranspose2d(many, few, 4, 2, 1), nn.ReLU()),
            nn.ConvTranspose2d(few, 3, 4, 2, 1),
        )
        return encoder, decoder

    def _pixels(self, images: np.ndarray) -> Any:
        torch = load_torch()
        return torch.as_tensor(images, dtype=torch.float32, device=torch_device(self.device)).permute(0, 3, 1, 2)

    def reconstruct(self, images: np.ndarray, channels: float) -> np.ndarray:
        """Keep the first channels, a share of the last one if their number is not whole."""
        torch = load_torch()
        if self._coder is None:
            raise ParameterError("call fit with the training images before")
        encoder, decoder = self._coder
        kept = torch.clamp(channels - torch.arange(self.channels), 0, 1).to(torch_device(self.device))
        blend = np.float32(np.clip(channels - self.channels, 0, 1))
        parts = []
        with torch.no_grad():
            for start in range(0, len(images), _BATCH):
                some = images[start : start + _BATCH]
                made = decoder(encoder(self._pixels(some)) * kept[:, None, None]).permute(0, 2, 3, 1)
                made = made.clamp(0, 1).cpu().numpy()
                parts.append(np.clip(made + blend * (some - made), 0, 1, dtype=np.float32))
        return np.concatenate(parts)

    def degrade(self, images: np.ndarray, ssim: float) -> np.ndarray:
        """Return reconstructions whose mean similarity to the images is the one wanted."""
        check_number("ssim", ssim, 0, 1, "(]")
        if ssim == 1:
            return images
        return self.reconstruct(images, self.channels_for(images, ssim))

    def channels_for(self, images: np.ndarray, ssim: float) -> float:
        """Return how many channels give a similarity; more than there are where a blend is needed."""
        some = images[: self.n_calibrate]

        def excess(channels: float) -> float:
            return mean_ssim(some, self.reconstruct(some, channels), self.win_size) - ssim

        lowest = excess(0.0) + ssim
        if ssim <= lowest:
            raise ParameterError(f"ssim must be above {lowest:.3f} for these images, got {ssim}")
        return float(brentq(excess, 0.0, self.channels + 1.0, xtol=1e-3))
