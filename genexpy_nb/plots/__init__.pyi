# What `genexpy_nb.plots` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a
# name on.
from .nstar import power_law as power_law
from .significance import critical_difference_diagram as critical_difference_diagram
from .style import use_style as use_style
