"""Make data/published_numbers.json: what notebooks 02 and 03 find in the published tables, for runs without them."""

import json
from datetime import date
from pathlib import Path

import click
import nbformat

import genexpy_nb as gx
from genexpy_nb.chapters import encoders
from genexpy_nb.common.page import page_object

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ("02_encoders", "03_bigbench")


def numbers_of(name: str) -> list[dict[str, object]]:
    """Return the key numbers of a committed notebook that stand beside published ones."""
    node = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    said = [page_object(output) or {} for cell in node.cells for output in cell.get("outputs", [])]
    numbers = [number for each in said for number in each.get("numbers", [])]
    return [dict(number) for number in numbers if number["published"] is not None]


@click.command(help=__doc__)
def main() -> None:
    """See the module."""
    tables = encoders.tables_to_ask(gx.datasets.load_encoders("original"), gx.datasets.load_encoders("bundled"))
    found = encoders.compare(tables, 0.95, 0).loc[encoders.PUBLISHED, ["estimate", "low", "high"]]
    numbers = {name: numbers_of(name) for name in NOTEBOOKS}
    when = f"on {date.today():%d %B %Y} by version {gx.__version__}"
    record = {"when": when, "table": encoders.PUBLISHED, "difference": found.to_dict(), **numbers}
    path = ROOT / "data" / "published_numbers.json"
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    click.echo(f"{sum(map(len, numbers.values()))} numbers in {path.name}")


if __name__ == "__main__":
    main()
