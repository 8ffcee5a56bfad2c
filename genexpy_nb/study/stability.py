"""How a study changes with its size, as it grows, and with a few of all its experiments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_choice, check_count, check_level, check_number
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.prose import as_sentence, how_many
from genexpy_nb.conclusions.contenders import BY, rows_of
from genexpy_nb.conclusions.shortening import shorten
from genexpy_nb.conclusions.watching import look_at
from genexpy_nb.generalization.contract import as_kernels
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.nstar import CURVE_ALPHAS, alphas_at, estimate_grid
from genexpy_nb.study.checks import Configuration
from genexpy_nb.study.comparisons import ranked
from genexpy_nb.study.estimates import DEFAULT_KERNELS, grams
from genexpy_nb.study.table import plain_labels

if TYPE_CHECKING:
    from genexpy_nb.study.study import Study

_LONGEST_CURVE = 200  # sizes of studies on a curve
_AHEAD = 1.3  # a curve ends beyond n*, that its crossing can be seen


def curves(
    study: Study,
    configuration: Configuration | None = None,
    kernels: Kernel | Iterable[Kernel] = DEFAULT_KERNELS,
    delta: float = 0.05,
    n: Sequence[int] | None = None,
    *,
    alpha: float = 0.95,
) -> pd.DataFrame:
    """Estimate how generalizable studies of other sizes are: n* by moments, turned round.

    A row per kernel and size: ``kernel``, ``n``, ``estimate``, the probability that two studies of n experiments are
    similar. By default for up to 200 sizes from 2 to the larger of 2 N and 1.3 n* (at ``alpha``, which serves for
    nothing else).
    """
    kernels = as_kernels(kernels)
    alpha, delta = check_level("alpha", alpha), check_number("delta", delta, 0)
    asked = None if n is None else np.array([check_count("n", size) for size in n], dtype=float)
    parts = [pd.DataFrame({"kernel": [], "n": [], "estimate": []}).astype({"kernel": str, "n": int})]
    for kernel in kernels:
        row = study.nstar([kernel], alpha, delta, configuration=configuration).iloc[0]
        if np.isnan(row["nstar"]):
            continue
        sizes = _sizes(row["n_experiments"], row["nstar"]) if asked is None else asked
        matrices, epsilons = grams(study, configuration, kernel), np.array([float(row["epsilon"])])
        solved = estimate_grid(matrices, CURVE_ALPHAS, [epsilons] * len(matrices), "moments", 0, 0)
        of_each = [each[:, 0, 0] for each in solved]
        mean = of_each[0] if len(of_each) == 1 else np.exp(np.mean(np.log(of_each), axis=0))  # as of `Study.nstar`
        estimate = alphas_at(mean, CURVE_ALPHAS, sizes)
        parts.append(pd.DataFrame({"kernel": kernel.name, "n": sizes.astype(int), "estimate": estimate}))
    return pd.concat(parts[1:] or parts, ignore_index=True)


def _sizes(n_experiments: int, nstar: float) -> np.ndarray:
    """Return the sizes of a curve: all of them where they are few, else denser where it rises."""
    last = max(2 * n_experiments, int(np.ceil(_AHEAD * nstar)) if np.isfinite(nstar) else 0)
    known = [size for size in (n_experiments, np.ceil(nstar)) if 2 <= size <= last]
    spaced = np.rint(np.geomspace(2, last, _LONGEST_CURVE - len(known)))
    sizes = np.arange(2, last + 1) if last <= _LONGEST_CURVE else np.union1d(spaced, known)
    return sizes.astype(float)


@dataclass(frozen=True)
class Watched:
    """What may be said of a study however often one looked at it; `Study.watch` says what is in it."""

    contenders: pd.DataFrame
    pairs: pd.DataFrame
    history: pd.DataFrame
    note: str

    def __str__(self) -> str:
        return self.note


def watch(
    study: Study,
    configuration: Configuration | None = None,
    *,
    by: str = "rank",
    level: float = 0.05,
    signs: bool = False,
    order: Sequence[Any] | None = None,
    rank_incomplete: bool = False,
) -> Watched:
    """Look after every experiment at who may still be the best, so that the answer holds whenever one stops.

    Parameters
    ----------
    configuration, by, rank_incomplete
        See `Study.contenders`.
    level : float
        Probability that the best one ever leaves, or that any pair is ever told apart wrongly, in (0, 1).
    signs : bool
        Look only at which of two is ahead in an experiment, not by how much: for differences that are skewed.
    order : list, optional
        The experiments in the order in which they were run, as in the index of `Study.scores`; by default, that in
        which they stand in the table.

    Returns
    -------
    Watched
        ``contenders``, a frame by alternative: ``may_be_best``; ``e``, the evidence now that another one is better (a
        mean of e-values); ``left_after`` so many experiments; ``fixed``, whether it may be the best by
        `Study.contenders`, if the number of experiments was fixed beforehand. ``pairs`` that were told apart:
        ``better``, ``worse``, ``e`` (the largest so far), ``after`` so many experiments. ``history``: how many
        contenders were left after each. ``note``: all this in a sentence.

    Notes
    -----
    An e-process over the paired differences of experiments, each in units of those before it, for each ordered pair. It
    holds if experiments are independent, and differences symmetric where two are equal; with ``signs``, if neither is
    ahead more often. Related experiments count as one by ``Study(..., cluster=...)``. ``docs/accuracy.md`` says how
    often this held and what it costs: a test at a number of experiments that was fixed beforehand finds more.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.normal([0.93, 0.88, 0.5], 0.1, (30, 3)), columns=["svm", "forest", "chance"])
    >>> watched = Study.from_wide(scores).watch()
    >>> watched.contenders[["may_be_best", "left_after", "fixed"]].rename_axis(None)
            may_be_best  left_after  fixed
    svm            True         NaN   True
    forest         True         NaN   True
    chance        False        13.0  False
    """
    check_choice("by", by, BY)
    level = check_level("level", level)
    fixed = study.contenders(configuration, by=by, level=level, rank_incomplete=rank_incomplete)
    scores = study.scores(configuration)[ranked(study, configuration, rank_incomplete)].dropna(how="all")
    index = scores.index
    if order is None:  # that in which they first stand in the table that was given
        given = study.reading.given[study.generalize_over].apply(plain_labels).drop_duplicates()
        there = given.set_index(study.generalize_over).index
        there = there[there.isin(index)]
    else:
        there = pd.MultiIndex.from_tuples(order) if index.nlevels > 1 else pd.Index(order)
        if not there.is_unique or set(there) != set(index):
            raise ParameterError(f"order must name each of the {len(index)} experiments once")
    scores = scores.reindex(there)
    looks = look_at(rows_of(scores.to_numpy(dtype=float), by, study.direction(configuration)), level, signs)
    names, n = scores.columns, len(scores)
    frame = pd.DataFrame({"may_be_best": np.isnan(looks.left), "e": looks.against[-1], "left_after": looks.left}, names)
    frame = frame.assign(fixed=fixed["may_be_best"]).reindex(fixed.index)
    better, worse = np.nonzero(~np.isnan(looks.decided))
    pairs = {"better": names[better], "worse": names[worse], "e": looks.ahead[better, worse]}
    after = looks.decided[better, worse].astype(int)
    left = [int((~(looks.left <= size)).sum()) for size in range(1, n + 1)]
    history = pd.DataFrame({"n_experiments": range(1, n + 1), "contenders": left})
    note = (
        f"After {how_many(n, 'experiment')}, {left[-1]} of {len(names)} may still be the best, however often one "
        f"looked; had {n} been fixed beforehand, the test would leave {int(fixed['may_be_best'].sum())}."
    )
    table = pd.DataFrame(pairs | {"after": after}).sort_values("after", kind="stable", ignore_index=True)
    return Watched(frame, table, history, note)


@dataclass(frozen=True)
class Lite:
    """Fewer experiments, and how far they say the same; `Study.lite` says what is in it."""

    experiments: list[Any]
    agreement: float
    at_random: float
    error: float
    n_judged: int

    def __str__(self) -> str:
        return as_sentence(
            f"{len(self.experiments)} chosen experiments order new alternatives as {self.n_judged} experiments that "
            f"were not looked at do, with a tau of {self.agreement:.2f}; as many at random, with {self.at_random:.2f}"
        )


def lite(
    study: Study,
    k: int = 12,
    configuration: Configuration | None = None,
    *,
    by: str = "rank",
    rng: np.random.Generator | int = 0,
) -> Lite:
    """Say which k experiments to keep so that the order of alternatives stays, and how far it does.

    Parameters
    ----------
    k : int
        How many to keep, at most two thirds of all.
    configuration : dict, optional
        See `Study.scores`.
    by : {"rank", "score"}
        What the order is by: mean ranks or mean scores.
    rng : numpy.random.Generator or int

    Returns
    -------
    Lite
        ``experiments`` to keep, the most telling first; ``agreement`` and ``at_random``, Kendall's tau-b of the order
        by so many that were chosen, or drawn, with that by ``n_judged`` others; ``error`` of their difference.

    Notes
    -----
    Chosen one by one, so that the means over the chosen come near to those over all. How well the chosen reproduce
    their own table is not said: it is too good. Instead the table is split 200 times, experiments are chosen from two
    thirds by half of the alternatives, and the other half is ordered by them and by the last third. Alternatives that
    were not run share the worst score of an experiment.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.normal(np.arange(8) / 4, 1, (30, 8)), columns=list("abcdefgh"))
    >>> shorter = Study.from_wide(scores).lite(10)
    >>> len(shorter.experiments), shorter.n_judged
    (10, 10)
    """
    check_choice("by", by, BY)
    scores = study.scores(configuration, impute=True)
    values = scores.to_numpy(dtype=float) * (1 if study.direction(configuration) else -1)
    found = shorten(values, check_count("k", k), by, rng)
    return Lite(scores.index[found.chosen].tolist(), *found[1:])
