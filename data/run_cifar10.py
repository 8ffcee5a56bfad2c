"""Make data/tradeoff_cifar10*.parquet: networks trained on CIFAR-10, with unseen classes, noise and attacks."""

from dataclasses import asdict, replace
from functools import lru_cache
from itertools import product
from pathlib import Path

import click
import numpy as np
import pandas as pd
from runs import records
from runs.autoencoder import AutoencoderNoise
from runs.cifar import cifar10_task, rotated_task
from runs.colourgrid import ColourGrid, degraded_images, one_thread, run_member
from runs.colournets import AUGMENTED, COMPOUND, PLAIN, RESIDUAL, ColourFamily, FineTuning, colour_record
from runs.complexity import complexity_measures
from runs.torchmodels import torch_device

from genexpy_nb.common import parallel
from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.common.files import replacing
from genexpy_nb.common.hashing import fingerprint, versions
from genexpy_nb.tradeoff.images import ImageTask
from genexpy_nb.tradeoff.noise import PCANoise

FOLDER = Path(__file__).parent
COUNT = click.IntRange(min=1)
INDEX = ["family", "seed", "size", "training", "noise", "level", "zero_shot", "class"]
Weights = tuple[np.ndarray, ...]
ROTATED = ColourGrid((0, 4, 8, 12, 16, 20), (0, 8, 20), (0.6, 0.7, 0.8, 0.9, 1.0), ())  # without attacks
METRICS = ["error_rate", "kappa", "conflict", "conflict_abs", "gap"]


@click.command(help=__doc__)
@click.option("--images", type=click.Path(path_type=Path), required=True, help="CIFAR-10, see load_cifar10.")
@click.option("--n-train", type=COUNT, default=1000, show_default=True, help="Training images per class, 5000 for all.")
@click.option("--n-test", type=COUNT, default=200, show_default=True, help="Test images per class, 1000 for all.")
@click.option("--rotated", is_flag=True, help="Four rotations, 40 classes, three families; without measures.")
@click.option("--widths", type=COUNT, multiple=True, help="Of the networks of each family; else six of its own.")
@click.option("--loss", type=float, default=PLAIN.loss, show_default=True, help="Where training stops.")
@click.option("--max-epochs", type=COUNT, default=PLAIN.max_epochs, show_default=True, help="Or here.")
@click.option("--tuning-epochs", type=COUNT, default=FineTuning.epochs, show_default=True, help="Of all weights.")
@click.option("--coder-epochs", type=COUNT, default=6, show_default=True, help="Of the autoencoder.")
@click.option("--seeds", type=COUNT, default=3, show_default=True, help="Runs, with seeds 0, 1, ...")
@click.option("--device", default="auto", show_default=True, help="As torch names it; auto takes a GPU if it can.")
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(
    images: Path,
    n_train: int,
    n_test: int,
    rotated: bool,
    widths: tuple[int, ...],
    loss: float,
    max_epochs: int,
    tuning_epochs: int,
    coder_epochs: int,
    seeds: int,
    device: str,
    output: Path,
) -> None:
    """See the module."""
    try:
        device = torch_device(device)
        families = [
            replace(family, widths=widths or family.widths, loss=loss, max_epochs=max_epochs, device=device)
            for family in ((RESIDUAL, COMPOUND, AUGMENTED) if rotated else (PLAIN, RESIDUAL))
        ]
        grid = replace(ROTATED if rotated else ColourGrid(), fine_tuning=FineTuning(epochs=tuning_epochs))
        noises = {"pca": PCANoise(), "autoencoder": AutoencoderNoise(epochs=coder_epochs, device=device)}
        file = "tradeoff_cifar10_rotated" if rotated else "tradeoff_cifar10"
        waiting = output / ".partial" / file

        @lru_cache(1)
        def task(seed: int) -> ImageTask:
            upright = cifar10_task(images, 5, n_train, n_test, seed)
            return rotated_task(upright, seed=seed) if rotated else upright

        degraded = lru_cache(1)(lambda seed: degraded_images(task(seed), noises, grid))
        units = {
            f"{family.name}, width {width}, seed {seed}": (replace(family, widths=(width,)), f"width {width}", seed)
            for seed in range(seeds)
            for alike in zip(*(product([family], family.widths) for family in families), strict=True)
            for family, width in alike
        }
        of_seed = {seed: task_key(task(seed)) for seed in range(seeds)}
        keys = {
            name: fingerprint(of_seed[seed], family, grid, noises, run_member, degraded_images, versions(["torch"]))
            for name, (family, _, seed) in units.items()
        }

        def run(name: str) -> pd.DataFrame:
            family, member, seed = units[name]
            table, model = run_member(task(seed), degraded(seed), family, member, seed, grid)
            told = asdict(replace(model.training, weights=(), initial=()))
            told = {key: told[key] for key in ("loss", "accuracy", "epochs", "converged", "seconds")}
            keep_weights(weights_path(waiting, name, keys[name]), model.training.weights, model.training.initial)
            table.attrs["networks"] = [{"family": family.name, "seed": seed, "size": model.size, **told}]
            click.echo(f"{name}: {told}")
            return table

        cells = parallel.run_resumable(run, keys, waiting / "cells", n_jobs=1)
        networks = {(n["family"], n["seed"], n["size"]): n for n in cells.attrs["networks"]}

        def measure(name: str) -> pd.DataFrame:
            family, member, seed = units[name]
            kept = kept_weights(weights_path(waiting, name, keys[name]))
            seen = np.isin(task(seed).train_labels, task(seed).seen)
            shown, labels = task(seed).train_images[seen], task(seed).train_labels[seen]
            if kept is None:  # another run's cells were used, without its weights
                training = family.pretrain(member, shown, labels, seed).training
                kept = training.weights, training.initial
            with one_thread():
                record = colour_record(family.network(member, len(task(seed).seen)), *kept, shown, labels, device)
                measures = complexity_measures(record, rng=seed)
            return pd.DataFrame([networks[family.name, seed, record.n_weights] | measures])

        about = describe(task(0), families, grid, noises, seeds, n_train, n_test)
        tables = [(compact(cells), file, INDEX)]
        if not rotated:
            of_measures = {name: fingerprint(key, colour_record, complexity_measures) for name, key in keys.items()}
            measures = parallel.run_resumable(measure, of_measures, waiting / "measures", n_jobs=1)
            tables.append((measures, f"{file}_measures", INDEX[:3]))
        for table, name, index in tables:
            written = records.write_results(defined(table), output / f"{name}.parquet", index, about)
            click.echo(f"{name}: {written['rows']} rows, SHA-256 {written['sha256']}")
    except GenexpyError as error:
        raise click.ClickException(str(error)) from error


def task_key(task: ImageTask) -> str:
    """Say which images and classes a task has."""
    arrays = (task.train_images, task.train_labels, task.test_images, task.test_labels)
    return fingerprint(*arrays, task.seen, task.unseen)


def weights_path(folder: Path, name: str, key: str) -> Path:
    """Where the weights of a network are kept, for its complexity measures."""
    return parallel.partial_path(folder / "networks", name, key).with_suffix(".npz")


def keep_weights(path: Path, weights: Weights, initial: Weights) -> None:
    """Write the weights after and before training."""
    path.parent.mkdir(parents=True, exist_ok=True)
    layers = {f"{when}{i}": w for when, ws in (("weights", weights), ("initial", initial)) for i, w in enumerate(ws)}
    with replacing(path) as fresh, fresh.open("wb") as file:
        np.savez(file, **layers)


def kept_weights(path: Path) -> tuple[Weights, Weights] | None:
    """Return what `keep_weights` wrote, if it did."""
    if not path.is_file():
        return None
    with np.load(path) as layers:
        n = len(layers.files) // 2
        return tuple(layers[f"weights{i}"] for i in range(n)), tuple(layers[f"initial{i}"] for i in range(n))


def defined(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out what is not defined for all: conflict of a class that is always in it, margins of a poor network."""
    missing = [name for name in table.select_dtypes("number") if not np.isfinite(table[name]).all()]
    if missing:
        click.echo(f"not defined in all rows, and left out: {', '.join(missing)}")
    return table.drop(columns=missing)


def compact(table: pd.DataFrame) -> pd.DataFrame:
    """Few digits, small integers."""
    small = table.drop(columns="member").astype({"seed": "int16", "n": "int16", "size": "int32"})
    small[METRICS] = small[METRICS].round(4)  # 200 images tell no more
    small[["ssim", "level"]] = small[["ssim", "level"]].round(6)
    small.attrs = table.attrs
    return small


def describe(
    task: ImageTask, families: list[ColourFamily], grid: ColourGrid, noises: dict, seeds: int, n_train: int, n_test: int
) -> dict:
    """What the JSON file says of the run."""
    return {
        "script": "data/run_cifar10.py",
        "task": f"{task.name}: {n_train} images of each class for training, {n_test} for the test",
        "n_seen": len(task.seen),
        "seeds": seeds,
        "families": [asdict(family) for family in families],
        "grid": asdict(grid),
        "noises": {name: repr(noise) for name, noise in noises.items()},
        "torch": versions(["torch"]),
    }


if __name__ == "__main__":
    main()
