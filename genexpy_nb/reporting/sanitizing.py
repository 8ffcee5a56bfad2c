"""HTML and CSS of a notebook made inert: what is left runs nothing, loads nothing, and stays in its place.

nh3 (the ammonia library) parses as browsers do and keeps the elements and attributes that are named here. Values that
can hold more than text (addresses, classes, CSS) are looked at one by one. CSS is parsed by tinycss2 and written anew,
so that no unusual spelling comes through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import nh3
import tinycss2
from bs4 import BeautifulSoup, Tag

FORMULA = "data-formula"  # marks where a formula of a markdown cell comes; data cannot have it


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HTML_TAGS = _words(
    """
    a abbr b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em
    figcaption figure font h1 h2 h3 h4 h5 h6 hr i img input ins kbd label li mark meter ol p pre progress q rp rt
    ruby s samp small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr
    """
)
# No element in which SVG holds HTML again (title, desc, foreignObject), none that loads, animates or links.
_SVG_TAGS = _words(
    """
    svg g path rect circle ellipse line polyline polygon text tspan defs symbol use clipPath linearGradient
    radialGradient stop
    """
)
# What is inside these is no text for a reader.
_DROPPED_WHOLE = _words(
    """
    script style iframe noscript noembed noframes template title desc metadata foreignObject object applet textarea
    select xmp math annotation-xml
    """
)
_COMMON = _words(
    """
    align class dir height id lang style title valign width
    """
)
_ATTRIBUTES: dict[str, frozenset[str] | set[str]] = {
    "*": _COMMON,
    "a": {"href"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    "font": {"color", "size"},
    "img": {"alt", "src"},
    "input": {"checked", "disabled", "type"},
    "label": {"for"},
    "li": {"value"},
    "meter": {"high", "low", "max", "min", "optimum", "value"},
    "ol": {"reversed", "start", "type"},
    "progress": {"max", "value"},
    "table": {"border", "cellpadding", "cellspacing"},
    "td": {"bgcolor", "colspan", "headers", "nowrap", "rowspan"},
    "th": {"abbr", "bgcolor", "colspan", "headers", "nowrap", "rowspan", "scope"},
    "time": {"datetime"},
    "use": {"href", "xlink:href"},
}
_SVG_PAINT = {"clip-path", "fill", "stroke"}  # may name another element of the same drawing
_SVG_ATTRIBUTES = _SVG_PAINT | _words(
    """
    clip-rule color cx cy d dominant-baseline dx dy fill-opacity fill-rule font-family font-size font-style
    font-weight fx fy gradientTransform gradientUnits offset opacity points preserveAspectRatio r rx ry spreadMethod
    stop-color stop-opacity stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
    stroke-opacity stroke-width text-anchor transform viewBox x x1 x2 y y1 y2
    """
)
_ATTRIBUTES |= {tag: _SVG_ATTRIBUTES | _ATTRIBUTES.get(tag, frozenset()) for tag in _SVG_TAGS}
_SCHEMES = {"attachment", "data", "file", "http", "https", "mailto"}  # of images; those are embedded, or named
# Classes of the page itself: data that had them could look like a part of it.
_OUR_CLASSES = _words(
    """
    about again anchor badge banner bibliography choices choices-state csv facts figure-object finding-list finding-sure
    finding-text finding-value findings hero kicker layout lead left-out long margin-note meaning number page-head
    page-object parameters provenance setup skip table-fit table-object tag tex-error toc turn wide
    """
)
_LINKS = {"http", "https", "mailto"}
_IGNORED = re.compile(r"[\x00-\x20\x7f-\xa0]")  # by browsers, in the scheme of an address
_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]", flags=re.IGNORECASE)
_LOCAL_PAINT = re.compile(r"url\(\s*[\"']?#[\w.:-]+[\"']?\s*\)")

# What the reader of a page is told when it was in the notebook.
_LOUD_TAGS = _words(
    """
    script iframe frame object embed applet form button select textarea video audio source track link base template
    noscript canvas dialog foreignobject animate animatetransform animatemotion set image feimage filter
    """
)
_LOUD_ATTRIBUTES = {"action", "background", "formaction", "imagesrcset", "ping", "poster", "srcdoc", "srcset"}

# CSS: what dresses text, boxes in the flow and drawings; nothing that takes a box out of its place, or paints around it
# (position, transform, z-index, shadows, outlines).
_PROPERTIES = _words(
    """
    align-content align-items align-self background background-clip background-color background-image
    background-origin background-position background-repeat background-size box-sizing caption-side clear color
    column-gap content direction display empty-cells fill fill-opacity float font font-family font-feature-settings
    font-size font-stretch font-style font-variant font-variant-numeric font-weight gap grid grid-area
    grid-auto-columns grid-auto-flow grid-auto-rows grid-column grid-column-end grid-column-start grid-gap grid-row
    grid-row-end grid-row-start grid-template grid-template-areas grid-template-columns grid-template-rows height
    hyphens justify-content justify-items justify-self letter-spacing line-height list-style list-style-position
    list-style-type max-height max-width min-height min-width opacity order overflow overflow-wrap overflow-x
    overflow-y quotes row-gap stop-color stroke stroke-dasharray stroke-width tab-size table-layout text-align
    text-anchor text-decoration text-decoration-color text-decoration-line text-decoration-style text-indent
    text-overflow text-transform unicode-bidi vertical-align visibility white-space width word-break word-spacing
    word-wrap writing-mode
    """
)
_FAMILIES = ("border", "flex", "margin", "padding", "--")  # and what begins like that
_NOT_NEGATIVE = (
    "margin",
    "text-indent",
    "letter-spacing",
    "word-spacing",
    "line-height",
)  # or text lies over other text
_STRINGS = {"content", "font", "font-family", "grid-template-areas", "quotes", "text-overflow"}
_FUNCTIONS = _words(
    """
    calc clamp fit-content hsl hsla lab lch linear-gradient max min minmax oklab oklch radial-gradient repeat
    repeating-linear-gradient rgb rgba var
    """
)
_PSEUDO = _words(
    """
    first-child last-child nth-child nth-last-child nth-of-type nth-last-of-type not is where has lang
    """
)
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True)
class Fragment:
    """What became of a piece of HTML."""

    html: str
    left_out: tuple[str, ...] = ()
    not_embedded: tuple[str, ...] = ()


def printable(text: str, keep: str = "") -> str:
    r"""Return a text without control characters, and with U+FFFD for what UTF-8 cannot hold."""
    text = _UNPRINTABLE.sub(lambda found: found[0] if found[0] in keep else "", text)
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def clean_html(
    html: str, scope: str, embed: Callable[[str], str | None] = lambda address: None, formulas: bool = False
) -> Fragment:
    """Return a piece of HTML without all that runs, loads, or leaves its place in the page."""
    html = printable(html)
    source = _Source()
    with suppress(AssertionError):  # what Python's parser says to some malformed declarations
        source.feed(html)
        source.close()
    left_out = set(source.loud)
    sheets = [clean_stylesheet(css, f"#{scope}") for css in source.sheets]
    soup = BeautifulSoup(_cleaner(left_out, formulas).clean(html), "html.parser")
    _drop_repeats(soup)
    not_embedded = list(_embed_images(soup, embed))
    sheet = "\n".join(css for css, _ in sheets if css)
    for _, lost in sheets:
        left_out |= lost
    body = soup.decode()
    if sheet:
        body = f'<div id="{scope}"><style>{sheet}</style>{body}</div>'
    return Fragment(body, tuple(sorted(left_out)), tuple(not_embedded))


def clean_declarations(css: str) -> tuple[str, set[str]]:
    r"""Return the declarations of a ``style`` attribute that only dress what they stand at."""
    try:
        return _declarations(tinycss2.parse_blocks_contents(css, skip_comments=True, skip_whitespace=True))
    except RecursionError:  # brackets in brackets, thousands deep
        return "", set()


def clean_stylesheet(css: str, scope: str) -> tuple[str, set[str]]:
    """Return the rules of a style sheet that only dress what is inside an element."""
    try:
        return _rules(css, scope)
    except RecursionError:
        return "", set()


def _rules(css: str, scope: str) -> tuple[str, set[str]]:
    rules, lost = [], set()
    for rule in tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True):
        if rule.type == "at-rule" and _has_address([*rule.prelude, *(rule.content or ())]):
            lost.add("style: address")
        if rule.type != "qualified-rule":
            continue
        body, missing = _declarations(
            tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
        )
        lost |= missing
        selectors = _selectors(rule.prelude, scope)
        text = f"{selectors} {{{body}}}"
        if selectors and body and "<" not in text:
            rules.append(text)
    return "\n".join(rules), lost


class _Source(HTMLParser):
    """What is written in a piece of HTML: style sheets, and what a reader should hear of."""

    def __init__(self) -> None:
        super().__init__()
        self.loud: set[str] = set()
        self.sheets: list[str] = []
        self._in_sheet = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        if tag in _LOUD_TAGS:
            self.loud.add(f"<{tag}>")
        self.loud |= {f"{n}=" for n in names if n in _LOUD_ATTRIBUTES or re.fullmatch(r"on[a-z]{1,30}", n)}
        self._in_sheet = tag == "style"
        if self._in_sheet:
            # pandas puts one with "scoped" before its tables, which aligns everything to the right
            self.sheets.append("")
            self._in_sheet = "scoped" not in names

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag: str) -> None:
        self._in_sheet = False

    def handle_data(self, data: str) -> None:
        if self._in_sheet:
            self.sheets[-1] += data


def _cleaner(left_out: set[str], formulas: bool) -> nh3.Cleaner:
    attributes = {**_ATTRIBUTES, "span": {FORMULA}} if formulas else _ATTRIBUTES

    def check(tag: str, name: str, value: str) -> str | None:
        if name == "style":
            kept, lost = clean_declarations(value)
            left_out.update(lost)
            return kept or None
        if name == "class":
            words = (word for word in value.split() if word not in _OUR_CLASSES and not word.startswith("jp-"))
            return " ".join(words) or None
        if name in ("href", "xlink:href"):
            if tag == "use":
                return value if re.fullmatch(r"#[\w.:-]+", value) else None
            scheme = re.match(r"[a-z][a-z0-9+.-]*(?=:)", _IGNORED.sub("", value).casefold())
            return value if scheme is None or scheme[0] in _LINKS else None
        if tag == "input" and name == "type":
            return value if value.casefold() == "checkbox" else None
        if tag in _SVG_TAGS and name in _SVG_PAINT and _LOCAL_PAINT.fullmatch(value.strip()):
            return value
        return None if tag in _SVG_TAGS and _could_load(value) else value

    return nh3.Cleaner(
        tags=_HTML_TAGS | _SVG_TAGS,
        clean_content_tags=_DROPPED_WHOLE,
        attributes=attributes,
        attribute_filter=check,
        generic_attribute_prefixes={"aria-"},
        url_schemes=_SCHEMES,
        link_rel="noreferrer",
    )


def _could_load(value: str) -> bool:
    """Whether a presentation attribute of SVG holds more than words and numbers; browsers read it as CSS."""
    return bool(
        re.search(
            r"[\\:;@{}]|\(\s*[\"']|(?:url|src|image|image-set|cross-fade|element|paint)\s*\(", value, re.IGNORECASE
        )
    )


def _drop_repeats(soup: BeautifulSoup) -> None:
    """Take out fields to fill in, and references in what may be referred to: a few of these draw a billion shapes."""
    for field in soup.select('input:not([type="checkbox" i])'):
        field.decompose()
    for use in soup.find_all("use"):
        if any(parent.get("id") and parent.name not in _HTML_TAGS for parent in use.parents):
            use.decompose()


def _embed_images(soup: BeautifulSoup, embed: Callable[[str], str | None]) -> Iterable[str]:
    for image in soup.find_all("img"):
        address = str(image.get("src") or "")
        if not address:
            image.decompose()
            continue
        found = address if _IMAGE.match(address) else embed(address)
        if found is not None:
            image["src"] = found
            continue
        image.replace_with(_as_code(address))
        yield address


def _as_code(text: str) -> Tag:
    element = BeautifulSoup("", "html.parser").new_tag("code", attrs={"class": "tex-error"})
    element.string = text
    return element


def _declarations(nodes: Iterable[Any]) -> tuple[str, set[str]]:
    kept, lost = [], set()
    for node in nodes:
        if node.type != "declaration":
            continue
        name = node.lower_name
        if _has_address(node.value):
            lost.add("style: address")
        elif (name in _PROPERTIES or name.startswith(_FAMILIES)) and _is_plain(node.value, name):
            value = tinycss2.serialize(node.value).strip()
            text = f"{tinycss2.serialize([node]).split(':', 1)[0]}:{value}{' !important' if node.important else ''}"
            if value and "<" not in text:
                kept.append(text)
    return ";".join(kept), lost


def _is_plain(tokens: Iterable[Any], name: str) -> bool:
    """Whether a value is made of words, numbers, colours and the functions that only reckon with them."""
    for token in tokens:
        if token.type in ("number", "dimension", "percentage"):
            if name == "text-decoration" or (token.value < 0 and name.startswith(_NOT_NEGATIVE)):
                return False  # a line may be thicker than a page
        elif token.type == "function":
            if (
                token.lower_name not in _FUNCTIONS
                or name.startswith(_NOT_NEGATIVE)
                or not _is_plain(token.arguments, name)
            ):
                return False
        elif token.type in ("() block", "[] block"):
            if not _is_plain(token.content, name):
                return False
        elif token.type == "string":
            if name not in _STRINGS:
                return False
        elif token.type == "literal":
            if token.value not in (",", "/", "*", "+", "-"):
                return False
        elif token.type not in ("ident", "hash", "whitespace", "comment") or (
            name.startswith("overflow") and token.type == "ident" and token.lower_value == "visible"
        ):
            return False
    return True


def _has_address(tokens: Iterable[Any]) -> bool:
    for token in tokens:
        if token.type == "url" or (
            token.type == "function" and token.lower_name in ("url", "src", "image-set", "-webkit-image-set", "image")
        ):
            return True
        inner = getattr(token, "arguments", None) or getattr(token, "content", None)
        if inner and _has_address(inner):
            return True
    return False


def _selectors(prelude: list[Any], scope: str) -> str:
    """Return selectors for the same elements inside ``scope``; those that could reach outside are left out."""
    parts: list[list[Any]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    kept = []
    for part in parts:
        text = tinycss2.serialize(part).strip()
        if not text or not _is_selector(part) or text[0] in "+~>":
            continue
        root = re.match(r"(?:(?:html|body|:root)(?![\w-])\s*)+", text, flags=re.IGNORECASE)
        rest = text[root.end() :] if root else text
        if not rest:
            kept.append(scope)
        elif rest[0] not in "+~" and not (root and rest[0] in ".#[:"):
            kept.append(f"{scope} {rest}")
    return ", ".join(kept)


def _is_selector(tokens: Iterable[Any]) -> bool:
    for token in tokens:
        if token.type == "function":
            if token.lower_name not in _PSEUDO or not _is_selector(token.arguments):
                return False
        elif token.type == "[] block":
            if not all(t.type in ("ident", "string", "literal", "whitespace") for t in token.content):
                return False
        elif token.type == "literal":
            if token.value not in (".", ":", ">", "+", "~", "*", ",", "-"):
                return False
        elif token.type not in ("ident", "hash", "whitespace", "comment", "number", "dimension"):
            return False
    return True
