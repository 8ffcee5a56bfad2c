"""Processes that run notebooks and make pages, and write nothing: what they made goes to the one that started them."""

from __future__ import annotations

import os
import pickle
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.reporting import launch
from genexpy_nb.reporting.execute import Failure, in_a_line, run
from genexpy_nb.reporting.html import Page, to_html
from genexpy_nb.reporting.page_data import as_json, page_data
from genexpy_nb.reporting.pairing import dumps, read_source
from genexpy_nb.reporting.provenance import facts
from genexpy_nb.reporting.spec import Report

GRACE = 2.0  # seconds that a process has for its own end before it is killed
#: Tags of cells for those who learn from a notebook.
LESSON = {"course", "exercise"}
#: Tags of cells about this project's own runs; a page on somebody's own ``results`` is about those alone.
OURS = {"ours"}


@dataclass(frozen=True)
class Task:
    """A report to be made."""

    report: Report
    root: Path
    key: str
    bar: bool = False
    cell_timeout: int = 0
    index: bool = True
    lesson: bool = True


@dataclass(frozen=True)
class Made:
    """What came of a task."""

    executed: str | None = None
    page: str | None = None
    problem: str = ""
    seconds: float = 0.0
    data: str | None = None


def _left_out(task: Task) -> set[str]:
    """Tags of cells that this report has no use for."""
    own = bool(task.report.parameters.get("results"))
    return (LESSON if own or not task.lesson else set()) | (OURS if own else set())


def make(task: Task, tell: Callable[..., None]) -> Made:
    """Run one report; whatever goes wrong in it is a problem of its own, not an exception."""
    begin = time.perf_counter()
    report, executed = task.report, None

    def made(page: str | None = None, problem: str = "") -> Made:
        return Made(executed, page, problem, round(time.perf_counter() - begin, 1))

    try:
        try:
            progress = (lambda done, total: tell("cell", (done, total))) if task.bar else None
            node, failure = run(
                report.notebook, report.parameters, progress, timeout=task.cell_timeout, without=_left_out(task)
            )
        except Exception as error:  # no kernel, no disk
            node, failure = read_source(report.notebook), Failure(in_a_line(error))
        executed = dumps(node)
        tell("executed", executed)
        provenance = facts(report, task.root, task.key)

        def page(failure: Failure | None) -> tuple[str, list[str]]:
            now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
            rendered = f"{now}, in {time.perf_counter() - begin:.1f} s"
            return to_html(node, Page(report, provenance, rendered, failure, task.index))

        with _quiet():
            html, problems = page(failure)
            if problems and failure is None:
                failure = Failure("; ".join(problems))
                html, _ = page(failure)
        data = as_json(page_data(node, report))
    except Exception as error:
        before = f"{failure.summary}; and " if executed is not None and failure else ""
        what = "its page could not be made: " if executed is not None else ""
        return made(problem=f"{before}{what}{in_a_line(error)}")
    return made(html, failure.summary) if failure else replace(made(html), data=data)


@contextmanager
def _quiet() -> Iterator[None]:
    """Send what compiled code prints when it ends the process to nowhere: the sentence about it comes from us."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def serve(receive: Callable[[], bytes], tell: Callable[..., None]) -> None:
    """Make one report after the other; for `launch.worker`, which ends the process."""
    while True:
        tell("made", make(pickle.loads(receive()), tell))


@dataclass(eq=False)
class _Worker:
    """A rendering process, seen from the one that started it."""

    inbox: queue.Queue[Any]
    task: Task | None = None
    executed: str | None = None
    reason: str = ""
    marker: str = field(default_factory=lambda: uuid4().hex)

    def __post_init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="genexpy-nb-")
        flags = [f"-W{option}" for option in sys.warnoptions]
        self.process = subprocess.Popen(
            [sys.executable, *flags, launch.__file__, "worker", self.folder, __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, launch.MARKER: self.marker, **_usable_home(self.folder)},
            start_new_session=True,  # a terminal's signals are for the process in front
        )
        threading.Thread(target=self._listen, daemon=True).start()
        with suppress(OSError):
            pickle.dump([path or os.getcwd() for path in sys.path], self._to)
            self._to.flush()

    @property
    def _to(self) -> Any:
        return self.process.stdin

    def _listen(self) -> None:
        with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
            while True:
                self.inbox.put((self, pickle.load(self.process.stdout)))  # type: ignore[arg-type]
        self.inbox.put((self, ("dead", None)))

    def give(self, task: Task) -> None:
        self.task, self.executed, self.begin = task, None, time.perf_counter()
        text = pickle.dumps(task)
        with suppress(OSError):  # it died: we shall hear of it
            self._to.write(len(text).to_bytes(8, "big") + text)
            self._to.flush()

    def died(self) -> Made:
        """What is left of the task of a process that has died."""
        self.end()
        launch.end_marked(self.marker)
        code = self.process.returncode
        how = f"exit code {code}"
        if code < 0:
            with suppress(ValueError):
                how = signal.Signals(-code).name
        problem = self.reason or f"the process that rendered it died ({how}; out of memory?)"
        if self.executed is not None:
            problem = (
                f"its page could not be made: the process that sets its formulas died ({how}; out of memory, or under "
                "a limit such as that of ulimit -v, which the engine for JavaScript does not bear?)"
            )
        return Made(self.executed, None, problem, round(time.perf_counter() - self.begin, 1))

    def end(self, grace: float = GRACE) -> None:
        """End it; it ends what it started, if it still can."""
        with suppress(OSError):
            self._to.close()  # it sees that, and ends by itself
        try:
            self.process.wait(grace)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _usable_home(folder: str) -> dict[str, str]:
    """Without a home, matplotlib would warn of it in the middle of a page."""
    home = os.path.expanduser("~")
    usable = os.path.isdir(home) and os.access(home, os.W_OK | os.X_OK)
    return {} if usable or "MPLCONFIGDIR" in os.environ else {"MPLCONFIGDIR": os.path.join(folder, "matplotlib")}


def run_all(
    tasks: Iterable[Task],
    jobs: int,
    start: Callable[[Task], None],
    cell: Callable[[Task, int, int], None] = lambda task, done, total: None,
) -> Iterator[tuple[Task, Made]]:
    """Make reports in processes of their own, and end all of these whatever happens."""
    inbox: queue.Queue[Any] = queue.Queue()
    waiting = deque(tasks)
    workers: set[_Worker] = set()
    try:
        while waiting or any(worker.task for worker in workers):
            while waiting and sum(worker.task is not None for worker in workers) < jobs:
                task = waiting.popleft()
                try:
                    start(task)
                except OSError as error:
                    yield task, Made(problem=in_a_line(error))
                    continue
                free = next((worker for worker in workers if worker.task is None), None)
                if free is None:
                    free = _started(inbox)
                    workers.add(free)
                free.give(task)
            try:
                worker, (what, content) = inbox.get(timeout=1.0)  # a wait without end hears no signal on Windows
            except queue.Empty:
                continue
            if worker not in workers:
                continue
            if what == "executed":
                worker.executed = content
            elif what == "broken":
                worker.reason = content
            elif what == "cell" and worker.task is not None:
                cell(worker.task, *content)
            elif what == "made":
                task, worker.task = worker.task, None
                yield task, content
            elif what == "dead":
                workers.discard(worker)
                made, task = worker.died(), worker.task
                if task is not None:
                    yield task, made
    finally:
        for worker in workers:
            with suppress(OSError):
                worker._to.close()  # all at once, then wait for each
        for worker in workers:
            worker.end()
        if markers := [worker.marker for worker in workers if worker.process.returncode]:
            launch.end_marked(*markers)


def _started(inbox: queue.Queue[Any]) -> _Worker:
    try:
        return _Worker(inbox)
    except OSError as error:
        raise GenexpyError(f"no process to render in: {in_a_line(error)}") from None
