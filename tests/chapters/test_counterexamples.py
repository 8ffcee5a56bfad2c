"""Each number of a counter-example, found in another way than the module finds it."""

import numpy as np
import pytest
from scipy import stats

import genexpy_nb as gx
from genexpy_nb.chapters.causal import load_text_population
from genexpy_nb.chapters.start_here import wrong_sentences
from genexpy_nb.common.prose import PHRASES, percent


@pytest.fixture(scope="module")
def found():
    return wrong_sentences().set_index(["claim", "verdict"])


def test_every_wrong_sentence_has_its_case(found):
    assert list(found.index) == list(PHRASES)
    assert np.isfinite(found["value"]).all()
    assert found["case"].str.contains(r"\d").all()
    assert not found["case"].str.contains("nan|None").any()


def test_enough_experiments_and_the_toss_of_a_coin(found):
    # By symmetry, two odd studies of a fair coin agree on the winner half of the time.
    assert found.loc[("generalizability", "enough"), "value"] == pytest.approx(0.5, abs=1e-12)
    assert "so 37 experiments" in found.loc[("generalizability", "enough"), "case"]


def test_too_few_for_the_winner_by_brute_force(found):
    """Of the fair coin: the MMD of Jaccard(1) is the difference of two shares, times the square root of 2."""
    epsilon = gx.JaccardKernel().epsilon(0.05, 3)

    def agree(n):
        counts = np.arange(n + 1)
        chances = stats.binom.pmf(counts, n, 0.5)
        near = np.sqrt(2) * np.abs(np.subtract.outer(counts, counts)) / n <= epsilon + 1e-12
        return chances @ near @ chances

    needed = next(n for n in range(1, 100) if agree(n) >= 0.95)
    assert found.loc[("generalizability", "more needed"), "value"] == needed


def test_estimates_below_by_drawing_studies(found):
    rng, kernel = np.random.default_rng(0), gx.JaccardKernel()
    gram = kernel.gram(np.array([[0, 1, 2], [1, 0, 2]]))
    wins = rng.binomial(22, 0.8, 20_000)
    below = {}
    for n_first in np.unique(wins):
        results = np.repeat([0, 1], [n_first, 22 - n_first])
        below[n_first] = gx.estimate_nstar(gram[np.ix_(results, results)], 0.95, kernel.epsilon(0.05, 3)).estimate <= 22
    share = np.mean([below[n_first] for n_first in wins])
    assert found.loc[("generalizability", "undecided"), "value"] == pytest.approx(share, abs=0.015)


def test_two_significant_studies_differ_as_often_as_the_published_counts_say(found):
    yes = np.array(
        [276, 57]
    )  # Generalizability of Experimental Studies, second version, Table 1: of 1,000 simulated samples
    published = 1 - (yes**2).sum() / yes.sum() ** 2
    assert found.loc[("agreement", "estimated"), "value"] == pytest.approx(published, abs=0.04)


def test_paired_comparisons_by_simulation(found):
    rng = np.random.default_rng(0)
    d = rng.normal(0.5, 1, (20_000, 10))
    assert found.loc[("significance", "better"), "value"] == pytest.approx((d < 0).mean(), abs=0.005)
    missed = (stats.ttest_1samp(d, 0, axis=1).pvalue > 0.05).mean()
    assert found.loc[("significance", "not better"), "value"] == pytest.approx(missed, abs=0.012)
    large = d + 0.25  # more than the half that would matter
    missed = (stats.ttest_1samp(large, 0, axis=1).pvalue > 0.05).mean()
    case = found.loc[("significance", "equivalent")]
    assert case["value"] == pytest.approx(missed, abs=0.012)
    above = stats.ttest_1samp(large, -0.5, axis=1, alternative="greater").pvalue <= 0.05
    under = stats.ttest_1samp(large, 0.5, axis=1, alternative="less").pvalue <= 0.05
    assert case["case"].endswith(f" {percent((above & under).mean())}.")


def test_folds_taken_for_independent(found):
    rng = np.random.default_rng(1)
    # Differences of ten correlated scores are as correlated as the scores: .2, after Nadeau and Bengio.
    d = np.sqrt(0.2) * rng.normal(size=(4000, 1)) + np.sqrt(0.8) * rng.normal(size=(4000, 10))
    false = np.mean(stats.wilcoxon(d, axis=1, zero_method="pratt").pvalue <= 0.05)
    assert found.loc[("significance", "splits"), "value"] == pytest.approx(false, abs=0.03)


def test_effects_in_single_systems_from_the_table_itself(found):
    table = load_text_population()
    others = [name for name in table.columns if name not in ("weighting", "error", "composition", *_of_runs(table))]
    each = table.groupby([*others, "weighting"], dropna=False, observed=True)["error"].mean().unstack("weighting")
    effects = (each["tf-idf"] - each["counts"]).dropna().round(12)
    opposite = (np.sign(effects) == -np.sign(effects.mean())).mean()
    assert found.loc[("effect", "average"), "value"] == pytest.approx(opposite, abs=1e-9)


def _of_runs(table):
    """Columns that are results of a run."""
    return [name for name in table.columns if name in table.attrs["about"]["losses"]]


def test_a_bootstrap_of_one_split_by_simulation(found):
    rng = np.random.default_rng(0)
    # Test documents and training documents change the difference by one standard error each.
    shown = rng.normal(size=100_000) + rng.normal(size=100_000)
    assert found.loc[("effect", "one split"), "value"] == pytest.approx((np.abs(shown) > 1.96).mean(), abs=0.005)
