"""The few-shot benchmark: small classifiers learn families of related subtasks from a handful of labelled examples.

Its results have the shape of BIG-bench's: a task is a family of subtasks, a subtask is one classification problem.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from itertools import combinations
from zlib import crc32

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from genexpy_nb.common.checks import check_choice, check_count
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.hashing import fingerprint
from runs.tasks import load_table

COLUMNS = ("subtask_description", "task_name", "number_of_shots", "model_family_model_name", "score_value")
SHOTS = (1, 2, 3, 5, 10)
TEST_ROWS = 50  # at most, of each class
MIN_ROWS = 18  # of each class, or the subtask is left out

#: "Family size" -> classifier. Some cannot run with very few examples; that is a missing cell, as in BIG-bench.
CLASSIFIERS: dict[str, BaseEstimator] = {
    "Bayes GNB-narrow": GaussianNB(var_smoothing=1e-3),
    "Bayes GNB-wide": GaussianNB(var_smoothing=1.0),
    "Centroid euclidean": NearestCentroid(),
    "Centroid manhattan": NearestCentroid(metric="manhattan"),
    "Discriminant LDA": LinearDiscriminantAnalysis(),
    "Discriminant LDA-shrunk": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "Discriminant QDA": QuadraticDiscriminantAnalysis(reg_param=0.5),
    "Forest 5": RandomForestClassifier(n_estimators=5, random_state=0),
    "Logistic C=0.01": LogisticRegression(C=0.01),
    "Logistic C=1": LogisticRegression(C=1.0),
    "Logistic C=100": LogisticRegression(C=100.0),
    "MLP 4": MLPClassifier((4,), solver="lbfgs", max_iter=50, random_state=0),
    "MLP 32": MLPClassifier((32,), solver="lbfgs", max_iter=50, random_state=0),
    "NN 1-cosine": KNeighborsClassifier(1, metric="cosine"),
    "NN 1-euclidean": KNeighborsClassifier(1),
    "NN 1-manhattan": KNeighborsClassifier(1, metric="manhattan"),
    "NN 3-euclidean": KNeighborsClassifier(3),
    "NN 5-euclidean": KNeighborsClassifier(5),
    "Ridge 1": RidgeClassifier(),
    "Spreading 5-neighbours": LabelSpreading(kernel="knn", n_neighbors=5),
    "Spreading 15-neighbours": LabelSpreading(kernel="knn", n_neighbors=15),
    "SVM linear": SVC(kernel="linear"),
    "SVM rbf C=1": SVC(C=1.0),
    "SVM rbf C=100": SVC(C=100.0),
    "Tree full": DecisionTreeClassifier(random_state=0),
    "Tree stump": DecisionTreeClassifier(max_depth=1, random_state=0),
}

#: They see the test rows' features (never their labels) while they learn.
SEMI_SUPERVISED = tuple(name for name in CLASSIFIERS if name.startswith("Spreading"))

#: Modules whose docstrings are told apart.
MODULES = (
    *("numpy.ma", "pandas.DataFrame", "scipy.interpolate", "scipy.linalg", "scipy.ndimage", "scipy.optimize"),
    *("scipy.signal", "scipy.sparse", "scipy.special", "scipy.stats", "sklearn.metrics"),
)


@dataclass(frozen=True)
class Subtask:
    """One classification problem."""

    description: str
    X: np.ndarray
    y: np.ndarray


def _scaled(frame: pd.DataFrame) -> np.ndarray:
    return StandardScaler().fit_transform(frame.to_numpy(dtype=float))


def _class_pairs(features: np.ndarray, labels: Iterable, text: str) -> Iterator[Subtask]:
    """One subtask for every two classes; ``text`` has two gaps for their names."""
    codes, names = pd.factorize(pd.Series(labels).to_numpy(), sort=True)
    for a, b in combinations(range(len(names)), 2):
        rows = np.isin(codes, (a, b))
        yield Subtask(text.format(names[a], names[b]), features[rows], (codes[rows] == b).astype(int))


def _feature_pairs(frame: pd.DataFrame, labels: np.ndarray, text: str) -> Iterator[Subtask]:
    """One subtask for every two columns; ``text`` has two gaps for their names."""
    for pair in combinations(frame.columns, 2):
        names = (name.replace("_", " ") for name in pair)
        yield Subtask(text.format(*names), _scaled(frame[list(pair)]), np.asarray(labels, dtype=int))


def _attributes(frame: pd.DataFrame, text: str) -> Iterator[Subtask]:
    """One subtask for every column: is it above its median? To be told from the other columns."""
    for name in frame:
        above = frame[name] > frame[name].median()
        yield Subtask(text.format(name), _scaled(frame.drop(columns=name)), above.to_numpy(dtype=int))


def _digits() -> tuple[np.ndarray, np.ndarray]:
    table = load_table("digits")
    return table.drop(columns="target").to_numpy().reshape(-1, 8, 8) / 16, table["target"].to_numpy()


def _digit_pixels() -> Iterator[Subtask]:
    images, labels = _digits()
    return _class_pairs(images.reshape(-1, 64), labels, "Tell a handwritten {} from a {} by its 64 pixels.")


def _digit_projections() -> Iterator[Subtask]:
    images, labels = _digits()
    sums = np.hstack([images.mean(axis=1), images.mean(axis=2)])
    return _class_pairs(sums, labels, "Tell a handwritten {} from a {} by the ink in each row and column.")


def _digit_top_halves() -> Iterator[Subtask]:
    images, labels = _digits()
    return _class_pairs(images[:, :4].reshape(-1, 32), labels, "Tell a handwritten {} from a {} by its top half.")


def _tumours() -> Iterator[Subtask]:
    table = load_table("breast_cancer")
    means = table[[name for name in table if name.startswith("mean_")]]
    return _feature_pairs(means, table["target"], "Tell malignant from benign breast tumours by {} and {}.")


def _wines() -> Iterator[Subtask]:
    table = load_table("wine")
    return _feature_pairs(
        table.drop(columns="target"), table["target"], "Name one of three wine cultivars by {} and {}."
    )


def _irises() -> Iterator[Subtask]:
    table = load_table("iris")
    species = table.pop("target").map(dict(enumerate(("setosa", "versicolor", "virginica"))))
    for pair in combinations(table.columns, 2):
        yield from _class_pairs(
            _scaled(table[list(pair)]), species, f"Tell {{}} from {{}} by {' and '.join(pair)}.".replace("_", " ")
        )


def _diabetes() -> Iterator[Subtask]:
    table = load_table("diabetes")
    target = table.pop("target")
    return _feature_pairs(table, target > target.median(), "Does diabetes progress faster than usual? By {} and {}.")


def _occupations() -> Iterator[Subtask]:
    table = load_table("fair")
    return _class_pairs(
        _scaled(table.drop(columns="occupation")), table["occupation"], "Tell occupation {:g} from {:g}."
    )


def _voters() -> Iterator[Subtask]:
    table = load_table("anes96").drop(columns="popul")
    return _class_pairs(_scaled(table.drop(columns="PID")), table["PID"], "Tell party identification {:g} from {:g}.")


def _schools() -> Iterator[Subtask]:
    table = load_table("star98")
    table["pass_rate"] = table["NABOVE"] / (table["NABOVE"] + table["NBELOW"])
    plain = [name for name in table if name.count("_") == 0 and name not in ("NABOVE", "NBELOW")]
    return _attributes(table[[*plain, "pass_rate"]], "Is a school district's {} above the median?")


def _firms() -> Iterator[Subtask]:
    table = load_table("grunfeld")
    features = _scaled(np.log(table[["invest", "value", "capital"]]))
    return _class_pairs(features, table["firm"], "Tell a year of {} from one of {} by investment, value and capital.")


def _months() -> Iterator[Subtask]:
    table = load_table("elnino")
    table["next"] = table["temperature"].shift(-1)
    table = table.dropna()
    features = _scaled(table[["previous", "temperature", "next"]])
    return _class_pairs(features, table["month"], "Tell {} from {} by three months of sea temperature.")


def _trips() -> Iterator[Subtask]:
    table = load_table("modechoice.travellers")
    chosen = [name for name in table if name.startswith("choice_")]
    labels = table[chosen].idxmax(axis=1).str.removeprefix("choice_")
    waiting = [name for name in table if name.startswith("ttme_")]  # gives the choice away
    return _class_pairs(
        _scaled(table.drop(columns=chosen + waiting)), labels, "Does the traveller take the {} or the {}?"
    )


def _docstrings() -> Iterator[Subtask]:
    labels: dict[str, str] = {}  # text -> module; a text that two modules share counts for the first
    for module in MODULES:
        try:
            home = import_module(module)
        except ModuleNotFoundError:  # a class
            home = reduce(getattr, module.split(".")[1:], import_module(module.split(".")[0]))
        for name in sorted(getattr(home, "__all__", None) or dir(home)):
            member = getattr(home, name, None)
            if not name.startswith("_") and callable(member) and member.__doc__:
                labels.setdefault((inspect.getdoc(member) or "").split("Parameters\n---")[0].strip(), module)
    words = HashingVectorizer(n_features=256, alternate_sign=False, token_pattern=r"[A-Za-z]{3,}")
    features = words.transform(labels).toarray()
    return _class_pairs(features, list(labels.values()), "Does a docstring come from {} or from {}?")


#: Name of a task -> function that makes its subtasks.
FAMILIES: dict[str, Callable[[], Iterator[Subtask]]] = {
    "breast_cancer_features": _tumours,
    "diabetes_features": _diabetes,
    "digits_pixels": _digit_pixels,
    "digits_projections": _digit_projections,
    "digits_top_half": _digit_top_halves,
    "docstrings": _docstrings,
    "elnino_months": _months,
    "fair_occupations": _occupations,
    "grunfeld_firms": _firms,
    "iris_species": _irises,
    "modechoice_trips": _trips,
    "star98_attributes": _schools,
    "anes96_parties": _voters,
    "wine_features": _wines,
}


def load_family(name: str) -> list[Subtask]:
    """Build the subtasks of one task."""
    check_choice("name", name, FAMILIES)
    return [subtask for subtask in FAMILIES[name]() if np.bincount(subtask.y).min() >= MIN_ROWS]


def family_key(name: str, n_draws: int, seed: int) -> str:
    """Fingerprint of all that a task's results depend on, code included."""
    subtasks = load_family(name)
    data = [part for subtask in subtasks for part in (subtask.description, subtask.X, subtask.y)]
    return fingerprint(*data, CLASSIFIERS, SHOTS, TEST_ROWS, MIN_ROWS, n_draws, seed, _scores)


def draw(y: np.ndarray, shots: Iterable[int], rng: np.random.Generator) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """Draw the labelled examples and the test rows of one repetition."""
    shots = sorted(shots)
    members = [rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)]
    training = {n: np.concatenate([rows[:n] for rows in members]) for n in shots}
    return training, np.concatenate([rows[shots[-1] : shots[-1] + TEST_ROWS] for rows in members])


def _predict(name: str, X: np.ndarray, y: np.ndarray, test: np.ndarray) -> np.ndarray:
    model = clone(CLASSIFIERS[name])
    if name in SEMI_SUPERVISED:
        unlabelled = np.full(len(test), -1)
        return model.fit(np.vstack([X, test]), np.concatenate([y, unlabelled])).transduction_[len(y) :]
    return model.fit(X, y).predict(test)


def _score(name: str, subtask: Subtask, train: np.ndarray, test: np.ndarray) -> float:
    """Score of a classifier that learns from some rows, on others."""
    predicted = _predict(name, subtask.X[train], subtask.y[train], subtask.X[test])
    return _normalised(subtask.y[test], predicted)


def _normalised(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Balanced accuracy, scaled so that chance is 0 and perfection is 1."""
    rates = np.bincount(truth[truth == predicted], minlength=truth.max() + 1) / np.bincount(truth)
    chance = 1 / len(rates)
    return float((rates.mean() - chance) / (1 - chance))


def run_family(
    name: str,
    classifiers: Iterable[str] | None = None,
    shots: Iterable[int] = SHOTS,
    n_draws: int = 5,
    seed: int = 0,
    limit: int | None = None,
) -> pd.DataFrame:
    """Score classifiers on the subtasks of one task.

    Parameters
    ----------
    name : str
        A key of `FAMILIES`.
    classifiers : iterable of str, optional
        Which of `CLASSIFIERS`. Default: all.
    shots : iterable of int
        Labelled examples per class, each from 1 to 10. The test rows depend on the largest.
    n_draws : int
        Random draws of examples; the score is their mean. All classifiers get the same draws.
    seed : int
        Seed of the draws. Those of a subtask depend on this and its description only.
    limit : int, optional
        Take only the first subtasks.

    Returns
    -------
    pandas.DataFrame
        Columns `COLUMNS`. `score_value` is the balanced accuracy on the test rows, scaled so that chance is 0 and
        perfection 1 (higher is better, it can be negative), mean over the draws. ``attrs["failures"]`` lists why
        cells are missing, as dicts with the keys task, shots, model, subtasks (how many), reason;
        ``attrs["model_fits"]`` counts the fits.

    Raises
    ------
    ParameterError
        If a name is not known or a number is out of range.

    Examples
    --------
    >>> frame = run_family("iris_species", ["Centroid euclidean"], shots=(1, 5), n_draws=2, limit=1)
    >>> frame[["number_of_shots", "score_value"]].values.tolist()
    [[1.0, 0.6], [5.0, 0.93333]]
    """
    names, shots = list(CLASSIFIERS if classifiers is None else classifiers), sorted(set(shots))
    for classifier in names:
        check_choice("classifiers", classifier, CLASSIFIERS)
    if not shots:
        raise ParameterError(f"shots must be one or more numbers from 1 to {max(SHOTS)}, got none")
    for n in shots:
        check_count("shots", n, 1, max(SHOTS))
    check_count("n_draws", n_draws)
    rows, failures, n_fits = _scores(load_family(name)[:limit], names, shots, n_draws, seed)
    frame = pd.DataFrame([(text, name, *row) for text, *row in rows], columns=list(COLUMNS))
    frame.attrs = {
        "model_fits": n_fits,
        "failures": [
            {"task": name, "shots": n, "model": classifier, "subtasks": count, "reason": reason}
            for (n, classifier, reason), count in failures.items()
        ],
    }
    return frame


def _scores(
    subtasks: list[Subtask], names: list[str], shots: list[int], n_draws: int, seed: int
) -> tuple[list[tuple], dict[tuple[int, str, str], int], int]:
    """(Subtask, shots, classifier, score) of all that ran; how often the others failed and why; the number of fits."""
    rows: list[tuple] = []
    failures: dict[tuple[int, str, str], int] = {}
    n_fits = 0
    fast = sklearn.config_context(skip_parameter_validation=True, assume_finite=True)
    with warnings.catch_warnings(), fast, threadpool_limits(1):  # threads only get in the way of such small fits
        warnings.simplefilter("ignore", ConvergenceWarning)  # networks stop early on purpose
        # With few examples it is always so that variables are collinear and do not vary inside a class.
        warnings.filterwarnings("ignore", message="Variables are collinear")
        warnings.filterwarnings("ignore", module=r"sklearn\.neighbors\._nearest_centroid")
        for subtask in subtasks:
            rng = np.random.default_rng([seed, crc32(subtask.description.encode())])
            draws = [draw(subtask.y, shots, rng) for _ in range(n_draws)]
            for n in shots:
                for classifier in names:
                    try:
                        scores = [_score(classifier, subtask, train[n], test) for train, test in draws]
                    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
                        key = n, classifier, f"{type(error).__name__}: {re.split('[.,]', str(error).strip())[0]}"
                        failures[key] = failures.get(key, 0) + 1
                        continue
                    n_fits += n_draws
                    rows.append((subtask.description, n, classifier, round(float(np.mean(scores)), 5)))
    return rows, failures, n_fits
