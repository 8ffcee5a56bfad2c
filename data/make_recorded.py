"""Make data/recorded: what takes long in the notebooks 04 and 06, run with their own settings and written down."""

import runpy
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import click

from genexpy_nb.chapters import shared

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ("04_preliminary_experiments", "06_deterministic_protocol")


@click.command(help=__doc__)
def main() -> None:
    """See the module."""
    folder = ROOT / "data" / "recorded"
    folder.mkdir(exist_ok=True)
    for file in folder.glob("*.parquet"):
        file.unlink()
    shared.RECORD = True
    for name in NOTEBOOKS:
        with redirect_stdout(StringIO()):
            runpy.run_path(str(ROOT / "notebooks" / f"{name}.py"), {"display": lambda *shown: None})
    files = sorted(folder.glob("*.parquet"))
    click.echo(f"{len(files)} recordings, {sum(file.stat().st_size for file in files):,} bytes")


if __name__ == "__main__":
    main()
