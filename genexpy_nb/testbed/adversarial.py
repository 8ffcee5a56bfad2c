"""Noise that is made against a network: the fast gradient sign method, through the probe on its features."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from genexpy_nb.common.checks import check_number
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.testbed.colournets import ColourBackbone, Head, pixels
from genexpy_nb.testbed.torchmodels import load_torch

__all__ = ["FGSM_LEVELS", "attack_directions", "fgsm", "head_probabilities"]

#: How far each number of a pixel is moved, in [0, 1]; 0 is the image itself.
FGSM_LEVELS = (0.0, 1 / 255, 2 / 255, 4 / 255, 8 / 255)

_BATCH = 250


def head_probabilities(head: Head, features: np.ndarray) -> np.ndarray:
    """Return the class probabilities of a head, in double precision: rows sum to 1.

    Examples
    --------
    >>> head_probabilities(Head(np.eye(2), np.zeros(2), np.arange(2)), np.array([[0.0, np.log(3)]])).round(3).tolist()
    [[0.25, 0.75]]
    """
    scores = features.astype(float) @ head.weights.T.astype(float) + head.biases
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def attack_directions(backbone: ColourBackbone, head: Head, images: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return in which direction each number of a pixel makes the right class less probable.

    Parameters
    ----------
    backbone : ColourBackbone
    head : Head
        Of the probe, or of the fine-tuned network.
    images : ndarray, shape (n, height, width, 3), in [0, 1]
    labels : ndarray, shape (n,)
        The true classes, all of them among those of the head.

    Returns
    -------
    ndarray of int8, shape of ``images``
        Sign of the gradient of the cross-entropy: -1, 0 or 1.

    Raises
    ------
    ParameterError
        If the head does not know a label.

    References
    ----------
    Goodfellow, Shlens and Szegedy, *Explaining and harnessing adversarial examples*, 2015.
    """
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
    """Attack images by one step along the sign of the gradient.

    Parameters
    ----------
    backbone, head, images, labels
        As in `attack_directions`.
    epsilons : iterable of float
        Lengths of the step, in [0, 1]; at 0 the images come back as they are.

    Returns
    -------
    dict of float to ndarray
        Images of each step, within [0, 1].

    Raises
    ------
    ParameterError
        As `attack_directions`, or if a step is out of range.
    """
    epsilons = [check_number("epsilons", epsilon, 0, 1, "[]") for epsilon in epsilons]
    signs = attack_directions(backbone, head, images, labels)
    return {epsilon: np.clip(images + np.float32(epsilon) * signs, 0, 1) if epsilon else images for epsilon in epsilons}
