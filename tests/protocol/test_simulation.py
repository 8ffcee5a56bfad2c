"""Simulated error rates: against closed forms, libraries and learners fitted one by one."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.neighbors import NearestCentroid
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.protocol import conclusions, nadeau_bengio, simulate_error_rates
from genexpy_nb.protocol import simulation as sim


def rate(rates, procedure, quantity="FWER"):
    row = rates[(rates["procedure"] == procedure) & (rates["quantity"] == quantity)]
    return row["estimate"].item()


def within(measured, exact, n_studies, sigmas=4.5):
    assert abs(measured - exact) <= sigmas * np.sqrt(exact * (1 - exact) / n_studies), (measured, exact)


@pytest.mark.parametrize(("correlation", "n_seeds"), [(0.2, 5), (0.0, 1), (0.5, 3)])
def test_correlated_folds_have_closed_forms(correlation, n_seeds):
    n_studies, n, effect = 5_000, 10, 1.0
    options = {
        "world": "correlated-folds",
        "n_learners": 2,
        "n_seeds": n_seeds,
        "n_studies": n_studies,
        "seed_share": 0.0,
    }
    null = simulate_error_rates(0.0, correlation=correlation, **options)
    quantile = stats.t.ppf(0.975, n - 1)
    inflation = np.sqrt(1 + n * correlation / (1 - correlation))
    within(rate(null, "folds, t"), 2 * stats.t.sf(quantile / inflation, n - 1), n_studies)
    corrected = np.sqrt(1 + n * 0.2 / 0.8)  # the test takes 1 / k for the correlation, whatever it is
    within(rate(null, "folds, corrected t"), 2 * stats.t.sf(quantile * corrected / inflation, n - 1), n_studies)
    few = np.sqrt(1 + 5 * correlation / (1 - correlation))
    within(rate(null, "one seed, k folds, t"), 2 * stats.t.sf(stats.t.ppf(0.975, 4) / few, 4), n_studies)
    if correlation == 0:
        sums = np.array([sum(c) for r in range(n + 1) for c in combinations(range(1, n + 1), r)])
        p = np.array([2 * min((sums <= s).mean(), (sums >= s).mean()) for s in range(56)])
        within(rate(null, "folds, Wilcoxon"), (p[sums] <= 0.05).mean(), n_studies)

    found = simulate_error_rates(effect, correlation=correlation, **options)
    spread = np.sqrt(2 * (correlation + (1 - correlation) / n))
    power = stats.nct.sf(quantile * corrected / inflation, n - 1, effect / spread)
    within(rate(found, "folds, corrected t", "power"), power, n_studies)
    within(rate(found, "folds, Wilcoxon", "wrong order"), stats.norm.sf(effect / spread), n_studies)
    within(rate(found, "one trial, higher score", "wrong order"), stats.norm.sf(effect / np.sqrt(2)), n_studies)


def test_corrected_test_holds_its_level_where_its_assumption_holds():
    rates = simulate_error_rates(0.0, world="correlated-folds", n_learners=2, n_studies=10_000, seed_share=0.6)
    within(rate(rates, "folds, corrected t"), 0.05, 10_000)


def test_holm_holds_the_level_for_independent_splits():
    rates = simulate_error_rates(
        0.0, world="correlated-folds", n_learners=4, correlation=0.0, n_studies=5000, n_seeds=1
    )
    for procedure in ("folds, t", "folds, Wilcoxon"):
        assert rates.set_index("procedure").loc[procedure, "low"] <= 0.05
    assert rate(rates, "one seed, k folds, t") > 0.1  # six unadjusted tests


def test_learners_are_nearest_centroids():
    shape, n_rows = (2, 3, 2, 5), 43
    scores, correct = sim._learners(np.random.default_rng(8), shape, n_rows, effect=0.2)
    rng, half, p = np.random.default_rng(8), 21, sim._FEATURES
    X = rng.normal(size=(sim._CHUNK, 42, 2, p))
    order = rng.random((sim._CHUNK, 2, 3, p)).argsort(axis=-1)
    fold = rng.random((sim._CHUNK, 2, 2, half)).argsort(axis=-1) % 5
    y = np.repeat([0, 1], half)
    for b in (0, 17):
        folds = fold[b].reshape(2, 42)
        for learner, seed, repeat, f in [(0, 0, 0, 0), (1, 2, 1, 3), (0, 1, 1, 4), (1, 0, 0, 0)]:
            signal = sim._SIGNAL + (0.2 if learner == 0 else 0)
            columns = np.flatnonzero(order[b, learner, seed] < p // 2)
            data = (X[b, :, learner] + (2 * y - 1)[:, None] * signal)[:, columns]
            test = folds[repeat] == f
            model = NearestCentroid().fit(data[~test], y[~test])
            hits = model.predict(data[test]) == y[test]
            assert scores[b, learner, seed, repeat, f] == pytest.approx(hits.mean())
            if (seed, repeat, f) == (0, 0, 0):
                np.testing.assert_array_equal(correct[b, learner], hits)


def test_tests_of_the_simulation_against_libraries():
    rng = np.random.default_rng(2)
    d = rng.normal(0.3, 1, size=(30, 3, 10)).round(1)
    d[0, 0], d[1, 0] = 0, 0.5
    p_values = sim._t_test(d, 0.0)
    assert (p_values[0, 0], p_values[1, 0]) == (1, 0)
    for position in [(2, 0), (7, 1), (29, 2)]:
        assert p_values[position] == pytest.approx(stats.ttest_1samp(d[position], 0).pvalue)
        assert sim._t_test(d, 0.2)[position] == pytest.approx(nadeau_bengio(d[position], 0.2).p)
        np.testing.assert_allclose(
            sim._holm(p_values)[position[0]], multipletests(p_values[position[0]], method="holm")[1]
        )
    long = rng.normal(size=(5, 40))
    np.testing.assert_allclose(
        sim._wilcoxon(long), stats.wilcoxon(long, axis=1, method="asymptotic", correction=False).pvalue
    )
    a, b = rng.random((2, 20, 40)) < 0.7
    for row in range(20):
        table = (
            pd.crosstab(a[row], b[row])
            .reindex([False, True], fill_value=0)
            .reindex([False, True], axis=1, fill_value=0)
        )
        assert sim._mcnemar(a, b)[row] == pytest.approx(mcnemar(table, exact=True).pvalue)


def test_same_rates_for_any_number_of_workers():
    options = {"effects": (0.0, 0.1), "n_studies": 150, "n_rows": 60, "rng": 4}
    one = simulate_error_rates(**options)
    pd.testing.assert_frame_equal(one, simulate_error_rates(**options, n_jobs=2))
    assert not one["estimate"].equals(simulate_error_rates(**{**options, "rng": 5})["estimate"])
    assert ((one["low"] <= one["estimate"]) & (one["estimate"] <= one["high"])).all()
    assert set(one["n_studies"]) == {150}


def test_verdict_follows_from_the_interval():
    counts = pd.DataFrame({"procedure": list("abcd"), "quantity": ["FWER"] * 3 + ["power"], "hits": [10, 50, 90, 10]})
    rates = sim._rates(counts.assign(effect=0.0), 1000, 0.05)
    assert rates["verdict"].tolist() == ["below 0.05", "compatible with 0.05", "above 0.05", ""]
    z = stats.norm.ppf(0.975)
    share = 90 / 1000
    middle = (share + z**2 / 2000) / (1 + z**2 / 1000)
    half = z / (1 + z**2 / 1000) * np.sqrt(share * (1 - share) / 1000 + z**2 / 4e6)
    assert rates.loc[2, ["low", "high"]].tolist() == pytest.approx([middle - half, middle + half])
    assert [sentence.rsplit(": ", 1)[1] for sentence in conclusions(rates)] == [
        "below 0.05.",
        "compatible with 0.05.",
        "above 0.05.",
    ]


def test_the_papers_error_rate_is_not_what_folds_give():
    """Learners that are exchangeable: Wilcoxon over folds finds winners between them too often, whatever the seed."""
    for seed in (0, 1):
        verdicts = simulate_error_rates(0.0, n_studies=600, rng=seed).set_index("procedure")["verdict"]
        assert verdicts["folds, Wilcoxon"] == "above 0.05"
        assert verdicts["folds x seeds, Wilcoxon"] == "above 0.05"
        assert verdicts["folds, corrected t"] != "above 0.05"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"effects": -0.1}, "effects"),
        ({"effects": []}, "effects"),
        ({"n_learners": 1}, "n_learners must be a whole number of at least 2"),
        ({"n_rows": 10}, "n_rows must be a whole number of at least 20"),
        ({"correlation": 1.0}, "correlation must be a number in"),
        ({"world": "learner"}, "did you mean 'learners'"),
    ],
)
def test_simulation_rejects(change, message):
    with pytest.raises(ParameterError, match=message):
        simulate_error_rates(**change)
