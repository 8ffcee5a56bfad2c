"""The plan of the house: imports run one way, private names stay at home, the front door loads what is asked for."""

import ast
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import genexpy_nb as gx
from genexpy_nb.generalization import kernels

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "genexpy_nb"

ANALYSES = {"significance", "conclusions", "generalization", "protocol", "causal", "tradeoff"}
# Room -> the rooms that it may import from. What is not here, may not be there.
MAY_IMPORT = {
    "common": set(),
    "datasets": {"common"},
    "significance": {"common"},
    "conclusions": {"common", "significance"},
    "generalization": {"common", "significance"},
    "protocol": {"common", "significance"},
    "causal": {"common", "significance"},
    "tradeoff": {"common", "significance"},
    # plots know neither fields nor study, and so stand below them: Study.plot hands them a frame
    "fields": {"common", "datasets", "significance", "conclusions", "plots"},
    "study": {"common", "datasets", "significance", "conclusions", "generalization", "fields", "plots"},
    "plots": {"common", *ANALYSES},
    "chapters": {"common", "datasets", *ANALYSES, "fields", "study", "plots"},
    "reporting": {"common", "datasets", "study", "plots"},
    "own_study": {"common", "datasets", "generalization", "conclusions", "fields", "study", "plots", "reporting"},
    "cli": {"common", "datasets", "reporting", "own_study"},
}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in MODULES.items()}


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path, types=True):
    """(module, name) of every import from the package, wherever it stands in the file; for types, too, unless told."""
    body = parsed(path).body
    if not types:
        body = [n for n in body if not (isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")]
    for node in (each for part in body for each in ast.walk(part)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            if node.module and node.module.split(".")[0] == "genexpy_nb":
                yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((a.name, None) for a in node.names if a.name.split(".")[0] == "genexpy_nb")


def target(module, name):
    """The module that an import really is of: ``from package import module`` names it last."""
    return f"{module}.{name}" if name and f"{module}.{name}" in MODULES else module


GRAPH = {name: {target(*found) for found in imports(path)} for name, path in MODULES.items()}


def room(module):
    return module.split(".")[1] if "." in module else ""


def test_every_room_is_on_the_plan_and_there_are_few():
    rooms = {room(name) for name in MODULES} - {""}
    assert rooms == set(MAY_IMPORT)
    assert len(rooms - {"cli"}) <= 14


@pytest.mark.parametrize("name", sorted(MAY_IMPORT))
def test_imports_of_a_room_run_down_only(name):
    found = {room(there) for here, used in GRAPH.items() if room(here) == name for there in used} - {name, ""}
    assert found <= MAY_IMPORT[name]


def test_the_plan_itself_has_no_circle():
    order = []
    while len(order) < len(MAY_IMPORT):
        free = [name for name in MAY_IMPORT if name not in order and MAY_IMPORT[name] <= set(order)]
        assert free, set(MAY_IMPORT) - set(order)
        order += free


def test_no_circle_of_modules():
    """What is imported for its type only makes none: the functions that are methods of `Study` name it so."""
    left = {}
    for name, path in MODULES.items():
        used = {target(*found) for found in imports(path, types=False)}
        left[name] = {m for m in used if m != name and MODULES[m].name != "__init__.py"}
    while left:
        done = [name for name, used in left.items() if not used & set(left)]
        assert done, f"these import each other in a circle: {sorted(left)}"
        for name in done:
            del left[name]


def test_private_names_stay_in_their_module():
    for here, path in MODULES.items():
        for module, name in imports(path):
            assert not (name or "").startswith("_") or name == "__version__", f"{here} imports {module}.{name}"
    for folder in ("notebooks", "benchmarks", "data", "docs"):
        for path in (ROOT / folder).glob("*.py"):
            assert not [name for _, name in imports(path) if (name or "").startswith("_")], path


def test_no_function_has_the_name_of_a_module_beside_it():
    for package in (name for name, path in MODULES.items() if path.name == "__init__.py"):
        loaded = importlib.import_module(package)
        for info in pkgutil.iter_modules(loaded.__path__):
            assert info.name not in getattr(loaded, "__all__", []) or package == "genexpy_nb", f"{package}.{info.name}"
            importlib.import_module(f"{package}.{info.name}")
            assert getattr(loaded, info.name).__name__ == f"{package}.{info.name}"


def test_a_check_has_one_definition():
    """What the floor that all stand on offers is not written again upstairs, under the same name or a private one."""
    at = defaultdict(set)
    for name, path in MODULES.items():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef):
                at[node.name.lstrip("_")].add(name)
    in_notebooks = {"genexpy_nb.common.exercises"}  # they say gx.check; nobody upstairs calls it
    common = [parsed(path) for name, path in MODULES.items() if room(name) == "common" and name not in in_notebooks]
    shared = {n.name for tree in common for n in tree.body if isinstance(n, ast.FunctionDef) and n.name[0] != "_"}
    assert len(shared) > 20
    again = {
        name: sorted(at[name])
        for name in shared
        if len(at[name]) > 1 and not name.endswith("__") and not name.startswith("repr_")
    }
    assert again == {}


def test_the_tolerance_of_thresholds_is_written_once():
    assert [name for name, text in TEXTS.items() if "1 + 1e-9" in text] == []


def test_what_a_chapter_imports_is_used_in_it_or_by_a_notebook():
    cells = "\n".join(path.read_text("utf-8") for path in (ROOT / "notebooks").glob("*.py"))
    for here, path in ((here, path) for here, path in MODULES.items() if room(here) == "chapters"):
        imported = [
            alias.asname or alias.name for node in ast.walk(parsed(path)) for alias in getattr(node, "names", ())
        ]
        used = {node.id for node in ast.walk(parsed(path)) if isinstance(node, ast.Name)} | {"annotations"}
        assert [name for name in imported if name not in used and f"chapter.{name}" not in cells] == [], here


def test_tests_stand_where_their_module_does():
    for path in (ROOT / "tests").glob("*/test_*.py"):
        assert path.parent.name in MAY_IMPORT, path


def test_rooms_are_flat_and_modules_can_be_read_at_once():
    for name in MAY_IMPORT.keys() - {"cli"}:
        modules = [path for here, path in MODULES.items() if room(here) == name and path.name != "__init__.py"]
        assert len(modules) <= 12 and {path.parent.name for path in modules} == {name}, name
    lines = {name: text.count("\n") for name, text in TEXTS.items()}
    assert {name: n for name, n in lines.items() if n > 600} == {}


PUBLIC = {
    f"{name}.{each}": getattr(loaded, each)
    for name, path in MODULES.items()
    if path.name == "__init__.py"
    for loaded in [importlib.import_module(name)]
    for each in getattr(loaded, "__all__", [])
}


def test_public_names_are_few_and_stand_in_the_rooms_only():
    assert len(gx.__all__) <= 26
    assert len({name.rsplit(".", 1)[1] for name in PUBLIC}) <= 260
    assert {MODULES[name].name for name, text in TEXTS.items() if "__all__ = " in text} == {"__init__.py"}


@pytest.mark.parametrize("name", sorted(name for name, thing in PUBLIC.items() if inspect.isfunction(thing)))
def test_a_public_function_says_what_goes_in_and_what_comes_out(name):
    documented, signature = inspect.getdoc(PUBLIC[name]), inspect.signature(PUBLIC[name])
    if signature.parameters:
        assert "\nParameters\n----------\n" in documented
    if signature.return_annotation not in (None, "None"):
        assert "\nReturns\n-------\n" in documented


def test_a_figure_is_offered_or_called():
    """A public function of plots that nobody can reach or calls was forgotten in the stub."""
    calls = "\n".join([*TEXTS.values(), *(path.read_text("utf-8") for path in (ROOT / "notebooks").glob("*.py"))])
    for name in (name for name in MODULES if ".plots." in name):
        for figure in re.findall(r"^def ([a-z]\w*)\(.*?\) -> Figure:", TEXTS[name], re.M | re.S):
            called = figure in gx.plots.__all__ or re.search(rf"(?<!def )\b{figure}\(", calls)
            assert called, f"{name}.{figure} has no line in plots/__init__.pyi, and nobody calls it"


def test_a_kernel_is_offered_says_what_it_asks_and_stands_in_the_vocabulary():
    words = (Path(gx.__file__).parents[1] / "docs" / "vocabulary.md").read_text(encoding="utf-8")
    named = {name: thing for name, thing in vars(kernels).items() if name.endswith("Kernel")}
    ours = [name for name, thing in named.items() if thing.__module__ == kernels.__name__ and name != "Kernel"]
    assert len(ours) > 3
    assert [name for name in ours if name not in gx.generalization.__all__] == []
    assert [name for name in ours if not hasattr(getattr(kernels, name), "about")] == []
    assert [name for name in ours if f"`{name}(" not in words] == []


def test_a_figure_that_is_offered_is_drawn_in_some_test():
    drawn = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    assert [figure for figure in gx.plots.__all__ if f"{figure}(" not in drawn] == []


def test_all_that_the_front_door_promises_is_there():
    assert {"Study", "pool", "significance", "causal", "protocol", "tradeoff", "plots"} <= set(gx.__all__)
    for name in gx.__all__:
        assert getattr(gx, name) is not None
    # whatever else was imported before
    assert callable(gx.generalization.generalizability) and callable(gx.generalization.mmd)
    with pytest.raises(AttributeError):
        gx.no_such_name  # noqa: B018


def in_a_new_process(code):
    environment = {name: value for name, value in os.environ.items() if name != "EAGER_IMPORT"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


LIGHT = {"click", "lazy_loader"}


def test_importing_the_package_and_asking_for_help_load_no_library():
    """A rule that can be checked on any machine, for the time that an import takes."""
    code = "import sys; from click.testing import CliRunner; from genexpy_nb.cli import main; "
    code += "assert all(CliRunner().invoke(main, [*of, '--help']).exit_code == 0 for of in ([], ['study'])); "
    code += "print(*(name for name, module in sys.modules.items() if module))"  # None: not to be loaded
    libraries = {name.partition(".")[0] for name in in_a_new_process(code)} & set(packages_distributions())
    assert {name for name in libraries if not name.startswith("_")} - LIGHT == {"genexpy_nb"}


def test_rooms_are_reached_through_the_front_door_without_being_imported_first():
    code = (
        "import genexpy_nb as gx; print(gx.significance.friedman.__name__, gx.protocol.__name__, gx.causal.__name__, "
    )
    code += "gx.tradeoff.__name__, gx.plots.__name__, gx.datasets.__name__)"
    rooms = ("protocol", "causal", "tradeoff", "plots", "datasets")
    assert in_a_new_process(code) == {"friedman", *(f"genexpy_nb.{name}" for name in rooms)}
