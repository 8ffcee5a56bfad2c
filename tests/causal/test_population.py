"""Populations and comparisons: what they hold, and what is drawn from them."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from made_up_runs import APPROACHES
from scipy import stats

from genexpy_nb.causal import PipelinePopulation
from genexpy_nb.causal import population as population_module
from genexpy_nb.common.errors import ParameterError, StudyError

TEXT = PipelinePopulation(
    {"weighting": ["counts", "binary", "tf-idf"], "lowercase": [True, False]},
    {"linear": {"learner": ["SVM", "ridge"]}, "naive Bayes": {"smoothing": [0.1, 1.0]}},
)
VARIABLES = {"v1": ["A", "B"], "v2": ["C", "G", "H"], "v3": ["D", "I"], "v4": ["F", "J", "Q", "U"]}


def test_the_paper_s_population_has_48_combinations_each_equally_likely():
    population = PipelinePopulation(VARIABLES)
    assert [tuple(c.values()) for c in population.combinations()] == list(product(*VARIABLES.values()))
    assert len(population.frame()) == population.size == 48


def test_sampling_follows_the_rule():
    population = PipelinePopulation({"a": ["x", "y"], "b": [1, 2, 3]}, valid=lambda c: c != {"a": "x", "b": 3})
    drawn = Counter(population.sample(4000, seed=3).itertuples(index=False, name=None))
    assert set(drawn) == {("x", 1), ("x", 2), ("y", 1), ("y", 2), ("y", 3)}
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-3


def test_composite_treatments_draw_each_combination_equally_often():
    population = PipelinePopulation({"v": [1, 2, 3]}, APPROACHES)
    assert population.size == 3 * (2 + 12)
    comparison = population.compare("approach", "small", "large")
    assert comparison.composite and comparison.context_variables == ["v"] and len(comparison.contexts()) == 3
    systems = [comparison.system(i, seed=1) for i in range(1500)]
    for side, n in ((0, 3 * 2), (1, 3 * 12)):
        counts = Counter(tuple(s[side].items()) for s in systems)
        assert len(counts) == n
        assert stats.chisquare(list(counts.values())).pvalue > 1e-3
    assert all(a["v"] == b["v"] for a, b in systems)
    assert all(set(a) == {"v", "approach", "s"} and "s" not in b for a, b in systems)
    # with another treatment, the approaches are as likely as they have combinations
    drawn = population.sample(4000, seed=2)["approach"]
    assert stats.binomtest(int((drawn == "small").sum()), 4000, 2 / 14).pvalue > 1e-3


def test_effects_need_systems_that_can_take_both_methods():
    def valid(c):
        return not (c["v1"] == "A" and c["v2"] == "C")

    population = PipelinePopulation(VARIABLES, valid=valid)
    with pytest.raises(StudyError, match=r"8 systems can take 'B' but not 'A', .*leave them out by its rule"):
        population.compare("v1", "A", "B")
    never = PipelinePopulation(VARIABLES, valid=lambda c: (c["v1"] == "A") == (c["v2"] == "C"))
    with pytest.raises(StudyError, match="no system of the population can take both"):
        never.compare("v1", "A", "B")


def test_populations_too_large_to_list_are_sampled(monkeypatch):
    monkeypatch.setattr(population_module, "MAX_LISTED", 10)
    population = PipelinePopulation(VARIABLES, valid=lambda c: c["v2"] != "C")
    assert not population.listable and len(population.sample(3)) == 3
    with pytest.raises(ParameterError, match="48 combinations are too many"):
        population.size  # noqa: B018
    assert population.compare("v1", "A", "B").system(0)[0]["v1"] == "A"
    odd = PipelinePopulation(VARIABLES, valid=lambda c: not (c["v1"] == "A" and c["v2"] == "C"))
    with pytest.raises(StudyError, match="cannot take both"):
        [odd.compare("v1", "A", "B").system(i) for i in range(50)]
    with pytest.raises(ParameterError, match="too many"):
        odd.compare("v1", "A", "B").contexts()
    with pytest.raises(StudyError, match="none of 20,000 random combinations is valid"):
        PipelinePopulation(VARIABLES, valid=lambda c: False)


def test_draws_are_streams_of_the_seed_and_the_number():
    """Written out: samples that others have recorded stay what they are."""
    population = PipelinePopulation(VARIABLES)
    for i, row in population.sample(5, seed=11).iterrows():
        rng = np.random.default_rng(np.random.SeedSequence(11, spawn_key=(i, 0)))
        assert row.tolist() == [methods[rng.integers(len(methods))] for methods in VARIABLES.values()]
    a, b = population.compare("v1", "A", "B").system(3, seed=11)
    rng = np.random.default_rng(np.random.SeedSequence(11, spawn_key=(3, 0)))
    for name in ("v2", "v3", "v4"):
        assert a[name] == VARIABLES[name][rng.integers(len(VARIABLES[name]))]
    assert b == a | {"v1": "B"}


def test_methods_of_variables():
    assert TEXT.names == ["weighting", "lowercase", "approach", "learner", "smoothing"]
    assert TEXT.methods("approach") == ["linear", "naive Bayes"] and TEXT.methods("lowercase") == [True, False]
    assert TEXT.methods("smoothing") == [0.1, 1.0]
    both = PipelinePopulation({}, {"p": {"x": [1, 2]}, "q": {"x": [2, 3], "y": [0, 1]}})
    assert both.methods("x") == [1, 2, 3] and both.size == both.n_raw == 2 + 4
    assert TEXT.n_raw == TEXT.size == 3 * 2 * (2 + 2)
    frame = TEXT.frame()
    assert (frame["smoothing"].isna() == (frame["approach"] == "linear")).all()


def test_the_parts_of_a_context():
    comparison = TEXT.compare("approach", "linear", "naive Bayes")
    context = {"weighting": "counts", "lowercase": True}
    parts = [{**context, "approach": "linear", "learner": learner} for learner in ("SVM", "ridge")]
    assert comparison.parts(context, "linear") == parts
    single = TEXT.compare("weighting", "tf-idf", "counts")
    assert not single.composite and comparison.composite
    assert single.context_variables == ["lowercase", "approach", "learner", "smoothing"]
    (part,) = single.parts({"lowercase": True, "approach": "linear", "learner": "SVM"}, "counts")
    assert list(part.items()) == list({**context, "approach": "linear", "learner": "SVM"}.items())
    assert len(single.contexts()) == 2 * 4


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (({"v": ["A"]},), ParameterError, "'v' needs at least two different methods"),
        (({"v": "AB"},), ParameterError, "must be a name with a list of methods"),
        (({"v": [[1], [2]]},), ParameterError, "must be strings, numbers or None"),
        (({},), ParameterError, "at least one variable"),
        (({"v": [1, 2]}, {"only": {"w": [1, 2]}}), ParameterError, "approaches must be at least two"),
        (({"v": [1, 2]}, {"p": {"v": [1, 2]}, "q": {"w": [1, 2]}}), ParameterError, "'v' is a variable of all systems"),
        (({"v": [1, 2]}, {}, "a", lambda c: False), StudyError, "no combination of the population is valid"),
    ],
)
def test_clear_errors_of_populations(arguments, error, message):
    with pytest.raises(error, match=message):
        PipelinePopulation(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("wieghting", "tf-idf", "counts"), "no variable 'wieghting'; did you mean 'weighting'"),
        (("weighting", "counts", "counts"), "two different methods"),
        (("smoothing", 0.1, 1.0), "belongs to one approach only"),
        (("lowercase", 1, False), "a=1 is no method of 'lowercase'"),
    ],
)
def test_clear_errors_of_comparisons(arguments, message):
    with pytest.raises(ParameterError, match=message):
        TEXT.compare(*arguments)
