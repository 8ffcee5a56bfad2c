"""Figures that a person draws of an own study: tidy frames and results in, a figure out.

What is here is loaded when it is first used; ``__init__.pyi`` says what there is. What figures share is in
``plots.layout`` and ``plots.style``, those of one notebook or science in the module of its name.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
