"""Make data/photographs.parquet: notebook 06 on photographs; started again, it goes on where it stopped."""

from functools import partial
from pathlib import Path

import click
from runs import photographs, records
from runs.cifar import load_cifar10
from runs.torchmodels import load_torch

from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.common.hashing import fingerprint, versions
from genexpy_nb.common.parallel import run_resumable
from genexpy_nb.protocol import set_determinism
from genexpy_nb.protocol.trials import SEEDS

FOLDER = Path(__file__).parent
SEED = 7  # which images are drawn


@click.command(help=__doc__)
@click.option("--images", type=click.Path(path_type=Path), required=True, help="CIFAR-10, as run_cifar10.py takes it.")
@click.option("--per-class", type=click.IntRange(min=5), default=200, show_default=True, help="Images of each class.")
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(images: Path, per_class: int, output: Path) -> None:
    """See the module."""
    torch = load_torch()
    torch.set_num_threads(1)
    determinism = set_determinism(SEED)
    try:
        drawn = load_cifar10(images, per_class, 1, SEED)
    except GenexpyError as error:
        raise click.ClickException(str(error)) from error
    data, waiting = (drawn.train_images, drawn.train_labels), output / ".partial" / "photographs"
    key = fingerprint(*data, photographs.NETWORKS, photographs.run_network, versions(["torch"]))
    units = {f"{name} {seed}": (name, seed) for seed in SEEDS for name in photographs.NETWORKS}
    table = run_resumable(
        lambda unit: photographs.run_network(*units[unit], *data), dict.fromkeys(units, key), waiting, n_jobs=1
    )
    keys = dict.fromkeys(photographs.NETWORKS, key)
    measured = run_resumable(
        partial(photographs.measure_determinism, images=data[0], labels=data[1]), keys, waiting / "twice", n_jobs=1
    )
    about = {
        "script": "data/make_photographs.py",
        "seed": SEED,
        "images": f"CIFAR-10, {per_class} of the images for training of each class",
        "seeds": list(SEEDS),
        "k": photographs.K,
        "n_repeats": photographs.N_REPEATS,
        "split_seed": photographs.SPLIT_SEED,
        "metric": "accuracy",
        "models": {name: records.estimator_text(model) for name, model in photographs.NETWORKS.items()},
        "n_weights": photographs.n_weights(len(drawn.classes)),
        "determinism": photographs.cost_of_determinism(measured),
        "switches": {name: value for name, value, status, _ in determinism.settings if status == "set"},
        "torch": versions(["torch"]),
    }
    about = records.write_results(table, output / "photographs.parquet", photographs.COLUMNS[:5], about)
    click.echo(f"{about['rows']} rows, SHA-256 {about['sha256']}")


if __name__ == "__main__":
    main()
