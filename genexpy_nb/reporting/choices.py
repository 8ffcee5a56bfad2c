"""Figures with controls on a page: radio buttons that switch between drawings, without a script.

A browser of 2024 or later is enough (``:has``); an older one shows the state at the start. Print shows a few states
beside each other instead of the controls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

from genexpy_nb.common.choices import MOST_CONTROLS, MOST_LEVELS, MOST_STATES, printed_states, state_name
from genexpy_nb.common.errors import DataError
from genexpy_nb.reporting.sanitizing import clean_html, printable

_SHEET = Path(__file__).parent / "templates" / "report" / "choices.css"


def choices_css() -> str:
    """Return the style sheet of all figures with controls, to be put into a page once."""
    rules = [
        f".choices:has(.c{control}-{level}:checked) .choices-state:not(.c{control}-{level})"
        for control, level in product(range(MOST_CONTROLS), range(MOST_LEVELS))
    ]
    switch = ",\n".join(rules)
    switched = f"@media screen {{\n@supports selector(:has(*)) {{\n{switch} {{ display: none; }}\n}}\n}}\n"
    return _SHEET.read_text(encoding="utf-8") + switched


def choices_html(said: Mapping[str, Any], prefix: str) -> str:
    """Return a figure with controls, without number and caption."""
    controls, states, start = _checked(said)
    lengths = [len(levels) for _, levels in controls]
    printed = set(printed_states(lengths, start))
    lost: set[str] = set()
    parts = [f'<div class="choices" id="{escape(prefix)}" role="group" aria-label="{_escaped(said["alt"])}">']
    parts += ['<div class="choices-controls">', *_controls(controls, start, prefix), "</div>"]
    many = " choices-many" * (len(printed) > 6)
    parts.append(f'<div class="choices-states{many}" aria-live="polite">')
    for number, (at, (svg, text)) in enumerate(zip(product(*map(range, lengths)), states, strict=True)):
        words = [f"c{control}-{level}" for control, level in enumerate(at)]
        words += ["choices-start"] * (at == tuple(start)) + ["choices-printed"] * (at in printed)
        name = state_name(controls, at)
        drawing, left_out = _inert(svg, f"{prefix}-{number}", name)
        lost |= left_out
        heading = f'<p class="choices-name">{_escaped(name)}</p>' if at in printed else ""
        said_of_it = f'<p class="choices-text">{_escaped(text)}</p>'
        parts.append(f'<div class="choices-state {" ".join(words)}">{heading}{drawing}{said_of_it}</div>')
    parts.append("</div>")
    if lost:
        note = f"Left out, because a page runs and loads nothing: {', '.join(sorted(lost))}"
        parts.append(f'<p class="left-out">{_escaped(note)}</p>')
    return "\n".join([*parts, "</div>"])


def _controls(controls: Sequence[Sequence[Any]], start: Sequence[int], prefix: str) -> Iterator[str]:
    for control, ((label, levels), at) in enumerate(zip(controls, start, strict=True)):
        if len(levels) < 2:
            continue
        yield f"<fieldset><legend>{_escaped(label)}</legend>"
        for level, text in enumerate(levels):
            checked = 'checked="" ' if level == at else ""
            box = f'<input {checked}class="c{control}-{level}" name="{escape(prefix)}-{control}" type="radio"/>'
            yield f"<label>{box}<span>{_escaped(text)}</span></label>"
        yield "</fieldset>"


def _inert(svg: str, scope: str, name: str) -> tuple[str, set[str]]:
    """Return the drawing alone, of what is left of it, and what a reader should know is missing."""
    fragment = clean_html(svg, scope)
    drawing = BeautifulSoup(fragment.html, "html.parser").find("svg")
    if drawing is None:
        return "", {*fragment.left_out, "a state that is no drawing"}
    for element in drawing.find_all(id=True):  # of a hundred states, only one may have an id
        del element["id"]
    drawing.attrs |= {"role": "img", "aria-label": printable(name)}
    return str(drawing), set(fragment.left_out)


def _escaped(text: str) -> str:
    return escape(printable(text))


def _checked(said: Mapping[str, Any]) -> tuple[list[Sequence[Any]], list[Sequence[str]], list[int]]:
    """Return controls, states and start, if they fit together."""
    controls, states, start = (said.get(name) for name in ("controls", "states", "start"))
    if not (
        isinstance(controls, list)
        and 1 <= len(controls) <= MOST_CONTROLS
        and all(isinstance(control, list) and len(control) == 2 for control in controls)
        and all(isinstance(label, str) and _texts(levels) for label, levels in controls)
        and all(1 <= len(levels) <= MOST_LEVELS for _, levels in controls)
    ):
        raise DataError(f"a figure with controls: controls must be one to {MOST_CONTROLS} pairs of label and levels")
    lengths = [len(levels) for _, levels in controls]
    n_states = min(prod(lengths), MOST_STATES + 1)
    if not (isinstance(states, list) and len(states) == n_states and all(_texts(s) and len(s) == 2 for s in states)):
        raise DataError(
            f"a figure with controls: states must be {n_states} pairs of drawing and text, at most {MOST_STATES}"
        )
    if not (
        isinstance(start, list)
        and len(start) == len(lengths)
        and all(type(at) is int and 0 <= at < n for at, n in zip(start, lengths, strict=True))
    ):
        raise DataError("a figure with controls: start must be the position of a level for each control")
    if not isinstance(said.get("alt"), str):
        raise DataError("a figure with controls: alt must be a text")
    return controls, states, start


def _texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)
