"""One line for each report that is running, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Lines:
    """What stands on the terminal while reports run; made by `running`."""

    def __init__(self, bars: Progress | None) -> None:
        self._bars = bars
        self._rows: dict[str, TaskID] = {}

    def start(self, name: str) -> None:
        """Show the line of a report, which has no cells yet."""
        if self._bars is not None:
            self._rows[name] = self._bars.add_task(name, total=None)

    def cell(self, name: str, done: int, total: int) -> None:
        """Say how many cells of a report are done."""
        if self._bars is not None and name in self._rows:
            self._bars.update(self._rows[name], completed=done, total=total)

    def end(self, name: str) -> None:
        """Take the line of a report away."""
        if self._bars is not None and name in self._rows:
            self._bars.remove_task(self._rows.pop(name))

    def announce(self, text: str, say: Callable[[str], None]) -> None:
        """Say something that stays, above the lines."""
        if self._bars is None:
            say(text)
            return
        self._bars.stop()  # what is said may go to a file, and the lines never do
        say(text)
        self._bars.start()


@contextmanager
def running(bar: bool) -> Iterator[Lines]:
    """Show the lines of running reports on standard error, and take them away at the end."""
    if not bar:
        yield Lines(None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    name = TextColumn("{task.description}", markup=False)
    columns = (name, BarColumn(bar_width=24), MofNCompleteColumn(), TextColumn("cells"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bars:
        yield Lines(bars)
