"""Splits of a dataset into folds: made once, kept on disk, and checked against the data whenever they are read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.utils.multiclass import type_of_target

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.files import json_hash, read_json, with_checksum, write_atomically
from genexpy_nb.common.hashing import content_hash, versions

_FORMAT = "genexpy_nb splits 1"


@dataclass(frozen=True, eq=False)
class Splits:
    """Repeated k-fold splits of one dataset, and fingerprints of the data; `make_splits` makes them."""

    folds: np.ndarray  # (n_repeats, n_rows), the fold in whose test part each row is
    k: int
    seed: int
    stratified: bool
    grouped: bool
    data: dict[str, str | None]  # SHA-256 of X, y and groups
    versions: dict[str, str]

    @property
    def n_repeats(self) -> int:
        """Number of repeats R."""
        return len(self.folds)

    @property
    def n_rows(self) -> int:
        """Number of rows of the dataset."""
        return self.folds.shape[1]

    def split(self, repeat: int, fold: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the row numbers of the training and of the test part, ascending."""
        test = self.folds[repeat] == fold
        return np.flatnonzero(~test), np.flatnonzero(test)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Go through (train, test), repeat by repeat: scikit-learn takes it as ``cv=list(splits)``."""
        return (self.split(repeat, fold) for repeat in range(self.n_repeats) for fold in range(self.k))

    def __len__(self) -> int:
        return self.n_repeats * self.k

    def _body(self) -> dict[str, Any]:
        """Return what stands in the file, but for its own fingerprint."""
        names = ("seed", "stratified", "grouped", "n_rows", "data", "versions")
        kept = {name: getattr(self, name) for name in names}
        return {"format": _FORMAT, "k": self.k, "repeats": self.n_repeats, **kept, "folds": self.folds.tolist()}

    @property
    def sha256(self) -> str:
        """Fingerprint of the splits and of the data that they belong to."""
        return json_hash(self._body())

    def __repr__(self) -> str:
        kind = ", ".join(name for name, on in (("stratified", self.stratified), ("grouped", self.grouped)) if on)
        design = f"k={self.k}, n_repeats={self.n_repeats}, n_rows={self.n_rows}"
        return f"Splits({design}, {kind or 'plain'}, {self.sha256[:8]})"


def make_splits(
    X: Any,
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    k: int = 5,
    n_repeats: int = 2,
    seed: int = 0,
    stratify: bool | None = None,
    path: str | os.PathLike | None = None,
) -> Splits:
    """Make repeated k-fold splits, and keep them in a file (Section 3.1, steps 1 and 2).

    Parameters
    ----------
    X : array_like, sparse matrix, DataFrame or list, shape (n_rows, ...)
        Features; looked at only to recognize the dataset again.
    y : array_like, shape (n_rows,)
        Target, without missing values.
    groups : array_like, shape (n_rows,), optional
        Rows of one group (a patient, an author) never stand on both sides of a split.
    k, n_repeats, seed : int
        Folds per repeat, >= 2, and repeats, >= 1; the first repeats do not change when more are asked for. Seed of the
        shuffles, >= 0.
    stratify : bool, optional
        Keep the shares of the classes in every fold; by default if ``y`` holds classes.
    path : path-like, optional
        File (JSON). If it is there already, with splits of the same data made with the same settings, it is read and
        nothing is written; anything else in its place is a `DataError`. The file numbers the rows: with the same rows
        in another order it is refused, and where rows are people it says who was in which part. Seed, data and
        versions make the same file again, so that it need not be published.

    Returns
    -------
    Splits
        ``len`` of them; go through (train, test), or ``split(repeat, fold)``; ``sha256`` of splits and data.

    Examples
    --------
    >>> splits = make_splits(np.arange(20.0)[:, None], [0, 1] * 10, k=5, n_repeats=2, seed=7)
    >>> len(splits), [int(row) % 2 for row in splits.split(0, 0)[1]].count(1)
    (10, 2)
    """
    y, groups = check_rows(X, y, groups)
    k, n_repeats, seed = check_count("k", k, 2), check_count("n_repeats", n_repeats), check_count("seed", seed, 0)
    classes = type_of_target(y) in ("binary", "multiclass")
    stratify = classes if stratify is None else bool(stratify)
    if stratify and not classes:
        raise ParameterError("stratify=True needs classes in y; these values are continuous")
    if len(y) < k:
        raise ParameterError(f"k={k} folds need at least {k} rows; there are {len(y)}")
    if groups is not None and len(np.unique(groups)) < k:
        raise ParameterError(f"k={k} folds need at least {k} groups; there are {len(np.unique(groups))}")
    if stratify:
        levels, counts = np.unique(y, return_counts=True)
        if len(levels) < 2:
            raise ParameterError(f"y has a single class, {levels[0]!r}: there is nothing to stratify")
        if counts.min() < k:
            raise ParameterError(
                f"class {levels[counts.argmin()].item()!r} has {counts.min()} rows, fewer than k={k}; choose a "
                "smaller k, or stratify=False"
            )

    folds = np.stack([_one_repeat(y, groups, k, stratify, seed, repeat) for repeat in range(n_repeats)])
    made_with = versions(["numpy", "scikit-learn"])
    splits = Splits(folds, k, seed, stratify, groups is not None, data_hashes(X, y, groups), made_with)
    if path is None:
        return splits
    path = Path(path)
    if path.exists():
        return _same(path, splits)
    write_atomically(path, json.dumps(with_checksum(splits._body(), "sha256")) + "\n")
    return splits


def check_data(splits: Splits, X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> np.ndarray:
    """Return the target as an array if the splits were made for this data, or raise `DataError`."""
    y, groups = check_rows(X, y, groups)
    if len(y) != splits.n_rows:
        raise DataError(f"the splits were made for {splits.n_rows:,} rows, the data has {len(y):,}")
    if groups is not None and not splits.grouped:
        raise DataError("groups were given, but the splits were made without any")
    now = data_hashes(X, y, groups)
    changed = [name for name, value in now.items() if value is not None and value != splits.data[name]]
    if changed:
        raise DataError(
            f"the splits were made for other data: in {' and '.join(changed)}, values or the order of the rows "
            "have changed"
        )
    return y


def _one_repeat(y: np.ndarray, groups: np.ndarray | None, k: int, stratify: bool, seed: int, repeat: int) -> np.ndarray:
    # A key of its own for each repeat, as `common.random.stream` has it; but scikit-learn takes an integer.
    state = int(np.random.SeedSequence(seed, spawn_key=(repeat,)).generate_state(1)[0])
    of_rows, of_groups = (StratifiedKFold, StratifiedGroupKFold) if stratify else (KFold, GroupKFold)
    splitter = (of_rows if groups is None else of_groups)(k, shuffle=True, random_state=state)
    folds = np.full(len(y), -1)
    for fold, (_, test) in enumerate(splitter.split(np.zeros(len(y)), y, groups)):
        folds[test] = fold
    return folds


def _same(path: Path, wanted: Splits) -> Splits:
    """Return the splits in a file if they are of the data and settings that are wanted; never overwrite others."""
    remedy = "make_splits(..., path=...) writes the same splits again, once this file is deleted"
    body = read_json(path, remedy, "sha256")
    if body.get("format") != _FORMAT:
        raise DataError(f"{path} holds no splits; its 'format' should be {_FORMAT!r}")
    folds = np.array(body["folds"], dtype=int)
    found = Splits(folds, *(body[name] for name in ("k", "seed", "stratified", "grouped", "data", "versions")))
    changed = [name for name in wanted.data if wanted.data[name] != found.data[name]]
    if changed:
        raise DataError(
            f"{path.name} holds splits of another dataset ({' and '.join(changed)} differ); it is not overwritten: "
            "choose another path"
        )
    for name in ("k", "n_repeats", "seed", "stratified"):
        if getattr(found, name) != getattr(wanted, name):
            raise DataError(
                f"{path.name} holds splits of this data with {name}={getattr(found, name)!r}, now "
                f"{name}={getattr(wanted, name)!r} is asked for; it is not overwritten: choose another path"
            )
    return found


def check_rows(X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the target and the groups as arrays, or say what is wrong with them."""
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    target = _column("y", y)
    if n_rows != len(target):
        raise DataError(f"X has {n_rows} rows, y has {len(target)}")
    if groups is None:
        return target, None
    column = _column("groups", groups)
    if len(column) != n_rows:
        raise DataError(f"groups has {len(column)} values, y has {n_rows}: there must be one per row")
    return target, column


def data_hashes(X: Any, y: np.ndarray, groups: np.ndarray | None = None) -> dict[str, str | None]:
    """Return the SHA-256 of the content of ``X``, ``y`` and ``groups``, None without groups."""
    return {"X": content_hash(X), "y": content_hash(y), "groups": None if groups is None else content_hash(groups)}


def _column(name: str, values: ArrayLike) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{name} must have one value per row, got shape {array.shape}")
    absent = pd.isna(array)
    if absent.any():
        raise DataError(f"{name} has {int(absent.sum())} missing values, the first in row {int(absent.argmax())}")
    return array.astype(str) if array.dtype == object and all(isinstance(value, str) for value in array) else array
