"""What notebook 03 needs: what experiments that all agree tell, and what is missing in its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log, sqrt
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_choice, check_count, check_level, check_number
from genexpy_nb.study.study import Study


def absent_alternatives(study: Study) -> pd.Series:
    """List the alternatives of a study that a configuration lacks altogether."""
    every = study.alternatives
    absent = [
        ", ".join(str(name) for name in every if name not in present)
        for present in (set(study.scores(configuration)) for configuration in study.configurations)
    ]
    return pd.Series(absent, study.accounting.index, dtype=object, name="absent")


def rows_named_like(
    study: Study, factor: str, configurations: Sequence[Mapping[str, Any]] | None = None
) -> pd.DataFrame:
    """Compare conditions that carry the name of their configuration with the mean of the other conditions."""
    check_choice("factor", factor, study.design)
    rows = []
    for configuration in study.configurations if configurations is None else configurations:
        scores, name = study.scores(configuration), configuration[factor]
        if name in scores.index and len(scores) > 1:
            mean = scores.drop(name).mean()
            correlation = float(np.corrcoef(scores.loc[name], mean)[0, 1])
            ratio = float((scores.loc[name] / mean).median())
            rows.append({**configuration, "n_experiments": len(scores), "correlation": correlation, "ratio": ratio})
    return pd.DataFrame(rows, columns=[*study.design, "n_experiments", "correlation", "ratio"])


def largest_unseen_share(n_experiments: int, confidence: float = 0.95) -> float:
    """Bound the share of results that did not turn up in any of the experiments."""
    return 1 - (1 - check_level("confidence", confidence)) ** (1 / check_count("n_experiments", n_experiments))


def harmless_share(alpha: float) -> float:
    """Return how large the share of a second result may be for n* to be 1, where the two are not similar."""
    alpha = check_level("alpha", alpha)
    return (1 - sqrt(2 * alpha - 1)) / 2 if alpha > 0.5 else 0.5


def n_to_exclude(share: float, confidence: float = 0.95) -> int:
    """Return how many experiments that all agree it takes to exclude other results of a share."""
    share = check_number("share", share, 0, 1)
    return ceil(log(1 - check_level("confidence", confidence)) / log(1 - share))
