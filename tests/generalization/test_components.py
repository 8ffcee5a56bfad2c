"""Components of several random factors: against dense projections, other libraries, closed forms and enumeration."""

from itertools import product
from math import ceil, inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization import components as module
from genexpy_nb.generalization.components import components
from genexpy_nb.generalization.kernels import MallowsKernel
from genexpy_nb.generalization.mean_squares import effects, mean_squares
from genexpy_nb.generalization.nstar import estimate_nstar
from tests.of_arrays import components_of

DESIGNS = [((5, 3), False), ((5, 3), True), ((3, 4, 2), False), ((3, 4, 2), True)]


def results_of(sizes, spreads=None, width=4, seed=0, nested=False):
    """Vectors with effects of the factors, shape (n_cells, width)."""
    rng = np.random.default_rng(seed)
    which = effects(len(sizes), nested)
    spreads = np.linspace(1, 0.5, len(which)) if spreads is None else spreads
    total = np.zeros((*sizes, width))
    for effect, spread in zip(which, spreads, strict=True):
        shape = [size if i in effect else 1 for i, size in enumerate(sizes)]
        total = total + spread * rng.normal(size=(*shape, width))
    return total.reshape(-1, width)


def named(sizes):
    return dict(zip("abc", sizes, strict=False))


def made(sizes=(8, 4), nested=False, seed=0, rng=0, **how):
    x = results_of(sizes, seed=seed, nested=nested, **how)
    return components_of(x @ x.T, named(sizes), nested, rng=rng)


def projections(sizes, nested):
    """All projections of a design, written out."""
    found = []
    for effect in effects(len(sizes), nested):
        matrix = np.ones((1, 1))
        for axis, size in enumerate(sizes):
            mean = np.full((size, size), 1 / size)
            if nested and axis < max(effect):
                matrix = np.kron(matrix, np.eye(size))
            else:
                matrix = np.kron(matrix, np.eye(size) - mean if axis in effect else mean)
        found.append(matrix)
    return found


# --- mean squares -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sizes", "nested"), DESIGNS)
def test_mean_squares_are_those_of_dense_projections(sizes, nested):
    x = results_of(sizes, nested=nested)
    gram = np.exp(-((x[:, None] - x) ** 2).sum(-1) / 5)
    seen, dense = mean_squares(gram, sizes, nested), projections(sizes, nested)
    degrees = np.array([np.trace(matrix) for matrix in dense])
    np.testing.assert_allclose(seen.degrees, degrees, rtol=1e-12)
    np.testing.assert_allclose(seen.traces, [np.trace(p @ gram) / d for p, d in zip(dense, degrees, strict=True)])
    for i, j in product(range(len(dense)), repeat=2):
        value = np.trace(dense[i] @ gram @ dense[j] @ gram) / (degrees[i] * degrees[j])
        if i == j and degrees[i] > 1:
            d, trace = degrees[i], seen.traces[i]
            value = np.clip(d**2 / ((d - 1) * (d + 2)) * (value - trace**2 / d), trace**2 / 400, trace**2)
        elif i == j:
            value = seen.traces[i] ** 2 / 4
        assert seen.products[i, j] == pytest.approx(value, rel=1e-9, abs=1e-14)


def test_components_are_those_of_the_closed_form():
    y = results_of((7, 5), width=1).reshape(7, 5)
    rows, columns = y.mean(axis=1), y.mean(axis=0)
    ms_a, ms_b = 5 * rows.var(ddof=1), 7 * columns.var(ddof=1)
    ms_ab = ((y - rows[:, None] - columns + y.mean()) ** 2).sum() / 24
    found = components_of(np.outer(y, y), {"a": 7, "b": 5}).table
    assert found["component"].tolist() == ["a", "b", "a x b"]
    np.testing.assert_allclose(found["estimate"], [(ms_a - ms_ab) / 5, (ms_b - ms_ab) / 7, ms_ab])


# --- probabilities ----------------------------------------------------------------------------------------------------


def test_of_a_large_study_the_probability_is_that_of_a_chi_squared_variable():
    sizes, spreads, width = (60, 40), (1.0, 0.8, 1.0), 3
    found = made(sizes, spreads=spreads, width=width)
    for n, m in [(10, 3), (40, 2), (20, 20)]:
        scale = 2 * (1 / n + 0.64 / m + 1 / (n * m))
        for true in (0.3, 0.6, 0.9):
            epsilon = np.sqrt(scale * stats.chi2(width).ppf(true))
            row = found.generalizability({"a": n, "b": m}, delta=epsilon).iloc[0]
            assert row["estimate"] == pytest.approx(true, abs=0.12)
            assert row["low"] <= true <= row["high"]


def test_intervals_of_small_studies_hold_the_truth_as_often_as_they_say():
    sizes, width, n_studies = (10, 3), 3, 150
    designs = {"a": 20, "b": 4}
    scale = 2 * (1 / 20 + 1 / 4 + 1 / 80)
    epsilon = float(np.sqrt(scale * stats.chi2(width).ppf(0.6)))
    rows = pd.concat(
        [
            made(sizes, spreads=(1, 1, 1), width=width, seed=seed).generalizability(designs, delta=epsilon)
            for seed in range(n_studies)
        ]
    )
    held = ((rows["low"] <= 0.6) & (rows["high"] >= 0.6)).mean()
    assert held >= 0.9
    assert abs(rows["estimate"].mean() - 0.6) < 0.08


def test_levels_that_both_studies_share_do_not_tell_them_apart():
    found = made()
    shared = found.generalizability({"a": 6, "b": inf}, delta=0.9, same=["b"])
    all_of_b = found.generalizability({"a": 6, "b": inf}, delta=0.9)
    pd.testing.assert_frame_equal(shared, all_of_b)
    few = found.generalizability({"a": 6, "b": 4}, delta=0.9)
    few_shared = found.generalizability({"a": 6, "b": 4}, delta=0.9, same=["b"])
    assert few_shared["estimate"].item() > few["estimate"].item()
    assert found.generalizability({"a": inf, "b": inf}, delta=0.1)["estimate"].item() == 1


def test_equal_results_agree_whatever_the_sizes():
    found = components_of(np.ones((12, 12)), {"a": 4, "b": 3})
    assert found.table[["estimate", "low", "high"]].to_numpy().tolist() == [[0, 0, 0]] * 3
    assert found.table["share"].isna().all()
    assert found.generalizability({"a": 1, "b": 1}, delta=0.01)[["estimate", "low"]].to_numpy().tolist() == [[1, 1]]


@pytest.mark.parametrize("sizes", [(12, 3), (12, 3, 2)])
def test_nested_with_the_inner_sizes_observed_is_one_factor_of_group_means(sizes):
    found = made(sizes, nested=True)
    groups = results_of(sizes, nested=True).reshape(sizes[0], -1, 4).mean(axis=1)
    inner = dict(zip("bc", sizes[1:], strict=False))
    for alpha, epsilon in product((0.6, 0.8, 0.95), (0.5, 1.0)):
        nstar = estimate_nstar(groups @ groups.T, alpha, epsilon)
        row = found.cheapest(alpha, delta=epsilon, fixed=inner, most=10**7).set_index("by")
        assert row.loc["estimate", "a"] == ceil(nstar.estimate - 1e-9)
        assert row.loc["low", "a"] == ceil(nstar.high - 1e-9)
        above = found.generalizability({"a": ceil(nstar.estimate), **inner}, delta=epsilon)["estimate"].item()
        below = found.generalizability({"a": max(ceil(nstar.estimate) - 1, 1), **inner}, delta=epsilon)
        assert above >= alpha - 1e-3  # between the alphas of the curve it is a line
        assert below["estimate"].item() <= alpha + 1e-3
    together = found.table["estimate"] @ [1, *(1 / np.cumprod(sizes[1:]))]
    centred = groups - groups.mean(axis=0)
    assert together == pytest.approx((centred**2).sum() / (sizes[0] - 1), rel=1e-10)


def test_negative_estimates_stay_and_are_said():
    x = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]]).ravel()  # all interaction
    found = components_of(np.outer(x, x), {"task": 4, "prompt": 2})
    table = found.table.set_index("component")
    assert table.loc["task", "estimate"] < 0
    assert table["share"].tolist() == [0, 0, 1]
    assert found.note.startswith("the estimates of task, prompt are below 0")
    assert "few levels (4 of task, 2 of prompt)" in found.note
    assert made((8, 6), spreads=(2, 2, 0.1)).note == ""


# --- cheapest designs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "nested", "price"),
    [
        ((10, 5), False, {"a": 1, "b": 4, "cell": 0.1}),
        ((10, 5), False, {"cell": 1}),
        ((10, 5), True, {"a": 3, "b": 1}),
        ((6, 4, 3), False, {"a": 1, "b": 2, "c": 5, "cell": 0.01}),
    ],
)
@pytest.mark.parametrize("alpha", [0.5, 0.8])
def test_the_cheapest_design_is_the_one_that_enumeration_finds(sizes, nested, price, alpha):
    found, most = made(sizes, nested), 9
    every = found.generalizability(
        [dict(zip(found.factors, each, strict=True)) for each in product(range(1, most + 1), repeat=len(sizes))],
        delta=1.6,
    )
    levels = every[list(found.factors)].to_numpy(dtype=float)
    paid = np.cumprod(levels, axis=1) if nested else levels
    every["price"] = paid @ [price.get(name, 0) for name in found.factors] + price.get("cell", 0) * levels.prod(axis=1)
    rows = found.cheapest(alpha, delta=1.6, price=price, most=most).set_index("by")
    for by in ("estimate", "low"):
        enough = every[every[by] >= alpha]
        if enough.empty:
            assert np.isnan(rows.loc[by, "price"])
        else:
            assert rows.loc[by, "price"] == pytest.approx(enough["price"].min())
            assert rows.loc[by, by] >= alpha


def test_sizes_can_be_ruled_in_and_out():
    found = made((10, 5))
    price = {"a": 1, "b": 3}
    free, held = (found.cheapest(0.7, delta=1.8, price=price, fixed=fixed).iloc[0] for fixed in (None, {"b": 9}))
    assert held["b"] == 9 != free["b"]
    assert free["price"] <= held["price"]


def test_what_no_size_reaches_is_said():
    rows = made((10, 3)).cheapest(0.95, delta=0.5, fixed={"b": 1}, most=50)
    assert rows[["a", "b", "price", "estimate"]].isna().all(axis=None)
    assert rows["note"][0].startswith("0.95 is not reached; with 50 of a and 1 of b the estimate is 0.")


# --- what must not matter ---------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes():
    sizes = [{"a": 4, "b": 2}, {"a": 8, "b": 4}]
    one, same, other = (made(rng=rng).generalizability(sizes, delta=1.0) for rng in (3, 3, 4))
    pd.testing.assert_frame_equal(one, same, check_exact=True)
    assert one["estimate"].equals(other["estimate"])
    assert not one["low"].equals(other["low"])
    assert np.abs(one["low"] - other["low"]).max() < 0.05
    drawn = components_of(np.eye(12), {"a": 4, "b": 3}, rng=np.random.default_rng(0))
    assert drawn.seed == np.random.default_rng(0).integers(2**63)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from([(4, 3), (5, 2), (3, 3, 2)]), st.booleans(), st.floats(0.01, 100))
def test_units_shifts_and_the_order_of_levels_do_not_matter(seed, sizes, nested, scale):
    x = results_of(sizes, seed=seed, nested=nested)
    rng = np.random.default_rng(seed)
    target = dict.fromkeys(named(sizes), 4)
    shift = rng.normal(size=len(x))
    gram = x @ x.T + 60 * np.eye(len(x))
    moved = scale * (gram + 0.1 * (shift[:, None] + shift))  # distances are those of gram, times the scale
    order = np.arange(len(x)).reshape(sizes)
    for axis, size in enumerate(sizes):
        order = np.take(order, rng.permutation(size), axis=axis)
    order = order.ravel()
    plain = components_of(gram, named(sizes), nested)
    other = components_of(moved[np.ix_(order, order)], named(sizes), nested)
    np.testing.assert_allclose(
        other.table[["estimate", "low", "high"]],
        scale * plain.table[["estimate", "low", "high"]],
        rtol=1e-6,
        atol=scale * 1e-9,
    )
    both = ((plain, 1), (other, scale))
    answers = [found.generalizability(target, delta=8 * np.sqrt(factor)) for found, factor in both]
    np.testing.assert_allclose(answers[1].to_numpy(float), answers[0].to_numpy(float), rtol=1e-6, atol=1e-9)
    found = answers[0].iloc[0]
    assert 0 <= found["low"] <= found["estimate"] <= found["high"] <= 1


# --- from results -----------------------------------------------------------------------------------------------------


def table_of(sizes=(6, 4), width=4, seed=0, decimals=0):
    index = pd.MultiIndex.from_product([[f"{name}{i}" for i in range(s)] for name, s in named(sizes).items()])
    scores = results_of(sizes, width=width, seed=seed).round(decimals)
    index = index.set_names(list(named(sizes)))
    return pd.DataFrame(rank_scores(scores, higher_is_better=True), index)


def test_a_kernel_of_somebodys_own_and_how_many_cells_are_compared(monkeypatch):
    class Bell:
        on, name, question = "scores", "bell", "?"

        def gram(self, results):
            x = np.asarray(results)
            return np.exp(-((x[:, None] - x) ** 2).sum(axis=2))

        def epsilon(self, delta, n_alternatives):
            return delta * n_alternatives

    table = table_of()
    found = components(table, ["a", "b"], Bell())
    by_hand = components_of(Bell().gram(table), found.sizes)
    sizes = {"a": 3, "b": 3}
    assert found.generalizability(sizes, 0.5).equals(by_hand.generalizability(sizes, delta=0.5 * table.shape[1]))
    monkeypatch.setattr(module, "MOST_CELLS", 24)
    components(table, ["a", "b"], Bell())
    monkeypatch.setattr(module, "MOST_CELLS", 23)
    with pytest.raises(StudyError, match="24 cells are more than the 23 of which all pairs are compared; draw some"):
        components(table, ["a", "b"], Bell())


def test_intervals_of_less_confidence_lie_inside():
    """At least the quantiles of the same draws; those of n* of groups, too."""
    for nested in (False, True):
        x = results_of((9, 4), nested=nested)
        wide, narrow = (components_of(x @ x.T, named((9, 4)), nested, confidence=c) for c in (0.95, 0.8))
        sizes = [{"a": 9, "b": 4}, {"a": 30, "b": 4}, {"a": 20, "b": 8}]
        for outer, inner in (
            (wide.table, narrow.table),
            *((c.generalizability(sizes, delta=1.2) for c in (wide, narrow)),),
        ):
            pd.testing.assert_series_equal(inner["estimate"], outer["estimate"])
            assert (outer["low"] <= inner["low"]).all() and (inner["high"] <= outer["high"]).all()
            assert (inner["high"] - inner["low"]).sum() < 0.95 * (outer["high"] - outer["low"]).sum()
    assert made().confidence == 0.95


def test_rows_may_come_in_any_order():
    table = table_of()
    shuffled = table.sample(frac=1, random_state=0).reorder_levels(["b", "a"])
    one, other = (components(each, ["a", "b"], MallowsKernel()) for each in (table, shuffled))
    np.testing.assert_allclose(other.table["estimate"], one.table["estimate"], rtol=1e-9)


def test_completions_are_combined():
    tables = [table_of(seed=seed) for seed in (0, 1)]
    each = [components(table, ["a", "b"], MallowsKernel()) for table in tables]
    both = components(tables, ["a", "b"], MallowsKernel())
    estimates = np.mean([one.table["estimate"] for one in each], axis=0)
    np.testing.assert_allclose(both.table["estimate"], estimates)
    same = components([tables[0], tables[0]], ["a", "b"], MallowsKernel())
    pd.testing.assert_frame_equal(same.table, each[0].table)
    target = {"a": 20, "b": 6}
    alone = pd.concat([one.generalizability(target, 0.03) for one in each])
    pooled = both.generalizability(target, 0.03).iloc[0]
    assert alone["estimate"].min() <= pooled["estimate"] <= alone["estimate"].max()
    widths = alone["high"] - alone["low"]
    assert pooled["high"] - pooled["low"] >= widths.min()


# --- broken input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.generalizability({"a": 3}, delta=1), "sizes: the size of 'b' is missing"),
        (lambda c: c.generalizability({"a": 3, "B": 4}, delta=1), "sizes: 'B' is no factor"),
        (lambda c: c.generalizability({"a": 3, "b": 0}, delta=1), "sizes, b must be a whole number of at least 1"),
        (lambda c: c.generalizability({"a": 3, "b": 1.5}, delta=1), "sizes, b must be a whole number"),
        (lambda c: c.generalizability({"a": 3, "b": -inf}, delta=1), "sizes, b must be a whole number"),
        (lambda c: c.generalizability([], delta=1), "sizes must hold at least one design"),
        (lambda c: c.generalizability(7, delta=1), "sizes must be a dictionary"),
        (lambda c: c.generalizability({"a": 3, "b": 3}, delta=-1), "delta must be a number > 0"),
        (lambda c: c.generalizability({"a": 3, "b": 3}, delta=1, same=["z"]), "same: 'z' is no factor"),
        (lambda c: c.generalizability({"a": 3, "b": 3}, delta=1, same=["a", "b"]), "same must leave out a factor"),
        (lambda c: c.cheapest(2, delta=1), "alpha must be a number in"),
        (lambda c: c.cheapest(delta=1, price={"a": -1}), r"price, a must be a number >= 0, got -1"),
        (lambda c: c.cheapest(delta=1, price={"celll": 1}), "a name in price must be one of"),
        (lambda c: c.cheapest(delta=1, price={"a": 0}), "price must hold a number above 0"),
        (lambda c: c.cheapest(delta=1, price=3), "price must be a dictionary"),
        (lambda c: c.cheapest(delta=1, most=0), "most must be a whole number"),
        (lambda c: c.cheapest(delta=1, fixed={"a": inf}), "fixed, a must be a whole number"),
        (lambda c: components_of(np.eye(12), {"a": 12}), "factors must be two or three different columns"),
        (lambda c: components_of(np.eye(12), {"a": 4, "estimate": 3}), "'estimate' is the name of a column of the ans"),
        (lambda c: components_of(1 - np.eye(12), {"a": 4, "b": 3}), "matrix of distances"),
    ],
)
def test_what_is_asked_for_wrongly_is_named(call, message):
    with pytest.raises(ParameterError, match=message):
        call(made())


def test_missing_cells_are_counted_and_it_is_said_where_most_are():
    table = table_of()
    gaps = table.drop([("a0", "b1"), ("a2", "b1"), ("a2", "b3")])
    words = r"3 of 24 cells of a x b are missing, most in a='a2'; .* until all have as many"
    with pytest.raises(StudyError, match=words):
        components(gaps, ["a", "b"], MallowsKernel(), nested=True)
