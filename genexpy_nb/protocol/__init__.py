"""A protocol for comparing models: splits on disk, seeds and flags, trials and comparison.

*A Deterministic Protocol for Reliable Model Comparison in Machine Learning* ("the paper" in this room), step by step:
`set_determinism`, `make_splits`, `preregister`, `run_trials`, `compare`, `check_preregistration`, `checklist`. Notebook
06 measures what it claims.

Everywhere, `ParameterError` is raised for a parameter that is unknown or out of range; ``level`` and ``confidence`` are
in (0, 1); ``rng`` is a generator or its seed; results do not depend on ``n_jobs``.
"""

from genexpy_nb.protocol.analysis import Comparison, compare, instability, nadeau_bengio
from genexpy_nb.protocol.determinism import set_determinism
from genexpy_nb.protocol.preregistration import Preregistration, check_preregistration, preregister
from genexpy_nb.protocol.reproducibility import checklist
from genexpy_nb.protocol.splits import Splits, make_splits
from genexpy_nb.protocol.trials import Trials, run_trials

__all__ = [
    "Comparison",
    "Preregistration",
    "Splits",
    "Trials",
    "check_preregistration",
    "checklist",
    "compare",
    "instability",
    "make_splits",
    "nadeau_bengio",
    "preregister",
    "run_trials",
    "set_determinism",
]
