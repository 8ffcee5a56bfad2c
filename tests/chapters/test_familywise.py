"""Error rates of tests, against a loop over the libraries on the same tables and against what theory promises."""

import numpy as np
import pytest
import scikit_posthocs
from scipy import stats

from genexpy_nb.chapters.significance_toy import familywise_errors


def holm(p):
    """Holm's procedure by its definition: smallest p-value times the hypotheses left, kept in order."""
    adjusted, largest = np.empty(len(p)), 0.0
    for done, at in enumerate(np.argsort(p)):
        largest = adjusted[at] = min(1.0, max(largest, (len(p) - done) * p[at]))
    return adjusted


@pytest.mark.parametrize("location", [[0, 0, 0, 6, 9, 12], [0, 0, 0, 0.6, 0.8, 1.2]])  # all is found, or not all
def test_the_counts_are_those_of_the_libraries_on_the_same_tables(location):
    n_studies, n = 40, 12
    rng = np.random.default_rng(3)
    conover = wilcoxon = 0
    i, j = np.triu_indices(6, 1)
    equal = np.array([location[a] == location[b] for a, b in zip(i, j, strict=True)])
    for _ in range(n_studies):
        scores = np.array(location) + rng.normal(size=(n, 6))
        if stats.friedmanchisquare(*scores.T).pvalue <= 0.3:
            p = scikit_posthocs.posthoc_conover_friedman(scores).to_numpy()
            conover += (holm(p[i, j])[equal] <= 0.3).any()
        p = stats.wilcoxon(scores[:, i] - scores[:, j], axis=0, zero_method="pratt", method="exact").pvalue
        wilcoxon += (holm(p)[equal] <= 0.3).any()
    errors = familywise_errors(location, n, level=0.3, n_studies=n_studies, rng=3)
    assert 0 < wilcoxon <= conover
    assert errors["n_false"].tolist() == [conover, wilcoxon]
    for _, row in errors.iterrows():
        interval = stats.binomtest(row["n_false"], n_studies).proportion_ci(method="wilson")
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
        assert row["estimate"] == row["n_false"] / n_studies


def test_conover_iman_is_asked_only_if_friedman_rejects():
    n_studies, rng = 120, np.random.default_rng(3)
    found = after_friedman = 0
    for _ in range(n_studies):
        scores = rng.normal(size=(5, 4))
        p = scikit_posthocs.posthoc_conover_friedman(scores).to_numpy()[np.triu_indices(4, 1)]
        found += holm(p).min() <= 0.05
        after_friedman += holm(p).min() <= 0.05 and stats.friedmanchisquare(*scores.T).pvalue <= 0.05
    assert 0 < after_friedman < found
    errors = familywise_errors([0] * 4, n_conditions=5, n_studies=n_studies, rng=3)
    assert errors["n_false"].tolist() == [after_friedman, 0]  # five signs cannot make a p-value below .05
