"""Average effects of methods in populations of processing systems.

*Drawing Causal Inferences About Performance Effects in NLP* (its equations are cited in this room), step by step:
`PipelinePopulation`, `run_paired` or `run_independent`, `average_treatment_effect`, `heterogeneity`; and `plan_systems`
for the next study. A loss may have any unit: what counts as no difference is relative to the size of the losses.

Everywhere, `ParameterError` is raised for a parameter that is unknown or out of range, ``loss`` is by default the
first, ``confidence`` is in (0, 1), and ``rng`` is a generator or its seed.
"""

from genexpy_nb.causal.design import Recorded, run_independent, run_paired
from genexpy_nb.causal.effects import TreatmentEffect, average_treatment_effect
from genexpy_nb.causal.planning import plan_systems
from genexpy_nb.causal.population import Comparison, PipelinePopulation
from genexpy_nb.causal.runs import Heterogeneity, Runs, from_results, heterogeneity, individual_effects

__all__ = [
    "Comparison",
    "Heterogeneity",
    "PipelinePopulation",
    "Recorded",
    "Runs",
    "TreatmentEffect",
    "average_treatment_effect",
    "from_results",
    "heterogeneity",
    "individual_effects",
    "plan_systems",
    "run_independent",
    "run_paired",
]
