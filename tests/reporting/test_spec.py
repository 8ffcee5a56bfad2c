"""spec: what reports/*.yaml and the command line ask for is read exactly, and checked before anything runs."""

import os
import re
import warnings
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mini_project import SMALL, SOURCED, SOURCED_YAML, make_project
from mini_project import one_report as project

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.datasets import locating
from genexpy_nb.reporting.parameters import read_yaml
from genexpy_nb.reporting.spec import in_full, load_reports, parse_assignments, select, with_source

HEAD = "notebook: 01_small\ntitle: A\n"


def test_a_report_is_read_and_checked(tmp_path):
    yaml = "notebook: notebooks/01_small.ipynb\ntitle: A title\n"
    yaml += "description: >\n  two\n  lines\nparameters: {alpha: 1}\n"
    report = load_reports(project(tmp_path, yaml))["small"]
    assert (report.title, report.description, report.notebook.name) == ("A title", "two lines", "01_small")
    assert report.parameters == {"alpha": 1.0}
    assert report.values == {"alpha": 1.0, "models": ["svm", "knn"], "seed": 3}
    assert report.changed == {"alpha": 1.0}


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("notebook: 01_small\ntitel: A", "reports/small.yaml: unknown key 'titel'; did you mean 'title'"),
        (HEAD + "grid: {seed: [1]}", "small.yaml: unknown key 'grid'; known: notebook, title"),
        ("title: A", "reports/small.yaml: notebook is missing"),
        ("notebook: 01_smal\ntitle: A", "reports/small.yaml: no notebook '01_smal'.*did you mean '01_small'"),
        ("notebook: 01_small\ntitle: 3", "reports/small.yaml: title must be str, got 3"),
        ("[1, 2]", "reports/small.yaml: must be a mapping"),
        (HEAD + "data: [encoder]", "reports/small.yaml: data must be one of .*'encoder'"),
        (HEAD + "readers: [papers]", "readers must be one of 'paper', 'table', 'teach', got 'papers'"),
        (HEAD + "parameters: {alhpa: 1}", "small.yaml: unknown parameter 'alhpa'; did you mean"),
        (HEAD + "parameters: {alpha: high}", r"small.yaml: parameter 'alpha' must be float"),
    ],
)
def test_errors_name_file_and_what_would_be_right(tmp_path, yaml, message):
    with pytest.raises(ParameterError, match=message):
        load_reports(project(tmp_path, yaml))


def test_what_is_left_empty_is_as_if_it_were_not_there(tmp_path):
    yaml = HEAD + "description:\nparameters:\ndata:\n"
    report = load_reports(project(tmp_path, yaml))["small"]
    assert (report.description, report.parameters, report.data_names) == ("", {}, ())


def test_reports_are_chosen_by_name_or_by_file(tmp_path):
    reports = load_reports(make_project(tmp_path, {"01_small": SMALL}, dict.fromkeys(("small", "other"), HEAD)))
    assert [report.name for report in select(reports, [])] == ["other", "small"]
    assert [report.name for report in select(reports, ["reports/small.yaml", "other", "small"])] == ["small", "other"]
    with pytest.raises(ParameterError, match=r"^unknown report 'smal'; did you mean 'small'\?$"):
        select(reports, ["smal"])
    with pytest.raises(ParameterError, match=r"^unknown report 'x'; known: other, small$"):
        select(reports, ["x"])
    with pytest.raises(ParameterError, match=r"^nothing to render: there is no reports/\*\.yaml$"):
        select({}, [])


def test_the_page_of_a_notebook_is_the_first_of_its_reports_with_the_defaults(tmp_path):
    texts = {"other": HEAD, "another": HEAD, "a": HEAD + "parameters: {seed: 9}\n"}
    reports = load_reports(make_project(tmp_path, {"01_small": SMALL}, texts))
    assert {report.site.pages for report in reports.values()} == {(("01_small", "another", "A"),)}


def test_drafts_are_not_reports(tmp_path):
    root = project(tmp_path, HEAD)
    for name in ("_draft", ".hidden"):
        (root / "reports" / f"{name}.yaml").write_text("nonsense")
    assert list(load_reports(root)) == ["small"]


def test_a_bad_cell_of_parameters_names_the_notebook(tmp_path):
    root = project(tmp_path, "notebook: 01_small\ntitle: A", '# %% tags=["parameters"]\nx = f(1)\n')
    with pytest.raises(ParameterError, match=r"notebooks/01_small.py, parameters, line 1: default of 'x'"):
        load_reports(root)


@settings(max_examples=50)
@given(st.floats(allow_nan=False) | st.integers() | st.booleans())
def test_numbers_of_python_are_numbers_of_the_command_line(value):
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value).replace("inf", ".inf")
    parsed = parse_assignments([f"x={text}"])[0]["x"]
    assert parsed == value and type(parsed) is type(value)


def test_yaml_has_no_surprises():
    text = "[no, on, 2024-01-01, 2024-99-99, 12:30:45, =, <<, null, .5, 1., 1e5, 010, 0x1F, 1_000]"
    texts = ["no", "on", "2024-01-01", "2024-99-99", "12:30:45", "=", "<<"]
    assert read_yaml(text, "") == [*texts, None, 0.5, 1.0, 1e5, 10, 31, 1000]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "here, line 1: not valid YAML: expected the node content"),
        ("a: 1\nb: 2\na: 3", 'here, line 3: not valid YAML: found duplicate key "a"'),
        ("x: !!python/object:os.system ls", "here, line 1: not valid YAML: could not determine a constructor"),
        ("x: !!int abc", "here: not valid YAML: invalid literal for int"),
        ("\0", "here: not valid YAML: unacceptable character #x0000"),
        ("[" * 1_000, "here: nested too deeply"),
        (f"0x{'f' * 9000}", "here: not valid YAML: Exceeds the limit"),
    ],
)
def test_what_is_not_yaml_or_too_much_is_said_in_one_line(text, message):
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}") as error:
        read_yaml(text, "here")
    assert "\n" not in str(error.value) and len(str(error.value)) < 300


@given(st.text(alphabet="ab01-+.:,[]{}&*!#|>'\"%@` \n\t?=<_exo~\\", max_size=20))
def test_any_text_is_yaml_or_an_error_of_ours(text):
    with suppress(ParameterError):
        read_yaml(text, "here")


@pytest.mark.parametrize("bad", ["alpha", "=1", "a b=1", "x=[1"])
def test_bad_assignments(bad):
    with pytest.raises(ParameterError, match="-p"):
        parse_assignments([bad])
    with pytest.raises(ParameterError, match="twice"):
        parse_assignments(["a=1", "a=2"])


ENCODERS, BOTH = [("encoders", "auto")], [("encoders", "auto"), ("bigbench", "auto"), ("encoders", "bundled")]
DATA, OWN = "data: [encoders]\n", SOURCED.replace('"auto"', '"mine.csv"')


@pytest.mark.parametrize(
    ("yaml", "notebook", "asked", "source", "by_itself", "located"),
    [
        (DATA, SOURCED, None, "original", True, ENCODERS),  # before the run
        (DATA + "parameters: {source: original}", SOURCED, "bundled", "bundled", False, None),
        # the note of the second, found under "auto", says why it is not the published one
        ("data: [encoders, bigbench]", SOURCED, "auto", "bundled", True, BOTH),
        (DATA, SMALL, "bundled", None, False, ENCODERS),  # there is no such parameter, or another one
        (DATA + "parameters: {source: yours.csv}", OWN, "bundled", "yours.csv", False, ENCODERS),
    ],
)
def test_all_tables_have_one_source_that_of_the_command_line_if_there_is_one(
    yaml, notebook, asked, source, by_itself, located, tmp_path, tables
):
    report = with_source(load_reports(project(tmp_path, HEAD + yaml, notebook))["small"], asked)
    assert report.parameters == ({"source": source} if source else {})
    assert report.changed == ({} if by_itself else report.parameters)
    assert report.settled == (("source",) if by_itself else ())
    if notebook == SOURCED:
        assert {table.source for table in report.data} == {source}
    assert located is None or tables == located


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        (SOURCED_YAML + "parameters: {source: orignal}\n", "report small: source must be .*did you mean 'original'"),
        (HEAD, r"reports/small.yaml: .*'source': list what it reads under data"),
    ],
)
def test_an_unknown_source_or_one_of_nothing_is_an_error_before_anything_is_located(yaml, message, tmp_path, tables):
    report = load_reports(project(tmp_path, yaml, SOURCED))["small"]
    with pytest.raises(ParameterError, match=message):
        with_source(report, None)
    assert tables == []


def test_a_fallback_is_not_warned_of_twice(tmp_path, monkeypatch):
    """Whoever renders says it, and the page does."""

    def locate(name, source):
        warnings.warn(f"{name}: no network", UserWarning, stacklevel=2)
        return locating.Located(name, "bundled", tmp_path, "0" * 64, "")

    monkeypatch.setattr(locating, "locate", locate)
    report = load_reports(project(tmp_path, SOURCED_YAML, SOURCED))["small"]
    with warnings.catch_warnings(action="error"):
        assert with_source(report, None).settled == ("source",)


def test_names_of_files_are_given_in_full(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").touch()
    (tmp_path / "OHE").touch()
    values = {"results": "mine.csv", "alternative": "OHE", "other": "yours.csv", "alpha": 0.5}
    assert in_full(values) == values | {"results": str(tmp_path / "mine.csv")}
    monkeypatch.setenv("HOME", str(tmp_path))
    assert in_full({"results": "~/mine.csv"}) == {"results": str(tmp_path / "mine.csv")}
    assert in_full({"both": ["mine.csv", "no.csv"]}) == {"both": [str(tmp_path / "mine.csv"), "no.csv"]}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("index", "reports/index.yaml: a report cannot be called index"),
        ("published", "reports/published.yaml: a report cannot be called published: that is the page of all published"),
        ("api-x", "reports/api-x.yaml: a report cannot be called api-x: that is how pages about the package"),
    ],
)
def test_names_that_no_page_can_have(name, message, tmp_path):
    root = make_project(tmp_path, {"01_small": SMALL}, {name: HEAD})
    with pytest.raises(ParameterError, match=re.escape(message)):
        load_reports(root)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (os.mkdir, ": not a file"),
        (os.mkfifo, ": not a file"),
        (lambda file: file.symlink_to("nowhere"), ": not a file"),
        (lambda file: file.write_bytes("title: Ä".encode("latin-1")), " is not a text in UTF-8"),
    ],
)
def test_what_is_no_file_or_no_text_is_no_report(spoil, message, tmp_path):
    root = project(tmp_path, HEAD)
    spoil(root / "reports" / "odd.yaml")
    with pytest.raises(ParameterError, match=f"^reports/odd.yaml{message}$"):
        load_reports(root)


@pytest.mark.parametrize("value", ["a\0.csv", "a" * 5000 + ".csv", "~nobody-here/a.csv", "\ud800.csv", ".", "/"])
def test_odd_names_stay_as_they_are(value):
    assert in_full({"results": value}) == {"results": value}
