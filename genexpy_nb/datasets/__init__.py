"""Tables of results: the published ones, verified, and this project's own runs, with where each comes from.

What is here is loaded when it is first used; ``__init__.pyi`` says what there is. A table that is missing, damaged or
of another form is a `genexpy_nb.errors.DataError` that names it and the remedy.
"""

import lazy_loader

#: The published tables, and where a table may come from; here, so that asking for help loads no library.
NAMES = ("encoders", "bigbench")
SOURCES = ("auto", "original", "bundled")

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
