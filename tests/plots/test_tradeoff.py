"""Figures of the trade-off point: what they show is what the frames say."""

from itertools import product

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from example_cells import example_table
from matplotlib.patches import Rectangle

from genexpy_nb.plots import tradeoff as plots
from genexpy_nb.plots.style import WIDTH, tint
from genexpy_nb.tradeoff.array import DIMENSIONS, NoiseAxis, over_seeds, to_array
from genexpy_nb.tradeoff.point import tradeoff_point, tradeoff_points_by_seed, weight_sensitivity
from genexpy_nb.tradeoff.signerror import sign_error_table, summarise
from genexpy_nb.tradeoff.slices import marginals, slice_marginal

pytestmark = pytest.mark.usefixtures("styled")

# The first one would be mathematics, the second one would be left out of legends.
FAMILIES = ("$a_1$ & $b$", "_hidden")


@pytest.fixture(scope="module")
def arrays():
    tables = [example_table(n_seeds=4, rng=seed) for seed in range(2)]
    tables[1]["size"] *= 2
    return {family: to_array(table) for family, table in zip(FAMILIES, tables, strict=True)}


@pytest.fixture(scope="module")
def points(arrays):
    return {family: tradeoff_point(array) for family, array in arrays.items()}


def of_each(arrays, function):
    """Concatenate what a function says of each family, in an order that no figure should depend on."""
    tables = [function(array).assign(family=family) for family, array in arrays.items()]
    return pd.concat([table.sample(frac=1, random_state=0) for table in tables], ignore_index=True)


def colour_of(family):
    return f"C{FAMILIES.index(family)}"


def lines_of(ax, family, **properties):
    """Return the lines in the colour of a family."""
    same = [line for line in ax.lines if mpl.colors.same_color(line.get_color(), colour_of(family))]
    return [line for line in same if all(getattr(line, f"get_{k}")() == v for k, v in properties.items())]


def names_in_legend(fig):
    texts = fig.legends[0].get_texts()
    assert not any(text.get_parse_math() for text in texts)
    return [text.get_text() for text in texts]


def band(collection):
    """Return the vertices of a band, sorted: the polygon goes forth along one end and back along the other."""
    return np.unique(np.vstack([path.vertices for path in collection.get_paths()]), axis=0)


def drawn(fig):
    """Draw it, check its width, and that no text of a user's is mathematics; matplotlib's own has mathdefault."""
    fig.draw_without_rendering()
    texts = [text for text in fig.findobj(mpl.text.Text) if "mathdefault" not in text.get_text()]
    assert not any(text.get_parse_math() for text in texts if "$" in text.get_text() and text.get_visible())
    assert fig.get_size_inches()[0] == WIDTH
    return fig


# --- noise ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3, 8, 6), (2, 5, 5, 3)])
def test_images_are_in_their_row_and_column(shape):
    rng = np.random.default_rng(0)
    images = {level: rng.random(shape) for level in (0.6, 1.0, 0.8)}
    names = ["$six$", "_9", "0"][: shape[0]]
    axes = drawn(plots.noise_levels(images, names)).axes
    assert [ax.get_title(loc="center") for ax in axes] == ["SSIM 1", "0.8", "0.6"]
    for ax, level in zip(axes, (1.0, 0.8, 0.6), strict=True):
        tops = [image.get_extent()[3] for image in ax.images]
        assert tops == sorted(tops) and ax.yaxis_inverted()
        for image, expected in zip(ax.images, images[level], strict=True):
            np.testing.assert_array_equal(image.get_array(), expected)
            assert (image.cmap.name, image.get_clim()) == ("gray", (0, 1))
        assert not len(ax.get_xticks())
    labels = axes[0].get_yticklabels()
    assert [text.get_text() for text in labels] == names and not labels[0].get_parse_math()
    for image, middle in zip(axes[0].images, axes[0].get_yticks(), strict=True):
        assert image.get_extent()[3] < middle < image.get_extent()[2]
    assert not any(len(ax.get_yticks()) for ax in axes[1:])


# --- cells ------------------------------------------------------------------------------------------------------------


def test_each_cell_has_its_place_and_one_scale_serves_all(arrays):
    points = {family: tradeoff_point(array, {"ssim": 10}) for family, array in arrays.items()}
    assert [point.ssim for point in points.values()] == [0.6, 0.6]
    fig = drawn(plots.cell_maps(arrays, points))
    axes = np.reshape(fig.axes[:6], (2, 3))
    means = {family: over_seeds(array)["error_mean"] for family, array in arrays.items()}
    everything = np.concatenate([mean.to_numpy().ravel() for mean in means.values()])
    for row, (family, mean) in zip(axes, means.items(), strict=True):
        label = row[0].yaxis.label
        assert label.get_text().startswith(family) and not label.get_parse_math()
        outlines = []
        for ax, level in zip(row, (0, 0.25, 0.5), strict=True):
            (image,) = ax.images
            assert image.get_clim() == (everything.min(), everything.max())
            for (y, size), (x, ssim) in product(enumerate(mean["size"]), enumerate((1, 0.8, 0.6))):
                assert image.get_array()[y, x] == mean.sel(zero_shot=level, ssim=ssim, size=size)
            outlines += [(level, patch.get_xy()) for patch in ax.patches if isinstance(patch, Rectangle)]
            assert image.origin == "lower"
        point = points[family]
        corner = ([1, 0.8, 0.6].index(point.ssim) - 0.5, list(mean["size"]).index(point.size) - 0.5)
        assert outlines == [(point.zero_shot, corner)]
    assert [text.get_text() for text in axes[1, 0].get_xticklabels()] == ["1", "0.8", "0.6"]
    assert [text.get_text() for text in axes[1, 0].get_yticklabels()] == ["200", "2k"]
    assert fig.axes[-1].get_ylabel() == "ErrorRate, mean over classes"


def test_missing_cells_and_levels_that_one_family_lacks_are_masked():
    table = example_table()
    gone = (table["ssim"] == 0.6) & (table["zero_shot"] == 0.25) & (table["size"] == 100)
    arrays = {"a": to_array(table[~gone], missing="drop"), "b": to_array(table[table["zero_shot"] < 0.5])}
    axes = drawn(plots.cell_maps(arrays)).axes
    masks = [np.ma.getmaskarray(ax.images[0].get_array()) for ax in axes[:6]]
    assert [mask.sum() for mask in masks] == [0, 1, 0, 0, 0, 6]
    assert masks[1][0, 2]
    assert all(ax.patch.get_hatch() for ax in axes[:6])
    point = tradeoff_point(to_array(table), weights={"zero_shot": 100})
    for family in arrays:
        plots.cell_maps({family: to_array(table)}, points={family: point})


# --- curves -----------------------------------------------------------------------------------------------------------


def noise_table():
    rng = np.random.default_rng(1)
    index = pd.MultiIndex.from_product([FAMILIES, [0.6, 0.8, 1.0], ["p$_1$", "q"]], names=["family", "ssim", "panel"])
    table = pd.DataFrame({"estimate": rng.random(len(index))}, index).reset_index()
    return table.assign(low=table["estimate"] - 0.1, high=table["estimate"] + 0.2)


def test_error_from_clean_to_noisy():
    table = noise_table()
    fig = drawn(plots.error_over_noise(table, label="a $label"))
    assert names_in_legend(fig) == list(FAMILIES)
    assert fig.axes[0].get_ylabel() == "a $label" and not fig.axes[0].yaxis.label.get_parse_math()
    for ax, panel in zip(fig.axes, ("p$_1$", "q"), strict=True):
        assert ax.get_title(loc="left") == panel and ax.xaxis_inverted()
        for i, family in enumerate(FAMILIES):
            part = table[(table["family"] == family) & (table["panel"] == panel)].iloc[::-1]
            (line,) = lines_of(ax, family)
            np.testing.assert_array_equal(line.get_xydata(), part[["ssim", "estimate"]])
            ends = np.vstack([part[["ssim", "low"]], part[["ssim", "high"]]])
            np.testing.assert_allclose(band(ax.collections[i]), np.unique(ends, axis=0))


@pytest.mark.parametrize("chosen", [("error", "kappa"), ("kappa",)])
def test_marginals_of_each_statistic(arrays, points, chosen):
    table = of_each(arrays, marginals)
    table = table[table["statistic"].str.startswith(chosen)]
    fig = drawn(plots.marginal_panels(table, points))
    axes = np.reshape(fig.axes, (3, len(chosen))).T
    assert names_in_legend(fig)[:2] == list(FAMILIES) and names_in_legend(fig)[-1] == "trade-off point"
    styles = {"mean": "-", "std": "--", "p10": ":"}
    for kind, row in zip(chosen, axes, strict=True):
        for dimension, ax in zip(DIMENSIONS, row, strict=True):
            bands = iter(ax.collections)
            for family in FAMILIES:
                rows = table[(table["family"] == family) & (table["dimension"] == dimension)].sort_values("level")
                for name, style in styles.items():
                    part = rows[rows["statistic"] == f"{kind}_{name}"]
                    (line,) = lines_of(ax, family, linestyle=style)
                    np.testing.assert_array_equal(line.get_xydata(), part[["level", "estimate"]])
                    ends = np.vstack([part[["level", "low"]], part[["level", "high"]]])
                    np.testing.assert_allclose(band(next(bands)), np.unique(ends, axis=0))
                (mark,) = lines_of(ax, family, linestyle="None")
                mean = rows[rows["statistic"] == f"{kind}_mean"].set_index("level")["estimate"]
                level = getattr(points[family], dimension)
                np.testing.assert_array_equal(mark.get_xydata(), [[level, mean[level]]])
    assert [ax.get_xscale() for ax in axes[0]] == ["linear", "linear", "log"]
    assert [ax.xaxis_inverted() for ax in axes[-1]] == [False, True, False]


@pytest.mark.parametrize("size_scale", ["linear", "log"])
def test_the_point_at_each_weight(arrays, size_scale):
    table = of_each(arrays, lambda array: weight_sensitivity(array, [0.1, 1, 10]))
    fig = drawn(plots.weight_curves(table, size_scale))
    assert names_in_legend(fig) == [*FAMILIES, "minimax, without weights"]
    axes = np.reshape(fig.axes, (3, 4))
    of_scale = table[table["size_scale"] == size_scale]
    for name, row in zip(("ssim", "zero_shot", "size"), axes, strict=True):
        assert row[0].get_yscale() == ("log" if name == "size" else "linear")
        for varied, ax in zip(("ssim", "zero_shot", "size", "all"), row, strict=True):
            assert ax.get_xscale() == "log"
            widths = []
            for family in FAMILIES:
                rows = of_scale[of_scale["family"] == family].sort_values("weight")
                (steps,) = lines_of(ax, family, drawstyle="steps-mid")
                np.testing.assert_array_equal(steps.get_xydata(), rows.loc[rows["varied"] == varied, ["weight", name]])
                (dots,) = lines_of(ax, family, drawstyle="default")
                np.testing.assert_array_equal(dots.get_ydata(), [rows.loc[rows["varied"] == "none", name].item()] * 2)
                widths.append(steps.get_linewidth())
            assert widths[0] > 2 * widths[1]  # the second one lies on top
            assert steps.zorder >= lines_of(ax, FAMILIES[0])[0].zorder


def test_weights_of_zero_and_tables_without_minimax(arrays):
    table = of_each(arrays, lambda array: weight_sensitivity(array, [0, 1, 10]))
    fig = drawn(plots.weight_curves(table[(table["varied"] != "all") & (table["method"] == "weighted")]))
    assert len(fig.axes) == 9 and fig.axes[0].get_xscale() == "symlog"
    assert names_in_legend(fig) == list(FAMILIES)


def test_sizes_are_called_what_they_count(arrays):
    means = {name: over_seeds(array) for name, array in arrays.items()}
    for unit, label in (("leaves", "size, leaves"), ("", "size"), ("$x", "size, $x")):
        maps = (plots.cell_maps(means, size_unit=unit), plots.edition_maps({"cohen": means}, size_unit=unit))
        for fig in maps:
            assert fig.axes[0].get_ylabel().split("\n")[1] == label
        spread = pd.concat([tradeoff_points_by_seed(array).assign(family=name) for name, array in arrays.items()])
        assert plots.point_spread(spread, size_unit=unit).axes[2].get_xlabel() == label
        table = pd.concat([slice_marginal(array).assign(family=name) for name, array in arrays.items()])
        fig = plots.size_marginals(table, size_unit=unit, titles={"ssim": "Cleanest level (blur = $1)"})
        assert (fig.axes[0].get_xlabel(), fig.axes[0].get_title(loc="left")) == (label, "Cleanest level (blur = $1)")


def test_curves_over_the_size_and_their_mean(arrays):
    names = ("zero_shot", "ssim")
    table = pd.concat([of_each(arrays, lambda array, name=name: slice_marginal(array, name)) for name in names])
    table.loc[(table["seed"] == 2) & (table["size"] == 1000), "estimate"] = np.nan
    fig = drawn(plots.size_marginals(table, "error $ rate"))
    assert names_in_legend(fig) == [*FAMILIES, "one seed"]
    titles = ["No unseen classes (ZeroShot = 0)", "Without noise"]
    assert [ax.get_title(loc="left") for ax in fig.axes] == titles
    for name, ax in zip(names, fig.axes, strict=True):
        assert ax.get_xscale() == "log" and ax.get_ylim()[0] == 0
        for family in FAMILIES:
            rows = table[(table["slice"] == name) & (table["family"] == family)].sort_values(["seed", "size"])
            *seeds, mean = lines_of(ax, family)
            for line, (_, part) in zip(seeds, rows.groupby("seed"), strict=True):
                np.testing.assert_array_equal(line.get_xydata(), part[["size", "estimate"]])
                assert line.get_linewidth() < mean.get_linewidth()
            values = rows["estimate"].to_numpy().reshape(4, 2)
            np.testing.assert_allclose(mean.get_ydata(), values.mean(axis=0))
            assert np.isnan(mean.get_ydata()[1]) == (family == FAMILIES[0])
    below = table[table["family"] == FAMILIES[0]].assign(estimate=-0.1)
    assert drawn(plots.size_marginals(below)).axes[0].get_ylim()[0] < -0.1


# --- spread -----------------------------------------------------------------------------------------------------------


def test_seeds_are_counted_where_their_points_are(arrays, points):
    table = of_each(arrays, tradeoff_points_by_seed)
    table.loc[table.index[0], ["zero_shot", "ssim", "size"]] = [0.0, 0.6, 1000]
    fig = drawn(plots.point_spread(table, points))
    labels = fig.axes[0].get_yticklabels()
    assert [text.get_text() for text in labels] == list(FAMILIES) and not labels[0].get_parse_math()
    for name, ax in zip(DIMENSIONS, fig.axes, strict=True):
        written = {text.get_position(): int(text.get_text()) for text in ax.texts}
        expected = {
            (level, -i): (table.loc[table["family"] == family, name] == level).sum()
            for i, family in enumerate(FAMILIES)
            for level in table.loc[table["family"] == family, name]
        }
        assert written == expected
        for bubbles, family in zip(ax.collections, FAMILIES, strict=True):
            counts = [written[tuple(place)] for place in bubbles.get_offsets()]
            np.testing.assert_allclose(bubbles.get_sizes() / 600, np.array(counts) / 4)
            assert mpl.colors.same_color(bubbles.get_facecolor()[0], tint(colour_of(family), 0.45))
            (mark,) = lines_of(ax, family)
            assert mark.get_xdata() == [getattr(points[family], name)]
    assert [ax.get_xscale() for ax in fig.axes] == ["linear", "linear", "log"]
    assert fig.axes[1].xaxis_inverted()
    assert names_in_legend(drawn(plots.point_spread(table))) == ["seeds with their point here"]


# --- sign-errors ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def summary():
    rng = np.random.default_rng(3)
    sizes, measures = 100 * 2 ** np.arange(8), ["_m", "$n$", "params", "l2", "l2_twice", "flat"]
    index = pd.MultiIndex.from_product([FAMILIES, range(3), sizes], names=["family", "seed", "size"])
    table = pd.DataFrame(rng.random((len(index), len(measures))), index, pd.Index(measures, name="measure"))
    table["l2_twice"] = 2 * table["l2"]
    table["params"] = table.index.get_level_values("size")
    table["flat"] = np.nan
    # In the second family alone, one more measure is in the group of l2: no reason to merge them.
    table.loc["_hidden", "$n$"] = np.exp(table.loc["_hidden", "l2"].to_numpy())
    names = ["family", "slice", "seed", "size"]
    target = pd.MultiIndex.from_product([FAMILIES, ["ssim", "zero_shot"], range(3), sizes], names=names)
    target = pd.DataFrame({"estimate": rng.random(len(target))}, target).reset_index()
    return summarise(sign_error_table(table.melt(value_name="value", ignore_index=False).reset_index(), target))


def test_each_sign_error_stands_beside_its_band(summary):
    summary = summary.copy()
    summary.loc[summary["measure"] == "_m", "band_low"] = np.nan
    fig = drawn(plots.sign_errors(summary))
    labels = fig.axes[0].get_yticklabels()
    names = [text.get_text() for text in labels]
    by_mean = summary.groupby("measure")["estimate"].mean()
    others = {"_m": "_m", "$n$": "$n$", "l2": "l2 (= l2_twice)", "flat": "flat"}
    assert names == ["params", *(others[name] for name in by_mean[list(others)].sort_values(na_position="last").index)]
    assert not any(text.get_parse_math() for text in labels)
    assert [text.get_fontweight() == "bold" for text in labels] == [True] + [False] * 4
    assert names_in_legend(fig) == [*FAMILIES, "within chance"]
    lookup = summary.set_index(["slice", "family", "measure"])
    for name, ax in zip(("ssim", "zero_shot"), fig.axes, strict=True):
        dots, lines, bands = {}, {}, {}
        for collection in ax.collections:
            if isinstance(collection, mpl.collections.LineCollection):
                ((start, end),) = collection.get_segments()
                lines[start[1]] = (start[0], end[0])
            else:
                ((x, y),) = collection.get_offsets()
                dots[y] = (x, collection.get_facecolor()[0])
        for patch in ax.patches:
            bands[patch.get_y() + patch.get_height() / 2] = (patch.get_x(), patch.get_x() + patch.get_width())
            assert patch.get_height() == 0.5
        assert dots.keys() == lines.keys() and len(dots) == len(bands) == 8
        for (y, (mean, colour)), middle in zip(sorted(dots.items()), sorted(bands), strict=True):
            assert abs(y - middle) < 0.25  # a dot is within its own band
            row, second = divmod(round(4 * middle + 1) // 2, 2)
            family, measure = FAMILIES[second], names[row].split()[0]
            expected = lookup.loc[(name, family, measure)]
            assert mean == expected["estimate"] and lines[y] == (expected["min"], expected["max"])
            assert mpl.colors.same_color(colour, colour_of(family))
            low = 0 if measure == "_m" else expected["band_low"]
            np.testing.assert_allclose(bands[middle], [low, expected["band_high"]])


def test_sign_errors_of_one_family_another_baseline_and_an_own_slice(summary):
    one = summary[(summary["family"] == "_hidden") & (summary["slice"] == "ssim")].assign(slice="$own$ slice")
    fig = drawn(plots.sign_errors(one, baseline="l2_twice"))
    (ax,) = fig.axes
    assert ax.get_title(loc="left") == "$own$ slice"
    assert ax.get_yticklabels()[0].get_text() == "l2_twice (= $n$, l2)"
    assert not any(text.get_fontweight() == "bold" for text in plots.sign_errors(one, "none").axes[0].get_yticklabels())
    lacking = summary[(summary["family"] != "_hidden") | (summary["measure"] != "_m")]
    both = drawn(plots.sign_errors(lacking)).axes[0]
    assert len(both.patches) == 7


def test_long_groups_are_cut():
    members = [f"a_measure_with_a_long_name_{i}" for i in range(5)]
    row = {"family": "f", "slice": "ssim", "estimate": 0.2, "min": 0.1, "max": 0.3}
    row |= {"band_low": 0.179, "band_high": 0.821}
    table = pd.DataFrame([row | {"measure": name, "group": members[0]} for name in members])
    (label,) = plots.sign_errors(table).axes[0].get_yticklabels()
    assert label.get_text() == f"{members[0]}\n(= {members[1]}, + 3)"


# --- what is asked of all frames --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "labels"),
    [
        ([972, 1899, 4066, 8122], ["972", "1.9k", "4.1k", "8.1k"]),
        ([32850, 64602, 131124], ["33k", "65k", "131k"]),
        ([5.3e6, 12e6, 167e6, 1.5e9], ["5.3M", "12M", "167M", "1.5G"]),
        ([999, 9949, 9960, 999600], ["999", "9.9k", "10k", "1M"]),
        ([100100, 100200], ["100,100", "100,200"]),  # short ones would be the same
    ],
)
def test_sizes_in_few_characters(sizes, labels):
    table = example_table()
    table = pd.concat([table[table["size"] == 100].assign(size=size) for size in sizes])
    axes = plots.cell_maps({"f": to_array(table)}).axes
    assert [text.get_text() for text in axes[0].get_yticklabels()] == labels


@pytest.fixture(scope="module")
def editions(arrays):
    other = {family: array.assign(kappa_mean=-3 * array["kappa_mean"]) for family, array in arrays.items()}
    return {"conflict": other, "a $b$": arrays}


def test_editions_of_kappa_beside_the_error(editions, arrays, points):
    fig = drawn(plots.edition_maps(editions, {"a $b$": points}))
    maps = [ax for ax in fig.axes if ax.images]
    assert [ax.get_title(loc="left") for ax in maps[:3]] == ["error", "conflict", "a $b$"]
    for row, (family, array) in enumerate(arrays.items()):
        means = over_seeds(array).mean("zero_shot")
        for column, (statistic, factor) in enumerate([("error_mean", 1), ("kappa_mean", -3), ("kappa_mean", 1)]):
            ax = maps[3 * row + column]
            shown = factor * means[statistic].transpose("size", "ssim").to_numpy()[:, ::-1]
            np.testing.assert_allclose(ax.images[0].get_array(), shown)
            marks = [line.get_xydata()[0].tolist() for line in ax.lines]
            noise, sizes = means["ssim"].to_numpy()[::-1].tolist(), means["size"].to_numpy().tolist()
            here = [[noise.index(points[family].ssim), sizes.index(points[family].size)]]
            assert marks == (here if column == 2 else [])


def test_choices_one_row_each_and_the_first_one_as_a_line():
    options = [("as in the code", "code"), ("scale", "unit $x$"), ("weights", "other")]
    table = pd.DataFrame(
        [(f, *o, 0.1 * i, 0.6 + 0.1 * i, 10 * (i + 1)) for f in FAMILIES for i, o in enumerate(options)],
        columns=["family", "choice", "option", *DIMENSIONS],
    )
    fig = drawn(plots.choice_points(table))
    labels = [text.get_text() for text in fig.axes[0].get_yticklabels()]
    assert labels == ["code", "scale: unit $x$", "weights: other"]
    for ax, name in zip(fig.axes, ("ssim", "zero_shot", "size"), strict=True):
        for family, dots in zip(FAMILIES, ax.collections, strict=True):
            part = table[table["family"] == family]
            np.testing.assert_allclose(dots.get_offsets()[:, 0], part[name])
            assert np.abs(dots.get_offsets()[:, 1] + np.arange(3)).max() < 0.5
            assert lines_of(ax, family)[0].get_xdata()[0] == part[name].iloc[0]
        assert ax.get_xlim()[0] > ax.get_xlim()[1] or name == "zero_shot"


def test_another_noise_axis_is_named_and_has_its_noisy_end_at_the_right(arrays):
    blurred = {
        family: array.assign_coords(ssim=10 * (1 - array["ssim"])).assign_attrs(noise="$b$lur", cleaner="low")
        for family, array in arrays.items()
    }
    axis = NoiseAxis.of(next(iter(blurred.values())))
    fig = drawn(plots.cell_maps(blurred))
    usual = drawn(plots.cell_maps(arrays))
    np.testing.assert_array_equal(fig.axes[0].images[0].get_array(), usual.axes[0].images[0].get_array())
    table = of_each(blurred, lambda array: marginals(array))
    fig = drawn(plots.marginal_panels(table, noise=axis))
    noise = next(ax for ax in fig.axes if ax.get_xlabel() == "$b$lur; noise grows to the right")
    assert noise.get_xlim()[0] < 0 < 4 < noise.get_xlim()[1]
