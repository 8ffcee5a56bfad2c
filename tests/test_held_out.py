"""The benchmark of the sets of the best asks what it says: against enumerations of small populations."""

import itertools

import numpy as np
import pandas as pd
import pytest

from benchmarks import held_out
from genexpy_nb.conclusions.contenders import compare_all


def test_what_a_left_out_number_should_be_is_the_mean_over_all_studies(monkeypatch):
    monkeypatch.setattr(held_out, "TRUTHS", 20_000)
    rows = np.array([[3.0, 1, 0, 2], [0, 2, 1, 2], [0, 3, 1, 1]])
    found, variance = held_out.left_out_truth(rows, 3, np.random.default_rng(0))
    worth, one, three = [], [], []
    for study in itertools.product(range(3), repeat=2):
        means = rows[list(study)].mean(axis=0)
        for order in itertools.permutations(range(4)):  # equals in any order
            if (np.diff(means[list(order)]) <= 0).all():
                weight = 1 / np.prod([np.prod(range(1, (means == m).sum() + 1)) for m in np.unique(means)])
                worth.append((weight, rows[:, order[0]].mean()))
                one.append((weight, (rows.max(axis=1) - rows[:, order[0]]).mean()))
                three.append((weight, (rows.max(axis=1) - rows[:, order[:3]].max(axis=1)).mean()))
    for key, each in (("left_score", worth), ("left_1", one), ("left_3", three)):
        expected = sum(weight * value for weight, value in each) / 9
        assert found[key] == pytest.approx(expected, abs=4 * np.sqrt(variance[key]) + 1e-9)


def test_places_hold_if_an_order_of_equals_fits():
    rows = np.array([[3.0, 2.9, 0], [2, 2.2, 1], [5, 4, 0], [4, 5, 2], [3, 2, 1], [3, 4, 0], [4, 5, 1]])
    found = compare_all(rows, 0.05)
    assert found.contend.tolist() == [True, True, False]
    assert held_out.all_places(found, np.array([1.0, 1, 0]))["places"]
    assert held_out.all_places(found, np.array([1.0, 0, 0]))["places"]
    assert not held_out.all_places(found, np.array([1.0, 0, 2]))["places"]


def test_lower_is_better_clusters_and_missing_cells(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 3, 5], "c": [0.5, np.nan, 9]}, index=["x", "y", "z"])
    frame.to_csv(tmp_path / "toy_rmse.csv")
    pd.Series(["u", "v", "u"], index=["x", "y", "z"]).to_csv(tmp_path / "toy_rmse.clusters.csv")
    (one,) = held_out.others(tmp_path)
    assert one.scores.tolist() == [[-1.0, -0.5, -2], [-3, -9, -5]]  # y is not complete, a is the best
    rows, scores = one.rows("rank")
    assert rows.tolist() == [[[-1, -3, -2]]] and scores.tolist() == [[[-2, -4.75, -3.5]]]


def test_a_cell_is_the_same_again_and_counts_what_it_says():
    population = held_out.Population("toy", np.random.default_rng(0).normal([1.5, 0, 0, 0], 1, (50, 4)))
    one, again = (held_out.measure(population, "score", 10, 4, 1, 12) for _ in range(2))
    assert {**one, "seconds": 0} == {**again, "seconds": 0}
    assert one["held"] == 1 and one["k"] == 4 and one["size"] < one["holm"] <= 4
    assert set(held_out.KEYS) - {"left_score, left_1, left_3"} <= set(one)
