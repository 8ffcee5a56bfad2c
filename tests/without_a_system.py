"""Runs student notebooks as a browser would: no threads, no processes, no sockets, no checkout, no PBKDF2 of OpenSSL.

Called by `test_without_a_system.py` in a process of its own, with the notebooks as arguments.
"""

import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import matplotlib as mpl

import genexpy_nb as gx


def refused(*_, **__):
    """What Pyodide does where a system would be asked."""
    raise OSError("there is no system below this Python")


def refused_thread(*_, **__):
    raise RuntimeError("can't start new thread")


def run(file):
    """Run the cells of code; return what the checks of exercises said."""
    scope = {"display": lambda *shown: None}
    for place, cell in enumerate(json.loads(Path(file).read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{Path(file).stem}, cell {place + 1}", "exec"), scope)
    return [gx.check(f"{Path(file).name[:2]}-1", ...)]


if __name__ == "__main__":
    del hashlib.pbkdf2_hmac
    threading.Thread.start = refused_thread
    subprocess.Popen.__init__ = socket.socket.connect = socket.socket.bind = socket.getaddrinfo = refused
    os.fork = refused
    sys.modules |= {"psutil": None, "multiprocessing.synchronize": None}
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"  # joblib finds out by itself in a browser
    mpl.use("agg")
    for each in sys.argv[1:]:
        print(Path(each).stem, *run(each))
    print(sorted(name for name in sys.modules if name.startswith("genexpy_nb.reporting")))
