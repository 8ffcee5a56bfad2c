"""Three small networks of torch as classifiers of scikit-learn, and what the protocol of notebook 06 finds with them.

They stand for the three kinds in the paper's Table 1: a residual network with batch normalization (ResNet), one whose
width and depth grow together (EfficientNet), and one with patches and self-attention (ViT). torch is imported when a
network is trained.
"""

from __future__ import annotations

from functools import cache
from math import ceil
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

from genexpy_nb.common.hashing import fingerprint
from genexpy_nb.protocol import make_splits, run_trials
from genexpy_nb.protocol.trials import KEY, SEEDS, with_seed
from runs.torchmodels import load_torch

COLUMNS = ("model", "seed", "repeat", "fold", "image", "class", "right", "fit_seconds", "cpu_seconds")
K, N_REPEATS, SPLIT_SEED = 5, 2, 7
_BATCH = 500  # images per pass where nothing is learned


# --- the networks -----------------------------------------------------------------------------------------------------


@cache
def _modules() -> tuple[type, type]:
    """Return the two modules that torch does not have: a sum of two ways, and patches as a sequence."""
    nn = load_torch().nn

    class Sum(nn.Module):
        def __init__(self, branch: Any, way: Any) -> None:
            super().__init__()
            self.branch, self.way = branch, way

        def forward(self, x: Any) -> Any:
            return self.branch(x) + self.way(x)

    class Patches(nn.Module):
        def __init__(self, side: int, patch: int, width: int) -> None:
            super().__init__()
            self.project = nn.Conv2d(3, width, patch, patch)
            self.places = nn.Parameter(0.02 * load_torch().randn((side // patch) ** 2, width))

        def forward(self, x: Any) -> Any:
            return self.project(x).flatten(2).transpose(1, 2) + self.places

    return Sum, Patches


def _convolution(into: int, out: int, size: int, stride: int = 1, groups: int = 1) -> list[Any]:
    nn = load_torch().nn
    return [nn.Conv2d(into, out, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(out)]


def _head(width: int, n_classes: int) -> list[Any]:
    nn = load_torch().nn
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, n_classes)]


def residual_network(n_classes: int, width: int = 16) -> Any:
    """Three blocks of two 3 x 3 convolutions beside a shortcut; each next one is twice as wide and half as large."""
    nn, (Sum, _) = load_torch().nn, _modules()
    layers, into = [*_convolution(3, width, 3, 2), nn.ReLU()], width
    for stage in range(3):
        out, stride = width * 2**stage, 2 if stage else 1
        branch = nn.Sequential(*_convolution(into, out, 3, stride), nn.ReLU(), *_convolution(out, out, 3))
        way = nn.Sequential(*_convolution(into, out, 1, stride)) if stage else nn.Identity()
        layers, into = [*layers, Sum(branch, way), nn.ReLU()], out
    return nn.Sequential(*layers, *_head(into, n_classes))


def compound_network(n_classes: int, growth: int = 3) -> Any:
    """Blocks that widen, look at each channel by itself and narrow again; ``growth`` makes them wider and more.

    Width 1.1 and depth 1.2 to the power of the growth, as in EfficientNet (Tan and Le, 2019), rounded up to multiples
    of 8 and 1; the images stay as large as they are, and no channels are weighed by squeeze-and-excitation.
    """
    nn, (Sum, _) = load_torch().nn, _modules()
    width, depth = 8 * ceil(2 * 1.1**growth), ceil(1.2**growth)
    layers, into = [*_convolution(3, width, 3, 2), nn.SiLU()], width
    for stage in range(3):
        out = width * (1, 2, 4)[stage]
        for position in range(depth):
            stride, wide = 1 if position else 2, 2 * into
            branch = nn.Sequential(
                *(*_convolution(into, wide, 1), nn.SiLU()),
                *(*_convolution(wide, wide, 3, stride, groups=wide), nn.SiLU()),
                *_convolution(wide, out, 1),
            )
            layers, into = [*layers, Sum(branch, nn.Identity()) if position else branch], out
    return nn.Sequential(*layers, *_head(into, n_classes))


def attention_network(n_classes: int, side: int = 32, width: int = 64, depth: int = 2, patch: int = 8) -> Any:
    """Patches of the image as a sequence, layers of self-attention, the mean over the patches."""
    nn, (_, Patches) = load_torch().nn, _modules()
    how = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": True}
    layers = [nn.TransformerEncoderLayer(width, 4, 2 * width, **how) for _ in range(depth)]
    mean = [nn.LayerNorm(width), nn.AdaptiveAvgPool2d((1, width)), nn.Flatten()]
    return nn.Sequential(Patches(side, patch, width), *layers, *mean, nn.Linear(width, n_classes))


_NETWORKS = {"residual": residual_network, "compound": compound_network, "attention": attention_network}


class PhotographClassifier(ClassifierMixin, BaseEstimator):
    """A network that learns images, shape (n, side, side, 3), values in [0, 1]; the seed fixes all that is drawn.

    As in the paper, images are flipped at random, the networks with convolutions learn by SGD with momentum 0.9, the
    one with attention by AdamW, and steps become smaller along a cosine.
    """

    def __init__(
        self, network: str = "residual", epochs: int = 8, step: float = 0.1, batch: int = 64, random_state: int = 0
    ) -> None:
        self.network, self.epochs, self.step, self.batch = network, epochs, step, batch
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> PhotographClassifier:
        """Train the network."""
        torch, start = load_torch(), process_time()
        self.classes_, numbers = np.unique(y, return_inverse=True)
        x, targets = _pixels(X), torch.as_tensor(numbers)
        draw = torch.Generator().manual_seed(self.random_state)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.random_state)
            self.module_ = _NETWORKS[self.network](len(self.classes_)).to(memory_format=torch.channels_last)
        if self.network == "attention":
            optimizer = torch.optim.AdamW(self.module_.parameters(), self.step, weight_decay=0.01)
        else:
            optimizer = torch.optim.SGD(self.module_.parameters(), self.step, momentum=0.9)
        steps = self.epochs * ceil(len(x) / self.batch)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
        for _ in range(self.epochs):
            for chosen in torch.randperm(len(x), generator=draw).split(self.batch):
                some = x[chosen]
                flipped = torch.rand(len(some), generator=draw) < 0.5
                some[flipped] = some[flipped].flip(3)
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(self.module_(some), targets[chosen]).backward()
                optimizer.step()
                schedule.step()
        self.module_.eval()
        self.cpu_seconds_ = process_time() - start
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the most probable class of each image."""
        torch = load_torch()
        with torch.no_grad():
            scores = [self.module_(some) for some in _pixels(X).split(_BATCH)]
        return self.classes_[torch.cat(scores).argmax(dim=1).numpy()]


def _pixels(images: np.ndarray) -> Any:
    x = (load_torch().as_tensor(images, dtype=load_torch().float32) - 0.5) / 0.25
    return x.permute(0, 3, 1, 2).contiguous(memory_format=load_torch().channels_last)


NETWORKS = {
    "residual": PhotographClassifier("residual"),
    "compound": PhotographClassifier("compound"),
    "attention": PhotographClassifier("attention", epochs=12, step=0.002),
}


# --- the protocol -----------------------------------------------------------------------------------------------------


class _Answers:
    """Accuracy, which keeps the answers that it has judged, and the processor time of the fit."""

    def __init__(self) -> None:
        self.right: list[np.ndarray] = []
        self.seconds: list[float] = []

    def __call__(self, model: PhotographClassifier, X: np.ndarray, y: np.ndarray) -> float:
        self.right.append(model.predict(X) == y)
        self.seconds.append(model.cpu_seconds_)
        return float(self.right[-1].mean())


def run_network(name: str, seed: int, images: np.ndarray, labels: np.ndarray) -> pd.DataFrame:
    """Run the trials of one network and seed on all folds, and return a row for each image of each test part."""
    splits, answers = make_splits(images, labels, k=K, n_repeats=N_REPEATS, seed=SPLIT_SEED), _Answers()
    trials = run_trials({name: NETWORKS[name]}, images, labels, splits, [seed], answers, n_jobs=1, progress=False)
    of_trials = trials.scores.merge(trials.seconds, on=KEY)
    parts = []
    for trial, right, seconds in zip(of_trials.itertuples(), answers.right, answers.seconds, strict=True):
        assert trial.score == right.mean() and not trial.error
        _, test = splits.split(trial.repeat, trial.fold)
        of_trial = {column: getattr(trial, column) for column in KEY} | {"image": test, "class": labels[test]}
        times = {"fit_seconds": round(trial.fit_seconds, 3), "cpu_seconds": round(seconds, 3)}
        parts.append(pd.DataFrame({**of_trial, "right": right, **times}))
    return pd.concat(parts, ignore_index=True).astype(dict.fromkeys(("repeat", "fold"), "int8") | {"image": "int16"})


def measure_determinism(name: str, images: np.ndarray, labels: np.ndarray, n_pairs: int = 6) -> pd.DataFrame:
    """Fit a network several times with the same seed, by turns with deterministic computations only and with any."""
    torch, rows = load_torch(), []
    model, _ = with_seed(NETWORKS[name], SEEDS[0])
    for pair in range(n_pairs):
        for only in (True, False) if pair % 2 else (False, True):
            torch.use_deterministic_algorithms(only)
            start = perf_counter()
            model.fit(images, labels)
            seconds = {"fit_seconds": perf_counter() - start, "cpu_seconds": model.cpu_seconds_}
            rows.append({"model": name, "pair": pair, "deterministic": only, **seconds, "weights": weights_hash(model)})
    torch.use_deterministic_algorithms(True)
    return pd.DataFrame(rows)


def n_weights(n_classes: int) -> dict[str, int]:
    """Return how many weights each network has."""
    made = {name: _NETWORKS[model.network](n_classes) for name, model in NETWORKS.items()}
    return {name: sum(weights.numel() for weights in module.parameters()) for name, module in made.items()}


def weights_hash(model: PhotographClassifier) -> str:
    """Return what tells the weights of a network, and its running means, from any others."""
    return fingerprint(*(value.numpy() for value in model.module_.state_dict().values()))


def cost_of_determinism(measured: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return for each network how many times as long deterministic computations take, and whether runs are equal."""
    found: dict[str, dict[str, Any]] = {}
    for name, runs in measured.groupby("model", sort=False):
        wide = runs.pivot(index="pair", columns="deterministic", values="cpu_seconds")
        n_weights = runs.groupby("deterministic")["weights"].nunique()
        found[name] = {
            "ratios": (wide[True] / wide[False]).round(3).to_list(),
            "different weights with": int(n_weights[True]),
            "different weights without": int(n_weights[False]),
            "different weights in all": int(runs["weights"].nunique()),
        }
    return found
