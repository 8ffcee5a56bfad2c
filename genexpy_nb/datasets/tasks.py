"""The binary prediction tasks of the encoder benchmark, cut from the tables that scikit-learn and statsmodels carry."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from zlib import crc32

import numpy as np
import pandas as pd
import sklearn.datasets

from genexpy_nb.common.checks import check_choice

#: Larger tables are cut down to a seeded random sample of this many rows, another one for each task.
MAX_ROWS = 800


@dataclass(frozen=True)
class Spec:
    """What a task is made of; see `column` for the recipes of categorical columns."""

    table: str
    target: str  # an expression for `pandas.DataFrame.eval`, True is the positive class
    categorical: str  # recipes, separated by blanks
    numeric: str  # column names, separated by blanks


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


_WORK = "occupation occupation_husb"
_CHEAP = "mean_texture mean_smoothness mean_symmetry mean_fractal_dimension"

SPECS: dict[str, Spec] = {
    # statsmodels: Fair's survey of extramarital affairs
    "fair:affairs>0": Spec(
        "fair", "affairs > 0", f"{_WORK} religious rate_marriage occupation*occupation_husb", "age yrs_married children"
    ),
    "fair:happy": Spec("fair", "rate_marriage >= 5", f"{_WORK} religious educ children", "age yrs_married affairs"),
    "fair:children": Spec("fair", "children > 0", f"{_WORK} religious educ occupation*educ", "age rate_marriage"),
    "fair:religious": Spec("fair", "religious >= 3", f"{_WORK} age*children educ rate_marriage", "yrs_married affairs"),
    "fair:college": Spec("fair", "educ >= 16", f"{_WORK} occupation*occupation_husb rate_marriage", "age children"),
    # statsmodels: American National Election Study 1996
    "anes96:vote": Spec("anes96", "vote > 0", "TVnews educ income popul@20 selfLR", "age logpopul"),
    "anes96:daily-news": Spec("anes96", "TVnews >= 7", "PID educ income selfLR age%5", "age logpopul"),
    "anes96:republican": Spec("anes96", "PID >= 4", "selfLR educ income ClinLR*DoleLR popul@10", "age TVnews"),
    "anes96:income": Spec("anes96", "income >= 17", "PID educ age%5 popul@20 educ*PID", "TVnews logpopul"),
    "anes96:college": Spec("anes96", "educ >= 6", "PID income selfLR ClinLR popul@20", "age TVnews"),
    "anes96:conservative": Spec("anes96", "selfLR >= 5", "educ income popul@10 PID*educ", "age TVnews"),
    # statsmodels: RAND health insurance experiment
    "randhie:any-visit": Spec("randhie", "mdvis > 0", "lncoins disea@30 health lncoins*fmde@10", "lpi physlm"),
    "randhie:visits>=5": Spec("randhie", "mdvis >= 5", "lncoins idp disea@20*health fmde@20", "lpi physlm"),
    "randhie:limited": Spec("randhie", "physlm > 0", "health lncoins mdvis disea@20", "lpi fmde"),
    "randhie:not-excellent": Spec("randhie", "health > 0", "lncoins mdvis disea@20 lpi@20 physlm*idp", "fmde"),
    # statsmodels: travel mode choice; first one row per traveller and mode, then one per traveller; without the
    # terminal waiting time, whose values give the choice away
    "modechoice:chosen": Spec("modechoice", "choice > 0", "mode psize hinc mode*psize invc@20", "invt gc"),
    "modechoice:chosen-by-household": Spec("modechoice", "choice > 0", "mode hinc psize mode*hinc", "gc"),
    "modechoice:air": Spec(
        "modechoice.travellers", "choice_air > 0", "hinc psize invt_train@10 invc_air@20", "invt_car"
    ),
    "modechoice:train": Spec(
        "modechoice.travellers", "choice_train > 0", "hinc psize invt_car@15", "invc_train invt_air"
    ),
    # statsmodels: World Bank fertility rates
    "fertility:rate>3": Spec("fertility.years", "rate > 3", "country decade", "year"),
    "fertility:falls-fast": Spec("fertility.years", "fall > 0.4", "country decade before%0.5", "year"),
    "fertility:below-replacement": Spec("fertility.years", "rate < 2.1", "country year", "decade"),
    "fertility:2010": Spec(
        "fertility.countries", "rate_2010 > 2.1", "rate_1960%0.5 rate_1970@20 rate_1980%0.25", "rate_1970"
    ),
    # statsmodels: Grunfeld's investment of firms
    "grunfeld:invests-much": Spec("grunfeld", "invest > invest.median()", "firm year capital@20", "value"),
    "grunfeld:invests-more": Spec("grunfeld", "change > 0", "firm year value@20", "capital"),
    # statsmodels: macroeconomic quarters, United States and Germany
    "macrodata:inflation": Spec("macrodata", "infl > 3.5", "year quarter unemp%0.5", "realint"),
    "macrodata:unemployment-rises": Spec(
        "macrodata", "next_unemp > unemp", "quarter unemp%0.5 tbilrate%1 infl@20 year", "realint"
    ),
    "macrodata:rate-rises": Spec("macrodata", "next_tbilrate > tbilrate", "quarter unemp%0.5 infl@10 year", "tbilrate"),
    "interest_inflation:price-falls": Spec("interest_inflation", "next_Dp < Dp", "quarter year R%0.01", "R"),
    "interest_inflation:rate-rises": Spec("interest_inflation", "next_R > R", "quarter year Dp@10", "Dp"),
    # statsmodels: time series, cut into calendar categories and levels of the past
    "co2:rises": Spec("co2", "change > 0", "week year", "co2"),
    "co2:above-year": Spec("co2", "anomaly > 0", "month year", "week"),
    "elec_equip:rises": Spec("elec_equip", "change > 0", "month year previous%5", "previous"),
    "elec_equip:high": Spec("elec_equip", "turnover > 100", "month year", "previous"),
    "elnino:warm": Spec("elnino", "temperature > 23", "month year", "decade"),
    "elnino:warmer-than-usual": Spec("elnino", "anomaly > 0", "month year previous%0.5", "previous"),
    "nile:high": Spec("nile", "value > value.median()", "decade previous@10 before@10", "previous"),
    "sunspots:rising": Spec("sunspots", "value > previous", "phase decade previous@20", "before"),
    "sunspots:active": Spec("sunspots", "value > value.median()", "phase decade before@20", "year"),
    # statsmodels: smaller tables
    "cancer:high-rate": Spec("cancer", "cancer / population > 0.0035", "population@20 population%1000", "population"),
    "engel:food-share": Spec("engel", "foodexp / income > 0.65", "income%100 income@20", "income"),
    "ccard:owner": Spec("ccard", "OWNRENT > 0", "AGE INCOME%0.5", "AVGEXP"),
    "ccard:spends": Spec("ccard", "AVGEXP > AVGEXP.median()", "AGE%2 OWNRENT INCOME%0.5", "INCOME"),
    "heart:censored": Spec("heart", "censors > 0", "age%5 survival@10", "age"),
    "star98:passes": Spec(
        "star98", "NABOVE > NBELOW", "LOWINC@20 PERASIAN@10 PERHISP@10 PERBLACK@10", "PTRATIO AVSALK"
    ),
    "star98:charter": Spec("star98", "PCTCHRT > 0", "LOWINC@20 PERMINTE%5 PERBLACK@10*PERHISP@4", "PERSPENK PCTAF"),
    # scikit-learn
    "iris:versicolor": Spec("iris", "target == 1", "sepal_length sepal_width%0.2", "sepal_width"),
    "iris:virginica": Spec("iris", "target == 2", "petal_length%0.5*petal_width%0.5 sepal_length", "sepal_width"),
    "wine:class-0": Spec("wine", "target == 0", "magnesium ash%0.2 hue%0.1 alcalinity_of_ash%1", "malic_acid"),
    "wine:class-1": Spec("wine", "target == 1", "magnesium ash@10*hue@4 total_phenols%0.2", "malic_acid ash"),
    "breast_cancer:malignant": Spec(
        "breast_cancer", "target == 0", "mean_texture%1 mean_symmetry%0.01 mean_smoothness@20", "mean_fractal_dimension"
    ),
    "breast_cancer:benign-by-error": Spec(
        "breast_cancer", "target == 1", "texture_error@20 smoothness_error@20 symmetry_error@20", _CHEAP
    ),
    "digits:even": Spec(
        "digits",
        "target % 2 == 0",
        "pixel_2_2 pixel_3_3 pixel_4_4 pixel_5_2 pixel_6_5 pixel_1_5",
        "pixel_2_5 pixel_5_5",
    ),
    "digits:upper-half": Spec(
        "digits", "target >= 5", "pixel_1_2 pixel_2_4 pixel_3_5 pixel_4_2 pixel_5_6 pixel_6_3", "pixel_2_3 pixel_4_3"
    ),
    "diabetes:progresses": Spec("diabetes", "target > 140", "sex age%5 bmi%1 s4 bp%5", "s5 s6"),
    "diabetes:sex": Spec("diabetes", "sex == 2", "age%5 bmi%2 s4 s3%5 s1@10*bp@5", "s2 target"),
}


@cache
def load_task(name: str) -> Task:
    """Build one prediction task."""
    check_choice("name", name, SPECS)
    spec = SPECS[name]
    table = load_table(spec.table).dropna().reset_index(drop=True)
    target = table.eval(spec.target)
    recipes = spec.categorical.split()
    columns = [column(table, recipe) for recipe in recipes]
    X = pd.concat([*columns, table[spec.numeric.split()].astype(float)], axis=1)
    rows = np.random.default_rng(crc32(name.encode())).permutation(len(X))[:MAX_ROWS]
    return Task(
        name=name,
        table=spec.table.split(".")[0],
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
