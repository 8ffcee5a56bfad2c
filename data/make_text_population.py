"""Make data/text_population.parquet: every system of a small population of text classifiers, on 20 compositions."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click
import pandas as pd
from runs import records

from genexpy_nb.causal.design import Evaluate, outcomes
from genexpy_nb.causal.population import PipelinePopulation
from genexpy_nb.chapters.causal import N_COMPOSITIONS, small_text_population, text_task
from genexpy_nb.common.hashing import content_hash

FOLDER = Path(__file__).parent
LOSSES = ["error", "f1_loss", "validation_error"]


def run_population(
    population: PipelinePopulation,
    evaluate: Evaluate,
    compositions: Iterable[int],
    *,
    folder: str | os.PathLike | None = None,
    n_jobs: int | None = None,
    key: str | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Run every system of a population, under its one method, on every one of some train-test compositions."""
    compositions = list(compositions)
    combinations = population.combinations()
    tasks = {
        f"system {i}": [(i, c, str(place), combination) for place, c in enumerate(compositions)]
        for i, combination in enumerate(combinations)
    }
    frame = outcomes(tasks, evaluate, folder, n_jobs, progress, key)
    numbers = frame.pop("system")
    frame["composition"] = frame.pop("side").astype(int)
    for place, name in enumerate(population.names):
        frame.insert(place, name, pd.Series([combinations[i].get(name) for i in numbers], dtype=object))
    return frame


@click.command(help=__doc__)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Worker processes.")
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(jobs: int, output: Path) -> None:
    """See the module."""
    task, population = text_task(), small_text_population()
    partial = output / ".partial" / "text_population"
    table = run_population(population, task, range(N_COMPOSITIONS), folder=partial, n_jobs=jobs, progress=True)
    failed = table[table.pop("error_message") != ""]
    if len(failed):
        raise click.ClickException(f"{len(failed)} runs failed, the first is {failed.iloc[0].to_dict()}")
    systems = population.frame()
    table[LOSSES] = table[LOSSES].round(6)
    table.insert(0, "system", table.index // N_COMPOSITIONS)
    table = table[["system", "composition", *LOSSES]].astype({"system": "int16", "composition": "int8"})
    about = {
        "script": "data/make_text_population.py",
        "corpus": task.corpus.attrs["about"],
        "corpus_sha256": task.sha256,
        "population_sha256": content_hash(systems),
        "n_train": task.n_train,
        "n_validation": task.n_validation,
        "n_test": task.n_test,
        "systems": population.size,
        "compositions": N_COMPOSITIONS,
        "losses": LOSSES,
    }
    about = records.write_results(table, output / "text_population.parquet", ["system", "composition"], about)
    click.echo(f"{about['rows']} rows, SHA-256 {about['sha256']}")


if __name__ == "__main__":
    main()
