"""The front door of reporting names all libraries that only its extra brings."""

import ast
import sys
from pathlib import Path

from genexpy_nb import reporting

FOLDER = Path(reporting.__file__).parent
# The other libraries of the core are those that reports do without; distributed is asked for where it is used.
CORE = {"PIL", "distributed", "lazy_loader", "genexpy_nb", "joblib", "pandas", "pyarrow", "rich"}


def imported(path):
    """Top-level names of what a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]


def test_all_libraries_are_required_and_no_more():
    used = {name for path in FOLDER.glob("*.py") for name in imported(path)} - CORE - sys.stdlib_module_names
    (call,) = (
        n.value
        for n in ast.parse((FOLDER / "__init__.py").read_text()).body
        if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)
    )
    named = {n.value for n in ast.walk(call) if isinstance(n, ast.Constant)} - {"reports"}
    assert named == used | {"mistune"}  # the renderer that nbconvert hands on
