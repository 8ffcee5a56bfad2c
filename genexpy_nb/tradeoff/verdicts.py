"""What the paper counts, with chance considered: measures that order the sizes rightly, reversed, or as chance does."""

from __future__ import annotations

import pandas as pd

from genexpy_nb.common.checks import check_columns
from genexpy_nb.tradeoff.signerror import GROUPS, sign_error_table

#: What the sign-error of a measure can say: at the lower end of the band of chance or below it, at the upper end or
#: above it, or between them.
VERDICTS = ("right", "reversed", "like chance")


def averaged_sign_errors(measures: pd.DataFrame, target: pd.DataFrame, level: float = 0.05) -> pd.DataFrame:
    """Compute one sign-error per measure, of what is averaged over the seeds."""
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
    """Count the verdicts of each family and slice; measures that order all sizes alike count once."""
    check_columns(table, ("family", "slice", "group", "sign_error", "verdict"), "the result of averaged_sign_errors")
    where = [name for name in GROUPS if name in table]
    once = table.drop_duplicates([*where, "group"])
    counts = once.groupby(where)["verdict"].value_counts().unstack(fill_value=0)
    counts.insert(0, "measures", once.groupby(where).size())
    counts.insert(1, "above 1/2", (once["sign_error"] > 0.5).groupby([once[name] for name in where]).sum())
    return counts.rename_axis(columns=None)
