"""Compared with probabilities worked out by hand, and with frequencies."""

import numpy as np
import pytest

from genexpy_nb import ParameterError, Study
from genexpy_nb.chapters.formalization import checkmate_distribution, checkmate_results


def test_three_models_by_hand():
    a, b, c = 0.5, 0.4, 0.3
    distribution = checkmate_distribution([a, b, c])
    found = dict(zip(map(tuple, distribution.rankings.tolist()), distribution.probabilities, strict=True))
    assert found == pytest.approx(
        {
            (0, 0, 0): a * b * c + (1 - a) * (1 - b) * (1 - c),
            (0, 0, 1): a * b * (1 - c),
            (0, 1, 0): a * (1 - b) * c,
            (0, 1, 1): a * (1 - b) * (1 - c),
            (1, 0, 0): (1 - a) * b * c,
            (1, 0, 1): (1 - a) * b * (1 - c),
            (1, 1, 0): (1 - a) * (1 - b) * c,
        }
    )


def test_certain_models():
    distribution = checkmate_distribution([1.0, 0.0])
    assert distribution.rankings[distribution.probabilities > 0].tolist() == [[0, 1]]


def test_the_table_follows_the_distribution():
    """As a study: the shares of the rankings are those of the distribution, within five standard errors."""
    success, n = [0.6, 0.3, 0.5], 20_000
    results = checkmate_results({0: [0.0, 0.0, 1.0], 2: success}, n, rng=1)
    study = Study(results, alternatives="model", target="solved", generalize_over="position", design=["shots"])
    assert (study.rankings({"shots": 0}) == [1, 1, 0]).all(axis=None)
    rankings, distribution = study.rankings({"shots": 2}).to_numpy(), checkmate_distribution(success)
    for ranking, p in zip(distribution.rankings, distribution.probabilities, strict=True):
        assert (rankings == ranking).all(axis=1).mean() == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / n))


@pytest.mark.parametrize("success", [[0.5], [0.5, 1.1], [0.5, float("nan")], [[0.5, 0.5]]])
def test_no_probabilities(success):
    with pytest.raises(ParameterError, match="success"):
        checkmate_distribution(success)


def test_up_to_ten_models():
    assert len(checkmate_distribution([1.0] * 10).rankings) == 2**10 - 1
    with pytest.raises(ParameterError, match="of 2 to 10 models"):
        checkmate_distribution([0.5] * 11)


def test_no_positions():
    with pytest.raises(ParameterError, match="n_positions"):
        checkmate_results({0: [0.5, 0.5]}, 0, rng=0)
