"""Run the tasks of an experiment so that an interrupted run can go on."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from time import process_time
from typing import Any

import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.files import replacing

__all__ = ["partial_path", "run_resumable"]


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
    with replacing(path) as waiting:
        frame.to_parquet(waiting)


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
    >>> from tempfile import TemporaryDirectory
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
