"""Run a notebook with papermill and say exactly where it failed, if it did."""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import nbformat
import papermill
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert.filters.ansi import strip_ansi
from nbformat import NotebookNode
from papermill.engines import NBClientEngine, NotebookExecutionManager, papermill_engines

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import os_error
from genexpy_nb.reporting import launch
from genexpy_nb.reporting.lessons.cells import positions
from genexpy_nb.reporting.pairing import NotebookFile, line_of_cell, normalise, parameters_cell, read_source
from genexpy_nb.reporting.parameters import as_code

INJECTED = "injected-parameters"
ERROR_MARKER = "papermill-error-cell-tag"
START_ATTEMPTS = 3
INLINE = "module://matplotlib_inline.backend_inline"
# A kernel warns about unencrypted TCP to itself, and calls its own shutdown an error. What goes wrong in a cell is
# in the notebook; a kernel that dies is reported by the client.
KERNEL_ARGUMENTS = ["--IPKernelApp.log_level=50", "--HistoryManager.enabled=False"]


@dataclass(frozen=True)
class Failure:
    """Why a report is not what it should be, and where."""

    message: str
    cell: int | None = None
    heading: str = ""
    place: str = ""
    traceback: str = ""

    @property
    def summary(self) -> str:
        """Place and message in one line."""
        if self.cell is None:
            return self.message
        under = f', under "{self.heading}"' if self.heading else ""
        return f"{self.place} (cell {self.cell}{under}): {self.message}"


class _ThisEnvironment(AsyncKernelManager):
    """Starts the kernel of the running Python, whatever kernel of that name a user has installed elsewhere."""

    folder = ""

    @property
    def kernel_spec(self) -> KernelSpec:
        from ipykernel.kernelspec import get_kernel_dict

        spec = get_kernel_dict()
        module = spec["argv"].index("-m")
        alone = launch.MARKER not in os.environ  # no rendering process is around it
        spec["argv"][module : module + 2] = [launch.__file__, "kernel-alone" if alone else "kernel"]
        ours = {
            "IPYTHONDIR": os.path.join(self.folder, "ipython"),
            launch.LOG: os.path.join(self.folder, "kernel.log"),
            "MPLBACKEND": INLINE,  # whatever the user's is: with another one a page has no figures
            "JPY_SESSION_NAME": "",  # nobody moves sliders here, even if a notebook in JupyterLab began this
        }
        if alone:
            ours[launch.MARKER] = uuid4().hex
        return KernelSpec(**spec, env=ours)


class _SavingOnce(NBClientEngine):
    """Saves the notebook when it ends, however it ends; papermill's own engine does so twice for each cell."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: NotebookExecutionManager, *arguments: Any, **options: Any) -> None:
        path, nb_man.output_path = nb_man.output_path, None
        try:
            super().execute_managed_notebook(nb_man, *arguments, **options)
        finally:
            nb_man.output_path = path


papermill_engines.register("genexpy_nb", _SavingOnce)


def run(
    notebook: NotebookFile,
    parameters: Mapping[str, Any],
    progress: Callable[[int, int], None] | None = None,
    inject: bool = True,
    timeout: int = 0,
    answers: bool = False,
    without: Collection[str] = (),
) -> tuple[NotebookNode, Failure | None]:
    """Execute a notebook in its own folder and normalize the result."""
    check_count("timeout", timeout, at_least=0)
    source = read_source(notebook)
    places = list(range(len(source.cells))) if answers else positions(source, without)
    source.cells = [source.cells[place] for place in places]
    prepared, added = _with_parameters(source, parameters, inject)
    executed, error = _execute(prepared, notebook.source.parent, progress, timeout)
    if isinstance(error, CellTimeoutError):
        error = TimeoutError(f"no end after {timeout} s, the limit for a cell (see --cell-timeout)")
    failure = _locate(executed, error, notebook, added, places) if error is not None else None
    if not inject:
        for cell, original in zip(executed.cells, source.cells, strict=True):
            cell.source = original.source
    return normalise(executed), failure


def _with_parameters(
    node: NotebookNode, parameters: Mapping[str, Any], inject: bool
) -> tuple[NotebookNode, int | None]:
    """Add the values to a copy; return also the position of the cell that was added."""
    node = deepcopy(node)
    declaring = parameters_cell(node)
    if not parameters or declaring is None:
        return node, None
    # papermill's own translation writes a tuple as a string, so the cell is ours
    if not inject:
        declaring.source += f"\n{as_code(parameters)}"
        return node, None
    position = node.cells.index(declaring) + 1
    node.cells.insert(position, nbformat.v4.new_code_cell(as_code(parameters), metadata={"tags": [INJECTED]}))
    return node, position


def _execute(
    node: NotebookNode, folder: Path, progress: Callable[[int, int], None] | None, timeout: int
) -> tuple[NotebookNode, Exception | None]:
    logging.getLogger("papermill").setLevel(logging.CRITICAL)
    # the kernel's last files may come while the folder is being removed
    with tempfile.TemporaryDirectory(prefix="genexpy-nb-", ignore_cleanup_errors=True) as temporary:
        target = Path(temporary, "executed.ipynb")
        manager = type("Manager", (_ThisEnvironment,), {"folder": temporary})
        for attempt in range(1, START_ATTEMPTS + 1):
            error: Exception | None = None
            try:
                papermill.execute_notebook(
                    deepcopy(node),
                    target,
                    kernel_name="python3",
                    engine_name="genexpy_nb",
                    progress_bar=False,
                    **_heard(progress, len(node.cells)),
                    resources={"metadata": {"path": str(folder.resolve())}},
                    kernel_manager_class=manager,
                    execution_timeout=timeout or None,
                    extra_arguments=KERNEL_ARGUMENTS,
                )
            except (papermill.PapermillExecutionError, CellExecutionError, CellTimeoutError, DeadKernelError) as caught:
                error = caught
            except RuntimeError as caught:  # the kernel did not come up: ports taken, machine too busy
                if attempt == START_ATTEMPTS:
                    log = Path(temporary, "kernel.log")
                    said = log.read_text(errors="replace").splitlines() if log.is_file() else []
                    raise RuntimeError(": ".join([str(caught), *said[-1:]])) from None
                if _started(target):
                    error = caught
                else:
                    continue
            break
        executed = nbformat.read(target, as_version=4)
    executed.cells = [cell for cell in executed.cells if ERROR_MARKER not in cell.metadata.get("tags", [])]
    return executed, error


def _heard(progress: Callable[[int, int], None] | None, total: int) -> dict[str, Any]:
    """What the client is to call when a cell is done."""
    if progress is None:
        return {}
    return {"on_cell_complete": lambda cell, cell_index: progress(cell_index + 1, total)}


def _started(target: Path) -> bool:
    """Whether a cell has begun: then a second attempt could hide what the first one did."""
    cells = nbformat.read(target, as_version=4).cells if target.is_file() else []
    return any(cell.metadata.papermill.get("start_time") for cell in cells)


def _locate(
    node: NotebookNode, error: Exception, notebook: NotebookFile, added: int | None, places: Sequence[int]
) -> Failure:
    """Say where it failed; `places` are those of the cells in the notebook's file."""
    position = next((i for i, cell in enumerate(node.cells) if cell.metadata.papermill.get("exception")), None)
    if position is None:  # a kernel that dies leaves its cell unfinished
        position = max((i for i, c in enumerate(node.cells) if c.metadata.papermill.get("start_time")), default=None)
    message = in_a_line(error)
    if position is None:
        return Failure(message)
    outputs = [output for output in node.cells[position].get("outputs", []) if output.output_type == "error"]
    traceback = strip_ansi("\n".join(outputs[0].traceback)) if outputs else ""
    heading = _heading_above(node, position)
    if added is not None and position >= added:
        position -= 1
    position = places[position]
    number = position + 1
    line = line_of_cell(notebook.py, position) if notebook.py.is_file() else None
    folder = notebook.source.parent.name
    if line is None:
        place = f"{folder}/{notebook.source.name}:cell {number}"
    else:
        inside = re.findall(r"Cell In\[\d+\], line (\d+)", traceback)
        place = f"{folder}/{notebook.py.name}:{line + int(inside[0]) - 1 if inside else line}"
    return Failure(message, number, heading, place, traceback)


def in_a_line(error: Exception) -> str:
    """Say what went wrong without a traceback."""
    if isinstance(error, OSError) and error.strerror:
        text = os_error(error)
    elif isinstance(error, papermill.PapermillExecutionError):
        text = f"{error.ename}: {error.evalue}" if error.evalue else error.ename
    elif isinstance(error, DeadKernelError):
        text = "the kernel died (out of memory, or a crash in compiled code)"
    else:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return " ".join(strip_ansi(text).split())


def _heading_above(node: NotebookNode, position: int) -> str:
    for cell in reversed(node.cells[:position]):
        headings = (
            re.findall(r"^#+ +(.+?)\s*#*$", cell.source, flags=re.MULTILINE) if cell.cell_type == "markdown" else []
        )
        if headings:
            return headings[-1]
    return ""
