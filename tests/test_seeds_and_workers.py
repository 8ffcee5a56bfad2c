"""Whoever takes randomness or workers says what they may be: no seed that nobody knows, no half a worker."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from example_cells import example_table
from made_up_runs import COMPARISON, POPULATION, known, runs_of
from made_up_trials import IRIS
from make_text_population import run_population
from runs.cifar import load_cifar100
from runs.complexity import NetworkRecord, complexity_measures, noise_scale
from runs.digits import NetworkFamily
from runs.grid import run_testbed
from runs.networks import MLP, initial_weights, train
from sklearn.dummy import DummyClassifier

import genexpy_nb
from genexpy_nb import Study, causal, tradeoff
from genexpy_nb.chapters import causal as chapter
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.protocol import make_splits, run_trials
from genexpy_nb.protocol.simulation import over_worlds, simulate_coverage, simulate_error_rates
from genexpy_nb.tradeoff.images import digits_task
from genexpy_nb.tradeoff.point import bootstrap_points

FRAME = pd.DataFrame(np.eye(6)[:, :3], columns=list("abc"))
LOSSES = np.arange(12.0).reshape(4, 3)
ARRAY = tradeoff.to_array(example_table(n_seeds=3))
ONE = (np.ones((1, 1)),)
RECORD = NetworkRecord(ONE, ONE, [1.0], lambda w: float(w[0][0, 0] > 0), lambda w: w[0])
RANDOM = {
    "coverage": lambda rng: chapter.coverage(LOSSES, LOSSES, [2], n_studies=5, rng=rng),
    "shifted_bootstrap": lambda rng: chapter.shifted_bootstrap({"x": LOSSES}, rng=rng),
    "tuned_or_many": lambda rng: chapter.tuned_or_many(LOSSES, LOSSES, LOSSES, LOSSES, [2], rng=rng),
    "average_treatment_effect": lambda rng: causal.average_treatment_effect(runs_of(LOSSES), rng=rng),
    "bootstrap_points": lambda rng: bootstrap_points(ARRAY, rng=rng),
    "complexity_measures": lambda rng: complexity_measures(RECORD, rng=rng),
    "noise_scale": lambda rng: noise_scale(RECORD, rng=rng),
    "initial_weights": lambda rng: initial_weights(MLP(4, 8, 2), rng),
    "train": lambda rng: train(MLP(4, 8, 2), np.eye(4).reshape(4, 2, 2), np.array([0, 0, 1, 1]), rng),
    "load_cifar100": lambda rng: load_cifar100("nowhere", rng=rng),
}


def tried(n_jobs, tmp_path, folder=None):
    splits = make_splits(*IRIS)
    return run_trials({"m": DummyClassifier()}, *IRIS, splits, n_jobs=n_jobs, folder=folder, progress=False)


WORKERS = {
    "run_trials": tried,
    "run_trials, kept": lambda n_jobs, tmp_path: tried(n_jobs, tmp_path, tmp_path),
    "run_paired": lambda n_jobs, tmp_path: causal.run_paired(COMPARISON, known, 2, n_jobs=n_jobs),
    "run_paired, kept": lambda n_jobs, tmp_path: causal.run_paired(
        COMPARISON, known, 2, n_jobs=n_jobs, folder=tmp_path
    ),
    "run_independent": lambda n_jobs, tmp_path: causal.run_independent(COMPARISON, known, 4, n_jobs=n_jobs),
    "run_population": lambda n_jobs, tmp_path: run_population(POPULATION, known, [0], n_jobs=n_jobs),
    "run_testbed": lambda n_jobs, tmp_path: run_testbed(
        digits_task, [NetworkFamily("perceptrons", (9,))], [0], [0], [1.0], folder=tmp_path, n_jobs=n_jobs
    ),
    "simulate_error_rates": lambda n_jobs, tmp_path: simulate_error_rates(0.0, n_studies=2, n_jobs=n_jobs),
    "simulate_coverage": lambda n_jobs, tmp_path: simulate_coverage(n_studies=2, n_jobs=n_jobs),
    "over_worlds": lambda n_jobs, tmp_path: over_worlds({"w": {}}, n_studies=2, n_jobs=n_jobs),
    "agreement": lambda n_jobs, tmp_path: Study.from_wide(FRAME).agreement("winner", n=5, n_jobs=n_jobs),
    "agreement of a function": lambda n_jobs, tmp_path: Study.from_wide(FRAME).agreement(len, n=[5], n_jobs=n_jobs),
}


@pytest.mark.parametrize("rng", [None, 1.5, -1, True, "0", [1, 2]], ids=repr)
@pytest.mark.parametrize("name", RANDOM)
def test_a_source_of_randomness_is_a_generator_or_a_seed(name, rng):
    with pytest.raises(ParameterError, match=r"rng must be a numpy\.random\.Generator or a whole number >= 0, got"):
        RANDOM[name](rng)


@pytest.mark.parametrize("n_jobs", [0, 1.5, True, "2"], ids=repr)
@pytest.mark.parametrize("name", WORKERS)
def test_workers_are_a_whole_number_of_them(name, n_jobs, tmp_path):
    with pytest.raises(ParameterError, match=r"n_jobs must be a whole number of workers, or -1 for all cores, got"):
        WORKERS[name](n_jobs, tmp_path)


def test_nobody_makes_a_generator_of_what_is_not_checked():
    """Only seeds that are known, or drawn: never the parameter as it was given."""
    package = Path(genexpy_nb.__file__).parent
    texts = {file: file.read_text(encoding="utf-8") for file in package.rglob("*.py") if file.name != "random.py"}
    assert not [file for file, text in texts.items() if re.search(r"default_rng\((rng|generator|None)?\)", text)]
