"""The toy study: the whole table once more from scipy and scikit-posthocs, and the published counts."""

import math
from itertools import combinations

import numpy as np
import pytest
import scikit_posthocs
from numpy.testing import assert_allclose
from scipy import stats

from genexpy_nb import JaccardKernel
from genexpy_nb.chapters.significance_toy import (
    TOY,
    compare_worlds,
    exact_toy,
    next_study,
    share_with_a_winner,
    toy_samples,
    toy_table,
)
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization import definition
from genexpy_nb.generalization.samplers import RankingDistribution


def table_from_the_libraries():
    """Counts and mean 10-Gen of the paper's toy study, from a binomial sum over the 21 samples."""
    counts, gens = {}, {}
    for k in range(21):
        sample = np.repeat([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]], [k, 20 - k], axis=0)
        assert stats.friedmanchisquare(*sample.T).pvalue <= 0.05
        ranks = sample.mean(axis=0)
        best = np.flatnonzero(ranks == ranks.min())
        with np.errstate(divide="ignore"):  # samples in which all results agree
            p = scikit_posthocs.posthoc_conover_friedman(sample).to_numpy()[best[0]]
        significant = len(best) == 1 and (np.delete(p, best[0]) <= 0.05).all()
        # 10 of the 20 results are the first study: h and k - h of them are (01234), MMD = sqrt(2) |2 h - k| / 10.
        h = np.arange(11)
        similar = np.sqrt(2) * np.abs(2 * h - k) / 10 <= np.sqrt(2 * 0.05)
        gen = stats.hypergeom(20, k, 10).pmf(h)[similar].sum()
        key = ("yes" if significant else "no", "{" + ", ".join(map(str, best)) + "}")
        weight = stats.binom(20, 0.55).pmf(k)
        counts[key] = counts.get(key, 0) + weight
        gens[key] = gens.get(key, 0) + weight * gen
    return {key: (1000 * counts[key], gens[key] / counts[key]) for key in counts}


def test_the_exact_table_is_the_binomial_sum():
    table = toy_table(exact_toy()).set_index(["significant", "best"])
    expected = table_from_the_libraries()
    assert len(table) == len(expected) + 1
    for key, (count, gen) in expected.items():
        assert_allclose(table.loc[key, ["count", "generalizability"]].astype(float), [count, gen], rtol=1e-9)
    assert table.loc[("all", ""), "count"] == pytest.approx(1000)


def test_exact_generalizability_of_three_rankings_by_brute_force():
    """All ways to draw two disjoint studies from the sample, one by one."""
    distribution = RankingDistribution(np.array([[0, 1, 2], [1, 0, 2], [0, 0, 1]]), np.array([0.5, 0.3, 0.2]))
    kernel = JaccardKernel(k=1)
    samples = exact_toy(distribution, n=7, k_gen=3, delta=0.3)
    assert len(samples) == 36
    assert samples["probability"].sum() == pytest.approx(1)
    epsilon = kernel.epsilon(0.3, 3)
    for _, sample in samples.iloc[::5].iterrows():
        rows = np.repeat(np.arange(3), sample["counts"])
        gram = kernel.gram(distribution.rankings)[np.ix_(rows, rows)]
        hits, total = 0, 0
        for first in combinations(range(7), 3):
            for second in combinations(sorted(set(range(7)) - set(first)), 3):
                w = np.zeros(7)
                w[list(first)], w[list(second)] = 1 / 3, -1 / 3
                hits += np.sqrt(max(w @ gram @ w, 0)) <= epsilon * (1 + 1e-9)
                total += 1
        assert sample["generalizability"] == pytest.approx(hits / total)


@pytest.mark.parametrize(("n", "level"), [(20, 0.05), (9, 0.2)])
def test_winners_and_the_next_study_are_binomial_sums(n, level):
    """Which samples have a winner, by another library."""
    k = np.arange(n + 1)
    significant = np.zeros(n + 1, bool)
    for wins in k:
        sample = np.repeat([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]], [wins, n - wins], axis=0)
        best = int(wins <= n / 2)
        with np.errstate(divide="ignore"):  # samples in which all results agree
            others = np.delete(scikit_posthocs.posthoc_conover_friedman(sample).to_numpy()[best], best)
        significant[wins] = 2 * wins != n and (others <= level).all()
    for probability in (0.5, 0.7):
        world = RankingDistribution(TOY.rankings, np.array([probability, 1 - probability]))
        p = stats.binom.pmf(k, n, probability)
        assert share_with_a_winner(world, n, level) == pytest.approx(p[significant].sum())
        by_signs = np.array([stats.binomtest(int(wins), n).pvalue <= level for wins in k])
        for sign, claims in ((False, significant), (True, by_signs)):
            found = next_study(world, n, level, sign)
            one, other = p[claims & (2 * k > n)].sum(), p[claims & (2 * k < n)].sum()
            assert found["another"] == pytest.approx(2 * one * other / (one + other))
            assert found[["same winner", "another", "none"]].sum() == pytest.approx(1)


def test_worlds_are_compared_by_their_studies():
    fair = RankingDistribution(TOY.rankings, np.array([0.5, 0.5]))
    tied = RankingDistribution(np.array([[0, 0, 1, 2], [0, 0, 2, 1], [0, 0, 1, 1]]), np.array([0.4, 0.4, 0.2]))
    three = RankingDistribution(np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0]]), np.array([0.6, 0.3, 0.1]))
    worlds = {"fair": fair, "tied": tied, "three": three}
    compared = compare_worlds(worlds, 12, level=0.2, alpha=0.8, delta=0.04, n_studies=40, rng=4)
    assert list(compared.index) == list(worlds)
    rows = exact_toy(fair, 12, 5, 0.2).iterrows()
    significant = [math.comb(12, row["counts"][0]) for _, row in rows if row.significant]
    assert compared.loc["fair", "significant"] == pytest.approx(sum(significant) / 2**12)
    listed = exact_toy(three, 12, 5, 0.2).query("significant")["probability"].sum()
    assert share_with_a_winner(three, 12, 0.2) == pytest.approx(listed, abs=4 * math.sqrt(0.25 / 2_000))
    for name in ("fair", "three"):
        gram, epsilon = JaccardKernel(k=1).gram(worlds[name].rankings), math.sqrt(2 * 0.04)
        assert compared.loc[name, "nstar"] == definition(gram, 0.8, epsilon, worlds[name].probabilities, rng=4)
    assert compared.loc["fair", "same_best"] == pytest.approx(0.5)  # both are equal
    assert compared.loc["tied", "significant"] == 0
    assert np.isnan(compared.loc["tied", "same_best"])


@pytest.mark.parametrize("k_gen", [0, 11])
def test_two_studies_that_do_not_fit_into_a_sample_are_refused(k_gen):
    with pytest.raises(ParameterError, match=f"k_gen must be a whole number from 1 to 10, got {k_gen}"):
        exact_toy(k_gen=k_gen)


# --- figures ---------------------------------------------------------------------------------------------------------


def test_the_samples_of_the_toy_study_are_all_shown():
    samples = exact_toy()
    above, below = toy_samples(samples).axes
    heights = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in above.patches}
    assert heights == pytest.approx({c[0]: p for c, p in zip(samples["counts"], samples["probability"], strict=True)})
    points = np.concatenate([np.asarray(c.get_offsets()) for c in below.collections])
    expected = dict(zip(samples["counts"].str[0], samples["generalizability"], strict=True))
    assert {int(x): y for x, y in points} == pytest.approx(expected)
    filled = sum(len(c.get_offsets()) for c in below.collections if c.get_facecolor()[0].tolist() != [1, 1, 1, 1])
    assert filled == samples["significant"].sum()
