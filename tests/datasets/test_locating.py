"""locating: which file is taken, when it is refused, and what is said about it."""

from hashlib import sha256
from pathlib import Path

import pytest
from mini_tables import encoders_frame, everything_in, good, write, write_bundled

from genexpy_nb import datasets
from genexpy_nb.common.errors import DataError, ParameterError

pytestmark = pytest.mark.usefixtures("world")
LOADERS = {"encoders": datasets.load_encoders, "bigbench": datasets.load_bigbench}


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


def test_auto_falls_back_and_says_so(unreachable, world):
    asked, reason = unreachable
    for _ in range(2):
        with pytest.warns(UserWarning, match=reason) as caught:
            frame = datasets.load_encoders("auto")
        assert [Path(w.filename).name for w in caught] == [Path(__file__).name]
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


def test_no_original_and_nothing_bundled(world):
    (world.bundled / "fewshot.json").unlink()
    with pytest.raises(DataError, match=r"fewshot\.json is missing: .*python data/make_fewshot\.py.*no network"):
        datasets.load_bigbench()


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
    with pytest.raises(DataError, match=r"encoders\.json is damaged.*python data/make_encoders\.py"):
        datasets.load_encoders("bundled")


def test_unknown_name_is_refused_before_anything_is_downloaded(serve):
    asked = serve(good)
    with pytest.raises(ParameterError, match="name must be one of"):
        datasets.locate("iris")
    with pytest.raises(ParameterError, match="did you mean 'bigbench'"):
        datasets.fetch(["encoders", "bigbnch"])
    assert not asked


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
