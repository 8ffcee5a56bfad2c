"""Simulated error rates: against closed forms, libraries and learners fitted one by one; and what notebook 06 shows."""

from dataclasses import asdict
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from statsmodels.stats.contingency_tables import mcnemar

from genexpy_nb.chapters.shared import made
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.protocol import nadeau_bengio
from runs import simulation as sim
from runs import worlds
from runs.simulation import N_STUDIES, RATES, SEED, over_worlds, rates_of, simulate_coverage, simulate_error_rates


def rate(rates, procedure, quantity="FWER"):
    row = rates[(rates["procedure"] == procedure) & (rates["quantity"] == quantity)]
    return row["estimate"].item()


def within(measured, exact, n_studies, sigmas=4.5):
    assert abs(measured - exact) <= sigmas * np.sqrt(exact * (1 - exact) / n_studies), (measured, exact)


def correlated(**changes):
    return worlds.World(world="correlated-folds", n_learners=2, **changes)


@pytest.mark.parametrize("n_seeds", [5, 2])
def test_variance_of_correlated_scores_is_shared_as_told(n_seeds):
    """What each source of randomness contributes, and to what, found by switching on one at a time."""
    weights, drawn = [], np.random.default_rng(0)
    for source in range(3):
        draws = iter(range(3))
        rng = SimpleNamespace(normal=lambda size, s=source, d=draws: np.full(size, float(next(d) == s)))
        world = correlated(n_seeds=n_seeds)
        scores = worlds.correlated_scores(rng, world, effect=0.0)
        assert scores.shape == (worlds.CHUNK, 2, n_seeds, 2, 5)
        assert np.ptp(scores) == 0
        weights.append(scores.flat[0] ** 2)
        draws = iter(range(3))
        rng = SimpleNamespace(normal=lambda size, s=source, d=draws: (next(d) == s) * drawn.normal(size=size))
        scores = worlds.correlated_scores(rng, world, effect=0.0)
        assert (np.ptp(scores, axis=2).min() > 0) == (source == 2)  # over seeds
        assert (np.ptp(scores, axis=(3, 4)).min() > 0) == (source > 0)  # over folds
    of_data, of_fold, of_seed = weights
    assert sum(weights) == pytest.approx(1)
    assert of_seed == pytest.approx(0.3 * (of_fold + of_seed))
    assert of_data / (of_data + of_fold + of_seed / n_seeds) == pytest.approx(0.2)


def step_down(p, level):
    """Holm's procedure as it is told: from the smallest p-value on, until one is too large for those that are left."""
    rejected = [False] * len(p)
    for n_left, position in zip(range(len(p), 0, -1), np.argsort(p), strict=True):
        if p[position] > level / n_left:
            break
        rejected[position] = True
    return rejected


def rank_sum(d):
    return sum(np.sign(x) * rank for x, rank in zip(d, stats.rankdata(np.abs(d)), strict=True))


def counted_one_by_one(scores, correct, effect, level):
    """The declarations of every procedure, comparison by comparison, with the tests of scipy and statsmodels."""
    counts = {}
    pairs = list(combinations(range(scores.shape[1]), 2))
    true = [int(effect and a == 0) for a, _ in pairs]

    def count(procedure, directions, declared):
        winners = [np.sign(d) if found else 0 for d, found in zip(directions, declared, strict=True)]
        false = any(w not in (0, t) for w, t in zip(winners, true, strict=True))
        for quantity, hit in (("FWER", false), ("power", winners[0] == 1)):
            if effect or quantity == "FWER":
                counts[procedure, quantity] = counts.get((procedure, quantity), 0) + hit

    for one, right in zip(scores, correct, strict=True):
        d = [one[i] - one[j] for i, j in pairs]
        folds = [x.mean(axis=0).ravel() for x in d]
        trial, repeat, means = [x[0, 0, 0] for x in d], [x[0, 0] for x in d], [x.mean() for x in d]
        count("one trial, higher score", trial, [True] * len(d))
        tables = [[[sum((right[i] == a) & (right[j] == b)) for b in (0, 1)] for a in (0, 1)] for i, j in pairs]
        p = [mcnemar(table, exact=True).pvalue for table in tables]
        more = [table[1][0] - table[0][1] for table in tables]
        count("one trial, McNemar, unadjusted", more, [value <= level for value in p])
        count("one trial, McNemar", more, step_down(p, level))
        p = [stats.ttest_1samp(x, 0).pvalue for x in repeat]
        count("one seed, k folds, t, unadjusted", [x.mean() for x in repeat], [value <= level for value in p])
        count("one seed, k folds, t", [x.mean() for x in repeat], step_down(p, level))
        exact = [stats.wilcoxon(x, method="exact").pvalue for x in folds]
        count("folds, Wilcoxon", [rank_sum(x) for x in folds], step_down(exact, level))
        every = [stats.wilcoxon(x.ravel(), method="asymptotic", correction=False).pvalue for x in d]
        count("folds x seeds, Wilcoxon", [rank_sum(x.ravel()) for x in d], step_down(every, level))
        count("folds, t", means, step_down([stats.ttest_1samp(x, 0).pvalue for x in folds], level))
        corrected = [nadeau_bengio(x, 1 / one.shape[-1]).p for x in folds]
        count("folds, corrected t", means, step_down(corrected, level))
        by_fold = [x.reshape(len(x), -1) for x in d]
        for which, own in (("same seed", [x[0] for x in by_fold]), ("other seeds", [x.diagonal() for x in by_fold])):
            exact = [stats.wilcoxon(x, method="exact").pvalue for x in own]
            count(f"one fit a fold, {which}, Wilcoxon", [rank_sum(x) for x in own], step_down(exact, level))
            corrected = [nadeau_bengio(x, 1 / one.shape[-1]).p for x in own]
            count(f"one fit a fold, {which}, corrected t", [x.mean() for x in own], step_down(corrected, level))
    return counts


@pytest.mark.parametrize(("effect", "level"), [(True, 0.05), (False, 0.05), (True, 0.3), (False, 0.3)])
def test_declarations_are_counted_as_libraries_would(effect, level):
    rng = np.random.default_rng(9)
    of_learner = rng.normal(0, 0.4, size=(40, 4, 1, 1, 1)) + 0.5 * effect * (np.arange(4) == 0).reshape(1, 4, 1, 1, 1)
    scores = of_learner + rng.normal(size=(40, 4, 8, 2, 4))
    correct = rng.random((40, 4, 30)) < 0.5 + 0.2 * np.tanh(of_learner[..., 0, 0])
    expected = counted_one_by_one(scores, correct, effect, level)
    counts = sim._count(scores, correct, effect, level).set_index(["procedure", "quantity"])["hits"]
    assert counts.to_dict() == expected
    assert len(set(expected.values())) > 5  # they are not all alike
    assert list(counts.index.unique("procedure")) == [name for name in sim.PROCEDURES if "5 x 2" not in name]


@pytest.mark.parametrize("level", [0.05, 0.2, 0.5])
def test_tenths_are_compared_like_whole_numbers(level):
    """0.8 - 0.7 and 0.4 - 0.3 differ in the last bits, and are one and the same difference."""
    whole = np.random.default_rng(4).integers(0, 8, size=(200, 2, 2, 2, 5))
    tenths = sim._count(whole / 10, None, True, level)
    pd.testing.assert_frame_equal(tenths, sim._count(whole.astype(float), None, True, level))


def test_a_t_test_without_spread_has_an_answer():
    assert sim._t_test(np.array([[0.0] * 10, [0.5] * 10]), 0.0).tolist() == [1, 2 / 2**10]


def test_ties_are_no_winners():
    scores = np.full((3, 2, 2, 2, 5), 0.3)
    scores[1, 0, 0] = 0.1 + 0.2  # 0.3 but for the last bit
    scores[2, 0] = [0.75, 0.7501, 0.7502, 0.7503, 0.7504]  # nearly: what never varies cannot be tested
    counts = sim._count(scores, None, True, 0.05).set_index(["procedure", "quantity"])["hits"]
    assert "one trial, McNemar" not in counts.index
    for procedure in counts.index.unique("procedure"):
        assert counts[procedure].to_dict() == {"FWER": 0, "power": 1}


def test_what_is_tested_names_the_winner():
    """Fourteen folds in which the first learner is better by .01, and one in which it is worse by .30."""
    scores = np.zeros((1, 2, 1, 3, 5))
    scores[0, 0, 0] = np.array([0.01] * 14 + [-0.3]).reshape(3, 5)
    counts = sim._count(scores, None, True, 0.05).set_index(["procedure", "quantity"])["hits"]
    assert counts["folds, Wilcoxon"].to_dict() == {"FWER": 0, "power": 1}
    lax = sim._count(scores, None, True, 0.9).set_index(["procedure", "quantity"])["hits"]
    assert (lax["folds, t", "FWER"], lax["folds, t", "power"]) == (1, 0)  # the mean says the opposite


def test_a_p_value_at_the_level_declares():
    scores = np.zeros((1, 2, 1, 1, 6))
    scores[0, 0, 0, 0] = np.arange(1, 7)  # all of one sign: p = 2 / 64
    for level, hits in ((1 / 32, 1), (0.99 / 32, 0)):
        counts = sim._count(scores, None, True, level).set_index(["procedure", "quantity"])["hits"]
        assert counts["folds, Wilcoxon", "power"] == hits


@pytest.mark.parametrize(
    ("kind", "similarity", "estimator"),
    [
        ("centroid", 0.0, NearestCentroid()),
        ("centroid", 0.7, NearestCentroid()),
        ("neighbour", 0.0, KNeighborsClassifier(1)),
    ],
)
def test_learners_are_those_of_scikit_learn(kind, similarity, estimator):
    world = worlds.World(kind=kind, n_learners=2, n_seeds=3, n_rows=43, similarity=similarity)
    scores, correct = worlds.learners_scores(np.random.default_rng(8), world, effect=0.2)
    rng, half, p = np.random.default_rng(8), 21, worlds._FEATURES
    X = rng.normal(size=(worlds.CHUNK, 42, 2, p))
    order = rng.random((worlds.CHUNK, 2, 3, p)).argsort(axis=-1)
    fold = rng.random((worlds.CHUNK, 2, 2, half)).argsort(axis=-1) % 5
    if similarity:
        X = np.sqrt(1 - similarity) * X + np.sqrt(similarity) * rng.normal(size=(worlds.CHUNK, 42, 1, p))
    y = np.repeat([0, 1], half)
    for b in (0, 17):
        folds = fold[b].reshape(2, 42)
        for learner, seed, repeat, f in [(0, 0, 0, 0), (1, 2, 1, 3), (0, 1, 1, 4), (1, 0, 0, 0)]:
            signal = worlds._SIGNAL + (0.2 if learner == 0 else 0)
            columns = np.flatnonzero(order[b, learner, seed] < p // 2)
            data = (X[b, :, learner] + (2 * y - 1)[:, None] * signal)[:, columns]
            test = folds[repeat] == f
            model = clone(estimator).fit(data[~test], y[~test])
            hits = model.predict(data[test]) == y[test]
            assert scores[b, learner, seed, repeat, f] == pytest.approx(hits.mean())
            if (seed, repeat, f) == (0, 0, 0):
                np.testing.assert_array_equal(correct[b, learner], hits)


def test_effects_share_their_random_numbers():
    options = {"world": "correlated-folds", "n_studies": 100, "rng": 3, "n_learners": 3}
    both = simulate_error_rates([0.0, 0.7], **options).set_index("effect")
    for effect in (0.0, 0.7):
        pd.testing.assert_frame_equal(both.loc[[effect]].reset_index(), simulate_error_rates(effect, **options))
    # The mean difference is that of the first learner to the mean of the others.
    assert both.loc[0.7, "mean_difference"].iloc[0] - both.loc[0.0, "mean_difference"].iloc[0] == pytest.approx(0.7)
    assert list(simulate_error_rates(0.0, **options)["quantity"].unique()) == ["FWER"]
    assert set(both.loc[0.7, "quantity"]) == {"FWER", "power"}


def test_studies_come_in_chunks_with_random_numbers_of_their_own():
    options = {"effects": 0.0, "world": "correlated-folds", "rng": 3}
    runs = [simulate_error_rates(n_studies=n, **options) for n in (50, 100, 51)]
    assert [set(run["n_studies"]) for run in runs] == [{50}, {100}, {100}]
    pd.testing.assert_frame_equal(runs[1], runs[2])
    hits = [run["estimate"] * run["n_studies"] for run in runs]
    np.testing.assert_allclose(hits[1], hits[1].round())
    assert (hits[1] != 2 * hits[0]).any()
    generator = simulate_error_rates(n_studies=50, **options | {"rng": np.random.default_rng(0)})
    pd.testing.assert_frame_equal(
        generator, simulate_error_rates(n_studies=50, **options | {"rng": np.random.default_rng(0)})
    )


def test_level_is_that_of_tests_and_verdict():
    options = {"effects": 0.0, "world": "correlated-folds", "n_learners": 2, "n_studies": 2000}
    lax = simulate_error_rates(**options, level=0.3).set_index("procedure")
    within(lax.loc["folds, corrected t", "estimate"], 0.3, 2000)
    assert lax.loc["folds, corrected t", "verdict"] == "compatible with 0.3"
    assert lax.loc["one trial, higher score", "verdict"] == "above 0.3"


def test_verdict_follows_from_the_interval():
    counts = pd.DataFrame({"procedure": list("abcd"), "quantity": ["FWER"] * 3 + ["power"], "hits": [4, 50, 60, 5]})
    more = counts.assign(hits=[6, 0, 30, 5])
    rates = sim._rates([counts, more], 1000, 0.05).assign(effect=0.0)
    assert list(rates["estimate"]) == [0.01, 0.05, 0.09, 0.01]
    assert set(rates["n_studies"]) == {1000}
    lax = sim._rates([counts, more], 1000, 0.01)["verdict"].to_list()
    assert lax == ["compatible with 0.01", "above 0.01", "above 0.01", ""]
    assert rates["verdict"].tolist() == ["below 0.05", "compatible with 0.05", "above 0.05", ""]
    z = stats.norm.ppf(0.975)
    share = 90 / 1000
    middle = (share + z**2 / 2000) / (1 + z**2 / 1000)
    half = z / (1 + z**2 / 1000) * np.sqrt(share * (1 - share) / 1000 + z**2 / 4e6)
    assert rates.loc[2, ["low", "high"]].tolist() == pytest.approx([middle - half, middle + half])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"n_studies": 0}, "n_studies must be"),
        ({"k": 6, "n_rows": 23}, "n_rows must be a whole number of at least 24"),
    ],
)
def test_simulation_rejects(change, message):
    with pytest.raises(ParameterError, match=message):
        simulate_error_rates(**change)


# --- coverage ---------------------------------------------------------------------------------------------------------


def held(coverage, interval, quantity="difference"):
    return coverage.set_index(["interval", "quantity"]).loc[(interval, quantity), "estimate"]


def test_an_interval_of_the_corrected_test_misses_zero_where_the_test_rejects():
    options = {"n_learners": 2, "n_studies": 300, "n_rows": 60, "rng": 5}
    rates, coverage = simulate_error_rates(0.0, **options), simulate_coverage(0.0, n_resamples=50, **options)
    for name in ("folds, corrected t", "folds, t", "one seed, k folds, t"):
        assert 1 - held(coverage, name) == pytest.approx(rate(rates, name))


def test_resampled_intervals_with_one_seed_per_fold_are_those_of_these_scores():
    scores = np.random.default_rng(4).random((6, 3, 10, 2, 5))
    ends = sim._all_ends(scores, None, 0.95, 200, seed=0)
    folds = np.arange(10)
    for seeds, chosen in (("same seed", np.zeros(10, dtype=int)), ("other seeds", folds)):
        one_fit = scores.reshape(6, 3, 10, 10)[:, :, chosen, folds].reshape(6, 3, 1, 2, 5)
        again = sim._all_ends(one_fit, None, 0.95, 200, seed=0)
        for mine, theirs in (("BCa", "folds, BCa"), ("corrected t", "folds, corrected t")):
            found = ends[f"one fit a fold, {seeds}, {mine}", "difference"]
            np.testing.assert_allclose(found, again[theirs, "difference"])


def test_ends_of_intervals_against_libraries():
    rng = np.random.default_rng(3)
    scores, correct = rng.random((4, 3, 2, 2, 5)), rng.random((4, 3, 40)) < [[0.9], [0.6], [0.7]]
    ends = sim._all_ends(scores, correct, 0.9, 20_000, seed=0)
    study, first, second = 2, 0, 2  # the pair in the middle of 01, 02, 12
    d = scores[study, first] - scores[study, second]
    folds, quantile = d.mean(axis=0).ravel(), stats.t.ppf(0.95, 9)
    exact = stats.bootstrap((folds,), np.mean, n_resamples=20_000, confidence_level=0.9, method="BCa", rng=1)
    expected = {
        "one seed, k folds, t": stats.ttest_1samp(d[0, 0], 0).confidence_interval(0.9),
        "folds, t": stats.ttest_1samp(folds, 0).confidence_interval(0.9),
        "folds, corrected t": folds.mean() + np.array([-1, 1]) * quantile * folds.std(ddof=1) * np.sqrt(0.1 + 0.25),
    }
    for name, values in expected.items():
        assert [end[study, 1] for end in ends[name, "difference"]] == pytest.approx(list(values))
    assert [end[study, 1] for end in ends["folds, BCa", "difference"]] == pytest.approx(
        list(exact.confidence_interval), abs=0.01
    )
    own = scores[study, second].mean(axis=0).ravel()
    exact = stats.bootstrap((own,), np.mean, n_resamples=20_000, confidence_level=0.9, method="BCa", rng=1)
    assert [end[study, 2] for end in ends["folds, BCa", "mean"]] == pytest.approx(
        list(exact.confidence_interval), abs=0.01
    )
    assert [end[study, 2] for end in ends["folds, t", "mean"]] == pytest.approx(
        list(stats.ttest_1samp(own, 0).confidence_interval(0.9))
    )
    wilson = stats.binomtest(int(correct[study, second].sum()), 40).proportion_ci(0.9, method="wilson")
    assert [end[study, 2] for end in ends["one trial, test rows", "mean"]] == pytest.approx([wilson.low, wilson.high])
    a, b = correct[study, first], correct[study, second]
    added = np.concatenate([a.astype(float) - b, [1.0, -1.0, 0.0, 0.0]])
    weights = np.concatenate([np.ones(40), np.full(4, 0.5)])  # half a row for each of the four counts
    middle = np.average(added, weights=weights)
    half = stats.norm.ppf(0.95) * np.sqrt(np.average((added - middle) ** 2, weights=weights) / 42)
    assert [end[study, 1] for end in ends["one trial, test rows", "difference"]] == pytest.approx(
        [middle - half, middle + half]
    )


def test_shares_of_dependent_intervals_have_wider_ones():
    rng = np.random.default_rng(0)
    hits = rng.random((500, 1)) < 0.8
    low, high = sim._clustered_wilson(hits)
    expected = stats.binomtest(int(hits.sum()), 500).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=2e-4)
    assert sim._clustered_wilson(np.repeat(hits, 3, axis=1)) == pytest.approx((low, high))  # nothing new
    assert np.diff(sim._clustered_wilson(rng.random((500, 3)) < 0.8)).item() == pytest.approx(
        (high - low) / np.sqrt(3), rel=0.1
    )
    assert sim._clustered_wilson(np.ones((500, 3), dtype=bool))[1] == 1


def test_truths_are_those_of_equal_learners():
    world = worlds.World(n_learners=4)
    means = np.array([0.9, 0.6, 0.7, 0.8])
    assert sim._truths(world, 0.1, means)["mean"] == pytest.approx([0.9, 0.7, 0.7, 0.7])
    assert sim._truths(world, 0.1, means)["difference"] == pytest.approx([0.2, 0.2, 0.2, 0, 0, 0])
    assert sim._truths(world, 0.0, means)["mean"] == pytest.approx([0.75] * 4)
    assert (sim._truths(world, 0.0, means)["difference"] == 0).all()


def test_worlds_are_put_together():
    tried = {"few": {"n_rows": 60, "n_learners": 2}, "folds": {"world": "correlated-folds", "k": 4}}
    found = over_worlds(tried, n_studies=50, n_resamples=50, rng=3, level=0.1)
    assert list(found["world"].unique()) == list(tried)
    for name, like in tried.items():
        rates = simulate_error_rates(0.0, level=0.1, n_studies=50, rng=3, **like)
        coverage = simulate_coverage(confidence=0.9, n_studies=50, n_resamples=50, rng=3, **like)
        part = found[found["world"] == name]
        assert part["estimate"].to_list() == [*rates["estimate"], *coverage["estimate"]]
        assert part["verdict"].to_list() == [*rates["verdict"], *coverage["verdict"]]


@pytest.mark.parametrize("n_studies", [60, 300, 2000])
def test_an_interval_holds_the_share_where_nothing_or_everything_is_a_hit(n_studies):
    low, high = sim._wilson(np.array([0, n_studies]), n_studies)
    assert low[0] == 0 and high[1] == 1 and 0 < high[0] < 0.07 and 0.93 < low[1] < 1


# --- what notebook 06 shows -------------------------------------------------------------------------------------------


def the_same(recorded, again):
    """The rest of a row is what a CSV makes of it: nothing where there is no verdict."""
    recorded = recorded.fillna({"verdict": ""}).reset_index(drop=True)
    pd.testing.assert_frame_equal(recorded, again, check_dtype=False, rtol=1e-12)


def test_five_times_two_folds_test_by_test():
    """Dietterich's t and Alpaydin's F of each pair, with the sums of their papers."""
    scores = np.random.default_rng(2).normal(size=(50, 3, 2, 5, 2)) + 0.3 * np.array([1, 0, 0]).reshape(1, 3, 1, 1, 1)
    i, j = np.triu_indices(3, 1)
    declared = sim._declarations(scores[:, i] - scores[:, j])
    hits = {"5 x 2 folds, t": 0, "5 x 2 folds, F": 0}
    for study, one in enumerate(scores.mean(axis=2)):
        p = {name: [] for name in hits}
        for pair, (a, b) in enumerate(zip(i, j, strict=True)):
            first, second = (one[a] - one[b]).T
            middle = (first + second) / 2
            squares = sum((first - middle) ** 2 + (second - middle) ** 2)
            p["5 x 2 folds, t"].append(2 * stats.t.sf(abs(first[0]) / np.sqrt(squares / 5), 5))
            p["5 x 2 folds, F"].append(stats.f.sf(sum(first**2 + second**2) / (2 * squares), 10, 5))
            assert np.sign(declared["5 x 2 folds, t"].statistic[study, pair]) == np.sign(first[0])
        for name, values in p.items():
            np.testing.assert_allclose(declared[name].p[study], values, rtol=1e-9)
            hits[name] += step_down(values, 0.3)[0]
    counts = sim._count(scores, None, False, 0.3).set_index(["procedure", "quantity"])["hits"]
    assert all(0 < hits[name] <= counts[name, "FWER"] for name in hits)
    assert set(sim._count(scores[:, :, :, :4], None, False, 0.3)["procedure"]).isdisjoint(hits)
    assert sim._five_times_two(np.full((1, 1, 5, 2), 0.1))["5 x 2 folds, F"].p.item() == 1


@pytest.mark.parametrize("name", ["equal models", "textbook", "halves", "cures", "one fit a fold"])
def test_recorded_rates_are_what_a_simulation_gives(name):
    asked = [each for each in RATES if each[0] == name]
    recorded = made("simulated_rates").query("simulation == @name")
    the_same(recorded, pd.concat([rates_of(*each) for each in asked], ignore_index=True))


def test_the_record_has_all_that_was_asked_for():
    recorded = made("simulated_rates")
    few = [rates_of(name, effects, worlds.CHUNK, seed, world) for name, effects, _, seed, world in RATES]
    again = pd.concat(few, ignore_index=True)
    asked = ["simulation", "effect", "procedure", "quantity", *asdict(worlds.World())]
    pd.testing.assert_frame_equal(recorded[asked], again[asked])
    n_studies = {name: n for name, _, n, _, _ in RATES}
    assert (recorded["n_studies"] == recorded["simulation"].map(n_studies)).all()


def test_recorded_intervals_and_worlds_are_what_a_simulation_gives():
    the_same(made("simulated_intervals"), sim.coverage_shown())
    one = {"2 learners": {"n_learners": 2}}
    recorded = made("simulated_worlds")
    assert list(recorded["world"].unique()) == list(worlds.RANGE_OF_WORLDS)
    the_same(recorded[recorded["world"] == "2 learners"], over_worlds(one, n_studies=4 * N_STUDIES // 5, rng=SEED))
