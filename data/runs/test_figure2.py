"""Reading the figure of marginals: figures of the same look drawn from known numbers, and the authors' two pictures."""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from genexpy_nb.chapters.shared import made
from genexpy_nb.chapters.tradeoff import published_tradeoff
from runs.figure2 import COLOURS, DIMENSIONS, PICTURES, ROWS, TICKS, digitize, find_frames, levels_of, read_picture

LEGENDS = ["upper right", "upper right", "upper left", "upper right", "lower left", "center"]
LOOKS = {"jpeg": (1001, 888), "png": (2665, 2373)}  # of the authors' pictures: pixels


def panel(rng, family, dimension, legend):
    """Draw a panel as the authors' plot_marginal_distribution.py does, and return it with its numbers and its ticks."""
    levels = levels_of(family, dimension)
    x = np.log(levels) if dimension == "size" else levels
    where = (x - x[0]) / np.ptp(x)
    fig, ax = plt.subplots(figsize=(10, 6), dpi=100)
    top, numbers, curves = rng.uniform(0.3, 1), [], []
    for colour in COLOURS.values():
        start, end = top * rng.uniform(0, 1, 2)
        bend = 0.3 * top * np.sin(np.pi * where) * rng.uniform(-1, 1)
        numbers.append(np.abs(start + (end - start) * where + bend + 0.02 * top * rng.normal(size=len(x))))
        ax.scatter(x, numbers[-1], color=np.array(colour) / 255)
        curves.append(np.polyfit(x - x.mean(), numbers[-1], 4))
    fine = np.linspace(x[0], x[-1], 300)
    names = ["Error Rate", "Kappa", "Std Error", "Std Kappa", "percentile_error", "percentile_kappa"]
    for curve, colour, name in zip(curves, COLOURS.values(), names, strict=True):
        ax.plot(fine, np.polyval(curve, fine - x.mean()), "--", color=np.array(colour) / 255, label=name)
    point = rng.uniform(x[0], x[-1])
    stars = [float(np.polyval(curve, point - x.mean())) for curve in curves[:2]]
    ax.axvline(point, color="cyan")
    for star in stars:
        ax.plot(point, star, "*", color="cyan", markersize=20)
    if dimension == "size":
        ax.set_xticks(x, [f"{int(size / 1e6)}M" for size in levels])
    ax.set_xlabel(dimension, fontsize=18)
    ax.set_ylabel("marginal distribution", fontsize=18)
    ax.tick_params(axis="x", labelsize=16)
    ax.tick_params(axis="y", labelsize=20)
    ax.legend(loc=legend, fontsize=22)
    fig.canvas.draw()
    ticks = [tick for tick in ax.get_yticks() if ax.get_ylim()[0] <= tick <= ax.get_ylim()[1]]
    picture = Image.fromarray(np.asarray(fig.canvas.buffer_rgba())[..., :3].copy())
    plt.close(fig)
    rows = [
        (level, name, value[i]) for name, value in zip(COLOURS, numbers, strict=True) for i, level in enumerate(levels)
    ]
    rows += [(np.nan, name, star) for name, star in zip(("error_mean", "kappa_mean"), stars, strict=True)]
    return picture, rows, (ticks[0], ticks[1] - ticks[0], len(ticks))


def drawn(seed, look, path):
    """Draw twelve panels into one picture, with letters below; return what is known, and the ticks."""
    rng = np.random.default_rng(seed)
    width, height = LOOKS[look]
    sheet, known, ticks = Image.new("RGB", (width, height), "white"), [], []
    for row, column in np.ndindex(4, 3):
        data, family = ROWS[row]
        dimension = DIMENSIONS[column]
        picture, rows, labels = panel(rng, family, dimension, LEGENDS[rng.integers(len(LEGENDS))])
        size = round(0.97 * width / 3), round(0.97 * width / 3 * 0.6)
        corner = round(column * width / 3 + rng.integers(4)), round(row * height / 4 + rng.integers(4))
        sheet.paste(picture.resize(size, Image.Resampling.BICUBIC), corner)
        known += [(data, family, dimension, *each) for each in rows]
        ticks.append(labels)
    sheet.save(path, **({"quality": 100, "subsampling": 2} if look == "jpeg" else {}))
    return pd.DataFrame(known, columns=["data", "family", "dimension", "level", "statistic", "known"]), ticks


def compared(seed, look, folder):
    """Read a drawn figure; put what was read beside what is known."""
    path = folder / f"drawn.{look}"
    known, ticks = drawn(seed, look, path)
    read = digitize(path, "drawn", ticks)
    read["place"] = read["level"].where(read["seen"] != "star")
    both = read.merge(
        known, left_on=[*known.columns[:3], "place", "statistic"], right_on=[*known.columns[:5]], how="left"
    )
    spans = {i: step * (n - 1) for i, (_, step, n) in enumerate(ticks)}
    panels = [3 * ROWS.index((data, family)) + DIMENSIONS.index(d) for data, family, d in read.iloc[:, 1:4].to_numpy()]
    return both.assign(off=(both["value"] - both["known"]).abs(), span=[spans[i] for i in panels])


# --- figures with known numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("look", LOOKS)
def test_stated_errors_cover_what_was_drawn(look, tmp_path):
    table = compared(1, look, tmp_path)
    dots, stars = table[table["seen"] != "star"], table[table["seen"] == "star"]
    found = dots[dots["seen"] != "missing"]
    assert len(dots) == 6 * 2 * (2 * (9 + 6) + 5 + 8) and len(stars) == 24
    assert len(found) >= 0.9 * len(dots) and dots.loc[dots["seen"] == "missing", "value"].isna().all()
    right = (found["off"] <= found["reading_error"]).groupby(found["seen"]).mean()
    assert (right[["free", "faded"]] >= 0.95).all() and right["covered"] >= 0.8
    wrong = found["off"] > 0.05 * found["span"]  # so far off, it is the dot of something else
    assert wrong.sum() <= 1 and not wrong[found["seen"] == "free"].any()
    assert (stars["off"] <= 2 * stars["reading_error"]).mean() >= 0.9
    free = found[found["seen"] == "free"]
    assert (free["reading_error"] <= 0.02 * free["span"]).all()


def test_a_picture_without_twelve_panels_is_refused(tmp_path):
    path = tmp_path / "white.png"
    Image.new("RGB", (400, 300), "white").save(path)
    assert find_frames(np.full((300, 400), 255.0)) == []
    with pytest.raises(ValueError, match="12 panels are described, and 0 were found"):
        digitize(path, "paper", TICKS["paper"])


# --- the authors' pictures --------------------------------------------------------------------------------------------

BUNDLED = made("figure2")
PICTURE = {"paper": "example_graph.jpg", "article": "example_graph.png"}


@pytest.mark.parametrize("source", PICTURES)
def test_the_bundled_table_is_what_the_picture_gives(source):
    folder = os.environ.get("GENEXPY_NB_FIGURE2", "nowhere")
    path = Path(folder, PICTURE[source])
    if not path.is_file():
        pytest.skip(f"needs {path.name} of the authors' repository: GENEXPY_NB_FIGURE2 names its folder")
    read = read_picture(path, source)
    kept = BUNDLED.query("source == @source").reset_index(drop=True)
    assert read.iloc[:, :4].equals(kept.iloc[:, :4]) and list(read["seen"]) == list(kept["seen"])
    np.testing.assert_allclose(read["value"], kept["value"], rtol=1e-3)


@pytest.mark.parametrize("source", PICTURES)
def test_every_dot_of_both_figures_is_there_or_counted_as_missing(source):
    dots = BUNDLED.query("source == @source and seen != 'star'")
    assert len(dots) == 516 and dots["value"].isna().equals(dots["seen"] == "missing")
    assert (dots["seen"] == "missing").mean() < 0.1
    assert set(dots["seen"]) == {"free", "faded", "covered", "missing"}


@pytest.mark.parametrize(("source", "printed"), [("paper", "points"), ("article", "article")])
def test_stars_lie_at_the_printed_points(source, printed):
    stars = BUNDLED.query("source == @source and seen == 'star'")
    place = stars.groupby(["data", "family", "dimension"])["level"].first().unstack()
    points = published_tradeoff(printed).set_index(["data", "family"]).sort_index()
    assert (place[["ssim", "zero_shot"]] - points[["ssim", "zero_shot"]]).abs().to_numpy().max() < 0.004
    assert (place["size"] / points["size"] - 1).abs().max() < 0.04


def test_stars_are_where_they_were_read_by_eye():
    by_eye = {
        ("ImageNet", "CLIP"): [(0.357, 0.076), (0.331, 0.099), (0.401, 0.082)],
        ("ImageNet", "EfficientNet"): [(0.184, 0.068), (0.242, 0.120), (0.187, 0.033)],
        ("CIFAR-100", "CLIP"): [(0.834, 0.168), (0.846, 0.133), (0.871, 0.190)],
        ("CIFAR-100", "EfficientNet"): [(0.854, 0.155), (0.917, 0.119), (0.927, 0.130)],
    }
    stars = BUNDLED.query("source == 'paper' and seen == 'star'").set_index(
        ["data", "family", "dimension", "statistic"]
    )
    for row, pairs in by_eye.items():
        for dimension, pair in zip(DIMENSIONS, pairs, strict=True):
            for name, value in zip(("error_mean", "kappa_mean"), pair, strict=True):
                star = stars.loc[(*row, dimension, name)]
                assert abs(star["value"] - value) <= 0.005 + star["reading_error"]


@pytest.mark.parametrize("source", PICTURES)
def test_a_star_lies_on_the_curve_through_its_dots(source):
    """The authors fit polynomials of degree 4; with five sizes, they pass through all dots."""
    table, n = BUNDLED.query("source == @source").copy(), 0
    table["x"] = table["level"].where(table["dimension"] != "size", np.log(table["level"].clip(1)))
    for _, part in table.groupby(["data", "family", "dimension", "statistic"]):
        dots, star = part[part["seen"].isin(["free", "faded", "covered"])], part[part["seen"] == "star"]
        levels = (part["seen"] != "star").sum()
        if len(star) and len(dots) == levels:
            mean = dots["x"].mean()
            curve = np.polyfit(dots["x"] - mean, dots["value"], 4)
            off = abs(np.polyval(curve, star["x"].iloc[0] - mean) - star["value"].iloc[0])
            assert off <= 2 * star["reading_error"].iloc[0] + 2 * dots["reading_error"].max()
            n += 1
    assert n >= 12
