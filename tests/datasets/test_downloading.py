"""downloading: a published table arrives whole and verified, or not at all."""

import gc
import gzip
import re
import threading
import tracemalloc
import warnings
from contextlib import suppress

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
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: release.wait(5))
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


def closed(handler):
    """Wait until the client has closed the connection."""
    handler.connection.settimeout(20)
    with suppress(ConnectionError):
        while handler.connection.recv(1 << 16):
            pass
    handler.server.closed.set()


def endless(head, chunk):
    """An answer that goes on until the client closes the connection; says how many bytes went through."""

    def answer(handler, content):
        handler.server.sent = 0
        handler.send_response(handler.server.status)
        for name, value in head(content).items():
            handler.send_header(name, value)
        handler.end_headers()
        with suppress(OSError):
            while handler.server.sent < 1 << 30:
                handler.wfile.write(chunk)
                handler.server.sent += len(chunk)
        handler.server.closed.set()

    return answer


BOMB = gzip.compress(bytes(10_000_000))  # a member of 10 MB in 10 kB; members may follow each other without end
ENDLESS = {
    "no length": (
        lambda content: {},
        b"x" * 1000,
        r"sent [\d,]+ bytes or more, and the published file has {size} bytes",
    ),
    "another length": (
        lambda content: {"Content-Length": str(1 << 40)},
        b"x" * 1000,
        "announces 1,099,511,627,776 bytes, and the published file has {size} bytes",
    ),
    "its own length": (lambda content: {"Content-Length": "1" * 4000}, b"x" * 1000, "announces .* {size} bytes"),
    "gzip": (lambda content: {"Content-Encoding": "gzip"}, BOMB, r"compressed \(gzip\), which was not asked for"),
    "deflate, gzip": (lambda content: {"Content-Encoding": "deflate, gzip"}, BOMB, r"compressed \(deflate, gzip\)"),
}


def peak_of(call):
    tracemalloc.start()
    try:
        with pytest.raises(DataError) as caught:
            call()
        return tracemalloc.get_traced_memory()[1], str(caught.value)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_download_stops_at_the_registered_size(kind, world, serve):
    head, chunk, said = ENDLESS[kind]
    serve(endless(head, chunk))
    server = serve.servers[-1]
    server.status, server.closed = 200, threading.Event()
    peak, message = peak_of(lambda: datasets.load_encoders("original"))
    assert re.search(said.format(size=f"{world.registry['encoders']['bytes']:,}"), message), message
    assert server.closed.wait(10)
    assert server.sent < 50_000_000  # what fits into the buffers of two sockets
    assert peak < 2_000_000
    assert everything_in(world.cache) == []


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_the_body_of_a_redirection_is_not_read(encoding, world, serve):
    serve(endless(lambda content: {"Location": "/elsewhere"} | {"Content-Encoding": encoding}, BOMB))
    server = serve.servers[-1]
    server.status, server.closed = 302, threading.Event()
    peak, message = peak_of(lambda: datasets.load_encoders("original"))
    assert "no network: the connection failed or broke off" in message
    assert server.closed.wait(10)
    assert server.sent < 50_000_000 and peak < 2_000_000


def test_a_redirection_is_followed(world, serve):
    def moved(handler, content):
        if handler.path.endswith("?here"):
            return good(handler, content)
        handler.send_response(301)
        handler.send_header("Location", handler.path + "?here")
        handler.end_headers()

    asked = serve(moved)
    assert datasets.load_encoders("original").attrs["source"] == "original"
    assert len(asked) == 2


def test_nothing_but_the_bytes_themselves_is_asked_for(world, serve):
    heads = []
    serve(lambda handler, content: heads.append(handler.headers["Accept-Encoding"]) or good(handler, content))
    datasets.load_encoders("original")
    assert heads == ["identity"]


def half(handler, content):
    send(handler, content[:-100], announced=len(content))
    handler.wfile.flush()
    closed(handler)


def nothing(handler, content):
    closed(handler)


def refused(handler, content):
    send(handler, b"not here", status=404)
    closed(handler)


@pytest.mark.parametrize("answer", [half, nothing, refused])
def test_a_failed_download_leaves_no_connection_open(answer, world, serve, monkeypatch):
    monkeypatch.setattr(downloading, "TIMEOUT", 0.2)
    serve(answer)
    server = serve.servers[-1]
    server.closed = threading.Event()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(DataError):
            datasets.load_encoders("original")
        assert server.closed.wait(2)
        gc.collect()
    assert [w for w in caught if issubclass(w.category, ResourceWarning)] == []
