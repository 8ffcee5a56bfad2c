"""What a notebook's cell of parameters declares, and whether the values that YAML or the command line give fit it."""

from __future__ import annotations

import ast
import io
import math
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Union

from pydantic import ConfigDict, TypeAdapter, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import YAMLError

from genexpy_nb.common.checks import shown, suggest
from genexpy_nb.common.errors import ParameterError

# What the names in an annotation stand for.
_TYPES: dict[str, Any] = {"Any": Any} | {kind.__name__: kind for kind in (bool, dict, float, int, list, str)}


class _Scalars(SafeConstructor):
    """Of YAML 1.2, without dates: ``2024-01-01`` is text, as are the signs ``=`` and ``<<`` where they stand alone."""


for _tag in ("timestamp", "value", "merge"):
    _Scalars.add_constructor(f"tag:yaml.org,2002:{_tag}", lambda loader, node: node.value)


def read_yaml(text: str, where: str) -> Any:
    """Parse YAML 1.2 as the reports and the command line write it; a date stays the text that it is."""
    yaml = YAML(typ="safe", pure=True)  # the faster parser knows YAML 1.1 only, in which `no` is false
    yaml.Constructor = _Scalars
    try:
        value = yaml.load(text)
        repr(value)  # what messages and the code of a cell need: not of a number with thousands of digits
        return value
    except RecursionError:
        raise ParameterError(f"{where}: nested too deeply") from None
    except (YAMLError, ValueError, TypeError, LookupError) as error:  # the latter three for what a tag like !!int marks
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ParameterError(f"{where}{line}: not valid YAML: {problem}") from None


@dataclass(frozen=True)
class Parameter:
    """One assignment of the cell of parameters: variable, type as written, literal, the comment behind it."""

    name: str
    annotation: str
    default: Any
    meaning: str


def parse_parameters(source: str, where: str = "the cell of parameters") -> list[Parameter]:
    """Read the parameters from the source of a cell, without running it: each assignment of a literal to a name."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise ParameterError(f"{where}, line {error.lineno}: not valid Python: {error.msg}") from None
    said = [t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type == tokenize.COMMENT]
    comments = {t.start[0]: t.string.lstrip("#").strip() for t in said if t.line[: t.start[1]].strip()}  # behind code
    parameters: dict[str, Parameter] = {}
    for node, name, value in _assignments(tree):
        place = f"{where}, line {node.lineno}"
        try:
            default = ast.literal_eval(value)
        except (ValueError, TypeError):
            given = ast.get_source_segment(source, value)
            raise ParameterError(f"{place}: default of {name!r} must be a literal, got {given}") from None
        if name in parameters:
            raise ParameterError(f"{place}: parameter {name!r} is given twice")
        of_default = "Any" if default is None else type(default).__name__
        annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else of_default
        meaning = comments.get(node.end_lineno or node.lineno) or comments.get(node.lineno, "")
        try:
            _validator(annotation).validate_python(default)
        except ValidationError:
            raise ParameterError(f"{place}: default of {name!r} must be {annotation}, got {shown(default)}") from None
        except ParameterError as error:
            raise ParameterError(f"{place}: {error}") from None
        parameters[name] = Parameter(name, annotation, default, meaning)
    return list(parameters.values())


def _assignments(tree: ast.Module) -> Iterator[tuple[ast.Assign | ast.AnnAssign, str, ast.expr]]:
    """The statements that give a value to one name: statement, name and value."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield node, name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield node, name, value


def check_parameters(
    given: Mapping[str, Any], declared: Iterable[Parameter], where: str, raw: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the given values in the types that the notebook declares; `raw` has the texts that they were read from."""
    known = {parameter.name: parameter for parameter in declared}
    checked = {}
    for name, value in given.items():
        if name not in known:
            listed = ", ".join(known) or "none"
            hint = suggest(name, known) or ";"
            raise ParameterError(f"{where}: unknown parameter {name!r}{hint} Known: {listed}")
        wanted = _validator(known[name].annotation)
        for candidate in (value, *([raw[name]] if raw and name in raw else [])):
            try:
                checked[name] = wanted.validate_python(candidate)
                break
            except ValidationError:
                continue
        else:
            raise ParameterError(
                f"{where}: parameter {name!r} must be {known[name].annotation} (like {known[name].default!r}), "
                f"got {shown(value)} ({type(value).__name__})"
            )
    return checked


def as_code(parameters: Mapping[str, Any]) -> str:
    """Return Python source that assigns the values, whatever literals they are."""
    return "\n".join(f"{name} = {_literal(value)}" for name, value in parameters.items())


def _literal(value: Any) -> str:
    """`repr`, but for infinities and not-a-number something that can be evaluated."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return repr(value)


def _validator(annotation: str) -> TypeAdapter[Any]:
    """Return what checks values of a type. Nothing of the annotation is run: its names stand for `_TYPES`."""
    try:
        return TypeAdapter(_type(ast.parse(annotation, mode="eval").body), config=ConfigDict(strict=True))
    except TypeError:
        said = f"type {annotation} is not understood: it is of {', '.join(sorted(_TYPES))}, None, | and []"
        raise ParameterError(said) from None


def _type(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=None):
            return None
        case ast.Name(id=name) if name in _TYPES:
            return _TYPES[name]
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return Union[_type(left), _type(right)]  # noqa: UP007 - "|" does not take all of these at runtime
        case ast.Subscript(value=ast.Name(id="list"), slice=inner):
            return list[_type(inner)]  # type: ignore[misc]
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[key, value])):
            return dict[_type(key), _type(value)]  # type: ignore[misc]
    raise TypeError
