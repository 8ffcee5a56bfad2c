"""Run the tasks of an experiment so that an interrupted run can go on, and write the results with their provenance."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from ..errors import DataError, ParameterError

__all__ = [
    "PACKAGES",
    "describe",
    "fingerprint",
    "partial_path",
    "read_results",
    "run_resumable",
    "sha256",
    "write_results",
]

#: Their versions are recorded with every results table.
PACKAGES = ("numpy", "pandas", "scipy", "scikit-learn", "scikit-image", "category_encoders", "statsmodels")


def sha256(path: str | os.PathLike) -> str:
    """Return the SHA-256 of a file, in hexadecimal.

    Examples
    --------
    >>> folder = TemporaryDirectory()
    >>> path = Path(folder.name, "empty")
    >>> path.touch()
    >>> sha256(path)[:8]
    'e3b0c442'
    >>> folder.cleanup()
    """
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def fingerprint(*parts: Any) -> str:
    """Hash what a result depends on: data (frames, arrays) and settings (anything with a telling ``repr``).

    Parameters
    ----------
    *parts : pandas.DataFrame, numpy.ndarray or object
        Frames and arrays count by content, everything else by its ``repr``. Versions of `PACKAGES` are added. The
        code does not count: after changing how something is computed, delete the saved results.

    Returns
    -------
    str
        16 hexadecimal digits.

    Examples
    --------
    >>> fingerprint(np.arange(3), "seed 0") == fingerprint(np.arange(3), "seed 0")
    True
    >>> fingerprint(np.arange(3), "seed 0") == fingerprint(np.arange(3), "seed 1")
    False
    """
    digest = hashlib.sha256(repr([version(package) for package in PACKAGES]).encode())
    for part in parts:
        if isinstance(part, pd.DataFrame):
            digest.update(repr(list(part.columns)).encode())
            digest.update(pd.util.hash_pandas_object(part).to_numpy().tobytes())
        elif isinstance(part, np.ndarray):
            digest.update(part.tobytes())
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()[:16]


def describe(estimator: object) -> str:
    """Return the ``repr`` of an estimator in one line, after the name of its package.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> describe(SVC(C=2))
    'sklearn: SVC(C=2)'
    """
    return f"{type(estimator).__module__.split('.')[0]}: {' '.join(repr(estimator).split())}"


def partial_path(folder: str | os.PathLike, name: str, key: str) -> Path:
    """Where the result of one task waits until the table is written.

    Examples
    --------
    >>> partial_path("partial", "fair:affairs>0", "0f").name
    'fair-affairs-0-0f.parquet'
    """
    return Path(folder) / f"{re.sub(r'[^0-9A-Za-z]+', '-', name)}-{key}.parquet"


def _run_and_save(run: Callable[[str], pd.DataFrame], name: str, path: Path) -> None:
    start = process_time()
    frame = run(name)
    frame.attrs["cpu_seconds"] = round(process_time() - start, 3)
    waiting = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        frame.to_parquet(waiting)
        os.replace(waiting, path)  # all or nothing
    finally:
        waiting.unlink(missing_ok=True)


def run_resumable(
    run: Callable[[str], pd.DataFrame],
    keys: Mapping[str, str],
    folder: str | os.PathLike,
    n_jobs: int = 1,
    progress: bool = True,
) -> pd.DataFrame:
    """Run every task that has not been run yet, and put all their results together.

    Parameters
    ----------
    run : callable
        Name of a task -> its results. Their ``attrs`` may hold numbers (summed) and lists (joined), of what JSON knows.
    keys : mapping of str to str
        Name of each task -> fingerprint of everything that its results depend on. A saved result with another
        fingerprint is not used.
    folder : path-like
        Where finished tasks are saved, each as soon as it is done. Made if it is not there.
    n_jobs : int
        Worker processes. The results do not depend on it, as long as `run` depends on nothing but the name.
    progress : bool
        Show a bar.

    Returns
    -------
    pandas.DataFrame
        The results in the order of `keys`; ``attrs`` summed and joined over all tasks, ``attrs["cpu_seconds"]`` too.

    Raises
    ------
    ParameterError
        If there is no task.
    Exception
        Whatever `run` raises; tasks finished before stay saved.

    Examples
    --------
    >>> with TemporaryDirectory() as folder:
    ...     run_resumable(lambda name: pd.DataFrame({"task": [name]}), {"b": "k", "a": "k"}, folder, progress=False)
      task
    0    b
    1    a
    """
    if not keys:
        raise ParameterError("keys must name at least one task, got none")
    paths = {name: partial_path(folder, name, key) for name, key in keys.items()}
    Path(folder).mkdir(parents=True, exist_ok=True)
    waiting = [name for name, path in paths.items() if not path.exists()]
    jobs = (delayed(_run_and_save)(run, name, paths[name]) for name in waiting)
    finished = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(jobs)
    bar = tqdm(finished, total=len(paths), initial=len(paths) - len(waiting), unit="task", disable=not progress)
    for _ in bar:
        pass
    frames = [pd.read_parquet(path) for path in paths.values()]
    attrs: dict[str, Any] = {}
    for frame in frames:
        for name, value in frame.attrs.items():
            attrs[name] = attrs[name] + value if name in attrs else value
        frame.attrs = {}
    table = pd.concat(frames, ignore_index=True)
    table.attrs = attrs
    return table


def write_results(
    table: pd.DataFrame, path: str | os.PathLike, index: Iterable[str], about: Mapping[str, Any]
) -> dict[str, Any]:
    """Write a results table as parquet, and beside it a JSON file that says where it comes from.

    Parameters
    ----------
    table : pandas.DataFrame
        From `run_resumable`; its ``attrs`` go into the JSON file.
    path : path-like
        The parquet file; the JSON file has the same name with another suffix.
    index : iterable of str
        Columns that together name a row; rows are sorted by them.
    about : mapping
        What else the JSON file shall say.

    Returns
    -------
    dict
        The content of the JSON file.

    Raises
    ------
    DataError
        If two rows have the same name, or a number is missing or infinite. Nothing is written then.

    Examples
    --------
    >>> table = pd.DataFrame({"task": ["b", "a"], "score": [0.5, 1.0]})
    >>> with TemporaryDirectory() as folder:
    ...     about = write_results(table, Path(folder, "t.parquet"), ["task"], {"seed": 0})
    ...     about["sha256"] == sha256(Path(folder, "t.parquet"))
    True
    """
    index, path = list(index), Path(path)
    twice = table.duplicated(index)
    if twice.any():
        raise DataError(
            f"{path.name}: {twice.sum()} rows are there twice, the first is {table.loc[twice, index].iloc[0].to_dict()}"
        )
    for column in table.select_dtypes("number"):
        if not np.isfinite(table[column]).all():
            raise DataError(f"{path.name}: column {column!r} has missing or infinite values")
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        **about,
        **table.attrs,
        "rows": len(table),
        "python": platform.python_version(),
        "versions": {package: version(package) for package in PACKAGES},
        "platform": f"{platform.system()} {platform.machine()}",
    }
    table = table.sort_values(index, ignore_index=True)
    table.attrs = {}
    with TemporaryDirectory(dir=path.parent, prefix=".writing-") as folder:
        fresh, note = Path(folder, path.name), Path(folder, "note.json")
        table.to_parquet(fresh, compression="zstd", compression_level=19, index=False)
        about["sha256"] = sha256(fresh)
        note.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(fresh, path)
        os.replace(note, path.with_suffix(".json"))
    return about


def read_results(path: str | os.PathLike) -> pd.DataFrame:
    """Read a results table that `write_results` wrote, if it is still what the JSON file beside it says.

    Parameters
    ----------
    path : path-like
        The parquet file.

    Returns
    -------
    pandas.DataFrame
        ``attrs["about"]`` is the content of the JSON file.

    Raises
    ------
    DataError
        If one of both files is missing, or the table is not the one that was written.

    Examples
    --------
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.parquet")
    ...     _ = write_results(pd.DataFrame({"task": ["a"]}), path, ["task"], {"seed": 0})
    ...     read_results(path).attrs["about"]["seed"]
    0
    """
    path = Path(path)
    note = path.with_suffix(".json")
    for file in (path, note):
        if not file.is_file():
            raise DataError(f"{file.name} is not there; a script in data/ makes it")
    about = json.loads(note.read_text(encoding="utf-8"))
    if sha256(path) != about["sha256"]:
        raise DataError(f"{path.name} is damaged: its SHA-256 is not the one that {note.name} states")
    table = pd.read_parquet(path)
    table.attrs = {"about": about}
    return table
