"""From a combination of methods to a scikit-learn pipeline for text, and to its losses on a train-test composition."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectPercentile, chi2
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer, Normalizer
from sklearn.svm import LinearSVC

from genexpy_nb.causal.population import PipelinePopulation
from genexpy_nb.common.checks import check_columns, check_count
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.extras import require
from genexpy_nb.common.hashing import content_hash
from genexpy_nb.common.identity import fingerprint
from genexpy_nb.datasets.corpus import docstring_corpus
from genexpy_nb.datasets.records import read_verified_results
from genexpy_nb.datasets.registry import data_folder

#: Train-test compositions of the recorded table; composition i has the seed i.
N_COMPOSITIONS = 20
#: Packages whose docstrings are told apart: dependencies of this one that read alike.
PACKAGES = ("numpy", "pandas.core", "scipy.stats", "sklearn", "xarray")
_N_DOCUMENTS = 1500
_NAME = "text_population"

_STRENGTH = {"weak": 10.0, "medium": 1.0, "strong": 0.1}  # C of the linear learners
_MODEL = {"multinomial": MultinomialNB, "complement": ComplementNB, "Bernoulli": BernoulliNB}

_SHARED: dict[str, tuple] = {
    "lowercase": (True, False),
    "analyser": ("words", "characters"),
    "ngrams": (1, 2, 3),
    "weighting": ("counts", "binary", "tf-idf"),
    "normalise": (False, True),
    "selection": ("all", "half", "tenth"),
    "min_df": (1, 2),
}
_APPROACHES: dict[str, dict[str, tuple]] = {
    "linear": {"learner": ("logistic", "ridge", "SVM"), "regularisation": ("weak", "medium", "strong")},
    "naive Bayes": {"event_model": ("multinomial", "complement", "Bernoulli"), "smoothing": (0.01, 0.1, 1.0)},
}


def _ngrams_make_sense(combination: Mapping[str, Any]) -> bool:
    """Single characters say nothing, and three words in a row hardly ever occur twice."""
    return combination["ngrams"] <= 2 if combination["analyser"] == "words" else combination["ngrams"] >= 2


def text_population() -> PipelinePopulation:
    """Return the population of text classifiers that the notebook samples from."""
    return PipelinePopulation(_SHARED, _APPROACHES, valid=_ngrams_make_sense)


def small_text_population() -> PipelinePopulation:
    """Return a population that is small enough to be run in full; approaches with two variables and with one."""
    shared = {name: methods for name, methods in _SHARED.items() if name != "min_df"}
    shared |= {"weighting": ("counts", "tf-idf"), "selection": ("all", "tenth")}
    approaches = {
        "linear": {**_APPROACHES["linear"], "regularisation": ("weak", "strong")},
        "naive Bayes": {"smoothing": (0.01, 0.1, 1.0)},
    }
    return PipelinePopulation(shared, approaches, valid=_ngrams_make_sense)


def text_pipeline(combination: Mapping[str, Any], random_state: int = 0) -> Pipeline:
    """Build the pipeline of a combination."""
    c = combination
    try:
        n = c["ngrams"]
        words = {"words": True, "characters": False}[c["analyser"]]
        counts = CountVectorizer(
            lowercase=c["lowercase"],
            analyzer="word" if words else "char_wb",
            ngram_range=(1, n) if words else (2, n),
            min_df=c.get("min_df", 1),
        )
        weighting = {"counts": "passthrough", "binary": Binarizer(), "tf-idf": TfidfTransformer(norm=None)}
        percentile = {"half": 50, "tenth": 10}
        selection: Any = "passthrough"
        if c["selection"] == "SVD":
            selection = TruncatedSVD(50, random_state=random_state)
        elif c["selection"] != "all":
            selection = SelectPercentile(chi2, percentile=percentile[c["selection"]])
        return Pipeline(
            [
                ("counts", counts),
                ("weighting", weighting[c["weighting"]]),
                ("normalise", Normalizer() if c["normalise"] else "passthrough"),
                ("selection", selection),
                ("learner", _learner(c, random_state)),
            ]
        )
    except KeyError as error:
        raise ParameterError(f"cannot build a pipeline: {error} is missing or unknown in {dict(combination)}") from None


def _learner(c: Mapping[str, Any], random_state: int) -> Any:
    if c["approach"] == "naive Bayes":
        return _MODEL[c.get("event_model", "multinomial")](alpha=c["smoothing"])
    if c["approach"] != "linear":
        raise KeyError(c["approach"])
    strength = _STRENGTH[c["regularisation"]]
    learners = {
        "logistic": LogisticRegression(C=strength, max_iter=300),
        "ridge": RidgeClassifier(alpha=1 / strength),
        "SVM": LinearSVC(C=strength, random_state=random_state),
    }
    return learners[c["learner"]]


_COUNTS: dict[tuple, sparse.csr_array] = {}


@dataclass(frozen=True, eq=False)
class TextTask:
    """Train and test pipelines on random compositions of a corpus; call it with a combination and a seed."""

    corpus: pd.DataFrame
    n_train: int = 180
    n_validation: int = 100
    n_test: int = 300

    #: What a call returns: shares of wrong predictions on test and validation documents, and 1 - macro F1 on test.
    losses = ("error", "f1_loss", "validation_error")

    def __post_init__(self) -> None:
        check_columns(self.corpus, ["text", "label"], "the corpus")
        sizes = {"n_train": self.n_train, "n_validation": self.n_validation, "n_test": self.n_test}
        for name, size in sizes.items():
            check_count(name, size)
        wanted = sum(sizes.values())
        if wanted > len(self.corpus):
            raise ParameterError(f"{' + '.join(sizes)} = {wanted}: the corpus has {len(self.corpus)} documents")

    @cached_property
    def labels(self) -> np.ndarray:
        """Labels of all documents, shape (n_documents,)."""
        return self.corpus["label"].to_numpy(dtype=str)

    @cached_property
    def sha256(self) -> str:
        """Hash of texts and labels, 64 hexadecimal digits."""
        return content_hash(self.corpus[["text", "label"]])

    @property
    def key(self) -> str:
        """What results depend on, for saved ones."""
        code = [type(self).__call__, type(self).predict, type(self).composition, type(self)._counts]
        return fingerprint(self.sha256, self.n_train, self.n_validation, self.n_test, code)

    def composition(self, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the documents for training, validation and test, positions in the corpus."""
        order = np.random.default_rng(seed).permutation(len(self.corpus))
        ends = np.cumsum([self.n_train, self.n_validation, self.n_test])
        train, validation, test = np.split(order[: ends[-1]], ends[:-1])
        return train, validation, test

    def predict(self, combination: Mapping[str, Any], seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Train on one composition; return the predicted labels of its validation and of its test documents."""
        train, validation, test = self.composition(seed)
        pipeline = text_pipeline(combination, random_state=seed)
        vectoriser = pipeline["counts"]
        counts = self._counts(vectoriser)
        features = counts[train]
        seen = np.bincount(features.indices, minlength=counts.shape[1]) >= vectoriser.min_df
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a limit on iterations is part of the system
            model = Pipeline(pipeline.steps[1:]).fit(features[:, seen], self.labels[train])
        return model.predict(counts[validation][:, seen]), model.predict(counts[test][:, seen])

    def __call__(self, combination: Mapping[str, Any], seed: int) -> dict[str, float]:
        """Return the losses of a combination on a composition."""
        _, validation, test = self.composition(seed)
        guessed, predicted = self.predict(combination, seed)
        truth = self.labels[test]
        return {
            "error": float(np.mean(predicted != truth)),
            "f1_loss": float(1 - f1_score(truth, predicted, average="macro")),
            "validation_error": float(np.mean(guessed != self.labels[validation])),
        }

    def differences(self, a: Mapping[str, Any], b: Mapping[str, Any], seeds: Iterable[int]) -> np.ndarray:
        """Compare two systems document by document on many compositions."""
        seeds = list(seeds)
        return self.mistakes(a, seeds) - self.mistakes(b, seeds)

    def mistakes(self, combination: Mapping[str, Any], seeds: Iterable[int]) -> np.ndarray:
        """Say which test documents a system gets wrong on many compositions."""
        return np.array(
            [self.predict(combination, seed)[1] != self.labels[self.composition(seed)[2]] for seed in seeds],
            dtype=float,
        )

    def _counts(self, vectoriser: CountVectorizer) -> sparse.csr_array:
        key = (self.sha256, vectoriser.lowercase, vectoriser.analyzer, vectoriser.ngram_range)
        if key not in _COUNTS:
            _COUNTS[key] = CountVectorizer(**vectoriser.get_params() | {"min_df": 1}).fit_transform(self.corpus["text"])
        return _COUNTS[key]


def text_task() -> TextTask:
    """Return the task that the recorded table is about: which package is a docstring from?"""
    require("testbed", *(package.partition(".")[0] for package in PACKAGES))
    return TextTask(docstring_corpus(PACKAGES, _N_DOCUMENTS, 0))


def load_text_population(folder: Path | None = None) -> pd.DataFrame:
    """Load the losses of all systems of `small_text_population` on 20 train-test compositions."""
    folder = data_folder() if folder is None else Path(folder)
    losses = read_verified_results(folder / f"{_NAME}.parquet")
    about = losses.attrs["about"]
    systems = small_text_population().frame().drop(columns="probability")
    if content_hash(systems) != about["population_sha256"]:
        raise DataError(f"{_NAME}.parquet was made for another population; data/make_text_population.py makes it again")
    table = pd.concat([systems.iloc[losses["system"]].reset_index(drop=True), losses.drop(columns="system")], axis=1)
    table.attrs["about"] = about
    return table
