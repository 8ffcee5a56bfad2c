"""Tables that the notebooks show: n* beside what is known, what was published, and what would have been enough.

They put together what the other modules of the room compute, and hold no estimator of their own. The functions of the
section on two tables compare two alternatives on each of several tables (notebook 02); the last three say what
experiments that all agree tell, and what they do not (notebook 03).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_columns, check_count
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import generator
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.significance import compare_pairs, paired_differences
from genexpy_nb.study.study import Study

ROUNDING = 1e-12  # of the largest number: what is smaller may be left over by rounding


# --- questions --------------------------------------------------------------------------------------------------------


def kernel_table(kernels: Sequence[Kernel], delta: float, n_alternatives: int) -> pd.DataFrame:
    """List the questions that kernels ask, and the thresholds that a tolerance means to them."""
    return pd.DataFrame(
        {
            "kernel": [kernel.name for kernel in kernels],
            "question": [kernel.question for kernel in kernels],
            "epsilon": [float(kernel.epsilon(delta, n_alternatives)) for kernel in kernels],
        }
    )


# --- a known distribution ---------------------------------------------------------------------------------------------


# --- real studies -----------------------------------------------------------------------------------------------------


def beside_published(
    study: Study,
    published: pd.DataFrame,
    kernel: Kernel,
    methods: Sequence[str] = ("moments",),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    n_resamples: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Put estimates of n* from a table of results beside published ones."""
    keys = [*study.design, "kernel"]
    check_columns(published, keys, "published")
    estimates = [
        study.nstar(kernel, alpha, delta, method=method, n_resamples=n_resamples, rng=rng).set_index(keys)
        for method in methods
    ]
    table = pd.DataFrame(
        {"n_experiments": estimates[0]["n_experiments"]}
        | {method: each["nstar"] for method, each in zip(methods, estimates, strict=True)}
        | {"low": estimates[0]["low"], "high": estimates[0]["high"]}
    )
    return published.merge(table.reset_index(), on=keys)


# --- two tables -------------------------------------------------------------------------------------------------------


def side_by_side(
    table: pd.DataFrame, chosen: Sequence[str], *, alternatives: str, target: str, condition: str, design: Sequence[str]
) -> pd.DataFrame:
    """Average the scores of a few alternatives per condition, over the configurations in which all of them have one."""
    keys = [condition, *design]
    check_columns(table, [*keys, alternatives, target], "the table")
    rows = table[table[alternatives].isin(chosen)]
    if rows.duplicated([*keys, alternatives]).any():
        raise StudyError(f"the table has several rows for the same {', '.join(keys)} and {alternatives}")
    wide = rows.pivot(index=keys, columns=alternatives, values=target).reindex(columns=list(chosen)).dropna()
    if wide.empty:
        raise StudyError(f"the table has no configuration in which {', '.join(chosen)} all have a score")
    return wide.groupby(level=0).mean().rename_axis(columns=None)


def halves_that_agree(differences: ArrayLike, n_splits: int = 1000, rng: np.random.Generator | int = 0) -> float:
    """Split conditions into random halves, again and again: how often do both say that the same side is better?"""
    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise ParameterError(f"differences must be at least two finite numbers, got shape {values.shape}")
    draw, half = generator(rng), len(values) // 2
    orders = np.argsort(draw.random((check_count("n_splits", n_splits), len(values))), axis=1)
    one, other = values[orders[:, :half]].mean(axis=1), values[orders[:, half : 2 * half]].mean(axis=1)
    nothing = ROUNDING * np.abs(values).max()  # what is left of 0.1 + 0.2 - 0.3 has no sign
    signs = [np.where(np.abs(mean) <= nothing, 0.0, np.sign(mean)) for mean in (one, other)]
    return float(np.mean(signs[0] * signs[1] > 0))


def compare_on_tables(
    tables: Mapping[str, pd.DataFrame],
    first: str,
    second: str,
    *,
    alternatives: str,
    target: str,
    condition: str,
    design: Sequence[str],
    higher_is_better: bool,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Ask each of several tables which of two alternatives is better."""
    rows = {}
    for name, table in tables.items():
        scores = side_by_side(
            table, [first, second], alternatives=alternatives, target=target, condition=condition, design=design
        )
        pair = compare_pairs(scores, higher_is_better=higher_is_better, rng=rng).iloc[0]
        columns = scores[[first, second]].to_numpy(dtype=float)
        difference = paired_differences(columns, np.array([0]), np.array([1]))[0] * (1 if higher_is_better else -1)
        rows[name] = {
            "n_conditions": len(scores),
            **pair[["estimate", "low", "high", "p"]].to_dict(),
            "n_first": int((difference > 0).sum()),
            "n_second": int((difference < 0).sum()),
            "halves": halves_that_agree(difference, rng=rng),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


# --- raw scores -------------------------------------------------------------------------------------------------------


# --- simulated studies ------------------------------------------------------------------------------------------------


# --- experiments that all agree ---------------------------------------------------------------------------------------
