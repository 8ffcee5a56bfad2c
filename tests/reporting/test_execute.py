"""execute: a notebook runs where it lies, with the values that it was given, and a failure is found again."""

import json
import re

import nbformat
import pytest
from mini_project import make_project
from papermill.clientwrap import PapermillNotebookClient

from genexpy_nb.reporting import execute
from genexpy_nb.reporting.execute import run
from genexpy_nb.reporting.pairing import filled, find_notebook
from genexpy_nb.reporting.state import Failure


@pytest.fixture
def notebook(tmp_path):
    """notebook(source) writes one and finds it."""
    return lambda source: find_notebook(make_project(tmp_path, {"01_a": source}, {}), "01_a")


def test_a_kernel_that_dies_is_a_failed_cell(notebook):
    node, failure = run(notebook("# %%\n1\n\n# %%\nimport os\n\nos._exit(1)\n"), {})
    assert failure.place == "notebooks/01_a.py:5" and failure.cell == 2 and "kernel died" in failure.message
    assert node.cells[0].execution_count == 1


def test_a_cell_that_never_ends_is_a_failed_cell(notebook):
    _, failure = run(notebook("# %% [markdown]\n# ## Long\n\n# %%\nimport time\n\ntime.sleep(600)\n"), {}, timeout=2)
    # the line of the cell, or where the kernel says that it was when it was interrupted
    assert re.fullmatch(
        r'notebooks/01_a.py:[57] \(cell 2, under "Long"\): '
        r"TimeoutError: no end after 2 s, the limit for a cell \(see --cell-timeout\)",
        failure.summary,
    )


def test_a_value_that_cannot_be_worked_out_is_a_failure_of_its_text(notebook):
    node, failure = run(notebook("# %%\nn = 1\n\n# %% [markdown]\n# # T\n# {eval}`m`\n\n# %%\nn = 2\n"), {})
    assert failure.message == "NameError: name 'm' is not defined" and failure.place == "notebooks/01_a.py:5"
    assert node.cells[2].execution_count is None  # nothing runs behind it


SHOWS = """# %% tags=["ours"]
raise OSError

# %%
from pathlib import Path

print(sorted(p.name for p in Path().iterdir()))
n = 6 * 7

# %% [markdown]
# It is {eval}`n`, or {eval}`f'{n / 100:.0%}'`.

# %% tags=["check"]
1 / 0

# %%
n = 0
"""


def test_a_notebook_runs_in_its_own_folder_without_noise_and_its_text_has_the_values_of_what_ran_before(
    notebook, capfd
):
    node, failure = run(notebook(SHOWS), {}, without={"ours"})
    assert failure is None and [cell.cell_type for cell in node.cells] == ["code", "markdown", "code"]
    assert node.cells[0].outputs[0].text == "['01_a.py']\n"
    assert filled(node).cells[1].source == "It is 42, or 42%."
    assert capfd.readouterr() == ("", "")


def test_it_runs_in_this_environment_whatever_a_user_has_installed_and_set(notebook, tmp_path, monkeypatch):
    kernel = tmp_path / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    about = {"argv": ["false"], "display_name": "another Python", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(about))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "mine.py").write_text("print('hello')\nn = 5\n")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("HOME", "/dev/null")  # of which matplotlib would warn
    for name in ("MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(execute, "START_ATTEMPTS", 1)
    node, failure = run(notebook("# %%\nimport matplotlib.pyplot as plt\n\nprint(len(plt.rcParams) > 9)\nn\n"), {})
    assert failure.message == "NameError: name 'n' is not defined"
    assert [output.get("text") for output in node.cells[0].outputs] == ["True\n", None]


FAILS_LATE = """# %% [markdown]
# # A title
#
# ## First part

# %% tags=["parameters"]
n: int = 1

# %% [markdown]
# ## Second part
#
# ### Closely looked at
#
# text

# %%
fine = n

def broken():
    raise ValueError("two\\nlines")

broken()
"""


@pytest.mark.parametrize("parameters", [{}, {"n": 2}])
def test_a_failure_says_where_as_the_author_counts(notebook, parameters):
    """A cell that was added for the values does not count."""
    node, failure = run(notebook(FAILS_LATE), parameters)
    line = FAILS_LATE.splitlines().index("broken()") + 1
    where = f"notebooks/01_a.py:{line}"
    assert failure == Failure("ValueError: two lines", 4, "Closely looked at", where, failure.traceback)
    assert "\x1b" not in failure.traceback and failure.traceback.endswith("lines")
    assert len(node.cells) == 4 + len(parameters)
    assert failure.summary == f'notebooks/01_a.py:{line} (cell 4, under "Closely looked at"): ValueError: two lines'


def test_without_a_py_the_cell_is_named(tmp_path):
    root = make_project(tmp_path, {}, {})
    cells = [nbformat.v4.new_code_cell("1 / 0")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), root / "notebooks" / "01_b.ipynb")
    _, failure = run(find_notebook(root, "01_b"), {})
    assert failure.place == "notebooks/01_b.ipynb:cell 1" and failure.heading == ""
    assert failure.summary == "notebooks/01_b.ipynb:cell 1 (cell 1): ZeroDivisionError: division by zero"


@pytest.mark.parametrize(("failures", "begun", "calls"), [(2, False, 3), (99, False, 3), (1, True, 1)])
def test_the_start_of_a_kernel_is_tried_again_but_not_what_has_begun(failures, begun, calls, notebook, monkeypatch):
    """A second attempt would hide what the first one did, which may have left files."""
    real, tried = PapermillNotebookClient.execute, []

    def fake(client, **options):
        tried.append(client)
        if len(tried) > failures:
            return real(client, **options)
        if begun:
            client.on_cell_start(cell=client.nb.cells[1], cell_index=1)
        raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(PapermillNotebookClient, "execute", fake)
    pair = notebook("# %% [markdown]\n# # T\n\n# %%\n6 * 7\n")
    if failures < calls:
        node, failure = run(pair, {})
        assert failure is None and node.cells[1].outputs[0].data["text/plain"] == "42"
    elif begun:
        _, failure = run(pair, {})
        assert failure.place == "notebooks/01_a.py:5"
        assert failure.message == "RuntimeError: Kernel died before replying to kernel_info"
    else:
        with pytest.raises(RuntimeError, match="before replying"):
            run(pair, {})
    assert len(tried) == calls


def test_why_a_kernel_did_not_start_is_said(notebook, monkeypatch, capfd):
    """Its own last words; they do not go to the screen."""
    monkeypatch.setattr(execute, "START_ATTEMPTS", 1)
    monkeypatch.setenv("PYTHONPATH", str(notebook("# %%\n1\n").py.parent))
    (notebook("# %%\n1\n").py.parent / "ipykernel.py").write_text("raise ImportError('half installed')\n")
    words = r"^Kernel died before replying to kernel_info: ImportError: half installed$"
    with pytest.raises(RuntimeError, match=words):
        run(notebook("# %%\n1\n"), {})
    assert capfd.readouterr() == ("", "")
