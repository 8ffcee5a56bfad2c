"""Which differences between alternatives a set of experiments can tell apart, with effect sizes and intervals.

The input is always a table of scores, shape (n_conditions, n_alternatives): the alternatives are compared within each
condition (a dataset, a fold). Scores that agree to 12 significant digits are ties, as in `genexpy_nb.common.rankings`.
An incomplete row is an error unless ``missing="drop"`` is asked for, and then the result says how many rows went.

Three habits of the libraries underneath shaped these modules: scikit-posthocs leaves out incomplete rows in silence and
answers all ties with NaN, statsmodels counts NaN among the hypotheses that it corrects for, and scipy's exact Wilcoxon
test does not know zeros. Here nothing returns NaN: a case without an answer has a defined value and a note, or raises.
"""

from genexpy_nb.significance.coverage import INTERVALS, interval_advice, measured_coverage
from genexpy_nb.significance.equivalence import POSTERIORS, bayesian_pairs, effective_size, equivalent_pairs
from genexpy_nb.significance.familywise import familywise_errors
from genexpy_nb.significance.intervals import mean_intervals
from genexpy_nb.significance.matrices import to_matrix
from genexpy_nb.significance.mean_ranks import Nemenyi, critical_distance, nemenyi
from genexpy_nb.significance.multiple import ADJUSTMENTS, adjust_pvalues
from genexpy_nb.significance.overview import summarise_tests
from genexpy_nb.significance.pairs import compare_pairs
from genexpy_nb.significance.power import (
    comparison_power,
    conditions_needed,
    detectable_difference,
    plan_comparison,
)
from genexpy_nb.significance.rank_tests import Best, Friedman, best_alternative, conover_iman, friedman
from genexpy_nb.significance.stepdown import romano_wolf
from genexpy_nb.significance.tiers import rank_tiers
from genexpy_nb.significance.wilcoxon import (
    paired_differences,
    pairwise_wilcoxon,
    signed_rank_direction,
    wilcoxon_pratt,
)

__all__ = [
    "ADJUSTMENTS",
    "INTERVALS",
    "POSTERIORS",
    "Best",
    "Friedman",
    "Nemenyi",
    "adjust_pvalues",
    "bayesian_pairs",
    "best_alternative",
    "compare_pairs",
    "comparison_power",
    "conditions_needed",
    "conover_iman",
    "critical_distance",
    "detectable_difference",
    "effective_size",
    "equivalent_pairs",
    "familywise_errors",
    "friedman",
    "interval_advice",
    "mean_intervals",
    "measured_coverage",
    "nemenyi",
    "paired_differences",
    "pairwise_wilcoxon",
    "plan_comparison",
    "rank_tiers",
    "romano_wolf",
    "signed_rank_direction",
    "summarise_tests",
    "to_matrix",
    "wilcoxon_pratt",
]
