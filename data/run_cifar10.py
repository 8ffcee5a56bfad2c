"""Make data/tradeoff_cifar10*.parquet: networks trained on CIFAR-10, with unseen classes, noise and attacks."""

from dataclasses import asdict, replace
from functools import lru_cache, partial
from pathlib import Path

import click
import numpy as np
import pandas as pd

from genexpy_nb.common import resumable
from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.common.files import replacing
from genexpy_nb.common.identity import fingerprint
from genexpy_nb.common.versions import versions
from genexpy_nb.datasets import records
from genexpy_nb.testbed.autoencoder import AutoencoderNoise
from genexpy_nb.testbed.cifar import cifar10_task
from genexpy_nb.testbed.colourgrid import ColourGrid, degraded_images, run_member
from genexpy_nb.testbed.colournets import PLAIN, RESIDUAL, ColourFamily, FineTuning, chosen_device
from genexpy_nb.testbed.grid import ImageTask
from genexpy_nb.testbed.noise import PCANoise

FOLDER = Path(__file__).parent
COUNT = click.IntRange(min=1)
INDEX = ["family", "seed", "size", "training", "noise", "level", "zero_shot", "class"]
METRICS = ["error_rate", "kappa", "conflict", "conflict_abs", "gap"]


@click.command(help=__doc__)
@click.option("--images", type=click.Path(path_type=Path), required=True, help="CIFAR-10, see load_cifar10.")
@click.option("--n-train", type=COUNT, default=1000, show_default=True, help="Training images per class, 5000 for all.")
@click.option("--n-test", type=COUNT, default=200, show_default=True, help="Test images per class, 1000 for all.")
@click.option("--widths", type=COUNT, multiple=True, default=PLAIN.widths, show_default=True, help="Of the networks.")
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
    device = chosen_device(device)
    families = [
        replace(family, widths=widths, loss=loss, max_epochs=max_epochs, device=device) for family in (PLAIN, RESIDUAL)
    ]
    grid = ColourGrid(fine_tuning=FineTuning(epochs=tuning_epochs))
    noises = {"pca": PCANoise(), "autoencoder": AutoencoderNoise(epochs=coder_epochs, device=device)}
    waiting = output / ".partial" / "tradeoff_cifar10"
    task = lru_cache(1)(partial(cifar10_task, images, 5, n_train, n_test))
    degraded = lru_cache(1)(lambda seed: degraded_images(task(seed), noises, grid))
    try:
        units = {
            f"{family.name}, {member}, seed {seed}": (replace(family, widths=(width,)), member, seed)
            for seed in range(seeds)
            for width, member in zip(widths, families[0].members, strict=True)
            for family in families
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
            keep_weights(weights_path(waiting, name, keys[name]), model.training)
            table.attrs["networks"] = [{"family": family.name, "seed": seed, "size": model.size, **told}]
            click.echo(f"{name}: {told}")
            return table

        cells = resumable.run_resumable(run, keys, waiting / "cells", n_jobs=1)
        about = describe(task(0), families, grid, noises, seeds, n_train, n_test)
        written = records.write_results(compact(cells), output / "tradeoff_cifar10.parquet", INDEX, about)
    except GenexpyError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"tradeoff_cifar10: {written['rows']} rows, SHA-256 {written['sha256']}")


def task_key(task: ImageTask) -> str:
    """Say which images and classes a task has."""
    arrays = (task.train_images, task.train_labels, task.test_images, task.test_labels)
    return fingerprint(*arrays, task.seen, task.unseen)


def weights_path(folder: Path, name: str, key: str) -> Path:
    """Where the weights of a network are kept, for its complexity measures."""
    return resumable.partial_path(folder / "networks", name, key).with_suffix(".npz")


def keep_weights(path: Path, training) -> None:
    """Write the weights before and after training."""
    path.parent.mkdir(parents=True, exist_ok=True)
    layers = {f"{when}{i}": w for when in ("initial", "weights") for i, w in enumerate(getattr(training, when))}
    with replacing(path) as fresh, fresh.open("wb") as file:
        np.savez(file, **layers)


def compact(table: pd.DataFrame) -> pd.DataFrame:
    """Few digits, small integers."""
    small = table.drop(columns="member").astype({"seed": "int16", "n": "int16", "size": "int32"})
    small[METRICS] = small[METRICS].round(5)
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
