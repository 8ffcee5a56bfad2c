"""Can the conclusions of an experimental study in machine learning be trusted beyond the experiments that were run?

What is here is loaded when it is first used; ``__init__.pyi`` says what there is.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
