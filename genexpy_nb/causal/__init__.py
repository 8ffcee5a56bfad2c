"""Average effects of methods in populations of processing systems.

Drawing Causal Inferences About Performance Effects in NLP, step by step: `PipelinePopulation`, `run_paired` or
`run_independent`, `average_treatment_effect`, `heterogeneity`; and `plan_systems` for the next study. A loss may have
any unit: what counts as no difference is relative to the size of the losses.
"""

from genexpy_nb.causal.between_systems import Heterogeneity, effects_by_level, heterogeneity, moderators
from genexpy_nb.causal.components import VarianceComponents, variance_components, variance_shares
from genexpy_nb.causal.design import ideal_study, run_independent, run_paired, run_population
from genexpy_nb.causal.effects import TreatmentEffect, average_treatment_effect, expected_generalization_error
from genexpy_nb.causal.individual import individual_effects
from genexpy_nb.causal.planning import compositions_per_system, plan_systems, systems_needed
from genexpy_nb.causal.population import Comparison, PipelinePopulation, System
from genexpy_nb.causal.recorded import Recorded
from genexpy_nb.causal.runs import Runs, from_results
from genexpy_nb.causal.simulation import (
    bootstrap_miss_rate,
    coverage,
    error_rates,
    shifted_bootstrap,
    tuned_or_many,
)

__all__ = [
    "Comparison",
    "Heterogeneity",
    "PipelinePopulation",
    "Recorded",
    "Runs",
    "System",
    "TreatmentEffect",
    "VarianceComponents",
    "average_treatment_effect",
    "bootstrap_miss_rate",
    "compositions_per_system",
    "coverage",
    "effects_by_level",
    "error_rates",
    "expected_generalization_error",
    "from_results",
    "heterogeneity",
    "ideal_study",
    "individual_effects",
    "moderators",
    "plan_systems",
    "run_independent",
    "run_paired",
    "run_population",
    "shifted_bootstrap",
    "systems_needed",
    "tuned_or_many",
    "variance_components",
    "variance_shares",
]
