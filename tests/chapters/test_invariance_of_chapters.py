"""What notebooks compute, with experiments and alternatives in another order, with other names, in other units."""

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.chapters import encoders, preliminary
from genexpy_nb.chapters import shared as summaries
from genexpy_nb.chapters.preliminary import subsampling_errors
from genexpy_nb.chapters.significance_toy import exact_toy, toy_claims, variance_explained
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.study.study import Study

N = 24


def scores(seed=0, n=N, m=4):
    rng = np.random.default_rng(seed)
    return (rng.integers(40, 70, (n, m)) + np.array([0, 6, 10, -3])[:m]) / 114


def tables(seed=0):
    """Eight models on 40 data sets in two tasks, of which the second lacks one model."""
    rng = np.random.default_rng(seed)
    rows = [
        (task, data, model, rng.integers(40, 70) / 114 + 0.02 * number)
        for task in "xy"
        for data in range(40)
        for number, model in enumerate(["m0", "m1", "m2", "m3"])
        if (task, model) != ("y", "m3")
    ]
    return pd.DataFrame(rows, columns=["task", "data", "model", "score"])


def study(table, **options):
    roles = {"alternatives": "model", "target": "score", "generalize_over": "data", "design": "task"}
    return Study(table, **roles, **options)


NEW = {"m0": "a0", "m1": "b & c", "m2": "d <e>", "m3": "f"}  # sorted as the old ones
CHANGED = {
    "rows": (lambda t: t.sample(frac=1, random_state=2), {}, "m1"),
    "sign": (lambda t: t.assign(score=-t["score"]), {"higher_is_better": False}, "m1"),
    "unit": (lambda t: t.assign(score=t["score"] * 114), {}, "m1"),
    "names": (lambda t: t.assign(model=t["model"].map(NEW)), {}, NEW["m1"]),
    "categories": (lambda t: t.astype({"model": "category", "task": "category", "data": "category"}), {}, "m1"),
    "objects": (lambda t: t.astype(object), {}, "m1"),
}


@pytest.mark.parametrize("change", CHANGED)
def test_summaries_of_studies(change):
    changed, options, b = CHANGED[change]
    one, other = study(tables()), study(changed(tables()), **options)
    published = pd.DataFrame({"task": ["y", "x"], "kernel": "Jaccard(1)", "published": [3, 4]})
    for of in (JaccardKernel(), MallowsKernel()):
        given = published.assign(kernel=of.name)
        expected, found = (summaries.beside_published(s, given, of, ["moments", "closed-form"]) for s in (one, other))
        pd.testing.assert_frame_equal(found, expected, rtol=1e-9)
    arguments = {"sizes": [10], "methods": ["moments"], "reference": 30, "n_studies": 3}
    expected = subsampling_errors(one, [BordaKernel("m1"), MallowsKernel()], **arguments)
    found = subsampling_errors(other, [BordaKernel(b), MallowsKernel()], **arguments)
    found["kernel"] = found["kernel"].replace({f"Borda({b})": "Borda(m1)"})
    pd.testing.assert_frame_equal(found.astype({"task": str}), expected.astype({"task": str}), rtol=1e-9)
    found, expected = (
        preliminary.subsampling_errors_of_studies({"s": s}, {"s": [MallowsKernel()]}, **arguments) for s in (other, one)
    )
    compared = [column for column in expected if expected[column].dtype.kind == "f"]
    np.testing.assert_allclose(found[compared], expected[compared], rtol=1e-9)


@pytest.mark.parametrize("change", ["rows", "sign", "unit", "names", "objects", "zero"])
def test_two_alternatives_side_by_side(change):
    roles = {"alternatives": "model", "target": "score", "condition": "data", "design": ["task"]}
    expected = summaries.compare_on_tables({"t": tables()}, "m0", "m1", higher_is_better=True, **roles)
    if change == "zero":
        changed, up = (lambda t: t.assign(score=t["score"] + 1 / 3)), True
    else:
        changed, options, _ = CHANGED[change]
        up = options.get("higher_is_better", True)
    first, second = ("a0", "b & c") if change == "names" else ("m0", "m1")
    other = changed(tables()).astype({"score": float})
    found = summaries.compare_on_tables({"t": other}, first, second, higher_is_better=up, **roles)
    free = ["n_conditions", "p", "n_first", "n_second", "halves"]
    np.testing.assert_allclose(found[free].astype(float), expected[free].astype(float), rtol=1e-9)
    unit = {"sign": -1, "unit": 114}.get(change, 1)
    ends = ["estimate", "high", "low"] if unit < 0 else ["estimate", "low", "high"]
    there = unit * expected[["estimate", "low", "high"]].to_numpy(float)
    np.testing.assert_allclose(found[ends].to_numpy(float), there, rtol=1e-6)


def test_what_rounding_leaves_is_no_difference():
    roles = {"alternatives": "model", "target": "score", "condition": "data", "design": [], "higher_is_better": True}
    rows = [(d, m, s) for d in range(6) for m, s in (("a", 0.1 + 0.2), ("b", 0.3))]
    table = pd.DataFrame(rows, columns=["data", "model", "score"])
    found = summaries.compare_on_tables({"t": table}, "a", "b", **roles).iloc[0]
    assert (found["n_first"], found["n_second"], found["halves"]) == (0, 0, 0)
    assert summaries.halves_that_agree([0.1, 0.2, -0.3, 0.1, 0.2, -0.3, 0.0], 2000) == summaries.halves_that_agree(
        [1, 2, -3, 1, 2, -3, 0], 2000
    )
    for value in (0.1, 1 / 3, 1e-9, 7.3e8):
        found = encoders.score_distances(np.full((7, 3), value))
        assert found["between"] == 0 and np.isnan(found["means"])


def test_halves_have_no_unit_and_say_that_they_know_an_order():
    d = np.random.default_rng(0).normal(0.1, 1, 31)
    expected = summaries.halves_that_agree(d)
    for factor in (-1.0, 1e-200, 3e7):
        assert summaries.halves_that_agree(d * factor) == expected
    many = [summaries.halves_that_agree(of, 20_000) for of in (d, np.sort(d))]
    assert abs(many[0] - many[1]) < 5 * np.sqrt(2 * 0.25 / 20_000)


def test_raw_scores():
    values, rng = scores(), np.random.default_rng(1)
    expected = encoders.score_distances(values)
    for other, unit in (
        (values[rng.permutation(N)], 1),
        (values[:, [3, 1, 0, 2]], 1),
        (values * 114, 114),
        (-values, 1),
        (values + 1000, 1),
    ):
        found = encoders.score_distances(other)
        assert found["between"] == pytest.approx(unit * expected["between"], rel=1e-9)
        assert found["means"] == pytest.approx(expected["means"], rel=1e-9)


RANKINGS = np.array([[0, 1, 2, 3], [1, 0, 2, 3], [0, 0, 1, 2]])


@pytest.mark.parametrize("kernel", [None, MallowsKernel()], ids=str)
@pytest.mark.parametrize("atoms", [[0, 1, 2], [2, 0, 1]], ids=str)
def test_the_toy_study_of_relabelled_alternatives_and_rankings(atoms, kernel):
    shares, alternatives = np.array([0.5, 0.3, 0.2]), [2, 0, 3, 1]
    expected = exact_toy(RankingDistribution(RANKINGS, shares), n=8, k_gen=3, kernel=kernel)
    other = RankingDistribution(RANKINGS[atoms][:, alternatives], shares[atoms])
    found = exact_toy(other, n=8, k_gen=3, kernel=kernel)
    found["counts"] = [tuple(np.array(c)[np.argsort(atoms)].tolist()) for c in found["counts"]]
    expected["counts"] = [tuple(int(x) for x in c) for c in expected["counts"]]
    merged = expected.merge(found, on="counts", suffixes=("", "_found"))
    assert len(merged) == len(expected)
    for column in ("probability", "p_friedman", "p_others", "generalizability"):
        np.testing.assert_allclose(merged[f"{column}_found"], merged[column], rtol=1e-9, atol=1e-12)
    assert (merged["significant"] == merged["significant_found"]).all()
    read = [{alternatives[int(i)] for i in text.strip("{}").split(", ") if i} for text in merged["best_found"]]
    assert read == [{int(i) for i in text.strip("{}").split(", ") if i} for text in merged["best"]]
    explained = [variance_explained(table, table["significant"]) for table in (found, expected)]
    np.testing.assert_allclose(*explained, rtol=1e-9)


SHARES, ALTERNATIVES = np.array([0.5, 0.3, 0.2]), [2, 0, 3, 1]
WORLD = RankingDistribution(RANKINGS, SHARES)
SAME_WORLD = RankingDistribution(RANKINGS[:, ALTERNATIVES], SHARES)
TOY_KERNELS = [JaccardKernel(1), MallowsKernel(), BordaKernel(0)]


def following(kernel):
    """The same question about `SAME_WORLD`."""
    return BordaKernel(ALTERNATIVES.index(0)) if isinstance(kernel, BordaKernel) else kernel


def test_what_the_toy_study_claims_of_the_other_ranking():
    """With the two rankings in each other's place, alternatives 0 and 1 are, too."""
    probabilities = [0.2, 0.45, 0.5, 0.9]
    there = toy_claims(probabilities, n=10, k_gen=5).pivot(index="probability", columns="claim", values="share")
    back = toy_claims([1 - p for p in probabilities], n=10, k_gen=5)
    back = back.pivot(index="probability", columns="claim", values="share").iloc[::-1]
    zero, one = (f"claim: {i} is significantly best" for i in (0, 1))
    np.testing.assert_allclose(back[[one, zero]], there[[zero, one]], rtol=1e-9, atol=1e-12)
    mean = "5-generalizability (mean)"
    np.testing.assert_allclose(back[mean], there[mean], rtol=1e-9)
    other_order = toy_claims(probabilities[::-1], n=10, k_gen=5)
    other_order = other_order.pivot(index="probability", columns="claim", values="share")
    pd.testing.assert_frame_equal(other_order, there, check_exact=True)


def test_estimates_of_distributions_with_other_names_orders_and_alternatives():
    even = RankingDistribution(RANKINGS[:2], [0.5, 0.5])
    turned = RankingDistribution(even.rankings[:, ALTERNATIVES], even.probabilities)
    size = {"sizes": [8, 12], "methods": ["moments", "resampling"], "alpha": 0.8, "delta": 0.2}
    size |= {"n_studies": 4, "n_resamples": 30}
    expected = preliminary.estimates_of_distributions({"one": WORLD, "even": even}, TOY_KERNELS, **size)
    others = [following(kernel) for kernel in TOY_KERNELS[::-1]]
    found = preliminary.estimates_of_distributions({"<b>": turned, "a $x$": SAME_WORLD}, others, **size)
    known = {following(kernel).name: kernel.name for kernel in TOY_KERNELS}
    found = found.assign(
        distribution=found["distribution"].map({"<b>": "even", "a $x$": "one"}), kernel=found["kernel"].map(known)
    )
    where = ["distribution", "kernel", "size", "method", "draw"]
    assert not expected.duplicated(where).any()
    one, other = (table.set_index(where).sort_index() for table in (expected, found))
    pd.testing.assert_frame_equal(other, one, rtol=1e-9)
