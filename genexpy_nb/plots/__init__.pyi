# What `genexpy_nb.plots` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a
# name on.
from .nstar import estimate_histogram as estimate_histogram
from .nstar import nstar_forest as nstar_forest
from .nstar import nstar_hero as nstar_hero
from .nstar import nstar_overview as nstar_overview
from .nstar import power_law as power_law
from .nstar import rank_distribution as rank_distribution
from .second_study import agreement_curves as agreement_curves
from .second_study import component_bars as component_bars
from .second_study import design_map as design_map
from .significance import critical_difference_diagram as critical_difference_diagram
from .significance import equivalence_intervals as equivalence_intervals
from .significance import pairwise_matrix as pairwise_matrix
from .study import generalizability_curves as generalizability_curves
from .study import influence as influence
from .study import missing_cells as missing_cells
from .study import pair_scatter as pair_scatter
from .study import rank_positions as rank_positions
from .style import use_style as use_style
