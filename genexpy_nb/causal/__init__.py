"""Average effects of methods in populations of processing systems.

Drawing Causal Inferences About Performance Effects in NLP, step by step: `PipelinePopulation`, `run_paired` or
`run_independent`, `average_treatment_effect`, `heterogeneity`; and `plan_systems` for the next study.
"""

from genexpy_nb.causal.design import Runs, from_results, ideal_study, run_independent, run_paired, run_population
from genexpy_nb.causal.effects import (
    Heterogeneity,
    TreatmentEffect,
    VarianceComponents,
    average_treatment_effect,
    effects_by_level,
    expected_generalization_error,
    heterogeneity,
    individual_effects,
    moderators,
    variance_components,
    variance_shares,
)
from genexpy_nb.causal.planning import (
    bootstrap_miss_rate,
    compositions_per_system,
    coverage,
    plan_systems,
    systems_needed,
    tuned_or_many,
)
from genexpy_nb.causal.population import Comparison, PipelinePopulation, System

__all__ = [
    "Comparison",
    "Heterogeneity",
    "PipelinePopulation",
    "Runs",
    "System",
    "TreatmentEffect",
    "VarianceComponents",
    "average_treatment_effect",
    "bootstrap_miss_rate",
    "compositions_per_system",
    "coverage",
    "effects_by_level",
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
    "systems_needed",
    "tuned_or_many",
    "variance_components",
    "variance_shares",
]
