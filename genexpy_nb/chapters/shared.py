"""What two or more notebooks need: n* beside what was published, two alternatives on several tables, known worlds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from genexpy_nb.common import page
from genexpy_nb.common.checks import TOLERANCE
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.hashing import content_hash, versions
from genexpy_nb.common.prose import span, written_number
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.datasets.locating import data_folder, with_source_tables
from genexpy_nb.generalization.discrepancy import quantile, simulated_mmd, support
from genexpy_nb.generalization.exact import definition
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.nstar import estimate_each, smallest_study
from genexpy_nb.generalization.resampling import extrapolate
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.plots.style import signed
from genexpy_nb.significance import compare_pairs
from genexpy_nb.study.study import Study

#: What the benchmark of encoders varies beside datasets and encoders.
DESIGN = ["model", "tuning", "scoring"]
PAIR = ("TE", "OHE")  # the two encoders that several notebooks compare
MODELS = {"DTC": "decision trees", "GNB": "naive Bayes", "KNC": "nearest neighbours"}
MODELS |= {"LGBMC": "boosted trees", "LR": "logistic regression", "SVC": "support vectors"}
ROUNDING = 1e-12  # of the largest number: what is smaller may be left over by rounding

# Small matrices: threads only get in each other's way, and can change last digits.
one_thread = threadpool_limits.wrap(limits=1)


# --- recorded results: what a notebook's own settings give comes with the package ----------------------------------

#: Arguments that change no result.
_HOW = {"folder", "progress"}
RECORD = False  # whether calls are run and written down: data/make_recorded.py


def recorded(function: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
    """Have a function read what the same call returned when it was recorded; any other call is computed."""

    @wraps(function)
    def read_or_run(*args: Any, **options: Any) -> pd.DataFrame:
        path = recording(function, args, options)
        if path.is_file() and not RECORD:
            frame = pd.read_parquet(path)
            frame.attrs.pop("made_with")
            return frame
        frame = function(*args, **options)
        if RECORD:
            made = frame.copy(deep=False)
            made.attrs = {**frame.attrs, "made_with": versions()}
            made.to_parquet(path, compression="zstd", compression_level=19)
        return frame

    return read_or_run


def recording(function: Callable, args: Sequence[Any], options: Mapping[str, Any]) -> Path:
    """Return where a call is recorded, if it is: under the hash of all that it was called with."""
    counts = {name: value for name, value in options.items() if name not in _HOW}
    asked = hashlib.sha256(json.dumps([args, counts], default=_told).encode()).hexdigest()
    return data_folder() / "recorded" / f"{function.__name__.strip('_')}-{asked[:16]}.parquet"


def _told(value: Any) -> Any:
    """What an argument is, the same on every machine."""
    if isinstance(value, BaseEstimator):
        return value.__repr__(N_CHAR_MAX=10_000)
    if isinstance(value, (np.ndarray, pd.DataFrame)):
        return content_hash(value)
    if is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in fields(value) if field.name != "versions"}
        return [type(value).__name__, parts]
    return repr(value)


def beside_published(
    study: Study,
    published: pd.DataFrame,
    kernel: Kernel,
    methods: Sequence[str] = ("moments",),
    *,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Put estimates of n* from a table of results beside published ones."""
    keys = [*study.design, "kernel"]
    of: dict[str, dict[str, Any]] = {"moments": {"confidence": confidence}}  # no other method has an interval
    estimates = [
        study.nstar(kernel, 0.95, 0.05, method=m, n_resamples=1000, rng=rng, **of.get(m, {})).set_index(keys)
        for m in methods
    ]
    table = pd.DataFrame(
        {"n_experiments": estimates[0]["n_experiments"]}
        | {method: each["nstar"] for method, each in zip(methods, estimates, strict=True)}
        | {"low": estimates[0]["low"], "high": estimates[0]["high"]}
    )
    return published.merge(table.reset_index(), on=keys)


def check_strictness(nstar: pd.DataFrame) -> None:
    """See that stricter questions never take fewer experiments, as is said below their figures."""
    known, where = nstar.dropna(subset="nstar"), nstar.columns[: nstar.columns.get_loc("kernel") + 1]
    mild_first = {"delta": known.sort_values("alpha"), "alpha": known.sort_values("delta", ascending=False)}
    for held, stricter in mild_first.items():
        assert (stricter.groupby([*where, held])["nstar"].diff().dropna() > -1e-6).all()


def side_by_side(table: pd.DataFrame, once: bool = False) -> pd.DataFrame:
    """Mean scores of the two encoders where both have one, on each dataset; ``once``: on each source of datasets."""
    rows = table[table["encoder"].isin(PAIR)]
    wide = rows.pivot(index=["dataset", *DESIGN], columns="encoder", values="cv_score")
    scores = wide.reindex(columns=list(PAIR)).dropna().groupby(level=0).mean().rename_axis(columns=None)
    return with_source_tables(scores.reset_index()).groupby("table")[[*PAIR]].mean() if once else scores


def compare(tables: Mapping[str, pd.DataFrame], confidence: float, rng: int, once: bool = False) -> pd.DataFrame:
    """Ask each of several tables which of the two is better; ``once``: datasets of one source count once."""
    rows = {}
    for name, table in tables.items():
        scores = side_by_side(table, once)
        found = compare_pairs(scores, higher_is_better=True, confidence=confidence, rng=rng).iloc[0]
        rows[name] = {"n_datasets": len(scores), **found[["estimate", "low", "high"]].to_dict()}
    return pd.DataFrame.from_dict(rows, orient="index")


def difference(row: pd.Series) -> str:
    """A difference with its interval."""
    return "{} ({} to {})".format(*(signed(row[value], 3) for value in ("estimate", "low", "high")))


def each(compared: pd.DataFrame) -> str:
    """The difference on each table."""
    return " and ".join(f"{difference(row)} on {name}" for name, row in compared.iterrows())


def beside_recorded(compared: pd.DataFrame, recorded: str = "difference") -> str:
    """The difference of target encoding and one-hot encoding on each table, the published one too if it is not here."""
    found = recorded_numbers()
    if compared.index.str.startswith("the published").any():
        return each(compared)
    return f"{each(compared)}. In {found['table']}, it was {difference(found[recorded])}, as recorded {found['when']}"


def sides_of_zero(once: pd.DataFrame) -> str:
    """Whether our own runs and the published table differ, or even contradict each other: related datasets once."""
    published = once.iloc[1] if len(once) > 1 else recorded_numbers()["difference_once"]
    if once["low"].iloc[0] > 0 > published["high"]:
        return "The two intervals lie on different sides of zero, so the benchmarks contradict each other."
    if once["low"].iloc[0] <= published["high"]:
        return "The two intervals overlap, so the benchmarks need not differ."
    unsure = "But the published interval, over all models, includes zero, so it does not show that one-hot is better."
    return f"The two intervals do not overlap, so the benchmarks differ. {unsure}"


def in_words(configuration: Mapping[str, str]) -> str:
    """A configuration of the benchmark of encoders in a sentence."""
    model, tuning, metric = (configuration[name] for name in DESIGN)
    return f"{MODELS[model]} {'without' if tuning == 'no' else f'with {tuning}'} tuning, scored by {metric}"


def p_value(p: float) -> str:
    """A p-value in a table or in the text."""
    return written_number(p, 3)


def shares(values: Iterable[float]) -> str:
    """Write the smallest and the largest of some shares in per cent."""
    return span((100 * value for value in values), "{:.0f}", " %")


def made(table: str) -> pd.DataFrame:
    """Return a table that a module of data/runs, or a benchmark, made beforehand."""
    return pd.read_csv(Path(__file__).with_name(f"{table}.csv"))


# --- what the published tables gave, for runs without them ------------------------------------------------------------


@cache
def recorded_numbers() -> dict[str, Any]:
    """Read what notebooks 02 and 03 found in the published tables: data/make_published_numbers.py."""
    return json.loads((data_folder() / "published_numbers.json").read_text(encoding="utf-8"))


def show_recorded(notebook: str) -> None:
    """Show what papers print beside what the published table gave when it was read, and keep these numbers."""
    found = recorded_numbers()
    for number in found[notebook]:
        page.key_number(**{**number, "reason": f"{number['reason']} (recorded {found['when']})"})
    page.show_published(
        "published",
        f"What the papers print, next to what we computed from the published table. This run did not read that table. "
        f"Its numbers were recorded {found['when']}.",
        folded="Published numbers, and ours",
    )


# --- worlds whose truth is known ------------------------------------------------------------------------------------


def population(distribution: RankingDistribution, kernel: Kernel) -> tuple[np.ndarray, np.ndarray]:
    """Return what a kernel sees of a distribution: the results that it tells apart, and how likely they are."""
    return support(kernel.gram(distribution.rankings), distribution.probabilities)


@one_thread
def simulate_estimates(
    distribution: RankingDistribution,
    kernel: Kernel,
    sizes: Sequence[int] = (10, 20, 40, 80),
    methods: Sequence[str] = ("moments", "resampling"),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    n_studies: int = 100,
    n_resamples: int = 200,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
    truth: float | None = None,
) -> pd.DataFrame:
    """Draw studies of several sizes from a known distribution, and estimate n* from each in several ways."""
    for method in methods:
        if min(sizes) < smallest_study(method):
            raise ParameterError(f"sizes must be at least {smallest_study(method)} for {method!r}, got {min(sizes)}")
    gram, p = population(distribution, kernel)
    epsilon = float(kernel.epsilon(delta, distribution.rankings.shape[1]))
    seed = seed_of(rng)
    truth = true_nstar(gram, p, alpha, epsilon, 20_000, seed) if truth is None else truth
    frames = []
    for size in sizes:
        rows = stream(seed, size).choice(len(p), size=(n_studies, size), p=p)
        grams = [gram[np.ix_(row, row)] for row in rows]
        for method in methods:
            chosen = confidence if method == "moments" else 0.95  # no other method has an interval that can be chosen
            values = estimate_each(grams, alpha, epsilon, method, n_resamples, seed, chosen)
            frames.append(as_frame(values, size, method))
    result = pd.concat(frames, ignore_index=True)
    result.insert(0, "kernel", kernel.name)
    # an end may be n* itself, where few results are possible, but for the last bit
    covered = (result["low"] <= truth * (1 + TOLERANCE)) & (truth <= result["high"] * (1 + TOLERANCE))
    covered = covered.astype("boolean").mask(result["low"].isna())
    return result.assign(true=truth, ratio=result["nstar"] / truth, covered=covered)


@one_thread
def pool_estimates(
    distribution: RankingDistribution,
    kernel: Kernel,
    sizes: Sequence[int] = (10, 20, 40, 80),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    n_studies: int = 100,
    n_resamples: int = 200,
    step: int = 2,
    n_simulated: int = 2000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Estimate n* as the published code of Figure 5 does: resample a large pool instead of the N experiments."""
    gram, p = population(distribution, kernel)
    epsilon = np.array([float(kernel.epsilon(delta, distribution.rankings.shape[1]))])
    seed = seed_of(rng)
    sizes_of_studies = np.arange(2, max(sizes) // 2 + 1, step)
    quantiles = np.empty((n_studies, len(sizes_of_studies)))
    for column, n in enumerate(sizes_of_studies.tolist()):
        draw = stream(seed, n)
        distances = simulated_mmd(gram, p, n, n_simulated, draw)
        quantiles[:, column] = quantile(draw.choice(distances, size=(n_studies, n_resamples)), alpha)
    frames = []
    for size in sizes:
        used = sizes_of_studies <= size // 2
        with np.errstate(over="ignore"):  # a line that is nearly flat, or rises, has no end
            nstar = np.exp(extrapolate(quantiles[:, used], epsilon, None, sizes_of_studies[used]))
        frames.append(as_frame(nstar, size, "pool", ["nstar"]))
    result = pd.concat(frames, ignore_index=True)
    result.insert(0, "kernel", kernel.name)
    return result


def true_nstar(gram: np.ndarray, p: np.ndarray, alpha: float, epsilon: float, n_simulated: int, seed: int) -> float:
    """The real n* of a known distribution; of few results it jumps, so that more studies are needed, and cheap."""
    n_studies = 20 * n_simulated if len(p) <= 4 else n_simulated
    return definition(gram, alpha, epsilon, p, n_studies=n_studies, rng=seed, interpolate=True)


def as_frame(
    values: np.ndarray, size: int, method: str, columns: Sequence[str] = ("nstar", "low", "high")
) -> pd.DataFrame:
    """Label estimates, (n_draws, n_columns), by draw, method and size."""
    estimates = dict(zip(columns, values.T, strict=True))
    return pd.DataFrame({"size": size, "method": method, "draw": np.arange(len(values)), **estimates})


def alike(n: int, most: float, first: float, second: float) -> float:
    """How likely two studies of n experiments find shares that differ by at most ``most``, given the true shares."""
    counts = np.arange(n + 1)
    near = np.abs(counts[:, None] - counts) <= n * most + TOLERANCE
    return float(binom.pmf(counts, n, first) @ near @ binom.pmf(counts, n, second))


def which_lines(planned: pd.DataFrame) -> str:
    """Say which configurations `plots.nstar.nstar_hero` shows, if it leaves some out."""
    n = int(np.isfinite(planned["nstar"]).sum())
    few = "the two that need most, two in the middle and the two that need least"
    return f"Of {n} configurations the figure shows {few}. " if n > 6 else ""
