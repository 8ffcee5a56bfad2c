"""An evaluation that looks results up in the table of a population that was run in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_columns
from genexpy_nb.common.errors import StudyError


@dataclass(frozen=True, eq=False)
class Recorded:
    """Look results up in the table of a population that was run in full, instead of running anything.

    Parameters
    ----------
    table : DataFrame
        One row per combination and composition: the variables, ``composition`` (0, 1, ...) and the losses, such as
        `run_population` returns.
    variables : sequence of str
        Names of the variables.
    losses : sequence of str
        Names of the losses.

    Raises
    ------
    StudyError
        If a column is missing; when called, if the table does not hold what is asked for.

    Examples
    --------
    >>> table = pd.DataFrame({"v": ["A", "B"], "composition": [0, 0], "error": [0.1, 0.3]})
    >>> Recorded(table, ["v"], ["error"])({"v": "B"}, 12345)
    {'error': 0.3}
    """

    table: pd.DataFrame
    variables: Sequence[str]
    losses: Sequence[str]
    n_compositions: int = field(init=False)
    _found: dict[tuple[tuple[Any, ...], int], np.ndarray] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_columns(self.table, [*self.variables, "composition", *self.losses])
        clean = self.table[list(self.variables)].astype(object)
        keys = clean.where(clean.notna(), None).itertuples(index=False, name=None)
        values = self.table[list(self.losses)].to_numpy(float)
        found = {(key, int(c)): v for key, c, v in zip(keys, self.table["composition"], values, strict=True)}
        object.__setattr__(self, "_found", found)
        object.__setattr__(self, "n_compositions", int(self.table["composition"].max()) + 1)

    def __call__(self, combination: Mapping[str, Any], seed: int) -> dict[str, float]:
        """Return the recorded losses of a combination; the composition is the seed modulo their number."""
        key = (tuple(combination.get(name) for name in self.variables), seed % self.n_compositions)
        if key not in self._found:
            raise StudyError(f"the table has no system {dict(combination)} with composition {key[1]}")
        return dict(zip(self.losses, map(float, self._found[key]), strict=True))
