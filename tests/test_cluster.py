"""docs/cluster.md on a cluster of processes: the same bytes as here, also if a worker is killed in the middle.

The scheduler and its two workers are started by the commands of the page, and what runs is the code of the page.
"""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import joblib
import pandas as pd
import pytest
from click.testing import CliRunner
from cluster_tasks import COMPARISON, Killed, known, run_encoders
from mini_project import FAILS, make_project

from genexpy_nb import causal, cli
from genexpy_nb.common import parallel, resumable
from genexpy_nb.common.checksums import frame_to_bytes
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.parallel import ClusterError, connected, in_parallel, in_parallel_if_long, n_workers
from genexpy_nb.conclusions import functions
from genexpy_nb.datasets.tasks import SPECS
from genexpy_nb.generalization import nstar
from genexpy_nb.reporting import cluster, pipeline, render

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
def address(tmp_path_factory):
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
        yield f"tcp://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def client(address):
    with distributed.Client(address, timeout=30) as client:
        client.wait_for_workers(2, timeout=30)
        yield client
        client.shutdown()


@pytest.fixture
def parallel_pays(monkeypatch):
    """Let no work be too small for workers."""
    for module in (nstar, functions, parallel):
        monkeypatch.setattr(module, "WORTH_WORKERS", 0)


def pids(client):
    return client.run(os.getpid)


@pytest.fixture
def sent(monkeypatch):
    """The places of the tasks that came back from the cluster."""
    places, on_cluster = [], parallel.on_cluster

    def counting(*arguments, **options):
        for done in on_cluster(*arguments, **options):
            places.append(done.place)
            yield done

    monkeypatch.setattr(parallel, "on_cluster", counting)
    return places


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_code_of_the_page_gives_the_same_bytes_as_here(address, client, sent, parallel_pays, tmp_path, monkeypatch):
    python = blocks("python")
    assert sum('with joblib.parallel_config("dask"):' in block for block in python) == 2
    there = {"__name__": "__main__"}
    for name, page in (("there", there), ("here", here := {"__name__": "__main__"})):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        for block in python:
            if page is here:
                block = block.replace('joblib.parallel_config("dask")', 'joblib.parallel_config("loky", n_jobs=1)')
                block = block.replace("client.submit(both.components, ", "both.components(").replace(").result()", ")")
            sent.clear()
            exec(block.replace(ADDRESS, address), page)
            assert (len(sent) > 20) == ("parallel_config" in block and page is there)
        page["client"].close()
    for name in ("nstar", "agreement"):
        assert frame_to_bytes(there[name], name, "k") == frame_to_bytes(here[name], name, "k")
    assert frame_to_bytes(there["trials"].scores, "t", "k") == frame_to_bytes(here["trials"].scores, "t", "k")
    assert there["runs"].frame.to_csv() == here["runs"].frame.to_csv()
    assert there["components"].table.to_csv() == here["components"].table.to_csv()
    assert sorted(os.listdir(tmp_path / "there/runs/trials")) == sorted(os.listdir(tmp_path / "here/runs/trials"))


# --- what dies, what fails --------------------------------------------------------------------------------------------


def test_the_tasks_of_a_killed_worker_are_run_again(client, tmp_path):
    mark = tmp_path / "mark"
    evaluate = Killed(os.getpid(), mark)
    with joblib.parallel_config("dask", client=client):
        runs = causal.run_paired(COMPARISON, evaluate, 12, folder=tmp_path / "runs")
    assert int(mark.read_text()) not in pids(client).values()
    assert runs.frame.to_csv() == causal.run_paired(COMPARISON, known, 12).frame.to_csv()


def test_what_was_kept_before_an_error_is_not_run_again(client, tmp_path):
    def run(name):
        if name == "third" and not (tmp_path / "repaired").exists():
            raise RuntimeError("no luck")
        return pd.DataFrame({"task": [name], "pid": [os.getpid()]})

    keys = dict.fromkeys(["first", "second", "third", "fourth"], "k")
    with joblib.parallel_config("dask", client=client):
        with pytest.raises(RuntimeError, match="no luck"):
            resumable.run_resumable(run, keys, tmp_path / "runs", progress=False)
        (tmp_path / "repaired").touch()
        before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "runs").glob("[!.]*")}
        table = resumable.run_resumable(run, keys, tmp_path / "runs", progress=False)
    assert table["task"].tolist() == list(keys)
    assert set(table["pid"]) <= set(pids(client).values()) and os.getpid() not in set(table["pid"])
    assert before and {name: (tmp_path / "runs" / name).stat().st_mtime_ns for name in before} == before


def test_a_worker_that_does_not_see_the_folder_leaves_it_to_the_caller(tmp_path, monkeypatch):
    def elsewhere(task, tasks, n_jobs, in_order):
        return (task((name, key, Path("/nowhere") / path.name)) for name, key, path in tasks)

    monkeypatch.setattr(resumable, "in_parallel", elsewhere)
    run = lambda name: pd.DataFrame({"task": [name]})  # noqa: E731
    table = resumable.run_resumable(run, {"a": "k", "b": "k"}, tmp_path, progress=False)
    assert table["task"].tolist() == ["a", "b"] and len(list(tmp_path.glob("*.parquet"))) == 2
    again = resumable.run_resumable(lambda name: pytest.fail(name), {"a": "k", "b": "k"}, tmp_path, progress=False)
    assert again.equals(table) and not Path("/nowhere").exists()


def test_own_experiments_run_on_the_cluster(client, tmp_path, sent):
    names = list(SPECS)[:2]
    keys = dict.fromkeys(names, "k")
    here = resumable.run_resumable(run_encoders, keys, tmp_path / "here", progress=False)
    with joblib.parallel_config("dask", client=client):
        there = resumable.run_resumable(run_encoders, keys, tmp_path / "there", progress=False)
    assert sorted(sent) == [0, 1]
    here.attrs = there.attrs = {}
    kept = [column for column in here if column != "time"]  # of the clock
    assert frame_to_bytes(here[kept], "t", "k") == frame_to_bytes(there[kept], "t", "k")


def test_a_task_that_kills_every_worker_ends_with_a_sentence(client):
    def dies(item):
        os.kill(os.getpid(), signal.SIGKILL)

    def allow(number):
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", number))

    allow(0)
    try:
        with (
            joblib.parallel_config("dask", client=client),
            pytest.raises(ClusterError, match=r"^its worker died once, the last time at tcp://\S+ \(out of"),
        ):
            list(in_parallel(dies, [0]))
    finally:
        allow(3)


def test_results_come_in_order_or_as_they_are_done(client, tmp_path):
    def first_is_last(item, touches=False):
        """The first waits for a file, which others write, or whoever has received the result of another."""
        import time

        end = time.monotonic() + 60
        while item == 0 and not any(tmp_path.iterdir()) and time.monotonic() < end:
            time.sleep(0.01)
        if touches:
            (tmp_path / str(item)).touch()
        return item

    client.wait_for_workers(2, timeout=60)  # others may just have been killed
    with joblib.parallel_config("dask", client=client):
        assert n_workers() == 2 and n_workers(1) == 1
        unordered = in_parallel(first_is_last, range(6), in_order=False)
        early = next(unordered)
        assert early != 0
        (tmp_path / "received").touch()
        assert sorted([early, *unordered]) == list(range(6))
        (tmp_path / "received").unlink()
        assert list(in_parallel(partial(first_is_last, touches=True), range(6))) == list(range(6))
        assert list(in_parallel(lambda item: os.getpid(), [0], n_jobs=1)) == [os.getpid()]
        assert list(in_parallel_if_long(lambda item: os.getpid(), [0, 1])) == [os.getpid()] * 2
        # a task of a task stays where it is
        nested = list(in_parallel(lambda item: (os.getpid(), list(in_parallel(lambda i: os.getpid(), [0, 1]))), [0, 1]))
    assert all(inner == [outer] * 2 and outer != os.getpid() for outer, inner in nested)


def test_other_software_is_refused_and_the_worker_named(client, monkeypatch):
    other = {**parallel.this_environment(), "numpy": "1.0"}
    monkeypatch.setattr(parallel, "this_environment", lambda: other)
    with (
        joblib.parallel_config("dask", client=client),
        pytest.raises(ClusterError, match=r"the worker at tcp://\S+ is not the same .*: numpy 2\.\S+, not 1\.0$"),
    ):
        list(in_parallel(abs, [1]))


def test_threads_are_refused_on_a_cluster_and_not_used_here():
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as threads,
        distributed.Client(threads) as client,
        joblib.parallel_config("dask", client=client),
        pytest.raises(ClusterError, match="has several threads"),
    ):
        list(in_parallel(abs, [1]))
    main = threading.get_ident()
    with joblib.parallel_config("threading", n_jobs=2):
        assert set(in_parallel(lambda item: threading.get_ident(), range(4))) == {main}


def test_an_empty_cluster_is_an_error_after_some_seconds():
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as nobody,
        pytest.raises(ClusterError, match=r"has no worker, and none came within 0\.5 s"),
        connected(nobody.scheduler_address, wait=0.5),
    ):
        pass


@pytest.mark.parametrize("address", ["", " ", 8786, None, "nonsense://x:1"], ids=repr)
def test_what_is_no_address(address):
    told = "a Dask scheduler has an address such as tcp://host:8786, got"
    with pytest.raises(ParameterError, match=told), connected(address):
        pass


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


def test_reports_are_made_on_the_cluster_and_one_whose_worker_is_killed_is_made_again(address, client, project):
    said, workers = [], pids(client)

    def say(line):
        said.append(line)
        if line.startswith("a: started at"):
            os.kill(workers[line.rpartition(" ")[2]], signal.SIGKILL)

    (there,) = render(project, ["a"], scheduler=address, say=say).entries
    (here,) = render(project, ["a"], output=project / "here", say=lambda line: None).entries
    assert there.status == here.status == "ok"
    assert made(project / "reports") == made(project / "here")
    assert [re.sub(r"tcp://\S+|[\d.]+ s", "...", line) for line in said if line.startswith("a: ")] == [
        "a: started at ...",
        "a: started again at ...",
        "a: done in ...",
    ]
    assert [entry.status for entry in render(project, ["a"], scheduler=address, say=said.append).entries] == [
        "unchanged"
    ]


def test_nothing_is_written_if_a_worker_sees_other_files(address, client, project, monkeypatch):
    parts = cluster.report_parts
    monkeypatch.setattr(cluster, "report_parts", lambda report, root: {**parts(report, root), "notebook": "other"})
    with pytest.raises(ClusterError, match=r"^the worker at tcp://\S+ sees something else for report a: its notebook$"):
        render(project, scheduler=address)
    assert not (project / "reports" / "html").exists()
    monkeypatch.setattr(cluster, "report_parts", lambda report, root: {})
    with pytest.raises(ClusterError, match="does not see the folder /nowhere: it must be there under the same name"):
        cluster.check_workers_see(client, [], Path("/nowhere"))


def test_what_changes_between_the_check_and_the_report_is_seen(address, client, project, monkeypatch):
    check = cluster.check_workers_see

    def then_edited(client, reports, root):
        check(client, reports, root)
        monkeypatch.setattr(cluster, "report_parts", partial(edited, cluster.report_parts))

    def edited(parts, report, root):
        return {**parts(report, root), "lock": "another"}

    monkeypatch.setattr(pipeline, "check_workers_see", then_edited)
    (entry,) = render(project, ["a"], scheduler=address, say=lambda line: None).entries
    assert entry.status == "FAILED" and entry.problem.endswith("sees something else for report a: requirements.lock")


def test_a_report_whose_old_state_cannot_be_removed_fails_alone(address, client, project, monkeypatch):
    def forget(target, name):
        raise OSError(30, "Read-only file system", name)

    monkeypatch.setattr(pipeline, "forget", forget)
    (entry,) = render(project, ["a"], scheduler=address, say=lambda line: None).entries
    assert entry.status == "FAILED" and entry.problem == "Read-only file system: a"


def called(project, *words):
    return CliRunner().invoke(cli.main, ["--root", str(project), "render", *words])


def test_an_address_that_nobody_answers_writes_nothing(project, monkeypatch):
    monkeypatch.setattr(pipeline, "connected", partial(connected, wait=0.5))
    result = called(project, "--scheduler", "tcp://127.0.0.1:9")
    assert result.exit_code == 2 and not (project / "reports" / "html").exists()
    assert "error: no Dask scheduler answered at tcp://127.0.0.1:9 within 0.5 s" in result.output


def test_without_dask_a_sentence_names_the_extra(project, monkeypatch):
    monkeypatch.setattr("genexpy_nb.common.extras.find_spec", lambda name: None)
    result = called(project, "--scheduler", "tcp://127.0.0.1:9")
    assert result.exit_code == 2 and not (project / "reports" / "html").exists()
    assert 'dask, distributed are not installed; pip install "genexpy_nb[dask]"' in result.output


def test_the_page_names_the_command_as_it_is():
    (command,) = blocks("sh")[1].splitlines()
    words = shlex.split(command)
    assert words[:2] == ["genexpy-nb", "render"]
    context = cli.main.commands["render"].make_context("render", words[2:])
    assert context.params["scheduler"] == ADDRESS and context.params["jobs"] is None
