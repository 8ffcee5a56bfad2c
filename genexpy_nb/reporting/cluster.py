"""Make reports on a Dask cluster: each is one task there, and what it made comes back to the process that called.

A worker runs a report in a process of its own, as a render on one machine does, so that what ends that process (memory,
compiled code) ends one report and no worker. A worker that dies takes that process with it; the report is then run
again by another one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from genexpy_nb.common.errors import GenexpyError, os_error
from genexpy_nb.common.parallel import ClusterError, on_cluster, this_environment, what_differs
from genexpy_nb.datasets.locating import find
from genexpy_nb.reporting.execute import in_a_line
from genexpy_nb.reporting.provenance import report_parts
from genexpy_nb.reporting.spec import Report
from genexpy_nb.reporting.workers import Made, Task, run_all

if TYPE_CHECKING:
    from distributed import Client

_PARTS = {
    "notebook": "its notebook",
    "files": "the files that its parameters name",
    "package": "the files of genexpy_nb",
    "bundled": "the bundled results tables",
    "lock": "requirements.lock",
    "python": "Python",
}


def check_workers_see(client: Client, reports: Sequence[Report], root: Path) -> None:
    """Check that every worker has the same software and the same files as this process, under the same names."""
    wanted = [(report, report_parts(report, root)) for report in reports]
    told = client.run(_unlike, wanted, root, this_environment(), on_error="return")
    for worker, found in sorted(told.items()):
        if isinstance(found, BaseException):
            found = f"cannot be asked: {in_a_line(found) if isinstance(found, Exception) else found}"
        if found:
            raise ClusterError(f"the worker at {worker} {found}")


async def _unlike(wanted: Sequence[tuple[Report, dict[str, Any]]], root: Path, environment: Mapping[str, str]) -> str:
    """What is different on this worker, which goes on with its own business meanwhile."""
    return await asyncio.to_thread(_first_difference, wanted, root, environment)


def _first_difference(
    wanted: Sequence[tuple[Report, dict[str, Any]]], root: Path, environment: Mapping[str, str]
) -> str:
    if told := what_differs(environment):
        return f"is not the same as the process that asks: {told}"
    if not root.is_dir():
        return f"does not see the folder {root}: it must be there under the same name on every machine"
    return next(filter(None, (_difference(report, parts, root) for report, parts in wanted)), "")


def _difference(report: Report, wanted: Mapping[str, Any], root: Path) -> str:
    try:
        for table in report.data:
            here, _ = find(table.name, table.source)
            if here.sha256 != table.sha256:
                return f"has another results table {table.name!r}: {here.path}"
        parts = report_parts(report, root)
    except OSError as error:
        return f"cannot read what report {report.name} needs: {os_error(error)}"
    except GenexpyError as error:
        return f"has not the data of report {report.name}: {error}"
    odd = [_PARTS.get(name, name) for name in wanted if parts[name] != wanted[name]]
    return f"sees something else for report {report.name}: {', '.join(odd)}" if odd else ""


def make_on_cluster(
    client: Client, tasks: Sequence[Task], at_once: int, start: Callable[[Task], None], say: Callable[[str], None]
) -> Iterator[tuple[Task, Made]]:
    """Make reports on a cluster, as `workers.run_all` makes them here."""
    topic = f"genexpy-nb-{uuid4().hex}"
    ready: list[Task] = []
    failed: list[tuple[Task, Made]] = []
    begun: set[str] = set()

    def items() -> Iterator[tuple[Task, dict[str, Any], str]]:
        for task in tasks:
            try:
                start(task)
                parts = report_parts(task.report, task.root)
            except OSError as error:
                failed.append((task, Made(problem=in_a_line(error))))
            else:
                ready.append(task)
                yield task, parts, topic

    def heard(content: Mapping[str, str]) -> None:
        name, worker = content["report"], content["worker"]
        say(f"{name}: started {'again ' if name in begun else ''}at {worker}")
        begun.add(name)

    for done in on_cluster(client, _make_here, items(), at_once=at_once, heard=heard, topic=topic):
        yield ready[done.place], done.result if done.error is None else Made(problem=_in_a_line(done.error))
    yield from failed


def _in_a_line(error: BaseException) -> str:
    return str(error) if isinstance(error, GenexpyError) or not isinstance(error, Exception) else in_a_line(error)


def _make_here(item: tuple[Task, dict[str, Any], str]) -> Made:
    """What a worker does with a report."""
    from distributed import get_worker

    task, parts, topic = item
    worker = get_worker()
    worker.log_event(topic, {"report": task.report.name, "worker": worker.address})
    if told := _difference(task.report, parts, task.root):  # it may have come later, or something was edited
        return Made(problem=f"the worker at {worker.address} {told}")
    ((_, made),) = run_all([task], 1, lambda task: None)
    return made
