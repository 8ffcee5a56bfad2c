"""What people compare today: items of benchmarks, preferences, games, several benchmarks.

Every function takes a frame with a row per result and returns an object that says what was found, in sentences and
tables; docs/fields.md has an example of each. `StudyError` is raised for a column that is not there or a value that
cannot be, and names it.

What is here is loaded when it is first used; ``__init__.pyi`` says what there is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
