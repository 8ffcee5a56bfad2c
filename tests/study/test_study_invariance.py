"""What must not matter to a study: order, storage, units, sign and names; over every analysis that it has."""

import os
import subprocess
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.study.study import Study
from tests.said_of_studies import (
    CONFIGURATION,
    IN_ANOTHER_ORDER,
    IN_ORDER,
    KERNELS,
    MODELS,
    SIZES,
    assert_same,
    following,
    made_up_study,
    made_up_table,
    said_of,
    shuffled,
)

ROLES = {"alternatives": "model", "target": "score", "generalize_over": ["dataset", "part"], "design": ["task"]}
ALL_KERNELS = [BordaKernel("svm"), JaccardKernel(), MallowsKernel(), RBFKernel()]


def table(rng, decimals=2, n_seeds=3):
    """Scores in steps of .01 that tie now and then; some evaluations, and some seeds, are missing."""
    rows = [
        {"model": model, "task": task, "dataset": f"d{d}", "part": part, "seed": seed}
        for model in MODELS
        for task in ("images", "texts")
        for d in range(6)
        for part in ("hard", "easy")
        for seed in range(n_seeds)
    ]
    frame = pd.DataFrame(rows)
    quality = frame["model"].map(dict(zip(MODELS, [0.7, 0.74, 0.5, 0.7, 0.6], strict=True)))
    frame["score"] = (quality + rng.normal(scale=0.05, size=len(frame))).round(decimals)
    keep = rng.random(len(frame)) > 0.05
    keep &= ~((frame["model"] == "knn") & (frame["dataset"] == "d1") & (frame["part"] == "hard")).to_numpy()
    return frame[keep].reset_index(drop=True)


def make(frame, **roles):
    return Study(frame, **{**ROLES, "average_over": "seed", **roles})


# --- order and storage: the same bits ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "missing"), [("object", "complete"), ("string", "drop")])
def test_order_and_storage_of_a_table_change_no_bit(dtype, missing):
    frame = table(np.random.default_rng(0), decimals=12)  # averages whose last digit depends on the order
    stored = frame.sample(frac=1, random_state=1).astype(dict.fromkeys(["model", "task", "dataset", "part"], dtype))
    study, other = make(frame, missing=missing), make(stored, missing=missing)
    assert other.notes == study.notes and other.configurations == study.configurations
    assert other.warnings == study.warnings and other.alternatives == study.alternatives
    exact = {"check_exact": True}
    pd.testing.assert_frame_equal(other.accounting, study.accounting, **exact)
    pd.testing.assert_frame_equal(other.nstar(ALL_KERNELS), study.nstar(ALL_KERNELS), **exact)
    for configuration in study.configurations:
        for of in ("scores", "rankings", "ranking"):
            expected, found = (getattr(each, of)(configuration=configuration) for each in (study, other))
            pd.testing.assert_frame_equal(found, expected, **exact)


def test_the_order_is_by_value():
    frame = table(np.random.default_rng(0))
    frame["dataset"] = frame["dataset"].str[1:].astype(int) * 7 % 12
    reversed_categories = pd.Categorical(frame["dataset"], sorted(frame["dataset"].unique(), reverse=True))
    for given in (frame, frame.assign(dataset=reversed_categories), frame.iloc[::-1]):
        scores = make(given).scores({"task": "texts"})
        assert scores.index.is_monotonic_increasing and scores.columns.is_monotonic_increasing
        assert scores.index.get_level_values("dataset").dtype == "int64"


SCRIPT = """
import warnings; warnings.simplefilter("error")
import numpy as np, pandas as pd
from genexpy_nb.generalization.kernels import *
from genexpy_nb.study.study import Study
rng = np.random.default_rng(0)
rows = {"model": np.tile(list("abc"), 20), "task": "t", "dataset": np.repeat([f"d{i}" for i in range(20)], 3)}
frame = pd.DataFrame(rows).assign(score=rng.random(60))
study = Study(frame, alternatives="model", target="score", generalize_over="dataset", design="task")
kernels = {BordaKernel("a"), MallowsKernel(), JaccardKernel(), JaccardKernel(2), BordaKernel("c"), RBFKernel()}
for method in ("moments", "resampling"):
    print(study.nstar(kernels, method=method, n_resamples=50).to_csv(float_format="%r"))
print(study.tiers({"task": "t"}).to_csv(), study.pairs({"task": "t"}).to_csv(), study)
"""


def test_kernels_of_a_set_are_in_one_order():
    class Backwards(set):
        def __iter__(self):
            return reversed([*super().__iter__()])

    study = made_up_study(made_up_table())
    assert study.nstar(Backwards(KERNELS)).equals(study.nstar({*KERNELS}))


@pytest.mark.slow  # two processes that load all libraries
def test_the_hash_seed_changes_nothing():
    """A set of kernels has another order in every session; their rows have not."""
    environments = [{**os.environ, "PYTHONHASHSEED": seed} for seed in ("0", "1")]
    running = [
        subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment, stdout=subprocess.PIPE, text=True)
        for environment in environments
    ]
    first, second = (process.communicate()[0] for process in running)
    assert [process.returncode for process in running] == [0, 0] and len(first) > 1000
    assert first == second


# --- units, sign, names: the same conclusions, under every policy ----------------------------------------------------


@cache
def original(missing):
    return said_of(made_up_study(made_up_table(), missing=missing))


def test_the_table_has_what_is_to_be_tested():
    """A policy that leaves out a data set, missing evaluations, ties, and something in every conclusion."""
    whole, dropped = original("worst-rank"), original("drop")
    sizes = [len(made_up_study(made_up_table(), missing=m).scores(CONFIGURATION)) for m in ("worst-rank", "drop")]
    assert sizes == [10, 9]
    pairs = whole["pairs", "by rank"]
    assert pairs["n_common"].min() < 10 and pairs["ties"].sum() > 0 and pairs["better"].nunique() > 1
    assert whole["ranks", True]["may_be_best"].nunique() == 2 and dropped["ranks", True]["tier"].nunique() > 1
    assert set(whole["sensitivity", "BordaKernel"].index.get_level_values("setting")) == {"missing", "delta", "kernel"}
    assert whole["curves", "MallowsKernel"]["estimate"].is_monotonic_increasing


@pytest.mark.parametrize("missing", [pytest.param("drop", marks=pytest.mark.slow), "complete"])
def test_shuffled_rows_columns_and_categories_change_no_bit(missing):
    other = made_up_study(shuffled(made_up_table()), missing=missing)
    assert_same(said_of(other), original(missing), check_exact=True)


@pytest.mark.parametrize(
    ("missing", "factor"),
    [
        pytest.param("worst-rank", -1.0, marks=pytest.mark.slow),
        pytest.param("drop", 1e-6, marks=pytest.mark.slow),
        ("complete", -1 / 114),
    ],
)
def test_other_units_and_flipped_signs_with_flipped_direction(missing, factor):
    frame = made_up_table()
    frame["score"] *= factor
    found = said_of(made_up_study(frame, missing=missing, higher_is_better=factor > 0))
    assert_same(found, original(missing), factor)


@pytest.mark.parametrize("factor", [100.0, 1 / 3, -1.0])
def test_raw_scores_in_other_units_with_the_scale_and_the_tolerance_in_these_units(factor):
    frame = made_up_table()
    study = made_up_study(frame)
    other = made_up_study(frame.assign(score=frame["score"] * factor), higher_is_better=factor > 0)
    gamma, delta = 1 / len(MODELS), 0.002
    kernel, scaled = RBFKernel(gamma), RBFKernel(gamma / factor**2)
    for analysis in ("leave_one_out", "curves"):
        options = {"n": SIZES} if analysis == "curves" else {}
        expected = getattr(study, analysis)(CONFIGURATION, kernel, delta=delta, **options).drop(columns="kernel")
        found = getattr(other, analysis)(CONFIGURATION, scaled, delta=delta * factor**2, **options)
        pd.testing.assert_frame_equal(found.drop(columns="kernel"), expected, rtol=1e-7)
        assert np.isfinite(expected.select_dtypes("number")).all(axis=None)


@pytest.mark.parametrize(
    ("missing", "names", "exact"),
    [
        ("complete", IN_ORDER, {"check_exact": True}),
        pytest.param("worst-rank", IN_ANOTHER_ORDER, {}, marks=pytest.mark.slow),
        pytest.param("complete", IN_ANOTHER_ORDER, {}, marks=pytest.mark.slow),
    ],
)
def test_other_names_and_in_the_same_order_the_same_bits(missing, names, exact):
    study = made_up_study(made_up_table().replace({"model": names}), missing=missing)
    assert_same(said_of(study, following(KERNELS, names), renamed=names), original(missing), **exact)


def test_two_that_share_the_best_mean_rank_are_no_leaders_by_name():
    """The second is first as often, and last elsewhere."""
    rows = [(2.0, 1.0, 0.0)] * 6 + [(1.0, 2.0, 0.0)] * 5 + [(1.0, 0.0, 2.0), (0.0, 2.0, 1.0)]
    found = []
    for names in (["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]):
        study = Study.from_wide(pd.DataFrame(rows, columns=names))
        assert set(study.best().best) == set(names[:2]) == set(study.best().contenders)
        assert not study.best().significant and study.best().p == 1
        assert study.ranking().index[0] == study.tiers().index[0] == min(names[:2])
        found.append(study.ranking().loc[names].reset_index(drop=True))
    assert all(each.equals(found[0]) for each in found)
