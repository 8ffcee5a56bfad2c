"""What the tests say of a study: which of its alternatives differ, which is best, and which cannot be told apart.

The functions of `genexpy_nb.significance` take bare scores, and have to be told the direction. A study knows it.

Tests on ranks see the rankings of the study, in which a missing evaluation shares the worst rank. Tests on differences
of scores have no difference where a score is missing: they leave such conditions out and say how many, or take the
worst score of the condition instead, if asked to. Under ``missing="complete"`` all tests see the completions of the
study, and their answers are combined (see `genexpy_nb.significance.completions`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from genexpy_nb.common.checks import check_choice, check_level
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import generator

if TYPE_CHECKING:  # it brings statsmodels, which takes long to load; methods import it when they are called
    from genexpy_nb.significance import Best, Friedman
    from genexpy_nb.significance.completions import PairTests

_TESTS = ("wilcoxon", "conover-iman")

Configuration = Mapping[str, Any]


class CriticalDifference(NamedTuple):
    """What `genexpy_nb.plots.significance.critical_difference_diagram` draws, in the order of its parameters."""

    mean_ranks: pd.Series
    p_values: pd.DataFrame
    level: float

    @property
    def critical_distance(self) -> float | None:
        """How far apart two mean ranks must be to differ; None for tests that have no such distance."""
        return self.p_values.attrs.get("critical_distance")


class Conclusions(ABC):
    """Tests of one configuration of a study, with the study's direction and its policy for missing evaluations."""

    _tested: dict[tuple, PairTests]

    @abstractmethod
    def direction(self, configuration: Configuration | None = None) -> bool:
        """Return whether higher scores are better."""

    @abstractmethod
    def scores(self, configuration: Configuration | None = None, impute: bool = False) -> pd.DataFrame:
        """Return scores, shape (n_conditions, n_alternatives)."""

    @abstractmethod
    def rankings(self, configuration: Configuration | None = None) -> pd.DataFrame:
        """Return dense tiers, 0 = best, shape (n_conditions, n_alternatives)."""

    @abstractmethod
    def is_completed(self, configuration: Configuration | None = None) -> bool:
        """Return whether the answers on a configuration are combined from several completions."""

    @abstractmethod
    def completions(self, configuration: Configuration | None = None, *, of: str = "scores") -> list[pd.DataFrame]:
        """Return scores or rankings without missing ones, several times."""

    def condition_scores(self, configuration: Configuration | None = None) -> pd.DataFrame:
        """Return scores before clusters are averaged, of a study that has some; else those of `scores`."""
        return self.scores(configuration)

    def friedman(self, configuration: Configuration | None = None) -> Friedman:
        """Test whether all alternatives perform alike, by the rankings of a configuration.

        Parameters
        ----------
        configuration : dict
            A level for each design factor, as in ``configurations``; empty for a study without design factors.

        Returns
        -------
        genexpy_nb.significance.Friedman
            Missing evaluations share the worst rank or are completed, by the policy of the study; its ``note`` says how
            many there are.

        Raises
        ------
        StudyError
            If there are fewer than two conditions or alternatives.
        ParameterError
            If there is no such configuration.

        Examples
        --------
        >>> losses = pd.DataFrame({"model": list("abc") * 4, "dataset": [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3})
        >>> losses["log-loss"] = [0.1, 0.4, 0.7, 0.2, 0.5, 0.7, 0.3, 0.2, 0.7, 0.4, 0.5, 0.7]
        >>> from genexpy_nb import Study
        >>> roles = {"alternatives": "model", "target": "log-loss", "generalize_over": "dataset"}
        >>> Study(losses, **roles, higher_is_better=False).friedman().mean_ranks.to_dict()
        {'a': 1.25, 'b': 1.75, 'c': 3.0}
        """
        from genexpy_nb.significance import friedman
        from genexpy_nb.significance.completions import friedman_of_completions

        if self.is_completed(configuration):
            result = friedman_of_completions(self.completions(configuration, of="rankings"), higher_is_better=False)
        else:
            result = friedman(self.rankings(configuration), higher_is_better=False)
        return replace(result, note=_in_one_note(result.note, self._absent(configuration)))

    def best(self, configuration: Configuration | None = None, level: float = 0.05, adjust: str = "none") -> Best:
        """Find the best alternative of a configuration, and say whether it is significantly better than every other.

        Parameters
        ----------
        configuration : dict
            See `friedman`.
        level, adjust
            See `genexpy_nb.significance.best_alternative`.

        Returns
        -------
        genexpy_nb.significance.Best
            From the rankings: missing evaluations share the worst rank, or are completed, by the policy of the study;
            its ``note`` says how many there are.

        Raises
        ------
        StudyError, ParameterError
            As `friedman`.

        Examples
        --------
        The constant predictor has the highest log-loss, and so is the worst:

        >>> losses = pd.DataFrame({"model": ["tree", "constant"] * 8, "dataset": [i // 2 for i in range(16)]})
        >>> losses["log-loss"] = [0.3, 0.7] * 7 + [0.9, 0.7]
        >>> from genexpy_nb import Study
        >>> roles = {"alternatives": "model", "target": "log-loss", "generalize_over": "dataset"}
        >>> Study(losses, **roles, higher_is_better=False).best().best
        ('tree',)
        """
        from genexpy_nb.significance import best_alternative
        from genexpy_nb.significance.completions import best_of_completions

        if self.is_completed(configuration):
            tables = self.completions(configuration, of="rankings")
            best = best_of_completions(tables, level, adjust, higher_is_better=False)
        else:
            best = best_alternative(self.rankings(configuration), level=level, adjust=adjust, higher_is_better=False)
        return replace(best, note=_in_one_note(best.note, self._absent(configuration)))

    def pairs(
        self, configuration: Configuration | None = None, *, impute: bool = False, **options: Any
    ) -> pd.DataFrame:
        """Compare all pairs of alternatives of a configuration by their scores, with effect sizes and intervals.

        Parameters
        ----------
        configuration : dict
            See `friedman`.
        impute : bool
            What becomes of conditions in which a score is missing: left out, or completed by the worst observed score
            of the condition. ``attrs["notes"]`` says how many. Under ``missing="complete"`` they are drawn in any case.
        **options
            Of `genexpy_nb.significance.compare_pairs`, such as ``rng`` and ``confidence``.

        Returns
        -------
        DataFrame, one row per pair
            See `genexpy_nb.significance.compare_pairs`.

        Raises
        ------
        StudyError
            If there are fewer than two complete conditions, or two alternatives.
        ParameterError
            If there is no such configuration, or an option does not fit. The direction is the study's.

        Examples
        --------
        >>> losses = pd.DataFrame({"model": ["tree", "constant"] * 8, "dataset": [i // 2 for i in range(16)]})
        >>> losses["log-loss"] = [0.3, 0.7] * 7 + [0.9, 0.7]
        >>> from genexpy_nb import Study
        >>> roles = {"alternatives": "model", "target": "log-loss", "generalize_over": "dataset"}
        >>> pairs = Study(losses, **roles, higher_is_better=False).pairs()
        >>> pairs[["a", "b", "estimate", "probability_of_improvement"]]
                  a     b  estimate  probability_of_improvement
        0  constant  tree     0.325                       0.125
        """
        from genexpy_nb.significance import compare_pairs
        from genexpy_nb.significance.completions import pairs_of_completions

        for name in ("higher_is_better", "missing"):
            if name in options:
                raise ParameterError(f"{name} is the study's, and not an option of pairs")
        generator(options.get("rng", 0))  # refused also where the interval draws nothing
        if self.is_completed(configuration):
            tables = self.completions(configuration)
            pairs = pairs_of_completions(tables, higher_is_better=self.direction(configuration), **options)
            pairs.attrs["notes"] = [*pairs.attrs.get("notes", []), self._absent(configuration)]
            return pairs
        scores = self._differences(configuration, impute)
        pairs = compare_pairs(scores, higher_is_better=self.direction(configuration), missing="drop", **options)
        if note := self._imputed(configuration, impute):
            pairs.attrs["notes"] = [*pairs.attrs.get("notes", []), note]
        return pairs

    def tiers(
        self,
        configuration: Configuration | None = None,
        level: float = 0.05,
        test: str = "wilcoxon",
        *,
        impute: bool = False,
    ) -> pd.DataFrame:
        """Group the alternatives of a configuration into tiers that the experiments can tell apart.

        Parameters
        ----------
        configuration : dict
            See `friedman`.
        level, test
            See `genexpy_nb.significance.rank_tiers`. ``conover-iman`` sees the rankings, in which missing evaluations
            share the worst rank.
        impute : bool
            See `pairs`; only ``wilcoxon`` sees scores.

        Returns
        -------
        DataFrame, one row per alternative, best mean rank first
            See `genexpy_nb.significance.rank_tiers`. ``attrs["note"]`` says what was left out or imputed.

        Raises
        ------
        StudyError, ParameterError
            As `pairs`.

        Examples
        --------
        >>> losses = pd.DataFrame({"model": ["tree", "constant"] * 8, "dataset": [i // 2 for i in range(16)]})
        >>> losses["log-loss"] = [0.3, 0.7] * 7 + [0.6, 0.7]
        >>> from genexpy_nb import Study
        >>> roles = {"alternatives": "model", "target": "log-loss", "generalize_over": "dataset"}
        >>> Study(losses, **roles, higher_is_better=False).tiers()["tier"].to_dict()
        {'tree': 0, 'constant': 1}
        """
        from genexpy_nb.significance import rank_tiers
        from genexpy_nb.significance.completions import tiers_of_completions

        check_choice("test", test, _TESTS)
        if self.is_completed(configuration):
            on_ranks = test == "conover-iman"
            tables = self.completions(configuration, of="rankings" if on_ranks else "scores")
            higher = not on_ranks and self.direction(configuration)
            tested = self._tested_completions(configuration, test)
            tiers = tiers_of_completions(tables, level, test, higher_is_better=higher, tested=tested)
            note = self._absent(configuration)
        elif test == "conover-iman":
            tiers = rank_tiers(self.rankings(configuration), level=level, test=test, higher_is_better=False)
            note = self._absent(configuration)
        else:
            scores = self._differences(configuration, impute)
            tiers = rank_tiers(
                scores, level=level, test=test, higher_is_better=self.direction(configuration), missing="drop"
            )
            note = self._imputed(configuration, impute) or _left_out(scores)
        tiers.attrs["note"] = _in_one_note(tiers.attrs["note"], note)
        return tiers

    def critical_difference(
        self,
        configuration: Configuration | None = None,
        level: float = 0.05,
        test: str = "wilcoxon",
        *,
        impute: bool = False,
    ) -> CriticalDifference:
        """Return mean ranks and adjusted p-values of a configuration, for a critical-difference diagram.

        Parameters
        ----------
        configuration, level, impute
            See `tiers`: the diagram and the tiers come from the same tests.
        test : {"wilcoxon", "conover-iman", "nemenyi"}
            ``nemenyi``, on mean ranks after Friedman's test, is there to match an older paper; what is against it, says
            `genexpy_nb.significance.nemenyi`. It sees the rankings, as ``conover-iman`` does.

        Returns
        -------
        CriticalDifference
            What `genexpy_nb.plots.significance.critical_difference_diagram` takes, in its order: hand it on with a
            star, ``critical_difference_diagram(*study.critical_difference(configuration))``.

        Raises
        ------
        StudyError, ParameterError
            As `pairs`.

        Examples
        --------
        >>> losses = pd.DataFrame({"model": ["tree", "constant"] * 8, "dataset": [i // 2 for i in range(16)]})
        >>> losses["log-loss"] = [0.3, 0.7] * 7 + [0.6, 0.7]
        >>> from genexpy_nb import Study
        >>> roles = {"alternatives": "model", "target": "log-loss", "generalize_over": "dataset"}
        >>> ranks, p_values, level = Study(losses, **roles, higher_is_better=False).critical_difference()
        >>> ranks["tree"].item(), p_values.loc["tree", "constant"].item(), level
        (1.0, 0.0078125, 0.05)

        To match an older paper, Nemenyi's test and its critical distance:

        >>> older = Study(losses, **roles, higher_is_better=False).critical_difference(test="nemenyi")
        >>> round(older.critical_distance, 3)
        0.693
        """
        from genexpy_nb.significance import conover_iman, friedman, nemenyi, pairwise_wilcoxon
        from genexpy_nb.significance.completions import friedman_of_completions, p_values_of_completions

        level = check_level("level", level)
        check_choice("test", test, (*_TESTS, "nemenyi"))
        if self.is_completed(configuration):
            of, note = "scores" if test == "wilcoxon" else "rankings", self._absent(configuration)
            tables = self.completions(configuration, of=of)
            higher = test == "wilcoxon" and self.direction(configuration)
            overall = friedman_of_completions(tables, higher_is_better=higher)
            adjust, tested = "none" if test == "nemenyi" else "holm", self._tested_completions(configuration, test)
            p_values, _ = p_values_of_completions(tables, test, adjust, tested=tested)
            if test == "nemenyi":
                distance = nemenyi(tables[0], level, higher_is_better=False).critical_distance
                p_values.attrs["critical_distance"] = distance
            if test != "wilcoxon" and overall.p > level:
                p_values.loc[:, :] = 1.0
                note = _in_one_note(_no_pair_differs(overall), note)
        elif test != "wilcoxon":
            rankings, note = self.rankings(configuration), self._absent(configuration)
            overall = friedman(rankings, higher_is_better=False)
            if test == "nemenyi":
                result = nemenyi(rankings, level, higher_is_better=False)
                p_values = result.p_values
                p_values.attrs["critical_distance"] = result.critical_distance
            else:
                p_values = conover_iman(rankings, adjust="holm")
            if overall.p > level:  # both tests come after Friedman's, as in the tiers
                p_values.loc[:, :] = 1.0
                note = _in_one_note(_no_pair_differs(overall), note)
        else:
            scores = self._differences(configuration, impute)
            overall = friedman(scores, higher_is_better=self.direction(configuration), missing="drop")
            p_values = pairwise_wilcoxon(scores, adjust="holm", missing="drop")
            note = self._imputed(configuration, impute) or _left_out(scores)
        p_values.attrs["note"] = _in_one_note(p_values.attrs.get("note", ""), note)
        return CriticalDifference(overall.mean_ranks, p_values, level)

    def _tested_completions(self, configuration: Configuration | None, test: str) -> PairTests:
        """Return the tests of all pairs in the completions, which are run once, whatever asks for them."""
        from genexpy_nb.significance.completions import compare_completions

        key = (*(configuration or {}).items(), test)
        if key not in self._tested:
            tables = self.completions(configuration, of="scores" if test == "wilcoxon" else "rankings")
            self._tested[key] = compare_completions(tables, test)
        return self._tested[key]

    def _differences(self, configuration: Configuration | None, impute: bool) -> pd.DataFrame:
        """Return scores of which enough conditions are complete to compare them within conditions."""
        scores = self.scores(configuration, impute)
        complete = int(scores.notna().all(axis=1).sum())
        if complete < 2 <= len(scores):
            raise StudyError(
                f"{complete} of {len(scores)} conditions have a score of every alternative, and differences of scores "
                "need two; impute=True takes the worst observed score of the condition for a missing one, and "
                "friedman, best and test='conover-iman' need ranks only"
            )
        return scores

    def _absent(self, configuration: Configuration | None) -> str:
        if self.is_completed(configuration):
            absent = int(self.condition_scores(configuration).isna().to_numpy().sum())
            return f"{absent:,} missing evaluations were drawn from a model of the others"
        absent = int(self.scores(configuration).isna().to_numpy().sum())
        return f"{absent:,} missing evaluations share the worst rank" if absent else ""

    def _imputed(self, configuration: Configuration | None, impute: bool) -> str:
        absent = int(self.scores(configuration).isna().to_numpy().sum()) if impute else 0
        return f"{absent:,} missing scores were taken for the worst observed one of their condition" if absent else ""


def _no_pair_differs(overall: Friedman) -> str:
    return f"Friedman's test does not reject (p = {overall.p:.3g}): no pair differs"


def _left_out(scores: pd.DataFrame) -> str:
    complete = int(scores.notna().all(axis=1).sum())
    left_out = len(scores) - complete
    return f"{left_out:,} conditions with a missing score were left out, {complete:,} remain" if left_out else ""


def _in_one_note(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
