"""A course that needs no installation: the package and student notebooks run where there is no system below."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from genexpy_nb.common.exercises import UNANSWERED
from genexpy_nb.reporting.lessons import write_lessons

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["00_start_here", "01_formalization"])
def test_a_student_notebook_runs_in_a_browser(name, tmp_path):
    students = write_lessons(ROOT, [name], tmp_path / "lessons", say=lambda line: None, pages=False)
    command = [sys.executable, "-W", "ignore", str(ROOT / "tests" / "without_a_system.py"), students / f"{name}.ipynb"]
    environment = {name: value for name, value in os.environ.items() if name != "GENEXPY_NB_DATA"}
    environment |= {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    said = done.stdout.splitlines()
    assert any(line.startswith(f"{name} {UNANSWERED}") for line in said)
    assert said[-1] == "[]"  # nothing that makes pages was asked for
