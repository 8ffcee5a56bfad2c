"""From runs to effects: expected generalization errors, their difference, and how it varies between systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

from genexpy_nb.causal.design import Runs
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.significance.multiple import adjust_pvalues

__all__ = [
    "Heterogeneity",
    "TreatmentEffect",
    "VarianceComponents",
    "average_treatment_effect",
    "effects_by_level",
    "expected_generalization_error",
    "heterogeneity",
    "individual_effects",
    "moderators",
    "variance_components",
    "variance_shares",
]


@dataclass(frozen=True, eq=False)
class TreatmentEffect:
    """Average effect of method a against method b in a population.

    Attributes
    ----------
    treatment, a, b, loss, design
        What was compared, and how.
    estimate, low, high : float
        EGE(a) - EGE(b), in units of the loss, with its confidence interval.
    standard_error, df, p : float
        Of the t test that goes with the interval, two-sided.
    method : str
        Where the interval comes from.
    confidence : float
    n_systems, n_used, n_failed_runs : int
        Systems drawn, systems that the estimate uses, runs that failed.
    tests : DataFrame
        All methods: ``method``, ``estimate``, ``low``, ``high`` (NaN for a test without interval), ``p`` (NaN for an
        interval without a test).
    errors : DataFrame
        From `expected_generalization_error`, of the same runs.
    notes : tuple of str
        How failures were treated, and what the interval takes for granted.
    """

    treatment: str
    a: Any
    b: Any
    loss: str
    design: str
    estimate: float
    low: float
    high: float
    standard_error: float
    df: float
    p: float
    method: str
    confidence: float
    n_systems: int
    n_used: int
    n_failed_runs: int
    tests: pd.DataFrame
    errors: pd.DataFrame
    notes: tuple[str, ...]

    def __str__(self) -> str:
        said = (
            f"{self.treatment}: {self.a} against {self.b} changes {self.loss} by {self.estimate:+.4f} on average "
            f"({100 * self.confidence:g} % interval {self.low:+.4f} to {self.high:+.4f}; {self.method}, "
            f"{self.n_used} systems, {self.design} design)."
        )
        return "\n".join([said, *self.notes])


_NONE = "–"  # level of the systems that do not have a variable


class _Mean(NamedTuple):
    estimate: float
    low: float
    high: float
    se: float
    df: float
    p: float
    method: str


@dataclass(frozen=True)
class VarianceComponents:
    """Variance of a measurement between systems, between train-test compositions, and what is left.

    Attributes
    ----------
    systems, compositions, residual : float
        ANOVA estimates, not below 0. ``compositions`` is NaN if each system has compositions of its own: it is then
        part of the residual.
    n_systems, n_compositions : int
        Systems used; compositions per system.
    mean_squares : tuple of float
        Systems, compositions, residual.
    """

    systems: float
    compositions: float
    residual: float
    n_systems: int
    n_compositions: int
    mean_squares: tuple[float, float, float]


def variance_components(values: np.ndarray, crossed: bool = False) -> VarianceComponents:
    """Estimate variance components by equating mean squares with their expectations.

    Parameters
    ----------
    values : array_like, shape (n_systems, n_compositions)
        At least two of each. Likelihood-based mixed models give the same for balanced data, where they converge.
    crossed : bool
        Whether column j is the same composition for all systems.

    Returns
    -------
    VarianceComponents

    Raises
    ------
    ParameterError
        If the shape is too small, or a value is missing.

    References
    ----------
    Searle, Casella and McCulloch, Variance Components (1992), Sections 3.5 and 4.3.

    Examples
    --------
    >>> variance_components([[1.0, 1.2], [2.0, 2.2]], crossed=True).systems
    0.5
    """
    x = np.asarray(values, dtype=float)
    if x.ndim != 2 or min(x.shape) < 2 or not np.isfinite(x).all():
        raise ParameterError(f"values must be finite, at least two systems by two compositions, got shape {x.shape}")
    s, c = x.shape
    rows, columns, mean = x.mean(axis=1), x.mean(axis=0), x.mean()
    ms_s = c * np.sum((rows - mean) ** 2) / (s - 1)
    if not crossed:
        ms_e = np.sum((x - rows[:, None]) ** 2) / (s * (c - 1))
        systems = max((ms_s - ms_e) / c, 0.0)
        return VarianceComponents(float(systems), np.nan, float(ms_e), s, c, (float(ms_s), np.nan, float(ms_e)))
    ms_c = s * np.sum((columns - mean) ** 2) / (c - 1)
    ms_e = np.sum((x - rows[:, None] - columns + mean) ** 2) / ((s - 1) * (c - 1))
    return VarianceComponents(
        systems=round(float(max((ms_s - ms_e) / c, 0.0)), 15),
        compositions=round(float(max((ms_c - ms_e) / s, 0.0)), 15),
        residual=float(ms_e),
        n_systems=s,
        n_compositions=c,
        mean_squares=(float(ms_s), float(ms_c), float(ms_e)),
    )


def average_treatment_effect(
    runs: Runs,
    loss: str | None = None,
    *,
    cluster: str = "system",
    failures: str | float = "complete",
    confidence: float = 0.95,
    n_resamples: int = 9999,
    rng: np.random.Generator | int = 0,
) -> TreatmentEffect:
    """Estimate the average effect of method a against method b, with an interval and with tests.

    Paired runs: the mean of the differences. Its standard error is cluster-robust with systems as clusters and a t
    quantile with (systems - 1) degrees of freedom; with one composition per system that is the paired t test, with
    several the t test of the systems' means. If all systems share several compositions, both systems and compositions
    are random, and the standard error comes from the ANOVA mean squares of the crossed design. Beside it a sign-flip
    permutation test and a BCa interval over clusters. Independent runs: Welch's t on systems' means, a permutation
    test of the assignment, and BCa.

    Parameters
    ----------
    runs : Runs
    loss : str, optional
        By default the first.
    cluster : str
        What was sampled independently: ``system``, or a variable whose levels are shared by many systems, such as the
        dataset of a benchmark. Paired runs only.
    failures : {"complete", "error"} or float
        ``complete`` leaves out systems with a failed run and says how many: the effect is then that in the smaller
        population of systems that run with both methods (for independent runs, the groups may then differ in more than
        the method). ``error`` refuses. A number is taken for the loss of a failed run.
    confidence : float
        In (0, 1).
    n_resamples : int
        Of the permutation tests and of the bootstrap.
    rng : numpy.random.Generator or int
        Source of randomness of both, or its seed.

    Returns
    -------
    TreatmentEffect

    Raises
    ------
    StudyError
        If runs failed and ``failures="error"``, or fewer than two systems (independent: two a group) remain.
    ParameterError
        If a parameter is out of range.

    Notes
    -----
    In simulations of the paired design with 20 systems or more, the t interval covered 93 to 97 % for normal,
    moderately skewed (gamma 4), two-group and discrete effects. It covers less for very skewed ones (20 systems:
    exponential 92 %, log-normal 87 %; 100 systems: 94 and 92 %), and least where a few systems carry the effect: with
    5 % of the systems at a large effect and the others at none, 20 systems often hold no such system at all, and 64 %
    were covered. With shared compositions it needs about five of them: with two or three it covered 91 to 93 %.

    References
    ----------
    Drawing Causal Inferences About Performance Effects in NLP, Eq. 6 to 10; Liang and Zeger (1986) for the clusters;
    Efron and Tibshirani (1993), Section 14.3, for BCa.

    Examples
    --------
    >>> from genexpy_nb.causal import PipelinePopulation, run_paired
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]})
    >>> def evaluate(combination, seed):
    ...     return {"error": 0.3 - 0.02 * combination["ngrams"] * (combination["weighting"] == "tf-idf")}
    >>> runs = run_paired(population.compare("weighting", "tf-idf", "counts"), evaluate, n_systems=50)
    >>> effect = average_treatment_effect(runs)
    >>> effect.low < -0.04 < effect.high  # the mean of -0.02, -0.04 and -0.06
    True
    """
    _check_level(confidence)
    loss = runs.check_loss(loss)
    frame, notes = _treat_failures(runs, loss, failures)
    generator = np.random.default_rng(rng)
    if runs.design == "paired":
        wide = _wide(frame, runs, loss)
        main, tests = _paired(wide, runs, cluster, confidence, n_resamples, generator)
    else:
        if cluster != "system":
            raise ParameterError(f"cluster must be 'system' for independent runs, got {cluster!r}")
        main, tests = _independent(frame, runs, loss, confidence, n_resamples, generator)
    if runs.compositions == "shared":
        if frame["composition"].nunique() == 1:
            notes.append(
                "All systems share one train-test composition: the interval says nothing about other compositions."
            )
        elif runs.design == "independent":
            notes.append("Compositions are shared: the interval takes their effect to be the same in both groups.")
        else:
            notes.append("The sign-flip test and BCa hold for these compositions; the t interval for others, too.")
    return TreatmentEffect(
        treatment=runs.treatment,
        a=runs.a,
        b=runs.b,
        loss=loss,
        design=runs.design,
        estimate=main.estimate,
        low=main.low,
        high=main.high,
        standard_error=main.se,
        df=main.df,
        p=main.p,
        method=main.method,
        confidence=confidence,
        n_systems=runs.n_systems,
        n_used=frame["system"].nunique(),
        n_failed_runs=int((runs.frame["error_message"] != "").sum()),
        tests=tests,
        errors=_errors(frame, runs, loss, confidence, cluster),
        notes=tuple(notes),
    )


def expected_generalization_error(
    runs: Runs,
    loss: str | None = None,
    *,
    cluster: str = "system",
    failures: str | float = "complete",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Estimate the expected generalization error of each method, over systems and data (Eq. 6, 7 and 10).

    Parameters
    ----------
    runs, loss, cluster, failures, confidence
        As in `average_treatment_effect`.

    Returns
    -------
    DataFrame
        ``method``, ``error``, ``low``, ``high``, ``n_systems``; first a, then b.

    Examples
    --------
    >>> from genexpy_nb.causal import PipelinePopulation, run_paired
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]})
    >>> comparison = population.compare("weighting", "tf-idf", "counts")
    >>> runs = run_paired(comparison, lambda c, seed: {"error": 0.1 * c["ngrams"]}, n_systems=30)
    >>> expected_generalization_error(runs)[["method", "n_systems"]].values.tolist()
    [['tf-idf', 30], ['counts', 30]]
    """
    _check_level(confidence)
    loss = runs.check_loss(loss)
    frame, _ = _treat_failures(runs, loss, failures)
    return _errors(frame, runs, loss, confidence, cluster)


def individual_effects(runs: Runs, loss: str | None = None, failures: str | float = "complete") -> pd.DataFrame:
    """Return the measured effect in each system: a minus b, averaged over its compositions (Eq. 8).

    Parameters
    ----------
    runs : Runs
        Paired.
    loss, failures
        As in `average_treatment_effect`.

    Returns
    -------
    DataFrame
        ``system``, ``effect``, ``compositions`` (their number), and the variables that a system keeps.

    Examples
    --------
    >>> table = pd.DataFrame({"tuned": ["no", "yes"] * 2, "dataset": list("uuvv"), "accuracy": [0.7, 0.8, 0.6, 0.6]})
    >>> from genexpy_nb.causal import from_results
    >>> individual_effects(from_results(table, "tuned", "yes", "no", ["dataset"], ["accuracy"])).round(2)
       system  effect  compositions dataset
    0       0     0.1             1       u
    1       1     0.0             1       v
    """
    _check_paired(runs)
    loss = runs.check_loss(loss)
    wide = _wide(_treat_failures(runs, loss, failures)[0], runs, loss)
    grouped = wide.groupby("system", sort=True)["effect"].agg(["mean", "size"]).reset_index()
    grouped.columns = ["system", "effect", "compositions"]
    kept = runs.frame.drop_duplicates("system")[["system", *runs.variables]]
    return grouped.merge(kept, on="system", how="left")


@dataclass(frozen=True)
class Heterogeneity:
    """How the effect varies between systems.

    Attributes
    ----------
    mean, sd : float
        Of the measured individual effects.
    share_opposite : float
        Of systems whose measured effect has the other sign than the mean.
    share_zero : float
        Of systems without any measured effect.
    sd_systems : float
        Standard deviation of the effects themselves, without the noise of finite test sets and of the compositions; NaN
        with a single composition per system.
    share_opposite_expected : float
        Share with the opposite sign in a normal distribution with that mean and ``sd_systems``; NaN like it.
    reliability : float
        Share of the variance of measured effects that is between systems, in [0, 1]; NaN like it.
    n_systems : int
    """

    mean: float
    sd: float
    share_opposite: float
    share_zero: float
    sd_systems: float
    share_opposite_expected: float
    reliability: float
    n_systems: int


def heterogeneity(runs: Runs, loss: str | None = None, failures: str | float = "complete") -> Heterogeneity:
    """Describe how the individual effects are distributed.

    Parameters
    ----------
    runs : Runs
        Paired. Only with several compositions per system can differences between systems be told from noise.
    loss, failures
        As in `average_treatment_effect`.

    Returns
    -------
    Heterogeneity

    Examples
    --------
    >>> table = pd.DataFrame({"tuned": ["no", "yes"] * 2, "dataset": list("uuvv"), "accuracy": [0.7, 0.9, 0.6, 0.5]})
    >>> from genexpy_nb.causal import from_results
    >>> heterogeneity(from_results(table, "tuned", "yes", "no", ["dataset"], ["accuracy"])).share_opposite
    0.5
    """
    effects = individual_effects(runs, loss, failures)
    values = np.where(np.abs(effects["effect"]) < 1e-12, 0.0, effects["effect"])
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    sd_systems = expected = reliability = np.nan
    sizes = effects["compositions"]
    if sizes.max() > 1:
        matrix, crossed = _matrix(runs, runs.check_loss(loss), failures)
        parts = variance_components(matrix, crossed)
        sd_systems = float(np.sqrt(parts.systems))
        expected = float(stats.norm.sf(abs(mean) / sd_systems)) if sd_systems > 0 else 0.0
        total = parts.systems + parts.residual / parts.n_compositions
        reliability = float(parts.systems / total) if total > 0 else np.nan
    return Heterogeneity(
        mean=mean,
        sd=sd,
        share_opposite=float(np.mean(values * mean < 0)),
        share_zero=float(np.mean(values == 0)),
        sd_systems=sd_systems,
        share_opposite_expected=expected,
        reliability=reliability,
        n_systems=len(values),
    )


def moderators(
    runs: Runs, loss: str | None = None, variables: list[str] | None = None, failures: str | float = "complete"
) -> pd.DataFrame:
    """Test which variables of a system change the effect: analysis of variance of the individual effects.

    Parameters
    ----------
    runs : Runs
        Paired.
    loss, failures
        As in `average_treatment_effect`.
    variables : list of str, optional
        By default all that a system keeps and that vary. A variable that only some systems have, such as the learner of
        one approach, is nested in the variable that says which: it competes for the differences among those.

    Returns
    -------
    DataFrame
        ``variable``, ``levels``, ``share`` (of the variance of the effects, given the other variables), ``F``, ``p``,
        ``p_holm``; largest share first. Variables that the others determine are left out, ``attrs["left_out"]``.

    Notes
    -----
    Type II sums of squares, main effects only: a variable is tested given all others but those nested in it. An F test
    takes well to effects that vary more in some systems than in others as long as levels are about equally frequent.
    It takes systems for independent: of a benchmark with shared datasets, read the shares only.

    References
    ----------
    Langsrud (2003), ANOVA for unbalanced data: use type II instead of type III sums of squares.

    Examples
    --------
    >>> from genexpy_nb.causal import PipelinePopulation, run_paired
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2], "stem": [True, False]})
    >>> def evaluate(c, seed):
    ...     return {"error": 0.1 * c["ngrams"] * (c["weighting"] == "tf-idf") + seed / 2**32 * 0.01 * c["stem"]}
    >>> runs = run_paired(population.compare("weighting", "tf-idf", "counts"), evaluate, n_systems=40)
    >>> moderators(runs)["variable"].tolist()
    ['ngrams', 'stem']
    """
    effects = individual_effects(runs, loss, failures)
    y = effects["effect"].to_numpy()
    columns, left_out = _design(effects, list(runs.variables) if variables is None else variables)
    names = ["variable", "levels", "share", "F", "p", "p_holm"]
    total = float(np.sum((y - y.mean()) ** 2))
    rows = []
    if columns and np.ptp(y) > 1e-12:

        def fit(kept: list[str]) -> Any:
            return sm.OLS(y, np.hstack([np.ones((len(y), 1)), *(columns[name] for name in kept)])).fit(method="qr")

        full = fit(list(columns))
        for name, dummies in columns.items():
            others = [other for other in columns if other != name and not _nested(effects, other, name)]
            gain = max(fit(others).ssr - fit([*others, name]).ssr, 0.0)
            k = dummies.shape[1]
            exact = full.ssr < 1e-12 * total  # nothing is left over: a variable explains something or nothing
            f = gain / k / full.mse_resid if not exact else (np.inf if gain > 1e-9 * total else 0.0)
            rows.append((name, k + 1, gain / total, f, float(stats.f.sf(f, k, full.df_resid))))
    result = pd.DataFrame(rows, columns=names[:-1])
    result["p_holm"] = adjust_pvalues(result["p"].to_numpy(float), "holm") if rows else pd.Series(dtype=float)
    result = result.sort_values("share", ascending=False, kind="stable", ignore_index=True)
    result.attrs["left_out"] = left_out
    return result


def effects_by_level(
    runs: Runs,
    variable: str,
    loss: str | None = None,
    *,
    cluster: str = "system",
    failures: str | float = "complete",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Estimate the average effect within each level of a variable.

    Parameters
    ----------
    runs : Runs
        Paired.
    variable : str
        One that a system keeps under both methods.
    loss, cluster, failures, confidence
        As in `average_treatment_effect`.

    Returns
    -------
    DataFrame
        ``variable``, ``level``, ``n_systems``, ``effect``, ``low``, ``high`` (NaN for a single cluster). Without
        correction for looking at several levels.

    Examples
    --------
    >>> table = pd.DataFrame({"tuned": ["no", "yes"] * 2, "dataset": list("uuvv"), "accuracy": [0.7, 0.9, 0.6, 0.5]})
    >>> from genexpy_nb.causal import from_results
    >>> runs = from_results(table, "tuned", "yes", "no", ["dataset"], ["accuracy"])
    >>> effects_by_level(runs, "dataset")["effect"].round(2).tolist()
    [0.2, -0.1]
    """
    _check_paired(runs)
    _check_level(confidence)
    if variable not in runs.variables:
        raise ParameterError(f"variable must be one of {runs.variables}, got {variable!r}")
    loss = runs.check_loss(loss)
    wide = _wide(_treat_failures(runs, loss, failures)[0], runs, loss, keep=sorted({variable, cluster} - {"system"}))
    rows = []
    for level, group in wide.groupby(wide[variable].map(_as_level), sort=True):
        clusters = group[cluster].to_numpy()
        mean = _mean(group["effect"].to_numpy(), clusters, confidence)
        n = group["system"].nunique()
        rows.append((variable, level, n, mean.estimate, mean.low, mean.high))
    return pd.DataFrame(rows, columns=["variable", "level", "n_systems", "effect", "low", "high"])


def variance_shares(table: pd.DataFrame, variables: list[str], value: str) -> pd.DataFrame:
    """Say how much of the variance of a loss each variable carries in a population that was run in full.

    Parameters
    ----------
    table : DataFrame
        One row per system and composition, each equally likely.
    variables : list of str
        Columns; the train-test composition may be one of them.
    value : str
        Column of the loss.

    Returns
    -------
    DataFrame
        ``variable``, ``alone`` (variance of the conditional mean over the total variance), ``with_interactions`` (mean
        variance over this variable with all others held), both in [0, 1]; largest first. Shares of variables that
        are not independent of each other can overlap.

    References
    ----------
    Saltelli et al., Global Sensitivity Analysis (2008), Section 4.5: first-order and total indices.

    Examples
    --------
    >>> table = pd.DataFrame({"v": [0, 0, 1, 1], "composition": [0, 1, 0, 1], "error": [1.0, 2.0, 3.0, 4.0]})
    >>> variance_shares(table, ["v", "composition"], "error")["alone"].tolist()
    [0.8, 0.2]
    """
    absent = [name for name in [*variables, value] if name not in table]
    if absent:
        raise ParameterError(f"the table has no column {absent[0]!r}")
    y = table[value].to_numpy(float)
    total = y.var()
    if total == 0:
        raise StudyError(f"{value} is the same everywhere: there is no variance to share out")
    codes = {name: pd.factorize(table[name], use_na_sentinel=False)[0] for name in variables}
    frame = pd.DataFrame({**codes, "_y": y})
    rows = []
    for name in variables:
        alone = frame.groupby(name)["_y"].transform("mean").var(ddof=0) / total
        others = [other for other in variables if other != name]
        within = frame["_y"] - frame.groupby(others)["_y"].transform("mean") if others else frame["_y"] - y.mean()
        rows.append((name, float(alone), float(np.mean(within**2) / total)))
    result = pd.DataFrame(rows, columns=["variable", "alone", "with_interactions"])
    return result.sort_values("alone", ascending=False, kind="stable", ignore_index=True)


# -- parts ---------------------------------------------------------------------------------------------------------


def _mean(values: np.ndarray, clusters: np.ndarray, confidence: float) -> _Mean:
    """Mean with its cluster-robust standard error (CR1), t with (clusters - 1) degrees of freedom."""
    codes, names = pd.factorize(clusters)
    g, n, mean = len(names), len(values), float(values.mean())
    if g < 2:
        return _Mean(mean, np.nan, np.nan, np.nan, np.nan, np.nan, "no interval")
    sums = np.bincount(codes, weights=values - mean)
    se = float(np.sqrt(g / (g - 1) * np.sum(sums**2)) / n)
    method = "t test" if g == n else "t test on clusters"
    return _t(mean, se if se > 1e-14 else 0.0, g - 1, confidence, method)


def _crossed_mean(matrix: np.ndarray, confidence: float) -> _Mean:
    """Mean of a crossed design with random rows and columns; Satterthwaite's degrees of freedom."""
    s, c = matrix.shape
    ms_s, ms_c, ms_e = variance_components(matrix, crossed=True).mean_squares
    use_s, use_c = max(ms_s, ms_e), max(ms_c, ms_e)  # components are not negative
    total = use_s + use_c - ms_e
    parts = use_s**2 / (s - 1) + use_c**2 / (c - 1) + ms_e**2 / ((s - 1) * (c - 1))
    df = total**2 / parts if parts > 0 else s - 1
    se = float(np.sqrt(total / (s * c)))
    return _t(float(matrix.mean()), se if se > 1e-14 else 0.0, df, confidence, "t test on systems x compositions")


def _t(mean: float, se: float, df: float, confidence: float, method: str) -> _Mean:
    half = float(stats.t.ppf((1 + confidence) / 2, df)) * se
    p = float(2 * stats.t.sf(abs(mean) / se, df)) if se > 0 else (1.0 if abs(mean) < 1e-14 else 0.0)
    return _Mean(mean, mean - half, mean + half, se, float(df), p, method)


def _paired(
    wide: pd.DataFrame, runs: Runs, cluster: str, confidence: float, n_resamples: int, rng: np.random.Generator
) -> tuple[_Mean, pd.DataFrame]:
    if cluster not in wide:
        if cluster not in runs.variables:
            raise ParameterError(f"cluster must be 'system' or one of {runs.variables}, got {cluster!r}")
        levels = runs.frame.drop_duplicates("system").set_index("system")[cluster].map(_as_level)
        wide = wide.assign(**{cluster: wide["system"].map(levels)})
    d, clusters = wide["effect"].to_numpy(), wide[cluster].to_numpy()
    n_clusters = len(np.unique(clusters))
    if n_clusters < 2:
        raise StudyError(f"{n_clusters} {cluster} with both methods is too few: at least two are needed")
    main = _mean(d, clusters, confidence)
    compositions = wide["composition"].nunique()
    matrix = wide.pivot(index="system", columns="composition", values="effect")
    if runs.compositions == "shared" and compositions > 1 and cluster == "system":
        main = _crossed_mean(matrix.dropna().to_numpy(), confidence)
    elif main.method == "t test":
        main = main._replace(method="paired t test")
    sums = wide.groupby(cluster, sort=True)["effect"].agg(["sum", "size"])
    total, size = sums["sum"].to_numpy(), sums["size"].to_numpy(float)

    def ratio(t: np.ndarray, n: np.ndarray, axis: int = -1) -> np.ndarray:
        return t.sum(axis=axis) / n.sum(axis=axis)

    if np.ptp(total / size) < 1e-14:
        low = high = main.estimate  # BCa would be NaN
    else:
        interval = stats.bootstrap(
            (total, size),
            ratio,
            paired=True,
            vectorized=True,
            n_resamples=n_resamples,
            batch=1000,
            confidence_level=confidence,
            rng=rng,
        ).confidence_interval
        low, high = float(interval.low), float(interval.high)
    flips = stats.permutation_test(
        (np.where(np.abs(total) < 1e-14, 0.0, total),),
        lambda t, axis: t.sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=n_resamples,
        batch=1000,
        rng=rng,
    )
    rows = [
        (main.method, main.estimate, main.low, main.high, main.p),
        ("BCa bootstrap", main.estimate, low, high, np.nan),
        ("sign-flip permutation", main.estimate, np.nan, np.nan, float(flips.pvalue)),
    ]
    return main, pd.DataFrame(rows, columns=["method", "estimate", "low", "high", "p"])


def _independent(
    frame: pd.DataFrame, runs: Runs, loss: str, confidence: float, n_resamples: int, rng: np.random.Generator
) -> tuple[_Mean, pd.DataFrame]:
    means = frame.groupby(["method", "system"], sort=True)[loss].mean()
    groups = [means[method].to_numpy() if method in means else np.empty(0) for method in (runs.a, runs.b)]
    for method, group in zip((runs.a, runs.b), groups, strict=True):
        if len(group) < 2:
            raise StudyError(f"{len(group)} systems ran with {method!r}: at least two are needed")
    estimate = float(groups[0].mean() - groups[1].mean())
    if max(np.ptp(groups[0]), np.ptp(groups[1])) < 1e-14:
        main = _t(estimate, 0.0, len(means) - 2, confidence, "Welch's t test")
        low = high = estimate
    else:
        test = stats.ttest_ind(*groups, equal_var=False)
        interval = test.confidence_interval(confidence)
        se = float(np.sqrt(sum(g.var(ddof=1) / len(g) for g in groups)))
        main = _Mean(
            estimate,
            float(interval.low),
            float(interval.high),
            se,
            float(test.df),
            float(test.pvalue),
            "Welch's t test",
        )
        boot = stats.bootstrap(
            groups,
            _difference,
            vectorized=True,
            n_resamples=n_resamples,
            batch=1000,
            confidence_level=confidence,
            rng=rng,
        ).confidence_interval
        low, high = float(boot.low), float(boot.high)
    shuffled = stats.permutation_test(
        groups,
        _difference,
        permutation_type="independent",
        vectorized=True,
        n_resamples=n_resamples,
        batch=1000,
        rng=rng,
    )
    rows = [
        (main.method, estimate, main.low, main.high, main.p),
        ("BCa bootstrap", estimate, low, high, np.nan),
        ("permutation of the assignment", estimate, np.nan, np.nan, float(shuffled.pvalue)),
    ]
    return main, pd.DataFrame(rows, columns=["method", "estimate", "low", "high", "p"])


def _difference(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
    return x.mean(axis=axis) - y.mean(axis=axis)


def _errors(frame: pd.DataFrame, runs: Runs, loss: str, confidence: float, cluster: str) -> pd.DataFrame:
    rows = []
    for method in (runs.a, runs.b):
        part = frame[frame["method"] == method]
        shared = runs.compositions == "shared" and part["composition"].nunique() > 1 and cluster == "system"
        if shared and part["system"].nunique() > 1:
            mean = _crossed_mean(part.pivot(index="system", columns="composition", values=loss).to_numpy(), confidence)
        else:
            levels = part[cluster] if cluster == "system" else part[cluster].map(_as_level)
            mean = _mean(part[loss].to_numpy(float), levels.to_numpy(), confidence)
        rows.append((method, mean.estimate, mean.low, mean.high, part["system"].nunique()))
    return pd.DataFrame(rows, columns=["method", "error", "low", "high", "n_systems"])


def _treat_failures(runs: Runs, loss: str, failures: str | float) -> tuple[pd.DataFrame, list[str]]:
    failed = runs.frame[loss].isna()
    numeric = isinstance(failures, int | float) and not isinstance(failures, bool)
    if not numeric and failures not in ("complete", "error"):
        raise ParameterError(f"failures must be 'complete', 'error' or a number, got {failures!r}")
    if not failed.any():
        return runs.frame, []
    n_failed, systems = int(failed.sum()), runs.frame.loc[failed, "system"].unique()
    counts = runs.frame.loc[failed, "method"].value_counts()
    what = "are not in the table" if runs.compositions == "none" else "failed"
    said = f"{n_failed} of {len(failed)} runs {what}, in {len(systems)} of {runs.n_systems} systems ("
    said += ", ".join(f"{counts.get(m, 0)} with {m}" for m in (runs.a, runs.b)) + ")"
    if numeric:
        filled = runs.frame.assign(**{loss: runs.frame[loss].fillna(float(failures))})
        return filled, [f"{said}; each counts with the loss {failures:g}."]
    if failures == "error":
        first = runs.failed.iloc[0]
        raise StudyError(f"{said}, the first: system {first['system']}, {first['method']}: {first['error_message']}")
    kept = runs.frame[~runs.frame["system"].isin(systems)]
    if kept.empty:
        raise StudyError(f"{said}: no system is left")
    if runs.design == "paired":
        tail = "These systems are left out: the effect is that in systems that run with both methods."
    else:
        tail = "These systems are left out, so that the two groups may differ in more than the method."
    return kept, [f"{said}. {tail}"]


def _wide(frame: pd.DataFrame, runs: Runs, loss: str, keep: list[str] | None = None) -> pd.DataFrame:
    """Return system, composition and effect, one row per pair."""
    wide = frame.pivot(index=["system", "composition"], columns="method", values=loss)
    wide = (wide[runs.a] - wide[runs.b]).rename("effect").reset_index()
    if keep:
        wide = wide.merge(frame.drop_duplicates("system")[["system", *keep]], on="system", how="left")
    return wide


def _matrix(runs: Runs, loss: str, failures: str | float) -> tuple[np.ndarray, bool]:
    """Return effects, shape (n_systems, n_compositions), and whether columns are shared compositions."""
    wide = _wide(_treat_failures(runs, loss, failures)[0], runs, loss)
    if runs.compositions == "shared":
        return wide.pivot(index="system", columns="composition", values="effect").to_numpy(), True
    wide = wide.assign(place=wide.groupby("system").cumcount())
    return wide.pivot(index="system", columns="place", values="effect").to_numpy(), False


def _design(effects: pd.DataFrame, variables: list[str]) -> tuple[dict[str, np.ndarray], list[str]]:
    """Return dummy columns of each variable, without variables that do not vary or that earlier ones determine."""
    absent = [name for name in variables if name not in effects]
    if absent:
        raise ParameterError(f"variables: {absent[0]!r} is not among the variables that a system keeps")
    partial = {name: effects[name].isna().any() for name in variables}
    columns: dict[str, np.ndarray] = {}
    left_out, matrix = [], np.ones((len(effects), 1))
    for name in sorted(variables, key=partial.get):  # nested ones come after those that they are nested in
        levels = effects[name].map(_as_level)
        dummies = pd.get_dummies(levels).drop(columns=_NONE, errors="ignore").to_numpy(float)[:, 1:]
        wider = np.hstack([matrix, dummies])
        if dummies.shape[1] and np.linalg.matrix_rank(wider) == wider.shape[1] < len(effects):
            columns[name], matrix = dummies, wider
        else:
            left_out.append(name)
    return columns, left_out


def _nested(effects: pd.DataFrame, inner: str, outer: str) -> bool:
    """Whether the outer variable says which systems have the inner one."""
    missing = effects[inner].isna()
    if not missing.any() or effects[outer].isna().any():
        return False
    return bool((missing.groupby(effects[outer].map(_as_level)).nunique() == 1).all())


def _as_level(value: Any) -> str:
    return _NONE if value is None or value != value else str(value)


def _check_paired(runs: Runs) -> None:
    if runs.design != "paired":
        raise StudyError("individual effects need paired runs: each system under both methods")


def _check_level(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must lie in (0, 1), got {confidence!r}")
