"""Agreement in what any function concludes: against splits written anew and the built-in conclusions."""

from itertools import count, repeat

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.conclusions import functions
from genexpy_nb.conclusions.functions import agreement_of_function
from tests.of_arrays import agreement_of_table

SCORES = pd.DataFrame(np.random.default_rng(0).normal([1, 0.6, 0], 1, (12, 3)), columns=["a", "b", "c"])


def best(frame):
    """Fast: pandas takes most of the time of a test."""
    return int(frame.to_numpy().mean(axis=0).argmax())


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    fewer = {"_DRAWS": 12, "_SPLITS": 2, "_STUDIES": 4, "_PAIRS": 50, "WORTH_WORKERS": np.inf}
    for name, number in fewer.items():
        monkeypatch.setattr(functions, name, number)


def test_the_frame(monkeypatch):
    monkeypatch.setattr(functions, "_STUDIES", 39)  # enough to reject a world
    found = agreement_of_function(SCORES, best, [6, 12, 24])
    assert list(found) == ["conclusion", "measure", "n", "estimate", "low", "high"]
    assert set(found["conclusion"]) == {"best"} and set(found["measure"]) == {"probability of the same conclusion"}
    assert found["n"].tolist() == [6, 12, 24]
    assert (found["low"] <= found["high"]).all() and found[["estimate", "low", "high"]].stack().between(0, 1).all()


def test_same_seed_same_bytes_and_a_size_does_not_depend_on_the_others():
    found, again = (agreement_of_function(SCORES, best, [6, 24], seed=5) for _ in range(2))
    pd.testing.assert_frame_equal(found, again, rtol=0, atol=0)
    assert agreement_of_function(SCORES, best, [24], seed=5).iloc[0].tolist() == found.iloc[1].tolist()


@pytest.mark.parametrize("size", [2, 6])
def test_up_to_half_the_estimate_is_that_of_all_splits(size, monkeypatch):
    monkeypatch.setattr(functions, "_PAIRS", 1500)
    monkeypatch.setattr(functions, "_STUDIES", 2)
    orders = np.random.default_rng(1).permuted(np.tile(np.arange(12), (20_000, 1)), axis=1)
    parts = orders[:, :size], orders[:, size : 2 * size]
    one, two = (SCORES.to_numpy()[part].mean(axis=1).argmax(axis=1) for part in parts)
    found = agreement_of_function(SCORES, best, [size])["estimate"][0]
    assert found == pytest.approx(np.mean(one == two), abs=0.05)  # standard error .013


def test_a_function_that_says_who_wins_agrees_with_the_winner(monkeypatch):
    monkeypatch.setattr(functions, "_PAIRS", 800)
    monkeypatch.setattr(functions, "_STUDIES", 2)
    scores = pd.DataFrame(np.random.default_rng(2).normal([0.6, 0.2, 0], 1, (40, 3)))
    found = agreement_of_function(scores, best, [20, 40])["estimate"].to_numpy()
    # rows and normal effects have other parts beyond half, so that the two differ by chance and by bias
    assert found == pytest.approx(agreement_of_table(scores, "winner", [20, 40], by="score")["estimate"], abs=0.15)


@pytest.mark.parametrize(
    ("answers", "agreement"), [(repeat("always"), 1), (repeat(None), 1), (repeat(("a", 1)), 1), (count(), 0)]
)
def test_what_is_always_the_same_is_certain_and_what_never_is_never(answers, agreement):
    found = agreement_of_function(SCORES, lambda frame: next(answers), [6, 100])
    assert found[["estimate", "low", "high"]].to_numpy() == pytest.approx(agreement)


@pytest.mark.parametrize("n", [5, 7, 12])
def test_disjoint_parts_are_disjoint_and_others_overlap_as_they_should(n):
    rng = np.random.default_rng(3)
    for part in functions.PARTS_OF_ROWS:
        noise, shared = part
        for first, second in list(functions._pairs_of_parts(n, part, None, rng))[:5]:
            assert len(first) == len(second) >= 1 and max(*first, *second) < n
            common = len(set(first) & set(second))
            if shared == -1:
                assert common == 0
            elif shared == 0:
                assert len(first) == max(1, round(n / noise))
            else:
                assert len(set(first)) == len(first) and common == 2 * len(first) - n


def test_halves_have_no_experiment_in_common():
    orders = np.random.default_rng(4).permuted(np.tile(np.arange(11), (8, 1)), axis=1)
    halves = []
    functions._halves(SCORES[:11], lambda frame: halves.append(set(frame.index)), orders)
    assert len(halves) == 16 and {len(half) for half in halves} == {5}
    assert not any(first & second for first, second in zip(halves[::2], halves[1::2], strict=True))


def test_direction_and_units_do_not_matter():
    found = agreement_of_function(SCORES, best, [6, 24])
    turned = agreement_of_function(-4.0 * SCORES, lambda frame: best(-frame), [6, 24], higher_is_better=False)
    ends = ["estimate", "low", "high"]
    assert found[ends].to_numpy() == pytest.approx(turned[ends].to_numpy(), abs=0.02)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scores", [np.ones((5, 2)), np.tile([1.0, 0.0], (6, 1)), SCORES.to_numpy()[:5]])
def test_edges(scores):
    with np.errstate(all="raise", under="ignore"):
        found = agreement_of_function(pd.DataFrame(scores), best, [2, 5, 50])
    assert np.isfinite(found[["low", "high"]].to_numpy()).all()
    assert (found["estimate"].isna() | found["estimate"].between(found["low"], found["high"])).all()


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ParameterError, match="what can be compared, a name, a number or a tuple, got Series"):
        agreement_of_function(SCORES, lambda frame: frame.mean(), [6])
    with pytest.raises(StudyError, match="at least 5 experiments and two alternatives, got 12 and 1"):
        agreement_of_function(SCORES[["a"]], best, [6])
