"""How good the ways are to estimate an agreement of conclusions from one study, as a benchmark measured them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

#: What the benchmark calls the estimator of this package.
OURS = "ours"


@cache
def _recorded() -> pd.DataFrame:
    return pd.read_csv(Path(__file__).with_name("methods.csv"))


def measured_methods() -> pd.DataFrame:
    """Return how good nine ways were to estimate the agreement of two studies, in simulated worlds."""
    return _recorded().copy()
