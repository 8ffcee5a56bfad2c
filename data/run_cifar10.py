"""Make data/tradeoff_cifar10*.parquet: networks trained on CIFAR-10, with unseen classes, noise and attacks."""

from dataclasses import asdict, replace
from functools import lru_cache
from io import BytesIO
from itertools import product
from pathlib import Path

import click
import numpy as np
import pandas as pd
from runs import records
from runs.autoencoder import AutoencoderNoise
from runs.cifar import cifar10_task, rotated_task
from runs.colourgrid import ColourGrid, degraded_images, one_thread, run_member, train_member
from runs.colournets import (
    AUGMENTED,
    COMPOUND,
    DECAYED,
    PLAIN,
    RESIDUAL,
    ColourBackbone,
    ColourFamily,
    FineTuning,
    colour_record,
    train_colour,
)
from runs.complexity import complexity_measures
from runs.torchmodels import torch_device

from genexpy_nb.common import parallel
from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.common.hashing import fingerprint, versions
from genexpy_nb.tradeoff.images import ImageTask, PCANoise

FOLDER = Path(__file__).parent
COUNT = click.IntRange(min=1)
INDEX = ["family", "seed", "size", "training", "noise", "level", "zero_shot", "class"]
Weights = tuple[np.ndarray, ...]
ROTATED = ColourGrid((0, 4, 8, 12, 16, 20), (0, 4, 8, 12, 16, 20), (0.6, 0.7, 0.8, 0.9, 1.0), ())  # without attacks
TOLD = ("loss", "accuracy", "epochs", "converged", "seconds")
METRICS = ["error_rate", "kappa", "conflict", "conflict_abs", "gap"]


@click.command(help=__doc__)
@click.option("--images", type=click.Path(path_type=Path), required=True, help="CIFAR-10, see load_cifar10.")
@click.option("--n-train", type=COUNT, default=1000, show_default=True, help="Training images per class, 5000 for all.")
@click.option("--n-test", type=COUNT, default=200, show_default=True, help="Test images per class, 1000 for all.")
@click.option("--rotated", is_flag=True, help="Four rotations, 40 classes, four families; without measures.")
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
            for family in ((RESIDUAL, COMPOUND, AUGMENTED, DECAYED) if rotated else (PLAIN, RESIDUAL))
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
        of_network = {
            name: fingerprint(of_seed[seed], family, train_member, ColourFamily, train_colour, versions(["torch"]))
            for name, (family, _, seed) in units.items()
        }
        of_cells = {
            name: fingerprint(key, grid, noises, run_member, degraded_images) for name, key in of_network.items()
        }
        of_measures = {name: fingerprint(key, colour_record, complexity_measures) for name, key in of_network.items()}

        def train(name: str) -> pd.DataFrame:
            family, member, seed = units[name]
            model = train_member(task(seed), family, member, seed)
            told = {key: getattr(model.training, key) for key in TOLD}
            click.echo(f"{name}: {told}")
            weights = as_bytes(model.training.weights, model.training.initial)
            return pd.DataFrame([{"family": family.name, "seed": seed, "size": model.size, **told, "weights": weights}])

        networks = parallel.run_resumable(train, of_network, waiting / "networks", n_jobs=1)
        weights = dict(zip(units, networks.pop("weights"), strict=True))

        def run(name: str) -> pd.DataFrame:
            family, member, seed = units[name]
            trained, _ = from_bytes(weights[name])
            model = ColourBackbone(family.network(member, len(task(seed).seen)), trained, device)
            return run_member(task(seed), degraded(seed), model, {"family": family.name, "seed": seed}, grid)

        def measure(name: str) -> pd.DataFrame:
            family, member, seed = units[name]
            seen = np.isin(task(seed).train_labels, task(seed).seen)
            shown, labels = task(seed).train_images[seen], task(seed).train_labels[seen]
            network = family.network(member, len(task(seed).seen))
            with one_thread():
                record = colour_record(network, *from_bytes(weights[name]), shown, labels, device)
                measures = complexity_measures(record, rng=seed)
            return pd.DataFrame([{"family": family.name, "seed": seed, "size": record.n_weights} | measures])

        cells = parallel.run_resumable(run, of_cells, waiting / "cells", n_jobs=1)
        cpu_seconds = networks.attrs["cpu_seconds"] + cells.attrs["cpu_seconds"]
        cells.attrs = {"networks": networks.to_dict("records"), "cpu_seconds": cpu_seconds}
        about = describe(task(0), families, grid, noises, seeds, n_train, n_test)
        small = compact(cells.drop(columns="gap"), 3) if rotated else compact(cells, 4)
        tables = [(small, file, INDEX)]
        if not rotated:
            measures = parallel.run_resumable(measure, of_measures, waiting / "measures", n_jobs=1)
            measured = networks.merge(measures, on=INDEX[:3])
            measured.attrs = measures.attrs
            tables.append((measured, f"{file}_measures", INDEX[:3]))
        for table, name, index in tables:
            written = records.write_results(defined(table), output / f"{name}.parquet", index, about)
            click.echo(f"{name}: {written['rows']} rows, SHA-256 {written['sha256']}")
    except GenexpyError as error:
        raise click.ClickException(str(error)) from error


def task_key(task: ImageTask) -> str:
    """Say which images and classes a task has."""
    arrays = (task.train_images, task.train_labels, task.test_images, task.test_labels)
    return fingerprint(*arrays, task.seen, task.unseen)


def as_bytes(weights: Weights, initial: Weights) -> bytes:
    """Return the weights after and before training, as a table can hold them."""
    layers = {f"{when}{i}": w for when, ws in (("weights", weights), ("initial", initial)) for i, w in enumerate(ws)}
    np.savez(content := BytesIO(), **layers)
    return content.getvalue()


def from_bytes(content: bytes) -> tuple[Weights, Weights]:
    """Return what `as_bytes` was given."""
    with np.load(BytesIO(content)) as layers:
        n = len(layers.files) // 2
        return tuple(layers[f"weights{i}"] for i in range(n)), tuple(layers[f"initial{i}"] for i in range(n))


def defined(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out what is not defined for all: conflict of a class that is always in it, margins of a poor network."""
    missing = [name for name in table.select_dtypes("number") if not np.isfinite(table[name]).all()]
    if missing:
        click.echo(f"not defined in all rows, and left out: {', '.join(missing)}")
    return table.drop(columns=missing)


def compact(table: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Few digits, as few images of each class were tested, and small integers."""
    small = table.astype({"seed": "int16", "n": "int16", "size": "int32"})
    metrics = small.columns.intersection(METRICS)
    small[metrics] = small[metrics].round(digits)
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
