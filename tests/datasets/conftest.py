"""A world in which no test leaves this machine: small tables, a cache of its own, servers that do as they are told."""

import socketserver
import threading
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from mini_tables import FRAMES, UNREACHABLE, write_bundled, write_registry

from genexpy_nb.datasets import locating


@pytest.fixture
def world(tmp_path, monkeypatch):
    """Small tables in place of the real ones; a cache of our own; a closed port in place of the network."""
    cache, bundled, named = tmp_path / "cache", tmp_path / "bundled", tmp_path / "named"
    bundled.mkdir()
    named.mkdir()
    content, known = {}, {name: locating.published(name) for name in FRAMES}
    for name, make in FRAMES.items():
        make().to_parquet(tmp_path / "original.parquet")
        content[name] = (tmp_path / "original.parquet").read_bytes()
        known[name] |= {"sha256": sha256(content[name]).hexdigest(), "bytes": len(content[name]), "rows": len(make())}
        write_bundled(bundled, name, make().iloc[:1])
    write_registry(bundled, known)
    with socketserver.TCPServer(("127.0.0.1", 0), None) as closed:
        port = closed.server_address[1]
    monkeypatch.setattr(locating, "BASE_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setattr(locating, "data_folder", lambda: bundled)
    monkeypatch.setattr(locating, "cache_folder", lambda: cache)
    monkeypatch.setattr(locating, "RETRIES", 0)  # each waits for a second
    monkeypatch.setattr(locating, "_unreachable", {})
    monkeypatch.delenv("GENEXPY_NB_DATA", raising=False)
    for variable in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.upper(), raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    files = {name: table["file"] for name, table in known.items()}
    return SimpleNamespace(cache=cache, bundled=bundled, named=named, content=content, registry=known, files=files)


@pytest.fixture
def serve(world, monkeypatch):
    """serve(answer) starts a server; answer(handler, content) writes the response; returns the paths asked for."""
    servers, release = [], threading.Event()

    def start(answer):
        asked = []
        by_path = {f"/{e['repository']}/{e['commit']}/{e['path']}": n for n, e in world.registry.items()}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                answer(self, world.content[by_path.get(self.path.partition("?")[0], "encoders")])

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads, server.release = True, release
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        servers.append(server)
        monkeypatch.setattr(locating, "BASE_URL", f"http://127.0.0.1:{server.server_address[1]}")
        return asked

    start.servers = servers
    yield start
    release.set()
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(params=UNREACHABLE)
def unreachable(request, serve, monkeypatch):
    """A server that fails in one of several ways: the paths it is asked for, and what is to be said about it."""
    answer, reason = UNREACHABLE[request.param]
    monkeypatch.setattr(locating, "TIMEOUT", 0.2)
    return serve(answer) if answer else None, reason
