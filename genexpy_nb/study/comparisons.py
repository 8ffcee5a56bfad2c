"""Which alternatives of a study differ, and which is best: tests and counts of wins.

The functions of `genexpy_nb.significance` take bare scores, and have to be told the direction. A study knows it. Tests
on ranks see its rankings, in which a missing evaluation shares the worst rank. Tests on differences of scores have no
difference where a score is missing: they leave such conditions out and say how many, or take the worst score of the
condition instead, if asked to. Under ``missing="complete"`` all tests see the completions of the study, and their
answers are combined (see `genexpy_nb.significance.completions`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_choice, check_level
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import generator
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.study.checks import Configuration

if TYPE_CHECKING:  # significance brings statsmodels, which takes long to load; functions import it when they are called
    from genexpy_nb.significance import Best, Friedman
    from genexpy_nb.significance.completions import PairTests
    from genexpy_nb.study.study import Study

_TESTS = ("wilcoxon", "conover-iman")


class CriticalDifference(NamedTuple):
    """What `genexpy_nb.plots.significance.critical_difference_diagram` draws, in the order of its parameters."""

    mean_ranks: pd.Series
    p_values: pd.DataFrame
    level: float

    @property
    def critical_distance(self) -> float | None:
        """How far apart two mean ranks must be to differ; None for tests that have no such distance."""
        return self.p_values.attrs.get("critical_distance")


# --- tests ------------------------------------------------------------------------------------------------------------


def friedman(study: Study, configuration: Configuration | None = None) -> Friedman:
    """Test whether all alternatives perform alike, by the rankings of a configuration (see `Study.scores`).

    Returns
    -------
    genexpy_nb.significance.Friedman
        Its ``note`` says how many missing evaluations share the worst rank or are completed.

    Raises
    ------
    StudyError, ParameterError
        If there are fewer than two conditions or alternatives, or no such configuration.


    Examples
    --------
    >>> from genexpy_nb import Study
    >>> losses = pd.DataFrame({"a": [0.1, 0.2, 0.3, 0.4], "b": [0.4, 0.5, 0.2, 0.5], "c": 0.7})
    >>> Study.from_wide(losses, higher_is_better=False).friedman().mean_ranks.to_dict()
    {'a': 1.25, 'b': 1.75, 'c': 3.0}
    """
    from genexpy_nb import significance
    from genexpy_nb.significance.completions import friedman_of_completions

    if study.is_completed(configuration):
        result = friedman_of_completions(study.completions(configuration, of="rankings"), higher_is_better=False)
    else:
        result = significance.friedman(study.rankings(configuration), higher_is_better=False)
    return replace(result, note=_in_one_note(result.note, _absent(study, configuration)))


def best(study: Study, configuration: Configuration | None = None, level: float = 0.05, adjust: str = "none") -> Best:
    """Find the best alternative of a configuration, and say whether it is significantly better than every other.

    Parameters
    ----------
    configuration : dict
        See `Study.scores`.
    level, adjust
        See `genexpy_nb.significance.best_alternative`.

    Returns
    -------
    genexpy_nb.significance.Best
        From the rankings; its ``note`` says how many missing evaluations share the worst rank or are completed.

    Raises
    ------
    StudyError, ParameterError
        As `Study.friedman`.


    Examples
    --------
    The constant predictor has the highest log-loss, and so is the worst:

    >>> from genexpy_nb import Study
    >>> losses = pd.DataFrame({"tree": [0.3] * 7 + [0.9], "constant": 0.7})
    >>> Study.from_wide(losses, higher_is_better=False).best().best
    ('tree',)
    """
    from genexpy_nb.significance import best_alternative
    from genexpy_nb.significance.completions import best_of_completions

    if study.is_completed(configuration):
        tables = study.completions(configuration, of="rankings")
        found = best_of_completions(tables, level, adjust, higher_is_better=False)
    else:
        found = best_alternative(study.rankings(configuration), level=level, adjust=adjust, higher_is_better=False)
    return replace(found, note=_in_one_note(found.note, _absent(study, configuration)))


def pairs(
    study: Study, configuration: Configuration | None = None, *, impute: bool = False, **options: Any
) -> pd.DataFrame:
    """Compare all pairs of alternatives of a configuration by their scores, with effect sizes and intervals.

    Parameters
    ----------
    configuration : dict
        See `Study.scores`.
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
    >>> from genexpy_nb import Study
    >>> losses = pd.DataFrame({"tree": [0.3] * 7 + [0.9], "constant": 0.7})
    >>> found = Study.from_wide(losses, higher_is_better=False).pairs()
    >>> found[["a", "b", "estimate", "probability_of_improvement"]]
              a     b  estimate  probability_of_improvement
    0  constant  tree     0.325                       0.125
    """
    from genexpy_nb.significance import compare_pairs
    from genexpy_nb.significance.completions import pairs_of_completions

    for name in ("higher_is_better", "missing"):
        if name in options:
            raise ParameterError(f"{name} is the study's, and not an option of pairs")
    generator(options.get("rng", 0))  # refused also where the interval draws nothing
    direction = study.direction(configuration)
    if study.is_completed(configuration):
        found = pairs_of_completions(study.completions(configuration), higher_is_better=direction, **options)
        note = _absent(study, configuration)
    else:
        scores = _differences(study, configuration, impute)
        found = compare_pairs(scores, higher_is_better=direction, missing="drop", **options)
        note = _imputed(study, configuration, impute)
    if note:
        found.attrs["notes"] = [*found.attrs.get("notes", []), note]
    return found


def tiers(
    study: Study,
    configuration: Configuration | None = None,
    level: float = 0.05,
    test: str = "wilcoxon",
    *,
    impute: bool = False,
) -> pd.DataFrame:
    """Group the alternatives of a configuration into tiers that the experiments can tell apart.

    Parameters
    ----------
    configuration, impute
        See `Study.pairs`.
    level, test
        See `genexpy_nb.significance.rank_tiers`. ``conover-iman`` sees the rankings, ``wilcoxon`` the scores.

    Returns
    -------
    DataFrame, one row per alternative, best mean rank first
        See `genexpy_nb.significance.rank_tiers`. ``attrs["note"]`` says what was left out or imputed.

    Raises
    ------
    StudyError, ParameterError
        As `Study.pairs`.


    Examples
    --------
    >>> from genexpy_nb import Study
    >>> losses = pd.DataFrame({"tree": [0.3] * 7 + [0.6], "constant": 0.7})
    >>> Study.from_wide(losses, higher_is_better=False).tiers()["tier"].to_dict()
    {'tree': 0, 'constant': 1}
    """
    from genexpy_nb.significance import rank_tiers
    from genexpy_nb.significance.completions import tiers_of_completions

    check_choice("test", test, _TESTS)
    on_ranks = test == "conover-iman"
    higher, note = not on_ranks and study.direction(configuration), _absent(study, configuration)
    if study.is_completed(configuration):
        tables = study.completions(configuration, of="rankings" if on_ranks else "scores")
        tested = _tested_completions(study, configuration, test)
        found = tiers_of_completions(tables, level, test, higher_is_better=higher, tested=tested)
    elif on_ranks:
        found = rank_tiers(study.rankings(configuration), level=level, test=test, higher_is_better=False)
    else:
        scores = _differences(study, configuration, impute)
        found = rank_tiers(scores, level=level, test=test, higher_is_better=higher, missing="drop")
        note = _imputed(study, configuration, impute) or _left_out(scores)
    found.attrs["note"] = _in_one_note(found.attrs["note"], note)
    return found


def critical_difference(
    study: Study,
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
        See `Study.tiers`: the diagram and the tiers come from the same tests.
    test : {"wilcoxon", "conover-iman", "nemenyi"}
        ``nemenyi`` is there to match an older paper; what is against it, says `genexpy_nb.significance.nemenyi`.

    Returns
    -------
    CriticalDifference
        What `genexpy_nb.plots.significance.critical_difference_diagram` takes: hand it on with a star.

    Raises
    ------
    StudyError, ParameterError
        As `Study.pairs`.


    Examples
    --------
    >>> from genexpy_nb import Study
    >>> study = Study.from_wide(pd.DataFrame({"tree": [0.3] * 7 + [0.6], "constant": 0.7}), higher_is_better=False)
    >>> mean_ranks, p_values, level = study.critical_difference()
    >>> mean_ranks["tree"].item(), p_values.loc["tree", "constant"].item(), level
    (1.0, 0.0078125, 0.05)
    >>> round(study.critical_difference(test="nemenyi").critical_distance, 3)
    0.693
    """
    from genexpy_nb import significance
    from genexpy_nb.significance.completions import friedman_of_completions, p_values_of_completions

    level = check_level("level", level)
    check_choice("test", test, (*_TESTS, "nemenyi"))
    on_ranks, note = test != "wilcoxon", _absent(study, configuration)
    higher = not on_ranks and study.direction(configuration)
    if study.is_completed(configuration):
        tables = study.completions(configuration, of="rankings" if on_ranks else "scores")
        overall = friedman_of_completions(tables, higher_is_better=higher)
        adjust, tested = "none" if test == "nemenyi" else "holm", _tested_completions(study, configuration, test)
        p_values, _ = p_values_of_completions(tables, test, adjust, tested=tested)
        if test == "nemenyi":
            distance = significance.nemenyi(tables[0], level, higher_is_better=False).critical_distance
            p_values.attrs["critical_distance"] = distance
    elif on_ranks:
        ranked = study.rankings(configuration)
        overall = significance.friedman(ranked, higher_is_better=False)
        if test == "nemenyi":
            result = significance.nemenyi(ranked, level, higher_is_better=False)
            p_values = result.p_values
            p_values.attrs["critical_distance"] = result.critical_distance
        else:
            p_values = significance.conover_iman(ranked, adjust="holm")
    else:
        scores = _differences(study, configuration, impute)
        overall = significance.friedman(scores, higher_is_better=higher, missing="drop")
        p_values = significance.pairwise_wilcoxon(scores, adjust="holm", missing="drop")
        note = _imputed(study, configuration, impute) or _left_out(scores)
    if on_ranks and overall.p > level:  # both tests come after Friedman's, as in the tiers
        p_values.loc[:, :] = 1.0
        note = _in_one_note(f"Friedman's test does not reject (p = {overall.p:.3g}): no pair differs", note)
    p_values.attrs["note"] = _in_one_note(p_values.attrs.get("note", ""), note)
    return CriticalDifference(overall.mean_ranks, p_values, level)


def _tested_completions(study: Study, configuration: Configuration | None, test: str) -> PairTests:
    """Return the tests of all pairs in the completions, which are run once, whatever asks for them."""
    from genexpy_nb.significance.completions import compare_completions

    key = (*(configuration or {}).items(), test)
    if key not in study.tested:
        tables = study.completions(configuration, of="scores" if test == "wilcoxon" else "rankings")
        study.tested[key] = compare_completions(tables, test)
    return study.tested[key]


def _differences(study: Study, configuration: Configuration | None, impute: bool) -> pd.DataFrame:
    """Return scores of which enough conditions are complete to compare them within conditions."""
    scores = study.scores(configuration, impute)
    complete = int(scores.notna().all(axis=1).sum())
    if complete < 2 <= len(scores):
        raise StudyError(
            f"{complete} of {len(scores)} conditions have a score of every alternative, and differences of scores "
            "need two; impute=True takes the worst observed score of the condition for a missing one, and "
            "friedman, best and test='conover-iman' need ranks only"
        )
    return scores


def wins(study: Study, configuration: Configuration | None = None, impute: bool = False) -> pd.DataFrame:
    """Count for each pair of alternatives in how many experiments one is better than the other.

    Parameters
    ----------
    configuration : dict
        See `Study.scores`.
    impute : bool
        Where a score of the pair is missing: leave out the experiment, or take what `Study.scores` imputes.

    Returns
    -------
    DataFrame, one row per pair, in the order of the columns of `Study.scores`
        ``a``, ``b``, ``n_conditions`` in which both have a score, ``wins``, ``ties`` and ``losses`` of a over b,
        and ``probability_of_improvement`` (Agarwal et al., NeurIPS 2021), (wins + ties / 2) / n_conditions.

    Raises
    ------
    StudyError, ParameterError
        If there are fewer than two alternatives, or no such configuration.


    Examples
    --------
    >>> from genexpy_nb import Study
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.6], "b": [0.8, 0.8, 0.5, 0.7]})
    >>> Study.from_wide(scores).wins().to_dict("records")[0]  # doctest: +NORMALIZE_WHITESPACE
    {'a': 'a', 'b': 'b', 'n_conditions': 4, 'wins': 2, 'ties': 1, 'losses': 1,
     'probability_of_improvement': 0.625}
    """
    scores = study.scores(configuration, impute)
    n_alternatives = scores.shape[1]
    if n_alternatives < 2:
        raise StudyError(f"at least two alternatives are needed, got shape {scores.shape}")
    tiers = rank_scores(scores, higher_is_better=study.direction(configuration))
    ranked = np.where(scores.isna(), np.nan, tiers)  # nothing compares with NaN
    won = np.stack([(column[:, None] < ranked).sum(axis=0) for column in ranked.T])
    tied = np.stack([(column[:, None] == ranked).sum(axis=0) for column in ranked.T])
    i, j = np.triu_indices(n_alternatives, 1)
    n_conditions = won[i, j] + tied[i, j] + won[j, i]
    improved = np.full(len(i), np.nan)
    np.divide(won[i, j] + tied[i, j] / 2, n_conditions, out=improved, where=n_conditions > 0)
    return pd.DataFrame(
        {
            "a": scores.columns[i],
            "b": scores.columns[j],
            "n_conditions": n_conditions,
            "wins": won[i, j],
            "ties": tied[i, j],
            "losses": won[j, i],
            "probability_of_improvement": improved,
        }
    )


# --- notes ------------------------------------------------------------------------------------------------------------


def _absent(study: Study, configuration: Configuration | None) -> str:
    if study.is_completed(configuration):
        absent = int(study.condition_scores(configuration).isna().to_numpy().sum())
        return f"{absent:,} missing evaluations were drawn from a model of the others"
    absent = int(study.scores(configuration).isna().to_numpy().sum())
    return f"{absent:,} missing evaluations share the worst rank" if absent else ""


def _imputed(study: Study, configuration: Configuration | None, impute: bool) -> str:
    absent = int(study.scores(configuration).isna().to_numpy().sum()) if impute else 0
    return f"{absent:,} missing scores were taken for the worst observed one of their condition" if absent else ""


def _left_out(scores: pd.DataFrame) -> str:
    complete = int(scores.notna().all(axis=1).sum())
    left_out = len(scores) - complete
    return f"{left_out:,} conditions with a missing score were left out, {complete:,} remain" if left_out else ""


def _in_one_note(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
