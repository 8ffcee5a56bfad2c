# What `genexpy_nb.significance` offers, and where it is; the module loads from this list. `x as x` is how a stub
# hands a name on.
from .coverage import interval_advice as interval_advice
from .pairs import compare_pairs as compare_pairs
from .pairs import equivalent_pairs as equivalent_pairs
from .power import plan_comparison as plan_comparison
from .rank_tests import Best as Best
from .rank_tests import Friedman as Friedman
from .rank_tests import best_alternative as best_alternative
from .rank_tests import friedman as friedman
from .tiers import rank_tiers as rank_tiers
from .wilcoxon import wilcoxon_pratt as wilcoxon_pratt
