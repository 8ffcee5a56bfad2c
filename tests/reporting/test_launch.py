"""launch: a process whose parent ends, at whatever moment, ends too and says nothing on its caller's screen."""

import os
import pickle
import subprocess
import sys
from uuid import uuid4

import pytest
from mini_project import make_project

from genexpy_nb.reporting import launch

PATHS = pickle.dumps(sys.path)
TASK = pickle.dumps("a task")
SERVES = """import pickle
import shutil
import sys


def serve(receive, tell):
    while True:
        what = pickle.loads(receive())
        if what == "say more while ending":
            shutil.rmtree = lambda *_, **__: print("still at work", file=sys.stderr, flush=True)
            what = "then"
        if what == "read notebooks":
            import genexpy_nb.reporting.workers

            what = "lark" in sys.modules
        if what == "break":
            raise ValueError("broken")
        tell("made", what)
"""


def framed(what):
    text = pickle.dumps(what)
    return len(text).to_bytes(8, "big") + text


def environment(**more):
    return {**os.environ, launch.MARKER: uuid4().hex, **more}


@pytest.fixture
def worker(tmp_path):
    """worker(what) starts one whose parent says that, to begin with. Its temporary folder is `worker.folder`."""
    (tmp_path / "serves.py").write_text(SERVES)

    def start(what, stdout=subprocess.PIPE):
        start.folder.mkdir(exist_ok=True)
        command = [sys.executable, launch.__file__, "worker", str(start.folder), "serves"]
        pipes = {"stdin": subprocess.PIPE, "stdout": stdout, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, env=environment(), cwd=tmp_path, **pipes)
        process.stdin.write(what)
        process.stdin.flush()
        return process

    start.folder = tmp_path / "temporary"
    start.paths = pickle.dumps([str(tmp_path), *sys.path])
    return start


@pytest.mark.parametrize("how", ["kernel", "kernel-alone"])
def test_a_kernel_whose_folder_is_gone_ends_and_says_nothing(how, tmp_path):
    """Whoever started it removes the folder when it ends, be it in the middle of the kernel's own start."""
    command = [sys.executable, launch.__file__, how]
    log = str(tmp_path / "gone" / "kernel.log")
    done = subprocess.run(command, env=environment(**{launch.LOG: log}), capture_output=True, timeout=60, check=False)
    assert done.returncode != 0 and (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize("end", [0, 1, 2, 11, -11, -1])
def test_a_worker_whose_parent_dies_before_it_has_said_all_ends_and_says_nothing(end, worker):
    process = worker(PATHS[:end])
    assert process.communicate(timeout=60) == (b"", b"") and process.returncode == 1
    assert not worker.folder.exists()


@pytest.mark.parametrize("length", [0, 5, 8, 9, 7 + len(TASK)])
def test_a_worker_answers_whole_tasks_only(length, worker):
    process = worker(worker.paths + framed("a task"))
    assert pickle.load(process.stdout) == ("made", "a task")
    process.stdin.write(framed("a task")[:length])
    assert process.communicate(timeout=60) == (b"", b"") and process.returncode == 0
    assert not worker.folder.exists()


@pytest.mark.parametrize("what", ["break", "go on"])
def test_a_worker_to_whom_nobody_listens_ends_and_says_nothing(what, worker):
    reading, writing = os.pipe()
    os.close(reading)
    process = worker(worker.paths + framed(what), stdout=writing)
    os.close(writing)
    assert process.wait(timeout=60) == 1
    assert process.communicate(timeout=60) == (None, b"")
    assert not worker.folder.exists()


def test_a_worker_whose_parent_dies_while_it_works_says_nothing_from_then_on(worker):
    process = worker(worker.paths + framed("say more while ending"))
    assert pickle.load(process.stdout) == ("made", "then")
    assert process.communicate(timeout=60) == (b"", b"") and process.returncode == 0


def test_a_worker_reads_notebooks_without_building_a_grammar_for_addresses(worker):
    process = worker(worker.paths + framed("read notebooks"))
    assert pickle.load(process.stdout) == ("made", False)
    assert process.communicate(timeout=60) == (b"", b"")


def test_nor_does_the_command(tmp_path):
    root = make_project(tmp_path, {"01_a": "# %%\n1\n"}, {})
    ours = (
        f"from genexpy_nb.cli import main; main(['--root', {str(root)!r}, 'notebooks', 'check'], standalone_mode=False)"
    )
    asks = "import sys, nbformat; nbformat.validate(nbformat.v4.new_notebook()); print('lark' in sys.modules)"
    code = f"try:\n    {ours}\nfinally:\n    {asks}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.endswith("False\n"), done
