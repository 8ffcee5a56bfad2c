"""Small encoders that were pretrained for one of two things: what notebook 08 shows of pretraining as a treatment.

An encoder is a table of word vectors, made from docstrings without labels. It was pretrained to tell the next word, or
to tell a hidden word from the words on both sides; both are solved in closed form, by the leading directions of the
pointwise mutual information (Levy and Goldberg, 2014). A system pretrains its own encoder, represents a text by the
mean of its words, and learns a head from few labels. ``python -m runs.pretraining``, in ``data``, writes the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.preprocessing import StandardScaler
from sklearn.utils.extmath import randomized_svd

import genexpy_nb as gx
from genexpy_nb import chapters
from genexpy_nb.causal.corpus import docstring_corpus
from genexpy_nb.chapters.causal import PACKAGES, TextTask, text_task

SEED, N_SYSTEMS = 0, 200
WORDS = 3000  # that an encoder knows, the most frequent ones
REACH = 3  # words on each side from which a hidden word is told
STEPS, RATE = 60, 2.0  # of gradient descent, where word vectors learn from the labels, too

#: A system: what it was pretrained for, and everything else that it is made of.
POPULATION = gx.causal.PipelinePopulation(
    {
        "objective": ("next word", "hidden word"),
        "read": (500, 1000, 2000),
        "width": (20, 50, 100),
        "mean": ("of all words", "of rare words most"),
        "tuning": ("head only", "word vectors, too"),
        "head": ("logistic", "nearest centroid", "nearest neighbours"),
    },
    {},
)
_HEADS = {
    "logistic": lambda: LogisticRegression(C=1.0, max_iter=500),
    "nearest centroid": NearestCentroid,
    "nearest neighbours": lambda: KNeighborsClassifier(9),
}


def neighbours(texts: list[np.ndarray], objective: str, n_words: int) -> sparse.csr_array:
    """Count which word stands beside which one, (n_words, n_words): after it, or within reach on either side."""
    pairs = [np.empty((2, 0), dtype=int)]
    for apart in range(1, 2 if objective == "next word" else REACH + 1):
        pairs += [np.stack([words[:-apart], words[apart:]]) for words in texts if len(words) > apart]
    first, second = np.concatenate(pairs, axis=1)
    counts = sparse.csr_array((np.ones(len(first)), (first, second)), shape=(n_words, n_words))
    return counts if objective == "next word" else (counts + counts.T).tocsr()


def word_vectors(counts: sparse.csr_array, width: int, seed: int) -> np.ndarray:
    """Return the vectors that tell neighbours best, (n_words, width): of the positive pointwise mutual information."""
    found = counts.tocoo()
    expected = counts.sum(axis=1)[found.row] * counts.sum(axis=0)[found.col] / counts.sum()
    information = np.maximum(np.log(found.data / expected), 0)
    table = sparse.csr_array((information, (found.row, found.col)), shape=counts.shape)
    left, values, _ = randomized_svd(table, width, random_state=seed)
    return left * np.sqrt(values)


def tuned(vectors: np.ndarray, weights: sparse.csr_array, labels: np.ndarray) -> np.ndarray:
    """Move word vectors so that a softmax over the means of texts tells their labels, by gradient descent."""
    truth = np.equal.outer(labels, np.unique(labels)).astype(float)
    vectors, output = vectors.copy(), np.zeros((vectors.shape[1], truth.shape[1]))
    for _ in range(STEPS):
        texts = weights @ vectors
        scores = texts @ output
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = (chances / chances.sum(axis=1, keepdims=True) - truth) / len(labels)
        output, vectors = output - RATE * texts.T @ error, vectors - RATE * weights.T @ (error @ output.T)
    return vectors


@dataclass(frozen=True, eq=False)
class Pretraining:
    """Pretrain and train systems of `POPULATION` on a task; call it with a combination and a seed."""

    task: TextTask
    unlabelled: pd.DataFrame

    @cached_property
    def words(self) -> list[list[np.ndarray]]:
        """Texts as numbers of known words: those of the task, and those without labels."""
        parts = [
            [re.findall(r"[a-z]{2,}", text.lower()) for text in table["text"]]
            for table in (self.task.corpus, self.unlabelled)
        ]
        known = pd.Series(np.concatenate(parts[1])).value_counts().index[:WORDS]  # ties in the order of the texts
        number = {word: i for i, word in enumerate(known)}
        return [[np.array([number[w] for w in text if w in number], dtype=int) for text in part] for part in parts]

    def __call__(self, combination: Mapping[str, Any], seed: int) -> dict[str, float]:
        """Return the error of a system on a composition: which texts it was pretrained, trained and tested on."""
        train, _, test = self.task.composition(seed)
        texts, unlabelled = self.words
        read = np.random.default_rng([seed, 1]).permutation(len(unlabelled))[: combination["read"]]
        read = [unlabelled[i] for i in read]
        vectors = word_vectors(neighbours(read, combination["objective"], WORDS), combination["width"], seed)

        seen = np.bincount(np.concatenate([np.unique(text) for text in read]), minlength=WORDS)
        rarity = (
            np.log(len(read) / np.maximum(seen, 1)) if combination["mean"] == "of rare words most" else np.ones(WORDS)
        )
        rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        every = np.concatenate(texts)
        weights = sparse.csr_array((rarity[every], (rows, every)), shape=(len(texts), WORDS))
        weights = sparse.diags_array(1 / np.maximum(weights.sum(axis=1), 1e-9)) @ weights
        labels = self.task.labels
        if combination["tuning"] != "head only":
            vectors = tuned(vectors, weights[train], labels[train])
        scale = StandardScaler().fit(weights[train] @ vectors)
        head = _HEADS[combination["head"]]().fit(scale.transform(weights[train] @ vectors), labels[train])
        return {"error": float(np.mean(head.predict(scale.transform(weights[test] @ vectors)) != labels[test]))}


def pretraining() -> Pretraining:
    """Return the task of notebook 08, and the docstrings of the same packages that are not in it."""
    task = text_task()
    every = docstring_corpus(PACKAGES, 12_000, 0)
    return Pretraining(task, every[~every["text"].isin(task.corpus["text"])].reset_index(drop=True))


def make_table(n_systems: int = N_SYSTEMS) -> pd.DataFrame:
    """Run a random sample of the systems that can have either objective, with each."""
    comparison = POPULATION.compare("objective", "hidden word", "next word")
    frame = gx.causal.run_paired(comparison, pretraining(), n_systems, seed=SEED, progress=True).frame
    return frame.drop(columns=["objective", "error_message"])


if __name__ == "__main__":
    make_table().to_csv(Path(chapters.__file__).with_name("simulated_pretraining.csv"), index=False)
