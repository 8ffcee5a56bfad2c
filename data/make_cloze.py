"""Make data/cloze.parquet and data/cloze_votes.parquet: small language models find hidden words, and judges vote."""

from pathlib import Path
from time import process_time

import click
from runs import cloze, records

FOLDER = Path(__file__).parent
SEED = 0


@click.command(help=__doc__)
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(output: Path) -> None:
    """See the module."""
    start = process_time()
    items = cloze.questions(SEED)
    texts = {part: cloze.texts_for(part, SEED) for part in ("models", "judges")}
    chosen = cloze.drawn(cloze.asked(cloze.trained(texts["models"]), items), SEED)
    answers = cloze.answers(items, chosen)
    votes = cloze.votes(items, chosen, cloze.asked(cloze.judges_of(texts["judges"]), items), SEED)
    about = {
        "script": "data/make_cloze.py",
        "seed": SEED,
        "corpus": cloze.corpus(SEED).attrs["about"],
        "words_for_training": {part: sum(map(len, those)) for part, those in texts.items()},
        "doubt": cloze.DOUBT,
        "licence": "MIT, as this project; no text is copied",
        "cpu_seconds": round(process_time() - start, 1),
    }
    for name, table, key in (
        ("cloze", answers, list(cloze.ANSWERS[:5])),
        ("cloze_votes", votes, list(cloze.PREFERENCES[:1])),
    ):
        written = records.write_results(table, output / f"{name}.parquet", key, about)
        click.echo(f"{name}: {written['rows']} rows, SHA-256 {written['sha256']}")


if __name__ == "__main__":
    main()
