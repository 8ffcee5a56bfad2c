"""The trade-off point: how well models generalize over noise, unseen classes and size, and what theory says of it.

A practical generalization metric for deep networks benchmarking, step by step: cells of the testbed
(`genexpy_nb.testbed`) or of your own models (`cell`), the 3-D array (`to_array`), the trade-off point
(`tradeoff_point`) with its sensitivity and marginals, and complexity measures (`complexity_measures`) against what was
measured (`sign_error_table`).
"""

# ruff: noqa: E402, what is missing is said before it is imported

from genexpy_nb.common.errors import require

require("testbed", "xarray")

from genexpy_nb.tradeoff.array import KAPPAS, STATISTICS, over_seeds, to_array
from genexpy_nb.tradeoff.complexity import MEASURES, NOISE_ERRORS, NetworkRecord, complexity_measures, noise_scale
from genexpy_nb.tradeoff.metrics import cell, class_metrics
from genexpy_nb.tradeoff.point import (
    TradeoffPoint,
    bootstrap_interval,
    bootstrap_points,
    tradeoff_point,
    tradeoff_points_by_seed,
    weight_sensitivity,
)
from genexpy_nb.tradeoff.signerror import null_band, sign_error, sign_error_table
from genexpy_nb.tradeoff.slices import marginals, slice_marginal
from genexpy_nb.tradeoff.tolerance import ToleranceBox, tolerance_box

__all__ = [
    "KAPPAS",
    "MEASURES",
    "NOISE_ERRORS",
    "STATISTICS",
    "NetworkRecord",
    "ToleranceBox",
    "TradeoffPoint",
    "bootstrap_interval",
    "bootstrap_points",
    "cell",
    "class_metrics",
    "complexity_measures",
    "marginals",
    "noise_scale",
    "null_band",
    "over_seeds",
    "sign_error",
    "sign_error_table",
    "slice_marginal",
    "to_array",
    "tolerance_box",
    "tradeoff_point",
    "tradeoff_points_by_seed",
    "weight_sensitivity",
]
