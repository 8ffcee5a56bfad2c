"""What a study says, in sentences: the answer, what to do next, what it rests on.

Every function takes an `Answers`, from whose tables its sentences follow (naming the class here would make a circle of
imports). Names from the table are escaped where the text is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.hashing import versions
from genexpy_nb.common.prose import (
    WORDS,
    as_latex,
    as_sentence,
    how_many,
    interval_in_words,
    levels_in_words,
    percent,
    plain_line,
    roughly,
    together,
    two_digits,
    verbatim,
    verdict_sentence,
)
from genexpy_nb.common.rankings import SIGNIFICANT_DIGITS
from genexpy_nb.conclusions.tables import MIN_EXPERIMENTS as FEWEST_OF_AGREEMENT
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.moments import MIN_EXPERIMENTS
from genexpy_nb.study.stability import TOP

#: Expected Kendall's tau of the orders of two studies for which experiments are counted.
WANTED_TAU = 0.9

#: Width of an interval of a probability, from which it is said what it leaves open.
LONG = 0.4

_LARGE_SHARE = 0.5  # of the variance that is due to single runs: more of them are worth as much as more experiments
_SECOND_FACTOR = 3  # levels from which a design factor is worth asking about as a random one
_NEARLY_ALWAYS = 0.9  # a probability of agreement
_NO_ANSWER = "without an answer"


def about(kernel: Kernel) -> str:
    """Return what a kernel asks, as the end of a sentence: its own words, or, if it brings none, its name."""
    return getattr(kernel, "about", "") or f"what the kernel {kernel.name} compares"


def criteria(study: Any) -> str:
    """Return what the alternatives are compared by, and which way is better."""
    better = {True: "higher is better", False: "lower is better"}
    if isinstance(study.higher_is_better, bool):
        return f"{study.target}, where {better[study.higher_is_better]}"
    return together([f"{level} ({better[up]})" for level, up in study.higher_is_better.items()], 99)


def question(found: Any) -> str:
    """Return what is asked, in one sentence."""
    best = f"Which of the {len(found.study.alternatives):,} alternatives ({found.study.alternatives_column}) is best"
    return plain_line(f"{best} by {criteria(found.study)}, and would another study say the same?")


# --- to paste ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Summary:
    """Sentences on a study: what was compared, which are best, whether it is enough, and what is doubtful."""

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
        """Return the sentences for a LaTeX document; what LaTeX would take for a command is escaped."""
        return "\n\n".join(map(as_latex, self.paragraphs()))


def summary(found: Any) -> Summary:
    """Return the first two sentences of the answer, and what they rest on."""
    none = "" if found.study.accounting["n_imputed"].any() else "Among what is compared, no evaluation is missing."
    said = [_what_was_compared(found)[0], *map(as_sentence, found.study.notes), none]  # notes say the rest
    return Summary(
        data=plain_line(" ".join(said)),
        ranking=plain_line(_who(found)),
        generalizability=plain_line(_whether(found)),
        warnings=tuple(map(as_sentence, found.study.warnings)),
    )


def _what_was_compared(found: Any) -> list[str]:
    """Say what was compared: alternatives, score, experiments, and what their scores are means of."""
    study, sizes = found.study, found.study.accounting["n_experiments"]
    smallest = "" if sizes.min() == sizes.max() else f"{sizes.min():,} to "
    n = len(study.configurations)
    each = f" in each of {n:,} configurations ({together(study.design, 99)})" if n > 1 else ""
    said = [
        f"We compared {len(study.alternatives):,} alternatives ({study.alternatives_column}) by {criteria(study)}, "
        f"over {smallest}{how_many(sizes.max(), 'experiment')} ({together(study.generalize_over, 99)}){each}."
    ]
    if study.average_over:
        said.append(f"Scores were first averaged over {together(study.average_over, 99)}.")
    if study.within_clusters:
        conditions = together(study.within_clusters, 99)
        said.append(f"Each experiment is a cluster of conditions ({conditions}): its score is the mean of theirs.")
    return said


# --- the answer -------------------------------------------------------------------------------------------------------


def answer(found: Any) -> list[str]:
    """Return the answer in three sentences: who is best; would another study say so; what is doubtful, what to do."""
    return [plain_line(text) for text in (_who(found), _whether(found), _what_now(found))]


def _who(found: Any) -> str:
    n = len(found.study.configurations)
    where = f"In {levels_in_words(found.configuration)}, one of {n:,} configurations, " if n > 1 else ""
    text = f"{where}{_leaders(found)}{_elsewhere(found) if n > 1 else ''}."
    return text if found.n_alternatives > 1 and not text.startswith("all ") else text[0].upper() + text[1:]


def _leaders(found: Any) -> str:
    """Say who has the best mean rank in the configuration that is shown, and from whom it can be told apart."""
    n, k, ranking = found.n_experiments, found.n_alternatives, found.ranking
    if k < 2:
        return f"there is a single alternative, {found.names[0]}, and nothing to compare it with"
    best = ranking.loc[ranking["position"] == 1, "alternative"].tolist()
    rank, over = f"({ranking['mean_rank'].iloc[0]:.2f})", f"over {how_many(n, 'experiment')}"
    if len(best) == k:
        return f"all {k:,} alternatives have the same mean rank {rank} {over}"
    lead = (
        f"{together(best)} {'have' if len(best) > 1 else 'has'} the best mean rank {rank} of {k:,} alternatives {over}"
    )
    if n < 2:
        return f"{lead}, and a single experiment tells no alternatives apart"
    if ranking["tier"].isna().any():
        return f"{lead}; there are too many pairs to test them all"
    return f"{lead} {_told_apart(ranking, best)} (level {found.level:g})"


def _told_apart(ranking: pd.DataFrame, best: list[Any]) -> str:
    others = [other for other in ranking["alternative"] if other not in best]
    level_with = ranking.loc[~ranking["behind"].astype(bool), "alternative"]
    peers = [other for other in level_with if other not in best]
    n_worse = len(others) - len(peers)
    some = f"{n_worse:,} of the {len(others):,} others"
    if len(best) > 1:  # the first of them was compared with the others
        worse, verb = (some, "is" if n_worse == 1 else "are") if n_worse else ("none of the others", "are")
        if len(others) == 1:
            worse, verb = others[0], "is" if n_worse else "is not"
        return f"together, and {worse} {verb} significantly worse than {best[0]}"
    if peers and n_worse:
        better = verdict_sentence("significance", "better", a="and", b=some)
        return f"{better}, but not than {together(peers, 2)}"
    all_others = f"{'any' if peers else 'each'} of the {len(others):,} others" if len(others) > 1 else others[0]
    verdict, link = ("not better", "but") if peers else ("better", "and")
    return verdict_sentence("significance", verdict, a=link, b=all_others)


def _elsewhere(found: Any) -> str:
    """Say in how many configurations the best are the best."""
    if found.n_alternatives < 2:
        return ""
    mine = found.winners[levels_in_words(found.configuration)]
    n = sum(set(mine) == set(best) for best in found.winners.values())
    who = "it has" if len(mine) == 1 else "they have"
    return f"; {who} the best mean rank in {n:,} of the {len(found.winners):,} configurations"


def _whether(found: Any) -> str:
    """Say whether the experiments are enough, what for, and how far the winner is stable."""
    text = f"{_enough(found)}; {_winner(found)}."
    return text if text.startswith("n*") else text[0].upper() + text[1:]


def _enough(found: Any) -> str:
    if found.no_nstar:
        return f"n* was not estimated: {found.no_nstar.rstrip('.')}"
    verdicts: dict[str, list[str]] = {}
    for kernel in found.kernels:
        row = found.estimate_of(kernel)
        verdict = _NO_ANSWER if np.isnan(row["nstar"]) else WORDS[row["verdict"]]
        verdicts.setdefault(verdict, []).append(_estimate(kernel, row))
    order = (*WORDS.values(), _NO_ANSWER)
    said = ", ".join(f"{verdict} on {' and on '.join(verdicts[verdict])}" for verdict in order if verdict in verdicts)
    n = found.n_experiments
    experiments = f"the {how_many(n, 'experiment')} of this one {'is' if n == 1 else 'are'}"
    aim = f"for another study to have similar results (δ = {found.delta:g}, α = {found.alpha:g}), "
    if len(found.study.configurations) == 1:
        return f"{aim}{experiments} {said}"
    n_enough = int((found.nstar["verdict"] == "enough").sum())
    have = f"{how_many(len(found.nstar), 'question')} {'has' if n_enough == 1 else 'have'} enough"
    return f"{aim}{experiments} {said}; over all configurations, {n_enough:,} of {have}"


def _estimate(kernel: Kernel, row: pd.Series) -> str:
    """Return a question with its estimate, in one pair of brackets."""
    opened, interval = f"{about(kernel)} (", interval_in_words(row["low"], row["high"])
    if np.isnan(row["nstar"]):
        return f"{opened}{row['note']})"
    if np.isinf(row["nstar"]):
        return f"{opened}n* infinite, {interval})"
    more = "" if row["verdict"] == "enough" else ", enough by the estimate only"
    if row["more"] > 0:
        more = f", {row['more']:,} more needed{'' if row['verdict'] == 'more needed' else ' by the estimate'}"
    return f"{opened}n* = {roughly(row['nstar'])}, {interval}{more})"


def _winner(found: Any) -> str:
    if found.halves.empty:
        return "how far the winner is stable cannot be said from so little"
    n, row = found.n_experiments, found.halves.iloc[0]
    now, agreed = found.agreement_at(n, "winner"), ""
    if n < FEWEST_OF_AGREEMENT:
        agreed = f"{n:,} experiments are too few to say how probable that is; "
    elif now is not None:
        interval = _with_interval(now, found.nominal)
        agreed = f"{verdict_sentence('agreement', 'estimated', n=f'{n:,}', what='winner', interval=interval)}; "
    n_splits = int(row["n_splits"])
    n_agree = round(row["estimate"] * n_splits)
    splits = (
        f"in {n_agree:,} of {n_splits:,} splits" if n_splits > 1 else f"{'' if n_agree else 'not '}in the only split"
    )
    return (
        f"whether the winner would be the same is another question: {agreed}{splits} into halves of {int(row['n']):,}, "
        "the best by mean rank is the same in both"
    )


def _with_interval(row: pd.Series, nominal: str = "") -> str:
    """Return an agreement, its interval first: that is what counts."""
    estimate, low, high = (two_digits(row[name]) for name in ("estimate", "low", "high"))
    what = f"nominal {nominal} interval; " if nominal else ""
    if low == high:  # as they are rounded
        return f"{low} ({f'both ends of the {what}' if nominal else ''}estimate {estimate})"
    return f"between {low} and {high} ({what}estimate {estimate})"


def _what_now(found: Any) -> str:
    size, n_missing, doubts = found.n_cells, found.n_missing, len(found.study.warnings)
    text = "No evaluation is missing here"
    if n_missing:
        are = "is" if n_missing == 1 else "are"
        text = f"{n_missing:,} of {size:,} evaluations ({percent(n_missing / size, 1)}) {are} missing here"
    if doubts:
        text += f" and {how_many(doubts, 'warning')} {'makes' if doubts == 1 else 'make'} the answers doubtful"
    todo = found.next_steps[0].rstrip(".")
    return f"{text}; what to do next: {todo[0].lower()}{todo[1:]}."


# --- what to do next --------------------------------------------------------------------------------------------------


def next_steps(found: Any) -> list[str]:
    """Return what to do next, the most urgent first."""
    steps = ["Look at the warnings first, because they may change every answer."] if found.study.warnings else []
    if n_missing := int(found.study.accounting["n_imputed"].sum()):
        steps.append(
            f"Run the {how_many(n_missing, 'missing evaluation')} if that is possible, and see the sensitivity to the "
            f"policy {found.study.missing!r} if it is not."
        )
    steps += [*_experiments_to_run(found), *_to_agree(found)]
    name, share = _share_of_runs(found)
    if share >= _LARGE_SHARE:  # nor if it is not known
        steps.append(
            f"Run more repetitions ({together(found.study.average_over, 99)}) of each experiment: {percent(share)} of "
            f"the variance of {name} is due to single runs, and twice as many runs would take half of that away."
        )
    steps += _to_tell_apart(found)
    nothing = "Nothing more is needed for these questions; report the estimates with their intervals and limits."
    return list(map(plain_line, steps)) or [nothing]


def _experiments_to_run(found: Any) -> list[str]:
    if found.no_nstar:
        few = found.n_experiments < MIN_EXPERIMENTS
        return [f"Run at least {MIN_EXPERIMENTS} experiments, without which n* cannot be estimated."] if few else []
    steps = _extensions(found) if len(found.extend) else []
    settled = found.nstar["verdict"] != "undecided"
    if n_open := int((found.nstar["more"].eq(0).fillna(False) & ~settled).sum()):
        steps.append(
            f"Run more experiments where the estimate says enough and the interval of n* does not settle it, "
            f"{how_many(n_open, 'question')} of {len(found.nstar):,}."
        )
    if n_infinite := int(np.isinf(found.nstar["nstar"]).sum()):
        steps.append(f"Ask a coarser question, with a larger delta, where n* is infinite, {n_infinite:,} in all.")
    return steps


def _extensions(found: Any) -> list[str]:
    first, last = found.extend.iloc[0], found.extend.iloc[-1]
    where = levels_in_words({name: first[name] for name in found.study.design})
    kernel = next(kernel for kernel in found.kernels if kernel.name == first["kernel"])
    more = f"{how_many(int(first['more']), 'more experiment')}{f' of {where}' if where else ''}"
    steps = [f"Run {more}; by the estimate, that is enough on {about(kernel)}."]
    n_questions = how_many(found.extend.attrs["n_questions"], "question")
    if len(found.extend) > 1:
        steps.append(
            f"Run {how_many(int(last['cumulative']), 'more experiment')} in all, in the order of the table of what to "
            f"extend first, and by the estimates {int(last['answered']):,} of {n_questions} have enough."
        )
    if found.budget is not None:
        within = found.extend[found.extend["within_budget"].astype(bool)]
        now = int(first["answered"]) - 1
        then = int(within["answered"].iloc[-1]) if len(within) else now
        steps.append(
            f"Spend a budget of {how_many(found.budget, 'experiment')} on what comes first in the table of what to "
            f"extend, and by the estimates {then:,} of {n_questions} {'has' if then == 1 else 'have'} enough, now "
            f"{now:,}."
        )
    return steps


def _to_agree(found: Any) -> list[str]:
    """Say what it takes that a second study draws the same conclusions."""
    n, winner = found.n_experiments, found.agreement_at(found.n_experiments, "winner")
    if winner is None:
        return []
    steps = []
    if winner["low"] < _NEARLY_ALWAYS:
        steps.append(
            "Run more experiments, or compare fewer contenders, before you count on the winner: the probability that "
            f"two studies of {n:,} have the same one is {_with_interval(winner, found.nominal)}."
        )
    needed = found.experiments_for.iloc[0]
    if n < needed["n"] < np.inf:
        steps.append(
            f"Run {how_many(int(needed['n']) - n, 'more experiment')} if the whole order matters: by the estimate, the "
            f"orders of two studies of {needed['n']:,.0f} have an expected Kendall's tau of {WANTED_TAU:g} (nominal "
            f"{found.nominal} interval of that number: {_sizes_in_words(found, needed)})."
        )
    return steps


def _sizes_in_words(found: Any, needed: pd.Series) -> str:
    """Return between which numbers of experiments; one that is not reached is said in words."""
    low, high, most = needed["low"], needed["high"], f"more than {found.largest_needed:,}"
    return most if np.isinf(low) else f"{low:,.0f} to {most if np.isinf(high) else f'{high:,.0f}'}"


def _to_tell_apart(found: Any) -> list[str]:
    ranking = found.ranking
    if min(found.n_experiments, found.n_alternatives) < 2 or ranking["tier"].isna().any():
        return []
    leader, *peers = ranking.loc[~ranking["behind"].astype(bool), "alternative"].tolist()
    if not peers or (ranking["position"] == 1).all():
        return []
    return [
        f"Find out with genexpy_nb.significance.conditions_needed how many experiments it takes to tell {leader} "
        f"from {together(peers, 3)}, by a difference that matters to you."
    ]


# --- a second study, single runs, clusters ----------------------------------------------------------------------------


def of_agreement(found: Any) -> list[str]:
    """Say how far a second study would draw the same conclusions, in short sentences."""
    if found.agreement.empty:
        return [as_sentence(f"Agreement of second studies was not estimated: {found.agreement.attrs['note']}")]
    n, twice = found.n_experiments, 2 * found.n_experiments
    each = {
        "winner": f"The probability that two studies of {n:,} experiments have the same winner by mean rank is",
        f"top {TOP}": f"The share of the {TOP} best that both find is, on average,",
        "order": "Kendall's tau of their two orders is, on average,",
    }
    said = [
        f"{each[name]} {_with_interval(found.agreement_at(n, name), found.nominal)}; with {twice:,} experiments, "
        f"{_with_interval(found.agreement_at(twice, name))}."
        for name in found.conclusions
    ]
    needed, winner = found.experiments_for.iloc[0], found.agreement_at(n, "winner")
    size = f"about {needed['n']:,.0f}"
    if np.isinf(needed["n"]):
        size = f"not even {found.largest_needed:,}"
    said.append(
        f"For an expected tau of {WANTED_TAU:g}, by the estimate, {size} experiments in each study are enough (nominal "
        f"{found.nominal} interval {_sizes_in_words(found, needed)})."
    )
    if winner["high"] - winner["low"] >= LONG:
        often = "nearly always" if winner["high"] >= _NEARLY_ALWAYS else f"in {percent(winner['high'])} of cases"
        said.append(
            f"The interval of the winner is long: these results fit a study whose winner another one confirms {often}, "
            "and one whose winner is one of several that are about equal. More experiments, or fewer contenders, would "
            "narrow it."
        )
    return list(map(plain_line, said))


def of_noise(found: Any) -> list[str]:
    """Say how far single runs differ, in short sentences; none where nothing was averaged."""
    noise = found.noise
    if noise.empty:
        return []
    of_runs, of_experiments = (noise[name].median() for name in ("sd_runs", "sd_conditions"))
    if np.isnan(of_runs):
        return ["No experiment has two runs of one alternative: how far runs differ, is not known."]
    medians = " (medians)" if len(noise) > 1 else ""
    experiments = "" if np.isnan(of_experiments) else f", experiments by {of_experiments:.3g}"
    said = [f"Runs of one experiment differ by {of_runs:.3g} (standard deviation){experiments}{medians}."]
    name, share = _share_of_runs(found)
    if name:
        said.append(f"They make {percent(share)} of the variance of {name}.")
    n_runs, n_same = noise.attrs["n_runs"], noise.attrs["n_same_best"]
    if n_runs is None:
        said.append(f"Whether each would have the same winner is not known: {noise.attrs['note']}.")
    else:
        said.append(f"The best by mean rank in {n_same:,} of {n_runs:,} single runs is that of their average.")
    return list(map(plain_line, said))


def _share_of_runs(found: Any) -> tuple[str, float]:
    """Return what runs make a share of, and the median of the alternatives; of differences, if it is known."""
    for column in ("share_of_difference", "share_of_variance"):
        known = found.noise[column].dropna()
        if len(known):
            leader = found.noise["alternative"].iloc[0]
            what = f"mean differences from {leader}" if column == "share_of_difference" else "mean scores"
            return f"{what}{' (median)' if len(known) > 1 else ''}", float(known.median())
    return "", np.nan


def of_clusters(found: Any) -> list[str]:
    """Say how many independent experiments conditions in clusters are worth; nothing of a study without clusters."""
    study, worth = found.study, found.design_effect
    if worth.empty:
        return []
    n_conditions, n_clusters = int(worth["n_conditions"].iloc[0]), int(worth["n_clusters"].iloc[0])
    said = [
        f"The {how_many(n_conditions, 'condition')} ({together(study.within_clusters, 99)}) "
        f"{'lies' if n_conditions == 1 else 'lie'} in {how_many(n_clusters, 'cluster')} ({study.cluster}), which count "
        "as the experiments."
    ]
    known = [
        f"{roughly(row['n_effective'])} on {about(kernel)} "
        f"({interval_in_words(row['n_effective_low'], row['n_effective_high'])})"
        for kernel, (_, row) in zip(found.kernels, worth.iterrows(), strict=True)
        if not np.isnan(row["n_effective"])
    ]
    if known:
        said.append(
            f"The number of independent experiments that they are worth is, with its nominal {found.nominal} "
            f"interval, {together(known, 99)}."
        )
    else:
        said.append(f"How many independent ones they are worth is not known: {as_sentence(worth['note'].iloc[0])}")
    return list(map(plain_line, said))


# --- what it rests on -------------------------------------------------------------------------------------------------


def limits(found: Any) -> list[str]:
    """Return what the answers rest on, and what they do not say."""
    study, tested = found.study, min(found.n_experiments, found.n_alternatives) > 1
    estimates = [] if found.no_nstar else [(kernel, found.estimate_of(kernel)) for kernel in found.kernels]
    agreed = not found.agreement.empty
    parts = {
        f"The experiments count as independent draws of {together(study.generalize_over, 99)} from everything that "
        "they stand for; where they were chosen or are related, the answers are about others that are chosen and "
        "related in the same way.": True,
        "Enough experiments, by n*, are enough for similar distributions of results; two such studies need not have "
        "the same winner.": True,
        _other_levels(study): True,
        f"The nominal confidence of the intervals of n* is {found.nominal}; how often they hold n* was measured for "
        "some distributions of results, mostly with alpha = 0.95, and yours may be none of them.": not found.no_nstar,
        **{
            f"On {about(kernel)}: {as_sentence(row['note'])}": row["note"] and not np.isnan(row["nstar"])
            for kernel, row in estimates
        },
        "Agreement of studies larger than half of this one is extrapolated from it, as if effects were observed with "
        "normal errors, and an estimate may lie outside its interval. How often the intervals hold was measured on "
        "simulated studies, and yours may be none of them.": agreed,
        "Several share the best mean rank. Halves have the same winner if the same ones share it, while of second "
        "studies, each takes one of them by chance.": agreed and (found.ranking["position"] == 1).sum() > 1,
        "Halves speak of studies half as large, and come from one sample: on simulated studies of 30 experiments, the "
        "share of the same winner was off by .08 to .35 (root mean square error).": not found.halves.empty,
        "The tests hold their level in each configuration for itself; nothing is corrected for the number of "
        "configurations.": len(study.configurations) > 1,
        "Wilcoxon's test takes the differences of two equal alternatives for symmetric about zero; where they are "
        "skewed, it finds differences too often.": tested,
        f"What is missing was treated by the policy {study.missing!r}; had it been run, the answers could be "
        "others.": study.accounting["n_imputed"].any(),
        f"What is said of noise takes the runs ({', '.join(map(str, study.average_over))}) for independent; where they "
        "share data, as folds do, it is too little. From few experiments it is rough: in four of five simulated "
        "studies of 10, a share of 50 % was estimated between 25 and 100 %.": found.noise["sd_runs"].notna().any(),
        "Leaving out an experiment shows its influence on these numbers, and neither that it is wrong nor that it is "
        "important.": tested and not found.too_much("influence"),
    }
    return [plain_line(text) for text, holds in parts.items() if text and holds]


def _other_levels(study: Any) -> str:
    """Say that a design factor with several levels could be a random factor, if the table allows that."""
    sizes = study.accounting[["n_experiments", "n_alternatives"]]
    levels = {name: len({one[name] for one in study.configurations}) for name in study.design}
    many = [name for name, n in levels.items() if n >= _SECOND_FACTOR]
    balanced = len(study.configurations) == prod(levels.values()) and (sizes == sizes.iloc[0]).to_numpy().all()
    if not many or not balanced or study.cluster is not None:
        return ""
    return (
        f"Every answer is for the levels of {together(many, 99)} that were tried. Whether other levels would say the "
        f"same is another question; ask it with study.components(kernel, {[*study.generalize_over, many[0]]!r})."
    )


def methods(found: Any) -> str:
    """Return what was done, with citations, for the section on methods of a paper."""
    said = [
        *_what_was_compared(found),
        "Alternatives were ranked within each experiment; scores that agree to "
        f"{SIGNIFICANT_DIGITS} significant digits tie.",
    ]
    if found.study.accounting["n_imputed"].any():
        said.append(f"Missing evaluations: policy {found.study.missing!r}.")
    if min(found.n_experiments, found.n_alternatives) > 1:
        said.append(
            "All pairs of alternatives were compared by Wilcoxon's signed-rank test (zeros after Pratt, 1959), "
            f"with Holm's correction (1979) at the level {found.level:g}; the intervals of positions follow from "
            "these tests (after Mogstad, Romano, Shaikh and Wilhelm, 2024). Each mean score has an interval of its own "
            f"(confidence {found.nominal}; Student's, or by a studentized bootstrap over the experiments)."
        )
    if not found.no_nstar:
        said.append(
            "Whether the experiments are enough was judged by n*, the number of experiments with which the "
            f"distributions of results of two studies differ by at most delta = {found.delta:g} with probability alpha "
            f"= {found.alpha:g} (Matteucci, Arzamasov, Cribeiro-Ramallo, Heyden, Ntounas and Böhm, Generalizability of "
            f"Experimental Studies), with the kernels {together([kernel.name for kernel in found.kernels], 99)}, "
            f"estimated by matching moments, with intervals of nominal confidence {found.nominal} by a corrected "
            "jackknife."
        )
    if not found.halves.empty:
        n_splits = how_many(int(found.halves["n_splits"].iloc[0]), "split")
        said.append(f"How far the winner is stable was estimated from {n_splits} into disjoint halves.")
    if not found.agreement.empty:
        said.append(
            f"How far two studies of n experiments would agree by mean ranks ({together(found.conclusions, 99)}) was "
            "estimated from disjoint halves, and extrapolated beyond them, with intervals of nominal confidence "
            f"{found.nominal} "
            "by the inversion of simulated tests."
        )
    said.append(f"Computed with genexpy_nb {versions(['genexpy_nb']).get('genexpy_nb', '')}".rstrip() + ".")
    return plain_line(" ".join(said))
