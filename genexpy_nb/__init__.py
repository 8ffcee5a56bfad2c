"""Can the conclusions of an experimental study in machine learning be trusted beyond the experiments that were run?

What is here is loaded when it is first used; ``__init__.pyi`` says what there is.
"""

from typing import Any

import lazy_loader

__version__ = "0.1.0"

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Load what is offered; whoever asks for something else hears what there is."""
    try:
        return _load(name)
    except AttributeError:
        if name.startswith("_") or name in __all__:
            raise
        from genexpy_nb.common.checks import no_such

        raise AttributeError(no_such("genexpy_nb has no", name, __all__), name="", obj=None) from None
