"""Tables of the notebooks: against tables made by hand, and against the estimators called one by one."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import genexpy_nb as gx
from genexpy_nb.chapters.bigbench import harmless_share, largest_unseen_share, n_to_exclude, rows_named_like
from genexpy_nb.chapters.preliminary import (
    estimates_of_distributions,
    subsampling_errors,
    subsampling_errors_of_studies,
)
from genexpy_nb.chapters.shared import beside_published, compare, side_by_side, simulate_estimates
from genexpy_nb.generalization.samplers import RankingDistribution
from tests.made_up_results import crossed

EVEN = RankingDistribution([[0, 1, 2], [1, 0, 2]], [0.5, 0.5])
UNEVEN = RankingDistribution([[0, 1, 2], [1, 0, 2]], [0.8, 0.2])


def make_study(n=12, tasks=("t1", "t2"), seed=0):
    table = crossed(task=tasks, data=range(n), model=list("abc"))
    table["score"] = np.random.default_rng(seed).random(len(table))
    return gx.Study(table, alternatives="model", target="score", generalize_over="data", design="task")


# --- real studies -----------------------------------------------------------------------------------------------------

TASKS = [
    ("sums", "one", 4.0, 1.0, 3.0),
    ("sums", "two", 2.0, 2.0, np.nan),
    ("sums", "sums", 30.0, 15.0, 30.0),
    ("words", "short", 1.0, 2.0, np.nan),
    ("words", "long", 3.0, 4.0, np.nan),
    ("alone", "alone", 1.0, 2.0, 3.0),
]
TASKS = pd.DataFrame(TASKS, columns=["task", "subtask", *"abc"])
BY_TASK = gx.Study.from_wide(TASKS, generalize_over="subtask", design="task")


def test_a_row_that_is_the_average_of_the_others():
    # `alone` has no others, `words` no such row
    (row,) = rows_named_like(BY_TASK, "task", BY_TASK.configurations).to_dict("records")
    # the mean of the others is 3, 1.5 and, without the missing score, 3: the row is ten times that
    assert row == {"task": "sums", "n_experiments": 3, "correlation": pytest.approx(1), "ratio": pytest.approx(10)}
    assert rows_named_like(BY_TASK, "task", [{"task": "words"}]).empty


def test_published_numbers_stand_beside_the_estimates_of_their_configuration():
    study, kernel = make_study(), gx.JaccardKernel(1)
    published = pd.DataFrame(
        {"task": ["t2", "t3", "t2"], "kernel": ["Jaccard(1)", "Jaccard(1)", "Mallows"], "published": [9, 8, 7]}
    )
    beside = beside_published(study, published, kernel, ("moments", "resampling"), rng=3)
    gram, epsilon = kernel.gram(study.rankings({"task": "t2"})), kernel.epsilon(0.05, 3)
    by_hand = gx.estimate_nstar(gram, 0.95, epsilon)
    (row,) = beside.to_dict("records")
    assert (row["task"], row["published"], row["n_experiments"]) == ("t2", 9, 12)
    assert (row["moments"], row["low"], row["high"]) == pytest.approx((by_hand.estimate, by_hand.low, by_hand.high))
    theirs = gx.estimate_nstar(gram, 0.95, epsilon, "resampling", n_resamples=1000, rng=3)
    assert row["resampling"] == pytest.approx(theirs.estimate)


def test_errors_of_several_studies_are_those_of_each():
    studies = {"one": make_study(seed=1), "two": make_study(seed=2), "small": make_study(n=8)}
    kernels = {"one": [gx.BordaKernel("a")], "two": [gx.BordaKernel("b")], "small": [gx.BordaKernel("c")]}
    options = {"reference": 12, "most": 1, "n_studies": 2, "n_resamples": 20, "rng": 5}
    asked = ([6, 8], ("moments", "resampling"), 0.9, 0.1)
    errors = subsampling_errors_of_studies(studies, kernels, *asked, **options)
    assert errors["kernel"].unique().tolist() == ["Borda"]  # whatever alternative was asked about
    assert errors["study"].unique().tolist() == ["one", "two"]  # `small` has too few experiments
    for name in ("one", "two"):
        alone = subsampling_errors(studies[name], kernels[name], *asked, **options)
        own = errors[errors["study"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(own.drop(columns=["kernel", "study"]), alone.drop(columns=["kernel", "task"]))
    with pytest.raises(gx.errors.ParameterError, match="reference=13: no configuration of any study"):
        subsampling_errors_of_studies(studies, kernels, [6], reference=13)


# --- two tables -------------------------------------------------------------------------------------------------------


def long_table(n=7, seed=0, gap=0.0):
    rng = np.random.default_rng(seed)
    keys = itertools.product([f"d{i}" for i in range(n)], ["x", "y"], ["no"], ["m1", "m2", "m3"], ["TE", "OHE", "DE"])
    table = pd.DataFrame(list(keys), columns=["dataset", "model", "tuning", "scoring", "encoder"])
    return table.assign(cv_score=rng.normal(size=len(table)) + gap * (table["encoder"] == "TE"))


def test_means_are_over_what_all_of_the_chosen_have_by_a_loop():
    table = long_table().drop(index=[0, 7, 18, 40]).sample(frac=1, random_state=1)
    lookup = {row[:-1]: row[-1] for row in table.itertuples(index=False)}
    found = side_by_side(table)
    assert list(found) == ["TE", "OHE"]
    for data in sorted(set(table["dataset"])):
        cells = itertools.product([data], ["x", "y"], ["no"], ["m1", "m2", "m3"])
        both = [(lookup[*c, "TE"], lookup[*c, "OHE"]) for c in cells if {(*c, "TE"), (*c, "OHE")} <= lookup.keys()]
        np.testing.assert_allclose(found.loc[data], np.mean(both, axis=0))


def test_two_tables_can_say_the_opposite():
    tables = {"for TE": long_table(20, gap=3.0), "for OHE": long_table(20, seed=1, gap=-3.0)}
    found = compare(tables, 0.95, 0)
    assert (found.loc["for TE", "low"] > 0) and (found.loc["for OHE", "high"] < 0)
    scores = side_by_side(tables["for TE"])
    np.testing.assert_allclose(found.loc["for TE", "estimate"], (scores["TE"] - scores["OHE"]).mean())


# --- simulated studies ------------------------------------------------------------------------------------------------


def test_estimates_of_distributions_are_those_of_each_case():
    kernels = [gx.JaccardKernel(1), gx.MallowsKernel()]
    options = {"n_studies": 3, "n_resamples": 20, "rng": 4, "truth": 5.0}
    asked = ([8, 12], ["moments", "resampling"], 0.9, 0.1)
    frame = estimates_of_distributions({"even": EVEN, "uneven": UNEVEN}, kernels, *asked, **options)
    assert len(frame) == 2 * 2 * 2 * 2 * 3
    for name, distribution in (("even", EVEN), ("uneven", UNEVEN)):
        for kernel in kernels:
            alone = simulate_estimates(distribution, kernel, *asked, **options)
            own = frame[(frame["distribution"] == name) & (frame["kernel"] == kernel.name)].reset_index(drop=True)
            pd.testing.assert_frame_equal(own.drop(columns="distribution"), alone)


# --- experiments that all agree ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "confidence"), [(1, 0.95), (21, 0.95), (40, 0.8)])
def test_an_unseen_share_is_bounded_by_the_chance_to_miss_it(n, confidence):
    """Clopper and Pearson's one-sided bound for no success in n trials, found by looking for it."""
    bound = largest_unseen_share(n, confidence)
    assert binom.cdf(0, n, bound) == pytest.approx(1 - confidence)
    assert n_to_exclude(bound * (1 + 1e-9), confidence) == n
    assert n_to_exclude(bound * (1 - 1e-9), confidence) == n + 1


@pytest.mark.parametrize("alpha", [0.5, 0.6, 0.95, 0.99])
def test_with_a_harmless_share_one_experiment_is_enough(alpha):
    p = harmless_share(alpha)
    agree = {
        share: gx.generalization.exact_generalizability(np.eye(2), 1, 0.3, [1 - share, share])
        for share in (p, p + 0.01)
    }
    assert agree[p] >= alpha - 1e-12
    assert p == 0.5 or agree[p + 0.01] < alpha
