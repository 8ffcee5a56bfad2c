"""Run independent tasks here, in worker processes, or on a Dask cluster; and so that an interrupted run can go on.

joblib runs them: ``joblib.parallel_config("dask")`` sends them to the cluster of the present client. The results are
the same.
"""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from tqdm import tqdm

from genexpy_nb.common.checks import check_workers
from genexpy_nb.common.errors import DataError, ParameterError, not_written
from genexpy_nb.common.files import frame_from_bytes, frame_to_bytes, locked, replacing

#: Seconds of work from which on workers pay: to start them takes two.
WORTH_WORKERS = 5.0
_LONGEST = 80  # characters of a name in the name of its file


def n_workers(n_jobs: int | None = None) -> int:
    """Return how many tasks run at the same time."""
    n_jobs, backend = check_workers(n_jobs), get_active_backend()[0]
    # Threads share seeds and settings of libraries; a task of a task stays where it is.
    alone = n_jobs == 1 or getattr(backend, "supports_sharedmem", False) or backend.nesting_level
    return 1 if alone else effective_n_jobs(n_jobs)


def in_parallel(
    function: Callable[[Any], Any], items: Iterable[Any], n_jobs: int | None = None, in_order: bool = True
) -> Iterator[Any]:
    """Yield what a function makes of each item."""
    n_jobs = check_workers(n_jobs)
    if n_workers(n_jobs) == 1:
        yield from map(function, items)
    else:
        way = "generator" if in_order else "generator_unordered"
        yield from Parallel(n_jobs=n_jobs, return_as=way)(delayed(function)(item) for item in items)


def in_parallel_if_long(
    function: Callable[[Any], Any], items: Iterable[Any], n_jobs: int | None = None
) -> Iterator[Any]:
    """Do the first item here, and the others as `in_parallel` would, if they are to take `WORTH_WORKERS` seconds."""
    n_jobs, items = check_workers(n_jobs), list(items)
    begin = monotonic()
    first = [function(item) for item in items[:1]]
    worth = (monotonic() - begin) * len(items[1:]) >= WORTH_WORKERS
    yield from first
    yield from in_parallel(function, items[1:], n_jobs if worth else 1)


# --- runs that can go on ----------------------------------------------------------------------------------------------


def partial_path(folder: str | os.PathLike, name: str, key: str) -> Path:
    """Where the result of one task waits until the table is written."""
    short = re.sub(r"[^0-9A-Za-z]+", "-", name)
    if len(short) > _LONGEST:  # many systems allow 255 bytes
        short = f"{short[:_LONGEST]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    return Path(folder) / f"{short}-{key}.parquet"


def _saved(path: Path, name: str, key: str) -> tuple[pd.DataFrame | None, str]:
    """Return the result of a task, or none, and why what is there is none."""
    try:
        return frame_from_bytes(path.read_bytes(), name, key), ""
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): remove it, and its task is run again") from error
    except DataError as error:
        return None, str(error)


@contextmanager
def _said(folder: str | os.PathLike) -> Iterator[None]:
    """Say of a folder that it cannot be written to, instead of what the system says of one file in it."""
    try:
        yield
    except OSError as error:
        raise not_written(folder, error) from error


def _run_and_save(
    task: tuple[str, str, Path],
    run: Callable[[str], pd.DataFrame],
    again: Callable[[pd.DataFrame], bool] | None,
    wait: bool,
) -> tuple[str, bytes | None]:
    """Return a name and the bytes of its record, or none if another process is at it and this one shall not wait."""
    name, key, path = task
    if not path.parent.is_dir():
        return name, _record(run, name, key)
    with ExitStack() as until_done:
        with _said(path.parent):
            held = until_done.enter_context(locked(path.with_name(f".{path.stem}.lock"), wait))
        if not held:
            return name, None
        frame, _ = _saved(path, name, key)  # another process may have written it since it was looked for
        if frame is None or (again is not None and again(frame)):
            content = _record(run, name, key)
            _save(path, content)
            return name, content
    return name, frame_to_bytes(frame, name, key)


def _record(run: Callable[[str], pd.DataFrame], name: str, key: str) -> bytes:
    start = process_time()
    frame = run(name)
    frame.attrs["cpu_seconds"] = round(process_time() - start, 3)
    return frame_to_bytes(frame, name, key)


def _save(path: Path, content: bytes) -> None:
    with _said(path.parent), replacing(path) as waiting:
        waiting.write_bytes(content)


def run_resumable(
    run: Callable[[str], pd.DataFrame],
    keys: Mapping[str, str],
    folder: str | os.PathLike,
    n_jobs: int | None = None,
    progress: bool = True,
    again: Callable[[pd.DataFrame], bool] | None = None,
) -> pd.DataFrame:
    """Run every task that has not been run yet, and put all their results together."""
    n_jobs = check_workers(n_jobs)
    if not keys:
        raise ParameterError("keys must name at least one task, got none")
    paths = {name: partial_path(folder, name, key) for name, key in keys.items()}
    if len(set(paths.values())) < len(paths):
        raise ParameterError("keys: two names differ in nothing but signs that no file name holds, and have one key")
    with _said(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    frames = _finished(keys, paths, again)
    waiting = [name for name in paths if name not in frames]
    bar = tqdm(total=len(paths), initial=len(frames), unit="task", disable=not progress)
    with bar:
        for wait in (False, True):
            task = partial(_run_and_save, run=run, again=again, wait=wait)
            tasks = ((name, keys[name], paths[name].absolute()) for name in waiting)
            for name, content in in_parallel(task, tasks, n_jobs, in_order=False):
                if content is not None:
                    if not paths[name].is_file():  # made by a worker that does not see the folder
                        _save(paths[name], content)
                    frames[name] = frame_from_bytes(content, name, keys[name])
                    bar.update()
            waiting = [name for name in paths if name not in frames]
            if not waiting:
                break
            warnings.warn(
                f"another process is running {len(waiting)} of the {len(paths)} tasks in {folder}: waiting for it",
                UserWarning,
                stacklevel=2,
            )
    return _joined([frames[name] for name in paths])


def _finished(
    keys: Mapping[str, str], paths: Mapping[str, Path], again: Callable[[pd.DataFrame], bool] | None
) -> dict[str, pd.DataFrame]:
    """Return the saved results that can be used; say which ones are damaged."""
    frames: dict[str, pd.DataFrame] = {}
    for name, path in paths.items():
        frame, fault = _saved(path, name, keys[name])
        if fault:
            warnings.warn(f"{path} is damaged ({fault}): its task is run again", UserWarning, stacklevel=3)
        elif frame is not None and not (again is not None and again(frame)):
            frames[name] = frame
    return frames


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    attrs: dict[str, Any] = {}
    for frame in frames:
        for name, value in frame.attrs.items():
            attrs[name] = attrs[name] + value if name in attrs else value
        frame.attrs = {}
    table = pd.concat(frames, ignore_index=True)
    table.attrs = attrs
    return table
