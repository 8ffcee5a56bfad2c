"""Paired notebooks: the ``.py`` is the source, the ``.ipynb`` beside it carries the outputs that people read."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from genexpy_nb.common.checks import suggest
from genexpy_nb.common.errors import DataError, GenexpyError, ParameterError
from genexpy_nb.common.exercises import read_quiz
from genexpy_nb.common.page import NAMESPACE
from genexpy_nb.common.prose import verbatim
from genexpy_nb.reporting.references import read_yaml

#: Where the values that a text asks for are kept in a cell's metadata; JupyterLab's MyST extension reads and writes it.
INLINE_VALUES = "user_expressions"

#: Tags of cells that only lecturers get.
ANSWERS = ("solution", "check", "explanation")

_KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_INLINE = re.compile(r"\{eval\}`([^`]+)`")
_OPENS = re.compile(r"^\{eval\}`([^`]+)`(?=[.)])", re.MULTILINE)  # a whole number here would open a list
_IMAGE_METADATA = ("alt", "height", "width")
# Identifiers that pandas' Styler and xarray's tables draw anew at every run.
_ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]+")
# Where a warning says it comes from: a file that the kernel names after its process.
_CELL_FILE = re.compile(r"(?<!\S)\S*[\\/]ipykernel_\d+[\\/]\d+\.py:(\d+)")
_RANDOM_ID = re.compile(r"(?<=T_)[0-9a-f]{5}(?=[\s\"_>{])|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


@dataclass(frozen=True)
class NotebookFile:
    """A notebook of the project, as ``.py``, ``.ipynb`` or both."""

    name: str
    py: Path
    ipynb: Path

    @property
    def source(self) -> Path:
        """The file that counts: the ``.py`` where there is one."""
        return self.py if self.py.is_file() else self.ipynb


def find_root(start: Path) -> Path:
    """Return the nearest folder at or above ``start`` that holds ``notebooks`` and ``reports``."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / "notebooks").is_dir() and (folder / "reports").is_dir():
            return folder
    raise GenexpyError(f"no project at or above {start}: a folder with notebooks/ and reports/ is needed (see --root)")


def list_notebooks(root: Path) -> list[NotebookFile]:
    """Return the notebooks in ``root/notebooks``, by name."""
    folder = root / "notebooks"
    names = sorted({file.stem for ending in ("py", "ipynb") for file in folder.glob(f"[!_.]*.{ending}")})
    return [NotebookFile(name, folder / f"{name}.py", folder / f"{name}.ipynb") for name in names]


def find_notebook(root: Path, name: str) -> NotebookFile:
    """Return the notebook of that name; a path or an ending may come with it."""
    known = {notebook.name: notebook for notebook in list_notebooks(root)}
    stem = re.sub(r"\.(py|ipynb)$", "", Path(name).name)
    if stem not in known:
        hint = suggest(stem, known)
        raise ParameterError(f"no notebook {name!r} in notebooks/{hint or '; known: ' + (', '.join(known) or 'none')}")
    return known[stem]


def read_source(notebook: NotebookFile) -> NotebookNode:
    """Read a notebook's inputs, normalized, without outputs."""
    source = notebook.source
    try:
        node = jupytext.read(source, fmt="py:percent" if source.suffix == ".py" else "ipynb")
    except Exception as error:  # jupytext and nbformat have no common error; the reason is in the text
        why = " ".join(str(error).split()) or type(error).__name__
        raise GenexpyError(f"{source}: not a readable notebook: {why[:300]}") from None
    for cell in node.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return normalise(node)


def normalise(node: NotebookNode) -> NotebookNode:
    """Return a copy without anything that changes from run to run or from desk to desk."""
    node = deepcopy(node)
    node.metadata = nbformat.from_dict({"kernelspec": _KERNELSPEC, "language_info": {"name": "python"}})
    node.nbformat, node.nbformat_minor = 4, 5
    for position, cell in enumerate(node.cells):
        tags, values = cell.metadata.get("tags"), cell.metadata.get(INLINE_VALUES)
        kept = ({"tags": tags} if tags else {}) | ({INLINE_VALUES: values} if values and expressions(cell) else {})
        cell.metadata = nbformat.from_dict(kept)
        cell.id = f"c{position:03d}"
        if cell.cell_type == "code":
            cell.outputs = _normalise_outputs(cell.outputs, cell.id)
    return node


def _normalise_outputs(outputs: Iterable[NotebookNode], cell_id: str) -> list[NotebookNode]:
    kept: list[NotebookNode] = []
    for output in outputs:
        if output.output_type == "stream":
            output.text = _CELL_FILE.sub(r"line \1 of this cell", output.text)
        if output.output_type == "stream" and kept and kept[-1].get("name") == output.name:
            kept[-1].text += output.text  # how a stream is cut into messages depends on timing
            continue
        if "metadata" in output:
            # how an image is shown or read out, and what the notebook itself says of it
            said = output.metadata
            entries = {mime: entry for mime, entry in said.items() if isinstance(entry, dict) and mime != NAMESPACE}
            shown = {mime: {k: v for k, v in each.items() if k in _IMAGE_METADATA} for mime, each in entries.items()}
            shown = {mime: entry for mime, entry in shown.items() if entry}
            output.metadata = nbformat.from_dict(shown | ({NAMESPACE: said[NAMESPACE]} if NAMESPACE in said else {}))
        data = output.get("data", {})
        if "text/html" in data:
            data["text/html"] = _positional_ids(data["text/html"], f"{cell_id}x{len(kept)}")
        if "text/plain" in data:
            data["text/plain"] = _ADDRESS.sub("0x0", data["text/plain"])
        kept.append(output)
    return kept


def _positional_ids(html: str, place: str) -> str:
    seen: dict[str, str] = {}
    return _RANDOM_ID.sub(lambda found: seen.setdefault(found[0], f"{place}x{len(seen)}"), html)


def dumps(node: NotebookNode) -> str:
    """Return the text of an ``.ipynb``, the same for the same notebook."""
    return nbformat.writes(node).rstrip("\n") + "\n"


def parameters_cell(node: NotebookNode) -> NotebookNode | None:
    """Return the cell tagged ``parameters``, or None."""
    return next((cell for cell in node.cells if has_tag(cell, "parameters")), None)


def has_tag(cell: NotebookNode, *tags: str) -> bool:
    """Say whether a cell has one of some tags."""
    return any(tag in tags for tag in cell.metadata.get("tags", ()))


def expressions(cell: NotebookNode) -> list[str]:
    """List what the text of a cell asks for: the code in each ``{eval}`code` ``, once."""
    return list(dict.fromkeys(_INLINE.findall(cell.source))) if cell.cell_type == "markdown" else []


def as_metadata(found: Iterable[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return the values of expressions as they are kept in a cell's metadata: what a reader sees, and errors."""
    kept = ("status", "ename", "evalue")
    return [
        {
            "expression": expression,
            "result": {name: result[name] for name in kept if name in result}
            | {"data": {"text/plain": result.get("data", {}).get("text/plain", "")}, "metadata": {}},
        }
        for expression, result in found
    ]


def filled(node: NotebookNode) -> NotebookNode:
    """Return a notebook with values in the place of the expressions in its text; other cells are shared."""
    return NotebookNode({**node, "cells": [_filled(cell) if expressions(cell) else cell for cell in node.cells]})


def _filled(cell: NotebookNode) -> NotebookNode:
    values = {
        each["expression"]: each["result"]["data"]["text/plain"]
        for each in cell.metadata.get(INLINE_VALUES, ())
        if each["result"]["status"] == "ok"
    }
    values = {asked: str(ast.literal_eval(text)) if text[:1] in ("'", '"') else text for asked, text in values.items()}
    source = _OPENS.sub(lambda asked: asked[0] + "\\" * values.get(asked[1], "").isdigit(), cell.source)
    source = _INLINE.sub(lambda asked: verbatim(values[asked[1]]) if asked[1] in values else asked[0], source)
    kept = {name: value for name, value in cell.metadata.items() if name != INLINE_VALUES}
    return NotebookNode({**cell, "source": source, "metadata": NotebookNode(kept)})


def positions(node: NotebookNode, without: Iterable[str] = ()) -> list[int]:
    """Return the positions of the cells that a report has: all but solutions, checks and explanations."""
    return [place for place, cell in enumerate(node.cells) if not has_tag(cell, *ANSWERS, *without)]


def without_answers(node: NotebookNode) -> NotebookNode:
    """Return a notebook without solutions, checks and explanations; the questions stay. Cells are shared."""
    return NotebookNode({**node, "cells": [node.cells[place] for place in positions(node)]})


def line_of_cell(py: Path, position: int) -> int | None:
    """Return the line of a ``.py`` notebook on which the source of a cell begins."""
    lines = py.read_text(encoding="utf-8").splitlines()
    markers = [number for number, line in enumerate(lines, start=1) if re.match(r"# ?%%(\s|$)", line)]
    if len(markers) != len(jupytext.read(py, fmt="py:percent").cells):
        return None
    return markers[position] + 1


def build(notebook: NotebookFile) -> NotebookNode:
    """Make the ``.ipynb`` from the ``.py``, keeping the outputs of cells that did not change."""
    node = read_source(notebook)
    if notebook.ipynb.is_file():
        # not jupytext's combine_inputs_with_outputs, which also keeps the output of a cell that was changed
        saved = nbformat.read(notebook.ipynb, as_version=4).cells
        for cell in node.cells:
            match = next((old for old in saved if (old.cell_type, old.source) == (cell.cell_type, cell.source)), None)
            if match is None:
                continue
            saved.remove(match)
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = match.outputs, match.execution_count
            elif INLINE_VALUES in match.metadata:
                cell.metadata[INLINE_VALUES] = match.metadata[INLINE_VALUES]
        node = normalise(node)
    return node


def check(notebook: NotebookFile) -> list[str]:
    """List what is wrong with a pair: other inputs, cells not executed in order, errors, random ids, local paths."""
    missing = [f"{path.name}: missing" for path in (notebook.py, notebook.ipynb) if not path.is_file()]
    if missing:
        return missing
    source = read_source(notebook)
    try:
        saved = nbformat.read(notebook.ipynb, as_version=4)
    except Exception as error:
        return [f"{notebook.ipynb.name}: not a readable notebook: {error}"]
    return [f"{notebook.ipynb.name}: {problem}" for problem in [*_differences(source, saved), *_state(saved, notebook)]]


def _differences(source: NotebookNode, saved: NotebookNode) -> Iterable[str]:
    def inputs(cell: NotebookNode) -> tuple:
        return cell.cell_type, cell.source.rstrip(), sorted(cell.metadata.get("tags", []))

    if len(source.cells) != len(saved.cells):
        yield f"has {len(saved.cells)} cells, the .py has {len(source.cells)}"
    for position, (ours, theirs) in enumerate(zip(source.cells, saved.cells, strict=False)):
        if inputs(ours) != inputs(theirs):
            yield f"cell {position + 1} is not what the .py says: {_opening(theirs)}"
            return  # what follows is mostly the same difference, shifted


def _state(saved: NotebookNode, notebook: NotebookFile) -> Iterable[str]:
    local = ("site-packages", str(notebook.ipynb.resolve().parents[1]))
    expected = 0
    for position, cell in enumerate(saved.cells):
        place = f"cell {position + 1}"
        if cell.get("id") != f"c{position:03d}":
            yield f"{place} has the id {cell.get('id')!r}, not 'c{position:03d}'"
        values = {each["expression"] for each in cell.metadata.get(INLINE_VALUES, ())}
        if lacking := [each for each in expressions(cell) if each not in values]:
            yield f"{place} lacks the value of {lacking[0]}, which its text asks for"
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        expected += 1
        if cell.execution_count != expected:
            yield f"{place} was not executed in order: its number is {cell.execution_count}, not {expected}"
        if any(output.output_type == "error" for output in cell.outputs):
            yield f"{place} ends in an error: {_opening(cell)}"
        if any(path in text for path in local for text in _texts(cell)):
            yield f"{place} shows a folder of this machine: {_opening(cell)}"


def _texts(cell: NotebookNode) -> Iterable[str]:
    for output in cell.outputs:
        yield output.get("text", "")
        yield from (str(data) for mime, data in output.get("data", {}).items() if not mime.startswith("image/"))


def _opening(cell: NotebookNode) -> str:
    return repr(next((line for line in cell.source.splitlines() if line.strip()), "")[:60])


# --- units ------------------------------------------------------------------------------------------------------------

MOST_CELLS = 30  # of a unit's notebook
_HEADING = re.compile(r"^(?=#{2,3} )", re.MULTILINE)
_SETS = ("gx.plots.use_style", "warnings.")  # calls that a unit needs for what they do
_CHANGES = re.compile(r"\b(\w+)(?:\[[^\]=]{0,80}\] = |\.(?:append|update|extend)\()")


@dataclass(frozen=True)
class Unit:
    """Ten minutes of the course: sections of a notebook, by their headings, and a quiz."""

    name: str
    title: str
    notebook: str
    sections: tuple[str, ...]
    minutes: int


def read_units(folder: Path) -> dict[str, Unit]:
    """Read the units that are made of the notebooks of a folder."""
    entries = read_yaml(folder / "units.yaml")
    return {name: Unit(name, **{**each, "sections": tuple(each["sections"])}) for name, each in entries.items()}


def unit_notebook(student: NotebookNode, unit: Unit) -> NotebookNode:
    """Make a unit's notebook of that for students: its sections, what they need from before, and the quiz."""
    kept: list[NotebookNode] = []
    needed: set[str] = set()
    for cell, chosen in reversed(_by_section(student, unit)):
        statements = ast.parse(cell.source).body if cell.cell_type == "code" else []
        texts: list[str] = []
        for statement in reversed(statements):
            text = ast.get_source_segment(cell.source, statement) or ""
            bound, used = _names(text)
            changed = (bound | set(_CHANGES.findall(text))) & needed
            if chosen or changed or (text.startswith(_SETS) and kept):
                surely = isinstance(statement, ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom)
                needed = (needed - bound if surely else needed) | used
                texts.insert(0, text)
        if chosen:
            kept.insert(0, cell)
        elif texts:
            kept.insert(0, new_code_cell("\n".join(texts), metadata={"tags": ["before"]}))
    of = f"[{unit.notebook[:2]}]({unit.notebook}.ipynb)"
    opening = (
        f"# {unit.title}\n\n*{unit.minutes} minutes. A part of notebook {of}.*\n\n> Run the cells from top to bottom. "
        "Write answers where three dots stand, and run the check below. The unit ends with a quiz."
    )
    cells = [new_markdown_cell(opening), *_merged(kept)]
    for number, asked in read_quiz(unit.name).items():
        options = "\n".join(f"- ({letter}) {text}" for letter, text, _ in asked["options"])
        cells.append(new_markdown_cell(f"### Quiz {number}\n\n{asked['asked']}\n\n{options}"))
        cells.append(new_code_cell(f'quiz_{number} = ...  # a letter\ngx.check("{unit.name}-{number}", quiz_{number})'))
    for place, cell in enumerate(cells):
        cell.id = f"c{place:03d}"
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\]\((?=\d\d_\w+\.ipynb)", "](../students/", cell.source)
    if len(cells) > MOST_CELLS:
        raise DataError(f"unit {unit.name}: {len(cells)} cells, {MOST_CELLS} at most")
    return NotebookNode({**student, "cells": cells})


def unit_page(node: NotebookNode, unit: Unit) -> NotebookNode:
    """Make a unit's page of an executed notebook: its sections as they were run, and the quiz with what it answers."""
    cells = [cell for cell, chosen in _by_section(node, unit) if chosen]
    for number, asked in read_quiz(unit.name).items():
        told = "\n".join(
            f"<details>\n<summary>\n\n({letter}) {text}\n\n</summary>\n\n{said}\n\n</details>\n"
            for letter, text, said in asked["options"]
        )
        cells.append(new_markdown_cell(f"### Quiz {number}\n\n{asked['asked']}\n\n{told}"))
    return normalise(NotebookNode({**node, "cells": [new_markdown_cell(f"# {unit.title}"), *cells]}))


def _by_section(node: NotebookNode, unit: Unit) -> list[tuple[NotebookNode, bool]]:
    """All cells up to the end of the last section of a unit, texts cut at headings, and whether they are in it."""
    found: list[tuple[NotebookNode, bool]] = []
    heading, met = "", set()
    for cell in node.cells:
        for part in _HEADING.split(cell.source) if cell.cell_type == "markdown" else [cell.source]:
            if cell.cell_type == "markdown" and (begins := re.match("#{2,3} (.+)", part)):
                heading = re.sub(r"^(Exercise \d+): .*", r"\1", begins[1])
            met |= {heading} & set(unit.sections)
            if part.strip():
                tags = [tag for tag in cell.metadata.get("tags", ()) if tag not in ("hero", "findings")]
                metadata = NotebookNode({**cell.metadata, "tags": tags})
                found.append((NotebookNode({**cell, "source": part, "metadata": metadata}), heading in unit.sections))
    if lacking := [each for each in unit.sections if each not in met]:
        raise DataError(f"unit {unit.name}: {unit.notebook} has no section {lacking[0]!r}")
    last = max(place for place, (_, chosen) in enumerate(found) if chosen)
    return found[: last + 1]


def _names(source: str) -> tuple[set[str], set[str]]:
    """Names that a statement binds, and those that it reads."""
    top = symtable.symtable(source, "cell", "exec")
    scopes, used = list(top.get_children()), {each.get_name() for each in top.get_symbols() if each.is_referenced()}
    while scopes:
        scope = scopes.pop()
        used |= {each.get_name() for each in scope.get_symbols() if each.is_global()}
        scopes += scope.get_children()
    bound = {each.get_name() for each in top.get_symbols() if each.is_assigned() or each.is_imported()}
    return bound, used | set(re.findall(r"^(\w+) [^\s=]= ", source))


def _merged(cells: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    """Put neighbouring cells with what is needed from before into one, which is folded."""
    for is_before, part in groupby(cells, lambda cell: has_tag(cell, "before")):
        if is_before:
            lines = ["# From the parts of the notebook before this one:", *(cell.source for cell in part)]
            yield new_code_cell("\n".join(lines), metadata={"jupyter": {"source_hidden": True}})
        else:
            yield from part
