"""From the labels and probabilities of any classifier to the rows of one cell: error and Kappa, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.metrics import multilabel_confusion_matrix

from genexpy_nb.common.checks import check_number
from genexpy_nb.common.errors import DataError, ParameterError

# The authors' code fills every table of counts up to the size of CIFAR-100's test data, and says .5 where nothing is
# left to agree on beyond chance.
_AUTHORS_SAMPLES, _AUTHORS_UNDEFINED = 10_000, 0.5
_THRESHOLD = 0.2  # of conflicts, as in the authors' code
_TOLERANCE = 1e-5  # of a row's sum: what float32 loses over a thousand classes, and far less than half precision loses


def class_metrics(
    y: ArrayLike,
    probabilities: ArrayLike,
    classes: Sequence[Any] | None = None,
    train: tuple[ArrayLike, ArrayLike] | None = None,
) -> pd.DataFrame:
    """Measure a classifier on each class of its test data: its error rate, and Kappa in three versions.

    Parameters
    ----------
    y : array_like, shape (n_samples,)
        True labels of the test data; each class occurs.
    probabilities : array_like, shape (n_samples, n_classes)
        Class probabilities, not logits; rows sum to 1. Tensors of torch are fine.
    classes : sequence, optional
        The label of each column. By default the columns of a DataFrame, else the sorted labels in ``y``.
    train : tuple (y, probabilities), optional
        The same for the training data; adds the column ``gap``, test minus training error rate.

    Returns
    -------
    DataFrame, one row per class
        ``class``, ``n``, ``error_rate``, ``kappa`` in [0, 2], ``conflict`` in [-1, 1] or NaN, ``conflict_abs``

    Notes
    -----
    Eq. 1 and 2 of A practical generalization metric for deep networks benchmarking, reconstructed; ``conflict_abs`` and
    ``kappa`` are those of calculate_kappa.py in the authors' repository at 448445a and at 67f9d7e.

    ``kappa`` is 1 - Cohen's Kappa of label and prediction, both reduced to this class against the rest. ``conflict`` is
    Cohen's Kappa of [[a, b], [c, d]]: class i is in conflict (a) if its probability is within .2 of the largest other
    one, else clearly below (b) or above it (c); d counts samples without any probability of .2 or more.
    ``conflict_abs`` is its absolute value, d filled up to 10,000 samples, .5 where undefined.

    Examples
    --------
    >>> y = ["cat", "cat", "cow", "cow", "dog"]
    >>> probabilities = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.7, 0.2], [0.0, 1.0, 0.0], [0.3, 0.1, 0.6]]
    >>> class_metrics(y, probabilities).round(3)
      class  n  error_rate  kappa  conflict  conflict_abs
    0   cat  2         0.5  0.455    -0.471         0.000
    1   cow  2         0.0  0.385    -0.667         0.333
    2   dog  1         0.0  0.000    -0.429         0.333
    """
    if train is not None and not (isinstance(train, tuple | list) and len(train) == 2):
        raise ParameterError(f"train must be a pair (y, probabilities), got {type(train).__name__}")
    names = _names(y, probabilities, classes)
    label, h = _checked(y, probabilities, names, "")
    a, b, c, d = _conflicts(h)
    authors = _kappa(a, b, c, np.maximum(_AUTHORS_SAMPLES - a - b - c, d))
    table = pd.DataFrame(
        {
            "class": names,
            "n": np.bincount(label, minlength=len(names)),
            "error_rate": _error_rates(label, h),
            "kappa": 1 - _kappa(*multilabel_confusion_matrix(label, h.argmax(axis=1)).reshape(-1, 4).T),
            "conflict": _kappa(a, b, c, d),
            "conflict_abs": np.where(np.isnan(authors), _AUTHORS_UNDEFINED, np.abs(authors)),
        }
    )
    if train is not None:
        table["gap"] = table["error_rate"] - _error_rates(*_checked(*train, names, "training "))
    return table


def cell(
    zero_shot: float,
    ssim: float,
    size: float,
    y: ArrayLike,
    probabilities: ArrayLike,
    classes: Sequence[Any] | None = None,
    train: tuple[ArrayLike, ArrayLike] | None = None,
    **labels: Any,
) -> pd.DataFrame:
    """Return the rows of one cell: measure one model on one test set, and say where in the grid it belongs.

    Concatenate the cells of a grid (``pandas.concat``), and `genexpy_nb.tradeoff.to_array` takes the table.

    Parameters
    ----------
    zero_shot, ssim, size : float
        Share of the test classes that the backbone has not seen, in [0, 1); structural similarity of the test images to
        the clean ones, in (0, 1]; number of weights of the model, > 0.
    y, probabilities, classes, train
        See `class_metrics`, also for the errors.
    **labels
        Further columns, one value each: ``seed``, ``family``, or whatever is of use.

    Returns
    -------
    DataFrame, one row per class
        The labels, the coordinates, and the columns of `class_metrics`.

    Examples
    --------
    >>> rows = cell(0.5, 0.9, 1200, ["a", "b"], [[0.9, 0.1], [0.6, 0.4]], seed=7)
    >>> rows[["seed", "zero_shot", "ssim", "size", "class", "n", "error_rate"]]
       seed  zero_shot  ssim  size class  n  error_rate
    0     7        0.5   0.9  1200     a  1         0.0
    1     7        0.5   0.9  1200     b  1         1.0
    """
    check_number("zero_shot", zero_shot, 0, 1, "[)")
    check_number("ssim", ssim, 0, 1, "(]")
    check_number("size", size, 0)
    table = class_metrics(y, probabilities, classes, train)
    head = labels | {"zero_shot": zero_shot, "ssim": ssim, "size": size}
    taken = [name for name in labels if name in {*table.columns, "gap", "zero_shot", "ssim", "size"}]
    if taken:
        raise ParameterError(f"{taken[0]!r} is a column of its own and cannot be a label")
    for position, (name, value) in enumerate(head.items()):
        if not np.isscalar(value):
            raise ParameterError(f"the label {name!r} must be one value, got {value!r}")
        table.insert(position, name, value)
    return table


# --- what is counted --------------------------------------------------------------------------------------------------


def _error_rates(label: np.ndarray, h: np.ndarray) -> np.ndarray:
    wrong = np.bincount(label, weights=h.argmax(axis=1) != label, minlength=h.shape[1])
    return wrong / np.bincount(label, minlength=h.shape[1])


def _conflicts(h: np.ndarray) -> tuple[np.ndarray, ...]:
    """Count a, b, c, d of the docstring of `class_metrics` for each class."""
    seen = h[(h >= _THRESHOLD).any(axis=1)]
    rows, first = np.arange(len(seen)), seen.argmax(axis=1)
    second, largest = np.partition(seen, -2, axis=1)[:, -2:].T
    lead = seen - largest[:, None]
    lead[rows, first] = largest - second  # the largest one competes with the second
    lead = np.round(lead, 12)
    below, above = (lead < -_THRESHOLD).sum(axis=0), (lead > _THRESHOLD).sum(axis=0)
    return len(seen) - below - above, below, above, np.full(h.shape[1], len(h) - len(seen))


def _kappa(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return Cohen's Kappa of the tables [[a, b], [c, d]]; NaN if chance alone would agree on everything."""
    a, b, c, d = (count.astype(float) for count in (a, b, c, d))  # their products overflow 64 bits late, but they do
    total = a + b + c + d
    by_chance = (a + b) * (a + c) + (c + d) * (b + d)
    defined = by_chance < total**2
    room = np.where(defined, total**2 - by_chance, 1.0)
    return np.where(defined, ((a + d) * total - by_chance) / room, np.nan)


# --- what goes in -----------------------------------------------------------------------------------------------------


def _plain(values: Any) -> Any:
    """Return a tensor that may sit on a device, or carry gradients, as an array; everything else as it is."""
    if not hasattr(values, "detach"):
        return values
    values = values.detach().cpu()
    # numpy does not know every kind of float that torch has.
    return (values.double() if values.is_floating_point() else values).numpy()


def _names(y: ArrayLike, probabilities: ArrayLike, classes: Sequence[Any] | None) -> pd.Index:
    """Return the labels of the columns."""
    if classes is not None:
        names = pd.Index(_plain(classes))
    elif isinstance(probabilities, pd.DataFrame):
        names = probabilities.columns
    else:
        names = pd.Index(pd.factorize(_labels(y, ""), sort=True)[1])
    if len(names) < 2:
        why = "the Kappa of a class compares it with the rest"
        raise ParameterError(f"at least two classes are needed, got {list(names)}: {why}")
    if not names.is_unique:
        raise ParameterError(f"classes must differ, {_first(names[names.duplicated()][:1])} is there twice")
    return names


def _labels(y: ArrayLike, which: str) -> np.ndarray:
    labels = np.asarray(_plain(y))
    if labels.ndim != 1 or not len(labels):
        raise DataError(f"the {which}labels must be one label per sample, shape (n_samples,), got {labels.shape}")
    if pd.isna(labels).any():
        raise DataError(f"the {which}label of sample {int(pd.isna(labels).argmax())} is missing")
    return labels


def _checked(y: ArrayLike, probabilities: ArrayLike, names: pd.Index, which: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the position of each label among the classes, and the probabilities; both beyond doubt."""
    labels = _labels(y, which)
    label = names.get_indexer(labels)
    if (label < 0).any():
        position = int((label < 0).argmax())
        raise DataError(
            f"the {which}label {_first(labels[[position]])} of sample {position} is not among the classes "
            f"{_first(names)}"
        )
    try:
        h = np.asarray(_plain(probabilities), dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError(f"the {which}probabilities must be a table of numbers: {error}") from error
    if h.shape != (len(labels), len(names)):
        raise DataError(
            f"the {which}probabilities must have shape (n_samples, n_classes), {(len(labels), len(names))} for the "
            f"classes {_first(names)}, got {h.shape}; classes=... names the columns, if y does not hold all labels"
        )
    counts = np.bincount(label, minlength=len(names))
    if not counts.all():
        empty = names[counts == 0]
        raise DataError(f"{len(empty)} classes have no {which}samples ({_first(empty)}): no error rate is defined")
    bad = ~((h >= 0) & (h <= 1 + _TOLERANCE))  # so that NaN is bad, too
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise DataError(
            f"the {which}probability of {_first(names[[column]])} must be in [0, 1], got {h[row, column]:g} for "
            f"sample {row}; are these logits? Apply a softmax first"
        )
    off = np.abs(h.sum(axis=1) - 1) > _TOLERANCE
    if off.any():
        row = int(off.argmax())
        raise DataError(
            f"the {which}probabilities of a sample must sum to 1, those of sample {row} sum to {h[row].sum():.8g}; are "
            "these logits, or one probability per class on its own? Rounded ones: divide each row by its sum"
        )
    return label, h


def _first(names: pd.Index | np.ndarray, most: int = 5) -> str:
    return ", ".join(map(repr, names[:most].tolist())) + (", ..." if len(names) > most else "")
