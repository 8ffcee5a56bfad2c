"""Noise that is made against a network: the fast gradient sign method, through the probe on its features."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from genexpy_nb.common.checks import check_number
from genexpy_nb.common.errors import ParameterError
from runs.colournets import ColourBackbone, Head, pixels
from runs.torchmodels import load_torch

#: How far each number of a pixel is moved, in [0, 1]; 0 is the image itself.
FGSM_LEVELS = (0.0, 1 / 255, 2 / 255, 4 / 255, 8 / 255)

_BATCH = 250


def head_probabilities(head: Head, features: np.ndarray) -> np.ndarray:
    """Return the class probabilities of a head, in double precision: rows sum to 1."""
    scores = features.astype(float) @ head.weights.T.astype(float) + head.biases
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def attack_directions(backbone: ColourBackbone, head: Head, images: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return in which direction each number of a pixel makes the right class less probable."""
    torch = load_torch()
    unknown = labels[~np.isin(labels, head.classes)]
    if len(unknown):
        raise ParameterError(f"labels must be among the classes of the head, {str(unknown[0])!r} is not")
    network, device = backbone.network, backbone.device
    truth = torch.as_tensor(np.searchsorted(head.classes, labels), device=device)
    fixed = [torch.as_tensor(w, device=device) for w in backbone.weights]
    last, biases = (torch.as_tensor(part, dtype=torch.float32, device=device) for part in (head.weights, head.biases))
    signs = []
    for start in range(0, len(images), _BATCH):
        x = pixels(images[start : start + _BATCH], device).requires_grad_()
        scores = network.features(fixed, x) @ last.T + biases
        loss = torch.nn.functional.cross_entropy(scores, truth[start : start + _BATCH], reduction="sum")
        (slope,) = torch.autograd.grad(loss, x)
        signs.append(slope.sign().permute(0, 2, 3, 1).to(torch.int8).cpu().numpy())
    return np.concatenate(signs)


def fgsm(
    backbone: ColourBackbone, head: Head, images: np.ndarray, labels: np.ndarray, epsilons: Iterable[float]
) -> dict[float, np.ndarray]:
    """Attack images by one step along the sign of the gradient."""
    epsilons = [check_number("epsilons", epsilon, 0, 1, "[]") for epsilon in epsilons]
    signs = attack_directions(backbone, head, images, labels)
    return {epsilon: np.clip(images + np.float32(epsilon) * signs, 0, 1) if epsilon else images for epsilon in epsilons}
