"""The way in: what the first notebook promises of the others is there, and every word of the glossary is used."""

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from mini_project import make_project

import genexpy_nb as gx
from genexpy_nb.cli import main
from genexpy_nb.reporting.pairing import NotebookFile, parameters_cell, read_source
from genexpy_nb.reporting.parameters import parse_parameters
from genexpy_nb.reporting.references import read_glossary

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks"
NAMES = sorted(file.stem for file in FOLDER.glob("[0-9][0-9]_*.py"))
OTHERS = [name for name in NAMES if not name.startswith("00_")]
START = next(name for name in NAMES if name.startswith("00_"))
NODE = read_source(NotebookFile(START, FOLDER / f"{START}.py", FOLDER / f"{START}.ipynb"))
CELLS = NODE.cells
#: Rows of the guide: what one has, where to read, what to call, kernel, N and test.
GUIDE = [
    [cell.strip() for cell in line.strip()[1:-1].split("|")]
    for cell in CELLS
    if cell.source.startswith("## Where to go")
    for line in cell.source.splitlines()
    if line.startswith("|")
][2:]
CALLS = sorted({call for row in GUIDE for call in re.findall(r"`([^`]+)`", " ".join(row))})
PAPERS = {"generalizability", "protocol", "trade-off", "causal"}


def prose(name):
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    return " ".join(re.sub(r"^# ?", "", text, flags=re.MULTILINE).replace("\\", "").lower().split())


WORDS = {name[:2]: prose(name) for name in OTHERS}


def test_the_guide_is_a_guide():
    assert len(GUIDE) >= 14 and all(len(row) == 5 for row in GUIDE)
    assert len({row[0] for row in GUIDE}) == len(GUIDE)
    read = set(re.findall(r"\((\d\d)_", " ".join(row[1] for row in GUIDE)))
    assert read == {name[:2] for name in OTHERS}  # each notebook is the answer to a question


@pytest.mark.parametrize("call", [call for call in CALLS if call.startswith(("gx.", "study."))])
def test_what_the_guide_calls_is_there(call):
    first, *names = call.split(".")
    place = {"gx": gx, "study": gx.Study}[first]
    for name in names:
        place = getattr(place, name)
    assert callable(place)


@pytest.mark.parametrize("call", [call for call in CALLS if not call.startswith(("gx.", "study."))])
def test_commands_of_the_guide_are_commands(call):
    program, command, *options = call.split()
    assert program == "genexpy-nb"
    helped = CliRunner().invoke(main, [command, "--help"])
    assert helped.exit_code == 0
    known = {option for each in main.get_command(click.Context(main), command).params for option in each.opts}
    assert {option for option in options if option.startswith("-")} <= known
    if "-p" in options:  # the name of a report, and a parameter of its notebook
        report, assignment = options[0], options[options.index("-p") + 1]
        text = (ROOT / "reports" / f"{report}.yaml").read_text(encoding="utf-8")
        notebook = re.search(r"^notebook: (\w+)$", text, re.MULTILINE)[1]
        pair = NotebookFile(notebook, FOLDER / f"{notebook}.py", FOLDER / f"{notebook}.ipynb")
        declared = parse_parameters(parameters_cell(read_source(pair)).source, notebook)
        assert assignment.partition("=")[0] in {each.name for each in declared}


def test_links_of_the_first_notebook_lead_to_notebooks():
    targets = re.findall(r"\]\((\d\d_\w+)\.ipynb(?:#[\w-]+)?\)", "\n".join(cell.source for cell in CELLS))
    assert len(targets) > 20 and set(targets) <= set(OTHERS)


def test_the_map_shows_every_notebook():
    declared = {each.name: each.default for each in parse_parameters(parameters_cell(NODE).source, START)}
    assert declared["chapters"] == [f"{name}.ipynb" for name in OTHERS]


TERMS = read_glossary(FOLDER / "glossary.yaml")


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.term)
def test_a_word_of_the_glossary_is_used_where_it_says(term):
    assert term.term.lower() in WORDS[term.notebook]
    assert set(term.elsewhere) <= PAPERS
    assert not term.meaning.endswith(".") and len(term.meaning) < 150


def test_no_word_has_two_meanings():
    words = [term.term.lower() for term in TERMS]
    assert len(set(words)) == len(words) >= 20
    symbols = [term.symbol for term in TERMS if term.symbol]
    assert len(set(symbols)) == len(symbols)


def test_a_notebook_that_shows_what_others_recorded_is_synced_after_them(tmp_path):
    quoting = '# %% tags=["parameters"]\nchapters: list[str] = ["01_b.ipynb"]  # others\n'
    root = make_project(tmp_path, {"00_a": quoting, "01_b": "# %%\n1\n"}, {})
    done = CliRunner().invoke(main, ["--root", str(root), "notebooks", "sync", "--no-execute"], catch_exceptions=False)
    assert re.findall(r"^(\w+): written", done.output, re.MULTILINE) == ["01_b", "00_a"]
