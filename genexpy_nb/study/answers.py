"""All that a study says to the person who ran it: the answer in three sentences, what to do next, and every table.

The question is whether a conclusion holds beyond the experiments that were run. One configuration is shown in detail;
the others are counted. Every part is computed when it is asked for, once, and what is left out because of its size is
known before anything is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from math import comb, isqrt, prod
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_count, check_level, check_number, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.prose import percent
from genexpy_nb.common.rankings import SIGNIFICANT_DIGITS, round_significant
from genexpy_nb.common.verdicts import WORDS, verdict_sentence
from genexpy_nb.common.versions import versions
from genexpy_nb.conclusions.tables import MIN_EXPERIMENTS as FEWEST_OF_AGREEMENT
from genexpy_nb.conclusions.tables import experiments_for_agreement
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel, RBFKernel, as_kernels
from genexpy_nb.generalization.moments import MIN_EXPERIMENTS
from genexpy_nb.study.checks import sentence as levels_as_text
from genexpy_nb.study.completion import N_COMPLETIONS
from genexpy_nb.study.noise import SPREADS
from genexpy_nb.study.planning import extend_first, plan
from genexpy_nb.study.stability import DEFAULT_KERNELS, MOST_RESAMPLED, TOP
from genexpy_nb.study.study import Study
from genexpy_nb.study.summary import QUESTIONS, as_sentence, criteria, in_one_line, interval_text, joined, rounded

#: Experiments times alternatives squared (times completions) up to which all pairs are tested: some seconds.
MOST_TESTED = 50_000_000

#: Experiments times alternatives squared up to which all pairs are compared, with intervals: about two seconds.
MOST_COMPARED = 1_000_000

#: How many of the best are compared pair by pair where there are more; fewer with more experiments.
N_COMPARED = 60

#: Experiments up to which each is left out in turn: two seconds a kernel.
MOST_LEFT_OUT = 300

#: Experiments up to which other settings are tried and curves are drawn.
MOST_VARIED = 1000

#: Numbers, experiments times alternatives, up to which a thousand splits into halves are drawn; beyond, a hundred are.
MOST_SPLIT = 2_000_000

#: Experiments times alternatives times the smaller of the two, and alternatives, up to which agreement of second
#: studies is estimated: some seconds, and half a gigabyte.
MOST_AGREED, MOST_IN_AGREEMENT = 1_000_000_000, 2000

#: Completions of missing scores that agreement in the top 3 and in the order is combined from: each takes as long as a
#: table without missing ones. In the winner, which changes most between completions, all of them are.
N_COMPLETIONS_OF_AGREEMENT = 3

#: Expected Kendall's tau of the orders of two studies for which experiments are counted.
WANTED_TAU = 0.9

#: Numbers, experiments times alternatives, up to which the single runs behind averages are looked at.
MOST_RUN = 1_000_000

#: Share of the variance that is due to single runs, from which more of them are worth as much as more experiments.
LARGE_SHARE = 0.5

#: The tables that a paper wants.
MAIN_TABLES = ("ranking", "nstar", "extend", "agreement", "halves")

_FEW_SPLITS = 100
_SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)  # of the experiments: sizes of second studies
_LARGEST_NEEDED = 100  # times as many experiments are looked at for `WANTED_TAU`
_SECOND_FACTOR = 3  # levels from which a design factor is worth asking about as a random one
_LONG = 0.4  # an interval of a probability, from which it is said what it leaves open
_NEARLY_ALWAYS = 0.9  # a probability of agreement
_NO_ANSWER = "without an answer"


def answers(
    study: Study,
    kernels: Kernel | Iterable[Kernel] | None = None,
    alpha: float = 0.95,
    delta: float = 0.05,
    level: float = 0.05,
    configuration: Mapping[str, Any] | None = None,
    alternative: Any = None,
    budget: int | None = None,
) -> Answers:
    """Answer what one wants to know of a study.

    Parameters
    ----------
    study : Study
    kernels : kernel or list of kernels, optional
        The research questions; by default, whether the best alternatives and the whole order stay the same.
    alpha : float
        Wanted generalizability, in (0, 1).
    delta : float
        Dissimilarity that is still similar, in (0, 1].
    level : float
        Of the tests, in (0, 1).
    configuration : dict, optional
        The configuration to show in detail; by default the first of those with the most experiments.
    alternative : object, optional
        An alternative whose position is a question of its own.
    budget : int, optional
        How many further experiments can be run, >= 0.

    Returns
    -------
    Answers

    Raises
    ------
    ParameterError
        If a parameter is out of range, or there is no such configuration or alternative.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.normal([0.9, 0.8, 0.5], 0.1, (30, 3)), columns=["svm", "forest", "chance"])
    >>> found = answers(Study.from_wide(scores))
    >>> print(found.sentences[0])
    svm has the best mean rank (1.23) of 3 alternatives over 30 experiments and is significantly better than each of \
the 2 others (level 0.05).
    >>> found.ranking[["alternative", "mean_rank", "low", "high"]].round(2)
      alternative  mean_rank  low  high
    0         svm       1.23    1     1
    1      forest       1.77    2     2
    2      chance       3.00    3     3
    """
    return Answers(
        study,
        kernels=kernels,
        alpha=alpha,
        delta=delta,
        level=level,
        configuration=configuration,
        alternative=alternative,
        budget=budget,
    )


class Answers:
    """What a study says, computed when it is asked for; made by `answers`.

    Attributes
    ----------
    study : Study
    kernels : list of kernels
    alpha, delta, level : float
    budget : int or None
    configuration : dict
        The one that is shown in detail.
    """

    def __init__(
        self,
        study: Study,
        *,
        kernels: Kernel | Iterable[Kernel] | None = None,
        alpha: float = 0.95,
        delta: float = 0.05,
        level: float = 0.05,
        configuration: Mapping[str, Any] | None = None,
        alternative: Any = None,
        budget: int | None = None,
    ) -> None:
        if not isinstance(study, Study):
            raise ParameterError(f"study must be a genexpy_nb.Study, got {type(study).__name__}")
        self.study = study
        self.alpha, self.level = check_level("alpha", alpha), check_level("level", level)
        self.delta = check_number("delta", delta, 0, 1, ends="(]")
        self.budget = None if budget is None else check_count("budget", budget, 0)
        self.kernels = as_kernels(DEFAULT_KERNELS if kernels is None else kernels)
        if alternative is not None:
            if alternative not in study.alternatives:
                known = f"{suggest(alternative, study.alternatives)} (there are {joined(study.alternatives, 8)})"
                raise ParameterError(f"alternative: there is no {alternative!r}{known}")
            if BordaKernel(alternative) not in self.kernels:
                self.kernels.append(BordaKernel(alternative))
        self._asked = configuration is not None
        sizes = study.accounting["n_experiments"].to_numpy()
        self.configuration = dict(study.configurations[int(np.argmax(sizes))])
        if configuration is not None:
            study.scores(configuration)  # says what is wrong with it
            self.configuration = {name: configuration[name] for name in study.design}
        self._scores = study.scores(self.configuration)
        self._cells = study.condition_scores(self.configuration)  # the same, but in clusters
        self._n, self._k = self._scores.shape

    # --- in words ----------------------------------------------------------------------------------------------------

    @property
    def why_configuration(self) -> str:
        """Why this configuration is the one that is shown in detail."""
        n = len(self.study.configurations)
        if n == 1:
            return "It is the only configuration."
        if self._asked:
            return "It was asked for."
        sizes = self.study.accounting["n_experiments"]
        n_largest = int((sizes == sizes.max()).sum())
        most = f"{_count(int(sizes.max()), 'experiment')}"
        if n_largest == 1:
            return f"It has the most experiments of all {n:,} configurations: {most}."
        return f"It is the first of the {n_largest:,} configurations that have the most experiments, {most}."

    @property
    def question(self) -> str:
        """What is asked, in one sentence."""
        best = f"Which of the {len(self.study.alternatives):,} alternatives ({self.study.alternatives_column}) is best"
        return in_one_line(f"{best} by {criteria(self.study)}, and would another study say the same?")

    @cached_property
    def sentences(self) -> list[str]:
        """The answer in three sentences: who is best; would another study say so; what is doubtful, what to do."""
        return [in_one_line(text) for text in (self._who(), self._whether(), self._what_now())]

    def _who(self) -> str:
        prefix, several = "", len(self.study.configurations) > 1
        if several:
            prefix = (
                f"In {levels_as_text(self.configuration)}, one of {len(self.study.configurations):,} configurations, "
            )
        text = f"{prefix}{self._leaders()}{self._elsewhere() if several else ''}."
        return text if self._k > 1 and not text.startswith("all ") else text[0].upper() + text[1:]

    def _leaders(self) -> str:
        """Say who has the best mean rank in the configuration that is shown, and from whom it can be told apart."""
        if self._k < 2:
            return f"there is a single alternative, {self._scores.columns[0]}, and nothing to compare it with"
        ranking = self.ranking
        best = ranking.loc[ranking["position"] == 1, "alternative"].tolist()
        over = f"of {self._k:,} alternatives over {_count(self._n, 'experiment')}"
        rank = f"({ranking['mean_rank'].iloc[0]:.2f})"
        if len(best) == self._k:
            return f"all {self._k:,} alternatives have the same mean rank {rank} over {_count(self._n, 'experiment')}"
        leads = "have" if len(best) > 1 else "has"
        lead = f"{joined(best)} {leads} the best mean rank {rank} {over}"
        if self._n < 2:
            return f"{lead}, and a single experiment tells no alternatives apart"
        if ranking["tier"].isna().any():
            return f"{lead}; there are too many pairs to test them all"
        return f"{lead} {self._told_apart(ranking, best)} (level {self.level:g})"

    def _told_apart(self, ranking: pd.DataFrame, best: list[Any]) -> str:
        level_with = ranking.loc[~ranking["behind"].astype(bool), "alternative"].tolist()
        others = [other for other in ranking["alternative"] if other not in best]
        peers = [other for other in level_with if other not in best]
        n_worse = len(others) - len(peers)
        if len(best) > 1:  # the first of them was compared with the others
            worse = f"{n_worse:,} of the {len(others):,} others" if n_worse else "none of the others"
            if len(others) == 1:
                worse = f"{others[0]} {'is' if n_worse else 'is not'}"
                return f"together, and {worse} significantly worse than {best[0]}"
            return f"together, and {worse} {'is' if n_worse == 1 else 'are'} significantly worse than {best[0]}"
        if not peers:
            which = others[0] if len(others) == 1 else f"each of the {len(others):,} others"
            return verdict_sentence("significance", "better", a="and", b=which)
        if not n_worse:
            which = others[0] if len(others) == 1 else f"any of the {len(others):,} others"
            return verdict_sentence("significance", "not better", a="but", b=which)
        some = f"{n_worse:,} of the {len(others):,} others"
        return f"{verdict_sentence('significance', 'better', a='and', b=some)}, but not than {joined(peers, 2)}"

    def _elsewhere(self) -> str:
        """Say in how many configurations the best are the best."""
        if self._k < 2:
            return ""
        mine = self._winners[levels_as_text(self.configuration)]
        n = sum(set(mine) == set(best) for best in self._winners.values())
        who = "it has" if len(mine) == 1 else "they have"
        return f"; {who} the best mean rank in {n:,} of the {len(self._winners):,} configurations"

    @cached_property
    def _winners(self) -> dict[str, list[Any]]:
        """Those with the best mean rank in each configuration."""
        found = {}
        for configuration in self.study.configurations:
            names = self.study.scores(configuration).columns
            if len(names) > 1:  # as in the ranking: of completed tables, means over all completions
                ranks = self.study.ranks(configuration, impute=True, tests=False)
                names = ranks.index[ranks["position"] == 1]
            found[levels_as_text(configuration)] = names.tolist()
        return found

    def _whether(self) -> str:
        """Say whether the experiments are enough, what for, and how far the winner is stable."""
        text = f"{self._enough()}; {self._winner()}."
        return text if text.startswith("n*") else text[0].upper() + text[1:]

    def _enough(self) -> str:
        if self._nothing_to_estimate:
            return f"n* was not estimated: {self._nothing_to_estimate.rstrip('.')}"
        rows = self._rows_shown(self.nstar)
        verdicts: dict[str, list[str]] = {}
        for kernel, (_, row) in zip(self.kernels, rows.iterrows(), strict=True):
            verdicts.setdefault(_verdict(row), []).append(_estimate(kernel, row))
        order = (*WORDS.values(), _NO_ANSWER)
        said = [f"{verdict} on {' and on '.join(verdicts[verdict])}" for verdict in order if verdict in verdicts]
        experiments = f"the {_count(self._n, 'experiment')} of this one {'is' if self._n == 1 else 'are'}"
        aim = f"for another study to have similar results (δ = {self.delta:g}, α = {self.alpha:g}), "
        counted = ""
        if len(self.study.configurations) > 1:
            n_enough = int((self.nstar["verdict"] == "enough").sum())
            counted = (
                f"; over all configurations, {n_enough:,} of {_count(len(self.nstar), 'question')} "
                f"{'has' if n_enough == 1 else 'have'} enough"
            )
        return f"{aim}{experiments} {', '.join(said)}{counted}"

    def _winner(self) -> str:
        if self.halves.empty:
            return "how far the winner is stable cannot be said from so little"
        return f"whether the winner would be the same is another question: {self._agreed()}{self._split()}"

    def _agreed(self) -> str:
        """Say how often a second study of the same size would have the same winner, as far as that is known."""
        if self._n < FEWEST_OF_AGREEMENT:
            return f"{self._n:,} experiments are too few to say how probable that is; "
        if self.agreement.empty:
            return ""
        row = self._agreement_at(self._n, "winner")
        interval = _with_interval(row, nominal=True)
        return f"{verdict_sentence('agreement', 'estimated', n=f'{self._n:,}', what='winner', interval=interval)}; "

    def _split(self) -> str:
        row = self.halves.iloc[0]
        n_splits = int(row["n_splits"])
        n_agree = round(row["estimate"] * n_splits)
        splits = "the only split" if n_splits == 1 else f"{n_splits:,} splits"
        agreed = f"in {n_agree:,} of {splits}" if n_splits > 1 else f"in {splits}" if n_agree else f"not in {splits}"
        return f"{agreed} into halves of {int(row['n']):,}, the best by mean rank is the same in both"

    def _what_now(self) -> str:
        n_missing = int(self._cells.isna().to_numpy().sum())
        share = percent(n_missing / self._cells.size, 1)
        are = "is" if n_missing == 1 else "are"
        missing = f"{n_missing:,} of {self._cells.size:,} evaluations ({share}) {are} missing here"
        said = [missing if n_missing else "no evaluation is missing here"]
        doubts = len(self.study.warnings)
        if doubts:
            said.append(f"{_count(doubts, 'warning')} {'makes' if doubts == 1 else 'make'} the answers doubtful")
        text = " and ".join(said)
        todo = self.next_steps[0].rstrip(".")
        return f"{text[0].upper()}{text[1:]}; what to do next: {todo[0].lower()}{todo[1:]}."

    @cached_property
    def next_steps(self) -> list[str]:
        """What to do next, in sentences, the most urgent first."""
        steps = []
        if self.study.warnings:
            steps.append("Look at the warnings first, because they may change every answer.")
        steps += self._missing_steps()
        steps += self._experiments_to_run()
        steps += self._to_agree()
        steps += self._runs_to_add()
        steps += self._to_tell_apart()
        return [in_one_line(step) for step in steps] or [
            "Nothing more is needed for these questions; report the estimates with their intervals and limits."
        ]

    def _missing_steps(self) -> list[str]:
        n_missing = int(self.study.accounting["n_imputed"].sum())
        if not n_missing:
            return []
        cells = "missing evaluation" if n_missing == 1 else "missing evaluations"
        return [
            f"Run the {n_missing:,} {cells} if that is possible, and see the sensitivity to the policy "
            f"{self.study.missing!r} if it is not."
        ]

    def _experiments_to_run(self) -> list[str]:
        if self._nothing_to_estimate:
            few = self._n < MIN_EXPERIMENTS
            return [f"Run at least {MIN_EXPERIMENTS} experiments, without which n* cannot be estimated."] if few else []
        steps = self._extensions() if len(self.extend) else []
        settled = self.nstar["verdict"] != "undecided"
        n_open = int((self.nstar["more"].eq(0).fillna(False) & ~settled).sum())
        if n_open:
            steps.append(
                f"Run more experiments where the estimate says enough and the interval of n* does not settle it, "
                f"{_count(n_open, 'question')} of {len(self.nstar):,}."
            )
        n_infinite = int(np.isinf(self.nstar["nstar"]).sum())
        if n_infinite:
            steps.append(f"Ask a coarser question, with a larger delta, where n* is infinite, {n_infinite:,} in all.")
        return steps

    def _extensions(self) -> list[str]:
        first, last = self.extend.iloc[0], self.extend.iloc[-1]
        where = levels_as_text({name: first[name] for name in self.study.design})
        kernel = next(kernel for kernel in self.kernels if kernel.name == first["kernel"])
        steps = [
            f"Run {_more(int(first['more']))}{f' of {where}' if where else ''}; by the estimate, that is enough on "
            f"{_about(kernel)}."
        ]
        n_questions = _count(self.extend.attrs["n_questions"], "question")
        if len(self.extend) > 1:
            steps.append(
                f"Run {_more(int(last['cumulative']))} in all, in the order of the table of what to extend first, and "
                f"by the estimates {int(last['answered']):,} of {n_questions} have enough."
            )
        if self.budget is not None:
            within = self.extend[self.extend["within_budget"].astype(bool)]
            now = int(first["answered"]) - 1
            then = int(within["answered"].iloc[-1]) if len(within) else now
            steps.append(
                f"Spend a budget of {_count(self.budget, 'experiment')} on what comes first in the table of what to "
                f"extend, and by the estimates {then:,} of {n_questions} {'has' if then == 1 else 'have'} enough, now "
                f"{now:,}."
            )
        return steps

    def _to_agree(self) -> list[str]:
        """Say what it takes that a second study draws the same conclusions."""
        if self.agreement.empty:
            return []
        steps, winner = [], self._agreement_at(self._n, "winner")
        if winner["low"] < _NEARLY_ALWAYS:
            steps.append(
                "Run more experiments, or compare fewer contenders, before you count on the winner: the probability "
                f"that two studies of {self._n:,} have the same one is {_with_interval(winner, nominal=True)}."
            )
        needed = self.experiments_for.iloc[0]
        if self._n < needed["n"] < np.inf:
            steps.append(
                f"Run {_more(int(needed['n']) - self._n)} if the whole order matters: by the estimate, the orders of "
                f"two studies of {needed['n']:,.0f} have an expected Kendall's tau of {WANTED_TAU:g} (nominal 95 % "
                f"interval of that number: {self._sizes_in_words(needed)})."
            )
        return steps

    @cached_property
    def agreement_in_words(self) -> list[str]:
        """How far a second study would draw the same conclusions, in short sentences."""
        if self.agreement.empty:
            return [as_sentence(f"Agreement of second studies was not estimated: {self.agreement.attrs['note']}")]
        n, twice = self._n, 2 * self._n
        winner = self._agreement_at(n, "winner")
        each = {
            "winner": f"The probability that two studies of {n:,} experiments have the same winner by mean rank is",
            self._top: f"The share of the {TOP} best that both find is, on average,",
            "order": "Kendall's tau of their two orders is, on average,",
        }
        said = [
            f"{each[name]} {_with_interval(self._agreement_at(n, name), nominal=True)}; with {twice:,} experiments, "
            f"{_with_interval(self._agreement_at(twice, name))}."
            for name in self._conclusions
        ]
        said.append(self._needed_in_words())
        if winner["high"] - winner["low"] >= _LONG:
            often = "nearly always" if winner["high"] >= _NEARLY_ALWAYS else f"in {percent(winner['high'])} of cases"
            said.append(
                f"The interval of the winner is long: these results fit a study whose winner another one confirms "
                f"{often}, and one whose winner is one of several that are about equal. More experiments, or fewer "
                "contenders, would narrow it."
            )
        return [in_one_line(text) for text in said]

    def _needed_in_words(self) -> str:
        needed = self.experiments_for.iloc[0]
        aim = f"For an expected tau of {WANTED_TAU:g}, by the estimate,"
        interval = f"(nominal 95 % interval {self._sizes_in_words(needed)})"
        if np.isinf(needed["n"]):
            return f"{aim} not even {self._largest_needed:,} experiments in each study are enough {interval}."
        return f"{aim} about {needed['n']:,.0f} experiments in each study are enough {interval}."

    def _sizes_in_words(self, needed: pd.Series) -> str:
        """Return between which numbers of experiments; one that is not reached is said in words."""
        low, high = needed["low"], needed["high"]
        if np.isinf(low):
            return f"more than {self._largest_needed:,}"
        return f"{low:,.0f} to {'more than ' + format(self._largest_needed, ',') if np.isinf(high) else f'{high:,.0f}'}"

    def _agreement_at(self, n: int, conclusion: str) -> pd.Series:
        """Return the row of the agreement of studies of n experiments."""
        rows = self.agreement
        return rows[(rows["n"] == n) & (rows["conclusion"] == conclusion)].iloc[0]

    def _runs_to_add(self) -> list[str]:
        name, share = self._share_of_runs
        if not share >= LARGE_SHARE:  # nor if it is not known
            return []
        return [
            f"Run more repetitions ({joined(self.study.average_over, 99)}) of each experiment: {percent(share)} of the "
            f"variance of {name} is due to single runs, and twice as many runs would take half of that away."
        ]

    @property
    def _share_of_runs(self) -> tuple[str, float]:
        """Return what runs make a share of, and the median of the alternatives; of differences, if it is known."""
        for column in ("share_of_difference", "share_of_variance"):
            known = self.noise[column].dropna()
            if len(known):
                leader = self.noise["alternative"].iloc[0]
                what = f"mean differences from {leader}" if column == "share_of_difference" else "mean scores"
                return f"{what}{' (median)' if len(known) > 1 else ''}", float(known.median())
        return "", np.nan

    @cached_property
    def noise_in_words(self) -> list[str]:
        """How far single runs differ, in short sentences; none where nothing was averaged."""
        noise = self.noise
        if noise.empty:
            return []
        of_runs, of_experiments = (noise[name].median() for name in ("sd_runs", "sd_conditions"))
        if np.isnan(of_runs):
            return ["No experiment has two runs of one alternative: how far runs differ, is not known."]
        medians = " (medians)" if len(noise) > 1 else ""
        experiments = "" if np.isnan(of_experiments) else f", experiments by {of_experiments:.3g}"
        said = [f"Runs of one experiment differ by {of_runs:.3g} (standard deviation){experiments}{medians}."]
        name, share = self._share_of_runs
        if name:
            said.append(f"They make {percent(share)} of the variance of {name}.")
        n_runs, n_same = noise.attrs["n_runs"], noise.attrs["n_same_best"]
        if n_runs is None:
            said.append(f"Whether each would have the same winner is not known: {noise.attrs['note']}.")
        else:
            said.append(f"The best by mean rank in {n_same:,} of {n_runs:,} single runs is that of their average.")
        return [in_one_line(text) for text in said]

    @cached_property
    def clusters_in_words(self) -> list[str]:
        """How many independent experiments the conditions in clusters are worth; none of a study without clusters."""
        study, found = self.study, self.design_effect
        if found.empty:
            return []
        n_conditions, n_clusters = int(found["n_conditions"].iloc[0]), int(found["n_clusters"].iloc[0])
        lie = "lies" if n_conditions == 1 else "lie"
        said = [
            f"The {_count(n_conditions, 'condition')} ({joined(study.within_clusters, 99)}) {lie} in "
            f"{_count(n_clusters, 'cluster')} ({study.cluster}), which count as the experiments."
        ]
        known = [
            f"{rounded(row['n_effective'])} on {_about(kernel)} "
            f"({interval_text(row['n_effective_low'], row['n_effective_high'])})"
            for kernel, (_, row) in zip(self.kernels, found.iterrows(), strict=True)
            if not np.isnan(row["n_effective"])
        ]
        if known:
            said.append(
                "The number of independent experiments that they are worth is, with its nominal 95 % interval, "
                f"{joined(known, 99)}."
            )
        else:
            said.append(f"How many independent ones they are worth is not known: {as_sentence(found['note'].iloc[0])}")
        return [in_one_line(text) for text in said]

    def _to_tell_apart(self) -> list[str]:
        if self._n < 2 or self._k < 2 or self.ranking["tier"].isna().any():
            return []
        leader, *peers = self.ranking.loc[~self.ranking["behind"].astype(bool), "alternative"].tolist()
        if not peers or (self.ranking["position"] == 1).all():
            return []
        return [
            f"Find out with genexpy_nb.significance.conditions_needed how many experiments it takes to tell {leader} "
            f"from {joined(peers, 3)}, by a difference that matters to you."
        ]

    @cached_property
    def limits(self) -> list[str]:
        """What the answers rest on, and what they do not say, in sentences."""
        factors = joined(self.study.generalize_over, 99)
        said = [
            f"The experiments count as independent draws of {factors} from everything that they stand for; where they "
            "were chosen or are related, the answers are about others that are chosen and related in the same way.",
            "Enough experiments, by n*, are enough for similar distributions of results; two such studies need not "
            "have the same winner.",
            *self._other_levels(),
        ]
        if not self._nothing_to_estimate:
            said.append(
                "The nominal confidence of the intervals of n* is 95 %; how often they hold n* was measured for some "
                "distributions of results, mostly with alpha = 0.95, and yours may be none of them."
            )
            shown = self._rows_shown(self.nstar)
            said += [
                f"On {_about(kernel)}: {as_sentence(note)}"
                for kernel, note, nstar in zip(self.kernels, shown["note"], shown["nstar"], strict=True)
                if note and not np.isnan(nstar)
            ]
        if not self.agreement.empty:
            said.append(
                "Agreement of studies larger than half of this one is extrapolated from it, as if effects were "
                "observed with normal errors, and an estimate may lie outside its interval. How often the intervals "
                "hold was measured on simulated studies, and yours may be none of them."
            )
            if (self.ranking["position"] == 1).sum() > 1:
                said.append(
                    "Several share the best mean rank. Halves have the same winner if the same ones share it, while of "
                    "second studies, each takes one of them by chance."
                )
        if not self.halves.empty:
            said.append(
                "Halves speak of studies half as large, and come from one sample: on simulated studies of 30 "
                "experiments, the share of the same winner was off by .08 to .35 (root mean square error)."
            )
        if len(self.study.configurations) > 1:
            said.append(
                "The tests hold their level in each configuration for itself; nothing is corrected for the number of "
                "configurations."
            )
        if self._n > 1 and self._k > 1:
            said.append(
                "Wilcoxon's test takes the differences of two equal alternatives for symmetric about zero; where they "
                "are skewed, it finds differences too often."
            )
        if self.study.accounting["n_imputed"].any():
            said.append(
                f"What is missing was treated by the policy {self.study.missing!r}; had it been run, the answers could "
                "be others."
            )
        if not self.noise.empty and self.noise["sd_runs"].notna().any():
            said.append(
                f"What is said of noise takes the runs ({joined(self.study.average_over, 99)}) for independent; where "
                "they share data, as folds do, it is too little. From few experiments it is rough: in four of "
                "five simulated studies of 10, a share of 50 % was estimated between 25 and 100 %."
            )
        if self._has_influence:
            said.append(
                "Leaving out an experiment shows its influence on these numbers, and neither that it is wrong nor that "
                "it is important."
            )
        return [in_one_line(text) for text in said]

    def _other_levels(self) -> list[str]:
        """Say that a design factor with several levels could be a random factor, if the table allows that."""
        study, sizes = self.study, self.study.accounting[["n_experiments", "n_alternatives"]]
        levels = {name: len({one[name] for one in study.configurations}) for name in study.design}
        many = [name for name, n in levels.items() if n >= _SECOND_FACTOR]
        balanced = len(study.configurations) == prod(levels.values()) and (sizes == sizes.iloc[0]).to_numpy().all()
        if not many or not balanced or study.cluster is not None:
            return []
        factors = [*study.generalize_over, many[0]]
        return [
            f"Every answer is for the levels of {joined(many, 99)} that were tried. Whether other levels would say the "
            f"same is another question; ask it with study.components(kernel, {factors!r})."
        ]

    @cached_property
    def methods(self) -> str:
        """What was done, with citations, for the section on methods of a paper."""
        sizes = self.study.accounting["n_experiments"]
        span = f"{sizes.min():,}" if sizes.min() == sizes.max() else f"{sizes.min():,} to {sizes.max():,}"
        several = len(self.study.configurations) > 1
        each = f" in each of {len(self.study.configurations):,} configurations" if several else ""
        experiments = "experiment" if sizes.max() == 1 else "experiments"
        package = "genexpy_nb"
        said = [
            f"We compared {len(self.study.alternatives):,} alternatives by {criteria(self.study)}, over {span} "
            f"{experiments} ({joined(self.study.generalize_over, 99)}){each}, and ranked them within each experiment; "
            f"scores that agree to {SIGNIFICANT_DIGITS} significant digits tie.",
        ]
        if self.study.average_over:
            said.append(f"Before that, scores were averaged over {joined(self.study.average_over, 99)}.")
        if self.study.within_clusters:
            said.append(
                f"Each experiment is a cluster of conditions ({joined(self.study.within_clusters, 99)}): its score is "
                "the mean of theirs."
            )
        if self.study.accounting["n_imputed"].any():
            said.append(f"Missing evaluations: policy {self.study.missing!r}.")
        if self._n > 1 and self._k > 1:
            said.append(
                "All pairs of alternatives were compared by Wilcoxon's signed-rank test (zeros after Pratt, 1959), "
                f"with Holm's correction (1979) at the level {self.level:g}; the intervals of positions follow from "
                "these tests (after Mogstad, Romano, Shaikh and Wilhelm, 2024)."
            )
            said.append(
                f"Each mean score has an interval of its own (confidence {percent(1 - self.level)}; Student's, or by a "
                "studentized bootstrap over the experiments)."
            )
        if not self._nothing_to_estimate:
            names = joined([kernel.name for kernel in self.kernels], 99)
            said.append(
                "Whether the experiments are enough was judged by n*, the number of experiments with which the "
                f"distributions of results of two studies differ by at most delta = {self.delta:g} with probability "
                "alpha = "
                f"{self.alpha:g} (Matteucci, Arzamasov, Cribeiro-Ramallo, Heyden, Ntounas and Böhm, "
                f"Generalizability of Experimental Studies), with the kernels {names}, estimated by matching moments, "
                "with intervals of nominal confidence 95 % by a corrected jackknife."
            )
        if not self.halves.empty:
            n_splits = _count(int(self.halves["n_splits"].iloc[0]), "split")
            said.append(f"How far the winner is stable was estimated from {n_splits} into disjoint halves.")
        if not self.agreement.empty:
            said.append(
                f"How far two studies of n experiments would agree by mean ranks ({joined(self._conclusions, 99)}) was "
                "estimated from disjoint halves, and extrapolated beyond them, with intervals of nominal confidence "
                "95 % by the inversion of simulated tests."
            )
        said.append(f"Computed with {package} {versions([package]).get(package, '')}".rstrip() + ".")
        return in_one_line(" ".join(said))

    @cached_property
    def left_out(self) -> list[str]:
        """What is not computed because of its size, in sentences; known before anything is computed."""
        said = []
        if self._too_many_to_rank:
            said.append(
                f"Tiers and intervals of positions are left out: {comb(self._k, 2):,} pairs of alternatives over "
                f"{self._n:,} experiments are too many."
            )
        if self._n_compared < self._k:
            said.append(
                f"Pairs are compared among the best {self._n_compared} of {self._k:,} alternatives only, and their "
                "p-values are adjusted for these pairs."
            )
        if self._interval == "t":
            said.append("Intervals of mean differences are not resampled, but those of the t distribution.")
        if self._too_many_to_run:
            said.append(
                f"Single runs are not looked at: that takes too long with {self._n:,} experiments and {self._k:,} "
                "alternatives."
            )
        if self._too_many_to_leave_out:
            said.append(f"No experiment is left out in turn: that takes too long with {self._n:,} experiments.")
        if self._n > MOST_VARIED:
            said.append(
                f"Other settings are not tried and no curves are drawn: there are {self._n:,} experiments, and it is "
                f"done for up to {MOST_VARIED:,}."
            )
        if self._too_many_to_agree:
            said.append(
                f"Agreement of second studies is not estimated: that takes too long with {self._n:,} experiments and "
                f"{self._k:,} alternatives."
            )
        elif self._n_tables > N_COMPLETIONS_OF_AGREEMENT and self._n >= FEWEST_OF_AGREEMENT:
            said.append(
                f"Agreement of second studies, but for that in the winner, is combined from "
                f"{N_COMPLETIONS_OF_AGREEMENT} of the {self._n_tables} completions of missing evaluations; "
                "Study.agreement takes all."
            )
        if self._n * self._k > MOST_SPLIT:
            said.append(f"The experiments are split into halves {_FEW_SPLITS} times, not 1,000 times: they are many.")
        return said

    @property
    def _n_compared(self) -> int:
        """How many of the best alternatives are compared pair by pair."""
        most = MOST_COMPARED if self._interval == "auto" else MOST_TESTED
        if self._n * self._k**2 <= most:
            return self._k
        return min(N_COMPARED, self._k, max(2, isqrt(most // self._n)))

    @property
    def _interval(self) -> str:
        """The interval of mean differences: with many experiments, resampling takes long and changes nothing."""
        return "auto" if self._n <= MOST_RESAMPLED else "t"

    @property
    def _has_influence(self) -> bool:
        return min(self._n, self._k) > 1 and not self._too_many_to_leave_out

    @property
    def _n_tables(self) -> int:
        """How many tables each answer is computed from: one, or every completion."""
        return N_COMPLETIONS if self.study.is_completed(self.configuration) else 1

    @property
    def _too_many_to_leave_out(self) -> bool:
        return self._n**3 * self._n_tables > MOST_LEFT_OUT**3

    @property
    def _too_many_to_run(self) -> bool:
        return bool(self.study.average_over) and self._n * self._k > MOST_RUN

    @property
    def _too_many_to_agree(self) -> bool:
        return self._n * self._k * min(self._n, self._k) > MOST_AGREED or self._k > MOST_IN_AGREEMENT

    @property
    def _top(self) -> str:
        return f"top {TOP}"

    @property
    def _conclusions(self) -> dict[str, str]:
        """What second studies are asked about: its name in the frame, and for `Study.agreement`."""
        top = {self._top: "top-k"} if self._k > TOP else {}
        return {"winner": "winner", **top, "order": "order"}

    @property
    def _largest_needed(self) -> int:
        return _LARGEST_NEEDED * self._n

    @property
    def _too_many_to_rank(self) -> bool:
        return self._n * self._k**2 * self._n_tables > MOST_TESTED

    # --- in tables ---------------------------------------------------------------------------------------------------

    @cached_property
    def data(self) -> pd.DataFrame:
        """The role of each column of the table: ``role``, ``column``, ``levels`` (how many, if known), ``note``."""
        study = self.study
        conditions = {
            name: len({level for c in study.configurations for level in study.condition_scores(c).index.unique(name)})
            for name in [*study.generalize_over, *study.within_clusters]
        }
        rows = [
            ("alternatives", study.alternatives_column, len(study.alternatives), ""),
            ("target", study.target, pd.NA, criteria(study)),
            *(
                ("generalize over", name, n, "each level, or combination of levels, is one experiment")
                for name, n in conditions.items()
                if name not in study.within_clusters
            ),
            *(
                ("within clusters", name, conditions[name], "its levels are the conditions of the experiments")
                for name in study.within_clusters
            ),
            *(("design", name, len({c[name] for c in study.configurations}), "") for name in study.design),
            *(("average over", name, pd.NA, "scores are means over it") for name in study.average_over),
            *(("fixed", name, 1, f"{level}") for name, level in study.fixed.items()),
        ]
        frame = pd.DataFrame(rows, columns=["role", "column", "levels", "note"])
        return frame.assign(levels=frame["levels"].astype("Int64"))

    @cached_property
    def missing(self) -> pd.DataFrame:
        """Experiments and alternatives of this configuration that lack evaluations, by how many, most first."""
        absent = self._cells.isna()
        row = "condition" if self.study.within_clusters else "experiment"
        parts = []
        for side, counts in (("alternative", absent.sum()), (row, absent.sum(axis=1))):
            of = len(absent) if side == "alternative" else absent.shape[1]
            named = [label if not isinstance(label, tuple) else ", ".join(map(str, label)) for label in counts.index]
            part = pd.DataFrame({"side": side, "name": named, "n_missing": counts.to_numpy()})
            parts.append(part.assign(share=part["n_missing"] / of))
        frame = pd.concat(parts, ignore_index=True)
        frame = frame[frame["n_missing"] > 0]
        return frame.sort_values(["side", "n_missing"], ascending=[True, False], kind="stable", ignore_index=True)

    @property
    def accounting(self) -> pd.DataFrame:
        """See `Study.accounting`."""
        return self.study.accounting

    @property
    def averaged(self) -> pd.DataFrame:
        """See `Study.averaged`."""
        return self.study.averaged

    @cached_property
    def ranking(self) -> pd.DataFrame:
        """See `Study.ranks`; missing scores are the worst of their condition, and the index is a column."""
        if self._k < 2:
            return _empty(
                "alternative mean_rank mean_score score_low score_high share_best position low high tier behind",
                "a single alternative",
            )
        ranks = self.study.ranks(self.configuration, self.level, impute=True, tests=not self._too_many_to_rank)
        return ranks.rename_axis("alternative").reset_index()

    @cached_property
    def noise(self) -> pd.DataFrame:
        """See `Study.noise`; the index is a column, and there are no rows where nothing was averaged."""
        if self._too_many_to_run:
            columns = f"alternative {' '.join(SPREADS)} share_of_difference"
            return _empty(columns, "too many experiments and alternatives")
        return self.study.noise(self.configuration).rename_axis("alternative").reset_index()

    @cached_property
    def design_effect(self) -> pd.DataFrame:
        """See `Study.design_effect`; of this configuration. No rows of a study without clusters."""
        if self.study.cluster is None:
            columns = "kernel n_conditions n_clusters mean_size icc n_effective design_effect note"
            return _empty(columns, "there are no clusters")
        return self.study.design_effect(self.kernels, self.alpha, self.delta, configuration=self.configuration)

    @cached_property
    def tiers(self) -> pd.DataFrame:
        """See `Study.tiers`; missing scores are the worst of their condition, and the index is a column."""
        columns = "alternative mean_rank tier leader p_adjusted"
        if self._too_many_to_rank:
            return _empty(columns, self.left_out[0])
        if min(self._n, self._k) < 2:
            return _empty(columns, "tests need two experiments and two alternatives")
        tiers = self.study.tiers(self.configuration, self.level, impute=True)
        return tiers.rename_axis("alternative").reset_index()

    @cached_property
    def _in_pairs(self) -> list[Any]:
        """The alternatives that are compared pair by pair, in the order of the columns of the scores."""
        best = set(self.ranking["alternative"].iloc[: self._n_compared])
        return [name for name in self._scores.columns if name in best]

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """See `Study.pairs`; missing scores are the worst of their condition."""
        if min(self._n, self._k) < 2:
            return _empty("a b estimate low high p p_adjusted", "tests need two experiments and two alternatives")
        chosen = {} if self._n_compared == self._k else {"alternatives": self._in_pairs}
        return self.study.pairs(
            self.configuration, impute=True, confidence=1 - self.level, interval=self._interval, **chosen
        )

    @cached_property
    def wins(self) -> pd.DataFrame:
        """See `Study.wins`; of the pairs of `pairs`, and only of experiments in which both have a score."""
        if self._k < 2:
            return _empty("a b n_conditions wins ties losses probability_of_improvement", "a single alternative")
        wins = self.study.wins(self.configuration)
        if self._n_compared == self._k:
            return wins
        kept = wins["a"].isin(self._in_pairs) & wins["b"].isin(self._in_pairs)
        return wins[kept].reset_index(drop=True)

    @cached_property
    def _planned(self) -> tuple[pd.DataFrame, str]:
        """The estimates of n*, or why there are none."""
        columns = [
            *self.study.design,
            *["kernel", "alpha", "delta", "epsilon", "n_experiments", "nstar", "low", "high", "method", "note"],
        ]
        nothing = plan(pd.DataFrame({name: [] for name in columns}))
        try:
            return plan(self.study.nstar(self.kernels, self.alpha, self.delta)), ""
        except StudyError as error:
            return nothing, in_one_line(error)

    @property
    def _nothing_to_estimate(self) -> str:
        return self._planned[1]

    @property
    def nstar(self) -> pd.DataFrame:
        """See `Study.nstar` and `plan`; all configurations and kernels."""
        return self._planned[0]

    @cached_property
    def extend(self) -> pd.DataFrame:
        """See `extend_first`."""
        return extend_first(self.nstar, self.budget)

    @cached_property
    def halves(self) -> pd.DataFrame:
        """See `Study.halves`."""
        if min(self._n, self._k) < 2:
            return _empty("conclusion measure n n_splits estimate low high note", "too few experiments or alternatives")
        n_splits = _FEW_SPLITS if self._n * self._k > MOST_SPLIT else 1000
        return self.study.halves(self.configuration, n_splits)

    @cached_property
    def _second_studies(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The agreement by size, and the size for a wanted tau; both empty where nothing can be said."""
        columns = "conclusion measure n estimate low high", "conclusion measure agreement n low high"
        note = self._no_agreement
        if note:
            return _empty(columns[0], note), _empty(columns[1], note)
        sizes, orders = self._sizes_of_studies, []

        def of_order(others: list[int]) -> pd.DataFrame:
            orders.append(self._agreement_of("order", sorted({*others, *sizes})).set_index("n", drop=False))
            return orders[-1].loc[others]

        needed = experiments_for_agreement(of_order, WANTED_TAU, self._largest_needed)  # one call for both
        parts = [
            orders[-1].loc[sizes] if conclusion == "order" else self._agreement_of(conclusion, sizes)
            for conclusion in self._conclusions.values()
        ]
        frame = pd.concat(parts, ignore_index=True)
        names = {conclusion: name for name, conclusion in self._conclusions.items()}
        return frame.assign(conclusion=frame["conclusion"].map(names)), needed.to_frame().T.infer_objects()

    def _agreement_of(self, conclusion: str, sizes: list[int]) -> pd.DataFrame:
        return self.study.agreement(
            conclusion,
            sizes,
            self.configuration,
            k=TOP if conclusion == "top-k" else None,
            n_completions=None if conclusion == "winner" else N_COMPLETIONS_OF_AGREEMENT,
        )

    @property
    def _no_agreement(self) -> str:
        """Why agreement of second studies is not estimated; empty if it is."""
        if self._k < 2:
            return "there is a single alternative"
        if self._n < FEWEST_OF_AGREEMENT:
            here = f"there {'is' if self._n == 1 else 'are'} {self._n:,}"
            return f"it takes at least {FEWEST_OF_AGREEMENT} experiments, and {here}"
        return "it takes too long" if self._too_many_to_agree else ""

    @property
    def _sizes_of_studies(self) -> list[int]:
        return sorted({max(2, int(share * self._n)) for share in _SHARES})

    @property
    def agreement(self) -> pd.DataFrame:
        """See `Study.agreement`: winner, top 3 and order by mean ranks; a quarter to four times as many experiments."""
        return self._second_studies[0]

    @property
    def experiments_for(self) -> pd.DataFrame:
        """See `Study.experiments_for`: for an expected tau of `WANTED_TAU` between two orders; one row."""
        return self._second_studies[1]

    @cached_property
    def agreement_of_halves(self) -> pd.DataFrame:
        """The halves, called as in `agreement`: ``conclusion``, ``n``, ``estimate``."""
        names = {"best by mean rank": "winner", f"top {TOP} by mean rank": self._top}
        names["order by mean rank (tau-b)"] = "order"
        halves = self.halves[["conclusion", "n", "estimate"]]
        return halves.assign(conclusion=halves["conclusion"].map(names)).dropna(ignore_index=True)

    @cached_property
    def influence(self) -> pd.DataFrame:
        """See `Study.leave_one_out`."""
        columns = " ".join(["kernel nstar nstar_all best best_changed kendall_tau"])
        if not self._has_influence:
            return _empty(columns, "too many or too few experiments", self.study.generalize_over)
        return self.study.leave_one_out(self.configuration, self.kernels, self.alpha, self.delta)

    @cached_property
    def sensitivity(self) -> pd.DataFrame:
        """See `Study.sensitivity`."""
        columns = "setting value used kernel n_experiments n_alternatives nstar low high best note"
        if self._n > MOST_VARIED or self._k < 2:
            return _empty(columns, "too many experiments or a single alternative")
        return self.study.sensitivity(self.configuration, self.kernels, self.alpha, self.delta)

    @cached_property
    def curves(self) -> pd.DataFrame:
        """See `Study.curves`."""
        if not MIN_EXPERIMENTS <= self._n <= MOST_VARIED or self._k < 2:
            return _empty("kernel n estimate", "too many or too few experiments, or a single alternative")
        return self.study.curves(self.configuration, self.kernels, self.delta, alpha=self.alpha)

    def _rows_shown(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of the configuration that is shown in detail."""
        mine = np.ones(len(frame), dtype=bool)
        for name, level in self.configuration.items():
            mine &= (frame[name] == level).to_numpy(dtype=bool)
        return frame[mine]

    @property
    def main_tables(self) -> tuple[str, ...]:
        """Names of the tables that a paper wants."""
        return MAIN_TABLES

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return every table by its name, one fact per row."""
        return {name: getattr(self, name) for name in _TABLES}

    def to_dict(self) -> dict[str, Any]:
        """Return everything in types that JSON knows.

        Numbers are rounded to 12 significant digits; what is missing is None, what is infinite "inf" or "-inf"; dates
        and other objects are text.
        """
        return {
            "versions": versions(["genexpy_nb", "numpy", "pandas", "scipy", "statsmodels"]),
            "question": self.question,
            "sentences": self.sentences,
            "next_steps": self.next_steps,
            "agreement_in_words": self.agreement_in_words,
            "limits": self.limits,
            "left_out": self.left_out,
            "methods": self.methods,
            "warnings": [as_sentence(text) for text in self.study.warnings],
            "notes": [as_sentence(text) for text in self.study.notes],
            "configuration": {name: _as_json(level) for name, level in self.configuration.items()},
            "why_configuration": self.why_configuration,
            "parameters": {
                "alpha": self.alpha,
                "delta": self.delta,
                "level": self.level,
                "budget": self.budget,
                "missing": self.study.missing,
                "kernels": [kernel.name for kernel in self.kernels],
            },
            "tables": {
                name: [
                    {str(column): _as_json(value) for column, value in row.items()} for row in table.to_dict("records")
                ]
                for name, table in self.tables().items()
            },
        }


_TABLES = (
    *("data", "missing", "accounting", "ranking", "noise", "tiers", "pairs", "wins", "nstar", "extend"),
    *("agreement", "experiments_for", "halves", "influence", "sensitivity", "curves", "averaged", "design_effect"),
)


# --- words and values -------------------------------------------------------------------------------------------------


def _empty(columns: str, note: str, first: Iterable[str] = ()) -> pd.DataFrame:
    frame = pd.DataFrame({name: [] for name in [*first, *columns.split()]})
    frame.attrs["note"] = note
    return frame


def _as_json(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return None
        return float(round_significant(value)) if np.isfinite(value) else str(float(value))
    return None if value is None or value is pd.NA or value is pd.NaT else str(value)


def _with_interval(row: pd.Series, nominal: bool = False) -> str:
    """Return an agreement, its interval first: that is what counts."""
    estimate, low, high = (f"{round(float(row[name]), 2) + 0.0:.2f}" for name in ("estimate", "low", "high"))
    what = "nominal 95 % interval; " if nominal else ""
    if low == high:  # as they are rounded
        return f"{low} ({f'both ends of the {what}' if nominal else ''}estimate {estimate})"
    return f"between {low} and {high} ({what}estimate {estimate})"


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _more(n: int) -> str:
    return f"{n:,} more {'experiment' if n == 1 else 'experiments'}"


def _about(kernel: Kernel) -> str:
    """Return what a kernel asks, as the end of a sentence."""
    if isinstance(kernel, BordaKernel):
        return f"the position of {kernel.alternative}"
    if isinstance(kernel, JaccardKernel) and kernel.k > 1:
        return f"which alternatives are in the {kernel.k} best tiers"
    if isinstance(kernel, RBFKernel):
        return "the raw scores"
    if isinstance(kernel, JaccardKernel | MallowsKernel):
        return QUESTIONS[kernel.name].partition(" (")[0]
    return f"what the kernel {kernel.name} compares"


def _verdict(row: pd.Series) -> str:
    if np.isnan(row["nstar"]):
        return _NO_ANSWER
    return WORDS[row["verdict"]]


def _estimate(kernel: Kernel, row: pd.Series) -> str:
    """Return a question with its estimate, in one pair of brackets."""
    opened = f"{_about(kernel)} ("
    if np.isnan(row["nstar"]):
        return f"{opened}{row['note']})"
    interval = interval_text(row["low"], row["high"])
    if np.isinf(row["nstar"]):
        return f"{opened}n* infinite, {interval})"
    more = "" if row["verdict"] == "enough" else ", enough by the estimate only"
    if row["more"] > 0:
        more = f", {row['more']:,} more needed{'' if row['verdict'] == 'more needed' else ' by the estimate'}"
    return f"{opened}n* = {rounded(row['nstar'])}, {interval}{more})"
