"""What a study asks, of an array: agreement of conclusions, and components of several factors."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_direction, check_table
from genexpy_nb.common.random import seed_of
from genexpy_nb.conclusions.contenders import rows_of
from genexpy_nb.conclusions.tables import agreement_of_rows, as_question, as_sizes
from genexpy_nb.generalization.components import Components, check_factors, of_groups
from genexpy_nb.generalization.discrepancy import check_gram
from genexpy_nb.generalization.mean_squares import mean_squares
from genexpy_nb.generalization.moments import CONFIDENCE


def agreement_of_table(
    scores: Any,
    conclusion: str = "winner",
    n: int | Sequence[int] | None = None,
    *,
    k: int | None = None,
    by: str = "rank",
    higher_is_better: bool = True,
    level: float = 0.05,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Estimate how far two studies, each of n new experiments, would agree in a conclusion; see `Study.agreement`."""
    table = check_table(scores)
    question = as_question(conclusion, list(table.columns), by=by, k=k, level=level)
    by = "score" if question.conclusion == "tiers" else question.by
    rows = rows_of(table.to_numpy(), by, check_direction(higher_is_better))
    return agreement_of_rows(rows, question, as_sizes(n, len(rows)), confidence, seed_of(rng))


class GivenThreshold:
    """A kernel that takes delta for the threshold on the MMD."""

    on, name, question = "rankings", "given", "Are they this near?"

    def epsilon(self, delta, n_alternatives):
        return np.asarray(delta)


def components_of(
    gram: ArrayLike,
    sizes: Mapping[str, int],
    nested: bool = False,
    *,
    rng: np.random.Generator | int = 0,
    confidence: float = CONFIDENCE,
) -> Components:
    """Estimate components from the Gram matrix of a balanced design, the last factor changing fastest."""
    factors = check_factors(list(sizes))
    levels = [sizes[name] for name in factors]
    gram = check_gram(gram)
    groups, parts = (of_groups(gram, levels[0]),) * nested, (mean_squares(gram, levels, nested),)
    known = dict(zip(factors, levels, strict=True))
    return Components(factors, known, nested, parts, groups, GivenThreshold(), 2, seed_of(rng), confidence)
