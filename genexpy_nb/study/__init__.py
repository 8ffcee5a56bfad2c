"""A table with roles: what it says, how sure that is, and what would settle it. It asks rooms that know arrays only."""

import sys
from types import ModuleType
from typing import Any, NoReturn


class _Room(ModuleType):
    def __call__(self, *given: Any, **named: Any) -> NoReturn:
        raise TypeError("genexpy_nb.study is a module; a study is made by genexpy_nb.Study(...)")


sys.modules[__name__].__class__ = _Room
