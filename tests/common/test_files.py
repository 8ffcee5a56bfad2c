"""Files that are written all or nothing: whatever happens meanwhile, nobody finds half of one."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

from genexpy_nb.common.files import locked, replacing, try_lock, write_atomically


def test_a_file_appears_when_all_of_it_is_written(tmp_path):
    path = tmp_path / "new" / "deep" / "a.csv"
    with replacing(path) as waiting:
        waiting.write_text("half")
        assert not path.exists()
        assert waiting.parent == path.parent  # another folder can be another file system: no replacing in one step
        assert waiting.name.startswith(".a.")
        assert waiting.suffix == ".tmp"
        waiting.write_text("all of it")
    assert path.read_text() == "all of it"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "a.csv"
    for expected in ([], [path]):
        with pytest.raises(error), replacing(path) as waiting:
            waiting.write_text("half")
            raise error
        assert list(tmp_path.iterdir()) == expected
        if expected:
            assert path.read_text() == "old"
        path.write_text("old")


def test_a_file_that_nobody_wrote_is_empty(tmp_path):
    with replacing(tmp_path / "a"):
        pass
    assert (tmp_path / "a").read_bytes() == b""


def test_what_is_removed_before_the_end_replaces_nothing(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "a") as waiting:
        waiting.unlink()
    assert [file.name for file in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no process can be killed so on this system")
def test_a_killed_process_leaves_the_old_file_and_nothing_that_looks_like_a_result(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    script = (
        "import os, signal, sys\n"
        "from genexpy_nb.common.files import replacing\n"
        "with replacing(sys.argv[1]) as waiting:\n"
        "    waiting.write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    (left,) = set(tmp_path.iterdir()) - {path}
    assert left.name.startswith(".a.")
    assert left.suffix == ".tmp"
    write_atomically(path, "new")
    assert path.read_text() == "new"


def test_others_may_read_it(tmp_path):
    write_atomically(tmp_path / "a", "x")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o644


def test_text_is_utf8_with_its_line_ends_untouched(tmp_path):
    write_atomically(tmp_path / "a", "α ≤ ½\nβ\r\n")
    assert (tmp_path / "a").read_bytes() == "α ≤ ½\nβ\r\n".encode()


def test_a_path_can_be_text_and_its_name_long(tmp_path):
    path = tmp_path / ("n" * 240 + ".csv")
    write_atomically(os.fspath(path), "x")
    assert path.read_text() == "x"


def test_a_reader_beside_a_writer_only_sees_whole_files(tmp_path):
    path = tmp_path / "a"
    versions = [str(digit) * 200_000 for digit in range(10)]
    write_atomically(path, versions[0])

    def write():
        for version in versions * 5:
            write_atomically(path, version)

    writer = threading.Thread(target=write)
    writer.start()
    seen = {path.read_text()}
    while writer.is_alive():
        seen.add(path.read_text())
    writer.join()
    assert seen <= set(versions)


HOLDS = """
import sys, time
from genexpy_nb.common.files import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no process can be killed so on this system")
def test_a_lock_keeps_another_process_out_and_ends_with_its_own(tmp_path):
    path = tmp_path / "new" / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with locked(path, wait=False) as held:
            assert not held
        assert path.exists()  # who did not get it does not remove it
        other.kill()
    with locked(path) as held:
        assert held
    assert list(path.parent.iterdir()) == []


def test_one_at_a_time_however_many_wait(tmp_path):
    """Files that come and go under those who wait: nobody may hold one that is no longer there."""
    inside, most, order = [], [], []

    def work(number):
        for _ in range(25):
            with locked(tmp_path / "lock"):
                inside.append(number)
                most.append(len(inside))
                time.sleep(0.0005)
                inside.remove(number)
                order.append(number)
            time.sleep(0.0001)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(order) == 100 and max(most) == 1
    assert list(tmp_path.iterdir()) == []


def test_an_error_lets_go_of_the_lock(tmp_path):
    with pytest.raises(ZeroDivisionError), locked(tmp_path / "lock"):
        raise ZeroDivisionError
    with locked(tmp_path / "lock", wait=False) as held:
        assert held


def test_a_file_system_without_locks_keeps_nobody_out(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(file, how):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with (tmp_path / "lock").open("a") as file:
        assert try_lock(file)
