"""Tables that the notebooks show: n* beside what is known, what was published, and what would have been enough.

They put together what the other modules of the room compute, and hold no estimator of their own. The functions of the
section on two tables compare two alternatives on each of several tables (notebook 02); the last three say what
experiments that all agree tell, and what they do not (notebook 03).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_choice, check_columns, check_count, check_level, check_number
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import generator
from genexpy_nb.generalization.exact import exact_generalizability, exact_nstar
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.preliminary import simulate_estimates, subsampling_errors
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.generalization.simulation import definition
from genexpy_nb.generalization.study import Study
from genexpy_nb.generalization.theory import bound, closed_form
from genexpy_nb.significance import compare_pairs, paired_differences

__all__ = [
    "absent_alternatives",
    "beside_published",
    "box_heights",
    "compare_on_tables",
    "estimates_of_distributions",
    "exact_curves",
    "halves_that_agree",
    "harmless_share",
    "kernel_table",
    "known_nstar",
    "largest_unseen_share",
    "n_to_exclude",
    "rows_named_like",
    "score_distances",
    "side_by_side",
    "smallest_sizes",
    "subsampling_errors_of_studies",
    "summarise_draws",
    "without_condition_means",
]

_ROUNDING = 1e-12  # of the largest number: what is smaller may be left over by rounding


# --- questions --------------------------------------------------------------------------------------------------------


def kernel_table(kernels: Sequence[Kernel], delta: float, n_alternatives: int) -> pd.DataFrame:
    """List the questions that kernels ask, and the thresholds that a tolerance means to them.

    Parameters
    ----------
    kernels : list of kernels
    delta : float
        Tolerance.
    n_alternatives : int

    Returns
    -------
    DataFrame
        One row per kernel: kernel (its name), question, epsilon.

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import JaccardKernel, MallowsKernel
    >>> kernel_table([JaccardKernel(1), MallowsKernel()], 0.05, 4)[["kernel", "epsilon"]].round(3).to_dict("list")
    {'kernel': ['Jaccard(1)', 'Mallows'], 'epsilon': [0.316, 0.312]}
    """
    return pd.DataFrame(
        {
            "kernel": [kernel.name for kernel in kernels],
            "question": [kernel.question for kernel in kernels],
            "epsilon": [float(kernel.epsilon(delta, n_alternatives)) for kernel in kernels],
        }
    )


# --- a known distribution ---------------------------------------------------------------------------------------------


def exact_curves(
    gram: ArrayLike, probabilities: ArrayLike, epsilons: Mapping[str, float], sizes: Sequence[int]
) -> pd.DataFrame:
    """Compute n-generalizability of a known distribution for several sizes and thresholds, without simulation.

    Parameters
    ----------
    gram : array_like, shape (l, l)
        Kernel values between the possible results.
    probabilities : array_like, shape (l,)
        Probability of each result.
    epsilons : dict of str to float
        Thresholds on the MMD, and what their curves are called.
    sizes : sequence of int
        Experiments per study.

    Returns
    -------
    DataFrame
        One row per threshold and size: n, curve (the threshold's name), generalizability.

    Raises
    ------
    ParameterError
        As in `exact_generalizability`.

    Examples
    --------
    >>> exact_curves(np.eye(2), [0.5, 0.5], {"strict": 0.5}, [1, 2])
       n   curve  generalizability
    0  1  strict             0.500
    1  2  strict             0.375
    """
    return pd.DataFrame(
        [
            {"n": n, "curve": name, "generalizability": exact_generalizability(gram, n, epsilon, probabilities)}
            for name, epsilon in epsilons.items()
            for n in sizes
        ]
    )


def known_nstar(
    gram: ArrayLike,
    alpha: float,
    epsilons: Mapping[str, float],
    probabilities: ArrayLike,
    *,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Compute n* of a known distribution in four ways.

    Parameters
    ----------
    gram : array_like, shape (l, l)
        Kernel values between the possible results.
    alpha : float
        Wanted generalizability, in (0, 1).
    epsilons : dict of str to float
        Thresholds on the MMD, and what their columns are called.
    probabilities : array_like, shape (l,)
        Probability of each result.
    rng : numpy.random.Generator or int
        Source of randomness of ``definition``, or its seed.

    Returns
    -------
    DataFrame, shape (4, n_epsilons)
        Rows: ``exact`` (all pairs of studies listed), ``definition`` (pairs simulated), ``closed-form`` (limiting
        distribution), ``bound`` (of any distribution).

    Raises
    ------
    ParameterError
        If n* is so large that the studies cannot be listed any more.

    References
    ----------
    Generalizability of Experimental Studies, second version, Eq. 9, Appendix C.1 and Proposition C.4.

    Examples
    --------
    >>> known_nstar(np.eye(2), 0.95, {"eps = 0.5": 0.5}, [0.5, 0.5]).round(1)
                 eps = 0.5
    exact             15.0
    definition        15.0
    closed-form       15.0
    bound             95.1
    """
    return pd.DataFrame(
        {
            name: {
                "exact": exact_nstar(gram, alpha, epsilon, probabilities),
                "definition": definition(gram, alpha, epsilon, probabilities, rng=rng),
                "closed-form": closed_form(gram, alpha, epsilon, probabilities),
                "bound": bound(alpha, epsilon),
            }
            for name, epsilon in epsilons.items()
        }
    )


# --- real studies -----------------------------------------------------------------------------------------------------


def absent_alternatives(study: Study) -> pd.Series:
    """List the alternatives of a study that a configuration lacks altogether.

    Parameters
    ----------
    study : Study

    Returns
    -------
    Series of str
        Names separated by commas, empty where none is absent; one per configuration, with the index of
        `Study.accounting`.

    Examples
    --------
    >>> table = pd.DataFrame({"task": [1, 1, 1, 2, 2], "model": list("abcab"), "data": 0, "score": [1, 2, 3, 4, 5]})
    >>> study = Study(table, alternatives="model", target="score", generalize_over="data", design="task")
    >>> absent_alternatives(study).tolist()
    ['', 'c']
    """
    every = study.alternatives
    absent = [
        ", ".join(str(name) for name in every if name not in present)
        for present in (set(study.scores(configuration)) for configuration in study.configurations)
    ]
    return pd.Series(absent, study.accounting.index, dtype=object, name="absent")


def rows_named_like(
    study: Study, factor: str, configurations: Sequence[Mapping[str, Any]] | None = None
) -> pd.DataFrame:
    """Compare conditions that carry the name of their configuration with the mean of the other conditions.

    A "subtask" with the name of its task is no experiment if it is the average of the others: then the two columns
    ``correlation`` and ``ratio`` are constant over the configurations of a task, and the correlation is 1.

    Parameters
    ----------
    study : Study
        With one generalizability factor.
    factor : str
        Design factor whose level may also be the name of a condition.
    configurations : list of dict, optional
        By default all.

    Returns
    -------
    DataFrame
        One row per configuration that has such a condition, and others: the design columns, n_experiments, correlation
        (over the alternatives, between its scores and the mean of the others), ratio (median over the alternatives of
        its score divided by that mean).

    Raises
    ------
    ParameterError
        If ``factor`` is no design factor.

    Examples
    --------
    >>> table = pd.DataFrame({"task": "sums", "subtask": ["one digit"] * 3 + ["two digits"] * 3 + ["sums"] * 3,
    ...                       "model": list("abc") * 3, "score": [0.9, 0.5, 0.8, 0.5, 0.1, 0.2, 70.0, 30.0, 50.0]})
    >>> study = Study(table, alternatives="model", target="score", generalize_over="subtask", design="task")
    >>> rows_named_like(study, "task").round(3).to_dict("list")
    {'task': ['sums'], 'n_experiments': [3], 'correlation': [1.0], 'ratio': [100.0]}
    """
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
    """Put estimates of n* from a table of results beside published ones.

    Parameters
    ----------
    study : Study
    published : DataFrame
        As returned by `genexpy_nb.published_nstar`: the design columns and kernel, and whatever is to be kept.
    kernel : kernel
        The question; published numbers for other kernels are left out, and so are those for configurations that the
        study does not have.
    methods : list of str
        Of `genexpy_nb.generalization.nstar.METHODS`.
    alpha, delta, n_resamples, rng
        See `Study.nstar`.

    Returns
    -------
    DataFrame
        The rows and columns of ``published``, then n_experiments, one column per method with its estimate, and low and
        high: the interval (nominal 95 %) of the first method.

    Raises
    ------
    StudyError
        If ``published`` lacks a design column or the column kernel.

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import JaccardKernel
    >>> table = pd.DataFrame({"data": [0, 1, 2, 3] * 2, "model": list("aaaabbbb"), "score": [1] * 4 + [0] * 4})
    >>> study = Study(table, alternatives="model", target="score", generalize_over="data")
    >>> printed = pd.DataFrame({"kernel": ["Jaccard(1)"], "published": [1]})
    >>> beside_published(study, printed, JaccardKernel(1)).to_dict("list")
    {'kernel': ['Jaccard(1)'], 'published': [1], 'n_experiments': [4], 'moments': [1.0], 'low': [1.0], 'high': [inf]}
    """
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


def subsampling_errors_of_studies(
    studies: Mapping[str, Study],
    kernels: Mapping[str, Sequence[Kernel]],
    sizes: Sequence[int] = (10, 20, 30, 40),
    methods: Sequence[str] = ("moments", "resampling"),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    reference: int = 50,
    most: int | None = None,
    n_studies: int = 20,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Compare n* from few experiments with n* from many, for each of several real studies.

    Parameters
    ----------
    studies : dict of str to Study
        Those without a configuration of ``reference`` experiments are left out.
    kernels : dict of str to list of kernels
        The questions to each study. Borda kernels may ask about different alternatives.
    sizes, methods, alpha, delta, reference, most, n_studies, n_resamples, rng
        See `genexpy_nb.generalization.preliminary.subsampling_errors`.

    Returns
    -------
    DataFrame
        As of `subsampling_errors`, without the design columns, and with a last column study. The column kernel holds
        the kind of the kernel only, such as ``Borda``, so that studies can be compared.

    Raises
    ------
    ParameterError
        If no configuration of any study has ``reference`` experiments, or a size is not below it.

    References
    ----------
    Generalizability of Experimental Studies, first version, Section 5.3 and Figure 4.

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import BordaKernel
    >>> scores = np.random.default_rng(0).random((20, 3))
    >>> table = pd.DataFrame(scores, columns=list("abc")).melt(var_name="model", ignore_index=False).reset_index()
    >>> study = Study(table, alternatives="model", target="value", generalize_over="index")
    >>> asked = {"mine": [BordaKernel("a")]}
    >>> errors = subsampling_errors_of_studies({"mine": study}, asked, [10], reference=20, n_studies=2)
    >>> errors["kernel"].unique().tolist(), errors["study"].unique().tolist(), len(errors)
    (['Borda'], ['mine'], 4)
    """
    frames = []
    for name, study in studies.items():
        if study.accounting["n_experiments"].max() < reference:
            continue
        errors = subsampling_errors(
            study,
            kernels[name],
            sizes,
            methods,
            alpha,
            delta,
            reference=reference,
            most=most,
            n_studies=n_studies,
            n_resamples=n_resamples,
            rng=rng,
        )
        kinds = errors["kernel"].str.partition("(")[0]
        frames.append(errors.drop(columns=study.design).assign(kernel=kinds, study=name))
    if not frames:
        raise ParameterError(f"reference={reference}: no configuration of any study has so many experiments")
    return pd.concat(frames, ignore_index=True)


# --- two tables -------------------------------------------------------------------------------------------------------


def side_by_side(
    table: pd.DataFrame, chosen: Sequence[str], *, alternatives: str, target: str, condition: str, design: Sequence[str]
) -> pd.DataFrame:
    """Average the scores of a few alternatives per condition, over the configurations in which all of them have one.

    Parameters
    ----------
    table : DataFrame
        One row per evaluation.
    chosen : sequence of str
        At least two alternatives.
    alternatives, target, condition : str
        Columns of the alternatives, of the scores, and of what a conclusion is to hold for, such as datasets.
    design : sequence of str
        Columns whose levels make up a configuration; with the condition and the alternative they identify a row.

    Returns
    -------
    DataFrame, shape (n_conditions, n_chosen)
        Mean scores. Conditions without a configuration that all have a score in are left out.

    Raises
    ------
    StudyError
        If a column is missing, an evaluation occurs twice, or no configuration has scores of all.

    Examples
    --------
    >>> table = pd.DataFrame({"data": [1, 1, 1, 1, 2], "model": list("xxyyx"), "encoder": list("ababa")})
    >>> table["score"] = [0.5, 0.7, 0.1, 0.5, 0.9]
    >>> roles = {"alternatives": "encoder", "target": "score", "condition": "data", "design": ["model"]}
    >>> side_by_side(table, ["a", "b"], **roles).round(2).reset_index().to_dict("list")
    {'data': [1], 'a': [0.3], 'b': [0.6]}
    """
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
    """Split conditions into random halves, again and again: how often do both say that the same side is better?

    Parameters
    ----------
    differences : array_like, shape (n_conditions,)
        Of one alternative minus another; at least two.
    n_splits : int
        How many splits. With an odd number of conditions, one is left out of each.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    float
        Share of the splits in which the means of both halves have the same sign; a mean of 0 has none. The same
        differences in another order are split otherwise, so that their share is another one as far as chance goes.

    Raises
    ------
    ParameterError
        If there are fewer than two differences, or one is missing.

    Examples
    --------
    >>> halves_that_agree([0.1, 0.2, 0.1, 0.3]), halves_that_agree([1.0, -1.0])
    (1.0, 0.0)
    """
    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise ParameterError(f"differences must be at least two finite numbers, got shape {values.shape}")
    draw, half = generator(rng), len(values) // 2
    orders = np.argsort(draw.random((check_count("n_splits", n_splits), len(values))), axis=1)
    one, other = values[orders[:, :half]].mean(axis=1), values[orders[:, half : 2 * half]].mean(axis=1)
    nothing = _ROUNDING * np.abs(values).max()  # what is left of 0.1 + 0.2 - 0.3 has no sign
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
    """Ask each of several tables which of two alternatives is better.

    Parameters
    ----------
    tables : dict of str to DataFrame
    first, second : str
        Alternatives.
    alternatives, target, condition, design
        See `side_by_side`.
    higher_is_better : bool
        Direction of the scores.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    DataFrame, one row per table
        ``n_conditions``; ``estimate`` (mean of first minus second) with its interval ``low``, ``high`` and ``p``, as of
        `genexpy_nb.significance.compare_pairs`; ``n_first`` and ``n_second``: conditions on which that one is better;
        ``halves``: see `halves_that_agree`.

    Raises
    ------
    StudyError
        As `side_by_side`.

    Examples
    --------
    >>> table = pd.DataFrame({"data": [1, 2, 3, 4] * 2, "encoder": list("aaaabbbb")})
    >>> table["score"] = [0.5, 0.6, 0.8, 0.4, 0.4, 0.4, 0.7, 0.2]
    >>> roles = {"alternatives": "encoder", "target": "score", "condition": "data", "design": []}
    >>> compare_on_tables({"mine": table}, "a", "b", higher_is_better=True, **roles)[["estimate", "n_first", "halves"]]
          estimate  n_first  halves
    mine      0.15        4     1.0
    """
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


def without_condition_means(
    table: pd.DataFrame, *, target: str, condition: Sequence[str], design: Sequence[str]
) -> pd.DataFrame:
    """Subtract from each score the mean score of its condition and configuration.

    Parameters
    ----------
    table : DataFrame
    target : str
        Column of the scores.
    condition, design : sequence of str
        Columns that make up a condition, and a configuration.

    Returns
    -------
    DataFrame
        A copy of the table.

    Raises
    ------
    StudyError
        If a column is missing.

    Examples
    --------
    >>> table = pd.DataFrame({"data": [1, 1, 2, 2], "encoder": list("abab"), "score": [0.25, 0.75, 0.5, 1.0]})
    >>> without_condition_means(table, target="score", condition=["data"], design=[])["score"].tolist()
    [-0.25, 0.25, -0.25, 0.25]
    """
    keys = [*condition, *design]
    check_columns(table, [*keys, target], "the table")
    means = table.groupby(keys, sort=False, observed=True)[target].transform("mean")
    return table.assign(**{target: table[target] - means})


def score_distances(scores: pd.DataFrame | ArrayLike) -> dict[str, float]:
    """Say how far two experiments are apart in their raw scores, and how much of that is due to their means.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_experiments, n_alternatives)
        Without missing values; at least two experiments.

    Returns
    -------
    dict of str to float
        ``between``: root mean square of the difference of an alternative's scores in two experiments, over all pairs of
        experiments and all alternatives; ``means``: the share of its square that is left if each score is replaced by
        the mean of its experiment, missing if all scores are alike.

    Raises
    ------
    ParameterError
        If the shape is another one, or a score is missing.

    Examples
    --------
    >>> score_distances([[0.0, 0.0], [1.0, 1.0]]), score_distances([[0.0, 1.0], [1.0, 0.0]])
    ({'between': 1.0, 'means': 1.0}, {'between': 1.0, 'means': 0.0})
    """
    values = np.asarray(scores, dtype=float)
    if values.ndim != 2 or len(values) < 2 or values.shape[1] == 0 or not np.isfinite(values).all():
        raise ParameterError(f"scores must be a complete table of two experiments or more, got shape {values.shape}")
    # the mean squared difference of two of n numbers is twice their variance with n - 1
    squares = 2 * values.var(axis=0, ddof=1).mean()
    of_means = 2 * values.mean(axis=1).var(ddof=1)
    if squares <= (_ROUNDING * np.abs(values).max()) ** 2:  # the mean of three times 0.1 is not quite 0.1
        return {"between": 0.0, "means": float("nan")}
    return {"between": float(sqrt(squares)), "means": float(of_means / squares)}


def box_heights(nstar: pd.DataFrame, over: str) -> pd.DataFrame:
    """Say how much design factors matter at each level of strictness: the quartiles of n* over the configurations.

    Parameters
    ----------
    nstar : DataFrame
        From `Study.nstar`.
    over : {"alpha", "delta"}
        What is varied; the other one should be held.

    Returns
    -------
    DataFrame, one row per kernel and level
        Columns kernel, ``over``, ``height`` (upper minus lower quartile, in experiments) and ``ratio`` (upper over
        lower quartile, the height of a box on a logarithmic scale). Rows go from the mildest to the strictest level.

    Raises
    ------
    ParameterError, StudyError
        If ``over`` is another column, or a column is missing.

    Examples
    --------
    >>> frame = pd.DataFrame({"kernel": "Mallows", "alpha": [0.9] * 3 + [0.8] * 3, "nstar": [8, 10, 12, 4, 5, 6]})
    >>> box_heights(frame, "alpha")
        kernel  alpha  height     ratio
    0  Mallows    0.8     1.0  1.222222
    1  Mallows    0.9     2.0  1.222222
    """
    check_choice("over", over, ("alpha", "delta"))
    check_columns(nstar, ["kernel", over, "nstar"], "nstar")
    quartiles = nstar.groupby(["kernel", over], sort=False)["nstar"].quantile([0.25, 0.75]).unstack()
    boxes = pd.DataFrame({"height": quartiles[0.75] - quartiles[0.25], "ratio": quartiles[0.75] / quartiles[0.25]})
    order = {name: i for i, name in enumerate(nstar["kernel"].unique())}
    boxes = boxes.reset_index().sort_values(over, ascending=over == "alpha", kind="stable")
    return boxes.sort_values("kernel", key=lambda column: column.map(order), kind="stable").reset_index(drop=True)


# --- simulated studies ------------------------------------------------------------------------------------------------


def estimates_of_distributions(
    distributions: Mapping[str, RankingDistribution],
    kernels: Sequence[Kernel],
    sizes: Sequence[int] = (10, 20, 40, 80),
    methods: Sequence[str] = ("moments",),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    n_studies: int = 100,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Estimate n* from simulated studies of several distributions and questions.

    Parameters
    ----------
    distributions : dict of str to RankingDistribution
    kernels : list of kernels on rankings
        A Borda kernel asks about a position, because the alternatives have no names.
    sizes, methods, alpha, delta, n_studies, n_resamples, rng
        See `genexpy_nb.generalization.preliminary.simulate_estimates`; each case is simulated with the same ``rng``.

    Returns
    -------
    DataFrame
        As of `simulate_estimates`, with a last column distribution.

    Raises
    ------
    ParameterError
        If a size is too small for a method.

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import MallowsKernel
    >>> even = RankingDistribution([[0, 1], [1, 0]], [0.5, 0.5])
    >>> frame = estimates_of_distributions({"even": even}, [MallowsKernel()], sizes=[10], n_studies=3)
    >>> frame[["distribution", "size", "method"]].drop_duplicates().to_numpy().tolist()
    [['even', 10, 'moments']]
    """
    return pd.concat(
        (
            simulate_estimates(
                distribution,
                kernel,
                sizes,
                methods,
                alpha,
                delta,
                n_studies=n_studies,
                n_resamples=n_resamples,
                rng=rng,
            ).assign(distribution=name)
            for name, distribution in distributions.items()
            for kernel in kernels
        ),
        ignore_index=True,
    )


def smallest_sizes(summary: pd.DataFrame, wanted: Mapping[str, tuple[str, str, float]]) -> pd.DataFrame:
    """Find the smallest number of experiments that was good enough in every case.

    Parameters
    ----------
    summary : DataFrame
        As returned by `genexpy_nb.generalization.preliminary.summarise_errors`, with index levels kernel and size, and
        others: the cases.
    wanted : dict
        ``{name: (column, "at least" or "at most", value)}``: what is good enough.

    Returns
    -------
    DataFrame, shape (n_kernels, n_wanted)
        The smallest size at which every case meets the wish; as text, such as ``> 80``, if not even the largest does.
        Larger sizes are not looked at.

    Raises
    ------
    StudyError
        If the summary lacks an index level or a column.
    ParameterError
        If a direction is unknown.

    Examples
    --------
    >>> summary = pd.DataFrame({"kernel": "Mallows", "size": [10, 10, 20, 20], "case": list("abab"),
    ...                         "rmse": [0.1, 0.4, 0.1, 0.2]}).set_index(["kernel", "size", "case"])
    >>> wanted = {"25 %": ("rmse", "at most", 0.25), "5 %": ("rmse", "at most", 0.05)}
    >>> smallest_sizes(summary, wanted).loc["Mallows"].tolist()
    [20, '> 20']
    """
    table = summary.reset_index()
    check_columns(table, ["kernel", "size", *(column for column, _, _ in wanted.values())], "summary")
    sizes = sorted(table["size"].unique().tolist())
    result: dict[str, dict[str, Any]] = {}
    for name, (column, direction, value) in wanted.items():
        check_choice(f"direction of {name!r}", direction, ("at least", "at most"))
        cases = table.groupby(["kernel", "size"], sort=False)[column]
        good = cases.min() >= value if direction == "at least" else cases.max() <= value
        result[name] = {
            kernel: next((size for size in sizes if good.get((kernel, size), False)), f"> {sizes[-1]}")
            for kernel in table["kernel"].unique()
        }
    return pd.DataFrame(result, dtype=object)


def summarise_draws(estimates: Mapping[str, ArrayLike], reference: float) -> pd.DataFrame:
    """Say how repeated estimates of n* scatter, and how usual a single value is among them.

    Parameters
    ----------
    estimates : dict of str to array_like, shapes (n_studies,)
        Repeated estimates, under a name each.
    reference : float
        The value in question, such as a published one.

    Returns
    -------
    DataFrame
        One row per name: the quantiles ``q05``, ``median`` and ``q95``, and ``share``: the share of the estimates that
        are at least ``reference``.

    Examples
    --------
    >>> summarise_draws({"few": [10.0, 20.0, 30.0, 40.0, 50.0]}, reference=40).loc["few"].tolist()
    [12.0, 30.0, 48.0, 0.4]
    """
    values = {name: np.asarray(each, dtype=float) for name, each in estimates.items()}
    return pd.DataFrame(
        {
            "q05": {name: np.quantile(each, 0.05) for name, each in values.items()},
            "median": {name: np.median(each) for name, each in values.items()},
            "q95": {name: np.quantile(each, 0.95) for name, each in values.items()},
            "share": {name: np.mean(each >= reference) for name, each in values.items()},
        }
    )


# --- experiments that all agree ---------------------------------------------------------------------------------------


def largest_unseen_share(n_experiments: int, confidence: float = 0.95) -> float:
    """Bound the share of results that did not turn up in any of the experiments.

    Parameters
    ----------
    n_experiments : int
        Independent experiments, at least 1, that all had the same result.
    confidence : float
        Of the bound, in (0, 1).

    Returns
    -------
    float
        If other results had a larger share p of all conceivable experiments, all would have agreed with a probability
        ``(1 - p) ** n_experiments`` of less than ``1 - confidence``.

    References
    ----------
    Hanley and Lippman-Hand, If nothing goes wrong, is everything all right?, JAMA 1983.

    Examples
    --------
    The rule of three: about 3 / n.

    >>> round(largest_unseen_share(100), 4)
    0.0295
    """
    return 1 - (1 - check_level("confidence", confidence)) ** (1 / check_count("n_experiments", n_experiments))


def harmless_share(alpha: float) -> float:
    """Return how large the share of a second result may be for n* to be 1, where the two are not similar.

    Parameters
    ----------
    alpha : float
        Wanted generalizability, in (0, 1).

    Returns
    -------
    float
        The largest p up to 1/2 for which two studies of one experiment agree with a probability of at least alpha,
        ``1 - 2 p (1 - p) >= alpha``.

    Examples
    --------
    >>> p = harmless_share(0.95)
    >>> round(p, 4), round(1 - 2 * p * (1 - p), 4)
    (0.0257, 0.95)
    """
    alpha = check_level("alpha", alpha)
    return (1 - sqrt(2 * alpha - 1)) / 2 if alpha > 0.5 else 0.5


def n_to_exclude(share: float, confidence: float = 0.95) -> int:
    """Return how many experiments that all agree it takes to exclude other results of a share.

    Parameters
    ----------
    share : float
        Of other results in all conceivable experiments, in (0, 1).
    confidence : float
        In (0, 1).

    Returns
    -------
    int
        The smallest n with `largest_unseen_share` of at most ``share``.

    Examples
    --------
    >>> n_to_exclude(0.0257)
    116
    """
    share = check_number("share", share, 0, 1)
    return ceil(log(1 - check_level("confidence", confidence)) / log(1 - share))
