"""Make data/published_numbers.json: what notebooks 02 and 03 find in the published tables, for runs without them."""

import ast
import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import click
import nbformat

import genexpy_nb as gx
from genexpy_nb.chapters import encoders
from genexpy_nb.common.page import page_object

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ("02_encoders", "03_bigbench")


def objects_of(name: str) -> list[dict[str, Any]]:
    """Return what the outputs of a committed notebook say about themselves."""
    node = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    return [page_object(output) or {} for cell in node.cells for output in cell.get("outputs", [])]


def numbers_of(name: str) -> list[dict[str, object]]:
    """Return the key numbers of a committed notebook that stand beside published ones."""
    numbers = [number for each in objects_of(name) for number in each.get("numbers", [])]
    return [dict(number) for number in numbers if number["published"] is not None]


def said_of_tasks() -> dict[str, object]:
    """Return what notebook 03 says of the published table, where it says of another table what it says of that."""
    node = nbformat.read(ROOT / "notebooks" / "03_bigbench.ipynb", as_version=4)
    said = {}
    for each in (value for cell in node.cells for value in cell.metadata.get("user_expressions", [])):
        if found := re.match(r'chapter\.told\("(\w+)"', each["expression"]):
            said[found[1]] = ast.literal_eval(each["result"]["data"]["text/plain"])
    return {"said": said}


@click.command(help=__doc__)
def main() -> None:
    """See the module."""
    tables = encoders.tables_to_ask(gx.datasets.load_encoders("original"), gx.datasets.load_encoders("bundled"))
    found = {
        f"difference{'_once' * once}": encoders.compare(tables, 0.95, 0, once)
        .loc[encoders.PUBLISHED, ["estimate", "low", "high"]]
        .to_dict()
        for once in (False, True)  # whether datasets of one source count once
    }
    numbers = {name: numbers_of(name) for name in NOTEBOOKS}
    when = f"on {date.today():%d %B %Y} by version {gx.__version__}"
    record = {"when": when, "table": encoders.PUBLISHED, **found, **said_of_tasks(), **numbers}
    path = ROOT / "data" / "published_numbers.json"
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    click.echo(f"{sum(map(len, numbers.values()))} numbers in {path.name}")


if __name__ == "__main__":
    main()
