"""Can the conclusions of an experimental study in machine learning be trusted beyond the experiments that were run?

What is here is loaded when it is first used; ``__init__.pyi`` says what there is.
"""

from typing import Any

import lazy_loader

__version__ = "0.1.0"

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

#: What people type, and what does it here.
_INSTEAD = {
    "read readcsv readexcel readparquet load loadcsv open": "read_results(path) reads a table from a file",
    "fromwide frommatrix matrix dataframe": "Study.from_wide(frame) makes a study of a matrix",
    "compare analyze analyse benchmark": "Study(frame, alternatives=, target=, over=) has all comparisons as methods",
    "wilcoxon friedman nemenyi ttest pairs test tests": "significance has tests of arrays, and Study those of tables",
    "plot figure draw": "plots has the figures, and Study a method plot()",
    "agreement contenders regret": "Study has it as a method, and conclusions for arrays",
}


def __getattr__(name: str) -> Any:
    """Load what is offered; whoever asks for something else hears what there is."""
    try:
        return _load(name)
    except AttributeError:
        if name.startswith("_") or name in __all__:
            raise
        from genexpy_nb.common.checks import no_such

        raise AttributeError(no_such("genexpy_nb has no", name, __all__, _INSTEAD), name="", obj=None) from None
