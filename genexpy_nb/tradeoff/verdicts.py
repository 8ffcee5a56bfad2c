"""What the paper counts, with chance considered: measures that order the sizes rightly, reversed, or as chance does."""

from __future__ import annotations

import pandas as pd

from genexpy_nb.common.checks import check_columns
from genexpy_nb.tradeoff.signerror import GROUPS, sign_error_table

__all__ = ["VERDICTS", "averaged_sign_errors", "count_verdicts"]

#: What the sign-error of a measure can say: at the lower end of the band of chance or below it, at the upper end or
#: above it, or between them.
VERDICTS = ("right", "reversed", "like chance")


def averaged_sign_errors(measures: pd.DataFrame, target: pd.DataFrame, level: float = 0.05) -> pd.DataFrame:
    """Compute one sign-error per measure, of what is averaged over the seeds.

    Single seeds are noisy, and the noise of the measured error is none of the measures' fault. The target is averaged
    by the mean; a measure by the median, which a single seed with a margin near 0 does not move.

    Parameters
    ----------
    measures, target : DataFrame
        As in `genexpy_nb.tradeoff.sign_error_table`, with or without seeds.
    level : float
        Of the band, in (0, 1).

    Returns
    -------
    DataFrame
        As from `genexpy_nb.tradeoff.sign_error_table`, and ``verdict``: one of `VERDICTS`, missing without a
        sign-error.

    Raises
    ------
    StudyError, ParameterError
        As `genexpy_nb.tradeoff.sign_error_table`.

    Examples
    --------
    >>> measures = pd.DataFrame({"size": [1, 2, 3, 4, 5] * 2, "measure": "l2", "seed": [0] * 5 + [1] * 5})
    >>> measures["value"] = [5, 6, 7, 8, 9, 7, 6, 7, 8, 9]
    >>> target = pd.DataFrame({"size": [1, 2, 3, 4, 5], "estimate": [0.5, 0.4, 0.3, 0.2, 0.1]})
    >>> averaged_sign_errors(measures, target)[["measure", "sign_error", "p", "verdict"]].round(3)
      measure  sign_error      p   verdict
    0      l2        0.95  0.033  reversed
    """
    check_columns(measures, ("size", "measure", "value"), "measures")
    check_columns(target, ("size", "estimate"), "target")
    of_measures = [name for name in ("family", "size", "measure") if name in measures]
    of_target = [name for name in (*GROUPS, "size") if name in target]
    table = sign_error_table(
        measures.groupby(of_measures, as_index=False, sort=False, observed=True)["value"].median(),
        target.groupby(of_target, as_index=False, sort=False, observed=True)["estimate"].mean(),
        level,
    )
    error, (right, upside_down, chance) = table["sign_error"], VERDICTS
    verdict = pd.Series(chance, index=table.index, dtype=object)
    verdict = verdict.mask(error <= table["band_low"], right).mask(error >= table["band_high"], upside_down)
    return table.assign(verdict=verdict.where(error.notna()))


def count_verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts of each family and slice; measures that order all sizes alike count once.

    Parameters
    ----------
    table : DataFrame
        From `averaged_sign_errors`, with ``family`` and ``slice``, perhaps ``noise`` and ``training``.

    Returns
    -------
    DataFrame, indexed by these columns
        ``measures`` that differ, those with a sign-error ``above 1/2`` (the paper's count), and how many have each
        verdict that occurs.

    Raises
    ------
    StudyError
        If a column is missing.

    Examples
    --------
    >>> table = pd.DataFrame({"family": "f", "slice": "ssim", "group": ["l2", "l2", "params"]})
    >>> table = table.assign(sign_error=[0.6, 0.6, 1.0], verdict=["like chance", "like chance", "reversed"])
    >>> count_verdicts(table).reset_index()
      family slice  measures  above 1/2  like chance  reversed
    0      f  ssim         2          2            1         1
    """
    check_columns(table, ("family", "slice", "group", "sign_error", "verdict"), "the result of averaged_sign_errors")
    where = [name for name in GROUPS if name in table]
    once = table.drop_duplicates([*where, "group"])
    counts = once.groupby(where)["verdict"].value_counts().unstack(fill_value=0)
    counts.insert(0, "measures", once.groupby(where).size())
    counts.insert(1, "above 1/2", (once["sign_error"] > 0.5).groupby([once[name] for name in where]).sum())
    return counts.rename_axis(columns=None)
