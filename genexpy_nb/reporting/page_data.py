"""The file beside a page: what the notebook found, as other programs and other pages read it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.page import KeyNumber, page_object
from genexpy_nb.reporting.spec import Report


def page_data(node: NotebookNode, report: Report) -> dict[str, Any]:
    """Return what an executed notebook says of itself."""
    objects = [(cell, output, said) for cell, output in _outputs(node) if (said := page_object(output))]
    return {
        "report": report.name,
        "title": report.title,
        "notebook": report.notebook.name,
        "changed": {name: repr(value) for name, value in report.changed.items()},
        "sources": {table.name: table.source for table in report.data},
        "findings": [item for _, _, said in objects if said["kind"] == "findings" for item in said.get("items", ())],
        "numbers": [item for _, _, said in objects for item in said.get("numbers", ())],
        "hero": next((_image(output, said) for cell, output, said in objects if _is_hero(cell, said)), None),
    }


def as_json(data: Mapping[str, Any]) -> str:
    """Return the text of the file."""
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_page_data(path: Path) -> dict[str, Any]:
    """Read the file beside a page."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return data | {"findings": list(data["findings"]), "numbers": list(data["numbers"]), "hero": data["hero"]}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        raise DataError(f"{path}: no key numbers of a report can be read there") from None


def read_numbers(data: Mapping[str, Any]) -> list[KeyNumber]:
    """Return the key numbers of what `page_data` returned; infinity is a number again."""
    return [KeyNumber(**{key: _number(key, value) for key, value in item.items()}) for item in data["numbers"]]


def _number(key: str, value: Any) -> Any:
    return float(value) if key in ("value", "low", "high", "published") and value is not None else value


def _outputs(node: NotebookNode) -> Iterator[tuple[NotebookNode, NotebookNode]]:
    yield from ((cell, output) for cell in node.cells if cell.cell_type == "code" for output in cell.outputs)


def _is_hero(cell: NotebookNode, said: Mapping[str, Any]) -> bool:
    return said["kind"] == "figure" and "hero" in cell.metadata.get("tags", ())


def _image(output: NotebookNode, said: Mapping[str, Any]) -> dict[str, str]:
    image = str(output.data.get("image/png", "")).replace("\n", "")
    return {"alt": str(said.get("alt", "")), "image": f"data:image/png;base64,{image}"}
