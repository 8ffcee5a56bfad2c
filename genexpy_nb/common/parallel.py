"""Run independent tasks here, in worker processes, or on a Dask cluster: the results are the same.

What joblib is told decides: ``joblib.parallel_config("dask")`` sends the tasks to the cluster of the present client.
There, Dask's own client is used instead of joblib's way to it, which keeps the data that tasks share on one worker: if
that one dies, so does the run. Here the scheduler holds them, and any worker can have them again.
"""

from __future__ import annotations

import os
import platform
import queue
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from genexpy_nb.common.checks import check_number, check_workers, shown
from genexpy_nb.common.errors import GenexpyError, ParameterError
from genexpy_nb.common.extras import load_extra, require
from genexpy_nb.common.hashing import folder_hash
from genexpy_nb.common.versions import PACKAGES, versions

if TYPE_CHECKING:
    from distributed import Client, Future

#: Seconds of work from which on workers pay: to start them takes two.
WORTH_WORKERS = 5.0
#: Seconds after which a cluster without a worker counts as one that will have none.
PATIENCE = 60.0
_CONNECTING = 10.0  # seconds for a scheduler to answer, and for a first worker to be there
_LOOK = 1.0  # seconds from one look at the cluster to the next
_FILES = "the files of genexpy_nb"


class ClusterError(GenexpyError):
    """A Dask cluster is not there, has no workers, lost them, or is not the same as this machine."""


class Done(NamedTuple):
    """What came of a task on a cluster: its place among the tasks, its result, and why there is none."""

    place: int
    result: Any
    error: BaseException | None


def n_workers(n_jobs: int | None = None) -> int:
    """Return how many tasks run at the same time."""
    n_jobs = check_workers(n_jobs)
    client = None if n_jobs == 1 else _client()
    if client is not None:
        return max(sum(client.nthreads().values()), 1)
    threads = getattr(get_active_backend()[0], "supports_sharedmem", False)
    return 1 if n_jobs == 1 or threads else effective_n_jobs(n_jobs)


def in_parallel(
    function: Callable[[Any], Any], items: Iterable[Any], n_jobs: int | None = None, in_order: bool = True
) -> Iterator[Any]:
    """Yield what a function makes of each item."""
    n_jobs = check_workers(n_jobs)
    client = None if n_jobs == 1 else _client()
    if client is not None:
        yield from _results(client, function, items, in_order)
    elif n_workers(n_jobs) == 1:
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


def _client() -> Client | None:
    """The client of the cluster that joblib was told to use; none within a task of it, which is on one already."""
    client = getattr(get_active_backend()[0], "client", None)
    if client is None or "distributed" not in sys.modules:
        return None
    from distributed import Client, get_worker

    if not isinstance(client, Client):
        return None
    with suppress(ValueError):
        get_worker()
        return None
    return client


def _results(client: Client, function: Callable[[Any], Any], items: Iterable[Any], in_order: bool) -> Iterator[Any]:
    waiting: dict[int, Any] = {}
    turn = 0
    for place, result, error in on_cluster(client, function, items):
        if error is not None:
            raise error
        if not in_order:
            yield result
            continue
        waiting[place] = result
        while turn in waiting:
            yield waiting.pop(turn)
            turn += 1


@contextmanager
def connected(address: str, wait: float = _CONNECTING) -> Iterator[Client]:
    """Be a client of the Dask scheduler at an address."""
    require("dask", "dask", "distributed")
    import dask
    from distributed import Client, TimeoutError

    wait = check_number("wait", wait, 0)
    if not isinstance(address, str) or not address.strip():
        raise ParameterError(f"a Dask scheduler has an address such as tcp://host:8786, got {shown(address)}")
    # A message that cannot be sent is sent again in the background for much longer than anybody would wait.
    with dask.config.set({"distributed.comm.timeouts.connect": f"{wait}s"}):
        try:
            client = Client(address.strip(), timeout=wait, set_as_default=False)
        except (OSError, TimeoutError):
            raise ClusterError(f"no Dask scheduler answered at {address} within {wait:g} s") from None
        except (ValueError, TypeError) as error:
            raise ParameterError(
                f"a Dask scheduler has an address such as tcp://host:8786, got {shown(address)} ({error})"
            ) from None
    with client:
        _wait_for_a_worker(client, wait)
        yield client


def _wait_for_a_worker(client: Client, wait: float) -> None:
    """A cluster that grows when asked to does so for a task."""
    from distributed import TimeoutError

    if not client.nthreads():
        try:
            client.submit(_nothing, pure=False).result(timeout=wait)
        except TimeoutError:
            raise ClusterError(
                f"the Dask cluster at {_address(client)} has no worker, and none came within {wait:g} s"
            ) from None


def _nothing() -> None:
    """A task that only needs a worker."""


def _address(client: Client) -> str:
    return str(client.scheduler.address if client.scheduler is not None else "an unknown address")


def on_cluster(
    client: Client,
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    at_once: int | None = None,
    heard: Callable[[Any], None] | None = None,
    topic: str = "",
) -> Iterator[Done]:
    """Run a task for each item on a Dask cluster; a task whose worker dies is run again by another one."""
    import dask

    pickled = load_extra("dask", "cloudpickle").dumps(function)
    _wait_for_a_worker(client, _CONNECTING)
    _check_threads(client)
    inbox: queue.Queue[tuple[str, Any]] = queue.Queue()
    places: dict[Future, int] = {}
    left = enumerate(items)
    if heard is not None:
        client.subscribe_topic(topic, lambda event: inbox.put(("heard", event[1])))
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        shared = client.submit(bytes, pickled, pure=False)
    try:
        at, most = 0.0, 0
        while True:
            if monotonic() - at > _LOOK:  # workers come and go
                at, most = monotonic(), at_once or max(2 * sum(client.nthreads().values()), 1)
            for place, item in islice(left, max(most - len(places), 0)):
                future = client.submit(_call, shared, item, this_environment(), pure=False)
                places[future] = place
                future.add_done_callback(lambda future: inbox.put(("done", future)))
            if not places:
                return
            for what, content in _next(client, inbox):
                if what == "heard" and heard is not None:
                    heard(content)
                elif what == "done":
                    yield _outcome(client, content, places.pop(content))
    finally:
        with suppress(Exception):
            if heard is not None:
                client.unsubscribe_topic(topic)
            client.cancel([*places, shared])


def _next(client: Client, inbox: queue.Queue[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Wait for the next messages, and see meanwhile to it that there is somebody left who could send one."""
    alone_since = None
    while True:
        with suppress(queue.Empty):
            first = inbox.get(timeout=_LOOK)
            return [first, *(inbox.get_nowait() for _ in range(inbox.qsize()))]
        if client.status != "running":
            raise ClusterError(f"the connection to the Dask scheduler at {_address(client)} was lost")
        if client.nthreads():
            alone_since = None
        elif alone_since is None:
            alone_since = monotonic()
        elif monotonic() - alone_since > PATIENCE:
            raise ClusterError(f"the Dask cluster at {_address(client)} has had no worker for {PATIENCE:g} s")


def _outcome(client: Client, future: Future, place: int) -> Done:
    from distributed import KilledWorker

    if future.status == "finished":
        return Done(place, future.result(), None)
    if future.status != "error":  # cancelled, lost
        raise ClusterError(f"the connection to the Dask scheduler at {_address(client)} was lost")
    error = future.exception()
    if isinstance(error, KilledWorker):
        n_died = error.allowed_failures + 1
        error = ClusterError(
            f"its worker died {'once' if n_died == 1 else f'{n_died} times'}, the last time at "
            f"{error.last_worker.address} (out of memory, or a crash in compiled code?)"
        )
    return Done(place, None, error)


def _check_threads(client: Client) -> None:
    several = [address for address, n_threads in client.nthreads().items() if n_threads > 1]
    if several:
        raise ClusterError(
            f"the worker at {several[0]} has several threads, which share seeds and settings of libraries: start "
            "workers with one thread each, `dask worker --nworkers N --nthreads 1`"
        )


def _call(pickled: bytes, item: Any, environment: Mapping[str, str]) -> Any:
    """What a worker does."""
    if told := what_differs(environment):
        from distributed import get_worker

        raise ClusterError(f"the worker at {get_worker().address} is not the same as the process that asks: {told}")
    return load_extra("dask", "cloudpickle").loads(pickled)(item)


@cache
def this_environment() -> dict[str, str]:
    """Return what the results of a task depend on besides its code: versions, and the files of this package."""
    import genexpy_nb

    return {
        "Python": platform.python_version(),
        "genexpy_nb": genexpy_nb.__version__,
        **versions(PACKAGES),
        _FILES: folder_hash(Path(os.path.dirname(genexpy_nb.__file__))),
    }


def what_differs(environment: Mapping[str, str]) -> str:
    """Say in what this process differs from the one that asks; nothing if it does not."""
    here = this_environment()
    return ", ".join(
        f"{name} {here.get(name, 'is missing')}, not {wanted}"
        if name != _FILES
        else f"{_FILES} differ: install the same ones, and start the worker again"
        for name, wanted in environment.items()
        if here.get(name) != wanted
    )
