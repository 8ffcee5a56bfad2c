"""The testbed: pretrained feature extractors, a probe on what they extract, noise, and classes they have never seen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.hashing import describe, fingerprint, versions, write_about
from genexpy_nb.common.parallel import run_resumable
from genexpy_nb.tradeoff.images import SSIM_LEVELS, ImageTask, PCANoise
from genexpy_nb.tradeoff.metrics import cell


class Noise(Protocol):
    """A way to make images less like themselves; fitted to the training images first."""

    def fit(self, images: np.ndarray) -> Noise:
        """Learn what is needed; return the noise itself."""

    def degrade(self, images: np.ndarray, ssim: float) -> np.ndarray:
        """Return the images with the mean structural similarity that is wanted."""


class Backbone(Protocol):
    """A pretrained model of which only the features are used."""

    size: int

    def features(self, images: np.ndarray) -> np.ndarray:
        """Return features, shape (n, n_features), of images as in `ImageTask`."""


class Family(Protocol):
    """Models of one kind in several sizes."""

    name: str
    members: Sequence[str]

    def pretrain(self, member: str, images: np.ndarray, labels: np.ndarray, seed: int) -> Backbone:
        """Return one model, trained on images of the seen classes; or loaded, if it was trained elsewhere."""


def linear_probe() -> BaseEstimator:
    """Return logistic regression on standardized features, the probe of the paper."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def run_family(
    task: ImageTask,
    family: Family,
    n_unseen: Iterable[int],
    ssim: Iterable[float] = SSIM_LEVELS,
    *,
    seed: int = 0,
    noise: Noise | None = None,
    probe: BaseEstimator | None = None,
) -> pd.DataFrame:
    """Fill the 3-D array of one family on one task: every model, share of unseen classes, and noise level."""
    classes_of = {u: task.classes(u) for u in n_unseen}
    ssim = list(ssim)
    if not classes_of or not ssim or not family.members:
        raise ParameterError("n_unseen, ssim and the family's members must name at least one level each")
    noise = PCANoise() if noise is None else noise
    probe = linear_probe() if probe is None else probe
    with threadpool_limits(1):  # with more threads, the last bits of a matrix product depend on their number
        fitted_noise = noise.fit(task.train_images)
        degraded = {level: fitted_noise.degrade(task.test_images, level) for level in ssim}
        seen = np.isin(task.train_labels, task.seen)
        rows = []
        for member in family.members:
            model = family.pretrain(member, task.train_images[seen], task.train_labels[seen], seed)
            train_features = model.features(task.train_images)
            test_features = {level: model.features(images) for level, images in degraded.items()}
            for u, classes in classes_of.items():
                train, test = np.isin(task.train_labels, classes), np.isin(task.test_labels, classes)
                fitted = clone(probe).fit(train_features[train], task.train_labels[train])
                known = (task.train_labels[train], fitted.predict_proba(train_features[train]))
                for level, features in test_features.items():
                    chances = fitted.predict_proba(features[test])
                    labels: dict[str, Any] = {"family": family.name, "seed": seed, "member": member}
                    where = (task.zero_shot(u), level, model.size)
                    rows.append(cell(*where, task.test_labels[test], chances, fitted.classes_, train=known, **labels))
    return pd.concat(rows, ignore_index=True)


def run_testbed(
    make_task: Callable[[int], ImageTask],
    families: Sequence[Family],
    seeds: Iterable[int],
    n_unseen: Sequence[int],
    ssim: Sequence[float] = SSIM_LEVELS,
    *,
    folder: str | os.PathLike,
    noise: Noise | None = None,
    probe: BaseEstimator | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Run every family with every seed; an interrupted run goes on where it stopped."""
    families, n_unseen, ssim = list(families), tuple(n_unseen), tuple(ssim)
    names = [family.name for family in families]
    if len(set(names)) < len(names):
        raise ParameterError(f"families must have names of their own, got {names}")
    units = {f"{family.name}, seed {seed}": (family, seed) for seed in seeds for family in families}

    def run(name: str) -> pd.DataFrame:
        family, seed = units[name]
        return run_family(make_task(seed), family, n_unseen, ssim, seed=seed, noise=noise, probe=probe)

    def key(family: Family, seed: int) -> str:
        task = make_task(seed)
        arrays = (task.train_images, task.train_labels, task.test_images, task.test_labels)
        return fingerprint(*arrays, task.seen, task.unseen, what[family.name], seed)

    settings = {"n_unseen": n_unseen, "ssim": ssim, "noise": noise, "probe": probe, "code": run_family}
    what = {
        family.name: describe({"family": family, "key": getattr(family, "key", None), **settings}, family.name)
        for family in families
    }
    write_about(folder, {"what": "run_testbed", "families": what, "versions": versions()})
    return run_resumable(run, {name: key(*unit) for name, unit in units.items()}, folder, n_jobs, progress)
