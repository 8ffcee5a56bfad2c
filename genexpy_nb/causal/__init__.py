"""Average effects of methods in populations of processing systems.

*Drawing Causal Inferences About Performance Effects in NLP* (its equations are cited in this room), step by step:
`PipelinePopulation`, `run_paired` or `run_independent`, `average_treatment_effect`, `heterogeneity`; and `plan_systems`
for the next study. A loss may have any unit: what counts as no difference is relative to the size of the losses.

Everywhere, `ParameterError` is raised for a parameter that is unknown or out of range, ``loss`` is by default the
first, ``confidence`` is in (0, 1), and ``rng`` is a generator or its seed.

What is here is loaded when it is first used; ``__init__.pyi`` says what there is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
