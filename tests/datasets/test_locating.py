"""locating: which file is taken, when it is refused, and what is said about it; a download is whole or is not."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from mini_tables import cut_off, encoders_frame, everything_in, good, truncated, write, write_bundled, wrong

from genexpy_nb import datasets
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.datasets import NAMES, locating

DATA = Path(__file__).resolve().parents[2] / "data"
LOADERS = {"encoders": datasets.load_encoders, "bigbench": datasets.load_bigbench}


def test_named_folder_comes_before_cache_and_network(world, serve, monkeypatch):
    asked = serve(good)
    named = write(world.named / world.files["encoders"], world.content["encoders"])
    cached = write(world.cache / world.files["encoders"], world.content["encoders"])
    assert locating.locate("encoders").path == cached
    monkeypatch.setenv("GENEXPY_NB_DATA", str(world.named))
    assert locating.locate("encoders") == locating.Located(
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
    with pytest.warns(UserWarning, match=r"cannot be had \(no network"):
        datasets.load_encoders()


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
        sha256(content).hexdigest(),
        f"{len(content):,} bytes",
        "delete it",
        "GENEXPY_NB_DATA" if place == "named" else "genexpy-nb data fetch encoders",
    ):
        assert part in message
    assert path.read_bytes() == content
    assert not asked


def test_auto_falls_back_and_says_so(unreachable, world):
    asked, reason = unreachable
    for _ in range(2):
        with pytest.warns(UserWarning, match=reason) as caught:
            frame = datasets.load_encoders("auto")
        assert [Path(w.filename).name for w in caught] == [Path(__file__).name]
        assert frame.attrs["source"] == "bundled"
        assert reason in frame.attrs["note"]
        assert "not use the published table" in str(datasets.notice(frame)).lower()
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


@pytest.mark.parametrize("name", datasets.NAMES)
def test_bundled_never_asks_for_the_original(name, world, serve, monkeypatch, recwarn):
    asked = serve(good)
    monkeypatch.setenv("GENEXPY_NB_DATA", str(world.named))
    write(world.named / world.files[name], b"damaged")
    frame = LOADERS[name]("bundled")
    assert frame.attrs["source"] == "bundled"
    assert len(frame) == 1
    assert not asked
    assert not [warning for warning in recwarn if issubclass(warning.category, UserWarning)]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda at: write_bundled(at, "encoders", encoders_frame(), sha="0" * 64), "parquet is damaged .*0{64}"),
        (lambda at: (at / "encoders.parquet").unlink(), "parquet cannot be read "),
        (lambda at: (at / "encoders.json").write_text("{}"), "json is damaged"),
        (lambda at: (at / "encoders.json").write_text("[]"), "json is damaged"),
        (lambda at: (at / "encoders.json").write_text("no json"), "json is damaged"),
        (lambda at: (at / "encoders.json").unlink(), "json is missing: "),
    ],
)
def test_damaged_bundled_files(damage, said, world):
    damage(world.bundled)
    for source, why in (("bundled", ""), ("auto", ".*no network")):
        with pytest.raises(DataError, match=rf"encoders\.{said}.*python data/make_encoders\.py{why}"):
            datasets.load_encoders(source)


def test_unknown_name_is_refused_before_anything_is_downloaded(serve):
    asked = serve(good)
    with pytest.raises(ParameterError, match="name must be one of"):
        locating.locate("iris")
    with pytest.raises(ParameterError, match="did you mean 'bigbench'"):
        locating.fetch(["encoders", "bigbnch"])
    assert not asked


def test_status(world, serve, monkeypatch):
    asked = serve(good)
    monkeypatch.setenv("GENEXPY_NB_DATA", str(world.named))
    write(world.named / world.files["encoders"], b"damaged")
    (world.bundled / "fewshot.parquet").unlink()
    table = locating.status().set_index(["name", "variant"])
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
    locating.fetch()
    monkeypatch.delenv("GENEXPY_NB_DATA")
    table = locating.status().set_index(["name", "variant"]).xs("original", level="variant")
    assert table["available"].all()
    assert table["sha256_ok"].all()
    assert table["rows"].to_dict() == {"encoders": 3, "bigbench": 2}
    assert table["where"].tolist() == [str(world.cache / file) for file in world.files.values()]


# --- downloading ------------------------------------------------------------------------------------------------------


def test_fetch_replaces_a_damaged_file_in_the_cache(world, serve):
    serve(good)
    path = write(world.cache / world.files["encoders"], b"damaged")
    (located,) = locating.fetch("encoders")
    assert located.path == path
    assert path.read_bytes() == world.content["encoders"]


def test_fetch_keeps_the_damaged_file_when_the_download_fails(world, serve):
    serve(cut_off)
    path = write(world.cache / world.files["encoders"], b"damaged")
    with pytest.raises(DataError):
        locating.fetch("encoders")
    assert everything_in(world.cache) == [path.name]


@pytest.mark.parametrize("source", ["auto", "original"])
@pytest.mark.parametrize("answer", [truncated, wrong])
def test_complete_answer_with_wrong_bytes_is_an_error(answer, source, world, serve):
    serve(answer)
    with pytest.raises(
        DataError, match=r"what http://.* sent is damaged or another file: .*does not match the known hash.*bundled"
    ):
        datasets.load_encoders(source)
    assert everything_in(world.cache) == []


def test_cache_that_cannot_be_written(world, serve, monkeypatch):
    serve(good)
    monkeypatch.setattr(locating, "cache_folder", lambda: write(world.named / "file", b"") / "below")
    with pytest.warns(UserWarning, match="the cache folder cannot be written"):
        assert datasets.load_encoders().attrs["source"] == "bundled"


def test_who_insists_on_the_original_is_tried_again(world, serve, monkeypatch):
    answers = [cut_off, good]
    asked = serve(lambda handler, content: answers.pop(0)(handler, content))
    monkeypatch.setattr(locating, "RETRIES", 1)
    assert datasets.load_encoders("original").attrs["source"] == "original"
    assert len(asked) == 2 and everything_in(world.cache) == [world.files["encoders"]]


# --- what there is ----------------------------------------------------------------------------------------------------


def test_data_folder_of_checkout_and_of_wheel(tmp_path, monkeypatch):
    assert locating.data_folder() == DATA
    module = tmp_path / "site-packages" / "genexpy_nb" / "datasets" / "locating.py"
    monkeypatch.setattr(locating, "__file__", str(module))
    (tmp_path / "site-packages" / "data").mkdir(parents=True)
    inside = tmp_path / "site-packages" / "genexpy_nb" / "_data"
    inside.mkdir(parents=True)
    assert locating.data_folder() == inside


def test_readme_states_the_files_that_are_used():
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        entry, own = locating.published(name), json.loads(locating.bundled_path(name).with_suffix(".json").read_text())
        for fact in (entry["file"], entry["sha256"], entry["commit"], f"{entry['rows']:,}", own["sha256"]):
            assert fact in readme


@pytest.mark.parametrize("content", ["{", "{}", None])
def test_a_registry_that_cannot_be_read_is_named(content, tmp_path, monkeypatch):
    monkeypatch.setattr(locating, "data_folder", lambda: tmp_path)
    if content is not None:
        (tmp_path / "registry.json").write_text(content)
    with pytest.raises(
        DataError, match=r"registry\.json is (missing|damaged).* it says where the published tables are"
    ):
        locating.published("encoders")
