"""From ``reports/*.yaml`` to pages: decide what has to run, run it, write pages and index."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from genexpy_nb.common.checks import check_choice, check_count
from genexpy_nb.common.errors import GenexpyError, ParameterError
from genexpy_nb.common.files import write_atomically
from genexpy_nb.datasets import SOURCES
from genexpy_nb.reporting.execute import Failure, run
from genexpy_nb.reporting.html import Page, to_html
from genexpy_nb.reporting.index import Entry, to_index
from genexpy_nb.reporting.pairing import dumps, read_source
from genexpy_nb.reporting.parameters import check_parameters
from genexpy_nb.reporting.provenance import facts, report_key
from genexpy_nb.reporting.spec import Report, chooses_source, load_reports, select, with_source

__all__ = ["Outcome", "Target", "render"]


@dataclass(frozen=True)
class Target:
    """Where the outputs of reports go.

    Parameters
    ----------
    folder : Path
        Pages go to ``html``, executed notebooks to ``executed``, what is remembered to ``.state``.

    Examples
    --------
    >>> Target(Path("reports")).page("a").as_posix()
    'reports/html/a.html'
    """

    folder: Path

    def page(self, name: str) -> Path:
        """The page of a report, or ``index``."""
        return self.folder / "html" / f"{name}.html"

    def executed(self, name: str) -> Path:
        """The executed notebook of a report."""
        return self.folder / "executed" / f"{name}.ipynb"

    def state(self, name: str) -> Path:
        """What is remembered of a report."""
        return self.folder / ".state" / f"{name}.json"


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
    jobs: int = 1,
    force: bool = False,
    bar: bool = False,
    say: Callable[[str], None] = print,
) -> Outcome:
    """Render reports; those whose key has not changed are left as they are.

    Parameters
    ----------
    root : Path
        The project's folder.
    names : iterable of str
        Which reports; none means all.
    overrides : mapping of str to object, optional
        Parameters that replace those of the one report that is rendered.
    raw : mapping of str to str, optional
        The texts that the overrides were read from.
    source : {"original", "bundled", "auto"}, optional
        Variant of the data for all notebooks that have a parameter ``source``.
    output : Path, optional
        Folder for ``html`` and ``executed``; ``root/reports`` by default.
    jobs : int
        Reports that run at the same time, at least 1.
    force : bool
        Whether to run unchanged reports too.
    bar : bool
        Whether to show a progress bar over the cells; only with one job.
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

    Examples
    --------
    >>> render(Path("/nowhere"))
    Traceback (most recent call last):
    genexpy_nb.common.errors.ParameterError: nothing to render: there is no reports/*.yaml
    """
    check_count("jobs", jobs)
    if source is not None:
        check_choice("source", source, SOURCES)
    everything = load_reports(root)
    chosen = select(everything, names)
    if overrides:
        chosen = [_override(chosen, overrides, raw)]
    located = [with_source(report, source) for report in chosen]
    for report in located:
        _say_fallback(report, say)

    target = Target((output or root / "reports").resolve())
    keys = {report.name: report_key(report, root) for report in located}
    entries = {report.name: _remembered(report, target) for report in everything.values()}
    waiting = []
    for report in located:
        if not force and _is_current(entries[report.name], keys[report.name], target):
            entries[report.name] = replace(entries[report.name], status="unchanged")
            say(f"{report.name}: unchanged")
        else:
            waiting.append(report)
    for entry in _run_all(waiting, root, target, keys, jobs, bar, say):
        entries[entry.name] = entry
    index = target.page("index")
    in_order = sorted(entries.values(), key=lambda entry: (entry.notebook, entry.name))  # as one would read them
    write_atomically(index, to_index(in_order))
    return Outcome(tuple(entries[report.name] for report in located), index)


def _override(chosen: list[Report], overrides: Mapping[str, Any], raw: Mapping[str, str] | None) -> Report:
    if len(chosen) != 1:
        raise ParameterError(f"-p needs exactly one report, got {len(chosen)}: {', '.join(r.name for r in chosen)}")
    report = chosen[0]
    checked = check_parameters(overrides, report.declared, f"report {report.name}", raw)
    return replace(report, parameters={**report.parameters, **checked})


def _say_fallback(report: Report, say: Callable[[str], None]) -> None:
    asked_for = chooses_source(report.declared) and "source" not in report.settled
    for table in report.data:
        if table.source == "bundled" and not asked_for:
            say(f"{report.name}: not the published table {table.name!r}, but the bundled one ({table.note})")


def _remembered(report: Report, target: Target) -> Entry:
    """What is known of a report from earlier; nothing if its page is not there."""
    fresh = Entry(report.name, report.title, report.description, report.notebook.name)
    try:
        saved = Entry(**json.loads(target.state(report.name).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):  # never rendered, or by another version of this package
        return fresh
    return saved if target.page(report.name).is_file() else fresh


def _is_current(entry: Entry, key: str, target: Target) -> bool:
    return entry.key == key and target.executed(entry.name).is_file()


def _run_all(
    reports: list[Report],
    root: Path,
    target: Target,
    keys: Mapping[str, str],
    jobs: int,
    bar: bool,
    say: Callable[[str], None],
) -> Iterable[Entry]:
    total = len(reports)
    if jobs == 1 or total <= 1:
        for number, report in enumerate(reports, start=1):
            say(f"{report.name}: started ({number} of {total})")
            yield _said(_render_one(report, root, target, keys[report.name], bar), say)
        return
    # spawned, not forked: V8 and ZeroMQ have threads
    with ProcessPoolExecutor(min(jobs, total), mp_context=get_context("spawn")) as pool:
        futures = []
        for number, report in enumerate(reports, start=1):
            say(f"{report.name}: queued ({number} of {total}, {min(jobs, total)} at a time)")
            futures.append(pool.submit(_render_one, report, root, target, keys[report.name], False))
        try:
            for future in as_completed(futures):
                yield _said(future.result(), say)
        except BrokenExecutor:
            raise GenexpyError("a rendering process died (out of memory?); try again with --jobs 1") from None
        finally:
            pool.shutdown(cancel_futures=True)


def _said(entry: Entry, say: Callable[[str], None]) -> Entry:
    if entry.status == "FAILED":
        say(f"{entry.name}: FAILED after {entry.seconds:.1f} s\n  {entry.problem}")
    else:
        say(f"{entry.name}: done in {entry.seconds:.1f} s")
    return entry


def _render_one(report: Report, root: Path, target: Target, key: str, bar: bool) -> Entry:
    """Run one report and write its outputs; whatever goes wrong in it is an entry, not an exception."""
    begin = time.perf_counter()
    try:
        node, failure = run(report.notebook, report.parameters, report.name if bar else None)
    except Exception as error:  # no kernel, no disk: the other reports still have their chance
        node, failure = read_source(report.notebook), Failure(f"{type(error).__name__}: {error}")
    provenance = facts(report, root, key)

    def page(failure: Failure | None) -> tuple[str, list[str]]:
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        rendered = f"{now}, in {time.perf_counter() - begin:.1f} s"
        return to_html(node, Page(report, provenance, rendered, failure))

    html, problems = page(failure)
    if problems and failure is None:
        failure = Failure("; ".join(problems))
        html, _ = page(failure)
    seconds = round(time.perf_counter() - begin, 1)
    entry = Entry(
        name=report.name,
        title=report.title,
        description=report.description,
        notebook=report.notebook.name,
        status="FAILED" if failure else "ok",
        # the source has a line of its own
        changed={name: repr(value) for name, value in report.changed.items() if name != "source"},
        sources={table.name: table.source for table in report.data},
        seconds=seconds,
        problem=failure.summary if failure else "",
        key="" if failure else key,
    )
    write_atomically(target.executed(report.name), dumps(node))
    write_atomically(target.page(report.name), html)
    # last: after an interruption the key does not match, and the report runs again
    write_atomically(target.state(report.name), json.dumps(asdict(entry), indent=1) + "\n")
    return entry
