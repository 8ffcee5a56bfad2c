"""Run the testbed on CIFAR-100 with models of torchvision; needs torch, torchvision, their weights, and the images."""

from pathlib import Path

import click
from runs import records
from runs.cifar import N_UNSEEN_CIFAR, cifar100_task
from runs.grid import run_testbed
from runs.torchmodels import TorchFamily, torchvision_family

from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.common.hashing import versions
from genexpy_nb.tradeoff.images import SSIM_LEVELS, ImageTask

COUNT = click.IntRange(min=1)
INDEX = ["family", "seed", "size", "member", "zero_shot", "ssim", "class"]


@click.command(help=__doc__)
@click.option("--folder", type=click.Path(path_type=Path), required=True, help="cifar-100-python or cifar-100-binary.")
@click.option("--family", default="efficientnet_b", show_default=True, help="How the names of the models begin.")
@click.option("--models", multiple=True, help="Name of a model; may be repeated.  [default: all of the family]")
@click.option("--weights", default="IMAGENET1K_V1", show_default=True, help="As torchvision names them.")
@click.option("--image-size", type=COUNT, help="Side of the images.  [default: that of each model's training]")
@click.option("--n-train", type=COUNT, default=100, show_default=True, help="Training images per class.")
@click.option("--n-test", type=COUNT, default=50, show_default=True, help="Test images per class.")
@click.option("--n-seen", type=click.IntRange(min=2), default=50, show_default=True, help="Seen classes.")
@click.option("--n-unseen", type=int, multiple=True, default=N_UNSEEN_CIFAR, show_default=True, help="Unseen classes.")
@click.option("--ssim", type=float, multiple=True, default=SSIM_LEVELS, show_default=True, help="Similarities.")
@click.option("--seeds", type=COUNT, default=1, show_default=True, help="How many seeds, 0 upwards.")
@click.option("--batch", type=COUNT, default=64, show_default=True, help="Images per pass.")
@click.option("--device", default="cpu", show_default=True, help="As torch names it.")
@click.option("--threads", type=COUNT, default=1, show_default=True, help="Threads per worker, for the features.")
@click.option("--jobs", type=COUNT, default=1, show_default=True, help="Worker processes.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Table, table.parquet.")
def main(
    folder: Path,
    family: str,
    models: tuple[str, ...],
    weights: str,
    image_size: int | None,
    n_train: int,
    n_test: int,
    n_seen: int,
    n_unseen: tuple[int, ...],
    ssim: tuple[float, ...],
    seeds: int,
    batch: int,
    device: str,
    threads: int,
    jobs: int,
    output: Path,
) -> None:
    """See the module."""

    def task(seed: int) -> ImageTask:
        return cifar100_task(folder, n_seen, n_train, n_test, seed)

    if output.suffix != ".parquet":
        raise click.BadParameter(f"must end with .parquet, got {output.name}", param_hint="--output")
    try:
        first = task(0)
        for u in n_unseen:  # found out before the features are computed, which takes hours
            first.classes(u)
        chosen = torchvision_family(
            family, weights, models=models or None, image_size=image_size, batch=batch, device=device, threads=threads
        )
        # A family for each model, so that an interrupted run goes on with the model where it stopped.
        singles = [chosen.only(model) for model in chosen.members]
        partial = output.parent / ".partial" / output.stem
        table = run_testbed(task, singles, range(seeds), n_unseen, ssim, folder=partial, n_jobs=jobs)
        table["family"] = chosen.name
        if table["conflict"].isna().any():  # it is not defined where a class is always in conflict
            click.echo("conflict is not defined for some classes, and left out")
            table = table.drop(columns="conflict")
        about = describe(chosen, first, n_train, n_test, seeds, weights)
        about |= {"n_unseen": list(n_unseen), "ssim": list(ssim)}
        about = records.write_results(table, output, INDEX, about)
    except GenexpyError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{about['rows']} rows, SHA-256 {about['sha256']}")


def describe(family: TorchFamily, task: ImageTask, n_train: int, n_test: int, seeds: int, weights: str) -> dict:
    """What the JSON file says of the run."""
    return {
        "script": "data/run_cifar100.py",
        "task": task.name,
        "n_seen": len(task.seen),
        "n_train_per_class": n_train,
        "n_test_per_class": n_test,
        "seeds": seeds,
        "weights": weights,
        "weight_files": family.weights,
        "sizes": family.sizes,
        "image_size": family.image_size,
        "batch": family.batch,
        "device": family.device,
        "threads": family.threads,
        "torch": versions(["torch", "torchvision"]),
    }


if __name__ == "__main__":
    main()
