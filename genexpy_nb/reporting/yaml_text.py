"""YAML as reports and the command line write it, read without surprises."""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from genexpy_nb.common.errors import ParameterError

MOST_CHARACTERS = 1_000_000  # of YAML, which is parsed slowly
MOST_VALUES = 100_000  # in it, once its aliases are written out


class _Scalars(SafeConstructor):
    """Of YAML 1.2, without dates: ``2024-01-01`` is text, as are the signs ``=`` and ``<<`` where they stand alone."""


for _tag in ("timestamp", "value", "merge"):
    _Scalars.add_constructor(f"tag:yaml.org,2002:{_tag}", lambda loader, node: node.value)


def read_yaml(text: str, where: str) -> Any:
    """Parse YAML 1.2 as the reports and the command line write it; a date stays the text that it is."""
    yaml = YAML(typ="safe", pure=True)  # the faster parser knows YAML 1.1 only, in which `no` is false
    yaml.Constructor = _Scalars
    if len(text) > MOST_CHARACTERS:
        raise ParameterError(f"{where}: longer than {MOST_CHARACTERS:,} characters")
    try:
        if "&" in text or "*" in text:
            _check_size(yaml.compose(text), where)
        value = yaml.load(text)
        repr(value)  # what messages and the code of a cell need: not of a number with thousands of digits
        return value
    except RecursionError:
        raise ParameterError(f"{where}: nested too deeply") from None
    except ParameterError:
        raise
    except (YAMLError, ValueError, TypeError, LookupError) as error:  # the latter three for what a tag like !!int marks
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ParameterError(f"{where}{line}: not valid YAML: {problem}") from None


def _check_size(root: Node | None, where: str) -> None:
    """Count what aliases stand for, before anything is built of it."""
    sizes: dict[int, int] = {}

    def size(node: Node) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = MOST_VALUES + 1  # of a node that holds itself
            parts: list[Node] = []
            if isinstance(node, MappingNode):
                parts = [part for pair in node.value for part in pair]
            elif isinstance(node, SequenceNode):
                parts = list(node.value)
            sizes[id(node)] = 1 + sum(map(size, parts))
        return sizes[id(node)]

    if root is not None and size(root) > MOST_VALUES:
        raise ParameterError(f"{where}: more than {MOST_VALUES:,} values once its aliases are written out")
