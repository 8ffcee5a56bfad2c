"""From ``reports/*.yaml`` to pages: decide what has to run, run it, write pages and index."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import genexpy_nb
from genexpy_nb.common.checks import check_choice, check_count, listed
from genexpy_nb.common.errors import ParameterError, os_error
from genexpy_nb.common.parallel import connected
from genexpy_nb.datasets import SOURCES
from genexpy_nb.reporting.cluster import check_workers_see, make_on_cluster
from genexpy_nb.reporting.index import Entry
from genexpy_nb.reporting.overviews import write_index, write_overviews
from genexpy_nb.reporting.parameters import check_parameters
from genexpy_nb.reporting.progress import Lines, running
from genexpy_nb.reporting.provenance import report_key, shared_parts
from genexpy_nb.reporting.reference.writing import write_reference
from genexpy_nb.reporting.spec import Report, check_files, chooses_source, load_reports, select, with_source
from genexpy_nb.reporting.state import Target, forget, is_written, only_writer, remembered, write_outputs
from genexpy_nb.reporting.workers import Made, Task, run_all

if TYPE_CHECKING:
    from distributed import Client

#: Seconds that a cell may take, unless somebody says otherwise.
CELL_TIMEOUT = 3600


@dataclass(frozen=True)
class Outcome:
    """What `render` did.

    Parameters
    ----------
    entries : tuple of Entry
        Of the reports that were asked for.
    index : Path
        The page that lists all reports.

    Examples
    --------
    >>> Outcome((Entry("a", "A", "", "01_a", status="FAILED"),), Path("index.html")).failed
    ['a']
    """

    entries: tuple[Entry, ...]
    index: Path

    @property
    def failed(self) -> list[str]:
        """Names of the reports that are not complete."""
        return [entry.name for entry in self.entries if entry.status == "FAILED"]


def render(
    root: Path,
    names: Iterable[str] = (),
    *,
    overrides: Mapping[str, Any] | None = None,
    raw: Mapping[str, str] | None = None,
    source: str | None = None,
    output: Path | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    force: bool = False,
    cell_timeout: int = CELL_TIMEOUT,
    bar: bool = False,
    say: Callable[[str], None] = print,
) -> Outcome:
    """Render reports; those whose key has not changed are left as they are.

    Parameters
    ----------
    root : Path
        The project's folder.
    names : iterable of str
        Which reports; that of a grid means all its members; none means all.
    overrides : mapping of str to object, optional
        Parameters that replace those of the one report, or of all members of the one grid, that is rendered.
    raw : mapping of str to str, optional
        The texts that the overrides were read from.
    source : {"original", "bundled", "auto"}, optional
        Variant of the data for all notebooks that have a parameter ``source``.
    output : Path, optional
        Folder for ``html`` and ``executed``; ``root/reports`` by default.
    jobs : int, optional
        Reports that run at the same time, at least 1; by default 1, and on a cluster as many as it has workers.
    scheduler : str, optional
        Address of the Dask scheduler on whose cluster the reports run, such as ``tcp://host:8786``. Its workers must
        see the files of the project, and the data, under the names that they have here; this process alone writes.
    force : bool
        Whether to run unchanged reports too.
    cell_timeout : int
        Seconds that a cell may take before its report fails; 0 for no limit.
    bar : bool
        Whether to show a line for each report that is running, with the cells that are done; not on a cluster.
    say : callable
        Gets one line per report that starts or ends.

    Returns
    -------
    Outcome
        Entries and index.

    Raises
    ------
    ParameterError
        If anything asked for is wrong: then nothing has run and nothing was written.
    DataError
        If the data of a report cannot be had: likewise.
    GenexpyError
        If another process is rendering into the same folder: likewise. As `ClusterError`, if the cluster cannot be had
        or its workers see other files or have other software: likewise; if all of its workers are gone for good in the
        middle, what is finished stays.
    OSError
        If nothing can be written there at all: likewise; or if the index, a comparison of a grid or the page of
        published numbers cannot be written. What goes wrong with the files of one report is a failure of that report.

    Notes
    -----
    Notebooks run, and pages are made, in processes of their own (`jobs` of them), which write nothing and end with the
    one that called. A report counts as done when its executed notebook, its page, the file of key numbers beside that
    and at last a note with the hashes of all three are on disk; so an interrupted call leaves nothing that a later one
    would take for done.

    Examples
    --------
    >>> render(Path("/nowhere"))
    Traceback (most recent call last):
    genexpy_nb.common.errors.ParameterError: nothing to render: there is no reports/*.yaml
    """
    if jobs is not None:
        check_count("jobs", jobs)
    if source is not None:
        check_choice("source", source, SOURCES)
    everything = load_reports(root)
    chosen = select(everything, names)
    if overrides:
        chosen = _override(chosen, overrides, raw)
    if source is not None:
        _check_not_varied("--source", "source", chosen)
    located = [with_source(report, source) for report in chosen]
    said: set[str] = set()
    for report in located:
        said.update(_say_fallback(report, said, say))

    for report in located:
        check_files(report)
    target = Target(_folder(output or root / "reports"))
    with connected(scheduler) if scheduler is not None else nullcontext() as client:
        if client is not None:
            check_workers_see(client, located, root)
            jobs = jobs or sum(client.nthreads().values())
        with only_writer(target):
            return _render(everything, located, root, target, jobs or 1, client, force, cell_timeout, bar, say)


def _folder(path: Path) -> Path:
    try:
        return path.resolve()
    except (ValueError, RuntimeError):  # a NUL, or links in a circle
        raise ParameterError(f"{str(path)!r} is no folder to write to") from None


def _render(
    everything: Mapping[str, Report],
    located: list[Report],
    root: Path,
    target: Target,
    jobs: int,
    client: Client | None,
    force: bool,
    cell_timeout: int,
    bar: bool,
    say: Callable[[str], None],
) -> Outcome:
    shared = shared_parts(root)
    keys = {report.name: report_key(report, root, shared) for report in located}
    entries = {report.name: remembered(target, report.name) or _fresh(report) for report in everything.values()}
    waiting = []
    for report in located:
        entry = entries[report.name]
        if not force and entry.key == keys[report.name] and is_written(target, entry):
            entries[report.name] = replace(entry, status="unchanged")
        else:
            waiting.append(report)
    _say_unchanged(located, waiting, say)
    bar = bar and client is None and bool(waiting)
    tasks = [Task(report, root, keys[report.name], bar, cell_timeout) for report in waiting]
    try:
        with running(bar) as lines:
            _run(tasks, jobs, client, target, entries, lines, say)
    except BaseException:
        with suppress(OSError):
            write_index(target, root, everything, entries)
        raise
    if Path(genexpy_nb.__file__).parent.parent == root.resolve():  # others need not describe this package
        write_reference(target.page("index").parent, target.folder / ".state" / "reference", say=say)
    write_overviews(target, root, everything, entries)
    return Outcome(tuple(entries[report.name] for report in located), target.page("index"))


def _say_unchanged(located: Sequence[Report], waiting: Sequence[Report], say: Callable[[str], None]) -> None:
    """One line for a report, and one for a grid of any size."""
    rest = {report.name for report in waiting}
    members = Counter(report.grid.name for report in located if report.grid)
    unchanged = Counter(report.grid.name for report in located if report.grid and report.name not in rest)
    for report in located:
        if report.grid is None and report.name not in rest:
            say(f"{report.name}: unchanged")
    for name, count in unchanged.items():
        say(f"{name}: {count} of {members[name]} members unchanged")


def _fresh(report: Report) -> Entry:
    return Entry(report.name, report.title, report.description, report.notebook.name, changed=_changed(report))


def _changed(report: Report) -> dict[str, str]:
    """What was changed, as text; the source of the tables is said elsewhere."""
    return {name: repr(value) for name, value in report.changed.items() if name != "source"}


def _override(chosen: Sequence[Report], overrides: Mapping[str, Any], raw: Mapping[str, str] | None) -> list[Report]:
    """Give parameters to one report, or to all members of one grid."""
    grids = {report.grid for report in chosen}
    if len(chosen) != 1 and (len(grids) != 1 or None in grids):
        names = listed(report.name for report in chosen)
        raise ParameterError(f"-p needs exactly one report, or one grid, got {len(chosen)}: {names}")
    for name in overrides:
        _check_not_varied(f"-p {name}", name, chosen)
    changed = []
    for report in chosen:
        checked = check_parameters(overrides, report.declared, f"report {report.name}", raw)
        changed.append(replace(report, parameters={**report.parameters, **checked}))
    return changed


def _check_not_varied(option: str, parameter: str, chosen: Iterable[Report]) -> None:
    for report in chosen:
        if parameter in report.varied:
            grid = report.grid.name if report.grid else ""
            raise ParameterError(
                f"{option}: members of the grid {grid} differ in that; change reports/{grid}.yaml instead"
            )


def _say_fallback(report: Report, said: Set[str], say: Callable[[str], None]) -> Iterator[str]:
    """Say once for a report, or for a grid, which tables are not the published ones; return what was said."""
    asked_for = chooses_source(report.declared) and "source" not in report.settled
    for table in report.data:
        if table.source == "bundled" and not asked_for:
            who = report.grid.name if report.grid else report.name
            line = f"{who}: not the published table {table.name!r}, but the bundled one ({table.note})"
            if line not in said:
                say(line)
            yield line


def _run(
    tasks: list[Task],
    jobs: int,
    client: Client | None,
    target: Target,
    entries: dict[str, Entry],
    lines: Lines,
    say: Callable[[str], None],
) -> None:
    """Run all tasks and keep the entries up to date."""
    total, numbers = len(tasks), {task.report.name: number for number, task in enumerate(tasks, start=1)}
    at_once = min(jobs, total)
    if client is not None and total:
        say(f"{total} report{'' if total == 1 else 's'} queued, {at_once} at a time")

    def start(task: Task) -> None:
        name = task.report.name
        if client is None:
            lines.announce(f"{name}: started ({numbers[name]} of {total})", say)
            lines.start(name)
        entries[name] = _fresh(task.report)
        forget(target, name)

    def cell(task: Task, done: int, cells: int) -> None:
        lines.cell(task.report.name, done, cells)

    make_all = partial(run_all, cell=cell) if client is None else partial(make_on_cluster, client, say=say)
    for task, made in make_all(tasks, at_once, start):
        lines.end(task.report.name)
        entries[task.report.name] = entry = _saved(task, made, target)
        if entry.status == "FAILED":
            lines.announce(f"{entry.name}: FAILED after {entry.seconds:.1f} s\n  {entry.problem}", say)
        else:
            lines.announce(f"{entry.name}: done in {entry.seconds:.1f} s", say)


def _saved(task: Task, made: Made, target: Target) -> Entry:
    """Write what came of a report; whatever goes wrong with it is an entry, not an exception."""
    report = task.report
    entry = replace(
        _fresh(report),
        status="FAILED" if made.problem else "ok",
        sources={table.name: table.source for table in report.data},
        seconds=made.seconds,
        problem=made.problem,
        key="" if made.problem else task.key,
    )
    try:
        if entry.key and report_key(report, task.root) != entry.key:
            entry = replace(entry, key="")  # something was edited meanwhile: who knows what this page is of
        page = _plain_page(entry) if made.page is None else made.page
        return write_outputs(target, entry, made.executed, page, made.data)
    except OSError as error:
        written = f"its files could not be written: {os_error(error)}"
        problem = f"{made.problem}; and {written}" if made.problem else written
        return replace(entry, status="FAILED", problem=problem, key="")


def _plain_page(entry: Entry) -> str:
    """A page for a report that has none: what is known of it is why."""
    title, problem = html.escape(entry.title), html.escape(entry.problem)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<title>{title}</title>
</head>
<body>
<h1>{title}</h1>
<p><strong>This report failed.</strong> {problem}</p>
<p><a href="index.html">All reports</a></p>
</body>
</html>
"""
