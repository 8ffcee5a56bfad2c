"""Shuffled cells, other names, types, units and seeds: no analysis of the trade-off concludes anything else."""

import numpy as np
import pandas as pd
import pytest
from example_cells import example_table

from genexpy_nb import tradeoff
from genexpy_nb.chapters import tradeoff as chapter
from genexpy_nb.common.errors import StudyError
from genexpy_nb.tradeoff.array import objective
from genexpy_nb.tradeoff.compare import control_curves, family_differences, noise_curve, split_rise
from genexpy_nb.tradeoff.point import METHODS, SIZE_SCALES
from genexpy_nb.tradeoff.signerror import measure_groups, summarise
from genexpy_nb.tradeoff.slices import at_point

POINT = ["zero_shot", "ssim", "size"]
MEASURES = ["l2", "params", "margin", "noise", "flat"]


def cells(family=0, n_classes=5):
    """Errors of two digits, with many ties, three seeds."""
    table = example_table(n_seeds=3, n_classes=n_classes, rng=family)
    extra = table[table["size"] == 100].assign(size=317)
    extra["error_rate"] = (extra["error_rate"] * 0.9).round(2)
    table = pd.concat([table, extra], ignore_index=True)
    return table.assign(error_rate=table["error_rate"].round(2), kappa=table["kappa"].round(2))


def control(family=0):
    table = cells(family)
    return table[table["zero_shot"] == 0].assign(error_rate=lambda t: (t["error_rate"] * 1.1).clip(0, 1).round(2))


def shuffled(table):
    return table.sample(frac=1, random_state=3)


def renamed(table):
    """Other classes and seeds, of which the latter sort the same."""
    names = {f"c{i}": name for i, name in enumerate(["zeta", "<b>", "a $x$", "m & n", "0", "5", "six"])}
    return table.assign(**{"class": table["class"].map(names), "seed": table["seed"] * 10 + 7})


def categorical(table):
    """Categories in another order than the alphabet's, and one that does not occur."""
    levels = [*sorted(table["class"].unique(), reverse=True), "absent"]
    return table.assign(**{"class": pd.Categorical(table["class"], levels)})


def objects(table):
    return table.astype(object)


def text(table):
    return table.assign(size=table["size"].astype(str), ssim=table["ssim"].astype(str))


def nullable(table):
    return table.convert_dtypes()


def all_categorical(table):
    return table.astype(dict.fromkeys(["seed", "class", "size", "ssim", "zero_shot"], "category"))


def analyses(table, other, of_control, unit=1.0):
    """Name -> numbers; sizes divided by ``unit`` to make them comparable."""
    array, second, seen = map(tradeoff.to_array, (table, other, of_control))
    found = {
        "array": np.stack([array[name].to_numpy() for name in (*tradeoff.STATISTICS, "n_classes")]),
        "objective": objective(array).to_numpy(),
        "means": tradeoff.over_seeds(array)["kappa_p10"].to_numpy(),
    }
    points = {}
    for method in METHODS:
        for scale in SIZE_SCALES:
            point = tradeoff.tradeoff_point(array, 1.0, method, scale)
            points[method, scale] = [point.zero_shot, point.ssim, point.size / unit, point.value, point.n_ties]
            by_seed = tradeoff.tradeoff_points_by_seed(array, 1.0, method, scale)
            points[method, scale, "seeds"] = in_units(by_seed.drop(columns="seed"), unit)
            drawn = tradeoff.bootstrap_points(array, 200, 0, 1.0, method, scale)
            points[method, scale, "drawn"] = in_units(drawn, unit)
            ends = tradeoff.bootstrap_interval(drawn).set_index("dimension").loc[POINT].to_numpy()
            points[method, scale, "interval"] = ends / np.array([[1], [1], [unit]])
    found |= {f"point {name}": values for name, values in points.items()}
    weights = tradeoff.weight_sensitivity(array, [0.1, 1.0, 4.0])
    found["weights"] = in_units(weights[[*POINT, "n_ties"]], unit)
    box = tradeoff.tolerance_box(array, 0.35, "error_mean")
    found["box"] = [box.ssim, box.zero_shot, box.size / unit, box.n_cells, box.n_ties, box.share]
    margins = tradeoff.marginals(array)
    of_size = (margins["dimension"] == "size").to_numpy()
    found["marginals"] = margins[["estimate", "low", "high", "n_cells"]].to_numpy()
    found["levels"] = np.where(of_size, margins["level"] / unit, margins["level"])
    bounds = at_point(margins, tradeoff.tradeoff_point(array))
    found["bounds"] = bounds[["estimate", "low", "high"]].to_numpy()
    numbers = ["estimate", "low", "high", "n_first_lower", "n_second_lower", "n_seeds"]
    found["curve"] = noise_curve(array)[["ssim", "estimate", "low", "high"]].to_numpy()
    found["families"] = family_differences(array, second)[numbers].to_numpy()
    found["control"] = control_curves(array, seen)[["estimate", "low", "high"]].to_numpy()
    found["rise"] = split_rise(array, seen)[numbers].to_numpy()
    slices = pd.concat([tradeoff.slice_marginal(array, name) for name in ("ssim", "zero_shot")])
    found["slices"] = in_units(slices[["size", "estimate", "n_cells"]], unit, "size")
    return found


def in_units(frame, unit, column="size"):
    return frame.assign(**{column: frame[column].astype(float) / unit}).to_numpy(float)


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-11, atol=1e-12, err_msg=name)


def of(change, unit=1.0):
    return analyses(change(cells(0)), change(cells(1)), change(control()), unit)


EXPECTED = of(lambda table: table)


@pytest.mark.parametrize(
    "change", [shuffled, renamed, categorical, objects, text, nullable, all_categorical], ids=lambda f: f.__name__
)
def test_rows_names_and_types_of_cells_do_not_matter(change):
    same(of(change), EXPECTED)
    same(of(lambda table: shuffled(change(table))), EXPECTED)


@pytest.mark.parametrize("unit", [1e-3, 1e6, 1 / 3])
def test_the_unit_of_the_size_does_not_matter(unit):
    """Parameters in thousands, or single weights of a hundred: the point is the same network."""
    found = of(lambda table: table.assign(size=table["size"] * unit), unit)
    same(found, EXPECTED)


@pytest.mark.parametrize("column", ["error_rate", "kappa", "ssim", "zero_shot"])
def test_percent_are_refused_where_shares_are_meant(column):
    table = cells()
    with pytest.raises(StudyError, match=rf"column '{column}' must be in .*, got [0-9.]+ in row"):
        tradeoff.to_array(table.assign(**{column: table[column] * 100}))


def test_the_other_family_first_is_the_mirror_image():
    one, other = (tradeoff.to_array(cells(family)) for family in (0, 1))
    there, back = family_differences(one, other), family_differences(other, one)
    np.testing.assert_allclose(-back[["estimate", "high", "low"]], there[["estimate", "low", "high"]], atol=1e-15)
    assert (
        back[["n_second_lower", "n_first_lower"]].values.tolist()
        == there[["n_first_lower", "n_second_lower"]].values.tolist()
    )


def test_families_that_err_alike_are_not_told_apart_by_rounding():
    """The same errors, at other sizes: their means are sums in another order."""
    rng = np.random.default_rng(0)
    sizes, seeds = [1, 2, 3, 4, 5, 6], range(8)
    rows = [
        (s, 0.0, 1.0, size, "c", e) for s in seeds for size, e in zip(sizes, rng.integers(1, 40, 6) / 114, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["seed", *POINT, "class", "error_rate"]).assign(kappa=0.5)
    turned = table.assign(size=7 - table["size"])
    found = family_differences(tradeoff.to_array(table), tradeoff.to_array(turned)).iloc[0]
    assert (found["estimate"], found["n_first_lower"], found["n_second_lower"]) == (0, 0, 0)


# --- sign-errors ------------------------------------------------------------------------------------------------------


def measured(seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for family in ("f", "g"):
        for s in range(3):
            for size in (10, 20, 40, 80, 160, 320):
                level = size + 60 * rng.normal()
                values = [level, size, -level + 5 * rng.normal(), round(rng.normal(), 1), 1.0]
                rows += [(family, s, size, m, v) for m, v in zip(MEASURES, values, strict=True)]
                rows.append((family, s, size, "l2 twice", 2 * level))
    measures = pd.DataFrame(rows, columns=["family", "seed", "size", "measure", "value"])
    target = measures[measures["measure"] == "l2"].drop(columns="measure").rename(columns={"value": "estimate"})
    target["estimate"] = (1 / (500 + target["estimate"]) + rng.normal(0, 1e-4, len(target))).round(5)
    return measures, pd.concat([target.assign(slice="ssim"), target.assign(slice="zero_shot", estimate=0.01)])


def verdicts(measures, target):
    each = tradeoff.sign_error_table(measures, target)
    averaged = chapter.averaged_sign_errors(measures, target)
    keys = ["family", "slice", "measure"]
    numbers = ["sign_error", "p", "band_low", "band_high", "n_sizes"]
    each = each.astype(dict.fromkeys(keys, str)).sort_values([*keys, "seed"])
    of_averages = averaged.astype(dict.fromkeys(keys, str)).sort_values(keys)
    summary = summarise(each).astype(dict.fromkeys(keys, str)).sort_values(keys)
    counts = chapter.count_verdicts(averaged)
    groups = measure_groups(measures)
    return {
        "each": each[numbers].to_numpy(),
        "averaged": of_averages[numbers].to_numpy(),
        "summary": summary[["estimate", "min", "max", "n_seeds", "band_low", "band_high"]].to_numpy(float),
        "verdict": of_averages["verdict"].tolist(),
        "counts": counts.rename(index=str).sort_index().reset_index().astype(str).values.tolist(),
        "columns": list(counts.columns),
        "groups": {frozenset(map(str, groups.index[groups == name])) for name in groups},
    }


def same_verdicts(found, expected):
    for name, values in expected.items():
        if isinstance(values, np.ndarray):
            np.testing.assert_allclose(found[name], values, rtol=1e-12, err_msg=name)
        else:
            assert found[name] == values, name


CHANGES = {
    "rows": lambda m, t: (shuffled(m), shuffled(t)),
    "sizes in thousands": lambda m, t: (m.assign(size=m["size"] / 1000), t.assign(size=t["size"] / 1000)),
    "measures in another unit": lambda m, t: (m.assign(value=m["value"] / 3e7), t),
    "measures from another zero": lambda m, t: (m.assign(value=m["value"] + 1000.1), t),
    "error in percent": lambda m, t: (m, t.assign(estimate=t["estimate"] * 100)),
    "both upside down": lambda m, t: (m.assign(value=-m["value"]), t.assign(estimate=-t["estimate"])),
    "categories": lambda m, t: (
        m.astype({"family": pd.CategoricalDtype(["h", "g", "f"]), "measure": "category"}),
        t.astype(
            {"family": pd.CategoricalDtype(["h", "g", "f"]), "slice": pd.CategoricalDtype(["zero_shot", "x", "ssim"])}
        ),
    ),
    "objects": lambda m, t: (m.astype(object), t.astype(object)),
    "nullable": lambda m, t: (m.convert_dtypes(), t.convert_dtypes()),
    "seeds": lambda m, t: (m.assign(seed=9 - m["seed"]), t.assign(seed=9 - t["seed"])),
}


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("change", CHANGES)
def test_what_sign_errors_say_does_not_depend_on_it(change, seed):
    measures, target = measured(seed)
    expected = verdicts(measures, target)
    found = verdicts(*CHANGES[change](measures, target))
    if change == "seeds":  # sorted by seed, turned round
        for name in ("each",):
            found[name], expected[name] = (np.sort(x[name], axis=0) for x in (found, expected))
    same_verdicts(found, expected)
