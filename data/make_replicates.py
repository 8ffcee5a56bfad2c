"""Make data/replicates.parquet: encoders on replicated random splits; started again, it goes on where it stopped."""

from functools import partial
from pathlib import Path

import click
from runs import encoders, records, replicates
from runs.tasks import load_task

from genexpy_nb.common import parallel

FOLDER = Path(__file__).parent
SEED = 0


@click.command(help=__doc__)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Worker processes.")
@click.option("--limit", type=click.IntRange(min=1), help="Run only the first datasets, and do not write the table.")
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(jobs: int, limit: int | None, output: Path) -> None:
    """See the module."""
    names = replicates.DATASETS[:limit]
    encoder_names, model_names, n_splits = replicates.ENCODER_NAMES, replicates.MODEL_NAMES, replicates.N_SPLITS
    keys = {name: replicates.replicates_key(name, encoder_names, model_names, n_splits, SEED) for name in names}
    job = partial(replicates.run_replicates, encoders=encoder_names, models=model_names, n_splits=n_splits, seed=SEED)
    table = parallel.run_resumable(job, keys, output / ".partial" / "replicates", n_jobs=jobs)
    if limit is not None:
        click.echo(f"{len(names)} datasets are done; without --limit the table will be written")
        return
    about = {
        "script": "data/make_replicates.py",
        "seed": SEED,
        "n_splits": n_splits,
        "test_share": replicates.TEST_SHARE,
        "score": "area under the ROC curve on the test part",
        "datasets": len(names),
        "source_tables": sorted({load_task(name).table for name in names}),
        "encoders": {name: records.estimator_text(encoders.ENCODERS[name]) for name in encoder_names},
        "models": {name: records.estimator_text(encoders.MODELS[name].estimator) for name in model_names},
    }
    about = records.write_results(table, output / "replicates.parquet", replicates.COLUMNS[:5], about)
    click.echo(f"{about['rows']} rows, SHA-256 {about['sha256']}")


if __name__ == "__main__":
    main()
