"""pairing: the .py and the .ipynb of a notebook stay in step, and what differs is said."""

import nbformat
import pytest
from click.testing import CliRunner
from mini_project import here, make_project
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from genexpy_nb.cli import main
from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.reporting import execute
from genexpy_nb.reporting.pairing import (
    INLINE_VALUES,
    as_metadata,
    build,
    check,
    dumps,
    expressions,
    filled,
    find_notebook,
    find_root,
    line_of_cell,
    normalise,
    read_source,
)

SOURCE = """# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Title

# %% tags=["parameters"]
source: str = "auto"  # original, bundled or auto

# %%
import pandas as pd

pd.DataFrame({"a": [1, 2]}).style

# %%
print(source)
"""


@pytest.fixture(scope="module", autouse=True)
def without_processes():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execute, "apart", here())
        yield


@pytest.fixture(scope="module")
def synced(tmp_path_factory):
    root = make_project(tmp_path_factory.mktemp("synced"), {"01_a": SOURCE}, {})
    result = CliRunner().invoke(main, ["--root", str(root), "notebooks", "sync", "--source", "bundled"])
    assert result.exit_code == 0, result.output
    assert result.output == "01_a: written\n"
    return root


@pytest.fixture
def pair(synced, tmp_path):
    """A copy of the pair to damage."""
    root = make_project(tmp_path, {"01_a": SOURCE}, {})
    saved = (synced / "notebooks" / "01_a.ipynb").read_text(encoding="utf-8")
    (root / "notebooks" / "01_a.ipynb").write_text(saved, encoding="utf-8")
    return find_notebook(root, "01_a")


def edit(pair, change):
    node = nbformat.read(pair.ipynb, as_version=4)
    change(node)
    pair.ipynb.write_text(nbformat.writes(node), encoding="utf-8")


def test_sync_executes_and_keeps_the_source(pair):
    node = nbformat.read(pair.ipynb, as_version=4)
    nbformat.validate(node)
    assert [cell.id for cell in node.cells] == ["c000", "c001", "c002", "c003"]
    assert node.cells[1].source == 'source: str = "auto"  # original, bundled or auto'
    assert node.cells[3].outputs[0].text == "bundled\n"  # what --source said, although the cell says auto
    assert check(pair) == []


def test_no_execute_keeps_outputs_of_unchanged_cells(pair):
    assert dumps(build(pair)) == pair.ipynb.read_text(encoding="utf-8")
    pair.py.write_text(SOURCE.replace("print(source)", "print(source.upper())"), encoding="utf-8")
    cells = build(pair).cells
    assert cells[1].outputs == [] and cells[2].outputs
    assert not cells[3].outputs and cells[3].source == "print(source.upper())"


def test_a_failing_notebook_is_left_as_it_was(pair):
    before = pair.ipynb.read_bytes()
    pair.py.write_text(SOURCE + "\n# %%\n1 / 0\n", encoding="utf-8")
    root = pair.py.parents[1]
    result = CliRunner().invoke(main, ["--root", str(root), "notebooks", "sync"])
    line = SOURCE.count("\n") + 3
    assert result.exit_code == 1 and f"FAILED at notebooks/01_a.py:{line} (cell 5" in result.output
    assert "ZeroDivisionError" in result.output and pair.ipynb.read_bytes() == before


ERROR = new_output("error", ename="ValueError", evalue="no", traceback=[])
WARNED = new_output("stream", name="stderr", text="/home/me/env/lib/site-packages/a.py:3: UserWarning: no")


@pytest.mark.parametrize(
    ("cell", "change", "said"),
    [
        (2, {"source": "import pandas"}, ["cell 3 is not what the .py says: 'import pandas'"]),
        (
            1,
            {"metadata": {}},
            ["cell 2 is not what the .py says: 'source: str = \"auto\"  # original, bundled or auto'"],
        ),
        (3, {"execution_count": None}, ["cell 4 was not executed in order: its number is None, not 3"]),
        (3, {"execution_count": 7}, ["cell 4 was not executed in order: its number is 7, not 3"]),
        (3, {"id": "1b2c3d4e"}, ["cell 4 has the id '1b2c3d4e', not 'c003'"]),
        (3, {"outputs": [ERROR]}, ["cell 4 ends in an error: 'print(source)'"]),
        (3, {"outputs": [WARNED]}, ["cell 4 shows a folder of this machine: 'print(source)'"]),
    ],
)
def test_check_finds_what_differs(cell, change, said, pair):
    edit(pair, lambda node: node.cells[cell].update(change))
    assert check(pair) == [f"01_a.ipynb: {each}" for each in said]


def test_check_finds_a_missing_cell_and_the_folder_of_the_project(pair):
    shown = new_output("display_data", data={"text/plain": repr(pair.py.resolve())})
    edit(pair, lambda node: node.cells[3].update(outputs=[shown]))
    assert check(pair) == ["01_a.ipynb: cell 4 shows a folder of this machine: 'print(source)'"]
    edit(pair, lambda node: node.cells.pop())
    assert "01_a.ipynb: has 3 cells, the .py has 4" in check(pair)


def test_check_command(pair):
    root = str(pair.py.parents[1])
    good = CliRunner().invoke(main, ["--root", root, "notebooks", "check"])
    assert (good.exit_code, good.output) == (0, "1 notebook in order\n")
    pair.ipynb.write_text("{", encoding="utf-8")
    bad = CliRunner().invoke(main, ["--root", root, "notebooks", "check"])
    assert bad.exit_code == 1 and "notebooks/01_a.ipynb: not a readable notebook" in bad.output
    pair.ipynb.unlink()
    missing = CliRunner().invoke(main, ["--root", root, "notebooks", "check"])
    assert missing.exit_code == 1 and "notebooks/01_a.ipynb: missing" in missing.output


def test_ipynb_without_py_cannot_be_made(tmp_path):
    root = make_project(tmp_path, {}, {})
    nbformat.write(new_notebook(cells=[new_code_cell("1")]), root / "notebooks" / "01_b.ipynb")
    result = CliRunner().invoke(main, ["--root", str(root), "notebooks", "sync"])
    assert result.exit_code == 2 and "error: no .py to make the .ipynb from: 01_b" in result.output


def normalised(*outputs):
    return normalise(new_notebook(cells=[new_code_cell("1", outputs=list(outputs))])).cells[0].outputs


def test_streams_of_one_kind_are_merged_and_images_keep_their_text():
    parts = [new_output("stream", name=name, text=name[3:]) for name in ("stdout", "stdout", "stderr", "stdout")]
    image = new_output("display_data", data={"image/png": ""}, metadata={"image/png": {"alt": "a", "x": 1}, "y": {}})
    *streams, kept = normalised(*parts, image)
    assert [output.text for output in streams] == ["outout", "err", "out"]
    assert kept.metadata == {"image/png": {"alt": "a"}}


def test_root_is_found_from_below(tmp_path, monkeypatch):
    root = make_project(tmp_path / "project", {"01_a": SOURCE}, {})
    below = root / "docs" / "deep"
    below.mkdir(parents=True)
    assert find_root(below) == root.resolve()
    with pytest.raises(GenexpyError, match="no project at or above"):
        find_root(tmp_path)
    monkeypatch.chdir(below)
    assert "source" in CliRunner().invoke(main, ["params", "01_a"]).output


def test_addresses_in_memory_are_left_out():
    (shown,) = normalised(new_output("display_data", data={"text/plain": "<a.B object at 0x7f00ab12>"}))
    assert shown.data["text/plain"] == "<a.B object at 0x0>"


@pytest.mark.parametrize("file", ["/tmp/ipykernel_12/1217.py", "C:\\Temp\\ipykernel_7\\117.py"])
def test_a_warning_names_its_line_and_no_file_that_is_another_one_in_every_run(file):
    (said,) = normalised(new_output("stream", name="stderr", text=f"{file}:3: UserWarning: odd\n  study()\n"))
    assert said.text == "line 3 of this cell: UserWarning: odd\n  study()\n"


def test_ids_that_are_drawn_anew_stay_different_from_each_other():
    one, two = "1b2c3d4e-1111-2222-3333-123456789abc", "1b2c3d4e-1111-2222-3333-123456789abd"
    html = f'<div id="{one}"></div><style>#{one} {{}} #{two} {{}}</style>'
    (shown,) = normalised(new_output("display_data", {"text/html": html}))
    assert shown.data["text/html"] == '<div id="c000x0x0"></div><style>#c000x0x0 {} #c000x0x1 {}</style>'


def write_pair(root, source, *cells):
    root = make_project(root, {"01_a": source}, {})
    node = normalise(new_notebook(cells=list(cells)))
    (root / "notebooks" / "01_a.ipynb").write_text(dumps(node), encoding="utf-8")
    return find_notebook(root, "01_a")


def shows(source, text, count):
    return new_code_cell(source, outputs=[new_output("stream", name="stdout", text=text)], execution_count=count)


@pytest.mark.parametrize(
    ("source", "saved", "kept"),
    [
        (["show()", "show()"], ["show()", "show()"], ["a", "b"]),  # of equal cells each keeps its own
        (["2", "1"], ["1", "2"], ["b", "a"]),  # a cell has moved
        # jupytext's own matching would keep both outputs: it overlooks quotes, commas, brackets and spaces
        (["f('a')", "1"], ["f(a)", "2"], [None, None]),
    ],
)
def test_outputs_stay_with_what_was_executed(source, saved, kept, tmp_path):
    cells = [shows(text, output, i + 1) for i, (text, output) in enumerate(zip(saved, "ab", strict=True))]
    built = build(write_pair(tmp_path, "".join(f"# %%\n{text}\n\n" for text in source), *cells)).cells
    assert [cell.source for cell in built] == source
    assert [cell.outputs[0].text if cell.outputs else None for cell in built] == kept
    assert [cell.execution_count for cell in built] == [output and "ab".index(output) + 1 for output in kept]


def test_empty_cells_are_not_executed_and_text_is_no_code(tmp_path):
    cells = (shows("1", "a", 1), new_code_cell(""), new_markdown_cell("text"), shows("2", "b", 2))
    pair = write_pair(tmp_path, "# %%\n1\n\n# %%\n\n# %% [markdown]\n# text\n\n# %%\n2\n", *cells)
    assert check(pair) == []


def test_a_folder_that_only_an_image_might_hold_is_none(tmp_path):
    image = new_output("display_data", data={"image/svg+xml": f"<svg>{tmp_path}</svg>"})
    cell = new_code_cell("1", outputs=[image], execution_count=1)
    assert check(write_pair(tmp_path, "# %%\n1\n", cell)) == []


def test_a_notebook_without_a_py_is_read_without_its_outputs(tmp_path):
    pair = write_pair(tmp_path, "# %%\n1\n", shows("7", "a", 1))
    pair.py.unlink()
    (cell,) = read_source(pair).cells
    assert (pair.source, cell.source, cell.outputs, cell.execution_count) == (pair.ipynb, "7", [], None)


@pytest.mark.parametrize(
    ("source", "position", "line"),
    [
        ("#%%\n1\n\n#%%\n2\n", 1, 5),  # without a space
        ("# %%\n1\n\n# %% a title\n2\n", 1, 5),
        ("# %%\n1\n\n# %%x\n2\n", 0, 2),  # a comment
        ("1\n\n# %%\n2\n", 0, None),  # what stands before the first marker is a cell too
    ],
)
def test_lines_of_cells_however_they_are_marked(source, position, line, tmp_path):
    (tmp_path / "a.py").write_text(source, encoding="utf-8")
    assert line_of_cell(tmp_path / "a.py", position) == line


def test_a_folder_with_notebooks_alone_is_no_project(tmp_path):
    make_project(tmp_path, {}, {})
    (tmp_path / "inside" / "notebooks").mkdir(parents=True)
    assert find_root(tmp_path / "inside") == tmp_path.resolve()


# --- values in the text -----------------------------------------------------------------------------------------------


def test_text_asks_for_values_and_gets_them():
    asking = new_markdown_cell('In {eval}`f"{share:.0%}"` of {eval}`n`, that is {eval}`n`; `{eval}` stays.')
    assert expressions(asking) == ['f"{share:.0%}"', "n"]
    values = [{"status": "ok", "data": {"text/plain": "'32%'"}}, {"status": "ok", "data": {"text/plain": "56"}}]
    asking.metadata[INLINE_VALUES] = as_metadata(zip(expressions(asking), values, strict=True))
    assert filled(new_notebook(cells=[asking])).cells[0].source == "In 32% of 56, that is 56; `{eval}` stays."
    kept = normalise(new_notebook(cells=[asking])).cells[0]
    assert kept.metadata[INLINE_VALUES][1] == {
        "expression": "n",
        "result": {"status": "ok", "data": {"text/plain": "56"}, "metadata": {}},
    }


@pytest.mark.parametrize(
    ("text", "values", "read"),
    [
        ("{eval}`name` wins.", {"name": r"'<b>*a*$x$'"}, r"\<b\>\*a\*\$x\$ wins."),
        (
            "It takes\n{eval}`n`. Others take\n{eval}`x`. All of {eval}`n`.",
            {"n": "1", "x": "1.5"},
            "It takes\n1\\. Others take\n1.5. All of 1.",
        ),
    ],
)
def test_a_value_is_text_and_no_markup_nor_opens_a_list(text, values, read):
    asking = new_markdown_cell(text)
    results = [(name, {"status": "ok", "data": {"text/plain": value}}) for name, value in values.items()]
    asking.metadata[INLINE_VALUES] = as_metadata(results)
    assert filled(new_notebook(cells=[asking])).cells[0].source == read


def test_a_pair_lacks_the_values_that_nobody_worked_out(tmp_path):
    source = "# %%\nn = 1\n\n# %% [markdown]\n# {eval}`n`\n"
    pair = write_pair(tmp_path, source, new_code_cell("n = 1", execution_count=1), new_markdown_cell("{eval}`n`"))
    assert check(pair) == ["01_a.ipynb: cell 2 lacks the value of n, which its text asks for"]
