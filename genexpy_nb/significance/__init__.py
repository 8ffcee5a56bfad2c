"""Which differences between alternatives a set of experiments can tell apart, with effect sizes and intervals.

The input is always a table of scores, shape (n_conditions, n_alternatives), at least two of each: alternatives are
compared within each condition (a dataset, a fold), and conditions are taken for independent. Scores that agree to 12
significant digits are ties. An incomplete row is an error: drop it, or impute. Nothing returns NaN: a case without an
answer has a defined value and a note, or raises.

Everywhere, `StudyError` is raised for a table that is too small, not numeric, infinite or incomplete, and
`ParameterError` for a parameter that is unknown or out of range. ``higher_is_better`` must be said, ``level`` and
``confidence`` are in (0, 1), ``rng`` is a generator or its seed.
"""

from genexpy_nb.significance.coverage import interval_advice
from genexpy_nb.significance.equivalence import equivalent_pairs
from genexpy_nb.significance.pairs import compare_pairs
from genexpy_nb.significance.power import plan_comparison
from genexpy_nb.significance.rank_tests import Best, Friedman, best_alternative, friedman
from genexpy_nb.significance.tiers import rank_tiers
from genexpy_nb.significance.wilcoxon import wilcoxon_pratt

__all__ = [
    "Best",
    "Friedman",
    "best_alternative",
    "compare_pairs",
    "equivalent_pairs",
    "friedman",
    "interval_advice",
    "plan_comparison",
    "rank_tiers",
    "wilcoxon_pratt",
]
