"""Figures: one function each, tidy frames and results in, a figure out.

The figures of n* are here; those of one topic are in the module of its name: ``plots.study`` (one's own),
``plots.second_study``, ``plots.formalization``, ``plots.preliminary``, ``plots.significance``, ``plots.protocol``,
``plots.tradeoff`` and ``plots.causal``.
"""

from genexpy_nb.plots.nstar import estimate_histogram, nstar_forest, nstar_overview, power_law, rank_distribution
from genexpy_nb.plots.style import use_style

__all__ = ["estimate_histogram", "nstar_forest", "nstar_overview", "power_law", "rank_distribution", "use_style"]
