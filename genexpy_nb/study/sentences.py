"""What a study says, in sentences: the answer, what to do next, what it rests on.

Every function takes an `Answers` (naming it here would make a circle of imports). What shows them escapes names.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.hashing import versions
from genexpy_nb.common.prose import (
    as_sentence,
    how_many,
    interval_in_words,
    levels_in_words,
    percent,
    plain_line,
    plural,
    together,
    verbatim,
    whole,
)
from genexpy_nb.common.rankings import SIGNIFICANT_DIGITS
from genexpy_nb.conclusions.contenders import MIN_EXPERIMENTS as MIN_COMPARED
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel
from genexpy_nb.generalization.moments import MIN_EXPERIMENTS
from genexpy_nb.study.positions import TOP
from genexpy_nb.study.second_study import roughly, written

#: Expected Kendall's tau of the orders of two studies for which experiments are counted.
WANTED_TAU = 0.9

#: Width of an interval of a probability, beyond which it says nothing.
LONG = 0.6

_SIMULATED, _LARGEST_DRAWN = 12, 40  # alternatives in simulations of n*, and of agreement: see docs/accuracy.md
_LARGE_SHARE = 0.5  # of the variance that is due to single runs: more of them are worth as much as more experiments
_LARGELY, _LIKELY = 0.8, 0.9  # Kendall's tau: a tenth of all pairs are in another order; probability of a winner
_SECOND_FACTOR = 3  # levels from which a design factor is worth asking about as a random one
_MANY_MISSING, _MANY_RIVALS = 0.2, 5  # of the evaluations: these come first; beside the leader: they are not a tie
SMALLER = "Choose a smaller δ"  # what a step begins with
_LARGEST_REALISTIC = 20  # times as many experiments as there are
_EVEN = " With this δ, even a study in which all {} win equally often would count as similar in shares of wins."


def about(kernel: Kernel) -> str:
    """Return what a kernel asks, as the end of a sentence: its own words, or, if it brings none, its question."""
    return getattr(kernel, "about", "") or f"what the kernel {kernel.name} asks ({kernel.question})"


def criteria(study: Any) -> str:
    """Return what the alternatives are compared by, and which way is better."""
    better = {True: "higher is better", False: "lower is better"}
    if isinstance(study.higher_is_better, bool):
        return f"{study.target}, where {better[study.higher_is_better]}"
    return together([f"{level} ({better[up]})" for level, up in study.higher_is_better.items()], 99)


def question(found: Any) -> str:
    """Return what is asked, in one sentence."""
    of = f"{len(found.study.alternatives):,} alternatives ({found.study.alternatives_column})"
    return plain_line(f"Which of the {of} is best by {criteria(found.study)}, and would another study say the same?")


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


def summary(found: Any) -> Summary:
    """Return the answers as paragraphs to paste, and what they rest on."""
    none = "" if found.study.accounting["n_imputed"].any() else "Among what is compared, no evaluation is missing."
    said = [_what_was_compared(found)[0], *map(as_sentence, found.study.notes), none]  # notes say the rest
    who, cost, again, _ = found.sentences
    return Summary(
        data=plain_line(" ".join(said)),
        ranking=f"{who} {cost}",
        generalizability=plain_line(f"{again} {held(found)} {enough(found)}"),
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
        said.append(f"Each level of {study.cluster} is one experiment: its score is the mean over {conditions}.")
    return said


# --- the answer -------------------------------------------------------------------------------------------------------

#: What is asked, in the order of the answers.
QUESTIONS = (
    "Who is best?",
    "What does it cost to rely on the leader?",
    "Would another study agree?",
    "What would settle who is best?",
)


def headed(found: Any) -> list[tuple[str, str]]:
    """Return each answer below what it states, or below its question where no statement is sure."""
    said = _who(found), _cost(found), _again(found), ("", _settle(found))
    return [(plain_line(head or QUESTIONS[i]), plain_line(text)) for i, (head, text) in enumerate(said)]


def answer(found: Any) -> list[str]:
    """Return the answers to `QUESTIONS`."""
    return [text if head in QUESTIONS else f"{head} {text}" for head, text in found.headed]


def things(found: Any) -> str:
    """Return what is compared, as a plural: the name of the column, if it has one."""
    return plural(found.study.alternatives_column, "alternatives")


def experiments(found: Any) -> str:
    """Return what the experiments are, as a plural."""
    over = found.study.generalize_over
    return plural(over[0], "experiments") if len(over) == 1 else "experiments"


def _where(found: Any) -> str:
    n = len(found.study.configurations)
    return f"In {levels_in_words(found.configuration)}, one of {n:,} configurations: " if n > 1 else ""


def _who(found: Any) -> tuple[str, str]:
    """Say who may be the best, and what may be named."""
    k, ranking, what, where = len(found.ranking), found.ranking, things(found), _where(found)
    if found.n_alternatives < 2:
        return "", f"{where}There is nothing to compare {found.names[0]} with."
    leaders, contend, rank = found.leaders, found.contenders, f"{ranking['mean_rank'].iloc[0]:.2f}"
    n = len(contend)
    lead = f"{together(leaders, 3)} {'lead' if len(leaders) > 1 else 'leads'}"
    if found.cannot_compare:
        return "", f"{where}{lead} (mean rank {rank}), but {found.cannot_compare}."
    sure = f"at {100 * (1 - found.level):g} % confidence"
    if not set(leaders) <= set(contend):
        only = f"only {together(contend, 3)} can be the best" if contend else "each is worse than some other one"
        head = "No winner can be named."
        text = f"{lead} (mean rank {rank}) if missing evaluations count by the policy {found.study.missing!r}. "
        text += f"Compared in pairs, over the experiments that both were run on, {only}, {sure}"
    elif n == 1:
        head = f"{leaders[0]} is the only one of the {k:,} {what} that can be the best."
        text = f"Its mean rank is {rank}. We rule out the other {f'{k - 1:,}' if k > 2 else 'one'} {sure}"
        if unlike := [s for s in found.study.warnings if "per cent" in s]:
            head, text = "", f"{lead} (mean rank {rank}), but {unlike[0]}"
    elif n == k:
        head = f"Each of the {k:,} {what} may be the best."
        text = f"{lead} (mean rank {rank}). We rule out nobody {sure}"
        if (smallest := found.smallest_p) > found.level:
            text += f": with {found.n_experiments:,} {experiments(found)}, no p-value can be below {smallest:.2g}"
    else:
        others = [name for name in contend if name not in leaders]
        then = f", followed by {together(others, 3)}" if others else ""
        head = f"{n:,} of the {k:,} {what} may be the best."
        text = f"By mean rank, {lead}{then}. We rule out the other {f'{k - n:,}' if k - n > 1 else 'one'} {sure}"
    text = f"{text}.{_incomplete(found)}{_elsewhere(found)}"
    doubted = found.may_be_named and (found.mixed_scales or found.study.warnings)
    return ("", f"{where}{head} {text}") if where or found.not_ranked or doubted else (head, text)


def _incomplete(found: Any) -> str:
    """Say who is not ranked, and who would lead if everybody was."""
    absent, of = found.not_ranked, experiments(found)
    if not absent:
        return ""
    names = [f"{name} ({n_run:,} of {found.n_experiments:,})" for name, n_run in absent.items()]
    are, were, they = ("is", "was", "it") if len(absent) == 1 else ("are", "were", "they")
    listed = f"{len(names):,} {things(found)}, among them {together(names[:2])}," if len(names) > 3 else together(names)
    said = f" {listed} {are} not ranked: {they} {were} run on fewer than half of the {of} and may be the best, too."
    more = f" If the missing scores were estimated, {found.leader_of_all} would lead."
    return said + more * (found.leader_of_all in absent)


def _elsewhere(found: Any) -> str:
    """Say in how many configurations the leaders lead."""
    if len(found.study.configurations) < 2:
        return ""
    mine = found.winners[levels_in_words(found.configuration)]
    others = [f"in {where}: {together(best, 2)}" for where, best in found.winners.items() if {*best} != {*mine}]
    who, of = "It leads" if len(mine) == 1 else "They lead", len(found.winners)
    there = f" ({'; '.join(others)})" if 0 < len(others) < 4 else ""
    return f" {who} in {of - len(others):,} of the {of:,} configurations{there}."


def _cost(found: Any) -> tuple[str, str]:
    """Say what following the table costs on an experiment that it does not hold."""
    if found.regret.empty:
        return "", f"That cannot be said: {found.regret.attrs['note']}."
    first, of = found.regret["regret"].iloc[0], experiments(found)
    near = f"{first:.0f} places" if first >= 2 else places(max(first, 0.1))
    how = f"We leave out one of the {of} at a time, and the others choose their leader."
    if not first:
        return "", f"{how} It is always the best there."
    half, most = found.regret.attrs["regrets"].iloc[:, 0].agg(["median", "max"])
    usual = f"at most {places(half)} behind" if half else "the best"
    how = f"{how} On half of them, it is {usual}. On one, it is {most:.3g} behind."
    return f"On new {of}, the leader is about {near} behind the best one there, on average.", how


def places(regret: float) -> str:
    """Return a number of places with its noun."""
    return f"{regret:.1f} {'place' if f'{regret:.1f}' == '1.0' else 'places'}"


def _again(found: Any) -> tuple[str, str]:
    """Say how probable it is that another study has the same winner."""
    n, of, now = found.n_experiments, experiments(found), found.agreement_at(found.n_experiments, "winner")
    if now is None:
        return "", f"That cannot be said: {found.no_agreement}."
    (low, high, _), other = written(now), "Another study may have another winner."
    two, tau = f"wo studies of {n:,} other {of} each", found.agreement_at(n, "order")
    if now["high"] - now["low"] > LONG:
        unknown = "We cannot say how likely {} are to have the same winner: "
        unknown += f"anything between {low} and {high} fits the results."
        if found.regret.attrs.get("unanimous"):
            unknown += f" The same one leads whichever of the {of} we leave out. But a whole new set changes more."
        if tau is None or not tau["low"] > _LARGELY:
            return other, unknown.format(f"t{two}")
        agree = f"T{two} would agree on the order of at least {int(50 + 50 * tau['low'])} % of all pairs, on average. "
        other = "Another study would largely agree on the order, perhaps not on the winner."
        return other, agree + unknown.format("they")
    chance = f"{min(low, '0.95')} or more" if float(high) == 1 else f"{low} to {high}" if low < high else f"about {low}"
    head = "Another study would most likely have the same winner." if now["low"] >= _LIKELY else other
    return head, f"T{two} would have the same winner with a probability of {chance} ({found.nominal} interval)."


def held(found: Any) -> str:
    """Say how often intervals of agreement hold; nothing where there are none."""
    most = f" with up to {_LARGEST_DRAWN} alternatives (here there are {found.n_alternatives:,})"
    known = f" In simulations{most * (found.n_alternatives > _LARGEST_DRAWN)}, they held in at least 80 %."
    meant = f"These intervals are meant to hold in {found.nominal} of studies.{known * (found.nominal == '95 %')}"
    return meant * (not found.agreement.empty)


def _settle(found: Any) -> str:
    """Say what may be done now, and how many experiments would change it."""
    if found.n_alternatives < 2:
        return "Run another alternative, to compare it with."
    if found.n_experiments < MIN_COMPARED:
        return f"Run all {things(found)} on at least {MIN_COMPARED} {experiments(found)}."
    if found.cannot_compare:
        return f"Compare fewer {things(found)}, chosen for another reason than these results."
    leader, of = found.leaders[0], experiments(found)
    if found.may_be_named and found.not_ranked:
        absent = together(list(found.not_ranked), 2)
        return f"{leader} may be named the best of those with most of the {of}. Run {absent} on them, too, to say more."
    if found.may_be_named:
        mixed = [f"before scales are alike: {s}" for s in found.study.warnings if "per cent" in s]
        odd = any(s.startswith("Are these scores of their own") and repr(leader) in s for s in found.study.warnings)
        mixed += [f"before you know whether {leader} holds scores"] * odd
        text = f"{_where(found) or 'The winner is settled: '}{leader} may be named the best."
        return f"Nothing is settled {mixed[0]}." if mixed else text
    needed = found.needed_to_tell if set(found.leaders) <= set(found.contenders) else pd.Series(dtype=float)
    if needed.empty:
        return _run_missing(found.n_missing)
    n, most = found.n_experiments, _LARGEST_REALISTIC
    rival, far, half = needed.index[0], needed.iloc[0], needed.iloc[len(needed) // 2]
    first = f"First, {_run_missing(found.n_missing).lower()} " * (found.n_missing > _MANY_MISSING * found.n_cells)
    if far <= most * n:
        more = f", {'nearly ' * bool(far / n < round(far / n))}{far / n:.0f} times as many as now," * bool(far >= 2 * n)
        text = (
            f"With about {_rounded(far)} {of}{more} we could rule out any one rival of {leader} with a probability of "
            "at least 0.8, if the differences stay as they are. This is optimistic: the same differences made it the "
            f"leader.{' To rule out all rivals at once takes more.' * bool(len(needed) > 1)}"
        )
    elif len(needed) >= _MANY_RIVALS and half <= most * n:
        text = f"{n:,} {of} are too few to name a winner. About {_rounded(half)} would rule out half of those that can "
        text += f"be the best, but {leader} and {rival} may be too close even then."
    else:
        text = f"More {of} hardly would: {leader} and {rival} are too close. Name neither alone, and choose by "
        text += "something else, such as the cost."
    return f"{first}{text[0].upper()}{text[1:]}"


def _run_missing(n: int) -> str:
    return f"Run the {how_many(n, 'missing evaluation')}, if that is possible."


def _rounded(n: float) -> str:
    """Return a number of experiments with two digits that count."""
    return f"{int(float(f'{np.ceil(n):.2g}')):,}"


def enough(found: Any) -> str:
    """Say for which questions the experiments are enough by n*."""
    if found.no_nstar:
        return plain_line(as_sentence(f"n* was not estimated: {found.no_nstar}"))
    said = [
        f"Two studies of n* experiments each have similar results (δ = {found.delta:g}, α = {found.alpha:g}), whoever "
        "wins.",
        *(_estimate(found, kernel, found.estimate_of(kernel)) for kernel in found.kernels),
    ]
    if len(found.study.configurations) > 1:
        n_enough = int((found.nstar["verdict"] == "enough").sum())
        have = f"{how_many(len(found.nstar), 'question')} {'has' if n_enough == 1 else 'have'} enough experiments"
        said.append(f"In all configurations together, {n_enough:,} of {have}.")
    return plain_line(f"{' '.join(said)}{_EVEN.format(things(found)) * found.even_is_alike}")


def _estimate(found: Any, kernel: Kernel, row: pd.Series) -> str:
    """Return a question with its estimate, and whether there are enough experiments."""
    asked = f"If we ask {about(kernel)}, n*"
    if np.isnan(row["nstar"]):
        return as_sentence(f"{asked} was not estimated: {row['note']}")
    by = "" if row["verdict"] == "more needed" else " by the estimate"
    more = f" ({row['more']:,} more needed{by})" if np.isfinite(row["nstar"]) and row["more"] > 0 else ""
    undecided = "it is undecided whether " * bool(row["verdict"] == "undecided")
    enough = f"{found.n_experiments:,} {experiments(found)} are {'enough' if by else 'too few'}{more}"
    number = "infinite" if np.isinf(row["nstar"]) else whole(row["nstar"])
    return f"{asked} is {number} ({interval_in_words(row['low'], row['high'])}), and {undecided}{enough}."


def estimated(agreement: Any) -> Any:
    """Return the estimates of a table or row of agreements; NaN where the interval says nothing, or cuts them off."""
    estimate, low, high = (agreement[name] for name in ("estimate", "low", "high"))
    cut = (estimate < 1) & ((estimate == low) | (estimate == high))
    return estimate + np.where((high - low > LONG) | cut, np.nan, 0.0)


def _with_interval(row: pd.Series, nominal: str = "") -> str:
    """Return the interval of an agreement, and the estimate if that says more."""
    low, high, estimate = written(row)
    said = [f"{nominal} interval"] * bool(nominal) + [f"estimate {estimate}"] * (not np.isnan(estimated(row)))
    return f"about {low}" if low == high else f"between {low} and {high}" + f" ({', '.join(said)})" * bool(said)


def next_steps(found: Any) -> list[str]:
    """Return what would change something, each with a number: what settles who is best comes first."""
    steps = [] if found.n_alternatives > 1 and found.may_be_named else [_settle(found)]
    if n_missing := int(found.study.accounting["n_imputed"].sum()):
        steps = list(dict.fromkeys([*steps, _run_missing(n_missing)]))
    name, share = _share_of_runs(found)
    if share >= _LARGE_SHARE:  # nor if it is not known
        steps.append(
            f"Run more repetitions ({together(found.study.average_over, 99)}) of each experiment: {percent(share)} of "
            f"the variance of {name} is due to single runs, and twice as many runs would halve that."
        )
    return list(map(plain_line, [*steps, *_experiments_to_run(found)]))


def _experiments_to_run(found: Any) -> list[str]:
    if found.no_nstar:
        few = found.n_experiments < MIN_EXPERIMENTS
        return [f"Run at least {MIN_EXPERIMENTS} experiments, without which n* cannot be estimated."] if few else []
    steps = _extensions(found) if len(found.extend) else []
    unsure = found.nstar[found.nstar["more"].eq(0).fillna(False) & (found.nstar["high"] > found.nstar["n_experiments"])]
    if found.even_is_alike and (wins := unsure["kernel"] == (kernel := JaccardKernel(k=1)).name).any():
        steps.append(f"{SMALLER} if you ask {about(kernel)}: with this one, even equal wins for all count as similar.")
        unsure = unsure[~wins]
    if len(unsure):
        asked = together(about(kernel) for kernel in found.kernels if kernel.name in set(unsure["kernel"]))
        steps.append(
            f"Run more experiments if you ask {asked}. By the estimate of n* there are enough, but n* may be up to "
            f"{whole(unsure['high'].max())} (δ = {found.delta:g})."
        )
    if n_infinite := int(np.isinf(found.nstar["nstar"]).sum()):
        steps.append(f"For {how_many(n_infinite, 'question')}, n* is infinite: ask more coarsely, with a larger delta.")
    return steps


def _extensions(found: Any) -> list[str]:
    first, last = found.extend.iloc[0], found.extend.iloc[-1]
    where = levels_in_words({name: first[name] for name in found.study.design})
    kernel = next(kernel for kernel in found.kernels if kernel.name == first["kernel"])
    more = f"{how_many(int(first['more']), 'more experiment')}{f' of {where}' if where else ''}"
    steps = [f"Run {more}; by the estimate, that is enough if we ask {about(kernel)}."]
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
            f"extend, and by the estimates {then:,} of {n_questions} {'has' if then == 1 else 'have'} enough, instead "
            f"of {now:,}."
        )
    return steps


def of_agreement(found: Any) -> list[str]:
    """Say how far a second study would draw the same conclusions, in short sentences."""
    if found.agreement.empty:
        return [as_sentence(f"Agreement of second studies was not estimated: {found.agreement.attrs['note']}")]
    n, of, needed = found.n_experiments, experiments(found), found.experiments_for.iloc[0]
    each = {
        "winner": f"The probability that two studies of {n:,} {of} have the same winner by mean rank is",
        f"top {TOP}": f"The share of the {TOP} best that both find is, on average,",
        "order": "Kendall's tau of their two orders is, on average,",
    }
    said = [
        f"{each[name]} {_with_interval(now, found.nominal)}."
        + f" With {2 * n:,} {of} each, it is {_with_interval(twice)}."
        * bool(now["high"] - now["low"] <= LONG and _with_interval(now) != _with_interval(twice))
        for name in found.conclusions
        for now, twice in [(found.agreement_at(n, name), found.agreement_at(2 * n, name))]
    ]
    if not np.isnan(needed["n"]):
        most = f"more than {found.largest_needed:,}"
        size, *ends = (most if np.isinf(x) else f"{x:,.0f}" for x in roughly(needed))
        interval = f"{found.nominal} interval {' to '.join(dict.fromkeys(ends))}, rounded outwards"
        needs = f"each study needs {'about ' * (size != most)}{size} {of} ({interval})"
        said.append(f"For a tau of {WANTED_TAU:g} on average, {needs}.")
    return list(map(plain_line, said))


def of_noise(found: Any) -> list[str]:
    """Say how far single runs differ, in short sentences; none where nothing was averaged."""
    noise = found.noise
    if noise.empty:
        return []
    of_runs, of_experiments = (noise[name].median() for name in ("sd_runs", "sd_conditions"))
    if np.isnan(of_runs):
        return ["No experiment has two runs of one alternative, so we do not know how far runs differ."]
    experiments = "" if np.isnan(of_experiments) else f", experiments by {of_experiments:.3g}"
    medians = " (medians)" if len(noise) > 1 else ""
    said = [f"Runs of one experiment differ by {of_runs:.3g} (standard deviation){experiments}{medians}."]
    of, share = _share_of_runs(found)
    said += [f"They account for {percent(share)} of the variance of {of}."] if of else []
    n_runs, n_same = noise.attrs["n_runs"], noise.attrs["n_same_best"]
    if n_runs is None:
        said.append(f"Whether each would have the same winner is not known: {noise.attrs['note']}.")
    else:
        said.append(f"In {n_same:,} of {n_runs:,} single runs, the best by mean rank is the same as in their average.")
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
    n_conditions, n_clusters = (int(worth[f"n_{of}s"].iloc[0]) for of in ("condition", "cluster"))
    conditions = f"{n_conditions:,} {plural(' x '.join(study.within_clusters), 'conditions')}"
    known = [
        f"{row['n_effective']:.1f} ("
        f"{interval_in_words(row['n_effective_low'], row['n_effective_high'], '{:.1f}'.format)}) "
        f"if we ask {about(kernel)}"
        for kernel, (_, row) in zip(found.kernels, worth.iterrows(), strict=True)
        if not np.isnan(row["n_effective"])
    ]
    said = [
        f"We count the {how_many(n_clusters, 'cluster')} ({study.cluster}) as experiments, not the {conditions}.",
        f"That is cautious. The {conditions} tell as much as fewer independent ones: about {', and '.join(known)} "
        f"({found.nominal} intervals)."
        if known
        else f"We do not know how many independent experiments they are worth: {as_sentence(worth['note'].iloc[0])}",
    ]
    return list(map(plain_line, said))


# --- what it rests on -------------------------------------------------------------------------------------------------


def limits(found: Any) -> list[str]:
    """Return what the answers rest on, and what they do not say."""
    study, tested = found.study, min(found.n_experiments, found.n_alternatives) > 1
    estimates = [] if found.no_nstar else [(kernel, found.estimate_of(kernel)) for kernel in found.kernels]
    parts = {
        f"We treat the {experiments(found)} as drawn independently and at random. If they were picked on purpose, the "
        "answers apply only to experiments picked in the same way."
        f"{'' if study.cluster else ' If some are related, intervals are too narrow: see the option cluster.'}": True,
        "Enough experiments by n* means enough for similar distributions of results. Two such studies may still have "
        "different winners.": True,
        _other_levels(study): True,
        **{
            f"On {about(kernel)}: {as_sentence(row['note'])}": row["note"] and not np.isnan(row["nstar"])
            for kernel, row in estimates
        },
        "What the leader costs was measured with one experiment fewer, so it may be too high.": not found.regret.empty,
        "Nothing is corrected for the number of configurations.": len(study.configurations) > 1,
        "Mean ranks depend on who is compared: with different rivals, two alternatives may swap places.": tested,
        f"Missing evaluations were treated by the policy {study.missing!r}. Had they been run, the answers could "
        "differ.": study.accounting["n_imputed"].any(),
        f"What we say about noise treats the runs ({', '.join(map(str, study.average_over))}) as independent. If they "
        "share data, as folds do, the true noise is larger. With 10 experiments, a share of 50 % was put between 25 "
        "and 100 % in four of five simulated studies.": found.noise["sd_runs"].notna().any(),
    }
    return [*(plain_line(text) for text, holds in parts.items() if text and holds), *in_simulations(found)]


def in_simulations(found: Any) -> list[str]:
    """Return what the tests assume, and how often the intervals held in simulations: the last of the limits."""
    here, tested = f" (here {found.n_alternatives:,})", min(found.n_experiments, found.n_alternatives) > 1
    one_rank = any(isinstance(kernel, BordaKernel) for kernel in found.kernels)
    parts = {
        "The tests assume that equal alternatives lead each other by any number of places equally often.": tested,
        f"In simulations with alpha = 0.95, delta = 0.05 and up to {_SIMULATED} alternatives"
        f"{here * (found.n_alternatives > _SIMULATED)}, 95 % intervals covered n* (rounded up) in at least 92 % of "
        f"studies{' (71 % if we ask which rank one alternative has)' * one_rank}.": not found.no_nstar,
        f"Agreement is extrapolated from halves of the study. In simulations with up to {_LARGEST_DRAWN} alternatives"
        f"{here * (found.n_alternatives > _LARGEST_DRAWN)}, 95 % intervals covered the truth in at least 80 % of each "
        "kind of study.": not found.agreement.empty,
        "In studies drawn from 18 tables, 95 % intervals of gaps covered all at once in at least 91 % of studies (83 % "
        "for MTEB's, cut to 40 alternatives). The contenders included the best in at least 97 % of studies.": tested,
    }
    return [plain_line(text) for text, holds in parts.items() if holds]


def _other_levels(study: Any) -> str:
    """Say that a design factor with several levels could be a random factor, if the table allows that."""
    sizes = study.accounting[["n_experiments", "n_alternatives"]]
    levels = {name: len({one[name] for one in study.configurations}) for name in study.design}
    many = [name for name, n in levels.items() if n >= _SECOND_FACTOR]
    balanced = len(study.configurations) == prod(levels.values()) and (sizes == sizes.iloc[0]).to_numpy().all()
    if not many or not balanced or study.cluster is not None:
        return ""
    return (
        f"Every answer is for the levels of {together(many, 99)} that were tried. To find out if other levels would "
        f"say the same, ask study.components(kernel, {[*study.generalize_over, many[0]]!r})."
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
            "Alternatives were compared by mean ranks, over the experiments that were run for both. To find out which "
            "may be the best, we compared each alternative with all others. We judged its largest t statistic (mean "
            "difference by standard error) against the largest after reversing all differences of some experiments, as "
            f"chance might have done (level {found.level:g}). The gaps follow Hsu (1984). Pairs, and possible places, "
            "were tested with the largest t statistic of all pairs in the same reversals (after Mogstad, Romano, "
            "Shaikh and Wilhelm, 2024). If an alternative is ruled out as the best, its places begin at 2. To find the "
            "cost of choosing by the table, we left out one experiment at a time. Each mean score has its own interval "
            f"(confidence {found.nominal}; Student's, or by a bootstrap of the t statistic over the experiments)."
        )
    if not found.no_nstar:
        said.append(
            "We judged by n* whether there are enough experiments. With n* experiments each, the distributions of "
            f"results of two studies are similar within the tolerance delta = {found.delta:g} with probability alpha = "
            f"{found.alpha:g} (Matteucci, Arzamasov, Cribeiro-Ramallo, Heyden, Ntounas and Böhm, Generalizability of "
            "Experimental Studies). The similarity of two results is measured by "
            f"{together([kernel.name for kernel in found.kernels], 99)}; n* is estimated from the mean, variance and "
            f"skewness (lopsidedness) of the squared distance of two studies, with {found.nominal} intervals by "
            "leaving out one experiment at a time."
        )
    if not found.agreement.empty:
        said.append(
            f"We give {found.nominal} intervals for how far two studies of n experiments would agree by mean ranks "
            f"({together(found.conclusions, 99)}). An interval holds every truth under which simulated studies look "
            "like this one."
        )
    said.append(f"Computed with genexpy_nb {versions(['genexpy_nb']).get('genexpy_nb', '')}".rstrip() + ".")
    return plain_line(" ".join(said))
