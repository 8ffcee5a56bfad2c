"""CONTRIBUTING.md is followed to the letter: its files are written, its commands run, and what it names is there."""

import os
import re
import shlex
import sys
import tomllib
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from mini_project import here
from ruamel.yaml import YAML

import genexpy_nb
from genexpy_nb.cli import main
from genexpy_nb.common.exercises import RIGHT
from genexpy_nb.reporting import execute
from genexpy_nb.reporting.pairing import filled

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
#: Blocks that begin with the name of a file, and what is in it.
FILES = {first.lstrip("# "): rest for kind, body in BLOCKS for first, _, rest in [body.partition("\n")] if kind != "sh"}
LINES = [line.partition("  #")[0].rstrip() for kind, body in BLOCKS if kind == "sh" for line in body.splitlines()]
MAKE = (ROOT / "Makefile").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", TEXT, flags=re.MULTILINE)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with every file that the page shows, and a table to ask."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    scores = np.random.default_rng(1).normal([0.9, 0.8, 0.5, 0.4], 0.2, (12, 4))
    table = pd.DataFrame(scores, columns=list("abcd")).rename_axis("task").reset_index()
    table.to_csv(tmp_path / "results.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands(program, *words):
    return [line for line in LINES if line.split()[:1] == [program] and all(word in line.split() for word in words)]


def test_each_thing_that_can_be_added_has_a_complete_example():
    for thing in ("kernel", "estimator", "reader", "notebook", "report"):
        (section,) = (section for section in SECTIONS if re.match(rf"Add an? {thing}\n", section))
        assert "```sh" in section and re.search("```(python|yaml)\n# ", section), thing
    assert all(re.fullmatch(r"[\w/]+\.(py|yaml)", name) for name in FILES) and len(FILES) == 8


def test_its_tests_pass(project, monkeypatch, capsys):
    asked = [shlex.split(line)[1] for line in commands("pytest")]
    assert sorted(asked) == sorted(name for name in FILES if name.startswith("test_")) and len(asked) == 3
    monkeypatch.syspath_prepend(project)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(project), "-c", os.devnull]
    code = pytest.main([*options, *asked])  # in this process, which has loaded the libraries
    assert code == 0 and "8 passed" in capsys.readouterr().out
    for name in FILES:
        sys.modules.pop(Path(name).stem, None)


def test_the_report_asks_the_new_question(project):
    (line,) = commands("genexpy-nb", "study")
    done = CliRunner().invoke(main, shlex.split(line)[1:], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    nstar = pd.read_csv(project / "answer" / "nstar.csv")
    assert nstar["kernel"].tolist() == ["Jaccard(1)", "Mallows", "Footrule"]
    said = (project / "answer" / "summary.txt").read_text(encoding="utf-8")
    assert "what the kernel Footrule asks (By how many places do alternatives move?)" in said


@pytest.mark.notebooks
def test_the_notebook_and_its_report(project, monkeypatch):
    monkeypatch.setattr(execute, "apart", here())
    for line in [*commands("genexpy-nb", "notebooks"), *commands("genexpy-nb", "render")]:
        done = CliRunner().invoke(main, shlex.split(line)[1:], catch_exceptions=False)
        assert done.exit_code == 0, done.output
    executed = nbformat.read(project / "notebooks" / "12_coins.ipynb", as_version=4)
    text = "".join(cell.source for cell in filled(executed).cells)
    assert RIGHT in str(executed) and "heads in 0.5 of the tosses, two people agree from 15 tosses on" in text
    page = (project / "reports" / "html" / "coins.html").read_text(encoding="utf-8")
    assert "<h1" in page and "How many coins?" in page and "heads in 0.3 of the tosses" in page


def test_every_command_is_one():
    known = {"git", "make", "pipx", "pytest", "genexpy-nb"}
    assert {line.split()[0] for line in LINES} <= known
    targets = {found for line in commands("make") for found in line.split()[1:]}
    targets |= set(re.findall(r"`make ([a-z]+)`", TEXT))
    assert targets <= set(re.findall(r"^([a-z]+):", MAKE, re.MULTILINE)) and len(targets) >= 4


def test_every_file_that_it_names_is_there():
    links = [target for target in re.findall(r"\]\(([^)#]+)\)", TEXT) if not target.startswith("http")]
    named = re.findall(r"`((?:genexpy_nb|tests|benchmarks|reporting)/[\w/]+\.\w+)`", TEXT)
    assert len(links) > 5 and len(named) > 4
    for name in [*links, *named]:
        assert (ROOT / name).exists() or (ROOT / "genexpy_nb" / name).exists(), name
    for module in re.findall(r"python -m ([\w.]+)", TEXT):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file()
    where = {"METHODS": "generalization/nstar", "estimate_grid": "generalization/nstar", "form_of": "datasets/foreign"}
    where |= {"read_records": "datasets/foreign", "FORMATS": "datasets/foreign"}
    for name, module in where.items():
        assert f"`{name}`" in TEXT
        assert re.search(rf"^(def )?{name}\b", (ROOT / "genexpy_nb" / f"{module}.py").read_text("utf-8"), re.MULTILINE)


def test_hooks_are_what_make_check_runs():
    (local,) = YAML(typ="safe").load(ROOT / ".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"  # nothing is downloaded
    for hook in local["hooks"]:
        assert hook["language"] == "system"
        program, *words = hook["entry"].split()
        shown = program.replace(".venv/bin", "$(BIN)")
        assert f"{shown} {' '.join(word for word in words if not word.startswith('-'))}" in MAKE


def test_binder_and_the_container_do_what_the_readme_says():
    steps = re.findall(r"^pip install .*$", (ROOT / "postBuild").read_text(encoding="utf-8"), re.MULTILINE)
    (second,) = re.findall(
        r"^# (pip install .*)$", (ROOT / "environment.yml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert steps == [second] and os.access(ROOT / "postBuild", os.X_OK)
    container = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert re.findall(r"^RUN make (\w+)$", container, re.MULTILINE) == ["reports"]
    version = re.search(r"^FROM python:(3\.\d+)\.\d+-slim-\w+$", container, re.MULTILINE)[1]
    assert re.search(r"^USER (?!root)\w+$", container, re.MULTILINE).start() < container.index("RUN make")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]


def test_the_changelog_knows_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## \[([^\]]+)\]", text, re.MULTILINE)
    assert heads[0] == "Unreleased" and (genexpy_nb.__version__ in heads or f"as {genexpy_nb.__version__}" in text)
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (\w+)", text, re.MULTILINE)) <= kinds
