"""The sentences of this project, by file and line: Markdown, text of notebooks, docstrings; code is left out."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.py"))
MARKDOWN = sorted(
    file
    for folder, pattern in (
        (".", "*.md"),
        ("docs", "*.md"),
        ("data", "*.md"),
        ("notebooks", "*.md"),
        (".github", "**/*.md"),
    )
    for file in (ROOT / folder).glob(pattern)
)
MODULES = sorted((ROOT / "genexpy_nb").rglob("*.py"))

_CODE = re.compile(r"(`+).*?\1|\$\$?[^$]+\$\$?|<!--.*?-->|<[a-z/][^>]*>")
_ADDRESS = re.compile(r"\]\([^)]*\)|https?://\S+")
_FENCE = re.compile(r" *(```|~~~)")


class Line(NamedTuple):
    """A line of prose."""

    file: Path
    number: int
    text: str

    @property
    def where(self) -> str:
        """For a message."""
        return f"{self.file.relative_to(ROOT)}:{self.number}"


def in_markdown(file: Path, text: str, first: int = 1) -> Iterator[Line]:
    """Lines of Markdown without code, formulas and addresses."""
    fenced = False
    for number, line in enumerate(text.splitlines(), start=first):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield Line(file, number, _ADDRESS.sub("]", _CODE.sub(" ", line)))


class Cell(NamedTuple):
    """A cell of a notebook, and the line on which its source begins."""

    markdown: bool
    first: int
    source: str
    tags: str


@cache
def cells(notebook: Path) -> tuple[Cell, ...]:
    """The cells of a notebook in percent format."""
    lines = notebook.read_text(encoding="utf-8").splitlines()
    marks = [number for number, line in enumerate(lines) if line.startswith("# %%")]
    found = []
    for mark, end in zip(marks, [*marks[1:], len(lines)], strict=True):
        markdown, inside = "[markdown]" in lines[mark], lines[mark + 1 : end]
        source = "\n".join(re.sub("^# ?", "", line) for line in inside) if markdown else "\n".join(inside)
        found.append(Cell(markdown, mark + 2, source, lines[mark]))
    return tuple(found)


def in_notebook(file: Path) -> Iterator[Line]:
    """Text of a notebook, and sentences that its code shows."""
    for cell in cells(file):
        if cell.markdown:
            yield from in_markdown(file, cell.source, cell.first)
        else:
            yield from in_strings(file, ast.parse(cell.source), cell.first - 1)


def in_strings(file: Path, tree: ast.AST, before: int = 0) -> Iterator[Line]:
    """Strings of several words, docstrings included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) > 2:
            for number, line in enumerate(node.value.splitlines(), start=before + node.lineno):
                yield Line(file, number, _ADDRESS.sub("]", _CODE.sub(" ", line)))


def in_docstrings(file: Path) -> Iterator[Line]:
    """Docstrings of a module, without examples and the names of parameters."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            constant = node.body[0].value
            example = False
            for number, line in enumerate(constant.value.splitlines(), start=constant.lineno):
                example = line.lstrip().startswith((">>>", "...")) or (example and bool(line.strip()))
                if not example and not re.match(r"\s*[\w*, ]+ : ", line):
                    yield Line(file, number, _ADDRESS.sub("]", _CODE.sub(" ", line)))


@cache
def prose() -> tuple[Line, ...]:
    """All of it."""
    lines = [line for file in MARKDOWN for line in in_markdown(file, file.read_text(encoding="utf-8"))]
    lines += [line for file in NOTEBOOKS for line in in_notebook(file)]
    lines += [line for file in MODULES for line in in_docstrings(file)]
    return tuple(line for line in lines if line.text.strip())
