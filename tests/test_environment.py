"""One environment, told in three files: pyproject.toml asks, requirements.lock pins, environment.yml installs."""

import ast
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TRIED = ["3.11", "3.12", "3.13"]


def locked():
    """Lines of the lock, continued lines joined: requirement and its hashes."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    for line in filter(None, map(str.strip, text.splitlines())):
        requirement, *hashes = line.split("--hash=")
        yield Requirement(requirement.strip()), [value.strip() for value in hashes]


def asked(extra):
    """Requirements of an extra, extras that it names included; of the core for an empty name."""
    for text in PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]:
        requirement = Requirement(text)
        if canonicalize_name(requirement.name) == canonicalize_name(PROJECT["name"]):
            for name in sorted(requirement.extras):
                yield from asked(name)
        else:
            yield requirement


@pytest.mark.parametrize("version", TRIED)
def test_the_lock_has_one_fitting_version_of_all_that_is_asked_for(version):
    where = {"python_version": version, "python_full_version": f"{version}.0"}
    pins = {}
    for requirement, _ in locked():
        if requirement.marker is None or requirement.marker.evaluate(where):
            assert canonicalize_name(requirement.name) not in pins, requirement
            pins[canonicalize_name(requirement.name)] = requirement.specifier
    wanted = [*asked(""), *asked("dev")]
    assert len(wanted) > 40
    for requirement in wanted:
        (pin,) = pins[canonicalize_name(requirement.name)]
        assert pin.operator == "==" and requirement.specifier.contains(pin.version), requirement


def test_every_locked_package_is_held_by_its_hashes_and_by_no_address():
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text and "--index" not in text and "--find-links" not in text
    for requirement, hashes in locked():
        assert requirement.url is None and hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), requirement


def test_conda_installs_the_lock_and_pins_nothing_again():
    environment = YAML(typ="safe").load(ROOT / "environment.yml")
    assert environment["name"] == PROJECT["name"]
    python, pip, section = environment["dependencies"]
    assert python.partition("=")[::2] == ("python", TRIED[0]) and pip == "pip"
    assert section == {"pip": ["--require-hashes", "-r requirements.lock"]}


def test_the_versions_of_python_that_are_named_are_the_same_everywhere():
    trove = "Programming Language :: Python :: "
    named = [text.removeprefix(trove) for text in PROJECT["classifiers"] if text.startswith(trove + "3.")]
    assert named == TRIED
    assert SpecifierSet(PROJECT["requires-python"]) == SpecifierSet(f">={TRIED[0]}")
    assert f"Python {TRIED[0]}, {TRIED[1]} or {TRIED[2]}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_is_installed_is_what_is_locked():
    if Path(sys.prefix) != ROOT / ".venv":
        pytest.skip("this environment was not made by make from requirements.lock")
    other = {}
    for requirement, _ in locked():
        if requirement.marker is None or requirement.marker.evaluate():
            (pin,) = requirement.specifier
            if metadata.version(requirement.name) != pin.version:
                other[requirement.name] = (metadata.version(requirement.name), pin.version)
    assert other == {}


def test_all_that_the_package_imports_is_asked_for():
    modules = set()
    for path in (ROOT / "genexpy_nb").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules.add(node.module.partition(".")[0])
    foreign = modules - set(sys.stdlib_module_names) - {PROJECT["name"]}
    distributions = metadata.packages_distributions()
    known = {canonicalize_name(r.name) for name in ("", "dev", "torch") for r in asked(name)}
    brought = {module: {canonicalize_name(name) for name in distributions.get(module, [module])} for module in foreign}
    assert {module for module, names in brought.items() if not names & known} == set()
