"""Make data/encoders.parquet, or with --scaled numeric data/encoders_unscaled.parquet; started again, it goes on."""

from functools import partial
from pathlib import Path
from typing import Any

import click
import pandas as pd
from runs import encoders, records
from runs.tasks import load_task, load_tasks

from genexpy_nb.common import parallel

FOLDER = Path(__file__).parent
SEED = 0
N_FOLDS = 5
#: Which columns are scaled -> the name of the table, and what is run: everything, or the encoders of notebook 02
#: with the models that the published benchmark has, too.
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "all": ("encoders", {"tunings": encoders.TUNINGS}),
    "numeric": (
        "encoders_unscaled",
        {"encoders": ("OHE", "TE", "CV5TE"), "models": ("DTC", "KNC", "LR", "SVC"), "scaled": "numeric"},
    ),
}


def run(name: str, **options: Any) -> pd.DataFrame:
    """All results of one task."""
    return encoders.run_task(load_task(name), **options)


@click.command(help=__doc__)
@click.option("--scaled", type=click.Choice(list(TABLES)), default="all", show_default=True, help="Columns.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Worker processes.")
@click.option("--limit", type=click.IntRange(min=1), help="Run only the first tasks, and do not write the table.")
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(scaled: str, jobs: int, limit: int | None, output: Path) -> None:
    """See the module."""
    stem, options = TABLES[scaled]
    options = {**options, "n_folds": N_FOLDS, "seed": SEED}
    tasks = dict(list(load_tasks().items())[:limit])
    keys = {name: encoders.task_key(task, **options) for name, task in tasks.items()}
    table = parallel.run_resumable(partial(run, **options), keys, output / ".partial" / stem, n_jobs=jobs)
    if limit is not None:
        click.echo(f"{len(tasks)} tasks are done; without --limit the table will be written")
        return
    used = {name: encoders.ENCODERS[name] for name in options.get("encoders", encoders.ENCODERS)}
    about = {
        "script": "data/make_encoders.py",
        "scaled": scaled,
        "seed": SEED,
        "n_folds": N_FOLDS,
        "tasks": len(tasks),
        "source_tables": sorted({task.table for task in tasks.values()}),
        "encoders": {name: "none" if e is None else records.estimator_text(e) for name, e in used.items()},
        "models": {
            name: f"{records.estimator_text(m.estimator)}, {m.parameter} in {m.grid}"
            for name, m in encoders.MODELS.items()
            if name in options.get("models", encoders.MODELS)
        },
    }
    about = records.write_results(table, output / f"{stem}.parquet", encoders.COLUMNS[:5], about)
    click.echo(f"{about['rows']} rows, {len(about['failures'])} failures, SHA-256 {about['sha256']}")


if __name__ == "__main__":
    main()
