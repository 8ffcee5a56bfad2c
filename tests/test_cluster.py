"""docs/cluster.md on a cluster: what runs is the code of the page, and gives the same bytes as here.

By default scheduler and workers are threads of this process; `make slow` starts them by the commands of the page.
"""

import itertools
import linecache
import os
import re
import shlex
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import joblib
import pandas as pd
import pytest
from click.testing import CliRunner
from mini_project import FAILS, make_project

from genexpy_nb import cli
from genexpy_nb.common import parallel
from genexpy_nb.common.files import frame_to_bytes
from genexpy_nb.common.parallel import in_parallel, in_parallel_if_long, n_workers, run_resumable
from genexpy_nb.conclusions import functions
from genexpy_nb.reporting import execute
from genexpy_nb.reporting.execute import render

distributed = pytest.importorskip("distributed", reason="needs dask and distributed: the extra [dask]")

PAGE = Path(__file__).resolve().parents[1] / "docs" / "cluster.md"
ADDRESS = "tcp://127.0.0.1:8786"
TINY = """# %% tags=["parameters"]
seed: int = 3  # of the random numbers

# %%
import random

random.Random(seed).random()
"""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def of_processes(tmp_path_factory):
    """Of a scheduler with two worker processes of one thread each, as the page starts them, but for the port."""
    folder = tmp_path_factory.mktemp("dask")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "DASK_DISTRIBUTED__DASHBOARD__LINK": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    commands = [line.replace("8786", str(port)) for line in blocks("sh")[0].splitlines()]
    with ExitStack() as running:
        for name, command in enumerate(commands):
            log = running.enter_context((folder / f"{name}.log").open("w"))
            words = [*shlex.split(command), "--dashboard-address", ":0"]
            process = subprocess.Popen(
                [sys.executable, "-m", *words], cwd=folder, env=environment, stdout=log, stderr=log
            )
            running.callback(process.wait)
            running.callback(process.terminate)
        address = f"tcp://127.0.0.1:{port}"
        with distributed.Client(address, timeout=240) as client:
            client.wait_for_workers(2, timeout=240)
        yield address


@pytest.fixture(scope="module", params=["threads", pytest.param("processes", marks=pytest.mark.slow)])
def address(request):
    """Of a scheduler with two workers, as threads of this process or as the page starts them."""
    if request.param == "processes":
        yield request.getfixturevalue("of_processes")
        return
    how = {"processes": False, "protocol": "tcp", "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **how) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def client(address):
    with distributed.Client(address) as client:
        yield client


def worker():
    """Address of the worker that runs this, none if it runs here."""
    try:
        return distributed.get_worker().address
    except ValueError:
        return None


@pytest.fixture
def parallel_pays(monkeypatch, request):
    """Let no work be too small for workers, and have threads draw less; processes do not see what is replaced here."""
    if request.node.callspec.params["address"] == "threads":
        for name, number in {"_STUDIES": 9, "_DRAWS": 10, "_SPLITS": 2, "_PAIRS": 20}.items():
            monkeypatch.setattr(functions, name, number)
    for module in (functions, parallel):
        monkeypatch.setattr(module, "WORTH_WORKERS", 0)


def test_the_code_of_the_page_gives_the_same_bytes_as_here(address, client, parallel_pays, tmp_path, monkeypatch):
    python = blocks("python")
    assert sum('with joblib.parallel_config("dask"):' in block for block in python) == 2
    there = {"__name__": "__main__"}
    for name, page in (("there", there), ("here", alone := {"__name__": "__main__"})):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        for original in python:
            block = original
            if page is alone:
                block = block.replace('joblib.parallel_config("dask")', 'joblib.parallel_config("loky", n_jobs=1)')
                block = block.replace("client.submit(both.components, ", "both.components(").replace(").result()", ")")
            text, cell = block.replace(ADDRESS, address), f"<cell of {name}, {python.index(original)}>"
            linecache.cache[cell] = (len(text), None, text.splitlines(keepends=True), cell)  # as a notebook does
            exec(compile(text, cell, "exec"), page)
        page["client"].close()
    for name in ("nstar", "agreement"):
        assert frame_to_bytes(there[name], name, "k") == frame_to_bytes(alone[name], name, "k")
    assert frame_to_bytes(there["trials"].scores, "t", "k") == frame_to_bytes(alone["trials"].scores, "t", "k")
    assert there["runs"].frame.to_csv() == alone["runs"].frame.to_csv()
    assert there["components"].table.to_csv() == alone["components"].table.to_csv()


def test_tasks_run_there_and_what_was_kept_before_an_error_is_not_run_again(client, tmp_path):
    def run(name):
        if name == "third" and not (tmp_path / "repaired").exists():
            raise RuntimeError("no luck")
        return pd.DataFrame({"task": [name], "worker": [worker()]})

    keys = dict.fromkeys(["first", "second", "third", "fourth"], "k")
    with joblib.parallel_config("dask", client=client):
        with pytest.raises(RuntimeError, match="no luck"):
            run_resumable(run, keys, tmp_path / "runs", progress=False)
        (tmp_path / "repaired").touch()
        before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "runs").glob("[!.]*")}
        table = run_resumable(run, keys, tmp_path / "runs", progress=False)
    assert table["task"].tolist() == list(keys)
    assert set(table["worker"]) <= set(client.scheduler_info()["workers"])
    assert {name: (tmp_path / "runs" / name).stat().st_mtime_ns for name in before} == before


def test_results_come_in_order(client):
    with joblib.parallel_config("dask", client=client):
        assert n_workers() == 2 and n_workers(1) == 1
        found = list(in_parallel(lambda item: (item, worker()), range(6)))
        assert [item for item, _ in found] == list(range(6)) and all(where for _, where in found)
        assert sorted(in_parallel(abs, range(6), in_order=False)) == list(range(6))
        assert list(in_parallel(lambda item: worker(), [0], n_jobs=1)) == [None]
        assert list(in_parallel_if_long(lambda item: worker(), [0, 1])) == [None, None]


def test_threads_are_not_used():
    main = threading.get_ident()
    with joblib.parallel_config("threading", n_jobs=2):
        assert set(in_parallel(lambda item: threading.get_ident(), range(4))) == {main}


# --- reports ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path):
    reports = {"a": "notebook: 01_tiny\ntitle: A\n", "b": "notebook: 02_fails\ntitle: B\n"}
    return make_project(tmp_path / "project", {"01_tiny": TINY, "02_fails": FAILS}, reports)


def made(folder):
    """Executed notebooks, and pages without the time."""
    pages = {file.name: file.read_text() for file in sorted((folder / "html").glob("[ab].html"))}
    pages = {name: re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC, in [\d.]+ s", "TIME", page) for name, page in pages.items()}
    return pages, {file.name: file.read_bytes() for file in sorted((folder / "executed").iterdir())}


def check_reports(address, project):
    """Those of a cluster are those that are made here."""
    said = []
    there = render(project, scheduler=address, say=said.append).entries
    same = render(project, output=project / "here", say=lambda line: None).entries
    assert [entry.status for entry in there] == [entry.status for entry in same] == ["ok", "FAILED"]
    assert made(project / "reports") == made(project / "here")
    assert sorted(re.sub(r"[\d.]+ s", "...", line) for line in said if line.startswith("a: ")) == [
        "a: done in ...",
        "a: started (1 of 2)",
    ]
    (again,) = render(project, ["a"], scheduler=address, say=said.append).entries
    assert again.status == "unchanged"


@pytest.mark.slow  # starts a cluster of processes, and those render
def test_reports_are_made_on_the_cluster(of_processes, project):
    check_reports(of_processes, project)  # threads of one process share an event loop, in which kernels do not start


@pytest.mark.slow  # ends a process of a cluster
def test_a_report_whose_worker_is_killed_is_made_again(of_processes, project):
    """The notebook of one kills the worker that runs it, the first time."""
    deadly = (
        "import os, signal, pathlib\n\nif not pathlib.Path('killed').exists():\n    pathlib.Path('killed').touch()\n"
    )
    deadly += "    os.kill(os.getppid(), signal.SIGKILL)\n"
    (project / "notebooks" / "01_tiny.py").write_text(f"{TINY}\n# %%\n{deadly}")
    check_reports(of_processes, project)


def test_a_report_fails_if_a_worker_sees_other_files(client, address, project, monkeypatch):
    seen = itertools.count()
    monkeypatch.setattr(execute.state, "report_key", lambda report, root, shared=None: f"what is seen at {next(seen)}")
    (entry,) = render(project, ["a"], scheduler=address, say=lambda line: None).entries
    assert (entry.status, entry.key) == ("FAILED", "")
    assert "a worker of the cluster sees other files than the process that asks" in entry.problem
    assert (project / "reports" / "html" / "a.html").exists()


def called(project, *words):
    return CliRunner().invoke(cli.main, ["--root", str(project), "render", *words])


@pytest.mark.parametrize("nowhere", ["tcp://127.0.0.1:9", "nonsense://x:1"])
def test_an_address_that_nobody_answers_writes_nothing(nowhere, project, monkeypatch):
    monkeypatch.setattr(execute, "CONNECTING", 0.5)
    result = called(project, "--scheduler", nowhere)
    assert result.exit_code == 2 and not (project / "reports" / "html").exists()
    assert f"error: no Dask scheduler answers at '{nowhere}', as one does at tcp://host:8786: " in result.output


def test_without_dask_a_sentence_names_the_extra(project, monkeypatch):
    monkeypatch.setattr("genexpy_nb.common.errors.find_spec", lambda name: None)
    result = called(project, "--scheduler", "tcp://127.0.0.1:9")
    assert result.exit_code == 2 and not (project / "reports" / "html").exists()
    assert 'dask, distributed are not installed; pip install "genexpy_nb[dask]"' in result.output


def test_the_page_names_the_command_as_it_is():
    (command,) = blocks("sh")[1].splitlines()
    words = shlex.split(command)
    assert words[:2] == ["genexpy-nb", "render"]
    context = cli.main.commands["render"].make_context("render", words[2:])
    assert context.params["scheduler"] == ADDRESS and context.params["jobs"] is None
