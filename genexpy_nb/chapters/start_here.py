"""A case for each wrong sentence of `genexpy_nb.common.verdicts` in which it is false, computed here.

The worlds are as small as possible: most numbers can be checked by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import stats
from scipy.integrate import quad

from genexpy_nb.causal import Recorded, ideal_study
from genexpy_nb.chapters.causal import N_COMPOSITIONS, load_text_population, small_text_population
from genexpy_nb.chapters.significance_toy import TOY, exact_toy
from genexpy_nb.common.checks import check_columns
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.prose import percent
from genexpy_nb.common.rankings import round_significant
from genexpy_nb.common.verdicts import PHRASES
from genexpy_nb.generalization.exact import compositions, exact_nstar
from genexpy_nb.generalization.kernels import JaccardKernel, MallowsKernel
from genexpy_nb.generalization.nstar import estimate_nstar
from genexpy_nb.plots.layout import legend_above, panels
from genexpy_nb.plots.style import ACCENT, CONTRAST, INK, REFERENCE, plain
from genexpy_nb.protocol import simulate_error_rates
from genexpy_nb.significance import comparison_power

_ALPHA, _DELTA = 0.95, 0.05
_TWO = np.array([[0, 1, 2], [1, 0, 2]])  # the first two alternatives change places, the third is last
_NAMES = {
    **{"which": "the N experiments", "n": "N", "what": "winner", "interval": "p (with its interval)"},
    **{"a": "A", "b": "B", "margin": "what was said to matter"},
    **{"for_what": " for this question, δ and α", "by_what": " (test, correction, level)"},
}
_N_SMALL, _SHIFT, _MARGIN, _LARGE = 10, 0.5, 0.5, 0.75  # a small study; in standard deviations of the differences


class _Case(NamedTuple):
    value: float
    sentence: str
    notebook: str


def wrong_sentences(rng: np.random.Generator | int = 0) -> pd.DataFrame:
    """Compute a counter-example to each sentence that is often written instead of a verdict."""
    rows = []
    for (claim, verdict), phrase in PHRASES.items():
        case = _CASES[claim, verdict](rng)
        right, wrong = (_named(sentence, claim) for sentence in (phrase.right, phrase.wrong))
        rows.append((claim, verdict, right, wrong, phrase.why, case.sentence, case.value, case.notebook))
    return pd.DataFrame(rows, columns=["claim", "verdict", "right", "wrong", "why", "case", "value", "notebook"])


def _named(sentence: str, claim: str) -> str:
    """A sentence with names in place of what would be computed."""
    return sentence.format(
        **_NAMES | ({"what": "error", "interval": "x (with its interval)"} if claim == "effect" else {})
    )


def _nstar(kernel: JaccardKernel | MallowsKernel, probability: float) -> int:
    """The exact n* of the world with two results."""
    chances = np.array([probability, 1 - probability])
    return exact_nstar(kernel.gram(_TWO), _ALPHA, float(kernel.epsilon(_DELTA, 3)), chances)


def _enough(_: object) -> _Case:
    needed = _nstar(JaccardKernel(), 0.5)
    n = needed + 1 - needed % 2  # odd: no shared first place
    first = stats.binom.sf(n // 2, n, 0.5)
    same = float(first**2 + (1 - first) ** 2)
    return _Case(
        same,
        f"Each of two alternatives wins half of the experiments, by chance. n* for the winners is {needed}, so {n} "
        "experiments are enough; two such "
        f"studies name the same winner with probability {same:.2f}.",
        "10_second_study",
    )


def _more_needed(_: object) -> _Case:
    winners, order = _nstar(JaccardKernel(), 0.5), _nstar(MallowsKernel(), 0.5)
    n = (winners + order) // 2
    return _Case(
        float(winners),
        f"Each of two alternatives wins half of the experiments, by chance, and a third one is always last. {n} "
        "experiments are too few for who wins "
        f"(n* = {winners}), and enough for the order of all three (n* = {order}).",
        "01_formalization",
    )


def _undecided(_: object) -> _Case:
    n, kernel, share = 22, JaccardKernel(), 0.8
    gram, epsilon = kernel.gram(_TWO), float(kernel.epsilon(_DELTA, 3))
    needed = _nstar(kernel, share)
    below = 0.0
    for counts in compositions(n, 2):
        results = np.repeat([0, 1], counts)
        estimate = estimate_nstar(gram[np.ix_(results, results)], _ALPHA, epsilon)
        below += float(stats.binom.pmf(counts[0], n, share)) * (estimate.estimate <= n)
    return _Case(
        below,
        f"One of two alternatives wins {percent(share)} of the experiments. n* is {needed}; of all studies of {n}, "
        f"{percent(below)} estimate {n} or "
        "less.",
        "04_preliminary_experiments",
    )


def _agreement(_: object) -> _Case:
    samples = exact_toy()
    claims = samples[samples["significant"]].groupby("best")["probability"].sum()
    differ = 1 - float((claims**2).sum() / claims.sum() ** 2)
    return _Case(
        differ,
        f"Where one alternative wins {percent(TOY.probabilities[0])} and another {percent(TOY.probabilities[1])} of "
        "the experiments, and two studies of 20 "
        f"each declare a significantly best one, it is not the same one in {percent(differ)} of the cases.",
        "05_significance_toy",
    )


def _better(_: object) -> _Case:
    n = 40
    found, loses = comparison_power(_SHIFT, 1.0, n), float(stats.norm.sf(_SHIFT))
    return _Case(
        loses,
        f"Differences are normal, with a mean of half a standard deviation. {n} experiments find that in "
        f"{percent(found)} of the studies, and "
        f"the better one loses in {percent(loses)} of the experiments.",
        "05_significance_toy",
    )


def _not_better(_: object) -> _Case:
    missed = 1 - comparison_power(_SHIFT, 1.0, _N_SMALL)
    return _Case(
        missed,
        f"The same difference, {_N_SMALL} experiments: {percent(missed)} of the studies do not find it.",
        "05_significance_toy",
    )


def _equivalent(_: object) -> _Case:
    """A t-test, and two one-sided ones, which are integrated over the spread of the sample."""
    n, root = _N_SMALL, np.sqrt(_N_SMALL)
    critical = stats.t.ppf(0.95, n - 1)

    def at(spread: float) -> float:
        room = root * _MARGIN - critical * spread
        shown = stats.norm.cdf(room - root * _LARGE) - stats.norm.cdf(-room - root * _LARGE)
        return stats.chi.pdf(spread * np.sqrt(n - 1), n - 1) * np.sqrt(n - 1) * shown

    missed = 1 - comparison_power(_LARGE, 1.0, n)
    shown = quad(at, 0, root * _MARGIN / critical)[0]
    return _Case(
        missed,
        f"Half a standard deviation would matter, and the true difference is {_LARGE:g} of one. Of the studies of {n} "
        f"experiments {percent(missed)} do not find it significant; two one-sided tests call it less than half in "
        f"{percent(shown)}.",
        "05_significance_toy",
    )


def _splits(rng: np.random.Generator | int) -> _Case:
    rates = simulate_error_rates(0.0, world="correlated-folds", n_learners=2, n_seeds=1, n_studies=2000, rng=rng)
    rates = rates[rates["quantity"] == "FWER"].set_index("procedure")["estimate"]
    naive, corrected = float(rates["folds x seeds, Wilcoxon"]), float(rates["folds, corrected t"])
    return _Case(
        naive,
        "Two equal models, five folds twice, scores of two folds correlated by .2. Wilcoxon's test over the ten "
        f"finds a winner in {percent(naive)} of "
        f"2,000 simulated comparisons, the corrected test in {percent(corrected)}.",
        "06_deterministic_protocol",
    )


def _average(_: object) -> _Case:
    table, population = load_text_population(), small_text_population()
    runs = Recorded(table, population.names, table.attrs["about"]["losses"])
    methods = population.compare("weighting", "tf-idf", "counts")
    effects = np.subtract(*ideal_study(methods, runs, range(N_COMPOSITIONS)).arrays("error")).mean(axis=1)
    average = effects.mean()
    opposite = float((np.sign(round_significant(effects)) == -np.sign(average)).mean())
    return _Case(
        opposite,
        f"Over {len(effects)} recorded text classifiers, tf-idf instead of counts changes the error by "
        f"{100 * average:+.1f} points on average; in "
        f"{percent(opposite)} of them it has the other sign.".replace("-", "−").replace("tf−idf", "tf-idf"),
        "08_causal_ate",
    )


def _one_split(_: object) -> _Case:
    missed = float(2 * stats.norm.sf(stats.norm.ppf(0.975) / np.sqrt(2)))
    return _Case(
        missed,
        "Where other training documents change a difference as much as other test documents do, the interval misses"
        f" in {percent(missed)}.",
        "08_causal_ate",
    )


_CASES: dict[tuple[str, str], Callable[[np.random.Generator | int], _Case]] = {
    ("generalizability", "enough"): _enough,
    ("generalizability", "more needed"): _more_needed,
    ("generalizability", "undecided"): _undecided,
    ("agreement", "estimated"): _agreement,
    ("significance", "better"): _better,
    ("significance", "not better"): _not_better,
    ("significance", "equivalent"): _equivalent,
    ("significance", "splits"): _splits,
    ("effect", "average"): _average,
    ("effect", "one split"): _one_split,
}


def differences_on_tables(
    differences: Mapping[str, pd.Series], means: pd.DataFrame, names: tuple[str, str], unit: str = "dataset"
) -> Figure:
    """Draw the differences of two alternatives on each of several tables, with their means."""
    check_columns(means, ["estimate", "low", "high"])
    if wrong := [table for table, values in differences.items() if table not in means.index or not len(values)]:
        raise ParameterError(f"differences: table {wrong[0]!r} needs at least one difference, and a mean")
    first, second = names
    fig, (ax,) = panels(1, 1.0 + 1.15 * len(differences))
    ax.axvline(0, color=REFERENCE, linewidth=1)
    for row, (table, values) in enumerate(differences.items()):
        heights = row + 0.3 * _spread(np.sort(np.asarray(values, dtype=float)))
        ax.scatter(np.sort(values), heights, s=26, color=ACCENT, alpha=0.55, linewidths=0)
        of = means.loc[table]
        ax.hlines(row, of["low"], of["high"], color=INK, linewidth=5, zorder=3)
        ax.plot(of["estimate"], row, "D", color=INK, markeredgecolor="white", markersize=9, zorder=4)
    ax.set_yticks(range(len(differences)), [f"{table}\n{len(v)} {unit}s" for table, v in differences.items()])
    ax.set(
        ylim=(len(differences) - 0.45, -0.55),
        xlabel=f"← {second} better     {first} minus {second} on a {unit}     {first} better →",
    )
    handles = [
        Line2D([], [], marker="o", linestyle="", color=ACCENT, alpha=0.55),
        Line2D([], [], marker="D", color=INK, linewidth=5, markeredgecolor="white", markersize=9),
    ]
    legend_above(fig, handles, [f"one {unit}", "mean of all, with its interval"])
    return plain(fig)


def _spread(values: np.ndarray) -> np.ndarray:
    """Heights in [-1, 1] that keep neighbours apart: the same for the same values, without chance."""
    return (np.arange(len(values)) * 0.6180339887498949 % 1) * 2 - 1


def difference_by_band(bands: pd.DataFrame, names: tuple[str, str], axis: str, score: str = "score") -> Figure:
    """Draw the mean difference of two alternatives in bands of an axis, each with its interval."""
    check_columns(bands, ["band", "n", "estimate", "low", "high"])
    fig, (ax,) = panels(1, 2.9)
    at = np.arange(len(bands))
    ax.axhline(0, color=REFERENCE, linewidth=1)
    ax.vlines(at, bands["low"], bands["high"], color=CONTRAST, linewidth=3)
    ax.plot(at, bands["estimate"], "s", color=CONTRAST, markersize=9)
    ax.set_xticks(at, [f"{row.band}\nn = {row.n:,}" for row in bands.itertuples()])
    ax.set(xlim=(-0.6, len(bands) - 0.4), xlabel=axis, ylabel=f"{names[0]} minus {names[1]}, {score}")
    return plain(fig)
