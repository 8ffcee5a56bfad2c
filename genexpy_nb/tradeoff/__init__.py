"""The trade-off point: how well models generalize over noise, unseen classes and size, and what theory says of it.

A practical generalization metric for deep networks benchmarking, step by step: cells of the testbed
(docs/tradeoff_torch.md) or of your own models (`cell`), the 3-D array (`to_array`), the trade-off point
(`tradeoff_point`) with its sensitivity, and complexity measures (`MEASURES`) against what was measured
(`sign_error_table`).

Everywhere, `ParameterError` is raised for a parameter that is unknown or out of range, and `StudyError` for a table
with a missing column, a value out of range or a row that is there twice; ``confidence`` and ``level`` are in (0, 1).
"""

# ruff: noqa: E402, what is missing is said before it is imported

from genexpy_nb.common.errors import require

require("testbed", "xarray", "skimage")

from genexpy_nb.tradeoff.array import KAPPAS, STATISTICS, over_seeds, to_array
from genexpy_nb.tradeoff.complexity import MEASURES
from genexpy_nb.tradeoff.metrics import cell, class_metrics
from genexpy_nb.tradeoff.point import TradeoffPoint, tradeoff_point, tradeoff_points_by_seed
from genexpy_nb.tradeoff.signerror import null_band
from genexpy_nb.tradeoff.tolerance import ToleranceBox, tolerance_box

__all__ = [
    "KAPPAS",
    "MEASURES",
    "STATISTICS",
    "ToleranceBox",
    "TradeoffPoint",
    "cell",
    "class_metrics",
    "null_band",
    "over_seeds",
    "to_array",
    "tolerance_box",
    "tradeoff_point",
    "tradeoff_points_by_seed",
]
