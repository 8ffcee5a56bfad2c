"""grids: a YAML file asks for many reports, each with a name that stays, or says in one sentence what is wrong."""

import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mini_project import SMALL, make_project

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.reporting.spec import load_reports, member_names, select

HEAD = "notebook: 01_small\ntitle: Sizes\n"


def project(tmp_path, yaml):
    return make_project(tmp_path, {"01_small": SMALL}, {"sizes": HEAD + yaml})


def test_a_grid_is_the_product_of_its_lists(tmp_path):
    yaml = "description: about\nparameters: {seed: 7}\ngrid:\n  alpha: [0.9, 1]\n  models: [[svm], [svm, knn]]\n"
    reports = load_reports(project(tmp_path, yaml))
    expected = list(product([0.9, 1.0], [["svm"], ["svm", "knn"]]))
    assert [(r.values["alpha"], r.values["models"], r.values["seed"]) for r in reports.values()] == [
        (*pair, 7) for pair in expected
    ]
    assert list(reports) == [
        "sizes--alpha-0.9--models-svm",
        "sizes--alpha-0.9--models-svm+knn",
        "sizes--alpha-1.0--models-svm",
        "sizes--alpha-1.0--models-svm+knn",
    ]
    first = reports["sizes--alpha-0.9--models-svm"]
    assert (first.name, first.title) == ("sizes--alpha-0.9--models-svm", "Sizes: alpha = 0.9, models = ['svm']")
    assert first.varied == {"alpha": 0.9, "models": ["svm"]} and first.changed == {**first.varied, "seed": 7}
    assert {(r.grid.name, r.grid.title, r.grid.description, r.grid.varied) for r in reports.values()} == {
        ("sizes", "Sizes", "about", ("alpha", "models"))
    }


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("grid: {alhpa: [1]}", "grid: unknown parameter 'alhpa'; did you mean 'alpha'? Known: alpha, models, seed"),
        ("grid: {alpha: [0.9, high]}", "grid: parameter 'alpha' must be float (like 0.95), got 'high' (str)"),
        ("grid: {alpha: []}", "grid: alpha is an empty list; give at least one value"),
        ("grid: {alpha: 0.9}", "grid: alpha must be a list of values, as in [10, 20]; got 0.9"),
        ("grid: [1]", "grid must be dict, got [1]"),
        ("grid: {alpha: [1, 0.9, 1.0]}", "grid: alpha lists 1.0 twice"),
        (f"grid: {{seed: {list(range(1001))}}}", "grid: 1,001 members, at most 1,000 are possible; take several files"),
        ("grid: {seed: [1]}\nparameters: {seed: 2}", "seed stands under grid and under parameters; give it in one"),
    ],
)
def test_what_is_wrong_is_one_sentence(yaml, message, tmp_path):
    with pytest.raises(ParameterError, match=f"^reports/sizes.yaml: {re.escape(message)}") as error:
        load_reports(project(tmp_path, yaml))
    assert "\n" not in str(error.value)


VALUES = st.one_of(
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.none(),
    st.text(max_size=60),
    st.lists(st.text(max_size=5), max_size=4).map(tuple),
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["n", "Alpha", "größe"]), VALUES, min_size=1), min_size=1, unique_by=repr)
)
def test_names_are_safe_short_and_different(rows):
    names = member_names("a", rows)
    assert len({name.casefold() for name in names}) == len(rows)
    assert all(re.fullmatch(r"a--[A-Za-z0-9._+-]+", name) and len(name) <= 120 for name in names)
    assert not any(name.endswith(".") for name in names)
    assert all(Path(f"{name}.html").stem == name for name in names)


@given(st.lists(st.integers(), min_size=1, max_size=9, unique=True), st.integers())
def test_a_name_stays_when_members_are_added(values, other):
    rows = [{"n": value} for value in values]
    assert member_names("a", [{"n": other, "k": 1}, *rows])[1:] == member_names("a", rows)


def test_values_that_no_file_could_be_called_have_digits_of_their_own():
    names = member_names("a", [{"f": "x/y"}, {"f": "x-y"}, {"f": "x y"}, {"f": "B"}, {"f": "b"}, {"f": "word " * 50}])
    assert names[1] == "a--f-x-y" and re.fullmatch("a--f-x-y-[0-9a-f]{6}", names[0]) and len(set(names)) == 6
    assert re.fullmatch("a--f-B--[0-9a-f]{6}", names[3]) and re.fullmatch("a--f-b--[0-9a-f]{6}", names[4])
    (long,) = member_names("a", [{f"parameter_{i}": "x" * 30 for i in range(9)}])
    assert 90 < len(long) <= 101


def test_members_are_chosen_by_name_or_by_that_of_the_grid(tmp_path):
    root = project(tmp_path, "grid: {seed: [1, 2]}")
    (root / "reports" / "other.yaml").write_text(HEAD)
    reports = load_reports(root)
    members = ["sizes--seed-1", "sizes--seed-2"]
    assert [r.name for r in select(reports, [])] == ["other", *members]
    assert [r.name for r in select(reports, ["reports/sizes.yaml"])] == members
    assert [r.name for r in select(reports, [members[1], "other", "sizes"])] == [members[1], "other", members[0]]
    with pytest.raises(ParameterError, match=r"^unknown report 'sizes--seed-3'; did you mean 'sizes--seed-2'\?$"):
        select(reports, ["sizes--seed-3"])
    with pytest.raises(ParameterError, match=r"^unknown report 'x'; known: other, sizes$"):
        select(reports, ["x"])


def test_a_grid_is_no_page_between_others(tmp_path):
    root = project(tmp_path, "grid: {seed: [1, 3]}")  # 3 is the default
    for name, more in (("other", ""), ("another", ""), ("changed", "parameters: {seed: 9}\n")):
        (root / "reports" / f"{name}.yaml").write_text(HEAD + more)
    sites = {report.site.pages for report in load_reports(root).values()}
    assert sites == {(("01_small", "another", "Sizes"),)}


def test_a_member_cannot_have_the_name_of_another_report(tmp_path):
    root = project(tmp_path, "grid: {seed: [1, 2]}")
    (root / "reports" / "sizes--seed-2.yaml").write_text(HEAD)
    with pytest.raises(ParameterError, match=r"^reports/sizes.yaml: there are two reports called 'sizes--seed-2'"):
        load_reports(root)
