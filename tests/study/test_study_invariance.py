"""What must not matter to a study: order, storage, units, sign and names; over every analysis that it has."""

import os
import subprocess
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.study.planning import plan
from genexpy_nb.study.study import Study

ROLES = {"alternatives": "model", "target": "score", "generalize_over": ["dataset", "part"], "design": ["task"]}
MODELS = ["bayes", "forest", "knn", "svm", "tree"]
KERNELS = [BordaKernel("svm"), JaccardKernel(), MallowsKernel(), RBFKernel()]


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


def shuffled(frame, rng):
    return frame.sample(frac=1, random_state=int(rng.integers(2**31)))[list(rng.permutation(frame.columns))]


def as_categories(frame, rng):
    """Every factor a categorical column, its categories in any order, some of them never used."""
    changed = frame.copy()
    for column in ("model", "task", "dataset", "part", "seed"):
        levels = [*frame[column].unique(), "never used" if frame[column].dtype != "int64" else 99]
        changed[column] = pd.Categorical(frame[column], [levels[i] for i in rng.permutation(len(levels))])
    return changed


def as_ordered_categories(frame, rng):
    changed = as_categories(frame, rng)
    for column in ("model", "dataset"):
        changed[column] = changed[column].cat.as_ordered()
    return changed


def as_type(dtype):
    return lambda frame, rng: frame.astype(dict.fromkeys(["model", "task", "dataset", "part"], dtype))


def together(frame, rng):
    return shuffled(as_ordered_categories(frame, rng), rng)


SAME_TABLES = {
    "shuffled": shuffled,
    "categories": as_categories,
    "ordered categories": as_ordered_categories,
    "object": as_type("object"),
    "string": as_type("string"),
    "string[python]": as_type("string[python]"),
    "Int64": lambda frame, rng: frame.astype({"seed": "Int64"}),
    "together": together,
}


@pytest.mark.parametrize("change", SAME_TABLES.values(), ids=SAME_TABLES)
@pytest.mark.parametrize("missing", ["worst-rank", "drop", "complete"])
def test_order_and_storage_of_a_table_change_no_bit(change, missing):
    rng = np.random.default_rng(0)
    frame = table(rng, decimals=12)  # averages whose last digit depends on the order
    study, other = make(frame, missing=missing), make(change(frame, rng), missing=missing)
    assert other.notes == study.notes and other.configurations == study.configurations
    assert other.warnings == study.warnings and other.alternatives == study.alternatives
    exact = {"check_exact": True}
    pd.testing.assert_frame_equal(other.accounting, study.accounting, **exact)
    for method in ("moments", "resampling"):
        expected = study.nstar(KERNELS, [0.8, 0.95], [0.05, 0.1], method, n_resamples=100)
        found = other.nstar(KERNELS, [0.8, 0.95], [0.05, 0.1], method, n_resamples=100)
        pd.testing.assert_frame_equal(found, expected, **exact)
    for configuration in study.configurations:
        for analysis in ("scores", "rankings", "tiers"):
            expected = getattr(study, analysis)(configuration)
            pd.testing.assert_frame_equal(getattr(other, analysis)(configuration), expected, **exact)
        expected = study.pairs(configuration, n_resamples=50)
        pd.testing.assert_frame_equal(other.pairs(configuration, n_resamples=50), expected, **exact)
        expected, found = (each.critical_difference(configuration) for each in (study, other))
        pd.testing.assert_series_equal(found.mean_ranks, expected.mean_ranks, **exact)
        pd.testing.assert_frame_equal(found.p_values, expected.p_values, **exact)
        assert other.best(configuration) == study.best(configuration)
        assert other.friedman(configuration).chi2 == study.friedman(configuration).chi2


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
print(study.tiers({"task": "t"}).to_csv(), study.pairs({"task": "t"}, n_resamples=50).to_csv(), study)
"""


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


# --- units, sign, names: the same conclusions -------------------------------------------------------------------------


def conclusions(study, kernels, deltas, renamed=None):
    """Everything that a study says, in words that are the same whatever the alternatives are called."""
    back = {new: old for old, new in (renamed or {}).items()}
    said = {}
    for kernel, delta in zip(kernels, deltas, strict=True):
        for method in ("moments", "resampling", "definition", "closed-form"):
            frame = study.nstar(kernel, [0.8, 0.95], delta, method, n_resamples=100)
            said["nstar", type(kernel).__name__, method] = frame.drop(columns=["kernel", "delta"])
            if method == "moments":
                said["plan", type(kernel).__name__] = plan(frame)[["required", "more", "verdict"]]
    for configuration in study.configurations:
        task = configuration["task"]
        said["rankings", task] = study.rankings(configuration).rename(columns=back).sort_index(axis=1)
        friedman = study.friedman(configuration)
        said["friedman", task] = pd.Series([friedman.chi2, friedman.p, friedman.p_f, friedman.kendall_w])
        said["mean ranks", task] = friedman.mean_ranks.rename(back).sort_index()
        for adjust in ("none", "holm"):
            best = study.best(configuration, adjust=adjust)
            said["best", adjust, task] = pd.Series(
                [sorted(back.get(a, a) for a in best.best), best.significant, round(best.p_others, 9)]
            )
        for impute in (False, True):
            for test in ("wilcoxon", "conover-iman"):
                tiers = study.tiers(configuration, test=test, impute=impute).rename(index=back)
                leader = tiers["leader"].map(lambda name: back.get(name, name))
                said["tiers", test, impute, task] = tiers.assign(leader=leader).sort_index()
                p_values = study.critical_difference(configuration, test=test, impute=impute).p_values
                p_values = p_values.rename(index=back, columns=back).sort_index().sort_index(axis=1)
                said["differences", test, impute, task] = p_values
            pairs = study.pairs(configuration, impute=impute, n_resamples=200)
            said["pairs", impute, task] = oriented(pairs, back)
    return said


def oriented(pairs, back):
    """Return what pairs say of the alternatives in alphabetical order of their old names, one pair a row."""
    pairs = pairs.assign(a=pairs["a"].map(lambda a: back.get(a, a)), b=pairs["b"].map(lambda b: back.get(b, b)))
    turned = pairs["a"] > pairs["b"]
    keep = ["n_conditions", "p", "p_adjusted", "probability_of_improvement", "poi_low", "poi_high", "d_z", "d_av"]
    result = pairs[["a", "b", "estimate", "low", "high", *keep]].copy()
    result.loc[turned, ["a", "b"]] = pairs.loc[turned, ["b", "a"]].to_numpy()
    result.loc[turned, ["estimate", "d_z", "d_av"]] *= -1
    result.loc[turned, ["low", "high"]] = -pairs.loc[turned, ["high", "low"]].to_numpy()
    for name in ("probability_of_improvement", "poi_low", "poi_high"):
        other = {"poi_low": "poi_high", "poi_high": "poi_low"}.get(name, name)
        result.loc[turned, name] = 1 - pairs.loc[turned, other]
    return result.sort_values(["a", "b"]).set_index(["a", "b"])


def assert_same(found, expected, scale=1.0):
    assert found.keys() == expected.keys()
    for what, value in expected.items():
        if what[0] == "pairs":
            value = value.copy()
            effects = ["estimate", "low", "high"]
            value[effects] *= scale
            if scale < 0:
                value[["low", "high"]] = value[["high", "low"]].to_numpy()
                value[["d_z", "d_av"]] *= -1
        same = pd.testing.assert_frame_equal if isinstance(value, pd.DataFrame) else pd.testing.assert_series_equal
        # Intervals of bootstraps are interpolated between resampled means, which other units round otherwise.
        same(found[what], value, rtol=1e-7, atol=1e-12, check_names=False, obj=str(what))


def said_of(frame, kernels=KERNELS, deltas=(0.05,) * 4, renamed=None, **roles):
    study = make(frame, missing="worst-rank", **roles)
    return conclusions(study, kernels, deltas, renamed)


@cache
def original(seed):
    frame = table(np.random.default_rng(seed), n_seeds=1)
    return frame, said_of(frame)


BOTH = pytest.mark.parametrize("seed", [3, 4])


@pytest.mark.parametrize(("factor", "seed"), [(100, 3), (3, 4), (1e-6, 3)])
def test_other_units(factor, seed):
    """The kernel on raw scores has a scale, and a tolerance in squared units: both in the other unit, too."""
    frame, expected = original(seed)
    kernels = [*KERNELS[:3], RBFKernel(gamma=1 / len(MODELS) / factor**2)]
    deltas = (0.05, 0.05, 0.05, 0.05 * factor**2)
    assert_same(said_of(frame.assign(score=frame["score"] * factor), kernels, deltas), expected, factor)


@BOTH
def test_flipped_signs_with_flipped_direction(seed):
    frame, expected = original(seed)
    found = said_of(frame.assign(score=-frame["score"]), higher_is_better=False)
    assert_same(found, expected, -1)
    losses = said_of(frame.assign(score=1 - frame["score"]), higher_is_better=False)
    assert_same(losses, expected, -1)


@pytest.mark.parametrize(("order", "seed"), [([4, 3, 2, 1, 0], 3), ([2, 0, 4, 1, 3], 4)])
def test_renamed_alternatives(order, seed):
    frame, expected = original(seed)
    renamed = {old: f"{order[i]} {old}" for i, old in enumerate(MODELS)}
    kernels = [BordaKernel(renamed["svm"]), *KERNELS[1:]]
    assert_same(said_of(frame.replace({"model": renamed}), kernels, renamed=renamed), expected)


@BOTH
def test_shuffled_rows(seed):
    frame, expected = original(seed)
    assert_same(said_of(shuffled(frame, np.random.default_rng(1))), expected)
