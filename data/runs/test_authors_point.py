"""The authors' form of the trade-off point, against brute force and a solver with all six of their variables."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.interpolate import RegularGridInterpolator
from scipy.optimize import minimize

from genexpy_nb.chapters.shared import made
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff import STATISTICS
from genexpy_nb.tradeoff.array import objective
from runs.authors_point import (
    AUTHORS_WEIGHTS,
    authors_point,
    choice_sensitivity,
    make_tables,
    on_digits,
)

SSIM, UNSEEN, SIZES = [0.6, 0.7, 0.85, 1.0], [0.0, 1 / 6, 0.5], [10, 20, 60, 200]
TOUGH = {"ssim": 0.9, "zero_shot": 0.4, "size": 0.6, "ends": 0.2}


def random_array(seed, scale=0.3):
    """Statistics that fall towards the easy corner, with bumps."""
    rng = np.random.default_rng(seed)
    easy = np.add.outer(np.add.outer(np.asarray(UNSEEN), 1 - np.asarray(SSIM)), -np.log(SIZES) / 20)
    variables = {
        name: (("zero_shot", "ssim", "size"), scale * (easy + rng.uniform(-0.3, 0.3, easy.shape)))
        for name in STATISTICS
    }
    return xr.Dataset(variables, coords={"zero_shot": UNSEEN, "ssim": SSIM, "size": SIZES})


def their_problem(array, weights):
    """F + sum a_d c_d^2 + penalties over (x, c), written down again with another interpolator."""
    a = [weights["ssim"], weights["zero_shot"], weights["size"]]
    size = array["size"].to_numpy().astype(float)
    axes = [array["ssim"].to_numpy(), 1 - array["zero_shot"].to_numpy()[::-1], (size - size[0]) / (size[-1] - size[0])]
    f = RegularGridInterpolator(axes, objective(array).transpose("ssim", "zero_shot", "size").to_numpy()[:, ::-1])
    low, high = [axis[0] for axis in axes] * 2, [axis[-1] for axis in axes] * 2

    def value(z):
        z = np.atleast_2d(z)
        ends = sum(np.exp(-10 * (z[:, i] - low[i])) + np.exp(-10 * (high[i] - z[:, i])) for i in range(6))
        return f(np.clip(z[:, :3], low[:3], high[:3])) + (a * z[:, 3:] ** 2).sum(axis=1) + weights["ends"] * ends

    return axes, value, list(zip(low, high, strict=True))


@pytest.mark.parametrize("weights", [AUTHORS_WEIGHTS["cifar-100"], AUTHORS_WEIGHTS["equal"], TOUGH])
@pytest.mark.parametrize("seed", range(2))
def test_no_solver_and_no_fine_grid_finds_less(seed, weights):
    array = random_array(seed)
    point = authors_point(array, weights)
    axes, value, bounds = their_problem(array, weights)

    fine = np.stack(np.meshgrid(*[np.linspace(axis[0], axis[-1], 41) for axis in axes], indexing="ij"), -1).reshape(
        -1, 3
    )
    ceilings = []  # the best c for each x: brute force, too
    for d in range(3):
        c = np.linspace(*bounds[d], 401)
        a = [weights["ssim"], weights["zero_shot"], weights["size"]][d]
        cost = a * c**2 + weights["ends"] * (np.exp(-10 * (c - c[0])) + np.exp(-10 * (c[-1] - c)))
        ceilings.append(np.maximum(fine[:, d], c[cost.argmin()]))
    brute = value(np.hstack([fine, np.stack(ceilings, axis=1)])).min()
    assert point.value <= brute + 1e-3 * weights["ends"]  # c of the brute force is on a grid
    assert point.value >= brute - 0.02  # neighbouring places of the fine grid differ by about that

    rng = np.random.default_rng(seed)
    constraints = {"type": "ineq", "fun": lambda z: z[3:] - z[:3]}
    ends = []
    for _ in range(15):
        start = np.tile(rng.uniform(*np.transpose(bounds[:3])), 2)
        found = minimize(lambda z: value(z)[0], start, method="SLSQP", bounds=bounds, constraints=constraints)
        ends.append(found.fun if found.success else np.inf)
    assert point.value <= min(ends) + 1e-6
    assert min(ends) <= point.value + 0.01  # one of the starts comes near


@pytest.mark.parametrize("scale", ["authors", "unit"])
def test_without_interpolation_it_is_the_best_of_all_cells(scale):
    array, weights = random_array(7), AUTHORS_WEIGHTS["imagenet-1"]
    point = authors_point(array, weights, scale=scale, between=False)
    unit = {"ssim": (array["ssim"] - 0.6) / 0.4, "zero_shot": 1 - array["zero_shot"] / 0.5}
    x = unit if scale == "unit" else {"ssim": array["ssim"], "zero_shot": 1 - array["zero_shot"]}
    x["size"] = (array["size"] - 10) / 190
    values = objective(array) + sum(weights[name] * x[name] ** 2 for name in x)
    best = values.where(values == values.min(), drop=True)
    assert (point.zero_shot, point.ssim, point.size) == tuple(best[d].item() for d in ("zero_shot", "ssim", "size"))
    assert point.value == pytest.approx(values.min().item())
    assert point.objective == pytest.approx(objective(array).sel(best.coords).item())
    assert authors_point(array, weights, scale=scale).value <= point.value


def test_size_scales_and_another_noise_axis_name_the_levels_that_they_stand_for():
    array = random_array(3)
    cells_only = [authors_point(array, size_scale=scale, between=False).size for scale in ("linear", "log", "rank")]
    assert set(cells_only) <= set(SIZES)
    blur = random_array(3).assign_coords(ssim=[8.0, 4.0, 2.0, 0.0]).assign_attrs(noise="blur", cleaner="low")
    linear = random_array(3).assign_coords(ssim=[0.0, 0.5, 0.75, 1.0]).assign_attrs(noise="clean")
    one, other = authors_point(blur), authors_point(linear)
    assert (one.zero_shot, one.size, one.value) == (other.zero_shot, other.size, other.value)
    assert one.ssim == pytest.approx(8 * (1 - other.ssim))


def test_one_choice_at_a_time():
    arrays = {"conflict": random_array(1), "cohen": random_array(2)}
    table = choice_sensitivity(arrays, "conflict").set_index("option")
    assert len(table) == 10
    for option, point in {
        "weights cifar-100": authors_point(arrays["conflict"]),
        "cohen": authors_point(arrays["cohen"]),
        "size: log": authors_point(arrays["conflict"], size_scale="log"),
        "imagenet-2": authors_point(arrays["conflict"], "imagenet-2"),
    }.items():
        assert table.loc[option, ["zero_shot", "ssim", "size"]].tolist() == [point.zero_shot, point.ssim, point.size]


def test_missing_cells_and_single_levels():
    array = random_array(0)
    array["error_mean"][0, 0, 0] = np.nan
    with pytest.raises(ParameterError, match="missing cells"):
        authors_point(array)
    assert np.isfinite(authors_point(array, between=False).value)
    with pytest.raises(ParameterError, match="one level of ssim"):
        authors_point(random_array(0).isel(ssim=[0]))


def test_notebook_07_shows_what_this_makes():
    """The point of each family with the authors' choices."""
    arrays = on_digits()
    choices = made("authors_choices").query("option == 'weights cifar-100'").set_index("family")
    for family, array in arrays["conflict"].items():
        point = authors_point(array)
        expected = [point.zero_shot, point.ssim, point.size]
        assert choices.loc[family, ["zero_shot", "ssim", "size"]].tolist() == pytest.approx(expected)


@pytest.mark.slow  # every choice of both families
def test_notebook_07_shows_all_that_this_makes():
    for name, again in make_tables().items():
        pd.testing.assert_frame_equal(made(f"authors_{name}"), again, rtol=1e-6)
