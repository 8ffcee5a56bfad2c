"""The trade-off point: how well models generalize over noise, unseen classes and size, and what theory says of it.

A practical generalization metric for deep networks benchmarking, step by step: cells of the testbed
(docs/tradeoff_torch.md) or of your own models (`cell`), the 3-D array (`to_array`), the trade-off point
(`tradeoff_point`) with its sensitivity, and complexity measures (`MEASURES`) against what was measured
(`sign_error_table`).

Everywhere, `ParameterError` is raised for a parameter that is unknown or out of range, and `StudyError` for a table
with a missing column, a value out of range or a row that is there twice; ``confidence`` and ``level`` are in (0, 1).

What is here is loaded when it is first used; ``__init__.pyi`` says what there is.
"""

import lazy_loader

from genexpy_nb.common.errors import require

require("testbed", "xarray", "skimage")

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
