"""Say before the run what will be compared, and after it what was done otherwise."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.base import BaseEstimator

from genexpy_nb.common.checks import check_count, check_level
from genexpy_nb.common.errors import DataError, ParameterError, StudyError
from genexpy_nb.common.files import read_json, read_verified, with_checksum, write_atomically
from genexpy_nb.common.hashing import describe, file_hash, identity
from genexpy_nb.protocol.analysis import Comparison, check_several
from genexpy_nb.protocol.splits import Splits
from genexpy_nb.protocol.trials import KEY, Metric, Trials, check_models, check_seeds, parameters_of, scorers_of

_FORMAT = "genexpy_nb preregistration 1"
_UNSEEN: Any = object()  # found, where nothing says what was done
_REMEDY = "take the file that was written before the run"

Item = tuple[str, Any, Any]  # what it is, planned, found


@dataclass(frozen=True, eq=False)
class Preregistration:
    """A plan in a file: ``path``, ``sha256`` of its bytes, to be published before the run, and the ``plan`` itself."""

    path: Path
    sha256: str
    plan: dict[str, Any]

    def __repr__(self) -> str:
        return f"Preregistration({self.path.name!r}, {len(self.plan['hypotheses'])} hypotheses, SHA-256 {self.sha256})"


def preregister(
    path: str | os.PathLike,
    models: Mapping[str, BaseEstimator],
    metrics: Metric | Sequence[Metric] | Mapping[str, Metric],
    seeds: Sequence[int] | int,
    splits: Splits,
    level: float = 0.05,
    *,
    n_resamples: int = 10_000,
) -> Preregistration:
    """Write down what will be run and tested, before it is (Section 7): once, and by the corrected t-test.

    Parameters
    ----------
    path : path-like
        Of the JSON file. One that is there must hold the same plan: a plan is not changed, it gets another file.
    models, metrics, seeds, splits
        As `run_trials` will get them.
    level, n_resamples
        As `compare` will get them. There is a hypothesis for each pair and metric.

    Returns
    -------
    Preregistration
        Print it: it shows the hash. `DataError` if there is a file with another plan.
    """
    check_several(list(check_models(models)))
    scorers = scorers_of(metrics)
    plan = {
        "format": _FORMAT,
        "models": {name: _made_of(parameters_of(model), model) for name, model in models.items()},
        "metrics": {name: _made_of(name, scorer) for name, scorer in scorers.items()},
        "seeds": check_seeds(seeds),
        **{name: getattr(splits, name) for name in ("data", "n_rows", "k", "n_repeats")},
        "splits": splits.sha256,
        "level": check_level("level", level),
        "n_resamples": check_count("n_resamples", n_resamples),
        "failures": "error",
        "adjustment": "Holm over all hypotheses",
        "test": "corrected t",
        "hypotheses": [[metric, a, b] for metric in scorers for a, b in combinations(models, 2)],
        "rope": None,
        "stopping": "all trials are run once, and compared once",
    }
    path = Path(path)
    text = json.dumps(with_checksum(plan), sort_keys=True, indent=1) + "\n"
    if path.exists():
        if path.read_bytes() != text.encode():
            raise DataError(f"{path} holds another plan: a plan is not changed afterwards, write this one elsewhere")
    else:
        write_atomically(path, text)
    return Preregistration(path, file_hash(path), plan)


def _made_of(said: str, value: Any) -> dict[str, str | None]:
    """Return what stands in the plan for a model or a metric; no identity where none can be made."""
    try:
        return {"is": said, "identity": identity(describe(value))}
    except ParameterError:
        return {"is": said, "identity": None}


# --- after the run ----------------------------------------------------------------------------------------------------


def check_preregistration(
    path: str | os.PathLike,
    result: Trials | Comparison,
    *,
    sha256: str | None = None,
    models: Mapping[str, BaseEstimator] | None = None,
    metrics: Metric | Sequence[Metric] | Mapping[str, Metric] | None = None,
) -> pd.DataFrame:
    """Say what of a plan was kept, or raise `StudyError` if anything was done otherwise.

    Parameters
    ----------
    path : path-like
        Of the file that `preregister` wrote; `DataError` if it is not there, was changed, or is no plan.
    result : Trials or Comparison
        Without a comparison, level and hypotheses are not checked.
    sha256 : str, optional
        What `preregister` showed before the run. Without it, a file that was written anew after the run is not noticed.
    models, metrics : optional
        What was run. With them, the code behind the names is checked, too; without, names and parameters are.

    Returns
    -------
    DataFrame
        item, planned, found, status: ``agrees`` or ``not checked``. If anything differs, `StudyError` names all of it.
    """
    path = Path(path)
    if sha256 is not None:
        read_verified(path, sha256, _REMEDY)
    plan = read_json(path, _REMEDY)
    if plan.get("format") != _FORMAT:
        raise DataError(f"{path} is no preregistration: {_REMEDY}")
    status = "agrees" if sha256 else "not checked"
    rows = [("file", sha256 or "", file_hash(path), status)]
    for item, planned, found in _items(plan, result, models, metrics):
        status = "not checked" if found is _UNSEEN else "agrees" if planned == found else "differs"
        rows.append((item, _as_text(planned), _as_text(found), status))
    table = pd.DataFrame(rows, columns=["item", "planned", "found", "status"])
    differ = table[table["status"] == "differs"]
    if len(differ):
        said = "; ".join(f"{row.item}: planned {row.planned}, found {row.found}" for row in differ.itertuples())
        raise StudyError(f"{len(differ)} of {len(table)} items differ from the preregistration: {said}")
    return table


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else "" if value is _UNSEEN else str(value)


def _items(plan: Mapping[str, Any], result: Trials | Comparison, models: Any, metrics: Any) -> Iterator[Item]:
    """Yield what is compared: the item, what was planned, and what was found."""
    about = result.about
    yield "models", sorted(plan["models"]), sorted(about["models"])
    yield "metrics", sorted(plan["metrics"]), sorted(result.metrics)
    for name, planned in plan["models"].items():
        if name in about["models"]:
            yield f"model {name}", planned["is"], about["models"][name]
    for kind, values in (("model", models or {}), ("metric", {} if metrics is None else scorers_of(metrics))):
        for name, one in plan[f"{kind}s"].items():
            known = one["identity"] is not None and name in values
            yield f"{kind} {name}, code", one["identity"], _made_of("", values[name])["identity"] if known else _UNSEEN
    yield "seeds", sorted(plan["seeds"]), sorted(about["seeds"])
    if isinstance(result, Trials):
        n_trials = len(plan["models"]) * len(plan["seeds"]) * plan["k"] * plan["n_repeats"]
        yield "number of trials", n_trials, len(result.scores[KEY].drop_duplicates())
    yield from ((f"data, {name}", planned, about["data"].get(name)) for name, planned in plan["data"].items())
    yield from ((item, plan[item], about[item]) for item in ("n_rows", "k", "n_repeats", "splits"))
    for item in ("level", "n_resamples", "failures"):
        yield item, plan[item], about[item] if isinstance(result, Comparison) else _UNSEEN
    planned, tested = _named(plan["hypotheses"]), _UNSEEN
    if isinstance(result, Comparison):
        pairs = result.pairs
        names = pairs["metric"] if "metric" in pairs else [result.metrics[0]] * len(pairs)
        tested = _named(zip(names, pairs["a"], pairs["b"], strict=True))
    yield "number of hypotheses", len(planned), _UNSEEN if tested is _UNSEEN else len(tested)
    yield "hypotheses", planned, tested
    yield "folds compared", plan["k"] * plan["n_repeats"], about.get("n_folds", _UNSEEN)
    yield from ((item, plan[item], _UNSEEN) for item in ("adjustment", "test", "rope", "stopping"))


def _named(hypotheses: Iterable[Sequence[str]]) -> list[str]:
    """Return a line for each hypothesis; tests are two-sided, so the order of two models does not count."""
    return sorted(f"{metric}: {' and '.join(sorted(pair))}" for metric, *pair in hypotheses)
