"""The cells of exercises: which they are, whether they belong together, what a check may use."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from nbformat import NotebookNode

from genexpy_nb.common.errors import DataError

EXERCISE, SOLUTION, CHECK, EXPLANATION = "exercise", "solution", "check", "explanation"
#: Tags of cells that only lecturers get.
ANSWERS = (SOLUTION, CHECK, EXPLANATION)
KINDS = ("Understanding", "Application", "Project")

_TITLE = re.compile(r"^### (\d+)\. (.+)$", re.MULTILINE)
_KIND = re.compile(r"^\*(\w+) · (\d+) minutes?\.?\*", re.MULTILINE)
_INTRODUCTION = re.compile(r"## ")  # to all exercises; it may have their tag
_MAY_USE = {"exercises", "np", "pd", *dir(builtins)}


@dataclass(frozen=True)
class Exercise:
    """An exercise, and where its cells are."""

    number: int
    title: str
    kind: str
    minutes: int
    names: tuple[str, ...]
    question: int
    solutions: tuple[int, ...]
    check: int
    explanation: int


@dataclass
class _Found:
    """The cells of an exercise while they are collected."""

    question: int
    solutions: list[int] = field(default_factory=list)
    checks: list[int] = field(default_factory=list)
    explanations: list[int] = field(default_factory=list)


def has_tag(cell: NotebookNode, *tags: str) -> bool:
    """Say whether a cell has one of some tags."""
    return any(tag in tags for tag in cell.metadata.get("tags", ()))


def positions(node: NotebookNode, without: Iterable[str] = ()) -> list[int]:
    """Return the positions of the cells that a report has: all but solutions, checks and explanations."""
    return [place for place, cell in enumerate(node.cells) if not has_tag(cell, *ANSWERS, *without)]


def without_answers(node: NotebookNode) -> NotebookNode:
    """Return a notebook without solutions, checks and explanations; the questions stay. Cells are shared, not
    copied.
    """
    return NotebookNode({**node, "cells": [node.cells[place] for place in positions(node)]})


def read_exercises(node: NotebookNode, name: str) -> tuple[Exercise, ...]:
    """Find the exercises of a notebook, and see that each is complete."""
    return tuple(_exercise(node, name, number, found) for number, found in enumerate(_collected(node, name), start=1))


def _collected(node: NotebookNode, name: str) -> list[_Found]:
    found: list[_Found] = []
    for place, cell in enumerate(node.cells):
        where = f"{name}, cell {place + 1}"
        tag = _tag(cell, where)
        if tag is None or (tag == EXERCISE and _INTRODUCTION.match(cell.source)):
            continue
        if (tag in (EXERCISE, EXPLANATION)) != (cell.cell_type == "markdown"):
            raise DataError(f"{where}: a cell tagged {tag} is {'text' if tag in (EXERCISE, EXPLANATION) else 'code'}")
        if tag == EXERCISE:
            found.append(_Found(place))
        elif not found:
            raise DataError(f"{where}: {_with_article(tag)} without an exercise above it")
        else:
            last = found[-1]
            {SOLUTION: last.solutions, CHECK: last.checks, EXPLANATION: last.explanations}[tag].append(place)
    return found


def _tag(cell: NotebookNode, where: str) -> str | None:
    tags = [tag for tag in (EXERCISE, *ANSWERS) if has_tag(cell, tag)]
    if len(tags) > 1:
        raise DataError(f"{where}: a cell is one of {' and '.join(tags)}, not both")
    return tags[0] if tags else None


def _with_article(tag: str) -> str:
    return f"{'an' if tag[0] in 'aeiou' else 'a'} {tag}"


def _exercise(node: NotebookNode, name: str, number: int, found: _Found) -> Exercise:
    where = f"{name}, exercise {number} (cell {found.question + 1})"
    cells_of = {SOLUTION: found.solutions, CHECK: found.checks, EXPLANATION: found.explanations}
    for tag, cells in cells_of.items():
        if not cells:
            raise DataError(f"{where}: there is no cell tagged {tag} below it")
    if len(found.checks) > 1 or len(found.explanations) > 1:
        tag = CHECK if len(found.checks) > 1 else EXPLANATION
        raise DataError(f"{where}: it has {len(cells_of[tag])} cells tagged {tag}, not one")
    order = [found.question, *found.solutions, *found.checks, *found.explanations]
    if order != list(range(order[0], order[0] + len(order))):
        raise DataError(f"{where}: its cells follow each other as exercise, solution, check, explanation")
    title, kind = _heading(node.cells[found.question].source, number, where)
    names = _asked(node.cells[found.checks[0]].source, f"{name[:2]}-{number}", where)
    solved = {name for place in found.solutions for name in assigned(node.cells[place].source)}
    if lacking := [name for name in names if name not in solved]:
        raise DataError(f"{where}: its check asks for {lacking[0]}, which its solution does not assign")
    places = (found.question, tuple(found.solutions), found.checks[0], found.explanations[0])
    return Exercise(number, title, kind[1], int(kind[2]), names, *places)


def _heading(source: str, number: int, where: str) -> tuple[str, re.Match[str]]:
    title, kind = _TITLE.search(source), _KIND.search(source)
    if title is None or int(title[1]) != number:
        raise DataError(f"{where}: its heading must be '### {number}. Title', got {source.splitlines()[:1]}")
    if kind is None or kind[1] not in KINDS:
        raise DataError(f"{where}: its text begins with '*{'|'.join(KINDS)} · 5 minutes.*'")
    return title[2].strip(), kind


def _asked(source: str, exercise: str, where: str) -> tuple[str, ...]:
    """The answers that a check asks for, after a look at its form."""
    call = _parsed(source, where).body
    if len(call) != 1 or not isinstance(call[0], ast.Expr) or not _is_check(call[0].value, exercise):
        raise DataError(f'{where}: its check must be one call, exercises.check("{exercise}", answer_..., ...)')
    names = [name for name in _loaded(call[0]) if name.startswith("answer_")]
    if not names:
        raise DataError(f"{where}: its check asks for no answer_...")
    return tuple(dict.fromkeys(names))


def _is_check(call: ast.expr, exercise: str) -> bool:
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "exercises.check" or not call.args:
        return False
    return isinstance(call.args[0], ast.Constant) and call.args[0].value == exercise


def _parsed(source: str, where: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise DataError(f"{where}: a cell is not valid Python: {error.msg}") from None


def _loaded(tree: ast.AST) -> Iterator[str]:
    return (node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


def foreign_names(source: str) -> list[str]:
    """Return what a check uses beside answers, numpy, pandas, builtins and names that it binds itself."""
    tree = ast.parse(source)
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return [name for name in _loaded(tree) if name not in _MAY_USE | bound and not re.fullmatch(r"answer_\w+", name)]


def assigned(source: str) -> list[str]:
    """Return the names ``answer_...`` that code binds, in the order in which they stand in it."""
    return list(dict.fromkeys(name for name in _bound(ast.parse(source).body) if re.fullmatch(r"answer_\w+", name)))


def _bound(statements: Sequence[ast.stmt]) -> Iterable[str]:
    """Names that statements bind, at any depth but not inside of functions."""
    for statement in statements:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement.name
            continue
        inner = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        yield from (node.id for node in sorted(inner, key=lambda node: (node.lineno, node.col_offset)))
