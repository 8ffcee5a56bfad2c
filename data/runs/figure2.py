"""Read the dots and stars off the figure of marginals that the authors of the practical metric publish as a picture.

Two pictures in their repository have the same twelve panels with different numbers: the paper's Figure 2, and the
figure that came with the article's code. Their plot_marginal_distribution.py says how a panel is drawn: a figure of 10
by 6 inches, six colours of dots in a fixed order, dashed quartic curves over them, a cyan line and two stars at the
trade-off point, and a half-transparent legend over all of it. So the levels are known, and only the height of each dot
is not. For each level we draw six dots in that order, shift them until they look like the picture, and keep all heights
that look almost as well: their middle is the reading, and half of their range is part of its error.

``python -m runs.figure2 PAPER ARTICLE``, in ``data``, writes the table that notebook 07 shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from pathlib import Path

import click
import numpy as np
import pandas as pd
from PIL import Image
from scipy.ndimage import binary_dilation, gaussian_filter
from skimage.draw import polygon2mask

from genexpy_nb import chapters
from genexpy_nb.common.hashing import file_hash

#: The statistics and their colours, in the order in which their dots are drawn.
COLOURS = {
    "error_mean": (0, 0, 255),
    "kappa_mean": (255, 0, 0),
    "error_std": (255, 165, 0),
    "kappa_std": (0, 128, 0),
    "error_p10": (0, 0, 0),
    "kappa_p10": (128, 0, 128),
}

#: Where the levels are that were measured; the axis of sizes is the logarithm.
SIZES = {"CLIP": [38e6, 56e6, 87e6, 167e6, 420e6], "EfficientNet": [5.3e6, 7.8e6, 9.2e6, 12e6, 19e6, 30e6, 43e6, 66e6]}
SSIM = [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0]
ZERO_SHOT = [n / (50 + n) for n in (0, 10, 20, 30, 40, 50)]
ROWS = [(data, family) for data in ("ImageNet", "CIFAR-100") for family in ("CLIP", "EfficientNet")]
DIMENSIONS = ("ssim", "zero_shot", "size")

#: The labels of the vertical axes, (a) to (l): the first, the step, and how many there are.
TICKS = {
    "paper": [
        *[(0, 0.1, 8), (0, 0.1, 6), (0, 0.1, 5)],
        *[(0, 0.1, 7), (0.05, 0.05, 8), (0, 0.1, 5)],
        *[(0, 0.2, 6), (0, 0.2, 5), (0, 0.2, 5)],
        *[(0, 0.2, 6), (0, 0.2, 5), (0, 0.2, 5)],
    ],
    "article": [
        *[(0, 0.1, 7), (0.1, 0.05, 7), (0.1, 0.05, 6)],
        *[(0, 0.1, 7), (0.1, 0.05, 6), (0.15, 0.05, 4)],
        *[(0.2, 0.2, 5), (0.1, 0.1, 8), (0.1, 0.1, 8)],
        *[(0.2, 0.2, 5), (0.1, 0.1, 8), (0.1, 0.1, 7)],
    ],
}

#: The pictures that were read: SHA-256.
PICTURES = {
    "paper": "13b45db79a9e65d4667730d7309f08013be85facfaec190520ed53fb36e69440",
    "article": "3f85c72958b53e9344772b593889535efa0d80cbd02e768b0840d33f80dcd986",
}

# Of the authors' panels, in points: 10 by 6 inches, of which the axes take 77.5 % of the width.
_WIDTH, _ASPECT = 558.0, 332.64 / 558
_DOT = np.sqrt(36) / 2 + 0.75  # radius with its edge
_STAR, _LINE, _TICK = 10.5, 1.5, 3.5
_LEGENDS = ((266, 268, 270, 272), (198, 200, 206, 208))  # widths and heights that versions of matplotlib give it
_PAD = 11.0  # between legend and frame
_MARGIN = 0.05  # of the data, on each side of an axis
_FADED = 0.2  # what a legend leaves of the colour below it

_CLIP = 80.0  # levels of grey: pixels that differ by more count alike, whatever lies over them
_SEEN = 0.15  # share of a dot's area that must show
_ALMOST = 0.1  # share of a dot's area by which a fit may be worse than the best


@dataclass(frozen=True)
class Frame:
    """The frame of a panel in pixels: the middles of its lines."""

    left: float
    right: float
    top: float
    bottom: float

    @property
    def point(self) -> float:
        """Pixels in a point."""
        return (self.right - self.left) / _WIDTH

    def moved(self, down: int, across: int) -> Frame:
        """Count the pixels from another corner."""
        return Frame(self.left - across, self.right - across, self.top - down, self.bottom - down)


@dataclass(frozen=True)
class Look:
    """How sharp a picture is (standard deviations of the blur in pixels), and the colours it has."""

    luma: float
    chroma: float
    colours: np.ndarray


@dataclass(frozen=True)
class Panel:
    """A panel as it will be read: ink (luma and two chromas), what a legend leaves of it, what is hidden."""

    frame: Frame
    ink: np.ndarray
    rgb: np.ndarray
    fade: np.ndarray
    hidden: np.ndarray
    cyan: np.ndarray
    line: float  # x of the cyan line


# --- frames and axes --------------------------------------------------------------------------------------------------


def find_frames(grey: np.ndarray) -> list[Frame]:
    """Return the frames of the panels, row by row: two long dark lines of one length, as far apart as drawn."""
    lines: list[tuple[int, int, int]] = []
    for row, dark in enumerate(grey < 215):
        steps = np.diff(np.r_[0, dark.astype(int), 0])
        runs = zip(np.flatnonzero(steps == 1), np.flatnonzero(steps == -1) - 1, strict=True)
        lines += [(row, int(first), int(last)) for first, last in runs if last - first > grey.shape[1] // 5]
    frames: list[Frame] = []
    for (top, first, last), (bottom, left, right) in product(lines, lines):
        tall = (bottom - top) / (last - first) / _ASPECT
        if abs(first - left) < 9 and abs(last - right) < 9 and 0.97 < tall < 1.03:
            box = _exact(255 - grey, Frame(first, last, top, bottom))
            if all(abs(box.left - other.left) + abs(box.top - other.top) > 9 for other in frames):
                frames.append(box)
    frames.sort(key=lambda box: box.top)
    return [box for i in range(0, len(frames), 3) for box in sorted(frames[i : i + 3], key=lambda box: box.left)]


def _exact(ink: np.ndarray, box: Frame) -> Frame:
    """Move the four lines of a frame to where their ink is centred."""

    def centre(profile: np.ndarray, near: float, within: int) -> float:
        darkest = int(near) - within + int(profile[int(near) - within : int(near) + within + 1].argmax())
        at = np.arange(darkest - 2, darkest + 3)
        return float(np.average(at, weights=profile[at] + 1e-9))

    rows, columns = slice(int(box.top) + 9, int(box.bottom) - 8), slice(int(box.left) + 9, int(box.right) - 8)
    across, down = np.median(ink[:, columns], axis=1), np.median(ink[rows], axis=0)
    left, right = (centre(down, x, 8) for x in (box.left, box.right))  # a tick may prolong a line
    return Frame(left, right, *(centre(across, y, 2) for y in (box.top, box.bottom)))


@dataclass(frozen=True)
class Axis:
    """A straight line from pixels to values, and how far ticks lie from it, in pixels."""

    slope: float
    start: float
    error: float

    def __call__(self, pixel: float | np.ndarray) -> float | np.ndarray:
        """Return the value at a pixel."""
        return self.start + self.slope * pixel


def _ticks(profile: np.ndarray) -> np.ndarray:
    """Find where a strip beside a frame is dark: the centre of each dark spot."""
    dark = profile > 0.4 * profile.max()
    steps = np.flatnonzero(np.diff(np.r_[0, dark.astype(int), 0]))
    spots = [np.arange(max(a - 1, 0), min(b + 1, len(profile))) for a, b in zip(steps[::2], steps[1::2], strict=True)]
    return np.array([np.average(spot, weights=profile[spot] + 1e-9) for spot in spots])


def _axis(pixels: np.ndarray, values: np.ndarray) -> Axis:
    """Calibrate an axis by its ticks."""
    if len(pixels) != len(values):
        raise ValueError(f"{len(values)} ticks are labelled, and {len(pixels)} were found")
    slope, start = np.polyfit(pixels, values, 1)
    off = (start + slope * pixels - values) / slope
    return Axis(slope, start, float(np.sqrt((off**2).sum() / max(len(off) - 2, 1))))


def axes_of(grey: np.ndarray, box: Frame, across: np.ndarray, up: np.ndarray) -> tuple[Axis, Axis]:
    """Calibrate both axes of a panel by the ticks outside of its frame."""
    ink, point = 255 - grey, box.point
    near, far = max(1.5, 0.9 * point + 0.6), _TICK * point
    left = slice(round(box.left - far), max(round(box.left - near), round(box.left - far) + 1))
    below = slice(min(round(box.bottom + near), round(box.bottom + far)), round(box.bottom + far) + 1)
    rows, columns = round(box.top) - 2, round(box.left) - 2
    down = ink[rows : round(box.bottom) + 3, left].mean(axis=1)
    along = ink[below, columns : round(box.right) + 3].mean(axis=0)
    return _axis(_ticks(along) + columns, across), _axis((_ticks(down) + rows)[::-1], up)


# --- what lies over the dots ------------------------------------------------------------------------------------------

#: Luma and two chromas of what a colour takes from white.
_TO_INK = np.array([[0.299, 0.587, 0.114], [-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]])


def inks(rgb: np.ndarray) -> np.ndarray:
    """Return the ink of colours: how far they are from white, in luma and chroma."""
    return (255.0 - rgb) @ _TO_INK.T


def legend_of(grey: np.ndarray, box: Frame) -> tuple[float, float, float, float]:
    """Return where the legend of a panel is (left, right, top, bottom): nine places and a few sizes were tried."""
    ink, point = 255 - grey, box.point
    best = (-np.inf, (0.0, 0.0, 0.0, 0.0))
    for across, down, width, height in product((0, 0.5, 1), (0, 0.5, 1), *_LEGENDS):
        left = box.left + (_PAD + across * (_WIDTH - 2 * _PAD - width)) * point
        top = box.top + _PAD * point + down * (box.bottom - box.top - (2 * _PAD + height) * point)
        edges = (left, left + width * point, top, top + height * point)
        best = max(best, (_outline(ink, edges, point), edges))
    return best[1]


def _outline(ink: np.ndarray, edges: tuple[float, float, float, float], point: float) -> float:
    """Say how much darker the edges of a rectangle are than what lies beside them; the least of the four counts."""
    left, right, top, bottom = edges
    rows = np.arange(round(top + 8 * point), round(bottom - 8 * point))
    columns = np.arange(round(left + 8 * point), round(right - 8 * point))
    beside = 2 * point + 0.5
    found = []
    for x in (left, right):
        on, one, other = (np.median(ink[rows, round(x + d)]) for d in (0, -beside, beside))
        found.append(on - max(one, other))
    for y in (top, bottom):
        on, one, other = (np.median(ink[round(y + d), columns]) for d in (0, -beside, beside))
        found.append(on - max(one, other))
    return float(min(found) + 0.1 * np.mean(found))


def panel_of(rgb: np.ndarray, box: Frame) -> Panel:
    """Prepare a panel: where the legend fades it, and where letters and cyan hide it."""
    point, grey = box.point, rgb.mean(axis=2)
    rows, columns = np.indices(grey.shape)
    left, right, top, bottom = legend_of(grey, box)
    fade = np.where((columns > left) & (columns < right) & (rows > top) & (rows < bottom), _FADED, 1.0)
    near = (columns > left - point) & (columns < right + point) & (rows > top - point) & (rows < bottom + point)
    inner = (columns > left + point) & (columns < right - point) & (rows > top + point) & (rows < bottom - point)
    ink = inks(rgb)
    strong = (fade < 1) & ((ink[..., 0] > 255 * _FADED + 25) | (np.abs(ink[..., 1:]).max(axis=-1) > 128 * _FADED + 25))
    cyan = (np.minimum(rgb[..., 1], rgb[..., 2]) - rgb[..., 0]) / 255
    strip = slice(round(box.top) + 3, round(box.bottom) - 2), slice(round(box.left) + 3, round(box.right) - 2)
    profile = np.median(np.clip(cyan[strip], 0, None) / fade[strip], axis=0)
    at = int(profile.argmax()) + np.arange(-2, 3)
    line = float(np.average(at, weights=profile[at])) + strip[1].start
    covered = np.abs(columns - line) < _LINE * point / 2 + 0.7
    hidden = binary_dilation(strong) | (near & ~inner) | covered
    return Panel(box, ink, rgb, fade, hidden, np.clip(cyan, 0, None) / fade, line)


@cache
def star(radius: float, blur: float, shift: float, half: int) -> np.ndarray:
    """Draw a star: its share of each pixel of a square around a pixel that its centre is shifted from, downwards."""
    fine = 5
    size = (2 * half + 1) * fine
    angles = np.pi / 2 + np.arange(10) * np.pi / 5
    reach = radius * np.where(np.arange(10) % 2, 0.381966, 1.0) * fine
    centre = size / 2 - 0.5
    corners = np.column_stack([centre + shift * fine - reach * np.sin(angles), centre + reach * np.cos(angles)])
    drawn = gaussian_filter(polygon2mask((size, size), corners).astype(float), blur * fine)
    return drawn.reshape(2 * half + 1, fine, 2 * half + 1, fine).mean(axis=(1, 3))


def stars_of(panel: Panel, look: Look) -> np.ndarray:
    """Return the rows of both stars of a panel, the upper one first."""
    box, half = panel.frame, int(np.ceil(_STAR * panel.frame.point)) + 3
    columns = round(panel.line) + np.arange(-half, half + 1)
    first = round(box.top) - half - 1
    rows = np.arange(first, round(box.bottom) + half + 2)
    kept = (columns > box.left + 1) & (columns < box.right - 1)
    seen = np.clip(panel.cyan[np.ix_(rows.clip(0, len(panel.cyan) - 1), columns[kept])], 0, 1)
    line = np.clip((_LINE * box.point / 2 + 0.5) - np.abs(columns[kept] - panel.line), 0, 1)
    window = np.arange(2 * half + 1)

    def draw(levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        near = np.round(levels).astype(int)
        shifts = np.round(levels - near, 1)
        shapes = [star(_STAR * box.point, look.luma, shift, half)[:, kept] for shift in shifts]
        return np.array(shapes), near - half - first

    def best(other: float | None, levels: np.ndarray) -> float:
        drawn = np.broadcast_to(line, seen.shape).copy()
        if other is not None:
            (shape,), (start,) = draw(np.array([other]))
            drawn[start + window] = np.maximum(drawn[start + window], shape)
        shapes, starts = draw(levels)
        picture, before = seen[starts[:, None] + window], drawn[starts[:, None] + window]
        worse = np.abs(picture - np.maximum(before, shapes)) - np.abs(picture - before)
        return float(levels[(worse * (1 - 0.9 * line)).sum(axis=(1, 2)).argmin()])

    def search(other: float | None) -> float:
        coarse = best(other, np.arange(box.top + 1, box.bottom - 1, max(1, box.point)))
        return best(other, np.clip(coarse + np.arange(-20, 21) * 0.1 * max(1, box.point), box.top, box.bottom))

    one = search(None)
    other = search(one)
    for _ in range(3):
        one = search(other)
        other = search(one)
    return np.sort([one, other])


def without_stars(panel: Panel, look: Look, rows: np.ndarray) -> Panel:
    """Hide what the stars of a panel cover."""
    hidden, half = panel.hidden.copy(), int(np.ceil(_STAR * panel.frame.point)) + 3
    for row in rows:
        near = round(row)
        over = star(_STAR * panel.frame.point, look.luma, round(row - near, 1), half) > 0.15
        y, x = np.nonzero(over)
        hidden[
            (y + near - half).clip(0, len(hidden) - 1), (x + round(panel.line) - half).clip(0, hidden.shape[1] - 1)
        ] = True
    return replace(panel, hidden=hidden)


# --- dots -------------------------------------------------------------------------------------------------------------


@cache
def _profile(radius: float, blur: float) -> tuple[np.ndarray, np.ndarray]:
    """Return how much of a pixel a blurred dot covers, by the distance of the pixel from the centre of the dot."""
    fine, blur = 10, np.hypot(blur, 0.29)  # a pixel is a square: it blurs, too
    half = int(np.ceil((radius + 4 * blur + 1) * fine))
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    drawn = gaussian_filter((np.hypot(y, x) <= radius * fine).astype(float), blur * fine)
    return np.arange(half + 1) / fine, drawn[half, half:]


class Column:
    """The six dots of one level: what the picture shows there, and what it should show with dots at some heights."""

    def __init__(self, panel: Panel, look: Look, x: float) -> None:
        """Cut the column out of a panel."""
        self.radius = _DOT * panel.frame.point
        self.area = np.pi * self.radius**2
        self.enough = _SEEN * self.area
        self.step = self.radius / 4
        self.reach = int(np.ceil(self.radius + 2.5 * look.chroma))
        half = int(np.ceil(self.radius)) + 1
        self.x, self.middle = x, round(x)
        columns = self.middle + np.arange(-half, half + 1)
        self.first = round(panel.frame.top) - self.reach - 1
        rows = np.arange(self.first, round(panel.frame.bottom) + self.reach + 2).clip(0, len(panel.ink) - 1)
        cut = np.ix_(rows, columns)
        spines = (rows < panel.frame.top + 1.2) | (rows > panel.frame.bottom - 1.2)
        self.fade = panel.fade[cut]
        self.ink = panel.ink[cut] / self.fade[..., None]
        self.known = ~(panel.hidden[cut] | spines[:, None])
        self.colours = inks(look.colours)
        self.off = columns - x
        self.window = np.arange(2 * self.reach + 1)
        self.tables = [_profile(self.radius, blur) for blur in (look.luma, look.chroma)]
        self.drawn: dict[float, tuple[np.ndarray, np.ndarray]] = {}
        self.levels = self._where_ink_is(np.arange(panel.frame.top, panel.frame.bottom, self.step) - self.first)
        self.coarse = self._dots(self.levels)

    def _where_ink_is(self, levels: np.ndarray) -> np.ndarray:
        """Leave out the heights where a dot would lie on white."""
        white = self.known & (np.abs(self.ink).max(axis=-1) < _CLIP / 4)
        dots, starts = self._dots(levels)
        share = (dots[..., 0] * self._windows(white, starts)).sum(axis=(1, 2)) / self.area
        return levels[share < 0.7]

    def _dots(self, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Draw a dot at each height, in a window of rows: what it takes of luma and chroma, and the first row."""
        starts = np.round(levels).astype(int) - self.reach
        down = starts[:, None] + self.window - levels[:, None]
        distance = np.hypot(down[..., None], self.off)
        luma, chroma = (np.interp(distance, *table, right=0.0) for table in self.tables)
        return np.stack([luma, chroma, chroma], axis=-1), starts

    def _windows(self, of: np.ndarray, starts: np.ndarray) -> np.ndarray:
        return of[starts[:, None] + self.window]

    def _layers(self, which: int, at: dict[int, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the ink of the dots below a dot and of those above it, and how much the latter let through."""
        under, over, through = np.zeros(self.ink.shape), np.zeros(self.ink.shape), np.ones(self.ink.shape)
        for other in sorted(at):
            if at[other] not in self.drawn:
                (dot,), (start,) = self._dots(np.array([at[other]]))
                self.drawn[at[other]] = dot, start + self.window
            dot, rows = self.drawn[at[other]]
            if other < which:
                under[rows] = under[rows] * (1 - dot) + dot * self.colours[other]
            elif other > which:
                over[rows] = over[rows] * (1 - dot) + dot * self.colours[other]
                through[rows] *= 1 - dot
        return under, over, through

    def gains(
        self, which: int, at: dict[int, float], dots: np.ndarray, starts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return how many more pixels look right with a dot at each height, and how much of the dot shows there."""
        parts = (*self._layers(which, at), self.ink, self.known)
        under, over, through, ink, known = (self._windows(part, starts) for part in parts)

        def wrong(dotted: np.ndarray) -> np.ndarray:
            far = ((ink - over - through * dotted) ** 2).sum(axis=-1) / _CLIP**2
            return (np.minimum(far, 1.0) * known).sum(axis=(1, 2))

        shows = (dots[..., 0] * through[..., 0] * known).sum(axis=(1, 2)) / dots[..., 0].sum(axis=(1, 2))
        return wrong(under) - wrong(under + dots * (self.colours[which] - under)), shows

    def _best(self, which: int, at: dict[int, float]) -> tuple[float, float]:
        """Return the largest gain of a dot, and where; half of what would show of it must look right."""
        best, where = 0.0, float(self.levels[0])
        drawn, levels = self.coarse, self.levels
        for _ in range(2):
            found, shows = self.gains(which, at, *drawn)
            found = np.where(found >= 0.5 * shows * self.area, found, 0)
            best, where = max((best, where), (float(found.max()), float(levels[found.argmax()])))
            levels = where + np.arange(-12, 13) * self.step / 10
            drawn = self._dots(levels)
        return best, where

    def fit(self) -> dict[int, float]:
        """Place the dots: first the one that explains most, then the others, then each again until none moves."""
        at, _ = self._added(set(range(len(COLOURS))), {})
        at = self._settled(at)
        for _ in COLOURS:
            before, at = at, self._exchanged(at)
            if at == before:
                break
        for one, other in combinations(sorted(at), 2):
            rest = {which: level for which, level in at.items() if which not in (one, other)}
            swapped = {one: at[other], other: at[one]}
            if self._explained(swapped, rest) > self._explained({one: at[one], other: at[other]}, rest):
                at = rest | swapped
        return self._settled(at)

    def _added(self, those: set[int], at: dict[int, float]) -> tuple[dict[int, float], float]:
        """Add dots, always the one that explains most; return also what they explain together."""
        total, at = 0.0, dict(at)
        while those := those - set(at):
            best, where, which = max((*self._best(which, at), which) for which in those)
            if best < self.enough:
                break
            at[which], total = where, total + best
        return at, total

    def _settled(self, at: dict[int, float]) -> dict[int, float]:
        at = dict(at)
        for _ in range(6):
            before = dict(at)
            for which in range(len(COLOURS)):
                at.pop(which, None)
                best, where = self._best(which, at)
                if best >= self.enough:
                    at[which] = where
            if at == before:
                break
        return at

    def _explained(self, dots: dict[int, float], at: dict[int, float]) -> float:
        """Return what dots explain that are added to others."""
        total = 0.0
        for which, level in dots.items():
            total += float(self.gains(which, at, *self._dots(np.array([level])))[0][0])
            at = {**at, which: level}
        return total

    def _ambiguous(self, which: int, gain: float) -> bool:
        """Say whether a dot that was not found would explain nearly as much in the place of another one."""
        rest = {name: level for name, level in self.at.items() if name != which}
        absent = set(range(len(COLOURS))) - set(self.at)
        here = [self._explained({other: self.at[which]}, rest) for other in absent]
        return max(here, default=-np.inf) > gain - _ALMOST * self.area

    def _exchanged(self, at: dict[int, float]) -> dict[int, float]:
        """Take a dot away, if the missing ones can then be placed and explain more; it comes back where it fits."""
        absent = set(range(len(COLOURS))) - set(at)
        for which in list(at) if absent else []:
            rest = {other: level for other, level in at.items() if other != which}
            trial, first = self._added(absent, rest)
            trial, second = self._added({which}, trial)
            if first + second > self._explained({which: at[which]}, rest):
                return trial
        return at

    def read(self) -> list[tuple[float, float, str]]:
        """Return for each statistic the row of its dot, the error of the row in pixels, and how the dot was seen."""
        self.at = self.fit() if len(self.levels) else {}
        return [self.reading(which) for which in range(len(COLOURS))]

    def reading(self, which: int, star: float = np.nan) -> tuple[float, float, str]:
        """Read one dot; one that does not show could be below any later dot, unless its own star lies at the level."""
        seen = which in self.at
        if not seen and np.isnan(star):
            return np.nan, np.nan, "missing"
        around = np.arange(-100, 101) * self.radius / 50
        levels = np.sort(np.r_[self.levels, self.at[which] + around / 4]) if seen else star - self.first + around
        gains, shows = self.gains(which, self.at, *self._dots(levels))
        likely = levels[gains >= (gains.max() if seen else 0.0) - _ALMOST * self.area]
        spread = np.ptp(likely) / 2 if len(likely) else np.inf
        if spread > 1.5 * self.radius or (seen and self._ambiguous(which, gains.max())):
            return np.nan, np.nan, "missing"
        middle = (likely[0] + likely[-1]) / 2
        covered = not seen or np.interp(self.at[which], levels, shows) < 0.5
        faded = self.fade[round(middle), len(self.off) // 2] < 1
        return self.first + middle, spread, "covered" if covered else "faded" if faded else "free"


# --- the whole picture ------------------------------------------------------------------------------------------------


def levels_of(family: str, dimension: str) -> np.ndarray:
    """Return the levels that were measured along a dimension of a panel."""
    return np.array({"ssim": SSIM, "zero_shot": ZERO_SHOT, "size": SIZES[family]}[dimension])


def blur_of(grey: np.ndarray, frames: list[Frame]) -> float:
    """Return how far a picture is blurred: how much wider than drawn its vertical lines are."""
    ink, found = 255 - grey, []
    for box in frames:
        rows = slice(int(box.top) + 9, int(box.bottom) - 8)
        for side in (box.left, box.right):
            at = np.arange(round(side) - 3, round(side) + 4)
            profile = np.median(ink[rows, at[0] : at[-1] + 1], axis=0)
            found.append(np.average((at - side) ** 2, weights=profile + 1e-9) - ((0.8 * box.point) ** 2 + 1) / 12)
    return float(np.sqrt(max(np.median(found), 0.1)))


def digitize(path: str | Path, source: str, ticks: list[tuple[float, float, int]]) -> pd.DataFrame:
    """Read a picture: a row for each dot (also where it was not found) and for each star.

    Parameters
    ----------
    path
        The picture.
    source
        What its rows are called.
    ticks
        The labels of the vertical axes: the first, the step, and how many there are.

    Returns
    -------
    pandas.DataFrame
        ``source``, ``data``, ``family``, ``dimension``, ``level``, ``statistic``, ``value``, ``reading_error`` in the
        unit of the axis, and ``seen``: free, faded (below the legend), covered (by dots, letters or a star), missing,
        or star, whose level is that of the cyan line.
    """
    with Image.open(path) as image:
        sampled = image.format == "JPEG" and any(layer[1:3] != (1, 1) for layer in image.layer)
        rgb = np.asarray(image.convert("RGB")).astype(float)
    grey = rgb.mean(axis=2)
    frames = find_frames(grey)
    if len(frames) != len(ticks):
        raise ValueError(f"{path}: {len(ticks)} panels are described, and {len(frames)} were found")
    luma = blur_of(grey, frames)
    look = Look(luma, float(np.hypot(luma, 1.0 if sampled else 0.0)), np.array([*COLOURS.values()], dtype=float))
    panels, axes = [], []
    for i, box in enumerate(frames):
        around = int(12 * box.point)  # what belongs to a panel: its frame and ticks
        corner = max(int(box.top) - around, 0), max(int(box.left) - around, 0)
        part = rgb[corner[0] : int(box.bottom) + around, corner[1] : int(box.right) + around]
        panel = panel_of(part, box.moved(*corner))
        panels.append(panel)
        dimension, levels = DIMENSIONS[i % 3], levels_of(ROWS[i // 3][1], DIMENSIONS[i % 3])
        across = {"ssim": levels, "zero_shot": np.arange(6) / 10, "size": np.log(levels + 1e-9)}[dimension]
        first, step, n = ticks[i]
        axes.append((*axes_of(part.mean(axis=2), panel.frame, across, first + step * np.arange(n)), levels))
    look = replace(look, colours=_colours_seen(panels, axes, look))
    rows = [row for i, panel in enumerate(panels) for row in _rows_of(panel, axes[i], look, i)]
    names = ["data", "family", "dimension", "level", "statistic", "value", "reading_error", "seen"]
    return pd.DataFrame(rows, columns=names).assign(source=source)[["source", *names]]


def _columns(panel: Panel, axes: tuple[Axis, Axis, np.ndarray], look: Look, logarithmic: bool) -> Iterator[Column]:
    """Cut the columns of all levels out of a panel."""
    across, _, levels = axes
    for level in levels:
        place = np.log(level) if logarithmic else level
        yield Column(panel, look, (place - across.start) / across.slope)


def _colours_seen(panels: list[Panel], axes: list[tuple[Axis, Axis, np.ndarray]], look: Look) -> np.ndarray:
    """Return the colours of the dots in this picture: medians over free dots that have no neighbour, along SSIM."""
    seen: dict[int, list[np.ndarray]] = {which: [] for which in range(len(COLOURS))}
    for panel, axis in zip(panels[::3], axes[::3], strict=True):
        for column in _columns(panel, axis, look, False):
            read = column.read()
            for which, (row, _, how) in enumerate(read):
                near = sum(abs(other - row) < 3 * column.radius for other, _, _ in read)
                if how == "free" and near == 1:
                    core = [
                        slice(round(at - column.radius / 2), round(at + column.radius / 2) + 1)
                        for at in (row, column.x)
                    ]
                    seen[which].append(np.median(panel.rgb[tuple(core)], axis=(0, 1)))
    return np.array([np.median(seen[which] or [colour], axis=0) for which, colour in enumerate(look.colours)])


def _rows_of(panel: Panel, axes: tuple[Axis, Axis, np.ndarray], look: Look, number: int) -> Iterator[tuple]:
    """Read one panel."""
    across, up, levels = axes
    where = (*ROWS[number // 3], DIMENSIONS[number % 3])
    logarithmic = number % 3 == 2
    stars = stars_of(panel, look)
    columns = [*_columns(without_stars(panel, look, stars), axes, look, logarithmic)]
    read = [column.read() for column in columns]
    # Stars have no colours: of error and Kappa, the upper star has the upper dots. A dot below a star is below its own.
    both = [(column.middle, dots[0][0] - dots[1][0]) for column, dots in zip(columns, read, strict=True)]
    both = [(x, lower) for x, lower in both if not np.isnan(lower)]
    if both and np.interp(panel.line, *np.transpose(both)) > 0:
        stars = stars[::-1]
    for column, dots in zip(columns, read, strict=True):
        for which, row in enumerate(stars):
            if dots[which][2] == "missing" and abs(column.middle - panel.line) < column.radius:
                dots[which] = column.reading(which, row)
    for level, dots in zip(levels, read, strict=True):
        for name, (row, error, how) in zip(COLOURS, dots, strict=True):
            yield (*where, level, name, up(row), _error(up, error), how)
    place = float(across(panel.line))
    for name, row in zip(COLOURS, stars, strict=False):
        yield (*where, np.exp(place) if logarithmic else place, name, up(row), _error(up, 0.3), "star")


def _error(up: Axis, pixels: float) -> float:
    """Return the error of a reading: what the fit leaves open, half a pixel, and the axis."""
    return abs(up.slope) * float(np.sqrt(pixels**2 + 0.25 + up.error**2))


def read_picture(path: str | Path, source: str) -> pd.DataFrame:
    """Read one of the two pictures, if it is the one that the ticks are known of."""
    if file_hash(path) != PICTURES[source]:
        raise click.BadParameter(f"{path} is not the picture of the {source} (SHA-256 {PICTURES[source][:12]}...)")
    return digitize(path, source, TICKS[source])


@click.command(help=__doc__)
@click.argument("pictures", nargs=2, type=click.Path(exists=True))
def main(pictures: tuple[str, str]) -> None:
    """See the module."""
    table = pd.concat(read_picture(path, source) for path, source in zip(pictures, PICTURES, strict=True))
    click.echo(pd.crosstab(table["source"], table["seen"]).to_string())
    table.to_csv(Path(chapters.__file__).with_name("figure2.csv"), index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
