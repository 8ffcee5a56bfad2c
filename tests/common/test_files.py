"""Files that are written all or nothing: whatever happens meanwhile, nobody finds half of one."""

import errno
import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import (
    frame_from_bytes,
    frame_to_bytes,
    json_hash,
    locked,
    parse_parquet,
    read_json,
    read_verified,
    replacing,
    try_lock,
    with_checksum,
    write_atomically,
)


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
        with path.open("a") as file:
            assert not try_lock(file)
        other.kill()
    with locked(path):
        assert path.exists()
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
    with locked(tmp_path / "lock"):
        pass


def test_a_file_system_without_locks_keeps_nobody_out(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(file, how):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with (tmp_path / "lock").open("a") as file:
        assert try_lock(file)


# --- what is read is what was written ---------------------------------------------------------------------------------


@pytest.fixture
def frame():
    made = pd.DataFrame({"task": ["a", None], "n": pd.array([1, None], dtype="Int64"), "score": [0.1, np.nan]})
    made.attrs = {"fits": 2, "failures": [{"why": 'said "checksum of this record": "'}]}
    return made


def test_a_record_is_read_as_it_was_written(frame, tmp_path):
    content = frame_to_bytes(frame, "task", "key")
    read = frame_from_bytes(content, "task", "key")
    pd.testing.assert_frame_equal(read, pd.read_parquet(_written(tmp_path, frame.to_parquet())))
    assert read.attrs == frame.attrs and list(frame.attrs) == ["fits", "failures"]
    assert frame_to_bytes(frame, "task", "key") == content
    by_others = pd.read_parquet(_written(tmp_path, content))  # it is parquet like any other
    pd.testing.assert_frame_equal(by_others, read)


def test_no_bit_can_be_changed(frame):
    content = frame_to_bytes(frame, "task", "key")
    for position in range(len(content)):
        bit = 1 << position % 8
        with pytest.raises(DataError, match="does not fit its checksum"):
            flipped = bytes([content[position] ^ bit])
            frame_from_bytes(content[:position] + flipped + content[position + 1 :], "task", "key")


def test_nothing_can_be_cut_off_or_added(frame):
    content = frame_to_bytes(frame, "task", "key")
    for length in range(0, len(content), 7):
        with pytest.raises(DataError, match="does not fit its checksum"):
            frame_from_bytes(content[:length], "task", "key")
    for more in (content + b"x", b"x" + content, content + content):
        with pytest.raises(DataError, match="does not fit its checksum"):
            frame_from_bytes(more, "task", "key")


@pytest.mark.parametrize(
    "about", [("task", "other"), ("other", "key"), ("taskkey",), ("task", "key", ""), ("tas", "kkey")]
)
def test_a_record_is_of_one_thing_only(about, frame):
    with pytest.raises(DataError, match="does not fit its checksum"):
        frame_from_bytes(frame_to_bytes(frame, "task", "key"), *about)


def test_a_verified_file_is_the_expected_one(tmp_path):
    path = _written(tmp_path, b"12345")
    right = hashlib.sha256(b"12345").hexdigest()
    assert read_verified(path, right, "make it") == b"12345"
    other = hashlib.sha256(b"1234").hexdigest()
    with pytest.raises(DataError, match=rf"expected SHA-256 {other}, found {right} in 5 bytes; make it"):
        read_verified(path, other, "make it")
    with pytest.raises(DataError, match=r"cannot be read \(Is a directory\): make it"):
        read_verified(tmp_path, right, "make it")


def test_what_json_says_is_verified_not_how_it_is_set(tmp_path):
    body = {"b": [1, 2.5, None], "a": {"c": "½"}}
    text = json.dumps(with_checksum(body))
    assert read_json(_written(tmp_path, text.encode()), "make it") == body
    assert read_json(_written(tmp_path, json.dumps(json.loads(text), indent=4, sort_keys=True).encode()), "x") == body
    assert json_hash(body) == hashlib.sha256(b'{"a": {"c": "\\u00bd"}, "b": [1, 2.5, null]}').hexdigest()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is damaged, this is no JSON: make it"),
        (b"\xff{}", "is damaged, this is no JSON: make it"),
        (b"[" * 100_000, "is damaged, this is no JSON: make it"),
        (b'{"n": ' + b"9" * 5000 + b"}", "is damaged, this is no JSON: make it"),
        (b"[1]", "does not fit its own checksum; make it"),
        (b"{}", "does not fit its own checksum; make it"),
        (json.dumps({"n": 2, "checksum": json_hash({"n": 1})}).encode(), "does not fit its own checksum; make it"),
    ],
)
def test_json_that_is_damaged_is_refused_in_a_sentence(content, said, tmp_path):
    with pytest.raises(DataError, match=said):
        read_json(_written(tmp_path, content), "make it")


def test_bytes_that_are_no_parquet_are_refused_in_a_line():
    for content in (b"", b"PAR1", b"PAR1" * 20, pd.DataFrame({"a": [1]}).to_parquet()[:-20] + b"PAR1"):
        with pytest.raises(DataError, match=r"^runs\.parquet cannot be read as parquet: [^\n]*$"):
            parse_parquet(content, "runs.parquet")


def _written(folder, content):
    (folder / "file").write_bytes(content)
    return folder / "file"
