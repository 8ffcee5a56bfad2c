"""provenance: the key knows all that a report depends on, and the table at its end says it."""

from hashlib import sha256

from mini_project import SMALL, SOURCED, SOURCED_YAML, make_project

from genexpy_nb.reporting import provenance
from genexpy_nb.reporting.provenance import facts, report_key
from genexpy_nb.reporting.spec import load_reports, with_source


def project(tmp_path, yaml, notebook=SMALL):
    return make_project(tmp_path, {"01_small": notebook}, {"small": yaml})


def test_key_changes_with_everything_that_counts(tmp_path, tables):
    root = project(tmp_path, SOURCED_YAML, SOURCED)

    def key(source="original"):
        return report_key(with_source(load_reports(root)["small"], source), root)

    first = key()
    seen = {first, key("bundled")}
    assert key() == first
    changes = [
        lambda: (root / "notebooks" / "01_small.py").write_text(SOURCED + "\n# %%\n1\n"),
        lambda: (root / "reports" / "small.yaml").write_text(SOURCED_YAML.replace("A", "B")),
        lambda: (root / "requirements.lock").write_text("numpy==2\n"),
        lambda: (root / "requirements.lock").write_text("numpy==3\n"),
    ]
    for number, change in enumerate(changes, start=3):
        change()
        seen.add(key())
        assert len(seen) == number


def test_key_and_facts_know_the_files_that_parameters_name(tmp_path, monkeypatch):
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


def test_key_knows_the_bundled_tables(tmp_path, monkeypatch):
    root = project(tmp_path, "notebook: 01_small\ntitle: A\n")
    keys = set()
    for text in ("a", "b", "b"):
        (tmp_path / "bundle").mkdir(exist_ok=True)
        (tmp_path / "bundle" / "table.parquet").write_text(text)
        monkeypatch.setattr(provenance, "data_folder", lambda: tmp_path / "bundle")
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
    assert "numpy" in rows["Software"] and str(tmp_path) not in str(rows)
