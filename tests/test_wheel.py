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


WORKS = """
from pathlib import Path
import genexpy_nb as gx
import numpy as np
from genexpy_nb.cli import main

def failure(module):
    try:
        __import__(module)
    except ImportError as error:
        return f"{type(error).__name__}: {error}"

for module in ("nbclient", "genexpy_nb.reporting", "genexpy_nb.tradeoff"):
    print(failure(module))
print(gx.significance.friedman(np.random.default_rng(0).normal(size=(9, 3)), higher_is_better=True).n_conditions)
gx.plots, gx.causal, gx.protocol
print((Path(gx.__file__).parent / "_notebooks" / "09_your_study.py").is_file(), len(gx.datasets.load_mteb()))
print(len(gx.significance.interval_advice()) > 0)
main(["data", "status"], standalone_mode=False)
main("study results.csv --alternatives model --target score --higher-is-better --over task".split())
"""


def test_the_core_works_and_what_is_missing_is_named_with_its_extra(bare, tmp_path):
    (tmp_path / "results.csv").write_text("model,task,score\na,1,2\nb,1,3\na,2,2\nb,2,1\n")
    done = run(bare, WORKS, tmp_path)
    assert done.returncode == 2 and "genexpy_nb[reports]" in done.stderr and "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir() if not file.name.startswith(".")] == ["results.csv"]
    none, *lacking, friedman, study, advice, _, status = done.stdout.split("\n", 7)
    assert none.startswith("ModuleNotFoundError")
    for said, missing, extra in zip(lacking, ("nbclient", "xarray"), ("reports", "testbed"), strict=True):
        assert said.startswith("MissingExtraError") and missing in said and f'pip install "genexpy_nb[{extra}]"' in said
    assert (friedman, study, advice) == ("9", "True 10041", "True")
    assert "encoders" in status and "bundled" in status
