"""Notebook 08: pipelines for text, a population run in full, and what is shown of them and of repeated studies."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectPercentile, chi2
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer, Normalizer
from sklearn.svm import LinearSVC

from genexpy_nb.causal import Heterogeneity, TreatmentEffect
from genexpy_nb.causal.corpus import docstring_corpus
from genexpy_nb.causal.design import Evaluate, Run, as_runs, outcomes
from genexpy_nb.causal.population import Combination, Comparison, PipelinePopulation
from genexpy_nb.causal.runs import Runs
from genexpy_nb.chapters.shared import made
from genexpy_nb.common import page
from genexpy_nb.common.errors import require
from genexpy_nb.common.hashing import content_hash, fingerprint
from genexpy_nb.common.prose import percent, span
from genexpy_nb.datasets.locating import data_folder, read_verified_results
from genexpy_nb.plots import causal as figures
from genexpy_nb.plots.style import signed

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


_WORDS = {"lowercase": True, "analyser": "words", "ngrams": 1, "normalise": True, "selection": "all", "min_df": 1}
_LEARNERS: dict[str, Combination] = {
    "SVM": {"approach": "linear", "learner": "SVM", "regularisation": "medium"},
    "ridge": {"approach": "linear", "learner": "ridge", "regularisation": "medium"},
    "multinomial": {"approach": "naive Bayes", "event_model": "multinomial", "smoothing": 0.1},
    "complement": {"approach": "naive Bayes", "event_model": "complement", "smoothing": 0.1},
}
#: Name -> a system of `text_population`.
EIGHT = {f"{k} {w}": {**_WORDS, **own, "weighting": w} for k, own in _LEARNERS.items() for w in ("tf-idf", "counts")}


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
    kept = {"half": 50, "tenth": 10}.get(c["selection"])
    steps = {
        "counts": counts,
        "weighting": weighting[c["weighting"]],
        "normalise": Normalizer() if c["normalise"] else "passthrough",
        "selection": SelectPercentile(chi2, percentile=kept) if kept else "passthrough",
        "learner": _learner(c, random_state),
    }
    return Pipeline(list(steps.items()))


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
        # a limit on iterations is part of the system
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
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

    def _counts(self, vectoriser: CountVectorizer) -> sparse.csr_array:
        key = (self.sha256, vectoriser.lowercase, vectoriser.analyzer, vectoriser.ngram_range)
        if key not in _COUNTS:
            _COUNTS[key] = CountVectorizer(**vectoriser.get_params() | {"min_df": 1}).fit_transform(self.corpus["text"])
        return _COUNTS[key]


def text_task() -> TextTask:
    """Return the task that the recorded table is about: which package is a docstring from?"""
    require("testbed", *(package.partition(".")[0] for package in PACKAGES))
    return TextTask(docstring_corpus(PACKAGES, _N_DOCUMENTS, 0))


def load_text_population() -> pd.DataFrame:
    """Load the losses of all systems of `small_text_population` on 20 train-test compositions."""
    losses = read_verified_results(data_folder() / f"{_NAME}.parquet")
    systems = small_text_population().frame()
    table = pd.concat([systems.iloc[losses["system"]].reset_index(drop=True), losses.drop(columns="system")], axis=1)
    table.attrs["about"] = losses.attrs["about"]
    return table


# --- a population that is run in full ---------------------------------------------------------------------------------


def ideal_study(comparison: Comparison, evaluate: Evaluate, compositions: Iterable[int]) -> Runs:
    """Run every system under both methods on every one of some train-test compositions: nothing is left to infer."""
    pairs = (product(*(comparison.parts(c, m) for m in (comparison.a, comparison.b))) for c in comparison.contexts())
    tasks: dict[str, list[Run]] = {}
    about: dict[tuple[int, str], Combination] = {}
    compositions = list(compositions)
    for number, (a, b) in enumerate(chain.from_iterable(pairs)):
        about[number, "a"], about[number, "b"] = {"method": comparison.a} | a, {"method": comparison.b} | b
        tasks[f"system {number}"] = [(number, s, side, c) for s in compositions for side, c in (("a", a), ("b", b))]
    runs = as_runs(outcomes(tasks, evaluate, None, None, False, None), about, comparison, "paired", "shared")
    return replace(runs, whole_population=True)


# --- what the notebook shows ------------------------------------------------------------------------------------------

_ENDS = ["estimate", "low", "high"]
_IN_POINTS = "the error rate, percentage points"
#: Variables in words.
CALLED = {
    **{"lowercase": "lower case", "analyser": "unit of text", "ngrams": "longest sequence of units"},
    **{"regularisation": "regularization"},
    **{"normalise": "scaled to unit length", "selection": "features kept", "smoothing": "smoothing constant"},
    **{"min_df": "documents with a feature, at least", "event_model": "kind of naive Bayes"},
}


def points(value: float) -> str:
    """Return a difference of errors in percentage points, with its sign."""
    return signed(100 * value, 1)


def stated(effect: TreatmentEffect, form: Callable[[float], str] = points, unit: str = " percentage points") -> str:
    """Return an effect with its interval, in percentage points unless told otherwise."""
    interval = f"{100 * effect.confidence:g} % interval {form(effect.low)} to {form(effect.high)}"
    return f"{form(effect.estimate)}{unit} ({interval})"


def stated_score(effect: TreatmentEffect) -> str:
    """Return an effect on a score, with its interval."""
    return stated(effect, lambda value: signed(value, 4), "")


def ends(row: pd.Series) -> str:
    """Return the interval of a share."""
    return f"{100 * row['low']:.0f} to {100 * row['high']:.0f} %"


def show_population(population: PipelinePopulation) -> None:
    """Show the variables of a system, and the methods that each can take."""
    rows = [(name, "all systems", methods) for name, methods in population.variables.items()]
    for approach, own in population.approaches.items():
        rows += [(name, approach, methods) for name, methods in own.items()]
    page.show_table(
        pd.DataFrame(rows, columns=["variable", "in", "methods"]).set_index("variable").rename(index=CALLED),
        "population",
        "These are the variables of a system, and the methods that each variable can take. A rule leaves "
        f"{population.size:,} of the {population.n_raw:,} combinations: it excludes single characters, and sequences "
        "of three words.",
        folded=f"The {len(rows)} variables of a system",
    )


def show_answer(known: Mapping[str, TreatmentEffect], truth: float) -> None:
    """Show the average effect over a whole population, and what samples of it say."""
    level = f"{100 * next(iter(known.values())).confidence:g} %"
    each = {
        name: replace(of, loss=_IN_POINTS, **{end: 100 * getattr(of, end) for end in _ENDS})
        for name, of in known.items()
    }
    page.show_figure(
        figures.effect_forest(each, 100 * truth),
        "answer",
        "Two random samples with the same number of training runs estimate what tf-idf changes on average, instead of "
        f"counts. Lines are {level} t intervals, and left of zero, tf-idf is better. The dashed line is the truth.",
        f"The average over all systems is {points(truth)} percentage points. "
        + " ".join(f"A sample of {name} gives {stated(of)}." for name, of in known.items()),
    )


def show_individual(individual: pd.DataFrame, spread: Heterogeneity) -> None:
    """Show the effect in each system of the whole population."""
    page.show_figure(
        figures.effect_distribution(100 * individual[["effect"]], 100 * spread.mean, _IN_POINTS),
        "individual",
        f"In {percent(spread.share_opposite)} of the systems, the effect and the average effect have opposite signs "
        "(hatched bars). An effect is the error with tf-idf (the first method) minus the error with counts, averaged "
        f"over {N_COMPOSITIONS} splits. The dashed line is the average over {spread.n_systems} systems.",
        f"The effect has the opposite sign in {percent(spread.share_opposite)} of the systems.",
    )


#: Name of a key number -> label, digits after the point, unit.
_LABELS = {
    "truth": ("average effect of tf-idf against counts on the error rate, whole population", 4, ""),
    "opposite": ("share of systems in which tf-idf has the opposite effect", 3, ""),
    "one-system": ("wrong sign or none in one system on one split, share", 3, ""),
    "independent-width": ("width of the interval, independent divided by paired design", 1, "times"),
}


def keep_key_numbers(
    effects: Mapping[str, TreatmentEffect], overall: pd.DataFrame, plan: pd.Series, values: Mapping[str, float]
) -> None:
    """Keep and show the key numbers: effects, rates of errors on one split, systems to plan, and single values."""
    for name, of in effects.items():
        where = "on the error rate, random sample" if of.loss == "error" else "on the score, benchmark of encoders"
        what = "tuning" if name == "tuning" else f"{of.a} against {of.b}"
        page.key_number(f"effect-{name}", f"average effect of {what} {where}", of.estimate, of.low, of.high, decimals=4)
    rates = overall.loc["false_positive", _ENDS]
    page.key_number("false-positive", "share of tests at 5 % on one split that reject the truth", *rates, decimals=3)
    label = "systems for an interval that is one point of error wide, paired"
    ends = plan[["n_systems_paired", "n_systems_low", "n_systems_high"]]
    page.key_number("systems-for-one-point", label, *ends, unit="systems", decimals=0)
    for name, (label, decimals, unit) in _LABELS.items():
        page.key_number(name, label, values[name], decimals=decimals, unit=unit)
    page.show_key_numbers()


def check_run(paired: Runs, composite: Runs, truth: float) -> None:
    """See that what the text says without a number is so."""
    assert paired.failed.empty and composite.failed.empty
    assert truth < 0
