"""Notebook 01: probabilities worked out by hand, frequencies, and what a figure shows, read back from its artists."""

import numpy as np
import pandas as pd
import pytest

from genexpy_nb import Study
from genexpy_nb.chapters.formalization import (
    checkmate_distribution,
    checkmate_results,
    generalizability_curves,
    two_studies,
)


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


# --- figures ---------------------------------------------------------------------------------------------------------


def test_two_studies_splits_the_distribution_at_the_threshold():
    x, y = (pd.DataFrame({"a": [0, tier], "b": [1, 0]}) for tier in (0, 1))
    fig = two_studies(x, y, 0.4, [0.0, 0.4, 0.9], [0.2, 0.5, 0.3], epsilon=0.4)
    agree, other, mark = fig.axes[2].collections
    assert [len(part.get_segments()) for part in (agree, other)] == [2, 1]  # on the threshold is within
    np.testing.assert_allclose(mark.get_offsets(), [[0.4, 0.5]])
    assert fig.axes[2].get_title() == "They look alike with\nprobability 0.700"
    assert [text.get_text() for text in fig.axes[1].texts] == ["0", "1", "1", "0"]


def test_the_star_is_where_the_curve_first_reaches_alpha():
    frame = pd.DataFrame({"a": [0.96, 0.9, 0.97], "b": [0.1, 0.2, 0.3]}, index=[1, 2, 3])
    fig = generalizability_curves(frame, 0.95)
    (star,) = fig.axes[0].collections  # curve b never gets there
    np.testing.assert_allclose(star.get_offsets(), [[1, 0.96]])
