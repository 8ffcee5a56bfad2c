"""datasets: which file is taken, when it is refused, and what is said about it. No test leaves this machine."""

import json
import socketserver
import threading
import warnings
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pooch
import pytest

from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.datasets import tables as datasets

DATA = Path(__file__).resolve().parents[2] / "data"
REGISTRY = json.loads((DATA / "registry.json").read_text())
LOADERS = {"encoders": datasets.load_encoders, "bigbench": datasets.load_bigbench}
COLUMNS = {
    "encoders": ["dataset", "model", "tuning", "scoring", "encoder", "cv_score", "time"],
    "bigbench": ["subtask_description", "task_name", "number_of_shots", "model_family_model_name", "score_value"],
}


def encoders_frame(n=3):
    return pd.DataFrame(
        {
            "scoring": "ACC",  # not in the schema's order, as in the published table
            "dataset": [str(i) for i in range(n)],
            "model": "LR",
            "tuning": "no",
            "encoder": "OHE",
            "cv_score": [i / 10 for i in range(n)],
            "time": [None] + [1.5] * (n - 1),
        }
    )


def bigbench_frame():
    return pd.DataFrame(
        {
            "subtask_description": ["a", "b"],
            "task_name": "t",
            "number_of_shots": [0, 1],
            "model_family_model_name": "m",
            "score_value": [-0.5, 0.5],
        }
    )


FRAMES = {"encoders": encoders_frame, "bigbench": bigbench_frame}


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def write_bundled(folder, name, frame, sha=None):
    path = folder / f"{datasets._BUNDLED[name]}.parquet"
    frame.to_parquet(path)
    sha = sha or sha256(path.read_bytes()).hexdigest()
    path.with_suffix(".json").write_text(json.dumps({"sha256": sha}))
    return path


def everything_in(folder):
    return sorted(p.name for p in folder.rglob("*") if p.is_file()) if folder.exists() else []


@pytest.fixture(autouse=True)
def world(tmp_path, monkeypatch):
    """Small tables in place of the real ones; a cache of our own; a closed port in place of the network."""
    cache, bundled, named = tmp_path / "cache", tmp_path / "bundled", tmp_path / "named"
    bundled.mkdir()
    named.mkdir()
    content, registry = {}, {}
    for name, make in FRAMES.items():
        make().to_parquet(tmp_path / "original.parquet")
        content[name] = (tmp_path / "original.parquet").read_bytes()
        registry[name] = REGISTRY[name] | {
            "sha256": sha256(content[name]).hexdigest(),
            "bytes": len(content[name]),
            "rows": len(make()),
        }
        write_bundled(bundled, name, make().iloc[:1])
    with socketserver.TCPServer(("127.0.0.1", 0), None) as closed:
        port = closed.server_address[1]
    monkeypatch.setattr(datasets, "BASE_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setattr(datasets, "_cache_folder", lambda: cache)
    monkeypatch.setattr(datasets, "data_folder", lambda: bundled)
    monkeypatch.setattr(datasets, "_registry", lambda: registry)
    monkeypatch.setattr(datasets, "_unreachable", {})
    monkeypatch.delenv("GENEXPY_NB_DATA", raising=False)
    for variable in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.upper(), raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    files = {name: entry["file"] for name, entry in registry.items()}
    return SimpleNamespace(cache=cache, bundled=bundled, named=named, content=content, registry=registry, files=files)


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
                answer(self, world.content[by_path[self.path]])

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads, server.release = True, release
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        servers.append(server)
        monkeypatch.setattr(datasets, "BASE_URL", f"http://127.0.0.1:{server.server_address[1]}")
        return asked

    yield start
    release.set()
    for server in servers:
        server.shutdown()
        server.server_close()


def send(handler, content, status=200, announced=None):
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(content) if announced is None else announced))
    handler.end_headers()
    handler.wfile.write(content)


def good(handler, content):
    send(handler, content)


def cut_off(handler, content):
    send(handler, content[:-100], announced=len(content))


def truncated(handler, content):
    send(handler, content[:-100])


def wrong(handler, content):
    send(handler, b"<html>please log in</html>")


def gone(handler, content):
    send(handler, b"not here", status=404)


def hangs_at_once(handler, content):
    handler.server.release.wait(30)


def hangs_midway(handler, content):
    send(handler, content[:-100], announced=len(content))
    handler.wfile.flush()
    handler.server.release.wait(30)


def drips(handler, content):
    send(handler, b"", announced=1_024_000)
    for _ in range(1000):
        handler.wfile.write(b"x" * 1024)
        if handler.server.release.wait(0.01):
            return


# ------------------------------------------------------------------------------------------- where a table is found


@pytest.mark.parametrize("name", datasets.NAMES)
@pytest.mark.parametrize("source", ["auto", "original"])
def test_download_is_verified_and_cached(name, source, world, serve, recwarn):
    asked = serve(good)
    frame = LOADERS[name](source)
    entry = world.registry[name]
    assert asked == [f"/{entry['repository']}/{entry['commit']}/{entry['path']}"]
    assert frame.attrs["source"] == "original"
    assert frame.attrs["sha256"] == entry["sha256"]
    pd.testing.assert_frame_equal(frame, FRAMES[name]()[COLUMNS[name]], check_dtype=False)
    assert (world.cache / entry["file"]).read_bytes() == world.content[name]
    LOADERS[name](source)
    assert len(asked) == 1, "the second load takes the cached file"
    assert not recwarn.list


def test_named_folder_comes_before_cache_and_network(world, serve, monkeypatch):
    asked = serve(good)
    named = write(world.named / world.files["encoders"], world.content["encoders"])
    cached = write(world.cache / world.files["encoders"], world.content["encoders"])
    assert datasets.locate("encoders").path == cached
    monkeypatch.setenv("GENEXPY_NB_DATA", str(world.named))
    assert datasets.locate("encoders") == datasets.Located(
        "encoders",
        "original",
        named,
        world.registry["encoders"]["sha256"],
        "published in github.com/DrCohomology/EncoderBenchmarking at commit 1e288afde909",
    )
    assert not asked


@pytest.mark.parametrize("folder", ["named", "nowhere"])
def test_named_folder_without_the_file_is_passed_over_and_mentioned(folder, world, monkeypatch):
    monkeypatch.setenv("GENEXPY_NB_DATA", str(world.named.parent / folder))
    with pytest.warns(UserWarning, match=r"GENEXPY_NB_DATA names no folder with encoders_results\.parquet"):
        assert datasets.load_encoders().attrs["source"] == "bundled"
    with pytest.raises(DataError, match=f"now: .*{folder}"):
        datasets.load_encoders("original")


def test_empty_variable_counts_as_unset(world, monkeypatch):
    monkeypatch.setenv("GENEXPY_NB_DATA", "")
    monkeypatch.chdir(world.named)
    write(world.named / world.files["encoders"], b"not to be read")
    with pytest.warns(UserWarning, match="cannot be had: no network"):
        datasets.load_encoders()


# ------------------------------------------------------------------------------------------------- damaged files


@pytest.mark.parametrize("source", ["auto", "original"])
@pytest.mark.parametrize("place", ["named", "cache"])
@pytest.mark.parametrize("damage", [lambda b: b[:-7], lambda b: b[:-1] + b"?", lambda b: b""])
def test_damaged_file_is_never_replaced_silently(source, place, damage, world, serve, monkeypatch):
    asked = serve(good)
    monkeypatch.setenv("GENEXPY_NB_DATA", str(world.named))
    content = damage(world.content["encoders"])
    path = write(getattr(world, place) / world.files["encoders"], content)
    with pytest.raises(DataError) as caught:
        datasets.load_encoders(source)
    message = str(caught.value)
    for part in (
        str(path),
        world.registry["encoders"]["sha256"],
        f"{len(world.content['encoders']):,} bytes",
        sha256(content).hexdigest(),
        f"{len(content):,} bytes",
        "delete it",
        "GENEXPY_NB_DATA" if place == "named" else "genexpy-nb data fetch encoders",
    ):
        assert part in message
    assert path.read_bytes() == content
    assert not asked


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


# --------------------------------------------------------------------------------------------------- no network


UNREACHABLE = {
    "refused": (None, "no network: the connection failed or broke off"),
    "hangs at once": (hangs_at_once, "did not answer, or not fast enough"),
    "hangs midway": (hangs_midway, "did not answer, or not fast enough"),
    "drips": (drips, "did not answer, or not fast enough"),
    "cut off": (cut_off, "no network: the connection failed or broke off"),
    "gone": (gone, "the server answered with status 404"),
}


@pytest.fixture(params=UNREACHABLE)
def unreachable(request, serve, monkeypatch):
    answer, reason = UNREACHABLE[request.param]
    monkeypatch.setattr(datasets, "TIMEOUT", 0.2)
    monkeypatch.setattr(datasets, "LIMIT", 0.5)
    return serve(answer) if answer else None, reason


def test_auto_falls_back_and_says_so(unreachable, world):
    asked, reason = unreachable
    for _ in range(2):
        with pytest.warns(UserWarning, match=reason) as caught:
            frame = datasets.load_encoders("auto")
        # Abandoned downloads leave ResourceWarnings about sockets, wherever the garbage collector happens to run.
        said = [w for w in caught if not issubclass(w.category, ResourceWarning)]
        assert [Path(w.filename).name for w in said] == [Path(__file__).name]
        assert frame.attrs["source"] == "bundled"
        assert reason in frame.attrs["note"]
        assert "not the published table" in str(datasets.notice(frame)).lower()
        assert reason in str(datasets.notice(frame))
    assert asked is None or len(asked) == 1, "a failed download is remembered"
    assert everything_in(world.cache) == []


def test_original_never_falls_back(unreachable, world):
    asked, reason = unreachable
    for _ in range(2):
        with pytest.raises(DataError, match=reason) as caught:
            datasets.load_encoders("original")
        assert "GENEXPY_NB_DATA (now: not set)" in str(caught.value)
        assert "source='bundled'" in str(caught.value)
    assert asked is None or len(asked) == 2, "who asks for the original gets a fresh attempt"
    assert everything_in(world.cache) == []


def test_original_works_again_once_the_network_is_back(world, serve):
    with pytest.warns(UserWarning):
        datasets.load_encoders("auto")
    serve(good)
    assert datasets.load_encoders("original").attrs["source"] == "original"
    assert datasets.load_encoders("auto").attrs["source"] == "original"


def test_cache_that_cannot_be_written(world, serve, monkeypatch):
    serve(good)
    monkeypatch.setattr(datasets, "_cache_folder", lambda: write(world.named / "file", b"") / "below")
    with pytest.warns(UserWarning, match="the cache folder cannot be written"):
        assert datasets.load_encoders().attrs["source"] == "bundled"


def test_no_original_and_nothing_bundled(world):
    (world.bundled / "fewshot.json").unlink()
    with pytest.raises(DataError, match=r"fewshot\.json is missing: .*python data/make_fewshot\.py.*no network"):
        datasets.load_bigbench()


def test_look_up_of_the_host_that_never_ends(world, monkeypatch):
    """Neither the connect nor the read timeout of requests bounds it."""
    release = threading.Event()
    monkeypatch.setattr(pooch, "HTTPDownloader", lambda **_: lambda *_: release.wait(5))
    monkeypatch.setattr(datasets, "TIMEOUT", 0.1)
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
    monkeypatch.setattr(datasets, "TIMEOUT", 1.0)
    assert len(world.content["encoders"]) > 3 * 1024
    assert datasets.load_encoders("original").attrs["source"] == "original"


# ------------------------------------------------------------------------------------------------------ bundled


@pytest.mark.parametrize("name", datasets.NAMES)
def test_bundled_never_asks_for_the_original(name, world, serve, monkeypatch, recwarn):
    asked = serve(good)
    monkeypatch.setenv("GENEXPY_NB_DATA", str(world.named))
    write(world.named / world.files[name], b"damaged")
    frame = LOADERS[name]("bundled")
    assert frame.attrs["source"] == "bundled"
    assert len(frame) == 1
    assert not asked
    assert not recwarn.list


def test_damaged_bundled_file(world):
    write_bundled(world.bundled, "encoders", encoders_frame(), sha="0" * 64)
    with pytest.raises(DataError, match=r"encoders\.parquet is damaged .*0{64}.*python data/make_encoders\.py"):
        datasets.load_encoders("bundled")


def test_missing_bundled_file(world):
    (world.bundled / "encoders.parquet").unlink()
    with pytest.raises(DataError, match=r"encoders\.parquet cannot be read .*python data/make_encoders\.py"):
        datasets.load_encoders("bundled")


@pytest.mark.parametrize("text", ["{}", "[]", "no json"])
def test_provenance_without_sha256(text, world):
    (world.bundled / "encoders.json").write_text(text)
    with pytest.raises(DataError, match=r"encoders\.json gives no sha256"):
        datasets.load_encoders("bundled")


def test_data_folder_of_checkout_and_of_wheel(tmp_path, monkeypatch):
    monkeypatch.undo()
    assert datasets.data_folder() == DATA
    monkeypatch.setattr(datasets, "__file__", str(tmp_path / "site-packages" / "genexpy_nb" / "datasets" / "tables.py"))
    (tmp_path / "site-packages" / "data").mkdir(parents=True)
    inside = tmp_path / "site-packages" / "genexpy_nb" / "_data"
    inside.mkdir(parents=True)
    assert datasets.data_folder() == inside


# ------------------------------------------------------------------------------------------- schema and parameters


@pytest.mark.parametrize(
    ("break_it", "match"),
    [
        (lambda f: f.drop(columns=["tuning", "time"]), "columns tuning, time are missing; there are scoring, dataset"),
        (
            lambda f: f.assign(cv_score=f["cv_score"].astype(str)),
            "column cv_score must be of type float, is str|object",
        ),
        (lambda f: f.assign(dataset=range(len(f))), "column dataset must be of type text, is int64"),
        (lambda f: f.assign(dataset="1"), r"2 rows repeat a key .*first \{'dataset': '1'"),
        (lambda f: f.assign(model=["LR", None, "LR"]), "missing values in the key"),
    ],
)
def test_schema(break_it, match, world):
    path = write_bundled(world.bundled, "encoders", break_it(encoders_frame()))
    with pytest.raises(DataError, match=match) as caught:
        datasets.load_encoders("bundled")
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "call", [datasets.load_encoders, datasets.load_bigbench, lambda s: datasets.locate("encoders", s)]
)
def test_unknown_source(call):
    with pytest.raises(ParameterError, match=r"source must be one of .*did you mean 'original'"):
        call("orignal")


def test_unknown_name_is_refused_before_anything_is_downloaded(serve):
    asked = serve(good)
    with pytest.raises(ParameterError, match="name must be one of"):
        datasets.locate("iris")
    with pytest.raises(ParameterError, match="did you mean 'bigbench'"):
        datasets.fetch(["encoders", "bigbnch"])
    assert not asked


# ----------------------------------------------------------------------------------------------- status and notice


def test_status(world, serve, monkeypatch):
    asked = serve(good)
    monkeypatch.setenv("GENEXPY_NB_DATA", str(world.named))
    write(world.named / world.files["encoders"], b"damaged")
    (world.bundled / "fewshot.parquet").unlink()
    table = datasets.status().set_index(["name", "variant"])
    assert table["available"].to_dict() == {
        ("encoders", "original"): False,
        ("encoders", "bundled"): True,
        ("bigbench", "original"): False,
        ("bigbench", "bundled"): False,
    }
    assert not table.loc[("encoders", "original"), "sha256_ok"]
    assert table.loc[("encoders", "bundled"), "sha256_ok"]
    assert table["sha256_ok"].isna().tolist() == [False, False, True, True]
    assert table.loc[("encoders", "bundled"), "rows"] == 1
    assert table.loc[("bigbench", "original"), "where"].startswith("http://127.0.0.1")
    assert not asked, "status does not touch the network"
    datasets.fetch()
    monkeypatch.delenv("GENEXPY_NB_DATA")
    table = datasets.status().set_index(["name", "variant"]).xs("original", level="variant")
    assert table["available"].all()
    assert table["sha256_ok"].all()
    assert table["rows"].to_dict() == {"encoders": 3, "bigbench": 2}
    assert table["where"].tolist() == [str(world.cache / file) for file in world.files.values()]


def test_notice_of_the_published_table(world, serve):
    serve(good)
    says = datasets.notice(datasets.load_encoders())
    for text in (str(says), says._repr_html_(), says._repr_markdown_()):
        assert "Published table" in text
        assert "DrCohomology/EncoderBenchmarking at commit 1e288afde909" in text
        assert world.registry["encoders"]["sha256"][:12] in text
        assert str(world.cache) not in text, "no path of a machine in a notebook"


def test_notice_of_bundled_results_is_escaped_html(world):
    frame = datasets.load_encoders("bundled")
    frame.attrs["note"] = "a <b> & c"
    says = datasets.notice(frame)
    assert says._repr_html_().startswith('<p class="gx-source gx-bundled" role="note"><strong>Not the published table')
    assert "a &lt;b&gt; &amp; c" in says._repr_html_()
    assert "a <b> & c" in str(says)


def test_notice_needs_a_loaded_frame():
    with pytest.raises(DataError, match="attrs lack name, note, sha256, source"):
        datasets.notice(encoders_frame())


# ---------------------------------------------------------------------------------------------- the real tables


@pytest.mark.published
@pytest.mark.parametrize(("name", "rows"), [("encoders", 61_812), ("bigbench", 183_819)])
def test_published_tables(name, rows, published_data, monkeypatch):
    monkeypatch.setattr(datasets, "_registry", lambda: REGISTRY)
    monkeypatch.setenv("GENEXPY_NB_DATA", str(published_data))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = LOADERS[name]("auto")
    assert frame.attrs["source"] == "original"
    assert frame.attrs["sha256"] == REGISTRY[name]["sha256"]
    assert len(frame) == rows == REGISTRY[name]["rows"]
    table = datasets.status().set_index(["name", "variant"])
    assert table.loc[(name, "original"), "rows"] == rows


def test_addresses_are_of_pinned_commits(monkeypatch):
    monkeypatch.undo()
    assert datasets._url("encoders") == (
        "https://raw.githubusercontent.com/DrCohomology/EncoderBenchmarking/"
        "1e288afde909312e71ec1c32125e83639547d3d5/analysis/experimental_results/results.parquet"
    )
    assert datasets._url("bigbench") == (
        "https://raw.githubusercontent.com/DrCohomology/genexpy/5fccedcca860f0612116507e81bf41c1a7e81702/"
        "demos/case_studies/BIG-bench/data/bigbench_results_prefiltered.parquet"
    )


# ------------------------------------------------------------------------------------- what the repository ships


@pytest.mark.parametrize("name", datasets.NAMES)
def test_shipped_results_load(name, monkeypatch):
    monkeypatch.undo()
    frame = LOADERS[name]("bundled")
    assert list(frame.columns) == COLUMNS[name]
    assert len(frame) == json.loads((DATA / f"{datasets._BUNDLED[name]}.json").read_text())["rows"]


def test_readme_states_the_files_that_are_used():
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    for name, entry in REGISTRY.items():
        own = json.loads((DATA / f"{datasets._BUNDLED[name]}.json").read_text())
        for fact in (entry["file"], entry["sha256"], entry["commit"], f"{entry['rows']:,}", own["sha256"]):
            assert fact in readme


@pytest.mark.published
def test_infinite_scores_of_bigbench_are_missing_and_counted(published_data, monkeypatch):
    monkeypatch.setattr(datasets, "_registry", lambda: REGISTRY)
    monkeypatch.setenv("GENEXPY_NB_DATA", str(published_data))
    raw = pd.read_parquet(published_data / "bigbench_results_prefiltered.parquet")["score_value"]
    frame = datasets.load_bigbench("original")
    assert frame["score_value"].isna().sum() == (~np.isfinite(raw)).sum() == 12
    assert "12 infinite scores read as missing" in frame.attrs["note"]
