"""Plans: another order and other names make no other answer."""

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.study.planning import extend_first, plan


def planned(seed):
    """Five configurations, two questions each, of other sizes, so that hardly any two cost the same."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame([(c, k) for c in "abcde" for k in ("Jaccard", "Mallows")], columns=["model", "kernel"])
    nstar = rng.uniform(10, 400, len(frame))
    sizes = frame["model"].map(dict(zip("abcde", rng.integers(20, 90, 5).tolist(), strict=True)))
    frame = frame.assign(n_experiments=sizes, nstar=nstar, low=nstar / 1.5, high=nstar * 1.7)
    frame.loc[rng.integers(len(frame)), ["nstar", "high"]] = np.inf
    return plan(frame)


@pytest.mark.parametrize("seed", range(3))
def test_what_to_extend_first_has_no_order_of_rows_and_no_names(seed):
    expected = extend_first(planned(seed), budget=200)
    assert len(expected) > 3 and expected["more"].is_unique
    shuffled = planned(seed).sample(frac=1, random_state=seed)
    found = extend_first(shuffled, budget=200)
    pd.testing.assert_frame_equal(found, expected)
    assert found.attrs == expected.attrs
    new = dict(zip("abcde", ["e", "<b>", "c", "a", "$d$"], strict=True))
    renamed = extend_first(shuffled.replace({"model": new}), budget=200)
    pd.testing.assert_frame_equal(renamed.replace({"model": {name: old for old, name in new.items()}}), expected)


def test_of_equal_prices_the_numbers_do_not_depend_on_the_order():
    """Which of two configurations comes first is open then, and how many questions any number answers is not."""
    frame = planned(0).assign(n_experiments=30, nstar=40.0 + 10 * (np.arange(10) % 3), low=20.0, high=90.0)
    expected = extend_first(plan(frame))[["cumulative", "answered"]]
    for seed in range(5):
        found = extend_first(plan(frame.sample(frac=1, random_state=seed)))
        pd.testing.assert_frame_equal(found[["cumulative", "answered"]], expected)
        assert found.attrs == {"n_questions": 10, "n_left_out": 0}
