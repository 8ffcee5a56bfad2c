"""Make data/agents.parquet: simple agents that learn sixteen small games, ten seeds each."""

from functools import partial
from pathlib import Path

import click
from runs import agents, records

from genexpy_nb.common import parallel
from genexpy_nb.common.hashing import fingerprint

FOLDER = Path(__file__).parent


@click.command(help=__doc__)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Worker processes.")
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(jobs: int, output: Path) -> None:
    """See the module."""
    keys = {name: fingerprint(name, agents.SEEDS, agents.MOVES, agents.run_game) for name in agents.games()}
    job = partial(agents.run_game, seeds=agents.SEEDS)
    table = parallel.run_resumable(job, keys, output / ".partial" / "agents", n_jobs=jobs)
    about = {
        "script": "data/make_agents.py",
        "moves": agents.MOVES,
        "seeds": agents.SEEDS,
        "discount": agents.DISCOUNT,
        "score": "discounted reward that the learned policy can expect from the start, computed exactly",
        "references": "random: random moves; best: the best policy; both computed exactly",
        "licence": "MIT, as this project",
    }
    about = records.write_results(table, output / "agents.parquet", agents.COLUMNS[:3], about)
    click.echo(f"{about['rows']} rows, SHA-256 {about['sha256']}")


if __name__ == "__main__":
    main()
