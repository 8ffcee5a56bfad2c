"""provenance: the key knows all that a report depends on, and the table at its end says it."""

import shutil
import subprocess
from dataclasses import replace
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import pytest
from mini_project import SMALL, SOURCED, SOURCED_YAML
from mini_project import one_report as project

import genexpy_nb
from genexpy_nb.reporting import state
from genexpy_nb.reporting.references import Site
from genexpy_nb.reporting.spec import load_reports, with_source
from genexpy_nb.reporting.state import commit, facts, report_key


@pytest.fixture
def report(tmp_path, tables):
    root = project(tmp_path, SOURCED_YAML, SOURCED)
    return with_source(load_reports(root)["small"], "original")


def test_key_changes_with_everything_that_counts(tmp_path, tables):
    root = project(tmp_path, SOURCED_YAML, SOURCED)

    def key(source="original"):
        return report_key(with_source(load_reports(root)["small"], source), root)

    first = key()
    seen = {first, key("bundled")}
    assert key() == first
    changes = [
        lambda: (root / "notebooks" / "01_small.py").write_text(SOURCED + "\n# %%\n1\n"),
        lambda: (root / "requirements.lock").write_text("numpy==2\n"),
        lambda: (root / "requirements.lock").write_text("numpy==3\n"),
    ]
    for number, change in enumerate(changes, start=3):
        change()
        seen.add(key())
        assert len(seen) == number


@pytest.mark.parametrize(
    "change",
    [
        lambda r: replace(r, name="other"),
        lambda r: replace(r, title="other"),
        lambda r: replace(r, site=Site((("01_small", "small", "Other"),))),
        lambda r: replace(r, parameters={"source": "bundled"}),
        lambda r: replace(r, data=(replace(r.data[0], name="bigbench"),)),
        lambda r: replace(r, data=(replace(r.data[0], source="bundled"),)),
        lambda r: replace(r, data=(replace(r.data[0], sha256="1" * 64),)),
    ],
)
def test_key_knows_each_part_of_a_report(change, report, tmp_path):
    assert report_key(report, tmp_path) == report_key(replace(report), tmp_path) != report_key(change(report), tmp_path)


def test_key_tells_a_number_from_its_text(report, tmp_path):
    values = (1, 1.0, True, "1")
    assert len({report_key(replace(report, parameters={"x": value}), tmp_path) for value in values}) == len(values)


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setenv("LC_ALL", "de_DE.UTF-8"),
        lambda patch: patch.setenv("LANG", "fr_FR"),
        lambda patch: patch.setenv("TZ", "Asia/Tokyo"),
        lambda patch: patch.setattr(state.platform, "python_version", lambda: "2.7.18"),
    ],
)
def test_key_knows_locale_time_zone_and_version_of_python(change, report, tmp_path, monkeypatch):
    here = report_key(report, tmp_path)
    change(monkeypatch)
    assert report_key(report, tmp_path) != here


def test_key_knows_the_package_and_not_what_python_made_of_it(report, tmp_path, monkeypatch):
    package = tmp_path / "package"
    (package / "room" / "__pycache__").mkdir(parents=True)
    monkeypatch.setattr(genexpy_nb, "__file__", str(package / "__init__.py"))
    seen = []
    for change in (
        lambda: (package / "room" / "a.py").write_text("1"),
        lambda: (package / "room" / "a.py").write_text("2"),
        lambda: (package / "room" / "a.py").rename(package / "room" / "b.py"),
        lambda: (package / "room" / "style.css").write_text(""),
        lambda: (package / "room" / "__pycache__" / "a.pyc").write_text(""),
    ):
        change()
        seen.append(report_key(report, tmp_path))
    assert len(set(seen[:4])) == 4 and seen[4] == seen[3]


def test_key_and_facts_know_the_files_that_parameters_name(tmp_path):
    notebook = SMALL.replace("seed: int = 3", 'results: str = "" # a table\nseed: int = 3')
    root = project(tmp_path, "notebook: 01_small\ntitle: A\nparameters: {results: mine.csv}\n", notebook)
    table = root / "notebooks" / "mine.csv"
    table.write_text("a")
    keys, hashes = set(), set()
    for text in ("a", "b"):
        table.write_text(text)
        report = load_reports(root)["small"]
        keys.add(report_key(report, root))
        hashes.add(dict(facts(report, root, "k" * 64))["File: results"])
    assert len(keys) == 2
    assert hashes == {f"mine.csv, SHA-256 {sha256(text.encode()).hexdigest()}" for text in ("a", "b")}


def test_a_word_is_not_the_name_of_a_file(tmp_path):
    """A text without a suffix is a name of something else, even if a file is called so."""
    notebook = SMALL.replace("seed: int = 3", 'alternative: str = "OHE"\nseed: int = 3')
    root = project(tmp_path, "notebook: 01_small\ntitle: A\n", notebook)
    (root / "notebooks" / "OHE").write_text("a")
    assert "File: alternative" not in dict(facts(load_reports(root)["small"], root, "k" * 64))


@pytest.mark.parametrize("name", ["table.parquet", "table.json"])
def test_key_knows_the_bundled_tables(name, tmp_path, monkeypatch):
    root = project(tmp_path, "notebook: 01_small\ntitle: A\n")
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    monkeypatch.setattr(state, "data_folder", lambda: bundle)
    keys = set()
    for text in ("a", "b", "b"):
        (bundle / name).write_text(text)
        (bundle / "README.md").write_text(str(len(keys)))  # does not count
        keys.add(report_key(load_reports(root)["small"], root))
    assert len(keys) == 2


def test_facts_name_data_and_seed_but_no_folder(tmp_path, tables):
    notebook = SOURCED + '\n# %% tags=["later"]\n'
    notebook = notebook.replace("\n\n# %%\nprint", "\nseed: int = 7\n\n# %%\nprint")
    root = project(tmp_path, SOURCED_YAML, notebook)
    report = with_source(load_reports(root)["small"], "original")
    rows = dict(facts(report, root, "k" * 64))
    assert rows["Seed"] == "7" and rows["Key"] == "k" * 64
    assert rows["Data: encoders"] == f"original: encoders-original.parquet, SHA-256 {report.data[0].sha256}"
    assert rows["Commit"] == "not in a git checkout" and str(tmp_path) not in str(rows)


@pytest.mark.parametrize("name", ["seed", "random_state", "random_seed", "seeds"])
def test_facts_know_a_seed_by_its_usual_names(name, tmp_path):
    root = project(tmp_path, "notebook: 01_small\ntitle: A\n", SMALL.replace("seed: int = 3", f"{name}: int = 3"))
    assert dict(facts(load_reports(root)["small"], root, "")).get("Seed") == (None if name == "seeds" else "3")


def test_facts_name_the_software(report, tmp_path):
    software = dict(facts(report, tmp_path, ""))["Software"].split(", ")
    assert software[0].startswith("Python 3.") and software[1] == f"genexpy_nb {genexpy_nb.__version__}"
    installed = [name for name in state.PACKAGES if list(metadata.distributions(name=name))]
    assert software[2:] == [f"{name} {metadata.version(name)}" for name in installed]
    assert f"numpy {metadata.version('numpy')}" in software


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_commit_and_whether_files_differ_from_it(tmp_path):
    def git(*command):
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        done = subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    assert commit(Path("/")) == "" and commit(tmp_path) == ""
    git("init")
    assert commit(tmp_path) == ""  # nothing is committed yet
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-m", "a")
    head = git("rev-parse", "HEAD")
    assert commit(tmp_path) == head and len(head) == 40
    (tmp_path / "a").write_text("2")
    assert commit(tmp_path) == f"{head} with local changes"


def test_no_git_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit(tmp_path) == ""
