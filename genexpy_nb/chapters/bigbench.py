"""What notebook 03 needs: what experiments that all agree tell, and what is missing in its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log, sqrt
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.study.study import Study


def rows_named_like(study: Study, factor: str, configurations: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Compare conditions that carry the name of their configuration with the mean of the other conditions."""
    rows = []
    for configuration in configurations:
        scores, name = study.scores(configuration), configuration[factor]
        if name in scores.index and len(scores) > 1:
            mean = scores.drop(name).mean()
            correlation = float(np.corrcoef(scores.loc[name], mean)[0, 1])
            ratio = float((scores.loc[name] / mean).median())
            rows.append({**configuration, "n_experiments": len(scores), "correlation": correlation, "ratio": ratio})
    return pd.DataFrame(rows, columns=[*study.design, "n_experiments", "correlation", "ratio"])


def largest_unseen_share(n_experiments: int, confidence: float = 0.95) -> float:
    """Bound the share of results that did not turn up in any of the experiments."""
    return 1 - (1 - confidence) ** (1 / n_experiments)


def harmless_share(alpha: float) -> float:
    """Return how large the share of a second result may be for n* to be 1, where the two are not similar."""
    return (1 - sqrt(2 * alpha - 1)) / 2 if alpha > 0.5 else 0.5


def n_to_exclude(share: float, confidence: float = 0.95) -> int:
    """Return how many experiments that all agree it takes to exclude other results of a share."""
    return ceil(log(1 - confidence) / log(1 - share))
