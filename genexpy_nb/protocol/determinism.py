"""Set every seed and switch that makes a run repeatable, and write down what could and what could not be set."""

from __future__ import annotations

import os
import platform
import random
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_info

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.versions import versions

__all__ = ["DeterminismRecord", "set_determinism"]

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "joblib", "torch", "tensorflow", "jax")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_ELSEWHERE = ("tensorflow", "jax", "cupy")  # with seeds of their own, which this function does not know how to set


@dataclass(frozen=True)
class DeterminismRecord:
    """What `set_determinism` did.

    Attributes
    ----------
    seed : int
    settings : tuple of (name, value, status, note)
        Status: ``set``; ``partly`` (holds for processes started from now on only); ``not set``; ``not installed``;
        ``recorded`` (found, left as it was).
    versions : dict
        Versions of Python, of the operating system and of the packages that are installed.
    """

    seed: int
    settings: tuple[tuple[str, str, str, str], ...]
    versions: dict[str, str]

    def to_frame(self) -> pd.DataFrame:
        """Return the settings as a table: setting, value, status, note."""
        return pd.DataFrame(list(self.settings), columns=["setting", "value", "status", "note"])

    @property
    def not_set(self) -> tuple[str, ...]:
        """Names of what could not be set, or only for processes started later."""
        return tuple(name for name, _, status, _ in self.settings if status in ("partly", "not set"))

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(index=False)


def set_determinism(seed: int) -> DeterminismRecord:
    """Seed every global generator that is installed, and switch to deterministic kernels.

    Parameters
    ----------
    seed : int
        From 0 to 2**32 - 1.

    Returns
    -------
    DeterminismRecord
        What was set, what was not, and why; versions; thread counts.

    Raises
    ------
    ParameterError
        If the seed is not a whole number in range.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in Machine Learning, Section 3.3.

    Examples
    --------
    >>> record = set_determinism(7)
    >>> first = random.random(), float(np.random.random())
    >>> set_determinism(7) == record and first == (random.random(), float(np.random.random()))
    True
    """
    seed = check_count("seed", seed, 0, 2**32 - 1)
    settings = [
        _hash_seed(),
        _seed_random(seed),
        _seed_numpy(seed),
        *_torch(seed),
        *_threads(),
    ]
    for name in _ELSEWHERE:
        if _installed(name):
            settings.append((name, "", "not set", "installed; has generators of its own, seed them if you use it"))
    system = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    return DeterminismRecord(seed, tuple(settings), {**system, **versions(PACKAGES)})


def _hash_seed() -> tuple[str, str, str, str]:
    found = os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = "0"
    if found == "0" and not sys.flags.hash_randomization:
        return ("PYTHONHASHSEED", "0", "set", "")
    note = "read when Python starts: holds for processes started from now on; start this one with PYTHONHASHSEED=0"
    return ("PYTHONHASHSEED", "0", "partly", note)


def _seed_random(seed: int) -> tuple[str, str, str, str]:
    random.seed(seed)
    return ("random.seed", str(seed), "set", "")


def _seed_numpy(seed: int) -> tuple[str, str, str, str]:
    np.random.seed(seed)  # noqa: NPY002 - the global state is what other people's estimators draw from
    return ("numpy.random.seed", str(seed), "set", "generators made by default_rng have seeds of their own")


def _installed(name: str) -> bool:
    return name in sys.modules or find_spec(name) is not None


def _torch(seed: int) -> list[tuple[str, str, str, str]]:
    names = (
        "CUBLAS_WORKSPACE_CONFIG",
        "torch.manual_seed",
        "torch.use_deterministic_algorithms",
        "torch.backends.cudnn.deterministic",
        "torch.backends.cudnn.benchmark",
    )
    values = (":16:8", str(seed), "True", "True", "False")
    os.environ[names[0]] = values[0]
    if not _installed("torch"):
        notes = ["in the environment of processes started from now on"] + [""] * 4
        states = ["set"] + ["not installed"] * 4
        return list(zip(names, values, states, notes, strict=True))
    torch: Any = import_module("torch")
    too_late = torch.cuda.is_available() and torch.cuda.is_initialized()
    settings = [(names[0], values[0], "partly" if too_late else "set", "CUDA was running already" if too_late else "")]
    actions = (
        lambda: torch.manual_seed(seed),
        lambda: torch.use_deterministic_algorithms(True),
        lambda: setattr(torch.backends.cudnn, "deterministic", True),
        lambda: setattr(torch.backends.cudnn, "benchmark", False),
    )
    for name, value, action in zip(names[1:], values[1:], actions, strict=True):
        try:
            action()
            settings.append((name, value, "set", ""))
        except Exception as error:  # an old or a cut-down torch: say so, and go on with the rest
            settings.append((name, value, "not set", f"{type(error).__name__}: {error}"))
    return settings


def _threads() -> list[tuple[str, str, str, str]]:
    found = [(name, os.environ.get(name, "(not in the environment)"), "recorded", "") for name in THREADS]
    pools = {f"{pool['internal_api']} threads": str(pool["num_threads"]) for pool in threadpool_info()}
    return found + [(name, count, "recorded", "can change last digits") for name, count in sorted(pools.items())]
