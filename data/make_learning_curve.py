"""Make genexpy_nb/chapters/cifar10_images.csv: how the error on CIFAR-10 in four rotations falls with more images."""

from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import pandas as pd
from runs.cifar import cifar10_task, rotated_task
from runs.colourgrid import one_thread
from runs.colournets import RESIDUAL

from genexpy_nb import chapters
from genexpy_nb.common.errors import GenexpyError


@click.command(help=__doc__)
@click.option("--images", type=click.Path(path_type=Path), required=True, help="CIFAR-10, see load_cifar10.")
def main(images: Path) -> None:
    """See the module."""
    family = replace(RESIDUAL, widths=(32,), max_epochs=20, device="cpu")
    rows = []
    for n_train in (500, 1000):
        try:
            task = rotated_task(cifar10_task(images, 5, n_train, 100, seed=0), seed=0)
        except GenexpyError as error:
            raise click.ClickException(str(error)) from error
        seen, shown = (np.isin(some, task.seen) for some in (task.train_labels, task.test_labels))
        with one_thread():
            model = family.pretrain("width 32", task.train_images[seen], task.train_labels[seen], 0)
            scores = model.features(task.test_images[shown]) @ model.weights[-1].T
        answers = np.unique(task.train_labels[seen])[scores.argmax(axis=1)]
        wrong = float(np.mean(answers != task.test_labels[shown]))
        rows.append((n_train, wrong, model.training.accuracy, model.training.epochs, model.training.seconds))
        click.echo(rows[-1])
    table = pd.DataFrame(rows, columns=["n_train", "error_rate", "training_accuracy", "epochs", "seconds"]).round(4)
    table.to_csv(Path(chapters.__file__).with_name("cifar10_images.csv"), index=False)


if __name__ == "__main__":
    main()
