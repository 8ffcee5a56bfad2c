"""Docstrings and signatures as HTML; what stands in them is data, and each name leads to where it is described."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from doctest import DocTestParser
from html import escape
from typing import Any

import griffe
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document
from numpydoc.docscrape import NumpyDocString
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonConsoleLexer

#: From what somebody writes between backticks, or a path, to an address; None if nothing of the package is meant.
Linker = Callable[[str], str | None]

_LISTS = ("Parameters", "Other Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
_PROSE = ("Warnings", "Notes", "References")
_TAGS = {
    "paragraph": "p",
    "emphasis": "em",
    "strong": "strong",
    "literal": "code",
    "literal_block": "pre",
    "block_quote": "blockquote",
    "bullet_list": "ul",
    "list_item": "li",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "row": "tr",
    "definition_list": "dl",
    "term": "dt",
    "definition": "dd",
}
_NUMERALS = {"arabic": "1", "loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"}
_SPANS = {"colspan": "morecols", "rowspan": "morerows"}
_LONGEST_LINE = 76  # characters of a signature
_LONGEST_VALUE = 400  # characters of a constant
_DIRECTIVE = re.compile(r"[ \t]*# doctest:.*$", re.MULTILINE)
_TOKEN = re.compile(r"[A-Za-z_][\w.]*\w")

_SESSION, _FORMATTER = PythonConsoleLexer(), HtmlFormatter(wrapcode=True)
_SETTINGS = get_default_settings(Parser)
_SETTINGS.report_level = 5
_SETTINGS.raw_enabled = _SETTINGS.file_insertion_enabled = False


def text(source: str, link: Linker) -> str:
    """Return reStructuredText as HTML."""
    if not source.strip():
        return ""
    document = new_document("docstring", _SETTINGS)
    Parser().parse(source, document)
    return "".join(_html(node, link) for node in document.children)


def _html(node: nodes.Node, link: Linker) -> str:
    if isinstance(node, nodes.Text):
        return escape(str(node), quote=False)
    if isinstance(node, nodes.system_message):  # it repeats what is not allowed to be done: that stays to be read
        return "".join(_html(child, link) for child in node.children if isinstance(child, nodes.literal_block))
    if isinstance(node, nodes.title_reference):
        return _name(node.astext(), link)
    name = type(node).__name__
    if name not in _TAGS and (isinstance(node, nodes.Inline) or not node.children):
        return escape(getattr(node, "rawsource", "") or node.astext(), quote=False)
    inner = "".join(_html(child, link) for child in node.children)
    if isinstance(node, nodes.entry):
        return _cell(node, inner)
    if isinstance(node, nodes.enumerated_list):
        return f'<ol type="{_NUMERALS[node["enumtype"]]}" start="{node.get("start", 1)}">{inner}</ol>'
    if isinstance(node, nodes.title):
        return f'<p class="label">{inner}</p>'
    return f"<{_TAGS[name]}>{inner}</{_TAGS[name]}>" if name in _TAGS else inner


def _cell(node: nodes.entry, inner: str) -> str:
    """A cell of a table; the head says of what its column is."""
    spans = "".join(f' {name}="{node[given] + 1}"' for name, given in _SPANS.items() if given in node)
    inner = re.sub("^<p>|</p>$", "", inner)
    is_head = isinstance(node.parent.parent, nodes.thead)
    return f'<th scope="col"{spans}>{inner}</th>' if is_head else f"<td{spans}>{inner}</td>"


def _name(name: str, link: Linker) -> str:
    address = link(name)
    code = f"<code>{escape(name)}</code>"
    return f'<a href="{escape(address)}">{code}</a>' if address else code


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def first_sentence(source: str, link: Linker) -> str:
    """Return the first paragraph of a docstring as HTML without the paragraph's own mark."""
    return re.sub("^<p>|</p>$", "", text(source.partition("\n\n")[0], link))


def section_names(source: str) -> list[str]:
    """Return the sections of a numpydoc docstring that hold something."""
    return [name for name, content in NumpyDocString(source).items() if content]


def attribute_names(source: str) -> list[str]:
    """Return what the section Attributes of a numpydoc docstring lists; several may share a line."""
    fields = [field.name for field in NumpyDocString(source)["Attributes"] if _are_names(field.name)]
    return [name.strip() for names in fields for name in names.split(",")]


def described(source: str, link: Linker, anchors: Mapping[str, str] | None = None) -> str:
    """Return a numpydoc docstring as HTML."""
    sections = NumpyDocString(source)
    opening = _lines(filter(None, [sections["Signature"], *sections["Summary"]]))
    parts = [text(opening, link), text(_lines(sections["Extended Summary"]), link)]
    for name in _LISTS:
        here = anchors if anchors and name == "Attributes" else {}
        parts += [_labelled(name, _fields(sections[name], link, here))] if sections[name] else []
    parts += [_labelled(name, text(_lines(sections[name]), link)) for name in _PROSE if sections[name]]
    if sections["Examples"]:
        parts.append(_labelled("Examples", _examples(_lines(sections["Examples"]), link)))
    return "\n".join(filter(None, parts))


def _labelled(label: str, content: str) -> str:
    return f'<p class="label">{label}</p>\n{content}'


def _fields(fields: Sequence[Any], link: Linker, anchors: Mapping[str, str]) -> str:
    """Names, types and what they mean; what is returned or raised may have a type only."""
    items, remark = [], []
    for names, kind, lines in fields:
        if names and not lines and not _are_names(names):  # sentences that follow the list
            remark.append(f"{names} : {kind}" if kind else names)
            continue
        parts = [f"<code>{', '.join(_placed(name, anchors) for name in names.split(', '))}</code>"] if names else []
        parts += [f'<span class="type">{_type(kind, link)}</span>'] if kind else []
        items.append(f"<dt>{' '.join(parts)}</dt>")
        items.append(f"<dd>{text(_lines(lines), link) if lines else ''}</dd>")  # a term without one is no list
    return f'<dl class="fields">{"".join(items)}</dl>{text(_lines(remark), link)}'


def _are_names(names: str) -> bool:
    return all(name.strip().lstrip("*").replace(".", "").isidentifier() for name in names.split(","))


def _placed(name: str, anchors: Mapping[str, str]) -> str:
    return f'<span id="{escape(anchors[name])}">{escape(name)}</span>' if name in anchors else escape(name)


def _type(kind: str, link: Linker) -> str:
    """A type as it is written; the classes of the package in it are links."""
    parts, end = [], 0
    kind = kind.replace("`", "")
    for found in _TOKEN.finditer(kind):
        is_class = found[0].rpartition(".")[2][0].isupper()
        address = link(found[0]) if is_class else None
        if address:
            parts += [escape(kind[end : found.start()]), f'<a href="{escape(address)}">{escape(found[0])}</a>']
            end = found.end()
    return "".join([*parts, escape(kind[end:])])


def _examples(source: str, link: Linker) -> str:
    """Sessions highlighted, text between them as text."""
    pieces: list[tuple[bool, str]] = []
    for piece in DocTestParser().parse(source):
        if isinstance(piece, str):
            if piece.strip() or not pieces:
                pieces.append((False, piece.strip("\n")))
            continue
        lines = piece.source.rstrip("\n").split("\n")
        prompted = [f"{'>>>' if number == 0 else '...'} {line}".rstrip() for number, line in enumerate(lines)]
        session = _DIRECTIVE.sub("", "\n".join(prompted)) + "\n" + piece.want
        if pieces and pieces[-1][0]:
            session = pieces.pop()[1] + session
        pieces.append((True, session))
    return "".join(highlight(piece, _SESSION, _FORMATTER) if code else text(piece, link) for code, piece in pieces)


def signature(thing: griffe.Class | griffe.Function | griffe.Attribute, name: str, link: Linker) -> str:
    """Return how something is called, or what a constant is, as HTML for a ``<pre>``."""
    shown = f'<span class="own">{escape(name)}</span>'
    if isinstance(thing, griffe.Attribute):
        kind = _expression(thing.annotation, link) if thing.annotation is not None else ""
        value = "" if thing.value is None or "property" in thing.labels else str(thing.value)
        value = value if len(value) <= _LONGEST_VALUE else f"{value[:_LONGEST_VALUE].rpartition(' ')[0]} …"
        return f"{shown}{': ' + kind if kind else ''}{' = ' + escape(value) if value else ''}"
    if isinstance(thing, griffe.Class) and not _is_made_by_users(thing):
        return ""
    returned = thing.returns if isinstance(thing, griffe.Function) else None
    end = f") -&gt; {_expression(returned, link)}" if returned is not None else ")"
    pieces = list(_parameters(thing, link))
    line = f"{shown}({', '.join(pieces)}{end}"
    if len(re.sub("<.*?>", "", line)) <= _LONGEST_LINE or not pieces:
        return line
    return f"{shown}(\n" + "".join(f'<span class="line">    {piece},</span>\n' for piece in pieces) + end


def _is_made_by_users(thing: griffe.Class) -> bool:
    """Whether a class says with what to make it; of a result, only the attributes are described."""
    return bool(thing.docstring and "Parameters" in section_names(thing.docstring.value))


def _parameters(thing: griffe.Class | griffe.Function, link: Linker) -> Iterator[str]:
    """Each parameter, and the signs ``/`` and ``*`` between them."""
    kinds = griffe.ParameterKind
    before = None
    inside = isinstance(thing.parent, griffe.Class) and "staticmethod" not in thing.labels
    skip_first = isinstance(thing, griffe.Class) or inside
    for parameter in list(thing.parameters)[skip_first:]:
        if before is kinds.positional_only and parameter.kind is not kinds.positional_only:
            yield "/"
        if parameter.kind is kinds.keyword_only and before not in (kinds.keyword_only, kinds.var_positional):
            yield "*"
        before = parameter.kind
        yield _parameter(parameter, link)
    if before is kinds.positional_only:
        yield "/"


def _parameter(parameter: griffe.Parameter, link: Linker) -> str:
    kinds = griffe.ParameterKind
    stars = {kinds.var_positional: "*", kinds.var_keyword: "**"}.get(parameter.kind or kinds.positional_only, "")
    shown = stars + f"<b>{escape(parameter.name.lstrip('*'))}</b>"
    if parameter.annotation is not None:
        shown += f': <span class="type">{_expression(parameter.annotation, link)}</span>'
    if parameter.default is not None and not stars:
        equals = " = " if parameter.annotation is not None else "="
        shown += equals + escape(str(parameter.default), quote=False)
    return shown


def _expression(expression: str | griffe.Expr, link: Linker) -> str:
    """An annotation; names of the package in it are links."""
    if isinstance(expression, str):
        return escape(expression, quote=False)
    parts = []
    for piece in expression.iterate(flat=True):
        if isinstance(piece, griffe.ExprName):
            address = link(piece.canonical_path)
            name = escape(piece.name)
            parts.append(f'<a href="{escape(address)}">{name}</a>' if address else name)
        else:
            parts.append(escape(str(piece), quote=False))
    return "".join(parts)
