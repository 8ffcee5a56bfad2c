# What `genexpy_nb.reporting` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a
# name on.
from .execute import render as render
