"""The bare wheel in an environment that holds what it asks for, and nothing else, runs the README's example."""

import re
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="needs hatchling, which builds the wheel")
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]


def closure(requirements):
    """Distributions of this environment that the requirements need, extras left out, and what those need in turn."""
    found, waiting = {}, list(requirements)
    while waiting:
        requirement = Requirement(waiting.pop())
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found[name] = metadata.distribution(requirement.name)
        assert requirement.specifier.contains(found[name].version, prereleases=True), requirement
        waiting += found[name].requires or []
    return found


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Python of an environment with the wheel and links to the installed distributions that its core asks for."""
    folder = tmp_path_factory.mktemp("bare")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    venv.create(folder / "env", with_pip=False, symlinks=True)
    python = folder / "env" / "bin" / "python"
    where = [str(python), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"]
    packages = Path(subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip())
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(packages)], check=True)
    (about,) = packages.glob("genexpy_nb-*.dist-info")
    for distribution in closure(metadata.Distribution.at(about).requires).values():
        for top in {file.parts[0] for file in distribution.files if file.parts[0] not in ("..", "__pycache__")}:
            (packages / top).exists() or (packages / top).symlink_to(distribution.locate_file(top))
    return python


def run(python, code, tmp_path):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "MPLBACKEND": "Agg", "XDG_CACHE_HOME": str(tmp_path)}
    return subprocess.run([python, "-I", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)


def test_the_readme_s_example_prints_what_the_readme_says(bare, tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,), (printed,) = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("python", "text"))
    done = run(bare, code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line.split() for line in done.stdout.splitlines()] == [line.split() for line in printed.splitlines()]


def test_the_core_works_without_the_extras(bare, tmp_path):
    code = """
import genexpy_nb as gx
import numpy as np
print(gx.significance.friedman(np.random.default_rng(0).normal(size=(9, 3)), higher_is_better=True).n_conditions)
gx.plots, gx.causal, gx.protocol
try:
    import nbclient
except ImportError:
    print("bare")
"""
    done = run(bare, code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["9", "bare"]


@pytest.mark.parametrize(
    ("module", "extra", "missing"),
    [
        ("genexpy_nb.reporting", "reports", "nbclient"),
        ("genexpy_nb.tradeoff", "testbed", "xarray"),
    ],
)
def test_what_is_missing_is_named_with_its_extra(bare, tmp_path, module, extra, missing):
    done = run(bare, f"import {module}", tmp_path)
    said = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and said.startswith("genexpy_nb.common.errors.MissingExtraError")
    assert missing in said and f'pip install "genexpy_nb[{extra}]"' in said


def test_data_status_works_in_the_bare_wheel(bare, tmp_path):
    done = run(bare, "from genexpy_nb.cli import main; main(['data', 'status'])", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "encoders" in done.stdout and "bundled" in done.stdout


def test_what_the_command_for_a_study_needs_comes_with_the_wheel(bare, tmp_path):
    code = """
from pathlib import Path
import genexpy_nb as gx
print((Path(gx.__file__).parent / "_notebooks" / "09_your_study.py").is_file(), len(gx.datasets.load_mteb()))
print(len(gx.significance.interval_advice()) > 0)
"""
    done = run(bare, code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True", "10041", "True"]


def test_the_command_for_a_study_names_the_extra_that_it_needs(bare, tmp_path):
    (tmp_path / "results.csv").write_text("model,task,score\na,1,2\nb,1,3\na,2,2\nb,2,1\n")
    words = "genexpy-nb study results.csv --alternatives model --target score --higher-is-better --over task"
    code = f"import sys; sys.argv = {words.split()}; from genexpy_nb.cli import main; main()"
    done = run(bare, code, tmp_path)
    assert done.returncode == 2 and "genexpy_nb[reports]" in done.stderr and "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir() if not file.name.startswith(".")] == ["results.csv"]
