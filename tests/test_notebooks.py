"""Executes the notebooks and renders the reports of this project: minutes, one test per notebook or report.

Which execution proves what:

- nbval runs every committed notebook, strictly, and what it has executed is kept. All outputs but images, with their
  metadata, must be those that were put into the committed notebook (`genexpy-nb notebooks sync`): so it is the
  second run, with a comparison, of what was executed. The page of the report with the default parameters is
  made of the committed notebook in test_pages; there is no third run.
- A report with larger settings runs the cells of its notebook with greater numbers of repetitions. It is rendered from
  the published tables, at its full size, by `make slow` and `make reports`.
- Every notebook is executed with other parameters than its own (`PARAMETER_SETS`): whatever its text says without
  computing it is asserted in its cells, so a sentence that is true under the defaults only fails here. All but those of
  the reports below are left to `make slow`: who changes a notebook runs them.
- One report of each notebook that reads tables is rendered from the bundled results. Where there are published tables,
  its full size has just run, and this is the run with the first set of other parameters, too; most of them are left to
  `make slow`. Where there are none, nothing else runs these notebooks: then all have their full size, and nbval runs
  what was executed once more, strictly.
- One report is rendered on a table that is not this project's, by `make slow`.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from example_cells import example_table
from nbval.plugin import get_sanitize_patterns
from nbval_keeps import KEPT
from published_tables import why_no_published_data

from genexpy_nb import datasets
from genexpy_nb.reporting.execute import render, run
from genexpy_nb.reporting.pairing import INLINE_VALUES, check, filled, find_notebook, normalise
from genexpy_nb.reporting.parameters import check_parameters
from genexpy_nb.reporting.spec import load_reports

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted(file.stem for file in (ROOT / "notebooks").glob("[0-9][0-9]_*.py"))
REPORTS = load_reports(ROOT)
WITH_DATA = [name for name, report in REPORTS.items() if report.data_names]
NEED_TABLES = {REPORTS[name].notebook.name for name in WITH_DATA}
# one report of each notebook: the larger settings differ in parameters only
ONE_OF_EACH = list({REPORTS[name].notebook.name: name for name in reversed(WITH_DATA)}.values())[::-1]
#: Reports that `make test` renders from the bundled results, whatever else has run.
ALWAYS_RENDERED = {"start_here"}
#: Notebooks whose first set of other parameters is that of the report from the bundled results.
TWO_IN_ONE = set() if why_no_published_data() else NEED_TABLES
#: Notebook -> its report with the default parameters; the reports with other ones.
DEFAULTS = {report.notebook.name: name for name, report in REPORTS.items() if not report.changed}
LARGER = [name for name, report in REPORTS.items() if report.changed]
IMAGES = ("image/svg+xml", "image/png", "image/jpeg")

#: Notebook -> settings that its sentences must survive, beside the defaults on published and bundled results: other
#: seeds, questions, strictness, configurations. ``source: original`` needs published tables. The first set of those
#: with a table is that of the report from the bundled results.
PARAMETER_SETS: dict[str, list[dict[str, Any]]] = {
    "00_start_here": [
        {"source": "bundled", "alpha": 0.9, "delta": 0.2, "level": 0.01, "seed": 4},
        {"source": "original", "alpha": 0.8, "delta": 0.1, "level": 0.1, "seed": 1},
    ],
    "01_formalization": [
        {
            **{"success": [0.9, 0.6, 0.2], "alternative": "a2", "alpha": 0.9, "delta": 0.34},
            **{"strict_delta": 0.1, "n_studies": 20, "seed": 4},
        },
        {
            **{"success": [0.3, 0.3, 0.8], "alternative": "a3", "alpha": 0.8, "delta": 0.2},
            **{"n_studies": 20, "seed": 1},
        },
    ],
    "02_encoders": [
        {
            **{"source": "bundled", "alternative": "TE", "k": 2, "alpha": 0.9, "delta": 0.1, "seed": 3},
            "configuration": {"model": "KNC", "tuning": "no", "scoring": "ACC"},
        },
        {**{"source": "original", "alternative": "BE", "k": 3, "alpha": 0.8, "delta": 0.2, "seed": 7}},
    ],
    "03_bigbench": [
        {
            **{"source": "bundled", "alpha": 0.7, "delta": 0.3, "n_seeds": 3, "seed": 2},
            "configuration": {"task_name": "wine_features", "number_of_shots": 3},
        },
        {"source": "original", "alpha": 0.8, "delta": 0.2, "n_seeds": 5, "seed": 5},
    ],
    "04_preliminary_experiments": [
        {
            **{"source": "bundled", "alpha": 0.8, "delta": 0.2, "reference": 30, "alternatives": [2, 4]},
            **{"sizes": [8, 20], "n_studies": 4, "seed": 3},
        },
        {  # a tolerance under which one experiment may do; a reference that one of the two tables does not reach
            **{"source": "original", "alpha": 0.9, "delta": 0.3, "reference": 60, "alternatives": [2, 5]},
            **{"sizes": [12], "n_studies": 8, "seed": 21},
        },
    ],
    "05_significance_toy": [
        {
            **{"source": "bundled", "share": 0.7, "n": 16, "level": 0.1, "alpha": 0.9, "delta": 0.2, "rope": 0.02},
            "seed": 3,
        },
        {
            **{"source": "original", "share": 0.4, "n": 11, "level": 0.01, "alpha": 0.8, "delta": 0.34, "rope": 0.005},
            "seed": 9,
        },
    ],
    "06_deterministic_protocol": [
        {"data_sets": ["digits", "breast cancer"], "seeds": [3, 4], "k": 3, "n_repeats": 1, "level": 0.1, "seed": 11},
        {"data_sets": ["texts", "digits"], "seeds": [3], "seed": 5},
    ],
    "07_tradeoff_point": [
        {
            **{"kappa": "cohen", "error": "gap", "zero_shot": 0.0},
            "weights": {"ssim": 2.0, "zero_shot": 0.5, "size": 0.1},
        }
    ],
    "08_causal_ate": [
        {"source": "bundled", "n_systems": 24, "seed": 77},
        {"source": "original", "n_systems": 48, "seed": 12},
    ],
    "09_your_study": [
        {
            **{"results": "../data/encoders.parquet", "alternatives": "encoder", "target": "cv_score"},
            **{"over": ["dataset"], "alpha": 0.9, "delta": 0.02},
            "options": {
                **{"design": ["model"], "fixed": ["tuning=no", "scoring=AUC"], "alternative": "OHE"},
                **{"level": 0.01, "confidence": 0.9, "configuration": ["model=LR"], "budget": 40},
            },
        },
        {
            **{"results": "../data/fewshot.parquet", "alternatives": "model_family_model_name"},
            **{"target": ["score_value=higher"], "higher_is_better": "", "over": ["subtask_description"]},
            "options": {"design": ["number_of_shots"], "fixed": ["task_name=wine_features"]},
        },
    ],
    "10_second_study": [
        {"source": "bundled", "alpha": 0.9, "delta": 0.1, "model_price": 2.0, "seed": 3},
        {"source": "original", "alpha": 0.99, "delta": 0.02, "model_price": 0.5, "seed": 7},
    ],
    "11_methods": [
        {"alpha": 0.9, "delta": 0.1, "n_pairs": 3000, "seed": 5},
        {"alpha": 0.8, "delta": 0.2, "n_pairs": 3000, "seed": 11},
    ],
    "12_before_you_compare": [
        {"n_splits": 5, "n_settings": 20, "n_related": 3, "n_drawn": 10, "n_draws": 500, "seed": 1},
        {"n_splits": 8, "n_settings": 64, "n_related": 8, "n_drawn": 40, "n_draws": 500, "seed": 2},
    ],
    "13_items_and_judges": [
        {"confidence": 0.9, "level": 0.1, "n_samples": 2, "judges": "topic", "seed": 3},
        {"confidence": 0.99, "level": 0.01, "n_samples": 3, "judges": "trigram", "seed": 5},
    ],
    "14_games_and_seeds": [
        {"confidence": 0.9, "level": 0.1, "n_seeds": 3, "seed": 3},
        {"confidence": 0.99, "level": 0.01, "left_out": ["four-rooms", "maze", "cliff"], "seed": 5},
    ],
    "15_complexity_measures": [{"error": "gap"}, {"results": "../data/tradeoff.parquet"}],
}
for _name in ("00", "01", "02", "03", "08", "10"):  # those that have intervals: 90 % are asked for
    next(sets[0] for name, sets in PARAMETER_SETS.items() if name.startswith(_name))["confidence"] = 0.9

#: pytest with what nbval needs, and without what takes long to load.
PYTEST = """
import sys, pytest
sys.path.append("tests")
from genexpy_nb.common import errors
errors.do_without()
import nbval_keeps
sys.exit(pytest.main(plugins=[nbval_keeps]))
"""
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
UNUSED = ("anyio", "hypothesispytest", "xdist", "xdist.looponfail")
SANITISE = ROOT / "tests" / "nbval_sanitize.cfg"

pytestmark = pytest.mark.notebooks


def nbval(notebook, *options, kept=None):
    """Run nbval in a process of its own; what it says is the message if it fails."""
    without = [f"-pno:{plugin}" for plugin in ("cacheprovider", *UNUSED)]
    command = [sys.executable, "-c", PYTEST, "-q", "-rfE", "-o", "addopts=", *without, *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {KEPT: str(kept)} if kept else {}
    done = subprocess.run(
        [*command, "--nbval-current-env", "--nbval-sanitize-with", str(SANITISE), str(notebook)],
        **{"cwd": ROOT, "env": environment, "capture_output": True, "text": True, "check": False},
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def render_and_check(name, folder, source, overrides=None):
    """Render one report and return its page and its executed notebook."""
    outcome = render(ROOT, [name], source=source, overrides=overrides, output=folder, say=lambda line: None)
    assert not outcome.failed, outcome.entries[0].problem
    page = folder / "html" / f"{name}.html"
    assert page.stat().st_size < 3_000_000
    return page.read_text(encoding="utf-8"), folder / "executed" / f"{name}.ipynb"


def sanitised(thing):
    """Texts without what nbval is told to overlook, at any depth; images are left out, as nbval leaves them out."""
    if isinstance(thing, dict):
        return {key: sanitised(value) for key, value in thing.items() if key not in IMAGES}
    if isinstance(thing, str):
        for pattern, replacement in get_sanitize_patterns(SANITISE.read_text(encoding="utf-8")):
            thing = re.sub(pattern, replacement, thing)
    return thing


def shown(node):
    """Source and outputs of each cell of code, and the values in the text."""
    inline = [cell.metadata[INLINE_VALUES] for cell in node.cells if INLINE_VALUES in cell.metadata]
    cells = [cell for cell in node.cells if cell.cell_type == "code"]
    for output in (output for cell in cells for output in cell.outputs):
        output.pop("execution_count", None)  # nbval does not count
    cells = [cell for cell in cells if "nbval-ignore-output" not in cell.metadata.get("tags", ())]
    outputs = [{"source": cell.source, "outputs": list(map(sanitised, cell.outputs))} for cell in cells]
    return [*outputs, *({"values": values} for values in inline)]


def numbers_apart(thing):
    """What is shown without its numbers, and the numbers: processors differ in the last digits of long ones."""
    numbers = []

    def without(part):
        if isinstance(part, dict):
            return {key: without(value) for key, value in part.items()}
        if isinstance(part, list):
            return [without(value) for value in part]
        if isinstance(part, float) or (isinstance(part, str) and NUMBER.search(part)):
            numbers.extend(map(float, NUMBER.findall(str(part))))
            return NUMBER.sub("#", str(part))
        return part

    return without(thing), np.array(numbers)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_pair_is_in_order(name):
    assert check(find_notebook(ROOT, name)) == []


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.published] * (name in NEED_TABLES)) for name in NOTEBOOKS]
)
def test_committed_outputs_are_what_the_notebook_computes(name, tmp_path, request):
    if name in NEED_TABLES:
        request.getfixturevalue("published_data")
    report = REPORTS[DEFAULTS[name]]
    nbval(report.notebook.ipynb, "--nbval", kept=tmp_path / "executed.ipynb")
    executed = normalise(nbformat.read(tmp_path / "executed.ipynb", as_version=4))
    ours, committed = shown(executed), shown(nbformat.read(report.notebook.ipynb, as_version=4))
    assert len(ours) == len(committed)
    for number, pair in enumerate(zip(ours, committed, strict=True), start=1):
        (cell, values), (expected, there) = map(numbers_apart, pair)
        where = f"cell {number} of code or text with values"
        assert cell == expected, where
        np.testing.assert_allclose(values, there, rtol=1e-9, atol=1e-12, err_msg=where)
    check_sentences(executed)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.published] * (name in WITH_DATA)) for name in LARGER]
)
@pytest.mark.slow
def test_report_with_larger_settings(name, tmp_path, request):
    if name in WITH_DATA:
        request.getfixturevalue("published_data")
    page, _ = render_and_check(name, tmp_path, "original" if name in WITH_DATA else None)
    assert 'class="banner bundled"' not in page


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (bool(TWO_IN_ONE) and name not in ALWAYS_RENDERED))
        for name in ONE_OF_EACH
    ],
)
def test_report_from_the_bundled_results(name, tmp_path, has_published_data):
    report = REPORTS[name]
    others = {key: value for key, value in PARAMETER_SETS[report.notebook.name][0].items() if key != "source"}
    page, executed = render_and_check(name, tmp_path, "bundled", others if has_published_data else None)
    assert "source" not in report.values or 'class="banner bundled"' in page
    check_sentences(nbformat.read(executed, as_version=4))
    if not has_published_data:
        nbval(executed, "--nbval")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        pytest.param(
            name,
            parameters,
            id=f"{name}-{number}",
            marks=[pytest.mark.published] * (parameters.get("source") == "original"),
        )
        for name, sets in PARAMETER_SETS.items()
        for number, parameters in enumerate(sets, start=1)
        if number > 1 or name not in TWO_IN_ONE
    ],
)
@pytest.mark.slow
def test_sentences_survive_other_parameters(name, parameters, request):
    if parameters.get("source") == "original":
        request.getfixturevalue("published_data")
    report = next(report for report in REPORTS.values() if report.notebook.name == name)
    executed, failure = run(report.notebook, check_parameters(parameters, report.declared, name))
    assert failure is None, f"{failure.place}: {failure.message}"
    check_sentences(executed)


def check_sentences(executed):
    """See that no sentence of a cell or text with values has a hole for a number, or one as Python writes its own."""
    outputs = (output for cell in executed.cells if cell.cell_type == "code" for output in cell.outputs)
    said = [output.data["text/markdown"] for output in outputs if "text/markdown" in output.get("data", {})]
    with_values = {cell.id for cell in executed.cells if INLINE_VALUES in cell.metadata}
    for text in said + [cell.source for cell in filled(executed).cells if cell.id in with_values]:
        assert not re.search(r"\b(nan|None|NaT)\b|np\.\w+\(|\+-|--|\{[a-z]", text), text


def test_every_notebook_has_a_place_for_other_parameters():
    assert sorted(PARAMETER_SETS) == NOTEBOOKS
    first = {name: PARAMETER_SETS[name][0].get("source") for name in NOTEBOOKS}
    assert all(first[name] == "bundled" for name in NEED_TABLES)  # is that of the report from the bundled results


@pytest.mark.slow
def test_report_on_a_table_of_one_s_own(tmp_path):
    """Three seeds, neither measures nor the name of the family in plain letters."""
    table = example_table(n_seeds=3).assign(family="<b>$x_1$</b>")
    table.to_csv(tmp_path / "mine.csv", index=False)
    overrides = {"results": str(tmp_path / "mine.csv")}
    pages = {}
    for name in ("measures", "tradeoff"):
        outcome = render(ROOT, [name], overrides=overrides, output=tmp_path, say=lambda line: None)
        assert not outcome.failed, outcome.entries[0].problem
        pages[name] = (tmp_path / "html" / f"{name}.html").read_text(encoding="utf-8")
    measures, page = pages.values()
    assert "The networks of this page are your own" in measures and "Your own models" not in measures
    assert "The cells of this page are your own" in page and "mine.csv, SHA-256" in page
    for heading in ("The testbed", "What can be reproduced", "On networks of your own", "Three Kappas"):
        assert heading not in page  # they are about this project's runs
    assert "&lt;b&gt;$x_1$&lt;/b&gt;" in page and "<b>$x_1$</b>" not in page


def test_every_notebook_that_reads_a_table_lets_one_choose_which():
    for name in WITH_DATA:
        assert REPORTS[name].values.get("source", "auto") in datasets.SOURCES


def test_every_notebook_has_a_report_with_its_defaults():
    """So that the strict run of each notebook is also the run of a report."""
    assert sorted(DEFAULTS) == NOTEBOOKS
    assert len(DEFAULTS) + len(LARGER) == len(REPORTS)  # one of each
