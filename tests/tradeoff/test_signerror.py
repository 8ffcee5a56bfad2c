"""The sign-error against its definition, scipy, and all permutations."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.tradeoff import signerror as module
from genexpy_nb.tradeoff.signerror import measure_groups, null_band, null_distribution, sign_error, sign_error_table


def by_definition(measure, target):
    """Mean over ordered pairs of (1 - sgn sgn) / 2, as a fraction."""
    n = len(measure)
    total = Fraction(0)
    for v in range(n):
        for w in range(n):
            if v != w:
                c = (measure[v] > measure[w]) - (measure[v] < measure[w])
                p = (target[v] > target[w]) - (target[v] < target[w])
                total += Fraction(1 - c * p, 2)
    return total / (n * (n - 1))


def by_permutations(target, measure):
    """Probability of every sign-error, over all permutations of the sizes."""
    counts = Counter(by_definition(order, target) for order in permutations(measure))
    total = sum(counts.values())
    return {value: Fraction(count, total) for value, count in sorted(counts.items())}


vectors = st.integers(2, 6).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)])
)


# --- one measure ------------------------------------------------------------------------------------------------------


@given(vectors)
def test_sign_error_is_its_definition_and_kendalls_tau_a(pair):
    measure, target = pair
    error = by_definition(measure, target)
    assert sign_error(measure, target) == pytest.approx(float(error), abs=1e-15)
    if len(set(measure)) == len(set(target)) == len(measure):
        assert stats.kendalltau(measure, target).statistic == pytest.approx(float(1 - 2 * error), abs=1e-12)


@given(vectors)
def test_reversing_a_measure_mirrors_the_sign_error(pair):
    measure, target = map(np.array, pair)
    assert sign_error(-measure, target) == pytest.approx(1 - sign_error(measure, target), abs=1e-15)
    assert sign_error(measure, target) == sign_error(target, measure)
    assert sign_error(measure, np.ones_like(target)) == 0.5


def test_what_agrees_to_twelve_digits_ties_and_infinity_has_an_order():
    assert sign_error([0.3, 0.1 + 0.2], [1, 2]) == 0.5
    assert sign_error([-np.inf, 0, np.inf], [1, 2, 3]) == 0
    assert sign_error([-np.inf, -np.inf, 3], [1, 2, 3]) == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: null_band(["a", "b"]), "must be numbers"),
        (lambda: null_band([1]), "at least two sizes"),
        (lambda: null_distribution(1), "at least two sizes, got 1"),
        (lambda: null_distribution([1, np.nan]), "none of them missing"),
        (lambda: null_distribution([1, 2], [1, 2, 3]), "same sizes, got 3 and 2"),
        (lambda: null_band(8, level=0), r"level must be a number in \(0, 1\)"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


# --- null hypothesis --------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(vectors)
def test_null_distribution_counts_all_permutations(pair):
    measure, target = pair
    (values, counts), expected = null_distribution(target, measure), by_permutations(target, measure)
    np.testing.assert_allclose(values, [float(value) for value in expected], rtol=1e-15)
    assert [Fraction(count, sum(counts)) for count in counts] == list(expected.values())


def test_without_ties_the_numbers_are_mahonian():
    values, counts = null_distribution(8)
    assert counts[:7] == (1, 7, 27, 76, 174, 343, 602)  # OEIS A008302
    assert counts == counts[::-1] and sum(counts) == factorial(8)
    assert sum(null_distribution(40)[1]) == factorial(40)
    np.testing.assert_allclose(values, np.arange(29) / 28)


def test_band_of_the_published_numbers_of_sizes():
    assert null_band(8) == (5 / 28, 23 / 28)
    assert null_band(5) == (0, 1)
    for n in (2, 3, 4):
        assert np.isnan(null_band(n)).all()
    assert null_band(4, level=0.1) == (0, 1)  # 1 of 24 on each side
    assert np.isnan(null_band([1, 1, 1, 1, 1])).all()


@pytest.mark.parametrize(
    ("target", "measure"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([1, 2, 3, 4], [1, 2, 3, 4]),
        ([1, 1, 2, 3], [1, 2, 3, 3]),
        ([1, 2, 3, 4, 5], [1, 1, 2, 3, 3]),
    ],
)
def test_the_band_begins_exactly_where_a_tail_is_half_the_level(target, measure):
    """A tail of just level / 2 is significant, a tail of any more is not."""
    expected = by_permutations(target, measure)
    values, probabilities = list(expected), list(expected.values())
    below = [sum(probabilities[: i + 1]) for i in range(len(values))]
    above = [sum(probabilities[i:]) for i in range(len(values))]
    for tail in sorted({*below, *above}):
        if tail >= Fraction(1, 2):
            continue
        for level in (float(2 * tail), np.nextafter(float(2 * tail), 0), np.nextafter(float(2 * tail), 1)):
            half = Fraction(level) / 2 if level != float(2 * tail) else tail
            lower = [float(value) for value, p in zip(values, below, strict=True) if p <= half]
            upper = [float(value) for value, p in zip(values, above, strict=True) if p <= half]
            ends = max(lower, default=np.nan), min(upper, default=np.nan)
            np.testing.assert_allclose(null_band(target, measure, level), ends, rtol=1e-15)


def test_many_sizes_with_ties_in_both_are_drawn_with_a_fixed_seed(monkeypatch):
    target = np.repeat(np.arange(5), (2, 1, 2, 1, 2))
    counted = null_distribution(target, target[::-1] ** 2)
    monkeypatch.setattr(module, "_LARGEST_COUNTED", 7)
    module._null.cache_clear()
    drawn = null_distribution(target, target[::-1] ** 2)
    module._null.cache_clear()
    assert sum(counted[1]) == factorial(8) and sum(drawn[1]) == 100_000
    assert null_distribution(target, target)[1] == drawn[1]
    module._null.cache_clear()
    below, of_drawn = (np.cumsum(counts) / sum(counts) for _, counts in (counted, drawn))
    # Dvoretzky, Kiefer, Wolfowitz: the drawn distribution function is this close but for one in a million.
    assert np.abs(below - np.interp(counted[0], drawn[0], of_drawn)).max() < np.sqrt(np.log(2e6) / 2 / 100_000)


# --- tables -----------------------------------------------------------------------------------------------------------


def networks(seeds=(0, 1), families=("A", "B"), sizes=(1, 2, 4, 8, 16, 32)):
    rng = np.random.default_rng(5)
    rows = []
    for family in families:
        for seed in seeds:
            for size in sizes:
                norm = rng.normal()
                for measure, value in {"params": size, "l2": np.exp(norm), "l2_squared": np.exp(2 * norm)}.items():
                    rows.append({"family": family, "seed": seed, "size": size, "measure": measure, "value": value})
    return pd.DataFrame(rows)


def errors(seeds=(0, 1), families=("A", "B"), slices=("clean", "noisy"), sizes=(1, 2, 4, 8, 16, 32)):
    index = pd.MultiIndex.from_product([families, slices, seeds, sizes], names=["family", "slice", "seed", "size"])
    frame = index.to_frame(index=False)
    return frame.assign(estimate=np.random.default_rng(6).random(len(frame)))


def test_table_has_the_sign_error_of_every_row():
    measures, target = networks(), errors()
    table = sign_error_table(measures.sample(frac=1, random_state=0), target.sample(frac=1, random_state=1))
    assert " ".join(table) == "family slice seed measure sign_error band_low band_high by_chance n_sizes group"
    assert len(table) == 2 * 2 * 2 * 3
    for row in table.itertuples():
        c = measures.query("family == @row.family and seed == @row.seed and measure == @row.measure")
        p = target.query("family == @row.family and seed == @row.seed and slice == @row.slice")
        c, p = c.sort_values("size")["value"].tolist(), p.sort_values("size")["estimate"].tolist()
        assert row.sign_error == pytest.approx(float(by_definition(c, p)))
        assert (row.band_low, row.band_high) == null_band(6)
        assert row.n_sizes == 6 and row.by_chance == 2 * (1 + 5) / 720  # no pair, or two neighbours, on each side


def test_one_target_serves_all_seeds_and_families():
    measures = networks()
    target = pd.DataFrame({"size": [1, 2, 4, 8, 16, 32], "estimate": [6, 5, 4, 3, 2, 1]})
    table = sign_error_table(measures, target)
    assert list(table)[:3] == ["family", "seed", "measure"]
    assert (table.loc[table["measure"] == "params", "sign_error"] == 1).all()
    one = measures.query("family == 'A' and seed == 0").drop(columns=["family", "seed"])
    assert set(sign_error_table(one, errors())["seed"]) == {0, 1}


def test_the_band_of_the_table_knows_the_ties():
    measures = pd.DataFrame({"size": range(6), "measure": "m", "value": [1, 1, 1, 2, 2, 2]})
    target = pd.DataFrame({"size": range(6), "estimate": [1, 2, 3, 4, 5, 5]})
    row = sign_error_table(measures, target, level=0.3).iloc[0]
    band = null_band(target["estimate"], measures["value"], 0.3)
    assert (row["band_low"], row["band_high"]) == band != null_band(6, level=0.3)


def test_missing_values_are_left_out_and_counted():
    measures, target = networks(seeds=[0], families=["A"]), errors(seeds=[0], families=["A"], slices=["clean"])
    measures.loc[(measures["measure"] == "l2") & (measures["size"] < 8), "value"] = np.nan
    measures.loc[(measures["measure"] == "l2_squared") & (measures["size"] < 32), "value"] = np.nan
    table = sign_error_table(measures, target).set_index("measure")
    assert table["n_sizes"].to_dict() == {"params": 6, "l2": 3, "l2_squared": 1}
    kept = measures.query("measure == 'l2' and size >= 8")["value"], target.query("size >= 8")["estimate"]
    assert table.loc["l2", "sign_error"] == sign_error(*kept)
    assert table.loc["l2_squared", ["sign_error", "band_low", "band_high"]].isna().all()


def test_measures_that_rank_alike_are_one_group():
    groups = measure_groups(networks())
    assert groups.to_dict() == {"params": "params", "l2": "l2", "l2_squared": "l2"}
    table = sign_error_table(networks(), errors())
    per_group = table.drop_duplicates(["family", "slice", "seed", "group"])
    assert len(per_group) == 2 * 2 * 2 * 2
    assert table.groupby(["family", "slice", "seed", "group"])["sign_error"].nunique().max() == 1


def test_groups_look_at_all_seeds_but_at_one_family_in_the_table():
    measures = networks()
    other = (measures["family"] == "B") & (measures["seed"] == 1) & (measures["measure"] == "l2_squared")
    measures.loc[other, "value"] *= -1
    assert measure_groups(measures)["l2_squared"] == "l2_squared"
    group = sign_error_table(measures, errors()).drop_duplicates(["family", "measure"])
    group = group.set_index(["family", "measure"])["group"]
    assert group["A", "l2_squared"] == "l2"
    assert group["B", "l2_squared"] == "l2_squared"


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ([1, 2, None], [1, 2, 3], False),  # a missing value is no rank
        ([1, 2, None], [1, 2, None], True),
        ([0.3, 0.1 + 0.2], [5, 5], True),  # what agrees to twelve digits ties
    ],
)
def test_groups_are_of_ranks(one, other, alike):
    k = len(one)
    measures = pd.DataFrame({"size": [*range(k)] * 2, "measure": ["a"] * k + ["b"] * k, "value": [*one, *other]})
    assert measure_groups(measures).to_dict() == {"a": "a", "b": "a" if alike else "b"}


def test_categories_that_are_not_there_do_not_appear():
    measures = networks()
    measures["family"] = pd.Categorical(measures["family"], ["A", "B", "C"])
    measures["measure"] = measures["measure"].astype("category").cat.add_categories(["none"])
    table = sign_error_table(measures, errors())
    assert len(table.groupby(["family", "slice", "measure"])) == 2 * 2 * 3
    assert table["group"].tolist() == sign_error_table(networks(), errors())["group"].tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m, t: (m.rename(columns={"value": "values"}), t), "measures has no column 'value'.*did you mean"),
        (lambda m, t: (m.assign(value="x"), t), "measures: column 'value' must be numbers"),
        (lambda m, t: (pd.concat([m, m.head(1)]), t), "measures has two rows for size 1, measure 'params', family 'A'"),
        (lambda m, t: (m, pd.concat([t, t.head(1)])), "target has two rows for size 1, family 'A', slice 'clean'"),
        (lambda m, t: (m, t[t["size"] != 8]), "target has no row for size 8, family 'A', seed 0 of measures"),
        (lambda m, t: (m[m["seed"] == 0], t), "measures has no row for size 1, family 'A', seed 1 of target"),
        (lambda m, t: (m.assign(seed=np.nan), t), "column 'seed' must not have missing values"),
    ],
)
def test_bad_tables_are_named(change, message):
    with pytest.raises(StudyError, match=message):
        sign_error_table(*change(networks(), errors()))
