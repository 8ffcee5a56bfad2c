"""Samples of systems: who runs with what, on which compositions; what failed; resuming."""

import json
import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest
from made_up_runs import APPROACHES, COMPARISON, Keyed, known, known_error
from make_text_population import run_population

from genexpy_nb import causal
from genexpy_nb.causal import PipelinePopulation
from genexpy_nb.chapters import causal as chapter
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.hashing import versions

VARIABLES = {"v1": ["A", "B"], "v2": ["C", "G", "H"], "v3": ["D", "I"], "v4": ["F", "J", "Q", "U"]}


POPULATION = PipelinePopulation(VARIABLES, APPROACHES)


def test_larger_samples_begin_with_smaller_ones():
    pd.testing.assert_frame_equal(POPULATION.sample(5, seed=9), POPULATION.sample(12, seed=9).head(5))
    comparison = POPULATION.compare("v2", "C", "G")
    evaluate = _losses
    for run in (causal.run_paired, causal.run_independent):
        few, many = run(comparison, evaluate, 6, seed=4), run(comparison, evaluate, 10, seed=4)
        pd.testing.assert_frame_equal(few.frame, many.frame.head(len(few.frame)))
    once, twice = (causal.run_paired(comparison, evaluate, 6, n_compositions=n) for n in (1, 2))
    first = twice.frame.groupby(["system", "method"], sort=False).head(1).reset_index(drop=True)
    pd.testing.assert_frame_equal(once.frame, first)


def _losses(combination, seed):
    return {"error": seed / 2**32, "other": float(combination["v1"] == "A")}


def test_both_methods_share_system_and_composition():
    runs = causal.run_paired(POPULATION.compare("v2", "C", "H"), _losses, 30, n_compositions=2)
    for _, pair in runs.frame.groupby(["system", "composition"]):
        assert pair["method"].tolist() == ["C", "H"]
        assert pair[list(runs.variables)].astype(str).nunique().max() == 1
    own = runs.frame.groupby("system")["composition"].agg(set)
    assert len(set.union(*own)) == 60


@pytest.mark.parametrize(
    ("evaluate", "message"),
    [
        (lambda c, s: {"e": float("nan")}, "all 8 runs failed, the first with: the loss e is nan"),
        (lambda c, s: {}, "evaluate returned no loss"),
        (lambda c, s: 1 / 0, "ZeroDivisionError"),
        (lambda c, s: {c["v1"]: 1.0}, r"losses \['B'\] after \['A'\]"),
        (lambda c, s: {"v2": 1.0}, "the loss 'v2' has the name of a variable"),
        (lambda c, s: {"system": 1.0}, "a loss cannot have the name 'system'"),
    ],
)
def test_evaluations_that_cannot_be_used(evaluate, message):
    with pytest.raises(StudyError, match=message):
        causal.run_paired(PipelinePopulation(VARIABLES).compare("v1", "A", "B"), evaluate, 4)


def test_runs_resume_and_do_not_depend_on_workers_or_folder(tmp_path):
    comparison = POPULATION.compare("approach", "small", "large")
    direct = causal.run_paired(comparison, Keyed(), 6, seed=2, n_compositions=2)
    saved = causal.run_paired(comparison, Keyed(), 4, seed=2, n_compositions=2, folder=tmp_path)
    assert len(list(tmp_path.glob("*.parquet"))) == 4
    nothing_left = causal.run_paired(comparison, Keyed(broken=True), 4, seed=2, n_compositions=2, folder=tmp_path)
    pd.testing.assert_frame_equal(saved.frame, nothing_left.frame)
    more = causal.run_paired(comparison, Keyed(), 6, seed=2, n_compositions=2, folder=tmp_path)
    parallel = causal.run_paired(comparison, Keyed(), 6, seed=2, n_compositions=2, n_jobs=2)
    for other in (more, parallel):
        pd.testing.assert_frame_equal(direct.frame, other.frame)
    pd.testing.assert_frame_equal(saved.frame, direct.frame.head(len(saved.frame)))


def test_saved_runs_are_not_used_for_anything_else(tmp_path):
    comparison = POPULATION.compare("v2", "C", "G")
    causal.run_paired(comparison, Keyed(), 4, folder=tmp_path)
    with pytest.raises(StudyError, match="all 8 runs failed, the first with: RuntimeError: ran again"):
        causal.run_paired(comparison, Keyed("another", broken=True), 4, folder=tmp_path)
    for change in ({"seed": 1}, {"n_compositions": 2}):
        before = len(list(tmp_path.glob("*.parquet")))
        causal.run_paired(comparison, Keyed(), 4, folder=tmp_path, **change)
        assert len(list(tmp_path.glob("*.parquet"))) == before + 4
    causal.run_paired(comparison, known_error, 4, folder=tmp_path)  # without a key: what the function is made of
    before = len(list(tmp_path.glob("*.parquet")))
    causal.run_paired(comparison, known_error, 4, folder=tmp_path)
    assert len(list(tmp_path.glob("*.parquet"))) == before


def test_the_ideal_study_runs_every_system_under_both_approaches():
    population = PipelinePopulation({"v": [1, 2, 3]}, APPROACHES)
    comparison = population.compare("approach", "small", "large")
    runs = chapter.ideal_study(comparison, _by_parts, [5, 6])
    assert runs.n_systems == 3 * 2 * 12 and len(runs.frame) == 72 * 4
    a, b = runs.arrays()
    assert a.shape == b.shape == (72, 2)
    everything = run_population(population, _by_parts, [5, 6])
    means = everything.groupby("approach")["error"].mean()  # each combination counts once: Eq. 10
    np.testing.assert_allclose([a.mean(), b.mean()], [means["small"], means["large"]])
    sampled = causal.run_paired(comparison, _by_parts, 800, seed=1)
    effect = causal.average_treatment_effect(sampled)
    assert effect.low < means["small"] - means["large"] < effect.high


def _by_parts(combination, seed):
    return {"error": combination["v"] / 10 + combination.get("l3", 0) ** 2 + 0.3 * (combination.get("s") == "p") + seed}


def test_each_system_has_compositions_of_its_own():
    own = causal.run_paired(COMPARISON, known, 5, n_compositions=3, seed=8)
    assert own.compositions == "own" and own.frame["composition"].nunique() == 15
    for i, part in own.frame.groupby("system"):
        of_system = np.random.SeedSequence(8, spawn_key=(i, 1)).generate_state(3).tolist()
        assert all(part.loc[part["method"] == method, "composition"].tolist() == of_system for method in "AB")


def test_halves_of_independent_samples():
    paired, independent = (run(COMPARISON, known, 9, seed=3) for run in (causal.run_paired, causal.run_independent))
    counts = independent.frame["method"].value_counts()
    assert abs(counts["A"] - counts["B"]) == 1 and independent.design == "independent"
    for start in range(0, 8, 2):  # of each two, one runs with either
        assert set(independent.frame["method"][start : start + 2]) == {"A", "B"}
    same = paired.frame.merge(independent.frame, on=["system", "composition", "method"], suffixes=("", "_again"))
    assert len(same) == 9 and (same["loss"] == same["loss_again"]).all()  # the same systems, each run once
    order = [np.random.default_rng(np.random.SeedSequence(3, spawn_key=(i, 3))).permutation(2) for i in range(5)]
    assert independent.frame["method"].tolist() == [str("AB"[order[i // 2][i % 2]]) for i in range(9)]


def test_runs_hold_what_the_system_is():
    comparison = POPULATION.compare("approach", "small", "large")
    runs = causal.run_paired(comparison, lambda combination, seed: {"error": seed / 2**32}, 20, seed=1)
    assert runs.variables == ("v1", "v2", "v3", "v4") and runs.losses == ("error",)
    assert (runs.treatment, runs.a, runs.b, runs.design) == ("approach", "small", "large", "paired")
    frame = runs.frame
    assert (frame["approach"] == frame["method"]).all()
    assert (frame["s"].notna() == (frame["method"] == "small")).all()
    assert (frame["l1"].isna() == frame["s"].notna()).all()
    assert (frame["error"] == frame["composition"] / 2**32).all() and (frame["error_message"] == "").all()


def test_an_evaluation_cannot_change_the_sample():
    def evaluate(combination, seed):
        combination["v1"] = "changed"
        return {"error": 0.5}

    runs = causal.run_paired(POPULATION.compare("v2", "C", "G"), evaluate, 4, n_compositions=2)
    assert set(runs.frame["v1"]) <= {"A", "B"}


def test_what_an_evaluation_raises_is_the_outcome_of_its_run():
    def evaluate(combination, seed):
        if combination["u"] == 3:
            raise ValueError("two\n   lines " + "and more " * 100)
        return {"loss": np.inf if combination["u"] == 2 else 1.0, "other": 2}

    runs = causal.run_paired(COMPARISON, evaluate, 40)
    failed = runs.frame[runs.frame["u"] >= 2]
    assert ((runs.frame["error_message"] != "") == (runs.frame["u"] >= 2)).all()
    assert failed[["loss", "other"]].isna().all(axis=None)
    messages = dict(zip(failed["u"], failed["error_message"], strict=True))
    assert messages[2] == "the loss loss is inf"
    assert messages[3].startswith("ValueError: two lines and more and more") and len(messages[3]) == 300 + 12
    assert set(failed["method"]) == {"A", "B"}


@pytest.mark.parametrize(
    ("run", "arguments", "message"),
    [
        (causal.run_paired, {"n_systems": 1}, "n_systems must be a whole number of at least 2, got 1"),
        (causal.run_independent, {"n_systems": 3}, "n_systems must be a whole number of at least 4, got 3"),
        (causal.run_paired, {"n_systems": 4, "seed": -1}, "seed must be a whole number of at least 0"),
    ],
)
def test_samples_that_cannot_be_drawn(run, arguments, message):
    with pytest.raises(ParameterError, match=message):
        run(COMPARISON, known, **arguments)


def test_run_population_runs_every_system_once_on_each_composition():
    population = PipelinePopulation({"v": [1, 2, 3]}, APPROACHES)
    table = run_population(population, lambda c, s: {"error": s + c["v"] / 10}, [7, 11])
    assert table.columns.tolist() == ["v", "approach", "s", "l1", "l2", "l3", "composition", "error", "error_message"]
    assert len(table) == 84 and not table.duplicated([*population.names, "composition"]).any()
    np.testing.assert_allclose(table["error"], table["composition"].map({0: 7, 1: 11}) + table["v"].astype(float) / 10)
    listed = population.frame()[population.names]
    pd.testing.assert_frame_equal(table.loc[::2, population.names].reset_index(drop=True), listed)


# --- results of another function --------------------------------------------------------------------------------------


def test_the_store_says_what_its_runs_depend_on(tmp_path):
    def evaluate(combination, seed):
        return {"error": 0.25}

    causal.run_paired(COMPARISON, evaluate, 2, folder=tmp_path)
    (path,) = tmp_path.glob("about-*.json")
    about = json.loads(path.read_text())
    assert list(about["evaluate"]["code"]) == [f"{__name__}.{evaluate.__qualname__}"]
    assert about["versions"] == versions()


RUNS = {
    "paired": partial(causal.run_paired, COMPARISON, n_systems=4),
    "population": partial(run_population, COMPARISON.population, compositions=[1]),
}


@pytest.mark.parametrize("kind", RUNS)
def test_what_cannot_be_told_apart_needs_a_key(kind, tmp_path):
    lock = threading.Lock()

    def evaluate(combination, seed):
        with lock:
            return {"error": 0.5}

    run = RUNS[kind]
    with pytest.raises(ParameterError, match=r"cannot tell evaluate from another one \(.*lock.*\); give key=, a text"):
        run(evaluate=evaluate, folder=tmp_path)
    run(evaluate=evaluate)  # nothing is kept
    run(evaluate=evaluate, folder=tmp_path, key="with a lock")
    before = sorted(tmp_path.glob("*.parquet"))
    run(evaluate=evaluate, folder=tmp_path, key="with a lock")
    assert before and sorted(tmp_path.glob("*.parquet")) == before
    run(evaluate=evaluate, folder=tmp_path, key="another")
    assert len(list(tmp_path.glob("*.parquet"))) == 2 * len(before)
