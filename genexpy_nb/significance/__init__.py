"""Which differences between alternatives a set of experiments can tell apart, with effect sizes and intervals.

The input is always a table of scores, shape (n_conditions, n_alternatives), at least two of each: alternatives are
compared within each condition (a dataset, a fold), and conditions are taken for independent. Scores that agree to 12
significant digits are ties. An incomplete row is an error: drop it, or impute. Nothing returns NaN: a case without an
answer has a defined value and a note, or raises.

Everywhere, `StudyError` is raised for a table that is too small, not numeric, infinite or incomplete, and
`ParameterError` for a parameter that is unknown or out of range. ``higher_is_better`` must be said, ``level`` and
``confidence`` are in (0, 1), ``rng`` is a generator or its seed.

What is here is loaded when it is first used; ``__init__.pyi`` says what there is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
