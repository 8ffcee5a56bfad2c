"""A protocol for comparing models: splits on disk, seeds and flags, trials and comparison.

*A Deterministic Protocol for Reliable Model Comparison in Machine Learning* ("the paper" in this room), step by step:
`set_determinism`, `make_splits`, `preregister`, `run_trials`, `compare`, `check_preregistration`, `checklist`. Notebook
06 measures what it claims.

Everywhere, `ParameterError` is raised for a parameter that is unknown or out of range; ``level`` and ``confidence`` are
in (0, 1); ``rng`` is a generator or its seed; results do not depend on ``n_jobs``.

What is here is loaded when it is first used; ``__init__.pyi`` says what there is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
