"""All cells of one network on colour images: two ways to train, three kinds of noise, and unseen classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from genexpy_nb.tradeoff.images import SSIM_LEVELS, ImageTask, mean_ssim
from genexpy_nb.tradeoff.metrics import cell
from runs.adversarial import FGSM_LEVELS, fgsm, head_probabilities
from runs.colournets import ColourBackbone, ColourFamily, FineTuning, Head, fine_tune
from runs.grid import Noise, linear_probe
from runs.torchmodels import load_torch

_N_SIMILAR = 100  # attacked images whose similarity is measured; it hardly differs between images


@dataclass(frozen=True)
class ColourGrid:
    """Which cells are wanted."""

    n_unseen: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    few_unseen: tuple[int, ...] = (0, 2, 5)
    ssim: tuple[float, ...] = SSIM_LEVELS
    epsilons: tuple[float, ...] = FGSM_LEVELS
    fine_tuning: FineTuning = field(default_factory=FineTuning)


def degraded_images(
    task: ImageTask, noises: Mapping[str, Noise], grid: ColourGrid
) -> dict[str, dict[float, np.ndarray]]:
    """Fit each noise to the training images, and degrade the test images to each level."""
    with one_thread():
        fitted = {name: noise.fit(task.train_images) for name, noise in noises.items()}
        return {name: {s: noise.degrade(task.test_images, s) for s in grid.ssim} for name, noise in fitted.items()}


def train_member(task: ImageTask, family: ColourFamily, member: str, seed: int) -> ColourBackbone:
    """Train one network on the seen classes."""
    seen = np.isin(task.train_labels, task.seen)
    with one_thread():
        return family.pretrain(member, task.train_images[seen], task.train_labels[seen], seed)


def run_member(
    task: ImageTask,
    degraded: Mapping[str, Mapping[float, np.ndarray]],
    model: ColourBackbone,
    labels: Mapping[str, Any],
    grid: ColourGrid,
) -> pd.DataFrame:
    """Fill all cells of a trained network; `labels` has the seed and what else its rows shall say."""
    with one_thread():
        cells = _Cells(task, degraded, grid, model.size, labels)
        train_features = model.features(task.train_images)
        test_features = _features(model, degraded, np.ones(len(task.test_labels), bool))
        rows = []
        for u in sorted({*grid.n_unseen, *grid.few_unseen}):
            train, test = (np.isin(some, task.classes(u)) for some in (task.train_labels, task.test_labels))
            known = task.train_labels[train]
            head = Head.of(clone(linear_probe()).fit(train_features[train], known))
            if u in grid.n_unseen:
                of_test = {key: features[test] for key, features in test_features.items()}
                rows += cells.of("probe", u, model, head, train_features[train], of_test)
            if u in grid.few_unseen:
                images = task.train_images[train]
                rng = np.random.default_rng([labels["seed"], model.size, u])
                tuned, tuned_head = fine_tune(model, head, images, known, rng, grid.fine_tuning)
                of_test = _features(tuned, degraded, test)
                rows += cells.of("fine-tuned", u, tuned, tuned_head, tuned.features(images), of_test)
    return pd.concat(rows, ignore_index=True)


Features = dict[tuple[str, float], np.ndarray]


def _features(
    model: ColourBackbone, degraded: Mapping[str, Mapping[float, np.ndarray]], chosen: np.ndarray
) -> Features:
    return {(n, s): model.features(images[chosen]) for n, levels in degraded.items() for s, images in levels.items()}


@dataclass(frozen=True)
class _Cells:
    """What all cells of a network have in common."""

    task: ImageTask
    degraded: Mapping[str, Mapping[float, np.ndarray]]
    grid: ColourGrid
    size: int
    labels: Mapping[str, Any]

    def of(
        self, training: str, u: int, model: ColourBackbone, head: Head, train_features: np.ndarray, test: Features
    ) -> list[pd.DataFrame]:
        """Return the cells of one network and head, for one number of unseen classes."""
        y_train, y_test = (some[np.isin(some, self.task.classes(u))] for some in (self.task.train_labels, self._y))
        known = (y_train, head_probabilities(head, train_features))
        rows = []
        for noise, level, ssim, features in (*self._given(test), *self._attacked(u, model, head)):
            chances = head_probabilities(head, features)
            more = {**self.labels, "training": training, "noise": noise, "level": level}
            where = (self.task.zero_shot(u), ssim, self.size)
            rows.append(cell(*where, y_test, chances, head.classes.tolist(), train=known, **more))
        return rows

    @property
    def _y(self) -> np.ndarray:
        return self.task.test_labels

    def _given(self, test: Features) -> Iterator[tuple[str, float, float, np.ndarray]]:
        for (noise, ssim), features in test.items():
            yield noise, ssim, ssim, features

    def _attacked(self, u: int, model: ColourBackbone, head: Head) -> Iterator[tuple[str, float, float, np.ndarray]]:
        if u not in self.grid.few_unseen or not self.grid.epsilons:
            return
        chosen = np.isin(self._y, self.task.classes(u))
        images, y = self.task.test_images[chosen], self._y[chosen]
        for epsilon, attacked in fgsm(model, head, images, y, self.grid.epsilons).items():
            similar = mean_ssim(images[:_N_SIMILAR], attacked[:_N_SIMILAR])
            yield "fgsm", epsilon, min(similar, 1.0), model.features(attacked)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch and the linear algebra compute with one thread: the last bits of a sum depend on their number."""
    torch = load_torch()
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(before)
