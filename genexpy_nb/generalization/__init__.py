"""Would another study agree? From Gram matrices of results to the MMD and n*, the number of experiments it takes.

`ParameterError` is raised for what is no Gram matrix, and for a parameter that is unknown or out of range.

What is here is loaded when it is first used; ``__init__.pyi`` says what there is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
