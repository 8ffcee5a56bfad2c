"""Start a kernel or a rendering process that ends with the process that started it.

Run by its path, with nothing but the standard library: parents die while their children still import, too.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and sys.path and os.path.realpath(sys.path[0]) == os.path.realpath(os.path.dirname(__file__)):
    del sys.path[0]  # Python's own place for a script: modules of this folder are no modules of the top level

import ctypes
import importlib
import pickle
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from typing import Any, BinaryIO, NoReturn

#: Environment variable that a rendering process and all that it starts have in common.
MARKER = "GENEXPY_NB_RENDER"
#: Environment variable with the file that a kernel's own messages go to: those of a cell are in the notebook.
LOG = "GENEXPY_NB_KERNEL_LOG"
PR_SET_PDEATHSIG = 1


def end_marked(*markers: str) -> None:
    """Kill every other process that has one of these markers in its environment, whoever its parent is by now."""
    import psutil

    for _ in range(5):  # what was started while the first round ran
        found = False
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if process.pid != os.getpid() and process.environ().get(MARKER) in markers:
                    process.kill()
                    found = True
        if not found:
            return


def watch(parent: int) -> None:
    """Wait until this process has another parent than the given one, then kill all that has the same marker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while os.getppid() == parent:
        time.sleep(0.2)
    end_marked(os.environ[MARKER])


def kernel(alone: bool = False) -> None:
    """Be an IPython kernel that the system kills when its parent dies, even in the middle of compiled code."""
    if log := os.environ.pop(LOG, ""):
        try:
            with open(log, "ab") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
        except OSError:
            os._exit(1)  # its folder is gone: whoever started us is ending, and that is no news to who started them
    if alone and sys.platform != "win32":
        beside = [sys.executable, __file__, "watch", str(os.getpid())]
        subprocess.Popen(beside, stdin=subprocess.DEVNULL, start_new_session=True)
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if sys.platform != "win32" and os.getppid() != int(os.environ.get("JPY_PARENT_PID", os.getppid())):
        os._exit(1)  # it died before we asked
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


def worker(folder: str, module: str) -> None:
    """Serve reports that come through standard input until it is closed, which the death of the parent does, too."""

    def end(code: int = 0) -> NoReturn:
        with suppress(Exception):
            _hush()  # the other thread may still work, without its folder
            end_marked(os.environ[MARKER])
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(code)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the parent decides
    signal.signal(signal.SIGTERM, lambda *_: end(128 + signal.SIGTERM))
    tempfile.tempdir = folder
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    try:
        sys.path[:] = pickle.load(incoming)
    except (EOFError, pickle.UnpicklingError):
        end(1)  # it died while it wrote
    threading.Thread(target=_receive, args=(incoming, tasks, end), daemon=True).start()
    os.dup2(2, 1)  # what is printed is no answer
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)

    def tell(*message: Any) -> None:
        try:
            pickle.dump(message, outgoing)
            outgoing.flush()
        except OSError:
            end(1)  # nobody listens any more

    try:
        importlib.import_module("genexpy_nb.common.extras").do_without()
        importlib.import_module(module).serve(tasks.get, tell)
    except BaseException as error:
        text = " ".join(str(error).split())
        tell("broken", f"{type(error).__name__}: {text}" if text else type(error).__name__)
        end(1)


def _hush() -> None:
    """Say nothing from here on."""
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)


def _receive(incoming: BinaryIO, tasks: queue.SimpleQueue[Any], end: Any) -> None:
    """Put tasks where they wait. In a thread of its own, so that the parent's end is seen whatever a report does."""
    try:
        while True:
            # as bytes: the classes in them are imported by the thread that works, not by the one that watches
            size = int.from_bytes(incoming.read(8), "big")
            text = incoming.read(size)
            if not size or len(text) < size:
                break  # the end, perhaps in the middle of a task
            tasks.put(text)
    finally:
        end()


if __name__ == "__main__":
    match sys.argv.pop(1):
        case "worker":
            worker(*sys.argv[1:])
        case "watch":
            watch(int(sys.argv[1]))
        case how:
            kernel(alone=how == "kernel-alone")
