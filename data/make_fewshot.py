"""Make data/fewshot.parquet: run the few-shot benchmark on all tasks; started again, it goes on where it stopped."""

from functools import partial
from pathlib import Path

import click
from runs import fewshot, records

from genexpy_nb.common import parallel

FOLDER = Path(__file__).parent
SEED = 0
N_DRAWS = 5


@click.command(help=__doc__)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Worker processes.")
@click.option("--limit", type=click.IntRange(min=1), help="Run only the first tasks, and do not write the table.")
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(jobs: int, limit: int | None, output: Path) -> None:
    """See the module."""
    names = list(fewshot.FAMILIES)[:limit]
    keys = {name: fewshot.family_key(name, N_DRAWS, SEED) for name in names}
    job = partial(fewshot.run_family, n_draws=N_DRAWS, seed=SEED)
    table = parallel.run_resumable(job, keys, output / ".partial" / "fewshot", n_jobs=jobs)
    if limit is not None:
        click.echo(f"{len(names)} tasks are done; without --limit the table will be written")
        return
    about = {
        "script": "data/make_fewshot.py",
        "seed": SEED,
        "n_draws": N_DRAWS,
        "tasks": {name: len(fewshot.load_family(name)) for name in names},
        "classifiers": {name: records.estimator_text(classifier) for name, classifier in fewshot.CLASSIFIERS.items()},
    }
    about = records.write_results(table, output / "fewshot.parquet", fewshot.COLUMNS[:4], about)
    missing = sum(failure["subtasks"] for failure in about["failures"])
    click.echo(f"{about['rows']} rows, {missing} cells missing, SHA-256 {about['sha256']}")


if __name__ == "__main__":
    main()
