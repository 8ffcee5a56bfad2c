"""What a notebook brings, made inert: HTML that runs and loads nothing and stays in its place, formulas as MathML.

nh3 (the ammonia library) parses as browsers do and keeps what is named here. Style sheets, drawings and formulas in the
HTML of an output are left out; a drawing is an output of its own, of which `drawing` keeps what draws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

import nh3
from bs4 import BeautifulSoup
from latex2mathml.converter import Converter
from pygments.token import STANDARD_TYPES

from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.common.prose import visible

FORMULA = "data-formula"  # marks where a formula of a markdown cell comes; data cannot have it

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def printable(text: str, keep: str = "") -> str:
    r"""Return a text without control characters, what is unseen as its number, what UTF-8 cannot hold as U+FFFD."""
    text = _UNPRINTABLE.sub(lambda found: found[0] if found[0] in keep else "", text)
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", visible(text))


def _words(text: str) -> set[str]:
    return set(text.split())


# --- HTML -------------------------------------------------------------------------------------------------------------

_TAGS = _words(
    """
    a abbr b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em
    figcaption figure font h1 h2 h3 h4 h5 h6 hr i img input ins kbd label li mark meter ol p pre progress q rp rt
    ruby s samp small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr
    """
)
# What is inside these is no text for a reader.
_DROPPED_WHOLE = _words(
    """
    script style iframe noscript noembed noframes template title svg math object applet textarea select xmp
    """
)
_ATTRIBUTES = {
    "*": {"align", "dir", "lang", "style", "title", "valign"},
    "a": {"href"},
    "col": {"span", "width"},
    "colgroup": {"span"},
    "details": {"open"},
    "font": {"color", "size"},
    "img": {"alt", "height", "src", "width"},
    "input": {"checked"},
    "li": {"value"},
    "meter": {"high", "low", "max", "min", "optimum", "value"},
    "ol": {"reversed", "start", "type"},
    "progress": {"max", "value"},
    "td": {"bgcolor", "colspan", "rowspan", "width"},
    "th": {"abbr", "bgcolor", "colspan", "rowspan", "scope", "width"},
    "time": {"datetime"},
}
# Other classes are the page's own, and an output that had them could look like a part of it.
_CLASSES = {"table": {"dataframe"}, "div": {"highlight"}, "span": {name for name in STANDARD_TYPES.values() if name}}
# What dresses text and cells; nothing that has an address, leaves its place, or reaches beyond its box.
_PROPERTIES = _words(
    """
    background-color border border-bottom border-collapse border-color border-left border-right border-style
    border-top border-width color display font-family font-size font-style font-variant font-weight hyphens
    list-style-type overflow-wrap padding padding-bottom padding-left padding-right padding-top text-align
    text-decoration-line text-transform vertical-align white-space word-break
    """
)
_SCHEMES = {"attachment", "data", "file", "http", "https", "mailto"}  # of images, too: those are embedded, or named
_NO_LINK = re.compile(r"(?:attachment|data|file):", re.IGNORECASE)
_IGNORED = re.compile(r"[\x00-\x20\x7f-\xa0]")  # by browsers, in the scheme of an address
_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]", re.IGNORECASE)
_LOUD = re.compile(r"on[a-z]{1,30}|action|background|formaction|imagesrcset|ping|poster|srcdoc|srcset")
_SILENT = {"html", "head", "body", "meta"}  # around a whole document


@dataclass(frozen=True)
class Fragment:
    """What became of a piece of HTML."""

    html: str
    left_out: tuple[str, ...] = ()
    not_embedded: tuple[str, ...] = ()


class _Source(HTMLParser):
    """What is written in a piece of HTML and will not be on the page."""

    def __init__(self) -> None:
        super().__init__()
        self.lost: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        if tag not in _TAGS | _SILENT and re.fullmatch(r"[a-z][a-z0-9-]{0,30}", tag) and "scoped" not in names:
            self.lost.add(f"<{tag}>")  # pandas puts a scoped style sheet before each of its tables
        self.lost |= {f"{name}=" for name in names if _LOUD.fullmatch(name)}
        if any(name == "style" and "url(" in (value or "").casefold() for name, value in attrs):
            self.lost.add("style: address")

    handle_startendtag = handle_starttag


def clean_html(
    html: str, embed: Callable[[str], str | None] = lambda address: None, formulas: bool = False
) -> Fragment:
    """Return a piece of HTML without all that runs, loads, or leaves its place in the page."""
    html = printable(html)
    source = _Source()
    with suppress(AssertionError):  # what Python's parser says to some malformed declarations
        source.feed(html)
        source.close()
    html = _cleaner(formulas).clean(html)
    not_embedded: list[str] = []
    if "<img" in html:
        soup = BeautifulSoup(html, "html.parser")
        not_embedded += _embed_images(soup, embed)
        html = soup.decode()
    return Fragment(html, tuple(sorted(source.lost)), tuple(not_embedded))


@cache
def _cleaner(formulas: bool) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=_TAGS,
        clean_content_tags=_DROPPED_WHOLE,
        attributes={**_ATTRIBUTES, "span": {FORMULA}} if formulas else _ATTRIBUTES,
        attribute_filter=lambda tag, name, value: (
            None if name == "href" and _NO_LINK.match(_IGNORED.sub("", value)) else value
        ),
        set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
        allowed_classes=_CLASSES,
        filter_style_properties=_PROPERTIES,
        url_schemes=_SCHEMES,
        link_rel="noreferrer",
    )


def _embed_images(soup: BeautifulSoup, embed: Callable[[str], str | None]) -> Iterator[str]:
    for image in soup.find_all("img"):
        address = str(image.get("src") or "")
        if not address:
            image.decompose()
            continue
        found = address if _IMAGE.match(address) else embed(address)
        if found is not None:
            image["src"] = found
            continue
        code = soup.new_tag("code", attrs={"class": "tex-error"})
        code.string = address
        image.replace_with(code)
        yield address


# --- drawings ---------------------------------------------------------------------------------------------------------

_SVG = "{http://www.w3.org/2000/svg}"
_DRAWS = _words("circle clipPath defs ellipse g image line path pattern polygon polyline rect text tspan use")
_PLACES = _words("cx cy d height patternUnits points r rx ry transform viewBox width x x1 x2 y y1 y2")
_DRAWN_WITH = _words(
    """
    clip-path fill fill-opacity fill-rule font-size font-style font-weight image-rendering opacity stroke
    stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-opacity stroke-width text-anchor
    """
)
_SIMPLE = re.compile(r"(?!.*url)[\w .,%()+-]*", re.IGNORECASE)  # refers to nothing
_REFERENCE = re.compile(r"(url\(|)#([\w.-]+)(\)?)")
_HEX, _PIXELS = re.compile(r"#[0-9a-f]{6}"), re.compile(r"data:image/png;base64,[\w+/=\s]*")
_VARIABLE = re.compile(r"var\(--c-([0-9a-f]{6}),")
_PAGE = {"#ffffff": "var(--paper)", "#000000": "currentcolor", "#1b1f24": "currentcolor"}
_PIXELS_A_POINT = 1.6  # where there is room: letters of figures are then nearly as large as those of the text
_DARK_PAPER = 0.0085  # its luminance; white has 1
_TURNS = dict.fromkeys(range(0x2066, 0x206A))  # of direction: beside names that need them in what matplotlib draws


def drawing(svg: str, name: str, alt: str) -> str | None:
    """Return a drawing for the text of a page, with a name before its ids; None if it is none that can be read.

    Its colours are variables, see `dark_colours`, unless it has pixels in it: those stay as they are.
    """
    try:
        root = ElementTree.fromstring(svg.translate(_TURNS))
        made = ElementTree.Element("svg", {"viewBox": root.get("viewBox", ""), "role": "img", "aria-label": alt})
        pixels = root.find(f".//{_SVG}image") is not None
        made.extend(inner for child in root for inner in _drawn(child, name, pixels))
    except (ElementTree.ParseError, ValueError, RecursionError):
        return None
    box = re.fullmatch(r"0 0 ([\d.]+) ([\d.]+)", made.attrib["viewBox"])
    if root.tag != f"{_SVG}svg" or box is None:
        return None
    made.attrib |= {
        side: f"{float(points) * _PIXELS_A_POINT:.0f}"
        for side, points in zip(("width", "height"), box.groups(), strict=True)
    }
    made.set("class", "pixels" if pixels else "inked")
    return ElementTree.tostring(made, encoding="unicode")


def _drawn(element: ElementTree.Element, name: str, pixels: bool) -> Iterator[ElementTree.Element]:
    tag = str(element.tag).removeprefix(_SVG)
    if tag not in _DRAWS:
        return
    made = ElementTree.Element(tag, dict(_attributes(element, tag, name, pixels)))
    made.extend(inner for child in element for inner in _drawn(child, name, pixels))
    made.text = element.text if tag in ("text", "tspan") else None
    yield from made if tag == "g" and not made.attrib else (made,)


def _attributes(element: ElementTree.Element, tag: str, name: str, pixels: bool) -> Iterator[tuple[str, str]]:
    """What places and dresses an element, with values that refer to nothing outside of the drawing."""
    for key, value in element.attrib.items():
        key, value = key.rpartition("}")[2], " ".join(value.split())
        refers = _REFERENCE.fullmatch(value)
        places = key in _PLACES and _SIMPLE.fullmatch(value)
        if places or (key == "href" and tag == "image" and _PIXELS.fullmatch(value)):
            yield key, value
        elif key == "id" and tag in ("clipPath", "path", "pattern"):
            yield key, name + value
        elif refers and (key == "clip-path" or (key == "href" and tag == "use")):
            yield key, f"{refers[1]}#{name}{refers[2]}{refers[3]}"
        elif key in ("style", "fill"):  # the second is how matplotlib paints below a hatch
            yield "style", ";".join(_declarations(value if key == "style" else f"fill:{value}", name, pixels))


def _declarations(style: str, name: str, pixels: bool) -> Iterator[str]:
    for what, value in (each.split(":", 1) for each in style.split(";") if ":" in each):
        what, value = what.strip(), value.strip()
        if what not in _DRAWN_WITH:
            continue
        if _HEX.fullmatch(value):
            yield f"{what}:{value if pixels else _PAGE.get(value, f'var(--c-{value[1:]},{value})')}"
        elif refers := _REFERENCE.fullmatch(value):
            yield f"{what}:url(#{name}{refers[2]})"
        elif _SIMPLE.fullmatch(value):
            yield f"{what}:{value}"


def dark_colours(html: str) -> str:
    """Return rules for the drawings of a page: what their colours are on dark paper, each as strong as on white."""
    rules = ";".join(f"--c-{colour}:{_in_the_dark(colour)}" for colour in sorted(set(_VARIABLE.findall(html))))
    return f"@media screen and (prefers-color-scheme: dark){{:root{{{rules}}}}}"


def _in_the_dark(colour: str) -> str:
    """The colour that has the contrast to dark paper that this one has to white (WCAG), of the same hue."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    wanted = min(1.05 * (_DARK_PAPER + 0.05) / (_luminance(linear) + 0.05) - 0.05, 1.0)
    linear = [part * wanted / (_luminance(linear) or 1) for part in linear]
    if (most := max(linear)) > 1:  # no colour is stronger: white is added
        linear = [part / most for part in linear]
        share = (wanted - _luminance(linear)) / (1 - _luminance(linear))
        linear = [part + share * (1 - part) for part in linear]
    parts = [12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055 for part in linear]
    return "#" + "".join(f"{round(255 * min(max(part, 0), 1)):02x}" for part in parts)


def _luminance(linear: Sequence[float]) -> float:
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# --- formulas ---------------------------------------------------------------------------------------------------------


class TexError(GenexpyError):
    """A formula is not TeX that a page can show."""


# No links, classes, styles, colours or shifts; lengths up to ten.
_ELEMENTS = _words(
    """
    math mfrac mi mn mo mover mphantom mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder
    munderover
    """
)
_MATH_ATTRIBUTES = _words(
    """
    accent columnlines columnspacing depth display displaystyle fence form largeop linethickness lspace mathvariant
    maxsize minsize movablelimits rowlines rowspacing rspace scriptlevel stretchy width xmlns
    """
)
_PLAIN = re.compile(r"[a-z -]*|-?\d?(?:\.\d+)?(?:em|ex|px|pt)?(?: \d?(?:\.\d+)?em)*|http://www.w3.org/1998/Math/MathML")
# Commands that define another one, and names of operators with commands in them: the converter misreads these.
_MISREAD = re.compile(
    r"\\(?:re)?(?:new|provide)\w+|\\[egx]?def\b|\\let\b|\\DeclareMathOperator|\\operatorname\*?\s*\{[^}]*\\"
)
_SIGNS = {r"\{": "{", r"\}": "}", r"\|": "‖", "-": "−", "*": "∗", "~": "∼", "\u223c": "∼"}
_NAME = re.compile(r"[A-Za-z][A-Za-z\u2006\u2009]+")
_ABOVE_LIMITS = {"Pr", "inf", "lim", "max", "min", "sup"}  # these have what they are taken over below them
_NARROW = 15  # em: wider formulas are set smaller where there is no room
_CLOSING = {")", "]", "}", "|", "‖", "⟩"}
_SPACES = {("|", "‖", "/"): "0", (":", "∼"): "0.278em"}  # around signs, where TeX sets them otherwise


def mathml(tex: str, display: bool) -> str:
    """Return a formula as ``<math>`` that carries its TeX as text for those who cannot see it."""
    said = " ".join(tex.split())
    try:
        if found := _MISREAD.search(tex):
            raise TexError(f"formula {said!r}: pages do not know {found[0]}")
        math = Converter(display="block" if display else "inline").convert_to_element(tex.strip())
    except TexError:
        raise
    except Exception as error:  # each of its own kind; a few have no text
        reason = re.sub(r"(?<=[a-z])(?=[A-Z])|Error$", " ", type(error).__name__).strip().lower()
        raise TexError(f"formula {said!r}: {str(error) or reason}") from None
    for element in math.iter():
        _mend(element, said)
    for row in math.iter():
        _space_names(row)
    del math.attrib["xmlns"]
    math.set("alttext", said)
    if (width := 1.12 * _width(math)) > _NARROW:
        math.set("style", f"--w: {width:.0f}")
    return printable(ElementTree.tostring(math, encoding="unicode"))


def _mend(element: ElementTree.Element, said: str) -> None:
    """Write signs as they are set in print; refuse what is more than a drawing, or was not understood."""
    text = unescape(element.text or "")
    element.text = text = _SIGNS.get(text, text)
    if ("\\" in text or text == "&") and element.tag != "mtext":
        raise TexError(f"formula {said!r}: undefined control sequence {text}")
    if element.tag == "mpadded" and "mathbackground" not in element.attrib:  # around what stands over an arrow
        element.tag, element.attrib = "mrow", {}
    if element.tag not in _ELEMENTS:
        raise TexError(f"formula {said!r}: it sets <{element.tag}>, which a page may not have")
    align = element.attrib.pop("columnalign", "")
    for name, value in element.attrib.items():
        if name == "mathvariant" and value != "normal" and text < "\u2100":
            raise TexError(f"formula {said!r}: browsers do not set {text!r} {value}")
        if name not in _MATH_ATTRIBUTES or not _PLAIN.fullmatch(value):
            raise TexError(f'formula {said!r}: it sets {name}="{value}", which a page may not have')
    if align in ("left", "right"):
        element.set("style", f"text-align:{align}")
    if element.tag == "mi" and text in (":", "∼", "±"):
        element.tag = "mo"
    if element.tag == "mi" and len(text) == 1 and "Α" <= text <= "Ω":
        element.set("mathvariant", "normal")  # TeX sets Greek capitals upright
    if element.tag == "mo":
        space = next((space for signs, space in _SPACES.items() if text in signs), None)
        if _NAME.fullmatch(text) or space:
            element.attrib |= dict.fromkeys(("lspace", "rspace"), space or "0")
    if element.tag == "msub" and unescape(element[0].text or "") in _ABOVE_LIMITS:
        element.tag = "munder"
        element[0].tag, element[0].attrib = "mo", {"movablelimits": "true"}
    if element.tag in ("msup", "msub", "msubsup") and "minsize" in element[0].attrib:
        bracket = ElementTree.Element("mrow")  # or it would not be as large as the other one of the pair
        bracket.append(element[0])
        element[0] = bracket


def _space_names(row: ElementTree.Element) -> None:
    """Part a function's name from what stands beside it, where no sign does; put a minus beside what it negates."""
    if row.tag not in ("math", "mrow", "mstyle", "mtd", "msqrt"):
        return
    for place in range(len(row) - 1, 0, -1):
        before, after = row[place - 1], row[place]
        operator = before.tag == "mo" and (before.text or "") not in _CLOSING and not _is_name(before)
        if operator and after.tag == "mo" and after.text in ("−", "+"):
            after.attrib |= {"lspace": "0", "rspace": "0"}
        starts = _is_name(after) and not operator and before.tag != "mspace"
        sign = after.tag in ("mo", "mspace") and after.text not in ("|", "‖")
        if starts or (_is_name(before) and not _is_name(after) and not sign):
            row.insert(place, ElementTree.Element("mspace", {"width": "0.167em"}))


def _is_name(element: ElementTree.Element) -> bool:
    inner = element[0] if element.tag.startswith(("msu", "mun")) and len(element) else element
    return inner.tag in ("mi", "mo") and bool(_NAME.fullmatch(inner.text or ""))


def _width(element: ElementTree.Element) -> float:
    """About how many em wide an element is, rather too much than too little."""
    widths, text = [_width(each) for each in element], element.text or ""
    match element.tag:
        case "mspace":
            return float(re.sub(r"[^\d.-]", "", element.get("width", "")) or 0)
        case "mo" if "lspace" not in element.attrib and text not in "()[]{}⟨⟩":
            return 0.55 * len(text) + (0.2 if text in (",", ".") else 0.6)
        case "mfrac" | "munder" | "mover" | "munderover" | "mtable":
            return max(widths, default=0.0) + 0.2
        case "msub" | "msup" | "msubsup":
            return widths[0] + 0.8 * max(widths[1:])
        case "mtr":
            return sum(widths) + len(widths)
        case "msqrt":
            return sum(widths) + 0.9
        case _:
            return sum(widths) + 0.6 * len(text)
