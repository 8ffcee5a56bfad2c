"""n* of every configuration of a study, and how many independent experiments its conditions are worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from genexpy_nb.common import checks
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.pooling import pool_intervals, share_between
from genexpy_nb.common.prose import levels_in_words, percent
from genexpy_nb.common.random import seed_of
from genexpy_nb.conclusions.completion import N_COMPLETIONS
from genexpy_nb.generalization.clusters import MOST_CONDITIONS, mean_embeddings, unknown_effect
from genexpy_nb.generalization.clusters import design_effect as effect_of_clusters
from genexpy_nb.generalization.contract import as_kernels, epsilon_of, gram_of
from genexpy_nb.generalization.kernels import JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.generalization.moments import CONFIDENCE, note_on_interval
from genexpy_nb.generalization.nstar import (
    LARGEST_WHOLE,
    MOST_COMPARED,
    Estimator,
    estimate_in_parallel,
    method_name,
    sample_of_many,
    smallest_study,
)
from genexpy_nb.study.checks import Configuration, unlike_scores

if TYPE_CHECKING:
    from genexpy_nb.study.study import Study

#: The questions that are asked unless others are: is the best the same, is the order similar?
DEFAULT_KERNELS: tuple[Kernel, ...] = (JaccardKernel(k=1), MallowsKernel())

_HELD_AT_ONCE = 8_000_000  # kernel values: 64 MB, and about ten times as much for what is computed from them


def nstar(
    study: Study,
    kernels: Kernel | Iterable[Kernel] = DEFAULT_KERNELS,
    alpha: float | Sequence[float] = (0.95,),
    delta: float | Sequence[float] = (0.05,),
    method: str | Estimator = "moments",
    *,
    n_resamples: int = 1000,
    rng: np.random.Generator | int = 0,
    n_jobs: int | None = None,
    configuration: Configuration | None = None,
    confidence: float = CONFIDENCE,
) -> pd.DataFrame:
    """Estimate n* for every configuration, kernel, alpha and delta.

    Parameters
    ----------
    kernels : kernel or list of kernels
        The research questions; by default, whether the best alternatives and the whole order stay the same.
    alpha : float or list of float
        Wanted generalizability, in (0, 1).
    delta : float or list of float
        Dissimilarity that is still similar, > 0; each kernel says what it means.
    method, n_resamples, rng, confidence
        See `genexpy_nb.estimate_nstar`.
    n_jobs : int, optional
        Worker processes; the result does not depend on it.
    configuration : dict, optional
        The only configuration to estimate it for; all of them by default.

    Returns
    -------
    DataFrame
        One row per configuration, kernel, alpha and delta: the design columns, kernel, alpha, delta, epsilon,
        n_experiments, nstar, low, high (interval), method, and note, which says why an estimate is missing, or what to
        know about the results that it is made from.

    Warns
    -----
    StudyWarning
        If the scores are on a scale on which a kernel on raw scores finds no two experiments alike.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> scores = np.random.default_rng(0).normal([0.9, 0.8, 0.5], 0.1, (30, 3))
    >>> study = Study.from_wide(pd.DataFrame(scores, columns=["a", "b", "c"]))
    >>> study.nstar()[["kernel", "n_experiments", "nstar"]].round(1)
           kernel  n_experiments  nstar
    0  Jaccard(1)             30   26.2
    1     Mallows             30    7.2
    """
    kernels = as_kernels(kernels)
    alphas, deltas = checks.check_levels("alpha", alpha), np.atleast_1d(checks.as_floats(delta))
    if deltas.ndim > 1 or deltas.size == 0 or np.isnan(deltas).any():  # each kernel says which it accepts
        raise ParameterError(f"delta must be a number or a list of numbers, got {checks.shown(delta)}")
    n_jobs, seed = checks.check_workers(n_jobs), seed_of(rng)
    checks.check_count("n_resamples", n_resamples)
    checks.check_level("confidence", confidence)
    needed, name = smallest_study(method), method_name(method)
    cases = _cases(study, kernels, deltas, configuration, needed)
    largest = max(case.n_experiments for case in cases)
    if largest < needed:
        raise StudyError(
            f"method {name!r} needs at least {needed} experiments per configuration; no configuration has "
            f"more than {largest} (levels of {' x '.join(study.generalize_over)})"
        )
    if name != "moments" and largest > MOST_COMPARED:
        raise StudyError(
            f"method {name!r} compares every pair of experiments, and takes up to {MOST_COMPARED:,} of "
            f"them; there are {largest:,}; method='moments' takes any number"
        )

    possible = [(case, number) for case in cases if not case.obstacle for number in range(case.n_tables)]
    estimates = list(_estimates(study, possible, alphas, method, n_resamples, seed, n_jobs, confidence))
    similarities = [(case, found.similarity) for (case, _), found in zip(possible, estimates, strict=True)]
    study._warn(_doubts_about_scale(study, similarities))
    left = iter(estimates)
    nothing = np.full((len(alphas), len(deltas), 3), np.nan)
    values, notes = [], []
    for case in cases:
        parts = [_Estimate(nothing, case.obstacle)] if case.obstacle else [next(left) for _ in range(case.n_tables)]
        found, due_to_cells = _pooled(study, case, parts, confidence)
        values.append(found)
        notes += [_joined([parts[0].note, said]) for said in due_to_cells]
    n_grid = len(alphas) * len(deltas)
    columns: dict[str, Any] = {
        name: [case.configuration[name] for case in cases for _ in range(n_grid)] for name in study.design
    }
    columns["kernel"] = np.repeat([case.kernel.name for case in cases], n_grid)
    columns["alpha"] = np.tile(np.repeat(alphas, len(deltas)), len(cases))
    columns["delta"] = np.tile(deltas, len(cases) * len(alphas))
    columns["epsilon"] = np.concatenate([np.tile(case.epsilons, len(alphas)) for case in cases])
    columns["n_experiments"] = np.repeat([case.n_experiments for case in cases], n_grid)
    columns |= zip(("nstar", "low", "high"), np.concatenate(values).reshape(-1, 3).T, strict=True)
    frame = pd.DataFrame({**columns, "method": method_name(method), "note": notes})
    frame.attrs["confidence"] = confidence
    return frame


def gram(study: Study, configuration: Configuration | None, kernel: Kernel) -> np.ndarray:
    """Return the kernel values between all pairs of experiments; of clusters, the mean over pairs of conditions."""
    (kernel,) = as_kernels(kernel)
    return _gram_of_experiments(study, study.results(configuration, kernel), kernel)


def grams(study: Study, configuration: Configuration | None, kernel: Kernel) -> list[np.ndarray]:
    """Return the Gram matrix of experiments, or that of each completion."""
    tables = (study.results(configuration, kernel, number) for number in range(n_tables(study, configuration)))
    return [_gram_of_experiments(study, table, kernel) for table in tables]


def n_tables(study: Study, configuration: Configuration | None) -> int:
    """Return from how many completions of a configuration answers are combined; 1 if nothing is completed."""
    return N_COMPLETIONS if study.is_completed(configuration) else 1


def design_effect(
    study: Study,
    kernels: Kernel | Iterable[Kernel] = DEFAULT_KERNELS,
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    configuration: Configuration | None = None,
    confidence: float = CONFIDENCE,
) -> pd.DataFrame:
    """Say how many independent experiments the conditions are worth that lie in clusters.

    Parameters
    ----------
    kernels, alpha, delta, configuration, confidence
        See `Study.nstar`.

    Returns
    -------
    DataFrame, one row per configuration and kernel
        The design columns; ``kernel``; ``n_conditions``, ``n_clusters``, ``mean_size``; ``icc``, the correlation of the
        conditions of a cluster in the kernel's feature space; ``n_effective``, how many independent experiments they
        are worth; ``design_effect``, n_conditions over that; these three with intervals in ``_low`` and ``_high``;
        ``alpha``, ``delta``; ``nstar`` of clusters, and ``nstar_conditions``, what it would be if the conditions were
        independent, with intervals; ``note``.

    Notes
    -----
    How it is estimated, says `genexpy_nb.generalization.clusters`. A correlation below 0 counts as none.

    Examples
    --------
    >>> from genexpy_nb import MallowsKernel, Study
    >>> rng = np.random.default_rng(0)
    >>> scores = np.repeat(rng.normal([3, 2, 1], 2, (12, 3)), 4, axis=0) + rng.normal(0, 1, (48, 3))
    >>> frame = pd.DataFrame(scores, columns=list("abc")).assign(domain=np.repeat(range(12), 4))
    >>> study = Study.from_wide(frame, cluster="domain")
    >>> study.design_effect(MallowsKernel())[["n_conditions", "n_clusters", "icc", "n_effective"]].round(2)
       n_conditions  n_clusters  icc  n_effective
    0            48          12  0.4        21.96
    """
    if study.cluster is None:
        raise ParameterError("design_effect is for studies with clusters: pass cluster= to Study")
    kernels = as_kernels(kernels)
    alpha, delta = checks.check_level("alpha", alpha), checks.check_number("delta", delta, 0)
    checks.check_level("confidence", confidence)
    cases = _cases(study, kernels, np.array([delta]), configuration, needed=1)
    frame = pd.DataFrame([{**case.configuration, **_effect_of_case(study, case, confidence)} for case in cases])
    note = frame.pop("note")
    frame = frame.assign(alpha=alpha, delta=delta)
    for name, each in (("nstar", study), ("nstar_conditions", study._without_clusters())):
        try:
            found = each.nstar(kernels, alpha, delta, configuration=configuration, confidence=confidence)
            frame[[name, f"{name}_low", f"{name}_high"]] = found[["nstar", "low", "high"]].to_numpy()
        except StudyError:  # too few experiments everywhere
            frame[[name, f"{name}_low", f"{name}_high"]] = np.nan
    return frame.assign(note=note)


def _effect_of_case(study: Study, case: _Case, confidence: float) -> dict[str, Any]:
    """Return the columns of `design_effect` but for n*."""
    codes, compared = _numbers_of_clusters(study.condition_scores(case.configuration)), []
    if not case.obstacle:
        tables = [study.results(case.configuration, case.kernel, number) for number in range(case.n_tables)]
        with _named_in_errors(case):
            compared = [_gram_of_conditions(each, case.kernel) for each in tables]
    found = effect_of_clusters(compared, codes, confidence) if compared else unknown_effect(codes, case.obstacle)
    row: dict[str, Any] = {
        "kernel": case.kernel.name,
        "n_conditions": found.n_conditions,
        "n_clusters": found.n_clusters,
        "mean_size": found.n_conditions / found.n_clusters,
    }
    icc = (found.icc, found.icc_low, found.icc_high)
    for name, value in (("icc", icc), ("n_effective", found.n_effective), ("design_effect", found.design_effect)):
        row |= dict(zip((name, f"{name}_low", f"{name}_high"), value, strict=True))
    return row | {"note": found.note}


# --- one configuration and one kernel ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Case:
    """One configuration and one kernel; the obstacle says why n* cannot be estimated, if it cannot."""

    configuration: Configuration
    kernel: Kernel
    epsilons: np.ndarray
    n_experiments: int
    n_conditions: int
    n_tables: int
    obstacle: str


class _Estimate(NamedTuple):
    """n* of one case, shape (A, E, 3), what to know about it, and how alike two experiments are, for scores."""

    values: np.ndarray
    note: str = ""
    similarity: float = np.nan


def _cases(
    study: Study, kernels: Sequence[Kernel], deltas: np.ndarray, configuration: Configuration | None, needed: int
) -> list[_Case]:
    """Return every configuration, or the one that is asked for, with every kernel."""
    found = []
    for asked in study.configurations if configuration is None else [configuration]:
        block = study.scores(asked)
        levels = {name: asked[name] for name in study.design}
        n_conditions, count = len(study.condition_scores(asked)), n_tables(study, asked)
        for kernel in kernels:
            if block.shape[1] < 2:  # a kernel may have no threshold for a single alternative
                epsilons = np.full(len(deltas), np.nan)
            else:
                epsilons = epsilon_of(kernel, deltas, block.shape[1])
            obstacle = _obstacle(study, block, kernel, needed)
            found.append(_Case(levels, kernel, epsilons, len(block), n_conditions, count, obstacle))
    return found


def _obstacle(study: Study, block: pd.DataFrame, kernel: Kernel, needed: int) -> str:
    """Say why n* of one configuration cannot be estimated while that of others can; empty if it can."""
    if len(block) < needed:
        return f"{len(block)} experiments; at least {needed} are needed"
    if block.shape[1] < 2:
        return "a single alternative"
    wanted = getattr(kernel, "alternative", None)
    if wanted is not None and wanted not in block.columns and wanted in study.alternatives:
        return f"{wanted} does not occur in this configuration"
    return ""


def _estimates(
    study: Study,
    possible: Sequence[tuple[_Case, int]],
    alphas: np.ndarray,
    method: str | Estimator,
    n_resamples: int,
    seed: int,
    n_jobs: int | None,
    confidence: float,
) -> Iterator[_Estimate]:
    """Yield n* of each completion of each case, in order; a few Gram matrices are held at a time."""

    latest: dict[tuple, pd.DataFrame] = {}

    def results(case: _Case, number: int) -> pd.DataFrame:
        key = (*case.configuration.values(), case.kernel.on, number)
        if key not in latest:
            latest.clear()
            latest[key] = study.results(case.configuration, case.kernel, number, seed)
        return latest[key].copy()  # a kernel of the user's may change what it is given

    for batch in _batches(possible):
        matrices, remarks = [], []
        for case, number in batch:
            with _named_in_errors(case):
                table = results(case, number)
                some, drawn = table, ""
                if len(table) > LARGEST_WHOLE and method == "moments" and study.cluster is None:
                    some = table.iloc[sample_of_many(len(table), seed)]
                    drawn = f"{LARGEST_WHOLE:,} of the {len(table):,} experiments were drawn at random for n*"
                matrices.append(_gram_of_experiments(study, some, case.kernel))
                remarks.append("" if number else _joined([_remark(study, case, table), drawn]))
        epsilons = [case.epsilons for case, _ in batch]
        found = estimate_in_parallel(matrices, alphas, epsilons, method, n_resamples, seed, n_jobs, confidence)
        for (case, _), matrix, values, remark in zip(batch, matrices, found, remarks, strict=True):
            note = note_on_interval(matrix) if method == "moments" else ""
            similarity = np.nan
            if case.kernel.on == "scores":
                similarity = float(np.median(matrix[np.triu_indices(len(matrix), 1)])) if len(matrix) > 1 else 1.0
            yield _Estimate(values, _joined([remark, note]), similarity)


def _batches(possible: Iterable[tuple[_Case, int]]) -> Iterator[list[tuple[_Case, int]]]:
    """Yield those whose Gram matrices are held at once; one of too many experiments is alone."""
    batch: list[tuple[_Case, int]] = []
    held = 0
    for case, number in possible:
        size = _HELD_AT_ONCE if case.n_conditions > LARGEST_WHOLE else case.n_conditions**2
        if batch and held + size > _HELD_AT_ONCE:
            yield batch
            batch, held = [], 0
        batch.append((case, number))
        held += size
    if batch:
        yield batch


def _gram_of_experiments(study: Study, results: pd.DataFrame, kernel: Kernel) -> np.ndarray:
    """Return the Gram matrix of experiments, from what the kernel compares."""
    if study.cluster is None:
        return gram_of(kernel, results)
    return mean_embeddings(_gram_of_conditions(results, kernel), _numbers_of_clusters(results))


def _gram_of_conditions(results: pd.DataFrame, kernel: Kernel) -> np.ndarray:
    if len(results) > MOST_CONDITIONS:
        raise StudyError(
            f"cluster: there are {len(results):,} conditions, and every pair of them is compared; up to "
            f"{MOST_CONDITIONS:,} can be; name columns of conditions in average_over, or leave some out"
        )
    return gram_of(kernel, results)


def _numbers_of_clusters(conditions: pd.DataFrame) -> np.ndarray:
    """Return the number of the cluster of each condition, in the order in which clusters stand."""
    return conditions.index.get_level_values(0).factorize()[0]


def _remark(study: Study, case: _Case, results: pd.DataFrame) -> str:
    """What the kernel has to say about the results of a configuration."""
    remark = getattr(case.kernel, "remark", None)
    words = "" if remark is None else str(remark(results))
    # a kernel calls what it compares experiments
    return words if study.cluster is None else words.replace(" experiments ", " conditions ")


def _doubts_about_scale(study: Study, similarities: Sequence[tuple[_Case, float]]) -> Iterator[str]:
    for kernel in {case.kernel: None for case, _ in similarities if case.kernel.on == "scores"}:
        of = {
            levels_in_words(case.configuration): (case, found) for case, found in similarities if case.kernel == kernel
        }
        scores = {where: study.results(case.configuration, kernel).to_numpy() for where, (case, _) in of.items()}
        yield from unlike_scores(kernel.name, {where: found for where, (_, found) in of.items()}, scores)


def _pooled(study: Study, case: _Case, parts: Sequence[_Estimate], confidence: float) -> tuple[np.ndarray, list[str]]:
    """Combine estimates of completions on the scale of logarithms, and say how much of intervals is due to cells."""
    if len(parts) == 1:
        return parts[0].values, [""] * parts[0].values[..., 0].size
    estimates, lows, highs = np.log(np.moveaxis(np.stack([part.values for part in parts]), -1, 0))
    mean, least, most = pool_intervals(estimates, lows, highs, confidence=confidence)
    values = np.exp(np.stack([mean, np.maximum(least, 0.0), most], axis=-1))  # n* is at least 1
    block = study.condition_scores(case.configuration)
    absent = f"{int(block.isna().to_numpy().sum()):,} of {block.size:,} evaluations are missing"
    return values, [
        absent if np.isnan(share) else f"{absent}: {percent(share)} of the interval's squared width is due to them"
        for share in share_between(estimates, lows, highs, confidence=confidence).ravel()
    ]


def _joined(words: Iterable[str]) -> str:
    return "; ".join(filter(None, words))


@contextmanager
def _named_in_errors(case: _Case) -> Iterator[None]:
    """Say in an error of a kernel which configuration it is about."""
    try:
        yield
    except ParameterError as error:
        where = f" ({levels_in_words(case.configuration)})" if case.configuration else ""
        raise ParameterError(f"{error}{where}") from None
