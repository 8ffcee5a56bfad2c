"""workers: no process outlives its caller, nothing that is left is taken for done, one report's end is not all's.

More moments by hand: ``GENEXPY_NB_KILLS=60 GENEXPY_NB_REPORTS=20 pytest -m slow -k any_moment tests/reporting``
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from uuid import uuid4

import pytest
from mini_project import make_project

from genexpy_nb.reporting.execute import render

KILLS = int(os.environ.get("GENEXPY_NB_KILLS", "3"))
REPORTS = int(os.environ.get("GENEXPY_NB_REPORTS", "3"))
TINY = """# %% tags=["parameters"]
n: int = 1  # how many

# %%
print("n is", n)
"""
MARK = "GENEXPY_NB_TEST_MARK"
PROMPT = 240.0  # seconds, on however busy a machine; what is to be ended would go on for ten minutes or more
linux = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")


def project(folder, size, notebook=TINY):
    reports = {f"r{n:02d}": f"notebook: 01_tiny\ntitle: Number {n}\nparameters: {{n: {n}}}\n" for n in range(size)}
    return make_project(folder, {"01_tiny": notebook}, reports)


def start(root, *options, command=("render",), **more):
    """The command in a process of its own, that and whose children carry a mark."""
    environment = {**os.environ, MARK: uuid4().hex, **more}
    ours = "from genexpy_nb.cli import main; main()"
    arguments = [sys.executable, "-c", ours, "--root", str(root), *command, *options]
    process = subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.mark = environment[MARK]
    return process


def marked(process):
    """The living processes with the mark of this one: number and command."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                there = f"{MARK}={process.mark}".encode() in (folder / "environ").read_bytes().split(b"\0")
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if there and state != "Z":
                found.append((int(folder.name), command))
    return found


def wait_until_none_is_left(process):
    begin = time.monotonic()
    while marked(process):
        assert time.monotonic() - begin < PROMPT, marked(process)
        time.sleep(0.05)


def done(root):
    """Names of the reports that count as done; what is said of each must be true."""
    names = set()
    for file in (root / "reports" / ".state").glob("*.json"):
        entry = json.loads(file.read_text())
        if entry["status"] == "ok":
            for folder, ending, key in (("html", "html", "page"), ("executed", "ipynb", "executed")):
                content = (root / "reports" / folder / f"{file.stem}.{ending}").read_bytes()
                assert sha256(content).hexdigest() == entry[key], file
            names.add(file.stem)
    return names


def outputs(root):
    """All pages and notebooks, without the line that has the time."""
    found = {}
    for file in [*(root / "reports" / "html").glob("r*.html"), *(root / "reports" / "executed").glob("*.ipynb")]:
        lines = file.read_text().splitlines()
        found[file.name] = [line for line in lines if 'class="rendered"' not in line]
        assert len(lines) - len(found[file.name]) == (file.suffix == ".html"), file
    return found


@pytest.mark.slow  # dozens of processes: the tests below stop a call at its worst moment
@linux
def test_a_call_that_is_stopped_at_any_moment_leaves_no_process_and_no_wrong_page(tmp_path):
    """Each call goes on where the one before was stopped; when all is done, it begins anew."""
    root, begin = project(tmp_path / "undisturbed", REPORTS), time.monotonic()
    process = start(root, "--jobs", "2")
    said = process.communicate(timeout=600)
    assert process.returncode == 0 and not marked(process) and len(done(root)) == REPORTS, said
    expected, seconds = outputs(root), min(time.monotonic() - begin, 15)
    rng = random.Random(int(os.environ.get("GENEXPY_NB_SEED", "12")))
    root, before, rounds = project(tmp_path / "0", REPORTS), set(), 0
    for number in islice(cycle((signal.SIGKILL, signal.SIGTERM, signal.SIGINT)), KILLS):
        process = start(root, "--jobs", "2")
        try:
            said, problem = process.communicate(timeout=rng.uniform(0, seconds))
            assert process.returncode == 0, (said, problem)  # it was done before
        except subprocess.TimeoutExpired:
            begin = time.monotonic()
            process.send_signal(number)
            said, problem = process.communicate(timeout=2 * PROMPT)
            assert time.monotonic() - begin < PROMPT
            if process.returncode not in (0, -number):  # done in that moment, or not yet listening
                stopped = f"stopped ({number.name}): what is finished stays, the next call does the rest\n"
                assert (process.returncode, problem) == (128 + number, stopped)
            elif process.returncode == -number and number != signal.SIGKILL:
                assert not said or "\nopen " in said
        wait_until_none_is_left(process)
        begun = re.findall(r"^(r\d+): (?:queued|started)", said, flags=re.MULTILINE)
        skipped = re.findall(r"^(r\d+): unchanged", said, flags=re.MULTILINE)
        finished = re.findall(r"^(r\d+): done", said, flags=re.MULTILINE)
        assert not set(begun) & before and set(skipped) <= before and set(finished) <= done(root), said
        if number != signal.SIGKILL and process.returncode:
            assert not list((root / "reports").rglob(".*.tmp"))
        before = done(root)
        if len(before) == REPORTS:
            assert outputs(root) == expected
            rounds += 1
            root, before = project(tmp_path / str(rounds), REPORTS), set()
    process = start(root, "--jobs", "2")
    said, problem = process.communicate(timeout=600)
    assert process.returncode == 0 and not problem, (said, problem)
    assert set(re.findall(r"^(r\d+): unchanged", said, flags=re.MULTILINE)) == before
    assert outputs(root) == expected and not list((root / "reports").rglob(".*.tmp"))


BUSY = """# %%
import subprocess
import sys
from pathlib import Path

subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
Path("begun").touch()
# in compiled code, where no thread of Python's own can look for a parent
sum(range(10**12))
"""


@linux
@pytest.mark.parametrize(
    ("number", "command"),
    [
        (signal.SIGKILL, ["render"]),
        pytest.param(signal.SIGINT, ["render"], marks=pytest.mark.slow),  # as above, by another signal or command
        pytest.param(signal.SIGKILL, ["notebooks", "sync"], marks=pytest.mark.slow),
    ],
)
def test_a_kernel_in_compiled_code_ends_and_what_it_started_too(number, command, tmp_path):
    root = project(tmp_path, 1, BUSY.replace("# %%", "# %% tags=['parameters']\nn: int = 1\n\n# %%", 1))
    process = start(root, command=command)
    while not (root / "notebooks" / "begun").exists():
        assert process.poll() is None
        time.sleep(0.05)
    assert len(marked(process)) >= 4  # the command, its worker or who watches, the kernel, and what that has started
    begin = time.monotonic()
    process.send_signal(number)
    process.communicate(timeout=2 * PROMPT)
    assert time.monotonic() - begin < PROMPT
    wait_until_none_is_left(process)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    index = root / "reports" / "html" / "index.html"
    assert number == signal.SIGKILL or "not rendered" in index.read_text()


ENDS = """
# %%
import os
import signal

if n == 1:
    os.kill(os.getppid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_is_a_report_that_failed(tmp_path):
    root = project(tmp_path, 2, TINY + ENDS)
    outcome = render(root, say=lambda line: None)
    assert [entry.status for entry in outcome.entries] == ["ok", "FAILED"]
    assert outcome.entries[1].problem.startswith("the process that worked on it died (out of memory?): ")
    assert "SIGKILL" in outcome.entries[1].problem
    assert "out of memory?" in (root / "reports" / "html" / "r01.html").read_text()
