"""Figures: one function each, tidy frames and results in, a figure out.

The figures of n* are here; one that opens a page is `nstar_hero`. Those of one topic are in the module of its name:
``plots.study`` (one's own), ``plots.second_study``, ``plots.formalization``, ``plots.preliminary``,
``plots.significance``, ``plots.protocol``, ``plots.tradeoff``, ``plots.causal`` and ``plots.methods``. Colours and
shapes of methods and verdicts are in ``plots.style``, what figures share in their layout is in ``plots.layout``.
"""

from genexpy_nb.plots.nstar import (
    estimate_histogram,
    nstar_forest,
    nstar_hero,
    nstar_overview,
    power_law,
    rank_distribution,
)
from genexpy_nb.plots.style import use_style

__all__ = [
    "estimate_histogram",
    "nstar_forest",
    "nstar_hero",
    "nstar_overview",
    "power_law",
    "rank_distribution",
    "use_style",
]
