"""Make data/encoders.parquet: run the encoder benchmark on all tasks; started again, it goes on where it stopped."""

from functools import partial
from pathlib import Path

import click
import pandas as pd
from runs import records

from genexpy_nb.chapters import encoders
from genexpy_nb.common import parallel
from genexpy_nb.datasets.tasks import load_task, load_tasks

FOLDER = Path(__file__).parent
SEED = 0
N_FOLDS = 5


def run(name: str, n_folds: int, seed: int) -> pd.DataFrame:
    """All results of one task."""
    return encoders.run_task(load_task(name), tunings=encoders.TUNINGS, n_folds=n_folds, seed=seed)


@click.command(help=__doc__)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Worker processes.")
@click.option("--limit", type=click.IntRange(min=1), help="Run only the first tasks, and do not write the table.")
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(jobs: int, limit: int | None, output: Path) -> None:
    """See the module."""
    tasks = dict(list(load_tasks().items())[:limit])
    keys = {name: encoders.task_key(task, encoders.TUNINGS, N_FOLDS, SEED) for name, task in tasks.items()}
    job = partial(run, n_folds=N_FOLDS, seed=SEED)
    table = parallel.run_resumable(job, keys, output / ".partial" / "encoders", n_jobs=jobs)
    if limit is not None:
        click.echo(f"{len(tasks)} tasks are done; without --limit the table will be written")
        return
    about = {
        "script": "data/make_encoders.py",
        "seed": SEED,
        "n_folds": N_FOLDS,
        "tasks": len(tasks),
        "source_tables": sorted({task.table for task in tasks.values()}),
        "encoders": {name: "none" if e is None else records.estimator_text(e) for name, e in encoders.ENCODERS.items()},
        "models": {
            name: f"{records.estimator_text(m.estimator)}, {m.parameter} in {m.grid}"
            for name, m in encoders.MODELS.items()
        },
    }
    about = records.write_results(table, output / "encoders.parquet", encoders.COLUMNS[:5], about)
    click.echo(f"{about['rows']} rows, {len(about['failures'])} failures, SHA-256 {about['sha256']}")


if __name__ == "__main__":
    main()
