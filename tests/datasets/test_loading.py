"""Tables: what is loaded is what was published, or what was run here, and says which."""

import warnings

import numpy as np
import pandas as pd
import pytest
from mini_tables import COLUMNS, FRAMES, encoders_frame, good

from genexpy_nb import datasets
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.datasets import locating

LOADERS = {"encoders": datasets.load_encoders, "bigbench": datasets.load_bigbench}


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
    assert not [warning for warning in recwarn if issubclass(warning.category, UserWarning)]


@pytest.mark.parametrize(
    "call", [datasets.load_encoders, datasets.load_bigbench, lambda s: locating.locate("encoders", s)]
)
def test_unknown_source(call):
    with pytest.raises(ParameterError, match=r"source must be one of .*did you mean 'original'"):
        call("orignal")


@pytest.mark.published
@pytest.mark.parametrize(("name", "rows"), [("encoders", 61_812), ("bigbench", 183_819)])
def test_published_tables(name, rows, published_data, monkeypatch):
    monkeypatch.setenv("GENEXPY_NB_DATA", str(published_data))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = LOADERS[name]("auto")
    assert frame.attrs["source"] == "original"
    assert frame.attrs["sha256"] == locating.published(name)["sha256"]
    assert len(frame) == rows == locating.published(name)["rows"]
    table = locating.status().set_index(["name", "variant"])
    assert table.loc[(name, "original"), "rows"] == rows


@pytest.mark.published
def test_infinite_scores_of_bigbench_are_missing_and_counted(published_data, monkeypatch):
    monkeypatch.setenv("GENEXPY_NB_DATA", str(published_data))
    raw = pd.read_parquet(published_data / "bigbench_results_prefiltered.parquet")["score_value"]
    frame = datasets.load_bigbench("original")
    assert frame["score_value"].isna().sum() == (~np.isfinite(raw)).sum() == 12
    assert "12 infinite scores read as missing" in frame.attrs["note"]


@pytest.mark.parametrize("source", ["original", "bundled"])
def test_what_is_parsed_is_what_was_hashed(source, world, serve, monkeypatch):
    serve(good)
    parse, right = pd.read_parquet, datasets.load_encoders(source)
    path = world.cache / world.files["encoders"] if source == "original" else world.bundled / "encoders.parquet"

    def swapped(*args, **options):
        encoders_frame(7).to_parquet(path)
        return parse(*args, **options)

    monkeypatch.setattr(pd, "read_parquet", swapped)
    pd.testing.assert_frame_equal(datasets.load_encoders(source), right)
    assert len(parse(path)) == 7
    with pytest.raises(DataError, match="damaged or another file"):
        datasets.load_encoders(source)


def test_tasks_of_one_table_are_told_by_their_names():
    encoders = datasets.load_encoders("bundled")
    found = datasets.with_source_tables(encoders)
    assert found["table"].nunique() == 23 and "table" not in encoders
    pairs = found[["dataset", "table"]].drop_duplicates()
    assert all(task.startswith(f"{table}:") for task, table in pairs.itertuples(index=False))
    sizes = pairs["table"].value_counts()
    assert sizes.sum() == 56 and sizes["anes96"] == 6 and sizes["heart"] == 1
    for frame in (encoders.assign(dataset="adult"), encoders.drop(columns="dataset")):
        with pytest.raises(ParameterError, match="encoders must be results as load_encoders returns them"):
            datasets.with_source_tables(frame)


@pytest.mark.published
def test_published_datasets_of_one_source_are_told_by_their_ids(published_data, monkeypatch):
    monkeypatch.setenv("GENEXPY_NB_DATA", str(published_data))
    pairs = datasets.with_source_tables(datasets.load_encoders("original"))[["dataset", "table"]].drop_duplicates()
    sizes = pairs["table"].value_counts()
    assert len(pairs) == 50 and len(sizes) == 42 and sizes["kddcup09"] == sizes["jungle-chess"] == 3
    assert (sizes[["ibm", "adult", "monks", "credit-approval"]] == 2).all()
    alone = pairs[pairs["table"].map(sizes) == 1]
    assert (alone["dataset"] == alone["table"]).all() and len(alone) == 36


# --- notices ----------------------------------------------------------------------------------------------------------


def test_notice_of_the_published_table(world, serve):
    serve(good)
    says = datasets.notice(datasets.load_encoders())
    assert 'EncoderBenchmarking/tree/1e288afde909">github.com/DrCohomology/' in says._repr_html_(), "a link"
    for text in (str(says), says._repr_markdown_()):
        assert "Published table" in text and "EncoderBenchmarking at commit 1e288afde909" in text
        assert world.registry["encoders"]["sha256"][:12] in text
        assert str(world.cache) not in text, "no path of a machine in a notebook"


def test_notice_of_bundled_results_is_escaped_html(world):
    frame = datasets.load_encoders("bundled")
    frame.attrs["note"] = "a <b> & c"
    says = datasets.notice(frame)
    assert says._repr_html_().startswith('<p class="gx-source gx-bundled" role="note"><strong>This run does not use')
    assert "a &lt;b&gt; &amp; c" in says._repr_html_()
    assert "a <b> & c" in str(says)


def test_notice_needs_a_loaded_frame():
    with pytest.raises(DataError, match="attrs lack name, note, sha256, source"):
        datasets.notice(encoders_frame())
