"""downloading: a published table arrives whole and verified, or not at all."""

import threading

import pooch
import pytest
from mini_tables import cut_off, everything_in, good, send, truncated, write, wrong

from genexpy_nb import datasets
from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets import downloading


def test_fetch_replaces_a_damaged_file_in_the_cache(world, serve):
    serve(good)
    path = write(world.cache / world.files["encoders"], b"damaged")
    (located,) = datasets.fetch("encoders")
    assert located.path == path
    assert path.read_bytes() == world.content["encoders"]


def test_fetch_keeps_the_damaged_file_when_the_download_fails(world, serve):
    serve(cut_off)
    path = write(world.cache / world.files["encoders"], b"damaged")
    with pytest.raises(DataError):
        datasets.fetch("encoders")
    assert everything_in(world.cache) == [path.name]


@pytest.mark.parametrize("source", ["auto", "original"])
@pytest.mark.parametrize("answer", [truncated, wrong])
def test_complete_answer_with_wrong_bytes_is_an_error(answer, source, world, serve):
    serve(answer)
    with pytest.raises(DataError, match=r"what http://.* sent is damaged or another file: expected SHA-256 .*bundled"):
        datasets.load_encoders(source)
    assert everything_in(world.cache) == []


def test_cache_that_cannot_be_written(world, serve, monkeypatch):
    serve(good)
    monkeypatch.setattr(downloading, "cache_folder", lambda: write(world.named / "file", b"") / "below")
    with pytest.warns(UserWarning, match="the cache folder cannot be written"):
        assert datasets.load_encoders().attrs["source"] == "bundled"


def test_look_up_of_the_host_that_never_ends(world, monkeypatch):
    """Neither the connect nor the read timeout of requests bounds it."""
    release = threading.Event()
    monkeypatch.setattr(pooch, "HTTPDownloader", lambda **_: lambda *_: release.wait(5))
    monkeypatch.setattr(downloading, "TIMEOUT", 0.1)
    with pytest.raises(DataError, match="did not answer, or not fast enough"):
        datasets.load_encoders("original")
    release.set()
    assert everything_in(world.cache) == []


def test_slow_but_steady_download_succeeds(world, serve, monkeypatch):
    def slowly(handler, content):
        send(handler, b"", announced=len(content))
        for start in range(0, len(content), 1024):
            handler.wfile.write(content[start : start + 1024])
            handler.server.release.wait(0.1)

    serve(slowly)
    monkeypatch.setattr(downloading, "TIMEOUT", 1.0)
    assert len(world.content["encoders"]) > 3 * 1024
    assert datasets.load_encoders("original").attrs["source"] == "original"
