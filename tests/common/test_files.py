"""Files that are written all or nothing: whatever happens meanwhile, nobody finds half of one."""

import os
import signal
import stat
import subprocess
import sys
import threading

import pytest

from genexpy_nb.common.files import replacing, write_atomically


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
