"""Recorded results: pieces of them are made again and are the same, and each is what a notebook asks for."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import genexpy_nb as gx
from genexpy_nb.chapters import preliminary, protocol, shared
from genexpy_nb.datasets.locating import data_folder

pytestmark = pytest.mark.slow  # that what is recorded is read, and from its file, is seen where notebooks run

ALPHA, DELTA, SIZES, SEED = 0.95, 0.05, [10, 20, 40, 80], 0
QUESTIONS = [gx.BordaKernel(0), gx.JaccardKernel(1), gx.MallowsKernel()]
WAYS = {"resampling": 40, "pool": 40, "moments": 200}
SEEDS, METRICS = [7, 13, 21, 42, 31415], ["accuracy", "balanced_accuracy"]


@pytest.fixture
def read():
    """Read what a call recorded; running it instead is an error."""

    def look(function, *args, **options):
        assert shared.recording(function, args, options).is_file(), "not recorded: run data/make_recorded.py"
        return function(*args, **options)

    return look


def hard_worlds():
    worlds, rng = preliminary.samplers, np.random.default_rng(SEED + 3)
    drawn = [worlds.sample_plackett_luce(np.exp(np.linspace(0, 5, 10)), 1000, rng)]
    drawn += [worlds.sample_mallows(range(10), 0.3, 1000, rng), worlds.sample_noisy(range(8), 0.1, 1000, rng)]
    names = ["Plackett-Luce, far apart", "Mallows model, narrow", "one ranking, 10 % noise"]
    hard = dict(zip(names, map(worlds.RankingDistribution.empirical, drawn), strict=True))
    two = worlds.RankingDistribution([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]], [0.9, 0.1])
    return {**hard, "two rankings, .9/.1": two}


def kept(frame, **levels):
    """Rows with some levels, numbered anew."""
    for column, level in levels.items():
        frame = frame[frame[column] == level]
    return frame.reset_index(drop=True)


def test_estimates_where_all_rankings_are_equally_likely(read):
    recorded = read(
        preliminary.uniform_estimates,
        *([2, 4, 8, 16], QUESTIONS, SIZES, list(WAYS), ALPHA, DELTA),
        n_studies=WAYS,
        rng=SEED,
    )
    run = preliminary.uniform_estimates.__wrapped__
    for kernel, method in ((QUESTIONS[1], "resampling"), (QUESTIONS[2], "pool"), (QUESTIONS[0], "moments")):
        again = run([4], [kernel], SIZES, [method], ALPHA, DELTA, n_studies=WAYS, rng=SEED)
        of = {"n_alternatives": 4, "kernel": kernel.name, "method": method}
        assert_frame_equal(kept(recorded, **of), again, rtol=1e-9)


def test_estimates_in_harder_worlds(read):
    hard = hard_worlds()
    asked = hard, QUESTIONS, SIZES, ["moments"], ALPHA, DELTA
    recorded = read(preliminary.estimates_of_distributions, *asked, n_studies=200, rng=SEED + 4)
    one = {name: hard[name] for name in ("two rankings, .9/.1",)}
    again = preliminary.estimates_of_distributions.__wrapped__(one, *asked[1:], n_studies=200, rng=SEED + 4)
    assert_frame_equal(kept(recorded, distribution="two rankings, .9/.1"), again, rtol=1e-9)


def recorded_trials(task):
    """The trials of a comparison: what they were asked for, and what was recorded."""
    splits = gx.protocol.make_splits(task.X, task.y, task.groups, k=5, n_repeats=2, seed=7)
    asked = task.models, task.X, task.y, splits, SEEDS, METRICS
    assert shared.recording(protocol._trials, asked, {"groups": task.groups}).is_file()
    return asked, protocol.run_trials(*asked, groups=task.groups, folder="not made")


@pytest.mark.parametrize(
    ("name", "model"), [("breast cancer", "tuned threshold"), ("digits", "extra trees"), ("texts", "naive Bayes")]
)
def test_trials(name, model):
    task = protocol.load_comparison(name)
    asked, recorded = recorded_trials(task)
    only = {model: task.models[model]}
    again = gx.protocol.run_trials(only, *asked[1:4], SEEDS[:1], METRICS, groups=task.groups, progress=False)
    assert_frame_equal(kept(recorded.scores, model=model, seed=7), again.scores, check_exact=True)
    assert len(recorded.scores) == 2 * len(recorded.seconds) == 2 * 50 * len(task.models)
    assert list(recorded.seconds) == list(again.seconds)
    assert recorded.about["models"].keys() == task.models.keys()
    for what in (*("metric", "metrics", "k", "n_repeats", "split_seed"), *("stratified", "grouped", "data", "splits")):
        assert recorded.about[what] == again.about[what]
    # every model learns, and the data are what is said
    majority = np.unique(task.y, return_counts=True)[1].max() / len(task.y)
    assert recorded.failed.empty and f"{len(task.y):,} " in task.about
    assert len(task.models) >= 3 and (recorded.only("accuracy").wide().mean() > majority + 0.1).all()


def test_seeds_matter_to_the_network_and_not_to_the_threshold():
    _, recorded = recorded_trials(protocol.load_comparison("breast cancer"))
    assert recorded.seed_changes_nothing == ["logistic", "SVM", "tuned threshold"]
    wide = recorded.only("accuracy").wide(average_seeds=False)["network"].unstack("seed")
    assert (wide.nunique(axis=1) > 1).sum() >= 2  # on several folds, by more than one row of the test part
    assert wide.mean().nunique() > 1  # and so does the mean over the folds
    assert (recorded.scores["warnings"] == "").all()  # all converge


def test_no_recording_is_left_over():
    names = sorted(file.name.partition("-")[0] for file in (data_folder() / "recorded").iterdir())
    expected = ["estimates_of_distributions", *["trials"] * 3, "uniform_estimates"]
    assert names == expected


@pytest.fixture
def doubled(monkeypatch, tmp_path):
    """A function whose calls can be recorded in a folder of its own, and the numbers that it was run with."""
    monkeypatch.setattr(shared, "data_folder", lambda: tmp_path)
    (tmp_path / "recorded").mkdir()
    run = []

    @shared.recorded
    def double(x, *, folder=None, rng=0):
        run.append(x)
        table = pd.DataFrame({"twice": 2 * np.asarray(x)})
        table.attrs = {"about": {"rng": rng}}
        return table

    double.run = run
    return double


def test_only_the_very_call_that_was_recorded_is_read(doubled, monkeypatch):
    with monkeypatch.context() as recording:
        recording.setattr(shared, "RECORD", True)
        first = doubled(np.arange(3.0), folder="a")
    assert_frame_equal(doubled(np.arange(3.0), folder="b"), first, check_exact=True)
    assert doubled(np.arange(3.0)).attrs == first.attrs == {"about": {"rng": 0}} and len(doubled.run) == 1
    for args, options in (((np.arange(4.0),), {}), ((np.arange(3),), {}), ((np.arange(3.0),), {"rng": 1})):
        doubled(*args, **options)
    assert len(doubled.run) == 4


def test_a_distribution_is_told_by_all_of_its_rankings():
    rankings = np.tile([0, 1, 2], (2000, 1))
    other = rankings.copy()
    other[1000] = [2, 1, 0]
    told = [
        shared.recording(len, [{"a": gx.generalization.RankingDistribution.empirical(each)}], {})
        for each in (rankings, other, rankings.copy())
    ]
    assert told[0] == told[2] != told[1]
