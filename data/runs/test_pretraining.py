"""Encoders that are pretrained for one of two things: against plain loops; and what notebook 08 shows."""

from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from genexpy_nb.chapters.causal import load_text_population, text_task
from genexpy_nb.chapters.shared import made
from runs import pretraining as runs

TEXTS = [np.array([0, 1, 2, 0, 1]), np.array([3]), np.array([2, 2, 1])]


@pytest.mark.parametrize("objective", ["next word", "hidden word"])
def test_neighbours_are_counted_one_by_one(objective):
    seen = Counter()
    for text in TEXTS:
        for at, word in enumerate(text):
            for beside in range(at - runs.REACH, at + runs.REACH + 1):
                near = beside == at + 1 if objective == "next word" else beside != at
                if near and 0 <= beside < len(text):
                    seen[int(word), int(text[beside])] += 1
    table = runs.neighbours(TEXTS, objective, 4).toarray()
    assert {(i, j): table[i, j] for i, j in zip(*table.nonzero(), strict=True)} == seen


def test_vectors_are_the_leading_directions_of_the_positive_information():
    rng = np.random.default_rng(1)
    counts = rng.poisson(1.0, (12, 12)).astype(float)
    chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    information = np.maximum(np.log(np.where(counts > 0, counts, chance) / chance), 0)
    left, values, _ = np.linalg.svd(information)
    vectors = runs.word_vectors(sparse.csr_array(counts), 3, 0)
    np.testing.assert_allclose(vectors @ vectors.T, left[:, :3] * values[:3] @ left[:, :3].T, atol=1e-6)


def test_tuning_goes_down_the_slope_of_the_cross_entropy(monkeypatch):
    """One step of both tables, the second of two steps, against differences of the loss."""
    rng = np.random.default_rng(2)
    weights, labels = sparse.csr_array(rng.uniform(size=(6, 5))), np.array(["a", "b", "a", "c", "b", "c"])
    vectors, truth = rng.normal(size=(5, 2)), np.equal.outer(labels, np.unique(labels))

    def loss(vectors, output):
        scores = weights @ vectors @ output
        return -np.mean((scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))[truth])

    def slope(of, at):
        steps = np.eye(at.size).reshape(-1, *at.shape) * 1e-6
        return np.array([(of(at + step) - of(at - step)) / 2e-6 for step in steps]).reshape(at.shape)

    output = -runs.RATE * slope(
        lambda output: loss(vectors, output), np.zeros((2, 3))
    )  # the first step moves this only
    expected = vectors - runs.RATE * slope(lambda at: loss(at, output), vectors)
    monkeypatch.setattr(runs, "STEPS", 2)
    np.testing.assert_allclose(runs.tuned(vectors, weights, labels), expected, atol=1e-6)


def test_recorded_errors_are_what_systems_give():
    """Some of the table, run again; other versions of the packages hold other docstrings."""
    about = load_text_population().attrs["about"]
    if text_task().sha256 != about["corpus_sha256"]:
        pytest.skip(f"other versions of the packages are installed than: {about['corpus']}")
    table, run = made("simulated_pretraining"), runs.pretraining()
    assert len(table) == 2 * runs.N_SYSTEMS and (table.groupby("system")["method"].nunique() == 2).all()
    for row in table.iloc[::57].to_dict("records"):
        again = run(row | {"objective": row["method"]}, row["composition"])
        assert again["error"] == pytest.approx(row["error"], abs=0.02)  # six of 300 documents
