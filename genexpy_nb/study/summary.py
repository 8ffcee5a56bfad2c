"""What a study says, in sentences: what was compared, what came out, and whether another study would agree.

Every sentence follows from what was computed, and nothing is said of what could not be. Names from the table are
escaped where the text is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_level, check_number, listed
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.prose import span, verbatim
from genexpy_nb.common.verdicts import WORDS, on_size, verdict_sentence
from genexpy_nb.generalization.kernels import JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.study.planning import plan

if TYPE_CHECKING:  # significance brings statsmodels, which takes long to load
    from genexpy_nb.significance import Best, Friedman

#: How many names a sentence lists at most.
MOST_NAMES = 5

#: Differences of scores, over all pairs of alternatives, up to which tiers are made: 80 MB for each array of them.
MOST_DIFFERENCES = 10_000_000

#: Pairs of experiments, over all configurations, up to which n* is estimated: 800 MB of kernel values for each kernel.
MOST_PAIRS = 100_000_000

#: What a kernel asks, as the end of a sentence.
QUESTIONS = {
    "Jaccard(1)": "which alternative is best (Jaccard kernel of the best ones)",
    "Mallows": "how all alternatives are ranked (Mallows kernel)",
}
_SAID = ("share the worst rank", "were drawn from a model")  # of all configurations together, with the data
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: "\\" + character for character in "{}$&#%_"},
}


class Summarised(Protocol):
    """What the sentences need of a `genexpy_nb.Study`, which this module cannot import: it is imported there."""

    alternatives_column: str
    target: str
    design: list[str]
    generalize_over: list[str]
    within_clusters: list[str]
    higher_is_better: bool | dict[Any, bool]
    notes: list[str]
    warnings: list[str]
    configurations: list[dict[str, Any]]

    @property
    def alternatives(self) -> list[Any]: ...

    @property
    def accounting(self) -> pd.DataFrame: ...

    def scores(self, configuration: Mapping[str, Any] | None = None) -> pd.DataFrame: ...

    def friedman(self, configuration: Mapping[str, Any] | None = None) -> Friedman: ...

    def best(self, configuration: Mapping[str, Any] | None = None, level: float = 0.05) -> Best: ...

    def tiers(
        self, configuration: Mapping[str, Any] | None = None, level: float = 0.05, *, impute: bool = False
    ) -> pd.DataFrame: ...

    def nstar(self, kernels: Iterable[Kernel], alpha: float, delta: float) -> pd.DataFrame: ...


@dataclass(frozen=True)
class Summary:
    """Sentences on a study, plain text.

    Attributes
    ----------
    data : str
        What was read, averaged, dropped and imputed.
    ranking : str
        Which alternatives come first, and what the tests say.
    generalizability : str
        n*, the number of experiments with which another study would agree, and whether there are enough.
    warnings : tuple of str
        What makes the answers doubtful.
    """

    data: str
    ranking: str
    generalizability: str
    warnings: tuple[str, ...]

    def paragraphs(self) -> list[str]:
        """Return all sentences, a paragraph per subject, warnings first."""
        return [*(f"Warning: {text}" for text in self.warnings), self.data, self.ranking, self.generalizability]

    def __str__(self) -> str:
        return "\n\n".join(self.paragraphs())

    def _repr_markdown_(self) -> str:
        return "\n\n".join(map(verbatim, self.paragraphs()))

    def to_latex(self) -> str:
        """Return the sentences for a LaTeX document; what LaTeX would take for a command is escaped.

        Examples
        --------
        >>> print(Summary("It compares a_1 & b.", "a_1 leads.", "n* = 3.", ()).to_latex())
        It compares a\\_1 \\& b.
        <BLANKLINE>
        a\\_1 leads.
        <BLANKLINE>
        n* = 3.
        """
        return "\n\n".join(map(as_latex, self.paragraphs()))


def as_latex(text: object) -> str:
    """Return text such that LaTeX prints it as it is."""
    return "".join(_LATEX.get(character, character) for character in in_one_line(text))


def summarise(study: Summarised, alpha: float = 0.95, delta: float = 0.05, level: float = 0.05) -> Summary:
    """Return what a study says, in sentences."""
    alpha, level = check_level("alpha", alpha), check_level("level", level)
    delta = check_number("delta", delta, 0, 1, ends="(]")
    several = len(study.configurations) > 1
    return Summary(
        data=_data(study),
        ranking=_rankings(study, level) if several else _ranking(study, level),
        generalizability=_generalizability(study, alpha, delta),
        warnings=tuple(map(as_sentence, study.warnings)),
    )


# --- what was read ----------------------------------------------------------------------------------------------------


def _data(study: Summarised) -> str:
    names = study.alternatives
    some = f": {listed(map(in_one_line, names))}" if len(names) <= 8 else ""
    sentences = [
        f"The study compares {len(names):,} alternatives ({study.alternatives_column}{some}) by {criteria(study)}.",
        *_experiments(study),
        *study.notes,
    ]
    if not study.accounting["n_imputed"].any():
        sentences.append("Among what is compared, no evaluation is missing.")
    return " ".join(map(as_sentence, sentences))


def criteria(study: Summarised) -> str:
    """Return what the alternatives are compared by, and which way is better."""
    better = {True: "higher is better", False: "lower is better"}
    if isinstance(study.higher_is_better, bool):
        return f"{study.target}, where {better[study.higher_is_better]}"
    each = [f"{level} ({better[higher]})" for level, higher in study.higher_is_better.items()]
    return joined(each, len(each))


def _experiments(study: Summarised) -> list[str]:
    sizes = study.accounting["n_experiments"]
    factors, n = " and ".join(study.generalize_over), int(sizes.iloc[0])
    one, many = ("level", "levels") if len(study.generalize_over) == 1 else ("combination", "combinations")
    if len(study.configurations) > 1:
        return [
            f"It has {len(study.configurations)} configurations of {joined(study.design, 99)}, each analysed on its "
            f"own, with {span(sizes, '{:,.0f}')} experiments each (every {one} of {factors} is one)."
        ]
    only = [f"Its one configuration is {_levels(study)}."] if study.design else []
    if study.within_clusters:  # a note says it
        return only
    each = f"Each of the {n:,} {many} of {factors} is one experiment." if n > 1 else "It has a single experiment."
    return [*only, each]


def _levels(study: Summarised) -> str:
    return ", ".join(f"{name} = {level}" for name, level in study.configurations[0].items())


# --- which are best ---------------------------------------------------------------------------------------------------


def _ranking(study: Summarised, level: float) -> str:
    """Return sentences on the only configuration."""
    configuration = study.configurations[0]
    try:
        overall = study.friedman(configuration)
        best = study.best(configuration, level)
    except StudyError as error:
        return as_sentence(f"No alternatives were ranked or tested: {error}")
    means = overall.mean_ranks.sort_values(kind="stable")
    leading = [f"{in_one_line(name)} {mean:.2f}" for name, mean in means.iloc[:MOST_NAMES].items()]
    which = "are" if len(means) <= MOST_NAMES else "begin with"
    tiers, note = _tiers(study, level)
    notes = dict.fromkeys([*best.note.split("; "), *note.split("; ")])  # both say what was imputed, for example
    return " ".join(
        [
            f"The mean ranks over {overall.n_conditions:,} experiments, 1 being best, {which} {joined(leading)}.",
            _best(best, level),
            tiers,
            *([as_sentence(f"Note: {'; '.join(filter(None, notes))}")] if any(notes) else []),
        ]
    )


def _best(best: Best, level: float) -> str:
    friedman, others = f"Friedman's test {_p(best.p_friedman)}", ""
    if len(best.best) == 1:
        others = f"; largest p-value against another alternative by the test of Conover and Iman {_p(best.p_others)}"
    tests = f"({friedman}{others}; level {level:g})"
    if len(best.best) > 1:
        return f"{joined(map(in_one_line, best.best), MOST_NAMES)} share the best mean rank {tests}."
    leader = f"{in_one_line(best.best[0])} has the best mean rank"
    verdict, link = ("better", " and") if best.significant else ("not better", ", but")
    return f"{verdict_sentence('significance', verdict, a=f'{leader}{link}', b='every other alternative')} {tests}."


def _tiers(study: Summarised, level: float) -> tuple[str, str]:
    """Return a sentence on the tiers, and what to note about them."""
    n, k = study.scores(study.configurations[0]).shape
    if n * k**2 > MOST_DIFFERENCES:
        return (
            f"Tiers are left out: {k * (k - 1) // 2:,} pairs of alternatives over {n:,} experiments are too many.",
            "",
        )
    try:
        tiers = study.tiers(study.configurations[0], level, impute=True)
    except StudyError as error:
        return as_sentence(f"The alternatives were not put into tiers: {error}"), ""
    test = f"Wilcoxon's signed-rank test with Holm's correction (level {level:g})"
    first = [in_one_line(name) for name in tiers.index[tiers["tier"] == 0]]
    leader, peers = first[0], first[1:]
    if len(first) == len(tiers):
        found = f"{test} finds no alternative significantly worse than {leader}: all {len(tiers)} are in one tier."
    else:
        n_tiers = int(tiers["tier"].max()) + 1
        company = f" with {joined(peers)}, not significantly worse" if peers else " alone"
        found = f"{test} makes {n_tiers} tiers; {leader} leads the first one{company}."
    return found, tiers.attrs["note"]


def _rankings(study: Summarised, level: float) -> str:
    """Return sentences that count over configurations."""
    tested, n_untested = [], 0
    for configuration in study.configurations:
        try:
            tested.append(study.best(configuration, level))
        except StudyError:  # too few experiments or alternatives
            n_untested += 1
    n = len(tested)
    if not n:
        return (
            "No alternatives were ranked or tested: every configuration has fewer than two experiments or alternatives."
        )
    winners = Counter(in_one_line(name) for best in tested for name in best.best)
    order = sorted(winners, key=lambda name: (-winners[name], name))
    counts = [f"{name} in {winners[name]}" for name in order]
    if winners[order[0]] == n and len(order) == 1:
        most = f"{order[0]} has the best mean rank in all of them."
    else:
        most = f"the best mean rank is that of {joined(counts)}."
    shared = sum(len(best.best) > 1 for best in tested)
    significant = sum(best.significant for best in tested)
    rejected = sum(best.p_friedman <= level for best in tested)
    each = f"level {level:g} in each configuration, not corrected for their number"
    sentences = [
        f"Over {n} configurations, {most}" + (f" In {shared} several alternatives share it." if shared else ""),
        f"Friedman's test finds a difference between the alternatives in {rejected} of {n} configurations, and the "
        f"best alternative is significantly better than every other one in {significant} ({each}).",
    ]
    said = Counter(note for best in tested for note in best.note.split("; ") if note)
    notes = Counter({note: count for note, count in said.items() if not any(words in note for words in _SAID)})
    sentences += [f"In {count} of {n} configurations: {as_sentence(note)}" for note, count in notes.most_common(2)]
    if n_untested:
        sentences.append(
            f"{_configurations(n_untested)} fewer than two experiments or alternatives, and nothing was ranked or "
            "tested there."
        )
    return " ".join(sentences)


def _configurations(n: int) -> str:
    return "1 configuration has" if n == 1 else f"{n} configurations have"


# --- would another study agree ----------------------------------------------------------------------------------------


def _generalizability(study: Summarised, alpha: float, delta: float) -> str:
    n_pairs = sum(int(n) ** 2 for n in study.accounting["n_experiments"])
    if n_pairs > MOST_PAIRS:
        return f"n* was not estimated: it needs kernel values between {n_pairs:,} pairs of experiments, too many."
    try:
        estimates = plan(study.nstar([JaccardKernel(k=1), MallowsKernel()], alpha, delta))
    except StudyError as error:
        return as_sentence(f"n* was not estimated: {error}")
    wanted = (
        f"n* is the number of experiments per study with which the distributions of results of two studies differ by "
        f"at most {delta:g}, with probability {alpha:g} at least; whether both have the same winner is another "
        "question."
    )
    several = len(study.configurations) > 1
    sentences = [wanted]
    for kernel, rows in estimates.groupby("kernel", sort=False):
        about = f"On {QUESTIONS[str(kernel)]}, "
        sentences.append(about + (_verdicts(rows) if several else verdict_on(rows.iloc[0])))
    return " ".join(sentences)


def verdict_on(row: pd.Series) -> str:
    """Return what is said of one estimate."""
    note = f" Note: {as_sentence(row['note'])}" if row["note"] else ""
    if np.isnan(row["nstar"]):
        return f"n* was not estimated: {as_sentence(row['note'])}"
    interval = f"nominal 95 % interval {interval_text(row['low'], row['high'])}"
    if np.isinf(row["nstar"]):
        return f"the estimate of n* is infinite ({interval}): by it, no number of experiments is enough.{note}"
    estimate, more = f"n* = {rounded(row['nstar'])} ({interval})", int(row["more"])
    needed = f"{more:,} more {'is' if more == 1 else 'are'} needed"
    said = f"{estimate}: {on_size(row['verdict'], row['n_experiments'], whose='of this study')}"
    if row["verdict"] == "enough":
        return f"{said}.{note}"
    if row["verdict"] == "more needed":
        return f"{said}, and {needed}.{note}"
    return (
        f"{said}; by the estimate {needed if more else 'they are enough'}, but the interval does not settle it.{note}"
    )


def _verdicts(rows: pd.DataFrame) -> str:
    """Return what is said of the estimates of all configurations."""
    known = rows[rows["nstar"].notna()]
    finite = known.loc[np.isfinite(known["nstar"]), "nstar"]
    n_infinite, n_unknown = len(known) - len(finite), len(rows) - len(known)
    if known.empty:
        return "n* was not estimated in any configuration."
    parts = []
    if len(finite):
        median = f" (median {rounded(finite.median())})" if len(finite) > 1 else ""
        parts.append(f"n* is {_range(finite)}{median} in {len(finite)} of {len(rows)} configurations")
    if n_infinite:
        parts.append(f"the estimate is infinite in {n_infinite}")
    counts = Counter(known["verdict"])
    verdicts = [f"{words} in {counts[verdict]}" for verdict, words in WORDS.items() if counts[verdict]]
    sentences = [f"{'; '.join(parts)}.", f"The experiments that there are, are {joined(verdicts, 3)}."]
    short = known.loc[known["more"].gt(0).fillna(False), "more"].astype(float)
    if len(short):
        sentences.append(
            f"By the estimates, {_range(short, '{:,.0f}')} more are needed in {len(short)} of the configurations."
        )
    if n_unknown:
        reasons = Counter(rows.loc[rows["nstar"].isna(), "note"])
        sentences.append(f"In {n_unknown} n* was not estimated ({'; '.join(map(in_one_line, sorted(reasons)[:3]))}).")
    return " ".join(sentences)


# --- words ------------------------------------------------------------------------------------------------------------


def in_one_line(text: object) -> str:
    """Return text in one line."""
    return re.sub(r"\s+", " ", str(text))


def as_sentence(text: object) -> str:
    """Return text in one line, with a full stop."""
    plain = in_one_line(text).strip()
    return plain if plain.endswith((".", "!", "?")) else plain + "."


def joined(names: Iterable[Any], most: int = MOST_NAMES) -> str:
    """Return names as "a, b and c", or the first ones and how many others there are."""
    names = [str(name) for name in names]
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def rounded(value: float) -> str:
    """Return a number with one digit after the point, or none from 100 on."""
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def interval_text(low: float, high: float) -> str:
    """Return an interval in words."""
    if np.isnan(low) or np.isnan(high):
        return "unknown"
    return f"{rounded(low)} to {rounded(high) if np.isfinite(high) else 'infinity'}"


def _range(values: Sequence[float] | pd.Series, form: str = "") -> str:
    if form:
        return span(values, form)
    low, high = rounded(min(values)), rounded(max(values))
    return low if low == high else f"{low} to {high}"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3g}"
