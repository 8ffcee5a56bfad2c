"""Light drawings, one for each state of a figure with controls: a few hundred to three thousand characters of SVG.

They follow the text colour of the page, and its colours ``--c-NAME`` where it has them, so that they can be read on
light and on dark paper. Type that a page makes larger on a phone still has room. Nothing here is of matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np
import pandas as pd
import xarray as xr

from genexpy_nb.common.checks import check_columns, check_count, check_number
from genexpy_nb.common.choices import Drawing
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.prose import percent
from genexpy_nb.plots.style import COLOURS, VERDICTS, labels, looks
from genexpy_nb.tradeoff.array import NoiseAxis
from genexpy_nb.tradeoff.point import TradeoffPoint

_LEFT, _RIGHT = 14, 686  # of the axis, in a drawing that is 700 wide
_TOP, _FLOOR, _HEIGHT = 36, 236, 292  # below the legend; where the axis is; of the drawing
_INK = "var(--ink,currentColor)"
_MOST_ROWS = 60  # lines that can be told apart
_MOST_FAMILIES = 4
_PAINTS = {color: f"var(--c-{name},{color})" for name, color in COLOURS.items()} | {
    look.color: f"var(--c-{verdict.split()[0]},{look.color})" for verdict, look in VERDICTS.items()
}
_SHAPES = {
    "o": "a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0-{d} 0z",
    "s": "v{r}h{d}v-{d}h-{d}z",
    "D": "l{r} {r} {r}-{r}-{r}-{r}z",
    "^": "v{r}h{d}l-{r}-{d}z",
    "v": "v-{r}h{d}l-{r} {d}z",
    "h": "l{h} {r}h{r}l{h}-{r}-{h}-{r}h-{r}z",
}
_TRACKS = {
    "ssim": ("clean, {noise} {:g}", "{noise} {:g}, noisy"),
    "zero_shot": ("{:.0%} unseen", "{:.0%} unseen classes"),
    "size": ("{size}", "{:,.12g}, small"),
}


def needs_end(planned: pd.DataFrame) -> float:
    """Return where the axis ends that all states of `needs_strip` share."""
    check_columns(planned, ("n_experiments", "nstar", "high"), "planned")
    ends = planned["high"].where(np.isfinite(planned["high"]), planned["nstar"])
    ends = ends[np.isfinite(ends)]
    far = max([planned["n_experiments"].max(), 10, *([np.quantile(ends, 0.975)] if len(ends) else [])])
    powers = 10.0 ** np.arange(1, 9)
    return float(next((end for end in np.outer(powers, [1, 2, 5]).ravel() if end >= far), 1e9))


def needs_strip(planned: pd.DataFrame, end: float, unit: str = "experiments") -> Drawing:
    """Draw how many experiments each configuration needs, and whether it has them."""
    check_columns(planned, ("n_experiments", "nstar", "low", "high", "verdict"), "planned")
    check_number("end", end, 1)
    known = planned[planned["verdict"].isin(list(VERDICTS))].sort_values("nstar", kind="stable")
    counts = {verdict: int((known["verdict"] == verdict).sum()) for verdict in VERDICTS}
    drawn = known.iloc[np.unique(np.linspace(0, len(known) - 1, min(len(known), _MOST_ROWS)).astype(int))]
    pitch = max(2.0, min(10.0, np.floor(2 * (_FLOOR - _TOP) / max(len(drawn), 1)) / 2))  # few digits make few bytes
    y = _FLOOR - pitch * np.arange(1, len(drawn) + 1)
    at = {name: _on_log(drawn[name].to_numpy(dtype=float), end) for name in ("n_experiments", "nstar", "low", "high")}
    beyond = (drawn["high"] > end).to_numpy()
    parts = [_log_axis(end, f"{unit} needed, n*")]
    for i, (verdict, look) in enumerate(VERDICTS.items()):
        paint = _PAINTS[look.color]
        parts.append(_key((14, 168, 366)[i], look.marker, paint, f"{counts[verdict]} {verdict}"))
        of = (drawn["verdict"] == verdict).to_numpy()
        if of.any():
            lines = _path("M{:.0f} {:g}H{:.0f}", at["low"][of], y[of], np.minimum(at["high"], _RIGHT)[of])
            parts.append(f'<path d="{lines}" stroke="{paint}" stroke-width="1.6" opacity=".55"/>')
            inside = of & (drawn["nstar"] <= end).to_numpy()
            parts.append(_points(at["nstar"][inside], y[inside], look.marker, paint))
        if (of & beyond).any():
            parts.append(f'<path d="{_path("M687 {:g}l7 4-7 4z", y[of & beyond] - 4)}" fill="{paint}"/>')
    ticks = _runs(at["n_experiments"].round(), y, pitch)
    parts.append(f'<path d="{ticks}M584 8v12" stroke="{_INK}" stroke-width="2.4"/>')
    parts.append('<text x="592" y="20">at hand</text>')
    return Drawing(_svg(parts), _needs_text(planned, known, counts, len(drawn), unit, end))


def toy_bars(samples: pd.DataFrame, probability: float, highest: float, k_gen: int = 10) -> Drawing:
    """Draw all samples of the toy study by how likely they are, and what each claims."""
    check_columns(samples, ("counts", "probability", "best", "significant", "generalizability"), "samples")
    probability = check_number("probability", probability, 0, 1, "[]")
    check_number("highest", highest, 0, 1, "(]")
    check_count("k_gen", k_gen)
    if any(len(counts) != 2 for counts in samples["counts"]):
        raise StudyError("samples: the toy study that is drawn has two possible results; draw others with toy_samples")
    first = np.array([counts[0] for counts in samples["counts"]])
    n, share = sum(samples["counts"].iloc[0]), samples["probability"].to_numpy()
    claim = np.where(~samples["significant"], "neither", samples["best"].str.strip("{}"))
    step = (_RIGHT - _LEFT) / (n + 1)
    middle, height = _LEFT + step * (first + 0.5), np.minimum(share / highest, 1.0) * (_FLOOR - _TOP)
    paints = {"0": _PAINTS[COLOURS["blue"]], "1": _PAINTS[COLOURS["orange"]], "neither": "currentColor"}
    says = {name: float(share[claim == name].sum()) for name in paints}
    parts = [
        _share_axis(highest),
        _ticks((_LEFT + step * (k + 0.5), str(k)) for k in _round_counts(n)),
        _text(350, _FLOOR + 50, f"how often the first result occurs among {n}", "middle"),
    ]
    for i, (name, paint) in enumerate(paints.items()):
        width = step * {"0": 0.8, "1": 0.4, "neither": 0.7}[name]
        of = (claim == name) & (height >= 0.05)
        bars = _path(f"M{{:.1f}} {_FLOOR}v-{{:.1f}}h{width:.1f}V{_FLOOR}z", middle[of] - width / 2, height[of])
        x, half = (14, 250, 484)[i], {"0": 6, "1": 3, "neither": 5}[name]
        fill = f'fill="{paint}"' if name != "neither" else f'fill="none" stroke="{paint}"'
        parts.append(f'<path d="{bars}M{x + 6 - half} 20v-12h{2 * half}v12z" {fill}/>')
        label = f"{name} is best" if name != "neither" else name
        short = percent(says[name]).replace("less than ", "<").replace("more than ", ">")
        parts.append(_text(x + 20, 20, f"{label}: {short}"))
    agree = float(np.average(samples["generalizability"], weights=share))
    return Drawing(_svg(parts), _claims_text(says, probability, agree, k_gen))


def point_tracks(
    arrays: Mapping[str, xr.Dataset],
    points: Mapping[str, TradeoffPoint],
    usual: Mapping[str, TradeoffPoint] | None = None,
    size_unit: str = "weights",
) -> Drawing:
    """Draw where the trade-off point of each family lies on the three axes, the hard end at the right."""
    if not 1 <= len(arrays) <= _MOST_FAMILIES or set(arrays) != set(points) or not set(usual or {}) <= set(arrays):
        raise ParameterError(f"arrays: one to {_MOST_FAMILIES} families, each with a point, got {list(arrays)}")
    names, styles = dict(zip(arrays, labels(arrays, 24), strict=True)), looks(arrays)
    noise = NoiseAxis.of(next(iter(arrays.values())))
    tracks, parts = {}, []
    for row, (name, (easy, hard)) in enumerate(_TRACKS.items()):
        y = 82 + 76 * row
        levels = np.unique(np.concatenate([array[name].to_numpy().astype(float) for array in arrays.values()]))
        rising = name == "zero_shot" or (name == "ssim" and noise.cleaner == "low")
        ends = (levels[0], levels[-1]) if rising else (levels[-1], levels[0])
        tracks[name] = (ends, y)
        marks = _path("M{:.0f} {}v8", [_track(level, ends, name) for level in levels], [y - 4] * len(levels))
        parts.append(f'<path d="M{_LEFT} {y}H{_RIGHT}{marks}" stroke="currentColor" opacity=".5"/>')
        parts.append(
            _text(
                _LEFT,
                y + 32,
                easy.format(ends[0], noise=noise.name, size=_counted(ends[0], size_unit)).replace("%", " %"),
            )
        )
        parts.append(_text(_RIGHT, y + 32, hard.format(ends[1], noise=noise.name).replace("%", " %"), "end"))
    for i, family in enumerate(arrays):
        paint = _PAINTS.get(styles[family].color, styles[family].color)
        marker = styles[family].marker
        offset = 14 * (i - (len(arrays) - 1) / 2)
        parts.append(_key(14 + i * 672 // len(arrays), marker, paint, names[family]))
        for point, fill in (((usual or {}).get(family), "none"), (points[family], paint)):
            if point is not None:
                where = [(_track(getattr(point, name), ends, name), y) for name, (ends, y) in tracks.items()]
                shapes = _path(f"M{{:.0f}} {{:.0f}}{_shape(marker, 6)}", *np.transpose(where) - [[6], [-offset]])
                parts.append(f'<path d="{shapes}" fill="{fill}" stroke="{paint}"/>')
    return Drawing(
        _svg(parts), " ".join(_point_text(names[family], points[family], noise.name, size_unit) for family in arrays)
    )


def _needs_text(
    planned: pd.DataFrame, known: pd.DataFrame, counts: Mapping[str, int], n_drawn: int, unit: str, end: float
) -> str:
    enough, open_, more = counts.values()
    n = len(planned)
    parts = [
        f"{enough} of {n} configuration{'s' * (n != 1)} {'has' if enough == 1 else 'have'} enough {unit}, {open_} "
        f"{'is' if open_ == 1 else 'are'} undecided, {more} need{'s' * (more == 1)} more."
    ]
    if len(known):
        parts.append(f"The median n* is {known['nstar'].median():,.3g}.".replace("inf", "infinite"))
    if far := int((known["nstar"] > end).sum()):
        parts.append(f"{far} lie{'s' * (far == 1)} beyond {end:,.0f}.")
    if without := n - len(known):
        parts.append(f"{without} {'has' if without == 1 else 'have'} no estimate.")
    if n_drawn < len(known):
        parts.append(f"{n_drawn} of them are drawn.")
    return " ".join(parts)


def _claims_text(says: Mapping[str, float], probability: float, agree: float, k_gen: int) -> str:
    right = {-1: "1", 0: "", 1: "0"}[int(np.sign(round(probability - 0.5, 12)))]
    wrong = sum(share for claim, share in says.items() if claim not in (right, "neither"))
    truth = f"{right} is better" if right else "The two are equal"
    text = (
        f"{percent(says['0'])} of the samples declare 0 significantly best, {percent(says['1'])} declare 1, "
        f"{percent(says['neither'])} neither. {truth}: {percent(wrong)} of the samples are wrong. "
        f"Two studies of {k_gen} agree with a mean probability of {agree:.2f}."
    )
    return text[0].upper() + text[1:]


def _counted(size: float, unit: str) -> str:
    return f"{size:,.12g} {unit}" if unit else f"size {size:,.12g}"


def _point_text(family: str, point: TradeoffPoint, noise: str, unit: str) -> str:
    return (
        f"{family}: {noise} {point.ssim:g}, {percent(point.zero_shot)} unseen classes, {_counted(point.size, unit)}, "
        f"mean error {point.statistics['error_mean']:.3f}."
    )


# --- pieces of SVG ----------------------------------------------------------------------------------------------------


def _svg(parts: Iterable[str]) -> str:
    return f'<svg viewBox="0 0 700 {_HEIGHT}" fill="currentColor" font-size="16">{"".join(parts)}</svg>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    where = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{where}>{escape(text)}</text>'


def _key(x: float, marker: str, paint: str, text: str) -> str:
    """One entry of a legend: a shape, and what it stands for."""
    return f'<path d="M{x:.0f} 14{_shape(marker, 6)}" fill="{paint}"/>{_text(x + 20, 20, text)}'


def _shape(marker: str, radius: int) -> str:
    """Commands for a shape that begins at the left of its middle."""
    return _SHAPES.get(marker, _SHAPES["o"]).format(r=radius, d=2 * radius, h=f"{radius / 2:g}")


def _points(x: np.ndarray, y: np.ndarray, marker: str, paint: str) -> str:
    """Small shapes; discs and squares are ends of lines without length, which take the fewest bytes."""
    if cap := {"o": "round", "s": "square"}.get(marker):
        ends = _path("M{:.0f} {:g}h0", x, y)
        return f'<path d="{ends}" stroke="{paint}" stroke-width="6" stroke-linecap="{cap}"/>'
    return f'<path d="{_path(f"M{{:.0f}} {{:g}}{_shape(marker, 3)}", x - 3, y)}" fill="{paint}"/>'


def _runs(x: np.ndarray, y: np.ndarray, pitch: float) -> str:
    """Ticks across rows; those of neighbours at one place are one line. Rows go upwards."""
    starts = np.flatnonzero(np.diff(x, prepend=np.nan) != 0)
    lengths = np.diff(np.append(starts, len(x)))
    return _path("M{:.0f} {:g}v-{:g}", x[starts], y[starts] + pitch / 2, lengths * pitch)


def _path(form: str, *columns: Sequence[float] | np.ndarray) -> str:
    """Commands of one form for each row of some numbers."""
    return "".join(form.format(*row) for row in zip(*columns, strict=True))


def _ticks(marks: Iterable[tuple[float, str]]) -> str:
    """Numbers below an axis; those at its ends do not stick out."""
    anchors = {True: ' text-anchor="start"', False: ' text-anchor="end"'}
    spans = [f'<tspan x="{x:.0f}"{anchors[x < 350] if not 24 < x < 660 else ""}>{label}</tspan>' for x, label in marks]
    return f'<text y="{_FLOOR + 22}" text-anchor="middle">{"".join(spans)}</text>'


def _on_log(values: np.ndarray, end: float) -> np.ndarray:
    """Positions on an axis from 1 to its end; smaller numbers stand at 1, larger ones beyond the end."""
    with np.errstate(invalid="ignore"):
        return _LEFT + (_RIGHT - _LEFT) * np.log(np.maximum(values, 1.0)) / np.log(end)


def _log_axis(end: float, title: str) -> str:
    factors = (1, 2, 5) if end <= 2000 else (1,)
    values = [f * 10**power for power in range(9) for f in factors if f * 10**power <= end]
    x = _on_log(np.array(values, dtype=float), end)
    grid = _path(f"M{{:.0f}} {_TOP - 6}V{_FLOOR + 5}", x)
    numbers = _ticks((place, f"{value:,}") for place, value in zip(x, values, strict=True))
    return f'<path d="{grid}" stroke="currentColor" opacity=".18"/>{numbers}{_text(_RIGHT, _FLOOR + 50, title, "end")}'


def _share_axis(highest: float) -> str:
    """Lines at round shares, up to the highest."""
    step = next(step for step in (0.25, 0.1, 0.05, 0.02, 0.01, highest / 2) if highest / step >= 2)
    shares = step * np.arange(1, int(highest / step + 1e-9) + 1)
    y = _FLOOR - shares / highest * (_FLOOR - _TOP)
    lines = _path(f"M{_LEFT} {{:.1f}}H{_RIGHT}", [_FLOOR + 0.5, *y])
    labelled = "".join(
        _text(_LEFT, place - 4, f"{share:.2g} of the samples" if place == y[0] else f"{share:.2g}")
        for place, share in zip(y, shares, strict=True)
    )
    return f'<path d="{lines}" stroke="currentColor" opacity=".25"/>{labelled}'


def _round_counts(n: int) -> range:
    """Counts from 0 to n that are labelled."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, n) if n / step <= 8)
    return range(0, n + 1, step)


def _track(level: float, ends: tuple[float, float], name: str) -> float:
    """Where a level lies between the easy and the hard end."""
    low, high, level = np.log([*ends, level]) if name == "size" else (*ends, level)
    return float(_LEFT + 8 + (_RIGHT - _LEFT - 16) * ((level - low) / (high - low) if high != low else 0.5))
