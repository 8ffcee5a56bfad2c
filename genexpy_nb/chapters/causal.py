"""Notebook 08: pipelines for text and their losses, a population run in full, and studies repeated in it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse, stats
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

from genexpy_nb.causal.design import Evaluate, Run, as_runs, outcomes
from genexpy_nb.causal.population import Combination, Comparison, PipelinePopulation
from genexpy_nb.causal.rounding import RESOLUTION, negligible
from genexpy_nb.causal.runs import Runs
from genexpy_nb.common.errors import DataError, StudyError, require
from genexpy_nb.common.hashing import content_hash, fingerprint
from genexpy_nb.common.random import generator
from genexpy_nb.datasets.corpus import docstring_corpus
from genexpy_nb.datasets.locating import data_folder
from genexpy_nb.datasets.opening import read_verified_results

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
    c, n = combination, combination["ngrams"]
    words = {"words": True, "characters": False}[c["analyser"]]
    counts = CountVectorizer(
        lowercase=c["lowercase"],
        analyzer="word" if words else "char_wb",
        ngram_range=(1, n) if words else (2, n),
        min_df=c.get("min_df", 1),
    )
    weighting = {"counts": "passthrough", "binary": Binarizer(), "tf-idf": TfidfTransformer(norm=None)}
    selection = {
        "all": "passthrough",
        "half": SelectPercentile(chi2, percentile=50),
        "tenth": SelectPercentile(chi2, percentile=10),
        "SVD": TruncatedSVD(50, random_state=random_state),
    }
    return Pipeline(
        [
            ("counts", counts),
            ("weighting", weighting[c["weighting"]]),
            ("normalise", Normalizer() if c["normalise"] else "passthrough"),
            ("selection", selection[c["selection"]]),
            ("learner", _learner(c, random_state)),
        ]
    )


def _learner(c: Mapping[str, Any], random_state: int) -> Any:
    if c["approach"] == "naive Bayes":
        return _MODEL[c.get("event_model", "multinomial")](alpha=c["smoothing"])
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


def measured_twice(task: TextTask, seeds: Iterable[int]) -> pd.DataFrame:
    """Return the error of tf-idf with naive Bayes for each composition: alone, later, after counts, and as their heir.

    The heir goes on with the parameters that the same learner had learned from counts.
    """
    combination = {"lowercase": True, "analyser": "words", "ngrams": 1, "normalise": True, "selection": "all"}
    combination |= {"approach": "naive Bayes", "smoothing": 0.1}
    rows = []
    for seed in seeds:
        train, _, test = task.composition(seed)
        with_method = {name: text_pipeline({**combination, "weighting": name}) for name in ("tf-idf", "counts")}
        texts, labels = task.corpus["text"].to_numpy(), task.labels
        found = {}
        for name, before in (("alone", []), ("later", []), ("after counts", ["counts"])):
            for method in [*before, "tf-idf"]:
                predicted = with_method[method].fit(texts[train], labels[train]).predict(texts[test])
            found[name] = np.mean(predicted != labels[test])
        heir = with_method["counts"]["learner"]
        weighted = with_method["tf-idf"][:-1]
        heir.partial_fit(weighted.transform(texts[train]), labels[train])
        found["heir of counts"] = np.mean(heir.predict(weighted.transform(texts[test])) != labels[test])
        rows.append(found)
    return pd.DataFrame(rows)


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


# --- a population that is run in full ---------------------------------------------------------------------------------


def ideal_study(
    comparison: Comparison,
    evaluate: Evaluate,
    compositions: Iterable[int],
) -> Runs:
    """Run every system under both methods on every one of some train-test compositions: nothing is left to infer."""
    contexts = comparison.contexts()
    pairs = [
        [(a, b) for a in comparison.parts(c, comparison.a) for b in comparison.parts(c, comparison.b)] for c in contexts
    ]
    if comparison.population.weights or len({len(p) for p in pairs}) > 1:
        raise StudyError("systems of this population do not count the same: sample it instead")
    tasks: dict[str, list[Run]] = {}
    about: dict[tuple[int, str], Combination] = {}
    compositions = list(compositions)
    for number, (a, b) in enumerate(pair for of_context in pairs for pair in of_context):
        about[number, "a"], about[number, "b"] = {"method": comparison.a} | a, {"method": comparison.b} | b
        tasks[f"system {number}"] = [(number, s, side, c) for s in compositions for side, c in (("a", a), ("b", b))]
    runs = as_runs(outcomes(tasks, evaluate, None, None, False, None), about, comparison, "paired", "shared")
    return replace(runs, whole_population=True)


# --- studies repeated in such a population, where the truth is known --------------------------------------------------

_N_RESAMPLES = 2000  # of the test documents


def coverage(
    losses_a: ArrayLike,
    losses_b: ArrayLike,
    sizes: Sequence[int],
    design: str = "paired",
    *,
    confidence: float = 0.95,
    n_studies: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Repeat a study in a population that was run in full, and count how often its t interval holds the truth."""
    a, b = (np.asarray(losses, dtype=float).ravel() for losses in (losses_a, losses_b))
    truth = float(a.mean() - b.mean())
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
    source = generator(rng)
    rows = []
    for n in sizes:
        drawn = source.integers(len(a), size=(n_studies, n))
        mean, se, df = _paired_means(a, b, drawn) if design == "paired" else _independent_means(a, b, drawn)
        half = stats.t.ppf((1 + confidence) / 2, df) * se
        mean = np.where(negligible(mean, largest), 0.0, mean)  # rounding has a sign, no effect has none
        held = np.mean(np.abs(mean - truth) <= half + RESOLUTION * largest)  # a point at the truth holds it
        rows.append(
            {
                "n_systems": n,
                "coverage": held,
                "coverage_se": np.sqrt(held * (1 - held) / n_studies),
                "bias": mean.mean() - truth,
                "rmse": np.sqrt(np.mean((mean - truth) ** 2)),
                "width": 2 * half.mean(),
                "wrong_sign": np.mean(mean * truth <= 0),
                "n_runs": 2 * n if design == "paired" else n,
            }
        )
    return pd.DataFrame(rows)


def _paired_means(a: np.ndarray, b: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Mean, standard error and degrees of freedom of each study, a row of ``drawn``."""
    d = a[drawn] - b[drawn]
    n = drawn.shape[1]
    return d.mean(axis=1), np.sqrt(d.var(axis=1, ddof=1) / n), n - 1.0


def _independent_means(a: np.ndarray, b: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Like `_paired_means`; the first half of the systems runs with a, the second with b; Welch's df."""
    n = drawn.shape[1] // 2
    x, y = a[drawn[:, :n]], b[drawn[:, n:]]
    vx, vy = x.var(axis=1, ddof=1) / n, y.var(axis=1, ddof=1) / n
    total = vx + vy
    share = np.divide(vx, total, out=np.full_like(vx, 0.5), where=total > 0)
    df = (n - 1) / (share**2 + (1 - share) ** 2)
    return x.mean(axis=1) - y.mean(axis=1), np.sqrt(total), df


def bootstrap_miss_rate(
    differences: ArrayLike,
    sizes: Sequence[int],
    *,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Count how often a bootstrap over the test documents of one composition misses the expected effect."""
    d = np.asarray(differences, dtype=float)
    source = generator(rng)
    truth, slack = d.mean(), RESOLUTION * np.abs(d).max()
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    rows = []
    for m in sizes:
        weights = source.multinomial(m, np.full(m, 1 / m), size=_N_RESAMPLES) / m
        ends = np.quantile(d[:, :m] @ weights.T, tails, axis=1)
        missed = (ends[0] > truth + slack) | (ends[1] < truth - slack)
        claimed = d[:, :m].std(axis=1, ddof=1).mean() / np.sqrt(m)
        interval = _rate_interval(missed.astype(float), confidence)
        actual = d[:, :m].mean(axis=1).std(ddof=1)
        rows.append((m, missed.mean(), *interval, np.mean(ends[1] - ends[0]), claimed, actual))
    columns = ["n_test", "miss", "miss_low", "miss_high", "width", "sd_claimed", "sd_actual"]
    return pd.DataFrame(rows, columns=columns)


def shifted_bootstrap(
    differences: Mapping[str, ArrayLike],
    *,
    level: float = 0.05,
    n_resamples: int = _N_RESAMPLES,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Test pairs of systems on each of many compositions as is usual: by a bootstrap of the test documents."""
    pairs = [np.asarray(values, dtype=float) for values in differences.values()]
    m = pairs[0].shape[1]
    weights = generator(rng).multinomial(m, np.full(m, 1 / m), size=n_resamples).T / m
    parts = []
    for name, d in zip(differences, pairs, strict=True):
        slack, effect = RESOLUTION * np.abs(d).max(), float(d.mean())
        measured, resampled = d.mean(axis=1), d @ weights
        shifted = np.abs(resampled - measured[:, None])
        p, p_truth = (np.mean(shifted >= np.abs(measured - at)[:, None] - slack, axis=1) for at in (0.0, effect))
        ends = np.quantile(resampled, [level / 2, 1 - level / 2], axis=1)
        sign = np.sign(np.where(negligible(measured, np.abs(d).max()), 0.0, measured)) * np.sign(effect)
        part = {
            "effect": effect,
            "difference": measured,
            "p": p,
            "false_positive": p_truth < level,
            "missed": ~((p < level) & (sign > 0)),
            "wrong_sign": (p < level) & (sign < 0),
            "interval_misses": (ends[0] > effect + slack) | (ends[1] < effect - slack),
        }
        parts.append(pd.DataFrame({"pair": name, "composition": np.arange(len(d)), **part}))
    return pd.concat(parts, ignore_index=True)


def error_rates(outcomes: pd.DataFrame, by: Sequence[str] = (), confidence: float = 0.95) -> pd.DataFrame:
    """Count the errors of `shifted_bootstrap`, with Monte-Carlo intervals."""
    errors = ["false_positive", "missed", "wrong_sign", "interval_misses"]
    rows = []
    for levels, part in outcomes.groupby(list(by), sort=False) if by else [((), outcomes)]:
        shares = part.groupby("composition")[errors].mean()
        about = dict(zip(by, levels, strict=True)) | {"n_pairs": part["pair"].nunique(), "n_compositions": len(shares)}
        for error in errors:
            ends = _rate_interval(shares[error].to_numpy(float), confidence)
            rows.append(
                {**about, "error": error, "estimate": float(shares[error].mean()), "low": ends[0], "high": ends[1]}
            )
    return pd.DataFrame(rows)


def _rate_interval(shares: np.ndarray, confidence: float) -> tuple[float, float]:
    n = len(shares)
    if np.isin(shares, (0, 1)).all():
        interval = stats.binomtest(int(shares.sum()), n).proportion_ci(confidence)
        return float(interval.low), float(interval.high)
    half = stats.t.ppf((1 + confidence) / 2, n - 1) * shares.std(ddof=1) / np.sqrt(n)
    return max(0.0, float(shares.mean() - half)), min(1.0, float(shares.mean() + half))


def tuned_or_many(
    losses_a: ArrayLike,
    losses_b: ArrayLike,
    validation_a: ArrayLike,
    validation_b: ArrayLike,
    budget: Sequence[int],
    *,
    least: float = 0.0,
    n_studies: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Spend the same runs in two ways: tune each method on one composition, or run untuned systems on many."""
    a, b, va, vb = (np.asarray(x, dtype=float) for x in (losses_a, losses_b, validation_a, validation_b))
    n_systems, n_compositions = a.shape
    average = float(a.mean() - b.mean())
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
    source = generator(rng)
    study = np.arange(n_studies)
    rows = []
    for k in budget:
        systems = source.integers(n_systems, size=(n_studies, k))
        one = source.integers(n_compositions, size=n_studies)
        best_a = systems[study, np.argmin(va[systems, one[:, None]], axis=1)]
        best_b = systems[study, np.argmin(vb[systems, one[:, None]], axis=1)]
        tuned = a[best_a, one] - b[best_b, one]
        own = source.integers(n_compositions, size=(n_studies, k))
        many = (a[systems, own] - b[systems, own]).mean(axis=1)
        for plan, estimates, truth in (
            ("tuned, one composition", tuned, float(tuned.mean())),
            ("untuned, many", many, average),
        ):
            estimates = np.where(negligible(estimates, largest), 0.0, estimates)  # rounding has a sign, a tie has none
            wrong = np.mean(estimates * truth < 0) + np.mean(estimates == 0) / 2 if abs(truth) > least else np.nan
            rows.append((k, plan, estimates.mean(), estimates.std(ddof=1), truth, wrong))
    return pd.DataFrame(rows, columns=["n_systems", "plan", "mean", "sd", "truth", "wrong_sign"])
