"""What a notebook's cell of parameters declares, and whether given values fit it, before any kernel starts."""

from __future__ import annotations

import ast
import io
import math
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from genexpy_nb.common.checks import suggest
from genexpy_nb.common.errors import ParameterError

__all__ = ["Parameter", "as_code", "check_parameters", "parse_parameters"]

_SIMPLE = {"int": int, "str": str, "bool": bool, "list": list, "tuple": tuple, "dict": dict}


@dataclass(frozen=True)
class Parameter:
    """One assignment of the cell of parameters.

    Parameters
    ----------
    name : str
        The variable.
    annotation : str
        Its type as written, or the type of its default where nothing is written; ``"Any"`` for a bare ``None``.
    default : object
        A Python literal.
    meaning : str
        The comment behind it, may be empty.

    Examples
    --------
    >>> Parameter("alpha", "float", 0.95, "generalizability wanted").default
    0.95
    """

    name: str
    annotation: str
    default: Any
    meaning: str


class _Misfit(Exception):
    """A value does not fit a type."""


def parse_parameters(source: str, where: str = "the cell of parameters") -> list[Parameter]:
    """Read the parameters from the source of a cell, without running it.

    Parameters
    ----------
    source : str
        Python; each assignment of a literal to a name is a parameter, anything else is ignored.
    where : str
        How to call the cell in messages.

    Returns
    -------
    list of Parameter
        In order of appearance.

    Raises
    ------
    ParameterError
        If the cell is not Python, a default is no literal, a name comes twice, or a default does not fit its type.

    Examples
    --------
    >>> parse_parameters("alpha: float = 0.95  # generalizability wanted, in (0, 1)")
    [Parameter(name='alpha', annotation='float', default=0.95, meaning='generalizability wanted, in (0, 1)')]
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise ParameterError(f"{where}, line {error.lineno}: not valid Python: {error.msg}") from None
    comments = _comments(source)
    parameters: dict[str, Parameter] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target = node.target
        else:
            continue
        if not isinstance(target, ast.Name):
            continue
        place = f"{where}, line {node.lineno}"
        try:
            default = ast.literal_eval(node.value)
        except (ValueError, TypeError):
            given = ast.get_source_segment(source, node.value)
            raise ParameterError(f"{place}: default of {target.id!r} must be a literal, got {given}") from None
        if target.id in parameters:
            raise ParameterError(f"{place}: parameter {target.id!r} is given twice")
        annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else _type_of(default)
        meaning = comments.get(node.end_lineno or node.lineno) or comments.get(node.lineno, "")
        try:
            _fit(default, _parse_type(annotation))
        except _Misfit:
            raise ParameterError(f"{place}: default of {target.id!r} must be {annotation}, got {default!r}") from None
        except ParameterError as error:
            raise ParameterError(f"{place}: {error}") from None
        parameters[target.id] = Parameter(target.id, annotation, default, meaning)
    return list(parameters.values())


def check_parameters(
    given: Mapping[str, Any], declared: Iterable[Parameter], where: str, raw: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the given values in the types that the notebook declares.

    Parameters
    ----------
    given : mapping of str to object
        Values by name; an integer does for a float, a list for a tuple.
    declared : iterable of Parameter
        From `parse_parameters`.
    where : str
        What the values come from (a file, the command line), for messages.
    raw : mapping of str to str, optional
        The text that a value was read from: taken as it is where the notebook wants a string, so that
        ``-p name=2`` does not need quotes.

    Returns
    -------
    dict
        As given, converted.

    Raises
    ------
    ParameterError
        If a name is unknown or a value has the wrong type; the message says where, what was given, what is wanted.

    Examples
    --------
    >>> declared = parse_parameters("alpha: float = 0.95\\nmodels: tuple[str, ...] = ('svm',)")
    >>> check_parameters({"alpha": 1, "models": ["knn"]}, declared, "reports/a.yaml")
    {'alpha': 1.0, 'models': ('knn',)}
    >>> check_parameters({"alhpa": 1}, declared, "a")
    Traceback (most recent call last):
    genexpy_nb.common.errors.ParameterError: a: unknown parameter 'alhpa'; did you mean 'alpha'? Known: alpha, models
    """
    known = {parameter.name: parameter for parameter in declared}
    checked = {}
    for name, value in given.items():
        if name not in known:
            listed = ", ".join(known) or "none"
            hint = suggest(name, known) or ";"
            raise ParameterError(f"{where}: unknown parameter {name!r}{hint} Known: {listed}")
        wanted = _parse_type(known[name].annotation)
        try:
            checked[name] = _fit(value, wanted)
        except _Misfit:
            try:
                checked[name] = _fit((raw or {})[name], wanted)
            except (KeyError, _Misfit):
                raise ParameterError(
                    f"{where}: parameter {name!r} must be {known[name].annotation} (like {known[name].default!r}), "
                    f"got {value!r} ({type(value).__name__})"
                ) from None
    return checked


def as_code(parameters: Mapping[str, Any]) -> str:
    """Return Python source that assigns the values, whatever literals they are.

    Parameters
    ----------
    parameters : mapping of str to object
        Values by name.

    Returns
    -------
    str
        One assignment a line.

    Examples
    --------
    >>> print(as_code({"models": ("svm",), "limit": float("inf")}))
    models = ('svm',)
    limit = float('inf')
    """
    return "\n".join(f"{name} = {_literal(value)}" for name, value in parameters.items())


def _literal(value: Any) -> str:
    """`repr`, but for infinities and not-a-number something that can be evaluated."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_literal, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def _comments(source: str) -> dict[int, str]:
    """The text of each comment that stands behind code, by line; comment lines right below continue it."""
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    comments: dict[int, str] = {}
    column: dict[int, int] = {}
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        line, text = token.start[0], token.string.lstrip("#").strip()
        stands_alone = not token.line[: token.start[1]].strip()
        if not stands_alone:
            comments[line], column[line] = text, token.start[1]
            first = line
        elif column.get(line - 1) == token.start[1] > 0:
            comments[first] += f" {text}"
            column[line] = token.start[1]
    return comments


def _type_of(default: Any) -> str:
    return "Any" if default is None else type(default).__name__


def _parse_type(annotation: str) -> ast.expr:
    return ast.parse(annotation, mode="eval").body


def _fit(value: Any, wanted: ast.expr) -> Any:
    """Return the value as the annotation wants it, or raise `_Misfit`."""
    match wanted:
        case ast.Constant(value=None):
            return _require(value is None, value)
        case ast.Constant(value=str(quoted)):
            return _fit(value, _parse_type(quoted))
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return _fit_simple(value, name)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _fit_any(value, [left, right])
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
            items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _fit_generic(value, name, items)
    raise ParameterError(f"type {ast.unparse(wanted)} is not understood")


def _require(condition: bool, value: Any) -> Any:
    if not condition:
        raise _Misfit
    return value


def _fit_simple(value: Any, name: str) -> Any:
    if name in ("Any", "object"):
        return value
    if name == "float":
        try:
            return float(_require(type(value) in (int, float), value))
        except OverflowError:
            raise _Misfit from None
    kind = _SIMPLE.get(name.lower())  # lower: typing.List and its kin
    if kind is None:
        raise ParameterError(f"type {name} is not understood")
    if kind is tuple and type(value) is list:
        return tuple(value)
    return _require(type(value) is kind, value)


def _fit_any(value: Any, options: Iterable[ast.expr]) -> Any:
    # A value that needs no conversion comes first: 1 stays an integer under `float | int`.
    fits = []
    for option in options:
        try:
            fits.append(_fit(value, option))
        except _Misfit:
            continue
    same = [fit for fit in fits if type(fit) is type(value)]
    return (same or fits)[0] if fits else _require(False, value)


def _fit_generic(value: Any, name: str, items: list[ast.expr]) -> Any:
    if name == "Literal":
        choices = [ast.literal_eval(item) for item in items]
        return _require(any(type(value) is type(choice) and value == choice for choice in choices), value)
    if name == "Optional":
        return None if value is None else _fit(value, items[0])
    if name == "Union":
        return _fit_any(value, items)
    kind = name.lower()
    if kind == "list":
        return [_fit(item, items[0]) for item in _require(type(value) is list, value)]
    if kind == "tuple":
        values = _require(type(value) in (list, tuple), value)
        if len(items) == 2 and ast.unparse(items[1]) == "...":
            return tuple(_fit(item, items[0]) for item in values)
        _require(len(values) == len(items), value)
        return tuple(map(_fit, values, items))
    if kind == "dict":
        pairs = _require(type(value) is dict, value).items()
        return {_fit(k, items[0]): _fit(v, items[1]) for k, v in pairs}
    raise ParameterError(f"type {name}[...] is not understood")
