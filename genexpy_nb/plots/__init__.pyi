# What `genexpy_nb.plots` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a
# name on.
from .style import use_style as use_style
