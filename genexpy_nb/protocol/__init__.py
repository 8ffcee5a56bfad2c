"""A protocol for comparing models: splits on disk, seeds and flags, trials, comparison, and error rates of the method.

A Deterministic Protocol for Reliable Model Comparison in Machine Learning, step by step: `set_determinism`,
`make_splits`, `preregister`, `run_trials`, `compare`, `check_preregistration`, `write_tables`, `checklist`; and
`simulate_error_rates`, `simulate_coverage` and `over_worlds` for what it claims.
"""

from genexpy_nb.protocol.analysis import (
    UNITS,
    Comparison,
    CorrectedTest,
    compare,
    declared_wins,
    instability,
    nadeau_bengio,
)
from genexpy_nb.protocol.cost import fit_counts, overhead
from genexpy_nb.protocol.determinism import (
    DeterminismRecord,
    global_seed,
    gpu_and_driver,
    loader_options,
    seed_worker,
    seeded,
    set_determinism,
)
from genexpy_nb.protocol.paper import placeholders
from genexpy_nb.protocol.preregistration import DECIDING_TESTS, Preregistration, check_preregistration, preregister
from genexpy_nb.protocol.simulation import (
    INTERVALS,
    PROCEDURES,
    conclusions,
    over_worlds,
    simulate_coverage,
    simulate_error_rates,
)
from genexpy_nb.protocol.splits import Splits, load_splits, make_splits
from genexpy_nb.protocol.tables import checklist, paper_tables, settings_table, to_latex, write_tables
from genexpy_nb.protocol.trials import SEEDS, Trials, run_trials, with_seed
from genexpy_nb.protocol.worlds import RANGE_OF_WORLDS

__all__ = [
    "DECIDING_TESTS",
    "INTERVALS",
    "PROCEDURES",
    "RANGE_OF_WORLDS",
    "SEEDS",
    "UNITS",
    "Comparison",
    "CorrectedTest",
    "DeterminismRecord",
    "Preregistration",
    "Splits",
    "Trials",
    "check_preregistration",
    "checklist",
    "compare",
    "conclusions",
    "declared_wins",
    "fit_counts",
    "global_seed",
    "gpu_and_driver",
    "instability",
    "load_splits",
    "loader_options",
    "make_splits",
    "nadeau_bengio",
    "over_worlds",
    "overhead",
    "paper_tables",
    "placeholders",
    "preregister",
    "run_trials",
    "seed_worker",
    "seeded",
    "set_determinism",
    "settings_table",
    "simulate_coverage",
    "simulate_error_rates",
    "to_latex",
    "with_seed",
    "write_tables",
]
