"""The few-shot benchmark: draws, scores by hand, and the bundled results."""

import numpy as np
import pytest
from bundled_results import bundled, check_bundled
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import balanced_accuracy_score

from genexpy_nb.common.errors import ParameterError
from runs import fewshot


@given(st.lists(st.integers(12, 90), min_size=2, max_size=4), st.integers(0, 2**32))
@settings(max_examples=30)
def test_draws_are_nested_balanced_and_disjoint(sizes, seed):
    y = np.repeat(np.arange(len(sizes)), sizes)
    training, test = fewshot.draw(y, (5, 1, 10), np.random.default_rng(seed))
    assert list(training) == [1, 5, 10]
    assert set(training[1]) < set(training[5]) < set(training[10])
    for shots, rows in training.items():
        assert np.bincount(y[rows]).tolist() == [shots] * len(sizes)
    assert not set(test) & set(training[10])
    assert np.bincount(y[test]).tolist() == [min(size - 10, fewshot.TEST_ROWS) for size in sizes]


@pytest.mark.parametrize("family", ["iris_species", "wine_features"])
def test_fewshot_scores_are_adjusted_balanced_accuracies(family):
    subtask = fewshot.load_family(family)[3]
    frame = fewshot.run_family(family, ["NN 1-euclidean"], shots=(2, 5), n_draws=3, seed=7, limit=4)
    frame = frame[frame["subtask_description"] == subtask.description].set_index("number_of_shots")["score_value"]
    rng = np.random.default_rng([7, fewshot.crc32(subtask.description.encode())])
    scores = {2: [], 5: []}
    for _ in range(3):
        training, test = fewshot.draw(subtask.y, (2, 5), rng)
        for shots, rows in training.items():
            distances = ((subtask.X[test][:, None] - subtask.X[rows]) ** 2).sum(axis=2)
            predicted = subtask.y[rows][distances.argmin(axis=1)]
            scores[shots].append(balanced_accuracy_score(subtask.y[test], predicted, adjusted=True))
    for shots, values in scores.items():
        assert_allclose(frame[shots], np.mean(values), atol=1e-5)


def test_label_spreading_never_sees_test_labels():
    X, y = np.arange(8.0)[:, None], np.array([0, 1])
    near = fewshot._predict("Spreading 5-neighbours", X[[0, 7]], y, X[1:7])
    swapped = fewshot._predict("Spreading 5-neighbours", X[[0, 7]], 1 - y, X[1:7])
    assert_array_equal(near, [0, 0, 0, 1, 1, 1])
    assert_array_equal(swapped, 1 - near)


def test_too_few_examples_are_a_missing_cell():
    frame = fewshot.run_family("grunfeld_firms", ["NN 5-euclidean", "NN 1-euclidean"], (1, 3), n_draws=1, limit=2)
    cells = frame.groupby(["model_family_model_name", "number_of_shots"]).size()
    assert cells.to_dict() == {("NN 1-euclidean", 1): 2, ("NN 1-euclidean", 3): 2, ("NN 5-euclidean", 3): 2}
    (failure,) = frame.attrs["failures"]
    assert (failure["shots"], failure["model"], failure["subtasks"]) == (1, "NN 5-euclidean", 2)


def test_families_are_large_enough():
    sizes = {name: len(fewshot.load_family(name)) for name in fewshot.FAMILIES}
    assert len(sizes) >= 8
    assert sum(size > 10 for size in sizes.values()) >= 6
    assert sum(size >= 40 for size in sizes.values()) >= 3


def test_fewshot_names_wrong_parameters():
    with pytest.raises(ParameterError, match="did you mean 'docstrings'"):
        fewshot.run_family("docstring")
    with pytest.raises(ParameterError, match="shots must be"):
        fewshot.run_family("iris_species", shots=(0, 1))
    with pytest.raises(ParameterError, match="n_draws must be"):
        fewshot.run_family("iris_species", n_draws=0)


def test_the_bundled_table_is_what_its_note_says():
    check_bundled("fewshot", fewshot.COLUMNS, 500_000)


def test_bundled_fewshot_is_complete_but_for_the_listed_failures():
    table, about = bundled("fewshot")
    assert table["score_value"].between(-1, 1).all() and (table["score_value"] < 0).any()
    subtasks = table.groupby("task_name")["subtask_description"].nunique()
    assert subtasks.to_dict() == about["tasks"]
    missing = sum(failure["subtasks"] for failure in about["failures"])
    assert len(table) + missing == subtasks.sum() * len(fewshot.SHOTS) * len(fewshot.CLASSIFIERS)


def test_bundled_fewshot_can_be_made_again():
    table, about = bundled("fewshot", reproduce=True)
    names = ["Centroid euclidean", "NN 3-euclidean", "Discriminant LDA", "Tree stump", "Bayes GNB-wide"]
    fresh = fewshot.run_family("grunfeld_firms", names, n_draws=about["n_draws"], seed=about["seed"], limit=2)
    both = fresh.merge(table, on=list(fewshot.COLUMNS[:4]), validate="one_to_one")
    assert len(both) == len(fresh)
    assert_allclose(both["score_value_x"], both["score_value_y"], atol=1e-5)
