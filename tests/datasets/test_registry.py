"""registry: what is known of the tables is what the files and the README say."""

import json
from pathlib import Path

import pytest

from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets import NAMES, registry

DATA = Path(__file__).resolve().parents[2] / "data"


def test_data_folder_of_checkout_and_of_wheel(tmp_path, monkeypatch):
    assert registry.data_folder() == DATA
    module = tmp_path / "site-packages" / "genexpy_nb" / "datasets" / "registry.py"
    monkeypatch.setattr(registry, "__file__", str(module))
    (tmp_path / "site-packages" / "data").mkdir(parents=True)
    inside = tmp_path / "site-packages" / "genexpy_nb" / "_data"
    inside.mkdir(parents=True)
    assert registry.data_folder() == inside


def test_addresses_are_of_pinned_commits():
    assert registry.url("encoders") == (
        "https://raw.githubusercontent.com/DrCohomology/EncoderBenchmarking/"
        "1e288afde909312e71ec1c32125e83639547d3d5/analysis/experimental_results/results.parquet"
    )
    assert registry.url("bigbench") == (
        "https://raw.githubusercontent.com/DrCohomology/genexpy/5fccedcca860f0612116507e81bf41c1a7e81702/"
        "demos/case_studies/BIG-bench/data/bigbench_results_prefiltered.parquet"
    )


def test_readme_states_the_files_that_are_used():
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        entry, own = registry.published(name), json.loads(registry.bundled_path(name).with_suffix(".json").read_text())
        for fact in (entry["file"], entry["sha256"], entry["commit"], f"{entry['rows']:,}", own["sha256"]):
            assert fact in readme


@pytest.mark.parametrize("content", ["{", "{}", None])
def test_a_registry_that_cannot_be_read_is_named(content, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "data_folder", lambda: tmp_path)
    if content is not None:
        (tmp_path / "registry.json").write_text(content)
    with pytest.raises(
        DataError, match=r"registry\.json is (missing|damaged).* it says where the published tables are"
    ):
        registry.published("encoders")
