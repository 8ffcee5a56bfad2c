"""Populations, drawing and pipelines of genexpy_nb.causal."""

import json
from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.feature_extraction.text import CountVectorizer

from genexpy_nb import causal
from genexpy_nb.causal import PipelinePopulation
from genexpy_nb.causal import population as population_module
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.experiments.corpus import docstring_corpus
from genexpy_nb.experiments.text import (
    N_COMPOSITIONS,
    Recorded,
    TextTask,
    load_text_population,
    small_text_population,
    text_pipeline,
    text_population,
    text_task,
)

VARIABLES = {"v1": ["A", "B"], "v2": ["C", "G", "H"], "v3": ["D", "I"], "v4": ["F", "J", "Q", "U"]}


@pytest.fixture(scope="module")
def task():
    return TextTask(docstring_corpus(["scipy.fft", "scipy.cluster", "scipy.signal"], 180), 60, 30, 60)


def test_the_paper_s_population_has_48_combinations_each_equally_likely():
    population = PipelinePopulation(VARIABLES)
    assert [tuple(c.values()) for c in population.combinations()] == list(product(*VARIABLES.values()))
    np.testing.assert_allclose(population.frame()["probability"], 1 / 48)


def test_sampling_follows_weights_and_rule():
    population = PipelinePopulation(
        {"a": ["x", "y"], "b": [1, 2, 3]}, weights={"b": {1: 1, 2: 2, 3: 5}}, valid=lambda c: c != {"a": "x", "b": 3}
    )
    frame = population.frame()
    weights = {("x", 1): 1, ("x", 2): 2, ("y", 1): 1, ("y", 2): 2, ("y", 3): 5}
    got = dict(zip(zip(frame["a"], frame["b"], strict=True), frame["probability"] * 11, strict=True))
    assert got == pytest.approx(weights)
    drawn = Counter(population.sample(4000, seed=3).itertuples(index=False, name=None))
    assert set(drawn) == set(weights)
    observed = [drawn[key] for key in weights]
    assert stats.chisquare(observed, np.array(list(weights.values())) * 4000 / 11).pvalue > 1e-3


def test_larger_samples_begin_with_smaller_ones():
    population = text_population()
    pd.testing.assert_frame_equal(population.sample(5, seed=9), population.sample(12, seed=9).head(5))
    comparison = population.compare("weighting", "tf-idf", "counts")
    evaluate = _losses
    for run in (causal.run_paired, causal.run_independent):
        few, many = run(comparison, evaluate, 6, seed=4), run(comparison, evaluate, 10, seed=4)
        pd.testing.assert_frame_equal(few.frame, many.frame.head(len(few.frame)))
    once, twice = (causal.run_paired(comparison, evaluate, 6, n_compositions=n) for n in (1, 2))
    first = twice.frame.groupby(["system", "method"], sort=False).head(1).reset_index(drop=True)
    pd.testing.assert_frame_equal(once.frame, first)


def _losses(combination, seed):
    return {"error": seed / 2**32, "other": float(combination["lowercase"])}


def test_both_methods_share_system_and_composition():
    runs = causal.run_paired(text_population().compare("weighting", "tf-idf", "binary"), _losses, 30, n_compositions=2)
    for _, pair in runs.frame.groupby(["system", "composition"]):
        assert pair["method"].tolist() == ["tf-idf", "binary"]
        assert pair[list(runs.variables)].astype(str).nunique().max() == 1
    own = runs.frame.groupby("system")["composition"].agg(set)
    assert len(set.union(*own)) == 60


def test_random_assignment_is_balanced_and_fair():
    comparison = PipelinePopulation(VARIABLES).compare("v1", "A", "B")
    firsts = [causal.run_independent(comparison, lambda c, s: {"e": 1.0}, 4, seed=s).frame for s in range(200)]
    assert all((f["method"] == "A").sum() == 2 for f in firsts)
    for place in range(4):  # every system is as likely to be assigned to A
        assert stats.binomtest(sum(f["method"].iloc[place] == "A" for f in firsts), 200).pvalue > 1e-3


APPROACHES = {"small": {"s": ["p", "q"]}, "large": {"l1": ["p", "q", "r"], "l2": [0, 1], "l3": [0.5, 1.5]}}


def test_composite_treatments_draw_each_combination_equally_often():
    population = PipelinePopulation({"v": [1, 2, 3]}, APPROACHES)
    assert population.size == 3 * (2 + 12)
    np.testing.assert_allclose(population.frame()["probability"], 1 / 42)
    comparison = population.compare("approach", "small", "large")
    assert comparison.composite and comparison.context_variables == ["v"] and comparison.n_contexts == 3
    systems = [comparison.system(i, seed=1) for i in range(4000)]
    for side, n in (("a", 3 * 2), ("b", 3 * 12)):
        counts = Counter(tuple(getattr(s, side).items()) for s in systems)
        assert len(counts) == n
        assert stats.chisquare(list(counts.values())).pvalue > 1e-3
    assert all(s.a["v"] == s.b["v"] for s in systems)
    assert all(set(s.a) == {"v", "approach", "s"} and "s" not in s.b for s in systems)
    # with another treatment, the approaches are as likely as they have combinations
    drawn = population.sample(4000, seed=2)["approach"]
    assert stats.binomtest(int((drawn == "small").sum()), 4000, 2 / 14).pvalue > 1e-3


def test_weights_of_approaches_are_shares():
    population = PipelinePopulation({"v": [1, 2]}, APPROACHES, weights={"approach": {"small": 3, "large": 1}})
    shares = population.frame().groupby("approach")["probability"].sum()
    assert shares.to_dict() == pytest.approx({"small": 0.75, "large": 0.25})


def test_invalid_combinations_never_run():
    seen = []

    def valid(c):
        return not (c["v2"] == "H" and c["v3"] == "D")

    def evaluate(c, seed):
        seen.append(dict(c))
        return {"error": 0.5}

    population = PipelinePopulation(VARIABLES, valid=valid)
    causal.run_paired(population.compare("v1", "A", "B"), evaluate, 100)
    causal.run_population(population, evaluate, [0])
    assert population.size == 40 and len(seen) == 240 and all(valid(c) for c in seen)


def test_effects_need_systems_that_can_take_both_methods():
    def valid(c):
        return not (c["v1"] == "A" and c["v2"] == "C")

    population = PipelinePopulation(VARIABLES, valid=valid)
    with pytest.raises(StudyError, match=r"8 systems can take 'B' but not 'A', .*unexposable='restrict'"):
        population.compare("v1", "A", "B")
    restricted = population.compare("v1", "A", "B", unexposable="restrict")
    assert restricted.n_contexts == 16
    assert {restricted.system(i).b["v2"] for i in range(100)} == {"G", "H"}
    never = PipelinePopulation(VARIABLES, valid=lambda c: (c["v1"] == "A") == (c["v2"] == "C"))
    with pytest.raises(StudyError, match="no system of the population can take both"):
        never.compare("v1", "A", "B", unexposable="restrict")


def test_populations_too_large_to_list_are_sampled(monkeypatch):
    monkeypatch.setattr(population_module, "MAX_LISTED", 10)
    population = PipelinePopulation(VARIABLES, valid=lambda c: c["v2"] != "C")
    assert not population.listable and len(population.sample(3)) == 3
    with pytest.raises(ParameterError, match="48 combinations are too many"):
        population.size  # noqa: B018
    assert population.compare("v1", "A", "B").system(0).a["v1"] == "A"
    odd = PipelinePopulation(VARIABLES, valid=lambda c: not (c["v1"] == "A" and c["v2"] == "C"))
    with pytest.raises(StudyError, match="cannot take both"):
        [odd.compare("v1", "A", "B").system(i) for i in range(50)]
    with pytest.raises(StudyError, match="none of 20,000 random combinations is valid"):
        PipelinePopulation(VARIABLES, valid=lambda c: False)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (({"v": ["A"]},), ParameterError, "'v' needs at least two different methods"),
        (({"v": ["A", "A", "B"]},), ParameterError, "'v' needs at least two different methods"),
        (({"v": "AB"},), ParameterError, "must be a name with a list of methods"),
        (({"v": [[1], [2]]},), ParameterError, "must be strings, numbers or None"),
        (({},), ParameterError, "at least one variable"),
        (({"v": [1, 2]}, {"only": {"w": [1, 2]}}), ParameterError, "approaches must be at least two"),
        (({"v": [1, 2]}, {"p": {"v": [1, 2]}, "q": {"w": [1, 2]}}), ParameterError, "'v' is a variable of all systems"),
        (
            ({"v": [1, 2]}, {"p": {"w": [1]}, "q": {"w": [1, 2]}}),
            ParameterError,
            "approach 'p': 'w' needs at least two",
        ),
        (({"v": [1, 2]}, {}, "a", {"w": {1: 1}}), ParameterError, "no variable 'w'; it has 'v'"),
        (({"v": [1, 2]}, {}, "a", {"v": {1: 1, 2: 0}}), ParameterError, "one positive number for each of"),
        (({"v": [1, 2]}, {}, "a", {}, lambda c: False), StudyError, "no combination of the population is valid"),
    ],
)
def test_clear_errors_of_populations(arguments, error, message):
    with pytest.raises(error, match=message):
        PipelinePopulation(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("wieghting", "tf-idf", "counts"), "no variable 'wieghting'; did you mean 'weighting'"),
        (("weighting", "tfidf", "counts"), "a='tfidf' is no method of 'weighting'; did you mean 'tf-idf'"),
        (("weighting", "counts", "counts"), "two different methods"),
        (("smoothing", 0.1, 1.0), "belongs to one approach only"),
        (("lowercase", 1, False), "a=1 is no method of 'lowercase'"),
        (("weighting", "tf-idf", "counts", "ignore"), "unexposable must be one of"),
    ],
)
def test_clear_errors_of_comparisons(arguments, message):
    with pytest.raises(ParameterError, match=message):
        text_population().compare(*arguments)


# -- text ----------------------------------------------------------------------------------------------------------


def test_text_populations_are_as_large_as_asked():
    assert text_population().size >= 500 and len(text_population().variables) >= 6
    assert small_text_population().size == 2 * 4 * 2 * 2 * 2 * (6 + 3)


@pytest.mark.parametrize("start", range(3))
def test_cached_counts_give_what_the_whole_pipeline_gives(task, start):
    for combination in text_population().combinations()[start * 300 :: 5184 // 5]:
        train, validation, test = task.composition(start)
        texts = task.corpus["text"].to_numpy()
        pipeline = text_pipeline(combination, random_state=start).fit(texts[train], task.labels[train])
        guessed, predicted = task.predict(combination, start)
        np.testing.assert_array_equal(predicted, pipeline.predict(texts[test]))
        np.testing.assert_array_equal(guessed, pipeline.predict(texts[validation]))
        assert task(combination, start)["error"] == np.mean(predicted != task.labels[test])


def test_compositions_are_disjoint_random_and_repeatable(task):
    train, validation, test = task.composition(5)
    assert [len(p) for p in (train, validation, test)] == [60, 30, 60]
    assert len({*train, *validation, *test}) == 150
    np.testing.assert_array_equal(task.composition(5)[0], train)
    assert not np.array_equal(task.composition(6)[0], train)


def test_pipelines_are_what_the_combination_says():
    combination = text_population().combinations()[0] | {"analyser": "characters", "ngrams": 3, "lowercase": False}
    counts = text_pipeline(combination)["counts"]
    assert counts.get_params() == CountVectorizer(lowercase=False, analyzer="char_wb", ngram_range=(2, 3)).get_params()
    with pytest.raises(ParameterError, match="'weighting' is missing or unknown"):
        text_pipeline({k: v for k, v in combination.items() if k != "weighting"})
    with pytest.raises(ParameterError, match="'wordy' is missing or unknown"):
        text_pipeline(combination | {"analyser": "wordy"})


def test_tasks_need_enough_documents(task):
    with pytest.raises(ParameterError, match=r"= 1000, each at least 1: the corpus has 180 documents"):
        TextTask(task.corpus, 900, 50, 50)
    with pytest.raises(ParameterError, match="columns text and label"):
        TextTask(task.corpus.drop(columns="label"))


# -- running -------------------------------------------------------------------------------------------------------


def test_failures_are_recorded_not_dropped(task):
    """Components of an SVD can be negative, which naive Bayes does not take."""
    variables = dict(small_text_population().variables) | {"selection": ("all", "SVD")}
    population = PipelinePopulation(variables, small_text_population().approaches, valid=small_text_population().valid)
    runs = causal.run_paired(population.compare("weighting", "tf-idf", "counts"), task, 24, seed=1)
    expected = (runs.frame["approach"] == "naive Bayes") & (runs.frame["selection"] == "SVD")
    assert 0 < expected.sum() < 48 and runs.n_systems == 24
    assert ((runs.frame["error_message"] != "") == expected).all()
    assert (runs.frame["error"].isna() == expected).all()
    assert runs.failures()["error_message"].str.contains("Negative values").all()
    effect = causal.average_treatment_effect(runs, n_resamples=99)
    assert effect.n_failed_runs == expected.sum() and effect.n_used == 24 - expected.sum() // 2
    assert f"{expected.sum()} of 48 runs failed, in {expected.sum() // 2} of 24 systems" in str(effect)
    with pytest.raises(StudyError, match="runs failed"):
        causal.average_treatment_effect(runs, failures="error")
    imputed = causal.average_treatment_effect(runs, failures=1.0, n_resamples=99)
    assert imputed.n_used == 24
    np.testing.assert_allclose(imputed.estimate, effect.estimate * effect.n_used / 24)  # failed pairs differ by 0


@pytest.mark.parametrize(
    ("evaluate", "message"),
    [
        (lambda c, s: {"e": float("nan")}, "all 8 runs failed, the first with: the loss e is nan"),
        (lambda c, s: {}, "evaluate returned no loss"),
        (lambda c, s: 1 / 0, "ZeroDivisionError"),
        (lambda c, s: {c["v1"]: 1.0}, r"losses \['B'\] after \['A'\]"),
    ],
)
def test_evaluations_that_cannot_be_used(evaluate, message):
    with pytest.raises(StudyError, match=message):
        causal.run_paired(PipelinePopulation(VARIABLES).compare("v1", "A", "B"), evaluate, 4)


def test_runs_resume_and_do_not_depend_on_workers_or_folder(task, tmp_path):
    comparison = small_text_population().compare("approach", "linear", "naive Bayes")
    direct = causal.run_paired(comparison, task, 6, seed=2, n_compositions=2)
    saved = causal.run_paired(comparison, task, 4, seed=2, n_compositions=2, folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 4
    broken = _Broken(task.key)
    with pytest.raises(RuntimeError, match="ran again"):
        broken(None, 0)
    again = causal.run_paired(comparison, broken, 4, seed=2, n_compositions=2, folder=tmp_path)  # nothing left to run
    pd.testing.assert_frame_equal(saved.frame, again.frame)
    more = causal.run_paired(comparison, task, 6, seed=2, n_compositions=2, folder=tmp_path)
    parallel = causal.run_paired(comparison, task, 6, seed=2, n_compositions=2, n_jobs=2)
    for other in (more, parallel):
        pd.testing.assert_frame_equal(direct.frame, other.frame)
    pd.testing.assert_frame_equal(saved.frame, direct.frame.head(len(saved.frame)))


class _Broken:
    def __init__(self, key):
        self.key = key

    def __call__(self, combination, seed):
        raise RuntimeError("ran again")


def test_run_population_runs_everything_once():
    population = PipelinePopulation({"v": [1, 2, 3]}, APPROACHES)
    table = causal.run_population(population, lambda c, s: {"error": s + c["v"] / 10}, [7, 11])
    assert len(table) == 84 and not table.duplicated([*population.names, "composition"]).any()
    np.testing.assert_allclose(table["error"], table["composition"].map({0: 7, 1: 11}) + table["v"].astype(float) / 10)
    recorded = Recorded(table, population.names, ["error"])
    assert recorded(population.combinations()[5], 4) == {"error": table["error"].iloc[10]}
    with pytest.raises(StudyError, match="the table has no system"):
        recorded({"v": 99}, 0)


def test_the_ideal_study_runs_every_system_under_both_approaches():
    population = PipelinePopulation({"v": [1, 2, 3]}, APPROACHES)
    comparison = population.compare("approach", "small", "large")
    runs = causal.ideal_study(comparison, _by_parts, [5, 6])
    assert runs.n_systems == 3 * 2 * 12 and len(runs.frame) == 72 * 4
    a, b = runs.arrays()
    assert a.shape == b.shape == (72, 2)
    everything = causal.run_population(population, _by_parts, [5, 6])
    means = everything.groupby("approach")["error"].mean()  # each combination counts once: Eq. 10
    np.testing.assert_allclose([a.mean(), b.mean()], [means["small"], means["large"]])
    sampled = causal.run_paired(comparison, _by_parts, 800, seed=1)
    effect = causal.average_treatment_effect(sampled, n_resamples=99)
    assert effect.low < means["small"] - means["large"] < effect.high
    uneven = PipelinePopulation({"v": [1, 2, 3]}, APPROACHES, valid=lambda c: c["v"] > 1 or c.get("l2") != 0)
    with pytest.raises(StudyError, match="do not count the same"):
        causal.ideal_study(uneven.compare("approach", "small", "large"), _by_parts, [0])


def _by_parts(combination, seed):
    return {"error": combination["v"] / 10 + combination.get("l3", 0) ** 2 + 0.3 * (combination.get("s") == "p") + seed}


def test_from_results_keeps_what_is_missing():
    table = pd.DataFrame(
        {
            "tuned": ["no", "yes", "no", "yes", "no"],
            "data": ["u", "u", "v", "v", "w"],
            "score": [0.1, 0.3, 0.2, 0.2, 0.9],
        }
    )
    runs = causal.from_results(table, "tuned", "yes", "no", ["data"], ["score"])
    assert runs.n_systems == 3 and runs.failed[["method", "data"]].values.tolist() == [["yes", "w"]]
    effect = causal.average_treatment_effect(runs, n_resamples=99)
    assert effect.estimate == pytest.approx(0.1) and "1 of 6 runs are not in the table" in effect.notes[0]
    with pytest.raises(StudyError, match="no column 'dta'; did you mean 'data'"):
        causal.from_results(table, "tuned", "yes", "no", ["dta"], ["score"])
    with pytest.raises(StudyError, match="a='full' does not occur"):
        causal.from_results(table, "tuned", "full", "no", ["data"], ["score"])
    with pytest.raises(StudyError, match="rows are there twice"):
        causal.from_results(pd.concat([table, table.head(1)]), "tuned", "yes", "no", ["data"], ["score"])


def test_the_recorded_table_is_what_the_task_gives():
    """Part of the table that data/make_text_population.py made, run again; other versions hold other docstrings."""
    table = load_text_population()
    about = table.attrs["about"]
    assert len(table) == about["rows"] == 576 * N_COMPOSITIONS
    assert "numpy" in about["corpus"] and "numpy" in about["versions"]
    task = text_task()
    if task.sha256 != about["corpus_sha256"]:
        pytest.skip(f"other versions of the packages are installed than: {about['corpus']}")
    rows = table[table["analyser"] == "words"].iloc[:: 11520 // 26]
    names = small_text_population().names
    for _, row in rows.iterrows():
        losses = task({n: row[n] for n in names if row[n] is not None}, int(row["composition"]))
        np.testing.assert_allclose([row[name] for name in losses], list(losses.values()), atol=0.01)


def test_a_damaged_table_is_refused(tmp_path):
    from genexpy_nb.common.errors import DataError

    with pytest.raises(DataError, match="is not there"):
        load_text_population(tmp_path)
    (tmp_path / "text_population.parquet").write_bytes(b"nothing")
    (tmp_path / "text_population.json").write_text(json.dumps({"sha256": "0"}))
    with pytest.raises(DataError, match="damaged"):
        load_text_population(tmp_path)
