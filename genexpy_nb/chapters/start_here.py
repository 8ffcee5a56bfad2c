"""A case, as small as possible, for each wrong sentence of `genexpy_nb.common.verdicts` in which it is false."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import stats
from scipy.integrate import quad

from genexpy_nb.causal import Recorded
from genexpy_nb.chapters.causal import N_COMPOSITIONS, ideal_study, load_text_population, small_text_population
from genexpy_nb.chapters.significance_toy import TOY, exact_toy
from genexpy_nb.common.prose import PHRASES, percent
from genexpy_nb.common.rankings import round_significant
from genexpy_nb.generalization.exact import compositions, exact_nstar
from genexpy_nb.generalization.kernels import JaccardKernel, MallowsKernel
from genexpy_nb.generalization.nstar import estimate_nstar
from genexpy_nb.plots.layout import legend_above, panels
from genexpy_nb.plots.style import ACCENT, INK, REFERENCE, plain, signed
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


Case: TypeAlias = "tuple[float, str]"  # a number, and the sentence that holds it


def wrong_sentences(rng: np.random.Generator | int = 0) -> pd.DataFrame:
    """Compute a counter-example to each sentence that is often written instead of a verdict."""
    rows = []
    for (claim, verdict), phrase in PHRASES.items():
        notebook, compute = _CASES[claim, verdict]
        value, sentence = compute(rng)
        right, wrong = (_named(each, claim) for each in (phrase.right, phrase.wrong))
        rows.append((claim, verdict, right, wrong, phrase.why, sentence, value, notebook))
    return pd.DataFrame(rows, columns=["claim", "verdict", "right", "wrong", "why", "case", "value", "notebook"])


def _named(sentence: str, claim: str) -> str:
    """A sentence with names in place of what would be computed."""
    of_claim = {"what": "error", "interval": "x (with its interval)"} if claim == "effect" else {}
    return sentence.format(**_NAMES | of_claim)


def _nstar(kernel: JaccardKernel | MallowsKernel, probability: float) -> int:
    """The exact n* of the world with two results."""
    chances = np.array([probability, 1 - probability])
    return exact_nstar(kernel.gram(_TWO), _ALPHA, float(kernel.epsilon(_DELTA, 3)), chances)


def _enough(_: object) -> Case:
    needed = _nstar(JaccardKernel(), 0.5)
    n = needed + 1 - needed % 2  # odd: no shared first place
    first = stats.binom.sf(n // 2, n, 0.5)
    same = float(first**2 + (1 - first) ** 2)
    said = f"Each of two alternatives wins half of the experiments, by chance. n* for the winners is {needed}, so {n} "
    return same, said + f"experiments are enough; two such studies name the same winner with probability {same:.2f}."


def _more_needed(_: object) -> Case:
    winners, order = _nstar(JaccardKernel(), 0.5), _nstar(MallowsKernel(), 0.5)
    said = "Each of two alternatives wins half of the experiments, by chance, and a third one is always last. "
    said += f"{(winners + order) // 2} experiments are too few for who wins (n* = {winners}), and enough for the order "
    return float(winners), said + f"of all three (n* = {order})."


def _undecided(_: object) -> Case:
    n, kernel, share = 22, JaccardKernel(), 0.8
    gram, epsilon = kernel.gram(_TWO), float(kernel.epsilon(_DELTA, 3))
    below = 0.0
    for counts in compositions(n, 2):
        results = np.repeat([0, 1], counts)
        estimate = estimate_nstar(gram[np.ix_(results, results)], _ALPHA, epsilon)
        below += float(stats.binom.pmf(counts[0], n, share)) * (estimate.estimate <= n)
    said = f"One of two alternatives wins {percent(share)} of the experiments. n* is {_nstar(kernel, share)}; of all "
    return below, said + f"studies of {n}, {percent(below)} estimate {n} or less."


def _agreement(_: object) -> Case:
    samples = exact_toy()
    claims = samples[samples["significant"]].groupby("best")["probability"].sum()
    differ = 1 - float((claims**2).sum() / claims.sum() ** 2)
    one, other = (percent(p) for p in TOY.probabilities)
    said = (
        f"Where one alternative wins {one} and another {other} of the experiments, and two studies of 20 each declare "
    )
    return differ, said + f"a significantly best one, it is not the same one in {percent(differ)} of the cases."


def _better(_: object) -> Case:
    n = 40
    found, loses = percent(comparison_power(_SHIFT, 1.0, n)), float(stats.norm.sf(_SHIFT))
    said = f"Differences are normal, with a mean of half a standard deviation. {n} experiments find that in {found} of "
    return loses, said + f"the studies, and the better one loses in {percent(loses)} of the experiments."


def _not_better(_: object) -> Case:
    missed = 1 - comparison_power(_SHIFT, 1.0, _N_SMALL)
    return missed, f"The same difference, {_N_SMALL} experiments: {percent(missed)} of the studies do not find it."


def _equivalent(_: object) -> Case:
    """A t-test, and two one-sided ones, which are integrated over the spread of the sample."""
    n, root = _N_SMALL, np.sqrt(_N_SMALL)
    critical = stats.t.ppf(0.95, n - 1)

    def at(spread: float) -> float:
        room = root * _MARGIN - critical * spread
        shown = stats.norm.cdf(room - root * _LARGE) - stats.norm.cdf(-room - root * _LARGE)
        return stats.chi.pdf(spread * np.sqrt(n - 1), n - 1) * np.sqrt(n - 1) * shown

    missed, shown = 1 - comparison_power(_LARGE, 1.0, n), quad(at, 0, root * _MARGIN / critical)[0]
    said = f"Half a standard deviation would matter, and the true difference is {_LARGE:g} of one. Of the studies of "
    said += f"{n} experiments {percent(missed)} do not find it significant; two one-sided tests call it less than half "
    return missed, said + f"in {percent(shown)}."


def _splits(rng: np.random.Generator | int) -> Case:
    rates = simulate_error_rates(0.0, world="correlated-folds", n_learners=2, n_seeds=1, n_studies=2000, rng=rng)
    rates = rates[rates["quantity"] == "FWER"].set_index("procedure")["estimate"]
    naive, corrected = float(rates["folds x seeds, Wilcoxon"]), float(rates["folds, corrected t"])
    said = "Two equal models, five folds twice, scores of two folds correlated by .2. Wilcoxon's test over the ten "
    said += f"finds a winner in {percent(naive)} of 2,000 simulated comparisons, the corrected test in "
    return naive, said + f"{percent(corrected)}."


def _average(_: object) -> Case:
    table, population = load_text_population(), small_text_population()
    runs = Recorded(table, population.names, table.attrs["about"]["losses"])
    methods = population.compare("weighting", "tf-idf", "counts")
    effects = np.subtract(*ideal_study(methods, runs, range(N_COMPOSITIONS)).arrays("error")).mean(axis=1)
    average = effects.mean()
    opposite = float((np.sign(round_significant(effects)) == -np.sign(average)).mean())
    said = f"Over {len(effects)} recorded text classifiers, tf-idf instead of counts changes the error by "
    said += f"{signed(100 * average, 1)} points on average; in {percent(opposite)} of them it has the other sign."
    return opposite, said


def _one_split(_: object) -> Case:
    missed = float(2 * stats.norm.sf(stats.norm.ppf(0.975) / np.sqrt(2)))
    said = "Where other training documents change a difference as much as other test documents do, the interval misses"
    return missed, said + f" in {percent(missed)}."


_CASES: dict[tuple[str, str], tuple[str, Callable[[np.random.Generator | int], Case]]] = {
    ("generalizability", "enough"): ("10", _enough),
    ("generalizability", "more needed"): ("01", _more_needed),
    ("generalizability", "undecided"): ("04", _undecided),
    ("agreement", "estimated"): ("05", _agreement),
    ("significance", "better"): ("05", _better),
    ("significance", "not better"): ("05", _not_better),
    ("significance", "equivalent"): ("05", _equivalent),
    ("significance", "splits"): ("06", _splits),
    ("effect", "average"): ("08", _average),
    ("effect", "one split"): ("08", _one_split),
}


def differences_on_tables(differences: Mapping[str, pd.Series], means: pd.DataFrame, names: tuple[str, str]) -> Figure:
    """Draw the differences of two alternatives on each of several tables, with their means."""
    first, second = names
    fig, (ax,) = panels(1, 1.0 + 1.15 * len(differences))
    ax.axvline(0, color=REFERENCE, linewidth=1)
    for row, (table, values) in enumerate(differences.items()):
        heights = (
            row + 0.6 * (np.arange(len(values)) * 0.6180339887498949 % 1) - 0.3
        )  # neighbours apart, without chance
        ax.scatter(np.sort(values), heights, s=26, color=ACCENT, alpha=0.55, linewidths=0)
        of = means.loc[table]
        ax.hlines(row, of["low"], of["high"], color=INK, linewidth=5, zorder=3)
        ax.plot(of["estimate"], row, "D", color=INK, markeredgecolor="white", markersize=9, zorder=4)
    ax.set_yticks(range(len(differences)), [f"{table}\n{len(v)} datasets" for table, v in differences.items()])
    ax.set(
        ylim=(len(differences) - 0.45, -0.55),
        xlabel=f"← {second} better     {first} minus {second} on a dataset     {first} better →",
    )
    handles = [
        Line2D([], [], marker="o", linestyle="", color=ACCENT, alpha=0.55),
        Line2D([], [], marker="D", color=INK, linewidth=5, markeredgecolor="white", markersize=9),
    ]
    legend_above(fig, handles, ["one dataset", "mean of all, with its interval"])
    return plain(fig)
