"""Real text without a download: the docstrings of installed packages, labelled with the package that they come from."""

from __future__ import annotations

import ast
import gc
import inspect
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from genexpy_nb.common.hashing import versions
from genexpy_nb.common.random import seed_of

#: Packages that this project depends on, so they are there wherever it runs.
PACKAGES = ("matplotlib", "numpy", "sklearn")

_NOT_READ = frozenset({"tests", "testing", "conftest.py", "distutils", "externals", "extern", "_vendor", "sphinxext"})
_SECTION = re.compile(r"^[^\n]+\n[-=~]{3,}[ ]*$|^\.\. ", re.MULTILINE)  # "Parameters\n-----", ".. versionadded::"
_WORD = re.compile(r"[A-Za-z]{2,}")
_FEWEST_WORDS = 8


def docstring_corpus(
    packages: Sequence[str] = PACKAGES, max_documents: int = 1000, rng: np.random.Generator | int = 0
) -> pd.DataFrame:
    """Read the descriptions in the docstrings of packages, without importing them."""
    names = {part for package in packages for part in package.split(".")} | {"scikit-learn", "scikit"}
    known = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    blank = re.compile(rf"(?<![A-Za-z])({known})(?![A-Za-z])", re.I)
    was_on = gc.isenabled()
    gc.disable()  # a syntax tree has no circles, and millions of nodes; looking for circles takes longer
    try:
        rows = [(package, *row) for package in packages for row in _documents(package)]
    finally:
        if was_on:
            gc.enable()
    table = pd.DataFrame(rows, columns=["label", "module", "name", "text"])
    table["text"] = table["text"].str.replace(blank, " ", regex=True).str.split().str.join(" ")
    table = table[table["text"].str.count(_WORD) >= _FEWEST_WORDS]
    table = table.sort_values(["label", "module", "name", "text"]).drop_duplicates(["label", "text"])
    table = table.drop_duplicates("text", keep=False)[["text", "label", "module", "name"]]
    available = table["label"].value_counts().reindex(packages, fill_value=0).to_dict()

    shuffled = table.iloc[np.random.default_rng(seed_of(rng)).permutation(len(table))]
    # The n-th document of each package before the (n + 1)-th of any: equal shares as long as there are enough.
    chosen = shuffled.assign(turn=shuffled.groupby("label").cumcount()).sort_values("turn", kind="stable")
    corpus = chosen.head(max_documents)[table.columns].sort_values(["label", "module", "name"], ignore_index=True)
    words = corpus["text"].str.count(_WORD).median()
    sources = ", ".join(f"{package} {_version(package)}".strip() for package in packages)
    corpus.attrs["available"] = available
    corpus.attrs["about"] = (
        f"{len(corpus):,} docstrings of {len(packages)} packages ({sources}), {words:.0f} words in the median, from "
        f"{corpus.groupby('label')['module'].nunique().sum():,} modules; {sum(available.values()):,} were available."
    )
    return corpus


@cache
def _documents(package: str) -> list[tuple[str, str, str]]:
    """Return (module, name, text) of everything public in a package; reading takes seconds."""
    spec = find_spec(package)
    assert spec is not None and spec.submodule_search_locations  # what this package depends on
    root, found = Path(spec.submodule_search_locations[0]), []
    for path in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        module = path.relative_to(root)
        if _NOT_READ.isdisjoint(module.parts) and not module.name.startswith("test_"):
            for name, docstring in _public(ast.parse(path.read_bytes()).body, ""):
                found.append((module.as_posix(), name, _SECTION.split(inspect.cleandoc(docstring), maxsplit=1)[0]))
    return found


def _public(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            docstring = ast.get_docstring(node, clean=False)
            if docstring:
                yield prefix + node.name, docstring
            if isinstance(node, ast.ClassDef):
                yield from _public(node.body, f"{prefix}{node.name}.")


def _version(package: str) -> str:
    name = package.split(".")[0]
    distribution = {"sklearn": "scikit-learn", "skimage": "scikit-image"}.get(name, name)
    return versions([distribution]).get(distribution, "")
