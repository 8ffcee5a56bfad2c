"""Figures with controls: a drawing for every combination of a few levels, of which the reader chooses one.

All drawings are computed at once and travel in the metadata of one output. A page switches between them without a
script, prints some of them beside each other, and JupyterLab shows sliders that draw anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from math import ceil, prod
from typing import Any
from xml.etree import ElementTree

import numpy as np

from genexpy_nb.common.checks import check_count, listed
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.page import check_texts, hand_over, show_caption

MOST_CONTROLS, MOST_LEVELS, MOST_STATES = 3, 12, 150  # of one figure
_MOST_PRINTED = 12  # drawings beside each other
_SESSION = "JPY_SESSION_NAME"  # what Jupyter's server sets for the kernel of a person's notebook
_PANEL, _GAP, _HEAD = 480, 24, 26  # pixels of small multiples: width of one, space between, its name


@dataclass(frozen=True)
class Drawing:
    """What is to be seen in one state."""

    svg: str
    text: str


def show_choices(
    name: str,
    controls: Mapping[str, Iterable[Any] | Mapping[str, Any]],
    draw: Callable[..., Drawing],
    caption: str,
    alt: str,
    start: Mapping[str, Any] | None = None,
) -> None:
    """Show a figure whose reader chooses what it is drawn for.

    Parameters
    ----------
    name : str
        For links: ``[figure](#figure-NAME)`` in the text becomes "Figure 3" on the page.
    controls : mapping of str to levels
        Label -> what can be chosen: text or numbers, or a mapping of the text that is shown to what ``draw`` gets. One
        to three controls with up to 12 levels each, and 150 combinations.
    draw : callable
        From one level of each control to a `Drawing`; all have the same ``viewBox``.
    caption : str
        Markdown: what to see in it.
    alt : str
        What choosing shows, for people who cannot see it.
    start : mapping of str to level, optional
        Label -> the level, or its text, that is chosen at first; the first one of each control that is not named.

    Raises
    ------
    ParameterError
        If there are too many controls, levels or combinations; two levels of a control read alike; ``start`` names
        what is not there; or a drawing is no ``<svg>`` with a ``viewBox``, or not as large as the others.

    Notes
    -----
    In JupyterLab, with ipywidgets installed, these are sliders, and ``draw`` is called when one moves. Elsewhere the
    output is a picture with some of the states.
    """
    check_texts(name, caption=caption, alt=alt)
    choices = _checked(controls)
    at = _start(choices, start or {})
    if os.environ.get(_SESSION) and find_spec("ipywidgets"):
        _show_live(choices, at, draw)
        show_caption(caption, f"figure-{name}")
        return
    labels = [[label, list(levels)] for label, levels in choices.items()]
    states = [draw(*values) for values in product(*(levels.values() for levels in choices.values()))]
    box = _common_box(states)
    shown = dict(zip(product(*(range(len(levels)) for _, levels in labels)), states, strict=True))
    data = {"image/svg+xml": _small_multiples(labels, at, shown, box), "text/plain": f"<Figure: {alt}>"}
    hand_over(
        data,
        "choices",
        {"image/svg+xml": {"alt": alt, "needs_background": "light"}},
        name=name,
        controls=labels,
        states=[[state.svg, state.text] for state in states],
        start=list(at),
        caption=caption,
        alt=alt,
    )
    show_caption(caption, f"figure-{name}")


def levels_around(values: Iterable[float], level: float, most: int = 5) -> list[float]:
    """Return some numbers to choose from: of those given, evenly, and one that must be among them.

    Parameters
    ----------
    values : iterable of float
        In any order.
    level : float
        Put among them if it is not.
    most : int
        At least 2; with fewer, all are returned.

    Returns
    -------
    list of float
        Ascending, different; with ``level``, and at least one end of all.

    Examples
    --------
    >>> levels_around([0.7, 0.8, 0.9, 0.95, 0.99], 0.95)
    [0.7, 0.8, 0.9, 0.95, 0.99]
    >>> levels_around(range(100), 30.5, 4)
    [0.0, 30.5, 66.0, 99.0]
    """
    check_count("most", most, at_least=2)
    known = sorted({float(value) for value in values} | {float(level)})
    if len(known) <= most:
        return known
    chosen = np.round(np.linspace(0, len(known) - 1, most)).astype(int)
    here = known.index(float(level))
    chosen[np.abs(chosen - here).argmin()] = here
    return [known[i] for i in chosen]


def printed_states(n_levels: Sequence[int], start: Sequence[int], most: int = _MOST_PRINTED) -> list[tuple[int, ...]]:
    """Return which states stand beside each other where nothing can be chosen."""
    shown: list[Sequence[int]] = []
    n = 1
    for count, at in zip(n_levels, start, strict=True):
        fits = n * count <= most
        shown.append(range(count) if fits else [at])
        n *= count if fits else 1
    return list(product(*shown))


def state_name(controls: Sequence[tuple[str, Sequence[str]]] | Sequence[Sequence[Any]], state: Sequence[int]) -> str:
    """Return which level of each control a state has, in words."""
    return ", ".join(f"{label}: {levels[i]}" for (label, levels), i in zip(controls, state, strict=True))


def _checked(controls: Mapping[str, Iterable[Any] | Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return label -> text of a level -> the level."""
    if not isinstance(controls, Mapping) or not 1 <= len(controls) <= MOST_CONTROLS:
        raise ParameterError(f"controls: one to {MOST_CONTROLS} of them, as label -> levels, got {controls!r:.100}")
    choices = {label: _levels(label, levels) for label, levels in controls.items()}
    n_states = prod(map(len, choices.values()))
    if n_states > MOST_STATES:
        each = " × ".join(str(len(levels)) for levels in choices.values())
        raise ParameterError(f"controls: {each} levels make {n_states} drawings, more than {MOST_STATES}: take fewer")
    return choices


def _levels(label: Any, levels: Iterable[Any] | Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(label, str) or not label.strip():
        raise ParameterError(f"controls: a label is a text that says what is chosen, got {label!r}")
    if isinstance(levels, str):
        raise ParameterError(f"control {label!r}: its levels are a list, got the text {levels!r}")
    pairs = list(levels.items()) if isinstance(levels, Mapping) else [(_text(level), level) for level in levels]
    if not 1 <= len(pairs) <= MOST_LEVELS:
        raise ParameterError(f"control {label!r}: one to {MOST_LEVELS} levels, got {len(pairs)}")
    texts = [text for text, _ in pairs]
    if blank := [text for text in texts if not isinstance(text, str) or not text.strip()]:
        raise ParameterError(f"control {label!r}: each level is shown as a text, got {blank[0]!r}")
    if twice := [text for text in texts if texts.count(text) > 1]:
        raise ParameterError(
            f"control {label!r}: two levels are shown as {twice[0]!r}; readers could not tell them apart"
        )
    return dict(pairs)


def _text(level: Any) -> str:
    is_number = isinstance(level, int | float | np.number) and not isinstance(level, bool)
    return f"{level:.10g}".replace("-", "−") if is_number else str(level)


def _start(choices: Mapping[str, Mapping[str, Any]], start: Mapping[str, Any]) -> tuple[int, ...]:
    if unknown := [label for label in start if label not in choices]:
        raise ParameterError(f"start: no control is called {unknown[0]!r}; there are {listed(choices)}")
    return tuple(_position(label, levels, start[label]) if label in start else 0 for label, levels in choices.items())


def _position(label: str, levels: Mapping[str, Any], wanted: Any) -> int:
    for i, (text, level) in enumerate(levels.items()):
        if wanted in (text, level):
            return i
    raise ParameterError(f"start: control {label!r} has no level {wanted!r}; it has {listed(levels)}")


def _common_box(states: Sequence[Drawing]) -> tuple[float, float]:
    """Return width and height of all drawings."""
    boxes = {_box(state) for state in states}
    if len(boxes) > 1:
        sizes = listed(f"{width:g} × {height:g}" for width, height in sorted(boxes))
        raise ParameterError(f"draw: all drawings must have one viewBox, or the page jumps; got {sizes}")
    return boxes.pop()


def _box(state: Any) -> tuple[float, float]:
    if not isinstance(state, Drawing) or not isinstance(state.svg, str) or not isinstance(state.text, str):
        raise ParameterError(f"draw must return a Drawing, with svg and text, got {state!r:.100}")
    try:
        root = ElementTree.fromstring(state.svg)
        x, y, width, height = map(float, root.get("viewBox", "").split())
    except (ElementTree.ParseError, ValueError):
        raise ParameterError(f"draw: needs an <svg> with viewBox='0 0 WIDTH HEIGHT', got {state.svg:.100}") from None
    if root.tag.rpartition("}")[2] != "svg" or (x, y) != (0, 0) or min(width, height) <= 0:
        raise ParameterError(f"draw: needs an <svg> with viewBox='0 0 WIDTH HEIGHT', got {state.svg:.100}")
    if not state.text.strip():
        raise ParameterError("draw: a Drawing needs a text that says what is to be seen")
    return width, height


def _small_multiples(
    labels: Sequence[Sequence[Any]],
    start: Sequence[int],
    states: Mapping[tuple[int, ...], Drawing],
    box: tuple[float, float],
) -> str:
    """Return one picture of some states, each below its name."""
    printed = printed_states([len(levels) for _, levels in labels], start)
    columns = min(2, len(printed))
    height = _PANEL * box[1] / box[0]
    whole = columns * (_PANEL + _GAP) - _GAP, ceil(len(printed) / columns) * (height + _HEAD + _GAP) - _GAP
    parts = []
    for i, state in enumerate(printed):
        x, y = i % columns * (_PANEL + _GAP), i // columns * (height + _HEAD + _GAP)
        name = escape(state_name(labels, state))
        parts.append(f'<text x="{x}" y="{y + 16:.0f}" font-weight="bold">{name}</text>')
        panel = f'<svg x="{x}" y="{y + _HEAD:.0f}" width="{_PANEL}" height="{height:.0f}">{states[state].svg}</svg>'
        parts.append(panel)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole[0]:.0f}" height="{whole[1]:.0f}" '
        f'viewBox="0 0 {whole[0]:.0f} {whole[1]:.0f}" font-family="sans-serif" font-size="13">{"".join(parts)}</svg>'
    )


def _show_live(choices: Mapping[str, Mapping[str, Any]], start: Sequence[int], draw: Callable[..., Drawing]) -> None:
    """Show sliders; the drawing below them is made when one moves."""
    from IPython.display import HTML, display

    ipywidgets = import_module("ipywidgets")  # which no page needs

    def redraw(**levels: Any) -> None:
        drawing = draw(*levels.values())
        display(HTML(f'<div style="max-width:700px">{drawing.svg}<p>{escape(drawing.text)}</p></div>'))

    sliders = {
        f"control_{i}": ipywidgets.SelectionSlider(
            options=list(levels.items()),
            value=list(levels.values())[at],
            description=label,
            continuous_update=False,
            style={"description_width": "initial"},
        )
        for i, ((label, levels), at) in enumerate(zip(choices.items(), start, strict=True))
    }
    display(ipywidgets.interactive(redraw, **sliders))
