"""How stable what a study says is: positions, wins, noise of runs, halves, experiments left out, and other settings.

Everything here looks at one configuration, with the study's direction and its policy for missing evaluations. Where
these are completed several times, answers are means over the completions, of n* geometric ones, as in `Study.nstar`.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.common.checks import TOLERANCE, check_count, check_level, check_number
from genexpy_nb.common.errors import ParameterError, StudyError, StudyWarning
from genexpy_nb.common.pooling import pool_intervals
from genexpy_nb.common.random import generator, seed_of, stream
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.discrepancy import signed_counts
from genexpy_nb.generalization.kernels import (
    BordaKernel,
    JaccardKernel,
    Kernel,
    MallowsKernel,
    RBFKernel,
    as_kernels,
)
from genexpy_nb.generalization.moments import (
    MIN_EXPERIMENTS,
    Evidence,
    have_two_results,
    kernel_moments,
    place_of_quantile,
    solve,
    squared_distances,
    third_moment,
)
from genexpy_nb.generalization.nstar import CURVE_ALPHAS, alphas_at, estimate_grid
from genexpy_nb.study.noise import SPREADS, complete_runs, matched_differences, spreads
from genexpy_nb.study.ranks import Conclusions, Configuration

#: The questions that are asked unless others are: is the best the same, is the order similar?
DEFAULT_KERNELS: tuple[Kernel, ...] = (JaccardKernel(k=1), MallowsKernel())

#: Tolerances with which `Stability.sensitivity` repeats the estimate.
DELTAS = (0.01, 0.02, 0.05, 0.1, 0.2)

#: Experiments up to which intervals of means are resampled; beyond, they are those of the t distribution.
MOST_RESAMPLED = 2000
_MOST_SCORES = 250_000  # up to which they are resampled: two seconds

#: How many alternatives are the top in `Stability.halves`.
TOP = 3

_TOP_NAME, _ORDER_NAME = f"top {TOP} by mean rank", "order by mean rank (tau-b)"
_MEASURES = {  # of the conclusions of `Stability.halves`
    "best by mean rank": "share of splits in which both halves agree",
    "best by mean score": "share of splits in which both halves agree",
    _TOP_NAME: "mean overlap",
    _ORDER_NAME: "mean of Kendall's tau-b",
}
_TIERS = (1, 2, 3, 5)  # k of the Jaccard kernel in `Stability.sensitivity`
_FACTORS = (0.5, 2.0)  # by which it multiplies the bandwidth of the other kernels
_LONGEST_CURVE = 200  # sizes of studies on a curve
_AHEAD = 1.3  # a curve ends beyond n*, that its crossing can be seen
_CHUNK = 4_000_000  # numbers held at once
_RESAMPLES, _FEWEST_RESAMPLES = 10_000, 1000  # of an interval of a mean, and of one completion's
_NOISE = (*SPREADS, "share_of_difference")


class Stability(Conclusions):
    """How stable the conclusions from one configuration of a study are."""

    design: list[str]
    generalize_over: list[str]
    average_over: list[str]
    alternatives_column: str
    target: str
    missing: str
    missing_policies: tuple[str, ...]
    warnings: list[str]

    @abstractmethod
    def results(self, configuration: Configuration | None, kernel: Kernel) -> pd.DataFrame:
        """Return what a kernel compares, shape (n_conditions, n_alternatives)."""

    @abstractmethod
    def nstar(
        self,
        kernels: Kernel | Iterable[Kernel],
        alpha: float = 0.95,
        delta: float | Sequence[float] = 0.05,
        method: str = "moments",
        *,
        configuration: Configuration | None = None,
    ) -> pd.DataFrame:
        """Estimate n*, a row per configuration and kernel."""

    @abstractmethod
    def runs(self, configuration: Configuration | None = None) -> pd.DataFrame:
        """Return the scores of single runs, before they are averaged, a row per score."""

    @abstractmethod
    def with_missing(self, missing: str) -> Self:
        """Return the same study with another policy for missing evaluations."""

    # --- who is where ------------------------------------------------------------------------------------------------

    def ranks(
        self,
        configuration: Configuration | None = None,
        level: float = 0.05,
        *,
        impute: bool = False,
        tests: bool = True,
    ) -> pd.DataFrame:
        """Return where each alternative stands, and where it may stand among all of them.

        Parameters
        ----------
        configuration : dict
            A level for each design factor, as in ``configurations``; empty for a study without design factors.
        level : float
            Of the tests behind ``low``, ``high`` and ``tier``, for all pairs together, in (0, 1); and 1 minus it is
            the confidence of each interval of a mean score, by itself.
        impute : bool
            What the tests and ``mean_score`` do where a score is missing: leave out (the tests the condition, the mean
            and its interval the score), or take the worst observed score of the condition, as if it had been observed:
            the interval of the mean then does not hold what the missing score leaves open. Under
            ``missing="complete"`` it does, by Rubin's rules.
        tests : bool
            Without them, ``low``, ``high``, ``tier`` and ``behind`` are missing: all pairs of many alternatives take
            long.

        Returns
        -------
        DataFrame, one row per alternative, best mean rank first
            Index: the alternative. ``mean_rank`` (1 = best; missing evaluations rank as in `rankings`), ``mean_score``
            and its interval over the experiments ``score_low``, ``score_high`` (missing of a single score),
            ``share_best`` (share of the experiments in which no other one is better; ties count for each of them),
            ``position`` by mean rank (1 = best, ties share the smallest), ``low`` and ``high``, between which all
            positions among the n_alternatives lie, ``tier`` (see `tiers`), and ``behind``, whether it is significantly
            worse than the first one. ``attrs["note"]`` says what was left out or imputed, ``attrs["level"]`` the level.
            Tiers rank the scores that the tests see: where some are missing, their leader can be another one.

        Raises
        ------
        StudyError
            If there are fewer than two alternatives, or two complete conditions of several.
        ParameterError
            If there is no such configuration, or the level is out of range.

        Notes
        -----
        The intervals of mean scores are those of `genexpy_nb.significance.mean_intervals` (``auto``: Student's up to 9
        experiments, then a studentized bootstrap, and Student's again where resampling takes long: beyond 2,000
        experiments, counted anew for each set of alternatives that lack the same scores, or 250,000 scores). Two that
        overlap say nothing about the difference, in which what makes experiments easy or hard cancels: that is what
        `pairs` is for.

        ``low`` is 1 + the number of alternatives that are significantly better, ``high`` is n_alternatives - the number
        of those that are significantly worse, by Wilcoxon's signed-rank test with Holm's correction over all pairs, the
        test behind `tiers` and `critical_difference`. If no pair is told apart falsely, or the wrong way round, all
        intervals hold all positions at once: that of an alternative among its equals is any of theirs. Where ranks and
        differences of scores disagree, the interval is widened until it holds the position by mean rank, too.

        How often they do, was measured at the level .05, with 4, 10 and 40 alternatives and 10, 20 and 40 experiments,
        in 900 to 1,000 simulated studies each (``benchmarks/bench_stability.py``; standard error .007). Where errors
        are symmetric, normal or with heavy tails (Student's t, 3 degrees of freedom): in 94 % to 100 % of the studies,
        with all alternatives alike, one leader, expected scores from a normal distribution, or half of them alike and
        scores that tie. Exponential scores with the same mean and standard deviations from 1 to 4 are not equal in the
        sense of the test: in 85 % to 92 %, in 85 % with 40 experiments (t-tests of scores: 86 % to 94 %). Ten
        experiments cannot tell any of ten alternatives apart, and all intervals are then as long as can be; t-tests of
        scores can, and held 94 % or more, too, but find less than Wilcoxon's test where tails are heavy. t-tests of the
        ranks within experiments held 91 % or more, and 27 % with unequal spreads.

        References
        ----------
        Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024: intervals of positions from simultaneous
        tests of all differences (theirs compare means, with a bootstrap of the largest difference).

        Examples
        --------
        >>> losses = pd.DataFrame({"model": ["tree", "constant"] * 8, "dataset": [i // 2 for i in range(16)]})
        >>> losses["log-loss"] = [0.3, 0.7] * 7 + [0.6, 0.7]
        >>> from genexpy_nb import Study
        >>> roles = {"alternatives": "model", "target": "log-loss", "generalize_over": "dataset"}
        >>> ranks = Study(losses, **roles, higher_is_better=False).ranks()
        >>> ranks[["mean_rank", "position", "low", "high", "tier"]].rename_axis(None)
                  mean_rank  position  low  high  tier
        tree            1.0         1    1     1     0
        constant        2.0         2    2     2     1
        """
        level = check_level("level", level)
        scores = self.scores(configuration, impute)
        if scores.shape[1] < 2:
            raise StudyError(f"at least two alternatives are needed, got shape {scores.shape}")
        tables = self._rankings(configuration)
        sums = _sums(tables)
        n_alternatives = len(sums)
        low, high = np.ones(n_alternatives, dtype=int), np.full(n_alternatives, n_alternatives)
        behind = np.zeros(n_alternatives, dtype=bool)
        tier, note = np.zeros(n_alternatives, dtype=int), "a single condition tells no alternatives apart"
        order = np.argsort(sums, kind="stable")
        if tests and len(scores) > 1:
            difference = self.critical_difference(configuration, level, impute=impute)
            p_values = difference.p_values.loc[scores.columns, scores.columns].to_numpy()
            tiers = self.tiers(configuration, level, impute=impute)
            place = pd.Series(np.arange(n_alternatives), tiers.index).loc[scores.columns].to_numpy()
            order = np.lexsort((place, sums))  # of equal mean ranks, that leads which leads a tier
            better, worse, behind = self._told_apart(configuration, p_values <= level, impute, int(order[0]))
            # ranks and differences of scores can disagree: what is shown is held by its own interval
            low = np.minimum(low + better, stats.rankdata(sums, "min").astype(int))
            high = np.maximum(high - worse, stats.rankdata(sums, "max").astype(int))
            tier = tiers["tier"].loc[scores.columns].to_numpy()
            note = difference.p_values.attrs["note"]
        mean_score, score_low, score_high = self._means_of_scores(configuration, impute, 1 - level)
        frame = pd.DataFrame(
            {
                "mean_rank": sums / (2 * len(scores) * len(tables)),
                "mean_score": mean_score,
                "score_low": score_low,
                "score_high": score_high,
                "share_best": np.mean([each.to_numpy() == 0 for each in tables], axis=(0, 1)),
                "position": stats.rankdata(sums, "min").astype(int),
                "low": low,
                "high": high,
                "tier": tier,
                "behind": behind,
            },
            index=scores.columns,
        )
        if not tests:
            frame[["low", "high", "tier", "behind"]], note = np.nan, ""
        frame = frame.iloc[order]
        frame.attrs = {"note": note, "level": level}
        return frame

    def _means_of_scores(
        self, configuration: Configuration | None, impute: bool, confidence: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the mean score of each alternative and its interval, each of shape (n_alternatives,)."""
        tables = self._scores(configuration, impute)
        n_resamples = max(_FEWEST_RESAMPLES, _RESAMPLES // len(tables))
        found = [_mean_intervals(each, confidence, n_resamples) for each in tables]
        means, low, high = (np.stack(parts) for parts in zip(*found, strict=True))
        return pool_intervals(means, low, high, confidence)

    def _told_apart(
        self, configuration: Configuration | None, significant: np.ndarray, impute: bool, leader: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Count for each alternative those significantly better, and worse; say which are worse than the leader."""
        from genexpy_nb.significance import paired_differences, signed_rank_direction

        tables = [each.dropna().to_numpy() for each in self._scores(configuration, impute)]
        sign = 1 if self.direction(configuration) else -1
        better, worse = (np.zeros(len(significant), dtype=int) for _ in range(2))
        behind = np.zeros(len(significant), dtype=bool)
        first, second = np.nonzero(np.triu(significant, 1))
        step = max(1, _CHUNK // max(1, len(tables[0])))
        for start in range(0, len(first), step):
            i, j = first[start : start + step], second[start : start + step]
            direction = np.sign(sum(sign * signed_rank_direction(paired_differences(each, i, j)) for each in tables))
            winner, loser = np.where(direction > 0, i, j), np.where(direction > 0, j, i)
            np.add.at(better, loser, direction != 0)
            np.add.at(worse, winner, direction != 0)
            behind[loser[(winner == leader) & (direction != 0)]] = True
        return better, worse, behind

    def _rankings(self, configuration: Configuration | None) -> list[pd.DataFrame]:
        """Return the rankings, or those of each completion."""
        if self.is_completed(configuration):
            return self.completions(configuration, of="rankings")
        return [self.rankings(configuration)]

    def _scores(self, configuration: Configuration | None, impute: bool) -> list[pd.DataFrame]:
        """Return the scores, or, where missing ones are to be imputed, those of each completion."""
        if impute and self.is_completed(configuration):
            return self.completions(configuration)
        return [self.scores(configuration, impute)]

    def _grams(self, configuration: Configuration | None, kernel: Kernel) -> list[np.ndarray]:
        """Return the Gram matrix, or that of each completion."""
        if self.is_completed(configuration):
            return [kernel.gram(each) for each in self.completions(configuration, of=kernel.on)]
        return [kernel.gram(self.results(configuration, kernel))]

    def _runs_of_experiments(self, configuration: Configuration | None) -> pd.DataFrame:
        """Return the scores of single runs of the experiments, a row per score."""
        return self.runs(configuration)

    def wins(self, configuration: Configuration | None = None, impute: bool = False) -> pd.DataFrame:
        """Count for each pair of alternatives in how many experiments one is better than the other.

        Parameters
        ----------
        configuration : dict
            See `ranks`.
        impute : bool
            Where a score of the pair is missing: leave out the experiment, or take what `scores` imputes.

        Returns
        -------
        DataFrame, one row per pair, in the order of the columns of `scores`
            ``a``, ``b``, ``n_conditions`` in which both have a score, ``wins``, ``ties`` and ``losses`` of a over b,
            and ``probability_of_improvement``, (wins + ties / 2) / n_conditions; missing where there is no condition.

        Raises
        ------
        StudyError
            If there are fewer than two alternatives.
        ParameterError
            If there is no such configuration.

        References
        ----------
        Agarwal et al., NeurIPS 2021, for the probability of improvement.

        Examples
        --------
        >>> from genexpy_nb import Study
        >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.6], "b": [0.8, 0.8, 0.5, 0.7]})
        >>> Study.from_wide(scores).wins().to_dict("records")[0]  # doctest: +NORMALIZE_WHITESPACE
        {'a': 'a', 'b': 'b', 'n_conditions': 4, 'wins': 2, 'ties': 1, 'losses': 1,
         'probability_of_improvement': 0.625}
        """
        scores = self.scores(configuration, impute)
        n_alternatives = scores.shape[1]
        if n_alternatives < 2:
            raise StudyError(f"at least two alternatives are needed, got shape {scores.shape}")
        tiers = rank_scores(scores, higher_is_better=self.direction(configuration))
        ranks = np.where(scores.isna(), np.nan, tiers)  # nothing compares with NaN
        wins, ties = (np.zeros((n_alternatives, n_alternatives), dtype=int) for _ in range(2))
        step = max(1, _CHUNK // n_alternatives**2)
        for start in range(0, len(ranks), step):
            part = ranks[start : start + step]
            wins += (part[:, :, None] < part[:, None, :]).sum(axis=0)
            ties += (part[:, :, None] == part[:, None, :]).sum(axis=0)
        i, j = np.triu_indices(n_alternatives, 1)
        won, tied, lost = wins[i, j], ties[i, j], wins[j, i]
        n_conditions = won + tied + lost
        improved = np.full(len(i), np.nan)
        np.divide(won + tied / 2, n_conditions, out=improved, where=n_conditions > 0)
        return pd.DataFrame(
            {
                "a": scores.columns[i],
                "b": scores.columns[j],
                "n_conditions": n_conditions,
                "wins": won,
                "ties": tied,
                "losses": lost,
                "probability_of_improvement": improved,
            }
        )

    # --- single runs -------------------------------------------------------------------------------------------------

    def noise(self, configuration: Configuration | None = None) -> pd.DataFrame:
        """Say how far single runs differ, over which the scores are averaged: seeds, folds and the like.

        Parameters
        ----------
        configuration : dict
            See `ranks`.

        Returns
        -------
        DataFrame, one row per alternative, best mean rank first
            Index: the alternative. ``n_experiments`` with a score; ``n_runs``, the scores of all its runs, and
            ``fewest_runs`` and ``most_runs`` of an experiment; ``sd_runs``, the standard deviation of single runs
            within an experiment, pooled over the experiments, and ``sd_conditions``, that of the means over the
            experiments, runs' noise in them included; ``share_of_variance`` of the mean score that is due to runs, and
            ``share_of_difference``, the same of the mean difference from the first alternative, in the runs that both
            have: there, what makes experiments easy or hard cancels. Both are in [0, 1]. What cannot be estimated, for
            lack of a second run or experiment, or because nothing varies, is missing. No rows where nothing was
            averaged.

            A run that has a score wherever the average has one could have been the whole study: ``attrs["n_runs"]``
            counts these, and ``attrs["n_same_best"]`` those of them in which the same alternatives have the best mean
            rank as in the average. Both are None if there are fewer than two, or if missing evaluations are completed;
            ``attrs["note"]`` says why. With several factors in ``average_over``, a run is a combination of their
            levels.

        Raises
        ------
        ParameterError
            If there is no such configuration.

        Notes
        -----
        With n_i runs in experiment i of N, the noise of runs in the mean of the N means has the variance
        ``sd_runs**2 * mean(1 / n_i) / N``, and the mean has ``sd_conditions**2 / N`` in all; the share is their ratio,
        at most 1. It takes runs for independent. Folds of one dataset share training data, and a seed may do the same
        to all experiments: the share is then too small.

        The share is rough with few experiments. In 2,000 simulated studies each (``benchmarks/bench_stability.py --part
        noise``; normal, independent, 3 to 10 runs), its median was at most .06 from the true .05, .2, .5 or .8. The
        middle four fifths of the estimates went, for a true share of .2, from .10 to .47 with 10 experiments, and from
        .13 to .30 with 30; for one of .5, from .25 to 1, and from .34 to .77.

        Examples
        --------
        >>> table = pd.DataFrame({"model": list("ab") * 8, "data": np.repeat(range(4), 4), "seed": [0, 0, 1, 1] * 4})
        >>> table["score"] = [3, 0, 5, 2, 6, 2, 4, 4, 9, 4, 7, 2, 8, 9, 9, 6]
        >>> from genexpy_nb import Study
        >>> study = Study(table, alternatives="model", target="score", generalize_over="data", average_over="seed")
        >>> noise = study.noise()
        >>> noise[["n_runs", "sd_runs", "sd_conditions", "share_of_variance"]].round(2).rename_axis(None)
           n_runs  sd_runs  sd_conditions  share_of_variance
        a       8     1.27           2.21               0.17
        b       8     1.62           2.75               0.17
        >>> noise.attrs["n_runs"], noise.attrs["n_same_best"]
        (2, 2)
        """
        tables = self._rankings(configuration)
        names = tables[0].columns
        if not self.average_over:
            frame = pd.DataFrame(columns=list(_NOISE), index=names[:0], dtype=float)
            frame.attrs = {"n_runs": None, "n_same_best": None, "note": "nothing was averaged"}
            return frame
        rows = self._runs_of_experiments(configuration)
        scores = rows[self.target].to_numpy(dtype=float)
        alternative = names.get_indexer(rows[self.alternatives_column])
        experiment = tables[0].index.get_indexer(_as_index(rows[self.generalize_over]))
        run, _ = _as_index(rows[self.average_over]).factorize()
        sums = _sums(tables)
        largest = np.zeros(len(names))
        np.maximum.at(largest, alternative, np.abs(scores))
        frame = spreads(scores, experiment, alternative, len(names), largest)
        first = int(np.argmin(sums))
        difference, there = matched_differences(scores, experiment, run, alternative, first)
        of_pairs = spreads(
            difference, experiment[there], alternative[there], len(names), np.maximum(largest, largest[first])
        )
        frame["share_of_difference"] = of_pairs["share_of_variance"]
        whole = complete_runs(scores, experiment, run, alternative, tables[0].shape)
        frame = frame.set_axis(names).iloc[np.argsort(sums, kind="stable")]
        frame.attrs = self._same_best(configuration, sums, whole)
        return frame

    def _same_best(
        self, configuration: Configuration | None, sums: np.ndarray, runs: Iterable[np.ndarray]
    ) -> dict[str, Any]:
        """Count the runs that alone have the same best alternatives by mean rank as the average."""
        nothing = {"n_runs": None, "n_same_best": None}
        if self.is_completed(configuration):
            return nothing | {"note": "evaluations are missing, and no single run is completed"}
        best = sums == sums.min()
        same = []
        for table in runs:
            ranks = pd.DataFrame(rank_scores(table, higher_is_better=self.direction(configuration)))
            of_run = _sums([ranks])
            same.append(bool(((of_run == of_run.min()) == best).all()))
        if len(same) < 2:
            return nothing | {"note": "fewer than two runs have a score wherever the average has one"}
        return {"n_runs": len(same), "n_same_best": sum(same), "note": ""}

    # --- other experiments -------------------------------------------------------------------------------------------

    def halves(
        self, configuration: Configuration | None = None, n_splits: int = 1000, rng: np.random.Generator | int = 0
    ) -> pd.DataFrame:
        """Split the experiments into halves, again and again: do both draw the same conclusions?

        Parameters
        ----------
        configuration : dict
            See `ranks`.
        n_splits : int
            How many random splits, >= 1; all possible ones if there are no more. Where missing evaluations are
            completed several times, each completion has its share of them.
        rng : numpy.random.Generator or int
            Source of randomness, or its seed.

        Returns
        -------
        DataFrame, one row per conclusion
            ``conclusion``; ``n``, the experiments in each half, N // 2 (with an odd N, one is left out of each split);
            ``n_splits``; ``estimate``, the mean over the splits of what ``measure`` says; ``low`` and ``high``, always
            missing; ``note``. The best are all alternatives that share the best mean, and count as the same if all of
            them are. The top 3, of more than three alternatives, are those with fewer than three better ones; their
            overlap is the number in both halves over that in the larger top. An order without any difference agrees
            with none: tau is then 0, and missing if there is none in any half. The same experiments in another order
            are split otherwise, so that the estimate is another one as far as chance goes.

        Raises
        ------
        StudyError
            If there are fewer than two experiments or alternatives.
        ParameterError
            If there is no such configuration, or ``n_splits`` or ``rng`` does not fit.

        Notes
        -----
        Two disjoint halves are two studies of N // 2 experiments each, so that the estimate is unbiased for such
        studies. Larger studies agree more often: `Study.agreement` estimates how much more, with an interval. The
        splits share their experiments, and the estimate is noisy however many there are. Measured on 200 studies of 30
        experiments in each of twelve worlds (``benchmarks/bench_stability.py --part halves``: 4, 10 and 40
        alternatives): the share of the same winner was off by -.045 to +.039 on average (standard error up to .025),
        and its root mean square error was .08 to .35; tau was off by -.015 to +.020 (up to .023), and by .03 to .32.
        There is no interval here; that of `Study.agreement` is long for the winner, as it has to be.

        Examples
        --------
        >>> from genexpy_nb import Study
        >>> scores = pd.DataFrame({"a": [9, 8, 6, 7], "b": [4, 3, 2, 9], "c": [0, 1, 1, 0]})
        >>> Study.from_wide(scores).halves()[["conclusion", "n", "n_splits", "estimate"]].round(3)
                           conclusion  n  n_splits  estimate
        0           best by mean rank  2         3     0.000
        1          best by mean score  2         3     1.000
        2  order by mean rank (tau-b)  2         3     0.816
        """
        n_splits, seed = check_count("n_splits", n_splits), seed_of(rng)
        scores = self._scores(configuration, impute=True)
        if min(scores[0].shape) < 2:
            raise StudyError(f"at least two experiments and alternatives are needed, got shape {scores[0].shape}")
        sign = 1 if self.direction(configuration) else -1
        each = -(-n_splits // len(scores))
        agreements = [
            _agreements(_doubled_ranks(ranking), sign * score.to_numpy(), each, stream(seed, number))
            for number, (ranking, score) in enumerate(zip(self._rankings(configuration), scores, strict=True))
        ]
        n = len(scores[0]) // 2
        experiments = "experiment" if n == 1 else "experiments"
        note = f"unbiased for two studies of {n} {experiments} each, noisy"
        return pd.DataFrame(
            [
                {
                    "conclusion": name,
                    "measure": _MEASURES[name],
                    "n": n,
                    "n_splits": sum(len(found[name]) for found in agreements),
                    "estimate": np.mean(np.concatenate([found[name] for found in agreements])),
                }
                for name in agreements[0]
            ]
        ).assign(low=np.nan, high=np.nan, note=note)

    def leave_one_out(
        self,
        configuration: Configuration | None = None,
        kernels: Kernel | Iterable[Kernel] = DEFAULT_KERNELS,
        alpha: float = 0.95,
        delta: float = 0.05,
    ) -> pd.DataFrame:
        """Repeat the analysis without each experiment in turn.

        What changes is the influence of an experiment on this study's numbers. It is no sign of an error in it, nor of
        its importance elsewhere: of the experiments of a good study, some have more influence than others.

        Parameters
        ----------
        configuration : dict
            See `ranks`.
        kernels : kernel or list of kernels
            The research questions.
        alpha, delta : float
            See `Study.nstar`.

        Returns
        -------
        DataFrame, one row per experiment and kernel
            The columns of ``generalize_over`` (one that is named as a column below ends in an underscore); ``kernel``;
            ``nstar``, without the experiment, and ``nstar_all``, both missing where it cannot be estimated; ``best``
            without it, the names of those with the best mean rank, ``best_changed``, whether they are others than with
            all; ``kendall_tau``, tau-b between the mean ranks without it and with all, missing if either has no order.
            Sorted by how much log n* changes, most first.

        Raises
        ------
        StudyError
            If there are fewer than two experiments.
        ParameterError
            As `Study.nstar`.

        Examples
        --------
        >>> from genexpy_nb import Study
        >>> scores = pd.DataFrame({"a": [3, 3, 3, 3, 3, 1], "b": [2.0] * 6, "c": [1, 1, 1, 1, 1, 3]})
        >>> left = Study.from_wide(scores).leave_one_out(kernels=MallowsKernel())
        >>> left[["experiment", "nstar", "nstar_all", "best_changed"]].head(2).round(2)
           experiment  nstar  nstar_all  best_changed
        0           5   1.00       7.69         False
        1           0   8.51       7.69         False
        """
        kernels = as_kernels(kernels)
        alpha, delta = check_level("alpha", alpha), check_number("delta", delta, 0)
        tables = self._rankings(configuration)
        rankings, n = tables[0], len(tables[0])
        if n < 2:
            raise StudyError(f"leaving one out needs at least two experiments, got {n}")
        everything = _sums(tables)
        without = everything - np.sum([_doubled_ranks(each) for each in tables], axis=0)
        best = without == without.min(axis=1, keepdims=True)
        changed = (best != (everything == everything.min())).any(axis=1)
        names = [", ".join(map(str, rankings.columns[row])) for row in best]
        tau = kendall_taus(without, np.broadcast_to(everything, without.shape))
        parts = []
        for kernel in kernels:
            of_all, left = self._nstar_without_each(configuration, kernel, alpha, delta)
            columns = {
                "kernel": kernel.name,
                "nstar": left,
                "nstar_all": of_all,
                "best": names,
                "best_changed": changed,
                "kendall_tau": tau,
            }
            experiments = rankings.index.to_frame(index=False)
            experiments.columns = [f"{name}_" if name in columns else name for name in experiments]
            parts.append(experiments.assign(**columns))
        frame = pd.concat(parts, ignore_index=True)
        change = np.abs(np.log(frame["nstar"] / frame["nstar_all"]))
        return frame.iloc[np.argsort(-change.to_numpy(), kind="stable")].reset_index(drop=True)

    def _nstar_without_each(
        self, configuration: Configuration | None, kernel: Kernel, alpha: float, delta: float
    ) -> tuple[float, np.ndarray]:
        """Return n* of all experiments, and without each one, shape (n_experiments,); NaN where there is none."""
        n = len(self.rankings(configuration))
        left = np.full(n, np.nan)
        if n < MIN_EXPERIMENTS:
            return np.nan, left
        row = self.nstar([kernel], alpha, delta, configuration=configuration).iloc[0]
        if n == MIN_EXPERIMENTS or np.isnan(row["nstar"]):
            return float(row["nstar"]), left
        of_each = [_without_each(gram, alpha, float(row["epsilon"])) for gram in self._grams(configuration, kernel)]
        return float(row["nstar"]), _geometric_mean(of_each)

    # --- other settings, other sizes ---------------------------------------------------------------------------------

    def sensitivity(
        self,
        configuration: Configuration | None = None,
        kernels: Kernel | Iterable[Kernel] = DEFAULT_KERNELS,
        alpha: float = 0.95,
        delta: float = 0.05,
    ) -> pd.DataFrame:
        """Repeat the estimate of n* with other settings that could have been chosen as well.

        Parameters
        ----------
        configuration : dict
            See `ranks`.
        kernels : kernel or list of kernels
            The research questions.
        alpha, delta : float
            See `Study.nstar`.

        Returns
        -------
        DataFrame, one row per setting and kernel
            ``setting`` (``missing``, ``delta`` or ``kernel``, a parameter of it), its ``value`` as text, ``used``
            (whether it is the one asked for), ``kernel``, ``n_experiments``, ``n_alternatives``, ``nstar``, ``low``,
            ``high`` (as of `Study.nstar`), ``best`` (those with the best mean rank), and ``note``, which says why there
            is no estimate. A policy that leaves out the configuration has no numbers.

        Raises
        ------
        ParameterError, StudyError
            As `Study.nstar`.

        Examples
        --------
        >>> from genexpy_nb import Study
        >>> scores = pd.DataFrame(np.random.default_rng(0).normal([2, 1, 0], 1, (20, 3)), columns=list("abc"))
        >>> settings = Study.from_wide(scores).sensitivity(kernels=MallowsKernel())
        >>> settings[["setting", "value", "used", "nstar"]].round(1).head(3)
          setting value   used  nstar
        0   delta  0.01  False   42.3
        1   delta  0.02  False   21.4
        2   delta  0.05   True    8.9
        """
        kernels = as_kernels(kernels)
        alpha, delta = check_level("alpha", alpha), check_number("delta", delta, 0)
        aside = copy(self)  # doubts about settings that nobody chose are none about the study
        aside.warnings = list(self.warnings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StudyWarning)
            return pd.DataFrame(aside._settings(configuration, kernels, alpha, delta))

    def _settings(
        self, configuration: Configuration | None, kernels: list[Kernel], alpha: float, delta: float
    ) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        if self.condition_scores(configuration).isna().to_numpy().any():
            for policy in self.missing_policies:
                rows += self._with_policy(policy, configuration, kernels, alpha, delta)
        rows += self._with_deltas(configuration, kernels, alpha, delta)
        for kernel in kernels:
            for value, other, used in self._variants(configuration, kernel):
                rows += self._estimates("kernel", value, used, configuration, [other], alpha, delta)
        return rows

    def _with_policy(
        self, policy: str, configuration: Configuration | None, kernels: list[Kernel], alpha: float, delta: float
    ) -> list[dict[str, Any]]:
        try:
            study = self if policy == self.missing else self.with_missing(policy)
            return study._estimates("missing", policy, policy == self.missing, configuration, kernels, alpha, delta)
        except (StudyError, ParameterError) as error:  # the policy leaves nothing, or not this configuration
            return [
                _no_estimate("missing", policy, policy == self.missing, kernel, 0, 0, "", str(error))
                for kernel in kernels
            ]

    def _estimates(
        self,
        setting: str,
        value: str,
        used: bool,
        configuration: Configuration | None,
        kernels: list[Kernel],
        alpha: float,
        delta: float,
    ) -> list[dict[str, Any]]:
        size, best = self._size_and_best(configuration)
        rows = []
        for kernel in kernels:
            row = _no_estimate(setting, value, used, kernel, *size, best, "")
            try:
                found = self.nstar([kernel], alpha, delta, configuration=configuration).iloc[0]
                row |= {name: found[name] for name in ("nstar", "low", "high", "note")}
            except (StudyError, ParameterError) as error:
                row["note"] = str(error)
            rows.append(row)
        return rows

    def _size_and_best(self, configuration: Configuration | None) -> tuple[tuple[int, int], str]:
        tables = self._rankings(configuration)
        sums = _sums(tables)
        n_experiments, n_alternatives = tables[0].shape
        return (n_experiments, n_alternatives), ", ".join(map(str, tables[0].columns[sums == sums.min()]))

    def _with_deltas(
        self, configuration: Configuration | None, kernels: list[Kernel], alpha: float, delta: float
    ) -> list[dict[str, Any]]:
        """Return the estimates with other tolerances, for which each Gram matrix is computed once."""
        size, best = self._size_and_best(configuration)
        deltas = sorted({*DELTAS, delta})
        rows = []
        for kernel in kernels:
            try:
                found = self.nstar([kernel], alpha, deltas, configuration=configuration)
            except (StudyError, ParameterError) as error:
                nothing = {"nstar": np.nan, "low": np.nan, "high": np.nan, "note": str(error)}
                found = pd.DataFrame([nothing] * len(deltas))
            for value, row in zip(deltas, found.to_dict("records"), strict=True):
                filled = _no_estimate("delta", f"{value:g}", value == delta, kernel, *size, best, "")
                rows.append(filled | {name: row[name] for name in ("nstar", "low", "high", "note")})
        return rows

    def _variants(self, configuration: Configuration | None, kernel: Kernel) -> Iterator[tuple[str, Kernel, bool]]:
        """Yield the settings of a kernel that could have been chosen as well, and its own: text, kernel, own or not."""
        rankings = self.rankings(configuration)
        n_alternatives = rankings.shape[1]
        if isinstance(kernel, JaccardKernel):
            most = int(rankings.to_numpy().max())  # with more tiers, the top is everybody in all experiments
            for k in sorted({*(k for k in _TIERS if k <= most), kernel.k}):
                yield f"k = {k}", replace(kernel, k=k), k == kernel.k
        elif isinstance(kernel, BordaKernel):
            sums = _sums(self._rankings(configuration))
            leading = rankings.columns[np.argsort(sums, kind="stable")[:TOP]].tolist()
            for name in dict.fromkeys([kernel.alternative, *leading]):
                yield f"alternative = {name}", replace(kernel, alternative=name), name == kernel.alternative
            yield from _bandwidths(kernel, "nu", 1 / n_alternatives)
        elif isinstance(kernel, MallowsKernel) and n_alternatives > 1:
            yield from _bandwidths(kernel, "nu", 1 / comb(n_alternatives, 2))
        elif isinstance(kernel, RBFKernel):
            yield from _bandwidths(kernel, "gamma", 1 / n_alternatives)

    def curves(
        self,
        configuration: Configuration | None = None,
        kernels: Kernel | Iterable[Kernel] = DEFAULT_KERNELS,
        delta: float = 0.05,
        n: Sequence[int] | None = None,
        *,
        alpha: float = 0.95,
    ) -> pd.DataFrame:
        """Estimate how generalizable studies of other sizes are.

        Parameters
        ----------
        configuration : dict
            See `ranks`.
        kernels : kernel or list of kernels
            The research questions.
        delta : float
            See `Study.nstar`.
        n : list of int, optional
            Sizes of studies, >= 1. By default up to 200 sizes from 2 to the larger of 2 N and 1.3 n*.
        alpha : float
            Wanted generalizability, for the default sizes only.

        Returns
        -------
        DataFrame, one row per kernel and size
            ``kernel``, ``n``, ``estimate``: n-Gen, the probability that two studies of n experiments are similar, in
            [0, 1]. Kernels without an estimate have no rows.

        Raises
        ------
        ParameterError, StudyError
            As `Study.nstar`.

        Notes
        -----
        It is the estimate of n* by moments, turned round: the largest alpha whose n* is not above n. So the curve
        reaches alpha at n*. Between 400 values of alpha from .0005 to .9995 it is a line, and beyond them it stays.

        Examples
        --------
        >>> from genexpy_nb import Study
        >>> scores = pd.DataFrame(np.random.default_rng(0).normal([2, 1, 0], 1, (20, 3)))
        >>> Study.from_wide(scores).curves(kernels=MallowsKernel(), n=[5, 10, 15, 20]).round(2)
            kernel   n  estimate
        0  Mallows   5      0.77
        1  Mallows  10      0.97
        2  Mallows  15      1.00
        3  Mallows  20      1.00
        """
        kernels = as_kernels(kernels)
        alpha, delta = check_level("alpha", alpha), check_number("delta", delta, 0)
        asked = None if n is None else np.array([check_count("n", size) for size in n], dtype=float)
        parts = [pd.DataFrame({"kernel": [], "n": [], "estimate": []}).astype({"kernel": str, "n": int})]
        for kernel in kernels:
            row = self.nstar([kernel], alpha, delta, configuration=configuration).iloc[0]
            if np.isnan(row["nstar"]):
                continue
            grams = self._grams(configuration, kernel)
            sizes = _sizes(row["n_experiments"], row["nstar"]) if asked is None else asked
            estimate = _generalizabilities(grams, sizes, float(row["epsilon"]))
            parts.append(pd.DataFrame({"kernel": kernel.name, "n": sizes.astype(int), "estimate": estimate}))
        return pd.concat(parts[1:] or parts, ignore_index=True)


def study_splits(n_experiments: int, n_splits: int, rng: np.random.Generator | int = 0) -> Iterator[np.ndarray]:
    """Split experiments into two halves of the same size: all splits if there are no more than asked for,
    else random.
    """
    n, rest = divmod(check_count("n_experiments", n_experiments, 2), 2)
    step = max(1, _CHUNK // n_experiments)
    if comb(2 * n, n) // 2 * (n_experiments if rest else 1) <= n_splits:
        yield np.array(list(_all_splits(n_experiments)))
        return
    draw = generator(rng)
    for start in range(0, n_splits, step):
        yield signed_counts(n_experiments, n, min(step, n_splits - start), draw)


def _all_splits(n_experiments: int) -> Iterator[np.ndarray]:
    """Yield each split once: of both halves, the one with the first experiment counts as the first."""
    n = n_experiments // 2
    for chosen in combinations(range(n_experiments), 2 * n):
        for half in combinations(chosen[1:], n - 1):
            signs = np.zeros(n_experiments)
            signs[list(chosen)] = -1
            signs[[chosen[0], *half]] = 1
            yield signs


def kendall_taus(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return Kendall's tau-b between the rows of two arrays, NaN where one row has no order."""
    p_value = "asymptotic" if first.shape[1] > 2 else "exact"  # the quickest: only the statistic is used
    return np.array(
        [
            stats.kendalltau(a, b, method=p_value).statistic if np.ptp(a) and np.ptp(b) else np.nan
            for a, b in zip(first, second, strict=True)
        ]
    )


def _mean_intervals(
    scores: pd.DataFrame, confidence: float, n_resamples: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean of each column's scores, and its interval; columns that lack the same scores are one table."""
    from genexpy_nb.significance import mean_intervals

    values = scores.to_numpy(dtype=float)
    known = ~np.isnan(values)
    means, low, high = scores.mean().to_numpy(), *(np.full(values.shape[1], np.nan) for _ in range(2))
    patterns, of = np.unique(known, axis=1, return_inverse=True)
    long = len(values) * patterns.shape[1] > MOST_RESAMPLED or values.size > _MOST_SCORES
    for number in range(patterns.shape[1]):
        rows, columns = patterns[:, number], np.flatnonzero(of.ravel() == number)
        n = int(rows.sum())
        if n < 2:
            continue
        table = np.column_stack([values[np.ix_(rows, columns)], np.zeros(n)])  # a table has at least two columns
        interval = "t" if long else "auto"
        found = mean_intervals(table, interval=interval, n_resamples=n_resamples, confidence=confidence)
        low[columns], high[columns] = found["low"].to_numpy()[:-1], found["high"].to_numpy()[:-1]
    return means, low, high


def _as_index(columns: pd.DataFrame) -> pd.Index:
    """Return one column as an index, several as one of several levels."""
    return pd.Index(columns.iloc[:, 0]) if columns.shape[1] == 1 else pd.MultiIndex.from_frame(columns)


def _doubled_ranks(rankings: pd.DataFrame) -> np.ndarray:
    """Return twice the average ranks within each condition, as integers, so that sums of them tie exactly."""
    return np.rint(2 * stats.rankdata(rankings.to_numpy(), axis=1)).astype(np.int64)


def _sums(tables: Sequence[pd.DataFrame]) -> np.ndarray:
    """Return the doubled rank sums of alternatives, over all completions, shape (n_alternatives,)."""
    return np.sum([_doubled_ranks(each).sum(axis=0) for each in tables], axis=0)


def _agreements(
    doubled: np.ndarray, gains: np.ndarray, n_splits: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return for each conclusion of `Stability.halves` how far two halves agree, shape (n_splits,)."""
    # Differences of means up to this are rounding.
    nothing = 1e-12 * len(gains) * max(np.abs(gains).max(), np.finfo(float).tiny)
    found: dict[str, list[np.ndarray]] = {name: [] for name in _MEASURES}
    ordered = False
    for counts in study_splits(len(doubled), n_splits, rng):
        halves = (counts > 0).astype(float), (counts < 0).astype(float)
        ranks = [np.rint(half @ doubled).astype(np.int64) for half in halves]
        means = [half @ gains for half in halves]
        best = [sums == sums.min(axis=1, keepdims=True) for sums in ranks]
        highest = [sums >= sums.max(axis=1, keepdims=True) - nothing for sums in means]
        found["best by mean rank"].append((best[0] == best[1]).all(axis=1))
        found["best by mean score"].append((highest[0] == highest[1]).all(axis=1))
        if doubled.shape[1] > TOP:
            found[_TOP_NAME].append(_overlap(*map(_top, ranks)))
        found[_ORDER_NAME].append(kendall_taus(*ranks))
        ordered = ordered or bool(np.ptp(np.stack(ranks), axis=-1).any())
    joint = {name: np.concatenate(parts).astype(float) for name, parts in found.items() if parts}
    joint[_ORDER_NAME] = np.nan_to_num(joint[_ORDER_NAME]) if ordered else np.full(len(joint[_ORDER_NAME]), np.nan)
    return joint


def _top(sums: np.ndarray) -> np.ndarray:
    """Say which alternatives have fewer than `TOP` better ones, shape (n_splits, n_alternatives)."""
    return sums <= np.partition(sums, TOP - 1, axis=1)[:, [TOP - 1]]


def _overlap(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return (first & second).sum(axis=1) / np.maximum(first.sum(axis=1), second.sum(axis=1))


def _without_each(gram: np.ndarray, alpha: float, epsilon: float) -> np.ndarray:
    """Return n* without each of the experiments, shape (n_experiments,): as `Study.nstar`, without the intervals."""
    n, alphas = len(gram), np.array([alpha])
    everything = squared_distances(gram)
    moments = kernel_moments(everything, delete_one=True)[1:, None]
    scale = np.diagonal(gram).max()
    place = place_of_quantile(alphas, comb(n - 1, 2))
    left = np.empty(n)
    step = max(1, _CHUNK // n**2)
    for start in range(0, n, step):
        out = np.arange(start, min(start + step, n))
        kept = np.array([np.delete(np.arange(n), i) for i in out])
        distances = everything[kept[:, :, None], kept[:, None, :]]
        pairs = np.partition(distances[:, *np.triu_indices(n - 1, 1)], place, axis=1)
        seen = Evidence(
            n_experiments=n - 1,
            scale=np.full(len(out), scale),
            farthest=distances.max(axis=(-1, -2)),
            moments=moments[out],
            third=third_moment(distances),
            correction=np.zeros((len(out), 1)),
            pair=pairs[:, place],
            two=have_two_results(distances, np.full(len(out), TOLERANCE * scale)),
            n_of_one=np.zeros(len(out), dtype=int),  # for the interval, which nobody asks for
            errors=None,
        )
        left[out] = solve(seen, alphas, np.full((len(out), 1), epsilon))[:, 0, 0, 0]
    return left


def _geometric_mean(nstar: Sequence[np.ndarray]) -> np.ndarray:
    """Return what `Study.nstar` makes of the estimates from several completions."""
    return nstar[0] if len(nstar) == 1 else np.exp(np.mean(np.log(nstar), axis=0))


def _no_estimate(
    setting: str, value: str, used: bool, kernel: Kernel, n_experiments: int, n_alternatives: int, best: str, note: str
) -> dict[str, Any]:
    return {
        "setting": setting,
        "value": value,
        "used": used,
        "kernel": kernel.name,
        "n_experiments": n_experiments,
        "n_alternatives": n_alternatives,
        "nstar": np.nan,
        "low": np.nan,
        "high": np.nan,
        "best": best,
        "note": note,
    }


def _bandwidths(kernel: Any, parameter: str, default: float) -> Iterator[tuple[str, Kernel, bool]]:
    own = getattr(kernel, parameter)
    value = default if own is None else own
    yield f"{parameter} = {value:.3g}", kernel, True
    for factor in _FACTORS:
        yield f"{parameter} x {factor:g}", replace(kernel, **{parameter: value * factor}), False


def _sizes(n_experiments: int, nstar: float) -> np.ndarray:
    """Return the sizes of a curve: all of them where they are few, else denser where it rises."""
    last = max(2 * n_experiments, int(np.ceil(_AHEAD * nstar)) if np.isfinite(nstar) else 0)
    known = [size for size in (n_experiments, np.ceil(nstar)) if 2 <= size <= last]
    spaced = np.rint(np.geomspace(2, last, _LONGEST_CURVE - len(known)))
    sizes = np.arange(2, last + 1) if last <= _LONGEST_CURVE else np.union1d(spaced, known)
    return sizes.astype(float)


def _generalizabilities(grams: list[np.ndarray], sizes: np.ndarray, epsilon: float) -> np.ndarray:
    """Return for each size the largest alpha whose n* is not above it, shape (n_sizes,)."""
    solved = estimate_grid(grams, CURVE_ALPHAS, [np.array([epsilon])] * len(grams), "moments", 0, 0)
    return alphas_at(_geometric_mean([each[:, 0, 0] for each in solved]), CURVE_ALPHAS, sizes)
