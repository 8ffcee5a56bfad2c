"""Studies in batches and plans: other orders, names, units and signs make no other answer."""

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel
from genexpy_nb.study.planning import extend_first, plan, run_generalizable_study

N = 24


def scores(seed=0, n=N, m=4):
    rng = np.random.default_rng(seed)
    return (rng.integers(40, 70, (n, m)) + np.array([0, 6, 10, -3])[:m]) / 114


@pytest.mark.parametrize("kernel", [BordaKernel("b"), JaccardKernel(), MallowsKernel()], ids=lambda k: k.name)
def test_a_study_in_batches_stops_at_the_same_experiment(kernel):
    values = pd.DataFrame(scores(1, 100), columns=list("abcd"))

    def run(frame, of, higher_is_better=True):
        rows = iter(range(0, 100, 5))

        def batch(n):
            start = next(rows)
            return frame.iloc[start : start + n]

        return run_generalizable_study(batch, of, 0.8, 0.2, 5, 60, higher_is_better=higher_is_better)

    expected = run(values, kernel)
    new = {"a": "zeta", "b": "a", "c": "m", "d": "b"}
    follow = BordaKernel("a") if isinstance(kernel, BordaKernel) else kernel
    within = values.groupby(np.arange(100) // 5).sample(frac=1, random_state=0)
    for found in (
        run(values[list("dbca")], kernel),
        run(values.rename(columns=new), follow),
        run(-values, kernel, False),
        run(values * 1e6, kernel),
        run(within, kernel),
    ):
        assert (found.reason, len(found.results)) == (expected.reason, len(expected.results))
        pd.testing.assert_frame_equal(found.history, expected.history, rtol=1e-9)


def planned(seed):
    """Five configurations, two questions each, of other sizes, so that hardly any two cost the same."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame([(c, k) for c in "abcde" for k in ("Jaccard", "Mallows")], columns=["model", "kernel"])
    nstar = rng.uniform(10, 400, len(frame))
    sizes = frame["model"].map(dict(zip("abcde", rng.integers(20, 90, 5).tolist(), strict=True)))
    frame = frame.assign(n_experiments=sizes, nstar=nstar, low=nstar / 1.5, high=nstar * 1.7)
    frame.loc[rng.integers(len(frame)), ["nstar", "high"]] = np.inf
    return plan(frame)


@pytest.mark.parametrize("seed", range(12))
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
