"""benchmarks/bench_agreement.py: its truths are true, and its methods do what their names say."""

import itertools

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, norm

from benchmarks import bench_agreement as bench

SIZES = [5, 10, 40]


def sample_of(look="mean score", world="one leader", a=4, n=10, seed=0):
    expected, rng = bench.expected_scores(world, a), np.random.default_rng(seed)
    return bench.Sample(expected + rng.normal(size=(n, a)), look, bench.pair_of(expected), rng)


@pytest.mark.parametrize("n", [5, 20])
def test_truth_of_a_pair(n):
    certain = norm.cdf(np.sqrt(n) * 0.6 / np.sqrt(2))
    assert bench.truth("one leader", "normal", 4, n)[0, 3] == pytest.approx(1 - 2 * certain * (1 - certain), abs=0.01)


@pytest.mark.parametrize("errors", bench.ERRORS)
def test_errors_have_mean_0_and_variance_1(errors):
    drawn = bench.ERRORS[errors](np.random.default_rng(1), (50_000, 10))
    assert drawn.mean() == pytest.approx(0, abs=0.02)
    assert drawn.var() == pytest.approx(1, abs=0.05 if errors != "heavy tails" else 0.2)
    correlations = np.corrcoef(drawn.T)[0, 1:]
    shared = [0.5, *[0] * 8] if errors == "related" else [0] * 9
    assert correlations == pytest.approx(shared, abs=0.03)


def test_agreement_of_all_pairs_of_tables_with_ties():
    rng = np.random.default_rng(2)
    means = rng.integers(0, 4, (7, 5)) / 2.0
    pairs = list(itertools.combinations(range(7), 2))
    taus = [kendalltau(means[x], means[y]).statistic for x, y in pairs]
    found = bench.agreement_of_tables(lambda: means, 7, 2, (0, 1), rng)
    assert found[2] == pytest.approx(np.mean(taus), abs=1e-6)
    x, y = np.transpose(pairs)
    assert bench.agreement_of_pairs(means[x], means[y], 2, (0, 1), rng)[2] == pytest.approx(np.mean(taus), abs=1e-6)


def test_agreement_of_given_means_against_integrals():
    """The leader wins with probability E Phi(z + d)^3; the others share the rest."""
    sample, n, points = sample_of(), 20, np.linspace(-8, 8, 4001)
    expected = bench.expected_scores("one leader", 4)
    noise = np.random.default_rng(4).standard_normal((20_000, 4)).astype(np.float32)
    leader = np.trapezoid(norm.pdf(points) * norm.cdf(points + np.sqrt(n) * 0.6) ** 3, points)
    found = bench.agreement_of_means(expected[None], sample, n, noise)[:, 0]
    assert found[0] == pytest.approx(leader**2 + (1 - leader) ** 2 / 3, abs=0.01)
    ahead = norm.cdf(np.sqrt(n) * 0.6 / sample.pair_errors[:3])
    assert found[2] == pytest.approx(np.sum((2 * ahead - 1) ** 2) / 6)
    assert found[3] == pytest.approx(1 - 2 * ahead[0] * (1 - ahead[0]))
    equal = bench.agreement_of_means(np.zeros((1, 4)), sample, n, noise)[:, 0]
    assert equal == pytest.approx([0.25, 0.5, 0, 0.5], abs=0.002)


def test_posterior_draws_against_weighted_draws_from_the_prior(monkeypatch):
    monkeypatch.setattr(bench, "N_DRAWS", 20_000)
    rng, variance = np.random.default_rng(5), 0.04
    deviations, local = np.array([0.9, 0.1, -0.1]), np.tan(np.pi / 2 * bench.grid_of(40)) ** 2
    drawn = bench.mixture_draws(deviations, variance, local, rng)
    tau = 0.2 * np.abs(rng.standard_cauchy((400_000, 1)))
    prior = tau * np.sqrt(rng.choice(local, (400_000, 3))) * rng.standard_normal((400_000, 3))
    weight = np.exp(-0.5 * ((deviations - prior) ** 2).sum(axis=1) / variance)
    assert drawn.mean(axis=0) == pytest.approx(weight @ prior / weight.sum(), abs=0.02)
    assert (drawn**2).mean(axis=0) == pytest.approx(weight @ prior**2 / weight.sum(), abs=0.03)


def test_points_of_the_projection_lie_in_a_set_that_holds_the_truth_in_95_percent():
    held = []
    for seed in range(60):
        sample = sample_of(seed=seed, a=4, n=10)
        points, expected = bench.candidates(sample), bench.expected_scores("one leader", 4)
        assert points[0] == pytest.approx(sample.means)
        low, high, centred = points.min(axis=0), points.max(axis=0), expected - expected.mean()
        held.append(((low <= centred) & (centred <= high)).all())
    assert np.mean(held) >= 0.88  # 60 draws: 57, standard deviation 1.7


@pytest.mark.parametrize("look", bench.LOOKS)
@pytest.mark.parametrize("method", bench.METHODS)
def test_each_method_returns_numbers_in_range_and_the_same_again(method, look):
    found = bench.METHODS[method](sample_of(look), SIZES)
    estimate, low, high = np.moveaxis(found, 2, 0)
    assert found.shape == (4, 3, 3) and np.isfinite([low, high]).all()
    assert method == "ours" or np.isfinite(estimate).all()
    assert (low >= 0).all() and (low <= high).all() and (high <= 1).all()
    estimate = np.nan_to_num(estimate)
    assert (estimate <= 1).all() and (estimate[[0, 1, 3]] >= 0).all() and (estimate[2] >= -1).all()
    np.testing.assert_array_equal(found, bench.METHODS[method](sample_of(look), SIZES))


def test_a_run_writes_its_table_and_reads_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "N_TABLES", 100)
    asked = "bench --worlds ladder --methods normal plug-in --alternatives 4 --experiments 10 --samples 3 --out"
    tables = []
    for workers in "12":
        out = tmp_path / f"{workers}.csv"
        monkeypatch.setattr("sys.argv", [*asked.split(), str(out), "--workers", workers])
        with joblib.parallel_config("threading"):  # processes would take seconds to start
            bench.main()
        tables.append(out.read_bytes())
    assert tables[0] == tables[1]
    results = pd.read_csv(out)
    wanted = "world errors n_alternatives n_experiments conclusion n method truth bias rms coverage width n_samples"
    assert list(results.columns[:13]) == wanted.split()
    assert len(results) == 2 * 2 * 4 * 3 and results["n_samples"].eq(3).all()
    assert (results["rms"] >= results["bias"].abs() - 1e-4).all() and results["coverage"].between(0, 1).all()
    capsys.readouterr()
    monkeypatch.setattr("sys.argv", ["bench", "--read", str(out)])
    bench.main()
    printed = capsys.readouterr().out
    assert printed.count("bias worst") == 8 and "winner by mean rank" in printed
