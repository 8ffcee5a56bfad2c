"""Own modules of torch, trained on the seen classes as the paper's testbed does, and the way from there to a report."""

from __future__ import annotations

import copy
import os
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from genexpy_nb.common.checks import check_choice, check_count, check_number
from genexpy_nb.common.errors import DataError, ParameterError, StudyWarning
from genexpy_nb.common.files import replacing
from genexpy_nb.common.hashing import describe, fingerprint
from genexpy_nb.common.parallel import run_resumable
from genexpy_nb.tradeoff.images import SSIM_LEVELS, ImageTask, PCANoise
from runs.grid import Noise, run_testbed
from runs.torchmodels import (
    TorchBackbone,
    TrainedModule,
    image_tensor,
    load_torch,
    n_weights_of,
    one_tensor,
    torch_device,
)
from runs.torchrecords import measure_modules

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, eq=False)
class TrainedFamily:
    """Modules of torch in several sizes, to be trained on the seen classes of a task.

    Parameters
    ----------
    name : str
    modules : mapping of str to callable
        Name of each member, smallest first -> a function that takes the number of classes and returns an untrained
        `torch.nn.Module` with so many outputs (logits).
    mean, std, image_size
        Of each channel in [0, 1], one value for grey images; and the side to which images are resized.
    loss, max_epochs, step, batch
        Mean cross-entropy over the training images at which training stops; after so many epochs in any case. Adam's
        learning rate, and the images per step.
    fit : callable, optional
        Your own training instead: a function of the module, the images (normalized), and the positions of the classes.
    logits : str or int, optional
        Key, attribute or position of the logits, where a module returns several tensors.
    features_of, output, device, threads
        As in `runs.torchmodels.TorchFamily`; ``device`` is "auto" here.
    folder : path-like, optional
        Where trained modules are kept, so that each is trained once.
    """

    name: str
    modules: Mapping[str, Callable[[int], torch.nn.Module]]
    mean: tuple[float, ...] = (0.5, 0.5, 0.5)
    std: tuple[float, ...] = (0.5, 0.5, 0.5)
    image_size: int | None = None
    loss: float = 0.01
    max_epochs: int = 100
    step: float = 0.001
    batch: int = 64
    fit: Callable[[torch.nn.Module, torch.Tensor, torch.Tensor], None] | None = None
    logits: str | int | None = None
    features_of: str = ""
    output: str | int | None = None
    device: str = "auto"
    threads: int = 1
    folder: str | os.PathLike | None = None

    def __post_init__(self) -> None:
        load_torch()
        if not self.modules:
            raise ParameterError("modules must have at least one member, got none")
        if not len(self.mean) == len(self.std) or not self.mean or min(self.std) <= 0:
            raise ParameterError(
                f"mean and std must have a value per channel, std above 0; got {self.mean} and {self.std}"
            )
        for name in ("max_epochs", "batch", "threads"):
            check_count(name, getattr(self, name))
        for name in ("loss", "step"):
            check_number(name, getattr(self, name), 0)

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the modules."""
        return tuple(self.modules)

    def inputs(self, member: str) -> dict[str, Any]:
        """Return how images get into a member: mean, std, image_size, batch, device, threads."""
        names = ("mean", "std", "image_size", "batch", "threads")
        return {name: getattr(self, name) for name in names} | {"device": torch_device(self.device)}

    def trained(self, member: str, images: np.ndarray, labels: np.ndarray, seed: int) -> TrainedModule:
        """Train a member on images of the seen classes, in [0, 1]; or read it, if that has been done."""
        check_choice("member", member, self.members)
        torch = load_torch()
        classes, positions = np.unique(labels, return_inverse=True)
        with torch.random.fork_rng():
            torch.manual_seed(zlib.crc32(f"{seed} {self.name} {member}".encode()))
            module = self.modules[member](len(classes))
            if not isinstance(module, torch.nn.Module):
                raise ParameterError(f"modules[{member!r}] must return a torch.nn.Module, got {type(module).__name__}")
            module = module.to(torch_device(self.device))
            file = self._file(member, images, labels, seed)
            if file is not None and file.is_file():
                return self._kept(file, module)
            initial = copy.deepcopy(module.state_dict())
            about = self._train(module, images, positions, len(classes))
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(file) as new:
                torch.save({"initial": initial, "trained": module.state_dict(), "about": about}, new)
        return TrainedModule(module.eval(), initial, n_weights_of(module), about)

    def pretrain(self, member: str, images: np.ndarray, labels: np.ndarray, seed: int) -> TorchBackbone:
        """Return the features of a member after its training, see `trained`."""
        found = self.trained(member, images, labels, seed)
        where = self.inputs(member)
        return TorchBackbone(found.module, found.size, **where, features_of=self.features_of, output=self.output)

    def _train(self, module: Any, images: np.ndarray, positions: np.ndarray, n_classes: int) -> dict[str, Any]:
        torch = load_torch()
        device = torch_device(self.device)
        threads = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        try:
            x = image_tensor(images, self.image_size, self.mean, self.std, device)
            y = torch.from_numpy(positions.astype(np.int64)).to(device)
            module.train()
            if self.fit is not None:
                self.fit(module, x, y)
                return {"loss": np.nan, "epochs": 0, "converged": True}
            return self._fit(module, x, y, n_classes)
        finally:
            torch.set_num_threads(threads)

    def _fit(self, module: Any, x: Any, y: Any, n_classes: int) -> dict[str, Any]:
        torch = load_torch()
        optimizer = torch.optim.Adam(module.parameters(), self.step)
        cross_entropy = torch.nn.functional.cross_entropy

        def logits(some: Any) -> Any:
            found = one_tensor(module(some), len(some), self.logits)
            if found.shape != (len(some), n_classes):
                raise ParameterError(f"modules must return {n_classes} outputs per image, got {tuple(found.shape)}")
            return found

        reached, epochs = np.inf, 0
        while reached > self.loss and epochs < self.max_epochs:
            epochs += 1
            module.train()
            for chosen in torch.randperm(len(x)).to(x.device).split(self.batch):
                if len(chosen) == 1 < len(x):
                    continue  # batch normalisation has no variance of one image
                optimizer.zero_grad()
                cross_entropy(logits(x[chosen]), y[chosen]).backward()
                optimizer.step()
            module.eval()
            with torch.no_grad():
                parts = zip(x.split(self.batch), y.split(self.batch), strict=True)
                total = sum(float(cross_entropy(logits(a), b, reduction="sum")) for a, b in parts)
            reached = total / len(x)
        return {"loss": reached, "epochs": epochs, "converged": reached <= self.loss}

    def _file(self, member: str, images: np.ndarray, labels: np.ndarray, seed: int) -> Path | None:
        if self.folder is None:
            return None
        what = describe(replace(self, folder=None, modules={member: self.modules[member]}), self.name)
        key = fingerprint(images, labels, what, seed, load_torch().__version__)
        return Path(self.folder) / f"{zlib.crc32(member.encode()):08x}-seed-{seed}-{key[:16]}.pt"

    def _kept(self, file: Path, module: Any) -> TrainedModule:
        torch = load_torch()
        try:
            kept = torch.load(file, map_location=torch_device(self.device), weights_only=True)
            module.load_state_dict(kept["trained"])
        except Exception as error:  # a damaged file can raise anything
            raise DataError(f"{file} cannot be read, delete it: {' '.join(str(error).split())}") from error
        return TrainedModule(module.eval(), kept["initial"], n_weights_of(module), kept["about"])


def levels_at_hand(tasks: Iterable[ImageTask], noise: Noise | None = None) -> tuple[float, ...]:
    """Return those noise levels of the paper that all tasks can have (by default with `PCANoise`), 1 among them."""
    levels: tuple[float, ...] = SSIM_LEVELS
    for task in tasks:
        fitted = (PCANoise() if noise is None else noise).fit(task.train_images)

        def can_be_had(level: float, fitted: Any = fitted, task: ImageTask = task) -> bool:
            try:
                fitted.degrade(task.test_images, level)
            except ParameterError:
                return False
            return True

        # Between two levels that can be had, all can: it takes a search for each of them to find out.
        while levels[0] < 1 and not can_be_had(levels[0]):
            levels = levels[1:]
        while len(levels) > 2 and not can_be_had(levels[-2]):
            levels = (*levels[:-2], levels[-1])
    return levels


def tradeoff_files(
    make_task: Callable[[int], ImageTask],
    families: Sequence[Any],
    seeds: Iterable[int] = (0, 1, 2),
    n_unseen: Sequence[int] | None = None,
    ssim: Sequence[float] | None = None,
    *,
    folder: str | os.PathLike,
    noise: Noise | None = None,
    progress: bool = True,
    **search: Any,
) -> tuple[Path, Path]:
    """Train and test own modules, compute their complexity measures, and write both as the files of a report.

    What is done already is kept in the folder: an interrupted run goes on where it stopped.

    Parameters
    ----------
    make_task : callable
        Seed -> `ImageTask`, such as ``lambda seed: image_folder("photos", seen=5, seed=seed)``.
    families : sequence of TrainedFamily or TorchFamily
        The measures need classifiers of the seen classes, and those of `TorchFamily` what they were before training.
    seeds : iterable of int
    n_unseen, ssim : sequence, optional
        Numbers of unseen classes and noise levels; by default all that there are (`levels_at_hand`).
    folder : path-like
        For the two files, and what is kept on the way.
    noise, progress
        As in `runs.grid.run_testbed`.
    **search
        As in `runs.torchrecords.measure_modules`: n_noisy, n_perturbations, ...

    Returns
    -------
    (Path, Path)
        ``results.parquet`` and ``measures.parquet``: what the reports "tradeoff" and "measures" take.
    """
    folder, seeds = Path(folder), list(seeds)
    keep = folder / "kept"
    families = [
        replace(family, folder=keep / "networks") if isinstance(family, TrainedFamily) and not family.folder else family
        for family in families
    ]
    tasks = {seed: make_task(seed) for seed in seeds}
    if n_unseen is None:
        n_unseen = range(min(len(task.unseen) for task in tasks.values()) + 1)
    if ssim is None:
        ssim = levels_at_hand(tasks.values(), noise)
        if len(ssim) < len(SSIM_LEVELS):
            without = ", ".join(f"{level:g}" for level in SSIM_LEVELS if level not in ssim)
            warnings.warn(f"these images cannot have SSIM {without}: left out", StudyWarning, stacklevel=2)
    cells = run_testbed(
        tasks.__getitem__, families, seeds, n_unseen, ssim, folder=keep / "cells", noise=noise, progress=progress
    )
    units = {f"{family.name}, seed {seed}": (family, seed) for seed in seeds for family in families}
    what = {
        family.name: describe({"family": family, "key": getattr(family, "key", None), **search}, family.name)
        for family in families
    }

    def key(family: Any, seed: int) -> str:
        task = tasks[seed]
        seen = np.isin(task.train_labels, task.seen)
        arrays = task.train_images[seen], task.train_labels[seen]
        return fingerprint(*arrays, what[family.name], seed, describe(measure_modules))

    measures = run_resumable(
        lambda name: measure_modules(tasks[units[name][1]], *units[name], **search),
        {name: key(*unit) for name, unit in units.items()},
        keep / "measures",
        1,
        progress,
    )
    if "converged" in measures and not measures["converged"].all():
        late = measures[~measures["converged"]].iloc[0]
        first = f"{late['member']} of {late['family']} with seed {late['seed']}, {late['loss']:.3g}"
        warnings.warn(
            f"{(~measures['converged']).sum()} of {len(measures)} networks did not reach the loss that was wanted, "
            f"{first} first; more of max_epochs, or another step, may help",
            StudyWarning,
            stacklevel=2,
        )
    paths = folder / "results.parquet", folder / "measures.parquet"
    for table, path in zip((cells, measures), paths, strict=True):
        table.attrs = {}
        with replacing(path) as new:
            table.to_parquet(new, index=False)
    return paths
