"""Data that is there without a download: prediction tasks cut from tables of scikit-learn and statsmodels, and text.

The text is that of the docstrings of installed packages, labelled with the package that they come from.
"""

from __future__ import annotations

import ast
import gc
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import sklearn.datasets

from genexpy_nb.common.checks import check_choice, check_count
from genexpy_nb.common.hashing import versions
from genexpy_nb.common.random import seed_of

#: Larger tables are cut down to a seeded random sample of this many rows, another one for each task.
MAX_ROWS = 800


@dataclass(frozen=True)
class Task:
    """A binary classification task."""

    name: str
    table: str
    X: pd.DataFrame
    y: np.ndarray
    categorical: tuple[str, ...]

    @property
    def numeric(self) -> tuple[str, ...]:
        """Names of the other columns."""
        return tuple(name for name in self.X if name not in self.categorical)


#: What each task is made of: its table (see `load_table`), a target for `DataFrame.eval`, recipes of categorical
#: columns (see `column`) and names of numeric ones, separated by blanks.
SPECS = pd.read_csv(Path(__file__).with_name("tasks.csv"), index_col="name").to_dict("index")


@cache
def load_task(name: str) -> Task:
    """Build one prediction task."""
    check_choice("name", name, SPECS)
    spec = SPECS[name]
    table = load_table(spec["table"]).dropna().reset_index(drop=True)
    target = table.eval(spec["target"])
    recipes = spec["categorical"].split()
    columns = [column(table, recipe) for recipe in recipes]
    X = pd.concat([*columns, table[spec["numeric"].split()].astype(float)], axis=1)
    rows = np.random.default_rng(crc32(name.encode())).permutation(len(X))[:MAX_ROWS]
    return Task(
        name=name,
        table=spec["table"].split(".")[0],
        X=X.iloc[rows].reset_index(drop=True),
        y=target.to_numpy(dtype=int)[rows],
        categorical=tuple(recipes),
    )


def load_tasks() -> dict[str, Task]:
    """Build all prediction tasks."""
    return {name: load_task(name) for name in SPECS}


# --- the tables -------------------------------------------------------------------------------------------------------


def _statsmodels(name: str) -> pd.DataFrame:
    return import_module(f"statsmodels.datasets.{name}").load_pandas().data


def _sklearn(name: str, **options: bool) -> pd.DataFrame:
    frame = getattr(sklearn.datasets, f"load_{name}")(as_frame=True, **options).frame
    return frame.rename(columns=lambda c: re.sub(r"\W+", "_", c.removesuffix(" (cm)")))


def _co2() -> pd.DataFrame:
    weekly = _statsmodels("co2").dropna()
    calendar = weekly.index.isocalendar()
    frame = weekly.assign(
        year=weekly.index.year, month=weekly.index.month, week=calendar.week.astype(int), change=weekly["co2"].diff()
    )
    frame["anomaly"] = frame["co2"] - frame.groupby("year")["co2"].transform("mean")
    return frame.dropna().reset_index(drop=True)


def _elec_equip() -> pd.DataFrame:
    monthly = _statsmodels("elec_equip").set_axis(["turnover"], axis=1)
    dates = pd.to_datetime(monthly.index)
    frame = monthly.assign(year=dates.year, month=dates.month, change=monthly["turnover"].diff())
    frame["previous"] = frame["turnover"].shift()
    return frame.dropna().reset_index(drop=True)


def _elnino() -> pd.DataFrame:
    wide = _statsmodels("elnino").set_index("YEAR")
    frame = wide.stack().rename_axis(["year", "month"]).rename("temperature").reset_index()
    frame["anomaly"] = frame["temperature"] - frame.groupby("month")["temperature"].transform("mean")
    frame["previous"] = frame["temperature"].shift()
    return frame.assign(decade=frame["year"] // 10).dropna().reset_index(drop=True)


def _fertility() -> pd.DataFrame:
    raw = _statsmodels("fertility")
    return raw.set_index("Country Code")[[c for c in raw if str(c).isdigit()]].apply(pd.to_numeric)


def _fertility_years() -> pd.DataFrame:
    rates = _fertility()
    frame = pd.DataFrame({"rate": rates.stack(), "fall": -rates.diff(5, axis=1).stack()}).dropna()
    frame = frame.rename_axis(["country", "year"]).reset_index().astype({"year": int})
    return frame.assign(decade=frame["year"] // 10, before=frame["rate"] + frame["fall"])


def _fertility_countries() -> pd.DataFrame:
    rates = _fertility()[["1960", "1970", "1980", "1990", "2010"]].dropna()
    return rates.add_prefix("rate_").reset_index(drop=True)


def _grunfeld() -> pd.DataFrame:
    frame = _statsmodels("grunfeld")
    return frame.assign(change=frame.groupby("firm")["invest"].diff())


def _quarterly(name: str, *watched: str) -> pd.DataFrame:
    frame = _statsmodels(name)
    for series in watched:
        frame[f"next_{series}"] = frame[series].shift(-1)
    return frame.assign(decade=frame["year"] // 10).dropna().reset_index(drop=True)


def _travellers() -> pd.DataFrame:
    wide = _statsmodels("modechoice").pivot(index="individual", columns="mode")
    names = {1: "air", 2: "train", 3: "bus", 4: "car"}
    frame = pd.DataFrame({f"{c}_{names[m]}": wide[c, m] for c in ("choice", "ttme", "invc", "invt") for m in names})
    return frame.assign(hinc=wide["hinc", 1], psize=wide["psize", 1]).reset_index(drop=True)


def _randhie() -> pd.DataFrame:
    frame = _statsmodels("randhie")
    health = frame["hlthg"] + 2 * frame["hlthf"] + 3 * frame["hlthp"]  # 0 excellent, 1 good, 2 fair, 3 poor
    return frame.assign(health=health)


def _series(name: str, value: str, year: str) -> pd.DataFrame:
    frame = _statsmodels(name).rename(columns={value: "value", year: "year"})
    frame["previous"], frame["before"] = frame["value"].shift(1), frame["value"].shift(2)
    return frame.assign(decade=frame["year"] // 10, phase=frame["year"] % 11).dropna().reset_index(drop=True)


#: Name -> function without arguments that gives the tidied table. The part of the name before a dot is the table
#: as its package names it; after the dot stands the shape that it was brought into.
TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    **{name: partial(_statsmodels, name) for name in ("anes96", "cancer", "ccard", "engel", "fair")},
    **{name: partial(_statsmodels, name) for name in ("heart", "modechoice", "star98")},
    **{name: partial(_sklearn, name) for name in ("breast_cancer", "digits", "iris", "wine")},
    "diabetes": partial(_sklearn, "diabetes", scaled=False),
    "co2": _co2,
    "elec_equip": _elec_equip,
    "elnino": _elnino,
    "fertility.years": _fertility_years,
    "fertility.countries": _fertility_countries,
    "grunfeld": _grunfeld,
    "interest_inflation": partial(_quarterly, "interest_inflation", "Dp", "R"),
    "macrodata": partial(_quarterly, "macrodata", "unemp", "tbilrate"),
    "modechoice.travellers": _travellers,
    "nile": partial(_series, "nile", "volume", "year"),
    "randhie": _randhie,
    "sunspots": partial(_series, "sunspots", "SUNACTIVITY", "YEAR"),
}


@cache
def _cached(name: str) -> pd.DataFrame:
    return TABLES[name]()


def load_table(name: str) -> pd.DataFrame:
    """Load one of the bundled tables, without a network."""
    check_choice("name", name, TABLES)
    return _cached(name).copy()


def column(frame: pd.DataFrame, recipe: str) -> pd.Series:
    """Make one categorical column from a short recipe."""
    if "*" in recipe:
        parts = [column(frame, part) for part in recipe.split("*")]
        values = parts[0]
        for part in parts[1:]:
            values = values + "&" + part
    elif "@" in recipe:
        name, bins = recipe.split("@")
        values = pd.qcut(frame[name], int(bins), labels=False, duplicates="drop").map("{:.0f}".format)
    elif "%" in recipe:
        name, width = recipe.split("%")
        values = ((frame[name] / float(width)).round() * float(width)).map("{:g}".format)
    elif pd.api.types.is_numeric_dtype(frame[recipe]):
        values = frame[recipe].map("{:g}".format)
    else:
        values = frame[recipe]
    return values.astype(object).rename(recipe)


# --- text -------------------------------------------------------------------------------------------------------------

#: Packages that this project depends on, so they are there wherever it runs.
PACKAGES = ("matplotlib", "numpy", "sklearn")

_NOT_READ = frozenset({"tests", "testing", "conftest.py", "distutils", "externals", "extern", "_vendor", "sphinxext"})
_SECTION = re.compile(r"^[^\n]+\n[-=~]{3,}[ ]*$|^\.\. ", re.MULTILINE)  # "Parameters\n-----", ".. versionadded::"
_WORD = re.compile(r"[A-Za-z]{2,}")
_FEWEST_WORDS = 8


def docstring_corpus(
    packages: Sequence[str] = PACKAGES,
    max_documents: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Read the descriptions in the docstrings of packages, without importing them."""
    check_count("max_documents", max_documents, len(packages))
    names = {part for package in packages for part in package.split(".")} | {"scikit-learn", "scikit"}
    blank = re.compile(
        rf"(?<![A-Za-z])({'|'.join(sorted(map(re.escape, names), key=len, reverse=True))})(?![A-Za-z])", re.I
    )
    with _no_collection():  # a syntax tree has no circles, and millions of nodes; looking for circles takes longer
        rows = [(package, *row) for package in packages for row in _documents(package)]
    table = pd.DataFrame(rows, columns=["label", "module", "name", "text"])
    table["text"] = table["text"].str.replace(blank, " ", regex=True).str.split().str.join(" ")
    table = table[table["text"].str.count(_WORD) >= _FEWEST_WORDS]
    table = table.sort_values(["label", "module", "name", "text"]).drop_duplicates(["label", "text"])
    table = table.drop_duplicates("text", keep=False)[["text", "label", "module", "name"]]
    available = table["label"].value_counts().reindex(packages, fill_value=0).to_dict()

    generator = np.random.default_rng(seed_of(rng))
    shuffled = table.iloc[generator.permutation(len(table))]
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


@contextmanager
def _no_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _documents(package: str) -> Iterator[tuple[str, str, str]]:
    """Yield (module, name, text) of everything public in a package."""
    spec = find_spec(package)
    assert spec is not None and spec.submodule_search_locations  # what this package depends on
    root = Path(spec.submodule_search_locations[0])
    for path in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        module = path.relative_to(root)
        if _NOT_READ.isdisjoint(module.parts) and not module.name.startswith("test_"):
            for name, docstring in _public(ast.parse(path.read_bytes()).body, ""):
                yield module.as_posix(), name, _SECTION.split(inspect.cleandoc(docstring), maxsplit=1)[0]


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
    distribution = {"sklearn": "scikit-learn"}.get(name, name)
    return versions([distribution]).get(distribution, "")
