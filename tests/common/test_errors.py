"""Optional libraries: what is missing is named, with the extra that brings it; what the system refused, in a line."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from genexpy_nb.common.errors import GenexpyError, MissingExtraError, load_extra, require


def test_nothing_is_imported_to_see_whether_it_is_there(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    require("reports")
    require("reports", "json", "slow_to_import")
    assert "slow_to_import" not in sys.modules
    with pytest.raises(AssertionError, match="imported"):
        load_extra("reports", "slow_to_import")


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        (["json", "no_such_module"], 'no_such_module is not installed; pip install "genexpy_nb[testbed]"'),
        (["no_such", "json", "nor_this"], 'no_such, nor_this are not installed; pip install "genexpy_nb[testbed]"'),
    ],
)
def test_what_is_missing_is_named_with_what_to_install(modules, message):
    for kind in (MissingExtraError, ImportError, GenexpyError):
        with pytest.raises(kind, match=f"^{re.escape(message)}$"):
            require("testbed", *modules)


def test_a_module_of_a_package_is_loaded():
    import xml.dom

    assert load_extra("reports", "xml.dom") is xml.dom
    with pytest.raises(MissingExtraError, match=r"^no_such_module is not installed; .*\[torch\]"):
        load_extra("torch", "no_such_module.part")
    # A package that is there, without the module: that is no missing extra.
    with pytest.raises(ModuleNotFoundError, match=r"xml\.no_such_part"):
        load_extra("torch", "xml.no_such_part")


def test_every_extra_that_the_package_names_can_be_installed():
    root = Path(__file__).parents[2]
    offered = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    calls = {
        (path, extra)
        for path in (root / "genexpy_nb").rglob("*.py")
        for extra in re.findall(r'^\s*(?:\w+ = )?(?:require|load_extra)\(\s*"([^"]+)"', path.read_text(), re.MULTILINE)
    }
    assert calls
    assert {extra for _, extra in calls} <= set(offered)
