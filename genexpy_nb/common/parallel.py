"""Run independent tasks here, in worker processes, or on a Dask cluster; and so that an interrupted run can go on.

joblib runs them: ``joblib.parallel_config("dask")`` sends them to the cluster of the present client. The results are
the same.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from time import monotonic, process_time
from typing import Any, TypeVar

import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController
from tqdm import tqdm

from genexpy_nb.common.checks import check_workers
from genexpy_nb.common.errors import DataError, ParameterError, do_without, not_written
from genexpy_nb.common.files import frame_from_bytes, frame_to_bytes, replacing

#: Seconds of work from which on workers pay: to start them takes two.
WORTH_WORKERS = 5.0
_NEVER = 10**6  # seconds after which a process without a task would end
_LONGEST = 80  # characters of a name in the name of its file

Item = TypeVar("Item")


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


@cache
def thread_pools() -> ThreadpoolController:
    """Return the control of all thread pools of this process; looking for them takes longer than a small fit."""
    return ThreadpoolController()


def bar(items: Iterable[Item] | None = None, what: str = "", wanted: bool = True, **options: Any) -> tqdm:
    """Show progress after two seconds, to somebody who looks: at a terminal or JupyterLab, not where a page is made."""
    looks = bool(os.environ.get("JPY_SESSION_NAME")) or sys.stderr.isatty()
    return tqdm(items, what, delay=2, leave=False, disable=not (wanted and looks), **options)


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


def _run_and_save(task: tuple[str, str, Path], run: Callable[[str], pd.DataFrame]) -> tuple[str, bytes]:
    """Run a task, and return its name and the bytes of its record."""
    name, key, path = task
    start = process_time()
    frame = run(name)
    frame.attrs["cpu_seconds"] = round(process_time() - start, 3)
    content = frame_to_bytes(frame, name, key)
    if path.parent.is_dir():  # else this worker does not see the folder
        _save(path, content)
    return name, content


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
    frames: dict[str, pd.DataFrame] = {}  # saved results that can be used
    for name, path in paths.items():
        frame, fault = _saved(path, name, keys[name])
        if fault:
            warnings.warn(f"{path} is damaged ({fault}): its task is run again", UserWarning, stacklevel=2)
        elif frame is not None and not (again is not None and again(frame)):
            frames[name] = frame
    waiting = [name for name in paths if name not in frames]
    with bar(wanted=progress, total=len(paths), initial=len(frames), unit="task") as done:
        task = partial(_run_and_save, run=run)
        tasks = ((name, keys[name], paths[name].absolute()) for name in waiting)
        for name, content in in_parallel(task, tasks, n_jobs, in_order=False):
            if not paths[name].is_file():
                _save(paths[name], content)
            frames[name] = frame_from_bytes(content, name, keys[name])
            done.update()
    return _joined([frames[name] for name in paths])


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    attrs: dict[str, Any] = {}
    for frame in frames:
        for name, value in frame.attrs.items():
            attrs[name] = attrs[name] + value if name in attrs else value
        frame.attrs = {}
    table = pd.concat(frames, ignore_index=True)
    table.attrs = attrs
    return table


# --- processes that may die -------------------------------------------------------------------------------------------


def apart(
    function: Callable[[Item], Any],
    items: Iterable[Item],
    jobs: int = 1,
    client: Any = None,
    start: Callable[[Item], None] = lambda item: None,
) -> Iterator[tuple[Item, Any, str]]:
    """Yield each item, what a function makes of it in another process, and why that died, as they end."""
    left = deque(enumerate(items))
    begun: dict[int, Item] = {}

    def tasks() -> Iterator[Any]:
        while left:
            place, item = left.popleft()
            begun[place] = item
            start(item)
            yield delayed(_placed)(function, place, item)

    while left:
        try:
            for place, result in _results(tasks(), jobs, client):
                yield begun.pop(place), result, ""
        except Exception as error:
            _check_died(error)
            again, begun = begun, {}
            for place, item in again.items():
                result, problem = None, ""
                try:
                    ((_, result),) = _results(iter([delayed(_placed)(function, place, item)]), 1, client)
                except Exception as error:
                    _check_died(error)
                    problem = f"the process that worked on it died (out of memory?): {' '.join(str(error).split())}"
                yield item, result, problem


def _placed(function: Callable[[Item], Any], place: int, item: Item) -> tuple[int, Any]:
    return place, function(item)


def _check_died(error: Exception) -> None:
    if not isinstance(error, BrokenExecutor) and type(error).__name__ != "KilledWorker":
        raise error


def _results(tasks: Iterator[Any], jobs: int, client: Any) -> Iterator[Any]:
    """Yield what tasks return; whatever happens, no process is left."""
    # who stops knows that something was not finished
    warnings.filterwarnings("ignore", r"\d+ tasks which", UserWarning, r"joblib\.parallel")
    with tempfile.TemporaryDirectory(prefix="genexpy-nb-", ignore_cleanup_errors=True) as folder:
        here = {"backend": "loky", "initializer": _ending_with(os.getpid(), folder), "idle_worker_timeout": _NEVER}
        with parallel_config(**(here if client is None else {"backend": "dask", "client": client})):
            # with a single process, joblib would do the work in this one, and what kills it would end all
            parallel = Parallel(max(jobs, 2), pre_dispatch=jobs, batch_size=1, return_as="generator_unordered")
        results = parallel(tasks)
        try:
            yield from results
        finally:
            results.close()
            if client is None:
                from joblib.externals.loky import get_reusable_executor  # which browsers do not have

                get_reusable_executor(reuse=True).shutdown(kill_workers=True)


def _ending_with(parent: int, folder: str) -> Callable[[], None]:
    """What a process does first, so that it ends with its parent; sent by value, it need not import this module."""

    def begin() -> None:
        import os
        import tempfile
        import threading

        def watch() -> None:
            import shutil
            import time

            import psutil

            while os.getppid() == parent and psutil.pid_exists(parent):
                time.sleep(0.2)
            for child in psutil.Process().children(recursive=True):
                try:
                    child.kill()
                except psutil.Error:
                    continue
            shutil.rmtree(folder, ignore_errors=True)
            os._exit(1)

        do_without()
        tempfile.tempdir = folder
        if hasattr(os, "setsid"):
            os.setsid()  # Ctrl-C is for the process in front
        threading.Thread(target=watch, daemon=True).start()

    return begin
