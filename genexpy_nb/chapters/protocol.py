"""Notebook 06: three small model comparisons, what is shown of them, and the numbers that the paper prints."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.naive_bayes import ComplementNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from genexpy_nb.causal.corpus import docstring_corpus
from genexpy_nb.chapters.shared import made as made
from genexpy_nb.chapters.shared import recorded
from genexpy_nb.common import page
from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.page_tables import Form
from genexpy_nb.common.prose import how_many as how_many
from genexpy_nb.common.prose import percent, span
from genexpy_nb.common.prose import together as together
from genexpy_nb.datasets.locating import data_folder, read_verified_results
from genexpy_nb.plots import protocol as figures
from genexpy_nb.protocol import Comparison, Trials
from genexpy_nb.protocol import run_trials as run_all_trials
from genexpy_nb.protocol.trials import CLOCK, KEY


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Models, and the dataset on which they are to be compared."""

    X: Any
    y: np.ndarray
    groups: np.ndarray | None
    models: dict[str, BaseEstimator]
    about: str


def _digits() -> ModelComparison:
    X, y = load_digits(return_X_y=True)
    models = {
        "discriminant": LinearDiscriminantAnalysis(),
        "extra trees": ExtraTreesClassifier(10),
        "neighbours": KNeighborsClassifier(5),
    }
    return ModelComparison(X, y, None, models, "1,797 images of handwritten digits, 8 x 8 pixels, 10 classes.")


def _tumours() -> ModelComparison:
    X, y = load_breast_cancer(return_X_y=True)
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    # As the limitations of the paper ask, the threshold is tuned in folds of the training part. Where the weights of
    # the small network end up depends on where its seed lets them start.
    models = {
        "logistic": logistic,
        "extra trees": ExtraTreesClassifier(10),
        "SVM": make_pipeline(StandardScaler(), SVC()),
        "tuned threshold": TunedThresholdClassifierCV(logistic, scoring="balanced_accuracy", cv=3, thresholds=20),
        "network": make_pipeline(StandardScaler(), MLPClassifier((8,), alpha=1, learning_rate_init=0.01, max_iter=400)),
    }
    return ModelComparison(X, y, None, models, "569 tumours, 30 measurements of cell nuclei, malignant or benign.")


def _docstrings() -> ModelComparison:
    corpus = docstring_corpus(max_documents=500)
    # Nested tuning as in the paper, Section 3.4. No labels go into the weights of the words, so they may be computed
    # outside of the search; and they take longest.
    svm = GridSearchCV(LinearSVC(), {"C": [0.1, 1, 10]}, cv=3)
    models = {
        "linear SVM": make_pipeline(TfidfVectorizer(sublinear_tf=True), svm),
        "naive Bayes": make_pipeline(TfidfVectorizer(sublinear_tf=True), ComplementNB()),
        "perceptron": make_pipeline(TfidfVectorizer(sublinear_tf=True), SGDClassifier(loss="perceptron")),
    }
    groups = (corpus["label"] + "/" + corpus["module"]).to_numpy(dtype=str)
    y = corpus["label"].to_numpy(dtype=str)
    return ModelComparison(corpus["text"].to_list(), y, groups, models, corpus.attrs["about"])


COMPARISONS: dict[str, Callable[[], ModelComparison]] = {
    "digits": _digits,
    "breast cancer": _tumours,
    "texts": _docstrings,
}


def load_comparison(name: str) -> ModelComparison:
    """Build a comparison."""
    check_choice("name", name, COMPARISONS)
    return COMPARISONS[name]()


@recorded
def _trials(*args: Any, **options: Any) -> pd.DataFrame:
    """Run trials, and put all that is known of them into one table."""
    found = run_all_trials(*args, **options)
    table = found.scores.merge(found.seconds, on=KEY)
    table.attrs = found.about
    return table


def run_trials(*args: Any, **options: Any) -> Trials:
    """Run trials as `gx.protocol.run_trials` does, or read them if they were recorded."""
    table = _trials(*args, **options)
    about, table.attrs = table.attrs, {}
    return Trials(table.drop(columns=CLOCK), table.drop_duplicates(KEY, ignore_index=True)[[*KEY, *CLOCK]], about)


def load_photographs() -> tuple[pd.DataFrame, Trials]:
    """Return which network was right about which photograph (data/make_photographs.py), and the trials of these."""
    answers = read_verified_results(data_folder() / "photographs.parquet")
    trials = answers.groupby(KEY, as_index=False)[["right", "cpu_seconds"]].mean().assign(error="", warnings="")
    return answers, Trials(trials.rename(columns={"right": "score"}), trials, answers.attrs["about"])


def placeholders() -> pd.DataFrame:
    """Return the numbers of the paper's Table 3, which it calls illustrative placeholders; shares."""
    rows = [
        ("CIFAR-10", "single seed", 0.270, 3.1, 3, 0.218),
        ("CIFAR-10", "protocol", 0.036, 2.0, 3, 0.049),
        ("IMDB", "single seed", 0.194, 2.7, 3, 0.172),
        ("IMDB", "protocol", 0.029, 1.9, 3, 0.047),
    ]
    return pd.DataFrame(rows, columns=["data", "setting", "instability", "wins", "n_pairs", "fwer"])


def rate(row: pd.Series, digits: int = 1) -> str:
    """Return a share with its interval."""
    low, high = (f"{100 * row[end]:.{digits}f}" for end in ("low", "high"))
    return f"{percent(row['estimate'], digits)} ({low} to {high} %)"


def in_points(value: float) -> str:
    """Return a difference of shares in percentage points."""
    return f"{100 * value:.1f}"


# --- what was run -----------------------------------------------------------------------------------------------------


def show_data(tasks: Mapping[str, ModelComparison]) -> None:
    """Show which datasets there are, and which models are compared on them."""
    rows = [(name, task.about, ", ".join(task.models)) for name, task in tasks.items()]
    page.show_table(
        pd.DataFrame(rows, columns=["dataset", "what it is", "models"]).set_index("dataset"),
        "data",
        "The datasets of this run, and the models that are compared on them. *Extra trees* are a forest of randomized "
        "decision trees; *discriminant* and *perceptron* are linear classifiers. *Tuned threshold* is the logistic "
        "model with a threshold other than one half, found within each training part.",
        folded="The datasets and models",
    )


def show_pairs(comparison: Comparison, name: str) -> None:
    """Show all pairs of models of one dataset, by the paper's test and by the corrected one."""
    headers: dict[Hashable, str] = {
        "A - B": "A − B, points [corrected interval]",
        "BCa over folds": "paper's interval, points",
        "d": "effect size d [corrected interval]",
        "BCa of d": "paper's interval of d",
    }
    headers |= {"Wilcoxon, Holm": "p, paper's test", "corrected t, Holm": "p, corrected t-test"}
    found = comparison.pairs.set_index(["a", "b"]).rename_axis(["A", "B"])
    points = 100 * found[["estimate", "low", "high", "bca_low", "bca_high"]]
    of_d = found[["d_z", "d_low", "d_high", "d_bca_low", "d_bca_high"]] + 0.0  # no minus zero
    pairs = pd.DataFrame(
        {
            "A - B": _texts("{:.1f} [{:.1f}, {:.1f}]", points[["estimate", "low", "high"]]),
            "BCa over folds": _texts("[{:.1f}, {:.1f}]", points[["bca_low", "bca_high"]]),
            "d": _texts("{:.2f} [{:.2f}, {:.2f}]", of_d[["d_z", "d_low", "d_high"]]),
            "BCa of d": _texts("[{:.2f}, {:.2f}]", of_d[["d_bca_low", "d_bca_high"]]),
            "Wilcoxon, Holm": found["p_adjusted"].map("{:.3f}".format),
            "corrected t, Holm": found["p_corrected_adjusted"].map("{:.3f}".format),
        },
        found.index,
    )
    forms: dict[Hashable, Form] = {column: lambda text: text.replace("-", "−") for column in list(headers)[:4]}
    forms |= {column: lambda p: "< 0.001" if float(p) == 0 else p for column in list(headers)[4:]}
    page.show_table(
        pairs,
        "pairs",
        f"Pairs of models on {name}: difference in accuracy and effect size d (the difference, divided by its standard "
        "deviation over folds), with both intervals and p-values. Only p-values are adjusted for the number of pairs.",
        headers,
        forms,
        folded=f"All {len(pairs)} pairs of models on {name}",
    )


def _texts(form: str, numbers: pd.DataFrame) -> list[str]:
    """Return each row of numbers as text."""
    return [form.format(*row) for row in numbers.to_numpy()]


# --- the simulation: data/runs/simulation.py made the tables ----------------------------------------------------------

_HIGHER, _MCNEMAR = "one trial, higher score", "one trial, McNemar"
_SINGLE_TEST, _FOLDS_T = f"{_MCNEMAR}, unadjusted", "one seed, k folds, t, unadjusted"
_WILCOXON, _CORRECTED = "folds, Wilcoxon", "folds, corrected t"
_LEVEL, _ENDS = 0.05, ["estimate", "low", "high"]  # the level is that of all tests
_SHORT = {
    _WILCOXON: "paper's, five seeds",
    "one fit a fold, same seed, Wilcoxon": "paper's, same seed",
    "one fit a fold, other seeds, Wilcoxon": "paper's, different seeds",
    _CORRECTED: "corrected, five seeds",
    _MCNEMAR: "McNemar's, Holm",
    _SINGLE_TEST: "McNemar's",
}
_FITS = ("folds", "one fit a fold, other seeds", "one fit a fold, same seed")
_CURVES = {_HIGHER: "higher score", _MCNEMAR: "McNemar", _WILCOXON: "paper's test", _CORRECTED: "corrected t-test"}
_BANDS = "95 % intervals of the shares"


def _named(rates: pd.DataFrame, names: Mapping[str, str] = _CURVES) -> pd.DataFrame:
    """Return rates with the names of their procedures in figures."""
    return rates.assign(procedure=rates["procedure"].map(names))


def show_false_winners(null: pd.DataFrame) -> None:
    """Show how often each procedure declares a winner among equal models."""
    of = null.drop_duplicates("procedure").set_index("procedure")
    few = of.loc[list(_SHORT)].reset_index()
    page.show_figure(
        figures.error_rates(_named(few, _SHORT), _LEVEL),
        "answer",
        "**The paper's test (Wilcoxon's, over the folds) declares a false winner in "
        f"{span(100 * few.loc[few['procedure'].str.endswith('Wilcoxon'), 'estimate'], '{:.0f}', ' %')} of the "
        "comparisons, depending on the seeds.** All three models are equally good. The dashed line is the promised "
        f"{percent(_LEVEL)}. *McNemar's* test asks on one split: is A alone right as often as B alone? "
        "*Holm* corrects for the number of pairs; all tests over folds in this figure do. Bars are 95 % intervals.",
        f"Where all models are equal, the paper's test declares a winner in {rate(of.loc[_WILCOXON])} of the "
        f"comparisons, the corrected t-test in {rate(of.loc[_CORRECTED])}.",
    )


def show_by_seeds(simulated: Mapping[str, pd.DataFrame], intervals: pd.DataFrame) -> pd.DataFrame:
    """Show, and return, false winners among equals and intervals that miss, in %, by the seeds of the folds."""
    rates = pd.concat([simulated[name] for name in ("equal models", "repeats", "one fit a fold")])
    equals = rates[(rates["quantity"] == "FWER") & (rates["effect"] == 0)].drop_duplicates(["procedure", "n_repeats"])
    of, missed = 100 * equals.set_index(["procedure", "n_repeats"])["estimate"], 1 - intervals["estimate"]
    shares = {}
    for seeds, fit in zip(("five seeds", "different seeds", "same seed"), _FITS, strict=True):
        found = [of[f"{fit}, {test}", n] for test in ("Wilcoxon", "corrected t") for n in (2, 10)]
        shares[seeds] = found + [100 * missed[f"{fit}, {interval}"] for interval in ("BCa", "corrected t")]
    tests = [f"{test}, {n} repeats" for test in ("paper's test", "corrected test") for n in (2, 10)]
    table = pd.DataFrame(shares, pd.Index([*tests, "paper's interval misses", "corrected interval misses"], name="%"))
    said = "How often each test declares a false winner, and how often each 95 % interval misses the true difference "
    fewest = min(each["n_studies"].min() for each in (equals, intervals))
    said += f"(two repeats). Each share is based on at least {fewest} comparisons."
    page.show_table(table, "seeds", said, forms=dict.fromkeys(shares, lambda share: percent(share / 100).rstrip(" %")))
    return table


def show_repeats(over_repeats: pd.DataFrame) -> None:
    """Show what more repeats do to false and to true winners."""
    found = over_repeats[over_repeats["procedure"].isin([_WILCOXON, _CORRECTED])]
    found = found[(found["effect"] > 0) == (found["quantity"] == "power")]
    lead, n_folds = found.loc[found["effect"] > 0, "mean_difference"].mean(), found["k"].iloc[0]
    titles = {"FWER": "False winners among equals", "power": f"A lead of {in_points(lead)} points is found"}
    ends = found[found["quantity"] == "FWER"].groupby("procedure")["estimate"].agg(["first", "last"])
    page.show_figure(
        figures.rate_curves(_named(found), "n_repeats", "repeats of the cross-validation", titles, {"FWER": _LEVEL}),
        "repeats",
        "**With more repeats the paper's test declares more false winners (left), and both tests find a true lead more "
        f"often (right).** With one repeat, the paper's test can declare nothing: {n_folds} folds give p ≥ "
        f"{2 / 2**n_folds:g}. Each mark rests on {found['n_studies'].iloc[0]:,} comparisons. Bands are {_BANDS}. The "
        "dashed line is the promised level.",
        f"False winners from few repeats to many: {percent(ends.loc[_WILCOXON, 'first'])} to "
        f"{percent(ends.loc[_WILCOXON, 'last'])} by the paper's test, {percent(ends.loc[_CORRECTED, 'first'])} to "
        f"{percent(ends.loc[_CORRECTED, 'last'])} by the corrected t-test.",
    )


def show_worlds(worlds: pd.DataFrame) -> None:
    """Show error rates of tests in each of several worlds."""
    found = worlds[(worlds["quantity"] == "FWER") & worlds["method"].isin([_MCNEMAR, _WILCOXON, _CORRECTED])]
    of = found.groupby("method")["estimate"]
    named = _named(found.rename(columns={"method": "procedure"}))
    page.show_figure(
        figures.rates_over_worlds(named.assign(world=named["world"].str.replace("learners", "models")), _LEVEL),
        "worlds",
        "**With nearest neighbours, the corrected t-test, too, declares more false winners than promised.** The first "
        "row repeats the simulation above, with slightly different shares. Each of the other rows changes one thing. "
        f"A mark rests on {found['n_studies'].iloc[0]:,} comparisons with five seeds on each fold. Bars are {_BANDS}.",
        f"False winners: {span(100 * of.get_group(_WILCOXON), '{:.0f}', ' %')} by the paper's test, "
        f"{span(100 * of.get_group(_CORRECTED), '{:.0f}', ' %')} by the corrected t-test.",
    )


def show_power(found: pd.DataFrame, null: pd.DataFrame) -> None:
    """Show how often a model that is better is declared; ``null`` has the rates among equals, by procedure."""
    power = found[found["procedure"].isin([_HIGHER, _MCNEMAR, _WILCOXON, _CORRECTED]) & (found["quantity"] == "power")]
    shown = power.assign(points=100 * power["mean_difference"])
    corrected = span(100 * power.loc[power["procedure"] == _CORRECTED, "estimate"], "{:.0f}", " %")
    page.show_figure(
        figures.rate_curves(
            _named(shown), "points", "true lead, percentage points", {"power": "The better model is declared"}
        ),
        "power",
        "**The larger its lead, the more often the better model is declared.** Each mark rests on "
        f"{found['n_studies'].iloc[0]:,} simulated comparisons. Bands are {_BANDS}. *Higher score*, *McNemar* (with "
        "Holm's correction): on one split. Among equals, the higher score declares a winner in "
        f"{percent(null.loc[_HIGHER, 'estimate'])} of the comparisons, and the paper's test in "
        f"{percent(null.loc[_WILCOXON, 'estimate'])}.",
        f"Leads of {span(shown['points'], '{:.0f}')} percentage points are found by the corrected t-test in "
        f"{corrected} of the comparisons.",
        folded="How often each lead is found",
    )


def half_found(found: pd.DataFrame) -> pd.DataFrame:
    """Return the power of all procedures for the lead that the corrected test finds about half of the time."""
    power = found[found["quantity"] == "power"]
    corrected = power[power["procedure"] == _CORRECTED]
    lead = corrected.loc[(corrected["estimate"] - 0.5).abs().idxmin(), "mean_difference"]
    return power[power["mean_difference"] == lead].set_index("procedure")


# --- the numbers of the paper, and our own ----------------------------------------------------------------------------


def keep_published(null: pd.DataFrame, comparisons: Mapping[str, Comparison], n_fits: int, n_seeds: int) -> None:
    """Keep the numbers that the paper prints placeholders for, and show both; ``n_fits`` are those of each model."""
    ours = pd.concat([comparison.settings for comparison in comparisons.values()], ignore_index=True)
    ours = ours.assign(share=ours["wins"] / ours["n_pairs"]).groupby("setting")[["instability", "share"]].mean()
    rates, printed = null.set_index("procedure"), placeholders().set_index(["setting", "data"])
    protocol = "paper's test, five seeds"
    for name, said, setting, procedure, why in (
        ("single-seed-test", "one split, McNemar without correction", "single seed", _SINGLE_TEST, "; no test named"),
        ("single-seed-t", "one seed, t-test over folds without correction", "single seed", _FOLDS_T, "; no test named"),
        ("protocol", protocol, "protocol", _WILCOXON, ""),
    ):
        here, there = (100 * float(printed.loc[(setting, data), "fwer"]) for data in ("CIFAR-10", "IMDB"))
        page.key_number(
            f"false-winners-{name}",
            f"false winners between equal models, {said}",
            *(100 * rates.loc[procedure, _ENDS]),
            unit="%",
            published=round(here, 1),
            source="Anonymous (undated), Table 3, CIFAR-10",
            reason=f"placeholder (for IMDB: {there:.1f}{why})",
        )
    higher = "one trial, the higher score wins"
    for setting, averaged, said, row in (
        ("single seed", "one trial", higher, higher),
        ("protocol", "averaged over all folds of a seed", protocol, "protocol: Wilcoxon over folds, Holm"),
    ):
        here, there = (printed.loc[setting, data] for data in ("CIFAR-10", "IMDB"))
        pairs = int(here["n_pairs"])
        other = "other data and models, so this tests nothing"
        which = "; the paper may mean single trials" * (setting == "protocol")
        mean = f"mean share of the pairs that have a winner, over our datasets, times {pairs}"
        instability = f"ranking instability, {averaged}, mean over pairs, then over datasets"
        for name, label, column, value, unit, why in (
            ("instability", instability, "instability", 100 * ours.loc[row, "instability"], "%", other + which),
            ("winners", f"declared winners, {said}", "wins", pairs * ours.loc[row, "share"], f"of {pairs} pairs", mean),
        ):
            times = 100 if unit == "%" else 1
            page.key_number(
                f"{name}-{setting.replace(' ', '-')}",
                label,
                value,
                unit=unit,
                published=round(float(times * here[column]), 1),
                source="Anonymous (undated), Table 3, CIFAR-10",
                reason=f"placeholder (for IMDB: {times * there[column]:.1f}); {why}",
            )
    page.key_number(
        "overhead",
        "cost, as a multiple of training once",
        n_fits,
        unit="times",
        published=1.3,
        source="Anonymous (undated), Section 4.3",
        reason=f"a placeholder, and a ratio of times; we count fits, {n_seeds} seeds on each fold "
        f"({n_fits // n_seeds} with one)",
        decimals=0,
    )
    caption = "The paper's placeholders (*published*) next to the numbers of this run. Error rates come from "
    caption += "the simulation, instability and winners from our datasets without the photographs."
    page.show_published("published", caption, "All placeholders, next to our numbers")


def keep_key_numbers(null: pd.DataFrame, intervals: pd.DataFrame, found: pd.DataFrame, worlds: pd.DataFrame) -> None:
    """Keep the other numbers of this notebook, and show all."""
    rates, power = null.set_index("procedure")[_ENDS], half_found(found)
    missed = 1 - intervals.loc["difference", ["estimate", "high", "low"]]
    fwer = worlds[worlds["quantity"] == "FWER"].groupby("method")["estimate"]
    false, lead = "false winners", f"leads of {in_points(power['mean_difference'].iloc[0])} points found"
    for name, label, shares in (
        ("false-winners-corrected", f"{false} between equal models, corrected t-test", rates.loc[_CORRECTED]),
        ("false-winners-mcnemar", f"{false} between equal models, McNemar on one split", rates.loc[_MCNEMAR]),
        ("missed-bca", "pairs whose true difference is missed, paper's interval", missed.loc["folds, BCa"]),
        ("missed-corrected", "pairs whose true difference is missed, corrected interval", missed.loc[_CORRECTED]),
        ("power-corrected", f"{lead}, corrected t-test", power.loc[_CORRECTED, _ENDS]),
        ("power-mcnemar", f"{lead}, McNemar on one split", power.loc[_MCNEMAR, _ENDS]),
        ("worlds-wilcoxon", f"{false}, Wilcoxon over folds: median over kinds of data", [fwer.median()[_WILCOXON]]),
        ("worlds-corrected", f"{false}, corrected t-test: most over kinds of data", [fwer.max()[_CORRECTED]]),
    ):
        page.key_number(name, label, *(100 * np.asarray(shares, float)), unit="%")
    page.show_key_numbers()


def check_run(
    trials: Mapping[str, Trials], comparisons: Mapping[str, Comparison], null: pd.DataFrame, worlds: pd.DataFrame
) -> None:
    """See that what the text says without a number is so, and that the simulation had the settings that it tells."""
    assert all(found.failed.empty for found in trials.values())
    for pairs in (comparison.pairs for comparison in comparisons.values()):
        assert pairs["estimate"].between(pairs["low"], pairs["high"]).all()
        assert (pairs["p_corrected_adjusted"] <= 1).all()
        assert (pairs["high"] - pairs["low"] >= pairs["bca_high"] - pairs["bca_low"]).mean() >= 0.5
    assert null.set_index("procedure").loc[_HIGHER, "estimate"] > 0.5  # any difference makes a winner
    assert (null[["n_rows", "k", "n_repeats", "n_seeds"]] == [200, 5, 2, 5]).all(axis=None)
    assert (placeholders()["wins"] > placeholders()["n_pairs"]).any()
    above = worlds[worlds["quantity"] == "FWER"].set_index(["method", "world"])["verdict"].str.startswith("above")
    assert above[_WILCOXON].all() and not above[_MCNEMAR].any()
    assert above[_CORRECTED].index[above[_CORRECTED]].to_list() == ["nearest neighbours"]
