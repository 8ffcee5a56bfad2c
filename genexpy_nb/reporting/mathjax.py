"""Formulas as inline SVG: MathJax runs in V8 while a report is built, so the page itself needs no script."""

from __future__ import annotations

import html
import json
from importlib import metadata
from pathlib import Path
from typing import Self

from py_mini_racer import MiniRacer

from genexpy_nb.common.errors import GenexpyError

__all__ = ["TexError", "Typesetter"]

COMPONENTS = ["core", "adaptors/liteDOM", "input/tex-full", "output/svg", "output/svg/fonts/tex"]

# MathJax asks its host for a console, timers and a module loader; V8 alone has none of them.
# fontCache 'none' keeps ids out of the SVG; without noundefined and noerrors, bad TeX is an error.
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
  tex: {packages: {'[-]': ['noundefined', 'noerrors', 'require', 'autoload']}},
};
"""
FUNCTIONS = """
function typeset(tex, display) {
  const node = MathJax.tex2svg(tex, {display: display, em: 16, ex: 8, containerWidth: 960});
  return MathJax.startup.adaptor.outerHTML(node);
}
function stylesheet() { return MathJax.startup.adaptor.textContent(MathJax.svgStylesheet()); }
"""


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
    r"""One MathJax in one V8 context: macros defined in a formula hold for the formulas after it.

    Used in a ``with`` statement: V8 has threads that would otherwise outlive an exception and keep Python from ending.

    Examples
    --------
    >>> with Typesetter() as typesetter:
    ...     svg = typesetter.svg(r"n^* \le 3", display=False)
    >>> svg.startswith("<mjx-container"), r'aria-label="n^* \le 3"' in svg
    (True, True)
    >>> with Typesetter() as typesetter:
    ...     typesetter.svg(r"n \lle 3", display=True)
    Traceback (most recent call last):
    genexpy_nb.reporting.mathjax.TexError: formula 'n \\lle 3': Undefined control sequence \lle
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
        """Return a formula as an ``<mjx-container>`` whose SVG carries the TeX as its label.

        Parameters
        ----------
        tex : str
            The formula without its delimiters.
        display : bool
            On a line of its own (True) or in running text (False).

        Returns
        -------
        str
            HTML without ids and without script.

        Raises
        ------
        TexError
            If MathJax cannot read the formula; the message names it.
        """
        markup = str(self._v8.call("typeset", tex, display))
        if 'data-mjx-error="' in markup:
            reason = markup.split('data-mjx-error="', 1)[1].split('"', 1)[0]
            raise TexError(f"formula {tex.strip()!r}: {html.unescape(reason)}")
        label = html.escape(" ".join(tex.split()))
        return markup.replace("<svg ", f'<svg aria-label="{label}" ', 1)

    def stylesheet(self) -> str:
        """Return the CSS that all formulas of one page share."""
        return str(self._v8.call("stylesheet"))
