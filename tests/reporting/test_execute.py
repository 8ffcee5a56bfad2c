"""execute: a notebook runs where it lies, with the values that it was given, and a failure is found again."""

from mini_project import make_project

from genexpy_nb.reporting.execute import run
from genexpy_nb.reporting.pairing import NotebookFile


def test_a_kernel_that_dies_is_a_failed_cell(tmp_path):
    root = make_project(tmp_path, {"01_dies": "# %%\n1\n\n# %%\nimport os\n\nos._exit(1)\n"}, {})
    folder = root / "notebooks"
    node, failure = run(NotebookFile("01_dies", folder / "01_dies.py", folder / "01_dies.ipynb"), {})
    assert failure.place == "notebooks/01_dies.py:5" and failure.cell == 2 and "kernel died" in failure.message
    assert node.cells[0].execution_count == 1


def test_a_notebook_runs_in_its_own_folder_without_noise(tmp_path, capfd):
    source = "# %%\nfrom pathlib import Path\n\nprint(sorted(p.name for p in Path().iterdir()))\n"
    root = make_project(tmp_path, {"01_here": source}, {})
    folder = root / "notebooks"
    node, failure = run(NotebookFile("01_here", folder / "01_here.py", folder / "01_here.ipynb"), {})
    assert failure is None and node.cells[0].outputs[0].text == "['01_here.py']\n"
    assert capfd.readouterr() == ("", "")
