"""Versions of the libraries that results depend on."""

import tomllib
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
import sklearn

from genexpy_nb.common.versions import PACKAGES, versions


def test_versions_are_those_that_the_libraries_give():
    found = versions()
    assert found["numpy"] == np.__version__
    assert found["pandas"] == pd.__version__
    assert found["scipy"] == scipy.__version__
    assert found["scikit-learn"] == sklearn.__version__


def test_the_order_is_that_asked_for_and_what_is_not_installed_is_left_out():
    assert list(versions(["scipy", "no-such-package", "numpy"])) == ["scipy", "numpy"]
    assert versions([]) == versions(iter(["no-such-package"])) == {}


def test_every_library_that_results_depend_on_is_a_dependency():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    for package in PACKAGES:
        assert any(line.startswith(package) for line in needed), package
