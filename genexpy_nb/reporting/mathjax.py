"""Formulas as inline SVG: MathJax runs in V8 while a report is built, so the page itself needs no script."""

from __future__ import annotations

import html
import json
import re
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Self
from xml.etree import ElementTree

from py_mini_racer import JSEvalException, MiniRacer

from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.reporting.sanitizing import clean_declarations

COMPONENTS = ["core", "adaptors/liteDOM", "input/tex-full", "output/svg", "output/svg/fonts/tex"]

# MathJax asks its host for a console, timers and a module loader; V8 alone has none of them.
# fontCache 'none' keeps ids out of the SVG; without noundefined and noerrors, bad TeX is an error. Without the packages
# in the second line no command sets links, styles or tips.
CONFIGURE = """
var self = globalThis, global = globalThis, window = undefined;
var console = {log() {}, warn() {}, error() {}, info() {}};
var setTimeout = (f, ms, ...args) => { Promise.resolve().then(() => f(...args)); return 0; };
var clearTimeout = () => {};
var MathJax = {
  loader: {paths: {mathjax: '/mj'}, load: ['adaptors/liteDOM', 'input/tex-full', 'output/svg'],
           require: f => (0, eval)(SOURCES[f.replace('/mj/', '').replace(/\\.js$/, '')])},
  startup: {typeset: false},
  svg: {fontCache: 'none'},
  tex: {packages: {'[-]': ['noundefined', 'noerrors', 'require', 'autoload',
                           'html', 'bbox', 'unicode', 'action', 'setoptions']}},
};
"""
# A new TeX parser for each formula: what one defines holds for no other. Only labels are passed on, for \\eqref.
FUNCTIONS = """
MathJax._.input.tex.MapHandler.MapHandler.getMap('macros').map.delete('mmlToken');  // it takes any attribute
function typeset(tex, display) {
  const before = MathJax.startup.document.inputJax[0].parseOptions.tags;
  MathJax.startup.getComponents();
  const tags = MathJax.startup.document.inputJax[0].parseOptions.tags;
  for (const name of ['allLabels', 'allIds', 'allCounter']) tags[name] = before[name];
  const node = MathJax.tex2svg(tex, {display: display, em: 16, ex: 8, containerWidth: 960});
  return MathJax.startup.adaptor.outerHTML(node);
}
function stylesheet() { return MathJax.startup.adaptor.textContent(MathJax.svgStylesheet()); }
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TAGS = _words(
    """
    mjx-container svg g path rect line polygon polyline ellipse circle text a
    """
)
_ATTRIBUTES = _words(
    """
    class jax display justify width height x y x1 x2 y1 y2 cx cy r rx ry d points viewBox preserveAspectRatio
    transform fill stroke style stroke-width stroke-dasharray stroke-linecap stroke-linejoin stroke-thickness
    opacity font-size font-family font-style font-weight text-anchor pointer-events role focusable aria-label
    aria-hidden href id xmlns
    """
)
_PAINT = re.compile(r"[#\w.,% ()+-]*")


class TexError(GenexpyError):
    """A formula is not valid TeX."""


def _component_files() -> dict[str, Path]:
    """Where MathJax's files are, by name without ``.js``."""
    found = {}
    for file in metadata.files("sphinx-mathjax-offline") or []:
        _, is_mathjax, name = file.as_posix().partition("/mathjax/")
        if is_mathjax and name.endswith(".js"):
            found[name.removesuffix(".js")] = Path(str(file.locate()))
    return found


class Typesetter:
    r"""One MathJax in one V8 context: what a formula defines holds for it alone; labels hold for the formulas
    after it.
    """

    def __init__(self) -> None:
        files = _component_files()
        sources = {name: files[name].read_text(encoding="utf-8") for name in COMPONENTS}
        self._v8 = MiniRacer()
        self._v8.eval(f"var SOURCES = {json.dumps(sources)};{CONFIGURE}")
        self._v8.eval(files["startup"].read_text(encoding="utf-8"))
        for _ in range(1000):  # each evaluation lets V8 resolve the promises of MathJax's start-up
            if self._v8.eval("typeof MathJax.tex2svg === 'function'"):
                break
        self._v8.eval(FUNCTIONS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._v8.close()

    def svg(self, tex: str, display: bool) -> str:
        """Return a formula as an ``<mjx-container>`` whose SVG carries the TeX as its label."""
        try:
            markup = str(self._v8.call("typeset", tex, display))
        except JSEvalException as error:
            raise TexError(f"formula {tex.strip()!r}: MathJax cannot set it") from error
        if 'data-mjx-error="' in markup:
            reason = markup.split('data-mjx-error="', 1)[1].split('"', 1)[0]
            raise TexError(f"formula {tex.strip()!r}: {html.unescape(reason)}")
        if what := _not_allowed(markup):
            raise TexError(f"formula {tex.strip()!r}: it sets {what}, which a page may not have")
        label = html.escape(" ".join(tex.split()))
        return markup.replace("<svg ", f'<svg aria-label="{label}" ', 1)

    def stylesheet(self) -> str:
        """Return the CSS that all formulas of one page share."""
        return str(self._v8.call("stylesheet"))


def _not_allowed(markup: str) -> str:
    """Name the first element or attribute in what MathJax wrote that is more than a drawing; empty if there is none."""
    with suppress(ElementTree.ParseError):
        for element in ElementTree.fromstring(markup).iter():
            tag = element.tag.rsplit("}", 1)[-1]
            if tag not in _TAGS:
                return f"<{tag}>"
            for name, value in element.attrib.items():
                if not _is_drawing(name, value):
                    return f'{name}="{value}"'
        return ""
    return "no SVG"


def _is_drawing(name: str, value: str) -> bool:
    if name == "href":
        return value.startswith("#mjx-")  # to an equation with a number
    if name == "id":
        return value.startswith("mjx-")
    if name == "style":
        kept, _ = clean_declarations(value)
        return kept.count(":") == value.count(":")
    if name in ("fill", "stroke"):
        return bool(_PAINT.fullmatch(value)) and "url" not in value.casefold()
    return name in _ATTRIBUTES or name.startswith("data-")
