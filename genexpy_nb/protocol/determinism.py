"""Set every seed and switch that makes a run repeatable, and write down what could and what could not be set."""

from __future__ import annotations

import os
import platform
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.hashing import versions

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "joblib", "torch", "tensorflow", "jax")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_LOADER = "give each DataLoader a seeded generator, and a worker_init_fn that seeds Python and NumPy"
_UNSET, _BLOCKING = "(not in the environment)", "1 is for finding errors: it changes times and no results"
_UNREPEATABLE = "operations without a deterministic version raise an error that names them"
_ELSEWHERE = ("tensorflow", "jax", "cupy")  # with seeds of their own, which this function does not know how to set


@dataclass(frozen=True)
class DeterminismRecord:
    """What `set_determinism` did: (name, value, status, note) of each setting, versions and hardware."""

    seed: int
    settings: tuple[tuple[str, str, str, str], ...]
    versions: dict[str, str]
    hardware: dict[str, str] = field(default_factory=dict)

    @property
    def not_set(self) -> tuple[str, ...]:
        """Names of what could not be set, or only for processes started later."""
        return tuple(name for name, _, status, _ in self.settings if status in ("partly", "not set"))


def set_determinism(seed: int) -> DeterminismRecord:
    """Seed every global generator that is installed, and switch to deterministic kernels (Section 3.3).

    Parameters
    ----------
    seed : int
        From 0 to 2**32 - 1.

    Returns
    -------
    DeterminismRecord
        What was set, what was not, and why; versions; thread counts; the GPU and its driver, if there is one.

    Examples
    --------
    >>> record = set_determinism(7)
    >>> first = random.random(), float(np.random.random())
    >>> set_determinism(7) == record and first == (random.random(), float(np.random.random()))
    True
    """
    seed = check_count("seed", seed, 0, 2**32 - 1)
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - the global state is what other people's estimators draw from
    settings = [
        _hash_seed(),
        ("random.seed", str(seed), "set", ""),
        ("numpy.random.seed", str(seed), "set", "generators made by default_rng have seeds of their own"),
        *_torch(seed),
        ("CUDA_LAUNCH_BLOCKING", os.environ.get("CUDA_LAUNCH_BLOCKING", _UNSET), "recorded", _BLOCKING),
        ("seeds of workers", "that of each trial", "set", "run_trials seeds each process trial by trial"),
        ("seeds of data loaders", "", *(("recorded", _LOADER) if _installed("torch") else ("not installed", ""))),
        *_threads(),
    ]
    for name in _ELSEWHERE:
        if _installed(name):
            settings.append((name, "", "not set", "installed; has generators of its own, seed them if you use it"))
    system = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    return DeterminismRecord(seed, tuple(settings), {**system, **versions(PACKAGES)}, gpu_and_driver())


def _hash_seed() -> tuple[str, str, str, str]:
    found = os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = "0"
    if found == "0" and not sys.flags.hash_randomization:
        return ("PYTHONHASHSEED", "0", "set", "")
    note = "read when Python starts: holds for processes started from now on; start this one with PYTHONHASHSEED=0"
    return ("PYTHONHASHSEED", "0", "partly", note)


def _installed(name: str) -> bool:
    return name in sys.modules or find_spec(name) is not None


def _torch(seed: int) -> list[tuple[str, str, str, str]]:
    torch: Any = import_module("torch") if _installed("torch") else None
    actions = {
        ("torch.manual_seed", str(seed)): lambda: torch.manual_seed(seed),
        ("torch.use_deterministic_algorithms", "True"): lambda: torch.use_deterministic_algorithms(True),
        ("torch.backends.cudnn.deterministic", "True"): lambda: setattr(torch.backends.cudnn, "deterministic", True),
        ("torch.backends.cudnn.benchmark", "False"): lambda: setattr(torch.backends.cudnn, "benchmark", False),
    }
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":16:8"
    if torch is None:
        later = ("CUBLAS_WORKSPACE_CONFIG", ":16:8", "set", "in the environment of processes started from now on")
        return [later, *((name, value, "not installed", "") for name, value in actions)]
    too_late = torch.cuda.is_available() and torch.cuda.is_initialized()
    said = ("partly", "CUDA was running already") if too_late else ("set", "")
    settings = [("CUBLAS_WORKSPACE_CONFIG", ":16:8", *said)]
    for (name, value), action in actions.items():
        try:
            action()
            settings.append((name, value, "set", _UNREPEATABLE if name.endswith("_algorithms") else ""))
        except Exception as error:  # an old or a cut-down torch: say so, and go on with the rest
            settings.append((name, value, "not set", f"{type(error).__name__}: {error}"))
    return settings


def _threads() -> list[tuple[str, str, str, str]]:
    found = [(name, os.environ.get(name, _UNSET), "recorded", "") for name in THREADS]
    pools = {f"{pool['internal_api']} threads": str(pool["num_threads"]) for pool in threadpool_info()}
    return found + [(name, count, "recorded", "can change last digits") for name, count in sorted(pools.items())]


@contextmanager
def global_seed(seed: int) -> Iterator[None]:
    """Seed the global generators of this process, which some estimators draw from, and put them back afterwards."""
    python, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(legacy)  # noqa: NPY002


# --- GPU and driver ---------------------------------------------------------------------------------------------------


def gpu_and_driver() -> dict[str, str]:
    """Return the name of each GPU and its driver, as NVIDIA's own program has them, and what torch was built for."""
    names, drivers = _nvidia_smi()
    found = {
        "GPU": ", ".join(names) or "no GPU found (nvidia-smi names none)",
        "GPU driver": ", ".join(sorted(set(drivers))) or "no GPU",
    }
    if _installed("torch"):
        torch: Any = import_module("torch")
        built, cudnn = getattr(torch.version, "cuda", None), torch.backends.cudnn.version()
        found |= {"CUDA": str(built or "torch without CUDA"), "cuDNN": str(cudnn or "torch without cuDNN")}
    return found


@cache
def _nvidia_smi() -> tuple[list[str], list[str]]:
    """Return the name and the driver of each GPU that NVIDIA's own program finds."""
    command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):  # not there, no driver, or it hangs
        return [], []
    rows = [line.rpartition(",") for line in done.stdout.splitlines() if "," in line]
    return [name.strip() for name, _, _ in rows], [driver.strip() for _, _, driver in rows]
