"""Order, units, sign and names matter neither to completions nor to the answers in words."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.conclusions.completion import complete
from genexpy_nb.study.answers import Answers
from tests.said_of_studies import (
    CONFIGURATION,
    IN_ANOTHER_ORDER,
    IN_ORDER,
    MODELS,
    made_up_study,
    made_up_table,
    shuffled,
)

# --- completions themselves -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_completions_of_alternatives_in_another_order_are_the_same_bits(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 30)), int(rng.integers(2, 14))
    scores = pd.DataFrame(rng.normal(size=(n, k)).round(1))
    scores = scores.mask(rng.random((n, k)) < 0.2)
    scores.iloc[0], scores[0] = rng.random(k), rng.random(n)  # so that everything is connected
    order = rng.permutation(k)
    there, back = complete(scores, True, 3, seed), complete(scores[order], True, 3, seed)
    for one, other in zip(there, back, strict=True):
        np.testing.assert_array_equal(other.scores, one.scores[:, order])
        np.testing.assert_array_equal(other.rankings, one.rankings[:, order])


def test_completions_in_other_units_with_another_zero_and_another_sign():
    block = made_up_study(made_up_table()).scores(CONFIGURATION)
    assert block.isna().to_numpy().any()
    expected = complete(block, True, 3)
    for factor, shift in [(100.0, 0.0), (1 / 114, 0.0), (1.0, 7.3), (-1.0, 0.0), (-3.0, 1.0)]:
        for one, other in zip(expected, complete(block * factor + shift, factor > 0, 3), strict=True):
            np.testing.assert_array_equal(other.rankings, one.rankings)
            np.testing.assert_allclose(other.scores, one.scores * factor + shift, rtol=1e-9)


# --- the answers in words ---------------------------------------------------------------------------------------------


def words(study, renamed=None, **options):
    """What is said to the person who ran the study, with the old names; the directions are said, too."""
    new = {old: old for old in MODELS} | (renamed or {})
    said = Answers(study, alternative=new["svm"], budget=9, configuration=CONFIGURATION, **options)
    parts = [
        said.sentences,
        [said.enough_in_words],
        said.next_steps,
        said.limits,
        said.left_out,
        [said.why_configuration, said.methods],
    ]
    text = "\n".join(sentence for part in parts for sentence in part)
    for old, name in new.items():
        text = re.sub(rf"(?<![\w]){re.escape(name)}(?![\w])", old, text)
    text = re.sub(r" \([\d.]+ in score\)", "", text)  # has a unit
    return text.replace("lower is better", "higher is better")


@cache
def original_words(missing):
    return words(made_up_study(made_up_table(), missing=missing))


def test_the_words_are_about_alternatives_and_estimates():
    said = original_words("worst-rank")
    assert "forest" in said.split("\n")[0] and "may be the best" in said and "the position of svm, n* is " in said
    assert "missing evaluation" in said and "Spend a budget of 9 experiments" in said


def test_answers_on_shuffled_rows_are_the_same_to_the_letter():
    frame = made_up_table()
    found, expected = map(made_up_study, (shuffled(frame), frame))
    assert Answers(found, budget=9).to_dict() == Answers(expected, budget=9).to_dict()


@pytest.mark.parametrize("missing", [pytest.param("worst-rank", marks=pytest.mark.slow), "complete"])
def test_answers_in_other_units_and_with_the_other_sign(missing):
    frame = made_up_table()
    other = made_up_study(frame.assign(score=frame["score"] / -114), missing=missing, higher_is_better=False)
    assert words(other) == original_words(missing)


@pytest.mark.parametrize(
    ("missing", "renamed"),
    [pytest.param("worst-rank", IN_ORDER, marks=pytest.mark.slow), ("complete", IN_ANOTHER_ORDER)],
    ids=["same order", "another order, completed"],
)
def test_answers_about_alternatives_with_other_names(missing, renamed):
    study = made_up_study(made_up_table().replace({"model": renamed}), missing=missing)
    assert words(study, renamed) == original_words(missing)
