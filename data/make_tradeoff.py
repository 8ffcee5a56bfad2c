"""Make data/tradeoff.parquet and data/tradeoff_measures.parquet: the testbed on digits, and what theory says of it."""

from pathlib import Path

import click

from genexpy_nb.experiments import runner
from genexpy_nb.tradeoff.digits import FAMILIES, N_UNSEEN, digits_task, measure_family
from genexpy_nb.tradeoff.testbed import SSIM_LEVELS, run_testbed

FOLDER = Path(__file__).parent
METRICS = ["error_rate", "kappa", "conflict", "gap"]


@click.command(help=__doc__)
@click.option("--seeds", type=click.IntRange(min=1), default=10, show_default=True, help="Runs, with seeds 0, 1, ...")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Worker processes.")
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(seeds: int, jobs: int, output: Path) -> None:
    """See the module."""
    partial = output / ".partial" / "tradeoff"
    click.echo(f"Testbed: {len(FAMILIES)} families, {seeds} seeds")
    cells = run_testbed(digits_task, FAMILIES, range(seeds), N_UNSEEN, folder=partial / "cells", n_jobs=jobs)
    click.echo("Complexity measures")
    units = {f"{family.name}, seed {seed}": (family, seed) for seed in range(seeds) for family in FAMILIES}
    keys = {name: runner.fingerprint(family, seed) for name, (family, seed) in units.items()}
    measures = runner.run_resumable(
        lambda name: measure_family(digits_task(units[name][1]), *units[name]), keys, partial / "measures", jobs
    )
    about = {
        "script": "data/make_tradeoff.py",
        "task": "scikit-learn's digits: 1,257 images for training, 540 for the test, five classes seen",
        "families": {family.name: list(family.members) for family in FAMILIES},
        "n_unseen": list(N_UNSEEN),
        "ssim": list(SSIM_LEVELS),
        "seeds": seeds,
    }
    cells[METRICS] = cells[METRICS].round(6)
    cells = cells.astype({"seed": "int16", "class": "int8", "n": "int16", "size": "int32"})
    index = ["family", "seed", "size", "zero_shot", "ssim", "class"]
    for table, name, keys in ((cells, "tradeoff", index), (measures, "tradeoff_measures", index[:3])):
        written = runner.write_results(table, output / f"{name}.parquet", keys, about)
        click.echo(f"{name}: {written['rows']} rows, SHA-256 {written['sha256']}")


if __name__ == "__main__":
    main()
