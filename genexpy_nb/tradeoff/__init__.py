"""The trade-off point: how well models generalize over noise, unseen classes and size, and what theory says of it.

A practical generalization metric for deep networks benchmarking, step by step: cells of the testbed
(`genexpy_nb.testbed`) or of your own models (`cell`), the 3-D array (`to_array`), the trade-off point
(`tradeoff_point`) with its sensitivity and marginals, and complexity measures (`complexity_measures`) against what was
measured (`sign_error_table`).
"""

# ruff: noqa: E402, what is missing is said before it is imported

from genexpy_nb.common.extras import require

require("testbed", "xarray")

from genexpy_nb.tradeoff.array import DIMENSIONS, KAPPAS, STATISTICS, NoiseAxis, objective, over_seeds, to_array
from genexpy_nb.tradeoff.authors import (
    AUTHORS_WEIGHTS,
    AuthorsPoint,
    authors_point,
    authors_search,
    choice_sensitivity,
    solver_starts,
)
from genexpy_nb.tradeoff.compare import (
    comparable_families,
    control_curves,
    family_differences,
    kappa_correlations,
    noise_curve,
    split_rise,
)
from genexpy_nb.tradeoff.complexity import (
    MEASURES,
    NOISE_ERRORS,
    NetworkRecord,
    NoiseScale,
    complexity_measures,
    noise_scale,
)
from genexpy_nb.tradeoff.metrics import cell, class_metrics
from genexpy_nb.tradeoff.percentiles import chance_percentile, percentile_readings, percentile_sign_errors, slice_cases
from genexpy_nb.tradeoff.point import (
    TradeoffPoint,
    bootstrap_interval,
    bootstrap_points,
    point_table,
    tradeoff_point,
    tradeoff_points_by_seed,
    weight_sensitivity,
)
from genexpy_nb.tradeoff.published import (
    READING_ERROR,
    beside_published,
    largest_deviation,
    published_bounds,
    published_differences,
    published_tradeoff,
)
from genexpy_nb.tradeoff.repeated import finding_verdicts, repeated_findings
from genexpy_nb.tradeoff.signerror import (
    NullDistribution,
    measure_groups,
    null_band,
    null_distribution,
    sign_error,
    sign_error_p,
    sign_error_table,
    summarise,
)
from genexpy_nb.tradeoff.slices import at_point, marginals, same_cells, slice_marginal
from genexpy_nb.tradeoff.tolerance import ToleranceBox, tolerance_box
from genexpy_nb.tradeoff.verdicts import VERDICTS, averaged_sign_errors, count_verdicts

__all__ = [
    "AUTHORS_WEIGHTS",
    "DIMENSIONS",
    "KAPPAS",
    "MEASURES",
    "NOISE_ERRORS",
    "READING_ERROR",
    "STATISTICS",
    "VERDICTS",
    "AuthorsPoint",
    "NetworkRecord",
    "NoiseAxis",
    "NoiseScale",
    "NullDistribution",
    "ToleranceBox",
    "TradeoffPoint",
    "at_point",
    "authors_point",
    "authors_search",
    "averaged_sign_errors",
    "beside_published",
    "bootstrap_interval",
    "bootstrap_points",
    "cell",
    "chance_percentile",
    "choice_sensitivity",
    "class_metrics",
    "comparable_families",
    "complexity_measures",
    "control_curves",
    "count_verdicts",
    "family_differences",
    "finding_verdicts",
    "kappa_correlations",
    "largest_deviation",
    "marginals",
    "measure_groups",
    "noise_curve",
    "noise_scale",
    "null_band",
    "null_distribution",
    "objective",
    "over_seeds",
    "percentile_readings",
    "percentile_sign_errors",
    "point_table",
    "published_bounds",
    "published_differences",
    "published_tradeoff",
    "repeated_findings",
    "same_cells",
    "sign_error",
    "sign_error_p",
    "sign_error_table",
    "slice_cases",
    "slice_marginal",
    "solver_starts",
    "split_rise",
    "summarise",
    "to_array",
    "tolerance_box",
    "tradeoff_point",
    "tradeoff_points_by_seed",
    "weight_sensitivity",
]
