"""Figures of the trade-off point: what they show is what the frames say."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from example_cells import example_table

from genexpy_nb.chapters.tradeoff import averaged_sign_errors
from genexpy_nb.plots import tradeoff as plots
from genexpy_nb.plots.tradeoff import WIDTH
from genexpy_nb.tradeoff.array import NoiseAxis, over_seeds, to_array
from genexpy_nb.tradeoff.point import tradeoff_point, weight_sensitivity

pytestmark = pytest.mark.usefixtures("styled")

# The first one would be mathematics, the second one would be left out of legends.
FAMILIES = ("$a_1$ & $b$", "_hidden")


@pytest.fixture(scope="module")
def arrays():
    tables = [example_table(n_seeds=4, rng=seed) for seed in range(2)]
    tables[1]["size"] *= 2
    return {family: to_array(table) for family, table in zip(FAMILIES, tables, strict=True)}


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
    axes = drawn(plots.noise_levels(images)).axes
    assert [ax.get_title(loc="center") for ax in axes] == ["1", "0.8", "0.6"]
    for ax, level in zip(axes, (1.0, 0.8, 0.6), strict=True):
        tops = [image.get_extent()[3] for image in ax.images]
        assert tops == sorted(tops) and ax.yaxis_inverted()
        for image, expected in zip(ax.images, images[level], strict=True):
            np.testing.assert_array_equal(image.get_array(), expected)
            assert (image.cmap.name, image.get_clim()) == ("gray", (0, 1))
        assert not len(ax.get_xticks())


# --- cells ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def points(arrays):
    """Points of which the first is drawn to noise."""
    return {family: tradeoff_point(array, {"ssim": 10 * (i == 0)}) for i, (family, array) in enumerate(arrays.items())}


def test_maps_show_mean_errors_and_each_point_where_it_is(arrays, points):
    fig = drawn(plots.point_maps(arrays, points))
    means = {family: over_seeds(array)["error_mean"].mean("zero_shot") for family, array in arrays.items()}
    everything = np.concatenate([mean.to_numpy().ravel() for mean in means.values()])
    assert fig.get_supylabel() == "size"
    for ax, (family, mean) in zip(fig.axes, means.items(), strict=False):
        assert ax.get_title(loc="left") == family
        (image,) = ax.images
        np.testing.assert_allclose(image.get_clim(), (everything.min(), everything.max()))
        np.testing.assert_allclose(image.get_array(), mean.transpose("size", "ssim").to_numpy()[:, ::-1])
        assert image.origin == "lower"
        (mark,) = ax.lines
        place = [1, 0.8, 0.6].index(points[family].ssim), list(mean["size"]).index(points[family].size)
        assert mark.get_xydata().tolist() == [list(place)]
        assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "0.8", "0.6"]
    assert points[FAMILIES[0]].ssim == 0.6 and len({point.ssim for point in points.values()}) == 2


def test_what_is_missing_is_blank_on_a_map():
    table = example_table()
    gone = (table["ssim"] == 0.6) & (table["zero_shot"] == 0.25) & (table["size"] == 100)
    arrays = {"a": to_array(table[~gone], missing="drop"), "b": to_array(table)}
    axes = drawn(plots.point_maps(arrays, {name: tradeoff_point(array) for name, array in arrays.items()})).axes
    masks = [np.ma.getmaskarray(ax.images[0].get_array()) for ax in axes[:2]]
    assert [mask.sum() for mask in masks] == [1, 0] and masks[0][0, 2]


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


def test_the_point_at_each_weight(arrays):
    table = of_each(arrays, weight_sensitivity)
    fig = drawn(plots.weight_curves(table))
    assert names_in_legend(fig) == list(FAMILIES)
    assert fig.axes[2].get_ylabel() == "size" and fig.axes[2].get_yscale() == "log"
    for name, ax in zip(("ssim", "zero_shot", "size"), fig.axes, strict=True):
        assert ax.get_xscale() == "log"
        widths = []
        for family in FAMILIES:
            rows = table[table["family"] == family].sort_values("weight")
            (steps,) = lines_of(ax, family, drawstyle="steps-mid")
            np.testing.assert_array_equal(steps.get_xydata(), rows[["weight", name]])
            widths.append(steps.get_linewidth())
        assert widths[0] > 2 * widths[1]  # the second one lies on top


def test_another_noise_axis_is_named_and_has_its_noisy_end_at_the_right(arrays, points):
    blurred = {
        family: array.assign_coords(ssim=10 * (1 - array["ssim"])).assign_attrs(noise="$b$lur", cleaner="low")
        for family, array in arrays.items()
    }
    axis = NoiseAxis.of(next(iter(blurred.values())))
    at = {family: tradeoff_point(array) for family, array in blurred.items()}
    fig = drawn(plots.point_maps(blurred, at))
    usual = drawn(plots.point_maps(arrays, points))
    np.testing.assert_array_equal(fig.axes[0].images[0].get_array(), usual.axes[0].images[0].get_array())
    curves = noise_table().assign(ssim=lambda table: 10 * (1 - table["ssim"]))
    ax = drawn(plots.error_over_noise(curves, noise=axis)).axes[0]
    assert ax.get_xlim()[0] < 0 < 4 < ax.get_xlim()[1]
    assert fig.get_supxlabel() == "$b$lur; noise grows to the right"
    table = of_each(arrays, weight_sensitivity)
    assert plots.weight_curves(table, axis).axes[0].get_ylabel() == "$b$lur"


def test_the_difference_of_two_families_stands_beside_zero():
    table = noise_table().query("family == @FAMILIES[0] and panel == 'q'")
    others = pd.concat([table.assign(share=share, estimate=share) for share in (0.1, 0.2)])
    (ax,) = drawn(plots.difference_over_noise(table, FAMILIES, others=others)).axes
    assert [line.get_ydata()[0] for line in ax.lines if line.get_linewidth() == 0.8] == [0.1, 0.2]
    (bars,) = ax.containers
    points, _, (intervals,) = bars
    np.testing.assert_allclose(points.get_xydata(), table[["ssim", "estimate"]])
    ends = np.array([segment[:, 1] for segment in intervals.get_segments()])
    np.testing.assert_allclose(ends, table[["low", "high"]])
    above, below = ax.texts  # where the difference is positive, the second family errs less
    assert above.get_text() == f"{FAMILIES[1]} err less" and below.get_text() == f"{FAMILIES[0]} err less"
    assert above.get_position()[1] > below.get_position()[1] and ax.xaxis_inverted()


# --- sign-errors ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def averaged():
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
    return averaged_sign_errors(table.melt(value_name="value", ignore_index=False).reset_index(), target)


def test_each_sign_error_stands_beside_its_band(averaged):
    averaged = averaged.copy()
    averaged.loc[averaged["measure"] == "_m", "band_low"] = np.nan
    fig = drawn(plots.sign_errors(averaged))
    labels = fig.axes[0].get_yticklabels()
    names = [text.get_text() for text in labels]
    by_mean = averaged.groupby("measure")["sign_error"].mean()
    others = {"_m": "_m", "$n$": "$n$", "l2": "l2 (= l2_twice)", "flat": "flat"}
    assert names == ["params", *(others[name] for name in by_mean[list(others)].sort_values(na_position="last").index)]
    assert not any(text.get_parse_math() for text in labels)
    assert [text.get_fontweight() == "bold" for text in labels] == [True] + [False] * 4
    assert names_in_legend(fig) == [*FAMILIES, "within chance"]
    lookup = averaged.set_index(["slice", "family", "measure"])
    for name, ax in zip(("ssim", "zero_shot"), fig.axes, strict=True):
        dots, bands, hollow = {}, {}, []
        for collection in ax.collections:
            ((x, y),) = collection.get_offsets()
            dots[y] = (x, collection.get_edgecolor()[0])
            if mpl.colors.same_color(collection.get_facecolor()[0], "white"):
                hollow.append(y)
        for patch in ax.patches:
            bands[patch.get_y() + patch.get_height() / 2] = (patch.get_x(), patch.get_x() + patch.get_width())
            assert patch.get_height() == 0.5
        assert len(dots) == len(bands) == 8
        for (y, (value, colour)), middle in zip(sorted(dots.items()), sorted(bands), strict=True):
            assert abs(y - middle) < 0.25  # a dot is within its own band
            row, second = divmod(round(4 * middle + 1) // 2, 2)
            family, measure = FAMILIES[second], names[row].split()[0]
            expected = lookup.loc[(name, family, measure)]
            assert value == expected["sign_error"] and mpl.colors.same_color(colour, colour_of(family))
            low = 0 if measure == "_m" else expected["band_low"]
            np.testing.assert_allclose(bands[middle], [low, expected["band_high"]])
        # in the second family, $n$ and l2 put the sizes into one order: it is filled in the first of the two rows
        (again,) = hollow
        assert names[round(again)].split()[0] == max("$n$", "l2", key=lambda each: names.index(others[each]))
        assert again > round(again)


def test_sign_errors_of_one_family_another_baseline_and_an_own_slice(averaged):
    one = averaged[(averaged["family"] == "_hidden") & (averaged["slice"] == "ssim")].assign(slice="$own$ slice")
    fig = drawn(plots.sign_errors(one, baseline="l2_twice"))
    (ax,) = fig.axes
    assert ax.get_title(loc="left") == "$own$ slice"
    assert ax.get_yticklabels()[0].get_text() == "l2_twice (= $n$, l2)"
    assert not any(text.get_fontweight() == "bold" for text in plots.sign_errors(one, "none").axes[0].get_yticklabels())
    lacking = averaged[(averaged["family"] != "_hidden") | (averaged["measure"] != "_m")]
    both = drawn(plots.sign_errors(lacking)).axes[0]
    assert len(both.patches) == 7


def test_long_groups_are_cut():
    members = [f"a_measure_with_a_long_name_{i}" for i in range(5)]
    row = {"family": "f", "slice": "ssim", "sign_error": 0.2, "band_low": 0.179, "band_high": 0.821}
    table = pd.DataFrame([row | {"measure": name, "group": members[0]} for name in members])
    labels = plots.sign_errors(table).axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == [members[0], f"(= {members[1]}, + 3)"]
    above, below = (label.get_position()[1] for label in labels)
    assert above == -below < 0


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
    array = to_array(table)
    axes = plots.point_maps({"f": array}, {"f": tradeoff_point(array)}).axes
    assert [text.get_text() for text in axes[0].get_yticklabels()] == labels
